"""The table of formats, and what formats may know."""

import ast
from pathlib import Path

import pytest

import align.formats
from align.formats.table import (
    FORMATS,
    LABEL_FORMATS,
    MUSIC_FORMATS,
    is_music,
    label_format,
    music_format,
)

FOLDER = Path(align.formats.__file__).parent


def test_formats_know_no_result_class() -> None:
    """Neither by import nor for typing."""
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [str(node.module)]
            assert not any(name.startswith("align.results") for name in modules), path.name


def test_no_function_of_a_result_only_raises() -> None:
    for path in (FOLDER.parent / "results").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef):
                body = [part for part in node.body if not is_docstring(part)]
                assert not (len(body) == 1 and isinstance(body[0], ast.Raise)), node.name


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_every_row_is_found_by_its_suffix() -> None:
    for row in FORMATS:
        music = row.holds in ("notes", "tempo", "beats")
        find = music_format if music else label_format
        assert find(f"a.b{row.suffix}") is row
        assert find(f"A{row.suffix.upper()}") is row
        assert row.suffix in (MUSIC_FORMATS if music else LABEL_FORMATS)
        if not music:
            assert label_format("a.unknown", row.name).name == row.name


def test_the_formats_are_these() -> None:
    assert LABEL_FORMATS == {
        ".textgrid": "textgrid",
        ".eaf": "eaf",
        ".exb": "exb",
        ".phn": "phn",
        ".wrd": "phn",
        ".lab": "lab",
        ".csv": "csv",
        ".tsv": "tsv",
        ".txt": "audacity",
        ".ctm": "ctm",
        ".vtt": "vtt",
        ".srt": "srt",
        ".rttm": "rttm",
        "_annot.json": "emu",
        ".json": "json",
    }
    assert list(MUSIC_FORMATS)[:2] == [".tempo.csv", ".beats.csv"]
    assert set(MUSIC_FORMATS) == {
        *(".tempo.csv", ".sv.csv", ".csv", ".tsv", ".json", ".mid", ".midi", ".txt", ".svl"),
        *(".match", ".jams", ".beats.csv", ".beats.txt", ".beats.svl"),
        *("note_alignment.tsv", ".parangonada.zip"),
    }


@pytest.mark.parametrize(
    "name", ["a.tempo.csv", "a.beats.svl", "a.txt", "a.TextGrid", "absent.csv", "a.png"]
)
def test_files_that_hold_no_notes(tmp_path: Path, name: str) -> None:
    if "absent" not in name:
        (tmp_path / name).write_text("performed_s,score_s,relative_tempo\n")
    assert not is_music(tmp_path / name)
