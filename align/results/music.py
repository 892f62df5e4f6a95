"""When each note is played: the result of aligning a recording with a score.

Conventions
-----------
* Notes stand in the order of the score: by onset, then by pitch. Times are in seconds; *score*
  seconds are those of a mechanical performance at the tempo of the file, *performed* seconds those
  of the recording.
* Players are not simultaneous, so performed onsets may be out of order within a chord and between
  chords that overlap. The onsets of *chords* (notes that the score begins together) increase
  strictly.
* The *time map* from score to performed seconds is linear between chords and continues at either
  end with the tempo of the nearest chords. Where a note ends is not measured: it is where the time
  map puts the end that is written in the score.
"""

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.results.alignment import _SHOWN, Alignment, _vector
from align.types import Event, Note

__all__ = ["MusicAlignment", "pitch_name"]

Float64 = npt.NDArray[np.float64]

_CHORD = 0.004  # score seconds within which notes are one chord, as in align.formats.scores
_ENDS = 6  # chords whose tempo continues the time map beyond its ends
_SHORTEST = 0.02  # seconds that a note sounds at least
_LAST = 1.0  # seconds given to the last notes where nothing says how long they are
_NAMES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")


def pitch_name(pitch: int) -> str:
    """Name a MIDI pitch as a person would, middle C being C4.

    Examples
    --------
    >>> pitch_name(60), pitch_name(70)
    ('C4', 'Bb4')
    """
    return f"{_NAMES[pitch % 12]}{pitch // 12 - 1}"


