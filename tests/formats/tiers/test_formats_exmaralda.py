"""EXMARaLDA files: round trips, what other programs write, and damaged files."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from drawn_tiers import NAMES, drawn_tiers, interval_tier
from hypothesis import given, settings
from hypothesis import strategies as st

from align.errors import DataError
from align.formats import read_labels, read_tiers, write_labels, write_tiers
from align.formats.files import left_out
from align.formats.tiers.tier import Tier, Tiers
from align.results.alignment import Alignment
from align.speech.text import read_transcript
from align.speech.text.tiers import SpeakerTiers, TextAlignment

OF_EXMARALDA = """<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription><head><meta-information><referenced-file url="talk.wav"/></meta-information>
<speakertable><speaker id="SPK0"><abbreviation>ANN</abbreviation></speaker></speakertable></head>
<basic-body><common-timeline><tli id="T0" time="0.5"/><tli id="T1"/><tli id="T2" time="1.5"/>
<tli id="T3" time="2.0" type="appl"/></common-timeline>
<tier id="TIE0" speaker="SPK0" category="v" type="t" display-name="ANN [v]">
<event start="T0" end="T1">no </event><event start="T1" end="T2">key</event></tier>
<tier id="TIE1" speaker="SPK0" category="nv" type="d"><event start="T2" end="T3">laughs</event>
</tier></basic-body></basic-transcription>
"""


def with_text(tiers: Tiers) -> list[tuple[Any, ...]]:
    """Name, kind, and what is labelled when, in seconds."""
    found = []
    for tier in tiers:
        rows = [
            (label, *times)
            for label, times in zip(tier.labels, tier.times, strict=True)
            if label not in ("", "sil") or tier.kind == "point"
        ]
        found.append((tier.name, tier.kind, rows))
    return found


@settings(max_examples=25)
@given(names=NAMES, data=st.data())
def test_every_tier_survives_the_way_to_exmaralda_and_back(tmp_path_factory, names, data) -> None:
    whole = drawn_tiers(names, data, 700)
    path = tmp_path_factory.mktemp("exb") / "a.exb"
    write_tiers(path, whole)
    back = read_tiers(path)
    assert with_text(back) == with_text(whole)
    assert back.duration == whole.duration


def test_what_exmaralda_writes(tmp_path: Path) -> None:
    path = tmp_path / "talk.exb"
    path.write_text(OF_EXMARALDA, encoding="utf-8")
    tiers = read_tiers(path)
    assert with_text(tiers) == [
        ("ANN [v]", "interval", [("no", 0.5, 1.0), ("key", 1.0, 1.5)]),
        ("nv", "interval", [("laughs", 1.5, 2.0)]),
    ]
    assert read_labels(path, tier="ANN [v]", duration=2.0).labels == ("sil", "no", "key", "sil")
    path.write_text(
        OF_EXMARALDA.replace(' category="nv"', ' category="nv" display-name="ANN [v]"')
    )
    assert [tier.name for tier in read_tiers(path)] == ["ANN [v] (TIE0)", "ANN [v] (TIE1)"]


def test_words_and_phones_of_speakers(tmp_path: Path) -> None:
    words = Alignment(["sil", "key"], [0.0, 0.1], 1.0, audio="/somewhere/kiwi.wav")
    phones = Alignment(["sil", "k", "iy"], [0.0, 0.1, 0.2], 1.0, audio="/somewhere/kiwi.wav")
    both = SpeakerTiers(words, phones, np.array([0, 1, 1]))
    for speakers in ({"": both}, {"Ann": both, "Bob": both}):
        found = TextAlignment(speakers)
        found.write(tmp_path / "a.exb", overwrite=True)
        root = ElementTree.parse(tmp_path / "a.exb").getroot()
        tiers = list(root.iter("tier"))
        assert [tier.get("type") for tier in tiers] == ["t", "a"] * len(speakers)
        assert len({tier.get("speaker") for tier in tiers}) == len(speakers)
        assert [one.text for one in root.iter("abbreviation")] == [n or "X" for n in speakers]
        assert root.find(".//referenced-file").get("url") == "kiwi.wav"  # type: ignore[union-attr]
        read = read_tiers(tmp_path / "a.exb").speakers()
        assert [speaker.name for speaker in read] == list(speakers)
        assert read[0].phones.labels == ("sil", "k", "iy")
        assert read[0].words is not None
        assert read[0].words.labels == ("sil", "key")
    write_labels(tmp_path / "b.exb", phones)
    assert read_labels(tmp_path / "b.exb").labels == ("sil", "k", "iy")


def test_what_was_said_is_of_the_speaker(tmp_path: Path) -> None:
    names = "Ann - words", "Ann - phones", "Ann", "noises"
    labels = "key", "k", "key!", "hm"
    rows = zip(names, labels, strict=True)
    tiers = [Tier(name, "interval", (label,), ((0.0, 1.0),), (), 1.0) for name, label in rows]
    write_tiers(tmp_path / "a.exb", Tiers(tuple(tiers), 1.0))
    found = ElementTree.parse(tmp_path / "a.exb").getroot().iter("tier")
    about = [(tier.get("type"), tier.get("speaker")) for tier in found]
    assert about == [("t", "SPK0"), ("a", "SPK0"), ("a", "SPK0"), ("a", None)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('time="1.5"', 'time="soon"', "soon"),
        ('<tli id="T2" time="1.5"/>', "", "a point without a time"),
        ('end="T1"', 'end="T9"', "event 'no' of tier 'ANN \\[v\\]'"),
        ('id="T2"', 'id="T1"', "with one id"),
        ("<basic-transcription>", "<basic>", "not a whole"),
        ("basic-transcription", "other", "is no basic transcription"),
        ('<event start="T1"', '<event start="T0"', "overlap|begins"),
        ("?>", "?><!DOCTYPE x [<!ENTITY a 'b'>]>", "declares entities"),
    ],
)
def test_damaged_files_get_one_sentence(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "a.exb"
    text = OF_EXMARALDA.replace(old, new) if old == "basic-transcription" else None
    path.write_text(text or OF_EXMARALDA.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=message) as failed:
        read_tiers(path)
    assert str(failed.value).startswith(str(path))


def test_what_xml_cannot_hold(tmp_path: Path) -> None:
    bad = Tiers((interval_tier("phones", ["a\x01"], [0, 1]),), 1.0)
    with pytest.raises(DataError, match="no EXMARaLDA file can"):
        write_tiers(tmp_path / "a.exb", bad)
    twice = Tiers((interval_tier("a", ["x"], [0, 1]),) * 2, 1.0)
    with pytest.raises(DataError, match="EXMARaLDA needs a name for each"):
        write_tiers(tmp_path / "a.exb", twice)


FULL = OF_EXMARALDA.replace(
    "</tier></basic-body>",
    """</tier><tier id="TIE2" speaker="SPK0" category="en" type="a" display-name="ANN [en]">
