"""How probable it is that a word was not said, and what it is learned from."""

from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from joblib import parallel_config
from kiwi_text import SAID

import align
from align.errors import DataError, ModelError, ParameterError
from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.departing import DepartingPaths
from align.speech.text.checking.said import known_by
from align.speech.text.checking.unspoken import (
    DEFAULT,
    DEFAULT_IPA,
    N_BEFORE,
    N_EVIDENCE,
    N_SOUNDS,
    PROBABLE,
    asked_words,
)
from align.speech.text.learning import spoiling
from align.speech.text.learning.spoiling import spoiled_texts, unspoken_model
from align.speech.text.parts import Recording
from align.speech.text.pronouncing import vocabulary
from align.speech.text.pronouncing.lookup import look_up_all
from align.speech.text.words import WordAligner

KIWI = Path(str(files("align.data"))) / "kiwi.flac"
WORDS = ["a", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]
WORDS += ["while", "a", "kiwi", "watches"]


def scored_by(
    paths: DepartingPaths, of_events: Any, of_words: Any, can_score_words: bool = True
) -> DepartingPaths:
    """Return paths with another second scorer."""
    scorer = SimpleNamespace(
        of_events=of_events, of_words=of_words, can_score_words=can_score_words
    )
    vars(paths.text.part)["second_scorer"] = scorer
    return paths


@pytest.fixture(scope="module")
def word_aligner() -> WordAligner:
    model = align.load("speech-en")
    known = model.known_labels()
    entries = look_up_all([*WORDS, "purple", "elephant"], SAID, known, language="en", guess=False)
    return WordAligner(model, Recording.read(KIWI, None, model, str(KIWI)), entries, judging=True)


def test_words_that_were_not_said_are_more_probable_than_those_that_were(
    word_aligner: WordAligner,
) -> None:
    true, own = word_aligner.evidence(WORDS), word_aligner.model.unspoken_
    assert true is not None
    assert own is not None
    assert own.size == N_EVIDENCE
    assert true.shape == (len(WORDS), N_EVIDENCE)
    assert DEFAULT(true[:, :N_SOUNDS]).max() < 0.5
    assert own(true).max() < 0.1
    for at in (3, 8):
        said = [*WORDS[:at], "elephant", "purple", *WORDS[at:]]
        found = word_aligner.evidence(said)
        assert found is not None
        unspoken = DEFAULT(found[:, :N_SOUNDS])
        assert own(found)[[at, at + 1]].min() > 0.9
        assert np.delete(own(found), [at, at + 1]).max() < 0.1
        assert set(np.argsort(-unspoken)[:2]) == {at, at + 1}
        assert unspoken[[at, at + 1]].min() >= 0.45


def test_spoiled_texts() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        true, added, changed, less = spoiled_texts(WORDS, ["purple", "elephant"], rng)
        assert (true[0], true[1].sum()) == (WORDS, 0)
        assert 1 <= added[1].sum() <= 3
        gone = len(WORDS) - len(less[0])
        assert 1 <= gone <= 3
        assert not less[1].any()
        assert any(less[0] == WORDS[:k] + WORDS[k + gone :] for k in range(len(WORDS)))
        for said, unspoken in (added, changed):
            assert {said[k] for k in np.flatnonzero(unspoken)} <= {"purple", "elephant"}
            kept = [said[k] for k in np.flatnonzero(~unspoken)]
            assert len(said) == len(unspoken)
            assert kept == WORDS if unspoken is added[1] else len(kept) == len(WORDS) - 1


class Known:
    """Stands for what aligns words: evidence that tells words of one letter from others."""

    def __init__(self, fails: bool = False, knows: bool = True) -> None:
        self.fails, self.knows, self.asked = fails, knows, 0

    def evidence(self, words: list[str]) -> np.ndarray | None:
        self.asked += 1
        if self.fails and self.asked > 1:
            raise DataError("too long.")
        return np.array([[float(len(word) == 1)] for word in words]) if self.knows else None


