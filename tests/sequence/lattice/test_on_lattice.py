"""Aligning lattices: each path scores what its events score as a sequence."""

import gc
import weakref
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_speech import RATE, recording

import align
from align import SequenceAligner
from align.decoders import Lattice, decode
from align.errors import DataError, ParameterError
from align.features import DurationFeature, SpeakingRate, duration_feature, segment_feature
from align.features.base import Feature
from align.learners.structured.learner import StructuredLearner
from align.sequence.lattice.on_lattice import lattice_scores, most_frames, with_roles
from align.terms import BaseFunctions, DurationTerm, OnsetTerm, RatioTerm, SegmentTerm

BANDS = {"sil": (0, 100), "m": (220, 280), "iy": (280, 340), "aa": (650, 750), "s": (4000, 7000)}


@segment_feature
def suits(signal, event):
    """Share of the power that lies where the sound of the phone lies; silence has little."""
    power = signal.power_spectrum(window=0.020)
    low, high = (round(f * 2 * (power.shape[1] - 1) / signal.rate) for f in BANDS[str(event)])
    share = power[:, low : high + 1].sum(axis=1) / (power.sum(axis=1) + 1e-9)
    return np.where(power.sum(axis=1) > 30, share, float(event == "sil"))


@duration_feature
def brevity(event, seconds):
    return -np.abs(np.log(seconds / 0.1))


class Change(Feature):
    """Change of the spectrum; where the first event begins, none is asked for."""

    name = "change"

    def terms(self, signal, events):
        mel = signal.log_mel(n_mels=20)
        table = np.abs(np.diff(mel, axis=0, prepend=mel[:1])).mean(axis=1)
        return {"change": OnsetTerm(table[None], np.r_[-1, np.zeros(len(events) - 1, dtype=int)])}


def example(phones, seed=0):
    rng = np.random.default_rng(seed)
    samples, edges = recording(phones, rng)
    return align.Example(
        samples.astype(np.float32), tuple(phones), edges[:-1] / RATE, rate=RATE, name="r"
    )


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    corpus = [
        example(["sil", *rng.permutation(["m", "iy", "aa", "s", "iy"]), "sil"], seed)
        for seed in range(4)
    ]
    learner = StructuredLearner(loss="maximal", C=0.05, epochs=4)
    aligner = SequenceAligner([suits, Change(), brevity], learner=learner, cost="ramp").fit(corpus)
    # Trained on sequences, which cannot tell what one more event is worth: let the frames decide.
    aligner.coef_ = aligner.scale_ * np.array([1.0, 0.1, 0.1])
    aligner.longest_ = 0.5
    return aligner


# Layout -----------------------------------------------------------------------------------------


class Neighbours:
    """Random base functions whose rows depend on the neighbours and the place of each event.

    An event in front of an ``e``, which is a pause, has rows of its own, but for an ``a``.
    """

    def __init__(self, rng, n_frames):
        self.tables = {
            "onset": rng.integers(-3, 4, (30, n_frames)).astype(float),
            "segment": rng.integers(-3, 4, (9, n_frames)).astype(float),
            "length": rng.integers(-3, 4, (9, n_frames + 1)).astype(float),
        }

    def __call__(self, events):
        k = [ord(event) - ord("a") for event in events]
        pair = np.array([-1, *(5 * a + b for a, b in pairwise(k))])
        pair[0] = 25 + k[0]  # the first event has rows of its own
        pair[pair % 7 == 3] = -1
        last = np.array(k)
        last[-1] = 8 - last[-1]  # and so has the last
        drawn = (np.array(k[1:]) == 4) & (np.array(k[:-1]) != 0)
        last[:-1] = np.where(drawn, (last[:-1] + 3) % 9, last[:-1])
        prefix = np.cumsum(np.pad(self.tables["segment"], ((0, 0), (1, 0))), axis=1)
        # rows in the order the events need them, as features lay them out
        used, row = np.unique(last, return_inverse=True)
        return {
            "onset": OnsetTerm(self.tables["onset"], pair),
            "segment": SegmentTerm(prefix[used], row),
            "length": DurationTerm(self.tables["length"], np.where(last == 2, -1, last)),
        }


