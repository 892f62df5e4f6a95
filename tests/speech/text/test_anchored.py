"""Words whose beginning is known: which nodes are held, exact times, slack of utterances."""

import functools
import itertools
import time

import numpy as np
import pytest
from kiwi_text import KIWI, TEXT, WORDS

import align
from align.decoders import decode_lattice
from align.errors import DataError, ParameterError
from align.features import NetworkConfidence
from align.features.sound.audio import read_audio
from align.formats.anchors import AnchorRow, AnchorTable
from align.potentials import Potentials
from align.sequence.anchors import Anchors
from align.speech.text import (
    Entry,
    Pronunciation,
    Utterance,
    align_text,
    word_lattice,
)
from align.speech.text.anchored import with_own_entries
from align.speech.text.lattice import Realised
from align.speech.text.pronouncing.realisation import Rules


@pytest.fixture(scope="module")
def aligned(model):
    return functools.partial(align_text, model, dictionary=WORDS, guess=False)


def starts(found: align.speech.text.TextAlignment) -> list[float]:
    return [
        onset
        for label, onset in zip(found.words.labels, found.words.onsets.tolist(), strict=True)
        if label != "sil"
    ]


# Nodes ------------------------------------------------------------------------------------------


def built_of(model, *texts: str):
    """A lattice in which first phones may be dropped."""
    words = [f"w{i}" for i in range(len(texts))]
    entries = {
        word: Entry(word, tuple(Pronunciation(tuple(way.split())) for way in text.split("/")))
        for word, text in zip(words, texts, strict=True)
    }
    realised = Realised(Rules(model.known_labels()), model.realisations_)
    return word_lattice(words, entries, realised=realised, recorded=True)


def paths(built):
    """Every path: nodes, score."""
    lattice = built.lattice
    after: dict[int, list[tuple[int, float]]] = {}
    for (u, v), score in zip(lattice.arcs.tolist(), lattice.arc_score.tolist(), strict=True):
        after.setdefault(u, []).append((v, score))
    ends = dict(zip(lattice.ends.tolist(), lattice.end_score.tolist(), strict=True))
    begin = zip(lattice.starts.tolist(), lattice.start_score.tolist(), strict=True)
    stack = [([v], score) for v, score in begin]
    while stack:
        path, score = stack.pop()
        if path[-1] in ends:
            yield path, score + ends[path[-1]]
        stack += [([*path, v], score + more) for v, more in after.get(path[-1], ())]


def described(built):
    return sorted(
        (
            [built.lattice.labels[v] for v in path],
            built.word[path].tolist(),
            built.place[path].tolist(),
            round(score, 9),
            [way for arc in itertools.pairwise(path) for way in built.taken.get(arc, ())],
        )
        for path, score in paths(built)
    )


TEXTS = [("hh ih",), ("iy m", "hh ih"), ("ih n", "dh ax/dh iy")]


@pytest.mark.parametrize("texts", TEXTS)
def test_entries_begin_their_word_on_every_path(model, texts):
    built = built_of(model, *texts)
    split, entries = with_own_entries(built, range(len(texts)))
    assert split.lattice.n_nodes > built.lattice.n_nodes  # else nothing is tested
    assert described(split) == described(built)
    for path, _ in paths(split):
        words = split.word[path].tolist()
        for i, (node, word) in enumerate(zip(path, words, strict=True)):
            first = word >= 0 and word not in words[:i]
            assert (node in entries) == first
            if first:
                assert entries[node] == word


@pytest.mark.parametrize("seed", range(6))
def test_windows_of_entries_equal_enumeration(model, seed):
    """The best path among all whose words begin when they must, and their best timing."""
    built = built_of(model, "hh ih")
    split, entries = with_own_entries(built, [0])
    rng, n_frames, n = np.random.default_rng(seed), 7, split.lattice.n_nodes
    scores = {label: rng.normal(size=n_frames) for label in split.lattice.labels}
    table = np.array([scores[label] for label in split.lattice.labels])
    windows = np.tile([0, n_frames], (n, 1))
    at = int(rng.integers(1, 5))
    windows[list(entries)] = at, at + 1
    found = decode_lattice(Potentials(table, n_frames), split.lattice, windows=windows)
    best = -np.inf
    for path, fixed in paths(built):
        word = built.word[path].tolist().index(0)
        for y in itertools.combinations(range(n_frames), len(path)):
            if y[word] == at:
                own = [scores[built.lattice.labels[v]][t] for v, t in zip(path, y, strict=True)]
                best = max(best, fixed + sum(own))
    assert found.score == pytest.approx(best)


# Recordings -------------------------------------------------------------------------------------


def test_known_words_begin_exactly_then(aligned):
    free = starts(aligned(KIWI, TEXT))
    known = {0: free[0] + 0.0031, 3: free[3] + 0.0137, 9: free[9] - 0.0207}
    found = aligned(KIWI, TEXT, anchors=known)
    begun = starts(found)
    assert {i: begun[i] for i in known} == known
    for i in set(range(len(free))) - set(known):
        assert begun[i] == pytest.approx(free[i], abs=0.005)
    phones = found.phones.onsets.tolist()
    assert all(t in phones for t in known.values())  # words begin with their first phones


def test_within_utterances_times_are_exact_too(aligned):
    said = [Utterance(TEXT[:41], 0.11, 3.01), Utterance(TEXT[42:], 3.07, 4.7)]
    known = {1: 0.2717, 10: 3.6071}
    begun = starts(aligned(KIWI, said, anchors=known))
    assert {i: begun[i] for i in known} == known


