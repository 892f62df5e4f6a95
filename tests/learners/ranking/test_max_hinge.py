"""E8: the worst of many hinges."""

import numpy as np
import pytest
from learners.naive import max_hinge_figure, max_hinge_optimum

from align.errors import ParameterError
from align.learners import hinge_step_euclidean, max_hinge_bound, max_hinge_step
from align.learners.ranking import sopopo


def draw(rng):
    k, n = rng.integers(2, 9), rng.integers(1, 7)
    return rng.normal(size=(k, n)), rng.normal(size=k) + 0.7, rng.choice([0.3, 1.0, 5.0])


def phi(a, gamma, c, z):
    return c * z @ z / 2 + max((gamma - a @ z).max(), 0)


def dual(a, gamma, c, alpha):
    move = alpha @ a
    return alpha @ gamma - move @ move / (2 * c)


@pytest.mark.parametrize("n_iter", [10, 100, 2000])
def test_gap_is_within_its_bound(n_iter):
    """W18."""
    rng = np.random.default_rng(41)
    for _ in range(25):
        a, gamma, c = draw(rng)
        step = max_hinge_step(a, gamma, c, max_iter=n_iter)
        z = step.alpha @ a / c
        assert (step.alpha >= 0).all()
        assert step.alpha.sum() <= 1 + 1e-12
        excess = phi(a, gamma, c, z) - max_hinge_optimum(a, gamma, c)
        assert excess >= -1e-7
        assert excess <= max_hinge_bound(a, gamma, c, n_iter) * (1 + 1e-9) + 1e-7
        assert step.gap >= excess - 1e-7  # the certificate


def check_both_properties(a, gamma, c, n_iter):
    """Assert the bound, and that the dual is at least that of the single step."""
    step = max_hinge_step(a, gamma, c, max_iter=n_iter)
    assert (step.alpha >= 0).all()
    assert step.alpha.sum() <= 1 + 1e-12
    excess = phi(a, gamma, c, step.alpha @ a / c) - max_hinge_optimum(a, gamma, c)
    assert excess <= max_hinge_bound(a, gamma, c, n_iter) * (1 + 1e-9) + 1e-7
    worst = gamma.argmax()
    single = np.zeros(len(gamma))
    single[worst] = hinge_step_euclidean(np.zeros(a.shape[1]), a[worst], gamma[worst], c)
    assert dual(a, gamma, c, step.alpha) >= dual(a, gamma, c, single) - 1e-12
    return step


def test_small_losses_keep_the_bound_too():
    """The problem has no scale: gamma and a smaller by s make the minimum smaller by s."""
    rng = np.random.default_rng(44)
    for _ in range(40):
        a, gamma, c = draw(rng)
        for s in (1e-2, 1e-4):
            step = max_hinge_step(s * a, s * gamma, s * c, max_iter=2000)
            z = step.alpha @ (s * a) / (s * c)
            excess = phi(s * a, s * gamma, s * c, z) - s * max_hinge_optimum(a, gamma, c)
            assert excess <= max_hinge_bound(s * a, s * gamma, s * c, 2000) * (1 + 1e-9) + 1e-7 * s


def test_single_hinge_does_not_break_the_bound():
    """Its move makes the other hinge the worst: phi there was .232 above the minimum, not .060."""
    a, gamma = np.array([[-1.6, -1.8], [0.0, 0.2]]), np.array([-0.7, 0.4])
    step = check_both_properties(a, gamma, 0.3, 2000)
    assert np.count_nonzero(step.alpha) == 2


