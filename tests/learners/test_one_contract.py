"""One contract for every learner: names, seeds, weights, streams, chunks, CSR and CSC."""

import copy
import inspect
import io
import pickle
import re
import tracemalloc
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import align.learners
from align.errors import ParameterError
from align.learners import (
    CELLIP,
    IELLIP,
    AdaBoost,
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
    SelfTunedWinnow,
    StructuredLearner,
    ThresholdWinnow,
    Winnow,
    certify_run,
)
from align.learners.flat.run_certificate import INSTEAD

STREAMS = [
    CELLIP(gamma=0.01),
    IELLIP(),
    KernelPA("linear"),
    KernelPA("gaussian", budget=20),
    KernelPARegressor("polynomial", degree=2),
    KernelPAUniclass(epsilon=0.3),
    LabelRanker(),
    LabelRanker("entropy", average=True),
    MultiplicativePA(),
    MultiplicativePARegressor(),
    MultiplicativePAUniclass(epsilon=0.3),
    OnlineClassifier(),
    OnlineRegressor(),
    OnlineToBatch(KernelPA("linear")),
    OnlineToBatch(IELLIP(), "vote"),
    PassiveAggressiveClassifier(),
    PassiveAggressiveClassifier("pa2", conversion="average"),
    PassiveAggressiveRegressor(),
    PassiveAggressiveUniclass(epsilon=0.3, average=True),
    Perceptron(),
    PNormPerceptron(),
    SelfTunedWinnow(),
    ThresholdWinnow(),
    Winnow(),
]
CLASSIFIERS = [m for m in STREAMS if "classes" in inspect.signature(m.partial_fit).parameters]
WEIGHED = [m for m in STREAMS if "sample_weight" in inspect.signature(m.partial_fit).parameters]
SEEDED = [*STREAMS, InstanceRanker(), AdaBoost(), MixedClassifier(), StructuredLearner()]


def name(model):
    return re.sub(r"\s| ?at 0x\w+", "", repr(model))


def every(models):
    return pytest.mark.parametrize("model", models, ids=name)


# CELLIP says that the data has no such margin.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def examples(model, m=60):
    """Examples of two classes that every learner takes, or of numbers."""
    rng = np.random.default_rng(5)
    X = (rng.random((m, 6)) < 0.5).astype(float)
    score = X @ [2.0, 1.5, -1.0, 0.0, 0.5, -2.0] + 0.1 * rng.normal(size=m)
    numbers = type(model).__name__.endswith("Regressor")
    return X, score if numbers else np.where(score > 0.5, "yes", "no")


def state(model, X):
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict(X)


def announce(model, y):
    takes = "classes" in inspect.signature(model.partial_fit).parameters
    return {"classes": np.unique(y)} if takes else {}


def streamed(model, X, y, size, **later):
    model = clone(model)
    known = announce(model, y)
    for i in range(0, len(y), size):
        model.partial_fit(X[i : i + size], y[i : i + size], **(known if i == 0 else {}))
        if later:
            model.set_params(**later)
    return model


def test_every_learner_is_here():
    """A learner that is added must come under the contract."""
    learners = {
        name
        for name in align.learners.__all__
        if hasattr(getattr(align.learners, name), "partial_fit")
        or hasattr(getattr(align.learners, name), "fit")
    }
    here = {type(m).__name__ for m in SEEDED} | {ParameterMixing.__name__}
    # Learners of finite classes: their hypotheses are functions, which no vector is shown to.
    finite = {"Conservative", "Consistent", "Elimination", "Halving"}
    assert learners - finite <= here


@every(SEEDED)
def test_one_default_seed(model):
    assert clone(model).get_params()["random_state"] == 0


@every([m for m in STREAMS if hasattr(m, "step")])
def test_a_step_begins_a_stream_as_partial_fit_does(model):
    X, y = examples(model, 12)
    one, other = clone(model), clone(model)
    for i in range(12):
        one.step(X[i], y[i])
        other.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_allclose(state(one, X), state(other, X), rtol=1e-9, atol=1e-12)


