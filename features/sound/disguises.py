"""Recordings in disguise: what a network of phones is trained on besides the recordings.

A disguise is a shift within a frame, a tempo, faster or slower, and a stretch of the frequency
axis, as by a longer or shorter vocal tract; and, it may be, another place where the recording was
made (`align.features.sound.surroundings`), or another share of silence.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from align.features.sound.dereverberation import dereverberated
from align.features.sound.near_mean import without_near_mean
from align.features.sound.signal import Signal
from align.features.sound.sounding import frames_of, level_of
from align.features.sound.spectra import log_mel
from align.features.sound.surroundings import elsewhere
from align.types import Float32, Float64


class Disguise(NamedTuple):
    """How a recording is changed for training.

    `shift` counts in frames. `tempo` is the length of a frame beside that of the recording's, and
    `stretch` how many times higher frequencies sound. `samples` are those that are taken
    for those of the recording; None for its own. In the mean that is taken from the energies each
    frame counts by its energy to the power of `silenced`: with 0 all count the same, from .5 on
    silence hardly counts.
    """

    shift: float = 0.0
    tempo: float = 1.0
    stretch: float = 1.0
    samples: Float32 | None = None
    silenced: float = 0.0


_DRAWN = (-0.5, 0.5), (0.92, 1.08), (0.93, 1.07)  # shifts, tempos and stretches

PLAIN = Disguise()
"""A recording as it is."""

DISGUISES: tuple[Disguise, ...] = (
    PLAIN,
    Disguise(1 / 3, 0.925, 0.93),
    Disguise(-1 / 3, 1.075, 1.07),
    Disguise(0.5, 1.0, 1.05),
    Disguise(1 / 6, 1.0, 0.95),
)
"""Those that training sees, in turn."""

SILENCED: tuple[Disguise, ...] = tuple(
    disguise._replace(silenced=power)
    for disguise, power in zip(DISGUISES, (0.0, 0.0, 0.5, 0.1, 0.4), strict=True)
)
"""The same, as if some of the recordings had less silence than they have."""


def drawn(
    signal: Signal,
    rng: np.random.Generator,
    others: Sequence[Float32],
    kind: str,
    most_silenced: float = 0.0,
) -> Disguise:
    """Return a disguise at random, in surroundings of a kind; `others` may speak there."""
    samples = elsewhere(signal.samples, signal.rate, rng, others, kind)
    shift, tempo, stretch = (rng.uniform(*ends) for ends in _DRAWN)
    silenced = rng.uniform(0.0, most_silenced) if most_silenced else 0.0
    return Disguise(shift, tempo, stretch, samples, silenced)


def disguised_energies(
    signal: Signal,
    disguise: Disguise,
    windows: Sequence[float],
    n_mels: int,
    *,
    without_echo: bool = False,
) -> Float32:
    """Return log mel energies for every window, without their mean [shape=(T, n)].

    A frame lasts `tempo` hops, and begins `shift` frames later. The filters stand `stretch` times
    higher: their bank is laid out for a sampling rate that is wrong by as much. `without_echo`
    asks for those of the recording without the echo of a room.
    """
    shift, tempo, stretch, other, power = disguise
    hop_length = max(1, round(signal.hop_length * tempo))
    rate = round(signal.rate / stretch)
    samples = signal.samples if other is None else other
    samples = samples * np.float32(0.05 / max(level_of(samples, signal.sounding), 1e-6))
    if without_echo:
        samples = dereverberated(samples, signal.rate)
    samples = _shifted(samples, round(shift * signal.hop_length))
    parts = [
        log_mel(
            samples,
            rate,
            hop_length / rate,
            window=window * signal.rate / rate,
            n_mels=n_mels,
            fmin=60.0,
            fmax=0.46 * signal.rate,
            preemphasis=0.97,
            floor=3e-5,
            normalise_mean=True,
        )
        for window in windows
    ]
    x = np.concatenate(parts, axis=1)
    first = round(shift * signal.hop_length) / signal.rate
    sound = frames_of(signal.sounding, len(x), hop_length / signal.rate, first)
    x = without_near_mean(x, hop_length / rate, sound)
    if power > 0.0:
        level = x.mean(axis=1)
        x -= np.average(x, axis=0, weights=np.exp(power * (level - level.max())))
    return x


def frame_times(signal: Signal, n_frames: int, disguise: Disguise) -> tuple[Float64, float]:
    """Return when the frames of a disguise begin, and how long they last, in seconds."""
    hop = max(1, round(signal.hop_length * disguise.tempo)) / signal.rate
    first = round(disguise.shift * signal.hop_length) / signal.rate
    return first + hop * np.arange(n_frames, dtype=np.float64), hop


def _shifted(samples: Float32, by: int) -> Float32:
    """Drop the first `by` samples, or put silence before them if negative."""
    if by >= 0:
        return samples[min(by, samples.size - 1) :]
    return np.concatenate([np.zeros(-by, dtype=np.float32), samples])
