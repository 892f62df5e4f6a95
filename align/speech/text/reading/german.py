"""What German has beside its numbers: ordinals, dates, telephones, 20er and 3x.

A number with a full stop is an ordinal behind an article, in front of a month, and in front of a
few nouns that nobody takes for the beginning of a sentence; several belong together, *am 1. und 2.
Juni*. Others, as in `er wurde 2.`, are ambiguous without grammar and stay.
"""

import re

from align.speech.text.reading.dates import MONTHS
from align.speech.text.reading.numerals import Number
from align.speech.text.reading.others import with_others
from align.speech.text.reading.telephones import spell_digits

_BEFORE_DAY = r"(?:\b(?P<before>am|vom|zum|beim|seit|bis|ab|dem|den|der|die|das)\s+)?(?<![\w.,])"
_DAY_AND_MONTH = re.compile(
    rf"{_BEFORE_DAY}(?P<day>0?[1-9]|[12][0-9]|3[01])\.\s?(?P<month>0?[1-9]|1[0-2])\."
    r"(?:\s?(?P<year>1[0-9]{3}|20[0-9]{2}|[0-9]{2}(?![.,:/-]?[0-9]|\s?[%€$£°]))\b)?"
    r"(?![0-9])",
    re.IGNORECASE,
)
_TELEPHONE = re.compile(
    r"(?<![\w.,:/-])(?:0|\+)[0-9]{1,5}[ /-]\s?[0-9][0-9 /-]{2,14}[0-9](?![\w.,]*\w)"
)
_OF_BOTH = re.compile(r"(?<=[a-zäöüß])[:*_](?=in(?:nen)?\b)")
_SCORE = re.compile(r"(?<![\w.,:/-])([0-9]{1,2}):([0-9])(?![\w:/-]|[.,][0-9])")
_UM = re.compile(r"\b([Uu]m [0-9]{1,2}) h\b")
_GERMAN_MONTH = (
    "(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)"
)
_OF = (
    r"(?:(?P<of>[Aa]n|[Aa]uf|[Aa]us|[Bb]ei|[Hh]inter|[Ii]n|[Mm]it|[Nn]ach|[Nn]eben|[Ss]eit|[Tt]rotz|"
    r"[Üü]ber|[Uu]nter|[Vv]on|[Vv]or|[Ww]ährend|[Ww]egen|[Zz]u|[Zz]wischen)\s+)?"
)
"""Behind these, *der* is dative or genitive: in der fünften Woche."""

_RANK = re.compile(
    rf"\b{_OF}(?P<before>[Dd]er|[Dd]ie|[Dd]as|dem|den|des|[Ii]m|[Aa]m|[Zz]um|[Zz]ur|[Vv]om|[Bb]eim)\s+"
    rf"(?P<rank>[0-9]{{1,3}})\.\s+(?!{_GERMAN_MONTH}\b)(?=(?P<noun>[^\W\d_]+))"
)
_FEMININE = (
    r"(?:\w*(?:klasse|etage|(?:bundes)?liga|auflage|runde|halbzeit|szene|woche|stunde|minute|sekunde|"
    r"reihe|gruppe|stufe|seite|ebene|phase|(?<!spr)(?<!schw)ung|heit|keit|schaft|tion|sion|tät))"
)
_PLURAL = (
    r"(?:\w*(?:klassen|etagen|ligen|auflagen|runden|halbzeiten|szenen|wochen|stunden|minuten|sekunden|"
    r"reihen|gruppen|stufen|seiten|ebenen|phasen|ungen|heiten|keiten|schaften|tionen|sionen|täten|"
    r"stockwerke|geschosse|jahrhunderte|quartale|spieltage|weltkriege|plätze|sätze))"
)
_WITH_N = re.compile(rf"der {_FEMININE}|(?:der|die) {_PLURAL}|(?:der|die) (?:semester|stockwerke)")
"""Genitives, datives and plurals, in lower case: der fünften und sechsten Klassen."""

