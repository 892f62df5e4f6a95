"""E7: the interior point method and the exact label-ranking step for any f."""

import numpy as np
import pytest
from learners.naive import pdip_generic, pdip_objective

from align.errors import ParameterError
from align.learners import Entropy, Euclidean, QNorm, pair_step, project_entropic, project_simplex
from align.learners.ranking import sopopo
from align.learners.ranking._pdip import solve_round
from align.learners.ranking.pdip import interior_point, ranking_step, ranking_steps


def draw(rng, binary):
    k, n = rng.integers(2, 8), rng.integers(1, 7)
    relevant = np.zeros(k, dtype=bool)
    relevant[rng.choice(k, rng.integers(1, k), replace=False)] = True
    x = rng.integers(0, 2, n).astype(float) if binary else rng.normal(size=n)
    return (
        rng.normal(size=(k, n)),
        x,
        relevant,
        rng.choice([0.3, 1.0, 4.0]),
        rng.uniform(0.05, 0.9),
    )


def test_euclidean_is_sopopo():
    """W15."""
    rng = np.random.default_rng(31)
    for _ in range(300):
        v, x, relevant, c, margin = draw(rng, binary=False)
        expected = sopopo(v @ x / c, relevant, x @ x, c, margin)
        found = ranking_step(v, x, relevant, c, margin, complexity="euclidean")
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("binary", [True, False])
def test_entropy_against_a_generic_solver(binary):
    rng = np.random.default_rng(32)
    f = Entropy()
    compared = 0
    while compared < 40:
        v, x, relevant, c, margin = draw(rng, binary)
        if not x.any():
            continue
        alpha = ranking_step(v, x, relevant, c, margin)
        assert (alpha >= 0).all()
        np.testing.assert_allclose(alpha[relevant].sum(), alpha[~relevant].sum(), atol=1e-12)
        assert alpha[relevant].sum() <= 1 + 1e-9
        best = pdip_objective(f, v, x, relevant, c, margin, alpha)
        assert best <= pdip_generic(f, v, x, relevant, c, margin).fun + 1e-8
        compared += 1


def test_entropy_of_one_pair_is_the_closed_form():
    """W17."""
    rng = np.random.default_rng(33)
    for _ in range(200):
        v, x = rng.normal(size=(2, 5)), rng.integers(0, 2, 5).astype(float)
        c, margin = rng.choice([0.3, 1.0, 4.0]), rng.uniform(0.05, 0.95)
        if not x.any() or x.all():
            continue
        found = ranking_step(v, x, [True, False], c, margin)
        closed = pair_step(v[0], v[1], x, c, margin, complexity="entropy")
        np.testing.assert_allclose(found, [closed] * 2, atol=1e-7)


def test_iterations_are_few():
    rng = np.random.default_rng(34)
    steps = []
    for _ in range(200):
        v, x, relevant, c, margin = draw(rng, binary=True)
        if not x.any():
            continue
        on = Entropy().link(v / c) @ x
        masses = np.log(np.stack([1 - on, on], axis=1).clip(1e-300, 1))
        alpha = np.empty(relevant.size)
        steps.append(solve_round(True, np.array([0.0, 1.0]), masses, relevant, c, margin, alpha))
    assert max(steps) <= 25
    assert np.mean(steps) <= 16


def test_dual_rises_at_least_as_much_as_for_the_worst_pair():
    rng = np.random.default_rng(35)
    for f in (Entropy(), Euclidean()):
        for _ in range(100):
            v, x, relevant, c, margin = draw(rng, binary=False)
            scores = f.link(v / c) @ x
            r = np.flatnonzero(relevant)[scores[relevant].argmin()]
            s = np.flatnonzero(~relevant)[scores[~relevant].argmax()]
            pair = np.zeros(relevant.size)
            pair[[r, s]] = pair_step(v[r], v[s], x, c, margin, complexity=f)
            alpha = ranking_step(v, x, relevant, c, margin, complexity=f)
            args = (f, v, x, relevant, c, margin)
            assert pdip_objective(*args, alpha) <= pdip_objective(*args, pair) + 1e-8


def test_batch_from_scores_is_the_step_from_weights():
    rng = np.random.default_rng(36)
    v, x = rng.normal(size=(4, 3, 6)), rng.integers(0, 2, (4, 6)).astype(float)
    relevant = rng.random((4, 3)) < 0.5
    c, margin = 0.8, 0.3
    scores = np.stack([Entropy().link(v[i] / c) @ x[i] for i in range(4)])
    batch = ranking_steps(scores, relevant, c, margin)
    euclid = np.stack([v[i] @ x[i] / c for i in range(4)])
    squares = (x * x).sum(1)
    plain = ranking_steps(euclid, relevant, c, margin, squared_norm=squares)
    for i in range(4):
        np.testing.assert_allclose(
            batch[i], ranking_step(v[i], x[i], relevant[i], c, margin), atol=1e-7
        )
        exact = sopopo(euclid[i], relevant[i], squares[i], c, margin)
        np.testing.assert_allclose(plain[i], exact, atol=1e-6)


