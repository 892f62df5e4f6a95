"""The lattice of a text: words one after the other, each in its variants, a pause between or not.

Which variant was said, and where there was a pause, is not decided beforehand: the decoder
chooses, with the times. The probability of a variant counts as the model's own scores do: those
divided by the temperature of the posterior are logs of probabilities, so that a variant of
probability p scores ``temperature * log(p)``, with the most probable variant of a word at 0.

A model of TIMIT's labels has labels for more than a dictionary writes: the closure of a stop apart
from its release, flaps, reduced vowels. Each phone of the dictionary is then a choice of such
realisations (`realisations`): a stop may be unreleased, or have no closure, a vowel without stress
may be reduced. They are one phone again in the result, which begins with the first of its parts.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice
from align.speech.text.lookup import Entry

__all__ = ["WordLattice", "realisations", "word_lattice"]

Realisations = Mapping[str, Sequence[Sequence[str]]]

_VOICELESS, _VOICED = ("p", "t", "k"), ("b", "d", "g")
_REDUCED = {"ah": ("ax", "ix"), "ih": ("ix",), "uh": ("ix",), "uw": ("ix",)}
_CLOSURES = frozenset({"cl", "vcl", "pcl", "tcl", "kcl", "bcl", "dcl", "gcl", "epi"})


def realisations(
    known: Collection[str], entries: Mapping[str, Entry] | None = None
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return labels for each phone of an English dictionary, for a model that knows closures.

    For some phones their alternatives, each a sequence of labels; empty for a model that has no
    ``cl`` and ``vcl``. Where a pronunciation in `entries` has closures of its own, phones are what
    it says.

    Examples
    --------
    >>> realisations({"cl", "vcl", "t", "dx", "s"})
    {'t': (('cl', 't'), ('cl',), ('t',), ('dx',))}
    >>> realisations({"t", "s"})
    {}
    """
    if not {"cl", "vcl"}.issubset(known):
        return {}
    for entry in (entries or {}).values():
        if any(_CLOSURES.intersection(way.phones) for way in entry.ways):
            return {}
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for stops, closure in ((_VOICELESS, "cl"), (_VOICED, "vcl")):
        for stop in stops:
            flap = (("dx",),) if stop in ("t", "d") else ()
            found[stop] = ((closure, stop), (closure,), (stop,), *flap)
    found["ch"], found["jh"] = (("cl", "ch"), ("ch",)), (("vcl", "jh"), ("jh",))
    for vowel, reduced in _REDUCED.items():
        found[vowel] = ((vowel,), *((other,) for other in reduced))
    return {
        phone: tuple(way for way in ways if all(label in known for label in way))
        for phone, ways in found.items()
        if phone in known
    }


@dataclass(frozen=True, eq=False)
class WordLattice:
    """A lattice of labels, and the phone and word that each node belongs to.

    Parameters
    ----------
    lattice : Lattice
        One node for each label of each realisation of each phone, and for each pause.
    word : np.ndarray [shape=(N,), dtype=intp]
        Place of the word of each node in the text; -1 for pauses.
    place : np.ndarray [shape=(N,), dtype=intp]
        Which phone each node is part of, in `phones`; -1 for pauses.
    phones : tuple of str
        The phones of all variants of all words.
    """

    lattice: Lattice
    word: npt.NDArray[np.intp]
    place: npt.NDArray[np.intp]
    phones: tuple[str, ...] = field(repr=False)


def word_lattice(
    words: Sequence[str],
    entries: Mapping[str, Entry],
    *,
    silence: str | None = "sil",
    temperature: float = 1.0,
    alternatives: Realisations | None = None,
) -> WordLattice:
    """Return the lattice of a text.

    Parameters
    ----------
    words : sequence of str
        At least one.
    entries : mapping of str to Entry
        How each may be said, in the labels of the model.
    silence : str, optional
        Label of pauses; there is one in front and behind, and may be one between two words. None
        for a text that is said without any.
    temperature : float
        Of the model's posterior; scales the probabilities of variants.
    alternatives : mapping of str to sequence of sequences of str, optional
        Realisations of phones; a phone that is not in it is itself.

    Returns
    -------
    WordLattice

    Examples
    --------
    >>> from align.speech.text.dictionary import Pronunciation
    >>> the = Entry("the", (Pronunciation(("dh", "ah")), Pronunciation(("dh", "iy"), 0.5)))
    >>> kiwi = Entry("kiwi", (Pronunciation(("k", "iy", "w", "iy")),))
    >>> built = word_lattice(["the", "kiwi"], {"the": the, "kiwi": kiwi})
    >>> built.lattice.labels
    ('sil', 'dh', 'ah', 'dh', 'iy', 'sil', 'k', 'iy', 'w', 'iy', 'sil')
    >>> built.word.tolist()
    [-1, 0, 0, 0, 0, -1, 1, 1, 1, 1, -1]
    """
    graph = _Graph()
    front: dict[int, float] = {}  # nodes the next may follow, and the score of going on
    if silence is not None:
        front = graph.chain({-1: 0.0}, [silence])
    else:
        front = {-1: 0.0}  # the start of the path
    for i, word in enumerate(words):
        if i and silence is not None:
            front = {**front, **graph.chain(front, [silence])}
        ways = entries[word].ways
        top = max(way.probability for way in ways)
        after: dict[int, float] = {}
        for way in ways:
            score = temperature * math.log(way.probability / top)
            here = {node: value + score for node, value in front.items()}
            for phone in way.phones:
                place = len(graph.phones)
                graph.phones.append(phone)
                following: dict[int, float] = {}
                for labels in (alternatives or {}).get(phone, ((phone,),)):
                    following |= graph.chain(here, labels, i, place)
                here = following
            after |= here
        front = after
    if silence is not None:
        front = graph.chain(front, [silence])
    return graph.finished(front)


class _Graph:
    """A lattice that grows."""

    def __init__(self) -> None:
        self.phones: list[str] = []
        self.labels: list[str] = []
        self.word: list[int] = []
        self.place: list[int] = []
        self.arcs: dict[tuple[int, int], float] = {}

    def chain(
        self, front: Mapping[int, float], labels: Sequence[str], word: int = -1, place: int = -1
    ) -> dict[int, float]:
        """Add nodes one after the other behind those of the front; return the new front."""
        first = len(self.labels)
        self.labels += labels
        self.word += [word] * len(labels)
        self.place += [place] * len(labels)
        last = len(self.labels) - 1
        self.arcs.update({(node, first): score for node, score in front.items()})
        self.arcs.update({(node, node + 1): 0.0 for node in range(first, last)})
        return {last: 0.0}

    def finished(self, front: Mapping[int, float]) -> WordLattice:
        begin = [(v, score) for (u, v), score in self.arcs.items() if u < 0]
        inner = [(arc, score) for arc, score in self.arcs.items() if arc[0] >= 0]
        lattice = Lattice(
            len(self.labels),
            np.array([arc for arc, _ in inner], dtype=np.intp),
            np.array([node for node, _ in begin], dtype=np.intp),
            np.array(list(front), dtype=np.intp),
            np.array([score for _, score in inner]),
            np.array([score for _, score in begin]),
            np.array(list(front.values())),
            labels=tuple(self.labels),
        )
        return WordLattice(
            lattice,
            np.array(self.word, dtype=np.intp),
            np.array(self.place, dtype=np.intp),
            tuple(self.phones),
        )
