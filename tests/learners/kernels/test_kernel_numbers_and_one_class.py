"""Kernel regression, one class, label sets and margins: primal twins, naive twins, bounds (C7)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.naive import pa_tau

from align.errors import ParameterError
from align.learners import (
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
)
from align.learners.kernels.functions import gaussian_kernel

UPDATES = ("pa", "pa1", "pa2")
seeds = st.integers(0, 2**32 - 1)
variants = st.sampled_from(UPDATES)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


# Numbers --------------------------------------------------------------------------------------


@given(seeds, variants, st.floats(0.02, 3.0), st.floats(0.0, 0.5))
@settings(max_examples=8)
def test_the_linear_kernel_is_the_regressor_of_vectors(seed, update, C, epsilon):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(280, 3))  # more than a block
    X[7] = 0.0
    y = X @ rng.normal(size=3) + 0.2 * rng.normal(size=280)
    shared = {"update": update, "C": C, "epsilon": epsilon, "shuffle": False, "epochs": 2}
    for average, conversion in ((False, "last"), (True, "average")):
        model = KernelPARegressor("linear", average=average, **shared).fit(X, y)
        flat = PassiveAggressiveRegressor(conversion=conversion, fit_intercept=False, **shared)
        flat.fit(X, y)
        close(model.dual_coef_[:, 0] @ model.support_vectors_, flat.coef_)
        close(model.predict(X), flat.predict(X))
    assert (model.n_mistakes_, model.n_updates_) == (flat.n_mistakes_, flat.n_updates_)
    assert model.cumulative_loss_ == pytest.approx(flat.cumulative_loss_)


@pytest.mark.parametrize("update", UPDATES)
def test_regression_in_the_space_of_a_kernel_round_by_round(update):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=300)
    K, coef, late = gaussian_kernel(X, X, 0.9), np.zeros(300), np.zeros(300)
    weights = rng.choice([0.5, 1.0, 2.0], size=300)
    for t in range(300):
        late += coef / 300
        error = y[t] - K[t] @ coef
        loss = max(0.0, abs(error) - 0.05)
        if loss > 0.0:
            coef[t] += np.sign(error) * pa_tau(update, loss, K[t, t], 0.4 * weights[t])
    for average, expected in ((False, coef), (True, late)):
        model = KernelPARegressor(sigma=0.9, update=update, C=0.4, epsilon=0.05, average=average)
        model.partial_fit(X[:120], y[:120], sample_weight=weights[:120])
        model.partial_fit(X[120:], y[120:], sample_weight=weights[120:])
        close(model.predict(X), K @ expected)


@given(seeds, st.sampled_from([1.0, 2.0]))
@settings(max_examples=10)
def test_theorem_1_for_numbers(seed, factor):
    """``sum l^2 + 2 (eps - eps*) sum l <= B |w*|^2``, w* within eps* of every number."""
    rng = np.random.default_rng(seed)
    X, centres, truth = rng.normal(size=(60, 2)), rng.normal(size=(4, 2)), rng.normal(size=4)
    tight = 0.05
    y = gaussian_kernel(X, centres, 1.0) @ truth + rng.uniform(-tight, tight, size=60)
    model = KernelPARegressor(sigma=1.0, update="pa", epsilon=factor * tight)
    losses = []
    for t in range(60):
        before = model.cumulative_loss_ if t else 0.0
        model.partial_fit(X[t : t + 1], y[t : t + 1])
        losses.append(model.cumulative_loss_ - before)
    square = truth @ gaussian_kernel(centres, centres, 1.0) @ truth  # B = K(x, x) = 1
    left = np.square(losses).sum() + 2 * (factor - 1) * tight * np.sum(losses)
    assert left <= square * (1 + 1e-9) + 1e-9


def test_a_budget_of_numbers():
    """Projected on fewer supports, regression of a smooth curve loses next to nothing."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(800, 1))
    y = np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=800)
    free = KernelPARegressor(sigma=0.5, C=0.3, epsilon=0.05).fit(X, y)
    small = KernelPARegressor(sigma=0.5, C=0.3, epsilon=0.05, budget=60).fit(X, y)
    assert len(small.support_vectors_) == 60 < len(free.support_vectors_)
    assert small.score(X, y) > free.score(X, y) - 0.01 > 0.95


# One class ------------------------------------------------------------------------------------


