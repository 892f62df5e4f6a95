"""Pictures of music: what is in them, at one note and at hundreds."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from music_examples import RATE, random_alignment, sound

from align.errors import ParameterError
from align.formats.scores.beats import beats_of_bars
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.show.figure import drawn
from align.show.plot import plot_alignment, save_plot
from align.show.plot_music import NotePicture
from align.types import Note

mpl.use("agg")


def bars(ax: "mpl.axes.Axes", colour: str) -> np.ndarray:
    """Times of the bars of a colour."""
    wanted = mpl.colors.to_rgba(colour)
    found = [
        [segment[0, 0] for segment in item.get_segments()]
        for item in ax.collections
        if isinstance(item, mpl.collections.LineCollection)
        and len(item.get_colors())
        and tuple(item.get_colors()[0]) == wanted
    ]
    return np.sort(np.concatenate(found)) if found else np.empty(0)


@pytest.mark.parametrize("n_chords", [1, 12, 300])
@pytest.mark.parametrize("heard", [True, False])
def test_every_note_is_drawn(n_chords: int, heard: bool) -> None:
    import matplotlib.pyplot as plt

    notes = random_alignment(1, n_chords)
    played = list(zip(notes.onsets.tolist(), notes.pitches.tolist(), strict=True))
    samples = sound(played, notes.duration) if heard else None
    quiet = notes.corrected(notes.onsets)
    object.__setattr__(quiet, "audio", None)
    roll = plot_alignment(quiet, audio=samples, rate=RATE if heard else None)
    assert len(roll.images) == heard
    np.testing.assert_allclose(bars(roll, "#1473e6"), np.sort(notes.onsets))
    boxes = roll.collections[0].get_paths()
    assert len(boxes) == len(notes)
    low, high = roll.get_ylim()
    assert low < notes.pitches.min()
    assert high > notes.pitches.max()
    assert roll.get_xlim() == (0.0, quiet.duration)
    assert len(roll.get_yticklabels()) >= 1
    width, height = roll.figure.get_size_inches()
    assert 8 <= width <= 40
    assert 4 <= height <= 9
    plt.close(roll.figure)


def test_doubt_and_truth_have_their_own_colours() -> None:
    import matplotlib.pyplot as plt

    notes = random_alignment(2)
    object.__setattr__(notes, "audio", None)
    truth = notes.corrected(notes.onsets + 0.05)
    roll = plot_alignment(notes, reference=truth)
    sure = notes.confidence >= 0.5
    assert 0 < sure.sum() < sure.size
    np.testing.assert_allclose(bars(roll, "#1473e6"), np.sort(notes.onsets[sure]))
    np.testing.assert_allclose(bars(roll, "#c0143c"), np.sort(notes.onsets[~sure]))
    np.testing.assert_allclose(bars(roll, "#f08a24"), np.sort(truth.onsets))
    named = [text.get_text() for text in roll.get_legend().get_texts()]
    assert named == ["score, by the time map", "note begins", "not sure", "true"]
    curve = roll.figure.axes[1]
    assert curve.get_yscale() == "log"
    assert len(curve.lines) == 4  # two curves, and dots on each
    plt.close(roll.figure)


def test_a_span_shows_only_what_is_in_it() -> None:
    import matplotlib.pyplot as plt

    notes = random_alignment(3, 60)
    object.__setattr__(notes, "audio", None)
    first, last = notes.chord_onsets[10] - 0.1, notes.chord_onsets[20] + 0.1
    roll = drawn(NotePicture(notes, None, None, (first, last)), None)
    assert roll.get_xlim() == (first, last)
    n_drawn = len(roll.collections[0].get_paths())
    assert 11 <= n_drawn < len(notes)
    whole, part = (NotePicture(notes, None, None, span) for span in (None, (first, last)))
    assert part.size()[0] <= whole.size()[0]
    for span in ((2.0, 1.0), (-1.0, 1.0), (0.0, np.inf)):
        with pytest.raises(ParameterError, match="two times in seconds"):
            NotePicture(notes, None, None, span).shown()
    plt.close(roll.figure)


def test_the_tempo_is_in_beats_a_minute_where_the_score_has_beats() -> None:
    import matplotlib.pyplot as plt

    notes = [Note(60 + k, 0.5 * k) for k in range(9)]
    at_double = [0.25 * k for k in range(9)]
    for beats, tempo, unit in (
        (None, 2.0, "score s / s"),
        (beats_of_bars([(0.0, 2.0, 4, 1), (2.0, 4.5, 5, 2)]), 240.0, "beats / min"),
    ):
        roll = plot_alignment(MusicAlignment(notes, at_double, beats=beats))
        curve = roll.figure.axes[1]
        (curved, _) = [line for line in curve.lines if len(line.get_xdata()) == 9]  # and its dots
        np.testing.assert_allclose(curved.get_ydata(), tempo)
        assert unit in curve.get_ylabel()
        plt.close(roll.figure)


def test_it_draws_into_axes_of_the_user() -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    notes = random_alignment(4)
    object.__setattr__(notes, "audio", None)
    assert notes.plot(ax) is ax
    assert figure.axes == [ax]
    assert ax.get_xlabel() == "time (s)"
    plt.close(figure)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_written(tmp_path: Path, suffix: str) -> None:
    notes = random_alignment(5)
    played = list(zip(notes.onsets.tolist(), notes.pitches.tolist(), strict=True))
    target = tmp_path / f"a.{suffix}"
    samples = sound(played, notes.duration)
    save_plot(notes, target, notes, audio=samples, rate=RATE, span=(0.5, 3.0))
    assert target.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml"}[suffix])
    empty = MusicAlignment([], [], duration=1.0)
    save_plot(empty, tmp_path / f"empty.{suffix}")
    one = MusicAlignment([Note(60, 0.0)], [0.5])
    save_plot(one, tmp_path / f"one.{suffix}")


def test_phones_and_notes_do_not_mix(tmp_path: Path) -> None:
    phones = Alignment(["a"], [0.0], duration=1.0)
    notes = MusicAlignment([Note(60, 0.0)], [0.5])
    with pytest.raises(ParameterError, match="reference holds phones"):
        save_plot(notes, tmp_path / "a.png", phones)
    with pytest.raises(ParameterError, match="reference holds notes, must hold phones"):
        save_plot(phones, tmp_path / "a.png", notes)
    with pytest.raises(ParameterError, match=r"span=\(1.0, 2.0\), must be two times from 0 to 1"):
        save_plot(phones, tmp_path / "a.png", span=(1.0, 2.0))


def test_matplotlib_is_asked_for_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ParameterError, match=r"need matplotlib.*margin-align\[plot\]"):
        random_alignment().plot()
