"""H5: from mistake bounds to probably approximately correct hypotheses."""

import itertools

import numpy as np
import pytest

from align.errors import ParameterError
from align.learners import Elimination, Halving, a_pac, pac_sample_bound, pac_stage_size


def thresholds(n):
    """h_i(x) = +1 iff x <= i, on 0 .. n - 1, as a table."""
    return np.where(np.arange(n)[None, :] <= np.arange(n)[:, None], 1, -1)


def test_golden_stages():
    """Y14."""
    assert [pac_stage_size(i, 0.1, 0.05) for i in (1, 2, 3)] == [37, 44, 51]
    assert pac_stage_size(1, 0.1, 0.05, mistake_bound=3) == int(np.ceil(10 * np.log(80)))


def test_sample_bound_counts_one_stage_more_than_the_print():
    total = sum(pac_stage_size(i, 0.1, 0.05) for i in (1, 2))
    printed = 10 * (1 + np.log(20))  # M = 1
    assert total > printed
    for M in (0, 1, 5, 20):
        for eps, delta in ((0.1, 0.05), (0.01, 0.3)):
            sizes = [pac_stage_size(i, eps, delta) for i in range(1, M + 2)]
            assert sum(sizes) <= pac_sample_bound(M, eps, delta)
            flat = (M + 1) * pac_stage_size(1, eps, delta, mistake_bound=M)
            assert flat <= pac_sample_bound(M, eps, delta, uniform=True)
    assert pac_sample_bound(50, 0.1, 0.05, uniform=True) < pac_sample_bound(50, 0.1, 0.05)


@pytest.mark.parametrize("uniform", [False, True])
def test_pac_guarantee(uniform):
    n, eps, delta = 32, 0.1, 0.2
    table = thresholds(n)
    learner = Halving(table)
    M = learner.mistake_bound()
    rng = np.random.default_rng(86)
    failures = 0
    runs = 500
    for _ in range(runs):
        target = table[rng.integers(n)]
        points = rng.integers(n, size=4000)
        found = a_pac(learner, ((x, target[x]) for x in points), eps, delta, mistake_bound=M,
                      uniform=uniform)  # fmt: skip
        assert found.n_samples <= pac_sample_bound(M, eps, delta, uniform=uniform)
        assert found.n_stages <= M + 1
        error = np.mean([found.hypothesis(x) != target[x] for x in range(n)])
        failures += error > eps
    assert learner.alive_.all()  # it was copied
    assert failures / runs <= delta + 3 * np.sqrt(delta * (1 - delta) / runs)


def test_pac_raises_when_the_target_is_not_in_the_class():
    rng = np.random.default_rng(87)
    noise = ((x, rng.choice([-1, 1])) for x in rng.integers(8, size=5000))
    with pytest.raises(ParameterError, match=r"no concept|must be at most mistake_bound=3"):
        a_pac(Halving(thresholds(8)), noise, 0.1, 0.1, mistake_bound=3)
    flat = Elimination(1)  # never empties, so that the count is what stops it
    wrong = itertools.cycle([([1], -1), ([0], -1), ([1], 1)])
    with pytest.raises(ParameterError, match="3 mistakes, must be at most mistake_bound=2"):
        a_pac(flat, wrong, 0.1, 0.1, mistake_bound=2)
    with pytest.raises(ParameterError, match="examples ended after 2 with 2 of"):
        a_pac(Halving([[1]]), [(0, 1)] * 2, 0.1, 0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pac_stage_size(1, 0.0, 0.1), r"epsilon=0.0, delta=0.1, must lie in \(0, 1\)"),
        (lambda: a_pac(Elimination(1), [], 0.1, 0.1, uniform=True), "needs mistake_bound"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
