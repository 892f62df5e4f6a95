"""Pictures of an alignment over its recording.

What is drawn depends on the kind of result: labels in tiers, see `align.show.plot_labels`, or
notes as a piano roll, see `align.show.plot_music`.

matplotlib is needed, and no more than it: ``pip install "margin-align[plot]"``.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from align.errors import ParameterError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.progress import Progress
from align.results.timing import Timing
from align.show.figure import (
    Picture,
    Sound,
    boxes_for_missing_glyphs,
    drawn,
    require_matplotlib,
    sound_of,
)
from align.show.pages import Span, pages_of
from align.show.plot_labels import LabelPicture
from align.show.plot_music import NotePicture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_alignment", "save_plot"]

_PICTURES: dict[str, Callable[..., Picture]] = {"speech": LabelPicture.of, "music": NotePicture.of}
"""What is drawn of each kind of result."""


def _picture(
    alignment: Timing,
    reference: Timing | None,
    others: Mapping[str, Timing] | None,
    sound: Sound | None,
    span: Span | None,
) -> Picture:
    if reference is not None and reference.kind != alignment.kind:
        raise ParameterError(
            f"reference holds {reference.holds}, must hold {alignment.holds} as the alignment "
            "does."
        )
    return _PICTURES[alignment.kind](alignment, reference, others, sound, span)


def plot_alignment(
    alignment: Timing,
    ax: "Axes | None" = None,
    reference: Timing | None = None,
    *,
    audio: StrPath | npt.NDArray[Any] | None = None,
    rate: int | None = None,
    others: Mapping[str, Timing] | None = None,
) -> "Axes":
    """Draw an alignment over its recording.

    Parameters
    ----------
    alignment : Timing
        What to draw: an Alignment or a MusicAlignment.
    ax : matplotlib.axes.Axes, optional
        Draw the spectrogram and the labels here. By default a new figure shows the waveform,
        the spectrogram and the labels, as wide as the number of events asks for, up to 40 inches;
        of a long recording that is an overview, and `save_plot` draws its parts.
    reference : Timing, optional
        The truth, drawn dashed beside it.
    audio : path or np.ndarray [shape=(n,)], optional
        The recording; by default the file `alignment` was made from. Where there is none, only
        the labels are drawn.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where it is an array.
    others : mapping of str to Timing, optional
        Of speech: tiers to draw above, such as the words, by name.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the time axis; ``.figure`` is the figure.

    Raises
    ------
    ParameterError
        Where matplotlib is not installed.
    DataError
        Where the recording cannot be read.
    """
    require_matplotlib()
    sound = sound_of(alignment, audio, rate)
    return drawn(_picture(alignment, reference, others, sound, None), ax)


def save_plot(
    alignment: Timing,
    path: StrPath,
    reference: Timing | None = None,
    *,
    audio: StrPath | npt.NDArray[Any] | None = None,
    rate: int | None = None,
    dpi: int = 100,
    span: tuple[float, float] | None = None,
    others: Mapping[str, Timing] | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
) -> None:
    """Write the picture of an alignment to a file, without a display.

    Long recordings are drawn in rows: a ``.pdf`` has all of them on pages, other formats have an
    overview and the rows where the alignment is least sure; see `align.show.pages`.

    Parameters
    ----------
    alignment, reference, audio, rate, others
        See `plot_alignment`.
    path : path
        The suffix decides the format: ``.png``, ``.pdf``, ``.svg`` and others of matplotlib.
    dpi : int
        Pixels per inch.
    span : (float, float), optional
        From when to when, in seconds.
    progress : callable, optional
        Called as ``progress("drawing", pages, of)`` where there are several pages.
    overwrite : bool
        Replace a file that exists.

    Raises
    ------
    ParameterError
        Where matplotlib is not installed or does not know the suffix, or where `span` does not lie
        in the recording.
    DataError
        Where the recording cannot be read, or the file exists or cannot be written.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    target = Path(path)
    known = FigureCanvasAgg(Figure()).get_supported_filetypes()
    kind = target.suffix.lower().removeprefix(".")
    if kind not in known:
        raise ParameterError(
            f"{target}: pictures are written as .png, .pdf or .svg, not as {target.suffix!r}."
        )
    sound = sound_of(alignment, audio, rate)

    def make(part: Span | None) -> Picture:
        return _picture(alignment, reference, others, sound, part)

    written = io.BytesIO()
    pages = pages_of(make, alignment, span, several=kind == "pdf")
    with boxes_for_missing_glyphs(), _document(written, kind, len(pages)) as document:
        for number, page in enumerate(pages, start=1):
            figure = Figure()
            page.draw(figure)
            figure.savefig(document, dpi=dpi, format=kind)
            if progress is not None and len(pages) > 1:
                progress("drawing", number, len(pages))
    atomic_write(target, written.getvalue(), overwrite=overwrite)


@contextmanager
def _document(stream: io.BytesIO, kind: str, n_pages: int) -> Iterator[Any]:
    """Return what a figure is saved to: the stream, or pages in it."""
    if n_pages == 1:
        yield stream
        return
    from matplotlib.backends.backend_pdf import PdfPages

    with PdfPages(stream) as document:
        yield document
