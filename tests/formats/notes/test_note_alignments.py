"""Tables of nASAP and Parangonada: written, read back, and read by partitura."""

import csv
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from music_examples import random_alignment

from align.errors import DataError
from align.formats import write_music
from align.formats.scores import Score
from align.results.music import MusicAlignment
from align.types import Note, PlayedPassage

SUFFIXES = ["a_note_alignment.tsv", "note_alignment.tsv", "a.parangonada.zip"]
HEAD = "xml_id\tmidi_id\ttrack\tchannel\tpitch\tonset\n"


def three(*ids: str) -> MusicAlignment:
    score = Score.of([Note(60, 0.0), Note(64, 0.5), Note(67, 1.0)])
    names = ids or ("first", "note-0000001234567890-long", "z")
    onsets = [0.1, 100.123456, 200.7]
    return MusicAlignment(score.notes, onsets, 300.0, durations=score.durations, note_ids=names)


@pytest.mark.parametrize("name", SUFFIXES)
@pytest.mark.parametrize("seed", range(3))
def test_notes_come_back(tmp_path: Path, name: str, seed: int) -> None:
    if name.endswith(".zip"):
        pytest.importorskip("partitura")
    whole = random_alignment(seed)
    write_music(tmp_path / name, whole)
    found = MusicAlignment.from_labels(tmp_path / name, score=whole)
    assert (found.events, found.note_ids) == (whole.events, whole.note_ids)
    np.testing.assert_allclose(found.onsets, whole.onsets, atol=1e-6)


@pytest.mark.parametrize(
    "name", [*SUFFIXES, "a.csv", "a.txt", "a.svl", "a.sv.csv", "a.mid", "a.match"]
)
def test_notes_outside_the_passages_that_are_played_are_not_written(
    tmp_path: Path, name: str
) -> None:
    if name.endswith((".zip", ".match")):
        pytest.importorskip("partitura")
    part = (PlayedPassage(100.0, 201.0, 0.5, 1.0),)
    whole = replace(three(), confidence=[0.0, 0.9, 0.9], passages=part)
    write_music(tmp_path / name, whole)
    if name.endswith(".match"):
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert (written.count("-deletion."), written.count("-note(")) == (1, 2)
        return
    score = whole.held() if name.endswith(".mid") else whole
    found = MusicAlignment.from_labels(tmp_path / name, score=score)
    assert found.note_ids == whole.note_ids[1:]
    np.testing.assert_allclose(found.onsets, whole.onsets[1:], atol=0.006)


@pytest.mark.parametrize("name", SUFFIXES)
def test_the_same_alignment_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    if name.endswith(".zip"):
        pytest.importorskip("partitura")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_music(tmp_path / folder / name, three())
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_partitura_reads_the_table_of_nasap(tmp_path: Path) -> None:
    pytest.importorskip("partitura")
    from partitura.io.importparangonada import load_alignment_from_ASAP

    write_music(tmp_path / "note_alignment.tsv", three("n1-1", "n2-1", "n1-2"))
    pairs = load_alignment_from_ASAP(str(tmp_path / "note_alignment.tsv"))
    assert [(p["label"], p["score_id"], p["performance_id"]) for p in pairs] == [
        ("match", "n1-1", "n0"),
        ("match", "n2-1", "n1"),
        ("match", "n1-2", "n2"),
    ]


def test_partitura_reads_the_tables_of_parangonada(tmp_path: Path) -> None:
    partitura = pytest.importorskip("partitura")
    write_music(tmp_path / "a.parangonada.zip", three())
    with zipfile.ZipFile(tmp_path / "a.parangonada.zip") as archive:
        archive.extractall(tmp_path / "tables")
    performance, pairs, other, features, score = partitura.load_parangonada_csv(
        str(tmp_path / "tables"), create_score=True
    )
    assert [pair["score_id"] for pair in pairs] == list(three().note_ids)
    assert pairs == other
    assert score["pitch"].tolist() == [60, 64, 67]
    assert score["id"].tolist() == features["id"].tolist() == list(three().note_ids)
    played = performance.note_array()
    np.testing.assert_allclose(played["onset_sec"], three().onsets, atol=1e-4)  # 32 bits there


