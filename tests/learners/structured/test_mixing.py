"""Iterative parameter mixing: its theorem, its definition, and that machines do not matter."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.naive import parameter_mixing
from mixing_problems import Classes, separable
from sklearn.base import clone

from align.errors import ParameterError
from align.learners import ParameterMixing, StructuredLearner
from align.learners.parts.shards import mixing_weights


def learner(update="perceptron", **options):
    options = {"epochs": 4, "conversion": "last", "random_state": 1} | options
    return StructuredLearner(update, **options)


def noisy(seed=0, m=40):
    xs, ys, _ = separable(seed, m, margin=0.0)
    rng = np.random.default_rng(seed)
    return xs, [int(rng.integers(3)) if rng.random() < 0.2 else y for y in ys]


def radius_and_margin(xs, ys, u):
    """Longest direction, and least margin of u, over all wrong outputs."""
    problem = Classes()
    directions = [
        problem.joint_feature(x, y) - problem.joint_feature(x, other)
        for x, y in zip(xs, ys, strict=True)
        for other in range(3)
        if other != y
    ]
    return max(map(np.linalg.norm, directions)), min(d @ u for d in directions)


# Theorem 3 --------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 9), st.sampled_from(["uniform", "updates"]))
def test_theorem_3_bounds_the_mixed_updates_of_separable_data(seed, n_shards, mix):
    xs, ys, u = separable(seed)
    R, margin = radius_and_margin(xs, ys, u)
    mixed = ParameterMixing(learner(epochs=12), n_shards, mix=mix).fit(Classes(), xs, ys)
    assert mixed.mixed_updates_ <= (R / margin) ** 2
    assert mixed.radius_ <= R * (1 + 1e-12)
    # What the proof says on the way: the mixture leans towards u, and does not grow fast.
    assert mixed.coef_ @ u >= mixed.mixed_updates_ * margin * (1 - 1e-9)
    assert mixed.coef_ @ mixed.coef_ <= mixed.mixed_updates_ * R**2 * (1 + 1e-9)


def test_separable_data_are_learned_and_then_nothing_moves():
    xs, ys, _ = separable(3)
    mixed = ParameterMixing(learner(epochs=60), 5).fit(Classes(), xs, ys)
    assert mixed.predict(Classes(), xs) == ys
    assert mixed.epochs_[-1].updates.sum() == 0
    assert mixed.n_updates_ == sum(epoch.updates.sum() for epoch in mixed.epochs_)
    np.testing.assert_allclose(mixed.epochs_[-1].weights, 0.2)


def test_mixing_once_need_not_separate():
    # Section 3.1: parameters mixed only at the end may not separate what is separable.
    xs = [np.array(x) for x in ([0.0, 1.0], [1.0, 1.0], [0.0, -1.0], [-1.0, 1.0])]
    assert mixing_weights([0, 0], "updates").tolist() == [0.5, 0.5]
    ys = [0, 0, 1, 1]
    once = ParameterMixing(learner(epochs=1, shuffle=False), 2).fit(Classes(2), xs, ys)
    more = ParameterMixing(learner(epochs=30, shuffle=False), 2).fit(Classes(2), xs, ys)
    assert once.predict(Classes(2), xs) != ys
    assert more.predict(Classes(2), xs) == ys


# What it is -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mix", ["uniform", "updates"])
def test_it_is_what_the_paper_says(mix):
    xs, ys = noisy()
    last, mean = parameter_mixing(xs, ys, 3, 4, mix, C=0.3)
    for conversion, expected in (("last", last), ("average", mean)):
        serial = learner("pa1", C=0.3, shuffle=False, conversion=conversion)
        mixed = ParameterMixing(serial, 3, mix=mix).fit(Classes(), xs, ys)
        np.testing.assert_allclose(mixed.coef_, expected, atol=1e-12)
    assert mixed.n_rounds_ == 4 * len(xs)


@pytest.mark.parametrize("update", ["perceptron", "pa", "pa1", "pa2"])
@pytest.mark.parametrize("conversion", ["last", "average"])
@pytest.mark.parametrize("loss", ["prediction", "maximal"])
def test_one_shard_is_the_serial_learner(update, conversion, loss):
    xs, ys = noisy(m=20)
    serial = learner(update, C=0.7, conversion=conversion, loss=loss, shuffle=False)
    mixed = ParameterMixing(clone(serial), 1).fit(Classes(), xs, ys)
    serial.fit(Classes(), xs, ys)
    np.testing.assert_allclose(mixed.coef_, serial.coef_, atol=1e-12)
    assert (mixed.n_mistakes_, mixed.n_updates_) == (serial.n_mistakes_, serial.n_updates_)
    assert mixed.cumulative_loss_ == pytest.approx(serial.cumulative_loss_)
    assert mixed.cumulative_cost_ == pytest.approx(serial.cumulative_cost_)


# Where it runs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_result_is_the_same_wherever_it_runs(backend):
    xs, ys = noisy()
    expected = ParameterMixing(learner("pa1"), 4, mix="updates").fit(Classes(), xs, ys)
    with joblib.parallel_config(backend, n_jobs=2):
        found = ParameterMixing(learner("pa1"), 4, mix="updates").fit(Classes(), xs, ys)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    assert found.cumulative_loss_ == expected.cumulative_loss_


@pytest.mark.filterwarnings("default")  # Dask's own, of threads that pytest does not know
def test_the_result_is_the_same_on_dask_workers():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    xs, ys = noisy()
    expected = ParameterMixing(learner("pa1"), 4).fit(Classes(), xs, ys)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        found = ParameterMixing(learner("pa1"), 4).fit(Classes(), xs, ys)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_the_seed_decides():
    xs, ys = noisy()
    first, again, other = (
        ParameterMixing(learner("pa1", random_state=seed), 4).fit(Classes(), xs, ys).coef_
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


class Memory(dict):
    """A checkpoint in memory."""

    def load(self, name):
        return self.get(name)

    def save(self, name, header, arrays):
        self[name] = copy.deepcopy((header, arrays))


def test_an_interrupted_run_goes_on_to_the_same_result():
    xs, ys = noisy()
    whole = ParameterMixing(learner("pa1", conversion="average"), 3).fit(Classes(), xs, ys)
    memory, told = Memory(), []

    def stop(stage, done, total):
        told.append((stage, done, total))
        if len(told) == 3:
            raise KeyboardInterrupt

    mixing = ParameterMixing(learner("pa1", conversion="average"), 3)
    with pytest.raises(KeyboardInterrupt):
        mixing.fit(Classes(), xs, ys, checkpoint=memory, progress=stop)
    assert told[-1] == ("learning weights", 3 * len(xs), 4 * len(xs))
    mixing = ParameterMixing(learner("pa1", conversion="average"), 3)
    mixing.fit(Classes(), xs, ys, checkpoint=memory)
    np.testing.assert_array_equal(mixing.coef_, whole.coef_)
    assert mixing.n_updates_ == whole.n_updates_
    assert len(mixing.epochs_) == 4


@pytest.mark.parametrize("conversion", ["last", "average"])
def test_shards_keep_the_signs_of_a_problem(conversion):
    problem = Classes()
    problem.non_negative = np.arange(12) % 2 == 0
    mixing = ParameterMixing(learner("pa1", conversion=conversion), 3)
    coef = mixing.fit(problem, *noisy()).coef_
    free = ParameterMixing(learner("pa1", conversion=conversion), 3).fit(Classes(), *noisy()).coef_
    assert (coef[::2] >= 0).all()
    assert (free[::2] < 0).any()
    assert (coef[1::2] < 0).any()


def test_more_shards_than_examples_are_as_many_as_examples():
    xs, ys = noisy(m=3)
    assert len(ParameterMixing(learner(), 8).fit(Classes(), xs, ys).epochs_[0].weights) == 3


def test_it_copies_and_travels():
    mixing = ParameterMixing(learner("pa2", C=3.0), 2)
    for twin in (clone(mixing), copy.deepcopy(mixing), pickle.loads(pickle.dumps(mixing))):
        assert (twin.n_shards, twin.C, twin.update, twin.loss) == (2, 3.0, "pa2", "prediction")
    assert ParameterMixing().update == "pa1"
    assert not hasattr(mixing, "coef_")


@pytest.mark.parametrize(
    ("mixing", "message"),
    [
        (ParameterMixing(n_shards=0), "n_shards=0, must be a whole number"),
        (ParameterMixing(Classes()), "learner is of type Classes, must be a StructuredLearner"),
        (ParameterMixing(mix="mean"), "mix='mean', must be one of uniform, updates"),
        (ParameterMixing(learner("self-tuned")), "update='self-tuned' cannot be mixed"),
        (ParameterMixing(learner(conversion="best")), "conversion='best' cannot be mixed"),
        (ParameterMixing(learner(record_directions=True)), "record_directions and callback"),
        (ParameterMixing(learner(epochs=0)), "epochs=0, must be a whole number"),
        (ParameterMixing(learner("pa1", C=0.0)), "C=0.0, must be positive"),
    ],
)
def test_what_cannot_be_mixed_is_said(mixing, message):
    xs, ys = noisy(m=4)
    with pytest.raises(ParameterError, match=message):
        mixing.fit(Classes(), xs, ys)


def test_predicting_before_learning_is_said():
    with pytest.raises(AttributeError, match="fit"):
        ParameterMixing().predict(Classes(), [])


def test_an_aligner_learns_with_it():
    import align
    from align.features import onset_feature
    from align.types import Example

    @onset_feature
    def loud(signal, event):
        change = np.diff(signal.log_energy, prepend=signal.log_energy[0])
        return change if event == "a" else np.zeros_like(change)

    rng = np.random.default_rng(0)
    examples = []
    for k in range(8):
        quiet = 3000 + 400 * k
        audio = np.concatenate([0.01 * rng.normal(size=quiet), 0.5 * rng.normal(size=6000)])
        examples.append(Example(audio, ("sil", "a"), np.array([0.0, quiet / 16000]), rate=16000))
    serial = learner("pa1", epochs=2)
    aligners = [
        align.SequenceAligner(features=[loud], learner=each, random_state=0).fit(examples)
        for each in (serial, ParameterMixing(serial, 4))
    ]
    for example in examples:
        ends = [a.align(example.audio, example.events, rate=16000).onsets[1] for a in aligners]
        assert ends[0] == pytest.approx(example.onsets[1], abs=0.03)
        assert ends[1] == pytest.approx(ends[0], abs=0.02)