@every([*STREAMS, AdaBoost()])
@pytest.mark.parametrize("kind", ["none", "int", "generator", "state"])
def test_every_kind_of_seed(model, kind):
    X, y = examples(model)
    seeds = {
        "none": lambda: None,
        "int": lambda: 3,
        "generator": lambda: np.random.default_rng(3),
        "state": lambda: np.random.RandomState(3),
    }
    scores = [
        state(clone(model).set_params(random_state=seeds[kind]()).fit(X, y), X) for _ in range(2)
    ]
    assert np.isfinite(scores[0]).all()
    if kind != "none":
        np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_seeds_of_queries(kind):
    X, _ = examples(InstanceRanker())
    y, groups = np.arange(60) % 3, np.arange(60) // 6
    models = [InstanceRanker(random_state=kind(3)).fit(X, y, groups) for _ in range(2)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


@every(STREAMS)
def test_chunks_are_one_call(model):
    X, y = examples(model)
    whole, parts = streamed(model, X, y, 60), streamed(model, X, y, 7)
    np.testing.assert_allclose(state(whole, X), state(parts, X), rtol=1e-9, atol=1e-9)
    assert whole.n_mistakes_ == parts.n_mistakes_
    assert whole.n_rounds_ == parts.n_rounds_ == 60


def through_joblib(model):
    """Return what joblib reads, which makes two arrays of one that stands twice."""
    written = io.BytesIO()
    joblib.dump(model, written)
    written.seek(0)
    return joblib.load(written)


def through_pickle(model):
    return pickle.loads(pickle.dumps(model))


@every(STREAMS)
@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle, through_joblib])
def test_a_copy_goes_on_where_the_stream_was(model, copied):
    """Of single rows and of steps, which have work space of their own."""
    X, y = examples(model, 12)
    y = y if y.dtype.kind == "f" else (y == "yes").astype(int)
    one = streamed(model, X, y, 1)
    other = clone(model).partial_fit(X[:1], y[:1], **announce(model, y))
    for i in range(1, 12):
        other = copied(other).partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_array_equal(state(one, X), state(other, X))
    if hasattr(model, "step"):
        one.step(X[0], y[0])
        other.step(X[0], y[0])
        one.step(X[1], y[1])
        copied(other).step(X[1], y[1])
        other = copied(other)
        other.step(X[1], y[1])
        np.testing.assert_array_equal(state(one, X), state(other, X))


@every(STREAMS)
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array])
def test_sparse_is_dense(model, kind):
    X, y = examples(model)
    dense, sparse = streamed(model, X, y, 60), clone(model)
    sparse.partial_fit(kind(X), y, **announce(model, y))
    np.testing.assert_allclose(state(dense, X), state(sparse, kind(X)), rtol=1e-9, atol=1e-9)
    if hasattr(model, "decision_function"):
        np.testing.assert_array_equal(dense.predict(X), sparse.predict(kind(X)))


@every([m for m in SEEDED if not isinstance(m, StructuredLearner)])
def test_an_entry_that_stands_twice_is_the_sum(model):
    X, y = examples(model)
    if isinstance(model, InstanceRanker):
        y = (y == "yes").astype(float)
    if isinstance(model, ThresholdWinnow):
        halves, turned = np.array([[3.0], [-2.0]]), X  # 0 and 1 in sum only
    else:
        halves, turned = np.array([[0.25], [0.75]]), X
    m, d = X.shape
    columns = np.tile(np.r_[d - 1 : -1 : -1, 0:d], m)  # not in order, either
    values = np.stack([turned[:, ::-1] * halves[0], turned * halves[1]], axis=1).ravel()
    twice = sp.csr_array((values, columns, np.arange(m + 1) * 2 * d), shape=X.shape)
    once, found = clone(model).fit(X, y), clone(model).fit(twice, y)
    np.testing.assert_allclose(state(once, X), state(found, twice), rtol=1e-9, atol=1e-9)
    assert twice.nnz == 2 * X.size  # what was given is as it was