@st.composite
def lattices(draw):
    n = draw(st.integers(1, 5))
    every = [(u, v) for u in range(n) for v in range(u + 1, n)]
    arcs = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    later, earlier = {v for _, v in arcs}, {u for u, _ in arcs}
    starts = [v for v in range(n) if v not in later or draw(st.booleans())]
    ends = [v for v in range(n) if v not in earlier or draw(st.booleans())]
    small = st.integers(-4, 4).map(float)
    return Lattice(
        n,
        arcs,
        starts,
        ends,
        [draw(small) for _ in arcs],
        [draw(small) for _ in starts],
        [draw(small) for _ in ends],
        labels=[draw(st.sampled_from("abcde")) for _ in range(n)],
    )


def every_path(lattice):
    after = {v: [b for a, b in lattice.arcs.tolist() if a == v] for v in range(lattice.n_nodes)}
    paths = [[v] for v in lattice.starts.tolist()]
    while paths:
        path = paths.pop()
        if path[-1] in lattice.ends:
            yield path
        paths += [[*path, v] for v in after[path[-1]]]


@settings(max_examples=60)
@given(lattice=lattices(), seed=st.integers(0, 99), pinned=st.booleans())
def test_every_path_scores_as_a_sequence(lattice, seed, pinned):
    rng = np.random.default_rng(seed)
    n_frames = int(rng.integers(6, 9))
    terms = Neighbours(rng, n_frames)
    weights = {"onset": 2.0, "segment": -1.0, "length": 1.0}
    labels = np.array(lattice.labels)
    roles = with_roles(lattice, labels == "e", labels != "a")
    events = [lattice.labels[v] for v in roles.origin]
    limits = rng.integers(2, n_frames + 1, lattice.n_nodes)[roles.origin]
    scores = lattice_scores(terms, weights, roles, events, limits, n_frames, pinned=pinned)
    best = -np.inf
    for path in every_path(lattice):
        labels = tuple(lattice.labels[v] for v in path)
        base = BaseFunctions(
            [terms(labels)[name] for name in weights],
            list(weights),
            len(path),
            n_frames,
            max_length=np.array([limits[list(roles.origin).index(v)] for v in path]),
            windows=np.array([[0, 1 if pinned and not i else n_frames] for i in range(len(path))]),
        )
        try:
            score = decode(base.potentials(np.array(list(weights.values())))).score
        except ParameterError:
            continue
        arcs = lattice.arcs.tolist()
        along = pairwise(path)
        score += sum(lattice.arc_score[arcs.index([u, v])] for u, v in along)
        score += lattice.start_score[lattice.starts == path[0]][0]
        best = max(best, score + lattice.end_score[lattice.ends == path[-1]][0])
    if best == -np.inf:
        with pytest.raises(ParameterError, match="no path of the lattice can be timed"):
            scores.decode()
        return
    found = scores.decode()
    assert found.score == pytest.approx(best)
    assert scores.along(found.nodes).score(found.onsets) == pytest.approx(best)


def test_what_a_lattice_cannot_score_is_refused():
    roles = with_roles(Lattice.chain(2, labels="ab"))

    def terms(events):
        return {"rate": RatioTerm(np.ones(len(events)), np.arange(len(events)) > 0)}

    arguments = (terms, {"rate": 0.0}, roles, "ab", np.array([5, 5]), 5)
    assert lattice_scores(*arguments, pinned=False).decode().score == 0.0
    arguments[1]["rate"] = -1.0
    with pytest.raises(ParameterError, match="'rate' depends on three successive onsets"):
        lattice_scores(*arguments, pinned=False)
    arguments[1]["other"] = 1.0
    arguments[1]["rate"] = 0.0
    with pytest.raises(align.ModelError, match=r"do not give the base functions \['other'\]"):
        lattice_scores(*arguments, pinned=False)


def test_most_frames_takes_the_longest_path():
    diamond = Lattice(4, [(0, 1), (0, 2), (1, 3), (2, 3)], [0, 2], [3, 1])
    assert most_frames(diamond, np.array([1, 20, 3, 4])) == 25
    assert most_frames(diamond, np.array([1, 20, 3, 1])) == 22
    assert most_frames(diamond, np.array([1, 2, 30, 1])) == 32


