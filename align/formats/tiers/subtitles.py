r"""WebVTT and SRT: labels, usually words or lines of text, as subtitles with times.

::

    WEBVTT                             1
                                       00:00:00,500 --> 00:00:01,250
    00:00:00.500 --> 00:00:01.250      The kiwi
    The kiwi

Times are whole milliseconds. Silences are not written: where there is no subtitle, nothing is
shown. Read back, time without a subtitle is a silence. Of WebVTT the notes, styles, regions,
names and settings of cues are passed over, and tags such as ``<v Ann>``, ``<i>`` or ``{\an8}``
left out. Times without zeros in front (``0:0:3.54``: 54 milliseconds, as Teams wrote them), with
fewer digits (``00:00:03.5``: half a second) and without any behind the second are read, too.

Captions that *roll up*, as those of YouTube and of live television, show each line a second time
above the next one. Lines that stay are passed over, and subtitles in which nothing is new.

They are read and written here, not by a library: a cue that cannot be read is an error that names
the line, as in every format of labels. webvtt-py is a second reader in the tests.

Of several speakers each subtitle says who speaks: ``<v Ann>kiwi``, in SRT ``Ann: kiwi``. Two may
speak at once. Read back, each speaker of WebVTT has a tier; SRT cannot say what is a name.

References
----------
https://www.w3.org/TR/webvtt1/, section 4; SRT has no standard and is written as players read it.
"""

import html
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.files.text import Place, read_text
from align.formats.tiers.labels import SLACK, Labels, TimedLabels, ticks
from align.formats.tiers.tier import WORDS, Tier, Tiers, checked_tiers
from align.types import SILENCES

_PER_SECOND = 1000
_TIME = r"(?:(\d{1,4}):)?([0-5]\d):([0-5]\d)[.,](\d{3})"
_OF_TEAMS = r"(\d{1,4}):([0-5]?\d):([0-5]?\d)(?:[.,](\d{1,3}))?"
"""Hours, minutes, seconds and milliseconds, without zeros in front, or without the last."""

_ARROW = re.compile(rf"\s*{_TIME}\s+-->\s+{_TIME}(\s.*)?")
_LOOSE = re.compile(rf"\s*{_OF_TEAMS}\s+-->\s+{_OF_TEAMS}(\s.*)?")
_COMMA = re.compile(rf"\s*{_TIME},{_TIME}\s*")  # of SubViewer, as YouTube's editor saves it
_STYLE = re.compile(r"\{\\[^}\n]*\}")
_TAG = re.compile(rf"</?[a-zA-Z][^>\n]*>|<\d\d[\d:.]*>|</?>|{_STYLE.pattern}")
_VOICE = re.compile(r"<v(?:\.[^ >\n]*)?[ \t]([^>\n]{1,60})>")
_NEXT = 0.05  # seconds between subtitles that follow each other
_FEWEST_ROLLED = 2  # subtitles
_BLOCKS = ("WEBVTT", "NOTE", "STYLE", "REGION")


class Cue(NamedTuple):
    """A subtitle: text, start and end in seconds, line of the file, and who speaks, if said."""

    text: str
    start: float
    end: float
    line: int
    speaker: str = ""


def read_cues(path: StrPath, encoding: str | None = None, *, web: bool) -> list[Cue]:
    """Return the subtitles in the order of the file.

    Raises DataError, naming the line, where a block is no subtitle.
    """
    found: list[Cue] = []
    shown: list[list[str]] = []
    for number, block in _blocks(read_text(path, encoding)):
        at = next((i for i, line in enumerate(block[:2]) if _has_times(line)), None)
        if at is None:
            if block[0].split()[0] in (_BLOCKS if web else _BLOCKS[:1]):
                continue
            raise Place(path, number).wrong(
                f"{block[0].strip()[:40]!r} is not `00:00:01.000 --> 00:00:02.000`; a subtitle "
                "begins with its times."
            )
        match = next(
            (m for one in (_ARROW, _LOOSE, _COMMA) if (m := one.fullmatch(block[at]))), None
        )
        if match is None:
            raise Place(path, number + at).wrong(
                f"{block[at].strip()[:60]!r} are no times of a subtitle, such as "
                "`00:00:01.000 --> 00:00:02.000`."
            )
        lines = block[at + 1 :]
        voices = {voice.strip() for line in lines for voice in _VOICE.findall(line)}
        speaker = voices.pop() if len(voices) == 1 else ""
        rows = [_TAG.sub("", line).strip() for line in lines]
        if web:
            rows, speaker = [html.unescape(row).strip() for row in rows], html.unescape(speaker)
        start, end = _time(match.groups()[:4]), _time(match.groups()[4:8])
        shown.append([row for row in rows if row])
        found.append(Cue(" ".join(rows).strip(), start, end, number, speaker))
    return _without_rolled(found, shown)


def _has_times(line: str) -> bool:
    return "-->" in line or _COMMA.fullmatch(line) is not None


