"""Entropies as complexity functions: on the simplex, with a floor, and of coins.

The link multiplies: a step adds to the logarithms of the weights, which are then normalised. All
weight on one of n features costs no more than ln n, so these suit many features of which few
matter.
See `complexity` for the table.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.complexity import SLACK, Complexity, scalar, vectors, xlogx
from align.learners.parts.projections import project_entropic
from align.types import Float64


@dataclass(frozen=True)
class Entropy(Complexity):
    """Relative entropy to the uniform distribution on the simplex; the link is softmax.

    Source: Shalev-Shwartz 2007, appendix A.3 and section 7.1.3.

    Examples
    --------
    >>> Entropy().link([0.0, 1.0, 2.0]).round(8)
    array([0.09003057, 0.24472847, 0.66524096])
    """

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``ln n + sum w ln w``, with 0 ln 0 = 0; infinite off the simplex."""
        w = vectors(w)
        outside = (w < -SLACK).any(-1) | (np.abs(w.sum(-1) - 1.0) > SLACK * w.shape[-1])
        entropy = np.log(w.shape[-1]) + xlogx(w).sum(-1)
        return scalar(np.where(outside, np.inf, entropy))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``ln((1/n) sum exp(theta))``, without overflow."""
        theta = vectors(theta)
        top = theta.max(-1, keepdims=True)
        return scalar(top[..., 0] + np.log(np.exp(theta - top).mean(-1)))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return softmax(theta)."""
        theta = vectors(theta)
        w: Float64 = np.exp(theta - theta.max(-1, keepdims=True))
        w /= w.sum(-1, keepdims=True)
        return w

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the l1 norm."""
        return scalar(np.abs(vectors(w)).sum(-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the largest absolute entry."""
        return scalar(np.abs(vectors(x)).max(-1))

    def gradient(self, w: npt.ArrayLike) -> Float64:
        """Return ``1 + ln w``, infinite at the boundary."""
        with np.errstate(divide="ignore"):
            gradient: Float64 = 1.0 + np.log(vectors(w))
        return gradient

    def radius(self, n: int) -> float:
        """Return ln n, the value at a vertex."""
        return float(np.log(n))

    def bregman(self, u: npt.ArrayLike, w: npt.ArrayLike) -> Any:
        """Return the relative entropy ``sum u ln(u / w)``."""
        u, w = vectors(u), vectors(w)
        with np.errstate(divide="ignore"):
            terms = np.where(u > 0.0, u * (np.log(np.where(u > 0.0, u, 1.0)) - np.log(w)), 0.0)
        return scalar(terms.sum(-1))


@dataclass(frozen=True)
class FlooredEntropy(Entropy):
    """Relative entropy on the simplex with every entry at least a floor.

    Source: Shalev-Shwartz 2007, section 7.1.3.

    Parameters
    ----------
    floor : float, default 0
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
        below = (vectors(w) < self.floor - SLACK).any(-1)
        return scalar(np.where(below, np.inf, super().value(w)))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``<w, theta> - f(w)`` at the maximiser w."""
        theta = vectors(theta)
        w = self.link(theta)
        top = theta.max(-1, keepdims=True)
        entropy = np.log(theta.shape[-1]) + xlogx(w).sum(-1)
        # Entries that weigh nothing may lie so far below that 0 * difference is all they give.
        return scalar(top[..., 0] + (w * (theta - top)).sum(-1) - entropy)

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return the entropic projection of exp(theta)."""
        return project_entropic(vectors(theta), self.floor, log=True)

    def radius(self, n: int) -> float:
        """Return f at a vertex, ``(floor, ..., floor, 1 - (n - 1) floor)``."""
        vertex = np.full(n, self.floor)
        vertex[-1] = 1.0 - (n - 1) * self.floor
        return float(np.log(n) + xlogx(vertex).sum())


@dataclass(frozen=True)
class BinaryEntropy(Complexity):
    """Sum of the relative entropies of n coins to the fair one; the link is the sigmoid.

    Source: Shalev-Shwartz 2007, appendix A.3.1, with the sign mended.

    Examples
    --------
    >>> BinaryEntropy().link([0.0, np.log(3.0)])
    array([0.5 , 0.75])
    """

    def value(self, w: npt.ArrayLike) -> Any:
        """Return ``n ln 2 + sum(w ln w + (1 - w) ln(1 - w))``; infinite outside [0, 1]^n."""
        w = vectors(w)
        outside = ((w < -SLACK) | (w > 1.0 + SLACK)).any(-1)
        entropy = w.shape[-1] * np.log(2.0) + (xlogx(w) + xlogx(1.0 - w)).sum(-1)
        return scalar(np.where(outside, np.inf, entropy))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return ``sum ln(1 + exp(theta)) - n ln 2``."""
        theta = vectors(theta)
        return scalar((np.logaddexp(0.0, theta) - np.log(2.0)).sum(-1))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return ``1 / (1 + exp(-theta))``, without overflow."""
        theta = vectors(theta)
        small = np.exp(-np.abs(theta))
        return np.where(theta >= 0.0, 1.0, small) / (1.0 + small)

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return twice the l2 norm."""
        return scalar(2.0 * np.linalg.norm(vectors(w), axis=-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return half the l2 norm."""
        return scalar(np.linalg.norm(vectors(x), axis=-1) / 2.0)

    def gradient(self, w: npt.ArrayLike) -> Float64:
        """Return the log odds, infinite at the boundary."""
        w = vectors(w)
        with np.errstate(divide="ignore"):
            gradient: Float64 = np.log(w) - np.log1p(-w)
        return gradient

    def radius(self, n: int) -> float:
        """Return n ln 2, the value at a corner."""
        return n * float(np.log(2.0))
