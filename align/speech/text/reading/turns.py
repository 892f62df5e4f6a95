"""Transcripts of conversations: who speaks stands before what is said, and often when.

People and programs write it in many ways, and none of it is a word that was said::

    Interviewer: Where are you from?      [00:00:04] Maria: Bonn.      Maria Lopez  0:04
    Maria (00:04): Bonn.                  00:00:04 Maria               Bonn.
    *MAR:	Bonn .                          Bonn.                        #00:00:07-2#
    Maria: (00:04)                        [Maria Lopez] 10:00:04          0:0:4.0 --> 0:0:7.2
    Bonn.                                 Bonn.                           Maria Lopez
                                                                          Bonn.

A line that begins with a word and a colon may be a sentence as well. So names are taken for such
only where all lines begin with one, or two have a time beside it, or where one comes again and a
fourth of the lines have some. Where there is only one, it is a name if the text begins with it and
no word looks like it: a single capital (``A:``), capitals with a number (``S12:``), ``INT:``,
``Speaker 2:``, or any with a time in brackets.
Below times alone on their lines, as Teams wrote them, the first line is a name where it looks like
one everywhere, more lines follow, and names come again.
What nobody is called is a heading, of no speaker: a part with its number (``Part 2: Work``) and,
before the turns of those who come again, what is said of the recording (``Date: May 12``) or a
list of their names (``With: Ann, Bob``). Its words stay, since some read them aloud.
Times are left out: they are seldom exact, and the words of the speakers follow each other anyway.
Only those of CHAT, in milliseconds between its bullets, are kept where every turn has them.

References
----------
MacWhinney, "The CHILDES Project: Tools for analyzing talk", part 1, the CHAT format.
"""

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from align.speech.text.reading.chat import said_in_chat
from align.speech.text.reading.lyrics import sung_lines
from align.speech.text.reading.pages import without_marks_of_pages
from align.speech.text.reading.remarks import REMARK

_LONG_CLOCK = r"[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{2})?"
_CLOCK = rf"(?:{_LONG_CLOCK}|[0-9]{{1,2}}:[0-5][0-9])(?:[.,][0-9]{{1,3}}|-[0-9])?"
_RANGE = rf"{_CLOCK}(?:\s*(?:-->|[-\u2013\u2014])\s*{_CLOCK})?"
_SECOND = r"[0-9]{1,5}\.[0-9]{1,3}"
_SECONDS = rf"(?:{_SECOND}(?:\s?(?:-->|[-\u2013])\s?{_SECOND})?s?|[0-9]{{1,5}}s)"
_APART = (
    rf"(?:\[(?:{_RANGE}|{_SECONDS})\]|\({_RANGE}\)|<(?:{_RANGE}|{_SECONDS})>|\{{{_RANGE}\}}"
    rf"|#{_RANGE}#)"
)
_STAMP = rf"(?:{_APART}|{_RANGE})"
_IN_TEXT = re.compile(
    rf"(?!\({_RANGE}\)){_APART}|\({_LONG_CLOCK}\)|(?<![\w:.,])00?:[0-5][0-9]:[0-5][0-9](?![\w:])"
)
"""Times within a text that nobody says; ``(10:30)`` may be said."""

