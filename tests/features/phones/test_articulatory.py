"""IPA labels as vectors: letters, diacritics, ties, what is ignored and what is refused."""

import unicodedata

import numpy as np
import pytest

from align.errors import DataError
from align.features.phones.articulatory import (
    BROAD_CLASSES,
    FEATURES,
    _letters,
    _marks,
    articulation,
)
from align.formats.phone_map import read_phone_map


def features(label):
    vector = articulation(label).vector
    return {name for name, value in zip(FEATURES, vector, strict=True) if value >= 0.5}


def test_a_letter_has_what_the_chart_says():
    assert features("b") == {"stop", "labial", "voiced"}
    assert features("ʃ") == {"fricative", "sibilant", "postalveolar"}
    assert features("u") == {"vowel", "voiced", "rounded", "close", "back"}
    assert features("w") == {"approximant", "labial", "velar", "voiced", "rounded"}


def test_every_letter_is_different_but_for_what_the_features_cannot_tell():
    seen = {}
    for letter, vector in _letters().items():
        seen.setdefault(vector.tobytes(), []).append(letter)
    alike = [letters for letters in seen.values() if len(letters) > 1]
    assert alike == [["ɾ", "ɺ"]] or alike == []


def test_vectors_are_shares():
    for letter in _letters():
        for mark in ["", *_marks()]:
            vector = articulation(letter + mark).vector
            assert vector.min() >= -0.5
            assert vector.max() <= 1
            assert vector.any()


@pytest.mark.parametrize(
    ("label", "gained"),
    [
        ("tʰ", "aspirated"),
        ("kʷ", "rounded"),
        ("qʼ", "ejective"),
        ("q'", "ejective"),
        ("aː", "long"),
        ("a:", "long"),
        ("ã", "nasalised"),
        ("e˞", "rhotic"),
        ("n̩", "syllabic"),
        ("a̤", "breathy"),
    ],
)
def test_a_diacritic_adds_its_feature(label, gained):
    base = unicodedata.normalize("NFD", label)[0]
    assert features(label) - features(base) == {gained}


def test_voiceless_takes_voice_away_and_dental_moves_the_tongue():
    assert features("l") - features("l̥") == {"voiced"}
    assert features("t̪") == {"stop", "dental"}


@pytest.mark.parametrize(
    ("label", "opening", "closing"),
    [
        ("t͡ʃ", "voiceless stop", "voiceless fricative"),
        ("tʃ", "voiceless stop", "voiceless fricative"),
        ("d͡zʷ", "voiced stop", "voiced fricative"),
        ("ŋ͡m", "nasal", "nasal"),
        ("k͡p", "voiceless stop", "voiceless stop"),
        ("ⁿd", "voiced stop", "voiced stop"),
        ("mb", "nasal", "voiced stop"),
        ("w͡a", "approximant", "vowel"),
        ("h̩͡ŋ", "breath", "nasal"),
        ("ʔ", "glottal stop", "glottal stop"),
        ("l̥", "voiceless fricative", "voiceless fricative"),
        ("", "silence", "silence"),
        ("sil", "silence", "silence"),
    ],
)
def test_broad_classes_of_either_edge(label, opening, closing):
    found = articulation(label)
    assert (found.opening, found.closing) == (opening, closing)
    assert {opening, closing} <= set(BROAD_CLASSES)


def test_several_letters_in_one_label():
    assert features("t͡ʃ") >= {"affricate", "stop", "fricative", "sibilant"}
    assert features("k͡p") == {"stop", "velar", "labial"}
    assert "prenasalised" in features("mb")
    np.testing.assert_allclose(
        articulation("aɪ").vector[1:-1],
        ((articulation("a").vector + articulation("ɪ").vector) / 2)[1:-1],
    )
    assert articulation("aɪ").has("contour")


@pytest.mark.parametrize(
    ("label", "same"),
    [("ˈa", "a"), ("a˥˩", "a"), ("a1", "a"), ("g", "ɡ"), ("ã", "ã"), ("t\u0357", "t"), ("ç", "ç")],
)
def test_what_is_ignored_or_spelt_in_two_ways(label, same):
    assert (articulation(label).vector == articulation(same).vector).all()


@pytest.mark.parametrize("label", ["Ж", "aЖ", "!"])
def test_an_unknown_letter_is_an_error(label):
    with pytest.raises(DataError, match="is no letter of the IPA"):
        articulation(label)


def test_a_label_without_letter_is_an_error():
    with pytest.raises(DataError, match="holds no letter"):
        articulation("ʰ")


def test_every_phone_of_timit_is_mapped_to_ipa():
    to_ipa, classes = read_phone_map("timit_ipa"), read_phone_map("timit48")
    assert set(classes) <= set(to_ipa) | set(classes.values()) | {"#h", "qcl"}
    for label in to_ipa.values():
        articulation(label)


def test_every_label_of_the_languages_at_hand_can_be_read(shared_data):
    import align

    corpus = align.read_corpus(shared_data / "speech" / "voxangeles")
    labels = {str(event) for example in corpus for event in example.events}
    assert len(labels) > 200
    for label in labels:
        articulation(label)
