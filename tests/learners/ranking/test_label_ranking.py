"""D6, D7 and D8: label ranking, its six algorithms, and what they promise."""

import copy
import itertools
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from learners.naive import COMPLEXITY, label_ranking, label_weights
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import (
    Blocks,
    Entropy,
    FixedTuning,
    LabelRanker,
    LossTuning,
    MistakeTuning,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
)
from align.learners.ranking import _label_ranking as core
from align.learners.ranking.ranking_losses import label_ranking_loss, label_ranking_mistakes

UPDATES = ("conservative", "aggressive", "optimal")
SIX = list(itertools.product(("euclidean", "entropy"), UPDATES))


def stream(seed, m=120, n=12, k=5, binary=True, noise=0.1):
    """Rounds whose labels some weights rank, and those weights."""
    rng = np.random.default_rng(seed)
    X = (rng.random((m, n)) < 0.3).astype(float) if binary else rng.normal(size=(m, n))
    if binary:
        X[rng.random(m) < 0.05] = 0.0
    U = rng.dirichlet(np.full(n, 0.3), size=k) if binary else rng.normal(size=(k, n))
    scores = X @ U.T
    Y = scores > np.quantile(scores, 0.6, axis=1, keepdims=True)
    Y ^= rng.random(Y.shape) < noise
    Y[rng.random(m) < 0.04] = False
    Y[rng.random(m) < 0.04] = True
    return X, Y, U


def plain(complexity, update, **params):
    params = {"c": 0.7 if complexity == "entropy" else 2.0, **params}
    return LabelRanker(complexity, update, fit_intercept=False, **params)


def put(model, V):
    """Give a started learner a dual sum [shape=(k, n)]."""
    state = model._run.state
    k = len(V)
    state.V[:, :k] = np.transpose(V)
    if model.complexity == "entropy":
        core.refresh_all(False, state.floats[core.C], state)
    else:
        state.floats[core.PRICE] = (np.asarray(V) ** 2).sum()
    return model


# D6 -----------------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
def test_loss_is_the_worst_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 7))
    scores, on = rng.integers(-2, 3, size=k) / 2.0, rng.random(k) < 0.5
    margins = [scores[r] - scores[s] for r in np.flatnonzero(on) for s in np.flatnonzero(~on)]
    gamma = rng.choice([0.1, 1.0, 2.5])
    assert label_ranking_loss(scores, on, gamma) == max([0.0, *(gamma - m for m in margins)])
    assert label_ranking_mistakes(scores, on) == any(m <= 0 for m in margins)


def test_the_margin_times_a_mistake_is_within_the_loss():
    rng = np.random.default_rng(1)
    scores, on = rng.normal(size=(500, 6)).round(1), rng.random((500, 6)) < 0.4
    losses, mistakes = label_ranking_loss(scores, on, 0.7), label_ranking_mistakes(scores, on)
    assert losses.shape == mistakes.shape == (500,)
    assert (0.7 * mistakes <= losses).all()
    assert 0 < mistakes.sum() < 500


def test_ties_are_mistakes_and_no_pairs_are_none():
    assert label_ranking_mistakes([0.0, 0.0], [True, False])
    for on in ([True, True], [False, False]):
        assert not label_ranking_mistakes([0.0, 0.0], on)
        assert label_ranking_loss([0.0, 0.0], on) == 0.0


@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_first_round_is_a_mistake_of_ties(complexity, update):
    model = plain(complexity, update, gamma=0.3).start(3, [0, 1, 2])
    played = model.step([1.0, 0.0, 1.0], {1})
    assert played.cost == 1.0
    assert played.loss == pytest.approx(0.3)
    assert played.updated
    assert model.n_mistakes_ == 1


