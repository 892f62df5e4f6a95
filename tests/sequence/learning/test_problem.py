"""What the learner sees of chords: phi, cost and the worst violation, against enumeration."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.learners.structured.costs import AbsoluteCost, RampCost, ToleranceCost
from align.music.functions.chord_functions import WindowTerm
from align.sequence.learning.problem import AlignmentProblem, Truth
from align.terms import BaseFunctions, DurationTerm

WINDOWS = np.array([[0, 4], [1, 6], [3, 7]])
COSTS = [
    (RampCost(3.0, 1.0, "frames"), True),
    (AbsoluteCost(), False),
    (ToleranceCost(1, "frames"), False),
]


def problem_of(seed: int, cost: int) -> tuple[AlignmentProblem, BaseFunctions, Truth]:
    rng = np.random.default_rng(seed)
    terms = [
        WindowTerm(rng.normal(size=(3, 5)), WINDOWS[:, 0]),
        DurationTerm(rng.normal(size=(3, 8)), np.array([0, 1, -1])),
    ]
    x = BaseFunctions(terms, ("onset", "length"), 3, 7, windows=WINDOWS)
    y = Truth(np.array([1, 3, 5]), rng.random(3) < 0.8)
    if not y.known.any():
        y.known[1] = True
    scale = rng.uniform(0.5, 2, 2)
    return AlignmentProblem(COSTS[cost][0], scale, True, COSTS[cost][1]), x, y


def timings() -> list[np.ndarray]:
    every = (np.array(y) for y in combinations(range(7), 3))
    return [y for y in every if (y >= WINDOWS[:, 0]).all() and (y < WINDOWS[:, 1]).all()]


@given(st.integers(0, 500), st.integers(0, 2))
def test_decoding_finds_the_best_and_the_worst(seed: int, cost: int) -> None:
    problem, x, y = problem_of(seed, cost)
    w = np.random.default_rng(seed + 1).normal(size=2)
    scores = [w @ problem.joint_feature(x, t) for t in timings()]
    best = w @ problem.joint_feature(x, problem.decode(w, x))
    assert best == pytest.approx(max(scores))
    worst = problem.loss_augmented_decode(w, x, y)
    value = w @ problem.joint_feature(x, worst) + problem.cost(y, worst)
    costs = [problem.cost(y, t) for t in timings()]
    assert value == pytest.approx(max(s + c for s, c in zip(scores, costs, strict=True)))


def test_phi_is_a_mean_over_chords_in_units_of_the_scale() -> None:
    problem, x, y = problem_of(0, 0)
    np.testing.assert_allclose(problem.joint_feature(x, y), x.phi(y.frames) / (3 * problem.scale))


def test_chords_that_were_not_played_cost_nothing() -> None:
    problem = AlignmentProblem(
        RampCost(2.0, 0.0, "frames"), np.ones(2), normalise=True, share=True
    )
    y = Truth(np.array([1, 3, 5]), np.array([True, False, True]))
    assert problem.cost(y, np.array([1, 4, 5])) == 0.0
    assert problem.cost(y, np.array([2, 4, 9])) == pytest.approx((0.5 + 1.0) / 2)


def test_truth_keeps_to_windows_and_order() -> None:
    windows = np.array([[0, 20], [5, 25], [10, 30], [10, 40]])
    times = np.array([0.1, np.nan, 0.5, 0.2])  # the third lies outside, the last comes early
    truth = Truth.within(times, np.arange(4.0), windows, 0.01)
    assert truth is not None
    # the first and the last are known; those between stand in proportion to the score
    assert truth.frames.tolist() == [10, 13, 17, 20]
    assert truth.known.tolist() == [True, False, False, True]


def test_truth_far_from_all_windows_is_none() -> None:
    windows = np.array([[0, 20], [5, 25]])
    assert Truth.within(np.array([9.0, 9.5]), np.arange(2.0), windows, 0.01) is None


def test_terms_and_potentials_must_have_the_same_windows() -> None:
    term = WindowTerm(np.zeros((3, 5)), WINDOWS[:, 0] + 1)
    x = BaseFunctions([term], ("onset",), 3, 7, windows=WINDOWS)
    with pytest.raises(ParameterError, match="must have the same windows"):
        x.potentials(np.ones(1))
