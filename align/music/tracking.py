"""Where in a score a performance is, roughly: a filter over all places and tempos.

Frames of 50 ms of the recording are compared with those of the score, as in
`align.music.performances.coarse`. The state is a place in the score and a speed; in each frame a
performance moves on by its speed, which changes little, or stands still (a fermata, or silence
before it begins), or, rarely, goes to any place: a passage is left out or repeated. The filter
holds the probability of each state given the sound so far; it never forgets a place for good,
so it finds its way back.
"""

from typing import Any, NamedTuple

import numpy as np

from align._numba import compiled
from align.formats.scores import Score
from align.music.performances.coarse import written_profile
from align.types import Float32

FRAME = 0.050  # seconds
_SPEEDS = np.geomspace(0.35, 2.9, 19)  # seconds of the score in a second of the performance
_CHANGE = 0.03  # probability that the speed is the next one up, or down
_HALT, _GO_ON = 0.001, 0.4  # probability to stand still, and to go on again
_ANYWHERE = 1e-5  # probability to go to any place
_SURE = 2.0  # how much a frame that fits says
_ABOUT = 1.0  # seconds of the score about the likeliest place that are one place


class Place(NamedTuple):
    """Where a performance is: seconds of the score, its speed, and the probability of both."""

    written: float
    speed: float
    probability: float


class Tracker:
    """The filter; `score` is what may be played."""

    def __init__(self, score: Score) -> None:
        self.origin = float(score.onsets[0])
        length = float(score.ends.max()) - self.origin
        self.n = max(2, int(np.ceil(length / FRAME)) + 1)
        self.written = written_profile(score, self.n, 1.0 / FRAME, FRAME)
        self.p = np.zeros((len(_SPEEDS) + 1, self.n), dtype=np.float32)  # the last stands still
        middle = np.exp(-0.5 * (np.log(_SPEEDS) / 0.35) ** 2)
        self.p[-1, 0] = 1.0
        self.begin = (middle / middle.sum()).astype(np.float32)

    def advance(self, profiles: Float32) -> Place:
        """Go on by some frames of the recording, `recorded_profile` [shape=(n, 2 N_BANDS)]."""
        fits = np.exp(_SURE * (self.written @ profiles.T)).T  # of all at once: it is read once
        for fit in np.ascontiguousarray(fits):
            moved = np.empty_like(self.p)
            _move(self.p, self.begin, _SPEEDS, fit, moved)
            moved /= moved.sum()
            self.p = moved
        return self.place()

    def place(self) -> Place:
        """Return the likeliest place: the mean about the highest probability."""
        over = self.p.sum(axis=0)
        reach = round(_ABOUT / FRAME)
        top = int(over.argmax())
        near = slice(max(0, top - reach), top + reach + 1)
        mass = float(over[near].sum())
        cells = np.arange(self.n)[near]
        going = self.p[:-1, near].sum(axis=1)
        speed = float(np.exp((going @ np.log(_SPEEDS)) / max(float(going.sum()), 1e-9)))
        written = float((over[near] @ cells) / mass) * FRAME + self.origin
        return Place(written, speed, mass)


@compiled()
def _move(p: Any, begin: Any, speeds: Any, fit: Any, out: Any) -> None:
    """Write the probability of each state after one more frame, but for a factor.

    The loops over places stand innermost and are plain: a long score has some 50,000. A speed is
    no whole number of places, so a performance goes on from two.
    """
    n, last = p.shape[1], len(speeds)
    half = np.float32(_CHANGE)
    kept, stays, goes = np.float32(1 - 2 * _CHANGE), np.float32(1 - _GO_ON), np.float32(_GO_ON)
    spread = np.empty(n, dtype=np.float32)
    for c in range(n):
        out[last, c] = stays * p[last, c]
    for row in range(last):
        # what the speed was before: this one, or with little probability a neighbour
        for c in range(n):
            spread[c] = kept * p[row, c]
        if row > 0:
            for c in range(n):
                spread[c] += half * p[row - 1, c]
        if row < last - 1:
            for c in range(n):
                spread[c] += half * p[row + 1, c]
        whole = int(speeds[row])
        part = np.float32(speeds[row] - whole)
        restart, anywhere = begin[row] * goes, begin[row] * np.float32(_ANYWHERE / n)
        for c in range(n):
            out[row, c] = restart * p[last, c] + anywhere
        # from that on by `whole` places or one more; the next frame may stand still
        halts, goes_on = np.float32(_HALT), np.float32(1 - _HALT)
        for c in range(whole, n):
            going = (np.float32(1) - part) * spread[c - whole]
            if c > whole:
                going += part * spread[c - whole - 1]
            out[last, c] += halts * going
            out[row, c] += goes_on * going
    for row in range(last + 1):  # and what the frame sounds like
        for c in range(n):
            out[row, c] *= fit[c]
