"""The aligners of one model: for recordings as they are, in noise, and in rooms."""

import copy

import numpy as np
import pytest
from synthetic_speech import RATE, random_phones, recording

import align
from align import Example, ParameterError, SpeechAligner
from align.errors import DataError, ModelError
from align.features import (
    ArticulatoryConfidence,
    ArticulatoryDuration,
    DurationFeature,
    NetworkConfidence,
    Signal,
)
from align.features.sound.disguises import PLAIN, disguised_energies
from align.features.sound.surroundings import KINDS
from align.files.model_file import read_model, write_model
from align.sequence.adapt import adapt, adapt_features
from align.sequence.online import OnlineLearner
from align.sequence.times.habits import Habits
from align.speech.match import DEFAULTS
from align.speech.sound_classifier import SoundClassifier, sound_of
from align.speech.surroundings import network_of
from align.terms import SegmentTerm


def features(epochs=1):
    """Small enough to be fitted in a moment."""
    return [NetworkConfidence(width=8, dilations=(1, 2), epochs=epochs), DurationFeature()]


def example(seed, group=None, noise=0.0):
    rng = np.random.default_rng(seed)
    phones = random_phones(rng, 9)
    samples, edges = recording(phones, rng)
    samples = samples + noise * samples.std() * rng.standard_normal(samples.size)
    times = edges / RATE
    return Example(
        samples.astype(np.float32), phones, times[:-1], end=times[-1], group=group, rate=RATE
    )


def signal(item):
    return Signal(item.audio, RATE, 0.005)


@pytest.fixture(scope="module")
def corpus():
    return [example(i, group="abc"[i % 3]) for i in range(6)]


@pytest.fixture(scope="module")
def model(corpus):
    return SpeechAligner(features(), epochs=2, surroundings=2).fit(corpus)


@pytest.fixture(scope="module")
def adapted(model):
    return adapt(model, [example(95 + i) for i in range(3)], steps=5, n_folds=2)


def onsets(aligner, item):
    return aligner.align(item.audio, item.events, rate=RATE).onsets


def test_a_quiet_recording_is_aligned_as_by_one_that_heard_nothing_else(model, corpus):
    plain = SpeechAligner(features(), epochs=2).fit(corpus)
    item = example(70)
    assert model._suited(signal(item)) is model
    np.testing.assert_array_equal(onsets(model, item), onsets(plain, item))
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_a_noisy_recording_is_aligned_by_the_one_for_noise(model):
    item = example(71, noise=0.8)
    other = model.elsewhere_["noise"]
    assert model._suited(signal(item)) is other
    found = other.align(item.audio, item.events, rate=RATE)
    assert model.align(item.audio, item.events, rate=RATE) == found


def test_a_reverberant_recording_is_aligned_by_the_one_for_rooms(model):
    rng = np.random.default_rng(0)
    response = rng.standard_normal(8000) * np.exp(-np.arange(8000) / 2000) * 0.03
    response[0] = 1.0
    asked = []
    for i in range(6):
        item = example(60 + i)
        heard = np.convolve(item.audio, response)[: item.audio.size].astype(np.float32)
        asked.append(model._suited(Signal(heard, RATE, 0.005)) is model.elsewhere_["room"])
    assert np.mean(asked) > 0.5


