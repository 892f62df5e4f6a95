r"""Aligned notes as labels that other programs show: Audacity and Sonic Visualiser.

Each note is a label ``C#4 n12``: the name of its pitch, a space, and its id, by which it is found
again after a person moved it. A label that was deleted is a note that was not played; of a part of
a score the notes of its passages are written.

=============  ===================================================================================
``.txt``       Audacity label track of points: ``0.519000\t0.519000\tG4 n0``
``.sv.csv``    ``TIME,LABEL`` for Sonic Visualiser: File, Import Annotation Layer, a time instants
               layer
``.svl``       layer of Sonic Visualiser, of notes: pitch as value, length as duration
=============  ===================================================================================

Labels know no score onsets, so reading them back needs the score, or the alignment they were
written from.

References
----------
https://manual.audacityteam.org/man/importing_and_exporting_labels.html
https://www.sonicvisualiser.org/doc/reference/4.0/en/#importexport
"""

import html
import os
import re

import numpy as np
import numpy.typing as npt

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import Place, read_lines, read_text, rows_of_table, table_of_rows
from align.formats.documents.parsing import parsed_xml
from align.formats.documents.writing import writer
from align.formats.notes.aligned import NotesOfScore, NoteTimes, TimedNotes, notes_played
from align.types import named_pitch

RATE = 44100
"""Hz, of a layer whose recording has no known rate."""

Int64 = npt.NDArray[np.int64]

_Row = tuple[float, str, Place]  # seconds, label


def _labels(alignment: TimedNotes) -> list[str]:
    """Return the label of each note."""
    for name in alignment.note_ids:
        if re.search(r"[\t\n\r]", name):
            raise DataError(f"the id {name!r} cannot stand in a label; rename the note.")
    pairs = zip(alignment.notes, alignment.note_ids, strict=True)
    return [f"{note.name} {name}" for note, name in pairs]


def _in_time(alignment: TimedNotes) -> list[int]:
    order: list[int] = np.argsort(alignment.onsets, kind="stable").tolist()
    return order


def format_points(alignment: TimedNotes) -> str:
    """Return the notes as an Audacity label track of points, in the order they are played."""
    alignment = alignment.held()
    labels = _labels(alignment)
    times = [f"{alignment.onsets[k]:.6f}" for k in range(len(alignment))]
    return "".join(f"{times[k]}\t{times[k]}\t{labels[k]}\n" for k in _in_time(alignment))


def format_sv_csv(alignment: TimedNotes) -> str:
    """Return the notes as ``TIME,LABEL``, in the order they are played."""
    alignment = alignment.held()
    labels = _labels(alignment)
    rows = ([f"{alignment.onsets[k]:.6f}", labels[k]] for k in _in_time(alignment))
    return table_of_rows([["TIME", "LABEL"], *rows])


def format_layer(alignment: TimedNotes) -> str:
    """Return the notes as a layer of Sonic Visualiser.

    Times are in samples of the recording, whose rate must therefore be known to Sonic Visualiser
    as it is here: open the recording first.
    """
    alignment = alignment.held()
    rate = alignment.rate or RATE
    frames = np.rint(alignment.onsets * rate).astype(np.int64)
    ends = np.rint(alignment.offsets * rate).astype(np.int64)
    confidence = np.ones(len(alignment)) if alignment.confidence is None else alignment.confidence
    pitches = alignment.pitches
    labels = _labels(alignment)
    low, high = (int(pitches.min()), int(pitches.max())) if len(alignment) else (0, 127)
    points = "".join(
        f'      <point frame="{frames[k]}" value="{pitches[k]}" '
        f'duration="{max(1, ends[k] - frames[k])}" level="{confidence[k]:.4f}" '
        f'label="{html.escape(labels[k])}" />\n'
        for k in _in_time(alignment)
    )
    notes = (
        f' subtype="note" valueQuantization="0" minimum="{low}" maximum="{high}" '
        'units="MIDI Pitch"'
    )
    shown = 'type="notes" name="Notes" model="1" verticalScale="1" colourName="Blue" '
    return sonic_layer(frames, rate, points, f'{shown}colour="#0000ff"', notes, dimensions=3)