# Aligning ---------------------------------------------------------------------------------------


def test_a_chain_is_a_sequence(fitted):
    item = example(["sil", "m", "aa", "s", "iy", "sil"])
    expected = fitted.align(item.audio, item.events, rate=RATE)
    found = fitted.align_lattice(item.audio, Lattice.chain(6, labels=item.events), rate=RATE)
    assert found.nodes.tolist() == list(range(6))
    assert found.alignment.labels == item.events
    np.testing.assert_allclose(found.alignment.onsets, expected.onsets, atol=1e-9)
    np.testing.assert_allclose(found.alignment.confidence, expected.confidence, atol=1e-6)
    assert found.alignment.score == pytest.approx(expected.score)
    assert found.alignment.end == expected.end


def test_variants_and_pauses_are_chosen_by_what_is_heard(fitted):
    said = ["sil", "m", "iy", "sil", "s", "aa", "sil"]
    item = example(said, seed=5)
    slots = [
        [["sil"]],
        [["m", "aa"], ["m", "iy"]],
        [["sil"], []],
        [["s", "iy"], ["s", "aa"], ["aa"]],
        [["sil"]],
    ]
    lattice = Lattice.from_alternatives(slots)
    found = fitted.align_lattice(item.audio, lattice, rate=RATE)
    assert found.alignment.labels == tuple(said)
    assert lattice.slot[found.nodes].tolist() == [0, 1, 1, 2, 3, 3, 4]
    assert lattice.variant[found.nodes].tolist() == [0, 1, 1, 0, 1, 1, 0]
    np.testing.assert_allclose(found.alignment.onsets, item.onsets, atol=0.035)
    assert fitted.align(item.audio, lattice, rate=RATE) == found.alignment


def test_a_repeat_is_played_or_not(fitted):
    """Jump back to a mark: the section is heard twice in one recording, once in the other."""
    chain = ["sil", "m", "aa", "s", "sil"]
    lattice = Lattice.with_repeats(5, [(1, 4)], labels=chain)
    for said, passes in (
        (["sil", "m", "aa", "s", "m", "aa", "s", "sil"], [0, 0, 0, 0, 1, 1, 1, 0]),
        (chain, [0, 0, 0, 0, 0]),
    ):
        item = example(said, seed=7)
        found = fitted.align_lattice(item.audio, lattice, rate=RATE)
        assert found.alignment.labels == tuple(said)
        assert lattice.variant[found.nodes].tolist() == passes
        np.testing.assert_allclose(found.alignment.onsets, item.onsets, atol=0.035)


def test_events_by_number(fitted):
    item = example(["sil", "m", "aa", "sil"], seed=3)
    lattice = Lattice.with_repeats(4, [(1, 3)])
    found = fitted.align_lattice(item.audio, lattice, events=item.events, rate=RATE)
    assert found.alignment.events == item.events


def test_averages_are_taken_over_the_events_that_occur(fitted):
    item = example(["sil", "m", "aa", "sil"], seed=3)
    averaged = SequenceAligner(fitted.features, normalise=True)
    averaged.__dict__.update({k: v for k, v in fitted.__dict__.items() if k.endswith("_")})
    lattice = Lattice.from_alternatives([[["sil"]], [["m"], ["iy"]], [["aa"]], [["sil"]]])
    found = averaged.align_lattice(item.audio, lattice, rate=RATE).alignment
    sequence = averaged.align(item.audio, item.events, rate=RATE)
    np.testing.assert_allclose(found.onsets, sequence.onsets, atol=1e-9)
    np.testing.assert_allclose(found.confidence, sequence.confidence, atol=1e-6)


def test_long_silences_are_looked_for_again(fitted, monkeypatch):
    aligner = SequenceAligner(fitted.features)
    aligner.__dict__.update({k: v for k, v in fitted.__dict__.items() if k.endswith("_")})
    aligner._unbounded = lambda event: event == "sil"
    monkeypatch.setattr("align.sequence.search.PAUSE", 0.05)
    item = example(["sil", "m", "aa", "sil"], seed=3)
    samples = np.concatenate([np.zeros(RATE, np.float32), item.audio])
    lattice = Lattice.from_alternatives([[["sil"]], [["m"], ["iy"]], [["aa"]], [["sil"]]])
    found = aligner.align_lattice(samples, lattice, rate=RATE).alignment
    np.testing.assert_allclose(found.onsets[1:], item.onsets[1:] + 1.0, atol=0.035)


