"""The one windowed search: it widens where an answer touches an edge, and nowhere else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.decoders.window_search import near_edges, search_in_windows
from align.errors import ParameterError

T = 40
LIMITS = np.array([[0, T]])


def search(score, start, width, most_rounds=20):
    """Look for the greatest of some scores, in a window that grows by its width either side."""

    def decode(windows):
        first, stop = windows[0]
        if not np.isfinite(score[first:stop]).any():
            raise ParameterError("nothing there.")
        return np.array([first + np.argmax(score[first:stop])])

    def widen(windows, found, near):
        wider = np.clip(windows + np.array([[-width, width]]), 0, T)
        return None if (wider == windows).all() else wider

    return search_in_windows(
        np.clip(np.array([[start - width, start + width + 1]]), 0, T),
        decode,
        lambda found, windows: near_edges(found, windows, LIMITS, 1),
        widen,
        most_rounds=most_rounds,
    )


@given(st.integers(0, 999), st.integers(0, T - 1), st.integers(1, 9))
def test_the_answer_touches_no_edge_of_its_own(seed, start, width):
    score = np.random.default_rng(seed).normal(size=T)
    found = search(score, start, width)
    [onset], [(first, stop)] = found.found, found.windows
    assert onset == first + np.argmax(score[first:stop])
    assert not found.near.any()
    assert onset > first or first == 0
    assert onset < stop - 1 or stop == T


@given(st.integers(0, T - 1), st.integers(1, 9))
def test_one_hill_is_climbed_from_anywhere(start, width):
    score = -np.abs(np.arange(T) - 25.0)
    assert search(score, start, width, most_rounds=T).found.tolist() == [25]


def test_windows_in_which_nothing_fits_are_widened_and_then_given_up():
    score = np.full(T, -np.inf)
    score[30] = 0.0
    assert search(score, 3, 2).found.tolist() == [30]
    with pytest.raises(ParameterError, match="nothing there"):
        search(np.full(T, -np.inf), 3, 2)


def test_rounds_run_out():
    rising = np.arange(T, dtype=float)
    found = search(rising, 0, 2, most_rounds=3)
    assert (found.rounds, found.near.tolist(), found.found.tolist()) == (3, [True], [6])
    assert search(rising, 0, 2).found.tolist() == [T - 1]


def test_edges_that_are_limits_do_not_count():
    windows = np.array([[0, 10], [5, 20], [12, 30]])
    limits = np.array([[0, 28], [1, 20], [2, 30]])
    near = near_edges(np.array([0, 6, 29]), windows, limits, 2)
    assert near.tolist() == [False, True, False]
    assert near_edges(np.array([9, 18, 12]), windows, limits, 1).tolist() == [True, False, True]


def test_a_margin_counts_frames_from_the_edge():
    onsets = np.array([5, 6, 7, 12, 17, 18, 19])
    near = near_edges(onsets, np.tile([5, 20], (7, 1)), np.tile([0, 40], (7, 1)), 2)
    assert near.tolist() == [True, True, False, False, False, True, True]
