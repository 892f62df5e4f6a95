"""Annotations of the EMU Speech Database Management System, ``_annot.json``.

A file belongs to one recording (a *bundle*) and holds *levels* of items, each with an id; *links*
lead from the items of a level to those below it::

    {"name": "kiwi", "annotates": "kiwi.wav", "sampleRate": 16000,
     "levels": [{"name": "words", "type": "SEGMENT", "items": [
                    {"id": 1, "sampleStart": 2240, "sampleDur": 12639,
                     "labels": [{"name": "words", "value": "kiwi"}]}]},
                {"name": "phones", "type": "SEGMENT", "items": [...]}],
     "links": [{"fromID": 1, "toID": 2}]}

A tier of intervals is a level of type SEGMENT, a tier of points one of type EVENT. Times are
samples; a segment lasts from ``sampleStart`` to the end of the sample ``sampleStart + sampleDur``,
so the next begins one later. Each word is linked to the phones within it.

Read are levels with times, and levels of type ITEM, whose times are those of what they are linked
to. Of an item that has several labels the first counts.

References
----------
Winkelmann, "The EMU-SDMS Manual", chapters "The emuDB format" and "File formats".
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.formats.documents.parsing import parsed_json
from align.formats.documents.writing import json_text
from align.formats.tiers.labels import ticks
from align.formats.tiers.tier import PHONES, WORDS, Tier, Tiers, check_names
from align.formats.tiers.tier_format import TierFormat
from align.types import SILENCES

ANNOTATION = "_annot.json"
"""What the name of an annotation ends in."""

_RATE = 16000  # Hz, where the rate of the recording is not known
_TYPES = {"interval": "SEGMENT", "point": "EVENT"}
_MOST = 1 << 53  # samples, and ids

_Span = tuple[int, int]  # first sample, and the first one after it
_Row = tuple[str, int, int]  # label and span


# Reading ----------------------------------------------------------------------------------------


def _read(path: StrPath, encoding: str | None) -> tuple[list[Tier], float | None]:
    """Return the levels with times; a file does not say how long its recording is."""
    content = parsed_json(path, encoding)
    wrong = partial(DataError, path=path)
    if not isinstance(content, dict) or not isinstance(content.get("levels"), list):
        raise wrong('is no annotation of EMU: it has no list "levels".')
    rate = _whole(content, "sampleRate", "the annotation", path)
    if rate < 1:
        raise wrong(f"the sampleRate is {rate} Hz, must be positive.")
    levels = [_Level(level, path) for level in content["levels"]]
    spans = {key: span for level in levels for key, span in level.spans.items()}
    below = _links(content.get("links"), path)
    known = {key for level in levels for key in level.labels}
    tiers = []
    for level in levels:
        for key in level.labels:
            _check_links(key, level, known, below, path)
        rows = [(label, *_span(key, spans, below)) for key, label in level.labels.items()]
        timed = sorted((row for row in rows if row[2] > row[1]), key=lambda row: row[1])
        if not timed and rows:
            continue  # items that are linked to nothing with times
        in_seconds = ((label, start / rate, end / rate) for label, start, end in timed)
        tiers.append(Tier.of_rows(level.name, in_seconds, level.kind))
    return tiers, None


class _Level:
    """A level: the label of each item by its id, and the samples of those that have times."""

    def __init__(self, content: Any, path: StrPath) -> None:
        name = content.get("name") if isinstance(content, dict) else None
        items = content.get("items") if isinstance(content, dict) else None
        if not isinstance(name, str) or not isinstance(items, list):
            raise DataError('a level has no text "name", or no list "items".', path=path)
        self.name = name
        self.kind = "point" if content.get("type") == "EVENT" else "interval"
        self.labels: dict[int, str] = {}
        self.spans: dict[int, _Span] = {}
        for item in items:
            key = _whole(item, "id", f"an item of level {name!r}", path)
            where = f"item {key} of level {name!r}"
            self.labels[key] = _label(item, where, path)
            if self.kind == "point":
                at = _whole(item, "samplePoint", where, path)
                self.spans[key] = (at, at + 1)
            elif "sampleStart" in item:
                start = _whole(item, "sampleStart", where, path)
                self.spans[key] = (start, start + _whole(item, "sampleDur", where, path) + 1)


def _label(item: dict[str, Any], where: str, path: StrPath) -> str:
    labels = item.get("labels")
    first = labels[0] if isinstance(labels, list) and labels else None
    value = first.get("value") if isinstance(first, dict) else None
    if not isinstance(value, str):
        raise DataError(f'{where} has no label with a text "value".', path=path)
    return value


def _links(content: Any, path: StrPath) -> dict[int, list[int]]:
    """Return the ids that each id leads to."""
    below: dict[int, list[int]] = {}
    for link in content if isinstance(content, list) else []:
        source = _whole(link, "fromID", "a link", path)
        below.setdefault(source, []).append(_whole(link, "toID", "a link", path))
    return below


def _check_links(
    key: int, level: _Level, known: set[int], below: dict[int, list[int]], path: StrPath
) -> None:
    """Refuse an item whose times are those of items that do not exist."""
    missing = [] if key in level.spans else [one for one in below.get(key, ()) if one not in known]
    if missing:
        raise DataError(
            f"item {key} of level {level.name!r} ({level.labels[key]!r}) is linked to item "
            f"{missing[0]}, which does not exist; without it its times are not known.",
            path=path,
        )


def _span(key: int, spans: dict[int, _Span], below: dict[int, list[int]]) -> _Span:
    """Return the samples of an item, else those from its first to its last timed descendant."""
    if key in spans:
        return spans[key]
    seen, waiting, found = {key}, [key], []
    while waiting:
        for child in below.get(waiting.pop(), ()):
            if child in seen:
                continue
            seen.add(child)
            if child in spans:
                found.append(spans[child])
            else:
                waiting.append(child)
    spans[key] = (min((s for s, _ in found), default=0), max((e for _, e in found), default=0))
    return spans[key]


def _whole(values: Any, key: str, where: str, path: StrPath) -> int:
    value = values.get(key) if isinstance(values, dict) else None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST:
        return value
    raise DataError(f'"{key}" of {where} is {value!r}, must be a whole number.', path=path)


# Writing ----------------------------------------------------------------------------------------


def _write(path: StrPath, tiers: Tiers, *, overwrite: bool = False) -> None:
    """Write all tiers as an annotation; see the module's docstring.

    Times are samples of the recording; where it cannot be read, of `Tiers.rate`, else 16000 Hz.
    Raises DataError where two tiers have one name, or a label is shorter than a sample.
    """
    name = os.path.basename(os.fspath(path))
    name = name[: -len(ANNOTATION)] if name.lower().endswith(ANNOTATION) else name
    atomic_write(path, json_text(annotation_of(name or "bundle", tiers)), overwrite=overwrite)


def annotation_of(name: str, tiers: Tiers) -> dict[str, Any]:
    """Return what the annotation of a bundle of this name holds, before it is written as JSON."""
    rate = _rate(tiers)
    check_names(tiers, "EMU")
    levels: list[dict[str, Any]] = []
    rows: dict[str, dict[int, _Row]] = {}
    key = 0
    for tier in tiers:
        items = []
        own = rows[tier.name] = {}
        for label, start, end in _samples(tiers, tier, rate):
            key += 1
            own[key] = (label, start, end)
            segment = {"sampleStart": start, "sampleDur": end - start - 1}
            times = {"samplePoint": start} if tier.kind == "point" else segment
            labels = [{"name": tier.name, "value": label}]
            items.append({"id": key, **times, "labels": labels})
        levels.append({"name": tier.name, "type": _TYPES[tier.kind], "items": items})
    links = [
        {"fromID": word, "toID": phone}
        for above, below in _hierarchy(tiers)
        for word, phone in _within(rows[above], rows[below])
    ]
    return {
        "name": name,
        "annotates": f"{name}.wav",
        "sampleRate": rate,
        "levels": levels,
        "links": links,
    }


def _rate(tiers: Tiers) -> int:
    """Return the rate of the recording itself, in Hz; it may have been aligned at another."""
    if tiers.audio is not None and os.path.isfile(tiers.audio):
        import soundfile

        with suppress(soundfile.LibsndfileError):
            return int(soundfile.info(tiers.audio).samplerate)
    return tiers.rate or _RATE


def _samples(tiers: Tiers, tier: Tier, rate: int) -> Iterator[_Row]:
    if tier.kind == "point":
        for label, (time, _) in zip(tier.labels, tier.times, strict=True):
            yield label, round(time * rate), round(time * rate) + 1
        return
    yield from ticks(tiers.labels_of(tier), rate, "annotations of EMU", blanks=False)


def _hierarchy(tiers: Tiers) -> list[tuple[str, str]]:
    """Return the names of each tier of words and of the phones that belong to it."""
    names = {tier.name for tier in tiers if tier.kind == "interval"}
    phones = [tier.name for tier in tiers if tier.name in names and tier.name.endswith(PHONES)]
    pairs = [(name.removesuffix(PHONES) + WORDS, name) for name in phones]
    return [(above, below) for above, below in pairs if above in names]


def _within(words: dict[int, _Row], phones: dict[int, _Row]) -> Iterator[tuple[int, int]]:
    """Yield each word with each phone whose middle it holds; silences have no links."""
    waiting = iter(phones.items())
    phone = next(waiting, None)
    for word, (label, start, end) in words.items():
        while phone is not None and phone[1][1] + phone[1][2] < 2 * end:
            if phone[1][1] + phone[1][2] >= 2 * start and label not in ("", *SILENCES):
                yield word, phone[0]
            phone = next(waiting, None)


EMU = TierFormat(_read, _write, fills=False, tier="level with times")
