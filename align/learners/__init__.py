"""Online learners, flat and structured.

A learner is a complexity function times a loss times a dual step times a tuning of c; a conversion
makes one hypothesis of the many it goes through. The names below are loaded on first use.

Estimators
`align.learners.passive_aggressive`  PA, PA-I, PA-II: two classes, more, label sets, numbers
`align.learners.uniclass`            the same for one class
`align.learners.multiplicative`      the same with weights on the simplex
`align.learners.quasi_additive`      Perceptron, p-norm Perceptron, Winnow, self-tuned Winnow
`align.learners.winnow`              Winnow with a threshold
`align.learners.online`              any combination: complexity, loss, step, tuning
`align.learners.label_ranking`       label ranking, six algorithms
`align.learners.instance_ranking`    instance ranking, average and maximum
`align.learners.kernel`              the kernel passive-aggressive classifier
`align.learners.ellipsoid`           CELLIP and IELLIP
`align.learners.boosting`            boosting as a primal-dual game
`align.learners.structured`          the structured learner
`align.learners.mixing`              the same on shards, in parallel: iterative parameter mixing
`align.learners.mixed_classifier`    that of flat classifiers

What they are made of
`align.learners.complexity`          complexity functions f, their conjugates, links and norms
`align.learners.losses`              losses: subgradients, conjugates, constants
`align.learners.tuning`              rules for c
`align.learners.steps`               slacks, and the exact Euclidean step
`align.learners.hinge_steps`         exact steps on one hinge, for every complexity
`align.learners.sopopo`              the exact step on a ranking, Euclidean
`align.learners.pdip`                the same for the entropy, by interior points
`align.learners.max_hinge`           the step on the worst of many hinges
`align.learners.projections`         simplex, l1 ball, floored entropy
`align.learners.updates`             named updates: slack, step and tuning
`align.learners.ascent`              the dual state of the structured learner
`align.learners.log_regret`          learners for strongly convex losses

What they give
`align.learners.trace`               rounds, kept
`align.learners.certificates`        both sides of a named bound on a recorded run
`align.learners.bounds`              pieces of the bounds
`align.learners.conversion`          last, random stopping, average, best

Finite classes, costs and streams
`align.learners.finite`              consistent, halving, elimination
`align.learners.experts`             the best expert
`align.learners.pac`                 from mistakes to PAC
`align.learners.problems`            what a structured problem offers
`align.learners.costs`               what a wrong alignment costs
`align.learners.streams`             streams on which every learner errs
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from align.learners.ascent import (
        DualAscent,
    )
    from align.learners.boosting import (
        AdaBoost,
    )
    from align.learners.certificates import (
        Certificate,
        certify,
    )
    from align.learners.complexity import (
        BinaryEntropy,
        Blocks,
        Complexity,
        Entropy,
        Euclidean,
        EuclideanBall,
        EuclideanSet,
        FlooredEntropy,
        QNorm,
        as_complexity,
    )
    from align.learners.costs import (
        AbsoluteCost,
        FunctionCost,
        GradedCost,
        OnsetCost,
        RampCost,
        ToleranceCost,
        make_cost,
    )
    from align.learners.ellipsoid import (
        CELLIP,
        IELLIP,
        cellip_bound,
        cut_ellipsoid,
        iellip_bound,
    )
    from align.learners.experts import (
        BestExpert,
    )
    from align.learners.finite import (
        Conservative,
        Consistent,
        Elimination,
        Halving,
        MistakeLearner,
    )
    from align.learners.hinge_steps import (
        hinge_step,
        hinge_step_entropy,
        hinge_step_euclidean,
        hinge_step_qnorm,
        pair_step,
    )
    from align.learners.instance_ranking import (
        InstanceRanker,
    )
    from align.learners.kernel import (
        KernelPA,
    )
    from align.learners.label_ranking import (
        LabelRanker,
    )
    from align.learners.log_regret import (
        EntropicDescent,
        EuclideanDescent,
    )
    from align.learners.losses import (
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
    from align.learners.max_hinge import (
        MaxHingeStep,
        max_hinge_bound,
        max_hinge_step,
    )
    from align.learners.mixed_classifier import (
        MixedClassifier,
    )
    from align.learners.mixing import (
        ParameterMixing,
    )
    from align.learners.multiplicative import (
        MultiplicativePA,
        MultiplicativePARegressor,
        MultiplicativePAUniclass,
    )
    from align.learners.online import (
        OnlineClassifier,
        OnlineRegressor,
        Revisit,
    )
    from align.learners.pac import (
        Learned,
        a_pac,
        pac_sample_bound,
        pac_stage_size,
    )
    from align.learners.passive_aggressive import (
        PassiveAggressiveClassifier,
        PassiveAggressiveRegressor,
        cycle_until,
    )
    from align.learners.pdip import (
        InteriorPoint,
        interior_point,
        ranking_step,
        ranking_steps,
    )
    from align.learners.problems import (
        LossAugmentedProblem,
        StructuredProblem,
    )
    from align.learners.projections import (
        project_entropic,
        project_l1_ball,
        project_simplex,
    )
    from align.learners.quasi_additive import (
        Perceptron,
        PNormPerceptron,
        SelfTunedWinnow,
        Winnow,
    )
    from align.learners.streams import (
        coin_slopes,
        one_hot_stream,
        threshold_stream,
    )
    from align.learners.structured import (
        StructuredLearner,
    )
    from align.learners.stumps import (
        Stump,
        StumpSearch,
    )
    from align.learners.trace import (
        Round,
        Trace,
    )
    from align.learners.tuning import (
        FixedTuning,
        LossTuning,
        MistakeTuning,
        RunningTuning,
        SelfTuning,
        SqrtTuning,
        Tuning,
    )
    from align.learners.uniclass import PassiveAggressiveUniclass
    from align.learners.updates import (
        Update,
        make_update,
    )
    from align.learners.winnow import (
        ThresholdWinnow,
        WinnowBound,
        threshold_winnow_bound,
    )

__all__ = [
    "CELLIP",
    "IELLIP",
    "AbsoluteCost",
    "AdaBoost",
    "AverageOfHinge",
    "BestExpert",
    "BinaryEntropy",
    "Blocks",
    "Boosting",
    "Certificate",
    "Complexity",
    "Conservative",
    "Consistent",
    "DualAscent",
    "Elimination",
    "EntropicDescent",
    "Entropy",
    "EpsilonInsensitive",
    "Euclidean",
    "EuclideanBall",
    "EuclideanDescent",
    "EuclideanSet",
    "FixedTuning",
    "FlooredEntropy",
    "FunctionCost",
    "GradedCost",
    "HalfSquared",
    "Halving",
    "Hinge",
    "InstanceRanker",
    "InteriorPoint",
    "KernelPA",
    "LabelRanker",
    "Learned",
    "Loss",
    "LossAugmentedProblem",
    "LossTuning",
    "MaxHingeStep",
    "MaxOfHinge",
    "MistakeLearner",
    "MistakeTuning",
    "MixedClassifier",
    "MultiplicativePA",
    "MultiplicativePARegressor",
    "MultiplicativePAUniclass",
    "OnlineClassifier",
    "OnlineRegressor",
    "OnsetCost",
    "PNormPerceptron",
    "ParameterMixing",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PassiveAggressiveUniclass",
    "Perceptron",
    "QNorm",
    "RampCost",
    "Revisit",
    "Round",
    "RunningTuning",
    "SelfTunedWinnow",
    "SelfTuning",
    "SqrtTuning",
    "SquaredHinge",
    "StructuredLearner",
    "StructuredProblem",
    "Stump",
    "StumpSearch",
    "ThresholdWinnow",
    "ToleranceCost",
    "Trace",
    "Tuning",
    "Uniclass",
    "Update",
    "Winnow",
    "WinnowBound",
    "a_pac",
    "as_complexity",
    "cellip_bound",
    "certify",
    "coin_slopes",
    "cut_ellipsoid",
    "cycle_until",
    "hinge_step",
    "hinge_step_entropy",
    "hinge_step_euclidean",
    "hinge_step_qnorm",
    "iellip_bound",
    "interior_point",
    "make_cost",
    "make_update",
    "max_hinge_bound",
    "max_hinge_step",
    "one_hot_stream",
    "pac_sample_bound",
    "pac_stage_size",
    "pair_step",
    "project_entropic",
    "project_l1_ball",
    "project_simplex",
    "ranking_step",
    "ranking_steps",
    "threshold_stream",
    "threshold_winnow_bound",
]

_HOME = {
    "AbsoluteCost": "costs",
    "AdaBoost": "boosting",
    "AverageOfHinge": "losses",
    "BestExpert": "experts",
    "BinaryEntropy": "complexity",
    "Blocks": "complexity",
    "Boosting": "losses",
    "CELLIP": "ellipsoid",
    "Certificate": "certificates",
    "Complexity": "complexity",
    "Conservative": "finite",
    "Consistent": "finite",
    "DualAscent": "ascent",
    "Elimination": "finite",
    "EntropicDescent": "log_regret",
    "Entropy": "complexity",
    "EpsilonInsensitive": "losses",
    "Euclidean": "complexity",
    "EuclideanBall": "complexity",
    "EuclideanDescent": "log_regret",
    "EuclideanSet": "complexity",
    "FixedTuning": "tuning",
    "FlooredEntropy": "complexity",
    "FunctionCost": "costs",
    "GradedCost": "costs",
    "HalfSquared": "losses",
    "Halving": "finite",
    "Hinge": "losses",
    "IELLIP": "ellipsoid",
    "InstanceRanker": "instance_ranking",
    "InteriorPoint": "pdip",
    "KernelPA": "kernel",
    "LabelRanker": "label_ranking",
    "Learned": "pac",
    "Loss": "losses",
    "LossAugmentedProblem": "problems",
    "LossTuning": "tuning",
    "MaxHingeStep": "max_hinge",
    "MaxOfHinge": "losses",
    "MistakeLearner": "finite",
    "MistakeTuning": "tuning",
    "MixedClassifier": "mixed_classifier",
    "MultiplicativePA": "multiplicative",
    "MultiplicativePARegressor": "multiplicative",
    "MultiplicativePAUniclass": "multiplicative",
    "OnlineClassifier": "online",
    "OnlineRegressor": "online",
    "OnsetCost": "costs",
    "PNormPerceptron": "quasi_additive",
    "ParameterMixing": "mixing",
    "PassiveAggressiveClassifier": "passive_aggressive",
    "PassiveAggressiveRegressor": "passive_aggressive",
    "PassiveAggressiveUniclass": "uniclass",
    "Perceptron": "quasi_additive",
    "QNorm": "complexity",
    "RampCost": "costs",
    "Revisit": "online",
    "Round": "trace",
    "RunningTuning": "tuning",
    "SelfTunedWinnow": "quasi_additive",
    "SelfTuning": "tuning",
    "SqrtTuning": "tuning",
    "SquaredHinge": "losses",
    "StructuredLearner": "structured",
    "StructuredProblem": "problems",
    "Stump": "stumps",
    "StumpSearch": "stumps",
    "ThresholdWinnow": "winnow",
    "ToleranceCost": "costs",
    "Trace": "trace",
    "Tuning": "tuning",
    "Uniclass": "losses",
    "Update": "updates",
    "Winnow": "quasi_additive",
    "WinnowBound": "winnow",
    "a_pac": "pac",
    "as_complexity": "complexity",
    "cellip_bound": "ellipsoid",
    "certify": "certificates",
    "coin_slopes": "streams",
    "cut_ellipsoid": "ellipsoid",
    "cycle_until": "passive_aggressive",
    "hinge_step": "hinge_steps",
    "hinge_step_entropy": "hinge_steps",
    "hinge_step_euclidean": "hinge_steps",
    "hinge_step_qnorm": "hinge_steps",
    "iellip_bound": "ellipsoid",
    "interior_point": "pdip",
    "make_cost": "costs",
    "make_update": "updates",
    "max_hinge_bound": "max_hinge",
    "max_hinge_step": "max_hinge",
    "one_hot_stream": "streams",
    "pac_sample_bound": "pac",
    "pac_stage_size": "pac",
    "pair_step": "hinge_steps",
    "project_entropic": "projections",
    "project_l1_ball": "projections",
    "project_simplex": "projections",
    "ranking_step": "pdip",
    "ranking_steps": "pdip",
    "threshold_stream": "streams",
    "threshold_winnow_bound": "winnow",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"align.learners.{_HOME[name]}"), name)
    raise AttributeError(f"module 'align.learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
