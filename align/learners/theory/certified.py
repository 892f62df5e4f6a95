"""What the theory promises of one run, and the learners that say it of themselves."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from align.learners.parts.parameters import check_share
from align.learners.theory.certificates import Certificate
from align.types import Float64


class Certified:
    """A learner that says what the theory promises of it on given data."""

    def certify(self, X: Any, y: Any, *, delta: float = 0.05) -> "RunCertificate":
        """Return what the theory promises of this learner on given data; see `certify_run`.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(T, d)]
            Examples, in the order of the rounds; of kernel learners at most 3000.
        y : array_like [shape=(T,)], or [shape=(T, K)] of 0 and 1
            Classes or numbers; of ellipsoids and label rankers also the relevant labels.
        delta : float, default 0.05
            Between 0 and 1: probability with which the bounds on risk may fail.

        Returns
        -------
        RunCertificate
            A table that prints, and ``plot()``. A copy of the learner made the run: what this
            one has learned does not count and does not change.

        Raises
        ------
        ParameterError
            For a delta out of range, a single class, or what the bounds are not about.
        """
        check_share(delta, "delta")
        return self._certified(X, y, delta)

    def _certified(self, X: Any, y: Any, delta: float) -> "RunCertificate":
        raise NotImplementedError


@dataclass(frozen=True)
class RunCertificate:
    """What the theory promises of one run.

    Attributes
    ----------
    rounds, mistakes : int
        T and M; of a regressor, a mistake is a round with a loss.
    loss : float
        Sum of the losses.
    bound : Certificate or None
        The bound on mistakes (of a regressor, on squared losses) with the best competitor.
    mistake_bound : float
        Its right side as a number of mistakes; infinite where no theorem bounds them.
    competitor_loss, regret, regret_bound : float
        Of Lemma 2 and the competitor best for it; NaN where it is not about this learner.
    delta : float
        The bounds on risk fail with at most this probability, over the choice of the data.
    risk_bounds : dict of str to float
        By the name of the theorem: the bound on the error of what predicts after the run; empty
        where its conversion has none.
    lines : list of (str, str, str)
        The table: what, value, in words.
    curve : dict of str to np.ndarray
        "rounds", "mistakes" and "bound" after some of the rounds.

    Examples
    --------
    >>> from align.learners import Perceptron
    >>> X = np.array([[1.0, 0.5], [-0.5, -1.0], [0.5, 1.0], [-1.0, 0.0]] * 10)
    >>> certificate = Perceptron(fit_intercept=False).certify(X, X[:, 0] > 0.0)
    >>> for line in str(certificate).splitlines()[:3]:
    ...     print(line)
    rounds                       40
    mistakes                      1  2.50% of the rounds
      at most (Cor 5)        1.5625  bites: within twice the value
    """

    rounds: int
    mistakes: int
    loss: float
    bound: Certificate | None
    mistake_bound: float
    competitor_loss: float
    regret: float
    regret_bound: float
    delta: float
    risk_bounds: dict[str, float]
    lines: list[tuple[str, str, str]] = field(repr=False)
    curve: dict[str, Float64] = field(repr=False)

    @property
    def bites(self) -> bool:
        """Whether the bound on mistakes is within twice their number."""
        return within_twice(self.mistake_bound, self.mistakes)

    @property
    def vacuous(self) -> bool:
        """Whether the bound on mistakes says no more than that there were so many rounds."""
        return self.mistake_bound >= self.rounds

    def __str__(self) -> str:
        widths = [max(len(line[i]) for line in self.lines) for i in (0, 1)]
        return "\n".join(
            f"{what:<{widths[0]}}  {value:>{widths[1]}}  {words}".rstrip()
            for what, value, words in self.lines
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw mistakes and their bound over the rounds.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure().add_subplot()
        ax.plot(self.curve["rounds"], self.curve["rounds"], ":", label="rounds")
        if self.bound is not None and np.isfinite(self.curve["bound"]).any():
            ax.plot(self.curve["rounds"], self.curve["bound"], "--", label=self.bound.bound)
        ax.plot(self.curve["rounds"], self.curve["mistakes"], label="mistakes")
        ax.set_xlabel("rounds")
        ax.set_ylim(0.0, 1.1 * max(self.rounds, 1))
        ax.legend()
        return ax


def within_twice(bound: float, value: float) -> bool:
    """Whether a bound is within twice the value, but for rounding.

    Bounds are sums over the rounds with a competitor found by iteration: one that is just twice
    the value comes out a few units in the last place to either side.
    """
    return bound <= 2.0 * value * (1.0 + 1e-9)
