"""What the README and the tutorial tell people to type works, as it stands there."""

import functools
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from synthetic_speech import write_corpus, write_recording

from align.cli import cli

ROOT = Path(__file__).resolve().parents[1]
KIWI = ["sil", "k", "iy", "w", "iy", "sil"]


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


def commands(path: Path) -> list[list[str]]:
    """The arguments of every `align` command that stands on a line of its own."""
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("align ")]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the recordings that the texts speak of, small networks, a toy speech-en."""
    import align
    from align.features import NetworkConfidence

    small = functools.partial(NetworkConfidence, width=8, dilations=(1, 2))
    monkeypatch.setattr("align.speech.NetworkConfidence", small)
    monkeypatch.chdir(tmp_path)
    for folder, seed in (("recordings", 1), ("checked", 2)):
        write_corpus(tmp_path / folder, {"anna": 2, "bert": 2}, seed=seed)
        for speaker in ("anna", "bert"):
            write_recording(tmp_path / folder / speaker / "kiwi", KIWI, seed)
    for name in ("kiwi", "new"):
        write_recording(tmp_path / name, KIWI, seed=3)
        (tmp_path / f"{name}.phn").unlink()
    (tmp_path / "new").mkdir()
    shutil.copy("kiwi.wav", "new/kiwi.wav")
    (tmp_path / "new" / "kiwi.txt").write_text(" ".join(KIWI))
    model = align.SpeechAligner(epochs=1).fit(align.read_corpus("recordings"))
    model.save("speech-en")  # a file of this name goes before the bundled model
    return tmp_path


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md"])
def test_the_python_of_the_texts(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy("speech-en", "my.align")
    found = blocks(ROOT / name, "python")
    assert found
    names: dict[str, object] = {}
    for block in found:
        exec(compile(block, name, "exec"), names)
    if name == "README.md":
        printed = capsys.readouterr().out
        assert "boundaries in 6 files" in printed
        assert "'louder'" in printed
        assert (place / "kiwi-en.TextGrid").exists()
        assert (place / "mine.align").exists()
    else:
        assert (place / "new" / "kiwi.TextGrid").exists()


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md"])
def test_the_commands_of_the_texts(name: str, place: Path) -> None:
    found = [arguments for arguments in commands(ROOT / name) if arguments != ["demo"]]
    assert len(found) >= 5
    for arguments in found:
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, f"align {shlex.join(arguments)}: {result.output}"
    stem = "kiwi" if name == "README.md" else "new"
    assert (place / f"{stem}.png").exists()


def test_the_setup_commands_are_one_line_each_and_ci_takes_them_from_here() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for marker, end in (("demo", "align demo"), ("test", "pytest")):
        (block,) = re.findall(rf"<!-- {marker} command -->\n```sh\n(.*?)```", text, re.S)
        assert block.count("\n") == 1
        assert block.strip().endswith(f"&& {end}")
    script = ROOT / ".ci" / "run"
    assert "<!-- test command -->" in script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK)


@pytest.mark.parametrize(
    "path", [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))], ids=str
)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target
