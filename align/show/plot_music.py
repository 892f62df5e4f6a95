"""Pictures of aligned music: a piano roll over the energies of the pitches, and the tempo curve.

In grey, the energy of the recording in semitone bands (60 dB of it). A note of the score is a
box, put where the time map (through the onsets of chords) has it; a bar at its left marks when the
note itself begins, blue, or red where the aligner is not sure of it. The truth is drawn as orange
bars, half a semitone above. Thin lines are where the bars of the score begin, with their numbers,
as many as there is room for. Below, how fast the score goes by, on a logarithmic scale: in beats a
minute where the score says its beats, else in its seconds per second.

matplotlib is needed: ``pip install "margin-align[plot]"``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from align.errors import ParameterError
from align.results.music import MusicAlignment
from align.results.timing import Timing
from align.show.figure import WIDTHS, Sound, inches, rows_in, time_axis
from align.types import Float32, Float64, pitch_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Span = tuple[float, float]

_ALIGNED, _TRUE, _UNSURE = "#1473e6", "#f08a24", "#c0143c"  # seen on white and on black
_SURE = 0.5  # confidence
_MARGINS = {"left": 0.75, "right": 0.25, "bottom": 0.5, "top": 0.55}  # inches
_PITCH_HEIGHT = (0.07, 0.16)  # inches for a semitone, at many and at few pitches
_ROLL_HEIGHTS = (2.2, 6.5)  # inches
_TEMPO_HEIGHT = 1.2  # inches
_COLUMNS_PER_INCH = 150
_BAR_WIDTH = 0.3  # inches that the number of a bar needs
_STEPS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])  # bars from number to number
_AROUND = 3  # semitones shown above and below the notes
_LOUDEST = 14.0  # of the levels
_BESIDE = 1.0  # seconds of sound that are looked at beyond both ends
_WINDOW = 1.0  # seconds over which the tempo is fitted


class NotePicture(NamedTuple):
    """What is drawn of notes: the truth beside them, the sound below, from when to when."""

    alignment: MusicAlignment
    reference: MusicAlignment | None
    sound: Sound | None
    span: Span | None

    @classmethod
    def of(
        cls,
        alignment: Any,
        reference: Any,
        others: Mapping[str, Timing] | None,
        sound: Sound | None,
        span: Span | None,
    ) -> "NotePicture":
        """Take what is drawn; there is no room for `others`, and none for notes without times."""
        return cls(alignment.held(), reference, sound, span)

    def shown(self) -> Span:
        """From when to when, in seconds."""
        return _shown(self.alignment, self.span)

    def wanted(self) -> float:
        """Width in inches, without margins, at which the notes are distinct."""
        first, last = self.shown()
        inside = (self.alignment.chord_onsets >= first) & (self.alignment.chord_onsets <= last)
        gaps = np.diff(self.alignment.chord_onsets[inside])
        short = float(np.quantile(gaps, 0.25)) if gaps.size else 0.5
        return (last - first) * float(np.clip(0.14 / max(short, 1e-3), 0.35, 3.0))

    def size(self) -> tuple[float, float]:
        """Width and height of a new figure in inches."""
        width = float(np.clip(self.wanted() + _MARGINS["left"] + _MARGINS["right"], *WIDTHS))
        low, high = _pitch_range(self.alignment)
        each = float(np.interp(high - low, (20, 80), _PITCH_HEIGHT[::-1]))
        height = float(np.clip((high - low) * each, *_ROLL_HEIGHTS))
        return width, height + _TEMPO_HEIGHT + _MARGINS["bottom"] + _MARGINS["top"]

    def draw(self, figure: "Figure | SubFigure") -> "Axes":
        """Draw the piano roll and the tempo curve into an empty figure; return the roll."""
        width, height = inches(figure)
        inner = height - _MARGINS["bottom"] - _MARGINS["top"]
        grid = rows_in(figure, [inner - _TEMPO_HEIGHT, _TEMPO_HEIGHT], _MARGINS, 0.08)
        roll = figure.add_subplot(grid[0])
        curve = figure.add_subplot(grid[1], sharex=roll)
        shown = self.shown()
        _draw_roll(roll, *self[:3], shown)
        _draw_bar_lines([roll, curve], self.alignment, shown)
        roll.tick_params(labelbottom=False, bottom=False)
        _draw_tempo(curve, *self[:2], shown)
        time_axis(curve, width)
        audio = Path(self.alignment.audio or "")
        title = f"{audio.parent.name}/{audio.name}" if audio.stem == "audio" else audio.name
        if self.alignment.match is not None:
            title += f"   match {self.alignment.match:.2f}"
        roll.set_title(title.strip(), loc="left", fontsize=10, parse_math=False)
        return roll

    def draw_in(self, ax: "Axes") -> "Axes":
        """Draw the piano roll into axes of the user's; return them."""
        _draw_roll(ax, *self[:3], self.shown())
        ax.set_xlabel("time (s)")
        return ax


