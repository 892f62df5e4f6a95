"""What stands beside numbers in English: money, clocks, decades, telephones, months.

Telephone numbers are read digit by digit, sums such as ``$5 million`` with the currency behind,
and ``1/2`` as *a half*. Dates such as ``3/4/2020`` are read as numbers, since no text says which
of the two is the month, unless they sound otherwise.
"""

import re

from align.speech.text.reading.english_ways import english_numbers
from align.speech.text.reading.numerals import RANGE, Number
from align.speech.text.reading.others import with_others, without_others
from align.speech.text.reading.telephones import spell_digits

_CURRENCY = {
    **{"$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny")},
    "¥": ("yen", "sen"),
}
_COUNTRY = {"US": "U S", "A": "Australian", "C": "Canadian", "NZ": "New Zealand"}
"""In front of $, and what is said in front of dollars."""

_LARGE = {
    "m": "million", "mn": "million", "M": "million", "bn": "billion", "B": "billion",
    "tn": "trillion", "k": "thousand", "K": "thousand",
}  # fmt: skip
_MANY = re.compile(
    r"(?P<sign>[$€£¥])\s?(?P<number>[0-9][0-9,]*(?:\.[0-9]+)?)"
    r"(?:\s?(?P<times>hundred|thousand|million|billion|trillion)|(?P<short>m|mn|M|bn|B|tn|k|K))\b"
)
_BEHIND = re.compile(r"(?<![\w$€£.,])([0-9][0-9,]*(?:\.[0-9]+)?)\s?([$€£])(?![\w$€£])")
_SMALL = (
    (re.compile(r"(?<![\w$€£.,])([0-9][0-9.,]*)\s?bn\b"), r"\1 billion"),
    (re.compile(r"([0-9])\s?¢"), r"\1 cents"),
    (re.compile(r"¥\s?([0-9][0-9,]*)"), r"\1 yen"),
    (re.compile(r"(?<=[0-9])\s*[xX]\s*(?=[0-9.]+\s*=)"), " times "),
    (re.compile(r"(?<![\w#&])#(?=[0-9]+\b(?![.,][0-9]))"), "number "),
    (re.compile(r"(?<![\w.])([Vv])ol\.(?=\s?[0-9])"), r"\1olume"),
    (re.compile(r"(?<![\w.])([Pp])\.(?=\s?[0-9])"), r"\1age"),
    (re.compile(r"(?<![\w.])([Pp])p\.(?=\s?[0-9])"), r"\1ages"),
    (re.compile(r"(?<![\w.])([Aa])pprox\.(?!\w)"), r"\1pproximately"),
    (re.compile(r"(?<=[0-9])\s*×\s*(?=[0-9])"), " times "),
    (re.compile(r"(?<=[0-9])\s*÷\s*(?=[0-9])"), " divided by "),
)
_FEET = re.compile(r"(?<![\w.])([1-9])'\s?(1[01]|[0-9])(?:\"|\u201d|''|(?<='[0-9])(?!\w))")
_TELEPHONE = re.compile(
    r"(?<![\w.,/-])(?:"
    r"(?:\+1[ .-]?|1[ .-])?(?:\([0-9]{3}\)\s?|[0-9]{3}[ .-])?[0-9]{3}[.-][0-9]{4}"
    r"|\+[0-9][0-9 ().-]{7,18}[0-9])(?![\w/-]|[.,][0-9])"
)
_STATES = (
    "A[LKZR]|C[AOT]|D[EC]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]|T[NX]|"
    "UT|V[TA]|W[AVIY]"
)
_POSTCODE = re.compile(rf"\b((?:{_STATES}),?\s)([0-9]{{5}})(-[0-9]{{4}})?(?![\w,.-]*[0-9])")
_NAMED = re.compile(
    r"\b(?P<of>(?i:highway|route|interstate|flight|room|apartment|suite|bus|channel))\s"
    r"(?P<first>[1-9])(?P<rest>[1-9][0-9]|0[1-9])(?![\w,.-]*[0-9%])"
)
_LETTERED = re.compile(r"(?<![\w.,/-])1-([0-9]{3})(?=-[A-Z]{3})")  # 1-800-FLOWERS
_HALVES = {
    "1/2": "a half", "1/3": "a third", "2/3": "two thirds", "1/4": "a quarter",
    "3/4": "three quarters",
}  # fmt: skip
_FRACTION = re.compile(
    r"(?<![\w/.,-])(?:(?P<whole>[0-9]+)\s)?(?P<part>1/2|1/3|2/3|1/4|3/4)(?![\w/]|[.,][0-9])"
)
_MIXED = re.compile(r"(?<=[0-9])\s?(?=[½¼¾])")
_NO_WHOLE = re.compile(r"([$€£])(?=\.[0-9])")
_DEBT = re.compile(r"(?<![\w$€£%.)-])-(?=[$€£][0-9])")
_TO = re.compile(
    r"(?<=[0-9])\s?-\s?(?=[$€£][0-9])|(?<=[0-9]%)\s?-\s?(?=[0-9])|(?<=[0-9]s)-(?='?[0-9]{2})"
    r"|(?i:(?<=[0-9][ap]m)|(?<=[0-9]\s[ap]m)|(?<=[ap]\.m\.))\s?[-\u2013]\s?(?=[0-9])"
)
"""Between two sums, shares, decades or clocks."""

