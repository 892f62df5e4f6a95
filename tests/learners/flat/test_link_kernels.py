"""The compiled rounds of entropy, q-norm and revisiting learners against plain Python."""

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from align.errors import ModelError, ParameterError
from align.learners import (
    Entropy,
    Euclidean,
    EuclideanBall,
    FixedTuning,
    LossTuning,
    MistakeTuning,
    OnlineClassifier,
    QNorm,
    Revisit,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
    Update,
)
from align.learners.flat import _round as core
from align.learners.flat._general import GeneralRun
from align.learners.flat._linear import LinearRun
from align.learners.flat._link_run import LinkRun
from align.learners.flat._runs import Chunk
from align.learners.parts import Plan
from align.learners.parts.steps import HARD, LINEAR, squared

T, D = (25, 3) if numba.config.DISABLE_JIT else (40, 4)
NO_LABELS = np.zeros((0, 1), dtype=bool)


def chunk_of(kind, seed=0):
    """Examples for one score, three classes, label sets or numbers; some entries are zero."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, D)) * (rng.random((T, D)) < 0.7)
    X[3] = 0.0
    relevant = NO_LABELS
    scores = X @ rng.normal(size=(D, 3)) + 0.3 * rng.normal(size=(T, 3))
    if kind == "binary":
        y = np.where(scores[:, 0] >= 0, 1.0, -1.0)
    elif kind == "classes":
        y = scores.argmax(1)
    elif kind == "labels":
        y, relevant = np.full(T, -1), scores > 0.0
    else:
        y = scores[:, 0]
    return Chunk(X, y, relevant, rng.random(T) + 0.5, np.arange(T))


def compare(plan, kind, chunk, *, csr=False, atol=1e-10):
    """Play rounds by every kernel that covers them and in plain Python; return two of the runs."""
    rows = 3 if kind in ("classes", "labels") else 1
    runs = [
        run(plan, rows, D, bias=1.0, average=True, rng=np.random.default_rng(1))
        for run in (GeneralRun, LinkRun)
    ]
    if LinearRun.covers(plan):
        runs.append(LinearRun(plan, rows, D, bias=1.0, average=True))
    logs = [np.zeros((T, 10)) for _ in runs]
    for run, log in zip(runs, logs, strict=True):
        X = sp.csr_array(chunk.X) if csr and run is not runs[0] else chunk.X
        part = Chunk(X, chunk.y, chunk.relevant, chunk.weights, chunk.order)
        run.play(part, part.order[:20], log[:20])
        run.play(part, part.order[20:], log[20:])  # state is kept between calls
    for run, log in zip(runs[1:], logs[1:], strict=True):
        np.testing.assert_allclose(log, logs[0], rtol=1e-10, atol=atol)
        np.testing.assert_allclose(run.hypothesis(), runs[0].hypothesis(), rtol=1e-10, atol=atol)
        np.testing.assert_allclose(run.mean(), runs[0].mean(), rtol=1e-10, atol=atol)
        np.testing.assert_array_equal(run.counts, runs[0].counts)
        assert run.dual == pytest.approx(runs[0].dual, rel=1e-9, abs=1e-9)
        assert run.loss == pytest.approx(runs[0].loss)
    assert runs[0].counts[2] > 0
    return runs[:2]


@pytest.mark.parametrize("kind", ["binary", "classes", "labels", "numbers"])
@pytest.mark.parametrize("f", [Entropy(), QNorm(3.5), EuclideanBall(0.8), Euclidean()], ids=str)
def test_every_tuning_slack_and_step(f, kind):
    chunk = chunk_of(kind)
    tunings = [
        FixedTuning(0.7),
        SqrtTuning(2.0),
        RunningTuning(1.5),
        LossTuning(3.0),
        SelfTuning(2.0),
        SelfTuning(2.0, over="mistakes"),
    ]
    if not isinstance(f, Entropy):
        tunings.append(MistakeTuning(2.0))
    for i, tuning in enumerate(tunings):
        if kind == "numbers" and isinstance(tuning, SelfTuning | MistakeTuning):
            continue
        slacks = [(LINEAR, True), (LINEAR, False), (squared(0.3), True)]
        slacks += [(HARD, True)] if f == Euclidean() else []  # others may not reach the margin
        for j, (slack, exact) in enumerate(slacks):
            update = Update(slack, tuning, exact, kind != "numbers" and (i + j) % 4 in (1, 2))
            margin, doubled = -0.1 if kind == "numbers" else 0.4, (i + j) % 2 == 0
            plan = Plan(update, f, margin=margin, regression=kind == "numbers", doubled=doubled)
            compare(plan, kind, chunk, csr=(i + j) % 3 == 0)


@pytest.mark.parametrize("f", [QNorm(3.5), Euclidean()], ids=str)
def test_before_the_first_mistake_c_is_0_and_so_are_the_weights(f):
    chunk = chunk_of("binary")
    chunk.y[:6] = 1.0  # which a score of 0 predicts
    plan = Plan(Update(LINEAR, MistakeTuning(2.0), True, conservative=False), f, margin=0.4)
    for run in compare(plan, "binary", chunk):
        rng = np.random.default_rng(1)
        log, fresh = np.zeros((6, 10)), type(run)(plan, 1, D, bias=1.0, average=True, rng=rng)
        assert fresh.play(chunk, np.arange(6), log) == 6
        np.testing.assert_array_equal(log[:, [core.LOG_C, core.LOG_ALPHA, core.LOG_SCALE]], 0.0)
        np.testing.assert_allclose(log[:, core.LOG_LOSS], 0.4)
        assert fresh.counts.tolist()[:3] == [6, 0, 0]
        assert fresh.scale == 0.0
        np.testing.assert_array_equal(fresh.hypothesis(), 0.0)


@pytest.mark.parametrize("step_size", ["range", "printed"])
@pytest.mark.parametrize("kind", ["binary", "classes", "numbers"])
def test_multiplicative_steps(kind, step_size):
    margin = -0.1 if kind == "numbers" else 0.4
    plan = Plan(
        Update(HARD, FixedTuning(1.0)),
        Entropy(),
        margin=margin,
        regression=kind == "numbers",
        doubled=step_size == "range",
        multiplicative=step_size,
    )
    compare(plan, kind, chunk_of(kind), csr=True)


@pytest.mark.parametrize("kind", ["binary", "classes"])
@pytest.mark.parametrize("f", [Entropy(), QNorm(3.0), EuclideanBall(0.8), Euclidean()], ids=str)
def test_revisited_rounds(f, kind):
    chunk = chunk_of(kind)
    for revisit in (
        Revisit(last=1),
        Revisit(last=2, steps=None, tolerance=1e-12),
        Revisit(last=4, steps=3),
        Revisit(steps=3),
        Revisit(steps=3, order="worst"),
    ):
        for slack in (LINEAR, squared(0.5)) if revisit.last == 4 else (LINEAR,):
            update = Update(slack, SelfTuning(2.0))
            plan = Plan(update, f, margin=0.4, revisit=revisit, doubled=f == Entropy())
            # An iteration to convergence stops where rounding lets it.
            compare(plan, kind, chunk, atol=1e-8 if revisit.steps is None else 1e-10)


def test_a_round_that_is_kept_of_a_class_beyond_the_last_is_refused():
    """A file may say so, and a kernel would write beyond its weights."""
    chunk = chunk_of("classes")
    plan = Plan(Update(LINEAR, FixedTuning(0.7)), QNorm(3.0), margin=0.4, revisit=Revisit(last=4))
    run = LinkRun(plan, 3, D, bias=1.0, average=False, rng=np.random.default_rng(0))
    run.play(chunk, chunk.order, np.zeros((0, 10)))
    run.check_shapes()
    for classes, forged in ((run._kept.up, 3), (run._kept.up, -1), (run._kept.down, 3)):
        right = classes[1]
        classes[1] = forged
        with pytest.raises(ModelError, match="a round is kept of a class that there is not"):
            run.check_shapes()
        classes[1] = right
    run.check_shapes()


def test_random_order_is_seeded_and_does_not_see_the_cuts():
    chunk = chunk_of("binary")
    plan = Plan(
        Update(LINEAR, SelfTuning(2.0)),
        Entropy(),
        margin=0.4,
        revisit=Revisit(steps=3, order="random"),
        doubled=True,
    )
    found = []
    for cuts in ([], [7, 30]):
        run = LinkRun(plan, 1, D, bias=1.0, average=False, rng=np.random.default_rng(3))
        for part in np.split(chunk.order, [c for c in cuts if c < T]):
            run.play(chunk, part, np.zeros((0, 10)))
        found.append(run.hypothesis())
    np.testing.assert_array_equal(*found)


def test_a_hard_constraint_out_of_reach_is_an_error():
    model = OnlineClassifier("entropy", "hard", margin=5.0, signed=True)
    with pytest.raises(ParameterError, match=r"no weights of Entropy\(\) reach the target 5"):
        model.partial_fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])


@pytest.mark.parametrize("f", [Entropy(), QNorm(3.0)], ids=str)
def test_growth_is_that_of_the_reference(f):
    binary, classes = chunk_of("binary"), chunk_of("classes")
    plan = Plan(Update(LINEAR, FixedTuning(0.7)), f, margin=0.4, doubled=True)
    runs = [
        kind(plan, 1, D, bias=0.0, average=True, rng=np.random.default_rng(0))
        for kind in (LinkRun, GeneralRun)
    ]
    for run in runs:
        run.idle(3)
        run.play(binary, binary.order, np.zeros((0, 10)))
        run.grow(3, np.array([0, 2]))
        run.play(classes, classes.order, np.zeros((0, 10)))
    np.testing.assert_allclose(*(run.hypothesis() for run in runs), atol=1e-10)
    np.testing.assert_allclose(*(run.mean() for run in runs), atol=1e-10)
    assert runs[0].dual == pytest.approx(runs[1].dual)


@pytest.mark.parametrize(
    ("rows", "grown", "places"),
    [(1, 1, [0]), (1, 2, [0, 1]), (1, 4, [1, 3]), (2, 3, [0, 2]), (3, 5, [1, 2, 4])],
)
@pytest.mark.parametrize("f", [Entropy(), QNorm(3.0)], ids=str)
def test_any_growth_is_that_of_the_reference(f, rows, grown, places):
    plan = Plan(Update(LINEAR, FixedTuning(0.7)), f, margin=0.4, doubled=True)
    runs = [
        kind(plan, rows, D, bias=1.0, average=True, rng=np.random.default_rng(0))
        for kind in (LinkRun, GeneralRun)
    ]
    for run in runs:
        for k in (rows, grown):
            chunk = chunk_of("binary" if k == 1 else "classes")
            chunk.y = chunk.y if k == 1 else chunk.y % k
            run.play(chunk, chunk.order, np.zeros((0, 10)))
            if k == rows:
                before = run.hypothesis()
                run.grow(grown, np.array(places))
                after = run.hypothesis()
        if rows > 1 or grown == 1:  # classes that were there keep their weights
            np.testing.assert_allclose(after[places], before, atol=1e-12)
        else:  # two classes are as far apart as they were, to either side
            np.testing.assert_allclose(after[places[0]], -after[places[1]], atol=1e-12)
            assert np.abs(after[places[0]]).max() > 0.0
        others = np.setdiff1d(np.arange(grown), places)
        np.testing.assert_allclose(after[others], 0.0, atol=1e-12)
    np.testing.assert_allclose(*(run.hypothesis() for run in runs), atol=1e-10)
    np.testing.assert_allclose(*(run.mean() for run in runs), atol=1e-10)
    np.testing.assert_array_equal(*(run.counts for run in runs))
    assert runs[0].dual == pytest.approx(runs[1].dual)
