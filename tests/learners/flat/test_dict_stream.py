"""Streams of dicts: the same as the matrix of the same columns, whatever turns up and when."""

import pickle
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer, FeatureHasher

from align.errors import ParameterError
from align.learners import (
    DictStream,
    EuclideanBall,
    OnlineClassifier,
    OnlineRegressor,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    SelfTuning,
    Winnow,
)

GROWING = [
    PassiveAggressiveClassifier("pa"),
    PassiveAggressiveClassifier("pa1", C=0.1, conversion="average"),
    PassiveAggressiveClassifier("pa2", fit_intercept=False),
    Perceptron(conversion="average"),
    OnlineClassifier(EuclideanBall(2.0), tuning=SelfTuning(2.0)),
    PassiveAggressiveRegressor("pa1", C=0.1, conversion="average"),
    OnlineRegressor(),
]


def stream_of(seed, m, n_names, k, *, whole=False):
    """Dicts of few of many names, in any order of names; labels, or numbers where k is 0."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(max(k, 1), n_names))
    X, y = [], []
    for _ in range(m):
        columns = rng.permutation(n_names)[: rng.integers(0, 1 + max(1, n_names // 20))]
        x = np.zeros(n_names)
        x[columns] = rng.integers(-3, 4, len(columns)) if whole else rng.normal(size=len(columns))
        scores = U @ x
        X.append({f"w{j}": float(x[j]) for j in columns})
        y.append(float(scores[0]) if not k else "abcd"[int(scores.argmax() + rng.integers(2)) % k])
    return X, y


def matrix(X, names):
    columns = {name: j for j, name in enumerate(names)}
    dense = np.zeros((len(X), len(names)))
    for i, x in enumerate(X):
        for name, value in x.items():
            dense[i, columns[name]] = value
    return dense


def rows_one_by_one(learner, dense, y):
    for i in range(len(y)):
        learner.partial_fit(sp.csr_array(dense[[i]]), [y[i]])
    return learner


def names_in_order(X):
    return list(dict.fromkeys(name for x in X for name in x))


@pytest.mark.parametrize("learner", GROWING, ids=repr)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), n_names=st.integers(40, 150), k=st.integers(2, 4))
def test_a_growing_vocabulary_gives_the_bits_of_the_matrix(learner, seed, n_names, k):
    k = k if hasattr(learner, "decision_function") else 0
    # The first round names 150 features; so no row is half full, or an eighth.
    X, y = stream_of(seed, 40, n_names, k)
    X[0] = {f"w{j}": float(j % 7 + 1) for j in range(n_names)}
    stream = DictStream(clone(learner))
    for x, label in zip(X, y, strict=True):
        stream.learn_one(x, label)
    dense = matrix(X, names_in_order(X))
    assert stream.names_ == names_in_order(X)
    other = rows_one_by_one(clone(learner), dense, y)
    np.testing.assert_array_equal(stream.learner.coef_, other.coef_)
    np.testing.assert_array_equal(stream.learner.intercept_, other.intercept_)
    assert stream.learner.n_mistakes_ == other.n_mistakes_
    assert stream.learner.cumulative_loss_ == other.cumulative_loss_
    whole = clone(learner)
    for i in range(len(y)):
        whole.partial_fit(dense[[i]], [y[i]])
    np.testing.assert_allclose(stream.learner.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    predicted = stream.predict_many(X)
    if k:
        assert np.mean(predicted == other.predict(dense)) > 0.98  # exact ties may round apart
    else:
        np.testing.assert_allclose(predicted, other.predict(dense), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_whole_numbers_give_the_bits_of_the_dense_matrix(seed):
    X, y = stream_of(seed, 300, 200, 3, whole=True)
    stream = DictStream(Perceptron())
    stream.learn_many(X, y)
    # The classes turn up one by one, as they do for the learner of rows.
    other, dense = Perceptron(), matrix(X, stream.names_)
    for i in range(len(y)):
        other.partial_fit(dense[[i]], [y[i]])
    np.testing.assert_array_equal(stream.learner.coef_, other.coef_)
    assert stream.learner.n_mistakes_ == other.n_mistakes_ > 20


def test_rows_with_every_name_give_the_bits_of_the_dense_matrix():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(200, 23))
    y = (dense[:, 0] > 0.3 * rng.normal(size=200)).tolist()
    stream = DictStream(PassiveAggressiveClassifier("pa1", C=0.3))
    stream.learn_many([{f"f{j}": v for j, v in enumerate(row)} for row in dense.tolist()], y)
    other = PassiveAggressiveClassifier("pa1", C=0.3)
    for i in range(200):
        other.partial_fit(dense[[i]], [y[i]])
    np.testing.assert_array_equal(stream.learner.coef_, other.coef_)


@pytest.mark.parametrize(
    "learner",
    [
        PassiveAggressiveClassifier(),
        PassiveAggressiveClassifier(conversion="vote"),
        Perceptron(conversion="random", record=True),
        Winnow(),
        PassiveAggressiveRegressor(conversion="average"),
    ],
    ids=repr,
)
def test_hashed_columns_are_those_of_scikit_learn(learner):
    k = 3 if hasattr(learner, "decision_function") else 0
    X, y = stream_of(1, 120, 300, k)
    stream = DictStream(clone(learner), "hashed", 64)  # 300 names: most of them collide
    for x, label in zip(X, y, strict=True):
        stream.learn_one(x, label)
    hashed = FeatureHasher(64).transform(X)
    hashed.sum_duplicates()
    other = clone(learner)
    for i in range(len(y)):
        other.partial_fit(hashed[[i]], [y[i]])
    np.testing.assert_allclose(stream.learner.coef_, other.coef_, rtol=1e-9, atol=1e-12)
    predicted = stream.predict_many(X)
    if k:
        assert (predicted == other.predict(hashed)).all()
    else:
        np.testing.assert_allclose(predicted, other.predict(hashed), atol=1e-9)


def test_step_predicts_before_it_learns():
    X, y = stream_of(2, 200, 60, 3)
    stream, twin = DictStream(Perceptron()), DictStream(Perceptron())
    mistakes = 0
    for x, label in zip(X, y, strict=True):
        known = getattr(twin.learner, "classes_", ())
        expected = twin.predict_one(x) if label in known else None
        entry = stream.step(x, label)
        twin.learn_one(x, label)
        assert expected in (None, entry.prediction)
        mistakes += entry.cost > 0
    assert mistakes == stream.learner.n_mistakes_ == twin.learner.n_mistakes_ > 0


def test_categories_and_frames():
    pandas = pytest.importorskip("pandas", reason="rows of frames need pandas")
    X = [{"colour": "red", "size": 2.0}, {"colour": "blue", "size": 1.0}]
    stream = DictStream(PassiveAggressiveRegressor())
    stream.learn_many(pandas.DataFrame(X), [1.0, 2.0])
    assert stream.names_ == ["colour=red", "size", "colour=blue"]
    vectorizer = DictVectorizer(sort=False).fit(X)
    assert vectorizer.feature_names_ == stream.names_
    other = PassiveAggressiveRegressor().partial_fit(vectorizer.transform(X), [1.0, 2.0])
    np.testing.assert_allclose(stream.learner.coef_, other.coef_)


def test_frames_of_polars_give_rows_by_name():
    class Frame:
        def iter_rows(self, named):
            assert named
            return iter([{"a": 1.0}, {"a": -1.0, "b": 1.0}])

    stream = DictStream(Perceptron())
    stream.learn_many(Frame(), ["x", "y"])
    assert stream.names_ == ["a", "b"]


@pytest.mark.parametrize("vocabulary", ["growing", "hashed"])
@pytest.mark.parametrize("learned", [0, 50])
def test_a_pickle_and_a_file_go_on_with_the_same_bits(vocabulary, learned, tmp_path):
    X, y = stream_of(3, 100, 80, 2)
    learner = PassiveAggressiveClassifier(conversion="average")
    stream = DictStream(learner, vocabulary, 1024, names=[("word", 1), 2.5])
    stream.learn_many(X[:learned], y[:learned])
    stream.save(tmp_path / "stream.align")
    others = [pickle.loads(pickle.dumps(stream)), DictStream.load(tmp_path / "stream.align")]
    for each in (stream, *others):
        each.learn_many(X[learned:], y[learned:])
    for other in others:
        assert repr(other) == repr(stream)
        assert other.names_ == stream.names_
        np.testing.assert_array_equal(stream.learner.coef_, other.learner.coef_)
        assert [other.predict_one(x) for x in X] == [stream.predict_one(x) for x in X]


def test_names_that_no_file_can_hold(tmp_path):
    stream = DictStream(PassiveAggressiveClassifier(), names=[object])
    with pytest.raises(ParameterError, match="is a type, which no model file can hold"):
        stream.save(tmp_path / "stream.align")
    dates = np.array(["2026-11-28", "2026-11-29"], dtype="M8[D]")
    learner = PassiveAggressiveClassifier().fit([[0.0], [1.0]], dates)
    with pytest.raises(
        ParameterError, match=r"classes_ is an array of datetime64.*labels as numbers"
    ):
        learner.save(tmp_path / "stream.align")
    with pytest.raises(ParameterError, match="bytes, b'a'; decode them"):
        DictStream(PassiveAggressiveClassifier()).learn_one({"a": 1.0}, b"a")


def test_what_cannot_be_learned_is_said_and_changes_nothing():
    stream = DictStream(PassiveAggressiveClassifier())
    stream.learn_one({"a": 1.0}, 0)
    stream.learn_one({"b": 1.0}, 1)
    before = stream.learner.coef_.copy()
    for bad, message in [
        ({"c": float("nan")}, r"x\['c'\]=nan, must be a finite number"),
        ({"c": None}, r"x\['c'\]=None, must be"),
        ({"c": 10**400}, r"x\['c'\]=10*, must be a finite number"),
        ([1.0], "x is of type list, must be a dict"),
    ]:
        with pytest.raises(ParameterError, match=message):
            stream.learn_one(bad, 0)
    assert stream.names_ == ["a", "b"]
    for label, message in [
        (float("nan"), "the labels contain NaN"),
        (None, "the labels contain None"),
        ([0], r"the label is \[0\], must be one number or one text"),
        ((0, 1), r"the label is \(0, 1\)"),
        ("a", "of several types"),
    ]:
        for one in (stream, DictStream(PassiveAggressiveClassifier())):
            if label != "a" or one is stream:
                with pytest.raises(ParameterError, match=message):
                    one.learn_one({"a": 1.0}, label)
    np.testing.assert_array_equal(stream.learner.coef_, before)
    numbers = DictStream(PassiveAggressiveRegressor())
    numbers.learn_one({"a": 1.0}, 2.0)
    for y in (float("nan"), "x", None):
        with pytest.raises(ParameterError, match=f"y={y!r}, must be a finite number"):
            numbers.learn_one({"a": 1.0}, y)
    numbers.learn_one({"a": 1.0}, 2.0)  # the stream goes on
    for learner in (Winnow(), Perceptron(record=True), Perceptron(conversion="vote")):
        with pytest.raises(ParameterError, match="a growing vocabulary needs"):
            DictStream(learner).learn_one({"a": 1.0}, 0)
    with pytest.raises(ParameterError, match="must be a flat classifier or regressor"):
        DictStream(object())
    with pytest.raises(ParameterError, match="the learner knows 2 features, must be 1"):
        DictStream(Perceptron().partial_fit([[1.0, 2.0], [0.0, 1.0]], [0, 1]), names=["a"])


def test_a_name_without_a_weight_counts_nothing():
    """Also one of an example that was refused; it had the weight of the constant."""
    stream = DictStream(PassiveAggressiveClassifier("pa"))
    stream.learn_many([{"a": 1.0}, {"b": 1.0}], "xy")
    expected = stream._score({"unknown": 5.0}).copy()
    with pytest.raises(ParameterError, match="the label is"):
        stream.learn_one({"refused": 1.0}, ["x"])
    stream.entries({f"asked {i}": 1.0 for i in range(40)})
    for name in ("refused", "asked 39"):
        np.testing.assert_array_equal(stream._score({name: 5.0}), expected)


def test_a_category_beside_a_feature_of_its_name():
    stream = DictStream(PassiveAggressiveRegressor())
    assert stream.entries({"a=b": 2.0, "a": "b"})[1].tolist() == [3.0]


def test_arguments_that_are_none():
    for n in (2.5, True, 0):
        with pytest.raises(ParameterError, match=f"n_features={n}, must be a whole number"):
            DictStream(Perceptron(), "hashed", n)
    with pytest.raises(ParameterError, match="X has 2 examples and y 1, must be as many"):
        DictStream(Perceptron()).learn_many([{"a": 1.0}] * 2, [0])


def test_nothing_is_known_at_first():
    assert DictStream(Perceptron()).predict_one({"a": 1.0}) is None
    stream = DictStream(PassiveAggressiveRegressor())
    assert stream.predict_one({"a": 1.0}) == 0.0
    stream.learn_one({}, 1.0)
    assert stream.predict_one({"never": 1.0}) == stream.learner.intercept_ != 0.0


def test_the_cost_of_a_round_follows_the_entries_not_the_columns():
    def seconds(n_columns):
        rng = np.random.default_rng(0)
        X = [{f"w{j}": 1.0 for j in rng.integers(n_columns, size=20)} for _ in range(400)]
        stream = DictStream(
            PassiveAggressiveClassifier(), names=(f"w{j}" for j in range(n_columns))
        )
        stream.learn_many(X[:2], [0, 1])
        best = np.inf
        for _ in range(5):
            begin = time.thread_time()
            for i, x in enumerate(X):
                stream.learn_one(x, i % 2)
                stream.predict_one(x)
            best = min(best, time.thread_time() - begin)
        return best

    # A thousand times the columns; a cost that followed them would be some 100 times as large.
    assert seconds(1_000_000) < 10 * seconds(1_000)