_NAME = r"[^\W_][\w.'\u2019()/&-]{0,29}(?:[ ][\w.'\u2019()/&-]{1,20}){0,3}"
_LABEL = re.compile(
    rf"\s*(?P<before>{_STAMP}[\s,-]*)?(?P<name>{_NAME})\s*(?P<after>{_STAMP})?\s*[:\uff1a](?=\s|$)"
    rf"(?:\s*(?P<beside>{_APART}))?(?P<text>.*)"
)
_HEADING = re.compile(
    rf"\s*(?:\[?(?P<a>{_NAME})\]?[\s,-]+{_STAMP}|{_STAMP}[\s,-]+(?P<b>{_NAME}))\s*"
)
_STAMPED = re.compile(rf"\s*{_STAMP}(?:\s+|$|(?=[^\W\d_]))(?:-\s+)?")
_MADE_BY = re.compile(r"\s*transcribed by https?://otter\.ai\s*", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*([0-9]{1,5})(?:[.):]?\s+|[.):]$)(?=\D|$)")
_ALONE = re.compile(
    r"[^\W\d_]|[A-Z]{1,5}[_-]?[0-9]{1,3}|INT"
    r"|(?i:interview(?:er|ee)|speaker[ _]?(?:[0-9]{1,2}|[A-Z]))"
)
_BOLD = re.compile(rf"\s*(\*{{1,2}}|__)(?P<name>{_NAME}:?)\1(?P<text>:?\s.*|:?)")
_NEW_SPEAKER = re.compile(r"^\s*>>+\s*")  # of captions
_HEADS = (  # without a colon, and the share of the lines that must begin so
    (re.compile(rf"\s*(?:\[(?P<name>{_NAME})\]|<(?P<other>{_NAME})>):?(?P<text>\s.*|)"), 0.5),
    (re.compile(rf"\s*\((?P<name>{_NAME})\):?(?P<text>\s.*|)"), 1.0),
    (re.compile(rf"(?P<name>{_NAME}):?\t(?P<text>.*)"), 1.0),
    (re.compile(r"\s*(?P<name>[A-Z][0-9]?)(?:\.|\s[-\u2013])(?P<text>\s.*)"), 1.0),
    (re.compile(r"\s*(?P<name>[A-Z][A-Z .'-]{1,29})(?P<text>)\s*"), 0.25),
)
_FEWEST_HEADS = 4
_INLINE = re.compile(
    r"(?<=[.?!\u2026\"\u201d)\]])\s+"
    r"(?=(?P<name>[^\W\d_][\w'\u2019-]{0,29}(?: [\w'\u2019-]{1,20}){0,2}):\s)"
)
_CHAT = re.compile(r"\*(?P<name>[A-Z0-9_]{1,8}):\s*(?P<text>.*)")
_BULLET = re.compile("[\x15\u2022]([0-9]{1,9})_([0-9]{1,9})[\x15\u2022]")
_PART = re.compile(
    r"(?:part|chapter|section|topic|teil|kapitel|abschnitt|thema|partie|chapitre|parte|cap[i\u00ed]tulo"
    r"|secci[o\u00f3]n|tema|capitolo|sezione|deel|hoofdstuk)[ ](?:[0-9]{1,3}|[IVX]{1,6}|[A-Z])",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"date|place|location|participants|title|topic|duration|language|transcript(?:ion)?|recording"
    r"|datum|ort|teilnehmer(?:innen)?|titel|thema|dauer|sprache"
    r"|lieu|titre|dur[e\u00e9]e|langue|fecha|lugar|participantes|t[i\u00ed]tulo|tema|duraci[o\u00f3]n|idioma",
    re.IGNORECASE,
)
_IN_LIST = re.compile(r"[,;&/]|\b(?:and|und|et|y|e|en)\b")  # between names
_FEWEST = 2  # names, or times, that show a line to begin with one
_FEWEST_NUMBERS = 3  # of lines in order, that they begin with; two could be counted aloud
_SHARE = 0.25  # of the lines, that begin with a name where not all do


class Turn(NamedTuple):
    """What someone said, from which line on; times in seconds where they are exact."""

    speaker: str
    text: str
    line: int
    start: float | None = None
    end: float | None = None


def read_turns(text: str) -> list[Turn]:
    r"""Return the turns of a conversation, or any other text as one, of a speaker without name.

    Examples
    --------
    >>> [turn[:2] for turn in read_turns("Ann: [00:04] Well?\nBob (00:05): No.")]
    [('Ann', 'Well?'), ('Bob', 'No.')]
    >>> read_turns("Remember: the kiwi watches.")[0].speaker
    ''
    """
    lines = text.split("\n")
    if any(_CHAT.match(line) for line in lines):
        return _of_chat(lines)
    lines = _without_numbers(["" if _MADE_BY.fullmatch(line) else line for line in lines])
    lines = _with_colons(sung_lines(without_marks_of_pages(lines)))
    stamped = _are_stamped(lines)
    heads = (stamped and _heads_below_times(lines)) or _heads(lines)
    turns = _turns(lines, heads, stamped)
    if not any(turn.text.strip() for turn in turns):  # nobody says anything: a timetable
        turns = _turns(lines, {}, stamped)
    return _cleaned(turns)


def _turns(lines: list[str], heads: dict[int, tuple[str, str]], stamped: bool) -> list[Turn]:
    """Return the turns that begin with `heads`, without times where lines are `stamped`."""
    turns = [Turn("", "", 1)]
    for n, line in enumerate(lines, start=1):
        if n in heads:
            turns.append(Turn(*heads[n], n))
            continue
        said = _STAMPED.sub("", line, count=1) if stamped else line
        turns[-1] = turns[-1]._replace(text=f"{turns[-1].text}\n{said}")
    return turns


def _without_numbers(lines: list[str]) -> list[str]:
    """Return lines without their numbers, where all but empty ones are numbered in order."""
    found = [(n, _NUMBERED.match(line)) for n, line in enumerate(lines) if line.strip()]
    numbers = [int(match[1]) for _, match in found if match]
    in_order = all(b - a == 1 for a, b in pairwise(numbers))
    if len(numbers) < max(_FEWEST_NUMBERS, len(found)) or not in_order:
        return lines
    return [_NUMBERED.sub("", line, count=1) for line in lines]


