"""Scores in MEI, as editors and programs write it.

====================================== =========================================================
in the file                            here
====================================== =========================================================
``dur``, ``dots``, ``tuplet``          lengths; ``dur.ppq`` is not looked at where there is a
and ``tupletSpan``                     ``dur``
``accid.ges``, else ``accid``          the alteration that sounds; in a file without any
                                       ``accid.ges`` also that of the key and of the bar
``oct.ges``, ``trans.semi``            the octave, and the pitch, that sounds
``octave`` (8va)                       in a file without any ``oct.ges``, the octave that sounds
``tie`` elements and attributes        notes are joined
``grace``, ``graceGrp``                grace notes, which take no time
``bTrem``, ``fTrem``                   the notes that are written
``mRest``, ``multiRest``, ``mSpace``   bars of silence
``mRpt``, ``multiRpt``, ``beatRpt``    the bars or the beat before, played again
``midi.bpm`` or ``mm``, ``mm.unit``    a tempo, where ``startid`` or ``tstamp`` says
``rptstart``, ``rptend``, ``rptboth``  repeats, with ``ending``
``repeatMark``, or ``dir`` in words    *da capo*, *dal segno*, *fine* and *coda*
``app``, ``choice``                    the lemma or the first reading; what is regularised or
                                       corrected
cues, percussion clefs, ``ossia``      left out
====================================== =========================================================

Staves go by their number, whatever their order. A bar lasts as long as the longest of its layers,
and no longer than its metre where rests alone would make it so.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import takewhile
from math import prod
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from align.errors import DataError
from align.files.names import StrPath
from align.formats.scores.mei_elements import (
    LENGTHS,
    Tuplets,
    decimal_number,
    label_of,
    metre_of,
    per_minute,
    played,
    played_as,
    sharps_of,
    sharps_of_signature,
    tuplet_ratio,
    tuplet_spans,
    whole_number,
)
from align.formats.scores.musicxml import leap_in_words
from align.formats.scores.note_rows import unlike
from align.formats.scores.spelling import SEMITONES, octaves_higher, sounding_name
from align.formats.scores.ways import Ending, Signs
from align.formats.scores.written import Metre, Span, TiedNote, Ties, Written, counted_bars

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_ALTERS = {
    "s": 1, "ss": 2, "x": 2, "xs": 3, "sx": 3, "ts": 3, "n": 0, "f": -1, "ff": -2, "tf": -3,
    "ns": 1, "nf": -1,
}  # fmt: skip
"""Others are microtones; they count as the nearest semitone, which is that without them."""
_SHARPS = "fcgdaeb"
_LEAPS = frozenset(("segno", "coda", "dacapo", "dalsegno", "tocoda", "fine"))
_GOALS = {"dalsegno": "segno", "tocoda": "coda"}
_OCTAVES = {"8": 1, "15": 2, "22": 3}
_STAMP = re.compile(r"\s*(?:(\d{1,4})m\s*\+\s*)?(\d{1,4}(?:\.\d{1,9})?)\s*")
_MOST_BARS = 10_000  # of one rest


@dataclass
class _Staff:
    """What holds for a staff; `silent` under a clef of percussion, `key` is counted in sharps.

    A quarter has so many `ticks`, 0 where that is not said.
    """

    name: str
    semitones: int = 0
    steps: int = 0
    silent: bool = False
    key: int = 0
    ticks: int = 0


@dataclass
class _Layer:
    """Where a layer has come to, and the notes it has so far."""

    staff: str
    at: Fraction
    rests: Fraction = Fraction(0)  # whole bars of rest at its end
    sounded: Fraction = Fraction(0)  # where its last note ends
    factor: Fraction = Fraction(1)
    grace: bool = False
    spans: dict[str, Fraction] = field(default_factory=dict)  # of tuplets, by their last note
    notes: list[TiedNote] = field(default_factory=list)


def read_mei(data: bytes, path: StrPath) -> Written:
    """Return the score in a file; of several movements one after the other.

    Parameters
    ----------
    data : bytes
        The file, without entities.
    path : path
        For messages.

    Raises
    ------
    DataError
        Where it is no whole XML, has no score, or a note lacks its pitch or its length; the
        message names the bar. Also where elements lie too deep in each other.
    """
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise DataError(
            "is not a whole MEI file; export it again.", path=path, line=error.position[0]
        ) from None
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    scores = [score for body in root.iter("body") for score in body.iter("score")]
    if not scores:
        what = "holds parts" if root.find(".//parts") is not None else "holds no score"
        raise DataError(f"{what}, where MEI has its music in <score>; export it again.", path=path)
    reading = _Reading(root, path)
    try:
        for score in scores:
            reading.read(score)
    except RecursionError:
        raise DataError(
            "has elements that lie a thousand deep in each other; export it again.", path=path
        ) from None
    return reading.written()


class _Reading:
    """Reads one bar after another."""

    def __init__(self, root: Element, path: StrPath) -> None:
        self._path = path
        self._ids = {name: e for e in root.iter() if (name := e.get(_ID)) is not None}
        self._implied = not any(
            e.get("accid.ges") is not None for kind in ("note", "accid") for e in root.iter(kind)
        )
        self._written_octaves = all(e.get("oct.ges") is None for e in root.iter("note"))
        self._tied_by_elements = {
            (tie.get("startid", "").lstrip("#"), tie.get("endid", "").lstrip("#"))
            for tie in root.iter("tie")
        }
        self._ends_of_ties = {end for _, end in self._tied_by_elements}
        self._staves: dict[str, _Staff] = {}
        self._notes: list[TiedNote] = []
        self._ties = Ties()
        self._begins: dict[str, Fraction] = {}  # of elements with an id
        self._by_id: dict[str, TiedNote] = {}
        self._layers: dict[tuple[str, str], list[TiedNote]] = {}
        self._spans: list[Span] = []
        self._metres: list[Metre] = []
        self._metre = (4, 4)
        self._ticks = 0
        self._key = 0
        self._tempi: dict[float, float] = {}
        self._repeats: list[tuple[float, float]] = []
        self._opened = Fraction(0)
        self._endings: list[Ending] = []
        self._leaps: list[tuple[str, float]] = []
        self._octaves: list[tuple[Element, int]] = []  # and the number of their bars, from 0
        self._starts: list[tuple[Fraction, int]] = []  # of bars, and what their beats are
        self._altered: dict[tuple[str, str, str], int] = {}  # in this bar
        self._ended: dict[tuple[str, str, str, Fraction], int] = {}  # by where such notes end
        self._at = Fraction(0)
        self._bar = ""

    def read(self, score: Element) -> None:
        """Read a score, or a section of it."""
        for element in played(score):
            if element.tag in ("scoreDef", "staffDef"):
                self._define(element)
            elif element.tag == "measure":
                self._measure(element)
            elif element.tag == "ending":
                start = self._at
                self.read(element)
                if self._at > start:
                    numbers = element.get("n", "1")
                    self._endings.append(Ending.of(float(start), float(self._at), numbers))
            elif element.tag == "section":
                self.read(element)

    def written(self) -> Written:
        """Return what was read."""
        for start, end in self._tied_by_elements:
            self._join(start, end)
        for mark, bar in self._octaves:
            self._move_octave(mark, bar)
        shown = unlike([staff.name or "part" for staff in self._staves.values()])
        names: dict[Hashable, str] = dict(zip(self._staves, shown, strict=True))
        own = any(note.id for note in self._notes)  # they may well be n1, n2 ...
        notes = []
        for k, note in enumerate(self._notes, 1):
            name = note.id or (f"note{k}" if own else f"n{k}")
            if note.into is None:
                notes.append(note.folded(name, names[note.part]))
        found = {name for name, _ in self._leaps}
        leaps: dict[str, list[float]] = {name: [] for name in _LEAPS}
        for name, at in self._leaps:
            if _GOALS.get(name, name) in found:
                leaps[name].append(at)
        signs = Signs(
            float(self._at),
            self._repeats,
            self._endings,
            da_capo=leaps["dacapo"],
            dal_segno=leaps["dalsegno"],
            segno=leaps["segno"],
            fine=leaps["fine"],
            to_coda=leaps["tocoda"],
            coda=leaps["coda"],
        )
        return Written(notes, counted_bars(self._spans, self._metres), signs, self._tempi)

    # ---- what holds from here on

    def _define(self, element: Element) -> None:
        """Take what a definition of the score or of staves says."""
        metre = next((found for e in element.iter() if (found := metre_of(e))), None)
        if metre is not None:
            self._metre = metre
            self._metres.append(Metre(float(self._at), *metre))
        if (rate := per_minute(element)) is not None:
            self._tempi.setdefault(float(self._at), 60 / rate)
        if element.tag == "scoreDef" and (ticks := decimal_number(element.get("ppq"), 0.0)):
            self._ticks = int(ticks)
            for staff in self._staves.values():
                staff.ticks = self._ticks
        common = sharps_of(element)
        labels = {
            id(staff): label_of(group)
            for group in element.iter("staffGrp")
            for staff in group.findall("staffDef")
        }
        if common is not None:
            self._key = common
            for staff in self._staves.values():
                staff.key = common
        for defined in element.iter("staffDef"):
            number = defined.get("n", "1")
            name = label_of(defined) or labels.get(id(defined), "")
            staff = self._staff(number, name)
            staff.semitones = whole_number(defined.get("trans.semi"), staff.semitones)
            staff.steps = whole_number(defined.get("trans.diat"), staff.steps)
            staff.ticks = int(decimal_number(defined.get("ppq"), staff.ticks))
            clef = defined.find("clef")
            shape = defined.get("clef.shape") or ("" if clef is None else clef.get("shape", ""))
            if shape:
                staff.silent = shape == "perc"
            sharps = sharps_of(defined)
            staff.key = staff.key if sharps is None else sharps

    def _staff(self, number: str, name: str = "") -> _Staff:
        new = _Staff(name, key=self._key, ticks=self._ticks)
        return self._staves.setdefault(number, new)

    def _bar_length(self) -> Fraction:
        return Fraction(4 * self._metre[0], self._metre[1])

    def _wrong(self, what: str) -> DataError:
        return DataError(f"{what} in bar {self._bar or '?'}; correct it.", path=self._path)

    # ---- bars

    def _measure(self, measure: Element) -> None:
        start, self._bar, n_before = self._at, measure.get("n", ""), len(self._notes)
        self._altered.clear()
        self._repeat_sign(measure.get("left", ""), start)
        ends, rests, sounded = [Fraction(0)], [Fraction(0)], start
        length = self._bar_length()
        spans = tuplet_spans(measure)
        for staff in played_as("staff", measure):
            number = staff.get("n", "1")
            self._staff(number)
            for k, layer in enumerate(played_as("layer", staff), 1):
                before = self._layers.setdefault((number, layer.get("n", str(k))), [])
                place = _Layer(number, start, notes=before)
                self._walk(layer, place, spans)
                ends.append(place.at - start)
                if self._metres and not place.sounded:  # a rest for the bar, however it is written
                    ends[-1] = min(ends[-1], length)
                rests.append(place.rests)
                sounded = max(sounded, place.sounded)
        if length in ends and sounded - start <= length:  # rests alone go beyond it
            ends = [length]
        if max(rests) > length:  # of several bars
            ends += rests
        end = start + (max(ends) or max(rests) or length)
        self._spans.append(Span(float(start), float(end), measure.get("n")))
        self._starts.append((start, self._metre[1]))
        for note in self._notes[n_before:]:
            note.closing = note.grace and start < note.start == end
        for mark in played(measure):
            self._mark(mark, start, end)
        self._at = end
        self._repeat_sign(measure.get("right", ""), end)

    def _repeat_sign(self, sign: str, at: Fraction) -> None:
        if sign in ("rptend", "rptboth") and at > self._opened:
            self._repeats.append((float(self._opened), float(at)))
        if sign in ("rptstart", "rptend", "rptboth"):
            self._opened = at

    def _mark(self, mark: Element, start: Fraction, end: Fraction) -> None:
        """Take a tempo, or a sign that leads on: goals begin a bar, leaps end it."""
        if mark.tag == "tempo" and (rate := per_minute(mark)) is not None:
            at = self._place(mark, "startid", "tstamp", len(self._starts) - 1)
            self._tempi.setdefault(float(start if at is None else at), 60 / rate)
        if mark.tag == "octave" and self._written_octaves:
            self._octaves.append((mark, len(self._starts) - 1))
        words = " ".join("".join(mark.itertext()).split())
        name: str | None = None
        if mark.tag == "repeatMark":
            name = mark.get("func", "").lower()
            name = "tocoda" if leap_in_words(words) == "tocoda" else name
        elif mark.tag == "dir":
            kind = mark.get("type", "").lower()
            name = kind if kind in _LEAPS else leap_in_words(words)
        if name in _LEAPS:
            at = start if name in ("segno", "coda") else end
            self._leaps.append((name, float(at)))

    def _place(self, mark: Element, name: str, stamp: str, bar: int) -> Fraction | None:
        """Return the place that a mark of a bar names, by a note or as bars and beats."""
        at = self._begins.get(mark.get(name, "").lstrip("#"))
        found = _STAMP.fullmatch(mark.get(stamp, ""))
        bar += int(found[1] or 0) if found else 0
        if at is not None or not found or bar >= len(self._starts):
            return at
        start, unit = self._starts[bar]
        beats = Fraction(max(float(found[2]) - 1, 0.0)).limit_denominator(64)
        return start + beats * Fraction(4, unit)

    def _move_octave(self, mark: Element, bar: int) -> None:
        """Let the notes under, or over, an octave line sound there."""
        octaves = _OCTAVES.get(mark.get("dis", "8"), 0)
        if mark.get("dis.place") == "below":
            octaves = -octaves
        first = self._place(mark, "startid", "tstamp", bar)
        last = self._place(mark, "endid", "tstamp2", bar)
        if first is None or last is None:
            return
        noted = self._by_id.get(mark.get("startid", "").lstrip("#"))
        staves: list[Hashable] = [*mark.get("staff", "").split()]
        staves = staves or ([noted.part] if noted else [])
        for note in self._notes:
            if note.part in staves and first <= note.start <= last:
                note.pitch += 12 * octaves
                note.name = octaves_higher(note.name, octaves)

    # ---- layers

    def _walk(self, parent: Element, layer: _Layer, spans: Tuplets) -> None:
        """Read what a layer, or a group in it, holds."""
        for element in played(parent):
            tag, name = element.tag, element.get(_ID, "")
            if span := spans.get(name):
                layer.spans[span[0]] = span[1]
            if tag in ("note", "chord"):
                self._sound(element, layer)
            elif tag == "rest" or (tag == "space" and element.get("dur")):
                layer.at += self._lasts(element, layer)
            elif tag in ("mRest", "mSpace"):
                layer.rests += self._bar_length()
            elif tag == "multiRest":
                count = min(max(whole_number(element.get("num"), 1), 1), _MOST_BARS)
                layer.rests += count * self._bar_length()
            elif tag in ("mRpt", "mRpt2", "multiRpt", "halfmRpt", "beatRpt"):
                self._again(element, layer)
            elif tag == "clef":
                self._staves[layer.staff].silent = element.get("shape") == "perc"
            elif tag == "keySig":
                sharps = sharps_of_signature(element.get("sig"))
                staff = self._staves[layer.staff]
                staff.key = staff.key if sharps is None else sharps
            else:
                self._group(element, layer, spans)
            layer.spans.pop(name, None)

    def _group(self, group: Element, layer: _Layer, spans: Tuplets) -> None:
        factor, grace = layer.factor, layer.grace
        if group.tag == "tuplet":
            layer.factor *= tuplet_ratio(group)
        elif group.tag == "fTrem":  # each note is written with the length of both
            layer.factor /= 2
        layer.grace |= group.tag == "graceGrp"
        self._walk(group, layer, spans)
        layer.factor, layer.grace = factor, grace

    def _lasts(self, element: Element, layer: _Layer) -> Fraction:
        """Return the quarters that a note, a chord or a rest lasts."""
        given = element.get("dur") or next(
            (note.get("dur") for note in element.iter("note") if note.get("dur")), None
        )
        source = self._ids.get(element.get("sameas", element.get("copyof", "")).lstrip("#"))
        if given is None and source is not None and source is not element:
            given, element = source.get("dur"), source
        length = LENGTHS.get(given or "")
        ticks = decimal_number(element.get("dur.ppq"), 0.0)
        if given is None and ticks and (of_quarter := self._staves[layer.staff].ticks) > 0:
            return Fraction(ticks) / of_quarter
        if length is None:
            what = "has no length" if given is None else f"has the length {given!r}"
            raise self._wrong(f"a {element.tag} {what}")
        dots = min(whole_number(element.get("dots"), len(element.findall("dot"))), 4)
        length *= (2 - Fraction(1, 2) ** max(dots, 0)) * layer.factor
        return length * prod(layer.spans.values())

    def _sound(self, element: Element, layer: _Layer) -> None:
        grace = layer.grace or element.get("grace") is not None
        length = Fraction(0) if grace else self._lasts(element, layer)
        if name := element.get(_ID):
            self._begins.setdefault(name, layer.at)
        notes = [element] if element.tag == "note" else list(played_as("note", element))
        for note in notes:
            silent = self._staves[layer.staff].silent or "true" in (
                note.get("cue"), element.get("cue"),
            )  # fmt: skip
            if not silent:
                tie = note.get("tie") or element.get("tie") or ""
                self._note(note, layer, length, grace or note.get("grace") is not None, tie)
        layer.at += length
        layer.sounded = layer.at

    def _note(
        self, element: Element, layer: _Layer, length: Fraction, grace: bool, tie: str
    ) -> None:
        name = element.get(_ID, "")
        source = self._ids.get(element.get("sameas", element.get("copyof", "")).lstrip("#"))
        if element.get("pname") is None and source is not None:
            element = source
        step, octave = (element.get("pname") or "").lower(), element.get("oct", "")
        if step.upper() not in SEMITONES or not re.fullmatch(r"-?\d", octave):
            raise self._wrong("a note has no pitch")
        staff = self._staves[layer.staff]
        held, goes_on = re.search("[mt]", tie), re.search("[im]", tie)
        place = layer.staff, step, octave
        tied = self._ended.get((*place, layer.at)) if held or name in self._ends_of_ties else None
        alter = self._alter(element, place, staff.key, tied)
        self._ended[*place, layer.at + length] = alter
        sounding = whole_number(element.get("oct.ges"), int(octave))
        written = 12 * (sounding + 1) + SEMITONES[step.upper()] + alter
        pitch = written + staff.semitones
        spelled = sounding_name(step.upper(), alter, staff.semitones, staff.steps, pitch)
        note = TiedNote(layer.at, layer.at + length, pitch, spelled, grace, layer.staff, name)
        if name:
            self._begins.setdefault(name, layer.at)
        sounds = self._ties.joined(note, held=bool(held), goes_on=bool(goes_on))
        if sounds is note:
            self._add(note, layer)
        if name:
            self._by_id[name] = sounds

    def _alter(
        self, element: Element, place: tuple[str, str, str], key: int, tied: int | None
    ) -> int:
        """Return by how many semitones a note is raised, one that is `tied` as that before it."""
        step = place[1]
        signs = [element, *played_as("accid", element)]
        for kind in ("accid.ges", "accid"):
            found = next((each for e in signs if (each := e.get(kind)) is not None), None)
            if found is not None:
                alter = _ALTERS.get(found, 0)
                self._altered[place] = alter
                return alter
        if not self._implied:
            return 0
        if tied is not None:  # also over a bar line
            return tied
        flats, sharps = _SHARPS[7 + key :] if key < 0 else "", _SHARPS[: max(key, 0)]
        return self._altered.get(place, (step in sharps) - (step in flats))

    def _again(self, element: Element, layer: _Layer) -> None:
        """Play once more what this layer had before."""
        count = {"mRpt2": 2, "multiRpt": whole_number(element.get("num"), 2)}.get(element.tag, 1)
        length = self._bar_length() * min(max(count, 1), 8)
        if element.tag == "halfmRpt":
            length /= 2
        elif element.tag == "beatRpt":
            length = Fraction(4, self._metre[1])
        again = takewhile(lambda note: note.start >= layer.at - length, reversed(layer.notes))
        for note in reversed(list(again)):
            moved = replace(note, start=note.start + length, end=note.end + length, id="")
            self._add(moved, layer)
        layer.at += length
        layer.sounded = layer.at

    def _add(self, note: TiedNote, layer: _Layer) -> None:
        self._notes.append(note)
        layer.notes.append(note)

    def _join(self, start: str, end: str) -> None:
        """Join two notes that a tie names."""
        one, other = (self._whole_note(name) for name in (start, end))
        if one is None or other is None or one is other:
            return
        if one.pitch == other.pitch and one.end == other.start:
            one.end, other.into = other.end, one

    def _whole_note(self, name: str) -> TiedNote | None:
        note = self._by_id.get(name)
        while note is not None and note.into is not None:
            note = note.into
        return note
