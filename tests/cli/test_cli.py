"""The command line: what each command does, and what every bad input gets: one clear sentence."""

import functools
import inspect
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result
from synthetic_speech import RATE, random_phones, write_corpus, write_recording

import align
from align.cli import cli
from align.cli.console import Console
from align.cli.inputs import read_phones
from align.cli.outputs import save_model
from align.errors import DataError
from align.formats.tiers.textgrid import format_textgrid, parse_textgrid
from align.formats.tiers.tier import Tier

PHONES = ["sil", "aa", "s", "iy", "m", "aa", "sil"]


def run(*args: object, stdin: str | None = None) -> Result:
    options = {}
    if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click 8.1
        options["mix_stderr"] = False
    return CliRunner(**options).invoke(cli, [str(arg) for arg in args], input=stdin)


def errors(result: Result) -> list[str]:
    return [line for line in result.stderr.splitlines() if line.startswith("Error: ")]


def assert_refused(result: Result, status: int, *words: str) -> None:
    """One sentence on stderr, which holds the words, and nothing that looks like a traceback."""
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output + result.stderr
    assert len(errors(result)) == 1, result.stderr
    (sentence,) = errors(result)
    assert sentence.endswith((".", "?"))
    for word in words:
        assert word in sentence


@pytest.fixture(scope="module", autouse=True)
def small_networks() -> Iterator[None]:
    """Train tiny networks: what is tested here is the command line."""
    from align.features import NetworkConfidence

    small = functools.partial(NetworkConfidence, width=8, dilations=(1, 2), epochs=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("align.speech.feature_sets.NetworkConfidence", small)
        yield


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    write_corpus(folder / "corpus")
    path = folder / "toy.align"
    result = run(
        *("train", "speech", folder / "corpus", "-o", path),
        *("--epochs", 2, "--seed", 3, "--jobs", 1, "--licence", "CC0"),
    )
    assert result.exit_code == 0, result.stderr
    assert "6 recordings" in result.stderr
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, with one recording and its labels."""
    monkeypatch.chdir(tmp_path)
    write_recording(tmp_path / "word", PHONES, seed=5)
    return tmp_path


def test_training_takes_a_phone_map(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    (tmp_path / "map.csv").write_text("from,to\ns,noise\nm,hum\n")
    result = run(
        *("train", "speech", tmp_path / "corpus", "-o", tmp_path / "m.align", "--epochs", 1),
        *("--jobs", 1, "--phone-map", tmp_path / "map.csv"),
    )
    assert result.exit_code == 0, result.stderr
    aligner = align.load(tmp_path / "m.align")
    assert {"noise", "hum"} <= set(aligner.features_[0].symbols_)
    assert "s" in aligner.known_labels()


# Help -------------------------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    text = run("--help").stdout
    for command in ("demo", "speech", "train", "evaluate", "validate", "info", "plot", "convert"):
        assert f"\n  {command} " in text
    assert "..." not in text.split("Commands:")[1]  # no description is cut off


def test_version() -> None:
    assert run("--version").stdout.strip() == f"align, version {align.__version__}"


def test_a_file_that_looks_like_an_option_is_named(here: Path) -> None:
    Path("-dash.wav").touch()
    hint = f"For the file of that name write {os.path.join('.', '-dash.wav')}."
    assert_refused(run("speech", "-dash.wav", "--text", "kiwi"), 2, hint)
    assert "For the file" not in run("speech", "-other.wav").stderr


def test_an_unknown_command_suggests_the_nearest() -> None:
    result = run("spech")
    assert_refused(result, 2, "'spech'", "did you mean 'speech'?")
    assert_refused(run("train", "spech"), 2, "did you mean 'speech'?")
    assert_refused(run("xylophone"), 2, "see --help")


# align speech -----------------------------------------------------------------------------------


def test_speech_writes_a_textgrid_that_ends_with_the_recording(here: Path, model: Path) -> None:
    result = run("speech", "word.wav", "--phones", " ".join(PHONES), "--model", model)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "7 phones" in result.stderr
    found = align.Alignment.from_labels("word.TextGrid")
    assert found.labels == tuple(PHONES)
    assert found.duration == soundfile.info("word.wav").duration
    truth = align.Alignment.from_labels("word.phn")
    assert np.median(np.abs(found.onsets - truth.onsets)) < 0.01


def test_speech_writes_every_format_at_once(here: Path, model: Path) -> None:
    suffixes = ["TextGrid", "csv", "json", "ctm", "phn", "lab", "txt", "png"]
    outputs = [arg for suffix in suffixes for arg in ("-o", f"out.{suffix}")]
    (here / "word.phn").rename(here / "truth.phn")
    result = run("speech", "word.wav", "--phones", "truth.phn", "--model", model, *outputs)
    assert result.exit_code == 0, result.stderr
    assert all((here / f"out.{suffix}").stat().st_size > 0 for suffix in suffixes)
    read = [align.Alignment.from_labels(f"out.{s}").onsets for s in suffixes if s != "png"]
    for onsets in read[1:]:
        np.testing.assert_allclose(onsets, read[0], atol=6e-4)


@pytest.mark.parametrize("rate", [8000, 44100])
def test_any_rate_and_two_channels_will_do(here: Path, model: Path, rate: int) -> None:
    audio, labels = write_recording(here / "other", PHONES, seed=6, rate=rate)
    samples, _ = soundfile.read(audio)
    soundfile.write("other.flac", np.stack([samples, samples], axis=1) / 2, rate)
    result = run("speech", "other.flac", "--phones", labels, "--model", model, "-o", "o.csv")
    assert result.exit_code == 0, result.stderr


def test_phones_come_from_text_files_label_files_and_stdin(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "plain.txt").write_text("sil aa\n s iy\n")
    (here / "plain.lab").write_text("sil aa s iy")
    (here / "timed.txt").write_text("0.0\t0.1\tsil\n0.1\t0.2\taa\n")
    (here / "table.csv").write_text("start,end,label\n0,0.1,sil\n0.1,0.2,aa\n")
    assert read_phones("plain.txt") == read_phones("plain.lab") == ["sil", "aa", "s", "iy"]
    assert read_phones("timed.txt") == read_phones("table.csv") == ["sil", "aa"]
    assert read_phones("word.phn") == PHONES
    assert read_phones("sil  aa") == ["sil", "aa"]
    args = ("speech", "word.wav", "--phones", "-", "--model", model, "-o", "out.csv")
    assert run(*args, stdin=" ".join(PHONES)).exit_code == 0


@pytest.mark.parametrize("source", ["", "  ", "empty.txt", "empty.phn"])
def test_no_phones(here: Path, source: str) -> None:
    for name in ("empty.txt", "empty.phn"):
        (here / name).write_text("")
    with pytest.raises(DataError, match=r"no phones|no labels"):
        read_phones(source)


def _audio(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.wav"
    good = (folder / "word.wav").read_bytes()
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "no-samples":
        soundfile.write(path, np.zeros(0), RATE)
    elif kind == "text":
        path.write_text("this is not sound\n" * 50)
    elif kind == "truncated":
        path.write_bytes(good[: len(good) // 2])
    elif kind == "silence":
        soundfile.write(path, np.zeros(RATE), RATE)
    elif kind == "nan":
        samples = np.full(RATE, 0.1, dtype=np.float32)
        samples[100] = np.nan
        soundfile.write(path, samples, RATE, subtype="FLOAT")
    elif kind == "folder":
        path.mkdir()
    return path


BAD_AUDIO = {
    "missing": "no such file",
    "empty": "empty",
    "no-samples": "no samples",
    "text": "not audio",
    "truncated": "truncated",
    "silence": "silence",
    "nan": "nan",
    "folder": "directory",
}


@pytest.mark.parametrize("kind", BAD_AUDIO)
def test_bad_audio_is_named_with_the_reason(here: Path, model: Path, kind: str) -> None:
    path = _audio(here, kind)
    result = run("speech", path, "--phones", "sil aa", "--model", model, "-o", "out.TextGrid")
    assert_refused(result, 1, str(path), BAD_AUDIO[kind])
    assert not (here / "out.TextGrid").exists()


def test_unknown_phones_are_named_with_the_nearest_known(here: Path, model: Path) -> None:
    result = run("speech", "word.wav", "--phones", "sil aaa sil", "--model", model)
    assert_refused(result, 1, "'aaa'", "nearest known: 'aa'")


def test_more_phones_than_frames(here: Path, model: Path) -> None:
    phones = " ".join(["aa", "iy"] * 500)
    result = run("speech", "word.wav", "--phones", phones, "--model", model)
    assert_refused(result, 1, "1000", "frames")


def test_an_output_that_exists_is_kept(here: Path, model: Path) -> None:
    (here / "word.TextGrid").write_text("corrected by hand")
    args = ("speech", "word.wav", "--phones", "word.phn", "--model", model)
    assert_refused(run(*args), 2, "word.TextGrid", "--overwrite")
    assert (here / "word.TextGrid").read_text() == "corrected by hand"
    assert run(*args, "--overwrite").exit_code == 0
    assert align.Alignment.from_labels("word.TextGrid").labels == tuple(PHONES)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("out.docx", (".docx", ".textgrid")),
        ("nowhere/out.TextGrid", ("nowhere", "does not exist")),
        ("out.csv", ("is a folder",)),
    ],
)
def test_outputs_that_cannot_be_are_refused_before_work(
    here: Path, output: str, words: tuple[str, ...]
) -> None:
    (here / "out.csv").mkdir()
    result = run("speech", "word.wav", "--phones", "sil", "--model", "no-model", "-o", output)
    assert_refused(result, 2, *words)


# Models -----------------------------------------------------------------------------------------


def _rewrite(path: Path, change: str) -> None:
    """Rewrite a model with one thing wrong."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["model.json"])
    if change == "version":
        header["format_version"] = 99
    elif change == "licence":
        header["header"]["licence"] = "do what you like"
    elif change == "array":
        members["coef.npy"] = members["coef.npy"][:-1] + b"\x00"
    elif change == "missing":
        del members["coef.npy"]
    members["model.json"] = json.dumps(header).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    path.write_bytes(stream.getvalue())


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("version", "version 99"),
        ("licence", "checksum"),
        ("array", "checksum"),
        ("missing", "missing"),
        ("truncated", "not a whole model"),
        ("audio", "not a whole model"),
        ("absent", "no model"),
    ],
)
@pytest.mark.parametrize("command", ["speech", "evaluate", "info"])
def test_wrong_models_are_refused(
    here: Path, model: Path, change: str, word: str, command: str
) -> None:
    path = here / "bad.align"
    if change == "audio":
        shutil.copy(here / "word.wav", path)
    elif change != "absent":
        shutil.copy(model, path)
    if change == "truncated":
        path.write_bytes(path.read_bytes()[:1000])
    elif change not in ("audio", "absent"):
        _rewrite(path, change)
    args = {
        "speech": ("speech", "word.wav", "--phones", "sil aa", "--model", path),
        "evaluate": ("evaluate", path, here),
        "info": ("info", path),
    }[command]
    assert_refused(run(*args), 1, "bad.align", word)


