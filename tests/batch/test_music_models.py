"""Runs over pieces without a named model: each takes the bundled one that fits it."""

import csv
import json
import pickle
import shutil
from importlib.resources import files
from pathlib import Path

import mido
import numpy as np
import pytest
from click.testing import CliRunner
from corpus_tools import tree

import align
from align.batch.worker import Model
from align.cli import cli
from align.errors import ModelError
from align.music import choosing

CHOSEN = {"keys": "piano", "set/strings": "ensemble", "set/violin": "ensemble"}
ADDED = "mismatches,model,numbers,guessed,reason"


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The minuet with three scores: as it is, with a program, and with the name of a track."""
    folder = tmp_path_factory.mktemp("pieces")
    bundled = Path(str(files("align.data") / "minuet"))
    for name in CHOSEN:
        (folder / name).mkdir(parents=True)
        shutil.copy(bundled / "audio.flac", folder / name)
        score = mido.MidiFile(bundled / "score.mid")
        for track in score.tracks:
            names = [m for m in track if m.type == "track_name"]
            if name == "set/violin" and names:
                names[0].name = "Violin"
            if name == "set/strings":
                track.insert(0, mido.Message("program_change", program=48))
        score.save(folder / name / "score.mid")
    return folder


def rows(out: Path) -> dict[str, dict[str, str]]:
    with (out / "quality.csv").open() as stream:
        return {Path(row["file"]).parent.name: row for row in csv.DictReader(stream)}


def test_each_piece_takes_its_model_and_the_table_says_which(pieces: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = align.align_corpus(pieces, out, "music", formats=["json"])
    assert done.aligned == tuple(CHOSEN)
    assert {name: row["model"] for name, row in rows(out).items()} == {
        Path(name).name: model for name, model in CHOSEN.items()
    }
    for name, model in CHOSEN.items():
        content = json.loads((out / f"{name}.json").read_text())
        assert content["model"] == model
        alone = choosing.align_music(pieces / name / "audio.flac", pieces / name / "score.mid")
        assert [note["onset"] for note in content["notes"]] == alone.alignment.onsets.tolist()
        assert align.MusicAlignment.from_labels(out / f"{name}.json").model == model
    # several processes, and a run that goes on after it was stopped, write the same bytes
    spread = align.align_corpus(pieces, tmp_path / "two", "music", formats=["json"], jobs=2)
    assert spread.aligned == done.aligned
    assert tree(out) == tree(tmp_path / "two")
    (out / "set/violin.json").unlink()
    again = align.align_corpus(pieces, out, "music", formats=["json"])
    assert (again.aligned, again.unchanged) == (("set/violin",), ("keys", "set/strings"))
    assert tree(out) == tree(tmp_path / "two")


def test_a_model_that_is_named_is_that_of_all(pieces: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = ["corpus", "music", str(pieces), str(out), "--jobs", "1", "--format", "json"]
    result = CliRunner().invoke(cli, [*given, "--model", "piano"])
    assert result.exit_code == 0, result.output
    assert {row["model"] for row in rows(out).values()} == {""}

    def notes(name: str) -> list[dict[str, object]]:
        found = json.loads((out / f"{name}.json").read_text())["notes"]
        return [{**note, "part": ""} for note in found]  # tracks have other names

    onsets = {name: notes(name) for name in CHOSEN}
    assert onsets["keys"] == onsets["set/strings"] == onsets["set/violin"]
    # without it, what another model made is done again
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 0, result.output
    assert {row["model"] for row in rows(out).values()} == {"piano", "ensemble"}
    assert notes("set/violin") != onsets["set/violin"]


def test_the_repeats_of_a_run_reach_the_model(pieces: Path, tmp_path: Path) -> None:
    options = {"formats": ["csv"]}
    align.align_corpus(pieces / "keys", tmp_path / "out", "music", **options)
    assert align.align_corpus(
        pieces / "keys", tmp_path / "out", "music", repeats="none", **options
    ).aligned


def test_the_table_of_an_older_align_is_replaced(pieces: Path, tmp_path: Path) -> None:
    table = tmp_path / "out/quality.csv"
    align.align_corpus(pieces / "keys", tmp_path / "out", "music")
    header, *rest = table.read_text().splitlines()
    assert header.endswith(ADDED)
    table.write_text("\n".join([header.replace(ADDED, "mismatches,reason"), *rest]))
    done = align.align_corpus(pieces / "keys", tmp_path / "out", "music")
    assert (done.unchanged, done.failed) == (("keys",), ())
    assert table.read_text().splitlines()[0] == header


def test_models_are_sent_whole_and_are_those_that_were_promised(tmp_path: Path) -> None:
    sent = Model.usual_music(send=True)
    assert [name for name, _ in sent.parts] == ["piano", "ensemble"]
    assert all(part.content is not None and part.path is None for _, part in sent.parts)
    read = Model.usual_music()
    assert read.digest == sent.digest != Model.of("piano").digest
    loaded = pickle.loads(pickle.dumps(sent)).load()
    assert loaded.kind == "music"
    piece = Path(str(files("align.data") / "minuet"))
    audio, score = str(piece / "audio.flac"), str(piece / "score.mid")
    alone = choosing.align_music(audio, score).alignment
    found = loaded.align(audio, score)
    np.testing.assert_array_equal(found.onsets, alone.onsets)
    assert found.model == alone.model == "piano"
    changed = Model("0" * 64, parts=(("piano", Model("0" * 64, path=read.parts[0][1].path)),))
    with pytest.raises(ModelError, match="changed during the run"):
        changed.load().align(audio, score)
