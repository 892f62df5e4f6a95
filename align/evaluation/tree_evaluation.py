"""What comes out where files of a system are compared with files of a reference."""

from dataclasses import dataclass, field
from typing import Any

from align.evaluation.file_result import FileResult
from align.evaluation.report import Report


@dataclass(frozen=True)
class TreeEvaluation:
    """How well the labels or notes of one tree of files agree with those of another.

    Parameters
    ----------
    report : Report
        Errors at the matched boundaries.
    results : tuple of FileResult
        The matched boundaries of each file.
    matched : int
        Labels of the reference that were matched.
    missing, extra : int
        Labels of the reference that were not, and labels of the system that were not; of words,
        silences of the system are not counted.
    what : str
        What is counted: ``labels``, ``words`` or ``notes``.
    """

    report: Report
    results: tuple[FileResult, ...] = field(repr=False)
    matched: int
    missing: int
    extra: int
    what: str = "labels"

    def counts(self) -> str:
        """Say what could not be matched, if anything; begins with an empty line.

        Of words it is said in any case: silences, of which `.wrd` files have none, do not count.
        """
        if not (self.missing or self.extra or self.what == "words"):
            return ""
        total = self.matched + self.missing
        share = 100.0 * self.matched / total if total else 0.0
        scored = "matched notes" if self.what == "notes" else f"boundaries of matched {self.what}"
        return (
            f"\n\n{self.matched} of {total} {self.what} of the reference are matched "
            f"({share:.1f} %); {self.extra} of the system have no counterpart. Only {scored} are "
            "scored."
        )

    def __str__(self) -> str:
        return f"{self.report}{self.counts()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON can hold it, with ``matched``, ``missing``, ``extra``."""
        return {
            **self.report.to_dict(),
            "matched": self.matched,
            "missing": self.missing,
            "extra": self.extra,
        }
