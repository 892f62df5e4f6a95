"""The drop-in classes against scikit-learn's own, while it still has them."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from align.errors import ParameterError
from align.learners import compat

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    theirs = pytest.importorskip("sklearn.linear_model")

NAMES = [n for n in compat.__all__ if hasattr(theirs, n)]
pytestmark = [
    pytest.mark.skipif(not NAMES, reason="scikit-learn has removed them"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*deprecated.*:FutureWarning"),
]
CLASSIFIERS = [
    ("PassiveAggressiveClassifier", {}),
    ("PassiveAggressiveClassifier", {"C": 0.01, "average": True}),
    ("PassiveAggressiveClassifier", {"loss": "squared_hinge", "C": 0.1, "average": 50}),
    ("PassiveAggressiveClassifier", {"class_weight": "balanced", "fit_intercept": False}),
    ("PassiveAggressiveClassifier", {"class_weight": {0: 2.0, 1: 0.5}, "shuffle": False}),
    ("Perceptron", {}),
    ("Perceptron", {"eta0": 0.3, "tol": None, "max_iter": 7}),
]
REGRESSORS = [
    ("PassiveAggressiveRegressor", {}),
    ("PassiveAggressiveRegressor", {"loss": "squared_epsilon_insensitive", "C": 0.1}),
    ("PassiveAggressiveRegressor", {"C": 0.01, "average": True, "epsilon": 0.0}),
]


def both(name, params):
    params = {"random_state": 3, **params}
    return getattr(compat, name)(**params), getattr(theirs, name)(**params)


def data(k, m=150, d=7):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(m, d)) * (rng.random((m, d)) < 0.6)
    score = X @ rng.normal(size=(d, max(k, 2))) + 0.5 * rng.normal(size=(m, max(k, 2)))
    return X, score[:, 0] if k == 0 else score[:, :k].argmax(1)


def check_same(ours, other):
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, rtol=1e-8, atol=1e-9)
    assert ours.coef_.shape == other.coef_.shape
    assert (ours.n_iter_, ours.t_) == (other.n_iter_, other.t_)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_and_defaults(name):
    ours, other = getattr(compat, name)(), getattr(theirs, name)()
    assert ours.get_params() == other.get_params()
    for method in ("fit", "partial_fit"):
        expected = set(inspect.signature(getattr(other, method)).parameters)
        assert expected <= set(inspect.signature(getattr(ours, method)).parameters)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("name", "params"), CLASSIFIERS)
def test_same_coefficients(name, params, k, form):
    X, y = data(k)
    ours, other = both(name, params)
    check_same(ours.fit(form(X), y), other.fit(form(X), y))
    np.testing.assert_array_equal(ours.predict(form(X)), other.predict(form(X)))
    if params.get("class_weight") == "balanced" or params.get("average"):
        return  # refused by both; or wrong in theirs, see below
    ours, other = both(name, params)
    for part in (slice(0, 60), slice(60, 150)):
        ours.partial_fit(form(X)[part], y[part], classes=np.arange(k))
        other.partial_fit(form(X)[part], y[part], classes=np.arange(k))
    check_same(ours, other)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("average", [1, 50])
def test_average_of_a_stream_in_parts(k, average):
    """One call and many give the same mean, which is that of the hypotheses after each round."""
    X, y = data(k)
    params = {"average": average, "shuffle": False, "C": 0.05}
    whole, parts, last = (compat.PassiveAggressiveClassifier(**params) for _ in range(3))
    last.set_params(average=False)
    whole.partial_fit(X, y, classes=np.arange(k))
    seen = []
    for i in range(150):
        parts.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.arange(k))
        last.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.arange(k))
        seen.append(np.column_stack([last.coef_, last.intercept_]))
    expected = np.mean(seen[average - 1 :], axis=0)
    for model in (whole, parts):
        found = np.column_stack([model.coef_, model.intercept_])
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("name", "params"), REGRESSORS)
def test_same_regression(name, params, form):
    X, y = data(0)
    ours, other = both(name, params)
    check_same(ours.fit(form(X), y), other.fit(form(X), y))
    np.testing.assert_allclose(ours.predict(form(X)), other.predict(form(X)), rtol=1e-8)
    check_same(ours.partial_fit(form(X), y), other.partial_fit(form(X), y))


def test_warm_start_and_initial_weights():
    X, y = data(2)
    ours, other = both("PassiveAggressiveClassifier", {"warm_start": True, "max_iter": 3})
    for _ in range(2):
        check_same(ours.fit(X, y), other.fit(X, y))
    ours, other = both("PassiveAggressiveClassifier", {})
    given = {"coef_init": np.ones((1, 7)), "intercept_init": np.array([2.0])}
    check_same(ours.fit(X, y, **given), other.fit(X, y, **given))


def test_refusals():
    X, y = data(2)
    for model, message in (
        (compat.PassiveAggressiveClassifier(early_stopping=True), "early_stopping=True is not"),
        (compat.Perceptron(penalty="l2"), "penalty='l2', must be None"),
        (compat.PassiveAggressiveClassifier(loss="log"), "loss='log', must be one of hinge"),
        (compat.PassiveAggressiveRegressor(C=0.0), "C=0.0, must be positive"),
    ):
        with pytest.raises(ParameterError, match=message):
            clone(model).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Maximum number of iteration"):
        compat.PassiveAggressiveClassifier(max_iter=1).fit(X, y)


def test_save(tmp_path):
    X, y = data(4)
    model = compat.PassiveAggressiveClassifier(random_state=0).fit(X, y)
    model.save(tmp_path / "m.align")
    found = compat.PassiveAggressiveClassifier.load(tmp_path / "m.align")
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_examples_that_cannot_be_written_to_compile_nothing_more(kind):
    X, y = kind(np.random.default_rng(0).normal(size=(30, 3))), np.arange(30) % 2
    model = compat.PassiveAggressiveClassifier(random_state=0)
    expected, kernels = model.fit(X, y).coef_, len(getattr(compat._passes, "signatures", ()))
    (X if kind is np.asarray else X.data).flags.writeable = False
    np.testing.assert_array_equal(model.fit(X, y).coef_, expected)
    assert len(getattr(compat._passes, "signatures", ())) == kernels
