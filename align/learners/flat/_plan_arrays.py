"""A plan as the kernels read it: arrays of numbers, indexed by the constants of `_round`."""

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.parts import (
    Euclidean,
    EuclideanBall,
    FixedTuning,
    LossTuning,
    MistakeTuning,
    Plan,
    QNorm,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
)
from align.types import Float64

# The code of each tuning, and which of its numbers the kernels read.
TUNINGS: dict[type, tuple[int, tuple[str, ...]]] = {
    FixedTuning: (core.FIXED, ("c",)),
    MistakeTuning: (core.MISTAKES, ("U",)),
    SelfTuning: (core.SELF_TUNED, ("U",)),
    SqrtTuning: (core.SQRT, ("U", "L")),
    RunningTuning: (core.RUNNING, ("U", "share")),
    LossTuning: (core.SELF_BOUNDED, ("beta", "factor")),
}


def plan_arrays(
    plan: Plan,
    *,
    bias: float,
    average: bool,
    sizes: tuple[int, int, int] = (core.N_RULES, core.N_FLAGS, core.N_SUMS),
) -> tuple[Float64, npt.NDArray[np.int64], Float64]:
    """Return rule, flags and sums of a run that begins; its tuning is one of `TUNINGS`.

    `bias` is the value of the constant feature, 0 for none; `average` whether the mean of the
    hypotheses will be asked for; `sizes` the lengths, where a pass has more than `_round` names.
    """
    rule, flags = np.zeros(sizes[0]), np.zeros(sizes[1], dtype=np.int64)
    sums = np.zeros(sizes[2])
    update, ball = plan.update, plan.complexity
    kind, names = TUNINGS[type(update.tuning)]
    first, second = (*(getattr(update.tuning, name) for name in names), 0.0)[:2]
    rule[core.MARGIN], rule[core.BIAS] = plan.margin, bias
    rule[core.LARGEST], rule[core.CURVATURE] = update.slack.largest, update.slack.curvature
    rule[core.FIRST_TUNING], rule[core.SECOND_TUNING] = first, second
    rule[core.BOUND] = ball.rho if isinstance(ball, EuclideanBall) else np.inf
    flags[core.REGRESSION], flags[core.TIES] = plan.regression, plan.ties == "mistake"
    flags[core.EXACT], flags[core.CONSERVATIVE] = update.exact, update.conservative
    flags[core.TUNING], flags[core.AVERAGE] = kind, average
    sums[core.C] = first if kind == core.FIXED else 0.0
    return rule, flags, sums


def check_tuning(plan: Plan) -> None:
    """Refuse a c that is known after the prediction only, where the prediction depends on c."""
    if isinstance(plan.update.tuning, MistakeTuning) and not isinstance(
        plan.complexity, Euclidean | QNorm
    ):
        raise ParameterError(
            f"MistakeTuning sets c after the prediction, which {plan.complexity} needs it for; "
            "use SelfTuning."
        )


def overflow_error() -> ParameterError:
    """Return what to raise where the weights are not finite any more."""
    return ParameterError(
        "the weights overflowed; scale the features to moderate values, or choose a smaller C."
    )
