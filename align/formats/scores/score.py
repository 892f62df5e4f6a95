"""The notes of a score and of its truth, in order, and their chords: read, checked, grouped."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Self

import numpy as np

from align.errors import DataError, ParameterError, check_shape
from align.files.names import StrPath
from align.formats.scores.beats import Beats
from align.formats.scores.note_rows import HIGHEST_PITCH, LOWEST_PITCH, NoteRow, check_pitches
from align.formats.scores.score_midi import read_midi_score
from align.formats.scores.score_partitura import NOTATION_SUFFIXES, Notation
from align.formats.scores.score_table import read_table_notes, read_truth_rows
from align.types import BoolArray, Float64, IntArray, Note, pitch_name

SCORE_SUFFIXES = (".mid", ".midi", ".csv", ".tsv", *NOTATION_SUFFIXES)
"""What `read_score` reads."""

_LONGEST_GUESS = 1.0  # seconds, for a note without a duration
_LONGEST = 24 * 3600.0  # seconds; beyond, a time was given in another unit
_NEAR = 0.02  # seconds of the score: how far a row of the truth may lie from its note
_SAME = 1e-4  # seconds: unisons of two voices may differ by rounding
_SPREAD = 0.030  # seconds: a chord; of scores .9 and more of such notes begin at once,
_TOGETHER = 0.5  # of performances less than .25
_ENOUGH = 20


@dataclass(frozen=True, eq=False)
class Score:
    """The notes of a piece, in the order of their onsets, the lower pitch first.

    Parameters
    ----------
    pitches : np.ndarray [shape=(N,), dtype=intp]
        MIDI numbers, 69 is A4; N > 0.
    onsets : np.ndarray [shape=(N,)]
        Score seconds, never decreasing.
    durations : np.ndarray [shape=(N,)]
        Score seconds, at least 0.
    ids : tuple of str, length N
        What the file calls the notes; ``n0``, ``n1`` ... where it does not.
    grace : np.ndarray [shape=(N,), dtype=bool]
        Which are grace notes.
    path : str, optional
        Where it was read.
    repeats : str
        Where it had repeats to take or to leave, a letter for each in the order of playing: y
        where it is taken here, n where it is not.
    repeat_times : tuple of float
        For each of these letters, when the player goes back, or might have, in score seconds.
    beats : Beats, optional
        Its bars and beats as they are played, where the file says them.
    names : tuple of str, length N
        What the pitches are called: as the file spells them, or by its key; by default
        `align.types.pitch_name`. Empty where notes have other pitches than the file.
    parts : tuple of str, length N
        Which part has each note; empty where there is only one.
    outside : tuple of Note
        Notes of the file that no piano has, which are none of the N.
    notices : tuple of str
        Sentences on what the file contradicts itself in.

    Examples
    --------
    >>> score = Score.of([Note(64, 0.5), Note(60, 0.0), Note(60, 0.5)])
    >>> score.pitches, len(score)
    (array([60, 60, 64]), 3)
    """

    pitches: IntArray
    onsets: Float64
    durations: Float64
    ids: tuple[str, ...]
    grace: BoolArray
    path: str | None = None
    repeats: str = ""
    repeat_times: tuple[float, ...] = ()
    beats: Beats | None = None
    names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    outside: tuple[Note, ...] = ()
    notices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.ids)
        for name in ("names", "parts"):
            items = len(getattr(self, name))
            if items not in (0, n):
                raise ParameterError(f"{name} has {items} items, must have N={n} or none.")
        for name in ("pitches", "onsets", "durations", "grace"):
            check_shape(name, getattr(self, name).shape, "(N,)", (n,))
        if n == 0:
            raise ParameterError("a score must have at least one note.")
        if (np.diff(self.onsets) < 0).any() or not np.isfinite(self.onsets).all():
            raise ParameterError("onsets must be finite and never decrease; use Score.of.")
        if not (self.durations >= 0).all():
            raise ParameterError("durations must not be negative.")

    @classmethod
    def of(cls, notes: Sequence[Note | NoteRow], path: str | None = None) -> Self:
        """Make a score of notes in any order.

        A note without a duration lasts until the next onset, but at most a second.
        """
        rows = [note if isinstance(note, NoteRow) else _row(note) for note in notes]
        rows.sort(key=lambda row: (row.onset, row.pitch))
        onsets = np.array([row.onset for row in rows], dtype=np.float64)
        given = np.array(
            [np.nan if row.duration is None else row.duration for row in rows], dtype=np.float64
        )
        guessed = np.full(len(rows), _LONGEST_GUESS)
        later = np.searchsorted(onsets, onsets, side="right")
        followed = later < len(rows)
        parts = tuple(row.part for row in rows)
        guessed[followed] = onsets[later[followed]] - onsets[followed]
        return cls(
            np.array([row.pitch for row in rows], dtype=np.intp),
            onsets,
            np.where(np.isnan(given), np.minimum(guessed, _LONGEST_GUESS), given),
            tuple(row.id or f"n{k}" for k, row in enumerate(rows)),
            np.array([row.grace for row in rows], dtype=bool),
            path,
            names=tuple(row.name or pitch_name(row.pitch) for row in rows),
            parts=parts if len(set(parts)) > 1 else (),
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ends(self) -> Float64:
        """Score time at which each note ends, in seconds [shape=(N,)]."""
        return self.onsets + self.durations

    @property
    def is_performance(self) -> bool:
        """Whether its chords are spread by milliseconds, as players spread them."""
        places = sorted({*zip(self.onsets.tolist(), self.pitches.tolist(), strict=True)})
        gaps = np.diff([onset for onset, _ in places])
        close = gaps[gaps < _SPREAD]
        return close.size >= _ENOUGH and bool((close < _SAME).mean() < _TOGETHER)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Its notices, and a sentence on the notes of the file that no piano has."""
        if not self.outside:
            return self.notices
        n, first = len(self.outside), self.outside[0]
        which = f"{first.name} at {first.onset:.2f} s"
        notes = f"{n} notes lie" if n > 1 else "1 note lies"
        which = f", the first {which}, and are" if n > 1 else f", {which}, and is"
        return (
            f"{notes} outside the keys of a piano ({LOWEST_PITCH} to {HIGHEST_PITCH}){which} left "
            "out of the score.",
            *self.notices,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes as events."""
        names, parts = (each or ("",) * len(self) for each in (self.names, self.parts))
        rows = zip(self.pitches.tolist(), self.onsets.tolist(), names, parts, strict=True)
        return tuple(Note(*row) for row in rows)

    def take(self, index: IntArray) -> "Score":
        """Return the score of some of the notes, given by increasing index."""
        return replace(
            self,
            pitches=self.pitches[index],
            onsets=self.onsets[index],
            durations=self.durations[index],
            ids=tuple(self.ids[i] for i in index),
            grace=self.grace[index],
            names=tuple(self.names[i] for i in index) if self.names else (),
            parts=tuple(self.parts[i] for i in index) if self.parts else (),
        )


def _row(note: Note) -> NoteRow:
    return NoteRow(note.onset, note.pitch, name=note.name, part=note.part)


@dataclass(frozen=True, eq=False)
class Chords:
    """Notes grouped by their onset.

    Parameters
    ----------
    group : np.ndarray [shape=(N,), dtype=intp]
        Chord of each note, counted from 0 and never decreasing.
    onsets : np.ndarray [shape=(G,)]
        Score seconds of each chord, the mean of its notes; strictly increasing.
    """

    group: IntArray
    onsets: Float64

    def __len__(self) -> int:
        return self.onsets.size

    @property
    def sizes(self) -> IntArray:
        """Number of notes of each chord [shape=(G,)]."""
        return np.bincount(self.group, minlength=len(self)).astype(np.intp)

    @property
    def members(self) -> list[IntArray]:
        """Indices of the notes of each chord."""
        return [
            part.astype(np.intp) for part in np.split(np.arange(self.group.size), self.first[1:])
        ]

    @property
    def first(self) -> IntArray:
        """Index of the first note of each chord [shape=(G,)]."""
        return np.searchsorted(self.group, np.arange(len(self))).astype(np.intp)


@dataclass(frozen=True, eq=False)
class NoteTruth:
    """When notes of a score were really played.

    Parameters
    ----------
    index : np.ndarray [shape=(R,), dtype=intp]
        Note of the score, for each row of the file; a note may have several.
    performed : np.ndarray [shape=(R,)]
        Seconds in the recording.
    ended : np.ndarray [shape=(R,)], optional
        When each ended, in seconds: the key and the pedal were let go, or the same pitch was
        struck again. NaN where it is not known.
    """

    index: IntArray
    performed: Float64
    ended: Float64 | None = None

    def onsets(self, n_notes: int) -> Float64:
        """Time of each note of the score [shape=(n_notes,)]: the mean of its rows, or NaN."""
        return self._means(self.performed, n_notes)

    def offsets(self, n_notes: int) -> Float64 | None:
        """When each note ended [shape=(n_notes,)]: mean of its rows, or NaN; None without any."""
        if self.ended is None or not np.isfinite(self.ended).any():
            return None
        return self._means(self.ended, n_notes)

    def _means(self, times: Float64, n_notes: int) -> Float64:
        known = np.isfinite(times)
        count = np.bincount(self.index, known, minlength=n_notes)
        total = np.bincount(self.index, np.where(known, times, 0.0), minlength=n_notes)
        out = np.full(n_notes, np.nan)
        np.divide(total, count, out=out, where=count > 0)
        return out


def read_score(path: StrPath, *, repeats: bool | Sequence[bool] = True) -> Score:
    """Read a score.

    Parameters
    ----------
    path : path
        MIDI, a table of notes, or notation, some of it with the extra ``scores``; chosen by the
        suffix.
        See the module's docstring, and that of each reader.
    repeats : bool or sequence of bool
        Of notation: play what stands between repeat signs twice, as written; else once, with the
        last ending. A sequence says it of each repeat, in the order in which they are met. The
        other formats have no repeat signs.

    Returns
    -------
    Score
        All notes as written, including grace notes and notes that two voices share; those that no
        piano has are in `outside` alone.

    Raises
    ------
    DataError
        Where the file is missing, damaged or of an unknown kind, or has no notes that a piano
        has. One sentence that names the file and, in a table, the line.
    """
    name = os.fspath(path)
    suffix = PurePath(name).suffix.lower()
    beats = None
    if suffix in (".mid", ".midi"):
        midi = read_midi_score(path)
        rows = [note.row for note in midi.notes]
        beats = midi.beats
        empty = "has no notes (the drums of channel 10 do not count); nothing can be aligned."
    elif suffix in (".csv", ".tsv"):
        rows = read_table_notes(path)
        empty = "has no notes, only the names of columns; give one note on each line."
    elif suffix in NOTATION_SUFFIXES:
        notation = Notation(path)
        rows, beats = notation.rows(repeats)
        return score_of_rows(rows, name, beats=beats, notices=notation.notices)
    else:
        raise DataError(
            f"is not a score Align can read; its name must end in {', '.join(SCORE_SUFFIXES)} "
            "(programs that write scores export MusicXML and MIDI).",
            path=name,
        )
    return score_of_rows(rows, name, empty, beats=beats)


def score_of_rows(
    rows: Sequence[NoteRow],
    path: str,
    empty: str = "has no notes; nothing can be aligned.",
    *,
    repeats: str = "",
    repeat_times: Sequence[float] = (),
    beats: Beats | None = None,
    notices: tuple[str, ...] = (),
) -> Score:
    """Make a score of what a reader found; raises what `read_score` does."""
    if not rows:
        raise DataError(empty, path=path)
    for row in rows:
        if not row.onset <= _LONGEST:
            raise DataError(
                f"a note begins at {row.onset:g} s, after more than a day; times are in seconds.",
                path=path,
                line=row.line,
            )
    check_pitches(rows, path, some=True)
    score = replace(
        Score.of(rows, path=path),
        repeats=repeats,
        repeat_times=tuple(repeat_times),
        beats=beats,
        notices=notices,
    )
    beyond = (score.pitches < LOWEST_PITCH) | (score.pitches > HIGHEST_PITCH)
    if not beyond.any():
        return score
    outside = tuple(note for note, out in zip(score.notes, beyond, strict=True) if out)
    return replace(score.take(np.flatnonzero(~beyond)), outside=outside)


def chords(score: Score, tolerance: float = 0.004) -> Chords:
    """Group simultaneous notes.

    Parameters
    ----------
    score : Score
        The notes.
    tolerance : float
        A note belongs to the chord of the note before it where it begins at most so many score
        seconds later.

    Returns
    -------
    Chords

    Examples
    --------
    >>> found = chords(Score.of([Note(60, 0.0), Note(64, 0.002), Note(67, 0.5)]))
    >>> found.group, found.onsets
    (array([0, 0, 1]), array([0.001, 0.5  ]))
    """
    if not 0 <= tolerance < np.inf:
        raise ParameterError(f"tolerance={tolerance} s, must not be negative.")
    group = np.concatenate(([0], np.cumsum(np.diff(score.onsets) > tolerance))).astype(np.intp)
    onsets = np.bincount(group, score.onsets) / np.bincount(group)
    return Chords(group, onsets)


def distinct(score: Score) -> tuple[Score, IntArray]:
    """Merge unisons, notes of one pitch that begin together.

    Parameters
    ----------
    score : Score
        As read, where two voices may share a note.

    Returns
    -------
    merged : Score
        One note for each that the ear distinguishes; it ends with the last that it stands for.
    row : np.ndarray [shape=(N,), dtype=intp]
        Note of `merged` for each note of `score`.

    Examples
    --------
    >>> merged, row = distinct(Score.of([Note(60, 0.0), Note(60, 0.0), Note(64, 0.0)]))
    >>> merged.pitches, row
    (array([60, 64]), array([0, 0, 1]))
    """
    last: dict[int, int] = {}
    keep: list[int] = []
    row = np.empty(len(score), dtype=np.intp)
    ends = score.ends
    for k, (pitch, onset) in enumerate(zip(score.pitches, score.onsets, strict=True)):
        before = last.get(int(pitch))
        if before is not None and onset - score.onsets[keep[before]] <= _SAME:
            row[k] = before
            ends[keep[before]] = max(ends[keep[before]], ends[k])
            continue
        row[k] = last[int(pitch)] = len(keep)
        keep.append(k)
    kept = np.array(keep, dtype=np.intp)
    merged = score.take(kept)
    return replace(merged, durations=ends[kept] - merged.onsets), row


def read_note_truth(path: StrPath, score: Score) -> NoteTruth:
    """Read when the notes of a score were played.

    Parameters
    ----------
    path : path
        A table with the columns ``score_onset_s``, ``pitch`` and ``performed_onset_s``, one row
        for each note that was played; notes that were left out have none, and those of notes that
        no piano has are passed over. A column
        ``performed_offset_s`` may say when each ended.
    score : Score
        The score the rows speak of.

    Returns
    -------
    NoteTruth
        Rows in the order of the file. Rows of equal pitch and onset go to the notes of that
        pitch and onset in turn, and then again from the first.

    Raises
    ------
    DataError
        Where the table is wrong, names a note the score does not have, or has no rows.
    """
    by_pitch = {int(p): np.flatnonzero(score.pitches == p) for p in np.unique(score.pitches)}
    outside = {note.pitch for note in score.outside}
    used = np.zeros(len(score), dtype=np.intp)
    index, performed, ended = [], [], []
    for row, time, end in read_truth_rows(path):
        if row.pitch in outside:
            continue
        notes = by_pitch.get(row.pitch, np.empty(0, dtype=np.intp))
        distance = np.abs(score.onsets[notes] - row.onset)
        near = distance <= _NEAR
        if not near.any():
            raise DataError(
                f"the score has no note of pitch {row.pitch} at {row.onset:.3f} s "
                f"({pitch_name(row.pitch)}); is this the truth of another score?",
                path=path,
                line=row.line,
            )
        if not -_LONGEST <= time <= _LONGEST:
            raise DataError(
                f"the performed onset is {time:g} s; times are in seconds.",
                path=path,
                line=row.line,
            )
        # the least used of the notes that are equally near
        nearest = notes[near & (distance <= distance.min() + _SAME)]
        note = int(nearest[np.argmin(used[nearest])])
        used[note] += 1
        index.append(note)
        performed.append(time)
        ended.append(end)
    if not index:
        raise DataError("has no rows; give one for each note that was played.", path=path)
    times = (np.array(each, dtype=np.float64) for each in (performed, ended))
    return NoteTruth(np.array(index, dtype=np.intp), *times)
