"""Binary TextGrids against Praat itself (parselmouth, if installed) and a plain writer."""

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError
from align.formats import read_labels, read_tiers
from align.formats.tiers.textgrid_binary import parse_binary_textgrid
from align.formats.tiers.tier import Tier
from align.results.alignment import Alignment
from align.speech.text import read_transcript


def written(text: str) -> bytes:
    if text.isascii():
        return struct.pack(">H", len(text)) + text.encode()
    wide = text.encode("utf-16-be")
    return struct.pack(">HH", 0xFFFF, len(wide) // 2) + wide


def binary(tiers: list[Tier], end: float) -> bytes:
    """Write tiers as Praat's own format describes them."""
    data = b"ooBinaryFile\x08TextGrid" + struct.pack(">dd?i", 0.0, end, True, len(tiers))
    for tier in tiers:
        kind = b"\x0cIntervalTier" if tier.kind == "interval" else b"\x08TextTier"
        data += kind + written(tier.name) + struct.pack(">ddi", 0.0, end, len(tier.labels))
        for label, times in zip(tier.labels, tier.times, strict=True):
            both = times if tier.kind == "interval" else times[:1]
            data += struct.pack(f">{len(both)}d", *both) + written(label)
    return data


WORDS = Tier("words", "interval", ("ki", "é 𝄞", ""), ((0, 0.5), (0.5, 1.0), (1.0, 2.0)), (), 2.0)
POINTS = Tier("tönes", "point", ("H*",), ((0.7, 0.7),), (), 2.0)
TIERS = [WORDS, POINTS]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(names=st.lists(texts, max_size=3), labels=st.lists(texts, max_size=5))
def test_every_text_is_read_as_it_was_written(names, labels):
    times = tuple((float(k), float(k + 1)) for k in range(len(labels)))
    tiers = [Tier(name, "interval", tuple(labels), times, (), 9.0) for name in names]
    assert parse_binary_textgrid(binary(tiers, 9.0)) == tiers


def test_a_binary_file_is_read_wherever_a_textgrid_is(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes(binary(TIERS, 2.0))
    assert [tier.name for tier in read_tiers(path)] == ["words", "tönes"]
    assert read_labels(path, tier="words").labels == ("ki", "é 𝄞", "sil")
    (said, other) = read_transcript(path, tiers=["words"])
    assert (said.text, other.text, other.start) == ("ki", "é 𝄞", 0.5)


@pytest.mark.parametrize("cut", range(12, len(binary(TIERS, 2.0)), 3))
def test_a_truncated_file_is_one_sentence(cut: int) -> None:
    with pytest.raises(DataError, match=r"truncated|not a TextGrid"):
        parse_binary_textgrid(binary(TIERS, 2.0)[:cut], "a.TextGrid")


def test_another_object_of_praat_is_refused() -> None:
    with pytest.raises(DataError, match="holds a 'Pitch', not a TextGrid"):
        parse_binary_textgrid(b"ooBinaryFile\x05Pitch" + bytes(40))
    spoilt = binary(TIERS, 2.0).replace(b"TextTier", b"FormTier")
    with pytest.raises(DataError, match="of class 'FormTier'"):
        parse_binary_textgrid(spoilt)


def test_praat_writes_what_is_read(tmp_path: Path) -> None:
    pytest.importorskip("parselmouth")
    from parselmouth.praat import call

    grid = call("Create TextGrid", 0.0, 2.0, "phones pts", "pts")
    call(grid, "Insert boundary", 1, 0.5)
    call(grid, "Set interval text", 1, 1, "k")
    call(grid, "Set interval text", 1, 2, "ɪə")
    call(grid, "Insert point", 2, 0.75, "hé")
    for how in ("binary", "text", "short text"):
        path = tmp_path / f"{how}.TextGrid"
        call(grid, f"Save as {how} file", str(path))
        phones, points = read_tiers(path)
        assert (phones.labels, phones.times) == (("k", "ɪə"), ((0.0, 0.5), (0.5, 2.0)))
        assert (points.labels, points.times) == (("hé",), ((0.75, 0.75),))


def test_praat_reads_what_is_written(tmp_path: Path) -> None:
    pytest.importorskip("parselmouth")
    from parselmouth.praat import call

    near = np.array([[0.0, 0.01], [0.05, 0.125], [0.4, 0.6]])
    found = Alignment(
        ["sil", "ɪ", 'say "k"'],
        [0.0, 0.1, 0.5],
        2.0,
        confidence=[1.0, 0.25, 0.9],
        onset_intervals=near,
    )
    found.to_textgrid(tmp_path / "a.TextGrid", confidence=True)
    grid = call("Read from file", str(tmp_path / "a.TextGrid"))
    names = [call(grid, "Get tier name", k) for k in (1, 2, 3)]
    assert names == ["phones", "confidence", "95 %"]
    labels = [call(grid, "Get label of interval", 1, k) for k in (1, 2, 3)]
    assert labels == ["sil", "ɪ", 'say "k"']
    assert call(grid, "Get start time of interval", 1, 3) == 0.5
    assert call(grid, "Get total duration") == 2.0
    assert call(grid, "Get label of point", 2, 2) == "0.25"
    assert call(grid, "Get time of point", 3, 2) == pytest.approx(0.1)
