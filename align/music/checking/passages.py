"""Which passages of a score a recording holds, in which order, and how much higher it sounds.

The recording is compared with the score frame by frame, with the representations and costs of
`align.music.performances.coarse`. A path may begin and end anywhere in either. From one frame of
the recording to the next it goes on by none, one or two frames of the score, or jumps to any of
them; it may also leave the score for a while, for applause or speech. With D(i, j) the least cost
of a path that is in frame i of the recording at frame j of the score, and G(i) of one that is
outside ::

    D(i, j) = c(i, j) + min(D(i-1, j) + s, D(i-1, j-1), D(i-1, j-2) + s, A(i) + jump)
    A(i) = min(G(i-1), min_j D(i-1, j))
    G(i) = A(i) + outside

As every frame of the recording counts once, the costs of scores that are stretched, or shifted in
pitch, can be compared. Six tempos are tried in all keys with coarse frames, and more where the
score may be a small part of the recording; the best ones with finer frames. A jump is searched
over all frames of the score, so the path is exact.

A recording of much else besides, such as a concert, is fitted by passages that are alike by
chance, as most of its frames must be. There the score is looked for as a whole, each of *its*
frames once: the same recursion with recording and score exchanged, without jumps, from anywhere to
anywhere. Going on unevenly costs more then, or all of the score would lie on one chord.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align._numba import compiled
from align.features.sound.pitch import N_BANDS
from align.formats.scores import Chords, Score
from align.music.performances.coarse import (
    averaged,
    playing_frames,
    recorded_profile,
    written_profile,
)
from align.progress import Progress, counted
from align.types import Float32, Float64, IntArray

_STRETCHES = (0.63, 1.0, 1.6, 2.5, 4.0, 6.3)  # frames of the score for each of the recording
_SMALL = (0.06, 0.1, 0.16, 0.25, 0.4)  # where a score is as long in the tempo that it states
_FASTER = 1.6  # times that tempo at most
_TEMPOS = (0.4, 0.5, 0.63, 0.8, 1.0, 1.26, 1.6, 2.0, 2.5, 3.2, 4.0)  # seconds for one of the score
_UNEVEN_WHOLE = 0.3  # typical costs, where a whole score is looked for
_WORTH = 0.1  # of costs in 0..2: what is played fits better than elsewhere by .27 or more
_FIRST_STEP, _STEP = 0.25, 0.10  # seconds of a frame: to choose stretch and key, and then
_MOST_CELLS = 60_000_000  # one byte each; beyond, frames grow
_OUTSIDE = 1.25  # cost of a frame outside the score, in typical costs of one that fits
_LEAST_OUTSIDE = 0.95  # of costs in 0..2, where a recording fits as no real one does
_JUMP = 3.5  # seconds of typical cost
_CUT, _CUT_STEP = 1.0, 0.05  # the same, and seconds of a frame, where a cut is known to be near
_UNEVEN = 0.05  # typical costs, for going on by none or by two frames
_SHORTEST = 2.0  # seconds; less is not told from chance
_SLACK = 0.3  # seconds by which the first and the last frame may be missed
_ALIKE = 0.3  # of what the tempo says, by which what is between two passages may last otherwise
_OTHER_KEY = 0.02  # by how much less a path in another key must cost, of the cost in this one

_Solved: TypeAlias = tuple[float, npt.NDArray[np.uint8], IntArray, int]


@dataclass(frozen=True, eq=False)
class Passage:
    """Chords `first` to `last`, included, and about when they are played, `times` in seconds."""

    first: int
    last: int
    times: Float64


@dataclass(frozen=True, eq=False)
class Passages:
    """What a recording holds: passages in the order of playing, `shift` semitones higher."""

    passages: tuple[Passage, ...]
    shift: int
    cost: float


class WholePlace(NamedTuple):
    """Where a whole score fits best, from `begin` to `end` in seconds, `shift` semitones higher.

    `gain` is by how much it fits better there than elsewhere, a mean over its frames, minus
    infinity where the score is too long for the recording.
    """

    begin: float
    end: float
    shift: int
    gain: float

    @property
    def worth(self) -> float:
        """What is gained in all: of two ways through a score the one that was played has more."""
        return (self.gain - _WORTH) * (self.end - self.begin)


@one_thread()
def find_passages(
    level: Float32,
    hop: float,
    score: Score,
    chords: Chords,
    shifts: Iterable[int] = (0,),
    progress: Progress | None = None,
) -> Passages:
    """Return which passages of a score a recording holds.

    `level` [shape=(T, N_BANDS)] and `hop` are those of `coarse_alignment`; `shifts` are semitones
    by which the recording may sound higher than the score. There is no passage where nothing of
    two seconds fits. `progress` is called with the keys and tempos that are tried.
    """
    keys = sorted(set(shifts), key=lambda shift: (abs(shift), shift))
    first = _Problem(level, hop, score, _FIRST_STEP)
    stated = first.length / (len(first.recorded) * first.frame)
    stretches = (*(r for r in _SMALL if r * _FASTER > stated), *_STRETCHES)
    tried = [(k, r) for k in keys for r in stretches]
    found = {(k, r): first.cost(k, r) for k, r in counted(tried, progress, "looking for passages")}
    shift, stretch = min(found, key=lambda pair: found[pair])
    here = min((cost, r) for (k, r), cost in found.items() if k == keys[0])
    if found[shift, stretch] > (1.0 - _OTHER_KEY) * here[0]:
        shift, stretch = keys[0], here[1]
    fine = _Problem(level, hop, score, _STEP)
    rows, columns, cost = fine.path(shift, stretch)
    passages = fine.passages(rows, columns, stretch, chords)
    return Passages(passages, shift, cost)


@one_thread()
def find_whole(
    level: Float32,
    hop: float,
    score: Score,
    shifts: Iterable[int] = (0,),
    progress: Progress | None = None,
) -> WholePlace:
    """Return from when to when a whole score fits best in a longer recording, and in which key.

    That is where it fits so much better than at the usual place: what is short, or in few keys,
    fits well in many. Times are in seconds, about; the key is in semitones above the score. The
    parameters are those of `find_passages`. Where the score is too long for the recording, that is
    all of it.
    """
    keys = sorted(set(shifts), key=lambda shift: (abs(shift), shift))
    length = float(score.ends.max() - score.onsets[0])
    first = _Problem(level, hop, score, _FIRST_STEP, _TEMPOS[-1] * length / (len(level) * hop))
    tried = counted([(k, t) for k in keys for t in _TEMPOS], progress, "looking for the score")
    found = {(k, t): first.whole(k, t)[0] for k, t in tried}
    shift, tempo = max(found, key=lambda pair: found[pair])
    here = max((gain, t) for (k, t), gain in found.items() if k == keys[0])
    if found[shift, tempo] < (1.0 + _OTHER_KEY) * here[0]:
        shift, tempo = keys[0], here[1]
    if not np.isfinite(found[shift, tempo]):
        return WholePlace(0.0, len(level) * hop, 0, -np.inf)
    gain, frames = first.whole(shift, tempo)
    begin, end = (first.kept[frames[[0, -1]]] + np.array([0, 1])) * first.frame
    return WholePlace(float(begin), float(end), shift, gain)


@one_thread()
def find_cut(
    level: Float32, hop: float, score: Score, chords: Chords, pace: float
) -> tuple[Passage, ...]:
    """Return the passages of a few seconds of a score that some seconds of a recording hold.

    All of it is music of this score, at `pace` seconds for one of the score, but some of the score
    is probably not there. The other parameters are those of `find_passages`.
    """
    problem = _Problem(level, hop, score, _CUT_STEP)
    stretch = problem.length * pace / (len(problem.recorded) * problem.frame)
    rows, columns, _ = problem.path(0, stretch, jump=_CUT, outside=np.inf)
    return problem.passages(rows, columns, stretch, chords)


class _Problem:
    """A recording and a score in frames of one length."""

    def __init__(
        self,
        level: Float32,
        hop: float,
        score: Score,
        step: float,
        most: float = _STRETCHES[-1],
    ) -> None:
        """Frames are `step` seconds, or more where `most` of the score for each were too many."""
        step = max(step, len(level) * hop * np.sqrt(most / _MOST_CELLS))
        audio, width = averaged(level, max(1, round(step / hop)))
        self.frame = width * hop
        self.kept = playing_frames(audio, self.frame)
        self.recorded = recorded_profile(audio[self.kept])
        self.score = score
        self.length = max(float(score.ends.max() - score.onsets[0]), 1e-3)
        self._written: dict[int, Float32] = {}

    def cost(self, shift: int, stretch: float) -> float:
        """Return the cost of the best path, as a mean over the frames of the recording."""
        cost, *_ = self._solve(shift, stretch)
        return cost

    def path(
        self, shift: int, stretch: float, *, jump: float = _JUMP, outside: float = _OUTSIDE
    ) -> tuple[IntArray, IntArray, float]:
        """Return the frames of the recording that are in the score, where, and the cost."""
        cost, steps, entered, last = self._solve(shift, stretch, jump, outside)
        where = np.full(len(steps), -1, dtype=np.intp)
        _trace(steps, entered, last, where)
        rows = np.flatnonzero(where >= 0)
        return rows, where[rows], cost

    def whole(self, shift: int, tempo: float) -> tuple[float, IntArray]:
        """Return by how much less a whole score costs at its best place, and that of its frames.

        Less than at the usual place, as a mean over the frames of the score; minus infinity where
        they are too many.
        """
        n, m = len(self.recorded), max(2, round(self.length * tempo / self.frame))
        where = np.zeros(m, dtype=np.intp)
        if m > n:
            return -np.inf, where
        written = _shifted(self._profile(m), shift)
        target = np.ascontiguousarray(self.recorded.T)
        some = written[:: max(1, m // 300)]
        uneven = _UNEVEN_WHOLE * float(np.median(2.0 - (some @ target).max(axis=1)))
        steps, entered = np.empty((m, n), dtype=np.uint8), np.empty((m, 2), dtype=np.intp)
        before, state = np.zeros(n), np.array([np.inf, np.inf, -1.0])
        for begin in range(0, m, 256):
            cost = np.float32(2.0) - written[begin : begin + 256] @ target
            part = slice(begin, begin + 256)
            _advance(cost, np.inf, np.inf, uneven, before, state, steps[part], entered[part])
        _trace(steps, entered, int(state[2]), where)
        return float(np.median(before) - state[1]) / m, np.maximum.accumulate(np.maximum(where, 0))

    def _profile(self, m: int) -> Float32:
        """Return the score in m frames, made once for all keys."""
        if m not in self._written:
            self._written[m] = written_profile(self.score, m, m / self.length, self.frame)
        return self._written[m]

    def _solve(
        self, shift: int, stretch: float, jump: float = _JUMP, outside: float = _OUTSIDE
    ) -> _Solved:
        recorded, n = self.recorded, len(self.recorded)
        m = max(2, round(n * stretch))
        target = np.ascontiguousarray(_shifted(self._profile(m), shift).T)
        some = recorded[:: max(1, n // 300)]
        typical = float(np.median(2.0 - (some @ target).max(axis=1)))
        steps = np.empty((n, m), dtype=np.uint8)
        entered = np.empty((n, 2), dtype=np.intp)
        before, state = np.full(m, np.inf), np.array([0.0, np.inf, -1.0])
        jump *= typical * (_OUTSIDE - 1.0) / self.frame
        outside, uneven = max(outside * typical, _LEAST_OUTSIDE), _UNEVEN * typical
        for begin in range(0, n, 256):
            cost = np.float32(2.0) - recorded[begin : begin + 256] @ target
            part = slice(begin, begin + 256)
            _advance(cost, outside, jump, uneven, before, state, steps[part], entered[part])
        last = int(state[2]) if state[1] <= state[0] else -1
        return float(min(state[0], state[1])) / n, steps, entered, last

    def passages(
        self,
        rows: IntArray,
        columns: IntArray,
        stretch: float,
        chords: Chords,
    ) -> tuple[Passage, ...]:
        """Return the chords on a path, in passages without a jump."""
        scale = max(2, round(len(self.recorded) * stretch)) / self.length
        where = (chords.onsets - self.score.onsets[0]) * scale
        ends = np.flatnonzero(
            (np.diff(columns) < 0) | (np.diff(columns) > 2) | (np.diff(rows) > 1)
        )
        out, last = [], rows.size - 1
        for part in np.split(np.arange(rows.size), ends + 1):
            if part.size * self.frame < _SHORTEST:
                continue
            slack = 0.5 + _SLACK / self.frame * stretch * np.array(
                [part[0] == 0, part[-1] == last]
            )
            low, high = columns[part[0]] - slack[0], columns[part[-1]] + slack[1]
            inside = np.flatnonzero((where >= low) & (where <= high))
            if inside.size < 2:
                continue
            place, first = np.unique(columns[part], return_index=True)
            at = np.interp(where[inside], place, rows[part][first])
            times = np.interp(at, np.arange(self.kept.size), self.kept) * self.frame
            out.append(Passage(int(inside[0]), int(inside[-1]), times))
        return joined(out, chords.onsets)


def joined(found: Sequence[Passage], onsets: Float64) -> tuple[Passage, ...]:
    """Join passages between which the recording goes on as the score does.

    What is between them fits badly, but it was played: trills, a cough, a pedal. Chords stand at
    `onsets` [shape=(G,)] in the score.

    Examples
    --------
    >>> before = Passage(0, 2, np.array([1.0, 2.1, 3.0]))
    >>> [whole] = joined([before, Passage(5, 6, np.array([6.0, 7.1]))], np.arange(9.0))
    >>> whole.times.tolist()
    [1.0, 2.1, 3.0, 4.0, 5.0, 6.0, 7.1]
    >>> later = Passage(5, 6, np.array([16.0, 17.1]))
    >>> len(joined([before, later], np.arange(9.0)))
    2
    """
    out: list[Passage] = []
    for passage in found:
        if not out or passage.first <= out[-1].last:
            out.append(passage)
            continue
        before = out[-1]
        both = [before, passage]
        played = sum(float(p.times[-1] - p.times[0]) for p in both)
        written = sum(float(onsets[p.last] - onsets[p.first]) for p in both)
        gap = float(passage.times[0] - before.times[-1])
        usual = float(onsets[passage.first] - onsets[before.last]) * played / written
        if abs(gap - usual) > max(_SLACK, _ALIKE * usual):
            out.append(passage)
            continue
        between = np.arange(before.last, passage.first + 1)
        ends = [before.times[-1], passage.times[0]]
        times = np.interp(onsets[between], onsets[between[[0, -1]]], ends)
        out[-1] = Passage(
            before.first, passage.last, np.r_[before.times, times[1:-1], passage.times]
        )
    return tuple(out)


def _shifted(written: Float32, shift: int) -> Float32:
    """Return a score `shift` semitones higher; bands come in at one end, silent."""
    if shift == 0:
        return written
    out = np.zeros_like(written)
    for half in (slice(0, N_BANDS), slice(N_BANDS, 2 * N_BANDS)):
        moved = np.roll(written[:, half], shift, axis=1)
        moved[:, :shift] = 0.0 if shift > 0 else moved[:, :shift]
        if shift < 0:
            moved[:, shift:] = 0.0
        out[:, half] = moved
    return out


@compiled()
def _advance(
    cost: Float32,
    outside: float,
    jump: float,
    uneven: float,
    before: Float64,
    state: Float64,
    steps: npt.NDArray[np.uint8],
    entered: IntArray,
) -> None:
    """Run the recursion over rows of costs.

    `before` holds D(i-1, .) on entry and D(i, .) after; `state` holds G, the least of D and where
    that is. `steps` gets by how many frames of the score the path went on, 3 for a jump. `entered`
    gets where a jump into row i came from, and where a stay outside did: a column, or -1 outside.
    """
    n, m = cost.shape
    for i in range(n):
        source, reach = -1, state[0]
        if state[1] < reach:
            source, reach = int(state[2]), state[1]
        entered[i, 0], entered[i, 1] = source, source
        arrive = reach + jump
        least, where = np.inf, -1
        # From right to left, so that what is left of j is still of the row above.
        for j in range(m - 1, -1, -1):
            best, step = before[j] + uneven, 0
            if j > 0 and before[j - 1] <= best:
                best, step = before[j - 1], 1
            if j > 1 and before[j - 2] + uneven < best:
                best, step = before[j - 2] + uneven, 2
            if arrive < best:
                best, step = arrive, 3
            before[j] = best + cost[i, j]
            steps[i, j] = step
            if before[j] <= least:
                least, where = before[j], j
        state[0] = reach + outside
        state[1], state[2] = least, where


@compiled()
def _trace(
    steps: npt.NDArray[np.uint8],
    entered: IntArray,
    last: int,
    where: IntArray,
) -> None:
    """Follow the path back from column `last`, -1 outside; write the column in each row."""
    j = last
    for i in range(len(steps) - 1, -1, -1):
        where[i] = j
        if j < 0:
            j = entered[i, 1]
        elif steps[i, j] == 3:
            j = entered[i, 0]
        else:
            j -= steps[i, j]
