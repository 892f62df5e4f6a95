"""The stretch of a sequence that a recording has, beside all that there are."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.decoders.excerpt import Excerpt, best_excerpt
from align.errors import ParameterError

Problem = tuple[npt.NDArray[np.float64], ...]


def every_score(problem: Problem) -> dict[tuple[int, int, int, int], float]:
    """Return the best score of each stretch and place, path by path."""
    table, rows, other, passing, begins, ends = problem
    n_events, n_cells = len(rows), table.shape[1]
    found = {(0, 0, 0, 0): float(other.sum())}

    def go_on(path: list[int], score: float, begin: int) -> None:
        """Count a path of events in successive cells, and all that it may become."""
        c, k = begin + len(path), path[-1]
        if ends[k]:
            place = (path[0], k + 1, begin, c)
            whole = score + float(other[:begin].sum() + other[c:].sum())
            found[place] = max(found.get(place, -np.inf), whole)
        if c == n_cells:
            return
        for step in range(min(4, n_events - k)):
            passed = sum(passing[k + 1 : k + step])
            go_on([*path, k + step], score + table[rows[k + step], c] - passed, begin)

    for begin in range(n_cells):
        for k in np.flatnonzero(begins):
            go_on([int(k)], float(table[rows[k], begin]), begin)
    return found


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    n_events, n_cells, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 5)), 3
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    begins, ends = rng.random((2, n_events)) < draw(st.sampled_from([0.5, 1.0]))
    table = rng.normal(size=(n_labels, n_cells))
    rows = rng.integers(n_labels, size=n_events)
    return table, rows, rng.normal(size=n_cells) - 0.5, rng.random(n_events), begins, ends


@given(problems())
def test_the_best_of_all_stretches_is_found(problem: Problem) -> None:
    scores = every_score(problem)
    found = best_excerpt(*problem)
    assert found.score == pytest.approx(max(scores.values()), abs=1e-9)
    assert scores[found[:4]] == pytest.approx(found.score, abs=1e-9)


def test_a_stretch_within_a_long_sequence() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(12, size=2000)
    lasting = rng.integers(1, 5, size=40)
    cells = np.repeat(rows[700:740], lasting)
    table = np.where(np.arange(12)[:, None] == cells, -0.2, -2.5)
    table = np.concatenate((rng.normal(-3, 0.1, (12, 9)), table), axis=1)
    every = np.ones(len(rows), dtype=bool)
    found = best_excerpt(
        table, rows, np.full(table.shape[1], -1.0), np.full(len(rows), 1.0), every, every
    )
    assert found[:4] == (700, 740, 9, table.shape[1])


def test_nothing_fits() -> None:
    every = np.ones(3, dtype=bool)
    found = best_excerpt(
        np.full((2, 4), -5.0), np.array([0, 1, 0]), np.full(4, -1.0), np.ones(3), every, every
    )
    assert found == Excerpt(0, 0, 0, 0, -4.0)


def test_arrays_that_do_not_belong_together() -> None:
    every = np.ones(3, dtype=bool)
    good = [np.zeros((2, 4)), np.array([0, 1, 0]), np.zeros(4), np.zeros(3), every, every]
    best_excerpt(*good)
    for k, wrong in ((1, np.array([0, 2, 0])), (2, np.zeros(5)), (3, np.zeros(2)), (4, every[:2])):
        with pytest.raises(ParameterError, match="rows"):
            best_excerpt(*[wrong if i == k else part for i, part in enumerate(good)])
