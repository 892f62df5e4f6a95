"""Online-to-batch conversion: one hypothesis out of the many an online run goes through.

A run of T rounds predicts with ``w_1, ..., w_T``, where ``w_t = v_t / c`` is what the learner knew
before round t. A conversion watches the run and gives one hypothesis at the end:

==============  ================================================================================
`Last`          the one after the last round (no guarantee; what the thesis uses for speech)
`RandomStop`    one of ``w_1 .. w_T`` drawn uniformly, which makes "last" provable (Corollary 8)
`Average`       the mean of ``w_1 .. w_T``, ``w_1`` included (Theorem 13)
`Best`          the candidate of least cost on given data: held-out data (Theorem 12, but
                without its restarts) or the training set itself
==============  ================================================================================

All are exact under a run cut into chunks. Learners of a linear link call ``before_round`` with
``v`` and ``1 / c`` and ``after_step`` with what was added to ``v``; a step may touch some
coordinates only, and no conversion costs more than the step itself.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, appendix B.
"""

from typing import Any, Protocol

import numpy as np

from align.errors import ParameterError
from align.types import Float64, IntArray


class Conversion(Protocol):
    """Watches a run and gives one hypothesis; it notes only what a subclass says."""

    def before_round(self, v: Float64, scale: float) -> None:
        """Note that a round begins with the hypothesis ``scale * v``.

        Parameters
        ----------
        v : np.ndarray
            Dual sum; not to be kept without a copy.
        scale : float
            ``1 / c``, or 0 while c is 0.
        """
        return

    def after_step(self, step: Float64, index: Any = ...) -> None:
        """Note that ``v[index] += step``."""
        return

    def weights(self, v: Float64, scale: float) -> Float64:
        """Return the hypothesis, given the state after the last round; a new array."""
        ...


class Last(Conversion):
    """The hypothesis after the last round."""

    def weights(self, v: Float64, scale: float) -> Float64:
        """Return ``scale * v``."""
        return scale * v


class RandomStop(Conversion):
    """A hypothesis drawn uniformly from those before each round.

    The same as stopping after r - 1 rounds, r uniform in 1..T, but T need not be known: round t
    replaces the choice with probability 1/t.

    Parameters
    ----------
    rng : np.random.Generator
        Where the choice comes from.

    Attributes
    ----------
    stopped_before : int
        The round (from 1) whose hypothesis was drawn; 0 before the first.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rounds = 0
        self._kept: Float64 | None = None
        self.stopped_before = 0

    def before_round(self, v: Float64, scale: float) -> None:
        """Keep this hypothesis with probability one over the number of rounds."""
        self._rounds += 1
        if self._rng.integers(self._rounds) == 0:
            self._kept = scale * v
            self.stopped_before = self._rounds

    def weights(self, v: Float64, scale: float) -> Float64:
        """Return the hypothesis that was drawn."""
        return scale * v if self._kept is None else self._kept.copy()


class Average(Conversion):
    """The mean of the hypotheses before each round.

    With ``P_t = sum_{s <= t} 1 / c_s``, a step taken after round t counts ``(P_T - P_t)`` times,
    so ``sum_t w_t = P_T v - sum_t P_t step_t``: rounds without a step cost one addition.

    Examples
    --------
    >>> average, v = Average(), np.zeros(1)
    >>> for step in (1.0, 2.0, 3.0):  # the hypotheses are 0, 1 and 3
    ...     average.before_round(v, 1.0)
    ...     v += step
    ...     average.after_step(np.array([step]))
    >>> average.weights(v, 1.0)
    array([1.33333333])
    """

    def __init__(self) -> None:
        self._rounds = 0
        self._prefix = 0.0
        self._late: Float64 | None = None

    def before_round(self, v: Float64, scale: float) -> None:
        """Count the hypothesis ``scale * v``."""
        if self._late is None:
            # What v held before the first round is in every hypothesis: P = 0 when it was added.
            self._late = np.zeros_like(v)
        self._rounds += 1
        self._prefix += scale

    def after_step(self, step: Float64, index: Any = ...) -> None:
        """Note a step of the round that just ended."""
        assert self._late is not None
        self._late[index] += self._prefix * step

    def weights(self, v: Float64, scale: float) -> Float64:
        """Return the mean; where there was no round yet, ``scale * v``."""
        if self._late is None:
            return scale * v
        return (self._prefix * v - self._late) / self._rounds


class Best(Conversion):
    """The candidate of least cost; of several, the earliest.

    Attributes
    ----------
    costs : list of float
        Cost of each candidate, in the order they were offered.
    chosen : int
        Place of the best of them; -1 while there is none.
    """

    def __init__(self) -> None:
        self.costs: list[float] = []
        self.chosen = -1
        self._kept: Float64 | None = None

    def offer(self, weights: Float64, cost: float) -> None:
        """Offer a candidate.

        Parameters
        ----------
        weights : np.ndarray
            Copied where it is kept.
        cost : float
            Its cost on the data that decide.
        """
        if self.chosen < 0 or cost < self.costs[self.chosen]:
            self.chosen = len(self.costs)
            self._kept = weights.copy()
        self.costs.append(cost)

    def weights(self, v: Float64, scale: float) -> Float64:
        """Return the best candidate; where there was none, ``scale * v``."""
        return scale * v if self._kept is None else self._kept.copy()


def block_ends(n_rounds: int, n_blocks: int) -> list[int]:
    """Cut a run of T rounds into blocks of equal size, but for rounding; return where each ends.

    The ends increase, the last is T; there are fewer blocks where there are fewer rounds.

    Examples
    --------
    >>> block_ends(10, 3)
    [3, 6, 10]
    """
    n_blocks = min(n_blocks, n_rounds)
    return [(i + 1) * n_rounds // n_blocks for i in range(n_blocks)]


def last_drawn(rng: np.random.Generator, n_before: int, n_rounds: int) -> int | None:
    """Return the last of the next rounds whose hypothesis replaces the one drawn before.

    Round t replaces it with probability 1/t, so that all are equally likely in the end. None
    where no round does.
    """
    ages = np.arange(n_before + 1, n_before + 1 + n_rounds)
    drawn = np.flatnonzero(rng.random(n_rounds) * ages < 1.0)
    return int(drawn[-1]) if len(drawn) else None


def contest_parts(
    order: IntArray, held_out: float, n_parts: int, what: str
) -> tuple[IntArray, list[IntArray]]:
    """Divide rounds for Theorem 12: those of the contest, and parts to learn from afresh.

    Parts are of equal size; what is left over is dropped. `held_out` is the share of the contest.
    """
    n = len(order)
    held = max(1, round(held_out * n))
    if n - held < 1:
        raise ParameterError(f"{n} {what} are too few for conversion='validation'.")
    n_parts = min(n_parts, n - held)
    size = (n - held) // n_parts
    return order[:held], [order[i : i + size] for i in range(held, held + n_parts * size, size)]
