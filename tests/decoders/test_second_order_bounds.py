"""Bounds of second order: never below a score, and as exact as the search of all states."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align import decoders
from align.decoders._first_order import without_ratio
from align.decoders._windows import Windows, check_values, tighten
from align.decoders.second_order import _bounds, _pruned, problem_of
from align.decoders.second_order._checkpoints import best_by_envelopes
from align.decoders.second_order._envelopes import add_line
from align.decoders.second_order._knots import Lengths, choose_lengths, most_places
from align.decoders.second_order._pruned import is_concave, search_by_bounds
from align.errors import ParameterError
from align.potentials import Potentials


def by_bounds(potentials, **options):
    windows = tighten(potentials)
    tables = without_ratio(potentials, check_values(potentials), windows)
    return search_by_bounds(tables, potentials.ratio, None, few=0, **options)


def by_envelopes(potentials):
    return best_by_envelopes(problem_of(potentials), None)


def assert_best(found, potentials, tolerance=1e-9):
    """Among all states, ties included, as far as rounding does not break them."""
    score, onsets = by_envelopes(potentials)
    assert found is not None
    assert found.score == pytest.approx(score, rel=0.0, abs=tolerance)
    assert found.onsets.tolist() == onsets.tolist()


def steady(seed, n_events=40, noise=1.0, strength=0.02, reach=30, dtype=np.float64, dur=False):
    """Events of even tempo, vague onsets and windows around a rough guess, as in music."""
    rng = np.random.default_rng(seed)
    parts = rng.choice([1.0, 2.0, 3.0], n_events)
    truth = np.cumsum(np.maximum(2, np.rint(6 * parts + rng.normal(size=n_events)))).astype(int)
    n_frames = int(truth[-1]) + 12
    guess = np.sort(truth + np.rint(3 * rng.normal(size=n_events)).astype(int))
    start = np.clip(guess - reach, 0, n_frames - 1)
    stop = np.clip(guess + reach + 1, 1, n_frames)
    onset = noise * rng.normal(size=(n_events, 2 * reach + 1))
    onset[np.arange(n_events), np.clip(truth - start, 0, 2 * reach)] += 2.0
    ratio = np.zeros((n_events, 3))
    here, before = 1 / parts[1:], 1 / parts[:-1]
    ratio[1:] = -strength * np.stack((here**2, before**2, -2 * here * before), axis=1)
    options = {}
    if dur:
        length = np.arange(101.0)
        options = {
            "duration": -0.05 * np.abs(length - 10.0) * rng.random((2, 1)),
            "duration_row": rng.integers(0, 2, n_events),
            "max_length": np.full(n_events, 100),
        }
    return Potentials(
        onset.astype(dtype), n_frames, start=start, stop=stop, ratio=ratio, **options
    )


@st.composite
def concave_potentials(draw):
    """Small whole numbers: sums are exact and ties real."""
    n_events, n_frames = draw(st.integers(2, 4)), draw(st.integers(4, 12))
    small = st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    scores = st.one_of(small, st.just(-np.inf)) if draw(st.booleans()) else small
    longest = draw(st.integers(-(-n_frames // n_events), n_frames))
    rows = [(0, 0, 0), (-1, -1, 2), (-1, -4, 4), (-1, -1, 0), (-1, -1, -1), (-2, 0, 0), (0, -1, 0)]
    ratio = np.array([(0, 0, 0), *(draw(st.sampled_from(rows)) for _ in range(n_events - 1))])
    flat = draw(st.booleans())
    onset = draw(arrays(np.float64, (n_events, n_frames), elements=scores))
    return Potentials(
        onset.astype(draw(st.sampled_from([np.float32, np.float64]))),
        n_frames,
        duration=None if flat else draw(arrays(np.float64, (2, longest + 1), elements=scores)),
        duration_row=None if flat else draw(arrays(np.intp, n_events, elements=st.integers(0, 1))),
        max_length=np.full(n_events, longest),
        ratio=ratio.astype(np.float64),
        constant=draw(small),
    )


@settings(max_examples=400)
@given(concave_potentials())
def test_equals_enumeration_ties_included(naive, potentials):
    onsets, score = naive.enumerate_best(potentials)
    found = by_bounds(potentials)
    if onsets is None:
        assert found is None
        return
    if found is not None:
        assert found.score + potentials.constant == score
        assert found.onsets.tolist() == list(onsets)


@pytest.mark.parametrize("dur", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("strength", [0.0, 1e-4, 0.02, 1.0])
def test_equals_the_envelope_of_all_states(strength, dtype, dur):
    found_any = 0
    for seed in range(6):
        potentials = steady(seed, 24, strength=strength, reach=20, dtype=dtype, dur=dur)
        found = by_bounds(potentials)
        if found is not None:
            found_any += 1
            assert_best(found, potentials)
    assert found_any >= 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("strength", [1e-6, 1e-3, 0.1, 1.0, 30.0])
def test_any_scores_at_random(naive, strength, windows, dtype):
    rng = np.random.default_rng(1)
    found_any = 0
    for _ in range(4):
        potentials = naive.random_potentials(
            rng, 6, 48, longest=25, sign=-1.0, windows=windows, dtype=dtype
        )
        potentials = replace(potentials, ratio=potentials.ratio * strength)
        found = by_bounds(potentials)
        if found is not None:
            found_any += 1
            assert_best(found, potentials)
    assert found_any > 0


@pytest.mark.parametrize("cross", [1.0, -1.0])
def test_many_lines_meet_at_a_frame(cross):
    n_events, n_frames = 4, 60
    ratio = np.zeros((n_events, 3))
    ratio[1:] = np.array([-1e-2, -1e-2, 2e-2]) * [1.0, 1.0, cross]
    onset = np.sin(np.arange(n_events * n_frames).reshape(n_events, -1) ** 1.5) * 0.2
    potentials = Potentials(onset, n_frames, ratio=ratio)
    assert_best(by_bounds(potentials), potentials, tolerance=1e-12)


@pytest.mark.parametrize("slopes", [[0.0] * 9, range(9), [0, 0, 1, 1, 2, 2, 3, 3, 4]])
def test_lines_that_are_left_are_as_great_as_all(slopes):
    """At whole numbers, ties and one slope for many lines included."""
    rng = np.random.default_rng(3)
    x = np.arange(40.0)
    for _ in range(50):
        slope, base = np.array(slopes, dtype=float), rng.integers(-60, 1, 9).astype(float)
        top = np.max(base[:, None] + slope[:, None] * x, axis=0)
        n, length, begin = 0, np.arange(9.0), np.empty(9)
        for p in range(9):
            n = add_line(n, length[p], base[p], slope[p], length, base, slope, begin)
        left = base[:n, None] + slope[:n, None] * x
        assert np.max(left, axis=0).tolist() == top.tolist()
        # from the best line on, scores fall: the search stops at the first that is no better
        best = np.argmax(left, axis=0)
        for i in range(x.size):
            assert (np.diff(left[best[i] :, i]) <= 0.0).all()


def test_few_states_survive_where_scores_are_clear(naive):
    potentials = naive.random_potentials(np.random.default_rng(0), 8, 80, longest=30, sign=-1.0)
    potentials = replace(potentials, onset=5 * potentials.onset, ratio=potentials.ratio * 0.01)
    windows = tighten(potentials)
    n_frames = windows.last[:-1] - windows.first[:-1] + 1
    found = by_bounds(potentials)
    assert found is not None
    assert found.n_states < 0.02 * (n_frames * (windows.longest - windows.shortest + 1)).sum()


def test_few_states_survive_where_windows_are_far_wider_than_lengths():
    """Far knots are far apart, so that the line between two of them is far above any score."""
    n_events, width, step, steep = 8, 200, 15, 0.178
    start = step * np.arange(n_events)
    late = np.abs(np.arange(width) - width // 2)
    onset = np.tile(1.0 - np.minimum(1.0, late / 3.0), (n_events, 1))
    ratio = np.tile(steep**2 * np.array([-1.0, -1.0, 2.0]), (n_events, 1))
    ratio[[0, 3]] = 0.0  # one change costs nothing
    potentials = Potentials(
        onset,
        n_events * step + width,
        start=start,
        stop=start + width,
        ratio=ratio,
        max_length=np.full(n_events, 220),
    )
    found = by_bounds(potentials)
    assert_best(found, potentials)
    assert found.n_states < 1000  # of 340,000


@pytest.mark.parametrize("scale", [1e-12, 1e100])
def test_scores_of_any_size(scale):
    potentials = steady(1, 16, reach=12)
    expected = by_bounds(potentials)
    scaled = replace(potentials, onset=potentials.onset * scale, ratio=potentials.ratio * scale)
    found = by_bounds(scaled)
    assert expected is not None
    assert found is not None
    assert found.onsets.tolist() == expected.onsets.tolist()
    assert found.score == pytest.approx(expected.score * scale)


def test_windows_of_many_widths():
    """Rows of one width leave nothing behind in rows of another."""
    rng = np.random.default_rng(5)
    for seed in range(8):
        potentials = steady(seed, 20, reach=40)
        centre = (potentials.start + potentials.stop) // 2
        reach = rng.choice([3, 8, 17, 40], potentials.n_events)
        start = np.maximum.accumulate(np.maximum(potentials.start, centre - reach))
        stop = np.minimum(potentials.stop, centre + reach + 1)
        stop = np.minimum.accumulate(stop[::-1])[::-1]
        onset = np.full(potentials.onset.shape, -np.inf)
        for k, (low, high) in enumerate(zip(start, stop, strict=True)):
            at = low - potentials.start[k]
            onset[k, : high - low] = potentials.onset[k, at : at + high - low]
        potentials = replace(potentials, onset=onset, start=start, stop=stop)
        assert_best(by_bounds(potentials), potentials)


@st.composite
def odd_potentials(draw):
    """Windows of one frame beside wide ones, jumps further than an event can last, any row."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_events = draw(st.sampled_from([2, 3, 7]))
    truth = np.cumsum(rng.choice([1, 2, 5, 40], n_events + 1))
    n_frames, truth = int(truth[-1]), truth[:-1]
    reach = rng.choice([0, 1, 15, 32, 33, 70], (2, n_events))
    start = np.minimum.accumulate(np.clip(truth - reach[0], 0, None)[::-1])[::-1].copy()
    stop = np.maximum.accumulate(np.clip(truth + reach[1] + 1, 1, n_frames))
    width = int((stop - start).max())
    onset = rng.integers(-3, 4, (n_events, width)).astype(draw(st.sampled_from("fd")))
    rows = np.array([(0, 0, 0), (-1, -4, 4), (-3, -5, -2), (-9, -4, -12), (-2, 0, 0), (0, -1, 0)])
    ratio = rows[rng.integers(0, len(rows), n_events)] / 4.0
    ratio[0] = 0.0
    options = {}
    if draw(st.booleans()):
        duration = rng.integers(-3, 4, (2, n_frames + 1)) / 2.0
        duration[rng.random(duration.shape) < 0.1] = -np.inf
        duration[:, np.diff(truth, append=n_frames)] = 0.0
        options = {"duration": duration, "duration_row": rng.integers(0, 2, n_events)}
    if draw(st.booleans()):
        lasts = np.diff(truth, append=n_frames)
        options["min_length"] = np.maximum(0, lasts - rng.choice([0, 1, 30], n_events))
        options["max_length"] = lasts + rng.choice([0, 1, 30], n_events)
    return Potentials(onset, n_frames, start=start, stop=stop, ratio=ratio, **options)


