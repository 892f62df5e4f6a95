"""D5: ranking the instances of a query, by the average and by the worst pair."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from learners.naive import instance_dual, pairs_of
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import (
    AverageOfHinge,
    InstanceRanker,
    LabelRanker,
    MaxOfHinge,
    MistakeTuning,
    RunningTuning,
    SelfTuning,
    max_hinge_bound,
)
from align.learners.ranking.ranking_losses import instance_ranking_errors, instance_ranking_loss

FIVE = [
    ("average", "subgradient"),
    ("average", "exact"),
    ("maximum", "subgradient"),
    ("maximum", "worst"),
    ("maximum", "exact"),
]


def stream(seed, queries=60, n=6, noise=0.3, largest=7):
    """Queries whose grades follow a linear score, and its weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, size=queries)
    groups = np.repeat(np.arange(queries), sizes)
    X = rng.normal(size=(groups.size, n)) * rng.choice([0.3, 1.0], size=(groups.size, 1))
    u = rng.normal(size=n)
    y = np.rint(X @ u + noise * rng.normal(size=groups.size))
    y[rng.random(queries)[groups] < 0.05] = 1.0  # all equal: no pairs
    return X, y, groups, u


def split(X, y, groups):
    return [(X[groups == g], y[groups == g]) for g in np.unique(groups)]


# The losses ---------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
def test_losses_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 7))
    x, y, w = rng.normal(size=(k, 3)), rng.integers(0, 4, size=k).astype(float), rng.normal(size=3)
    a, b = pairs_of(x, y)
    average, largest = (instance_ranking_loss(x @ w, y, name) for name in ("average", "maximum"))
    assert average == pytest.approx(AverageOfHinge().value(w, a, b))
    assert largest == pytest.approx(MaxOfHinge().value(w, a, b))
    assert average <= largest + 1e-12
    expected = (a @ w <= 0).mean() if len(a) else 0.0
    assert instance_ranking_errors(x @ w, y) == expected
    model = InstanceRanker().start(3)
    model._v[:] = w
    played = model.step(x, y)
    assert played.loss == pytest.approx(average)
    assert played.cost == pytest.approx(expected)


@pytest.mark.parametrize(("loss", "update"), FIVE)
def test_no_pairs_no_step(loss, update):
    model = InstanceRanker(loss, update).start(2)
    for x, y in ([[[1.0, 2.0]], [3.0]], [[[1.0, 2.0], [0.0, 1.0]], [2.0, 2.0]]):
        played = model.step(x, y)
        assert (played.loss, played.cost, played.updated) == (0.0, 0.0, False)
    assert (model.n_rounds_, model.n_mistakes_, model.n_updates_) == (2, 0, 0)
    assert not model.coef_.any()


@pytest.mark.parametrize(("loss", "update"), FIVE)
def test_equal_instances_of_different_grades(loss, update):
    """No weights avoid the loss: it counts, and the dual knows of it, but nothing moves."""
    model = InstanceRanker(loss, update).start(2)
    played = model.step([[1.0, 2.0], [1.0, 2.0]], [1.0, 0.0])
    assert (played.loss, played.cost, played.updated) == (1.0, 1.0, False)
    assert played.dual == pytest.approx(1.0)
    assert not model.coef_.any()


# The steps ----------------------------------------------------------------------------------


def primal(w, w0, c, x, y, loss):
    return c / 2 * ((w - w0) ** 2).sum() + instance_ranking_loss(x @ w, y, loss)


@pytest.mark.parametrize("loss", ["average", "maximum"])
def test_exact_step_against_a_generic_solver(loss):
    rng = np.random.default_rng(31)
    for _ in range(25):
        k, n, c = int(rng.integers(2, 6)), int(rng.integers(1, 9)), float(rng.choice([0.3, 1, 5]))
        x, y, w0 = rng.normal(size=(k, n)), rng.integers(0, 3, size=k) * 1.0, rng.normal(size=n)
        if np.ptp(y) == 0.0 or instance_ranking_loss(x @ w0, y, loss) == 0.0:
            continue
        max_iter = 2000 if loss == "maximum" else 500
        model = InstanceRanker(loss, "exact", c=c, max_iter=max_iter, tol=1e-10).start(n)
        model._v[:] = c * w0
        model._square = (model._v**2).sum()
        before = -model._square / (2 * c)
        played = model.step(x, y)
        move, value = instance_dual(x, y, w0, c, loss)
        a, b = pairs_of(x, y)
        gap = 1e-6 if loss == "average" else max_hinge_bound(a, b - a @ w0, c, max_iter) + 1e-6
        assert played.dual - before == pytest.approx(value, abs=gap)
        # The primal is c-strongly convex: the gap bounds the distance, too.
        distance = np.linalg.norm(model.coef_ - w0 - move / c)
        assert distance <= np.sqrt(2 * gap / c) + np.sqrt(2e-6 / c)
        assert primal(model.coef_, w0, c, x, y, loss) <= value + 2 * gap


