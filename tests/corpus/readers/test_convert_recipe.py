"""The recipe that writes corpora in Align's own layout."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from scripts import script

import align
from align.formats.tiers.textgrid import format_textgrid

RECIPE = Path(__file__).resolve().parents[3] / "recipes" / "readers" / "convert.py"
MATCH = """info(midiClockUnits,480).
info(midiClockRate,500000).
snote(n1,[B,n],3,0:2,1/8,1/8,-0.5000,0.0000,[v1])-note(n0,59,480,700,64,0,0).
snote(n2,[C,#],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(n1,61,960,1200,64,0,0).
snote(n3,[E,b],4,1:1,0,1/4,0.0000,1.0000,[v2])-deletion.
"""


@pytest.fixture
def convert():
    module = script(RECIPE)
    return lambda *arguments: module.main([str(argument) for argument in arguments])


def noise(path: Path, seconds: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = np.random.default_rng(0).uniform(-0.1, 0.1, round(seconds * 16000))
    soundfile.write(path, samples, 16000, subtype="PCM_16")
    return path


@pytest.fixture
def speech(tmp_path):
    audio = noise(tmp_path / "in" / "ABA" / "wav" / "arctic_a0001.wav", 2.0)
    grid = audio.parents[1] / "annotation" / "arctic_a0001.TextGrid"
    grid.parent.mkdir()
    bounds = [[0.0, 0.3], [0.3, 1.2], [1.2, 1.5], [1.5, 2.0]]
    grid.write_text(format_textgrid({"phones": (["AH0", "", "T,D,s", ""], bounds)}, 2.0))
    return tmp_path / "in"


def test_speech_becomes_recordings_with_textgrids(convert, speech, tmp_path):
    out = tmp_path / "out"
    assert convert(speech, "l2arctic", out, "--set", "phones=canonical") == 0
    (example,) = align.read_corpus(out)
    assert example.events == ("ah", "sil", "t", "sil")
    assert example.group == "ABA"
    assert Path(example.name).is_symlink()
    assert convert(speech, "l2arctic", out, "--copy") == 0  # again, over what is there
    (example,) = align.read_corpus(out)
    assert example.events == ("ah", "sil", "d", "sil")
    assert not Path(example.name).is_symlink()


def test_speech_is_cut_in_its_pauses(convert, speech, tmp_path):
    assert convert(speech, "l2arctic", tmp_path / "out", "--cut", "0.5") == 0
    first, second = align.read_corpus(tmp_path / "out")
    assert first.events == ("ah", "sil")
    assert second.events == ("sil", "d", "sil")
    np.testing.assert_allclose(second.onsets, [0.0, 0.1, 0.4])
    whole, _ = soundfile.read(speech / "ABA" / "wav" / "arctic_a0001.wav")
    part, _ = soundfile.read(second.name)
    np.testing.assert_array_equal(part, whole[round(1.1 * 16000) : round(1.6 * 16000)])


def test_music_becomes_folders_and_a_manifest(convert, tmp_path, capsys):
    for name in ("Chopin_op38_p01", "Chopin_op38_p02", "Chopin_op10_p01"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.match").write_text(MATCH)
        noise(tmp_path / "in" / f"{name}.wav", 2.0)
    (tmp_path / "in" / "Chopin_op38_p03.match").write_text(MATCH)
    out = tmp_path / "out"
    assert convert(tmp_path / "in", "vienna4x22", out) == 1  # a problem, but the rest is written
    assert "3 written, 1 problems, 0 without truth" in capsys.readouterr().err
    by_folder = align.read_corpus(out, kind="music")
    by_table = align.read_corpus(out / "manifest.csv", kind="music")
    assert len(by_folder) == len(by_table) == 3
    assert by_table.groups == ["Chopin_op10", "Chopin_op38"]
    for example in by_table:
        np.testing.assert_allclose(example.onsets, [0.5, 1.0, np.nan])
        assert example.score.ids == ("n1", "n2", "n3")


def test_an_option_the_reader_does_not_have_is_said(convert, speech, tmp_path, capsys):
    assert convert(speech, "l2arctic", tmp_path / "out", "--set", "tier=words") == 1
    assert "with a NAME of: labels, phones, stress" in capsys.readouterr().err