@settings(max_examples=60)
@given(odd_potentials())
def test_odd_windows_and_any_concave_row(potentials):
    score, onsets = by_envelopes(potentials)
    found = by_bounds(potentials)
    if found is not None:
        assert found.score == score
        assert found.onsets.tolist() == onsets.tolist()


@pytest.fixture
def filled(monkeypatch):
    """Knots, bounds, and the greatest of them, of what was decoded last."""
    seen = []
    fill = _pruned.bound_all

    def remember(*args):
        top = fill(*args)
        bounds = args[4]
        kept = {name: getattr(bounds, name).copy() for name in ("table", "of_all")}
        seen[:] = args[3], bounds._replace(**kept), top
        return top

    monkeypatch.setattr(_pruned, "bound_all", remember)
    return seen


def bound_after(windows, lengths, bounds, b, k, before, t):
    """The bound of what follows onset k at frame t, after a length of `before` frames."""
    knot = lengths.knot[k - 1, : lengths.n_knots[k - 1]]
    j = max(0, int(np.searchsorted(knot, before)) - 1)
    place = bounds.offset[k] + j * bounds.stride[k] + _bounds.PAD + t - windows.first[k]
    low = high = float(bounds.table[place])
    part = above = 0.0
    if knot.size > 1:
        high = float(bounds.table[place + bounds.stride[k]])
        part = (before - knot[j]) / (knot[j + 1] - knot[j])
        above = -b * (before - knot[j]) * (knot[j + 1] - before)
    return bounds.unit * (bounds.level[k] + low + part * (high - low)) + above


