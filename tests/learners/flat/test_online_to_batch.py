"""Conversions for every learner: what is drawn, votes, contests, and what they promise (I2-I5)."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import (
    CELLIP,
    IELLIP,
    InstanceRanker,
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
    LabelRanker,
    OnlineClassifier,
    OnlineToBatch,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    SelfTuning,
)

T = 9
CLASSIFIERS = {
    "kernel": KernelPA(sigma=1.0),
    "budget": KernelPA(budget=3, removal="oldest"),
    "sets": LabelRanker("euclidean", c=0.3),
    "entropy": LabelRanker("entropy", c=0.3, average=True),
    "tuned": LabelRanker(c=SelfTuning(2.0)),
    "cellip": CELLIP(gamma=0.01),
    "iellip": IELLIP(average=True),
    "flat": OnlineClassifier(conversion="average"),
}
OTHERS = {
    "regressor": KernelPARegressor(C=0.5, epsilon=0.0),
    "one class": KernelPAUniclass(C=0.3, epsilon=0.1),
    "ranker": InstanceRanker(c=0.2),
}
ALL = CLASSIFIERS | OTHERS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def examples(name, m=T):
    rng = np.random.default_rng(4)
    X = rng.random((m, 3)) * (rng.random((m, 3)) < 0.8)
    if name == "ranker":
        return X, rng.integers(3, size=m).astype(float), np.arange(m) // 2
    if name == "regressor":
        return X, X @ [1.0, -2.0, 0.5], None
    if name == "one class":
        return X, np.zeros(m), None
    if name == "sets":
        return X, (rng.random((m, 3)) < 0.5).astype(int), None
    return X, np.array(["b", "a", "c"])[rng.integers(3, size=m)], None


def plain(learner):
    learner = clone(learner)
    last = {"average": False, "conversion": "last"}
    return learner.set_params(**{k: v for k, v in last.items() if k in learner.get_params()})


def rounds_of(m, groups):
    if groups is None:
        return [np.array([i]) for i in range(m)]
    return [np.flatnonzero(groups == g) for g in np.unique(groups)]


def hypotheses(learner, X, y, groups):
    """The learner as it stood before each round, by copying all of it."""
    model, found = plain(learner), []
    known = {"classes": np.unique(y)} if y.dtype.kind == "U" else {}
    for i, rows in enumerate(rounds_of(len(X), groups)):
        more = {} if groups is None else {"groups": groups[rows]}
        if i == 0:
            model.partial_fit(X[rows], y[rows], **known, **more, sample_weight=np.zeros(len(rows)))
        found.append(copy.deepcopy(model))
        model.partial_fit(X[rows], y[rows], **more)
    return found


def values(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@pytest.mark.parametrize("name", ALL)
def test_random_draws_each_round_alike(name):
    """Whole, or in chunks: the hypothesis before some round, and each of them for some seed."""
    X, y, groups = examples(name)
    found = [values(h, X) for h in hypotheses(ALL[name], X, y, groups)]
    places = set()
    for seed in range(15):
        model = OnlineToBatch(ALL[name], shuffle=False, random_state=seed).fit(X, y, groups)
        distances = [np.abs(values(model, X) - one).max() for one in found]
        assert min(distances) < 1e-12
        places.add(int(np.argmin(distances)))
        cut = OnlineToBatch(ALL[name], random_state=seed)
        known = {"classes": np.unique(y)} if y.dtype.kind == "U" else {}
        for begin, end in ((0, 2), (2, 4), (4, T)):
            some = None if groups is None else groups[begin:end]
            cut.partial_fit(X[begin:end], y[begin:end], groups=some, **known)
        np.testing.assert_allclose(values(cut, X), values(model, X), atol=1e-12)
        assert cut.n_rounds_ == model.n_rounds_ == len(found)
    assert len(places) >= 3 - (name == "ranker")


def test_draws_are_uniform():
    """Learners of one feature that counts: the hypothesis tells the round."""

    class Counter(KernelPAUniclass):
        """Predicts how many rounds it has played."""

        def predict(self, X):
            return np.full(len(X), self.n_rounds_)

    X = np.arange(8.0)[:, None]
    drawn = [
        int(OnlineToBatch(Counter(), random_state=seed).partial_fit(X).predict(X[:1])[0])
        for seed in range(800)
    ]
    counts = np.bincount(drawn, minlength=8)
    assert len(counts) == 8
    assert abs(counts - 100).max() < 4 * np.sqrt(100)


@pytest.mark.parametrize("conversion", ["random", "vote", "validation", "best"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_learners_that_have_conversions_agree(conversion, form):
    """One seed, one draw: the same as the parameter of the learners of vectors."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 4)), rng.integers(3, size=60)
    for learner in (Perceptron(), PassiveAggressiveClassifier(C=0.1)):
        for seed in range(3):
            shared = {"conversion": conversion, "n_candidates": 4, "random_state": seed}
            own = clone(learner).set_params(**shared, epochs=2).fit(form(X), y)
            other = OnlineToBatch(learner, **shared, epochs=2).fit(form(X), y)
            np.testing.assert_allclose(
                other.decision_function(form(X)), own.decision_function(form(X)), atol=1e-12
            )
            np.testing.assert_array_equal(other.predict(form(X)), own.predict(form(X)))
            assert other.n_rounds_ == own.n_rounds_
            assert other.n_mistakes_ == own.n_mistakes_
    if conversion in ("random", "best"):
        own = PassiveAggressiveRegressor(conversion=conversion).fit(form(X), y)
        other = OnlineToBatch(PassiveAggressiveRegressor(), conversion).fit(form(X), y)
        np.testing.assert_allclose(other.predict(X), own.predict(X), atol=1e-12)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_votes_are_survival_counts(name):
    X, y, _ = examples(name, 30)
    model = OnlineToBatch(CLASSIFIERS[name], "vote", shuffle=False).fit(X, y)
    assert sum(count for _, count in model.votes_) == 30
    found = [h.predict(X) for h in hypotheses(CLASSIFIERS[name], X, y, None)]
    if y.ndim == 2:
        shares = np.mean(found, axis=0)
        np.testing.assert_array_equal(model.predict(X), shares >= 0.5)
        np.testing.assert_allclose(model.decision_function(X), shares - 0.5, atol=1e-12)
        return
    shares = np.mean([one[:, None] == model.classes_ for one in found], axis=0)
    np.testing.assert_allclose(model.decision_function(X), shares, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(shares, axis=1)])


