"""What an ELAN file says beyond its tiers: kept from ELAN to ELAN, and named elsewhere.

Participants and annotators, types of tiers, which tier depends on which, and controlled
vocabularies are no part of `Tiers`, and pympi loses some of them, such as which entry of a
vocabulary an annotation is. So the file itself is carried along, and is written again with the
tiers that are kept.
"""

import os
import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from align.errors import DataError
from align.formats.documents.parsing import xml_with_comments
from align.formats.documents.writing import audio_name, xml_text
from align.formats.tiers.tier import Origin, Tiers, speaker_of

OWN_TYPES = ("intervals", "points", "within")
"""Types of the tiers that Align writes: what they say, the tiers and their names say, too."""

DURATION = "align:duration"
"""Name of the property that holds the length of the recording in milliseconds."""

_PLAIN = (*OWN_TYPES, "default", "default-lt", "")  # types that say nothing


def origin_of(content: bytes, tiers: Tiers) -> Origin:
    """Return a file with the tiers that were read from it, and what these do not say."""
    root = xml_with_comments(content)
    about = {tier.get("TIER_ID", ""): tier for tier in root.iter("TIER")}
    parents = {name: tier.get("PARENT_REF") for name, tier in about.items()}
    speakers = {tier.name: speaker_of(tier, tiers) or tier.name for tier in tiers}
    kinds = {name: tier.get("LINGUISTIC_TYPE_REF", "") for name, tier in about.items()}
    found = {
        "participants": any(
            tier.get("PARTICIPANT", "") not in ("", speakers.get(name))
            for name, tier in about.items()
        ),
        "annotators": any(tier.get("ANNOTATOR") for tier in about.values()),
        "types of tiers": any(kind not in _PLAIN for kind in kinds.values()),
        "which tier depends on which": any(
            parent and kinds[name] not in OWN_TYPES for name, parent in parents.items()
        ),
        "controlled vocabularies": root.find("CONTROLLED_VOCABULARY") is not None,
    }
    beyond = tuple(what for what, is_there in found.items() if is_there)
    known = {name: parent for name, parent in parents.items() if parent}
    return Origin("eaf", tiers.tiers, beyond, content, known)


def rewritten(origin: Origin, tiers: Tiers) -> str:
    """Return the text of the file with these of its tiers, and with the recording, if known."""
    root = xml_with_comments(origin.content)
    names = {tier.name for tier in tiers}
    for tier in root.findall("TIER"):
        if tier.get("TIER_ID") not in names:
            root.remove(tier)
    header = root.find("HEADER")
    if header is not None and tiers.audio is not None:
        _add_audio(header, tiers.audio, tiers.path or "")
        for known in header.findall("PROPERTY"):
            if known.get("NAME") == DURATION:
                known.text = str(round(tiers.duration * 1000))
    return xml_text(root)


def _add_audio(header: ElementTree.Element, audio: str, path: str) -> None:
    """Name the recording, where the file does not do so yet."""
    name = audio_name(audio)
    media = header.findall("MEDIA_DESCRIPTOR")
    known = [one.attrib for one in media]
    if name not in map(_media_name, known):
        about = {"MEDIA_URL": f"./{name}", "MIME_TYPE": audio_type(name)}
        about["RELATIVE_MEDIA_URL"] = f"./{name}"
        if zero := zero_of(known, path):  # times of annotations stay as they stood
            about["TIME_ORIGIN"] = str(zero)
        header.insert(len(media), ElementTree.Element("MEDIA_DESCRIPTOR", about))


def zero_of(media: Sequence[Mapping[str, str]], path: str) -> int:
    """Return when, in the recording, the time of the annotations is 0, in milliseconds.

    Each ``MEDIA_DESCRIPTOR`` may have a ``TIME_ORIGIN``: ELAN plays at the time t of the
    annotations what is at t + ``TIME_ORIGIN`` in that file. Of several files the recording is the
    one that is called as the annotations are, and of those that are left the one without a video.

    Raises DataError where that leaves files that were moved against each other.

    Examples
    --------
    >>> zero_of([{"MEDIA_URL": "kiwi.mp4", "TIME_ORIGIN": "1500"}], "kiwi.eaf")
    1500
    """
    zeros = {_media_name(one): _time_origin(one, path) for one in media}
    video = {_media_name(one) for one in media if one.get("MIME_TYPE", "").startswith("video")}
    for others in ({name for name in zeros if _stem(name) != _stem(path)}, video):
        if len(set(zeros.values())) > 1 and not zeros.keys() <= others:
            zeros = {name: zero for name, zero in zeros.items() if name not in others}
    if len(set(zeros.values())) > 1:
        moved = ", ".join(f"{name} by {zero / 1000:g} s" for name, zero in zeros.items())
        raise DataError(
            f"links files that were moved against each other ({moved}), and does not say which is "
            "the recording; give it the name of its recording.",
            path=path,
        )
    return next(iter(zeros.values()), 0)


def _media_name(about: Mapping[str, str]) -> str:
    urls = [about.get(key, "") for key in ("RELATIVE_MEDIA_URL", "MEDIA_URL")]
    return next((url.rpartition("/")[2] for url in urls if url), "")


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0].casefold()


def _time_origin(about: Mapping[str, str], path: str) -> int:
    value = about.get("TIME_ORIGIN", "").strip() or "0"
    if not re.fullmatch("[+-]?[0-9]{1,12}", value):
        raise DataError(
            f"the TIME_ORIGIN of {_media_name(about)!r} is {value[:40]!r}, must be whole "
            "milliseconds.",
            path=path,
        )
    return int(value)


def audio_type(name: str) -> str:
    """Return what ELAN calls the type of a recording."""
    return "audio/x-wav" if name.lower().endswith(".wav") else "unknown"