@pytest.mark.parametrize(
    ("lattice", "options", "error", "message"),
    [
        (Lattice.chain(2), {}, ParameterError, "the lattice has no labels"),
        (
            Lattice.chain(2),
            {"events": ["sil"]},
            ParameterError,
            r"each event of the lattice, 0\.\.1",
        ),
        (Lattice.chain(2), {"events": "ab"}, ParameterError, "must be a sequence"),
        (Lattice.chain(999, labels=["m"] * 999), {}, DataError, "no path of the lattice"),
    ],
)
def test_wrong_lattices(fitted, lattice, options, error, message):
    with pytest.raises(error, match=message):
        fitted.align_lattice(example(["sil", "m"]).audio, lattice, rate=RATE, **options)


def test_too_much_at_once_is_refused(fitted, monkeypatch):
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_CELLS", 100)
    monkeypatch.setattr("align.sequence.lattice.long_lattice._MOST_CELLS", 10)
    with pytest.raises(DataError, match=r"2 nodes in \d+ frames are too much to align at once"):
        fitted.align_lattice(example(["sil", "m"]).audio, Lattice.chain(2, labels="ms"), rate=RATE)


@pytest.mark.parametrize("reach", [1.5, 0.1])
def test_windows_find_the_same(fitted, monkeypatch, reach):
    """Variants, pauses and an end of any length, in windows as without."""
    item = example(["sil", "m", "iy", "sil", "s", "aa", "sil"], seed=5)
    slots = [[["sil"]], [["m", "aa"], ["m", "iy"]], [["sil"], []], [["s", "iy"], ["s", "aa"]]]
    lattice = Lattice.from_alternatives([*slots, [["sil"]]])
    expected = fitted.align_lattice(item.audio, lattice, rate=RATE)
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_CELLS", 100)
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_REACH", reach)
    found = fitted.align_lattice(item.audio, lattice, rate=RATE)
    assert found.nodes.tolist() == expected.nodes.tolist()
    assert found.alignment.score == pytest.approx(expected.alignment.score)
    np.testing.assert_allclose(found.alignment.onsets, expected.alignment.onsets, atol=1e-9)


def test_rates_cannot_be_scored():
    corpus = [example(["sil", "m", "aa", "sil"], seed) for seed in range(3)]
    features = [suits, DurationFeature(), SpeakingRate()]
    aligner = SequenceAligner(features, learner=StructuredLearner(epochs=2)).fit(corpus)
    lattice = Lattice.from_alternatives([[["sil"]], [["m"], []], [["sil"]]])
    with pytest.raises(DataError, match="'speaking_rate' depends on three successive onsets"):
        aligner.align_lattice(corpus[0].audio, lattice, rate=RATE)


# Speech -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def speech():
    return align.load("speech-en")


def paths_of(expanded):
    return {
        (tuple(expanded.events[v] for v in path), tuple(expanded.given[path].tolist()))
        for path in every_path(expanded.lattice)
    }


def test_closures_and_silences_are_added_to_every_path(speech):
    lattice = Lattice.from_alternatives([[["sil"], []], [["T", "uw1"], ["f"]], [["d"], []]])
    found = paths_of(speech._expand_lattice(lattice, lattice.labels))
    expected = set()
    for path in every_path(lattice):
        labels = [lattice.labels[v] for v in path]
        decoded, place = speech._expand(tuple(labels))
        given_at = np.full(len(decoded), -1)
        given_at[place[:-1]] = path
        given_at[: place[0]] = -2
        given_at[place[-1] :] = -2
        expected.add((decoded, tuple(given_at.tolist())))
    assert found == expected
    assert len(found) == 8


