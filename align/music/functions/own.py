"""Features of a user's own, as features of chords.

A `Feature` of `align.features` knows a signal and events; here the events are the notes of the
score, in its order. Notes that the score begins together are one chord, and begin at one time:

* *onset* and *duration* base functions are summed over the notes of a chord, over the root of
  their number, as those of the default set are; a note's length is that of its chord, up to the
  next one. The last chord has none.
* a *segment* base function is summed over the frames of a chord in the same way. What it is worth
  up to the first chord and after the last one is left out: it is the same for all timings.
* *ratio* and *general* base functions are of chords, each given as its highest note.

Scores are asked for some notes at a time, since a table of all notes at all frames would not fit
into memory; only what lies in the windows is kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features import Feature, TimedSignal
from align.features.base import checked_terms
from align.features.notes.chord_scores import sum_over_chords
from align.features.sound.signal import Signal
from align.music.functions.chord_functions import (
    ChordFeature,
    WindowTerm,
    longest_length,
    reframed,
)
from align.music.performances.performance import Performance
from align.music.performances.pieces import TimedPiece
from align.sequence.frames import onset_frames
from align.terms import DurationTerm, GeneralTerm, OnsetTerm, RatioTerm, SegmentTerm, Term
from align.types import Float64, FloatArray, IntArray, Note

_CELLS = 2**24  # of the tables of a feature at a time


class OwnFeature(ChordFeature):
    """A feature of signals and notes, as one of chords; it sees frames of `hop` seconds.

    It is fitted in place.
    """

    def __init__(self, feature: Feature, hop: float) -> None:
        self.feature, self.frame = feature, hop
        self.name = feature.name
        self.cross_fit, self.pools_folds = feature.cross_fit, feature.pools_folds
        self.has_state, self.loses_state = feature.has_state, feature.loses_state

    def fit(self, pieces: Sequence[TimedPiece]) -> Self:
        """Fit the feature to the chords of pieces, each as its highest note."""
        self.feature.fit([self._timed(piece) for piece in pieces])
        return self

    def adapt(self, pieces: Sequence[TimedPiece], *, steps: int, learning_rate: float) -> Self:
        """Adapt the feature to the chords of pieces."""
        self.feature.adapt(
            [self._timed(piece) for piece in pieces], steps=steps, learning_rate=learning_rate
        )
        return self

    def for_a_fold(self) -> Self:
        """Return that of the feature."""
        return type(self)(self.feature.for_a_fold(), self.frame)

    def pool(self, copies: Sequence[Self]) -> Self:
        """Let the feature become the sum of others."""
        self.feature.pool([one.feature for one in copies])
        return self

    def non_negative(self) -> tuple[str, ...]:
        """Return those of the feature."""
        return self.feature.non_negative()

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return that of the feature."""
        return self.feature.get_state()

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore the feature."""
        self.feature.set_state(params, arrays)
        return self

    def onset_terms(
        self, performance: Performance, signal: Signal, windows: IntArray, before: Any = None
    ) -> tuple[dict[str, Term], None]:
        """Return all terms; lengths, too, depend on nothing but the windows."""
        group, notes = performance.chords.group, np.array(performance.notes.notes, dtype=object)
        until = np.cumsum(performance.chords.sizes)  # notes up to the end of each chord
        some = max(1, _CELLS // signal.n_frames)
        parts: dict[str, _Sum] = {}
        first = 0
        while first < len(windows):
            begin = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, begin + some, side="right")))
            inside = slice(begin, int(until[last - 1]))
            found = checked_terms(self.feature, signal, tuple(notes[inside]))
            for name, term in found.items():
                if not isinstance(term, RatioTerm | GeneralTerm):
                    part = parts.setdefault(name, _Sum(name, term, windows, signal.n_frames))
                    part.add(term, group[inside] - first, first, last)
            if not parts:
                break
            first = last
        of_chords: dict[str, Term] = {}
        if len(parts) < len(found):
            whole = checked_terms(self.feature, signal, _highest(performance))
            of_chords = dict(whole)
        return {**of_chords, **{name: part.term() for name, part in parts.items()}}, None

    def _timed(self, piece: TimedPiece) -> TimedSignal:
        """Return the chords of a piece that were played, and when."""
        performance = piece.performance
        signal = reframed(performance.signal, self.frame)
        times = performance.chord_means(piece.onsets)
        played = np.flatnonzero(np.isfinite(times))
        increasing = np.maximum.accumulate(times[played])
        kept = played[np.diff(increasing, prepend=-np.inf) > 0]
        events = _highest(performance)
        frames = onset_frames(times[kept], signal)
        if frames is None:
            raise ParameterError(f"{piece.name}: more chords than frames of {signal.hop:g} s.")
        end = min(signal.n_frames, max(int(frames[-1]) + 1, round(performance.end / signal.hop)))
        return TimedSignal(
            signal, [events[g] for g in kept], frames, times[kept], end, piece.group
        )


class _Sum:
    """One base function of notes, summed over chords, in windows."""

    def __init__(self, name: str, term: Term, windows: IntArray, n_frames: int) -> None:
        if not isinstance(term, OnsetTerm | SegmentTerm | DurationTerm):
            raise ParameterError(
                f"base function {name!r} is a {type(term).__name__}, which cannot be summed over "
                "the notes of a chord; make it an OnsetTerm, SegmentTerm or DurationTerm."
            )
        self.kind, self.windows = type(term), windows
        width = int((windows[:, 1] - windows[:, 0]).max())
        self.frames = np.minimum(windows[:, :1] + np.arange(width), n_frames - 1)
        lengths = longest_length(windows) + 1
        self.table = np.zeros((len(windows), lengths if self.kind is DurationTerm else width))

    def add(self, term: Any, group: IntArray, first: int, last: int) -> None:
        """Add what the notes of chords first .. last - 1 score; `group` counts from `first`."""
        rows = slice(first, last)
        if isinstance(term, OnsetTerm):
            self.table[rows] = _at(term.table, term.rows, group, self.frames[rows])
        elif isinstance(term, DurationTerm):
            lengths = np.minimum(np.arange(self.table.shape[1]), term.table.shape[1] - 1)
            lengths = np.broadcast_to(lengths, (last - first, lengths.size))
            self.table[rows] = _at(term.table, term.rows, group, lengths)
        elif isinstance(term, SegmentTerm):
            # the frames of a chord are those up to its end, less those up to its onset
            self.table[rows] -= _at(term.prefix, term.rows, group, self.frames[rows])
            after = self.frames[first + 1 : last + 1]
            some = group < len(after)
            if some.any():
                self.table[first + 1 : last + 1] += _at(
                    term.prefix, term.rows[some], group[some], after
                )

    def term(self) -> Term:
        """Return the base function of chords."""
        if self.kind is DurationTerm:
            rows = np.arange(len(self.table), dtype=np.intp)
            rows[-1] = -1
            return DurationTerm(self.table, rows)
        return WindowTerm(self.table, self.windows[:, 0])


def _at(table: FloatArray, rows: IntArray, group: IntArray, columns: IntArray) -> Float64:
    """Return what chords score in some columns [shape=(G, W)], from a table of notes' scores."""
    notes = np.asarray(table[np.maximum(rows, 0)[:, None], columns[group]], dtype=np.float64)
    notes[rows < 0] = 0.0
    return sum_over_chords(notes, group)


def _highest(performance: Performance) -> list[Note]:
    """Return the highest note of each chord, at the mean onset of its notes."""
    top = np.zeros(len(performance.chords), dtype=np.intp)
    np.maximum.at(top, performance.chords.group, performance.notes.pitches)
    onsets = performance.chords.onsets.tolist()
    return [Note(int(pitch), onset) for pitch, onset in zip(top, onsets, strict=True)]
