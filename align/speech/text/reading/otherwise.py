"""In which other ways a number may be read: *101* as *one oh one*, *1999* as *nineteen hundred*.

Nobody can tell from the text, and the recording can: see `align.speech.text.verbalisation`. The
usual reading of a number is that of `align.speech.text.reading.normalise`; here are the others. Of
every language they are the cardinal number, the year, the two halves of four digits and the digits
one by one; nine languages have more, at least of halves and sums. Times are in
`align.speech.text.reading.clocks`, what English has in `align.speech.text.reading.english_ways`.
What stands beside a number, such as its unit, has others of its own, which come with its text: see
`align.speech.text.reading.others`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from align.errors import ParameterError
from align.speech.text.reading.clocks import other_times
from align.speech.text.reading.currencies import spell_signs
from align.speech.text.reading.english_ways import english_numbers, english_ways
from align.speech.text.reading.numerals import InLanguage, Number

_MOST = 12  # readings of one number, each of which is compared with the sound
_LONGEST = 7  # digits of a number that is read otherwise
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}([.,'\u2019])[0-9]{3}(?:\1[0-9]{3})*")
_PLAIN = re.compile(rf"[0-9]{{1,{_LONGEST}}}")
_WITH_COMMA = re.compile(r"([0-9]{1,4}),([0-9]{1,2})(\s?€)?")
_LETTERED = re.compile(r"(?P<first>[^\W\d_]+-?)?(?P<digits>[0-9]{2,7})(?P<last>[a-zA-Z]?(?<!s))")
_TIMES = re.compile("([0-9]{1,3})[xX×]")
_OFTEN = {"es": "veces", "it": "volte", "pt": "vezes", "nl": "keer", "sv": "gånger"}
_SHARED = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "sv"})
"""Languages that say per cent behind the number."""


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
    >>> [" ".join(way) for way in read_words("page 101").several[0].ways][:3]
    ['one hundred one', 'a hundred and one', 'a hundred one']
    """
    core = chunk.strip(".,;:?!()\"'\u201c\u201d\u201e\u2019")
    found: dict[str, None] = {}
    with suppress(ParameterError):  # of what num2words does not know there
        for way in _ways(core, language, numbers, before):
            found[" ".join(way.split())] = None
    return list(found)[:_MOST]


def _ways(core: str, language: str, numbers: InLanguage, before: str) -> Iterator[str]:
    """Yield how a chunk without punctuation may be read."""
    number = numbers(language)
    if _THOUSANDS.fullmatch(core):
        yield from whole_ways(re.sub("[^0-9]", "", core), language, numbers, apart=False)
    elif _PLAIN.fullmatch(core):
        yield from whole_ways(core, language, numbers)
    elif core.endswith("%") and language in _SHARED:
        yield from _shares(core[:-1], language, numbers)
    elif language == "en":
        yield from other_times(core, language, number)
        yield from english_ways(core, before, numbers)
    elif match := _WITH_COMMA.fullmatch(core):
        yield from _with_comma(match, language, number)
    else:
        yield from other_times(core, language, number)
    if language in _OFTEN and (times := _TIMES.fullmatch(core)):
        yield f"{number(times[1], 'cardinal')} {_OFTEN[language]}"
    match = _LETTERED.fullmatch(core)
    if match and (match["first"] or match["last"]) and (language == "en" or not match["last"]):
        first = (match["first"] or "").rstrip("-")  # A380, 1080p
        for way in whole_ways(match["digits"], language, numbers):
            yield f"{first} {way} {match['last']}"


def _shares(digits: str, language: str, numbers: InLanguage) -> Iterator[str]:
    """Yield how a number of hundredths may be read."""
    percent = spell_signs("1%", language).strip("1 ")
    for way in _ways(digits, language, numbers, ""):
        yield f"{way} {percent}"
    if language == "en" and digits == "0.5":
        yield "half a percent"
        yield "half of one percent"
    if language == "es" and digits == "100":
        yield "cien por cien"
        yield "ciento por ciento"


_AND = re.compile(
    r"\band |^(?:one|an?) (?=hundred|thousand|million)|(?<=hundert)und|^ein(?=hundert|tausend)"
    r"|(?<=honderd)en"
)


def are_alike(usual: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two readings differ by an *and* or the *one* of a hundred alone.

    Then none of the two is more usual than the other.

    Examples
    --------
    >>> are_alike(["one", "hundred", "and", "ten"], ["a", "hundred", "ten"])
    True
    >>> are_alike(["one", "hundred", "and", "ten"], ["one", "ten"])
    False
    """
    first, second = (_AND.sub("", " ".join(said)) for said in (usual, other))
    return first == second


def whole_ways(
    digits: str, language: str, numbers: InLanguage, *, apart: bool = True
) -> Iterator[str]:
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


_HALF = {
    **{"de": ("{n}einhalb",), "fr": ("{n} et demi",), "es": ("{n} y medio", "{n} y media")},
    **{"it": ("{n} e mezzo", "{n} e mezza"), "pt": ("{n} e meio", "{n} e meia")},
    **{"nl": ("{n} en een half", "{n} en een halve"), "sv": ("{n} och en halv",)},
}
_ONE_AND_HALF = {"de": ("eineinhalb", "anderthalb"), "nl": ("anderhalf", "anderhalve")}
_ONLY_HALF = {
    "de": ("ein halb", "eine halbe", "ein halber", "ein halbes", "einen halben"),
    "fr": ("un demi", "une demi", "une demie"), "es": ("medio", "media"),
    "it": ("mezzo", "mezza"), "pt": ("meio", "meia"), "nl": ("een half", "een halve"),
    "sv": ("en halv", "ett halvt"),
}  # fmt: skip
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
    elif not euros and part == "5" and not int(whole):
        ways = _ONLY_HALF.get(language, ())
    elif not euros and part == "5":
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
    "en": english_numbers,
    "de": _german,
    "fr": _french,
    "nl": _dutch,
    **dict.fromkeys(("no", "nb"), _norwegian),
}
