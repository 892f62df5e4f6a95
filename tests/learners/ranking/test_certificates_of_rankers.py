"""Certificates of label and instance rankers, and of recorded runs whose classes grow."""

import numpy as np
import pytest

from align.errors import ParameterError
from align.learners import (
    Entropy,
    FixedTuning,
    InstanceRanker,
    LabelRanker,
    MultiplicativePA,
    OnlineClassifier,
    PassiveAggressiveClassifier,
    RunningTuning,
    SelfTuning,
)
from align.learners.ranking.ranking_losses import instance_ranking_loss, label_ranking_loss

UPDATES = ("conservative", "aggressive", "optimal")


def label_sets(m=80, d=5, k=4, seed=0, binary=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) if not binary else (rng.random((m, d)) < 0.4).astype(float)
    U = rng.normal(size=(k, d + 1))
    scores = X @ U[:, :-1].T + U[:, -1] + 0.2 * rng.normal(size=(m, k))
    Y = scores > np.median(scores, axis=1, keepdims=True)
    Y[5], Y[6] = False, True  # nothing to rank
    return X, Y.astype(int), U


@pytest.mark.parametrize("update", UPDATES)
def test_losses_of_a_competitor_are_those_of_whole_rounds(update):
    X, Y, U = label_sets()
    model = LabelRanker(update=update, record=True).partial_fit(X, Y)
    found = model.trace_.losses_of(U)
    scores = X @ U[:, :-1].T + U[:, -1]
    np.testing.assert_allclose(found, label_ranking_loss(scores, Y.astype(bool)), atol=1e-12)


@pytest.mark.parametrize("update", UPDATES)
def test_bounds_of_euclidean_label_rankers(update):
    X, Y, U = label_sets(seed=1)
    rng = np.random.default_rng(2)
    rivals = [0.0 * U, U, 0.1 * U, 5.0 * U, rng.normal(size=U.shape)]
    for c, bounds in (
        (2.0, ["Cor 1", "Lemma 2"]),
        (RunningTuning(share=0.5), ["Cor 3", "Lemma 2"]),
        (SelfTuning(U=8.0), ["Cor 6" if update == "conservative" else "Thm 6", "Lemma 2"]),
    ):
        model = LabelRanker(update=update, c=c, record=True).partial_fit(X, Y)
        if update != "conservative":
            bounds.append("weak duality")
        for u in rivals:
            for bound in bounds:
                if bound in ("Cor 6", "Thm 6") and (u**2).sum() / 2 > 8.0:
                    with pytest.raises(ParameterError, match=r"f\(u\) <= U=8"):
                        model.trace_.certify(bound, u=u)
                    continue
                assert model.trace_.certify(bound, u=u).holds, (bound, c)


@pytest.mark.parametrize("update", UPDATES)
def test_bounds_of_entropic_label_rankers(update):
    X, Y, _ = label_sets(seed=3, binary=True)
    rng = np.random.default_rng(4)
    model = LabelRanker(
        complexity="entropy", update=update, gamma=0.2, c=1.0, record=True
    ).partial_fit(X, Y)
    for u in (np.full((4, 6), 1 / 6), *(rng.dirichlet(np.ones(6), size=4) for _ in range(5))):
        for bound in ("Cor 1", "Lemma 2"):
            assert model.trace_.certify(bound, u=u).holds


def test_what_a_label_ranker_of_many_variables_may_not_claim():
    X, Y, U = label_sets()
    optimal = LabelRanker(update="optimal", record=True).partial_fit(X, Y)
    with pytest.raises(ParameterError, match="one dual variable a round"):
        optimal.trace_.certify("PA-I", u=U)
    one = LabelRanker(update="aggressive", record=True).partial_fit(X, Y)
    assert one.trace_.certify("PA-I", u=U).holds
    with pytest.raises(ParameterError, match=r"must be \(k, n\) with k=4 labels"):
        one.trace_.certify("PA-I", u=U[:2])


def test_labels_and_features_that_came_later_had_no_part():
    X, Y, U = label_sets(m=20)
    model = LabelRanker(record=True).start(5)
    names = [{"b"} if row[0] else {"a"} for row in Y]
    for x, labels in zip(X, names, strict=True):
        model.step(x, labels)
    model.step(X[0], {"c"})
    model.extend(7)
    model.step(np.append(X[1], [1.0, 2.0]), {"a"})
    wide = np.insert(U[:3], [5, 5], 3.0, axis=1)  # the constant stays last
    losses = model.trace_.losses_of(wide)
    order = ["a", "b", "c"]
    first = order.index(next(iter(names[0])))
    assert losses[0] == 0.0  # one label was known: nothing to rank
    scores = U[:3, :-1] @ X[0] + U[:3, -1]
    third = 1.0 - (scores[2] - scores[:2].max())
    assert losses[20] == pytest.approx(max(third, 0.0))
    assert 0 <= first < 2
    assert model.trace_.certify("Lemma 2", u=wide).holds


