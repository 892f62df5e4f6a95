"""Pictures of labels: waveform, spectrogram, boundaries and tiers of labels, as in Praat.

The upper 60 dB of the spectrogram stand in grey; boundaries are drawn through it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from align.errors import ParameterError
from align.results.timing import Timing
from align.show.figure import WIDTHS, Sound, inches, rows_in, time_axis
from align.show.spectrogram import spectrogram
from align.show.tier import (
    FONT,
    Tier,
    draw_tier,
    label_rows,
    points_per_pixel,
    text_widths,
)
from align.types import Float32

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_ALIGNED, _TRUE = "#0b62c4", "#d35400"  # distinct for the colour-blind, and by the dashes
_OTHER = "0.2"  # words above the phones
_MARGINS = {"left": 0.7, "right": 0.25, "bottom": 0.5, "top": 0.4}  # inches
_WIDEST_NAME = 3.0  # inches; of a longer name the end is seen
_NAME = 10.0  # points
_DENSE = 6.0  # boundaries so often closer than they should be say nothing any more
_COLUMNS_PER_INCH = 150


class LabelPicture(NamedTuple):
    """What is drawn: tiers from the top down, those whose boundaries go through, the sound."""

    tiers: list[Tier]
    n_above: int
    span: tuple[float, float]
    sound: Sound | None
    title: str

    @classmethod
    def of(
        cls,
        alignment: Timing,
        reference: Timing | None,
        others: Mapping[str, Timing] | None,
        sound: Sound | None,
        wanted: tuple[float, float] | None,
    ) -> "LabelPicture":
        """Cut everything to the span that is wanted."""
        above = dict(others or {})
        if sound is not None:
            duration = max(len(sound[0]) / sound[1], 1e-3)
        else:
            every = [alignment, *([] if reference is None else [reference]), *above.values()]
            duration = max(item.duration for item in every)
        span = (0.0, duration)
        if wanted is not None:
            span = (max(0.0, wanted[0]), min(duration, wanted[1]))
            if not span[0] < span[1]:
                raise ParameterError(
                    f"span={tuple(wanted)}, must be two times from 0 to {duration:.3f} s, the "
                    "second after the first."
                )
        tiers = [Tier.within(name, item, span, _OTHER) for name, item in above.items()]
        tiers.append(Tier.within("aligned", alignment, span, _ALIGNED))
        if reference is not None:
            tiers.append(Tier.within("true", reference, span, _TRUE, "--"))
        title = Path(alignment.audio).name if alignment.audio else ""
        return cls(tiers, len(above), span, sound, title)

    @property
    def through(self) -> list[Tier]:
        """Tiers whose boundaries are drawn through waveform and spectrogram."""
        return self.tiers[self.n_above :]

    def samples_shown(self) -> tuple[Float32, int, float]:
        """Return the samples of the span, their rate, and when the first is."""
        assert self.sound is not None
        samples, rate = self.sound
        first, last = (round(t * rate) for t in self.span)
        return samples[first : max(last, first + 1)], rate, first / rate

    def shown(self) -> tuple[float, float]:
        """From when to when, in seconds."""
        return self.span

    def wanted(self) -> float:
        """Width in inches, without margins, at which phones and labels have room."""
        lengths = np.diff(self.tiers[self.n_above].intervals, axis=1)
        short = float(np.quantile(lengths, 0.25)) if lengths.size else 1.0
        per_second = float(np.clip(0.15 / max(short, 1e-3), 0.5, 4.0))
        begin, end = self.span
        return per_second * (end - begin)

    def size(self) -> tuple[float, float]:
        """Width and height of a new figure in inches."""
        left = self._margins()["left"]
        width = float(np.clip(self.wanted() + left + _MARGINS["right"], *WIDTHS))
        height = sum(self._heights()) + (0.0 if self.sound is None else 3.6)
        return width, height + _MARGINS["bottom"] + _MARGINS["top"]

    def _heights(self) -> list[float]:
        """Height of each tier in inches: words take a row or two, phones up to three."""
        return [0.5 if i < self.n_above else 0.75 for i in range(len(self.tiers))]

    def _margins(self) -> dict[str, float]:
        """Margins in inches; the names of the tiers have room at the left."""
        widths = text_widths([tier.name for tier in self.tiers], _NAME)
        left = max(widths.values()) / 72 + 0.15
        return {**_MARGINS, "left": float(np.clip(left, _MARGINS["left"], _WIDEST_NAME))}

    def draw(self, figure: "Figure | SubFigure") -> "Axes":
        """Draw waveform, spectrogram and tiers into an empty figure; return the lowest axes."""
        width, tiers = inches(figure)[0], self.tiers
        heights = self._heights() if self.sound is None else [1.1, 2.5, *self._heights()]
        grid = rows_in(figure, heights, self._margins(), 0.04)
        axes = [figure.add_subplot(grid[0])]
        axes += [figure.add_subplot(grid[i], sharex=axes[0]) for i in range(1, len(heights))]
        axes[0].set_xlim(*self.span)
        if self.sound is not None:
            columns = int(width * _COLUMNS_PER_INCH)
            _draw_waveform(axes[0], *self.samples_shown(), columns=columns)
            _draw_spectrogram(axes[1], *self.samples_shown(), columns=columns)
            for ax in axes[:2]:
                self._draw_boundaries(ax)
        for ax, tier in zip(axes[-len(tiers) :], tiers, strict=True):
            ax.set_ylim(0.0, 1.0)
            ax.set_yticks([])
            ax.set_ylabel(
                tier.name, color=tier.colour, size=_NAME, rotation=0, ha="right", va="center",
                parse_math=False,
            )  # fmt: skip
            draw_tier(ax, tier, (0.0, 1.0))
        for ax in axes[:-1]:
            ax.tick_params(labelbottom=False, bottom=False)
        time_axis(axes[-1], width)
        axes[0].set_title(self.title, loc="left", fontsize=10, parse_math=False)
        return axes[-1]

    def draw_in(self, ax: "Axes") -> "Axes":
        """Draw the spectrogram with the tiers above it, in axes of the user's."""
        tiers, sound = self.tiers, self.sound
        ax.set_xlim(*self.span)
        heights = [1.4 * FONT * (1 + max(label_rows(ax, tier), default=0)) for tier in tiers]
        box = ax.get_window_extent()
        top, unit = 0.0, 1.0  # of the y axis, a point high
        if sound is not None:
            columns = max(200, int(1.5 * box.width))
            top = _draw_spectrogram(ax, *self.samples_shown(), columns=columns) / 1000
            room = points_per_pixel(ax) * box.height - sum(heights)
            unit = top / max(room, sum(heights))
            self._draw_boundaries(ax, top)
        ax.set_yticks([f for f in ax.get_yticks() if 0 <= f <= top] if sound is not None else [])
        ax.set_ylim(0.0, top + unit * sum(heights))
        above = top + unit * sum(heights)
        for height, tier in zip(heights, tiers, strict=True):
            draw_tier(ax, tier, (above - unit * height, above))
            above -= unit * height
        ax.set_xlabel("time (s)")
        return ax

    def _draw_boundaries(self, ax: "Axes", top: float | None = None) -> None:
        """Draw lines through the sound, where they are not so dense that they say nothing."""
        width = points_per_pixel(ax) * ax.get_window_extent().width / 72
        if self.wanted() > _DENSE * width:
            return
        bottom, upper = ax.get_ylim()
        for tier in self.through:
            ax.vlines(
                np.unique(tier.intervals),
                bottom,
                upper if top is None else top,
                colors=tier.colour,
                linestyles=tier.style,
                linewidth=0.9,
                alpha=0.85,
            )


