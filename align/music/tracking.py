"""Where in a score a performance is, roughly: a filter over all places and tempos.

Frames of 50 ms of the recording are compared with those of the score, as in `align.music.coarse`.
The state is a place in the score and a speed; in each frame a performance moves on by its speed,
which changes little, or stands still (a fermata, or silence before it begins), or, rarely, goes to
any place: a passage is left out or repeated. The filter holds the probability of each state given
what was heard so far; it never forgets a place for good, so it finds its way back.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.formats.scores import Score
from align.music.coarse import written_profile

__all__ = ["FRAME", "Place", "Tracker"]

Float32 = npt.NDArray[np.float32]

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

    def hear(self, profile: Float32) -> Place:
        """Go on by one frame of the recording, `recorded_profile` [shape=(2 N_BANDS,)]."""
        moved = self._moved()
        moved *= np.exp(_SURE * (self.written @ profile))
        self.p = moved / moved.sum()
        return self.place()

    def _moved(self) -> Float32:
        p, n = self.p, self.n
        out = np.zeros_like(p)
        going = p[:-1]
        spread = (1 - 2 * _CHANGE) * going
        spread[1:] += _CHANGE * going[:-1]
        spread[:-1] += _CHANGE * going[1:]
        for row, speed in enumerate(_SPEEDS):
            whole, part = int(speed), speed - int(speed)
            out[row, whole:] += (1 - part) * spread[row, : n - whole]
            out[row, whole + 1 :] += part * spread[row, : n - whole - 1]
        still = p[-1]
        halted = _HALT * out[:-1].sum(axis=0)
        out[:-1] *= 1 - _HALT
        out[:-1] += (_GO_ON * still) * self.begin[:, None]
        out[-1] = (1 - _GO_ON) * still + halted
        out[:-1] += _ANYWHERE / n * self.begin[:, None]
        return out

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