def test_votes_on_outliers():
    X, y, _ = examples("one class", 30)
    model = OnlineToBatch(OTHERS["one class"], "vote", shuffle=False).fit(X)
    found = [h.predict(X) for h in hypotheses(OTHERS["one class"], X, y, None)]
    total = np.sum(found, axis=0)
    np.testing.assert_array_equal(model.predict(X), np.where(total >= 0, 1, -1))
    np.testing.assert_allclose(model.decision_function(X), total / 30, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_a_contest_of_restarts(name):
    """The winner is a hypothesis of some part, and no other candidate is better held out."""
    X, y, groups = examples(name, 24)
    rounds = rounds_of(24, groups)
    held, n_parts = max(1, round(0.25 * len(rounds))), 3
    size = (len(rounds) - held) // n_parts
    model = OnlineToBatch(
        ALL[name], "validation", validation_fraction=0.25, n_candidates=n_parts, shuffle=False
    ).fit(X, y, groups)
    assert model.n_rounds_ == n_parts * size
    candidates = []
    for begin in range(held, held + n_parts * size, size):
        rows = np.concatenate(rounds[begin : begin + size])
        some = None if groups is None else groups[rows]
        candidates.extend(values(h, X) for h in hypotheses_of(ALL[name], X, y, rows, some))
    assert min(np.abs(values(model, X) - one).max() for one in candidates) < 1e-12


def hypotheses_of(learner, X, y, rows, groups):
    """As `hypotheses`, on some rows; the classes are those of all."""
    if y.ndim == 1 and y.dtype.kind == "U":
        start = plain(learner).partial_fit(
            X[:1], y[:1], classes=np.unique(y), sample_weight=np.zeros(1)
        )
        found = []
        for i in rows:
            found.append(copy.deepcopy(start))
            start.partial_fit(X[i : i + 1], y[i : i + 1])
        return found
    return hypotheses(learner, X[rows], y[rows], groups)


def test_validation_takes_the_best():
    """Labels of one part are noise: the contest is won by another part."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.where(np.hypot(*X.T) < 1.1, "in", "out")
    y[100:250] = rng.permutation(y[100:250])
    learner = KernelPA(sigma=0.5, average=False)
    model = OnlineToBatch(learner, "validation", n_candidates=2, validation_fraction=0.25)
    model.set_params(shuffle=False).fit(X, y)
    later = X[250:]
    costs = [np.mean(h.predict(X[:100]) != y[:100]) for h in (model.chosen_, model.learner_)]
    assert costs[0] <= costs[1] + 0.05
    assert np.mean(model.predict(later) == y[250:]) > 0.75


def test_the_vote_bound_of_a_kernel_learner():
    """The risk of the vote is at most ``2 E[mistakes in T + 1 rounds] / (T + 1)``."""
    rng, T = np.random.default_rng(0), 40
    wrong, mistakes = [], []
    for _ in range(20):
        X = rng.normal(size=(T + 301, 2))
        y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(len(X)) < 0.05)
        run = KernelPA("polynomial", degree=2, average=False, shuffle=False)
        model = OnlineToBatch(run, "vote", shuffle=False).fit(X[:T], y[:T])
        wrong.append(np.mean(model.predict(X[T + 1 :]) != y[T + 1 :]))
        mistakes.append(run.fit(X[: T + 1], y[: T + 1]).n_mistakes_)
    assert np.mean(wrong) <= 2 * np.mean(mistakes) / (T + 1) + 3 * np.std(wrong) / np.sqrt(20)
    assert np.mean(wrong) < 0.4


def test_votes_share_the_supports():
    X, y, _ = examples("kernel", 60)
    model = OnlineToBatch(KernelPA(), "vote", shuffle=False).fit(X, y)
    assert len(model.votes_) > 20
    last = model.learner_._supports.vectors
    shared = [np.shares_memory(one.support_vectors_, last) for one, _ in model.votes_]
    assert shared[-1]
    shape = OnlineToBatch(IELLIP(), "vote").fit(X, y).votes_
    assert all(one._shape is shape[0][0]._shape for one, _ in shape)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.set_params(conversion="mean"), "conversion='mean', must be one of random"),
        (lambda m: m.set_params(n_candidates=0), "n_candidates=0, must be a whole number"),
        (lambda m: m.set_params(validation_fraction=1.0), r"must lie in \(0, 1\)"),
        (lambda m: m.set_params(epochs=0), "epochs=0, must be a whole number"),
        (lambda m: m.set_params(learner="SVC"), "must have partial_fit with weights"),
        (
            lambda m: m.set_params(learner=KernelPARegressor(), conversion="vote"),
            "is for classes and outliers, not for numbers",
        ),
    ],
)
def test_wrong_parameters(call, message):
    X, y, _ = examples("kernel")
    with pytest.raises(ParameterError, match=message):
        call(OnlineToBatch(KernelPA())).fit(X, y)


def test_contests_need_all_examples():
    X, y, _ = examples("kernel")
    with pytest.raises(ParameterError, match="conversion='best' needs all examples at once"):
        OnlineToBatch(KernelPA(), "best").partial_fit(X, y)
    with pytest.raises(ParameterError, match="1 rounds are too few for conversion='validation'"):
        OnlineToBatch(KernelPA(), "validation").fit(X[:1], y[:1])


@pytest.mark.parametrize("conversion", ["random", "vote"])
def test_weights_of_a_score(conversion):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    model = OnlineToBatch(PassiveAggressiveClassifier(), conversion).fit(X, y)
    weights = rng.random(40)
    expected = np.average(model.predict(X) == y, weights=weights)
    np.testing.assert_allclose(model.score(X, y, sample_weight=weights), expected, rtol=1e-12)


@pytest.mark.parametrize("conversion", ["random", "vote"])
def test_before_any_round_the_learner_predicts(conversion):
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    model = OnlineToBatch(KernelPA("linear"), conversion)
    model.partial_fit(X, y, classes=[0, 1], sample_weight=[0.0, 0.0])
    assert model.n_rounds_ == 0
    assert model.predict(X).shape == model.decision_function(X).shape == (2,)


@pytest.mark.parametrize("learner", [KernelPA("linear"), PassiveAggressiveClassifier()])
def test_a_class_that_came_after_the_hypothesis_lies_behind_the_others(learner):
    X = np.array([[1.0, 0.2], [-1.5, 0.5]])
    model = OnlineToBatch(learner)
    for labels in (["a", "a"], ["a", "b"], ["a", "c"]):
        model.partial_fit(X, labels)
        model.chosen_ = model.chosen_ if labels == ["a", "c"] else copy.deepcopy(model.learner_)
        for known in (X[:1], X):
            scores, k = model.decision_function(known), len(model.classes_)
            assert scores.shape == ((len(known), k) if k > 2 else (len(known),)) or k == 1
            if k > 1:
                best = scores.argmax(axis=1) if k > 2 else (scores >= 0).astype(int)
                np.testing.assert_array_equal(model.classes_[best], model.predict(known))