def _with_colons(lines: list[str]) -> list[str]:
    """Return lines whose names of speakers are followed by a colon, each at the head of its own.

    They may stand in bold type, in brackets, before a tab, as ``A.``, alone in capitals, or, all
    of a text being one line, behind a full stop.
    """
    lines = [_NEW_SPEAKER.sub("", line, count=1) for line in lines]
    bold = [_BOLD.fullmatch(line) for line in lines]
    lines = [f"{m['name']}{m['text']}" if m else s for m, s in zip(bold, lines, strict=True)]
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if len(filled) == 1:
        return _each_on_its_line(lines[filled[0]])
    for shape, share in _HEADS:
        found = {n: match for n in filled if (match := shape.fullmatch(lines[n]))}
        names = {n: m["name"] or m.groupdict().get("other", "") for n, m in found.items()}
        if _are_speakers(list(names.values())) and len(found) >= share * len(filled):
            alone = {n for n in found if not found[n]["text"].strip()}
            if filled[0] in found and filled[-1] not in alone:
                heads = {n: f"{name}: {found[n]['text']}" for n, name in names.items()}
                return [heads.get(n, line) for n, line in enumerate(lines)]
    return lines


def _are_speakers(names: list[str]) -> bool:
    """Whether names come again, begin as names do, and are no remarks such as Music."""
    often = Counter(names)
    return (
        len(names) >= max(_FEWEST_HEADS, 2 * len(often))
        and sum(n > 1 for n in often.values()) >= _FEWEST
        and all(_is_capital(name) and not REMARK.fullmatch(name) for name in often)
    )


def _each_on_its_line(line: str) -> list[str]:
    """Return the turns of a text that is one line, if it begins with a name and others follow."""
    first = _LABEL.fullmatch(line)
    names = [match["name"] for match in _INLINE.finditer(line)]
    if first is None or not names or not all(map(_is_capital, names)):
        return [line]
    every = [_plain(first["name"]), *names]
    if len(set(every)) == len(every) and not all(map(_ALONE.fullmatch, every)):
        return [line]
    return _INLINE.sub("\n", line).split("\n")


def _cleaned(turns: list[Turn]) -> list[Turn]:
    """Return the turns that hold text, without the times in it."""
    clean = [turn._replace(text=_IN_TEXT.sub(" ", turn.text).strip()) for turn in turns]
    return [turn for turn in clean if turn.text] or [Turn("", "", 1)]


def _heads(lines: list[str]) -> dict[int, tuple[str, str]]:
    """Return, by the number of the line, the name it begins with, and what follows."""
    found: dict[int, tuple[str, str]] = {}
    parts = _parts(lines)
    n_filled = n_labels = n_timed = 0
    for n, line in enumerate(lines, start=1):
        if not line.strip() or _STAMPED.fullmatch(line):
            continue
        if n in parts:
            continue
        n_filled += 1
        if (label := _LABEL.fullmatch(line)) and _may_be_name(label["name"]):
            found[n] = _plain(label["name"]), label["text"]
            n_labels += 1
            n_timed += bool(label["before"] or label["after"] or label["beside"])
        elif (heading := _HEADING.fullmatch(line)) and _may_be_name(heading["a"] or heading["b"]):
            found[n] = _plain(heading["a"] or heading["b"]), ""
            n_timed += _is_capital(found[n][0])
    if len(found) == 1 and (n := min(found)) and _is_alone(lines, n):
        return {n: found[n]} | parts
    often = Counter(name for name, _ in found.values())
    kept = {n: head for n, head in found.items() if often[head[0]] > 1 or _is_capital(head[0])}
    again = sum(often[head[0]] > 1 for head in kept.values())
    sure = n_timed >= _FEWEST or (len(kept) >= _FEWEST and len(kept) == n_labels == n_filled)
    if not (sure or (again and len(kept) >= _SHARE * n_filled)):
        return {}
    return _without_headings(kept, often) | parts


def _heads_below_times(lines: list[str]) -> dict[int, tuple[str, str]]:
    """Return names that stand alone below times, each with more lines before the next time."""
    blocks: list[list[int]] = []
    for n, line in enumerate(lines, start=1):
        if _STAMPED.fullmatch(line):
            blocks.append([])
        elif line.strip():
            if not blocks:
                return {}
            blocks[-1].append(n)
    names = {}
    for block in blocks:
        name = lines[block[0] - 1].strip() if len(block) > 1 else ""
        if not (re.fullmatch(_NAME, name) and _is_capital(name)) or name[-1] == ".":
            return {}
        names[block[0]] = _plain(name), ""
    called = len(set(names.values()))
    if called == 1 and not any("-->" in line for line in lines):
        return {}  # lines of a song may begin alike
    return names if 2 * called <= len(names) + 1 < len(names) * 2 else {}


