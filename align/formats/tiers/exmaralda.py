"""EXMARaLDA files, ``.exb``: basic transcriptions, tiers of events on one timeline.

All tiers share their points in time, in seconds. Words are a tier of the type ``t``, of which each
speaker has one; every other tier is of the type ``a``. The tiers of a speaker name them in the
table of speakers. Labels without text are not written: where no event stands, nobody speaks.
EXMARaLDA has no points: a point is an event of 1 ms in a tier of the category ``points``.

Points of the timeline without a time, which EXMARaLDA allows, are spread evenly between those that
have one. Where a tier's events overlap, the tier is refused. Formatting and links are passed over;
from EXMARaLDA to EXMARaLDA all is kept (`align.formats.tiers.exmaralda_kept`). What was said are
the tiers of the type ``t``; those of the type ``a`` that a speaker has beside one are about it,
such as translations, and so are those of nobody. No library on PyPI reads and writes these files;
they are plain XML.

References
----------
https://exmaralda.org/en/basic-transcription-dtd/
"""

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.files.text import Place
from align.formats.documents.parsing import parsed_xml
from align.formats.documents.writing import audio_name, xml_text
from align.formats.tiers.exmaralda_kept import (
    DURATION,
    POINTS,
    category_of,
    names_of,
    origin_of,
    rewritten,
    type_of,
)
from align.formats.tiers.tier import PHONES, WORDS, Tier, Tiers, speaker_of
from align.formats.tiers.tier_format import TierFormat, check_for_xml

_LENGTH = 0.001  # seconds that a point lasts
_WHAT = "basic transcription of EXMARaLDA"

# Reading ----------------------------------------------------------------------------------------


def _read(path: StrPath, encoding: str | None) -> tuple[list[Tier], float | None]:
    """Return the tiers as the file has them, and the length of the recording where it is known."""
    root = parsed_xml(path, "basic-transcription", _WHAT)
    times = _timeline(root, path)
    elements = names_of(root)  # EXMARaLDA knows tiers by their id
    if len(elements) < sum(1 for _ in root.iter("tier")):
        raise DataError("has tiers with one name and one id; rename one.", path=path)
    tiers = [_tier(one, called, times, path) for called, one in elements.items()]
    transcribed = {
        elements[tier.name].get("speaker")
        for tier in tiers
        if elements[tier.name].get("type") == "t" and not tier.is_words()
    }
    if transcribed:  # then what nobody says, such as sounds of a room, is about the recording
        transcribed.add(None)
    tiers = [replace(t, spoken=_is_spoken(elements[t.name], transcribed)) for t in tiers]
    known = next(
        (one.text for one in root.iter("ud-information") if one.get("attribute-name") == DURATION),
        None,
    )
    return tiers, None if known is None else Place(path).number(known, "duration")


def _timeline(root: ElementTree.Element, path: StrPath) -> dict[str, float]:
    """Return the time of each point of the timeline, in seconds."""
    order, known = [], {}
    for point in root.iter("tli"):
        order.append(point.get("id", ""))
        if point.get("time"):
            known[len(order) - 1] = Place(path).number(point.get("time", ""), "time")
    if len(set(order)) < len(order):
        raise DataError("has points of the timeline with one id; save it again.", path=path)
    at = {order[k]: time for k, time in known.items()}
    for first, last in pairwise(known):
        step = (known[last] - known[first]) / (last - first)
        at.update((order[k], known[first] + (k - first) * step) for k in range(first + 1, last))
    return at


def _tier(
    element: ElementTree.Element, called: str, times: dict[str, float], path: StrPath
) -> Tier:
    rows: list[tuple[float, float, str]] = []
    for event in element.iter("event"):
        start, end = (times.get(event.get(edge, "")) for edge in ("start", "end"))
        label = "".join(event.itertext()).strip()
        if start is None or end is None:
            raise DataError(
                f"the event {label!r} of tier {called!r} begins or ends at a point without a "
                "time; add the time in EXMARaLDA.",
                path=path,
            )
        rows.append((start, end, label))
    rows.sort()
    kind = "point" if element.get("category") == POINTS else "interval"
    return Tier.of_rows(called, ((label, start, end) for start, end, label in rows), kind)


