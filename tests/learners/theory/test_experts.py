"""H6: nearly as good as the best expert."""

import numpy as np
import pytest

from align.errors import ParameterError
from align.learners import BestExpert


@pytest.mark.parametrize("horizon", [True, False])
@pytest.mark.parametrize("n", [1, 2, 10, 100])
def test_best_expert_regret(n, horizon):
    rng = np.random.default_rng(88)
    T = 400
    streams = [
        rng.random((T, n)),
        (rng.random((T, n)) < 0.5).astype(float),
        np.tile(np.eye(n), (T // n + 1, 1))[:T],
        (np.arange(T)[:, None] % 2 == np.arange(n) % 2).astype(float),
    ]
    for stream in streams:
        learner = BestExpert(n, horizon=T if horizon else None)
        for losses in stream:
            w = learner.weights_
            np.testing.assert_allclose(w.sum(), 1)
            assert learner.step(losses) == pytest.approx(w @ losses)
        np.testing.assert_allclose(
            learner.regret(), learner.loss_ - stream.sum(0).min(), atol=1e-9
        )
        assert learner.regret() <= learner.regret_bound() * (1 + 1e-9) + 1e-9


def test_best_expert_against_an_adversary():
    T, n = 500, 4
    learner = BestExpert(n, horizon=T)
    for _ in range(T):
        losses = np.zeros(n)
        losses[learner.weights_.argmax()] = 1
        learner.step(losses)
    assert 0 < learner.regret() <= learner.regret_bound()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BestExpert(0), "n_experts=0"),
        (lambda: BestExpert(2.5), "n_experts=2.5, must be a whole number"),
        (lambda: BestExpert(2, horizon=0), "horizon=0"),
        (lambda: BestExpert(2).step([0.0, 1.05]), r"must be 2 values in \[0, 1\]"),
        (lambda: BestExpert(2).step([-0.05, 1.0]), r"must be 2 values in \[0, 1\]"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_best_expert_stops_at_its_horizon():
    learner = BestExpert(2, horizon=1)
    learner.step([0.0, 1.0])
    with pytest.raises(ParameterError, match="horizon=1 rounds are over"):
        learner.step([0.0, 1.0])


def test_parameters_are_those_of_the_constructor():
    assert BestExpert(3, horizon=7).get_params() == {"n_experts": 3, "horizon": 7}


@pytest.mark.parametrize("horizon", [50, None])
def test_the_weights_are_those_of_the_specification(horizon):
    rng = np.random.default_rng(89)
    stream = rng.random((50, 3))
    learner = BestExpert(3, horizon=horizon)
    for t, losses in enumerate(stream):
        c = np.sqrt((horizon or t + 1) / (8 * np.log(3)))
        w = np.exp(-stream[:t].sum(0) / c)
        np.testing.assert_allclose(learner.weights_, w / w.sum(), rtol=1e-12)
        learner.step(losses)


@pytest.mark.parametrize(("horizon", "bound"), [(True, 1.517427), (False, 2.276141)])
def test_the_bound_bites_on_coins(horizon, bound):
    """A hundred experts that guess: half of the runs come within twice the bound."""
    T = 1000
    ratios = []
    for seed in range(20):
        learner = BestExpert(100, horizon=T if horizon else None)
        for losses in np.random.default_rng(seed).integers(2, size=(T, 100)):
            learner.step(losses)
        assert learner.regret_bound() == pytest.approx(bound * np.sqrt(T), rel=1e-6)
        assert learner.regret() <= learner.regret_bound()
        ratios.append(learner.regret_bound() / learner.regret())
    print(f"\nbound / regret, median of 20 runs: {np.median(ratios):.2f}")
    assert np.median(ratios) <= 2.0