@pytest.mark.parametrize("c", [0.2, 1.0, 10.0])
def test_dual_rises_more_with_every_update(c):
    """Exact rises most; no update rises less than Eq. 3.9 asks."""
    X, y, groups, _ = stream(32)
    for loss, updates in itertools.groupby(FIVE, key=lambda pair: pair[0]):
        updates = [update for _, update in updates]
        model = InstanceRanker(loss, "subgradient", c=c).start(X.shape[1])
        for x, grades in split(X, y, groups):
            state, before = pickle.dumps(model), model.dual_objective_
            rise = []
            for update in updates:
                other = pickle.loads(state).set_params(update=update)
                played = other.step(x, grades)
                rise.append(played.dual - before)
                assert rise[-1] >= played.loss - played.norm**2 / (2 * c) - 1e-9
            assert (np.diff(rise) >= -1e-9).all()
            model.step(x, grades)


def test_subgradient_steps_are_those_of_the_losses():
    X, y, groups, _ = stream(33)
    for loss, reference in (("average", AverageOfHinge()), ("maximum", MaxOfHinge())):
        model = InstanceRanker(loss, "subgradient", c=0.7).start(X.shape[1])
        for x, grades in split(X, y, groups):
            w, v = model.coef_, model._v.copy()
            model.step(x, grades)
            expected = v - reference.subgradient(w, *pairs_of(x, grades))
            np.testing.assert_allclose(model._v, expected, atol=1e-12)


def test_worst_pair_step_is_the_hinge_step():
    """E4 with the difference of the grades in place of gamma: 1, or no loss left on the pair."""
    X, y, groups, _ = stream(34)
    model = InstanceRanker("maximum", "worst", c=2.0).start(X.shape[1])
    steps = 0
    for x, grades in split(X, y, groups):
        w = model.coef_
        played = model.step(x, grades)
        a, b = pairs_of(x, grades)
        if not played.updated:
            continue
        worst = int((b - a @ w).argmax())
        left = b[worst] - a[worst] @ model.coef_
        assert played.alpha == 1.0 or left == pytest.approx(0.0, abs=1e-12)
        assert played.target == b[worst]
        steps += 1
    assert steps > 20


# Bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("loss", "update"), FIVE)
def test_bound_and_weak_duality(loss, update, c):
    X, y, groups, u = stream(35, noise=0.5)
    rng = np.random.default_rng(36)
    model = InstanceRanker(loss, update, c=c, record=True).partial_fit(X, y, groups)
    queries = split(X, y, groups)
    for w in (np.zeros_like(u), u, 0.1 * u, 5 * u, rng.normal(size=u.size)):
        total = sum(instance_ranking_loss(x @ w, grades, loss) for x, grades in queries)
        right = model.regret_bound(w) + total
        assert model.cumulative_loss_ <= right * (1 + 1e-9) + 1e-9
        assert model.dual_objective_ <= c * (w @ w) / 2 + total + 1e-7
    spent = model.regret_bound(np.zeros_like(u))
    assert model.cumulative_loss_ - spent <= model.dual_objective_ + 1e-7
    assert model.trace_.loss.sum() == pytest.approx(model.cumulative_loss_)


@pytest.mark.parametrize(("loss", "update"), FIVE)
def test_corollary_3(loss, update):
    """c_t = sqrt(t max L_i / U), L_i = X_i^2 / 2."""
    X, y, groups, u = stream(37, queries=150)
    queries = split(X, y, groups)
    for U in (0.5, float(u @ u) / 2):
        tuning = RunningTuning(U=U, share=0.5)
        model = InstanceRanker(loss, update, c=tuning, record=True).partial_fit(X, y, groups)
        assert (np.diff(model.trace_.c) >= 0).all()
        radius = max(
            (np.linalg.norm(pairs_of(x, g)[0], axis=1).max(initial=0.0) for x, g in queries)
        )
        L, T = radius**2 / 2, len(queries)
        assert model.trace_.c[-1] == pytest.approx(np.sqrt(T * L / U))
        for w in (np.zeros_like(u), u, 0.3 * u):
            total = sum(instance_ranking_loss(x @ w, g, loss) for x, g in queries)
            f = w @ w / 2
            bound = 2 * (f / np.sqrt(U) + np.sqrt(U)) * np.sqrt(L * T)
            assert model.cumulative_loss_ - total <= bound * (1 + 1e-9)
            assert model.cumulative_loss_ - total <= model.regret_bound(w) * (1 + 1e-9)


