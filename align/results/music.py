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
  end with the tempo of the nearest chords. A note ends where its sound ends, where that is
  known; else where the time map puts the end that is written in the score.
"""

import itertools
import os
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.results.chords import checked_chords, guessed_durations, score_onsets_of
from align.results.time_map import mapped, tempo_curve
from align.results.timing import Timing, probabilities, vector
from align.results.writing import NoteWriting
from align.types import BoolArray, Event, Float64, IntArray, Mismatch, Note, PlayedPassage

if TYPE_CHECKING:
    from align.formats.notes.aligned import NoteTimes
    from align.formats.scores.beats import Beats

_SHORTEST = 0.02  # seconds that a note sounds at least
_ROUNDING = 0.01  # seconds of the score; the onset of a chord is the mean of its notes


@dataclass(frozen=True, eq=False, repr=False)
class MusicAlignment(Timing, NoteWriting):
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
    score, audio, rate, match, warnings
        See `align.results.timing.Timing`; a match is low where the score is of another piece.
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
    score_file : path, optional
        The score.
    repeats : str
        Where the score had repeats to take or to leave, a letter for each in the order of
        playing: y where it was taken, n where it was not, ? where the recording does not hold it.
    beats : align.formats.scores.beats.Beats, optional
        Bars and beats of the score, where it says them.
    passages : sequence of PlayedPassage
        What the recording holds of the score, in the order of playing; empty where that is simply
        all of it. Where one is played again the notes have the times of the playing that goes on.
    transposition : int
        Semitones by which the recording sounds higher than the score is written.
    tuning : float, optional
        A4 of the recording in Hz, given the transposition.
    unplayed : array_like [shape=(N,)], optional
        Probability that each note was not played, in [0, 1].
    mismatches : sequence of Mismatch
        Notes that were not played (``unplayed``) and music that is not in the score
        (``unwritten``), in the order of the recording.
    measured_offsets : array_like [shape=(N,)], optional
        Where the sound of each note ends, in seconds of the recording; NaN where unknown.
    offset_confidence : array_like [shape=(N,)], optional
        How probably the end that was found is right, in [0, 1], by the rule of
        `align.music.placing.ends`; low where it is not known.
    model : str
        Name of the bundled model that was taken, where none was named.

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

    kind: ClassVar[str] = "music"
    unit: ClassVar[str] = "note"
    holds: ClassVar[str] = "notes"
    ends_measured: ClassVar[bool] = False

    duration: float = None  # type: ignore[assignment]  # filled in __post_init__, as those below
    durations: Float64 = None  # type: ignore[assignment]
    note_ids: tuple[str, ...] = None  # type: ignore[assignment]
    chord_of: IntArray = None  # type: ignore[assignment]
    chord_onsets: Float64 = None  # type: ignore[assignment]
    chord_score_onsets: Float64 = None  # type: ignore[assignment]
    score_file: str | None = None
    repeats: str = ""
    beats: "Beats | None" = None
    passages: tuple[PlayedPassage, ...] = ()
    transposition: int = 0
    tuning: float | None = None
    unplayed: Float64 | None = None
    mismatches: tuple[Mismatch, ...] = ()
    measured_offsets: Float64 | None = None
    offset_confidence: Float64 | None = None
    model: str = ""

    def __post_init__(self) -> None:
        events = tuple(self.events)
        n = len(events)
        onsets = vector(self.onsets, n, "onsets")
        if not np.isfinite(onsets).all():
            raise ParameterError("onsets must be finite.")
        score_onsets = score_onsets_of(events)
        chords = checked_chords(
            score_onsets, onsets, self.chord_of, self.chord_onsets, self.chord_score_onsets
        )
        durations = self.durations
        if durations is None:
            durations = guessed_durations(chords.score_onsets, chords.group)
        durations = vector(durations, n, "durations")
        if not ((durations >= 0) & np.isfinite(durations)).all():
            raise ParameterError("durations must be finite and not negative.")
        ids = self.note_ids
        ids = tuple(f"n{k}" for k in range(n)) if ids is None else tuple(map(str, ids))
        if len(ids) != n or len(set(ids)) != n:
            raise ParameterError(f"note_ids must be {n} different names, one for each note.")
        measured = self.measured_offsets
        if measured is not None:
            measured = vector(measured, n, "measured_offsets")
            if (measured < onsets).any() or np.isinf(measured).any():
                raise ParameterError("measured_offsets must not lie before the onsets.")
        if set(self.repeats) - set("yn?"):
            raise ParameterError(f"repeats={self.repeats!r}, must be letters y, n and ? only.")
        self._set(
            onsets=onsets,
            durations=durations,
            note_ids=ids,
            chord_of=chords.group,
            chord_onsets=chords.onsets,
            chord_score_onsets=chords.score_onsets,
            passages=tuple(self.passages),
            unplayed=probabilities(self.unplayed, n, "unplayed"),
            measured_offsets=measured,
            offset_confidence=probabilities(self.offset_confidence, n, "offset_confidence"),
            mismatches=tuple(self.mismatches),
            score_file=None if self.score_file is None else os.fspath(self.score_file),
        )
        sounding = _latest(self._note_ends(score_onsets))
        if self.duration is None:
            self._set(duration=sounding)
        if self.end is None:
            self._set(end=min(sounding, float(self.duration)))
        super().__post_init__()

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
        fields.setdefault("beats", notes.beats)
        if len(set(notes.ids)) == len(notes):
            fields.setdefault("note_ids", notes.ids)
        return cls(notes.notes, np.asarray(onsets, dtype=np.float64), **fields)

    @classmethod
    def from_labels(
        cls,
        labels: Any,
        *,
        duration: float | None = None,
        audio: StrPath | None = None,
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
        found = cls.from_rows(read_music(labels, score=score, duration=duration))
        given: dict[str, Any] = {"audio": audio, "rate": rate}
        if duration is not None:
            given.update(duration=duration, end=min(found.end, duration))
        return replace(found, **{k: v for k, v in given.items() if v is not None})

    @classmethod
    def from_rows(cls, rows: "NoteTimes") -> Self:
        """Make an alignment of what a file says.

        Parameters
        ----------
        rows : align.formats.notes.aligned.NoteTimes
            What a reader returned.

        Returns
        -------
        MusicAlignment

        Raises
        ------
        DataError
            If notes and times make no alignment, naming the file.
        """
        try:
            return cls(**{each.name: getattr(rows, each.name) for each in fields(cls)})
        except ParameterError as error:
            raise DataError(str(error), path=rows.path) from None

    @classmethod
    def from_csv(cls, path: StrPath, **options: Any) -> Self:
        """Read a table of notes; see `from_labels` and `align.formats.notes.note_table`."""
        return cls.from_labels(path, **options)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes, length N."""
        return tuple(note for note in self.events if isinstance(note, Note))

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the pitch of each note, length N, as the score spells it; the middle C is C4."""
        return tuple(note.name for note in self.notes)

    @property
    def markers(self) -> Float64:
        """When each chord is played, in seconds [shape=(G,)]."""
        return self.chord_onsets

    @property
    def pitches(self) -> IntArray:
        """MIDI number of each note [shape=(N,)]."""
        return np.array([note.pitch for note in self.notes], dtype=np.intp)

    @property
    def score_onsets(self) -> Float64:
        """Score time of each note in seconds [shape=(N,)]."""
        return score_onsets_of(self.events)

    @property
    def offsets(self) -> Float64:
        """Where each note ends in seconds [shape=(N,)]: as measured, else by the score."""
        return np.minimum(self._note_ends(self.score_onsets), self.duration)

    @property
    def intervals(self) -> Float64:
        """Onset and offset of each note in seconds [shape=(N, 2)]."""
        intervals = np.stack((self.onsets, self.offsets), 1)
        intervals.setflags(write=False)
        return intervals

    @property
    def is_held(self) -> BoolArray:
        """Whether the recording holds each note [shape=(N,)].

        Of a part of a score the notes outside of its `passages` have a confidence of 0.
        """
        every = np.ones(len(self.events), dtype=np.bool_)
        if not self.passages or self.confidence is None or not self.confidence.any():
            return every
        return self.confidence > 0

    @property
    def passage_of(self) -> IntArray:
        """In which of `passages` each note is played [shape=(N,)]; -1 for none.

        All are in the first where the whole score is played.
        """
        return np.where(self.is_held, self._passage_of_chords()[self.chord_of], -1)

    def held(self) -> Self:
        """Return the notes of the passages that are played; itself, where that is all.

        The times of the other notes mean nothing.

        Examples
        --------
        >>> from align.types import PlayedPassage
        >>> notes = [Note(60 + k, float(k)) for k in range(4)]
        >>> last = (PlayedPassage(0.5, 1.5, 2.0, 3.0),)
        >>> sure = [0.0, 0.0, 0.9, 0.9]
        >>> MusicAlignment(notes, [0, 0, 0.5, 1.5], confidence=sure, passages=last).held()
        <MusicAlignment of 2 notes in 2.000 s: D4 Eb4>
        """
        keep = self.is_held
        if keep.all():
            return self
        chords = self._passage_of_chords() >= 0
        optional = ("confidence", "unplayed", "measured_offsets", "offset_confidence")
        known = {name: getattr(self, name) for name in optional}
        own: dict[str, Any] = {
            name: value[keep] for name, value in known.items() if value is not None
        }
        return replace(
            self,
            events=tuple(itertools.compress(self.events, keep)),
            onsets=self.onsets[keep],
            durations=self.durations[keep],
            note_ids=tuple(itertools.compress(self.note_ids, keep)),
            chord_of=(np.cumsum(chords) - 1)[self.chord_of[keep]],
            chord_onsets=self.chord_onsets[chords],
            chord_score_onsets=self.chord_score_onsets[chords],
            mismatches=(),  # they name notes by their numbers
            **own,
        )

    def _passage_of_chords(self) -> IntArray:
        """Return in which passage each chord is played [shape=(G,)]; -1 for none.

        That is the nearest one in the recording, of those that have it in the score.
        """
        found = np.full(self.chord_onsets.size, -1)
        found[self.chord_of[self.is_held]] = 0
        if len(self.passages) < 2:
            return found
        spans = np.array([(p.start, p.end, p.score_start, p.score_end) for p in self.passages])
        away, outside = (
            np.maximum(first - times, times - last).clip(0.0)
            for times, (first, last) in (
                (self.chord_onsets[:, None], spans.T[:2]),
                (self.chord_score_onsets[:, None], spans.T[2:]),
            )
        )
        nearest = np.lexsort((away, outside > _ROUNDING), axis=1)[:, 0]
        return np.where(found == 0, nearest, -1)

    def _note_ends(self, score_onsets: Float64) -> Float64:
        """End of each note in seconds, `_SHORTEST` after its onset or later."""
        ends = self.to_performed(score_onsets + self.durations)
        if self.measured_offsets is not None:
            ends = np.where(np.isnan(self.measured_offsets), ends, self.measured_offsets)
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
        return mapped(score_seconds, self.chord_score_onsets, self.chord_onsets)

    def to_score(self, seconds: npt.ArrayLike) -> Float64:
        """Time in the score for times in the recording: the inverse of `to_performed`."""
        return mapped(seconds, self.chord_onsets, self.chord_score_onsets)

    def tempo(self, window: float = 1.0) -> tuple[Float64, Float64, Float64]:
        """Tempo curve: how fast the score goes by.

        Parameters
        ----------
        window : float
            Performed seconds before and after each chord over which its tempo is fitted; 0 for
            the bare ratio of each interval between chords. At least the two neighbours are used.

        Returns
        -------
        times : np.ndarray [shape=(P,)]
            Performed seconds of the chords; of a part of the score, those in its `passages`.
        score_times : np.ndarray [shape=(P,)]
            Score seconds of the chords.
        relative : np.ndarray [shape=(P,)]
            Score seconds per performed second: 1 at the tempo of the score, 2 twice as fast. Slope
            of the straight line that fits the chords of its passage about each one; NaN where
            there is but one.

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
        passage = self._passage_of_chords()
        relative = np.empty(passage.size)
        for k in np.unique(passage):
            own = passage == k
            relative[own] = tempo_curve(
                self.chord_onsets[own], self.chord_score_onsets[own], window
            )
        kept = passage >= 0
        return self.chord_onsets[kept], self.chord_score_onsets[kept], relative[kept]

    def corrected(self, onsets: npt.ArrayLike) -> Self:
        """Return the same notes at other times, as a person corrected them.

        Parameters
        ----------
        onsets : array_like [shape=(N,)]
            Performed seconds.

        Returns
        -------
        MusicAlignment
            Chords are taken from the notes; confidence, match, passages, mismatches and measured
            offsets, which spoke of the old times, are left out.
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
            beats=self.beats,
            transposition=self.transposition,
            tuning=self.tuning,
        )

    def __repr__(self) -> str:
        shown = " ".join(self.names[:12]) + (" ..." if len(self) > 12 else "")
        return f"<MusicAlignment of {len(self)} notes in {self.duration:.3f} s: {shown}>"

    def _html_rows(self, n: int) -> tuple[list[str], list[list[str]]]:
        names = self.names
        times = zip(self.score_onsets[:n].tolist(), self.onsets[:n].tolist(), strict=True)
        rows = [
            [self.note_ids[k], names[k], f"{scored:.3f}", f"{played:.3f}"]
            for k, (scored, played) in enumerate(times)
        ]
        return ["id", "note", "score (s)", "performed (s)"], rows


def _latest(times: Float64) -> float:
    return float(times.max(initial=0.0))
