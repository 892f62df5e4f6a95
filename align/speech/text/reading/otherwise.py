"""In which other ways a number may be read: *101* as *one oh one*, *1999* as *nineteen hundred*.

Nobody can tell from the text, and the recording can: see `align.speech.text.verbalisation`. The
usual reading of a number is that of `align.speech.text.reading.normalise`; here are the others. Of
every language they are the cardinal number, the year, the two halves of four digits and the digits
one by one; nine languages have more, at least of halves and sums. Times are in
`align.speech.text.reading.clocks`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from align.errors import ParameterError
from align.speech.text.reading.clocks import other_times
from align.speech.text.reading.dates import IN_DATES, MONTHS
from align.speech.text.reading.numerals import Number

InLanguage = Callable[[str], Number]
"""Return what reads the numbers of a language."""

_MOST = 12  # readings of one number, each of which is compared with the sound
_LONGEST = 7  # digits of a number that is read otherwise
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}([.,'\u2019])[0-9]{3}(?:\1[0-9]{3})*")
_PLAIN = re.compile(rf"[0-9]{{1,{_LONGEST}}}")
_SUM = re.compile(r"([$€£])([0-9]{1,4})\.([0-9]{2})")
_DECIMAL = re.compile(r"([0-9]{1,4})\.([0-9]{1,2})")
_WITH_COMMA = re.compile(r"([0-9]{1,4}),([0-9]{1,2})(\s?€)?")
_DATE = re.compile(rf"([0-3]?[0-9]){IN_DATES}([0-3]?[0-9]){IN_DATES}([0-9]{{4}})")
_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")
_MONTHS = MONTHS["en"].split()
_UNITS = {"$": ("dollars", "cents"), "€": ("euros", "cents"), "£": ("pounds", "pence")}


def other_readings(chunk: str, language: str, numbers: InLanguage, before: str = "") -> list[str]:
    """Return in which ways a chunk without spaces may be read besides, the likeliest first.

    Parameters
    ----------
    chunk : str
        As it is written, with punctuation around it.
    language : str
        Code of its language, without a region.
    numbers : callable
        What reads the numbers of a language.
    before : str
        The word in front of it.

    Returns
    -------
    list of str
        In words, at most twelve; the usual reading may be among them. Empty for what is no number,
        or has a sign beside it that has one reading only.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import read_words
    >>> [" ".join(way) for way in read_words("Highway 101").several[0].ways][:3]
    ['one hundred one', 'a hundred and one', 'a hundred one']
    """
    core = chunk.strip(".,;:?!()\"'\u201c\u201d\u201e\u2019")
    number = numbers(language)
    ways = other_times(core, language, number)
    if _THOUSANDS.fullmatch(core):
        ways = _whole(re.sub("[^0-9]", "", core), language, numbers, apart=False)
    elif _PLAIN.fullmatch(core):
        ways = _whole(core, language, numbers, apart=True)
    elif language == "en" and (date := _DATE.fullmatch(core)):
        ways = _dates(date, number)
    elif language == "en" and before.capitalize() in _MONTHS and (day := _DAY.fullmatch(core)):
        ways = iter([f"the {number(day[1], 'ordinal')}", number(day[1], "cardinal")])
    elif language == "en" and ":" not in core:
        ways = _english_signs(core, number)
    elif match := _WITH_COMMA.fullmatch(core):
        ways = _with_comma(match, language, number)
    found: dict[str, None] = {}
    with suppress(ParameterError):  # of what num2words does not know there
        found.update((" ".join(way.split()), None) for way in ways)
    return list(found)[:_MOST]


def _whole(digits: str, language: str, numbers: InLanguage, *, apart: bool) -> Iterator[str]:
    """Yield how a whole number may be read; `apart` where its digits may be read one by one."""
    number = numbers(language)
    if digits == "0" or digits[0] != "0":
        own = _OWN.get(language)
        if own is not None:
            yield from own(digits, numbers)
        yield number(digits, "cardinal")
        if len(digits) == 4 and int(digits) < 2100:
            yield _year(digits, number)
        if apart and len(digits) == 4:
            yield _halves(digits[:2], digits[2:], language, number)
        if apart and len(digits) == 3 and language in _PAIRED:
            yield _halves(digits[0], digits[1:], language, number)
    if apart and (len(digits) > 2 or digits[0] == "0"):
        yield from _one_by_one(digits, language, number)


def _year(digits: str, number: Number) -> str:
    """Return a number as a year, where the language has a way for it."""
    try:
        return number(digits, "year")
    except ParameterError:
        return ""


_PAIRED = frozenset({"en", "de"})
"""Languages that read three digits as one and two: *three seventy*."""

_OH = {"en": "oh", "de": "null", "nl": "nul"}


def _halves(first: str, last: str, language: str, number: Number) -> str:
    """Return four digits two by two, or three as one and two; empty for such as 20 00."""
    if last[0] != "0":
        return f"{number(first, 'cardinal')} {number(last, 'cardinal')}"
    if last == "00" or language not in _OH:
        return ""
    return f"{number(first, 'cardinal')} {_OH[language]} {number(last[1], 'cardinal')}"


_DIGITS = {"en": {"0": "oh"}, "de": {"2": "zwo"}, "pt": {"6": "meia"}}
"""What some digits are called beside other digits, by some."""


def _one_by_one(digits: str, language: str, number: Number) -> Iterator[str]:
    said = {digit: number(digit, "cardinal").strip() for digit in digits}
    yield " ".join(said[digit] for digit in digits)
    said |= _DIGITS.get(language, {})
    yield " ".join(said[digit] for digit in digits)
    if language == "en" and digits.startswith("00"):
        yield " ".join(["double", "oh", *(said[digit] for digit in digits[2:])])


# What single languages have ---------------------------------------------------------------------


def _english(digits: str, numbers: InLanguage) -> Iterator[str]:
    """Yield *one hundred one*, *a hundred and one*, *twelve hundred*, and *oh* for 0."""
    number = numbers("en")
    cardinal = number(digits, "cardinal").strip()
    for said in (cardinal, re.sub("^one (?=hundred|thousand|million)", "a ", cardinal)):
        yield said
        yield said.replace(" and ", " ")
    value = int(digits)
    if 1000 < value < 10000 and digits[1] != "0":
        hundreds = f"{number(digits[:2], 'cardinal')} hundred"
        rest = number(str(value % 100), "cardinal") if value % 100 else ""
        yield f"{hundreds} {rest}"
        if rest:
            yield f"{hundreds} and {rest}"
    if value == 0:
        yield "oh"
        yield "nought"


def _english_signs(core: str, number: Number) -> Iterator[str]:
    """Yield how sums of money and decimals may be read in English."""
    if match := _SUM.fullmatch(core):
        unit, cents = _UNITS[match[1]]
        whole = number(match[2], "cardinal")
        unit = unit[:-1] if match[2] == "1" else unit
        part = number(str(int(match[3])), "cardinal")
        if int(match[3]):
            yield f"{whole} {part}"
            yield f"{whole} {unit} {part}"
            yield f"{whole} {unit} and {part} {cents}"
            yield f"{whole} {unit} {part} {cents}"
    elif match := _DECIMAL.fullmatch(core):
        whole, part = match[1], match[2]
        if part == "5":
            yield "a half" if whole == "0" else f"{number(whole, 'cardinal')} and a half"
        if whole == "0":
            behind = number(f"1.{part}", "cardinal").split("point")[-1]
            yield f"point {behind}"
            yield f"oh point {behind}"
        if len(part) == 2 and part[0] != "0":
            yield f"{number(whole, 'cardinal')} point {number(part, 'cardinal')}"


_LONGEST_MONTH = 31


def _dates(match: re.Match[str], number: Number) -> Iterator[str]:
    """Yield *March fourth* and *the third of April* of 3/4/2020, with the year."""
    year = number(match[3], "year")
    for month, day in ((match[1], match[2]), (match[2], match[1])):
        if 0 < int(month) <= len(_MONTHS) and 0 < int(day) <= _LONGEST_MONTH:
            name = _MONTHS[int(month) - 1]
            rank = number(str(int(day)), "ordinal")
            yield f"{name} {rank} {year}"
            yield f"the {rank} of {name} {year}"
            yield f"{name} the {rank} {year}"


_HALF = {
    **{"de": ("{n}einhalb",), "fr": ("{n} et demi",), "es": ("{n} y medio", "{n} y media")},
    **{"it": ("{n} e mezzo", "{n} e mezza"), "pt": ("{n} e meio", "{n} e meia")},
    **{"nl": ("{n} en een half", "{n} en een halve"), "sv": ("{n} och en halv",)},
}
_ONE_AND_HALF = {"de": ("eineinhalb", "anderthalb"), "nl": ("anderhalf", "anderhalve")}
_EUROS = {
    "de": ("{n} {m}", "{n} Euro und {m} Cent"),
    "fr": ("{n} {m}", "{n} euros et {m} centimes"),
    "es": ("{n} {m}", "{n} con {m}", "{n} euros y {m} céntimos"),
    "it": ("{n} e {m}", "{n} euro e {m} centesimi"),
    "pt": ("{n} e {m}", "{n} euros e {m} cêntimos"),
    "nl": ("{n} {m}", "{n} euro en {m} cent"),
}


def _with_comma(match: re.Match[str], language: str, number: Number) -> Iterator[str]:
    """Yield *zweieinhalb* of 2,5, *deux et demi*, and *fünf fünfzig* of 5,50 €."""
    whole, part, euros = match.groups()
    n = number(whole, "cardinal").strip()
    ways: Sequence[str] = ()
    if euros and len(part) == 2 and part != "00":
        ways = _EUROS.get(language, ())
    elif not euros and part == "5" and int(whole):
        ways = _ONE_AND_HALF.get(language, ()) if whole == "1" else ()
        ways = ways or _HALF.get(language, ())
    for way in ways:
        yield way.format(n=n, m=number(str(int(part)), "cardinal").strip())


def _german(digits: str, numbers: InLanguage) -> Iterator[str]:
    """Yield *hunderteins*, *hundertundeins*, *tausend...*, and *zwo*."""
    cardinal = numbers("de")(digits, "cardinal").strip()
    short = re.sub("^ein(?=hundert|tausend)", "", cardinal)
    yield short
    yield re.sub("(?<=hundert)(?=[a-zäöü])", "und", short)
    if digits == "2":
        yield "zwo"


def _french(digits: str, numbers: InLanguage) -> Iterator[str]:
    """Yield *septante*, *huitante* and *nonante*, and *dix-neuf cent* of years."""
    for region in ("fr_BE", "fr_CH"):
        said = numbers(region)(digits, "cardinal")
        if re.search("septante|huitante|octante|nonante", said):
            yield re.sub(r"cents (?=\w)", "cent ", said)  # as num2words has it in France
    value = int(digits)
    if 1100 <= value < 2000:
        number = numbers("fr")
        rest = number(str(value % 100), "cardinal") if value % 100 else ""
        yield f"{number(digits[:2], 'cardinal')} cent {rest}"


def _dutch(digits: str, numbers: InLanguage) -> Iterator[str]:
    """Yield *twaalfhonderd*, and *honderdeneen*."""
    number, value = numbers("nl"), int(digits)
    cardinal = number(digits, "cardinal").strip()
    yield re.sub("(?<=honderd)(?=[a-z])", "en", cardinal)
    if 1000 < value < 10000 and digits[1] != "0":
        rest = number(str(value % 100), "cardinal") if value % 100 else ""
        yield f"{number(digits[:2], 'cardinal').strip()}honderd {rest}"


_TENS = (*("", "", "tyve", "tredve"), *"førti femti seksti sytti åtti nitti".split())


def _norwegian(digits: str, numbers: InLanguage) -> Iterator[str]:
    """Yield *en og tyve* of 21, as many still count."""
    if len(digits) == 2 and int(digits) > 20:
        number, tens = numbers("no"), _TENS[int(digits[0])]
        ones = number(digits[1], "cardinal").strip()
        yield tens if digits[1] == "0" else f"{ones}og{tens}"


_OWN: Mapping[str, Callable[[str, InLanguage], Iterator[str]]] = {
    "en": _english,
    "de": _german,
    "fr": _french,
    "nl": _dutch,
    **dict.fromkeys(("no", "nb"), _norwegian),
}
