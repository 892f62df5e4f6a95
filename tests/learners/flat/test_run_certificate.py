"""What a certificate of a run promises: it holds on random streams, and bites where it should."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import LinearSVC

from align.errors import ParameterError
from align.learners import (
    EuclideanBall,
    MultiplicativePA,
    OnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    PNormPerceptron,
    SelfTunedWinnow,
    SelfTuning,
    Winnow,
    certify_run,
)

LEARNERS = [
    PassiveAggressiveClassifier("pa"),
    PassiveAggressiveClassifier("pa1", C=0.1, conversion="average"),
    PassiveAggressiveClassifier("pa2", C=0.1, conversion="vote"),
    Perceptron(conversion="random"),
    PNormPerceptron(),
    Winnow(margin=0.3, rate=0.05),
    SelfTunedWinnow(),
    SelfTunedWinnow(aggressive=True, margin=0.3),
    MultiplicativePA(),
    OnlineClassifier(EuclideanBall(2.0), tuning=SelfTuning(2.0)),
]


def noisy(seed, k=2, T=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 6)) * rng.choice([0.3, 1.0, 3.0])
    return X, np.argmax(X @ rng.normal(size=(6, k)) + rng.normal(size=(T, k)), axis=1)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_bounds_hold_on_random_streams(learner, k):
    for seed in range(3):
        X, y = noisy(seed, k)
        found = certify_run(learner, X, y)
        other = clone(learner).set_params(conversion="last").partial_fit(X, y)
        assert found.mistakes == other.n_mistakes_
        assert found.loss == pytest.approx(other.cumulative_loss_)
        assert found.bound.holds
        assert found.mistakes <= found.mistake_bound
        assert np.isnan(found.regret) or found.regret <= found.regret_bound * (1 + 1e-9) + 1e-9
        assert (found.curve["mistakes"] <= found.curve["bound"] + 1e-9).all()
        assert found.vacuous == ("vacuous" in str(found).split("sum of losses")[0])


def test_sparse_rows_and_dense_ones_have_the_same_certificate():
    X, y = noisy(7)
    X[np.abs(X) < 0.5] = 0.0
    for learner in (LEARNERS[1], LEARNERS[3]):
        dense, sparse = certify_run(learner, X, y), certify_run(learner, sp.csr_array(X), y)
        assert dense.mistakes == sparse.mistakes
        assert dense.mistake_bound == pytest.approx(sparse.mistake_bound)


def test_the_bound_bites_where_one_feature_in_a_round_tells_all():
    # Every class has its own feature, and every feature comes first as a surprise: of the 32
    # rounds in which one is new, the Perceptron errs in those of the negative class and no other.
    T, n = 320, 32
    X = np.eye(n)[np.arange(T) % n]
    y = -np.ones(T)
    found = certify_run(Perceptron(fit_intercept=False), np.vstack([X, X[:1]]), np.append(y, 1.0))
    assert found.mistakes >= n
    assert found.bites
    assert not found.vacuous
    assert "bites: within twice" in str(found)


def test_a_learner_certifies_itself_and_stays_as_it_is():
    X, y = noisy(1)
    model = PassiveAggressiveClassifier(C=0.1).partial_fit(X[:50], y[:50])
    before = model.coef_.copy()
    assert str(model.certify(X, y, delta=0.1)) == str(certify_run(clone(model), X, y, delta=0.1))
    np.testing.assert_array_equal(model.coef_, before)
    assert model.n_rounds_ == 50


def test_nothing_is_won_from_a_competitor_of_zeros():
    # Labels that are coins: whoever adds up its own mistakes would have a bound that bites.
    rng = np.random.default_rng(0)
    found = certify_run(Perceptron(), rng.normal(size=(400, 5)), rng.integers(2, size=400))
    assert found.vacuous
    assert not found.bites or found.mistakes > 200


def test_the_competitor_of_pa_1_is_no_worse_than_a_support_vector_machine():
    X, y = noisy(3, T=500)
    C = 0.1
    found = certify_run(PassiveAggressiveClassifier("pa1", C=C), X, y)
    one = np.hstack([X, np.ones((500, 1))])
    svm = LinearSVC(loss="hinge", C=C, fit_intercept=False, max_iter=100_000).fit(one, y)
    model = PassiveAggressiveClassifier("pa1", C=C, record=True).partial_fit(X, y)
    assert found.mistake_bound <= 1.2 * model.trace_.certify("PA-I", u=svm.coef_[0]).right


@pytest.mark.parametrize("conversion", ["random", "vote", "average"])
def test_the_bound_on_risk_holds_for_more_than_one_minus_delta_of_the_draws(conversion):
    rng = np.random.default_rng(0)
    u = np.array([1.0, -1.0, 0.5])
    fails = 0
    for seed in range(60):
        X = rng.uniform(-1, 1, size=(1200, 3))
        y = (X @ u + 0.3 * rng.uniform(-1, 1, size=1200)) > 0
        model = PassiveAggressiveClassifier(C=0.1, conversion=conversion, random_state=seed)
        found = certify_run(model, X[:200], y[:200], delta=0.2)
        error = 1.0 - model.partial_fit(X[:200], y[:200]).score(X[200:], y[200:])
        assert set(found.risk_bounds) == {"Thm 13", "Hoeffding"}
        fails += error > min(found.risk_bounds.values())
    assert fails <= 12 + 3 * np.sqrt(60 * 0.2 * 0.8)


def test_a_regressor_and_the_words_of_what_has_no_guarantee():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    found = certify_run(PassiveAggressiveRegressor("pa2"), X, X @ [1.0, 2.0, 0.0])
    assert found.bound.bound == "PA-II"
    assert found.bound.holds
    assert "conversion='last' has no guarantee here" in str(found)
    with pytest.raises(ParameterError, match=r"delta=1.0, must lie in \(0, 1\)"):
        certify_run(Perceptron(), X, X[:, 0] > 0, delta=1.0)
    with pytest.raises(ParameterError, match="must have 2 classes or more"):
        certify_run(Perceptron(), X, np.ones(200, dtype=int))
    with pytest.raises(ParameterError, match="sets of labels"):
        certify_run(Perceptron(), X, np.ones((200, 2)))


def test_what_is_no_learner_is_refused():
    with pytest.raises(ParameterError, match=r"model is a dict, must be .* X and y\.$"):
        certify_run({}, *noisy(0))


def test_the_plot_shows_mistakes_and_bound():
    matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib")
    matplotlib.use("Agg")
    X, y = noisy(0)
    ax = certify_run(PassiveAggressiveClassifier(C=0.05), X, y).plot()
    assert [line.get_label() for line in ax.lines] == ["rounds", "PA-I", "mistakes"]
    matplotlib.pyplot.close("all")
