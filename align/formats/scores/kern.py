r"""Scores in Humdrum's \*\*kern: a column (*spine*) for each part, a line for each moment.

======================================== =======================================================
in the file                              here
======================================== =======================================================
``4c``, ``8.ee-``, ``3%2G``, ``0CC``     a note: what divides the whole note, dots, the pitch
``[``, ``_``, ``]``                      ties, of single notes and of notes of chords
``q``, ``Q``                             a grace note, which takes no time
``*^``, ``*v``, ``*x``, ``*+``, ``*-``   spines divide, join, change places, begin and end; other
                                         spines behind them, as of another movement, follow
``*M3/4``, ``*MM120``, ``*I"Viola``      metre, tempo (quarters in a minute), the name of a part
``:|``, ``|:`` in a bar line             repeats
``*>A``, ``*>A1``, ``*>A2``              sections, and first and second endings of section A
``*>[A,B,A]``                            the order of playing, where there are no repeat signs: a
                                         section played again, or a leap back
``*clefX``                               percussion: left out
======================================== =======================================================

What a spine holds sounds as it is written: of transposing instruments \*\*kern has the sounding
pitch. Lines of notes stand at the end of the notes before: at the first of them to end. Bar lines,
metres and tempi stand at the notes that follow. A spine that has nothing more, where others go on,
rests.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import decoded
from align.formats.scores.note_rows import unlike
from align.formats.scores.spelling import SEMITONES, name_of_step
from align.formats.scores.ways import Ending, Signs
from align.formats.scores.written import Metre, Span, TiedNote, Ties, Written, counted_bars

_PITCH = re.compile(r"(([a-gA-G])\2*)(#+|-+|n)?")
_LENGTH = re.compile(r"(\d+)(?:%(\d+))?(\.*)")
_BAR = re.compile(r"=+(\d*)")
_REPEAT = re.compile(r"(:?)[|!]+(:?)")
_METRE = re.compile(r"\*M(\d{1,3})/(\d{1,3})")
_TEMPO = re.compile(r"\*MM(\d{1,4}(?:\.\d+)?)")
_ENDING = re.compile(r"[A-Za-z]+(\d{1,2})")
_ORDER = re.compile(r"\*>\[([^]]*)\]")
_MOST_DIGITS = 6


@dataclass(frozen=True)
class _Spine:
    """A column: which one of the first line it comes from, and when its last note ends."""

    source: int
    kind: str
    end: Fraction = Fraction(0)
    silent: bool = False

    @property
    def has_notes(self) -> bool:
        return self.kind == "**kern"


@dataclass
class _Marks:
    """What bar lines and interpretations say of the score."""

    bars: list[tuple[Fraction, str | None]] = field(default_factory=list)
    metres: dict[Fraction, Metre] = field(default_factory=dict)
    tempi: dict[float, float] = field(default_factory=dict)
    repeats: list[tuple[float, float]] = field(default_factory=list)
    sections: list[tuple[Fraction, str]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    opened: Fraction = Fraction(0)
    n_before: int = 0  # notes before the last bar line
    n_sets: int = 0  # of spines, one behind the other
    label: str = ""  # of the section that begins with the next notes


def read_kern(data: bytes, path: StrPath) -> Written:
    """Return the score in a file.

    Parameters
    ----------
    data : bytes
        The file. Bytes that are not UTF-8 are in words alone, and do not matter.
    path : path
        For messages.

    Raises
    ------
    DataError
        Where a line has more or fewer columns than there are spines, a note has no length, or
        there is no ``**kern``; it names the line.
    """
    try:
        text = decoded(data, path)
    except DataError:
        text = data.decode("latin-1")
    reading = _Reading(path)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("!"):
            reading.line = number
            reading.read(line.rstrip("\r\n").split("\t"))
    return reading.written()


class _Reading:
    """Reads one line after another."""

    def __init__(self, path: StrPath) -> None:
        self.line = 0
        self._path = path
        self._spines: list[_Spine] = []
        self._notes: list[TiedNote] = []
        self._ties = Ties()
        self._names: dict[int, str] = {}
        self._marks = _Marks()
        self._now = Fraction(0)
        self._waiting: list[Callable[[], None]] = []  # bar lines, metres, tempi

    def read(self, tokens: list[str]) -> None:
        """Read the columns of a line that is no comment."""
        if not self._spines:
            if not tokens[0].startswith("**"):
                where = "as all have ended" if self._marks.n_sets else "in the first line"
                raise self._wrong(f"is not Humdrum: spines must be named {where}, as **kern")
            self._begin(tokens)
            return
        if len(tokens) != len(self._spines):
            open_now = len(self._spines)
            raise self._wrong(f"the columns are {len(tokens)}, the open spines {open_now}")
        tokens = [token.strip() for token in tokens]
        if tokens[0].startswith("*"):
            self._interpret(tokens)
        elif tokens[0].startswith("="):
            self._waiting.append(partial(self._bar_line, tokens[0]))
        else:
            self._sound(tokens)

    def written(self) -> Written:
        """Return what was read."""
        if not self._names:
            raise DataError("has no **kern spine, and so no notes.", path=self._path)
        end = self._now = max([self._now, *(note.end for note in self._notes)])
        self._place()
        sources = sorted(self._names, reverse=True)  # the lowest part comes first
        names = unlike([self._names[source] or "part" for source in sources])
        parts: dict[Hashable, str] = dict(zip(sources, names, strict=True))
        notes = [note.folded(f"n{k}", parts[note.part]) for k, note in enumerate(self._notes, 1)]
        marks = self._marks
        bars = counted_bars(_spans(marks.bars, end), list(marks.metres.values()))
        return Written(notes, bars, _signs(marks, float(end)), marks.tempi)

    def _wrong(self, what: str) -> DataError:
        return DataError(f"{what}; correct it.", path=self._path, line=self.line)

    def _begin(self, tokens: Sequence[str]) -> None:
        """Begin with spines, or with others where those before have ended."""
        self._spines = [_Spine(k, token.strip(), self._now) for k, token in enumerate(tokens)]
        self._marks.opened = self._now
        self._marks.n_sets += 1
        if self._now > 0:
            self._bar_line("=")

    def _ends(self) -> list[Fraction]:
        return [spine.end for spine in self._spines if spine.has_notes]

    def _interpret(self, tokens: Sequence[str]) -> None:
        spines: list[_Spine] = []
        joined = False
        for spine, token in zip(self._spines, tokens, strict=True):
            if token.startswith("**"):  # a spine that `*+` began
                spine = replace(spine, kind=token)
            if spine.has_notes:
                spine = self._told(spine, token)
            if token == "*v" and joined and spines[-1].source == spine.source:
                spines[-1] = replace(spines[-1], end=max(spines[-1].end, spine.end))
                continue
            joined = token == "*v"
            if token == "*^":
                spines += [spine, spine]
            elif token == "*+":
                spines += [spine, _Spine(-self.line, "**", self._now)]
            elif token != "*-":
                spines.append(spine)
        changed = [k for k, token in enumerate(tokens) if token == "*x"]
        if len(changed) == 2 and len(spines) == len(tokens):
            one, other = changed
            spines[one], spines[other] = spines[other], spines[one]
        ended = max(self._ends(), default=self._now)
        self._spines = spines
        if spines:
            self._now = min((end for end in self._ends() if end >= self._now), default=self._now)
        else:
            self._now = ended
            self._place()

    def _place(self) -> None:
        """Place what stands at the next note; where a spine ended early, none knew before."""
        for place in self._waiting:
            place()
        self._waiting.clear()

    def _told(self, spine: _Spine, token: str) -> _Spine:
        """Take what an interpretation says; return its spine."""
        marks = self._marks
        self._names.setdefault(spine.source, "")
        if metre := _METRE.match(token):
            self._waiting.append(partial(self._metre, int(metre[1]), int(metre[2])))
        elif tempo := _TEMPO.match(token):
            if float(tempo[1]) > 0:
                self._waiting.append(partial(self._tempo, 60 / float(tempo[1])))
        elif token.startswith('*I"'):
            self._names[spine.source] = " ".join(token[3:].split())
        elif token.startswith("*clef"):
            return replace(spine, silent=token.startswith("*clefX"))
        elif order := _ORDER.match(token):
            marks.order = marks.order or [label.strip() for label in order[1].split(",")]
        elif token.startswith("*>") and "[" not in token:
            marks.label = token
        return spine

    def _metre(self, n_beats: int, unit: int) -> None:
        self._marks.metres.setdefault(self._now, Metre(float(self._now), n_beats, unit))

    def _tempo(self, quarter: float) -> None:
        self._marks.tempi.setdefault(float(self._now), quarter)

    def _bar_line(self, token: str) -> None:
        marks, number = self._marks, _BAR.match(token)
        name = number[1] if number and number[1] else None
        if marks.bars and marks.bars[-1][0] == self._now:
            name = marks.bars.pop()[1] or name
        marks.bars.append((self._now, name))
        for note in self._notes[marks.n_before :]:
            note.closing = note.grace and 0 < note.start == self._now
        marks.n_before = len(self._notes)
        repeat = _REPEAT.search(token)
        if repeat and repeat[1] and self._now > marks.opened:
            marks.repeats.append((float(marks.opened), float(self._now)))
        if repeat and (repeat[1] or repeat[2]):
            marks.opened = self._now

    def _sound(self, tokens: Sequence[str]) -> None:
        marks = self._marks
        sounds = [
            spine.has_notes and token != "." and not token.startswith("!")
            for spine, token in zip(self._spines, tokens, strict=True)
        ]
        # nothing begins before what is before it in its spine ends
        now = max(
            [self._now, *(s.end for s, own in zip(self._spines, sounds, strict=True) if own)]
        )
        self._now = now
        if any(sounds):
            self._place()
        if marks.label and any(token != "." for token in tokens):
            marks.sections.append((now, marks.label))
            marks.label = ""
        lengths = [
            self._chord(spine, token) if own else None
            for spine, token, own in zip(self._spines, tokens, sounds, strict=True)
        ]
        self._spines = [
            spine if length is None else replace(spine, end=now + length)
            for spine, length in zip(self._spines, lengths, strict=True)
        ]
        # a grace note beside notes of other spines: the note that it belongs to begins here, too
        waits = any(own and length is None for own, length in zip(sounds, lengths, strict=True))
        if any(lengths) and not waits:
            self._now = min(end for end in self._ends() if end > now)

    def _chord(self, spine: _Spine, token: str) -> Fraction | None:
        """Add the notes of a token; return how long it lasts, None where it takes no time."""
        self._names.setdefault(spine.source, "")
        length: Fraction | None = None
        grace = bool(re.search("[qQ]", token))
        for text in token.split():
            found = _LENGTH.search(text)
            if found and not grace:
                length = self._quarters(found)
            pitch = _PITCH.search(text)
            if not pitch or "r" in text:
                continue
            if length is None and not grace:
                raise self._wrong(f"{text!r} has no length")
            if not spine.silent:
                self._note(spine, text, pitch, length or Fraction(0), grace)
        return None if grace else length

    def _quarters(self, found: re.Match[str]) -> Fraction:
        number, divided, dots = found.groups()
        if max(len(number), len(divided or ""), len(dots)) > _MOST_DIGITS or divided == "0":
            raise self._wrong(f"{found[0]!r} is no length of a note")
        if int(number) == 0:
            whole = Fraction(2 ** len(number))
        else:
            whole = Fraction(int(divided or 1), int(number))
        return 4 * whole * (2 - Fraction(1, 2) ** len(dots))

    def _note(
        self, spine: _Spine, text: str, found: re.Match[str], length: Fraction, grace: bool
    ) -> None:
        letters, step, accidentals = found[1], found[2].upper(), found[3] or ""
        octave = 3 + len(letters) if letters.islower() else 4 - len(letters)
        alter = accidentals.count("#") - accidentals.count("-")
        pitch = 12 * (octave + 1) + SEMITONES[step] + alter
        name = name_of_step(step, alter, pitch)
        note = TiedNote(self._now, self._now + length, pitch, name, grace, spine.source)
        held, goes_on = re.search("[]_]", text), re.search(r"[\[_]", text)
        if self._ties.joined(note, held=bool(held), goes_on=bool(goes_on)) is note:
            self._notes.append(note)


def _spans(bars: Sequence[tuple[Fraction, str | None]], end: Fraction) -> list[Span]:
    """Return the bars between bar lines, and a pick-up before the first."""
    starts = [(float(at), name) for at, name in bars if at < end]
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0.0, None))
    ends = [at for at, _ in starts[1:]] + [float(end)]
    return [Span(at, until, name) for (at, name), until in zip(starts, ends, strict=True)]


def _signs(marks: _Marks, end: float) -> Signs:
    """Return what leads through the score."""
    until = [float(at) for at, _ in marks.sections[1:]] + [end]
    spans = [
        (label[2:], float(at), last)
        for (at, label), last in zip(marks.sections, until, strict=False)
        if last > at
    ]
    endings = [
        Ending.of(at, last, found[1])
        for label, at, last in spans
        if (found := _ENDING.fullmatch(label))
    ]
    if marks.repeats or not marks.order or marks.n_sets > 1:
        return Signs(end, marks.repeats, endings)
    places = {label: (at, last) for label, at, last in spans}
    if endings:
        firsts = [(label[:-1], last) for label, _, last in spans if label.endswith("1")]
        repeats = [(places[of][0], last) for of, last in firsts if of in places]
        return Signs(end, repeats, endings)
    return _in_order([places[label] for label in marks.order if label in places], end)


def _in_order(order: Sequence[tuple[float, float]], end: float) -> Signs:
    """Return the signs of sections that are played in an order: again, or with one leap back."""
    again = [one for one, other in pairwise(order) if one == other]
    once = [span for k, span in enumerate(order) if k == 0 or span != order[k - 1]]
    back = next((k for k in range(1, len(once)) if once[k] < once[k - 1]), None)
    if back is None:
        return Signs(end, again)
    segno, leap, fine = once[back][0], once[back - 1][1], once[-1][1]
    return Signs(end, again, segno=[segno], dal_segno=[leap], fine=[fine])
