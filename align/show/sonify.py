"""An alignment made audible: the recording on the left, what was aligned on the right.

*Clicks* are short bursts of 1.6 kHz that begin exactly at the onsets (of notes: at those of the
chords), to the sample. *Notes* are synthesised: of pitch p, partial h = 1 .. 6 of the frequency
f = 440 * 2 ** ((p - 69) / 12) Hz, below half the sampling rate,

::

    sum over h of h ** -1.5 * sin(2 pi h f t) * exp(-t / tau),
    tau = 1.2 s * 2 ** ((60 - p) / 24),

from the onset until the note ends by the score, with 5 ms of attack and 30 ms of release. With
headphones, what is early or late is heard at once.

Levels: the recording is brought to a peak of `_PEAK`; clicks have the same peak; notes get the
root mean square of the recording where they sound. No sample exceeds `_PEAK`.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.results.timing import Timing
from align.show.page.sound import encoded
from align.types import Float32, Float64, IntArray

_PEAK = 0.7
_CLICK = (1600.0, 0.012, 0.003)  # Hz, length and decay in seconds
_PARTIALS = 6
_ATTACK, _RELEASE = 0.005, 0.030  # seconds
_LONGEST = 6.0  # seconds that a note sounds at most
_SUFFIXES = (".wav", ".flac", ".ogg")


def sonify(
    alignment: Timing,
    *,
    sound: str | None = None,
    audio: StrPath | npt.NDArray[Any] | None = None,
    rate: int | None = None,
) -> tuple[Float32, int]:
    """Put the recording beside clicks or notes at the onsets.

    Parameters
    ----------
    alignment : Timing
        What was found.
    sound : {"clicks", "notes"}, optional
        What is heard; by default notes for a MusicAlignment, else clicks.
    audio : path or np.ndarray [shape=(n,)], optional
        The recording; by default the file `alignment` was made from.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where it is an array.

    Returns
    -------
    samples : np.ndarray [shape=(n, 2), dtype=float32]
        Left the recording, its channels averaged; right what was aligned.
    rate : int
        Sampling rate in Hz: that of the recording, or 8000 where it is lower.

    Raises
    ------
    DataError
        Where the recording is unknown or cannot be read.
    ParameterError
        For another `sound`, or notes of an alignment that has none.

    Examples
    --------
    >>> from align.results.alignment import Alignment
    >>> found = Alignment(["k", "iy"], [0.0, 0.1], duration=0.5)
    >>> samples, rate = sonify(found, audio=np.sin(np.arange(4000) / 5), rate=8000)
    >>> samples.shape, 400 + int(np.flatnonzero(samples[400:, 1])[0])
    ((4000, 2), 800)
    """
    alignment = alignment.held()
    pitches = alignment.pitches
    if sound is None:
        sound = "clicks" if pitches is None else "notes"
    if sound not in ("clicks", "notes"):
        raise ParameterError(f"sound={sound!r}, must be 'clicks' or 'notes'.")
    if sound == "notes" and pitches is None:
        raise ParameterError("sound='notes' needs an alignment of music; phones have no pitch.")
    from align.features.sound.audio import read_audio

    audio = alignment.audio if audio is None else audio
    if audio is None:
        raise DataError("the alignment knows no recording; name its audio.")
    left, found = read_audio(audio, None, source_rate=rate, allow_silence=True)
    if found < 8000:
        left, found = read_audio(left, 8000, source_rate=found, allow_silence=True)
    loudest = float(np.abs(left).max())
    if loudest > 0:
        left = left * np.float32(_PEAK / loudest)
    if sound == "notes" and pitches is not None:
        right = _balanced(_notes(pitches, alignment.intervals, left.size, found), left)
    else:
        right = _clicks(alignment.markers, left.size, found)
    return np.stack((left, right), axis=1), found


def save_sonification(
    alignment: Timing,
    path: StrPath,
    *,
    sound: str | None = None,
    audio: StrPath | npt.NDArray[Any] | None = None,
    rate: int | None = None,
    overwrite: bool = False,
) -> None:
    """Write what `sonify` returns to an audio file, whole or not at all.

    The suffix of the path is ``.wav``, ``.flac`` or ``.ogg``; with `overwrite` a file that exists
    is replaced. Other parameters are those of `sonify`. Raises DataError where the recording is
    unknown or cannot be read, or the output exists or cannot be written, ParameterError for
    another suffix or `sound`.
    """
    check_sonification(path)
    samples, found = sonify(alignment, sound=sound, audio=audio, rate=rate)
    sound_file = encoded(samples, found, Path(path).suffix.lower()[1:])
    atomic_write(path, sound_file, overwrite=overwrite)


def check_sonification(path: StrPath) -> None:
    """Raise a ParameterError where the suffix is none that `save_sonification` writes."""
    suffix = Path(path).suffix
    if suffix.lower() not in _SUFFIXES:
        raise ParameterError(
            f"{os.fspath(path)}: sound is written as {', '.join(_SUFFIXES)}, not as {suffix!r}."
        )


def _clicks(onsets: Float64, n: int, rate: int) -> Float32:
    """Clicks at times in seconds; the first sample of each stands at its onset, and is not 0."""
    frequency, length, decay = _CLICK
    time = np.arange(1, round(length * rate) + 1) / rate
    click = np.sin(2 * np.pi * frequency * time) * np.exp(-time / decay)
    click = (click * (_PEAK / np.abs(click).max())).astype(np.float32)
    out = np.zeros(n, dtype=np.float32)
    for first in np.rint(onsets * rate).astype(np.intp).tolist():
        end = min(first + click.size, n)
        if first < end:
            out[first:end] = click[: end - first]  # a later click cuts the one before short
    return out


def _notes(pitches: IntArray, intervals: Float64, n: int, rate: int) -> Float32:
    """Synthesise notes [shape=(N,)] from their start to their end in seconds [shape=(N, 2)]."""
    out = np.zeros(n + round(_RELEASE * rate) + 1, dtype=np.float32)
    first = np.rint(intervals[:, 0] * rate).astype(np.intp)
    length = np.minimum(np.diff(intervals, axis=1)[:, 0], _LONGEST)
    size = np.maximum(np.rint(length * rate).astype(np.intp), 1)
    release = np.linspace(1.0, 0.0, round(_RELEASE * rate) + 1, dtype=np.float32)
    for pitch in np.unique(pitches).tolist():
        own = np.flatnonzero(pitches == pitch)
        tone = _tone(pitch, int(size[own].max()) + release.size, rate)
        for k in own.tolist():
            note = tone[: size[k] + release.size].copy()
            note[-release.size :] *= release
            end = min(int(first[k]) + note.size, out.size)
            if first[k] < end:
                out[first[k] : end] += note[: end - int(first[k])]
    return out[:n]


def _tone(pitch: int, n: int, rate: int) -> Float32:
    time = np.arange(n) / rate
    frequency = 440.0 * 2.0 ** ((pitch - 69) / 12)
    tone = np.zeros(n)
    for h in range(1, _PARTIALS + 1):
        if h * frequency < 0.45 * rate:
            tone += h**-1.5 * np.sin(2 * np.pi * h * frequency * time)
    tone *= np.exp(-time / (1.2 * 2.0 ** ((60 - pitch) / 24)))
    tone *= np.minimum(time / _ATTACK, 1.0)
    return tone.astype(np.float32)


def _balanced(right: Float32, left: Float32) -> Float32:
    """Scale to the level of the recording where there is sound, with a peak of at most `_PEAK`."""
    sounding = right != 0
    loudest = float(np.abs(right).max(initial=0.0))
    if not sounding.any() or loudest == 0:
        return right
    level = float(np.sqrt(np.mean(np.square(left[sounding], dtype=np.float64))))
    own = float(np.sqrt(np.mean(np.square(right[sounding], dtype=np.float64))))
    scale = level / own if level > 0 else 1.0
    return right * np.float32(min(scale, _PEAK / loudest))
