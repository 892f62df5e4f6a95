"""The step on one constraint, its tuning, and the named updates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.learners import DualAscent, FixedTuning, MistakeTuning, Round, Trace
from align.learners.parts.steps import HARD, LINEAR, exact_step, hinge, squared
from align.learners.parts.updates import UPDATES, Update, make_update
from align.learners.theory.bounds import solve_sqrt_bound, squared_loss_bound

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_the_exact_step_maximises_the_dual(seed):
    rng = np.random.default_rng(seed)
    v, a = rng.normal(size=(2, 4))
    b, c = rng.uniform(0, 3), rng.uniform(0.1, 4)
    loss = hinge(b, float(v @ a) / c)
    for slack in (HARD, LINEAR, squared(rng.uniform(0.05, 5))):

        def dual(alpha, slack=slack):
            moved = v + alpha * a
            return slack.dual_gain(alpha, b) - float(moved @ moved) / (2 * c)

        alpha = exact_step(loss, float(a @ a), c, slack)
        grid = np.linspace(0.0, min(slack.largest, 20.0), 801)
        assert 0.0 <= alpha <= slack.largest
        assert dual(alpha) >= max(dual(x) for x in grid) - 1e-9


@given(seeds)
def test_passive_aggressive_formulas(seed):
    rng = np.random.default_rng(seed)
    w, a = rng.normal(size=(2, 4))
    C, b = rng.uniform(0.05, 5), rng.uniform(0, 3)
    loss, square = max(0.0, b - float(w @ a)), float(a @ a)
    expected = {
        "pa": loss / square,
        "pa1": min(C, loss / square),
        "pa2": loss / (square + 1 / (2 * C)),
    }
    for name, tau in expected.items():
        update = make_update(name, C=C)
        c = update.tuning(0.0, 0)
        assert exact_step(loss, square, c, update.slack) / c == pytest.approx(tau, rel=1e-12)


def test_no_step_without_loss_or_direction():
    assert exact_step(0.0, 2.0, 1.0, HARD) == 0.0
    assert exact_step(3.0, 0.0, 1.0, HARD) == 0.0
    assert exact_step(3.0, 0.0, 0.0, LINEAR) == 0.0


def test_hinge_ignores_rounding_only():
    assert hinge(1.0, 1.0 - 1e-14) == 0.0
    assert hinge(1.0, 1.0 - 1e-9) == pytest.approx(1e-9)
    assert hinge(0.0, -1e-30) == 1e-30
    assert hinge(0.0, 0.0) == 0.0


def test_mistake_tuning_has_the_golden_value_and_never_decreases():
    tuning = MistakeTuning(U=1.0)
    assert tuning(2.0, 3) == pytest.approx(2.44948974, abs=1e-8)
    assert tuning(0.0, 5) == 0.0
    assert tuning(3.0, 0) == 0.0
    values = [tuning(radius, m) for radius, m in ((1.0, 1), (1.0, 2), (2.0, 2), (2.0, 9))]
    assert values == sorted(values)


def test_lemma_19_holds_and_is_attained_in_order_of_magnitude():
    rng = np.random.default_rng(0)
    for b, c in rng.uniform(0, 5, size=(200, 2)):
        root = ((b + np.sqrt(b * b + 4 * c)) / 2) ** 2  # the largest z with z - b sqrt(z) - c <= 0
        assert root <= solve_sqrt_bound(b, c) + 1e-12
    assert solve_sqrt_bound(0.0, 7.0) == 7.0
    with pytest.raises(ParameterError, match=r"b=-1.0, c=2.0, must not be negative"):
        solve_sqrt_bound(-1.0, 2.0)


def test_squared_loss_bound_of_pa_is_infinite_with_loss():
    assert squared_loss_bound(2.0, 0.0, 0.5, np.zeros(3)) == 4.0
    assert squared_loss_bound(2.0, 0.0, 0.5, np.array([0.0, 0.1])) == np.inf


def test_an_update_of_ones_own_works_like_a_named_one():
    own = Update(LINEAR, FixedTuning(4.0), exact=True, conservative=True)
    assert make_update(own) is own
    run = DualAscent(own, 1)
    run.begin_round()
    entry = run.end_round("b", np.array([1.0]), target=1.0, cost=1.0)
    assert (entry.alpha, entry.tau, run.weights()[0]) == (1.0, 0.25, 0.25)
    run.begin_round()
    idle = run.end_round("a", np.array([1.0]), target=0.9, cost=0.0)
    assert idle.loss == pytest.approx(0.65)
    assert not idle.updated  # conservative: the prediction was right
    assert (run.n_rounds, run.n_mistakes, run.n_updates) == (2, 1, 1)


def test_trace_keeps_every_column():
    trace = Trace()
    entry = Round("y", 2.0, 0.5, True, 1.0, 0.25, 0.5, 3.0, 1.5, 0.1)
    trace.append(entry, np.array([1.0, 2.0]))
    trace.append(entry, np.array([3.0, 4.0]))
    assert len(trace) == 2
    for name, values in trace.as_dict().items():
        np.testing.assert_array_equal(values, [getattr(entry, name)] * 2)
    np.testing.assert_array_equal(trace.directions, [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(AttributeError, match="a trace has no 'gain'; it has cost, loss"):
        trace.gain  # noqa: B018


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_update("adagrad"), "update='adagrad', must be one of perceptron, pa, pa1"),
        (lambda: make_update("pa1", C=0.0), "C=0.0, must be positive and finite"),
        (lambda: make_update("self-tuned", U=np.inf), "U=inf, must be positive"),
        (lambda: FixedTuning(0.0), "c=0.0, must be positive"),
        (lambda: MistakeTuning(-1.0), "U=-1.0, must be positive"),
        (lambda: squared(np.nan), "C=nan, must be positive"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_the_named_updates():
    assert set(UPDATES) == {"perceptron", "pa", "pa1", "pa2", "self-tuned"}
    assert [make_update(name).conservative for name in UPDATES] == [
        True,
        False,
        False,
        False,
        True,
    ]
