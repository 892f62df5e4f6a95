"""What the theory promises of the structured learner, as executable properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multiclass_problem import Multiclass

from align.errors import ParameterError
from align.learners import StructuredLearner
from align.learners.parts.updates import UPDATES

LOSSES = ("prediction", "maximal")
seeds = st.integers(0, 2**32 - 1)


def stream(seed, n=60, k=4, d=3, noise=0.2):
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 4, size=(k, k)).astype(float)
    costs[rng.random((k, k)) < 0.2] = 0.0
    np.fill_diagonal(costs, 0.0)
    u = rng.normal(size=d)
    scale = rng.choice([0.3, 1.0, 3.0], size=n)
    xs = [s * rng.normal(size=(k, d)) for s in scale]
    ys = [int(np.argmax(x @ u)) for x in xs]
    ys = [int(rng.integers(k)) if rng.random() < noise else y for y in ys]
    return Multiclass(costs), xs, ys, u / np.linalg.norm(u)


def competitors(u, rng, size):
    """0, the truth at several lengths, and random ones, within the ball of radius `size`."""
    yield np.zeros_like(u)
    for length in (0.1, 0.5, 1.0):
        yield length * size * u
        other = rng.normal(size=u.size)
        yield length * size * other / np.linalg.norm(other)


@given(seeds, st.sampled_from([0.5, 2.0, 10.0]), st.sampled_from(LOSSES))
def test_theorem_7(seed, U, loss):
    problem, xs, ys, u = stream(seed)
    learner = StructuredLearner("self-tuned", U=U, loss=loss, record_directions=True)
    learner.fit(problem, xs, ys)
    order = np.random.default_rng(0).permutation(len(xs))  # what fit drew
    xs, ys = [xs[i] for i in order], [ys[i] for i in order]
    X = max(np.linalg.norm(x - x[y], axis=1).max() for x, y in zip(xs, ys, strict=True))
    assert learner.radius_ <= X + 1e-12
    rng = np.random.default_rng(seed)
    for v in competitors(u, rng, np.sqrt(2 * U)):
        maximal = problem.maximal_losses(v, xs, ys)
        b, total = X * np.sqrt(8 * U), maximal.sum()
        printed = total + b * b + b * np.sqrt(total)
        bound = learner.cost_bound(v, maximal)
        assert bound <= printed * (1 + 1e-9)
        assert learner.cumulative_cost_ <= bound * (1 + 1e-9) + 1e-9
        # ours, from the constraints of the run alone, is sharper and holds too
        own = learner.cost_bound(v)
        assert learner.cumulative_cost_ <= own * (1 + 1e-9) + 1e-9
        assert (learner.losses_of(v) <= maximal + 1e-9).all()
        sharper = 2.1213204 * learner.radius_ * np.sqrt(U)
        total = np.where(learner.trace_.cost > 0, learner.losses_of(v), 0.0).sum()
        sharper = total + sharper**2 + sharper * np.sqrt(total)
        assert learner.cumulative_cost_ <= sharper * (1 + 1e-6) + 1e-9


class Signs:
    """Outputs 0 and 1 of a vector, with the features of one half of it or the other."""

    def joint_feature(self, x, y):
        return (y - 0.5) * x

    def decode(self, w, x):
        return int(x @ w > 0)

    def loss_augmented_decode(self, w, x, y):
        return 1 - y if (1 - 2 * y) * (x @ w) + 1 > 0 else y

    def cost(self, y, y_hat):
        return float(y != y_hat)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [10, 40])
def test_theorem_7_where_every_round_is_a_surprise(n, loss):
    """Each input has a feature of its own: the trajectory is known, and so is the bound, 4 n."""
    learner = StructuredLearner("self-tuned", U=n / 2, loss=loss, record_directions=True)
    rounds = [learner.step(Signs(), x, 1) for x in np.vstack([np.eye(n)] * 4)]
    c = [np.sqrt((t + 1) / n) for t in range(n)]  # X sqrt(m / 2U), m with the mistake itself
    np.testing.assert_allclose([r.c for r in rounds[:n]], c)
    np.testing.assert_allclose([r.alpha for r in rounds[:n]], np.minimum(1.0, c))
    u = np.ones(n)
    assert learner.cumulative_cost_ == n
    assert learner.cost_bound(u) == pytest.approx(4 * n)
    assert learner.cost_bound(u, np.zeros(4 * n)) == pytest.approx(4 * n)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_theorem_7_bites_on_the_outputs_of_an_adversary(seed, loss):
    rng = np.random.default_rng(seed)
    learner = StructuredLearner("self-tuned", U=0.5, loss=loss, record_directions=True)
    xs = rng.normal(size=(300, 4))
    xs /= np.linalg.norm(xs, axis=1, keepdims=True)
    learner.step(Signs(), xs[0], 1)
    for x in xs[1:]:
        learner.step(Signs(), x, 1 - int(x @ learner._run.v > 0))
    assert learner.cumulative_cost_ == 300
    bound = learner.cost_bound(np.zeros(4), np.ones(300))
    print(f"\ncost 300, bound {bound:.1f}")
    assert 300 <= bound <= 360


@given(seeds, st.sampled_from(UPDATES), st.sampled_from(LOSSES), st.sampled_from([0.1, 1.0, 10.0]))
def test_cost_bounds_of_every_update(seed, update, loss, C):
    problem, xs, ys, u = stream(seed, noise=0.1)
    learner = StructuredLearner(
        update, loss=loss, C=C, U=2.0, shuffle=False, record_directions=True
    ).fit(problem, xs, ys)
    for v in competitors(u, np.random.default_rng(seed), 5.0):
        assert learner.cumulative_cost_ <= learner.cost_bound(v) * (1 + 1e-9) + 1e-9
        maximal = problem.maximal_losses(v, xs, ys)
        assert learner.cumulative_cost_ <= learner.cost_bound(v, maximal) * (1 + 1e-9) + 1e-9


@given(seeds, st.sampled_from(["perceptron", "pa1", "self-tuned"]), st.sampled_from(LOSSES))
def test_regret_bound(seed, update, loss):
    problem, xs, ys, u = stream(seed)
    learner = StructuredLearner(update, loss=loss, C=0.3, record_directions=True)
    learner.fit(problem, xs, ys)
    trace = learner.trace_
    counted = trace.cost > 0 if update != "pa1" else np.ones(len(trace), dtype=bool)
    for v in competitors(u, np.random.default_rng(seed), 5.0):
        regret = (trace.loss - learner.losses_of(v))[counted].sum()
        assert regret <= learner.regret_bound(v) * (1 + 1e-9) + 1e-9
    # the printed bound for fixed c (D3) is no smaller
    if update != "self-tuned":
        printed = learner.c_ * v @ v / 2 + learner.radius_**2 * counted.sum() / (2 * learner.c_)
        assert learner.regret_bound(v) <= printed * (1 + 1e-9)


@given(seeds, st.sampled_from(UPDATES), st.sampled_from(LOSSES))
def test_weak_duality_and_the_dual_objective(seed, update, loss):
    problem, xs, ys, u = stream(seed, n=30)
    learner = StructuredLearner(
        update, loss=loss, C=0.7, conversion="last", record_directions=True
    ).fit(problem, xs, ys)
    trace, directions = learner.trace_, learner.trace_.directions
    v = trace.alpha @ directions
    c = learner.c_
    np.testing.assert_allclose(v / c if c else v, learner.hypothesis_, atol=1e-9)
    curvature = 1 / (2 * 0.7) if update == "pa2" else 0.0
    gain = (trace.alpha * trace.target - curvature * trace.alpha**2 / 2).sum()
    assert learner.dual_objective_ == pytest.approx(gain - v @ v / (2 * c) if c else 0.0, abs=1e-8)
    assert trace.dual[-1] == learner.dual_objective_
    rng = np.random.default_rng(seed)
    for w in (*competitors(u, rng, 4.0), learner.hypothesis_):
        losses = learner.losses_of(w)
        if update == "pa":
            # no loss is allowed: the dual bounds half the squared norm of those without
            primal = np.inf if (losses > 1e-9).any() else 0.5 * w @ w
        elif update == "pa2":
            primal = 0.5 * w @ w + 0.7 * (losses**2).sum()
        else:
            primal = c * 0.5 * w @ w + losses.sum()
        assert learner.dual_objective_ <= primal + 1e-9 * (1 + abs(primal))


@given(seeds, st.sampled_from(["pa", "pa1", "pa2"]), st.sampled_from(LOSSES))
def test_exact_steps_never_lower_the_dual_and_gain_what_they_must(seed, update, loss):
    problem, xs, ys, _ = stream(seed, n=40)
    learner = StructuredLearner(update, loss=loss, C=0.5).fit(problem, xs, ys)
    trace = learner.trace_
    gains = np.diff(trace.dual, prepend=0.0)
    assert (gains >= -1e-9 * (1 + np.abs(trace.dual))).all()
    if update == "pa1":  # condition 3.9, with the subgradient at the hypothesis
        least = np.where(trace.loss > 0, trace.loss - trace.norm**2 / (2 * trace.c), 0.0)
        assert (gains >= least - 1e-9 * (1 + np.abs(trace.dual))).all()


@given(seeds, st.sampled_from(["perceptron", "pa1"]), st.sampled_from(LOSSES))
def test_lemma_1_is_a_sandwich(seed, update, loss):
    problem, xs, ys, u = stream(seed, n=40)
    learner = StructuredLearner(update, loss=loss, C=0.5, record_directions=True)
    learner.fit(problem, xs, ys)
    trace = learner.trace_
    used = trace.alpha > 0
    counted = trace.cost > 0 if update == "perceptron" else np.ones(len(trace), dtype=bool)
    lower = trace.loss[counted].sum() - (trace.norm[used] ** 2 / (2 * trace.c[used])).sum()
    assert lower <= learner.dual_objective_ + 1e-8
    for w in (np.zeros(3), u, learner.hypothesis_):
        primal = learner.c_ * w @ w / 2 + learner.losses_of(w)[counted].sum()
        assert learner.dual_objective_ <= primal + 1e-8


def test_the_golden_c_of_the_self_tuned_learner():
    """Three mistakes with directions of length 2 and U = 1 (Y13)."""
    problem = Multiclass(1.0 - np.eye(2))
    e = np.array([1.0, 0.0, 0.0])
    learner = StructuredLearner("self-tuned", U=1.0)
    learner.step(problem, np.stack([e, -e]), 1)
    learner.step(problem, np.stack([e[::-1], -e[::-1]]), 1)
    entry = learner.step(problem, np.stack([np.roll(e, 1), -np.roll(e, 1)]), 1)
    assert (learner.n_mistakes_, learner.radius_) == (3, 2.0)
    assert entry.c == pytest.approx(2.44948974, abs=1e-8)


class Binary:
    """phi = y x / 2 and cost 1."""

    def joint_feature(self, x, y):
        return 0.5 * y * x

    def decode(self, w, x):
        return 1 if x @ w >= 0 else -1

    def cost(self, y, y_hat):
        return float(y != y_hat)


@given(seeds, st.sampled_from([0.5, 2.0, 10.0]))
def test_on_binary_data_self_tuned_is_conservative_pa1_with_its_c(seed, U):
    """Row W21 of the equivalence matrix."""
    rng = np.random.default_rng(seed)
    xs = rng.normal(size=(50, 4)) * rng.choice([0.3, 1.0, 3.0], size=(50, 1))
    ys = np.where(xs @ rng.normal(size=4) + rng.normal(size=50) > 0, 1, -1)
    learner = StructuredLearner("self-tuned", U=U, shuffle=False, conversion="last")
    learner.fit(Binary(), list(xs), ys.tolist())

    v, X, m = np.zeros(4), 0.0, 0
    for x, y in zip(xs, ys, strict=True):
        if (1 if x @ v >= 0 else -1) == y:
            continue
        m += 1
        X = max(X, np.linalg.norm(x))
        c = X * np.sqrt(m / (2 * U))
        w, C = v / c, 1 / c
        tau = min(C, (1 - y * (w @ x)) / (x @ x))  # PA-I, margin 1
        v = c * (w + tau * y * x)
    assert learner.n_mistakes_ == m
    np.testing.assert_allclose(learner.coef_, v / c, rtol=1e-10, atol=1e-12)


def test_bounds_say_what_they_need():
    problem, xs, ys, u = stream(0, n=10)
    learner = StructuredLearner("pa1").fit(problem, xs, ys)
    with pytest.raises(ParameterError, match="use record_directions=True"):
        learner.cost_bound(u)
    with pytest.raises(ParameterError, match=r"losses.shape=\(3,\), must be \(T,\)=\(10,\)"):
        learner.cost_bound(u, np.zeros(3))
    with pytest.raises(ParameterError, match=r"u.shape=\(2,\), must be \(J,\)=\(3,\)"):
        learner.regret_bound(u[:2])
    with pytest.raises(ParameterError, match="'pa2' has no regret bound"):
        StructuredLearner("pa2").fit(problem, xs, ys).regret_bound(u)
    with pytest.raises(ParameterError, match="not fitted yet"):
        StructuredLearner().regret_bound(u)


@settings(max_examples=10)
@given(seeds)
def test_theorem_7_is_not_claimed_for_small_costs(seed):
    """Costs in (0, 1) void the theorem; the bound is then the run's own, and holds."""
    problem, xs, ys, u = stream(seed)
    problem.costs = problem.costs / 10
    learner = StructuredLearner("self-tuned", U=10.0, record_directions=True).fit(problem, xs, ys)
    for v in competitors(u, np.random.default_rng(seed), np.sqrt(20.0)):
        assert learner.cumulative_cost_ <= learner.cost_bound(v) + 1e-9
        expected = learner.regret_bound(v) + learner.losses_of(v)[learner.trace_.cost > 0].sum()
        assert learner.cost_bound(v) == pytest.approx(expected)


