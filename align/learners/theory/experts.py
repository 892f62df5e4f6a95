r"""Prediction with expert advice: the entropic learner on a finite class of experts.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, sections 2 and 3.
"""

import math

import numpy as np
import numpy.typing as npt

from align._params import ParamsMixin
from align.errors import ParameterError
from align.learners.parts.parameters import check_whole
from align.types import Float64


class BestExpert(ParamsMixin):
    """Follow a weighted average of experts, whose loss nears that of the best of them.

    Source: Shalev-Shwartz 2007, sections 2 and 3; the rate is in the lecture slides "Online
    Algorithms".

    Parameters
    ----------
    n_experts : int
        N.
    horizon : int, optional
        T, the number of rounds to come, which sets ``c = sqrt(T / (8 ln N))``. Without it c grows
        as ``sqrt(t / (8 ln N))``.

    Attributes
    ----------
    losses_ : np.ndarray [shape=(N,)]
        Sum of the losses of each expert.
    loss_ : float
        Sum of the losses of the average.
    n_rounds_ : int

    Notes
    -----
    The entropic learner with subgradient steps: ``w = softmax(-losses_ / c)``. For losses in
    [0, 1] its regret is at most ``sqrt(T ln N / 2)`` with the horizon known, by Hoeffding.

    Examples
    --------
    >>> learner = BestExpert(2, horizon=100)
    >>> for _ in range(100):
    ...     _ = learner.step([0.0, 1.0])
    >>> learner.regret() <= learner.regret_bound()
    True
    """

    def __init__(self, n_experts: int, *, horizon: int | None = None) -> None:
        check_whole(n_experts, "n_experts")
        if horizon is not None:
            check_whole(horizon, "horizon")
        self.n_experts = n_experts
        self.horizon = horizon
        self.losses_: Float64 = np.zeros(n_experts)
        self.loss_ = 0.0
        self.n_rounds_ = 0

    @property
    def weights_(self) -> Float64:
        """Weight of each expert in the next round [shape=(N,)]."""
        rounds = self.horizon if self.horizon is not None else self.n_rounds_ + 1
        if self.n_experts == 1:
            return np.ones(1)
        c = math.sqrt(rounds / (8.0 * math.log(self.n_experts)))
        w: Float64 = np.exp((self.losses_.min() - self.losses_) / c)
        w /= w.sum()
        return w

    def step(self, losses: npt.ArrayLike) -> float:
        """Play one round.

        Parameters
        ----------
        losses : array_like [shape=(N,)]
            Loss of each expert, in [0, 1].

        Returns
        -------
        float
            Loss of the average.

        Raises
        ------
        ParameterError
            For losses outside [0, 1], or a round beyond the horizon.
        """
        array = np.asarray(losses, dtype=np.float64)
        if array.shape != (self.n_experts,) or not ((array >= 0.0) & (array <= 1.0)).all():
            raise ParameterError(f"losses={losses!r}, must be {self.n_experts} values in [0, 1].")
        if self.horizon is not None and self.n_rounds_ >= self.horizon:
            raise ParameterError(f"horizon={self.horizon} rounds are over.")
        loss = float(self.weights_ @ array)
        self.losses_ = self.losses_ + array
        self.loss_ += loss
        self.n_rounds_ += 1
        return loss

    def regret(self) -> float:
        """Return the loss of the average beyond that of the best expert."""
        return self.loss_ - float(self.losses_.min())

    def regret_bound(self) -> float:
        """Return ``sqrt(T ln N / 2)``, or ``3 sqrt(T ln N / 8)`` without a horizon.

        The second is that of a running c, with losses centred on 1/2, which changes no weight.
        """
        log = math.log(self.n_experts)
        if self.horizon is not None:
            return math.sqrt(self.horizon * log / 2.0)
        return 3.0 * math.sqrt(self.n_rounds_ * log / 8.0)
