"""Where text or score and recording disagree, and whether a person is done with it.

A mismatch is a mapping: ``label``, ``start`` and ``end`` in seconds, the ``text`` that is shown,
and ``of``, the numbers of the words or notes that it names. A person is done with it where they
have set when each of these begins, or have taken it out; of one that names none, where all that
begins within it was set; and where nothing does, as where a passage was left out, what begins just
before it and just after it. Sessions of before have mismatches without ``of``.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from align.studio.segment import Segment
from align.types import Mismatch, span_named

_NEAR = 0.01  # seconds that a note may begin before what names it


def named_mismatches(
    found: Any, segments: Sequence[Segment], words: Mapping[int, str] | None = None
) -> tuple[dict[str, Any], ...]:
    """Return the mismatches of an alignment, with the numbers of what they name.

    `segments` and `words` are those of its document.
    """
    return tuple(
        {
            "label": m.label,
            "start": m.start,
            "end": m.end,
            "text": str(m),
            "of": _of_notes(m, segments)
            if words is None
            else words_called(m.words, (m.start, m.end), segments, words),
        }
        for m in getattr(found, "mismatches", ())
    )


def words_called(
    names: Sequence[str],
    span: tuple[float, float],
    segments: Sequence[Segment],
    words: Mapping[int, str],
) -> list[int]:
    """Return the numbers of words with these names in a row, those nearest to some seconds.

    No other word lies between them and where these seconds begin, but one at most. If there are
    none such, a passage was left out, or a word between them: then those that begin within.
    """
    heads = _heads(segments)
    labels, n = [words[s.word] for s in heads if s.word is not None], len(names)
    here = bisect_left(heads, span[0], key=lambda head: head.start)
    near = [
        k for k in range(max(0, here - n - 1), here + 2) if n and labels[k : k + n] == list(names)
    ]
    if not near:
        return _begun_within(segments, *span) if n else []
    first = min(near, key=lambda k: abs(heads[k].start - span[0]))
    return [s.word for s in heads[first : first + n] if s.word is not None]


def _of_notes(m: Mismatch, segments: Sequence[Segment]) -> list[int]:
    """Return the numbers of the notes that a mismatch names; of those played twice, which."""
    own = [s for s in segments if s.note is not None and s.note["note_id"] in m.notes]
    here = [s for s in own if m.start - _NEAR <= s.start <= m.end]
    return [s.id for s in here or own]


def _begun_within(segments: Sequence[Segment], start: float, end: float) -> list[int]:
    """Return the numbers of the words that begin within some seconds."""
    return [s.word for s in _heads(segments) if s.word is not None and start <= s.start < end]


def _heads(segments: Sequence[Segment]) -> list[Segment]:
    """Return what begins each word, in order."""
    rows = [s for s in segments if s.word is not None]
    return [next(own) for _, own in groupby(rows, key=lambda s: s.word)]


def is_done(mismatch: Mapping[str, Any], segments: Sequence[Segment]) -> bool:
    """Whether a person has set, or taken out, all that a mismatch is about.

    Examples
    --------
    >>> rows = [Segment(0, "k", 0.1, fixed=True, word=8), Segment(1, "w", 0.4, word=9)]
    >>> told = {"start": 0.0, "end": 0.5}
    >>> [is_done({**told, "of": of}, rows) for of in ([8], [8, 9], [7], [])]
    [True, False, True, False]
    """
    named = set(mismatch.get("of", ()))
    if not named:
        start, end = mismatch["start"], mismatch["end"]
        own = [s for s in segments if start <= s.start < end]
        own = own or _around(segments, start, end)
        return bool(own) and all(s.fixed for s in own)
    own = [s for s in _heads(segments) if s.word in named]
    own += [s for s in segments if s.note is not None and s.is_played and s.id in named]
    return all(s.fixed for s in own)


def _around(segments: Sequence[Segment], start: float, end: float) -> list[Segment]:
    """Return what begins just before and just after some seconds in which nothing begins."""
    before, after = (
        [s for s in segments if s.start < start],
        [s for s in segments if s.start >= end],
    )
    return [*before[-1:], *after[:1]]


def later(mismatch: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return a mismatch some seconds later, in what it says, too."""
    old, new = ((mismatch["start"] + by, mismatch["end"] + by) for by in (0.0, seconds))
    text = mismatch["text"].replace(span_named(*old), span_named(*new), 1)
    return {**mismatch, "start": new[0], "end": new[1], "text": text}