@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_no_pairs_no_round(complexity, update):
    model = plain(complexity, update).start(2, [0, 1, 2])
    for on in (set(), {0, 1, 2}):
        played = model.step([1.0, 1.0], on)
        assert (played.cost, played.loss, played.updated) == (0.0, 0.0, False)
    assert (model.n_rounds_, model.n_mistakes_, model.n_updates_) == (2, 0, 0)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_a_zero_instance_counts_but_moves_nothing(complexity, update):
    model = plain(complexity, update, gamma=0.3).start(2, [0, 1])
    before = model.coef_
    played = model.step([0.0, 0.0], {1})
    assert (played.cost, played.updated) == (1.0, False)
    assert played.loss == pytest.approx(0.3)
    assert model.dual_objective_ == pytest.approx(0.3)  # no weights could avoid this loss
    np.testing.assert_array_equal(model.coef_, before)


# D7 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_is_the_table(complexity, update, binary):
    X, Y, _ = stream(2, m=60, binary=binary)
    model = plain(complexity, update, gamma=0.4).start(X.shape[1], range(Y.shape[1]))
    slow = label_ranking(X, Y, complexity, update, model.c, 0.4)
    for x, on, (W, mistake, loss, dual) in zip(X, Y, slow, strict=True):
        np.testing.assert_allclose(model.coef_, W, rtol=1e-6, atol=1e-7)
        played = model.step(x, on)
        assert bool(played.cost) == mistake
        assert played.loss == pytest.approx(loss, abs=1e-7)
        assert played.dual == pytest.approx(dual, abs=1e-7)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_bound(complexity, update, binary):
    """Lemma 1 with Lemma 18, against every kind of competitor."""
    rng = np.random.default_rng(3)
    X, Y, U = stream(4, m=200, binary=binary)
    k, n = U.shape
    entropy = complexity == "entropy"
    random = rng.dirichlet(np.ones(n), size=k) if entropy else rng.normal(size=U.shape)
    if entropy:
        U = np.abs(U) / np.abs(U).sum(axis=1, keepdims=True)
        vertices = [np.eye(n)[rng.integers(n, size=k)] for _ in range(10)]
        competitors = [np.full((k, n), 1.0 / n), U, random, *vertices]
    else:
        competitors = [np.zeros((k, n)), U, 0.1 * U, 5.0 * U, random]
    for c, gamma in itertools.product((0.05, 1.0, 20.0), (0.2, 1.0)):
        model = plain(complexity, update, c=c, gamma=gamma, record=True).partial_fit(X, Y)
        played = model.trace_
        used = played.cost > 0 if update == "conservative" else np.ones(len(X), dtype=bool)
        norms = np.abs(X).max(axis=1) if entropy else np.linalg.norm(X, axis=1)
        called = played.loss > 0 if update != "conservative" else used
        spent = (norms[called] ** 2).sum() / c
        for u in competitors:
            losses = label_ranking_loss(X @ u.T, Y, gamma)
            f = COMPLEXITY[complexity].value(u)
            bound = model.regret_bound(u)
            assert bound == pytest.approx(c * f + spent, rel=1e-9)
            left, right = played.loss[used].sum(), bound + losses[used].sum()
            assert left <= right * (1 + 1e-9) + 1e-9
            assert gamma * model.n_mistakes_ <= right * (1 + 1e-9) + 1e-9
            assert model.n_mistakes_ <= model.mistake_bound(u, X, Y) + 1e-9
            # Weak duality, and its other half.
            assert model.dual_objective_ <= c * f + losses[used].sum() + 1e-7
            assert left - spent <= model.dual_objective_ + 1e-7


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("complexity", ["euclidean", "entropy"])
def test_dual_rises_more_with_every_update(complexity, binary):
    """III >= II >= I from the same state, on mistakes; III >= II on every round."""
    X, Y, _ = stream(5, m=80, binary=binary)
    for c in (0.1, 1.0, 8.0):
        model = plain(complexity, "aggressive", c=c, gamma=0.3).start(X.shape[1], range(5))
        n_mistakes = 0
        for x, on in zip(X, Y, strict=True):
            before = model.dual_objective_
            rise = []
            for update in range(3):
                other = copy.deepcopy(model)
                other._run.update = update
                played = other.step(x, on)
                rise.append(played.dual - before)
            assert rise[2] >= rise[1] - 1e-8
            assert rise[1] >= -1e-10
            if played.cost:
                n_mistakes += 1
                assert rise[1] >= rise[0] - 1e-9
                # Eq. 3.9: at least what the analysis asks of every one of them.
                norm = np.abs(x).max() if complexity == "entropy" else np.linalg.norm(x)
                assert rise[0] >= played.loss - norm**2 / c - 1e-9
            model.step(x, on)
        assert n_mistakes > 10


