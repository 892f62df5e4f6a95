"""MusicXML made plain: what its readers pass over, said in the words that they know.

Programs write one thing in several ways, and partitura knows one of them. So before it reads a
file

* notes of a *cue* are taken out: they are silent, and show what somebody else plays; so are
  those under a percussion clef, whose pitch is a place on the page;
* a bar that is a sign to play the bars before it again has their notes;
* whole octaves of transposing instruments (double bass, guitar, piccolo) are counted in semitones;
* a bar that one part leaves empty, or fills less than the others, lasts as long as theirs, and
  so does one whose rests are longer; rests alone make no bar longer than its metre;
* leaps (*da capo*, *dal segno*, *coda*, *fine*) are found wherever they are written: in a
  ``sound`` of its own, with any name of the sign, or, where none is for playing, in words;
* a tie ends at the next note of its pitch, also where that does not say so; where two voices
  hold one pitch, one of them goes on;
* a metronome mark sets the tempo where no ``sound`` does, and 3+2/8 is 5/8;
* fractions of divisions become whole ones, and alterations whole semitones.

How things look is left out. The parts themselves are joined by
`align.formats.scores.score_partitura`.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

_LEAPS = {
    "dacapo": "yes",
    "fine": "yes",
    "segno": "segno",
    "dalsegno": "segno",
    "coda": "coda",
    "tocoda": "coda",
}
"""What partitura knows of the attributes of ``sound`` that leap."""
_UNHEARD = frozenset(
    "beam direction-type dot figured-bass harmony lyric notations print stem type".split()
) | {"time-modification"}
"""What says nothing of when notes begin and end, and takes time to read."""
_WORDS = (
    ("dacapo", re.compile(r"\s*(d\.? ?c\.?|da capo)(?![a-z])", re.I)),
    ("dalsegno", re.compile(r"\s*(d\.? ?s\.?|dal segno)(?![a-z])", re.I)),
    ("tocoda", re.compile(r"\s*(to|al) coda\b", re.I)),
    ("fine", re.compile(r"\s*fine\W*$", re.I)),
)
_ACCIDENTALS = {"flat-flat": "double-flat", "sharp-sharp": "double-sharp"} | {
    name: name for name in ("sharp", "natural", "flat", "double-sharp", "double-flat")
}
"""What partitura goes by where a pitch has no alteration, and what it calls it."""
_MOST_PARTS = 1_000_000  # of a division
_PITCH = ("step", "alter", "octave")
_TIMED = ("note", "backup", "forward")
_SCORES = (".musicxml", ".xml")
_UNITS = {
    "breve": Fraction(8), "whole": Fraction(4), "half": Fraction(2), "quarter": Fraction(1),
    "eighth": Fraction(1, 2), "16th": Fraction(1, 4), "32nd": Fraction(1, 8),
}  # fmt: skip


def plain_musicxml(data: bytes) -> bytes:
    """Return a score as it is to be read; what is no whole XML comes back as it is.

    Parameters
    ----------
    data : bytes
        A ``score-partwise`` or ``score-timewise``, without entities.
    """
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError):
        return data  # its reader says what is wrong with it
    if root.tag == "score-timewise":
        _put_part_by_part(root)
    _count_whole_divisions(root)
    _round_pitches(root)
    _leave_out_empty_parts(root)
    for part in root.findall("part"):
        _put_signs_beside_bar_lines(part)
        _silence_percussion(part)
        _repeat_bars(part)
    for measure in root.iter("measure"):
        _silence_cues(measure)
        for place, sound in enumerate(list(measure)):
            if sound.tag == "sound":
                measure[place] = direction = Element("direction")
                direction.append(sound)
    for transpose in root.iter("transpose"):
        _count_octaves(transpose)
    for beats in root.iter("beats"):
        if re.fullmatch(r"\s*\d{1,2}(\s*\+\s*\d{1,2})+\s*", beats.text or ""):
            beats.text = str(sum(map(int, (beats.text or "").split("+"))))
    _name_leaps(root)
    for direction in root.iter("direction"):
        _set_tempo(direction)
    _fill_bars(root)
    _count_whole_divisions(root)
    for part in root.findall("part"):
        _end_ties(part)
    for parent in root.iter():
        for element in [child for child in parent if child.tag in _UNHEARD]:
            parent.remove(element)
    plain: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return plain


def many_times(data: bytes) -> list[tuple[int, int]]:
    """Return which bars end what is played more than twice, counted from 0, and how often.

    Parameters
    ----------
    data : bytes
        A score, as `plain_musicxml` returns it.
    """
    if b"times=" not in data:
        return []
    for part in ElementTree.fromstring(data).findall("part"):
        found = [
            (place, int(_number(repeat.get("times"))))
            for place, measure in enumerate(part.findall("measure"))
            for repeat in measure.findall("barline/repeat[@direction='backward']")
            if _number(repeat.get("times")) > 2
        ]
        if found:
            return found
    return []


def notes_of_bars(data: bytes) -> list[list[int]]:
    """Return how many notes and rests of each part stand before the end of each bar.

    Parameters
    ----------
    data : bytes
        A score, as `plain_musicxml` returns it. Nothing is returned where it has no grace notes.
    """
    if b"<grace" not in data:
        return []
    return [
        list(accumulate(len(bar.findall("note")) for bar in part.findall("measure")))
        for part in ElementTree.fromstring(data).findall("part")
    ]


def leap_in_words(words: str) -> str | None:
    """Return what words lead to, by the names that MusicXML has for it.

    Examples
    --------
    >>> leap_in_words("D.S. al Coda"), leap_in_words("To Coda"), leap_in_words("Discreetly")
    ('dalsegno', 'tocoda', None)
    """
    return next((name for name, pattern in _WORDS if pattern.match(words)), None)


def score_of_mxl(data: bytes) -> bytes:
    """Return the score in a compressed file: the first that its container names, or has."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(_SCORES)]
        if "META-INF/container.xml" not in archive.namelist() and names:
            return archive.read(names[0])
        container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
        files = [e for e in container.iter() if e.tag.rpartition("}")[2] == "rootfile"]
        paths = [file.attrib["full-path"] for file in files]  # pictures of it may stand there, too
        for path in [*(p for p in paths if p.lower().endswith(_SCORES)), *paths]:
            return archive.read(path)
    raise ValueError("its container names no score")


