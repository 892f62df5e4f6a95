"""What a file of EXMARaLDA says beyond its tiers: kept from EXMARaLDA to EXMARaLDA, else named.

Who the speakers are, what type and category a tier has, and what the head says of the recording
are no part of `Tiers`. So the file itself is carried along, and is written again with the tiers
that are kept.
"""

from collections import Counter
from xml.etree import ElementTree

from align.formats.documents.parsing import xml_with_comments
from align.formats.documents.writing import audio_name, xml_text
from align.formats.tiers.tier import WORDS, Origin, Tiers, speaker_of

DURATION = "align:duration"
"""Name of the information that holds the length of the recording in seconds."""

POINTS = "points"
"""Category of tiers of points."""

_HEAD = ("project-name", "transcription-name", "comment", "transcription-convention")


def names_of(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """Return the tiers of a file by their names; those with one name have their id behind it."""
    elements = list(root.iter("tier"))
    names = [
        one.get("display-name") or one.get("category") or one.get("id") or "" for one in elements
    ]
    often = Counter(names)
    return {
        f"{name} ({one.get('id', '')})" if often[name] > 1 else name: one
        for name, one in zip(names, elements, strict=True)
    }


def category_of(name: str, points: bool) -> str:
    """Return the category of a tier that Align writes."""
    return POINTS if points else name.rpartition(" - ")[2]


def type_of(name: str, has_speaker: bool) -> str:
    """Return the type of a tier that Align writes: transcribed words, or an annotation."""
    return "t" if has_speaker and category_of(name, False) == WORDS else "a"


def origin_of(content: bytes, tiers: Tiers) -> Origin:
    """Return a file with the tiers that were read from it, and what these do not say."""
    root = ElementTree.fromstring(content)
    elements = names_of(root)
    short = {one.get("id"): one.findtext("abbreviation") for one in root.iter("speaker")}
    found = {
        "speakers": any(
            short.get(one.get("speaker"), "X") not in ("X", speaker_of(tier, tiers))
            for tier in tiers
            for one in [elements[tier.name]]
        )
        or any(one.get("value") not in (None, "u") for one in root.iter("sex")),
        "types and categories of tiers": any(
            one.get("type") != type_of(tier.name, "speaker" in one.attrib)
            or one.get("category") != category_of(tier.name, tier.kind == "point")
            for tier in tiers
            for one in [elements[tier.name]]
        ),
        "what the head says of the recording": any(
            (one.text or "").strip() for name in _HEAD for one in root.iter(name)
        ),
    }
    beyond = tuple(what for what, is_there in found.items() if is_there)
    return Origin("exb", tiers.tiers, beyond, content, {})


def rewritten(origin: Origin, tiers: Tiers) -> str:
    """Return the text of the file with these of its tiers, and with the recording, if known."""
    root = xml_with_comments(origin.content)
    kept = {tier.name for tier in tiers}
    for body in root.iter("basic-body"):
        for name, tier in names_of(root).items():
            if name not in kept:
                body.remove(tier)
    if tiers.audio is not None:
        for named in root.iter("referenced-file"):
            named.set("url", audio_name(tiers.audio))
        for known in root.iter("ud-information"):
            if known.get("attribute-name") == DURATION:
                known.text = repr(float(tiers.duration))
    return xml_text(root)
