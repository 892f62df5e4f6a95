r"""Convex losses of one round: value, subgradient, conjugate and the constant of the bounds.

Each loss is a function g of w, given the instance x and its target y. Its dual variables are the
subgradients; every hinge-like loss has them on ``-alpha a`` (or ``-sum alpha_i a_i``), where a is
the direction in which the loss falls.

=====================  ================================  ============================  ============
class                  g(w)                              conjugate g*(lambda)          constant L
=====================  ================================  ============================  ============
`Hinge`                ``[margin - y<w,x>]_+``           ``-margin alpha``             N*(x)^2 / 2
`EpsilonInsensitive`   ``[|y - <w,x>| - eps]_+``         ``-beta y + eps |beta|``      N*(x)^2 / 2
`HalfSquared`          ``(<w,x> - y)^2 / 2``             ``beta y + beta^2 / 2``       N*(x)^2
`SquaredHinge`         ``C [margin - y<w,x>]_+^2``       ``-margin alpha + alpha^2     2 C N*(x)^2
                                                         / (4 C)``
`MaxOfHinge`           ``max_i [b_i - <w,a_i>]_+``       least ``-sum alpha_i b_i``    max N*^2 / 2
`AverageOfHinge`       ``mean_i [b_i - <w,a_i>]_+``      the same                      max N*^2 / 2
`Boosting`             ``[<w,x>]_+``                     0                             N*(x)^2 / 2
`Uniclass`             ``[|x - w| - eps]_+``             ``<lambda,x> + eps |lambda|`` 1 / 2, l2
=====================  ================================  ============================  ============

A loss is either *Lipschitz*, ``N*(lambda)^2 / 2 <= L`` for every subgradient (the L of
Corollaries 1 to 3), or *self-bounded*, ``N*(lambda)^2 / 2 <= L g(w)`` (that of Theorems 1 and 2).

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, appendix A.3.1 and
section 5.3. Printed there: the half squared loss as ``2 N*(x)^2`` self-bounded, which is valid and
twice too large; the conjugate of the maximum without the minimum over representations of lambda.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.complexity import Complexity
from align.learners.parts.norms import Euclidean
from align.learners.parts.parameters import not_negative, positive
from align.types import Float64

# How far lambda may lie from the span of its directions, relative to its size.
_SPAN = 1e-9


class Loss(ABC):
    """A convex, non-negative loss of one round; the base class of all.

    Attributes
    ----------
    kind : {"lipschitz", "self-bounded"}
        Which bound `constant` enters.
    """

    kind: ClassVar[Literal["lipschitz", "self-bounded"]] = "lipschitz"

    @abstractmethod
    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return g(w).

        Parameters
        ----------
        w : array_like [shape=(n,)]
            Weights.
        x : array_like [shape=(n,)], or [shape=(k, n)] for several hinges
            Instance, or one direction in each row.
        y : float, or array_like [shape=(k,)] for several hinges
            Target, or the bound b of each direction.
        """

    @abstractmethod
    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return a subgradient of g at w [shape=(n,)], 0 where the loss is 0."""

    @abstractmethod
    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return g*(lam), the largest ``<w, lam> - g(w)``; infinite outside its domain."""

    def constant(
        self, x: npt.ArrayLike, y: Any = None, complexity: Complexity | None = None
    ) -> float:
        """Return the L of `kind`, for subgradients measured in the dual norm of `complexity`.

        Parameters
        ----------
        x, y
            As in `value`.
        complexity : Complexity, optional
            By default `Euclidean`.
        """
        size = np.max((complexity or Euclidean()).dual_norm(_array(x)))
        return float(size) ** 2 / 2.0


