"""When each note has ended, where the sound shows it, and how probably that is right.

The end is where the key or the pedal is let go and the damper falls, or where the same pitch is
struck again. Of the candidates of a note (`align.music.placing.end_evidence`) the most probable is
taken. Its probability, a logistic function of the evidence (`align.sequence.evidence`), is that
the end is within 50 ms of the truth, or within a fifth of the note's length where that is more:
the rule by which mir_eval judges the offsets of a transcription. It is fitted to notes whose ends
are known, at onsets found by networks that did not see the piece, and its scale to pieces that the
other weights did not see. Where no candidate is likely the end is unknown, not guessed.

References
----------
Raffel et al., "mir_eval: a transparent implementation of common MIR metrics", ISMIR, 2014.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from align.music.performances.pieces import TimedPiece
from align.music.placing.end_evidence import Candidates, end_candidates
from align.music.placing.placement import PlacedNotes
from align.sequence.evidence import EvidenceModel
from align.sequence.learning.crossfit import folds_of
from align.types import BoolArray, Float64, IntArray

LEAST = 0.5
"""Probability below which the end of a note counts as unknown."""

_TOLERANCE = 0.050  # seconds
_SHARE = 0.2  # of the length of the note
_FOLDS = 5

_Known: TypeAlias = tuple[Candidates, BoolArray]
"""Candidates of a piece, and which are right."""


def right_ends(ends: npt.ArrayLike, onsets: npt.ArrayLike, true: npt.ArrayLike) -> BoolArray:
    """Return which ends are right by mir_eval's rule.

    `onsets` and `true` are when the notes really begin and end; all are seconds, of one shape. An
    end that is not known is not right.

    Examples
    --------
    >>> right_ends([1.04, 1.06, 2.19], [0.0, 0.9, 1.0], [1.0, 1.0, 2.0])
    array([ True, False,  True])
    """
    length = np.asarray(true) - np.asarray(onsets)
    right: BoolArray = np.abs(np.asarray(ends) - true) <= np.maximum(_TOLERANCE, _SHARE * length)
    return right


def chosen_ends(
    candidates: Candidates, model: EvidenceModel, n_notes: int
) -> tuple[Float64, Float64]:
    """Return the most probable end of each note in seconds, and its probability [shape=(M,)]."""
    best = _best(candidates, model)
    assert best.size == n_notes
    return candidates.times[best], model(candidates.evidence[best])


def ends_model(
    pieces: Sequence[TimedPiece], placed: Sequence[PlacedNotes], offset: float
) -> EvidenceModel | None:
    """Return the model of ends, fitted to the notes whose end is known; None where none is.

    `placed` are the notes of each piece as found, `offset` seconds late.
    """
    known: list[_Known] = []
    groups = []
    for piece, found in zip(pieces, placed, strict=True):
        if piece.ends is None:
            continue
        made = end_candidates(piece.performance, found.notes - offset, found.chords - offset)
        true, onsets = piece.ends[made.note], piece.onsets[made.note]
        part = np.isfinite(true - onsets)
        if part.any():
            right = right_ends(made.times, onsets, true)[part]
            known.append(
                (Candidates(made.note[part], made.times[part], made.evidence[part]), right)
            )
            groups.append(piece.group)
    return _rescaled(known, folds_of(groups, _FOLDS)) if known else None


def _rescaled(known: Sequence[_Known], folds: Sequence[Sequence[int]]) -> EvidenceModel:
    """Return the model that is fitted to all pieces, and scaled in folds.

    The most probable of many candidates is less probable than it seems: by how much, pieces tell
    that the weights were not fitted to. What is the most probable stays so.
    """
    fitted = _fitted(known)
    if len(folds) < 2:
        return fitted
    odds, hits = [], []
    for fold in folds:
        own = _fitted([pair for k, pair in enumerate(known) if k not in fold])
        for made, right in (known[k] for k in fold):
            best = _best(made, own)
            odds.append((made.evidence[best] @ own.weights[:-1] + own.weights[-1])[:, None])
            hits.append(right[best])
    slope, shift = EvidenceModel.fit(odds, hits).weights
    if slope <= 0:
        return fitted
    return EvidenceModel(
        np.append(slope * fitted.weights[:-1], slope * fitted.weights[-1] + shift)
    )


def _fitted(known: Sequence[_Known]) -> EvidenceModel:
    return EvidenceModel.fit([made.evidence for made, _ in known], [right for _, right in known])


def _best(candidates: Candidates, model: EvidenceModel) -> IntArray:
    """Return the most probable candidate of each note that has any."""
    order = np.lexsort((-model(candidates.evidence), candidates.note))
    _, first = np.unique(candidates.note[order], return_index=True)
    return order[first]