@given(seeds, st.sampled_from(LOSSES))
def test_realisable_streams_have_a_finite_bound_with_pa(seed, loss):
    problem, xs, ys, u = stream(seed, noise=0.0)
    slack = [np.delete(x[y] - x, y, axis=0) @ u for x, y in zip(xs, ys, strict=True)]
    kept = [i for i, margins in enumerate(slack) if margins.min() > 0.2]
    xs, ys = [xs[i] for i in kept], [ys[i] for i in kept]
    perfect = u * 3.0 / 0.2  # every margin is at least the largest cost
    assert not problem.maximal_losses(perfect, xs, ys).any()
    learner = StructuredLearner("pa", loss=loss, record_directions=True).fit(problem, xs, ys)
    squares = (learner.trace_.loss**2).sum()
    assert squares <= learner.radius_**2 * (perfect @ perfect) * (1 + 1e-9)  # Theorem 1
    bound = learner.cost_bound(perfect)
    assert learner.cumulative_cost_ <= bound < np.inf


class Signed(Multiclass):
    """The same, where weights 0 and 2 must not be negative."""

    non_negative = np.array([True, False, True])


@given(seeds, st.sampled_from(UPDATES), st.sampled_from(LOSSES), st.sampled_from([0.1, 1.0]))
def test_weights_that_must_not_be_negative_keep_the_bounds(seed, update, loss, C):
    problem, xs, ys, u = stream(seed)
    signed, signs = Signed(problem.costs), Signed.non_negative
    seen = []
    learner = StructuredLearner(
        update, loss=loss, C=C, U=2.0, shuffle=False, record_directions=True
    ).set_params(callback=lambda learner, _: seen.append(learner.hypothesis_.copy()))
    learner.fit(signed, xs, ys)
    assert (np.array(seen)[:, signs] >= 0).all()
    assert (learner.coef_[signs] >= 0).all()
    trace = learner.trace_
    counted = trace.cost > 0 if update in ("perceptron", "self-tuned") else trace.cost >= 0
    for v in competitors(u, np.random.default_rng(seed), 2.0):
        v = np.where(signs, np.maximum(v, 0.0), v)  # bounds are for those that keep the signs
        assert learner.cumulative_cost_ <= learner.cost_bound(v) * (1 + 1e-9) + 1e-9
        if update not in ("pa", "pa2"):
            regret = (trace.loss - learner.losses_of(v))[counted].sum()
            assert regret <= learner.regret_bound(v) * (1 + 1e-9) + 1e-9
            primal = learner.c_ * v @ v / 2 + learner.losses_of(v)[counted].sum()
            assert learner.dual_objective_ <= primal + 1e-8