CHANGES = {
    "C": 7.0, "gamma": 0.5, "epsilon": 0.02, "beta": 3.0, "c": 0.05, "margin": 3.0,
    "average": True, "fit_intercept": False, "normalize": "max", "update": "pa", "rate": 5.0,
    "tuning": 9.0, "conversion": "last", "record": True, "kernel": "polynomial", "signed": False,
}  # fmt: skip


@every(STREAMS)
def test_set_params_in_a_stream_waits_for_the_next_fit(model):
    X, y = examples(model)
    later = {k: v for k, v in CHANGES.items() if k in model.get_params()}
    plain, changed = streamed(model, X, y, 10), streamed(model, X, y, 10, **later)
    np.testing.assert_array_equal(state(plain, X), state(changed, X))


@every(CLASSIFIERS)
def test_the_first_chunk_may_have_one_class(model):
    X, y = examples(model)
    order = np.argsort(y == "no", kind="stable")  # all of "yes" first
    X, y = X[order], y[order]
    first = int((y == "yes").sum())
    found = clone(model).partial_fit(X[:first], y[:first])
    assert (found.predict(X) == "yes").all()
    assert (found.n_rounds_, found.n_mistakes_) == (first, 0)
    found.partial_fit(X[first:], y[first:])
    assert found.n_rounds_ == 60
    for _ in range(5):
        found.partial_fit(X, y)
    assert set(found.classes_) == {"no", "yes"}
    assert (found.predict(X) == y).mean() > 0.6


@every(WEIGHED)
def test_weights(model):
    X, y = examples(model)
    known = announce(model, y)
    keep = (np.arange(60) % 3 > 0).astype(float)
    left_out = clone(model).partial_fit(X, y, **known, sample_weight=keep)
    half = clone(model).partial_fit(X[keep > 0], y[keep > 0], **known)
    np.testing.assert_allclose(state(left_out, X), state(half, X), rtol=1e-9, atol=1e-9)
    assert left_out.n_rounds_ == 40
    with pytest.raises(ParameterError, match="must be finite and not negative"):
        clone(model).partial_fit(X, y, **known, sample_weight=-keep)
    with pytest.raises(ParameterError, match=r"sample_weight.shape=\(3,\)"):
        clone(model).partial_fit(X, y, **known, sample_weight=np.ones(3))
    heavy = clone(model)
    if isinstance(getattr(model, "learner", model), CELLIP | IELLIP | LabelRanker):
        reason = (
            "the bounds of rankers" if isinstance(model, LabelRanker) else "a cut goes as deep"
        )
        with pytest.raises(ParameterError, match=f"must be 0 or 1 here: {reason}"):
            heavy.partial_fit(X, y, **known, sample_weight=2.0 * keep)
        return
    heavy.partial_fit(X, y, **known, sample_weight=np.full(60, 0.03))
    light = clone(model).partial_fit(X, y, **known)
    differs = not np.allclose(state(heavy, X), state(light, X))
    hard = type(model).__name__.startswith("Multiplicative")  # no C: a weight changes nothing
    assert differs != hard
    if "C" in model.get_params() and getattr(model, "loss", "hinge") != "squared":
        scaled = clone(model).set_params(C=0.03 * model.C).partial_fit(X, y, **known)
        if "tuning" not in model.get_params():
            np.testing.assert_allclose(state(scaled, X), state(heavy, X), rtol=1e-9, atol=1e-9)


def test_every_stream_takes_weights():
    assert WEIGHED == STREAMS


EVERY_FIT = [*STREAMS, AdaBoost(), MixedClassifier(), OnlineToBatch(IELLIP(), "best")]


