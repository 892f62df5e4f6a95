"""Numbers are read as they were said: the words of the kiwi's recording stand for some."""

from collections.abc import Sequence

import pytest
from kiwi_text import KIWI, WORDS

import align
from align.speech.text import (
    Dictionary,
    TextAlignment,
    Utterance,
    align_text,
    aligning,
    verbalisation,
)
from align.speech.text.aligning import words_as_said
from align.speech.text.parts import Recording
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.pronouncing.vocabulary import Vocabulary
from align.speech.text.reading.normalise import read_words
from align.speech.text.words import WordAligner

FIRST, LAST = "A quick brown", "jumps over the lazy dog, while a kiwi watches."


def with_words(**said: str) -> Dictionary:
    """Return the dictionary with these words."""
    return Dictionary({**dict(WORDS), **{word: [way] for word, way in said.items()}}, name="small")


FOX_IS_OH = with_words(zero="S AH0 SH AH0", oh="F AA1 K S", nought="M OY1")
FOX_IS_ZERO = with_words(zero="F AA1 K S", oh="S AH0 SH AH0", nought="M OY1")


def words_of(found: TextAlignment) -> list[str]:
    return [word for word in found.words.labels if word != "sil"]


def test_the_reading_that_was_said_counts(model: align.SpeechAligner) -> None:
    text = f"{FIRST} 0 {LAST}"
    oh = align_text(model, KIWI, text, dictionary=FOX_IS_OH, guess=False)
    assert oh.verbalised == (("zero", "oh"),)
    repaired = align_text(model, KIWI, text, dictionary=FOX_IS_OH, guess=False, repair=True)
    assert repaired.verbalised == oh.verbalised
    as_written = align_text(model, KIWI, text.replace("0", "oh"), dictionary=FOX_IS_OH)
    assert words_of(oh) == words_of(as_written)
    assert oh.phones.onsets.tolist() == as_written.phones.onsets.tolist()
    assert (oh.mismatches, as_written.verbalised) == ((), ())
    zero = align_text(model, KIWI, text, dictionary=FOX_IS_ZERO, guess=False)
    assert (zero.verbalised, words_of(zero)[3]) == ((), "zero")


def test_readings_may_have_different_numbers_of_words(model: align.SpeechAligner) -> None:
    """*three seventy*, which is said, and not *three hundred and seventy*."""
    numbers = with_words(three="K W IH1 K", seventy="B R AW1 N", hundred="SH OY1", seven="SH AH0",
                         zero="S AH0", oh="OY1", **{"and": "AE1 N D"})  # fmt: skip
    found = align_text(model, KIWI, f"A 370 fox {LAST}", dictionary=numbers, guess=False)
    assert found.verbalised == (("three hundred and seventy", "three seventy"),)
    expected = f"A three seventy fox {LAST}".replace(",", "").replace(".", "").split()
    assert words_of(found) == expected
    assert found.mismatches == ()


def test_each_turn_has_its_own_readings(model: align.SpeechAligner) -> None:
    """Also of several speakers, whose words are counted apart, and with times."""
    watches = with_words(zero="S AH0 SH AH0", oh="F AA1 K S", nought="W AA1 CH AH0 Z")
    turns = [
        Utterance("A quick brown 0", speaker="Ann"),
        Utterance("jumps over the lazy dog, while", speaker="Bob"),
        Utterance("a kiwi 0", speaker="Ann"),
    ]
    found = align_text(model, KIWI, turns, dictionary=watches, guess=False)
    assert found.verbalised == (("zero", "oh"), ("zero", "nought"))
    said = [word for word in found.speakers["Ann"].words.labels if word != "sil"]
    assert said == ["A", "quick", "brown", "oh", "a", "kiwi", "nought"]
    loose = [
        Utterance("jumps over the lazy dog, while a kiwi 0", 1.2, 3.5, loose=True),
        Utterance("A quick brown 0", 0.2, 1.3, loose=True),
    ]
    found = align_text(model, KIWI, loose, dictionary=watches, guess=False)
    assert found.verbalised == (("zero", "oh"), ("zero", "nought"))


