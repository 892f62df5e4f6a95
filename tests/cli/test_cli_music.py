"""The command line for music: every command, every output, and each bad input one sentence."""

import functools
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mido
import numpy as np
import pytest
import soundfile
from command_line import assert_refused, run
from music_examples import RATE, write_piece, write_score

import align
from align.music.placing.end_evidence import N_END_EVIDENCE
from align.results.music import MusicAlignment
from align.sequence.evidence import EvidenceModel


@pytest.fixture(scope="module", autouse=True)
def small_networks() -> Iterator[None]:
    """Train tiny networks, in no time: what is tested here is the command line."""
    with networks_of(steps=10):
        yield


@contextmanager
def networks_of(steps: int) -> Iterator[None]:
    from align.features.notes.note_network import NoteNetwork

    small = functools.partial(NoteNetwork, width=8, steps=steps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("align.music.aligner.NoteNetwork", small)
        yield


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_piece(folder / "a" / "one", 1, left_out=(5,))
    write_piece(folder / "b" / "two", 2)
    return folder


@pytest.fixture(scope="module")
def model(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.align"
    with networks_of(steps=60):  # enough to find notes with
        result = run(
            *("train", "music", corpus, "-o", path, "--epochs", 2, "--seed", 3, "--jobs", 1),
            *("--licence", "CC0"),
        )
    assert result.exit_code == 0, result.stderr
    assert "2 pieces (59 notes" in result.stderr
    return path


@pytest.fixture
def here(tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run in, with one piece."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(corpus / "a" / "one", tmp_path / "one")
    shutil.copy(tmp_path / "one" / "audio.wav", "piece.wav")
    shutil.copy(tmp_path / "one" / "score.mid", "piece.mid")
    return tmp_path


def test_help_names_the_commands() -> None:
    assert "\n  music " in run("--help").stdout
    for group in ("train", "validate"):
        assert "\n  music " in run(group, "--help").stdout
    shown = run("music", "--help").stdout
    assert "\n  align music minuet.flac minuet.mid\n" in shown


def test_music_writes_a_table_by_default(here: Path, model: Path) -> None:
    result = run("music", "piece.wav", "piece.mid", "--model", model)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "30 notes in" in result.stderr
    assert "match 0." in result.stderr
    found = MusicAlignment.from_csv("piece.csv")
    (example,) = align.read_corpus("one", "music")
    played = np.isfinite(example.onsets)
    assert np.median(np.abs(found.onsets - example.onsets)[played]) < 0.01
    assert_refused(run("music", "piece.wav", "piece.mid", "--model", model), 2, "--overwrite")


def test_beats_need_a_score_that_says_its_bars(here: Path, model: Path) -> None:
    file = mido.MidiFile("piece.mid")
    file.tracks[0].insert(0, mido.MetaMessage("time_signature", numerator=3, denominator=4))
    file.save("bars.mid")
    args = ("music", "piece.wav", "bars.mid", "--model", model, "--beats")
    result = run(*args, "-o", "a.csv", "-o", "b.beats.txt")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.rstrip().endswith("a.csv, b.beats.txt, a.beats.csv")
    again = run(*args, "-o", "d.csv", "-o", "d.beats.csv", "-o", "d.csv")  # written once
    assert again.exit_code == 0, again.stderr
    assert again.stderr.rstrip().endswith("d.csv, d.beats.csv")
    head, *rows = Path("a.beats.csv").read_text().splitlines()
    assert head == "performed_s,score_s,bar,beat,bpm,confidence"
    assert len(rows) == len(Path("b.beats.txt").read_text().splitlines())
    assert_refused(
        run(*args[:2], "piece.mid", *args[3:], "-o", "c.csv"), 1, "piece.mid", "say its bars"
    )
    assert not Path("c.csv").exists()  # said before anything is aligned


def test_offsets_are_written_by_models_that_learned_them(here: Path, model: Path) -> None:
    args = ("music", "piece.wav", "piece.mid", "-o", "a.csv", "--offsets", "--model")
    assert_refused(run(*args, model), 1, "has not learned where notes end")
    learned = align.load(model)
    assert isinstance(learned, align.MusicAligner)
    learned.ends_ = EvidenceModel(np.append(np.zeros(N_END_EVIDENCE), 1.0))  # 0.73, whatever it is
    learned.save("ends.align")
    result = run(*args, "ends.align")
    assert result.exit_code == 0, result.stderr
    head, *rows = Path("a.csv").read_text().splitlines()
    assert head.endswith(",performed_offset_s,offset_confidence")
    assert all(line.endswith(",0.7311") for line in rows if line.split(",")[-2])


def test_strict_ends_with_status_1_where_music_is_warned_of(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ("music", "piece.wav", "piece.mid", "--model", model, "--strict")
    find = align.MusicAligner.align

    def warned(*given: object, **options: object) -> MusicAlignment:
        return replace(find(*given, **options), warnings=("look at it.",))

    monkeypatch.setattr(align.MusicAligner, "align", warned)
    result = run(*args, "-o", "a.csv")
    assert result.exit_code == 1
    assert "Warning: look at it." in result.stderr
    assert Path("a.csv").exists()
    assert run(*args[:-1], "-o", "b.csv").exit_code == 0


def test_music_writes_every_format_at_once(here: Path, model: Path) -> None:
    suffixes = ["csv", "tsv", "json", "mid", "txt", "svl", "sv.csv", "tempo.csv", "png", "svg"]
    outputs = [arg for suffix in suffixes for arg in ("-o", f"out.{suffix}")]
    result = run("music", "piece.wav", "piece.mid", "--model", model, *outputs)
    assert result.exit_code == 0, result.stderr
    assert all((here / f"out.{suffix}").stat().st_size > 0 for suffix in suffixes)
    wanted = MusicAlignment.from_labels("out.json")
    assert wanted.confidence is not None
    assert wanted.score_file == "piece.mid"
    for suffix in ("csv", "tsv", "mid", "txt", "svl", "sv.csv"):
        found = MusicAlignment.from_labels(f"out.{suffix}", score=wanted)
        np.testing.assert_allclose(found.onsets, wanted.onsets, atol=1e-3)
    tempi = [m for t in mido.MidiFile("out.mid").tracks for m in t if m.type == "set_tempo"]
    assert len(tempi) <= len(wanted.chord_onsets) + 1


def test_what_the_user_should_know_is_said_even_when_quiet(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from align.music.aligner import MusicAligner

    plain = MusicAligner.align

    def warned(self: MusicAligner, *args: object, **options: object) -> MusicAlignment:
        return replace(plain(self, *args, **options), warnings=("the score seems another.",))

    monkeypatch.setattr(MusicAligner, "align", warned)
    result = run("music", "piece.wav", "piece.mid", "--model", model, "--quiet")
    assert result.exit_code == 0
    assert result.stderr == "Warning: the score seems another.\n"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("out.docx", (".docx", ".tempo.csv")),
        ("nowhere/out.csv", ("nowhere", "does not exist")),
        ("one", ("no format of results",)),
    ],
)
def test_outputs_that_cannot_be_are_refused_before_work(
    here: Path, output: str, words: tuple[str, ...]
) -> None:
    result = run("music", "piece.wav", "piece.mid", "--model", "none", "-o", output)
    assert_refused(result, 2, *words)


def test_match_files_are_refused_before_work_without_partitura(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "partitura", None)
    result = run("music", "piece.wav", "piece.mid", "--model", "none", "-o", "a.match")
    assert_refused(result, 1, "partitura", "margin-align[scores]", "write .mid")


def test_models_of_another_kind(here: Path) -> None:
    result = run("music", "piece.wav", "piece.mid", "--model", "speech-en")
    assert_refused(result, 1, "speech-en", "of speech, not of music")


# Bad input --------------------------------------------------------------------------------------


def note(kind: str, pitch: int, time: int = 0) -> mido.Message:
    return mido.Message(kind, note=pitch, time=time)


def bad_score(path: Path, kind: str) -> Path:
    """Write a score with one thing wrong, and return its path."""
    midi = path / "bad.mid"
    table = path / "bad.csv"
    if kind in ("format 2", "smpte", "drums", "low", "high", "one"):
        file = mido.MidiFile(type=2 if kind == "format 2" else 1)
        pitch = {"low": 12, "high": 120}.get(kind, 60)
        channel = 9 if kind == "drums" else 0
        on = mido.Message("note_on", note=pitch, channel=channel)
        off = mido.Message("note_off", note=pitch, channel=channel, time=480)
        file.tracks.append(mido.MidiTrack([on, off]))
        file.save(midi)
        if kind == "smpte":
            data = bytearray(midi.read_bytes())
            data[12:14] = bytes([0xE7, 0x28])
            midi.write_bytes(data)
        return midi
    if kind == "empty midi":
        midi.write_bytes(b"")
        return midi
    if kind == "text midi":
        midi.write_text("not MIDI at all")
        return midi
    if kind == "truncated midi":
        midi.write_bytes((path / "piece.mid").read_bytes()[:60])
        return midi
    table.write_text(
        {
            "empty table": "",
            "no notes": "onset,pitch\n",
            "negative": "onset,pitch\n-1,60\n",
            "nan": "onset,pitch\nnan,60\n",
            "names": "time,key\n0,60\n",
            "words": "onset,pitch\n0,do4\n",
            "backwards": "onset,end,pitch\n2,1,60\n",
            "huge": "onset,pitch\n1e12,60\n",
        }[kind]
    )
    return table


BAD_SCORES = {
    "format 2": "format 2",
    "smpte": "SMPTE",
    "drums": "no notes",
    "low": "pitch 12, outside the piano",
    "high": "pitch 120, outside the piano",
    "empty midi": "empty",
    "text midi": "not a MIDI file",
    "truncated midi": "truncated",
    "empty table": "empty",
    "no notes": "no notes",
    "negative": "-1 s",
    "nan": "nan",
    "names": "no column 'onset'",
    "words": "'do4'",
    "backwards": "before it begins",
    "huge": "more than a day",
}


@pytest.mark.parametrize("kind", BAD_SCORES)
def test_bad_scores_are_named_with_the_reason(here: Path, model: Path, kind: str) -> None:
    path = bad_score(here, kind)
    result = run("music", "piece.wav", path, "--model", model, "-o", "out.csv")
    assert_refused(result, 1, path.name, BAD_SCORES[kind])
    assert not (here / "out.csv").exists()


@pytest.mark.parametrize("missing", ["piece.wav", "piece.mid"])
def test_missing_files(here: Path, model: Path, missing: str) -> None:
    Path(missing).unlink()
    result = run("music", "piece.wav", "piece.mid", "--model", model)
    assert_refused(result, 1, missing, "no such file")


@pytest.mark.parametrize("command", ["music", "follow"])
def test_a_score_before_the_recording_is_told(here: Path, command: str) -> None:
    result = run(command, "piece.mid", "piece.wav")
    assert_refused(result, 2, "piece.mid is a score", "name the recording first", "piece.wav")


BAD_AUDIO = {
    "empty": "empty",
    "text": "not audio",
    "truncated": "truncated",
    "silence": "silence",
    "nan": "nan",
}


@pytest.mark.parametrize("kind", BAD_AUDIO)
def test_bad_audio_is_named_with_the_reason(here: Path, model: Path, kind: str) -> None:
    path = here / "bad.wav"
    data = (here / "piece.wav").read_bytes()
    if kind in ("empty", "text", "truncated"):
        path.write_bytes(
            {"empty": b"", "text": b"not sound " * 50, "truncated": data[: len(data) // 2]}[kind]
        )
    else:
        samples = np.zeros(5 * RATE, dtype=np.float32)
        if kind == "nan":
            samples += 0.1
            samples[77] = np.nan
        soundfile.write(path, samples, RATE, subtype="FLOAT")
    result = run("music", path, "piece.mid", "--model", model, "-o", "out.csv")
    assert_refused(result, 1, "bad.wav", BAD_AUDIO[kind])
    assert not (here / "out.csv").exists()


def test_notation_without_partitura(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.musicxml").write_text("<score-partwise/>")
    monkeypatch.setitem(sys.modules, "partitura", None)
    result = run("music", "piece.wav", "a.musicxml", "--model", model)
    assert_refused(result, 1, "a.musicxml", "margin-align[scores]", "export the score as MIDI")


def test_tables_are_scores_too(here: Path, model: Path) -> None:
    assert run("music", "piece.wav", "piece.mid", "--model", model).exit_code == 0
    result = run("music", "piece.wav", "piece.csv", "--model", model, "-o", "again.csv")
    assert result.exit_code == 0, result.stderr
    assert Path("again.csv").read_text() == Path("piece.csv").read_text()


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ([], "auto"),
        (["--repeats", "auto"], "auto"),
        (["--repeats", "all"], "all"),
        (["--repeats", "none"], "none"),
    ],
)
def test_repeats_are_taken_as_asked(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], asked: str
) -> None:
    seen: list[tuple[str, str]] = []
    plain = align.MusicAligner.align

    def spy(self: align.MusicAligner, audio: Path, score: Path, **options: Any) -> MusicAlignment:
        seen.append((self.repeats, Path(score).name))
        return plain(self, audio, score, **options)

    monkeypatch.setattr(align.MusicAligner, "align", spy)
    assert run("music", "piece.wav", "piece.mid", "--model", model, *options).exit_code == 0
    assert seen == [(asked, "piece.mid")]


# Other commands ---------------------------------------------------------------------------------


def test_evaluate(corpus: Path, model: Path) -> None:
    result = run("evaluate", model, corpus, "--json", "-")
    assert result.exit_code == 0, result.stderr
    numbers = json.loads(result.stdout)
    assert numbers["kind"] == "music"
    assert numbers["files"] == len(numbers["per_file"]) == 2
    assert numbers["boundaries"] == 59  # of 60, the one left out
    assert list(numbers["within_ms"]) == ["10", "20", "25", "30", "40", "50", "100"]
    assert numbers["real_time_factor"] > 0
    assert set(numbers["per_set"]) == {"a", "b"}
    assert set(numbers["mir_eval"]) == {"pc", "mae", "aae", "pcs", "perceptual"}
    assert set(numbers["per_file"][0]) >= {"file", "boundaries", "mean_abs_ms", "median_abs_ms"}
    shown = run("evaluate", model, corpus).stdout
    assert "59 notes in 2 files" in shown
    assert "mean of means ms" in shown


def test_evaluation_and_training_name_what_cannot_be_used(
    corpus: Path, model: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(corpus, tmp_path / "broken"))
    write_piece(broken / "c" / "three", 3)
    (broken / "a" / "one" / "audio.wav").write_bytes(b"")
    write_score(broken / "c" / "three" / "score.mid", [(0.0, 30)])
    (broken / "d").mkdir()
    shutil.copy(broken / "b" / "two" / "audio.wav", broken / "d")
    result = run("evaluate", model, broken, "--against", model)
    assert "left out, with no score or truth.csv of that name: 1 recording, " in result.stderr
    assert "(first) against" in result.stdout
    assert result.exit_code == 1
    assert result.stderr.count("Error: ") == 2
    assert "audio.wav: the file is empty" in result.stderr
    assert "truth.csv: line 2: the score has no note of pitch" in result.stderr
    assert "2 recordings could not be aligned" in result.stderr
    result = run("validate", "music", broken)
    assert result.exit_code == 1
    assert "1 usable recording, 2 problems" in result.stdout
    assert run("validate", "music", corpus).exit_code == 0


@pytest.mark.parametrize("command", ["train", "evaluate", "validate"])
def test_no_corpus(tmp_path: Path, model: Path, command: str) -> None:
    args = {
        "train": ("train", "music", tmp_path, "-o", tmp_path / "new.align"),
        "evaluate": ("evaluate", model, tmp_path),
        "validate": ("validate", "music", tmp_path),
    }[command]
    assert_refused(run(*args), 1, "holds no pieces")


def test_info(model: Path) -> None:
    text = run("info", model).stdout
    for word in ("music", "2 pieces", "59 notes", "CC0", "epochs=2"):
        assert word in text
    assert "labels" not in text


def test_train_takes_its_options(here: Path, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.align"
    result = run(
        *("train", "music", corpus, "-o", path, "--features", "thesis", "--epochs", 1),
        *("--update", "pa2", "--cost", "absolute", "-C", 3, "--valid", corpus, "--jobs", 1),
    )
    assert result.exit_code == 0, result.stderr
    params = align.load(path).get_params()
    assert (params["features"], params["update"], params["cost"]) == ("thesis", "pa2", "absolute")
    assert (params["C"], params["conversion"]) == (3.0, "validation")
    assert_refused(run("train", "music", corpus, "-o", path), 2, "--overwrite")


def test_the_learner_of_the_thesis_is_one_word(here: Path, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "thesis.align"
    options = ("--features", "as-in-thesis", "--epochs", 1, "--jobs", 1)
    result = run("train", "music", corpus, "-o", path, *options)
    assert result.exit_code == 0, result.stderr
    expected = align.MusicAligner.as_in_thesis(epochs=1, n_jobs=1).get_params()
    params = align.load(path).get_params()
    for name in ("features", "update", "loss", "cost", "conversion", "calibrate", "epochs"):
        assert params[name] == expected[name]


def test_plot(here: Path) -> None:
    args = ("plot", "piece.wav", "one/truth.csv", "-o", "a.png")
    assert run(*args, "--reference", "one/truth.csv", "--span", 1, 3).exit_code == 0
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert_refused(run(*args), 2, "--overwrite")
    assert_refused(run(*args, "--overwrite", "--span", 3, 1), 2, "span=(3, 1)")


def test_labels_are_corrected_and_converted(here: Path, model: Path) -> None:
    assert run("music", "piece.wav", "piece.mid", "--model", model).exit_code == 0
    for source, target in (("piece.csv", "a.txt"), ("piece.csv", "a.json"), ("a.json", "a.svl")):
        result = run("convert", source, target)
        assert result.exit_code == 0, result.stderr
    lines = Path("a.txt").read_text().splitlines()
    fields = lines[4].split("\t")
    name = fields[2].split()[1]
    lines[4] = "\t".join(["1.234567", "1.234567", fields[2]])
    Path("a.txt").write_text("\n".join(lines))
    result = run("convert", "a.txt", "b.csv", "--score", "piece.mid", "--audio", "piece.wav")
    assert result.exit_code == 0, result.stderr
    assert "30 notes: b.csv" in result.stderr
    found = MusicAlignment.from_csv("b.csv")
    assert found.onsets[found.note_ids.index(name)] == pytest.approx(1.234567)
    assert_refused(run("convert", "a.svl", "c.csv"), 1, "a.svl", "knows no score")
    assert_refused(run("convert", "b.csv", "c.png"), 2, "align plot")
    assert_refused(run("convert", "b.csv", "c.phn"), 2, ".phn", "no format")


# The demonstration ------------------------------------------------------------------------------


@pytest.fixture
def little_speech(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the bundled speech out: its demonstration is tested elsewhere."""
    import align.cli.demonstration

    monkeypatch.setattr(align.cli.demonstration, "_speech", lambda *_: ([], ["(speech)"]))


@pytest.mark.usefixtures("little_speech")
def test_demo_writes_every_output_of_music(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import align.cli.demonstration

    monkeypatch.setattr(align.cli.demonstration, "MUSIC_MODEL", str(model))
    monkeypatch.setattr(
        align.cli.demonstration, "find_spec", lambda name: name == "matplotlib" or None
    )
    result = run("demo", "shown")
    assert result.exit_code == 0, result.stderr
    assert "<=50 ms" in result.stdout
    numbers = [line.split() for line in result.stdout.splitlines() if line.startswith("minuet ")]
    assert numbers[0][1] == "100"  # of 101 notes, one was left out
    suffixes = ["csv", "mid", "json", "labels.txt", "svl", "sv.csv", "tempo.csv", "png", "flac"]
    expected = {f"minuet.{suffix}" for suffix in suffixes} | {"minuet-score.mid"}
    assert {path.name for path in (here / "shown").iterdir()} == expected
    found = MusicAlignment.from_labels("shown/minuet.json")
    assert len(found) == 101
    assert run("demo", "shown").exit_code == 0  # a second time is no error


@pytest.mark.usefixtures("little_speech")
def test_demo_as_it_is_bundled(here: Path) -> None:
    result = run("demo", "shown")
    assert result.exit_code == 0, result.stderr
    assert "with the model piano" in result.stdout
    (numbers,) = [line.split() for line in result.stdout.splitlines() if line[:7] == "minuet "]
    assert numbers[1] == "100"
    assert float(numbers[4]) >= 97.0  # per cent of the notes within 25 ms
    assert float(numbers[9]) <= 6.0  # mean error in milliseconds


def test_the_bundled_piece_is_sound() -> None:
    from align.cli.demonstration import pieces
    from align.corpus.validation import validate_corpus

    (example,) = pieces()
    folder = Path(str(example.audio)).parent
    assert str(validate_corpus(folder, "music")) == "1 usable recording, 0 problems, 0 warnings"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 512_000
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    assert "minuet/*" in project["tool"]["setuptools"]["package-data"]["align.data"]
    assert np.isnan(example.onsets).sum() == 1
    spread = [np.ptp(example.onsets[example.score.onsets == t]) for t in (0.0, 1.5, 3.0)]
    assert max(spread) > 0.005  # hands are not together


def test_verbose_names_what_deserves_a_look(here: Path) -> None:
    arguments = ("music", "piece.wav", "piece.mid", "-o")
    quiet = run(*arguments, "a.csv")
    assert quiet.exit_code == 0, quiet.stderr
    assert "least sure" not in quiet.stderr
    told = run(*arguments, "b.csv", "--verbose").stderr
    assert re.search(r"Model piano: \d+\.\d\d s, \d+\.\d\d of the length", told)
    assert re.search(r"least sure: [A-G][b#]?\d at \d+\.\d{3} s \(\d\.\d\d\)", told)


@pytest.mark.parametrize(("name", "said"), [("ensemble", True), ("piano", False)])
def test_without_a_model_it_is_said_which_was_taken_and_why(
    here: Path, model: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: bool
) -> None:
    from align.music.choosing import Chosen

    asked = {}

    def chosen(audio: Path, score: Path, **params: object) -> Chosen:
        asked.update(params)
        return Chosen(align.load(model).align(audio, score), name, "the score names Flute")

    monkeypatch.setattr("align.music.choosing.align_music", chosen)
    sentence = f"Model {name}: the score names Flute."
    result = run("music", "piece.wav", "piece.mid", "--transpose", 0)
    assert result.exit_code == 0, result.stderr
    assert (sentence in result.stderr) == said
    assert callable(asked.pop("progress"))
    assert asked == {"repeats": "auto", "transpose": 0, "tuning": None, "offsets": False}
    told = run("music", "piece.wav", "piece.mid", "--overwrite", "--verbose").stderr
    assert sentence in told
    assert re.search(rf"Model {name}: \d+\.\d\d s, ", told)


def test_training_keeps_what_is_done_where_it_is_told(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is then done with it is tested in tests/faults."""
    from align.sequence.learning.checkpoint import Checkpoint

    seen: list[bool] = []
    save = Checkpoint.save

    def watched(self: Checkpoint, *arguments: object) -> None:
        save(self, *arguments)  # type: ignore[arg-type]
        seen.append(any((tmp_path / "c").iterdir()))

    monkeypatch.setattr(Checkpoint, "save", watched)
    options = ("--epochs", "1", "--jobs", "1", "--checkpoint", tmp_path / "c")
    result = run("train", "music", corpus, "-o", tmp_path / "a.align", *options)
    assert result.exit_code == 0, result.stderr
    assert seen
    assert all(seen)
    assert not (tmp_path / "c").exists()
