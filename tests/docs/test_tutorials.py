"""Every tutorial runs as it stands: typed into a shell and into Python, in an empty folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT, Block, blocks, run_python

TUTORIALS = sorted((ROOT / "docs").glob("tutorial*.md"))
LONGEST = 300  # seconds that a block may take while other tests run


def type_into_shell(block: Block, here: Path) -> None:
    """Run commands in bash in the folder we are in, and go where they went, which `here` keeps."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"{block.text}\npwd > $HERE"],
        env={**environment, "HERE": str(here)},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, f"{block.text}\n{done.stdout}{done.stderr}"
    os.chdir(here.read_text(encoding="utf-8").strip())


@pytest.mark.tutorials
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.name)
def test_a_tutorial_runs_from_an_empty_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("matplotlib", "sklearn"):
        pytest.importorskip(package)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    names: dict[str, object] = {"__name__": "page"}
    found = blocks(path)
    assert not [block.line for block in found if block.reason], "nothing of a tutorial is left out"
    for block in found:
        try:
            if block.language == "python":
                run_python(block, path, names)
            elif block.language == "sh":
                type_into_shell(block, tmp_path / "here")
        except Exception as error:
            raise AssertionError(f"{path.name}, line {block.line}: {error}") from error
