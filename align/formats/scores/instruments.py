"""Which instruments a score names: as MIDI programs, or as names of tracks and parts.

======================================== =======================================
file                                     what names an instrument
======================================== =======================================
MIDI                                     the program of each channel that has notes, unless it is
                                         0 (a piano, or what a program writes that does not know),
                                         then the name of the track
MusicXML                                 programs, names of parts and of instruments
MEI                                      labels of staves, programs and names of instruments
Kern                                     ``*I"Name`` and ``*Iname``
======================================== =======================================

Other scores name none. Whether an instrument is struck or plucked, as a piano is, or sustained, as
all that are bowed, blown or sung, is known from its program or from words in its name, in English,
German, French and Italian. Names of voices (soprano, bass) say nothing: fugues for the piano have
them as well.
"""

import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import Literal, NamedTuple

from align.errors import DataError
from align.files.names import StrPath
from align.files.regular import open_regular
from align.formats.scores.score_midi import names_in, read_midi_score

Sound = Literal["struck", "sustained", ""]

_MAX_BYTES = 1 << 26
_LONGEST_NAME = 40  # letters; what is longer is a title
_SUSTAINED_PROGRAMS = frozenset([*range(16, 24), *range(40, 45), *range(48, 80), 109, 110, 111])
_STRUCK_PROGRAMS = frozenset([*range(1, 16), *range(24, 40), 45, 46, 47, *range(104, 109)])
_FAMILIES = (
    "piano", "chromatic percussion", "organ", "guitar", "bass", "strings", "ensemble", "brass",
    "reed", "pipe", "synth lead", "synth pad", "synth effects", "ethnic", "percussive",
    "sound effects",
)  # fmt: skip
_STRUCK = re.compile(
    r"\b(?:piano|pianoforte|klavier|clavier|keyboard|harpsichord|cembalo|clavicembalo|clavecin|"
    r"spinet|celesta|vibraphone|marimba|xylophone|glockenspiel|harp|harfe|harpe|arpa|guitar|"
    r"gitarre|guitare|chitarra|lute|laute|luth|liuto|banjo|mandolin|mandoline|ukulele)s?\b"
)
_SUSTAINED = re.compile(
    r"\b(?:viol\w*|fiddle|geigen?|bratschen?|cello|celli|contrabass\w*|kontrabass|double ?bass|"
    r"string|streicher|archi|cordes|flute|flöten?|floete|flauto|flauti|flûte|piccolo|oboe|"
    r"oboi|oboen|hautbois|english horn|cor anglais|clarin\w*|klarinetten?|bass?oon|fagott\w*|"
    r"basson|\w*sax|\w*saxophone|recorder|blockflöten?|horn|corno|corni|trumpet|trompeten?|"
    r"tromba|trombe|trompette|cornet|trombon\w*|posaunen?|tuba|euphonium|brass|woodwind|"
    r"organ|orgel|organo|orgue|accord[ei]on\w*|akkordeon|harmonium|harmonica|choir|chorus|"
    r"chor|coro|chœur|choeur|voice|voix|singstimme|gesang|vocal|bagpipe)s?\b"
)
_XML_PROGRAM = re.compile(r"<midi-program>\s*(\d{1,3})\s*</midi-program>")
_XML_NAME = re.compile(r"<(?:part-name|instrument-name)\b[^>]{0,500}>([^<]{1,200})<")
_MEI_PROGRAM = re.compile(r"""<instrDef\b[^>]{0,2000}?\bmidi\.instrnum\s*=\s*["'](\d{1,3})["']""")
_MEI_NAME = re.compile(
    r"""<(?:instrDef\b[^>]{0,2000}?\bmidi\.instrname|staffDef\b[^>]{0,2000}?\blabel)\s*=\s*"""
    r"""["']([^"']{1,200})["']|<label\b[^>]{0,500}>([^<]{1,200})<"""
)
_KERN_NAME = re.compile(r'(?:^|\t)\*I"?([A-Za-z][^\t\r\n]{0,100})', re.M)


class Instrument(NamedTuple):
    """An instrument that a score names: "struck", "sustained", or "" where that is not known."""

    name: str
    sound: Sound


