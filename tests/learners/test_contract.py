"""What every flat estimator promises: scikit-learn's contract, and ours."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import (
    Entropy,
    EuclideanBall,
    LabelRanker,
    OnlineClassifier,
    OnlineRegressor,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    Perceptron,
    PNormPerceptron,
    QNorm,
    RunningTuning,
    SelfTunedWinnow,
    SelfTuning,
    Winnow,
)

CLASSIFIERS = [
    PassiveAggressiveClassifier("pa"),
    PassiveAggressiveClassifier("pa1", C=0.5),
    PassiveAggressiveClassifier("pa2", C=0.5),
    Perceptron(),
    PNormPerceptron(),
    Winnow(),
    SelfTunedWinnow(),
    SelfTunedWinnow(aggressive=True, scale="mistakes", margin=0.3),
    OnlineClassifier(EuclideanBall(2.0), tuning=SelfTuning(2.0)),
    OnlineClassifier(QNorm(3.0), loss="squared-hinge", tuning=RunningTuning()),
]
REGRESSORS = [
    PassiveAggressiveRegressor("pa"),
    PassiveAggressiveRegressor("pa1", C=0.5),
    PassiveAggressiveRegressor("pa2", C=0.5),
    OnlineRegressor(),
    OnlineRegressor(Entropy(), loss="squared", signed=True, tuning=20.0),
]
ALL = [*CLASSIFIERS, *REGRESSORS]
CONVERSIONS = ["last", "average", "random", "vote"]


def name(estimator):
    return repr(estimator).replace(" ", "")


def examples(estimator, m=60, k=3, seed=0):
    """Noisy examples, with classes as strings, or numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 5)) * (rng.random((m, 5)) < 0.7)
    U = rng.normal(size=(k, 5))
    scores = X @ U.T + 0.3 * rng.normal(size=(m, k))
    if hasattr(estimator, "decision_function"):
        return X, np.array(["b", "c", "a"])[scores.argmax(1)]
    return X, scores[:, 0]


def start(estimator):
    return {"classes": ["a", "b", "c"]} if hasattr(estimator, "decision_function") else {}


def state(model):
    return np.column_stack([np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)])


def counts(model):
    return model.n_rounds_, model.n_mistakes_, model.n_updates_


def of_conversion(estimator, conversion):
    if conversion == "vote" and not hasattr(estimator, "decision_function"):
        pytest.skip("numbers have no vote")
    return clone(estimator).set_params(conversion=conversion, random_state=3)


@pytest.mark.parametrize("conversion", CONVERSIONS)
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_chunks_are_one_call(estimator, conversion):
    X, y = examples(estimator)
    whole, parts = (of_conversion(estimator, conversion) for _ in range(2))
    whole.partial_fit(X, y, **start(estimator))
    for i in range(0, len(X), 17):
        parts.partial_fit(X[i : i + 17], y[i : i + 17], **(start(estimator) if i == 0 else {}))
    np.testing.assert_array_equal(state(whole), state(parts))
    assert counts(whole) == counts(parts)
    assert whole.cumulative_loss_ == pytest.approx(parts.cumulative_loss_)
    assert whole.dual_objective_ == pytest.approx(parts.dual_objective_)
    assert (whole.predict(X) == parts.predict(X)).all()


@pytest.mark.parametrize("conversion", CONVERSIONS)
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_steps_are_one_call(estimator, conversion):
    X, y = examples(estimator)
    whole, steps = (of_conversion(estimator, conversion) for _ in range(2))
    whole.set_params(record=True).partial_fit(X, y, **start(estimator))
    first = start(estimator)
    if first:  # announce the classes without a round
        steps.partial_fit(X[:1], y[:1], **first, sample_weight=[0.0])
    played = [steps.step(x, label) for x, label in zip(X, y, strict=True)]
    np.testing.assert_allclose(state(whole), state(steps), atol=1e-13)
    assert counts(whole) == counts(steps)
    for column in ("loss", "tau", "alpha", "c", "norm", "target", "dual", "cost"):
        np.testing.assert_allclose(
            getattr(whole.trace_, column), [getattr(r, column) for r in played], atol=1e-12
        )
    assert [r.updated for r in played] == (whole.trace_.alpha > 0).tolist()


@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_average_is_the_mean_of_all_hypotheses(estimator):
    X, y = examples(estimator)
    mean = of_conversion(estimator, "average")
    last = of_conversion(estimator, "last")
    hypotheses = []
    for i in range(len(X)):
        mean.partial_fit(X[i : i + 1], y[i : i + 1], **(start(estimator) if i == 0 else {}))
        if i == 0:
            last.partial_fit(X[:1], y[:1], **start(estimator), **{"sample_weight": [0.0]})
        # w_t depends on the c of round t, which is only set when the round begins.
        last.partial_fit(X[i : i + 1], y[i : i + 1])
        hypotheses.append(state(last))
    if type(getattr(estimator, "tuning", 1.0)) is float:
        if not isinstance(estimator, SelfTunedWinnow):
            begin = state(
                of_conversion(estimator, "last").partial_fit(
                    X[:1], y[:1], **start(estimator), sample_weight=[0.0]
                )
            )
            expected = np.mean([begin, *hypotheses[:-1]], axis=0)
            np.testing.assert_allclose(state(mean), expected, atol=1e-12)
    assert np.isfinite(state(mean)).all()


