"""Aligning one recording with a score: which way through it, and which part of it.

Of the ways through a score with repeats, one whose coarse alignment costs least is taken. Where
chords follow each other too fast, they are left out. Where the network finds little of the score,
or next to nothing of some of its chords, passages of it are looked for, and other keys. Either is
taken where it matches better. What users see of it is made in `align.music.result`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from align.features.notes.note_levels import semitone_levels, set_tuning
from align.features.sound.signal import Signal
from align.music.checking.backwards import follows_score, is_within
from align.music.checking.mismatches import (
    long_waits,
    slow_stretch,
    sounds_outside,
    wrong_score,
)
from align.music.checking.missing import found_throughout
from align.music.checking.parts import other_key_fits, other_way, played_parts, seconds_again
from align.music.checking.passages import Passage
from align.music.checking.rushed import without_rushed
from align.music.checking.silent import without_silent
from align.music.learned import Learned
from align.music.performances.coarse import Sound
from align.music.performances.evened import evened
from align.music.performances.keys import OCTAVE, semitones_of
from align.music.performances.performance import (
    Performance,
    as_score,
    make_performance,
    read_signal,
)
from align.music.performances.repeats import FoldedScore, best_way, check_repeats, is_notation
from align.music.placing.placement import PlacedNotes
from align.progress import Progress, of_stage
from align.types import Float64, IntArray

Place: TypeAlias = Callable[[Performance], tuple[PlacedNotes, float]]

_RUN = 8  # chords: so many that the network does not find are a sign that they were not played
_BETTER = 0.02  # by which passages, or another key, must match better than the whole
_BETTER_OCTAVE = 0.1  # an octave must match better by as much, and by a share of the match:
_OCTAVE_SHARE = 0.5  # organs, which sound in octaves, do by .40, wrong octaves by .56 or more
_AGAIN = 0.15  # of a recording; where so much is played again, they may match less by as much


def read_music(
    audio: Any,
    score: Any,
    rate: int | None,
    *,
    highest_rate: int,
    repeats: str,
    transpose: int | None = None,
    tuning: float | None = None,
    progress: Progress | None = None,
) -> Performance:
    """Return recording and score together; with "auto", those repeats that were played.

    The recording may have been read already, as a `Signal` of the rate that the model reads.
    `progress` is called for this, and for what follows.
    """
    check_repeats(repeats)
    signal = audio
    if not isinstance(audio, Signal):
        signal = read_signal(audio, rate=rate, highest_rate=highest_rate)
    if tuning is not None:
        set_tuning(signal, semitones_of(tuning))
    shift = transpose or 0
    if repeats == "auto" and is_notation(score):
        folded = FoldedScore(score)
        semitone_levels(signal, of_stage(progress, "listening"))
        several = folded.n_repeats > 0
        best = best_way(
            folded,
            lambda way: make_performance(signal, way, shift, None if several else progress),
            lambda way: way.path_cost,
            progress if several else None,
        )
        return replace(best, progress=progress, folded=folded if several else None)
    given = "all" if repeats == "auto" else repeats
    return make_performance(signal, as_score(score, given), shift, progress)


@dataclass(frozen=True, eq=False)
class FoundPart:
    """The part of a score that a recording holds, and when its notes are played.

    Parameters
    ----------
    whole, part : Performance
        The recording with the whole score, and with that part.
    index : np.ndarray [dtype=intp]
        Notes of the part, among those of the whole score.
    placed : PlacedNotes
        Of the part.
    value : float
        Score of its timing: what the decoder maximised.
    passages : tuple of Passage
        In the order of playing, where they are not simply the whole score.
    """

    whole: Performance
    part: Performance
    index: IntArray
    placed: PlacedNotes
    value: float
    passages: tuple[Passage, ...] = ()


def best_part(
    whole: Performance, place: Place, learned: Learned, shifts: Sequence[int] = (0,)
) -> FoundPart:
    """Return the timing of a score, or of the parts of it that a recording holds.

    `place` aligns a recording with a score, and returns the notes and the score of their timing.
    `shifts` are semitones by which the recording may sound higher than the score. Parts and other
    keys are looked for where the network does not find the notes of some chords in a row, or
    less of all notes than is usual, where more notes were not played than a right score lists, or
    where the recording fits better in another key; before that, chords that are rushed are left
    out where the others match better. Never without a match range.
    Of a score with repeats, another way through it is taken where all of that lies within.
    """
    found = _found(whole, place, learned, shifts)
    if learned.match_range is None or found.index.size == len(found.whole.score):
        return found
    louder = evened(whole.signal)
    if louder is None:
        return found
    other = make_performance(louder, found.whole.score, whole.shift, whole.progress)
    again = _found(other, place, learned, shifts)
    more = _found_notes(again.placed, learned) > _found_notes(found.placed, learned)
    return again if more else found


def _found(whole: Performance, place: Place, learned: Learned, shifts: Sequence[int]) -> FoundPart:
    """Return what `best_part` finds in a recording as loud as it is."""
    found = _within_reach(whole, place, learned)
    if learned.match_range is None:
        return found
    other_key = other_key_fits(whole, shifts, far=found.part is not whole)
    if not other_key and not _doubtful(found, learned):
        return found
    if (other := other_way(whole, shifts)) is not None:
        whole, found = other, _all_of(other, place)
    for played in played_parts(whole, shifts):
        placed, value = place(played.part)
        # A part of a score of another piece fits no better than the whole, and is not followed.
        # Where a passage is played twice, the whole may fit as well, stretched over both.
        again = min(seconds_again(played.passages) / (_AGAIN * whole.signal.duration), 1.0)
        least = _BETTER * (1.0 - 2.0 * again)
        if other_key and played.part.shift != whole.shift:
            least = 0.0
        if abs(played.part.shift - whole.shift) == OCTAVE:
            least = max(_BETTER_OCTAVE, _OCTAVE_SHARE * (found.placed.match or 0.0))
        # Of instruments that it does not know the network finds as little anywhere.
        within = played.searched and is_within(played.part)
        least = -_BETTER if within else least
        if (placed.match or 0.0) <= (found.placed.match or 0.0) + least:
            continue
        doubted = learned.is_poor(placed.match) and not within
        if doubted and (played.searched or not follows_score(played.part)):
            continue
        spare = _BETTER * again
        fewer = _found_notes(placed, learned) < _found_notes(found.placed, learned, spare)
        if fewer and not within:
            continue
        found = FoundPart(whole, played.part, played.index, placed, value, played.passages)
        if not _doubtful(found, learned):
            break
    return found


def _all_of(whole: Performance, place: Place) -> FoundPart:
    return FoundPart(whole, whole, np.arange(len(whole.score)), *place(whole))


def _within_reach(whole: Performance, place: Place, learned: Learned) -> FoundPart:
    """Return a score without chords in silence or that are rushed, if the others fit better."""
    found = _all_of(whole, place)
    if learned.match_range is None:
        return found
    chords = found.placed.chords
    silent = without_silent(whole, chords, _of_chords(found)) if found.placed.match else []
    for played in silent or without_rushed(whole, chords):
        placed, value = place(played.part)
        gain = (placed.match or 0.0) - (found.placed.match or 0.0)
        fewer = _found_notes(placed, learned) < _found_notes(found.placed, learned)
        # Where notes are dense, those that nobody could play are found by chance.
        if gain > -_BETTER if played.sure else gain > 0.0 and not fewer:
            found = FoundPart(whole, played.part, played.index, placed, value, played.passages)
    return found


def _doubtful(found: FoundPart, learned: Learned) -> bool:
    """Return whether the network finds next to nothing of some chords, or less than is usual.

    Or not enough of the notes: a melody in another key has many of its own notes. Never where many
    are missing, but some of every chord was played: then it is another version, and no part.
    """
    part, placed = found.part, found.placed
    if placed.probability is None or learned.match_range is None:
        return False
    low, high = learned.match_range
    probably = None
    if learned.unplayed is not None and placed.unplayed is not None:
        probably = learned.unplayed(placed.unplayed)
    if probably is not None and found_throughout(part.chords.group, probably):
        return False
    if (placed.match or 0.0) < high:
        return True
    sound = sound_of(part)
    if sounds_outside(placed.chords, sound):
        return True
    if long_waits(part.chords.onsets, placed.chords, sound):
        return True
    if slow_stretch(part.chords.onsets, placed.chords):
        return True
    of_chord = _of_chords(found)
    run = min(_RUN, of_chord.size)
    means = np.convolve(of_chord, np.full(run, 1.0 / run), "valid")
    if means.min() < low:
        return True
    return probably is not None and wrong_score(probably[part.row]) is not None


def _of_chords(found: FoundPart) -> Float64:
    """Return how probably the network finds the notes of each chord, where that is known."""
    group = found.part.chords.group
    of_chord: Float64 = np.bincount(group, found.placed.probability) / np.bincount(group)
    return of_chord


def sound_of(performance: Performance) -> Sound:
    """Return when the recording sounds."""
    return Sound.of(semitone_levels(performance.signal), performance.signal.hop)


def _found_notes(placed: PlacedNotes, learned: Learned, spare: float = 0.0) -> float:
    """Return how much the network finds of all notes, more than of the score of another piece.

    And more than `spare` of each note; 0 where that is not known.
    """
    if placed.probability is None or learned.border is None:
        return 0.0
    return float((placed.probability - learned.border - spare).sum())
