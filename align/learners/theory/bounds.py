"""The bounds that the theory proves, evaluated on what a run recorded.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Lemmas 1, 2 and 19.
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003, Theorem 3.
"""

import math

from align.errors import ParameterError
from align.learners.theory.rounds import Rounds
from align.types import Float64


def regret_bound(trace: Rounds, c: float, complexity: float) -> float:
    """Bound the regret of a run of Lipschitz losses by its own steps (Lemmas 1 and 2).

    Parameters
    ----------
    trace : Rounds
        The run; its c must not decrease.
    c : float
        Weight of complexity in the last round.
    complexity : float
        f(u) of the competitor u.

    Returns
    -------
    float
        ``c f(u) + sum_t ||a_t||**2 / (2 c_t)`` over the rounds with a step.
    """
    used = trace.alpha > 0.0
    return c * complexity + 0.5 * float((trace.norm[used] ** 2 / trace.c[used]).sum())


def squared_loss_bound(
    radius: float, curvature: float, complexity: float, losses: Float64
) -> float:
    """Bound the sum of squared losses of PA (curvature 0) and PA-II (curvature ``1 / (2 C)``).

    Parameters
    ----------
    radius : float
        Largest norm of a direction.
    curvature : float
        Of the slack.
    complexity : float
        Half the squared norm of the competitor u.
    losses : np.ndarray [shape=(T,)]
        Losses of u.

    Returns
    -------
    float
        ``(X**2 + curvature) (||u||**2 + sum losses**2 / curvature)``; infinite for PA where u has
        any loss.

    Examples
    --------
    >>> import numpy as np
    >>> squared_loss_bound(2.0, 0.5, 1.0, np.array([0.0, 1.0]))
    18.0
    """
    squares = float((losses**2).sum())
    if curvature > 0.0:
        squares /= curvature
    elif squares > 0.0:
        return math.inf
    return (radius * radius + curvature) * (2.0 * complexity + squares)


def solve_sqrt_bound(b: float, c: float) -> float:
    """Bound z >= 0 wherever ``z - b sqrt(z) - c <= 0`` (Lemma 19).

    Parameters
    ----------
    b, c : float
        Not negative.

    Returns
    -------
    float
        ``c + b**2 + b * sqrt(c)``.

    Examples
    --------
    >>> solve_sqrt_bound(2.0, 9.0)
    19.0
    """
    if not (b >= 0.0 and c >= 0.0):
        raise ParameterError(f"b={b}, c={c}, must not be negative.")
    return c + b * b + b * math.sqrt(c)
