"""What ``align demo --corpus`` writes can be read, fits its sounds, and replaces nothing."""

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

import align
from align.cli import cli
from align.cli.demo_corpus import write_demo_corpus
from align.errors import DataError
from align.formats import read_tiers
from align.formats.scores import read_score


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo") / "practice"
    result = CliRunner().invoke(cli, ["demo", "--corpus", str(made)])
    assert result.exit_code == 0, result.output
    return made


def test_every_phrase_holds_its_words(folder: Path) -> None:
    grids = sorted(folder.rglob("*.TextGrid"))
    assert len(grids) == 13
    known = {"kiwi": "k iy w iy", "quick": "k w ih k", "sun": "s ah n",
             "stronger": "s t r ao ng er", "watches": "w aa ch ax z", "day": "d ey",
             "arguing": "aa r g y uw ih ng",
             "fox": "f aa k s", "wind": "w ih n d", "while": "w ay l"}  # fmt: skip
    seen = set()
    for path in grids:
        tiers = read_tiers(path)
        words, phones = tiers.tiers
        starts = [start for start, _ in phones.times]
        for word, (start, end) in zip(words.labels, words.times, strict=True):
            own = phones.labels[starts.index(start) : [*starts, phones.times[-1][1]].index(end)]
            assert (word == "sil") == (own == ("sil",))
            if word in known:
                assert " ".join(own) == known[word]
                seen.add(word)
        assert soundfile.info(path.with_suffix(".wav")).duration == tiers.duration
        assert path.with_suffix(".txt").read_text().split() == [
            word for word in words.labels if word != "sil"
        ]
    assert seen == set(known)


def test_validation_finds_nothing_and_speakers_are_known(folder: Path) -> None:
    for kind, place in (("speech", "recordings"), ("speech", "checked"), ("music", "pieces")):
        result = CliRunner().invoke(cli, ["validate", kind, str(folder / place)])
        assert "0 problems, 0 warnings" in result.output, result.output
    trained = {label for one in align.read_corpus(folder / "recordings") for label in one.events}
    for one in align.read_corpus(folder / "checked"):
        assert set(one.events) <= trained
    assert {one.group for one in align.read_corpus(folder / "checked")} == {"anna", "bert"}


def test_notes_of_a_piece_are_where_its_sound_begins(folder: Path) -> None:
    aligner = align.load("piano")
    (piece,) = align.read_corpus(folder / "others", kind="music")
    assert aligner.evaluate([piece]).mean_abs_ms < 20
    score = read_score(folder / "score.mid")
    parts = [
        path for place in ("pieces", "others") for path in (folder / place).rglob("score.csv")
    ]
    assert sum(len(read_score(path)) for path in parts) == len(score)
    samples, rate = soundfile.read(folder / "another.flac")
    assert np.abs(samples).max() < 1
    assert not samples[: rate // 3].any()


def test_a_folder_that_holds_anything_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(DataError, match="is not empty"):
        write_demo_corpus(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    result = CliRunner().invoke(cli, ["demo", "a", "--corpus", "b"])
    assert result.exit_code == 2
    result = CliRunner().invoke(cli, ["demo", "--corpus", str(tmp_path / "mine.txt")])
    assert result.exit_code in (1, 2)
    assert re.search(r"cannot be written \(.*exist.*\)", result.output)


def test_the_same_bytes_every_time(folder: Path, tmp_path: Path) -> None:
    for path in write_demo_corpus(tmp_path / "again"):
        first = folder / path.relative_to(tmp_path / "again")
        assert path.read_bytes() == first.read_bytes(), path