def test_the_one_for_rooms_hears_recordings_without_their_echo(model, adapted, tmp_path):
    model.save(tmp_path / "two.align")
    loaded = align.load(tmp_path / "two.align", features=features())
    heard = signal(example(60))
    for one in (model, loaded, adapted):
        for kind, other in (("", one), *one.elsewhere_.items()):
            network = network_of(other.features_)
            wanted = disguised_energies(
                *(heard, PLAIN, network.windows, network.n_mels), without_echo=kind == "room"
            )
            np.testing.assert_array_equal(network.energies(heard), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_is_saved_alone_hears_as_it_did(model, tmp_path, kind):
    other = model.elsewhere_[kind]
    other.save(tmp_path / "one.align")
    loaded = align.load(tmp_path / "one.align", features=features())
    heard = signal(example(60))
    energies = (network_of(one.features_).energies(heard) for one in (loaded, other))
    np.testing.assert_array_equal(*energies)


def test_what_was_heard_with_its_echo_is_heard_again_without(model):
    item, heard = example(60), signal(example(60))
    network = copy.copy(network_of(model.elsewhere_["room"].features_))
    network.without_echo = False
    echo = network.terms(heard, item.events)
    network.without_echo = True
    found, wanted = (network.terms(one, item.events) for one in (heard, signal(item)))
    for name, term in wanted.items():
        if isinstance(term, SegmentTerm):
            np.testing.assert_array_equal(found[name].prefix, term.prefix)
            assert not np.array_equal(echo[name].prefix, term.prefix)


def test_networks_go_on_from_those_of_the_first_aligner_that_saw_the_same(corpus, monkeypatch):
    begun, trained = [], []

    def train(self, network, lessons, **options):
        begun.append(([w.copy() for w in network.weights], options["steps"], self.surroundings))
        network.weights = [w + np.float32(len(begun)) for w in network.weights]
        trained.append([w.copy() for w in network.weights])

    monkeypatch.setattr(NetworkConfidence, "_train", train)
    seven = [
        NetworkConfidence(width=8, dilations=(1,) * 7, epochs=3),
        DurationFeature(),
    ]
    SpeechAligner(seven, epochs=1, surroundings=1, n_folds=3).fit(corpus[:3])
    assert [kind for *_, kind in begun] == [None] * 3 + ["noise"] * 3 + ["room"] * 3
    for n, (weights, steps, _) in enumerate(begun[3:]):
        assert (begun[0][1], steps) == (48, 68)  # 3 and 4.2 epochs of 85 s
        for one, other in zip(weights, trained[n % 3], strict=True):
            np.testing.assert_array_equal(one, other)


def test_networks_with_other_layers_begin_anew(corpus, monkeypatch):
    steps = []

    def train(self, network, lessons, **options):
        steps.append(options["steps"])

    monkeypatch.setattr(NetworkConfidence, "_train", train)
    SpeechAligner(features(), epochs=1, surroundings=1, n_folds=3).fit(corpus[:3])
    assert steps[3:] == [round(1.7 * steps[0])] * 6


def test_most_recordings_are_told_from_copies(model):
    quiet = [model._suited(signal(example(90 + i))) is model for i in range(20)]
    noisy = [model._suited(signal(example(90 + i, noise=0.8))) is model for i in range(20)]
    assert np.mean(quiet) >= 0.8
    assert np.mean(noisy) <= 0.05


def test_training_again_asks_no_aligner_of_before(model, corpus, monkeypatch):
    again = copy.deepcopy(model).set_params(surroundings=0)
    again.habits_ = Habits({("vowel", "stop"): [0.02] * 10})
    asked = []

    def learned_match(aligner, *_):
        asked.append(aligner._suited(signal(example(71, noise=0.8))))

    monkeypatch.setattr("align.speech.aligner.learned_match", learned_match)
    assert again.fit(corpus).habits_ is None
    assert asked == [again]


def test_nothing_is_learned_from_a_recording_without_events(model):
    empty = Example(example(0).audio, [], [], rate=RATE)
    with pytest.raises(DataError, match="one: it has no labelled events to learn from"):
        OnlineLearner(model).update(empty, "one")


def test_all_are_saved(model, tmp_path):
    model.save(tmp_path / "two.align")
    loaded = align.load(tmp_path / "two.align", features=features())
    assert loaded.training_["surroundings"] == ["noise", "room"]
    for item in (example(72), example(73, noise=0.8)):
        assert (loaded._suited(signal(item)) is loaded) == (model._suited(signal(item)) is model)
        np.testing.assert_array_equal(onsets(loaded, item), onsets(model, item))


@pytest.mark.parametrize("what", ["shape", "deviation", "missing"])
def test_damaged_numbers_are_refused(model, tmp_path, what):
    model.save(tmp_path / "two.align")
    kind, header, arrays = read_model(str(tmp_path / "two.align"))
    name = "hearing.deviation" if what == "deviation" else "hearing.weights"
    if what == "missing":
        del arrays[name]
    else:
        arrays[name] = np.zeros(3 if what == "shape" else arrays[name].shape)
    write_model(str(tmp_path / "bad.align"), kind, header, arrays)
    with pytest.raises(ModelError, match=r"bad\.align"):
        align.load(tmp_path / "bad.align", features=features())


def test_a_lattice_is_decoded_by_the_one_that_suits(model):
    from align.decoders import Lattice

    item = example(74, noise=0.8)
    lattice = Lattice.chain(len(item.events), labels=item.events)
    found = model.align_lattice(item.audio, lattice, rate=RATE).alignment
    np.testing.assert_allclose(found.onsets, onsets(model.elsewhere_["noise"], item), atol=1e-9)


def test_others_learn_from_recordings_as_they_sound_there(model):
    quiet, noisy = example(95), example(71, noise=0.8)
    gone = Example("gone.wav", quiet.events, quiet.onsets)
    moved = model._moved_elsewhere("noise", [quiet, noisy, gone])
    assert moved[1:] == [noisy, gone]  # it sounds so already; adapting tells what cannot be read
    np.testing.assert_array_equal(moved[0].onsets, quiet.onsets)
    assert moved[0].audio.shape == quiet.audio.shape
    assert not np.array_equal(moved[0].audio, quiet.audio)


def test_others_learn_where_nobody_has_placed_a_word(model):
    new = adapt_features(model, [example(95)], steps=1, learning_rate=1e-3)
    for kind, other in new.elsewhere_.items():
        assert not same(other, model.elsewhere_[kind])
        np.testing.assert_array_equal(other.coef_, model.elsewhere_[kind].coef_)


def test_adapting_moves_all(model, adapted):
    pairs = [(adapted, model), *((adapted.elsewhere_[k], model.elsewhere_[k]) for k in KINDS)]
    for one, other in pairs:
        moved = [
            not np.array_equal(a, b)
            for f, g in zip(one.features_, other.features_, strict=True)
            if isinstance(f, NetworkConfidence)
            for n, m in zip(f.networks_, g.networks_, strict=True)
            for a, b in zip(n.weights, m.weights, strict=True)
        ]
        assert any(moved)


def networks(aligner):
    return [w for n in aligner.features_[0].networks_ for w in n.weights]


def same(one, other):
    return all(map(np.array_equal, networks(one), networks(other)))


def test_a_correction_is_learned_by_the_one_that_suits_and_after_an_interruption_too(model):
    learned = [("noisy", example(71, noise=0.8)), ("quiet", example(70))]
    learner = OnlineLearner(model, steps=1)
    first = learner.update(learned[0][1], "noisy")["networks"]
    assert same(first, model)
    assert same(first.elsewhere_["room"], model.elsewhere_["room"])
    assert not same(first.elsewhere_["noise"], model.elsewhere_["noise"])
    assert same(learner.deepen()["networks"], model)  # nothing quiet to learn from again
    second = learner.update(learned[1][1], "quiet")["networks"]
    assert not same(second, model)
    assert not same(second.elsewhere_["noise"], first.elsewhere_["noise"])  # as it was deepened
    again = OnlineLearner(model, steps=1)
    again.go_on(learner.experts, learned)
    for name, item in (("noisy 2", example(73, noise=0.8)), ("quiet 2", example(72))):
        found = [one.update(item, name)["networks"] for one in (learner, again)]
        assert same(*found)
        assert same(*(one.elsewhere_["noise"] for one in found))


def test_checkpoints_of_all_are_gone_in_the_end(corpus, tmp_path):
    folder = tmp_path / "partial"
    aligner = SpeechAligner(features(), epochs=1, n_folds=2, surroundings=1)
    again = SpeechAligner(features(), epochs=1, n_folds=2, surroundings=1)
    again.fit(corpus[:2])
    aligner.fit(corpus[:2], checkpoint=folder)
    assert list(tmp_path.iterdir()) == []
    for kind in KINDS:
        np.testing.assert_array_equal(aligner.elsewhere_[kind].coef_, again.elsewhere_[kind].coef_)


def test_unknown_surroundings_in_a_file(model, tmp_path):
    model.save(tmp_path / "all.align")
    kind, header, arrays = read_model(str(tmp_path / "all.align"))
    header["elsewhere"]["forest"] = header["elsewhere"]["room"]
    write_model(str(tmp_path / "bad.align"), kind, header, arrays)
    with pytest.raises(ModelError, match="surroundings are 'forest'"):
        align.load(tmp_path / "bad.align", features=features())


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"surroundings": -1}, "surroundings=-1, must not be negative"),
        ({"features": "thesis", "surroundings": 1}, "surroundings are learned by networks"),
    ],
)
def test_wrong_surroundings_are_refused_before_training(corpus, params, message):
    with pytest.raises(ParameterError, match=message):
        SpeechAligner(**params).fit(corpus)


