"""What a recording would sound like elsewhere: in a room, in noise, over a telephone.

A network that is trained on quiet recordings only takes the noise of another room for a phone. So
training disguises each recording, drawn anew each time it comes round: what changes is
the sound, never the times at which its events begin.

A disguise is a chain, in the order in which sound travels, each link there by chance:

1. *a room*: the sound that reaches the microphone straight, then some early reflections one by
   one, then a dense tail that decays, the high frequencies faster;
2. *other sounds*: steady or fluctuating noise of a random spectrum, hum, clicks, other
   people speaking, music, at a random level below the speech;
3. *a microphone*: a slowly changing frequency response;
4. *a line*: a telephone's band, a low sampling rate, a coder that leaves out what is masked, or
   rounds logarithmically; samples cut off at a limit.

References
----------
Polack, "La transmission de l'energie sonore dans les salles", 1988 (the decaying-noise model of a
room). Barron and Lee, "Energy relations in concert auditoriums", 1988 (reflected energy begins
with the straight sound). Ko et al., "A study on data augmentation of reverberant speech for robust
speech recognition", ICASSP 2017.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # scipy.fft is loaded when a disguise is first put on: aligning needs none

from align.errors import ParameterError
from align.types import Float32, Float64

Samples = npt.NDArray[Any]
Rng = np.random.Generator

KINDS = ("noise", "room")
"""Kinds of surroundings."""

_SOUND = 343.0  # metres a second


def elsewhere(
    samples: Float32,
    rate: int,
    rng: Rng,
    others: Sequence[Float32] = (),
    kind: str = "noise",
) -> Float32:
    """Return a recording as it may sound elsewhere; times stay.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Mono samples.
    rate : int
        Sampling rate in Hz.
    rng : np.random.Generator
        Draws the surroundings.
    others : sequence of np.ndarray, optional
        Recordings at the same rate that people who speak in the background are taken from.
    kind : {"noise", "room"}
        What there always is: another sound, or a line that changes the sound; or a
        room, and perhaps the others.

    Returns
    -------
    np.ndarray [shape=(n,), dtype=float32]

    Examples
    --------
    >>> speech = np.sin(np.arange(8000) * 0.1).astype(np.float32)
    >>> elsewhere(speech, 16000, np.random.default_rng(0)).shape
    (8000,)
    """
    if kind not in KINDS:
        raise ParameterError(f"kind={kind!r}, must be one of {', '.join(KINDS)}.")
    sound: Samples = samples
    room = kind == "room"
    if room or rng.random() < 0.1:
        sound = _in_room(sound, _room(rate, rng))
    sounds = rng.random() < (0.4 if room else 0.75)
    if sounds:
        sound = sound + _background(sound, rate, rng, others)
    if rng.random() < 0.5:
        sound = _filtered(sound, rate, _microphone(rate, rng))
    if rng.random() < (0.15 if room else 0.25 if sounds else 1.0):
        sound = _over_line(sound, rate, rng)
    return sound.astype(np.float32, copy=False)


# Rooms ---------------------------------------------------------------------------------------


def _room(rate: int, rng: Rng) -> Float32:
    """Return the impulse response of a room that does not exist [shape=(n,)].

    The direct sound is at 0 and has height 1. Reflections arrive more and more densely (their
    number grows with the cube of time); up to 50 ms they are placed one by one, behind that the
    tail is Gaussian noise, whose energy falls by 60 dB in the reverberation time.
    """
    decay = float(np.exp(rng.uniform(np.log(0.15), np.log(1.0))))  # seconds to -60 dB
    size = max(int(decay * rate * 0.8), 64)
    time = np.arange(size) / rate
    # High frequencies die out sooner: noise in three bands, each with a decay of its own.
    spectrum = scipy.fft.rfft(rng.standard_normal(size))
    frequency = scipy.fft.rfftfreq(size, 1 / rate)
    tail = np.zeros(size)
    low = 0.0
    for high, factor in (
        (1000.0, rng.uniform(0.9, 1.3)),
        (3500.0, 1.0),
        (rate, rng.uniform(0.4, 0.9)),
    ):
        band = scipy.fft.irfft(
            np.where((frequency >= low) & (frequency < high), spectrum, 0), size
        )
        tail += band * np.exp(-6.9 * time / (decay * factor))
        low = high
    path = rng.uniform(0.3, 4.0)  # metres from the mouth to the microphone
    # When the first reflection comes, after the straight sound. The tail is there at once: were a
    # strong one to grow slowly, everything would sound late, and nobody could say by how much.
    first = rng.uniform(0.001, 0.006)
    tail *= 1 - np.exp(-np.maximum(time - first, 0) / rng.uniform(0.0005, 0.005))
    # Energy of the tail beside that of the straight sound, in dB.
    tail *= 10 ** (rng.uniform(-12.0, 12.0) / 20) / max(float(np.sqrt(np.sum(tail**2))), 1e-9)
    response = tail
    arrivals = first + np.cumsum(rng.exponential(rng.uniform(0.001, 0.006), 20))
    for arrival in arrivals[arrivals < min(0.05, time[-1])]:
        # Sound spreads, and walls take some of it: a reflection is below the straight sound.
        strength = path / (path + _SOUND * arrival) * rng.uniform(0.3, 0.95)
        response[int(arrival * rate)] += strength * rng.choice((1.0, 1.0, 1.0, -1.0))
    response[0] = 1.0
    return response.astype(np.float32)


def _in_room(samples: Samples, response: Float32) -> Samples:
    """Return the convolution with a room's response, as long as the samples."""
    n = scipy.fft.next_fast_len(samples.size + response.size - 1, real=True)
    return np.asarray(
        scipy.fft.irfft(scipy.fft.rfft(samples, n) * scipy.fft.rfft(response, n), n)[
            : samples.size
        ]
    )


