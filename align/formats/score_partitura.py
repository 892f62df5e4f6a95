"""Scores in notation, read through partitura: MusicXML, MEI, Kern and match files.

Repeats are unfolded: what stands between repeat signs comes twice, with first and second endings,
or each of them as one says (`Notation.rows`); notes are then called ``n1-1`` and ``n1-2``, else by
the ids of the file.
Ties are joined into one note, grace notes keep the place they are written at, and the parts of
transposing instruments are moved to the pitch that sounds (and called so), except by whole octaves
(``octave-change``), which partitura does not read. Tempo marks are followed; without any, a
quarter note lasts half a second. A score's tempo is no promise in any case, and aligning does not
rely on it.

partitura is optional (``pip install margin-align[scores]``). Its import asks the network where
pyfluidsynth is installed, and fails without one; that and every other failure is reported as one
`DataError`.
"""

import io
import os
import re
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import DataError
from align.files.text import read_bytes
from align.formats.beats import Beats, beats_of_bars
from align.formats.note_rows import NoteRow
from align.formats.spelling import moved_step, name_of_step
from align.types import named_pitch

__all__ = ["NOTATION_SUFFIXES", "Notation", "read_notation_notes"]

_T = TypeVar("_T")

NOTATION_SUFFIXES = (".musicxml", ".xml", ".mxl", ".mei", ".krn", ".match")
"""What `read_notation_notes` reads."""

