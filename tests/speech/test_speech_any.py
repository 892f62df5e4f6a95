"""The speech aligner of any language: IPA labels, phones never met, maps to IPA, files."""

from importlib.resources import files

import numpy as np
import pytest
import soundfile
from synthetic_speech import RATE, random_phones, recording

import align
from align import Example, SpeechAligner
from align.cli.demonstration import recordings
from align.corpus.ipa import to_ipa
from align.errors import DataError
from align.features import ArticulatoryConfidence, ArticulatoryDuration
from align.speech.labels import PhoneLabels
from align.speech.match import DEFAULTS

IPA = {"sil": "sil", "s": "s", "aa": "ɑ", "iy": "i", "m": "m"}


def features():
    network = ArticulatoryConfidence(width=8, dilations=(1, 2), epochs=8)
    return [network, ArticulatoryDuration()]


def example(seed, spelt=IPA, phones=None):
    rng = np.random.default_rng(seed)
    phones = phones or random_phones(rng, 9)
    samples, edges = recording(phones, rng)
    times = edges / RATE
    labels = tuple(spelt.get(phone, phone) for phone in phones)
    return Example(
        samples.astype(np.float32),
        labels,
        times[:-1],
        end=times[-1],
        group="ab"[seed % 2],
        name=f"word {seed}",
        rate=RATE,
    )


@pytest.fixture(scope="module")
def model():
    aligner = SpeechAligner(features(), epochs=2, n_folds=2, n_jobs=1)
    return aligner.fit([example(i) for i in range(4)])


def test_phones_never_met_are_aligned(model):
    new = {**IPA, "s": "ʂ", "aa": "aː", "iy": "e", "m": "n̪"}
    assert not set(model.labels_) & (set(new.values()) - {"sil"})
    report = model.evaluate([example(50 + i, new) for i in range(4)])
    assert report.within_ms["20"] > 75
    assert not report.failed


