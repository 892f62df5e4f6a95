"""Note alignments as nASAP has them, ``note_alignment.tsv``: which note of a score is played when.

::

    xml_id  midi_id  track  channel  pitch  onset
    n1-1    n0       0      0        60     0.519000
    n2-1    deletion

The columns are the id of the note in the score (with the number of the time it is played, where
repeats are), that of the note that was played, and of this track, channel, MIDI number and
seconds. A note of the score that was not played has ``deletion`` in the second column, one that is
not in the score ``insertion`` in the first. Written, every note of the passages that are played
counts as played.

Such a table knows no score. Read back, its notes must be among those of a score; ``n1`` and
``n1-1`` are the same note where only one of them is there. They are read and written here:
partitura's reader passes over ids that do not begin with *n*, as those of many MEI files.

References
----------
Peter et al., "Automatic Note-Level Score-to-Performance Alignments in the ASAP Dataset", TISMIR
6(1), 2023. https://github.com/CPJKU/asap-dataset
"""

from collections.abc import Mapping

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import Place, read_lines
from align.formats.documents.writing import writer
from align.formats.notes.aligned import NotesOfScore, NoteTimes, TimedNotes, notes_played

_COLUMNS = ("xml_id", "midi_id", "track", "channel", "pitch", "onset")
_FIRST = "-1"  # behind the id of a note that is played for the first time


def format_note_alignment(alignment: TimedNotes) -> str:
    """Return aligned notes as a table of tabs, in the order of the score."""
    lines, held = ["\t".join(_COLUMNS)], alignment.is_held
    for k, (note, name) in enumerate(zip(alignment.notes, alignment.note_ids, strict=True)):
        if not name or any(mark in name for mark in "\t\n\r") or name == "insertion":
            raise DataError(f"the id {name!r} cannot stand in such a table; rename the note.")
        played = f"n{k}\t0\t0\t{note.pitch}\t{alignment.onsets[k]:.6f}"
        lines.append(f"{name}\t{played if held[k] else 'deletion'}")
    return "\n".join(lines) + "\n"


write_note_alignment = writer(format_note_alignment)


def read_note_alignment(
    path: StrPath, notes: NotesOfScore, *, duration: float | None = None
) -> NoteTimes:
    """Return the notes of a score that a table says are played, in the order of the score.

    Raises DataError, naming the line, where the table is none of these, names notes that the score
    does not have, or a note twice.
    """
    lines = iter(read_lines(path))
    number, head = next(lines, (1, ""))
    if head.split("\t")[:2] != list(_COLUMNS[:2]) or "onset" not in head.split("\t"):
        raise Place(path, number).wrong(
            f"is no note alignment; its first line must be {' '.join(_COLUMNS)}, with tabs."
        )
    place = head.split("\t").index("onset")
    found: dict[str, float] = {}
    for number, line in lines:
        at, cells = Place(path, number), line.split("\t")
        if cells[0] == "insertion" or (len(cells) > 1 and cells[1].strip() == "deletion"):
            continue
        if len(cells) <= place:
            raise at.wrong("has too few columns here.")
        if cells[0] in found:
            raise at.wrong(f"the note {cells[0]!r} stands there twice.")
        found[cells[0]] = at.number(cells[place], "onset")
    return played_by_id(found, notes, path, duration)


def played_by_id(
    found: Mapping[str, float], notes: NotesOfScore, path: StrPath, duration: float | None
) -> NoteTimes:
    """Return the notes of a score whose ids are given, with their onsets in seconds.

    Raises DataError where there is none, one is not in the score, or an onset is outside the
    recording.
    """
    place = {name: k for k, name in enumerate(notes.note_ids)}
    times: dict[int, float] = {}
    for name, onset in found.items():
        own = [
            other for other in (name, name.removesuffix(_FIRST), name + _FIRST) if other in place
        ]
        if not own:
            raise DataError(f"{name!r} is no note of the score.", path=path)
        if place[own[0]] in times:
            raise DataError(f"the note {own[0]!r} stands there twice.", path=path)
        if not 0 <= onset <= (np.inf if duration is None else duration):
            raise DataError(
                f"the note {name!r} is played at {onset:g} s, outside the recording.", path=path
            )
        times[place[own[0]]] = onset
    if not times:
        raise DataError("has no notes that are played.", path=path)
    keep = np.array(sorted(times), dtype=np.intp)
    return notes_played(notes, keep, np.array([times[k] for k in keep]), path, duration)
