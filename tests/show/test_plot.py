"""Pictures: what is in them, and that labels never cover each other."""

import itertools
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_speech import RATE, random_phones, recording

from align.errors import DataError, ParameterError
from align.results.alignment import Alignment
from align.show.plot import plot_alignment, save_plot
from align.show.spectrogram import spectrogram
from align.show.tier import place_labels

mpl.use("agg")


def spoken(n: int, seed: int = 0) -> tuple[Alignment, np.ndarray]:
    rng = np.random.default_rng(seed)
    phones = random_phones(rng, n) if n > 1 else ["aa"]
    samples, edges = recording(phones, rng)
    return Alignment(phones, edges[:-1] / RATE, duration=len(samples) / RATE), samples


def printed(ax: "mpl.axes.Axes") -> list[str]:
    return [text.get_text() for text in ax.texts]


def covered(ax: "mpl.axes.Axes") -> int:
    """How many pairs of labels overlap on the canvas."""
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    return sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("n", [1, 20, 100])
def test_labels_are_readable_at_any_number_of_events(n: int) -> None:
    import matplotlib.pyplot as plt

    alignment, samples = spoken(n)
    ax = plot_alignment(alignment, audio=samples, rate=RATE)
    assert printed(ax) == list(alignment.labels)  # none is left out
    assert covered(ax) == 0
    widths = ax.figure.get_size_inches()[0]
    assert 8 <= widths <= 40
    plt.close(ax.figure)


def test_a_reference_stands_beside_the_alignment() -> None:
    import matplotlib.pyplot as plt

    alignment, samples = spoken(12)
    later = np.concatenate(([0.0], alignment.onsets[1:] + 0.01))
    reference = Alignment(alignment.events, later, duration=alignment.duration)
    ax = plot_alignment(alignment, reference=reference, audio=samples, rate=RATE)
    waveform, spectrum, aligned, true = ax.figure.axes
    assert true is ax
    assert (aligned.get_ylabel(), true.get_ylabel()) == ("aligned", "true")
    assert printed(aligned) == printed(true) == list(alignment.labels)
    for axes in (waveform, spectrum):
        first, second = axes.collections[-2:]
        drawn = [np.unique([s[0, 0] for s in c.get_segments()]) for c in (first, second)]
        np.testing.assert_allclose(drawn[0], np.unique(alignment.intervals))
        np.testing.assert_allclose(drawn[1], np.unique(reference.intervals))
    plt.close(ax.figure)


def test_it_draws_into_axes_of_the_user() -> None:
    import matplotlib.pyplot as plt

    alignment, samples = spoken(15)
    figure, ax = plt.subplots(figsize=(9, 4))
    assert plot_alignment(alignment, ax, alignment, audio=samples, rate=RATE) is ax
    assert figure.axes == [ax]
    assert printed(ax) == 2 * list(alignment.labels)
    assert covered(ax) == 0
    assert max(ax.get_yticks()) <= 8.0  # kHz; the labels stand above
    plt.close(figure)


def test_without_a_recording_the_labels_are_drawn_alone() -> None:
    import matplotlib.pyplot as plt

    alignment, _ = spoken(5)
    ax = alignment.plot()
    assert ax.figure.axes == [ax]
    assert printed(ax) == list(alignment.labels)
    plt.close(ax.figure)


def test_silence_has_no_label_and_mathematics_is_not_typeset() -> None:
    import matplotlib.pyplot as plt

    alignment = Alignment(["", "$x", "a_b$", r"\frac"], [0.0, 0.4, 0.8, 1.2], duration=2.0)
    ax = plot_alignment(alignment)
    ax.figure.canvas.draw()
    assert printed(ax) == ["$x", "a_b$", r"\frac"]
    plt.close(ax.figure)


@given(
    widths=st.lists(st.floats(0, 60), min_size=1, max_size=40),
    lengths=st.lists(st.floats(0.1, 80), min_size=40, max_size=40),
)
def test_placed_labels_are_apart(widths: list[float], lengths: list[float]) -> None:
    edges = np.concatenate(([0.0], np.cumsum(lengths)))[: len(widths) + 1]
    intervals = np.stack((edges[:-1], edges[1:]), 1)
    rows = place_labels(np.array(widths), intervals)
    middles = intervals.mean(axis=1)
    for row in range(max(rows) + 1):
        own = [k for k in range(len(rows)) if rows[k] == row]
        for j, k in itertools.pairwise(own):
            assert middles[k] - middles[j] >= (widths[j] + widths[k]) / 2
    assert all((row == -1) or width > 0 for row, width in zip(rows, widths, strict=True))


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_pictures_are_written(tmp_path: Path, suffix: str) -> None:
    alignment, samples = spoken(4)
    target = tmp_path / f"picture.{suffix}"
    save_plot(alignment, target, audio=samples, rate=RATE)
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[suffix]
    assert target.read_bytes().startswith(begins)
    with pytest.raises(DataError, match="exists"):
        save_plot(alignment, target, audio=samples, rate=RATE)
    save_plot(alignment, target, audio=samples, rate=RATE, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_label_the_font_lacks_is_no_error(tmp_path: Path) -> None:
    save_plot(Alignment(["\u4e00", "t͡ʃ"], [0.0, 0.5], duration=1.0), tmp_path / "a.png")


def test_unknown_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"\.png, \.pdf or \.svg, not as '\.bmpx'"):
        save_plot(spoken(2)[0], tmp_path / "a.bmpx")


