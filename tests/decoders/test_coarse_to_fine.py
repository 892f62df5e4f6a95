"""Coarse-to-fine decoding against decoding everything, and its coarse pass against a slow twin."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align import decoders
from align.decoders import coarse, decode_coarse_to_fine
from align.decoders._coarse_pass import coarse_path
from align.decoders._coarse_sources import Cells, source_of
from align.errors import ParameterError
from align.potentials import Potentials
from align.terms import BaseFunctions, DurationTerm, GeneralTerm, OnsetTerm, RatioTerm, SegmentTerm

WEIGHTS = np.array([2.0, 1.0, 0.5, -0.5])


def speech(rng, n_events, order=2, lead=0, clear=3.0):
    """Base functions of events with known onsets: 6 symbols, change at onsets, lengths, rates."""
    symbols = rng.integers(0, 6, n_events)
    mean = np.array([6.0, 8, 10, 12, 16, 20])
    lengths = np.maximum(2, rng.gamma(8, mean[symbols] / 8)).astype(int)
    onsets = lead + np.concatenate(([0], np.cumsum(lengths)[:-1]))
    n_frames = int(onsets[-1] + lengths[-1])
    of_frame = np.searchsorted(onsets, np.arange(n_frames), side="right") - 1
    frames = rng.normal(size=(6, n_frames))
    said = of_frame >= 0
    frames[symbols[of_frame[said]], np.flatnonzero(said)] += clear
    change = rng.normal(size=(1, n_frames))
    change[0, onsets] += clear
    d = np.arange(61)
    terms = [
        OnsetTerm(change, np.zeros(n_events, dtype=int)),
        SegmentTerm.from_frames(frames, symbols),
        DurationTerm(-((d - mean[:, None]) ** 2) / mean[:, None], symbols),
    ]
    if order == 2:
        terms.append(RatioTerm(mean[symbols], np.arange(n_events) > 0))
    base = BaseFunctions(
        terms, ["change", "phone", "length", "rate"][: len(terms)], n_events, n_frames
    )
    return base, onsets


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("clear", [3.0, 1.0])
def test_it_finds_what_decoding_everything_finds(order, clear):
    base, onsets = speech(np.random.default_rng(0), 80, order, clear=clear)
    weights = WEIGHTS[: len(base.terms)]
    whole = base.potentials(weights)
    expected = decoders.decode(whole)
    for x in ((base, weights), (whole,)):
        found = decoders.decode_coarse_to_fine(*x, factor=5, reach=30)
        assert found.onsets.tolist() == expected.onsets.tolist()
        assert found.score == pytest.approx(expected.score)
        assert found.potentials.onset.shape[1] < whole.onset.shape[1] / 5
        assert found.potentials.score(found.onsets) == pytest.approx(found.score)
        assert found.path.onsets is found.onsets
    if clear == 3.0:
        assert np.abs(expected.onsets - onsets).max() < 10


@pytest.mark.parametrize("order", [1, 2])
def test_windows_that_are_too_narrow_are_widened(monkeypatch, order):
    """A coarse pass that is 300 frames off for half of the events."""
    base, _ = speech(np.random.default_rng(2), 150, order)
    weights = WEIGHTS[: len(base.terms)]
    expected = decoders.decode(base.potentials(weights))

    def astray(cells, max_memory):
        found = coarse_path(cells, max_memory)
        found[75:] = np.minimum(found[75:] + 60, cells.n_cells - 1)
        return found

    monkeypatch.setattr("align.decoders.coarse.coarse_path", astray)
    found = decoders.decode_coarse_to_fine(base, weights, factor=5, reach=40)
    assert found.onsets.tolist() == expected.onsets.tolist()
    assert found.rounds > 1
    assert not found.near_edge.any()
    low = found.onsets - found.potentials.start
    high = found.potentials.stop - 1 - found.onsets
    assert low[found.potentials.start > 0].min() >= 5
    assert high[found.potentials.stop < base.n_frames].min() >= 5


def test_giving_up_is_said(monkeypatch):
    monkeypatch.setattr("align.decoders.coarse._MOST_ROUNDS", 1)
    monkeypatch.setattr("align.decoders.coarse.coarse_path", lambda *_: np.arange(5) * 5)
    onset = np.zeros((5, 500))
    onset[np.arange(5), 90 + np.arange(5)] = 1.0
    found = decoders.decode_coarse_to_fine(Potentials(onset, 500), reach=20)
    assert found.rounds == 1
    assert found.near_edge.any()


def test_windows_widen_where_lengths_would_forbid_every_timing():
    """The coarse pass leaves out shortest lengths: its cells may be out of one another's reach."""
    onset = np.zeros((4, 400))
    onset[:, 5] = 50.0
    potentials = Potentials(onset, 400, min_length=np.full(4, 90), max_length=np.full(4, 110))
    found = decoders.decode_coarse_to_fine(potentials, factor=10, reach=5)
    expected = decoders.decode(potentials)
    assert found.score == expected.score
    assert found.onsets.tolist() == expected.onsets.tolist()