def gaps_of_bounds(naive, potentials, lengths, bounds):
    """How far the bound after each length is above what it bounds; it is never below."""
    windows = tighten(potentials)
    tables = naive.following(potentials, windows)
    gaps = []
    for k in range(1, potentials.n_events):
        first = windows.first[k]
        for (t, before), score in tables[k].items():
            of_all = float(bounds.of_all[bounds.offset_of_all[k] + t - first])
            of_all = bounds.unit * (bounds.level[k] + of_all)
            b = potentials.ratio[k, 1]
            bound = bound_after(windows, lengths, bounds, b, k, before, t)
            assert bound >= score - 1e-9
            assert of_all >= score - 1e-9
            assert bounds.unit * (bounds.level[k] + bounds.greatest[k]) >= of_all - 1e-9
            if np.isfinite(score):
                gaps.append(bound - score)
    return gaps


@pytest.mark.parametrize("dur", [False, True])
@pytest.mark.parametrize("cross", [1.0, 0.3, -0.5])
@pytest.mark.parametrize("strength", [1e-5, 1e-3, 0.02, 0.1, 3.0])
def test_no_bound_is_below_what_it_bounds(naive, filled, strength, cross, dur):
    """Nor far above it, where changes of length in proportion cost nothing."""
    for seed in range(3):
        potentials = steady(seed, 9, strength=strength, reach=9, dur=dur)
        potentials = replace(potentials, ratio=potentials.ratio * [1.0, 1.0, cross])
        found = by_bounds(potentials)
        lengths, bounds, top = filled
        gaps = gaps_of_bounds(naive, potentials, lengths, bounds)
        if found is None:
            assert strength > 1.0
            continue
        assert top >= found.score - 1e-9
        if cross == 1.0 and strength < 1.0:
            # small beside the scores of one onset, which differ by about 4
            assert np.median(gaps) < 0.5