@given(seeds, variants, st.floats(0.02, 3.0), st.floats(0.1, 1.5))
@settings(max_examples=8)
def test_the_linear_kernel_is_the_centre_of_vectors(seed, update, C, epsilon):
    X = np.random.default_rng(seed).normal(size=(270, 3))
    for average in (False, True):
        shared = {"epsilon": epsilon, "average": average, "epochs": 2}
        model = KernelPAUniclass("linear", update=update, C=C, **shared).fit(X)
        flat = PassiveAggressiveUniclass(update, C, **shared).fit(X)
        close(model.dual_coef_ @ model.support_vectors_, flat.center_)
        close(model.score_samples(X), flat.score_samples(X))
        np.testing.assert_array_equal(model.predict(X), flat.predict(X))
        assert (model.n_mistakes_, model.n_updates_) == (flat.n_mistakes_, flat.n_updates_)
        assert model.cumulative_loss_ == pytest.approx(flat.cumulative_loss_)


@pytest.mark.parametrize("update", UPDATES)
def test_one_class_in_the_space_of_a_kernel_round_by_round(update):
    """The centre as the paper moves it, and the distance with the whole matrix of the kernel."""
    rng = np.random.default_rng(2)
    X, weights = rng.normal(size=(300, 2)), rng.choice([0.3, 1.0, 2.0], size=300)
    K, beta, centres = gaussian_kernel(X, X, 0.7), np.zeros(300), []
    beta[0] = 1.0
    for t in range(1, 300):
        centres.append(beta.copy())
        distance = np.sqrt(K[t, t] - 2 * K[t] @ beta + beta @ K @ beta)
        loss = max(0.0, distance - 0.6)
        if loss > 0.0:
            tau = pa_tau(update, loss, 1.0, 0.2 * weights[t])
            beta *= 1 - tau / distance
            beta[t] += tau / distance
    for average, expected in ((False, beta), (True, np.mean(centres, axis=0))):
        model = KernelPAUniclass(sigma=0.7, update=update, C=0.2, epsilon=0.6, average=average)
        for begin, end in ((0, 1), (1, 40), (40, 300)):
            model.partial_fit(X[begin:end], sample_weight=weights[begin:end])
        squares = 1.0 - 2 * K @ expected + expected @ K @ expected
        close(model.score_samples(X), -np.sqrt(squares))
        assert model.dual_coef_.min() >= 0.0  # a convex combination
        assert model.dual_coef_.sum() == pytest.approx(1.0)


