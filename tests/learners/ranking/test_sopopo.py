"""E6: the exact label-ranking step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learners.naive import sopopo_by_bisection
from scipy.optimize import minimize

from align.errors import ParameterError
from align.learners import pair_step
from align.learners.ranking import sopopo


def objective(alpha, scores, relevant, square, c, margin):
    """The dual, up to a constant that does not depend on alpha."""
    sigma = np.where(relevant, 1, -1)
    return (
        margin * alpha[relevant].sum()
        - (sigma * alpha * scores).sum()
        - square * (alpha**2).sum() / (2 * c)
    )


def draw(rng):
    k = rng.integers(2, 9)
    relevant = np.zeros(k, dtype=bool)
    relevant[rng.choice(k, rng.integers(1, k), replace=False)] = True
    scores = rng.normal(size=k) * rng.choice([0.3, 1, 3])
    if rng.random() < 0.3:
        scores = np.round(scores)  # ties
    return (
        scores,
        relevant,
        rng.uniform(0.2, 4),
        rng.choice([0.3, 1.0, 3.0, 20.0]),
        rng.uniform(0, 2),
    )


@pytest.mark.parametrize(
    ("c", "total", "on", "off"),
    [
        (1.0, 0.22, [0.15, 0.07], [0.07, 0.15]),
        (3.0, 0.66, [0.45, 0.21], [0.21, 0.45]),
        (20.0, 1.0, [1.0, 0.0], [0.0, 1.0]),
    ],
)
def test_golden(c, total, on, off):
    W, x = np.array([[0.2, 0.1], [0.5, 0], [0, 0.4], [0.3, 0.3]]), np.array([1.0, 2.0])
    relevant = np.array([True, False, True, False])
    alpha = sopopo(W @ x, relevant, x @ x, c)
    np.testing.assert_allclose(alpha[relevant], on, atol=1e-12)
    np.testing.assert_allclose(alpha[~relevant], off, atol=1e-12)
    np.testing.assert_allclose(alpha[relevant].sum(), total, atol=1e-12)


@given(st.integers(0, 10**6))
def test_feasible_and_optimal(seed):
    scores, relevant, square, c, margin = draw(np.random.default_rng(seed))
    alpha = sopopo(scores, relevant, square, c, margin)
    assert (alpha >= 0).all()
    z = alpha[relevant].sum()
    np.testing.assert_allclose(alpha[~relevant].sum(), z, atol=1e-12)
    assert z <= 1 + 1e-12
    worst = margin - scores[relevant].min() + scores[~relevant].max()
    if worst <= 0:
        np.testing.assert_array_equal(alpha, 0)
    else:
        np.testing.assert_allclose(
            alpha, sopopo_by_bisection(scores, relevant, square, c, margin), atol=1e-8
        )


def test_against_the_quadratic_programme_over_pairs():
    """W15: beta_{rs} >= 0 of every pair, sum at most 1; alpha are its margins."""
    rng = np.random.default_rng(21)
    for _ in range(25):
        scores, relevant, square, c, margin = draw(rng)
        up, down = np.nonzero(relevant)[0], np.nonzero(~relevant)[0]
        a, b = np.meshgrid(np.arange(up.size), np.arange(down.size), indexing="ij")
        rows_up = np.eye(up.size)[a.ravel()].T
        rows_down = np.eye(down.size)[b.ravel()].T
        gains = margin - scores[up][a.ravel()] + scores[down][b.ravel()]

        def negative(beta, g=gains, u=rows_up, d=rows_down, s=square, c=c):
            on, off = u @ beta, d @ beta
            value = s * (on @ on + off @ off) / (2 * c) - g @ beta
            return value, s * (u.T @ on + d.T @ off) / c - g

        n = gains.size
        found = minimize(
            negative, np.full(n, 0.5 / n), jac=True, method="SLSQP", bounds=[(0, 1)] * n,
            constraints=[{"type": "ineq", "fun": lambda t: 1 - t.sum(), "jac": lambda t: -t**0}],
            options={"ftol": 1e-16, "maxiter": 1000},
        )  # fmt: skip
        expected = np.empty(scores.size)
        expected[up], expected[down] = rows_up @ found.x, rows_down @ found.x
        alpha = sopopo(scores, relevant, square, c, margin)
        best = objective(alpha, scores, relevant, square, c, margin)
        generic = objective(expected, scores, relevant, square, c, margin)
        assert best >= generic - 1e-10
        np.testing.assert_allclose(alpha, expected, atol=2e-5)


def test_one_relevant_of_two_is_the_pair_step():
    """W16, and the closed form."""
    rng = np.random.default_rng(22)
    for _ in range(100):
        v, x = rng.normal(size=(2, 4)), rng.normal(size=4)
        c, margin = rng.uniform(0.2, 5), rng.uniform(0, 2)
        alpha = sopopo(v @ x / c, [True, False], x @ x, c, margin)
        loss = max(margin - (v[0] - v[1]) @ x / c, 0)
        expected = min(1, c * loss / (2 * x @ x))
        np.testing.assert_allclose(alpha, [expected] * 2, atol=1e-12)
        np.testing.assert_allclose(pair_step(v[0], v[1], x, c, margin), expected, atol=1e-12)


def test_total_is_the_aggressiveness_of_pa():
    """c = 1 and total = C on W is c = 1/C and total = 1 on V = W / C."""
    rng = np.random.default_rng(23)
    for _ in range(50):
        scores, relevant, square, _, margin = draw(rng)
        C = rng.uniform(0.05, 3)
        np.testing.assert_allclose(
            sopopo(scores, relevant, square, 1.0, margin, total=C),
            C * sopopo(scores, relevant, square, 1 / C, margin),
            atol=1e-12,
        )
        alpha = sopopo(scores, relevant, square, 1.0, margin, total=np.inf)
        after = scores + np.where(relevant, 1, -1) * alpha * square
        assert after[relevant].min() - after[~relevant].max() >= margin - 1e-9


def test_batch_is_rows():
    rng = np.random.default_rng(24)
    scores, squares = rng.normal(size=(3, 5, 6)), rng.uniform(0, 2, size=(3, 5))
    relevant = rng.random((3, 5, 6)) < 0.4
    squares[0, 0] = 0
    batch = sopopo(scores, relevant, squares, 2.0, 0.7)
    for i in np.ndindex(3, 5):
        np.testing.assert_array_equal(
            batch[i], sopopo(scores[i], relevant[i], squares[i], 2.0, 0.7)
        )
    np.testing.assert_array_equal(batch[0, 0], 0)


def test_many_labels():
    """Enough of them that sorting is more than an exchange or two."""
    rng = np.random.default_rng(25)
    for k in (31, 64, 257):
        scores, relevant = rng.normal(size=k), rng.random(k) < 0.5
        alpha = sopopo(scores, relevant, 1.0, 0.2)
        np.testing.assert_allclose(
            alpha, sopopo_by_bisection(scores, relevant, 1.0, 0.2, 1.0), atol=1e-8
        )


def test_edges():
    np.testing.assert_array_equal(sopopo([1.0, 2.0], [True, True], 1.0), 0)
    np.testing.assert_array_equal(sopopo([1.0, 2.0], [False, False], 1.0), 0)
    np.testing.assert_array_equal(sopopo([1.0, 2.0], [True, False], 0.0), 0)
    np.testing.assert_allclose(  # ties share
        sopopo([0.0] * 4, [True, True, False, False], 1.0, 10.0), [0.5] * 4
    )
    huge = sopopo([1e9, 0.0, 1e9], [True, False, False], 1.0)
    assert np.isfinite(huge).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sopopo([1.0], [True, False], 1.0), r"relevant.shape=\(2,\)"),
        (lambda: sopopo([np.nan, 1.0], [True, False], 1.0), "must be finite"),
        (lambda: sopopo([0.0, 1.0], [True, False], -1.0), "squared_norm must not be negative"),
        (lambda: sopopo([0.0, 1.0], [True, False], 1.0, c=0.0), "c=0.0, must be positive"),
        (lambda: sopopo([0.0, 1.0], [True, False], 1.0, total=-1.0), "total=-1.0"),
        (lambda: sopopo([0.0, 1.0], [True, False], [1.0, 2.0]), "one for each round"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
