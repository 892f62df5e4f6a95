"""The default base functions of chords, in frames of 10 ms.

=============  =============================================================================
``notes``      probabilities of the note network, `note_scores`
``rise``       rises of energy at the harmonics, `rise_scores`
``level``      level just after the onset, `level_scores`
``coarse``     ``-ln(1 + (distance from the coarse alignment / 0.1 s)**2)``
``duration``   log Student-t of the length about the local tempo, `duration_table`
``tempo``      psi_10 of the thesis; only where asked for
=============  =============================================================================
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.features.notes.chord_scores import SMEAR_REACH, level_scores, note_scores, rise_scores
from align.features.notes.note_context import N_CONTEXT
from align.features.notes.note_network import NoteNetwork
from align.features.sound.signal import Signal
from align.music.functions.chord_functions import (
    ChordFeature,
    WindowTerm,
    longest_length,
    tempo_term,
)
from align.music.performances.performance import HOP, Performance
from align.music.performances.pieces import TimedPiece
from align.music.performances.tempo import Tempo, duration_table, expected_lengths, local_tempo
from align.progress import Progress
from align.terms import DurationTerm, Term
from align.types import Float32, Float64, IntArray

DEFAULT_NAMES = ("notes", "rise", "level", "coarse", "duration", "tempo")

PAD = 30
"""Frames either side of each window in which notes are looked for as well."""

_COARSE = 0.1  # seconds
_HELD = N_CONTEXT // 2 - 1  # first column of collisions with notes that are held


@dataclass(frozen=True, eq=False)
class NoteProbabilities:
    """Probability that each note begins, in the windows of the chords and a little beyond.

    `windows` [shape=(G, 2)]; `probability` [shape=(M, W + 2 * PAD), dtype=float32], whose column
    `PAD` is the first frame of the window of the note's chord; the `network` that they are of.
    """

    windows: IntArray
    probability: Float32
    network: NoteNetwork


class DefaultFunctions(ChordFeature):
    """The default set; see the module's text.

    `network` is fitted in place; `names` are some of `DEFAULT_NAMES`, "notes" among them.
    """

    name = "default"
    hop: float | None = HOP
    passes = 3
    cross_fit = True
    has_state = True

    def __init__(self, network: NoteNetwork, names: Sequence[str] = DEFAULT_NAMES[:-1]) -> None:
        self.network = network
        self.names = tuple(name for name in DEFAULT_NAMES if name in names)

    def fit(self, pieces: Sequence[TimedPiece]) -> Self:
        """Train the network."""
        self.network.fit([piece.notes for piece in pieces])
        return self

    def for_a_fold(self) -> Self:
        """Return a copy whose network learns in a quarter of the time: it sets five weights."""
        return type(self)(self.network.brief(), self.names)

    def adapt(self, pieces: Sequence[TimedPiece], *, steps: int, learning_rate: float) -> Self:
        """Continue to train the network; see `NoteNetwork.adapt`."""
        self.network.adapt(
            [piece.notes for piece in pieces], steps=steps, learning_rate=learning_rate
        )
        return self

    def halfway(self, first: Self) -> Self:
        """Return a copy whose network is halfway back to that of the one before `adapt`."""
        return type(self)(self.network.halfway(first.network), self.names)

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return that of the network."""
        return self.network.get_state()

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore the network."""
        self.network.set_state(params, arrays)
        return self

    def note_probabilities(
        self, performance: Performance, windows: IntArray, before: NoteProbabilities | None = None
    ) -> NoteProbabilities:
        """Return the network's probabilities for all notes, in windows of chords [shape=(G, 2)].

        Of the result for earlier windows, `before`, only what changed is computed again.
        """
        group, notes = performance.chords.group, performance.notes
        length = (windows[:, 1] - windows[:, 0])[group] + 2 * PAD
        out = np.zeros((len(notes), int(length.max())), dtype=np.float32)
        todo = np.ones(len(windows), dtype=bool)
        if before is not None:
            todo = (before.windows != windows).any(axis=1)
            same = ~todo[group]
            n = min(out.shape[1], before.probability.shape[1])
            out[same, :n] = before.probability[same, :n]
        count, done = int(todo[group].sum()), 0
        for n in np.unique(length[todo[group]]):
            part = np.flatnonzero(todo[group] & (length == n))
            logit = self.network.logits(
                performance.signal,
                notes.pitches[part],
                windows[group[part], 0] - PAD,
                int(n),
                performance.context[part],
                _after(done, count, performance.progress),
            )
            done += part.size
            out[part, :n] = 1.0 / (1.0 + np.exp(-logit))
        return NoteProbabilities(windows, out, self.network)

    def onset_terms(
        self,
        performance: Performance,
        signal: Signal,
        windows: IntArray,
        before: NoteProbabilities | None = None,
    ) -> tuple[dict[str, Term], NoteProbabilities]:
        """Return the terms of onsets, and the probabilities of the network."""
        found = self.note_probabilities(performance, windows, before)
        group, pitches = performance.chords.group, performance.notes.pitches
        start, width = windows[:, 0], int((windows[:, 1] - windows[:, 0]).max())
        tables: dict[str, Float64] = {}
        if "notes" in self.names:
            edge = PAD - SMEAR_REACH
            near = found.probability[:, edge : found.probability.shape[1] - edge]
            tables["notes"] = note_scores(near, group)
        if "rise" in self.names:
            collisions = performance.context[:, :_HELD] + performance.context[:, _HELD:-2]
            tables["rise"] = rise_scores(
                performance.signal, pitches, group, start, width, collisions
            )
        if "level" in self.names:
            tables["level"] = level_scores(performance.signal, pitches, group, start, width)
        if "coarse" in self.names:
            frames = start[:, None] + np.arange(width) - performance.coarse[:, None] / HOP
            tables["coarse"] = -np.log1p((frames * HOP / _COARSE) ** 2)
        return {name: WindowTerm(table, start) for name, table in tables.items()}, found

    def non_negative(self) -> tuple[str, ...]:
        """Return all but the tempo: of each of the others more speaks for an onset."""
        return tuple(name for name in self.names if name != "tempo")

    def tempo_terms(
        self, performance: Performance, signal: Signal, windows: IntArray, tempo: Tempo
    ) -> dict[str, Term]:
        """Return the terms of lengths."""
        written = performance.chords.onsets
        terms: dict[str, Term] = {}
        if "duration" in self.names:
            local = local_tempo(written, tempo.times)
            lengths = expected_lengths(written, local) / signal.hop
            rows = np.arange(len(written), dtype=np.intp)
            rows[-1] = -1
            longest = longest_length(windows)
            terms["duration"] = DurationTerm(duration_table(lengths, tempo.spread, longest), rows)
        if "tempo" in self.names:
            terms.update(tempo_term(performance, signal))
        return terms


def _after(done: int, total: int, progress: Progress | None) -> Callable[[int, int], None] | None:
    """Return what is called with some notes, and counts them after those that are `done`."""
    if progress is None:
        return None
    return lambda some, _: progress("finding notes", done + some, total)
