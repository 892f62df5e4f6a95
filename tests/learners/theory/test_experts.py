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
        (lambda: BestExpert(2, horizon=0), "horizon=0"),
        (lambda: BestExpert(2).step([0.0, 1.5]), r"must be 2 values in \[0, 1\]"),
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
