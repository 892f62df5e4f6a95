"""What a run over a corpus did, for people: counts, speed, and what deserves a look first."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from align.batch.quality import Quality, ranked

_SHOWN = 10
_TOLD = 3  # warnings of each
_MANY = 3  # recordings with warnings, from which on most of all may have one reason


@dataclass(frozen=True)
class CorpusRun:
    """What a run did.

    Attributes
    ----------
    aligned : tuple of str
        Recordings that were aligned in this run.
    unchanged : tuple of str
        Recordings whose outputs were there already, and are up to date.
    kept : tuple of str
        Recordings whose outputs were edited since they were written, and were left alone.
    failed : tuple of (str, str)
        Recordings without output, and why.
    qualities : tuple of Quality
        Measures of all outputs, those that deserve a look first.
    seconds : float
        How long the run took.
    table : str
        Path of the table of measures.
    unused : tuple of str
        Files beside recordings that say what is spoken, and have the name of none.
    outdated : tuple of str
        Outputs of earlier runs that are still there: of recordings that failed now or are gone,
        and in formats that were not asked for, by other options or inputs.
    shifted : str
        A sentence where recordings fit the texts of their neighbours, and not their own; else
        empty. It is asked in runs that align something.
    """

    aligned: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    qualities: tuple[Quality, ...] = field(repr=False)
    seconds: float
    table: str
    unused: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    shifted: str = ""

    @property
    def warned(self) -> tuple[Quality, ...]:
        """Measures of those that warn of something themselves, the first to look at first."""
        return tuple(q for q in self.qualities if q.said)

    def __str__(self) -> str:
        return self.summary()

    def summary(self, *, reasons: bool = True) -> str:
        """Return what `print` shows; without `reasons`, failures are counted and not named."""
        lines = [
            f"{count:6d}  {what}"
            for count, what in (
                (len(self.aligned), "aligned"),
                (len(self.unchanged), "done before and unchanged"),
                (len(self.kept), "edited since, and kept"),
                (len(self.failed), "failed"),
                (len(self.warned), "with warnings"),
            )
            if count or what == "aligned"
        ]
        of_run = set(self.aligned)
        audio = sum(q.seconds for q in self.qualities if q.name in of_run)
        if audio:
            length = f"{audio:.1f} s" if audio < 60 else f"{audio / 60:.1f} minutes"
            pace = audio / max(self.seconds, 1e-9)
            fast = f", {pace:.0f} times as fast as they play" if pace >= 2 else ""
            lines.append(f"{length} of recordings in {self.seconds:.0f} s{fast}")
        if self.unused:
            lines.append(f"Not used, as no recording has the name: {_first(self.unused)}")
        if self.outdated:
            lines.append(f"Left from earlier runs, and outdated: {_first(self.outdated)}")
        if self.shifted:
            lines.append(self.shifted)
        elif len(self.warned) >= max(_MANY, len(self.qualities) / 2):
            lines.append(
                "Most have warnings: perhaps texts or scores stand beside other recordings than "
                "their own (a table that is off by one row?), or the model or the language is not "
                "theirs."
            )
        guessed = list(dict.fromkeys(w for q in self.qualities for w in q.guessed.split()))
        if guessed:
            lines.append(f"No dictionary has, so espeak-ng guessed: {_first(guessed)}")
        rows = self._worst()
        if rows:
            lines += ["", "worth a look first:"]
            head = ("recording", "confidence", "least sure", "warnings")
            lines += _columns([head, *rows])
        if self.failed and reasons:
            lines += ["", "failed:", *(f"  {name}: {why}" for name, why in self.failed[:_SHOWN])]
            if len(self.failed) > _SHOWN:
                lines.append(f"  and {len(self.failed) - _SHOWN} more; see {self.table}.")
        return "\n".join(lines)

    def _worst(self) -> list[tuple[str, str, str, str]]:
        rows = []
        for q, warnings in ranked(self.qualities)[:_SHOWN]:
            mean = "" if q.confidence is None else f"{q.confidence:.2f}"
            least = ""
            if q.lowest_confidence is not None:
                least = f"{q.lowest_confidence:.2f} {q.label} at {q.where:.2f} s"
            rows.append((q.name, mean, least, _short(warnings)))
        return rows

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _first(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f", and {more} more." if more > 0 else ".")


def _short(warnings: Sequence[str]) -> str:
    """Return the first warning whole, and what the others say, without their numbers."""
    said = []
    for warning in warnings[1:_TOLD]:
        place, _, rest = warning.partition(" s: ")
        what = rest if place.startswith("from ") else warning
        said.append(re.split(r"[:;(]", what.rstrip("."))[0].strip())
    if len(warnings) > _TOLD:
        said.append(f"and {len(warnings) - _TOLD} more")
    return " ".join([*warnings[:1], ", ".join(said)]).strip()


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  " + "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows
    ]
