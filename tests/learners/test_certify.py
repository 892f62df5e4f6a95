"""Certificates of kernel learners, ellipsoids and label rankers."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import (
    CELLIP,
    IELLIP,
    KernelPA,
    KernelPARegressor,
    LabelRanker,
    PassiveAggressiveClassifier,
    SelfTuning,
    certify_run,
)


def noisy(seed, k, m=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 4))
    return X, (X @ rng.normal(size=(4, k)) + 0.5 * rng.normal(size=(m, k))).argmax(axis=1)


# Kernels -------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("update", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("kernel", ["linear", "gaussian", "polynomial"])
def test_a_kernel_learner_is_certified_as_it_runs(kernel, update, k):
    for seed in range(3):
        X, y = noisy(seed, k)
        model = KernelPA(kernel, update=update, C=0.1)
        found, played = model.certify(X, y), KernelPA(**model.get_params()).partial_fit(X, y)
        assert found.mistakes == played.n_mistakes_
        assert found.loss == pytest.approx(played.cumulative_loss_)
        assert found.bound.holds
        assert found.mistakes <= found.mistake_bound
        assert set(found.risk_bounds) == {"Thm 13", "Hoeffding"}  # of the mean


def test_with_the_linear_kernel_it_is_the_certificate_of_the_flat_learner():
    X, y = noisy(0, 3)
    flat = PassiveAggressiveClassifier(C=0.1, fit_intercept=False).certify(X, y)
    for data in (X, sp.csr_array(X)):
        found = KernelPA("linear", C=0.1, average=False).certify(data, y)
        assert found.mistakes == flat.mistakes
        assert found.mistake_bound == pytest.approx(flat.mistake_bound, rel=1e-6)
        assert found.regret_bound == pytest.approx(flat.regret_bound, rel=1e-6)


def test_explicit_features_have_the_inner_products_of_the_kernel():
    X, _ = noisy(1, 2)
    vectors = KernelPA(sigma=1.5).explicit_features(X)
    gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2.0 * 1.5**2))
    np.testing.assert_allclose(vectors @ vectors.T, gram, atol=1e-9)


def test_numbers_with_a_kernel():
    X, _ = noisy(2, 2)
    model = KernelPARegressor(update="pa2", epsilon=0.05)
    y = np.sin(2.0 * X[:, 0])
    found, played = certify_run(model, X, y), KernelPARegressor(**model.get_params())
    assert found.loss == pytest.approx(played.partial_fit(X, y).cumulative_loss_)
    assert found.bound.bound == "PA-II"
    assert found.bound.holds


@pytest.mark.parametrize(
    ("model", "n", "words"),
    [
        (KernelPA(budget=20), 30, "budget=20, must be None"),
        (KernelPA(lambda a, b: -(a @ b.T)), 30, "must have none below 0"),
        (KernelPA(C=-1.0), 30, "C=-1.0, must be positive"),
        (KernelPA(), 3001, "X has 3001 examples, must have at most 3000"),
    ],
    ids=["budget", "kernel", "C", "size"],
)
def test_what_no_kernel_learner_is_certified_with(model, n, words):
    X = np.ones((n, 2)) + np.arange(n)[:, None]
    with pytest.raises(ParameterError, match=words):
        model.certify(X, np.arange(n) % 2)


# Ellipsoids ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [16, 64])
def test_the_bound_of_cellip_bites_on_unit_vectors(n):
    """Each is at a right angle to all before: whoever knows the margin errs on each."""
    X, y = np.eye(n), np.arange(n) % 2
    model = CELLIP(gamma=n**-0.5, a=0.95, normalize=None, fit_intercept=False)
    found = model.certify(X, y)
    print(f"\n{found}")
    assert found.bound.bound == "Thm 3, sharper"
    assert found.mistakes == n
    assert n <= found.mistake_bound < 1.2 * n
    assert found.bites
    too_wide = CELLIP(gamma=1.1 * n**-0.5, a=0.95, normalize=None, fit_intercept=False)
    assert np.isinf(too_wide.certify(X, y).mistake_bound)  # no vector has that margin


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("normalize", ["unit", "max"])
def test_the_bound_of_iellip_holds(k, normalize):
    for seed in range(4):
        X, y = noisy(seed, k)
        model = IELLIP(gamma=0.2, c=0.2, normalize=normalize)
        found, played = model.certify(X, y), IELLIP(**model.get_params())
        played.partial_fit(X, y, classes=range(k))
        assert (found.mistakes, found.rounds) == (played.n_mistakes_, 120)
        assert found.loss == pytest.approx(played.cumulative_loss_)
        assert found.bound.bound == "Thm 4, corrected"
        assert found.mistakes <= found.mistake_bound < np.inf
        assert bool(found.risk_bounds) == (normalize == "unit")
        sparse = model.certify(sp.csr_array(X), y)
        assert sparse.mistake_bound == pytest.approx(found.mistake_bound)
    assert IELLIP(gamma=0.1, c=0.5).certify(X, y).bound is None  # no bound holds for such a c


def test_label_sets_of_ellipsoids():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = (X @ rng.normal(size=(4, 4)) > 0.3).astype(int)
    found = IELLIP(gamma=0.1).certify(X, Y)
    assert found.mistakes == IELLIP(gamma=0.1).partial_fit(X, Y).n_mistakes_
    assert found.mistakes <= found.mistake_bound


# Label rankers -------------------------------------------------------------------------------


@pytest.mark.parametrize("update", ["conservative", "aggressive", "optimal"])
@pytest.mark.parametrize("complexity", ["euclidean", "entropy"])
def test_bounds_of_label_rankers(complexity, update):
    for seed in range(3):
        X, y = noisy(seed, 3)
        for c in (0.5, 5.0, SelfTuning(2.0)):
            model = LabelRanker(complexity, update, c=c, average=True)
            found = model.certify(X, y)
            played = clone(model).start(4, range(3)).partial_fit(X, y)
            assert found.mistakes == played.n_mistakes_
            assert found.loss == pytest.approx(played.cumulative_loss_)
            assert found.mistakes <= found.mistake_bound
            assert found.regret <= found.regret_bound * (1.0 + 1e-9)
            assert set(found.risk_bounds) == {"Thm 13", "Hoeffding"}


def test_a_conservative_ranker_wins_nothing_from_coins():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(3, size=300)
    for c in (0.5, 5.0, 50.0):
        assert LabelRanker(update="conservative", c=c).certify(X, y).vacuous


def test_label_sets_of_rankers_are_certified():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = (X @ rng.normal(size=(4, 4)) > 0.3).astype(int)
    found = LabelRanker(c=2.0).certify(X, Y)
    assert found.mistakes == LabelRanker(c=2.0).partial_fit(X, Y).n_mistakes_
    assert found.mistakes <= found.mistake_bound


@pytest.mark.parametrize("model", [KernelPA(), CELLIP(), LabelRanker()], ids=repr)
def test_delta_is_checked_and_nothing_is_learned(model):
    X, y = noisy(0, 2, m=20)
    with pytest.raises(ParameterError, match=r"delta=0.0, must lie in \(0, 1\)"):
        model.certify(X, y, delta=0.0)
    model.certify(X, y)
    assert not hasattr(model, "classes_")
