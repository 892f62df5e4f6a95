"""Lattices of long recordings: windows around a guess, and what they find without them."""

import itertools

import numpy as np
import pytest

import align
from align.decoders import Lattice, decode_lattice
from align.errors import DataError, ParameterError
from align.features.sound.audio import read_audio
from align.potentials import Potentials
from align.sequence.lattice import long_lattice
from align.sequence.lattice.long_lattice import (
    Guess,
    decode_in_windows,
    fullest_path,
    node_windows,
)
from align.speech.text import align_text

WORDS = [["sil"]], [["a", "b"], ["c"]], [["sil"], []], [["d"], ["e", "f", "g"]], [["sil"]]


def every_path(lattice):
    follows = {u: [] for u in range(lattice.n_nodes)}
    for u, v in lattice.arcs.tolist():
        follows[u].append(v)
    stack = [[u] for u in lattice.starts.tolist()]
    while stack:
        path = stack.pop()
        if path[-1] in lattice.ends:
            yield path
        stack += [[*path, v] for v in follows[path[-1]]]


def random_lattice(rng):
    slots, scores = [], []
    for _ in range(rng.integers(1, 5)):
        slot = [["x"] * n for n in rng.choice(4, rng.integers(1, 4), replace=False)]
        slots.append([["y"]] if slot == [[]] else slot)
        scores.append(rng.choice([0.0, 0.0, -1.0], len(slots[-1])).tolist())
    return Lattice.from_alternatives([[["x"]], *slots], scores=[[0.0], *scores])


def score_of(lattice, path):
    arcs = dict(zip(map(tuple, lattice.arcs.tolist()), lattice.arc_score, strict=True))
    start = dict(zip(lattice.starts.tolist(), lattice.start_score, strict=True))
    end = dict(zip(lattice.ends.tolist(), lattice.end_score, strict=True))
    return start[path[0]] + sum(arcs[p] for p in itertools.pairwise(path)) + end[path[-1]]


def test_the_fullest_path_is_one_of_the_best():
    rng = np.random.default_rng(0)
    for _ in range(100):
        lattice = random_lattice(rng)
        rank = {tuple(p): (score_of(lattice, p), len(p)) for p in every_path(lattice)}
        assert rank[tuple(fullest_path(lattice).tolist())] == max(rank.values())


def test_windows_lie_between_what_comes_before_and_after():
    lattice = Lattice.from_alternatives(WORDS)
    assert lattice.labels == ("sil", "a", "b", "c", "sil", "d", "e", "f", "g", "sil")
    guess = Guess(np.array([0, 1, 2, 5, 9]), np.array([0, 20, 30, 50, 70]))
    windows = node_windows(lattice, guess, 80, np.full(10, 4))
    assert windows[[1, 2, 5]].tolist() == [[16, 25], [26, 35], [46, 55]]
    assert windows[3].tolist() == [0, 55]  # after sil at 0, before d at 50
    assert windows[4].tolist() == [26, 55]  # after b, before d
    assert windows[6:9].tolist() == [[26, 75]] * 3  # after b, before sil at 70
    assert windows[[0, 9]].tolist() == [[0, 5], [66, 75]]


def long_problem(rng, n_words=12, n_frames=400):
    """Words in two variants and pauses, one path of which has a peak where each node begins."""
    slots = [[["w"] * n for n in (2, 3)] for _ in range(n_words)]
    slots = [s for slot in slots for s in (slot, [["p"], []])]
    lattice = Lattice.from_alternatives(slots[:-1])
    duration = -((np.arange(n_frames + 1) - 12.0) ** 2)[None] / 20
    onset = rng.normal(size=(lattice.n_nodes, n_frames)) * 3
    walk = [int(lattice.starts[rng.integers(2)])]
    while walk[-1] not in lattice.ends:
        walk.append(int(rng.choice(lattice.arcs[lattice.arcs[:, 0] == walk[-1], 1])))
    truth = np.linspace(0, n_frames - 8, len(walk)).astype(int)
    onset[walk, truth] += 15
    rows = np.zeros(lattice.n_nodes, dtype=int)
    return lattice, Potentials(onset, n_frames, duration=duration, duration_row=rows)


