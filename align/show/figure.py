"""What every picture needs: matplotlib, and the sound it is drawn over."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy.typing as npt

from align.errors import ParameterError
from align.files.names import StrPath
from align.results.timing import Timing
from align.types import Float32

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.gridspec import GridSpec

WIDTHS = (8.0, 40.0)
"""The narrowest and the widest figure, in inches."""

Sound: TypeAlias = tuple[Float32, int]
"""Samples [shape=(n,)] and their rate in Hz."""


class Picture(Protocol):
    """What is drawn of one kind of result."""

    def shown(self) -> tuple[float, float]:
        """From when to when, in seconds."""

    def wanted(self) -> float:
        """Width in inches, without margins, at which all events are distinct."""

    def size(self) -> tuple[float, float]:
        """Width and height of a new figure in inches."""

    def draw(self, figure: "Figure | SubFigure") -> "Axes":
        """Draw everything into an empty figure; return the axes with the events."""

    def draw_in(self, ax: "Axes") -> "Axes":
        """Draw the events over the recording into axes of the user's; return them."""


def require_matplotlib() -> None:
    """Raise a ParameterError that says how to get matplotlib, where it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ParameterError(
            'pictures need matplotlib; install it with: pip install "margin-align[plot]".'
        ) from error


def drawn(picture: Picture, ax: "Axes | None") -> "Axes":
    """Draw a picture into axes, or into a new figure where there are none; return the axes."""
    if ax is not None:
        return picture.draw_in(ax)
    import matplotlib.pyplot as plt

    return picture.draw(plt.figure(figsize=picture.size()))


def inches(figure: "Figure | SubFigure") -> tuple[float, float]:
    """Width and height of a figure, or of a part of one."""
    box = figure.bbox
    return box.width / figure.dpi, box.height / figure.dpi


def rows_in(
    figure: "Figure | SubFigure",
    heights: Sequence[float],
    margins: Mapping[str, float],
    gap: float,
) -> "GridSpec":
    """Divide a figure into rows, with margins in inches, and gaps in shares of a row."""
    width, height = inches(figure)
    return figure.add_gridspec(
        *(len(heights), 1),
        height_ratios=heights,
        hspace=gap,
        left=margins["left"] / width,
        right=1 - margins["right"] / width,
        bottom=margins["bottom"] / height,
        top=1 - margins["top"] / height,
    )


def time_axis(ax: "Axes", width: float) -> None:
    """Mark seconds on the x axis of a figure of some width in inches."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlabel("time (s)")
    ax.xaxis.set_major_locator(MaxNLocator(max(6, int(width)), steps=[1, 2, 5, 10]))


def sound_of(
    alignment: Timing, audio: StrPath | npt.NDArray[Any] | None, rate: int | None
) -> Sound | None:
    """Read the recording of an alignment, or the one given; None where there is none."""
    audio = alignment.audio if audio is None else audio
    if audio is None:
        return None
    from align.features.sound.audio import read_audio

    return read_audio(audio, None, source_rate=rate, allow_silence=True)


@contextmanager
def boxes_for_missing_glyphs() -> Iterator[None]:
    """Say nothing of labels the font cannot show: the picture shows that it cannot."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        yield
