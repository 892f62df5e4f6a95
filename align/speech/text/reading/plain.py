"""Whether a text is what somebody says, or a file of labels whose times would be read aloud.

A label file or a table may have any suffix, or none. Its first line or the shape of all its lines
shows what it is.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from align.errors import DataError

_FIRST = {  # what the text begins with
    "XML or HTML": re.compile(r"<(\?xml|!doctype|html|tt|tei|transcript)[\s>]", re.IGNORECASE),
    "a file of subtitles of another kind": re.compile(r"\[Script Info\]|<SAMI>|\{\d+\}\{\d+\}"),
    "JSON": re.compile(r"[{\[]\s*(\{\s*)?\"[^\"\n]*\"\s*:"),
    "rich text": re.compile(r"\{\\rtf"),
    "a master label file of HTK": re.compile(r"#!MLF!#"),
    "a file of who speaks when (RTTM)": re.compile(
        r"(SPEAKER|SPKR-INFO|LEXEME|NON-LEX|NON-SPEECH|SEGMENT|NOSCORE|NO_RT_METADATA)"
        r"( +\S+){2}( +(<NA>|[\d.]+)){2}( +\S+){4,5} *(\n|$)"
    ),
    "a Partitur file of BAS": re.compile(r"LHD:?\s+Partitur", re.IGNORECASE),
    "a treebank (CoNLL-U)": re.compile(r"\d+(-\d+)?(\t[^\t\n]+){9}(\n|$)"),
}
_TRANSCRIBER = re.compile(
    rb"[^<]{0,8}(?:<[?!](?!DOCTYPE Trans\b)[^>]*>\s*)*<(?:!DOCTYPE )?Trans\b"
)
_TIME = r"\d+(?:\.\d+)?"
_SPAN = rf"(?P<start>{_TIME})\s+(?P<end>{_TIME})"
_ALL = {  # what each of at least two lines is, but for comments
    "a file of segments (STM)": re.compile(rf"\S+ +\S+ +\S+ +{_SPAN} .*"),
    "a table of words with times (CTM)": re.compile(
        rf"\S+ +\S+ +(?P<start>{_TIME}) +{_TIME} +\S+(?: +{_TIME})?"
    ),
    "a file of segments (Kaldi)": re.compile(rf"\S+ +\S+ +{_SPAN}"),
    "a file of labels with times": re.compile(rf"{_SPAN}\s+\S.*"),
}
_ALTERNATIVES = re.compile(r"\S+ +\S+ +\* +\* +<ALT(_BEGIN|_END)?>")
_LABELLED = re.compile(rf"\s*{_TIME}\s+\d+\s+\S.*")
"""A line of xwaves, as Buckeye's files have them below a line ``#``."""

_TIMED = re.compile(r"\s*(TC\s+)?(\d+:){1,2}\d\d[.,]\d+ - (\d+:){1,2}\d\d[.,]\d+\s*")
"""A line of ELAN's transcript below each annotation: ``TC   00:00:00.780 - 00:00:04.090``."""

_CLOCK = re.compile(r"(?:\d+:)*\d+(?:[.,]\d+)?")
_NAMED = re.compile(
    r"((?=[\w.-]*[-_])(?=[\w.-]*[^\W\d])[\w.-]*\d(?:\.[^\W\d]\w{1,4})?|\d+-\d{3,}-\d{4,}|\d+(?:_\d+)+)\s+\S"
)
"""A line that begins with the name of an utterance: ``84-121123-0000 go do you hear``.

Dates, ages and spans such as ``2-3 onions`` or ``5-minute`` are none.
"""


