"""Finding the onsets of chords: exact decoding in windows, several times.

The coarse alignment gives each chord a window of a second either side, or to a chord beside it
that is further away and held for half as long again as usual, up to 3 s. In a *pass* the base
functions, of which that of lengths takes the tempo from the answer before (at first the coarse
alignment), are weighed and decoded exactly. Where an onset comes within 0.1 s of an edge of its
window, the windows of that chord and of those within 3 s grow by a second, and the passes begin
again; so the answer is the optimum over windows that do not constrain it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from align.decoders import decode
from align.decoders.window_search import near_edges, search_in_windows
from align.features.sound.signal import Signal
from align.music.functions.chord_functions import ChordFunctions
from align.music.functions.default import DefaultFunctions
from align.music.performances.performance import Performance
from align.music.performances.tempo import Tempo, tempo_spread
from align.music.placing.notes import APART
from align.music.placing.windows import limits_of, widened, windows_about
from align.potentials import Potentials
from align.progress import counted
from align.sequence.frames import spaced
from align.terms import BaseFunctions
from align.types import BoolArray, Float64, IntArray

_HALF = 1.0  # seconds either side of the coarse alignment
_MARGIN = 0.1  # seconds: so near to an edge, the optimum may lie beyond
_NEAR = 3.0  # seconds
_HELD = 1.5  # times as slow as usual: at a fermata, or a rest that the score does not have
_ATTEMPTS = 6
_BY_HAND = {"notes": 1.0, "duration": 1.0}  # weights that find the tempo before any are learned
SPREAD = 0.2  # of log ratios of lengths to the tempo of the coarse alignment


Weights: TypeAlias = Callable[[BaseFunctions], Float64]


@dataclass(frozen=True, eq=False)
class FoundChords:
    """The decoder's answer.

    Parameters
    ----------
    frames : np.ndarray [shape=(G,), dtype=intp]
        Onset of each chord.
    potentials : Potentials
        What was decoded in the last pass.
    windows : np.ndarray [shape=(G, 2), dtype=intp]
        Where it was looked for.
    kept : list
        What each feature keeps of the onsets in these windows; see `ChordFeature.onset_terms`.
    value : float
        Score of the best timing: what the decoder maximised.
    tempo : Tempo
        That of the last pass.
    """

    frames: IntArray
    potentials: Potentials
    windows: IntArray
    kept: list[Any]
    value: float
    tempo: Tempo


def windows_of(performance: Performance, functions: ChordFunctions) -> IntArray:
    """Return windows about the coarse alignment [shape=(G, 2)], in frames."""
    signal = functions.signal(performance)
    frames = _coarse_frames(performance, signal)
    slower = np.diff(frames) / np.diff(performance.chords.onsets)
    held = slower > _HELD * (np.median(slower) if slower.size else 1.0)
    most = held * round(_NEAR / signal.hop)
    return windows_about(frames, round(_HALF / signal.hop), signal.n_frames, most=most)


def _coarse_frames(performance: Performance, signal: Signal) -> IntArray:
    return spaced(performance.coarse / signal.hop, signal.n_frames)


def _least_lengths(performance: Performance, signal: Signal) -> IntArray:
    """Return how many frames each chord lasts at the least [shape=(G,)]."""
    pitches, group = performance.notes.pitches, performance.chords.group
    order = np.lexsort((group, pitches))
    again = (np.diff(pitches[order]) == 0) & (np.diff(group[order]) == 1)
    first = group[order[:-1][again]]
    frames = _coarse_frames(performance, signal)
    least = np.ones(len(frames), dtype=np.intp)
    apart = round(APART / signal.hop)
    least[first] = np.clip((frames[first + 1] - frames[first]) // 2, 1, apart)
    return least


def find_chords(
    performance: Performance, functions: ChordFunctions, weights: Weights
) -> FoundChords:
    """Return when each chord is played; ParameterError where no timing fits.

    `weights` returns weights [shape=(J,)], given the base functions of the recording.
    """
    search = _Search(performance, functions, weights)
    found = search_in_windows(
        windows_of(performance, functions),
        search.decode,
        search.near,
        search.widen,
        most_rounds=_ATTEMPTS,
    )
    return found.found


def first_guess(performance: Performance, functions: ChordFunctions) -> BaseFunctions:
    """Return base functions whose tempo is that of a decoding with weights set by hand."""
    windows, tempo = windows_of(performance, functions), Tempo(performance.coarse, SPREAD)
    kept: list[Any] = []
    if any(isinstance(feature, DefaultFunctions) for feature in functions.features):
        found = find_chords(
            performance,
            functions,
            lambda x: np.array([_BY_HAND.get(name, 0.0) for name in x.names]),
        )
        windows, tempo, kept = found.windows, found.tempo, found.kept
    terms, _ = functions.onset_terms(performance, windows, kept)
    return functions.base_functions(performance, windows, terms, tempo)


class _Search:
    """Windows of chords; answers are passed on, since lengths take the tempo from them."""

    def __init__(
        self, performance: Performance, functions: ChordFunctions, weights: Weights
    ) -> None:
        signal = functions.signal(performance)
        self.performance, self.functions, self.weights = performance, functions, weights
        self.n_frames, self.hop = signal.n_frames, signal.hop
        self.least = _least_lengths(performance, signal)
        self.tempo = Tempo(performance.coarse, SPREAD)
        self.kept: list[Any] = []

    def decode(self, windows: IntArray) -> FoundChords:
        performance, functions = self.performance, self.functions
        onset_terms, self.kept = functions.onset_terms(performance, windows, self.kept)
        # Only tables that are still needed are kept: those of a long recording are large.
        for left in counted(range(functions.passes)[::-1], performance.progress, "aligning"):
            tempo = self.tempo
            x = functions.base_functions(performance, windows, onset_terms, tempo)
            potentials = replace(x.potentials(self.weights(x)), min_length=self.least)
            del x
            if not left:
                onset_terms = {}
            path = decode(potentials)
            times = np.asarray(path.onsets * self.hop, dtype=np.float64)
            self.tempo = Tempo(times, tempo_spread(performance.chords.onsets, times))
            if left:
                del potentials
        return FoundChords(path.onsets, potentials, windows, self.kept, path.score, tempo)

    def near(self, found: FoundChords, windows: IntArray) -> BoolArray:
        limits = limits_of(len(windows), self.n_frames)
        return near_edges(found.frames, windows, limits, round(_MARGIN / self.hop))

    def widen(
        self,
        windows: IntArray,
        found: FoundChords | None,
        near: BoolArray | None,
    ) -> IntArray | None:
        if found is None or near is None:
            return None  # windows about the coarse alignment always hold some timing
        half, reach = round(_HALF / self.hop), round(_NEAR / self.hop)
        return widened(windows, found.frames, near, half, reach, self.n_frames)
