"""From running text to the words that were said: numbers spelled out, punctuation off.

The numbers are those of the library num2words, in any of its languages. Of the signs beside
numbers (currencies, per cent, times, ordinals, years) English is known in full, German, French,
Spanish, Italian and Portuguese as `align.speech.text.reading.signs` says, units of measure of
these and four more as `align.speech.text.reading.units` does, ordinals and years of eight more as
`align.speech.text.reading.ranks` does; other languages have numbers, decimals, per cent and sums
of money. Chinese has a module of its own. Numbers of languages that num2words does not know are
left to espeak-ng.

References
----------
Sproat et al., "Normalization of non-standard words", Computer Speech and Language 15, 2001.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from align.errors import ParameterError
from align.speech.text.reading.addresses import spell_addresses
from align.speech.text.reading.agreement import AGREEING, spell_counted
from align.speech.text.reading.around import spell_around
from align.speech.text.reading.chinese import CHINESE, chinese_number, spell_chinese
from align.speech.text.reading.currencies import spell_signs
from align.speech.text.reading.dates import IN_DATES, spell_dates
from align.speech.text.reading.english import prepare_english, spell_english
from align.speech.text.reading.numerals import (
    Number,
    plain_digits,
    spell_ranges,
    spell_roman,
    spell_versions,
)
from align.speech.text.reading.others import SIGNS, without_others
from align.speech.text.reading.otherwise import other_readings
from align.speech.text.reading.ranks import spell_ranks
from align.speech.text.reading.ratios import spell_ratios
from align.speech.text.reading.remarks import REMARKED
from align.speech.text.reading.signs import SIGNS_OF
from align.speech.text.reading.telephones import spell_telephones
from align.speech.text.reading.typography import apart, plain_letters
from align.speech.text.reading.units import spell_units, spell_units_of_fractions
from align.speech.text.reading.unspaced import is_pinyin, word_cutter

_SPACES = re.compile(r"--+|[\u2012-\u2015\u2026\u2212_/\\|~*\u00b7\u2022\u00a0]|\.{3,}")
_SPANS = r"\[[^\]\n]{0,200}\]|<[^>\n]{0,200}>|\{[^}\n]{0,200}\}"
_CHUNK = re.compile(rf"{REMARKED.pattern}|{_SPANS}|\S+", re.IGNORECASE)
_UNKNOWN = re.compile(  # no * that begins an item of a list
    r"(?<!\S)(?!^\*[ \t]+[^\s*])(?:\*+|xxx|yyy|XXX|YYY)(?=[.,;:?!]*(?:\s|$))", re.MULTILINE
)
"""Words that nobody understood, as CHAT and others write them."""

_LATCHED = re.compile(r"(?<!\S)=(?=[^\W\d_])|(?<=[^\s\d=])=(?!\S)")
_DRAWN_OUT = re.compile(r"(?<=[^\W\d_]):{2,}")
_BREATH = re.compile(r"(?<!\S)[.\u00b0]*h{2,}\.?(?!\S)")
"""Of conversation analysis: turns that follow at once, ``so::``, and ``.hh``, a breath."""

_CHAT_PAUSE = re.compile(
    r"\((?:\.+|[0-9]+\.[0-9]*|(?:ca\. ?)?[0-9]{1,3}(?:[.,][0-9])?\s?"
    r"(?:s|secs?|seconds?|sek|sekunden?)\.?(?: pause)?)\)",
    re.IGNORECASE,
)
_CHAT_EVENT = re.compile(r"(?<!\S)&=(\S+)")
_CHAT_FILLER = re.compile(r"(?<!\S)(?:&-(?=[^\W\d_])|%(?=[aeiouhmr]+\b))", re.IGNORECASE)
_CHAT_FRAGMENT = re.compile(r"(?<!\S)&\+?([^\W\d_]+)(?!\S)")
_NO_SIGN = re.compile(r"(?<!\S)(?:\+[^\w\s]+|={2,})(?!\S)|(?<![0-9])\u00b0")
"""Marks of CHAT such as ``+/.``, lines under headings, and a ring that means no degrees."""

_STUTTER = re.compile(r"(?<![\w-])((?:[^\W\d_]{1,3}-){1,9})([^\W\d_]{2,})(?![\w-])")
_PLACEHOLDER = "[***]"
# the limit: else each of a hundred thousand open brackets would look for its end to the last word
_SIGNS = {
    "en": {
        "½": "a half",
        "¼": "a quarter",
        "¾": "three quarters",
        "&": "and",
        "+": "plus",
        "=": "equals",
        "@": "at",
        "°": "degrees",
        "±": "plus or minus",
    },
    "nl": {"&": "en", "+": "plus", "=": "is", "°": "graden", "½": "een half", "±": "plus min"},
    "sv": {"&": "och", "+": "plus", "=": "är lika med", "°": "grader", "±": "plus minus"},
    **{language: signs.words for language, signs in SIGNS_OF.items()},
}
_AND_A_HALF = {
    "en": "and a half",
    "fr": "et demi",
    "es": "y medio",
    "it": "e mezzo",
    "pt": "e meio",
    "nl": "en een half",
}
"""The sign ½ behind a number: 2½."""

_MIXED = re.compile(r"(?<=[0-9])\s1/2(?![\w/]|[.,][0-9])")

_POINT = frozenset({"en", "he", "ja", "ko", "th", "ar", "fa"}) | CHINESE
"""Languages that write 1,000.5; the others here write 1.000,5."""

_BEFORE_SIGN = re.compile(r"(?<=[0-9])\s+(?=[%°]|[€$£](?!\w))|(?<=[€£])\s+(?=[0-9])")
_DIVIDED = re.compile(
    r"(?<![^\W_])([^\W\d_]{2,})[-\u2010][ \t]*\r?\n[ \t]*([^\W\d_]{2,})(?![^\W_])"
)
_ESPEAK_COUNTS = frozenset(
    "af an as bg bs el et ga gu hi hr hy ka ku mk ml mr ms om pa si sq sw ta tn ur".split()
)
"""Languages that num2words does not know, whose numbers espeak-ng reads with all their signs."""

_COMMA = {
    **{"it": "virgola", "fr": "virgule", "es": "coma", "pt": "vírgula"},
    # num2words has no word for some decimals of these, or none for the comma
    **{"tr": "virgül", "ar": "فاصلة", "cy": "pwynt"},
}
_BY_DIGITS = frozenset({"en", "de", "nl", "sv", "da", "no", "fi"})
"""How decimals are read: as a number behind a word, or digit by digit."""

_GAS = re.compile(r"(?<![\w-])(?:CO|NO|SO)(?=[2-4\u2082-\u2084](?!\w))")
"""CO2, which is no word: its letters are named."""

_CODES = {"EUR": "€", "USD": "$", "GBP": "£"}
_CODE = re.compile(r"(?<=[0-9])\s?(EUR|USD|GBP)\b|\b(EUR|USD|GBP)\s?(?=[0-9])")
_LONGEST_NUMBER = 15  # digits; longer ones are read one by one


class Several(NamedTuple):
    """Words that stand for a number which may be read in other ways.

    The words are those from `start` up to `stop`, which is not among them; `ways` are the others.
    """

    start: int
    stop: int
    ways: tuple[tuple[str, ...], ...]


class Reading(NamedTuple):
    """The words of a text in their usual reading, and those that may be others."""

    words: tuple[str, ...]
    several: tuple[Several, ...]


def split_words(
    text: str,
    *,
    language: str = "en",
    known: Callable[[str], bool] | None = None,
    tokens: Collection[str] = (),
) -> tuple[str, ...]:
    r"""Return the words of a text as they are said.

    Parameters
    ----------
    text : str
        As it is written.
    language : str
        Code of its language, such as ``en`` or ``de``, for its numbers.
    known : callable, optional
        Whether a word is in the dictionary: decides whether an apostrophe, a full stop or a pair
        of brackets belongs to a word (``'cause``, ``Mr.``, ``<noise>``), and whether a compound
        with a hyphen is one word or several.
    tokens : collection of str
        What is spoken noise besides, for `spoken_noise`; without spaces.

    Returns
    -------
    tuple of str
        In the spelling of the text, without punctuation. Text in square, angle or curly brackets
        stays one word with its brackets, words that nobody understood are ``***``, and a word
        that was cut off keeps its hyphen.

    Raises
    ------
    ParameterError
        If the text has numbers and num2words is not installed, or it does not know the language.

    Examples
    --------
    >>> split_words('"Yes," she said: don\u2019t -- stop...')
    ('Yes', 'she', 'said', "don't", 'stop')
    >>> split_words("wh- what [laughter] did &-um xxx say (inaudible)?")
    ('wh-', 'what', '[laughter]', 'did', 'um', '***', 'say', '(inaudible)')
    >>> split_words("It wa:s so: late.", known={"was"}.__contains__)
    ('It', 'was', 'so', 'late')
    >>> split_words("* An item\n* of * a list")
    ('An', 'item', 'of', '***', 'a', 'list')
    """
    return read_words(text, language=language, known=known, tokens=tokens).words


def read_words(
    text: str,
    *,
    language: str = "en",
    known: Callable[[str], bool] | None = None,
    tokens: Collection[str] = (),
) -> Reading:
    """Return the words of a text as `split_words`, and which of them may be read otherwise.

    Examples
    --------
    >>> reading = read_words("in 1905")
    >>> reading.words, reading.several[0][:2]
    (('in', 'nineteen', 'oh', 'five'), (1, 4))
    >>> ("nineteen", "hundred", "and", "five") in reading.several[0].ways
    True
    """
    known = known or (lambda word: False)
    text = plain_letters(text)
    cut = word_cutter(text, language) or (lambda part: [part])
    text = text.translate(dict.fromkeys((0, 1, *SIGNS), " "))  # which stand for others below
    own = tuple(tokens)
    for n, token in enumerate(own):  # before signs in them are taken for others
        text = re.sub(rf"(?<!\S){re.escape(token)}(?=[.,;:?!]*(?:\s|$))", f"\1{n}\1", text)
    code = language.split("-")[0].lower()
    parts = re.split(f"({_SPANS})", _whole_lines(text, known))
    parts[::2] = [_prepared(part, code, known) for part in parts[::2]]  # the others stay
    text = _without_stutter(_without_conventions("".join(parts)), known)

    def words_of(spoken: str) -> list[str]:
        found: list[str] = []
        for part in chain.from_iterable(map(cut, apart(spoken).split())):
            word = _clitic(part, code) or _bare(part, known)
            pieces = [piece for piece in re.split("[-\u2010]", word) if piece]
            whole = known(word) or len(pieces) < 2 or not all(map(known, pieces))
            found += [word] if whole and word else pieces
        return found

    words: list[str] = []
    several: list[Several] = []

    def add(start: int, others: Iterable[str]) -> None:
        """Add other readings of the words from `start` on."""
        usual = tuple(words[start:])
        ways = dict.fromkeys(tuple(words_of(way)) for way in others)
        ways.pop(usual, None)
        if ways and usual:
            while several and several[-1].stop > start:
                several.pop()
            several.append(Several(start, len(words), tuple(ways)))

    def read(chunk: str) -> None:
        if chunk.startswith("\1"):
            words.append(own[int(chunk.split("\1")[1])])
            return
        if known(chunk) or spoken_noise(chunk):
            words.append("***" if chunk == _PLACEHOLDER else chunk)
            return
        if (beginning := _cut_off(chunk)) is not None:
            words.append(beginning)
            return
        spoken = chunk if is_pinyin(chunk, language) else _spell_out(chunk, code)
        before, start = words[-1] if words else "", len(words)
        words.extend(words_of(spoken))
        if spoken != chunk and code not in CHINESE:  # it has a number, or a sign
            add(start, filter(words_of, other_readings(chunk, code, _in, before)))

    for marked in _CHUNK.findall(text):
        chunk, prepared = without_others(marked)
        read(chunk)
        for said, *others in prepared:
            usual = words_of(said)
            if usual and words[-len(usual) :] == usual:  # nothing has changed them since
                add(len(words) - len(usual), others)
    return Reading(tuple(words), tuple(several))


def _prepared(text: str, code: str, known: Callable[[str], bool]) -> str:
    """Return a text whose abbreviations and what stands beside numbers are words."""
    if code in CHINESE:
        return spell_chinese(text)
    text = _GAS.sub(lambda m: " ".join(m[0]) + " ", spell_addresses(text, code))
    text = spell_units_of_fractions(_CODE.sub(lambda m: _CODES[m[1] or m[2]], text), code)
    if code in _AND_A_HALF and code in SIGNS_OF:
        text = _MIXED.sub("½", text)
    if code not in _ESPEAK_COUNTS:
        text = spell_dates(plain_digits(text, code), code)
        text = spell_ranges(spell_telephones(text, code, _in(code)), code)
        text = spell_versions(text, code, _in(code))
        text = spell_roman(spell_ratios(text, code, _in(code)), code, _in(code))
    if code in SIGNS_OF:
        text = SIGNS_OF[code].prepare(text, known, _in(code))
    elif code == "en":
        text = prepare_english(text, _in(code))
    text = spell_units(_BEFORE_SIGN.sub("", text), code)
    text = spell_ranks(spell_around(text, code, _in(code)), code, known, _in(code))
    return spell_counted(text, code, _in(code)) if code in AGREEING else text


def _whole_lines(text: str, known: Callable[[str], bool]) -> str:
    """Return a text whose words that are divided at the ends of lines are whole."""

    def whole(match: re.Match[str]) -> str:
        first, second = match[1], match[2]
        if known(first + second):
            return first + second
        if known(first) and known(second):
            return f"{first}-{second}"
        lost = second[0].islower() and not (known(first) or known(second))
        return first + second if lost else match[0]

    return _DIVIDED.sub(whole, text)


def bracketed(word: str) -> bool:
    """Whether a word stands in square, angle or curly brackets, such as ``[laughter]``."""
    return len(word) > 2 and word[0] + word[-1] in ("[]", "<>", "{}")


def spoken_noise(word: str, tokens: Collection[str] = ()) -> bool:
    """Whether a word stands for any stretch of sound: laughter, a cough, unknown words.

    Text in square, angle or curly brackets, remarks in round ones, asterisks and `tokens`.

    Examples
    --------
    >>> spoken_noise("[laughter]"), spoken_noise("(inaudible)"), spoken_noise("***")
    (True, True, True)
    >>> spoken_noise("(he)"), spoken_noise("%bell", {"%bell"})
    (False, True)
    """
    asterisks = bool(word) and not word.strip("*")
    return asterisks or bracketed(word) or word in tokens or bool(REMARKED.fullmatch(word))


def _without_conventions(text: str) -> str:
    """Return a text whose marks of CHAT and the LDC are words, noise or nothing."""
    text = _NO_SIGN.sub(" ", text)
    text = _BREATH.sub("[breath]", _DRAWN_OUT.sub("", _LATCHED.sub(" ", text)))
    text = _CHAT_PAUSE.sub(" ", text)
    text = _CHAT_EVENT.sub(r"[\1]", text)
    text = _CHAT_FILLER.sub("", text)
    text = _CHAT_FRAGMENT.sub(r"\1-", text)
    text = _UNKNOWN.sub("\0", text)  # the asterisks below are no words
    return _SPACES.sub(" ", text).replace("\0", _PLACEHOLDER)


def _without_stutter(text: str, known: Callable[[str], bool]) -> str:
    """Return a text in which ``wh-what`` is a word that was cut off, and one that was not.

    Its beginnings are no words, or single consonants.
    """

    def apart(match: re.Match[str]) -> str:
        *begun, word = match[0].split("-")
        stutters = not known(match[0]) and all(
            word.casefold().startswith(one.casefold()) != (word.casefold() == one.casefold())
            and (one.casefold() not in "aeiou" if len(one) == 1 else not known(one))
            for one in begun
        )
        return "- ".join((*begun, word)) if stutters else match[0]

    return _STUTTER.sub(apart, text)


def _cut_off(chunk: str) -> str | None:
    """Return a word that was cut off, ``wh-``; None for any other chunk."""
    word = chunk.strip(".,;:?!\"'")
    letters = word[:-1].replace("'", "")
    return word if word[-1:] in ("-", "\u2010") and letters.isalpha() else None


def _bare(part: str, known: Callable[[str], bool]) -> str:
    """Return a word without its punctuation; empty where there is nothing else."""
    number = "%€$£" if any(map(str.isdigit, part)) else ""  # which espeak-ng reads, see above
    quoted = _strip(part, f"'{number}")
    core = _strip(part, number)
    if not core:
        return ""
    for choice in (quoted, core, f"{core}."):
        if known(choice) and (choice != f"{core}." or f"{core}." in part):
            return choice
    plain = core.replace(":", "")  # of conversation analysis: wa:s, of which espeak-ng says two
    if plain != core and known(plain):
        return plain
    tail = quoted.endswith("s'") and not quoted.startswith("'")  # the dogs' tails
    return quoted if tail else core


def _clitic(part: str, code: str) -> str | None:
    """Return the article of Dutch or Afrikaans that is one letter behind an apostrophe, or None.

    espeak-ng would name the letter alone.
    """
    word = part.rstrip(".,;:?!").lower()
    return part[:2] if code in ("nl", "af") and word in ("'t", "'n") else None


def _strip(text: str, keep: str) -> str:
    said = [k for k, c in enumerate(text) if c in keep or unicodedata.category(c)[0] in "LMN"]
    return text[said[0] : said[-1] + 1] if said else ""


# Numbers ----------------------------------------------------------------------------------------


def _spell_out(chunk: str, language: str) -> str:
    """Return a chunk without spaces with its numbers and signs spelled out."""
    if language in _AND_A_HALF:
        chunk = re.sub("(?<=[0-9])½", f" {_AND_A_HALF[language]} ", chunk)
    for sign, word in _SIGNS.get(language, {}).items():
        chunk = chunk.replace(sign, f" {word} ")
    money = SIGNS_OF[language].money if language in SIGNS_OF else {}
    if (sign := chunk.strip(".,;:!?")) in money:  # 5 Mio. €
        return money[sign][1]
    if language in _ESPEAK_COUNTS or not any(c.isdigit() for c in chunk):
        return chunk
    chunk = spell_signs(chunk.replace(IN_DATES, " "), language)
    if language == "en":
        chunk = spell_english(chunk, _in("en"), years=True)
    if language in SIGNS_OF:
        chunk = SIGNS_OF[language].spell(chunk, _in(language))
    comma = bool(re.search(r"[0-9],[0-9]", chunk))
    if language in _POINT:
        chunk = re.sub(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))", "", chunk)
    else:
        chunk = re.sub(r"(?<=[0-9])\.(?=[0-9]{3}(?![0-9]))", "", chunk)
        chunk = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", chunk)
    if language == "en":
        chunk = spell_english(chunk, _in("en"), years=False)
    between = re.compile("(?<=[0-9])-(?=[0-9])")  # several are of a telephone or a date
    one = language == "en" and len(between.findall(chunk)) == 1
    chunk = between.sub(" to " if one else " ", chunk)
    chunk = re.sub(r"(?<=[0-9]):(?=[0-9])", " ", chunk)
    chunk = re.sub(
        r"(?<![\w.])-?[0-9]+(?:\.[0-9]+)?|[0-9]+", lambda m: _number(m[0], language), chunk
    )
    if language == "es" and comma:  # num2words has the point of Mexico
        chunk = chunk.replace(" punto ", " coma ")
    chunk = re.sub(r"\s+(?='s\b)", "", chunk)  # 747's
    return re.sub(r"(?<=[^\W\d_]')\s+", "", chunk)  # l'8


def _in(language: str) -> Number:
    return lambda digits, to: _number(digits, language, to)


def _number(digits: str, language: str, to: str = "cardinal") -> str:
    """Return a number in words, with spaces around it."""
    from decimal import Decimal

    if language in CHINESE:
        return chinese_number(digits)
    whole, _, part = digits.partition(".")
    try:
        if whole.startswith("-0"):  # num2words drops the sign
            minus, one = (_num2words(n, language, "cardinal") for n in (-1, 1))
            return f" {minus.removesuffix(one).strip()} {_number(digits[1:], language)}"
        if len(whole) > _LONGEST_NUMBER or (len(whole) > 1 and whole[0] == "0"):
            # 09.30 may be a time or a date, so no point is said
            said = "".join(_number(d, language) for d in whole)
            return f"{said} {_number(part, language)}" if part else said
        if language in _COMMA and part:  # decimals are a number, of which num2words drops 0
            return f"{_number(whole, language)} {_COMMA[language]} {_number(part, language)}"
        if part and not part.strip("0"):  # of which num2words drops the point
            one = _number("1", language).strip()
            tenth = _number(f"{whole}.1", language).strip()
            if tenth.endswith(f" {one}"):
                return f" {tenth.removesuffix(one)}{_number(part, language)}"
        said = _num2words(Decimal(digits) if part else int(digits), language, to)
        if language == "es":  # which num2words has as veintiuno mil
            said = re.sub(r"\buno (?=mil)", "un ", said.replace("veintiuno mil", "veintiún mil"))
    except (NotImplementedError, AttributeError, LookupError, TypeError):  # of num2words
        raise ParameterError(
            f"language={language!r}: num2words does not know its numbers; write {digits!r} in "
            "words."
        ) from None
    if not said:
        raise ParameterError(
            f"language={language!r}: num2words has no words for {digits}; write it in words."
        )
    zeros = len(digits) - len(digits.rstrip("0")) if "." in digits else 0
    if language in _BY_DIGITS and zeros:  # 1.80
        said += f" {_num2words(0, language, 'cardinal')}" * zeros
    return f" {re.sub('[-,]', ' ', said)} "


@lru_cache(maxsize=1024)
def _num2words(value: Any, language: str, to: str) -> str:
    try:
        from num2words import num2words
    except ImportError:
        raise ParameterError(
            f"the number {value} cannot be read without the library num2words; install it (pip "
            'install "margin-align[text]") or write the number in words.'
        ) from None
    return str(num2words(value, lang=language, to=to))
