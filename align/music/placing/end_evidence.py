"""Where a note may end, and the evidence for it.

A note has few places where it is likely to end: where its length in the score puts the end, where
a later chord begins, where its pitch is struck again, and where the level of its harmonics falls
most. These are the *candidates*; the last is `LONGEST` after the onset, or where the pitch is
struck again.

The sound gives the fall of the level at the note's harmonics, from just before a candidate to just
after it. Two kinds of harmonics are left out: those at which a partial of another note begins at
about the same time, and those that were not above the floor before. Where none is left, the sound
gives nothing. A pedal that is lifted ends many notes at once, so the mean fall of the other notes
is evidence too. So is whether the notes around this one end where the score ends them.
"""

from dataclasses import dataclass

import numpy as np

from align.features.notes.note_levels import level_columns, note_levels
from align.music.performances.performance import Performance
from align.progress import counted, of_stage
from align.results.time_map import mapped
from align.types import Float32, Float64, IntArray

N_END_EVIDENCE = 30
"""Numbers from which the probability that a note ends at a candidate is computed."""

LONGEST = 4.0
"""Seconds after its onset within which the end of a note is looked for."""

_HARMONICS = np.array([0, 12, 19, 24, 28, 31, 36])  # of the note
_PARTIALS = np.array([-1, 0, 1, 11, 12, 13, 18, 19, 20, 23, 24, 25, 27, 28, 29, 30, 31, 32])
_STRUCK = (-13, 4)  # frames about an onset in which its partials hide others
_BEFORE, _AFTER = (-9, -1), (5, 13)  # frames about a candidate that are compared
_AUDIBLE = 2.0  # level above the floor from which a harmonic counts
_SHORTEST = 0.03  # seconds
_APART = 0.025  # seconds, nearer than which two candidates are one
_CHORDS = 14  # later chords that are candidates
_FALLS = 3  # places of the greatest fall that are
_LEAST_FALL = 0.8
_NEAR = 3  # frames about a candidate in which the fall is taken
_AROUND = 4.0  # seconds, deviation of the weight of the notes around
_AT = 0.03  # seconds within which a candidate is at a chord
_LIMIT = 3.0  # of the size of evidence
_AT_ONCE = 256  # notes whose neighbours are weighed together


@dataclass(frozen=True, eq=False)
class Candidates:
    """Where the notes of a recording may end.

    `note` [shape=(C,), dtype=intp] is the note of each candidate, never decreasing; `times`
    [shape=(C,)] are seconds and `evidence` [shape=(C, N_END_EVIDENCE)].
    """

    note: IntArray
    times: Float64
    evidence: Float64


@dataclass(frozen=True, eq=False)
class _Falls:
    """Of one note, for each frame from `first` on [shape=(K,)].

    The greatest `fall` over its free harmonics and their `mean`, how many are `free`, and by how
    much the best stands out from the bands beside it `before` and `after`.
    """

    first: int
    fall: Float64
    mean: Float64
    free: Float64
    before: Float64
    after: Float64


def end_candidates(performance: Performance, onsets: Float64, chords: Float64) -> Candidates:
    """Return where each note may end, and the evidence for it.

    `onsets` [shape=(M,)] are seconds of the merged notes, `chords` [shape=(G,)] of the chords,
    increasing.
    """
    notes, hop = performance.notes, performance.signal.hop
    written = mapped(notes.ends, performance.chords.onsets, chords)
    again = _struck_again(notes.pitches, onsets)
    limit = np.minimum(np.minimum(onsets + LONGEST, again), performance.signal.duration)
    limit = np.maximum(limit, onsets + _SHORTEST)
    written = np.maximum(written, onsets + _SHORTEST)
    falls = _falls(performance, onsets, limit)
    total, count = np.zeros((2, len(note_levels(performance.signal)[0])))
    for one in falls:
        span = slice(one.first, one.first + one.fall.size)
        total[span] += one.mean
        count[span] += one.free > 0
    kept = _agreement(falls, written, hop)
    note, times, evidence = [], [], []
    for m, one in enumerate(counted(falls, performance.progress, "finding ends")):
        ends = _places(one, onsets[m], written[m], limit[m], chords, hop)
        at = np.clip(np.rint(ends / hop).astype(np.intp) - one.first, 0, one.fall.size - 1)
        frame = at + one.first
        others = count[frame] - (one.free[at] > 0)
        pedal = (total[frame] - one.mean[at]) / np.maximum(others, 1)
        following = chords[min(int(performance.chords.group[m]) + 1, chords.size - 1)]
        evidence.append(
            np.column_stack(
                [
                    _of_sound(one, at, pedal),
                    _of_score(ends, onsets[m], written[m], again[m], chords, following),
                ]
            )
        )
        note.append(np.full(ends.size, m))
        times.append(ends)
    joined = np.concatenate(evidence)
    joined = np.column_stack([joined, _together(joined, kept[np.concatenate(note)])])
    joined = np.clip(joined, -_LIMIT, _LIMIT)
    return Candidates(np.concatenate(note).astype(np.intp), np.concatenate(times), joined)