_OF_NOUN = {
    **dict.fromkeys(("Stock", "Weltkrieg", "Spieltag", "Geburtstag", "Akt"), "r"),
    **dict.fromkeys(
        ("Etage", "Klasse", "Liga", "Bundesliga", "Auflage", "Runde", "Halbzeit", "Szene"), ""
    ),
    **dict.fromkeys(
        ("Stockwerk", "Obergeschoss", "Untergeschoss", "Jahrhundert", "Semester", "Quartal"), "s"
    ),
}
_AND = r"(?:\s*,\s*|\s?[/\u2013-]\s?|\s+(?:und|oder|sowie|bis)\s+)"
_RANKS = re.compile(
    rf"(?:\b{_OF}(?P<before>[Dd]er|[Dd]ie|[Dd]as|[Dd]em|[Dd]en|[Dd]es|[Ii]m|[Aa]m|[Zz]um|[Zz]ur|"
    rf"[Vv]om|[Bb]eim|[Zz]wischen)\s+)?(?<![\w.,])(?P<days>[0-9]{{1,3}}\.(?:{_AND}[0-9]{{1,3}}\.)+)"
    rf"(?=\s+(?:{_GERMAN_MONTH}\b|(?P<noun>{'|'.join(_OF_NOUN)})\b|(?P<after>[^\W\d_]+)))"
)
"""Several ordinals: am 1. und 2. Juni; before unknown nouns only behind an article."""

_RANK_OF_NOUN = re.compile(
    r"(?:\b(?P<before>[^\W\d_]+)\s+)?(?<![\w.,])(?P<rank>[0-9]{1,3})\.\s+"
    rf"(?=(?P<noun>{'|'.join(_OF_NOUN)})\b)"
)
_COUNTED = frozenset(
    "Platz Nummer Teil Kapitel Seite Band Gruppe Tag Punkt Zimmer Raum Runde Klasse Stufe".split()
)
"""Nouns behind which a number is none of the next noun: Platz 2. Runde 3."""

_DATIVE = frozenset("in aus mit ab seit von bei nach zu".split())
_DECLINED = re.compile(r"(?:[mdsk]?ein|ihr|unser|eur|dies|jed|jen)(?:en|em|er|es)", re.IGNORECASE)
_STRONG = re.compile(
    r"(?:[mdsk]?eine|ihre|unsere|eure|dies(?:er|e|es)|jed(?:er|e|es))", re.IGNORECASE
)
_FAR = 20  # characters, more than any of these words has
_NUMBERED = re.compile(
    r"(?:Abschnitt|Kapitel|Version|Punkt|Ziffer|Nummer|Nr\.|Abbildung|Tabelle|Paragraph)\s*$"
)
"""What the numbers of parts, not of days, stand behind: Abschnitt 1.2.10."""

_ONE = re.compile(  # before no unit that is shortened
    r"(?<![\w.,:/%+-])1(?=[ -](?!(?:Std|Min|Sek|Mio|Mrd|Tsd)\b)(?P<noun>[A-ZÄÖÜ][a-zäöüß]+))"
)
_BEHIND_NOUN = re.compile(r"\w[,;]? [A-ZÄÖÜ][\wäöüß]*\s$")  # Seite 1, not at its beginning: Nur 1
_EINE = re.compile(
    r"(?!(?:Junge|Kollege|Kunde|Name|Käse|Ende|Auge|Gebäude|Neffe|Zeuge)$)"
    r"\w*(?:[Ff]rau|[Mm]utter|[Tt]ochter|schwester|ung|heit|keit|schaft|tät|ion|[Mm]ark|e)"
)
_TENS = re.compile(r"(?<![\w.,])([0-9]{2,4})(?=er(?:n|s)?\b)")
_TIMES = re.compile(r"(?<![\w.,])([0-9]+)\s?[x×](?!\w)(?!\s*[0-9])")
_DATE = re.compile(rf"{_BEFORE_DAY}(?P<day>[0-9]{{1,2}})\.\s*(?={_GERMAN_MONTH}\b)", re.IGNORECASE)


