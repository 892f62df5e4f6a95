"""Iterative parameter mixing of flat classifiers."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from mixing_problems import separable

from align.errors import ParameterError
from align.learners import (
    MixedClassifier,
    OnlineClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    QNorm,
    SelfTunedWinnow,
    SelfTuning,
)


def examples(k, m=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 5)) * (rng.random((m, 5)) < 0.6)
    return X, (X @ rng.normal(size=(k, 5)).T + 0.5 * rng.normal(size=(m, k))).argmax(1)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("conversion", ["last", "average"])
@pytest.mark.parametrize(
    "estimator",
    [
        PassiveAggressiveClassifier("pa1", C=0.2),
        PassiveAggressiveClassifier("pa"),
        PassiveAggressiveClassifier("pa2", C=2.0),
        Perceptron(),
    ],
    ids=repr,
)
def test_one_shard_is_the_classifier_itself(estimator, conversion, k):
    X, y = examples(k)
    estimator.set_params(conversion=conversion, epochs=3, shuffle=False)
    mixed = MixedClassifier(estimator, 1).fit(X, y)
    estimator.fit(X, y)
    np.testing.assert_allclose(mixed.coef_, estimator.coef_, atol=1e-10)
    np.testing.assert_allclose(mixed.intercept_, estimator.intercept_, atol=1e-10)
    assert mixed.n_updates_ == estimator.n_updates_
    assert (mixed.predict(X) == estimator.predict(X)).all()


@pytest.mark.parametrize("mix", ["uniform", "updates"])
def test_one_epoch_is_the_mixture_of_parts_learned_alone(mix):
    X, y = examples(3)
    base = PassiveAggressiveClassifier("pa1", C=0.2, shuffle=False)
    mixed = MixedClassifier(base, 3, mix=mix).fit(X, y)
    parts = [
        PassiveAggressiveClassifier("pa1", C=0.2).partial_fit(X[p], y[p], classes=[0, 1, 2])
        for p in np.array_split(np.arange(len(X)), 3)
    ]
    updates = np.array([part.n_updates_ for part in parts])
    mu = updates / updates.sum() if mix == "updates" else np.full(3, 1 / 3)
    expected = sum(m * part.coef_ for m, part in zip(mu, parts, strict=True))
    np.testing.assert_allclose(mixed.coef_, expected, atol=1e-12)
    np.testing.assert_allclose(mixed.epochs_[0].weights, mu)


@pytest.mark.parametrize("mix", ["uniform", "updates"])
@pytest.mark.parametrize("n_shards", [1, 4, 13])
def test_theorem_3_bounds_the_mixed_updates_of_two_classes(n_shards, mix):
    xs, ys, u = separable(5, m=80, k=2, margin=0.3)
    X, y = np.array(xs), np.array(ys)
    u = u[4:] - u[:4]
    signs = np.where(y == 1, 1.0, -1.0)
    margin = (signs * (X @ u)).min() / np.linalg.norm(u)
    base = Perceptron(fit_intercept=False, epochs=30)
    mixed = MixedClassifier(base, n_shards, mix=mix, random_state=0).fit(X, y)
    assert mixed.mixed_updates_ <= (np.linalg.norm(X, axis=1).max() / margin) ** 2
    assert (mixed.predict(X) == y).all()


def test_rows_may_be_sparse_and_shards_may_run_anywhere():
    X, y = examples(3)
    base = PassiveAggressiveClassifier(C=0.1, epochs=2, conversion="average")
    expected = MixedClassifier(base, random_state=4).fit(X, y)
    for rows, backend in ((sp.csr_matrix(X), "threading"), (X, "loky"), (X, "threading")):
        with joblib.parallel_config(backend, n_jobs=2):
            found = MixedClassifier(base, random_state=4).fit(rows, y)
        np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-12)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MixedClassifier(n_shards=0), "n_shards=0"),
        (MixedClassifier(mix="all"), "mix='all', must be one of"),
        (MixedClassifier(PassiveAggressiveClassifier(conversion="vote")), "conversion='vote'"),
        (MixedClassifier(PassiveAggressiveClassifier(record=True)), "record=True"),
        (MixedClassifier(PassiveAggressiveClassifier(epochs=0)), "epochs=0"),
        (MixedClassifier(SelfTunedWinnow()), "SelfTunedWinnow cannot be mixed"),
        (MixedClassifier(OnlineClassifier(QNorm(3.0))), "OnlineClassifier cannot be mixed"),
        (MixedClassifier(OnlineClassifier(tuning=SelfTuning(2.0))), "cannot be mixed"),
        (MixedClassifier("pa"), "estimator=str is no flat classifier"),
    ],
    ids=str,
)
def test_what_cannot_be_mixed_is_said(model, message):
    X, y = examples(2)
    with pytest.raises(ParameterError, match=message):
        model.fit(X, y)


def test_one_class_is_said():
    with pytest.raises(ParameterError, match="y has 1 class"):
        MixedClassifier().fit(np.eye(3), ["a", "a", "a"])