def test_a_model_of_another_kind(here: Path) -> None:
    from align.files.model_file import write_model

    write_model("other.align", "origami", {}, {})
    result = run("speech", "word.wav", "--phones", "sil", "--model", "other.align")
    assert_refused(result, 1, "origami")


def test_info(model: Path) -> None:
    text = run("info", model).stdout
    for word in ("speech", "6 recordings", "2 speakers", "54 labels", "CC0", "epochs=2", "aa iy"):
        assert word in text
    everything = json.loads(run("info", model, "--json").stdout)
    assert everything["kind"] == "speech"
    assert everything["licence"] == "CC0"
    assert everything["arrays"]["coef"] == [len(everything["base_functions"])]


# Label files ------------------------------------------------------------------------------------

BAD_LABELS = {
    "overlap": (b"0 4000 sil\n2000 8000 aa\n", "overlaps"),
    "unordered": (b"4000 8000 aa\n0 4000 sil\n", "order"),
    "range": (b"0 4000 sil\n4000 99999999 aa\n", "beyond the end"),
    "negative": (b"-5 4000 sil\n", "before the recording"),
    "backwards": (b"4000 100 sil\n", "before it starts"),
    "columns": (b"0 4000\n", "start end label"),
    "numbers": (b"zero 4000 sil\n", "whole number"),
    "empty": (b"", "label"),
    "encoding": ("0 4000 \u00e6\n".encode("latin-1"), "UTF-8"),
}


