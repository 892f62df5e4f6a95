"""C1 to C4, C6 and C8: passive-aggressive learners, their bounds and their equivalences."""

import numpy as np
import pytest
import scipy.sparse as sp
from learner_streams import competitors, gaussian, unit
from learners.naive import multiclass_pa, pa_tau

from align.errors import ParameterError
from align.learners import (
    OnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    cycle_until,
)

UPDATES = ("pa", "pa1", "pa2")


def plain(update, C=1.0, **params):
    return PassiveAggressiveClassifier(update, C=C, fit_intercept=False, **params)


def at(model, w):
    """Put a learner of two classes that has begun into a given state."""
    run = model._run
    run.V[0, : len(w)] = np.asarray(w) / run.scale
    run.sums[4] = (run.V**2).sum()
    model._cached = None
    return model


@pytest.mark.parametrize(
    ("update", "C", "expected"),
    [("pa", 1.0, [0.8, 0.1]), ("pa1", 0.1, [0.6, -0.3]), ("pa2", 0.1, [0.65, -0.2])],
)
def test_golden_values(update, C, expected):
    """Y9."""
    model = plain(update, C=C).partial_fit([[0.0, 0.0]], [1], classes=[-1, 1])
    played = at(model, [0.5, -0.5]).step([1.0, 2.0], 1)
    assert played.loss == pytest.approx(1.5)
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-12)
    assert played.updated


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("update", UPDATES)
def test_two_classes_follow_the_paper(update, sparse):
    X, y, _ = gaussian(200, 6, 0.1, seed=1)
    Z = np.hstack([X, np.ones((200, 1))])
    model = PassiveAggressiveClassifier(update, C=0.3)
    model.partial_fit(sp.csr_matrix(X) if sparse else X, y)
    w, mistakes, losses = np.zeros(7), 0, 0.0
    for z, sign in zip(Z, y, strict=True):
        mistakes += (1 if w @ z >= 0 else -1) != sign
        loss = max(1.0 - sign * (w @ z), 0.0)
        losses += loss
        w += pa_tau(update, loss, z @ z, 0.3) * sign * z
    np.testing.assert_allclose(model.coef_[0], w[:6], atol=1e-10)
    np.testing.assert_allclose(model.intercept_, w[6:], atol=1e-10)
    assert model.n_mistakes_ == mistakes
    assert model.cumulative_loss_ == pytest.approx(losses)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("update", UPDATES)
def test_more_classes_follow_the_slides(update, sparse):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 5)), rng.integers(4, size=200)
    Z = np.hstack([X, np.ones((200, 1))])
    model = PassiveAggressiveClassifier(update, C=0.3)
    model.partial_fit(sp.csr_matrix(X) if sparse else X, y)
    W, _, mistakes, _ = multiclass_pa(Z, y, 4, update, 0.3)
    np.testing.assert_allclose(model.coef_, W[:, :5], atol=1e-10)
    np.testing.assert_allclose(model.intercept_, W[:, 5], atol=1e-10)
    assert model.n_mistakes_ == mistakes


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("update", UPDATES)
def test_label_sets(update, sparse):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(150, 5)), rng.integers(2, size=(150, 4))
    Y[3], Y[4] = 0, 1  # nothing to rank
    model = plain(update, C=0.3, record=True)
    model.partial_fit(sp.csr_matrix(X) if sparse else X, Y)
    W, mistakes = np.zeros((4, 5)), 0
    for x, relevant in zip(X, Y == 1, strict=True):
        if relevant.all() or not relevant.any():
            continue
        scores = W @ x
        r = np.where(relevant, scores, np.inf).argmin()
        s = np.where(relevant, -np.inf, scores).argmax()
        mistakes += scores[r] <= scores[s]
        tau = pa_tau(update, max(1.0 - scores[r] + scores[s], 0.0), 2.0 * (x @ x), 0.3)
        W[r] += tau * x
        W[s] -= tau * x
    np.testing.assert_allclose(model.coef_, W, atol=1e-10)
    assert model.n_mistakes_ == mistakes
    assert (model.trace_.loss[3:5] == 0.0).all()
    for u in (rng.normal(size=20), np.zeros(20), model.coef_.ravel()):
        name = {"pa": "PA", "pa1": "PA-I", "pa2": "PA-II"}[update]
        assert model.trace_.certify(name, u=u).holds
    steps = plain(update, C=0.3)
    for x, relevant in zip(X, Y, strict=True):
        steps.step(x, relevant)
    np.testing.assert_allclose(steps.coef_, W, atol=1e-10)
    with pytest.raises(ParameterError, match="y has 3 labels, must have 4"):
        model.partial_fit(X, Y[:, :3])
    with pytest.raises(ParameterError, match="classes in one call and sets of labels in another"):
        model.partial_fit(X, Y[:, 0])


