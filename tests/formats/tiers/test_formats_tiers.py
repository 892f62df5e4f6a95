"""Files with several tiers: what one format is given, the next keeps."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError
from align.files.text import read_text
from align.formats import LABEL_FORMATS, Tier, Tiers, read_labels, read_tiers, write_tiers
from align.formats.tiers.json_file import format_json_tiers
from align.formats.tiers.textgrid import format_textgrid, parse_textgrid
from align.results.alignment import Alignment
from align.speech.text import SpeakerTiers, TextAlignment

EMPTY = ""
TEXT = st.text(
    st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=6
)  # nothing that a reader takes off at the ends
LABELS = st.lists(st.one_of(TEXT, st.just(EMPTY)), min_size=1, max_size=8)
OTHER_NAMES = ["tones", "word list", "phonesets", "", 'a "quoted" name', "Änne - notes"]


@st.composite
def interval_tier(draw: st.DrawFn, name: str, end: float) -> Tier:
    """A tier without holes, and labels of which some are empty."""
    labels = draw(LABELS)
    edges = draw(
        st.lists(
            st.floats(0.01, end - 0.01).map(lambda t: round(t, 3)),
            min_size=len(labels) - 1,
            max_size=len(labels) - 1,
            unique=True,
        )
    )
    times = tuple(itertools.pairwise([0.0, *sorted(edges), end]))
    if any(stop - start < 0.005 for start, stop in times):
        labels, times = labels[:1], ((0.0, end),)
    return Tier(name, "interval", tuple(labels), times, (), end)


@st.composite
def point_tier(draw: st.DrawFn, name: str, end: float) -> Tier:
    points = sorted(draw(st.lists(st.floats(0.0, end), max_size=5)))
    labels = draw(st.lists(TEXT, min_size=len(points), max_size=len(points)))
    return Tier(name, "point", tuple(labels), tuple((t, t) for t in points), (), end)


@st.composite
def recordings(draw: st.DrawFn) -> Tiers:
    """Tiers of one or several speakers with others among them, in any order, names given twice."""
    end = draw(st.floats(1.0, 9.0))
    speakers = draw(st.sampled_from([[""], ["Ann"], ["Ann", "Bob - phones"], ["", "Ann"]]))
    tiers = []
    for speaker in speakers:
        prefix = f"{speaker} - " if speaker else ""
        tiers.append(draw(interval_tier(f"{prefix}phones", end)))
        if draw(st.booleans()):
            tiers.append(draw(interval_tier(f"{prefix}words", end)))
    for name in draw(st.lists(st.sampled_from(OTHER_NAMES), max_size=3)):
        tiers.append(draw(draw(st.sampled_from([interval_tier, point_tier]))(name, end)))
    return Tiers(tuple(draw(st.permutations(tiers))), end)


def as_read(tier: Tier, alone: bool) -> tuple[object, ...]:
    """What a reader is to make of a tier."""
    of_speech = alone or tier.name.endswith(("phones", "words"))
    named = "sil" if of_speech and any(tier.labels) else EMPTY
    if tier.kind == "point":
        return tier.name, tier.kind, tier.labels, tier.times
    return tier.name, tier.kind, tuple(label or named for label in tier.labels), tier.times


def bare(tier: Tier) -> tuple[object, ...]:
    return tier.name, tier.kind, tier.labels, tier.times


@given(tiers=recordings())
def test_textgrids_and_json_keep_every_tier(tmp_path_factory, tiers: Tiers) -> None:
    folder = tmp_path_factory.mktemp("tiers")
    alone = sum(tier.kind == "interval" for tier in tiers) == 1
    wanted = [as_read(tier, alone) for tier in tiers]
    (folder / "a.TextGrid").write_text(format_textgrid(tiers, tiers.duration), encoding="utf-8")
    names = ["a.TextGrid", "b.TextGrid", "c.json", "d.json", "e.TextGrid"]
    for source, target in itertools.pairwise(names):
        found = read_tiers(folder / source)
        written = write_tiers(folder / target, found)
        assert [bare(tier) for tier in written] == wanted
    for name in names[1:]:
        found = read_tiers(folder / name)
        assert [bare(tier) for tier in found] == wanted
        assert found.duration == tiers.duration
    assert (folder / "b.TextGrid").read_bytes() == (folder / "e.TextGrid").read_bytes()
    assert (folder / "c.json").read_bytes() == (folder / "d.json").read_bytes()


@given(tiers=recordings())
def test_one_tier_is_what_a_reader_of_labels_takes(tmp_path_factory, tiers: Tiers) -> None:
    folder = tmp_path_factory.mktemp("tiers")
    (folder / "a.TextGrid").write_text(format_textgrid(tiers, tiers.duration), encoding="utf-8")
    found = read_tiers(folder / "a.TextGrid")
    try:
        wanted = read_labels(folder / "a.TextGrid")
    except DataError as error:  # several speakers, or nothing but empty labels
        with pytest.raises(DataError, match=re.escape(str(error))):
            write_tiers(folder / "a.txt", found)
        return
    (written,) = write_tiers(folder / "a.txt", found)
    assert written.labels == wanted.labels
    np.testing.assert_array_equal(written.times, wanted.intervals)


# What align speech writes --------------------------------------------------------------------


def spoken(*names: str) -> TextAlignment:
    """Words and phones of speakers, with a pause and a word that is said twice."""
    words = Alignment(
        ["sil", "no", "no", "sil", "key"],
        [0.0, 0.1, 0.3, 0.5, 0.55],
        duration=0.9,
        confidence=[1.0, 0.9, 0.8, 0.7, 0.6],
        score=3.0,
        audio="a.wav",
        rate=16000,
    )
    phones = Alignment(
        ["sil", "n", "ow", "n", "ow", "sil", "k", "iy"],
        [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.7],
        duration=0.9,
        confidence=np.linspace(1.0, 0.3, 8),
        score=3.0,
        audio="a.wav",
        rate=16000,
    )
    place = np.array([0, 1, 1, 2, 2, 3, 4, 4])
    return TextAlignment({name: SpeakerTiers(words, phones, place) for name in names})


@pytest.mark.parametrize("names", [("",), ("ann",), ("ann", "bob")])
def test_json_of_a_text_becomes_the_textgrid_of_the_text(tmp_path: Path, names) -> None:
    found = spoken(*names)
    found.to_json(tmp_path / "a.json")
    found.to_textgrid(tmp_path / "wanted.TextGrid", silence="sil")
    write_tiers(tmp_path / "a.TextGrid", read_tiers(tmp_path / "a.json"))
    wanted = (tmp_path / "wanted.TextGrid").read_bytes()
    assert (tmp_path / "a.TextGrid").read_bytes() == wanted
    write_tiers(tmp_path / "b.TextGrid", read_tiers(tmp_path / "wanted.TextGrid"))
    assert (tmp_path / "b.TextGrid").read_bytes() == wanted


@pytest.mark.parametrize("source", ["a.json", "a.TextGrid"])
@pytest.mark.parametrize("suffix", ["wrd", "phn", "lab", "ctm", "txt", "csv", "tsv"])
def test_formats_that_hold_less_are_as_align_speech_writes_them(
    tmp_path: Path, source: str, suffix: str
) -> None:
    found = spoken("")
    found.write(tmp_path / source)
    found.write(tmp_path / f"wanted.{suffix}")
    tiers = replace(read_tiers(tmp_path / source), audio="a.wav", rate=16000)
    written = write_tiers(tmp_path / f"b.{suffix}", tiers)
    names = {"wrd": ["words"], "csv": ["words", "phones"], "tsv": ["words", "phones"]}
    assert [tier.name for tier in written] == names.get(suffix, ["phones"])
    wanted = without_confidence((tmp_path / f"wanted.{suffix}").read_text(), suffix)
    assert without_confidence((tmp_path / f"b.{suffix}").read_text(), suffix) == wanted


def without_confidence(text: str, suffix: str) -> list[list[str]]:
    """Cells of a table; readers leave confidences out, since a person may have moved the times."""
    rows = [line.split("," if suffix == "csv" else None) for line in text.splitlines()]
    if suffix == "csv":
        return [row[:3] + row[4:] for row in rows]
    if suffix == "tsv":
        return [line.split("\t")[:3] + line.split("\t")[4:] for line in text.splitlines()]
    return [row[:5] for row in rows] if suffix == "ctm" else rows


def test_a_table_names_the_speakers(tmp_path: Path) -> None:
    spoken("ann", "bob").to_json(tmp_path / "a.json")
    written = write_tiers(tmp_path / "a.csv", read_tiers(tmp_path / "a.json"))
    assert len(written) == 4
    rows = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines()]
    assert rows[0] == ["start", "end", "label", "confidence", "word", "speaker", "word_number"]
    assert [row[5] for row in rows[1:]] == ["ann"] * 8 + ["bob"] * 8
    assert [row[4] for row in rows[1:9]] == ["", "no", "no", "no", "no", "", "key", "key"]
    back = read_tiers(tmp_path / "a.csv")
    assert [(t.name, t.labels) for t in back] == [(t.name, t.labels) for t in written]
    for found, wanted in zip(back, written, strict=True):  # two words that are alike are two
        np.testing.assert_allclose(found.times, wanted.times, atol=1e-6)
    assert read_labels(tmp_path / "a.csv", tier="bob - words").labels == written[2].labels
    with pytest.raises(DataError, match=r"holds phones of 2 speakers \('ann', 'bob'\)"):
        read_labels(tmp_path / "a.csv")
    with pytest.raises(DataError, match="several tiers could hold the phones"):
        write_tiers(tmp_path / "a.phn", read_tiers(tmp_path / "a.json"))
    write_tiers(tmp_path / "a.phn", read_tiers(tmp_path / "a.json"), tier="bob - phones")
    assert (tmp_path / "a.phn").read_text().startswith("0 1600 sil\n1600 3200 n\n")


def test_subtitles_say_who_speaks(tmp_path: Path) -> None:
    found = spoken("Ann <b>", "Bob")  # at the same time
    for suffix in ("vtt", "srt", "phn"):
        if suffix == "phn":
            with pytest.raises(DataError, match=r"a \.phn file holds one speaker"):
                found.write(tmp_path / f"a.{suffix}")
            continue
        if suffix == "srt":
            found = spoken("Ann", "Bob")
        found.write(tmp_path / f"a.{suffix}")
        found.to_json(tmp_path / f"{suffix}.json")
        written = write_tiers(tmp_path / f"b.{suffix}", read_tiers(tmp_path / f"{suffix}.json"))
        assert [tier.name.split(" - ")[1] for tier in written] == ["words", "words"]
        assert (tmp_path / f"b.{suffix}").read_text() == (tmp_path / f"a.{suffix}").read_text()
    assert (
        (tmp_path / "a.srt").read_text().startswith("1\n00:00:00,100 --> 00:00:00,300\nAnn: no\n")
    )
    cues = pytest.importorskip("webvtt").read(str(tmp_path / "a.vtt"))
    assert [cue.text for cue in cues] == ["no", "no", "no", "no", "key", "key"]
    assert [cue.voice for cue in cues][1::2] == ["Bob"] * 3
    back = read_tiers(tmp_path / "a.vtt")
    assert [tier.name for tier in back] == ["Ann <b> - words", "Bob - words"]
    assert all(tier.labels == ("sil", "no", "no", "sil", "key") for tier in back)


def test_a_tier_that_is_named_goes_alone(tmp_path: Path) -> None:
    spoken("").to_json(tmp_path / "a.json")
    tiers = read_tiers(tmp_path / "a.json")
    for suffix in LABEL_FORMATS:
        (written,) = write_tiers(tmp_path / f"w{suffix}", tiers, tier="words")
        assert written.name == "words"
        found = read_labels(tmp_path / f"w{suffix}")
        held = {
            ".rttm": ("speaker",),  # who speaks, not what
            ".wrd": ("no", "no", "sil", "key"),  # words alone; it begins with the first
        }
        assert found.labels == held.get(suffix, ("sil", "no", "no", "sil", "key"))
    assert [tier.name for tier in parse_textgrid(read_text(tmp_path / "w.textgrid"))] == ["words"]
    with pytest.raises(DataError, match="has no interval tier 'tones'"):
        write_tiers(tmp_path / "x.csv", tiers, tier="tones")


def test_files_of_one_tier_have_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.wrd").write_text("0 1600 key\n")
    (tmp_path / "a.phn").write_text("0 800 k\n800 1600 iy\n")
    for suffix, name in (("wrd", "words"), ("phn", "phones")):
        write_tiers(tmp_path / f"{suffix}.TextGrid", read_tiers(tmp_path / f"a.{suffix}"))
        (tier,) = parse_textgrid(read_text(tmp_path / f"{suffix}.TextGrid"))
        assert tier.name == name


# What cannot be ------------------------------------------------------------------------------


def test_points_outside_the_recording(tmp_path: Path) -> None:
    phones = Tier("phones", "interval", ("a",), ((0.0, 1.0),), (), 1.0)
    for time, fits in ((1.0, True), (1.04, True), (1.06, False)):
        points = Tier("tones", "point", ("H*",), ((time, time),), (), 2.0)
        (tmp_path / "a.TextGrid").write_text(format_textgrid([phones, points], 1.0))
        if fits:
            found = read_tiers(tmp_path / "a.TextGrid", duration=1.0)
            assert found.tiers[1].times == ((1.0, 1.0),)
            continue
        with pytest.raises(DataError, match=r"'H\*' of tier 'tones' stands at 1.06 s") as caught:
            read_tiers(tmp_path / "a.TextGrid", duration=1.0)
        assert caught.value.line


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": [{"label": 1}]}, 'word 1 has no text "label"'),
        ({"words": [{"label": "a", "start": 0.0}]}, '"end" of word 1 is None'),
        ({"events": 1}, 'no list "events"'),
        ({"speakers": {"ann": {}}}, 'no list "events"'),
        ({"speakers": {"ann": 3}}, 'no list "events"'),
        ({"tiers": [3]}, 'tier 1 has no text "name"'),
        ({"tiers": [{"name": "a", "in": "nowhere"}]}, 'no list "events"'),
        ({"tiers": [{"name": "a", "points": [{"label": "b"}]}]}, '"time" of point 1 is None'),
    ],
)
def test_wrong_json(tmp_path: Path, change: dict[str, object], message: str) -> None:
    spoken("").to_json(tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text()) | change
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=message):
        read_tiers(tmp_path / "a.json")


def test_json_of_phones_alone_has_no_list_of_tiers() -> None:
    phones = Tier("phones", "interval", ("a",), ((0.0, 1.0),), (), 1.0)
    content = json.loads(format_json_tiers(Tiers((phones,), 1.0)))
    assert list(content) == ["audio", "rate", "duration", "score", "events"]


def test_json_keeps_tiers_of_which_none_is_of_phones(tmp_path: Path) -> None:
    rows = [("gestures", ("wave",)), ("Ann", ("hello", "you")), ("empty", ())]
    tiers = [
        Tier(name, "interval", labels, ((0.5, 1.0), (1.0, 1.5))[: len(labels)], (), 2.0)
        for name, labels in rows
    ]
    tiers.append(Tier("tones", "point", ("H*",), ((0.7, 0.7),), (), 2.0))
    write_tiers(tmp_path / "a.json", Tiers(tuple(tiers), 2.0, audio="a.wav"))
    back = read_tiers(tmp_path / "a.json")
    assert [bare(tier) for tier in back] == [bare(tier) for tier in tiers]
    assert back.duration == 2.0
    write_tiers(tmp_path / "b.json", replace(back, audio="a.wav"))
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    found = read_labels(tmp_path / "a.json", tier="Ann")
    assert (found.labels, found.duration) == (("hello", "you"), 2.0)
    with pytest.raises(DataError, match=r"no tier 'phones' \(.*'Ann'.*name the one to read"):
        read_labels(tmp_path / "a.json")
    with pytest.raises(DataError, match="tier 'empty' is empty; label it first"):
        read_labels(tmp_path / "a.json", tier="empty")


def test_json_of_speakers_is_read_by_the_tier(tmp_path: Path) -> None:
    spoken("ann", "bob").to_json(tmp_path / "a.json")
    with pytest.raises(DataError, match=r"several tiers could hold the phones .*--tier"):
        read_labels(tmp_path / "a.json")
    found = read_labels(tmp_path / "a.json", tier="bob - words")
    assert found.labels == ("sil", "no", "no", "sil", "key")


def test_phones_are_not_written_as_words(tmp_path: Path) -> None:
    found = Alignment(["k", "iy"], [0.0, 0.1], duration=0.5)
    found.to_textgrid(tmp_path / "a.TextGrid")
    tiers = read_tiers(tmp_path / "a.TextGrid")
    with pytest.raises(DataError, match=r"has no tier of words, .*name the tier to write"):
        write_tiers(tmp_path / "a.wrd", tiers)
    assert not (tmp_path / "a.wrd").exists()
    write_tiers(tmp_path / "a.wrd", tiers, tier="phones")
    assert (tmp_path / "a.wrd").exists()


@pytest.mark.parametrize("gap", ["", "sil"])
@pytest.mark.parametrize("suffix", [".eaf", "_annot.json", ".exb"])
def test_a_gap_that_a_format_cannot_hold_stops_nothing(
    tmp_path: Path, suffix: str, gap: str
) -> None:
    times = ((0.0, 0.5), (0.5, 0.50001), (0.50001, 1.0))
    tier = Tier("syllables", "interval", ("a", gap, "b"), times, (), 1.0)
    other = Tier("stress", "interval", ("x",), ((0.0, 1.0),), (), 1.0)
    path = tmp_path / f"a{suffix}"
    write_tiers(path, Tiers((tier, other), 1.0))
    back = read_tiers(path).tiers[0]
    said = [label for label in back.labels if label not in ("", "sil")]
    assert said == ["a", "b"]
    assert back.times[0] == pytest.approx((0.0, 0.5), abs=1e-3)


def test_a_tier_without_a_name_is_told(tmp_path: Path) -> None:
    tier = Tier("", "interval", ("a",), ((0.0, 1.0),), (), 1.0)
    with pytest.raises(DataError, match="a tier has no name, and ELAN needs a name for each"):
        write_tiers(tmp_path / "a.eaf", Tiers((tier,), 1.0))
