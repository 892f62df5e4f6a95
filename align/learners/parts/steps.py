"""Dual steps on one hinge-type constraint: the passive-aggressive step, and its slacks.

A round reveals a direction ``a`` and a target ``b``: the loss is ``[b - <w, a>]_+``. Its dual
variable is ``-alpha a`` with ``alpha >= 0``; taking the step adds ``alpha a`` to ``v``, and
``w = link(v / c)`` follows. What alpha costs in the dual, and how far it may go, is the *slack*:

=============  =====================  ====================================  =====================
slack          loss of the round      conjugate at ``-alpha a``             gives, Euclidean
=============  =====================  ====================================  =====================
`HARD`         0, or infinite         ``-alpha b``, alpha >= 0              PA (c = 1)
`LINEAR`       ``[.]_+``              ``-alpha b``, 0 <= alpha <= 1         PA-I (c = 1 / C)
`squared`      ``C [.]_+ ** 2``       ``-alpha b + alpha**2 / (4 C)``       PA-II (c = 1)
=============  =====================  ====================================  =====================

The *exact* step maximises the dual over alpha; the *subgradient* step takes alpha = 1.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Eq. 3.11, 3.12
and 7.11.
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003.
"""

import math
from dataclasses import dataclass

from align.learners.parts.parameters import positive

_ROUNDING = 1e-12  # relative; a loss below this is what a step leaves on its own constraint


@dataclass(frozen=True)
class Slack:
    """What violating a constraint costs, as its dual sees it.

    Parameters
    ----------
    largest : float
        Largest alpha.
    curvature : float
        The conjugate is ``-alpha b + curvature alpha**2 / 2``.
    """

    largest: float
    curvature: float = 0.0

    def dual_gain(self, alpha: float, target: float) -> float:
        """Return minus the conjugate: what alpha adds to the dual before complexity is paid."""
        return alpha * target - 0.5 * self.curvature * alpha * alpha


HARD = Slack(math.inf)
LINEAR = Slack(1.0)


def squared(C: float) -> Slack:
    """Return the slack of the loss ``C [b - <w, a>]_+ ** 2``.

    Parameters
    ----------
    C : float
        Positive.
    """
    positive(C, "C")
    return Slack(math.inf, 1.0 / (2.0 * C))


def hinge(target: float, score: float) -> float:
    """Return ``[target - score]_+``, and 0 for what is only rounding; NaN stays, and infinity.

    Examples
    --------
    >>> hinge(3.0, 1.0)
    2.0
    >>> hinge(0.3, 0.1 + 0.2 - 1e-15)
    0.0
    """
    loss = target - score
    return 0.0 if loss < _ROUNDING * (abs(target) + abs(score)) else loss


def exact_alpha(loss: float, price: float, curvature: float, largest: float) -> float:
    """Return the alpha that maximises ``alpha loss - alpha**2 (price + curvature) / 2``.

    This is the passive-aggressive step: the only place where its formula is written. Python calls
    it as it is, and kernels call it compiled, from `align.learners.parts.step_kernels`.

    Parameters
    ----------
    loss : float
        ``[b - <w, a>]_+``, positive.
    price : float
        ``||a||**2 / c``, what a squared alpha costs in complexity; positive.
    curvature, largest : float
        Of the slack.

    Returns
    -------
    float

    Examples
    --------
    >>> exact_alpha(loss=3.0, price=2.0, curvature=0.0, largest=1.0)
    1.0
    """
    return min(largest, loss / (price + curvature))


def exact_step(loss: float, squared_norm: float, c: float, slack: Slack) -> float:
    """Return the alpha that maximises the dual, for the Euclidean complexity.

    Parameters
    ----------
    loss : float
        ``[b - <w, a>]_+`` at ``w = v / c``.
    squared_norm : float
        ``||a||**2``; where it is 0 no step helps, and alpha is 0.
    c : float
        Weight of the complexity, positive.
    slack : Slack
        `HARD`, `LINEAR` or `squared`.

    Returns
    -------
    float
        ``loss / (||a||**2 / c + curvature)``, at most ``slack.largest``; the step in w is
        ``tau = alpha / c``.

    Examples
    --------
    >>> exact_step(loss=3.0, squared_norm=2.0, c=1.0, slack=HARD)
    1.5
    >>> exact_step(loss=3.0, squared_norm=2.0, c=4.0, slack=LINEAR) / 4.0  # PA-I with C = 1/4
    0.25
    """
    if loss <= 0.0 or squared_norm <= 0.0:
        return 0.0
    return exact_alpha(loss, squared_norm / c, slack.curvature, slack.largest)
