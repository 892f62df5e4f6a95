"""Where notes end: candidates, their probability, and what a result makes of them."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from music_examples import RATE

import align
from align.errors import ModelError
from align.features.notes.note_levels import set_tuning
from align.formats.scores import NoteTruth, Score
from align.music.aligner import MusicAligner
from align.music.performances.performance import make_performance, read_performance, read_signal
from align.music.performances.pieces import TimedPiece, read_piece
from align.music.placing.end_evidence import N_END_EVIDENCE, Candidates, end_candidates
from align.music.placing.ends import LEAST, chosen_ends, ends_model, right_ends
from align.music.placing.placement import PlacedNotes
from align.sequence.evidence import EvidenceModel
from align.types import Example, Note


def damped(
    seed: int, n: int = 24
) -> tuple[npt.NDArray[np.float64], Score, npt.NDArray[np.float64]]:
    """Tones of random lengths: samples, the score, and when each really begins and ends."""
    rng = np.random.default_rng(seed)
    pitches = 48 + rng.permutation(n)
    onsets = 0.5 + 0.4 * np.arange(n)
    ends = onsets + rng.uniform(0.25, 1.3, n)
    time = np.arange(int((onsets[-1] + 2.0) * RATE)) / RATE
    samples = rng.normal(0, 1e-4, time.size)
    for pitch, onset, end in zip(pitches, onsets, ends, strict=True):
        since = time - onset
        level = np.where(since < 0, 0.0, np.exp(-np.maximum(since, 0)))
        level *= np.exp(-np.maximum(time - end, 0) / 0.02)
        frequency = 440 * 2 ** ((pitch - 69) / 12)
        samples += (
            sum(0.05 / h * np.sin(2 * np.pi * h * frequency * since) for h in (1, 2, 3)) * level
        )
    score = Score.of([Note(int(p), 0.5 * k) for k, p in enumerate(pitches)])
    return samples, score, np.stack([onsets, ends], axis=1)


def timed(seed: int) -> tuple[TimedPiece, PlacedNotes]:
    samples, score, true = damped(seed)
    signal = read_signal(samples, rate=RATE)
    set_tuning(signal, 0.0)
    performance = make_performance(signal, score)
    onsets, ends = true.T
    piece = TimedPiece(f"tones {seed}", None, performance, onsets, ends=ends)
    return piece, PlacedNotes(onsets, onsets, np.zeros((onsets.size, 1)), None)


@pytest.fixture(scope="module")
def learned() -> list[tuple[TimedPiece, PlacedNotes]]:
    return [timed(seed) for seed in range(3)]


@pytest.fixture(scope="module")
def fitted(learned: list[tuple[TimedPiece, PlacedNotes]]) -> EvidenceModel:
    pieces, placed = zip(*learned, strict=True)
    model = ends_model(pieces, placed, 0.0)
    assert model is not None
    return model


def test_notes_around_are_weighed_a_few_at_a_time(
    learned: list[tuple[TimedPiece, PlacedNotes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    piece, placed = learned[0]
    together = end_candidates(piece.performance, placed.notes, placed.chords)
    monkeypatch.setattr("align.music.placing.end_evidence._AT_ONCE", 5)
    made = end_candidates(piece.performance, placed.notes, placed.chords)
    np.testing.assert_allclose(made.evidence, together.evidence, rtol=1e-12)


def test_ends_that_the_score_does_not_know_are_found(fitted: EvidenceModel) -> None:
    piece, placed = timed(9)
    told: list[tuple[str, int, int]] = []
    performance = replace(piece.performance, progress=lambda *given: told.append(given))
    made = end_candidates(performance, placed.notes, placed.chords)
    stages = [(stage, n) for stage in ("measuring ends", "finding ends") for n in range(25)]
    assert told == [(*one, 24) for one in stages]
    assert made.evidence.shape == (made.times.size, N_END_EVIDENCE)
    assert (np.diff(made.note) >= 0).all()
    ends, sure = chosen_ends(made, fitted, piece.onsets.size)
    right = right_ends(ends, piece.onsets, piece.ends)
    written = right_ends(piece.onsets + 0.4, piece.onsets, piece.ends)
    assert right.mean() > 0.6 > 2 * written.mean()
    assert right[sure > 0.8].mean() > 0.1 + right[sure < 0.6].mean()
    assert (ends > piece.onsets).all()


def test_candidates_end_where_the_pitch_is_struck_again() -> None:
    samples, score, _ = damped(3, 12)
    again = replace(score, pitches=np.full(12, 60))
    performance = read_performance(samples, again, rate=RATE)
    onsets = 0.5 + 0.4 * np.arange(12)
    made = end_candidates(performance, onsets, onsets)
    following = np.append(onsets[1:], performance.signal.duration)
    assert (made.times <= following[made.note] + 1e-9).all()
    last = np.searchsorted(made.note, np.arange(11), side="right") - 1
    np.testing.assert_allclose(made.times[last], onsets[1:], atol=0.03)


def test_the_most_probable_candidate_is_taken() -> None:
    model = EvidenceModel(np.array([1.0, 0.0]))
    made = Candidates(
        np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]), np.array([[0.0], [2.0], [-1.0]])
    )
    ends, sure = chosen_ends(made, model, 2)
    assert ends.tolist() == [2.0, 3.0]
    assert sure == pytest.approx([0.8808, 0.2689], abs=1e-4)


def test_nothing_is_learned_where_no_end_is_known(
    learned: list[tuple[TimedPiece, PlacedNotes]],
) -> None:
    piece, placed = learned[0]
    assert ends_model([replace(piece, ends=None)], [placed], 0.0) is None
    assert ends_model([replace(piece, ends=np.full(24, np.nan))], [placed], 0.0) is None


def test_ends_come_with_the_truth() -> None:
    samples, score, true = damped(0, 12)
    order = np.arange(12)
    ended = np.where(order == 3, np.nan, true[:, 1])
    truth = NoteTruth(order, true[:, 0], ended)
    example = Example(samples, score.notes, true[:, 0], rate=RATE, score=score, truth=truth)
    np.testing.assert_array_equal(read_piece(example, "tones", 1.0, RATE).ends, ended)
    unknown = replace(example, truth=NoteTruth(order, true[:, 0]))
    assert read_piece(unknown, "tones", 1.0, RATE).ends is None


def test_a_model_says_ends_where_it_is_asked(fitted: EvidenceModel, tmp_path: Path) -> None:
    samples, score, true = damped(5)
    model = copy.copy(align.load("piano"))
    assert isinstance(model, MusicAligner)
    model.ends_ = None
    model.set_params(offsets=True)
    with pytest.raises(ModelError, match="has not learned where notes end; train one"):
        model.align(samples, score, rate=RATE)
    model.ends_ = fitted
    model.save(tmp_path / "m.align")
    again = align.load(tmp_path / "m.align")
    found = again.align(samples, score, rate=RATE)
    assert found.offset_confidence is not None
    known = np.isfinite(found.measured_offsets)
    assert known.any()
    assert not known[found.offset_confidence < LEAST].any()
    assert (
        found.offsets[known] == np.maximum(found.measured_offsets, found.onsets + 0.02)[known]
    ).all()
    assert right_ends(found.measured_offsets, *true.T)[known].mean() > 0.6
    plain = again.set_params(offsets=False).align(samples, score, rate=RATE)
    assert (plain.measured_offsets, plain.offset_confidence) == (None, None)
    np.testing.assert_array_equal(plain.onsets, found.onsets)
