"""How the phones of a dictionary are said: what they may become, and what each choice costs.

Between the phones that a dictionary writes and those that people say lies a choice at each phone:
as it is written, weaker, or not at all. `Rules` lists the choices that a phone has between its
neighbours, for English in labels that know closures:

==========================  =====================================================================
stops                       closure and release, closure only, release only; t and d as a flap
vowels without stress       reduced to a schwa
schwa before l, n, m        dropped, and the consonant syllabic
t, d, h, th, v, y           dropped
consonants alike            of two across a border of words the first is dropped: *gus saw*
z, n, ng, er                devoiced; the place of the next or of the teeth; a schwa
in front of a vowel         a glottal stop
between words               a pause
==========================  =====================================================================

Each choice but the dictionary's own has *names*: what happens, to which phone, between which
neighbours. A name has a weight, learned from recordings with text
(`align.speech.text.learning.costs`); a choice scores the sum of the weights of its names,
what the dictionary writes scores 0.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from align.errors import ModelError
from align.speech.expansion import CLOSURE_OF

_HIGHEST = 1e6  # of a weight that a file may hold

VOWELS = frozenset("aa ae ah ao aw ax ax-h axr ay eh er ey ih ix iy ow oy uh uw ux".split())
_CLASSES = {
    **dict.fromkeys(VOWELS, "vowel"),
    **dict.fromkeys(("p", "t", "k", "b", "d", "g"), "stop"),
    **dict.fromkeys(("ch", "jh"), "affricate"),
    **dict.fromkeys(("s", "z", "sh", "zh", "f", "v", "th", "dh", "hh"), "fricative"),
    **dict.fromkeys(("m", "n", "ng", "en", "em", "eng", "nx"), "nasal"),
    **dict.fromkeys(("l", "r", "w", "y", "el"), "approximant"),
    "dx": "flap",
    "": "silence",
}
_ANY = frozenset({"*"})
_NONE: frozenset[str] = frozenset()
_OTHERS: dict[str, tuple[str, ...]] = {
    "ah": ("ax", "ix"),
    "ih": ("ix",),
    "uh": ("ix",),
    "uw": ("ix",),
    "er": ("ax", "ix"),
    "t": ("dx",),
    "d": ("dx",),
    "z": ("s",),
    "n": ("en", "m"),
    "ng": ("n",),
    "l": ("el",),
    "m": ("em",),
}
"""What a phone may be said as instead."""

_SYLLABIC = frozenset({"en", "el", "em"})
_BEFORE_SYLLABIC = VOWELS | {"t", "d", "s", "z", "n"}
_AFTER_FLAP = VOWELS | {"el", "en", "l", "n"}


def _phones(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    **dict.fromkeys(("t", "d", "th", "dh", "v", "hh", "y"), (_ANY, _ANY)),
    "ah": (_NONE, _phones("n m l r er s z v")),
    "ih": (_NONE, _phones("n m l ng z s")),
    "r": (_phones("er axr ao aa eh ih"), VOWELS),
    "s": (_phones("s z sh"), _phones("s sh z")),
    "z": (_NONE, _phones("s sh z")),
    "l": (_phones("ao ow aa l"), _phones("l")),
    "n": (_phones("n"), _phones("n m")),
    "m": (_phones("m"), _phones("m")),
    "f": (_phones("f"), _phones("f")),
    "w": (_NONE, _phones("uh uw ax ah ao")),
    "k": (_phones("s"), _phones("k")),
    "g": (_NONE, _phones("g")),
}
"""What may be left out, behind which phones or in front of which."""

_FUNCTION_WORDS = frozenset(
    "a an the and or but of to in on at for from by with as is are was were be been am it its he "
    "she they we you i his her him them their your our my that this these those which who what "
    "will would can could shall should may might must do does did have has had not no if than "
    "then so there".split()
)


def is_function_word(word: str) -> bool:
    """Return whether a word of English is one of those that are mostly said weakly.

    Examples
    --------
    >>> is_function_word("And"), is_function_word("kiwi")
    (True, False)
    """
    return word.lower() in _FUNCTION_WORDS


class Context(NamedTuple):
    """Where a phone stands.

    Attributes
    ----------
    left, right : str
        The phones of the dictionary beside it, in this word or the next; empty at either end of
        the text.
    first, last : bool
        Whether it is the first phone of its word, and the last.
    weak : bool
        Whether the word is one of those that are mostly said weakly.
    """

    left: str
    right: str
    first: bool
    last: bool
    weak: bool


class Choice(NamedTuple):
    """One way to say a phone.

    Attributes
    ----------
    labels : tuple of str
        What is said; empty where the phone is dropped.
    names : tuple of str
        What its weights are called; empty for what the dictionary writes.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]


