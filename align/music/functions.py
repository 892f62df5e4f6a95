"""Base functions of chords, in windows about where they are expected.

A *set* of base functions knows how a recording and a score become terms. Those of onsets
(`WindowTerm`) are computed anew where windows widen; those of tempo where a better answer tells
more of the tempo.

======================  ====================================================================
default set             10 ms frames
``notes``               probabilities of the note network, `note_scores`
``rise``                rises of energy at the harmonics, `rise_scores`
``level``               level just after the onset, `level_scores`
``coarse``              ``-ln(1 + (distance from the coarse alignment / 0.1 s)**2)``
``duration``            log Student-t of the length about the local tempo, `duration_table`
``tempo``               psi_10 of the thesis; only where asked for
thesis                  20 ms frames
``pitch_energy_1`` ...  psi_1 .. psi_9: energies, slopes and curvatures at three harmonics
``tempo``               psi_10
======================  ====================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features.chord_scores import (
    SMEAR_REACH,
    level_scores,
    note_scores,
    rise_scores,
    sum_over_chords,
)
from align.features.note_context import N_CONTEXT
from align.features.note_network import NoteNetwork
from align.features.score_thesis import PitchEnergy, ScoreTempo
from align.features.signal import Signal
from align.music.performance import Performance
from align.music.tempo import duration_table, expected_lengths, local_tempo
from align.potentials import Potentials
from align.terms import DurationTerm, Term
from align.types import IntArray, Note

__all__ = [
    "DEFAULT_NAMES",
    "PAD",
    "THESIS_NAMES",
    "ChordFunctions",
    "DefaultFunctions",
    "Listened",
    "ThesisFunctions",
    "WindowTerm",
    "chosen_names",
    "make_functions",
]

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]

DEFAULT_NAMES = ("notes", "rise", "level", "coarse", "duration", "tempo")
THESIS_NAMES = (
    *(f"pitch_{kind}_{h}" for kind in ("energy", "slope", "curvature") for h in (1, 2, 3)),
    "tempo",
)

PAD = 30
"""Frames either side of each window in which notes are listened for as well."""

_COARSE = 0.1  # seconds
_HELD = N_CONTEXT // 2 - 1  # first column of collisions with notes that are held


def chosen_names(features: str | Sequence[str]) -> tuple[str, ...]:
    """Return the base functions of the default set that are asked for.

    Parameters
    ----------
    features : {"default", "thesis"} or sequence of str
        A set, or some names of `DEFAULT_NAMES`.

    Returns
    -------
    tuple of str
        In the order of `DEFAULT_NAMES`; none for the thesis's set.

    Raises
    ------
    ParameterError
        Where a name is unknown or there twice, or "notes" is not among them.

    Examples
    --------
    >>> chosen_names(["duration", "notes"])
    ('notes', 'duration')
    """
    if features == "thesis":
        return ()
    if features == "default":
        return DEFAULT_NAMES[:-1]
    names = (features,) if isinstance(features, str) else tuple(features)
    unknown = [name for name in names if name not in DEFAULT_NAMES]
    if unknown or "notes" not in names or len(set(names)) < len(names):
        raise ParameterError(
            f"features={features!r}, must be one of ['default', 'thesis'], or a list of different "
            f"names among {list(DEFAULT_NAMES)} with 'notes' in it."
        )
    return tuple(name for name in DEFAULT_NAMES if name in names)


@dataclass(frozen=True)
class WindowTerm:
    """psi depends on the onset alone, and is known in windows.

    Parameters
    ----------
    table : np.ndarray [shape=(G, W)]
        Score of each chord at each frame of its window.
    start : np.ndarray [shape=(G,), dtype=intp]
        First frame of each window.
    """

    table: npt.NDArray[np.floating]
    start: IntArray

    def value(self, onsets: IntArray, n_frames: int) -> float:
        """Sum of psi over the chords, for onsets in frames, in their windows."""
        k = np.arange(self.start.size)
        return float(self.table[k, onsets - self.start].sum(dtype=np.float64))

    def fold(self, potentials: Potentials, weight: float) -> None:
        """Add `weight` times this base function to potentials of the same windows, in place."""
        if (potentials.start != self.start).any():
            raise ParameterError("the term and the potentials must have the same windows.")
        potentials.onset[:] += weight * self.table


@dataclass(frozen=True, eq=False)
class Listened:
    """Probability that each note begins, in windows and a little beyond.

    Parameters
    ----------
    windows : np.ndarray [shape=(G, 2), dtype=intp]
        Of the chords.
    probability : np.ndarray [shape=(M, W + 2 * PAD), dtype=float32]
        Column `PAD` is the first frame of the window of the note's chord.
    """

    windows: IntArray
    probability: Float32


class ChordFunctions(Protocol):
    """A set of base functions."""

    names: tuple[str, ...]
    hop: float
    passes: int

    def signal(self, performance: Performance) -> Signal:
        """Return the recording in frames of this set."""
        ...

    def onset_terms(
        self, performance: Performance, windows: IntArray, before: Any = None
    ) -> tuple[dict[str, Term], Any]:
        """Return the terms of onsets, and what may be used again where windows widen."""
        ...

    def tempo_terms(
        self, performance: Performance, windows: IntArray, times: Float64, spread: float
    ) -> dict[str, Term]:
        """Return the terms of lengths, given times of the chords in seconds."""
        ...


class DefaultFunctions:
    """The default set; see the module's text.

    Parameters
    ----------
    network : NoteNetwork
        Fitted.
    names : sequence of str
        Of `DEFAULT_NAMES`, in any order; "notes" among them.
    """

    hop = 0.010
    passes = 3

    def __init__(self, network: NoteNetwork, names: Sequence[str] = DEFAULT_NAMES[:-1]) -> None:
        self.network = network
        self.names = tuple(names)

    def signal(self, performance: Performance) -> Signal:
        """Return the recording in frames of 10 ms."""
        return performance.signal

    def listen(
        self, performance: Performance, windows: IntArray, before: Listened | None = None
    ) -> Listened:
        """Run the network over the windows of all notes.

        Parameters
        ----------
        performance : Performance
            Recording and score.
        windows : np.ndarray [shape=(G, 2), dtype=intp]
            Where to listen.
        before : Listened, optional
            Heard before; only windows that changed are listened to again.
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
        for n in np.unique(length[todo[group]]):
            part = np.flatnonzero(todo[group] & (length == n))
            logit = self.network.logits(
                performance.signal,
                notes.pitches[part],
                windows[group[part], 0] - PAD,
                int(n),
                performance.context[part],
            )
            out[part, :n] = 1.0 / (1.0 + np.exp(-logit))
        return Listened(windows, out)

    def onset_terms(
        self, performance: Performance, windows: IntArray, before: Listened | None = None
    ) -> tuple[dict[str, Term], Listened]:
        """Return the terms of onsets, and what the network heard."""
        heard = self.listen(performance, windows, before)
        group, pitches = performance.chords.group, performance.notes.pitches
        start, width = windows[:, 0], int((windows[:, 1] - windows[:, 0]).max())
        tables: dict[str, Float64] = {}
        if "notes" in self.names:
            edge = PAD - SMEAR_REACH
            near = heard.probability[:, edge : heard.probability.shape[1] - edge]
            tables["notes"] = note_scores(near, group)
        if "rise" in self.names:
            collisions = performance.context[:, :_HELD] + performance.context[:, _HELD:-2]
            tables["rise"] = rise_scores(
                performance.signal, pitches, group, start, width, collisions
            )
        if "level" in self.names:
            tables["level"] = level_scores(performance.signal, pitches, group, start, width)
        if "coarse" in self.names:
            frames = start[:, None] + np.arange(width) - performance.coarse[:, None] / self.hop
            tables["coarse"] = -np.log1p((frames * self.hop / _COARSE) ** 2)
        return {name: WindowTerm(table, start) for name, table in tables.items()}, heard

    def tempo_terms(
        self, performance: Performance, windows: IntArray, times: Float64, spread: float
    ) -> dict[str, Term]:
        """Return the terms of lengths, given times of the chords in seconds."""
        written = performance.chords.onsets
        terms: dict[str, Term] = {}
        if "duration" in self.names:
            tempo = local_tempo(written, times)
            lengths = expected_lengths(written, tempo) / performance.signal.hop
            rows = np.arange(len(written), dtype=np.intp)
            rows[-1] = -1
            longest = _longest(windows)
            terms["duration"] = DurationTerm(duration_table(lengths, spread, longest), rows)
        if "tempo" in self.names:
            terms.update(_tempo_term(performance, performance.signal))
        return terms