def sonic_layer(
    frames: Int64, rate: int, points: str, shown: str, model: str = "", *, dimensions: int = 1
) -> str:
    """Return a layer of Sonic Visualiser of points at some frames, with what it says of them."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE sonic-visualiser>\n<sv>\n  <data>\n'
        f'    <model id="1" name="" sampleRate="{rate}" start="0" '
        f'end="{int(frames.max(initial=0)) + 1}" type="sparse" dimensions="{dimensions}" '
        f'resolution="1" notifyOnAdd="true" dataset="0"{model} />\n'
        f'    <dataset id="0" dimensions="{dimensions}">\n{points}    </dataset>\n  </data>\n'
        f'  <display>\n    <layer id="2" {shown} darkBackground="false" />\n  </display>\n</sv>\n'
    )


write_points = writer(format_points)


write_sv_csv = writer(format_sv_csv)


write_layer = writer(format_layer)


# Reading back ----------------------------------------------------------------------------------


def read_note_labels(
    path: StrPath, notes: NotesOfScore, *, format: str, duration: float | None = None
) -> NoteTimes:
    """Return the notes that have a label in a file, which a person may have moved or deleted.

    The labels speak of `notes`, whose times do not matter; `format` is "audacity", "sv.csv" or
    "svl"; `duration` is as in `align.formats.notes.aligned.notes_played`. Raises DataError where
    the file is not of that format, or a label names no note, names one twice, or is of another
    pitch than its note.
    """
    name = os.fspath(path)
    rows = _READERS[format](name)
    if not rows:
        raise DataError("has no labels; give one for each note that was played.", path=name)
    place = {note: k for k, note in enumerate(notes.note_ids)}
    found: dict[int, float] = {}
    for time, label, at in rows:
        pitch, _, note = label.strip().partition(" ")
        k = place.get(note.strip())
        if k is None:
            raise at.wrong(
                f"the label {label.strip()!r} names no note of the score; it should be a pitch, a "
                "space and the id of a note, as in 'C4 n0'."
            )
        own = notes.notes[k]
        if named_pitch(pitch) != own.pitch:
            raise at.wrong(
                f"the label {label.strip()!r} says {pitch}, but note {notes.note_ids[k]!r} of "
                f"the score is {own.name}; are they labels of another score?"
            )
        if k in found:
            raise at.wrong(f"the note {notes.note_ids[k]!r} has two labels; delete one.")
        if not 0 <= time <= (np.inf if duration is None else duration):
            raise at.wrong(
                f"the label {label.strip()!r} stands at {time:g} s, outside the recording."
            )
        found[k] = time
    keep = sorted(found)
    times = [found[k] for k in keep]
    return notes_played(notes, np.array(keep), np.array(times), name, duration)


def _read_points(path: str) -> list[_Row]:
    rows: list[_Row] = []
    for number, line in read_lines(path):
        at = Place(path, number)
        if line.startswith("\\"):  # a range of frequencies
            continue
        fields = line.split("\t", 2)
        if len(fields) < 3:
            raise at.wrong(
                f"{line.strip()[:40]!r} is not an Audacity label; tabs must separate start, end "
                "and label."
            )
        rows.append((at.number(fields[0], "start"), fields[2], at))
    return rows


def _read_sv_csv(path: str) -> list[_Row]:
    rows: list[_Row] = []
    for number, cells in rows_of_table(read_text(path), path):
        at = Place(path, number)
        if not cells or cells[0].strip().upper() == "TIME":
            continue
        if len(cells) < 2:
            raise at.wrong("needs a time and a label.")
        rows.append((at.number(cells[0], "time"), cells[-1], at))
    return rows


def _read_layer(path: str) -> list[_Row]:
    root, at = parsed_xml(path, "sv", "layer of Sonic Visualiser"), Place(path)
    model = root.find(".//model")
    if model is None:
        raise at.wrong("is not a layer of Sonic Visualiser.")
    rate = at.number(model.get("sampleRate", ""), "sampling rate")
    if rate <= 0:
        raise at.wrong(f"the sampling rate is {rate:g} Hz, must be positive.")
    return [
        (at.number(point.get("frame", ""), "frame") / rate, point.get("label", ""), at)
        for point in root.iter("point")
    ]


_READERS = {"audacity": _read_points, "sv.csv": _read_sv_csv, "svl": _read_layer}
