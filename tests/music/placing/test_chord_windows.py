"""Windows keep their promises: monotone, with room for every chord, and never smaller."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from align.decoders.window_search import near_edges
from align.music.placing.windows import limits_of, widened, windows_about
from align.sequence.frames import spaced


@st.composite
def chord_frames(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    n_frames = draw(st.integers(5, 120))
    size = draw(st.integers(1, min(n_frames, 30)))
    times = draw(st.lists(st.floats(-5.0, 130.0), min_size=size, max_size=size))
    return np.sort(np.array(times)), n_frames


def check(windows: np.ndarray, frames: np.ndarray, n_frames: int) -> None:
    assert (np.diff(windows, axis=0) >= 0).all()
    assert windows.min() >= 0
    assert windows.max() <= n_frames
    assert (windows[:, 0] <= frames).all()
    assert (frames < windows[:, 1]).all()


@given(chord_frames(), st.integers(0, 40))
def test_windows_hold_their_chords(given_frames: tuple[np.ndarray, int], half: int) -> None:
    times, n_frames = given_frames
    frames = spaced(times, n_frames)
    assert (np.diff(frames) > 0).all()
    check(windows_about(frames, half, n_frames, most=2 * half), frames, n_frames)
    windows = windows_about(frames, half, n_frames)
    check(windows, frames, n_frames)
    inside = (frames >= half) & (frames < n_frames - half)
    assert (windows[inside, 0] <= frames[inside]).all()


def test_windows_reach_to_the_other_end_of_a_fermata() -> None:
    frames = np.array([100, 250, 300, 900])
    wider = windows_about(frames, 100, 1000, most=300)
    assert wider.tolist() == [[0, 251], [100, 351], [200, 601], [600, 1000]]
    assert windows_about(frames, 100, 1000).tolist()[1:3] == [[150, 351], [200, 401]]


@given(chord_frames(), st.integers(1, 10), st.data())
def test_widening_only_adds(
    given_frames: tuple[np.ndarray, int], half: int, data: st.DataObject
) -> None:
    times, n_frames = given_frames
    frames = spaced(times, n_frames)
    windows = windows_about(frames, half, n_frames)
    at = np.array(data.draw(st.lists(st.booleans(), min_size=len(times), max_size=len(times))))
    wider = widened(windows, frames, at, 7, 15, n_frames)
    check(wider, frames, n_frames)
    assert (wider[:, 0] <= windows[:, 0]).all()
    assert (wider[:, 1] >= windows[:, 1]).all()
    for k in np.flatnonzero(at):
        assert wider[k, 0] <= max(frames[k] - half - 7, k) or wider[k, 0] == windows[0, 0]


def test_only_chords_near_a_touched_one_are_widened() -> None:
    frames = np.array([100, 110, 300])
    windows = windows_about(frames, 20, 400)
    wider = widened(windows, frames, np.array([True, False, False]), 10, 50, 400)
    assert wider.tolist() == [[70, 131], [80, 141], [280, 321]]


def test_edges_of_the_recording_do_not_count_as_touched() -> None:
    windows = np.array([[0, 50], [1, 60], [30, 100]])
    near = near_edges(np.array([0, 58, 99]), windows, limits_of(3, 100), 5)
    assert near.tolist() == [False, True, False]
