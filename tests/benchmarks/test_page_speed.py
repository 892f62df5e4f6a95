"""A page of ten minutes of speech, and one of ten minutes of piano: how large, how quick.

``pytest tests/benchmarks/test_page_speed.py -s``
"""

import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile
from devtools import CTRL, Browser, find_browser

from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.show.page import Recording, write_page
from align.types import Note

EXECUTABLE = find_browser()

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(EXECUTABLE is None, reason="needs a browser: Chromium or Chrome"),
]

# Frames while something happens: how many, and the longest wait between two of them in ms.
WATCH = """
window.frames_ = []; window.watching_ = true;
(function tick(t) {
  frames_.push(t);
  if (watching_) requestAnimationFrame(tick);
})(performance.now());
"""
WAITS = """
(() => {
  watching_ = false;
  const d = frames_.slice(1).map((t, i) => t - frames_[i]).sort((a, b) => a - b);
  return [d.length, d[Math.floor(d.length / 2)], d[d.length - 1]]; })()
"""


def speech(least: float) -> Recording:
    """The bundled recordings again and again, for `least` seconds or more."""
    data = Path(str(files("align.data")))
    parts, labels, onsets, at = [], [], [], 0.0
    read = [
        (soundfile.read(data / f"{name}.flac"), Alignment.from_labels(data / f"{name}.TextGrid"))
        for name in ("kiwi", "north-wind")
    ]
    while at < least:
        for (samples, rate), alignment in read:
            parts.append(samples)
            labels += alignment.labels
            onsets += (alignment.onsets + at).tolist()
            at += len(samples) / rate
    sound = np.concatenate(parts)
    rng = np.random.default_rng(0)
    confidence = rng.uniform(size=len(labels))
    duration = len(sound) / rate
    alignment = Alignment(labels, onsets, duration, confidence=confidence)
    return Recording(alignment, "ten minutes", sound, rate)


def music(least: float) -> Recording:
    """The bundled minuet again and again, likewise."""
    data = Path(str(files("align.data"))) / "minuet"
    samples, rate = soundfile.read(data / "audio.flac")
    samples = samples if samples.ndim == 1 else samples.mean(axis=1)
    one = MusicAlignment.from_labels(data / "truth.csv")
    length = len(samples) / rate
    count = int(least / length) + 1
    written = max(note.onset for note in one.notes) + 1.0
    notes = [
        Note(note.pitch, note.onset + k * written) for k in range(count) for note in one.notes
    ]
    onsets = np.concatenate([one.onsets + k * length for k in range(count)])
    confidence = np.random.default_rng(0).uniform(size=len(notes))
    alignment = MusicAlignment(notes, onsets, count * length, confidence=confidence)
    return Recording(alignment, "ten minutes", np.tile(samples, count), rate)


@pytest.mark.parametrize("make", [speech, music])
def test_ten_minutes(make, tmp_path, tiny):
    recording = make(1.0 if tiny else 600.0)
    begin = time.perf_counter()
    summary = write_page(recording, tmp_path / "page.html")
    print(
        f"\n{make.__name__}: {summary.events} events, {summary.seconds:.0f} s; written in "
        f"{time.perf_counter() - begin:.1f} s; {summary.size / 1e6:.1f} MB"
    )
    assert summary.events == len(recording.alignment.onsets)
    if tiny:
        pytest.skip("a browser takes two seconds to open a page")
    with Browser(EXECUTABLE, tmp_path / "browser") as browser:
        begin = time.perf_counter()
        browser.open(tmp_path / "page.html")
        ready = time.perf_counter() - begin
        drawn = browser.run(
            "new Promise((r) => requestAnimationFrame(() => r(performance.now())))"
        )
        browser.run("alignPage.settled()")
        settled = browser.run("performance.now()")
        print(
            f"opened in {ready:.2f} s; labels drawn {drawn:.0f} ms, spectrogram {settled:.0f} ms"
        )
        for name, action in {
            "everything at once": lambda: browser.press("0"),
            "zoom in": lambda: [browser.wheel(600, 500, -120, CTRL) for _ in range(12)],
            "scroll": lambda: [browser.wheel(600, 500, 240) for _ in range(25)],
            "next label": lambda: [browser.press("ArrowRight") for _ in range(20)],
            "play for a second": lambda: (
                browser.press(" "),
                browser.wait("alignPage.player.position() > 1"),
                browser.press(" "),
            ),
        }.items():
            browser.run(WATCH)
            begin = time.perf_counter()
            action()
            browser.run("alignPage.settled()")
            taken = time.perf_counter() - begin
            frames, median, longest = browser.run(WAITS)
            print(
                f"  {name}: settled after {taken:.2f} s, {frames} frames, {median:.0f} ms apart, "
                f"at most {longest:.0f} ms"
            )
            assert median < 200
        browser.screenshot(tmp_path / "page.png")
        assert browser.complaints() == []
    assert ready < 15
