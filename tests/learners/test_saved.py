"""`save` and `load`: every learner, bit for bit, also in the middle of a stream."""

import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from learners.test_one_contract import (
    SEEDED,
    STREAMS,
    TwoClasses,
    announce,
    every,
    examples,
    name,
    state,
)
from mixing_problems import Classes, separable
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import align
from align.errors import DataError, ModelError, ParameterError
from align.learners import (
    CELLIP,
    IELLIP,
    AdaBoost,
    DictStream,
    InstanceRanker,
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
    LabelRanker,
    MixedClassifier,
    MultiplicativePA,
    MultiplicativePARegressor,
    MultiplicativePAUniclass,
    OnlineClassifier,
    OnlineRegressor,
    OnlineToBatch,
    ParameterMixing,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    Perceptron,
    PNormPerceptron,
    QNorm,
    Revisit,
    SelfTunedWinnow,
    SelfTuning,
    StructuredLearner,
    ThresholdWinnow,
    Winnow,
    compat,
)
from align.models import read_model, write_model

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

GOLDEN = Path(__file__).parent / "golden"
GOLDENS = {
    "iellip": IELLIP(),
    "kernel": KernelPA("gaussian", budget=20),
    "label-ranker": LabelRanker("entropy", average=True),
    "pa2-average": PassiveAggressiveClassifier("pa2", conversion="average"),
    "uniclass": PassiveAggressiveUniclass(epsilon=0.3, average=True),
    "winnow": Winnow(),
    "cellip": CELLIP(gamma=0.01, record=True),
    "kernel-numbers": KernelPARegressor("polynomial", degree=2, record=True),
    "kernel-uniclass": KernelPAUniclass(epsilon=0.3),
    "multiplicative": MultiplicativePA(),
    "multiplicative-numbers": MultiplicativePARegressor(),
    "multiplicative-uniclass": MultiplicativePAUniclass(epsilon=0.3),
    "online": OnlineClassifier(QNorm(3.0), tuning=SelfTuning(2.0), conversion="vote"),
    "online-numbers": OnlineRegressor(record=True),
    "online-to-batch": OnlineToBatch(IELLIP(), "vote"),
    "p-norm": PNormPerceptron(),
    "pa1-numbers": PassiveAggressiveRegressor(),
    "perceptron": Perceptron(random_state=np.random.RandomState(4), conversion="random"),
    "self-tuned-winnow": SelfTunedWinnow(),
    "threshold-winnow": ThresholdWinnow(),
    "compat-pa": compat.PassiveAggressiveClassifier(random_state=0),
    "compat-pa-numbers": compat.PassiveAggressiveRegressor(random_state=0),
    "compat-perceptron": compat.Perceptron(),
    # Below, those that do not learn from a stream of vectors.
    "adaboost": AdaBoost(n_estimators=5),
    "mixed": MixedClassifier(Perceptron()),
    "mixing": ParameterMixing(n_shards=2),
    "queries": InstanceRanker(record=True),
    "structured": StructuredLearner("self-tuned"),
    "dicts": DictStream(PassiveAggressiveClassifier()),
}
OTHERS = [
    OnlineClassifier(QNorm(3.0), tuning=SelfTuning(2.0), conversion="vote", record=True),
    OnlineClassifier("entropy", signed=True, revisit=Revisit(last=3), conversion="average"),
    PassiveAggressiveClassifier(conversion="vote"),
    PassiveAggressiveClassifier(conversion="random", random_state=np.random.default_rng(4)),
    Perceptron(record=True, random_state=np.random.RandomState(4)),
    LabelRanker(record=True),
]


def again(model, tmp_path):
    model.save(tmp_path / "m.align")
    found = type(model).load(tmp_path / "m.align")
    assert type(found) is type(model)
    return found


@every([*STREAMS, *OTHERS])
def test_a_stream_goes_on_bit_for_bit(model, tmp_path):
    X, y = examples(model)
    model = clone(model).partial_fit(X[:23], y[:23], **announce(model, y))
    found = again(model, tmp_path)
    np.testing.assert_array_equal(state(model, X), state(found, X))
    for some in (model, found):
        some.partial_fit(X[23:41], y[23:41])
        for i in range(41, 50):
            if hasattr(some, "step"):
                some.step(X[i], y[i])
        some.partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(state(model, X), state(found, X))
    assert model.n_mistakes_ == found.n_mistakes_
    assert (
        model.cumulative_loss_ == found.cumulative_loss_
        if hasattr(model, "cumulative_loss_")
        else True
    )
    if hasattr(model, "trace_"):
        np.testing.assert_array_equal(model.trace_.dual, found.trace_.dual)
    np.testing.assert_array_equal(state(model.fit(X, y), X), state(found.fit(X, y), X))
    assert name(model) == name(found)


