"""Notes of a score that are not in the recording: their probability, learned on spoiled scores.

The probability that a note was not played is a logistic function of evidence about the place where
it was put: what its confidence is made of (`align.music.placing.confidence`), how probable its
beginning is at best near its chord and further away, how far its pitch stands out, just after the
onset, from the pitches around it, and how probably one of these began instead. The weights are
fitted in training: pitches of the training scores are changed and notes are added to them, both
with a fixed seed, and the spoiled scores are aligned by networks that did not see the piece.

A network that reads the score knows that a note doubles another an octave away. In training both
were played, so it takes the upper one for granted wherever the lower one begins. What it finds
without the score separates octaves that are played from those that are not.
"""

from dataclasses import replace

import numpy as np

from align.features.notes.note_levels import PITCHES, level_columns, note_levels
from align.features.notes.note_network import NoteNetwork
from align.features.sound.signal import Signal
from align.formats.scores import Score
from align.music.performances.performance import Performance
from align.progress import of_stage
from align.types import Float64, FloatArray, IntArray

N_UNPLAYED = 7
"""Numbers that join those of the confidence."""

_LEAST = 1e-3  # probabilities are clipped to this, and to one less this
_AFTER = (2, 8)  # frames after the onset whose level counts, and
_BEFORE = (-8, -2)  # those that it is compared with
_CLOSE = 4  # frames either side of the place of a note where it may begin
_OWN_AND_BESIDE = np.array([0, -3, -2, -1, 1, 2, 3])  # semitones; a wrong note would be beside
_APART = 0.1  # seconds of the score, nearer than which no pitch is made to stand twice
_UNLIKELY = 0.27  # probability of a note, below which other pitches are asked for
_BESIDE_REACH = 5  # semitones up to which these are
_AROUND = 6  # frames either side of the place of a note where they may begin
_ODDS = 8.0  # log odds, within which they count
_ODDS_SIZE = 4.0  # of log odds, so that evidence is of one size
_LOUD = 10.0  # of levels, so that evidence is of one size
_MOVES = (-4, -3, -2, -1, 1, 2, 3, 4)  # semitones by which pitches are changed
_ADDED = (-12, -7, -5, -4, -3, 3, 4, 5, 7, 12)  # semitones above a note that is there


def unplayed_evidence(
    signal: Signal,
    pitches: IntArray,
    frames: IntArray,
    near: FloatArray,
    beside: Float64,
    around: Float64,
    other: Float64,
) -> Float64:
    """Return evidence that notes were not played [shape=(M, N_UNPLAYED)].

    `frames` [shape=(M,)] are where the notes were put; `near` [shape=(M, n)] are the probabilities
    that each begins in the frames about its chord, `beside` [shape=(M,)] the highest of those
    closest to it, and `around` [shape=(M,)] the mean over the chords around: where these are not
    found either, little follows from it. `other` [shape=(M,)] is as `other_pitches` returns it.
    """
    peak = np.stack([near.max(axis=1), beside], axis=1).astype(np.float64)
    peak = np.clip(peak, _LEAST, 1.0 - _LEAST)
    long = note_levels(signal)[0]
    own, above, rise = np.empty((3, len(pitches)))
    first, last = (
        np.clip(frames[:, None] + np.arange(*span), 0, len(long) - 1) for span in (_AFTER, _BEFORE)
    )
    for k, pitch in enumerate(pitches.tolist()):
        column, beside_it = np.split(level_columns(pitch, _OWN_AND_BESIDE), [1])
        level = float(long[first[k], column].mean())
        own[k] = level
        above[k] = level - float(long[first[k][:, None], beside_it].mean(axis=0).max())
        rise[k] = level - float(long[last[k], column].mean())
    odds = np.log(peak / (1.0 - peak))
    levels = np.stack([own, above, rise], axis=1) / _LOUD
    return np.column_stack([odds, levels, odds[:, 1] * around, other])


def evidence_alone(
    performance: Performance, network: NoteNetwork, frames: IntArray, evidence: Float64
) -> Float64:
    """Return evidence that notes were not played as if none doubled another an octave away.

    `evidence` [shape=(M, F + N_UNPLAYED)] ends with what `unplayed_evidence` returns. Of notes
    that double another of their chord, its log odds are at most those without the score.
    """
    pitches = performance.notes.pitches
    place = 256 * performance.chords.group + pitches  # one number for each pitch of each chord
    doubled = np.flatnonzero(np.isin(place, [place - 12, place + 12]))
    out = evidence.copy()
    if doubled.size:
        first, length = frames[doubled] - _CLOSE, 2 * _CLOSE + 1
        odds = network.logits(performance.signal, pitches[doubled], first, length).max(axis=1)
        own, most = out[doubled], np.log(1.0 / _LEAST - 1.0)
        near, beside, product = np.arange(-N_UNPLAYED, 0)[[0, 1, 5]]
        for column in (near, beside):
            own[:, column] = np.minimum(own[:, column], np.clip(odds, -most, most))
        own[:, product] = own[:, beside] * own[:, 1]
        out[doubled] = own
    return out


