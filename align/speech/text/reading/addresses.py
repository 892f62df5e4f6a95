"""Addresses of pages and of mail, read out in eight languages: example.com, a@b.org.

Protocols are not said. Without ``www`` or ``@`` only the most common endings make an address, and
none that is a word of the language: nobody knows whether *era.es* is two sentences.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

_SIGNS: Mapping[str, tuple[str, ...]] = {
    "en": ("dot", "slash", "at", "dash", "underscore", "colon"),
    "de": ("Punkt", "Slash", "at", "Bindestrich", "Unterstrich", "Doppelpunkt"),
    "fr": ("point", "slash", "arobase", "tiret", "tiret bas", "deux points"),
    "es": ("punto", "barra", "arroba", "guion", "guion bajo", "dos puntos"),
    "it": ("punto", "barra", "chiocciola", "trattino", "trattino basso", "due punti"),
    "pt": ("ponto", "barra", "arroba", "hífen", "underline", "dois pontos"),
    "nl": ("punt", "slash", "apenstaartje", "streepje", "underscore", "dubbele punt"),
    "sv": ("punkt", "snedstreck", "snabel a", "bindestreck", "understreck", "kolon"),
}
"""What ``. / @ - _ :`` are called."""

_ENDINGS = "com|org|net|edu|gov|info|eu|co\\.uk"
_OWN = {
    "en": "uk|de|fr|nl", "de": "de|ch|fr|uk", "fr": "fr|ch|uk", "es": "com\\.ar|fr|uk",
    "it": "it|ch|fr|uk", "pt": "pt|br|fr|uk", "nl": "nl|fr|uk", "sv": "fr|uk",
}  # fmt: skip


@lru_cache
def _pattern(language: str) -> re.Pattern[str]:
    endings = f"{_ENDINGS}|{_OWN[language]}"
    return re.compile(  # a name is of 63 or 64 signs at most: no long text is searched for its end
        r"(?<![\w.@])(?:https?://[^\s<>\"]+|www\.[^\s<>\"]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
        rf"|[a-z0-9-]{{1,63}}(?:[._][a-z0-9-]{{1,63}})*\.(?:{endings})(?!\.?[\w@]|-\w+\.)(?:/[^\s<>\"]*)?)(?<![.,;:!?)])"
    )


def spell_addresses(text: str, language: str) -> str:
    """Return a text with addresses of pages and mail as words.

    Examples
    --------
    >>> spell_addresses("https://kiwi.example/a, ann@kiwi.de.", "de")
    'kiwi Punkt example Slash a, ann at kiwi Punkt de.'
    """
    if language not in _SIGNS:
        return text
    names = dict(zip("./@-_:", _SIGNS[language], strict=True))

    def said(match: re.Match[str]) -> str:
        plain = re.sub(r"^https?://", "", match[0]).rstrip("/")
        plain = re.sub(r"^www(?=\.)", "w w w", plain)
        return re.sub(r"[./@:_-]", lambda sign: f" {names[sign[0]]} ", plain)

    return re.sub(r" +", " ", _pattern(language).sub(said, text))
