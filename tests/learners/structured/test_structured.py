"""The structured learner against enumeration, its definition, and its own promises."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.naive import structured_run
from multiclass_problem import Multiclass
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import LossAugmentedProblem, StructuredLearner
from align.learners.parts.updates import UPDATES

LOSSES = ("prediction", "maximal")
seeds = st.integers(0, 2**32 - 1)


class Chain:
    """Sequences of m labels out of k, with emission and transition features, and Hamming cost."""

    k, m = 3, 4

    def joint_feature(self, x, y):
        emission = np.zeros((self.k, x.shape[1]))
        np.add.at(emission, np.asarray(y), x)
        transition = np.zeros((self.k, self.k))
        np.add.at(transition, (np.asarray(y[:-1]), np.asarray(y[1:])), 1.0)
        return np.concatenate([emission.ravel(), transition.ravel()])

    def decode(self, w, x, extra=None):
        """Viterbi, with `extra` [shape=(m, k)] added to the scores of the labels."""
        d = x.shape[1]
        score = x @ w[: self.k * d].reshape(self.k, d).T
        if extra is not None:
            score = score + extra
        step = w[self.k * d :].reshape(self.k, self.k)
        best, back = score[0], []
        for t in range(1, self.m):
            through = best[:, None] + step
            back.append(through.argmax(axis=0))
            best = through.max(axis=0) + score[t]
        y = [int(best.argmax())]
        for pointers in reversed(back):
            y.append(int(pointers[y[-1]]))
        return tuple(y[::-1])

    def loss_augmented_decode(self, w, x, y):
        return self.decode(w, x, extra=(np.arange(self.k) != np.asarray(y)[:, None]).astype(float))

    def cost(self, y, y_hat):
        return float(np.count_nonzero(np.asarray(y) != np.asarray(y_hat)))


class PlainMulticlass:
    """The same without loss-augmented decoding."""

    def __init__(self, costs):
        self.whole = Multiclass(costs)
        self.joint_feature, self.decode = self.whole.joint_feature, self.whole.decode
        self.cost = self.whole.cost


def chains(n, seed, noise=0.5):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(3, 2))
    ys = [tuple(int(v) for v in rng.integers(3, size=4)) for _ in range(n)]
    return [centres[list(y)] + noise * rng.normal(size=(4, 2)) for y in ys], ys


def multiclass(n, seed, k=4, d=3, costs=None):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 4, size=(k, k)).astype(float) if costs is None else costs
    np.fill_diagonal(costs, 0.0)
    u = rng.normal(size=d)
    xs = [rng.normal(size=(k, d)) for _ in range(n)]
    ys = [int(np.argmax(x @ u)) if rng.random() < 0.8 else int(rng.integers(k)) for x in xs]
    return Multiclass(costs), xs, ys


@given(seeds)
def test_the_chain_of_these_tests_decodes_exactly(seed):
    rng = np.random.default_rng(seed)
    problem, x, w = Chain(), rng.normal(size=(4, 2)), rng.normal(size=15)
    y = tuple(rng.integers(3, size=4))
    every = list(itertools.product(range(3), repeat=4))
    scores = [w @ problem.joint_feature(x, z) for z in every]
    found = problem.decode(w, x)
    assert w @ problem.joint_feature(x, found) == pytest.approx(max(scores))
    augmented = [s + problem.cost(y, z) for s, z in zip(scores, every, strict=True)]
    worst = problem.loss_augmented_decode(w, x, y)
    value = w @ problem.joint_feature(x, worst) + problem.cost(y, worst)
    assert value == pytest.approx(max(augmented))


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("loss", LOSSES)
def test_it_learns_a_chain(update, loss):
    xs, ys = chains(60, seed=3, noise=0.1)
    learner = StructuredLearner(update, loss=loss, epochs=5, conversion="average")
    found = learner.fit(Chain(), xs[:40], ys[:40]).predict(Chain(), xs[40:])
    right = np.mean(np.array(found) == np.array(ys[40:]))
    assert right > 0.85  # chance is 1/3
    assert learner.n_rounds_ == 200
    assert learner.n_mistakes_ == np.count_nonzero(learner.trace_.cost)
    assert learner.cumulative_cost_ == learner.trace_.cost.sum()
    assert learner.cumulative_loss_ == pytest.approx(learner.trace_.loss.sum())


@given(seeds, st.sampled_from(UPDATES), st.floats(0.05, 5), st.sampled_from([0.5, 2.0, 10.0]))
def test_updates_are_the_printed_ones(seed, update, C, U):
    problem, xs, ys = multiclass(25, seed)
    xs[3] = np.ones((4, 3))  # the same features for all classes: no direction
    learner = StructuredLearner(update, C=C, U=U, shuffle=False, conversion="last")
    w, history = structured_run(update, problem, xs, ys, C, U)
    np.testing.assert_allclose(learner.fit(problem, xs, ys).coef_, w, rtol=1e-9, atol=1e-12)
    average = clone(learner).set_params(conversion="average").fit(problem, xs, ys)
    np.testing.assert_allclose(average.coef_, np.mean(history, axis=0), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("update", UPDATES)
def test_what_a_round_leaves_behind(update, loss):
    """PA leaves no loss on its constraint; the others no more than they promise."""
    problem, xs, ys = multiclass(60, seed=5)
    learner = StructuredLearner(update, loss=loss, C=0.4, record_directions=True)
    steps = 0
    for x, y in zip(xs, ys, strict=True):
        entry = learner.step(problem, x, y)
        if not entry.updated:
            continue
        steps += 1
        a = learner.trace_.directions[-1]
        left = entry.target - learner.hypothesis_ @ a
        if update == "pa":
            assert left == pytest.approx(0.0, abs=1e-10)
        elif update == "pa1":
            assert entry.tau <= 0.4 + 1e-12
            assert left == pytest.approx(0.0, abs=1e-10) or entry.tau == pytest.approx(0.4)
        elif update == "pa2":
            assert left == pytest.approx(entry.loss / (1 + 2 * 0.4 * entry.norm**2))
        elif update == "self-tuned":
            assert left == pytest.approx(0.0, abs=1e-10) or entry.alpha == 1.0
        else:
            assert entry.alpha == entry.tau == 1.0
    assert steps == learner.n_updates_ > 10


@given(seeds, st.sampled_from(UPDATES))
@settings(max_examples=40)
def test_both_losses_bound_the_cost_and_the_maximal_one_is_larger(seed, update):
    rng = np.random.default_rng(seed)
    problem, xs, ys = multiclass(15, seed)
    warm = StructuredLearner(update).fit(problem, xs, ys)
    state = pickle.dumps(warm)
    x, y = rng.normal(size=(4, 3)), int(rng.integers(4))
    entries = {}
    for loss in LOSSES:
        entries[loss] = pickle.loads(state).set_params(loss=loss).step(problem, x, y)
        assert entries[loss].loss >= entries[loss].cost - 1e-12
    assert entries["maximal"].prediction == entries["prediction"].prediction
    # (the self-tuned c grows with the direction, and at another c losses are not comparable)
    if entries["maximal"].c == entries["prediction"].c:
        assert entries["maximal"].loss >= entries["prediction"].loss - 1e-12


@given(seeds)
@settings(max_examples=40)
def test_self_tuned_maximal_loss_is_worst_at_the_c_of_its_round(seed):
    problem, xs, ys = multiclass(20, seed)
    learner = StructuredLearner("self-tuned", loss="maximal", shuffle=False)
    for x, y in zip(xs, ys, strict=True):
        v = learner.hypothesis_ * learner.c_ if hasattr(learner, "coef_") else np.zeros(3)
        entry = learner.step(problem, x, y)
        w = v / entry.c if entry.c > 0 else v
        worst = max(problem.costs[y] + (x - x[y]) @ w)
        assert entry.loss == pytest.approx(max(0.0, worst), abs=1e-10)


def test_an_approximate_loss_augmented_decoder_never_beats_the_prediction():
    class Poor(Multiclass):
        def loss_augmented_decode(self, w, x, y):
            return y  # finds no violation at all

    problem, xs, ys = multiclass(30, seed=2)
    poor = StructuredLearner("pa1", loss="maximal").fit(Poor(problem.costs), xs, ys)
    plain = StructuredLearner("pa1", loss="prediction").fit(problem, xs, ys)
    np.testing.assert_allclose(poor.coef_, plain.coef_, atol=1e-12)


def test_the_maximal_loss_is_never_replaced_silently():
    problem = PlainMulticlass(1.0 - np.eye(3))
    assert not isinstance(problem, LossAugmentedProblem)
    with pytest.raises(
        ParameterError, match=r"needs loss_augmented_decode.* use loss='prediction'"
    ):
        StructuredLearner(loss="maximal").fit(problem, [np.eye(3)], [0])
    problem.loss_augmented_decode = None  # how a problem says that its cost does not decompose
    with pytest.raises(ParameterError, match="PlainMulticlass does not have"):
        StructuredLearner(loss="maximal").step(problem, np.eye(3), 0)
    StructuredLearner(loss="prediction").fit(problem, [np.eye(3)], [0])


def test_mistakes_without_a_direction_are_counted():
    problem = Multiclass(1.0 - np.eye(2))
    xs, ys = [np.ones((2, 3))] * 3, [0, 1, 1]
    for update in UPDATES:
        learner = StructuredLearner(update).fit(problem, xs, ys)
        assert (learner.n_mistakes_, learner.n_null_, learner.n_updates_) == (2, 2, 0)
        assert not learner.coef_.any()
        assert learner.dual_objective_ == 0.0


@pytest.mark.parametrize("conversion", ["last", "average", "random"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("update", UPDATES)
def test_chunks_change_nothing(update, loss, conversion):
    xs, ys = chains(30, seed=1)
    whole = StructuredLearner(update, loss=loss, conversion=conversion)
    whole.partial_fit(Chain(), xs, ys)
    cut = clone(whole)
    for begin, end in ((0, 1), (1, 12), (12, 30)):
        cut.partial_fit(Chain(), xs[begin:end], ys[begin:end])
    single = clone(whole)
    for x, y in zip(xs, ys, strict=True):
        single.step(Chain(), x, y)
    for other in (cut, single):
        np.testing.assert_array_equal(other.coef_, whole.coef_)
        np.testing.assert_array_equal(other.trace_.dual, whole.trace_.dual)
    unshuffled = clone(whole).set_params(shuffle=False).fit(Chain(), xs, ys)
    if conversion != "random":  # fit draws its orders first
        np.testing.assert_array_equal(unshuffled.coef_, whole.coef_)


@pytest.mark.parametrize("conversion", ["last", "random", "average", "best"])
def test_a_seed_decides_everything(conversion):
    xs, ys = chains(20, seed=1, noise=1.0)

    def coef(seed):
        learner = StructuredLearner(conversion=conversion, epochs=2, random_state=seed)
        return learner.fit(Chain(), xs, ys).coef_

    np.testing.assert_array_equal(coef(4), coef(4))
    assert (coef(4) != coef(5)).any()


def test_fit_forgets_and_a_failed_fit_says_why():
    xs, ys = chains(10, seed=1)
    learner = StructuredLearner().fit(Chain(), xs, ys)
    first = learner.coef_.copy()
    learner.fit(Chain(), xs, ys)
    np.testing.assert_array_equal(learner.coef_, first)
    assert learner.n_rounds_ == len(learner.trace_) == 10


def test_random_conversion_returns_a_hypothesis_of_the_run():
    xs, ys = chains(15, seed=1)
    seen = [np.zeros(15)]
    learner = StructuredLearner(
        conversion="random", callback=lambda self, _: seen.append(self.hypothesis_)
    )
    learner.fit(Chain(), xs, ys)
    assert any((learner.coef_ == w).all() for w in seen[:-1])
    choices = {
        tuple(clone(learner).set_params(random_state=s).fit(Chain(), xs, ys).coef_)
        for s in range(8)
    }
    assert len(choices) > 3


def test_best_conversion_takes_the_best_epoch():
    problem = Chain()
    xs, ys = chains(12, seed=9, noise=1.2)
    learner = StructuredLearner("perceptron", conversion="best", epochs=6, shuffle=False)
    learner.fit(problem, xs, ys)
    last = StructuredLearner("perceptron", conversion="last", shuffle=False)
    costs = []
    for _ in range(6):
        last.partial_fit(problem, xs, ys)
        found = last.predict(problem, xs)
        costs.append(np.mean([problem.cost(y, z) for y, z in zip(ys, found, strict=True)]))
    assert learner.candidate_costs_ == costs
    assert len(set(costs)) > 1
    found = learner.predict(problem, xs)
    assert np.mean([problem.cost(y, z) for y, z in zip(ys, found, strict=True)]) == min(costs)


def test_validation_conversion_takes_the_best_candidate_on_held_out_data():
    problem = Chain()
    xs, ys = chains(40, seed=9, noise=1.2)
    held_out = (xs[30:], ys[30:])
    learner = StructuredLearner("perceptron", conversion="validation", n_candidates=5, epochs=2)
    learner.fit(problem, xs[:30], ys[:30], validation=held_out)
    assert len(learner.candidate_costs_) == 6  # the end of each block, and the mean of all
    found = learner.predict(problem, held_out[0])
    cost = np.mean([problem.cost(y, z) for y, z in zip(held_out[1], found, strict=True)])
    assert cost == min(learner.candidate_costs_)
    average = clone(learner).set_params(conversion="average").fit(problem, xs[:30], ys[:30])
    found = average.predict(problem, held_out[0])
    cost = np.mean([problem.cost(y, z) for y, z in zip(held_out[1], found, strict=True)])
    assert cost == learner.candidate_costs_[-1]
    learner.partial_fit(problem, xs[:5], ys[:5], validation=held_out)
    assert len(learner.candidate_costs_) == 8


def test_progress_and_callback_see_every_round():
    xs, ys = chains(4, seed=0)
    reports, rounds = [], []
    learner = StructuredLearner(epochs=3, callback=lambda self, entry: rounds.append(entry))
    learner.fit(Chain(), xs, ys, progress=lambda *report: reports.append(report))
    assert reports == [("learning weights", i + 1, 12) for i in range(12)]
    assert [entry.cost for entry in rounds] == learner.trace_.cost.tolist()


def test_it_is_an_estimator():
    learner = StructuredLearner("pa2", C=0.3, U=2.0, callback=None)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    assert repr(copy) == "StructuredLearner(update='pa2', C=0.3, U=2.0)"
    for name in ("coef_", "trace_"):
        assert not hasattr(copy, name)
    with pytest.raises(ParameterError, match="not fitted yet; call fit first"):
        copy.predict(Chain(), [])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"update": "sgd"}, "update='sgd', must be one of perceptron"),
        ({"loss": "hinge"}, "loss='hinge', must be one of prediction, maximal"),
        ({"conversion": "first"}, "conversion='first', must be one of last, random"),
        ({"C": 0.0}, "C=0.0, must be positive and finite"),
        ({"U": -1.0}, "U=-1.0, must be positive and finite"),
        ({"epochs": 0}, "epochs=0, must be a whole number, at least 1"),
        ({"n_candidates": 0}, "n_candidates=0, must be a whole number, at least 1"),
        ({"conversion": "validation"}, r"needs validation=\(xs, ys\)"),
    ],
)
def test_wrong_parameters(parameters, message):
    xs, ys = chains(3, seed=0)
    with pytest.raises(ParameterError, match=message):
        StructuredLearner(**parameters).fit(Chain(), xs, ys)


def test_wrong_examples():
    xs, ys = chains(3, seed=0)
    learner = StructuredLearner()
    with pytest.raises(ParameterError, match=r"len\(xs\)=3, len\(ys\)=2"):
        learner.fit(Chain(), xs, ys[:2])
    with pytest.raises(ParameterError, match="xs is empty"):
        learner.fit(Chain(), [], [])
    with pytest.raises(ParameterError, match=r"xs is of type generator, .* with list\(xs\)"):
        learner.fit(Chain(), (x for x in xs), ys)
    with pytest.raises(ParameterError, match="validation ys"):
        learner.set_params(conversion="validation").fit(Chain(), xs, ys, validation=(xs, ys[:1]))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("joint_feature", np.array([1.0, np.nan]), r"joint_feature\[1\] is nan, must be finite"),
        ("joint_feature", np.ones((2, 2)), r"returned shape \(2, 2\), must be \(J,\)"),
        ("joint_feature", np.array([1j]), r"returned array\(.*\), must be real numbers"),
        ("joint_feature", ["a"], r"returned \['a'\], must be real numbers"),
        ("cost", -1.0, "cost returned -1.0, must be finite and not negative"),
        ("cost", np.nan, "cost returned nan"),
        ("cost", None, "cost returned None, must be a number"),
        ("cost", [1.0, 2.0], r"cost returned \[1.0, 2.0\], must be a number"),
        ("decode", None, r"of type Multiclass, which has no decode\(w, x\)"),
    ],
)
def test_a_problem_that_misbehaves(name, value, message):
    problem = Multiclass(1.0 - np.eye(3))
    setattr(problem, name, None if name == "decode" else lambda *args: value)
    with pytest.raises(ParameterError, match=message):
        StructuredLearner().fit(problem, [np.eye(3)], [2])


def test_what_is_no_problem():
    with pytest.raises(ParameterError, match="problem is the class Multiclass itself"):
        StructuredLearner().fit(Multiclass, [np.eye(3)], [2])
    with pytest.raises(ParameterError, match=r"of type list, which has no joint_feature\(x, y\)"):
        StructuredLearner().step([np.eye(3)], np.eye(3), 2)


@pytest.mark.parametrize(
    ("signs", "message"),
    [
        ([True], r"shape \(1,\), must be bool and \(J,\)=\(15,\)"),
        (np.zeros(15), "has dtype float64"),
    ],
)
def test_signs_must_be_one_for_each_weight(signs, message):
    problem = Chain()
    problem.non_negative = signs
    with pytest.raises(ParameterError, match=message):
        StructuredLearner().fit(problem, *chains(2, 0))


@pytest.mark.parametrize("conversion", ["average", "last", "random", "best", "validation"])
def test_every_conversion_keeps_the_signs(conversion):
    problem, (xs, ys) = Chain(), chains(30, 1, noise=2.0)
    problem.non_negative = np.arange(15) % 2 == 0
    learner = StructuredLearner(conversion=conversion, epochs=2)
    learner.fit(problem, xs, ys, validation=(xs, ys))
    assert (learner.coef_[::2] >= 0).all()
    assert (learner.coef_[1::2] < 0).any()
    free = clone(learner).fit(Chain(), xs, ys, validation=(xs, ys))
    assert (free.coef_[::2] < 0).any()


def test_phi_must_keep_its_length():
    problem = Multiclass(1.0 - np.eye(3))
    learner = StructuredLearner().fit(problem, [np.eye(3)], [2])
    with pytest.raises(ParameterError, match=r"returned shape \(4,\), must be \(J,\)=\(3,\)"):
        learner.partial_fit(problem, [np.ones((3, 4))], [2])
    problem.joint_feature, problem.decode = lambda x, y: np.ones(3 + y), lambda w, x: 0
    with pytest.raises(ParameterError, match=r"returned shape \(3,\), must be \(J,\)=\(5,\)"):
        StructuredLearner().fit(problem, [np.eye(3)], [2])


@pytest.mark.parametrize("update", UPDATES)
def test_weights_that_overflow_are_an_error(update):
    problem = Multiclass(1.0 - np.eye(2))
    with pytest.raises(ParameterError, match="overflowed in round 1; scale the features"):
        StructuredLearner(update).fit(problem, [1e160 * np.eye(2)], [1])
