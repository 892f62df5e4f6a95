"""Words whose beginning is known: from anchors of words to anchors of the nodes of a lattice.

A word has several nodes it may begin with, one for each way of saying it, and all of them get the
time. Where a first phone may be dropped, the second is also the first of a shorter way. It gets a
node of its own for that, so that only where it begins the word is it held.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from align.decoders import Lattice
from align.errors import DataError
from align.sequence.anchors import Anchors, GivenAnchors
from align.speech.text.conversation import Spoken
from align.speech.text.lattice import Taken, WordLattice


def word_anchors(
    given: GivenAnchors, said: Sequence[Spoken], duration: float, name: str
) -> Anchors | None:
    """Return the known times of words, which count over all utterances; None without any.

    Raises DataError where one is impossible.
    """
    if not given:
        return None
    if len({utterance.speaker for utterance, _ in said}) > 1:
        raise DataError(
            "anchors are for one speaker, and the transcript has several; choose one with --tier.",
            path=name,
        )
    words = [word for _, own in said for word in own]
    anchors = Anchors.of(given, words)
    assert anchors is not None
    names = {i: f"word {i + 1} ({word!r})" for i, word in enumerate(words)}
    anchors = replace(anchors, names={**names, **anchors.names})
    anchors.check(words, duration, name)
    return anchors


def node_anchors(
    anchors: Anchors | None,
    built: WordLattice,
    first: int,
    span: tuple[float, float],
    name: str,
) -> tuple[WordLattice, Anchors | None]:
    """Return the lattice of an utterance, and anchors of its nodes; None where there are none.

    `first` is the number of its first word, `span` the stretch of the recording it is looked for
    in, in seconds: the times are counted from there. Raises DataError where one lies outside.
    """
    n_words = int(built.word.max()) + 1
    own = {
        i - first: time
        for i, time in (anchors.onsets if anchors is not None else {}).items()
        if first <= i < first + n_words
    }
    if anchors is None or not own:
        return built, None
    begin, end = span
    for i, time in own.items():
        if not begin <= time < end:
            why = f"its utterance lasts from {begin:.3f} to {end:.3f} s; correct one of the two."
            raise anchors.error(first + i, (), why, name)
    split, entries = with_own_entries(built, own)
    return split, anchors.moved({node: first + i for node, i in entries.items()}, begin)


def with_own_entries(
    built: WordLattice, words: Collection[int]
) -> tuple[WordLattice, dict[int, int]]:
    """Return the lattice with nodes that only begin a word, and the word that each begins.

    The paths, with their labels and scores, are the same. `words` are places in the text; other
    words stay as they are.
    """
    lattice, word = built.lattice, built.word.tolist()
    entered = {v for v in lattice.starts.tolist() if word[v] in words}
    inside: set[int] = set()
    for u, v in lattice.arcs.tolist():
        if word[v] in words:
            (inside if word[u] == word[v] else entered).add(v)
    both = sorted(entered & inside)
    copy = {v: lattice.n_nodes + i for i, v in enumerate(both)}
    arcs: list[tuple[int, int]] = []
    score: list[float] = []
    taken: dict[tuple[int, int], tuple[Taken, ...]] = {
        (u, copy.get(v, v)): way for (u, v), way in built.taken.items() if u < 0
    }
    for (u, v), value in zip(lattice.arcs.tolist(), lattice.arc_score.tolist(), strict=True):
        target = v if word[u] == word[v] else copy.get(v, v)
        for source in (u, copy[u]) if u in copy else (u,):
            arcs.append((source, target))
            score.append(value)
            if (u, v) in built.taken:
                taken[source, target] = built.taken[u, v]
    ends = zip(lattice.ends.tolist(), lattice.end_score.tolist(), strict=True)
    last = [(w, x) for v, x in ends for w in ((v, copy[v]) if v in copy else (v,))]
    whole = Lattice(
        lattice.n_nodes + len(both),
        np.array(arcs, dtype=np.intp),
        np.array([copy.get(v, v) for v in lattice.starts.tolist()], dtype=np.intp),
        np.array([v for v, _ in last], dtype=np.intp),
        np.array(score),
        lattice.start_score,
        np.array([x for _, x in last]),
        labels=(*lattice.labels, *(lattice.labels[v] for v in both)),
    )
    split = replace(
        built,
        lattice=whole,
        word=np.append(built.word, built.word[both]),
        place=np.append(built.place, built.place[both]),
        unspoken=np.append(built.unspoken, built.unspoken[both]),
        taken=taken,
    )
    return split, {copy.get(v, v): word[v] for v in sorted(entered)}
