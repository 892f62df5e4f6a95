"""The lattice of a text: words one after the other, each in its variants, a pause between or not.

Which variant was said, and where there was a pause, is not decided beforehand: the decoder
chooses, with the times. The probability of a variant counts as the model's own scores do: those
divided by the temperature of the posterior are logs of probabilities, so that a variant of
probability p scores ``temperature * log(p)``, with the most probable variant of a word at 0.

A model of TIMIT's labels has labels for more than a dictionary writes: the closure of a stop apart
from its release, flaps, reduced vowels. Each phone of the dictionary is then a choice of such
realisations (`realisations`): a stop may be unreleased, or have no closure, a vowel without stress
may be reduced. They are one phone again in the result, which begins with the first of its parts.

A model that learned from text, too, knows what each choice costs, and so has more of them
(`align.speech.text.pronouncing.realisation`): phones may also be dropped, but never all of a word.
The score of what lies on an arc is then the sum of the choices it stands for.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from align.decoders import Lattice
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.pronouncing.realisation import (
    Choice,
    Context,
    Rules,
    score_of,
)
from align.types import SPOKEN_NOISE, BoolArray, Float64, IntArray

if TYPE_CHECKING:
    from align.speech.text.pronouncing.articulation import IpaRules

Realisations = Mapping[str, Sequence[Sequence[str]]]

_VOICELESS, _VOICED = ("p", "t", "k"), ("b", "d", "g")
_REDUCED = {"ah": ("ax", "ix"), "ih": ("ix",), "uh": ("ix",), "uw": ("ix",)}
_NOT_IN_TEXT = -2  # place of nodes of what is not in the text
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


class Realised(NamedTuple):
    """Rules that say what phones may become, and the learned weights of the names of choices."""

    rules: "Rules | IpaRules"
    costs: Mapping[str, float]


class Departures(NamedTuple):
    """What it costs that text and sound disagree; infinite where that may not be.

    unspoken : of a word that was left out: a pause in its place
    untranscribed : of anything that was said between two words: a node ``spn`` that is no word's;
        in any gap, or in each, from that before the first word on
    begins : labels of sounds of which it begins with one, for nothing; with none it is all ``spn``
    passage : of `shortest` words or more that were left out: one pause for all of them
    outer : how much less that costs at the beginning of the text, and at its end
    shortest : words of a passage, a power of two
    """

    unspoken: float = math.inf
    untranscribed: float | Sequence[float] = math.inf
    begins: Sequence[str] = ()
    passage: float = math.inf
    outer: float = 0.0
    shortest: int = 4

    def in_gap(self, k: int) -> float:
        """Return what it costs that anything was said before word k, or behind the last one."""
        cost = self.untranscribed
        return cost[k] if isinstance(cost, Sequence) else cost


TRUSTED = Departures()


class Taken(NamedTuple):
    """One choice: which of the decisions of a text, and which of its choices."""

    decision: int
    choice: int


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
        Which phone each node is part of, in `phones`; -1 for pauses, -2 for what is not in the
        text.
    phones : tuple of str
        The phones of all variants of all words.
    unspoken : np.ndarray [shape=(N,), dtype=bool]
        Nodes that stand for a word that was left out.
    decisions : tuple of tuple of tuple of str
        Where costs are learned: of each decision the names of each of its choices.
    taken : mapping of (int, int) to tuple of Taken
        What is chosen on each arc, where there is something to choose.
    """

    lattice: Lattice
    word: IntArray
    place: IntArray
    phones: tuple[str, ...] = field(repr=False)
    unspoken: BoolArray = field(repr=False)
    decisions: tuple[tuple[tuple[str, ...], ...], ...] = field(default=(), repr=False)
    taken: Mapping[tuple[int, int], tuple[Taken, ...]] = field(default_factory=dict, repr=False)

    def beginning(self, times: Float64) -> dict[int, float]:
        """Return when nodes that begin words do, given when each word does [shape=(W,)]."""
        u, v = self.lattice.arcs.T
        begins = np.unique(np.concatenate((self.lattice.starts, v[self.word[u] != self.word[v]])))
        begins = begins[self.word[begins] >= 0]
        return dict(zip(begins.tolist(), times[self.word[begins]].tolist(), strict=True))

    def said(self) -> IntArray:
        """Return the word of each node [shape=(N,)]; -1 of none, and of one that is left out."""
        return np.where(self.unspoken, -1, self.word)

    def departures(self) -> IntArray:
        """Return the nodes at which a word is left out, or anything else is said."""
        return np.flatnonzero(self.unspoken | self.noise())

    def words_before(self) -> IntArray:
        """Return the last word up to each node [shape=(N,)]; -1 in front of the first."""
        return np.maximum.accumulate(self.word)

    def noise(self) -> BoolArray:
        """Return which nodes stand for anything that is not in the text [shape=(N,)]."""
        noise: BoolArray = self.place == _NOT_IN_TEXT
        return noise