@pytest.mark.parametrize("kind", BAD_LABELS)
def test_bad_labels_are_named_with_file_and_reason(here: Path, kind: str) -> None:
    content, word = BAD_LABELS[kind]
    (here / "bad.phn").write_bytes(content)
    result = run("convert", "bad.phn", "out.csv", "--audio", "word.wav")
    assert_refused(result, 1, "bad.phn", word)
    result = run("plot", "word.wav", "bad.phn", "-o", "out.png")
    assert_refused(result, 1, "bad.phn", word)
    assert sorted(path.name for path in here.iterdir()) == ["bad.phn", "word.phn", "word.wav"]


def test_convert_goes_through_every_format(here: Path) -> None:
    names = ["word.phn", "a.TextGrid", "b.csv", "c.json", "d.lab", "e.txt", "f.tsv", "g.phn"]
    for source, target in itertools.pairwise(names):
        result = run("convert", source, target, "--audio", "word.wav")
        assert result.exit_code == 0, result.stderr
    assert (here / "g.phn").read_text() == (here / "word.phn").read_text()
    assert run("convert", "word.phn", "h.phn").stderr.splitlines() == ["7 labels: h.phn"]
    assert "counted at 16000 Hz" in run("convert", "a.TextGrid", "i.phn").stderr
    assert_refused(run("convert", "word.phn", "b.csv"), 2, "b.csv", "--overwrite")
    assert_refused(run("convert", "word.phn", "-o", "b.png"), 2, "align plot")
    assert_refused(run("convert", "word.phn"), 2, "IN -o OUT")
    two = run("convert", "word.phn", "-o", "y.csv", "-o", "z.lab")
    assert two.stderr.splitlines() == ["7 labels: y.csv", "7 labels: z.lab"]
    assert_refused(run("convert", "word.phn", "-o", "x.csv", "-o", "z.lab"), 2, "--overwrite")
    assert not (here / "x.csv").exists()
    assert_refused(run("convert", "absent.phn", "x.csv"), 1, "absent.phn", "does not exist")