def _shown(alignment: MusicAlignment, span: Span | None) -> Span:
    if span is None:
        return 0.0, max(alignment.duration, 1e-3)
    first, last = float(span[0]), float(span[1])
    if not 0 <= first < last < np.inf:
        raise ParameterError(
            f"span=({first:g}, {last:g}), must be two times in seconds, the second later."
        )
    return first, last


def _pitch_range(alignment: MusicAlignment) -> tuple[float, float]:
    pitches = alignment.pitches
    low, high = (int(pitches.min()), int(pitches.max())) if pitches.size else (60, 72)
    return low - _AROUND - 0.5, high + _AROUND + 0.5


def _draw_roll(
    ax: "Axes",
    alignment: MusicAlignment,
    reference: MusicAlignment | None,
    sound: Sound | None,
    shown: Span,
) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    low, high = _pitch_range(alignment)
    if sound is not None:
        _draw_energies(ax, *sound, shown)
    onsets = alignment.onsets
    begins = alignment.to_performed(alignment.score_onsets)
    ends = np.maximum(alignment.to_performed(alignment.score_onsets + alignment.durations), begins)
    ends = np.minimum(ends, max(alignment.duration, 1e-3))
    seen = (np.maximum(ends, onsets) >= shown[0]) & (np.minimum(begins, onsets) <= shown[1])
    pitches = alignment.pitches[seen].astype(np.float64)
    onsets, begins, ends = onsets[seen], begins[seen], ends[seen]
    corners = np.stack(
        [
            np.stack((begins, pitches - 0.4), 1),
            np.stack((ends, pitches - 0.4), 1),
            np.stack((ends, pitches + 0.4), 1),
            np.stack((begins, pitches + 0.4), 1),
        ],
        1,
    )
    ax.add_collection(
        PolyCollection(
            list(corners), facecolors=f"{_ALIGNED}1c", edgecolors=f"{_ALIGNED}b0", linewidths=0.6
        )
    )
    sure = np.ones(onsets.size, dtype=bool)
    if alignment.confidence is not None:
        sure = alignment.confidence[seen] >= _SURE
    for which, colour, label in ((sure, _ALIGNED, "aligned"), (~sure, _UNSURE, "not sure")):
        lower, upper = (-0.5, 0.5) if reference is None else (-0.9, 0.1)  # room for the truth
        bars = _bars(onsets[which], pitches[which], lower, upper)
        ax.add_collection(LineCollection(bars, colors=colour, linewidths=1.6, label=label))
    if reference is not None:
        inside = (reference.onsets >= shown[0]) & (reference.onsets <= shown[1])
        times, true = reference.onsets[inside], reference.pitches[inside].astype(np.float64)
        bars = _bars(times, true, -0.1, 0.9)
        ax.add_collection(LineCollection(bars, colors=_TRUE, linewidths=1.6, label="true"))
    ax.set_xlim(*shown)
    ax.set_ylim(low, high)
    _pitch_axis(ax, int(np.ceil(low)), int(high))
    _legend(ax, bool((~sure).any()), reference is not None)


def _bars(times: Float64, pitches: Float64, lower: float, upper: float) -> list[Float64]:
    """Vertical lines at times, from so many semitones below pitches to so many above."""
    return list(
        np.stack((np.stack((times, pitches + lower), 1), np.stack((times, pitches + upper), 1)), 1)
    )


