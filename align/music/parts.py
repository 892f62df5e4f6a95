"""Recordings of parts of a score: those that start late, stop early, leave out or play again.

Where a recording does not match its score, it may still match parts of it, or all of it in another
key. The passages that were found (`align.music.passages`) are made one score without gaps, and
aligned as any other. A chord that was played again has the time of the first playing. Notes that
were left out are given times that continue the tempo, and a confidence of 0.
"""

from dataclasses import dataclass, replace

import numpy as np

from align.errors import DataError
from align.features.note_levels import semitone_levels
from align.formats.beats import Beats
from align.music.passages import Passage, find_passages
from align.music.performance import Performance, make_performance
from align.music.tempo import local_tempo
from align.sequence.frames import in_order
from align.types import Float64, IntArray, PlayedPassage

__all__ = [
    "PlayedPart",
    "continued",
    "described_part",
    "passages_played",
    "played_part",
    "seconds_again",
]


_AGAIN = 2.0  # seconds; less that is played again is not worth a word
_LEAST = 0.3  # of the recording that must be of the score
_AS_GOOD = 0.95  # of the chords of a score are all of it


@dataclass(frozen=True, eq=False)
class PlayedPart:
    """What a recording holds of a score, `part`: notes `index` of the whole, in `passages`."""

    part: Performance
    index: IntArray
    passages: tuple[Passage, ...]


def played_part(whole: Performance, shifts: range) -> PlayedPart | None:
    """Return the passages of a score that a recording holds, in the key in which it does.

    `shifts` are semitones by which the recording may sound higher than the score. None where
    less than a third of the recording is of the score.
    """
    signal = whole.signal
    moves = [shift - whole.shift for shift in shifts]
    found = find_passages(semitone_levels(signal), signal.hop, whole.notes, whole.chords, moves)
    shift = whole.shift + found.shift
    seconds = sum(float(p.times[-1] - p.times[0]) for p in found.passages)
    if seconds < _LEAST * signal.duration:
        return None
    kept, times, breaks = _first_playings(found.passages)
    all_of_it = not breaks and kept.size >= _AS_GOOD * len(whole.chords)
    try:
        if all_of_it:
            index = np.arange(len(whole.score))
            if shift == whole.shift:
                return None
            return PlayedPart(make_performance(signal, whole.score, shift), index, ())
        index = np.flatnonzero(np.isin(whole.chord_of, kept))
        moved = _without_gaps(whole.chords.onsets[kept], times, breaks)
        row = np.searchsorted(kept, whole.chord_of[index])
        taken = whole.score.take(index)
        closed = moved[row] + (taken.onsets - whole.chords.onsets[kept][row])
        # notes of a chord need not begin together: an earlier one is not to follow the next
        order = np.argsort(closed, kind="stable")
        index, score = index[order], replace(whole.score.take(index[order]), onsets=closed[order])
        part = make_performance(signal, score, shift)
    except DataError:  # beyond the piano, or too dense
        return None
    if len(part.chords) != kept.size:
        return None
    return PlayedPart(replace(part, coarse=times), index, found.passages)


def _first_playings(passages: tuple[Passage, ...]) -> tuple[IntArray, Float64, list[int]]:
    """Return chords, when each is first played, and the places of the first after a jump."""
    kept: list[int] = []
    times: list[float] = []
    breaks: list[int] = []
    for passage in passages:
        chords = np.arange(passage.first, passage.last + 1)
        new = chords > (kept[-1] if kept else -1)
        if kept and new.any():
            breaks.append(len(kept))
        kept += chords[new].tolist()
        times += passage.times[new].tolist()
    return np.array(kept, dtype=np.intp), np.array(times), breaks


def _without_gaps(onsets: Float64, times: Float64, breaks: list[int]) -> Float64:
    """Return onsets in the score such that at a jump they go on as the recording does."""
    tempo = local_tempo(onsets, times)
    out = onsets.copy()
    for k in breaks:
        gap = (times[k] - times[k - 1]) / np.median(tempo)
        out[k:] += max(gap, 0.05) - (out[k] - out[k - 1])
    return out


def continued(score_onsets: Float64, known: IntArray, times: Float64, duration: float) -> Float64:
    """Return times of all chords, those at either end by the tempo there [shape=(G,)].

    The chords stand at `score_onsets` [shape=(G,)], increasing; some were found, `known`
    [shape=(P,)], at `times` in seconds. Those between them are interpolated. The result increases
    strictly, within the recording.

    Examples
    --------
    >>> continued(np.arange(5.0), np.array([1, 3]), np.array([3.0, 7.0]), 10.0)
    array([1., 3., 5., 7., 9.])
    """
    tempo = local_tempo(score_onsets[known], times)
    out = np.interp(score_onsets, score_onsets[known], times)
    first, last = int(known[0]), int(known[-1])
    out[:first] = times[0] - tempo[0] * (score_onsets[first] - score_onsets[:first])
    out[last + 1 :] = times[-1] + tempo[-1] * (score_onsets[last + 1 :] - score_onsets[last])
    return in_order(out, duration)


def passages_played(
    passages: tuple[Passage, ...], score_onsets: Float64, beats: Beats | None
) -> tuple[PlayedPassage, ...]:
    """Return where passages are in the recording and in the score, with bars where it has them.

    Examples
    --------
    >>> passages_played((Passage(1, 2, np.array([0.5, 1.0])),), np.arange(4.0), None)[0].score_end
    2.0
    """
    out = []
    for p in passages:
        written = score_onsets[[p.first, p.last]]
        bars = None
        if beats is not None:
            first, last = beats.at(written)[0].tolist()
            bars = (first, last)
        start, end = p.times[[0, -1]].tolist()
        out.append(PlayedPassage(start, end, float(written[0]), float(written[1]), bars))
    return tuple(out)


def described_part(passages: tuple[PlayedPassage, ...], index: IntArray, n_notes: int) -> str:
    """Return which passages are played, and which of the notes are none of `index`.

    Examples
    --------
    >>> described_part((PlayedPassage(0.5, 9.0, 10.0, 20.0),), np.arange(10, 100), 120)[:77]
    'the recording holds a part of the score: from 0.5 to 9.0 s 10.0 to 20.0 s of '
    """
    listed = "; ".join(map(str, passages))
    head = f"parts of the score, in this order: {listed}"
    if len(passages) == 1:
        head = f"a part of the score: {listed}"
    first, last = int(index.min()), int(index.max())
    missing = first, last + 1 - first - index.size, n_notes - 1 - last
    names = f"the first {missing[0]}", f"{missing[1]} in between", f"the last {missing[2]}"
    which = ", ".join(name for name, count in zip(names, missing, strict=True) if count)
    rest = ""
    if which:
        rest = (
            f"; these of the {n_notes} notes of the score seem not to have been played, and their "
            f"times mean nothing: {which}"
        )
    return f"the recording holds {head}{rest}."


def seconds_again(passages: tuple[Passage, ...]) -> float:
    """Return for how long chords are played once more; what lasts less than two seconds is none.

    Examples
    --------
    >>> first, again = Passage(0, 2, np.arange(3.0)), Passage(0, 4, np.arange(4.0, 9.0))
    >>> seconds_again((first,)), seconds_again((first, again))
    (0.0, 2.0)
    """
    last, total = -1, 0.0
    for passage in passages:
        again = passage.times[: max(last + 1 - passage.first, 0)]
        if again.size > 1 and again[-1] - again[0] >= _AGAIN:
            total += float(again[-1] - again[0])
        last = max(last, passage.last)
    return total