@given(seeds, st.sampled_from(["pa", "pa1", "pa2"]), st.sampled_from(LOSSES))
def test_signs_cut_a_step_off_and_change_nothing_else(seed, update, loss):
    problem, xs, ys, _ = stream(seed, n=20)
    before = np.zeros(3)
    learner = StructuredLearner(update, loss=loss, C=0.3, record_directions=True)
    for x, y in zip(xs, ys, strict=True):
        entry = learner.step(Signed(problem.costs), x, y)
        after = before + entry.tau * learner.trace_.directions[-1]
        after[Signed.non_negative] = np.maximum(after[Signed.non_negative], 0.0)
        np.testing.assert_allclose(learner.hypothesis_, after, atol=1e-12)
        before = learner.hypothesis_


@pytest.mark.parametrize("update", UPDATES)
def test_signs_that_never_bind_leave_the_run_as_it_was(update):
    problem, xs, ys, _ = stream(3)
    for x, y in zip(xs, ys, strict=True):  # all steps go up
        x[:] = -np.abs(x)
        x[y] *= -0.3
    plain = StructuredLearner(update, loss="maximal").fit(problem, xs, ys)
    signed = StructuredLearner(update, loss="maximal").fit(Signed(problem.costs), xs, ys)
    assert plain.n_updates_ > 0
    np.testing.assert_array_equal(signed.coef_, plain.coef_)
    np.testing.assert_array_equal(signed.trace_.dual, plain.trace_.dual)
