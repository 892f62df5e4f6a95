"""E4, E5, the p-norm step and the pair step: exact maximisers of the dual of one hinge."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from align.errors import ParameterError
from align.learners import (
    BinaryEntropy,
    Blocks,
    Entropy,
    Euclidean,
    EuclideanBall,
    EuclideanSet,
    FlooredEntropy,
    QNorm,
    hinge_step,
    hinge_step_entropy,
    hinge_step_euclidean,
    hinge_step_qnorm,
    pair_step,
)

MARGINS = [0.0, 0.1, 0.5, 0.9, 0.99, 1.0, 1.5]
ALL = [
    Euclidean(),
    EuclideanBall(0.8),
    EuclideanSet.simplex(),
    EuclideanSet.l1_ball(1.0),
    Entropy(),
    FlooredEntropy(0.05),
    QNorm(2.0),
    QNorm(3.5),
    BinaryEntropy(),
]


def named(f):
    """Name a test by its function, the same in every process."""
    return re.sub(r" at 0x\w+", "", str(f))


def dual(f, v, d, c, margin, alpha):
    """The objective psi, for a vector of alphas."""
    alpha = np.asarray(alpha)
    lift = alpha.reshape(alpha.shape + (1,) * v.ndim)
    return margin * alpha - c * np.asarray(f.conjugate((v + lift * d) / c))


@pytest.mark.parametrize("f", ALL, ids=named)
def test_step_beats_a_grid(f):
    rng = np.random.default_rng(11)
    grid = np.linspace(0, 1, 401)
    for case in range(250):
        n = rng.integers(1, 8)
        v = rng.normal(size=n) * rng.choice([0.3, 1, 5])
        d = rng.choice([-1, 0, 1], size=n) if case % 2 else rng.normal(size=n)
        c, margin = rng.choice([0.1, 0.5, 2.0, 10.0]), rng.choice(MARGINS)
        if not d.any():
            continue
        alpha = hinge_step(v, d, c, margin, complexity=f)
        assert 0 <= alpha <= 1
        here = dual(f, v, d, c, margin, alpha)
        best = dual(f, v, d, c, margin, grid).max()
        assert here >= best - 1e-12 * max(1, abs(best))


@pytest.mark.parametrize("f", [Euclidean(), Entropy(), QNorm(3.0)], ids=str)
def test_step_is_the_bounded_maximiser(f):
    """W12, with scipy's bounded scalar search."""
    rng = np.random.default_rng(12)
    for _ in range(60):
        v, d = rng.normal(size=(2, 5))
        c, margin = rng.choice([0.3, 1.0, 3.0]), rng.choice(MARGINS)
        found = minimize_scalar(
            lambda a, v=v, d=d, c=c, m=margin: -float(dual(f, v, d, c, m, a)),
            bounds=(0, 1), method="bounded", options={"xatol": 1e-12},
        )  # fmt: skip
        alpha = hinge_step(v, d, c, margin, complexity=f)
        assert dual(f, v, d, c, margin, alpha) >= -found.fun - 1e-9


def test_golden_euclidean():
    for c, alpha in ((4.0, 1.0), (1.5, 0.25), (0.5, 0.0)):
        np.testing.assert_allclose(hinge_step_euclidean([1, 0], [1, 1], c), alpha, atol=1e-12)


def test_golden_entropy():
    w, d = np.array([0.5, 0.2, 0.3]), np.array([-1.0, 1.0, 0.0])
    free = hinge_step_entropy(2 * np.log(w), d, 2.0, 0.3, upper=np.inf)
    np.testing.assert_allclose(np.exp(free / 2), 2.5, atol=1e-12)
    np.testing.assert_allclose(free, 1.8326, atol=1e-4)
    assert hinge_step_entropy(2 * np.log(w), d, 2.0, 0.3) == 1.0
    v = 0.5 * np.log(w)
    alpha = hinge_step_entropy(v, d, 0.5, 0.3)
    np.testing.assert_allclose(alpha, 0.45814537, atol=1e-8)
    after = Entropy().link((v + alpha * d) / 0.5)
    np.testing.assert_allclose(after, [0.2, 0.5, 0.3], atol=1e-12)
    np.testing.assert_allclose(after @ d, 0.3, atol=1e-12)


def test_golden_pair():
    up, down, x = np.log([0.3, 0.7]), np.log([0.6, 0.4]), [1.0, 0.0]
    free = pair_step(up, down, x, 1.0, 0.2, complexity="entropy", upper=np.inf)
    np.testing.assert_allclose(np.exp(free), 2.82002136, atol=1e-8)
    np.testing.assert_allclose(free, 1.03674, atol=1e-5)
    assert pair_step(up, down, x, 1.0, 0.2, complexity="entropy") == 1.0
    after = Entropy().link([up[0] + free, up[1]])[0] - Entropy().link([down[0] - free, down[1]])[0]
    np.testing.assert_allclose(after, 0.2, atol=1e-12)


@given(
    st.integers(1, 8), st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.99, 1.0, 1.5, -0.5, -1.0]),
    st.sampled_from([0.2, 1.0, 5.0]), st.sampled_from([0.5, 1.0, 2.0]), st.integers(0, 10**6),
)  # fmt: skip
def test_closed_form_is_the_line_search(n, margin, c, s, seed):
    """W13."""
    rng = np.random.default_rng(seed)
    v, d = rng.normal(size=n), s * rng.choice([-1, 0, 1], size=n)
    closed = hinge_step_entropy(v, d, c, margin)
    searched = hinge_step_entropy(v, d, c, margin, line_search=True)
    if (d == d[0]).all() and margin == d[0]:  # psi is flat, every alpha is a maximiser
        return
    np.testing.assert_allclose(closed, searched, atol=1e-9)


