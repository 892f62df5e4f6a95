"""Chords that are rushed, since the recording does not hold them.

Where some bars are left out, or the recording begins after the score does or ends before it, the
decoder still has to put their chords somewhere: it puts them close together. No player goes half
as fast again as about there for long, so such chords are seen by that. Some seconds of the
recording about them are compared with the score once more, with a jump that costs little. Where
that leaves out nothing but chords that are three times too fast, they were surely not played.
"""

from dataclasses import replace

import numpy as np
from scipy.ndimage import median_filter

from align.features.notes.note_levels import semitone_levels
from align.formats.scores import chords
from align.music.checking.parts import PlayedPart, part_of
from align.music.checking.passages import Passage, find_cut
from align.music.performances.performance import Performance
from align.types import Float64

_FAST = 0.7  # of the time that the pace says
_IMPOSSIBLE = 1 / 3  # of that time, for all of a stretch
_RUSHED = 0.6  # seconds less than that; of 28 pieces, by their truth, .38 at most
_BESIDE = 60  # chords either side that say the pace
_ENOUGH = 8  # chords, to know a pace
_AROUND = 8.0  # seconds either side that are compared again


def rushed_stretches(chord_onsets: Float64, times: Float64) -> list[tuple[int, int]]:
    """Return the first and the last chord of all stretches of chords that follow too fast.

    Chords stand at `chord_onsets` [shape=(G,)] in the score and are played at `times`
    [shape=(G,)], in seconds.

    Examples
    --------
    >>> written = np.arange(20.0)
    >>> played = np.r_[np.arange(10.0), 9.1, 9.2, 9.3, np.arange(10.3, 17.0)]
    >>> rushed_stretches(written, played), rushed_stretches(written, 0.6 * written)
    ([(9, 12)], [])
    """
    if times.size < _ENOUGH:
        return []
    short = _FAST * _paces(chord_onsets, times) * np.diff(chord_onsets) - np.diff(times)
    found = []
    total = most = 0.0
    first = last = 0
    # The sum begins anew where it falls to 0; a stretch ends where it was highest.
    for k, less in enumerate(np.append(short, -np.inf).tolist()):
        if total <= 0.0:
            total, most, first = 0.0, 0.0, k
        total += less
        if total > most:
            most, last = total, k + 1
        if total <= 0.0 and most > _RUSHED:
            found.append((first, last))
    return found


def without_rushed(whole: Performance, times: Float64) -> list[PlayedPart]:
    """Return the part of a score that is left without chords that are rushed, if it is one.

    `times` [shape=(G,)] are seconds at which the chords were found.
    """
    played, found = np.ones(times.size, dtype=np.bool_), times.copy()
    onsets, sure = whole.chords.onsets, True
    for first, last in rushed_stretches(onsets, times):
        usual = _paces(onsets, times)[first:last].mean() * (onsets[last] - onsets[first])
        low = int(np.searchsorted(times, times[first] - _AROUND))
        high = int(np.searchsorted(times, times[last] + _AROUND, "right"))
        passages = _passages_between(whole, times, low, high)
        firsts = [p.first for p in passages] + [high] * (high == times.size)
        stops = [0] * (low == 0) + [p.last + 1 for p in passages]
        left_out = list(zip(stops, firsts if low == 0 else firsts[1:], strict=False))
        if any(start > stop for start, stop in left_out):
            continue
        for start, stop in left_out:
            if start <= last and stop > first:
                played[start:stop] = False
                sure &= times[last] - times[first] < _IMPOSSIBLE * usual
                sure &= first <= start and stop <= last + 1
        for passage in passages:
            found[passage.first : passage.last + 1] = passage.times
    if played.all() or not played.any():
        return []
    found = np.maximum.accumulate(found)
    runs = np.flatnonzero(np.diff(np.r_[0, played.astype(np.intp), 0])).reshape(-1, 2)
    passages = tuple(Passage(a, b - 1, found[a:b]) for a, b in runs)
    return [replace(part, sure=bool(sure)) for part in part_of(whole, passages, whole.shift)]


def _passages_between(
    whole: Performance, times: Float64, low: int, high: int
) -> tuple[Passage, ...]:
    """Return which passages of chords `low` to `high`, excluded, are played about where they are.

    At an end of the score that is to an end of the recording.
    """
    level, hop = semitone_levels(whole.signal), whole.signal.hop
    begin = 0 if low == 0 else round(times[low] / hop)
    end = len(level) if high == times.size else round(times[high - 1] / hop)
    inside = (whole.chords.group >= low) & (whole.chords.group < high)
    score = whole.notes.take(np.flatnonzero(inside))
    pace = float(np.median(_paces(whole.chords.onsets, times)[low : high - 1]))
    found = find_cut(level[begin:end], hop, score, chords(score), pace)
    return tuple(Passage(p.first + low, p.last + low, p.times + begin * hop) for p in found)


def _paces(chord_onsets: Float64, times: Float64) -> Float64:
    """Return the median of seconds for one of the score about each chord but the last."""
    ratios = np.diff(times) / np.diff(chord_onsets)
    paces: Float64 = median_filter(ratios, 2 * _BESIDE + 1, mode="reflect")
    return paces