@settings(max_examples=60)
@given(data=st.data())
def test_any_small_problem_is_feasible_and_never_better_than_the_best(naive, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_events = data.draw(st.integers(1, 6))
    potentials = naive.random_potentials(
        rng,
        n_events,
        40,
        longest=data.draw(st.integers(8, 40)),
        order=data.draw(st.integers(0, 2)),
        windows=data.draw(st.booleans()),
    )
    options = {"factor": data.draw(st.integers(1, 9)), "reach": data.draw(st.integers(1, 60))}
    try:
        expected = decoders.decode(potentials)
    except ParameterError:
        with pytest.raises(ParameterError, match=r"event \d"):
            decoders.decode_coarse_to_fine(potentials, **options)
        return
    found = decoders.decode_coarse_to_fine(potentials, **options)
    assert potentials.score(found.onsets) == pytest.approx(found.score)
    assert found.score <= expected.score + 1e-9
    if options["reach"] >= 40:
        assert found.onsets.tolist() == expected.onsets.tolist()


def tight_problem(rng):
    """Potentials with lengths and windows close around a timing, and a number of frames a cell."""
    n_events, factor = int(rng.integers(1, 7)), int(rng.integers(1, 12))
    lengths, slack = rng.integers(1, 30, n_events), rng.integers(0, 3, n_events)
    y = int(rng.integers(0, 20)) + np.concatenate(([0], np.cumsum(lengths)))
    n_frames, y = int(y[-1]), y[:-1]
    start = np.maximum(0, y - rng.integers(0, 12, n_events))
    stop = np.minimum(n_frames, y + 1 + rng.integers(0, 12, n_events))
    start, stop = np.minimum.accumulate(start[::-1])[::-1], np.maximum.accumulate(stop)
    duration = rng.normal(size=(1, n_frames + 1))
    if rng.random() < 0.5:  # most lengths are forbidden
        forbidden = rng.random(n_frames + 1) < 0.7
        forbidden[lengths] = False
        duration[0, forbidden] = -np.inf
    ratio = np.zeros((n_events, 3))
    ratio[1:] = np.array([-0.01, -0.01, 0.02]) * rng.integers(0, 2)
    potentials = Potentials(
        rng.normal(size=(n_events, int((stop - start).max()))),
        n_frames,
        start=start,
        stop=stop,
        duration=duration if rng.random() < 0.5 else None,
        min_length=np.maximum(0, lengths - slack * rng.integers(0, 2, n_events)),
        max_length=lengths + slack,
        ratio=ratio,
    )
    return potentials, factor


def test_no_rounding_to_cells_makes_a_problem_infeasible():
    """3,000 problems whose lengths and windows leave little room."""
    one = Potentials(
        np.zeros((1, 1)), 25, start=np.array([5]), stop=np.array([6]), max_length=np.array([20])
    )
    assert decode_coarse_to_fine(one).onsets.tolist() == decoders.decode(one).onsets.tolist()
    rng = np.random.default_rng(18)
    for _ in range(3000):
        potentials, factor = tight_problem(rng)
        expected = decoders.decode(potentials)
        found = decode_coarse_to_fine(potentials, factor=factor, reach=potentials.n_frames)
        assert found.onsets.tolist() == expected.onsets.tolist()
        assert found.score == pytest.approx(expected.score)


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6), reach=st.integers(1, 20))
def test_narrow_windows_stay_feasible_however_lengths_are_rounded(seed, reach):
    potentials, factor = tight_problem(np.random.default_rng(seed))
    found = decode_coarse_to_fine(potentials, factor=factor, reach=reach)
    assert potentials.score(found.onsets) == pytest.approx(found.score)
    assert found.score <= decoders.decode(potentials).score + 1e-9


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6))
def test_rounding_of_base_functions_is_a_relaxation_too(seed):
    potentials, factor = tight_problem(np.random.default_rng(seed))
    n_events, n_frames = potentials.n_events, potentials.n_frames
    base = BaseFunctions(
        [
            OnsetTerm(
                np.random.default_rng(seed).normal(size=(1, n_frames)), np.zeros(n_events, int)
            )
        ],
        ["onset"],
        n_events,
        n_frames,
        min_length=potentials.min_length,
        max_length=potentials.max_length,
        windows=np.stack((potentials.start, potentials.stop), axis=1),
    )
    expected = decoders.decode(base.potentials(np.ones(1)))
    found = decode_coarse_to_fine(base, np.ones(1), factor=factor, reach=n_frames)
    assert found.onsets.tolist() == expected.onsets.tolist()