@dataclass(frozen=True)
class Hinge(Loss):
    """The hinge loss of classification, ``[margin - y <w, x>]_+`` with y = +-1.

    Source: Shalev-Shwartz 2007, section 5.3 and appendix A.3.1.

    Parameters
    ----------
    margin : float, default 1
        gamma, not negative.

    Examples
    --------
    >>> Hinge().value([1.0, 0.0], [0.25, 3.0], 1)
    0.75
    """

    margin: float = 1.0

    def __post_init__(self) -> None:
        not_negative(self.margin, "margin")

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``[margin - y <w, x>]_+``."""
        return max(self.margin - _sign(y) * _dot(w, x), 0.0)

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``-y x`` where the loss is positive."""
        on = self.value(w, x, y) > 0.0
        return _array(x) * (-_sign(y) * on)

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``-margin alpha`` for ``lam = -alpha y x``, alpha in [0, 1]."""
        alpha = _coefficient(lam, -_sign(y) * _array(x), if_zero=1.0)
        return -self.margin * alpha if -_SPAN <= alpha <= 1.0 + _SPAN else np.inf


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """The tolerant absolute loss of regression, ``[|y - <w, x>| - eps]_+``.

    Source: Shalev-Shwartz 2007, section 5.3.1.

    Parameters
    ----------
    epsilon : float, default 0
        eps, not negative.

    Examples
    --------
    >>> EpsilonInsensitive(0.5).value([1.0, 0.0], [2.0, 0.0], 4.0)
    1.5
    """

    epsilon: float = 0.0

    def __post_init__(self) -> None:
        not_negative(self.epsilon, "epsilon")

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``[|y - <w, x>| - eps]_+``."""
        return max(abs(_target(y) - _dot(w, x)) - self.epsilon, 0.0)

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``-sign(y - <w, x>) x`` where the loss is positive."""
        error = _target(y) - _dot(w, x)
        return _array(x) * float(-np.sign(error) * (abs(error) > self.epsilon))

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``-beta y + eps |beta|`` for ``lam = -beta x``, beta in [-1, 1]."""
        y = _target(y)
        if_zero = np.sign(y) * (abs(y) > self.epsilon)
        beta = _coefficient(lam, -_array(x), if_zero=if_zero)
        return -beta * y + self.epsilon * abs(beta) if abs(beta) <= 1.0 + _SPAN else np.inf


@dataclass(frozen=True)
class HalfSquared(Loss):
    """Half the squared error of regression, ``(<w, x> - y)^2 / 2``.

    Source: Shalev-Shwartz 2007, section 5.3.1.

    Examples
    --------
    >>> HalfSquared().value([1.0, 0.0], [2.0, 0.0], 4.0)
    2.0
    """

    kind = "self-bounded"

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``(<w, x> - y)^2 / 2``."""
        return (_dot(w, x) - _target(y)) ** 2 / 2.0

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``(<w, x> - y) x``."""
        return (_dot(w, x) - _target(y)) * _array(x)

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``beta y + beta^2 / 2`` for ``lam = beta x``."""
        y = _target(y)
        beta = _coefficient(lam, _array(x), if_zero=-y)
        return beta * y + beta**2 / 2.0 if np.isfinite(beta) else np.inf

    def constant(
        self, x: npt.ArrayLike, y: Any = None, complexity: Complexity | None = None
    ) -> float:
        """Return ``N*(x)^2``."""
        return 2.0 * super().constant(x, y, complexity)


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """The squared hinge loss, ``C [margin - y <w, x>]_+^2`` with y = +-1.

    Source: Shalev-Shwartz 2007, section 5.3 and appendix A.3.1.

    Parameters
    ----------
    C : float, default 1
        Weight, positive.
    margin : float, default 1
        gamma, not negative.

    Examples
    --------
    >>> SquaredHinge(C=2.0).value([1.0, 0.0], [0.5, 0.0], 1)
    0.5
    """

    C: float = 1.0
    margin: float = 1.0
    kind = "self-bounded"

    def __post_init__(self) -> None:
        positive(self.C, "C")
        not_negative(self.margin, "margin")

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``C [margin - y <w, x>]_+^2``."""
        return self.C * max(self.margin - _sign(y) * _dot(w, x), 0.0) ** 2

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``-2 C [margin - y <w, x>]_+ y x``."""
        short = max(self.margin - _sign(y) * _dot(w, x), 0.0)
        return -2.0 * self.C * short * _sign(y) * _array(x)

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``-margin alpha + alpha^2 / (4 C)`` for ``lam = -alpha y x``, alpha >= 0."""
        alpha = _coefficient(lam, -_sign(y) * _array(x), if_zero=2.0 * self.C * self.margin)
        if not -_SPAN <= alpha < np.inf:
            return np.inf
        return -self.margin * alpha + alpha**2 / (4.0 * self.C)

    def constant(
        self, x: npt.ArrayLike, y: Any = None, complexity: Complexity | None = None
    ) -> float:
        """Return ``2 C N*(x)^2``."""
        return 4.0 * self.C * super().constant(x, y, complexity)


