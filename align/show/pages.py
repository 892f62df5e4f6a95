"""Pictures of long recordings: rows below each other, pages of rows, or an overview with details.

A picture is as wide as its events ask for. Where it would be squeezed into less than half of that,
it is cut into rows, as a score is. Formats with pages (PDF) get all of them. A picture of one page
gets all rows where it is not too high with them, and else an overview of the whole with a few
rows: those where the alignment is least sure, or the first.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from align.results.timing import Timing
from align.show.figure import WIDTHS, Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Span: TypeAlias = tuple[float, float]
"""From when to when, in seconds."""

_SQUEEZED = 2.0  # a picture is drawn in one piece up to this share of the widest
_ROW = 16.0  # inches
_HIGHEST = 50.0  # inches of a picture of one page
_ROWS = 2  # on a page of several
_DETAILS = 3
_MARK = "#f2b134"


class Page(NamedTuple):
    """Pictures below each other; the stretches `marks` are shaded in the first."""

    pictures: Sequence[Picture]
    width: float
    marks: Sequence[Span] = ()
    remark: str = ""

    def draw(self, figure: "Figure") -> None:
        """Draw into an empty figure, which gets the size that is needed."""
        heights = [picture.size()[1] for picture in self.pictures]
        figure.set_size_inches(self.width, sum(heights))
        if len(heights) == 1:
            self.pictures[0].draw(figure)
            return
        parts: Any = figure.subfigures(len(heights), 1, height_ratios=heights)
        for part, picture in zip(parts, self.pictures, strict=True):
            picture.draw(part)
        for ax in parts[0].axes if self.marks else ():
            for begin, end in self.marks:
                ax.axvspan(begin, end, facecolor=_MARK, alpha=0.2, linewidth=0)
                for edge in (begin, end):
                    ax.axvline(edge, color=_MARK, linewidth=1.5)
        if self.remark:
            parts[0].axes[0].set_title(self.remark, fontsize=10)


def pages_of(
    make: Callable[[Span | None], Picture], alignment: Timing, span: Span | None, *, several: bool
) -> list[Page]:
    """Return the pages of a picture, of which there may be `several` or not.

    ``make(span)`` is the picture of a stretch, or of everything for None. The confidence of the
    alignment says which rows are shown where there is no room for all; `span` is what is wanted,
    in seconds.
    """
    whole = make(span)
    if whole.wanted() <= _SQUEEZED * WIDTHS[1]:
        return [Page([whole], whole.size()[0])]
    begin, end = whole.shown()
    n_rows = math.ceil(whole.wanted() / _ROW)
    edges = np.linspace(begin, end, n_rows + 1).tolist()
    rows = list(pairwise(edges))
    if several:
        parts = [rows[k : k + _ROWS] for k in range(0, n_rows, _ROWS)]
        return [Page([make(row) for row in part], _ROW) for part in parts]
    height = make(rows[0]).size()[1]
    if n_rows * height <= _HIGHEST:
        return [Page([make(row) for row in rows], _ROW)]
    shown, why = _details(rows, alignment)
    remark = f"overview; shaded: {why}, as below"
    return [Page([whole, *map(make, shown)], _ROW, shown, remark)]


def _details(rows: Sequence[Span], alignment: Timing) -> tuple[list[Span], str]:
    """Return the rows with the least sure onsets, in order of time, and what they are called."""
    if alignment.confidence is None or not len(alignment.confidence):
        return list(rows[:_DETAILS]), "the beginning"
    edges = [row[1] for row in rows[:-1]]
    where = np.searchsorted(edges, alignment.onsets, side="right")
    least = np.full(len(rows), np.inf)
    np.minimum.at(least, where, alignment.confidence)
    inside = (alignment.onsets >= rows[0][0]) & (alignment.onsets <= rows[-1][1])
    least[np.setdiff1d(np.arange(len(rows)), where[inside])] = np.inf
    chosen = np.sort(np.argsort(least, kind="stable")[:_DETAILS])
    return [rows[k] for k in chosen], "the least sure"
