"""Complexity functions put together and chosen: one for each row of a matrix, and by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.complexity import Complexity, matrices, scalar
from align.learners.parts.entropies import BinaryEntropy, Entropy
from align.learners.parts.norms import Euclidean
from align.types import Float64


@dataclass(frozen=True)
class Blocks(Complexity):
    """The sum of one complexity function over the rows of a matrix (Lemma 18).

    Source: Shalev-Shwartz 2007, section 8.3 and Lemma 18.

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
        return scalar(np.sum(self.block.value(matrices(w)), axis=-1))

    def conjugate(self, theta: npt.ArrayLike) -> Any:
        """Return the sum of f* over the rows."""
        return scalar(np.sum(self.block.conjugate(matrices(theta)), axis=-1))

    def link(self, theta: npt.ArrayLike) -> Float64:
        """Return the link of each row."""
        return self.block.link(matrices(theta))

    def norm(self, w: npt.ArrayLike) -> Any:
        """Return the root of the sum of the squared norms of the rows."""
        return scalar(np.linalg.norm(self.block.norm(matrices(w)), axis=-1))

    def dual_norm(self, x: npt.ArrayLike) -> Any:
        """Return the root of the sum of the squared dual norms of the rows."""
        return scalar(np.linalg.norm(self.block.dual_norm(matrices(x)), axis=-1))

    def gradient(self, w: npt.ArrayLike) -> Float64:
        """Return the gradient of each row."""
        return self.block.gradient(matrices(w))

    def radius(self, n: int) -> float:
        """Return the largest f of one row: multiply it by the number of rows."""
        return self.block.radius(n)

    def bregman(self, u: npt.ArrayLike, w: npt.ArrayLike) -> Any:
        """Return the sum of the divergences of the rows."""
        return scalar(np.sum(self.block.bregman(matrices(u), matrices(w)), axis=-1))


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
