"""What the README promises about setting up, and links; its snippets run in tests/docs."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


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


def test_packages_are_installed_by_lines_that_every_shell_reads() -> None:
    """That of Windows takes ' for a letter."""
    code = [*(ROOT / "align").rglob("*.py"), *(ROOT / "features").rglob("*.py")]
    for path in [*code, ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert "pip install '" not in " ".join(path.read_text(encoding="utf-8").split()), path
