"""What espeak-ng prints where it has no IPA is read as what it means."""

import pytest

from align.features.phones.articulatory import articulation
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
        ("ər2", "cmn", "ɚ"),
        ("ts.", "cmn", "ʈʂ"),
        ("onɡ5", "cmn", "ʊ ŋ"),
        ("uoɜʲ", "cmn-latn-pinyin", "uo"),
        ("kh", "ko", "kʰ"),
        ("q- ɐ tʃ h i", "ko", "k ɐ tʃʰ i"),
        ("r.", "hi", "ɽ"),
        ("cʰcʰ", "hi", "tʃʰ"),
        ("ɟ", "mr", "dʒ"),
        ("ɟ", "tr", "ɟ"),
        ("a.ː", "ar", "aˤː"),
        ("?ɑ", "da", "ɑˀ"),
        ("ʔu", "da", "uˀ"),
        ("ʔ", "ar", "ʔ"),
        ("?", "om", "ʔ"),
        ("k ?? ts", "de", "k ʊɐ ts"),
        ("t ɑː", "de", "t aː"),
        ("n#", "is", "n̥"),
        ('u"', "ru", "ʉ"),
        ("m y", "ru", "m ɨ"),
        ("ja ɭ ɭʲ", "ru", "j a ɫ lʲ"),
        ("ɑʲ", "be", "ɑ"),
        ("l̩ a ɭ ie", "lt", "ɫ a lʲ ie"),
        ("l̩", "or", "ɭ"),
        ("nʲʲ", "ro", "nʲ"),
        ("k^", "mk", "kʲ"),
        ("t`", "om", "tʼ"),
        ("a`", "lv", "a"),
        ("tS", "ky", "tʃ"),
        ("N", "ky", "ŋ"),
        ("oe", "ky", "ø"),
        ("u:", "ky", "uː"),
        ("d y", "pt-br", "d ɪ"),
        ("y", "sv", "y"),
        ("sx", "sv", "ɧ"),
        ("aɜ", "vi", "a3"),
        ("iɛ7", "vi-vn-x-central", "iɛ7"),
        ("əʊəʊ", "vi", "əʊ"),
        ("cr u1 ŋ", "vi-vn-x-central", "ʈ u1 ŋ"),
        ("z aaiɜ", "yue", "ts aːi3"),
        ("c aanɡ2", "yue", "tsʰ aː2 ŋ"),
        ("b a1 k", "yue", "p ɐ1 k"),
        ("k w oɜ k", "yue", "kʰ w o3 k"),
        ("h oenɡ1", "yue", "h œ1 ŋ"),
        ("nɡ5", "yue", "ŋ5"),
        ("ɜ", "en-gb", "ɜ"),
        ("ɜː", "en-gb", "ɜː"),
        ("əl", "fr", "ə l"),
        ("aa", "tn", "aː"),
        ("e̞e̞", "ja", "e̞ː"),
        ("iəiə", "af", "iə"),
        ("ey", "fi", "e͡y"),
        ("tʃ", "en", "tʃ"),
        ("ts", "de", "ts"),
    ],
)
def test_each_sign_is_read_as_it_is_meant(printed: str, language: str, meant: str) -> None:
    phones = from_espeak(printed.split(), language)
    assert phones == tuple(meant.split())
    assert all(phone in IpaLabels() for phone in phones)


def test_a_tone_is_no_vowel() -> None:
    (phone,) = from_espeak(["iɜ"], "yue")
    assert (articulation(phone).vector == articulation("i").vector).all()


def test_no_phone_has_the_name_of_another_in_arpabet() -> None:
    for name in ARPABET_TO_IPA:
        if len(name) > 1:
            assert not set(from_espeak([name], "xx")) & ARPABET_TO_IPA.keys()


@pytest.mark.skipif(not espeak_available(), reason="espeak-ng is not installed")
def test_espeak_says_what_it_means_in_the_ipa() -> None:
    assert espeak_phones("til", "is") == ("t", "ɪː", "l̥")
    assert "3" in "".join(espeak_phones("sáng", "vi") or ())


@pytest.mark.skipif(not espeak_available(), reason="espeak-ng is not installed")
def test_no_vowel_of_german_is_lost() -> None:
    for word in ("durch", "kurz", "wurde", "Hamburg"):
        assert any("ʊ" in phone for phone in espeak_phones(word, "de") or ()), word
