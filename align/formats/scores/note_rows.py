"""What every reader of scores returns: the notes as the file has them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from align.errors import DataError
from align.files.names import StrPath

LOWEST_PITCH, HIGHEST_PITCH = 21, 108
"""The keys of a piano, as MIDI numbers: what the features listen for."""


_MIDI_PITCHES = range(128)


class NoteRow(NamedTuple):
    """One note of a score: seconds, MIDI number of the sounding pitch (69 is A4), and the like.

    Without a duration None, without an identifier, a name of the pitch or a part ""; `line` counts
    from 1 where there are lines.
    """

    onset: float
    pitch: int
    duration: float | None = None
    id: str = ""
    grace: bool = False
    line: int | None = None
    name: str = ""
    part: str = ""


def unlike(names: Sequence[str]) -> list[str]:
    """Return names of parts; where two are the same, numbered.

    Examples
    --------
    >>> unlike(["Flute", "Violin", "Violin"])
    ['Flute', 'Violin 1', 'Violin 2']
    """
    met: Counter[str] = Counter()
    out = []
    for name in names:
        met[name] += 1
        out.append(f"{name} {met[name]}" if names.count(name) > 1 else name)
    return out


def on_piano(pitch: int) -> bool:
    """Return whether a piano has the key."""
    return LOWEST_PITCH <= pitch <= HIGHEST_PITCH


def check_pitches(rows: Sequence[NoteRow], path: StrPath, *, some: bool = False) -> None:
    """Raise a `DataError` at the first pitch that no piano has.

    Where `some` may be beyond it, at the first that is no MIDI number, or where all are beyond it.
    """
    wrong = [row for row in rows if not on_piano(row.pitch)]
    if some and len(wrong) < len(rows):
        wrong = [row for row in wrong if row.pitch not in _MIDI_PITCHES]
    if not wrong:
        return
    row = wrong[0]
    others = f" ({len(wrong)} such notes)" if len(wrong) > 1 else ""
    raise DataError(
        f"the note at {row.onset:.3f} s has pitch {row.pitch}, outside the piano's "
        f"{LOWEST_PITCH}..{HIGHEST_PITCH}{others}; remove or transpose what does not sound there.",
        path=path,
        line=row.line,
    )