_QUARTER = 0.5  # seconds, where a score has no tempo
_MAX_BYTES = 1 << 26
_MOST_SEGMENTS = 10_000  # of a way through a score
_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']*)["']""")
_NO_BAR = re.compile(rb"timeSignature\s*,\s*\[?\s*0+\s*/")
_SPAN = re.compile(rb"snote\([^\n\](]*\](?:[^,\n(]*,){5}([^,\n(]+),([^,\n(]+),")
_MOST_BEATS = 40_000  # the longest opera has fewer
_PLAIN = re.compile(r"utf-?(8|16|16le|16be)|us-ascii|iso-?8859-?[0-9]+|(windows-?|cp)125[0-9]")


def read_notation_notes(
    path: str | os.PathLike[str], *, repeats: bool | Sequence[bool] = True
) -> tuple[list[NoteRow], Beats | None]:
    """Return notes and beats of a score in notation; `Notation.rows` describes `repeats`."""
    return Notation(path).rows(repeats)


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

    Raises
    ------
    DataError
        Where partitura is missing, or the file is missing or cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        data = read_bytes(path)
        if not data:
            raise DataError("the file is empty (0 bytes).", path=path)
        _check_content(data, path)
        self._partitura = import_partitura(
            path, "this kind of score is read", "export the score as MIDI"
        )
        self._parts, self.n_repeats = self._guarded(self._load)

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
        rows, beats = self._guarded(lambda: self._unfolded(repeats))
        first = min((row.onset for row in rows), default=0.0)
        if first < 0:  # an upbeat
            rows = [row._replace(onset=row.onset - first) for row in rows]
            beats = beats and replace(beats, times=beats.times - first)
        return sorted(rows, key=lambda row: (row.onset, row.pitch)), beats

    def _guarded(self, work: Callable[[], _T]) -> _T:
        """Do what calls partitura, and say in one sentence where it fails."""
        # It prints lines that it does not understand; results may go to standard output.
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                return work()
            except Exception as error:  # its parsers raise whatever they meet
                raise DataError(
                    f"cannot be read as a score ({_reason(error)}); export it again, or as MIDI.",
                    path=self._path,
                ) from error

    def _load(self) -> tuple[list[Any], int]:
        path = os.fspath(self._path)
        if PurePath(path).suffix.lower() == ".match":
            score = self._partitura.load_match(path, create_score=True)[-1]
        else:
            score = self._partitura.load_score(path)
        parts = list(score.parts)
        forks = [_path_of(part, self._partitura.score, ())[1] for part in parts]
        return parts, max(forks, default=0)

    def _unfolded(self, repeats: bool | Sequence[bool]) -> tuple[list[NoteRow], Beats | None]:
        taken = () if repeats is True else [False] * self.n_repeats
        if not isinstance(repeats, bool):
            taken = list(repeats)
        out: list[NoteRow] = []
        beats: Beats | None = None
        module = self._partitura.score
        for part in self._parts:
            path = _path_of(part, module, taken)[0]
            again = len(path.path) > len(set(path.path))  # a note may come twice: n1-1, n1-2
            whole = module.new_part_from_path(path, part, update_ids=again)
            out += _notes(whole, module)
            if beats is None:
                beats = _beats(whole, module)
        return out, beats


def _path_of(part: Any, score: Any, taken: Sequence[bool]) -> tuple[Any, int]:
    """Return the way through a part that takes the repeats it is asked for, and their number.

    partitura lists all ways, which are two to the power of the repeats, and in each ends where
    *fine* is met first. This walks one way, makes every leap (*da capo*, *dal segno*) once, and
    ends at *fine* only after a leap.
    """
    score.add_segments(part, force_new=True)  # walking changes them
    segments = score.get_segments(part)
    order = sorted(segments, key=lambda name: segments[name].start.t)
    path = score.Path([order[0]], segments)
    forks = 0
    for _ in range(_MOST_SEGMENTS):
        here = path.segments[path.path[-1]]
        ways = path.list_of_destinations_from_last_segment
        leaps = here.type == "leap_start" and not path.jumped
        goal = ways[0]
        if len(ways) > 1 + leaps:  # a leap is no choice
            if forks < len(taken) and not taken[forks]:
                goal = ways[1] if leaps else ways[-1]
            forks += 1
        if goal == "END" and "fine" in here.info and not path.jumped and here.id != order[-1]:
            goal = order[order.index(here.id) + 1]
        if goal == "END":
            return path, forks
        path = path.make_copy_with_jump_to(goal, ignore_leap_info=True)
    raise ValueError("its repeats never come to an end")


def _reason(error: Exception) -> str:
    """Say what a parser met, in words that do not speak of the parser."""
    if isinstance(error, AttributeError | LookupError | TypeError):
        return "something in it is missing, or refers to what is not there"
    if isinstance(error, ArithmeticError):
        return "a tempo or a length in it is zero"
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else "it ends too early"


def _check_content(data: bytes, path: str | os.PathLike[str]) -> None:
    """Refuse what could make a small file grow beyond all memory, or name other files."""
    suffix = PurePath(path).suffix.lower()
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


def _check_match(data: bytes, path: str | os.PathLike[str]) -> None:
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


def _check_xml(data: bytes, path: str | os.PathLike[str]) -> None:
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


def import_partitura(path: str | os.PathLike[str], what: str, otherwise: str) -> Any:
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
                f"installed; run `pip install margin-align[scores]`, or {otherwise}.",
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


def _notes(part: Any, score: Any) -> list[NoteRow]:
    """Return the sounding notes of one unfolded part."""
    if not part.notes_tied:
        return []
    array = part.note_array(include_grace_notes=True, include_pitch_spelling=True)
    onset = array["onset_quarter"].astype(np.float64)
    end = onset + array["duration_quarter"]
    to_seconds = _tempo_map(part, score)
    begins, ends = to_seconds(onset), to_seconds(end)
    moves = sorted(
        (m.start.t, int(m.chromatic or 0), int(m.diatonic or 0))
        for m in part.iter_all(score.Transposition)
    )
    at = [t for t, *_ in moves]
    rows = []
    for k, note in enumerate(array):
        before = int(np.searchsorted(at, note["onset_div"], side="right"))
        _, semitones, steps = moves[before - 1] if before else (0, 0, 0)
        pitch = int(note["pitch"]) + semitones
        rows.append(
            NoteRow(
                float(begins[k]),
                pitch,
                float(ends[k] - begins[k]),
                str(note["id"]),
                bool(note["is_grace"]),
                name=_name(str(note["step"]), int(note["alter"]), semitones, steps, pitch),
            )
        )
    return rows


def _name(step: str, alter: int, semitones: int, steps: int, pitch: int) -> str:
    """Return what a written note is called where it sounds so many semitones and steps higher."""
    if not semitones and not steps:
        return name_of_step(step, alter, pitch)
    letter = moved_step(step, steps)
    natural = named_pitch(f"{letter}4")
    alter = (pitch - (natural or 0) + 6) % 12 - 6
    return name_of_step(letter, alter, pitch)


def _beats(part: Any, score: Any) -> Beats | None:
    """Return the bars and beats of one unfolded part, in its own seconds."""
    to_seconds = _tempo_map(part, score)
    measures = sorted(part.iter_all(score.Measure), key=lambda measure: measure.start.t)
    metres = sorted(
        (m.start.t, int(m.beats), int(m.beat_type)) for m in part.iter_all(score.TimeSignature)
    )
    if not metres or any(n < 1 or kind < 1 for _, n, kind in metres):
        return None
    at = [t for t, _, _ in metres]
    bars = []
    pick_up = False
    for k, measure in enumerate(measures):
        ends = np.array([part.quarter_map(measure.start.t), part.quarter_map(measure.end.t)])
        place = max(0, int(np.searchsorted(at, measure.start.t, side="right")) - 1)
        _, n_beats, kind = metres[place]
        lasts = float(ends[1] - ends[0]) * kind / 4
        if k == 0:
            pick_up = lasts < n_beats - 1e-6
        # partitura counts all bars from 1, the pick-up as well
        number = (measure.number or k + 1) - pick_up
        begin, end = to_seconds(ends).tolist()
        bars.append((begin, end, lasts, number))
    return beats_of_bars(bars)


def _tempo_map(part: Any, score: Any) -> Any:
    """Return a function from quarters to seconds that follows the tempo marks of a part."""
    marks = sorted(
        (float(part.quarter_map(m.start.t)), m.microseconds_per_quarter * 1e-6)
        for m in part.iter_all(score.Tempo)
    )
    slow = [seconds for _, seconds in marks if not 0 < seconds < np.inf]
    if slow:
        raise ValueError("a tempo in it is not positive")
    at = np.array([0.0, *(q for q, _ in marks)])
    rate = np.array([marks[0][1] if marks and marks[0][0] <= 0 else _QUARTER])
    rate = np.concatenate([rate, [seconds for _, seconds in marks]])
    at[1:] = np.maximum(at[1:], 0.0)
    seconds = np.concatenate([[0.0], np.cumsum(np.diff(at) * rate[:-1])])

    def to_seconds(quarters: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        k = np.maximum(np.searchsorted(at, quarters, side="right") - 1, 0)
        result: npt.NDArray[np.float64] = seconds[k] + (quarters - at[k]) * rate[k]
        return result

    return to_seconds