# Labels of any language -------------------------------------------------------------------------


def in_ipa(item):
    spelt = {"aa": "ɑ", "iy": "i"}
    return Example(
        item.audio,
        tuple(spelt.get(event, event) for event in item.events),
        item.onsets,
        end=item.end,
        group=item.group,
        rate=RATE,
    )


def of_articulations():
    return [ArticulatoryConfidence(width=8, dilations=(1,) * 7, epochs=1), ArticulatoryDuration()]


@pytest.fixture(scope="module")
def of_any(corpus):
    aligner = SpeechAligner(of_articulations(), epochs=1, n_folds=3, surroundings=1)
    more = [example(i, group="abc"[i % 3]) for i in (6, 7)]
    return aligner.fit([in_ipa(item) for item in (*corpus, *more)])


def test_for_any_language_rooms_alone_are_learned(of_any):
    assert [*of_any.elsewhere_] == of_any.training_["surroundings"] == ["room"]
    assert of_any.sound_classifier_.weights.shape == (2, 111)
    (first, room) = (a.features_[0].networks_ for a in (of_any, of_any.elsewhere_["room"]))
    assert of_any.text_match_ is DEFAULTS["universal, text, not in rooms"]
    assert of_any.elsewhere_["room"].text_match_ is DEFAULTS["universal, text, in rooms"]
    assert (len(first), len(room)) == (3, 2)


