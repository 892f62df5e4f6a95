"""Recordings made worse: rooms by image sources, noise, music, people, a telephone, MP3.

None of it is made as training makes it (`align.features.sound.disguises`): rooms here are boxes
with walls, noise is filtered in time, music and people are recordings. Each function takes samples
and returns as many; times stay, but for what sound needs from the mouth to the microphone, which
is taken out.
"""

import io
from collections.abc import Callable, Sequence

import numpy as np
import soundfile
from scipy.signal import butter, fftconvolve, lfilter, sosfilt

RATE = 16000
SOUND = 343.0

Samples = np.ndarray
Condition = Callable[[Samples, np.random.Generator], Samples]


def shoebox(size: Samples, source: Samples, ear: Samples, decay: float) -> Samples:
    """Return the impulse response of a box-shaped room by image sources [shape=(n,)].

    Parameters
    ----------
    size, source, ear : np.ndarray [shape=(3,)]
        The room, and where mouth and microphone are, in metres.
    decay : float
        Reverberation time (to -60 dB) in seconds, by Sabine's formula.

    References
    ----------
    Allen and Berkley, "Image method for efficiently simulating small-room acoustics", 1979.
    """
    walls = 2 * (size[0] * size[1] + size[0] * size[2] + size[1] * size[2])
    absorbed = min(0.161 * np.prod(size) / (decay * walls), 0.95)
    reflected = np.sqrt(1 - absorbed)
    length = 0.8 * decay  # seconds of it
    response = np.zeros(int(length * RATE) + 2)
    direct = float(np.linalg.norm(source - ear))
    reach = [int(np.ceil(length * SOUND / (2 * s))) for s in size]
    shifts = np.stack(np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij"), -1)
    shifts = shifts.reshape(-1, 3)
    for mirrored in np.ndindex(2, 2, 2):
        sign = 1 - 2 * np.array(mirrored)
        images = sign * source + 2 * shifts * size
        distance = np.linalg.norm(images - ear, axis=1)
        bounces = np.abs(2 * shifts - np.array(mirrored)).sum(axis=1)
        place = np.round((distance - direct) / SOUND * RATE).astype(int)
        here = (place >= 0) & (place < response.size)
        heard = direct / np.maximum(distance, 0.1) * reflected**bounces
        np.add.at(response, place[here], heard[here])
    return response


def room(samples: Samples, rng: np.random.Generator) -> Samples:
    """A room of 3 to 9 m, 0.2 to 0.7 s of reverberation, the microphone 0.5 to 3 m away."""
    size = np.array([rng.uniform(3.5, 9), rng.uniform(3, 7), rng.uniform(2.4, 3.6)])
    for _ in range(100):
        source, ear = (rng.uniform(0.4, size - 0.4) for _ in range(2))
        if 0.5 <= np.linalg.norm(source - ear) <= 3.0:
            break
    response = shoebox(size, source, ear, rng.uniform(0.2, 0.7))
    return fftconvolve(samples, response)[: samples.size]


def mixed(speech: Samples, sound: Samples, decibel: float) -> Samples:
    """Add a sound at a signal-to-noise ratio in dB, of mean powers."""
    gain = np.sqrt(np.mean(speech**2) / max(np.mean(sound**2), 1e-12)) * 10 ** (-decibel / 20)
    return speech + gain * sound


def noise(
    samples: Samples,
    rng: np.random.Generator,
    decibel: tuple[float, float] = (0, 15),
    kinds: int = 4,
) -> Samples:
    """White, pink, brown or band-limited noise, or the first `kinds` of these; so many dB."""
    white = rng.standard_normal(samples.size + 4000)
    kind = rng.integers(kinds)
    if kind == 1:  # pink: Kellet's filter
        b = [0.049922035, -0.095993537, 0.050612699, -0.004408786]
        white = lfilter(b, [1, -2.494956002, 2.017265875, -0.522189400], white)
    elif kind == 2:
        white = lfilter([1.0], [1.0, -0.98], white)
    elif kind == 3:
        low = rng.uniform(150, 2500)
        band = butter(2, [low, low * rng.uniform(1.5, 3)], "bandpass", fs=RATE, output="sos")
        white = sosfilt(band, white) + 0.01 * white
    return mixed(samples, white[4000:], rng.uniform(*decibel))


def behind(recordings: Sequence[Samples], voices: int) -> Condition:
    """Return a condition: so many of these recordings at once behind the speech, 5 to 20 dB."""

    def condition(samples: Samples, rng: np.random.Generator) -> Samples:
        sound = np.zeros(samples.size)
        for _ in range(voices):
            one = recordings[int(rng.integers(len(recordings)))]
            first = int(rng.integers(max(1, one.size - samples.size)))
            part = np.resize(one[first:], samples.size)
            sound += part / max(float(np.sqrt(np.mean(part**2))), 1e-6)
        return mixed(samples, sound, rng.uniform(5, 20))

    return condition


def telephone(samples: Samples, rng: np.random.Generator) -> Samples:
    """300 to 3400 Hz, by filters in time."""
    return sosfilt(butter(6, [300, 3400], "bandpass", fs=RATE, output="sos"), samples)


def mp3(samples: Samples, rng: np.random.Generator) -> Samples:
    """MP3 at the lowest quality of its encoder; what it adds in front is taken out."""
    file = io.BytesIO()
    peak = max(float(np.abs(samples).max()), 1e-9)
    soundfile.write(file, 0.5 * samples / peak, RATE, format="MP3", compression_level=0.99)
    file.seek(0)
    back, _ = soundfile.read(file)
    back = back[:, 0] if back.ndim > 1 else back
    span = fftconvolve(back, samples[::-1])
    lag = max(0, int(np.argmax(span)) - samples.size + 1)
    out = np.zeros(samples.size)
    part = back[lag : lag + samples.size]
    out[: part.size] = part
    return out