class Rules:
    """The choices of English, in the labels of one model.

    Parameters
    ----------
    known : collection of str
        The labels of the model; choices that need others are left out.

    Examples
    --------
    >>> rules = Rules({"cl", "vcl", "t", "dx", "s", "ae"})
    >>> between = Context("s", "ae", first=False, last=True, weak=False)
    >>> [choice.labels for choice in rules.of("t", between)]
    [('cl', 't'), ('cl',), ('t',), ('dx',), ()]
    >>> rules.of("t", between)[-1].names[:3]
    ('0', 'stop>0', 't>0')
    """

    glottal_stop = "q"

    def __init__(self, known: Collection[str]) -> None:
        self.known = known

    def of(self, phone: str, at: Context) -> list[Choice]:
        """Return the choices of a phone, what the dictionary writes first.

        Parameters
        ----------
        phone : str
            In the labels of the model.
        at : Context
            Where it stands.

        Returns
        -------
        list of Choice
            With a dropped phone, where it may be dropped, as the last.
        """
        unknown = {other for other in _OTHERS.get(phone, ()) if other not in self.known}
        return [own for own in _choices(phone, at) if unknown.isdisjoint(own.labels)]

    def glottal(self, phone: str, at: Context) -> Choice | None:
        """Return the glottal stop that may begin a word in front of this phone, if any."""
        if phone not in VOWELS or "cl" not in self.known:
            return None
        where = "phrase" if at.left == "" else "inside"
        weight = "function" if at.weak else "content"
        return Choice(("cl",), ("+q", f"+q|{weight}", f"+q|{where}", f"+q|{_class(at.left)}"))

    def pause(self, weak: bool) -> tuple[str, ...]:
        """Return the names of a pause that follows a word, weak or not."""
        return ("pause", f"pause|{'function' if weak else 'content'}")

    def weak(self, word: str, n_phones: int) -> bool:
        """Return whether a word is one of those that are mostly said weakly."""
        return is_function_word(word)

    def parts_words(self, label: str) -> bool:
        """Return whether a glottal stop behind a label belongs to neither word.

        Behind a vowel it is a gap between the words, else it belongs to the word it begins: so do
        TIMIT's transcribers, in 59 cases of 60.
        """
        return label in VOWELS

    def behind(self, phone: str, at: Context) -> frozenset[str] | None:
        """Return the labels behind which a phone may be dropped; None where behind any."""
        behind, before = _DROPPED[phone]
        if behind is _ANY or at.right in before or not at.first or phone == "ah":
            return None
        return behind

    def lacks_vowel(self, phone: str, at: Context) -> bool:
        """Return False: English writes its vowels."""
        return False


def score_of(names: Sequence[str], costs: Mapping[str, float]) -> float:
    """Return the sum of the weights of some names.

    Examples
    --------
    >>> score_of(("0", "stop>0", "t>0"), {"0": -2.0, "t>0": 0.5})
    -1.5
    """
    return sum(costs.get(name, 0.0) for name in names)


def checked_costs(costs: Any) -> dict[str, float]:
    """Return the weights of names that a model file holds; ModelError where they are none.

    Examples
    --------
    >>> checked_costs({"t>0": -1})
    {'t>0': -1.0}
    """
    if not isinstance(costs, dict) or not all(
        isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= _HIGHEST
        for x in costs.values()
    ):
        raise ModelError(
            f"realisations must map names to numbers within {_HIGHEST:g} either side of 0."
        )
    return {str(name): float(x) for name, x in costs.items()}


@lru_cache(maxsize=4096)
def _choices(phone: str, at: Context) -> tuple[Choice, ...]:
    """Return the choices of a phone, as `Rules.of`, in a model that knows all labels."""
    closure = CLOSURE_OF.get(phone)
    found: list[Choice] = []
    if closure is None:
        found.append(Choice((phone,), ()))
    else:
        found.append(Choice((closure, phone), ()))
        if phone not in ("ch", "jh"):
            found.append(Choice((closure,), _names(phone, "closure", "closure", at)))
        found.append(Choice((phone,), _names(phone, "release", "release", at)))
    for other in _OTHERS.get(phone, ()):
        if _fits(other, at):
            found.append(Choice((other,), _names(phone, other, _CLASSES[other], at)))
    if not (at.first and at.last) and _may_drop(phone, at):
        found.append(Choice((), ("0", *_names(phone, "0", "0", at))))
    return tuple(found)


def _class(phone: str) -> str:
    return _CLASSES.get(phone, "other")


def _fits(other: str, at: Context) -> bool:
    """Whether a phone can be said as another between these neighbours."""
    if other in _SYLLABIC:
        return at.left in _BEFORE_SYLLABIC
    return other != "dx" or at.right in _AFTER_FLAP


def _may_drop(phone: str, at: Context) -> bool:
    if phone not in _DROPPED:
        return False
    if phone == "ah" and not at.last:
        return True
    behind, before = _DROPPED[phone]
    return behind is _ANY or at.left in behind or at.right in before


def _names(phone: str, what: str, into: str, at: Context) -> tuple[str, ...]:
    """Return what a choice is called: alone, and with each part of where the phone stands."""
    broad, exact = f"{_class(phone)}>{into}", f"{phone}>{what}"
    place = "first" if at.first else "last" if at.last else "inner"
    return (
        broad,
        exact,
        f"{exact}|left {_class(at.left)}",
        f"{exact}|right {_class(at.right)}",
        f"{exact}|{place}",
        f"{broad}|{place}",
        f"{exact}|{'function' if at.weak else 'content'}",
        f"{exact}|{'across' if at.last else 'before'} {at.right or '#'}",
    )
