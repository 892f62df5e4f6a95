"""Scores in notation: MusicXML and match files, read through partitura, MEI and Kern.

partitura reads one part after another. Here they become one score: a tempo, or a sign that leads
through the music, holds for all parts, whichever has it. What partitura leaves out or takes amiss
of MusicXML is mended before (`align.formats.scores.musicxml`). MEI and Kern have readers of their
own (`align.formats.scores.mei`, `align.formats.scores.kern`).

Repeats are unfolded (`align.formats.scores.ways`, `align.formats.scores.folded`): what stands
between repeat signs comes twice, with first and second endings, or each of them as one says
(`Notation.rows`); notes are then called ``n1-1`` and ``n1-2``, else by the ids of the file. Ties
are joined into one note, grace notes keep the place they are written at, and the parts of
transposing instruments are moved to the pitch that sounds (and called so). Without a tempo, a
quarter note lasts half a second. A score's tempo is no promise in any case, and aligning does not
rely on it.

partitura is optional (``pip install "margin-align[scores]"``), and MEI and Kern do without. Its
import asks the network where pyfluidsynth is installed, and fails without one; that and every
other failure is reported as one `DataError`.
"""

import io
import os
import re
import tempfile
import warnings
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import read_bytes
from align.formats.scores.beats import Bar, Beats
from align.formats.scores.folded import Folded, FoldedNote
from align.formats.scores.kern import read_kern
from align.formats.scores.mei import read_mei
from align.formats.scores.musicxml import many_times, notes_of_bars, plain_musicxml, score_of_mxl
from align.formats.scores.note_rows import NoteRow, unlike
from align.formats.scores.spelling import sounding_name
from align.formats.scores.ways import Ending, Signs, way_through
from align.formats.scores.written import Metre, Span, Written, counted_bars, tempo_map
from align.types import Float64

NOTATION_SUFFIXES = (".musicxml", ".xml", ".mxl", ".mei", ".krn", ".match")
"""What `Notation` reads."""

_SAME = 1e-6  # of a quarter: rounding
_MOST_TIMES = 99
_MAX_BYTES = 1 << 26
_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']*)["']""")
_KINDS = {
    b"MThd": ("a MIDI file", ".mid"),
    b"PK\x03\x04": ("a compressed score", ".mxl"),
    b"**": ("Humdrum's Kern", ".krn"),
}
"""What content is by its first bytes, and what such a file is called."""
_ROOTS = {b"<mei": ("MEI", ".mei"), b"<score-partwise": ("MusicXML", ".musicxml", ".xml")}
"""What XML is by an element in it, and what such a file may be called."""
_NO_BAR = re.compile(rb"timeSignature\s*,\s*\[?\s*0+\s*/")
_SPAN = re.compile(rb"snote\([^\n\](]*\](?:[^,\n(]*,){5}([^,\n(]+),([^,\n(]+),")
_MOST_BEATS = 40_000  # the longest opera has fewer
_PLAIN = re.compile(r"utf-?(8|16|16le|16be)|us-ascii|iso-?8859-?[0-9]+|(windows-?|cp)125[0-9]")


class Notation:
    """A score in notation, read once, to be unfolded in one way or another.

    Parameters
    ----------
    path : path
        The file, with one of `NOTATION_SUFFIXES`.

    Attributes
    ----------
    n_repeats : int
        How often a player may choose to go back or to go on, where all repeats are taken; where
        a leap (da capo, dal segno) leads to them again, repeats count again.
    notices : tuple of str
        Sentences on what the score contradicts itself in.

    Raises
    ------
    DataError
        Where partitura is missing, or the file is missing or cannot be read.
    """

    def __init__(self, path: StrPath) -> None:
        self._path = path
        data = read_bytes(path)
        if not data:
            raise DataError("the file is empty (0 bytes).", path=path)
        _check_content(data, path)
        with self._guarded():
            written = _written(data, path)
            self._signs, self.notices = written.signs, written.notices
            self.n_repeats = len(way_through(self._signs)[1])
            self._folded = Folded(written.notes, written.bars, tempo_map(written.tempi))

    def rows(self, repeats: bool | Sequence[bool] = True) -> tuple[list[NoteRow], Beats | None]:
        """Return the notes that are played, and the beats.

        Parameters
        ----------
        repeats : bool or sequence of bool
            Play what is to be repeated twice; else once, with the last ending. A sequence says it
            of each repeat, in the order in which they are met; those it does not reach are taken.

        Returns
        -------
        list of NoteRow
            Sounding notes of all parts, in the order of their onsets; the first bar or its upbeat
            begins at 0.
        Beats or None
            Bars and beats as they are played, of the first part that has any.

        Raises
        ------
        DataError
            Where the score contradicts itself.
        """
        with self._guarded():
            return self._folded.along(way_through(self._signs, self._taken(repeats))[0])

    def repeat_times(self, repeats: bool | Sequence[bool] = True) -> Float64:
        """Return when the player goes back, or might have, in seconds of what `rows` returns."""
        way, choices = way_through(self._signs, self._taken(repeats))
        times: Float64 = self._folded.begins(way)[choices]
        return times

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Say, of what calls partitura, in one sentence where it fails."""
        # It prints lines that it does not understand; results may go to standard output.
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                yield
            except DataError:
                raise
            except Exception as error:  # its parsers raise whatever they meet
                raise DataError(
                    f"cannot be read as a score ({_reason(error)}); export it again, or as MIDI.",
                    path=self._path,
                ) from error

    def _taken(self, repeats: bool | Sequence[bool]) -> Sequence[bool]:
        if isinstance(repeats, bool):
            return [] if repeats else [False] * self.n_repeats
        return repeats


