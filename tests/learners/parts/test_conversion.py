"""Online-to-batch conversions against what they are defined to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.learners.parts.conversion import Average, Best, Last, RandomStop, block_ends


def play(conversion, steps, c):
    """Run rounds of given steps and c; return the hypotheses before each, and the last."""
    v, scale, seen = np.zeros(steps.shape[1]), 0.0, []
    for step, c_t in zip(steps, c, strict=True):
        conversion.before_round(v, scale)
        seen.append(scale * v)
        scale = 1.0 / c_t if c_t else 0.0
        if step.any():
            v += step
            conversion.after_step(step)
    return np.array(seen), v, scale


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_average_is_the_mean_of_the_hypotheses_before_each_round(n_rounds, seed):
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(n_rounds, 3)) * (rng.random((n_rounds, 1)) < 0.5)
    c = np.sort(rng.choice([0.0, 0.3, 1.0, 5.0], n_rounds))
    steps[c == 0.0] = 0.0  # c is 0 only while nothing was seen
    average = Average()
    seen, v, scale = play(average, steps, c)
    np.testing.assert_allclose(
        average.weights(v, scale), seen.mean(axis=0), rtol=1e-10, atol=1e-10
    )


def test_average_of_sparse_steps():
    average, v = Average(), np.zeros(4)
    for index, step in (([0, 2], [1.0, 2.0]), ([2, 3], [1.0, -1.0])):
        average.before_round(v, 1.0)
        v[index] += step
        average.after_step(np.array(step), index)
    average.before_round(v, 1.0)
    expected = (np.array([1.0, 0, 2, 0]) + np.array([1.0, 0, 3, -1])) / 3
    np.testing.assert_allclose(average.weights(v, 1.0), expected)


def test_average_counts_what_was_there_at_the_start():
    average, v = Average(), np.array([4.0])
    average.before_round(v, 1.0)
    average.before_round(v, 1.0)
    assert average.weights(v, 1.0) == 4.0


@pytest.mark.parametrize(
    "conversion", [Last(), Average(), Best(), RandomStop(np.random.default_rng(0))]
)
def test_before_any_round_it_is_the_hypothesis_itself(conversion):
    v = np.array([1.0, 2.0])
    weights = conversion.weights(v, 0.5)
    np.testing.assert_array_equal(weights, [0.5, 1.0])
    assert not np.shares_memory(weights, v)


def test_last_is_the_one_after_the_last_round():
    last = Last()
    _, v, scale = play(last, np.array([[1.0], [2.0]]), [2.0, 4.0])
    assert last.weights(v, scale) == 0.75


def test_random_stop_is_uniform_over_the_rounds_and_returns_that_hypothesis():
    n_rounds, n_runs = 6, 3000
    drawn = np.zeros(n_runs, dtype=int)
    rng = np.random.default_rng(1)
    for run in range(n_runs):
        stop = RandomStop(rng)
        assert stop.stopped_before == 0  # before any round
        seen, v, scale = play(stop, np.ones((n_rounds, 1)), np.ones(n_rounds))
        drawn[run] = stop.stopped_before - 1
        np.testing.assert_array_equal(stop.weights(v, scale), seen[drawn[run]])
    counts = np.bincount(drawn, minlength=n_rounds)
    expected = n_runs / n_rounds
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 20.5  # 99.9% of chi-square with 5 degrees of freedom


def test_best_keeps_the_earliest_of_the_best():
    best = Best()
    candidates = np.array([[1.0], [2.0], [3.0], [4.0]])
    for candidate, cost in zip(candidates, (0.5, 0.2, 0.2, 0.3), strict=True):
        best.offer(candidate, cost)
    candidates[:] = 0.0  # what is kept is a copy
    assert best.chosen == 1
    assert best.costs == [0.5, 0.2, 0.2, 0.3]
    assert best.weights(np.zeros(1), 1.0) == 2.0


@given(st.integers(1, 100), st.integers(1, 30))
def test_blocks_are_equal_but_for_rounding(n_rounds, n_blocks):
    ends = block_ends(n_rounds, n_blocks)
    sizes = np.diff([0, *ends])
    assert ends[-1] == n_rounds
    assert len(ends) == min(n_rounds, n_blocks)
    assert sizes.min() >= 1
    assert np.ptp(sizes) <= 1
