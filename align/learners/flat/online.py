"""Learners that a user puts together: complexity, loss, dual step and tuning of c.

A round has a direction a, a target b and the loss ``[b - <w, a>]_+``, priced by the slack that the
loss names; ``v += alpha a``, and ``w = grad f*(v / c)``.

=========  =====================================================================================
choice     values
=========  =====================================================================================
complexity  any of `align.learners.parts.complexity`, or one's own
loss        "hinge" ``g = C l``, "squared-hinge" ``g = C l^2``, "hard" (no loss may remain);
            for numbers "epsilon-insensitive" ``g = C l``, "squared" ``g = C l^2 / 2``, "hard"
dual_step   "exact" maximises the dual over alpha, "subgradient" takes the slope of g
when        on every loss, or on mistakes only (`conservative`)
tuning      any of `align.learners.parts.tuning`, or one's own
revisit     optimise earlier rounds' alphas again: `Revisit`
=========  =====================================================================================

`Euclidean`, `EuclideanBall`, `Entropy` and `QNorm` run in compiled code with the tunings of this
package, and so does whatever revisits earlier rounds; all else runs in Python.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapters 3 and 5.
"""

from dataclasses import KW_ONLY, dataclass

from align.errors import ParameterError
from align.learners.flat._classifier import FlatClassifier
from align.learners.flat._regressor import FlatRegressor
from align.learners.parts import (
    HARD,
    LINEAR,
    Complexity,
    FixedTuning,
    Plan,
    Revisit,
    RunningTuning,
    Slack,
    Tuning,
    Update,
    as_complexity,
    squared,
)
from align.learners.parts.parameters import check_choice, check_whole, not_negative, positive
from align.learners.parts.tuning import weighted_tuning

_STEPS = ("exact", "subgradient")


def _make_update(
    slack: Slack, step: str, tuning: Tuning | float, C: float, conservative: bool = False
) -> Update:
    check_choice(step, "dual_step", _STEPS)
    if step == "subgradient" and slack == HARD:
        raise ParameterError("loss='hard' has no subgradient; take dual_step='exact'.")
    if isinstance(tuning, int | float):
        tuning = FixedTuning(float(tuning))
    if not callable(tuning):
        raise ParameterError(f"tuning={tuning!r}, must be a number or a Tuning.")
    if slack == HARD and C != 1.0:
        raise ParameterError(f"C={C}, must be 1 with loss='hard', where no loss may remain.")
    # A squared loss has its weight in the slack; that of the others divides c.
    rule = weighted_tuning(tuning, C if slack == LINEAR else 1.0)
    return Update(slack, rule, exact=step == "exact", conservative=bool(conservative))


def _check_revisit(revisit: Revisit | None, step: str) -> None:
    if revisit is None:
        return
    if not isinstance(revisit, Revisit):
        raise ParameterError(f"revisit={revisit!r}, must be a Revisit or None.")
    if step != "exact":
        raise ParameterError("revisit needs dual_step='exact'.")
    if revisit.last is not None:
        check_whole(revisit.last, "Revisit.last")
    if revisit.steps is not None:
        check_whole(revisit.steps, "Revisit.steps", least=0)
    check_choice(revisit.order, "Revisit.order", ("cyclic", "random", "worst"))