def test_an_accent_after_its_letter_is_the_one_with_it():
    bundled = align.load("speech-any")
    samples = np.random.default_rng(0).normal(size=RATE // 4)
    # trained on in both forms; in the composed form; in the other
    for one, other in (("\u1ebd", "e\u0303"), ("\u1ef9", "y\u0303"), ("\u1e73", "u\u0324")):
        found = bundled.align(samples, ["sil", one, "t"], rate=RATE)
        again = bundled.align(samples, ["sil", other, "t"], rate=RATE)
        assert (found.events[1], again.events[1]) == (one, other)  # labels stay as they are given
        assert found.onsets.tolist() == again.onsets.tolist()
        assert (found.score, found.match) == (again.score, again.match)
        assert found.confidence.tolist() == again.confidence.tolist()


@pytest.mark.parametrize("ipa", [True, False])
def test_labels_are_spelled_as_they_were_trained_on(ipa):
    labels = PhoneLabels({}, ["\u1ebd", "e\u0303", "o\u0302", "\xe7"], ipa, noise=False)
    given = ["e\u0303", "\u1ebd", "\xf4", "o\u0302", "c\u0327"]
    assert labels.spelled(given).labels == ["\u1ebd", "\u1ebd", "o\u0302", "o\u0302", "\xe7"]


def test_without_texts_to_learn_from_texts_have_a_match_of_their_own(model):
    assert (model.match_, model.text_match_) == (None, None)  # too few recordings
    aligner = SpeechAligner(features(), epochs=1, n_folds=2, n_jobs=1)
    aligner.fit([example(i) for i in range(8)])
    assert aligner.match_ is not None
    assert aligner.text_match_ is DEFAULTS["universal, text"]


def test_stress_and_tone_change_nothing(model):
    one = example(60)
    marked = [f"ˈ{event}˥" if event != "sil" else event for event in one.events]
    plain = model.align(one.audio, one.events, rate=RATE).onsets
    np.testing.assert_array_equal(model.align(one.audio, marked, rate=RATE).onsets, plain)


def test_silence_at_either_end_may_be_left_out(model):
    one = example(61)
    whole = model.align(one.audio, one.events, rate=RATE)
    inner = model.align(one.audio, one.events[1:-1], rate=RATE)
    np.testing.assert_allclose(inner.onsets, whole.onsets[1:-1])
    assert inner.end == pytest.approx(whole.onsets[-1])


@pytest.mark.parametrize("silence", ["", "pau"])
def test_other_names_of_silence(model, silence):
    one = example(62)
    named = [silence if event == "sil" else event for event in one.events]
    assert model.align(one.audio, named, rate=RATE).onsets.shape == (9,)


def test_what_is_not_ipa_is_refused_when_aligning_and_when_training(model):
    one = example(63)
    with pytest.raises(DataError, match=r"'Ж'.*is no letter of the IPA"):
        model.align(one.audio, ["sil", "Ж", "sil"], rate=RATE)
    with pytest.raises(DataError, match=r"'@'.*If the labels are X-SAMPA or ARPABET"):
        model.align(one.audio, ["sil", "@", "sil"], rate=RATE)
    with pytest.raises(DataError, match=r"'sh' and 'iy' are those of TIMIT.*timit_ipa"):
        model.align(one.audio, ["sil", "sh", "iy", "sil"], rate=RATE)
    odd = Example(one.audio, ("sil", "Ж"), np.array([0.0, 0.2]), name="odd", rate=RATE)
    few = [ArticulatoryConfidence(width=4, dilations=(1,), epochs=1), ArticulatoryDuration()]
    again = SpeechAligner(few, epochs=1, n_folds=2, n_jobs=1, refine="none")
    again.fit([example(0), example(1), odd])
    assert [name for name, _ in again.problems_] == ["odd"]


def test_labels_may_be_mapped_to_ipa():
    model = SpeechAligner("universal", phone_map="timit_ipa")
    assert model._boundary_classes()["kcl"] == "voiceless stop"
    assert model._boundary_classes()["h#"] == "silence"
    assert model._unbounded("h#")
    assert not model._unbounded("iy")
    assert SpeechAligner("universal")._symbols() == {}


def test_reports_know_the_classes_of_every_label(model):
    classes = model._boundary_classes()
    assert classes.get("t͡s") == "voiceless stop"
    assert classes.get("Ж") is None
    assert set(classes) == set(model.labels_)


def test_a_model_file_gives_the_same_answers(model, tmp_path):
    model.save(tmp_path / "m.align", licence="none")
    own = [ArticulatoryConfidence(), ArticulatoryDuration()]
    again = align.load(tmp_path / "m.align", features=own)
    one = example(64)
    found = [m.align(one.audio, one.events, rate=RATE).onsets for m in (model, again)]
    np.testing.assert_allclose(*found, atol=1e-9)


def test_the_last_move_is_learned_by_default_but_for_the_thesis():
    assert SpeechAligner()._corrects()
    assert not SpeechAligner("thesis")._corrects()
    assert SpeechAligner("thesis", correct=True)._corrects()
    assert not SpeechAligner(correct=False)._corrects()


def test_the_posterior_is_smoothed_less_where_no_last_move_follows_the_thesis():
    assert SpeechAligner()._window() == SpeechAligner("thesis", correct=True)._window() == 0.015
    assert SpeechAligner("thesis")._window() == 0.0075


# The bundled model ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundled():
    return align.load("speech-any")


def test_the_bundled_model_aligns_the_demonstration(bundled):
    report = bundled.evaluate(to_ipa(recordings()))
    assert not report.failed
    assert report.within_ms["20"] > 60
    assert report.within_ms["40"] > 80


def test_the_bundled_model_takes_any_ipa(bundled):
    noise = np.random.default_rng(0).normal(size=RATE).astype(np.float32) * 0.01
    phones = ("t͡ɬʼ", "aː", "ŋ͡m", "ǃ", "o˥")
    found = bundled.align(noise, phones, rate=RATE)
    assert found.labels == phones
    assert (np.diff(found.onsets) > 0).all()


def test_the_bundled_model_names_its_licences_and_is_small(bundled):
    assert "non-commercial" in bundled.licence_
    assert bundled.training_["groups"] == 37 + 12
    path = files("align.data") / "speech-any.align"
    assert path.stat().st_size < 1.5e6


def test_the_german_model_may_be_used_for_anything_and_learned_how_words_are_said():
    german = align.load("speech-de")
    assert "CC0" in german.licence_
    assert "non-commercial" not in german.licence_
    assert german.training_["groups"] == 5
    assert german.takes_ipa
    assert german.language == "de"
    assert german.realisations_["0"] < -1  # to leave a phone out, whatever it is
    assert (files("align.data") / "speech-de.align").stat().st_size < 1.5e6


def test_samples_are_those_of_the_recording(bundled, tmp_path):
    samples = np.random.default_rng(0).normal(size=22050).astype(np.float32) * 0.01
    soundfile.write(tmp_path / "a.wav", samples, 44100)
    found = bundled.align(tmp_path / "a.wav", ["s", "a"])
    assert found.rate == 44100
    found.to_phn(tmp_path / "a.phn")
    last = (tmp_path / "a.phn").read_text().splitlines()[-1].split()
    assert int(last[0]) == round(found.onsets[1] * 44100)
    assert bundled.align(samples, ["s", "a"], rate=44100).rate == 44100
    assert align.read_corpus(tmp_path)[0].onsets == pytest.approx(found.onsets, abs=1e-4)