def _written(data: bytes, path: StrPath) -> Written:
    """Read a file by its suffix."""
    suffix = PurePath(os.fspath(path)).suffix.lower()
    if suffix == ".krn":
        return read_kern(data, path)
    if suffix == ".mei":
        return read_mei(data, path)
    partitura = import_partitura(path, "this kind of score is read", "export the score as MIDI")
    if suffix == ".match":
        return _of_parts(_match_parts(data, partitura), partitura.score)
    plain = plain_musicxml(score_of_mxl(data) if suffix == ".mxl" else data)
    parts = list(partitura.load_musicxml(io.BytesIO(plain), force_note_ids="keep").parts)
    written = _of_parts(parts, partitura.score, notes_of_bars(plain))
    repeats = list(written.signs.repeats)
    bars = _spans(parts[0], partitura.score) if parts else []
    for place, times in many_times(plain):
        ended = [r for r in repeats if bars[place].start < r[1] <= bars[place].end + _SAME]
        repeats += ended * (min(times, _MOST_TIMES) - 2)
    return written._replace(signs=replace(written.signs, repeats=repeats))


def _match_parts(data: bytes, partitura: Any) -> list[Any]:
    """Read a match file, in whatever encoding: partitura would take that of the system."""
    plain = data.decode("utf-8", "replace").encode("ascii", "backslashreplace")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.match")
        with open(path, "wb") as stream:
            stream.write(plain)
        return list(partitura.load_match(path, create_score=True)[-1].parts)


def _of_parts(parts: Sequence[Any], score: Any, stops: Sequence[Sequence[int]] = ()) -> Written:
    """Return what partitura read; `stops` are the `notes_of_bars` of each part, if known."""
    known = stops if len(stops) == len(parts) else [()] * len(parts)
    # programs write the signs that lead through a score in one part, if not in all
    signs = [_signs(part, score) for part in parts]
    names = unlike([" ".join(str(part.part_name or part.id).split()) for part in parts])
    notes = [
        note._replace(row=note.row._replace(part=name))
        for part, name, of_bars in zip(parts, names, known, strict=True)
        for note in _notes(part, score, of_bars)
    ]
    bars = next((found for part in parts if (found := _bars(part, score))), [])
    most = max(signs, key=lambda each: each.count, default=Signs(0.0))
    other = [name for name, own in zip(names, signs, strict=True) if not own.agrees(most)]
    notices: tuple[str, ...] = ()
    if other:
        taken = names[signs.index(most)]
        notices = (
            f"the signs of repeats in {', '.join(other)} are not those of {taken}, which are "
            "followed; where these are wrong, correct the score.",
        )
    return Written(notes, bars, most, _tempi(parts, score), notices)