@pytest.mark.parametrize("update", UPDATES)
def test_regression_follows_the_paper(update):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 5))
    y = X @ rng.normal(size=5) + 0.3 * rng.normal(size=200)
    model = PassiveAggressiveRegressor(update, C=0.3, epsilon=0.2, fit_intercept=False)
    model.partial_fit(X, y)
    w, wrong = np.zeros(5), 0
    for x, target in zip(X, y, strict=True):
        error = target - w @ x
        loss = max(abs(error) - 0.2, 0.0)
        wrong += loss > 0.0
        w += pa_tau(update, loss, x @ x, 0.3) * np.sign(error) * x
    np.testing.assert_allclose(model.coef_, w, atol=1e-10)
    assert model.n_mistakes_ == wrong


@pytest.mark.parametrize("update", UPDATES)
def test_one_class_follows_the_paper(update):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100, 3)) + 2.0
    model = PassiveAggressiveUniclass(update, C=0.2, epsilon=0.7).partial_fit(X)
    mean = PassiveAggressiveUniclass(update, C=0.2, epsilon=0.7, average=True)
    for chunk in np.array_split(X, 7):
        mean.partial_fit(sp.csr_matrix(chunk))
    steps = PassiveAggressiveUniclass(update, C=0.2, epsilon=0.7)
    played = [steps.step(x) for x in X]
    w, seen, squares = X[0].copy(), [], 0.0
    for x in X[1:]:
        seen.append(w.copy())
        distance = np.linalg.norm(x - w)
        loss = max(distance - 0.7, 0.0)
        squares += loss**2
        w += pa_tau(update, loss, 1.0, 0.2) * (x - w) / distance
        assert (w >= X.min(0)).all()
        assert (w <= X.max(0)).all()
    np.testing.assert_allclose(model.center_, w, atol=1e-12)
    np.testing.assert_allclose(steps.center_, w, atol=1e-12)
    np.testing.assert_allclose(mean.center_, np.mean(seen, axis=0), atol=1e-12)
    assert model.cumulative_squared_loss_ == pytest.approx(squares)
    assert sum(r.loss for r in played) == pytest.approx(model.cumulative_loss_)
    for u in (X.mean(0), X[3], np.zeros(3)):
        assert squares <= model.squared_loss_bound(u, X) * (1 + 1e-9)


