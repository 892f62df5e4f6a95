"""95 % intervals of onsets in files: of one tier, and of the phones of words."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from align import Alignment
from align.errors import ParameterError
from align.formats import read_labels, read_tiers
from align.sequence.stretches import Stretch, joined_stretches
from align.speech.text.tiers import SpeakerTiers, TextAlignment

NEAR = np.array([[0.0, 0.0], [0.0915, 0.1204]])
PHONES = Alignment(
    ["sil", "k"],
    [0.0, 0.1],
    0.5,
    confidence=[1.0, 0.9],
    onset_intervals=NEAR,
    rate=16000,
    score=1.0,
)
WORDS = Alignment(["sil", "key"], [0.0, 0.1], 0.5, onset_intervals=NEAR)
TEXT = TextAlignment({"": SpeakerTiers(WORDS, PHONES, np.array([0, 1]))})


@pytest.mark.parametrize("found", [PHONES, TEXT])
def test_every_format_that_says_how_sure_onsets_are_says_it(
    tmp_path: Path, found: Alignment | TextAlignment
) -> None:
    found.to_csv(tmp_path / "a.csv")
    row = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))[1]
    assert (row["label"], row["onset_low"], row["onset_high"]) == ("k", "0.091500", "0.120400")
    found.to_json(tmp_path / "a.json")
    event = json.loads((tmp_path / "a.json").read_text())["events"][1]
    assert event["onset_interval"] == [0.0915, 0.1204]
    found.to_textgrid(tmp_path / "a.TextGrid", confidence=True)
    tiers = {tier.name: tier for tier in read_tiers(tmp_path / "a.TextGrid")}
    assert [*tiers][-3:] == ["phones", "confidence", "95 %"]
    assert tiers["95 %"].labels[1] == "0.091 0.120"  # to the millisecond
    assert tiers["95 %"].times[1] == (0.1, 0.1)
    for name in ("a.csv", "a.json", "a.TextGrid"):  # nothing that was written is in the way
        assert read_labels(tmp_path / name).onsets.tolist() == [0.0, 0.1]


def test_a_frame_has_them_as_columns() -> None:
    pytest.importorskip("pandas")
    frame = PHONES.to_frame()
    assert frame.loc[1, ["onset_low", "onset_high"]].tolist() == [0.0915, 0.1204]


def test_without_intervals_nothing_is_said(tmp_path: Path) -> None:
    plain = Alignment(["sil", "k"], [0.0, 0.1], 0.5, confidence=[1.0, 0.9])
    plain.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("start,end,label,confidence\n")
    plain.to_textgrid(tmp_path / "a.TextGrid", confidence=True)
    assert [tier.name for tier in read_tiers(tmp_path / "a.TextGrid")] == ["phones", "confidence"]


def test_stretches_of_a_recording_are_put_behind_each_other() -> None:
    class Signal:
        duration, own_rate = 1.0, 16000

    parts = [(Stretch(0, 2, 0.0, 0.5), PHONES), (Stretch(1, 3, 0.5, 1.0), PHONES)]
    found = joined_stretches(parts, ("sil", "k", "k"), Signal(), None)
    assert found.onset_intervals is not None
    np.testing.assert_allclose(found.onset_intervals, [*NEAR, NEAR[1] + 0.5])


@pytest.mark.parametrize(
    ("intervals", "message"),
    [
        ([[0.0, 0.0]], r"must be \(K, 2\)=\(2, 2\)"),
        ([[0, 0], [0.11, 0.2]], "must hold the onsets"),
    ],
)
def test_wrong_intervals(intervals: list[list[float]], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Alignment(["sil", "k"], [0.0, 0.1], 0.5, onset_intervals=np.array(intervals))
