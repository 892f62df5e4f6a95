"""Online learners, flat and structured.

A learner is a complexity function times a loss times a dual step times a rule for c; a conversion
makes one hypothesis of the many it goes through. Every name below is imported from here or from
its folder, and loaded on first use.

==============  ===============================================================================
folder          what lies there
==============  ===============================================================================
`parts`         what learners are made of: complexity, loss, dual step, rule for c, conversion
`theory`        rounds and traces, bounds and certificates; finite classes, experts, PAC
`structured`    the structured learner, its problems, costs and dual state; on shards, too
`flat`          vectors: PA, PA-I, PA-II, Perceptron, Winnow, any combination, ellipsoids
`ranking`       rankings of labels and of instances, and their exact steps
`kernels`       passive-aggressive learners with kernels: classes, numbers, one class
`boosting`      boosting as a primal-dual game
`compat`        scikit-learn's passive-aggressive learners and Perceptron, by one import line
==============  ===============================================================================

`parts` imports no other folder, `theory` only `parts`, and the rest only these two; but `ranking`
and `kernels` print what the theory promises of them as `flat` does. Each folder lists its modules.
A module whose name begins with an underscore holds kernels, or the state around them, and belongs
to its folder.
"""

# ruff: noqa: F403, F405 -- a type checker reads the names of the folders, which `__getattr__` loads

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from align.learners.boosting import *
    from align.learners.flat import *
    from align.learners.kernels import *
    from align.learners.parts import *
    from align.learners.ranking import *
    from align.learners.structured import *
    from align.learners.theory import *

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
    "DictStream",
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
    "KernelPARegressor",
    "KernelPAUniclass",
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
    "OnlineToBatch",
    "OnsetCost",
    "PNormPerceptron",
    "ParameterMixing",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PassiveAggressiveUniclass",
    "Perceptron",
    "Progress",
    "QNorm",
    "RampCost",
    "Revisit",
    "Round",
    "RunCertificate",
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
    "certify_run",
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
    "progressive",
    "project_entropic",
    "project_l1_ball",
    "project_simplex",
    "ranking_step",
    "ranking_steps",
    "threshold_stream",
    "threshold_winnow_bound",
]

# From the lowest floor up, and those that import scikit-learn last.
_FOLDERS = ("parts", "theory", "structured", "kernels", "boosting", "ranking", "flat")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for folder in _FOLDERS:
            package = import_module(f"align.learners.{folder}")
            if hasattr(package, name):
                return getattr(package, name)
    raise AttributeError(f"module 'align.learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
