"""Passages of a long recording that were read twice.

A recording of more than a minute is cut into stretches, and each knows its own words only. Where a
passage was read twice it is mostly cut between both copies. To the stretch without words for its
copy this is something that is not in the text, and words that follow are spread over it. So where
much is said that is not in the text, the words around it, which may be in either copy, get second
scores (within a stretch `align.speech.text.checking.repeated` does so). These only decide which
words to write twice; stretches are searched anew with them, and both copies have to match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from align.sequence.stretches import Stretch
from align.speech.text.checking.repeated import PAUSES
from align.speech.text.pieces import Piece, TextPart
from align.speech.text.rows import Rows
from align.speech.word_scores import Again
from align.types import Float64, Mismatch

__all__ = ["ReadAgain", "much_else", "passages_read_again", "word_times"]

_SHORTEST = 0.3  # seconds of something that is not in the text; less may be part of a word
_APART = 5.0  # seconds between two of these, from which on they are of two passages
_MUCH = 3.0  # seconds of it that are asked about
_LONGEST = 50.0  # from its beginning to its end


class ReadAgain(NamedTuple):
    """The stretches from `first` up to `stop`, the text of them, and its words read again."""

    first: int
    stop: int
    text: TextPart
    again: Again


def passages_read_again(
    text: TextPart, found: Sequence[tuple[Stretch, Piece]]
) -> Iterator[ReadAgain]:
    """Yield passages that seem to be read again, one after the other.

    `found` are the stretches of the text; where it is one, it knows of both copies.
    """
    places = much_else([m for _, piece in found for m in piece.mismatches])
    if len(found) < 2 or not places:
        return
    begin, rows = text.part.begin, [row for _, piece in found for row in piece.rows]
    times = word_times(rows, text.first, len(text.words))
    for start, end in places:
        again = _read_again(text, times, (start, end))
        if again is None:
            continue
        own = [
            k
            for k, (at, _) in enumerate(found)
            if (at.first < again.stop and again.first < at.stop - 1)
            or (at.begin < end - begin and start - begin < at.end)
        ]
        low, high = found[own[0]][0], found[own[-1]][0]
        span = begin + low.begin, begin + high.end
        moved = again._replace(first=again.first - low.first, stop=again.stop - low.first)
        here = text.within(span, slice(low.first, high.stop - 1))
        yield ReadAgain(own[0], own[-1] + 1, here, moved)


def much_else(mismatches: Sequence[Mismatch]) -> list[tuple[float, float]]:
    """Return from when to when much is said that is not in the text, in seconds.

    Some words may be between, which are perhaps not said there.

    Examples
    --------
    >>> times = (3.0, 5.0), (7.0, 9.0), (20.0, 22.0), (30.0, 100.0)
    >>> much_else([Mismatch("untranscribed", start, end, (), 0.9) for start, end in times])
    [(3.0, 9.0)]
    """
    others = [m for m in mismatches if not m.words and m.end - m.start >= _SHORTEST]
    others.sort(key=lambda m: m.start)
    places: list[list[Mismatch]] = []
    for one in others:
        if places and one.start - places[-1][-1].end < _APART:
            places[-1].append(one)
        else:
            places.append([one])
    return [
        (own[0].start, own[-1].end)
        for own in places
        if sum(one.end - one.start for one in own) >= _MUCH
        and own[-1].end - own[0].start <= _LONGEST
    ]


def word_times(rows: Rows, first: int, n_words: int) -> Float64:
    """Return when each word begins and ends, in seconds [shape=(W, 2)].

    The first has the number `first`. One without rows lies where the one before it ends.

    Examples
    --------
    >>> from align.speech.text.rows import Row
    >>> rows = [Row("k", 0.5, 1.0, 7), Row("iy", 0.7, 1.0, 7), Row("sil", 0.9, 1.0, -1)]
    >>> word_times(rows, 7, 2).tolist()
    [[0.5, 0.9], [0.9, 0.9]]
    """
    times = np.full((n_words, 2), np.nan)
    for row, following in pairwise(rows):
        if row.word >= 0:
            own = times[row.word - first]
            own[:] = np.fmin(own[0], row.start), following.start
    before = rows[0].start
    for own in times:
        if np.isnan(own[0]):
            own[:] = before
        before = own[1]
    return times


def _read_again(text: TextPart, times: Float64, place: tuple[float, float]) -> Again | None:
    """Return the words that seem to be read again, since much else is said in a place.

    Words have `times`; their other copy may be as far from there as two copies are apart.
    """
    start, end = place
    away = PAUSES * (end - start)
    near = np.flatnonzero((times[:, 1] > start - away) & (times[:, 0] < end + away))
    if not near.size:
        return None
    first, stop = int(near[0]), int(near[-1]) + 1
    between = 0.5 * (times[1:, 0] + times[:-1, 1])
    span = text.part.span
    low, high = np.concatenate([span[:1], between, span[1:]])[[first, stop]]
    part = replace(text.part, span=(float(low), float(high)))
    scorer = part.second_scorer
    if not scorer.can_score_words:
        return None
    own = times[first:stop] - low
    # the other copy of what comes before the place is behind it, of what comes behind it before
    own[:, 0] -= np.where(times[first:stop, 1] <= start, 0.0, away)
    own[:, 1] += np.where(times[first:stop, 0] >= end, 0.0, away)
    own = np.clip(own, 0.0, part.seconds)
    again = scorer.said_again(text.wording.ways(text.words[first:stop]), own)
    if again is None:
        return None
    return again._replace(first=again.first + first, stop=again.stop + first)