def word_lattice(
    words: Sequence[str],
    entries: Mapping[str, Entry],
    *,
    silence: str | None = "sil",
    temperature: float = 1.0,
    alternatives: Realisations | None = None,
    realised: Realised | None = None,
    departures: Departures = TRUSTED,
    recorded: bool = False,
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
        Realisations of phones, which cost nothing; a phone that is not in it is itself.
    realised : Realised, optional
        Rules for realisations, and what they cost, of words that have no phone with alternatives.
    departures : Departures
        What it costs that words were not said, and that something else was; by default all was
        said, and nothing else.
    recorded : bool
        Whether `decisions` and `taken` are wanted, to learn costs from.

    Returns
    -------
    WordLattice

    Examples
    --------
    >>> from align.speech.text.pronouncing.dictionary import Pronunciation
    >>> the = Entry("the", (Pronunciation(("dh", "ah")), Pronunciation(("dh", "iy"), 0.5)))
    >>> kiwi = Entry("kiwi", (Pronunciation(("k", "iy", "w", "iy")),))
    >>> built = word_lattice(["the", "kiwi"], {"the": the, "kiwi": kiwi})
    >>> built.lattice.labels
    ('sil', 'dh', 'ah', 'dh', 'iy', 'sil', 'k', 'iy', 'w', 'iy', 'sil')
    >>> built.word.tolist()
    [-1, 0, 0, 0, 0, -1, 1, 1, 1, 1, -1]
    """
    graph = (_RecordedGraph if recorded else _Graph)({} if realised is None else realised.costs)
    text = _Text(graph, words, entries, silence, alternatives or {}, realised, departures)
    return text.built(temperature)


_Front = dict[int, Any]
"""Nodes that the next may follow, and the way on from each, as its graph keeps it."""


@dataclass(eq=False)
class _Text:
    """A text that is laid out as a graph, word by word; the fields are as in `word_lattice`.

    Where passages may be left out, there is a pause in front of each word that stands for all of
    one. It may follow on the words 4, 8, 16 ... before, if the shortest passage has four, which
    costs what a passage does, and for nothing on such pauses 1, 2, 4, 8 ... words before: so any
    number from four on may be left out by a few pauses, with few arcs for each word.
    """

    graph: "_Graph"
    words: Sequence[str]
    entries: Mapping[str, Entry]
    silence: str | None
    alternatives: Realisations
    realised: Realised | None
    departures: Departures
    fronts: list[_Front] = field(default_factory=list)  # of each word, without passages
    pauses: list[_Front] = field(default_factory=list)

    def built(self, temperature: float) -> WordLattice:
        """Return the lattice."""
        graph, front = self.graph, self._paused(self.graph.begin())
        for i, word in enumerate(self.words):
            if i and self.silence is not None:
                front = self._with_pause(front, self.silence, self.words[i - 1])
            front = self._passages_left_out(self._with_anything(front, i))
            ways = self.entries[word].ways
            top = max(way.probability for way in ways)
            after: _Front = {}
            for way in ways:
                here = graph.scored(front, temperature * math.log(way.probability / top))
                if self.realised is None or any(p in self.alternatives for p in way.phones):
                    after |= self._as_written(here, way.phones, i)
                else:
                    after |= self._as_said(here, way.phones, i, self.realised.rules)
            if self.departures.unspoken < math.inf:
                here = graph.scored(front, -self.departures.unspoken)
                after |= graph.chain(here, [self.silence or SPOKEN_NOISE], i)
            front = after
        front = self._with_anything(front, len(self.words))
        return graph.finished(self._paused(self._passages_left_out(front, last=True)))

    def _paused(self, front: _Front) -> _Front:
        """Return the front behind a pause, where there are any."""
        return front if self.silence is None else self.graph.chain(front, [self.silence])

    def _with_pause(self, front: _Front, silence: str, before: str) -> _Front:
        """Return the front behind the word `before`, with a pause and without one."""
        if self.realised is None:
            return {**front, **self._paused(front)}
        graph, rules = self.graph, self.realised.rules
        names = rules.pause(rules.weak(before, len(self.entries[before].ways[0].phones)))
        none, pause = graph.decide(Choice((), ()), Choice((silence,), names))
        return {**graph.chosen(front, none), **self._paused(graph.chosen(front, pause))}

    def _with_anything(self, front: _Front, gap: int) -> _Front:
        """Return the front with anything said that is not in the text, and without it."""
        graph, begins, cost = self.graph, self.departures.begins, self.departures.in_gap(gap)
        if cost == math.inf:
            return front
        here = graph.scored(front, -cost)
        begun: _Front = {} if begins else here
        for label in begins:
            begun |= graph.chain(here, [label], place=_NOT_IN_TEXT)
        said = graph.chain(begun, [SPOKEN_NOISE], place=_NOT_IN_TEXT)
        return {**front, **said, **self._paused(said)}

    def _passages_left_out(self, front: _Front, *, last: bool = False) -> _Front:
        """Return the front before the next word, which may come behind a passage as well.

        Or that behind the `last` one.
        """
        own = self.departures
        if self.silence is None or own.passage == math.inf:
            return front
        here: _Front = {}
        n, step = len(self.fronts), 1
        while step <= n:
            here |= self.pauses[n - step]
            if step >= own.shortest:
                cost = own.passage - (own.outer if step == n else 0.0)
                here |= self.graph.scored(self.fronts[n - step], -cost)
            step *= 2
        if last:
            here = self.graph.scored(here, own.outer)
        pause = self._paused(here) if here else {}
        self.fronts.append(front)
        self.pauses.append(pause)
        return {**front, **pause}

    def _as_written(self, here: _Front, phones: Sequence[str], word: int) -> _Front:
        """Add a pronunciation whose phones have alternatives that cost nothing."""
        for k, phone in enumerate(phones):
            place = self.graph.phone(phone)
            following: _Front = {}
            ways = self.alternatives.get(phone, ((phone,),))
            for labels in ways:
                ahead = here if k else self._in_full(here, labels, ways[0])
                following |= self.graph.chain(ahead, labels, word, place)
            here = following
        return here

    def _in_full(self, front: _Front, labels: Sequence[str], written: Sequence[str]) -> _Front:
        """Return the front, of a word's first phone, where it may be said with these labels.

        Behind anything else a phone is not dropped, nor is the closure of a stop, which would
        count for what is not in the text.
        """
        if labels == written or (labels and written[0] not in _CLOSURES):
            return front
        place = self.graph.place
        return {u: way for u, way in front.items() if u < 0 or place[u] != _NOT_IN_TEXT}

    def _as_said(
        self, here: _Front, phones: Sequence[str], i: int, rules: "Rules | IpaRules"
    ) -> _Front:
        """Add a pronunciation of word i with all that its phones may become."""
        graph, entry = self.graph, self.entries[self.words[i]]
        around = [self._phone_beside(i, -1), *phones, self._phone_beside(i, 1)]
        n = len(phones)
        weak = rules.weak(entry.word, n)
        said: set[int] = set()  # nodes of phones of this word
        for k, phone in enumerate(phones):
            at = Context(around[k], around[k + 2], k == 0, k == n - 1, weak)
            if k == 0 and (stop := rules.glottal(phone, at)) is not None:
                here = self._with_glottal_stop(here, stop, i, rules)
            place, choices = graph.phone(phone), rules.of(phone, at)
            following: _Front = {}
            for choice, more in zip(choices, graph.decide(*choices), strict=True):
                ahead = graph.chosen(here, more)
                if k == 0:
                    ahead = self._in_full(ahead, choice.labels, choices[0].labels)
                if choice.labels:
                    following |= graph.chain(ahead, choice.labels, i, place)
                    said.add(len(graph.labels) - 1)
                    continue
                # a word keeps one phone at least; of two alike across words one stays
                behind = rules.behind(phone, at)
                following |= {
                    u: way
                    for u, way in ahead.items()
                    if (not at.last or u in said)
                    and (behind is None or (u >= 0 and graph.labels[u] in behind))
                }
            here = following
            if entry.unwritten and not at.last and rules.lacks_vowel(phone, at):
                here = self._with_vowel(here, entry.unwritten, i)
        return here

    def _phone_beside(self, i: int, step: int) -> str:
        """Return the last phone of the word before or the first of the next; empty at the ends."""
        if not 0 <= i + step < len(self.words):
            return ""
        return self.entries[self.words[i + step]].ways[0].phones[-1 if step < 0 else 0]

    def _with_vowel(self, here: _Front, vowels: Sequence[str], word: int) -> _Front:
        """Return the front with each of some vowels that are not written, and with none."""
        graph = self.graph
        none, *each = graph.decide(Choice((), ()), *(Choice((v,), ("unwritten",)) for v in vowels))
        found = graph.chosen(here, none)
        for vowel, more in zip(vowels, each, strict=True):
            place = graph.phone(vowel)
            found |= graph.chain(graph.chosen(here, more), [vowel], word, place)
        return found

    def _with_glottal_stop(
        self, here: _Front, stop: Choice, word: int, rules: "Rules | IpaRules"
    ) -> _Front:
        """Return the front with a glottal stop and without one."""
        graph = self.graph
        none, stopped = graph.decide(Choice((), ()), stop)
        place, begun = graph.phone(rules.glottal_stop), graph.chosen(here, none)
        for gap in (True, False):
            some = {
                u: way
                for u, way in graph.chosen(here, stopped).items()
                if (u >= 0 and rules.parts_words(graph.labels[u])) == gap
            }
            if some:
                begun |= graph.chain(some, stop.labels, *((-1, -1) if gap else (word, place)))
        return begun


class _Graph:
    """A lattice that grows. The way along an arc is its score."""

    def __init__(self, costs: Mapping[str, float]) -> None:
        self.costs = costs
        self.scores: dict[tuple[str, ...], float] = {}
        self.phones: list[str] = []
        self.labels: list[str] = []
        self.word: list[int] = []
        self.place: list[int] = []
        self.source: list[int] = []
        self.target: list[int] = []
        self.ways: list[Any] = []
        self.plain: Any = 0.0

    def phone(self, phone: str) -> int:
        """Add a phone; return its place."""
        self.phones.append(phone)
        return len(self.phones) - 1

    def decide(self, *choices: Choice) -> list[Any]:
        """Add a decision between choices; return what taking each adds to a way."""
        for choice in choices:
            if choice.names not in self.scores:
                self.scores[choice.names] = score_of(choice.names, self.costs)
        return [self.scores[choice.names] for choice in choices]

    def begin(self) -> _Front:
        """Return the front before the first node."""
        return {-1: self.plain}

    def scored(self, front: _Front, more: float) -> _Front:
        """Return the front with more on each way's score."""
        return {u: way + more for u, way in front.items()}

    def chosen(self, front: _Front, more: Any) -> _Front:
        """Return the front with what a choice that was taken adds to each way."""
        return self.scored(front, more)

    def chain(
        self, front: _Front, labels: Sequence[str], word: int = -1, place: int = -1
    ) -> _Front:
        """Add nodes one after the other behind those of the front; return the new front."""
        first, n = len(self.labels), len(labels)
        last = first + n - 1
        self.labels += labels
        self.word += [word] * n
        self.place += [place] * n
        self.source += front
        self.target += [first] * len(front)
        self.ways += front.values()
        for node in range(first, last):
            self.source.append(node)
            self.target.append(node + 1)
            self.ways.append(self.plain)
        return {last: self.plain}

    def finished(self, front: _Front) -> WordLattice:
        """Return the lattice of all paths that end in the front."""
        arcs = np.array([self.source, self.target], dtype=np.intp).T
        scores = np.array(self.ways, dtype=np.float64)
        begins, inner = np.flatnonzero(arcs[:, 0] < 0), np.flatnonzero(arcs[:, 0] >= 0)
        lattice = Lattice(
            len(self.labels),
            arcs[inner],
            arcs[begins, 1],
            np.array(list(front), dtype=np.intp),
            scores[inner],
            scores[begins],
            np.array(list(front.values()), dtype=np.float64),
            labels=tuple(self.labels),
        )
        word, place = np.array(self.word, dtype=np.intp), np.array(self.place, dtype=np.intp)
        return WordLattice(lattice, word, place, tuple(self.phones), (word >= 0) & (place < 0))


class _RecordedGraph(_Graph):
    """One whose ways are scores and the choices that they stand for."""

    def __init__(self, costs: Mapping[str, float]) -> None:
        super().__init__(costs)
        self.plain = (0.0, ())
        self.decisions: list[tuple[tuple[str, ...], ...]] = []

    def decide(self, *choices: Choice) -> list[Any]:
        scores = super().decide(*choices)
        if len(choices) == 1:
            return [(scores[0], ())]  # nothing to choose
        self.decisions.append(tuple(choice.names for choice in choices))
        number = len(self.decisions) - 1
        return [(score, (Taken(number, c),)) for c, score in enumerate(scores)]

    def scored(self, front: _Front, more: float) -> _Front:
        return {u: (score + more, taken) for u, (score, taken) in front.items()}

    def chosen(self, front: _Front, more: Any) -> _Front:
        better, own = more
        return {u: (x + better, (*before, *own)) for u, (x, before) in front.items()}

    def finished(self, front: _Front) -> WordLattice:
        arcs = zip(self.source, self.target, self.ways, strict=True)
        taken = {(u, v): own for u, v, (_, own) in arcs if own}
        self.ways = [score for score, _ in self.ways]
        built = super().finished({u: score for u, (score, _) in front.items()})
        return replace(built, decisions=tuple(self.decisions), taken=taken)
