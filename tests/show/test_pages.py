"""Pictures of long recordings: nothing squeezed, nothing left out of a PDF."""

from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from music_examples import random_alignment

from align.results.alignment import Alignment
from align.show.figure import WIDTHS
from align.show.pages import pages_of
from align.show.plot import plot_alignment, save_plot
from align.show.tier import Tier, draw_tier

mpl.use("agg")


class Drawn(NamedTuple):
    """A picture that wants some inches for each second."""

    per_second: float
    span: tuple[float, float]
    height: float = 5.0

    def shown(self):
        return self.span

    def wanted(self):
        return self.per_second * (self.span[1] - self.span[0])

    def size(self):
        return float(np.clip(self.wanted(), *WIDTHS)), self.height


def long(n: int, confidence: np.ndarray | None = None) -> Alignment:
    """Phones of 0.1 s, as dense as in speech, with a silence after every tenth."""
    labels = ["sil" if k % 10 == 9 else "aa" for k in range(n)]
    return Alignment(labels, np.arange(n) / 10, n / 10, confidence=confidence)


def pages(per_second: float, *, several: bool = False, confidence=None, span=None):
    return pages_of(
        lambda part: Drawn(per_second, part or (0.0, 100.0)),
        long(1000, confidence), span, several=several,
    )  # fmt: skip


def test_what_has_room_is_one_picture() -> None:
    for several in (False, True):
        (page,) = pages(0.8, several=several)
        (picture,) = page.pictures
        assert (picture.shown(), page.width, page.marks) == ((0.0, 100.0), 40.0, ())


@given(per_second=st.floats(0.81, 30), first=st.floats(0, 40), length=st.floats(10, 60))
def test_pages_show_everything_once_and_large_enough(per_second, first, length) -> None:
    found = pages(per_second, several=True, span=(first, first + length))
    rows = [picture.shown() for page in found for picture in page.pictures]
    assert rows[0][0] == first
    assert rows[-1][1] == pytest.approx(first + length)
    assert [b for _, b in rows[:-1]] == [a for a, _ in rows[1:]]
    if len(rows) > 1:
        assert all(picture.wanted() <= 16.001 for page in found for picture in page.pictures)


def test_a_few_rows_are_one_page() -> None:
    (page,) = pages(1.5)
    assert len(page.pictures) == 10
    assert page.marks == ()


def test_the_least_sure_rows_stand_below_an_overview() -> None:
    confidence = np.ones(1000)
    confidence[[150, 151, 620, 930]] = 0.1, 0.1, 0.2, 0.3
    (page,) = pages(3.2, confidence=confidence)  # 20 rows of 5 s
    assert [picture.shown() for picture in page.pictures[1:]] == list(page.marks)
    assert page.pictures[0].shown() == (0.0, 100.0)
    assert page.marks == [(15.0, 20.0), (60.0, 65.0), (90.0, 95.0)]
    (page,) = pages(3.2)
    assert page.marks == [(0.0, 5.0), (5.0, 10.0), (10.0, 15.0)]
    (page,) = pages(6.4, confidence=confidence, span=(50.0, 100.0))  # what is before is not shown
    assert page.marks == [(50.0, 52.5), (60.0, 62.5), (92.5, 95.0)]


def test_files(tmp_path: Path) -> None:
    short = np.concatenate((0.0375 * np.arange(20), 1 + np.arange(20)))  # want 4 inches a second
    said: list[tuple[str, int, int]] = []
    save_plot(
        Alignment(["a"] * 40, short, 21.0), tmp_path / "a.pdf",
        dpi=20, progress=lambda *how: said.append(how),
    )  # fmt: skip
    assert said == [("drawing", k, 3) for k in (1, 2, 3)]
    assert (tmp_path / "a.pdf").read_bytes().count(b"/Type /Page ") == 3  # 6 rows
    samples = np.random.default_rng(0).normal(size=8000 * 60)
    alignment = Alignment(["a"] * 40, np.append(short[:20], 2.9 * short[20:]), 60.0)
    save_plot(alignment, tmp_path / "a.png", dpi=20, audio=samples, rate=8000)
    width, height = mpl.image.imread(tmp_path / "a.png").shape[1::-1]
    assert width == 16 * 20
    assert height < 50 * 20
    notes = random_alignment(1, 250)
    object.__setattr__(notes, "audio", None)
    save_plot(notes, tmp_path / "b.pdf", dpi=20)
    assert (tmp_path / "b.pdf").read_bytes().startswith(b"%PDF")


def test_where_labels_have_no_room_speech_is_told_from_silence() -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 1))
    ax.set_xlim(0.0, 100.0)
    draw_tier(ax, Tier.within("phones", long(1000), (0.0, 100.0), "0.2"), (0.0, 1.0))
    assert len(ax.texts) == 0
    (blocks,) = ax.collections
    starts = [path.get_extents().x0 for path in blocks.get_paths()]
    np.testing.assert_allclose(starts, np.arange(100.0), atol=1e-9)
    plt.close(figure)


def test_dense_boundaries_are_not_drawn_through_the_sound() -> None:
    import matplotlib.pyplot as plt

    samples = np.random.default_rng(0).normal(size=8000 * 200)
    for n, lines in ((200, 1), (20000, 0)):
        alignment = Alignment(["aa"] * n, np.linspace(0, 199, n), 200.0)
        ax = plot_alignment(alignment, audio=samples, rate=8000)
        spectrum = ax.figure.axes[1]
        found = [c for c in spectrum.collections if isinstance(c, mpl.collections.LineCollection)]
        assert len(found) == lines
        plt.close(ax.figure)


def test_a_label_that_the_edge_would_cut_is_left_out() -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(4, 1))
    ax.set_xlim(1.0, 2.0)
    words = Alignment(["brown", "fox", "jumps"], [0.0, 1.02, 1.98], 3.0)
    draw_tier(ax, Tier.within("words", words, (1.0, 2.0), "0.2"), (0.0, 1.0))
    assert len(ax.texts) == 1
    assert ax.texts[0].get_text() == "fox"
    plt.close(figure)