def test_in_noise_and_cut_at_both_ends_the_first_aligner_is_asked(of_any):
    noisy = [example(90 + i, noise=0.5 * (i % 2)) for i in range(20)]
    whole = [of_any._suited(signal(item)) is of_any for item in noisy]
    cut = []
    for item in noisy:
        begin, end = (round(t * RATE) for t in (item.onsets[1], item.onsets[-1]))
        cut.append(of_any._suited(Signal(item.audio[begin:end], RATE, 0.005)) is of_any)
    assert np.mean(whole) == np.mean(cut) == 1.0


def test_the_one_for_rooms_is_kept_in_half_the_bytes_and_finds_the_same(of_any, tmp_path):
    of_any.save(tmp_path / "any.align")
    _, _, arrays = read_model(str(tmp_path / "any.align"))
    kept = {name: array.dtype.name for name, array in arrays.items() if ".weight02" in name}
    assert {t for name, t in kept.items() if name.startswith("room")} == {"int8"}
    assert {t for name, t in kept.items() if not name.startswith("room")} == {"float16"}
    loaded = align.load(tmp_path / "any.align", features=of_articulations())
    item = in_ipa(example(70))
    pairs = [(loaded, of_any), (loaded.elsewhere_["room"], of_any.elsewhere_["room"])]
    for one, other in pairs:
        np.testing.assert_allclose(onsets(one, item), onsets(other, item), atol=1e-9)


def test_of_two_kinds_the_second_must_be_the_surer_the_shorter_a_recording_is():
    rng = np.random.default_rng(0)
    sounds = [[rng.normal(mean, 1, 110) for _ in range(200)] for mean in (-0.1, 0.1)]
    hearing = SoundClassifier.fitted(sounds)
    assert not hearing.weights[0].any()
    row = hearing.weights[1]
    for seconds, odds in ((0.5, 6.0), (1.0, 3.0), (2.5, 1.2), (600.0, 1.2)):
        for more, kind in ((-0.01, 0), (0.01, 1)):
            step = (odds + more - row[-1]) / (row[:-1] @ row[:-1])
            sound = hearing.mean + hearing.deviation * step * row[:-1]
            assert hearing.kind(sound, seconds) == kind


def test_what_a_recording_sounds_like_is_known_of_any_length():
    energies = np.random.default_rng(0).normal(size=(12, 10)).astype(np.float32)
    found = sound_of(energies).reshape(5, 22)
    band = energies[:, 2:4].astype(np.float64).mean(axis=1)
    np.testing.assert_array_equal(
        found[1, :6], np.quantile(band, (0.02, 0.1, 0.25, 0.5, 0.75, 0.95))
    )
    np.testing.assert_array_equal(
        found[1, 6:10], np.quantile(band[2:] - band[:-2], (0.02, 0.1, 0.9, 0.98))
    )
    assert (found[:, 18:] == 0.0).all()  # 20 frames: there are no two of them so far apart
