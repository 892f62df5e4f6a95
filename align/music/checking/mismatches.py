"""Where a score and a recording disagree: notes and bars not played, music that is not written.

Notes between the passages that are played stand together; how probably they were not played was
counted. Of the other notes those are listed that were not played with a
probability of `LISTED` or more, chord by chord. What sounds before, between and after
passages for three seconds or more, or while a chord is far later than the tempo says, is not of
the score, as surely as the notes beside it are; a pause between movements is only silence. So is
what sounds before or after the whole score for ten seconds or more.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from align.formats.scores import Score
from align.formats.scores.beats import Beats
from align.music.performances.coarse import Sound
from align.types import Float64, IntArray, Mismatch, PlayedPassage

LISTED = 0.75
"""Probability from which a note is listed; one in 200 notes of true scores reaches it."""

_SURE = 0.9  # probability from which notes are counted for a warning
_SKIPPED = 0.8  # probability; so often they were, of bars cut out by recipes/mismatch/notes.py
_WARNED = (3, 0.01)  # notes, and share of them, so many of which no true score of 28 listed
_PART = 16  # notes, to speak of a part
_SILENT = 0.25  # mean probability; of 20 pieces none had more than 0.05, in harmony .46 was left
_ENOUGH = 8  # chords, to know a tempo
_LONG_WAIT = 4.0  # seconds more than twice as long as the score says
_IN_A_ROW = 8  # chords
_SLOW = 3.0  # seconds more than twice as long; of 28 pieces, by their truth, 1.8 at most
_STRETCH = 3.0  # seconds without the score; a last chord may ring for less
_OUTSIDE = 10.0  # seconds before or after a whole score: more than tuning or a last chord takes


def unplayed_of(part: Float64, index: IntArray, n: int) -> Float64:
    """Return the probability that each of `n` notes was not played [shape=(N,)].

    `part` [shape=(P,)] is that of the notes `index`, which are in passages that are played.

    Examples
    --------
    >>> unplayed_of(np.array([0.1, 0.2]), np.array([0, 3]), 4)
    array([0.1, 0.8, 0.8, 0.2])
    """
    out = np.full(n, _SKIPPED)
    out[index] = part
    return out


def score_mismatches(
    score: Score,
    unplayed: Float64,
    index: IntArray,
    chord_of: IntArray,
    chords: Float64,
    chord_onsets: Float64,
    passages: tuple[PlayedPassage, ...],
    sound: Sound,
) -> tuple[Mismatch, ...]:
    """Return the mismatches in the order of the recording.

    `unplayed` [shape=(N,)] is as `unplayed_of` returns it, with `index`. Chord `chord_of`
    [shape=(N,)] of each note is played at `chords` [shape=(G,)], in seconds, and stands at
    `chord_onsets` [shape=(G,)] in the score. `passages` are those that are played, if they are
    not simply the score; `sound` says when the recording sounds.
    """
    begin, end = sound.span()
    ends = np.append(chords[1:], max(chords[-1], end))
    runs, notes = _runs(index, len(score)), score.notes
    within = index[unplayed[index] >= LISTED]
    runs += [
        np.array(list(notes)) for _, notes in groupby(within.tolist(), key=chord_of.__getitem__)
    ]
    found = [
        Mismatch(
            "unplayed",
            float(chords[chord_of[run[0]]]),
            float(ends[chord_of[run[-1]]]),
            tuple(notes[k].name for k in run),
            float(unplayed[run].mean()),
            notes=tuple(score.ids[k] for k in run),
            bars=_bars(score.onsets[run[[0, -1]]], score.beats),
        )
        for run in runs
    ]
    sure = float(1.0 - unplayed[index].mean())
    if passages:
        starts = [begin, *(passage.end for passage in passages)]
        stops = [*(passage.start for passage in passages), end]
        stretches = _heard(zip(starts, stops, strict=True), sound)
    else:
        stretches = long_waits(chord_onsets, chords, sound)
        edges = (begin, float(chords[0])), (float(chords[-1]) + _OUTSIDE, end)
        stretches += [edge for edge in edges if sound.between(*edge) >= _OUTSIDE]
    found += [Mismatch("unwritten", begin, end, (), sure) for begin, end in stretches]
    return tuple(sorted(found, key=lambda mismatch: mismatch.start))


def wrong_score(unplayed: Float64, *, whole: bool = True) -> str | None:
    """Return a warning where so many notes were not played that the score may be another version.

    `unplayed` [shape=(P,)] is the probability of the notes in passages that are played; `whole`
    says that these are the whole score. Surer ones decide; told are all that are listed.

    Examples
    --------
    >>> wrong_score(np.array([0.1, 0.95, 0.99]))
    >>> wrong_score(np.array([0.1, 0.95, 0.99, 0.92]))[:36]
    '3 of 4 notes were probably not playe'
    >>> wrong_score(np.array([0.1, 0.8, 0.95, 0.99, 0.92]), whole=False)[:42]
    '4 of 5 notes of these passages were probab'
    """
    sure, n = int((unplayed >= _SURE).sum()), len(unplayed)
    if sure < _WARNED[0] or sure < _WARNED[1] * n:
        return None
    listed, part = int((unplayed >= LISTED).sum()), "" if whole else " of these passages"
    return (
        f"{listed} of {n} notes{part} were probably not played, more than a right score lists; "
        "check that recording and score are of one version, and look at the mismatches."
    )


def silent_parts(parts: Sequence[str], unplayed: Float64) -> str | None:
    """Return a warning where a part of the score does not seem to be in the recording.

    Parameters
    ----------
    parts : sequence of str, length P
        Which part has each note.
    unplayed : np.ndarray [shape=(P,)]
        How probably each note was not played.

    Examples
    --------
    >>> silent_parts(["Piano"] * 30 + ["Voice"] * 20, np.repeat([0.02, 0.5], [30, 20]))[:31]
    'the recording seems to be witho'
    >>> silent_parts(["Piano"] * 30 + ["Voice"] * 20, np.full(50, 0.1))
    """
    names = np.array(parts)
    found = []
    for name in dict.fromkeys(parts):
        own = names == name
        if own.sum() >= _PART and (~own).any():
            mean, others = unplayed[own].mean(), unplayed[~own].mean()
            if mean > _SILENT and others < 0.5 * mean:
                share = 100 * np.mean(unplayed[own] > 0.5)
                found.append(f"{name} (of whose notes {share:.0f} % were probably not played)")
    if not found:
        return None
    return f"the recording seems to be without {' and '.join(found)}."


def long_waits(chord_onsets: Float64, chords: Float64, sound: Sound) -> list[tuple[float, float]]:
    """Return where it sounds while a chord comes far later than the tempo says, in seconds.

    Chords stand at `chord_onsets` [shape=(G,)] in the score and are played at `chords`
    [shape=(G,)]. A stretch begins where the next chord was to come, and ends where it came.

    Examples
    --------
    >>> written, played = np.arange(9.0), np.r_[np.arange(5.0), np.arange(13.0, 17.0)]
    >>> long_waits(written, played, Sound(np.ones(40, dtype=bool), 0.5))
    [(5.0, 13.0)]
    >>> long_waits(written, played, Sound(np.arange(40) < 12, 0.5))
    []
    """
    if len(chords) < _ENOUGH:
        return []
    written, played = np.diff(chord_onsets), np.diff(chords)
    pace = float(np.median(played / written))  # a local tempo would follow the gap
    late = np.flatnonzero(played > _LONG_WAIT + 2.0 * pace * written)
    waits = [(float(chords[k] + pace * written[k]), float(chords[k + 1])) for k in late]
    return _heard(waits, sound)


def slow_stretch(chord_onsets: Float64, chords: Float64) -> bool:
    """Return whether some chords in a row take seconds more than twice as long as they should.

    They may be spread over a section that is played again. The parameters are those of
    `long_waits`.

    Examples
    --------
    >>> written = np.arange(20.0)
    >>> played = np.r_[np.arange(10.0), 13.0, 16.0, 19.0, np.arange(20.0, 27.0)]
    >>> slow_stretch(written, played), slow_stretch(written, 1.5 * written)
    (True, False)
    """
    if len(chords) < _ENOUGH:
        return False
    pace = float(np.median(np.diff(chords) / np.diff(chord_onsets)))
    late = chords - 2.0 * pace * chord_onsets
    sizes = range(1, min(_IN_A_ROW, len(late) - 1) + 1)
    return max(float((late[n:] - late[:-n]).max()) for n in sizes) > _SLOW


def sounds_outside(chords: Float64, sound: Sound) -> bool:
    """Return whether it sounds for seconds before the first chord, or after the last has rung.

    Examples
    --------
    >>> sound = Sound(np.arange(40) < 30, 0.5)
    >>> sounds_outside(np.array([4.5, 13.0]), sound), sounds_outside(np.array([1.0, 12.0]), sound)
    (True, False)
    """
    begin, end = sound.span()
    edges = (begin, float(chords[0])), (float(chords[-1]) + _LONG_WAIT, end)
    return any(sound.between(*edge) >= _LONG_WAIT for edge in edges)


def _heard(stretches: Iterable[tuple[float, float]], sound: Sound) -> list[tuple[float, float]]:
    """Return the stretches in which it sounds for long enough."""
    return [(begin, end) for begin, end in stretches if sound.between(begin, end) >= _STRETCH]


def _runs(index: IntArray, n: int) -> list[IntArray]:
    """Return the notes that are none of `index`, those that follow each other together."""
    missing = np.setdiff1d(np.arange(n), index)
    cuts = np.flatnonzero(np.diff(missing) > 1) + 1
    return [run for run in np.split(missing, cuts) if run.size]


def _bars(onsets: Float64, beats: Beats | None) -> tuple[int, int] | None:
    if beats is None:
        return None
    first, last = beats.at(onsets)[0].tolist()
    return first, last