_COUNTED_DOLLARS = re.compile(
    rf"(?<!\w)({'|'.join(_COUNTRY)})\$\s?([0-9][0-9,]*(?:\.[0-9]+)?)"
    r"((?:\s(?:hundred|thousand|million|billion|trillion))?)"
)
_POINTED = re.compile(r"(?<![\w.])\.(?=[0-9])")
_DOTTED_DATE = re.compile(
    r"(?<![\w.-])([0-3]?[0-9])([.-])([0-3]?[0-9])\2((?:1[0-9]|20)[0-9]{2})(?![\w-]|\.[0-9])"
)
_NUMERO = re.compile(r"(?<![\w.])[Nn]o\.(?=\s?[0-9])")
_MONTHS = {
    "Jan": "January", "Feb": "February", "Aug": "August", "Sept": "September", "Sep": "September",
    "Oct": "October", "Nov": "November", "Dec": "December",
}  # fmt: skip
_MONTH = re.compile(
    rf"\b({'|'.join(_MONTHS)})\b\.?(?=\s?[0-9])|(?<=[0-9]\s)({'|'.join(_MONTHS)})\b\.?(?![\w'])"
)
_YEAR = re.compile(r"(?<![\w.,$€£-])(1[1-9][0-9]{2}|20[0-9]{2})(?![\w%]|[.,][0-9]|'s\b)")
_CURRENCIES = re.compile(
    r"(?P<sign>[$€£])(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]{2})(?![0-9])|(?P<decimals>\.[0-9]+))?"
)
_CLOCK = re.compile(r"(?<![0-9:])([0-9]{1,2}):([0-5][0-9])(?![0-9:])")
_DOTTED = re.compile(r"(?<![\w.,])([0-9]{1,2})\.([0-5][0-9])(?=\s?[ap]\.?m\b)", re.IGNORECASE)
_WHOLE_HOUR = re.compile(r"(?<![0-9:])0?([0-9]{1,2}):00(?=\s?[ap]\.?m\b)", re.IGNORECASE)
_DECADE = re.compile(r"'?\b([0-9]{2}|[0-9]{4})'?s\b")
_ORDINAL = re.compile(r"\b([0-9]+)(?:st|nd|rd|th)\b")


def prepare_english(text: str, number: Number) -> str:
    r"""Return a text whose telephones, fractions and months are words.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("$5 million, -$0.20, 6'2\", 5pm-7pm")[3:]
    ('minus', 'twenty', 'cents', 'six', 'foot', 'two', 'five', 'pm', 'to', 'seven', 'pm')
    >>> split_words("555-1234: example.com")[3:]
    ('one', 'two', 'three', 'four', 'example', 'dot', 'com')
    >>> split_words("at 7.05 am")
    ('at', 'seven', 'oh', 'five', 'am')
    >>> split_words("1-800-FLOWERS")
    ('one', 'eight', 'hundred', 'FLOWERS')
    """
    text = _WHOLE_HOUR.sub(r"\1", _DOTTED.sub(r"\1:\2", text))
    text = _TELEPHONE.sub(lambda m: _digits(m[0], number), text)
    text = _POSTCODE.sub(lambda m: f"{m[1]}{_digits(m[2] + (m[3] or ''), number)}", text)
    text = _NAMED.sub(lambda m: _named(m, number), text)
    text = _LETTERED.sub(lambda m: _lettered(m[1], number), text)
    text = _MONTH.sub(lambda m: f"{_MONTHS[m[1] or m[2]]} ", text)
    text = _DEBT.sub("minus ", _TO.sub(" to ", _NO_WHOLE.sub(r"\g<1>0", text)))
    text = _COUNTED_DOLLARS.sub(lambda m: f"{m[2]}{m[3]} {_COUNTRY[m[1]]} dollars", text)
    text = _MANY.sub(_many, _BEHIND.sub(r"\2\1", text))
    for pattern, said in _SMALL:
        text = pattern.sub(said, text)
    text = _FEET.sub(lambda m: _feet(m, number), text)
    text = _FRACTION.sub(_fraction, text)
    to = with_others("to", ("", "through", "dash"))
    text = RANGE.sub(rf"\1 {to} \2", text)
    text = _DOTTED_DATE.sub(r"\1/\3/\4", _POINTED.sub("point ", text))
    return _MIXED.sub(" and ", _NUMERO.sub("number", text))


