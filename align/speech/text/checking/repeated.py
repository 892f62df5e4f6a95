"""Words of a text that were said twice: false starts, and what was read again.

A text has no words that would explain the first of two copies, but those of the second do. So they
are written into the text once more, and all that is known of texts is asked of this one; what was
then found of the first copy is not in the text. Which words they are second scores show
(`align.speech.word_scores.TextScorer.again`).

A recording of more than a minute is cut into stretches, and each knows its own words only. Where a
passage was read twice it is mostly cut between both copies. To the stretch without words for its
copy this is something that is not in the text, and words that follow are spread over it. So where
much is said that is not in the text, the words around it, which may be in either copy, get second
scores, too. These only decide which words to write twice; stretches are searched anew with them,
and both copies have to match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from align.sequence.stretches import Stretch
from align.speech.text.paths import WordPath
from align.speech.text.rows import Piece, Rows
from align.speech.text.text_part import TextPart
from align.speech.word_scores import Again
from align.types import SILENCE, SPOKEN_NOISE, Float64, IntArray, Mismatch

_PAUSES = 1.25  # times as far apart are copies as they are long: pauses are none of it
_LONGEST = 40.0  # seconds of what was said again; where more is not in the text, none are asked of
_LEAST = 0.5  # match of either copy
_DOUBTED = 0.1  # share of its words that may be listed as not said: of fewer than ten none
_SHORTEST = 0.3  # seconds of something that is not in the text; less may be part of a word
_APART = 5.0  # seconds between two of these, from which on they are of two passages
_MUCH = 3.0  # seconds of it that are asked about
_LONGEST_PASSAGE = 50.0  # from its beginning to its end


def said_again(text: TextPart, times: Float64 | None, path: WordPath) -> Again | None:
    """Return the words that seem to be said twice, one copy behind the other.

    Words have `times`, where they may have second scores, but if something else is said on a path,
    any of them may be in the other copy.
    """
    scorer = text.part.second_scorer
    if times is None or not scorer.can_score_words:
        return None
    copied = _PAUSES * float(path.other_seconds.sum())
    if copied > _LONGEST:
        copied = 0.0
    apart = np.clip(times + np.array([-copied, copied]), 0.0, text.part.seconds)
    return scorer.said_again(text.ways, apart)


def written_again(n_words: int, again: Again) -> IntArray:
    """Return the numbers of the words of a text in which some are written twice.

    Examples
    --------
    >>> written_again(4, Again(1, 3, 0.9)).tolist()
    [0, 1, 2, 1, 2, 3]
    """
    return np.append(np.arange(again.stop), np.arange(again.first, n_words))


def copies_match(rows: Rows, mismatches: Sequence[Mismatch], copies: Sequence[range]) -> bool:
    """Whether the words of both copies, which have these numbers, seem to be said.

    Of many words some are listed as not said that were: so a tenth of them may be.

    Examples
    --------
    >>> from align.speech.text.rows import Row
    >>> rows = [*(Row("iy", 0.1 * k, 1.0, k, 0.9) for k in range(20)), Row("sil", 2.0, 1.0, -1)]
    >>> one, two = (Mismatch("unspoken", 0.2, 0.3, ("a",) * n, 0.9) for n in (1, 2))
    >>> copies = range(10), range(10, 20)
    >>> [copies_match(rows, some, copies) for some in ([], [one], [two])]
    [True, True, False]
    """
    for copy in copies:
        own = [k for k, row in enumerate(rows) if row.word in copy]
        match = [rows[k].match or 0.0 for k in own]
        if not own or np.mean(match) < _LEAST:
            return False
        start, end = rows[own[0]].start, rows[own[-1] + 1].start
        doubted = sum(len(m.words) for m in mismatches if m.start < end and m.end > start)
        if doubted > _DOUBTED * len(copy):
            return False
    return True


def without_copy(
    rows: Rows, mismatches: Sequence[Mismatch], first: int, again: Again, *, marked: bool
) -> tuple[Rows, list[Mismatch]]:
    """Return rows and mismatches of a text without the first copy of words that it has twice.

    `first` is the number of its first word. The copy is a silence, or ``spn`` if it is `marked`,
    and a mismatch.

    Examples
    --------
    >>> from align.speech.text.rows import Row
    >>> rows = [Row("k", 0.0, 1.0, 0), Row("iy", 0.2, 1.0, 0), Row("k", 0.5, 1.0, 1)]
    >>> rows += [Row("iy", 0.8, 1.0, 1), Row("sil", 1.0, 1.0, -1)]
    >>> found, listed = without_copy(rows, [], 0, Again(0, 1, 0.9), marked=True)
    >>> [(row.label, row.start, row.word) for row in found]
    [('spn', 0.0, -1), ('k', 0.5, 0), ('iy', 0.8, 0), ('sil', 1.0, -1)]
    >>> [(m.kind, m.start, m.end, m.probability) for m in listed]
    [('untranscribed', 0.0, 0.5, 0.9)]
    """
    begin, stop = first + again.first, first + again.stop
    own = [k for k, row in enumerate(rows) if begin <= row.word < stop]
    k, behind = own[0], own[-1] + 1
    start, end = rows[k].start, rows[behind].start
    again_at = next((row.start for row in rows[behind:] if row.word >= 0), end)
    copy = rows[k]._replace(label=SPOKEN_NOISE if marked else SILENCE, word=-1)
    size = again.stop - again.first
    later = [row._replace(word=row.word - size if row.word >= 0 else -1) for row in rows[behind:]]
    listed = [
        m
        for m in mismatches
        if not start <= 0.5 * (m.start + m.end) < (again_at if m.words else end)
    ]
    listed.append(Mismatch("untranscribed", start, end, (), again.probability))
    return [*rows[:k], copy, *later], sorted(listed, key=lambda m: m.start)


def without_first_copy(
    pieces: Sequence[Piece], first: int, again: Again, *, marked: bool
) -> list[Piece] | None:
    """Return the pieces of a text that has some words twice without the first copy of these.

    None if either copy does not match: then something else was said. `first` and `marked` are as
    in `without_copy`. The first piece has all rows and mismatches.
    """
    rows = [row for piece in pieces for row in piece.rows]
    mismatches = [m for piece in pieces for m in piece.mismatches]
    begin, stop, size = first + again.first, first + again.stop, again.stop - again.first
    said = {row.word for row in rows if row.label not in (SILENCE, SPOKEN_NOISE)}
    # words that were only said in front of the first copy: second scores may take a pause for them
    once = next((k for k in range(size) if stop + k in said), size)
    copies = range(begin + once, stop), range(stop + once, stop + size)
    if not copies_match(rows, mismatches, copies):
        return None
    copy = again._replace(first=again.first + once, stop=again.stop + once)
    rows, mismatches = without_copy(rows, mismatches, first, copy, marked=marked)
    one, *others = pieces
    return [
        one._replace(rows=rows, mismatches=mismatches),
        *(piece._replace(rows=[], mismatches=[]) for piece in others),
    ]


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
        and own[-1].end - own[0].start <= _LONGEST_PASSAGE
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
    away = _PAUSES * (end - start)
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
