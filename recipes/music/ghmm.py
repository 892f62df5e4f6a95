"""A generative baseline: a hidden Markov model with Gaussian mixtures and modelled lengths.

The thesis compares with a "generalized HMM" in which a mixture of n Gaussians models some of the
probabilities (15 random partitions of the data, the run of highest likelihood kept), and says no
more; states, features and lengths here are our own. Each chord is a state. A frame is described,
for the notes of a chord, by the logarithms of the energies at their first three harmonics and the
first and second derivatives of these (psi_1 .. psi_9 of the logarithm), averaged over the notes.
One mixture models them at the onset of the chord, another at frames drawn from its window; lengths
are normal about the local tempo of the coarse alignment. The timing of highest likelihood is ::

    argmax sum_k  ln p_onset(x_k(y_k)) - ln p_window(x_k(y_k)) + ln N(d_k / m_k; mu, sigma)

found exactly in the windows of the other aligners. Nothing is weighed: that is the point.
"""

import os
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.mixture import GaussianMixture

import align
from align.decoders import decode
from align.errors import DataError
from align.features import PitchEnergy
from align.music.functions.chord_functions import ChordFunctions, WindowTerm
from align.music.functions.thesis import ThesisFunctions
from align.music.performances.performance import Performance, read_performance
from align.music.performances.tempo import Tempo, expected_lengths, local_tempo
from align.music.placing.decoding import windows_of
from align.sequence.frames import in_order
from align.sequence.learning.problem import Truth
from align.terms import BaseFunctions, DurationTerm

DRAWN = 4  # frames of each window for the mixture of all frames
FLOOR = 0.02  # least density of a length, relative to its peak: fermatas happen


_PARTS: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}


class _LogEnergies(ThesisFunctions):
    names = ThesisFunctions.names[:-1]  # without psi_10
    energy: ClassVar[PitchEnergy] = PitchEnergy(log=True)

    def tempo_terms(self, *_: Any) -> dict[str, Any]:
        return {}


class GaussianAligner:
    """Align with Gaussian mixtures; see the module's text."""

    def __init__(self, n: int, seed: int = 0) -> None:
        self.n = n
        self.seed = seed
        self.functions = ChordFunctions([_LogEnergies()])

    def fit(self, examples: Sequence[align.Example]) -> Self:
        at_onsets, anywhere, ratios = zip(*(self._parts(e) for e in examples), strict=True)
        options = {"n_init": 15, "init_params": "random", "random_state": self.seed}
        self.onset = GaussianMixture(self.n, **options).fit(np.concatenate(at_onsets))
        self.window = GaussianMixture(self.n, **options).fit(np.concatenate(anywhere))
        ratio = np.concatenate(ratios)
        ratio = ratio[(ratio > 0.2) & (ratio < 5)]
        self.mean, self.deviation = float(ratio.mean()), float(ratio.std())
        return self

    def _parts(self, example: align.Example) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What is seen at the onsets of a piece and elsewhere, and its relative lengths."""
        key = str(example.audio)
        if key not in _PARTS:
            rng = np.random.default_rng(self.seed)
            performance = read_performance(example.audio, example.score)
            x, seen = self._observed(performance)
            hop = self.functions.signal(performance).hop
            times = performance.chord_means(performance.merged(example.onsets))
            y = Truth.within(times, performance.chords.onsets, x.windows, hop)
            k = np.flatnonzero(y.known)
            width = x.windows[k, 1] - x.windows[k, 0]
            drawn = [seen[k, rng.integers(0, width)] for _ in range(DRAWN)]
            pair = k[:-1][np.diff(k) == 1]
            lengths = (y.frames[pair + 1] - y.frames[pair]) / self._expected(performance)[pair]
            at_onsets = seen[k, y.frames[k] - x.windows[k, 0]]
            _PARTS[key] = at_onsets, np.concatenate(drawn), lengths
        return _PARTS[key]

    def align(self, audio: str | os.PathLike[str], score: Any) -> align.MusicAlignment:
        performance = read_performance(audio, score)
        x, seen = self._observed(performance)
        flat = seen.reshape(-1, seen.shape[-1])
        ratio = self.onset.score_samples(flat) - self.window.score_samples(flat)
        lengths = self._expected(performance)
        windows = x.windows
        longest = int((np.append(windows[1:, 1] - 1, windows[-1, 1]) - windows[:, 0]).max())
        z = (np.arange(longest + 1) / lengths[:, None] - self.mean) / self.deviation
        rows = np.arange(len(lengths))
        rows[-1] = -1
        terms = [
            WindowTerm(ratio.reshape(seen.shape[:2]), windows[:, 0]),
            DurationTerm(np.log(np.exp(-0.5 * z**2) + FLOOR), rows),
        ]
        whole = BaseFunctions(terms, ("ratio", "length"), x.n_events, x.n_frames, windows=windows)
        try:
            path = decode(whole.potentials(np.ones(2)))
        except align.ParameterError as error:
            raise DataError(str(error), path=os.fspath(audio)) from error
        hop = self.functions.signal(performance).hop
        duration = performance.signal.duration
        chords = in_order(path.onsets * hop, duration)
        return align.MusicAlignment.from_score(
            score, chords[performance.chord_of], duration=duration
        )

    def _observed(self, performance: Performance) -> tuple[BaseFunctions, np.ndarray]:
        """Windows, and what is seen of each chord in them [shape=(G, W, 9)]."""
        windows = windows_of(performance, self.functions)
        terms, _ = self.functions.onset_terms(performance, windows)
        tempo = Tempo(performance.coarse, 0.2)
        x = self.functions.base_functions(performance, windows, terms, tempo)
        seen = np.stack([term.table for term in x.terms], axis=2)
        return x, seen / performance.chords.sizes[:, None, None]

    def _expected(self, performance: Performance) -> np.ndarray:
        """Length of each chord in frames by the tempo of the coarse alignment."""
        written = performance.chords.onsets
        tempo = local_tempo(written, performance.coarse)
        return expected_lengths(written, tempo) / self.functions.signal(performance).hop