@dataclass(frozen=True, eq=False, repr=False)
class MusicAlignment(Alignment):
    """Notes of a score and when each is played.

    Parameters
    ----------
    events : sequence of Note, length N
        The notes, in the order of the score: by onset, then by pitch.
    onsets : array_like [shape=(N,)]
        When each is played, in seconds of the recording. Need not increase.
    duration : float, optional
        Length of the recording in seconds; by default where the last note ends.
    end : float, optional
        Where the music ends, in seconds of the recording; by default where its last note does.
    confidence : array_like [shape=(N,)], optional
        How sure each onset is, in [0, 1].
    score, audio, rate
        See `Alignment`.
    durations : array_like [shape=(N,)], optional
        Length of each note in score seconds; by default up to the next chord.
    note_ids : sequence of str, length N, optional
        What the score calls the notes, each once; by default ``n0``, ``n1`` ...
    chord_of : array_like [shape=(N,)], optional
        Chord of each note, counted from 0 and never decreasing; by default notes less than 4 ms
        of score time apart are one.
    chord_onsets : array_like [shape=(G,)], optional
        When each chord is played, in seconds, increasing strictly; by default the mean of its
        notes, moved as little as makes the times increase.
    chord_score_onsets : array_like [shape=(G,)], optional
        Score time of each chord in seconds, increasing strictly; by default the mean of its notes.
    match : float, optional
        How well recording and score fit, in [0, 1]; low where the score is of another piece.
    warnings : sequence of str
        What the user should know, one sentence each.
    score_file : path, optional
        The score.
    repeats : str
        Where the score had repeats to take or to leave, a letter for each in the order of
        playing: y where it was taken, n where it was not.

    Raises
    ------
    ParameterError
        If shapes disagree, an event is no note or out of order, or a time is impossible.

    Examples
    --------
    >>> notes = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5)]
    >>> found = MusicAlignment(notes, [1.02, 1.0, 1.61])
    >>> found.chord_onsets, found.chord_of
    (array([1.01, 1.61]), array([0, 0, 1]))
    >>> found
    <MusicAlignment of 3 notes in 2.210 s: C4 E4 D4>
    """

    duration: float = None  # type: ignore[assignment]  # filled in __post_init__, as those below
    durations: Float64 = None  # type: ignore[assignment]
    note_ids: tuple[str, ...] = None  # type: ignore[assignment]
    chord_of: npt.NDArray[np.intp] = None  # type: ignore[assignment]
    chord_onsets: Float64 = None  # type: ignore[assignment]
    chord_score_onsets: Float64 = None  # type: ignore[assignment]
    match: float | None = None
    warnings: tuple[str, ...] = ()
    score_file: str | None = None
    repeats: str = ""

    def __post_init__(self) -> None:
        events = tuple(self.events)
        n = len(events)
        object.__setattr__(self, "onsets", _vector(self.onsets, n, "onsets"))
        if not np.isfinite(self.onsets).all():
            raise ParameterError("onsets must be finite.")
        score_onsets = _score_onsets(events)
        self._settle_chords(score_onsets)
        durations = self.durations
        if durations is None:
            durations = _guessed_durations(self.chord_score_onsets, self.chord_of, score_onsets)
        durations = _vector(durations, n, "durations")
        if not ((durations >= 0) & np.isfinite(durations)).all():
            raise ParameterError("durations must be finite and not negative.")
        ids = self.note_ids
        ids = tuple(f"n{k}" for k in range(n)) if ids is None else tuple(map(str, ids))
        if len(ids) != n or len(set(ids)) != n:
            raise ParameterError(f"note_ids must be {n} different names, one for each note.")
        match = None if self.match is None else float(self.match)
        if set(self.repeats) - {"y", "n"}:
            raise ParameterError(f"repeats={self.repeats!r}, must be letters y and n only.")
        if match is not None and not 0 <= match <= 1:
            raise ParameterError(f"match={match}, must lie in [0, 1].")
        settled: dict[str, Any] = {
            "durations": durations,
            "note_ids": ids,
            "match": match,
            "warnings": tuple(map(str, self.warnings)),
            "score_file": None if self.score_file is None else os.fspath(self.score_file),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)
        if self.duration is None:
            object.__setattr__(self, "duration", _latest(self._note_ends(score_onsets)))
        if self.end is None:
            sounding = _latest(self._note_ends(score_onsets))
            object.__setattr__(self, "end", min(sounding, float(self.duration)))
        super().__post_init__()

    def _settle_chords(self, score_onsets: Float64) -> None:
        """Check or make up the chords."""
        n = score_onsets.size
        group = self.chord_of
        if group is None:
            group = np.cumsum(np.diff(score_onsets, prepend=score_onsets[:1]) > _CHORD)
        group = np.array(group, dtype=np.intp)
        steps = np.diff(group, prepend=0)
        if group.shape != (n,) or (n and (group[0] != 0 or ((steps != 0) & (steps != 1)).any())):
            raise ParameterError(
                f"chord_of must hold, for each of the {n} notes, its chord: from 0, each number "
                "equal to the one before or one more."
            )
        n_chords = int(group[-1]) + 1 if n else 0
        sizes = np.bincount(group, minlength=n_chords)
        onsets, scored = self.chord_onsets, self.chord_score_onsets
        if onsets is None:
            onsets = _increasing(np.bincount(group, self.onsets, n_chords) / sizes)
        if scored is None:
            scored = np.bincount(group, score_onsets, n_chords) / sizes
        group.setflags(write=False)
        object.__setattr__(self, "chord_of", group)
        for name, times in (("chord_onsets", onsets), ("chord_score_onsets", scored)):
            vector = _vector(times, n_chords, name)
            if not np.isfinite(vector).all() or not (np.diff(vector) > 0).all():
                raise ParameterError(f"{name} must be finite and increase strictly.")
            object.__setattr__(self, name, vector)

    @staticmethod
    def _check_times(
        events: tuple[Event, ...], onsets: Float64, end: float, duration: float
    ) -> None:
        wrong = np.flatnonzero((onsets < 0) | (onsets > duration))
        if wrong.size:
            k = int(wrong[0])
            raise ParameterError(
                f"note {k + 1} ({events[k]}) begins at {onsets[k]:g} s, must lie in "
                f"[0, duration]=[0, {duration:g}]."
            )

    @classmethod
    def from_score(cls, notes: Any, onsets: npt.ArrayLike, /, **fields: Any) -> Self:
        """Make an alignment of a score and the performed onset of each of its notes.

        Parameters
        ----------
        notes : align.formats.scores.Score
            The notes; their durations, identifiers and file are taken over.
        onsets : array_like [shape=(N,)]
            Performed seconds.
        **fields
            Further fields.

        Returns
        -------
        MusicAlignment
        """
        fields.setdefault("durations", notes.durations)
        fields.setdefault("score_file", notes.path)
        fields.setdefault("repeats", notes.repeats)
        if len(set(notes.ids)) == len(notes):
            fields.setdefault("note_ids", notes.ids)
        return cls(notes.notes, np.asarray(onsets, dtype=np.float64), **fields)

    @classmethod
    def from_labels(
        cls,
        labels: Any,
        *,
        duration: float | None = None,
        audio: str | os.PathLike[str] | None = None,
        rate: int | None = None,
        score: Any = None,
        **options: Any,
    ) -> Self:
        """Read aligned notes, as written or as corrected by a person.

        Parameters
        ----------
        labels : path
            A file that `align.formats.music_files.read_music` reads.
        duration : float, optional
            Length of the recording in seconds.
        audio : path, optional
            The recording.
        rate : int, optional
            Its sampling rate in Hz.
        score : MusicAlignment, align.formats.scores.Score or path, optional
            What the notes are of, for formats that do not say.
        **options
            None are known.

        Returns
        -------
        MusicAlignment

        Raises
        ------
        DataError
            If the file cannot be used.
        """
        from align.formats.music_files import read_music

        if options:
            raise ParameterError(f"{next(iter(options))!r} is no option for notes.")
        found = read_music(labels, score=score, duration=duration)
        given = {"audio": None if audio is None else os.fspath(audio), "rate": rate}
        return replace(found, **{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type,return-value]

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """Read a table of notes; see `from_labels` and `align.formats.note_table`."""
        return cls.from_labels(path, **options)

    # What it says ----------------------------------------------------------------------------

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes, length N."""
        return tuple(note for note in self.events if isinstance(note, Note))

    @property
    def pitches(self) -> npt.NDArray[np.intp]:
        """MIDI number of each note [shape=(N,)]."""
        return np.array([note.pitch for note in self.notes], dtype=np.intp)

    @property
    def score_onsets(self) -> Float64:
        """Score time of each note in seconds [shape=(N,)]."""
        return _score_onsets(tuple(self.events))

    @property
    def offsets(self) -> Float64:
        """Where each note ends by the score, in performed seconds [shape=(N,)]; not measured."""
        return np.minimum(self._note_ends(self.score_onsets), self.duration)

    @property
    def intervals(self) -> Float64:
        """Onset and offset of each note in seconds [shape=(N, 2)]."""
        intervals = np.stack((self.onsets, self.offsets), 1)
        intervals.setflags(write=False)
        return intervals

    def _note_ends(self, score_onsets: Float64) -> Float64:
        """End of each note in seconds, `_SHORTEST` after its onset or later."""
        ends = self.to_performed(score_onsets + self.durations)
        return np.maximum(ends, self.onsets + _SHORTEST)

    def to_performed(self, score_seconds: npt.ArrayLike) -> Float64:
        """Time in the recording for times in the score: the time map.

        Parameters
        ----------
        score_seconds : array_like
            Of any shape.

        Returns
        -------
        np.ndarray
            Performed seconds; may lie outside the recording.

        Examples
        --------
        >>> MusicAlignment([Note(60, 0.0), Note(62, 1.0)], [0.5, 2.5]).to_performed([0.5, 2.0])
        array([1.5, 4.5])
        """
        return _piecewise(score_seconds, self.chord_score_onsets, self.chord_onsets)

    def to_score(self, seconds: npt.ArrayLike) -> Float64:
        """Time in the score for times in the recording: the inverse of `to_performed`."""
        return _piecewise(seconds, self.chord_onsets, self.chord_score_onsets)

    def tempo(self, window: float = 1.0) -> tuple[Float64, Float64, Float64]:
        """Tempo curve: how fast the score goes by.

        Parameters
        ----------
        window : float
            Performed seconds before and after each chord over which its tempo is fitted; 0 for
            the bare ratio of each interval between chords. At least the two neighbours are used.

        Returns
        -------
        times : np.ndarray [shape=(G,)]
            Performed seconds of the chords.
        score_times : np.ndarray [shape=(G,)]
            Score seconds of the chords.
        relative : np.ndarray [shape=(G,)]
            Score seconds per performed second: 1 at the tempo of the score, 2 twice as fast. Slope
            of the straight line that fits the chords about each one; NaN where there is but one.

        Raises
        ------
        ParameterError
            If `window` is negative.

        Examples
        --------
        >>> notes = [Note(60, float(k)) for k in range(4)]
        >>> MusicAlignment(notes, [0.0, 0.5, 1.0, 1.5]).tempo()[2]
        array([2., 2., 2., 2.])
        """
        if not 0 <= window < np.inf:
            raise ParameterError(f"window={window} s, must not be negative.")
        x, y = self.chord_onsets, self.chord_score_onsets
        n = x.size
        if n < 2:
            return x, y, np.full(n, np.nan)
        if window == 0:
            ratio = np.diff(y) / np.diff(x)
            return x, y, np.append(ratio, ratio[-1])
        at = np.arange(n)
        first = np.minimum(np.searchsorted(x, x - window), np.maximum(at - 1, 0))
        last = np.maximum(np.searchsorted(x, x + window, "right"), np.minimum(at + 2, n))
        relative = np.empty(n)
        for k in range(n):
            u = x[first[k] : last[k]] - x[k]
            u -= u.mean()
            relative[k] = u @ y[first[k] : last[k]] / (u @ u)
        return x, y, relative

    def corrected(self, onsets: npt.ArrayLike) -> Self:
        """Return the same notes at other times, as a person corrected them.

        Parameters
        ----------
        onsets : array_like [shape=(N,)]
            Performed seconds.

        Returns
        -------
        MusicAlignment
            Chords are taken from the notes; confidence and match, which spoke of the old times,
            are left out.
        """
        times = np.asarray(onsets, dtype=np.float64)
        return type(self)(
            self.events,
            times,
            duration=max(self.duration, _latest(times)),
            audio=self.audio,
            rate=self.rate,
            durations=self.durations,
            note_ids=self.note_ids,
            chord_of=self.chord_of,
            chord_score_onsets=self.chord_score_onsets,
            score_file=self.score_file,
        )

    # Files and pictures ----------------------------------------------------------------------

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a table of the notes; see `align.formats.note_table`."""
        from align.formats.note_table import write_note_table

        write_note_table(path, self, overwrite=overwrite)

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write JSON, with everything the alignment knows; see `align.formats.music_json`."""
        from align.formats.music_json import write_music_json

        write_music_json(path, self, overwrite=overwrite)

    def to_midi(
        self,
        path: str | os.PathLike[str],
        *,
        asynchrony: bool = True,
        tolerance: float = 0.005,
        overwrite: bool = False,
    ) -> None:
        """Write the score re-timed to the recording; see `align.formats.midi_out`."""
        from align.formats.midi_out import write_midi

        write_midi(path, self, asynchrony=asynchrony, tolerance=tolerance, overwrite=overwrite)

    def to_audacity(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write an Audacity label track of points; see `align.formats.note_labels`."""
        from align.formats.note_labels import write_points

        write_points(path, self, overwrite=overwrite)

    def to_sonic_visualiser(
        self, path: str | os.PathLike[str], *, overwrite: bool = False
    ) -> None:
        """Write a layer (``.svl``) or table (``.csv``) for Sonic Visualiser, as the suffix says.

        See `align.formats.note_labels`.
        """
        from align.formats.note_labels import write_layer, write_sv_csv

        table = os.fspath(path).lower().endswith(".csv")
        (write_sv_csv if table else write_layer)(path, self, overwrite=overwrite)

    def to_match(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a match file, through partitura; see `align.formats.match_file`."""
        from align.formats.match_file import write_match

        write_match(path, self, overwrite=overwrite)

    def to_tempo(
        self, path: str | os.PathLike[str], *, window: float = 1.0, overwrite: bool = False
    ) -> None:
        """Write the tempo curve as a table; see `tempo` and `align.formats.tempo_table`."""
        from align.formats.tempo_table import write_tempo

        write_tempo(path, self, window=window, overwrite=overwrite)

    def plot(self, ax: Any = None, *, reference: Any = None) -> Any:
        """Draw the notes over the pitch energies of the recording, and the tempo curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw the piano roll; by default a new figure, with the tempo below.
        reference : MusicAlignment, optional
            The truth, to draw beside it.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from align.show.plot_music import plot_music

        return plot_music(self, ax=ax, reference=reference)

    def _no_labels(self, *_: Any, **__: Any) -> None:
        raise ParameterError(
            "notes overlap, which this format of labels cannot say; write .csv, .mid, .txt, .svl "
            "or .json."
        )

    to_textgrid = to_ctm = to_phn = to_lab = _no_labels

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MusicAlignment) or super().__eq__(other) is not True:
            return False if isinstance(other, Alignment) else NotImplemented
        arrays = ("durations", "chord_of", "chord_onsets", "chord_score_onsets")
        plain = ("note_ids", "match", "warnings", "score_file", "repeats")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays
        )

    __hash__ = None  # arrays have none

    def __repr__(self) -> str:
        shown = " ".join(pitch_name(note.pitch) for note in self.notes[:12])
        more = " ..." if len(self) > 12 else ""
        return f"<MusicAlignment of {len(self)} notes in {self.duration:.3f} s: {shown}{more}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks, with what the user should know above it."""
        out = [f"<p><b>{html.escape(text)}</b></p>" for text in self.warnings]
        if self.match is not None:
            out.append(f"<p>match {self.match:.2f}</p>")
        heads = ["id", "note", "score (s)", "performed (s)"]
        heads += ["confidence"] * (self.confidence is not None)
        out += ["<table><tr>", *(f"<th>{head}</th>" for head in heads), "</tr>"]
        for k, note in enumerate(self.notes[:_SHOWN]):
            cells = [html.escape(self.note_ids[k]), pitch_name(note.pitch)]
            cells += [f"{note.onset:.3f}", f"{self.onsets[k]:.3f}"]
            if self.confidence is not None:
                cells.append(f"{self.confidence[k]:.2f}")
            out += ["<tr>", *(f"<td>{cell}</td>" for cell in cells), "</tr>"]
        out.append("</table>")
        if len(self) > _SHOWN:
            out.append(f"<p>... and {len(self) - _SHOWN} more notes</p>")
        return "".join(out)