def test_one_class_where_a_centre_fits_all():
    """C2, Theorem 1 with B = 1; the epsilon of u is smaller by e."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4))
    X *= rng.random((300, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    u = np.zeros(4)  # all within 1 of it
    for epsilon in (1.0, 2.0, 1.05):
        model = PassiveAggressiveUniclass("pa", epsilon=epsilon).partial_fit(X)
        left = model.cumulative_squared_loss_ + 2 * (epsilon - 1.0) * model.cumulative_loss_
        assert left <= ((u - X[0]) ** 2).sum() + 1e-9
    tight = PassiveAggressiveUniclass("pa", epsilon=0.9)
    tight.partial_fit(X)
    assert tight.n_updates_ > 0


def test_one_class_counts_and_logs_each_round():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 3))
    model = PassiveAggressiveUniclass("pa2", C=0.3, epsilon=1.2)
    rounds = [model.step(x) for x in X]
    with_loss = sum(each.loss > 0.0 for each in rounds)
    assert 0 < with_loss < 39
    assert model.n_mistakes_ == model.n_updates_ == with_loss
    assert model.n_rounds_ == 40
    assert {each.norm for each in rounds[1:]} == {1.0}  # the direction has length 1
    assert {each.c for each in rounds} == {1.0}
    chunked = PassiveAggressiveUniclass("pa2", C=0.3, epsilon=1.2).partial_fit(X)
    assert chunked.n_mistakes_ == with_loss


def test_one_class_predicts_plus_and_minus_one_for_the_width_it_knows():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 9.0]])
    model = PassiveAggressiveUniclass(epsilon=1.0).partial_fit(X[:2])
    for data in (X, sp.csr_array(X)):
        assert model.predict(data).tolist() == [1, 1, -1]
    # A distance of epsilon is within, also where rounding has made a little more of it.
    about = [[0.0, 1.0], [0.0, 1.0 + 1e-10], [0.0, 1.0 + 1e-6]]
    assert model.predict(about).tolist() == [1, 1, -1]
    with pytest.raises(ValueError, match="expecting 2 features"):
        model.predict(np.zeros((1, 5)))


def test_the_mean_of_a_single_centre_is_that_centre():
    X = np.array([[1.0, 2.0], [5.0, 7.0], [3.0, 1.0]])
    model = PassiveAggressiveUniclass("pa", epsilon=0.5, average=True)
    np.testing.assert_array_equal(model.partial_fit(X[:1]).center_, X[0])
    # Only round 2 has predicted, with the first example as the centre.
    np.testing.assert_allclose(model.partial_fit(X[1:2]).center_, X[0], atol=1e-12)
    second = PassiveAggressiveUniclass("pa", epsilon=0.5).partial_fit(X[:2]).center_
    model.partial_fit(X[2:])
    np.testing.assert_allclose(model.center_, (X[0] + second) / 2.0, atol=1e-12)


def test_the_bound_on_squared_losses_of_one_class_in_numbers():
    X = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    u = np.array([0.0, 1.0])  # 1 from the first; losses sqrt(18) - 2 and 0
    squares = (np.sqrt(18.0) - 2.0) ** 2
    model = PassiveAggressiveUniclass("pa2", C=0.25, epsilon=2.0).partial_fit(X)
    assert model.squared_loss_bound(u, X) == pytest.approx(3.0 * (1.0 + 0.5 * squares))
    hard = PassiveAggressiveUniclass("pa", epsilon=3.0).partial_fit(X)
    assert hard.squared_loss_bound(u, X) == np.inf  # u has a loss
    assert hard.squared_loss_bound([1.5, 2.0], X) == 6.25
    soft = PassiveAggressiveUniclass("pa1", epsilon=3.0).partial_fit(X)
    assert soft.squared_loss_bound([1.5, 2.0], X) == np.inf  # no such bound


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_pa_is_the_projection_on_zero_loss(fit_intercept):
    """C1: loss 0 on the example just seen, margin exactly 1, the smallest move that does it."""
    X, y, _ = gaussian(100, 4, 0.2, seed=7)
    model = PassiveAggressiveClassifier("pa", fit_intercept=fit_intercept)
    model.partial_fit(np.zeros((1, 4)), [1], classes=[-1, 1])
    for x, sign in zip(X, y, strict=True):
        before = np.append(model.coef_[0], model.intercept_)
        played = model.step(x, sign)
        after = np.append(model.coef_[0], model.intercept_)
        margin = sign * model.decision_function([x])[0]
        if played.updated:
            assert margin == pytest.approx(1.0, abs=1e-12)
            z = np.append(x, float(fit_intercept))
            np.testing.assert_allclose(after - before, played.tau * sign * z, atol=1e-12)
            assert not model.step(x, sign).updated  # an example met again at once has no loss
        else:
            assert margin >= 1.0 - 1e-12
    regressor = PassiveAggressiveRegressor("pa", epsilon=0.25)
    for x in X:
        if regressor.step(x, 3.0).updated:
            assert abs(regressor.predict([x])[0] - 3.0) == pytest.approx(0.25, abs=1e-12)


def test_bounds_of_pa_where_data_is_separable():
    """C1: Theorem 1, Lemma 2, mistakes; for margins below what u has, too."""
    X, y, u = unit(400, 5, 0.1, seed=8)
    gamma = (y * (X @ u)).min()
    for share in (1.0, 0.5, 0.9):
        w_star = u / gamma  # margin 1 everywhere; the learner asks for `share` of it
        model = plain("pa", margin=share, record=True).partial_fit(X, y)
        trace = model.trace_
        left = (trace.loss**2).sum() + 2 * (1.0 - share) * trace.loss.sum()
        assert left <= w_star @ w_star * (1 + 1e-9)
        assert np.linalg.norm(model.coef_) <= 2 * np.linalg.norm(w_star) * (1 + 1e-9)
        certificate = trace.certify("PA", u=w_star)
        assert certificate.holds
        assert model.n_mistakes_ <= model.mistake_bound(w_star) * (1 + 1e-9)
    assert trace.certify("PA", u=0.0 * u).right == np.inf
    noisy, labels, v = gaussian(400, 5, 0.1, seed=9)
    noisy /= np.linalg.norm(noisy, axis=1, keepdims=True)
    losses = plain("pa", record=True).partial_fit(noisy, labels).trace_.loss
    for w in competitors(v):  # S1, for unit instances
        other = np.maximum(1.0 - labels * (noisy @ w), 0.0)
        bound = (np.linalg.norm(w) + 2 * np.sqrt((other**2).sum())) ** 2
        assert (losses**2).sum() <= bound * (1 + 1e-9)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_bounds_of_the_relaxed_variants(C, noise):
    X, y, u = gaussian(300, 6, noise, seed=10)
    rng = np.random.default_rng(11)
    target = X @ u + noise * rng.normal(size=300)
    for w in competitors(u):
        one = plain("pa1", C=C, record=True).partial_fit(X, y)
        for bound in ("PA-I", "Lemma 2", "Cor 1", "weak duality"):
            assert one.trace_.certify(bound, u=w).holds, bound
        assert one.n_mistakes_ <= one.mistake_bound(w) * (1 + 1e-9)
        assert one.cumulative_loss_ <= one.regret_bound(w) + one.trace_.losses_of(w).sum() + 1e-6
        two = plain("pa2", C=C, record=True).partial_fit(X, y)
        number = PassiveAggressiveRegressor("pa2", C=C, fit_intercept=False, record=True)
        number.partial_fit(X, target)
        for bound in ("PA-II", "Lemma 2", "weak duality"):
            assert two.trace_.certify(bound, u=w).holds, bound
            assert number.trace_.certify(bound, u=w).holds, bound
    classes = np.abs(np.round(target)).astype(int) % 3
    many = plain("pa1", C=C, record=True).partial_fit(X, classes)
    for w in (np.zeros(18), rng.normal(size=18)):
        assert many.trace_.certify("PA-I", u=w).holds
        assert many.trace_.certify("weak duality", u=w).holds


def test_equivalences_of_slack_and_complexity():
    """W1 to W4."""
    X, y, _ = gaussian(300, 6, 0.1, seed=12)

    def general(loss, c, C=1.0):
        model = OnlineClassifier(loss=loss, tuning=c, C=C, fit_intercept=False)
        return model.partial_fit(X, y).coef_

    for C in (0.01, 1.0, 10.0):
        pa_1 = plain("pa1", C=C).partial_fit(X, y).coef_
        np.testing.assert_allclose(general("hinge", 1.0 / C), pa_1, atol=1e-12)
        pa_2 = plain("pa2", C=C).partial_fit(X, y).coef_
        np.testing.assert_allclose(general("squared-hinge", 1.0, C), pa_2, atol=1e-12)
        w, gamma = np.zeros(6), 1.0 / (2.0 * C)  # W4
        for x, sign in zip(X, y, strict=True):
            w += max(1 - sign * (w @ x), 0.0) / (x @ x + gamma) * sign * x
        np.testing.assert_allclose(pa_2[0], w, atol=1e-10)
    pa = plain("pa").partial_fit(X, y).coef_
    np.testing.assert_allclose(general("hinge", 1e-9), pa, atol=1e-6)


@pytest.mark.parametrize("update", UPDATES)
def test_two_blocks_are_one_score(update):
    """W22: w_1 - w_2 follows the binary learner of 2 C."""
    X, y, _ = gaussian(300, 6, 0.1, seed=13)
    blocks = plain(update, C=0.2)
    blocks.partial_fit(X, np.stack([y < 0, y > 0], axis=1).astype(int))
    one = plain(update, C=0.4).partial_fit(X, y)
    np.testing.assert_allclose(blocks.coef_[1] - blocks.coef_[0], one.coef_[0], atol=1e-12)


def test_cycling():
    """C8: few updates, small losses, and an honest answer where nothing fits."""
    X, y, u = unit(200, 5, 0.2, seed=15)
    w_star = u / (y * (X @ u)).min()
    for beta in (0.25, 0.01):
        for data in (X, sp.csr_matrix(X)):
            model = plain("pa")
            assert cycle_until(model, data, y, beta=beta)
            assert model.n_updates_ <= np.ceil(w_star @ w_star / beta)
            losses = np.maximum(1 - y * (X @ model.coef_[0]), 0)
            assert (losses**2 <= beta + 1e-9).all()
            assert np.linalg.norm(model.coef_) <= 2 * np.linalg.norm(w_star)
    assert not cycle_until(plain("pa"), X[[0, 0]], [1, 0], max_updates=1000)
    with pytest.raises(ParameterError, match="beta=0"):
        cycle_until(plain("pa"), X, y, beta=0)
    ball = np.random.default_rng(16).normal(size=(100, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    centre = PassiveAggressiveUniclass("pa", epsilon=1.0)
    assert cycle_until(centre, ball, beta=1e-4)
    assert (np.linalg.norm(ball - centre.center_, axis=1) <= 1.01 + 1e-9).all()
    numbers = PassiveAggressiveRegressor("pa", epsilon=0.1, fit_intercept=False)
    assert cycle_until(numbers, X, X @ u, beta=1e-4)
    assert (np.abs(numbers.predict(X) - X @ u) <= 0.11 + 1e-9).all()


def test_bounds_ask_for_a_record():
    X, y, u = gaussian(20, 3, 0.0, seed=17)
    with pytest.raises(ParameterError, match="construct the learner with record=True"):
        plain("pa").partial_fit(X, y).mistake_bound(u)
    model = plain("pa", record=True).partial_fit(X, y)
    with pytest.raises(ParameterError, match="bound='Thm 99', must be one of"):
        model.trace_.certify("Thm 99", u=u)
    with pytest.raises(ParameterError, match="the bound is about conservative classifiers"):
        plain("pa1", record=True).partial_fit(X, y).trace_.certify("Cor 7", u=u)
    with pytest.raises(ParameterError, match="u has 2 entries, must have 3"):
        model.trace_.certify("PA", u=u[:2])
    model.partial_fit(X, np.where(y > 0, 5, 6))
    with pytest.raises(ParameterError, match="announce all classes at the start"):
        model.trace_.certify("PA", u=np.zeros((4, 3)))
