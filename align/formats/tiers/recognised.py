"""What a recogniser of speech has written, ``.json``: segments of text with their times.

::

    {"text": " The kiwi. It is green.", "language": "en", "segments": [
        {"start": 0.0, "end": 1.3, "text": " The kiwi.", "speaker": "SPEAKER_00"}, ...]}
    [{"start": 0.0, "end": 1.3, "text": " The kiwi."}, ...]
    {"transcription": [{"offsets": {"from": 0, "to": 1300}, "text": " The kiwi."}, ...]}

The first is of Whisper, WhisperX and whisper-timestamped, with or without words and speakers; the
second what users of faster-whisper keep; the third of whisper.cpp, in milliseconds. Times of words
are not read. Where there is ``text`` alone, or Gentle's ``transcript``, it is one segment without
times.

A recogniser is now and then wrong about times: a segment that begins before the one in front of it
(of the same speaker) has ended begins there, and one that has no length then is joined to it.
"""

from typing import Any, NamedTuple

from align.errors import DataError
from align.files.names import StrPath
from align.formats.documents.parsing import parsed_json

_SHORTEST = 0.02  # seconds
_LABEL_STUDIO = {"annotations", "annotation_id"}
_LATEST = 1e9  # seconds; no recording lasts so long


class Segment(NamedTuple):
    """What was recognised, from when to when in seconds, and by whom it was said."""

    text: str
    start: float | None
    end: float | None
    speaker: str = ""


def read_segments(path: StrPath, encoding: str | None = None) -> list[Segment]:
    """Return the segments of a recogniser that hold text, in the order of the file.

    Those of a speaker do not overlap. Raises DataError where the file is no JSON or has another
    shape, naming the segment.
    """
    content = parsed_json(path, encoding)
    rows, of_whisper_cpp = content, False
    if isinstance(content, dict):
        of_whisper_cpp = "transcription" in content
        rows = content.get("transcription" if of_whisper_cpp else "segments")
        whole = content.get("text", content.get("transcript"))
        if rows is None and isinstance(whole, str):
            return [Segment(whole.strip(), None, None)]
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        if _LABEL_STUDIO & rows[0].keys():
            raise DataError(
                "is an export of Label Studio, which is not read; write its regions into a table "
                "with the columns start,end,text.",
                path=path,
            )
    if not isinstance(rows, list):
        raise DataError(
            'has no "segments" with "start", "end" and "text", as recognisers of speech write '
            "them; give the text in another file.",
            path=path,
        )
    found: list[Segment] = []
    last: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        segment = _segment(row, of_whisper_cpp, f"segment {number}", path)
        if segment.text:
            _append(found, last, segment)
    return found


def _segment(row: Any, of_whisper_cpp: bool, which: str, path: StrPath) -> Segment:
    if not (isinstance(row, dict) and isinstance(row.get("text"), str)):
        raise DataError(f"{which} has no text.", path=path)
    speaker = row.get("speaker")
    times = row.get("offsets") if of_whisper_cpp else row
    if not isinstance(times, dict):
        raise DataError(f"{which} has no times.", path=path)
    keys, unit = (("from", "to"), 0.001) if of_whisper_cpp else (("start", "end"), 1.0)
    start, end = (_seconds(times.get(key), unit, which, path) for key in keys)
    return Segment(row["text"].strip(), start, end, "" if speaker is None else str(speaker))


def _seconds(value: Any, unit: float, which: str, path: StrPath) -> float:
    """Return a time in seconds; `unit` is that of the file, in seconds."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and 0 <= value < _LATEST / unit):
        shown = "seconds" if unit == 1.0 else "milliseconds"
        raise DataError(f"{which} has the time {value!r}, must be {shown}.", path=path)
    return float(value * unit)


def _append(found: list[Segment], last: dict[str, int], segment: Segment) -> None:
    """Append a segment after those of its speaker, or join it to the last of them."""
    before = last.get(segment.speaker)
    assert segment.start is not None
    assert segment.end is not None
    if before is not None:
        above = found[before]
        assert above.end is not None
        start = max(segment.start, above.end)
        if segment.end - start < _SHORTEST:
            found[before] = above._replace(text=f"{above.text} {segment.text}")
            return
        segment = segment._replace(start=start)
    last[segment.speaker] = len(found)
    found.append(segment)
