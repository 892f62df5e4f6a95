"""Recordings labelled in TIMIT's phones, relabelled in the International Phonetic Alphabet.

So that corpora with different labels can train one model (``SpeechAligner("universal")``). TIMIT
labels the closure of a stop and its release apart; in the IPA they are one phone, which begins
with the closure. A closure without release is an unreleased stop, and neighbouring silences are
one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.formats.phone_map import map_labels, read_phone_map
from align.types import SILENCE, Example

_RELEASES = {
    "bcl": ("b",),
    "dcl": ("d", "jh"),
    "gcl": ("g",),
    "pcl": ("p",),
    "tcl": ("t", "ch"),
    "kcl": ("k",),
}


def to_ipa(
    examples: Iterable[Example], phone_map: StrPath | Mapping[str, str] = "timit_ipa"
) -> list[Example]:
    """Return recordings with labels in the IPA.

    Parameters
    ----------
    examples : iterable of Example
        Labelled in TIMIT's 61 phones; each with `onsets`.
    phone_map : str, path or mapping
        From their labels to the IPA, as `align.formats.phone_map.read_phone_map` reads it.

    Returns
    -------
    list of Example
        With fewer events where a closure and its release, or two silences, became one.

    Raises
    ------
    DataError
        Where the map lacks a label, or an example has no onsets.

    Examples
    --------
    >>> example = Example("a.wav", ("h#", "tcl", "ch", "iy", "kcl", "h#"),
    ...                   np.array([0.0, 0.1, 0.15, 0.2, 0.3, 0.4]))
    >>> [found] = to_ipa([example])
    >>> found.events
    ('sil', 't͡ʃ', 'i', 'k̚', 'sil')
    >>> found.onsets
    array([0. , 0.1, 0.2, 0.3, 0.4])
    """
    mapping = phone_map if isinstance(phone_map, Mapping) else read_phone_map(phone_map)
    relabelled = []
    for example in examples:
        if example.onsets is None:
            raise DataError("it has no onsets to relabel.", path=example.name)
        given = [str(event) for event in example.events]
        new = map_labels(given, mapping, path=example.name)
        kept = [
            k
            for k in range(len(given))
            if k == 0
            or not (given[k] in _RELEASES.get(given[k - 1], ()) or new[k - 1] == new[k] == SILENCE)
        ]
        events = []
        for k in kept:
            released = k + 1 < len(given) and given[k + 1] in _RELEASES.get(given[k], ())
            events.append(new[k + 1] if released else new[k])
        relabelled.append(
            replace(example, events=tuple(events), onsets=np.asarray(example.onsets)[kept])
        )
    return relabelled
