"""Phone maps: those that come with Align, and users' own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.features.phones.articulatory import articulation
from align.formats import map_labels, nearest_label, read_phone_map
from align.formats.phone_map import PHONE_MAPS, unknown
from align.types import SILENCES

TIMIT_61 = set(
    "aa ae ah ao aw ax ax-h axr ay b bcl ch d dcl dh dx eh el em en eng epi er ey f g gcl h# "
    "hh hv ih ix iy jh k kcl l m n ng nx ow oy p pau pcl q r s sh t tcl th uh uw ux v w y z "
    "zh".split()
)


def test_timit48():
    mapping = read_phone_map("timit48")
    assert len(TIMIT_61) == 61
    assert TIMIT_61 <= set(mapping)
    assert len(set(mapping.values())) == 48
    pairs = {"h#": "sil", "pcl": "cl", "bcl": "vcl", "axr": "er", "ux": "uw", "em": "m", "q": "cl"}
    for source, target in pairs.items():
        assert mapping[source] == target
    assert all(mapping[target] == target for target in mapping.values())


def test_timit39_folds_timit48():
    to48, to39 = read_phone_map("timit48"), read_phone_map("timit39")
    assert len(set(to39.values())) == 39
    assert all(to39[phone] == to39[to48[phone]] for phone in TIMIT_61)


def test_classes():
    classes = read_phone_map("timit_classes")
    assert set(classes) == TIMIT_61 | {"sil", "cl", "vcl"}
    assert set(classes.values()) == set(
        "vowel approximant nasal fricative affricate closure burst silence".split()
    )
    to48 = read_phone_map("timit48")
    assert all(classes[phone] == classes[to48[phone]] for phone in TIMIT_61)


def test_timit_sample_is_covered(timit_sample):
    from align.formats import read_labels

    mapping = read_phone_map("timit48")
    for path in sorted(timit_sample.glob("*/*.phn"))[::8]:
        labels = read_labels(path)
        assert len(map_labels(labels.labels, mapping)) == len(labels)


@pytest.mark.parametrize(
    "text", ["from,to\na,b\nc , d\n", "a\tb\nc\td\n", "a b\n\nc   d\n", "Phone,class\na,b\nc,d"]
)
def test_own_maps(tmp_path, text):
    path = tmp_path / "map.txt"
    path.write_text(text)
    assert read_phone_map(path) == {"a": "b", "c": "d"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; give one `from,to` on each line"),
        ("from,to\n", "is empty"),
        ("a,b,c\n", "line 1: 'a,b,c' is not `from,to`"),
        ("a,b\nc\n", "line 2: 'c' is not `from,to`"),
        ("q,\n", "line 1: 'q,' maps to nothing; an event cannot be dropped"),
        ("a,b\na,c\n", "line 2: 'a' is mapped to 'c' here and to 'b' above"),
    ],
)
def test_maps_that_cannot_be_read(tmp_path, text, message):
    path = tmp_path / "map.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_phone_map(path)


def test_missing_maps(tmp_path):
    with pytest.raises(DataError, match=r"no phone map 'timit47': .* timit48, timit39, timit_cl"):
        read_phone_map("timit47")
    with pytest.raises(DataError, match=r"no.csv: does not exist"):
        read_phone_map(tmp_path / "no.csv")
    assert list(PHONE_MAPS) == ["timit48", "timit39", "timit_classes", "timit_ipa", "xsampa_ipa"]


def test_xsampa_is_ipa():
    to_ipa = read_phone_map("xsampa_ipa")
    said = ("<p:>", "@", "h\\", "t_h", "i:6", "OY", "tS", "s`")
    assert " ".join(to_ipa[x] for x in said) == "sil ə ɦ tʰ i͡ɐ ɔ͡ʏ t͡ʃ ʂ"
    assert all(articulation(x) for x in to_ipa.values() if x not in SILENCES)


def test_unknown_labels_are_named_with_the_nearest():
    with pytest.raises(
        DataError,
        match=r"^x.phn, line 4: the phone map does not know 'aaa' \(nearest known: 'aa'\)",
    ):
        map_labels(["k", "aaa"], read_phone_map("timit48"), path="x.phn", lines=[3, 4])


@pytest.mark.parametrize(
    ("label", "known", "nearest"),
    [
        ("aaa", ["aa", "ae", "b"], "aa"),
        ("AE1", ["aa", "ae"], "ae"),
        ("t͡ʃ", ["tʃ", "t", "d"], "tʃ"),
        ("aː", ["a", "e"], "a"),
        ("e", ["ɛ", "é", "o"], "é"),
        ("x", ["a", "b"], None),
        ("x", [], None),
    ],
)
def test_nearest_label(label, known, nearest):
    assert nearest_label(label, known) == nearest


def test_nearest_label_takes_texts_only():
    with pytest.raises(ParameterError, match="label=3, must be a text"):
        nearest_label(3, ["a"])


@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=6), st.text(max_size=4))
def test_nearest_label_does_not_depend_on_order(known, label):
    assert nearest_label(label, known) == nearest_label(label, known[::-1])
    assert nearest_label(known[0], [known[0]]) == known[0]


def test_an_empty_label_is_near_to_none() -> None:
    assert unknown("2", ["", "aa"]) == "'2'"
    assert unknown("a", ["", "aa"]) == "'a' (nearest known: 'aa')"
