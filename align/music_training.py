"""Fitting a music aligner: networks, weights, offset, confidence, and what no match looks like.

Nothing is judged by a part that has seen it. The network is fitted once for each fold of pieces,
on the other folds, to listen to that fold, and once more on all, for use. The weights of the base
functions, the offset, the confidence and the range of matches are fitted to what the former heard.
"""

import copy
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from align.checkpoint import Checkpoint, digest_of_training
from align.chord_decoding import base_functions, find_chords, windows_of
from align.chord_functions import ChordFunctions
from align.chord_problem import ChordProblem, ChordTruth
from align.crossfit import folds_of
from align.errors import AlignError, DataError, ParameterError, error_reason
from align.features.note_network import NoteNetwork, TimedNotes
from align.learners import RampCost
from align.music_placement import PlacedNotes, place_notes
from align.note_confidence import TOLERANCE, ConfidenceModel
from align.performance import Performance, as_score, make_performance, read_performance
from align.scaling import base_function_scales
from align.types import BaseFunctions, Example, Note

if TYPE_CHECKING:
    from align.music import MusicAligner

__all__ = ["fit_music"]

Float64 = npt.NDArray[np.float64]
Progress = Callable[[str, int, int], None]

_NAMELESS = "recording"
_BY_HAND = {"notes": 1.0, "duration": 1.0}  # weights that find the tempo before any are learned
_MISMATCHES = 40  # pairs of a recording with the score of another piece


@dataclass(frozen=True, eq=False)
class _Piece:
    """A piece of the training set: `onsets` are of merged notes, NaN where one was not played."""

    name: str
    group: str | None
    performance: Performance
    onsets: Float64
    weight: float

    @property
    def timed(self) -> TimedNotes:
        p = self.performance
        return TimedNotes(p.signal, p.notes.pitches, self.onsets, p.context, self.weight)


def fit_music(
    aligner: "MusicAligner",
    examples: Sequence[Example],
    sample_weight: Sequence[float] | None,
    validation: Sequence[Example] | None,
    progress: Progress | None,
    parts: Checkpoint | None = None,
) -> None:
    """Fit an aligner whose parameters are checked; sets its fitted attributes.

    Raises
    ------
    DataError
        Where no example can be used.
    """
    report = progress or (lambda stage, done, total: None)
    pieces = _read_all(aligner, examples, sample_weight, report)
    held_out = [] if validation is None else _read_all(aligner, validation, None, report)
    if validation is not None and not held_out:
        raise DataError("no recording of the validation set can be used.")
    if parts is not None:
        described = [_describe_piece(piece) for piece in (*pieces, *held_out)]
        parts.bind(digest_of_training(aligner, [], [len(pieces), *described]))
    functions, of_pieces = _fit_networks(aligner, pieces, report, parts)
    xs, ys, kept = _problems(aligner, pieces, of_pieces, report)
    aligner.functions_ = functions
    aligner.base_functions_ = list(functions.names)
    aligner.scale_ = base_function_scales(xs, [y.frames for y in ys], aligner.random_state)
    cost = aligner._make_cost()
    problem = ChordProblem(
        cost.bind(functions.signal(kept[0].performance).hop),
        aligner.scale_,
        share=isinstance(cost, RampCost),
    )
    learner = aligner._make_learner()
    judged = None
    if validation is not None:
        judged = _problems(aligner, held_out, [functions] * len(held_out), report)[:2]
    learner.fit(problem, xs, ys, validation=judged, progress=progress, checkpoint=parts)
    aligner.learner_ = learner
    aligner.coef_ = np.asarray(learner.coef_, dtype=np.float64)
    own = {piece.name: f for piece, f in zip(pieces, of_pieces, strict=True)}
    _calibrate(aligner, kept, [own[piece.name] for piece in kept], report)
    aligner.training_ = {
        "recordings": len(kept),
        "notes": int(sum(np.isfinite(piece.onsets).sum() for piece in kept)),
        "seconds": round(sum(piece.performance.signal.duration for piece in kept), 3),
        "groups": len({piece.group for piece in kept}),
    }