<event start="T0" end="T2">kein Schl&#252;ssel</event></tier></basic-body>""",
).replace("</meta-information>", "<comment>by hand</comment></meta-information>")


def test_nothing_is_lost_from_exmaralda_to_exmaralda(tmp_path: Path) -> None:
    path, out = tmp_path / "talk.exb", tmp_path / "out.exb"
    path.write_text(FULL, encoding="utf-8")
    write_tiers(out, read_tiers(path))
    same = [ElementTree.canonicalize(one.read_text(encoding="utf-8")) for one in (path, out)]
    assert same[0] == same[1]
    write_tiers(out, read_tiers(path), tier="ANN [v]", overwrite=True)
    (kept,) = ElementTree.parse(out).getroot().iter("tier")
    assert (kept.get("id"), kept.get("speaker"), kept.get("type")) == ("TIE0", "SPK0", "t")


def test_what_another_format_cannot_hold_is_named(tmp_path: Path) -> None:
    path, out = tmp_path / "talk.exb", tmp_path / "out.TextGrid"
    path.write_text(FULL, encoding="utf-8")
    tiers = read_tiers(path)
    assert left_out(out, tiers, write_tiers(out, tiers)) == [
        "speakers",
        "types and categories of tiers",
        "what the head says of the recording",
    ]
    own = tmp_path / "own.exb"
    write_tiers(own, read_tiers(out))
    again = read_tiers(own)
    assert left_out(out, again, write_tiers(out, again, overwrite=True)) == []


def test_translations_are_not_said(tmp_path: Path) -> None:
    path = tmp_path / "talk.exb"
    path.write_text(FULL, encoding="utf-8")
    assert [one.text for one in read_transcript(path)] == ["no", "key"]
    assert [one.text for one in read_transcript(path, tiers=["ANN [en]"])] == ["kein Schlüssel"]


def test_sounds_that_nobody_makes_are_not_said(tmp_path: Path) -> None:
    path = tmp_path / "talk.exb"
    path.write_text(FULL.replace('id="TIE2" speaker="SPK0"', 'id="TIE2"'), encoding="utf-8")
    assert [one.text for one in read_transcript(path)] == ["no", "key"]


def test_tiers_that_nothing_tells_apart(tmp_path: Path) -> None:
    path = tmp_path / "talk.exb"
    path.write_text(FULL.replace("TIE2", "TIE0").replace("ANN [en]", "ANN [v]"), encoding="utf-8")
    with pytest.raises(DataError, match="has tiers with one name and one id; rename one"):
        read_tiers(path)
