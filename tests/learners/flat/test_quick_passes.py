"""The quick passes against the rounds that every plan can be played with."""

import numpy as np
import pytest
import scipy.sparse as sp

from align.learners import PassiveAggressiveClassifier, PassiveAggressiveRegressor, Perceptron
from align.learners.flat._linear import LinearRun

LEARNERS = {
    "PA-I": PassiveAggressiveClassifier("PA-I", C=0.3, conversion="average"),
    "PA-II": PassiveAggressiveClassifier("PA-II", C=0.3, fit_intercept=False),
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


def both(estimator, X, y, monkeypatch, **start):
    """Return the weights and counts of a quick pass in two calls, and of plain rounds."""
    found = []
    for quick in (True, False):
        with monkeypatch.context() as patch:
            if not quick:
                patch.setattr(LinearRun, "_is_quick", lambda *args: False)
            model = type(estimator)(**estimator.get_params())
            model.partial_fit(X[:90], y[:90], **start).partial_fit(X[90:], y[90:])
        weights = np.append(model.coef_, model.intercept_)
        facts = model.n_mistakes_, model.n_updates_, model.cumulative_loss_, model.dual_objective_
        found.append((weights, np.array(facts)))
    return found


@pytest.mark.parametrize("share", [1.0, 0.97, 0.2])
@pytest.mark.parametrize("d", [3, 15, 16, 37])
@pytest.mark.parametrize("k", [2, 3, 8, 15, 18, 27])
def test_classes(k, d, share, monkeypatch):
    """Every width of a vector of scores; rows of few features, all there, nearly, few of them."""
    X, y = examples(d, k, share)
    for estimator in LEARNERS.values():
        for form in (np.asarray, sp.csr_array):
            (quick, facts), (plain, expected) = both(
                estimator, form(X), y, monkeypatch, classes=range(k)
            )
            np.testing.assert_allclose(quick, plain, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(facts, expected, rtol=1e-9)


@pytest.mark.parametrize("share", [1.0, 0.97, 0.2])
def test_numbers_and_single_precision(share, monkeypatch):
    X, y = examples(20, 3, share)
    y = X[:, 0] + 0.3 * y
    for form in (np.asarray, sp.csr_array):
        for dtype in (np.float64, np.float32):
            regressor = PassiveAggressiveRegressor("PA-I", C=0.3, epsilon=0.1)
            (quick, facts), (plain, expected) = both(
                regressor, form(X.astype(dtype)), y, monkeypatch
            )
            # float32 rows are summed in single precision by numpy's rules, in another order.
            tolerance = 1e-9 if dtype is np.float64 else 1e-3
            np.testing.assert_allclose(quick, plain, rtol=tolerance, atol=tolerance)
            np.testing.assert_allclose(facts[:2], expected[:2], atol=2)


def test_ties_go_to_the_first_class(monkeypatch):
    """Scores that are exactly equal: of the wrong classes, the first moves."""
    X, y = np.ones((1, 20)), np.array([1])
    for form in (np.asarray, lambda X: sp.csr_array(np.where(np.arange(20) < 4, X, 0.0))):
        model = PassiveAggressiveClassifier("PA-I", fit_intercept=False)
        model.partial_fit(form(X), y, classes=range(4))
        assert (model.coef_[:, 0] < 0).tolist() == [True, False, False, False]
        assert model.n_mistakes_ == 1  # the prediction was the first class
        first = PassiveAggressiveClassifier("PA-I", fit_intercept=False)
        assert first.partial_fit(form(X), [0], classes=range(4)).n_mistakes_ == 0
