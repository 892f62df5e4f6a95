"""Recordings in which much of the score is not played throughout: a top line, a hand, octaves.

How probably a note was not played is learned where few notes are missing. Where many are, most of
the doubtful ones are missing, too: the prior that fits best is found by expectation maximisation.
With p_i the probability of note i at the prior r of the training scores ::

    q_i = p_i o / (p_i o + 1 - p_i),    o = s (1 - r) / ((1 - s) r),    s = mean of q_i

until s no longer changes. It counts only where nearly every note is then decided: of instruments
that a network hardly knows, all notes are doubtful, and stay so.

A note that doubles another of its chord an octave away sounds in its partials, so how probably
it was not played is hardly ever high. Where an edition has octaves that nobody plays, many of them
are missing, and their own prior says so, with scores of a network that does not know the score.
The same holds of a hand that is written an octave away.

References
----------
Saerens, Latinne and Decaestecker, "Adjusting the outputs of a classifier to new a priori
probabilities: a simple procedure", Neural Computation 14, 2002.
"""

import numpy as np

from align.types import BoolArray, Float64, IntArray, pitch_name

_PRIOR = 0.05  # share of the notes that `spoiled_score` puts into scores where the model learns
_MANY = 0.2  # of the notes; true scores (28) have .11 at most, a piece with 10 % left out less
_ALL = 0.9  # of the notes: nothing is listed of instruments that the network does not know
_UNDECIDED = 0.45  # of that share: top lines and hands have .37 at most, other instruments .79
_ROUNDS = 50
_SILENT = 0.05  # of the chords; top lines have .01 at most, halves .31
_MISSING, _THERE = 0.6, 0.15  # of the notes, on either side of a line between missing and played
_SIDE = 12  # notes, to speak of a side
_MIDDLE_C = 60
_OCTAVES = 0.3  # of octaves: true scores have .26 at most, or .36 at pitches never learned
_MOST = 0.65  # of a hand: true scores have .22 at most, those without sound below 300 Hz .47


def many_missing(unplayed: Float64) -> Float64 | None:
    """Return how probably each note was not played [shape=(P,)], where a share of all was not.

    `unplayed` [shape=(P,)] is as learned where few are missing. None where few are, or most notes
    stay doubtful.

    Examples
    --------
    >>> many_missing(np.repeat([0.01, 0.4, 0.9], [30, 10, 10])).round(2)[[0, 30, 40]]
    array([0.15, 0.92, 0.99])
    >>> many_missing(np.repeat([0.01, 0.4, 0.9], [96, 2, 2]))
    >>> many_missing(np.full(50, 0.3))
    """
    share, q = _by_own_prior(unplayed)
    if not _MANY <= share <= _ALL or np.minimum(q, 1.0 - q).mean() > _UNDECIDED * share:
        return None
    return q


def _by_own_prior(unplayed: Float64) -> tuple[float, Float64]:
    """Return the share of notes that was not played, and how probably each was not [shape=(P,)].

    `unplayed` [shape=(P,)] is as in `many_missing`.
    """
    p = np.clip(unplayed, 1e-6, 1.0 - 1e-6)
    share, q = _PRIOR, p
    for _ in range(_ROUNDS):
        odds = p / (1.0 - p) * (share / (1.0 - share)) / (_PRIOR / (1.0 - _PRIOR))
        q = odds / (1.0 + odds)
        share = float(np.clip(q.mean(), _PRIOR, 1.0 - _PRIOR))
    return share, q


