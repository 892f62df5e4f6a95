"""Defaults are a promise: models that are trained again must come out as before.

And learners are what they are in scikit-learn: compared by identity, printed by what differs.
"""

import pytest
from sklearn.base import clone

from align.learners import (
    CELLIP,
    IELLIP,
    KernelPA,
    LabelRanker,
    MultiplicativePA,
    MultiplicativePARegressor,
    MultiplicativePAUniclass,
    OnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    Perceptron,
    PNormPerceptron,
    SelfTunedWinnow,
    ThresholdWinnow,
    Winnow,
)

PASSES = {"epochs": 1, "random_state": 0, "record": False, "shuffle": True}
FLAT = {
    **PASSES,
    "conversion": "last",
    "fit_intercept": True,
    "n_candidates": 10,
    "validation_fraction": 0.1,
}
DEFAULTS = {
    CELLIP: {
        **PASSES,
        "a": 0.5,
        "average": True,
        "cut": "s3",
        "fit_intercept": True,
        "gamma": 0.1,
        "max_memory": 2000000000.0,
        "normalize": "unit",
        "representation": "auto",
    },
    IELLIP: {
        **PASSES,
        "average": True,
        "b": 0.3,
        "c": 0.1,
        "decay": "updates",
        "fit_intercept": True,
        "gamma": 0.1,
        "max_memory": 2000000000.0,
        "normalize": "unit",
        "representation": "auto",
        "scale": 1.0,
    },
    KernelPA: {
        **PASSES,
        "C": 1.0,
        "average": "auto",
        "budget": None,
        "coef0": 1.0,
        "degree": 3,
        "gamma": None,
        "kernel": "gaussian",
        "margin": 1.0,
        "removal": "project",
        "sigma": None,
        "update": "pa1",
        "variant": None,
    },
    LabelRanker: {
        **PASSES,
        "average": False,
        "c": 1.0,
        "complexity": "euclidean",
        "fit_intercept": True,
        "gamma": None,
        "update": "optimal",
    },
    MultiplicativePA: {**FLAT, "margin": 1.0, "signed": True, "step_size": "range"},
    MultiplicativePARegressor: {**FLAT, "epsilon": 0.1, "signed": True, "step_size": "range"},
    MultiplicativePAUniclass: {**PASSES, "epsilon": 1.0},
    OnlineClassifier: {
        **FLAT,
        "C": 1.0,
        "complexity": "euclidean",
        "conservative": False,
        "dual_step": "exact",
        "loss": "hinge",
        "margin": 1.0,
        "revisit": None,
        "signed": False,
        "ties": "positive",
        "tuning": 1.0,
    },
    PassiveAggressiveClassifier: {
        **FLAT,
        "C": 1.0,
        "margin": 1.0,
        "update": "pa1",
        "variant": None,
    },
    PassiveAggressiveRegressor: {
        **FLAT,
        "C": 1.0,
        "epsilon": 0.1,
        "update": "pa1",
        "variant": None,
    },
    PassiveAggressiveUniclass: {
        **PASSES,
        "C": 1.0,
        "average": False,
        "epsilon": 1.0,
        "update": "pa1",
        "variant": None,
    },
    Perceptron: {**FLAT, "initial": "zero", "rate": 1.0, "ties": "positive"},
    PNormPerceptron: {**FLAT, "p": None},
    SelfTunedWinnow: {**FLAT, "aggressive": False, "margin": 1.0, "scale": "all", "signed": True},
    ThresholdWinnow: {**PASSES, "beta": 1.5, "theta": None},
    Winnow: {**FLAT, "margin": 1.0, "rate": 1.0, "signed": True},
}


@pytest.mark.parametrize("learner", DEFAULTS, ids=lambda learner: learner.__name__)
def test_defaults(learner):
    assert learner().get_params() == DEFAULTS[learner]


@pytest.mark.parametrize("learner", DEFAULTS, ids=lambda learner: learner.__name__)
def test_learners_are_compared_by_identity(learner):
    model = learner()
    assert model != clone(model)
    assert len({model, clone(model)}) == 2
    assert repr(model) == f"{learner.__name__}()"
    assert repr(model.set_params(random_state=7)) == f"{learner.__name__}(random_state=7)"