@pytest.mark.parametrize(("complexity", "tolerance"), [("euclidean", 1e-12), ("entropy", 1e-7)])
def test_one_relevant_of_two_is_the_pair_step(complexity, tolerance):
    """W16, W17: with two labels, one of them relevant, II is III."""
    X, Y, _ = stream(6, k=2)
    Y = np.stack([Y[:, 0], ~Y[:, 0]], axis=1)
    for c in (0.3, 2.0, 9.0):
        aggressive = plain(complexity, "aggressive", c=c, gamma=0.4, record=True)
        optimal = clone(aggressive).set_params(update="optimal")
        aggressive.partial_fit(X, Y)
        optimal.partial_fit(X, Y)
        np.testing.assert_allclose(optimal.coef_, aggressive.coef_, rtol=0, atol=tolerance)
        np.testing.assert_allclose(
            optimal.trace_.alpha, aggressive.trace_.alpha, rtol=0, atol=100 * tolerance
        )


@pytest.mark.parametrize("update", ["aggressive", "optimal"])
def test_two_classes_are_passive_aggressive(update):
    """W16, W22: the difference of the two rows follows binary PA-I with 2 C, C = 1 / c."""
    X, Y, _ = stream(7, binary=False)
    y = np.where(Y[:, 0], 1, 0)
    C = 0.2
    model = plain("euclidean", update, c=1.0 / C).partial_fit(X, y, classes=[0, 1])
    w = np.zeros(X.shape[1])
    for x, sign in zip(X, 2 * y - 1, strict=True):
        w += sign * x * min(2 * C, max(0.0, 1 - sign * (w @ x)) / (x @ x))
    np.testing.assert_allclose(model.coef_[1] - model.coef_[0], w, rtol=1e-12, atol=1e-12)


def test_conservative_euclidean_is_the_multiclass_perceptron():
    X, Y, _ = stream(8, binary=False)
    y = Y.argmax(axis=1)
    W = np.zeros((5, X.shape[1]))
    n_mistakes = 0
    for x, label in zip(X, y, strict=True):
        s = W @ x
        others = np.where(np.arange(5) == label, -np.inf, s)
        if s[label] <= others.max():
            n_mistakes += 1
            W[label] += x
            W[others.argmax()] -= x
    for c in (0.01, 1.0, 50.0):
        model = plain("euclidean", "conservative", c=c).partial_fit(X, y, classes=range(5))
        assert model.n_mistakes_ == model.n_updates_ == n_mistakes
        np.testing.assert_allclose(c * model.coef_, W, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("c", "alpha"), [(1.0, 1.0), (0.5, 0.5 * np.log(2.82002136))])
def test_golden_entropy(c, alpha):
    """Y7."""
    model = plain("entropy", "aggressive", c=c, gamma=0.2).start(2, [0, 1])
    put(model, c * np.log([[0.3, 0.7], [0.6, 0.4]]))
    np.testing.assert_allclose(model.coef_, [[0.3, 0.7], [0.6, 0.4]], rtol=1e-12)
    played = model.step([1.0, 0.0], {0})
    assert played.alpha == pytest.approx(alpha, abs=1e-8)
    margin = model.coef_[0, 0] - model.coef_[1, 0]
    assert margin == pytest.approx(0.2) if c == 0.5 else margin < 0.2


