"""Pictures of an alignment: waveform, spectrogram, boundaries and labels.

The spectrogram is the phonetician's: windows of 5 ms, so that glottal pulses and releases show as
vertical lines, pre-emphasis of 6 dB per octave, and the upper 60 dB in grey. Labels stand in
tiers, as in Praat; where intervals are narrower than their labels, the labels step down over
several rows, and those that still find no room are left out rather than printed over each other.

Notes are drawn as a piano roll; see `align.show.plot_music`.

matplotlib is needed, and no more than it: ``pip install "margin-align[plot]"``.
"""

import io
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.files.atomic import atomic_write
from align.results.music import MusicAlignment
from align.show.figure import Sound, require_matplotlib, sound_of
from align.show.plot_music import draw_music, music_size, plot_music

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from align.results.alignment import Alignment

__all__ = ["plot_alignment", "save_plot", "spectrogram"]

_Style = Literal["-", "--"]
_ALIGNED, _TRUE = "#0b62c4", "#d35400"  # told apart by the colour-blind, and by the dashes
_OTHER = "0.2"  # words above the phones
_FONT = 9.0  # points
_ROWS = 3  # of labels in a tier
_GAP = 3.0  # points between labels of a row
_MARGINS = {"left": 0.7, "right": 0.25, "bottom": 0.5, "top": 0.4}  # inches
_WIDTHS = (8.0, 40.0)  # inches
_COLUMNS_PER_INCH = 150


def plot_alignment(
    alignment: "Alignment",
    ax: "Axes | None" = None,
    reference: "Alignment | None" = None,
    *,
    audio: str | os.PathLike[str] | npt.NDArray[Any] | None = None,
    rate: int | None = None,
    others: "Mapping[str, Alignment] | None" = None,
) -> "Axes":
    """Draw an alignment over its recording.

    Parameters
    ----------
    alignment : Alignment
        What to draw.
    ax : matplotlib.axes.Axes, optional
        Draw the spectrogram and the labels here. By default a new figure shows the waveform,
        the spectrogram and the labels, as wide as the number of events asks for.
    reference : Alignment, optional
        The truth, drawn dashed beside it.
    audio : path or np.ndarray [shape=(n,)], optional
        The recording; by default the file `alignment` was made from. Where there is none, only
        the labels are drawn.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where it is an array.
    others : mapping of str to Alignment, optional
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
    if isinstance(alignment, MusicAlignment):
        return plot_music(alignment, ax, _as_music(reference), audio=audio, rate=rate)
    sound = sound_of(alignment, audio, rate)
    picture = _Picture.of(alignment, reference, others, sound, None)
    if ax is not None:
        _draw_in_one(ax, picture)
        return ax
    import matplotlib.pyplot as plt

    return _draw_figure(plt.figure(figsize=_size(picture)), picture)


def save_plot(
    alignment: "Alignment",
    path: str | os.PathLike[str],
    reference: "Alignment | None" = None,
    *,
    audio: str | os.PathLike[str] | npt.NDArray[Any] | None = None,
    rate: int | None = None,
    dpi: int = 100,
    span: tuple[float, float] | None = None,
    others: "Mapping[str, Alignment] | None" = None,
    overwrite: bool = False,
) -> None:
    """Write the picture of an alignment to a file, without a display.

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
    figure = Figure()
    known = FigureCanvasAgg(figure).get_supported_filetypes()
    kind = target.suffix.lower().removeprefix(".")
    if kind not in known:
        raise ParameterError(
            f"{target}: pictures are written as .png, .pdf or .svg, not as {target.suffix!r}."
        )
    sound = sound_of(alignment, audio, rate)
    if isinstance(alignment, MusicAlignment):
        figure.set_size_inches(*music_size(alignment, span))
        draw_music(figure, alignment, _as_music(reference), sound, span)
    else:
        picture = _Picture.of(alignment, reference, others, sound, span)
        figure.set_size_inches(*_size(picture))
        _draw_figure(figure, picture)
    written = io.BytesIO()
    with _boxes_for_missing_glyphs():
        figure.savefig(written, dpi=dpi, format=kind)
    atomic_write(target, written.getvalue(), overwrite=overwrite)