def test_readings_that_cannot_be_looked_up_are_not_taken(model: align.SpeechAligner) -> None:
    only = with_words(zero="S AH0 SH AH0")
    found = align_text(model, KIWI, f"{FIRST} 0 {LAST}", dictionary=only, guess=False)
    assert (found.verbalised, words_of(found)[3]) == ((), "zero")


def test_a_word_that_is_missing_takes_its_own_readings_alone(model: align.SpeechAligner) -> None:
    """The dictionary has *oh*, and no *nought*."""
    some = with_words(zero="S AH0 SH AH0", oh="F AA1 K S")
    found = align_text(model, KIWI, f"{FIRST} 0 {LAST}", dictionary=some, guess=False)
    assert found.verbalised == (("zero", "oh"),)


def test_known_times_are_those_of_the_usual_reading(model: align.SpeechAligner) -> None:
    text = f"{FIRST} 0 {LAST}"
    at = align_text(model, KIWI, text, dictionary=FOX_IS_OH, guess=False).words.onsets[4]
    held = align_text(model, KIWI, text, dictionary=FOX_IS_OH, anchors={3: float(at)})
    assert (held.verbalised, words_of(held)[3]) == ((), "zero")


def test_a_reading_is_given_up_where_all_fits_worse(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("align.speech.text.verbalisation._LOG_ODDS", -1e6)  # the worst is taken
    found = align_text(model, KIWI, f"{FIRST} 0 {LAST}", dictionary=FOX_IS_ZERO, guess=False)
    assert (found.verbalised, words_of(found)[3]) == ((), "zero")


@pytest.mark.parametrize(
    ("said", "likelier", "anything", "judging", "taken"),
    [
        ("one hundred one", 0.5, 90.0, True, True),  # as usual as with its *and*
        ("one oh one", 3.0, -9.0, True, False),
        ("one oh one", 5.0, -9.0, True, True),
        ("one oh one", 5.0, 9.0, True, True),
        ("one oh one", 5.0, 11.0, True, False),  # nearer to the usual one than to any sound
        ("one oh one", 5.0, 11.0, False, True),
    ],
)
def test_how_much_likelier_a_reading_must_be(
    said: str,
    likelier: float,
    anything: float,
    judging: bool,
    taken: bool,
    model: align.SpeechAligner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def score(aligner: object, words: Sequence[str], span: object) -> float:
        middle = " ".join(words[1:-1])
        known = {"one hundred and one": 0.0, said: likelier, "***": anything}
        return known.get(middle, -99.0)

    monkeypatch.setattr(verbalisation, "_score", score)
    reading = read_words("about 101 kiwis")
    (several,) = reading.several
    entries = dict.fromkeys((w for way in several.ways for w in way), Entry("", (), "rule"))
    aligner = WordAligner(model, Recording.read(KIWI, None, model, "kiwi"), entries, judging)
    times = {k: (0.1 * k, 0.1 * k + 0.1) for k in range(len(reading.words))}
    found = verbalisation._best_of(aligner, reading, several, [(0, ("about",))], times, [])
    assert " ".join(found) == (said if taken else "one hundred and one")


def test_words_as_said_for_those_who_learn(
    model: align.SpeechAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Vocabulary.of(FOX_IS_OH, guess=False)
    said = words_as_said(model, KIWI, f"{FIRST} 0 {LAST}", words)
    assert said == tuple(f"{FIRST} oh {LAST}".replace(",", "").replace(".", "").split())

    def no_room(*given: object, **options: object) -> TextAlignment:
        raise align.DataError("the words do not fit.")

    monkeypatch.setattr(aligning._Asked, "aligned", no_room)
    assert words_as_said(model, KIWI, "0 kiwis", words) == ("zero", "kiwis")
