"""Confidences and matches in label files, and in what a run has kept beside them.

The readers of labels leave them out, since hands may have moved the times; a page shows them, of
those boundaries that are where they were. What a format cannot hold, as a TextGrid, is in the file
that `align corpus` keeps of each result, see `align.files.kept`.
"""

import json
from dataclasses import replace
from typing import Any

import numpy as np

from align.files.kept import kept_of
from align.files.names import suffix_of
from align.files.text import parse_number, read_text
from align.formats.documents.tables import table_rows
from align.formats.tiers.label_table import table_columns
from align.formats.tiers.tier import Tier
from align.results.music import MusicAlignment
from align.results.timing import Timing
from align.types import Mismatch

_CHECK = "check"  # the tier of `align.speech.text.tiers`


def label_confidence(path: str, alignment: Timing) -> tuple[float | None, ...]:
    """Confidence of each label of a JSON file or table; None where there is none."""
    path = _knowing(path)
    suffix = suffix_of(path)
    told: dict[int, float] = {}
    if suffix == ".json":
        for one in _speakers(path):
            for event in one.get("events", ()):
                _tell(told, event["start"], event.get("confidence"))
    elif suffix in (".csv", ".tsv"):
        rows = table_rows(read_text(path), path)
        names = [cell.strip().lower() for cell in rows[0][1]]
        if "confidence" in names:
            start, sure = table_columns(rows[0][1], path)[0]["start"], names.index("confidence")
            for line, cells in rows[1:]:
                time = parse_number(cells[start], "start", path, line)
                _tell(told, time, cells[sure] if sure < len(cells) else None)
    return tuple(told.get(_micro(t)) for t in alignment.onsets.tolist())


def with_confidence(path: str, alignment: Timing) -> Timing:
    """Return an alignment that was read with what its file says of its confidence; else as it is.

    What the file does not say, since a person has moved it, counts as sure.
    """
    tell = note_confidence if isinstance(alignment, MusicAlignment) else label_confidence
    told = tell(path, alignment)
    if alignment.confidence is not None or all(value is None for value in told):
        return alignment
    sure = np.array([1.0 if value is None else value for value in told])
    return replace(alignment, confidence=sure)


def label_match(path: str) -> tuple[float | None, tuple[str, ...]]:
    """Match of the recording of a JSON file, where it has one, and warnings.

    Of several speakers the match is the lowest one, and warnings are those of all.
    """
    path = _knowing(path)
    if suffix_of(path) != ".json":
        return None, ()
    known: list[float] = []
    warnings: dict[str, None] = {}
    for one in _speakers(path):
        if (match := _share(one.get("match"))) is not None:
            known.append(match)
        texts = one.get("warnings")
        warnings.update(dict.fromkeys(map(str, texts) if isinstance(texts, list) else ()))
    return min(known, default=None), tuple(warnings)


def _speakers(path: str) -> list[dict[str, Any]]:
    """Return what a JSON file knows of each speaker; of one, it is the file."""
    content = json.loads(read_text(path))
    speakers = content.get("speakers")
    if not isinstance(speakers, dict):
        return [content]
    return [one for one in speakers.values() if isinstance(one, dict)]


def note_confidence(path: str, notes: Any) -> tuple[float | None, ...]:
    """Confidence of each note; a table has it by the id of the note."""
    if notes.confidence is not None:
        return tuple(notes.confidence.tolist())
    if not path.lower().endswith((".csv", ".tsv")):
        return (None,) * len(notes)
    rows = table_rows(read_text(path), path)
    names = [cell.strip().lower() for cell in rows[0][1]]
    if "confidence" not in names or "id" not in names:
        return (None,) * len(notes)
    sure, called = names.index("confidence"), names.index("id")
    told = {
        cells[called].strip(): value
        for _, cells in rows[1:]
        if max(sure, called) < len(cells) and (value := _share(cells[sure])) is not None
    }
    return tuple(told.get(name) for name in notes.note_ids)


def mismatches_of(path: str, tier: Tier) -> list[Mismatch]:
    """Return where text and recording disagree, as a tier ``check`` of a label file says.

    The probability is NaN where the file does not tell it, as a TextGrid cannot.
    """
    if tier.name != _CHECK or tier.kind != "interval":
        return []
    told: dict[int, float] = {}
    if path.lower().endswith(".json"):
        for one in json.loads(read_text(path)).get("tiers", ()):
            if isinstance(one, dict) and one.get("name") == _CHECK:
                for event in one.get("events", ()):
                    _tell(told, event["start"], event.get("confidence"))
    found = []
    for label, (start, end) in zip(tier.labels, tier.times, strict=True):
        kind, _, words = label.partition(": ")
        if kind in ("unspoken", "untranscribed", "misplaced"):
            sure = told.get(_micro(start), float("nan"))
            found.append(Mismatch(kind, start, end, tuple(words.split()), sure))
    return found


def _knowing(path: str) -> str:
    """Return the file that knows how sure the labels of a file are; itself, if there is none."""
    if suffix_of(path) in (".json", ".csv", ".tsv"):
        return path
    return kept_of(path) or path


def _tell(told: dict[int, float], time: float, value: Any) -> None:
    share = _share(value)
    if share is not None:
        told[_micro(time)] = share


def _micro(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _share(value: Any) -> float | None:
    """Return a number in [0, 1], or None for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1 else None
