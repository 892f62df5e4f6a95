"""Tables and JSON of other programs: the Montreal Forced Aligner, Praat, praatio, Gentle."""

import json
from pathlib import Path
from typing import Any

import pytest

from align.errors import DataError
from align.formats import read_labels
from align.formats.files import read_tiers
from align.speech.text import read_transcript

_MFA = """Begin,End,Label,Type,Speaker
0.4,0.8,quick,words,ann
0.8,1.5,fox,words,ann
0.4,0.6,K,phones,ann
0.6,0.8,W,phones,ann
0.8,1.5,F,phones,ann
"""
_PRAAT = """tmin\ttier\ttext\ttmax
0.3\tword\tfox\t0.6
0.3\tsounds\tf\t0.4
0.4\tsounds\to\t0.6
0.5\ttones\tH*\t0.5
"""
_WORDS: dict[str, Any] = {"entries": [[0.0, 0.4, ""], [0.4, 0.8, "quick"], [0.8, 1.5, "fox"]]}
_PHONES: dict[str, Any] = {"entries": [[0.4, 0.6, "K"], [0.6, 0.8, "W"], [0.8, 1.5, "F"]]}


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_words_and_phones_of_a_table_of_mfa_are_tiers(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", _MFA)
    words, phones = read_tiers(path)
    assert (words.name, words.labels) == ("ann - words", ("quick", "fox"))
    assert (phones.name, phones.labels) == ("ann - phones", ("K", "W", "F"))
    assert read_labels(path).labels == ("K", "W", "F")
    assert read_labels(path, tier="ann - words").labels == ("quick", "fox")
    assert [one.text for one in read_transcript(path)] == ["quick fox"]


def test_a_type_of_something_else_makes_no_tiers(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", "start,end,label,type\n0,1,k,stop\n1,2,iy,vowel\n")
    (phones,) = read_tiers(path)
    assert phones.name == "phones"
    assert phones.labels == read_labels(path).labels == ("k", "iy")


def test_a_row_without_a_tier_is_not_lost(tmp_path: Path) -> None:
    rows = "start,end,text,tier\n0.1,0.5,a quick fox,{}\n0.6,0.9,jumps,\n"
    path = _write(tmp_path / "a.csv", rows.format("Ann"))
    with pytest.raises(DataError, match=r"a.csv, line 3: names no tier here; fill it in"):
        read_transcript(path)
    none = _write(tmp_path / "b.csv", rows.format(""))
    assert [one.text for one in read_transcript(none)] == ["a quick fox", "jumps"]


def test_tiers_and_points_of_a_table_of_praat(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.tsv", _PRAAT)
    tiers = read_tiers(path)
    assert [(tier.name, tier.kind) for tier in tiers] == [
        ("word", "interval"),
        ("sounds", "interval"),
        ("tones", "point"),
    ]
    assert tiers.tiers[2].times == ((0.5, 0.5),)
    assert read_labels(path, tier="sounds").labels == ("f", "o")
    with pytest.raises(
        DataError, match=r"has no tier 'phones' \(interval tiers: 'word', 'sounds'"
    ):
        read_labels(path)


def test_samples_of_a_table_of_webmaus_are_not_taken_for_seconds(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", "BEGIN;DURATION;TOKEN;ORT;MAU\n6400;3200;0;quick;k\n")
    with pytest.raises(DataError, match=r"line 1: is a table of WebMAUS, whose times are samples"):
        read_labels(path)


@pytest.mark.parametrize("listed", [False, True])
def test_json_of_praatio(listed: bool, tmp_path: Path) -> None:
    tiers = {
        "words": _WORDS | {"type": "interval"},
        "phones": _PHONES,
        "t": {"entries": [[1, "H"]]},
    }
    content = (
        {"xmin": 0, "xmax": 1.6, "tiers": [{"name": n, **tier} for n, tier in tiers.items()]}
        if listed
        else {"start": 0, "end": 1.6, "tiers": tiers}
    )
    path = _write(tmp_path / "a.json", json.dumps(content))
    words, phones, tones = read_tiers(path)
    assert words.labels == ("sil", "quick", "fox")
    assert phones.times[-1] == (0.8, 1.5)
    assert read_tiers(path).duration == 1.6
    assert (tones.kind, tones.times) == ("point", ((1.0, 1.0),))
    assert read_labels(path).labels == ("K", "W", "F")
    assert [one.text for one in read_transcript(path)] == ["quick fox"]


@pytest.mark.parametrize("entry", [[0.1, "k"], ["0", 0.2, "k"], [0, 0.2, None], 5])
def test_an_entry_of_another_shape_is_named(entry: Any, tmp_path: Path) -> None:
    content = {"end": 1, "tiers": {"phones": {"entries": [[0, 0.1, "s"], entry]}}}
    path = _write(tmp_path / "a.json", json.dumps(content))
    with pytest.raises(DataError, match=r"entry 2 of tier 'phones' is not \[start, end, label\]"):
        read_labels(path)


def test_gentle_gives_its_text(tmp_path: Path) -> None:
    words = [{"word": "A", "case": "success", "start": 0.3, "end": 0.4}]
    path = _write(tmp_path / "a.json", json.dumps({"transcript": "A fox", "words": words}))
    (said,) = read_transcript(path)
    assert (said.text, said.start) == ("A fox", None)
    with pytest.raises(DataError, match='is not an alignment: it has no list "events"'):
        read_labels(path)
    with pytest.raises(DataError, match=r'"events"; what a recogniser wrote is a transcript'):
        read_tiers(path)


def test_a_text_instead_of_labels_is_told(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.lab", "oh yes they were here\n")
    with pytest.raises(DataError, match="a label file of words alone has no times to read"):
        read_labels(path)
