"""Ordinals, dates, years and abbreviations of eight languages of which `signs` knows nothing.

Danish, Dutch, Finnish, Norwegian, Polish, Russian, Swedish and Turkish. num2words has ordinals as
the dictionary has them; in Polish and Russian the ones of dates and years are genitives, and
Russian writes the end of any other behind the digits: ``3-го`` is *третьего*.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from align.speech.text.reading.numerals import Number
from align.speech.text.reading.others import with_others
from align.speech.text.reading.otherwise import whole_ways

_DATED = "([1-9]|[12][0-9]|3[01])(?=\\s+(?:{})\\b)"
_YEAR = r"(?<![\w.,:/-])1[1-9][0-9]{2}(?![\w%€$£:/-]|[.,][0-9]|\s[0-9%€$£])"
_AFTER_STOP = r"(?<=\.)\s(?!$)"
_STOP = r"(?<![\w.,:/-])([1-9][0-9]{0,2})\.(?=\s+[a-zà-öø-ÿąćęłńśźżğışæå])"
_NORDIC_MONTHS = "januar|februar|mars|marts|april|ma[ij]|jun[ij]|jul[ij]|august|september|oktober|"
_NORDIC_MONTHS += "november|desember|december|januari|februari|juni|juli|augusti"
_RUSSIAN_MONTHS = (
    "января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
)
_POLISH_MONTHS = "stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|"
_POLISH_MONTHS += "października|listopada|grudnia"


@dataclass(frozen=True)
class _Ranks:
    """How one language writes ordinals, by regular expressions whose first group has the digits.

    `rank` is one as the dictionary has it, `dated` one of a day, `year` one of a year. What is
    said of these is changed by `of_day` and `of_year`.
    """

    rank: str = "(?!)"
    dated: str = "(?!)"
    year: str = "(?!)"
    of_day: Callable[[str], str] = str
    of_year: Callable[[str, Number], str] = lambda digits, number: number(digits, "year")
    abbreviations: Mapping[str, str] = field(default_factory=dict)


def _of_poland(said: str) -> str:
    """Return the genitive of a Polish ordinal: *dwudziestego pierwszego*."""
    return re.sub(r"(?<=[kg])i\b|(?<=c)i\b", "iego", re.sub(r"y\b", "ego", said))


def _of_russia(said: str, ending: str = "го") -> str:
    """Return a Russian ordinal with the ending that its digits have."""
    stem = re.sub("(?:ый|ой|ий)$", "", said.strip())
    soft = stem.endswith("трет")
    last = ending[-1] if len(ending) < 2 or ending in ("ый", "ой", "ий") else ending[-2:]
    hard, softer = _RUSSIAN_ENDINGS.get(last, ("", ""))
    if not hard:
        return said
    return stem + (softer if soft else hard)


_RUSSIAN_ENDINGS = {
    "го": ("ого", "ьего"), "му": ("ому", "ьему"), "м": ("ом", "ьем"), "ом": ("ом", "ьем"),
    "ем": ("ом", "ьем"), "ым": ("ым", "ьим"), "им": ("ым", "ьим"), "я": ("ая", "ья"),
    "ая": ("ая", "ья"), "ья": ("ая", "ья"), "ю": ("ую", "ью"), "ую": ("ую", "ью"),
    "ью": ("ую", "ью"), "е": ("ое", "ье"), "ое": ("ое", "ье"), "ье": ("ое", "ье"),
    "ые": ("ые", "ьи"), "х": ("ых", "ьих"), "ых": ("ых", "ьих"), "их": ("ых", "ьих"),
}  # fmt: skip
_RUSSIAN_RANK = re.compile(
    r"(?<![\w.,:/-])([0-9]{1,4})-((?:[оыь]?й|ий|[аь]?я|[уь]?ю|[оыь]?е|[оь]?го|[оь]?му|[оеыи]?м|[ыи]?х))"
    r"(?!\w)"
)
_RUSSIAN_YEAR = re.compile(r"(?<![\w.,:/-])([12][0-9]{3})(\s*)(г\.(?!\w)|год[ау]?\b)")
_IN_YEAR = {
    "г.": ("го", "года"),
    "года": ("го", "года"),
    "год": ("", "год"),
    "году": ("м", "году"),
}


def _spell_russian(text: str, number: Number) -> str:
    """Return a Russian text whose ordinals with endings, and years, are words."""

    def year(match: re.Match[str]) -> str:
        ending, noun = _IN_YEAR[match[3]]
        if match[3] == "г." and re.search(r"(?:^|\s)[вВ]о?\s+$", match.string[: match.start()]):
            ending, noun = _IN_YEAR["году"]
        said = number(match[1], "ordinal").strip()
        return f"{_of_russia(said, ending) if ending else said} {noun}"

    text = _RUSSIAN_RANK.sub(
        lambda m: (
            number(m[1], "ordinal").strip()
            if m[2].endswith("й")
            else _of_russia(number(m[1], "ordinal"), m[2])
        ),
        text,
    )
    return _RUSSIAN_YEAR.sub(year, text)


def _swedish_year(digits: str, number: Number) -> str:
    """Return *nittonhundranittionio*, which num2words does not know."""
    rest = number(digits[2:].lstrip("0"), "cardinal") if digits[2:] != "00" else ""
    return f"{number(digits[:2], 'cardinal').strip()}hundra{rest.strip()}"


_NORDIC = _Ranks(
    rank=_STOP,
    dated=rf"\b{_DATED.format(_NORDIC_MONTHS)}",
    year=_YEAR,
    abbreviations={"f.eks.": "for eksempel", "bl.a.": "blandt andet", "osv.": "og så videre",
                   "nr.": "nummer", "kl.": "klokken", "ca.": "cirka", "dvs.": "det vil si",
                   "kr.": "kroner"},
)  # fmt: skip
_RANKS = {
    "nl": _Ranks(
        rank=r"(?<![\w.,:/-])([1-9][0-9]{0,3})(?:ste|de|e)(?!\w)",
        year=_YEAR,
        abbreviations={
            "bijv.": "bijvoorbeeld", "d.w.z.": "dat wil zeggen", "enz.": "enzovoort",
            "dhr.": "de heer", "mevr.": "mevrouw", "mw.": "mevrouw", "nr.": "nummer",
            "m.b.t.": "met betrekking tot", "o.a.": "onder andere", "i.p.v.": "in plaats van",
            "a.u.b.": "alstublieft", "s.v.p.": "alstublieft", "drs.": "doctorandus",
            "dr.": "doctor", "prof.": "professor", "ca.": "circa", "blz.": "bladzijde",
            "m.a.w.": "met andere woorden", "t/m": "tot en met", "etc.": "et cetera"},
    ),
    "sv": _Ranks(
        rank=r"(?<![\w.,:/-])([1-9][0-9]{0,3}):[ae](?!\w)",
        dated=rf"\b{_DATED.format(_NORDIC_MONTHS)}",
        year=_YEAR,
        of_year=_swedish_year,
        abbreviations={
            "t.ex.": "till exempel", "bl.a.": "bland annat", "osv.": "och så vidare",
            "m.m.": "med mera", "d.v.s.": "det vill säga", "dvs.": "det vill säga",
            "nr": "nummer", "kl.": "klockan", "ca": "cirka", "kr": "kronor", "st.": "stycken",
            "s.k.": "så kallad", "f.d.": "före detta", "p.g.a.": "på grund av"},
    ),
    "da": _NORDIC, "no": _NORDIC, "nb": _NORDIC, "nn": _NORDIC,
    "fi": _Ranks(
        rank=_STOP,
        abbreviations={
            "esim.": "esimerkiksi", "jne.": "ja niin edelleen", "ym.": "ynnä muuta",
            "mm.": "muun muassa", "eli.": "eli", "nro": "numero", "klo": "kello"},
    ),
    "tr": _Ranks(
        rank=_STOP,
        abbreviations={
            "vb.": "ve benzeri", "vs.": "vesaire", "dr.": "doktor", "prof.": "profesör",
            "örn.": "örneğin", "bkz.": "bakınız"},
    ),
    "pl": _Ranks(
        rank=_STOP,
        dated=rf"\b{_DATED.format(_POLISH_MONTHS)}",
        year=r"(?<![\w.,:/-])([12][0-9]{3})(?=\s*(?:r\.|roku\b))",
        of_day=_of_poland,
        of_year=lambda digits, number: _of_poland(number(digits, "ordinal")),
        abbreviations={
            "np.": "na przykład", "itd.": "i tak dalej", "itp.": "i tym podobne",
            "m.in.": "między innymi", "tzn.": "to znaczy", "tj.": "to jest", "tzw.": "tak zwany",
            "godz.": "godzinie", "nr": "numer", "ok.": "około", "zł": "złotych", "dr": "doktor",
            "prof.": "profesor", "ul.": "ulica", "św.": "święty", "r.": "roku"},
    ),
    "ru": _Ranks(
        dated=rf"\b{_DATED.format(_RUSSIAN_MONTHS)}",
        of_day=_of_russia,
        abbreviations={
            "и т.д.": "и так далее", "и т.п.": "и тому подобное", "т.е.": "то есть",
            "т.к.": "так как", "руб.": "рублей", "тыс.": "тысяч", "млн": "миллионов",
            "млрд": "миллиардов", "др.": "другие", "напр.": "например", "ул.": "улица",
            "см.": "смотри", "№": "номер", "₽": "рублей"},
    ),
}  # fmt: skip


def spell_ranks(text: str, language: str, known: Callable[[str], bool], number: Number) -> str:
    """Return a text with the ordinals, years and abbreviations of such a language as words.

    An abbreviation that is `known`, to the dictionary, stays.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("de 21e eeuw, 1848", language="nl")
    ('de', 'eenentwintigste', 'eeuw', 'achttien', 'honderd', 'achtenveertig')
    >>> split_words("в 1999 г., 3-го", language="ru")[-3:]
    ('девятом', 'году', 'третьего')
    """
    ranks = _RANKS.get(language)
    if ranks is None:
        return text
    full = ranks.abbreviations
    spaced = "|".join(
        re.sub(r"\\\.(?!$)", r"\\.\\s?", re.escape(form))
        for form in sorted(full, key=len, reverse=True)
    )

    def written_out(match: re.Match[str]) -> str:
        if known(match[0]):
            return match[0]
        form = match[0].lower()
        return f" {full.get(form) or full[re.sub(_AFTER_STOP, '', form)]} "

    if language == "sv":  # 1920-talet
        text = re.sub(
            r"(?<!\w)(1[0-9]{3}|20[0-9]{2})-(?=tal)", lambda m: ranks.of_year(m[1], number), text
        )
    if language == "ru":
        text = _spell_russian(text, number)
    text = re.sub(ranks.year, lambda m: _year(m[0], ranks, language, number), text)
    text = re.sub(ranks.dated, lambda m: ranks.of_day(number(m[1], "ordinal").strip()), text)
    text = re.sub(ranks.rank, lambda m: number(m[1], "ordinal").strip(), text)
    return re.sub(rf"(?<![\w.])(?:{spaced})(?!\w)", written_out, text, flags=re.IGNORECASE)


def _year(digits: str, ranks: _Ranks, language: str, number: Number) -> str:
    """Return a year in words; in languages that have several readings of it, with the others."""
    said = ranks.of_year(digits, number)
    if ranks.year != _YEAR:
        return said
    return with_others(said, filter(None, whole_ways(digits, language, lambda _: number)))
