"""B4: Winnow with a threshold."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from align.errors import ParameterError
from align.learners import ThresholdWinnow, threshold_winnow_bound


def test_the_slides():
    X = np.array([[0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 0]])
    y = np.array([-1, 1, 1])
    model = ThresholdWinnow(theta=2.0, beta=2.0).partial_fit(X[:1], y[:1], classes=[-1, 1])
    seen = [model.coef_[0].tolist()]
    for x, sign in zip(X[1:], y[1:], strict=True):
        model.step(x, sign)
        seen.append(model.coef_[0].tolist())
    assert seen == [[1, 1, 0.5, 0.5], [2, 1, 0.5, 1], [2, 1, 0.5, 1]]
    model = ThresholdWinnow(theta=2.0, beta=2.0)
    model.partial_fit([[0, 0, 1, 1]], [-1], classes=[-1, 1])
    seen = [model.coef_[0].tolist()]
    for x in ([1, 0, 0, 1], [0, 1, 1, 0]):
        assert model.step(x, 1).updated
        seen.append(model.coef_[0].tolist())
    assert seen == [[1, 1, 0.5, 0.5], [2, 1, 0.5, 1], [2, 2, 1, 1]]


@pytest.mark.parametrize("share", ["1", "2", "half", "d"])
@pytest.mark.parametrize("k", [1, 3])
def test_bounds_on_disjunctions(k, share):
    d = 24
    theta = {"1": 1.0, "2": 2.0, "half": d / 2, "d": float(d)}[share]
    rng = np.random.default_rng(90)
    for beta in (1.5, 2.0):
        X = (rng.random((1500, d)) < 0.15).astype(int)
        y = np.where(X[:, :k].any(axis=1), 1, -1)
        model = ThresholdWinnow(theta, beta).partial_fit(X, y, classes=[-1, 1])
        u, v = model.n_promotions_, model.n_demotions_
        bound = threshold_winnow_bound(d, theta, beta, separation=1.0, total=float(k))
        assert v <= beta * d / ((beta - 1) * theta) + beta * u
        assert model.coef_.max() <= beta * theta == bound.largest_weight
        assert u <= k * np.log(beta * theta) / np.log(beta)
        assert u <= bound.promotions
        assert v <= bound.demotions
        assert model.n_mistakes_ == u + v > 0
        constant = 8 * d / theta + (5 + 14 * np.log(theta)) * k  # Littlestone, beta = 1.5
        assert beta != 1.5 or u + v <= constant


def test_relative_separation():
    """r of k features: mu = 1 / r each, g = 1 / r."""
    rng = np.random.default_rng(91)
    d, k, r = 20, 5, 2
    X = (rng.random((2000, d)) < 0.3).astype(int)
    y = np.where(X[:, :k].sum(1) >= r, 1, -1)
    g, beta = 1 / r, 1 + 0.5 / r
    model = ThresholdWinnow(float(d), beta).partial_fit(X, y)
    bound = threshold_winnow_bound(d, d, beta, g, k / r)
    u, v = model.n_promotions_, model.n_demotions_
    assert u - (1 - g) * v <= k / r * np.log(beta * d) / np.log(beta) + 1e-9
    assert u <= bound.promotions
    assert v <= bound.demotions


def test_forms_of_input():
    rng = np.random.default_rng(92)
    X = (rng.random((200, 8)) < 0.3).astype(float)
    y = np.where(X[:, :2].any(axis=1), "yes", "no")
    model = ThresholdWinnow(random_state=0, epochs=3)
    dense, sparse = clone(model).fit(X, y), clone(model).fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)
    assert dense.score(X, y) > 0.95
    assert (sparse.predict(sp.csr_matrix(X)) == dense.predict(X)).all()
    assert dense.intercept_.tolist() == [-8.0]


def test_one_active_feature_is_promoted_and_demoted():
    model = ThresholdWinnow(theta=2.0, beta=2.0).partial_fit([[0, 0]], [0], classes=[0, 1])
    first = model.step([1, 0], 1)
    assert (first.updated, first.loss, first.tau) == (True, 1.0, pytest.approx(np.log(2)))
    right = model.step([1, 0], 1)
    assert (right.updated, right.loss, right.tau) == (False, 0.0, 0.0)
    wrong = model.step([1, 0], 0)
    assert (wrong.updated, wrong.loss, wrong.tau) == (True, 0.0, pytest.approx(-np.log(2)))
    assert model.coef_.tolist() == [[1.0, 1.0]]


def test_an_empty_example_is_negative():
    model = ThresholdWinnow().partial_fit([[0, 0], [0, 0]], [1, 0])
    assert (model.n_mistakes_, model.n_updates_) == (1, 0)
    np.testing.assert_array_equal(model.coef_, [[1.0, 1.0]])


@pytest.mark.parametrize(
    ("model", "X", "y", "message"),
    [
        (ThresholdWinnow(), [[0.5], [1]], [0, 1], "value 0.5, must be 0 or 1"),
        (ThresholdWinnow(), [[-1], [1]], [0, 1], "value -1.0, must be 0 or 1"),
        (ThresholdWinnow(), [[0], [1]], [1, 1], r"y has 1 class\(es\), must have 2"),
        (ThresholdWinnow(), [[0], [1], [1]], [0, 1, 2], r"y has 3 class\(es\)"),
        (ThresholdWinnow(theta=0.5), [[0], [1]], [0, 1], "theta=0.5, must be at least 1"),
        (ThresholdWinnow(beta=1.0), [[0], [1]], [0, 1], "beta=1.0, must be more than 1"),
        (ThresholdWinnow(epochs=0), [[0], [1]], [0, 1], "epochs=0"),
    ],
)
def test_bad_arguments(model, X, y, message):
    with pytest.raises(ParameterError, match=message):
        model.fit(X, y)


def test_bad_bounds():
    with pytest.raises(ParameterError, match=r"beta=2.0, must lie in"):
        threshold_winnow_bound(4, 4.0, 2.0, 0.5, 1.0)
    with pytest.raises(ParameterError, match=r"separation=0.0"):
        threshold_winnow_bound(4, 4.0, 2.0, 0.0, 1.0)
    with pytest.raises(ParameterError, match="label 7 was never announced"):
        ThresholdWinnow().partial_fit([[1]], [7], classes=[0, 1])


class AskedOfAll(ThresholdWinnow):
    """Says that it takes any numbers, so that scikit-learn's checks are run at all."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


