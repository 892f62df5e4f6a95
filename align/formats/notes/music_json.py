"""Aligned notes as JSON, ``.json``: everything an alignment knows, times in seconds and exact.

::

    {"kind": "music", "audio": "minuet.flac", "rate": 22050, "duration": 21.4, "end": 20.9,
     "score_file": "score.mid", "repeats": "", "score": 812.4, "match": 0.71, "warnings": [],
     "transposition": 0, "tuning": 440.6, "model": "piano",
     "passages": [{"start": 0.5, "end": 9.5, "score_start": 10.0, "score_end": 20.0,
                   "bars": [6, 11]}, ...],
     "mismatches": [{"kind": "unplayed", "start": 3.1, "end": 3.6, "words": ["C4"],
                     "probability": 0.95, "notes": ["n7"], "bars": [7, 7]}, ...],
     "notes": [{"id": "n0", "pitch": 74, "name": "D5", "score_onset": 0.0, "score_duration": 0.5,
                "onset": 0.52, "offset": 1.05, "chord": 0, "confidence": 0.98,
                "unplayed": 0.01, "measured_offset": 1.05, "offset_confidence": 0.9}, ...],
     "chords": [{"score_onset": 0.0, "onset": 0.52}, ...],
     "beats": [{"score_time": 0.0, "time": 0.52, "bar": 1, "beat": 1.0, "unit": 4}, ...]}

``beats``, and the ``bars`` of a passage, are there where the score says its bars. The ``time`` of
a beat, by the time map, is not read. There are no ``passages`` where all of the score is played
once, and there is no ``model`` where one was named. ``unplayed`` is the probability that a note
was not played, where the model knows it. Where the ends of notes were looked for,
``measured_offset`` is the end that was found, null where that is not known; ``offset`` is the
same, or where the score puts the end. Only the former is read.
"""

import json
import os
from dataclasses import asdict
from typing import Any

import numpy as np

from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.text import read_text
from align.formats.documents.parsing import number_in, parsed_json
from align.formats.documents.writing import json_text, writer
from align.formats.notes.aligned import NoteTimes, TimedNotes
from align.formats.scores.beats import Beats
from align.types import Float64, IntArray, Mismatch, Note, PlayedPassage, named_pitch


def format_music_json(alignment: TimedNotes) -> str:
    """Return an alignment as JSON text; it reads back exactly."""
    notes = []
    offsets = alignment.offsets
    for k, note in enumerate(alignment.notes):
        entry: dict[str, Any] = {
            "id": alignment.note_ids[k],
            "pitch": note.pitch,
            "name": note.name,
            "score_onset": float(note.onset),
            "score_duration": float(alignment.durations[k]),
            "onset": float(alignment.onsets[k]),
            "offset": float(offsets[k]),
            "chord": int(alignment.chord_of[k]),
        }
        if note.part:
            entry["part"] = note.part
        if alignment.confidence is not None:
            entry["confidence"] = float(alignment.confidence[k])
        if alignment.unplayed is not None:
            entry["unplayed"] = float(alignment.unplayed[k])
        if alignment.measured_offsets is not None:
            end = float(alignment.measured_offsets[k])
            entry["measured_offset"] = end if np.isfinite(end) else None
        if alignment.offset_confidence is not None:
            entry["offset_confidence"] = float(alignment.offset_confidence[k])
        notes.append(entry)
    chords = zip(
        alignment.chord_score_onsets.tolist(), alignment.chord_onsets.tolist(), strict=True
    )
    content = {
        "kind": "music",
        "audio": alignment.audio,
        "rate": alignment.rate,
        "duration": alignment.duration,
        "end": alignment.end,
        "score_file": alignment.score_file,
        "repeats": alignment.repeats,
        "score": alignment.score,
        "match": alignment.match,
        "warnings": list(alignment.warnings),
        "transposition": alignment.transposition,
        "tuning": alignment.tuning,
        **({"model": alignment.model} if alignment.model else {}),
        "passages": [_entry(passage) for passage in alignment.passages],
        "mismatches": [_entry(mismatch) for mismatch in alignment.mismatches],
        "notes": notes,
        "chords": [{"score_onset": scored, "onset": played} for scored, played in chords],
    }
    if alignment.beats is not None:
        content["beats"] = _beat_entries(alignment, alignment.beats)
    return json_text(content)


def _entry(row: Any) -> dict[str, Any]:
    """Return a row of a result, without what is not known."""
    return {key: value for key, value in asdict(row).items() if value not in (None, "")}


def _beat_entries(alignment: TimedNotes, beats: Beats) -> list[dict[str, Any]]:
    times = alignment.to_performed(beats.times)
    columns = (beats.times, times, beats.bars, beats.numbers, beats.units)
    return [
        {"score_time": scored, "time": time, "bar": bar, "beat": number, "unit": unit}
        for scored, time, bar, number, unit in zip(*map(np.ndarray.tolist, columns), strict=True)
    ]


write_music_json = writer(format_music_json)