def _leave_out_empty_parts(root: Element) -> None:
    """Take out parts without a bar, in the list of parts, too."""
    empty = [part for part in root.findall("part") if part.find("measure") is None]
    names = {part.get("id") for part in empty}
    for part in empty:
        root.remove(part)
    for listed in root.findall("part-list"):
        for entry in listed.findall("score-part"):
            if entry.get("id") in names:
                listed.remove(entry)


def _count_whole_divisions(root: Element) -> None:
    """Make divisions of a quarter so short that each length is a whole number of them."""
    lengths = [each for tag in ("duration", "divisions", "offset") for each in root.iter(tag)]
    shares = {number.denominator for each in lengths if (number := _number(each.text))}
    scale = min(lcm(*shares), _MOST_PARTS)
    if scale > 1:
        for each in lengths:
            each.text = str(round(_number(each.text) * scale))


def _round_pitches(root: Element) -> None:
    """Count alterations in whole semitones."""
    for tag in ("alter", "chromatic", "diatonic"):
        for each in root.iter(tag):
            each.text = str(round(_number(each.text)))
    for note in root.iter("note"):
        if (accidental := note.find("accidental")) is not None:
            name = _ACCIDENTALS.get((accidental.text or "").strip())
            if name is None or note.find("pitch/alter") is not None:
                note.remove(accidental)
            accidental.text = name


def _put_signs_beside_bar_lines(part: Element) -> None:
    """Say a *segno* or a coda at a bar line as one that stands in the bar it begins."""
    bars = part.findall("measure")
    for place, measure in enumerate(bars):
        for line in measure.findall("barline"):
            left = line.get("location") == "left"
            goal = measure if left else bars[min(place + 1, len(bars) - 1)]
            for name in ("segno", "coda"):
                if line.find(name) is not None and (left or goal is not measure):
                    direction = Element("direction")
                    SubElement(SubElement(direction, "direction-type"), name)
                    goal.insert(0, direction)


def _put_part_by_part(root: Element) -> None:
    """Make a ``score-partwise`` of bars that hold parts."""
    root.tag = "score-partwise"
    parts: dict[str, Element] = {}
    for measure in root.findall("measure"):
        root.remove(measure)
        for bar in measure.findall("part"):
            name = bar.get("id", "")
            if name not in parts:
                parts[name] = SubElement(root, "part", {"id": name})
            bar.tag, bar.attrib = "measure", dict(measure.attrib)
            parts[name].append(bar)


