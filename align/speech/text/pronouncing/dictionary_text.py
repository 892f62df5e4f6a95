"""The entries of a large dictionary, looked up in the text of its file.

Most transcripts ask for some words of the 126,000 of CMUdict. So lines are searched for, which is
immediate, and all of them are read only where many are asked for, or every word (to name the one
nearest to a misspelt one).
"""

from collections.abc import Iterator, MutableMapping
from typing import Any

_MOST = 200  # searches, after which reading everything is faster


class TextEntries(MutableMapping[str, Any]):
    r"""Pronunciations of each word of a text such as CMUdict's, as texts of phones.

    Each line is ``word phones``, or ``word(2) phones`` for a variant, which follows the word;
    what follows ``#`` is a comment.

    Examples
    --------
    >>> entries = TextEntries("a AH\na(2) EY\nkiwi K IY W IY # bird\n")
    >>> entries["a"], entries["kiwi"], "kiw" in entries, list(entries)
    (['AH', 'EY'], ['K IY W IY'], False, ['a', 'kiwi'])
    """

    def __init__(self, text: str) -> None:
        self._text = "\n" + text
        self._searched: dict[str, Any] = {}
        self._whole: dict[str, Any] | None = None

    def __getitem__(self, word: str) -> Any:
        if self._whole is not None:
            return self._whole[word]
        if word not in self._searched:
            if len(self._searched) >= _MOST:
                return self._all()[word]
            self._searched[word] = self._search(word)
        found = self._searched[word]
        if found is None:
            raise KeyError(word)
        return found

    def __setitem__(self, word: str, ways: Any) -> None:
        (self._searched if self._whole is None else self._whole)[word] = ways

    def __delitem__(self, word: str) -> None:
        del self._all()[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _search(self, word: str) -> list[str] | None:
        if not word or "(" in word or any(letter.isspace() for letter in word):
            return None
        at = self._text.find(f"\n{word} ")
        if at < 0:
            return None
        ways = []
        while self._text.startswith((f"\n{word} ", f"\n{word}("), at):
            end = self._text.find("\n", at + 1)
            line = self._text[at + 1 : end if end >= 0 else None]
            ways.append(_entry(line)[1])
            if end < 0:
                break
            at = end
        return ways

    def _all(self) -> dict[str, Any]:
        if self._whole is None:
            entries: dict[str, Any] = {}
            for line in self._text.split("\n"):
                if line:
                    word, phones = _entry(line)
                    entries.setdefault(word, []).append(phones)
            known = {word: ways for word, ways in self._searched.items() if ways is not None}
            self._whole = entries | known
        return self._whole


def _entry(line: str) -> tuple[str, str]:
    """Return word and phones of a line."""
    word, _, phones = line.partition(" ")
    if word[-1:] == ")":
        word = word.partition("(")[0]
    return word, phones.partition(" #")[0] if "#" in phones else phones
