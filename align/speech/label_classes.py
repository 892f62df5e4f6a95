"""Phone maps and broad classes of labels."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from align.errors import DataError
from align.features.phones.articulatory import articulation
from align.formats.phone_map import PHONE_MAPS, read_phone_map
from align.types import SILENCE, SILENCES, SPOKEN_NOISE


class IpaClasses(Mapping[str, str]):
    """Broad class of every label that can be read as IPA, listed or not."""

    def __init__(self, symbols: Mapping[str, str], labels: Sequence[str]) -> None:
        self._symbols, self._labels = symbols, labels

    def __getitem__(self, label: str) -> str:
        try:
            return articulation(self._symbols.get(label, label)).opening
        except DataError as error:
            raise KeyError(label) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


@lru_cache(maxsize=8)
def read_map(name: str) -> Mapping[str, str]:
    """Return a phone map: a bundled one by its name, or that of a file.

    In a bundled one silences of other label sets are ``sil``, too, unless it says otherwise.
    """
    found = read_phone_map(name)
    if name not in PHONE_MAPS or SILENCE not in found.values():
        return found
    return {**{s: SILENCE for s in SILENCES if s != SPOKEN_NOISE}, **found}


def broad_classes() -> Mapping[str, str]:
    """Return the broad class of each phone of TIMIT."""
    return read_map("timit_classes")
