"""Where text and sound disagree: words that were not said, and speech that is not in the text.

The lattice of a text may leave out any word, and have anything between two words, each at a cost
(`align.speech.text.lattice.Departures`); so its best path tells where that explains the sound
better. What else is said scores as spoken noise does (`align.features.phone_loop`): in each frame
somewhat less than the best sequence of any phones.

The probability of a mismatch comes from what the best path without it scores: divided by the
temperature of the model, the difference is the logarithm of their odds. Both paths are exact. The
tiers follow only what is nearly certain, so that true transcripts are aligned as if all were
trusted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.decoders import Lattice
from align.results.alignment import Alignment
from align.sequence.lattices import LatticeAlignment
from align.speech.text.lattice import Departures, WordLattice
from align.types import IntArray, Mismatch

__all__ = [
    "Judged",
    "departures_at",
    "is_another_text",
    "mismatches_of",
    "word_matches",
]
Float64 = npt.NDArray[np.float64]

_UNSPOKEN, _UNTRANSCRIBED = 8.0, 8.0  # log odds against; see docs/mismatch.md for what they give
_SURE = 0.99
_FITS = 0.5
_SHORTEST = 0.1  # seconds of speech that is not in the text; less is not worth a word
_ANOTHER = (0.2, 0.3)  # shares of words and of seconds, from which on a text is another one
_MOST, _LONGEST = 12, 60.0  # mismatches, and seconds, up to which each is left out on its own


class Judged(NamedTuple):
    """The mismatches of a text, and the path without those that are not nearly certain.

    The path is None where none of them is.
    """

    mismatches: list[Mismatch]
    path: LatticeAlignment | None


def departures_at(temperature: float) -> Departures:
    """Return what departures cost in the scores of a model of this temperature."""
    return Departures(_UNSPOKEN * temperature, _UNTRANSCRIBED * temperature)


def mismatches_of(
    found: LatticeAlignment,
    built: WordLattice,
    words: Sequence[str],
    whole: LatticeAlignment,
    fit: Float64,
    temperature: float,
    align: Callable[[Lattice], LatticeAlignment],
) -> Judged:
    """Return the mismatches on the path of a text, in order; times are those of `found`.

    `whole` is the path of all of the text, and `fit` [shape=(W,)] the match of each word on it:
    one that fits was said, though perhaps as it seldom is. `align` aligns the same recording with
    another lattice. Of many mismatches, or in a long recording, that would take too long for
    each; then what they gain together is shared between them.
    """
    times = found.alignment.intervals
    groups = _groups(found.nodes, built, times)
    fits = [group for group in groups if _fits(built.word[found.nodes[group]], fit)]
    mismatches: list[Mismatch] = []
    unsure: list[int] = []  # nodes
    gain = _gain(found, whole) / temperature
    each = found.alignment.duration <= _LONGEST and len(groups) <= _MOST
    for g, group in enumerate(groups):
        nodes = found.nodes[group]
        said = tuple(words[built.word[node]] for node in nodes if built.word[node] >= 0)
        start, end = float(times[group[0], 0]), float(times[group[-1], 1])
        short = not said and end - start < _SHORTEST
        if short or group in fits or (not said and any(_beside(group, one) for one in fits)):
            unsure += nodes.tolist()
            continue
        odds = gain / len(groups)
        if each:
            odds = _gain(found, align(_without(built.lattice, nodes))) / temperature
        sure = 1.0 / (1.0 + math.exp(-min(max(odds, 0.0), 50.0)))
        kind = "unspoken" if said else "untranscribed"
        mismatches.append(Mismatch(kind, start, end, said, sure))
        # Something else instead of a word may be the word, said as it seldom is.
        instead = any(_beside(group, other) for other in groups[max(g - 1, 0) : g + 2])
        if sure < _SURE or instead:
            unsure += nodes.tolist()
    if len(unsure) == sum(map(len, groups)):
        return Judged(mismatches, None)
    path = align(_without(built.lattice, unsure)) if unsure else found
    return Judged(mismatches, path)


def is_another_text(mismatches: Sequence[Mismatch], n_words: int, found: Alignment) -> bool:
    """Whether much of a text was not said, and much else was."""
    unspoken = sum(len(m.words) for m in mismatches)
    seconds = sum(m.end - m.start for m in mismatches if not m.words)
    return unspoken >= _ANOTHER[0] * n_words and seconds >= _ANOTHER[1] * found.duration


def word_matches(found: LatticeAlignment, built: WordLattice, n_words: int) -> Float64:
    """Return the match of each word of a text [shape=(W,)]; 0 where the model knows none."""
    of_events = found.alignment.event_match
    place = built.word[found.nodes]
    if of_events is None:
        return np.zeros(n_words)
    total = np.bincount(place[place >= 0], of_events[place >= 0], n_words)
    return total / np.maximum(np.bincount(place[place >= 0], minlength=n_words), 1)


def _fits(places: IntArray, fit: Float64) -> bool:
    """Whether the words that were left out fit; without any they do not."""
    words = places[places >= 0]
    return bool(words.size and fit[words].mean() >= _FITS)


def _groups(nodes: IntArray, built: WordLattice, times: Float64) -> list[list[int]]:
    """Return the places on a path of each mismatch.

    Words that were left out one after the other are one, whatever short sound or pause is between.
    """
    groups: list[list[int]] = []
    for k in built.departing(nodes).tolist():
        left_out = built.unspoken[nodes[k]]
        short = times[k, 1] - times[k, 0] < _SHORTEST
        before = groups[-1][-1] if groups else k
        paused = (built.word[nodes[before + 1 : k]] < 0).all()
        if before < k and paused and (left_out or short):
            if built.unspoken[nodes[groups[-1]]].any():
                groups[-1].append(k)
                continue
            if left_out and times[groups[-1][-1], 1] - times[groups[-1][0], 0] < _SHORTEST:
                groups[-1].append(k)
                continue
        groups.append([k])
    return groups


def _gain(found: LatticeAlignment, other: LatticeAlignment) -> float:
    """Return how much more one path scores than another."""
    best, less = found.alignment.score, other.alignment.score
    assert best is not None
    assert less is not None
    return best - less


def _beside(group: list[int], other: list[int]) -> bool:
    """Whether two groups of places follow each other, but for a pause between them."""
    return 0 < other[0] - group[-1] <= 2 or 0 < group[0] - other[-1] <= 2


def _without(lattice: Lattice, nodes: IntArray | list[int]) -> Lattice:
    """Return a lattice whose paths pass none of the nodes."""
    arc_score, start_score = lattice.arc_score.copy(), lattice.start_score.copy()
    arc_score[np.isin(lattice.arcs[:, 1], nodes)] = -np.inf
    start_score[np.isin(lattice.starts, nodes)] = -np.inf
    return replace(lattice, arc_score=arc_score, start_score=start_score)