@pytest.mark.parametrize(
    "tuning", [MistakeTuning(U=1.0), SelfTuning(U=1.0), SelfTuning(U=1.0, over="mistakes")]
)
def test_tunings_that_count_mistakes(tuning):
    X, y, groups, _ = stream(38)
    model = InstanceRanker(c=tuning, record=True).partial_fit(X, y, groups)
    trace = model.trace_
    before = np.concatenate([[0], np.cumsum(trace.cost > 0)[:-1]])
    radius = 0.0
    for t, (x, g) in enumerate(split(X, y, groups)):
        mistake = trace.cost[t] > 0
        now = max(radius, np.linalg.norm(pairs_of(x, g)[0], axis=1).max(initial=0.0))
        m = before[t] + (mistake if isinstance(tuning, MistakeTuning) else 0)
        assert trace.c[t] == pytest.approx(tuning(now, m) or 1.0)
        if mistake or getattr(tuning, "over", "all") == "all":
            radius = now


# Special cases ------------------------------------------------------------------------------


def test_two_instances_are_binary_passive_aggressive():
    """Rows x / 2 and -x / 2: PA-I with C = 1 / c, whichever update is exact."""
    rng = np.random.default_rng(39)
    X, y = rng.normal(size=(80, 4)), rng.choice([-1.0, 1.0], size=80)
    for loss, update in (("average", "exact"), ("maximum", "worst"), ("maximum", "exact")):
        model, w = InstanceRanker(loss, update, c=2.0).start(4), np.zeros(4)
        for x, sign in zip(X, y, strict=True):
            model.step([x / 2, -x / 2], [sign / 2, -sign / 2])
            w += sign * x * min(0.5, max(0.0, 1 - sign * (w @ x)) / (x @ x))
        np.testing.assert_allclose(model.coef_, w, atol=1e-9)


@pytest.mark.parametrize(
    ("worst", "label_update"), [("worst", "aggressive"), ("exact", "optimal")]
)
def test_rows_of_labels_are_label_ranking(worst, label_update):
    """W19: x in the block of each label, grade 1 if relevant; E8 over all pairs is E6."""
    rng = np.random.default_rng(40)
    m, n, k = 40, 3, 4
    X, Y = rng.normal(size=(m, n)), rng.random((m, k)) < 0.4
    ranker = LabelRanker("euclidean", label_update, c=1.5, fit_intercept=False)
    ranker.start(n, range(k))
    model = InstanceRanker("maximum", worst, c=1.5, max_iter=5000, tol=1e-12).start(n * k)
    for x, on in zip(X, Y, strict=True):
        if worst == "exact":  # from the same weights, for the iteration is not quite exact
            model._v = ranker.coef_.ravel() * 1.5
            model._square = (model._v**2).sum()
        one, other = ranker.step(x, on), model.step(np.kron(np.eye(k), x), on.astype(float))
        assert one.loss == pytest.approx(other.loss, abs=1e-9)
        assert (one.cost > 0) == (other.cost > 0)
        tolerance = 1e-9
        if worst == "exact":
            size = np.sqrt(2) * np.linalg.norm(x)
            gap = (np.sqrt(3 * one.loss) + size) ** 2 * (1 + np.log(5000)) / (3 * 5000)
            tolerance = np.sqrt(2 * gap / 1.5)
        assert np.linalg.norm(model.coef_ - ranker.coef_.ravel()) <= tolerance


# One stream, however it comes ---------------------------------------------------------------


def same(one, other):
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-12)
    assert one.n_rounds_ == other.n_rounds_
    assert one.n_mistakes_ == other.n_mistakes_
    assert one.cumulative_loss_ == pytest.approx(other.cumulative_loss_)
    assert one.dual_objective_ == pytest.approx(other.dual_objective_, abs=1e-9)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("c", [1.5, RunningTuning(U=2.0)])
@pytest.mark.parametrize(("loss", "update"), FIVE)
def test_chunks_steps_and_csr_are_one_call(loss, update, c, average):
    X, y, groups, _ = stream(41, queries=25)
    X[np.random.default_rng(42).random(X.shape) < 0.4] = 0.0
    model = InstanceRanker(loss, update, c=c, average=average)
    whole = clone(model).partial_fit(X, y, groups)
    chunks, steps = clone(model), clone(model).start(X.shape[1])
    for some in (groups < 3, groups == 3, groups > 3):
        chunks.partial_fit(X[some], y[some], groups[some])
    for x, grades in split(X, y, groups):
        steps.step(x, grades)
    sparse = clone(model).partial_fit(sp.csr_matrix(X), y, groups)
    ordered = clone(model).set_params(shuffle=False).fit(sp.csr_array(X), y, groups.astype(str))
    same(chunks, whole)
    same(steps, whole)
    same(sparse, whole)
    assert ordered.n_rounds_ == whole.n_rounds_
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), X @ whole.coef_, atol=1e-9)


