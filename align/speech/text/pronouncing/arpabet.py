"""ARPABET and IPA: two spellings of the phones of English, and how one becomes the other.

Dictionaries and models need not spell alike: CMUdict writes ``K IY1 W IY0``, espeak-ng
``k ˈiː w i``, a model of TIMIT's labels knows ``k iy w iy``. `spell` brings a pronunciation to the
labels that a model has: as it is, without case and stress, or through the table below in either
direction.

Where several IPA symbols are one phone of ARPABET, and where ARPABET has two phones for one
(``ɪɹ`` is ``ih r``), the table says so; the longest symbol goes first. Stress, length and ties are
dropped.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from align.errors import DataError
from align.formats.phone_map import read_phone_map

_OF_TIMIT_ONLY = frozenset("ax-h bcl dcl eng epi gcl h# hv kcl nx pau pcl tcl sil #h".split())
_TIE = "\u0361"  # of two letters in the table, which dictionaries do without

ARPABET_TO_IPA = {
    phone: ipa.replace(_TIE, "")
    for phone, ipa in read_phone_map("timit_ipa").items()
    if phone not in _OF_TIMIT_ONLY
}
"""IPA of each phone of ARPABET, in lower case, TIMIT's reduced vowels and syllabics included."""

_MORE_IPA = {
    # Spellings of the same phones, in other notations of English and in what espeak-ng writes.
    "a": "aa", "ɒ": "aa", "ɐ": "ah", "ᵻ": "ix", "ɜ": "er", "ɜɹ": "er", "əɹ": "axr", "e": "ey",
    "o": "ow", "əʊ": "ow", "g": "g", "r": "r", "ɻ": "r", "ɫ": "l", "ɬ": "l", "əl": "el",
    "ən": "en", "ʧ": "ch", "ʤ": "jh", "ɥ": "w", "ɦ": "hh", "ç": "hh", "x": "k", "ʍ": "w",
    "ɱ": "m", "ɲ": "n y", "y": "uw", "ø": "er", "œ": "er", "ɯ": "uw", "ɤ": "ah", "ɑʊ": "aw",
    "ɑɪ": "ay", "ʌɪ": "ay", "ɔə": "ao", "æʊ": "aw", "ɛə": "eh r", "ɪə": "iy ax", "ʊə": "uh ax",
    "iə": "iy ax", "aɪɚ": "ay axr", "aɪə": "ay ax", "ɛɪ": "ey", "ɑɹ": "aa r", "ʁ": "r", "ʀ": "r",
    "β": "v", "ɸ": "f", "ɣ": "g", "ʂ": "sh", "ʐ": "zh", "ɕ": "sh", "ʑ": "zh", "ʎ": "l y",
    "ɟ": "jh", "c": "k", "q": "k", "ɖ": "d", "ʈ": "t", "ɳ": "n", "ɭ": "l", "ɽ": "dx", "ɵ": "uh",
    "ɘ": "ih", "ɞ": "er", "ɨ": "ix", "ʏ": "uw", "ɶ": "aa",
}  # fmt: skip
_IPA_TO_ARPABET = {
    **{ipa: phone for phone, ipa in ARPABET_TO_IPA.items()},
    **_MORE_IPA,
}
_LONGEST = max(map(len, _IPA_TO_ARPABET))
_SYLLABIC = "\u0329"
_ALIKE = {"er": ("axr",), "axr": ("er",), "ax": ("ah",), "ix": ("ih",), "ux": ("uw",),
          "el": ("ax l", "ah l"), "en": ("ax n", "ah n"), "em": ("ax m", "ah m"),
          "dx": ("t",), "q": ("t",)}  # fmt: skip
"""What stands for a phone in a set that lacks it."""


def plain_phone(phone: str) -> str:
    """Return a phone of ARPABET in lower case, without its stress.

    Examples
    --------
    >>> plain_phone("AH0")
    'ah'
    """
    return phone.lower().rstrip("0123456789") or phone


def arpabet_to_ipa(phones: Iterable[str]) -> tuple[str, ...]:
    """Return the IPA of phones of ARPABET; what is none stays as it is.

    Examples
    --------
    >>> arpabet_to_ipa(["K", "IY1", "W", "IY0"])
    ('k', 'i', 'w', 'i')
    """
    return tuple(ARPABET_TO_IPA.get(plain_phone(phone), phone) for phone in phones)


