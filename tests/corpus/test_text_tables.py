"""One file with the texts of many recordings, and transcripts beside them."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from align.cli import cli
from align.corpus.text_tables import read_texts, write_texts
from align.errors import DataError

TWO = [("a1", "Hello there, you."), ("b2", 'Say "so".')]


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Five names of recordings: what they sound like does not matter."""
    for name in ("ann/a1.wav", "bob/b2.FLAC", "bob/same.wav", "ann/same.wav", "top.mp3"):
        path = tmp_path / "r" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return tmp_path / "r"


@pytest.mark.parametrize(
    "content",
    [
        'file,text\na1,"Hello there, you."\nb2,"Say ""so""."\n',
        '\ufeffpath\tsentence\tage\na1.wav\tHello there, you.\t3\n\nb2.flac\tSay ""so"".\t4\n',
        'speaker;Transcript;ID\nann;Hello there, you.;a1\nbob;"Say ""so"".";b2\n',
        'id|raw|text\na1|x|Hello there, you.\nb2|x|Say "so".\n',
        'a1|raw|Hello there, you.\nb2|raw|Say "so".\n',
        'a1\tHello there, you.\nb2\tSay "so".\n',
        'a1 Hello there, you.\n\nb2  Say "so".\n',
        '( a1 "Hello there, you." )\n( b2 "Say "so"." )\n',
        '<s> Hello there, you. </s> (a1)\nSay "so". (b2)\n',
    ],
)
def test_shapes_of_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "texts"
    path.write_text(content.replace('""so""', '"so"') if "\t" in content else content, "utf-8")
    found = [(os.path.splitext(row.name)[0], row.text) for row in read_texts(path)]
    assert found == TWO


@pytest.mark.parametrize(
    "content",
    [
        'Dateiname;Transkript\na1.wav;Hello there, you.\nb2.FLAC;"Say ""so""."\n',
        'a1,"Hello there, you."\nb2,"Say ""so""."\n',
        'Sprecher\tSatz\tAufnahme\nann\tHello there, you.\ta1\nbob\tSay "so".\tb2.wav\n',
        'a1|ann|Hello there, you.\nb2|bob|Say "so".\n',
    ],
)
def test_columns_are_known_by_what_they_hold(tmp_path: Path, content: str) -> None:
    path = tmp_path / "texts"
    path.write_text(content, "utf-8")
    rows = read_texts(path, None, lambda name: os.path.splitext(name)[0].strip() in ("a1", "b2"))
    assert [(os.path.splitext(row.name)[0], row.text) for row in rows] == TWO


def test_columns_are_named_in_six_languages(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    a = "A\u0308ußerung"  # as macOS has it
    path.write_text(f"Nr;Dateiname;{a};Bemerkung\n1;a1;Say so.;very loud and near\n", "utf-8")
    assert read_texts(path) == [("a1", "Say so.", 2)]


@pytest.mark.parametrize(
    "content",
    [
        "nom,un,deux\na1,Hello there,Well yes\nb2,Say so,Oh no\n",  # which of the two?
        "nom,texte\na1,Hello there, you\nb2,Say so\n",  # a comma of the text
        "nom,texte\nc1,Hello there\nc2,Say so\n",  # none of the recordings
    ],
)
def test_nothing_is_guessed_of_columns(tmp_path: Path, content: str) -> None:
    path = tmp_path / "texts"
    path.write_text(content)
    with pytest.raises(DataError, match="line 1: is no name of a recording and its text"):
        read_texts(path, None, lambda name: name in ("a1", "b2"))


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("a1|yes|Ann\nb2|no|Bob\n", "column 3 or in column 2"),
        ("a1|yes|Ann\nb2|yes|Bob\n", "column 3 or in column 2"),
        ("a1\tAnn\tyes\nb2\tAnn\tno\n", "column 2 or in column 3"),
        ("c1\tann\tHello there, you.\nd2\tbob\tSay so.\n", "column 2 or in column 3"),
    ],
)
def test_nothing_is_guessed_of_texts_as_short_as_names(
    tmp_path: Path, content: str, columns: str
) -> None:
    path = tmp_path / "texts"
    path.write_text(content)
    with pytest.raises(DataError, match=f"{columns}, which its lines do not say; name the col"):
        read_texts(path, None, lambda name: name in ("a1", "b2"))