def test_matplotlib_is_asked_for_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ParameterError, match=r"need matplotlib.*margin-align\[plot\]"):
        plot_alignment(spoken(2)[0])


def test_saving_needs_no_display(tmp_path: Path) -> None:
    program = (
        "import sys; from align import Alignment; from align.show.plot import save_plot;"
        "save_plot(Alignment(['a'], [0.0], duration=1.0), sys.argv[1]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.png")], check=True)


# The spectrogram --------------------------------------------------------------------------------


@pytest.mark.parametrize("frequency", [500.0, 2000.0, 3500.0])
def test_a_tone_stands_at_its_frequency(frequency: float) -> None:
    tone = np.sin(2 * np.pi * frequency * np.arange(RATE) / RATE)
    level, top = spectrogram(tone, RATE)
    assert top == 8000.0
    peak = (level.mean(axis=1).argmax()) * top / len(level)
    assert abs(peak - frequency) <= top / len(level)


def test_a_click_stands_at_its_time_and_is_short() -> None:
    samples = np.zeros(RATE)
    samples[RATE // 4] = 1.0
    level, _ = spectrogram(samples, RATE, n_columns=2000)
    loud = np.flatnonzero(level.max(axis=0) > -20) / level.shape[1]
    assert abs(loud.mean() - 0.25) < 0.001
    assert np.ptp(loud) < 0.006


def test_the_number_of_columns_is_bounded_and_nothing_is_missed() -> None:
    rng = np.random.default_rng(0)
    level, top = spectrogram(rng.normal(size=60 * 44100), 44100, n_columns=500)
    assert level.shape[1] <= 500
    assert abs(top - 8000) < 100
    assert np.isfinite(level).all()
    assert level.max() <= 10.0


@pytest.mark.parametrize("n", [1, 7, 100])
def test_very_short_and_silent_recordings(n: int) -> None:
    level, _ = spectrogram(np.zeros(n), RATE)
    assert np.isfinite(level).all()


# Words and spans --------------------------------------------------------------------------------


def spoken_words(alignment: Alignment) -> Alignment:
    return Alignment(["", "one", "two"], alignment.onsets[[0, 2, 5]], alignment.duration)


def test_words_stand_above_the_phones() -> None:
    import matplotlib.pyplot as plt

    alignment, samples = spoken(12)
    words = spoken_words(alignment)
    ax = plot_alignment(alignment, audio=samples, rate=RATE, others={"words": words})
    _, spectrum, above, aligned = ax.figure.axes
    assert aligned is ax
    assert (above.get_ylabel(), aligned.get_ylabel()) == ("words", "aligned")
    assert printed(above) == ["one", "two"]
    assert printed(aligned) == list(alignment.labels)
    lines = spectrum.collections[-1]  # those of the phones go through, not twice
    assert len(lines.get_segments()) == len(alignment) + 1
    assert covered(above) == covered(aligned) == 0
    plt.close(ax.figure)
    own = plt.figure().add_subplot()
    plot_alignment(alignment, own, audio=samples, rate=RATE, others={"words": words})
    assert printed(own) == ["one", "two", *alignment.labels]
    plt.close(own.figure)


def test_names_of_tiers_have_room() -> None:
    import matplotlib.pyplot as plt

    alignment = Alignment(["sil", "k"], [0.0, 0.1], 0.2)
    name = "$Annabella - words$"  # no formula
    ax = plot_alignment(alignment, others={name: alignment})
    ax.figure.draw_without_rendering()
    left = ax.figure.axes[0].yaxis.label.get_window_extent().x0
    assert 0 < left < 0.1 * ax.figure.bbox.width
    plt.close(ax.figure)


def test_a_span_of_speech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sound, the lines and the labels of the span stand at their own times."""
    from matplotlib.figure import Figure

    alignment, samples = spoken(60)
    begin, end = float(alignment.onsets[20]) + 0.01, float(alignment.onsets[30]) - 0.01
    figures: list[Figure] = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda f, *a, **k: figures.append(f) or save(f, *a, **k)
    )
    given = {"audio": samples, "rate": RATE, "overwrite": True}
    save_plot(alignment, tmp_path / "part.png", span=(begin, end), **given)
    _, spectrum, aligned = figures[0].axes
    assert aligned.get_xlim() == (begin, end)
    assert printed(aligned) == list(alignment.labels[20:30])
    assert spectrum.images[0].get_extent()[:2] == pytest.approx((begin, end), abs=1 / RATE)
    lines = [segment[0, 0] for segment in spectrum.collections[-1].get_segments()]
    np.testing.assert_allclose(lines, [begin, *alignment.onsets[21:30], end])
    save_plot(alignment, tmp_path / "part.png", span=(end, 1e9), **given)
    assert figures[1].axes[-1].get_xlim() == (end, len(samples) / RATE)
    for wrong in ((2.0, 2.0), (3.0, 1.0), (1e6, 1e7)):
        with pytest.raises(ParameterError, match=r"span=.*, must be two times from 0 to"):
            save_plot(alignment, tmp_path / "part.png", span=wrong, **given)
