"""The order gap: by how much the sounds of a text fit better in their order than in others."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest
import soundfile

import align
from align.errors import ModelError
from align.features import NetworkConfidence, Signal
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.speech.match import Evidence, MatchModel, evidence_of, fitted_match
from align.speech.mismatches import Candidate
from align.speech.orders import Coarse, SumsOf, best_scores, order_gap, other_orders
from align.speech.second_scores import SecondSums
from align.terms import SegmentTerm, Term
from align.types import Event, Float64

KIWI = str(files("align.data") / "kiwi.flac")
WORDS = (
    "sil ax k w ih k b r aw n f aa k s jh ah m p s ow v er dh ax l ey z iy d aa g sil "
    "w ay l ax k iy w iy w aa ch ih z sil"
).split()


@pytest.fixture(scope="module")
def english() -> align.SpeechAligner:
    model = align.load("speech-en")
    assert isinstance(model, align.SpeechAligner)
    return model


def slow_score(table: Coarse, order: list[int], silent: list[bool]) -> float:
    """Return the score of the best of all paths, each of which is tried."""
    n_frames, longest = table.prefix.shape[1] - 1, table.length.shape[1] - 1
    best = -np.inf
    for inner in combinations(range(1, n_frames), len(order) - 1):
        edges = [0, *inner, n_frames]
        score = 0.0
        for k, event in enumerate(order):
            start, end = edges[k], edges[k + 1]
            score += table.prefix[event, end] - table.prefix[event, start]
            if k:
                score += table.onset[table.onset_row[order[k - 1], event], start]
            if not silent[k]:
                behind = order[k + 1] if k + 1 < len(order) else event
                score += table.length[table.length_row[event, behind], min(end - start, longest)]
        best = max(best, score)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_best_paths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_events, n_frames, n_rows = 3, 9, 4
    frames = rng.normal(size=(n_events, n_frames))
    table = Coarse(
        np.concatenate([np.zeros((n_events, 1)), np.cumsum(frames, axis=1)], axis=1),
        rng.normal(size=(n_rows, n_frames)),
        rng.integers(n_rows, size=(n_events, n_events)),
        rng.normal(size=(n_rows, 4)),
        rng.integers(n_rows, size=(n_events, n_events)),
    )
    orders = np.array([[0, 1, 2, 0], [0, 2, 1, 0]])
    silent = np.array([True, False, False, seed % 2 == 0])
    slow = [slow_score(table, order, silent.tolist()) for order in orders.tolist()]
    np.testing.assert_allclose(best_scores(table, orders, silent), slow)
    crowded = np.zeros((1, n_frames + 1), dtype=np.intp)  # more events than frames
    assert best_scores(table, crowded, np.zeros(n_frames + 1, dtype=bool))[0] == -np.inf


def test_orders_leave_silences_and_keep_closures_before_their_stops() -> None:
    own = np.array([9, 1, 2, 3, 9, 4, 5, 9])
    silent = own == 9
    joined = own == 2  # the closure of 3
    found = other_orders(own, silent, joined, 30, np.random.default_rng(0))
    assert len(found) == 30
    for order in found.tolist():
        assert [k for k, e in enumerate(order) if e == 9] == [0, 4, 7]
        sounds = [e for e in order if e != 9]
        assert sorted(sounds) == [1, 2, 3, 4, 5]
        assert sounds.index(3) == sounds.index(2) + 1
        assert order != own.tolist()
    one = np.array([9, 1, 1, 9])
    assert len(other_orders(one, one == 9, one < 0, 5, np.random.default_rng(0))) == 0


def test_a_right_text_beats_its_orders_and_a_wrong_one_does_not(
    english: align.SpeechAligner,
) -> None:
    signal = english._signal(KIWI, None, KIWI)

    def gap(phones: list[str]) -> float:
        events = english._expand(tuple(phones))[0]
        found = Candidate(english, Extended(signal, signal), events, english.features_).order_gap()
        assert found is not None
        return found / np.sqrt(len(events))

    assert gap(WORDS) > 5
    assert abs(gap(WORDS[::-1])) < 2
    assert gap(WORDS) == gap(WORDS)


def test_both_scorers_are_asked_where_a_match_says_so(english: align.SpeechAligner) -> None:
    signal = english._signal(KIWI, None, KIWI)
    given = [word for word in WORDS if word != "sil"]

    def gap(phones: list[str], **options: bool) -> float:
        extended, events = Extended(signal, signal), english._expand(tuple(phones))[0]
        found = Candidate(english, extended, events, english.features_).order_gap(**options)
        assert found is not None
        return found / len(phones)

    assert gap(given, both_scorers=True) != gap(given, both_scorers=False) == gap(given)
    assert gap(given, both_scorers=True) == pytest.approx(gap(given), rel=0.25)  # about as large
    unknown = ["spn", *given]  # what it does not know is in the same place in all orders
    assert gap(unknown, both_scorers=True) != gap(unknown)
    assert gap(given[::-1], both_scorers=True) < 0.2 * gap(given)


def test_scores_of_a_second_scorer_are_added() -> None:
    """Two sounds, and second scores of the order in which they were said."""
    signal = Signal(np.zeros(1600, dtype=np.float32), 16000, 0.005)
    heard, flags = Extended(signal, signal), np.zeros(2, dtype=bool)
    asked = []

    class Deaf(NetworkConfidence):
        def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
            rows = np.zeros(len(events), dtype=np.intp)
            return {"deaf": SegmentTerm.from_frames(np.zeros((1, signal.n_frames)), rows)}

    def scorer(labels: Sequence[str], seconds: Float64) -> SecondSums:
        asked.append((labels, seconds))
        late = np.maximum(seconds - 0.045, 0.0) * 200
        return SecondSums(np.stack([late - 200 * seconds, -late]), 0.5)

    def gap(events: list[str], scorer: SumsOf | None) -> float | None:
        return order_gap([Deaf()], {"deaf": 1.0}, heard, events, flags, flags, scorer)

    assert gap(["b", "a"], None) == 0.0
    # in the other order all but one of the seven coarse frames sound like what was not said
    found = gap(["b", "a"], scorer)
    assert found is not None
    assert found > 0
    assert gap(["a", "b"], scorer) == -found
    labels, seconds = asked[0]
    assert labels == ["a", "b"]
    np.testing.assert_allclose(seconds, [0, 0.015, 0.03, 0.045, 0.06, 0.075, 0.09, 0.1])


def test_no_order_is_heard_in_pauses_that_were_added(english: align.SpeechAligner) -> None:
    """There a stop that comes first in another order would have its closure."""
    samples, rate = soundfile.read(KIWI)
    word = english._signal(samples[round(1.35 * rate) : round(1.80 * rate)], rate, "jumps")
    heard = english._with_outer_pauses(word)
    assert heard.before > 0
    assert heard.after > 0
    events = english._expand(("jh", "ah", "m", "p", "s"))[0]
    found = Candidate(english, heard, events, english.features_).order_gap()
    assert found is not None
    assert found > 3

    class Loud(NetworkConfidence):
        """Scores one sound, and that only in what was added."""

        def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
            scores = np.full((2, heard.signal.n_frames), 50.0)
            scores[:, slice(*heard.span)] = scores[1] = 0.0
            rows = np.array([int(event != "m") for event in events])
            return {"loud": SegmentTerm.from_frames(scores, rows)}

    silent = english._free(events)
    gap = order_gap([Loud()], {"loud": 1.0}, heard, events, silent, np.zeros_like(silent))
    assert gap == 0.0


def dial_tone(seconds: float) -> Float64:
    """Return two tones, which repeat themselves as a voice does."""
    t = np.arange(round(16000 * seconds)) / 16000
    return np.asarray(0.1 * (np.sin(2 * np.pi * 350 * t) + np.sin(2 * np.pi * 440 * t)))


def test_no_order_is_heard_in_a_noise(english: align.SpeechAligner) -> None:
    """A pause that was added goes on in what a telephone puts in front of a word."""
    samples, rate = soundfile.read(KIWI)
    word = samples[round(1.35 * rate) : round(1.80 * rate)]
    events = english._expand(("jh", "ah", "m", "p", "s"))[0]

    def gap(sound: Float64, noises: list[tuple[int, int]]) -> float:
        heard = english._with_outer_pauses(english._signal(sound, rate, "jumps"))
        assert heard.before > 0
        candidate = Candidate(english, heard, events, english.features_)
        found = candidate.order_gap(noises=np.array(noises, dtype=np.intp).reshape(-1, 2))
        assert found is not None
        return found

    alone, tone = gap(word, []), dial_tone(0.8)
    n = round(0.8 / english._frame_length())
    end = round((0.8 + len(word) / rate) / english._frame_length())
    assert gap(np.concatenate([tone, word]), []) < 0
    assert gap(np.concatenate([tone, word]), [(0, n)]) > 0.9 * alone
    assert gap(np.concatenate([word, tone]), [(end - n, end)]) > 0.8 * alone


def test_what_lies_in_a_noise_is_known(english: align.SpeechAligner) -> None:
    samples, rate = soundfile.read(KIWI)
    tone, hop = dial_tone(0.8), english._frame_length()
    signal = english._signal(np.concatenate([tone, samples]), rate, KIWI)
    right = [0.0, *(english.align(KIWI, WORDS).onsets[1:] + 0.8)]

    def asked(events: list[str], times: list[float]) -> tuple[list[int], list[int]]:
        onsets = np.round(np.array(times) / hop).astype(np.intp)
        candidate = Candidate(english, Extended(signal, signal), tuple(events), english.features_)
        terms = terms_of(english.features_, signal, tuple(events))
        found = evidence_of(terms, onsets, candidate.extended, english._free(events))
        assert found is not None
        pauses, sounds = candidate.other_sounds(found, onsets)
        return pauses.tolist(), sounds.tolist()

    assert asked(WORDS, right) == ([0], [])
    lost = ["sil", "ax", *WORDS[:1], *WORDS[2:]]  # the first sound lies in the telephone
    assert asked(lost, [0.0, 0.3, 0.6, *right[2:]]) == ([0], [1])


def test_no_other_order_and_no_room(english: align.SpeechAligner) -> None:
    signal = english._signal(KIWI, None, KIWI)
    heard = Extended(signal, signal)

    def gap(events: list[str]) -> float | None:
        return Candidate(english, heard, tuple(events), english.features_).order_gap()

    assert gap(["sil", "iy", "sil"]) is None
    assert gap(["sil", "iy", "iy", "sil"]) is None
    assert gap(["iy", "w"] * signal.n_frames) is None
    assert gap(["sil"]) is None
    noisy = english._signal(signal.samples[8000:16000], 16000, KIWI)
    heard = english._with_outer_pauses(noisy)
    assert heard.before
    assert gap(["sil"]) is None  # all of it is in the pause that was added
    flags = np.zeros(3, dtype=bool)
    assert order_gap([], {}, heard, ["a", "b", "a"] * 10**6, *[flags] * 2) is None  # too much work


def evidence(gap: float | None, n: int, level: float = -2.0) -> Evidence:
    parts, frames = np.full((n, 4), level), np.full(n, 10)
    sounds = np.ones(n, dtype=bool)
    return Evidence(parts, np.full(n, -0.5), frames, sounds, 0.01, order_gap=gap)


def test_a_match_learns_what_orders_say_and_of_few_sounds_more_is_let_pass() -> None:
    rng = np.random.default_rng(0)
    sizes = [*[30] * 30, *[4, 6, 8] * 10]

    def some(gap: float, spread: float) -> list[Evidence]:
        return [
            evidence(gap * n + spread * np.sqrt(n) * x, n, -2.0 + 0.1 * y)
            for n, (x, y) in zip(sizes, rng.normal(size=(len(sizes), 2)), strict=True)
        ]

    right, wrong = some(1.0, 0.7), some(0.0, 0.7)
    model = fitted_match(right, wrong, some(0.5, 0.7), some(0.0, 0.7))
    assert model.asks_orders
    assert model.weights.shape == (2, 15)
    assert (model.weights[:, 1:9] >= 0).all()
    assert model.usual_gap == pytest.approx(1.0, abs=0.1)
    assert model.for_few is not None
    assert model.border_of(5) < model.border_of(30) == model.border
    again = MatchModel.from_state(model.get_state())
    before = model.get_state()
    assert again.get_state() == before
    assert not again.orders_by_both_scorers  # nor those of before
    both = replace(model, orders_by_both_scorers=True).get_state()
    assert MatchModel.from_state(both).get_state() == both != before
    with pytest.raises(ModelError, match="must be true or false"):
        MatchModel.from_state({**before, "orders_by_both_ears": 1})
    matches = [[model.of_recording(e) for e in kind[:30]] for kind in (right, wrong)]
    assert np.mean(np.array(matches[0])[:, None] > matches[1]) > 0.99
    unknown = replace(right[0], order_gap=None)
    assert model.of_recording(unknown) > model.border  # as is usual


def test_the_border_is_not_decided_by_a_few_texts() -> None:
    """It lies between right and wrong ones, and hardly moves with which of them were drawn."""
    borders, spreads = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)

        def some(gap: float, rng: np.random.Generator = rng) -> list[Evidence]:
            return [
                replace(evidence(30 * gap + 8 * x, 30), source=("abcde"[n % 5], n))
                for n, x in enumerate(rng.normal(size=60))
            ]

        model = fitted_match(some(1.0), some(-0.2), some(0.2), some(0.0))
        assert model.spread is not None
        borders.append(np.log(model.border / (1 - model.border)))
        spreads.append(model.spread)
        assert MatchModel.from_state(model.get_state()).spread == model.spread
    assert np.std(borders) < 0.3
    assert max(spreads) < 0.6


def test_a_border_is_set_on_speakers_that_were_not_learned_from() -> None:
    """A speaker whose right texts look wrong lowers the border, though functions could fit him."""
    rng = np.random.default_rng(0)

    def some(gap: float, worse: float) -> list[Evidence]:
        return [
            replace(
                evidence(30 * gap + 5 * x - worse * (n % 4 == 0), 30), source=("abcd"[n % 4], n)
            )
            for n, x in enumerate(rng.normal(size=80))
        ]

    wrong, half = some(-0.5, 0.0), some(0.0, 0.0)
    like, unlike = (
        fitted_match(some(1.0, worse), wrong, half, some(0.0, 0.0)) for worse in (0.0, 12.0)
    )
    below = [m.border for m in (like, unlike)]
    assert below[1] < below[0]


def test_half_a_text_shows_by_what_wrong_texts_do_not_show() -> None:
    """One function for both would ask right texts for what only halves lack."""
    rng = np.random.default_rng(0)

    def some(gap: float, hidden: float) -> list[Evidence]:
        every = [
            evidence(30 * gap + 4 * x, 30, -2.0 + 0.1 * y) for x, y in rng.normal(size=(40, 2))
        ]
        for one in every:
            one.parts[-1, 0], one.sounds[-1] = hidden * rng.random(), False
        return every

    right, wrong, half = some(1.0, -1.0), some(0.0, -1.0), some(1.0, -90.0)
    model = fitted_match(right, wrong, half, some(0.0, -1.0))
    of_wrong, of_half = model.weights[:, 1:]
    assert of_half[10] > of_wrong[10]  # hidden speech
    assert of_half[7] < of_wrong[7]  # the order gap
    matches = [np.array([model.of_recording(e) for e in kind]) for kind in (right, wrong, half)]
    assert [(m < model.border).mean() > 0.7 for m in matches] == [False, True, True]
    assert (matches[0] < model.border).mean() < 0.05


@pytest.mark.parametrize("size", [7, 11])
def test_models_of_before_keep_their_match(size: int) -> None:
    state = MatchModel(np.arange(size) - 5.0, np.ones(4), -2.0, 0.3, 1.0).get_state()
    model, own = MatchModel.from_state(state), evidence(25.0, 30)
    assert model.asks_orders == (size == 11)
    numbers = np.concatenate([own.whole(), own.against_orders(1.0), [own.sureness()]])
    odds = -5.0 + (np.arange(size - 1) - 4.0) @ numbers[: size - 1]
    sure = 3.0 * (own.sureness() + 2.0) / 0.5
    assert model.of_recording(own) == pytest.approx(1 / (1 + np.exp(-min(odds, sure))))


def test_what_is_known_for_few_is_checked() -> None:
    from align.errors import ModelError

    state = MatchModel(np.ones(11), np.ones(4), -2.0, 0.3, 1.0, 5.0).get_state()
    assert MatchModel.from_state(state).for_few == 5.0
    with pytest.raises(ModelError, match="incomplete"):
        MatchModel.from_state({**state, "for_few": "many"})
    with pytest.raises(ModelError, match="finite"):
        MatchModel.from_state({**state, "usual_gap": float("nan")})
