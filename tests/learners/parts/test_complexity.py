"""A2: the facts every complexity function promises, and its golden values."""

import numpy as np
import pytest
from scipy.optimize import minimize

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
    as_complexity,
)

N = 5
ALL = {
    "euclid": Euclidean(),
    "ball": EuclideanBall(1.5),
    "on-simplex": EuclideanSet.simplex(1.0),
    "on-l1-ball": EuclideanSet.l1_ball(2.0),
    "entropy": Entropy(),
    "floored": FlooredEntropy(0.05),
    "q2": QNorm(2.0),
    "q3": QNorm(3.0),
    "q-large": QNorm(2 * np.log(1000)),
    "coins": BinaryEntropy(),
}
BOUNDED = {k: f for k, f in ALL.items() if k not in ("euclid", "q2", "q3", "q-large")}


@pytest.fixture(params=list(ALL.values()), ids=list(ALL))
def f(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_the_five_facts(f, rng):
    """Lemmas 11 to 15: Fenchel-Young, equality at the link, Lipschitz link, smoothness, angle."""
    for scale in (0.3, 1.0, 3.0, 10.0):
        th, la, other = scale * rng.normal(size=(3, 200, N))
        u = f.link(other)  # any point of S
        w = f.link(th)
        assert np.isfinite(f.value(u)).all()
        assert (f.value(u) + f.conjugate(th) >= (u * th).sum(-1) - 1e-9).all()
        np.testing.assert_allclose(
            f.value(w) + f.conjugate(th), (w * th).sum(-1), rtol=1e-9, atol=1e-9
        )
        moved = f.link(th + la)
        assert (f.norm(moved - w) <= f.dual_norm(la) * (1 + 1e-9) + 1e-9).all()
        left = f.conjugate(th + la) - f.conjugate(th)
        right = (w * la).sum(-1) + f.dual_norm(la) ** 2 / 2
        assert (left <= right + 1e-9 * (1 + np.abs(right))).all()
        if scale > 3:
            continue  # 1 - w has lost its digits, and the log odds with them
        # <u - w, th - grad f(w)> <= 0 for every u in S, where f is differentiable at w.
        inside = np.isfinite(f.gradient(w)).all(-1)
        angle = ((u - w) * (th - f.gradient(w))).sum(-1)[inside]
        assert (angle <= 1e-9 * (1 + np.abs(th).max())).all()


def test_strong_convexity_is_modulus_one(f, rng):
    u, w = f.link(rng.normal(size=(200, N))), f.link(rng.normal(size=(200, N)))
    divergence = f.value(u) - f.value(w) - ((u - w) * f.gradient(w)).sum(-1)
    np.testing.assert_allclose(f.bregman(u, w), divergence, atol=1e-9)
    assert (divergence >= f.norm(u - w) ** 2 / 2 - 1e-9).all()


def test_dual_norm_is_dual(f, rng):
    w, x = rng.normal(size=(2, 500, N))
    assert ((w * x).sum(-1) <= f.norm(w) * f.dual_norm(x) * (1 + 1e-12)).all()
    # And it is attained, at the direction each pair of norms is known for.
    best = {
        "Entropy": lambda x: np.sign(x) * (np.abs(x) == np.abs(x).max()),
        "FlooredEntropy": lambda x: np.sign(x) * (np.abs(x) == np.abs(x).max()),
        "QNorm": lambda x: np.sign(x) * np.abs(x) ** (getattr(f, "p", 2.0) - 1),
    }.get(type(f).__name__, lambda x: x)(x[0])
    np.testing.assert_allclose(best @ x[0], f.norm(best) * f.dual_norm(x[0]), rtol=1e-10)


def test_f_is_least_and_zero_at_the_start(f, rng):
    start = f.start(N)
    np.testing.assert_allclose(f.value(start), 0, atol=1e-12)
    np.testing.assert_allclose(f.conjugate(np.zeros(N)), 0, atol=1e-12)
    assert (f.value(f.link(rng.normal(size=(50, N)))) >= -1e-12).all()


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy 1.13's own steps
@pytest.mark.parametrize("name", list(ALL))
def test_link_is_the_argmax(name, rng):
    f = ALL[name]
    n = 3
    total = [{"type": "eq", "fun": lambda w: w.sum() - 1}]
    free, unit = [(None, None)] * n, [(0.0, 1.0)] * n
    # Each set described once more, to a solver that knows nothing of links.
    bounds, constraints = {
        "ball": (free, [{"type": "ineq", "fun": lambda w: 1.5**2 - w @ w}]),
        "on-simplex": (unit, total),
        "entropy": ([(1e-12, 1.0)] * n, total),
        "floored": ([(0.05, 1.0)] * n, total),
        "coins": ([(1e-12, 1 - 1e-12)] * n, []),
    }.get(name, (free, []))
    for _ in range(4):
        theta = rng.normal(size=n) * 1.5
        link = f.link(theta)
        if name == "on-l1-ball":  # split into positive and negative parts

            def objective(s, theta=theta):
                w = s[:n] - s[n:]
                return w @ w / 2 - w @ theta

            inside = [{"type": "ineq", "fun": lambda s: 2.0 - s.sum()}]
            found = minimize(
                objective, np.full(2 * n, 0.1), bounds=[(0, 2.0)] * (2 * n), method="SLSQP",
                constraints=inside, options={"ftol": 1e-15, "maxiter": 1000},
            )  # fmt: skip
            solution = found.x[:n] - found.x[n:]
        else:
            plain = Euclidean() if name in ("on-simplex", "ball") else f

            def objective(w, theta=theta, plain=plain):
                if name in ("entropy", "floored"):  # finite off the simplex, where SLSQP roams
                    return (w * np.log(w)).sum() - w @ theta
                return plain.value(w) - w @ theta

            found = minimize(
                objective, np.full(n, 1 / n), bounds=bounds, constraints=constraints,
                jac=lambda w, theta=theta, plain=plain: plain.gradient(w) - theta,
                method="SLSQP", options={"ftol": 1e-16, "maxiter": 1000},
            )  # fmt: skip
            solution = found.x
        np.testing.assert_allclose(link, solution, atol=1e-6)


def test_link_is_the_gradient_of_the_conjugate(f, rng):
    step = 1e-6
    for theta in rng.normal(size=(5, N)):
        numeric = [
            (f.conjugate(theta + step * e) - f.conjugate(theta - step * e)) / (2 * step)
            for e in np.eye(N)
        ]
        np.testing.assert_allclose(f.link(theta), numeric, atol=1e-7)


def test_gradient_inverts_the_link(f, rng):
    w = f.link(rng.normal(size=(20, N)))
    np.testing.assert_allclose(f.link(f.gradient(w)), w, atol=1e-9)


@pytest.mark.parametrize("f", BOUNDED.values(), ids=list(BOUNDED))
def test_radius_is_the_largest_value(f, rng):
    values = f.value(f.link(100 * rng.normal(size=(500, N))))
    assert values.max() <= f.radius(N) * (1 + 1e-9)
    assert values.max() >= f.radius(N) * 0.999  # extreme points are reached


def test_golden_values():
    theta = [0.0, 1.0, 2.0]
    np.testing.assert_allclose(
        Entropy().link(theta), [0.09003057, 0.24472847, 0.66524096], atol=1e-8
    )
    np.testing.assert_allclose(Entropy().conjugate(theta), 1.30899368, atol=1e-8)
    theta = [1.0, -2.0, 2.0]
    np.testing.assert_allclose(
        QNorm(3.0).link(theta), [0.19445556, -0.77782224, 0.77782224], atol=1e-8
    )
    np.testing.assert_allclose(QNorm(3.0).conjugate(theta), 1.65287225, atol=1e-8)


def test_one_dimension_and_zero(f):
    single = f if not isinstance(f, FlooredEntropy) else FlooredEntropy(0.5)
    assert single.link([0.3]).shape == (1,)
    assert np.isfinite(single.conjugate([0.3]))
    w = f.link(np.zeros(N))
    assert np.isfinite(w).all()
    if isinstance(f, QNorm | Euclidean) and not isinstance(f, EuclideanSet):
        np.testing.assert_array_equal(w, 0)


def test_huge_entries(f):
    theta = np.array([1e4, -1e4, 1e4, 0.0, 12.0])
    w = f.link(theta)
    assert np.isfinite(w).all()
    assert np.isfinite(f.conjugate(theta))
    if isinstance(f, Entropy):
        np.testing.assert_allclose(w.sum(), 1, rtol=1e-12)
    np.testing.assert_allclose(f.value(w) + f.conjugate(theta), w @ theta, rtol=1e-9)


def test_qnorm_link_survives_any_scale():
    theta = np.array([1.0, -2.0, 2.0])
    for scale in (1e200, 1e-200):
        np.testing.assert_allclose(QNorm(3.0).link(scale * theta) / scale, QNorm(3.0).link(theta))


def test_qnorm_at_two_is_euclid(rng):
    theta = rng.normal(size=(10, N))
    np.testing.assert_allclose(QNorm(2.0).link(theta), theta, rtol=1e-12)
    np.testing.assert_allclose(QNorm(2.0).conjugate(theta), Euclidean().conjugate(theta))


def test_smaller_function_has_larger_conjugate(rng):
    """f1 <= f2 implies f1* >= f2*: a smaller set is a larger function."""
    theta = rng.normal(size=(100, N))
    assert (Euclidean().conjugate(theta) >= EuclideanBall(1.0).conjugate(theta) - 1e-12).all()
    assert (Entropy().conjugate(theta) >= FlooredEntropy(0.1).conjugate(theta) - 1e-12).all()


def test_binary_entropy_is_convex():
    """The print has a leading minus."""
    f = BinaryEntropy()
    assert f.value([0.5]) == pytest.approx(0)
    assert f.value([0.0]) == pytest.approx(np.log(2))
    assert f.value([0.25]) < (f.value([0.0]) + f.value([0.5])) / 2


def test_outside_the_set_is_infinite():
    assert EuclideanBall(1.0).value([1.0, 1.0]) == np.inf
    assert Entropy().value([0.5, 0.6]) == np.inf
    assert Entropy().value([1.5, -0.5]) == np.inf
    assert FlooredEntropy(0.1).value([0.05, 0.95]) == np.inf
    assert BinaryEntropy().value([1.5]) == np.inf
    assert EuclideanSet.simplex().value([1.0, 1.0]) == np.inf


def test_zero_log_zero_is_zero():
    assert Entropy().value([1.0, 0.0]) == pytest.approx(np.log(2))
    assert Entropy().bregman([1.0, 0.0], [0.5, 0.5]) == pytest.approx(np.log(2))
    assert Entropy().bregman([0.5, 0.5], [1.0, 0.0]) == np.inf


@pytest.mark.parametrize("block", [Euclidean(), Entropy(), QNorm(3.0)], ids=str)
def test_blocks_are_a_concatenation(block, rng):
    """Lemma 18."""
    f = Blocks(block)
    for _ in range(50):
        th, la = rng.normal(size=(2, 4, N))
        w = f.link(th)
        np.testing.assert_array_equal(w, [block.link(row) for row in th])
        np.testing.assert_allclose(f.value(w) + f.conjugate(th), (w * th).sum(), rtol=1e-9)
        squared = sum(block.dual_norm(row) ** 2 for row in la)
        np.testing.assert_allclose(f.dual_norm(la) ** 2, squared)
        rise = f.conjugate(th + la) - f.conjugate(th)
        assert rise <= (w * la).sum() + squared / 2 + 1e-9
        np.testing.assert_allclose(f.norm(w) ** 2, sum(block.norm(row) ** 2 for row in w))
        u = f.link(la)
        np.testing.assert_allclose(
            f.bregman(u, w), f.value(u) - f.value(w) - ((u - w) * f.gradient(w)).sum(), atol=1e-9
        )
    assert f.radius(N) == block.radius(N)


def test_names():
    assert as_complexity("euclidean") == Euclidean()
    assert as_complexity(QNorm(4.0)) == QNorm(4.0)
    assert EuclideanSet.simplex(2.0) == EuclideanSet.simplex(2.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EuclideanBall(0.0), "rho=0.0, must be positive"),
        (lambda: QNorm(1.5), "p=1.5, must be at least 2"),
        (lambda: FlooredEntropy(-0.1), "floor=-0.1"),
        (lambda: FlooredEntropy(0.5).link([0.0, 0.0, 0.0]), r"floor=0.5, must lie in \[0, 1/n\]"),
        (lambda: Euclidean().value(3.0), r"shape=\(\), must be"),
        (lambda: Blocks(Euclidean()).link([1.0]), r"shape=\(1,\), must be \(\.\.\., k, n\)"),
        (lambda: as_complexity("l2"), "complexity='l2', must be a Complexity or one of"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