def _is_spoken(element: ElementTree.Element, transcribed: Collection[str | None]) -> bool:
    """Whether a tier may be what was said; `transcribed` are speakers with a tier that is."""
    kind = element.get("type")
    return kind == "t" or (kind != "d" and element.get("speaker") not in transcribed)


# Writing ----------------------------------------------------------------------------------------


def _write(path: StrPath, tiers: Tiers, *, overwrite: bool = False) -> None:
    """Write all tiers as a basic transcription; see the module's docstring.

    Tiers that were read from one, and are as they were, are written as they stood there.
    Raises DataError where a tier has no name or that of another, or XML cannot hold a label.
    """
    if tiers.origin is not None and tiers.origin.holds("exb", tiers):
        atomic_write(path, rewritten(tiers.origin, tiers), overwrite=overwrite)
        return
    check_for_xml(tiers, "EXMARaLDA")
    rows = {tier.name: _rows(tier) for tier in tiers}
    spans = [(start, end) for own in rows.values() for start, end, _ in own]
    every = sorted({time for span in spans for time in span})
    ids = {time: f"T{k}" for k, time in enumerate(every)}
    root = ElementTree.Element("basic-transcription")
    speakers = _head(root, tiers)
    body = ElementTree.SubElement(root, "basic-body")
    timeline = ElementTree.SubElement(body, "common-timeline")
    for time, key in ids.items():
        ElementTree.SubElement(timeline, "tli", id=key, time=repr(time))
    for k, tier in enumerate(tiers):
        speaker = speakers.get(speaker_of(tier, tiers))
        about = {
            "id": f"TIE{k}",
            "category": category_of(tier.name, tier.kind == "point"),
            "type": type_of(tier.name, speaker is not None),
            "display-name": tier.name,
        } | ({"speaker": speaker} if speaker is not None else {})
        shown = ElementTree.SubElement(body, "tier", about)
        for start, end, label in rows[tier.name]:
            event = ElementTree.SubElement(shown, "event", start=ids[start], end=ids[end])
            event.text = label
    ElementTree.indent(root, " ")
    atomic_write(path, xml_text(root), overwrite=overwrite)


def _rows(tier: Tier) -> list[tuple[float, float, str]]:
    """Return start, end and text of the events of a tier, in seconds."""
    pairs = zip(tier.labels, tier.times, strict=True)
    if tier.kind == "point":
        return [(float(at), float(at) + _LENGTH, label) for label, (at, _) in pairs]
    return [(float(start), float(end), label) for label, (start, end) in pairs if label.strip()]


def _head(root: ElementTree.Element, tiers: Tiers) -> dict[str, str]:
    """Add what stands before the tiers, and return the id of each speaker."""
    head = ElementTree.SubElement(root, "head")
    meta = ElementTree.SubElement(head, "meta-information")
    for name in ("project-name", "transcription-name"):
        ElementTree.SubElement(meta, name)
    named = "" if tiers.audio is None else audio_name(tiers.audio)
    ElementTree.SubElement(meta, "referenced-file", url=named)
    own = ElementTree.SubElement(meta, "ud-meta-information")
    length = ElementTree.SubElement(own, "ud-information", {"attribute-name": DURATION})
    length.text = repr(float(tiers.duration))
    for name in ("comment", "transcription-convention"):
        ElementTree.SubElement(meta, name)
    table = ElementTree.SubElement(head, "speakertable")
    speakers = {name: f"SPK{k}" for k, name in enumerate(_speakers(tiers))}
    for name, key in speakers.items():
        speaker = ElementTree.SubElement(table, "speaker", id=key)
        ElementTree.SubElement(speaker, "abbreviation").text = name or "X"
        ElementTree.SubElement(speaker, "sex", value="u")
        for part in ("languages-used", "l1", "l2", "ud-speaker-information", "comment"):
            ElementTree.SubElement(speaker, part)
    return speakers


def _speakers(tiers: Tiers) -> list[str]:
    """Return who speaks: those whose words or phones there are, without a name if there is one."""
    own = [tier for tier in tiers if category_of(tier.name, False) in (WORDS, PHONES)]
    return list(dict.fromkeys(speaker_of(tier, tiers) for tier in own))


EXMARALDA = TierFormat(_read, _write, origin_of=origin_of)
