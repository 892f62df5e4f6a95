"""What "random", "vote" and "validation" choose from: the hypotheses that rounds predicted with.

The reference is the conversion to the mean: T times the mean of T rounds, less the sum over the
rounds before, is the hypothesis of round T.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from align.errors import ParameterError
from align.learners import (
    EuclideanBall,
    OnlineClassifier,
    OnlineRegressor,
    Perceptron,
    QNorm,
    RunningTuning,
    SelfTunedWinnow,
    SelfTuning,
    SqrtTuning,
)
from align.learners.flat._linear import LinearRun
from align.learners.flat._link_run import LinkRun

T = 8
TUNED = {
    "sqrt": OnlineClassifier(tuning=SqrtTuning(L=0.5, U=1.0)),
    "ball": OnlineClassifier(EuclideanBall(0.5), tuning=RunningTuning()),
    "q-norm": OnlineClassifier(QNorm(3.0), tuning=SelfTuning(2.0)),
    "entropy": SelfTunedWinnow(),
}


def examples(classes=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(T, 4)) * (rng.random((T, 4)) < 0.7)
    return X, rng.permutation(np.arange(T) % classes)


def weights_of(model):
    return np.column_stack([model.coef_, model.intercept_])


def used(estimator, X, y, **start):
    """Return the hypothesis of each round."""
    estimator.set_params(conversion="average")
    sums = [0.0]
    for t in range(1, X.shape[0] + 1):
        sums.append(t * weights_of(estimator.partial_fit(X[t - 1 : t], y[t - 1 : t], **start)))
        start = {}
    return np.diff(np.array([0.0 * sums[1], *sums[1:]]), axis=0)


def copy_of(estimator, **params):
    return type(estimator)(**{**estimator.get_params(deep=False), **params})


@pytest.fixture(params=["kernels", "CSR", "python"])
def form(request, monkeypatch):
    if request.param == "python":
        for run in (LinearRun, LinkRun):
            monkeypatch.setattr(run, "covers", staticmethod(lambda plan: False))
    return sp.csr_array if request.param == "CSR" else np.asarray


@pytest.mark.parametrize("name", TUNED)
def test_random_draws_what_a_round_used(name, form):
    X, y = examples()
    candidates = used(copy_of(TUNED[name]), form(X), y, classes=range(3))
    places = set()
    for seed in range(12):
        model = copy_of(TUNED[name], conversion="random", random_state=seed)
        drawn = weights_of(model.partial_fit(form(X), y, classes=range(3)))
        distances = np.abs(candidates - drawn).max(axis=(1, 2))
        assert distances.min() < 1e-12
        places.add(int(distances.argmin()))
    assert len(places) > 3


@pytest.mark.parametrize("name", TUNED)
def test_votes_are_those_of_the_rounds(name, form):
    X, y = examples()
    candidates = used(copy_of(TUNED[name]), form(X), y, classes=range(3))
    model = copy_of(TUNED[name], conversion="vote").partial_fit(form(X), y, classes=range(3))
    assert [count for _, count in model._votes] == [1] * T
    np.testing.assert_allclose([w for w, _ in model._votes], candidates, atol=1e-12)


def test_validation_judges_what_rounds_used(form):
    X, y = np.tile(examples(2)[0], (6, 1)), np.tile(examples(2)[1], 6)
    learner = OnlineClassifier(tuning=SqrtTuning(L=0.5, U=1.0), shuffle=False)
    held, size = 16, 3  # a third, and ten blocks of the rest with two left over
    candidates = []
    for begin in range(held, held + 10 * size, size):
        block = slice(begin, begin + size)
        candidates.extend(used(copy_of(learner), form(X[block]), y[block], classes=[0, 1]))
    model = copy_of(learner, conversion="validation", validation_fraction=1 / 3, record=True)
    for seed in range(4):
        chosen = weights_of(model.set_params(random_state=seed).fit(form(X), y))
        assert np.abs(np.array(candidates) - chosen).max(axis=(1, 2)).min() < 1e-12
        assert model.n_rounds_ == len(model.trace_.loss) == 10 * size


def test_random_of_two_rounds_by_hand(form):
    """Round 2 predicts with ``v_2 / c_2 = sqrt(2) / sqrt(2)``."""
    found = set()
    for seed in range(8):
        model = OnlineRegressor(
            tuning=SqrtTuning(L=0.5, U=1.0),
            epsilon=0.0,
            fit_intercept=False,
            conversion="random",
            random_state=seed,
        )
        X = form(np.array([[1.0], [1.0]]))
        found.add(round(float(model.partial_fit(X, [2.0, 2.0]).coef_[0]), 12))
    assert found == {0.0, 1.0}


@pytest.mark.parametrize("conversion", ["random", "vote"])
def test_rounds_of_a_single_class_are_candidates(conversion):
    """The hypothesis of an idle round is the first one."""
    X = np.array([[1.0], [1.0], [1.0], [-1.0]])
    models = [
        Perceptron(conversion=conversion, random_state=seed).partial_fit(X[:3], [1, 1, 1])
        for seed in range(40)
    ]
    for model in models:
        model.partial_fit(X[3:], [0])
    if conversion == "vote":
        assert sum(n for _, n in models[0]._votes) == 4
    # All four rounds predicted with 0; what was learned in the last one predicted nothing.
    assert all((weights == 0.0).all() for model in models for weights in candidates_of(model))


def candidates_of(model):
    return [weights_of(model)] if model.conversion == "random" else [w for w, _ in model._votes]


def test_a_class_that_comes_late_begins_where_the_learner_does():
    """An entropic learner begins with equal weights, also in a hypothesis drawn before."""
    X = np.abs(examples()[0])
    model = SelfTunedWinnow(signed=False, fit_intercept=False, conversion="random", random_state=1)
    model.partial_fit(X, np.arange(T) % 3, classes=range(3))
    model.partial_fit(X[:1], [0], classes=range(4))
    np.testing.assert_allclose(model.coef_[3], 0.25)


@pytest.mark.parametrize("n_candidates", [1, 3])
def test_the_number_of_restarts_is_free(n_candidates):
    """Of one restart, the hypothesis drawn is one of a run over all that is not held out."""
    X, y = np.tile(examples(2)[0], (3, 1)), np.tile(examples(2)[1], 3)
    learner = Perceptron(shuffle=False, conversion="validation", validation_fraction=0.25)
    learner.set_params(n_candidates=n_candidates, record=True).fit(X, y)
    size = 18 // n_candidates
    candidates = []
    for begin in range(6, 24, size):
        block = slice(begin, begin + size)
        candidates.extend(used(Perceptron(), X[block], y[block], classes=[0, 1]))
    assert learner.n_rounds_ == 18
    distances = np.abs(np.array(candidates) - weights_of(learner)).max(axis=(1, 2))
    assert distances.min() < 1e-12


@pytest.mark.parametrize("n_candidates", [0, 2.5])
def test_a_number_of_candidates_that_is_none(n_candidates):
    X, y = examples(2)
    with pytest.raises(ParameterError, match=r"n_candidates=.*must be a whole number, at least 1"):
        Perceptron(n_candidates=n_candidates).fit(X, y)
