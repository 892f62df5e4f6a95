"""What a second scorer says: against sums of single frames, of real speech, and in a match."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI

import align
from align.features.phones.monophones import monophone, monophone_scores, phone_names
from align.features.sound.signal import Signal
from align.formats.files import read_tiers
from align.formats.phone_map import read_phone_map
from align.sequence.extended import Extended
from align.speech.match import Evidence, MatchModel, fitted_match
from align.speech.mismatches import Candidate
from align.speech.second_scores import CLOSURE, PAUSE, second_scores, second_sums

IPA = {"ah": "ə", **read_phone_map("timit_ipa")}


def speech() -> Signal:
    samples, rate = soundfile.read(KIWI, dtype="float32")
    return Signal(samples, rate, 0.005)


def said() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the phones of the recording in the IPA, and their frames."""
    (tier,) = read_tiers(Path(KIWI).with_suffix(".TextGrid"))
    frames = np.rint(np.array(tier.times) / 0.005).astype(np.intp)
    return [IPA[label] for label in tier.labels], frames[:, 0], frames[:, 1]


def test_both_numbers_are_means_over_frames() -> None:
    signal, start, stop = speech(), np.array([80, 90, 130]), np.array([90, 130, 131])
    found = second_scores(signal, ["k", None, "a"], start, stop)
    assert found is not None
    scores = monophone_scores(signal).astype(float)
    scores -= scores.max(axis=1, keepdims=True)
    k, a = monophone("k"), monophone("a")
    first, last = scores[40:45].mean(axis=0), scores[65:66].mean(axis=0)
    expected = [
        [first[k], first[k] - 0.5 * (first[k] + first[a])],
        [np.nan, np.nan],
        [last[a], last[a] - 0.5 * (last[k] + last[a])],
    ]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_what_is_heard_up_to_some_times_are_sums_of_frames() -> None:
    signal, times = speech(), np.array([0.0, 0.4, 0.403, 0.41, 99.0])
    heard = second_sums(signal, ["k", PAUSE, CLOSURE], times)
    assert heard is not None
    assert heard.share == 1.0
    scores = monophone_scores(signal).astype(float)
    scores -= scores.max(axis=1, keepdims=True)
    pauses = [phone_names().index(name) for name in ("SIL", "+NSN+", "+SPN+")]
    stops = [phone_names().index(name) for name in "PTKBDG"]
    frames = np.stack(
        [
            scores[:, monophone("k")],
            scores[:, pauses].max(axis=1),
            scores[:, [pauses[0], *stops]].max(axis=1),
        ]
    )
    expected = [
        np.zeros(3),
        frames[:, :40].sum(axis=1),
        frames[:, :40].sum(axis=1) + 0.3 * frames[:, 40],
        frames[:, :41].sum(axis=1),
        frames.sum(axis=1),
    ]
    np.testing.assert_allclose(heard.sums, np.transpose(expected), rtol=1e-5, atol=1e-4)


def test_it_counts_as_much_as_it_hears() -> None:
    own, rng = speech(), np.random.default_rng(0)
    noise = rng.normal(size=own.samples.size).astype(np.float32)
    level = float(np.sqrt(np.mean(np.square(own.samples))))
    shares = []
    for ratio in (0.01, 0.1, 0.12, 1.0):
        noisy = Signal(own.samples + np.float32(ratio * level) * noise, own.rate, own.hop)
        heard = second_sums(noisy, ["k"], np.array([0.1]))
        shares.append(0.0 if heard is None else heard.share)
    assert shares == sorted(shares, reverse=True)
    assert 1.0 == shares[0] > shares[1] > shares[2] > shares[3] == 0.0
    assert second_sums(own, ["k", "§"], np.array([0.1])) is None


def test_it_tells_what_was_said_from_the_same_sounds_in_another_order() -> None:
    symbols, start, stop = said()
    sounds = np.array([symbol not in ("", "sil") for symbol in symbols])
    symbols = [symbol if own else None for symbol, own in zip(symbols, sounds, strict=True)]
    right = second_scores(speech(), symbols, start, stop)
    order = np.flatnonzero(sounds)
    other = list(symbols)
    for i, j in zip(order, np.random.default_rng(0).permutation(order), strict=True):
        other[i] = symbols[j]
    wrong = second_scores(speech(), other, start, stop)
    assert right is not None
    assert wrong is not None
    assert (right[sounds].mean(axis=0) > wrong[sounds].mean(axis=0) + 0.3).all()


def test_what_is_no_ipa_and_nothing_but_silence_are_not_judged() -> None:
    one = np.array([0]), np.array([20])
    assert second_scores(speech(), ["§"], *one) is None
    assert second_scores(speech(), [None], *one) is None
    assert second_scores(speech(), ["a"], np.array([970]), np.array([970])).shape == (1, 2)