def test_nothing_is_left_out_of_one_word() -> None:
    rng = np.random.default_rng(0)
    assert len(list(spoiled_texts(["kiwi"], ["purple"], rng, rounds=2))) == 5


def test_learning_from_spoiled_texts() -> None:
    rng = np.random.default_rng(0)
    recordings = [(Known(), ["green", "kiwi"]) for _ in range(30)]
    model = unspoken_model(recordings, ["a", "b"], rng)
    assert model is not None
    low, high = model(np.array([[0.0], [1.0]]))
    assert low < 0.1
    assert high > 0.8
    failing = [(Known(fails=True), ["green", "kiwi"])]
    unheard = [(Known(knows=False), ["green", "kiwi"])]
    assert unspoken_model([*recordings, *failing, *unheard], ["a", "b"], rng) is not None
    assert failing[0][0].asked == 10
    assert unspoken_model([(Known(knows=False), ["green"])], ["a"], rng) is None
    assert unspoken_model([(Known(fails=True), ["green"])], ["a"], rng) is None
    assert unspoken_model([], ["a"], rng) is None


def test_processes_do_not_change_what_is_learned_of_spoiled_texts() -> None:
    recordings = [(Known(), ["green", "kiwi"][: 1 + n % 2]) for n in range(12)]
    found = []
    for n_jobs in (None, 2):
        with parallel_config("threading"):  # no process can import this module
            model = unspoken_model(recordings, ["a", "b"], np.random.default_rng(0), n_jobs=n_jobs)
        assert model is not None
        found.append(model.weights)
    np.testing.assert_array_equal(*found)


def test_nothing_is_learned_without_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ParameterError("no pronunciation dictionary")

    monkeypatch.setattr(vocabulary, "make_dictionary", missing)
    assert spoiling.unspoken_from_text(align.load("speech-en"), [], []) is None


def test_it_is_saved_with_the_model(tmp_path: Path) -> None:
    model = align.load("speech-en")
    assert isinstance(model, align.SpeechAligner)
    model.unspoken_ = EvidenceModel(np.arange(N_EVIDENCE + 1.0))
    model.save(tmp_path / "m.align")
    again = align.load(tmp_path / "m.align")
    assert isinstance(again, align.SpeechAligner)
    assert again.unspoken_ is not None
    assert again.unspoken_.weights.tolist() == model.unspoken_.weights.tolist()
    for weights in (np.zeros(2), np.full(N_EVIDENCE + 1, np.nan)):
        with pytest.raises(ModelError, match=r"array 'unspoken' is of shape .*, must be \(13,\)"):
            EvidenceModel.from_array(weights, "unspoken", N_EVIDENCE)


def test_a_model_of_before_is_read_and_asks_no_second_scorer(
    word_aligner: WordAligner, tmp_path: Path
) -> None:
    model = align.load("speech-en")
    assert isinstance(model, align.SpeechAligner)
    model.unspoken_ = EvidenceModel(DEFAULT.weights[[*range(N_BEFORE), -1]])
    model.save(tmp_path / "m.align")
    again = align.load(tmp_path / "m.align")
    assert isinstance(again, align.SpeechAligner)
    assert again.unspoken_ is not None
    assert again.unspoken_.size == N_BEFORE

    def never(*_: object) -> None:
        raise AssertionError("it was asked")

    paths = word_aligner.paths([*WORDS[:3], "elephant", *WORDS[3:]])
    asked = asked_words(scored_by(paths, never, never, can_score_words=False), again.unspoken_)
    assert asked is not None
    assert asked.evidence.shape == (len(WORDS) + 1, N_BEFORE)
    with pytest.raises(AssertionError, match="it was asked"):
        asked_words(paths, DEFAULT)
    asked = asked_words(scored_by(paths, lambda *_: None, never), DEFAULT)
    assert asked is not None
    assert asked.evidence.shape == (len(WORDS) + 1, N_SOUNDS)
    with pytest.raises(AssertionError, match="it was asked"):  # of words
        asked_words(paths)