def is_music_json(path: StrPath) -> bool:
    """Whether a file is JSON that says it holds music."""
    try:
        content = json.loads(read_text(path))
    except (DataError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("kind") == "music"


def read_music_json(path: StrPath, *, duration: float | None = None) -> NoteTimes:
    """Read aligned notes that Align wrote, and that a person may have corrected.

    `duration`, of the recording in seconds, is by default the file's own. Raises DataError if the
    file has another shape or its times cannot be right.
    """
    name = os.fspath(path)
    content = parsed_json(path)
    notes = content.get("notes") if isinstance(content, dict) else None
    if not isinstance(notes, list) or not notes:
        raise DataError('is not an alignment of music: it has no list "notes".', path=name)
    table = {
        key: np.array([number_in(note, key, f"note {k}", name) for k, note in enumerate(notes, 1)])
        for key in ("pitch", "score_onset", "score_duration", "onset", "chord")
    }
    chord_of = table["chord"].astype(np.intp)
    scored, played = _chords(content, chord_of, table["score_onset"], name)
    confidence, unplayed, sure = (
        np.array([number_in(note, key, "a note", name) for note in notes])
        if all(key in note for note in notes)
        else None
        for key in ("confidence", "unplayed", "offset_confidence")
    )
    measured = None
    if all("measured_offset" in note for note in notes):
        ends = [_optional(note, "measured_offset", name) for note in notes]
        measured = np.array(ends, dtype=np.float64)  # None becomes NaN
    return NoteTimes(
        tuple(
            Note(
                pitch,
                onset,
                str(note.get("name")) if named_pitch(str(note.get("name"))) == pitch else "",
                str(note.get("part", "")),
            )
            for pitch, onset, note in zip(
                table["pitch"].astype(np.intp).tolist(),
                table["score_onset"].tolist(),
                notes,
                strict=True,
            )
        ),
        table["onset"],
        table["score_duration"],
        tuple(str(note.get("id", f"n{k}")) for k, note in enumerate(notes)),
        chord_of,
        scored,
        name,
        _optional(content, "duration", name) if duration is None else duration,
        _optional(content, "end", name),
        confidence,
        _optional(content, "score", name),
        _text(content, "audio", name),
        _whole(content, name),
        played,
        _optional(content, "match", name),
        tuple(map(str, content.get("warnings") or ())),
        _text(content, "score_file", name),
        _text(content, "repeats", name) or "",
        None if content.get("beats") is None else _beats(_list(content, "beats", name), name),
        tuple(_passage(entry, name) for entry in _list(content, "passages", name)),
        int(_optional(content, "transposition", name) or 0),
        _optional(content, "tuning", name),
        unplayed,
        tuple(_mismatch(entry, name) for entry in _list(content, "mismatches", name)),
        measured,
        sure,
        _text(content, "model", name) or "",
    )


def _list(content: dict[str, Any], key: str, path: str) -> list[Any]:
    entries = content.get(key, [])
    if not isinstance(entries, list):
        raise DataError(f'"{key}" must be a list.', path=path)
    return entries


def _passage(entry: Any, path: str) -> PlayedPassage:
    start, end, score_start, score_end = (
        number_in(entry, key, "a passage", path)
        for key in ("start", "end", "score_start", "score_end")
    )
    return PlayedPassage(start, end, score_start, score_end, _bars(entry, path))


def _mismatch(entry: Any, path: str) -> Mismatch:
    start, end, probability = (
        number_in(entry, key, "a mismatch", path) for key in ("start", "end", "probability")
    )
    words, notes = (tuple(map(str, _list(entry, key, path))) for key in ("words", "notes"))
    kind = _text(entry, "kind", path) or ""
    return Mismatch(kind, start, end, words, probability, "", notes, _bars(entry, path))


def _bars(entry: dict[str, Any], path: str) -> tuple[int, int] | None:
    bars = entry.get("bars")
    if bars is None:
        return None
    if not isinstance(bars, list) or len(bars) != 2 or not all(type(n) is int for n in bars):
        raise DataError(f'"bars" is {bars!r}, must be two whole numbers.', path=path)
    return bars[0], bars[1]


def _beats(entries: list[Any], path: str) -> Beats:
    times, bars, numbers = (
        np.array([number_in(entry, key, "a beat", path) for entry in entries])
        for key in ("score_time", "bar", "beat")
    )
    # files of earlier versions do not say the unit
    units = [number_in({"unit": 4} | entry, "unit", "a beat", path) for entry in entries]
    try:
        return Beats(times, bars.astype(np.intp), numbers, np.array(units, dtype=np.intp))
    except ParameterError as error:
        raise DataError(str(error), path=path) from None


def _chords(
    content: dict[str, Any], chord_of: IntArray, score_onsets: Float64, path: str
) -> tuple[Float64, Float64 | None]:
    """Return when each chord stands in the score, and when it is played where the file says it."""
    if chord_of[0] != 0 or not np.isin(np.diff(chord_of), (0, 1)).all():
        raise DataError(
            '"chord" of the notes must count from 0, each equal to the one before or one more.',
            path=path,
        )
    chords = _list(content, "chords", path)
    if not chords:
        return np.bincount(chord_of, score_onsets) / np.bincount(chord_of), None
    played, scored = (
        np.array([number_in(chord, key, "a chord", path) for chord in chords])
        for key in ("onset", "score_onset")
    )
    if len(chords) != chord_of[-1] + 1:
        raise DataError(
            f'"chords" has {len(chords)} items, must have one for each of the {chord_of[-1] + 1} '
            "chords of the notes.",
            path=path,
        )
    return scored, played


def _optional(content: dict[str, Any], key: str, path: str) -> float | None:
    return None if content.get(key) is None else number_in(content, key, "the alignment", path)


def _whole(content: dict[str, Any], path: str) -> int | None:
    value = _optional(content, "rate", path)
    return None if value is None else int(value)


def _text(content: dict[str, Any], key: str, path: str) -> str | None:
    value = content.get(key)
    if value is None or isinstance(value, str):
        return value
    raise DataError(f'"{key}" is {value!r}, must be a name.', path=path)
