"""Words that are probably in the wrong place, by a second opinion.

How sure a word is comes from timings near the best path (`align.sequence.times.refine`). Where
speech is hardly audible, whole runs of words lie elsewhere than they were said, and each is as
sure there as words are anywhere. What shows them is that they do not stay: where lengths count
more or less than was learned, and the borders between phones hardly count, words that are clear
are found where they were, and others move. By how much the start of a word moves, as the mean
logarithm over two such *opinions*, and by how much all words do, corrects its confidence; and it
says how probable it is that the word is more than a tenth of a second away from where it was said.
Three words in a row of which that is probable are a mismatch. Of speech that is clear
throughout no opinion is asked: two more decodings take two fifths of the time of a sentence.

Both functions were learned from speakers that their models were not trained on, in quiet, in
noise, and with music or people behind (`recipes/words/astray.py`).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from align.sequence.evidence import EvidenceModel, log_odds
from align.speech.text.paths import WordPath
from align.speech.text.rows import Row, Rows
from align.types import MISPLACED, Float64, Mismatch

OPINIONS: Sequence[Mapping[str, float]] = (
    {"duration": 2.0, "network.boundary": 0.0, "network.transition": 0.3},
    {"duration": 0.3},
)
"""How many times as much base functions weigh; lengths and borders are what misleads."""


class Learned(NamedTuple):
    """From confidence and moves: that a start is right within 20 ms, or off by 0.1 s and more."""

    right: EvidenceModel
    astray: EvidenceModel


LEARNED = Learned(
    EvidenceModel(np.array([0.838, -0.684, -1.165, 0.687])),
    EvidenceModel(np.array([0.038, 0.881, 1.572, -3.649])),
)
"""For models of English."""

LEARNED_IPA = Learned(
    EvidenceModel(np.array([0.636, -0.771, -0.584, 0.908])),
    EvidenceModel(np.array([-0.064, 1.088, 1.004, -3.409])),
)
"""For models of the phones of any language, whose words move more; from two German speakers."""

_CLEAR, _WORDS = 0.75, 8  # so sure are so many words in a row, in the mean, in clear speech
_NEAR, _FURTHEST = 0.02, 3.0  # seconds
_FEW = 3.0  # words that stay, beside those there are
_SUREST = 1e-6  # what is this near to certain, or to impossible, counts as so near
_PROBABLE = 0.6  # of each word of a run
_RUN = 3  # words


def asked_again(
    path: WordPath, rows: Rows, words: Sequence[str], learned: Learned
) -> tuple[Rows, list[Mismatch]]:
    """Return rows with second opinions, and the words in a wrong place, where any are asked.

    `rows` are those of the path.
    """
    heads = _heads(rows)
    if is_clear(np.array([heads[k].confidence for k in sorted(heads)])):
        return rows, []
    moves = moves_of(path)
    if moves is None:
        return rows, []
    return with_second_opinions(rows, moves, learned), astray_words(rows, words, moves, learned)


def is_clear(confidence: Float64) -> bool:
    """Return whether all words, eight in a row of them, are so sure that nothing more is asked.

    Examples
    --------
    >>> is_clear(np.full(20, 0.9))
    True
    >>> is_clear(np.repeat([0.9, 0.6, 0.9], [20, 6, 20]))
    False
    """
    n = min(_WORDS, len(confidence))
    return n == 0 or bool(np.convolve(confidence, np.ones(n) / n, "valid").min() >= _CLEAR)


def moves_of(path: WordPath) -> Float64 | None:
    """Return by how much the start of each word moves with other weights [shape=(W,)].

    The mean over the opinions of the logarithm of 1 and the distance in 20 ms; NaN for words that
    the path leaves out. None where the aligner has not these base functions.
    """
    built, begun = path.built, path.begins()
    departs = np.zeros(built.lattice.n_nodes, dtype=bool)
    departs[built.departures()] = True
    departs[path.passed()] = False
    of_word = (built.word >= 0) & ~built.unspoken
    departs[of_word] |= np.isnan(begun[built.word[of_word]])
    drop = np.flatnonzero(departs)
    moves = np.zeros(path.n_words)
    for factors in OPINIONS:
        paths = path.paths.weighed(factors, path.path)
        if paths is None:
            return None
        other = paths.best(drop).begins()
        moves += np.log1p(np.minimum(np.abs(other - begun), _FURTHEST) / _NEAR)
    mean: Float64 = moves / len(OPINIONS)
    return mean


def evidence_of_moves(confidence: Float64, moves: Float64) -> Float64:
    """Return what both functions are given, for each word of a recording [shape=(W, 3)].

    Log odds of its confidence, its move, and how much all words move; few words prove little.
    """
    known = moves[~np.isnan(moves)]
    all_of_them = np.full(len(moves), known.sum() / (len(known) + _FEW))
    return np.stack((log_odds(confidence, _SUREST), moves, all_of_them), axis=1)


def probable_runs(astray: Float64) -> list[tuple[int, int]]:
    """Return the first and one past the last of three words or more that are all probably astray.

    Examples
    --------
    >>> probable_runs(np.array([0.1, 0.7, 0.9, 0.6, 0.2, 0.8]))
    [(1, 4)]
    """
    runs = []
    for probable, run in groupby(range(len(astray)), key=lambda k: bool(astray[k] >= _PROBABLE)):
        own = list(run)
        if probable and len(own) >= _RUN:
            runs.append((own[0], own[-1] + 1))
    return runs


def with_second_opinions(rows: Rows, moves: Float64, learned: Learned) -> Rows:
    """Return rows whose words are as sure as their moves allow.

    What begins a word gets another confidence; that of its other phones falls as this one does.
    """
    heads = _heads(rows)
    sure = np.array([heads[k].confidence if k in heads else 0.0 for k in range(len(moves))])
    now = learned.right(evidence_of_moves(sure, moves))
    out: Rows = []
    for word, run in groupby(rows, key=lambda row: row.word):
        own = list(run)
        if word >= 0 and not np.isnan(moves[word]):
            new = float(now[word])
            less = min(1.0, new / max(own[0].confidence, _SUREST))
            rest = [row._replace(confidence=row.confidence * less) for row in own[1:]]
            own = [own[0]._replace(confidence=new), *rest]
        out += own
    return out


def _heads(rows: Rows) -> dict[int, Row]:
    """Return what begins each word, by its number."""
    heads: dict[int, Row] = {}
    for row in rows:
        if row.word >= 0:
            heads.setdefault(row.word, row)
    return heads


def astray_words(
    rows: Rows, words: Sequence[str], moves: Float64, learned: Learned
) -> list[Mismatch]:
    """Return the runs of words that are probably in the wrong place.

    `rows` are those before `with_second_opinions`; the words with no rows were not said.
    """
    heads = _heads(rows)
    said = [k for k in sorted(heads) if not np.isnan(moves[k])]
    if not said:
        return []
    ends = {row.word: after.start for row, after in pairwise(rows)}
    sure = np.array([heads[k].confidence for k in said])
    astray = learned.astray(evidence_of_moves(sure, moves[said]))
    return [
        Mismatch(
            MISPLACED,
            heads[said[a]].start,
            ends[said[b - 1]],
            tuple(words[k] for k in said[a:b]),
            float(astray[a:b].mean()),
        )
        for a, b in probable_runs(astray)
    ]
