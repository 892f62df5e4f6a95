"""Days and months of eight languages: July 4, le 1 mai, 12/01/1998, 3 sept. 2003.

English reads a day beside a month as an ordinal, *July fourth* and *the fourth of July*, whatever
is written. French, Spanish, Italian, Portuguese, Dutch and Swedish name the month of a date in
figures, since there the day is first; English leaves such dates as numbers, for no text says
which of the two is the month, with a sign of their own between them.
"""

import re
from collections.abc import Mapping

from align.speech.text.reading.others import with_others

IN_DATES = "\u2215"
"""Between the numbers of an English date; other slashes part words."""

MONTHS: Mapping[str, str] = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november "
    "december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
}
_SHORT: Mapping[str, str] = {  # in the order of the months; - where none is used
    "de": "Jan|Jän Feb Mär|Mrz Apr - Jun Jul Aug Sept|Sep Okt Nov Dez",
    "fr": "janv févr|fév - avr - - juil - sept oct nov déc",
    "es": "ene feb mar abr - jun jul ago sept|sep oct nov dic",
    "it": "genn|gen febb|feb mar apr magg|mag giu lug ago sett ott nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "jan feb mrt apr - jun jul aug sept|sep okt nov dec",
    "sv": "jan feb - apr - jun jul aug sept|sep okt nov dec",
}
_FIRST = {"fr": "premier", "it": "primo"}
"""What the first of a month is; others say a number, or both."""

_OF = {"es": " de ", "pt": " de "}
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_NUMERIC = re.compile(
    rf"(?<![\w.,/:-])(?P<day>{_DAY})(?P<sign>[./-])(?P<month>0?[1-9]|1[0-2])(?P=sign)"
    r"(?P<year>(?:1[0-9]|20)[0-9]{2})(?![\w/-]|[.,:][0-9])"
)
_NAME = {language: f"(?:{'|'.join(names.split())})" for language, names in MONTHS.items()}
_FULL = {
    language: {
        short.lower(): month
        for month, shorts in zip(MONTHS[language].split(), _SHORT[language].split(), strict=True)
        for short in shorts.split("|")
        if short != "-"
    }
    for language in _SHORT
}
_SHORTENED = {
    language: re.compile(
        rf"(?<![\w.,:/-])(?P<day>{_DAY}[.º°]?)(?P<of>\s(?:de\s|of\s)?)"
        rf"(?P<short>{'|'.join(sorted(full, key=len, reverse=True))})"
        r"(?:\.|(?=,?\s+[12][0-9]{3}\b))(?!\w)",
        re.IGNORECASE,
    )
    for language, full in _FULL.items()
}
_ONE = {
    language: re.compile(rf"(?<![\w.,:/-])1°?(?=\s{_NAME[language]}\b)", re.IGNORECASE)
    for language in _FIRST
}
_ALONE = {
    language: re.compile(rf"(?<![\w.,:/-])({_DAY})\s(?={_NAME[language]}\b)", re.IGNORECASE)
    for language in _OF
}

# English ----------------------------------------------------------------------------------------

_ABBREVIATED = {month[:3]: month for month in MONTHS["en"].split()} | {"Sept": "September"}
_ENGLISH = "|".join((*MONTHS["en"].split(), *sorted(_ABBREVIATED, key=len, reverse=True)))
_MONTH = rf"(?P<month>(?i:{_ENGLISH}))"
_NO_COUNT = r"(?![\w/:%$€£°²-]|[.,][0-9]|\s(?:[a-z]{2,}s|people|men|women|of)\b)"
_MONTH_DAY = re.compile(rf"(?<![\w-]){_MONTH}\b\.?[ ](?P<day>{_DAY}){_NO_COUNT}")
_DAY_MONTH = re.compile(
    rf"(?:(?P<the>\b[Tt]he)\s)?(?<![\w.,:/$€£-])(?P<day>{_DAY})[ ]{_MONTH}\b(?P<stop>\.?)"
    r"(?!['\w-])"
)
_YEAR_FIRST = re.compile(
    rf"(?<![\w.,/:-])(?P<year>(?:1[0-9]|20)[0-9]{{2}})/(?P<month>0?[1-9]|1[0-2])/(?P<day>{_DAY})"
    r"(?![\w/-]|[.,:][0-9])"
)
_SLASHED = re.compile(
    r"(?<![\w.,/:-])([0-3]?[0-9])/([0-3]?[0-9])/([12][0-9]{3})(?![\w/-]|[.,:][0-9])"
)
_AMBIGUOUS = frozenset({"may", "march", "mar"})
"""Words and names besides, where they have no capital."""


def spell_dates(text: str, language: str) -> str:
    """Return a text with the days and months of one of eight languages as words.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("July 4, 1776")
    ('July', 'fourth', 'seventeen', 'seventy', 'six')
    >>> split_words("12/01/1998", language="it")
    ('dodici', 'gennaio', 'millenovecentonovantotto')
    """
    if language not in MONTHS:
        return text
    if language == "en":
        text = _YEAR_FIRST.sub(
            lambda m: f"{MONTHS['en'].split()[int(m['month']) - 1]} {int(m['day'])}, {m['year']}",
            text,
        )
        text = _SLASHED.sub(rf"\1{IN_DATES}\2{IN_DATES}\3", text)
        text = _DAY_MONTH.sub(lambda m: _english(m, day_first=True), text)
        return _MONTH_DAY.sub(lambda m: _english(m, day_first=False), text)
    full = _FULL[language]
    text = _SHORTENED[language].sub(
        lambda m: f"{m['day']}{m['of']}{full[m['short'].lower()]}", text
    )
    if language == "de":  # whose days in figures are ordinals, too
        return text
    months, of = MONTHS[language].split(), _OF.get(language, " ")
    text = _NUMERIC.sub(
        lambda m: f"{int(m['day'])}{of}{months[int(m['month']) - 1]}{of}{m['year']}", text
    )
    if of != " ":  # 5 febrero
        text = _ALONE[language].sub(rf"\1{of}", text)
    return _ONE[language].sub(_FIRST[language], text) if language in _FIRST else text


def _ordinal(day: int) -> str:
    """Return a day as 1st, 2nd, 3rd, 4th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{'th' if day in (11, 12, 13) else ending}"


def _english(match: re.Match[str], *, day_first: bool) -> str:
    """Return a month with its day as an ordinal, or what was written where it is no month."""
    written = match["month"]
    if written.lower() in _AMBIGUOUS and not written[:1].isupper():
        return match[0]
    month = _ABBREVIATED.get(written.capitalize(), written)
    day = _ordinal(int(match["day"]))
    if not day_first:
        return f"{month} {day}"
    ends = match["stop"] and (written == month or not match.string[match.end() :].strip())
    the = match["the"] or with_others("the", ("",))
    return f"{the} {day} of {month}{'.' if ends else ''}"
