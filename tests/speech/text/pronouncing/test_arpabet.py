"""ARPABET and IPA."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.speech.text.pronouncing.arpabet import (
    ARPABET_TO_IPA,
    IpaLabels,
    arpabet_to_ipa,
    ipa_to_arpabet,
    plain_phone,
    spell,
)

PHONES = st.lists(st.sampled_from(sorted(ARPABET_TO_IPA)), min_size=1, max_size=8)


@given(PHONES)
def test_there_and_back(phones: list[str]) -> None:
    assert ipa_to_arpabet(arpabet_to_ipa(phones)) == tuple(phones)


@given(PHONES)
def test_a_pronunciation_can_be_spelled_in_either_alphabet(phones: list[str]) -> None:
    ipa = set(ARPABET_TO_IPA.values())
    stressed = [f"{phone.upper()}1" for phone in phones]
    assert spell(stressed, set(ARPABET_TO_IPA)) == tuple(phones)
    assert spell(stressed, ipa) == arpabet_to_ipa(phones)
    assert spell(arpabet_to_ipa(phones), set(ARPABET_TO_IPA)) == tuple(phones)


@pytest.mark.parametrize(
    ("ipa", "arpabet"),
    [
        ("kˈiːtli", "k iy t l iy"),
        ("t͡ʃɪp", "ch ih p"),
        ("d͜ʒʌdʒ", "jh ah jh"),
        ("bˈʌʔn̩", "b ah q en"),
        ("pʰɔːɹt", "p ao r t"),
        ("bɜːd", "b er d"),
        ("bɝd", "b er d"),
        ("fʌɪə", "f ay ax"),
        ("nəʊ", "n ow"),
        ("ɫʊk", "l uh k"),
    ],
)
def test_ipa_as_people_write_it(ipa: str, arpabet: str) -> None:
    assert ipa_to_arpabet(ipa) == tuple(arpabet.split())


def test_unknown_symbols_are_not_guessed() -> None:
    assert ipa_to_arpabet("k!a") is None or "!" not in ARPABET_TO_IPA
    assert ipa_to_arpabet("ǃ") is None
    assert spell(["ǃ"], {"k"}) is None
    assert spell(["K", "ZH"], {"k"}) is None


def test_a_set_without_reduced_vowels_gets_the_full_ones() -> None:
    assert spell(["axr", "el", "dx"], {"er", "ah", "l", "t"}) == ("er", "ah", "l", "t")
    assert spell(["ɾ"], {"t"}) == ("t",)


def test_labels_of_the_model_go_first() -> None:
    assert spell(["AH0"], {"AH0", "ah"}) == ("AH0",)
    assert spell(["1"], {"1"}) == ("1",)
    assert plain_phone("1") == "1"


def test_models_of_every_phone_get_ipa() -> None:
    known = IpaLabels()
    assert spell(["K", "IY1", "AH0", "HH"], known) == ("k", "i", "ʌ", "h")
    assert spell(["Y", "UW1", "R"], known) == ("j", "u", "ɹ")
    assert spell(["ch", "iy"], known) == ("tʃ", "i")
    assert spell(["ʃ", "øː", "n"], known) == ("ʃ", "øː", "n")
    assert spell(["7"], known) is None
    assert "cl" not in known
    assert set(known) == set(ARPABET_TO_IPA.values())
    assert len(list(known)) == len(known)
