"""WebVTT and SRT: round trips, what other programs write, and damaged files."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError
from align.formats import read_labels, write_labels
from align.formats.tiers.subtitles import read_cues
from align.results.alignment import Alignment
from align.speech.text import read_transcript
from align.types import SILENCES

SHOWN = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
TEXTS = (
    st.lists(SHOWN, min_size=1, max_size=3)
    .map(" ".join)
    .filter(lambda text: text not in SILENCES)  # such as "#", which is not shown
)
STYLE = re.compile(r"\{\\[^}\n]*\}")
TAG = re.compile(rf"</?([a-zA-Z][^>\n]*)?>|<\d\d[\d:.]*>|{STYLE.pattern}")
LABELS = st.lists(st.one_of(st.just("sil"), TEXTS), min_size=1, max_size=8)


@pytest.mark.parametrize("suffix", [".vtt", ".srt"])
@given(labels=LABELS, data=st.data())
def test_round_trip(tmp_path_factory, suffix, labels, data):
    n = len(labels)
    lengths = data.draw(st.lists(st.integers(3, 10**7), min_size=n, max_size=n))
    ends = np.cumsum(lengths) / 1000
    found = Alignment(labels, [0.0, *ends[:-1]], ends[-1])
    path = tmp_path_factory.mktemp("subtitles") / f"a{suffix}"
    tag = TAG if suffix == ".srt" else STYLE
    refused = any("-->" in label or tag.search(label) for label in labels)
    if refused:
        with pytest.raises(DataError, match="cannot be written to subtitles"):
            write_labels(path, found)
        return
    write_labels(path, found)
    shown = [(x, *t) for x, t in zip(labels, found.intervals.tolist(), strict=True) if x != "sil"]
    if not shown:
        with pytest.raises(DataError, match="no labels"):
            read_labels(path)
        return
    back = read_labels(path)
    kept = [(x, *t) for x, t in zip(back.labels, back.intervals.tolist(), strict=True)]
    kept = [row for row in kept if row[0] != "sil"]
    assert [row[0] for row in kept] == [row[0] for row in shown]
    np.testing.assert_allclose([r[1:] for r in kept], [r[1:] for r in shown], atol=5.1e-4)


VTT = """WEBVTT - made elsewhere
Kind: captions

NOTE a remark
over two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.500 align:start position:10%
<v Ann>The <i>kiwi</i> &amp;
friends

01:00:03.000 --> 01:00:04.250
is green
"""


def test_what_other_programs_write(tmp_path: Path) -> None:
    (tmp_path / "a.vtt").write_text(VTT)
    first, last = read_transcript(tmp_path / "a.vtt")
    assert (first.text, first.start, first.end) == ("The kiwi & friends", 1.0, 2.5)
    assert (last.text, last.start, last.end) == ("is green", 3603.0, 3604.25)
    found = read_labels(tmp_path / "a.vtt")
    assert found.labels == ("sil", "The kiwi & friends", "sil", "is green")
    srt = "\ufeff7\r\n00:00:01,000 --> 00:00:02,500\r\n- Tea & 5 > 3?\r\n\r\n\r\n"
    (tmp_path / "a.srt").write_bytes(srt.encode())
    (said,) = read_transcript(tmp_path / "a.srt")
    assert (said.text, said.start) == ("- Tea & 5 > 3?", 1.0)


def test_times_without_zeros_or_milliseconds(tmp_path: Path) -> None:
    path = tmp_path / "teams.vtt"
    path.write_text(
        "WEBVTT\n\n6e2b/12-0\n0:0:0.0 --> 0:0:3.540\n<v Jane Doe>Good morning.</v>\n\n"
        "6e2b/17-0\n0:0:3.540 --> 0:1:7.23\n<v John Smith>Morning.</v>\n"
    )
    said = read_transcript(path)
    assert [(one.speaker, one.text, one.start, one.end) for one in said] == [
        ("Jane Doe", "Good morning.", 0.0, 3.54),
        ("John Smith", "Morning.", 3.54, 67.023),
    ]
    srt = tmp_path / "a.srt"
    srt.write_text("1\n00:00:01 --> 00:00:10\nThe kiwi\n")
    assert read_labels(srt).intervals[-1].tolist() == [1.0, 10.0]
    srt.write_text("1\n00:00:01.5 --> 00:00:10.25\nThe kiwi\n")
    assert read_labels(srt).intervals[-1].tolist() == [1.5, 10.25]


@pytest.mark.parametrize("head", ["", "WEBVTT\n\n"])
def test_subtitles_without_empty_lines_between(tmp_path: Path, head: str) -> None:
    path = tmp_path / "a.srt"
    times = "00:00:01,000 --> 00:00:02,000", "00:00:03,000 --> 00:00:04,000"
    path.write_text(f"{head}1\n{times[0]}\nI was\n12\n2\n{times[1]}\nso was he\n")
    numbered = [(one.text, one.start) for one in read_transcript(path)]
    path.write_text(f"{head}{times[0]}\nI was\n12\n{times[1]}\nso was he\n")
    assert numbered == [("I was 12", 1.0), ("so was he", 3.0)]
    assert [(one.text, one.start) for one in read_transcript(path)] == numbered


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("1\n00:00:01,000 -> 00:00:02,000\na\n", 1, "begins with its times"),
        ("1\n00:00:61,000 --> 00:01:02,000\na\n", 2, "no times of a subtitle"),
        ("\n1\n0:1 --> 0:2\na\n", 3, "no times of a subtitle"),
        ("1\n00:00:02,000 --> 00:00:01,000\na\n", 1, "ends at 1 s, before it starts"),
    ],
)
def test_damaged_subtitles_are_named_by_their_line(tmp_path: Path, text, line, message) -> None:
    path = tmp_path / "a.srt"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_labels(path)
    assert caught.value.line == line


@pytest.mark.parametrize("label", ["<unk>", "a --> b", "</s>"])
def test_labels_that_srt_would_lose_are_refused(tmp_path: Path, label: str) -> None:
    with pytest.raises(DataError, match="cannot be written to subtitles"):
        write_labels(tmp_path / "a.srt", Alignment([label], [0.0], 1.0))
    if "-->" not in label:
        write_labels(tmp_path / "a.vtt", Alignment([label], [0.0], 1.0))
        assert read_labels(tmp_path / "a.vtt").labels == (label,)


def test_a_third_reader_finds_the_same(tmp_path: Path) -> None:
    pysubs2 = pytest.importorskip("pysubs2", reason="pysubs2 is not installed")
    found = Alignment(["sil", "The kiwi", "is", "sil"], [0.0, 1.0, 2.25, 3600.5], 4000.0)
    for suffix in ("vtt", "srt"):
        write_labels(tmp_path / f"a.{suffix}", found)
        cues = pysubs2.load(str(tmp_path / f"a.{suffix}"), encoding="utf-8")
        assert [(cue.start, cue.end, cue.text) for cue in cues] == [
            (1000, 2250, "The kiwi"),
            (2250, 3_600_500, "is"),
        ]


def test_a_second_reader_finds_the_same(tmp_path: Path) -> None:
    webvtt = pytest.importorskip("webvtt")
    found = Alignment(["sil", "The kiwi", "a & b", "sil"], [0.0, 1.0, 2.25, 3600.5], 4000.0)
    write_labels(tmp_path / "a.vtt", found)
    write_labels(tmp_path / "a.srt", found)
    for cues in (webvtt.read(str(tmp_path / "a.vtt")), webvtt.from_srt(str(tmp_path / "a.srt"))):
        assert [cue.start for cue in cues] == ["00:00:01.000", "00:00:02.250"]
        assert [cue.end for cue in cues] == ["00:00:02.250", "01:00:00.500"]
        assert cues[0].text == "The kiwi"


YOUTUBE = """WEBVTT
Kind: captions
Language: en

