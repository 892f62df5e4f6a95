"""How people say the time of a clock: *quarter to ten*, *halb elf*, *dix heures et demie*."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from align.speech.text.reading.numerals import Number

_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_HALF, _TEN = 30, 10


class _Style(NamedTuple):
    """How a language says times.

    With {h} for the hour, {n} for the next one, {m} minutes behind the hour and {to} to the next;
    {c} is the hour in front of a German noun, *ein Uhr*, {o} English minutes, *oh five*.

    `at` are those of some minutes; `after` and `before` of others, up to the half hour and from
    there to the next hour. `hour` is put around the number of an hour, and `special` in its place.
    """

    at: Mapping[int, tuple[str, ...]]
    after: tuple[str, ...]
    before: tuple[str, ...]
    hour: str = "{}"
    special: Mapping[int, str] = {}


_STYLES = {
    "en": _Style(
        {
            0: ("{h}", "{h} o'clock", "{h} hundred", "{h} hundred hours"),
            15: ("quarter past {h}", "a quarter past {h}"),
            30: ("half past {h}",),
            45: ("quarter to {n}", "a quarter to {n}"),
        },
        ("{h} {o}", "{m} past {h}"),
        ("{h} {o}", "{to} to {n}"),
    ),
    "de": _Style(
        {
            0: ("{c} Uhr",),
            15: ("viertel nach {h}", "viertel {n}"),
            20: ("zwanzig nach {h}", "zehn vor halb {n}"),
            25: ("fünf vor halb {n}",),
            30: ("halb {n}",),
            35: ("fünf nach halb {n}",),
            40: ("zwanzig vor {n}", "zehn nach halb {n}"),
            45: ("viertel vor {n}", "dreiviertel {n}"),
        },
        ("{c} Uhr {m}", "{m} nach {h}"),
        ("{c} Uhr {m}", "{to} vor {n}"),
    ),
    "fr": _Style(
        {
            0: ("{h}",),
            15: ("{h} et quart",),
            30: ("{h} et demie",),
            45: ("{n} moins le quart",),
        },
        ("{h} {m}",),
        ("{n} moins {to}",),
        "{} heures",
        {0: "minuit", 1: "une heure", 12: "midi"},
    ),
    "es": _Style(
        {0: ("{h}",), 15: ("{h} y cuarto",), 30: ("{h} y media",), 45: ("{n} menos cuarto",)},
        ("{h} {m}",),
        ("{n} menos {to}",),
        special={1: "una"},
    ),
    "it": _Style(
        {
            0: ("{h}",),
            15: ("{h} e un quarto",),
            30: ("{h} e mezza", "{h} e mezzo"),
            45: ("{n} meno un quarto", "{h} e tre quarti"),
        },
        ("{h} {m}",),
        ("{n} meno {to}",),
        special={0: "mezzanotte", 1: "una", 12: "mezzogiorno"},
    ),
    "pt": _Style(
        {
            0: ("{h}",),
            15: ("{h} e um quarto",),
            30: ("{h} e meia",),
            45: ("um quarto para as {n}",),
        },
        ("{h} e {m}",),
        ("{to} para as {n}",),
        special={0: "meia noite", 1: "uma", 2: "duas", 12: "meio dia"},
    ),
    "nl": _Style(
        {
            0: ("{h} uur", "{h}"),
            15: ("kwart over {h}",),
            30: ("half {n}",),
            45: ("kwart voor {n}",),
        },
        ("{h} uur {m}", "{m} over {h}"),
        ("{h} uur {m}", "{to} voor {n}"),
    ),
    "sv": _Style(
        {0: ("{h}",), 15: ("kvart över {h}",), 30: ("halv {n}",), 45: ("kvart i {n}",)},
        ("{m} över {h}",),
        ("{to} i {n}",),
    ),
}


def other_times(chunk: str, language: str, number: Number) -> Iterator[str]:
    """Yield how people say a time such as 10:30, in one of eight languages; else nothing.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import read_words
    >>> [" ".join(way) for way in read_words("22:45", language="de").several[0].ways]
    ['viertel vor elf', 'dreiviertel elf', 'zehn Uhr fünfundvierzig', 'fünfzehn vor elf']
    """
    style, match = _STYLES.get(language), _TIME.fullmatch(chunk)
    if style is None or match is None:
        return
    minute = int(match[2])

    def said(value: int) -> str:
        return number(str(value), "cardinal").strip()

    def hour(value: int) -> str:
        if value % 24 in style.special:
            return style.special[value % 24]
        value = (value - 1) % 12 + 1  # 12 and not 0
        return style.special.get(value) or style.hour.format(said(value))

    words = {
        "h": hour(int(match[1])),
        "c": re.sub("^eins$", "ein", hour(int(match[1]))),
        "n": hour(int(match[1]) + 1),
        "m": said(minute),
        "o": ("oh " if 0 < minute < _TEN else "") + said(minute),
        "to": said(60 - minute),
    }
    others = (style.before if minute > _HALF else style.after) if minute else ()
    for way in (*style.at.get(minute, ()), *others):
        yield way.format(**words)