def _draw_bar_lines(axes: "list[Axes]", alignment: MusicAlignment, shown: Span) -> None:
    """Draw where bars begin by the time map, with their numbers in the first axes."""
    from matplotlib.patheffects import withStroke

    beats = alignment.beats
    if beats is None:
        return
    first = np.append(True, np.diff(beats.bars) != 0) | (beats.numbers == 1)
    times = alignment.to_performed(beats.times[first][:-1])  # the last only ends the last bar
    numbers = beats.bars[first][:-1]
    seen = (times >= shown[0]) & (times <= min(shown[1], alignment.end))
    times, numbers = times[seen], numbers[seen]
    room = axes[0].get_window_extent().width / axes[0].figure.dpi / _BAR_WIDTH
    every = _STEPS[np.searchsorted(_STEPS[:-1], times.size / max(room, 1.0))]
    for k, (time, number) in enumerate(zip(times.tolist(), numbers.tolist(), strict=True)):
        if every > 1 and number % every and k > 0:
            continue
        for ax in axes:
            ax.axvline(time, color="0.45", linewidth=0.6, zorder=0.5)
        axes[0].annotate(
            str(number),
            (time, 0.0),
            xytext=(2, 2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=7,
            color="0.2",
            path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )


def _pitch_axis(ax: "Axes", low: int, high: int) -> None:
    """Name the Cs, or, where there are less than two, every fifth and third key."""
    named = [p for p in range(low, high + 1) if p % 12 == 0]
    if len(named) < 3:
        named = [p for p in range(low, high + 1) if p % 12 in (0, 4, 7)]
    ax.set_yticks(named, [pitch_name(p) for p in named], fontsize=8)


def _legend(ax: "Axes", unsure: bool, reference: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(
            facecolor=f"{_ALIGNED}1c", edgecolor=f"{_ALIGNED}90", label="score, by the time map"
        ),
        Line2D([], [], color=_ALIGNED, linewidth=1.6, label="note begins"),
    ]
    if unsure:
        handles.append(Line2D([], [], color=_UNSURE, linewidth=1.6, label="not sure"))
    if reference:
        handles.append(Line2D([], [], color=_TRUE, linewidth=1.6, label="true"))
    ax.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(handles),
        fontsize=8,
        frameon=False,
        borderaxespad=0.2,
    )


def _draw_energies(ax: "Axes", samples: Float32, rate: int, shown: Span) -> None:
    from align.features.sound.pitch import (
        LOWEST_BAND,
        N_BANDS,
        log_level,
        semitone_bands,
    )
    from align.features.sound.tuning import estimate_tuning

    first = max(0, round((shown[0] - _BESIDE) * rate))
    samples = samples[first : round((shown[1] + _BESIDE) * rate)]
    if not samples.size:
        return
    box = ax.get_window_extent()
    columns = max(200.0, box.width * _COLUMNS_PER_INCH / 100)
    hop = max(0.005, min(shown[1] - shown[0], samples.size / rate) / columns)
    begin = first / rate
    tuning = estimate_tuning(samples, rate)
    level = log_level(semitone_bands(samples, rate, hop, tuning=tuning))
    step = max(1, round(hop * rate)) / rate
    ax.imshow(
        level.T,
        origin="lower",
        aspect="auto",
        cmap="gray_r",
        vmin=0.15 * _LOUDEST,
        vmax=1.5 * _LOUDEST,  # so that what is drawn over it can be seen
        extent=(
            begin - step / 2,
            begin + (len(level) - 0.5) * step,
            LOWEST_BAND - 0.5,
            LOWEST_BAND + N_BANDS - 0.5,
        ),
        interpolation="nearest",
    )


def _draw_tempo(
    ax: "Axes",
    alignment: MusicAlignment,
    reference: MusicAlignment | None,
    shown: Span,
) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

    ax.set_yscale("log")
    lows, highs = [], []
    drawn = [(alignment, _ALIGNED, "-", 1.2)]
    if reference is not None:
        drawn.append((reference, _TRUE, "--", 0.9))
    for item, colour, style, width in drawn:
        times, score_times, tempo = item.tempo(_WINDOW)
        if alignment.beats is not None:  # of the score, so also those of the truth
            tempo = tempo * alignment.beats.per_minute(score_times)
        seen = np.isfinite(tempo) & (times >= shown[0]) & (times <= shown[1])
        ax.plot(times[seen], tempo[seen], style, color=colour, linewidth=width)
        if seen.sum() <= 40:
            ax.plot(times[seen], tempo[seen], ".", color=colour, markersize=3)
        lows.append(float(tempo[seen].min(initial=np.inf)))
        highs.append(float(tempo[seen].max(initial=0.0)))
    low, high = min(lows), max(highs)
    if not (np.isfinite(low) and high > 0):
        low = high = 1.0
    middle = (low * high) ** 0.5
    ax.set_ylim(min(0.9 * low, middle / 1.25), max(1.1 * high, middle * 1.25))
    ax.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.tick_params(axis="y", labelsize=8)
    unit = "score s / s" if alignment.beats is None else "beats / min"
    ax.set_ylabel(f"tempo\n({unit})", fontsize=8)
    ax.grid(True, axis="y", color="0.85", linewidth=0.6)
