r"""Complexity functions: what an online learner spends when it moves.

A learner keeps ``v``, minus the sum of its dual variables, and predicts with
``w = grad f*(v / c)``. The complexity function f fixes the set S that w lives in, the norm N in
which f is strongly convex with modulus 1, the dual norm N* in which instances and subgradients
are measured, and the *link* ``grad f*``, also ``argmax over w in S of <w, theta> - f(w)``.

=====================  ====================  =============================================  ======
class                  S                     f(w)                                           N
=====================  ====================  =============================================  ======
`Euclidean`            R^n                   ``|w|^2 / 2``                                  l2
`EuclideanBall`        ``|w| <= radius``     ``|w|^2 / 2``                                  l2
`EuclideanSet`         any closed convex S   ``|w|^2 / 2`` minus its minimum over S         l2
`Entropy`              simplex               ``ln n + sum w ln w``                          l1
`FlooredEntropy`       simplex, w >= floor   the same                                       l1
`QNorm`                R^n                   ``|w|_q^2 / (2 (q - 1))``, q = p / (p - 1)     l_q
`BinaryEntropy`        [0, 1]^n              ``n ln 2 + sum w ln w + (1 - w) ln(1 - w)``    2 l2
`Blocks`               one S for each row    the sum over the rows of a matrix              blocks
=====================  ====================  =============================================  ======

Every f has minimum 0 over S. All functions work along the last axis and take stacks of vectors;
`Blocks` works on matrices, along the last two.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 2, 5.1,
7.1 and 8.3, appendix A.3 and A.4. Appendix A.3.1 prints the binary entropy with a leading minus,
which makes it concave; the convex form stands here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.projections import project_entropic, project_l1_ball, project_simplex

__all__ = [
    "BinaryEntropy",
    "Blocks",
    "Complexity",
    "Entropy",
    "Euclidean",
    "EuclideanBall",
    "EuclideanSet",
    "FlooredEntropy",
    "QNorm",
    "as_complexity",
]

Floats: TypeAlias = npt.NDArray[np.float64]

# How far a point may lie outside S by rounding and still count as inside.
_SLACK = 1e-9


class Complexity(ABC):
    """A complexity function f on a convex set S; the base class of all.

    Everywhere, vectors lie along the last axis and leading axes are a batch. A function of your
    own needs `value`, `conjugate`, `link`, `norm` and `dual_norm`.
    """

    @abstractmethod
    def value(self, w: npt.ArrayLike) -> Any:
        """Return f(w), infinite outside S.

        Parameters
        ----------
        w : array_like [shape=(..., n)]

        Returns
        -------
        float or np.ndarray [shape=(...)]
        """

    @abstractmethod
    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return f*(theta), the largest ``<w, theta> - f(w)`` over S.

        Parameters
        ----------
        theta : array_like [shape=(..., n)]

        Returns
        -------
        float or np.ndarray [shape=(...)]
        """

    @abstractmethod
    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return the gradient of f* at theta, the w in S with the largest ``<w, theta> - f(w)``.

        Parameters
        ----------
        theta : array_like [shape=(..., n)]

        Returns
        -------
        np.ndarray [shape=(..., n)]
        """

    @abstractmethod
    def norm(self, w: npt.ArrayLike) -> Any:
        """Return N(w), the norm in which f is strongly convex with modulus 1."""

    @abstractmethod
    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return N*(x), the norm for instances and subgradients."""

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """Return the gradient of f at w, a point that `link` maps back to w.

        Raises
        ------
        ParameterError
            Where the class has no such formula.
        """
        raise ParameterError(f"{type(self).__name__} has no gradient at every point of its set.")

    def radius(self, n: int) -> float:
        """Return the largest f over S in n dimensions, the constant U of the bounds."""
        return np.inf

    def start(self, n: int) -> Floats:
        """Return the w in S with the least f: where every learner begins [shape=(n,)]."""
        return self.link(np.zeros(n))

    def bregman(self, u: npt.ArrayLike, w: npt.ArrayLike) -> Any:
        """Return the divergence ``f(u) - f(w) - <u - w, grad f(w)>``.

        Parameters
        ----------
        u, w : array_like [shape=(..., n)]

        Returns
        -------
        float or np.ndarray [shape=(...)]
        """
        u, w = _vectors(u), _vectors(w)
        return _scalar(self.value(u) - self.value(w) - ((u - w) * self.gradient(w)).sum(-1))