@pytest.mark.parametrize("seed", range(20))
def test_bound_over_many_seeds(seed):
    """A short worst direction and long ones that its move makes worse."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        k, n = rng.integers(2, 6), rng.integers(1, 4)
        a = rng.normal(size=(k, n)) * rng.choice([0.1, 0.3, 2.0], size=(k, 1))
        gamma = rng.normal(size=k) - 0.3
        gamma[rng.integers(k)] = 0.4
        for n_iter in (30, 500, 4000):
            check_both_properties(a, gamma, rng.choice([0.1, 0.3, 1.0]), n_iter)


def test_is_the_figure():
    rng = np.random.default_rng(42)
    same = 0
    for _ in range(30):
        a, gamma, c = draw(rng)
        z, alpha = max_hinge_figure(a, gamma, c, 60)
        np.testing.assert_allclose(z, alpha @ a / c, atol=1e-12)
        step = max_hinge_step(a, gamma, c, max_iter=60)
        if np.allclose(step.alpha, alpha, atol=1e-9):
            same += 1
        else:  # the single-constraint step was better
            assert dual(a, gamma, c, step.alpha) > dual(a, gamma, c, alpha)
            assert np.count_nonzero(step.alpha) <= 1
    assert same >= 15


def test_dual_rises_as_much_as_the_analysis_needs():
    """Eq. 3.9, even after a single iteration."""
    rng = np.random.default_rng(43)
    for n_iter in (1, 3, 50):
        for _ in range(50):
            a, gamma, c = draw(rng)
            step = max_hinge_step(a, gamma, c, max_iter=n_iter)
            worst = gamma.argmax()
            needed = gamma[worst] - a[worst] @ a[worst] / (2 * c)
            assert dual(a, gamma, c, step.alpha) >= needed - 1e-10


def test_stops_early_at_the_tolerance():
    a, gamma, c = np.eye(6), np.linspace(1, 1.2, 6), 1.0
    full = max_hinge_step(a, gamma, c, max_iter=20000)
    early = max_hinge_step(a, gamma, c, max_iter=20000, tol=0.02)
    assert early.n_iter < full.n_iter
    assert early.gap < 0.02
    assert full.gap < early.gap


def test_one_direction_is_the_closed_form():
    """W18, k = 1."""
    rng = np.random.default_rng(45)
    for _ in range(50):
        v, d, c = rng.normal(size=4), rng.normal(size=4), rng.uniform(0.1, 5)
        step = max_hinge_step([d], [1 - v @ d / c], c)
        np.testing.assert_allclose(step.alpha, [hinge_step_euclidean(v, d, c)], atol=1e-12)


def test_all_pairs_of_a_label_ranking_loss():
    """W19: within the gap of the exact step."""
    rng = np.random.default_rng(46)
    for _ in range(10):
        k, n, c = 5, 4, 1.3
        w, x = rng.normal(size=(k, n)), rng.normal(size=n)
        relevant = np.array([True, True, False, False, False])
        pairs = [(r, s) for r in range(2) for s in range(2, 5)]
        a = np.zeros((len(pairs), k, n))
        for i, (r, s) in enumerate(pairs):
            a[i, r], a[i, s] = x, -x
        flat = a.reshape(len(pairs), -1)
        gamma = 1 - flat @ w.ravel()
        step = max_hinge_step(flat, gamma, c, max_iter=4000)
        exact = sopopo(w @ x, relevant, x @ x, c)
        z = np.where(relevant, 1, -1)[:, None] * exact[:, None] * x / c
        best = phi(flat, gamma, c, z.ravel())
        mine = phi(flat, gamma, c, step.alpha @ flat / c)
        assert best - 1e-9 <= mine <= best + step.gap + 1e-9
        # phi is c-strongly convex, so the gap bounds the distance too.
        distance = np.linalg.norm(step.alpha @ flat / c - z.ravel())
        assert distance**2 * c / 2 <= step.gap + 1e-9


def test_nothing_to_do():
    step = max_hinge_step([[1.0, 2.0]], [-0.5])
    np.testing.assert_array_equal(step.alpha, 0)
    assert step.gap == 0
    assert max_hinge_step(np.empty((0, 3)), []).alpha.shape == (0,)
    # Directions that are zero cannot help; the loss they leave is no gap.
    assert max_hinge_step([[0.0, 0.0]], [1.0]).gap == 0
    assert np.isfinite(max_hinge_step(np.zeros((2, 2)), [1.0, 0.5]).alpha).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: max_hinge_step([[1.0]], [1.0, 2.0]), r"must be \(k, n\) and \(k,\)"),
        (lambda: max_hinge_step([[np.nan]], [1.0]), "must be finite"),
        (lambda: max_hinge_step([[1.0]], [1.0], c=0.0), "c=0.0, must be positive"),
        (lambda: max_hinge_step([[1.0]], [1.0], max_iter=0), "max_iter=0, must be at least 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
