"""Decoding a stream: the best path of all is found, and told as early as it is sure."""

import itertools

import numpy as np
import pytest

from align.decoders import OnlineDecoder, OnlineOnset, decode
from align.errors import ParameterError
from align.potentials import Potentials


def enumerated(onset, duration, rows, skip, back, pause=1):
    """The best path of all, as a list of event and frame."""
    n_events, n_frames = onset.shape
    longest = duration.shape[1] - 1
    top, path = 0.0, []
    for n in range(1, n_frames + 1):
        for frames in itertools.combinations(range(n_frames), n):
            for events in itertools.product(range(n_events), repeat=n):
                score = 0.0 if events[0] == 0 else -skip
                for i, (k, t) in enumerate(zip(events, frames, strict=True)):
                    score += onset[k, t]
                    if i:
                        j, d = events[i - 1], t - frames[i - 1]
                        on = duration[rows[j], min(d, longest)] if k == j + 1 else -np.inf
                        leap = -np.inf if d < pause else -skip if k > j else -back
                        score += max(on, leap)
                so_far = min(n_frames - frames[-1], longest)
                score += max(duration[rows[events[-1]], so_far:].max(), -back)
                if score > top + 1e-12:
                    top, path = score, [*map(OnlineOnset, events, frames)]
    return path


@pytest.mark.parametrize("pause", [1, 2, 3])
def test_equals_enumeration_with_jumps(pause):
    rng = np.random.default_rng(0)
    early = 0
    for _ in range(60):
        n_events, n_frames = rng.integers(1, 4), rng.integers(1, 6)
        onset = 2 * rng.normal(size=(n_events, n_frames)) - 0.5
        duration, rows = -3 * rng.random((2, 4)), rng.integers(0, 2, n_events)
        skip = 3 * rng.random()
        back = skip + 2 * rng.random()
        decoder = OnlineDecoder(duration, rows, skip=skip, back=back, pause=pause)
        found = [one for column in onset.T for one in decoder.push(column)]
        early += len(found)
        assert found + decoder.finish() == enumerated(onset, duration, rows, skip, back, pause)
    assert early > (10 if pause == 1 else 0)  # what is early needs frames beyond the pause


def test_without_jumps_it_is_decoding_all_at_once():
    rng = np.random.default_rng(1)
    for _ in range(40):
        n_events, n_frames = int(rng.integers(1, 8)), int(rng.integers(8, 40))
        onset = 2 * rng.normal(size=(n_events, n_frames))
        duration = -3 * rng.random((n_events, n_frames + 1))
        duration[-1] = 0.0  # the end of the last event is not scored
        rows = np.arange(n_events)
        decoder = OnlineDecoder(duration, rows)
        assert not any(decoder.push(column) for column in onset.T)
        path = decode(Potentials(onset, n_frames, duration=duration, duration_row=rows))
        assert [one.frame for one in decoder.finish(whole=True)] == list(path.onsets)


def test_a_lag_is_kept_and_changes_nothing_where_it_is_long():
    rng = np.random.default_rng(2)
    for _ in range(20):
        onset = 2 * rng.normal(size=(80, 6)) - 1
        duration = -3 * rng.random((6, 20))

        def found(lag, onset=onset, duration=duration):
            decoder, told = OnlineDecoder(duration, np.arange(6), skip=3, back=4, lag=lag), []
            for t, column in enumerate(onset):
                new = decoder.push(column)
                assert lag is None or all(t - one.frame <= lag for one in new)
                told += new
            return told + decoder.finish()

        assert found(None) == found(80)
        frames = [one.frame for one in found(5)]
        assert frames == sorted(set(frames))


def test_an_event_outside_the_window_does_not_begin():
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(3, 9))
        duration = -2 * rng.random((n, 12))
        narrow, wide = (
            OnlineDecoder(duration, np.arange(n), skip=2, back=4, lag=6) for _ in range(2)
        )
        for _ in range(90):
            first = int(rng.integers(0, n))
            column = 2 * rng.normal(size=int(rng.integers(0, n - first + 1))) - 1
            whole = np.full(n, -np.inf)
            whole[first : first + column.size] = column
            assert narrow.push(column, first) == wide.push(whole)
            assert narrow.last == wide.last
        assert narrow.finish() == wide.finish()


def test_memory_does_not_grow_with_the_stream():
    decoder = OnlineDecoder(np.zeros((1, 5)), np.zeros(3, dtype=int), skip=1, back=2, lag=8)
    rng = np.random.default_rng(4)
    for _ in range(3000):
        decoder.push(rng.normal(size=3) - 2)
    assert decoder.n_frames == 3000
    assert len(decoder._score) <= 128


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"skip": 2.0, "back": 1.0}, "must be 0 <= skip <= back"),
        ({"skip": np.nan}, "must be 0 <= skip <= back"),
        ({"pause": 0}, "pause=0 frames, must be at least 1"),
        ({"lag": 0}, "lag=0 frames"),
        ({"duration": np.ones((1, 3))}, "0 at most"),
        ({"rows": np.array([1])}, r"rows must be in 0\.\.0"),
        ({"rows": np.zeros(0, dtype=int)}, "at least one event"),
    ],
)
def test_wrong_parameters(change, message):
    given = {"duration": np.zeros((1, 3)), "rows": np.array([0])} | change
    with pytest.raises(ParameterError, match=message):
        OnlineDecoder(given.pop("duration"), given.pop("rows"), **given)


def test_wrong_columns():
    decoder = OnlineDecoder(np.zeros((1, 3)), np.zeros(2, dtype=int))
    with pytest.raises(ParameterError, match="within the 2 events"):
        decoder.push(np.zeros(2), first=1)
    with pytest.raises(ParameterError, match="NaN"):
        decoder.push([0.0, np.nan])
    with pytest.raises(ParameterError, match="too few frames"):
        decoder.finish(whole=True)
