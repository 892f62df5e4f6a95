"""Writing text whole or not at all, and what XML cannot hold."""

import inspect
import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from align.files.atomic import atomic_write
from align.files.names import StrPath, name_of

XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def writer(form: Callable[..., str | bytes]) -> Callable[..., None]:
    """Return ``write_x(path, content, *, overwrite=False, **options)`` for a ``format_x``.

    It writes what `form` makes of the content and the options, whole or not at all.
    """

    def write(path: StrPath, *content: object, overwrite: bool = False, **options: object) -> None:
        atomic_write(path, form(*content, **options), overwrite=overwrite)

    own = [
        inspect.Parameter("path", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *inspect.signature(form).parameters.values(),
        inspect.Parameter("overwrite", inspect.Parameter.KEYWORD_ONLY, default=False),
    ]
    write.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]  # what help shows
    # The name by which a process finds the function again.
    write.__name__ = write.__qualname__ = form.__name__.replace("format_", "write_")
    write.__module__ = form.__module__
    write.__doc__ = f"Write what `{form.__name__}` returns, with its options; see there."
    return write


def json_text(content: Any) -> str:
    """Return JSON as it is written to files: a line for each value, letters as they are."""
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def xml_text(root: ElementTree.Element) -> str:
    """Return an element as the text of a file."""
    return f"{XML_HEAD}{ElementTree.tostring(root, encoding='unicode')}\n"


def audio_name(audio: str) -> str:
    """Return what a file beside a recording calls it."""
    return NOT_XML.sub("_", name_of(audio))
