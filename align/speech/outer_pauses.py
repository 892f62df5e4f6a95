"""Recordings that begin or end in mid-speech: they are aligned with a pause there.

A network sees a tenth of a second to either side of a frame, and beyond the ends of a recording
sound of mean energy: so 30 ms of silence before the first word look like the closure of a stop,
and a vowel at the very beginning as if it had lasted. Where a network is not sure of silence at an
end, a pause is put there, which sounds like the softest parts of the recording. What was said is
then found as it always is, between two pauses.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from align.features import Feature, Signal
from align.features.sound.signal import LongerSignal
from align.sequence.extended import Extended
from align.types import SILENCE, Event, Float32

_CLOSED = (
    "closure",
    "voiceless stop",
    "voiced stop",
    "glottal stop",
)  # classes of sounds that begin in silence
_PAUSE = 0.12  # seconds; as far as networks see
_INSTANT = 0.015  # seconds at either end that say whether there is silence
_SILENT = math.log(0.3)  # log probability of silence from which on there is a pause
_WINDOW = 0.032  # seconds of sound whose spectra are compared
_SOFTEST = 0.05  # share of the spectra that a pause sounds like


def with_outer_pauses(
    features: Sequence[Feature], signal: Signal, classes: Mapping[str, str]
) -> Extended:
    """Return a recording with a pause at each end that has none.

    It is the recording itself where there is silence at either end, or no network to ask.
    `classes` are those of labels.
    """
    network = next((feature for feature in features if feature.scores_noise), None)
    if network is None:
        return Extended(signal, signal)

    def closed(event: Event) -> bool:
        return classes.get(str(event), "") in _CLOSED

    def longer_signal() -> tuple[LongerSignal | None, int, Feature]:
        n = min(max(1, round(_INSTANT / signal.hop)), signal.n_frames)
        lengths = [
            0 if silent >= n * _SILENT else round(_PAUSE / signal.hop)
            for silent in network.at_ends(signal, SILENCE, n)
        ]
        if not any(lengths):
            return None, 0, network
        pause = pause_like(signal.samples, signal.rate, max(lengths) * signal.hop_length)
        before, after = (pause[: n * signal.hop_length] for n in lengths)
        return LongerSignal(signal, before, after), lengths[0], network

    # the network stays with it, so that no other one has its place in memory
    longer, before, _ = signal.cached(("outer pauses", id(network)), longer_signal)
    return Extended(signal, signal if longer is None else longer, before, closed)


def pause_like(samples: Float32, rate: int, n: int) -> Float32:
    """Return n samples of noise with the spectrum of the softest parts of a recording.

    `samples` [shape=(m,)] are the recording, `rate` their number in a second.

    Examples
    --------
    >>> speech = np.concatenate((np.full(4000, 1e-3), np.full(4000, 1e-1))).astype(np.float32)
    >>> bool(np.abs(pause_like(speech, 16000, 800)).max() < 1e-2)
    True
    """
    size = round(_WINDOW * rate)
    window = np.hanning(size)
    padded = np.pad(samples.astype(np.float64), (0, max(0, size - len(samples))))
    parts = np.lib.stride_tricks.sliding_window_view(padded, size)[:: size // 4]
    power = np.abs(np.fft.rfft(parts * window, axis=1)) ** 2
    # speech differs from a rumble by its high frequencies
    loudness = power @ np.linspace(0.0, 1.0, power.shape[1]) ** 2
    some = max(3, round(_SOFTEST * len(power)))
    softest = power[np.argsort(loudness, kind="stable")[:some]].mean(axis=0) / (window**2).sum()
    noise = np.fft.rfft(np.random.default_rng(0).standard_normal(n))
    at = np.linspace(0.0, 1.0, len(softest))
    shape = np.sqrt(np.interp(np.linspace(0.0, 1.0, len(noise)), at, softest))
    return np.asarray(np.fft.irfft(noise * shape, n), dtype=np.float32)
