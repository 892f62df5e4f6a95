"""What JSON and XML hold, or one sentence on why it cannot be read; XML without entities."""

import json
import os
from typing import Any
from xml.etree import ElementTree

from align.errors import DataError
from align.files.text import read_bytes, read_text

__all__ = ["parsed_json", "parsed_xml"]


def parsed_json(path: str | os.PathLike[str], encoding: str | None = None) -> Any:
    """Return what a JSON file holds; DataError, naming the line, where it is none."""
    name = os.fspath(path)
    try:
        return json.loads(read_text(path, encoding))
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}.", path=name, line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise DataError(f"is not usable JSON: {error}.", path=name) from None


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