@every([*STREAMS, AdaBoost(), MixedClassifier(Perceptron())])
def test_fitted_and_unfitted(model, tmp_path):
    X, y = examples(model)
    assert name(again(model, tmp_path)) == name(model)
    model = clone(model).fit(X, y)
    found = again(model, tmp_path)
    np.testing.assert_array_equal(state(model, X), state(found, X))
    np.testing.assert_array_equal(model.predict(X), found.predict(X))
    anything = align.load(tmp_path / "m.align")
    assert type(anything) is type(model)


def test_queries(tmp_path):
    X, _ = examples(InstanceRanker())
    y, groups = np.arange(60) % 3, np.arange(60) // 6
    model = InstanceRanker(record=True).partial_fit(X[:30], y[:30], groups[:30])
    found = again(model, tmp_path)
    for some in (model, found):
        some.partial_fit(X[30:], y[30:], groups[30:])
    np.testing.assert_array_equal(model.coef_, found.coef_)
    assert model.dual_objective_ == found.dual_objective_


@pytest.mark.parametrize("conversion", ["last", "average", "random"])
@pytest.mark.parametrize("update", ["pa1", "self-tuned"])
def test_structured(tmp_path, conversion, update):
    xs, ys = separable(0)[:2]
    model = StructuredLearner(update, conversion=conversion)
    for x, y in zip(xs[:30], ys[:30], strict=True):
        model.step(Classes(), x, y)
    found = again(model, tmp_path)
    for some in (model, found):
        for x, y in zip(xs[30:], ys[30:], strict=True):
            some.step(Classes(), x, y)
    np.testing.assert_array_equal(model.coef_, found.coef_)
    assert model.n_mistakes_ == found.n_mistakes_


def test_mixed(tmp_path):
    xs, ys = separable(0)[:2]
    model = ParameterMixing(n_shards=2).fit(Classes(), xs, ys)
    np.testing.assert_array_equal(again(model, tmp_path).coef_, model.coef_)


def test_every_learner_can_be_saved():
    for model in [*SEEDED, ParameterMixing()]:
        assert model.save
        assert type(model).load


def test_what_is_no_number(tmp_path):
    X, y = examples(KernelPA())
    own = KernelPA(lambda A, B: A @ B.T).fit(X, y)
    with pytest.raises(ParameterError, match=r"KernelPA.kernel is a function, which no model"):
        own.save(tmp_path / "m.align")
    tree = AdaBoost(estimator=DecisionTreeClassifier())
    with pytest.raises(ParameterError, match=r"AdaBoost.estimator is a DecisionTreeClassifier"):
        tree.save(tmp_path / "m.align")
    assert not (tmp_path / "m.align").exists()


def test_files_that_are_no_learner(tmp_path):
    path = tmp_path / "m.align"
    model = PassiveAggressiveClassifier().partial_fit([[1.0, 2.0]], ["a"], classes=["a", "b"])
    model.save(path)
    with pytest.raises(DataError, match="exists"):
        model.save(path, overwrite=False)
    with pytest.raises(ModelError, match="is a PassiveAggressiveClassifier, must be a Perceptron"):
        Perceptron.load(path)
    kind, header, arrays = read_model(path)
    write_model(path, kind, {**header, "learner_version": 2}, arrays)
    with pytest.raises(ModelError, match="is a learner of version 2, and this Align reads"):
        Perceptron.load(path)
    write_model(path, "music", header, {})
    with pytest.raises(ModelError, match="is a model of kind 'music', no learner"):
        Perceptron.load(path)
    for bad in (["object", "os:system", []], ["object", "flat.winnow:math", []]):
        write_model(path, kind, {**header, "state": bad}, arrays)
        with pytest.raises(ModelError, match="which is no part of a learner"):
            Perceptron.load(path)
    for bad in (["array", "z", False], ["what"], ["same", 7], 3, ["map", [[["list", []], 1]]]):
        write_model(path, kind, {**header, "state": bad}, arrays)
        with pytest.raises(ModelError, match=r"is damaged|must be a Perceptron"):
            Perceptron.load(path)
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        assert not any(b"pickle" in archive.read(name) for name in archive.namelist())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ModelError, match="is not a whole model file"):
        Perceptron.load(path)


def test_equal_learners_are_equal_files(tmp_path):
    X, y = examples(Perceptron())
    files = []
    for i in range(2):
        Perceptron().partial_fit(X, y).save(tmp_path / f"{i}.align")
        files.append((tmp_path / f"{i}.align").read_bytes())
    assert files[0] == files[1]


def test_what_is_routed_in_a_pipeline_is_not_in_the_file(tmp_path):
    X, y = examples(Perceptron())
    weights = np.arange(len(y)) % 3.0
    with config_context(enable_metadata_routing=True):
        for learner in (Perceptron(), KernelPA()):
            model = clone(learner.set_fit_request(sample_weight=True))
            routed = make_pipeline(model).fit(X, y, sample_weight=weights)
            routed.score(X, y)
            right = clone(learner).fit(X, y, sample_weight=weights).decision_function(X)
            np.testing.assert_array_equal(routed.decision_function(X), right)
            model.save(tmp_path / "m.align")
            again = align.load(tmp_path / "m.align").decision_function(X)
            np.testing.assert_array_equal(again, right)