@dataclass(frozen=True)
class Euclidean(Complexity):
    """Half the squared l2 norm on R^n; the link is the identity.

    Examples
    --------
    >>> Euclidean().value([3.0, 4.0])
    12.5
    """

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``|w|^2 / 2``."""
        return _half_square(_vectors(w))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``|theta|^2 / 2``."""
        return _half_square(_vectors(theta))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return a copy of theta."""
        return _vectors(theta).copy()

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the l2 norm."""
        return _scalar(np.linalg.norm(_vectors(w), axis=-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the l2 norm."""
        return self.norm(x)

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """Return a copy of w."""
        return _vectors(w).copy()


@dataclass(frozen=True)
class EuclideanBall(Euclidean):
    """Half the squared l2 norm on the ball of a given radius; the link shrinks to the ball.

    Parameters
    ----------
    rho : float
        Radius, positive.

    Examples
    --------
    >>> EuclideanBall(1.0).link([3.0, 4.0])
    array([0.6, 0.8])
    """

    rho: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.rho) and self.rho > 0.0):
            raise ParameterError(f"rho={self.rho}, must be positive and finite.")

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``|w|^2 / 2``, infinite outside the ball."""
        w = _vectors(w)
        outside = np.linalg.norm(w, axis=-1) > self.rho * (1.0 + _SLACK)
        return _scalar(np.where(outside, np.inf, _half_square(w)))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``r^2 / 2`` for ``r = |theta| <= rho``, else ``rho r - rho^2 / 2``."""
        r = np.linalg.norm(_vectors(theta), axis=-1)
        inner = np.minimum(r, self.rho)
        return _scalar(inner * (r - inner / 2.0))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return theta, shrunk to the ball where it lies outside."""
        theta = _vectors(theta)
        r = np.linalg.norm(theta, axis=-1, keepdims=True)
        shrink: Floats = np.divide(self.rho, r, out=np.ones_like(r), where=r > self.rho)
        return theta * shrink

    def radius(self, n: int) -> float:
        """Return ``rho^2 / 2``."""
        return self.rho**2 / 2.0


@dataclass(frozen=True)
class EuclideanSet(Euclidean):
    """Half the squared l2 norm on a closed convex set, given by its projection.

    Parameters
    ----------
    project : callable
        Euclidean projection on S along the last axis, ``(..., n) -> (..., n)``.
    largest : float, default inf
        Largest f over S, where it is known; the constant U of the bounds.

    Notes
    -----
    f is shifted by its minimum over S, ``m = |project(0)|^2 / 2``, so that it starts at 0;
    ``f*(theta) = |theta|^2 / 2 - dist(theta, S)^2 / 2 + m``.

    Examples
    --------
    >>> EuclideanSet.simplex().link([0.5, 1.2, -0.3, 0.9]).round(12)
    array([0.  , 0.65, 0.  , 0.35])
    """

    project: Callable[[npt.ArrayLike], Floats] = field(default=project_simplex)
    largest: float = np.inf

    @classmethod
    def simplex(cls, size: float = 1.0) -> "EuclideanSet":
        """Return f on the simplex of a given sum."""
        return cls(_Sized(project_simplex, size), size**2 / 2.0)

    @classmethod
    def l1_ball(cls, rho: float = 1.0) -> "EuclideanSet":
        """Return f on the l1 ball of a given radius."""
        return cls(_Sized(project_l1_ball, rho), rho**2 / 2.0)

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``|w|^2 / 2 - m``, infinite outside S."""
        w = _vectors(w)
        gap = np.linalg.norm(w - self.project(w), axis=-1)
        outside = gap > _SLACK * (1.0 + np.linalg.norm(w, axis=-1))
        return _scalar(np.where(outside, np.inf, _half_square(w) - self._least(w.shape[-1])))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``<w, theta> - f(w)`` at the projection w of theta."""
        theta = _vectors(theta)
        w = self.project(theta)
        # |theta|^2 - |theta - w|^2 as <w, 2 theta - w>: no difference of two large squares.
        half = (w * (theta - w / 2.0)).sum(-1)
        return _scalar(half + self._least(theta.shape[-1]))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return the projection of theta on S."""
        return self.project(_vectors(theta))

    def radius(self, n: int) -> float:
        """Return ``largest - m``."""
        return self.largest - self._least(n)

    def _least(self, n: int) -> float:
        return float(_half_square(self.project(np.zeros(n))))


@dataclass(frozen=True)
class _Sized:
    """A projection with its size bound; unlike a lambda it compares, copies and prints."""

    function: Callable[..., Floats]
    size: float

    def __call__(self, mu: npt.ArrayLike) -> Floats:
        return self.function(mu, self.size)


@dataclass(frozen=True)
class Entropy(Complexity):
    """Relative entropy to the uniform distribution on the simplex; the link is softmax.

    Examples
    --------
    >>> Entropy().link([0.0, 1.0, 2.0]).round(8)
    array([0.09003057, 0.24472847, 0.66524096])
    """

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``ln n + sum w ln w``, with 0 ln 0 = 0; infinite off the simplex."""
        w = _vectors(w)
        outside = (w < -_SLACK).any(-1) | (np.abs(w.sum(-1) - 1.0) > _SLACK * w.shape[-1])
        entropy = np.log(w.shape[-1]) + _xlogx(w).sum(-1)
        return _scalar(np.where(outside, np.inf, entropy))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``ln((1/n) sum exp(theta))``, without overflow."""
        theta = _vectors(theta)
        top = theta.max(-1, keepdims=True)
        return _scalar(top[..., 0] + np.log(np.exp(theta - top).mean(-1)))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return softmax(theta)."""
        theta = _vectors(theta)
        w: Floats = np.exp(theta - theta.max(-1, keepdims=True))
        w /= w.sum(-1, keepdims=True)
        return w

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the l1 norm."""
        return _scalar(np.abs(_vectors(w)).sum(-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the largest absolute entry."""
        return _scalar(np.abs(_vectors(x)).max(-1))

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """Return ``1 + ln w``, infinite at the boundary."""
        with np.errstate(divide="ignore"):
            gradient: Floats = 1.0 + np.log(_vectors(w))
        return gradient

    def radius(self, n: int) -> float:
        """Return ln n, the value at a vertex."""
        return float(np.log(n))

    def bregman(self, u: npt.ArrayLike, w: npt.ArrayLike) -> Any:
        """Return the relative entropy ``sum u ln(u / w)``."""
        u, w = _vectors(u), _vectors(w)
        with np.errstate(divide="ignore"):
            terms = np.where(u > 0.0, u * (np.log(np.where(u > 0.0, u, 1.0)) - np.log(w)), 0.0)
        return _scalar(terms.sum(-1))


@dataclass(frozen=True)
class FlooredEntropy(Entropy):
    """Relative entropy on the simplex with every entry at least a floor.

    Parameters
    ----------
    floor : float
        eps, in ``[0, 1/n]``.

    Examples
    --------
    >>> FlooredEntropy(0.1).link([-1e4, 0.0, -1e4])
    array([0.1, 0.8, 0.1])
    """

    floor: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.floor <= 1.0:
            raise ParameterError(f"floor={self.floor}, must lie in [0, 1/n].")

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``ln n + sum w ln w``; infinite where an entry lies below the floor."""
        below = (_vectors(w) < self.floor - _SLACK).any(-1)
        return _scalar(np.where(below, np.inf, super().value(w)))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``<w, theta> - f(w)`` at the maximiser w."""
        theta = _vectors(theta)
        w = self.link(theta)
        top = theta.max(-1, keepdims=True)
        entropy = np.log(theta.shape[-1]) + _xlogx(w).sum(-1)
        # Entries that weigh nothing may lie so far below that 0 * difference is all they give.
        return _scalar(top[..., 0] + (w * (theta - top)).sum(-1) - entropy)

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return the entropic projection of exp(theta)."""
        return project_entropic(_vectors(theta), self.floor, log=True)

    def radius(self, n: int) -> float:
        """Return f at a vertex, ``(floor, ..., floor, 1 - (n - 1) floor)``."""
        vertex = np.full(n, self.floor)
        vertex[-1] = 1.0 - (n - 1) * self.floor
        return float(np.log(n) + _xlogx(vertex).sum())


@dataclass(frozen=True)
class QNorm(Complexity):
    """Scaled squared q-norm on R^n, ``q = p / (p - 1)``; its learner is the p-norm Perceptron.

    Parameters
    ----------
    p : float, default 2
        At least 2. At 2 this is `Euclidean`; at about ``2 ln n`` it behaves like `Entropy`.

    Examples
    --------
    >>> QNorm(3.0).link([1.0, -2.0, 2.0]).round(8)
    array([ 0.19445556, -0.77782224,  0.77782224])
    """

    p: float = 2.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.p) and self.p >= 2.0):
            raise ParameterError(f"p={self.p}, must be at least 2 and finite.")

    @property
    def q(self) -> float:
        """The dual exponent, ``p / (p - 1)``."""
        return self.p / (self.p - 1.0)

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``|w|_q^2 / (2 (q - 1))``."""
        return _scalar(np.square(self.norm(w)) * (self.p - 1.0) / 2.0)

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``|theta|_p^2 / (2 (p - 1))``."""
        return _scalar(np.square(self.dual_norm(theta)) / (2.0 * (self.p - 1.0)))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return ``sign(theta_i) |theta_i|^(p-1) / ((p-1) |theta|_p^(p-2))``."""
        return _half_norm_gradient(_vectors(theta), self.p) / (self.p - 1.0)

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the l_q norm."""
        return _scalar(_lp(_vectors(w), self.q))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the l_p norm."""
        return _scalar(_lp(_vectors(x), self.p))

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """Return the gradient of f, the inverse of the link."""
        return _half_norm_gradient(_vectors(w), self.q) * (self.p - 1.0)


@dataclass(frozen=True)
class BinaryEntropy(Complexity):
    """Sum of the relative entropies of n coins to the fair one; the link is the sigmoid.

    Examples
    --------
    >>> BinaryEntropy().link([0.0, np.log(3.0)])
    array([0.5 , 0.75])
    """

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``n ln 2 + sum(w ln w + (1 - w) ln(1 - w))``; infinite outside [0, 1]^n."""
        w = _vectors(w)
        outside = ((w < -_SLACK) | (w > 1.0 + _SLACK)).any(-1)
        entropy = w.shape[-1] * np.log(2.0) + (_xlogx(w) + _xlogx(1.0 - w)).sum(-1)
        return _scalar(np.where(outside, np.inf, entropy))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``sum ln(1 + exp(theta)) - n ln 2``."""
        theta = _vectors(theta)
        return _scalar((np.logaddexp(0.0, theta) - np.log(2.0)).sum(-1))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return ``1 / (1 + exp(-theta))``, without overflow."""
        theta = _vectors(theta)
        small = np.exp(-np.abs(theta))
        w: Floats = np.where(theta >= 0.0, 1.0, small) / (1.0 + small)
        return w

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return twice the l2 norm."""
        return _scalar(2.0 * np.linalg.norm(_vectors(w), axis=-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return half the l2 norm."""
        return _scalar(np.linalg.norm(_vectors(x), axis=-1) / 2.0)

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """Return the log odds, infinite at the boundary."""
        w = _vectors(w)
        with np.errstate(divide="ignore"):
            gradient: Floats = np.log(w) - np.log1p(-w)
        return gradient

    def radius(self, n: int) -> float:
        """Return n ln 2, the value at a corner."""
        return n * float(np.log(2.0))


@dataclass(frozen=True)
class Blocks(Complexity):
    """The sum of one complexity function over the rows of a matrix (Lemma 18).

    Parameters
    ----------
    block : Complexity
        f of one row.

    Notes
    -----
    Works on ``(..., k, n)``. The squared (dual) norm is the sum of the squared (dual) norms of
    the rows: a subgradient ``x`` in one row and ``-x`` in another has ``N*^2 = 2 N*(x)^2``.

    Examples
    --------
    >>> Blocks(Entropy()).link([[0.0, 0.0], [0.0, np.log(3.0)]])
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """

    block: Complexity = field(default_factory=Euclidean)

    def value(self, w: npt.ArrayLike) -> Any:
        """Return the sum of f over the rows."""
        return _scalar(np.sum(self.block.value(_matrices(w)), axis=-1))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return the sum of f* over the rows."""
        return _scalar(np.sum(self.block.conjugate(_matrices(theta)), axis=-1))

    def link(self, theta: npt.ArrayLike) -> Floats:
        """Return the link of each row."""
        return self.block.link(_matrices(theta))

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the root of the sum of the squared norms of the rows."""
        return _scalar(np.linalg.norm(self.block.norm(_matrices(w)), axis=-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the root of the sum of the squared dual norms of the rows."""
        return _scalar(np.linalg.norm(self.block.dual_norm(_matrices(x)), axis=-1))

    def gradient(self, w: npt.ArrayLike) -> Floats:
        """Return the gradient of each row."""
        return self.block.gradient(_matrices(w))

    def radius(self, n: int) -> float:
        """Return the largest f of one row: multiply it by the number of rows."""
        return self.block.radius(n)

    def bregman(self, u: npt.ArrayLike, w: npt.ArrayLike) -> Any:
        """Return the sum of the divergences of the rows."""
        return _scalar(np.sum(self.block.bregman(_matrices(u), _matrices(w)), axis=-1))


_NAMED: dict[str, Callable[[], Complexity]] = {
    "euclidean": Euclidean,
    "entropy": Entropy,
    "binary-entropy": BinaryEntropy,
}


def as_complexity(complexity: str | Complexity) -> Complexity:
    """Return the complexity function that a name or an object stands for.

    Parameters
    ----------
    complexity : {"euclidean", "entropy", "binary-entropy"} or Complexity

    Returns
    -------
    Complexity

    Raises
    ------
    ParameterError
        If the name is unknown.

    Examples
    --------
    >>> as_complexity("entropy")
    Entropy()
    """
    if isinstance(complexity, Complexity):
        return complexity
    if isinstance(complexity, str) and complexity in _NAMED:
        return _NAMED[complexity]()
    raise ParameterError(
        f"complexity={complexity!r}, must be a Complexity or one of {', '.join(sorted(_NAMED))}."
    )


def _vectors(values: npt.ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ParameterError(f"shape={array.shape}, must be (..., n) with n >= 1.")
    return array


def _matrices(values: npt.ArrayLike) -> Floats:
    array = _vectors(values)
    if array.ndim < 2:
        raise ParameterError(f"shape={array.shape}, must be (..., k, n): one row for each block.")
    return array


def _scalar(values: Any) -> Any:
    """Turn a 0-d array into a float; leave a batch alone."""
    return float(values) if np.ndim(values) == 0 else values


def _half_square(w: Floats) -> Any:
    return _scalar(np.square(w).sum(-1) / 2.0)


def _xlogx(w: Floats) -> Floats:
    terms: Floats = w * np.log(np.where(w > 0.0, w, 1.0))
    return terms


def _lp(w: Floats, p: float) -> Floats:
    """Return the l_p norm along the last axis, without overflow."""
    size = np.abs(w)
    top = size.max(-1, keepdims=True)
    ratio = np.divide(size, top, out=np.zeros_like(size), where=top > 0.0)
    norm: Floats = top[..., 0] * (ratio**p).sum(-1) ** (1.0 / p)
    return norm


def _half_norm_gradient(w: Floats, p: float) -> Floats:
    """Return the gradient of half the squared l_p norm, ``sign(w) |w|^(p-1) |w|_p^(2-p)``."""
    size = np.abs(w)
    top = size.max(-1, keepdims=True)
    ratio = np.divide(size, top, out=np.zeros_like(size), where=top > 0.0)
    # The largest ratio is 1, so the norm is at least 1 except where everything is zero.
    norm = np.maximum((ratio**p).sum(-1, keepdims=True) ** (1.0 / p), 1.0)
    gradient: Floats = np.sign(w) * top * ratio ** (p - 1.0) * norm ** (2.0 - p)
    return gradient
