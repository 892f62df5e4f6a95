r"""Bars, beats and tempo of a recording: tables, and layers to look at.

``.beats.csv``
    ::

        performed_s,score_s,bar,beat,bpm,confidence
        0.519000,0.500000,1,1,118.2,0.9312

    A line for each beat: when it is played, where it stands in the score, its bar and its place
    there, how many such beats go by in a minute, and how sure it is.
``.beats.txt``
    Audacity label track of points: ``0.519000\t0.519000\t1.1``, the bar and the beat.
``.beats.svl``
    Layer of time instants for Sonic Visualiser, with the same labels.

``.tempo.csv``
    ::

        performed_s,score_s,relative_tempo
        0.519000,0.500000,0.93121

    A line for each chord: when it is played, where it stands in the score, and how many score
    seconds go by in a second there (1 at the tempo of the score); see
    `align.MusicAlignment.tempo`. Where the score says its bars, a column ``bpm`` follows.

The beat is the one that the time signature notates; see `align.formats.scores.beats`. A beat on
which notes begin is played when its chord is; between chords the time map is linear, and the
confidence is the lower one of the two chords about it. Beats outside the music, or the passages,
that were found are left out.

Of such files the times alone are read, for the metrics of beats: of a table the column
``performed_s``, or ``time``, ``start`` or ``onset``; of ``.beats.txt`` and ``.beats``, as label
tracks and the annotations of beat trackers have it, what each line begins with, but for lines that
begin with ``#``.
"""

import html
import math
import os
from dataclasses import dataclass

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import Place, read_text
from align.formats.documents.tables import begins_with_number, columns_named, table_rows
from align.formats.documents.writing import writer
from align.formats.notes.aligned import TimedNotes
from align.formats.notes.note_labels import RATE, sonic_layer
from align.types import BoolArray, Float64, IntArray

BEAT_SUFFIXES = (".beats.csv", ".beats.txt", ".beats")
"""Of the files from which `read_beat_times` reads."""

NO_BARS = "does not say its bars; name a MIDI file with a time signature, or notation."

_ON = 0.01  # seconds of the score within which a beat is that of a chord
_NAMES = {"time": ("performed_s", "time", "start", "onset", "seconds")}


@dataclass(frozen=True, eq=False)
class PlayedBeats:
    """When each beat of a score is played; all arrays have the shape (B,).

    Parameters
    ----------
    times : np.ndarray
        Seconds of the recording, increasing.
    score_times : np.ndarray
        Seconds of the score.
    bars, numbers : np.ndarray
        Bar of each beat, and its place there; see `align.formats.scores.beats.Beats`.
    bpm : np.ndarray
        Beats in a minute; NaN where there is but one chord.
    confidence : np.ndarray or None
        In [0, 1], where the alignment knows it.
    """

    times: Float64
    score_times: Float64
    bars: IntArray
    numbers: Float64
    bpm: Float64
    confidence: Float64 | None

    @property
    def labels(self) -> list[str]:
        """Bar and beat of each, as in ``12.3``."""
        return [f"{bar}.{place:g}" for bar, place in zip(self.bars, self.numbers, strict=True)]


def played_beats(alignment: TimedNotes) -> PlayedBeats:
    """Return when each beat of the score is played.

    Parameters
    ----------
    alignment : MusicAlignment
        Aligned notes of a score with bars.

    Returns
    -------
    PlayedBeats

    Raises
    ------
    DataError
        If the score does not say its bars.

    Examples
    --------
    >>> from align import MusicAlignment
    >>> from align.formats.scores.beats import beats_of_bars
    >>> from align.types import Note
    >>> notes = [Note(60, 0.0), Note(62, 1.0), Note(64, 1.5)]
    >>> beats = beats_of_bars([(0.0, 1.5, 3, 1), (1.5, 3.0, 3, 2)])
    >>> found = played_beats(MusicAlignment(notes, [1.0, 3.0, 4.0], beats=beats))
    >>> found.times, found.labels
    (array([1., 2., 3., 4.]), ['1.1', '1.2', '1.3', '2.1'])
    >>> found.bpm
    array([60., 60., 60., 60.])
    """
    beats = alignment.beats
    if beats is None:
        raise DataError(NO_BARS, path=alignment.score_file)
    scored = beats.times[:-1]  # the last is where the music ends
    times = alignment.to_performed(scored)
    first = alignment.chord_onsets[:1].min(initial=np.inf)
    # a beat that opens the first bar with a rest was not played, nor what follows the last note
    within = (times >= first - 1e-9) & (times < alignment.end) & _in_passages(alignment, scored)
    scored, times = scored[within], times[within]
    played, _, relative = alignment.tempo()
    bpm = np.interp(times, played, relative) * beats.per_minute(scored) if times.size else times
    return PlayedBeats(
        times,
        scored,
        beats.bars[:-1][within],
        beats.numbers[:-1][within],
        bpm,
        None if alignment.confidence is None else _confidence(alignment, scored),
    )


