"""Coarse alignment of a score with a recording, by dynamic time warping of band energies.

Finds within about half a second where each chord is, whatever the tempo of the score, so that the
exact decoder need only look there. Frames of 50 ms (longer for very long recordings) hold, of the
recording, how far each semitone band stands out from its neighbours (X) and how much it rises
(X'); of the score, stretched linearly to the part of the recording that sounds, the harmonics of
the notes that sound (S) and of those that begin (S'). The cost of pairing audio frame i with score
frame j is ::

    c(i, j) = (1 - cos(X_i, S_j)) + (1 - cos(X'_i, S'_j))

and the path of least total cost is found over the whole matrix, a diagonal step weighing 1.5. It
may begin late in the recording and end early: each frame left out at an end costs a little more
than a frame that fits typically does, so talk or silence is skipped and music is not. The
matrix itself is never in memory: rows of costs are computed as the recursion needs them, and only
one byte for each cell is kept, to trace the path.

References
----------
Ewert, Mueller and Grosche, "High resolution audio synchronization using chroma onset features",
ICASSP 2009, for the pairing of chroma with onsets; stretching, bands and free ends are ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter

from align._numba import compiled
from align.errors import ParameterError
from align.features.sound.pitch import LOWEST_BAND, N_BANDS
from align.formats.scores import Chords, Score
from align.progress import Progress
from align.types import BoolArray, Float32, Float64, IntArray

_STEP = 0.050  # seconds of a frame
_MOST_CELLS = 200_000_000  # one byte each; beyond, frames grow: from 12 minutes of music on
_HARMONICS = (0, 12, 19, 24, 28, 31)  # semitones above the first
_FALL = 0.75  # strength of a harmonic over that of the one below
_DECAY = 0.7  # of a sounding note, per second of the recording
_DIAGONAL = 1.5
_FREE = 1.1  # cost of a frame left out at an end, in typical costs of one that fits
_ACTIVE = 0.45  # of the 90th percentile of the level: less is silence at either end
_NOISE = 2.0  # seconds; a cough or a thunder of chords is shorter
_FLAT = 0.45  # of the 90th percentile of what stands out: music is above .6, noise below .38
_LAST, _LAST_STEPS = 0.1, 8  # of the score, and median steps of chords: no last chord is longer
_EARLY = 0.020  # seconds, and
_EARLY_FRAMES = 0.2  # frames: rises of energy come so much after the onset


@dataclass(frozen=True, eq=False)
class CoarseAlignment:
    """About when each chord is played.

    `times` [shape=(G,)] are seconds in the recording, never decreasing; `begin` and `end` bound
    the part of it that sounds; `cost` is the mean of the pairs on the path, in 0..2: the less the
    better. `path_cost` is that of the whole path, for each frame of the recording: it grows where
    much of the score lies in a moment of the recording, or much of the recording in one of the
    score.
    """

    times: Float64
    begin: float
    end: float
    cost: float
    path_cost: float


def coarse_alignment(
    level: Float32,
    hop: float,
    score: Score,
    chords: Chords,
    *,
    step: float | None = None,
    progress: Progress | None = None,
) -> CoarseAlignment:
    """Return about when each chord of a score is played.

    `level` [shape=(T, N_BANDS)] is ``log_level(semitone_bands(...))`` of the recording, `hop` the
    time between its rows and `step` the length of a frame, in seconds: by default 50 ms, or as
    much more as memory asks for. `progress` is called with seconds of what sounds. Raises
    ParameterError for a level of another shape, one that is silent throughout, or chords of
    another score.

    Examples
    --------
    >>> from align.formats.scores import chords
    >>> from align.types import Note
    >>> level = np.zeros((300, N_BANDS), dtype=np.float32)
    >>> level[50:150, 60 - LOWEST_BAND], level[150:250, 65 - LOWEST_BAND] = 12.0, 12.0
    >>> score = Score.of([Note(60, 0.0), Note(65, 0.25)])
    >>> coarse_alignment(level, 0.01, score, chords(score)).times.round(1)
    array([0.5, 1.5])
    """
    if level.ndim != 2 or level.shape[1] != N_BANDS or level.shape[0] == 0:
        raise ParameterError(f"level.shape={level.shape}, must be (T, {N_BANDS}), T > 0.")
    if not (0 < hop < np.inf and (step is None or 0 < step < np.inf)):
        raise ParameterError(f"hop={hop} s and step={step} s, must be positive.")
    if chords.group.size != len(score):
        raise ParameterError(
            f"chords of {chords.group.size} notes do not belong to a score of {len(score)}."
        )
    if step is None:
        step = max(_STEP, len(level) * hop / np.sqrt(_MOST_CELLS))
    audio, width = averaged(level, max(1, round(step / hop)))
    frame = width * hop
    kept = playing_frames(audio, frame)
    audio = audio[kept]
    first_onset = float(score.onsets[0])
    length = _length(score, chords)
    scale = len(audio) / length
    recorded = recorded_profile(audio)
    written = written_profile(score, len(audio), scale, frame)

    def report(rows: int) -> None:
        if progress is not None:
            progress("aligning roughly", round(rows * frame), round(len(recorded) * frame))

    visited, cost, path_cost = _warp(recorded, written, report)
    where = (chords.onsets - first_onset) * scale
    at = np.interp(where, np.arange(len(audio)), kept[visited.astype(np.intp)])
    times = (at - _EARLY_FRAMES) * frame - _EARLY
    times = np.maximum.accumulate(np.clip(times, 0.0, len(level) * hop))
    begin, end = float(kept[0]) * frame, float(kept[-1] + 1) * frame
    return CoarseAlignment(times, begin, end, cost, path_cost)


def _length(score: Score, chords: Chords) -> float:
    """Return how long a score is, in its seconds; a note that is never ended does not count."""
    span = float(score.onsets[-1] - score.onsets[0])
    steps = np.diff(chords.onsets)
    most = max(_LAST * span, _LAST_STEPS * float(np.median(steps))) if steps.size else np.inf
    return span + min(max(float(score.ends.max() - score.onsets[-1]), 1e-3), most)


def averaged(level: Float32, width: int) -> tuple[Float32, int]:
    """Return means of `width` rows each, without the rest at the end, and the width."""
    width = min(width, len(level))
    n = len(level) // width
    mean = level[: n * width].reshape(n, width, -1).mean(axis=1)
    return mean.astype(np.float32, copy=False), width


def active_part(audio: Float32) -> tuple[int, int]:
    """Return the first frame that sounds, and one past the last."""
    loud = np.flatnonzero(_loud(audio))
    return int(loud[0]), int(loud[-1]) + 1


def _loud(audio: Float32) -> BoolArray:
    """Return which frames sound [shape=(n,)]; ParameterError where none does."""
    loudest = audio.max(axis=1)
    loud: BoolArray = loudest > _ACTIVE * np.percentile(loudest, 90)
    if not loud.any():
        loud = loudest > 0  # a short sound in a long silence
    if not loud.any():
        raise ParameterError("level is 0 throughout: the recording is silent.")
    return loud


def playing_frames(audio: Float32, frame: float) -> IntArray:
    """Return the frames of the active part that may be music, which applause and noise are not.

    `frame` is in seconds. In noise no pitch stands out. It is left out where it is loud and lasts
    for two seconds or more: the path through it would be chance, and what a frame that fits costs
    could not be told from the others.
    """
    begin, end = active_part(audio)
    part = audio[begin:end]
    kept = np.arange(begin, end)
    size = 2 * round(_NOISE / 4 / frame) + 1
    pitch = median_filter(np.sqrt((standing_out(part) ** 2).sum(axis=1)), size, mode="nearest")
    level = median_filter(part.max(axis=1), size, mode="nearest")
    noise = (pitch < _FLAT * np.percentile(pitch, 90)) & (
        level > _ACTIVE * np.percentile(level, 90)
    )
    edges = np.flatnonzero(np.diff(np.concatenate([[False], noise, [False]]).astype(np.int8)))
    for first, last in edges.reshape(-1, 2):
        if (last - first) * frame < _NOISE:
            noise[first:last] = False
    music: IntArray = kept[~noise]
    return music


@dataclass(frozen=True, eq=False)
class Sound:
    """When a recording sounds: whether each frame does [shape=(n,)], of `frame` seconds."""

    loud: BoolArray
    frame: float

    @classmethod
    def of(cls, level: Float32, hop: float) -> Self:
        """Return it of a level [shape=(T, N_BANDS)], as `coarse_alignment` takes it."""
        audio, width = averaged(level, max(1, round(_STEP / hop)))
        return cls(_loud(audio), width * hop)

    def span(self) -> tuple[float, float]:
        """Return where it begins and ceases to sound, in seconds."""
        at = np.flatnonzero(self.loud)
        return float(at[0]) * self.frame, float(at[-1] + 1) * self.frame

    def between(self, begin: float, end: float) -> float:
        """Return for how many seconds it sounds between two times.

        Examples
        --------
        >>> sound = Sound(np.array([True, False, False, True]), 0.5)
        >>> sound.span(), sound.between(0.0, 1.0)
        ((0.0, 2.0), 0.5)
        """
        first, stop = round(begin / self.frame), round(end / self.frame)
        return float(self.loud[max(first, 0) : max(stop, 0)].sum()) * self.frame


def recorded_profile(level: Float32) -> Float32:
    """Return what stands out, and what rises, with unit length each [shape=(n, 2 N_BANDS)]."""
    out = standing_out(level)
    rise = _smoothed(np.maximum(np.diff(level, axis=0, prepend=level[:1]), 0.0))
    return np.concatenate(
        [
            _unit(out, 0.2 * float(np.sqrt((out**2).sum(axis=1)).mean())),
            _unit(rise, 0.5 * float(np.sqrt((rise**2).sum(axis=1)).mean())),
        ],
        axis=1,
    )


def standing_out(level: Float32) -> Float64:
    """Return how far each band stands out from the octave either side [shape=(n, N_BANDS)]."""
    around = np.pad(level, ((0, 0), (12, 12)), mode="symmetric")
    total = np.cumsum(np.pad(around, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    neighbours = (total[:, 25:] - total[:, :-25]) / 25
    return np.maximum(level - neighbours, 0.0)


def written_profile(score: Score, n: int, scale: float, frame: float) -> Float32:
    """Return the score as the recording would be, in n frames [shape=(n, 2 N_BANDS)]."""
    sounding = np.zeros((n, N_BANDS))
    starting = np.zeros((n, N_BANDS))
    envelope = np.exp(-_DECAY * frame * np.arange(n))
    begins = np.minimum(((score.onsets - score.onsets[0]) * scale).astype(np.intp), n - 1)
    ends = np.ceil((score.ends - score.onsets[0]) * scale).astype(np.intp)
    ends = np.maximum(begins + 1, np.minimum(ends, n))
    for pitch, begin, end in zip(score.pitches, begins, ends, strict=True):
        for h, above in enumerate(_HARMONICS):
            band = pitch - LOWEST_BAND + above
            if 0 <= band < N_BANDS:
                sounding[begin:end, band] += _FALL**h * envelope[: end - begin]
                starting[begin, band] += _FALL**h
    starting = _smoothed(np.minimum(starting, 2.0))
    return np.concatenate([_unit(np.log1p(3.0 * sounding), 0.1), _unit(starting, 0.2)], axis=1)


def _smoothed(x: npt.NDArray[np.floating]) -> Float64:
    """Return rows convolved in time with a Gaussian, standard deviation 0.7 frames."""
    kernel = np.exp(-0.5 * (np.arange(-3, 4) / 0.7) ** 2)
    kernel /= kernel.sum()
    padded = np.pad(x, ((3, 3), (0, 0)), mode="symmetric").astype(np.float64)
    smooth: Float64 = sum(w * padded[k : k + len(x)] for k, w in enumerate(kernel))
    return smooth


def _unit(x: npt.NDArray[np.floating], least: float) -> Float32:
    """Return rows of unit length; those not much longer than `least` stay shorter."""
    length = np.sqrt((x**2).sum(axis=1, keepdims=True) + max(least, 1e-9) ** 2)
    return np.asarray(x / length, dtype=np.float32)


def _warp(
    recorded: Float32, written: Float32, report: Callable[[int], None]
) -> tuple[Float64, float, float]:
    """Return the first row of `recorded` paired with each row of `written`, and the mean cost.

    The last is the cost of the path for each row, with the rows that are left out.
    Rows of the cost matrix are frames of the recording, columns are frames of the score.
    `report` is called with the number of rows that are done.
    """
    n, m = len(recorded), len(written)
    target = np.ascontiguousarray(written.T)
    block = 256
    # What a frame that fits costs: the median, over a thousand frames of the recording, of the
    # cost of the best column. Frames left out are priced in this unit.
    some = recorded[:: max(1, n // 1000)]
    fitting = [
        2.0 - (some[b : b + block] @ target).max(axis=1) for b in range(0, len(some), block)
    ]
    typical = float(np.median(np.concatenate(fitting)))
    # Rows of costs in blocks: a product of matrices each, and few enough to stay in the cache.
    before = np.empty(m)
    steps = np.empty((n, m), dtype=np.uint8)
    finish = np.empty(n)
    for begin in range(0, n, block):
        cost = np.float32(2.0) - recorded[begin : begin + block] @ target
        part = slice(begin, begin + block)
        _advance(cost, begin, _FREE * typical, before, steps[part], finish[part])
        report(min(begin + block, n))
    # The path may end in any row of the last column: the rows after it are left out, at a price.
    finish += (n - 1 - np.arange(n)) * _FREE * typical
    visited = np.empty(m)
    _trace(steps, int(np.argmin(finish)), visited)
    rows = visited.astype(np.intp)
    on_path = np.einsum("ij,ij->i", recorded[rows], written, dtype=np.float64)
    return visited, float(np.mean(2.0 - on_path)), float(finish.min()) / n


@compiled()
def _advance(
    cost: Float32,
    row: int,
    free: float,
    before: Float64,
    steps: npt.NDArray[np.uint8],
    finish: Float64,
) -> None:
    """Run the recursion over rows of costs, of which the first is number `row`.

    With D(i, j) the least cost of a path that ends in row i and column j ::

        D(i, j) = min(D(i, j-1) + c, D(i-1, j) + c, D(i-1, j-1) + 1.5 c, begin here)

    A path begins in column 0, in any row, for `free` per row before. `before` holds D(i-1, .) on
    entry and is overwritten by D(i, .) from left to right. `steps` gets which of the four was
    taken: 0 diagonal, 1 from the row above, 2 from the column before, 3 begin here. `finish` gets
    D(i, m-1), for paths that end in row i.
    """
    n, m = cost.shape
    for i in range(n):
        number = row + i
        # Column 0: there is nothing to the left, so a path begins here or comes from above.
        corner, c = before[0], float(cost[i, 0])
        if number == 0 or number * free < before[0]:
            before[0] = number * free + c
            steps[i, 0] = 3
        else:
            before[0] += c
            steps[i, 0] = 1
        # The other columns. Left of j, `before` is of this row already; from j on, of the row
        # above. `corner` keeps D(i-1, j-1), which the column before has overwritten.
        for j in range(1, m):
            c = float(cost[i, j])
            best, step = before[j - 1] + c, 2
            if number > 0:  # on ties the diagonal wins, then the row above
                if before[j] + c <= best:
                    best, step = before[j] + c, 1
                if corner + _DIAGONAL * c <= best:
                    best, step = corner + _DIAGONAL * c, 0
            corner = before[j]
            before[j] = best
            steps[i, j] = step
        finish[i] = before[m - 1]


@compiled()
def _trace(steps: npt.NDArray[np.uint8], last: int, visited: Float64) -> None:
    """Follow the path back from row `last`; write the first row at which it is in each column."""
    i, j = last, visited.size - 1
    while True:
        visited[j] = i  # the last one written stays: the first row, since rows go down to 0
        step = steps[i, j]
        if step == 3:
            return
        if step != 2:
            i -= 1
        if step != 1:
            j -= 1