NOT_BITS = (
    "check_estimators_overwrite_params",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_f_contiguous_array_estimator",
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_estimators_partial_fit_n_features",
    "check_classifiers_train",
    "check_classifier_not_supporting_multiclass",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_classifiers_one_label_sample_weights",
)


OLD = parse_version(sklearn.__version__) < parse_version("1.7")


@parametrize_with_checks([AskedOfAll()])
def test_scikit_learn_contract(estimator, check):
    """All of its checks; those whose X has other values than 0 and 1 fail for that reason only."""
    if check.func.__name__ not in NOT_BITS:
        check(estimator)
        return
    if check.func.__name__ == "check_positive_only_tag_during_fit" and OLD:
        pytest.skip("scikit-learn 1.6 subtracts a mean from integers in place")
    with pytest.raises((ValueError, AssertionError)) as failed:
        check(estimator)
    reason = failed.value
    if not isinstance(reason, ParameterError):  # which the check has put in its own words
        reason = reason.__cause__ or reason.__context__
    assert isinstance(reason, ParameterError)
    assert "must be 0 or 1" in str(reason)


def bits(m=40, d=6, seed=3):
    rng = np.random.default_rng(seed)
    X = (rng.random((m, d)) < 0.5).astype(float)
    return X, (X[:, 0] + X[:, 1] >= 1.0).astype(int)


def test_what_those_checks_would_ask():
    X, y = bits()
    model = ThresholdWinnow(theta=2.0, epochs=5, random_state=0)
    assert model.fit(X, y) is model
    assert model.get_params() == clone(model).get_params()
    weights = model.coef_
    np.testing.assert_array_equal(weights, model.fit(X, y).coef_)  # idempotent
    before = dict(vars(model))
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(model.predict(X)[order], model.predict(X[order]))
    np.testing.assert_array_equal(model.predict(X)[:7], model.predict(X[:7]))
    assert vars(model).keys() == before.keys()
    assert model.score(X, y) == 1.0
    for form in (np.asfortranarray(X), X.astype(np.int8), X.astype(bool), X.tolist()):
        np.testing.assert_array_equal(model.fit(form, y).coef_, weights)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(model.fit(frozen, y).coef_, weights)
    names = np.array(["no", "yes"])[y]
    assert set(model.fit(X, names).predict(X)) == {"no", "yes"}
    with pytest.raises(ParameterError, match="Only binary classification is supported"):
        model.fit(X, np.arange(40) % 3)
    assert model.fit(X[:, :1], X[:, 0]).n_features_in_ == 1
