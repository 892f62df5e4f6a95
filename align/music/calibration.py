"""What is fitted to the learned weights: offset, confidence, and what no match looks like.

All of it is fitted to placements by features that did not see the piece.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from align.errors import AlignError
from align.music.confidence import TOLERANCE
from align.music.decoding import Weights, find_chords
from align.music.ends import ends_model
from align.music.functions import ChordFunctions
from align.music.performance import make_performance
from align.music.pieces import TimedPiece
from align.music.placement import PlacedNotes, place_notes
from align.music.unplayed import spoiled_score, true_onsets
from align.progress import counted
from align.sequence.base import Progress
from align.sequence.evidence import EvidenceModel
from align.types import Float64

__all__ = ["Calibration", "confidence_model", "offset_of", "placed_pieces"]


_MISMATCHES = 40  # pairs of a recording with the score of another piece
_SPOILED = 60  # recordings with a spoiled score


def placed_pieces(
    pieces: Sequence[TimedPiece],
    functions: Sequence[ChordFunctions],
    weights: Weights,
    progress: Progress | None = None,
) -> tuple[list[PlacedNotes], list[Float64]]:
    """Return placements of pieces whose note times are known, and their errors.

    `functions` are, for each piece, those that did not see it; `weights` as in `find_chords`. The
    errors of a piece [shape=(M,)] are the seconds by which its notes are late, NaN where one was
    not played.
    """
    placed = [
        place_notes(p.performance, own, find_chords(p.performance, own, weights))
        for p, own in counted(list(zip(pieces, functions, strict=True)), progress, "calibrating")
    ]
    return placed, [one.notes - p.onsets for one, p in zip(placed, pieces, strict=True)]


def offset_of(errors: Sequence[Float64]) -> float:
    """Return by how many seconds notes are late, from the errors of each of some pieces."""
    near = [error[np.abs(error) <= TOLERANCE] for error in errors]
    # pieces count the same, however long: they differ in their microphones
    medians = [float(np.median(error)) for error in near if error.size]
    return float(np.median(medians)) if medians else 0.0


def confidence_model(
    placed: Sequence[PlacedNotes], errors: Sequence[Float64], offset: float
) -> EvidenceModel:
    """Return the model of being within 50 ms, once `offset` seconds are taken from errors."""
    hits = [np.abs(error - offset) <= TOLERANCE for error in errors]
    return EvidenceModel.fit([one.evidence for one in placed], hits)


class Calibration:
    """Offset, confidence and range of matches, fitted to pieces.

    Parameters
    ----------
    pieces, functions, weights
        As in `placed_pieces`.
    calibrate : bool
        Whether to fit the offset.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Attributes
    ----------
    placed, errors : list
        What `placed_pieces` returns.
    offset : float
        Median signed error in seconds, the median over pieces.
    confidence : EvidenceModel
        From evidence to the probability that a note is within 50 ms of its time.
    match_range : (float, float) or None
        Match that 95 % of wrong scores do not reach, and that 95 % of right ones do, as long as
        the latter is more.
    unplayed : EvidenceModel or None
        From evidence to the probability that a note was not played; None without a network.
    ends : EvidenceModel or None
        From evidence to the probability that a note ended at a candidate; None where no end is
        known.
    """

    def __init__(
        self,
        pieces: Sequence[TimedPiece],
        functions: Sequence[ChordFunctions],
        weights: Weights,
        *,
        calibrate: bool,
        random_state: int = 0,
        progress: Progress | None = None,
    ) -> None:
        placed, errors = placed_pieces(pieces, functions, weights, progress)
        self.placed, self.errors = placed, errors
        self.offset = offset_of(errors) if calibrate else 0.0
        self.confidence = confidence_model(placed, errors, self.offset)
        self.unplayed = _unplayed_model(pieces, functions, weights, placed, random_state, progress)
        self.ends = ends_model(pieces, placed, self.offset)
        self.match_range: tuple[float, float] | None = None
        right = [p.match for p in placed if p.match is not None]
        wrong = _wrong_matches(pieces, functions, weights, progress) if right else []
        if wrong:
            low, high = float(np.percentile(wrong, 95)), float(np.percentile(right, 5))
            self.match_range = (low, high) if low < high else None


def _unplayed_model(
    pieces: Sequence[TimedPiece],
    functions: Sequence[ChordFunctions],
    weights: Weights,
    placed: Sequence[PlacedNotes],
    random_state: int,
    progress: Progress | None,
) -> EvidenceModel | None:
    """Return what tells notes that were not played, from true scores and from spoiled ones."""
    rng = np.random.default_rng(random_state)
    evidence = [one.unplayed for one in placed if one.unplayed is not None]
    missing = [np.isnan(p.onsets) for p in pieces]
    if len(evidence) < len(pieces):
        return None
    chosen = rng.permutation(len(pieces))[:_SPOILED].tolist()
    for i in counted(chosen, progress, "spoiling scores"):
        spoiled, source = spoiled_score(pieces[i].performance.notes, rng)
        try:
            pair = make_performance(pieces[i].performance.signal, spoiled)
            of_pair = place_notes(pair, functions[i], find_chords(pair, functions[i], weights))
        except AlignError:
            continue
        assert of_pair.unplayed is not None
        evidence.append(of_pair.unplayed)
        missing.append(np.isnan(pair.merged(true_onsets(source, pieces[i].onsets))))
    return EvidenceModel.fit(evidence, missing)


def _wrong_matches(
    pieces: Sequence[TimedPiece],
    functions: Sequence[Any],
    weights: Weights,
    progress: Progress | None,
) -> list[float]:
    """Match of recordings with the score of the next piece."""
    found = []
    step = -(-len(pieces) // _MISMATCHES)
    for i in counted(range(0, len(pieces), step), progress, "trying other scores"):
        other = pieces[(i + 1) % len(pieces)]
        if other is pieces[i] or (other.group is not None and other.group == pieces[i].group):
            continue
        try:
            pair = make_performance(pieces[i].performance.signal, other.performance.score)
            chords = find_chords(pair, functions[i], weights)
        except AlignError:
            continue  # cannot be aligned at all, which needs no measure
        match = place_notes(pair, functions[i], chords).match
        if match is not None:
            found.append(match)
    return found