@pytest.mark.parametrize("strength", [1e-5, 1e-3, 0.02, 0.1])
def test_no_bound_is_below_where_one_length_of_a_bin_is_far_the_best(naive, filled, strength):
    """Of four lengths that are tried at once any may be the one that counts."""
    for seed in range(1):
        potentials = steady(seed, 7, strength=strength, reach=25, dur=True)
        likely = np.random.default_rng(seed).random((2, 101)) < 0.15
        potentials = replace(potentials, duration=np.where(likely, 0.0, -30.0))
        by_bounds(potentials)
        lengths, bounds, _ = filled
        bins = zip(lengths.edge, lengths.n_bins, strict=True)
        assert max(np.diff(edge[: n + 1]).max() for edge, n in bins) > 8
        gaps_of_bounds(naive, potentials, lengths, bounds)


@pytest.mark.parametrize("strength", [2.0**-13, 2.0**-12, 2.0**-10, 2.0**-9])
def test_no_bound_is_below_where_only_lengths_score(naive, filled, strength):
    """Lines between knots are far above some lengths."""
    ratio = np.zeros((4, 3))
    ratio[1:] = -strength * np.array([1.0, 1.0, -2.0])
    for n_frames in (40, 70):
        potentials = Potentials(np.zeros((4, n_frames)), n_frames, ratio=ratio)
        found = by_bounds(potentials)
        if found is None:  # all states are nearly as good
            assert strength < 1e-3
        else:
            assert_best(found, potentials)
        lengths, bounds, _ = filled
        assert (lengths.n_knots > 1).any()
        gaps_of_bounds(naive, potentials, lengths, bounds)