def test_convert_counts_the_turns_that_it_wrote(here: Path) -> None:
    Path("a.csv").write_text("start,end,label\n0,0.5,k\n0.5,1,iy\n1,2,sil\n2,3,k\n")
    result = run("convert", "a.csv", "a.rttm")
    assert "2 turns: a.rttm" in result.stderr
    assert len(Path("a.rttm").read_text().splitlines()) == 2


def test_convert_keeps_all_tiers_and_says_what_it_leaves_out(here: Path) -> None:
    words, phones = ((0.0, 0.2), (0.2, 0.4)), ((0.0, 0.2), (0.2, 0.3), (0.3, 0.4))
    tiers = [
        Tier("words", "interval", ("sil", "key"), words, (), 0.4),
        Tier("phones", "interval", ("sil", "k", "iy"), phones, (), 0.4),
        Tier("tones", "point", ("H*",), ((0.25, 0.25),), (), 0.4),
    ]
    text = format_textgrid(tiers, 0.4)
    Path("a.TextGrid").write_text(text)
    for source, target in itertools.pairwise(["a.TextGrid", "b.json", "c.TextGrid"]):
        result = run("convert", source, target)
        assert result.exit_code == 0, result.stderr
        assert "6 labels in 3 tiers" in result.stderr
        assert "Left out" not in result.stderr
    assert Path("c.TextGrid").read_text() == text
    for target, left in (
        ("a.csv", "1 tier ('tones')"),
        ("a.wrd", "2 tiers ('phones', 'tones')"),
        ("a.phn", "2 tiers ('words', 'tones')"),
    ):
        result = run("convert", "b.json", target)
        assert result.exit_code == 0, result.stderr
        assert f"Left out: {left}." in result.stderr
    assert Path("a.wrd").read_text() == "3200 6400 key\n"  # pauses are no words
    assert Path("a.csv").read_text().splitlines()[2] == "0.200000,0.300000,k,,key,,0"
    result = run("convert", "a.TextGrid", "d.TextGrid", "--tier", "words")
    assert result.exit_code == 0, result.stderr
    assert "Left out: 2 tiers ('phones', 'tones')." in result.stderr
    assert [tier.name for tier in parse_textgrid(Path("d.TextGrid").read_text())] == ["words"]
    assert_refused(run("convert", "a.TextGrid", "e.csv", "--tier", "x"), 1, "a.TextGrid", "'x'")


def test_plot(here: Path) -> None:
    args = ("plot", "word.wav", "word.phn", "--reference", "word.phn", "-o", "word.png")
    assert run(*args).exit_code == 0
    assert (here / "word.png").read_bytes().startswith(b"\x89PNG")
    assert_refused(run(*args), 2, "word.png", "--overwrite")
    assert_refused(run(*args[:-1], "word.xyz"), 2, ".png", "xyz")