def test_a_tolerance_for_words(aligned):
    free = starts(aligned(KIWI, TEXT))
    found = aligned(KIWI, TEXT, anchors=Anchors({3: free[3] + 0.04}, tolerance=0.03))
    assert free[3] + 0.01 - 1e-9 <= starts(found)[3] <= free[3] + 0.03


def row(*cells):
    return AnchorTable((AnchorRow(*cells),), "a.csv")


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        ({2: 99.0}, r"kiwi.flac: word 3 \('brown'\) cannot begin at 99.000 s"),
        ({99: 1.0}, r"kiwi.flac: event 100 cannot begin at 1.000 s: there are 13 of them"),
        ({2: 2.0, 3: 1.0}, r"word 4 \('fox'\) .* word 3 \('brown'\), which is before it"),
        ({3: 0.01}, r"kiwi.flac: word 4 \('fox'\) .* no room for what comes before it"),
        (row(0.01, "FOX", None, 3), r"^a.csv, line 3: word 4 \('fox'\) .* at 0.010 s: .* before"),
        (row(4.898, "fox", None, 3), r"^a.csv, line 3: word 4 \('fox'\) .* behind it"),
        (row(1.0, "a", None, 3), r"^a.csv, line 3: 'a' .* number 1 or number 11 .* `index`"),
        (row(1.0, "wolf", None, 3), r"^a.csv, line 3: 'wolf' .* none of the 13"),
    ],
)
def test_impossible_times_of_words_are_named(aligned, anchors, message):
    with pytest.raises(DataError, match=message):
        aligned(KIWI, TEXT, anchors=anchors)


def test_a_word_outside_of_its_utterance_is_named(aligned):
    said = [Utterance(TEXT[:41], 0.11, 3.01), Utterance(TEXT[42:], 3.07, 4.7)]
    message = r"word 11 \('a'\) cannot begin at 2.900 s: its utterance lasts from 3.070 to 4.700 s"
    with pytest.raises(DataError, match=message):
        aligned(KIWI, said, anchors={10: 2.9})
    with pytest.raises(
        DataError, match=r"word 12 \('kiwi'\) cannot begin at 3.071 s: there is no"
    ):
        aligned(KIWI, said, anchors={11: 3.071})
    both = [Utterance("a fox", 0.1, 1.0, "Ann"), Utterance("a dog", 1.5, 2.0, "Bob")]
    with pytest.raises(DataError, match="anchors are for one speaker"):
        aligned(KIWI, both, anchors={1: 0.5})


# Slack ------------------------------------------------------------------------------------------


def test_slack_finds_speech_outside_of_sloppy_utterances(aligned):
    whole = starts(aligned(KIWI, TEXT))
    said = [Utterance(TEXT[:41], 0.3, 2.6), Utterance(TEXT[42:], 3.45, 4.4)]
    tight, loose = aligned(KIWI, said), aligned(KIWI, said, slack=0.4)
    assert abs(starts(tight)[0] - whole[0]) > 0.1
    near = [0, 1, 8, 9, 10, 11, 12]  # words next to an edge that is wrong
    assert np.abs(np.subtract(starts(loose), whole))[near].max() < 0.02
    end = loose.words.intervals[loose.words.labels.index("watches"), 1]
    assert end > 4.4  # behind its interval
    exact = aligned(KIWI, said, slack=0.4, anchors={9: 3.3411})
    assert starts(exact)[9] == 3.3411


def test_utterances_with_slack_do_not_overlap(aligned):
    said = [Utterance(TEXT[:41], 0.1, 2.95), Utterance(TEXT[42:], 2.95, 4.8)]
    found = aligned(KIWI, said, slack=1.0)
    assert (np.diff(found.phones.onsets) > 0).all()
    assert len(starts(found)) == 13
    # Cut to its interval the sound has another mean, and what is nearly as good may be better.
    known = np.array([starts(aligned(KIWI, one))[:9] for one in (TEXT, said)])
    assert np.abs(starts(found)[:9] - known).min(axis=0).max() < 0.02


def test_sloppy_utterances_may_end_beyond_the_recording(aligned):
    said = [Utterance(TEXT, 0.2, 5.1)]
    with pytest.raises(DataError, match=r"lies beyond the end of the recording \(4.900 s\)"):
        aligned(KIWI, said)
    assert starts(aligned(KIWI, said, slack=0.3))[0] == pytest.approx(0.166, abs=0.02)


@pytest.mark.parametrize("slack", [-0.1, np.inf, np.nan])
def test_wrong_slack(aligned, slack):
    with pytest.raises(ParameterError, match="slack="):
        aligned(KIWI, TEXT, slack=slack)


# Time -------------------------------------------------------------------------------------------


def test_correcting_a_sentence_needs_no_network_again(aligned, monkeypatch):
    samples, rate = read_audio(KIWI, 16000)
    sentence, text = samples[: 3 * rate], TEXT[:41]
    asked = []
    inputs = NetworkConfidence._inputs
    monkeypatch.setattr(
        NetworkConfidence,
        "_inputs",
        lambda self, signal, *rest: asked.append(signal) or inputs(self, signal, *rest),
    )
    first = aligned(sentence, text, rate=rate)
    assert asked
    times = []
    for step in range(5):
        begin = time.perf_counter()
        found = aligned(sentence, text, rate=rate, anchors={3: starts(first)[3] + 0.002 * step})
        times.append(time.perf_counter() - begin)
        assert len({id(signal) for signal in asked}) == 1
        assert starts(found)[3] == starts(first)[3] + 0.002 * step
    assert min(times) < 1.0  # 0.06 s where nothing else runs
