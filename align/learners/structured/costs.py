"""What a wrong alignment costs.

A cost ``rho(y, y')`` compares true and predicted onsets of K events, in frames (int arrays of
shape ``(K,)``), is never negative, and is 0 for ``y' = y``. Tolerances are given in seconds; an
aligner calls ``bind(hop)`` once it knows the length of a frame.

========================  ======================================================================
`ToleranceCost`           share of the onsets that are off by more than the tolerance (Eq. 9.1)
`GradedCost`              the same in steps 0, 1, ..., 10 (section 9.5.2)
`AbsoluteCost`            mean absolute error (section 9.6.2)
`RampCost`                sum of errors that grow to 1 and stay there
`FunctionCost`            any function of a user's
========================  ======================================================================

A cost that is a sum over the onsets also has a table, ``onset_cost(y, n_frames)`` of shape
``(K, T)``: what it costs to place event k at frame t. Added to the scores of the onsets, it makes
a decoder find the worst violation (loss-augmented decoding), which the maximal loss needs.

Theorem 7 asks for costs in {0} U [1, inf): ``unit_gap`` says whether a cost promises that. The
tolerance cost does not (one wrong onset of K costs 1/K), the graded one does.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 9.2, 9.5.2
and 9.6.2. The rounding of the graded cost is not given there; rounding up is the default here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.parameters import check_choice, check_whole, not_negative
from align.learners.structured.problems import check_cost
from align.types import Float64, IntArray

CostTable: TypeAlias = Float64

_ROUNDING = 1e-6  # frames; 0.03 s / 0.01 s is a little less than 3


class OnsetCost(ABC):
    """A cost of predicted onsets; the base class of all of them.

    Examples
    --------
    A cost of one's own, the number of onsets that come too early:

    >>> class Early(OnsetCost):
    ...     def __call__(self, y_true, y_pred):
    ...         return float((y_pred < y_true).sum())
    ...     def onset_cost(self, y_true, n_frames):
    ...         return (np.arange(n_frames) < y_true[:, None]).astype(float)
    >>> Early()(np.array([2, 5]), np.array([1, 7]))
    1.0
    """

    unit_gap: bool = False
    decomposes: bool = True

    @abstractmethod
    def __call__(self, y_true: IntArray, y_pred: IntArray) -> float:
        """Return the cost of predicting `y_pred` where `y_true` is right.

        Parameters
        ----------
        y_true, y_pred : np.ndarray [shape=(K,), dtype=intp]
            Onsets in frames.

        Returns
        -------
        float
            Never negative; 0 for no events.
        """

    @abstractmethod
    def onset_cost(self, y_true: IntArray, n_frames: int) -> CostTable:
        """Return the cost of each onset at each frame, for loss-augmented decoding.

        Parameters
        ----------
        y_true : np.ndarray [shape=(K,), dtype=intp]
            True onsets in frames.
        n_frames : int
            T.

        Returns
        -------
        np.ndarray [shape=(K, T), dtype=float64]

        Raises
        ------
        ParameterError
            Where the cost is no sum over the onsets (``decomposes`` is False then).
        """

    def bind(self, hop: float) -> Self:
        """Return this cost for frames of `hop` seconds.

        Parameters
        ----------
        hop : float
            Length of a frame in seconds.
        """
        return self


class _Timed:
    """A cost that counts in seconds where it was bound."""

    def bind(self, hop: float) -> Self:
        """Return this cost for frames of `hop` seconds."""
        return replace(self, hop=_positive(hop))  # type: ignore[type-var]  # all are dataclasses


@dataclass(frozen=True)
class ToleranceCost(_Timed, OnsetCost):
    """Share of the onsets that are off by more than a tolerance (Eq. 9.1).

    Source: Shalev-Shwartz 2007, Eq. 9.1.

    Parameters
    ----------
    tolerance : float, default 0.01
        In `unit`; an error of exactly the tolerance is free.
    unit : {"seconds", "frames"}
        Unit of the tolerance. In seconds the cost must be bound before it is called.
    hop : float, optional
        Length of a frame in seconds; set by `bind`.

    Examples
    --------
    >>> cost = ToleranceCost(0.01).bind(hop=0.01)
    >>> round(cost(np.array([1, 5, 9]), np.array([1, 6, 12])), 6)
    0.333333
    """

    tolerance: float = 0.01
    unit: Literal["seconds", "frames"] = "seconds"
    hop: float | None = None

    def __post_init__(self) -> None:
        not_negative(self.tolerance, "tolerance")
        check_choice(self.unit, "unit", ("seconds", "frames"))

    def _limit(self) -> float:
        """Return the tolerance in frames, with room for rounding."""
        if self.unit == "frames":
            return self.tolerance + _ROUNDING
        return self.tolerance / _hop_of(self) + _ROUNDING

    def _count(self, y_true: IntArray, y_pred: IntArray) -> int:
        """Return the number of onsets that are off by more than the tolerance."""
        return int(np.count_nonzero(np.abs(_difference(y_true, y_pred)) > self._limit()))

    def __call__(self, y_true: IntArray, y_pred: IntArray) -> float:
        """Return the share of the onsets that are off, in [0, 1]."""
        return self._count(y_true, y_pred) / max(1, len(y_true))

    def onset_cost(self, y_true: IntArray, n_frames: int) -> CostTable:
        """Return 1/K wherever event k is off by more than the tolerance [shape=(K, T)]."""
        return (_distance(y_true, n_frames) > self._limit()) / max(1, len(y_true))


@dataclass(frozen=True)
class GradedCost(ToleranceCost):
    """The tolerance cost in whole steps, ``ceil(levels * share)`` (section 9.5.2).

    Its values lie in {0} U [1, inf), as Theorem 7 asks. The rounded cost is no sum over the
    onsets; loss-augmented decoding uses ``levels * share``, which is at most one step less.

    Source: Shalev-Shwartz 2007, section 9.5.2.

    Parameters
    ----------
    tolerance, unit, hop
        As in `ToleranceCost`.
    levels : int, default 10
        The largest cost.
    rounding : {"ceil", "floor"}
        With ``"floor"`` fewer than one wrong onset in `levels` are free.

    Examples
    --------
    >>> GradedCost(1, "frames")(np.array([1, 5, 9]), np.array([1, 6, 12]))
    4.0
    """

    levels: int = 10
    rounding: Literal["ceil", "floor"] = "ceil"
    unit_gap = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.levels, "levels")
        check_choice(self.rounding, "rounding", ("ceil", "floor"))

    def __call__(self, y_true: IntArray, y_pred: IntArray) -> float:
        """Return the cost, a whole number in 0 .. levels."""
        # In integers: 10 * (3 / 10) rounded up must be 3.
        scaled, n_events = self.levels * self._count(y_true, y_pred), max(1, len(y_true))
        return float(scaled // n_events if self.rounding == "floor" else -(-scaled // n_events))

    def onset_cost(self, y_true: IntArray, n_frames: int) -> CostTable:
        """Return levels/K wherever event k is off by more than the tolerance [shape=(K, T)]."""
        return self.levels * super().onset_cost(y_true, n_frames)


@dataclass(frozen=True)
class RampCost(_Timed, OnsetCost):
    """Sum over the onsets of an error that grows to 1 and stays there.

    An onset off by up to `free` costs nothing, one off by `full` or more costs 1, and between them
    the cost grows in proportion: closer is better, and far is not worse than wrong. Not in the
    sources; it suits the maximal loss, as it is a sum over onsets.

    Parameters
    ----------
    full, free : float, default 0.0225, 0.0025
        In `unit`; ``0 <= free < full``.
    unit : {"seconds", "frames"}
        In seconds the cost must be bound before it is called.
    hop : float, optional
        Length of a frame in seconds; set by `bind`.

    Examples
    --------
    >>> cost = RampCost(full=5.0, free=1.0, unit="frames")
    >>> cost(np.array([1, 10, 20]), np.array([2, 12, 90]))
    1.25
    """

    full: float = 0.0225
    free: float = 0.0025
    unit: Literal["seconds", "frames"] = "seconds"
    hop: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.free < self.full < np.inf:
            raise ParameterError(f"free={self.free}, full={self.full}, must be 0 <= free < full.")
        check_choice(self.unit, "unit", ("seconds", "frames"))

    def _ramp(self, distance: npt.NDArray[Any]) -> Float64:
        """Cost of each distance in frames."""
        per_frame = 1.0 if self.unit == "frames" else _hop_of(self)
        share = (distance * per_frame - self.free) / (self.full - self.free)
        return np.clip(share, 0.0, 1.0)

    def __call__(self, y_true: IntArray, y_pred: IntArray) -> float:
        """Return the sum over the onsets, in [0, K]."""
        return float(self._ramp(np.abs(_difference(y_true, y_pred))).sum())

    def onset_cost(self, y_true: IntArray, n_frames: int) -> CostTable:
        """Return the cost of each frame for each onset [shape=(K, T)]."""
        return self._ramp(_distance(y_true, n_frames))


@dataclass(frozen=True)
class AbsoluteCost(_Timed, OnsetCost):
    """Mean absolute error of the onsets (section 9.6.2).

    Source: Shalev-Shwartz 2007, section 9.6.2.

    Parameters
    ----------
    unit : {"frames", "milliseconds", "seconds"}
        Unit of the error; anything but frames needs `bind`.
    round_up : bool, default False
        Round up to a whole number of the unit, so that Theorem 7 applies. Loss-augmented decoding
        uses the value before rounding.
    hop : float, optional
        Length of a frame in seconds; set by `bind`.

    Examples
    --------
    >>> y, y_hat = np.array([1, 5, 9]), np.array([1, 6, 12])
    >>> round(AbsoluteCost()(y, y_hat), 6)
    1.333333
    >>> round(AbsoluteCost("milliseconds").bind(0.01)(y, y_hat), 3)
    13.333
    >>> AbsoluteCost(round_up=True)(y, y_hat)
    2.0
    """

    unit: Literal["frames", "milliseconds", "seconds"] = "frames"
    round_up: bool = False
    hop: float | None = None

    def __post_init__(self) -> None:
        check_choice(self.unit, "unit", ("frames", "milliseconds", "seconds"))

    @property
    def unit_gap(self) -> bool:  # type: ignore[override]  # read-only here
        """Whether every value is 0 or at least 1."""
        return self.round_up

    def _per_frame(self) -> float:
        """Return what a frame counts in the unit."""
        if self.unit == "frames":
            return 1.0
        return _hop_of(self) * (1000.0 if self.unit == "milliseconds" else 1.0)

    def __call__(self, y_true: IntArray, y_pred: IntArray) -> float:
        """Return the mean absolute error in the unit of the cost."""
        difference = np.abs(_difference(y_true, y_pred))
        mean = self._per_frame() * float(difference.sum()) / max(1, difference.size)
        return float(np.ceil(mean - _ROUNDING)) if self.round_up else mean

    def onset_cost(self, y_true: IntArray, n_frames: int) -> CostTable:
        """Return the error over K of event k at each frame [shape=(K, T)]."""
        return _distance(y_true, n_frames) * (self._per_frame() / max(1, len(y_true)))


@dataclass(frozen=True)
class FunctionCost(_Timed, OnsetCost):
    """A user's function as a cost.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred) -> float`` of onsets in `unit`; never negative, 0 where equal.
    table : callable, optional
        ``table(y_true, n_frames) -> np.ndarray [shape=(K, T)]``, in frames whatever the unit; see
        `OnsetCost.onset_cost`. Without it only the prediction-based loss can be used.
    unit : {"frames", "seconds"}
        What the function is given; seconds need `bind`.
    hop : float, optional
        Length of a frame in seconds; set by `bind`.

    Examples
    --------
    >>> worst = FunctionCost(lambda true, found: np.abs(true - found).max())
    >>> worst(np.array([1, 5, 9]), np.array([1, 6, 12]))
    3.0
    """

    function: Callable[[npt.NDArray[Any], npt.NDArray[Any]], float]
    table: Callable[[IntArray, int], npt.NDArray[np.floating]] | None = None
    unit: Literal["frames", "seconds"] = "frames"
    hop: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(f"function={self.function!r}, must be callable.")
        check_choice(self.unit, "unit", ("frames", "seconds"))

    @property
    def decomposes(self) -> bool:  # type: ignore[override]  # read-only here
        """Whether there is a table for loss-augmented decoding."""
        return self.table is not None

    def __call__(self, y_true: IntArray, y_pred: IntArray) -> float:
        """Return what the function says."""
        _difference(y_true, y_pred)
        if self.unit == "seconds":
            hop = _hop_of(self)
            return check_cost(self.function(y_true * hop, y_pred * hop))
        return check_cost(self.function(y_true, y_pred))

    def onset_cost(self, y_true: IntArray, n_frames: int) -> CostTable:
        """Return what the table says [shape=(K, T)]; ParameterError where there is none."""
        if self.table is None:
            raise ParameterError(
                "this cost function has no table of onset costs, which the maximal loss needs; "
                "pass one, FunctionCost(function, table), or use loss='prediction'."
            )
        table = np.asarray(self.table(y_true, n_frames), dtype=np.float64)
        if table.shape != (len(y_true), n_frames):
            raise ParameterError(
                f"the cost table has shape {table.shape}, must be (K, T)="
                f"({len(y_true)}, {n_frames})."
            )
        return table


def make_cost(
    cost: str | OnsetCost | Callable[[IntArray, IntArray], float], *, tolerance: float = 0.01
) -> OnsetCost:
    """Return a cost by its name, or a function as a cost; a cost is returned as it is.

    Parameters
    ----------
    cost : {"tolerance", "graded", "absolute", "ramp"}, OnsetCost or callable
        ``cost(y_true, y_pred) -> float`` where it is a function, of onsets in frames.
    tolerance : float
        In seconds, for ``"tolerance"`` and ``"graded"``.

    Returns
    -------
    OnsetCost
        Not bound to a hop yet.

    Raises
    ------
    ParameterError
        Where the name is unknown, or the tolerance is out of range.

    Examples
    --------
    >>> make_cost("graded", tolerance=0.02)
    GradedCost(tolerance=0.02, unit='seconds', hop=None, levels=10, rounding='ceil')
    """
    if isinstance(cost, OnsetCost):
        return cost
    if cost == "tolerance":
        return ToleranceCost(tolerance)
    if cost == "graded":
        return GradedCost(tolerance)
    if cost == "absolute":
        return AbsoluteCost()
    if cost == "ramp":
        return RampCost()
    if callable(cost):
        return FunctionCost(cost)
    raise ParameterError(
        f"cost={cost!r}, must be 'tolerance', 'graded', 'absolute', 'ramp', an OnsetCost or a "
        "function."
    )


def _positive(hop: float) -> float:
    if not 0.0 < hop < np.inf:
        raise ParameterError(f"hop={hop}, must be a positive number of seconds.")
    return float(hop)


def _hop_of(cost: "ToleranceCost | RampCost | AbsoluteCost | FunctionCost") -> float:
    if cost.hop is None:
        raise ParameterError(
            f"{type(cost).__name__} is in {cost.unit} and does not know the length of a frame; "
            "call bind(hop) first, or give it in frames."
        )
    return cost.hop


def _difference(y_true: IntArray, y_pred: IntArray) -> npt.NDArray[Any]:
    if np.shape(y_true) != np.shape(y_pred) or np.ndim(y_true) != 1:
        raise ParameterError(
            f"y_true.shape={np.shape(y_true)}, y_pred.shape={np.shape(y_pred)}, must be the same "
            "(K,): one onset for each event."
        )
    return np.asarray(y_true) - np.asarray(y_pred)


def _distance(y_true: IntArray, n_frames: int) -> npt.NDArray[Any]:
    """Distance in frames of each frame from each true onset [shape=(K, T)]."""
    distance: npt.NDArray[Any] = np.abs(np.arange(n_frames) - np.asarray(y_true)[:, None])
    return distance
