"""Clicks and notes stand where the onsets are, at levels that fit the recording."""

import shutil
from importlib.resources import files
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from align.cli import cli
from align.errors import DataError, ParameterError
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.show.sonify import save_sonification, sonify
from align.types import Note

RATE = 16000
DATA = Path(str(files("align.data")))


def noise(seconds: float = 2.0, level: float = 0.1) -> np.ndarray:
    rng = np.random.default_rng(0)
    return level * rng.standard_normal(int(seconds * RATE))


def starts(channel: np.ndarray, rate: int, gap: float) -> np.ndarray:
    """Times at which sound begins after `gap` seconds of silence."""
    sounding = np.flatnonzero(channel)
    return sounding[np.diff(sounding, prepend=-rate) > gap * rate] / rate


@given(st.lists(st.integers(0, 90), min_size=1, max_size=12, unique=True))
def test_clicks_begin_at_the_onsets(twentieths: list[int]) -> None:
    onsets = np.sort(twentieths) * 0.02137
    found = Alignment(["a"] * len(onsets), onsets, 2.0)
    samples, rate = sonify(found, audio=noise(), rate=RATE)
    assert rate == RATE
    assert np.allclose(starts(samples[:, 1], rate, 0.002), onsets, atol=0.5 / RATE + 1e-9)
    assert np.abs(samples).max() <= 0.7 + 1e-6


def test_the_recording_is_on_the_left() -> None:
    sound = noise()
    samples, _ = sonify(Alignment(["a"], [0.5], 2.0), audio=sound, rate=RATE)
    assert samples.shape == (len(sound), 2)
    assert samples.dtype == np.float32
    assert np.allclose(samples[:, 0], sound * 0.7 / np.abs(sound).max(), atol=1e-6)


def test_notes_begin_at_their_onsets_with_their_pitches() -> None:
    notes = [Note(60, 0.0), Note(69, 0.5), Note(76, 1.0)]
    found = MusicAlignment(notes, [0.2, 0.9, 1.5], 2.0, durations=[0.3, 0.3, 0.3])
    samples, rate = sonify(found, audio=noise(), rate=RATE)
    right = samples[:, 1]
    assert np.allclose(starts(right, rate, 0.05), found.onsets, atol=2 / RATE)
    for onset, note in zip(found.onsets, notes, strict=True):
        first = round((onset + 0.02) * rate)
        size = 2048
        power = np.abs(np.fft.rfft(right[first : first + size] * np.hanning(size), 8 * size))
        frequency = power.argmax() * rate / (8 * size)
        assert frequency == pytest.approx(440 * 2 ** ((note.pitch - 69) / 12), rel=0.01)


def test_chords_are_one_click() -> None:
    notes = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5)]
    found = MusicAlignment(notes, [0.5, 0.52, 1.0], 2.0)
    samples, rate = sonify(found, sound="clicks", audio=noise(), rate=RATE)
    assert np.allclose(starts(samples[:, 1], rate, 0.002), found.chord_onsets, atol=1 / RATE)


@pytest.mark.parametrize("level", [0.001, 0.3, 5.0])
def test_levels_are_balanced_and_nothing_is_cut(level: float) -> None:
    rng = np.random.default_rng(1)
    pitches, times = rng.integers(40, 90, 60), np.sort(rng.uniform(0, 1.8, 60))
    notes = [Note(int(p), float(t)) for p, t in zip(pitches, times, strict=True)]
    found = MusicAlignment(notes, times, 2.0)
    samples, _ = sonify(found, audio=noise(level=level), rate=RATE)
    assert np.abs(samples).max() <= 0.7 + 1e-6
    sounding = samples[:, 1] != 0
    left, right = np.sqrt(np.mean(samples[sounding].astype(float) ** 2, axis=0))
    assert 0.4 < right / left < 1.01


