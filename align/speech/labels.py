"""Which labels of phones a model knows, how it spells those that are given, and what they are."""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from align.errors import DataError
from align.features.phones.articulatory import articulation
from align.formats.phone_map import unknown as describe_unknown
from align.formats.tiers.labels import check_no_sentence
from align.speech.expansion import Spelled, closures_of, is_closure
from align.speech.label_classes import IpaClasses, broad_classes, read_map
from align.speech.text.pronouncing.arpabet import IpaLabels, spell
from align.types import SILENCE, SILENCES, SPOKEN_NOISE, Event

_NO_IPA = frozenset(["ah", "axr", "cl", "dx", "eh", "hh", "ih", "iy", "sh", "uh", "vcl", "zh"])
"""Names of TIMIT's phones that the IPA could spell, but hardly ever as one phone."""

_LONGEST = 3  # letters of a phone's name; words have more, but for the shortest

_NO_CHANCE = 2  # different ones of these in a recording, from which on they are TIMIT's


@dataclass(frozen=True)
class PhoneLabels:
    """The labels of a model.

    `symbols` maps labels to the phones its classifiers know, and labels not in it stand for
    themselves; `trained` are the labels met in training. Where `ipa`, any label of the
    International Phonetic Alphabet is known; where `noise`, ``spn`` is any stretch of sound.
    """

    symbols: Mapping[str, str]
    trained: Sequence[str]
    ipa: bool
    noise: bool

    def symbol(self, label: str) -> str:
        """Return the phone that a label stands for."""
        symbol = self.symbols.get(label, label)
        return SILENCE if self.ipa and symbol in SILENCES else symbol

    def known(self) -> set[str]:
        """Return the labels trained on, and those that map to their phones."""
        symbols = self.symbols
        trained = {symbols.get(label, label) for label in self.trained}
        return set(self.trained) | trained | {k for k, v in symbols.items() if v in trained}

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """Label to its broad class, for labels whose phone has one."""
        if self.ipa:
            return IpaClasses(self.symbols, self.trained)
        classes = broad_classes()
        through_map = {k: classes[v] for k, v in self.symbols.items() if v in classes}
        return {**classes, **through_map}

    def is_unbounded(self, label: str) -> bool:
        """Whether a label may last any time: silences, and spoken noise."""
        return label in ("", SPOKEN_NOISE) or self.classes.get(label) == "silence"

    def sounds(self, labels: Sequence[str]) -> list[str | None]:
        """Return what labels sound like to a second scorer, in the IPA; None for no sound."""
        # labels of other models are those of TIMIT, or nothing is known of them
        in_ipa = {} if self.ipa else read_map("timit_ipa")

        def sound(label: str) -> str | None:
            symbol: str | None = self.symbol(label)
            if self.is_unbounded(label) or is_closure(str(symbol)):
                return None
            if not self.ipa:
                symbol = in_ipa.get(label, in_ipa.get(str(symbol)))
            return None if symbol in SILENCES else symbol

        of = {label: sound(label) for label in dict.fromkeys(labels)}
        return [of[label] for label in labels]

    def check(self, events: Sequence[Event], name: str) -> None:
        """Raise DataError that names the recording where a label is not known."""
        labels = dict.fromkeys(map(str, events))
        check_no_sentence(tuple(labels), name)
        if self.ipa:
            self._check_ipa({label: self.symbol(label) for label in labels}, name)
            return
        known = self.known() | ({SPOKEN_NOISE} if self.noise else set())
        unknown = sorted(label for label in labels if self._canonical(label, known) not in known)
        if unknown:
            hints = ", ".join(describe_unknown(label, known) for label in unknown)
            plural = "phones" if len(unknown) > 1 else "phone"
            other = ""
            if any(label.isalpha() and len(label) > _LONGEST for label in unknown):
                other = " If they are words, give them as text (--text)."
            elif all(label in IpaLabels() for label in unknown):
                other = " If they are IPA, the model speech-any knows them (--model speech-any)."
            raise DataError(
                f"unknown {plural} {hints}; correct them, map them with a phone map "
                f"(--phone-map), or train a model on recordings that have them.{other}",
                path=name,
            )

    def _check_ipa(self, symbols: Mapping[str, str], name: str) -> None:
        """Raise DataError where what a label stands for is no IPA, or seems to be ARPABET."""
        foreign = [label for label, symbol in symbols.items() if symbol in _NO_IPA]
        if len(foreign) >= _NO_CHANCE:
            raise DataError(
                f"phones such as {foreign[0]!r} and {foreign[1]!r} are those of TIMIT, and this "
                "model reads the IPA; add --phone-map timit_ipa, or take --model speech-en.",
                path=name,
            )
        for symbol in symbols.values():
            try:
                articulation(symbol)
            except DataError as error:
                hint = (
                    " If the labels are X-SAMPA or ARPABET, a phone map must say what each is in "
                    "the IPA (xsampa_ipa does for X-SAMPA, timit_ipa for TIMIT's)."
                )
                ascii_all = "".join(symbols.values()).isascii()
                raise DataError(error.message + hint * ascii_all, path=name) from None

    def spelled(self, events: Sequence[Event]) -> Spelled:
        """Return phones as the model knows them, and what it knows besides."""
        known = self.known()
        spelled = {event: self._canonical(event, known) for event in dict.fromkeys(events)}
        symbol_of = {label: self.symbol(label) for label in spelled.values()}
        labels = [spelled[event] for event in events]
        symbols = [symbol_of[label] for label in labels]
        sounds = [s != SILENCE and SILENCE in known for s in symbols]
        return Spelled(labels, closures_of(symbols, known), sounds)

    def _canonical(self, event: Event, known: set[str]) -> str:
        """Spell a phone as the model does: ``AH0`` and ``ʌ`` as ``ah`` where that is known.

        A silence of any label set, such as ``<p:>``, is the model's own. An accent may be stored
        with its letter or after it; both are the same phone.
        """
        label = str(event)
        label = self._trained_forms.get(_composed(label), label)
        if self.ipa or label in self.trained:
            return label
        if label in SILENCES and label != SPOKEN_NOISE:
            return next((silence for silence in SILENCES if silence in known), label)
        if label in known:
            return label
        plain = label.lower().rstrip("012") or label  # `2` alone is no stress
        if plain in known or label.isascii():  # of ASCII, a slip is likelier than IPA
            return plain if plain in known else label
        spelled = spell((label,), known) or ()
        return spelled[0] if len(spelled) == 1 else label

    @cached_property
    def _trained_forms(self) -> dict[str, str]:
        """Each label trained on, by its composed form; of two with one form the composed one."""
        forms = {_composed(label): label for label in self.trained}
        return forms | {label: label for label in self.trained if label in forms}


