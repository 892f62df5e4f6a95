"""A9: streams on which every learner errs."""

import numpy as np
import pytest

from align.errors import ParameterError
from align.learners import (
    EuclideanBall,
    OnlineRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
    coin_slopes,
    one_hot_stream,
    threshold_stream,
)


def test_coins_cost_everyone_the_square_root_of_time():
    """Gradient descent on [-1, 1] loses what anything must, within four standard errors."""
    T, runs = 60, 400
    regrets = []
    for seed in range(runs):
        slopes = coin_slopes(T, seed)
        w = lost = 0.0
        for t, slope in enumerate(slopes, 1):
            lost += slope * w
            w = min(max(w - slope / np.sqrt(t), -1.0), 1.0)
        regrets.append(lost + abs(slopes.sum()))
    expected = np.mean([abs(coin_slopes(T, seed).sum()) for seed in range(10_000)])
    assert expected == pytest.approx(np.sqrt(2 * T / np.pi), rel=0.05)
    assert np.mean(regrets) >= expected - 4 * np.std(regrets) / np.sqrt(runs)
    assert set(coin_slopes(50, 0)) == {-1.0, 1.0}
    np.testing.assert_array_equal(coin_slopes(9, 5), coin_slopes(9, 5))


@pytest.mark.parametrize(
    "model",
    [PassiveAggressiveClassifier("pa"), PassiveAggressiveClassifier("pa1", C=0.1), Perceptron()],
    ids=str,
)
def test_one_hot_stream(model):
    n = 12
    model.set_params(fit_intercept=False)
    model.partial_fit(np.zeros((1, n)), [1], classes=[-1, 1], sample_weight=[0.0])
    labels = []
    for x, y in one_hot_stream(n, lambda: model.coef_[0]):
        assert model.step(x, y).loss >= 1.0
        labels.append(y)
    u = np.array(labels, dtype=float)
    assert model.cumulative_loss_ >= n
    assert np.maximum(1 - u * np.diag(np.eye(n)) * u, 0).sum() == 0.0
    assert u @ u / 2 == n / 2


@pytest.mark.parametrize("n", [1, 2, 16, 64])
def test_thresholds_force_one_mistake_for_each_bit(n):
    """Halving makes exactly log2 n of them, and so does any learner."""
    alive = np.arange(1, n + 1)

    def halving(x):
        return 1 if 2 * (x <= alive).sum() >= len(alive) else -1

    rounds = 0
    for x, y in threshold_stream(n, halving):
        assert halving(x) != y
        alive = alive[np.where(x <= alive, 1, -1) == y]
        assert len(alive) > 0
        rounds += 1
    assert rounds == np.log2(n)
    assert len(alive) == 1
    rng = np.random.default_rng(0)
    seen = list(threshold_stream(n, lambda x: int(rng.choice([-1, 1]))))
    assert len(seen) == rounds
    assert any(all((1 if x <= i else -1) == y for x, y in seen) for i in range(1, n + 1))


def test_sizes_are_powers_of_two():
    with pytest.raises(ParameterError, match="n=6, must be a power of two"):
        next(threshold_stream(6, lambda x: 1))


def test_a_learner_of_ours_on_coins():
    """The absolute loss of a target on the edge is linear on the ball: 1 + s w."""
    slopes = coin_slopes(200, 3)
    model = OnlineRegressor(
        EuclideanBall(1.0),
        epsilon=0.0,
        fit_intercept=False,
        dual_step="subgradient",
        tuning=14.0,
        record=True,
    )
    model.partial_fit(np.ones((200, 1)), -slopes)
    for w in (-1.0, 1.0, 0.0):
        assert model.trace_.certify("Cor 1", u=[w]).holds


def test_the_examples_of_the_one_hot_stream_are_unit_vectors():
    found = [x for x, _ in one_hot_stream(3, lambda: np.zeros(3))]
    np.testing.assert_array_equal(found, np.eye(3))
