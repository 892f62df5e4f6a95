"""What JSON and XML hold, or one sentence on why it cannot be read; XML without entities."""

import json
import os
from typing import Any, TypeGuard
from xml.etree import ElementTree

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import read_bytes, read_text


def parsed_json(path: StrPath, encoding: str | None = None) -> Any:
    """Return what a JSON file holds; DataError, naming the line, where it is none."""
    try:
        return json.loads(read_text(path, encoding))
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}.", path=path, line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise DataError(f"is not usable JSON: {error}.", path=path) from None


def parsed_xml(path: StrPath, root: str, what: str) -> ElementTree.Element:
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


def xml_with_comments(content: bytes) -> ElementTree.Element:
    """Return the root of a document that `parsed_xml` has read before, with its comments."""
    builder = ElementTree.TreeBuilder(insert_comments=True)
    return ElementTree.fromstring(content, ElementTree.XMLParser(target=builder))


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value of JSON is a number, and one that a time may be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def number_in(values: Any, key: str, where: str, path: StrPath, what: str = "a number") -> float:
    """Return the number under a key of an object; DataError, naming `where`, if it is none."""
    value = values.get(key) if isinstance(values, dict) else None
    if is_number(value):
        return float(value)
    raise DataError(f'"{key}" of {where} is {value!r}, must be {what}.', path=path)
