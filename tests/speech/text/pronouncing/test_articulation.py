"""Choices by articulation: what phones of any language may become, and learning what they cost."""

from itertools import product

import pytest

import align
from align.features.phones.articulatory import articulation
from align.speech.text import Entry, Pronunciation, align_text, word_lattice
from align.speech.text.lattice import Realised, WordLattice
from align.speech.text.pronouncing.articulation import IpaRules, sound_of
from align.speech.text.pronouncing.realisation import Context

RULES = IpaRules()


def at(left: str, right: str, place: str = "inner", *, weak: bool = False) -> Context:
    return Context(left, right, place in ("first", "only"), place in ("last", "only"), weak)


def said(built: WordLattice) -> set[str]:
    """Return what can be said, one path of the lattice after the other."""
    lattice = built.lattice
    ends, todo, found = set(lattice.ends.tolist()), [[v] for v in lattice.starts.tolist()], set()
    while todo:
        path = todo.pop()
        if path[-1] in ends:
            found.add(" ".join(lattice.labels[v] for v in path))
        todo += [[*path, v] for u, v in lattice.arcs.tolist() if u == path[-1]]
    return found


def test_vowels_that_are_not_written_may_stand_between_consonants() -> None:
    ways = (Pronunciation(("k", "aː", "t", "b")),)
    found = {}
    for unwritten in ((), ("a", "i")):
        entries = {"كاتب": Entry("كاتب", ways, "espeak", unwritten)}
        built = word_lattice(["كاتب"], entries, realised=Realised(IpaRules(every=False), {}))
        found[unwritten] = said(built)
        # each vowel is a phone of its own, of this word
        assert {built.phones[p] for p in built.place[built.place >= 0]} >= set(unwritten)
    assert found[()] == {"sil k aː t b sil"}
    between = ("t", "t a", "t i")
    assert found["a", "i"] == {f"sil k aː {t} b sil" for t in between}


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ("p b p̪", "labial stop"),
        ("t d̥ ʈ", "coronal stop"),
        ("k ɡ q g", "dorsal stop"),
        ("ʔ", "glottal stop"),
        ("h ɦ", "breath"),
        ("s z ʃ θ", "coronal fricative"),
        ("f v β", "labial fricative"),
        ("x ç χ ɣ", "dorsal fricative"),
        ("t͡s dʒ", "coronal affricate"),
        ("r ɾ ʁ ʀ ɹ", "rhotic"),
        ("l ɫ", "coronal lateral"),
        ("m", "labial nasal"),
        ("ŋ", "dorsal nasal"),
        ("j", "dorsal glide"),
        ("ə", "schwa"),
        ("a iː œ aɪ ɛɐ", "vowel"),
    ],
)
def test_kinds_of_sounds(labels: str, kind: str) -> None:
    for label in labels.split():
        assert str(sound_of(label)) == kind, label
    assert str(sound_of("sil")) == "silence"


@pytest.mark.parametrize(
    ("phone", "where", "expected"),
    [
        ("ə", at("b", "n"), "ə|"),
        ("n", at("ə", "", "last"), "n"),
        ("n", at("b", "z"), "n|m"),
        ("ŋ", at("ɪ", "b"), "ŋ|m"),
        ("t", at("s", "a"), "t|d|"),
        ("t", at("s", "a", "only"), "t|d"),
        ("k", at("a", "a"), "k|ɡ"),
        ("ɡ", at("a", "n"), "ɡ|k|"),
        ("z", at("", "a", "first"), "z|s"),
        ("ɾ", at("iː", "t"), "ɾ|ɐ|"),
        ("ɾ", at("t", "iː"), "ɾ"),
        ("a", at("t", "s"), "a|ə"),
        ("aː", at("t", "s"), "aː"),
        ("h", at("a", "a"), "h|"),
        ("l", at("a", "a"), "l"),
    ],
)
def test_choices(phone: str, where: Context, expected: str) -> None:
    choices = RULES.of(phone, where)
    assert "|".join("".join(choice.labels) for choice in choices) == expected
    assert choices[0].names == ()
    assert all(choice.names for choice in choices[1:])


def test_every_choice_has_letters_and_names_of_its_own() -> None:
    phones = "p b t d k ɡ m n ŋ r l s z ʃ ʒ f v x h j w a e ɪ ə ʔ t͡s".split()
    for phone, left, right in product(phones, ["", "a", "n", "b"], ["", "ə", "k", "t"]):
        choices = RULES.of(phone, at(left, right))
        for choice in choices:
            for label in choice.labels:
                assert articulation(label)
        assert len({choice.names for choice in choices}) == len(choices)


def test_a_word_keeps_a_phone_and_a_glottal_stop_belongs_to_it() -> None:
    entries = {w: Entry(w, (Pronunciation(tuple(w)),)) for w in ("da", "ət")}
    built = word_lattice(["da", "ət"], entries, realised=Realised(RULES, {}))
    found = said(built)
    assert "sil d a t sil" in found
    assert "sil a ə sil" in found
    assert "sil a sil" not in found
    assert "sil d a ʔ ə t sil" in found
    stops = [n for n, label in enumerate(built.lattice.labels) if label == "ʔ"]
    assert {int(built.word[n]) for n in stops} == {1}


@pytest.mark.parametrize(
    ("phone", "where", "expected"),
    [
        ("t", at("a", "k", "last"), "t|"),
        ("t", at("a", "s", "last"), "t"),
        ("t", at("a", "k"), "t"),
        ("t", at("a", "k", "only"), "t"),
        ("n", at("a", "k", "last"), "n"),
        ("s", at("a", "ʃ", "last"), "s|"),
        ("s", at("a", "ʃ"), "s"),
        ("s", at("a", "f", "last"), "s"),
        ("ʃ", at("a", "s", "last"), "ʃ"),
        ("h", at("", "a", "first"), "h"),
    ],
)
def test_of_a_language_not_heard_only_what_goes_into_the_next_word_goes(
    phone: str, where: Context, expected: str
) -> None:
    rules = IpaRules(every=False)
    assert "|".join(" ".join(c.labels) for c in rules.of(phone, where)) == expected
    assert rules.glottal("a", where) is None


def test_stops_that_are_not_released_have_a_name() -> None:
    assert RULES.of("t", at("a", "k", "last"))[-1].names[-1] == "unreleased"
    assert "unreleased" not in RULES.of("t", at("a", "s", "last"))[-1].names


def test_costs_of_a_model_in_the_ipa_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.resources import files

    from align.speech.text import Dictionary

    model = align.load("speech-any")
    words = Dictionary({"the": ["ð ə"], "kiwi": ["k iː w iː"]})
    audio = str(files("align.data") / "kiwi.flac")
    dropped = {}
    for cost in (-100.0, 100.0):
        model.realisations_ = {"schwa>0": cost, "breath>0": -100.0, "glide>0": -100.0, "0": 0.0}
        found = align_text(model, audio, "the kiwi", dictionary=words)
        dropped[cost] = found.phones.labels.count("ə") == 0
    assert dropped == {-100.0: False, 100.0: True}


def test_a_language_that_nobody_can_pronounce_is_refused_before_training() -> None:
    aligner = align.SpeechAligner("universal", language="zz")
    with pytest.raises(align.ParameterError, match="language='zz'"):
        aligner.fit([])
