"""A whole sitting: from a folder of recordings to an exported model, through a kill."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest
from devtools import CTRL, Browser, find_browser

import align
from align.results.alignment import Alignment

pytestmark = pytest.mark.tutorials
EXECUTABLE = find_browser()
DATA = Path(str(files("align.data")))
TEXT = "document.getElementById('{}').textContent"

needs_browser = pytest.mark.skipif(
    EXECUTABLE is None,
    reason="needs Chromium or Chrome; ALIGN_BROWSER may name it",
)


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """The two bundled sentences: phones of one, words of the other."""
    for name, suffix in (("kiwi", ".TextGrid"), ("north-wind", ".TextGrid")):
        folder = tmp_path / "recordings" / name[0]
        folder.mkdir(parents=True)
        shutil.copy(DATA / f"{name}.flac", folder)
        labels = Alignment.from_labels(DATA / f"{name}{suffix}").labels
        (folder / f"{name}.phones").write_text(" ".join(labels))
    return tmp_path / "recordings"


@contextmanager
def studio(
    recordings: Path, out: Path, *options: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the command; yields the address that it prints, and the process."""
    command = [sys.executable, "-m", "align", "studio", str(recordings), str(out), "--no-browser"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            assert url, process.stderr.read() if process.stderr else ""
            yield url, process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()


def edges(browser: Browser) -> list[float]:
    found: list[float] = browser.run("alignPage.view.recording.tiers.at(-1).edges")
    return found


def drag(browser: Browser, k: int, by: float) -> None:
    """Drag a boundary of the last tier."""
    x, y, to = browser.run(
        "(() => { const b = document.getElementById('pane').getBoundingClientRect();"
        f" const t = alignPage.view.recording.tiers, e = t.at(-1).edges[{k}];"
        " return [b.x + alignPage.xOf(e), b.y + alignPage.rowTop(t.length - 1) + 17,"
        f" b.x + alignPage.xOf(e + {by})]; }})()"
    )
    browser.drag(x, y, to)
    browser.run("alignPage.idle()")


@needs_browser
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_from_a_folder_to_a_model(recordings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert EXECUTABLE is not None
    with Browser(EXECUTABLE, tmp_path / "browser") as browser:
        with studio(recordings, out) as (url, process):
            browser.open(url)
            name = browser.run("alignPage.view.recording.name")
            assert name in ("k/kiwi", "n/north-wind")
            before = edges(browser)
            drag(browser, 5, 0.015)
            moved = edges(browser)
            assert moved[5] == pytest.approx(before[5] + 0.015, abs=0.004)
            assert browser.run(TEXT.format("said")) == ""
            drag(browser, 9, -0.012)
            assert edges(browser)[5] == moved[5]  # what was set stays
            browser.press("z", CTRL)
            browser.run("alignPage.idle()")
            assert edges(browser) == moved
            process.send_signal(signal.SIGKILL)
            process.wait()
            browser.run("alignPage.state.choice = {tier: 0, k: 7}")
            browser.press(".")
            browser.wait("!document.getElementById('gone').hidden")
            assert len(browser.run("alignPage.outbox.map((item) => item.told)")) == 1
        with studio(recordings, out) as (again, process):
            assert again == url  # the window goes on
            browser.click_on("#send-again")
            browser.run("alignPage.idle()")
            assert edges(browser)[7] == pytest.approx(moved[7] + 0.001, abs=1e-6)
            assert edges(browser)[5] == moved[5]
            right = edges(browser)
            browser.press("c")
            browser.wait(f"alignPage.view.recording.name !== '{name}' && alignPage.view.sound")
            browser.wait(f"{TEXT.format('learning')}.startsWith('Learnt 1 time')", timeout=60)
            assert browser.run("document.querySelectorAll('#errors tr').length") == 3
            written = Alignment.from_labels(out / f"{name}.TextGrid")
            assert written.onsets.tolist() == pytest.approx(right[:-1], abs=1e-6)
            browser.press("c")
            browser.wait(f"{TEXT.format('said')}.startsWith('Every recording is confirmed')")
            browser.click_on("#with-report")
            browser.press("s")
            browser.wait(f"{TEXT.format('said')}.startsWith('Exported to ')", timeout=60)
            complaints = browser.complaints()  # while the server was killed, and nothing else
            assert all("ERR_CONNECTION_REFUSED" in item for item in complaints)
            process.send_signal(signal.SIGINT)
            _, messages = process.communicate(timeout=60)
            assert process.returncode == 0, messages
        assert not (out / "studio" / "address").exists()
        token = url.split("/")[3]
        assert token not in messages
    exported = out / "export" / "1"
    model = align.load(exported / "model.align")
    assert model.align(DATA / "kiwi.flac", Alignment.from_labels(DATA / "kiwi.TextGrid").labels)
    assert (exported / "report.html").stat().st_size > 10_000
    assert {path.stem for path in exported.rglob("*.TextGrid")} == {"kiwi", "north-wind"}


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_sigterm_ends_it_tidily(recordings: Path, tmp_path: Path) -> None:
    with studio(recordings, tmp_path / "out") as (_, process):
        address = tmp_path / "out" / "studio" / "address"
        assert address.exists()
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
        assert process.returncode == 128 + signal.SIGTERM, messages
        assert "Traceback" not in messages
    assert not address.exists()
