"""Whether a recording follows a score, found by comparison with the score read backwards.

How many of its notes a network finds depends on the instruments as much as on the score: of a
choir, which it was never trained on, it may find no more than of another piece on the piano. The
coarse alignment has learned nothing. A score of other music costs it about as much forwards as
backwards: both have the same pitches and lengths, and neither fits. The right one costs less
forwards, on any instrument.

The score is turned round in two ways, of which the one that fits better counts: the beginnings of
notes may mirror their beginnings or their ends.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from align.features.notes.note_levels import semitone_levels
from align.formats.scores import Score, chords
from align.music.checking.passages import find_whole
from align.music.performances.coarse import coarse_alignment
from align.music.performances.performance import Performance
from align.progress import counted

_CLEAR = 0.1
"""Cost by which a right score fits better forwards: .16 or more of 28 pianos, wrong ones .05."""

OF_A_LINE = 0.035
"""The same of one line of what is played: two of 52 right ones have less, and misplaced ones."""
_TIMES = 1.3  # what is gained backwards; in concerts right scores 1.46, others 1.17 at most


def follows_score(performance: Performance, least: float = _CLEAR) -> bool:
    """Return whether a recording fits its score better than the score read backwards.

    By a cost of `least`, or more.
    """
    signal = performance.signal
    level = semitone_levels(signal)
    backwards = min(
        coarse_alignment(level, signal.hop, score, chords(score)).cost
        for score in counted(
            list(_turned(performance.notes)), performance.progress, "reading it backwards"
        )
    )
    return backwards - performance.cost >= least


def is_within(performance: Performance, shift: int = 0) -> bool:
    """Return whether a longer recording holds all of its score somewhere.

    It may be `shift` semitones higher. Any score fits somewhere, but at its best place the right
    one fits far better than backwards.
    """
    level, hop = semitone_levels(performance.signal), performance.signal.hop

    def gain(score: Score) -> float:
        return find_whole(level, hop, score, (shift,)).gain

    turned = counted(
        list(_turned(performance.notes)), performance.progress, "reading it backwards"
    )
    return gain(performance.notes) > _TIMES * max(map(gain, turned))


def _turned(score: Score) -> Iterator[Score]:
    """Yield the score with beginnings of notes where they began, and where they ended."""
    for onsets in (score.onsets.max() - score.onsets, score.ends.max() - score.ends):
        order = np.lexsort((score.pitches, onsets))
        yield replace(
            score,
            pitches=score.pitches[order],
            onsets=onsets[order],
            durations=score.durations[order],
            grace=score.grace[order],
            names=(),
        )