@pytest.mark.parametrize("dur", [False, True])
@pytest.mark.parametrize("strength", [1e-5, 1e-3, 0.02, 0.1, 3.0])
def test_every_state_whose_best_path_reaches_the_threshold_is_kept(
    naive, monkeypatch, strength, dur
):
    """Whatever the path that is found: one bound too low seldom changes that."""
    seen = []
    search = _pruned.search

    def remember(*args):
        seen.append(args)
        return search(*args)

    monkeypatch.setattr(_pruned, "search", remember)
    for seed in range(3):
        potentials = steady(seed, 9, strength=strength, reach=9, dur=dur)
        best, _ = by_envelopes(potentials)
        expected = list(naive.states(potentials, tighten(potentials)))
        seen.clear()
        by_bounds(potentials)
        args = list(seen[0])
        kept, n_kept = args[8], []
        for below in (1e-6, 0.3, 3.0):
            args[5:8] = best - below, np.inf, 1
            score, _ = search(*args)
            if np.isnan(score):  # no room
                continue
            assert score == pytest.approx(best)
            n_kept.append(kept.begin[-1])
            for k, states in enumerate(expected):
                here = slice(kept.begin[k], kept.begin[k + 1])
                for d, value, through in states:
                    if through >= best - below:
                        same = kept.value[here][kept.length[here] == d]
                        assert np.isclose(same, value, rtol=0.0, atol=1e-9).any()
        assert n_kept  # there was room at least once
        assert n_kept == sorted(n_kept)


def test_all_scores_equal():
    ratio = np.zeros((5, 3))
    ratio[1:] = [-1.0, -1.0, 2.0]
    potentials = Potentials(np.zeros((5, 40)), 40, ratio=ratio)
    assert_best(by_bounds(potentials), potentials, tolerance=0.0)


@pytest.mark.parametrize("score", [2.0**501, -(2.0**501), 1e18])
def test_scores_far_greater_than_they_differ_by(score):
    """A beam, a few differences wide, is less than what scores are rounded by."""
    ratio = np.array([[0.0, 0.0, 0.0], [-1.0, -1.0, 2.0]])
    potentials = Potentials(np.full((2, 14), score), 14, ratio=ratio)
    found = by_bounds(potentials)
    assert found is not None
    assert (found.score, found.onsets.tolist()) == (
        2 * score,
        by_envelopes(potentials)[1].tolist(),
    )


def test_a_long_pause_that_no_one_expects():
    """Far from the expected length bins are wide, and bounds loose, but still bounds."""
    for seed in range(4):
        potentials = steady(seed, 30, noise=0.3, reach=60)
        k = 15
        shifted = np.full(potentials.onset.shape, -5.0)
        shifted[:k] = potentials.onset[:k]
        shifted[k:, 40:] = potentials.onset[k:, :-40]  # all that follows comes 40 frames late
        late = replace(potentials, onset=shifted)
        assert_best(by_bounds(late), late)


