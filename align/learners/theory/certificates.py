r"""Named bounds, both sides evaluated on a recorded run.

Let a_t and b_t be direction and target of round t, ``l_t(u) = [b_t - <u, a_t>]_+``,
``X = max N*(a_t)``, M the number of mistakes, T that of rounds, gamma the margin, and
``L19(b, c) = c + b^2 + b sqrt(c)``.

=================  ==========================================================================
"weak duality"     dual objective <= ``c f(u) + sum g_t(u)``
"Lemma 2"          ``sum g_t(w_t) <= sum g_t(u) + c_T f(u) + 1/2 sum N*(lambda_t)^2 / c_t``
                   (with a fixed c, Lemma 1)
"Cor 1"            fixed c: regret <= ``c f(u) + X^2 T / (2 c)``
"Cor 2"            `SqrtTuning`: regret <= ``2 (f(u) / sqrt U + sqrt U) sqrt(L T)``
"Cor 3"            `RunningTuning` of share 1/2: the same with ``L = X^2 / 2``
"Eq 5.16"          `RunningTuning` of share 1, ``f(u) <= U``: regret <= ``2 X sqrt(U T)``
"Thm 2"            `LossTuning`: regret <= ``b sqrt(sum g_t(u) + beta) + b^2``
"Eq 5.2"           fixed c, conservative: ``gamma M <= c f(u) + X^2 M / (2 c) + sum_M l_t(u)``
"Cor 5"            Perceptron: ``M <= L19(X |u|, sum_M l_t(u))``
"Cor 6"            self-tuned, conservative, ``f(u) <= U``:
                   ``M <= L19(2 X sqrt(U) / gamma, sum_M l_t(u) / gamma)``
"Cor 7"            p-norm Perceptron: ``M <= L19(X |u|_q sqrt(p - 1), sum_M l_t(u))``
"Thm 6"            self-tuned, aggressive, ``f(u) <= U``:
                   ``M <= L19(2 X sqrt(U) / gamma, sum l_t(u) / gamma)``
"Thm 7"            `MistakeTuning`, ``f(u) <= U``: ``M <= L19(X sqrt(8 U), sum l_t(u))``
"PA"               PA, u without loss: ``sum l_t(w_t)^2 <= X^2 |u|^2``
"PA-I"             ``M <= max(X^2, 1 / C) (|u|^2 + 2 C sum l_t(u))``, for a margin of 1
"multiplicative"   multiplicative PA, u on the simplex without loss:
                   ``sum l_t(w_t)^2 <= max range(a_t)^2 f(u) / 2``
"PA-II"            ``sum l_t(w_t)^2 <= (X^2 + 1 / 2C) (|u|^2 + 2 C sum l_t(u)^2)``
=================  ==========================================================================

g_t is l_t, or ``C l_t^2`` for a squared slack. Conservative learners are judged on their mistaken
rounds only.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007. Corollary 6 prints
X over the mistaken rounds, which holds for ``SelfTuning(over="mistakes")`` alone; elsewhere X is
over all rounds. Crammer et al., "Online Passive-Aggressive Algorithms", 2003.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts import (
    Euclidean,
    FixedTuning,
    LossTuning,
    MistakeTuning,
    Plan,
    QNorm,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
)
from align.learners.parts.parameters import check_choice
from align.learners.theory.bounds import solve_sqrt_bound, squared_loss_bound
from align.learners.theory.rounds import Rounds
from align.types import BoolArray, Float64

T = TypeVar("T")


class Certificate(NamedTuple):
    """Both sides of a bound.

    Attributes
    ----------
    bound : str
        Its name.
    left, right : float
        What is bounded, and by what.
    holds : bool
        Whether ``left <= right``, up to rounding.
    """

    bound: str
    left: float
    right: float
    holds: bool


@dataclass
class _Sides:
    """What the bounds are made of."""

    plan: Plan
    trace: Rounds
    u: Float64
    own: Float64  # [b - <w_t, a_t>]_+
    other: Float64  # [b - <u, a_t>]_+
    used: BoolArray
    mistaken: BoolArray
    radius: float
    value: float  # f(u)

    def priced(self, losses: Float64) -> Float64:
        """Return the losses g_t of the slack."""
        curvature = self.plan.update.slack.curvature
        return losses**2 / (2.0 * curvature) if curvature > 0.0 else losses

    @property
    def regret(self) -> float:
        """Sum over the rounds that count of what w_t lost more than u."""
        rounds = self.used
        return float((self.priced(self.own) - self.priced(self.other))[rounds].sum())

    @property
    def n_mistakes(self) -> int:
        return int(self.mistaken.sum())

    def radius_over(self, rounds: BoolArray) -> float:
        return float(self.trace.norm[rounds].max(initial=0.0))


def certify(trace: Rounds, bound: str, u: npt.ArrayLike) -> Certificate:
    """Evaluate both sides of a named bound on a run.

    Parameters
    ----------
    trace : Trace
        The rounds of a learner with ``record=True``.
    bound : str
        One of `BOUNDS`, see the table above.
    u : array_like
        The competitor: a weight for each entry of a direction, the constant last.

    Returns
    -------
    Certificate

    Raises
    ------
    ParameterError
        Where the theorem is about another learner, or asks something of u that is not so.

    Examples
    --------
    >>> from align.learners import Perceptron
    >>> X = np.array([[1.0, 0.5], [-0.5, -1.0], [0.5, 1.0], [-1.0, 0.0]])
    >>> model = Perceptron(fit_intercept=False, record=True).partial_fit(X, [1, -1, 1, -1])
    >>> certify(model.trace_, "Cor 5", [2.0, 2.0]).holds
    True
    """
    if trace.plan is None:
        raise ParameterError(
            "these bounds are about learners of vectors with a dual objective, which this trace "
            "is not of; the learner's own certify or bound knows what holds."
        )
    check_choice(bound, "bound", BOUNDS)
    if trace.split and (bound != "weak duality" or trace.split == len(trace)):
        raise ParameterError(
            f"the first {trace.split} rounds had one score for two classes and the others one for "
            "each, which only 'weak duality' speaks of, once there was a round of the latter; "
            "announce all classes at the start."
        )
    left, right = _FORMULAS[bound](_sides(trace, trace.plan, u))
    holds = bool(left <= right * (1.0 + 1e-9) + 1e-9) if right >= 0 else bool(left <= right + 1e-9)
    return Certificate(bound, float(left), float(right), holds)


def _sides(trace: Rounds, plan: Plan, u: npt.ArrayLike) -> _Sides:
    weights = np.asarray(u, dtype=np.float64)
    other = trace.losses_of(weights)
    mistaken = trace.cost > 0.0
    conservative = plan.update.conservative
    used = mistaken if conservative else np.ones(len(trace), dtype=np.bool_)
    f = plan.complexity
    if weights.ndim == 2 and weights.shape[0] == 1:
        weights = weights[0]
    return _Sides(
        plan=plan,
        trace=trace,
        u=weights,
        own=trace.loss,
        other=other,
        used=used,
        mistaken=mistaken,
        radius=max(float(trace.norm.max(initial=0.0)), trace.radius),
        value=float(np.sum(f.value(weights))),  # rows are classes, and f the sum over them
    )


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ParameterError(f"the bound is about {what}.")


def _tuning_of(s: _Sides, kind: type[T], what: str) -> T:
    tuning = s.plan.update.tuning
    if not isinstance(tuning, kind):
        raise ParameterError(f"the bound is about {what}.")
    return tuning


def _weak_duality(s: _Sides) -> tuple[float, float]:
    trace = s.trace
    _need(
        math.isfinite(s.plan.update.slack.largest) or s.plan.update.slack.curvature > 0.0,
        "losses, not hard constraints",
    )
    if not len(trace):
        return 0.0, 0.0
    right = trace.c[-1] * s.value + s.priced(s.other).sum()
    return float(trace.dual[-1]), float(right)


def _lemma_2(s: _Sides) -> tuple[float, float]:
    slack = s.plan.update.slack
    _need(math.isfinite(slack.largest) or slack.curvature > 0.0, "losses, not hard constraints")
    c = s.trace.c
    slope = s.own / slack.curvature if slack.curvature > 0.0 else (s.own > 0.0).astype(float)
    counted = s.used & (s.own > 0.0) & (s.trace.norm > 0.0)
    paid = 0.5 * ((slope * s.trace.norm)[counted] ** 2 / c[counted]).sum()
    last = float(c[-1]) if len(c) else 0.0
    left = s.priced(s.own)[s.used].sum()
    right = s.priced(s.other)[s.used].sum() + (last * s.value if last else 0.0) + paid
    return float(left), float(right)


def _lipschitz(s: _Sides) -> None:
    slack = s.plan.update.slack
    _need(math.isfinite(slack.largest) and slack.curvature == 0.0, "losses with linear slack")


def _one_margin(s: _Sides) -> None:
    _need(not s.plan.ranking, "classes and labels, not grades")


def _cor_1(s: _Sides) -> tuple[float, float]:
    _lipschitz(s)
    c = _tuning_of(s, FixedTuning, "a fixed c").c
    n = int(s.used.sum())
    return s.regret, c * s.value + s.radius_over(s.used) ** 2 * n / (2.0 * c)


def _cor_2(s: _Sides) -> tuple[float, float]:
    _lipschitz(s)
    tuning = _tuning_of(s, SqrtTuning, "SqrtTuning")
    _need(s.radius**2 / 2.0 <= tuning.L * (1.0 + 1e-12), f"L >= X^2 / 2 = {s.radius**2 / 2.0:g}")
    return s.regret, _sqrt_regret(s.value, tuning.U, tuning.L, len(s.trace))


def _cor_3(s: _Sides) -> tuple[float, float]:
    _lipschitz(s)
    tuning = _tuning_of(s, RunningTuning, "RunningTuning with share=0.5")
    _need(tuning.share == 0.5, "RunningTuning with share=0.5")
    return s.regret, _sqrt_regret(s.value, tuning.U, s.radius**2 / 2.0, len(s.trace))


def _sqrt_regret(value: float, U: float, L: float, n_rounds: int) -> float:
    root = math.sqrt(U)
    return 2.0 * (value / root + root) * math.sqrt(L * n_rounds)


def _eq_5_16(s: _Sides) -> tuple[float, float]:
    _lipschitz(s)
    tuning = _tuning_of(s, RunningTuning, "RunningTuning with share=1")
    _need(tuning.share == 1.0, "RunningTuning with share=1")
    _within(s, tuning.U)
    return s.regret, 2.0 * s.radius * math.sqrt(tuning.U * len(s.trace))


def _thm_2(s: _Sides) -> tuple[float, float]:
    tuning = _tuning_of(s, LossTuning, "LossTuning")
    curvature = s.plan.update.slack.curvature
    _need(curvature > 0.0, "squared losses")
    needed = s.radius**2 / curvature
    _need(needed <= tuning.L * (1.0 + 1e-12), f"L >= {needed:g} on these instances")
    largest = float(s.priced(s.own).max(initial=0.0))
    growth = 2.0 * math.sqrt(1.0 + largest / tuning.beta)
    b = tuning.factor * s.value + tuning.L * growth / tuning.factor
    return s.regret, b * math.sqrt(float(s.priced(s.other).sum()) + tuning.beta) + b * b


def _conservative(s: _Sides) -> None:
    update = s.plan.update
    _lipschitz(s)
    _one_margin(s)
    _need(update.conservative and not s.plan.regression, "conservative classifiers")


def _eq_5_2(s: _Sides) -> tuple[float, float]:
    _conservative(s)
    m, c = s.n_mistakes, _tuning_of(s, FixedTuning, "a fixed c").c
    right = c * s.value + s.radius_over(s.mistaken) ** 2 * m / (2.0 * c)
    return s.plan.margin * m, right + float(s.other[s.mistaken].sum())


def _cor_5(s: _Sides) -> tuple[float, float]:
    _conservative(s)
    _need(type(s.plan.complexity) is Euclidean and not s.plan.update.exact, "the Perceptron")
    return _cor_7_sides(s, math.sqrt(2.0 * s.value))


def _cor_7(s: _Sides) -> tuple[float, float]:
    f = s.plan.complexity
    _conservative(s)
    if not isinstance(f, QNorm) or s.plan.update.exact:
        raise ParameterError("the bound is about the p-norm Perceptron.")
    return _cor_7_sides(s, math.sqrt(2.0 * s.value))  # f is (p - 1) |u|_q^2 / 2


def _cor_7_sides(s: _Sides, size: float) -> tuple[float, float]:
    _need(not isinstance(s.plan.update.tuning, SelfTuning), "a fixed c")
    # The bound is that of margin 1: scale u down where the margin is another.
    margin = s.plan.margin
    lost = float(s.other[s.mistaken].sum()) / margin
    right = solve_sqrt_bound(s.radius_over(s.mistaken) * size / margin, lost)
    return float(s.n_mistakes), right


def _within(s: _Sides, U: float) -> None:
    _need(
        s.value <= U * (1.0 + 1e-9) + 1e-9, f"u with f(u) <= U={U:g}, and this one has {s.value:g}"
    )


def _self_tuned(s: _Sides, conservative: bool) -> tuple[float, float]:
    _lipschitz(s)
    _one_margin(s)
    tuning = _tuning_of(s, SelfTuning, "classifiers with SelfTuning")
    _need(not s.plan.regression, "classifiers with SelfTuning")
    _need(
        s.plan.update.conservative == conservative,
        "conservative updates" if conservative else "aggressive updates",
    )
    _within(s, tuning.U)
    margin = s.plan.margin
    over = s.mistaken if tuning.over == "mistakes" and conservative else s.mistaken | True
    rounds = s.mistaken if conservative else s.used
    lost = float(s.other[rounds].sum()) / margin
    reach = 2.0 * s.radius_over(over) * math.sqrt(tuning.U) / margin
    return float(s.n_mistakes), solve_sqrt_bound(reach, lost)


def _thm_7(s: _Sides) -> tuple[float, float]:
    _lipschitz(s)
    _one_margin(s)
    tuning = _tuning_of(s, MistakeTuning, "MistakeTuning")
    _need(s.plan.update.exact and s.plan.update.conservative, "exact steps on mistakes")
    _need(s.plan.margin >= 1.0, "a margin of 1")
    _within(s, tuning.U)
    reach = s.radius_over(s.mistaken) * math.sqrt(8.0 * tuning.U)
    return float(s.n_mistakes), solve_sqrt_bound(reach, float(s.other[s.mistaken].sum()))


def _aggressive(s: _Sides) -> None:
    update = s.plan.update
    _one_margin(s)
    _need(s.plan.single, "one dual variable a round")
    _need(
        type(s.plan.complexity) is Euclidean and update.exact and not update.conservative,
        "passive-aggressive learners",
    )
    _need(isinstance(update.tuning, FixedTuning), "a fixed C")


def _squared(s: _Sides, curvature: float) -> tuple[float, float]:
    # c f and the slack enter as one: w = v / c sees curvature c times that of v.
    right = squared_loss_bound(s.radius, curvature, s.value, s.other)
    return float((s.own**2).sum()), right


def _pa(s: _Sides) -> tuple[float, float]:
    _aggressive(s)
    slack = s.plan.update.slack
    _need(math.isinf(slack.largest) and slack.curvature == 0.0, "PA")
    return _squared(s, 0.0)


def _pa_1(s: _Sides) -> tuple[float, float]:
    _aggressive(s)
    _lipschitz(s)
    _need(not s.plan.regression and s.plan.margin >= 1.0, "mistakes of classifiers of margin 1")
    tuning = s.plan.update.tuning
    C = 1.0 / tuning.c if isinstance(tuning, FixedTuning) else 1.0
    right = max(s.radius**2, 1.0 / C) * (2.0 * s.value + 2.0 * C * float(s.other.sum()))
    return float(s.n_mistakes), right


def _pa_2(s: _Sides) -> tuple[float, float]:
    _aggressive(s)
    update = s.plan.update
    _need(update.slack.curvature > 0.0, "PA-II")
    c = update.tuning.c if isinstance(update.tuning, FixedTuning) else 1.0
    return _squared(s, update.slack.curvature * c)


def _multiplicative(s: _Sides) -> tuple[float, float]:
    rule = s.plan.multiplicative
    _need(rule is not None, "multiplicative passive-aggressive learners")
    directions = s.trace.directions
    if rule == "printed":
        squares = np.abs(directions).max(axis=1, initial=0.0) ** 2
    else:
        rows = directions.reshape(len(directions), -1, s.u.shape[-1])
        squares = ((rows.max(-1, initial=-np.inf) - rows.min(-1, initial=np.inf)) ** 2).sum(-1)
    clean = not s.other.any()
    right = 0.5 * float(squares.max(initial=0.0)) * s.value if clean else math.inf
    return float((s.own**2).sum()), right


_FORMULAS: dict[str, Callable[[_Sides], tuple[float, float]]] = {
    "weak duality": _weak_duality,
    "Lemma 2": _lemma_2,
    "Cor 1": _cor_1,
    "Cor 2": _cor_2,
    "Cor 3": _cor_3,
    "Eq 5.16": _eq_5_16,
    "Thm 2": _thm_2,
    "Eq 5.2": _eq_5_2,
    "Cor 5": _cor_5,
    "Cor 6": lambda s: _self_tuned(s, True),
    "Cor 7": _cor_7,
    "Thm 6": lambda s: _self_tuned(s, False),
    "Thm 7": _thm_7,
    "PA": _pa,
    "PA-I": _pa_1,
    "PA-II": _pa_2,
    "multiplicative": _multiplicative,
}

BOUNDS = tuple(_FORMULAS)
