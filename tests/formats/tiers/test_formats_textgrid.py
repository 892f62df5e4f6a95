"""TextGrids: every variant Praat writes, checked against praatio, and damaged files."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from praatio import textgrid as praatio

from align.errors import DataError, ParameterError
from align.files.text import read_text
from align.formats.files import read_tiers
from align.formats.tiers.labels import Known
from align.formats.tiers.textgrid import (
    format_textgrid,
    parse_textgrid,
    read_textgrid,
    tile,
    write_textgrid,
)
from align.formats.tiers.tier import Tiers, with_confidence
from align.results.alignment import Alignment

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0 
xmax = 1.2 
tiers? <exists> 
size = 2 
item []: 
    item [1]:
        class = "IntervalTier" 
        name = "words" 
        xmin = 0 
        xmax = 1.2 
        intervals: size = 1 
        intervals [1]:
            xmin = 0 
            xmax = 1.2 
            text = "tea 3 <x> ! no" 
    item [2]:
        class = "IntervalTier" 
        name = "phones" 
        xmin = 0 
        xmax = 1.2 
        intervals: size = 3 
        intervals [1]:
            xmin = 0 
            xmax = {time} 
            text = {label} 
        intervals [2]:
            xmin = {time} 
            xmax = 1.1 
            text = "tʰ" 
        intervals [3]:
            xmin = 1.1 
            xmax = 1.2 
            text = "" 
"""
SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
1.2
<exists>
2
"IntervalTier"
"words"
0
1.2
1
0
1.2
"tea 3 <x> ! no"
"IntervalTier"
"phones"
0
1.2
3
0
{time}
{label}
{time}
1.1
"tʰ"
1.1
1.2
""
"""
FORMS = {"long": LONG, "short": SHORT}
ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
}


def save(path, text, encoding="utf-8", mark=b""):
    path.write_bytes(mark + text.encode(encoding))
    return path


def grid(*tiers):
    """Text of a short TextGrid of (class, name, labels) tiers, each label 0.1 s long."""
    out = ['"ooTextFile"', '"TextGrid"', "0", "1", "<exists>", str(len(tiers))]
    for kind, name, labels in tiers:
        out += [f'"{kind}"', f'"{name}"', "0", "1", str(len(labels))]
        for k, label in enumerate(labels):
            out += [f"{k / 10}"] + [f"{(k + 1) / 10}"] * (kind == "IntervalTier") + [f'"{label}"']
    return "\n".join(out)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("encoding", "mark"), ENCODINGS.items())
@pytest.mark.parametrize("form", FORMS)
def test_reads_every_variant(tmp_path, form, encoding, mark, newline):
    text = FORMS[form].format(time="0.5", label='"a""b"').replace("\n", newline)
    labels = read_textgrid(save(tmp_path / "x.TextGrid", text, encoding, mark))
    assert labels.labels == ('a"b', "tʰ", "sil")
    assert labels.intervals.tolist() == [[0, 0.5], [0.5, 1.1], [1.1, 1.2]]
    assert labels.duration == 1.2


@pytest.mark.parametrize("form", FORMS)
def test_reads_utf16_without_a_mark(tmp_path, form):
    text = FORMS[form].format(time="0.5", label='"a"')
    for encoding in ("utf-16-le", "utf-16-be"):
        labels = read_textgrid(save(tmp_path / "x.TextGrid", text, encoding))
        assert labels.labels == ("a", "tʰ", "sil")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("time_", "label", "expected"),
    [
        ("5e-1", '"a"', "a"),
        ("0.5", '"item [1]:"', "item [1]:"),
        ("0.5", '"intervals [2]:"', "intervals [2]:"),
        ("0.5", '"""IntervalTier"""', '"IntervalTier"'),
        ("0.5", '"a\nb"', "a\nb"),
        ("0.5", '"!"', "!"),
        ("0.5", '"  a "', "a"),
        ("0.5", '"   "', "sil"),
    ],
)
def test_reads_what_trips_other_readers(tmp_path, form, time_, label, expected):
    text = FORMS[form].format(time=time_, label=label)
    labels = read_textgrid(save(tmp_path / "x.TextGrid", text))
    assert labels.labels == (expected, "tʰ", "sil")
    assert labels.onsets.tolist() == [0, 0.5, 1.1]


def test_comments_do_not_count():
    text = grid(("IntervalTier", "phones", ["a"])).replace("<exists>", "! 7 tiers\n<exists>")
    assert parse_textgrid(text)[0].labels == ("a",)


def test_label_lines_count_from_one(tmp_path):
    text = LONG.format(time="0.5", label='"a\nb"')
    path = save(tmp_path / "x.TextGrid", text)
    lines = text.split("\n")
    assert [lines[i - 1].strip() for i in read_textgrid(path).lines] == [
        'text = "a',
        'text = "tʰ"',
        'text = ""',
    ]


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["words", "phones"], "phones"),
        (["word", "phone"], "phone"),
        (["phone", "phones"], "phones"),
        (["words", "Phones"], "Phones"),
        (["F1 - words", "F1 - phones"], "F1 - phones"),
        (["segments"], "segments"),
    ],
)
def test_chooses_the_tier(tmp_path, names, chosen):
    tiers = [("IntervalTier", name, [name]) for name in names]
    path = save(tmp_path / "x.TextGrid", grid(*tiers, ("TextTier", "tones", ["H"])))
    assert read_textgrid(path).labels == (chosen,)
    assert read_textgrid(path, tier=names[0]).labels == (names[0],)


@pytest.mark.parametrize("silent", ["phones", "Ann - phones"])
def test_who_says_nothing_is_no_speaker_to_choose(tmp_path, silent):
    rows = [("phones", "a"), ("Ann - phones", "b")]
    tiers = [("IntervalTier", name, [label if name != silent else "sil"]) for name, label in rows]
    path = save(tmp_path / "x.TextGrid", grid(*tiers))
    assert read_textgrid(path).labels == ("b" if silent == "phones" else "a",)
    assert read_textgrid(path, tier="Ann - phones").labels == (tiers[1][2][0],)


@pytest.mark.parametrize(
    ("names", "tier", "message"),
    [
        (["words", "segments"], None, r"no tier 'phones' \(interval tiers: 'words', 'segments'\)"),
        (["F1 - phones", "F2 - phones"], None, "several tiers could hold the phones"),
        (["phones", "F1 - phones"], None, r"several.*\('phones', 'F1 - phones'\); name"),
        (["F1 - Phones", "phone"], None, "several tiers could hold the phones"),
        (["phones"], "tones", r"no interval tier 'tones'; its interval tiers: 'phones'"),
        ([], None, r"no tier 'phones' \(interval tiers: none\)"),
    ],
)
def test_refuses_to_guess_the_tier(tmp_path, names, tier, message):
    tiers = [("IntervalTier", name, ["a"]) for name in names]
    path = save(tmp_path / "x.TextGrid", grid(*tiers, ("TextTier", "tones", ["H"])))
    with pytest.raises(DataError, match=message):
        read_textgrid(path, tier=tier)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a TextGrid"),
        ("hello", "is not a TextGrid"),
        ("ooBinaryFile\x08TextGrid", "ends after 21 bytes; the file is truncated"),
        ('"ooTextFile" "PitchTier" 0 1', "holds a 'PitchTier', not a TextGrid"),
        ('"ooTextFile" "TextGrid" 0 1 <absent>', "has no tiers"),
        ('"ooTextFile" "TextGrid" 0 1 <exists> 1.5', "number of tiers is 1.5, must be a whole"),
        ('"ooTextFile" "TextGrid" 0 <exists>', "<exists> stands where the end"),
        ('"ooTextFile" "TextGrid" 0 1 <exists> 1 3', "'3' stands where the class of a tier"),
        ('"ooTextFile" "TextGrid" 0 1 <exists> 1 "Tier"', "class 'Tier', must be IntervalTier"),
        (grid(("IntervalTier", "phones", ["a"]))[:-1], "a quoted text is not closed"),
        (grid(("IntervalTier", "phones", ["a"]))[:-3], "ends where a label should follow"),
        (grid(("IntervalTier", "phones", ["", " "])), "tier 'phones' is empty"),
        (grid(("IntervalTier", "phones", [])), "tier 'phones' is empty"),
    ],
)
def test_damaged_files(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_textgrid(save(tmp_path / "x.TextGrid", text))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cut", [10, 60, 130])
def test_truncated_files_never_pass(tmp_path, form, cut):
    text = FORMS[form].format(time="0.5", label='"a"')
    with pytest.raises(DataError, match=r"x.TextGrid, line \d+: .*(truncated|tier)"):
        read_textgrid(save(tmp_path / "x.TextGrid", text.rstrip()[:-cut]))


def test_a_lying_count_is_refused_at_once(tmp_path):
    text = SHORT.format(time="0.5", label='"a"').replace("\n3\n", "\n1000000000\n")
    begin = time.process_time()
    with pytest.raises(DataError, match="ends where a time should follow"):
        read_textgrid(save(tmp_path / "x.TextGrid", text))
    assert time.process_time() - begin < 1.0


def test_unclosed_quotes_take_linear_time():
    text = grid(("IntervalTier", "phones", ["a"]))[:-1] + '""' * 100_000
    begin = time.process_time()
    with pytest.raises(DataError, match="not closed"):
        parse_textgrid(text)
    assert time.process_time() - begin < 2.0


def test_times_are_checked(tmp_path):
    text = SHORT.format(time="1.15", label='"a"')
    path = save(tmp_path / "x.TextGrid", text)
    with pytest.raises(DataError, match=r"line 26: 'tʰ' ends at 1.1 s, before it starts"):
        read_textgrid(path)
    path = save(tmp_path / "x.TextGrid", SHORT.format(time="0.5", label='"a"'))
    with pytest.raises(DataError, match=r"beyond the end of the recording \(1 s\)"):
        read_textgrid(path, duration=1.0)


def test_agrees_with_praatio_on_voxangeles(shared_data):
    paths = sorted((shared_data / "speech" / "voxangeles").glob("*/*.TextGrid"))
    assert len(paths) > 1000
    begin = time.process_time()
    for path in paths:
        assert len(read_textgrid(path)) >= 1
    assert (time.process_time() - begin) / len(paths) < 0.005
    for path in paths[::10]:
        peer = praatio.openTextgrid(str(path), includeEmptyIntervals=True)
        mine = parse_textgrid(read_text(path))
        assert [tier.name for tier in mine] == list(peer.tierNames)
        for a, b in zip(mine, peer.tiers, strict=True):
            rows = [(s, e, x.strip()) for (s, e), x in zip(a.times, a.labels, strict=True)]
            assert rows == [tuple(entry) for entry in b.entries]


LABEL = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=6
).filter(lambda s: s.strip() == s)


@st.composite
def alignments(draw, label=LABEL, step=1e-3):
    """Alignments whose times are at least `step` apart, with lead-in and tail at times."""
    k = draw(st.integers(1, 8))
    labels = draw(st.lists(label, min_size=k, max_size=k))
    lengths = draw(st.lists(st.floats(step, 2.0, allow_subnormal=False), min_size=k, max_size=k))
    lead = draw(st.sampled_from([0.0, 0.25]))
    tail = draw(st.sampled_from([0.0, 0.5]))
    times = lead + np.concatenate(([0.0], np.cumsum(lengths)))
    return Alignment(labels, times[:-1], duration=float(times[-1]) + tail, end=float(times[-1]))


@given(alignments())
def test_round_trip_is_exact(tmp_path_factory, alignment):
    path = tmp_path_factory.mktemp("grid") / "x.TextGrid"
    write_textgrid(path, alignment)
    back = read_textgrid(path, silence="")
    rows = tile(alignment.labels, alignment.intervals, alignment.duration)
    assert list(back.labels) == [label for _, _, label in rows]
    assert back.intervals.tolist() == [[start, end] for start, end, _ in rows]
    assert back.intervals[0, 0] == 0
    assert back.intervals[-1, 1] == back.duration == alignment.duration


def test_praatio_reads_what_is_written(tmp_path):
    labels = ['a"b', "ŋ̊", '""']
    alignment = Alignment(labels, [0.1, 0.1 + 1e-5, 0.7], duration=1.5, end=1.2)
    write_textgrid(tmp_path / "x.TextGrid", alignment)
    grid_ = praatio.openTextgrid(str(tmp_path / "x.TextGrid"), includeEmptyIntervals=True)
    assert grid_.tierNames == ("phones",)
    rows = [tuple(entry) for entry in grid_.getTier("phones").entries]
    assert rows == tile(labels, alignment.intervals, 1.5)
    assert grid_.maxTimestamp == 1.5


def test_written_times_have_no_exponent():
    text = format_textgrid({"phones": (["a"], [[0.0, 1e-7]])}, 1e-7)
    assert "e-" not in text
    assert parse_textgrid(text)[0].times == ((0.0, 1e-7),)


def test_several_tiers():
    tiers = {"words": (["ab"], [[0, 2]]), "phones": (["a", "b"], [[0, 1], [1, 2]])}
    back = parse_textgrid(format_textgrid(tiers, 2.5))
    assert [tier.name for tier in back] == ["words", "phones"]
    assert back[1].labels == ("a", "b", "")


def test_tiles_must_follow_each_other():
    with pytest.raises(ParameterError, match=r"'b' .* does not follow what ends at 2 s"):
        tile(["a", "b"], [[0, 2], [1, 3]], 3)
    with pytest.raises(ParameterError, match="duration=0, must be positive"):
        format_textgrid({}, 0)


def test_an_alignment_without_events_is_one_empty_interval(tmp_path):
    write_textgrid(tmp_path / "x.TextGrid", Alignment([], [], duration=1.0))
    assert parse_textgrid(read_text(tmp_path / "x.TextGrid"))[0].times == ((0.0, 1.0),)


def test_confidence_is_a_tier_of_points(tmp_path: Path) -> None:
    found = Alignment(["sil", "k"], [0.0, 0.1], 0.5, confidence=[1.0, 0.625])
    found.to_textgrid(tmp_path / "a.TextGrid", tier="sounds", confidence=True)
    sounds, sure = read_tiers(tmp_path / "a.TextGrid")
    assert (sounds.name, sure.name, sure.kind) == ("sounds", "confidence", "point")
    assert sure.labels == ("1.00", "0.62")
    assert sure.times == ((0.0, 0.0), (0.1, 0.1))
    known = Known(np.array([1.0, 0.0]))
    both = with_confidence(Tiers((replace(sounds, name="Ann - phones", known=known),), 0.5))
    assert [tier.name for tier in both] == ["Ann - phones", "Ann - confidence"]
    without = Alignment(["k"], [0.1], 0.5)
    without.to_textgrid(tmp_path / "b.TextGrid", confidence=True)
    assert len(read_tiers(tmp_path / "b.TextGrid")) == 1