@pytest.mark.parametrize(
    ("loss", "update"),
    [
        ("average", "subgradient"),
        ("average", "exact"),
        ("maximum", "subgradient"),
        ("maximum", "worst"),
        ("maximum", "exact"),
    ],
)
def test_bounds_of_instance_rankers(loss, update):
    rng = np.random.default_rng(5)
    u = rng.normal(size=4)
    queries = []
    for _ in range(30):
        x = rng.normal(size=(5, 4))
        queries.append((x, np.round(x @ u + 0.3 * rng.normal(size=5))))
    queries.append((rng.normal(size=(3, 4)), np.ones(3)))  # no pairs
    for c, bounds in (
        (2.0, ("Cor 1", "Lemma 2", "weak duality")),
        (RunningTuning(share=0.5), ("Cor 3", "Lemma 2", "weak duality")),
    ):
        model = InstanceRanker(loss=loss, update=update, c=c, record=True).start(4)
        for x, y in queries:
            model.step(x, y)
        for rival in (0.0 * u, u, 0.1 * u, 5.0 * u, rng.normal(size=4)):
            expected = [
                instance_ranking_loss(x @ rival, y, loss) if np.ptp(y) > 0 else 0.0
                for x, y in queries
            ]
            np.testing.assert_allclose(model.trace_.losses_of(rival), expected, atol=1e-12)
            for bound in bounds:
                assert model.trace_.certify(bound, u=rival).holds, (bound, c)
        with pytest.raises(ParameterError, match="classes and labels, not grades"):
            model.trace_.certify("PA-I", u=u)
        with pytest.raises(ParameterError, match=r"u.shape=\(3,\), must be \(d,\)=\(4,\)"):
            model.trace_.certify("Cor 1", u=u[:3])


def stream(seed=6, m=60, k=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 4))
    U = rng.normal(size=(k, 5))
    return X, (X @ U[:, :-1].T + U[:, -1]).argmax(1), U


@pytest.mark.parametrize(("update", "bound"), [("pa", "PA"), ("pa1", "PA-I"), ("pa2", "PA-II")])
def test_classes_that_come_later_are_in_the_trace(update, bound):
    """Rounds of three classes, then a fourth: all bounds go on to hold."""
    X, y, U = stream()
    y = np.where((np.arange(len(y)) < 30) & (y == 1), 2, y)
    model = PassiveAggressiveClassifier(update, record=True)
    model.partial_fit(X[:30], y[:30], classes=[0, 2, 3]).partial_fit(X[30:], y[30:])
    trace = model.trace_
    assert trace.directions.shape == (60, 20)
    assert not trace.directions[:30].reshape(30, 4, 5)[:, 1].any()
    np.testing.assert_allclose(trace.tau @ trace.directions, model._run.hypothesis().ravel())
    for u in (0.0 * U, U, 3.0 * U):
        assert trace.certify(bound, u=u).holds


@pytest.mark.parametrize("complexity", ["euclidean", Entropy()], ids=str)
def test_two_classes_that_become_three(complexity):
    X, y, U = stream(k=3)
    few = y < 2
    model = OnlineClassifier(
        complexity, signed=complexity != "euclidean", tuning=FixedTuning(2.0), record=True
    )
    model.partial_fit(X[few], y[few])
    u = U if complexity == "euclidean" else np.full((3, 10), 0.1)
    before = model.trace_.norm
    model.partial_fit(X[:1], y[:1], classes=[2], sample_weight=[0.0])
    with pytest.raises(ParameterError, match="announce all classes at the start"):
        model.trace_.certify("weak duality", u=u)
    np.testing.assert_allclose(model.trace_.norm, np.sqrt(2.0) * before)
    model.partial_fit(X, y)
    v = model._run.V[:, :5] if complexity == "euclidean" else model._run.v
    np.testing.assert_allclose(
        model.trace_.alpha @ model.trace_.directions, np.ravel(v), atol=1e-12
    )
    assert model.trace_.certify("weak duality", u=u).holds
    with pytest.raises(ParameterError, match="had one score for two classes"):
        model.trace_.certify("Lemma 2", u=u)


def test_multiplicative_learner_with_growing_classes():
    X, y, _ = stream()
    y = np.where((np.arange(len(y)) < 30) & (y == 1), 2, y)
    model = MultiplicativePA(0.1, record=True)
    model.partial_fit(X[:30], y[:30], classes=[0, 2, 3]).partial_fit(X[30:], y[30:])
    assert model.trace_.directions.shape == (60, 4 * 10)
    assert model.trace_.certify("multiplicative", u=np.full((4, 10), 0.1)).holds
