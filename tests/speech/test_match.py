"""The match: high for true transcripts, low for wrong ones, and silent where nothing is known."""

import copy
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile
from synthetic_speech import RATE, random_phones, recording

import align
from align import Example, SpeechAligner
from align.errors import DataError, ModelError
from align.features import DurationFeature, Feature, NetworkConfidence, Signal
from align.features.sound.signal import LongerSignal
from align.files.model_file import read_model, write_model
from align.sequence.extended import Extended
from align.speech.mapped import align_mapped
from align.speech.match import DEFAULTS, Evidence, MatchModel, evidence_of, fitted_match
from align.terms import OnsetTerm, SegmentTerm
from align.types import Float64

NAMES = ("kiwi", "north-wind")
DATA = files("align.data")


def example(seed: int, group: str, n: int = 14) -> Example:
    rng = np.random.default_rng(seed)
    phones = random_phones(rng, n)
    samples, edges = recording(phones, rng)
    times = edges / RATE
    return Example(
        samples.astype(np.float32), phones, times[:-1], end=times[-1], group=group, rate=RATE
    )


def features() -> list[Feature]:
    return [NetworkConfidence(width=8, dilations=(1, 2), epochs=4), DurationFeature()]


def load(path: Path) -> SpeechAligner:
    return align.load(path, features=features())


@pytest.fixture(scope="module")
def model() -> SpeechAligner:
    corpus = [example(i, "abcd"[i % 4]) for i in range(16)]
    return SpeechAligner(features(), epochs=2).fit(corpus)


@pytest.fixture(scope="module")
def english() -> SpeechAligner:
    return align.load("speech-en")


