"""Per cent and sums of money in languages of which little else is known.

The number itself is spelled out by num2words; here only the sign becomes a word, where people of
that language say it.
"""

import re
from collections.abc import Mapping

_PERCENT: Mapping[str, str] = {
    "en": "percent", "de": "Prozent", "fr": "pour cent", "es": "por ciento", "it": "per cento",
    "nl": "procent", "pt": "por cento", "sv": "procent", "da": "procent", "pl": "procent",
    "ca": "per cent", "cs": "procent", "cy": "y cant", "eo": "procentoj", "fi": "prosenttia",
    "hu": "százalék", "id": "persen", "is": "prósent", "lt": "procentų", "lv": "procenti",
    "nb": "prosent", "nn": "prosent", "no": "prosent", "ro": "la sută", "ru": "процентов",
    "sk": "percent", "sl": "odstotkov", "sr": "posto", "uk": "відсотків", "vi": "phần trăm",
    "ar": "بالمئة", "fa": "درصد", "he": "אחוז", "ja": "パーセント", "ko": "퍼센트",
    "th": "เปอร์เซ็นต์",
}  # fmt: skip
_BEFORE = {"tr": "yüzde"}
"""Where it is said in front of the number, and mostly written there."""

_EASTERN: Mapping[str, tuple[str, str]] = {
    "ru": ("процент", "процента"),
    "uk": ("відсоток", "відсотки"),
}
"""Behind 1, 21 and so on, and behind 2 to 4, 22 to 24."""

_MONEY: Mapping[str, tuple[str, str, str]] = {
    "cs": ("eur", "dolarů", "liber"), "da": ("euro", "dollar", "pund"),
    "fi": ("euroa", "dollaria", "puntaa"), "hu": ("euró", "dollár", "font"),
    "nb": ("euro", "dollar", "pund"), "nl": ("euro", "dollar", "pond"),
    "nn": ("euro", "dollar", "pund"), "no": ("euro", "dollar", "pund"),
    "pl": ("euro", "dolarów", "funtów"), "ro": ("euro", "dolari", "lire"),
    "ru": ("евро", "долларов", "фунтов"), "sk": ("eur", "dolárov", "libier"),
    "sv": ("euro", "dollar", "pund"), "tr": ("avro", "dolar", "sterlin"),
    "uk": ("євро", "доларів", "фунтів"),
}  # fmt: skip
_SUM = re.compile(
    r"(?P<first>[€$£])?(?P<whole>[0-9]++(?:\.[0-9]++)*+)(?:,(?P<part>[0-9]{2}))?(?P<last>[€$£])?"
    r"(?![0-9]|,[0-9])"
)
_SHARE = re.compile(r"(?P<first>%)?(?P<number>[0-9][0-9.,]*)(?P<last>%)?")


def spell_signs(chunk: str, language: str) -> str:
    """Return a chunk without spaces with per cent and, where known, money as words.

    Examples
    --------
    >>> spell_signs("21%", "fi"), spell_signs("%21", "tr"), spell_signs("€12,50", "nl")
    ('21 prosenttia ', ' yüzde 21', '12 euro 50 ')
    """
    chunk = _SHARE.sub(lambda m: _share(m, language), chunk)
    units = _MONEY.get(language)
    if units is None:
        return chunk
    return _SUM.sub(lambda m: _sum(m, units), chunk)


def _share(match: re.Match[str], language: str) -> str:
    number = match["number"]
    if not (match["first"] or match["last"]):
        return match[0]
    if language in _BEFORE:
        return f" {_BEFORE[language]} {number}"
    said = _PERCENT.get(language)
    if said is None:
        return match[0]
    if language in _EASTERN and number[-2:-1] != "1" and number.isdigit():
        one, few = _EASTERN[language]
        said = one if number[-1] == "1" else few if number[-1] in "234" else said
    return f"{number} {said} "


def _sum(match: re.Match[str], units: tuple[str, str, str]) -> str:
    sign = match["first"] or match["last"]
    if not sign:
        return match[0]
    part = match["part"] if match["part"] and int(match["part"]) else ""
    if part and match["whole"] == "0" and sign != "£" and units[0] == "euro":
        return f"{int(part)} cent "
    said = f"{match['whole']} {units['€$£'.index(sign)]} "
    return f"{said}{part} " if part else said
