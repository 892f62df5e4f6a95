"""From a folder of recordings to a model of one's own corrections, through the page."""

import functools
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from corpus_tools import tiny_model, write_recordings
from devtools import Browser, find_browser

import align
from align.cli import cli

EXECUTABLE = find_browser()
LATE = 0.025  # seconds by which the labeller places every boundary later than the model does

pytestmark = [
    pytest.mark.tutorials,
    pytest.mark.skipif(
        EXECUTABLE is None, reason="needs Chromium or Chrome; ALIGN_BROWSER may name it"
    ),
]


def run(*args: Any) -> None:
    result = CliRunner().invoke(cli, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output


def drag_every_boundary(browser: Browser) -> list[float]:
    """Move every boundary of the recording shown, the last first, and return where they are."""
    browser.press("0")  # all of it
    browser.run("alignPage.settled()")
    edges = "alignPage.view.recording.tiers[0].edges"
    for k in range(len(browser.run(edges)) - 2, 0, -1):
        x, y = browser.run(
            "(() => { const b = document.getElementById('pane').getBoundingClientRect();"
            f" return [b.x + alignPage.xOf({edges}[{k}]), b.y + alignPage.rowTop(0) + 17]; }})()"
        )
        to = browser.run(f"alignPage.xOf({LATE}) - alignPage.xOf(0)") + x
        browser.drag(x, y, to)
    found: list[float] = browser.run(edges)
    return found


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model, and a corpus of files that were saved from the page, TextGrids and a table."""
    here = tmp_path_factory.mktemp("day")
    model = tiny_model(here)
    recordings = write_recordings(here / "recordings", {"ann": 3, "bob": 2}, seed=8)
    run("corpus", "speech", recordings, here / "aligned", "--model", model, "--jobs", 1, "--quiet")
    run("report", here / "aligned", "--audio", recordings, "-o", here / "page.html", "--quiet")
    labels = here / "corrected"
    assert EXECUTABLE is not None
    with Browser(EXECUTABLE, here / "browser") as browser:
        browser.open(here / "page.html")
        count = browser.run("document.getElementById('recordings').options.length")
        assert count == 5
        for n in range(count):
            before = browser.run("alignPage.view.recording.tiers[0].edges")
            after = drag_every_boundary(browser)
            moved = np.subtract(after, before)[1:-1]
            assert np.median(moved) == pytest.approx(LATE, abs=0.002)
            if n == 0:  # one as a table
                name = browser.run("alignPage.view.recording.name")
                stem = name.split("/")[-1]
                path = browser.saved(f"{stem}.csv", lambda: browser.click_on("#save-csv"))
                (labels / name).parent.mkdir(parents=True)
                shutil.copy(path, (labels / name).with_suffix(".csv"))
            browser.press("]")
            browser.wait(f"alignPage.view.recording.index === {min(n + 1, count - 1)}")
            browser.run("alignPage.settled()")
        path = browser.saved("corrected.zip", lambda: browser.click_on("#save-all"))
        assert browser.complaints() == []
    with zipfile.ZipFile(path) as archive:
        archive.extractall(labels)
    (labels / name).with_suffix(".TextGrid").unlink()  # its table says the same
    for audio in recordings.rglob("*.wav"):
        for folder in (labels, here / "aligned"):
            shutil.copy(audio, folder / audio.relative_to(recordings))
    return model, labels


def lateness(model: Path, other: Path, recordings: Sequence[tuple[str, Sequence[str]]]) -> float:
    """Median seconds by which one model places boundaries later than another."""
    differences = []
    for audio, phones in recordings:
        found = [align.load(m).align(audio, phones).onsets[1:] for m in (model, other)]
        differences.append(found[0] - found[1])
    return float(np.median(np.concatenate(differences)))


def test_a_model_learns_from_what_was_dragged(
    corrected: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, labels = corrected
    new = [
        (str(audio), audio.with_suffix(".phones").read_text().split())
        for audio in write_recordings(tmp_path / "new", {"cid": 2}, seed=21).rglob("*.wav")
    ]
    corpus = align.read_corpus(labels)
    assert corpus.problems == []
    assert len(corpus) == 5

    run("adapt", model, labels, "-o", tmp_path / "mine.align", "--no-compare", "--jobs", 1, "-q")
    assert lateness(tmp_path / "mine.align", model, new) > 0.3 * LATE

    small = functools.partial(
        align.features.NetworkConfidence, width=8, dilations=(1, 2), epochs=6
    )
    monkeypatch.setattr("align.speech.feature_sets.NetworkConfidence", small)
    for name, folder in (("own", labels), ("uncorrected", labels.parent / "aligned")):
        run("train", "speech", folder, "-o", tmp_path / f"{name}.align", "--jobs", 1, "--quiet")
    known = [(str(item.audio), [str(event) for event in item.events]) for item in corpus]
    assert lateness(tmp_path / "own.align", tmp_path / "uncorrected.align", known) > 0.5 * LATE
