"""River's own checks of estimators, those that are about streams, on streams of dicts."""

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
evaluate = pytest.importorskip("river.evaluate", reason="pipelines need river")
metrics = pytest.importorskip("river.metrics", reason="pipelines need river")
preprocessing = pytest.importorskip("river.preprocessing", reason="pipelines need river")

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


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", STREAMS)
def test_check_of_river(name, check):
    given, data = STREAMS[name]
    getattr(common, check)(clone(given), dataset=getattr(datasets, data)().take(100))


@pytest.mark.parametrize("name", STREAMS)
def test_the_last_step_of_a_pipeline(name):
    """Scaled by River, the stream learns what it learns from numbers that are scaled before."""
    given, data = STREAMS[name]
    scaler, alone = preprocessing.StandardScaler(), clone(given)
    pipe = preprocessing.StandardScaler() | clone(given)
    for x, y in getattr(datasets, data)().take(60):
        assert alone.predict_one(scaler.transform_one(x)) == pipe.predict_one(x)
        scaler.learn_one(x)
        alone.learn_one(scaler.transform_one(x), y)
        pipe.learn_one(x, y)
    assert pipe.clone()[type(given).__name__].names_ == []


def test_what_is_registered_can_be_evaluated():
    class Stream(DictStream):
        """Of this test alone."""

    common.base.Classifier.register(Stream)
    pipe = preprocessing.StandardScaler() | Stream(PassiveAggressiveClassifier(C=0.1))
    found = evaluate.progressive_val_score(datasets.Phishing().take(300), pipe, metrics.Accuracy())
    assert found.get() > 0.8
    assert metrics.F1().works_with(pipe)


def test_clones():
    stream = DictStream(PassiveAggressiveClassifier(C=0.1), "hashed", 64)
    stream.learn_one({"a": 1.0}, "x")
    fresh, other = stream.clone(), stream.clone({"n_features": 32})
    assert (fresh.predict_one({"a": 1.0}), fresh.n_features, other.n_features) == (None, 64, 32)
    assert stream.clone(include_attributes=True).predict_one({"a": 1.0}) == "x"
