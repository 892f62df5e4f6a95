"""How long events last, in any language: labels never met are compared with their like."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Self

import numpy.typing as npt

from align.features.duration import DurationFeature, LengthStatistics
from align.features.phones.articulatory import articulation, plain_ipa

_TELLING = ("long", "affricate", "tap", "contour")


class ArticulatoryDuration(DurationFeature):
    """Log-normal law of the length of IPA labels.

    Rare labels are drawn towards the labels of their kind, and one never met has the law of its
    kind: the broad classes it begins and ends with, and whether it is long, an affricate, a tap
    or a contour. See `DurationFeature`.

    Parameters
    ----------
    symbols : mapping of str to str, optional
        Label to the IPA label it stands for; a label that is not in it is IPA itself.
    **law
        As in `DurationFeature`, `classes` excepted.

    Examples
    --------
    >>> import numpy as np
    >>> from align.features import Signal, TimedSignal
    >>> signal = Signal(np.zeros(3200, dtype=np.float32), rate=16000, hop=0.01)
    >>> onsets = np.array([0, 4, 12])
    >>> seen = TimedSignal(signal, ["p", "a", "t"], onsets, onsets * 0.01, end=20)
    >>> feature = ArticulatoryDuration().fit([seen])
    >>> new, like = (feature.log_density(label, [8], 0.01) for label in ("o", "a"))
    >>> bool(abs(new - like)[0] < 0.1)  # an o was never seen: it lasts as an a
    True
    """

    def __init__(self, symbols: Mapping[str, str] | None = None, **law: Any) -> None:
        super().__init__(**law)
        self.symbols = dict(symbols or {})

    def _law(self, label: str, statistics: LengthStatistics) -> tuple[float, float]:
        """Return mean and variance of a label, known or near a known one."""
        if label not in statistics.labels:
            plain = plain_ipa(label)
            label = plain if plain in statistics.labels else label
        return super()._law(label, statistics)

    def _peers(self, label: str) -> frozenset[str]:
        if self.statistics_ is None:
            return frozenset()
        own = _kind(self.symbols.get(label, label))
        return frozenset(
            other
            for other in self.statistics_.labels
            if _kind(self.symbols.get(other, other)) == own
        )

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        params, arrays = super().get_state()
        return {**params, "symbols": self.symbols}, arrays

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        self.symbols = {str(k): str(v) for k, v in params["symbols"].items()}
        return super().set_state(params, arrays)


@lru_cache(maxsize=4096)
def _kind(label: str) -> tuple[str | bool, ...]:
    phone = articulation(label)
    return phone.opening, phone.closing, *(phone.has(name) for name in _TELLING)