def text_of(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


def audio_of(name: str) -> str:
    return str(DATA / f"{name}.flac")


def test_pauses_that_were_added_say_nothing() -> None:
    own, rng = Signal(np.zeros(30 * 80, np.float32), RATE, 0.005, "own"), np.random.default_rng(0)
    pause = np.zeros(10 * 80, np.float32)
    heard = Extended(own, LongerSignal(own, pause, pause), 10)
    scores, rows = -rng.random((2, 50)), np.array([0, 1, 0])
    onsets, silent = np.array([0, 12, 44]), np.array([True, False, True])

    def found(scores: Float64) -> Evidence:
        phone = SegmentTerm.from_frames(scores, rows, scores.max(axis=0))
        evidence = evidence_of({"network.phone": phone}, onsets, heard, silent)
        assert evidence is not None
        return evidence

    evidence = found(scores)
    assert evidence.frames.tolist() == [2, 28, 0]  # of 30
    best = scores.max(axis=0)
    assert evidence.sureness() == pytest.approx(best[10:40].mean())
    inside = np.append(scores[0, 10:12], scores[1, 12:40]) - best[10:40]
    assert evidence.whole()[1] == pytest.approx(inside.mean())
    scores[:, :10] = scores[:, 40:] = -9.0
    np.testing.assert_allclose(found(scores).whole(), evidence.whole())


def test_what_begins_inside_of_a_sound_is_counted() -> None:
    own = Signal(np.zeros(30 * 80, np.float32), RATE, 0.005, "own")
    pause = np.zeros(10 * 80, np.float32)
    heard = Extended(own, LongerSignal(own, pause, pause), 10)
    rows, silent = np.array([0, 1, 1]), np.array([True, False, False])
    scores = np.full((2, 50), -1.0)
    phone = SegmentTerm.from_frames(scores, rows, scores.max(axis=0))

    def steady(frames: list[int]) -> Float64:
        begins = np.full((1, 50), -20.0)
        begins[0, frames] = np.log(0.9)
        terms = {"network.phone": phone, "network.boundary": OnsetTerm(begins, rows * 0)}
        evidence = evidence_of(terms, np.array([0, 12, 26]), heard, silent)
        assert evidence is not None
        assert evidence.steady is not None
        return evidence.steady

    at_edges = [11, 12, 25, 26, 39]  # the pause that was added ends at 10, the recording at 40
    np.testing.assert_allclose(steady([*at_edges, 3, 45]), 0.0, atol=1e-6)
    found = np.log([1.0, 0.01, 0.1])
    np.testing.assert_allclose(steady([*at_edges, 15, 20, 30]), found, atol=1e-6)
    evidence = evidence_of({"network.phone": phone}, np.array([0, 12, 26]), heard, silent)
    assert evidence is not None
    assert evidence.steady is None


def test_speech_that_passes_for_silence_is_measured_in_seconds() -> None:
    parts = np.array([[-0.5], [-1.0], [-3.0], [-1.0]]) * np.ones(4)
    sounds, steady = np.array([False, True, False, True]), np.array([-9.0, -0.2, -9.0, -0.4])

    def found(frames: list[int]) -> list[float]:
        evidence = Evidence(parts, np.ones(4), np.array(frames), sounds, 0.01, steady=steady)
        return evidence.not_in_text().tolist()

    assert found([40, 10, 20, 10]) == pytest.approx([-0.8, -0.3])  # .4 s of -0.5, .2 s of -3
    assert found([340, 10, 20, 230]) == pytest.approx([-2.3 / 2, -0.3])  # of two blocks of 3 s
    bare = Evidence(parts[:1], np.ones(1), np.array([40]), sounds[:1], 0.01)
    assert bare.not_in_text().tolist() == pytest.approx([-0.2, 0.0])


# Learned in training -----------------------------------------------------------------------------


def test_training_learns_a_match_and_its_border(model: SpeechAligner) -> None:
    assert model.match_ is not None
    border = model.match_.border
    assert 0 < border < 1
    items = [example(100 + i, "z", 20) for i in range(8)]
    right = [model.align(e.audio, e.events, rate=RATE) for e in items]
    wrong = [
        model.align(e.audio, other.events, rate=RATE)
        for e, other in zip(items, items[1:] + items[:1], strict=True)
    ]
    assert min(a.match for a in right) > max(a.match for a in wrong)
    assert all(a.match >= border and not a.warnings for a in right)
    assert all(a.match < border and len(a.warnings) == 1 for a in wrong)
    assert f"match {wrong[0].match:.2f}, border {border:.2f}" in wrong[0].warnings[0]
    assert np.mean([a.event_match.mean() for a in right]) > 0.2 + np.mean(
        [a.event_match.mean() for a in wrong]
    )


def test_white_noise_is_no_recording_of_anything(model: SpeechAligner) -> None:
    noise = 0.2 * np.random.default_rng(0).normal(size=2 * RATE).astype(np.float32)
    found = model.align(noise, example(3, "a").events, rate=RATE)
    assert found.warnings
    assert found.match < model.match_.border


def test_a_model_file_keeps_the_match(model: SpeechAligner, tmp_path) -> None:
    model.save(tmp_path / "m.align")
    again = load(tmp_path / "m.align")
    assert again.match_.get_state() == model.match_.get_state()
    item = example(40, "q")
    found = model.align(item.audio, item.events, rate=RATE)
    assert again.align(item.audio, item.events, rate=RATE) == found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [1.0]}, "7, 11, or twice 13 or 15 weights"),
        ({"weights": [[1.0] * 7] * 2}, "7, 11, or twice 13 or 15 weights"),
        ({"event_weights": "abcd"}, "incomplete"),
        ({"event_weights": [[1.0, 0.1, 0.1, 0.1]]}, "4 of events"),
        ({"border": 1.5}, "border of its match is 1.5"),
        ({"least_sure": None}, "incomplete"),
    ],
)
def test_a_damaged_match_is_refused(model: SpeechAligner, tmp_path, change, message) -> None:
    path = tmp_path / "m.align"
    model.save(path)
    kind, header, arrays = read_model(path)
    header["match"] = {**header["match"], **change}
    write_model(path, kind, header, arrays)
    with pytest.raises(ModelError, match=message):
        load(path)