@pytest.mark.parametrize(
    "content", ["a1|in 1455|in then\nb2|5|five\n", "a1\tyes\tAnn\nb2\tno\tAnn\n", "a1|x\nb2|y\n"]
)
def test_spellings_and_speakers_beside_texts_are_passed_over(tmp_path: Path, content: str) -> None:
    path = tmp_path / "texts"
    path.write_text(content)
    wanted = {"|in": ["in then", "five"], "\tye": ["yes", "no"], "|x\n": ["x", "y"]}
    assert [row.text for row in read_texts(path)] == wanted[content[2:5]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no text"),
        ("file,text\n", "holds no text"),
        ("a1\nb2 hello\n", "line 1: is no name of a recording and its text"),
        ("file,x,text\na1,Hello\n", "line 2: has 2 columns"),
        ("file,text\na1,Hello there, you\n", "line 2: has 3 columns, the first line 2; quote"),
    ],
)
def test_other_files(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "texts"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read_texts(path)


def test_texts_are_written_beside_their_recordings(tmp_path: Path, recordings: Path) -> None:
    with pytest.raises(DataError, match="names none of the 5 recordings"):
        write_texts(_with(tmp_path, "zz one\n"), recordings)
    found = write_texts(
        _with(tmp_path, "A1 one\nBOB\\b2.wav two\nann/same.flac three\n"), recordings
    )
    names = [os.path.relpath(path, recordings).replace(os.sep, "/") for path in found.written]
    assert names == ["ann/a1.txt", "bob/b2.txt", "ann/same.txt"]
    assert (recordings / "bob" / "b2.txt").read_text() == "two\n"
    assert [os.path.basename(path) for path in found.without] == ["same.wav", "top.mp3"]
    assert found.problems == ()


def test_lines_that_cannot_be_used_are_listed_and_others_written(
    tmp_path: Path, recordings: Path
) -> None:
    table = _with(tmp_path, "file,text\na1,one\nsame,two\nzz,three\na1.wav,four\nb2,\ntop,five\n")
    (recordings / "top.txt").write_text("by hand")
    found = write_texts(table, recordings)
    assert [(where.split(", ")[-1], why.split(";")[0]) for where, why in found.problems] == [
        ("line 3", "'same' is the name of 2 recordings"),
        ("line 4", f"there is no recording 'zz' in {recordings}."),
        ("line 5", f"is the second text of {recordings / 'ann' / 'a1.wav'}, after line 2"),
        ("line 6", "'b2' has no text."),
        (str(recordings / "top.txt"), "holds another text"),
    ]
    assert (recordings / "top.txt").read_text() == "by hand"
    again = write_texts(_with(tmp_path, "a1 one\ntop five\n"), recordings, overwrite=True)
    assert (again.same, [os.path.basename(path) for path in again.written]) == (1, ["top.txt"])


def test_a_recording_that_has_a_text_is_not_without_one(tmp_path: Path, recordings: Path) -> None:
    (recordings / "top.TXT").write_text("by hand", encoding="utf-8")
    found = write_texts(_with(tmp_path, "a1 one\nb2 two\n"), recordings)
    names = [os.path.basename(path) for path in found.without]
    assert names == ["same.wav", "same.wav"]


def test_the_command(tmp_path: Path, recordings: Path) -> None:
    result = CliRunner().invoke(
        cli, ["texts", str(_with(tmp_path, "a1 one\nzz two\n")), str(recordings)]
    )
    assert result.exit_code == 1
    assert "1 transcript written." in result.stderr
    assert "4 recordings without a text: " in result.stderr
    assert "line 2: there is no recording 'zz'" in result.stderr
    result = CliRunner().invoke(cli, ["texts", str(tmp_path / "no"), str(recordings)])
    assert result.exit_code != 0
    assert "Traceback" not in result.stderr


def _with(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "table"
    path.write_text(content)
    return path


def test_a_run_without_any_text_says_how_texts_get_there(tmp_path: Path, recordings: Path) -> None:
    result = CliRunner().invoke(
        cli, ["corpus", "speech", str(recordings), str(tmp_path / "out"), "--text"]
    )
    assert result.exit_code == 1
    assert f"`align texts FILE {recordings}` puts them there" in result.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metadata.csv", "a1|Hi, you.|Hi, you.\nb2|So.|So.\ntop|No.|No.\n"),
        ("etc/txt.done.data", '( a1 "Hi." )\n( b2 "So." )\n( top "No." )\n'),
    ],
)
def test_a_run_without_any_text_names_the_file_that_has_them(
    tmp_path: Path, recordings: Path, name: str, content: str
) -> None:
    table = recordings / name
    table.parent.mkdir(exist_ok=True)
    table.write_text(content)
    (recordings / "notes.txt").write_text("Recorded in May.\n")
    result = CliRunner().invoke(
        cli, ["corpus", "speech", str(recordings), str(tmp_path / "out"), "--text"]
    )
    assert result.exit_code == 1
    assert f"{table} has the texts; `align texts {table} {recordings}` puts them" in result.stderr
