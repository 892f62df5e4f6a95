"""Mel filter banks: triangles spaced evenly on the mel scale.

The mel scale follows the ear: nearly linear in frequency at first, then logarithmic. Two formulas
are in use, HTK's ``2595 log10(1 + f / 700)``, and Slaney's, which is linear below 1 kHz. Filter b
rises from the centre of filter b - 1 to its own and falls to that of filter b + 1.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from align.errors import ParameterError
from align.types import Float32, Float64


def fft_length(length: int) -> int:
    """Return the smallest power of two that holds a window, at least 2."""
    return max(2, 1 << (length - 1).bit_length())


def _hz_to_mel(f: Float64, scale: str) -> Float64:
    if scale == "htk":
        return 2595.0 * np.log10(1.0 + f / 700.0)
    log_part = 15.0 + 27.0 * np.log(np.maximum(f, 1e-3) / 1000.0) / np.log(6.4)
    return np.where(f < 1000.0, f * 3.0 / 200.0, log_part)


def _mel_to_hz(mel: Float64, scale: str) -> Float64:
    if scale == "htk":
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    log_part = 1000.0 * np.exp((mel - 15.0) * np.log(6.4) / 27.0)
    return np.where(mel < 15.0, mel * 200.0 / 3.0, log_part)


@lru_cache(maxsize=64)
def _triangles(
    rate: int, n_fft: int, n_mels: int, fmin: float, fmax: float, scale: str, norm: str | None
) -> Float32:
    """Return the filters as columns [shape=(n_fft // 2 + 1, n_mels)]; some may be empty."""
    if n_mels < 1:
        raise ParameterError(f"n_mels={n_mels}, must be at least 1.")
    if n_fft < 2:
        raise ParameterError(f"n_fft={n_fft}, must be at least 2.")
    if not 0.0 <= fmin < fmax <= rate / 2:
        raise ParameterError(
            f"fmin={fmin}, fmax={fmax}, must be 0 <= fmin < fmax <= half the rate, {rate / 2} Hz."
        )
    if scale not in ("htk", "slaney"):
        raise ParameterError(f"mel_scale={scale!r}, must be 'htk' or 'slaney'.")
    if norm not in (None, "slaney"):
        raise ParameterError(f"mel_norm={norm!r}, must be None or 'slaney'.")
    ends = _hz_to_mel(np.array([fmin, fmax]), scale)
    edges = _mel_to_hz(np.linspace(ends[0], ends[1], n_mels + 2), scale)
    f = np.arange(n_fft // 2 + 1)[:, None] * (rate / n_fft)
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    filters = np.minimum((f - low) / (middle - low), (high - f) / (high - middle))
    filters = np.maximum(filters, 0.0)
    if norm == "slaney":
        filters *= 2.0 / (high - low)
    filters = filters.astype(np.float32)
    filters.setflags(write=False)
    return filters


def checked_filters(rate: int, n_fft: int, n_mels: int, *bank: Any) -> Float32:
    """Return filters as columns; ParameterError where one is empty."""
    filters = _triangles(rate, n_fft, n_mels, *bank)
    empty = np.flatnonzero(~filters.any(axis=0))
    if empty.size:
        raise ParameterError(
            f"n_mels={n_mels} is too many for n_fft={n_fft} at {rate} Hz: band {empty[0] + 1} "
            "holds no frequency; raise n_fft or lower n_mels."
        )
    return filters


def sufficient_filters(rate: int, length: int, n_mels: int, *bank: Any) -> Float32:
    """Return filters for the shortest transform that leaves no filter empty."""
    size = fft_length(length)
    for _ in range(4):
        filters = _triangles(rate, size, n_mels, *bank)
        if filters.any(axis=0).all():
            return filters
        size *= 2
    return checked_filters(rate, size, n_mels, *bank)