def _silence_percussion(part: Element) -> None:
    """Take out notes under a percussion clef; time goes on."""
    silent: set[str] = set()  # staves
    for measure in part.findall("measure"):
        for element in list(measure):
            for clef in element.findall("clef"):
                change = silent.add if clef.findtext("sign") == "percussion" else silent.discard
                change(clef.get("number", "1"))
            unpitched = element.find("unpitched") is not None
            if unpitched or (
                element.tag == "note" and (element.findtext("staff") or "1") in silent
            ):
                _take_out(element, measure)


def _repeat_bars(part: Element) -> None:
    """Write out bars that are a sign to play the one, two or four before them again."""
    bars, size = part.findall("measure"), 0
    for number, measure in enumerate(bars):
        for sign in measure.findall("attributes/measure-style/measure-repeat"):
            size = int(_number(sign.text) or 1) if sign.get("type") == "start" else 0
        source = number - size
        if size and source >= 0 and measure.find("note/pitch") is None:
            for element in [each for each in measure if each.tag in _TIMED]:
                measure.remove(element)
            for element in bars[source]:
                if element.tag in _TIMED:
                    measure.append(deepcopy(element))
                    measure[-1].attrib.pop("id", None)


def _silence_cues(measure: Element) -> None:
    """Take out the notes of cues; time goes on."""
    for note in measure.findall("note"):
        if note.find("cue") is not None:
            _take_out(note, measure)


def _take_out(note: Element, measure: Element) -> None:
    place = list(measure).index(note)
    measure.remove(note)
    duration = note.find("duration")
    if duration is not None and note.find("chord") is None:
        forward = Element("forward")
        forward.append(duration)
        measure.insert(place, forward)


def _count_octaves(transpose: Element) -> None:
    octaves = _number(transpose.findtext("octave-change"))
    if not octaves:
        return
    for tag, count in (("chromatic", 12), ("diatonic", 7)):
        element = transpose.find(tag)
        if element is None:
            element = SubElement(transpose, tag)
        element.text = str(int(_number(element.text)) + count * int(octaves))


def _name_leaps(root: Element) -> None:
    """Call each leap what partitura calls it; where none is for playing, go by signs and words."""
    said = set()
    for sound in root.iter("sound"):
        for name in _LEAPS.keys() & sound.attrib.keys():
            if sound.attrib.pop(name) != "no":
                sound.set(name, _LEAPS[name])
                said.add(name)
    found = [(bar, sign) for bar in root.iter("measure") for sign in bar.findall("direction")]
    for measure, direction in found:
        if any(_LEAPS.keys() & sound.attrib.keys() for sound in direction.iter("sound")):
            continue
        words = " ".join(word.text or "" for word in direction.iter("words"))
        leap = leap_in_words(words)
        names = [leap] if leap and not said else []
        if leap != "tocoda":  # the sign beside these words is where to leap from
            signs = {sign.tag for kind in direction.iter("direction-type") for sign in kind}
            names += sorted((signs & {"segno", "coda"}) - said)
        for name in names:
            SubElement(direction, "sound", {name: _LEAPS[name]})
        if names:
            _stand_where_seen(direction, measure)
    for start, goal in (("dalsegno", "segno"), ("tocoda", "coda")):
        if root.find(f".//sound[@{goal}]") is None:
            for sound in root.iter("sound"):
                sound.attrib.pop(start, None)


def _stand_where_seen(direction: Element, measure: Element) -> None:
    """Put a direction that is only seen, and not for playing, where its offset shows it.

    What is shown behind the end of a bar, as of a pick-up, stands at its end.
    """
    offset = round(min(_number(direction.findtext("offset")), _left_of(measure, direction)))
    if offset > 0:
        place = list(measure).index(direction)
        for step, at in (("forward", place), ("backup", place + 2)):
            move = Element(step)
            SubElement(move, "duration").text = str(offset)
            measure.insert(at, move)


def _left_of(measure: Element, element: Element) -> Fraction:
    """Return how much of a bar, in divisions, lies behind one of its elements."""
    at = end = place = Fraction(0)
    for each in measure:
        if each is element:
            place = at
        if each.tag in _TIMED and each.find("chord") is None:
            at += _number(each.findtext("duration")) * (-1 if each.tag == "backup" else 1)
        end = max(end, at)
    return end - place