def test_a_model_file_keeps_how_sure_onsets_are(model: SpeechAligner, tmp_path) -> None:
    path = tmp_path / "m.align"
    model.save(path)
    assert model.placement_.sureness is not None
    assert model.placement_.sureness.usual_fit < 0
    assert load(path).placement_ == model.placement_
    kind, header, arrays = read_model(path)
    header["sureness"] = header["sureness"][:2]  # models of before
    write_model(path, kind, header, arrays)
    before = load(path).placement_.sureness
    assert before is not None
    assert before == (*header["sureness"], 0.0, 0.0)
    confidence = np.array([0.3, 0.9])
    np.testing.assert_array_equal(
        before.of(confidence, np.full(5, -3.0)), before.of(confidence, None)
    )
    header["sureness"] = [1.0]
    write_model(path, kind, header, arrays)
    with pytest.raises(ModelError, match="incomplete or damaged"):
        load(path)


def test_a_model_of_before_has_the_default_match(model: SpeechAligner, tmp_path) -> None:
    path = tmp_path / "m.align"
    model.save(path)
    kind, header, arrays = read_model(path)
    del header["match"]
    write_model(path, kind, header, arrays)
    assert load(path).match_ is DEFAULTS["default"]


def test_few_recordings_and_other_features_know_no_match(tmp_path) -> None:
    corpus = [example(i, "ab"[i % 2]) for i in range(4)]
    few = SpeechAligner(features(), epochs=1).fit(corpus)
    found = few.align(corpus[0].audio, corpus[0].events, rate=RATE)
    assert found.match is None
    assert found.event_match is None
    few.save(tmp_path / "few.align")
    assert load(tmp_path / "few.align").match_ is None


def test_fitting_tells_evidence_apart_and_no_weight_is_negative() -> None:
    rng = np.random.default_rng(0)

    def evidence(level: float, best: float = -0.7) -> Evidence:
        parts = np.clip(level + 0.3 * rng.normal(size=(30, 4)), -8, 0)
        frames, sounds = np.full(30, 16), np.ones(30, dtype=bool)
        return Evidence(parts, np.full(30, best), frames, sounds, 0.005)

    right = [evidence(-1.0 + 0.1 * rng.normal()) for _ in range(40)]
    wrong = [evidence(-4.0) for _ in range(40)]
    fitted = fitted_match(right, wrong, [evidence(-2.5) for _ in range(40)], [
        evidence(-1.0, -4.0)
    ])  # fmt: skip
    assert (fitted.weights[:, 1:] >= 0).all()
    assert (fitted.event_weights[1:] >= 0).all()
    assert fitted.of_recording(evidence(-1.0)) > 0.85
    assert fitted.of_recording(evidence(-4.0)) < 0.05
    assert fitted.of_recording(evidence(-1.0, -4.0)) < fitted.border  # sounds like nothing known


def test_phones_are_asked_for_speech_that_passes_for_silence_and_noise_does_not_pass() -> None:
    rng = np.random.default_rng(0)

    def some(level: float, hidden: float, steady: float, best: float = -0.7) -> list[Evidence]:
        found = []
        for _ in range(24):
            parts = np.clip(level + 0.3 * rng.normal(size=(30, 4)), -8, 0)
            parts[-1, 0], sounds = hidden * rng.uniform(0.5, 1.0), np.arange(30) < 29
            inside = steady * rng.random(30)
            frames = np.full(30, 16)
            found.append(Evidence(parts, np.full(30, best), frames, sounds, 0.005, steady=inside))
        return found

    right, wrong = some(-1.0, -0.1, -0.5), some(-4.0, -0.1, -2.0)
    half, noise = some(-1.0, -8.0, -0.5), some(-2.0, -0.1, 0.0)
    fitted = fitted_match(right, wrong, half, noise)
    assert not fitted.asks_orders  # no time is spent on them
    assert (fitted.weights[:, 7:11] == 0).all()
    assert (fitted.weights[:, 11] > 0).all()
    below = [
        np.mean([fitted.of_recording(e) < fitted.border for e in kind])
        for kind in (right, wrong, half, noise)
    ]
    assert below[0] == 0
    assert min(below[1:]) > 0.9
    assert fitted.border == 0.3
    higher = fitted_match(right, wrong, half, noise, highest=0.4)
    assert 0.3 < higher.border <= 0.4
    assert higher.spread is not None
    again = MatchModel.from_state(fitted.get_state())
    assert again.of_recording(half[0]) == fitted.of_recording(half[0])