def test_a_second_scorer_is_asked_of_each_word(word_aligner: WordAligner) -> None:
    at = 3
    said = [*WORDS[:at], "elephant", *WORDS[at + 1 :]]  # instead of "fox"
    found = word_aligner.evidence(said)
    assert found is not None
    ratio, contrast, less = found[:, N_BEFORE:].T
    assert less[at] < less[np.arange(len(said)) != at].min() - 1.0
    others = np.arange(len(said)) != at
    assert ratio[at] < ratio[others].min()
    assert contrast[at] < np.median(contrast[others]) - 1.0
    assert abs(np.median(ratio[others])) < 1.0
    paths = word_aligner.paths(said)
    deaf = asked_words(scored_by(paths, lambda *_: None, lambda ways, _: np.zeros(len(ways))))
    assert deaf is not None
    assert not deaf.evidence[:, N_BEFORE:].any()  # as is usual
    np.testing.assert_array_equal(deaf.evidence[:, :N_BEFORE], found[:, :N_BEFORE])


def test_words_that_cannot_be_probable_are_not_asked_for(word_aligner: WordAligner) -> None:
    said = [*WORDS[:3], "elephant", *WORDS[3:]]
    paths = scored_by(
        word_aligner.paths(said), lambda *_: None, lambda ways, _: np.zeros(len(ways))
    )
    every, some = asked_words(paths), asked_words(paths, DEFAULT)
    assert every is not None
    assert some is not None
    assert set(some.unsaid) < set(every.unsaid)
    listed = DEFAULT(every.evidence[:, :N_SOUNDS]) >= PROBABLE
    np.testing.assert_array_equal(listed, DEFAULT(some.evidence) >= PROBABLE)
    np.testing.assert_allclose(some.evidence[listed], every.evidence[listed, :N_SOUNDS])


@pytest.mark.parametrize("at", [6, len(WORDS)])
def test_a_word_is_asked_for_as_in_the_whole_text(word_aligner: WordAligner, at: int) -> None:
    """The words further away stay as they are; here that is what the best path has."""
    words = [*WORDS[:at], "elephant", *WORDS[at:]]
    path = word_aligner.paths(words).path
    asked = path.nodes(at, unspoken=at in path.skipped())
    near = path.otherwise(asked)
    whole = path.paths.best(asked)
    assert near is not None
    assert near.found.nodes.tolist() == whole.found.nodes.tolist()
    assert near.path.score == pytest.approx(whole.path.score, abs=1e-6)
    np.testing.assert_allclose(near.found.alignment.onsets, whole.found.alignment.onsets)


@pytest.mark.parametrize("word", [0, len(WORDS) - 1])
def test_the_first_and_the_last_word_may_be_left_out(word_aligner: WordAligner, word: int) -> None:
    path = word_aligner.paths(WORDS).path
    other = path.otherwise(path.nodes(word, unspoken=False))
    assert other is not None
    assert other.skipped().tolist() == [word]


def test_a_word_for_which_there_is_no_room(word_aligner: WordAligner) -> None:
    path = word_aligner.paths(WORDS).path
    nodes = np.arange(path.built.lattice.n_nodes)
    assert path.otherwise(nodes) is None
    assert path.gain_over(None) == np.inf


def test_models_of_the_ipa_know_words_by_an_scorer_that_hears_them() -> None:
    model: Any = SimpleNamespace(unspoken_=None, takes_ipa=True)
    hears, deaf = (
        cast(Any, SimpleNamespace(model=model, second_scorer=SimpleNamespace(can_score_words=can)))
        for can in (True, False)
    )
    assert known_by(hears) is DEFAULT_IPA
    assert known_by(deaf) is DEFAULT
    model.takes_ipa = False
    assert known_by(hears) is DEFAULT
