"""IPA symbols as articulations: a vector that a phone never met shares with those that were.

A label of the International Phonetic Alphabet is read letter by letter: a base letter, its
diacritics, and, joined by a tie bar or simply side by side, further letters (affricates,
diphthongs, doubly articulated stops). Each becomes a vector over `FEATURES`: manner, place,
phonation, secondary articulation and, of vowels, where on the chart they lie. Letters and
diacritics stand in two tables of `align.data`, ``ipa_letters.csv`` and ``ipa_marks.csv``.

Of several letters in one label, a stop before a fricative is an affricate, a nasal before a stop
a prenasalised stop, and two of one manner are articulated at both places; anything else (``w͡a``,
``aɪ``) is a contour, the mean of its parts. Stress, tones and syllable breaks are ignored; so is a
diacritic that is not in the table. A letter that is not in it is an error.

References
----------
International Phonetic Association, "Handbook of the International Phonetic Association", 1999.
"""

import csv
import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from align.errors import DataError
from align.types import SILENCES, Float32

_MANNERS = (
    "vowel",
    "approximant",
    "lateral",
    "tap",
    "trill",
    "nasal",
    "fricative",
    "sibilant",
    "stop",
    "affricate",
    "implosive",
    "click",
)
_PLACES = (
    "labial",
    "dental",
    "alveolar",
    "postalveolar",
    "retroflex",
    "palatal",
    "velar",
    "uvular",
    "pharyngeal",
    "glottal",
)
_OTHERS = (
    *("voiced", "aspirated", "breathy", "creaky", "ejective"),
    *("rounded", "palatalised", "velarised", "pharyngealised"),
    *("nasalised", "prenasalised", "rhotic", "syllabic", "long"),
)
_CHART = ("close", "mid", "open", "front", "central", "back")

FEATURES: tuple[str, ...] = ("silence", *_MANNERS, *_PLACES, *_OTHERS, *_CHART, "contour")
"""What the entries of `Articulation.vector` stand for; each is in [0, 1]."""

BROAD_CLASSES: tuple[str, ...] = (
    "silence",
    "vowel",
    "approximant",
    "liquid",
    "nasal",
    "voiced fricative",
    "voiceless fricative",
    "breath",
    "voiced stop",
    "voiceless stop",
    "glottal stop",
)
"""What `Articulation.opening` and `Articulation.closing` may be."""

_AT = {name: i for i, name in enumerate(FEATURES)}
_ALIASES = {"g": "ɡ", ":": "ː", "'": "ʼ", "’": "ʼ", "c\u0327": "ç", "ʦ": "ts", "ʣ": "dz"} | {
    "ʧ": "tʃ",
    "ʤ": "dʒ",
    "ʨ": "tɕ",
    "ʥ": "dʑ",
    "ǝ": "ə",
    "ε": "ɛ",
}
_TIES = "\u0361\u035c"
_IGNORED = frozenset("ˈˌ.|‖‿ˉˊˋˆˇ˥˦˧˨˩⁰¹²³⁴⁵⁶⁷⁸⁹0123456789ꜛꜜ↗↘-() ")


@dataclass(frozen=True, eq=False)
class Articulation:
    """What the vocal tract does for one label.

    Attributes
    ----------
    vector : np.ndarray [shape=(len(FEATURES),), dtype=float32]
        Degree of each feature, in [0, 1].
    opening, closing : str
        Broad class of its beginning and of its end; they differ in affricates and contours.
    """

    vector: Float32
    opening: str
    closing: str

    def has(self, feature: str) -> bool:
        """Whether a feature of `FEATURES` is mostly there."""
        return bool(self.vector[_AT[feature]] >= 0.5)


@lru_cache(maxsize=4096)
def articulation(label: str) -> Articulation:
    """Read one IPA label.

    Parameters
    ----------
    label : str
        For example ``"a"``, ``"t͡ʃʰ"``, ``"ŋ͡m"``, ``"ɔ̃ː"``; empty or ``sil`` for silence.

    Returns
    -------
    Articulation
        Labels that differ only in what is ignored have the same.

    Raises
    ------
    DataError
        If it holds no letter of the IPA, or one that the table lacks.

    Examples
    --------
    >>> t = articulation("t͡ʃʰ")
    >>> t.opening, t.closing, t.has("affricate"), t.has("aspirated")
    ('voiceless stop', 'voiceless fricative', True, True)
    """
    if label in SILENCES:
        vector = np.zeros(len(FEATURES), dtype=np.float32)
        vector[_AT["silence"]] = 1.0
        return Articulation(vector, "silence", "silence")
    parts: list[Float32] = []
    waiting: list[str] = []
    for sign in _signs(label):
        if sign in _TIES:
            continue
        if sign in _letters():
            parts.append(_letters()[sign].copy())
            for mark in waiting:
                _modify(parts[-1], mark)
            waiting = []
        elif _is_mark(sign):
            if parts:
                _modify(parts[-1], sign)
            else:
                waiting.append(sign)
        else:
            raise DataError(_no_letter(sign, label))
    if not parts:
        raise DataError(f"{label!r} holds no letter of the IPA.")
    whole = parts[0]
    for part in parts[1:]:
        whole = _joined(whole, part)
    whole.flags.writeable = False
    return Articulation(whole, _broad_class(parts[0]), _broad_class(parts[-1]))


