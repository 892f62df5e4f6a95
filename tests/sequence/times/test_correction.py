"""The last move of each onset: what it learns, its limits, its state."""

import numpy as np
import pytest

from align.errors import ModelError
from align.sequence.times.correction import _LIMIT, OnsetCorrection
from align.terms import BaseFunctions, OnsetTerm, SegmentTerm

HOP = 0.005
CLASSES = {"a": "vowel", "s": "noise", "m": "nasal"}


def recordings(n=30, seed=0, shift=None):
    """Scores peaked at the onsets; truth differs from them by what `shift` says of the labels."""
    rng = np.random.default_rng(seed)
    xs, found, truth = [], [], []
    for _ in range(n):
        labels = list(rng.choice(list("asm"), size=20))
        times = np.cumsum(rng.uniform(0.05, 0.1, 20)) - 0.05
        n_frames = int(times[-1] / HOP) + 30
        frames = np.arange(n_frames)
        lean = rng.normal(size=20)  # the score's slope tells of the error too
        table = np.stack(
            [
                -0.02 * (frames - t / HOP) ** 2 + 0.1 * s * (frames - t / HOP)
                for t, s in zip(times, lean, strict=True)
            ]
        )
        x = BaseFunctions(
            [
                SegmentTerm.from_frames(
                    rng.normal(size=(3, n_frames)), np.zeros(20, dtype=np.intp)
                ),
                OnsetTerm(table, np.arange(20)),
            ],
            ["phone", "boundary"],
            20,
            n_frames,
            labels=tuple(labels),
        )
        before = ["a", *labels[:-1]]
        move = np.array([shift(*one) for one in zip(before, labels, lean, strict=True)])
        xs.append(x)
        found.append(times)
        truth.append(times + move + rng.laplace(scale=2e-4, size=20))
    return xs, found, truth


def error(correction, data):
    xs, found, truth = data
    errors = []
    for x, f, t in zip(xs, found, truth, strict=True):
        terms = dict(zip(x.names, x.terms, strict=True))
        moved = correction.moved(f, terms, [CLASSES.get(label) for label in x.labels])
        assert np.abs(moved - f).max() <= _LIMIT + 1e-12
        assert moved[0] == f[0]
        errors.append((moved - t)[1:])
    return np.abs(np.concatenate(errors)).mean()


def by_pair(before, after, lean):
    return 0.003 if (before, after) == ("a", "s") else -0.002 if after == "m" else 0.0


def by_slope(before, after, lean):
    return 0.0015 * lean


@pytest.mark.parametrize("shift", [by_pair, by_slope])
def test_it_learns_habits_and_slopes(shift):
    correction = OnsetCorrection.fitted(*recordings(shift=shift), CLASSES, HOP)
    new = recordings(10, seed=1, shift=shift)
    before = np.concatenate([np.abs(f - t)[1:] for f, t in zip(*new[1:], strict=True)]).mean()
    assert correction.names == ["boundary"]  # of the phone's frames nothing is asked
    assert error(correction, new) < 0.75 * before


def test_gross_errors_teach_nothing():
    def shift(before, after, lean):
        return 0.2 if lean > 0 else 0.0

    correction = OnsetCorrection.fitted(*recordings(40, shift=shift), CLASSES, HOP)
    xs, found, _ = recordings(1, seed=1, shift=by_pair)
    terms = dict(zip(xs[0].names, xs[0].terms, strict=True))
    moved = correction.moved(found[0], terms, [CLASSES[label] for label in xs[0].labels])
    assert np.abs(moved - found[0]).max() < 0.001


def test_little_teaches_nothing():
    assert OnsetCorrection.fitted(*recordings(5, shift=by_pair), CLASSES, HOP) is None
    assert OnsetCorrection.fitted([], [], [], CLASSES, HOP) is None


def test_a_class_that_was_never_met_is_moved_by_the_rest():
    correction = OnsetCorrection.fitted(*recordings(shift=by_slope), CLASSES, HOP)
    xs, found, truth = recordings(1, seed=2, shift=by_slope)
    terms = dict(zip(xs[0].names, xs[0].terms, strict=True))
    moved = correction.moved(found[0], terms, [None] * 20)
    assert np.abs(moved - truth[0])[1:].mean() < np.abs(found[0] - truth[0])[1:].mean()


def test_the_state_restores_it_and_is_checked():
    correction = OnsetCorrection.fitted(*recordings(shift=by_slope), CLASSES, HOP)
    params, arrays = correction.get_state()
    again = OnsetCorrection.from_state(params, arrays, HOP)
    data = recordings(2, seed=3, shift=by_slope)
    assert error(again, data) == error(correction, data)
    np.testing.assert_array_equal(again.weights, correction.weights)
    with pytest.raises(ModelError, match="'weights' of the correction must be finite"):
        OnsetCorrection.from_state(params, {**arrays, "weights": arrays["weights"][1:]}, HOP)
    with pytest.raises(ModelError, match="'deviation' of the correction must be positive"):
        OnsetCorrection.from_state(params, {**arrays, "deviation": 0 * arrays["mean"]}, HOP)
