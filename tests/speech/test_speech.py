"""The speech aligner: labels, closures and silences, named features, model files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from synthetic_speech import RATE, random_phones, recording

import align
from align import Example, ParameterError, SpeechAligner
from align.cli.demonstration import recordings
from align.errors import DataError, ModelError
from align.features import DurationFeature, NetworkConfidence, onset_feature


def features(**options):
    """Small enough to be fitted in a moment."""
    network = NetworkConfidence(**{"width": 8, "dilations": (1, 2), "epochs": 8, **options})
    return [network, DurationFeature()]


def example(seed, phones=None, group=None, labels=None):
    """A synthetic recording; `labels` says how its phones are spelt."""
    rng = np.random.default_rng(seed)
    phones = phones or random_phones(rng, 9)
    samples, edges = recording(phones, rng)
    spelt = [(labels or {}).get(phone, phone) for phone in phones]
    times = edges / RATE
    return Example(
        samples.astype(np.float32), spelt, times[:-1], end=times[-1], group=group, rate=RATE
    )


@pytest.fixture(scope="module")
def corpus():
    return [example(i, group="abc"[i % 3]) for i in range(6)]


@pytest.fixture(scope="module")
def model(corpus):
    return SpeechAligner(features(), epochs=3).fit(corpus)


def trained_on(*phones, **params):
    """An aligner that knows these labels, for what needs no weights."""
    aligner = SpeechAligner(**params)
    aligner.labels_ = sorted(phones)
    return aligner


# Learning ---------------------------------------------------------------------------------------


def test_it_learns_to_align(model):
    report = model.evaluate([example(50 + i) for i in range(3)])
    assert report.kind == "speech"
    assert report.boundaries == 3 * 8  # the first silence is not scored
    assert report.within_ms["20"] > 80
    assert report.within_ms["40"] > 95
    assert "vowel -> fricative" in report.per_class
    assert model.base_functions_ == [
        "network.phone",
        "network.boundary",
        "network.transition",
        "duration",
    ]
    assert len(model.features_[0].networks_) == 3  # one for each fold, pooled


def test_processes_do_not_change_the_model(model, corpus):
    other = SpeechAligner(features(), epochs=3, n_jobs=2).fit(corpus)
    np.testing.assert_array_equal(other.coef_, model.coef_)
    assert other.placement_ == model.placement_
    item = example(60)
    assert other.align(item.audio, item.events, rate=RATE) == model.align(
        item.audio, item.events, rate=RATE
    )


@pytest.mark.parametrize("groups", ["aaaa", "aabb", [None] * 4])
def test_few_speakers(groups):
    items = [example(i, group=g) for i, g in enumerate(groups)]
    fitted = SpeechAligner(features(epochs=1), epochs=1).fit(items)
    assert len(fitted.features_[0].networks_) == (2 if groups == "aabb" else 4)


def test_a_single_recording_is_learned_from_with_a_warning(corpus):
    with pytest.warns(UserWarning, match="with a single recording"):
        fitted = SpeechAligner(features(epochs=1), epochs=1).fit(corpus[:1])
    assert len(fitted.align(corpus[0].audio, corpus[0].events, rate=RATE)) == 9


def test_a_label_that_only_one_speaker_has(corpus):
    rare = example(30, phones=["sil", "aa", "m", "sil"], group="d", labels={"m": "ng"})
    fitted = SpeechAligner(features(epochs=1), epochs=1).fit([*corpus, rare])
    found = fitted.align(rare.audio, rare.events, rate=RATE)
    assert found.labels == ("sil", "aa", "ng", "sil")


def test_recordings_of_silence_alone():
    items = [example(i, phones=["sil"], group=str(i)) for i in range(2)]
    fitted = SpeechAligner(features(epochs=1), epochs=1).fit(items)
    assert fitted.longest_ == fitted.hop_  # no other event says how long events are
    found = fitted.align(items[0].audio, ["sil"], rate=RATE)
    assert found.intervals.tolist() == [[0.0, found.duration]]


def test_a_corpus_without_silence():
    items = [
        example(i, phones=["aa", "s", "iy", "m", "s", "aa"], group="ab"[i % 2]) for i in range(4)
    ]
    fitted = SpeechAligner(features(epochs=1), epochs=1).fit(items)
    assert "sil" not in fitted.labels_
    found = fitted.align(items[0].audio, items[0].events, rate=RATE)
    assert found.onsets[0] == 0.0
    assert found.end == found.duration


@pytest.mark.parametrize("rate", [8000, 16000])
def test_long_silences(model, rate):
    rng = np.random.default_rng(0)
    item = example(61, phones=["sil", "aa", "s", "iy", "sil"])
    before, after = 0.001 * rng.normal(size=(2, 30 * RATE))
    long = np.concatenate([before, item.audio, after]).astype(np.float32)
    if rate != RATE:
        long = long[::2]  # what lies above is noise
    found = model.align(long, item.events, rate=rate)
    assert found.labels == item.events
    if rate == RATE:
        np.testing.assert_allclose(found.onsets[1:], item.onsets[1:] + 30.0, atol=0.12)


def test_the_thesis_set(corpus):
    fitted = SpeechAligner("thesis", epochs=2).fit(corpus)
    assert fitted.base_functions_ == [
        *(f"spectral_distance_{j}" for j in (1, 2, 3, 4)),
        "phone_confidence",
        "duration",
        "speaking_rate",
    ]
    assert fitted.hop_ == 0.01
    assert fitted.evaluate([example(50 + i) for i in range(3)]).within_ms["40"] > 60


def test_named_sets_and_features_of_ones_own():
    @onset_feature
    def zero(signal, event):
        return np.zeros(signal.n_frames)

    made = SpeechAligner(["thesis", zero])._make_features()
    assert [f.name for f in made][-2:] == ["speaking_rate", "zero"]
    assert SpeechAligner(["thesis", zero])._frame_length() == 0.01
    assert SpeechAligner(["default", "thesis"], hop=0.008)._frame_length() == 0.008
    assert SpeechAligner([zero])._frame_length() == 0.005
    assert "network" in [f.name for f in SpeechAligner()._make_features()]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"features": "thesis2"}, "features='thesis2' is not a named set; choose from"),
        ({"features": ["default", "default"]}, "features must have different names"),
        ({"features": [7]}, "features has 7, must hold Feature objects"),
        ({"features": 7}, "features=7, must be a list of features"),
        ({"update": "pa9"}, "update='pa9', must be one of"),
        ({"cost": lambda a, b: 0.0, "loss": "maximal"}, "sum over the onsets"),
        ({"conversion": "validation"}, "pass validation="),
    ],
)
def test_wrong_parameters_are_found_before_any_work(corpus, params, message):
    stages = []
    with pytest.raises(ParameterError, match=message):
        SpeechAligner(**params).fit(corpus, progress=lambda *args: stages.append(args))
    assert stages == []


def test_parameters_follow_scikit_learn():
    aligner = SpeechAligner("thesis", C=0.5, phone_map=None)
    copy = clone(aligner)
    assert copy.get_params() == aligner.get_params()
    assert copy.set_params(C=2.0).C == 2.0
    assert repr(aligner) == "SpeechAligner(features='thesis', C=0.5, phone_map=None)"


# Labels -----------------------------------------------------------------------------------------


def test_phones_are_spelt_as_the_model_spells_them(model):
    item = example(62, phones=["sil", "aa", "s", "iy", "sil"])
    found = model.align(item.audio, ["SIL", "AA1", "S", "IY0", "sil"], rate=RATE)
    assert found.labels == ("SIL", "AA1", "S", "IY0", "sil")  # as they were given
    np.testing.assert_array_equal(
        found.onsets, model.align(item.audio, item.events, rate=RATE).onsets
    )


@pytest.mark.parametrize("silence", ["<p:>", "sp", "_", "#", ""])
def test_silences_of_other_label_sets_are_known(model, silence):
    item = example(62, phones=["sil", "aa", "s", "iy", "sil"])
    found = model.align(item.audio, [silence, "aa", "s", "iy", silence], rate=RATE)
    assert found.labels == (silence, "aa", "s", "iy", silence)
    expected = model.align(item.audio, item.events, rate=RATE)
    np.testing.assert_array_equal(found.onsets, expected.onsets)


def test_unknown_phones_are_named_with_the_nearest_known(model):
    audio = example(62).audio
    with pytest.raises(DataError, match=r"unknown phone 'aaa' \(nearest known: 'aa'\); correct"):
        model.align(audio, ["sil", "aaa", "aaa", "sil"], rate=RATE)
    with pytest.raises(DataError, match=r"unknown phones '%', 'siy' \(nearest known: 'iy'\);"):
        model.align(audio, ["%", "siy"], rate=RATE)
    with pytest.raises(DataError, match=r"'fox', 'quick'.* give them as text \(--text\)\.$"):
        model.align(audio, ["quick", "fox"], rate=RATE)


def test_a_digit_alone_is_no_stress(model):
    with pytest.raises(DataError, match="unknown phone '2'"):  # an open vowel of SAMPA
        model.align(example(62).audio, ["sil", "aa1", "2", "sil"], rate=RATE)


@pytest.mark.parametrize("events", [{"aa", "s"}, None, 3])
def test_events_without_order_are_refused(model, events):
    with pytest.raises(ParameterError, match="must be a sequence, in order of time"):
        model.align(example(62).audio, events, rate=RATE)


def test_sentences_are_no_phones(model, corpus):
    said = replace(corpus[0], events=("sil", "a quick fox", "sil"), onsets=corpus[0].onsets[:3])
    with pytest.raises(DataError, match="'a quick fox' is no phone but a sentence"):
        model.align(said.audio, said.events, rate=RATE)
    with pytest.raises(DataError, match="'a quick fox' is no phone"):
        SpeechAligner(features()).fit([said])


def test_phones_in_the_ipa_have_a_model(model):
    with pytest.raises(DataError, match="the model speech-any knows them"):
        model.align(example(62).audio, ["sil", "\u0264", "j", "sil"], rate=RATE)
    with pytest.raises(DataError, match=r"that have them\.$"):
        model.align(example(62).audio, ["sil", "%", "sil"], rate=RATE)


def test_known_labels():
    aligner = trained_on("h#", "tcl", "t", "iy", "qq")
    known = aligner.known_labels()
    assert {"h#", "tcl", "t", "iy", "qq"} <= known
    assert {"sil", "cl", "pau", "kcl"} <= known  # the same phones under the map
    assert not {"aa", "b"} & known
    assert trained_on("h#", "t", phone_map=None).known_labels() == {"h#", "t"}


def expand(aligner, events):
    decoded, place = aligner._expand(tuple(events.split()))
    return " ".join(decoded), place.tolist()


def test_closures_and_silences_that_are_left_out_are_decoded():
    aligner = trained_on("h#", "tcl", "t", "gcl", "g", "iy", "jh")
    assert expand(aligner, "t iy jh") == ("sil cl t iy vcl jh sil", [1, 3, 4, 6])
    # A phone string that has closures has all it needs, and silence is not doubled.
    assert expand(aligner, "h# tcl t iy g h#") == ("h# tcl t iy g h#", [0, 1, 2, 3, 4, 5, 6])
    assert expand(aligner, "sil T IY0") == ("sil cl t iy sil", [0, 1, 3, 4])
    assert expand(aligner, "sil") == ("sil", [0, 1])


def test_nothing_is_added_that_the_model_does_not_know():
    assert expand(trained_on("t", "iy"), "t iy") == ("t iy", [0, 1, 2])
    assert expand(trained_on("t", "g", "tcl", "iy"), "t iy g") == ("t iy g", [0, 1, 2, 3])
    assert expand(trained_on("sil", "t", "iy"), "t iy") == ("sil t iy sil", [1, 2, 3])


def test_alignments_cover_what_was_given(model):
    item = example(63, phones=["sil", "aa", "s", "iy", "sil"])
    found = model.align(item.audio, ["aa", "s", "iy"], rate=RATE)
    np.testing.assert_allclose(found.onsets, item.onsets[1:4], atol=0.04)
    assert found.end == pytest.approx(item.onsets[4], abs=0.04)  # where the silence begins
    assert found.end < found.duration
    assert found.confidence.shape == (3,)


def test_more_phones_than_frames_counts_those_given(model):
    with pytest.raises(DataError, match=r"5 events do not fit into 0.013 s of audio \(3 frames"):
        model.align(example(62).audio[:200], ["aa", "s"] * 2 + ["aa"], rate=RATE)


def test_labels_that_are_not_in_the_map_stand_for_themselves():
    items = [example(i, group="ab"[i % 2], labels={"aa": "ɑː", "sil": ""}) for i in range(4)]
    fitted = SpeechAligner(features(), epochs=2).fit(items)
    assert fitted.labels_ == ["", "iy", "m", "s", "ɑː"]
    assert fitted._unbounded("")  # an empty interval of a TextGrid is a pause
    assert not fitted._unbounded("ɑː")
    assert fitted.evaluate(items).within_ms["40"] > 80


def test_pauses_of_other_label_sets_are_silence_in_training():
    known = trained_on("<p:>", "t", "iy").known_labels()
    assert {"<p:>", "sil", "h#", "_"} <= known
    assert "spn" not in known


def test_a_phone_map_of_ones_own(tmp_path, corpus):
    path = tmp_path / "map.csv"
    path.write_text("from,to\nAH,aa\nSILENCE,sil\n", encoding="utf-8")
    mapping = {"AH": "aa", "SILENCE": "sil"}
    assert trained_on("aa", "sil", phone_map=path).known_labels() == {"aa", "sil", "AH", "SILENCE"}
    fitted = SpeechAligner(features(epochs=1), phone_map=path, epochs=1).fit(corpus)
    item = example(64, phones=["sil", "aa", "s"])
    fitted.save(tmp_path / "a.align")
    found = fitted.align(item.audio, ["SILENCE", "AH", "s"], rate=RATE)
    path.unlink()  # a model does not need it any more
    loaded = align.load(tmp_path / "a.align", features=features())
    assert loaded.phone_map == mapping
    assert loaded.align(item.audio, ["SILENCE", "AH", "s"], rate=RATE) == found
    as_mapping = SpeechAligner(features(epochs=1), phone_map=mapping, epochs=1).fit(corpus)
    np.testing.assert_array_equal(as_mapping.coef_, fitted.coef_)


# Model files ------------------------------------------------------------------------------------


def test_saved_models_align_bit_for_bit(model, tmp_path):
    model.save(tmp_path / "a.align", licence="CC BY-NC-SA")
    with pytest.raises(ModelError, match=r"feature objects called \['network', 'duration'\]"):
        align.load(tmp_path / "a.align")
    loaded = align.load(tmp_path / "a.align", features=[DurationFeature(), NetworkConfidence()])
    assert isinstance(loaded, SpeechAligner)
    assert loaded.phone_map == "timit48"
    assert loaded.licence_ == "CC BY-NC-SA"
    for i in range(3):
        item = example(70 + i)
        found = loaded.align(item.audio, item.events, rate=RATE)
        assert found == model.align(item.audio, item.events, rate=RATE)


def test_named_sets_need_no_features_to_load(tmp_path, corpus):
    fitted = SpeechAligner("thesis", epochs=1, hop=0.0125).fit(corpus)
    fitted.save(tmp_path / "a.align")
    loaded = align.load(tmp_path / "a.align")
    assert loaded.hop_ == 0.0125
    item = example(71)
    assert loaded.align(item.audio, item.events, rate=RATE) == fitted.align(
        item.audio, item.events, rate=RATE
    )


# Real speech ------------------------------------------------------------------------------------


def test_real_speech(timit_sample):
    everything = align.read_corpus(timit_sample, kind="speech")
    speakers = sorted({example.group for example in everything})
    train = [item for item in everything if item.group in speakers[:3]]
    test = [item for item in everything if item.group == speakers[5]]
    assert (len(train), len(test)) == (24, 8)
    # What texts teach is not asked here, so that those of one speaker are enough.
    train = [one if one.group == speakers[0] else replace(one, text=None) for one in train]
    network = NetworkConfidence(
        align.formats.read_phone_map("timit48"),
        align.formats.read_phone_map("timit_classes"),
        width=40,
        epochs=12,
    )
    fitted = SpeechAligner([network, DurationFeature()], epochs=2, n_folds=2).fit(train)
    report = fitted.evaluate(test)
    assert report.failed == ()
    assert report.within_ms["20"] >= 80
    assert report.real_time_factor < 0.1


def test_a_pause_longer_than_expected_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    example = next(e for e in recordings() if Path(str(e.audio)).stem == "kiwi")
    samples, rate = align.features.read_audio(example.audio)
    middle = len(samples) // 2
    hush = 1e-4 * np.random.default_rng(0).standard_normal(7 * rate).astype(np.float32)
    long = np.concatenate([samples[:middle], hush, samples[middle:]])
    cut = int(np.searchsorted(example.onsets, middle / rate))
    events = [*example.events[:cut], "sil", *example.events[cut:]]
    model = align.load("speech-en")
    found = model.align(long, events, rate=rate)
    monkeypatch.setattr("align.sequence.search.PAUSE", 1e6)
    np.testing.assert_array_equal(found.onsets, model.align(long, events, rate=rate).onsets)
    assert found.intervals[cut, 1] - found.intervals[cut, 0] > 6.5
