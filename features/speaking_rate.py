"""Squared change of speaking rate from one event to the next: psi_7 of the thesis.

``psi(y_{i-1}, y_i, y_{i+1}) = (r_i - r_{i-1})**2`` with ``r_i = d_i / mu_{e_i}``, the length of
event i relative to the mean length of its label in training; 0 for the first event, which has
none before it. Its weight is expected to be negative; the decoders take either sign.

References
----------
Shalev-Shwartz, "Online Learning", 2007, section 9.5.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.features.base import Feature, TimedSignal
from align.features.duration import LengthStatistics
from align.features.sound.signal import Signal
from align.terms import RatioTerm, Term
from align.types import Event


class SpeakingRate(Feature):
    """Squared difference of the relative lengths of neighbouring events.

    Parameters
    ----------
    exclude : sequence of str
        Labels without a rate, such as silences: the base function is 0 at such an event and at
        the one after it.
    name : str
        Name of the base function.

    Examples
    --------
    >>> import numpy as np
    >>> signal = Signal(np.zeros(3200, dtype=np.float32), rate=16000, hop=0.01)
    >>> onsets = np.array([0, 4, 12])
    >>> seen = TimedSignal(signal, ["a", "b", "a"], onsets, onsets * 0.01, end=20)
    >>> term = SpeakingRate().fit([seen]).terms(signal, ["a", "b"])["speaking_rate"]
    >>> term.scale, term.gate, term.value(np.array([0, 12]), n_frames=20)
    (array([6., 8.]), array([False,  True]), 1.0)
    """

    def __init__(self, exclude: Sequence[str] = (), name: str = "speaking_rate") -> None:
        if isinstance(exclude, str):
            raise ParameterError(f"exclude={exclude!r}, must be a sequence of labels.")
        self.exclude = tuple(exclude)
        self.name = name
        self.statistics_: LengthStatistics | None = None

    def fit(self, examples: Sequence[TimedSignal]) -> Self:
        """Estimate the mean length of each label."""
        self.statistics_ = LengthStatistics.of(examples, log=False, last=True)
        return self

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return the ratio term; a label never seen has the mean of all events."""
        if self.statistics_ is None:
            raise ModelError(f"feature {self.name!r} is not fitted; call fit first.")
        labels = [str(event) for event in events]
        mean = {label: self.statistics_.law(label)[0] / signal.hop for label in set(labels)}
        scale = np.array([mean[label] for label in labels], dtype=np.float64)
        counts = np.array([label not in self.exclude for label in labels], dtype=bool)
        gate = counts.copy()
        gate[1:] &= counts[:-1]
        gate[:1] = False
        return {self.name: RatioTerm(scale, gate)}

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        labels = None if self.statistics_ is None else list(self.statistics_.labels)
        arrays = {} if self.statistics_ is None else self.statistics_.arrays()
        return {"exclude": list(self.exclude), "labels": labels}, arrays

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        exclude, labels = params.get("exclude"), params.get("labels")
        if not isinstance(exclude, list) or not all(isinstance(x, str) for x in exclude):
            raise ModelError(f"the state of feature {self.name!r} is wrong: exclude={exclude!r}.")
        statistics = None
        if labels is not None:
            statistics = LengthStatistics.restored(labels, arrays, self.name)
            if (statistics.mean <= 0).any():
                raise ModelError(f"array 'mean' of feature {self.name!r} has impossible values.")
        self.exclude, self.statistics_ = tuple(exclude), statistics
        return self