def test_rows_of_a_query_need_not_be_neighbours():
    X, y, groups, _ = stream(43, queries=20)
    order = np.random.default_rng(44).permutation(len(y))
    order = order[np.argsort(groups[order] // 2, kind="stable")]  # pairs of queries, mixed up
    mixed = InstanceRanker("maximum", "worst").partial_fit(X[order], y[order], groups[order])
    firsts = groups[order][np.sort(np.unique(groups[order], return_index=True)[1])]
    apart = InstanceRanker("maximum", "worst").start(X.shape[1])
    for g in firsts:
        apart.step(X[groups == g], y[groups == g])
    same(mixed, apart)


def test_average_is_the_mean_of_the_hypotheses():
    X, y, groups, _ = stream(45)
    for c in (1.3, RunningTuning(U=1.0)):
        last = InstanceRanker(c=c, record=True).start(X.shape[1])
        mean = InstanceRanker(c=c, average=True).start(X.shape[1])
        total = 0.0
        for x, grades in split(X, y, groups):
            v = last._v.copy()
            total = total + v / last.step(x, grades).c
            mean.step(x, grades)
            np.testing.assert_allclose(mean.coef_, total / mean.n_rounds_, atol=1e-12)


@pytest.mark.parametrize(("loss", "update"), FIVE)
def test_learns_an_order(loss, update):
    X, y, groups, _ = stream(46, queries=300, noise=0.05)
    train, test = groups < 200, groups >= 200
    model = InstanceRanker(loss, update, c=1.0, epochs=3, random_state=0)
    model.fit(X[train], y[train], groups[train])
    assert model.score(X[test], y[test], groups[test]) > 0.95
    again = clone(model).fit(X[train], y[train], groups[train])
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_score():
    model = InstanceRanker().fit([[1.0], [0.0]], [1.0, 0.0])
    assert model.score([[2.0], [1.0], [0.0]], [3.0, 2.0, 1.0]) == 1.0
    assert model.score([[2.0], [1.0], [0.0]], [1.0, 2.0, 0.0]) == pytest.approx(2 / 3)
    assert model.score([[2.0], [1.0]], [1.0, 1.0]) == 1.0


# Bad input ----------------------------------------------------------------------------------

X0, Y0 = np.eye(3), np.arange(3.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: InstanceRanker("sum").fit(X0, Y0), "loss='sum', must be 'average' or 'maximum'"),
        (lambda: InstanceRanker("average", "worst").fit(X0, Y0), "one of subgradient, exact with"),
        (lambda: InstanceRanker(c=0.0).fit(X0, Y0), "c=0.0, must be a Tuning, or positive"),
        (
            lambda: InstanceRanker(max_iter=0).fit(X0, Y0),
            "max_iter=0, must be a whole number, at least 1",
        ),
        (lambda: InstanceRanker(tol=-1.0).fit(X0, Y0), "tol=-1.0, must not be negative"),
        (
            lambda: InstanceRanker(epochs=0).fit(X0, Y0),
            "epochs=0, must be a whole number",
        ),
        (lambda: InstanceRanker().fit(X0, Y0, [0, 1]), r"groups.shape=\(2,\), must be \(m,\)="),
        (
            lambda: InstanceRanker().fit(X0, Y0, [np.nan] * len(Y0)),
            "of groups, the labels contain",
        ),
        (
            lambda: InstanceRanker().fit(X0, Y0, ["a", *range(1, len(Y0))]),
            "of groups, the labels are of several types, such as 'a', 1",
        ),
        (lambda: InstanceRanker().start(2.5), "n_features=2.5, must be a whole number"),
        (lambda: InstanceRanker().fit(1e200 * X0, Y0), "weights overflowed in round 1"),
        (lambda: InstanceRanker("maximum").fit(1e200 * X0, Y0), "weights overflowed in round 1"),
        (lambda: InstanceRanker().fit(X0, Y0 * np.nan), "NaN"),
        (lambda: InstanceRanker().fit(X0, Y0).partial_fit(X0[:, :2], Y0), "X has 2 features"),
        (lambda: InstanceRanker().fit(X0, Y0).regret_bound([1.0]), r"must be \(d,\)=\(3,\)"),
        (
            lambda: InstanceRanker("maximum").fit(np.zeros((700, 1)), np.arange(700.0)),
            "244650 pairs of different grades, must have at most 200000.*or 'worst'",
        ),
        (lambda: instance_ranking_loss([1.0], [1.0], "sum"), "loss='sum'"),
        (lambda: instance_ranking_loss([1.0], [1.0, 2.0]), r"must be \(k,\) both"),
        (lambda: instance_ranking_errors([np.nan], [1.0]), "scores and y must be finite"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ParameterError, ValueError), match=message):
        call()
