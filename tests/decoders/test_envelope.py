"""Envelopes against the search of all lines: windows, ties, lengths, -inf."""

from dataclasses import replace

import numpy as np
import pytest

from align import decoders
from align.decoders._windows import check_values, tighten
from align.decoders.second_order._checkpoints import best_by_envelopes
from align.decoders.second_order._states import length_scores, pointer_dtype, problem_of
from align.potentials import Potentials


def by_envelopes(potentials, max_memory=None):
    score, onsets = best_by_envelopes(problem_of(potentials), max_memory)
    return score + potentials.constant, onsets


def all_lines(potentials):
    """Try all lines for all lengths; ties: the greatest length before, the earliest last onset."""
    w = tighten(potentials)
    own, cross = length_scores(potentials, w)
    onset, start = check_values(potentials), potentials.start
    states, back = {}, []
    for k in range(potentials.n_events):
        found, pointer = {}, {}
        for t in range(w.first[k], w.last[k] + 1):
            before = np.array([s for s in states if t in states[s]], dtype=float)
            value = np.array([states[int(s)][t] for s in before])
            row, best = {}, {}
            for d in range(w.shortest[k], w.longest[k] + 1):
                if not w.first[k + 1] <= t + d <= w.last[k + 1]:
                    continue
                total = float(onset[k, t - start[k]]) + own[k, d - w.shortest[k]]
                if k > 0:
                    lines = value + cross[k] * (t - before) * d
                    i = int(lines.argmax())  # the earliest of equals: the greatest length
                    total += lines[i]
                    best[t + d] = int(before[i])
                row[t + d] = total
            found[t], pointer[t] = row, best
        states = found
        back.append(pointer)
    end = potentials.n_frames
    last = {t: row[end] for t, row in states.items() if end in row}
    score = max(last.values())
    onsets = [min(t for t, value in last.items() if value == score)]
    for k in range(potentials.n_events - 1, 0, -1):
        after = end if len(onsets) == 1 else onsets[-2]
        onsets.append(back[k][onsets[-1]][after])
    return score + potentials.constant, onsets[::-1]


def whole(rng, n_events, n_frames, longest, kappa, shortest=1, forbid=0.0):
    """Whole numbers: sums are exact and ties real."""
    onset = rng.integers(-3, 4, (n_events, n_frames)).astype(float)
    duration = rng.integers(-2, 3, (2, longest + 1)).astype(float)
    onset[rng.random(onset.shape) < forbid] = -np.inf
    duration[rng.random(duration.shape) < forbid] = -np.inf
    ratio = np.zeros((n_events, 3))
    ratio[1:] = kappa * np.array([1.0, 1.0, -2.0])
    ratio[1:][rng.random(n_events - 1) < 0.2] = 0.0
    return Potentials(
        onset,
        n_frames,
        duration=duration,
        duration_row=rng.integers(0, 2, n_events),
        min_length=np.full(n_events, shortest),
        max_length=np.full(n_events, longest),
        ratio=ratio,
    )


@pytest.mark.parametrize("kappa", [-4.0, -1.0, -0.0625, 0.0, 0.0625, 1.0])
@pytest.mark.parametrize(
    ("n_events", "n_frames", "longest", "shortest"),
    [
        (1, 1, 1, 1),
        (1, 40, 40, 1),
        (4, 3, 3, 0),
        (5, 30, 12, 0),
        (3, 16, 16, 1),
        (3, 17, 17, 1),
        (4, 35, 15, 2),
        (5, 61, 25, 7),
        (4, 70, 70, 1),
        (9, 50, 9, 3),
    ],
)
def test_equals_the_search_of_all_lines(kappa, n_events, n_frames, longest, shortest):
    rng = np.random.default_rng(n_frames)
    for forbid in (0.0, 0.02):
        potentials = whole(rng, n_events, n_frames, longest, kappa, shortest, forbid)
        score, onsets = all_lines(potentials)
        found, path = by_envelopes(potentials)
        assert found == score
        if score > -np.inf:
            assert path.tolist() == onsets
            assert potentials.score(path) == score


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_windows_and_real_scores(naive, sign, dtype):
    rng = np.random.default_rng(5)
    for strength in (1e-3, 0.05, 1.0):
        potentials = naive.random_potentials(
            rng, 6, 90, longest=40, sign=sign, dtype=dtype, windows=False
        )
        start = np.array([0, 3, 15, 20, 41, 44])
        potentials = replace(
            potentials,
            ratio=potentials.ratio * strength,
            start=start,
            onset=potentials.onset[:, :37].copy(),
            stop=start + 37,
        )
        score, onsets = all_lines(potentials)
        found, path = by_envelopes(potentials)
        assert found == pytest.approx(score, abs=1e-9)
        assert path.tolist() == onsets


@pytest.mark.parametrize("factor", [1e-12, 1e100])
def test_scores_of_any_size(factor):
    potentials = whole(np.random.default_rng(2), 4, 50, 30, -0.5)
    expected = by_envelopes(potentials)[1]
    scaled = replace(
        potentials,
        onset=potentials.onset * factor,
        duration=potentials.duration * factor,
        ratio=potentials.ratio * factor,
    )
    found = by_envelopes(scaled)[1]
    assert potentials.score(found) == potentials.score(expected)


def test_more_lines_than_a_byte_counts():
    rng = np.random.default_rng(3)
    potentials = whole(rng, 3, 300, 280, -0.001)
    assert pointer_dtype(tighten(potentials)) == np.uint16
    score, onsets = all_lines(potentials)
    found, path = by_envelopes(potentials)
    assert found == pytest.approx(score)
    assert path.tolist() == onsets
    assert decoders.decode_general(potentials).score == pytest.approx(score)


def test_all_equal_scores_give_the_earliest_onsets():
    potentials = Potentials(np.zeros((4, 60)), 60, ratio=np.zeros((4, 3)))
    assert by_envelopes(potentials)[1].tolist() == [0, 1, 2, 3]
