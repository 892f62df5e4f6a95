"""``align follow``."""

import json
from importlib.resources import files
from pathlib import Path

import mido
import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from align.cli import cli

PIECE = Path(str(files("align.data"))) / "minuet"
SCORE = PIECE / "score.mid"


def run(*arguments, sound=None):
    return CliRunner().invoke(cli, ["follow", *map(str, arguments)], input=sound)


def test_a_file_and_what_is_piped_are_told_alike(tmp_path):
    samples, rate = soundfile.read(PIECE / "audio.flac", dtype="int16", frames=5 * 22050)
    soundfile.write(tmp_path / "a.wav", samples, rate)
    file = run(tmp_path / "a.wav", SCORE)
    assert file.exit_code == 0, file.output
    piped = run("-", SCORE, "--rate", rate, sound=samples.tobytes() + b"\0")
    assert piped.stdout == file.stdout
    assert "15 of 71 chords were heard." in file.stderr
    whole = run("-", SCORE, "--rate", rate, sound=(tmp_path / "a.wav").read_bytes())
    assert "standard input: is a file of sound, not raw samples; name it instead" in whole.stderr
    lines = [json.loads(line) for line in file.stdout.splitlines()]
    assert len(lines) > 10
    assert lines[0]["written"] == 0.0
    assert (lines[0]["bar"], lines[0]["beat"]) == (1, 1.0)
    assert [note["note"] for note in lines[0]["notes"]] == [0, 1, 2, 3]
    assert all(0 < line["reported"] - line["time"] < 0.4 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", SCORE), "standard input needs --rate"),
        ((PIECE / "audio.flac", SCORE, "--rate", 22050), "--rate is for standard input"),
        ((PIECE / "audio.flac", SCORE, "--model", "speech-en"), "of speech, not of music"),
        ((PIECE / "audio.flac", SCORE, "--lag", 0.1), "must be at least 0.21 s"),
        ((PIECE / "audio.flac", SCORE, "--repeats", "maybe"), "repeats='maybe', must be"),
        (("nowhere.wav", SCORE), "nowhere.wav: there is no such file"),
        ((PIECE / "audio.flac", "nowhere.mid"), "nowhere.mid: does not exist"),
    ],
)
def test_one_sentence_says_what_is_wrong(arguments, message):
    result = run(*arguments)
    assert result.exit_code != 0
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_the_model_is_that_of_the_instruments_of_the_score(tmp_path):
    midi = mido.MidiFile(SCORE)
    for track in midi.tracks:
        track.insert(0, mido.Message("program_change", program=40))
    midi.save(tmp_path / "violin.mid")
    samples, rate = soundfile.read(PIECE / "audio.flac", dtype="int16", frames=3 * 22050)
    soundfile.write(tmp_path / "a.wav", samples, rate)
    found = run(tmp_path / "a.wav", tmp_path / "violin.mid")
    assert "Model ensemble: the score names strings (program 41).\n" in found.stderr
    asked = run(tmp_path / "a.wav", tmp_path / "violin.mid", "--model", "ensemble")
    assert found.stdout == asked.stdout
    assert "Model" not in asked.stderr
    assert "Model" not in run(tmp_path / "a.wav", SCORE).stderr


def test_nothing_heard_is_said():
    result = run("-", SCORE, "--rate", 22050, sound=np.zeros(44100, dtype="<i2").tobytes())
    assert result.exit_code == 1
    assert result.stderr.endswith("none of its notes was heard; is it played?\n")
