"""Finding the onsets of chords: exact decoding in windows, several times.

The coarse alignment gives each chord a window of a second either side. In a *pass* the base
functions, of which that of lengths takes the tempo from the answer before (at first the coarse
alignment), are weighed and decoded exactly. Where an onset comes within 0.1 s of an edge of its
window, the windows of that chord and of those within 3 s grow by a second, and the passes begin
again; so the answer is the optimum over windows that do not constrain it.
"""

from dataclasses import dataclass
from typing import Any

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

__all__ = ["FoundChords", "base_functions", "find_chords", "windows_of"]

Float64 = npt.NDArray[np.float64]

_HALF = 1.0  # seconds either side of the coarse alignment
_MARGIN = 0.1  # seconds: so near to an edge, the optimum may lie beyond
_NEAR = 3.0  # seconds
_ATTEMPTS = 6
_SPREAD = 0.2  # of log ratios of lengths to the tempo of the coarse alignment


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
    onset_terms : dict
        Terms of onsets in these windows.
    heard : object
        What the set of base functions keeps of them; `Listened` in the default set.
    times : np.ndarray [shape=(G,)]
        Seconds from which the last pass took the tempo.
    spread : float
        Of the lengths about it.
    score : float
        Of the best timing.
    """

    frames: IntArray
    x: BaseFunctions
    potentials: Potentials
    windows: IntArray
    onset_terms: dict[str, Any]
    heard: Any
    times: Float64
    spread: float
    score: float


def base_functions(
    performance: Performance,
    functions: ChordFunctions,
    windows: IntArray,
    onset_terms: dict[str, Any],
    times: Float64,
    spread: float,
) -> BaseFunctions:
    """Put the terms of onsets and of lengths together.

    Parameters
    ----------
    performance : Performance
        Recording and score.
    functions : ChordFunctions
        The set.
    windows : np.ndarray [shape=(G, 2), dtype=intp]
        Where chords are looked for.
    onset_terms : dict of str to Term
        In these windows.
    times : np.ndarray [shape=(G,)]
        Seconds of the chords, from which the tempo is taken.
    spread : float
        Of log lengths about it.

    Returns
    -------
    BaseFunctions
        The recording ends where the last window does: what follows is of no chord.
    """
    terms = {**onset_terms, **functions.tempo_terms(performance, windows, times, spread)}
    return BaseFunctions(
        [terms[name] for name in functions.names],
        functions.names,
        len(windows),
        int(windows[-1, 1]),
        windows=windows,
    )


def windows_of(performance: Performance, functions: ChordFunctions) -> IntArray:
    """Return windows of a second either side of the coarse alignment [shape=(G, 2)], in frames."""
    signal = functions.signal(performance)
    frames = spaced(performance.coarse / signal.hop, signal.n_frames)
    return windows_about(frames, round(_HALF / signal.hop), signal.n_frames)


def find_chords(
    performance: Performance, functions: ChordFunctions, weights: Float64
) -> FoundChords:
    """Find when each chord is played.

    Parameters
    ----------
    performance : Performance
        Recording and score.
    functions : ChordFunctions
        The set of base functions.
    weights : np.ndarray [shape=(J,)]
        Of its base functions.

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
    times, spread = performance.coarse, _SPREAD
    half = round(_HALF / hop)
    windows = windows_of(performance, functions)
    heard = None
    for attempt in range(_ATTEMPTS):
        onset_terms, heard = functions.onset_terms(performance, windows, heard)
        for _ in range(functions.passes):
            before = times, spread
            x = base_functions(performance, functions, windows, onset_terms, *before)
            potentials = x.potentials(weights)
            path = decode(potentials)
            times = np.asarray(path.onsets * hop, dtype=np.float64)
            spread = tempo_spread(performance.chords.onsets, times, default=_SPREAD)
        near = touched(windows, path.onsets, round(_MARGIN / hop), n)
        if not near.any() or attempt == _ATTEMPTS - 1:
            break
        windows = widened(windows, path.onsets, near, half, round(_NEAR / hop), n)
    return FoundChords(
        path.onsets, x, potentials, windows, onset_terms, heard, *before, path.score
    )
