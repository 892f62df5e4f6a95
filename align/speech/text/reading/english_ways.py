"""In which other ways English reads numbers with what is written at them: $5.50, 100k, 3rd, 2x."""

import re
from collections.abc import Iterator

from align.speech.text.reading.dates import IN_DATES, MONTHS
from align.speech.text.reading.numerals import InLanguage, Number

_SUM = re.compile(r"([$€£])([0-9]{1,4})\.([0-9]{2})")
_WHOLE_SUM = re.compile(r"([$€£])([0-9]{1,3}(?:,?[0-9]{3})?)")
_DECIMAL = re.compile(r"([0-9]{1,4})\.([0-9]{1,2})")
_DATE = re.compile(rf"([0-3]?[0-9]){IN_DATES}([0-3]?[0-9]){IN_DATES}([0-9]{{4}})")
_RANK = re.compile(r"([0-9]{1,4})(?:st|nd|rd|th)")
_PROPORTION = re.compile(r"([0-9]{1,3}):(?![0-5][0-9]$)([0-9]{1,3})")
_SCALED = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,2})?)(x|X|k|K|m|M|B|h)")
_SCALES = {
    "x": ("times",), "X": ("times",), "k": ("thousand",), "K": ("thousand",),
    "m": ("million", "meters"), "M": ("million",), "B": ("billion",), "h": ("hours",),
}  # fmt: skip
_TIMES = {"1": "once", "2": "twice"}
_MONTHS = MONTHS["en"].split()
_UNITS = {"$": ("dollars", "cents"), "€": ("euros", "cents"), "£": ("pounds", "pence")}
_SLANG = {"$": "bucks", "£": "quid"}


def english_ways(core: str, before: str, numbers: InLanguage) -> Iterator[str]:
    """Yield how a number with signs or letters may be read, behind the word `before`."""
    number = numbers("en")
    if date := _DATE.fullmatch(core):
        yield from _dates(date, number)
    elif rank := _RANK.fullmatch(core):
        said = number(rank[1], "ordinal").strip()
        if before.capitalize() in _MONTHS:
            yield f"the {said}"
            yield number(rank[1], "cardinal")
        yield said.replace(" and ", " ")
        yield said.removeprefix("one ").replace(" and ", " ")
        yield said.removeprefix("one ")
    elif match := _PROPORTION.fullmatch(core):
        first, second = (number(digits, "cardinal").strip() for digits in match.groups())
        yield f"{first} to {second}"
    elif match := _SCALED.fullmatch(core):
        yield from _scaled(match[1], match[2], numbers)
    elif match := _WHOLE_SUM.fullmatch(core):
        digits, (unit, _) = match[2].replace(",", ""), _UNITS[match[1]]
        if digits == "1":
            yield f"a {unit[:-1]}"
            yield f"a {_SLANG.get(match[1], unit)}".removesuffix("s")
            return
        usual = number(digits, "cardinal")
        for way in (usual, *english_numbers(digits, numbers)):
            yield f"{way} {unit}"
        yield usual
        yield f"{usual} {_SLANG.get(match[1], unit)}"
    else:
        yield from _signs(core, number)


def _scaled(digits: str, scale: str, numbers: InLanguage) -> Iterator[str]:
    """Yield *one hundred thousand* and *a hundred k* of 100k, and *twice* of 2x."""
    number = numbers("en")
    others = _signs(digits, number) if "." in digits else english_numbers(digits, numbers)
    every = dict.fromkeys(" ".join(way.split()) for way in (number(digits, "cardinal"), *others))
    for name in (*_SCALES[scale], scale):
        for way in every:
            yield f"{way} {name}"
    if scale.lower() == "x" and digits in _TIMES:
        yield _TIMES[digits]


def english_numbers(digits: str, numbers: InLanguage) -> Iterator[str]:
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


def _signs(core: str, number: Number) -> Iterator[str]:
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
        if "0" in part:
            digits = [number(digit, "cardinal").strip() for digit in part]
            said = " ".join("oh" if digit == "zero" else digit for digit in digits)
            yield f"{number(whole, 'cardinal')} point {said}"
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