def test_the_model_of_any_language_has_the_default_match_of_phones() -> None:
    assert align.load("speech-any").match_.get_state() == DEFAULTS["universal"].get_state()


# The bundled recordings --------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_another_recording_is_told(english: SpeechAligner, name: str) -> None:
    (other,) = set(NAMES) - {name}
    right = english.align_text(audio_of(name), text_of(name))
    wrong = english.align_text(audio_of(name), text_of(other))
    assert right.match > english.match_.border
    assert right.warnings == ()
    assert wrong.match < 0.05
    assert "may not be of this recording" in wrong.warnings[0]
    spoken = [k for k, word in enumerate(right.words.labels) if word != "sil"]
    assert np.median(right.words.event_match[spoken]) > 0.75
    spoken = [k for k, word in enumerate(wrong.words.labels) if word != "sil"]
    assert np.median(wrong.words.event_match[spoken]) < 0.25


def test_a_word_as_the_phones_of_a_sentence_is_told(english: SpeechAligner) -> None:
    found = english.align(audio_of("kiwi"), "sil k iy w iy sil".split())
    assert found.match < 0.01
    assert found.event_match[0] < 0.2  # speech that passes for silence
    assert found.warnings


def test_half_a_text_is_told(english: SpeechAligner) -> None:
    words = text_of("kiwi").split()
    assert english.align_text(audio_of("kiwi"), " ".join(words[:6])).warnings
    assert english.align_text(audio_of("kiwi"), " ".join(words[6:])).warnings


def test_a_warning_names_the_utterance(english: SpeechAligner) -> None:
    from align.speech.text import Utterance

    length = len(soundfile.read(audio_of("kiwi"))[0]) / 16000
    said = [Utterance(text_of("north-wind"), 0.0, length)]
    found = english.align_text(audio_of("kiwi"), said)
    assert found.warnings[0].startswith("the utterance from 0.000 to 4.900 s: ")


# Spoken noise ------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["[laughter]", "xxx", "***", "(inaudible)", "&=laughs", "%bell"])
def test_spoken_noise_takes_what_is_no_word(english: SpeechAligner, token: str) -> None:
    samples = soundfile.read(audio_of("kiwi"), dtype="float32")[0]
    other = soundfile.read(audio_of("north-wind"), dtype="float32")[0]
    words = text_of("kiwi").split()
    # Without learned costs: they choose another realisation of one word where a second of noise
    # changes the level of the recording.
    english = copy.copy(english)
    english.realisations_ = None
    plain = english.align_text(samples, " ".join(words), rate=RATE).words
    places = [k for k, word in enumerate(plain.labels) if word != "sil"]
    at = float(plain.onsets[places[5]])
    cut = round(at * RATE)
    mixed = np.concatenate([samples[:cut], other[8000:24000][::-1], samples[cut:]])
    found = english.align_text(
        mixed, " ".join([*words[:5], token, *words[5:]]), rate=RATE, tokens=["%bell"]
    )
    truth = plain.onsets[places] + (np.arange(len(places)) >= 5)
    spoken = [k for k, word in enumerate(found.words.labels) if word != "sil"]
    assert not found.warnings
    assert "spn" in found.phones.labels
    noise = spoken.pop(5)
    assert 0.8 < np.diff(found.words.intervals[noise])[0] < 1.2
    assert np.abs(found.words.onsets[spoken] - truth).max() < 0.06
    assert english.align_text(mixed, " ".join(words), rate=RATE).warnings  # what it is without


