"""Streams on which every learner errs: what no regret or mistake bound can be below.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Theorems 3 and 4,
Example 6. The print has the point of the last as ``(r - l + 1) / 2 + 1`` and the ends that follow
an answer off by one; what stands here is consistent with its hypotheses.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.parameters import generator
from align.types import Float64


def coin_slopes(n_rounds: int, random_state: Any = None) -> Float64:
    """Return random signs s_t: the losses ``1 + s_t w`` on [-1, 1] cost every learner the same.

    Source: Shalev-Shwartz 2007, Theorem 3.

    Parameters
    ----------
    n_rounds : int
        T.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    np.ndarray [shape=(T,)]
        -1. or 1. The expected regret is at least ``E |sum s_t|``, about ``sqrt(2 T / pi)``,
        whatever the learner does.

    Examples
    --------
    >>> slopes = coin_slopes(1000, random_state=0)
    >>> set(slopes.tolist()) == {-1.0, 1.0}, abs(float(slopes.sum())) < 100.0
    (True, True)
    """
    rng = generator(random_state)
    return rng.choice(np.array([-1.0, 1.0]), size=n_rounds)


def one_hot_stream(n: int, weights: Callable[[], npt.ArrayLike]) -> Iterator[tuple[Float64, int]]:
    """Yield examples each of which shows one weight, with the label it is against.

    Source: Shalev-Shwartz 2007, Theorem 4.

    Parameters
    ----------
    n : int
        Number of weights, and of rounds.
    weights : callable
        Returns the present weights of the learner [shape=(n,)].

    Yields
    ------
    x : np.ndarray [shape=(n,)]
        The t-th unit vector.
    y : int
        -1 where the t-th weight is not negative, else 1. So the hinge loss of margin 1 is at least
        1 in each round, though ``u = (y_1, ..., y_n)``, of complexity n / 2, has none.

    Examples
    --------
    >>> [label for _, label in one_hot_stream(3, lambda: [0.0, -1.0, 2.0])]
    [-1, 1, -1]
    """
    for t in range(n):
        x = np.zeros(n)
        x[t] = 1.0
        yield x, -1 if np.asarray(weights())[t] >= 0.0 else 1


def threshold_stream(n: int, predict: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """Yield points of 1 .. n with the label that the learner does not expect.

    Source: Shalev-Shwartz 2007, appendix B.2, Example 6.

    Parameters
    ----------
    n : int
        A power of two. The hypotheses are ``h_i(x) = +1`` for ``x <= i``, else -1, i in 1 .. n.
    predict : callable
        Returns the learner's label, -1 or 1, for a point.

    Yields
    ------
    x : int
    y : int
        Not the prediction; some hypothesis agrees with all labels. There are log2 n of them, one
        mistake each: the bound of halving is reached, though the class has VC dimension 1.

    Raises
    ------
    ParameterError
        Where n is no power of two.

    Examples
    --------
    >>> list(threshold_stream(8, lambda x: 1))
    [(5, -1), (3, -1), (2, -1)]
    """
    if n < 1 or n & (n - 1):
        raise ParameterError(f"n={n}, must be a power of two.")
    low, high = 1, n  # the hypotheses that agree so far
    while low < high:
        x = low + (high - low + 1) // 2
        y = -int(predict(x))
        if y < 0:
            high = x - 1
        else:
            low = x
        yield x, y