@pytest.mark.parametrize("conversion", [*CONVERSIONS, "best", "validation"])
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_seeds_and_clones(estimator, conversion):
    X, y = examples(estimator)
    model = of_conversion(estimator, conversion).set_params(epochs=1)
    first = state(model.fit(X, y))
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(first, state(again))
    np.testing.assert_array_equal(first, state(model.fit(X, y)))
    assert counts(model) == counts(again)
    other = clone(model).set_params(random_state=4).fit(X, y)
    assert not np.array_equal(first, state(other))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_csr_is_dense(estimator, dtype):
    X, y = examples(estimator)
    X = X.astype(dtype)
    dense = of_conversion(estimator, "average").partial_fit(X, y, **start(estimator))
    for sparse in (sp.csr_matrix(X), sp.csr_array(X), sp.csc_matrix(X)):
        other = of_conversion(estimator, "average").partial_fit(sparse, y, **start(estimator))
        np.testing.assert_allclose(state(dense), state(other), atol=1e-10)
        assert counts(dense) == counts(other)
        predicted = other.predict(sparse)
        if hasattr(estimator, "decision_function"):
            assert (predicted == dense.predict(X)).all()
        else:
            np.testing.assert_allclose(predicted, dense.predict(X), atol=1e-8)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name)
def test_classes_may_grow(estimator):
    X, y = examples(estimator)
    two = np.isin(y, ["a", "c"])
    model = clone(estimator).set_params(conversion="average")
    model.partial_fit(X[two], y[two])
    before = model.predict(X)
    scores = model.decision_function(X)
    known = model._run.counts.copy()
    model.partial_fit(X[:1], y[:1], classes=["b"], sample_weight=[0.0])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert (model._run.counts == known).all()
    grown = model.decision_function(X)
    if type(model._current.complexity).__name__ in ("Euclidean", "EuclideanBall"):
        np.testing.assert_allclose(grown[:, 2] - grown[:, 0], scores, atol=1e-10)
        assert (model.classes_[np.where(grown[:, 2] >= grown[:, 0], 2, 0)] == before).all()
    model.partial_fit(X, y)
    assert set(model.predict(X)) == {"a", "b", "c"}
    model.step(X[0], "d")
    assert model.decision_function(X).shape == (len(X), 4)


def test_growth_keeps_the_dual_a_lower_bound():
    X, y = examples(CLASSIFIERS[0])
    two = np.isin(y, ["a", "c"])
    model = PassiveAggressiveClassifier("pa1", C=0.5).partial_fit(X[two], y[two])
    model.partial_fit(X, y)
    W = model._run.V * model._run.scale
    primal = 2.0 * 0.5 * (W**2).sum()
    Z = np.hstack([X, np.ones((len(X), 1))])
    for rows, classes in ((two, ["a", "c"]), (slice(None), ["a", "b", "c"])):
        scores = Z[rows] @ W[[["a", "b", "c"].index(c) for c in classes]].T
        code = np.array([classes.index(c) for c in y[rows]])
        own = scores[np.arange(len(code)), code].copy()
        scores[np.arange(len(code)), code] = -np.inf
        primal += np.maximum(1.0 - own + scores.max(1), 0.0).sum()
    assert 0.0 < model.dual_objective_ <= primal


