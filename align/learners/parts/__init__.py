"""What learners are made of: complexity functions, losses, dual steps, rules for c, conversions.

==============  ===========================================================================
module          what
==============  ===========================================================================
`complexity`    complexity functions f, their conjugates, links and norms: the table
`norms`         squared norms as f: Euclidean, on a ball or a set, q-norms
`entropies`     entropies as f: on the simplex, with a floor, of coins
`blocks`        one f for each row of a matrix; f by name
`projections`   onto the simplex, the l1 ball, and with floored entropy
`losses`        losses: subgradients, conjugates, constants
`steps`         what violating a constraint costs (the slack), and the exact Euclidean step
`hinge_steps`   exact steps on one hinge, for every complexity
`step_kernels`  their kernels, and those of a round: what all compiled runs call
`tuning`        rules for c, the weight of complexity
`updates`       named updates: slack, step and tuning put together
`named_update`  the parameter `update` of the passive-aggressive learners
`plans`         a learner as data: complexity, update and margin
`conversion`    one hypothesis of many: last, random stopping, average, best
`shards`        mixtures of what was learnt on shards
`parameters`    checks of constructor parameters, weights of examples, and random numbers
`labels`        labels of one type, and the distinct ones of a learner that takes up new ones
`saved`         `save` and `load` of every learner
`shapes`        arrays of a loaded learner have the shapes that its kernels trust
`estimators`    what estimators of vectors share
==============  ===========================================================================
"""

from align.learners.parts.blocks import Blocks, as_complexity
from align.learners.parts.complexity import Complexity
from align.learners.parts.conversion import Average, Best, Conversion, Last, RandomStop, block_ends
from align.learners.parts.entropies import BinaryEntropy, Entropy, FlooredEntropy
from align.learners.parts.hinge_steps import (
    hinge_step,
    hinge_step_entropy,
    hinge_step_euclidean,
    hinge_step_qnorm,
    pair_step,
)
from align.learners.parts.losses import (
    AverageOfHinge,
    Boosting,
    EpsilonInsensitive,
    HalfSquared,
    Hinge,
    Loss,
    MaxOfHinge,
    SquaredHinge,
    Uniclass,
)
from align.learners.parts.norms import Euclidean, EuclideanBall, EuclideanSet, QNorm
from align.learners.parts.plans import Plan, Revisit
from align.learners.parts.projections import project_entropic, project_l1_ball, project_simplex
from align.learners.parts.shards import MIXES, MixedEpoch, check_mixing, mixing_weights
from align.learners.parts.steps import HARD, LINEAR, Slack, exact_alpha, exact_step, hinge, squared
from align.learners.parts.tuning import (
    FixedTuning,
    LossTuning,
    MistakeTuning,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
    Tuning,
)
from align.learners.parts.updates import (
    PA_UPDATES,
    UPDATES,
    Update,
    make_update,
    step_limits,
)

__all__ = [
    "HARD",
    "LINEAR",
    "MIXES",
    "PA_UPDATES",
    "UPDATES",
    "Average",
    "AverageOfHinge",
    "Best",
    "BinaryEntropy",
    "Blocks",
    "Boosting",
    "Complexity",
    "Conversion",
    "Entropy",
    "EpsilonInsensitive",
    "Euclidean",
    "EuclideanBall",
    "EuclideanSet",
    "FixedTuning",
    "FlooredEntropy",
    "HalfSquared",
    "Hinge",
    "Last",
    "Loss",
    "LossTuning",
    "MaxOfHinge",
    "MistakeTuning",
    "MixedEpoch",
    "Plan",
    "QNorm",
    "RandomStop",
    "Revisit",
    "RunningTuning",
    "SelfTuning",
    "Slack",
    "SqrtTuning",
    "SquaredHinge",
    "Tuning",
    "Uniclass",
    "Update",
    "as_complexity",
    "block_ends",
    "check_mixing",
    "exact_alpha",
    "exact_step",
    "hinge",
    "hinge_step",
    "hinge_step_entropy",
    "hinge_step_euclidean",
    "hinge_step_qnorm",
    "make_update",
    "mixing_weights",
    "pair_step",
    "project_entropic",
    "project_l1_ball",
    "project_simplex",
    "squared",
    "step_limits",
]
