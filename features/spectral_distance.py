"""Distance between the frames on either side of an onset: psi_1 .. psi_4 of the thesis.

``psi_j(y) = || x[y - j] - x[y + j] ||``, the Euclidean distance between the frames j before and j
after the onset, for a few scales j. It is high where the spectrum changes, whatever the event.
Frame numbers below 0 or above T-1 are replaced by 0 and T-1.

References
----------
Shalev-Shwartz, "Online Learning", 2007, section 9.5.1.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features.base import Feature, restoring
from align.features.sound.signal import Signal
from align.terms import OnsetTerm, Term
from align.types import Event, Float32, Float64

_LARGEST = 100_000  # frames; beyond, a number would not be an index everywhere


class SpectralDistance(Feature):
    """Euclidean distance between frames before and after the onset, one base function a scale.

    Parameters
    ----------
    scales : sequence of int
        j in frames, each at least 1. The thesis has 1..4 at a hop of 10 ms.
    representation : str
        Which frames, as in `Signal.representation`: "mfcc", "log_mel", "power_spectrum".
    options : mapping, optional
        Options of the representation.
    name : str
        Prefix of the names of the base functions, ``<name>_<j>``.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).normal(size=1600).astype(np.float32)
    >>> terms = SpectralDistance().terms(Signal(noise, rate=16000, hop=0.01), ["a", "b"])
    >>> list(terms)[:2], terms["spectral_distance_1"].table.shape
    (['spectral_distance_1', 'spectral_distance_2'], (1, 10))
    """

    def __init__(
        self,
        scales: Sequence[int] = (1, 2, 3, 4),
        representation: str = "mfcc",
        options: Mapping[str, Any] | None = None,
        name: str = "spectral_distance",
    ) -> None:
        self.scales = _checked_scales(scales)
        self.representation = representation
        self.options = dict(options or {})
        self.name = name

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return an onset term for each scale; all events share its single row."""
        x = signal.representation(self.representation, **self.options)
        key = ("spectral distance", self.representation, *sorted(self.options.items()))
        rows = np.zeros(len(events), dtype=np.intp)
        terms: dict[str, Term] = {}
        for j in self.scales:
            distance = signal.cached((*key, j), partial(_distance, x, j))
            terms[f"{self.name}_{j}"] = OnsetTerm(distance[None, :], rows)
        return terms

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        own = {"representation": self.representation, "options": self.options}
        return {"scales": list(self.scales), **own}, {}

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        with restoring(f"feature {self.name!r}"):
            self.scales = _checked_scales(params["scales"])
            self.representation = str(params["representation"])
            self.options = dict(params["options"])
        return self


def _checked_scales(scales: Sequence[int]) -> tuple[int, ...]:
    checked = tuple(int(j) for j in scales)
    if (
        not checked
        or len(set(checked)) < len(checked)
        or (min(checked) < 1 or max(checked) > _LARGEST)
    ):
        raise ParameterError(
            f"scales={scales}, must be distinct numbers of frames, at least 1 and at most "
            f"{_LARGEST}."
        )
    return checked


def _distance(x: Float32, j: int) -> Float64:
    frames = np.arange(len(x))
    difference = x[np.maximum(frames - j, 0)] - x[np.minimum(frames + j, len(x) - 1)]
    squares = np.einsum("td,td->t", difference, difference, dtype=np.float64)
    return np.asarray(np.sqrt(squares), dtype=np.float64)
