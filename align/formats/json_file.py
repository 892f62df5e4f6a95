"""Alignments as JSON, ``.json``: everything an alignment knows, times in seconds and exact.

::

    {"audio": "kiwi.wav", "rate": 16000, "duration": 0.93, "score": 12.5,
     "events": [{"label": "sil", "start": 0.0, "end": 0.14, "confidence": 0.98}, ...]}
"""

import json
import math
import os
from typing import TYPE_CHECKING, Any

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.text import read_text
from align.formats.labels import Labels, make_labels

if TYPE_CHECKING:
    from align.results.alignment import Alignment

__all__ = ["format_json", "read_json", "write_json"]


def read_json(
    path: str | os.PathLike[str],
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read the labels of a JSON file that Align wrote.

    Parameters
    ----------
    path : path
        The file.
    duration : float, optional
        Length of the recording in seconds; by default the file's own.
    silence : str
        Name of labels without text and of gaps.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If the file has another shape or the times cannot be right.
    """
    name = os.fspath(path)
    try:
        content = json.loads(read_text(path, encoding))
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}.", path=name, line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise DataError(f"is not usable JSON: {error}.", path=name) from None
    events = content.get("events") if isinstance(content, dict) else None
    if not isinstance(events, list):
        raise DataError('is not an alignment: it has no list "events".', path=name)
    labels, times = [], []
    for k, event in enumerate(events, start=1):
        label = event.get("label") if isinstance(event, dict) else None
        if not isinstance(label, str):
            raise DataError(f'event {k} has no text "label".', path=name)
        times.append((_number(event, "start", k, name), _number(event, "end", k, name)))
        labels.append(label)
    if duration is None and content.get("duration") is not None:
        duration = _number(content, "duration", 0, name)
    return make_labels(labels, times, path=name, duration=duration, silence=silence)


def _number(values: dict[str, Any], key: str, k: int, path: str) -> float:
    value = values.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value)
    where = f"event {k}" if k else "the alignment"
    raise DataError(f'"{key}" of {where} is {value!r}, must be a number of seconds.', path=path)


def format_json(alignment: "Alignment") -> str:
    """Return an alignment as JSON text; times read back exactly."""
    confidence = alignment.confidence
    events = []
    rows = zip(alignment.labels, alignment.intervals.tolist(), strict=True)
    for k, (label, (start, end)) in enumerate(rows):
        event: dict[str, Any] = {"label": label, "start": start, "end": end}
        if confidence is not None:
            value = float(confidence[k])
            event["confidence"] = value if math.isfinite(value) else None
        events.append(event)
    content = {
        "audio": alignment.audio,
        "rate": alignment.rate,
        "duration": alignment.duration,
        "score": alignment.score,
        "events": events,
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_json(
    path: str | os.PathLike[str], alignment: "Alignment", *, overwrite: bool = False
) -> None:
    """Write an alignment as JSON; see `format_json`."""
    atomic_write(path, format_json(alignment), overwrite=overwrite)
