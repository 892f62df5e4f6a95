"""``align report``: what it writes, and what it says when it cannot."""

import re
import shlex
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from align.cli import cli

DATA = Path(str(files("align.data")))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("kiwi", "north-wind"):
        for suffix in (".flac", ".TextGrid"):
            shutil.copy(DATA / f"{name}{suffix}", tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["report", *arguments])


def test_one_recording() -> None:
    done = run("kiwi.TextGrid", "-o", "page.html")
    assert done.exit_code == 0, done.stderr
    assert re.search(
        r"1 recording, 46 labels, 4\.9 s: page\.html \(0\.1 MB, sound \d+ kB", done.stderr
    )
    assert Path("page.html").read_text().startswith("<!doctype html>")


def test_several_with_a_reference_and_a_title() -> None:
    labels = ["kiwi.TextGrid", "north-wind.TextGrid"]
    done = run(
        *labels, "--reference", ".", "--title", "A & <b>", "--sound", "flac", "-o", "p.html"
    )
    assert done.exit_code == 0, done.stderr
    page = Path("p.html").read_text()
    assert "<title>A &amp; &lt;b&gt;</title>" in page
    assert '"type":"audio/flac"' in page
    assert page.count('"name":"reference"') == 2


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["no.TextGrid", "-o", "p.html"], 1, "no.TextGrid: does not exist; check the name."),
        (["kiwi.TextGrid", "-o", "p.pdf"], 2, "a page is written as .html"),
        (["kiwi.TextGrid", "-o", "x/p.html"], 2, "the folder x does not exist"),
        (["kiwi.TextGrid", "--audio", "no.wav", "-o", "p.html"], 1, "no.wav: there is no such"),
        (["kiwi.TextGrid"], 2, "Missing option '-o'"),
        (["-o", "p.html"], 2, "Missing argument 'ALIGNMENT...'"),
    ],
)
def test_what_cannot_be_done(arguments: list[str], status: int, message: str) -> None:
    done = run(*arguments)
    assert done.exit_code == status
    assert message in done.stderr
    assert not Path("p.html").exists()


def test_a_page_is_not_replaced_unless_asked() -> None:
    Path("page.html").write_text("mine")
    done = run("kiwi.TextGrid", "-o", "page.html")
    assert (done.exit_code, "add --overwrite" in done.stderr) == (2, True)
    assert Path("page.html").read_text() == "mine"
    assert run("kiwi.TextGrid", "-o", "page.html", "--overwrite").exit_code == 0
    assert Path("page.html").stat().st_size > 50_000


def test_damaged_labels_leave_no_page() -> None:
    Path("kiwi.TextGrid").write_text(Path("kiwi.TextGrid").read_text()[:2000])
    done = run("kiwi.TextGrid", "-o", "page.html")
    assert done.exit_code == 1
    assert re.search(r"kiwi\.TextGrid, line \d+|kiwi\.TextGrid:\d+|line \d+", done.stderr)
    assert not Path("page.html").exists()


def test_what_the_documentation_says_works(here: Path) -> None:
    """Every command and snippet of docs/report.md, except those that train for minutes."""
    from align.results.alignment import Alignment

    page = Path(__file__).resolve().parents[2] / "docs" / "report.md"
    text = page.read_text(encoding="utf-8")
    shutil.copytree(DATA / "minuet", "minuet")
    for folder in ("aligned", "recordings", "corrected"):
        Path(folder).mkdir()
    for name in ("kiwi", "north-wind"):
        found = Alignment.from_labels(f"{name}.TextGrid", audio=f"{name}.flac")
        found.to_json(f"{name}.json")
        for folder in ("aligned", "corrected"):
            found.to_textgrid(f"{folder}/{name}.TextGrid")
        shutil.copy(f"{name}.flac", "recordings")
    commands = [
        line
        for block in re.findall(r"```sh\n(.*?)```", text, re.S)
        for line in block.splitlines()
        if not line.startswith(("align adapt", "align train"))
    ]
    assert len(commands) >= 8
    for command in commands:
        _, *arguments = shlex.split(command)
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, (command, done.stderr)
        assert Path(arguments[-1]).stat().st_size > 10_000
    (snippet,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(compile(snippet, str(page), "exec"), {})
    assert {"one.html", "two.html"} <= {p.name for p in here.iterdir()}


def test_the_keys_in_the_documentation_are_those_of_the_page() -> None:
    import html

    page = Path(__file__).resolve().parents[2] / "docs" / "report.md"
    rows = re.findall(r"^\| (`.*?) \|", page.read_text(encoding="utf-8"), re.M)
    told = {key for row in rows for key in re.findall(r"`(.+?)`", row)}
    template = (DATA.parent / "show" / "page" / "page.html").read_text(encoding="utf-8")
    shown = {html.unescape(key) for key in re.findall(r"<kbd>(.*?)</kbd>", template)}
    assert told == {key.replace("\u2212", "-") for key in shown}
