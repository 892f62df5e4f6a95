"""What a structured learner knows of its run: hypothesis, facts, predictions and bounds."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from align._params import ParamsMixin, not_fitted_error
from align.errors import ParameterError, check_shape
from align.learners.parts import Update
from align.learners.structured.ascent import DualAscent
from align.learners.structured.problems import StructuredProblem
from align.learners.theory import regret_bound, solve_sqrt_bound, squared_loss_bound
from align.types import Float64


class RunReader(ParamsMixin):
    """A structured learner as it predicts and accounts for its run; a subclass learns."""

    update: str
    U: float
    coef_: Float64
    _update: Update
    _run: DualAscent | None

    def _fitted(self) -> DualAscent:
        run: DualAscent | None = getattr(self, "_run", None)
        if run is None:
            raise not_fitted_error(self)
        return run

    def _publish(self, run: DualAscent) -> None:
        """Set the fitted attributes, but for `coef_`."""
        self.n_rounds_, self.n_mistakes_ = run.n_rounds, run.n_mistakes
        self.n_updates_, self.n_null_ = run.n_updates, run.n_null
        self.cumulative_cost_, self.cumulative_loss_ = run.cost, run.loss
        self.dual_objective_, self.radius_, self.c_ = run.dual, run.radius, run.c
        self.trace_ = run.trace

    @property
    def hypothesis_(self) -> Float64:
        """The running hypothesis ``v / c`` [shape=(J,)], which the next round predicts with."""
        return self._fitted().weights()

    def predict(self, problem: StructuredProblem, xs: Sequence[Any]) -> list[Any]:
        """Decode inputs with `coef_`.

        Parameters
        ----------
        problem : StructuredProblem
            As in `fit`.
        xs : sequence, length n

        Returns
        -------
        list, length n
            What ``problem.decode`` returns of each.
        """
        self._fitted()
        return [problem.decode(self.coef_, x) for x in xs]

    def regret_bound(self, u: npt.ArrayLike) -> float:
        """Bound the regret of the run against a competitor (Lemmas 1 and 2).

        Over the rounds that count (the mistakes, where the update is conservative; else all), the
        sum of the losses is at most this much above that of u. No smaller c, data or horizon need
        be assumed: it is computed from the run.

        Parameters
        ----------
        u : array_like [shape=(J,)]
            The competitor.

        Returns
        -------
        float
            ``c_T f(u) + sum_t ||a_t||**2 / (2 c_t)`` over the rounds with a step.

        Raises
        ------
        ParameterError
            For "pa" and "pa2", whose theory bounds squared losses instead; see `cost_bound`.
        """
        self._fitted()
        if self.update in ("pa", "pa2"):
            raise ParameterError(
                f"update={self.update!r} has no regret bound for the hinge loss; see cost_bound."
            )
        return regret_bound(
            self.trace_, self.c_, self._fitted().complexity.value(self._competitor(u))
        )

    def cost_bound(self, u: npt.ArrayLike, losses: npt.ArrayLike | None = None) -> float:
        """Bound the cumulative cost of the run by a competitor's losses.

        Parameters
        ----------
        u : array_like [shape=(J,)]
            The competitor.
        losses : array_like [shape=(T,)], optional
            Loss of u on each example, prediction-based on the constraint of the round or maximal.
            By default those on the constraints of the run, which are smaller; this needs
            ``record_directions=True``.

        Returns
        -------
        float
            At least ``cumulative_cost_``. For "self-tuned", ``||u||**2 <= 2 U`` and costs in
            {0} U [1, inf) it is Theorem 7; for "perceptron", "pa1" and other competitors of
            "self-tuned" the regret bound plus the losses of u. For "pa" (infinite unless u has no
            loss) and "pa2" the sum of the squared losses is bounded, and the cost through it.

        Raises
        ------
        ParameterError
            For a wrong number of weights or losses, or where directions were not kept.
        """
        self._fitted()
        competitor = self._competitor(u)
        g = self.losses_of(competitor) if losses is None else np.asarray(losses, dtype=np.float64)
        check_shape("losses", g.shape, "(T,)", (self.n_rounds_,))
        if self._update.conservative:
            g = np.where(self.trace_.cost > 0.0, g, 0.0)
        f, total = self._fitted().complexity.value(competitor), float(g.sum())
        if self.update in ("pa", "pa2"):
            squares = squared_loss_bound(self.radius_, self._update.slack.curvature, f, g)
            return math.sqrt(self.n_mistakes_ * squares)
        gap = not ((self.trace_.cost > 0.0) & (self.trace_.cost < 1.0)).any()
        if self.update == "self-tuned" and gap and f <= self.U * (1 + 1e-12):
            return solve_sqrt_bound(self.radius_ * math.sqrt(8.0 * self.U), total)
        return self.regret_bound(competitor) + total

    def losses_of(self, u: npt.ArrayLike) -> Float64:
        """Return the loss of u on the constraint of each round [shape=(T,)].

        Parameters
        ----------
        u : array_like [shape=(J,)]
            The competitor.

        Raises
        ------
        ParameterError
            Unless ``record_directions=True`` has kept the directions.
        """
        self._fitted()
        directions = self.trace_.directions
        if len(directions) != self.n_rounds_:
            raise ParameterError(
                "the directions of the run were not kept; use record_directions=True, or pass "
                "the losses of u."
            )
        return np.maximum(0.0, self.trace_.target - directions @ self._competitor(u))

    def _competitor(self, u: npt.ArrayLike) -> Float64:
        competitor = np.asarray(u, dtype=np.float64)
        check_shape("u", competitor.shape, "(J,)", self._fitted().v.shape)
        return competitor