@lru_cache(maxsize=4096)
def _symbols(text: str) -> tuple[str, ...] | None:
    """Split a text in IPA into phones of ARPABET; None where a symbol is unknown."""
    letters = "".join(
        c
        for c in unicodedata.normalize("NFD", text)
        if c == _SYLLABIC
        or not (unicodedata.combining(c) or unicodedata.category(c) in ("Lm", "Sk", "Po", "Zs"))
    )
    phones: list[str] = []
    at = 0
    while at < len(letters):
        for size in range(min(_LONGEST, len(letters) - at), 0, -1):
            piece = letters[at : at + size]
            if piece in _IPA_TO_ARPABET:
                phones += _IPA_TO_ARPABET[piece].split()
                at += size
                break
        else:
            if letters[at] != _SYLLABIC:
                return None
            at += 1
    return tuple(phones)


def ipa_to_arpabet(symbols: str | Iterable[str]) -> tuple[str, ...] | None:
    """Return the phones of ARPABET that IPA stands for.

    Parameters
    ----------
    symbols : str or iterable of str
        A text in IPA, which is split at the longest symbols, or its symbols.

    Returns
    -------
    tuple of str or None
        In lower case; None where a symbol has no counterpart.

    Examples
    --------
    >>> ipa_to_arpabet("tʃˈɜːpɪŋ")
    ('ch', 'er', 'p', 'ih', 'ng')
    >>> ipa_to_arpabet(["t", "ʃ"])
    ('t', 'sh')
    """
    parts = [symbols] if isinstance(symbols, str) else symbols
    phones: list[str] = []
    for part in parts:
        found = _symbols(part)
        if found is None:
            return None
        phones += found
    return tuple(phones)


class IpaLabels(Collection[str]):
    """The labels of a model that knows whatever the International Phonetic Alphabet can write.

    Names that ARPABET has of two letters or more (``iy``, ``cl``) are none of its labels, though
    their letters are.

    Examples
    --------
    >>> "ʃ" in IpaLabels(), "øː" in IpaLabels(), "sh" in IpaLabels(), "7" in IpaLabels()
    (True, True, False, False)
    """

    def __contains__(self, label: object) -> bool:
        from align.features.phones.articulatory import articulation

        if not isinstance(label, str) or label in _NAMES:
            return False
        try:
            articulation(label)
        except DataError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """Return the phones of English, for messages."""
        return iter(ARPABET_TO_IPA.values())

    def __len__(self) -> int:
        return len(ARPABET_TO_IPA)


_NAMES = frozenset(p for p in ARPABET_TO_IPA if len(p) > 1) | {"cl", "vcl"}


def spell(phones: Sequence[str], known: Collection[str]) -> tuple[str, ...] | None:
    """Return a pronunciation, in any spelling, in the `known` labels of a model.

    None where a phone has no counterpart among them.

    Examples
    --------
    >>> spell(["K", "IY1"], {"k", "iy"}), spell(["kʰ", "iː"], {"k", "iy"})
    (('k', 'iy'), ('k', 'iy'))
    >>> spell(["K", "IY1"], {"k", "i"}), spell(["ɬ"], {"k"})
    (('k', 'i'), None)
    """
    spelled: list[str] = []
    for phone in phones:
        found = _spell_one(phone, known)
        if found is None:
            return None
        spelled += found
    return tuple(spelled)


def _spell_one(phone: str, known: Collection[str]) -> tuple[str, ...] | None:
    if phone in known:
        return (phone,)
    plain = plain_phone(phone)
    if isinstance(known, IpaLabels) and plain in ARPABET_TO_IPA:
        return (ARPABET_TO_IPA[plain],)  # Y is no front rounded vowel
    if plain in known:
        return (plain,)
    if plain in ARPABET_TO_IPA:
        if ARPABET_TO_IPA[plain] in known:
            return (ARPABET_TO_IPA[plain],)
        return _nearest((plain,), known)
    bare = re.sub("[ˈˌːˑ͡‿.]", "", phone)
    if bare in known:
        return (bare,)
    arpabet = _symbols(phone)
    return _nearest(arpabet, known) if arpabet else None


def _nearest(phones: Iterable[str], known: Collection[str]) -> tuple[str, ...] | None:
    """Return, for each phone of ARPABET that is not known, what stands for it."""
    spelled: list[str] = []
    for phone in phones:
        for choice in (phone, *_ALIKE.get(phone, ())):
            parts = choice.split()
            here = [p if p in known else ARPABET_TO_IPA[p] for p in parts]
            if all(p in known for p in here):
                spelled += here
                break
        else:
            return None
    return tuple(spelled)
