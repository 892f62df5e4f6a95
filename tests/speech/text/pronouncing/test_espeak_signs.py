"""What espeak-ng prints where it has no IPA is read as what it means."""

import pytest

from align.features.articulatory import articulation
from align.speech.text.pronouncing.arpabet import ARPABET_TO_IPA, IpaLabels
from align.speech.text.pronouncing.espeak import espeak_available, espeak_phones
from align.speech.text.pronouncing.espeak_signs import from_espeak


@pytest.mark.parametrize(
    ("printed", "language", "meant"),
    [
        ("th", "cmn-latn-pinyin", "tʰ"),
        ("ts.h", "cmn", "ʈʂʰ"),
        ("s.", "cmn", "ʂ"),
        ("i.5", "cmn", "ɨ"),
        ("kh", "ko", "kʰ"),
        ("r.", "hi", "ɽ"),
        ("a.ː", "ar", "aˤː"),
        ("?ɑ", "da", "ɑˀ"),
        ("ʔu", "da", "uˀ"),
        ("ʔ", "ar", "ʔ"),
        ("n#", "is", "n̥"),
        ('u"', "ru", "ʉ"),
        ("k^", "mk", "kʲ"),
        ("t`", "om", "tʼ"),
        ("a`", "lv", "a"),
        ("tS", "ky", "tʃ"),
        ("aɜ", "vi", "a3"),
        ("iɛ7", "vi-vn-x-central", "iɛ7"),
        ("ɜ", "en-gb", "ɜ"),
        ("ɜː", "en-gb", "ɜː"),
        ("aa", "tn", "aː"),
        ("ey", "fi", "e͡y"),
        ("tʃ", "en", "tʃ"),
        ("ts", "de", "ts"),
    ],
)
def test_each_sign_is_read_as_it_is_meant(printed: str, language: str, meant: str) -> None:
    phone = from_espeak(printed, language)
    assert phone == meant
    assert phone in IpaLabels()


def test_a_tone_is_no_vowel() -> None:
    assert (articulation(from_espeak("aɜ", "yue")).vector == articulation("a").vector).all()


def test_no_phone_has_the_name_of_another_in_arpabet() -> None:
    for name in ARPABET_TO_IPA:
        if len(name) > 1:
            assert from_espeak(name, "xx") not in ARPABET_TO_IPA


@pytest.mark.skipif(not espeak_available(), reason="espeak-ng is not installed")
def test_espeak_says_what_it_means_in_the_ipa() -> None:
    assert espeak_phones("til", "is") == ("t", "ɪː", "l̥")
    assert "3" in "".join(espeak_phones("sáng", "vi") or ())