def half(model, rows):
    """Let a learner of a stream have some of the examples; all others learn once, from all."""
    if isinstance(model, ParameterMixing):
        return model if hasattr(model, "coef_") else model.fit(Classes(), *separable(0)[:2])
    X, y = examples(getattr(model, "learner", None) or model)
    begun = hasattr(model, "n_features_in_")
    if isinstance(model, AdaBoost | MixedClassifier):
        return model if begun else model.fit(X, y)
    X, y = X[rows], y[rows]
    if isinstance(model, InstanceRanker):
        return model.partial_fit(X, np.arange(30) % 3, np.arange(30) // 6)
    if isinstance(model, StructuredLearner):
        return model.partial_fit(TwoClasses(), X, y)
    if isinstance(model, DictStream):
        for x, label in zip(X, y, strict=True):
            model.learn_one({f"f{j}": value for j, value in enumerate(x) if value}, label)
        return model
    return model.partial_fit(X, y, **({} if begun else announce(model, y)))


def known_of(model):
    """Return what a learner knows, as numbers."""
    model = model.learner if isinstance(model, DictStream) else model
    if isinstance(model, InstanceRanker | StructuredLearner | ParameterMixing):
        return model.coef_
    return state(model, examples(model)[0])


@pytest.mark.parametrize("key", GOLDENS)
def test_golden_files(key):
    """Files of version 1 are read, and go on, as they did when they were written."""
    found = half(align.load(GOLDEN / f"{key}.align"), slice(30, 60))
    expected = np.load(GOLDEN / f"{key}.npy", allow_pickle=False)
    np.testing.assert_allclose(known_of(found), expected, rtol=1e-9, atol=1e-9)


def test_every_learner_has_a_golden_file():
    here = {type(model) for model in GOLDENS.values()}
    assert {type(model) for model in [*SEEDED, ParameterMixing()]} <= here


def write_golden():
    """Write the files of `test_golden_files` that are not there; never those of before."""
    GOLDEN.mkdir(exist_ok=True)
    for key, given in GOLDENS.items():
        if not (GOLDEN / f"{key}.align").exists():
            model = half(clone(given), slice(30))
            model.save(GOLDEN / f"{key}.align")
            np.save(GOLDEN / f"{key}.npy", known_of(half(model, slice(30, 60))))


@every([*STREAMS, *OTHERS[:2], compat.PassiveAggressiveClassifier()])
def test_arrays_that_are_too_short_are_found(model, tmp_path):
    """Each array of a file in turn loses half of its numbers; what is read then never crashes."""
    X, y = examples(model)
    path = tmp_path / "m.align"
    clone(model).partial_fit(X[:40], y[:40], **announce(model, y)).save(path)
    kind, header, arrays = read_model(path)
    refused = 0
    for key, array in arrays.items():
        write_model(path, kind, header, {**arrays, key: array[: len(array) // 2]})
        try:
            found = align.load(path)
            found.partial_fit(X[40:], y[40:])
            state(found, X)
        except (ModelError, ValueError, IndexError):  # ours, and NumPy's of what does not fit
            refused += array.size > 0
    assert refused >= 0.5 * len(arrays)


def test_counts_that_reach_beyond_arrays_are_found(tmp_path):
    X, y = examples(Winnow())
    path = tmp_path / "m.align"
    for model, key, number in (
        (PassiveAggressiveClassifier(), "n_features", 60),
        (Winnow(), "width", 1400),
        (KernelPA(), "_n", 1200),
    ):
        clone(model).partial_fit(X[:12], y[:12]).save(path)
        kind, header, arrays = read_model(path)
        text = json.dumps(header)
        forged = re.sub(rf'\["{key}", \d+\]', f'["{key}", {number}]', text)
        assert forged != text
        write_model(path, kind, json.loads(forged), arrays)
        with pytest.raises(ModelError, match="the state of the learner is damaged"):
            align.load(path)


def test_weights_without_room_for_the_constant_are_found(tmp_path):
    X, y = examples(PassiveAggressiveClassifier())
    path, d = tmp_path / "m.align", X.shape[1]
    PassiveAggressiveClassifier().partial_fit(X[:12], y[:12]).save(path)
    kind, header, arrays = read_model(path)
    room = (1, -(-(d + 1) // 8) * 8)  # of weights, in whole lines of the cache
    (key,) = [name for name, array in arrays.items() if array.shape == room]
    write_model(path, kind, header, {**arrays, key: np.ascontiguousarray(arrays[key][:, :d])})
    with pytest.raises(ModelError, match=f"{d} features in {d} columns"):
        align.load(path)