def score_instruments(path: StrPath) -> list[Instrument]:
    """Return the instruments that a score names.

    Parameters
    ----------
    path : path
        A score of any format; see the module's docstring.

    Returns
    -------
    list of Instrument
        Each once, in the order of the file; none where the file names none, or cannot be read.

    Examples
    --------
    >>> from importlib.resources import files
    >>> score_instruments(str(files("align.data") / "minuet" / "score.mid"))[0]
    Instrument(name='right hand', sound='')
    """
    suffix = PurePath(os.fspath(path)).suffix.lower()
    try:
        if suffix in (".mid", ".midi"):
            found = list(_of_midi(path))
        elif suffix in (".musicxml", ".xml", ".mxl"):
            found = list(_of_xml(_text(path)))
        elif suffix == ".mei":
            found = list(_of_mei(_text(path)))
        elif suffix == ".krn":
            found = [_named(name) for name in _KERN_NAME.findall(_text(path))]
        else:
            return []
    except (DataError, OSError, ValueError, zipfile.BadZipFile, RuntimeError, EOFError):
        return []  # whoever reads the notes says what is wrong with it
    return list(dict.fromkeys(instrument for instrument in found if instrument.name))


def _of_midi(path: StrPath) -> Iterator[Instrument]:
    """Yield the instrument of each track and channel that has notes."""
    score = read_midi_score(path)
    own = {note.begin[0] for note in score.notes}
    programs: dict[int, int] = {}  # of channels; a file may set them in another track
    for track in score.file.tracks:
        for message in track:
            if message.type == "program_change":
                programs.setdefault(message.channel, message.program)
    for number in sorted(own):
        track = score.file.tracks[number]
        channels = {m.channel for m in track if m.type == "note_on" and m.velocity > 0}
        set_here = {m.channel: m.program for m in track if m.type == "program_change"}
        known = [set_here.get(c, programs.get(c, 0)) for c in sorted(channels) if c != 9]
        told = [program_instrument(program) for program in known if program]
        names = names_in(track, "instrument_name", "track_name")
        yield from told or [_named(name) for name in names]


def _of_xml(text: str) -> Iterator[Instrument]:
    """Yield the instruments of a list of parts; a program is counted from 1 there."""
    head = text.split("</part-list>")[0]
    for part in head.split("<score-part")[1:]:
        programs = [int(number) - 1 for number in _XML_PROGRAM.findall(part)]
        told = [program_instrument(program) for program in programs if 0 < program < 128]
        yield from told or [_named(name) for name in _XML_NAME.findall(part)]


def _of_mei(text: str) -> Iterator[Instrument]:
    head = text.split("</scoreDef>")[0]
    numbers = [int(number) for number in _MEI_PROGRAM.findall(head)]
    yield from (program_instrument(number) for number in numbers if 0 < number < 128)
    yield from (_named(first or second) for first, second in _MEI_NAME.findall(head))


def program_instrument(program: int) -> Instrument:
    """Return the instrument of a program of General MIDI, counted from 0.

    Examples
    --------
    >>> program_instrument(40)
    Instrument(name='strings (program 41)', sound='sustained')
    """
    sound: Sound = "sustained" if program in _SUSTAINED_PROGRAMS else ""
    if program in _STRUCK_PROGRAMS:
        sound = "struck"
    return Instrument(f"{_FAMILIES[program // 8]} (program {program + 1})", sound)


def _named(name: str) -> Instrument:
    """Return the instrument that a name is of; a name with words of both kinds says nothing."""
    plain = " ".join(name.split())
    low = plain.lower() if len(plain) <= _LONGEST_NAME else ""
    struck, sustained = bool(_STRUCK.search(low)), bool(_SUSTAINED.search(low))
    if struck == sustained:
        return Instrument(plain, "")
    return Instrument(plain, "struck" if struck else "sustained")


def _text(path: StrPath) -> str:
    """Return the text of a score in notation; of a compressed one its first score."""
    with open_regular(path) as stream:
        if PurePath(os.fspath(path)).suffix.lower() == ".mxl":
            with zipfile.ZipFile(stream) as archive:
                inside = [
                    info
                    for info in archive.infolist()
                    if info.filename.lower().endswith((".xml", ".musicxml"))
                    and not info.filename.startswith("META-INF")
                ]
                if not inside or inside[0].file_size > _MAX_BYTES:
                    return ""
                with archive.open(inside[0]) as part:
                    data = part.read(_MAX_BYTES)
        else:
            data = stream.read(_MAX_BYTES)
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if wide else "utf-8", "replace")