def plain_ipa(label: str) -> str:
    """Return a label without what is ignored (stress, tones), in one spelling of its letters.

    Examples
    --------
    >>> plain_ipa("ˈga˥") == "ɡa"
    True
    """
    return "".join(_signs(label))


def _signs(text: str) -> list[str]:
    """Letters, diacritics and ties of a text, in one spelling."""
    plain = unicodedata.normalize("NFD", text)
    for sign, spelling in _ALIASES.items():
        plain = plain.replace(sign, spelling)
    return [sign for sign in plain if sign not in _IGNORED]


def _is_mark(sign: str) -> bool:
    return sign in _marks() or unicodedata.category(sign) in ("Mn", "Lm", "Sk")


def _no_letter(sign: str, label: str) -> str:
    name = unicodedata.name(sign, "unnamed").lower()
    return (
        f"{sign!r} ({name}) in {label!r} is no letter of the IPA; correct it, or map it with a "
        "phone map."
    )


def _joined(first: Float32, second: Float32) -> Float32:
    """Vector of two letters that are one phone."""
    manner = slice(_AT[_MANNERS[0]], _AT[_MANNERS[-1]] + 1)
    stop, nasal, fricative = (_AT[name] for name in ("stop", "nasal", "fricative"))
    both = np.maximum(first, second)
    if first[stop] and second[fricative] and not first[fricative]:
        both[_AT["affricate"]] = 1.0
        return both
    if first[nasal] and second[stop]:
        both = second.copy()
        both[_AT["prenasalised"]] = 1.0
        return both
    if (first[manner] == second[manner]).all() and not first[_AT["vowel"]]:
        return both
    mean: Float32 = (first + second) / np.float32(2)
    mean[_AT["contour"]] = 1.0
    return mean


def _broad_class(vector: Float32) -> str:
    def has(name: str) -> bool:
        return bool(vector[_AT[name]] >= 0.5)

    kind = "voiced" if has("voiced") else "voiceless"
    if has("glottal"):
        return "glottal stop" if has("stop") else "breath"
    if has("stop"):
        return f"{kind} stop"
    if has("fricative"):
        return f"{kind} fricative"
    if has("nasal"):
        return "nasal"
    if has("lateral") or has("tap") or has("trill"):
        return "liquid" if has("voiced") else "voiceless fricative"
    return "approximant" if has("approximant") else "vowel"


# The tables ----------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _letters() -> dict[str, Float32]:
    """Vector of each base letter."""
    letters = {}
    for row in _table("ipa_letters.csv"):
        vector = np.zeros(len(FEATURES), dtype=np.float32)
        names = row["manner"].split() + (row["place"].split("+") if row["place"] else [])
        for name in names:
            vector[_AT[name]] = 1.0
        if {"sibilant"} & set(names):
            vector[_AT["fricative"]] = 1.0
        if {"implosive", "click"} & set(names):
            vector[_AT["stop"]] = 1.0
        vector[_AT["voiced"]] = float(row["voiced"])
        vector[_AT["rounded"]] = float(row["rounded"] or 0)
        if row["height"]:
            for three, place in (
                (("open", "mid", "close"), float(row["height"])),
                (("front", "central", "back"), float(row["backness"])),
            ):
                # Each share is 1 at its own place and 0 at the next: between them, some of both.
                for i, name in enumerate(three):
                    vector[_AT[name]] = max(0.0, 1.0 - abs(2.0 * place - i))
        letters[row["letter"]] = vector
    return letters


@lru_cache(maxsize=1)
def _marks() -> dict[str, tuple[tuple[str, ...], float]]:
    """Features that a diacritic sets, and to what."""
    return {
        row["mark"]: (tuple(row["feature"].split()), float(row["value"]))
        for row in _table("ipa_marks.csv")
    }


def _modify(vector: Float32, mark: str) -> None:
    names, value = _marks().get(mark, ((), 0.0))
    if "dental" in names:
        vector[_AT["alveolar"]] = 0.0
    for name in names:
        vector[_AT[name]] = value


def _table(name: str) -> Sequence[dict[str, str]]:
    text = (files("align.data") / name).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))
