"""Aligning one recording with a score: which way through it, which part of it, and warnings.

Of the ways through a score with repeats, one whose coarse alignment costs least is taken. Where
chords follow each other too fast, they are left out. Where the network finds little of the score,
or next to nothing of some of its chords, passages of it are looked for, and other keys. Either is
taken where it matches better. What matches no better than a recording matches the score of another
piece, and fits the score no better than the score read backwards, is returned all the same, with a
warning and little confidence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from align.features.notes.note_levels import (
    semitone_levels,
    set_tuning,
    signal_drift,
    signal_tuning,
)
from align.features.sound.signal import Signal
from align.music.checking.backwards import follows_score
from align.music.checking.mismatches import (
    LISTED,
    long_waits,
    score_mismatches,
    silent_parts,
    slow_stretch,
    sounds_outside,
    unplayed_of,
    wrong_score,
)
from align.music.checking.missing import found_throughout, many_missing, missing_voices
from align.music.checking.parts import (
    continued,
    described_part,
    known_repeats,
    nearby_key_fits,
    out_of_order,
    passages_played,
    played_again,
    played_parts,
    seconds_again,
)
from align.music.checking.passages import Passage
from align.music.checking.rushed import without_rushed
from align.music.checking.unwritten import described_share, unwritten_share
from align.music.performances.coarse import Sound
from align.music.performances.keys import OCTAVE, described, described_drift, semitones_of
from align.music.performances.performance import (
    Performance,
    as_score,
    make_performance,
    read_signal,
)
from align.music.performances.repeats import FoldedScore, best_way, check_repeats, is_notation
from align.music.placing.end_evidence import end_candidates
from align.music.placing.ends import LEAST, chosen_ends
from align.music.placing.placement import PlacedNotes
from align.progress import Progress, of_stage
from align.results.music import MusicAlignment
from align.sequence.evidence import EvidenceModel
from align.types import Float64, IntArray, Mismatch, PlayedPassage

__all__ = ["FoundPart", "MatchRange", "best_part", "read_music", "result_of"]


MatchRange: TypeAlias = tuple[float, float] | None
"""Match that 95 % of wrong scores do not reach, and that 95 % of right ones do."""

Place: TypeAlias = Callable[[Performance], tuple[PlacedNotes, float]]

_RUN = 8  # chords: so many that the network does not find are a sign that they were not played
_UNLIKE = 0.85  # of the confidence is right where the instruments are unlike those learned
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

    The recording may have been read already, as a `Signal` of the rate that the model hears.
    `progress` hears of this, and of what is done with the result.
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
            lambda way: way.cost,
            progress if several else None,
        )
        return replace(best, progress=progress)
    given = "all" if repeats == "auto" else repeats
    return make_performance(signal, as_score(score, given), shift, progress)


_PERFORMANCE = (
    "the score seems to be a performance itself, since the notes of its chords begin one after "
    "another: its bars, its tempo and its times are those of that performance."
)


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
    whole: Performance,
    place: Place,
    match_range: MatchRange,
    shifts: Sequence[int] = (0,),
    unplayed: EvidenceModel | None = None,
) -> FoundPart:
    """Return the timing of a score, or of the parts of it that a recording holds.

    `place` aligns a recording with a score, and returns the notes and the score of their timing.
    `shifts` are semitones by which the recording may sound higher than the score. Parts and other
    keys are looked for where the network does not find the notes of some chords in a row, or
    less of all notes than is usual, where more notes were not played, by the model `unplayed`,
    than a right score lists, or where the recording fits better in a key nearby; before that,
    chords that are rushed are left out where the others match better. Never without a match range.
    """
    found = FoundPart(whole, whole, np.arange(len(whole.score)), *place(whole))
    if match_range is None:
        return found
    for played in without_rushed(whole, found.placed.chords):
        placed, value = place(played.part)
        gain = (placed.match or 0.0) - (found.placed.match or 0.0)
        fewer = _found_notes(placed, match_range) < _found_notes(found.placed, match_range)
        # Where notes are dense, those that nobody could play are found by chance.
        if gain > -_BETTER if played.sure else gain > 0.0 and not fewer:
            found = FoundPart(whole, played.part, played.index, placed, value, played.passages)
    other_key = nearby_key_fits(whole, shifts)
    if not other_key and not _doubtful(found, match_range, unplayed):
        return found
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
        better = (placed.match or 0.0) > (found.placed.match or 0.0) + least
        doubted = _poor(placed.match, match_range)
        if not better or (doubted and (played.searched or not follows_score(played.part))):
            continue
        spare = _BETTER * again
        if _found_notes(placed, match_range) < _found_notes(found.placed, match_range, spare):
            continue
        found = FoundPart(whole, played.part, played.index, placed, value, played.passages)
        if not _doubtful(found, match_range, unplayed):
            break
    return found


def _doubtful(
    found: FoundPart, match_range: MatchRange, unplayed: EvidenceModel | None = None
) -> bool:
    """Return whether the network finds next to nothing of some chords, or less than is usual.

    Or not enough of the notes: a melody in another key has many of its own notes. Never where many
    are missing, but some of every chord was played: then it is another version, and no part.
    """
    part, placed = found.part, found.placed
    if placed.probability is None or match_range is None:
        return False
    probably = None if unplayed is None or placed.unplayed is None else unplayed(placed.unplayed)
    if probably is not None and found_throughout(part.chords.group, probably):
        return False
    if (placed.match or 0.0) < match_range[1]:
        return True
    sound = _sound(part)
    if sounds_outside(placed.chords, sound):
        return True
    if long_waits(part.chords.onsets, placed.chords, sound):
        return True
    if slow_stretch(part.chords.onsets, placed.chords):
        return True
    group = part.chords.group
    of_chord = np.bincount(group, placed.probability) / np.bincount(group)
    run = min(_RUN, of_chord.size)
    means = np.convolve(of_chord, np.full(run, 1.0 / run), "valid")
    if means.min() < match_range[0]:
        return True
    return probably is not None and wrong_score(probably[part.row]) is not None


def _sound(performance: Performance) -> Sound:
    """Return when the recording sounds."""
    return Sound.of(semitone_levels(performance.signal), performance.signal.hop)


def _found_notes(placed: PlacedNotes, match_range: MatchRange, spare: float = 0.0) -> float:
    """Return how much the network finds of all notes, more than of the score of another piece.

    And more than `spare` of each note; 0 where that is not known.
    """
    if placed.probability is None or match_range is None:
        return 0.0
    return float((placed.probability - _border(match_range) - spare).sum())


def _poor(match: float | None, match_range: MatchRange) -> bool:
    """Whether the network finds no more of a score than it would of another piece."""
    if match is None or match_range is None:
        return False
    return match < _border(match_range)


def _border(match_range: tuple[float, float]) -> float:
    """Return the match below which a recording is taken to be of another piece."""
    return 0.5 * sum(match_range)


def result_of(
    found: FoundPart,
    confidence_of: EvidenceModel,
    unplayed_model: EvidenceModel | None,
    offset: float,
    match_range: MatchRange,
    audio: str | None,
    ends_model: EvidenceModel | None = None,
) -> MusicAlignment:
    """Return the result of what `best_part` found; onsets are `offset` seconds late.

    Where the notes end is looked for only where there is a model of it.
    """
    whole, part, placed, index = found.whole, found.part, found.placed, found.index
    duration, match = whole.signal.duration, placed.match
    played = None
    if unplayed_model is not None and placed.unplayed is not None:
        played = unplayed_model(placed.unplayed)[part.row]
    many = None if played is None else many_missing(played)
    trust, doubt = _trust(found, match_range, many is not None)
    if trust < 1.0:
        many = None
    warnings = [doubt, *part.warnings] if doubt else list(part.warnings)
    chords = placed.chords - offset
    n = len(whole.score)
    if index.size < n:
        known = np.unique(whole.chord_of[index])
        chords = continued(whole.chords.onsets, known, placed.chords, duration)
    passages = passages_played(found.passages, whole.chords.onsets, whole.score.beats)
    if passages:
        warnings.insert(0, described_part(passages, index, whole.score.onsets))
    tuning = signal_tuning(part.signal)
    told, drift = described(part.shift, tuning), signal_drift(part.signal)
    if drift is not None:  # which alone may come to a semitone on average
        drifts = described_drift(part.shift, drift)
        told = drifts if told is None or abs(part.shift) < 2 else f"{told[:-1]}; {drifts}"
    if told is not None and match is not None:
        warnings.append(told)
    if whole.score.is_performance:
        warnings.append(_PERFORMANCE)
    unplayed, mismatches = _disagreement(found, played if many is None else many, chords, passages)
    confidence = np.zeros(n)
    confidence[index] = trust * confidence_of(placed.evidence)[part.row]
    if unplayed is not None:
        own, silent = unplayed[index], None
        if whole.score.parts and trust >= _UNLIKE:
            silent = silent_parts([whole.score.parts[k] for k in index], own)
            warnings = [silent, *warnings] if silent else warnings
        text = wrong_score(own, whole=index.size == n)
        if many is not None:
            text = missing_voices(whole.score.pitches[index], whole.chord_of[index], own)
        if text and trust == 1.0 and not (silent and many is not None):
            warnings.append(text)
        # the confidence was learned where few notes are missing
        confidence[unplayed >= LISTED] = np.minimum(confidence, 1.0 - unplayed)[unplayed >= LISTED]
    if trust < 1.0:
        mismatches = ()
    onsets = chords[whole.chord_of]
    onsets[index] = placed.notes[part.row] - offset
    if match is not None and not passages and trust == 1.0:
        outside = [(m.start, m.end) for m in mismatches if m.kind == "unwritten"]
        again = played_again(part, outside)
        warnings += [again] if again else []
        sounding = part.notes.pitches[part.row]
        ends = np.interp(whole.score.ends, whole.chords.onsets, chords)
        more = described_share(unwritten_share(part.signal, sounding, onsets, ends))
        warnings += [more] if more else []
    onsets = np.clip(onsets, 0.0, duration)
    heard, sure = _ends_of(found, ends_model, onsets, offset, trust)
    return MusicAlignment.from_score(
        whole.score,
        onsets,
        duration=duration,
        end=min(max(part.end, float(placed.chords[-1])), duration),
        confidence=confidence,
        score=found.value,
        audio=audio,
        rate=whole.signal.own_rate,
        chord_of=whole.chord_of,
        chord_onsets=chords,
        chord_score_onsets=whole.chords.onsets,
        match=match,
        warnings=tuple(warnings),
        repeats=known_repeats(whole.score, passages),
        passages=passages,
        unplayed=unplayed,
        mismatches=mismatches,
        transposition=part.shift,
        tuning=440.0 * 2.0 ** (tuning / 12.0),
        measured_offsets=heard,
        offset_confidence=sure,
    )


def _trust(found: FoundPart, match_range: MatchRange, missing: bool) -> tuple[float, str | None]:
    """Return what share of the confidence is left where the match is poor, and a warning.

    `missing` says that the match is poor since many notes were not played.
    """
    match = found.placed.match
    if match is None or match_range is None or not _poor(match, match_range):
        return 1.0, None
    border = _border(match_range)
    measured = f"(match {match:.2f}, border {border:.2f})"
    if not follows_score(found.part):
        return max(match - match_range[0], 0.0) / (border - match_range[0]), (
            "the recording does not seem to be of this score, or is very unlike what the "
            f"model was trained on {measured}: do not rely on these times."
        )
    if missing:
        return 1.0, None
    return _UNLIKE, (
        "the recording follows the score, but its instruments are unlike those that the "
        f"model was trained on {measured}: times may be less exact."
    )


def _ends_of(
    found: FoundPart,
    model: EvidenceModel | None,
    onsets: Float64,
    offset: float,
    trust: float,
) -> tuple[Float64 | None, Float64 | None]:
    """Return where each note of the whole score was heard to end, NaN where unknown, and how sure.

    `onsets` [shape=(N,)] are those of the result; what is found is `offset` seconds late.
    """
    if model is None:
        return None, None
    part, placed = found.part, found.placed
    made = end_candidates(part, placed.notes - offset, placed.chords - offset)
    times, probability = chosen_ends(made, model, len(part.notes))
    heard, sure = np.full(onsets.size, np.nan), np.zeros(onsets.size)
    heard[found.index] = np.minimum(times[part.row], found.whole.signal.duration)
    sure[found.index] = trust * probability[part.row]
    return np.where((sure < LEAST) | (heard <= onsets), np.nan, heard), sure


def _disagreement(
    found: FoundPart,
    played: Float64 | None,
    chords: Float64,
    passages: tuple[PlayedPassage, ...],
) -> tuple[Float64 | None, tuple[Mismatch, ...]]:
    """Return how probably each note was not played, and the mismatches.

    `played` [shape=(P,)] is that of the notes in passages; `chords` [shape=(G,)] are in seconds.
    """
    whole = found.whole
    if played is None:
        return None, ()
    unplayed = unplayed_of(played, found.index, len(whole.score))
    swapped = out_of_order(passages, found.index, whole.score.onsets)
    unplayed[swapped] = 0.0  # they are played elsewhere
    mismatches = score_mismatches(
        whole.score,
        unplayed,
        np.union1d(found.index, swapped),
        whole.chord_of,
        chords,
        whole.chords.onsets,
        passages,
        _sound(whole),
    )
    return unplayed, mismatches
