"""Chords that were put where a recording is silent, since it does not hold them.

Where sound was lost within a recording, as on a damaged tape, or some bars were left out during a
pause, the decoder still has to put their chords somewhere. Nothing begins there: no note of 28
recordings, by their truth, is where `_BEFORE` to `_BEHIND` it all is silent. Of quiet music the
network finds the notes.
"""

from dataclasses import replace

import numpy as np

from align.features.notes.note_levels import semitone_levels
from align.music.checking.parts import PlayedPart, part_of
from align.music.checking.passages import Passage
from align.music.performances.coarse import Sound
from align.music.performances.performance import Performance
from align.types import Float64

_BEFORE, _BEHIND = 0.05, 0.15  # seconds about the onset of a chord
_LEAST = 2  # chords: a single one may only be misplaced
_FOUND = 0.1  # probability; of quiet chords the network finds more, of missing ones .00


def silent_stretches(times: Float64, found: Float64, sound: Sound) -> list[tuple[int, int]]:
    """Return the first and the last chord of all stretches that lie in silence.

    Chords were put at `times` [shape=(G,)], in seconds; of each the network finds its notes with
    the probability `found` [shape=(G,)]. Silence at either end of the recording is left to others.

    Examples
    --------
    >>> sound = Sound(np.repeat([True, False, True], [40, 80, 40]), 0.05)
    >>> silent_stretches(np.arange(8.0), np.repeat([0.8, 0.0, 0.8], [2, 4, 2]), sound)
    [(2, 5)]
    >>> silent_stretches(np.arange(8.0), np.full(8, 0.8), sound)
    []
    """
    begin, end = sound.span()
    silent = np.array([sound.between(t - _BEFORE, t + _BEHIND) == 0.0 for t in times.tolist()])
    silent &= (times > begin) & (times < end)
    # so are chords beside it of which nothing is found
    missing = found < _FOUND
    runs = np.flatnonzero(np.diff(np.r_[0, missing.astype(np.intp), 0])).reshape(-1, 2)
    return [
        (first, stop - 1)
        for first, stop in runs.tolist()
        if (silent & missing)[first:stop].sum() >= _LEAST
    ]


def without_silent(whole: Performance, times: Float64, found: Float64) -> list[PlayedPart]:
    """Return the part of a score that is left without chords in silence, if there are some.

    The parameters are those of `silent_stretches`.
    """
    sound = Sound.of(semitone_levels(whole.signal), whole.signal.hop)
    cuts = silent_stretches(times, found, sound)
    starts = [0, *(last + 1 for _, last in cuts)]
    stops = [*(first for first, _ in cuts), times.size]
    passages = tuple(
        Passage(a, b - 1, times[a:b]) for a, b in zip(starts, stops, strict=True) if a < b
    )
    if not cuts or not passages:
        return []
    return [replace(part, sure=True) for part in part_of(whole, passages, whole.shift)]