def prepare_german(text: str, number: Number) -> str:
    """Return a text with telephones, ordinals but those of dates, 20er and 3x in words.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("Am 1. und 2. Juni, 2. Stock", language="de")
    ('Am', 'ersten', 'und', 'zweiten', 'Juni', 'zweiter', 'Stock')
    >>> split_words("Um 1 Uhr kam 1 Frau. Kapitel 1", language="de")
    ('Um', 'ein', 'Uhr', 'kam', 'eine', 'Frau', 'Kapitel', 'eins')
    """
    text = _TELEPHONE.sub(
        lambda m: " ".join(
            ["plus"] * m[0].startswith("+")
            + [spell_digits(group, "de", number) for group in re.findall("[0-9]+", m[0])]
        ),
        text,
    )
    text = re.sub(r"(?<![\w.,])1\.\s(?=F?FC\b)", "erster ", _SCORE.sub(r"\1 zu \2", text))
    text = _OF_BOTH.sub(" ", _UM.sub(r"\1 Uhr", text))

    def ordinal(match: re.Match[str]) -> str:
        said = number(match["rank"], "ordinal").strip() + _behind_article(match, match["noun"])
        return f"{_articles(match)} {said} "

    text = _RANKS.sub(lambda m: _german_ranks(m, number), text)
    text = _RANK.sub(ordinal, text)
    text = _RANK_OF_NOUN.sub(lambda m: _german_rank(m, number), text)
    text = _TENS.sub(
        lambda m: number(m[1], "year" if len(m[1]) == 4 else "cardinal").strip(), text
    )
    return _TIMES.sub(r"\1 mal", _ONE.sub(_one, text))


def _one(match: re.Match[str]) -> str:
    """Return the 1 before a noun as its article, unless it numbers the noun in front."""
    before = match.string[: match.start()]
    if _NUMBERED.search(before) or _BEHIND_NOUN.search(before):
        return match[0]
    return "eine" if _EINE.fullmatch(match["noun"]) else "ein"


def spell_german_dates(text: str, number: Number) -> str:
    """Return a text with days, months in figures and years of two figures in words.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("am 3.4.21, 15:30 Uhr", language="de")[:4]
    ('am', 'dritten', 'vierten', 'einundzwanzig')
    """
    for date in (_DAY_AND_MONTH, _DATE):
        text = date.sub(lambda m: _german_day(m, number), text)
    return text


def _behind_article(match: re.Match[str], noun: str) -> str:
    """Return the ending of an ordinal between its article and a noun."""
    article = match["before"].lower()
    if article not in ("der", "die", "das") or _WITH_N.fullmatch(f"{article} {noun.lower()}"):
        return "n"
    return "n" if article == "der" and match["of"] else ""


def _articles(match: re.Match[str]) -> str:
    return f"{match['of']} {match['before']}" if match["of"] else str(match["before"])


def _german_ranks(match: re.Match[str], number: Number) -> str:
    """Return several ordinals, all with the ending that the word before them asks for."""
    if not match["before"]:
        if match["after"]:
            return match[0]
        ending = _OF_NOUN[match["noun"]] if match["noun"] else "r"
    else:
        ending = _behind_article(match, match["noun"] or match["after"] or "")
    said = re.sub(r"([0-9]+)\.", lambda m: number(m[1], "ordinal").strip() + ending, match["days"])
    said = re.sub(r"\s?[\u2013-]\s?", " bis ", said.replace("/", " "))
    return f"{_articles(match)} {said}" if match["before"] else said


def _german_rank(match: re.Match[str], number: Number) -> str:
    """Return the ordinal in front of one of a few nouns that nobody takes for a sentence's end."""
    before, ending = match["before"] or "", _OF_NOUN[match["noun"]]
    if before in _COUNTED:
        return match[0]
    if before.lower() in _DATIVE:
        ending = "m" if ending else "r"
    elif _STRONG.fullmatch(before) and not (ending == "" and before[-1] in "rs"):
        ending = ""
    elif _DECLINED.fullmatch(before):
        ending = "n"
    return f"{before} {number(match['rank'], 'ordinal').strip()}{ending} ".lstrip()


def _german_day(match: re.Match[str], number: Number) -> str:
    """Return the ordinals of a date, with the ending that the word before them asks for."""
    found = match.groupdict()
    day = match.start("day")
    if found.get("month") and _NUMBERED.search(match.string[max(0, day - _FAR) : day]):
        return match[0]
    before, year = found["before"] or "", found.get("year")
    ending = {"": "r", "der": "", "die": "", "das": ""}.get(before.lower(), "n")
    said = [
        number(str(int(found[part])), "ordinal").strip() + ending
        for part in ("day", "month")
        if found.get(part)
    ]
    if found.get("month"):  # am dritten Mai
        month = MONTHS["de"].split()[int(found["month"]) - 1]
        said = [with_others(" ".join(said), [f"{said[0]} {month}"])]
    kind = "year" if len(year or "") == 4 else "cardinal"
    return " ".join([before, *said, number(year, kind).strip() if year else ""]) + " "
