"""A tier of labels in a picture: intervals with their labels, none printed over another.

Where intervals are narrower than their labels, the labels step down over several rows, and those
that still find no room are left out. Where many find none, only speech and silence are
distinguished.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from align.results.timing import Timing
from align.show.figure import boxes_for_missing_glyphs
from align.types import SILENCES, Float64

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Style: TypeAlias = Literal["-", "--"]

FONT = 9.0  # points
_ROWS = 3  # of labels in a tier
_LEFT_OUT = 0.25  # share of labels; if more find no room, none is printed
_CUT = 1.0  # points of a label that may be cut off at the edge
_GAP = 3.0  # points between labels of a row


class Tier(NamedTuple):
    """Labels, the intervals [shape=(K, 2)] they are drawn in, in seconds, and how.

    Attributes
    ----------
    name : str
        Stands at its left.
    labels : tuple of str, length K
        Printed in the middle of the intervals.
    intervals : np.ndarray [shape=(K, 2)]
        In seconds.
    colour : str
        Of labels and boundaries.
    style : {"-", "--"}
        Of boundaries.
    """

    name: str
    labels: tuple[str, ...]
    intervals: Float64
    colour: str
    style: Style = "-"

    @classmethod
    def within(
        cls,
        name: str,
        timing: Timing,
        span: tuple[float, float],
        colour: str,
        style: Style = "-",
    ) -> "Tier":
        """Take what can be seen from one time to another."""
        intervals = np.asarray(timing.intervals, dtype=np.float64).reshape(-1, 2)
        begin, end = span
        seen = (intervals[:, 1] > begin) & (intervals[:, 0] < end)
        seen |= (intervals[:, 0] == intervals[:, 1]) & (intervals[:, 0] == end)
        labels = zip(timing.labels, seen, strict=True)
        return cls(
            name,
            tuple(label for label, is_seen in labels if is_seen),
            np.clip(intervals[seen], begin, end),
            colour,
            style,
        )


def draw_tier(ax: "Axes", tier: Tier, band: tuple[float, float]) -> None:
    """Draw intervals with their labels in a band of the y axis."""
    bottom, top = band
    rows = label_rows(ax, tier)
    first, last = ax.get_xlim()
    named = [
        row
        for row, label, (start, end) in zip(rows, tier.labels, tier.intervals, strict=True)
        if label.strip() and first < start and end < last
    ]
    if named and np.mean(np.array(named) < 0) > _LEFT_OUT:
        _draw_blocks(ax, tier, band)
        return
    edges = np.unique(tier.intervals)
    ax.vlines(edges, bottom, top, colors=tier.colour, linestyles=tier.style, linewidth=0.9)
    ax.hlines(bottom, *ax.get_xlim(), colors="0.6", linewidth=0.6)
    n_rows = 1 + max(rows, default=0)
    middles = tier.intervals.mean(axis=1)
    for label, middle, row in zip(tier.labels, middles, rows, strict=True):
        if row >= 0:
            ax.text(
                middle,
                top - (top - bottom) * (row + 0.5) / max(n_rows, 1),
                label,
                ha="center",
                va="center_baseline",
                fontsize=FONT,
                color=tier.colour,
                clip_on=True,
                parse_math=False,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
            )


def _draw_blocks(ax: "Axes", tier: Tier, band: tuple[float, float]) -> None:
    """Draw a block for each stretch without silence."""
    bottom, top = band
    speech = np.array([bool(label.strip()) and label not in SILENCES for label in tier.labels])
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech, [0]))))
    spans = [
        (tier.intervals[a, 0], tier.intervals[b - 1, 1] - tier.intervals[a, 0])
        for a, b in edges.reshape(-1, 2)
    ]
    inner = 0.2 * (top - bottom)
    ax.broken_barh(
        spans, (bottom + inner, top - bottom - 2 * inner), color=tier.colour, lw=0, alpha=0.6
    )


def text_widths(texts: Iterable[str], size: float) -> dict[str, float]:
    """Width of each text in points, in letters of this size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    with boxes_for_missing_glyphs():
        return {
            text: text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
            for text in texts
        }


def label_rows(ax: "Axes", tier: Tier) -> list[int]:
    """Row of each label in a tier that spans `ax`; -1 for those left out."""
    widths = text_widths({label for label in tier.labels if label.strip()}, FONT)
    first, last = ax.get_xlim()
    points = points_per_pixel(ax) * ax.get_window_extent().width / (last - first)
    wide = np.array([widths.get(label, 0.0) for label in tier.labels])
    middles = tier.intervals.mean(axis=1)
    beside = np.minimum(middles - first, last - middles) * points
    wide[beside < wide / 2 - _CUT] = 0.0  # half a label would be misread
    return place_labels(wide, tier.intervals * points)


def points_per_pixel(ax: "Axes") -> float:
    """Points per pixel."""
    figure = ax.get_figure()
    return 72.0 / (72.0 if figure is None else figure.dpi)


def place_labels(widths: Float64, intervals: Float64) -> list[int]:
    """Return the highest row in which each label covers no other: 0 the highest, -1 for none.

    `widths` [shape=(K,)] are those of the labels in points, 0 where there is nothing to print;
    they are centred in `intervals` [shape=(K, 2)], in points.
    """
    taken = [-np.inf] * _ROWS
    rows = []
    for width, middle in zip(widths, intervals.mean(axis=1), strict=True):
        left = middle - width / 2
        row = next((r for r in range(_ROWS) if taken[r] <= left), -1) if width > 0 else -1
        if row >= 0:
            taken[row] = middle + width / 2 + _GAP
        rows.append(row)
    return rows
