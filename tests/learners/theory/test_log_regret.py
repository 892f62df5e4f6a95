"""A7 and A8: logarithmic regret; W29, Pegasos."""

import numpy as np
import pytest
from scipy.optimize import minimize

from align.errors import ParameterError
from align.learners import (
    EntropicDescent,
    EuclideanBall,
    EuclideanDescent,
    EuclideanSet,
    project_simplex,
)


@pytest.mark.parametrize("sigma", [0.1, 1.0])
def test_theorem_5_on_a_ball(sigma):
    rng = np.random.default_rng(70)
    X, u = rng.normal(size=(300, 4)), rng.normal(size=4)
    y = X @ u + rng.normal(size=300)
    learner = EuclideanDescent(4, sigma, EuclideanBall(3.0))

    def loss(w, x, target):
        return sigma / 2 * w @ w + abs(w @ x - target)

    lost = 0.0
    seen = []
    for x, target in zip(X, y, strict=True):
        w = learner.w
        seen.append(w)
        assert np.linalg.norm(w) <= 3.0 + 1e-12
        lost += loss(w, x, target)
        learner.step(sigma * w + np.sign(w @ x - target) * x)
    np.testing.assert_allclose(learner.average, np.mean(seen, axis=0), atol=1e-12)
    best = minimize(lambda w: sum(loss(w, x, t) for x, t in zip(X, y, strict=True)), u).x
    best *= min(1.0, 3.0 / np.linalg.norm(best))
    for w in (best, u * min(1.0, 3.0 / np.linalg.norm(u)), np.zeros(4)):
        regret = lost - sum(loss(w, x, t) for x, t in zip(X, y, strict=True))
        assert regret <= learner.regret_bound()
    assert learner.radius == 3.0


def test_pegasos():
    """W29: w <- (1 - 1/t) w + [margin < 1] y x / (sigma t), averaged."""
    rng = np.random.default_rng(71)
    X = rng.normal(size=(200, 5))
    y = np.sign(X[:, 0] + 0.3 * rng.normal(size=200))
    sigma = 0.2
    learner = EuclideanDescent(5, sigma)
    w, mean = np.zeros(5), np.zeros(5)
    for t, (x, sign) in enumerate(zip(X, y, strict=True), 1):
        mean += w / 200
        own = learner.w
        learner.step(sigma * own - (sign * (own @ x) < 1) * sign * x)
        w = (1 - 1 / t) * w + (sign * (w @ x) < 1) * sign * x / (sigma * t)
        np.testing.assert_allclose(learner.w, w, atol=1e-12)
    np.testing.assert_allclose(learner.average, mean, atol=1e-12)
    assert learner.radius == np.inf


def test_projection_on_any_set():
    learner = EuclideanDescent(3, 1.0, EuclideanSet.simplex())
    np.testing.assert_allclose(
        learner.step([0.5, -0.7, 0.0]),
        project_simplex(np.full(3, 1 / 3) - [0.5, -0.7, 0.0]),
        atol=1e-12,
    )


@pytest.mark.parametrize("sigma", [0.1, 1.0])
def test_theorem_5_on_the_floored_simplex(sigma):
    rng = np.random.default_rng(72)
    n = 6
    floor = 0.01 / n
    tables = rng.random((400, n)) * np.linspace(0.5, 1, n)
    learner = EntropicDescent(n, sigma, floor)
    lost = 0.0
    for table in tables:
        w = learner.w
        assert w.min() >= floor - 1e-15
        assert w.sum() == pytest.approx(1.0)
        lost += sigma * (w * np.log(w)).sum() + w @ table
        learner.step(sigma * (1 + np.log(w)) + table)
    vertex = np.full(n, floor)
    vertex[0] += 1 - n * floor
    for u in (np.full(n, 1 / n), vertex, *np.maximum(rng.dirichlet(np.ones(n), 5), floor)):
        u = u / u.sum()
        if u.min() >= floor:
            value = 400 * sigma * (u * np.log(u)).sum() + tables.sum(0) @ u
            assert lost - value <= learner.regret_bound()


def test_edges():
    assert EuclideanDescent(2, 1.0).regret_bound() == 0.0
    one = EntropicDescent(1, 1.0, 1.0)
    np.testing.assert_array_equal(one.step([5.0]), [1.0])
    fixed = EntropicDescent(4, 1.0, 0.25)
    np.testing.assert_allclose(fixed.step([1.0, 2.0, 3.0, 4.0]), np.full(4, 0.25))
    shifted, plain = EntropicDescent(3, 1.0, 0.01), EntropicDescent(3, 1.0, 0.01)
    np.testing.assert_allclose(shifted.step([101.0, 100.5, 100.0]), plain.step([1.0, 0.5, 0.0]))
    assert shifted.largest == pytest.approx(0.125)
    large = EntropicDescent(3, 1e-3, 0.01)
    np.testing.assert_allclose(large.step([1e6, 0.0, 1e6]), [0.01, 0.98, 0.01])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EuclideanDescent(2, 0.0), "sigma=0.0, must be positive"),
        (lambda: EuclideanDescent(2, np.inf), "sigma=inf, must be positive and finite"),
        (lambda: EntropicDescent(4, 1.0, 0.3), "floor=0.3, must lie in"),
        (lambda: EntropicDescent(4, 1.0, 0.0), "floor=0.0, must lie in"),
        (lambda: EuclideanDescent(2, 1.0).step([1.0]), r"subgradient.shape=\(1,\)"),
        (lambda: EuclideanDescent(2, 1.0).step([1.0, np.nan]), "subgradient must be finite"),
        (lambda: EuclideanDescent(2, 1.0, "entropy"), "must be a Euclidean one"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_theorem_5_is_reached():
    """Losses sigma (w - z)^2 / 2 with z a step of 1 from w_t: the regret is H_T sigma / 2."""
    sigma, T = 0.5, 400
    learner = EuclideanDescent(1, sigma)
    signs = np.random.default_rng(73).choice([-1.0, 1.0], T)
    lost, z = 0.0, np.zeros(T)
    for t, sign in enumerate(signs):
        z[t] = learner.w[0] + sign
        lost += sigma / 2
        learner.step([-sigma * sign])
        assert learner.w[0] == pytest.approx(z[: t + 1].mean())
    regret = lost - sigma / 2 * ((z - z.mean()) ** 2).sum()
    assert regret == pytest.approx(sigma / 2 * (1 / np.arange(1, T + 1)).sum())
    assert 0.9 * learner.regret_bound() < regret <= learner.regret_bound()


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_theorem_5_is_reached_on_the_simplex(sigma):
    """Linear losses that leave a slope of (b, -b) or (-b, b): the weights stay near the middle."""
    T, b = 400, 0.1
    learner = EntropicDescent(2, sigma, 1e-3)
    lost, total, log_odds = 0.0, np.zeros(2), 0.0
    for t in range(T):
        w = learner.w
        slope = b * (-1.0) ** t * np.array([1.0, -1.0])
        linear = slope - sigma * (1 + np.log(w))
        lost += sigma * (w * np.log(w)).sum() + w @ linear
        total += linear
        learner.step(slope)
        log_odds -= 2 * slope[0] / (sigma * (t + 1))
        assert learner.w[0] == pytest.approx(1 / (1 + np.exp(-log_odds)), abs=1e-12)
    u = np.exp(-total / (T * sigma))
    u /= u.sum()
    assert u.min() > learner.floor
    regret = lost - (T * sigma * (u * np.log(u)).sum() + total @ u)
    assert 0.9 * learner.regret_bound() < regret <= learner.regret_bound()
    assert learner.largest == pytest.approx(b * b / 2)
