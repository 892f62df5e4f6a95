"""Recordings of a part of a score: those that start late or stop early.

Where a recording does not match its score, it may still match a part of it. The coarse alignment
is then allowed to leave out the ends of the score; the rest is aligned as a score of its own.
Notes that are left out are given times that continue the tempo as far as the recording goes, and a
confidence of 0.
"""

import numpy as np
import numpy.typing as npt

from align.features.note_levels import semitone_levels
from align.music.coarse import coarse_alignment
from align.music.performance import Performance, make_performance
from align.music.tempo import local_tempo
from align.sequence.frames import in_order
from align.types import IntArray

__all__ = ["continued", "missing_notes", "played_part"]

Float64 = npt.NDArray[np.float64]


def played_part(performance: Performance) -> tuple[Performance, IntArray] | None:
    """Return the part of a score that a recording holds, and its notes among those of the score.

    None where the part is all, or a single chord.
    """
    found = coarse_alignment(
        semitone_levels(performance.signal),
        performance.signal.hop,
        performance.notes,
        performance.chords,
        partial=True,
    )
    n_left = len(performance.chords) - (found.last - found.first + 1)
    if n_left == 0 or found.last == found.first:
        return None
    chord = performance.chord_of
    index = np.flatnonzero((chord >= found.first) & (chord <= found.last))
    return make_performance(performance.signal, performance.score.take(index)), index


def continued(score_onsets: Float64, known: IntArray, times: Float64, duration: float) -> Float64:
    """Return times of all chords, those at either end by the tempo there [shape=(G,)].

    The chords stand at `score_onsets` [shape=(G,)], increasing; successive ones were found,
    `known` [shape=(P,)], at `times` in seconds. The result increases strictly, within the
    recording.

    Examples
    --------
    >>> continued(np.arange(4.0), np.array([1, 2]), np.array([3.0, 5.0]), 10.0)
    array([1., 3., 5., 7.])
    """
    tempo = local_tempo(score_onsets[known], times)
    out = np.empty(score_onsets.size)
    first, last = int(known[0]), int(known[-1])
    out[known] = times
    out[:first] = times[0] - tempo[0] * (score_onsets[first] - score_onsets[:first])
    out[last + 1 :] = times[-1] + tempo[-1] * (score_onsets[last + 1 :] - score_onsets[last])
    return in_order(out, duration)


def missing_notes(index: IntArray, n_notes: int) -> str:
    """Return which notes are left out.

    Examples
    --------
    >>> missing_notes(np.arange(10, 100), 120)[:77]
    'the recording holds a part of the score: its first 10 and its last 20 notes, '
    """
    ends = (("first", int(index[0])), ("last", n_notes - 1 - int(index[-1])))
    which = " and ".join(f"its {end} {count}" for end, count in ends if count)
    return (
        f"the recording holds a part of the score: {which} notes, of {n_notes}, seem not to have "
        "been played; their times mean nothing."
    )
