"""The recipe of vowels measures in the middle of vowels, in Python and in R."""

import csv
import os
import shutil
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest
from scripts import RECIPES, script

FOLDER = RECIPES / "vowels"


@pytest.fixture(scope="module")
def recipe():
    return script(FOLDER / "run.py")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Both bundled sentences, each of a speaker, with TextGrids beside them."""
    folder = tmp_path_factory.mktemp("recordings")
    for speaker, name in (("bert", "kiwi"), ("anna", "north-wind")):
        (folder / speaker).mkdir()
        for suffix in (".flac", ".TextGrid"):
            shutil.copy(str(files("align.data") / f"{name}{suffix}"), folder / speaker)
    return folder


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_open_and_close_front_and_back_vowels_are_told_apart(recipe, corpus, tmp_path):
    pytest.importorskip("parselmouth", reason="praat-parselmouth is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    table, picture = tmp_path / "vowels.csv", tmp_path / "vowels.png"
    arguments = [str(corpus), str(corpus), "-o", str(table), "--plot", str(picture)]
    assert recipe.main([*arguments, "--tracks", str(tmp_path / "tracks")]) == 0
    found = rows(table)
    assert {row["speaker"] for row in found} == {"anna", "bert"}

    def middle(vowels, formant):
        return np.mean([float(row[formant]) for row in found if row["vowel"] in vowels])

    assert middle(("aa", "ae"), "f1") > middle(("iy", "ih"), "f1") + 100
    assert middle(("iy", "ih"), "f2") > middle(("aa", "ao"), "f2") + 300
    assert picture.stat().st_size > 10_000

    first = found[0]  # a track has the same formants
    track = rows(tmp_path / "tracks" / f"{first['file']}.formants.csv")
    time = (float(first["start"]) + float(first["end"])) / 2
    at = np.interp(
        time, [float(row["time"]) for row in track], [float(row["f1"]) for row in track]
    )
    assert at == pytest.approx(float(first["f1"]), abs=1)

    if not has_r():
        pytest.skip("R with ggplot2 is not installed")
    said = subprocess.run(
        ["Rscript", FOLDER / "vowels.R", "textgrids", corpus, tmp_path / "tracks", "r.png"],
        cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    assert (tmp_path / "r.png").stat().st_size > 10_000
    iy = next(line.split() for line in said.splitlines() if line.split()[1:2] == ["iy"])
    assert float(iy[2]) == pytest.approx(middle(("iy",), "f1"), abs=2)
    assert float(iy[3]) == pytest.approx(middle(("iy",), "f2"), abs=2)


def has_r():
    asked = ["Rscript", "-e", "stopifnot(requireNamespace('ggplot2', quietly = TRUE))"]
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(asked, check=False, capture_output=True, timeout=60).returncode == 0


def test_speakers_are_brought_to_one_scale(recipe):
    low = [recipe.Vowel("a", "a", "iy", 0, 1, f1, f2) for f1, f2 in ((300, 2000), (500, 1000))]
    high = [one._replace(speaker="b", f1=one.f1 * 1.2, f2=one.f2 + 100) for one in low]
    scaled = recipe.normalised([*low, *high])
    values = np.array([(one.f1, one.f2) for one in scaled])
    np.testing.assert_allclose(values, [[-1, 1], [1, -1], [-1, 1], [1, -1]], atol=1e-9)


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("praat", "pip install praat-parselmouth"),
        ("labels", "align the recordings first"),
        ("vowels", "has none of the vowels xx"),
    ],
)
def test_what_is_missing_is_said(recipe, corpus, tmp_path, capsys, monkeypatch, missing, sentence):
    labels, more = corpus, []
    if missing == "praat":
        monkeypatch.setitem(sys.modules, "parselmouth", None)
    else:
        pytest.importorskip("parselmouth", reason="praat-parselmouth is not installed")
    if missing == "labels":
        labels = tmp_path
    if missing == "vowels":
        more = ["--vowels", "xx"]
    output = os.fspath(tmp_path / "vowels.csv")
    assert recipe.main([str(corpus), str(labels), "-o", output, *more]) == 1
    assert sentence in capsys.readouterr().err
    assert not os.path.exists(output)
