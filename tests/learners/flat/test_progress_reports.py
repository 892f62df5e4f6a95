"""Reports of a progressive evaluation: counts, bounds, and the regret of windows."""

import numpy as np
import pytest

from align.errors import ParameterError
from align.learners import (
    DictStream,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    SelfTunedWinnow,
    certify_run,
    progressive,
)


def drifting(seed=0, T=600, turn=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 4))
    y = (X[:, 0] > 0) ^ (np.arange(T) >= turn)
    return X, y.tolist()


def dicts(X):
    return [{f"f{j}": v for j, v in enumerate(row)} for row in X.tolist()]


def test_dicts_and_arrays_have_the_same_reports():
    X, y = drifting()
    arrays = list(progressive(PassiveAggressiveClassifier(C=0.1), zip(X, y, strict=True), 150))
    model = DictStream(PassiveAggressiveClassifier(C=0.1))
    named = list(progressive(model, zip(dicts(X), y, strict=True), 150))
    assert [r.rounds for r in named] == [150, 300, 450, 600]
    assert [r.mistakes for r in named] == [r.mistakes for r in arrays]
    assert sum(r.window_mistakes for r in named) == named[-1].mistakes
    assert named[-1].mistakes == model.learner.n_mistakes_
    assert named[-1].loss == pytest.approx(model.learner.cumulative_loss_)
    np.testing.assert_allclose(
        [r.mistake_bound for r in named], [r.mistake_bound for r in arrays], rtol=1e-6
    )


@pytest.mark.parametrize("vocabulary", ["growing", "hashed"])
def test_the_window_of_the_turn_has_the_largest_regret(vocabulary):
    X, y = drifting()
    model = DictStream(PassiveAggressiveClassifier(C=0.1), vocabulary, 4096)
    reports = list(progressive(model, zip(dicts(X), y, strict=True), 100))
    regrets = [r.window_regret for r in reports]
    assert int(np.argmax(regrets)) == 3
    assert regrets[3] > 3 * np.median(regrets)


@pytest.mark.parametrize("learner", [PassiveAggressiveClassifier(C=0.05), Perceptron()], ids=repr)
def test_the_bounds_hold_at_every_report(learner):
    X, y = drifting(1)
    reports = list(progressive(learner, zip(X, y, strict=True), 70))
    assert [r.rounds for r in reports][-2:] == [560, 600]
    for report in reports:
        assert report.bound.holds
        assert report.mistakes <= report.mistake_bound
        assert f"{report.rounds} rounds, {report.mistakes} mistakes" in str(report)


def test_the_last_bound_is_that_of_the_certificate():
    X, y = drifting(2)
    y[:2] = [False, True]  # so that there are two classes from the second round on
    X[0] = 0.0  # the first is no round for the stream, and costs the other a known loss
    model = Perceptron()
    *_, last = progressive(model, zip(X, y, strict=True), 1000)
    found = certify_run(Perceptron(), X[1:], y[1:])
    assert last.mistakes == found.mistakes
    assert last.mistake_bound == pytest.approx(found.mistake_bound, rel=0.05)


def test_a_third_class_ends_the_bounds_and_nothing_else():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(np.arange(300) < 150, X[:, 0] > 0, np.argmax(X, axis=1)).astype(int).tolist()
    reports = list(progressive(Perceptron(), zip(X, y, strict=True), 100))
    assert reports[0].bound is not None
    assert reports[2].bound is None
    assert np.isfinite([r.window_regret for r in reports]).all()


def test_numbers_have_windows_but_no_bound_on_mistakes():
    X, _ = drifting()
    y = X @ [1.0, 2.0, 0.0, -1.0]
    reports = list(progressive(PassiveAggressiveRegressor(), zip(X, y, strict=True), 200))
    assert all(r.bound is None for r in reports)
    assert reports[0].window_regret > 10 * abs(reports[-1].window_regret)


def test_without_certificates_only_a_window_is_kept_and_links_can_learn_too():
    X, y = drifting()
    reports = list(progressive(SelfTunedWinnow(), zip(X, y, strict=True), 200, certify=False))
    assert len(reports) == 3
    assert all(r.bound is None for r in reports)
    with pytest.raises(ParameterError, match="every=0, must be"):
        progressive(Perceptron(), [], every=0)
    with pytest.raises(ParameterError, match="must be a flat learner or a DictStream"):
        progressive(object(), [])