@pytest.mark.parametrize(
    ("c", "on", "off"),
    [
        (1.0, (0.15, 0.07), (0.07, 0.15)),
        (3.0, (0.45, 0.21), (0.21, 0.45)),
        (20.0, (1.0, 0.0), (0.0, 1.0)),
    ],
)
def test_golden_euclidean(c, on, off):
    """Y8."""
    W = np.array([[0.2, 0.1], [0.5, 0.0], [0.0, 0.4], [0.3, 0.3]])
    x = np.array([1.0, 2.0])
    model = put(plain("euclidean", "optimal", c=c).start(2, range(4)), c * W)
    played = model.step(x, {0, 2})
    step = np.array([on[0], -off[0], on[1], -off[1]]) / c
    np.testing.assert_allclose(model.coef_, W + np.outer(step, x), atol=1e-12)
    assert played.alpha == pytest.approx(sum(on))


def test_conservative_moves_on_mistakes_only():
    for complexity in COMPLEXITY:
        X, Y, _ = stream(9)
        model = plain(complexity, "conservative", record=True).partial_fit(X, Y)
        trace = model.trace_
        some = X.any(axis=1)
        np.testing.assert_array_equal(trace.alpha[some] > 0, trace.cost[some] > 0)
        assert ((trace.loss > 0) & (trace.cost == 0)).any()


# One stream, however it comes ---------------------------------------------------------------


def same(one, other):
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-9, atol=1e-12)
    assert one.n_rounds_ == other.n_rounds_
    assert one.n_mistakes_ == other.n_mistakes_
    assert one.n_updates_ == other.n_updates_
    assert one.cumulative_loss_ == pytest.approx(other.cumulative_loss_)
    assert one.dual_objective_ == pytest.approx(other.dual_objective_, abs=1e-9)


@pytest.mark.parametrize("c", [1.5, RunningTuning(U=2.0, share=0.5)])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_chunks_steps_and_csr_are_one_call(complexity, update, average, c):
    X, Y, _ = stream(10, m=50)
    model = LabelRanker(complexity, update, c=c, average=average, gamma=0.4)
    whole = clone(model).partial_fit(X, Y)
    chunks, sparse, steps = clone(model), clone(model), clone(model)
    for part in np.split(np.arange(50), [3, 4, 30]):
        chunks.partial_fit(X[part], Y[part])
    sparse.partial_fit(sp.csr_matrix(X), sp.csr_matrix(Y.astype(int)))
    steps.start(X.shape[1], range(5))
    for i, (x, on) in enumerate(zip(X, Y, strict=True)):
        steps.step(sp.csr_array(x[None]) if i % 2 else x, on if i % 3 else set(np.flatnonzero(on)))
    ordered = clone(model).set_params(shuffle=False).fit(X, Y)
    for other in (chunks, sparse, steps, ordered):
        same(other, whole)
    assert isinstance(sparse.decision_function(sp.csr_matrix(X)), np.ndarray)
    np.testing.assert_allclose(sparse.scores(sp.csr_matrix(X)), whole.scores(X), atol=1e-12)


@pytest.mark.parametrize("complexity", ["euclidean", "entropy"])
def test_new_labels_come_when_they_come(complexity):
    """Cutting a stream differently does not change when a label begins to compete."""
    X, Y, _ = stream(11, m=60)
    names = np.array(["e", "c", "d", "a", "b"])
    y = names[Y.argmax(axis=1)]
    y[:20][np.isin(y[:20], ["a", "d"])] = "c"
    model = LabelRanker(complexity, gamma=0.3)
    whole = clone(model).partial_fit(X, y)
    chunks = clone(model)
    for part in np.split(np.arange(60), [1, 2, 19, 40]):
        chunks.partial_fit(X[part], y[part])
    steps = clone(model).start(X.shape[1])
    for x, label in zip(X, y, strict=True):
        steps.step(x, label)
    assert whole.classes_.tolist() == ["a", "b", "c", "d", "e"]
    for other in (chunks, steps):
        assert other.classes_.tolist() == whole.classes_.tolist()
        same(other, whole)
    # Known in advance, they compete from the start.
    known = clone(model).partial_fit(X, y, classes=names)
    assert known.cumulative_loss_ != pytest.approx(whole.cumulative_loss_)
    alone = clone(model).start(2)
    assert alone.step([1.0, 0.0], "only").cost == 0.0
    assert alone.step([1.0, 0.0], "second").prediction == "only"


