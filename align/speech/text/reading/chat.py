"""The main lines of CHAT, the format of child language corpora: what of it was said.

Codes in square brackets are no words, and neither are linkers and terminators (``+...``, ``+<``),
omitted words (``0is``) and special forms (``@c``); what stands in angle brackets was said, and
``[x 3]`` says that it was said three times. A word in front of ``[: word]`` is what was said.

References
----------
MacWhinney, "The CHILDES Project: Tools for analyzing talk", part 1, the CHAT format, chapters 7
to 9.
"""

import re

_TIMES = re.compile(
    r"(<[^<>]{1,200}>|(?<![^\s<>\[\]])[^\s<>\[\]]++)"
    r"((?:\s?\[[^\[\]]{0,100}\]){0,3}?)\s?\[x ([0-9]{1,2})\]"
)
_CODE = re.compile(r"\[[^\[\]]*\]")  # of several open brackets the last one is tried
_LINKER = re.compile(r"(?<!\S)\+(?:[^\w\s]+|(?=\s|$))")
_OTHERS = re.compile(r"(?<!\S)(?:0\S*|&\*\S*|&[{}]\S*|#\S*)")
_PAUSE = re.compile(r"\([0-9]+:[0-9.]+\)")
_FORM = re.compile(r"(?<=\w)@[a-z]+(?:[:$][\w:$&+]*)?")
_SHORTENED = re.compile(
    r"(?<!\S)\(([^\W\d_]+)\)(?=[^\W\d_])|(?<=[^\W\d_])\(([^\W\d_]+)\)(?=[^\W\d_])"
)
_DRAWN = re.compile(
    r"(?<=[^\W\d_]):+(?=[^\W\d_]|\s|$)"
    r"|[\u02d0\u02c8\u02cc^\u2191\u2193\u2308-\u230b\u00b0]"
)
_UNTRANSCRIBED = re.compile(r"(?<!\S)www(?!\S)")
_NONWORD = re.compile(r"(?<!\S)&~(?=\w)")


def said_in_chat(line: str) -> str:
    """Return what was said in a main line, with the marks that other transcripts have, too.

    Sounds (``&=laughs``), fillers (``&-um``), cut-off words (``&+fr``), ``xxx`` and pauses stay.

    Examples
    --------
    >>> said_in_chat("<the dog> [/] the dog@c go(ed) home [: house] [*] +...")
    'the dog the dog go(ed) home'
    >>> said_in_chat("no [x 3] (be)cause &=laughs &-um ba:by ice+cream .")
    'no no no because &=laughs &-um baby ice-cream .'
    """
    line = _TIMES.sub(lambda m: " ".join([m[1]] * min(int(m[3]), 20)), line)
    line = _CODE.sub(" ", line)
    line = re.sub("[<>\u2039\u203a]", " ", line)
    line = _LINKER.sub(" ", line)
    line = _PAUSE.sub(" ", _OTHERS.sub(" ", line))
    line = _FORM.sub("", line)
    line = _SHORTENED.sub(r"\1\2", line)
    line = _DRAWN.sub("", line)
    line = _NONWORD.sub("&+", _UNTRANSCRIBED.sub("xxx", line))
    line = re.sub(r"(?<=\w)[+_](?=\w)", lambda m: "-" if m[0] == "+" else " ", line)
    return " ".join(line.split())
