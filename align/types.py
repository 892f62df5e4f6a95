"""The types every part of Align shares: events, examples, arrays, and what disagrees.

Conventions, used everywhere:

* A recording is cut into ``T`` frames of ``hop`` seconds; frame ``t`` covers the time
  ``[t * hop, (t + 1) * hop)``. An *onset* ``y`` in ``0 .. T-1`` is the time ``y * hop``, the
  boundary between frames ``y - 1`` and ``y``.
* ``K`` events begin at onsets ``y_0 < y_1 < ... < y_{K-1}``; event ``k`` occupies the frames
  ``y_k .. y_{k+1} - 1`` and lasts ``d_k = y_{k+1} - y_k`` frames, with the end sentinel
  ``y_K = T``. (The thesis counts from 1, with ``y_{K+1} = T + 1``.)

`align.potentials` and `align.terms` say what is computed of them.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 9.
"""

import os
import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
Float64: TypeAlias = npt.NDArray[np.float64]
Float32: TypeAlias = npt.NDArray[np.float32]
IntArray: TypeAlias = npt.NDArray[np.intp]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

SILENCE = "sil"
"""The label that Align itself gives to silence."""

SILENCES = ("sil", "sp", "pau", "h#", "", "sp1", "epi", "<p:>", "<eps>", "_", "#", "spn")
"""Labels that mean silence or noise, those that most label sets prefer first."""


SPOKEN_NOISE = "spn"
"""The label of a stretch that may hold any sound: laughter, a cough, unknown words."""


MISPLACED = "misplaced"
"""The kind of a `Mismatch` of words that are probably in the wrong place."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a score.

    Parameters
    ----------
    pitch : int
        MIDI number, 69 is A4.
    onset : float
        Time in the score, in seconds.
    name : str
        What the score calls the pitch, such as Gb4; by default `pitch_name`.
    part : str
        Which part of the score has it, such as Violin II; empty where there is only one. Notes
        that differ in nothing but `name` and `part` are equal.

    Raises
    ------
    ParameterError
        If the name is that of another pitch.

    Examples
    --------
    >>> Note(66, 0.0).name, Note(66, 0.0, "Gb4").name, Note(66, 0.0) == Note(66, 0.0, "Gb4")
    ('F#4', 'Gb4', True)
    """

    pitch: int
    onset: float
    name: str = field(default="", compare=False, repr=False)
    part: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", pitch_name(self.pitch))
        elif named_pitch(self.name) != self.pitch:
            raise ParameterError(f"name={self.name!r}, must be a name of pitch {self.pitch}.")

    def __str__(self) -> str:
        return str(self.pitch)


_FEW = 6  # pitches, more than which a message only counts
_PASSAGE = 12  # words, more than which a message shows the ends of
_CHAPTER = 100  # the same of a tier
_PITCH_NAME = re.compile(r"([A-G])(#{0,2}|b{1,2})(-?[0-9]{1,2})")
_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_PITCH_CLASSES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")


def pitch_name(pitch: int) -> str:
    """Name a MIDI pitch as a person would, middle C being C4.

    Examples
    --------
    >>> pitch_name(60), pitch_name(70)
    ('C4', 'Bb4')
    """
    return f"{_PITCH_CLASSES[pitch % 12]}{pitch // 12 - 1}"


@lru_cache(maxsize=1024)
def named_pitch(name: str) -> int | None:
    """Return the MIDI pitch that a name such as C#4, Db4 or B##3 stands for; None if for none.

    Examples
    --------
    >>> named_pitch("Db4"), named_pitch("B##3"), named_pitch("Cb4"), named_pitch("H4")
    (61, 61, 59, None)
    """
    if _PITCH_NAME.fullmatch(name) is None:
        return None
    step, alter, octave = spelled(name)
    return 12 * (octave + 1) + _STEPS[step] + alter


def spelled(name: str) -> tuple[str, int, int]:
    """Return step, alteration in semitones and octave of the name of a pitch.

    Examples
    --------
    >>> spelled("Eb4"), spelled("F##-1")
    (('E', -1, 4), ('F', 2, -1))
    """
    found = _PITCH_NAME.fullmatch(name)
    if found is None:
        raise ParameterError(f"name={name!r}, must be the name of a pitch, such as Eb4.")
    step, alter, octave = found.groups()
    return step, alter.count("#") - alter.count("b"), int(octave)


