"""A recording cut into frames, with its spectral representations computed once each."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError

__all__ = ["Signal"]

_T = TypeVar("_T")


class Signal:
    """A mono recording cut into T frames.

    Frame t covers ``[t * hop, (t + 1) * hop)`` seconds; analysis windows are centred in it.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Mono samples in [-1, 1].
    rate : int
        Sampling rate in Hz.
    hop : float
        Length of a frame in seconds; rounded to a whole number of samples.
    name : str
        What messages call the recording.

    Attributes
    ----------
    hop : float
        The hop in seconds after rounding.
    hop_length : int
        The hop in samples.
    n_frames : int
        T, at least 1; the last frame may be partly beyond the end.
    duration : float
        Length of the recording in seconds.

    Examples
    --------
    >>> signal = Signal(np.zeros(16000, dtype=np.float32), rate=16000, hop=0.005)
    >>> signal.n_frames, signal.hop
    (200, 0.005)
    """

    def __init__(
        self, samples: npt.NDArray[np.float32], rate: int, hop: float = 0.005, name: str = ""
    ) -> None:
        self.samples = np.asarray(samples, dtype=np.float32)
        if self.samples.ndim != 1 or self.samples.size == 0:
            raise ParameterError(f"samples.shape={self.samples.shape}, must be (n,), n > 0.")
        self.rate = int(rate)
        self.hop_length = round(hop * rate)
        if self.hop_length < 1:
            raise ParameterError(f"hop={hop} s is less than one sample at {rate} Hz.")
        self.hop = self.hop_length / self.rate
        self.name = name
        self.n_frames = math.ceil(self.samples.size / self.hop_length)
        self.duration = self.samples.size / self.rate
        self._cache: dict[Any, Any] = {}

    def cached(self, key: Any, compute: Callable[[], _T]) -> _T:
        """Return ``compute()``, computed at the first call with this `key` only."""
        if key not in self._cache:
            self._cache[key] = compute()
        value: _T = self._cache[key]
        return value