def _digits(telephone: str, number: Number) -> str:
    groups = [spell_digits(group, "en", number) for group in re.findall("[0-9]+", telephone)]
    return " ".join(["plus"] * telephone.startswith("+") + groups)


def _named(match: re.Match[str], number: Number) -> str:
    """Return *Highway one oh one* and *room three seventy*."""
    first, rest = number(match["first"], "cardinal").strip(), match["rest"]
    said = f"oh {number(rest[1], 'cardinal')}" if rest[0] == "0" else number(rest, "cardinal")
    others = english_numbers(match["first"] + rest, lambda _: number)
    digits = spell_digits(match["first"] + rest, "en", number)
    apart = without_others(digits)[1][0][:2]
    return f"{match['of']} {with_others(f'{first} {said}', [*others, *apart])}"


def _lettered(area: str, number: Number) -> str:
    """Return the beginning of a telephone number whose rest are letters: *one eight hundred*."""
    return f"one {area} " if area.endswith("00") else f"{_digits('1' + area, number)} "


def _many(match: re.Match[str]) -> str:
    times = match["times"] or _LARGE[match["short"]]
    unit = _CURRENCY[match["sign"]][0]
    unit = with_others(unit if unit == "yen" else f"{unit}s", ("",))
    return f"{match['number']} {times} {unit}"


def _feet(match: re.Match[str], number: Number) -> str:
    """Return *five foot ten*."""
    feet, inches = (number(digits, "cardinal").strip() for digits in match.groups())
    others = (f"{feet} {inches}", f"{feet} feet {inches}", f"{feet} foot {inches} inches",
              f"{feet} feet {inches} inches")  # fmt: skip
    return with_others(f"{feet} foot {inches}", others)


_FRACTIONS = {
    "1/2": ("half a", "one half", "half"), "1/3": ("one third",),
    "1/4": ("one quarter", "one fourth", "a fourth"), "3/4": ("three fourths",),
}  # fmt: skip
"""What else is said of some of `_HALVES`."""


def _fraction(match: re.Match[str]) -> str:
    said = with_others(_HALVES[match["part"]], _FRACTIONS.get(match["part"], ()))
    return f"{match['whole']} and {said}" if match["whole"] else said


def spell_english(chunk: str, number: Number, *, years: bool) -> str:
    """Return a chunk without spaces with its years, or its sums, clocks and ordinals, in words."""
    if years:  # before thousands lose their comma
        return _YEAR.sub(lambda m: number(m[1], "year"), chunk)
    chunk = _CURRENCIES.sub(lambda m: _money(m, number), chunk)
    chunk = _CLOCK.sub(lambda m: _clock(m, number), chunk)
    chunk = _DECADE.sub(lambda m: _decade(m, number), chunk)
    return _ORDINAL.sub(lambda m: number(m[1], "ordinal"), chunk)


def _money(match: re.Match[str], number: Number) -> str:
    unit, part = _CURRENCY[match["sign"]]
    whole = match["whole"]
    if match["decimals"]:  # no cents
        return f"{number(whole + match['decimals'], 'cardinal')} {unit}s "
    plural = "" if whole.lstrip("0") == "1" else "s"
    only = whole.strip("0") == "" and int(match["part"] or 0) > 0
    said = "" if only else f"{number(whole, 'cardinal')} {unit}{plural} "
    if match["part"] and int(match["part"]):
        some = "pence" if part == "penny" else f"{part}s"
        said += f"{number(match['part'].lstrip('0'), 'cardinal')} "
        said += part if int(match["part"]) == 1 else some
    return said + " "


def _clock(match: re.Match[str], number: Number) -> str:
    hour, minute = str(int(match[1])), match[2]
    if minute == "00" and int(hour) > 12:  # fifteen hundred
        return f"{number(hour, 'cardinal')} hundred "
    if minute == "00":
        return f"{number(hour, 'cardinal')} o'clock "
    tens = "oh " if minute[0] == "0" else ""
    return f"{number(hour, 'cardinal')} {tens}{number(str(int(minute)), 'cardinal')}"


def _decade(match: re.Match[str], number: Number) -> str:
    said = number(match[1], "year" if len(match[1]) == 4 else "cardinal").rstrip()
    return said[:-1] + "ies " if said.endswith("y") else said + "s "
