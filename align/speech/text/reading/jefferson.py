r"""Transcripts of conversation analysis: Jefferson's notation, and GAT 2 of German linguists.

Their marks say how something was said, not what, and two of them mean the contrary of what they
mean elsewhere: square brackets are around words that overlap another speaker's, and angle brackets
around words that are said fast, slowly or ``<<laughing> so>``. Remarks are in double round ones.
So a text counts as such only if it has marks of two kinds that others have not, such as ``(.)``
and ``wa:s``.

References
----------
Jefferson, "Glossary of transcript symbols with an introduction", in Lerner (ed.), Conversation
Analysis, 2004. Selting et al., "Gesprächsanalytisches Transkriptionssystem 2 (GAT 2)",
Gesprächsforschung 10, 2009.
"""

import re

from align.speech.text.reading.remarks import REMARK

_PAUSE = re.compile(r"\((?:\.|-{1,3}|[0-9]*\.[0-9]+)\)")
_BREATH = re.compile(r"(?<!\S)(?:[.\u00b0\u02da\u00b7]+h+|h+[\u00b0\u02da])(?=[\s\]]|$)")
_LETTER = r"[^\W\d_]"
_DRAWN = re.compile(rf"(?<={_LETTER}):+(?={_LETTER})|(?<={_LETTER})::+")
_ARROW = re.compile("[\u2191\u2193\u21d1\u21d3\u2197\u2198]")
_SOFT = re.compile(rf"(?<!\S)[\u00b0\u02da]+(?={_LETTER}{{2}})")
_LATCHED = re.compile(rf"(?<!\S)=(?={_LETTER})|(?<=[^\W\d_.,?])=(?!\S)")
_MANNER = re.compile(r"<<[^<>\n]{1,40}>")
_FAST = re.compile(rf"(?<!\S)>(?={_LETTER})[^<>\n]{{1,200}}<(?![^\s.,?;])")
_OPEN = re.compile(r"\[(?=[^\[\]\n]*(?:\n|$))", re.MULTILINE)
_KINDS = (_PAUSE, _BREATH, _DRAWN, _ARROW, _SOFT, _LATCHED, _MANNER, _FAST, _OPEN)
_FEWEST_KINDS = 2

_BRACKETED = re.compile(r"\(\([^()\n]{0,200}\)\)|\[[^\W\d]{1,20}\]")
_NOTHING_HEARD = re.compile(r"\(\s*\)")
_EITHER = re.compile(r"\(([^()/\n]{1,80})/[^()\n]{1,80}\)")
_LAUGHED = re.compile(r"\(h+\)")
_ALL_DRAWN = re.compile(rf"(?<={_LETTER}):+")
_SIGNS = re.compile(
    rf"[\[\]<>\u00b0\u02da\u02c8\u02cc\u02d0{_ARROW.pattern[1:-1]}]|[$\u00a3@#*^~_!](?={_LETTER})"
    rf"|(?<={_LETTER})[$\u00a3@#*^~_]"
)
_STRESSED = re.compile(
    r"\b(?=\w*?[a-z\u00df-\u00ff][A-Z\u00c0-\u00de]|[A-Z\u00c0-\u00de]{2,}[a-z])\w+"
)


def is_notation(text: str) -> bool:
    """Whether a text has marks of conversation analysis, of two kinds.

    Examples
    --------
    >>> is_notation("so (.) he wa:s [late"), is_notation("so [laughter] (.) he was late")
    (True, False)
    """
    return sum(kind.search(text) is not None for kind in _KINDS) >= _FEWEST_KINDS


def said_in_notation(text: str) -> str:
    """Return what was said in a text of this notation, with marks that other texts have, too.

    Pauses are nothing, and a remark in square brackets stays.

    Examples
    --------
    >>> said_in_notation("°so° [he wa:s] (.) >ve(h)ry< la:te ((sighs)) =and [laughs] NEver (h)")
    'so he was very late ((sighs)) and [laughs] Never'
    >>> said_in_notation("°h <<laughing> ja (genau/immer)> akZENT (   ) (0.5)")
    '[breath] ja genau akzent xxx'
    """
    kept: list[str] = []

    def put_aside(match: "re.Match[str]") -> str:
        if match[0].startswith("[") and not REMARK.fullmatch(match[0][1:-1]):
            return match[0]
        kept.append(match[0])
        return f" \0{len(kept) - 1}\0 "

    text = _BRACKETED.sub(put_aside, text.replace("\0", " "))
    text = _PAUSE.sub(" ", _NOTHING_HEARD.sub(" xxx ", _BREATH.sub(" \1 ", text)))
    text = _EITHER.sub(r"\1", _LAUGHED.sub("", _MANNER.sub(" ", text)))
    text = _SIGNS.sub("", _ALL_DRAWN.sub("", text.replace("=", " ")))
    text = _STRESSED.sub(lambda m: m[0][0] + m[0][1:].lower(), text)
    text = re.sub("\0([0-9]+)\0", lambda m: kept[int(m[1])], text.replace("\1", "[breath]"))
    return " ".join(text.split())