@every(EVERY_FIT)
def test_weights_of_fit(model):
    """An example of weight 0 is as if it had not been given; one of another weight is not."""
    X, y = examples(model)
    keep = np.arange(60) % 3 > 0
    left_out = clone(model).fit(X, y, sample_weight=keep)
    apart = clone(model).fit(X[keep], y[keep])
    np.testing.assert_array_equal(state(left_out, X), state(apart, X))
    assert getattr(left_out, "n_rounds_", 0) == getattr(apart, "n_rounds_", 0)
    whole = clone(model).fit(X, y, sample_weight=np.ones(60))
    np.testing.assert_array_equal(state(whole, X), state(clone(model).fit(X, y), X))
    with pytest.raises(ParameterError, match=r"sample_weight.*must be"):
        clone(model).fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ParameterError, match=r"sample_weight.shape=\(3,\)"):
        clone(model).fit(X, y, sample_weight=np.ones(3))
    heavy = 0.03 + 0.04 * keep
    if isinstance(getattr(model, "learner", model), CELLIP | IELLIP | LabelRanker):
        with pytest.raises(ParameterError, match="sample_weight must be 0 or 1 here"):
            clone(model).fit(X, y, sample_weight=heavy)
        return
    moved = not np.array_equal(
        state(whole, X), state(clone(model).fit(X, y, sample_weight=heavy), X)
    )
    assert moved != type(model).__name__.startswith("Multiplicative")  # no C, no weight


@pytest.mark.parametrize(
    "model",
    [PassiveAggressiveClassifier(C=0.1), KernelPA("linear", C=0.1, average=False)],
    ids=name,
)
def test_a_weight_of_2_is_the_example_twice_in_a_row(model):
    """Of two classes with PA-I: ``min(C, l) + min(C, rest) = min(2 C, l)``, over ``|x|^2``.

    That is why scikit-learn's check fails, which shuffles the weighed examples.
    """
    X, y = examples(model)
    twice = np.arange(60) % 2 + 1
    model = clone(model).set_params(shuffle=False)
    weighs = clone(model).fit(X, y, sample_weight=twice)
    repeated = clone(model).fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    np.testing.assert_allclose(state(weighs, X), state(repeated, X), atol=1e-9)


@pytest.mark.parametrize("conversion", ["best", "validation"])
def test_weights_count_where_hypotheses_compete(conversion):
    """The heavy half turns its classes round; only what is right there is chosen."""
    X = np.random.default_rng(1).normal(size=(400, 3))
    other = np.arange(400) % 2 > 0
    y = (X[:, 0] > 0) ^ other
    model = PassiveAggressiveClassifier(C=1.0, conversion=conversion, n_candidates=40)
    for heavy in (other, ~other):
        found = clone(model).fit(X, y, sample_weight=np.where(heavy, 1.0, 0.05))
        assert found.score(X[heavy], y[heavy]) > 0.7


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_weights_of_instances_of_queries(kind):
    X, _ = examples(InstanceRanker())
    y, groups = np.arange(60) % 3, np.arange(60) // 6
    keep = (np.arange(60) % 4 > 0) & (groups != 2)
    left_out = InstanceRanker().partial_fit(kind(X), y, groups, sample_weight=keep)
    apart = InstanceRanker().partial_fit(X[keep], y[keep], groups[keep])
    np.testing.assert_allclose(left_out.coef_, apart.coef_, atol=1e-12)
    assert left_out.n_rounds_ == apart.n_rounds_ == 9
    with pytest.raises(ParameterError, match="the bounds of rankers count every query alike"):
        InstanceRanker().partial_fit(X, y, groups, sample_weight=2.0 * keep)


class TwoClasses:
    """Classes as structures, whose cost is 1."""

    def joint_feature(self, x, y):
        return x if y == "yes" else -x

    def decode(self, w, x):
        return "yes" if w @ x > 0 else "no"

    def cost(self, y, y_hat):
        return float(y != y_hat)