def _in_passages(alignment: TimedNotes, scored: Float64) -> BoolArray:
    """Whether times of the score [shape=(B,)] lie in passages; all where every note is held."""
    within = np.full(scored.size, alignment.is_held.all())
    for passage in alignment.passages:
        first, last = passage.score_start - _ON, passage.score_end + _ON
        within |= (scored >= first) & (scored <= last)
    return within


def _confidence(alignment: TimedNotes, scored: Float64) -> Float64:
    """Mean confidence of the chord at a time of the score; of two about it, the lower one."""
    assert alignment.confidence is not None
    group, chords = alignment.chord_of, alignment.chord_score_onsets
    sure = np.bincount(group, alignment.confidence) / np.bincount(group)
    last = chords.size - 1
    before = np.clip(np.searchsorted(chords, scored + _ON, "right") - 1, 0, last)
    after = np.clip(np.searchsorted(chords, scored - _ON), 0, last)
    return np.minimum(sure[before], sure[after])


def format_beats(alignment: TimedNotes) -> str:
    """Return bars and beats as a table; DataError where the score does not say its bars."""
    beats = played_beats(alignment)
    sure = beats.confidence
    lines = ["performed_s,score_s,bar,beat,bpm" + (",confidence" if sure is not None else "")]
    for k in range(beats.times.size):
        bpm = "" if np.isnan(beats.bpm[k]) else f"{beats.bpm[k]:.2f}"
        row = f"{beats.times[k]:.6f},{beats.score_times[k]:.6f},{beats.bars[k]}"
        row += f",{beats.numbers[k]:g},{bpm}"
        lines.append(row if sure is None else f"{row},{sure[k]:.4f}")
    return "\n".join(lines) + "\n"


def format_beat_points(alignment: TimedNotes) -> str:
    """Return bars and beats as an Audacity label track of points."""
    beats = played_beats(alignment)
    rows = zip(beats.times, beats.labels, strict=True)
    return "".join(f"{time:.6f}\t{time:.6f}\t{label}\n" for time, label in rows)


def format_beat_layer(alignment: TimedNotes) -> str:
    """Return bars and beats as a layer of time instants of Sonic Visualiser."""
    beats = played_beats(alignment)
    rate = alignment.rate or RATE
    frames = np.rint(beats.times * rate).astype(np.int64)
    points = "".join(
        f'      <point frame="{frame}" label="{html.escape(label)}" />\n'
        for frame, label in zip(frames, beats.labels, strict=True)
    )
    shown = 'type="timeinstants" name="Beats" model="1" colourName="Orange" colour="#ff9632"'
    return sonic_layer(frames, rate, points, shown)


write_beats = writer(format_beats)
write_beat_points = writer(format_beat_points)
write_beat_layer = writer(format_beat_layer)


def read_beat_times(path: StrPath) -> Float64:
    """Read when beats are.

    Parameters
    ----------
    path : path
        See the module's docstring.

    Returns
    -------
    np.ndarray [shape=(B,), dtype=float64]
        Seconds of the recording, increasing.

    Raises
    ------
    DataError
        If the file cannot be used; the message names the line.
    """
    name, text = os.fspath(path), read_text(path)
    found = _of_table(text, name) if name.lower().endswith(".csv") else _of_lines(text, name)
    times = [at.number(cell, "time") for at, cell in found]
    for k in range(1, len(times)):
        if not times[k] > times[k - 1]:
            raise found[k][0].wrong(
                f"the beat at {times[k]} s does not follow the one before, at {times[k - 1]} s; "
                "sort the lines and leave out what comes twice."
            )
    return np.array(times, dtype=np.float64)


def _of_table(text: str, path: str) -> list[tuple[Place, str]]:
    """Return the line and the cell of each time of a table."""
    rows = table_rows(text, path)
    columns = columns_named(rows[0][1], _NAMES) if rows else {}
    if rows and not columns and not begins_with_number(rows[0][1]):
        raise DataError("has no column of times; call one performed_s.", path=path, line=1)
    place = columns.get("time", 0)
    kept = rows[1:] if columns else rows
    return [(Place(path, k), cells[place] if place < len(cells) else "") for k, cells in kept]


def _of_lines(text: str, path: str) -> list[tuple[Place, str]]:
    """Return the line and the first word of each line."""
    rows = [(k, line.replace(",", " ").split()) for k, line in enumerate(text.splitlines(), 1)]
    kept = [(k, words[0]) for k, words in rows if words and not words[0].startswith("#")]
    return [(Place(path, k), word) for k, word in kept]


def format_tempo(alignment: TimedNotes, *, window: float = 1.0) -> str:
    """Return the tempo curve as a table, with empty cells where a single chord has no tempo.

    `window` is that of `align.MusicAlignment.tempo`.
    """
    beats = alignment.beats
    lines = ["performed_s,score_s,relative_tempo" + ("" if beats is None else ",bpm")]
    for time, scored, tempo in zip(*alignment.tempo(window), strict=True):
        known = not math.isnan(tempo)
        line = f"{time:.6f},{scored:.6f}," + (f"{tempo:.5f}" if known else "")
        if beats is not None:
            line += f",{tempo * float(beats.per_minute(scored)):.2f}" if known else ","
        lines.append(line)
    return "\n".join(lines) + "\n"


write_tempo = writer(format_tempo)
