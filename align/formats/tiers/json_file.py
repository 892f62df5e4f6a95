"""Alignments as JSON, ``.json``: everything an alignment knows, times in seconds and exact.

::

    {"audio": "kiwi.wav", "rate": 16000, "duration": 0.93, "score": 12.5,
     "match": 0.95, "warnings": [],
     "events": [{"label": "sil", "start": 0.0, "end": 0.14, "confidence": 0.98, "match": 0.97},
                ...]}

``match`` says how well labels and recording, or a label and its sound, fit; it is there where an
aligner knows.

Words stand beside the phones in a list ``"words"`` of the same form. Several speakers are the
values of one object, ``{"speakers": {"anna": {...}, "bert": {...}}}``. Where there are other tiers
than words and phones, or they have other names, ``"tiers"`` lists all of them in their order: with
``"events"`` or ``"points"`` of their own, or with ``"in"``, which says where these are::

     "tiers": [{"name": "word", "in": "words"}, {"name": "phone", "in": "events"},
               {"name": "tones", "kind": "point", "points": [{"label": "H*", "time": 0.3}]}]

Where no tier is of phones, there is no list ``"events"``, and all tiers stand in ``"tiers"``.
What the Montreal Forced Aligner writes is read as well (`align.formats.tiers.entries_json`).
"""

import math
from dataclasses import replace
from typing import Any

from align.errors import DataError
from align.files.names import StrPath
from align.formats.documents.parsing import number_in, parsed_json
from align.formats.documents.writing import json_text, writer
from align.formats.tiers.entries_json import has_entries, tiers_of_entries
from align.formats.tiers.labels import Labels, TimedLabels
from align.formats.tiers.tier import PHONES, WORDS, Tier, Tiers, checked_tiers, labelled_tier

_SECONDS = "a number of seconds"
_PLACES = {"events": PHONES, "words": WORDS}
"""Names of the tiers that stand under these keys, where there is one speaker without a name."""


