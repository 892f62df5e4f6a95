r"""Squared norms as complexity functions: on R^n, a ball, any convex set, and squared q-norms.

The link of half the squared l2 norm on a set is the projection on the set. That of the squared
q-norm, with ``1 / p + 1 / q = 1``, is the gradient of half the squared p-norm; it goes from the
identity at p = 2 to something like the softmax at ``p = 2 ln n``. See `complexity` for the table.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.complexity import SLACK, Complexity, half_square, scalar, vectors
from align.learners.parts.parameters import positive
from align.learners.parts.projections import project_l1_ball, project_simplex
from align.types import Float64


@dataclass(frozen=True)
class Euclidean(Complexity):
    """Half the squared l2 norm on R^n; the link is the identity.

    Source: Shalev-Shwartz 2007, appendix A.4.

    Examples
    --------
    >>> Euclidean().value([3.0, 4.0])
    12.5
    """

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``|w|^2 / 2``."""
        return half_square(vectors(w))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``|theta|^2 / 2``."""
        return half_square(vectors(theta))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return a copy of theta."""
        return vectors(theta).copy()

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the l2 norm."""
        return scalar(np.linalg.norm(vectors(w), axis=-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the l2 norm."""
        return self.norm(x)

    def gradient(self, w: npt.ArrayLike) -> Float64:
        """Return a copy of w."""
        return vectors(w).copy()


@dataclass(frozen=True)
class EuclideanBall(Euclidean):
    """Half the squared l2 norm on the ball of a given radius; the link shrinks to the ball.

    Source: Shalev-Shwartz 2007, appendix A.4.

    Parameters
    ----------
    rho : float, default 1
        Radius, positive.

    Examples
    --------
    >>> EuclideanBall(1.0).link([3.0, 4.0])
    array([0.6, 0.8])
    """

    rho: float = 1.0

    def __post_init__(self) -> None:
        positive(self.rho, "rho")

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``|w|^2 / 2``, infinite outside the ball."""
        w = vectors(w)
        outside = np.linalg.norm(w, axis=-1) > self.rho * (1.0 + SLACK)
        return scalar(np.where(outside, np.inf, half_square(w)))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``r^2 / 2`` for ``r = |theta| <= rho``, else ``rho r - rho^2 / 2``."""
        r = np.linalg.norm(vectors(theta), axis=-1)
        inner = np.minimum(r, self.rho)
        return scalar(inner * (r - inner / 2.0))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return theta, shrunk to the ball where it lies outside."""
        theta = vectors(theta)
        r = np.linalg.norm(theta, axis=-1, keepdims=True)
        shrink: Float64 = np.divide(self.rho, r, out=np.ones_like(r), where=r > self.rho)
        return theta * shrink

    def radius(self, n: int) -> float:
        """Return ``rho^2 / 2``."""
        return self.rho**2 / 2.0


@dataclass(frozen=True)
class EuclideanSet(Euclidean):
    """Half the squared l2 norm on a closed convex set, given by its projection.

    Source: Shalev-Shwartz 2007, appendix A.4 and section 7.1.

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

    project: Callable[[npt.ArrayLike], Float64] = field(default=project_simplex)
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
        w = vectors(w)
        gap = np.linalg.norm(w - self.project(w), axis=-1)
        outside = gap > SLACK * (1.0 + np.linalg.norm(w, axis=-1))
        return scalar(np.where(outside, np.inf, half_square(w) - self._least(w.shape[-1])))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``<w, theta> - f(w)`` at the projection w of theta."""
        theta = vectors(theta)
        w = self.project(theta)
        # |theta|^2 - |theta - w|^2 as <w, 2 theta - w>: no difference of two large squares.
        half = (w * (theta - w / 2.0)).sum(-1)
        return scalar(half + self._least(theta.shape[-1]))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return the projection of theta on S."""
        return self.project(vectors(theta))

    def radius(self, n: int) -> float:
        """Return ``largest - m``."""
        return self.largest - self._least(n)

    def _least(self, n: int) -> float:
        return float(half_square(self.project(np.zeros(n))))


@dataclass(frozen=True)
class _Sized:
    """A projection with its size bound; unlike a lambda it compares, copies and prints."""

    function: Callable[..., Float64]
    size: float

    def __call__(self, mu: npt.ArrayLike) -> Float64:
        return self.function(mu, self.size)


@dataclass(frozen=True)
class QNorm(Complexity):
    """Scaled squared q-norm on R^n, ``q = p / (p - 1)``; its learner is the p-norm Perceptron.

    Source: Shalev-Shwartz 2007, appendix A.4, Example 5, and section 5.1.4.

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
        return scalar(np.square(self.norm(w)) * (self.p - 1.0) / 2.0)

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``|theta|_p^2 / (2 (p - 1))``."""
        return scalar(np.square(self.dual_norm(theta)) / (2.0 * (self.p - 1.0)))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return ``sign(theta_i) |theta_i|^(p-1) / ((p-1) |theta|_p^(p-2))``."""
        return _half_norm_gradient(vectors(theta), self.p) / (self.p - 1.0)

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the l_q norm."""
        return scalar(_lp(vectors(w), self.q))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the l_p norm."""
        return scalar(_lp(vectors(x), self.p))

    def gradient(self, w: npt.ArrayLike) -> Float64:
        """Return the gradient of f, the inverse of the link."""
        return _half_norm_gradient(vectors(w), self.q) * (self.p - 1.0)


def _lp(w: Float64, p: float) -> Float64:
    """Return the l_p norm along the last axis, without overflow."""
    size = np.abs(w)
    top = size.max(-1, keepdims=True)
    ratio = np.divide(size, top, out=np.zeros_like(size), where=top > 0.0)
    norm: Float64 = top[..., 0] * (ratio**p).sum(-1) ** (1.0 / p)
    return norm


def _half_norm_gradient(w: Float64, p: float) -> Float64:
    """Return the gradient of half the squared l_p norm, ``sign(w) |w|^(p-1) |w|_p^(2-p)``."""
    size = np.abs(w)
    top = size.max(-1, keepdims=True)
    ratio = np.divide(size, top, out=np.zeros_like(size), where=top > 0.0)
    # The largest ratio is 1, so the norm is at least 1 except where everything is zero.
    norm = np.maximum((ratio**p).sum(-1, keepdims=True) ** (1.0 / p), 1.0)
    gradient: Float64 = np.sign(w) * top * ratio ** (p - 1.0) * norm ** (2.0 - p)
    return gradient
