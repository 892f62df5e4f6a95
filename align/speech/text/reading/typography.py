"""What word processors, subtitles and hurried fingers leave in a text."""

import html
import re
import unicodedata
from itertools import pairwise

_OWN = r"(?:\s[^<>\n]{0,100}=[^<>\n]{0,200})?\s?/?>"
"""The end of a tag; `<i think>` is none."""

_TAG = re.compile(rf"</?(?:i|b|u|em|strong|font|sub|sup|span){_OWN}", re.IGNORECASE)
_BLOCK = re.compile(
    rf"</?(?:p|div|br|hr|h[1-6]|ul|ol|li|a|img|table|tr|td|th|body|html){_OWN}"
    r"|</[a-z][a-z0-9]{0,19}>|<!--(?:(?!-->)[^<]){0,500}-->",
    re.IGNORECASE,
)
"""Of a page or a book: other tags than those within words, and remarks."""

_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\((?:https?://|www\.|mailto:|[/#.])[^\s()]{0,300}\)")
_EMPHASIS = re.compile(
    r"(?<![^\s(\['\u201c>])(\*{1,3}|_{1,3})(?=[^\s*_])([^*_\n]{1,300})(?<=\S)\1(?![\w*])"
)
"""Of Markdown: ``[kiwi](https://kiwi.example)``, and ``**kiwi**'s``."""

_ENTITY = re.compile(
    r"&(?:amp;)?(#[0-9]{1,6};?|#x[0-9a-f]{1,5};|[a-z][a-z0-9]{1,8};)", re.IGNORECASE
)
_FOOTNOTES = re.compile(r"(?<=[^\s\[])(?:\[[0-9]{1,3}\])+")  # of encyclopaedias: the word.[1][2]
_RAISED = re.compile(  # of footnotes: the word.¹
    r"(?:(?<=[^\W\d_]{3})|(?<=[.,;:!?]))[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+(?!\w)"
)
_NOTED = re.compile(
    r"(?P<word>[^\W\d_]{4,40}(?<=[a-z\u00df-\u00ff]{2}))(?P<stop>[.,;:!?]?[\"'\u201d\u2019)]?)"
    r"(?P<note>[1-9][0-9]{0,2})(?=[.,;:]?(?:\s|$))"
)
_TWICE = re.compile(r"(?<=[a-z])[\u00c2\u00c3]\S|[\u00c2\u00c3]\S[a-z]|\u00e2\u20ac")  # é as Ã©
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])[\u2018\u2019\u02bc\u2032\u00b4`\uff07](?=[^\W\d_])")
_JOINER = re.compile(r"(?<=[A-Za-z\u00c0-\u024f])[\u200c\u200d]+(?=[A-Za-z\u00c0-\u024f])")
_INVISIBLE = dict.fromkeys(
    [
        *(0xAD, *range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF),
        *(*range(0xFE00, 0xFE10), 0x20E3),
    ]
)
"""Soft hyphens, marks of direction, and what makes a sign an emoji. Joiners stay but between Latin
letters: in Persian and Hindi they part letters."""

_PLAIN = {0x200B: " ", 0x1361: " ", 0x2010: "-", 0x2011: "-", 0x2C8: "", 0x2CC: "", 0x2D0: ""}
"""Spaces of Thai and Khmer without a width, and of Ge'ez; other hyphens; stress and length."""
_QUOTES = '"\u201c-\u201f\u00ab\u00bb'
_GLUED = re.compile(rf"(?<=[^\W\d_])(?:[.:]?[,;!?{_QUOTES}()]++)(?=[^\W\d_])")
_ENDING = re.compile(r"(?<=[^\W\d_])\(([^\W\d_]{1,6})\)")
_STOP = re.compile(r"(?<=[^\W\d_A-Z]{2})\.(?=[A-Z\u00c0-\u00de][^\W\d_A-Z])")


def plain_letters(text: str) -> str:
    r"""Return a text in NFC with plain apostrophes, without what is only seen.

    Those are tags, marks of Markdown around words, numbers of footnotes, ligatures and invisible
    signs.

    Examples
    --------
    >>> plain_letters("<i>it´s</i> ﬁne,[1] H₂O&nbsp;and<br>some\u00adthing¹ of 2 km²")
    "it's fine, H2O\xa0and something of 2 km²"
    >>> plain_letters("<p>the [kiwi](https://kiwi.example) of **Ann**'s</p>").strip()
    "the kiwi of Ann's"
    """
    text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _FOOTNOTES.sub("", text)))
    text = _without_notes(text)
    text = _RAISED.sub("", _BLOCK.sub(" ", _TAG.sub("", text)))
    text = unicodedata.normalize("NFC", _ENTITY.sub(lambda m: html.unescape(f"&{m[1]}"), text))
    text = _JOINER.sub("", text.translate(_INVISIBLE).translate(_PLAIN))
    text = "".join(unicodedata.normalize("NFKC", c) if _is_variant(c) else c for c in text)
    return _APOSTROPHE.sub("'", text).replace("\u2019", "'").replace("\u02bc", "'")


def _without_notes(text: str) -> str:
    """Return a text without numbers of footnotes that lost their height: word.1 Others2.

    At least two behind a full stop or a comma, or three, each by one more than the last, at words
    that differ: else it may be the name of something, file1.
    """
    found = list(_NOTED.finditer(text))
    in_order = all(int(b["note"]) == int(a["note"]) + 1 for a, b in pairwise(found))
    several = len({match["word"].lower() for match in found}) == len(found) > 1
    if not (in_order and several and (len(found) > 2 or all(match["stop"] for match in found))):
        return text
    return _NOTED.sub(r"\g<word>\g<stop>", text)


def _is_variant(char: str) -> bool:
    """Whether a sign is a ligature of letters, a full-width one, or a raised or lowered digit."""
    way = unicodedata.decomposition(char).partition(">")[0]
    return way in ("<wide", "<narrow", "<sub") or "\ufb00" <= char <= "\ufb06"


def garbled_word(text: str) -> tuple[str, str] | None:
    """Return a word whose UTF-8 was read as Windows-1252 and saved so, and what it was.

    Examples
    --------
    >>> garbled_word("die GrÃ¶ÃŸe"), garbled_word("Itâ€™s"), garbled_word("« été », AMANHÃ”")
    (('GrÃ¶ÃŸe', 'Größe'), ('Itâ€™s', 'It’s'), None)
    """
    for word in text.split(" ") if _TWICE.search(text) else ():
        if _TWICE.search(word):
            try:
                return word, word.encode("cp1252").decode("utf-8")
            except UnicodeError:
                continue
    return None


def apart(piece: str) -> str:
    """Return a piece of text with a space where somebody forgot it, after a comma or a full stop.

    An ending in brackets, ``word(s)``, is a part of its word.

    Examples
    --------
    >>> apart('well,yes'), apart("ended.Then"), apart("example.com")
    ('well yes', 'ended Then', 'example.com')
    """
    return _STOP.sub(" ", _GLUED.sub(" ", _ENDING.sub(r"\1", piece)))