def read_json(
    path: StrPath,
    *,
    tier: str | None = None,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read the labels of one tier of a JSON file that Align wrote.

    Parameters are those of `align.formats.read_labels`; `duration` is by default the file's own.
    Raises DataError if the file has another shape or the times cannot be right.
    """
    content = _parsed(path, encoding)
    if tier is None and isinstance(content.get("events"), list):
        chosen = _tier(PHONES, content, "events", path)
        known = _duration(content, path)
    else:
        tiers, known = _tiers(content, path)
        chosen = labelled_tier(tiers, tier, path)
    return chosen.as_labels(path, known if duration is None else duration, silence)


def read_json_tiers(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Tiers:
    """Read all tiers of a JSON file that Align wrote: words, phones, speakers and others.

    Parameters are those of `read_json`; `align.formats.tiers.tier.checked_tiers` checks the tiers.
    Raises DataError if the file has another shape or the times cannot be right.
    """
    tiers, known = _tiers(_parsed(path, encoding), path)
    duration = known if duration is None else duration
    return checked_tiers(tiers, path, duration=duration, silence=silence)


def _tiers(content: dict[str, Any], path: StrPath) -> tuple[list[Tier], float | None]:
    """Return all tiers as the file has them, and its duration where it is known."""
    if has_entries(content):
        return tiers_of_entries(content, path)
    speakers = content.get("speakers")
    blocks = speakers if isinstance(speakers, dict) and speakers else {"": content}
    listed_only = blocks.get("") is content and "events" not in content and content.get("tiers")
    if blocks.get("") is content and not listed_only and "events" not in content:
        said = any(key in content for key in ("segments", "transcription", "transcript"))
        hint = "; what a recogniser wrote is a transcript (--text)" if said else ""
        raise DataError(f'is not an alignment: it has no list "events"{hint}.', path=path)
    found: dict[str, Tier] = {}
    duration = None
    for speaker, block in blocks.items():
        if duration is None:
            duration = _duration(block, path)
        for key, called in (("words", WORDS), ("events", PHONES)):
            needed = key == "events" and not listed_only
            if needed or (isinstance(block, dict) and block.get(key)):
                whole = f"{speaker} - {called}" if speaker else called
                found[whole] = _tier(whole, block, key, path)
    return _in_order(content.get("tiers"), found, path), duration


def _parsed(path: StrPath, encoding: str | None) -> dict[str, Any]:
    content = parsed_json(path, encoding)
    if not isinstance(content, dict):
        raise DataError('is not an alignment: it has no list "events".', path=path)
    return content


def _duration(content: Any, path: StrPath) -> float | None:
    known = isinstance(content, dict) and content.get("duration") is not None
    return number_in(content, "duration", "the alignment", path, _SECONDS) if known else None


def _tier(name: str, block: Any, key: str, path: StrPath) -> Tier:
    """Return what stands under a key as a tier of intervals, or of points."""
    events = block.get(key) if isinstance(block, dict) else None
    if not isinstance(events, list):
        raise DataError(f'is not an alignment: it has no list "{key}".', path=path)
    points = key == "points"
    one = {"words": "word", "points": "point"}.get(key, "event")
    rows = []
    for k, event in enumerate(events, start=1):
        label = event.get("label") if isinstance(event, dict) else None
        if not isinstance(label, str):
            raise DataError(f'{one} {k} has no text "label".', path=path)
        edges = ("time", "time") if points else ("start", "end")
        where = f"{one} {k}"
        start, end = (number_in(event, edge, where, path, _SECONDS) for edge in edges)
        rows.append((label, start, end))
    return Tier.of_rows(name, rows, "point" if points else "interval")


def _in_order(listed: Any, found: dict[str, Tier], path: StrPath) -> list[Tier]:
    """Put tiers in the order that "tiers" lists them in, with those that stand there only."""
    rest = dict(found)
    tiers = []
    for k, entry in enumerate(listed if isinstance(listed, list) else [], start=1):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            raise DataError(f'tier {k} has no text "name".', path=path)
        place = name if name in rest else _PLACES.get(str(entry.get("in")))
        if "in" in entry and place in rest:
            tiers.append(replace(rest.pop(place), name=name))
        else:
            tiers.append(_tier(name, entry, "points" if "points" in entry else "events", path))
    return [*tiers, *rest.values()]


def format_json(alignment: TimedLabels) -> str:
    """Return an alignment as JSON text; times read back exactly."""
    return json_text(_content(alignment))


def _content(alignment: TimedLabels) -> dict[str, Any]:
    known: dict[str, Any] = {}
    if alignment.match is not None or alignment.warnings:
        known = {"match": alignment.match, "warnings": list(alignment.warnings)}
    return {
        "audio": alignment.audio,
        "rate": alignment.rate,
        "duration": alignment.duration,
        "score": alignment.score,
        **known,
        "events": _events(alignment),
    }


def _events(alignment: TimedLabels) -> list[dict[str, Any]]:
    confidence = alignment.confidence
    events = []
    rows = zip(alignment.labels, alignment.intervals.tolist(), strict=True)
    for k, (label, (start, end)) in enumerate(rows):
        event: dict[str, Any] = {"label": label, "start": start, "end": end}
        if confidence is not None:
            value = float(confidence[k])
            event["confidence"] = value if math.isfinite(value) else None
        if alignment.event_match is not None:
            event["match"] = float(alignment.event_match[k])
        if alignment.onset_intervals is not None:
            event["onset_interval"] = alignment.onset_intervals[k].tolist()
        events.append(event)
    return events


def format_json_tiers(tiers: Tiers, *, named: bool = False) -> str:
    """Return all tiers as JSON text; names, order and times read back exactly.

    With `named`, an only speaker who has a name stands below ``"speakers"``, too.
    """
    whole: dict[str, Any]
    try:
        speakers = tiers.speakers()
    except DataError:  # no tier of phones, or several that are not of speakers
        if not tiers:
            raise
        whole = {"audio": tiers.audio, "rate": tiers.rate, "duration": tiers.duration}
        return json_text(whole | {"tiers": [_entry(tier, "", tiers) for tier in tiers]})
    if len(speakers) == 1 and not named:
        speakers = [speakers[0]._replace(name="")]
    blocks: dict[str, dict[str, Any]] = {}
    places: list[tuple[Tier, str, str]] = []  # tier, where it stands, usual name
    for name, phones, words in speakers:
        blocks[name] = _content(tiers.labels_of(phones))
        if words is not None:
            blocks[name]["words"] = _events(tiers.labels_of(words))
            places.append((words, "words", WORDS))
        places.append((phones, "events", PHONES))
    several = [*blocks] != [""]
    whole = {"speakers": blocks} if several else blocks[""]
    usual = len(tiers) == len(places) and all(
        tier is placed and (several or tier.name == name)
        for tier, (placed, _, name) in zip(tiers, places, strict=True)
    )
    if not usual:
        whole["tiers"] = [
            _entry(tier, next((key for placed, key, _ in places if placed is tier), ""), tiers)
            for tier in tiers
        ]
    return json_text(whole)


def _entry(tier: Tier, place: str, tiers: Tiers) -> dict[str, Any]:
    if place:
        return {"name": tier.name, "in": place}
    if tier.kind == "point":
        rows = zip(tier.labels, tier.times, strict=True)
        points = [{"label": label, "time": time} for label, (time, _) in rows]
        return {"name": tier.name, "kind": "point", "points": points}
    return {"name": tier.name, "kind": "interval", "events": _events(tiers.labels_of(tier))}


write_json = writer(format_json)


write_json_tiers = writer(format_json_tiers)
