"""The edits that a person makes, as functions from document to document.

An edit changes the row of segments, or sets when one of them begins; then what no person has set
is decoded again around what they have. A new row is made first, times come last: so words
begin and end with phones after every edit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from align.errors import ParameterError
from align.studio.another_text import with_text
from align.studio.document import Document
from align.studio.redecoded import Decoder, decoded
from align.studio.segment import Segment
from align.studio.stretch import is_pause
from align.types import SILENCE


def edited(document: Document, action: Mapping[str, Any], decoder: Decoder) -> Document:
    """Return a document after an action, which has ``do`` and what belongs to it.

    See `align.studio.Session.edit`. The `decoder` finds all that no person has set. Raises
    DataError where no timing is possible, or a label is unknown to the model, ParameterError where
    the action is none, or is not possible here.
    """
    if not isinstance(action, Mapping):
        raise ParameterError(f"action={action!r}, must be a mapping, such as {{'do': 'delete'}}.")
    do = action.get("do")
    edits = _OF_NOTES if document.kind == "music" else _OF_SPEECH
    if do not in edits:
        raise ParameterError(f"do={do!r}, must be one of {', '.join(edits)}.")
    if do == "text":
        return _tidied(with_text(document, str(action.get("text", "")), decoder), document)
    changed = edits[do](document, action)
    same = [s.label for s in changed.segments] == [s.label for s in document.segments]
    if document.kind == "music" or (same and _times(changed) == _times(document)):
        return changed
    return decoded(changed, document, decoder)


def _times(document: Document) -> list[tuple[float, bool]]:
    return [(segment.start, segment.fixed) for segment in document.segments]


# What an action says ----------------------------------------------------------------------------


def _seconds(document: Document, action: Mapping[str, Any], key: str) -> float:
    value = action.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ParameterError(f"{key}={value!r}, must be a number of seconds.")
    if not 0 <= value < document.seconds:
        raise ParameterError(
            f"{key}={value:g} s, must be within the recording, from 0 to {document.seconds:.3f} s."
        )
    return float(value)


def _label(action: Mapping[str, Any]) -> str:
    label = str(action.get("label", "")).strip()
    if "\n" in label or len(label) > 200:
        raise ParameterError("label must be one line of at most 200 letters.")
    return label or SILENCE


def _span(document: Document, action: Mapping[str, Any]) -> tuple[bool, int, int]:
    """Return whether a word is meant, and the first of its segments and one past the last."""
    tier, number = action.get("tier"), action.get("id")
    names = ["phones"] if document.words is None else ["words", "phones"]
    if tier not in names:
        raise ParameterError(f"tier={tier!r}, must be one of {', '.join(names)}.")
    if tier == "words" and number in (document.words or {}):
        places = document.of_word(number)
        if places:
            return True, places[0], places[-1] + 1
    k = document.place(number)
    if k is None or (tier == "words" and document.segments[k].word is not None):
        raise ParameterError(f"id={number!r} is none of tier {tier!r}; read the recording again.")
    return False, k, k + 1


def _inside(document: Document, k: int, at: float) -> None:
    """Raise ParameterError where a time does not lie within a segment."""
    start, end = document.segments[k].start, document.ends()[k]
    if not start < at < end:
        raise ParameterError(
            f"at={at:.3f} s, must lie between {start:.3f} and {end:.3f} s, where the interval is."
        )


# Speech -----------------------------------------------------------------------------------------


def _moved(document: Document, action: Mapping[str, Any]) -> Document:
    _, first, stop = _span(document, action)
    if action.get("edge") not in ("start", "end"):
        raise ParameterError(f"edge={action.get('edge')!r}, must be 'start' or 'end'.")
    k = first if action["edge"] == "start" else stop
    to = _seconds(document, action, "to")
    rows = list(document.segments)
    if k == len(rows) or (k == 0 and rows[0].start == 0):
        raise ParameterError("the ends of the recording cannot be moved; insert a pause instead.")
    before = max((s.start for s in rows[:k] if s.fixed), default=0.0)
    behind = min((s.start for s in rows[k + 1 :] if s.fixed), default=document.seconds)
    if not before < to < behind:
        raise ParameterError(
            f"to={to:.3f} s, must lie between {before:.3f} and {behind:.3f} s, where you have set "
            "other boundaries; move those first."
        )
    rows[k] = replace(rows[k], start=to, confidence=1.0, fixed=True)
    return replace(document, segments=tuple(rows))


def _inserted(document: Document, action: Mapping[str, Any]) -> Document:
    if action.get("tier", "phones") != "phones":
        raise ParameterError("a word is inserted by editing the text; here, insert its phones.")
    at, label = _seconds(document, action, "at"), _label(action)
    rows = list(document.segments)
    k = max((i for i, s in enumerate(rows) if s.start < at), default=-1)
    if k < 0 or at in [s.start for s in rows]:
        raise ParameterError(
            f"at={at:.3f} s is where an interval begins; choose a time inside one."
        )
    word, words, number = rows[k].word, document.words, document.next_id
    follows = rows[k + 1].word if k + 1 < len(rows) else None
    if is_pause(label):
        word = word if word == follows else None
    elif word is None and words is not None:  # in a pause: of the word behind it, or one by itself
        word = follows
        if word is None:
            word, number = number, number + 1
            words = {**words, word: label}
    rows.insert(k + 1, Segment(number, label, at, 1.0, True, word))
    return replace(document, segments=tuple(rows), words=words, next_id=number + 1)


def _deleted(document: Document, action: Mapping[str, Any]) -> Document:
    of_word, first, stop = _span(document, action)
    rows = list(document.segments)
    if of_word:
        rows[first:stop] = [replace(rows[first], label=SILENCE, word=None)]
    elif len(rows) == 1:
        raise ParameterError("the only interval cannot be deleted; relabel it.")
    else:
        del rows[first:stop]
        if first == 0:
            rows[0] = replace(rows[0], start=0.0, fixed=False)
    return _tidied(replace(document, segments=tuple(rows)), document)


def _split(document: Document, action: Mapping[str, Any]) -> Document:
    of_word, first, stop = _span(document, action)
    at = _seconds(document, action, "at")
    rows = list(document.segments)
    number = document.next_id
    if not of_word:
        _inside(document, first, at)
        new = replace(rows[first], id=number, start=at, confidence=1.0, fixed=True)
        rows.insert(first + 1, new)
        return replace(document, segments=tuple(rows), next_id=number + 1)
    if stop - first < 2 or document.words is None:
        raise ParameterError("a word of one phone cannot be split; split the phone first.")
    k = min(range(first + 1, stop), key=lambda i: abs(rows[i].start - at))
    label = document.words[rows[first].word]  # type: ignore[index]
    rows[k:stop] = [replace(segment, word=number) for segment in rows[k:stop]]
    words = {**document.words, number: label}
    return replace(document, segments=tuple(rows), words=words, next_id=number + 1)


def _merged(document: Document, action: Mapping[str, Any]) -> Document:
    of_word, first, stop = _span(document, action)
    rows = list(document.segments)
    if stop == len(rows):
        raise ParameterError("nothing follows the last interval; merge the one before it.")
    if not of_word:
        del rows[stop]
        return _tidied(replace(document, segments=tuple(rows)), document)
    behind = next((s.word for s in rows[stop:] if s.word is not None), None)
    if behind is None or document.words is None:
        raise ParameterError("no word follows this one; merge the one before it.")
    word = rows[first].word
    last = document.of_word(behind)[-1] + 1
    rows[stop:last] = [replace(segment, word=word) for segment in rows[stop:last]]
    words = dict(document.words)
    words[word] = f"{words[word]} {words[behind]}"  # type: ignore[index]
    return _tidied(replace(document, segments=tuple(rows), words=words), document)


def _relabelled(document: Document, action: Mapping[str, Any]) -> Document:
    of_word, first, _ = _span(document, action)
    label, rows = _label(action), list(document.segments)
    number, word, words = document.next_id, rows[first].word, document.words
    if of_word and word is not None:
        if is_pause(label):
            return _deleted(document, action)
        return replace(document, words={**(words or {}), word: label})
    alone = word is None or len(document.of_word(word)) == 1
    if is_pause(label):
        word = (
            None
            if alone or first in (document.of_word(word)[0], document.of_word(word)[-1])
            else word
        )
    elif word is None and words is not None:  # a pause that was speech becomes a word
        word, number, words = number, number + 1, {**words, number: label}
    rows[first] = replace(rows[first], label=label, word=word)
    new = replace(document, segments=tuple(rows), words=words, next_id=number)
    return _tidied(new, document)


def _tidied(document: Document, before: Document) -> Document:
    """Join pauses that an edit has brought together, and forget words that have no phones.

    Pauses that followed each other before it are those of a person who has split one.
    """
    rows: list[Segment] = []
    split = {b.id for a, b in pairwise(before.segments) if _is_gap(a) and _is_gap(b)}
    for segment in document.segments:
        if rows and _is_gap(rows[-1]) and _is_gap(segment) and segment.id not in split:
            continue
        rows.append(segment)
    left = {segment.word for segment in rows}
    words = document.words
    if words is not None:
        words = {number: label for number, label in words.items() if number in left}
    return replace(document, segments=tuple(rows), words=words)


def _is_gap(segment: Segment) -> bool:
    """Whether a segment is a pause, but for one within a word."""
    return segment.word is None and is_pause(segment.label)


# Music ------------------------------------------------------------------------------------------


def _note(document: Document, action: Mapping[str, Any]) -> int:
    k = document.place(action.get("id"))
    if action.get("tier", "notes") != "notes" or k is None:
        raise ParameterError(f"id={action.get('id')!r} is no note; read the recording again.")
    return k


def _note_moved(document: Document, action: Mapping[str, Any]) -> Document:
    """Move a note; it keeps its length, and the others stay."""
    k = _note(document, action)
    if action.get("edge", "start") != "start":
        raise ParameterError("the ends of notes are those of the score; move the start.")
    to, rows = _seconds(document, action, "to"), list(document.segments)
    note = dict(rows[k].note or {})
    note["end"] = min(document.seconds, float(note["end"]) + to - rows[k].start)
    rows[k] = replace(rows[k], start=to, confidence=1.0, fixed=True, note=note)
    return replace(document, segments=tuple(rows))


def _unplayed(document: Document, action: Mapping[str, Any]) -> Document:
    k, rows = _note(document, action), list(document.segments)
    note = dict(rows[k].note or {})
    rows[k] = replace(rows[k], note={**note, "played": not note["played"]})
    return replace(document, segments=tuple(rows))


@dataclass(frozen=True)
class _Refused:
    why: str

    def __call__(self, document: Document, action: Mapping[str, Any]) -> Document:
        raise ParameterError(self.why)


_Edit = Callable[[Document, Mapping[str, Any]], Document]
_OF_SPEECH: dict[str, _Edit] = {
    "move": _moved,
    "insert": _inserted,
    "delete": _deleted,
    "split": _split,
    "merge": _merged,
    "relabel": _relabelled,
    "text": _Refused("there is no text."),
    "unplayed": _Refused("only notes can be marked as not played."),
}
_OF_NOTES: dict[str, _Edit] = {
    "move": _note_moved,
    "unplayed": _unplayed,
    **dict.fromkeys(
        ("insert", "delete", "split", "merge", "relabel", "text"),
        _Refused("the notes are those of the score; move them, or mark them as not played."),
    ),
}