def test_arc_scores_survive(speech):
    lattice = Lattice(2, [(0, 1)], [0, 1], [1], [1.0], [2.0, 4.0], [8.0], labels=("t", "iy"))
    whole = speech._expand_lattice(lattice, lattice.labels).lattice
    assert sorted(whole.arc_score.tolist()) == [0.0, 1.0, 2.0, 4.0, 8.0]
    assert whole.start_score.tolist() == whole.end_score.tolist() == [0.0]


def test_unknown_phones_of_a_lattice_are_named(speech):
    with pytest.raises(DataError, match="unknown phone 'q1x'"):
        speech.align(np.zeros(RATE), Lattice.from_alternatives([[["iy"], ["q1x"]]]), rate=RATE)


def test_pronunciations_of_real_speech(speech, timit_sample):
    """The right phones are found among wrong ones, with or without pauses between them."""
    item = align.read_corpus(timit_sample, kind="speech")[3]
    core = [event for event in item.events if event not in ("h#", "pau", "epi")]
    swapped = {"s": "m", "iy": "s", "ae": "k", "l": "s", "n": "f", "r": "t", "k": "iy"}
    slots = [
        s for e in core for s in ([[e], [swapped[e]]] if e in swapped else [[e]], [["pau"], []])
    ]
    lattice = Lattice.from_alternatives(slots)
    found = speech.align_lattice(item.audio, lattice)
    heard = [label for label in found.alignment.labels if label != "pau"]
    wrong = sum(a != b for a, b in zip(heard, core, strict=True))
    assert wrong <= 0.05 * len(core)
    reference = speech.align(item.audio, item.events)
    kept = [i for i, e in enumerate(item.events) if e in core]
    there = [i for i, label in enumerate(found.alignment.labels) if label != "pau"]
    off = np.abs(found.alignment.onsets[there] - reference.onsets[kept])
    assert np.median(off) < 1e-6
    assert found.alignment.end == pytest.approx(reference.onsets[-1], abs=0.03)


def test_other_paths_are_those_of_smaller_lattices(fitted):
    """Without some nodes the best path is that of the lattice without them; so is a detour."""
    item = example(["sil", "m", "iy", "sil", "s", "aa", "sil"], seed=5)
    slots = [
        [["sil"]],
        [["m", "aa"], ["m", "iy"]],
        [["sil"], []],
        [["s", "iy"], ["s", "aa"], ["aa"]],
        [["sil"]],
    ]
    lattice = Lattice.from_alternatives(slots)
    paths = fitted.lattice_paths(item.audio, lattice, rate=RATE)
    best = paths.best()
    drop = np.flatnonzero((lattice.slot == 3) & (lattice.variant == 1))
    slots[3] = [["s", "iy"], ["aa"]]
    less = Lattice.from_alternatives(slots)
    expected = fitted.align_lattice(item.audio, less, rate=RATE).alignment
    without = np.isin(np.arange(lattice.n_nodes), drop)
    every = np.ones(lattice.n_nodes, dtype=bool)
    for other in (paths.best(drop), paths.detour(best, every, without)):
        found = paths.placed(other).alignment
        assert found.labels == expected.labels
        assert found.score == pytest.approx(expected.score)
        np.testing.assert_allclose(found.onsets, expected.onsets, atol=1e-9)
    # from a node to a later one: what lies outside stays, even if it could be better
    begin, end = best.user[1], best.user[-1]
    inner = paths.detour(best, every, without, begin, end)
    assert inner.onsets[[0, 1, -1]].tolist() == best.onsets[[0, 1, -1]].tolist()
    assert inner.score <= expected.score + 1e-9
    same = paths.detour(best, every, ~every, begin, end)
    assert same.onsets.tolist() == best.onsets.tolist()
    assert same.score == pytest.approx(best.score)
    assert paths.detour(best, every, every, begin, end) is None


def test_a_search_goes_with_the_last_that_asks_it(fitted):
    """Not with the next garbage collection: an hour of speech would keep hundreds of tables."""
    item = example(["sil", "m", "iy", "sil"], seed=5)
    gc.disable()
    try:
        paths = fitted.lattice_paths(
            item.audio, Lattice.from_alternatives([[[e]] for e in item.events]), rate=RATE
        )
        paths.placed(paths.best())
        left = weakref.ref(paths)
        del paths
        assert left() is None
    finally:
        gc.enable()
