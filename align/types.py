"""The types every part of Align shares: events, examples and arrays.

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
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError

__all__ = [
    "SILENCE",
    "SILENCES",
    "SPOKEN_NOISE",
    "Event",
    "Example",
    "FloatArray",
    "IntArray",
    "Note",
    "pitch_name",
]

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.intp]

SILENCE = "sil"
"""The label that Align itself gives to silence."""

SILENCES = ("sil", "sp", "pau", "h#", "", "sp1", "epi", "<p:>", "<eps>", "_", "#", "spn")
"""Labels that mean silence or noise, those that most label sets prefer first."""


SPOKEN_NOISE = "spn"
"""The label of a stretch that may hold any sound: laughter, a cough, unknown words."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a score.

    Parameters
    ----------
    pitch : int
        MIDI number, 69 is A4.
    onset : float
        Time in the score, in seconds.
    """

    pitch: int
    onset: float

    def __str__(self) -> str:
        return str(self.pitch)


_PITCH_CLASSES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")


def pitch_name(pitch: int) -> str:
    """Name a MIDI pitch as a person would, middle C being C4.

    Examples
    --------
    >>> pitch_name(60), pitch_name(70)
    ('C4', 'Bb4')
    """
    return f"{_PITCH_CLASSES[pitch % 12]}{pitch // 12 - 1}"


Event: TypeAlias = str | Note
"""What occurs: a symbol (a phone) or a `Note`."""


@dataclass(frozen=True, slots=True, eq=False)
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
        if isinstance(self.events, str):
            raise ParameterError(f"events={self.events!r}, must be a sequence; split the text.")
        object.__setattr__(self, "events", tuple(self.events))
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
        if not self.name and not isinstance(self.audio, np.ndarray):
            object.__setattr__(self, "name", os.fspath(self.audio))