def test_gives_up_where_memory_or_room_is_short(monkeypatch):
    potentials = steady(0)
    tables = without_ratio(potentials, check_values(potentials), tighten(potentials))
    assert search_by_bounds(tables, potentials.ratio, 1000) is None
    expected = decoders.decode_second_order(potentials)
    monkeypatch.setattr(_pruned, "_ROOM", 0)
    monkeypatch.setattr(_pruned, "_MORE_ROOM", 60)
    assert search_by_bounds(tables, potentials.ratio, None) is None
    path = decoders.decode_second_order(potentials)
    assert path.score == pytest.approx(expected.score)
    assert path.onsets.tolist() == expected.onsets.tolist()


@pytest.mark.parametrize("pause", [20, 40, 150])
def test_a_beam_goes_on_where_all_states_lose(monkeypatch, pause):
    """A change that all paths must make costs more than the beam is wide, which has one try."""
    monkeypatch.setattr(_pruned, "_AIMS", (4,))
    for seed in range(4):
        potentials = steady(seed, 30, noise=0.3, strength=0.02 if pause == 150 else 0.1)
        start, stop = potentials.start.copy(), potentials.stop.copy()
        start[15:] += pause
        stop[15:] += pause
        n_frames = potentials.n_frames + pause
        late = replace(potentials, start=start, stop=stop, n_frames=n_frames)
        score, onsets = by_envelopes(late)
        found = by_bounds(late)
        if seed == 2 or pause < 150:
            assert found is not None
        if found is not None:
            assert found.score == pytest.approx(score, abs=1e-9)
            assert found.onsets.tolist() == onsets.tolist()


def test_a_beam_does_not_grow_without_end():
    """Many events whose onsets are known to the frame, before vague ones."""
    n_known = 300
    for seed in range(2):
        potentials = steady(seed, 60, noise=0.7, reach=40)
        known = 10 * np.arange(n_known)
        onset = np.zeros((n_known + 60, potentials.onset.shape[1]))
        onset[n_known:] = potentials.onset
        ratio = np.zeros((n_known + 60, 3))
        ratio[n_known + 1 :] = potentials.ratio[1:]
        potentials = Potentials(
            onset,
            potentials.n_frames + 10 * n_known,
            start=np.concatenate((known, 10 * n_known + potentials.start)),
            stop=np.concatenate((known + 1, 10 * n_known + potentials.stop)),
            ratio=ratio,
        )
        assert_best(by_bounds(potentials), potentials)


@pytest.mark.parametrize("scale", [1.0, 1e-280])
def test_a_beam_never_narrows_to_nothing(scale):
    """More states than it aims at tie at each of 600 events; then all states lose at once."""
    n_tied, n_frames, width = 600, 5 * 640 + 120, 60
    rng = np.random.default_rng(0)
    onset = np.zeros((640, width))
    onset[n_tied:] = scale * rng.normal(size=(40, width))
    start = 5 * np.arange(640)
    start[n_tied:] += width
    ratio = np.zeros((640, 3))
    ratio[n_tied + 1 :] = np.array([-0.01, -0.01, 0.02]) * scale
    least, most = np.ones(640, dtype=int), np.full(640, 30)
    least[: n_tied - 1] = most[: n_tied - 1] = 5
    most[n_tied - 1] = most[-1] = 3 * width
    potentials = Potentials(
        onset,
        n_frames,
        start=start,
        stop=start + width,
        ratio=ratio,
        min_length=least,
        max_length=most,
    )
    score, onsets = by_envelopes(potentials)
    found = by_bounds(potentials)
    assert found is not None
    assert found.score == pytest.approx(score, rel=1e-9, abs=0.0)
    assert found.onsets.tolist() == onsets.tolist()


def test_another_beam_where_there_was_no_room(monkeypatch):
    """The first beam finds a path so bad that too many states are better than it."""
    monkeypatch.setattr(_pruned, "_AIMS", (4, 24))
    potentials = steady(74, 60, noise=2.0, strength=0.03, reach=40)
    asked = []
    search = _pruned.search

    def worse_at_first(*args):
        score, highest = search(*args)
        asked.append(args[7])
        return (score - 40.0 if len(asked) == 1 else score), highest

    monkeypatch.setattr(_pruned, "search", worse_at_first)
    score, onsets = by_envelopes(potentials)
    found = by_bounds(potentials)
    assert asked[:3] == [4, 1, 24]
    assert found is not None
    assert found.score == pytest.approx(score, abs=1e-9)
    assert found.onsets.tolist() == onsets.tolist()


