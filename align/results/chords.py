"""Notes grouped into chords: which, where in the score, and when they are played.

Notes that the score begins together are a *chord*. Its notes need not be played together; chords
themselves increase strictly, in the score and in the recording.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.results.timing import vector
from align.types import Event, Float64, IntArray, Note

_CHORD = 0.004  # score seconds within which notes are one chord, as in align.formats.scores
_LAST = 1.0  # seconds given to the last notes where nothing says how long they are


class Chords(NamedTuple):
    """Chord of each note [shape=(N,)]; seconds of each chord, played and in the score [(G,)]."""

    group: IntArray
    onsets: Float64
    score_onsets: Float64


def score_onsets_of(events: Sequence[Event]) -> Float64:
    """Return the score times of notes in seconds [shape=(N,)]; they must be in order."""
    for k, note in enumerate(events):
        if not isinstance(note, Note):
            raise ParameterError(f"event {k + 1} is {note!r}, must be a Note.")
        before = events[k - 1] if k else note
        if isinstance(before, Note) and (note.onset, note.pitch) < (before.onset, before.pitch):
            raise ParameterError(
                f"note {k + 1} ({note.name} at {note.onset:g} s) must not come "
                f"before note {k} ({before.name} at {before.onset:g} s) in the "
                "score; sort by onset and pitch."
            )
    onsets = np.array([note.onset for note in events if isinstance(note, Note)], dtype=np.float64)
    if not np.isfinite(onsets).all():
        raise ParameterError("score onsets must be finite.")
    return onsets


def checked_chords(
    note_score_onsets: Float64,
    note_onsets: Float64,
    chord_of: npt.ArrayLike | None,
    onsets: npt.ArrayLike | None,
    score_onsets: npt.ArrayLike | None,
) -> Chords:
    """Return chords that are checked, or made up where they are not given.

    Notes have seconds [shape=(N,)] in the score and in the recording, chords [shape=(G,)]. By
    default notes less than `_CHORD` apart in the score are one chord; its times are the mean of
    the notes, in the recording moved as little as makes them increase. Raises ParameterError if
    chords are not counted from 0 in order, or their times do not increase.
    """
    n = note_score_onsets.size
    if chord_of is None:
        gaps = np.diff(note_score_onsets, prepend=note_score_onsets[:1])
        chord_of = np.cumsum(gaps > _CHORD)
    group = np.array(chord_of, dtype=np.intp)
    steps = np.diff(group, prepend=0)
    if group.shape != (n,) or (n and (group[0] != 0 or ((steps != 0) & (steps != 1)).any())):
        raise ParameterError(
            f"chord_of must hold, for each of the {n} notes, its chord: from 0, each number "
            "equal to the one before or one more."
        )
    n_chords = int(group[-1]) + 1 if n else 0
    sizes = np.bincount(group, minlength=n_chords)
    if onsets is None:
        onsets = increasing(np.bincount(group, note_onsets, n_chords) / sizes)
    if score_onsets is None:
        score_onsets = np.bincount(group, note_score_onsets, n_chords) / sizes
    group.setflags(write=False)
    return Chords(
        group,
        _increasing_vector(onsets, n_chords, "chord_onsets"),
        _increasing_vector(score_onsets, n_chords, "chord_score_onsets"),
    )


def _increasing_vector(times: npt.ArrayLike, n: int, name: str) -> Float64:
    checked = vector(times, n, name)
    if not np.isfinite(checked).all() or not (np.diff(checked) > 0).all():
        raise ParameterError(f"{name} must be finite and increase strictly.")
    return checked


def guessed_durations(chord_score_onsets: Float64, chord_of: IntArray) -> Float64:
    """Let each note last until the next chord, the last ones as long as those before."""
    if not chord_of.size:
        return np.empty(0)
    gaps = np.diff(chord_score_onsets)
    gaps = np.append(gaps, gaps[-1] if gaps.size else _LAST)
    return gaps[chord_of]


def increasing(times: Float64, least: float = 1e-3) -> Float64:
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