class TakenLabels(Collection[str]):
    """The labels that a model takes: those it knows, and what it spells as one of them.

    Examples
    --------
    >>> taken = TakenLabels(PhoneLabels({}, ("ae", "k"), ipa=False, noise=False))
    >>> "AE1" in taken, "æ" in taken, "q" in taken, sorted(taken)
    (True, True, False, ['ae', 'k'])
    """

    def __init__(self, labels: PhoneLabels) -> None:
        self._labels = labels
        self._seen: dict[str, bool] = {}

    def __contains__(self, label: object) -> bool:
        if not isinstance(label, str):
            return False
        if label not in self._seen:
            try:
                self._labels.check((label,), "")
                self._seen[label] = True
            except DataError:
                self._seen[label] = False
        return self._seen[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels.known())

    def __len__(self) -> int:
        return len(self._labels.known())


def only_ipa(labels: Iterable[str]) -> bool:
    """Whether labels are IPA for sure: all of its letters, and one that no ASCII alphabet has.

    Examples
    --------
    >>> only_ipa(["sil", "k", "ʃ"]), only_ipa(["k", "a"]), only_ipa(["sil", "iy", "ʃ"])
    (True, False, False)
    """
    spoken = {label for label in labels if label not in SILENCES}
    return not all(map(str.isascii, spoken)) and all(label in IpaLabels() for label in spoken)


def _composed(label: str) -> str:
    return label if label.isascii() else unicodedata.normalize("NFC", label)