@settings(max_examples=150)
@given(data=st.data())
def test_coarse_pass_equals_its_slow_twin(naive, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_events, n_cells = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 12))
    first = np.sort(rng.integers(0, n_cells, n_events))
    last = np.maximum(first, np.sort(rng.integers(0, n_cells, n_events)))
    whole = data.draw(st.booleans())
    shortest = rng.integers(0, 2, n_events)
    cells = Cells(
        rng.normal(size=(3, n_cells)).astype(np.float32),
        rng.integers(0, 3, n_events),
        np.zeros(n_events, dtype=np.intp),
        np.vstack((np.zeros(n_cells + 1), rng.normal(size=(2, n_cells + 1)).cumsum(1))),
        rng.integers(0, 3, n_events),
        rng.normal(size=(2, 16)),
        rng.integers(0, 2, n_events),
        np.zeros(n_events, dtype=np.intp) if whole else first,
        np.full(n_events, n_cells - 1) if whole else last,
        shortest,
        shortest + rng.integers(0, data.draw(st.sampled_from([3, 15])), n_events),
        n_cells,
    )
    expected = naive.coarse_path(cells)
    for max_memory in (None, 1):
        with pytest.MonkeyPatch.context() as patch:
            if max_memory:
                patch.setattr("align.decoders._coarse_pass._TABLE", 1)  # one event at a time
            found = coarse_path(cells, max_memory)
        if expected is None:
            assert found is None
        else:
            assert found.tolist() == expected[1]


@pytest.mark.parametrize("order", [1, 2])
def test_stretches_of_both_sources_are_the_same(order):
    base, onsets = speech(np.random.default_rng(1), 12, order)
    weights = WEIGHTS[: len(base.terms)]
    whole = base.potentials(weights)
    sources = source_of(base, weights), source_of(whole, None)
    around = np.stack((np.maximum(onsets - 3, 0), np.minimum(onsets + 4, base.n_frames)), 1)
    around[0] = 0, 4
    for low, high in ((0, 12), (0, 5), (4, 9), (7, 12)):
        windows = around[low:high].copy()
        if low:
            windows[0] = onsets[low], onsets[low] + 1
        end = int(onsets[high]) if high < 12 else base.n_frames
        one, other = (s.within(windows, low, high, end) for s in sources)
        begin = int(windows[0, 0]) if low else 0
        trial = onsets[low:high] - begin
        moved = trial.copy()
        moved[-1] += 1
        assert one.n_frames == other.n_frames == end - begin
        # scores may differ by what all timings share
        assert one.score(moved) - one.score(trial) == pytest.approx(
            other.score(moved) - other.score(trial)
        )
        assert decoders.decode(one).onsets.tolist() == decoders.decode(other).onsets.tolist()
        if (low, high) == (0, 12):
            assert one.score(onsets) == pytest.approx(whole.score(onsets))


