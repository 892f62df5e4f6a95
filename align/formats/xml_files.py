"""What formats in XML share: parsing without entities, and what XML cannot hold."""

import os
import re
from xml.etree import ElementTree

from align.errors import DataError
from align.files.names import name_of
from align.files.text import read_bytes
from align.formats.tiers import Tiers, check_names

__all__ = ["audio_name", "check_for_xml", "parsed_xml"]

_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parsed_xml(path: str | os.PathLike[str], root: str, what: str) -> ElementTree.Element:
    """Return the `root` element of a file; DataError, naming the line, where it is no `what`.

    A file that declares entities is refused: they can make a small file grow beyond all memory.
    """
    name, content = os.fspath(path), read_bytes(path)
    if b"<!ENTITY" in content.replace(b"\0", b""):  # UTF-16 has zeros between
        raise DataError(f"declares entities, which no {what} does; save it again.", path=name)
    try:
        found = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise DataError(
            f"is not a whole {what}; save it again.", path=name, line=error.position[0]
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or not taken
        raise DataError(f"is not XML that can be read: {error}.", path=name) from None
    if found.tag != root:
        raise DataError(f"is no {what}.", path=name)
    return found


def check_for_xml(tiers: Tiers, program: str) -> None:
    """Refuse tiers that `program` could not distinguish, and what XML cannot hold."""
    check_names(tiers, program)
    for tier in tiers:
        for text in (tier.name, *tier.labels):
            if found := _NOT_XML.search(text):
                raise DataError(
                    f"{text!r} in tier {tier.name!r} holds the character {found[0]!r}, which no "
                    f"{program} file can; take it out.",
                    path=tiers.path,
                )


def audio_name(audio: str) -> str:
    """Return what a file beside a recording calls it."""
    return _NOT_XML.sub("_", name_of(audio))
