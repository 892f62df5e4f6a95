"""Maps from one set of phones to another, or to classes of phones; data that users may replace.

Five come with Align:

* ``timit48``: the 61 phones of TIMIT to the 48 of Lee and Hon, which the thesis uses. Lee and Hon
  drop the glottal stop ``q``; time cannot be dropped from an alignment, so here ``q`` is a
  voiceless closure, ``cl``.
* ``timit39``: the same 61 (and the 48) to the 39 in which Lee and Hon count errors; ``q`` is
  ``sil``, as ``cl`` is.
* ``timit_classes``: the 61 and the 48 to broad classes: vowel, approximant, nasal, fricative,
  affricate, closure, burst, silence. The flap ``dx`` counts as a burst, the glottal stop as a
  closure, ``nx`` as a nasal, ``hh`` and ``hv`` as fricatives.
* ``timit_ipa``: the 61 to the International Phonetic Alphabet, closures as unreleased stops.
* ``xsampa_ipa``: X-SAMPA, such as WebMAUS writes, to the IPA: single sounds, long ones, diphthongs
  and affricates, and what WebMAUS calls pauses and noises.

References
----------
Lee and Hon, "Speaker-independent phone recognition using hidden Markov models", IEEE Transactions
on Acoustics, Speech and Signal Processing 37(11), 1989, table I.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from importlib.resources import files

from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.text import Place, read_lines

PHONE_MAPS = {
    "timit48": "timit61_48.csv",
    "timit39": "timit61_39.csv",
    "timit_classes": "timit_classes.csv",
    "timit_ipa": "timit_ipa.csv",
    "xsampa_ipa": "xsampa_ipa.csv",
}
"""File of each map that comes with Align."""

_HEADS = {"from", "phone", "phoneme", "label"}


def read_phone_map(path_or_name: StrPath) -> dict[str, str]:
    """Read a map of phones.

    Parameters
    ----------
    path_or_name : path or str
        One of `PHONE_MAPS`, or a text file of two columns, from and to,
        separated by a comma, a tab or spaces. A first line that begins with ``from``, ``phone``,
        ``phoneme`` or ``label`` names the columns.

    Returns
    -------
    dict of str to str

    Raises
    ------
    DataError
        If the file cannot be used; the message names the line.

    Examples
    --------
    >>> read_phone_map("timit48")["kcl"]
    'cl'
    """
    name = os.fspath(path_or_name)
    if name in PHONE_MAPS:
        name = str(files("align.data") / PHONE_MAPS[name])
    elif not os.path.exists(name) and not os.path.splitext(name)[1]:
        raise DataError(
            f"no phone map {name!r}: it is not a file, and the maps that come with Align are "
            f"{', '.join(PHONE_MAPS)}."
        )
    mapping: dict[str, str] = {}
    for i, (number, line) in enumerate(read_lines(name)):
        at = Place(name, number)
        separator = next((s for s in ",\t" if s in line), None)
        cells = [cell.strip() for cell in line.split(separator)]
        if i == 0 and cells[0].lower() in _HEADS:
            continue
        if len(cells) != 2:
            raise at.wrong(f"{line!r} is not `from,to`.")
        source, target = cells
        if not source or not target:
            raise at.wrong(
                f"{line!r} maps to nothing; an event cannot be dropped from an alignment, so map "
                "it to its nearest phone."
            )
        if mapping.setdefault(source, target) != target:
            raise at.wrong(
                f"{source!r} is mapped to {target!r} here and to {mapping[source]!r} above; keep "
                "one."
            )
    if not mapping:
        raise DataError("is empty; give one `from,to` on each line.", path=name)
    return mapping


def map_labels(
    labels: Sequence[str],
    mapping: Mapping[str, str],
    *,
    path: str | None = None,
    lines: Sequence[int] = (),
) -> tuple[str, ...]:
    """Map every label, or raise a `DataError` that names the first one the map does not know.

    Parameters
    ----------
    labels : sequence of str, length K
        Labels to map.
    mapping : mapping of str to str
        As `read_phone_map` returns it.
    path : str, optional
        Where the labels come from, for the message.
    lines : sequence of int, length K, optional
        Line of each label, for the message.

    Returns
    -------
    tuple of str, length K

    Examples
    --------
    >>> map_labels(["h#", "kcl", "k"], read_phone_map("timit48"))
    ('sil', 'cl', 'k')
    """
    for k, label in enumerate(labels):
        if label not in mapping:
            raise DataError(
                f"the phone map does not know {unknown(label, mapping)}.",
                path=path,
                line=lines[k] if lines else None,
            )
    return tuple(mapping[label] for label in labels)


def unknown(label: str, known: Iterable[str]) -> str:
    """Name an unknown label and the nearest known one, for a message."""
    nearest = nearest_label(label, filter(None, known))  # a label that is empty helps nobody
    return repr(label) + ("" if nearest is None else f" (nearest known: {nearest!r})")


def nearest_label(label: str, known: Iterable[str]) -> str | None:
    """Return the known label most like another, or None where nothing is alike.

    Parameters
    ----------
    label : str
        An unknown label.
    known : iterable of str
        The known ones.

    Returns
    -------
    str or None
        Compared without case, stress digits and diacritics first; ties go to the shortest, then
        to the first in the alphabet.

    Examples
    --------
    >>> nearest_label("aaa", ["b", "aa", "ae"])
    'aa'
    >>> nearest_label("AE1", ["aa", "ae"])
    'ae'
    """
    if not isinstance(label, str):
        raise ParameterError(f"label={label!r}, must be a text.")
    plain = _plain(label)
    best: tuple[float, int, str] | None = None
    for other in known:
        ratio = max(
            SequenceMatcher(None, label, other).ratio(),
            SequenceMatcher(None, plain, _plain(other)).ratio(),
        )
        if ratio > 0:
            entry = (-ratio, len(other), other)
            best = entry if best is None else min(best, entry)
    return None if best is None else best[2]


def _plain(label: str) -> str:
    letters = unicodedata.normalize("NFD", label.casefold())
    return re.sub(r"[0-9ːˑ]", "", "".join(c for c in letters if not unicodedata.combining(c)))