class ThesisFunctions:
    """The ten base functions of the thesis, in windows."""

    hop = 0.020
    passes = 1
    names: tuple[str, ...] = THESIS_NAMES
    energy: ClassVar[PitchEnergy] = PitchEnergy()

    def signal(self, performance: Performance) -> Signal:
        """Return the recording in frames of 20 ms."""
        own = performance.signal
        return own.cached(("thesis",), lambda: Signal(own.samples, own.rate, self.hop, own.name))

    def onset_terms(
        self, performance: Performance, windows: IntArray, before: object = None
    ) -> tuple[dict[str, Term], None]:
        """Return psi_1 .. psi_9."""
        signal, notes = self.signal(performance), performance.notes
        group = performance.chords.group
        start, width = windows[:, 0], int((windows[:, 1] - windows[:, 0]).max())
        pitches, row = np.unique(notes.pitches, return_inverse=True)
        tables = self.energy.tables(signal, [(int(p),) for p in pitches])
        frames = np.minimum(start[:, None] + np.arange(width), signal.n_frames - 1)
        root = np.sqrt(performance.chords.sizes)[:, None]  # phi is a plain sum over notes
        terms: dict[str, Term] = {}
        for kind, table in zip(("energy", "slope", "curvature"), tables, strict=True):
            for h in range(3):
                own = table[row[:, None], h, frames[group]]
                terms[f"pitch_{kind}_{h + 1}"] = WindowTerm(
                    sum_over_chords(own, group) * root, start
                )
        return terms, None

    def tempo_terms(
        self, performance: Performance, windows: IntArray, times: Float64, spread: float
    ) -> dict[str, Term]:
        """Return psi_10."""
        return _tempo_term(performance, self.signal(performance))


def make_functions(network: NoteNetwork | None, names: Sequence[str]) -> ChordFunctions:
    """Return the default set with a fitted network and `names`, or without one the thesis's."""
    return ThesisFunctions() if network is None else DefaultFunctions(network, names)


def _tempo_term(performance: Performance, signal: Signal) -> dict[str, Term]:
    """Return psi_10 of the chords, each at the mean onset of its notes."""
    events = [Note(60, float(t)) for t in performance.chords.onsets]
    return ScoreTempo().terms(signal, events)


def _longest(windows: IntArray) -> int:
    """Longest length in frames that windows allow; the last chord ends with its window."""
    ends = np.append(windows[1:, 1] - 1, windows[-1, 1])
    return int((ends - windows[:, 0]).max())