def _struck_again(pitches: IntArray, onsets: Float64) -> Float64:
    """Return when the pitch of each note is struck again [shape=(M,)], infinite where never."""
    again = np.full(onsets.size, np.inf)
    for pitch in np.unique(pitches):
        own = np.flatnonzero(pitches == pitch)
        own = own[np.argsort(onsets[own], kind="stable")]
        again[own[:-1]] = onsets[own[1:]]
    return again


def _falls(performance: Performance, onsets: Float64, limit: Float64) -> list[_Falls]:
    """Return how the level of each note falls, from 20 ms after its onset to its limit."""
    levels = note_levels(performance.signal)[0]
    n, pitches = len(levels), performance.notes.pitches
    report = of_stage(performance.progress, "measuring ends") or (lambda done, total: None)
    report(0, pitches.size)
    frames = np.clip(np.rint(onsets / performance.signal.hop).astype(np.intp), 0, max(n - 2, 0))
    last = np.rint(limit / performance.signal.hop).astype(np.intp)
    hidden = np.zeros(levels.shape, dtype=np.bool_)
    for frame, pitch in zip(frames.tolist(), pitches.tolist(), strict=True):
        struck = slice(max(frame + _STRUCK[0], 0), frame + _STRUCK[1])
        hidden[struck, level_columns(pitch, _PARTIALS)] = True
    out = []
    for m, pitch in enumerate(pitches.tolist()):
        first = min(int(frames[m]) + 2, n - 1)
        rows = slice(first, min(max(int(last[m]), first), n - 1) + 1)
        column = level_columns(pitch, _HARMONICS)
        beside = level_columns(pitch, _HARMONICS + np.array([[0], [-1], [1]]))  # a semitone
        before, after = (_means(levels, rows, beside, *span) for span in (_BEFORE, _AFTER))
        own, left = before[:, 0], after[:, 0]
        free = ~hidden[rows][:, column] & (own > _AUDIBLE)
        some = free.any(axis=1)
        weight = np.where(free, own, 0.0)
        fall = own - left
        stands = [
            np.where(some, np.where(free, at - 0.5 * (below + above), -_AUDIBLE).max(axis=1), 0.0)
            for at, below, above in (level.transpose(1, 0, 2) for level in (before, after))
        ]
        report(m + 1, pitches.size)
        out.append(
            _Falls(
                first,
                np.where(some, np.where(free, fall, -np.inf).max(axis=1, initial=-_LIMIT), 0.0),
                (weight * fall).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9),
                free.sum(axis=1).astype(np.float64),
                *stands,
            )
        )
    return out


def _means(levels: Float32, rows: slice, columns: IntArray, first: int, end: int) -> Float64:
    """Return the mean level over frames `first` to `end` from each of `rows`, at edges fewer.

    Of `columns` [shape=(...)], [shape=(rows, ...)].
    """
    at = np.arange(rows.start, rows.stop)
    a = np.clip(at + first, 0, len(levels) - 1)
    b = np.clip(at + end, a + 1, len(levels))
    near = levels[a[0] : b[-1]][:, columns].astype(np.float64)
    sums = np.concatenate([np.zeros((1, *columns.shape)), np.cumsum(near, axis=0)])
    count = (b - a).reshape(-1, *(1,) * columns.ndim)
    means: Float64 = (sums[b - a[0]] - sums[a - a[0]]) / count
    return means


def _agreement(notes: list[_Falls], written: Float64, hop: float) -> Float64:
    """Return how much the notes around each one fall where the score ends them [shape=(M,)]."""
    falls = np.full(written.size, np.nan)
    for m, (one, end) in enumerate(zip(notes, written.tolist(), strict=True)):
        at = round(end / hop) - one.first
        if 0 <= at < one.fall.size - 8 and one.free[at] > 0:
            falls[m] = one.fall[max(at - 2, 0) : at + 3].max()
    known = np.flatnonzero(np.isfinite(falls))
    mean = np.zeros(written.size)
    for begin in range(0, written.size, _AT_ONCE):  # all at once take gigabytes
        some = np.arange(begin, min(begin + _AT_ONCE, written.size))
        weight = np.exp(-0.5 * ((written[known] - written[some, None]) / _AROUND) ** 2)
        weight *= known != some[:, None]
        mean[some] = (weight @ falls[known]) / np.maximum(weight.sum(axis=1), 1e-9)
    return mean


