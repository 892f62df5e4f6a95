"""Digits and Roman numerals as people write them, made ready for what spells numbers out.

Thousands that are parted by spaces are joined (``1 000 000``), signs of minus and ranges are those
of the keyboard, clocks with a full stop get a colon, and Roman numerals of eight languages become
words: `Henry VIII` is *the eighth*, `World War II` *two*, and `le XVIIe siècle` *dix-septième*.

A single letter is a numeral only behind a word such as `chapter` or a title such as `King`; other
languages leave Roman numerals to espeak-ng, which knows most of them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from align.speech.text.reading.others import with_others

Number = Callable[[str, str], str]
"""Return digits in words; the second argument is the kind of num2words, such as ``ordinal``."""

InLanguage = Callable[[str], Number]
"""Return what reads the numbers of a language."""

RANGE = re.compile(r"(?<![\w.,:-])([1-9][0-9]{0,3})-([0-9]{1,4})(?![\w:-]|[.,][0-9])")
"""Two numbers and a hyphen, neither of a date nor of a telephone."""

_THIN = re.compile(r"(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_SPACED = re.compile(r"(?<![\w.,:+/-])[1-9][0-9]{0,2}(?: [0-9]{3})+(?![\w/:-]|[.,][0-9]{3})")
_WITH_SPACES = frozenset("bg cs da et fi fr hu kk lt lv nb nn no pl pt ru sk sl sr sv uk".split())
"""Languages whose thousands are parted by spaces, so that two groups are one number, too."""

_EASTERN = {
    **{ord(digit): str(k % 10) for k, digit in enumerate("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹")},
    **{ord("٪"): "%", ord("٫"): ".", ord("٬"): ","},
}
"""Digits and signs of Arabic and Persian, which num2words does not know."""

_DASH = re.compile(r"(?<=[0-9])[\u2010-\u2013](?=[0-9])")
_ISO_DATE = re.compile(
    r"(?<![\w.-])([12][0-9]{3})-0?([1-9]|1[0-2])-0?([1-9]|[12][0-9]|3[01])(?![\w-])"
)
_AS_DATES = {"en": r"\1/\2/\3", "de": r"\3.\2.\1"}  # others: day, month and year
_MINUS = re.compile(r"\u2212\s?(?=[0-9])|(?<!\S)\u2013(?=[0-9]+(?:[.,][0-9]+)?\s?°)")
_DOTTED_CLOCK = re.compile(
    r"(?i:(?<!\w)(?P<before>klo|kello|kl\.?|klokken|klockan|ore|alle|godz\.?|om|las|às)\s)"
    r"(?P<hour>[01]?[0-9]|2[0-4])\.(?P<minute>[0-5][0-9])(?![\w,]|\.[0-9])"
    r"|(?<![\w.,])(?P<h>[01]?[0-9]|2[0-4])\.(?P<m>[0-5][0-9])(?=\s?(?:uur|Uhr)\b)"
)
_UUR = re.compile(r"(?<![\w.,:])([01]?[0-9]|2[0-4]):([0-5][0-9])\s?uur\b")

_TO = {"de": "bis", "fr": "à", "es": "a", "it": "a", "pt": "a", "nl": "tot", "sv": "till",
       "da": "til", "no": "til", "nb": "til", "nn": "til"}  # fmt: skip
_BETWEEN = re.compile(r"(?<=[0-9]%|[0-9][€$£])\s?-\s?(?=[0-9])|(?<=[0-9]\s[%€$£])\s?-\s?(?=[0-9])")
_TIMES = {"en": "by", "de": "mal", "fr": "sur", "es": "por", "it": "per", "pt": "por",
          "nl": "bij", "sv": "gånger"}  # fmt: skip
_X = re.compile(
    r"(?<=[0-9])(?<!\b0)(?P<space>\s?)(?P<sign>[xX×])(?P=space)(?!(?<=4[xX])4)(?=[0-9][0-9.,]*+(?!\s?=))"
)
"""Between the sides of something, not in 0x1F, nor where the product follows."""

_MINUS_SAID = {"en": "minus", "de": "minus", "fr": "moins", "es": "menos", "it": "meno",
               "pt": "menos", "nl": "min", "sv": "minus"}  # fmt: skip
_SUBTRACTED = re.compile(r"(?<=[0-9])\s?-\s?(?=[0-9.,]+\s?=)")


def plain_digits(text: str, language: str) -> str:
    """Return a text whose numbers have no spaces, dashes or full stops that mean something else.

    Examples
    --------
    >>> plain_digits("1 000 000 d'oiseaux, 12 500 €, 1998\u20132003", "fr")
    "1000000 d'oiseaux, 12500 €, 1998-2003"
    >>> plain_digits("612 345 678", "es")  # a telephone's
    '612 345 678'
    """

    def joined(match: re.Match[str]) -> str:
        groups = match[0].split()
        round_one = "000" in groups[1:] or (len(groups) == 2 and groups[1][0] == "0")
        two = len(groups) == 2 and language in _WITH_SPACES
        return "".join(groups) if round_one or two else match[0]

    text = text.translate(_EASTERN).replace("\u2044", "/")  # of fractions
    text = _MINUS.sub("-", _DASH.sub("-", _THIN.sub("", text)))
    text = _ISO_DATE.sub(_AS_DATES.get(language, r"\3/\2/\1"), text)
    text = _SPACED.sub(joined, text)
    text = _DOTTED_CLOCK.sub(_with_colon, text)
    return _UUR.sub(lambda m: f"{m[1]} uur" + f" {int(m[2])}" * (m[2] != "00"), text)


def _with_colon(match: re.Match[str]) -> str:
    if match["h"]:
        return f"{match['h']}:{match['m']}"
    return f"{match['before']} {match['hour']}:{match['minute']}"


def spell_ranges(text: str, language: str) -> str:
    """Return a text with words between the numbers of ranges, and of sizes such as 3 x 4.

    Examples
    --------
    >>> spell_ranges("5%-10%, 3 x 4", "it")
    '5% a 10%, 3 per 4'
    """
    if language in _MINUS_SAID:
        text = _SUBTRACTED.sub(f" {_MINUS_SAID[language]} ", text)
    if language in _TIMES:
        by = f" {_TIMES[language]} "
        text = _X.sub(lambda m: m[0] if language == "en" and m["sign"] == "×" else by, text)
    to = _TO.get(language)
    if to is None:
        return text
    text = _BETWEEN.sub(f" {to} ", text)
    if language in ("nl", "sv", "da", "no", "nb", "nn"):  # others have theirs
        said = with_others(to, ("",))
        text = RANGE.sub(
            lambda m: f"{m[1]} {said} {m[2]}" if int(m[1]) < int(m[2]) > _SCORE else m[0], text
        )
    return text


_SCORE = 9  # 3-9 may be one


_POINT = {"en": "point", "de": "Punkt", "fr": "point", "es": "punto", "it": "punto", "pt": "ponto",
          "nl": "punt", "sv": "punkt"}  # fmt: skip
_VERSION = re.compile(
    r"(?<![\w.,:/-])(?P<before>(?i:v|version[ei]?|versión|versão|versie|section|abschnitt|sección|"
    r"sezione|seção|chapter|kapitel|chapitre|capítulo|capitolo))?\s?"
    r"(?P<number>[0-9]{1,2}(?:\.[0-9]{1,2}){2})(?![\w/-]|[.,:][0-9])"
)


def spell_versions(text: str, language: str, number: Number) -> str:
    """Return a text with numbers of versions and sections in words, a word for each point.

    Without such a word in front only those whose last part is of one digit, since 3.4.21 may be a
    date.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("Version 2.0.14")
    ('Version', 'two', 'point', 'zero', 'point', 'fourteen')
    """
    point = _POINT.get(language)
    if point is None:
        return text

    def said(match: re.Match[str]) -> str:
        before, parts = match["before"], match["number"].split(".")
        if not before and len(parts[-1]) > 1:
            return match[0]
        spoken = f" {point} ".join(number(part, "cardinal").strip() for part in parts)
        return f"{before} {spoken}" if before else spoken

    return _VERSION.sub(said, text)


# Roman numerals ---------------------------------------------------------------------------------

_VALUES = {"I": 1, "V": 5, "X": 10}
_ROMAN = r"X{0,3}(?:IX|IV|V?I{0,3})"
_NUMERAL = re.compile(
    rf"(?:(?P<title>\b[^\W\d_]+\.?)\s+)?(?:(?P<before>\b[^\W\d_]+\.?)\s+)?"
    rf"(?<![\w.'-])(?P<roman>(?=[IVX]){_ROMAN})(?P<behind>[^\W\d_]+)?(?P<stop>\.)?(?!'(?!s\b)|[\w-])"
    r"(?:(?=\s+(?P<after>[^\W\d_]+)))?"
)


@dataclass(frozen=True)
class _Rule:
    """How one language reads Roman numerals, by regular expressions."""

    counted: str  # words in front of a cardinal number, whatever its case
    kings: str = ""  # names in front of an ordinal; any name with a capital, if empty
    titles: str = r"(?!)"  # words in front of a name, which make it that of a king
    ranked: str = r"(?!)"  # words in front of or behind a numeral that is an ordinal
    ordinals: int = 39  # the largest ordinal that is said as one
    endings: str = r"(?!)"  # letters at a numeral that make it an ordinal


_RULES: Mapping[str, _Rule] = {
    "en": _Rule(
        "chapter|part|war|volume|vol\\.?|act|scene|section|type|phase|book|figure|fig\\.?|article|"
        "table|grade|stage|class|title|level|episode|appendix|apollo",
        "Henry|Louis|Edward|Charles|George|James|Richard|William|Elizabeth|Mary|John|Paul|Pius|"
        "Benedict|Gregory|Leo|Innocent|Philip|Francis|Frederick|Napoleon|Catherine|Peter|"
        "Alexander|Nicholas|Ferdinand|Victor|Emmanuel|Otto|Christian|Gustav|Ivan|Constantine|"
        "Clement|Urban|Boniface|Sixtus|Julius|Alfonso|Umberto|Robert|David|Malcolm|Carlos|Felipe",
        titles="king|queen|pope|emperor|empress|tsar|czar|sultan",
    ),
    "de": _Rule(
        "kapitel|kap\\.|teil|band|bd\\.|akt|szene|artikel|abschnitt|buch|weltkrieg|klasse|stufe|typ",
        ranked="Jahrhundert(?:s|en?)?|Weltkrieg(?:e?s|en?)?|Akte?s?|Klasse|Liga|Quartals?|Semesters?",
    ),
    "fr": _Rule(
        "chapitre|tome|acte|scène|livre|volume|partie|article|titre|type|phase|annexe",
        ordinals=1, endings="er|re|ère|e|ème|ième|nd|nde",
    ),
    "es": _Rule(
        "capítulo|tomo|acto|escena|libro|volumen|parte|artículo|título|tipo|fase",
        ranked="siglo|s\\.|guerra|república", ordinals=10,
    ),
    "pt": _Rule(
        "capítulo|tomo|ato|cena|livro|volume|parte|artigo|título|tipo|fase",
        ranked="século|séc\\.?|guerra|república", ordinals=10,
    ),
    "it": _Rule(
        "(?!)",
        ranked="secolo|sec\\.?|capitolo|cap\\.|tomo|atto|scena|libro|volume|vol\\.|parte|articolo|"
        "guerra|repubblica",
    ),
    "nl": _Rule(
        "hoofdstuk|deel|band|boek|akte|scène|artikel|klasse|type|fase",
        "Willem|Lodewijk|Hendrik|Karel|Filips|Frederik|Leopold|Boudewijn|Napoleon|Christiaan|"
        "Johannes|Paulus|Pius|Benedictus|Gregorius|Leo|Elizabeth|Nicolaas|Alexander|Peter|Otto",
        titles="koning|koningin|paus|keizer|keizerin|tsaar",
    ),
    "sv": _Rule(
        "kapitel|del|band|bok|akt|scen|artikel|klass|typ|fas",
        "Karl|Gustav|Erik|Johan|Oscar|Fredrik|Christian|Ludvig|Henrik|Napoleon|Pius|Paulus|Otto|"
        "Wilhelm|Elizabeth|Margareta|Nikolaj|Alexander|Peter",
        titles="kung|drottning|påve|kejsare|tsar",
    ),
}  # fmt: skip
_KINGS = re.compile(
    r"Henry|Edward|George|Charles|Carlos|Felipe|Alfonso|Enrique|Fernando|P[ií]o|Pius|Benedicto|Carlo|"
    r"Enrico|Filippo|Henri|Philippe|Karel|Filips"
)
"""Names behind which V or X alone is a numeral."""

_THE = {"en": "the", "nl": "de", "sv": "den"}
_GERMAN_RANK = r"\.\s+(?:(?:und|oder|bis)\s+[IVX]+\.\s+)?(?:{})\b"
_FEMALE = re.compile(r".*a\.?|parte|Isabel|Elisabeth|Margarethe|Margrethe|Beatrix|Maria|Marie")
_OF_MEN = frozenset({"Luca", "Andrea", "Joshua"})


def spell_roman(text: str, language: str, number: Number) -> str:
    """Return a text with the Roman numerals of eight languages as words.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("Henry VIII, chapter IV")
    ('Henry', 'the', 'eighth', 'chapter', 'four')
    """
    rule = _RULES.get(language)
    if rule is None:
        return text

    def spelled(match: re.Match[str]) -> str:
        said = _said(match, rule, language, number)
        if said is None:
            return match[0]
        return match[0][: match.start("roman") - match.start()] + said

    return _NUMERAL.sub(spelled, text)


def _said(match: re.Match[str], rule: _Rule, language: str, number: Number) -> str | None:
    """Return a numeral in words, with the full stop that ends a sentence; None if it is none."""
    roman, behind, stop = match["roman"], match["behind"] or "", match["stop"] or ""
    title, before = match["title"] or "", match["before"] or ""
    if not before:
        title, before = "", title
    value = str(_value(roman))
    if behind:
        if not re.fullmatch(rule.endings, behind):
            return None
        said = number(value, "ordinal").strip()
        if value == "1" and behind != "er":
            said = "première"
        return said + stop
    after = match["after"] or ""
    if re.fullmatch(rule.counted, before, re.IGNORECASE):
        return number(value, "cardinal").strip() + stop
    ranked = any(re.fullmatch(rule.ranked, word, re.IGNORECASE) for word in (before, after))
    if language == "de" and re.match(
        _GERMAN_RANK.format(rule.ranked), match.string[match.end("roman") :]
    ):
        return value + stop  # its ending is that of such digits
    royal = re.fullmatch(rule.titles, title, re.IGNORECASE) is not None
    lone = len(roman) == 1 and not (roman != "I" and _KINGS.fullmatch(before))
    if not ranked and lone and not royal:
        return None
    king = before[:1].isupper() and (
        not rule.kings or re.fullmatch(rule.kings, before, re.I) or royal
    )
    if language == "de":
        return _german(before, value, number) if king and stop else None
    if not (king or ranked):
        cardinal = before[:1].isupper() and language == "en" and roman not in ("IV", "XX", "XXX")
        return number(value, "cardinal").strip() + stop if cardinal else None
    if int(value) > rule.ordinals:
        return number(value, "cardinal").strip() + stop
    said = number(value, "ordinal").strip()
    if language in _THE:
        said = f"{_THE[language]} {said}"
    noun = after if re.fullmatch(rule.ranked, after, re.IGNORECASE) else before
    if language != "en" and _FEMALE.fullmatch(noun) and noun not in _OF_MEN:
        said = "première" if language == "fr" else re.sub(r"o\b", "a", said)
    return said + stop


def _german(name: str, value: str, number: Number) -> str:
    """Return *der vierzehnte*: of a name with s, *des vierzehnten*."""
    said = number(value, "ordinal").strip()
    if _FEMALE.fullmatch(name):
        return f"die {said}."
    return f"des {said}n." if name.endswith("s") and name not in _ENDING_IN_S else f"der {said}."


_ENDING_IN_S = frozenset({"Johannes", "Nikolaus", "Pius", "Julius", "Klemens", "Linus", "Sixtus"})


def _value(roman: str) -> int:
    values = [_VALUES[letter] for letter in roman]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
