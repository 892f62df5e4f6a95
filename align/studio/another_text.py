"""Another text of a recording: the words that change are aligned again, with some about them."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from align.errors import DataError, ParameterError
from align.studio.document import Document
from align.studio.mismatches import later, words_called
from align.studio.redecoded import Decoder, Within, decoded
from align.studio.segment import Segment
from align.studio.stretch import Stretch, stretch_about
from align.types import SILENCE

_AGREE = 0.005  # seconds between the starts of a word that is found again


def with_text(document: Document, text: str, decoder: Decoder) -> Document:
    """Return the document of another text; words that stay begin where they were set to.

    Only a stretch about the words that change is aligned again; all of it, where none does.
    """
    if document.kind == "music":
        raise ParameterError("the notes are those of the score; there is no text here.")
    if document.words is None:
        raise ParameterError("there is no text here, only phones; relabel those.")
    if not text.strip():
        raise ParameterError("text='', must hold at least one word.")
    new, old = text.split(), _by_word(document.segments)
    labels = [document.words[word] for word, _ in old]
    own = [label.split() for label in labels]
    if new == [word for words in own for word in words]:
        return _retold(document, text, decoder)
    head = _same_words(own, new)
    tail = _same_words([words[::-1] for words in own[::-1]], new[::-1])
    tail = min(tail, len(old) - head)
    while sum(map(len, own[len(old) - tail :])) > len(new) - sum(map(len, own[:head])):
        tail -= 1  # words that are there twice are the same at either end
    low = old[head - 1][1][-1] + 1 if head else 0
    high = old[len(old) - tail][1][0] if tail else len(document.segments)
    stretch = stretch_about(document, low, high)
    if stretch == Stretch.whole(document):
        return _retold(document, text, decoder)
    inside = [n for n, (_, own) in enumerate(old) if stretch.first <= own[0] < stretch.stop]
    skipped, left = inside[0], len(old) - 1 - inside[-1]
    behind = sum(map(len, own[len(old) - left :]))
    words = new[sum(map(len, own[:skipped])) : len(new) - behind]
    rows = document.segments[stretch.first : stretch.stop]
    begin, end = stretch.begin, stretch.end
    part = replace(
        document,
        seconds=end - begin,
        segments=tuple(replace(s, start=s.start - begin) for s in rows),
        end=end - begin,
        words={old[n][0]: labels[n] for n in inside},
        mismatches=(),
    )
    try:
        told = _retold(part, " ".join(words), Within(decoder, begin, end))
    except DataError:  # the words may need more room than the stretch has
        return _retold(document, text, decoder)
    first, stop = _joints(part, told, head - skipped, tail - left)
    segments = (
        *document.segments[: stretch.first + first[0]],
        *(replace(s, start=s.start + begin) for s in told.segments[first[1] : stop[1]]),
        *document.segments[stretch.first + stop[0] :],
    )
    spoken = {s.word for s in segments}
    known = {**document.words, **(told.words or {})}
    whole = replace(
        document,
        segments=segments,
        words={word: label for word, label in known.items() if word in spoken},
        next_id=told.next_id,
    )
    near = [m for m in document.mismatches if not begin <= m["start"] < end]
    here = [_renamed(later(m, begin), told, whole) for m in told.mismatches]
    return replace(whole, mismatches=tuple(sorted((*near, *here), key=lambda m: m["start"])))


def _renamed(mismatch: dict[str, Any], told: Document, whole: Document) -> dict[str, Any]:
    """Return a mismatch of a part; of its words some may be those of the whole, which stay."""
    named, spoken = mismatch.get("of", []), whole.words or {}
    if all(word in spoken for word in named):
        return mismatch
    names = [(told.words or {})[word] for word in named]
    span = mismatch["start"], mismatch["end"]
    return {**mismatch, "of": words_called(names, span, whole.segments, spoken)}


def _same_words(labels: Sequence[Sequence[str]], new: Sequence[str]) -> int:
    """Return how many labels, each of some words, a text begins with."""
    at = 0
    for n, own in enumerate(labels):
        if list(new[at : at + len(own)]) != list(own):
            return n
        at += len(own)
    return len(labels)


def _joints(
    part: Document, told: Document, head: int, tail: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return from which segment of `part`, and of `told`, on both differ, and up to which.

    These are the starts of words, not of those beside the change, where both agree: a part that is
    cut out of a recording is less sure at its ends. `head` and `tail` are how many of the first
    and of the last words are the same.
    """
    was, now = _by_word(part.segments), _by_word(told.segments)

    def agree(n: int, m: int) -> bool:
        (a, own), (b, other) = was[n], now[m]
        same = (part.words or {})[a] == (told.words or {})[b]
        starts = part.segments[own[0]].start, told.segments[other[0]].start
        return same and abs(starts[0] - starts[1]) < _AGREE

    heads = [n for n in range(min(head, len(now)) - 1) if agree(n, n)]
    tails = [n for n in range(2, min(tail, len(now)) + 1) if agree(-n, -n)]
    first = (was[heads[-1]][1][0], now[heads[-1]][1][0]) if heads else (0, 0)
    stop = len(part.segments), len(told.segments)
    if tails:
        stop = was[-tails[0]][1][0], now[-tails[0]][1][0]
    return first, stop


