"""C5: multiplicative passive-aggressive learners."""

import numpy as np
import pytest
import scipy.sparse as sp
from learners.naive import multiplicative_uniclass

from align.errors import ParameterError
from align.learners import (
    Entropy,
    MultiplicativePA,
    MultiplicativePARegressor,
    MultiplicativePAUniclass,
)


def plain(cls, *args, **params):
    return cls(*args, signed=False, fit_intercept=False, record=True, **params)


@pytest.mark.parametrize("step_size", ["range", "printed"])
def test_golden_value(step_size):
    """Y10; the range and the largest entry of this x are the same."""
    model = plain(MultiplicativePARegressor, 0.1, step_size=step_size)
    model.partial_fit(np.zeros((1, 3)), [0.0])
    model._run._state.v[:] = np.log([0.25, 0.25, 0.5])
    model._run._state.stale[:] = True
    played = model.step([1.0, 2.0, 0.0], 2.0)
    assert played.loss == pytest.approx(1.15)
    assert played.tau == pytest.approx(1.15)
    np.testing.assert_allclose(model.coef_, [0.20870437, 0.65912867, 0.13216696], atol=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("step_size", ["range", "printed"])
def test_theorem_4_regression(step_size, sparse):
    rng = np.random.default_rng(80)
    X, u = rng.exponential(size=(300, 5)), rng.dirichlet(np.ones(5))
    inner = 0.05
    y = X @ u + rng.uniform(-inner, inner, size=300)
    for epsilon in (inner, 2 * inner, inner + 0.05):
        model = plain(MultiplicativePARegressor, epsilon, step_size=step_size)
        trace = model.partial_fit(sp.csr_matrix(X) if sparse else X, y).trace_
        squares = (trace.loss**2).sum()
        if step_size == "printed":
            B = X.max() ** 2
        else:
            B = (X.max(1) - X.min(1)).max() ** 2
        right = B * Entropy().bregman(u, np.full(5, 0.2)) / 2
        assert 0 < squares + 2 * (epsilon - inner) * trace.loss.sum() <= right
        certificate = trace.certify("multiplicative", u=u)
        assert certificate.holds
        assert certificate.right == pytest.approx(right)


def test_theorem_4_classification():
    rng = np.random.default_rng(81)
    X = rng.uniform(-1, 1, size=(600, 6))
    u = rng.dirichlet(np.ones(12))
    scores = np.hstack([X, -X]) @ u
    keep = np.abs(scores) >= 0.05
    X, y = X[keep], np.sign(scores[keep]).astype(int)
    for margin in (0.05, 0.025):
        model = MultiplicativePA(margin, fit_intercept=False, record=True).partial_fit(X, y)
        trace = model.trace_
        left = (trace.loss**2).sum() + 2 * (0.05 - margin) * trace.loss.sum()
        assert 0 < left <= trace.certify("multiplicative", u=u).right * (1 + 1e-9)
        assert trace.certify("multiplicative", u=u).holds
        assert model.n_mistakes_ <= model.mistake_bound(u)


def test_theorem_4_with_several_classes():
    """One simplex for each class: the squares of their ranges are added."""
    rng = np.random.default_rng(82)
    X, U = rng.uniform(0, 1, size=(800, 5)), rng.dirichlet(np.full(5, 0.3), size=3)
    scores = np.sort(X @ U.T, axis=1)
    keep = scores[:, 2] - scores[:, 1] >= 0.05
    y = (X @ U.T).argmax(1)[keep]
    model = plain(MultiplicativePA, 0.05).partial_fit(X[keep], y)
    certificate = model.trace_.certify("multiplicative", u=U)
    assert 0 < certificate.left
    assert certificate.holds
    spread = (X[keep].max(1) - X[keep].min(1)).max()
    value = sum(Entropy().value(w) for w in U)
    assert certificate.right == pytest.approx(spread**2 * value)


def test_one_class_and_the_counterexample_to_the_printed_step():
    X, u = np.tile([2.6, 0.4], (400, 1)), np.array([0.6, 0.4])
    divergence = Entropy().bregman(u, [0.5, 0.5])
    _, squares, losses = multiplicative_uniclass(
        X, 2.04, lambda loss, d: loss / (8 * np.abs(d).max() ** 2)
    )
    assert squares + 2 * 0.04 * losses > 8 * divergence  # as printed, with B = 16: violated
    model = MultiplicativePAUniclass(2.04).partial_fit(X)
    w, squares, losses = multiplicative_uniclass(
        X, 2.04, lambda loss, d: 4 * loss / np.ptp(d) ** 2
    )
    np.testing.assert_allclose(model.center_, w, atol=1e-12)
    assert model.cumulative_squared_loss_ == pytest.approx(squares)
    assert model.cumulative_loss_ == pytest.approx(losses)
    assert 0 < squares + 2 * 0.04 * losses <= model.squared_loss_bound(u) * (1 + 1e-9)


def test_one_class_on_random_streams():
    rng = np.random.default_rng(83)
    u = rng.dirichlet(np.ones(4))
    X = rng.normal(size=(300, 4))
    X = u + 0.5 * X * rng.random((300, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    for epsilon in (0.5, 0.55):
        model = MultiplicativePAUniclass(epsilon).partial_fit(X)
        left = model.cumulative_squared_loss_ + 2 * (epsilon - 0.5) * model.cumulative_loss_
        assert left <= model.squared_loss_bound(u) * (1 + 1e-9)
        assert model.center_.sum() == pytest.approx(1.0)
    vertex = np.array([1.0, 0, 0, 0])
    assert model.squared_loss_bound(vertex) == pytest.approx(np.log(4))


def test_without_a_direction_nothing_moves():
    model = plain(MultiplicativePARegressor, 0.0)
    played = [model.step([2.0, 2.0], 5.0) for _ in range(2)]
    np.testing.assert_array_equal(model.coef_, [0.5, 0.5])
    assert [r.updated for r in played] == [False, False]
    assert played[0].loss == 3.0


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (MultiplicativePA(step_size="half"), [[1.0], [2.0]], "step_size='half'"),
        (MultiplicativePA(step_size="printed"), [[1.0], [2.0]], "for features as they are"),
        (
            MultiplicativePA(step_size="printed", signed=False),
            [[1.0], [-2.0]],
            "value -2.0, must not be negative",
        ),
        (MultiplicativePA(0.0), [[1.0], [2.0]], "margin=0.0"),
        (MultiplicativePARegressor(-1.0), [[1.0], [2.0]], "epsilon=-1.0"),
        (MultiplicativePAUniclass(-1.0), [[1.0], [2.0]], "epsilon=-1.0"),
        (MultiplicativePAUniclass(epochs=0), [[1.0], [2.0]], "epochs=0"),
    ],
)
def test_bad_arguments(model, X, message):
    with pytest.raises(ParameterError, match=message):
        model.fit(X, [0, 1])