def test_after_the_step_alpha_is_at_its_end_or_the_loss_is_zero():
    rng = np.random.default_rng(13)
    for f in (Euclidean(), Entropy(), QNorm(4.0), EuclideanBall(2.0)):
        for _ in range(100):
            v, d = rng.normal(size=(2, 6))
            c, margin = 0.7, 0.2
            alpha = hinge_step(v, d, c, margin, complexity=f)
            before = f.link(v / c) @ d
            after = f.link((v + alpha * d) / c) @ d
            if before >= margin:
                assert alpha == 0
            else:
                assert alpha == 1 or after == pytest.approx(margin, abs=1e-9)


@pytest.mark.parametrize("f", ALL, ids=named)
def test_dual_rises_as_much_as_the_analysis_needs(f):
    """Eq. 3.9 for the exact step, and it never does worse than the subgradient step."""
    rng = np.random.default_rng(14)
    for _ in range(100):
        v, d = rng.normal(size=(2, 5))
        c, margin = rng.choice([0.3, 1.0, 4.0]), rng.choice([0.2, 1.0])
        loss = max(margin - f.link(v / c) @ d, 0)
        alpha = hinge_step(v, d, c, margin, complexity=f)
        start, exact, full = dual(f, v, d, c, margin, [0.0, alpha, 1.0])
        if loss > 0:
            assert exact - start >= loss - f.dual_norm(d) ** 2 / (2 * c) - 1e-10
            assert exact >= full - 1e-10
        else:
            assert alpha == 0


@pytest.mark.parametrize("f", [Euclidean(), Entropy(), QNorm(3.0)], ids=str)
def test_pair_step_is_the_hinge_step_on_two_blocks(f):
    rng = np.random.default_rng(15)
    grid = np.linspace(0, 1, 401)
    for case in range(100):
        v = rng.normal(size=(2, 5))
        x = rng.choice([0.0, 1.5], size=5) if case % 2 else rng.normal(size=5)
        c, margin = rng.choice([0.3, 1.0, 4.0]), rng.choice(MARGINS)
        alpha = pair_step(v[0], v[1], x, c, margin, complexity=f)
        if not x.any():
            assert alpha == 0
            continue
        d = np.stack([x, -x])
        best = dual(Blocks(f), v, d, c, margin, grid).max()
        assert dual(Blocks(f), v, d, c, margin, alpha) >= best - 1e-12 * max(1, abs(best))
        if isinstance(f, Euclidean):
            w = v / c
            loss = max(margin - (w[0] - w[1]) @ x, 0)
            expected = min(1, c * loss / (2 * x @ x)) if x.any() else 0
            np.testing.assert_allclose(alpha, expected, atol=1e-12)


def test_euclidean_and_qnorm_two_agree():
    rng = np.random.default_rng(16)
    for _ in range(50):
        v, d = rng.normal(size=(2, 5))
        np.testing.assert_allclose(
            hinge_step_qnorm(v, d, 0.7, p=2.0, upper=np.inf),
            hinge_step_euclidean(v, d, 0.7, upper=np.inf),
            rtol=1e-9, atol=1e-12,
        )  # fmt: skip


@pytest.mark.parametrize("f", ALL, ids=named)
def test_zero_direction_is_skipped(f):
    assert hinge_step([1.0, -2.0], [0.0, 0.0], 1.0, complexity=f) == 0
    assert pair_step([1.0, -2.0], [0.0, 1.0], [0.0, 0.0], 1.0, complexity=f) == 0


def test_entropy_edges():
    # No positive entry: the margin can only be reached from below, never; alpha goes to its end.
    assert hinge_step_entropy([0.0, 0.0], [-1.0, 0.0], 1.0, 0.1) == 1
    # One dimension: w = 1 whatever alpha is.
    assert hinge_step_entropy([3.0], [1.0], 1.0, 0.5) == 0
    assert hinge_step_entropy([3.0], [1.0], 1.0, 1.5) == 1
    # All the weight on -1, by e^1e4: every alpha up to the end helps, and nothing overflows.
    for d in ([-1.0, 1.0, 0.0], [-1.0, 1.1, 0.0]):
        assert hinge_step_entropy([1e4, -1e4, 0.0], d, 1.0, 0.5) == 1
        far = hinge_step_entropy([1e4, -1e4, 0.0], d, 1.0, 0.5, upper=np.inf)
        w = Entropy().link(np.array([1e4, -1e4, 0.0]) + far * np.array(d))
        np.testing.assert_allclose(w @ d, 0.5, atol=1e-8)
    assert hinge_step_entropy([-1e4, 1e4, 0.0], [-1.0, 1.0, 0.0], 1.0, 0.5) == 0
    # No finite alpha reaches a margin beyond the largest entry.
    assert hinge_step_entropy([0.0, 0.0], [1.0, 0.3], 1.0, 1.2, upper=np.inf) == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hinge_step([1.0], [1.0, 2.0], 1.0), r"d.shape=\(2,\), must be that of v"),
        (lambda: hinge_step([1.0], [np.nan], 1.0), "must be finite"),
        (lambda: hinge_step([1.0], [1.0], 0.0), "c=0.0, must be positive"),
        (lambda: hinge_step([1.0], [1.0], 1.0, upper=-1.0), "upper=-1.0, must not be negative"),
        (lambda: hinge_step([1.0], [1.0], 1.0, complexity="x"), "complexity='x'"),
        (lambda: hinge_step_qnorm([1.0], [1.0], 1.0, p=1.0), "p=1.0, must be at least 2"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("upper", [0.0, 0.05])
def test_a_small_largest_step_is_taken(upper):
    assert hinge_step_euclidean([0.0], [1.0], c=1.0, margin=1.0, upper=upper) == upper