def _set_tempo(direction: Element) -> None:
    """Say the tempo of a metronome mark as a sound, where there is none."""
    mark = direction.find("direction-type/metronome")
    if mark is None or any("tempo" in sound.attrib for sound in direction.iter("sound")):
        return
    units = mark.findall("beat-unit")
    unit = _UNITS.get(units[0].text or "") if len(units) == 1 else None
    rate = re.search(r"\d+(\.\d+)?", mark.findtext("per-minute") or "")
    if unit and rate and float(rate[0]) > 0:
        quarters = (
            float(rate[0]) * unit * (2 - Fraction(1, 2) ** len(mark.findall("beat-unit-dot")))
        )
        SubElement(direction, "sound", {"tempo": f"{float(quarters):.6g}"})


def _fill_bars(root: Element) -> None:
    """Let each bar last as long in all parts."""
    if root.find(".//measure[@non-controlling='yes']") is not None:
        return  # bar lines do not stand together, and are not meant to
    walks = [list(_walked(part)) for part in root.findall("part")]
    for number, together in enumerate(zip(*walks, strict=False)):
        upbeat = number == 0 or together[0].measure.get("implicit") == "yes"
        length = _length(together, upbeat=upbeat)
        for bar in together:
            leaps = _leaps_at_an_end(bar.measure)
            if bar.silent and bar.length > length:
                _rest_for(length * bar.divisions, bar.measure)
                bar = bar._replace(at=length, length=length)
            missing = (length - bar.at) * bar.divisions
            if missing > 0 and (bar.length < length or leaps):
                _move(bar.measure, "forward", missing)
            _hold_to_the_end(bar, length)
            # what leads away from the end of its bar, wherever it stands
            for sign in leaps + bar.measure.findall("barline[@location='right']"):
                bar.measure.remove(sign)
                bar.measure.append(sign)


def _move(measure: Element, way: str, divisions: Fraction) -> None:
    SubElement(SubElement(measure, way), "duration").text = str(divisions)


def _rest_for(divisions: Fraction, measure: Element) -> None:
    """Make a bar without notes last so long; signs behind its first rest stand at its end."""
    timed = [element for element in measure if element.tag in _TIMED]
    forward = Element("forward")
    SubElement(forward, "duration").text = str(divisions)
    measure.insert(list(measure).index(timed[0]), forward)
    for element in timed:
        measure.remove(element)


def _hold_to_the_end(bar: "_Bar", length: Fraction) -> None:
    """Let notes that are tied over the end of a bar that was filled go on until there."""
    rest = (length - bar.length) * bar.divisions
    for note in bar.tied if rest > 0 else ():
        _move(bar.measure, "backup", rest)
        bar.measure.append(held := deepcopy(note))
        held.attrib.pop("id", None)
        for tag in ("chord", "tie"):
            for element in held.findall(tag):
                held.remove(element)
        for kind in ("stop", "start"):
            SubElement(held, "tie", {"type": kind})
        for duration in held.findall("duration"):
            duration.text = str(rest)


def _length(together: Sequence["_Bar"], *, upbeat: bool) -> Fraction:
    """Return how long a bar lasts, in quarters; rests are often written for longer ones."""
    played = [bar.length for bar in together if not bar.silent]
    rests = [bar.length for bar in together if bar.silent and bar.length]
    if played and upbeat:
        return max(played)
    whole = [length for length in rests if length <= together[0].metre]
    return max([*played, *whole], default=min(rests, default=Fraction(0)))


def _leaps_at_an_end(measure: Element) -> list[Element]:
    """Return what leads away from a bar and is written before, or behind, all of its notes."""
    found = []
    sounds = [element.tag in ("note", "forward") for element in measure]
    for place, element in enumerate(measure):
        if not (any(sounds[:place]) and any(sounds[place:])):
            leaps = (s.attrib.keys() & {"dacapo", "dalsegno"} for s in element.iter("sound"))
            found += [element] if any(leaps) else []
    return found


class _Bar(NamedTuple):
    """A bar of a part; metre, last place and length are in quarters of so many divisions.

    `tied` are the notes that end with its length, and are tied to what follows.
    """

    measure: Element
    divisions: Fraction
    metre: Fraction
    at: Fraction
    length: Fraction
    silent: bool
    tied: tuple[Element, ...] = ()