def spectrogram(
    samples: npt.NDArray[np.floating[Any]],
    rate: int,
    *,
    n_columns: int = 2000,
    window: float = 0.005,
    highest: float = 8000.0,
) -> tuple[npt.NDArray[np.float32], float]:
    """Compute a wide-band spectrogram in decibels, for the eye.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,)]
        Mono samples.
    rate : int
        Sampling rate in Hz.
    n_columns : int
        About this many columns at most; windows overlap by at least half.
    window : float
        Length of the Hann window in seconds (its main lobe is 4 / `window` Hz wide).
    highest : float
        Frequencies above this, in Hz, are left out.

    Returns
    -------
    level : np.ndarray [shape=(n_bins, n_columns), dtype=float32]
        Decibels below the loudest, pre-emphasised by 6 dB per octave; low frequencies first.
    top : float
        Frequency at the upper edge of the last row, in Hz.

    Examples
    --------
    >>> time = np.arange(8000) / 8000
    >>> level, top = spectrogram(np.sin(2 * np.pi * 1000 * time), 8000)
    >>> int(level.mean(axis=1).argmax() * top / len(level)), top
    (1000, 4000.0)
    """
    x = np.diff(np.asarray(samples, dtype=np.float32), prepend=np.float32(0.0))
    n = max(16, round(window * rate))
    n_fft = 1 << (4 * n - 1).bit_length()
    hop = max(1, n // 4, -(-x.size // n_columns))
    taper = np.hanning(n + 2)[1:-1].astype(np.float32)
    padded = np.pad(x, (n // 2, n))
    frames = np.lib.stride_tricks.sliding_window_view(padded, n)[: x.size : hop]
    n_bins = min(n_fft // 2, max(1, round(highest / rate * n_fft)))
    power = np.empty((n_bins, len(frames)), dtype=np.float32)
    for first in range(0, len(frames), 512):  # bounds the memory of the transform
        block = np.fft.rfft(frames[first : first + 512] * taper, n_fft)[:, :n_bins]
        power[:, first : first + len(block)] = (block.real**2 + block.imag**2).T
    # The first row is left out of the reference: it holds drift and hum, not speech.
    loudest = max(float(power[1:].max(initial=0.0)), 1e-12)
    level = 10.0 * np.log10(np.maximum(power / loudest, 1e-9))
    return level.astype(np.float32), n_bins * rate / n_fft


def _as_music(reference: "Alignment | None") -> MusicAlignment | None:
    if reference is None or isinstance(reference, MusicAlignment):
        return reference
    raise ParameterError("reference holds phones, must hold notes as the alignment does.")


class _Labels(NamedTuple):
    """Labels and the intervals [shape=(K, 2)] they are drawn in."""

    labels: tuple[str, ...]
    intervals: npt.NDArray[np.float64]

    @classmethod
    def within(cls, alignment: "Alignment", span: tuple[float, float]) -> "_Labels":
        """Take what can be seen from one time to another."""
        intervals = np.asarray(alignment.intervals, dtype=np.float64).reshape(-1, 2)
        begin, end = span
        seen = (intervals[:, 1] > begin) & (intervals[:, 0] < end)
        seen |= (intervals[:, 0] == intervals[:, 1]) & (intervals[:, 0] == end)
        return cls(
            tuple(label for label, is_seen in zip(alignment.labels, seen, strict=True) if is_seen),
            np.clip(intervals[seen], begin, end),
        )


_Tier: TypeAlias = "tuple[str, _Labels, str, _Style]"


class _Picture(NamedTuple):
    """What is drawn: tiers from the top down, those whose boundaries go through, the sound."""

    tiers: list[_Tier]
    n_above: int
    span: tuple[float, float]
    sound: Sound | None
    title: str

    @classmethod
    def of(
        cls,
        alignment: "Alignment",
        reference: "Alignment | None",
        others: "Mapping[str, Alignment] | None",
        sound: Sound | None,
        wanted: tuple[float, float] | None,
    ) -> "_Picture":
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
        tiers: list[_Tier] = [
            (name, _Labels.within(item, span), _OTHER, "-") for name, item in above.items()
        ]
        tiers.append(("aligned", _Labels.within(alignment, span), _ALIGNED, "-"))
        if reference is not None:
            tiers.append(("true", _Labels.within(reference, span), _TRUE, "--"))
        title = Path(alignment.audio).name if alignment.audio else ""
        return cls(tiers, len(above), span, sound, title)

    @property
    def through(self) -> list[_Tier]:
        """Tiers whose boundaries are drawn through waveform and spectrogram."""
        return self.tiers[self.n_above :]

    def heard(self) -> tuple[npt.NDArray[np.float32], int, float]:
        """Return the samples of the span, their rate, and when the first is."""
        assert self.sound is not None
        samples, rate = self.sound
        first, last = (round(t * rate) for t in self.span)
        return samples[first : max(last, first + 1)], rate, first / rate


def _size(picture: _Picture) -> tuple[float, float]:
    """Width and height of a new figure in inches."""
    lengths = np.diff(picture.tiers[picture.n_above][1].intervals, axis=1)
    short = float(np.quantile(lengths, 0.25)) if lengths.size else 1.0
    per_second = float(np.clip(0.15 / max(short, 1e-3), 0.5, 4.0))
    begin, end = picture.span
    wanted = per_second * (end - begin)
    width = float(np.clip(wanted + _MARGINS["left"] + _MARGINS["right"], *_WIDTHS))
    height = sum(_heights(picture)) + (0.0 if picture.sound is None else 3.6)
    return width, height + _MARGINS["bottom"] + _MARGINS["top"]


def _heights(picture: _Picture) -> list[float]:
    """Height of each tier in inches: words take a row or two, phones up to three."""
    return [0.5 if i < picture.n_above else 0.75 for i in range(len(picture.tiers))]


def _draw_figure(figure: "Figure", picture: _Picture) -> "Axes":
    from matplotlib.ticker import MaxNLocator

    width, height = figure.get_size_inches()
    tiers = picture.tiers
    ratios = _heights(picture) if picture.sound is None else [1.1, 2.5, *_heights(picture)]
    grid = figure.add_gridspec(
        len(ratios),
        1,
        height_ratios=ratios,
        hspace=0.04,
        left=_MARGINS["left"] / width,
        right=1 - _MARGINS["right"] / width,
        bottom=_MARGINS["bottom"] / height,
        top=1 - _MARGINS["top"] / height,
    )
    axes = [figure.add_subplot(grid[0])]
    axes += [figure.add_subplot(grid[i], sharex=axes[0]) for i in range(1, len(ratios))]
    axes[0].set_xlim(*picture.span)
    if picture.sound is not None:
        _draw_waveform(axes[0], *picture.heard())
        _draw_spectrogram(axes[1], *picture.heard(), columns=int(width * _COLUMNS_PER_INCH))
        for ax in axes[:2]:
            _draw_boundaries(ax, picture.through)
    for ax, (name, item, colour, style) in zip(axes[-len(tiers) :], tiers, strict=True):
        ax.set_ylim(0.0, 1.0)
        ax.set_yticks([])
        ax.set_ylabel(name, color=colour, rotation=0, ha="right", va="center")
        _draw_tier(ax, item, (0.0, 1.0), colour, style)
    for ax in axes[:-1]:
        ax.tick_params(labelbottom=False, bottom=False)
    axes[-1].set_xlabel("time (s)")
    axes[-1].xaxis.set_major_locator(MaxNLocator(max(6, int(width)), steps=[1, 2, 5, 10]))
    axes[0].set_title(picture.title, loc="left", fontsize=10, parse_math=False)
    return axes[-1]


def _draw_in_one(ax: "Axes", picture: _Picture) -> None:
    """Draw the spectrogram with the tiers above it, in axes of the user's."""
    tiers, sound = picture.tiers, picture.sound
    ax.set_xlim(*picture.span)
    heights = [1.4 * _FONT * (1 + max(_rows(ax, item), default=0)) for _, item, _, _ in tiers]
    box = ax.get_window_extent()
    top, unit = 0.0, 1.0  # of the y axis, a point high
    if sound is not None:
        columns = max(200, int(1.5 * box.width))
        top = _draw_spectrogram(ax, *picture.heard(), columns=columns) / 1000
        room = _points(ax) * box.height - sum(heights)
        unit = top / max(room, sum(heights))
        _draw_boundaries(ax, picture.through, top)
    ax.set_yticks([f for f in ax.get_yticks() if 0 <= f <= top] if sound is not None else [])
    ax.set_ylim(0.0, top + unit * sum(heights))
    above = top + unit * sum(heights)
    for height, (_, item, colour, style) in zip(heights, tiers, strict=True):
        _draw_tier(ax, item, (above - unit * height, above), colour, style)
        above -= unit * height
    ax.set_xlabel("time (s)")


def _draw_waveform(ax: "Axes", samples: npt.NDArray[np.float32], rate: int, start: float) -> None:
    """Draw the samples, or where they are many their extremes in each stretch."""
    n = samples.size
    step = max(1, n // 8000)
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
    ax: "Axes", samples: npt.NDArray[np.float32], rate: int, start: float, *, columns: int
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


def _draw_boundaries(
    ax: "Axes",
    tiers: Sequence[_Tier],
    top: float | None = None,
) -> None:
    bottom, upper = ax.get_ylim()
    for _, item, colour, style in tiers:
        ax.vlines(
            np.unique(item.intervals),
            bottom,
            upper if top is None else top,
            colors=colour,
            linestyles=style,
            linewidth=0.9,
            alpha=0.85,
        )


def _rows(ax: "Axes", tier: _Labels) -> list[int]:
    """Row of each label in a tier that spans `ax`; -1 for those left out."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=_FONT)
    distinct = {label for label in tier.labels if label.strip()}
    with _boxes_for_missing_glyphs():
        widths = {
            label: text_to_path.get_text_width_height_descent(label, font, ismath=False)[0]
            for label in distinct
        }
    first, last = ax.get_xlim()
    points = _points(ax) * ax.get_window_extent().width / (last - first)
    return _place_labels(
        np.array([widths.get(label, 0.0) for label in tier.labels]),
        tier.intervals * points,
    )


@contextmanager
def _boxes_for_missing_glyphs() -> Iterator[None]:
    """Say nothing of labels the font cannot show: the picture shows that it cannot."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        yield


def _points(ax: "Axes") -> float:
    """Points per pixel."""
    figure = ax.get_figure()
    return 72.0 / (72.0 if figure is None else figure.dpi)


def _place_labels(
    widths: npt.NDArray[np.float64], intervals: npt.NDArray[np.float64]
) -> list[int]:
    """Choose the highest row in which each label covers no other.

    Parameters
    ----------
    widths : np.ndarray [shape=(K,)]
        Widths of the labels in points; 0 where there is nothing to print.
    intervals : np.ndarray [shape=(K, 2)]
        What they are centred in, in points.

    Returns
    -------
    list of int, length K
        Rows, 0 the highest; -1 where no row has room.
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


def _draw_tier(
    ax: "Axes", tier: _Labels, band: tuple[float, float], colour: str, style: _Style
) -> None:
    """Draw intervals with their labels in a band of the y axis."""
    bottom, top = band
    edges = np.unique(tier.intervals)
    ax.vlines(edges, bottom, top, colors=colour, linestyles=style, linewidth=0.9)
    ax.hlines(bottom, *ax.get_xlim(), colors="0.6", linewidth=0.6)
    rows = _rows(ax, tier)
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
                fontsize=_FONT,
                color=colour,
                clip_on=True,
                parse_math=False,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
            )
