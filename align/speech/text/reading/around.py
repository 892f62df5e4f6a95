"""Numbers that are said on both sides of what they count: deux heures et demie, ein Meter achtzig.

Behind a unit that French, Spanish, Italian and Portuguese count most, ½ is always said there, and
,5 may be; of lengths in meters the centimeters may be.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from align.speech.text.reading.numerals import Number
from align.speech.text.reading.others import with_others


class _Halves(NamedTuple):
    """Nouns of both genders, by regular expressions, what is said behind them, and for one."""

    feminine: str
    masculine: str
    half: tuple[str, str]
    one: tuple[str, str]


_HALVES: Mapping[str, _Halves] = {
    "fr": _Halves(
        "heures?|minutes?|secondes?|semaines?|années?|journées?|tonnes?|pages?|fois|tasses?",
        "ans?|mois|jours?|siècles?|litres?|(?:kilo|centi|milli)?mètres?|kilos?|kilogrammes?|"
        "points?|tours?|millions?|milliards?|verres?|euros?|degrés?",
        ("et demie", "et demi"), ("une", "un"),
    ),
    "es": _Halves(
        "horas?|semanas?|páginas?|toneladas?|cucharad(?:it)?as?|tazas?|vueltas?",
        "años?|mes(?:es)?|días?|kilos?|kilogramos?|litros?|(?:kiló|centí|milí)?metros?|minutos?|"
        "segundos?|siglos?|puntos?|grados?|millón|millones|euros?",
        ("y media", "y medio"), ("una", "un"),
    ),
    "it": _Halves(
        "or[ae]|settiman[ae]|pagin[ae]|tonnellat[ae]|tazz[ae]|volt[ae]",
        "ann[oi]|mes[ei]|giorn[oi]|chil[oi]|chilogramm[oi]|litr[oi]|(?:chilo|centi|milli)?metr[oi]|"
        "minut[oi]|second[oi]|secol[oi]|punt[oi]|grad[oi]|milion[ei]|miliard[oi]|euro",
        ("e mezza", "e mezzo"), ("una", "un"),
    ),
    "pt": _Halves(
        "horas?|semanas?|páginas?|toneladas?|xícaras?|voltas?",
        "anos?|mês|meses|dias?|quilos?|quilogramas?|litros?|(?:quiló|quilô|centí|milí)?metros?|"
        "minutos?|segundos?|séculos?|pontos?|graus?|milhão|milhões|euros?",
        ("e meia", "e meio"), ("uma", "um"),
    ),
}  # fmt: skip
_COUNTED = {
    language: re.compile(
        rf"(?<![\w.,/])(?P<number>[0-9]{{1,3}})(?:(?P<sign>\s?½)|,5)\s"
        rf"(?P<noun>(?P<feminine>{halves.feminine})|{halves.masculine})(?![\w-])"
    )
    for language, halves in _HALVES.items()
}
_SINGULAR: Mapping[str, tuple[str, str | Callable[[re.Match[str]], str]]] = {
    "fr": (r"(?<!oi)s$", ""), "es": (r"(?<!me)s$", ""), "pt": (r"(?<!ê)s$", ""),
    "it": (r"(?<!mes)(?:(e)|i)$", lambda m: "a" if m[1] else "o"),
}  # fmt: skip
_LENGTHS: Mapping[str, tuple[str, ...]] = {
    "en": ("{one} {noun} {part}", "{n} {part}"), "de": ("{one} Meter {part}", "{n} {part}"),
    "fr": ("{one} {noun} {part}",), "es": ("{one} {noun} {part}", "{n} {part}"),
    "it": ("{one} {noun} e {part}", "{n} e {part}"),
    "pt": ("{one} {noun} e {part}", "{n} e {part}"), "nl": ("{one} meter {part}", "{n} {part}"),
    "sv": ("{one} meter {part}", "{n} {part}"),
}  # fmt: skip
_METER = {
    "en": ("one", "meter"), "de": ("ein", "Meter"), "fr": ("un", "mètre"), "es": ("un", "metro"),
    "it": ("un", "metro"), "pt": ("um", "metro"), "nl": ("één", "meter"), "sv": ("en", "meter"),
}  # fmt: skip
_METERS = re.compile(
    r"(?<![\w.,-])(?P<n>[0-9])[.,](?P<part>[0-9]{2})\s"
    r"(?P<noun>meters?|Meter|mètres?|metros?|metri)(?!\w)"
)


def spell_around(text: str, language: str, number: Number) -> str:
    """Return a text whose halves, and meters with centimeters, are said around what is counted.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import read_words
    >>> read_words("1½ heures", language="fr").words
    ('une', 'heures', 'et', 'demie')
    >>> [" ".join(way) for way in read_words("1,80 m groß", language="de").several[0].ways]
    ['ein Meter achtzig', 'eins achtzig']
    """
    if language in _LENGTHS:
        text = _METERS.sub(lambda m: _length(m, language, number), text)
    if language in _COUNTED:
        text = _COUNTED[language].sub(lambda m: _halves(m, language, number), text)
    return text


def _halves(match: re.Match[str], language: str, number: Number) -> str:
    halves, noun = _HALVES[language], match["noun"]
    gender = 0 if match["feminine"] else 1
    digits, half = match["number"], halves.half[gender]
    if match["sign"]:
        if language == "it" and digits == "1":  # the others sound alike, or are written so
            noun = re.sub(*_SINGULAR["it"], noun)
        return f"{digits if digits != '1' else halves.one[gender]} {noun} {half}"
    usual = f"{number(f'{digits}.5', 'cardinal').strip()} {noun}"
    if digits == "1":
        noun = re.sub(*_SINGULAR[language], noun)
        return with_others(usual, [f"{halves.one[gender]} {noun} {half}"])
    whole = number(digits, "cardinal").strip()
    return with_others(usual, [f"{whole} {noun} {half}"])


def _length(match: re.Match[str], language: str, number: Number) -> str:
    n, part, noun = number(match["n"], "cardinal").strip(), match["part"], match["noun"]
    usual = f"{number(match['n'] + '.' + part, 'cardinal').strip()} {noun}"
    if part == "00" or match["n"] == "0":
        return match[0]
    one, single = _METER[language] if match["n"] == "1" else (n, noun)
    said = number(str(int(part)), "cardinal").strip()
    ways: Iterator[str] = (
        way.format(one=one, noun=single, n=n, part=said) for way in _LENGTHS[language]
    )
    return with_others(usual, ways)
