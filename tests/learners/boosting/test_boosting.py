"""F1 to F3: boosting as a primal-dual game, and its stumps."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from learners.naive import best_stump_edge
from sklearn.linear_model import RidgeClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from align.errors import ParameterError
from align.learners import AdaBoost, StumpSearch, hinge_step_entropy

VARIANTS = ["known-edge", "uncapped", "capped", "gentle"]


def two_labels(estimator, y):
    """Make two labels of three; scikit-learn 1.6 takes those that shuffled examples begin with."""
    return np.where(y == y.min(), y, y.min() + 1)


@pytest.fixture
def noisy():
    rng = np.random.default_rng(51)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.7 * rng.normal(size=60) > 0, 1, -1)
    return X, y


@given(st.integers(0, 10**6), st.booleans())
def test_stumps_against_enumeration(seed, whole):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(1, 12), 3))
    X = np.round(X) if whole else X * (rng.random(X.shape) < 0.6)
    signed = rng.dirichlet(np.ones(len(X))) * rng.choice([-1, 1], len(X))
    for data in (X, sp.csr_matrix(X)):
        stump, edge = StumpSearch(data).best(signed)
        np.testing.assert_allclose(edge, best_stump_edge(X, signed), atol=1e-11)
        np.testing.assert_allclose(signed @ stump.predict(X), edge, atol=1e-12)
    assert StumpSearch(X).best(signed)[0] == StumpSearch(sp.csr_matrix(X)).best(signed)[0]


def test_stump_thresholds_split_neighbouring_floats():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    stump, edge = StumpSearch(X).best(np.array([-0.5, 0.5]))
    assert edge == 1.0
    np.testing.assert_array_equal(stump.predict(X), [-1, 1])
    stump, edge = StumpSearch(np.array([[-1e308], [1e308]])).best(np.array([-0.5, 0.5]))
    assert np.isfinite(stump.threshold)


def test_golden_vote():
    """Y14: an error of .3 votes .42364893 and leaves Z = .91651514."""
    X = np.arange(10.0)[:, None]
    y = np.where(np.arange(10) >= 5, 1, -1)
    y[[0, 7, 9]] *= -1  # with the constant and the best threshold, three errors of ten remain
    model = AdaBoost(n_estimators=1).fit(X, y)
    np.testing.assert_allclose(model.edges_, 0.4, atol=1e-12)
    np.testing.assert_allclose(model.estimator_weights_, 0.42364893, atol=1e-8)
    np.testing.assert_allclose(model.training_losses_, 0.91651514, atol=1e-8)


def test_product_identity(noisy):
    model = AdaBoost(30).fit(*noisy)
    error = (1 - model.edges_) / 2
    np.testing.assert_allclose(
        model.training_losses_, np.cumprod(2 * np.sqrt(error * (1 - error))), rtol=1e-9
    )
    np.testing.assert_allclose(model.estimator_weights_, 0.5 * np.log((1 - error) / error))


@pytest.mark.parametrize("variant", VARIANTS)
def test_bounds(noisy, variant):
    X, y = noisy
    T = 25
    free = AdaBoost(T).fit(X, y)
    g = free.edges_.min() / 2 if variant in ("known-edge", "capped") else 0.1
    model = AdaBoost(T, variant=variant, edge=g).fit(X, y)
    H = model.decision_function(X)
    np.testing.assert_allclose(np.exp(-y * H).mean(), model.training_losses_[-1], rtol=1e-9)
    assert (model.predict(X) != y).mean() <= model.training_losses_[-1]
    assert (np.diff(model.dual_objective_) >= -1e-12).all()
    for t in range(1, len(model.edges_) + 1):
        loss = model.training_losses_[t - 1]
        assert loss <= model.loss_bound(t) * (1 + 1e-9) + 1e-9
        if variant in ("uncapped", "gentle"):
            np.testing.assert_allclose(
                model.loss_bound(t), np.exp(-(model.edges_[:t] ** 2).sum() / 2)
            )
        elif (model.edges_[:t] >= 2 * g).all():
            assert loss <= np.exp(-2 * g * g * t) * (1 + 1e-9)
    if variant == "known-edge":
        np.testing.assert_array_equal(model.estimator_weights_, 2 * g)
    if variant == "capped":
        assert (model.estimator_weights_ <= 2 * g).all()
    if variant == "gentle":
        np.testing.assert_array_equal(model.estimator_weights_, model.edges_)


def test_known_edge_meets_its_bound_while_the_edge_lasts(noisy):
    """F1: L <= exp(-2 g^2 T) with a g that every round honours."""
    X, y = noisy
    for g in (0.02, 0.05):
        for variant in ("known-edge", "capped"):
            model = AdaBoost(12, variant=variant, edge=g).fit(X, y)
            assert (model.edges_ >= 2 * g).all()
            assert model.training_losses_[-1] <= np.exp(-2 * g * g * 12)


def test_vote_is_the_entropic_step(noisy):
    """W20: the vote is E5 with margin 0 and d = -b, divided by c."""
    X, y = noisy
    model = AdaBoost(10).fit(X, y)
    log_weight = np.zeros(len(y))
    for alpha, h in zip(model.estimator_weights_, model.estimators_, strict=True):
        b = y * h.predict(X)
        for c in (0.2, 1.0, 3.0):
            step = hinge_step_entropy(c * log_weight, -b, c, 0.0, upper=np.inf)
            np.testing.assert_allclose(step / c, alpha, rtol=1e-12)
        weight = np.exp(log_weight) / np.exp(log_weight).sum()
        after = weight * np.exp(-alpha * b)
        log_weight = log_weight - alpha * b
        np.testing.assert_allclose(
            after / after.sum(), np.exp(log_weight) / np.exp(log_weight).sum()
        )


def test_a_large_cap_is_no_cap(noisy):
    """Capped with c -> 0 is uncapped; 1/c is at most 1 here, beyond every vote."""
    free = AdaBoost(15).fit(*noisy)
    assert free.estimator_weights_.max() < 1.0
    capped = AdaBoost(15, variant="capped", edge=0.5).fit(*noisy)
    np.testing.assert_array_equal(free.estimator_weights_, capped.estimator_weights_)


def test_abstaining_and_real_answers(noisy):
    X, y = noisy

    class Cautious(DecisionTreeClassifier):
        def predict(self, X):
            return np.where(np.abs(X[:, 0]) < 0.5, 0.0, super().predict(X))

    model = AdaBoost(1, estimator=Cautious(max_depth=1)).fit(X, y)
    b = y * model.estimators_[0].predict(X)
    up, down = (b == 1).mean(), (b == -1).mean()
    np.testing.assert_allclose(model.estimator_weights_, 0.5 * np.log(up / down))
    real = AdaBoost(20, estimator=DecisionTreeRegressor(max_depth=1)).fit(X, y)
    assert (
        (np.abs(real.estimators_[0].predict(X)) < 1) & (real.estimators_[0].predict(X) != 0)
    ).any()
    for t in range(1, 21):
        assert real.training_losses_[t - 1] <= real.loss_bound(t) * (1 + 1e-9)
    # The vote is the best: L is stationary in the last vote.
    H = real.decision_function(X)
    last = real.estimators_[-1].predict(X)
    np.testing.assert_allclose((np.exp(-y * H) * y * last).sum(), 0, atol=1e-9)


def test_a_weak_learner_sees_weights_of_mean_one(noisy):
    seen = []

    class Watched(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    AdaBoost(3, estimator=Watched(max_depth=1)).fit(*noisy)
    assert len(seen) == 3
    np.testing.assert_allclose(np.mean(seen, axis=1), 1.0)
    assert np.ptp(seen[-1]) > 0.1


def test_trees_of_depth_one_do_as_well_as_stumps(noisy):
    mine = AdaBoost(10).fit(*noisy)
    trees = AdaBoost(10, estimator=DecisionTreeClassifier(max_depth=1), random_state=0).fit(*noisy)
    # A tree splits by impurity, a stump by error: the stump's edge is never smaller in round one.
    assert mine.edges_[0] >= trees.edges_[0] - 1e-12


def test_perfect_hypothesis_stops(noisy):
    X = np.array([[0.0], [1.0], [2.0]])
    model = AdaBoost(50).fit(X, [0, 1, 1])
    assert len(model.estimators_) == 1
    np.testing.assert_allclose(model.estimator_weights_, np.log(1e12) / 2)
    np.testing.assert_array_equal(model.predict(X), [0, 1, 1])
    short = AdaBoost(50, max_step=0.2).fit(X, [0, 1, 1])
    assert short.estimator_weights_[0] == 0.2
    assert short.training_losses_[-1] <= short.loss_bound() <= np.exp(0.02 - 0.2)


def test_no_edge_stops_without_a_flip():
    X = np.zeros((4, 1))
    model = AdaBoost().fit(X, [0, 1, 0, 1])
    assert model.estimators_ == []
    np.testing.assert_array_equal(model.predict(X), 1)  # a tie is the second class
    assert model.loss_bound() == 1.0


def test_unbalanced_constant_features_vote_for_the_larger_class():
    model = AdaBoost().fit(np.zeros((4, 1)), [0, 0, 0, 1])
    np.testing.assert_array_equal(model.predict(np.ones((2, 1))), 0)


def test_dense_and_sparse_agree(noisy):
    X, y = noisy
    X = X * (np.abs(X) > 0.6)
    dense, sparse = AdaBoost(15).fit(X, y), AdaBoost(15).fit(sp.csr_matrix(X), y)
    assert dense.estimators_ == sparse.estimators_
    np.testing.assert_allclose(
        dense.decision_function(X), sparse.decision_function(sp.csr_matrix(X)), rtol=1e-9
    )


def test_stages(noisy):
    X, y = noisy
    model = AdaBoost(8).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == 8
    np.testing.assert_array_equal(stages[-1], model.decision_function(X))
    for loss, H in zip(model.training_losses_, stages, strict=True):
        np.testing.assert_allclose(np.exp(-y * H).mean(), loss, rtol=1e-9)


def test_sample_weight_is_the_prior(noisy):
    X, y = noisy
    weight = np.random.default_rng(52).integers(0, 3, len(y))
    weighted = AdaBoost(10).fit(X, y, sample_weight=weight)
    repeated = AdaBoost(10).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=1e-9
    )


class Loud(DecisionTreeRegressor):
    """A weak learner that answers outside [-1, 1]."""

    def predict(self, X):
        return 2 * super().predict(X)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"variant": "bold"}, "variant='bold', must be one of known-edge"),
        ({"n_estimators": 0}, "n_estimators=0, must be a whole number, at least 1"),
        ({"edge": 0.51}, r"edge=0.51, must lie in \(0, 0.5\]"),
        ({"max_step": np.inf}, "max_step=inf, must be positive and finite"),
        ({"estimator": Loud()}, r"must lie in \[-1, 1\]"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        AdaBoost(**params).fit([[0.0], [1.0]], [0, 1])


def test_bad_data():
    X = np.array([[0.0], [1.0], [2.0]])
    with pytest.raises(ParameterError, match="Only binary classification"):
        AdaBoost().fit(X, [0, 1, 2])
    with pytest.raises(ParameterError, match="must have 2 classes"):
        AdaBoost().fit(X, [1, 1, 1])
    with pytest.raises(ParameterError, match="must have 2 classes"):
        AdaBoost().fit(X, [1, 1, 2], sample_weight=[1, 1, 0])
    with pytest.raises(ValueError, match="every sample_weight is zero"):
        AdaBoost().fit(X, [1, 1, 2], sample_weight=[0, 0, 0])

    with pytest.raises(ParameterError, match="sample_weight must be finite and not negative"):
        AdaBoost().fit(X, [1, 1, 2], sample_weight=[1, -1, 1])

    class Unweighted(RidgeClassifier):
        def fit(self, X, y):
            return super().fit(X, y)

    with pytest.raises(ParameterError, match="must accept sample_weight"):
        AdaBoost(estimator=Unweighted()).fit(X, [0, 1, 1])
