"""How sure onsets are: 95 % intervals that hold as often, confidence that is right as often."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.decoders import decode
from align.potentials import Path, Potentials
from align.sequence.times.placement import Placed, Placement, sureness_of
from align.sequence.times.spread import central_intervals, fit_tail, nearer_share
from align.types import Float64

HOP = 0.005
plain = Placement("posterior", HOP)


def posteriors(seed: int, n: int, width: int = 12) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    raw = rng.random((n, width)) ** 4
    return raw / raw.sum(axis=1, keepdims=True), rng.integers(0, 50, n)


@given(st.integers(0, 10**6), st.floats(0.001, 0.4))
def test_an_interval_holds_a_time_where_its_nearer_share_is_the_tail_at_least(seed, tail) -> None:
    probability, start = posteriors(seed, 5)
    low, high = central_intervals(probability, start, tail).T
    assert (low < high).all()
    # spread evenly over the time nearest to it, each frame gives what is outside by counting
    fine = np.repeat(probability / 1000, 1000, axis=1)
    at = start[:, None] - 0.5 + (np.arange(fine.shape[1]) + 0.5) / 1000
    np.testing.assert_allclose(np.where(at < low[:, None], fine, 0).sum(1), tail, atol=1e-3)
    np.testing.assert_allclose(np.where(at > high[:, None], fine, 0).sum(1), tail, atol=1e-3)
    for frames in (low + 1e-3, high - 1e-3):
        assert (nearer_share(probability, start, frames) >= tail - 1e-9).all()
    for frames in (low - 1e-3, high + 1e-3):
        assert (nearer_share(probability, start, frames) <= tail + 1e-9).all()


def test_times_outside_of_the_window_have_no_share() -> None:
    probability, start = posteriors(0, 1)
    assert nearer_share(probability, start, start - 3.0) == 0.0
    assert nearer_share(probability, start, start + 40.0) == 0.0


def test_the_tail_covers_new_onsets_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    for power in (1.0, 3.0):  # a posterior that is right, and one that is too sure
        shares = 0.5 * rng.random(4000) ** power
        tail = fit_tail([shares[:1000], shares[1000:2000]])
        assert (shares[2000:] >= tail).mean() == pytest.approx(0.95, abs=0.015)


def bump(centre: float, n_frames: int = 60) -> Potentials:
    table = -0.5 * np.square((np.arange(n_frames) - centre) / 2.0)[None]
    return Potentials(table, n_frames=n_frames)


def test_placement_gives_intervals_once_they_are_measured() -> None:
    rng = np.random.default_rng(2)
    centres = rng.uniform(20, 40, 300)
    potentials = [bump(centre) for centre in centres]
    paths = [decode(p) for p in potentials]
    truth = [np.array([centre * HOP + rng.normal(0, 0.02)]) for centre in centres]
    assert plain.times(potentials[0], paths[0].onsets).intervals is None
    fitted = plain.judged(potentials, paths, truth)
    assert fitted.tail is not None
    held = []
    for p, path, times in zip(potentials, paths, truth, strict=True):
        (low, high), *_ = fitted.times(p, path.onsets).intervals
        held.append(low <= times[0] <= high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.01)
    # the posterior says 10 ms of standard deviation, and 20 ms it is
    assert high - low == pytest.approx(2 * 1.96 * 0.02, rel=0.2)


def test_confidence_is_as_often_right_as_it_says_once_it_is_judged() -> None:
    rng = np.random.default_rng(3)
    centres, spreads = rng.uniform(20, 40, 500), rng.choice((0.006, 0.03), 500)
    potentials = [
        Potentials(bump(centre).onset * (0.01 / spread) ** 0.7, n_frames=60)
        for centre, spread in zip(centres, spreads, strict=True)
    ]
    paths = [decode(p) for p in potentials]
    truth = [
        np.array([centre * HOP + rng.normal(0, spread)])
        for centre, spread in zip(centres, spreads, strict=True)
    ]
    judged = plain.judged(potentials[:250], paths[:250], truth[:250])
    wrong = {}
    for placement in (plain, judged):
        sure, right = [], []
        for p, path, times in zip(potentials[250:], paths[250:], truth[250:], strict=True):
            placed = placement.times(p, path.onsets)
            sure.append(placed.confidence[0])
            right.append(abs(placed.times[0] - times[0]) <= 0.02)
        low = spreads[250:] > 0.01
        wrong[placement] = [
            abs(np.mean(np.array(sure)[some]) - np.mean(np.array(right)[some]))
            for some in (low, ~low)
        ]
    assert max(wrong[plain]) > 0.1
    assert max(wrong[judged]) < 0.06


def test_the_same_doubt_is_worth_less_where_events_do_not_fit() -> None:
    """Those of recordings whose events fit are right more often, and that is learned."""
    rng = np.random.default_rng(5)
    fitting = rng.random(400) < 0.5
    potentials = [bump(centre) for centre in rng.uniform(20, 40, 400)]
    paths = [decode(p) for p in potentials]
    found = [plain.times(p, path.onsets).times for p, path in zip(potentials, paths, strict=True)]
    near = rng.random(400) < np.where(fitting, 0.95, 0.6)
    truth = [times + 0.005 + 0.05 * (not n) for times, n in zip(found, near, strict=True)]
    fits = [np.full(30, -0.5 if good else -2.5) for good in fitting]
    judged = plain.judged(potentials, paths, truth, fits)
    assert judged.sureness is not None
    assert judged.sureness.of_fit > 0

    def sure(fit: Float64 | None) -> float:
        return float(judged.times(potentials[0], paths[0].onsets, fit).confidence[0])

    assert sure(fits[int(np.argmax(fitting))]) == pytest.approx(0.95, abs=0.03)
    assert sure(fits[int(np.argmin(fitting))]) == pytest.approx(0.6, abs=0.05)
    assert 0.7 < sure(None) < 0.9
    assert sure(None) < sure(np.full(1, -0.5)) < sure(np.full(30, -0.5))  # one proves little
    turned = plain.judged(potentials, paths, truth, [-3.0 - fit for fit in fits])
    assert turned.sureness is not None
    assert turned.sureness.of_fit == 0.0  # by chance, or not to be believed


def test_few_onsets_prove_little_and_a_posterior_that_says_nothing_stays() -> None:
    p = bump(30.0)
    path = decode(p)
    one = plain.judged([p], [path], [np.array([0.15])])
    before = plain.times(p, path.onsets).confidence[0]
    assert one.times(p, path.onsets).confidence[0] == pytest.approx(before, abs=0.02)
    flat = Potentials(np.zeros((1, 60)), n_frames=60)
    rows = [p] * 40 + [flat] * 40  # the surer it is, the more often wrong
    paths = [decode(q) for q in rows]
    found = [plain.times(q, path.onsets).times for q, path in zip(rows, paths, strict=True)]
    truth = [times + 0.05 if q is p else times for q, times in zip(rows, found, strict=True)]
    assert plain.judged(rows, paths, truth).sureness is None


def test_an_onset_that_cannot_move_is_certain_and_the_others_move_with_their_intervals() -> None:
    table = np.vstack([np.where(np.arange(60) == 0, 0.0, -np.inf), bump(30.0).onset[0]])
    potentials = Potentials(table, n_frames=60, start=np.zeros(2, dtype=np.intp))
    placed = Placement("posterior", HOP, offset=0.001, tail=0.025).times(
        potentials, np.array([0, 30])
    )
    moved = placed.times + np.array([0.0, 0.004])
    known = sureness_of(placed, moved, np.array([0, 1]))
    _, high = known["onset_intervals"].T
    assert high[0] == pytest.approx(0.0, abs=1e-12)
    assert high[1] - moved[1] == pytest.approx(placed.intervals[1, 1] - placed.times[1])
    assert sureness_of(Placed(moved), moved, np.array([0])) == {}


def test_methods_without_posterior_have_no_intervals() -> None:
    path = Path(np.array([30]), 0.0)
    fitted = Placement("none", HOP).judged([bump(30.0)], [path], [np.array([0.15])])
    assert fitted.tail is None
    assert fitted.times(bump(30.0), path.onsets).intervals is None