def _draw_waveform(ax: "Axes", samples: Float32, rate: int, start: float, *, columns: int) -> None:
    """Draw the samples, or where they are many their extremes in each stretch."""
    n = samples.size
    step = max(1, n // (2 * columns))
    if step == 1:
        ax.plot(start + np.arange(n) / rate, samples, color="0.25", linewidth=0.5)
    else:
        starts = np.arange(0, n, step)
        low = np.minimum.reduceat(samples, starts)
        high = np.maximum.reduceat(samples, starts)
        ax.fill_between(start + starts / rate, low, high, color="0.25", linewidth=0.3)
    peak = 1.05 * max(float(np.abs(samples).max()), 1e-6)
    ax.set_ylim(-peak, peak)
    ax.set_yticks([])


def _draw_spectrogram(
    ax: "Axes", samples: Float32, rate: int, start: float, *, columns: int
) -> float:
    """Draw the spectrogram in kHz, and return its upper edge in Hz."""
    level, top = spectrogram(samples, rate, n_columns=columns)
    ax.imshow(
        level,
        origin="lower",
        aspect="auto",
        cmap="gray_r",
        vmin=-60.0,
        vmax=0.0,
        extent=(start, start + samples.size / rate, 0.0, top / 1000),
        interpolation="bilinear",
    )
    ax.set_ylabel("kHz")
    ax.set_ylim(0.0, top / 1000)
    return top
