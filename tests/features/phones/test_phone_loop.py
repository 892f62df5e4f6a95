"""The best sequence of phones, against all there are."""

import itertools

import numpy as np
import pytest

from align.errors import ParameterError
from align.features.phones.phone_loop import NOISE, loop_scores, with_noise, with_pauses


def best_of_all(scores: np.ndarray, change: float) -> float:
    """Value of the best sequence, by trying every one."""
    n_frames, n_phones = scores.shape
    return max(
        sum(scores[t, p] for t, p in enumerate(way))
        - change * sum(a != b for a, b in itertools.pairwise(way))
        for way in itertools.product(range(n_phones), repeat=n_frames)
    )


@pytest.mark.parametrize("change", [0.0, 0.7, 3.0, 100.0])
@pytest.mark.parametrize("seed", range(5))
def test_no_sequence_is_better(seed: int, change: float) -> None:
    scores = np.random.default_rng(seed).normal(size=(6, 3)).astype(np.float32)
    along = loop_scores(scores, change)
    phones = [
        int(np.argmin(np.abs(row - value))) for row, value in zip(scores, along, strict=True)
    ]
    changes = sum(a != b for a, b in itertools.pairwise(phones))
    value = along.sum() - change * changes
    assert value == pytest.approx(best_of_all(scores, change), abs=1e-5)


def test_without_a_cost_it_is_the_best_phone_of_each_frame() -> None:
    scores = np.random.default_rng(1).normal(size=(50, 7)).astype(np.float32)
    np.testing.assert_allclose(loop_scores(scores, 0.0), scores.max(axis=1), rtol=1e-6)


def test_no_frames_have_no_scores() -> None:
    assert loop_scores(np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("shape", "change", "message"),
    [((4,), 1.0, r"shape=\(4,\)"), ((4, 0), 1.0, "S > 0"), ((4, 2), -1.0, "change=-1.0")],
)
def test_wrong_parameters_are_refused(shape: tuple[int, ...], change: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        loop_scores(np.zeros(shape), change)


def test_spoken_noise_has_a_row_of_its_own() -> None:
    scores, best = np.zeros((2, 3), dtype=np.float32), np.array([-1.0, -2.0, -3.0])
    rows = np.array([0, 1, 1])
    table, new = with_noise(scores, rows, ["k", "spn", "iy"], best)
    np.testing.assert_allclose(table[2], best - NOISE)
    assert new.tolist() == [0, 2, 1]
    same, kept = with_noise(scores, rows, ["k", "s", "iy"], best)
    assert same is scores
    assert kept is rows


def test_what_a_pause_scores_less_than_phones_counts_more() -> None:
    rng = np.random.default_rng(3)
    scores, best = rng.normal(size=(4, 9)), rng.normal(size=9)
    events, rows = ["sil", "k", "sp", "sil", "spn"], np.array([2, 0, 3, 2, 1])
    table, new = with_pauses(scores, rows, events, best, 2.5)
    assert table.shape == (6, 9)
    np.testing.assert_array_equal(table[:4], scores)
    for k, event in enumerate(events):
        own = scores[rows[k]]
        if event in ("sil", "sp"):
            own = best - 2.5 * (best - own)
        np.testing.assert_allclose(table[new[k]], own)
    same = with_pauses(scores, rows[1:2], ["k"], best, 2.5)
    np.testing.assert_array_equal(same[0], scores)
