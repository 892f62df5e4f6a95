"""River's own checks of estimators, those that are about streams, on streams of dicts."""

import copy

import pytest
from sklearn.base import clone

from align.learners import (
    DictStream,
    OnlineRegressor,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
)

common = pytest.importorskip("river.checks.common", reason="River's checks need river")
datasets = pytest.importorskip("river.datasets", reason="River's checks need river")

CHECKS = [
    "check_learn_one",
    "check_pickling",
    "check_shuffle_features_no_impact",
    "check_emerging_features",
    "check_disappearing_features",
    "check_radically_disappearing_features",
    "check_predict_one_pure",
    "check_predict_one_before_any_learn",
    "check_no_state_aliasing_with_input",
    "check_clone_is_independent",
]
STREAMS = {
    "growing": (DictStream(PassiveAggressiveClassifier()), "Phishing"),
    "hashed": (DictStream(Perceptron(conversion="average"), "hashed", 64), "Phishing"),
    "classes": (DictStream(PassiveAggressiveClassifier(C=0.1)), "ImageSegments"),
    "regression": (DictStream(PassiveAggressiveRegressor()), "TrumpApproval"),
    "average": (DictStream(OnlineRegressor(conversion="average"), "hashed", 64), "TrumpApproval"),
}


class Cloned(DictStream):
    """A stream with what the checks ask of a class of River."""

    _supervised = True

    def _get_params(self):
        return {}

    def clone(self, *args, **kwargs):
        return clone(self)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", STREAMS)
def test_check_of_river(name, check):
    given, data = STREAMS[name]
    stream = Cloned(clone(given.learner), given.vocabulary, given.n_features)
    getattr(common, check)(copy.deepcopy(stream), dataset=getattr(datasets, data)().take(100))