def test_silence_and_the_ends_of_the_recording() -> None:
    notes = [Note(60, 0.0), Note(64, 1.0)]
    found = MusicAlignment(notes, [0.0, 1.999], 2.0, durations=[3.0, 3.0])
    samples, _ = sonify(found, audio=np.zeros(2 * RATE), rate=RATE)
    assert np.isfinite(samples).all()
    assert np.abs(samples[:, 1]).max() > 0.1
    assert not samples[:, 0].any()
    samples, _ = sonify(Alignment(["a"], [1.9999], 2.0), audio=noise(), rate=RATE)
    assert samples[-1, 1] != 0
    samples, rate = sonify(found, audio=np.zeros(8000), rate=4000)  # too low for tones
    assert (len(samples), rate) == (16000, 8000)


def test_wrong_requests(tmp_path: Path) -> None:
    found = Alignment(["a"], [0.0], 1.0)
    with pytest.raises(DataError, match="knows no recording"):
        sonify(found)
    with pytest.raises(ParameterError, match="phones have no pitch"):
        sonify(found, sound="notes", audio=noise(), rate=RATE)
    with pytest.raises(ParameterError, match="sound='bells', must be 'clicks' or 'notes'"):
        sonify(found, sound="bells", audio=noise(), rate=RATE)
    with pytest.raises(ParameterError, match=r"written as \.wav, \.flac, \.ogg, not as '\.mp4'"):
        save_sonification(found, tmp_path / "out.mp4", audio=noise(), rate=RATE)


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg"])
def test_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    found = Alignment(["a", "b"], [0.5, 1.25], 2.0)
    save_sonification(found, path, audio=noise(), rate=RATE)
    samples, rate = soundfile.read(path)
    assert (samples.shape, rate) == ((2 * RATE, 2), RATE)
    loud = np.flatnonzero(np.abs(samples[:, 1]) > 0.2) / rate
    assert loud[0] == pytest.approx(0.5, abs=0.002)
    with pytest.raises(DataError, match="exists"):
        save_sonification(found, path, audio=noise(), rate=RATE)
    save_sonification(found, path, audio=noise(), rate=RATE, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("kiwi.flac", "kiwi.TextGrid"):
        shutil.copy(DATA / name, name)
    shutil.copytree(DATA / "minuet", "minuet")
    run = CliRunner()
    done = run.invoke(cli, ["sonify", "kiwi.flac", "kiwi.TextGrid", "-o", "out.wav"])
    assert done.exit_code == 0, done.stderr
    samples, rate = soundfile.read("out.wav")
    truth = Alignment.from_labels("kiwi.TextGrid")
    assert np.allclose(starts(samples[:, 1], rate, 0.004), truth.onsets, atol=1 / rate)
    done = run.invoke(cli, ["sonify", "kiwi.flac", "kiwi.TextGrid", "-o", "out.wav"])
    assert (done.exit_code, "exists; choose another name" in done.stderr) == (2, True)
    music = ["sonify", "minuet/audio.flac", "minuet/truth.csv"]
    done = run.invoke(cli, [*music, "--with", "clicks", "-o", "m.flac"])
    assert done.exit_code == 0, done.stderr
    done = run.invoke(
        cli, ["sonify", "kiwi.flac", "kiwi.TextGrid", "--with", "notes", "-o", "n.wav"]
    )
    assert (done.exit_code, "phones have no pitch" in done.stderr) == (2, True)


def test_the_option_of_align_music(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DATA / "minuet", "minuet")
    notes = MusicAlignment.from_labels("minuet/truth.csv")
    aligner = Mock(kind="music")
    aligner.set_params.return_value.align.return_value = notes
    monkeypatch.setattr("align.models.loading.load", lambda name: aligner)
    arguments = ["music", "minuet/audio.flac", "minuet/score.mid", "--model", "any", "-o", "a.csv"]
    done = CliRunner().invoke(cli, [*arguments, "--sonify", "a.mp4"])
    assert done.exit_code == 2
    assert not aligner.set_params.called  # refused before any work
    done = CliRunner().invoke(cli, [*arguments, "--sonify", "a.wav"])
    assert done.exit_code == 0, done.stderr
    assert "a.csv, a.wav" in done.stderr
    samples, rate = soundfile.read("a.wav")
    assert np.flatnonzero(samples[:, 1])[0] / rate == pytest.approx(notes.onsets.min(), abs=1e-3)