def test_plot_draws_words_and_spans(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a TextGrid or of JSON stand above the phones, from one time to another."""
    import align.show.plot

    drawn: list[dict[str, object]] = []
    real = align.show.plot.save_plot

    def save(*args: object, **options: object) -> None:
        drawn.append(options)
        real(*args, **options)

    monkeypatch.setattr(align.show.plot, "save_plot", save)
    samples, rate = soundfile.read("word.wav")
    found = align.Alignment.from_labels("word.phn", audio="word.wav")
    half = float(found.onsets[3])
    words = align.Alignment(["", "word"], [0.0, half], len(samples) / rate)
    tiers = {
        name: (item.labels, item.intervals) for name, item in (("words", words), ("phones", found))
    }
    Path("both.TextGrid").write_text(format_textgrid(tiers, found.duration))
    result = run("plot", "word.wav", "both.TextGrid", "-o", "a.png", "--span", 0.1, 0.4)
    assert result.exit_code == 0, result.stderr
    assert "7 labels: a.png" in result.stderr
    assert drawn[0]["span"] == (0.1, 0.4)
    (name,) = drawn[0]["others"]
    assert name == "words"
    assert drawn[0]["others"]["words"].labels == ("", "word")
    assert drawn[0]["others"]["words"].onsets.tolist() == [0.0, half]
    assert_refused(run("plot", "word.wav", "word.phn", "-o", "b.png", "--span", 5, 9), 2, "span=")


def test_plot_of_several_speakers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[tuple[str, ...], list[str]]] = []
    monkeypatch.setattr(
        "align.show.plot.save_plot",
        lambda found, *_, others, **__: drawn.append((found.labels, list(others))),
    )
    names = ("Ann - phones", "Bob - words", "Bob - phones")
    said = (("k",), ("key",), ("k", "iy", "k"))
    tiers = {
        name: (labels, [(0.1 * k, 0.1 * k + 0.1) for k in range(len(labels))])
        for name, labels in zip(names, said, strict=True)
    }
    Path("two.TextGrid").write_text(format_textgrid(tiers, 0.5))
    for option in ([], ["--tier", "Ann - phones"]):
        result = run("plot", "word.wav", "two.TextGrid", "-o", "a.png", *option)
        assert result.exit_code == 0, result.stderr
    assert [labels[:2] for labels, _ in drawn] == [("k", "iy"), ("k", "sil")]
    assert [others for _, others in drawn] == [list(names[:2]), list(names[1:])]


def test_plot_knows_how_sure_a_file_is(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[align.Alignment] = []
    monkeypatch.setattr("align.show.plot.save_plot", lambda found, *_, **__: drawn.append(found))
    found = align.Alignment.from_labels("word.phn", audio="word.wav")
    sure = np.linspace(0.2, 0.9, len(found))
    replace(found, confidence=sure).to_json("sure.json")
    content = json.loads(Path("sure.json").read_text())
    content["events"][2]["confidence"] = None  # a person has set it
    Path("set.json").write_text(json.dumps(content))
    for name in ("sure", "set"):
        result = run("plot", "word.wav", f"{name}.json", "-o", "a.png")
        assert result.exit_code == 0, result.stderr
    np.testing.assert_allclose(drawn[0].confidence, sure)
    sure[2] = 1.0
    np.testing.assert_allclose(drawn[1].confidence, sure)


def test_plot_without_matplotlib(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("plot", "word.wav", "word.phn", "-o", "word.png")
    assert_refused(result, 2, "matplotlib", "margin-align[plot]")


# Corpora ----------------------------------------------------------------------------------------


@pytest.fixture
def damaged(here: Path) -> Path:
    """Three good recordings, and a bad one of each kind."""
    corpus = write_corpus(here / "corpus", {"cid": 3}, seed=4)
    for kind in ("empty", "truncated", "silence", "nan"):
        path = _audio(here, kind)
        (corpus / "cid").joinpath(path.name).write_bytes(path.read_bytes())
        shutil.copy(here / "word.phn", corpus / "cid" / f"{kind}.phn")
    for kind in ("overlap", "unordered", "range", "encoding"):
        shutil.copy(here / "word.wav", corpus / "cid" / f"{kind}.wav")
        (corpus / "cid" / f"{kind}.phn").write_bytes(BAD_LABELS[kind][0])
    return corpus


DAMAGED = ("empty", "truncated", "silence", "nan", "overlap", "unordered", "range", "encoding")


def test_training_goes_on_without_the_bad_files_and_names_them(damaged: Path, here: Path) -> None:
    result = run("train", "speech", damaged, "-o", "new.align", "--epochs", 1, "--jobs", 1)
    assert result.exit_code == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert len(errors(result)) == len(DAMAGED)
    for kind in DAMAGED:
        assert sum(f"{kind}." in line for line in errors(result)) == 1
    assert "3 recordings" in result.stderr
    assert align.load("new.align").training_["recordings"] == 3


def test_labels_in_the_ipa_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    soundfile.write("a.wav", np.zeros(16000), 16000)  # nothing to learn from
    Path("a.csv").write_text("start,end,label\n0,0.5,sil\n0.5,1,ʃ\n", encoding="utf-8")
    told = "The labels are IPA: a model of --features universal also aligns phones"
    for features in ("default", "universal"):
        result = run("train", "speech", ".", "-o", "m.align", "--features", features)
        assert (told in result.stderr) == (features == "default")


def test_evaluation_goes_on_without_the_bad_files_and_names_them(
    damaged: Path, model: Path, here: Path
) -> None:
    result = run("evaluate", model, damaged, "--json", "-")
    assert result.exit_code == 1, result.stderr
    for kind in DAMAGED:
        assert sum(f"{kind}." in line for line in errors(result)) == 1
    numbers = json.loads(result.stdout)
    assert numbers["kind"] == "speech"
    assert numbers["files"] == len(numbers["per_file"]) == 3
    assert numbers["boundaries"] == 3 * 8  # the first of nine, at 0, is not scored
    assert set(numbers["within_ms"]) >= {"10", "20", "25", "30", "40", "50", "100"}
    assert 0 < numbers["median_abs_ms"] <= numbers["mean_abs_ms"] + 50
    assert numbers["real_time_factor"] > 0
    assert set(numbers["per_file"][0]) >= {"file", "boundaries", "mean_abs_ms", "median_abs_ms"}
    assert len(numbers["failed"]) == len(DAMAGED)


def test_evaluation_prints_a_table_and_writes_json(here: Path, model: Path) -> None:
    corpus = write_corpus(here / "corpus", {"cid": 2}, seed=4)
    for name in "abcd":
        shutil.copy(here / "word.wav", corpus / f"{name}.wav")
    result = run("evaluate", model, corpus, "--json", "numbers.json")
    unlabelled = ", ".join(str(corpus / f"{name}.wav") for name in "abc")
    assert f"no labels of that name: 4 recordings, {unlabelled} and others." in result.stderr
    assert result.exit_code == 0, result.stderr
    assert "16 boundaries in 2 files" in result.stdout
    assert json.loads((here / "numbers.json").read_text())["files"] == 2
    assert_refused(run("evaluate", model, corpus, "--json", "numbers.json"), 2, "--overwrite")


def test_validation_lists_the_bad_files(damaged: Path) -> None:
    result = run("validate", "speech", damaged)
    assert result.exit_code == 1
    for kind in DAMAGED:
        assert f"{kind}." in result.stdout


def test_validation_of_a_good_corpus(tmp_path: Path) -> None:
    assert run("validate", "speech", write_corpus(tmp_path / "corpus")).exit_code == 0


@pytest.mark.parametrize("command", ["train", "evaluate", "validate"])
@pytest.mark.parametrize("corpus", ["absent", "without"])
def test_no_corpus(here: Path, model: Path, command: str, corpus: str) -> None:
    (here / "without").mkdir()
    args = {
        "train": ("train", "speech", corpus, "-o", "new.align"),
        "evaluate": ("evaluate", model, corpus),
        "validate": ("validate", "speech", corpus),
    }[command]
    assert_refused(run(*args), 1, corpus)
    assert not (here / "new.align").exists()


def test_training_is_repeatable_and_takes_its_options(here: Path) -> None:
    corpus = write_corpus(here / "corpus", {"ann": 2, "bob": 2})
    options = "--epochs 1 --update pa2 --loss maximal --cost absolute -C 1 --jobs 1".split()
    for name in ("one.align", "two.align"):
        assert run("train", "speech", corpus, "-o", name, *options).exit_code == 0
    assert (here / "one.align").read_bytes() == (here / "two.align").read_bytes()
    params = align.load("one.align").get_params()
    assert (params["update"], params["loss"], params["C"]) == ("pa2", "maximal", 1.0)


def test_the_learner_of_the_thesis_is_one_word(here: Path) -> None:
    corpus = write_corpus(here / "corpus", {"ann": 2, "bob": 2})
    options = ("--features", "as-in-thesis", "-C", 2, "--jobs", 1)
    result = run("train", "speech", corpus, "-o", "thesis.align", *options)
    assert result.exit_code == 0, result.stderr
    expected = align.SpeechAligner.as_in_thesis(C=2.0).get_params()
    params = align.load("thesis.align").get_params()
    assert params["features"] == ["thesis"]
    for name in ("update", "loss", "cost", "conversion", "calibrate", "epochs", "C"):
        assert params[name] == expected[name]


def test_training_with_a_validation_corpus(here: Path) -> None:
    corpus = write_corpus(here / "corpus", {"ann": 2, "bob": 2})
    valid = write_corpus(here / "valid", {"cid": 1}, seed=8)
    result = run("train", "speech", corpus, "--valid", valid, "-o", "m.align", "--epochs", 1)
    assert result.exit_code == 0, result.stderr
    assert align.load("m.align").get_params()["conversion"] == "validation"


def test_a_trained_model_is_not_overwritten(here: Path, model: Path) -> None:
    shutil.copy(model, "mine.align")
    before = (here / "mine.align").read_bytes()
    assert_refused(run("train", "speech", "corpus", "-o", "mine.align"), 2, "--overwrite")
    assert (here / "mine.align").read_bytes() == before
    corpus = write_corpus(here / "corpus", {"ann": 2, "bob": 2})
    args = ("train", "speech", corpus, "-o", "mine.align", "--epochs", 1, "--jobs", 1)
    assert run(*args, "--overwrite").exit_code == 0
    assert (here / "mine.align").read_bytes() != before


@pytest.mark.parametrize(
    "options", [("--epochs", 0), ("--features", "best"), ("--seed", -1), ("--tolerance", 0)]
)
def test_wrong_options_are_usage_errors(here: Path, options: tuple[object, ...]) -> None:
    assert_refused(run("train", "speech", here, "-o", "new.align", *options), 2, str(options[0]))


# The demonstration ------------------------------------------------------------------------------


@pytest.fixture
def bundled(model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take the toy model and two synthetic recordings for the bundled ones."""
    import align.cli.demonstration

    corpus = write_corpus(tmp_path / "bundled", {"voice": 2}, seed=7)
    monkeypatch.setattr(align.cli.demonstration, "MODEL", str(model))
    monkeypatch.setattr(
        align.cli.demonstration, "recordings", lambda: list(align.read_corpus(corpus))
    )
    monkeypatch.setattr(
        align.cli.demonstration, "_music", lambda *_: ([], [])
    )  # see test_cli_music.py


@pytest.mark.usefixtures("bundled")
def test_demo_writes_everything_and_prints_the_errors(here: Path) -> None:
    result = run("demo", "shown")
    assert result.exit_code == 0, result.stderr
    assert "<=20 ms" in result.stdout
    assert "u0.png" in result.stdout
    suffixes = [
        ".wav",
        ".TextGrid",
        ".csv",
        ".json",
        ".labels.txt",
        ".ctm",
        ".phn",
        ".lab",
        ".png",
    ]
    expected = {f"u{i}{suffix}" for i in range(2) for suffix in suffixes}
    assert {path.name for path in (here / "shown").iterdir()} == expected
    assert run("demo", "shown").exit_code == 0  # a second time is no error


def test_demo_as_it_is_bundled(here: Path) -> None:
    result = run("demo", "shown")
    assert result.exit_code == 0, result.stderr
    assert "speech-en" in result.stdout
    numbers = [line.split() for line in result.stdout.splitlines() if line.startswith("kiwi ")]
    assert len(numbers) == 1
    assert float(numbers[0][3]) >= 60.0  # per cent of the boundaries within 20 ms
    assert align.Alignment.from_labels(here / "shown" / "kiwi.TextGrid").labels
    assert (here / "shown" / "kiwi.txt").read_text("utf-8").startswith("A quick brown fox")


@pytest.mark.usefixtures("bundled")
def test_demo_without_matplotlib_says_how_to_get_pictures(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("align.cli.demonstration.find_spec", lambda name: None)
    result = run("demo", "shown")
    assert result.exit_code == 0, result.stderr
    assert "margin-align[plot]" in result.stdout
    assert not list((here / "shown").glob("*.png"))


@pytest.mark.usefixtures("bundled")
def test_demo_into_a_folder_that_cannot_be(here: Path) -> None:
    assert_refused(run("demo", "word.wav/inside"), 1, "word.wav", "folder")


# Messages ---------------------------------------------------------------------------------------


def test_quiet_says_nothing_and_verbose_says_more(here: Path, model: Path) -> None:
    args = ("speech", "word.wav", "--phones", "word.phn", "--model", model, "--overwrite")
    assert run(*args, "--quiet").stderr == ""
    assert run("--quiet", *args).stderr == ""
    corpus = write_corpus(here / "corpus", {"ann": 2, "bob": 2})
    train = ("train", "speech", corpus, "-o", "m.align", "--epochs", 1, "--jobs", 1, "--overwrite")
    assert "SpeechAligner" not in run(*train).stderr
    assert "SpeechAligner" in run(*train, "--verbose").stderr


def test_debug_shows_the_traceback(here: Path) -> None:
    result = run("info", "absent.align", "--debug")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert "ModelError" in result.stderr


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [
        (KeyboardInterrupt(), 130, "Interrupted."),
        (ZeroDivisionError("by nought"), 1, "report it"),
        (OSError(28, "No space left on device", "/full"), 1, "/full: no space left on device."),
        (MemoryError(), 1, "not enough memory"),
        (
            BrokenExecutor("a worker died\nwith {SIGKILL(-9)}"),
            1,
            "was killed, mostly since memory",
        ),
    ],
)
def test_whatever_happens_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    error: BaseException,
    status: int,
    word: str,
) -> None:
    def fail(path: str) -> None:
        raise error

    monkeypatch.setattr("align.files.model_file.read_model", fail)
    (tmp_path / "any.align").touch()
    result = run("info", tmp_path / "any.align")
    assert result.exit_code == status
    assert word in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="os.kill ends the process there, without a signal")