@dataclass(eq=False, repr=False)
class OnlineClassifier(FlatClassifier):
    """An online classifier of any complexity, loss, step and tuning.

    Source: Shalev-Shwartz 2007, Figures 3.1, 3.2 and 5.1, Eq. 3.11 and 3.12, and section 5.3.

    Parameters
    ----------
    complexity : {"euclidean", "entropy", "binary-entropy"} or Complexity
        f of the weights of one class, or of the common weights of two classes.
    loss : {"hinge", "squared-hinge", "hard"}
        What a lack of margin costs.
    dual_step : {"exact", "subgradient"}
        How alpha is chosen.
    conservative : bool, default False
        Step on mistakes only.
    tuning : float or Tuning, default 1
        c, or a rule for it, whose parameters can be set as ``tuning__U`` and the like.
    margin : float, default 1
        b, positive. On the simplex scores are at most the largest ``|x_j|``: take less.
    C : float, default 1
        Weight of the loss, positive. With "hinge", ``c f + C l`` is learned as ``(c / C) f + l``:
        the c of `trace_` is divided by C, and bounds count l.
    signed : bool, default False
        Give the learner ``[x, -x]``, for weights that cannot be negative.
    ties : {"positive", "mistake"}
        Whether a score of 0 predicts the second class (of more: a tie the first of the best), or
        is a mistake whatever the truth. `predict` does the former in any case.
    revisit : Revisit, optional
        Earlier rounds whose alphas are optimised again.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state
        As in `PassiveAggressiveClassifier`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, \
dual_objective_, trace_, n_features_in_
        As in `PassiveAggressiveClassifier`.

    Examples
    --------
    The self-tuned aggressive learner with a p-norm, which has no name:

    >>> import numpy as np
    >>> from align.learners import QNorm
    >>> from align.learners.parts.tuning import SelfTuning
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> model = OnlineClassifier(QNorm(3.0), tuning=SelfTuning(U=2.0), record=True)
    >>> model.partial_fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    >>> model.trace_.certify("Thm 6", u=[0.5, 0.5, 0.0]).holds
    True
    """

    complexity: str | Complexity = "euclidean"
    loss: str = "hinge"
    dual_step: str = "exact"
    _: KW_ONLY
    conservative: bool = False
    tuning: float | Tuning = 1.0
    margin: float = 1.0
    C: float = 1.0
    signed: bool = False
    ties: str = "positive"
    revisit: Revisit | None = None

    def _plan(self, n_weights: int) -> Plan:
        slacks = {"hinge": LINEAR, "squared-hinge": None, "hard": HARD}
        check_choice(self.loss, "loss", slacks)
        check_choice(self.ties, "ties", ("positive", "mistake"))
        positive(self.margin, "margin")
        _check_revisit(self.revisit, self.dual_step)
        slack = slacks[self.loss] or squared(self.C)
        C = positive(self.C, "C")
        return Plan(
            _make_update(slack, self.dual_step, self.tuning, C, self.conservative),
            as_complexity(self.complexity),
            margin=float(self.margin),
            ties=self.ties,
            doubled=bool(self.signed),
            revisit=self.revisit,
        )


@dataclass(eq=False, repr=False)
class OnlineRegressor(FlatRegressor):
    """An online regressor of any complexity, loss, step and tuning.

    Source: Shalev-Shwartz 2007, Figures 3.1 and 3.2, Eq. 3.11 and 3.12, and section 5.3.1.

    Parameters
    ----------
    complexity : {"euclidean", "entropy", "binary-entropy"} or Complexity
    loss : {"epsilon-insensitive", "squared", "hard"}
        What an error costs; "squared" is half the square, without a tube.
    C : float, default 1
        Weight of the loss, positive; as in `OnlineClassifier`.
    dual_step : {"exact", "subgradient"}
    tuning : float or Tuning, optional
        c, or a rule for it that counts no mistakes; by default ``RunningTuning(share=0.5)``, which
        learns ever more slowly, as Corollary 3 asks for.
    epsilon : float, default 0.1
        Half the width of the tube without loss, not negative.
    signed : bool, default False
        Give the learner ``[x, -x]``, for weights that cannot be negative.
    revisit : Revisit, optional
        Earlier rounds whose alphas are optimised again.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state
        As in `PassiveAggressiveRegressor`.

    Attributes
    ----------
    coef_, intercept_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, dual_objective_, \
trace_, n_features_in_
        As in `PassiveAggressiveRegressor`.

    Examples
    --------
    Online gradient descent on half the squared error, with a rate of 1/2:

    >>> model = OnlineRegressor(
    ...     loss="squared", dual_step="subgradient", tuning=2.0, fit_intercept=False
    ... )
    >>> model.partial_fit([[1.0, 0.0], [0.0, 1.0]], [3.0, 4.0]).coef_
    array([1.5, 2. ])
    """

    complexity: str | Complexity = "euclidean"
    loss: str = "epsilon-insensitive"
    dual_step: str = "exact"
    _: KW_ONLY
    tuning: float | Tuning | None = None
    epsilon: float = 0.1
    C: float = 1.0
    signed: bool = False
    revisit: Revisit | None = None

    def _plan(self, n_weights: int) -> Plan:
        slacks = {"epsilon-insensitive": LINEAR, "squared": None, "hard": HARD}
        check_choice(self.loss, "loss", slacks)
        not_negative(self.epsilon, "epsilon")
        _check_revisit(self.revisit, self.dual_step)
        tuning = RunningTuning(share=0.5) if self.tuning is None else self.tuning
        C = positive(self.C, "C")
        return Plan(
            _make_update(slacks[self.loss] or squared(0.5 * C), self.dual_step, tuning, C),
            as_complexity(self.complexity),
            margin=0.0 if self.loss == "squared" else -float(self.epsilon),
            regression=True,
            doubled=bool(self.signed),
            revisit=self.revisit,
        )