def _retold(document: Document, text: str, decoder: Decoder) -> Document:
    """Return the document of another text, all of which is aligned again.

    Words that stay begin and end where they were set to, and keep their phones and the pauses
    between them, which a person may have changed; but the same text again gives phones anew.
    """
    assert document.words is not None
    found = decoder.text(text)
    assert found.words is not None
    shift = document.next_id  # numbers are never given twice
    free = [
        replace(s, id=s.id + shift, word=None if s.word is None else s.word + shift)
        for s in found.segments
    ]
    rows, next_id = list(free), found.next_id + shift
    words = {number + shift: label for number, label in found.words.items()}
    old, new = _by_word(document.segments), _by_word(rows)
    before = [document.words[word].split() for word, _ in old]
    after = [words[word] for word, _ in new]
    anew = after == [word for label in before for word in label]
    called: dict[int, int] = {}  # what words that stay are called
    for was, own in reversed(_same_blocks(before, after)):
        for place, its in reversed(_units(document, free, was, own)):
            kept, told = document.segments[place], rows[its]
            if [s.label for s in kept] == [s.label for s in told]:
                rows[its] = [_set_as(s, f, anew) for s, f in zip(kept, told, strict=True)]
            elif not anew:
                rows[its] = [
                    s if s.fixed else replace(s, id=next_id + k) for k, s in enumerate(kept)
                ]
                next_id += len(kept)
            elif kept and told:
                rows[its] = [_set_as(kept[0], told[0], anew), *told[1:]]
        if not anew:
            named = [old[k][0] for k in range(was.start, was.stop) for _ in before[k]]
            called.update(zip([word for word, _ in new[own]], named, strict=True))
            words.update((word, document.words[word]) for word in named)
    if rows[0].start > 0:  # the first word keeps a later start: what lies before it is a pause
        rows.insert(0, Segment(next_id, SILENCE, 0.0))
        next_id += 1
    spoken = {s.word for s in rows}
    whole = replace(
        found,
        segments=tuple(rows),
        words={number: label for number, label in words.items() if number in spoken},
        next_id=next_id,
        mismatches=tuple(
            {**m, "of": [called.get(n + shift, n + shift) for n in m.get("of", ())]}
            for m in found.mismatches
        ),
    )
    if [(s.id, s.fixed) for s in rows] == [(s.id, s.fixed) for s in free]:
        return whole
    return decoded(whole, replace(whole, segments=tuple(free)), decoder)


def _set_as(was: Segment, found: Segment, anew: bool) -> Segment:
    """Return a segment that begins where a person has set it to, if they have."""
    if not anew:
        found = replace(found, word=was.word)
    return replace(found, start=was.start, confidence=1.0, fixed=True) if was.fixed else found


def _units(
    document: Document, rows: Sequence[Segment], was: slice, own: slice
) -> list[tuple[slice, slice]]:
    """Return the places of words that stay, and of the pauses between them, before and now.

    At the beginning and at the end of a recording also those of what lies before and behind. A
    pause behind the last one counts where a person has set that it begins there.
    """
    words = document.words or {}
    old, new = _by_word(document.segments), _by_word(rows)
    at, units = own.start, list[tuple[slice, slice]]()
    done = (0, 0) if not was.start and not own.start else None
    for word, places in old[was]:
        its = [place for _, some in new[at : at + len(words[word].split())] for place in some]
        at += len(words[word].split())
        if done is not None:
            units.append((slice(done[0], places[0]), slice(done[1], its[0])))
        units.append((slice(places[0], places[-1] + 1), slice(its[0], its[-1] + 1)))
        done = places[-1] + 1, its[-1] + 1
    assert done is not None
    if (was.stop, own.stop) == (len(old), len(new)):
        return [*units, (slice(done[0], None), slice(done[1], None))]
    behind = document.segments[done[0] : done[0] + 1]
    if behind and behind[0].word is None and behind[0].fixed:
        same = done[1] < len(rows) and rows[done[1]].label == behind[0].label
        units.append((slice(done[0], done[0] + 1), slice(done[1], done[1] + same)))
    return units


def _same_blocks(
    before: Sequence[Sequence[str]], after: Sequence[str]
) -> list[tuple[slice, slice]]:
    """Return which words of a text stay, and which of the new text they are, in order.

    First those at its beginning, then those at its end: where a word is there twice, the one that
    is far from the change stays. A word that a person made of several, `before` has as these.
    """
    head = _same_words(before, after)
    begun = sum(map(len, before[:head]))
    rest = [words[::-1] for words in before[head:]]
    tail = _same_words(rest[::-1], after[begun:][::-1])
    stop, end = len(before) - tail, len(after) - sum(map(len, rest[len(rest) - tail :]))
    between = [" ".join(words) for words in before[head:stop]]
    matcher = SequenceMatcher(None, between, after[begun:end], autojunk=False)
    blocks = [(slice(0, head), slice(0, begun))]
    for a, b, n in matcher.get_matching_blocks():
        blocks.append((slice(head + a, head + a + n), slice(begun + b, begun + b + n)))
    blocks.append((slice(stop, len(before)), slice(end, len(after))))
    return [(was, own) for was, own in blocks if was.start < was.stop]


def _by_word(segments: Sequence[Segment]) -> list[tuple[int, list[int]]]:
    """Return the words in order, each with the places of its segments."""
    places = groupby(range(len(segments)), key=lambda k: segments[k].word)
    return [(word, list(group)) for word, group in places if word is not None]