def _read_all(
    aligner: "MusicAligner",
    examples: Sequence[Example],
    sample_weight: Sequence[float] | None,
    report: Progress,
) -> list[_Piece]:
    pieces: list[_Piece] = []
    for n, example in enumerate(examples):
        name = example.name or f"{_NAMELESS} {n + 1}"
        weight = 1.0 if sample_weight is None else float(sample_weight[n])
        try:
            pieces.append(_read(aligner, example, name, weight))
        except AlignError as error:
            aligner.problems_.append((name, error_reason(error, name)))
        report("reading recordings", n + 1, len(examples))
    if not pieces:
        reasons = "; ".join(f"{name}: {why}" for name, why in aligner.problems_[:3])
        raise DataError(f"no recording can be learned from ({reasons or 'none was given'}).")
    return pieces


def _read(aligner: "MusicAligner", example: Example, name: str, weight: float) -> _Piece:
    if example.onsets is None or not np.isfinite(example.onsets).any():
        raise DataError("it has no true note times to learn from.", path=name)
    if example.score is not None:
        score = example.score
    else:
        score = as_score([note for note in example.events if isinstance(note, Note)])
        if score.notes != example.events:
            raise DataError("its notes are not in order; sort by onset, then pitch.", path=name)
    performance = read_performance(
        example.audio, score, rate=example.rate, highest_rate=aligner.rate
    )
    last = np.nanmax(example.onsets)
    if last > performance.signal.duration + 1.0:
        raise DataError(
            f"a note is played at {last:.3f} s, after the end of the recording at "
            f"{performance.signal.duration:.3f} s.",
            path=name,
        )
    return _Piece(name, example.group, performance, performance.merged(example.onsets), weight)


def _describe_piece(piece: _Piece) -> list[Any]:
    """Return what training takes from a piece; all else follows from it."""
    p = piece.performance
    notes = [(note.pitch, note.onset) for note in p.notes.notes]
    about = [piece.name, piece.group, piece.weight, p.signal.rate, notes]
    return [*about, p.signal.samples, piece.onsets, p.context, p.coarse]


def _fit_networks(
    aligner: "MusicAligner",
    pieces: Sequence[_Piece],
    report: Progress,
    kept: Checkpoint | None = None,
) -> tuple[ChordFunctions, list[ChordFunctions]]:
    """Return the set of base functions for use, and for each piece one that did not see it."""
    network = aligner._make_network()
    if network is None:
        functions = aligner._make_functions(None)
        return functions, [functions] * len(pieces)
    folds = folds_of([piece.group for piece in pieces], aligner.n_folds)
    if len(folds) < 2:
        if aligner.n_folds > 1:
            warnings.warn(
                "with a single piece, the network scores what it was fitted to and will be "
                "trusted too much; train on at least two.",
                stacklevel=4,
            )
        folds = [[]]
    jobs = folds if folds == [[]] else [*folds, []]
    timed = [piece.timed for piece in pieces]
    parts = [[item for i, item in enumerate(timed) if i not in set(fold)] for fold in jobs]
    fitted: list[Any] = [_kept(network, i, kept) for i in range(len(jobs))]
    missing = [i for i, one in enumerate(fitted) if one is None]
    todo = [parts[i] for i in missing]
    for i, one in zip(missing, _trained(network, todo, aligner.n_jobs), strict=True):
        fitted[i] = one
        if kept is not None:
            kept.save(f"network-{i}", *one.get_state())
        report("training networks", len(jobs) - sum(f is None for f in fitted), len(jobs))
    of_piece: list[ChordFunctions] = [aligner._make_functions(fitted[-1])] * len(pieces)
    for fold, one in zip(jobs, fitted, strict=True):
        for i in fold:
            of_piece[i] = aligner._make_functions(one)
    return aligner._make_functions(fitted[-1]), of_piece


def _trained(network: NoteNetwork, parts: Sequence[list[TimedNotes]], n_jobs: int | None) -> Any:
    """Yield a copy of the network fitted to each part."""
    from joblib import Parallel, delayed

    tasks = (delayed(_fitted)(network, part) for part in parts)
    return Parallel(n_jobs=n_jobs, return_as="generator")(tasks)


def _kept(network: NoteNetwork, fold: int, kept: Checkpoint | None) -> NoteNetwork | None:
    """Return the network of a fold that an interrupted training has kept."""
    found = None if kept is None else kept.load(f"network-{fold}")
    return None if found is None else copy.deepcopy(network).set_state(*found)


