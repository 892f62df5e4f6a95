"""The linear pass, in both layouts of the weights, against the reference in plain Python."""

import numpy as np
import pytest
import scipy.sparse as sp

from align.learners import (
    OnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    Perceptron,
    RunningTuning,
    Winnow,
)
from align.learners.flat import _round as core
from align.learners.flat._linear import LinearRun
from align.learners.flat._link_run import LinkRun
from align.learners.flat._runs import Chunk, blocks

LEARNERS = {
    "PA-I": PassiveAggressiveClassifier("pa1", C=0.3, conversion="average"),
    "PA-II": PassiveAggressiveClassifier("pa2", C=0.3, fit_intercept=False),
    "Perceptron": Perceptron(conversion="average"),
}


def examples(d, k, share, seed=0):
    """Return examples of which a share is there, some whole and some empty, and classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, d)) * (rng.random((150, d)) < share)
    X[::7] = rng.normal(size=X[::7].shape)
    X[5] = 0.0
    X[40:50] = X[30:40]
    return X, rng.integers(k, size=150)


def learnt(estimator, X, y, monkeypatch, by_feature=None, **start):
    """Weights and facts after two calls; `by_feature` None is the reference."""
    with monkeypatch.context() as patch:
        if by_feature is None:
            patch.setattr(LinearRun, "covers", staticmethod(lambda plan: False))
            patch.setattr(LinkRun, "covers", staticmethod(lambda plan: False))
        else:
            patch.setattr(LinearRun, "_is_by_feature", lambda *_: by_feature)
        model = type(estimator)(**estimator.get_params(deep=False))
        model.partial_fit(X[:90], y[:90], **start).partial_fit(X[90:], y[90:])
    weights = np.append(model.coef_, model.intercept_)
    facts = model.n_mistakes_, model.n_updates_, model.cumulative_loss_, model.dual_objective_
    return weights, np.array(facts)


@pytest.mark.parametrize("share", [1.0, 0.97, 0.2, 0.05])
@pytest.mark.parametrize("d", [3, 16, 37])
@pytest.mark.parametrize("k", [2, 3, 8, 9, 18, 33])
def test_classes(k, d, share, monkeypatch):
    """One tile of scores and several; rows that are all there, nearly, and few of them."""
    X, y = examples(d, k, share)
    for estimator in LEARNERS.values():
        expected, facts = learnt(estimator, X, y, monkeypatch, classes=range(k))
        for form in (np.asarray, sp.csr_array):
            for by_feature in (False, True) if k > 2 else (False,):
                found = learnt(estimator, form(X), y, monkeypatch, by_feature, classes=range(k))
                np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-10)
                np.testing.assert_allclose(found[1], facts, rtol=1e-9)


@pytest.mark.parametrize("k", [5, 8, 9])
def test_sets_of_labels(k, monkeypatch):
    X, y = examples(16, k, 0.2)
    sets = np.eye(k)[y] + np.eye(k)[y[::-1]] > 0
    for estimator in LEARNERS.values():
        expected, facts = learnt(estimator, X, sets, monkeypatch)
        for by_feature in (False, True):
            found = learnt(estimator, sp.csr_array(X), sets, monkeypatch, by_feature)
            np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(found[1], facts, rtol=1e-9)


@pytest.mark.parametrize("k", [9, 10])
def test_many_weights(k, monkeypatch):
    """More than the first cache holds: four rows are scored together, and again after a step."""
    X, y = examples(400, k, 1.0)
    X += 3.0 * np.random.default_rng(1).normal(size=(k, 400))[y]  # some rounds have no loss
    X[:, ::9] = X[17] = 0.0
    sets = np.eye(k)[y] + np.eye(k)[y[::-1]] > 0
    vote = PassiveAggressiveClassifier("pa1", C=0.3, conversion="vote")
    tuned = OnlineClassifier(tuning=RunningTuning())
    for estimator in (*LEARNERS.values(), vote, tuned):
        for labels in (y, sets):
            expected, facts = learnt(estimator, X, labels, monkeypatch)
            found = learnt(estimator, X, labels, monkeypatch, False)
            np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(found[1], facts, rtol=1e-9)
            sparse = learnt(estimator, sp.csr_array(X), labels, monkeypatch, False)
            np.testing.assert_array_equal(np.append(*sparse), np.append(*found))
            assert facts[1] < 150 or labels is sets or estimator is tuned


@pytest.mark.parametrize("share", [1.0, 0.97, 0.2])
def test_numbers(share, monkeypatch):
    X, y = examples(20, 3, share)
    y = X[:, 0] + 0.3 * y
    regressor = PassiveAggressiveRegressor("pa1", C=0.3, epsilon=0.1)
    expected, facts = learnt(regressor, X, y, monkeypatch)
    for form in (np.asarray, sp.csr_array):
        found = learnt(regressor, form(X), y, monkeypatch, False)
        np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(found[1], facts, rtol=1e-9)


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_examples_of_another_kind_are_copied_in_blocks(share, monkeypatch):
    """Single precision, memory that cannot be written, wide indices: the same bits."""
    monkeypatch.setattr("align.learners.flat._runs._BLOCK", 20 * 37)  # several blocks
    X, y = examples(20, 3, share)
    X = X.astype(np.float32).astype(np.float64)
    sealed, wide = X.copy(), sp.csr_array(X)
    sealed.flags.writeable = False
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for estimator in (*LEARNERS.values(), Winnow(), PassiveAggressiveUniclass()):
        model = type(estimator)(**estimator.get_params(deep=False))
        for plain, others in (
            (X, (X.astype(np.float32), sealed)),
            (sp.csr_array(X), (sp.csr_array(X.astype(np.float32)), wide)),
        ):
            weights = []
            for form in (plain, *others):
                model.set_params(random_state=0).fit(form, y)
                weights.append(model.center_ if hasattr(model, "center_") else model.coef_)
            # Copied rows of CSR are scored by class, and others by feature.
            np.testing.assert_allclose(weights[1], weights[0], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(weights[2], weights[0], rtol=1e-9, atol=1e-12)
    chunk = Chunk(sealed, y, np.zeros((0, 3), dtype=bool), np.arange(150.0), np.arange(150))
    parts = list(blocks(chunk, np.arange(149, -1, -1)))
    assert len(parts) == 5
    np.testing.assert_array_equal(np.concatenate([part.X for part in parts]), X[::-1])
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]), y[::-1])
    np.testing.assert_array_equal(
        np.concatenate([part.weights for part in parts]), np.arange(149.0, -1.0, -1.0)
    )


def test_a_full_matrix_with_room_behind_its_entries():
    X, y = np.arange(1.0, 13.0).reshape(4, 3), [0, 1, 0, 1]
    roomy = sp.csr_array(X)
    roomy.data, roomy.indices = np.append(roomy.data, 7.0), np.append(roomy.indices, np.int32(0))
    expected = PassiveAggressiveClassifier().partial_fit(X, y)
    found = PassiveAggressiveClassifier().partial_fit(roomy, np.array(y))
    np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_ties_go_to_the_first_class(monkeypatch):
    """Scores that are exactly equal: of the wrong classes, the first moves."""
    X, y = np.ones((1, 20)), np.array([1])
    for form in (np.asarray, lambda X: sp.csr_array(np.where(np.arange(20) < 4, X, 0.0))):
        model = PassiveAggressiveClassifier("pa1", fit_intercept=False)
        model.partial_fit(form(X), y, classes=range(4))
        assert (model.coef_[:, 0] < 0).tolist() == [True, False, False, False]
        assert model.n_mistakes_ == 1  # the prediction was the first class
        first = PassiveAggressiveClassifier("pa1", fit_intercept=False)
        assert first.partial_fit(form(X), [0], classes=range(4)).n_mistakes_ == 0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_weights_are_the_steps_that_were_recorded(k):
    X, y = examples(6, k, 0.7)
    model = PassiveAggressiveClassifier(fit_intercept=False, shuffle=False, record=True)
    model.partial_fit(X, y, classes=range(k))
    moved = model.trace_.alpha @ model.trace_.directions
    np.testing.assert_allclose(moved, model.coef_.ravel(), atol=1e-12)
    assert model.n_updates_ > 50


def test_growth_knows_the_norm_and_the_gain_of_what_there_is():
    """From one score of two classes to two half as large each; further classes change nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60)
    model = PassiveAggressiveClassifier("pa1", C=0.5).partial_fit(X, y)
    gain = model._run.sums[core.GAIN]
    for known, share in (([2], 0.5), ([3, 4], 0.5)):
        model.partial_fit(X[:1], y[:1], classes=known, sample_weight=[0.0])
        run = model._run
        assert run.sums[core.SQUARE] == pytest.approx((run.V**2).sum())
        assert run.sums[core.GAIN] == pytest.approx(share * gain)


def test_the_mean_is_that_of_the_hypotheses_before_each_round():
    X, y = np.eye(3), [1, 0, 1]
    model = PassiveAggressiveClassifier(conversion="average", fit_intercept=False)
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    assert model.coef_.tolist() == [[0.0, 0.0, 0.0]]  # that before the first round, and no other
    model.partial_fit(X[1:], y[1:])
    np.testing.assert_allclose(model.coef_, [[2 / 3, -1 / 3, 0.0]])
    run = LinearRun(model._current, 1, 3, bias=0.0, average=True)
    assert run.mean().tolist() == [[0.0, 0.0, 0.0, 0.0]]  # of no round, that it begins with