def test_one_event_no_event_and_windows_of_the_caller():
    one = decoders.decode_coarse_to_fine(Potentials(np.array([[0.0, 2.0, 1.0]]), n_frames=3))
    assert one.onsets.tolist() == [1]
    none = decoders.decode_coarse_to_fine(Potentials(np.zeros((0, 3)), n_frames=3, constant=2.0))
    assert (none.onsets.size, none.score, none.rounds) == (0, 2.0, 0)
    base, onsets = speech(np.random.default_rng(0), 20)
    windows = np.stack((np.maximum(onsets - 1, 0), np.minimum(onsets + 2, base.n_frames)), 1)
    narrow = replace(base, windows=windows)
    found = decoders.decode_coarse_to_fine(narrow, WEIGHTS)
    assert found.score == pytest.approx(decoders.decode(narrow.potentials(WEIGHTS)).score)
    assert np.abs(found.onsets - onsets).max() <= 1


def test_it_says_what_it_cannot_do():
    potentials = Potentials(np.zeros((2, 5)), n_frames=5)
    base, _ = speech(np.random.default_rng(0), 4)
    with pytest.raises(ParameterError, match="factor=0, must be at least 1 frame"):
        decoders.decode_coarse_to_fine(potentials, factor=0)
    with pytest.raises(ParameterError, match="reach=0, must be at least 1 frame"):
        decoders.decode_coarse_to_fine(potentials, reach=0)
    with pytest.raises(ParameterError, match="weights are for base functions"):
        decoders.decode_coarse_to_fine(potentials, [1.0])
    with pytest.raises(ParameterError, match="weights=None, must be given"):
        decoders.decode_coarse_to_fine(base)
    with pytest.raises(ParameterError, match="2 weights for 4 base functions"):
        decoders.decode_coarse_to_fine(base, [1.0, 1.0])
    general = replace(potentials, general=((1.0, lambda *_: 0.0),))
    with pytest.raises(ParameterError, match="cannot score general functions"):
        decoders.decode_coarse_to_fine(general)
    with pytest.raises(ParameterError, match="cannot score general functions"):
        decoders.decode_coarse_to_fine(
            replace(base, terms=[*base.terms[:3], GeneralTerm(lambda *_: 0.0)]), WEIGHTS
        )
    with pytest.raises(ParameterError, match="no timing has a finite score"):
        decoders.decode_coarse_to_fine(replace(potentials, onset=np.full((2, 5), -np.inf)))


@pytest.mark.parametrize("event", [30, 0])
def test_windows_of_a_part_are_widened_where_they_are(event):
    """Onsets of a part of the recording are put back where the part is, the first in frame 0."""
    truth = 40 * np.arange(60)
    onset = np.random.default_rng(0).normal(size=(60, 2400))
    onset[np.arange(60), truth] += 30
    source = source_of(Potentials(onset, n_frames=2400), None)
    onsets = truth.copy()
    onsets[event : event + 2] += [8, -6]
    coarse._improve(source, onsets, np.array([event]), 5, None)
    assert onsets.tolist() == truth.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_even_one_frame_either_side_is_widened(seed):
    rng = np.random.default_rng(seed)
    n_events, length = int(rng.integers(3, 30)), int(rng.integers(6, 30))
    onset = rng.normal(size=(n_events, n_events * length))
    onset[np.arange(n_events), length * np.arange(n_events)] += 3.0
    potentials = Potentials(
        onset,
        n_frames=n_events * length,
        min_length=np.full(n_events, length // 3),
        max_length=np.full(n_events, 2 * length),
    )
    found = decode_coarse_to_fine(potentials, reach=1, factor=length // 3)
    assert potentials.score(found.onsets) == pytest.approx(found.score)