@pytest.mark.parametrize("update", ["perceptron", "pa1", "pa2", "self-tuned"])
def test_weights_of_structures(update):
    X, y = examples(LabelRanker())
    problem, keep = TwoClasses(), (np.arange(60) % 3 > 0).astype(float)
    learner = StructuredLearner(update, C=0.1, conversion="last")
    left_out = clone(learner).partial_fit(problem, X, y, sample_weight=keep)
    apart = clone(learner).partial_fit(problem, X[keep > 0], y[keep > 0])
    np.testing.assert_array_equal(left_out.coef_, apart.coef_)
    heavy = clone(learner).partial_fit(problem, X, y, sample_weight=np.full(60, 0.3))
    whole = clone(learner).partial_fit(problem, X, y)
    assert not np.allclose(heavy.coef_, whole.coef_)
    # The dual objective stays below the weighted sum for any competitor: here that of zeros.
    assert heavy.dual_objective_ <= 0.3 * 60.0
    if update in ("pa1", "pa2"):
        scaled = clone(learner).set_params(C=0.03).partial_fit(problem, X, y)
        np.testing.assert_allclose(scaled.coef_, heavy.coef_, atol=1e-12)
    with pytest.raises(ParameterError, match=r"sample_weight.shape=\(3,\)"):
        clone(learner).partial_fit(problem, X, y, sample_weight=keep[:3])
    for conversion in ("last", "average", "best"):
        learner.set_params(conversion=conversion)
        fitted = clone(learner).fit(problem, X, y, sample_weight=0.5 * keep)
        halves = np.full(40, 0.5)
        alone = clone(learner).fit(problem, X[keep > 0], y[keep > 0], sample_weight=halves)
        np.testing.assert_array_equal(fitted.coef_, alone.coef_)
        assert fitted.n_rounds_ == 40


@pytest.mark.parametrize(
    "change",
    [{"c": 9.0}, {"loss": "maximum"}, {"update": "subgradient"}, {"average": True}],
    ids=str,
)
def test_set_params_of_queries_waits_for_the_next_fit(change):
    X, _ = examples(InstanceRanker())
    y, groups = np.arange(60) % 3, np.arange(60) // 6
    plain, changed = (InstanceRanker().partial_fit(X[:30], y[:30], groups[:30]) for _ in range(2))
    changed.set_params(**change, record=True)
    for model in (plain, changed):
        model.partial_fit(X[30:], y[30:], groups[30:])
    np.testing.assert_array_equal(plain.coef_, changed.coef_)
    changed.fit(X, y, groups)
    assert not np.array_equal(plain.fit(X, y, groups).coef_, changed.coef_)


@pytest.mark.parametrize(
    "change",
    [{"C": 9.0}, {"update": "pa2"}, {"conversion": "average"}, {"loss": "maximal"}],
    ids=str,
)
def test_set_params_of_structures_waits_for_the_next_fit(change):
    X, y = examples(LabelRanker())
    problem = TwoClasses()
    learner = StructuredLearner("pa1", C=0.1, conversion="last")
    plain, changed = (clone(learner).partial_fit(problem, X[:30], y[:30]) for _ in range(2))
    changed.set_params(**change)
    for model in (plain, changed):
        model.partial_fit(problem, X[30:], y[30:])
    np.testing.assert_array_equal(plain.coef_, changed.coef_)


# What every learner has, as the documentation says --------------------------------------------


def weights_of(model, method):
    """Say which weights a method takes: any, 0 or 1, or none."""
    learn = getattr(model, method, None)
    if learn is None or "sample_weight" not in inspect.signature(learn).parameters:
        return "-"
    zero_one = isinstance(model, CELLIP | IELLIP | LabelRanker | InstanceRanker)
    return "0 or 1" if zero_one else "any"


def mean_of(model):
    """Say by which parameter a learner predicts with the mean of its hypotheses."""
    names = [n for n in ("conversion", "average") if n in model.get_params(deep=False)]
    return f"`{names[0]}`" if names else "-"


