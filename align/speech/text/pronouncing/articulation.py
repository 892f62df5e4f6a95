"""How phones of any language are said: choices by how they are articulated.

The same as `align.speech.text.pronouncing.realisation` has for English, without knowing the
language: `IpaRules` reads from the letters of the International Phonetic Alphabet what people
leave out or make easier everywhere.

==================  =============================================================================
vowels              reduced to a schwa; a schwa dropped
h, glottal stops    dropped, and a glottal stop put in front of a vowel that begins a word
t, d, and stops     dropped: all t and d, others in front of a vowel that may be dropped, of a
                    consonant, and at the end of a word
s, z                dropped in front of a ʃ or its like that begins the next word: *das Schiff*
r                   dropped behind a vowel, or a vowel itself
j, w                dropped
unwritten vowels    of Arabic and Hebrew, behind a consonant
nasals              at the place of the consonant beside them
stops, fricatives   with a voice where they have none, and without where they have one
between words       a pause
==================  =============================================================================

Two consonants that are alike across a border of words stay two: where people label them as one,
they put the border into its middle (`align.speech.text.shared`).

Names speak of classes of phones (such as ``dorsal stop``), so that what one language taught is of
use in another.

What choices cost is learned where phones have times. Where they have none there are constants, in
the scores of `speech-any`. They are no log-probabilities alone: a phone that is left out also
saves what its onset and its length would score, a few units, so that dropping costs much, and is
free only of stops that are not released.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from align.features.phones.articulatory import articulation, plain_ipa
from align.speech.text.pronouncing.realisation import Choice, Context
from align.types import SILENCES

SCHWA, GLOTTAL_STOP, OPEN_SCHWA = "ə", "ʔ", "ɐ"
_SHORT = 3  # phones of a word that is mostly said weakly

_PLACES = {
    "labial": ("labial",),
    "coronal": ("dental", "alveolar", "postalveolar", "retroflex"),
    "dorsal": ("palatal", "velar", "uvular"),
}
_NASALS = {"labial": "m", "coronal": "n", "dorsal": "ŋ"}
_VOICES = ("voice", "no voice")
_HISSES, _HUSHES = frozenset("sz"), frozenset("ʃʒɕʑʂʐ")
_VOICELESS = {
    **{"b": "p", "d": "t", "ɡ": "k", "ɢ": "q", "ɖ": "ʈ", "ɟ": "c"},
    **{"v": "f", "z": "s", "ʒ": "ʃ", "ð": "θ", "ɣ": "x", "ʁ": "χ", "β": "ɸ", "ʝ": "ç", "ʐ": "ʂ"},
    **{"d͡z": "t͡s", "d͡ʒ": "t͡ʃ", "dz": "ts", "dʒ": "tʃ"},
}
_WITH_OTHER_VOICE = {**_VOICELESS, **{less: voiced for voiced, less in _VOICELESS.items()}}

_UNWRITTEN = {"unwritten": 4.0}
"""The reward of a vowel that is not written, chosen on German without its short vowels."""

AS_WRITTEN: Mapping[str, float] = {"unreleased": -2.0, **_UNWRITTEN}
"""What choices cost in a language of no training set: only what goes into the next word may go."""

LOOSE: Mapping[str, float] = {
    **_UNWRITTEN,
    **{"0": -4.0, "unreleased": 3.0, "+glottal": -2.0, "pause": -1.0},
    **dict.fromkeys(("vowel>schwa", "rhotic>vowel"), -2.0),
    **{f"nasal>{place}": -2.0 for place in _NASALS},
    **{f"{kind}>{v}": -2.0 for kind in ("stop", "fricative", "affricate") for v in _VOICES},
}
"""What choices cost where a model was trained on the language, and no phone of it has a time."""


class Sound(NamedTuple):
    """What kind of phone a label is, whatever the language.

    Attributes
    ----------
    manner : str
        "vowel", "schwa", "glide", "lateral", "rhotic", "nasal", "stop", "affricate", "fricative",
        "breath", "glottal stop" or "silence".
    place : str
        "labial", "coronal" or "dorsal"; empty for vowels and what has no place.
    """

    manner: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.place} {self.manner}".strip()


@lru_cache(maxsize=4096)
def sound_of(label: str) -> Sound:
    """Return what kind of phone a label of the IPA is.

    Examples
    --------
    >>> str(sound_of("ɡ")), str(sound_of("øː")), str(sound_of("ʁ"))
    ('dorsal stop', 'vowel', 'rhotic')
    """
    if label in SILENCES:
        return Sound("silence")
    found = articulation(label)
    place = next((p for p, names in _PLACES.items() if any(found.has(n) for n in names)), "")
    if plain_ipa(label)[:1] in "rɾɹɻʀʁ":
        return Sound("rhotic")
    if found.has("glottal"):
        return Sound("glottal stop" if found.has("stop") else "breath")
    for manner in ("nasal", "affricate", "stop", "lateral", "fricative", "tap", "trill"):
        if found.has(manner) and not found.has("vowel"):
            return Sound("rhotic") if manner in ("tap", "trill") else Sound(manner, place)
    if found.has("approximant"):
        return Sound("glide", place)
    central = found.has("central") and found.has("mid") and not found.has("contour")
    return Sound("schwa" if central else "vowel")


class IpaRules:
    """The choices of any language, in the International Phonetic Alphabet.

    Parameters
    ----------
    every : bool
        Whether all choices are offered. If not, a stop in front of a stop that begins the next
        word, and an s in front of a ʃ, may be said as one with it, there may be pauses, and all
        else is said as it is written.

    Examples
    --------
    >>> rules = IpaRules()
    >>> between = Context("b", "n", first=False, last=False, weak=False)
    >>> [choice.labels for choice in rules.of("ə", between)]
    [('ə',), ()]
    >>> rules.of("ə", between)[-1].names[:2]
    ('0', 'schwa>0')
    """

    glottal_stop = GLOTTAL_STOP

    def __init__(self, every: bool = True) -> None:
        self.every = every

    def of(self, phone: str, at: Context) -> list[Choice]:
        """Return the choices of a phone; see `of` of the rules for English."""
        sound = sound_of(phone)
        found = [Choice((phone,), ())]
        if self.every:
            found += [
                Choice((other,), _names(sound, what, at))
                for other, what in _instead(phone, sound, at)
            ]
        into_next = _goes_into_next(phone, sound, at)
        goes = into_next or (self.every and _may_drop(sound, at))
        if goes and not (at.first and at.last):
            names = ("unreleased",) if into_next else ()  # as models call both
            found.append(Choice((), ("0", *_names(sound, "0", at), *names)))
        return found

    def glottal(self, phone: str, at: Context) -> Choice | None:
        """Return the glottal stop that may begin a word in front of this phone, if any."""
        if not self.every or sound_of(phone).manner not in ("vowel", "schwa"):
            return None
        left = _kind(at.left)
        return Choice((GLOTTAL_STOP,), ("+glottal", f"+glottal|{_weight(at)}", f"+glottal|{left}"))

    def lacks_vowel(self, phone: str, at: Context) -> bool:
        """Return whether a vowel that the script does not write may stand behind a phone."""
        return not {sound_of(phone).manner, sound_of(at.right).manner} & {"vowel", "schwa"}

    def pause(self, weak: bool) -> tuple[str, ...]:
        """Return the names of a pause that follows a word."""
        return ("pause", f"pause|{'weak' if weak else 'full'}")

    def behind(self, phone: str, at: Context) -> frozenset[str] | None:
        """Return None: a phone that may be dropped may be so behind any label."""
        return None

    def weak(self, word: str, n_phones: int) -> bool:
        """Return whether a word is one of those that are mostly said weakly: the short ones."""
        return n_phones <= _SHORT

    def parts_words(self, label: str) -> bool:
        """Return whether a glottal stop behind a label belongs to neither word."""
        return False


def _kind(label: str) -> str:
    return str(sound_of(label)) if label else "silence"


def _weight(at: Context) -> str:
    return "weak" if at.weak else "full"


def _instead(phone: str, sound: Sound, at: Context) -> list[tuple[str, str]]:
    """Return what may be said in place of a phone, and what that is called."""
    found = []
    if sound.manner == "vowel" and "ː" not in phone:
        found.append((SCHWA, "schwa"))
    if sound.manner == "rhotic" and at.left and sound_of(at.left).manner in ("vowel", "schwa"):
        found.append((OPEN_SCHWA, "vowel"))
    if sound.manner == "nasal":
        beside = [sound_of(label) for label in (at.left, at.right) if label]
        places = {other.place for other in beside if other.place} - {sound.place}
        found += [(_NASALS[place], place) for place in sorted(places)]
    if sound.manner in ("stop", "fricative", "affricate"):
        other = _WITH_OTHER_VOICE.get(plain_ipa(phone))
        if other is not None:
            found.append((other, "voice" if other in _VOICELESS else "no voice"))
    return found


def _may_drop(sound: Sound, at: Context) -> bool:
    manner = sound.manner
    if manner in ("schwa", "breath", "glottal stop", "glide"):
        return True
    if manner == "rhotic":
        return bool(at.left) and sound_of(at.left).manner in ("vowel", "schwa")
    if manner == "stop":
        right = sound_of(at.right).manner if at.right else "silence"
        return sound.place == "coronal" or at.last or right != "vowel"
    return False


def _goes_into_next(phone: str, sound: Sound, at: Context) -> bool:
    """Whether the last phone of a word may be said as one with the first of the next."""
    if not at.last or not at.right:
        return False
    if sound.manner == "stop":
        return sound_of(at.right).manner == "stop"
    return phone[:1] in _HISSES and at.right[:1] in _HUSHES


def _names(sound: Sound, what: str, at: Context) -> tuple[str, ...]:
    """Return what a choice is called: alone, and with each part of where the phone stands."""
    broad, exact = f"{sound.manner}>{what}", f"{sound}>{what}"
    place = "first" if at.first else "last" if at.last else "inner"
    return (
        broad,
        *(() if exact == broad else (exact,)),
        f"{exact}|left {_kind(at.left)}",
        f"{exact}|right {_kind(at.right)}",
        f"{exact}|{place}",
        f"{exact}|{_weight(at)}",
        f"{exact}|{'across' if at.last else 'before'} {_kind(at.right)}",
    )
