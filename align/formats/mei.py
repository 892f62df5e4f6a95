"""What partitura leaves out of MEI: tempo, transposition, leaps, ties and octaves of notes.

====================================== =========================================================
in the file                            here
====================================== =========================================================
``midi.bpm`` or ``mm``, ``mm.unit``    a tempo, where ``startid`` or ``tstamp`` says
``staffDef`` with ``trans.semi``       the staff sounds so many semitones higher
``oct.ges`` (8va)                      the octave that sounds
``tie`` of notes and chords (i, m, t)  notes are joined, as by ``tie`` elements
``repeatMark``, or ``dir`` in words    *da capo*, *dal segno*, *fine* and *coda*
====================================== =========================================================
"""

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from align.formats.musicxml import leap_in_words

__all__ = ["mend_mei"]

_LEAPS = {
    "segno": "Segno",
    "coda": "Coda",
    "dacapo": "DaCapo",
    "dalsegno": "DalSegno",
    "tocoda": "ToCoda",
    "fine": "Fine",
}
"""Classes of partitura."""
_READ = ("fine", "dacapo")  # types of ``dir`` that partitura reads
_ID = "{http://www.w3.org/XML/1998/namespace}id"


def mend_mei(data: bytes, parts: Sequence[Any], score: Any) -> None:
    """Add to the parts of a score what the file says and partitura did not read.

    Parameters
    ----------
    data : bytes
        The file.
    parts : sequence of partitura.score.Part
        What partitura read, a part for each staff in the order of the file; they are changed.
    score : module
        ``partitura.score``.
    """
    root = ElementTree.fromstring(data)
    for element in root.iter():  # one namespace, and not always the same
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    notes = {
        note.id: note
        for part in parts
        for note in part.iter_all(score.Note, include_subclasses=True)
    }
    first = root.find(".//scoreDef")
    staves = [] if first is None else first.iter("staffDef")
    for part, staff in zip(parts, staves, strict=False):
        if semitones := _whole(staff.get("trans.semi")):
            moved = score.Transposition(_whole(staff.get("trans.diat")), semitones)
            part.add(moved, part.first_point.t)
    for element in root.iter("note"):
        note = notes.get(element.get(_ID))
        if note is not None and (octave := element.get("oct.ges")):
            note.octave = int(octave)
    _tie(root, notes)
    if parts:
        _set_tempi(root, parts[0], notes, score)
        _add_leaps(root, parts[0], score)


def _tie(root: Element, notes: dict[str, Any]) -> None:
    """Join the notes of a staff that are tied by attributes."""
    open_ties: dict[tuple[str, str, str], Any] = {}
    for staff in root.iter("staff"):
        in_chords = {
            id(note): chord.get("tie", "")
            for chord in staff.iter("chord")
            for note in chord.iter("note")
        }
        for element in staff.iter("note"):
            note = notes.get(element.get(_ID, ""))
            tie = element.get("tie") or in_chords.get(id(element), "")
            key = (staff.get("n", ""), element.get("pname", ""), element.get("oct", ""))
            if note is None or not tie:
                continue
            if ("m" in tie or "t" in tie) and (before := open_ties.pop(key, None)) is not None:
                before.tie_next, note.tie_prev = note, before
            if "i" in tie or "m" in tie:
                open_ties[key] = note


def _set_tempi(root: Element, part: Any, notes: dict[str, Any], score: Any) -> None:
    def add(element: Element, at: int) -> None:
        if (rate := _per_minute(element)) is not None:
            part.add(score.Tempo(rate), at)

    measures = sorted(part.iter_all(score.Measure), key=lambda measure: measure.start.t)
    if (first := root.find(".//scoreDef")) is not None:
        add(first, part.first_point.t)
    for element, measure in zip(root.iter("measure"), measures, strict=False):
        for tempo in element.iter("tempo"):
            note = notes.get(tempo.get("startid", "").lstrip("#"))
            beats = float(tempo.get("tstamp", 1)) - 1
            at = part.beat_map(measure.start.t) + max(beats, 0.0)
            add(tempo, note.start.t if note is not None else round(float(part.inv_beat_map(at))))


def _add_leaps(root: Element, part: Any, score: Any) -> None:
    """Add the signs that lead through a score: goals where a bar begins, leaps where it ends."""
    measures = sorted(part.iter_all(score.Measure), key=lambda measure: measure.start.t)
    found = []
    for element, measure in zip(root.iter("measure"), measures, strict=False):
        for mark in element:
            words = "".join(mark.itertext()).strip()
            name: str | None = None
            if mark.tag == "repeatMark":
                name = mark.get("func", "").lower()
                name = "tocoda" if leap_in_words(words) == "tocoda" else name
            elif mark.tag == "dir" and mark.get("type") not in _READ:
                name = leap_in_words(words)
            if name in _LEAPS:
                at = measure.start.t if name in ("segno", "coda") else measure.end.t
                found.append((name, at))
    names = {name for name, _ in found}
    for name, at in found:
        goal = {"dalsegno": "segno", "tocoda": "coda"}.get(name, name)
        if goal in names:
            part.add(getattr(score, _LEAPS[name])(), at)


def _per_minute(element: Element) -> float | None:
    """Return the quarters in a minute that an element says."""
    if rate := element.get("midi.bpm"):
        return float(rate)
    rate, unit = element.get("mm"), element.get("mm.unit", "4")
    if not rate or not re.fullmatch(r"\d{1,4}(\.\d+)?", rate) or not re.fullmatch(r"\d+", unit):
        return None
    dotted = 2 - 0.5 ** (_whole(element.get("mm.dots")) or 0)
    return float(rate) * 4 / int(unit) * dotted


def _whole(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,3}", text) else None
