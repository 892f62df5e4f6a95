"""When a note begins within the few milliseconds about where it was found, from finer steps.

A frame of 10 ms, and windows of 32 ms and more, leave an onset uncertain by some milliseconds, and
by more where instruments differ in their attack. Here a small network reads, every 2 ms, the
energy that a window of 10 ms shows in bands of an octave about the first harmonics of a note, and
above 2 and 5 kHz, each relative to its mean over the 0.1 s that are looked at. It says where in
them the note begins; its target is a bump of 3 ms about the true time.

With q the probability that the note begins t seconds after the place where it was found, the
weight of t is

    (q / (1 - q) + floor) exp(-t**2 / (2 spread**2))

and the note moves to the median of these weights: to a clear attack, by 15 ms at the most, while
a note without any stays.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import ModelError
from align.features.networks.network import FrameNetwork
from align.features.networks.targets import Target
from align.features.networks.training import train_on_batches
from align.features.notes.timed_notes import TimedNotes
from align.features.sound.mel import fft_length
from align.features.sound.pitch import pitch_frequency
from align.features.sound.signal import Signal
from align.types import Float32, Float64, IntArray

_STEP = 0.002  # seconds
_WINDOW = 0.010  # seconds
_HALF = 24  # steps either side that are looked at
_SHIFT = 10  # steps by which a note in training is beside the middle at the most
_EDGE = 4  # steps at either end that do not count: their surroundings are cut off
_OCTAVES = 5  # bands about harmonics 1, 2, 4 ...
_ABOVE = (2000.0, 5000.0)  # Hz
_BANDS = _OCTAVES + len(_ABOVE)
_QUIET = 1e-7  # power that is nothing
_BATCH = 64
_AT_ONCE = 128  # notes
_WIDTH = 1.5  # steps, of the target
_SPREAD = 0.006  # seconds, of a note about where it was found
_FLOOR = 0.1  # odds of a time at which there is no attack
_ODDS = 400.0  # at most


@dataclass(eq=False, repr=False, kw_only=True)
class FineOnsets:
    """Moves notes to their attack, by a network of its own.

    Parameters
    ----------
    width : int
        Channels of the network's hidden layers.
    dilations : sequence of int
        See `FrameNetwork`.
    steps : int
        Updates of the weights; 2000 take some ten seconds.
    random_state : int
        Of weights and training.

    Attributes
    ----------
    network_ : FrameNetwork
        The fitted network.
    """

    width: int = 24
    dilations: Sequence[int] = (1, 2, 4)
    steps: int = 2000
    random_state: int = 0

    def fit(self, examples: Sequence[TimedNotes]) -> Self:
        """Train the network on timed notes; at least one piece, none without a known note."""
        around, chance = [], []
        for item in examples:
            known = np.isfinite(item.onsets)
            around.append(
                _levels(item.signal, item.pitches[known], item.onsets[known], _HALF + _SHIFT)
            )
            chance.append(np.full(len(around[-1]), item.weight / np.sqrt(len(around[-1]))))
        levels, reached = np.concatenate(around), np.cumsum(np.concatenate(chance))
        length = 2 * _HALF + 1
        seen = _relative(levels[:: max(len(levels) // 4000, 1), _SHIFT : _SHIFT + length])
        network = FrameNetwork.of_rare_events(
            seen, -2.0, width=self.width, dilations=self.dilations, random_state=self.random_state
        )
        counted = np.ones((_BATCH, length), dtype=np.float32)
        counted[:, :_EDGE] = counted[:, -_EDGE:] = 0.0
        step = np.arange(length)

        def draw(rng: np.random.Generator) -> tuple[Float32, list[list[Target]], Float32]:
            note = np.searchsorted(reached, rng.random(_BATCH) * reached[-1], side="right")
            first = rng.integers(0, 2 * _SHIFT + 1, _BATCH)
            x = network.standardise(_relative(levels[note[:, None], first[:, None] + step]))
            x += np.float32(0.1) * rng.standard_normal(x.shape, dtype=np.float32)
            away = (step - (_HALF + _SHIFT - first)[:, None]) / _WIDTH
            target = np.exp(-0.5 * away**2).astype(np.float32)
            return x, [[Target(row)] for row in target], counted

        train_on_batches(
            network,
            draw,
            steps=self.steps,
            learning_rate=3e-3,
            dropout=0.05,
            random_state=self.random_state + 400,
        )
        self.network_ = network
        return self

    def moved(
        self,
        signal: Signal,
        pitches: IntArray,
        times: Float64,
        progress: Callable[[int, int], None] | None = None,
    ) -> Float64:
        """Return the times of notes [shape=(N,)], each at its attack, in seconds.

        `pitches` are MIDI numbers and `times` where the notes were found, in seconds. `progress`
        is called with the notes done and their number.
        """
        out = np.empty(len(times))
        for begin in range(0, len(times), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            x = _relative(_levels(signal, pitches[part], times[part], _HALF))
            out[part] = times[part] + _STEP * _medians(self.network_.raw_outputs(x)[:, :, 0])
            if progress is not None:
                progress(min(begin + _AT_ONCE, len(times)), len(times))
        return out

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold: values that JSON can carry, and arrays."""
        return self.network_.get_state()

    def set_state(self, params: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned; refuses a network of another shape."""
        network = FrameNetwork.from_state(params, dict(arrays))
        if network.n_inputs != _BANDS or network.heads != (1,):
            raise ModelError(
                f"the network of fine onsets reads {network.n_inputs} numbers a step and answers "
                f"{network.heads}, must read {_BANDS} and answer (1,)."
            )
        self.network_ = network
        self.width, self.dilations = network.width, network.dilations
        return self


def _medians(logit: Float32) -> Float64:
    """Return the median of the weights about each note, in steps from where it was found."""
    odds = np.minimum(np.exp(np.clip(logit.astype(np.float64), -30.0, 30.0)), _ODDS)
    away = np.arange(-_HALF, _HALF + 1)
    weight = (odds + _FLOOR) * np.exp(-0.5 * (away * _STEP / _SPREAD) ** 2)
    mass = np.cumsum(weight, axis=1)
    half = 0.5 * mass[:, -1]
    k = np.count_nonzero(mass < half[:, None], axis=1)  # the step that holds the median
    n = np.arange(len(k))
    median: Float64 = away[k] + 0.5 - (mass[n, k] - half) / weight[n, k]
    return median


def _relative(levels: Float32) -> Float32:
    """Return levels [shape=(N, L, bands)] relative to their mean over the L steps."""
    return np.asarray(levels - levels.mean(axis=1, keepdims=True), dtype=np.float32)


@one_thread()
def _levels(signal: Signal, pitches: IntArray, times: Float64, half: int) -> Float32:
    """Return the level of each band about notes [shape=(N, 2 * half + 1, bands)].

    `times` [shape=(N,)] are seconds; what is beyond the recording is silence.
    """
    rate = signal.rate
    step, length = max(round(_STEP * rate), 1), max(round(_WINDOW * rate), 2)
    size = fft_length(length)
    edge = half * step + length
    at = np.clip(np.round(times * rate), 0, signal.samples.size).astype(np.intp)
    if not at.size:
        return np.empty((0, 2 * half + 1, _BANDS), dtype=np.float32)
    low, high = int(at.min()) - edge, int(at.max()) + edge  # of the recording, all that is needed
    about = signal.samples[max(low, 0) : high]
    padded = np.pad(about, (max(-low, 0), high - max(low, 0) - about.size))
    windows = np.lib.stride_tricks.sliding_window_view(padded, length)
    hann = np.hanning(length + 2)[1:-1].astype(np.float32)
    first, last = _bins(pitches, rate, size)
    beside = step * np.arange(-half, half + 1) - length // 2 - low
    out = np.empty((len(times), 2 * half + 1, _BANDS), dtype=np.float32)
    for k in range(len(times)):
        spectrum = np.fft.rfft(windows[at[k] + beside] * hann, size, axis=1)
        power = np.zeros((len(beside), size // 2 + 2))
        np.cumsum(spectrum.real**2 + spectrum.imag**2, axis=1, out=power[:, 1:])
        out[k] = np.log(power[:, last[k]] - power[:, first[k]] + _QUIET)
    return out


def _bins(pitches: IntArray, rate: int, size: int) -> tuple[IntArray, IntArray]:
    """Return first bin, and one past the last, of each band of each pitch [shape=(N, bands)]."""
    frequency = np.arange(size // 2 + 1) * rate / size
    octave = 2.0 ** np.arange(_OCTAVES) * pitch_frequency(pitches)[:, None]
    above = np.broadcast_to(np.array(_ABOVE), (len(pitches), len(_ABOVE)))
    low = np.concatenate([octave / np.sqrt(2.0), above], axis=1)
    high = np.concatenate([octave * np.sqrt(2.0), np.full_like(above, np.inf)], axis=1)
    first = np.minimum(np.searchsorted(frequency, low), len(frequency) - 1)
    return first, np.maximum(np.searchsorted(frequency, high), first + 1)