def _without_rolled(cues: list[Cue], shown: list[list[str]]) -> list[Cue]:
    """Return subtitles without the lines that had been shown before, where captions roll up.

    They do where a third of the subtitles begin with lines in which the one before ended, and some
    go on with others: who says "No." twice has no line that stays.
    """
    stay = [0] * len(cues)
    for k in range(1, len(cues)):
        if cues[k].start <= cues[k - 1].end + _NEXT:
            above, lines = shown[k - 1], shown[k]
            most = min(len(above), len(lines))
            stay[k] = next((n for n in range(most, 0, -1) if above[-n:] == lines[:n]), 0)
    goes_on = any(0 < n < len(lines) for n, lines in zip(stay, shown, strict=True))
    if not goes_on or sum(map(bool, stay)) < max(_FEWEST_ROLLED, len(cues) / 3):
        return cues
    return [
        cue._replace(text=" ".join(lines[n:])) if n else cue
        for cue, lines, n in zip(cues, shown, stay, strict=True)
        if n < len(lines)
    ]


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Return the groups of lines between empty ones, each with the number of its first line.

    A line of spaces is empty only where a subtitle follows: YouTube writes one for a line in which
    there is nothing yet.
    """
    block: list[str] = []
    lines = [*text.split("\n"), ""]
    for number, line in enumerate(lines, start=1):
        follows = any(map(_has_times, lines[number : number + 2]))
        if line.strip() or (line and block and not follows):
            if _has_times(line) and any(map(_has_times, block)):  # no empty line is between
                numbered = block[0].strip().isdigit() and block[-1].strip().isdigit()
                last = len(block) - numbered
                yield number - len(block), block[:last]
                block = block[last:]
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _time(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    if len(hours) > 1:  # with zeros in front; else it is a number of milliseconds
        fraction = fraction.ljust(3, "0")
    return (3600 * int(hours) + 60 * int(minutes) + int(seconds)) + int(fraction) / _PER_SECOND


def _read(
    path: StrPath,
    *,
    web: bool,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read subtitles as labels; the parameters are those of `align.formats.read_labels`."""
    tier = _tier(WORDS, read_cues(path, encoding, web=web))
    return tier.as_labels(path, duration, silence)


def _tier(name: str, cues: list[Cue]) -> Tier:
    """Return subtitles as a tier, with an empty one before the first, where nothing is shown."""
    if cues and cues[0].start > SLACK:
        cues = [Cue("", 0.0, cues[0].start, cues[0].line), *cues]
    rows = [(cue.text, cue.start, cue.end) for cue in cues]
    return Tier.of_rows(name, rows, lines=[cue.line for cue in cues])


def read_vtt_tiers(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Tiers:
    """Read WebVTT, a tier of words for each speaker; one where nobody is named."""
    cues = read_cues(path, encoding, web=True)
    tiers = []
    for speaker in dict.fromkeys(cue.speaker for cue in cues):
        name = f"{speaker} - {WORDS}" if speaker else WORDS
        tiers.append(_tier(name, [cue for cue in cues if cue.speaker == speaker]))
    if not any(cue.text.strip() for cue in cues):
        raise DataError("has no labels; give at least one.", path=path)
    return checked_tiers(tiers, path, duration=duration, silence=silence)


def format_subtitles(speakers: Mapping[str, TimedLabels], *, web: bool) -> str:
    """Return labels but silences as the text of a WebVTT file, or else of an SRT file.

    Those of each speaker, in the order of time; an empty name is not shown.
    """
    shown = [
        (start, end, _said(label, speaker, web))
        for speaker, alignment in speakers.items()
        for label, start, end in ticks(alignment, _PER_SECOND, "subtitles")
        if label not in SILENCES
    ]
    out = ["WEBVTT\n"] if web else []
    for start, end, text in sorted(shown, key=lambda row: row[:2]):
        times = f"{_clock(start, web)} --> {_clock(end, web)}"
        head = "" if web else f"{len(out) + 1}\n"
        out.append(f"{head}{times}\n{text}\n")
    return "\n".join(out)


def _said(label: str, speaker: str, web: bool) -> str:
    """Return what a subtitle shows of a label."""
    text, name = " ".join(label.split()), " ".join(speaker.split())
    for part in (text, name):
        tag = _STYLE if web else _TAG  # neither can say that it is none
        if "-->" in part or tag.search(part):
            raise DataError(
                f"the label {part!r} cannot be written to subtitles, where it would be times or "
                "a tag; rename it, or write a TextGrid, CSV or JSON file."
            )
    if web:
        text, name = html.escape(text, quote=False), html.escape(name, quote=False)
        return f"<v {name}>{text}" if name else text
    return f"{name}: {text}" if name else text


def _clock(milliseconds: int, web: bool) -> str:
    seconds, milli = divmod(milliseconds, _PER_SECOND)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{'.' if web else ','}{milli:03d}"


def _write(path: StrPath, alignment: TimedLabels, *, web: bool, overwrite: bool = False) -> None:
    """Write labels as subtitles; see `format_subtitles`."""
    atomic_write(path, format_subtitles({"": alignment}, web=web), overwrite=overwrite)


def _write_tiers(path: StrPath, tiers: Tiers, *, web: bool, overwrite: bool = False) -> None:
    """Write the words of each speaker; see `format_subtitles`."""
    speakers = {
        tier.name.removesuffix(WORDS).removesuffix(" - "): tiers.labels_of(tier) for tier in tiers
    }
    atomic_write(path, format_subtitles(speakers, web=web), overwrite=overwrite)


read_vtt = partial(_read, web=True)
"""Read WebVTT; the parameters are those of `align.formats.read_labels`."""

read_srt = partial(_read, web=False)
"""Read SRT; the parameters are those of `align.formats.read_labels`."""

write_vtt = partial(_write, web=True)
"""Write labels as WebVTT; the parameters are those of `align.formats.write_labels`."""

write_srt = partial(_write, web=False)
"""Write labels as SRT; the parameters are those of `align.formats.write_labels`."""

write_vtt_tiers, write_srt_tiers = (partial(_write_tiers, web=web) for web in (True, False))
