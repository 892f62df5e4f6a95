"""Completion in the shells themselves, typed at a terminal: as the page on coming here says."""

import contextlib
import os
import re
import select
import shutil
import sys
import time
from pathlib import Path

import pytest
from doc_pages import ROOT

pty = pytest.importorskip("pty")

BIN = Path(sys.executable).parent
PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
SHELLS = {  # how it starts without a person's own settings, and what it needs to complete at all
    "bash": (["bash", "--norc", "--noprofile", "-i"], ""),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -d $HOME/dump"),
    "fish": (["fish", "--no-config", "-i"], ""),
}
PATIENCE = 60.0  # seconds, on a busy machine


def typed(shell: str, lines: list[str], until: str, home: Path) -> str:
    """Type lines into a shell at a terminal, and return what it shows until `until` is seen."""
    command, _ = SHELLS[shell]
    child, screen = pty.fork()
    if child == 0:
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        kept = {"PATH": path, "HOME": str(home), "TERM": "dumb", "PS1": "$ ", "LANG": "C.UTF-8"}
        os.execvpe(command[0], command, kept)
    shown, waiting, end = "", list(lines), time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end and until not in plain(shown):
            ready, _, _ = select.select([screen], [], [], 0.4)
            if ready:
                with contextlib.suppress(OSError):
                    shown += os.read(screen, 65536).decode("utf-8", "replace")
            elif waiting:  # it is quiet, so it waits for the next line
                os.write(screen, waiting.pop(0).encode())
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(screen)
    return plain(shown)


def plain(shown: str) -> str:
    """Return what a terminal shows without its control sequences."""
    return re.sub(r"\x1b(\[[0-9;?>=]*[A-Za-z]|\][^\a]*\a|[()][A-Z0-9]|[=>])", "", shown)


def said(shell: str) -> str:
    """Return the line that the page gives for a shell."""
    pattern = {
        "bash": r"^(eval .*bash_source.*)$",
        "zsh": r"`(eval .*zsh_source align\)\")`",
        "fish": r"`(_ALIGN_COMPLETE=fish_source align \| source)`",
    }[shell]
    (line,) = re.findall(pattern, PAGE, re.M)
    return line


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_completes_what_was_begun(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    if not (BIN / "align").exists():
        pytest.skip("the command align is not installed")
    _, needed = SHELLS[shell]
    lines = [f"{needed}\n", f"{said(shell)}\n", "align mod\t", "\n"]
    shown = typed(shell, lines, "speech-en", tmp_path)
    assert "align models" in shown, shown
    assert "speech-en" in shown, shown  # the command has run
