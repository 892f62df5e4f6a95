"""The structured learner: feature functions, a decoder and a cost, and weights that are learnt.

==========  ===========================================================
module      what
==========  ===========================================================
`problems`  what a structured problem offers
`costs`     what a wrong alignment costs
`ascent`    the dual state: one update
`learner`   the structured learner
`mixing`    the same on shards, in parallel: iterative parameter mixing
==========  ===========================================================
"""

from align.learners.structured.ascent import DualAscent
from align.learners.structured.costs import (
    AbsoluteCost,
    FunctionCost,
    GradedCost,
    OnsetCost,
    RampCost,
    ToleranceCost,
    make_cost,
)
from align.learners.structured.learner import StructuredLearner
from align.learners.structured.mixing import ParameterMixing
from align.learners.structured.problems import (
    LossAugmentedProblem,
    StructuredProblem,
    check_cost,
    check_feature,
    check_pairs,
    mean_cost,
)

__all__ = [
    "AbsoluteCost",
    "DualAscent",
    "FunctionCost",
    "GradedCost",
    "LossAugmentedProblem",
    "OnsetCost",
    "ParameterMixing",
    "RampCost",
    "StructuredLearner",
    "StructuredProblem",
    "ToleranceCost",
    "check_cost",
    "check_feature",
    "check_pairs",
    "make_cost",
    "mean_cost",
]