def _signs(part: Any, score: Any) -> Signs:
    """Return the signs of a part that lead through it, at quarters from its beginning."""
    quarters = _quarters(part)

    def places(kind: str) -> list[float]:
        return [float(quarters(sign.start.t)) for sign in part.iter_all(getattr(score, kind))]

    def spans(kind: str) -> list[tuple[float, float, Any]]:
        signs = [s for s in part.iter_all(getattr(score, kind)) if s.start and s.end]
        return [(float(quarters(s.start.t)), float(quarters(s.end.t)), s) for s in signs]

    return Signs(
        float(quarters(part.last_point.t)),
        sorted({(start, end) for start, end, _ in spans("Repeat")}),
        [Ending.of(start, end, str(sign.number)) for start, end, sign in spans("Ending")],
        da_capo=places("DaCapo"),
        dal_segno=places("DalSegno"),
        segno=places("Segno"),
        fine=places("Fine"),
        to_coda=places("ToCoda"),
        coda=places("Coda"),
    )


def _reason(error: Exception) -> str:
    """Say what a parser met, in words that do not speak of the parser."""
    if isinstance(error, AttributeError | LookupError | TypeError):
        return "something in it is missing, or refers to what is not there"
    if isinstance(error, ArithmeticError):
        return "a tempo or a length in it is zero"
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else "it ends too early"


def _check_content(data: bytes, path: StrPath) -> None:
    """Refuse what could make a small file grow beyond all memory, or name other files."""
    suffix = PurePath(path).suffix.lower()
    other = next((what for start, what in _KINDS.items() if data.startswith(start)), None)
    if other and suffix not in other:
        raise DataError(f"is {other[0]}, whatever its name says; call it {other[1]}.", path=path)
    if suffix == ".mxl" and data.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<"):
        raise DataError("is a score that is not compressed; call it .musicxml.", path=path)
    if suffix == ".mxl":
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                parts = archive.infolist()
                if sum(max(part.file_size, part.compress_size) for part in parts) > _MAX_BYTES:
                    raise DataError("is larger than 64 MiB, which no score is.", path=path)
                for part in parts:
                    _check_xml(archive.read(part), path)
        except DataError:
            raise
        except Exception as error:  # zlib, zipfile and codecs raise whatever they meet
            raise DataError(
                "is not a whole compressed score; export it again.", path=path
            ) from error
    if suffix == ".match":
        _check_match(data, path)
    if suffix in (".musicxml", ".xml", ".mei"):
        _check_xml(data, path)
        plain = data.replace(b"\0", b"")
        for root, (what, *names) in _ROOTS.items():
            if root in plain and suffix not in names:
                raise DataError(
                    f"is {what}, whatever its name says; call it {names[0]}.", path=path
                )


def _check_match(data: bytes, path: StrPath) -> None:
    """Refuse what partitura would lay out bars for without end."""
    if _NO_BAR.search(data):
        raise DataError(
            "has a time signature of 0 beats, whose bars have no length; correct it.", path=path
        )
    for found in _SPAN.finditer(data):
        for beat in found.groups():
            with suppress(ValueError):  # partitura says what is wrong with it
                if float(beat) > _MOST_BEATS:
                    shown = beat.decode("ascii", "replace").strip()
                    raise DataError(
                        f"has a note at beat {shown}, and no score has more than {_MOST_BEATS}.",
                        path=path,
                        line=data.count(b"\n", 0, found.start()) + 1,
                    )


def _check_xml(data: bytes, path: StrPath) -> None:
    """Refuse XML that declares entities, in any encoding it may have."""
    plain = data.replace(b"\0", b"")  # UTF-16 has zeros between
    if b"<!ENTITY" in plain:
        raise DataError("declares entities, which no score does; export it again.", path=path)
    named = _ENCODING.match(plain.lstrip(b"\xef\xbb\xbf\xff\xfe"))
    if named and not _PLAIN.fullmatch(named[1].decode("ascii", "replace").lower()):
        raise DataError(
            f"is in the encoding {named[1].decode('ascii', 'replace')!r}; export it as UTF-8.",
            path=path,
        )


