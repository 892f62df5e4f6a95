"""What the note network reads: levels at the harmonics of a pitch and around them.

The levels are those of semitone bands with long and with short windows
(`align.features.sound.pitch`), tuned to the recording. For a pitch p the inputs of a frame are
long bands at p and its first harmonics, beside them and between them, short bands at the
harmonics, the mean level of four broad regions, and p itself. Bands beyond either end of the range
are silent: one silent band, kept once, stands for them all.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from align.errors import ParameterError
from align.features.sound.pitch import (
    LONG_WINDOWS,
    LOWEST_BAND,
    N_BANDS,
    SHORT_WINDOWS,
    log_level,
    semitone_bands,
)
from align.features.sound.signal import Signal
from align.features.sound.tuning import estimate_drift, estimate_tuning
from align.types import Float32, Float64, IntArray

NoteLevels: TypeAlias = tuple[Float32, Float32, Float32]
"""Long bands, short bands, broad regions; see `note_levels`."""

PITCHES = (21, 108)
"""Lowest and highest pitch that has inputs."""

_HOP = 0.010  # seconds; rounding to whole samples changes it a little
_LONG = np.array([-12, -2, -1, 0, 1, 2, 11, 12, 13, 19, 24, 28, 31, 34, 36])
_SHORT = np.array([0, 12, 19, 24, 28, 31, 36])
_BROAD = ((0, 30), (30, 50), (50, 70), (70, 99))
_SILENT = 1  # bands, the first

N_LEVELS = _LONG.size + _SHORT.size + len(_BROAD)
"""Number of inputs that are levels; they come first."""

N_INPUTS = N_LEVELS + 1
"""Number of inputs without those of the score; the last is the pitch."""


def signal_tuning(signal: Signal) -> float:
    """Return by how many semitones a recording is higher than 440 Hz, estimated once or set.

    Where that changes as it goes on, it is the mean.
    """

    def compute() -> float:
        drift = signal_drift(signal)
        return estimate_tuning(signal.samples, signal.rate) if drift is None else drift.mean()

    return signal.cached(("tuning",), compute)


def signal_drift(signal: Signal) -> Float64 | None:
    """Return by how many semitones each frame is higher than 440 Hz [shape=(T,)].

    None where that does not change, or the tuning was set.
    """

    def compute() -> Float64 | None:
        times = np.arange(signal.n_frames, dtype=np.float64) * signal.hop
        return estimate_drift(signal.samples, signal.rate, times)

    return signal.cached(("drift",), compute)


def set_tuning(signal: Signal, semitones: float) -> None:
    """Set by how many semitones a recording is higher than 440 Hz, before levels are computed."""
    signal.cached(("tuning",), lambda: semitones)
    signal.cached(("drift",), lambda: None)


def note_levels(signal: Signal, progress: Callable[[int, int], None] | None = None) -> NoteLevels:
    """Return what the network reads of a recording in frames of 10 ms, computed once.

    `long` and `short` [shape=(T, 1 + N_BANDS), dtype=float32] are levels in semitone bands with
    the long and the short windows, tuned to the recording, behind a band of silence; see
    `level_columns`. `broad` [shape=(T, 4), dtype=float32] is the mean short level of four regions.
    `progress` is called with the seconds done and their number.
    """
    if abs(signal.hop - _HOP) > 0.05 * _HOP:
        raise ParameterError(f"signal.hop={signal.hop:g} s, must be {_HOP:g} s, within 5 %.")

    def compute() -> NoteLevels:
        drift = signal_drift(signal)
        tuning = signal_tuning(signal) if drift is None else drift
        bands = list(semitone_energies(signal.samples, signal.rate, signal.hop, tuning, progress))
        # Taken out of the list, the energies are gone before the levels are copied.
        return _padded(log_level(bands.pop(0)), log_level(bands.pop()))

    return signal.cached(("note levels",), compute)


def semitone_energies(
    samples: Float32,
    rate: int,
    hop: float,
    tuning: float | Float64,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Float32, Float32]:
    """Return energies in semitone bands [shape=(T, N_BANDS)], with long and short windows.

    `progress` is called with the seconds done and their number.
    """
    seconds = round(samples.size / rate)

    def half(before: int) -> Callable[[float], None] | None:
        if progress is None:
            return None
        return lambda share: progress(round(0.5 * (before + share) * seconds), seconds)

    long, short = (
        semitone_bands(samples, rate, hop, windows=windows, tuning=tuning, progress=half(before))
        for before, windows in enumerate((LONG_WINDOWS, SHORT_WINDOWS))
    )
    return long, short


def set_levels(signal: Signal, long: Float32, short: Float32) -> None:
    """Set the levels of a part of a recording, which are those of the whole.

    `long` and `short` [shape=(T, N_BANDS)] are levels in semitone bands.
    """
    signal.cached(("note levels",), lambda: _padded(long, short))


def _padded(long: Float32, short: Float32) -> NoteLevels:
    broad = np.stack([short[:, a:b].mean(axis=1) for a, b in _BROAD], axis=1)
    pad = ((0, 0), (_SILENT, 0))
    return np.pad(long, pad), np.pad(short, pad), broad


def semitone_levels(signal: Signal, progress: Callable[[int, int], None] | None = None) -> Float32:
    """Return levels seen through long windows [shape=(T, N_BANDS)], without the silent band.

    `progress` is as in `note_levels`.
    """
    return note_levels(signal, progress)[0][:, _SILENT:]


def level_columns(pitch: int, above: IntArray) -> IntArray:
    """Return the columns of `note_levels` that lie so many semitones above a pitch.

    Examples
    --------
    >>> level_columns(LOWEST_BAND, np.array([-1, 0, 12, N_BANDS]))
    array([ 0,  1, 13,  0])
    """
    band = pitch - LOWEST_BAND + above
    return np.where((band >= 0) & (band < N_BANDS), band + _SILENT, 0)


def write_inputs(
    x: Float32, levels: NoteLevels, pitch: int, first: int, context: Float32 | None = None
) -> None:
    """Write the inputs for one pitch into zeros [shape=(L, at least N_INPUTS), dtype=float32].

    The first row stands for frame `first` of the recording, which may be negative; frames beyond
    the recording stay silent. `context` [shape=(x.shape[1] - N_INPUTS,)] is what the score says of
    the note, the same at all frames.
    """
    long, short, broad = levels
    begin, end = max(first, 0), min(first + len(x), len(long))
    if end > begin:
        row = x[begin - first : end - first]
        row[:, : _LONG.size] = long[begin:end, level_columns(pitch, _LONG)]
        own = short[begin:end, level_columns(pitch, _SHORT)]
        row[:, _LONG.size : _LONG.size + _SHORT.size] = own
        row[:, _LONG.size + _SHORT.size : N_LEVELS] = broad[begin:end]
    x[:, N_LEVELS] = (pitch - 60) / 20
    if context is not None:
        x[:, N_INPUTS:] = context