class _Hinges(Loss):
    """Several hinges; there may be none."""

    def constant(
        self, x: npt.ArrayLike, y: Any = None, complexity: Complexity | None = None
    ) -> float:
        """Return ``max_i N*(a_i)^2 / 2``."""
        return super().constant(x, y, complexity) if np.size(x) else 0.0


@dataclass(frozen=True)
class MaxOfHinge(_Hinges):
    """The worst of several hinges, ``max_i [b_i - <w, a_i>]_+``.

    Takes the directions a_i as the rows of x and the b_i as y. Multiclass, label-ranking,
    structured and instance-ranking losses are of this form.

    Source: Shalev-Shwartz 2007, sections 5.3.2 to 5.3.4 and 7.4.

    Examples
    --------
    >>> MaxOfHinge().value([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [3.0, 1.0])
    2.0
    """

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``max_i [b_i - <w, a_i>]_+``, 0 where there is no direction."""
        short = _shortfalls(w, x, y)
        return max(float(short.max()), 0.0) if short.size else 0.0

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``-a_i`` at the first i where the maximum is reached and positive."""
        short = _shortfalls(w, x, y)
        if short.size == 0 or short.max() <= 0.0:
            return np.zeros(_array(w).shape)
        direction: Float64 = -_array(x)[int(short.argmax())]
        return direction

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return the least ``-<alpha, b>`` with ``lam = -sum alpha_i a_i``, sum alpha <= 1."""
        return _least_representation(lam, x, y, largest=1.0, total=1.0)


@dataclass(frozen=True)
class AverageOfHinge(_Hinges):
    """The average of several hinges, ``(1/E) sum_i [b_i - <w, a_i>]_+``.

    Takes the E directions a_i as the rows of x and the b_i as y.

    Source: Shalev-Shwartz 2007, section 5.3.4.

    Examples
    --------
    >>> AverageOfHinge().value([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [3.0, 1.0])
    1.5
    """

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``(1/E) sum_i [b_i - <w, a_i>]_+``, 0 where there is no direction."""
        short = _shortfalls(w, x, y)
        return float(np.maximum(short, 0.0).mean()) if short.size else 0.0

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``-(1/E)`` times the sum of the violated directions."""
        short = _shortfalls(w, x, y)
        if short.size == 0:
            return np.zeros(_array(w).shape)
        total: Float64 = _array(x)[short > 0.0].sum(axis=0) / -short.size
        return total

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return the least ``-<alpha, b>`` with ``lam = -sum alpha_i a_i``, alpha_i <= 1/E."""
        each = 1.0 / max(len(_array(x)), 1)
        return _least_representation(lam, x, y, largest=each, total=1.0)


@dataclass(frozen=True)
class Boosting(Loss):
    """The loss of the boosting game, ``[<w, x>]_+``; w weighs examples, x holds their margins.

    Source: Shalev-Shwartz 2007, section 6.1.

    Examples
    --------
    >>> Boosting().value([0.5, 0.5], [1.0, -0.5])
    0.25
    """

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``[<w, x>]_+``."""
        return max(_dot(w, x), 0.0)

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return x where the loss is positive."""
        return _array(x) * float(_dot(w, x) > 0.0)

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return 0 for ``lam = beta x``, beta in [0, 1]."""
        beta = _coefficient(lam, _array(x), if_zero=0.0)
        return 0.0 if -_SPAN <= beta <= 1.0 + _SPAN else np.inf


@dataclass(frozen=True)
class Uniclass(Loss):
    """The loss of keeping near to every instance, ``[|x - w|_2 - eps]_+``.

    Source: Crammer et al. 2003, section 2.

    Parameters
    ----------
    epsilon : float, default 1
        Distance within which nothing is lost.

    Examples
    --------
    >>> Uniclass(1.0).value([0.0, 0.0], [3.0, 4.0])
    4.0
    """

    epsilon: float = 1.0

    def __post_init__(self) -> None:
        not_negative(self.epsilon, "epsilon")

    def value(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``[|x - w| - eps]_+``."""
        return max(float(np.linalg.norm(_array(x) - _array(w))) - self.epsilon, 0.0)

    def subgradient(self, w: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> Float64:
        """Return ``-(x - w) / |x - w|`` where the loss is positive."""
        away = _array(x) - _array(w)
        size = float(np.linalg.norm(away))
        return -away / size if size > self.epsilon else np.zeros_like(away)

    def conjugate(self, lam: npt.ArrayLike, x: npt.ArrayLike, y: Any = None) -> float:
        """Return ``<lam, x> + eps |lam|`` where ``|lam| <= 1``."""
        size = float(np.linalg.norm(_array(lam)))
        return _dot(lam, x) + self.epsilon * size if size <= 1.0 + _SPAN else np.inf

    def constant(
        self, x: npt.ArrayLike, y: Any = None, complexity: Complexity | None = None
    ) -> float:
        """Return 1/2: the loss is 1-Lipschitz in the l2 norm, the only one it is meant for."""
        if not isinstance(complexity, Euclidean | None):
            raise ParameterError(
                f"complexity={complexity}, must be Euclidean: the loss is a Euclidean distance."
            )
        return 0.5


def _array(values: npt.ArrayLike) -> Float64:
    return np.asarray(values, dtype=np.float64)


def _dot(w: npt.ArrayLike, x: npt.ArrayLike) -> float:
    w, x = _array(w), _array(x)
    if w.shape != x.shape:
        raise ParameterError(f"x.shape={x.shape}, must be that of w, {w.shape}.")
    return float((w * x).sum())


def _sign(y: Any) -> float:
    if y not in (-1, 1):
        raise ParameterError(f"y={y!r}, must be -1 or +1.")
    return float(y)


def _target(y: Any) -> float:
    if y is None or not np.isfinite(y):
        raise ParameterError(f"y={y!r}, must be a finite number.")
    return float(y)


def _shortfalls(w: npt.ArrayLike, x: npt.ArrayLike, y: Any) -> Float64:
    """Return ``b_i - <w, a_i>`` for each direction."""
    w, a, b = _array(w), _array(x), _array(y)
    if b.ndim != 1 or a.shape != (b.size, *w.shape):
        raise ParameterError(
            f"x.shape={a.shape}, must be {(b.size, *w.shape)}: one direction for each bound."
        )
    short: Float64 = b - (a * w).sum(axis=tuple(range(1, a.ndim)))
    return short


def _coefficient(lam: npt.ArrayLike, direction: Float64, if_zero: float) -> float:
    """Return alpha with ``lam = alpha direction``, infinite where there is none.

    Every alpha represents 0 where the direction is 0; `if_zero` is the one the conjugate takes.
    """
    lam = _array(lam)
    square = float((direction * direction).sum())
    if square == 0.0:
        return if_zero if not lam.any() else np.inf
    alpha = float((lam * direction).sum()) / square
    off = np.linalg.norm(lam - alpha * direction)
    return alpha if off <= _SPAN * (1.0 + np.linalg.norm(lam)) else np.inf


def _least_representation(
    lam: npt.ArrayLike, x: npt.ArrayLike, y: Any, largest: float, total: float
) -> float:
    """Minimise ``-<alpha, b>`` over ``lam = -sum alpha_i a_i``: a linear programme."""
    lam, a, b = _array(lam).ravel(), _array(x), _array(y)
    if b.size == 0:
        return 0.0 if not lam.any() else np.inf
    from scipy.optimize import linprog  # slow to import, and only the dual objective asks

    found = linprog(
        -b,
        A_ub=np.ones((1, b.size)),
        b_ub=[total],
        A_eq=-a.reshape(b.size, -1).T,
        b_eq=lam,
        bounds=[(0.0, largest)] * b.size,
        method="highs",
    )
    return float(-(b * found.x).sum()) if found.x is not None else np.inf