def test_frames_are_those_of_the_recording_itself() -> None:
    """A pause that was put in front does not move what is asked of the second scorer."""
    model = align.load("speech-any")
    own = speech()
    symbols, start, stop = said()
    sounds = np.array([symbol not in ("", "sil") for symbol in symbols])
    evidence = Evidence(
        np.zeros((len(symbols), 4)), np.zeros(len(symbols)), stop - start, sounds, 0.005
    )
    plain = Candidate(model, Extended(own, own), tuple(symbols)).by_second_scorer(evidence, start)
    longer = Extended(own, own, before=40)
    moved = Candidate(model, longer, tuple(symbols)).by_second_scorer(evidence, start + 40)
    np.testing.assert_array_equal(plain.second, moved.second)


def test_it_hears_the_labels_of_an_aligner() -> None:
    """In the IPA, which TIMIT's labels have; silences and closures are no sounds."""
    samples, rate = soundfile.read(KIWI, dtype="float32")
    labels = ("sil", "cl", "t", "ah", "q", "dx", "spn")
    times = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    intervals = np.stack((times[:-1], times[1:]), axis=1)
    english = align.load("speech-en")
    assert isinstance(english, align.SpeechAligner)
    found = english.second_scorer(samples, rate=rate).of_events(labels, intervals)
    assert found is not None
    sounds = np.array([False, False, True, True, False, True, False])
    np.testing.assert_array_equal(np.isnan(found).any(axis=1), ~sounds)
    frames = np.rint(intervals / 0.005).astype(np.intp)
    symbols = [None, None, "t", "ʌ", None, "ɾ", None]
    expected = second_scores(speech(), symbols, *frames.T)
    assert expected is not None
    np.testing.assert_allclose(found[sounds], expected[sounds], atol=1e-5)
    only = english.second_scorer(samples, rate=rate).of_events(labels[:2], intervals[:2])
    assert only is None
    other = align.load("speech-any")
    assert isinstance(other, align.SpeechAligner)
    found = other.second_scorer(samples, rate=rate).of_events(["", "t", "ʌ"], intervals[:3])
    assert found is not None
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1:]).all()


def test_what_it_does_not_know_does_not_silence_it() -> None:
    """Texts of English have closures without a place, which no symbol of the IPA names."""
    model, own = align.load("speech-en"), speech()
    events = ("sil", "cl", "t", "ah")
    start = np.array([0, 40, 60, 80])
    about = Evidence(
        np.zeros((4, 4)), np.zeros(4), np.array([40, 20, 20, 20]), np.arange(4) > 0, 0.005
    )
    found = Candidate(model, Extended(own, own), events).by_second_scorer(about, start)
    heard = found.of_second_scorer()
    assert heard is not None
    assert heard.shape == (2, 2)
    expected = second_scores(own, [None, None, "t", "ʌ"], start, start + about.frames)
    assert expected is not None
    np.testing.assert_allclose(heard, expected[2:])
    mean = heard.mean(axis=0) * np.sqrt(2)
    np.testing.assert_allclose(found.by_second_scorer(np.zeros(2)), mean)
    assert about.of_second_scorer() is None


def evidence(ratio: float, contrast: float, n: int = 30) -> Evidence:
    parts = np.tile([-0.9, -1.7, -1.6, -0.5], (n, 1))
    second = np.tile([ratio, contrast], (n, 1))
    frames, sounds = np.full(n, 10), np.ones(n, dtype=bool)
    return Evidence(parts, np.full(n, -0.5), frames, sounds, 0.01, second=second)


def test_a_match_learns_what_a_second_scorer_says() -> None:
    rng = np.random.default_rng(0)

    def some(ratio: float, contrast: float) -> list[Evidence]:
        return [evidence(ratio + x, contrast + y) for x, y in 0.2 * rng.normal(size=(40, 2))]

    right, wrong, half = some(-1.5, 1.0), some(-3.0, 0.0), some(-2.2, 0.5)
    model = fitted_match(right, wrong, half, some(-3.0, 0.0))
    assert model.uses_second_scorer
    assert model.weights.shape == (2, 15)
    assert (model.weights[:, -2:] >= 0).all()
    np.testing.assert_allclose(model.usual_second, [-1.5, 1.0], atol=0.1)
    assert MatchModel.from_state(model.get_state()).get_state() == model.get_state()
    matches = [[model.of_recording(e) for e in kind] for kind in (right, wrong)]
    assert min(matches[0]) > max(matches[1])
    unknown = replace(right[0], second=None)
    assert model.of_recording(unknown) > model.border  # as is usual


def test_a_model_of_before_does_not_ask_it() -> None:
    weights = np.vstack([np.arange(13.0) / 10] * 2)
    model = MatchModel(weights, np.ones(4), -2.0, 0.3)
    assert not model.uses_second_scorer
    assert "usual_second" not in model.get_state()
    assert model.of_recording(evidence(-1.0, 1.0)) == model.of_recording(evidence(-9.0, 0.0))


def test_what_is_usual_is_checked() -> None:
    state = MatchModel(np.ones((2, 15)), np.ones(4), -2.0, 0.3).get_state()
    for damaged in ([1.0], [1.0, float("nan")], "no"):
        with pytest.raises(align.ModelError):
            MatchModel.from_state({**state, "usual_second": damaged})