Event: TypeAlias = str | Note
"""What occurs: a symbol (a phone) or a `Note`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Example:
    """A recording, the events in it and, for training, when each begins.

    Parameters
    ----------
    audio : path or np.ndarray [shape=(n,)]
        The recording: a file, or samples at `rate`.
    events : sequence of Event, length K
        What occurs, in order.
    onsets : np.ndarray [shape=(K,)], optional
        True start of each event, in seconds; NaN for a note of the score that was not played,
        which aligners of other things than music refuse.
    end : float, optional
        End of the last event in seconds; None where it is the end of the recording.
    group : str, optional
        Who speaks or plays. In cross-fitting, features are never fitted to the group that they
        score.
    name : str, optional
        How messages call this example; by default the path of the audio.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where `audio` is an array.
    score : align.formats.scores.Score, optional
        Of music: the score the events are the notes of, with their durations, names and file.
    truth : align.formats.scores.NoteTruth, optional
        Of music: the rows `onsets` were made from; a note may have several.
    text : str, optional
        Of speech: what is said, in words.

    Raises
    ------
    ParameterError
        If there is not one onset, or one note of the score, for each event.

    Examples
    --------
    >>> Example("kiwi.wav", ("k", "iy", "w", "iy"), group="ann")
    Example('kiwi.wav', 4 events, group='ann')
    """

    audio: str | os.PathLike[str] | npt.NDArray[Any]
    events: tuple[Event, ...]
    onsets: npt.NDArray[np.float64] | None = None
    end: float | None = None
    group: str | None = None
    name: str = ""
    rate: int | None = None
    score: Any = None
    truth: Any = None
    text: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "events", events_in_order(self.events))
        if self.onsets is not None:
            onsets = np.asarray(self.onsets, dtype=np.float64)
            object.__setattr__(self, "onsets", onsets)
            if onsets.shape != (len(self.events),):
                raise ParameterError(
                    f"onsets.shape={onsets.shape}, must be (K,)=({len(self.events)},): "
                    "one onset for each event."
                )
        if self.score is not None and len(self.score) != len(self.events):
            raise ParameterError(
                f"score has {len(self.score)} notes, must have as many as there are events "
                f"({len(self.events)})."
            )
        if not isinstance(self.audio, np.ndarray | str | os.PathLike):
            kind = type(self.audio).__name__
            raise ParameterError(f"audio is a {kind}, must be a path or an array.")
        if not self.name and not isinstance(self.audio, np.ndarray):
            object.__setattr__(self, "name", os.fspath(self.audio))

    def __repr__(self) -> str:
        """Return what it is in a line, since a recording has thousands of numbers."""
        known = "" if self.onsets is None else " with onsets"
        group = f", group={self.group!r}" if self.group else ""
        return f"Example({self.name!r}, {len(self.events)} events{known}{group})"


def events_in_order(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events as a tuple; raises ParameterError for what has no order, and for a text."""
    if isinstance(events, str):
        raise ParameterError(f"events={events!r}, must be a sequence; split the text.")
    if not isinstance(events, Iterable) or isinstance(events, Set):
        kind = type(events).__name__
        raise ParameterError(f"events is a {kind}, must be a sequence, in order of time.")
    return tuple(events)