def missing_together(
    pitches: IntArray, chord_of: IntArray, unplayed: Float64, alone: Float64
) -> Float64:
    """Return how probably each note was not played [shape=(P,)], octaves and hands by own priors.

    The lower and the upper notes of octaves are judged each together where many are missing, the
    notes below and from middle C where most are. The parameters are those of `missing_voices`,
    `unplayed` as in `many_missing`; `alone` [shape=(P,)] is the same as if none doubled another.

    Examples
    --------
    >>> pitches, chord_of = np.tile([48, 60, 64], 20), np.repeat(np.arange(20), 3)
    >>> unplayed, alone = np.tile([0.02, 0.01, 0.01], 20), np.tile([0.4, 0.01, 0.01], 20)
    >>> missing_together(pitches, chord_of, unplayed, alone).round(2)[:3]
    array([1.  , 0.01, 0.01])
    >>> missing_together(pitches, chord_of, unplayed, unplayed)[:3]
    array([0.02, 0.01, 0.01])
    """
    out = unplayed.copy()
    place = 256 * chord_of + pitches  # one number for each pitch of each chord
    groups = [(np.isin(place + by, place), alone, _OCTAVES) for by in (-12, 12)]
    groups += [(hand, unplayed, _MOST) for hand in (pitches < _MIDDLE_C, pitches >= _MIDDLE_C)]
    for group, likely, least in groups:
        if group.sum() >= _SIDE:
            share, found = _by_own_prior(likely[group])
            if share >= least:
                out[group] = np.maximum(out[group], found)
    return out


def found_throughout(group: IntArray, unplayed: Float64) -> bool:
    """Return whether many notes are missing, but hardly a chord as a whole.

    `group` [shape=(M,)] is the chord of each note; `unplayed` [shape=(M,)] as in `many_missing`.

    Examples
    --------
    >>> group, unplayed = np.repeat(np.arange(20), 2), np.tile([0.01, 0.9], 20)
    >>> found_throughout(group, unplayed), found_throughout(group, np.sort(unplayed))
    (True, False)
    """
    many = many_missing(unplayed)
    if many is None:
        return False
    played = np.bincount(group, many < 0.5)
    return bool((played == 0).mean() <= _SILENT)


def missing_voices(pitches: IntArray, chord_of: IntArray, unplayed: Float64) -> str:
    """Return a warning of how many notes are missing, and which, where one line parts them.

    Parameters
    ----------
    pitches, chord_of : np.ndarray [shape=(P,)]
        Of the notes, and the chord of each, never decreasing.
    unplayed : np.ndarray [shape=(P,)]
        As `many_missing` returns it.

    Examples
    --------
    >>> pitches, chord_of = np.tile([48, 55, 72], 20), np.repeat(np.arange(20), 3)
    >>> missing_voices(pitches, chord_of, np.where(pitches < 60, 0.9, 0.1))
    '40 of 60 notes were probably not played: the recording seems to hold the top line alone.'
    >>> missing_voices(pitches, chord_of, np.where(pitches > 60, 0.9, 0.1))[41:]
    'of the notes above G3 nearly all seem to be missing.'
    """
    missing = unplayed > 0.5
    head = f"{int(missing.sum())} of {missing.size} notes were probably not played"
    begins = np.diff(chord_of, prepend=-1) > 0
    first, chord = np.flatnonzero(begins), np.cumsum(begins) - 1
    highest = np.maximum.reduceat(pitches, first)[chord] == pitches
    lowest = np.minimum.reduceat(pitches, first)[chord] == pitches
    for line, name in ((highest, "the top line"), (lowest, "the bass line")):
        if _parted(missing, ~line):
            return f"{head}: the recording seems to hold {name} alone."
    apart = []
    for pitch in np.unique(pitches).tolist():
        for side, way in ((pitches < pitch, "below"), (pitches > pitch, "above")):
            if _parted(missing, side):
                apart.append((missing[side].mean() - missing[~side].mean(), way, pitch))
    if apart:
        _, way, pitch = max(apart)
        return f"{head}: of the notes {way} {pitch_name(pitch)} nearly all seem to be missing."
    return f"{head}; check that recording and score are of one version."


def _parted(missing: BoolArray, side: BoolArray) -> bool:
    """Return whether most notes of a side are missing, and few others are."""
    if min(side.sum(), (~side).sum()) < _SIDE:
        return False
    return bool(missing[side].mean() > _MISSING and missing[~side].mean() < _THERE)
