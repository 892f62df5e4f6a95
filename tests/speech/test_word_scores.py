"""What a second scorer says of words: every path of tiny texts by enumeration, and real speech."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI, WORDS

import align
from align.features.phones.monophones import HOP, english_phone
from align.features.phones.triphones import States
from align.features.sound.signal import Signal
from align.formats.files import read_tiers
from align.speech import word_scores as module
from align.speech.word_scores import (
    TextScorer,
    Ways,
    _Sounds,
    _Word,
    can_score_words,
    text_scorer,
    word_scores,
)

SAID = ["quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]
PHONES = {
    **{word: WORDS[word][0].phones for word in WORDS},
    "elephant": "EH L AH F AH N T".split(),
}


def random_states(rng: np.random.Generator, n: int) -> States:
    return States(rng.integers(5, size=n), rng.normal(size=n), rng.normal(size=n))


def random_text(seed: int, monkeypatch: pytest.MonkeyPatch, *, far: bool) -> TextScorer:
    """Return a text of two words in five frames."""
    monkeypatch.setattr(module, "_BEGIN_ELSE", 0.7)
    monkeypatch.setattr(module, "_LEFT_OUT", 1.3)
    rng = np.random.default_rng(seed)
    n_frames = 5
    ways = [[random_states(rng, 2), random_states(rng, 1)], [random_states(rng, 2)]]
    low, high = module._near(np.array([0, 2]), np.array([2, 4]), n_frames, module._NEAR)
    pause, scores = random_states(rng, 1), rng.normal(size=(n_frames, 5)).astype(np.float32)
    sounds = _Sounds(0, scores, pause)
    words = []
    for own, *frames in zip(ways, low, high, strict=True):
        states = States(*map(np.concatenate, zip(*own, strict=True)))
        begins = np.cumsum([0, *(len(way.senones) for way in own)])
        words.append(_Word(states, begins, *frames, sounds))
    return TextScorer(words, n_frames, far)


def passing(text: TextScorer) -> Callable[[int, int, int, int], float]:
    """Return what gives the best score of a way of a word from a frame to another one.

    Word -1 is something else, and -2 a pause.
    """
    _, scores, pause = text.words[0].sounds
    other = States(np.zeros(1, dtype=int), np.zeros(1), np.zeros(1))

    @cache
    def within(way: int, of_word: int, start: int, stop: int) -> float:
        own = {-2: pause, -1: other}.get(of_word)
        if own is None:
            states, begins, *_ = text.words[of_word]
            own = States(*(values[begins[way] : begins[way + 1]] for values in states))
        best = -np.inf
        n = len(own.senones)

        def on(state: int, t: int, score: float) -> None:
            nonlocal best
            score += float(scores[t, own.senones[state]])
            if t + 1 == stop:
                best = max(best, score + own.leave[state]) if state == n - 1 else best
                return
            on(state, t + 1, score + own.stay[state])
            if state + 1 < n:
                on(state + 1, t + 1, score + own.leave[state])

        if stop > start:
            on(0, start, 0.0)
        return best

    return within


def by_enumeration(text: TextScorer, word: int) -> tuple[float, float]:
    """Return the best score of all paths that have a word, and that of those that have not."""
    n_frames, within = text.n_frames, passing(text)

    def best(k: int, t: int, gap: bool, said: bool) -> float:
        """Return the best score from frame `t` on, in front of word `k`."""
        found = -np.inf
        if not gap:
            found = best(k, t, True, said)
            for stop in range(t + 1, n_frames + 1):
                rest = best(k, stop, True, said)
                found = max(found, within(0, -2, t, stop) + rest)
                found = max(found, within(0, -1, t, stop) - module._BEGIN_ELSE + rest)
            return found
        if k == len(text.words):
            return 0.0 if t == n_frames else -np.inf
        if k != word or not said:
            cost = module._LEFT_OUT if k != word else 0.0
            found = best(k + 1, t, False, said) - cost
        if k != word or said:
            for stop in range(t + 1, n_frames + 1):
                for way in range(len(text.words[k].begins) - 1):
                    own = within(way, k, t, stop)
                    if own > -np.inf:
                        found = max(found, own + best(k + 1, stop, False, said))
        return found

    return best(0, 0, False, True), best(0, 0, False, False)


def gap_by_enumeration(text: TextScorer, gap: int, known: Collection[int]) -> tuple[float, float]:
    """Return the best score of all paths with something else in a gap, and of those without it.

    In other gaps there may only be something else if they are `known`.
    """
    n_frames, within = text.n_frames, passing(text)

    @cache
    def best(k: int, t: int, stage: int, other: bool) -> float:
        """Return the best score from frame `t` on, in front of word `k`.

        Stages of a gap: 0 before all, 1 behind a pause, 2 behind something else, 3 behind all.
        """
        found = -np.inf
        if stage < 3:
            here = other if k == gap else k in known
            if stage == 2 or k != gap or not other:  # it is said where it has to be
                found = best(k, t, 3, other)
            for stop in range(t + 1, n_frames + 1):
                if stage in (0, 2):
                    rest = best(k, stop, stage + 1, other)
                    found = max(found, within(0, -2, t, stop) + rest)
                if stage < 2 and here:
                    rest = best(k, stop, 2, other) - module._BEGIN_ELSE
                    found = max(found, within(0, -1, t, stop) + rest)
            return found
        if k == len(text.words):
            return 0.0 if t == n_frames else -np.inf
        found = best(k + 1, t, 0, other) - module._LEFT_OUT
        for stop in range(t + 1, n_frames + 1):
            for way in range(len(text.words[k].begins) - 1):
                own = within(way, k, t, stop)
                if own > -np.inf:
                    found = max(found, own + best(k + 1, stop, 0, other))
        return found

    return best(0, 0, 0, True), best(0, 0, 0, False)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_paths_with_something_else_are_those_of_an_enumeration(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = random_text(seed, monkeypatch, far=True)
    gaps, _ = text.walked()
    every = range(len(text.words) + 1)
    for known in ((), (1,)):
        more = text.said_between(known)
        for gap in {*every} - {*known}:
            said, not_said = gap_by_enumeration(text, gap, known)
            np.testing.assert_allclose(more[gap], said - not_said)
            np.testing.assert_allclose(
                gaps[-1].door[-1], max(gap_by_enumeration(text, gap, every))
            )


@pytest.mark.parametrize("seed", range(4))
def test_words_said_again_score_what_a_text_with_both_does(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = random_text(seed, monkeypatch, far=True)
    words = text.words

    def scored(own: list[_Word]) -> float:
        gaps, _ = replace(text, words=own).walked(())
        return float(gaps[-1].door[-1])

    fit, (first, stop, more) = text.said_again()
    every = {(i, j): scored(words[:j] + words[i:]) for i, j in ((0, 1), (0, 2), (1, 2))}
    np.testing.assert_allclose((fit, more), (scored(words), max(every.values())))
    np.testing.assert_allclose(every[first, stop], more)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_paths_are_those_of_an_enumeration(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = random_text(seed, monkeypatch, far=False)
    with_each, without, frames = text.compared()
    for word in range(len(text.words)):
        expected = by_enumeration(text, word)
        np.testing.assert_allclose((with_each[word], without[word]), expected)
    assert ((frames >= 1) & (frames <= text.n_frames)).all()


def ways_of(words: list[str]) -> list[Ways]:
    return [[[english_phone(p.rstrip("012")) for p in PHONES[word]]] for word in words]


@pytest.fixture(scope="module")
def heard() -> tuple[Signal, np.ndarray, np.ndarray]:
    """The recording in frames of 5 ms, and the frames of its words, roughly."""
    samples, rate = soundfile.read(KIWI, dtype="float32")
    (tier,) = read_tiers(KIWI.replace(".flac", ".TextGrid"))
    times = [own for own, label in zip(tier.times, tier.labels, strict=True) if label != "sil"]
    sizes = np.cumsum([1, *(len(PHONES[word]) for word in SAID)])
    start = np.array([times[k][0] for k in sizes[:-1]])
    stop = np.array([times[k - 1][1] for k in sizes[1:]])
    signal = Signal(samples, rate, 0.5 * HOP)
    return signal, np.rint(start / signal.hop).astype(int), np.rint(stop / signal.hop).astype(int)


def test_a_word_that_was_not_said_is_found_and_its_neighbours_are_not_doubted(
    heard: tuple[Signal, np.ndarray, np.ndarray],
) -> None:
    true = word_scores(heard[0], ways_of(SAID), *heard[1:])
    assert true.min() > -1.5
    for at in (2, 5):
        said = [*SAID[:at], "elephant", *SAID[at + 1 :]]
        found = word_scores(heard[0], ways_of(said), *heard[1:])
        assert found[at] < -3.0
        np.testing.assert_array_less(np.delete(true, at) - 1.5, np.delete(found, at))


def test_where_words_were_placed_need_not_be_right(
    heard: tuple[Signal, np.ndarray, np.ndarray],
) -> None:
    signal, start, stop = heard
    right = word_scores(signal, ways_of(SAID), start, stop)
    np.testing.assert_allclose(word_scores(signal, ways_of(SAID), start + 60, stop + 60), right)


def test_a_long_text_is_heard_piece_by_piece(
    heard: tuple[Signal, np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    signal, start, stop = heard
    ways, sizes = ways_of(SAID), []
    whole = word_scores(signal, ways, start, stop)
    pieces = module.senone_scores
    monkeypatch.setattr(module, "senone_scores", lambda *some: sizes.append(some) or pieces(*some))
    for frames, n_pieces in ((200, 5), (0, 8)):
        monkeypatch.setattr(module, "_AT_ONCE", frames)
        # differences of sums of some hundreds, which are rounded by how many are summed at once
        np.testing.assert_allclose(word_scores(signal, ways, start, stop), whole, atol=1e-5)
        assert len(sizes) == n_pieces
        sizes.clear()
    assert word_scores(signal, [], start[:0], stop[:0]).shape == (0,)


def test_words_of_which_nothing_is_known(heard: tuple[Signal, np.ndarray, np.ndarray]) -> None:
    ways = ways_of(SAID)
    ways[3] = []
    found = word_scores(heard[0], ways, *heard[1:])
    assert found[3] == 0.0
    assert np.delete(found, 3).min() > -1.5


def test_what_is_not_in_the_text_is_heard_in_its_gap(
    heard: tuple[Signal, np.ndarray, np.ndarray],
) -> None:
    signal, *times = heard
    ends = (0, len(SAID))
    assert (
        text_scorer(signal, ways_of(SAID), *times).in_gaps()[[*ends]].min() > 10.0
    )  # there is more at both
    assert text_scorer(signal, ways_of(SAID), *times).in_gaps(ends)[1:-1].max() < 0.0
    for at in (1, 3, 6):
        start, stop = (np.delete(own, at) for own in times)
        left, ends = ways_of(SAID[:at] + SAID[at + 1 :]), (0, len(SAID) - 1)
        more = text_scorer(signal, left, start, stop).in_gaps(ends)
        assert more.argmax() == at
        assert more[at] > 10.0
        more = text_scorer(signal, left, start, stop).in_gaps((*ends, at))  # it was nowhere else
        assert np.delete(more, [*ends, at]).max() < 0.0


def test_words_that_are_said_again_are_heard(heard: tuple[Signal, np.ndarray, np.ndarray]) -> None:
    signal, start, stop = heard
    assert text_scorer(signal, ways_of(SAID), start, stop).again(english=True) is None
    begin, end = (round(k * signal.hop * signal.rate) for k in (start[2], start[4]))
    samples = np.concatenate((signal.samples[:end], signal.samples[begin:]))
    twice = Signal(samples, signal.rate, signal.hop)
    scorer = text_scorer(twice, ways_of(SAID), start, stop + (start[4] - start[2]))
    found = scorer.again(english=True)
    assert found is not None
    assert (found.first, found.stop) == (2, 4)
    assert found.probability > 0.9
    foreign = scorer.again(english=False)  # anything else counts less
    assert foreign is not None
    assert foreign.probability > found.probability


def test_a_text_fits_less_with_a_word_that_was_not_said(
    heard: tuple[Signal, np.ndarray, np.ndarray],
) -> None:
    signal, start, stop = heard
    right = text_scorer(signal, ways_of(SAID), start, stop).fit()
    for at in (2, 5):
        said = [*SAID[:at], "elephant", *SAID[at + 1 :]]
        assert text_scorer(signal, ways_of(said), start, stop).fit() < right - 10.0


def test_a_model_asks_in_its_labels(heard: tuple[Signal, np.ndarray, np.ndarray]) -> None:
    model = align.load("speech-en")
    assert isinstance(model, align.SpeechAligner)
    signal, start, stop = heard
    labels = [[[p.rstrip("012").lower() for p in PHONES[word]]] for word in SAID]
    times = np.stack((start, stop), axis=1) * signal.hop
    scorer = model.second_scorer(signal.samples, rate=signal.rate)
    found = scorer.of_words(labels, times)
    np.testing.assert_allclose(found, word_scores(signal, ways_of(SAID), start, stop), rtol=1e-6)
    gaps = scorer.of_gaps(labels, times)
    np.testing.assert_allclose(
        gaps, text_scorer(signal, ways_of(SAID), start, stop).in_gaps(), rtol=1e-4
    )
    whole = scorer.of_text(labels, times)
    assert whole == pytest.approx(text_scorer(signal, ways_of(SAID), start, stop).fit())
    labels[2][0][1] = "sil"
    assert scorer.of_words(labels, times)[2] == 0.0
    assert scorer._columns(["ax", "dx"]) == [english_phone("ah"), english_phone("d")]


def test_in_noise_it_hears_less_and_says_so(
    heard: tuple[Signal, np.ndarray, np.ndarray],
) -> None:
    signal, start, stop = heard
    noise = np.random.default_rng(0).standard_normal(len(signal.samples)).astype(np.float32)
    noise *= np.sqrt(np.mean(np.square(signal.samples)))
    assert can_score_words(signal)
    pauses = np.zeros(signal.rate, dtype=np.float32)
    for part, hears in ((0.1, True), (0.5, False)):
        noisy = signal.samples + part * noise
        assert can_score_words(Signal(noisy, signal.rate, signal.hop)) == hears
        longer = np.concatenate((pauses, noisy, pauses))
        assert can_score_words(Signal(longer, signal.rate, signal.hop)) == hears
    noisy = Signal(signal.samples + 0.1 * noise, signal.rate, signal.hop)
    assert abs(np.median(word_scores(noisy, ways_of(SAID), start, stop))) < 1.0