def listing():
    """Return the table of who has what, by looking at each learner."""
    rows = [
        "| learner | weights in `fit` | in `partial_fit` | `step` | mean | `record` | `certify` |"
    ]
    rows.append("|---|---|---|---|---|---|---|")
    learners = {type(m).__name__: m for m in [*SEEDED, ParameterMixing()]}
    for title, model in sorted(learners.items()):
        marks = ["yes" if hasattr(model, "step") else "-", mean_of(model)]
        marks.append("yes" if hasattr(model, "record") else "-")
        marks.append("yes" if hasattr(model, "certify") else "-")
        weights = [weights_of(model, "fit"), weights_of(model, "partial_fit")]
        rows.append(f"| `{title}` | {' | '.join([*weights, *marks])} |")
    return "\n".join(rows)


def test_the_documentation_lists_who_has_what():
    page = Path(__file__).parents[2] / "docs" / "api" / "learners.md"
    assert listing() in page.read_text(encoding="utf-8"), f"write to {page.name}:\n{listing()}"


def test_who_has_no_certify_says_why_and_what_there_is():
    learners = {type(m).__name__: m for m in [*SEEDED, ParameterMixing()]}
    without = {name for name, model in learners.items() if not hasattr(model, "certify")}
    assert without == set(INSTEAD) - {"DictStream"}
    page = (Path(__file__).parents[2] / "docs" / "api" / "learners.md").read_text("utf-8")
    for name in without:
        words = f"model is a {name}, must be .* and y; {re.escape(INSTEAD[name])}\\.$"
        with pytest.raises(ParameterError, match=words):
            certify_run(learners[name], np.zeros((2, 2)), [0, 1])
        assert f"| `{name}` | {INSTEAD[name]} |\n" in page
        method = re.match(r".*?(\w+_bound)\((?:u|\))", INSTEAD[name])
        assert method is None or hasattr(learners[name], method[1])


# Rounds that are kept --------------------------------------------------------------------------

# `OnlineToBatch` has the rounds of its learner, whose `record` may be set.
RECORDED = [m for m in STREAMS if not isinstance(m, OnlineToBatch)]
COLUMNS = ("cost", "loss", "tau", "alpha", "c", "norm", "target", "dual")


def kept(model, X, y, size):
    return streamed(clone(model).set_params(record=True), X, y, size)


@every(RECORDED)
def test_a_trace_has_every_round(model):
    X, y = examples(model)
    plain, whole, parts = streamed(model, X, y, 60), kept(model, X, y, 60), kept(model, X, y, 7)
    np.testing.assert_array_equal(state(plain, X), state(whole, X))
    assert not hasattr(plain, "trace_")
    trace = whole.trace_
    assert len(trace) == 60
    assert trace.cost.sum() == whole.n_mistakes_
    assert (trace.alpha > 0.0).sum() == whole.n_updates_ > 0
    if hasattr(model, "cumulative_loss_"):
        assert trace.loss.sum() == pytest.approx(whole.cumulative_loss_)
    for column in COLUMNS:
        np.testing.assert_allclose(
            getattr(trace, column), getattr(parts.trace_, column), rtol=1e-9, atol=1e-9
        )
    assert len(clone(whole).set_params(record=True, epochs=2).fit(X, y).trace_) == 120
    assert not hasattr(whole.set_params(record=False).fit(X, y), "trace_")


def test_a_trace_of_queries_is_gone_where_none_is_kept():
    X, _ = examples(InstanceRanker())
    y, groups = np.arange(60) % 3, np.arange(60) // 6
    model = InstanceRanker(record=True).fit(X, y, groups)
    assert len(model.trace_) == 10
    assert not hasattr(model.set_params(record=False).fit(X, y, groups), "trace_")


@every([m for m in RECORDED if hasattr(m, "step")])
def test_steps_are_kept_as_they_are_returned(model):
    X, y = examples(model)
    model = kept(model, X[:20], y[:20], 20)
    played = [model.step(X[i], y[i]) for i in range(20, 60)]
    for column in COLUMNS:
        found = getattr(model.trace_, column)[20:]
        np.testing.assert_allclose(found, [getattr(r, column) for r in played], atol=1e-12)


@every([*RECORDED, InstanceRanker()])
def test_the_documentation_of_every_learner_names_its_trace(model):
    assert "trace_" in type(model).__doc__


