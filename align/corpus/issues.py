"""What may be wrong with a corpus, as rows that can be printed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from align.errors import plural


@dataclass(frozen=True)
class Issue:
    """Something in a corpus that deserves attention.

    Parameters
    ----------
    path : str
        The file or folder.
    message : str
        What is wrong and what to do.
    severity : str
        ``error`` where the file cannot be used as it is, else ``warning``.
    """

    path: str
    message: str
    severity: str = "warning"

    def __str__(self) -> str:
        return f"{self.severity}: {self.path}: {self.message}"


@dataclass(frozen=True)
class Validation:
    """What `validate_corpus` found.

    Parameters
    ----------
    recordings : int
        How many recordings can be used.
    problems : tuple of Issue
        Files that cannot be used, in the order of paths.
    warnings : tuple of Issue
        What else deserves a look.
    """

    recordings: int
    problems: tuple[Issue, ...]
    warnings: tuple[Issue, ...]

    def __str__(self) -> str:
        what = (
            (self.recordings, "usable recording"),
            (len(self.problems), "problem"),
            (len(self.warnings), "warning"),
        )
        counts = ", ".join(plural(n, name) for n, name in what)
        return "\n".join([*map(str, self.problems), *map(str, self.warnings), counts])


def odd_formats(formats: dict[str, tuple[int, int]]) -> Iterator[Issue]:
    """Return the recordings whose sampling rate (Hz) and channels are unlike those of most."""
    if not formats:
        return
    usual = Counter(formats.values()).most_common(1)[0][0]
    for path, (rate, channels) in formats.items():
        if (rate, channels) != usual:
            yield Issue(
                path,
                f"has {rate} Hz and {plural(channels, 'channel')}, most of the corpus "
                f"{usual[0]} Hz and {usual[1]}.",
            )
