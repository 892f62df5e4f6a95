"""Base functions of chords, in windows about where they are expected.

A `ChordFeature` knows how a recording and a score become terms. Those of onsets (`WindowTerm`) are
computed anew where windows widen; those of tempo where better times of the chords give a better
tempo. `ChordFunctions` are all features of an aligner together: the default set, that of the
thesis, and features of a user's own, which know signals and notes only
(`align.music.functions.own`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.features.base import AnyFeature
from align.features.notes.score_thesis import ScoreTempo
from align.features.sound.signal import Signal
from align.music.performances.performance import HOP, Performance
from align.music.performances.tempo import Tempo
from align.potentials import Potentials
from align.terms import BaseFunctions, Term
from align.types import IntArray, Note


@dataclass(frozen=True)
class WindowTerm:
    """psi depends on the onset alone, and is known in windows.

    `table` [shape=(G, W)] has the score of each chord at each frame of its window, which begins at
    frame `start` [shape=(G,)].
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


class ChordFeature(AnyFeature):
    """A feature of music: base functions of chords, those of onsets in windows.

    What is fitted, adapted, pooled, kept and restored is as in `align.features.Feature`; what is
    fitted to are pieces. The base class has no base functions, and nothing to fit.

    Attributes
    ----------
    name : str
        Unique in an aligner.
    hop : float or None
        Seconds between frames that it is made for; None where any will do.
    passes : int
        How often a recording is decoded: more than once where lengths are judged by the tempo
        of the answer before.
    cross_fit, pools_folds, has_state : bool
        As in `align.features.Feature`.
    """

    hop: float | None = None
    passes: int = 1
    cross_fit: bool = False
    pools_folds: bool = False
    has_state: bool = False

    def onset_terms(
        self, performance: Performance, signal: Signal, windows: IntArray, before: Any = None
    ) -> tuple[dict[str, Term], Any]:
        """Return the terms of onsets, and what may be used again where windows widen."""
        return {}, None

    def tempo_terms(
        self, performance: Performance, signal: Signal, windows: IntArray, tempo: Tempo
    ) -> dict[str, Term]:
        """Return the terms of lengths."""
        return {}


class ChordFunctions:
    """The features of an aligner together: all base functions of chords, in one kind of frames.

    They are fitted. `names` are the base functions wanted, in this order; by default all.
    """

    def __init__(self, features: Sequence[Any], names: Sequence[str] = ()) -> None:
        self.features, self.names = tuple(features), tuple(names)
        self.hop = frame_length(features)
        self.passes = max((f.passes for f in features), default=1)

    def signal(self, performance: Performance) -> Signal:
        """Return the recording in frames of this set."""
        return reframed(performance.signal, self.hop)

    def onset_terms(
        self, performance: Performance, windows: IntArray, before: Sequence[Any] = ()
    ) -> tuple[dict[str, Term], list[Any]]:
        """Return the terms of onsets, and what each feature may use again where windows widen."""
        signal, terms = self.signal(performance), {}
        kept = list(before) or [None] * len(self.features)
        for i, feature in enumerate(self.features):
            own, kept[i] = feature.onset_terms(performance, signal, windows, kept[i])
            terms.update(own)
        return terms, kept

    def base_functions(
        self,
        performance: Performance,
        windows: IntArray,
        onset_terms: Mapping[str, Term],
        tempo: Tempo,
    ) -> BaseFunctions:
        """Return the base functions of a recording, which ends where the last window does.

        `windows` [shape=(G, 2)] are where the chords are looked for, `onset_terms` what the method
        of that name returned for them. Raises ModelError where the features do not give a base
        function that is wanted.
        """
        signal, terms = self.signal(performance), dict(onset_terms)
        for feature in self.features:
            terms.update(feature.tempo_terms(performance, signal, windows, tempo))
        names = self.names or tuple(terms)
        missing = [name for name in names if name not in terms]
        if missing:
            raise ModelError(f"the features do not give the base functions {missing}.")
        return BaseFunctions(
            [terms[name] for name in names],
            names,
            len(windows),
            int(windows[-1, 1]),
            windows=windows,
        )


def frame_length(features: Sequence[Any]) -> float:
    """Return the seconds between frames that suit all features."""
    return min([f.hop for f in features if f.hop is not None], default=HOP)


def reframed(signal: Signal, hop: float) -> Signal:
    """Return a recording in frames of `hop` seconds."""
    if hop == HOP:
        return signal
    return signal.cached(
        ("frames", hop), lambda: Signal(signal.samples, signal.rate, hop, signal.name)
    )


def tempo_term(performance: Performance, signal: Signal) -> dict[str, Term]:
    """Return psi_10 of the chords, each at the mean onset of its notes, as ``tempo``."""
    events = [Note(60, float(t)) for t in performance.chords.onsets]
    return ScoreTempo().terms(signal, events)


def longest_length(windows: IntArray) -> int:
    """Return the longest length in frames that windows allow; the last ends with its window."""
    ends = np.append(windows[1:, 1] - 1, windows[-1, 1])
    return int((ends - windows[:, 0]).max())