@pytest.mark.parametrize("reach", [20, 60, 400])
def test_windows_find_what_no_windows_find(reach):
    rng = np.random.default_rng(reach)
    for _ in range(5):
        lattice, potentials = long_problem(rng)
        exact = decode_lattice(potentials, lattice)
        path = fullest_path(lattice)
        guess = Guess(path, np.linspace(0, 390, path.size).astype(int))
        found, windows = decode_in_windows(
            lambda w, p=potentials, g=lattice: decode_lattice(p, g, windows=w),
            lattice,
            guess,
            400,
            reach,
        )
        assert found.score == exact.score
        assert found.onsets.tolist() == exact.onsets.tolist()
        first, stop = windows[found.nodes].T
        assert ((found.onsets > first) | (first == 0)).all()
        assert ((found.onsets < stop - 1) | (stop == 400)).all()
        assert np.diff(windows).sum() < lattice.n_nodes * 400 or reach == 400


def test_a_guess_that_is_far_off_is_left():
    """The guess has all words in the first tenth of the recording."""
    lattice, potentials = long_problem(np.random.default_rng(5))
    exact = decode_lattice(potentials, lattice)
    path = fullest_path(lattice)
    found, _ = decode_in_windows(
        lambda w: decode_lattice(potentials, lattice, windows=w),
        lattice,
        Guess(path, np.arange(path.size)),
        400,
        4,
    )
    assert found.score == exact.score
    assert found.nodes.tolist() == exact.nodes.tolist()


def test_the_score_never_falls_from_round_to_round():
    lattice, potentials = long_problem(np.random.default_rng(6))
    scores = []

    def decode(windows):
        found = decode_lattice(potentials, lattice, windows=windows)
        scores.append(found.score)
        return found

    path = fullest_path(lattice)
    decode_in_windows(decode, lattice, Guess(path, np.arange(path.size) * 5), 400, 4)
    assert len(scores) > 2
    assert (np.diff(scores) >= 0).all()


def test_windows_have_bounds(monkeypatch):
    lattice, potentials = long_problem(np.random.default_rng(7))
    path = fullest_path(lattice)
    guess = Guess(path, np.arange(path.size))
    monkeypatch.setattr(long_lattice, "_MOST_CELLS", 2000)
    with pytest.raises(ParameterError, match=r"nodes in 400 frames are too much .* cut the rec"):
        decode_in_windows(
            lambda w: decode_lattice(potentials, lattice, windows=w), lattice, guess, 400, 4
        )
    monkeypatch.undo()
    hopeless = Potentials(potentials.onset - np.inf, 400)
    with pytest.raises(ParameterError, match="no path of the lattice can be timed"):
        decode_in_windows(
            lambda w: decode_lattice(hopeless, lattice, windows=w), lattice, guess, 400, 4
        )


# Speech -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def speech():
    model = align.load("speech-en")
    model.sound_classifier_, model.realisations_ = None, None  # windows are what is tested
    return model


@pytest.fixture(scope="module")
def several(timit_sample):
    """Four sentences one after the other, a pause of five seconds in the middle, and the text."""
    files = sorted(timit_sample.rglob("*.wav"))[:4]
    parts = [read_audio(str(f), 16000)[0] for f in files]
    text = [" ".join(f.with_suffix(".txt").read_text().split()[2:]) for f in files]
    noise = np.random.default_rng(0).normal(scale=1e-4, size=5 * 16000).astype(np.float32)
    return np.concatenate([*parts[:2], noise, *parts[2:]]), " ".join(text)


def same(found, expected):
    assert found.words.labels == expected.words.labels
    assert found.phones.labels == expected.phones.labels
    np.testing.assert_allclose(found.phones.onsets, expected.phones.onsets, atol=1e-9)
    np.testing.assert_allclose(found.phones.confidence, expected.phones.confidence, atol=1e-6)


@pytest.mark.parametrize("reach", [1.5, 0.1])
def test_text_in_windows_is_text_without(speech, several, monkeypatch, reach):
    """Narrow windows are widened until they do not matter."""
    samples, text = several
    expected = align_text(speech, samples, text, rate=16000, trust=True)
    asked = []
    real = align.sequence.lattice_paths.decode_in_windows
    monkeypatch.setattr(
        "align.sequence.lattice_paths.decode_in_windows",
        lambda *a: asked.append(a) or real(*a),
    )
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_CELLS", 1000)
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_REACH", reach)
    same(align_text(speech, samples, text, rate=16000, trust=True), expected)
    assert asked


def test_too_much_at_once_is_refused(speech, several, monkeypatch):
    samples, text = several
    monkeypatch.setattr("align.sequence.lattice_paths.LATTICE_CELLS", 1000)
    monkeypatch.setattr(long_lattice, "_MOST_CELLS", 1000)
    with pytest.raises(DataError, match=r"recording: .* are too much to align at once; cut the"):
        align_text(speech, samples, text, rate=16000)