# Other sounds --------------------------------------------------------------------------------


def _background(speech: Samples, rate: int, rng: Rng, others: Sequence[Float32]) -> Samples:
    """Return other sounds at a random level below the speech [shape as that of `speech`]."""
    n = speech.size
    kind = rng.random()
    if kind < 0.2 and others:
        sound = _babble(n, rng, others)
    elif kind < 0.45:
        sound = _music(n, rate, rng)
    else:
        sound = _noise(n, rate, rng)
    if rng.random() < 0.3:
        sound = _in_room(sound, _room(rate, rng))
    ratio = rng.uniform(-2.0, 25.0)  # dB, of the loud parts of the speech to the sound
    level = np.sqrt(np.mean(np.square(sound)))
    gain = _loudness(speech, rate) / max(level, 1e-9) * 10 ** (-ratio / 20)
    return np.asarray(sound * gain)


def _loudness(samples: Samples, rate: int) -> float:
    """Return the root mean square of the frames of 25 ms that are not far below the loudest."""
    frame = max(1, rate // 40)
    whole = samples[: samples.size // frame * frame].reshape(-1, frame)
    if not whole.size:
        whole = samples[None]
    power = np.mean(np.square(whole), axis=1)
    return float(np.sqrt(power[power >= 0.003 * power.max()].mean()))


def _noise(n: int, rate: int, rng: Rng) -> Float64:
    """Return noise of a random spectrum, steady or fluctuating, perhaps with hum or clicks."""
    size = scipy.fft.next_fast_len(n, real=True)
    spectrum = scipy.fft.rfft(rng.standard_normal(size))
    octave = np.log2(np.maximum(scipy.fft.rfftfreq(size, 1 / rate), 20.0) / 500.0)
    decibel = rng.uniform(-9.0, 3.0) * octave  # its slope: from below brown to above white
    # Some bumps, as of machines: Gaussian over the octaves.
    for _ in range(rng.integers(0, 4)):
        at, width = rng.uniform(-3, 4), rng.uniform(0.05, 1.0)
        decibel = decibel + rng.uniform(0, 20) * np.exp(-0.5 * ((octave - at) / width) ** 2)
    sound: Float64 = scipy.fft.irfft(spectrum * 10 ** (np.clip(decibel, -60, 60) / 20), size)[:n]
    sound = np.asarray(sound / max(float(np.sqrt(np.mean(sound**2))), 1e-9))
    if rng.random() < 0.4:
        sound = sound * _envelope(n, rate, rng)
    if rng.random() < 0.2:
        pitch, time = rng.uniform(45, 250), np.arange(n) / rate
        for k in range(1, int(rng.integers(2, 8))):
            sound = sound + rng.uniform(0, 1.0) / k * np.sin(2 * np.pi * k * pitch * time)
    if rng.random() < 0.2:
        for at in rng.integers(0, n, 1 + n // rate * int(rng.integers(1, 8))):
            length = min(int(rng.uniform(0.001, 0.06) * rate) + 1, n - at)
            burst = rng.standard_normal(length) * np.exp(-np.linspace(0, 6, length))
            sound[at : at + length] += rng.uniform(1, 8) * burst
    return np.asarray(sound)


def _envelope(n: int, rate: int, rng: Rng) -> Float64:
    """Return a gain that changes a few times a second [shape=(n,)]."""
    knots = max(2, int(n / rate * rng.uniform(0.5, 8.0)) + 2)
    decibel = rng.normal(0.0, rng.uniform(2.0, 10.0), knots)
    return np.asarray(10 ** (np.interp(np.arange(n), np.linspace(0, n, knots), decibel) / 20))


def _babble(n: int, rng: Rng, others: Sequence[Float32]) -> Float64:
    """Return several people speaking at once, cut from other recordings."""
    sound = np.zeros(n)
    for _ in range(int(rng.integers(1, 9))):
        voice = others[int(rng.integers(len(others)))]
        level = float(np.sqrt(np.mean(np.square(voice, dtype=np.float64))))
        turned = np.roll(voice, int(rng.integers(voice.size)))
        sound += np.resize(turned, n) / max(level, 1e-6) * rng.uniform(0.3, 1.0)
    return sound


def _music(n: int, rate: int, rng: Rng) -> Float64:
    """Return chords of decaying or held harmonic tones over a beat, with some percussion."""
    sound = np.zeros(n)
    beat = rng.uniform(0.12, 0.6)
    root = rng.uniform(40, 60)
    scale = np.array([0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 17, 19])
    bright, decay = rng.uniform(0.4, 2.0), rng.uniform(0.1, 1.5)
    held = rng.random() < 0.4
    drums = rng.uniform(0.0, 1.0) if rng.random() < 0.5 else 0.0
    at = 0.0
    while at * rate < n:
        first = int(at * rate)
        length = min(int(rate * (beat * 2 if held else 1.2)), n - first)
        time = np.arange(length) / rate
        shape = np.minimum(time / 0.01, 1.0) * (
            np.minimum((time[-1] - time) / 0.05, 1.0) if held else np.exp(-time / decay)
        )
        for pitch in root + 12 * rng.integers(0, 3) + rng.choice(scale, int(rng.integers(1, 4))):
            f0 = 440 * 2 ** ((pitch - 69) / 12)
            k = np.arange(1, min(12, int(0.45 * rate / f0)) + 1)
            height = k**-bright * rng.uniform(0.3, 1.0, k.size)
            # The harmonics are powers of one turning number, so their sum is a polynomial of it.
            partials = height * np.exp(1j * rng.uniform(0, 6.28, k.size))
            turning = np.exp(2j * np.pi * f0 * time)
            tone = np.polyval([*partials[::-1], 0.0], turning).imag
            sound[first : first + length] += shape * tone
        if drums:
            burst = min(int(0.08 * rate), n - first)
            hit = rng.standard_normal(burst) * np.exp(-np.linspace(0, 7, burst))
            sound[first : first + burst] += drums * 3 * hit
        at += beat * rng.integers(1, 4)
    return sound


# Microphones and lines -----------------------------------------------------------------------


def _filtered(samples: Samples, rate: int, decibel: Float64) -> Samples:
    """Return samples with each frequency's level changed; `decibel` is given every Hz apart.

    `decibel` has one number for each of evenly spaced frequencies from 0 to half the rate.
    """
    n = scipy.fft.next_fast_len(samples.size + rate // 20, real=True)
    frequency = np.linspace(0, 1, n // 2 + 1)
    gain = 10 ** (np.interp(frequency, np.linspace(0, 1, decibel.size), decibel) / 20)
    return np.asarray(scipy.fft.irfft(scipy.fft.rfft(samples, n) * gain, n)[: samples.size])


def _microphone(rate: int, rng: Rng) -> Float64:
    """Return a response in dB that changes slowly over the octaves."""
    frequency = np.linspace(0, rate / 2, 257)
    octave = np.log2(np.maximum(frequency, 40.0) / 40.0)
    knots = np.arange(0, np.ceil(octave.max()) + 1)
    return np.asarray(np.interp(octave, knots, rng.normal(0, rng.uniform(1, 5), knots.size)))


def _over_line(samples: Samples, rate: int, rng: Rng) -> Samples:
    """Return samples as a telephone, a coder or an input that is too loud leaves them."""
    kind = rng.random()
    if kind < 0.45:  # a band
        frequency = np.linspace(0, rate / 2, 1025)
        low = rng.uniform(50, 350) if rng.random() < 0.7 else 0.0
        high = rng.uniform(3000, 4000) if rng.random() < 0.6 else rng.uniform(4000, rate / 2)
        steep = rng.uniform(24, 200)  # dB an octave
        below = np.log2(np.maximum(low, 1.0) / np.maximum(frequency, 1.0))
        above = np.log2(np.maximum(frequency, 1.0) / high)
        samples = _filtered(samples, rate, -np.clip(steep * np.maximum(below, above), 0, 80))
        if rng.random() < 0.5:
            samples = _companded(samples)
        return samples
    if kind < 0.75:
        return _coded(samples, rate, rng)
    limit = np.quantile(np.abs(samples), rng.uniform(0.9, 0.999))
    return np.asarray(np.clip(samples, -limit, limit))


def _companded(samples: Samples) -> Samples:
    """Return samples rounded to 8 bits on a logarithmic scale (mu-law)."""
    peak = max(float(np.abs(samples).max()), 1e-9)
    short = np.sign(samples) * np.log1p(255 * np.abs(samples) / peak) / np.log(256.0)
    short = np.round(short * 127) / 127
    return np.asarray(np.sign(short) * np.expm1(np.abs(short) * np.log(256.0)) / 255 * peak)


def _coded(samples: Samples, rate: int, rng: Rng) -> Samples:
    """Return samples without what a coder would leave out: frames in which weak bands are zero."""
    size = 512
    hop = size // 2
    window = np.sin(np.pi * (np.arange(size) + 0.5) / size)
    padded = np.pad(samples, (size, size + hop))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::hop] * window
    spectrum = scipy.fft.rfft(frames, axis=1)
    power = np.abs(spectrum) ** 2
    width = 8
    bands = power[:, :-1].reshape(len(power), -1, width).mean(axis=2)
    floor = bands.max(axis=1, keepdims=True) * 10 ** (-rng.uniform(15, 45) / 10)
    kept = np.repeat(bands >= floor, width, axis=1)
    spectrum[:, :-1] *= kept
    spectrum[:, int(rng.uniform(3500, rate / 2) / rate * size) :] = 0
    step = np.sqrt(np.repeat(bands, width, axis=1)) * rng.uniform(0.1, 1.0) + 1e-12
    spectrum[:, :-1] = (
        np.round(spectrum[:, :-1].real / step) + 1j * np.round(spectrum[:, :-1].imag / step)
    ) * step
    back = scipy.fft.irfft(spectrum, size, axis=1) * window
    whole = np.zeros(hop * (len(back) + 1))
    whole[: hop * len(back)] += back[:, :hop].ravel()
    whole[hop:] += back[:, hop:].ravel()
    return np.asarray(whole[size : size + samples.size])