def test_noise_that_is_not_there_moves_nothing(english: SpeechAligner) -> None:
    words = text_of("kiwi").split()
    plain = english.align_text(audio_of("kiwi"), " ".join(words)).words
    found = english.align_text(audio_of("kiwi"), " ".join(["{breath}", *words])).words
    expected = {w: t for w, t in zip(plain.labels, plain.onsets.tolist(), strict=True) if t > 0}
    for word, onset in zip(found.labels, found.onsets.tolist(), strict=True):
        if word in expected and word != "sil":
            assert onset == pytest.approx(expected[word], abs=0.02)


def test_nothing_but_noise_is_aligned_and_has_no_match(english: SpeechAligner) -> None:
    found = english.align_text(audio_of("kiwi"), "[noise] ***")
    assert found.match is None
    assert [w for w in found.words.labels if w != "sil"] == ["[noise]", "***"]


def test_a_model_without_a_network_takes_noise_for_a_pause() -> None:
    class Silent:
        knows_spoken_noise = False

    from align.speech.text.model import noise_sounds

    assert noise_sounds(Silent(), "sil") == (("sil",),)  # type: ignore[arg-type]


# Names of phones ---------------------------------------------------------------------------------


def test_an_english_model_takes_ipa(english: SpeechAligner) -> None:
    phones = "sil dh ah n ao r th w ih n d sil".split()
    ipa = "sil ð ʌ n ɔ ɹ θ w ɪ n d sil".split()
    plain, found = (english.align(audio_of("north-wind"), p) for p in (phones, ipa))
    assert found.labels == tuple(ipa)
    np.testing.assert_array_equal(found.onsets, plain.onsets)


def test_phones_are_mapped_and_keep_their_names(english: SpeechAligner, tmp_path) -> None:
    plain = english.align(audio_of("kiwi"), ["sil", "k", "iy", "sil"])
    names = {"PAUSE": "sil", "KK": "k"}
    found = align_mapped(english, audio_of("kiwi"), ["PAUSE", "KK", "iy", "PAUSE"], names)
    assert found.labels == ("PAUSE", "KK", "iy", "PAUSE")
    assert replace(found, events=plain.events) == plain
    with pytest.raises(DataError, match="KK"):
        align_mapped(english, audio_of("kiwi"), ["KK"])


def test_few_sounds_are_warned_of_later() -> None:
    model = DEFAULTS["default"]
    borders = [model.border_of(n) for n in (30, 14, 9, 7, 5, 1, 0)]
    assert borders[:2] == [model.border] * 2
    assert sorted(borders, reverse=True) == borders
    assert borders[2] == pytest.approx(0.08, abs=0.01)
    assert borders[-1] == pytest.approx(0.01, abs=0.001)
    assert model.warning(0.2, 14)
    assert not model.warning(0.2, 7)
    assert "match 0.01, border 0.02" in model.warning(0.005, 7)[0]


def test_silences_that_hide_speech_count_as_sounds(english: SpeechAligner) -> None:
    parts = np.array([[-0.3], [-1.0], [-4.0]]) * np.ones(4)
    sounds = np.array([False, True, False])
    ones = np.ones(3)
    frames = np.array([200, 20, 300])
    assert Evidence(parts, ones, frames, sounds, 0.005).n_sounds() == 1 + 15
    assert Evidence(parts, ones, frames, ~sounds, 0.005).n_sounds() == 2
    few = english.align(audio_of("kiwi"), ["sil", "k", "iy", "w", "iy", "sil"])
    assert english.match_ is not None
    assert f"border {english.match_.border:.2f}" in few.warnings[0]  # as of a sentence


@pytest.mark.parametrize(("seed", "slope"), [(0, 0.0), (1, 0.5), (2, 1.0)])
def test_noise_without_speech_is_told(english: SpeechAligner, seed: int, slope: float) -> None:
    """A text in white, pink or red noise has a match of about .22, above the border of texts."""
    shape = np.fft.rfft(np.random.default_rng(seed).normal(size=32000))
    shape /= np.maximum(np.arange(len(shape)) / 2.0, 20.0) ** slope
    noise = np.fft.irfft(shape)
    found = english.align_text(0.1 * noise / noise.std(), text_of("kiwi"), rate=RATE)
    assert found.warnings[0].startswith("nothing but steady noise is heard in this recording")