def test_notes_that_were_not_played_and_ids_with_the_number_of_the_time(tmp_path: Path) -> None:
    path = tmp_path / "note_alignment.tsv"
    path.write_text(
        HEAD + "b-1\tp7\t0\t0\t64\t1.5\ninsertion\tp8\t0\t0\t50\t1.6\na-1\tdeletion\n",
        encoding="utf-8",
    )
    found = MusicAlignment.from_labels(path, score=three("a", "b", "c"))
    assert (found.note_ids, found.onsets.tolist()) == (("b",), [1.5])


def test_what_was_corrected_in_parangonada_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.parangonada.zip"
    archive(
        path,
        ppart=[("onset_sec", "id"), ("0.5", "p0"), ("0.75", "p1")],
        align=[
            ("idx", "matchtype", "partid", "ppartid"),
            ("0", "0", "a", "p1"),
            ("1", "1", "b", "undefined"),
            ("2", "2", "undefined", "p0"),
        ],
    )
    found = MusicAlignment.from_labels(path, score=three("a", "b", "c"))
    assert (found.note_ids, found.onsets.tolist()) == (("a",), [0.75])


def archive(path: Path, **tables: list[tuple[str, ...]]) -> None:
    with zipfile.ZipFile(path, "w") as made:
        for name, rows in tables.items():
            out = io.StringIO()
            csv.writer(out).writerows(rows)
            made.writestr(f"{name}.csv", out.getvalue())


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\tb\n", 1, "is no note alignment"),
        ("", None, "empty|is no note alignment"),
        (HEAD + "a\tp\t0\n", 2, "too few columns"),
        (HEAD + "a\tp\t0\t0\t60\tsoon\n", 2, "onset"),
        (HEAD + 2 * "a\tp\t0\t0\t60\t1\n", 3, "'a' stands there twice"),
        (HEAD + "a\tp\t0\t0\t60\t1\na-1\tp\t0\t0\t60\t1\n", None, "'a' stands there twice"),
        (HEAD + "x\tp\t0\t0\t60\t1\n", None, "'x' is no note of the score"),
        (HEAD + "a\tp\t0\t0\t60\t-1\n", None, "outside the recording"),
        (HEAD + "a\tdeletion\n", None, "no notes that are played"),
    ],
)
def test_wrong_tables(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    path = tmp_path / "note_alignment.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        MusicAlignment.from_labels(path, score=three("a", "b", "c"))
    if line is not None:
        assert f", line {line}: " in str(caught.value)


def test_wrong_archives(tmp_path: Path) -> None:
    path, score = tmp_path / "a.parangonada.zip", three("a", "b", "c")
    played = [("onset_sec", "id"), ("0.5", "p0")]
    pairs = [("idx", "matchtype", "partid", "ppartid"), ("0", "0", "a", "p1")]
    for tables, message in [
        ({"ppart": played}, "has no align.csv"),
        ({"ppart": played, "align": pairs}, "has no note 'p1' of align.csv"),
        ({"ppart": [("time", "id"), ("1", "p0")], "align": pairs}, "no column 'onset_sec'"),
        ({"ppart": [("onset_sec", "id"), ("x", "p1")], "align": pairs}, "onset"),
        (
            {"ppart": [*played, ("1", "p1")], "align": [*pairs, ("1", "0", "a", "p0")]},
            "'a' is paired twice",
        ),
    ]:
        archive(path, **tables)
        with pytest.raises(DataError, match=message):
            MusicAlignment.from_labels(path, score=score)
    path.write_bytes(b"PK no archive")
    with pytest.raises(DataError, match="is not a whole archive"):
        MusicAlignment.from_labels(path, score=score)
    with pytest.raises(DataError, match="does not exist"):
        MusicAlignment.from_labels(tmp_path / "b.parangonada.zip", score=score)


def test_ids_that_no_table_can_hold(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot stand in such a table"):
        write_music(tmp_path / "note_alignment.tsv", three("a\tb", "b", "c"))
    empty = MusicAlignment([], [], 1.0)
    with pytest.raises(DataError, match="no notes to write"):
        write_music(tmp_path / "a.parangonada.zip", empty)
