"""RTTM: turns of speakers, written and read."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from align.cli import cli
from align.errors import DataError
from align.formats import read_labels, read_tiers, write_labels, write_tiers
from align.formats.tiers.textgrid import format_textgrid
from align.formats.tiers.tier import Tier, Tiers
from align.results.alignment import Alignment

STEPS = st.lists(st.tuples(st.integers(1, 10**6), st.booleans()), min_size=1, max_size=12)


def tier(name: str, steps: list[tuple[int, bool]]) -> Tier:
    """Labels of so many milliseconds, spoken or silent."""
    ends = (np.cumsum([0, *(length for length, _ in steps)]) / 1000).tolist()
    labels = tuple("a" if spoken else "sil" for _, spoken in steps)
    return Tier(name, "interval", labels, tuple(pairwise(ends)), (), ends[-1])


def turns(steps: list[tuple[int, bool]]) -> list[list[int]]:
    """The obvious way: mark every millisecond that is spoken, then close what is short."""
    found: list[list[int]] = []
    at = 0
    for length, spoken in steps:
        if spoken:
            if found and at - found[-1][1] < 300:
                found[-1][1] = at + length
            else:
                found.append([at, at + length])
        at += length
    return found


@given(speakers=st.dictionaries(st.sampled_from(["Ann", "Bob", "Cy"]), STEPS, min_size=1))
def test_turns_survive_the_way_to_rttm_and_back(tmp_path_factory, speakers) -> None:
    expected = {name: turns(steps) for name, steps in speakers.items()}
    expected = {name: found for name, found in expected.items() if found}
    path = tmp_path_factory.mktemp("rttm") / "talk.rttm"
    tiers = tuple(tier(f"{name} - phones", steps) for name, steps in speakers.items())
    write_tiers(path, Tiers(tiers, 10.0**5))
    if not expected:
        with pytest.raises(DataError, match="no line of the type SPEAKER"):
            read_tiers(path)
        return
    found = {}
    for one in read_tiers(path):
        rows = zip(one.labels, one.times, strict=True)
        found[one.name] = [[round(1000 * t) for t in span] for label, span in rows if label]
    assert found == expected


def test_speakers_of_a_textgrid_and_what_else_a_file_holds(tmp_path: Path) -> None:
    grid = {
        "Ann B - words": (["a b"], [(0.5, 1.0)]),
        "Ann B - phones": (["a", "", "b"], [(0.5, 0.6), (0.6, 0.95), (0.95, 1.0)]),
        "Bob - phones": (["c"], [(0.75, 2.0)]),
    }
    (tmp_path / "my talk.TextGrid").write_text(format_textgrid(grid, 2.5))
    arguments = ["convert", str(tmp_path / "my talk.TextGrid"), str(tmp_path / "my talk.rttm")]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    text = (tmp_path / "my talk.rttm").read_text()
    assert text == (
        "SPEAKER my_talk 1 0.500000 0.500000 <NA> <NA> Ann_B <NA> <NA>\n"
        "SPEAKER my_talk 1 0.750000 1.250000 <NA> <NA> Bob <NA> <NA>\n"
    )
    (tmp_path / "b.rttm").write_text(f";; made elsewhere\nSPKR-INFO t 1 <NA>\n\n{text}")
    both = {one.name: one for one in read_tiers(tmp_path / "b.rttm")}
    assert both["Ann_B"].times == ((0.5, 1.0),)
    assert both["Bob"].lines == (5,)
    with pytest.raises(DataError, match=r"'Bob' starts at 0\.75 s but overlaps 'Ann_B'"):
        read_labels(tmp_path / "b.rttm")
    write_labels(tmp_path / "one.rttm", Alignment(["sil", "a", "sil"], [0, 0.5, 1], 2.0))
    assert read_labels(tmp_path / "one.rttm").labels == ("speaker",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("SPEAKER t 1 0.5\n", 1, "is not `SPEAKER recording"),
        ("\nSPEAKER t 1 x 1 <NA> <NA> a <NA> <NA>\n", 2, "start"),
        ("SPEAKER t 1 0 0 <NA> <NA> a <NA> <NA>\n", 1, "has no length"),
        ("SPEAKER t 1 0 1 <NA> <NA> a\nSPEAKER u 1 1 1 <NA> <NA> a\n", 2, "several recordings"),
        ("", None, "no line of the type SPEAKER"),
    ],
)
def test_damaged_files_are_named_by_their_line(tmp_path: Path, text, line, message) -> None:
    (tmp_path / "a.rttm").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_tiers(tmp_path / "a.rttm")
    assert caught.value.line == line