def test_sigterm_ends_every_command_as_ctrl_c_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tidied = []

    def terminate(path: str) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            tidied.append(signal.getsignal(signal.SIGTERM))

    monkeypatch.setattr("align.files.model_file.read_model", terminate)
    (tmp_path / "any.align").touch()
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        assert run("info", tmp_path / "any.align").exit_code == 143
        assert tidied == [signal.SIG_DFL]  # a second one ends the process at once
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_model_for_which_there_is_no_room_is_kept_among_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Model:
        room = (tmp_path / "tmp",)

        def save(self, path: Path, licence: str) -> None:
            if not any(path.is_relative_to(folder) for folder in self.room):
                raise DataError("cannot be written: No space left on device.", path=path)
            path.write_text(licence)

    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with pytest.raises(
        DataError, match=r"m\.align: cannot be written: No space .* move it"
    ) as why:
        save_model(Model(), tmp_path / "m.align", licence="CC0")
    (rescued,) = (tmp_path / "tmp").rglob("m.align")
    assert str(rescued) in str(why.value)
    assert rescued.read_text() == "CC0"
    rescued.unlink()
    rescued.parent.rmdir()
    Model.room = ()
    with pytest.raises(DataError, match=r"m\.align: cannot be written: No space left on device.$"):
        save_model(Model(), tmp_path / "m.align", licence="CC0")
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.filterwarnings("default:no checkpoint")
def test_that_no_checkpoint_can_be_kept_is_told_before_hours_are_spent(
    monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    def full(*args: object) -> None:
        raise DataError("cannot be written: No space left on device.", path="part")

    monkeypatch.setattr("align.sequence.learning.checkpoint.write_model", full)
    corpus = write_corpus(here / "corpus", {"ann": 2, "bob": 2})
    train = ("train", "speech", corpus, "-o", "m.align", "--epochs", 1, "--jobs", 1)
    result = run(*train)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("Warning: no checkpoint can be kept") == 1


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_draws_bars_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for stream in (_Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        console = Console()
        for done in range(4):
            console.progress("fitting", done, 3)
        console.finish()
        shown.append(stream.getvalue())
    assert "fitting" in shown[0]
    assert "3/3" in shown[0]
    assert shown[1] == ""


def test_long_stages_get_a_line_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    clock = iter([0.0, 1.0, 5.0, 6.0, 70.0, 80.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    console = Console()
    for done in range(6):
        console.progress("fitting", done, 5)
    assert stream.getvalue() == "fitting: 2 of 5\nfitting: 4 of 5\n"


def test_patience_speaks_only_when_it_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    with console.patience("Compiling", after=30.0):
        pass
    assert capsys.readouterr().err == ""
    with console.patience("Compiling", after=0.01):
        time.sleep(0.3)
    assert capsys.readouterr().err == "Compiling\n"


@pytest.mark.parametrize("variable", [None, "1"])
def test_no_color(monkeypatch: pytest.MonkeyPatch, variable: str | None) -> None:
    from align.cli.console import _coloured

    monkeypatch.delenv("NO_COLOR", raising=False)
    if variable:
        monkeypatch.setenv("NO_COLOR", variable)
    assert ("\x1b" in _coloured("Error: ", "red")) == (variable is None)


# Processes of their own -------------------------------------------------------------------------


def test_as_a_process(here: Path, model: Path) -> None:
    command = [sys.executable, "-m", "align", "speech", "word.wav", "--model", str(model)]
    done = subprocess.run(
        [*command, "--phones", "word.phn"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    done = subprocess.run(
        [*command, "--phones", "sil ʃʃ"], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 2  # the output exists now
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interrupt_ends_cleanly_and_leaves_no_model_behind(here: Path) -> None:
    rng = np.random.default_rng(0)
    for i in range(12):
        write_recording(here / "corpus" / f"s{i}" / "u", random_phones(rng, 40), seed=i)
    # A shell makes its background jobs, and so all they start, ignore the signal.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from align.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "-v", "train", "speech", "corpus", "-o", "m.align"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "SpeechAligner" in process.stderr.readline()  # the corpus is read, training begins
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert said.endswith("Interrupted.\n")
    left = {path.name for path in here.glob("*.align*")}
    assert left <= {"m.align.partial"}  # what the next run goes on from