def import_partitura(path: StrPath, what: str, otherwise: str) -> Any:
    """Import partitura, whose own warnings are not the user's affair.

    For the `DataError`, `what` is done through it, as in "this kind of score is read", and
    `otherwise` is what can be done without, as in "export the score as MIDI".
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import partitura
        except ModuleNotFoundError as error:
            raise DataError(
                f"{what} through partitura, and {error.name} is not "
                f'installed: pip install "margin-align[scores]", or {otherwise}.',
                path=path,
            ) from error
        except Exception as error:  # pyfluidsynth makes it fetch a sound font
            raise DataError(
                f"{what} through partitura, whose import fails ({error}); "
                "where pyfluidsynth is installed it needs the network once. Or "
                f"{otherwise}.",
                path=path,
            ) from error
    return partitura


def _notes(part: Any, score: Any, stops: Sequence[int] = ()) -> list[FoldedNote]:
    """Return the sounding notes of one part; `stops` count those before the end of each bar."""
    if not part.notes_tied:
        return []
    array = part.note_array(include_grace_notes=True, include_pitch_spelling=True)
    onsets = _quarters(part)(array["onset_div"])
    ends = onsets + array["duration_quarter"]
    moves = sorted(
        (m.start.t, int(m.chromatic or 0), int(m.diatonic or 0))
        for m in part.iter_all(score.Transposition)
    )
    at = [t for t, *_ in moves]
    closing = _closing(part, score, stops)
    notes = []
    for note, onset, end in zip(array, onsets.tolist(), ends.tolist(), strict=True):
        before = int(np.searchsorted(at, note["onset_div"], side="right"))
        _, semitones, steps = moves[before - 1] if before else (0, 0, 0)
        pitch = int(note["pitch"]) + semitones
        name = sounding_name(str(note["step"]), int(note["alter"]), semitones, steps, pitch)
        row = NoteRow(0.0, pitch, 0.0, str(note["id"]), bool(note["is_grace"]), name=name)
        notes.append(FoldedNote(onset, end, row, row.id in closing))
    return notes


def _closing(part: Any, score: Any, stops: Sequence[int]) -> set[str]:
    """Return grace notes that stand at the end of their bar."""
    ends = [bar.end.t for bar in sorted(part.iter_all(score.Measure), key=lambda bar: bar.start.t)]
    if len(ends) != len(stops):
        return set()
    graces = [
        (note, bisect_right(stops, note.doc_order)) for note in part.iter_all(score.GraceNote)
    ]
    return {str(n.id) for n, bar in graces if bar < len(ends) and n.start.t == ends[bar]}


def _bars(part: Any, score: Any) -> list[Bar]:
    """Return the bars of one part; none where it has no metre."""
    quarters = _quarters(part)
    metres = [
        Metre(float(quarters(m.start.t)), int(m.beats), int(m.beat_type))
        for m in part.iter_all(score.TimeSignature)
    ]
    return counted_bars(_spans(part, score), metres)


def _spans(part: Any, score: Any) -> list[Span]:
    """Return where the bars of one part begin and end, and what they are called."""
    measures = sorted(part.iter_all(score.Measure), key=lambda measure: measure.start.t)
    quarters = _quarters(part)
    names = [None if measure.name is None else str(measure.name) for measure in measures]
    if not any(names):
        names = [None if measure.number is None else str(measure.number) for measure in measures]
    return [
        Span(float(quarters(measure.start.t)), float(quarters(measure.end.t)), name)
        for measure, name in zip(measures, names, strict=True)
    ]


def _tempi(parts: Sequence[Any], score: Any) -> dict[float, float]:
    """Return the tempo marks of all parts: seconds of a quarter, by their place in quarters."""
    marks: dict[float, float] = {}
    for part in parts:
        quarters = _quarters(part)
        for mark in part.iter_all(score.Tempo):
            place = round(float(quarters(mark.start.t)), 6)
            marks.setdefault(place, mark.microseconds_per_quarter * 1e-6)
    return marks


def _quarters(part: Any) -> Callable[[Any], Float64]:
    """Return the function from the time of a part to quarters from its beginning.

    Those of partitura begin behind a pick-up.
    """
    begin = part.quarter_map(part.first_point.t)
    return lambda times: np.asarray(part.quarter_map(times) - begin, dtype=np.float64)