@dataclass(frozen=True)
class Mismatch:
    """A place where text, or score, and recording disagree.

    Parameters
    ----------
    kind : {"unspoken", "untranscribed", "misplaced", "unplayed", "unwritten"}
        Whether words of the text were not said, something was said that is not in the text, or
        words are probably elsewhere than where they were put; whether notes of the score were not
        played, or music that is not in the score.
    start, end : float
        Where, in seconds. Words that were not said lie in a pause, or between two sounds.
    words : tuple of str
        Those that were not said or are misplaced, or the names of the pitches that were not
        played; empty for what is not in the text or the score.
    probability : float
        Of the mismatch; NaN where a file does not say it.
    speaker : str
        Who speaks; empty where there is one speaker who has no name.
    notes : tuple of str
        What the score calls the notes that were not played.
    bars : (int, int), optional
        First and last bar of these notes, where the score has bars.

    Examples
    --------
    >>> print(Mismatch("unspoken", 1.0, 1.1, ("the", "kiwi"), 0.98))
    from 1.00 to 1.10 s: 'the kiwi' was probably not said (0.98)
    >>> print(Mismatch("misplaced", 1.0, 2.1, ("the", "green", "kiwi"), 0.8))
    from 1.00 to 2.10 s: 'the green kiwi' may be in the wrong place (0.80)
    >>> print(Mismatch("unplayed", 1.0, 1.1, ("C4",), 0.98, notes=("n7",), bars=(2, 2)))
    from 1.00 to 1.10 s, bar 2: C4 was probably not played (0.98)
    """

    kind: str
    start: float
    end: float
    words: tuple[str, ...]
    probability: float
    speaker: str = ""
    notes: tuple[str, ...] = ()
    bars: tuple[int, int] | None = None

    def __str__(self) -> str:
        if self.kind == "unplayed":
            many = len(self.words) > _FEW
            what = f"{len(self.words)} notes were" if many else f"{' '.join(self.words)} was"
            what += " probably not played"
        elif self.kind == "unwritten":
            what = "something was probably played that is not in the score"
        elif self.kind == MISPLACED:
            many = len(self.words) > _PASSAGE
            shown = f"{_ends(self.words)!r} ({len(self.words)} words)" if many else None
            what = f"{shown or repr(' '.join(self.words))} may be in the wrong place"
        elif len(self.words) > _PASSAGE:
            what = f"{_ends(self.words)!r} ({len(self.words)} words) was probably not said"
        elif self.words:
            what = f"{' '.join(self.words)!r} was probably not said"
        else:
            what = "something was probably said that is not in the text"
        where = "" if self.bars is None else f", {bars_named(self.bars)}"
        sure = "" if self.probability != self.probability else f" ({self.probability:.2f})"
        return f"{span_named(self.start, self.end)}{where}: {what}{sure}"

    @property
    def label(self) -> str:
        """What a tier calls it: the kind, and the words, or the ends of a hundred and more."""
        if len(self.words) > _CHAPTER:
            return f"{self.kind}: {_ends(self.words)} ({len(self.words)} words)"
        return f"{self.kind}: {' '.join(self.words)}" if self.words else self.kind


def _ends(words: tuple[str, ...]) -> str:
    return f"{' '.join(words[:3])} ... {' '.join(words[-3:])}"


@dataclass(frozen=True)
class PlayedPassage:
    """A passage of a score and where a recording holds it.

    Parameters
    ----------
    start, end : float
        Seconds of the recording: from its first chord to its last.
    score_start, score_end : float
        Seconds of the score.
    bars : (int, int), optional
        First and last bar, where the score has bars.

    Examples
    --------
    >>> print(PlayedPassage(0.5, 9.5, 10.0, 20.0, (6, 11)))
    from 0.5 to 9.5 s bars 6 to 11 (10.0 to 20.0 s of the score)
    """

    start: float
    end: float
    score_start: float
    score_end: float
    bars: tuple[int, int] | None = None

    def __str__(self) -> str:
        written = f"{self.score_start:.1f} to {self.score_end:.1f} s of the score"
        where = written if self.bars is None else f"{bars_named(self.bars)} ({written})"
        return f"from {self.start:.1f} to {self.end:.1f} s {where}"


def span_named(start: float, end: float) -> str:
    """Return how messages call some seconds of a recording; words that are not said have none.

    Examples
    --------
    >>> span_named(1.0, 1.1), span_named(1.0, 1.0), span_named(0.0, 0.0)
    ('from 1.00 to 1.10 s', 'at 1.00 s', 'at the beginning')
    """
    low, high = f"{start:.2f}", f"{end:.2f}"
    if low != high:
        return f"from {low} to {high} s"
    return "at the beginning" if float(low) == 0 else f"at {low} s"


def bars_named(bars: tuple[int, int]) -> str:
    """Return how messages call bars, given the first and the last.

    Examples
    --------
    >>> bars_named((3, 3)), bars_named((3, 5))
    ('bar 3', 'bars 3 to 5')
    """
    first, last = bars
    return f"bar {first}" if first == last else f"bars {first} to {last}"