def test_a_pause_that_costs_more_than_all_other_changes():
    """Costs far beyond what scores differ by: bounds stay near all the same."""
    potentials = steady(2, 30, noise=0.3)
    start, stop = potentials.start.copy(), potentials.stop.copy()
    start[15:] += 150  # no other event suggests it
    stop[15:] += 150
    late = replace(potentials, start=start, stop=stop, n_frames=potentials.n_frames + 150)
    assert_best(by_bounds(late), late)


def test_noise_is_left_to_envelopes():
    onset = np.random.default_rng(0).normal(size=(30, 900))
    ratio = 10 * steady(2, 30, noise=0.3).ratio
    noise = Potentials(onset, 900, ratio=ratio, max_length=np.full(30, 80))
    assert by_bounds(noise) is None


def test_terms_that_reward_change_have_no_bounds(naive, monkeypatch):
    monkeypatch.setattr("align.decoders.second_order._decode.search_by_bounds", None)
    potentials = naive.random_potentials(np.random.default_rng(2), 4, 20, sign=1.0)
    path = decoders.decode_second_order(potentials)
    assert path.score == pytest.approx(naive.recursion(potentials), abs=1e-9)


def test_no_finite_score(monkeypatch):
    onset = np.zeros((2, 6))
    onset[0, :4] = onset[1, 4:] = -np.inf
    ratio = np.array([[0.0, 0, 0], [-1, -1, 2]])
    asked = []

    def however_few(*args):
        asked.append(search_by_bounds(*args, few=0))
        return asked[-1]

    monkeypatch.setattr("align.decoders.second_order._decode.search_by_bounds", however_few)
    with pytest.raises(ParameterError, match=r"event 2 has score -inf wherever"):
        decoders.decode_second_order(Potentials(onset, 6, ratio=ratio))
    assert asked == [None]


@pytest.mark.parametrize(
    ("row", "concave"),
    [
        ((-1.0, -1.0, 2.0), True),
        ((-1.0, -1.0, -2.0), True),
        ((-((1 / 3) ** 2), -((1 / 7) ** 2), 2 / 21), True),
        ((-1.0, -1.0, 2.001), False),
        ((1.0, 1.0, -2.0), False),
        ((-1.0, 0.0, 0.1), False),
        ((0.0, 0.0, 0.0), True),
        ((-1e-170, -1e-170, 2e-170), True),
        ((-1e-170, -1e-170, 2.5e-170), False),
        ((-1e200, -1e200, 2e200), True),
        ((-1e200, -1e200, 2.5e200), False),
    ],
)
def test_terms_that_do_not_exceed_their_tangents(row, concave):
    assert is_concave(np.array([(0.0, 0.0, 0.0), row])) is concave


def test_the_decoder_takes_this_way_on_music(monkeypatch):
    potentials = steady(3, 110, noise=0.7, reach=40)
    expected = by_envelopes(potentials)
    monkeypatch.setattr("align.decoders.second_order._decode.best_by_envelopes", None)
    path = decoders.decode_second_order(potentials)
    assert path.score == pytest.approx(expected[0])
    assert path.onsets.tolist() == expected[1].tolist()


