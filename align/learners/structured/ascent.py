"""Dual ascent, one constraint a round: the state that every update of this kind shares.

The state is the unnormalised dual sum ``v``, from which the hypothesis is ``w = v / c`` (Euclidean
complexity). A round offers a constraint, a direction ``a`` and a target ``b``, with the loss
``[b - <w, a>]_+``; the update decides on alpha, and ``v += alpha a``. All else here is
book-keeping: counts, the trace, and the dual objective

    D = sum of (minus the conjugates of the losses) - c f*(v / c),

which never exceeds ``c f(u) + sum of the losses of u`` whatever u is (weak duality).

Some weights may have to stay at 0 or above. A step that would take one of them below is cut off
at 0, which is the Euclidean projection of v onto that orthant. No bound is lost to competitors of
the orthant: projecting onto a convex set brings w nearer to each of its points, so what a
passive-aggressive step gains on ``||w - u||**2`` is not given back. In terms of the dual, what is
added to ``v`` is the multiplier of ``w_j >= 0``, not negative and in no conjugate; it makes
``f*(v / c)`` smaller, so the projection raises D, and D is below the value of every u of the
orthant as before. Lemma 1 and what follows from it hold for these u, whatever the update.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Fig. 3.1, 3.2.
Herbster and Warmuth, "Tracking the best linear predictor", JMLR 1, 2001: projections.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from align.errors import ParameterError
from align.learners.parts import Conversion, Euclidean, MistakeTuning, Update, exact_step, hinge
from align.learners.parts.projections import project_orthant
from align.learners.parts.steps import Slack
from align.learners.theory import Round, Trace
from align.types import BoolArray, Float64


class DualAscent:
    """The dual sum of an online run, and what happened to it.

    Source: Shalev-Shwartz 2007, Figure 3.1, Lemma 1 and Theorem 1.

    Parameters
    ----------
    update : Update
        What a round does.
    n_features : int
        J.
    conversions : iterable of Conversion
        Called with every round and step.
    record_directions : bool
        Keep the direction of each round in the trace.
    non_negative : np.ndarray [shape=(J,), dtype=bool], optional
        Which weights must not fall below 0.

    Attributes
    ----------
    v : np.ndarray [shape=(J,)]
        Dual sum.
    c : float
        Weight of complexity in the last round; 0 stands for no hypothesis but 0 yet.
    radius : float
        Largest norm of a direction (for a conservative update: on mistakes).
    n_rounds, n_mistakes, n_updates, n_null : int
        Rounds; those that cost; those with a step; those that cost and had no direction.
    cost, loss : float
        Sums over the rounds.
    dual : float
        Dual objective.
    trace : Trace
        Round by round.

    Examples
    --------
    >>> from align.learners.parts.updates import make_update
    >>> run = DualAscent(make_update("pa"), 2)
    >>> run.begin_round()
    >>> run.end_round("wrong", np.array([1.0, -1.0]), target=1.0, cost=1.0).tau
    0.5
    >>> run.weights()
    array([ 0.5, -0.5])
    """

    complexity = Euclidean()
    non_negative: BoolArray | None = None  # as in files of before

    def __init__(
        self,
        update: Update,
        n_features: int,
        conversions: Iterable[Conversion] = (),
        *,
        record_directions: bool = False,
        non_negative: BoolArray | None = None,
    ) -> None:
        self.update = update
        self.conversions = tuple(conversions)
        self.record_directions = record_directions
        self.non_negative = non_negative
        self.v = np.zeros(n_features)
        self.c = update.tuning(0.0, 0)
        self.radius = 0.0
        self.n_rounds = self.n_mistakes = self.n_updates = self.n_null = 0
        self.cost = self.loss = self.dual = 0.0
        self.trace = Trace()
        self._gain = 0.0  # minus the sum of the conjugates

    @property
    def scale(self) -> float:
        """1 / c; 0 where c is 0, since v is then too."""
        return _inverse(self.c)

    def weights(self) -> Float64:
        """Return the hypothesis ``v / c`` [shape=(J,)]."""
        return self.scale * self.v

    def chosen(self, conversion: Conversion) -> Float64:
        """Return the hypothesis of a conversion [shape=(J,)]."""
        # A mean of weights that are not negative may be so by a rounding.
        return project_orthant(conversion.weights(self.v, self.scale), self.non_negative)

    def counts(self, cost: float) -> bool:
        """Whether a round of this cost may take a step."""
        return cost > 0.0 or not self.update.conservative

    def scale_of(self, norm: float, cost: float) -> float:
        """Return 1 / c of the current round, were its direction of this norm.

        Parameters
        ----------
        norm : float
            Norm of the direction; 0 for none yet.
        cost : float
            Cost of the prediction.
        """
        radius = max(self.radius, norm) if self.counts(cost) else self.radius
        return _inverse(self._tuned(radius, self.n_mistakes, cost > 0.0))

    def _tuned(self, radius: float, before: int, mistake: bool) -> float:
        tuning = self.update.tuning
        mistakes = before + (mistake and isinstance(tuning, MistakeTuning))
        return tuning(radius, mistakes, self.n_rounds + 1, self.loss)

    def begin_round(self) -> None:
        """Call the conversions with the hypothesis that the round begins with."""
        for conversion in self.conversions:
            conversion.before_round(self.v, self.scale)

    def end_round(
        self,
        prediction: Any,
        direction: Float64,
        *,
        target: float,
        cost: float,
        radius: float = 0.0,
        weight: float = 1.0,
    ) -> Round:
        """Take the step of the round.

        Parameters
        ----------
        prediction : object
            Kept in the `Round`.
        direction : np.ndarray [shape=(J,)]
            a.
        target : float
            b.
        cost : float
            Cost of the prediction.
        radius : float
            Norm of any longer direction that was seen in the round.
        weight : float
            By how much the slack of this round costs more; positive.

        Returns
        -------
        Round

        Raises
        ------
        ParameterError
            Where the weights overflow.
        """
        update, mistake, counts = self.update, cost > 0.0, self.counts(cost)
        slack = Slack(weight * update.slack.largest, update.slack.curvature / weight)
        with np.errstate(over="ignore"):
            squared_norm = float(direction @ direction)
        norm = math.sqrt(squared_norm)
        if counts:
            self.radius = max(self.radius, norm, radius)
        self.c = c = self._tuned(self.radius, self.n_mistakes, mistake)
        self.n_mistakes += mistake
        self.n_null += mistake and norm == 0.0
        loss = hinge(target, self.scale * float(direction @ self.v))
        alpha = 0.0
        if counts and norm > 0.0:
            alpha = exact_step(loss, squared_norm, c, slack) if update.exact else weight
        if alpha > 0.0:
            taken = alpha * direction
            if self.non_negative is not None:  # v + taken, projected; exact where it lies within
                taken = np.where(self.non_negative, np.maximum(taken, -self.v), taken)
            self.v += taken
            for conversion in self.conversions:
                conversion.after_step(taken)
            self.n_updates += 1
            self._gain += slack.dual_gain(alpha, target)
        # c f*(v / c), with the division left to the end: f* is half a square.
        with np.errstate(over="ignore"):
            price = self.scale * self.complexity.conjugate(self.v)
        self.n_rounds += 1
        if not math.isfinite(price + norm):
            raise ParameterError(
                f"the weights overflowed in round {self.n_rounds}; scale the features to moderate "
                "values, or choose a smaller C."
            )
        self.dual = self._gain - price
        self.cost += cost
        self.loss += loss
        entry = Round(
            prediction=prediction,
            loss=loss,
            tau=alpha * self.scale,
            updated=alpha > 0.0,
            cost=cost,
            alpha=alpha,
            c=c,
            norm=norm,
            target=target,
            dual=self.dual,
        )
        self.trace.append(entry, direction if self.record_directions else None)
        return entry


def _inverse(c: float) -> float:
    return 1.0 / c if c > 0.0 else 0.0