def same_trace(found, expected, first_cost=0):
    for column in COLUMNS:
        first = first_cost if column == "cost" else 0
        mine, theirs = getattr(found, column)[first:], getattr(expected, column)[first:]
        np.testing.assert_allclose(mine, theirs, atol=1e-9, err_msg=column)


@pytest.mark.parametrize("update", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("kind", ["two", "more", "sets", "numbers", "growing"])
def test_the_trace_of_a_linear_kernel_is_that_of_vectors(kind, update):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    scores = X @ rng.normal(size=(4, 3)) + 0.5 * rng.normal(size=(300, 3))
    y = scores.argmax(axis=1)
    y = {"two": y > 0, "sets": (scores > 0.5).astype(int), "numbers": scores[:, 0]}.get(kind, y)
    order = np.argsort(y == 2, kind="stable") if kind == "growing" else slice(None)
    X, y = X[order], y[order]
    weights = rng.choice([0.5, 1.0, 2.0], size=300)
    names = {"update": update, "C": 0.3, "record": True}
    numbers = kind == "numbers"
    model = (KernelPARegressor if numbers else KernelPA)("linear", **names)
    flat = (PassiveAggressiveRegressor if numbers else PassiveAggressiveClassifier)(
        fit_intercept=False, **names
    )
    for some in (slice(150), slice(150, 300)):
        for learner in (model, flat):
            learner.partial_fit(X[some], y[some], sample_weight=weights[some])
    if kind in ("two", "growing"):  # a tie goes to the first class here, and to the second there
        assert (model.trace_.cost[0], flat.trace_.cost[0]) == (1.0, 0.0)
        same_trace(model.trace_, flat.trace_, first_cost=1)
    else:
        same_trace(model.trace_, flat.trace_)


def test_the_trace_of_a_centre_is_that_of_vectors():
    X = np.random.default_rng(4).normal(size=(300, 3))
    shared = {"update": "pa2", "C": 0.3, "epsilon": 0.5, "record": True}
    kernel = KernelPAUniclass("linear", **shared).partial_fit(X)
    same_trace(kernel.trace_, PassiveAggressiveUniclass(**shared).partial_fit(X).trace_)


def test_within_a_budget_there_is_no_dual_objective():
    X, y = examples(KernelPA())
    model = KernelPA(budget=5, record=True).partial_fit(X, y)
    assert len(model.trace_) == 60
    assert np.isnan(model.trace_.dual).all()
    assert not np.isnan(KernelPA(record=True).partial_fit(X, y).trace_.dual).any()


def test_the_trace_outlives_the_second_class():
    """An ellipsoid begins again with it; rounds of one class have nothing to keep."""
    X, y = examples(CELLIP())
    model = CELLIP(gamma=0.01, record=True).partial_fit(X[y == "no"], y[y == "no"])
    trace = model.trace_
    model.partial_fit(X, y)
    assert model.trace_ is trace
    assert len(trace) == 60


@every([KernelPA(), CELLIP(), PassiveAggressiveUniclass(), ThresholdWinnow()])
def test_a_trace_without_a_plan_says_who_knows_bounds(model):
    X, y = examples(model)
    with pytest.raises(ParameterError, match="the learner's own certify or bound knows"):
        kept(model, X, y, 60).trace_.certify("PA", u=np.zeros(6))


@every([KernelPA("linear"), KernelPAUniclass("linear"), PassiveAggressiveUniclass()])
def test_sparse_examples_are_not_made_dense_all_at_once(model):
    m, d = 200, 2**16
    columns = np.arange(3 * m, dtype=np.int32) * (d // (3 * m))
    X = sp.csr_array((np.ones(3 * m), columns, np.arange(m + 1) * 3), shape=(m, d))
    y = np.arange(2) if isinstance(model, KernelPA) else None
    model = clone(model).fit(X[:2], y)
    tracemalloc.start()
    try:
        model.predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 70e6  # all at once takes 105 MB, and its distances as much again