@pytest.mark.parametrize("seed", range(40))
def test_every_length_is_in_one_bin_and_on_a_knot_or_between_two(seed):
    rng = np.random.default_rng(seed)
    n_events = 8
    last = 30 + np.cumsum(rng.integers(1, 4 << rng.integers(0, 9), n_events + 1))
    first = last - rng.integers(0, 31, n_events + 1)
    shortest = rng.integers(1, 30, n_events)
    longest = shortest + rng.integers(0, 4 << rng.integers(0, 9), n_events)
    alpha, beta = 10.0 ** rng.uniform(-5, 5, (2, n_events)) * rng.integers(0, 2, (2, n_events))
    places = most_places(int(longest.max()))
    knot, edge = np.full((2, n_events, places), -1)
    lengths = Lengths(knot, edge, *np.zeros((2, n_events), dtype=np.intp))
    choose_lengths(Windows(first, last, shortest, longest), alpha, beta, 1.0, lengths)
    for k in range(n_events):
        knots = knot[k, : lengths.n_knots[k]]
        assert knots[0] == shortest[k]
        assert knots[-1] == longest[k]
        assert (np.diff(knots) > 0).all()
        assert (knot[k, lengths.n_knots[k] :] == -1).all()
        edges = edge[k, : lengths.n_bins[k] + 1]
        assert edges[0] == shortest[k]
        assert edges[-1] == longest[k] + 1
        assert (np.diff(edges) > 0).all()
        assert (edge[k, lengths.n_bins[k] + 1 :] == -1).all()


def test_knots_are_dense_around_the_length_that_is_expected():
    """Even tempo over events of one, two and one parts, windows that are a little off."""
    at = np.array([0, 11, 29, 40])
    alpha, beta = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.5])
    windows = Windows(at, at, np.ones(3, dtype=np.intp), np.full(3, 100))
    places = most_places(100)
    lengths = Lengths(*np.zeros((2, 3, places), dtype=np.intp), *np.zeros((2, 3), dtype=np.intp))
    choose_lengths(windows, alpha, beta, 1.0, lengths)
    for k, expected in enumerate((10, 20, 10)):
        assert expected in lengths.knot[k]
        single = range(expected - 4, expected + 5)
        assert set(single) <= set(lengths.edge[k].tolist())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes_of_the_windows(dtype):
    rng = np.random.default_rng(0)
    top, bottom = np.empty((2, 5))
    for n in [*range(1, 50), 100]:
        onset = np.full((5, 120), np.nan)
        start = 10 * np.arange(5)
        begin = rng.integers(0, 120 - n, 5)
        inside = rng.normal(size=(5, n))
        inside[rng.random(inside.shape) < 0.3] = -np.inf
        np.put_along_axis(onset, begin[:, None] + np.arange(n), inside, axis=1)
        first = np.append(start + begin, 500)
        one = np.ones(5, dtype=np.intp)
        windows = Windows(first, np.append(first[:-1] + n - 1, 500), one, one)
        potentials = Potentials(onset.astype(dtype), 500, start=start)
        tables = without_ratio(potentials, potentials.onset, windows)
        _pruned._extremes(tables, top, bottom)
        inside = inside.astype(dtype)
        assert top.tolist() == inside.max(axis=1).tolist()
        least = np.where(inside > -np.inf, inside, np.inf).min(axis=1)
        assert bottom.tolist() == least.tolist()


@pytest.mark.parametrize("beside", [np.nan, np.inf, 1e30])
def test_what_lies_beside_a_window_does_not_matter(beside):
    """The best path is not the one the beam finds, so that the proof is needed."""
    potentials = steady(74, 60, noise=2.0, strength=0.03, reach=40)
    stop = potentials.stop.copy()
    stop[0] = potentials.start[0] + 41
    onset = potentials.onset.copy()
    clean = replace(potentials, stop=stop)
    onset[0, 41:] = beside
    score, onsets = by_envelopes(clean)
    tables = without_ratio(clean, onset, tighten(clean))
    found = search_by_bounds(tables, clean.ratio, None, few=0)
    assert found is not None
    assert found.score == pytest.approx(score, abs=1e-9)
    assert found.onsets.tolist() == onsets.tolist()


def test_tables_of_lengths_are_in_the_budget():
    ratio = np.zeros((200, 3))
    ratio[1:] = [-1.0, -1.0, 2.0]
    potentials = Potentials(np.zeros((200, 20_000)), 20_000, ratio=ratio)
    tables = without_ratio(potentials, check_values(potentials), tighten(potentials))
    tracemalloc.start()
    assert search_by_bounds(tables, potentials.ratio, 1000) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000
