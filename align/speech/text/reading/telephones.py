"""How the digits of a telephone number are said: one by one, or a group of them otherwise."""

import re
from collections.abc import Iterator

from align.speech.text.reading.numerals import Number
from align.speech.text.reading.others import with_others

_PLUS = {"es": "más", "it": "più", "pt": "mais", "nl": "plus"}
_TELEPHONE = re.compile(
    r"(?<![\w.,:/-])(?!0[1-9][ -][01]?[0-9][ -](?:[0-9]{2}){1,2}(?![ -]?[0-9]))"
    r"(?:(?:\+|0)[0-9]{1,4}[ -][0-9][0-9 -]{4,12}[0-9]"
    r"|[1-9][0-9]{2}[ -][0-9]{6,7})(?![\w.,/-]*\w)"
)
"""With the code of a country, or of a town; a date such as 01 12 2003 is none."""

_OTHERS = {"en": {"0": "oh"}, "de": {"2": "zwo"}, "pt": {"6": "meia"}}
"""What some digits are called beside other digits, by some."""

_TWICE = {"en": "double"}
_LONGEST = 8  # digits of a group that is read otherwise
_HUNDREDS = 3  # digits of a group that is read as a number


def spell_digits(digits: str, language: str, number: Number) -> str:
    """Return the digits of a group in words, with the other ways in which they are said.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import read_words
    >>> [" ".join(way) for way in read_words("555-1034").several[1].ways]
    ['one oh three four', 'ten thirty four']
    """
    said = {digit: number(digit, "cardinal").strip() for digit in digits}
    usual = " ".join(said[digit] for digit in digits)
    others = _other_ways(digits, said, language, number) if len(digits) <= _LONGEST else ()
    return with_others(usual, others)


def _other_ways(digits: str, said: dict[str, str], language: str, number: Number) -> Iterator[str]:
    others = said | _OTHERS.get(language, {})
    yield " ".join(others[digit] for digit in digits)
    if language in _TWICE:
        for names in (said, others):
            runs = [match[0] for match in re.finditer(r"(.)\1|.", digits)]
            yield " ".join(
                f"{_TWICE[language]} {names[run[0]]}" if len(run) > 1 else names[run]
                for run in runs
            )

    def pair(two: str) -> str:
        if two[0] == "0" or len(two) == 1:
            return " ".join(others[digit] for digit in two)
        return number(two, "cardinal").strip()

    for begin in {0, len(digits) % 2}:
        pairs = [pair(digits[k : k + 2]) for k in range(begin, len(digits), 2)]
        yield " ".join([*(others[digit] for digit in digits[:begin]), *pairs])
    if len(digits) <= _HUNDREDS and digits[0] != "0":
        yield number(digits, "cardinal").strip()


def spell_telephones(text: str, language: str, number: Number) -> str:
    """Return a text with telephone numbers of four languages digit by digit.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("06 1234567", language="it")[:4]
    ('zero', 'sei', 'uno', 'due')
    """
    plus = _PLUS.get(language)
    if plus is None:
        return text

    def said(match: re.Match[str]) -> str:
        groups = re.findall("[0-9]+", match[0])
        groups = [spell_digits(group, language, number) for group in groups]
        return " ".join([plus] * match[0].startswith("+") + groups)

    return _TELEPHONE.sub(said, text)
