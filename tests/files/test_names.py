"""Names that macOS stores with accents apart from their letters, and other systems with them."""

import unicodedata
from pathlib import Path

import pytest
import soundfile

from align.corpus.pairs import find_beside, find_pairs
from align.corpus.pieces import find_pieces
from align.corpus.text_tables import write_texts
from align.corpus.texts import text_beside
from align.evaluation.label_trees import label_files
from align.evaluation.matching_notes import _PIECES
from align.speech.text.pronouncing.dictionary import Dictionary, read_dictionary


def apart(name: str) -> str:
    return unicodedata.normalize("NFD", name)


@pytest.fixture(params=[str, apart])
def recording(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A recording whose name is stored in one way or the other; the files beside it are not."""
    path = tmp_path / f"{request.param('Zoë é')}.wav"
    soundfile.write(path, [0.1] * 800, 16000)
    for form in ("Zoë é", apart("Zoë é")):
        if form != path.stem:
            (tmp_path / f"{form}.txt").write_text("Kiwi.", "utf-8")
            (tmp_path / f"{form}.mid").write_bytes(b"")
            (tmp_path / f"{form}.truth.csv").write_text("")
    return path


def test_files_beside_a_recording(recording: Path) -> None:
    text = find_beside(str(recording), [".txt"])
    assert text is not None
    [pair] = find_pairs(str(recording.parent), "folder", (".txt",))
    assert (pair.audio, pair.labels) == (str(recording), text)
    assert text_beside(str(recording), str(recording.with_suffix(".phn"))) == "Kiwi."


def test_pieces(recording: Path) -> None:
    [piece] = find_pieces(str(recording.parent), "folder")
    assert piece.audio == str(recording)
    assert piece.score is not None
    assert piece.truth is not None


def test_a_table_of_texts(recording: Path, tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    table.write_text("file,text\nZoë é,Hello.\n", "utf-8")
    written = write_texts(table, recording.parent).written
    assert written == (str(recording.with_suffix(".txt")),)


@pytest.mark.parametrize("folder", ["é", apart("é")])
def test_results_and_truth_in_two_trees(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "ö.TextGrid").write_text("")
    (tmp_path / folder / "ö.truth.csv").write_text("")
    for table in ("quality.csv", "confirmed.csv"):  # of a run, and of a session: no labels
        (tmp_path / table).write_text("")
    assert list(label_files(tmp_path)) == ["é/ö", "é/ö.truth"]
    assert list(_PIECES.truths(str(tmp_path))) == ["é/ö"]


def test_words_of_a_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "d.dict"
    path.write_text(apart("größe\tg r ow s ah\n"), "utf-8")
    for known in (read_dictionary(path), Dictionary({apart("größe"): ["g r ow s ah"]})):
        assert "größe" in known
        assert apart("Größe") in known
