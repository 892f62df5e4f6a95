"""Known onsets: held by exact decoding, exact after placement, named where impossible."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_speech import RATE, recording

import align
from align import Example, SequenceAligner
from align.decoders import Lattice, decode
from align.errors import DataError, ParameterError
from align.features import Signal, onset_feature, segment_feature
from align.features.sound.audio import lent
from align.formats.anchors import AnchorRow, AnchorTable
from align.learners.structured.learner import StructuredLearner
from align.potentials import Potentials
from align.sequence.anchors import Anchors, Held, held_in_lattice, held_in_sequence
from align.sequence.lattice.lattices import ExpandedLattice
from align.sequence.recent import RecentSignals

HOP = 0.005
PHONES = ["sil", "m", "aa", "s", "iy", "m", "sil"]
calls: list[str] = []


def silent(n_frames: int) -> Signal:
    return Signal(np.zeros(round(n_frames * HOP * RATE), dtype=np.float32), RATE, HOP)


@segment_feature
def loud(signal, event):
    """Silence is quiet, everything else is not."""
    calls.append(str(event))
    power = signal.cached(("power",), lambda: _power(signal))
    return np.where((power > 1e-3) == (event != "sil"), 1.0, -1.0)


@onset_feature
def change(signal, event):
    mel = signal.log_mel(n_mels=20)
    return np.abs(np.diff(mel, axis=0, prepend=mel[:1])).mean(axis=1)


def _power(signal):
    calls.append("power")
    return signal.power_spectrum(window=0.020).sum(axis=1)


def example(seed):
    samples, edges = recording(PHONES, np.random.default_rng(seed))
    return Example(samples.astype(np.float32), PHONES, edges[:-1] / RATE, rate=RATE)


@pytest.fixture(scope="module")
def fitted():
    learner = StructuredLearner(loss="maximal", C=0.05, epochs=3)
    corpus = [example(seed) for seed in range(4)]
    return SequenceAligner([loud, change], learner=learner, cost="ramp").fit(corpus)


@st.composite
def anchored(draw):
    """Random potentials, and some events with a time each, increasing."""
    k, n_frames = draw(st.integers(1, 5)), draw(st.integers(5, 9))
    some = draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=k, unique=True))
    cells = st.integers(0, 10 * n_frames - 1)
    times = draw(st.lists(cells, min_size=len(some), max_size=len(some), unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    onset, duration = rng.normal(size=(k, n_frames)), rng.normal(size=(1, n_frames + 1))
    onsets = {e: HOP * t / 10 for e, t in zip(sorted(some), sorted(times), strict=True)}
    return Potentials(onset, n_frames, duration=duration), onsets


@settings(max_examples=300, deadline=None)
@given(anchored())
def test_held_onsets_are_decoded_as_enumeration_does(problem):
    p, onsets = problem
    k, n_frames = p.n_events, p.n_frames
    nearest = {e: min(int(np.rint(t / HOP)), n_frames - 1) for e, t in onsets.items()}
    timings = [np.array(y) for y in itertools.combinations(range(n_frames), k)]
    met = [y for y in timings if all(y[e] == t for e, t in nearest.items())]
    near = [y for y in timings if all(abs(y[e] - t) <= 1 for e, t in nearest.items())]
    signal = silent(n_frames)
    events, place = ["a"] * k, np.arange(k + 1)
    try:
        held = held_in_sequence(onsets, events, place, k, signal)
    except DataError:
        assert not met
        with pytest.raises(DataError, match="there is no room"):
            held_in_sequence(onsets, events, place, k, signal)
        return
    assert near
    low, high = held.windows.T
    assert (high[held.at] - low[held.at] == 1).all()
    windowed = Potentials(
        np.stack([np.pad(row[a:b], (0, n_frames - (b - a))) for row, a, b in
                  zip(p.onset, low, high, strict=True)]),
        n_frames, start=low, stop=high, duration=p.duration,
    )  # fmt: skip
    inside = [y for y in near if (y[held.at] == low[held.at]).all()]
    best = max(inside, key=lambda y: p.score(y))
    path = decode(windowed)
    assert path.score == pytest.approx(p.score(best))
    if met:  # nothing needs to give way
        assert [int(path.onsets[e]) for e in sorted(nearest)] == [
            nearest[e] for e in sorted(onsets)
        ]


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10_000))
def test_placed_times_are_exact_and_in_order(n, seed):
    rng = np.random.default_rng(seed)
    at = np.sort(rng.choice(n, size=rng.integers(1, n + 1), replace=False))
    known = np.sort(rng.choice(np.arange(1, 1000), at.size, replace=False)) / 1000.37
    times = rng.uniform(-0.1, 1.2, size=n)
    placed = Held(at, known, np.zeros((n, 2), dtype=np.intp)).placed(times, 1.0)
    assert (placed[at] == known).all()
    assert (np.diff(placed) > 0).all()
    assert placed[0] >= 0
    assert placed[-1] < 1
    assert (Held(at[:0], known[:0], np.zeros((n, 2))).placed(times, 1.0) >= 0).all()


@given(st.integers(1, 9), st.integers(0, 10**6))
def test_times_held_within_a_tolerance_are_in_order(n, seed):
    """Also where a correction has moved two of them past each other."""
    rng = np.random.default_rng(seed)
    at = np.flatnonzero(rng.random(n) < 0.7)
    if at.size == 0:
        return
    known = np.sort(rng.uniform(0.01, 0.99, at.size))
    times = rng.uniform(0, 1, n)
    placed = Held(at, known, np.zeros((n, 2), dtype=np.intp), 0.5).placed(times, 1.0)
    assert (np.diff(placed) > 0).all()
    assert (np.abs(placed[at] - known) <= 0.5 + 1e-9).all()


@pytest.mark.parametrize("refine", ["posterior", "parabola", "none"])
def test_an_aligner_keeps_what_is_known(fitted, refine):
    item = example(9)
    aligner = copy.deepcopy(fitted)
    aligner.placement_ = align.sequence.times.placement.Placement(refine, HOP, offset=0.004)
    free = aligner.align(item.audio, item.events, rate=RATE)
    known = {2: float(item.onsets[2]) + 0.0213, 4: float(item.onsets[4]) - 0.0171}
    found = aligner.align(item.audio, item.events, rate=RATE, anchors=known)
    assert found.onsets[2] == known[2]
    assert found.onsets[4] == known[4]
    assert (np.diff(found.onsets) > 0).all()
    assert found.score < free.score
    assert found.onsets[6] == pytest.approx(free.onsets[6], abs=0.02)
    if found.confidence is not None:
        assert found.confidence[[2, 4]] == pytest.approx(1.0)


def test_a_tolerance_leaves_room_to_be_better(fitted):
    item = example(9)
    free = fitted.align(item.audio, item.events, rate=RATE).onsets[3]
    loose = Anchors({3: float(free) + 0.03}, tolerance=0.02)
    found = fitted.align(item.audio, item.events, rate=RATE, anchors=loose)
    assert free + 0.01 - 1e-9 <= found.onsets[3] < free + 0.03
    exact = Anchors({3: float(free) + 0.01}, tolerance=0.05)
    found = fitted.align(item.audio, item.events, rate=RATE, anchors=exact)
    assert found.onsets[3] == pytest.approx(free, abs=0.02)
    assert found.confidence[3] < 1


def test_events_between_anchors_may_last_longer_than_any_in_training(fitted):
    item = example(9)
    end = 3 * fitted.longest_
    audio = np.concatenate([item.audio, np.zeros(round((end + 1) * RATE), dtype=np.float32)])
    known = {1: 0.01, 2: 0.01 + end}
    assert fitted.align(audio, item.events, rate=RATE, anchors=known).onsets[2] == known[2]
    lattice = Lattice.chain(len(PHONES), labels=PHONES)
    found = fitted.align_lattice(audio, lattice, rate=RATE, anchors=known)
    assert found.alignment.onsets[2] == known[2]


def test_a_known_start_goes_before_the_rule_that_all_begins_at_once(fitted):
    item = example(9)
    assert fitted.starts_at_zero_
    for events in (item.events, Lattice.chain(len(PHONES), labels=PHONES)):
        found = fitted.align(item.audio, events, rate=RATE, anchors={0: 0.0321})
        assert found.onsets[0] == 0.0321


def test_only_the_ways_that_are_anchored_are_held(fitted):
    item = example(9)
    lattice = Lattice.from_alternatives([[["sil"]], [["m"], ["s"]], [["aa"]], [["sil"], []]])
    known = {1: 0.1011, 2: 0.1011}
    found = fitted.align_lattice(item.audio, lattice, rate=RATE, anchors=known)
    assert found.alignment.onsets[1] == 0.1011
    optional = Lattice.from_alternatives([[["sil"]], [["m"], []], [["aa"]]])
    found = fitted.align_lattice(item.audio, optional, rate=RATE, anchors={1: 0.1011})
    if 1 in found.nodes:
        assert found.alignment.onsets[1] == 0.1011


def test_long_recordings_are_held_in_windows(fitted, monkeypatch):
    item = example(9)
    known = {2: float(item.onsets[2]) + 0.0213}
    lattice = Lattice.chain(len(PHONES), labels=PHONES)
    whole = fitted.align(item.audio, item.events, rate=RATE, anchors=known)
    monkeypatch.setattr("align.sequence.search.MOST_CELLS", 1)
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_CELLS", 1)
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_REACH", 0.2)
    monkeypatch.setattr("align.sequence.search.REACH", 0.2)
    for events in (item.events, lattice):
        found = fitted.align(item.audio, events, rate=RATE, anchors=known)
        assert found.onsets[2] == known[2]
        assert found.score == pytest.approx(whole.score)
        assert found.onsets == pytest.approx(whole.onsets, abs=1e-6)


IMPOSSIBLE = [
    ({9: 0.1}, r"event 10 cannot begin at 0.100 s: there are 7 of them"),
    ({2: 99.0}, r"event 3 \('aa'\) cannot begin at 99.000 s: the recording lasts from 0 to"),
    ({2: -0.1}, r"event 3 \('aa'\) cannot begin at -0.100 s: the recording lasts from 0 to"),
    ({2: 0.3, 4: 0.2}, r"event 5 \('iy'\) .* event 3 \('aa'\), which is before it, begins at 0.3"),
    ({2: 0.3, 5: 0.301}, r"event 6 \('m'\) .* between it and event 3 .* no room for 3 events"),
    ({4: 0.004}, r"event 5 \('iy'\) cannot .* between it and the start there is no room for 4"),
]


@pytest.mark.parametrize(("anchors", "message"), IMPOSSIBLE)
def test_impossible_anchors_are_named(fitted, anchors, message):
    item = example(9)
    with pytest.raises(DataError, match=message):
        fitted.align(item.audio, item.events, rate=RATE, anchors=anchors)


def test_no_room_at_the_end(fitted):
    item = example(9)
    last = len(item.audio) / RATE - 0.001
    with pytest.raises(DataError, match="between it and the end there is no room for 4 events"):
        fitted.align(item.audio, item.events, rate=RATE, anchors={3: last})
    lattice = Lattice.chain(len(PHONES), labels=PHONES)
    for time, side in ((last, "behind"), (0.001, "before")):
        with pytest.raises(DataError, match=rf"event 4 \('s'\) .* what comes {side} it"):
            fitted.align_lattice(item.audio, lattice, rate=RATE, anchors={3: time})


@pytest.mark.parametrize("anchors", [{-1: 0.1}, {0.5: 0.1}, {True: 0.1}, {1: np.nan}])
def test_anchors_of_the_wrong_kind(anchors):
    with pytest.raises(ParameterError, match=r"^anchors: "):
        Anchors(anchors)


def test_a_negative_tolerance():
    with pytest.raises(ParameterError, match="tolerance=-1"):
        Anchors({}, tolerance=-1)


# Rows of a file ---------------------------------------------------------------------------------


def table(*rows):
    return AnchorTable(tuple(AnchorRow(*row) for row in rows), "a.csv")


def test_rows_find_their_events_in_order():
    found = Anchors.of(table((0.1, "A", None, 2), (0.2, "b"), (0.3, "a")), ["a", "b", "a", "c"])
    assert found.onsets == {0: 0.1, 1: 0.2, 2: 0.3}
    assert found.lines == {0: 2}
    assert Anchors.of(table((0.1, "a", 3)), ["a", "b", "a"]).onsets == {2: 0.1}
    assert Anchors.of(table((0.1, "", 2), (0.4, "a")), ["a", "b", "a"]).onsets == {1: 0.1, 2: 0.4}
    assert Anchors.of(None, ["a"]) is Anchors.of({}, ["a"]) is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0.1, "a", None, 2)], "a.csv, line 2: 'a' at 0.100 s may be number 1 or number 3"),
        ([(0.1, "x", None, 2)], "line 2: 'x' at 0.100 s is none of the 3 events"),
        ([(0.1, "b", None, 2), (0.2, "b", None, 3)], "line 3: 'b' .* after an event that it must"),
        ([(0.1, "a", 2, 2)], "line 2: 'a' .* has index 2, and this event is 'b'"),
        ([(0.1, "a", 4, 2)], "line 2: 'a' .* has index 4, and there are 3 events"),
    ],
)
def test_rows_that_fit_no_event_or_several(rows, message):
    with pytest.raises(DataError, match=message):
        Anchors.of(table(*rows), ["a", "b", "a"])


def test_rows_name_their_file_and_line(fitted):
    item = example(9)
    rows = table((0.2, "aa", None, 2), (99.0, "s", None, 3))
    with pytest.raises(DataError, match=r"^a.csv, line 3: event 4 \('s'\)"):
        fitted.align(item.audio, item.events, rate=RATE, anchors=rows)
    expanded = ExpandedLattice(Lattice.chain(2), ("a", "b"), np.arange(2))
    with pytest.raises(ParameterError, match="by node"):
        held_in_lattice(rows, expanded, silent(9))


# What is computed once --------------------------------------------------------------------------


def test_the_same_recording_is_computed_once(fitted):
    aligner = copy.deepcopy(fitted)
    item = example(11)
    calls.clear()
    for known in (None, {2: 0.2}, {2: 0.21}):
        aligner.align(item.audio.copy(), item.events, rate=RATE, anchors=known)
    assert calls.count("power") == 1
    aligner.align(0.5 * item.audio, item.events, rate=RATE)
    assert calls.count("power") == 2
    copy.deepcopy(aligner).align(item.audio, item.events, rate=RATE)
    assert calls.count("power") == 3


def test_a_recording_that_is_kept_is_no_part_of_a_longer_one():
    hour = np.random.default_rng(0).normal(size=80 * 100).astype(np.float32)
    recent, features = RecentSignals(), []
    part = Signal(hour, RATE, HOP).part(0.1, 0.2)
    kept = recent.same(part, features)
    assert not np.shares_memory(kept.samples, hour)
    assert recent.same(Signal(hour, RATE, HOP).part(0.1, 0.2), features) is kept


def test_few_and_short_recordings_are_kept():
    recent, features = RecentSignals(), []
    signals = [Signal(np.full(800, x, dtype=np.float32), RATE, HOP) for x in range(6)]
    for signal in signals:
        assert recent.same(signal, features) is signal
    again = [Signal(s.samples, RATE, HOP) for s in signals]
    assert recent.same(again[5], features) is signals[5]
    assert recent.same(again[0], features) is again[0]
    assert recent.same(again[5], []) is again[5]  # other features
    long = Signal(np.zeros(80 * 12_001, dtype=np.float32), RATE, HOP)
    recent.same(long, features)
    other = Signal(long.samples, RATE, HOP)
    assert recent.same(other, features) is other
    assert pickle.loads(pickle.dumps(recent)).same(again[4], features) is again[4]


def test_samples_that_were_changed_are_another_recording():
    recent, features = RecentSignals(), []
    samples = np.sin(np.arange(RATE, dtype=np.float32))
    for audio in (samples, lent(samples)):
        kept, again = (
            recent.same(Signal.read(audio, RATE, HOP, source_rate=RATE), features)
            for _ in range(2)
        )
        assert again is kept
        samples[5] += 1.0
        assert recent.same(Signal.read(audio, RATE, HOP, source_rate=RATE), features) is not kept
