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
`Blocks` works on matrices, along the last two. The classes are in `norms`, `entropies` and
`blocks`; here is what they have in common.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 2, 5.1,
7.1 and 8.3, appendix A.3 and A.4. Appendix A.3.1 prints the binary entropy with a leading minus,
which makes it concave; the convex form stands here.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float64

# How far a point may lie outside S by rounding and still count as inside.
SLACK = 1e-9


class Complexity(ABC):
    """A complexity function f on a convex set S; the base class of all.

    Everywhere, vectors lie along the last axis and leading axes are a batch. A function of your
    own needs `value`, `conjugate`, `link`, `norm` and `dual_norm`.

    Examples
    --------
    Weights that are four times as dear as those of `Euclidean`, ``f(w) = 2 |w|^2``:

    >>> class Dear(Complexity):
    ...     def value(self, w):
    ...         return 2.0 * np.square(w).sum(-1)
    ...     def conjugate(self, theta):
    ...         return np.square(theta).sum(-1) / 8.0
    ...     def link(self, theta):
    ...         return np.asarray(theta) / 4.0
    ...     def norm(self, w):
    ...         return 2.0 * np.linalg.norm(w, axis=-1)
    ...     def dual_norm(self, x):
    ...         return np.linalg.norm(x, axis=-1) / 2.0
    >>> from align.learners import OnlineClassifier
    >>> OnlineClassifier(Dear(), fit_intercept=False).partial_fit([[1.0], [-1.0]], [1, 0]).coef_
    array([[0.5]])
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
    def link(self, theta: npt.ArrayLike) -> Float64:
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

    def gradient(self, w: npt.ArrayLike) -> Float64:
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

    def start(self, n: int) -> Float64:
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
        u, w = vectors(u), vectors(w)
        return scalar(self.value(u) - self.value(w) - ((u - w) * self.gradient(w)).sum(-1))


# Stacks of vectors: checks, and sums along the last axis -----------------------------------------


def vectors(values: npt.ArrayLike) -> Float64:
    """Return values as an array with a last axis that is not empty."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ParameterError(f"shape={array.shape}, must be (..., n) with n >= 1.")
    return array


def matrices(values: npt.ArrayLike) -> Float64:
    """Return values as an array with two axes or more."""
    array = vectors(values)
    if array.ndim < 2:
        raise ParameterError(f"shape={array.shape}, must be (..., k, n): one row for each block.")
    return array


def scalar(values: Any) -> Any:
    """Turn a 0-d array into a float; leave a batch alone."""
    return float(values) if np.ndim(values) == 0 else values


def half_square(w: Float64) -> Any:
    """Return ``|w|^2 / 2``."""
    return scalar(np.square(w).sum(-1) / 2.0)


def xlogx(w: Float64) -> Float64:
    """Return ``w ln w`` entry by entry, with 0 ln 0 = 0."""
    return w * np.log(np.where(w > 0.0, w, 1.0))
