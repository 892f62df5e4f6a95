"""E1 to E3: projections on the simplex, the l1 ball and the simplex with a floor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from learners.naive import sorted_simplex
from scipy.optimize import minimize

from align.errors import ParameterError
from align.learners import project_entropic, project_l1_ball, project_simplex
from align.learners.parts.projections import project_orthant

VECTORS = arrays(np.float64, st.integers(1, 9), elements=st.floats(-20, 20, width=32))
seeds = st.integers(0, 2**32 - 1)


def test_golden_simplex():
    mu = [0.5, 1.2, -0.3, 0.9]
    np.testing.assert_allclose(project_simplex(mu, 1.0), [0, 0.65, 0, 0.35], atol=1e-12)
    np.testing.assert_allclose(project_simplex(mu, 2.0), [0.3, 1, 0, 0.7], atol=1e-12)


def test_golden_l1_ball():
    np.testing.assert_allclose(project_l1_ball([0.5, -1.2, 0.3]), [0.15, -0.85, 0], atol=1e-12)


def test_golden_entropic():
    expected = [0.1, 0.1, 0.25531915, 0.54468085]
    np.testing.assert_allclose(project_entropic([1, 5, 30, 64], 0.1), expected, atol=1e-8)
    np.testing.assert_allclose(
        project_entropic(np.log([1, 5, 30, 64]), 0.1, log=True), expected, atol=1e-8
    )


@given(VECTORS, st.floats(0.01, 30))
def test_simplex_is_the_nearest_point(mu, size):
    alpha = project_simplex(mu, size)
    assert (alpha >= 0).all()
    np.testing.assert_allclose(alpha.sum(), size, rtol=1e-12)
    np.testing.assert_allclose(alpha, sorted_simplex(mu, size), atol=1e-9)
    # Variational inequality at every vertex: alpha is the projection if and only if it holds.
    vertices = size * np.eye(mu.size)
    assert ((vertices - alpha) @ (mu - alpha)).max() <= 1e-9 * (1 + size * np.abs(mu).max())
    np.testing.assert_allclose(project_simplex(alpha, size), alpha, atol=1e-12 * size)
    order = np.argsort(mu, kind="stable")
    assert (np.diff(alpha[order]) >= 0).all()


@given(VECTORS, seeds)
def test_orthant_is_the_nearest_point(mu, seed):
    rng = np.random.default_rng(seed)
    signs = rng.random(mu.size) < 0.5
    near = project_orthant(mu, signs)
    other = np.where(signs, np.abs(near + rng.normal(size=mu.size)), rng.normal(size=mu.size))
    assert (near[signs] >= 0).all()
    assert (other - near) @ (mu - near) <= 1e-9 * (1 + np.abs(mu).max())
    assert project_orthant(mu, None) is mu


@given(VECTORS, st.floats(0.01, 30))
def test_l1_ball_is_the_nearest_point(mu, radius):
    alpha = project_l1_ball(mu, radius)
    assert np.abs(alpha).sum() <= radius * (1 + 1e-12)
    vertices = radius * np.concatenate([np.eye(mu.size), -np.eye(mu.size)])
    assert ((vertices - alpha) @ (mu - alpha)).max() <= 1e-9 * (1 + radius * np.abs(mu).max())
    if np.abs(mu).sum() <= radius:
        np.testing.assert_array_equal(alpha, mu)


@given(
    arrays(np.float64, st.integers(1, 8), elements=st.floats(1e-6, 50)),
    st.floats(0, 1),
)
def test_entropic_is_the_minimum(u, share):
    n = u.size
    floor = share / n
    w = project_entropic(u, floor)
    assert (w >= floor).all()
    np.testing.assert_allclose(w.sum(), 1, rtol=1e-12)
    if floor > 0:
        gradient = np.log(w / u) + 1
        vertices = floor + (1 - n * floor) * np.eye(n)
        assert ((vertices - w) @ gradient).min() >= -1e-9
    np.testing.assert_allclose(project_entropic(np.log(u) + 700, floor, log=True), w, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy 1.13's own steps
def test_simplex_and_entropic_against_a_generic_solver():
    rng = np.random.default_rng(0)
    for _ in range(5):
        mu = rng.normal(size=5)
        total = [{"type": "eq", "fun": lambda a: a.sum() - 1}]
        options = {"ftol": 1e-14, "maxiter": 500}
        start = np.full(5, 0.2)
        found = minimize(
            lambda a, mu=mu: ((a - mu) ** 2).sum(),
            start, bounds=[(0, 1)] * 5, constraints=total, options=options,
        )  # fmt: skip
        np.testing.assert_allclose(project_simplex(mu), found.x, atol=1e-6)
        u = np.exp(mu)
        found = minimize(
            lambda w, u=u: (w * np.log(w / u)).sum(),
            start, bounds=[(0.05, 1)] * 5, constraints=total, options=options,
        )  # fmt: skip
        np.testing.assert_allclose(project_entropic(u, 0.05), found.x, atol=1e-6)


def test_batches_are_rows():
    rng = np.random.default_rng(1)
    mu = rng.normal(size=(3, 4, 6))
    sizes = rng.uniform(0, 2, size=(3, 4))
    simplex, ball = project_simplex(mu, sizes), project_l1_ball(mu, sizes)
    floored = project_entropic(mu, 0.02, log=True)
    for i in np.ndindex(3, 4):
        np.testing.assert_array_equal(simplex[i], project_simplex(mu[i], sizes[i]))
        np.testing.assert_array_equal(ball[i], project_l1_ball(mu[i], sizes[i]))
        np.testing.assert_array_equal(floored[i], project_entropic(mu[i], 0.02, log=True))
    assert project_simplex(np.empty((0, 3))).shape == (0, 3)


def test_input_is_left_alone():
    u = np.array([1.0, 2.0])
    for project in (project_simplex, project_l1_ball, project_entropic):
        project(u)
        np.testing.assert_array_equal(u, [1.0, 2.0])


def test_edges():
    np.testing.assert_array_equal(project_simplex([3.0, -1.0], 0.0), [0, 0])
    np.testing.assert_array_equal(project_l1_ball([3.0, -1.0], 0.0), [0, 0])
    np.testing.assert_array_equal(project_simplex([7.0]), [1.0])
    np.testing.assert_allclose(project_simplex([2.0, 2.0, 2.0, 2.0]), [0.25] * 4)
    # Zeros stay zero without a floor; at 1/n everything is uniform, zeros or not.
    np.testing.assert_allclose(project_entropic([0.0, 1.0, 3.0]), [0, 0.25, 0.75])
    np.testing.assert_allclose(project_entropic([0.0, 1.0, 3.0], 1 / 3), [1 / 3] * 3)
    np.testing.assert_allclose(
        project_entropic([-1e4, 0, -np.inf], 0.1, log=True), [0.1, 0.8, 0.1]
    )
    np.testing.assert_array_equal(project_entropic([5.0]), [1.0])


def test_huge_entries_keep_their_sum():
    mu = np.array([1e12, 1e12 - 0.25, -1e12])
    np.testing.assert_allclose(project_simplex(mu), [0.625, 0.375, 0])
    np.testing.assert_allclose(project_l1_ball(-mu), [-5 / 12, -2 / 12, 5 / 12])


def test_long_vectors_agree_with_sorting():
    rng = np.random.default_rng(2)
    for mu in (
        rng.normal(size=5000),
        np.sort(rng.normal(size=5000)),
        -np.sort(rng.normal(size=999)),
    ):
        for size in (0.01, 1.0, 100.0):
            np.testing.assert_allclose(
                project_simplex(mu, size), sorted_simplex(mu, size), atol=1e-11
            )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project_simplex([]), r"must be \(\.\.\., p\)"),
        (lambda: project_simplex(3.0), r"must be \(\.\.\., p\)"),
        (lambda: project_simplex([np.nan, 1.0]), "mu must be finite"),
        (lambda: project_simplex([1.0], -1.0), "size=-1.0, must be finite and not negative"),
        (lambda: project_simplex([[1.0]], [1.0, 2.0]), "must broadcast"),
        (lambda: project_l1_ball([np.inf]), "mu must be finite"),
        (lambda: project_entropic([0.0, 0.0]), "zero everywhere"),
        (lambda: project_entropic([-1.0, 1.0]), "not negative"),
        (lambda: project_entropic([1.0, 1.0], 0.6), r"floor=0.6, must lie in \[0, 1/n\]"),
        (lambda: project_entropic([1.0, np.nan], log=True), "finite largest entry"),
        (lambda: project_entropic([]), r"u.shape=\(0,\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
