"""Finding the onsets of chords: exact decoding in windows, several times.

The coarse alignment gives each chord a window of a second either side. In a *pass* the base
functions, of which that of lengths takes the tempo from the answer before (at first the coarse
alignment), are weighed and decoded exactly. Where an onset comes within 0.1 s of an edge of its
window, the windows of that chord and of those within 3 s grow by a second, and the passes begin
again; so the answer is the optimum over windows that do not constrain it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.decoders import decode
from align.music.functions import ChordFunctions
from align.music.performance import Performance
from align.music.tempo import tempo_spread
from align.potentials import Potentials
from align.sequence.windows import spaced, touched, widened, windows_about
from align.terms import BaseFunctions
from align.types import IntArray

__all__ = ["SPREAD", "FoundChords", "Weights", "find_chords", "windows_of"]

Float64 = npt.NDArray[np.float64]

_HALF = 1.0  # seconds either side of the coarse alignment
_MARGIN = 0.1  # seconds: so near to an edge, the optimum may lie beyond
_NEAR = 3.0  # seconds
_ATTEMPTS = 6
SPREAD = 0.2  # of log ratios of lengths to the tempo of the coarse alignment


Weights: TypeAlias = Callable[[BaseFunctions], Float64]


@dataclass(frozen=True, eq=False)
class FoundChords:
    """The decoder's answer.

    Parameters
    ----------
    frames : np.ndarray [shape=(G,), dtype=intp]
        Onset of each chord.
    x : BaseFunctions
        Of the last pass.
    potentials : Potentials
        What was decoded in it.
    windows : np.ndarray [shape=(G, 2), dtype=intp]
        Where it was looked for.
    kept : list
        What each feature keeps of the onsets in these windows; see `ChordFeature.onset_terms`.
    score : float
        Of the best timing.
    """

    frames: IntArray
    x: BaseFunctions
    potentials: Potentials
    windows: IntArray
    kept: list[Any]
    score: float


def windows_of(performance: Performance, functions: ChordFunctions) -> IntArray:
    """Return windows of a second either side of the coarse alignment [shape=(G, 2)], in frames."""
    signal = functions.signal(performance)
    frames = spaced(performance.coarse / signal.hop, signal.n_frames)
    return windows_about(frames, round(_HALF / signal.hop), signal.n_frames)


def find_chords(
    performance: Performance, functions: ChordFunctions, weights: Weights
) -> FoundChords:
    """Find when each chord is played.

    Parameters
    ----------
    performance : Performance
        Recording and score.
    functions : ChordFunctions
        The base functions.
    weights : callable
        Returns their weights [shape=(J,)], given the base functions of the recording.

    Returns
    -------
    FoundChords

    Raises
    ------
    ParameterError
        Where no timing fits.
    """
    signal = functions.signal(performance)
    n, hop = signal.n_frames, signal.hop
    times, spread = performance.coarse, SPREAD
    half = round(_HALF / hop)
    windows = windows_of(performance, functions)
    kept: list[Any] = []
    for attempt in range(_ATTEMPTS):
        onset_terms, kept = functions.onset_terms(performance, windows, kept)
        for _ in range(functions.passes):
            x = functions.base_functions(performance, windows, onset_terms, times, spread)
            potentials = x.potentials(weights(x))
            path = decode(potentials)
            times = np.asarray(path.onsets * hop, dtype=np.float64)
            spread = tempo_spread(performance.chords.onsets, times, default=SPREAD)
        near = touched(windows, path.onsets, round(_MARGIN / hop), n)
        if not near.any() or attempt == _ATTEMPTS - 1:
            break
        windows = widened(windows, path.onsets, near, half, round(_NEAR / hop), n)
    return FoundChords(path.onsets, x, potentials, windows, kept, path.score)