def _fitted(network: NoteNetwork, part: list[TimedNotes]) -> NoteNetwork:
    return copy.deepcopy(network).fit(part)


def _problems(
    aligner: "MusicAligner",
    pieces: Sequence[_Piece],
    functions: Sequence[ChordFunctions],
    report: Progress,
) -> tuple[list[BaseFunctions], list[ChordTruth], list[_Piece]]:
    """Return what the learner sees of each piece, and the pieces that can be learned from."""
    xs, ys, kept = [], [], []
    for n, (piece, own) in enumerate(zip(pieces, functions, strict=True)):
        performance = piece.performance
        hop = own.signal(performance).hop
        try:
            x = _first_guess(performance, own)
            assert x.windows is not None
            y = ChordTruth.of(
                performance.chord_means(piece.onsets), performance.chords.onsets, x.windows, hop
            )
            if y is None:
                raise DataError(
                    "its notes are nowhere near where the score was found in the recording; is "
                    "its truth that of another?",
                    path=piece.name,
                )
        except (DataError, ParameterError) as error:
            aligner.problems_.append((piece.name, error_reason(error, piece.name)))
        else:
            xs.append(x)
            ys.append(y)
            kept.append(piece)
        report("listening", n + 1, len(pieces))
    if not kept:
        name, why = aligner.problems_[-1]
        raise DataError(f"no recording can be learned from ({name}: {why}).")
    return xs, ys, kept


def _first_guess(performance: Performance, functions: ChordFunctions) -> BaseFunctions:
    """Return base functions whose tempo is that of a decoding with weights set by hand."""
    if "notes" in functions.names:
        weights = np.array([_BY_HAND.get(name, 0.0) for name in functions.names])
        return find_chords(performance, functions, weights).x
    windows = windows_of(performance, functions)
    terms, _ = functions.onset_terms(performance, windows)
    return base_functions(performance, functions, windows, terms, performance.coarse, 0.2)


def _calibrate(
    aligner: "MusicAligner",
    pieces: Sequence[_Piece],
    functions: Sequence[ChordFunctions],
    report: Progress,
) -> None:
    """Fit the offset, the confidence and the range of matches."""
    placed: list[PlacedNotes] = []
    errors: list[Float64] = []
    for n, (piece, own) in enumerate(zip(pieces, functions, strict=True)):
        performance = piece.performance
        found = find_chords(performance, own, aligner._weights(performance))
        placed.append(place_notes(performance, own, found))
        errors.append(placed[-1].notes - piece.onsets)
        report("calibrating", n + 1, len(pieces))
    aligner.offset_ = 0.0
    if aligner.calibrate:
        near = [error[np.abs(error) <= TOLERANCE] for error in errors]
        # pieces count the same, however long: they differ in their microphones
        medians = [float(np.median(error)) for error in near if error.size]
        aligner.offset_ = float(np.median(medians)) if medians else 0.0
    hits = [np.abs(error - aligner.offset_) <= TOLERANCE for error in errors]
    aligner.confidence_ = ConfidenceModel.fit([p.evidence for p in placed], hits)
    aligner.match_range_ = None
    right = [p.match for p in placed if p.match is not None]
    wrong = _mismatches(aligner, pieces, functions) if right else []
    if wrong:
        low, high = float(np.percentile(wrong, 95)), float(np.percentile(right, 5))
        aligner.match_range_ = (low, high) if low < high else None


def _mismatches(
    aligner: "MusicAligner", pieces: Sequence[_Piece], functions: Sequence[ChordFunctions]
) -> list[float]:
    """Match of recordings with the score of the next piece."""
    found = []
    step = -(-len(pieces) // _MISMATCHES)
    for i in range(0, len(pieces), step):
        other = pieces[(i + 1) % len(pieces)]
        if other is pieces[i] or (other.group is not None and other.group == pieces[i].group):
            continue
        try:
            pair = make_performance(pieces[i].performance.signal, other.performance.score)
            chords = find_chords(pair, functions[i], aligner._weights(pair))
        except AlignError:
            continue  # cannot be aligned at all, which needs no measure
        match = place_notes(pair, functions[i], chords).match
        if match is not None:
            found.append(match)
    return found