@given(seeds, st.floats(0.0, 0.3))
@settings(max_examples=10)
def test_theorem_1_for_one_class(seed, more):
    """B is 1, and w_1 the first example; any centre that all are near may compete."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2))
    K, shares = gaussian_kernel(X, X, 1.0), rng.dirichlet(np.ones(50))
    square = shares @ K @ shares
    tight = np.sqrt((1.0 - 2 * K @ shares + square).max())
    model = KernelPAUniclass(sigma=1.0, update="pa", epsilon=tight + more)
    losses = []
    for t in range(50):
        before = model.cumulative_loss_ if t else 0.0
        model.partial_fit(X[t : t + 1])
        losses.append(model.cumulative_loss_ - before)
    away = 1.0 - 2 * K[0] @ shares + square
    assert np.square(losses).sum() + 2 * more * np.sum(losses) <= away * (1 + 1e-9) + 1e-9


def test_what_no_ball_of_vectors_finds():
    """Outliers within a ring."""
    rng = np.random.default_rng(0)
    angles, middle = rng.uniform(0, 2 * np.pi, size=600), 0.2 * rng.normal(size=(100, 2))
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) + 0.05 * rng.normal(size=(600, 2))

    def right(model):  # the share of pairs that are in order
        model.fit(ring[:400])
        inside, outside = model.score_samples(ring[400:]), model.score_samples(middle)
        return np.mean(inside[:, None] > outside)

    assert right(KernelPAUniclass(sigma=0.4, epsilon=0.8)) > 0.99
    assert right(PassiveAggressiveUniclass(epsilon=0.5)) < 0.5


# Label sets, and margins ----------------------------------------------------------------------


def label_sets(rng, m, k):
    Y = rng.random((m, k)) < 0.4
    Y[3], Y[5] = False, True  # nothing to tell apart
    return Y


@given(seeds, variants, st.integers(2, 5), st.floats(0.2, 3.0))
@settings(max_examples=10)
def test_label_sets_are_those_of_vectors(seed, update, k, margin):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(120, 4)), label_sets(rng, 120, k)
    shared = {"update": update, "C": 0.3, "margin": margin, "shuffle": False, "epochs": 2}
    model = KernelPA("linear", average=False, **shared).fit(X, Y.astype(int))
    flat = PassiveAggressiveClassifier(fit_intercept=False, **shared).fit(X, Y.astype(int))
    close(model.dual_coef_.T @ model.support_vectors_, flat.coef_)
    np.testing.assert_array_equal(model.predict(X), flat.predict(X))
    assert (model.n_mistakes_, model.n_updates_) == (flat.n_mistakes_, flat.n_updates_)
    right = Y[np.arange(120), model.predict(X)]
    assert model.score(X, Y) == pytest.approx(right.mean())


@pytest.mark.parametrize("update", UPDATES)
def test_label_sets_in_the_space_of_a_kernel_round_by_round(update):
    """The worst relevant label against the best other one, as the slides say (C6)."""
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(300, 3)), label_sets(rng, 300, 4)
    K, coef, mistakes = gaussian_kernel(X, X, 1.1), np.zeros((300, 4)), 0
    for t in range(300):
        scores = K[t] @ coef
        if Y[t].all() or not Y[t].any():
            continue
        up = int(np.argmin(np.where(Y[t], scores, np.inf)))
        down = int(np.argmax(np.where(Y[t], -np.inf, scores)))
        mistakes += scores[up] <= scores[down]
        loss = max(0.0, 0.5 - scores[up] + scores[down])
        if loss > 1e-12:
            tau = pa_tau(update, loss, 2 * K[t, t], 0.7)
            coef[t, up] += tau
            coef[t, down] -= tau
    model = KernelPA(sigma=1.1, update=update, C=0.7, margin=0.5, average=False)
    model.partial_fit(X[:130], Y[:130]).partial_fit(X[130:], Y[130:])
    close(model.scores(X), K @ coef)
    assert model.n_mistakes_ == mistakes


@given(seeds, variants, st.floats(0.1, 4.0))
@settings(max_examples=8)
def test_a_margin_of_classes_is_that_of_vectors(seed, update, margin):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(90, 3)), rng.integers(2, size=90)
    shared = {"update": update, "C": 0.3, "margin": margin, "shuffle": False}
    model = KernelPA("linear", average=False, **shared).fit(X, y)
    flat = PassiveAggressiveClassifier(fit_intercept=False, **shared).fit(X, y)
    close(model.decision_function(X), flat.decision_function(X))
    assert model.cumulative_loss_ == pytest.approx(flat.cumulative_loss_)


# What cannot be -------------------------------------------------------------------------------

X5, Y5 = np.eye(5), np.eye(5, dtype=int)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: KernelPA(margin=0.0).fit(X5, range(5)), r"margin=0.0, must be positive"),
        (lambda: KernelPA().fit(X5, 2 * Y5), "must hold 0 and 1 where it has a column"),
        (lambda: KernelPA().fit(X5, range(5)).partial_fit(X5, Y5), "classes in one call and sets"),
        (lambda: KernelPA().fit(X5, Y5).partial_fit(X5, Y5[:, :3]), "y has 3 labels, must have 5"),
        (lambda: KernelPARegressor(epsilon=-1.0).fit(X5, range(5)), r"epsilon=-1.0, must be"),
        (lambda: KernelPARegressor().fit(X5, Y5), r"y.shape=\(5, 5\), must be \(n,\)"),
        (lambda: KernelPARegressor().fit(X5, ["a"] * 5), "y must hold numbers"),
        (lambda: KernelPARegressor().fit(X5, [np.inf] * 5), "Input y contains NaN or infinity"),
        (lambda: KernelPARegressor().fit(X5, range(4)), r"numbers of samples: \[5, 4\]"),
        (lambda: KernelPAUniclass(epsilon=np.nan).fit(X5), "epsilon=nan, must be finite"),
        (lambda: KernelPAUniclass(C=0.0).fit(X5), "C=0.0, must be positive"),
        (lambda: KernelPAUniclass().predict(X5), "this KernelPAUniclass is not fitted yet"),
        (lambda: KernelPAUniclass("linear").fit(1e200 * X5), "the centre overflowed"),
        (lambda: KernelPARegressor("linear").fit(X5 + 1e200, range(5)), "the scores overflowed"),
    ],
)
def test_what_cannot_be(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_a_support_of_the_centre_is_stored_once_in_all_epochs():
    X = np.random.default_rng(4).normal(size=(20, 2))
    model = KernelPAUniclass(sigma=1.0, epsilon=0.2, epochs=4).fit(X)
    supports = model.support_vectors_
    assert model.n_rounds_ == 80
    assert model.n_updates_ > len(supports)  # some were met again, the first of all as well
    assert len(np.unique(supports, axis=0)) == len(supports) <= 20