def other_pitches(
    performance: Performance, network: NoteNetwork, frames: IntArray, beside: Float64
) -> Float64:
    """Return how probably another pitch began where each note was put [shape=(M,)].

    The highest log odds of a pitch nearby that the score does not have there, divided so that it
    is of the size of other evidence, and the least where the note itself is likely, so that there
    is nothing to ask. `frames` and `beside` [shape=(M,)] are as in `unplayed_evidence`.
    """
    notes, out = performance.notes, np.full(len(frames), -_ODDS)
    asked = np.flatnonzero(beside < _UNLIKELY)
    pairs = [
        (k, pitch)
        for k in asked.tolist()
        for pitch in _free_pitches(notes, k)
        if 0 < abs(pitch - notes.pitches[k]) <= _BESIDE_REACH
    ]
    if pairs:
        k, pitch = np.array(pairs).T
        found = network.logits(
            performance.signal,
            pitch,
            frames[k] - _AROUND,
            2 * _AROUND + 1,
            performance.context[k],
            of_stage(performance.progress, "checking notes"),
        )
        np.maximum.at(out, k, np.minimum(found.max(axis=1), _ODDS))
    return out / _ODDS_SIZE


def spoiled_score(
    score: Score, rng: np.random.Generator, *, changed: float = 0.05, added: float = 0.05
) -> tuple[Score, IntArray]:
    """Return a score with wrong and with additional notes, and what each was [shape=(N + A,)].

    Of all notes a share is `changed` in pitch, and a share `added` beside others. The second
    result has the note of `score` that each note is, or -1 where it is wrong or additional.

    Examples
    --------
    >>> from align.types import Note
    >>> score = Score.of([Note(60 + k, 0.5 * k) for k in range(20)])
    >>> spoiled, source = spoiled_score(score, np.random.default_rng(0), changed=0.1, added=0.1)
    >>> len(spoiled), int((source < 0).sum())
    (22, 4)
    """
    n = len(score)
    order = rng.permutation(n)
    n_changed, n_added = round(changed * n), round(added * n)
    wrong, beside = order[:n_changed], order[n_changed : n_changed + n_added]
    pitches, source = score.pitches.copy(), np.arange(n)
    pitches[wrong] = _other(score, wrong, rng.choice(_MOVES, n_changed))
    source[wrong] = -1
    pitches = np.append(pitches, _other(score, beside, rng.choice(_ADDED, n_added)))
    source = np.append(source, np.full(n_added, -1))
    index = np.append(np.arange(n), beside)
    place = np.lexsort((pitches, score.onsets[index]))
    ids = tuple(f"n{k}" for k in range(len(place)))
    spoiled = replace(score.take(index[place]), pitches=pitches[place], ids=ids, names=())
    return spoiled, source[place]


def _other(score: Score, notes: IntArray, moves: IntArray) -> IntArray:
    """Return pitches about `moves` away that no note of about the same time has."""
    out = np.empty(len(notes), dtype=np.intp)
    for k, (note, move) in enumerate(zip(notes.tolist(), moves.tolist(), strict=True)):
        wanted = int(score.pitches[note]) + move
        out[k] = min(_free_pitches(score, note), key=lambda pitch: (abs(pitch - wanted), pitch))
    return out


def _free_pitches(score: Score, note: int) -> list[int]:
    """Return the pitches that no note of about the same time has."""
    low, high = PITCHES
    near = np.abs(score.onsets - score.onsets[note]) < _APART
    taken = set(score.pitches[near].tolist())
    return [pitch for pitch in range(low, high + 1) if pitch not in taken]


def true_onsets(source: IntArray, onsets: Float64) -> Float64:
    """Return when the notes of a spoiled score are played, NaN where they are not.

    `source` is that of `spoiled_score`, `onsets` [shape=(N,)] are those of the true score.
    """
    return np.where(source < 0, np.nan, onsets[np.maximum(source, 0)])
