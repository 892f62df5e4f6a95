"""Broad classes of labels, where they are known: phones of TIMIT and CMUdict, or IPA."""

from collections import Counter
from collections.abc import Iterable

from align.errors import DataError
from align.features.phones.articulatory import articulation
from align.formats.phone_map import read_phone_map
from align.types import SILENCES

_MOST = 0.9  # share of the labels that must have a class
_LONGEST = 3.0  # mean letters of a phone in IPA; words spelled with its letters have more


def classes_of(labels: Iterable[str]) -> dict[str, str]:
    """Return the class of each label that has one; empty where fewer than nine in ten have.

    Each of the `labels` counts as often as it occurs. Classes are those of TIMIT's phones, with
    any case and stress; else, of labels in IPA, how the sound is articulated when it begins.

    Examples
    --------
    >>> classes_of(["K", "IY1", "sil"])
    {'K': 'burst', 'IY1': 'vowel', 'sil': 'silence'}
    >>> classes_of(["tʰ", "ɔː", "ŋ"])["ŋ"]
    'nasal'
    >>> classes_of(["kiwi", "green"])
    {}
    """
    counts = Counter(labels)
    quiet = {label: "silence" for label in counts if label in SILENCES}
    sounds = {label: n for label, n in counts.items() if label not in quiet}
    total = sum(sounds.values())
    letters = sum(len(label) * n for label, n in sounds.items())
    for found in (_of_timit, _of_ipa):
        if found is _of_ipa and letters > _LONGEST * total:
            continue
        classes = found(sounds)
        if total and sum(sounds[label] for label in classes) >= _MOST * total:
            return classes | quiet
    return {}


def _of_timit(labels: Iterable[str]) -> dict[str, str]:
    known = read_phone_map("timit_classes")
    names = {label: label.lower().rstrip("012") for label in labels}
    return {
        label: known[label] if label in known else known[name]
        for label, name in names.items()
        if label in known or name in known
    }


def _of_ipa(labels: Iterable[str]) -> dict[str, str]:
    classes = {}
    for label in labels:
        try:
            classes[label] = articulation(label).opening
        except DataError:
            continue
    return classes
