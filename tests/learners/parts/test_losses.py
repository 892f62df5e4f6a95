"""A3: values, subgradients, conjugates and constants of the losses."""

import numpy as np
import pytest
from scipy.optimize import minimize

from align.errors import ParameterError
from align.learners import (
    AverageOfHinge,
    Boosting,
    Entropy,
    EpsilonInsensitive,
    Euclidean,
    HalfSquared,
    Hinge,
    MaxOfHinge,
    QNorm,
    SquaredHinge,
    Uniclass,
)

N = 4


def draw(loss, rng):
    """Draw an instance and a target that suit the loss."""
    if isinstance(loss, MaxOfHinge | AverageOfHinge):
        return rng.normal(size=(3, N)), rng.normal(size=3) + 0.5
    target = rng.choice([-1, 1]) if isinstance(loss, Hinge | SquaredHinge) else rng.normal()
    return rng.normal(size=N), target


LOSSES = [
    Hinge(),
    Hinge(0.3),
    EpsilonInsensitive(0.2),
    EpsilonInsensitive(),
    HalfSquared(),
    SquaredHinge(),
    SquaredHinge(C=0.3, margin=2.0),
    MaxOfHinge(),
    AverageOfHinge(),
    Boosting(),
    Uniclass(0.7),
]


@pytest.fixture(params=LOSSES, ids=str)
def loss(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_fenchel_young_is_tight_at_the_subgradient(loss, rng):
    for _ in range(60):
        x, y = draw(loss, rng)
        w = rng.normal(size=N) * rng.choice([0.3, 1, 3])
        lam = loss.subgradient(w, x, y)
        np.testing.assert_allclose(
            w @ lam - loss.conjugate(lam, x, y), loss.value(w, x, y), atol=1e-10, rtol=1e-9
        )


def test_subgradient_inequality(loss, rng):
    for _ in range(60):
        x, y = draw(loss, rng)
        w, u = rng.normal(size=(2, N)) * 2
        assert loss.value(w, x, y) >= 0
        lam = loss.subgradient(w, x, y)
        assert loss.value(u, x, y) >= loss.value(w, x, y) + (u - w) @ lam - 1e-12


def test_conjugate_is_the_supremum(loss, rng):
    """Inside the domain no w does better, and a numeric search comes near."""
    for _ in range(6):
        x, y = draw(loss, rng)
        at = rng.normal(size=(2, N)) * 2
        # A mean of two subgradients lies in the (convex) domain.
        lam = (loss.subgradient(at[0], x, y) + loss.subgradient(at[1], x, y)) / 2
        conjugate = loss.conjugate(lam, x, y)
        assert np.isfinite(conjugate)

        def objective(w, x=x, y=y, lam=lam):
            return loss.value(w, x, y) - w @ lam

        best = -np.inf
        for start in (*at, *rng.normal(size=(4, N))):
            found = minimize(objective, start, method="Nelder-Mead",
                             options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000,
                                      "maxfev": 8000, "adaptive": True})  # fmt: skip
            best = max(best, -found.fun)
        assert best <= conjugate + 1e-9
        np.testing.assert_allclose(best, conjugate, atol=2e-3)


def test_conjugate_is_infinite_outside_its_domain(loss, rng):
    x, y = draw(loss, rng)
    big = 50 * rng.normal(size=N)
    assert loss.conjugate(big, x, y) == np.inf
    if not isinstance(loss, HalfSquared | SquaredHinge | MaxOfHinge | AverageOfHinge | Uniclass):
        assert loss.conjugate(1.5 * x, x, y) == np.inf


@pytest.mark.parametrize("complexity", [Euclidean(), Entropy(), QNorm(3.0)], ids=str)
def test_constants_bound_the_subgradients(loss, complexity, rng):
    if isinstance(loss, Uniclass):
        if not isinstance(complexity, Euclidean):
            with pytest.raises(ParameterError, match="must be Euclidean"):
                loss.constant(np.ones(N), None, complexity)
            return
    for _ in range(60):
        x, y = draw(loss, rng)
        w = rng.normal(size=N)
        half = complexity.dual_norm(loss.subgradient(w, x, y)) ** 2 / 2
        bound = loss.constant(x, y, complexity)
        if loss.kind == "self-bounded":
            # Both squared losses meet it with equality: the printed constant was twice too large.
            np.testing.assert_allclose(half, bound * loss.value(w, x, y), rtol=1e-9, atol=1e-12)
        else:
            assert half <= bound * (1 + 1e-9)


def test_zero_instance():
    """The loss does not depend on w; the conjugate at 0 is minus that loss."""
    x = np.zeros(N)
    for loss, y in [(Hinge(0.3), -1), (EpsilonInsensitive(0.5), 2.0), (HalfSquared(), -3.0),
                    (SquaredHinge(2.0, margin=0.5), 1), (Boosting(), None)]:  # fmt: skip
        w = np.ones(N)
        np.testing.assert_array_equal(loss.subgradient(w, x, y), 0)
        assert loss.conjugate(np.zeros(N), x, y) == pytest.approx(-loss.value(w, x, y))
        assert loss.conjugate(np.ones(N), x, y) == np.inf


def test_conjugate_of_the_maximum_takes_the_least_representation():
    """Two ways to write lambda; the case split of the print hides the choice."""
    a = np.array([[1.0, 0.0], [1.0, 0.0]])
    b = np.array([1.0, 3.0])
    lam = -0.5 * a[0]
    # alpha = (.5, 0) gives -.5, alpha = (0, .5) gives -1.5.
    assert MaxOfHinge().conjugate(lam, a, b) == pytest.approx(-1.5)
    assert AverageOfHinge().conjugate(lam, a, b) == pytest.approx(-1.5)


def test_average_is_at_most_the_maximum(rng):
    for _ in range(50):
        a, b = draw(MaxOfHinge(), rng)
        w = rng.normal(size=N)
        assert AverageOfHinge().value(w, a, b) <= MaxOfHinge().value(w, a, b) + 1e-12


def test_no_direction_is_no_loss():
    a, b, w = np.empty((0, N)), np.empty(0), np.ones(N)
    for loss in (MaxOfHinge(), AverageOfHinge()):
        assert loss.value(w, a, b) == 0
        np.testing.assert_array_equal(loss.subgradient(w, a, b), 0)
        assert loss.conjugate(np.zeros(N), a, b) == 0
        assert loss.conjugate(np.ones(N), a, b) == np.inf
        assert loss.constant(a, b) == 0


def test_uniclass_within_its_radius():
    loss = Uniclass(1.0)
    np.testing.assert_array_equal(loss.subgradient([0.0, 0.0], [0.5, 0.0]), 0)
    assert loss.conjugate([2.0, 0.0], [0.5, 0.0]) == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hinge(-1.0), "margin=-1.0, must be finite and not negative"),
        (lambda: SquaredHinge(C=0.0), "C=0.0, must be positive"),
        (lambda: EpsilonInsensitive(np.nan), "epsilon=nan"),
        (lambda: Hinge().value([1.0], [1.0], 0), "y=0, must be -1 or"),
        (lambda: Hinge().value([1.0], [1.0]), "y=None, must be -1 or"),
        (lambda: HalfSquared().value([1.0], [1.0]), "y=None, must be a finite number"),
        (lambda: Hinge().value([1.0], [1.0, 2.0], 1), r"x.shape=\(2,\), must be that of w"),
        (lambda: MaxOfHinge().value([1.0], [[1.0]], [1.0, 2.0]), r"must be \(2, 1\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
