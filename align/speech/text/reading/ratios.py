"""Fractions with denominators beyond four, in eight languages: 3/8, 2/5, ⅝, 1/100.

Halves, thirds and quarters stand in `english` and `signs`. What may be a date, a mark or a
proportion stays two numbers: 9/11, 8/10, 24/7, and 5/6 where days and months are written so.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import gcd

from align.speech.text.reading.numerals import Number
from align.speech.text.reading.others import with_others


@dataclass(frozen=True)
class _Ratio:
    """How one language makes a fraction of an ordinal."""

    one: str  # a single part
    joined: str = " "  # between a whole number and the fraction
    singular: tuple[str, str] = (r"$", "")  # what of an ordinal becomes what for one part
    plural: tuple[str, str] = (r"$", "s")  # of one part, for several
    largest: int = 10  # the largest denominator of which the ordinal is said, but 100 and 1000
    small: Mapping[str, str] = field(default_factory=dict)  # where no other module has them


_SWEDISH = r"^(?:ett?(?=t?[hu]))?(.*?)(?:(?<=on|en)de|(?<=hundra)de)?$"
"""Ordinals of which a part is said without ett and -de: åttondel, hundradel."""

_RATIOS: Mapping[str, _Ratio] = {
    "en": _Ratio("one", " and ", singular=("^one ", ""), largest=16),
    "de": _Ratio("ein", singular=(r"^(?:ein)?(.*)$", r"\1l"), plural=("$", ""), largest=16),
    "fr": _Ratio("un", " et ", largest=16),
    "es": _Ratio("un", " y "),
    "it": _Ratio("un", " e ", plural=("o$", "i")),
    "pt": _Ratio("um", " e "),
    "nl": _Ratio(
        "een", " en ", plural=("$", ""), largest=16,
        small={"1/2": "een half", "1/3": "een derde", "2/3": "twee derde", "1/4": "een kwart",
               "3/4": "drie kwart"},
    ),
    "sv": _Ratio(
        "en", " och ", singular=(_SWEDISH, r"\1del"), plural=("$", "ar"),
        small={"1/2": "en halv", "1/3": "en tredjedel", "2/3": "två tredjedelar",
               "1/4": "en fjärdedel", "3/4": "tre fjärdedelar"},
    ),
}  # fmt: skip
_RATIO = re.compile(
    r"(?<![\w/.,:-])(?<!\bon\s)(?<!\bby\s)(?<!\bsince\s)(?<!\buntil\s)(?:(?P<whole>[0-9]{1,3})\s)?"
    r"(?P<top>[1-9][0-9]?)(?P<sign>[/\u2044])(?P<bottom>2|3|4|5|6|7|8|9|10|16|100|1000)"
    r"(?![\w/-]|[.,][0-9])"
)
_NEW = 5  # denominators below have names of their own
_TEN = 10
_DAY_FIRST = frozenset({"fr", "es", "it", "pt", "nl", "sv"})
"""Languages in which 5/6 may be a day and a month."""

_SIGN = re.compile("[\u2150-\u215e]")  # without halves and quarters


def spell_ratios(text: str, language: str, number: Number) -> str:
    """Return a text with such fractions as words.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("2 3/8 and 8/10")
    ('two', 'and', 'three', 'eighths', 'and', 'eight', 'ten')
    >>> split_words("⅖", language="it")
    ('due', 'quinti')
    """
    ratio = _RATIOS.get(language)
    if ratio is None:
        return text
    text = _SIGN.sub(lambda m: f" {unicodedata.normalize('NFKC', m[0])}", text)

    def said(match: re.Match[str]) -> str:
        top, bottom = int(match["top"]), int(match["bottom"])
        whole = f"{match['whole']}{ratio.joined}" if match["whole"] else ""
        if small := ratio.small.get(f"{top}/{bottom}", ""):
            return whole + small
        if top >= bottom or gcd(top, bottom) > 1 or (bottom == _TEN and top > 1):
            return match[0] if whole or top > bottom else _out_of(top, bottom, language, number)
        if bottom < _NEW:
            return f"{whole}{top}/{bottom}"
        dated = language in _DAY_FIRST and bottom <= _TEN
        if ratio.largest < bottom < 100 or (dated and not whole and match["sign"] == "/"):
            return match[0]
        part = re.sub(*ratio.singular, number(str(bottom), "ordinal").strip(), count=1)
        part = part.capitalize() if language == "de" else part
        one = ratio.one if top == 1 else number(str(top), "cardinal").strip()
        part = part if top == 1 else re.sub(*ratio.plural, part)
        return f"{whole}{one} {part}"

    return _RATIO.sub(said, text)


_OUT_OF: Mapping[str, tuple[str, ...]] = {
    "en": ("out of", "over", "of"), "de": ("von",), "fr": ("sur",), "es": ("de", "sobre"),
    "it": ("su",), "pt": ("de", "em"), "nl": ("op", "van de"), "sv": ("av",),
}  # fmt: skip


def _out_of(top: int, bottom: int, language: str, number: Number) -> str:
    """Return two numbers that may be a mark, with what is said between them: eight out of ten."""
    first, second = (number(str(n), "cardinal").strip() for n in (top, bottom))
    others = [f"{first} {of} {second}" for of in _OUT_OF[language]]
    return with_others(f"{first} {second}", others)
