"""Traps of Windows, as far as they can be simulated elsewhere.

Names of devices, paths with backslashes, links that are not allowed, another encoding than UTF-8
by default, line ends of two characters, files that others cannot read while they are locked.
"""

import ast
import io
import ntpath
import os
import re
import subprocess
import sys
import types
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scripts import script

from align.batch import tasks
from align.cli.inputs import read_phones, read_said
from align.corpus import listing
from align.errors import DataError
from align.files import lock
from align.files.lock import FolderLock
from align.formats import write_music
from align.formats.files import write_tiers
from align.formats.scores import Score
from align.formats.tiers.tier import Tiers
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.types import Note

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path
    for part in ("align", "features", "decoders", "recipes", "docs")
    for path in sorted((ROOT / part).rglob("*.py"))
]
NAMES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@cache
def calls(path: Path) -> list[tuple[str, ast.Call]]:
    """Names of what a module calls, with the calls; none where it has nothing to do with text."""
    text = path.read_text(encoding="utf-8")
    if not re.search(r"open\(|_text\(|csv\.", text):
        return []
    tree = ast.parse(text)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(ast.unparse(node.func).rsplit(".", 1)[-1], node) for node in found]


# Encodings and line ends ------------------------------------------------------------------------


def test_no_text_is_read_or_written_in_the_encoding_of_the_system() -> None:
    for path in SOURCES:
        for name, call in calls(path):
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            if name == "read_text" and isinstance(call.func, ast.Name):
                continue  # ours, which looks at the file
            if name in ("read_text", "write_text"):
                place = 1 if name == "read_text" else 2
                assert "encoding" in given or len(call.args) >= place, f"{path}: {call.lineno}"
            if name == "open" and isinstance(call.func, ast.Name):
                mode = (
                    ast.unparse(call.args[1]) if len(call.args) > 1 else given.get("mode", "'r'")
                )
                assert "b" in mode or "encoding" in given, f"{path}: {call.lineno}"


def test_tables_end_their_lines_as_everywhere_else() -> None:
    for path in SOURCES:
        for name, call in calls(path):
            if ast.unparse(call.func) in ("csv.writer", "csv.DictWriter"):
                assert any(k.arg == "lineterminator" for k in call.keywords), f"{path}: {name}"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437"])
def test_standard_input_is_utf_8_whatever_the_locale(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, read in (("naïve\r\nkiwi", read_said), ("ʃ iː", read_phones)):
        stream = io.TextIOWrapper(io.BytesIO(text.encode()), encoding=encoding)
        monkeypatch.setattr("sys.stdin", stream)
        found = read("-")
        words = found if read is read_phones else found[0].text.split()
        assert words == text.split()


def test_standard_input_in_another_encoding_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def given() -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO("naïve".encode("cp1252")))

    monkeypatch.setattr("sys.stdin", given())
    with pytest.raises(DataError, match="standard input, line 1: is not UTF-8"):
        read_said("-")
    monkeypatch.setattr("sys.stdin", given())
    assert read_said("-", encoding="cp1252")[0].text == "naïve"


def test_labels_that_a_console_lacks_are_shown_as_escapes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "align", "info", "speech-any"],
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert rb"\u0283" in done.stdout


