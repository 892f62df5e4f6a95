"""Times to frames and back: increasing, within the recording, and close to what was given."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from align.features import Signal
from align.sequence.frames import in_order, onset_frames

HOP = 0.005


def signal_of(n_frames):
    return Signal(np.ones(80 * n_frames, dtype=np.float32), 16000, HOP)


@given(st.integers(1, 30), st.lists(st.floats(0.0, 0.2), min_size=1, max_size=30))
def test_onset_frames(n_frames, times):
    times = np.sort(np.array(times))
    frames = onset_frames(times, signal_of(n_frames))
    if len(times) > n_frames:
        assert frames is None
        return
    assert frames.dtype == np.intp
    assert (np.diff(frames) >= 1).all()
    assert frames[0] >= 0
    assert frames[-1] < n_frames
    nearest = np.rint(times / HOP)
    if (np.diff(nearest) >= 1).all() and nearest[-1] < n_frames:
        np.testing.assert_array_equal(frames, nearest)


def test_onset_frames_that_must_move():
    found = onset_frames(np.array([0.0, 0.001, 0.002, 0.05]), signal_of(6))
    np.testing.assert_array_equal(found, [0, 1, 2, 5])
    crowded_at_the_end = onset_frames(np.array([0.02, 0.029, 0.0295]), signal_of(6))
    np.testing.assert_array_equal(crowded_at_the_end, [3, 4, 5])


@given(
    st.lists(st.floats(-0.1, 1.5), min_size=1, max_size=40),
    st.sampled_from([1e-4, 0.003, 0.5, 1.0, 100.0]),
)
def test_in_order(times, duration):
    times = np.array(times)
    found = in_order(times, duration)
    edges = np.append(found, duration)
    assert found[0] >= 0
    assert (np.diff(edges) > 0).all()
    gap = min(1e-4, duration / (len(times) + 1))
    assert np.diff(edges).min() >= 0.99 * gap
    settled = (times[0] >= 0) & (np.diff(np.append(times, duration)) > gap).all()
    if settled:
        np.testing.assert_allclose(found, times, atol=1e-12)