def _score_onsets(events: Sequence[Event]) -> Float64:
    for k, note in enumerate(events):
        if not isinstance(note, Note):
            raise ParameterError(f"event {k + 1} is {note!r}, must be a Note.")
        before = events[k - 1] if k else note
        if isinstance(before, Note) and (note.onset, note.pitch) < (before.onset, before.pitch):
            raise ParameterError(
                f"note {k + 1} ({note.pitch} at {note.onset:g} s) must not come before note {k} "
                f"({before.pitch} at {before.onset:g} s) in the score; sort by onset and pitch."
            )
    onsets = np.array([note.onset for note in events if isinstance(note, Note)], dtype=np.float64)
    if not np.isfinite(onsets).all():
        raise ParameterError("score onsets must be finite.")
    return onsets


def _guessed_durations(
    chord_onsets: Float64, chord_of: npt.NDArray[np.intp], score_onsets: Float64
) -> Float64:
    """Let each note last until the next chord, the last ones as long as those before."""
    if not score_onsets.size:
        return np.empty(0)
    gaps = np.diff(chord_onsets)
    gaps = np.append(gaps, gaps[-1] if gaps.size else _LAST)
    return gaps[chord_of]


def _increasing(times: Float64, least: float = 1e-3) -> Float64:
    """Return the increasing times nearest to some (in the least-squares sense), `least` apart."""
    ramp = least * np.arange(times.size)
    means: list[float] = []
    sizes: list[int] = []
    for value in (times - ramp).tolist():  # pool adjacent violators
        means.append(value)
        sizes.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            mean, size = means.pop(), sizes.pop()
            total = size + sizes[-1]
            means[-1] = (means[-1] * sizes[-1] + mean * size) / total
            sizes[-1] = total
    fitted: Float64 = np.repeat(means, sizes) + ramp
    return fitted


def _piecewise(values: npt.ArrayLike, x: Float64, y: Float64) -> Float64:
    """Interpolate linearly, and go on at either end with the slope of the nearest chords."""
    v = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return v.copy()
    if x.size == 1:
        shifted: Float64 = v - x[0] + y[0]
        return shifted
    k = min(_ENDS, x.size - 1)
    out = np.interp(v, x, y)
    before, after = (y[k] - y[0]) / (x[k] - x[0]), (y[-1] - y[-1 - k]) / (x[-1] - x[-1 - k])
    out = np.where(v < x[0], y[0] + (v - x[0]) * before, out)
    return np.where(v > x[-1], y[-1] + (v - x[-1]) * after, out)


def _latest(times: Float64) -> float:
    return float(times.max(initial=0.0))
