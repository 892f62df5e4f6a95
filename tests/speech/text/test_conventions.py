"""Transcripts as people write them: noise, hesitations, words that were cut off."""

import pytest

from align.speech.text import Dictionary, look_up, split_words
from align.speech.text.reading.normalise import spoken_noise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("so [laughter] yes", "so|[laughter]|yes"),
        ("so (inaudible) yes", "so|(inaudible)|yes"),
        ("so (inaudible 00.01), yes", "so|(inaudible 00.01)|yes"),
        ("so (Laughs) yes", "so|(Laughs)|yes"),
        ("so (he said) yes", "so|he|said|yes"),
        ("so (( )) yes", "so|(( ))|yes"),
        ("so *** yes * no", "so|***|yes|***|no"),
        ("so xxx, yes yyy.", "so|***|yes|***"),
        ("*bold* it is", "bold|it|is"),
        ("&=laughs so &-um yes %uh", "[laughs]|so|um|yes|uh"),
        ("so (.) yes (..) no (2.5) well", "so|yes|no|well"),
        ("&+wh what &r run", "wh-|what|r-|run"),
        ("wh- what, pl-, please", "wh-|what|pl-|please"),
        ("one - two -- three", "one|two|three"),
        ("wh-what s-s-stop I-I", "wh-|what|s-|s-|stop|I-I"),
        ("so (3 sec) yes (ca. 2 Sek. Pause) no", "so|yes|no"),
        (
            "so (lange Pause) yes (lacht) (clears throat)",
            "so|(lange Pause)|yes|(lacht)|(clears throat)",
        ),
        ("so XXX, yes +/. no ° ==== 5°", "so|***|yes|no|five|degrees"),
    ],
)
def test_marks_of_noise_and_of_what_was_cut_off(text: str, words: str) -> None:
    assert "|".join(split_words(text)) == words


def test_tokens_of_the_user() -> None:
    assert split_words("so %%bell yes", tokens={"%%bell"}) == ("so", "%%bell", "yes")
    assert split_words("so NOISE yes", tokens={"NOISE"}) == ("so", "NOISE", "yes")
    assert spoken_noise("NOISE", {"NOISE"})
    assert not spoken_noise("NOISE")


ENGLISH = Dictionary(
    {"what": ["W AH1 T"], "where": ["W EH1 R"], "please": ["P L IY1 Z"], "w.": ["D AH1"]},
    language="en",
)


def test_a_word_that_was_cut_off_is_any_beginning() -> None:
    found = look_up("wh-", ENGLISH, guess=False)
    assert {way.phones for way in found.ways} == {("W",), ("W", "AH1"), ("W", "EH1")}
    assert look_up("pl-", ENGLISH, guess=False).ways[-1].phones == ("P", "L")
    assert look_up("zz-", ENGLISH, guess=False) is None


@pytest.mark.parametrize("word", ["um", "Uh", "ah", "mm", "hm", "erm", "mm-hmm"])
def test_hesitations_need_no_dictionary(word: str) -> None:
    assert look_up(word, ENGLISH, guess=False) is not None
    assert look_up(word, Dictionary({"was": ["v a s"]}, language="de"), guess=False) is None
