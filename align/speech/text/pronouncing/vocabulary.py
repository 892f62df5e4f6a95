"""What texts are read with: a dictionary, its language, and what may be guessed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from align.errors import ParameterError
from align.speech.text.pronouncing.dictionary import Dictionary, cmudict
from align.speech.text.pronouncing.lookup import (
    ESPEAK,
    Entry,
    Given,
    look_up_all,
    make_dictionary,
)
from align.speech.text.reading.normalise import Reading, read_words, spoken_noise
from align.types import SILENCES

_LARGE = 50_000  # words of a dictionary that has nearly all of a text in its language
_FOREIGN = (
    0.25  # of the words of a text; of German, Italian or Dutch ones CMUdict lacks 40 to 50 %
)
_FEW = 3  # unknown words, which names and terms may be
_ENGLISH, _MANY = 0.95, 10  # of so many different words, or more
_NOISES = frozenset({*SILENCES, "nsn", "lau"})  # of dictionaries; models know `spn` alone


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words of texts in one language, and how they may be said.

    Parameters
    ----------
    dictionary : Dictionary
        The words that are known.
    language : str
        Code of the language of the texts.
    guess : bool
        Whether espeak-ng may be asked for other words.
    tokens : collection of str
        Words that stand for any stretch of sound, beside those that texts mark.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(Dictionary({"two": ["t uw"], "kiwi": ["k iy w iy"]}))
    >>> vocabulary.words("2 kiwi")
    ('two', 'kiwi')
    >>> vocabulary.entries(["kiwi"], None)["kiwi"].ways[0].phones
    ('k', 'iy', 'w', 'iy')
    """

    dictionary: Dictionary
    language: str = "en"
    guess: bool = True
    tokens: Collection[str] = ()

    @classmethod
    def of(
        cls,
        given: "Given | Sequence[Given]" = None,
        language: str = "en",
        *,
        guess: bool = True,
        tokens: Collection[str] = (),
    ) -> Self:
        """Return that of the dictionary which is meant; see `make_dictionary`."""
        return cls(make_dictionary(given, language, guess=guess), language, guess, tokens)

    def words(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as they are said; see `split_words`."""
        return self.read(text).words

    def read(self, text: str) -> Reading:
        """Return the words of a text, and which of them may be read otherwise."""
        known, tokens = self.dictionary.__contains__, self.tokens
        return read_words(text, language=self.language, known=known, tokens=tokens)

    def entries(
        self, words: Sequence[str], known: Collection[str] | None, path: str | None = None
    ) -> dict[str, Entry]:
        """Return how words may be said, in the labels that a model knows; see `look_up_all`."""
        of_text, guess = self.language, self.guess
        return look_up_all(words, self.dictionary, known, language=of_text, guess=guess, path=path)

    def any_sound(self, word: str) -> bool:
        """Whether a word stands for any stretch of sound, or a pause.

        So it is where the dictionary gives it such a phone alone, as those of the Montreal Forced
        Aligner, Kaldi and Sphinx do, or where it lacks the word and the text marks it; see
        `align.speech.text.reading.normalise.spoken_noise`.

        Examples
        --------
        >>> known = Dictionary({"<unk>": ["spn"], "[noise]": ["+NOISE+"], "[hi]": ["HH AY"]})
        >>> words = ("<unk>", "[noise]", "[hi]", "<cough>", "hi")
        >>> [Vocabulary(known).any_sound(word) for word in words]
        [True, True, False, True, False]
        """
        if word not in self.dictionary:
            return spoken_noise(word, self.tokens)
        ways = self.dictionary[word]
        return all(len(way.phones) == 1 and _is_noise(way.phones[0]) for way in ways)

    def seems_foreign(self, words: Sequence[str], entries: Mapping[str, Entry]) -> str | None:
        """Return a warning where a large dictionary lacks much of a text, in another language.

        Or where CMUdict, if it is installed, has all words of a text in a language of espeak-ng.
        `entries` are those of its words. In a dictionary of few words nothing is said of others.

        Examples
        --------
        >>> large = Dictionary({f"word{k}": ["w er d"] for k in range(60_000)}, name="large.dict")
        >>> ways = {w: Entry(w, (), "espeak") for w in ("der", "Lappen", "liegt")}
        >>> Vocabulary(large).seems_foreign(["der", "Lappen", "liegt"], ways)
        "3 of 3 words are not in large.dict: name the language (--language) if it is not 'en'."
        """
        advice = f"name the language (--language) if it is not {self.language!r}."
        if self.dictionary.name == ESPEAK and _are_english(words):
            return f"the words are all English ones (CMUdict): {advice}"
        unknown = sum(word in entries and entries[word].source == "espeak" for word in words)
        if unknown < max(_FEW, _FOREIGN * len(words)):
            return None
        if len(self.dictionary) < _LARGE:  # asked last: all of a large file is read for it
            return None
        return f"{unknown} of {len(words)} words are not in {self.dictionary.name}: {advice}"


def _is_noise(phone: str) -> bool:
    return phone.lower() in _NOISES or (len(phone) > 2 and phone[0] == phone[-1] == "+")


def _are_english(words: Sequence[str]) -> bool:
    """Whether CMUdict has nearly all of many words; of German texts it has 75 % at most."""
    different = {word.casefold() for word in words}
    if len(different) < _MANY:
        return False
    try:
        known = cmudict()
    except ParameterError:
        return False
    return sum(word in known for word in different) >= _ENGLISH * len(different)