# Paths ------------------------------------------------------------------------------------------


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths as on Windows, in the modules that name recordings."""
    system = types.SimpleNamespace(path=types.SimpleNamespace(**vars(ntpath)), sep="\\")
    system.path.isdir = lambda path: not path.endswith(".csv")
    system.path.abspath = ntpath.normpath
    for module in (tasks, listing):
        monkeypatch.setattr(module, "os", system)


@pytest.mark.usefixtures("windows")
def test_recordings_are_named_with_slashes() -> None:
    found = [
        (stem, rf"{stem}.wav", rf"{stem}.txt", "ann", ())
        for stem in (r"D:\corpus\ann\one", r"D:\corpus\ann\two")
    ]
    for root in (r"D:\corpus", "D:/corpus"):
        named, problems = tasks.tasks_of(root, found, "says what is spoken")
        assert [task.name for task in named] == ["ann/one", "ann/two"]
        assert problems == []
    named, _ = tasks.tasks_of(r"D:\lists\all.csv", found, "says what is spoken")
    assert [task.name for task in named] == ["one", "two"]
    apart = [*found, (r"E:\more\three", r"E:\more\three.wav", r"E:\more\three.txt", "bob", ())]
    with pytest.raises(DataError, match="several drives"):
        tasks.tasks_of(r"D:\lists\all.csv", apart, "says what is spoken")
    audio = r"D:\corpus\a\b\one.wav"
    group = listing.group_of(audio, ntpath.dirname(audio), r"D:\corpus", "folder")
    assert group == "a/b"


@pytest.fixture(scope="module")
def convert() -> types.ModuleType:
    return script(ROOT / "recipes" / "readers" / "convert.py")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("CON", "CON_"), ("aux.1", "aux.1_"), ("Lpt9", "Lpt9_"), ("console", "console"),
        ("dot.", "dot"), ("space ", "space"), ('a:b*c?"<>|', "a_b_c"), ("...", "unnamed"),
    ],
)  # fmt: skip
def test_names_that_every_system_takes(convert: types.ModuleType, name: str, plain: str) -> None:
    assert convert.plain(name) == plain


def test_where_links_are_not_allowed_recordings_are_copied(
    convert: types.ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(22, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refused)
    (tmp_path / "a.wav").write_bytes(b"sound")
    target = tmp_path / "out" / "b.wav"
    for _ in range(2):  # also over what is there
        convert.place(str(tmp_path / "a.wav"), target, copy=False)
        assert target.read_bytes() == b"sound"


# Files ------------------------------------------------------------------------------------------


def test_who_holds_a_folder_can_be_read_while_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: set[int] = set()

    def locking(descriptor: int, mode: int, n_bytes: int) -> None:
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        assert (mode, n_bytes) == (2, 1)  # not to wait, one byte
        if place in held:
            raise PermissionError(13, "Permission denied")
        held.add(place)

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    system = types.SimpleNamespace(**vars(os))
    system.name = "nt"
    monkeypatch.setattr(lock, "os", system)
    file = tmp_path / "lock"
    with FolderLock(tmp_path, file):
        assert min(held) > 4096  # beyond what is read
        with pytest.raises(DataError, match=rf"in use by another run \(process {os.getpid()} on"):
            FolderLock(tmp_path, file).__enter__()
        unreadable = io.StringIO()
        unreadable.read = locked_out  # type: ignore[method-assign]
        assert lock._holder(unreadable) == ""
    assert file.read_bytes() == b""


def locked_out(*_: object) -> str:
    raise PermissionError(13, "Permission denied")


def test_every_file_can_be_checked_out() -> None:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout of git")
    seen: set[str] = set()
    for line in listed.splitlines():
        about, name = line.split("\t")
        assert "crlf" not in about.split()[0], name
        assert len(name) < 120
        assert name.lower() not in seen, f"{name}: differs from another by its case alone"
        seen.add(name.lower())
        for part in name.split("/"):
            assert not NAMES.fullmatch(part), name
            assert not re.search(r'[<>:"\\|?*]|[. ]$', part), name
    assert (ROOT / ".gitattributes").read_text(encoding="utf-8").endswith("* text=auto eol=lf\n")


# Names of recordings ----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".rttm", ".eaf", ".exb", ".ctm"])
def test_results_of_windows_name_the_recording_and_not_its_folders(
    tmp_path: Path, suffix: str
) -> None:
    if suffix == ".eaf":
        pytest.importorskip("pympi")
    found = Alignment(["a", "b"], [0.0, 0.5], 1.0, audio="C:\\Users\\ann\\talk.wav")
    write_tiers(tmp_path / f"a{suffix}", Tiers.of_labels(found, "phones"))
    text = (tmp_path / f"a{suffix}").read_text(encoding="utf-8")
    assert "talk" in text
    assert "Users" not in text


@pytest.mark.parametrize("suffix", [".match", ".jams"])
def test_results_of_music_from_windows_do_so_as_well(tmp_path: Path, suffix: str) -> None:
    if suffix == ".match":
        pytest.importorskip("partitura")
    score = Score.of([Note(60, 0.0), Note(62, 0.5)], "C:\\Users\\ann\\minuet.mid")
    about = {"audio": "C:\\Users\\ann\\minuet.flac", "score_file": score.path}
    found = MusicAlignment(score.notes, np.array([0.1, 0.6]), 1.0, **about)
    write_music(tmp_path / f"a{suffix}", found)
    text = (tmp_path / f"a{suffix}").read_text(encoding="utf-8")
    assert "minuet" in text
    assert "Users" not in text
