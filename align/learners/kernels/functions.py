"""Kernels: inner products of examples that are never written out.

Each takes two sets of examples and returns the matrix of their inner products. All are computed
with one product of matrices.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003, section 3.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from align.errors import ParameterError
from align.learners.parts.parameters import check_choice, check_whole, positive
from align.types import Float64

Kernel: TypeAlias = Callable[[Float64, Float64], Float64]

KERNELS = ("gaussian", "polynomial", "linear")


def linear_kernel(A: Float64, B: Float64) -> Float64:
    """Return ``<a, b>`` [shape=(n, m)].

    Parameters
    ----------
    A : np.ndarray [shape=(n, d)]
    B : np.ndarray [shape=(m, d)]

    Examples
    --------
    >>> linear_kernel(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """
    return A @ B.T


def gaussian_kernel(A: Float64, B: Float64, sigma: float) -> Float64:
    """Return ``exp(-||a - b||**2 / (2 sigma**2))`` [shape=(n, m)].

    Parameters
    ----------
    A : np.ndarray [shape=(n, d)]
    B : np.ndarray [shape=(m, d)]
    sigma : float
        Positive.

    Examples
    --------
    >>> gaussian_kernel(np.array([[0.0]]), np.array([[0.0], [2.0]]), sigma=1.0).round(6)
    array([[1.      , 0.135335]])
    """
    # exp(a.b/s - |a|^2/2s - |b|^2/2s), s = sigma^2: one product, then in place.
    scale = 1.0 / (sigma * sigma)
    exponent: Float64 = (A * scale) @ B.T
    squares = [(0.5 * scale) * np.einsum("ij,ij->i", some, some) for some in (A, B)]
    if not all(np.isfinite(some).all() for some in squares):
        raise ParameterError("distances overflowed; scale the features to moderate values.")
    exponent -= squares[0][:, None]
    exponent -= squares[1]
    np.minimum(exponent, 0.0, out=exponent)  # of equal examples, 0 but for rounding
    return np.exp(exponent, out=exponent)


def polynomial_kernel(
    A: Float64, B: Float64, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0
) -> Float64:
    """Return ``(gamma <a, b> + coef0) ** degree`` [shape=(n, m)].

    Parameters
    ----------
    A : np.ndarray [shape=(n, d)]
    B : np.ndarray [shape=(m, d)]
    degree : int
        At least 1.
    gamma : float
        Positive.
    coef0 : float
        Not negative, else this is no inner product.

    Examples
    --------
    >>> polynomial_kernel(np.array([[1.0]]), np.array([[2.0]]), degree=2)
    array([[9.]])
    """
    return (gamma * linear_kernel(A, B) + coef0) ** degree


def make_kernel(
    kernel: str | Kernel,
    *,
    sigma: float,
    degree: int,
    gamma: float,
    coef0: float,
) -> Kernel:
    """Return a kernel by its name, gaussian, polynomial or linear; a function is checked on use.

    A function takes [shape=(n, d)] and [shape=(m, d)] and returns [shape=(n, m)]. `sigma` is of
    the Gaussian kernel, `degree`, `gamma` and `coef0` of the polynomial one. Raises ParameterError
    where the name is unknown, or a parameter of the kernel is out of range.
    """
    if callable(kernel):
        return _checked(kernel)
    check_choice(kernel, "kernel", KERNELS)
    if kernel == "linear":
        return linear_kernel
    if kernel == "gaussian":
        positive(sigma, "sigma")
        return lambda A, B: gaussian_kernel(A, B, sigma)
    check_whole(degree, "degree")
    if not (0.0 < gamma < math.inf and 0.0 <= coef0 < math.inf):
        raise ParameterError(f"gamma={gamma}, coef0={coef0}, must be positive, and not negative.")
    return lambda A, B: polynomial_kernel(A, B, int(degree), gamma, coef0)


def _checked(kernel: Kernel) -> Kernel:
    """Wrap a user's kernel with a check of what it returns."""

    def call(A: Float64, B: Float64) -> Float64:
        gram = np.asarray(kernel(A, B), dtype=np.float64)
        if gram.shape != (len(A), len(B)):
            raise ParameterError(
                f"the kernel returned shape {gram.shape}, must be (n, m)=({len(A)}, {len(B)})."
            )
        if not np.isfinite(gram).all():
            raise ParameterError("the kernel returned values that are not finite.")
        return gram

    return call