def _parts(lines: list[str]) -> dict[int, tuple[str, str]]:
    """Return headings of parts by the number of the line; who comes again is none."""
    labels = {n: label for n, line in enumerate(lines, 1) if (label := _LABEL.fullmatch(line))}
    named = {n: _plain(label["name"]) for n, label in labels.items()}
    often = Counter(named.values())
    return {
        n: _as_heading(name, labels[n]["text"])
        for n, name in named.items()
        if often[name] == 1 and _PART.fullmatch(name)
    }


def _without_headings(
    heads: dict[int, tuple[str, str]], often: Counter[str]
) -> dict[int, tuple[str, str]]:
    """Return heads of lines; headings before the turns of those who come again have no speaker."""
    names = {name for name, _ in heads.values() if often[name] > 1}
    first = min((n for n, (name, _) in heads.items() if name in names), default=0)
    return {
        n: _as_heading(*head)
        if n < first and (_ABOUT.fullmatch(head[0]) or _lists(head[1], names))
        else head
        for n, head in heads.items()
    }


def _as_heading(name: str, text: str) -> tuple[str, str]:
    return "", f"{_plain(name)}: {text.strip()}".strip()


def _lists(text: str, names: set[str]) -> bool:
    """Whether a text is a list of some of these names, such as "Ann Miller, Bob (student)"."""
    listed = [part.split("(")[0].split() for part in _IN_LIST.split(text)]
    found = [words for words in listed if {*words, " ".join(words)} & names]
    return len(listed) >= _FEWEST and len(found) == len(listed) and len(max(found, key=len)) <= 3


def _is_alone(lines: list[str], n: int) -> bool:
    """Whether a line, the first with text, begins with what can only be a name."""
    label = _LABEL.fullmatch(lines[n - 1])
    if label is None or any(
        line.strip() and not _STAMPED.fullmatch(line) for line in lines[: n - 1]
    ):
        return False
    time = (label["before"] or label["after"] or label["beside"] or "").strip()
    name = _plain(label["name"])
    if time[:1] in ("[", "(", "<", "#") or time.count(":") > 1:  # no time of the day
        return _is_capital(name) or bool(_ALONE.fullmatch(name))
    return bool(_ALONE.fullmatch(name)) and not name[0].islower()


def _is_capital(name: str) -> bool:
    """Whether all parts of a name begin as names do; a time beside it then leaves no doubt."""
    return not any(part[0].islower() for part in name.split())


def _plain(name: str) -> str:
    return " ".join(name.split()).strip("-.")


def _may_be_name(name: str) -> bool:
    """Whether it is no beginning of a sentence: a small letter begins one word at the most."""
    return any(map(str.isalpha, name)) and (not name[0].islower() or " " not in name.strip())


def _are_stamped(lines: list[str]) -> bool:
    """Whether lines begin with times that are not said: from the first one on, near 0."""
    filled = [line for line in lines if line.strip()]
    stamped = [line for line in filled if _STAMPED.match(line)]
    if len(stamped) < _FEWEST or stamped[0] != filled[0]:
        return False
    first = re.findall("[0-9]+:", stamped[0])
    return len(first) != 1 or int(first[0][:-1]) == 0  # 10:30 may be a time of the day


def _of_chat(lines: list[str]) -> list[Turn]:
    """Return the main lines of CHAT; its headers and dependent tiers are not said."""
    turns: list[Turn] = []
    goes_on = False
    for n, line in enumerate(lines, start=1):
        if (main := _CHAT.match(line)) is not None:
            turns.append(Turn(main["name"], main["text"], n))
        elif goes_on and line[:1].isspace():
            turns[-1] = turns[-1]._replace(text=f"{turns[-1].text} {line.strip()}")
        goes_on = bool(main) or (goes_on and line[:1].isspace())
    turns = [_with_times(turn) for turn in turns]
    turns = [turn._replace(text=said_in_chat(turn.text)) for turn in turns]
    if any(turn.start is None for turn in turns):
        turns = [turn._replace(start=None, end=None) for turn in turns]
    return _cleaned(turns)


def _with_times(turn: Turn) -> Turn:
    """Return a turn of CHAT with the milliseconds between its bullets as times."""
    bullets = _BULLET.findall(turn.text)
    text = _BULLET.sub(" ", turn.text)
    if not bullets:
        return turn._replace(text=text)
    return turn._replace(text=text, start=int(bullets[0][0]) / 1e3, end=int(bullets[-1][1]) / 1e3)