def test_one_class_is_no_loss_in_a_stream_and_an_error_in_fit():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    model = PassiveAggressiveClassifier().partial_fit(X, ["a", "a"])
    assert (model.n_rounds_, model.n_updates_, model.cumulative_loss_) == (2, 0, 0.0)
    assert model.predict(X).tolist() == ["a", "a"]
    model.partial_fit(X, ["a", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.n_rounds_ == 4
    with pytest.raises(ParameterError, match=r"y has 1 class, \['a'\]"):
        PassiveAggressiveClassifier().fit(X, ["a", "a"])


@pytest.mark.parametrize("kind", ["int64", "int8", "uint8", "bool", "U", "O", "float64"])
def test_kinds_of_labels(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(kind) if kind != "O" else np.where(X[:, 0] > 0, "x", "yy").astype("O")
    for learner in (PassiveAggressiveClassifier(), LabelRanker()):
        model = learner.set_params(epochs=5).fit(X, y)
        assert model.predict(X).dtype == y.dtype
        assert model.score(X, y) > 0.9
        assert model.step(X[0], y[0]).prediction in set(y.tolist())


def test_weights_multiply_losses():
    X, y = examples(CLASSIFIERS[0])
    for update, C in (("pa1", 0.01), ("pa2", 0.01)):
        heavy = PassiveAggressiveClassifier(update, C=3 * C).partial_fit(X, y)
        weighted = PassiveAggressiveClassifier(update, C=C)
        weighted.partial_fit(X, y, sample_weight=np.full(len(X), 3.0))
        np.testing.assert_allclose(state(heavy), state(weighted), atol=1e-12)
    weights = (np.arange(len(X)) % 2).astype(float)
    half = PassiveAggressiveClassifier(conversion="average").partial_fit(X[1::2], y[1::2])
    left_out = PassiveAggressiveClassifier(conversion="average")
    left_out.partial_fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(state(half), state(left_out), atol=1e-12)
    assert counts(half) == counts(left_out)
    with pytest.raises(ParameterError, match=r"sample_weight.shape=\(3,\)"):
        half.partial_fit(X, y, sample_weight=[1, 2, 3])
    with pytest.raises(ParameterError, match="must be finite and not negative"):
        half.partial_fit(X, y, sample_weight=np.full(len(X), -1.0))


def test_vote_counts_how_long_each_hypothesis_survived():
    X, y = examples(CLASSIFIERS[0])
    y = np.where(y == "a", 1, 0)
    model = Perceptron(conversion="vote").partial_fit(X, y)
    last = Perceptron()
    votes = np.zeros(len(X))
    for i in range(len(X)):
        if i == 0:
            last.partial_fit(X[:1], y[:1], classes=[0, 1], sample_weight=[0.0])
        votes += np.where(last.decision_function(X) >= 0, 1, -1)
        last.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_allclose(model.decision_function(X), votes / len(X), atol=1e-12)
    assert sum(n for _, n in model._votes) == len(X)


@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_zero_vectors_are_counted_and_change_nothing(estimator):
    X, y = examples(estimator)
    model = clone(estimator).set_params(fit_intercept=False)
    model.partial_fit(np.zeros((2, 5)), y[:2], **start(estimator))
    assert (model.n_rounds_, model.n_updates_) == (2, 0)
    assert np.isfinite(state(model)).all()
    model.partial_fit(X, y)
    before = state(model)
    loss = model.cumulative_loss_
    model.partial_fit(np.zeros((1, 5)), y[:1] if start(estimator) else [9.0])
    np.testing.assert_allclose(before, state(model), atol=0.2)  # c may have moved, v has not
    assert model.n_rounds_ == len(X) + 3
    assert model.cumulative_loss_ > loss


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (PassiveAggressiveClassifier("PA-3"), "update='PA-3', must be one of pa, pa1, pa2"),
        (PassiveAggressiveClassifier(C=0.0), "C=0.0, must be positive"),
        (PassiveAggressiveClassifier(margin=-1.0), "margin=-1.0, must be positive"),
        (PassiveAggressiveClassifier(conversion="mode"), "conversion='mode', must be one of"),
        (PassiveAggressiveClassifier(epochs=0), "epochs=0, must be a whole number"),
        (PassiveAggressiveClassifier(validation_fraction=1.0), "validation_fraction=1.0"),
        (PassiveAggressiveRegressor(epsilon=-0.1), "epsilon=-0.1, must be finite and not"),
        (PassiveAggressiveRegressor(conversion="vote"), "conversion='vote' is for classifiers"),
        (PassiveAggressiveUniclass(epsilon=-1.0), "epsilon=-1.0"),
        (PassiveAggressiveUniclass(epochs=1.5), "epochs=1.5"),
        (Perceptron(rate=0.0), "rate=0.0, must be positive"),
        (Perceptron(ties="never"), "ties='never'"),
        (PNormPerceptron(p=1.5), "p=1.5, must be at least 2"),
        (Winnow(margin=0.0), "margin=0.0"),
        (SelfTunedWinnow(scale="some"), "scale='some'"),
        (OnlineClassifier(loss="log"), "loss='log', must be one of hinge"),
        (OnlineClassifier(dual_step="half"), "dual_step='half'"),
        (OnlineClassifier(loss="hard", dual_step="subgradient"), "'hard' has no subgradient"),
        (OnlineClassifier(tuning=-1.0), "c=-1.0, must be positive"),
        (OnlineClassifier("cubic"), "complexity='cubic'"),
        (OnlineRegressor(tuning=SelfTuning(1.0)), "counts mistakes, which a regressor"),
        (OnlineRegressor(loss="hinge"), "loss='hinge', must be one of epsilon"),
    ],
    ids=lambda value: name(value) if not isinstance(value, str) else "",
)
def test_bad_parameters(estimator, message):
    X, y = examples(estimator)
    with pytest.raises(ParameterError, match=message):
        estimator.fit(X, y)


def test_best_and_validation_need_everything():
    X, y = examples(CLASSIFIERS[0], m=400)
    for conversion in ("best", "validation"):
        model = PassiveAggressiveClassifier(conversion=conversion, random_state=0)
        with pytest.raises(ParameterError, match="needs all examples at once"):
            model.partial_fit(X, y)
        assert model.fit(X, y).score(X, y) > 0.6
    best = PassiveAggressiveClassifier("pa", conversion="best", epochs=3, random_state=0)
    last = PassiveAggressiveClassifier("pa", epochs=3, random_state=0)
    assert best.fit(X, y).score(X, y) >= last.fit(X, y).score(X, y)


def test_overflow_is_an_error():
    X = np.full((4, 2), 1e160)
    with pytest.raises(ParameterError, match="overflowed; scale the features"):
        Perceptron().fit(X, [0, 1, 0, 1])
