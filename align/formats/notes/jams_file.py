"""JAMS files, ``.jams``: annotations of music in JSON, for libraries of music research.

Notes are an annotation of the namespace ``note_midi``: time, duration, the pitch as value, and how
sure the onset is. Where the score says its bars, beats follow as ``beat``: the value is the place
in the bar, 1 for the first, and the sandbox has the bar of each.

The library ``jams`` is not needed: these files are plain JSON, and it would bring a dozen packages
along. The tests validate what is written with it.

JAMS knows no score, so reading needs the notes of one: those of a pitch correspond in order of
time, as in an aligned MIDI file.

References
----------
Humphrey et al., "JAMS: A JSON Annotated Music Specification for Reproducible MIR Research", ISMIR,
2014. https://jams.readthedocs.io
"""

import os
from typing import Any

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.formats.documents.parsing import parsed_json
from align.formats.documents.writing import audio_name, json_text, writer
from align.formats.notes.aligned import NotesOfScore, NoteTimes, TimedNotes, notes_by_pitch
from align.formats.notes.beat_table import played_beats

_VERSION = "0.3.5"  # of JAMS, that its library writes
_DIGITS = 9  # of seconds


def format_jams(alignment: TimedNotes) -> str:
    """Return notes, and beats where the score says its bars, as the text of a JAMS file."""
    last = alignment.offsets.max(initial=0.0) if alignment.duration is None else alignment.duration
    duration = round(float(last), _DIGITS)
    lengths = np.maximum(alignment.offsets - alignment.onsets, 0.0)
    annotations = [
        _annotation(
            "note_midi",
            duration,
            alignment.onsets,
            lengths,
            alignment.pitches.tolist(),
            alignment.confidence,
        )
    ]
    if alignment.beats is not None:
        beats = played_beats(alignment)
        zeros, places = np.zeros(len(beats.times)), beats.numbers.tolist()
        own = _annotation("beat", duration, beats.times, zeros, places, beats.confidence)
        annotations.append({**own, "sandbox": {"bars": beats.bars.tolist()}})
    named = alignment.audio if isinstance(alignment.audio, str) else ""
    about = {
        "title": os.path.splitext(audio_name(named))[0],
        "artist": "",
        "release": "",
        "duration": duration,
        "identifiers": {},
        "jams_version": _VERSION,
    }
    content = {"annotations": annotations, "file_metadata": about, "sandbox": {}}
    return json_text(content)


write_jams = writer(format_jams)
"""Write notes, and beats where the score says its bars, as a JAMS file."""


def _annotation(
    namespace: str, duration: float, times: Any, lengths: Any, values: list[Any], sure: Any
) -> dict[str, Any]:
    """Return an annotation as JAMS has it; times are in seconds."""
    confidence = [None] * len(values) if sure is None else np.round(sure, 4).tolist()
    rows = zip(
        np.round(times, _DIGITS).tolist(),
        np.round(lengths, _DIGITS).tolist(),
        values,
        confidence,
        strict=True,
    )
    names = ("time", "duration", "value", "confidence")
    return {
        "annotation_metadata": {
            "curator": {"name": "", "email": ""},
            "annotator": {},
            "version": "",
            "corpus": "",
            "annotation_tools": "Align",
            "annotation_rules": "",
            "validation": "",
            "data_source": "program",
        },
        "namespace": namespace,
        "data": [dict(zip(names, row, strict=True)) for row in rows],
        "sandbox": {},
        "time": 0,
        "duration": duration,
    }


def read_jams(path: StrPath, notes: NotesOfScore, *, duration: float | None = None) -> NoteTimes:
    """Read when the notes of a score are played, those of a pitch in order of time.

    The first annotation of the namespace ``note_midi`` counts. Raises DataError where the file
    cannot be read, has none, or has other notes than the score.
    """
    name, content = os.fspath(path), parsed_json(path)
    every = content.get("annotations") if isinstance(content, dict) else None
    if not isinstance(every, list):
        raise DataError("is no JAMS file: it has no annotations.", path=name)
    found = next(
        (one for one in every if isinstance(one, dict) and one.get("namespace") == "note_midi"),
        None,
    )
    if found is None or not isinstance(found.get("data"), list):
        raise DataError("has no annotation of the namespace note_midi.", path=name)
    rows = [_note(row, number, name) for number, row in enumerate(found["data"], start=1)]
    return notes_by_pitch(rows, notes, name, duration)


def _note(row: Any, number: int, name: str) -> tuple[int, float]:
    """Return pitch and onset of a note, in seconds."""
    values: list[Any] = [row.get(k) if isinstance(row, dict) else None for k in ("value", "time")]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise DataError(f"note {number} has no pitch and time that are numbers.", path=name)
    pitch, time = values
    return round(pitch), float(time)