00:00:00.000 --> 00:00:02.310 align:start position:0%
 
the<00:00:00.320><c> north</c><00:00:00.640><c> wind</c>

00:00:02.310 --> 00:00:02.320 align:start position:0%
the north wind
 

00:00:02.320 --> 00:00:04.310 align:start position:0%
the north wind
and<00:00:02.560><c> the</c><00:00:02.960><c> sun</c>

00:00:04.310 --> 00:00:04.320 align:start position:0%
and the sun
 
"""

LIVE = """1
00:00:00,000 --> 00:00:01,000
{\\an8}THE NORTH WIND

2
00:00:01,000 --> 00:00:02,000
THE NORTH WIND
AND THE SUN

3
00:00:02,000 --> 00:00:03,500
THE NORTH WIND
AND THE SUN
WERE ARGUING.
"""


def test_captions_that_roll_up_say_each_line_once(tmp_path: Path) -> None:
    (tmp_path / "a.vtt").write_text(YOUTUBE, encoding="utf-8")
    cues = read_cues(tmp_path / "a.vtt", web=True)
    assert [cue[:3] for cue in cues] == [
        ("the north wind", 0.0, 2.31),
        ("and the sun", 2.32, 4.31),
    ]
    (tmp_path / "a.srt").write_text(LIVE, encoding="utf-8")
    cues = read_cues(tmp_path / "a.srt", web=False)
    assert [cue.text for cue in cues] == ["THE NORTH WIND", "AND THE SUN", "WERE ARGUING."]
    assert [cue.start for cue in cues] == [0.0, 1.0, 2.0]


def test_who_says_a_thing_again_has_said_it_twice(tmp_path: Path) -> None:
    said = ["No.", "No.", "No.", "- No.\n- Yes.", "- No.\n- Yes."]
    blocks = [
        f"{k + 1}\n00:00:0{k},000 --> 00:00:0{k + 1},000\n{text}\n" for k, text in enumerate(said)
    ]
    (tmp_path / "a.srt").write_text("\n".join(blocks), encoding="utf-8")
    cues = read_cues(tmp_path / "a.srt", web=False)
    assert [cue.text for cue in cues] == [text.replace("\n", " ") for text in said]


def test_lines_of_spaces_part_subtitles_where_one_follows(tmp_path: Path) -> None:
    text = (
        "1\n00:00:00,000 --> 00:00:01,000\nOh.\n \n2\n00:00:01,000 --> 00:00:02,000\nAh.\n\t\n\n"
    )
    (tmp_path / "a.srt").write_text(text, encoding="utf-8")
    assert [cue.text for cue in read_cues(tmp_path / "a.srt", web=False)] == ["Oh.", "Ah."]