def test_new_labels_have_their_bound():
    X, Y, U = stream(12)
    model = plain("euclidean", "optimal").partial_fit(X[:60], Y[:60, :3])
    model.partial_fit(X[60:], Y[60:])
    assert model.classes_.tolist() == [0, 1, 2, 3, 4]
    losses = label_ranking_loss(X[:60] @ U[:3].T, Y[:60, :3]).sum()
    losses += label_ranking_loss(X[60:] @ U.T, Y[60:]).sum()
    assert model.cumulative_loss_ <= model.regret_bound(U) + losses + 1e-9


@pytest.mark.parametrize("average", [False, True])
def test_new_features_are_columns_of_zeros(average):
    X, Y, _ = stream(13)
    X[:50, 8:] = 0.0
    wide = LabelRanker(average=average).partial_fit(X, Y)
    grown = LabelRanker(average=average).partial_fit(X[:50, :8], Y[:50])
    same(grown.extend(12).partial_fit(X[50:], Y[50:]), wide)


@pytest.mark.parametrize("c", [1.3, SqrtTuning(L=3.0, U=1.0)])
@pytest.mark.parametrize("complexity", ["euclidean", "entropy"])
def test_average_is_the_mean_of_the_hypotheses(complexity, c):
    X, Y, _ = stream(14, m=40)
    last = LabelRanker(complexity, c=c, gamma=0.4).start(X.shape[1], range(5))
    mean = clone(last).set_params(average=True).start(X.shape[1], range(5))
    total = np.zeros((5, X.shape[1] + 1))
    for x, on in zip(X, Y, strict=True):
        if not isinstance(c, float):  # the hypothesis of a round has the c of the round
            ahead = copy.deepcopy(last)
            ahead.step(x, on)
            now = label_weights(
                last._run.state.V[:, :5].T, ahead._run.state.floats[core.C], complexity
            )
        else:
            now = np.hstack([last.coef_, last.intercept_[:, None]])
        total += now
        last.step(x, on)
        mean.step(x, on)
        expected = total / mean.n_rounds_
        np.testing.assert_allclose(mean.coef_, expected[:, :-1], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(mean.intercept_, expected[:, -1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("c", [1e-3, 0.05, 3.0])
@pytest.mark.parametrize("update", UPDATES)
def test_cached_weights_do_not_drift(update, c):
    """Many rounds, small c: weights underflow and come back, sums shrink and grow."""
    X, Y, _ = stream(15, m=1500, n=30, noise=0.3)
    model = plain("entropy", update, c=c, gamma=0.3).partial_fit(X, Y)
    V = model._run.state.V[:, :5].T
    np.testing.assert_allclose(model.coef_, Entropy().link(V / c), rtol=1e-8, atol=1e-14)
    price = model._run.state.floats[core.GAIN] - c * Blocks(Entropy()).conjugate(V / c)
    assert model.dual_objective_ == pytest.approx(price, rel=1e-8, abs=1e-8)
    np.testing.assert_allclose(model.coef_.sum(axis=1), 1.0, rtol=1e-12)


# Tunings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tuning",
    [
        SqrtTuning(L=4.0, U=2.0),
        RunningTuning(U=2.0),
        SelfTuning(U=2.0),
        SelfTuning(U=2.0, over="mistakes"),
        LossTuning(L=2.0),
    ],
)
@pytest.mark.parametrize(("complexity", "update"), SIX)
def test_lemma_2_with_a_c_that_grows(complexity, update, tuning):
    X, Y, U = stream(16)
    model = plain(complexity, update, c=tuning, gamma=0.5, record=True).partial_fit(X, Y)
    trace = model.trace_
    if not (isinstance(tuning, SelfTuning) and tuning.over == "mistakes"):
        assert (np.diff(trace.c) >= 0).all()
    used = trace.cost > 0 if update == "conservative" else np.ones(len(X), dtype=bool)
    losses = label_ranking_loss(X @ U.T, Y, 0.5)
    if (np.diff(trace.c) >= 0).all():
        assert trace.loss[used].sum() <= model.regret_bound(U) + losses[used].sum() + 1e-9


def test_a_fixed_tuning_is_a_number():
    X, Y, _ = stream(17)
    same(LabelRanker(c=FixedTuning(2.5)).partial_fit(X, Y), LabelRanker(c=2.5).partial_fit(X, Y))


# Predicting ---------------------------------------------------------------------------------


def test_ranks_and_marks():
    X, Y, _ = stream(18, m=300)
    model = LabelRanker(epochs=5, c=0.5, random_state=0).fit(X, Y)
    scores = model.scores(X)
    np.testing.assert_allclose(scores, X @ model.coef_.T + model.intercept_, atol=1e-12)
    ranked = model.rank(X)
    assert (np.diff(np.take_along_axis(scores, ranked, axis=1), axis=1) <= 0).all()
    several = Y.any(axis=1)
    n = int(np.rint(Y[several].sum() / several.sum()))
    marks = model.predict(X)
    strict = np.diff(np.sort(scores, axis=1), axis=1).min(axis=1) > 0
    assert (marks[strict].sum(axis=1) == n).all()
    np.testing.assert_array_equal(marks, model.decision_function(X) > 0)
    np.testing.assert_allclose(
        np.diff(model.decision_function(X), axis=1), np.diff(scores, axis=1), atol=1e-12
    )
    full = LabelRanker().fit(X, np.ones_like(Y))
    assert full.predict(X).all()


def test_learns():
    X, Y, _ = stream(19, m=2000, n=40, noise=0.0)
    for complexity, update in SIX:
        model = plain(complexity, update, c=0.3, gamma=0.3, record=True).partial_fit(X, Y)
        cost = model.trace_.cost
        assert cost[-500:].mean() < 0.75 * cost[:200].mean()


def test_multi_label_enron(shared_data):
    """The order of Table 8.1, III < II < I and entropy < Euclidean, on another set of mail."""
    with np.load(shared_data / "learners" / "ml_enron.npz") as data:
        X, Y = sp.csr_array(data["X_train"].astype(float)), data["Y_train"]
    rates = {}
    for (complexity, update), c in zip(SIX, (1.0, 3.0, 1.0, 5.0, 2.0, 1.0), strict=True):
        gamma = 0.1 if complexity == "entropy" else 1.0
        model = LabelRanker(complexity, update, c=c, gamma=gamma, fit_intercept=False)
        rates[complexity, update] = model.partial_fit(X, Y).n_mistakes_ / len(Y)
    for complexity in COMPLEXITY:
        one, two, three = (rates[complexity, update] for update in UPDATES)
        assert three < two < one
    assert rates["entropy", "optimal"] < rates["euclidean", "optimal"]


# Bad input ----------------------------------------------------------------------------------

X0, Y0 = np.eye(3), np.eye(3, dtype=int)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LabelRanker("l1").fit(X0, Y0), "complexity='l1', must be"),
        (lambda: LabelRanker(update="II").fit(X0, Y0), "update='II', must be one of conservative"),
        (lambda: LabelRanker(gamma=0.0).fit(X0, Y0), "gamma=0.0, must be positive"),
        (lambda: LabelRanker(c=-1.0).fit(X0, Y0), r"c=-1.0, must be a Tuning, or positive"),
        (lambda: LabelRanker(c=MistakeTuning()).fit(X0, Y0), "use SelfTuning"),
        (
            lambda: LabelRanker(epochs=0).fit(X0, Y0),
            "epochs=0, must be a whole number",
        ),
        (lambda: LabelRanker().fit(X0, [1, 1, 1]), "y has 1 class"),
        (lambda: LabelRanker(update="conservative").fit(1e200 * X0, Y0), "the weights overflowed"),
        (lambda: LabelRanker().fit(1e200 * X0, Y0), "the weights overflowed"),
        (lambda: LabelRanker().fit(X0 * np.nan, Y0), "NaN"),
        (lambda: LabelRanker().fit(X0, 2 * Y0), "0 and 1 where it has a column"),
        (lambda: LabelRanker().fit(X0, Y0).partial_fit(X0, Y0[:, :2]), r"must be \(m, k\)=\(m, 3"),
        (lambda: LabelRanker().fit(X0, Y0).partial_fit(X0[:, :2], Y0), "X has 2 features"),
        (lambda: LabelRanker().fit(X0, Y0).regret_bound(np.eye(3)), r"must be \(k, n\)=\(3, 4\)"),
        (lambda: LabelRanker().fit(X0, Y0).extend(2), "n_features=2, must be >= 3"),
        (lambda: LabelRanker("entropy").fit(X0, Y0).extend(5), "uniform over all features"),
        (
            lambda: LabelRanker().fit(X0, Y0).mistake_bound(np.zeros((3, 4)), X0, [0, 1, 9]),
            "label 9 was never seen",
        ),
        (
            lambda: LabelRanker().start(2, [0, 1]).step([1.0, 0.0], np.array([True])),
            r"must be \(k,\)=\(2,\)",
        ),
        (lambda: label_ranking_loss([1.0], [True, False]), "must be that of scores"),
        (lambda: label_ranking_loss([np.inf], [True]), "scores must be finite"),
        (lambda: label_ranking_loss([1.0], [True], 0.0), "gamma=0.0, must be positive"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ParameterError, ValueError), match=message):
        call()


