"""What is fitted to the learned weights: offset, confidence, and what no match looks like.

All of it is fitted to placements by features that did not see the piece. Pieces are placed in as
many processes as wanted, which changes nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from align._blas import one_thread
from align.errors import AlignError
from align.features.sound.signal import Signal
from align.formats.scores import Score
from align.music.functions.chord_functions import ChordFunctions
from align.music.performances.performance import make_performance
from align.music.performances.pieces import TimedPiece
from align.music.placing.confidence import TOLERANCE
from align.music.placing.decoding import Weights, find_chords
from align.music.placing.ends import ends_model
from align.music.placing.placement import PlacedNotes, match_of, place_notes
from align.music.placing.unplayed import spoiled_score, true_onsets
from align.progress import Progress, counted
from align.sequence.evidence import EvidenceModel
from align.types import Float64, IntArray

_T = TypeVar("_T")

_MISMATCHES = 40  # pairs of a recording with the score of another piece
_SPOILED = 60  # recordings with a spoiled score


def placed_pieces(
    pieces: Sequence[TimedPiece],
    functions: Sequence[ChordFunctions],
    weights: Weights,
    progress: Progress | None = None,
    *,
    n_jobs: int | None = None,
) -> tuple[list[PlacedNotes], list[Float64]]:
    """Return placements of pieces whose note times are known, and their errors.

    `functions` are, for each piece, those that did not see it; `weights` as in `find_chords`;
    `n_jobs` processes are used, as in joblib. The errors of a piece [shape=(M,)] are the seconds
    by which its notes are late, NaN where one was not played.
    """
    tasks = [(p, own, weights) for p, own in zip(pieces, functions, strict=True)]
    placed = _each(_placed, tasks, n_jobs, progress, "calibrating")
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
    n_jobs : int, optional
        Processes, as in joblib; the result does not depend on them.
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
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.placed, self.errors = placed_pieces(
            pieces, functions, weights, progress, n_jobs=n_jobs
        )
        self._pieces, self._functions, self._weights = pieces, functions, weights
        self._n_jobs, self._progress = n_jobs, progress
        self.offset = offset_of(self.errors) if calibrate else 0.0
        self.confidence = confidence_model(self.placed, self.errors, self.offset)
        self.unplayed = self._unplayed_model(np.random.default_rng(random_state))
        self.ends = ends_model(pieces, self.placed, self.offset)
        self.match_range: tuple[float, float] | None = None
        right = [p.match for p in self.placed if p.match is not None]
        wrong = self._wrong_matches() if right else []
        if wrong:
            low, high = float(np.percentile(wrong, 95)), float(np.percentile(right, 5))
            self.match_range = (low, high) if low < high else None

    def _unplayed_model(self, rng: np.random.Generator) -> EvidenceModel | None:
        """Return what finds notes that were not played, from true scores and from spoiled ones."""
        evidence = [one.unplayed for one in self.placed if one.unplayed is not None]
        missing = [np.isnan(p.onsets) for p in self._pieces]
        if len(evidence) < len(missing):
            return None
        tasks = []
        for i in rng.permutation(len(missing))[:_SPOILED].tolist():
            spoiled = spoiled_score(self._pieces[i].performance.notes, rng)
            tasks.append((self._pieces[i], *spoiled, self._functions[i], self._weights))
        for found in _each(_spoiled, tasks, self._n_jobs, self._progress, "spoiling scores"):
            if found is not None:
                evidence.append(found[0])
                missing.append(found[1])
        return EvidenceModel.fit(evidence, missing)

    def _wrong_matches(self) -> list[float]:
        """Match of recordings with the score of the next piece."""
        tasks, n = [], len(self._pieces)
        for i in range(0, n, -(-n // _MISMATCHES)):
            own, other = self._pieces[i], self._pieces[(i + 1) % n]
            if other is own or (other.group is not None and other.group == own.group):
                continue
            pair = own.performance.signal, other.performance.score
            tasks.append((*pair, self._functions[i], self._weights))
        found = _each(_match, tasks, self._n_jobs, self._progress, "trying other scores")
        return [match for match in found if match is not None]


def _each(
    work: Callable[..., _T],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    progress: Progress | None,
    stage: str,
) -> list[_T]:
    """Return what `work` returns for the arguments of each task, from `n_jobs` processes."""
    from joblib import Parallel, delayed

    done = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_returned)(work, task) for task in tasks
    )
    return [next(done) for _ in counted(tasks, progress, stage)]


@one_thread()
def _returned(work: Callable[..., _T], task: tuple[Any, ...]) -> _T:
    """Return what a function returns for the arguments of a task."""
    return work(*task)


def _placed(piece: TimedPiece, own: ChordFunctions, weights: Weights) -> PlacedNotes:
    """Return a placement of a piece."""
    return place_notes(piece.performance, own, find_chords(piece.performance, own, weights))


def _spoiled(
    piece: TimedPiece, spoiled: Score, source: IntArray, own: ChordFunctions, weights: Weights
) -> tuple[Float64, Any] | None:
    """Return evidence for the notes of a spoiled score, and which were not played.

    None where the score cannot be aligned.
    """
    try:
        pair = make_performance(piece.performance.signal, spoiled)
        placed = place_notes(pair, own, find_chords(pair, own, weights))
    except AlignError:
        return None
    assert placed.unplayed is not None
    return placed.unplayed, np.isnan(pair.merged(true_onsets(source, piece.onsets)))


def _match(signal: Signal, score: Score, own: ChordFunctions, weights: Weights) -> float | None:
    """Return how well a recording fits a score, None where it cannot be aligned at all."""
    try:
        pair = make_performance(signal, score)
        return match_of(pair, own, find_chords(pair, own, weights))
    except AlignError:
        return None