def check_plain(text: str, name: str) -> None:
    r"""Raise DataError for text that nobody says as it stands: XML, subtitles, labels, tables.

    Examples
    --------
    >>> check_plain("It was 9 15 when I came.", "kiwi.txt")
    >>> check_plain("#!MLF!#\n0 4000000 sil", "kiwi.mlf")
    Traceback (most recent call last):
    align.errors.DataError: kiwi.mlf: is a master label file of HTK, whose marks are no words; ...
    """
    lines = [line for line in text.split("\n") if line.strip()]
    notes = (";;", "# ")  # comments of NIST and of the LDC
    rows = [s for s in lines if not (s.startswith(notes) or _ALTERNATIVES.match(s))]
    shown = "\n".join(rows)
    found = next((what for what, shape in _FIRST.items() if shape.match(shown)), None)
    found = found or _by_lines(rows)
    if found is not None:
        raise DataError(
            f"is {found}, whose marks are no words; save what is said as .txt, or with times as "
            ".srt or .TextGrid.",
            path=name,
        )
    names = [match[1] for match in map(_NAMED.match, lines) if match]
    if 1 < len(lines) == len(set(names)):
        raise DataError(
            f"begins each line with a name ({names[0]}, {names[1]}), which nobody says; align "
            "texts writes such lines beside the recordings of these names. Where they are said, "
            "write all on one line.",
            path=name,
        )


def check_no_transcriber(data: bytes, name: str) -> None:
    """Raise DataError for a file of Transcriber, ``.trs``, in whatever encoding it is.

    Examples
    --------
    >>> check_no_transcriber(b'<?xml version="1.0" encoding="ISO-8859-1"?><Trans>', "kiwi.trs")
    Traceback (most recent call last):
    align.errors.DataError: kiwi.trs: is a file of Transcriber, which is not read; import it ...
    """
    if _TRANSCRIBER.match(data[:4096].replace(b"\0", b"")):  # UTF-16 has zeros between
        raise DataError(
            "is a file of Transcriber, which is not read; import it into ELAN (File > Import) or "
            "EXMARaLDA, and save it there as .eaf or .exb.",
            path=name,
        )


def _by_lines(lines: Sequence[str]) -> str | None:
    """Return what all lines show that a file is; None where they are text."""
    if len(lines) < 2:
        return None
    for what, shape in _ALL.items():
        found = [match for line in lines if (match := shape.fullmatch(line.strip()))]
        if len(found) == len(lines) and are_times([match.groupdict() for match in found]):
            return what
    heads = [k for k, line in enumerate(lines[:-1]) if line.strip() == "#"]
    if heads and all(_LABELLED.fullmatch(line) for line in lines[heads[0] + 1 :]):
        return "a file of labels with times"
    if any(_TIMED.fullmatch(line) for line in lines):
        return "a transcript with times"
    # the first line may have names of columns
    return "a table" if all(_is_row(line.split("\t")) for line in lines[1:]) else None


def are_times(spans: Sequence[Mapping[str, str]]) -> bool:
    """Whether numbers are times and none that somebody says, given ``start`` and maybe ``end``.

    Ends do not lie before their starts, and some have decimals or are where the next one starts.

    Examples
    --------
    >>> are_times([{"start": "1", "end": "2"}, {"start": "3", "end": "4"}])  # buckle my shoe
    False
    >>> are_times([{"start": "0", "end": "3050"}, {"start": "3050", "end": "4559"}])
    True
    """
    if any(float(span["start"]) > float(span.get("end", "inf")) for span in spans):
        return False
    touch = any(a.get("end") == b["start"] for a, b in pairwise(spans))
    return touch or any("." in time for span in spans for time in span.values())


def _is_row(cells: Sequence[str]) -> bool:
    """Whether there are words among the cells, and two times or more, the first not the later."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    times = [_seconds(cell) for cell in filled if _CLOCK.fullmatch(cell)]
    return 1 < len(times) < len(filled) and times[0] <= times[1]


def _seconds(clock: str) -> float:
    seconds = 0.0
    for part in clock.replace(",", ".").split(":"):
        seconds = 60.0 * seconds + float(part)
    return seconds
