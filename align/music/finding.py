"""Aligning one recording with a score: which way through it, which part of it, and warnings.

Of the ways through a score with repeats, one whose coarse alignment costs least is taken. Where
the network finds next to nothing of the ends of the score, they are left out, as long as the rest
then matches better. What matches no better than a recording matches the score of another piece is
returned all the same, with a warning and little confidence.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from align.music.confidence import ConfidenceModel
from align.music.parts import continued, missing_notes, played_part
from align.music.performance import Performance, as_score, make_performance, read_signal
from align.music.placement import PlacedNotes
from align.music.repeats import FoldedScore, best_way, check_repeats, is_notation
from align.results.music import MusicAlignment
from align.types import IntArray

__all__ = ["FoundPart", "MatchRange", "best_part", "read_music", "result_of"]

MatchRange: TypeAlias = tuple[float, float] | None
"""Match that 95 % of wrong scores do not reach, and that 95 % of right ones do."""

Place: TypeAlias = Callable[[Performance], tuple[PlacedNotes, float]]

_END = 4  # chords
_CUTS = 3  # how often the ends of a score may be left out, each time a little more
_BETTER = 0.02  # by which a part must match better than the whole


def read_music(
    audio: Any, score: Any, rate: int | None, *, highest_rate: int, repeats: str
) -> Performance:
    """Return recording and score together; with "auto", those repeats that were played."""
    check_repeats(repeats)
    signal = read_signal(audio, rate=rate, highest_rate=highest_rate)
    if repeats == "auto" and is_notation(score):
        return best_way(
            FoldedScore(score), lambda way: make_performance(signal, way), lambda way: way.cost
        )
    given = "all" if repeats == "auto" else repeats
    return make_performance(signal, as_score(score, given))


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
    """

    whole: Performance
    part: Performance
    index: IntArray
    placed: PlacedNotes
    value: float


def best_part(whole: Performance, place: Place, match_range: MatchRange) -> FoundPart:
    """Return the timing of a score, or of the part of it that a recording holds.

    `place` aligns a recording with a score, and returns the notes and the score of their timing.
    Without a match range, parts are not looked for.
    """
    index = np.arange(len(whole.score))
    found = FoundPart(whole, whole, index, *place(whole))
    for _ in range(_CUTS):
        if not _ends_missing(found.part, found.placed, match_range):
            break
        part = played_part(found.part)
        if part is None:
            break
        placed, score = place(part[0])
        # a part of a score of another piece fits no better than the whole
        better = (placed.match or 0.0) > (found.placed.match or 0.0) + _BETTER
        if not better or _poor(placed.match, match_range):
            break
        found = FoundPart(whole, part[0], found.index[part[1]], placed, score)
    return found


def _ends_missing(part: Performance, placed: PlacedNotes, match_range: MatchRange) -> bool:
    """Return whether the network finds next to nothing of the first chords, or of the last."""
    if placed.probability is None or match_range is None:
        return False
    group = part.chords.group
    ends = (group < _END, group >= len(part.chords) - _END)
    return any(float(placed.probability[end].mean()) < match_range[0] for end in ends)


def _poor(match: float | None, match_range: MatchRange) -> bool:
    """Whether a match is rather that of another piece."""
    if match is None or match_range is None:
        return False
    return match < 0.5 * sum(match_range)


def result_of(
    found: FoundPart,
    confidence_of: ConfidenceModel,
    offset: float,
    match_range: MatchRange,
    audio: str | None,
) -> MusicAlignment:
    """Return the result of what `best_part` found; onsets are `offset` seconds late."""
    whole, part, placed, index = found.whole, found.part, found.placed, found.index
    duration, match = whole.signal.duration, placed.match
    warnings = list(part.warnings)
    trust = 1.0
    if match is not None and match_range is not None:
        low, high = match_range
        trust = float(np.clip(2.0 * (match - low) / (high - low), 0.0, 1.0))
        if _poor(match, match_range):
            warnings.insert(
                0,
                "the recording does not seem to be of this score, or is very unlike what the "
                f"model was trained on (match {match:.2f}, of a right pair mostly more than "
                f"{high:.2f}): do not rely on these times.",
            )
    chords = placed.chords - offset
    n = len(whole.score)
    if index.size < n:
        known = np.unique(whole.chord_of[index])
        chords = continued(whole.chords.onsets, known, placed.chords, duration)
        warnings.insert(0, missing_notes(index, n))
    onsets, confidence = chords[whole.chord_of], np.zeros(n)
    onsets[index] = placed.notes[part.row] - offset
    confidence[index] = trust * confidence_of(placed.evidence)[part.row]
    return MusicAlignment.from_score(
        whole.score,
        np.clip(onsets, 0.0, duration),
        duration=duration,
        end=min(max(part.end, float(placed.chords[-1])), duration),
        confidence=confidence,
        score=found.value,
        audio=audio,
        rate=whole.signal.rate,
        chord_of=whole.chord_of,
        chord_onsets=chords,
        chord_score_onsets=whole.chords.onsets,
        match=match,
        warnings=tuple(warnings),
    )
