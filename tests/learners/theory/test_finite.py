"""H1 to H4: finite classes and their mistake bounds."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.learners import Conservative, Consistent, Elimination, Halving


def thresholds(n):
    """h_i(x) = +1 iff x <= i, on 0 .. n - 1, as a table."""
    return np.where(np.arange(n)[None, :] <= np.arange(n)[:, None], 1, -1)


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 10, 100, 1024]), st.booleans())
def test_mistake_bounds(seed, size, adversarial):
    """H1 and H2 on random truth tables, in random or adversarial order."""
    rng = np.random.default_rng(seed)
    table = rng.choice([-1, 1], size=(size, rng.integers(1, 65)))
    target = rng.integers(size)
    for cls in (Consistent, Halving):
        learner = cls(table)
        points = list(rng.permutation(table.shape[1]))
        while points:
            x = points[0]
            if adversarial:  # prefer a point it gets wrong
                h = learner.hypothesis()
                x = next((p for p in points if h(p) != table[target, p]), x)
            points.remove(x)
            learner.step(x, table[target, x])
            assert learner.alive_[target]
        assert learner.n_mistakes_ <= learner.mistake_bound()
    assert Consistent(table).mistake_bound() == size - 1
    assert Halving(table).mistake_bound() == int(np.floor(np.log2(size)))


@pytest.mark.parametrize("k", [1, 3, 6, 10])
def test_halving_meets_its_bound_with_equality(k):
    """The stream of A9(c): x = l + (r - l + 1) / 2, answered against the prediction."""
    n = 2**k
    learner = Halving(
        np.where(np.arange(1, n + 1)[None, :] <= np.arange(1, n + 1)[:, None], 1, -1)
    )
    low, high = 1, n
    for _ in range(k):
        x = low + (high - low + 1) // 2
        predicted = learner.hypothesis()(x - 1)
        learner.step(x - 1, -predicted)
        low, high = (low, x - 1) if predicted > 0 else (x, high)
    assert learner.n_mistakes_ == k == learner.mistake_bound()
    np.testing.assert_array_equal(learner.version_space_, [low - 1])


@pytest.mark.parametrize("cls", [Consistent, Halving])
def test_feeding_says_whether_a_concept_was_dropped(cls):
    learner = cls([[1, 1], [-1, 1]])
    assert not learner.feed(1, 1)  # both say so
    assert learner.feed(0, 1)
    assert not learner.feed(0, 1)


def test_functions_and_tables_agree():
    table = thresholds(9)
    functions = [lambda x, i=i: 1 if x <= i else -1 for i in range(9)]
    rng = np.random.default_rng(81)
    X = rng.integers(9, size=30)
    y = table[5, X]
    for cls in (Consistent, Halving):
        one, two = cls(table).partial_fit(X, y), cls(functions).partial_fit(X, y)
        np.testing.assert_array_equal(one.version_space_, two.version_space_)
        assert one.n_mistakes_ == two.n_mistakes_
        np.testing.assert_array_equal(one.predict(range(9)), two.predict(range(9)))


def test_consistent_takes_the_first_and_halving_breaks_ties_upwards():
    table = [[1, 1], [-1, 1]]
    assert Consistent(table).hypothesis()(0) == 1
    assert Consistent(table[::-1]).hypothesis()(0) == -1
    assert Halving(table).hypothesis()(0) == 1


def test_hypotheses_are_closures():
    for learner in (Halving(thresholds(8)), Consistent(thresholds(8))):
        before = learner.hypothesis()
        answers = [before(x) for x in range(8)]
        learner.feed(6, 1)
        assert [before(x) for x in range(8)] == answers
        assert [learner.hypothesis()(x) for x in range(8)] != answers
    learner = Elimination(2)
    before = learner.hypothesis()
    learner.feed([1, 0], -1)
    assert before([1, 0]) == 1
    assert learner.hypothesis()([1, 0]) == -1


def test_unrealisable_is_an_error():
    learner = Halving(thresholds(4))
    learner.feed(2, 1)
    with pytest.raises(
        ParameterError, match=r"no concept is consistent with the examples up to \(1, -1\)"
    ):
        learner.feed(1, -1)


# H3 -----------------------------------------------------------------------------------------


def disjunction(positive, negative):
    return lambda x: 1 if (x & positive).any() or (~x & negative).any() else -1


def test_elimination_of_every_target_of_three_variables():
    points = [np.array(bits, dtype=bool) for bits in itertools.product([0, 1], repeat=3)]
    rng = np.random.default_rng(82)
    for mask in range(64):
        literals = np.array([(mask >> i) & 1 for i in range(6)], dtype=bool)
        positive, negative = literals[:3], literals[3:]
        target = disjunction(positive, negative)
        for _ in range(3):
            learner = Elimination(3)
            removed = []
            for i in rng.permutation(np.tile(np.arange(8), 2)):
                before = learner.positive_.sum() + learner.negative_.sum()
                y = target(points[i])
                played = learner.step(points[i].astype(int), y)
                assert not (played.cost and y > 0)  # never wrong on a positive
                if not played.cost:
                    assert not played.updated  # conservative by itself
                else:
                    removed.append(before - learner.positive_.sum() - learner.negative_.sum())
                assert (learner.positive_ >= positive).all()
                assert (learner.negative_ >= negative).all()
            assert len(removed) <= learner.mistake_bound() == 4
            assert removed[:1] in ([], [3])
            assert all(r >= 1 for r in removed)


def test_elimination_of_many_variables():
    rng = np.random.default_rng(83)
    for _ in range(20):
        positive, negative = rng.random((2, 20)) < 0.07
        target = disjunction(positive, negative & ~positive)
        learner = Elimination(20)
        for x in rng.random((500, 20)) < 0.5:
            learner.step(x, target(x))
        assert learner.n_mistakes_ <= 21


def test_elimination_of_one_variable():
    learner = Elimination(1)
    learner.feed([1], -1)
    assert (learner.positive_.tolist(), learner.negative_.tolist()) == ([False], [True])


def test_elimination_removes_what_is_true_and_ends_with_the_empty_or():
    """X44: not only positive literals."""
    learner = Elimination(2)
    learner.feed([1, 0], -1)
    np.testing.assert_array_equal(learner.positive_, [False, True])
    np.testing.assert_array_equal(learner.negative_, [True, False])
    learner.feed([0, 1], -1)
    np.testing.assert_array_equal(learner.predict([[0, 0], [0, 1], [1, 0], [1, 1]]), -1)


# H4 -----------------------------------------------------------------------------------------


def test_conservative_wrapper():
    rng = np.random.default_rng(84)
    table = rng.choice([-1, 1], size=(60, 30))
    for cls in (Consistent, Halving):
        online = Conservative(cls(table))
        X = rng.integers(30, size=200)
        for x in X:
            before = online.hypothesis()
            played = online.step(x, table[17, x])
            assert (online.hypothesis() is before) == (not played.cost)
        assert online.n_mistakes_ == len(online.mistakes_) == online.n_updates_
        alone = cls(table)
        for x, y in online.mistakes_:
            alone.step(x, y)
        assert alone.n_mistakes_ == online.n_mistakes_ <= alone.mistake_bound()


def test_parameters_are_those_of_the_constructor():
    table = thresholds(4)
    assert Halving(table).get_params()["concepts"] is table
    assert Elimination(5).get_params() == {"n_features": 5}


def test_conservative_elimination_is_elimination():
    """W30."""
    rng = np.random.default_rng(85)
    target = disjunction(rng.random(8) < 0.2, np.zeros(8, dtype=bool))
    plain, wrapped = Elimination(8), Conservative(Elimination(8))
    for x in rng.random((300, 8)) < 0.5:
        one, two = plain.step(x, target(x)), wrapped.step(x, target(x))
        assert one == two or (one[:-1] == two[:-1])  # the last field is not a number
        np.testing.assert_array_equal(plain.positive_, wrapped.learner_.positive_)
        np.testing.assert_array_equal(plain.negative_, wrapped.learner_.negative_)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Consistent([]), "concepts must"),
        (lambda: Halving([[0, 1]]), "must be functions, or a table"),
        (lambda: Halving([[1, -1]]).feed(0, 0), "y=0, must be -1 or"),
        (lambda: Elimination(0), "n_features=0, must be a whole number, at least 1"),
        (lambda: Elimination(2.5), "n_features=2.5, must be a whole number"),
        (lambda: Halving([[1, -1]]).predict([-1]), "x=-1, must be a column of the table, 0 to 1"),
        (lambda: Consistent([[1, -1]]).feed(2, 1), "x=2, must be a column of the table"),
        (lambda: Halving([bool]).predict([0]), "a concept says False of 0, must say -1 or"),
        (lambda: Consistent([bool]).step(0, -1), "a concept says False of 0, must say -1 or"),
        (lambda: Elimination(2).feed([0, 2], -1), "must be 2 values of 0 and 1"),
        (lambda: Elimination(2).step([0], 1), "must be 2 values of 0 and 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
