"""Aligning one recording with a score: which way through it, which part of it, and what to doubt.

Of the ways through a score with repeats, one whose coarse alignment costs least is taken. Where
next to nothing is heard of the ends of the score, they are left out, as long as the rest then
matches better. What matches no better than a recording matches the score of another piece is
returned all the same, with a warning and little confidence.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.music.decoding import find_chords
from align.music.parts import continued, missing_notes, played_part
from align.music.performance import Performance, as_score, make_performance, read_signal
from align.music.placement import PlacedNotes, place_notes
from align.music.repeats import FoldedScore, best_way, check_repeats, is_notation
from align.results.music import MusicAlignment
from align.types import IntArray, Note

if TYPE_CHECKING:
    from align.formats.scores import Score
    from align.music.aligner import MusicAligner

__all__ = ["find_music"]

_END = 4  # chords
_CUTS = 3  # how often the ends of a score may be left out, each time a little more
_BETTER = 0.02  # by which a part must match better than the whole


def find_music(
    aligner: "MusicAligner",
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    score: "str | os.PathLike[str] | Score | Sequence[Note]",
    rate: int | None,
) -> MusicAlignment:
    """Align with a fitted aligner; see `MusicAligner.align`.

    Raises
    ------
    DataError
        Where the audio or the score cannot be read, or the score cannot fit the recording.
    """
    whole = _read(aligner, audio, score, rate)
    name = whole.signal.name
    performance = whole
    placed, value = _place(aligner, whole, name)
    index = np.arange(len(whole.score))
    for _ in range(_CUTS):
        if not _ends_missing(aligner, performance, placed):
            break
        part = played_part(performance)
        if part is None:
            break
        again, total = _place(aligner, part[0], name)
        # a part of a score of another piece fits no better than the whole
        better = (again.match or 0.0) > (placed.match or 0.0) + _BETTER
        if not better or _poor(aligner, again.match):
            break
        performance, index, placed, value = part[0], index[part[1]], again, total
    return _alignment(aligner, audio, whole, performance, index, placed, value)


def _read(aligner: "MusicAligner", audio: Any, score: Any, rate: int | None) -> Performance:
    """Read recording and score, and find out which repeats were played where that is asked."""
    check_repeats(aligner.repeats)
    signal = read_signal(audio, rate=rate, highest_rate=aligner.rate)
    if aligner.repeats == "auto" and is_notation(score):
        return best_way(
            FoldedScore(score), lambda way: make_performance(signal, way), lambda way: way.cost
        )
    given = "all" if aligner.repeats == "auto" else aligner.repeats
    return make_performance(signal, as_score(score, given))


def _place(
    aligner: "MusicAligner", performance: Performance, name: str
) -> tuple[PlacedNotes, float]:
    """Align; also return the score of the timing."""
    try:
        found = find_chords(performance, aligner.functions_, aligner._weights(performance))
    except ParameterError as error:
        raise DataError(str(error), path=name) from error
    return place_notes(performance, aligner.functions_, found), found.score


def _ends_missing(aligner: "MusicAligner", performance: Performance, placed: PlacedNotes) -> bool:
    """Whether next to nothing is heard of the first chords of the score, or of the last."""
    if placed.heard is None or aligner.match_range_ is None:
        return False
    group = performance.chords.group
    ends = (group < _END, group >= len(performance.chords) - _END)
    return any(float(placed.heard[end].mean()) < aligner.match_range_[0] for end in ends)


def _poor(aligner: "MusicAligner", match: float | None) -> bool:
    """Whether a match is rather that of another piece."""
    if match is None or aligner.match_range_ is None:
        return False
    return match < 0.5 * sum(aligner.match_range_)


def _alignment(
    aligner: "MusicAligner",
    audio: Any,
    whole: Performance,
    part: Performance,
    index: IntArray,
    placed: PlacedNotes,
    value: float,
) -> MusicAlignment:
    """Put together what is returned; `index` are the notes of the whole score in the part."""
    duration, match = whole.signal.duration, placed.match
    warnings = list(part.warnings)
    trust = 1.0
    if match is not None and aligner.match_range_ is not None:
        low, high = aligner.match_range_
        trust = float(np.clip(2.0 * (match - low) / (high - low), 0.0, 1.0))
        if _poor(aligner, match):
            warnings.insert(
                0,
                "the recording does not seem to be of this score, or is very unlike what the "
                f"model was trained on (match {match:.2f}, of a right pair mostly more than "
                f"{high:.2f}): do not rely on these times.",
            )
    chords = placed.chords - aligner.offset_
    n = len(whole.score)
    if index.size < n:
        known = np.unique(whole.chord_of[index])
        chords = continued(whole.chords.onsets, known, placed.chords, duration)
        warnings.insert(0, missing_notes(index, n))
    onsets, confidence = chords[whole.chord_of], np.zeros(n)
    onsets[index] = placed.notes[part.row] - aligner.offset_
    confidence[index] = trust * aligner.confidence_(placed.evidence)[part.row]
    return MusicAlignment.from_score(
        whole.score,
        np.clip(onsets, 0.0, duration),
        duration=duration,
        end=min(max(part.end, float(placed.chords[-1])), duration),
        confidence=confidence,
        score=value,
        audio=None if isinstance(audio, np.ndarray) else os.fspath(audio),
        rate=whole.signal.rate,
        chord_of=whole.chord_of,
        chord_onsets=chords,
        chord_score_onsets=whole.chords.onsets,
        match=match,
        warnings=tuple(warnings),
    )