def exact_softmax_scores(V, x):
    """Scores from whole-number sums v, to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        weights = [[Decimal(int(v)).exp() for v in row] for row in V]
        on = np.flatnonzero(x)
        return [sum((row[j] for j in on), Decimal(0)) / sum(row) for row in weights]


@pytest.mark.parametrize("average", [False, True])
def test_every_exact_tie_of_the_entropy_is_a_mistake(average):
    """Rounding breaks ties of 0/1 features; they count nevertheless (D6)."""
    ties = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n, k, m = 5, 3, 150
        X = (rng.random((m, n)) < 0.5).astype(float)
        Y = np.eye(k, dtype=bool)[rng.integers(k, size=m)]
        model = LabelRanker("entropy", "conservative", c=1.0, average=average, fit_intercept=False)
        V, mistakes = np.zeros((k, n)), 0
        for x, y in zip(X, Y, strict=True):
            scores = exact_softmax_scores(V, x)
            up = min(np.flatnonzero(y), key=lambda r: scores[r])
            down = max(np.flatnonzero(~y), key=lambda r: scores[r])
            gap = scores[up] - scores[down]
            ties += abs(gap) < Decimal("1e-50")
            mistakes += gap < Decimal("1e-50")
            model.partial_fit(x[None], y[None].astype(int))
            assert model.n_mistakes_ == mistakes
            V[:] = model._run.state.V[:, :k].T  # which of equal labels moved is the learner's
    assert ties > 50


@pytest.mark.parametrize("update", ["aggressive", "optimal"])
@pytest.mark.parametrize("size", [0.25, 1.0, 3.0])
def test_features_of_one_size_step_as_those_that_are_almost(update, size):
    """Entries that are 0 or one number have closed forms; a little noise takes the general way.

    The conservative update is left out: noise breaks ties, which decide whether it moves.
    """
    rng = np.random.default_rng(3)
    X = size * (rng.random((40, 6)) < 0.5)
    y = rng.integers(4, size=40)
    noisy = X * (1.0 + 1e-9 * rng.normal(size=X.shape))
    flat, general = (
        LabelRanker("entropy", update, c=3.0, gamma=0.4, fit_intercept=False).partial_fit(
            data, y, classes=range(4)
        )
        for data in (X, noisy)
    )
    np.testing.assert_allclose(flat.coef_, general.coef_, rtol=1e-5, atol=1e-7)
    assert np.ptp(flat.coef_) > 0.01
