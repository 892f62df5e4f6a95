"""Online learners, flat and structured.

A learner is a complexity function times a loss times a dual step times a tuning of c; a conversion
makes one hypothesis of the many it goes through. The names below are loaded on first use.

==============================  ================================================================
`align.learners.structured`     the structured learner
`align.learners.problems`       what a structured problem offers
`align.learners.costs`          what a wrong alignment costs
`align.learners.updates`        perceptron, PA, PA-I, PA-II, self-tuned: slack, step and tuning
`align.learners.ascent`         the dual state that these share
`align.learners.conversion`     last, random stopping, average, best
`align.learners.trace`          rounds, kept
`align.learners.bounds`         the theory's bounds, evaluated on a run
`align.learners.kernel`         the multiclass kernel passive-aggressive classifier
==============================  ================================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from align.learners.costs import (
        AbsoluteCost,
        FunctionCost,
        GradedCost,
        OnsetCost,
        RampCost,
        ToleranceCost,
        make_cost,
    )
    from align.learners.kernel import KernelPA
    from align.learners.problems import LossAugmentedProblem, StructuredProblem
    from align.learners.structured import StructuredLearner
    from align.learners.trace import Round, Trace

__all__ = [
    "AbsoluteCost",
    "FunctionCost",
    "GradedCost",
    "KernelPA",
    "LossAugmentedProblem",
    "OnsetCost",
    "RampCost",
    "Round",
    "StructuredLearner",
    "StructuredProblem",
    "ToleranceCost",
    "Trace",
    "make_cost",
]

_HOME = {
    "AbsoluteCost": "costs",
    "FunctionCost": "costs",
    "GradedCost": "costs",
    "KernelPA": "kernel",
    "LossAugmentedProblem": "problems",
    "OnsetCost": "costs",
    "RampCost": "costs",
    "Round": "trace",
    "StructuredLearner": "structured",
    "StructuredProblem": "problems",
    "ToleranceCost": "costs",
    "Trace": "trace",
    "make_cost": "costs",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"align.learners.{_HOME[name]}"), name)
    raise AttributeError(f"module 'align.learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