def test_a_batch_on_the_simplex_has_any_shape():
    rng = np.random.default_rng(38)
    scores, relevant = rng.random((2, 3, 5)), rng.random((2, 3, 5)) < 0.5
    relevant[..., 0], relevant[..., 1] = True, False
    batch = ranking_steps(scores, relevant, 0.8, 0.3)
    for i in np.ndindex(2, 3):
        np.testing.assert_array_equal(batch[i], ranking_steps(scores[i], relevant[i], 0.8, 0.3))


def test_nothing_to_do():
    v = np.array([[0.0, 1.0], [3.0, 0.0]])
    np.testing.assert_array_equal(ranking_step(v, [0.0, 0.0], [True, False]), 0)
    np.testing.assert_array_equal(ranking_step(v, [1.0, 0.0], [True, True]), 0)
    np.testing.assert_array_equal(ranking_step(v, [1.0, 0.0], [False, False]), 0)
    np.testing.assert_array_equal(ranking_step(v, [1.0, 0.0], [False, True], margin=0.1), 0)
    np.testing.assert_array_equal(ranking_steps([[0.9, 0.1]], [[True, False]], margin=0.5), 0)


def test_extreme_weights_stay_finite():
    v = np.array([[1e4, -1e4], [-1e4, 1e4]])
    for x in ([1.0, 0.0], [30.0, 1.0], [30.0, -30.0]):
        alpha = ranking_step(v, x, [False, True], c=0.01, margin=0.5)
        assert np.isfinite(alpha).all()
        np.testing.assert_allclose(alpha, [1.0, 1.0], atol=1e-6)


def test_general_form_solves_other_problems():
    rng = np.random.default_rng(37)
    for _ in range(20):
        mu = rng.normal(size=6)
        ones, start = np.ones((1, 6)), np.full(6, 1 / 6)
        near = interior_point(lambda a, m=mu: (a - m, np.ones(6)), ones, [1.0], -np.ones(6),
                              np.zeros(6), start)  # fmt: skip
        assert near.converged
        np.testing.assert_allclose(near.a, project_simplex(mu), atol=1e-6)
        floor = interior_point(lambda a, m=mu: (np.log(a) + 1 - m, 1 / a), ones, [1.0],
                               -np.ones(6), -np.full(6, 0.1), start)  # fmt: skip
        assert floor.converged
        np.testing.assert_allclose(floor.a, project_entropic(mu, 0.1, log=True), atol=1e-6)


def test_general_form_reports_a_budget_that_is_too_small():
    found = interior_point(lambda a: (a, np.ones(2)), [[1.0, 1.0]], [1.0], -np.ones(2),
                           np.zeros(2), [0.1, 0.9], max_iter=2)  # fmt: skip
    assert not found.converged
    assert found.gap > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ranking_step([[0.0]], [0.0, 1.0], [True]), "must be \\(k, n\\) and"),
        (lambda: ranking_step([[np.nan]], [0.0], [True]), "must be finite"),
        (lambda: ranking_step([[0.0], [0.0]], [1.0], [True]), r"relevant.shape=\(1,\), must be"),
        (lambda: ranking_step([[0.0]], [1.0], [True], c=-1.0), "c=-1.0, must be positive"),
        (lambda: ranking_step([[0.0]], [1.0], [True], margin=np.nan), "margin=nan"),
        (lambda: ranking_step([[0.0]], [1.0], [True], complexity=QNorm(3.0)), "must be Entropy"),
        (lambda: ranking_steps([1.5, 0.0], [True, False]), r"must lie in \[0, 1\]"),
        (lambda: ranking_steps([1.5], [True, False]), "must be that of scores"),
        (lambda: ranking_steps([1.0, 0.0], [True, False], squared_norm=-1.0), "not negative"),
        (
            lambda: interior_point(lambda a: (a, a), [[1.0]], [1.0], [-1.0], [0.0], [-1.0]),
            "strictly feasible",
        ),
        (
            lambda: interior_point(lambda a: (a, a), [[1.0]], [1.0], [-1.0, 2.0], [0.0], [1.0]),
            r"p.shape=\(2,\)",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