def _places(
    level: _Falls, onset: float, written: float, limit: float, chords: Float64, hop: float
) -> Float64:
    """Return the candidates of one note in seconds, increasing."""
    first, last = np.searchsorted(chords, [onset + 0.05, limit - 0.02])
    fall = level.fall
    peaks = 1 + np.flatnonzero(
        (fall[1:-1] >= fall[:-2]) & (fall[1:-1] > fall[2:]) & (fall[1:-1] > _LEAST_FALL)
    )
    peaks = peaks[np.argsort(-fall[peaks], kind="stable")[:_FALLS]]
    groups = (
        [min(written, limit)],
        chords[first:last][:_CHORDS].tolist(),
        [limit],
        ((level.first + peaks) * hop).tolist(),
    )
    kept: list[float] = []
    for group in groups:  # of two that are one, the first of these counts
        for place in group:
            if onset < place <= limit and all(abs(place - other) >= _APART for other in kept):
                kept.append(place)
    return np.sort(np.array(kept or [limit]))


def _of_sound(level: _Falls, at: IntArray, pedal: Float64) -> Float64:
    """Return what the sound says of the candidates of a note [shape=(C, 11)].

    The fall, of the free harmonic that falls most and on average; whether any is free and how
    many; how far it stands out after and before; the greatest fall at earlier and at later
    candidates, of all, and whether this is the greatest; the fall of the other notes.
    """
    around = np.clip(at[:, None] + np.arange(-_NEAR, _NEAR + 1), 0, level.fall.size - 1)
    fall, free = level.fall[around].max(axis=1), level.free[at]
    earlier = np.concatenate([[0.0], np.maximum.accumulate(fall)[:-1]])
    later = np.concatenate([np.maximum.accumulate(fall[::-1])[::-1][1:], [0.0]])
    return np.column_stack(
        [
            fall / 3.0,
            level.mean[around].max(axis=1) / 2.0,
            free == 0,
            np.minimum(free, 3.0) / 3.0,
            level.after[around].min(axis=1) / 3.0,
            level.before[at] / 3.0,
            earlier / 3.0,
            later / 3.0,
            np.full(at.size, fall.max() / 3.0),
            fall >= np.maximum(earlier, later),
            pedal / 2.0,
        ]
    )


def _of_score(
    ends: Float64, onset: float, written: float, again: float, chords: Float64, following: float
) -> Float64:
    """Return what the score says of the candidates of a note [shape=(C, 11)].

    How much longer or shorter than written, signed and not; whether it is the written end, nearly
    or about, and whether it is after it; whether the pitch is struck again, any chord begins, or
    the next one; its place among the candidates; the length as written, and so far.
    """
    length = max(written - onset, 0.02)
    longer = np.clip(np.log(np.maximum(ends - onset, 0.02) / length), -2.0, 2.0)
    place = np.clip(np.searchsorted(chords, ends), 1, max(chords.size - 1, 1))
    beside = chords[np.minimum(np.stack([place - 1, place]), chords.size - 1)]
    return np.column_stack(
        [
            longer,
            np.abs(longer),
            np.exp(-0.5 * ((ends - written) / 0.03) ** 2),
            np.exp(-0.5 * ((ends - written) / 0.15) ** 2),
            ends > written + _AT,
            np.abs(ends - again) < _AT,
            np.abs(beside - ends).min(axis=0) < _AT,
            np.abs(ends - following) < _AT,
            np.arange(ends.size) / 5.0,
            np.full(ends.size, np.log(length)),
            np.log(np.maximum(ends - onset, 0.02)),
        ]
    )


def _together(evidence: Float64, agreement: Float64) -> Float64:
    """Return products of evidence [shape=(C, 8)].

    The score's end where the notes around keep it, where the sound falls, and where the sound
    gives nothing; a chord where the sound gives nothing, and where the other notes fall.
    """
    fall, silent, pedal = evidence[:, 0], evidence[:, 2], evidence[:, 10]
    exact, about, after, chord = evidence[:, [13, 14, 15, 17]].T
    kept = agreement / 2.0
    return np.column_stack(
        [
            exact * kept,
            about * kept,
            after * kept,
            exact * silent,
            after * silent,
            chord * silent,
            exact * fall,
            chord * pedal,
        ]
    )