def _walked(part: Element) -> Iterator[_Bar]:
    """Yield the bars of a part; rests alone make none of them longer than its metre."""
    divisions, metre = Fraction(1), Fraction(4)
    for measure in part.findall("measure"):
        at = begin = length = sounded = Fraction(0)
        silent = True
        ties: list[tuple[Fraction, Element]] = []  # and where they begin
        for element in measure:
            lasts = _number(element.findtext("duration"))
            if element.tag == "attributes":
                divisions = _number(element.findtext("divisions")) or divisions
                if unit := _number(element.findtext("time/beat-type")):
                    metre = 4 * _number(element.findtext("time/beats")) / unit
            elif element.tag == "backup":
                at = max(at - lasts / divisions, Fraction(0))
            elif element.tag == "forward" or (
                element.tag == "note" and element.find("chord") is None
            ):
                begin, at = at, at + lasts / divisions
            if lasts and element.find("tie[@type='start']") is not None:
                ties.append((begin + lasts / divisions, element))
            if element.tag == "note" and element.find("rest") is None:
                silent, sounded = False, max(sounded, at)
            length = max(length, at)
        if not silent and sounded <= metre < length:
            _shorten_rests(measure, metre * divisions)
            at, length = min(at, metre), metre
        tied = tuple(note for end, note in ties if end == length)
        yield _Bar(measure, divisions, metre, at, length, silent, tied)


def _shorten_rests(measure: Element, end: Fraction) -> None:
    """Cut off what rests reach beyond `end`, in divisions."""
    at = cut = Fraction(0)
    for element in measure.iterfind("*"):
        duration = element.find("duration")
        if element.tag not in _TIMED or duration is None or element.find("chord") is not None:
            continue
        lasts = _number(duration.text)
        if element.tag == "backup":
            back = max(lasts - cut, Fraction(0))
            cut = max(cut - lasts, Fraction(0))
            at -= back
            duration.text = str(back)
            continue
        over = max(at + lasts - end, Fraction(0))
        cut += over
        at += lasts - over
        duration.text = str(lasts - over)


def _end_ties(part: Element) -> None:
    """Say where ties end: some programs only say where they begin."""
    divisions, start = Fraction(1), Fraction(0)
    tied: set[tuple[Any, ...]] = set()  # when what is tied begins, and its pitch
    held: dict[tuple[Any, ...], list[tuple[Element, Element]]] = {}  # notes that end it, by both
    for measure in part.findall("measure"):
        at = begin = end = start
        for element in measure:
            lasts = _number(element.findtext("duration")) / divisions
            if element.tag == "attributes":
                divisions = _number(element.findtext("divisions")) or divisions
            elif element.tag == "backup":
                at = max(at - lasts, start)
            elif element.tag == "forward":
                at += lasts
            elif element.tag == "note" and element.find("grace") is None:
                if element.find("chord") is None:
                    begin, at = at, at + lasts
                pitch = tuple(element.findtext(f"pitch/{tag}") for tag in _PITCH)
                kinds = {tie.get("type") for tie in element.findall("tie")}
                if (begin, *pitch) in tied:
                    held.setdefault((begin, *pitch), []).append((element, measure))
                if "start" in kinds:
                    tied.add((begin + lasts, *pitch))
            end = max(end, at)
        start = end
    for notes in held.values():
        notes.sort(key=lambda pair: pair[0].find("tie[@type='start']") is not None)
        said = [pair for pair in notes if pair[0].find("tie[@type='stop']") is not None]
        if not said:
            SubElement(notes[-1][0], "tie", {"type": "stop"})
        for note, measure in said[:-1]:
            _leave_out(note, measure)


def _leave_out(note: Element, measure: Element) -> None:
    """Take out one note, and nothing of its chord."""
    behind = [*measure][[*measure].index(note) + 1 :][:1]
    for other in behind if note.find("chord") is None else []:
        if (chord := other.find("chord")) is not None:
            other.remove(chord)
            measure.remove(note)
            return
    _take_out(note, measure)


def _number(text: str | None) -> Fraction:
    """Return a number, 0 where it is none; its reader says so where it matters."""
    plain = (text or "").strip()
    number = re.fullmatch(r"-?\d{1,9}(\.\d{1,6}|/[1-9]\d{0,8})?", plain)
    return Fraction(plain) if number else Fraction(0)
