"""I1 to I5: the theorems of online-to-batch conversion, for the flat learners, by Monte Carlo.

Examples are drawn from a finite set of points, so that the risk of a hypothesis is a sum and not
an estimate, and losses lie in [0, 1]. Each theorem is a function of "what came out of a run"; it
must hold for the conversions and fail for broken ones, which are tried as well.
"""

import math

import numpy as np
import pytest

from align.learners import EuclideanBall, OnlineRegressor, Perceptron, SqrtTuning

RHO = 0.5  # radius of the ball of hypotheses
L = 0.5  # half the largest squared norm of an instance
U = RHO**2 / 2.0  # largest complexity
NOISE = np.array([-0.1, 0.0, 0.1])
_RNG = np.random.default_rng(7)
POINTS = _RNG.normal(size=(40, 4))
POINTS /= np.linalg.norm(POINTS, axis=1, keepdims=True)
TRUTH = np.array(
    [0.3, -0.2, 0.15, 0.05]
)  # the median of y given x is <TRUTH, x>: the best there is
FIRST = np.zeros(4)  # w_1


def regret_bound(n_rounds):
    """B(T) of Corollary 1 with ``c = sqrt(T L / U)`` and f(u) <= U."""
    return 2.0 * math.sqrt(L * U * n_rounds)


def risk(weights):
    """Return E |y - <w, x>| of hypotheses [shape=(..., 4)]."""
    errors = (POINTS @ (TRUTH - np.asarray(weights)).T)[..., None] + NOISE
    return np.abs(errors).mean(axis=(0, -1))


BEST = float(risk(TRUTH))


def sample(rng, n):
    X = POINTS[rng.integers(len(POINTS), size=n)]
    return X, X @ TRUTH + rng.choice(NOISE, n)


def regressor(n_rounds, conversion="last", seed=0, **params):
    return OnlineRegressor(
        EuclideanBall(RHO), epsilon=0.0, fit_intercept=False, conversion=conversion,
        random_state=seed, **{"tuning": math.sqrt(n_rounds * L / U)} | params,
    )  # fmt: skip


def play(conversion, n_rounds, seed):
    """Run over a sample of its own, in two chunks; return the hypothesis and M_T."""
    X, y = sample(np.random.default_rng(seed), n_rounds)
    model = regressor(n_rounds, conversion, seed)
    cut = n_rounds // 3
    model.partial_fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
    return model.coef_, model.cumulative_loss_ / n_rounds


def plays(conversion, n_rounds, n_runs):
    """Return the risk of each of some independent runs, and its M_T."""
    found = [play(conversion, n_rounds, seed) for seed in range(n_runs)]
    return risk(np.array([w for w, _ in found])), np.array([loss for _, loss in found])


def within(differences, errors=3.0):
    """Whether the mean of independent numbers is 0 up to some standard errors."""
    deviation = differences.std(ddof=1) / math.sqrt(len(differences))
    return bool(abs(differences.mean()) <= errors * deviation)


def seldom(failures, delta):
    """Whether something happens with a probability of delta at most, up to three errors."""
    return bool(np.mean(failures) <= delta + 3.0 * math.sqrt(delta * (1 - delta) / len(failures)))


def test_setting():
    assert BEST == pytest.approx(2.0 / 30.0)
    assert np.linalg.norm(TRUTH) <= RHO
    assert (np.abs(POINTS @ TRUTH) + NOISE.max() + RHO).max() <= 1.0  # losses lie in [0, 1]
    # Nothing in the ball is better, and the first hypothesis is much worse.
    others = np.random.default_rng(0).normal(size=(500, 4))
    others *= RHO / np.linalg.norm(others, axis=1, keepdims=True)
    assert risk(others).min() >= BEST
    assert risk(FIRST) > BEST + 0.07


# I1: Theorems 9 and 10 ------------------------------------------------------------------------


def test_expected_risk_of_a_random_hypothesis_is_the_expected_mean_loss():
    risks, mean_losses = plays("random", 40, 400)
    assert within(risks - mean_losses)
    assert risks.mean() <= BEST + regret_bound(40) / 40


@pytest.mark.parametrize("broken", ["last", "average"])
def test_that_equality_tells_other_conversions_apart(broken):
    """Both are better than a hypothesis at random, so that they cannot have the same mean."""
    risks, mean_losses = plays(broken, 40, 400)
    assert not within(risks - mean_losses, errors=6.0)


def test_mean_loss_is_near_the_best_risk():
    """Lemma 21 and regret: M_T <= risk* + B/T + deviation of the losses of the best."""
    n_rounds, delta = 400, 0.1
    _, mean_losses = plays("last", n_rounds, 150)
    deviation = math.sqrt(2 * math.log(1 / delta) * BEST / n_rounds)
    deviation += 2 * math.log(1 / delta) / (3 * n_rounds)
    right = BEST + regret_bound(n_rounds) / n_rounds + deviation
    assert seldom(mean_losses > right, delta)
    assert mean_losses.mean() > BEST


# I2: Corollary 8 ------------------------------------------------------------------------------


def stopped_too_badly(risks, n_rounds, delta):
    return risks > BEST + regret_bound(n_rounds) / (delta * n_rounds)


def test_random_stopping():
    n_rounds, delta = 5000, 0.25
    risks, _ = plays("random", n_rounds, 150)
    assert seldom(stopped_too_badly(risks, n_rounds, delta), delta)
    # The bound says something: the hypothesis that a run begins with does not keep it.
    assert stopped_too_badly(risk(FIRST), n_rounds, delta)


def test_random_stopping_is_uniform_over_the_rounds():
    """Round t is chosen with probability 1 / T, whatever the chunks: P(h = w_1) is 1 / T."""
    n_rounds, n_runs = 8, 800
    path, X, y = path_of(3, n_rounds)
    distinct, place = np.unique(np.round(path, 12), axis=0, return_inverse=True)
    assert len(distinct) >= n_rounds - 2  # almost every round moves the weights
    counts = np.zeros(len(distinct))
    for seed in range(n_runs):
        stopped = regressor(n_rounds, "random", seed)
        stopped.partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
        found = np.flatnonzero((distinct == np.round(stopped.coef_, 12)).all(axis=1))
        counts[found[0]] += 1
    expected = np.bincount(place.ravel(), minlength=len(distinct)) * n_runs / n_rounds
    # Normal approximation of chi-square, three deviations.
    freedom = len(distinct) - 1
    assert ((counts - expected) ** 2 / expected).sum() <= freedom + 3.0 * math.sqrt(2.0 * freedom)


# I3: Theorem 12 -------------------------------------------------------------------------------


class Watched(OnlineRegressor):
    """Keep what the contest of "validation" is held on, and how its candidates do."""

    def _error(self, chunk, which, weights):
        cost = super()._error(chunk, which, weights)
        self.contest.append((which, weights[0, :-1].copy(), cost))
        return cost


def validated(seed, n_rounds, share):
    X, y = sample(np.random.default_rng(seed), n_rounds)
    params = regressor(n_rounds, "validation", seed, validation_fraction=share).get_params()
    model = Watched(**params)
    model.contest = []
    model.fit(X, y)
    candidates = np.array([weights for _, weights, _ in model.contest])
    costs = np.array([cost for *_, cost in model.contest])
    held = model.contest[0][0]
    assert all(np.array_equal(held, which) for which, *_ in model.contest)
    for weights, cost in zip(candidates, costs, strict=True):
        assert cost == pytest.approx(np.abs(y[held] - X[held] @ weights).mean())
    return model, candidates, costs, held


def test_validation_with_restarts():
    delta, n_runs, n_rounds = 0.1, 80, 3000
    chosen, least, worst, some_good = [], [], [], []
    for seed in range(n_runs):
        model, candidates, _, held = validated(seed, n_rounds, share=2.0 / 3.0)
        s, m = len(candidates), len(held)
        block = (n_rounds - m) // s
        assert model.n_rounds_ == s * block  # the contest is fresh: no round was played on it
        risks = risk(candidates)
        chosen.append(float(risk(model.coef_)))
        least.append(risks.min())
        worst.append(risks.max())
        some_good.append(risks.min() <= BEST + math.e * s * regret_bound(block) / (s * block))
    contest = math.sqrt(2.0 * math.log(2.0 * s / delta) / m)
    # With probability 1 - exp(-s) some restart is good, and then the contest finds one as good.
    assert seldom(~np.array(some_good), math.exp(-s))
    assert seldom(np.array(chosen) > np.array(least) + contest, delta)
    # A contest won by the worst would not keep that.
    assert not seldom(np.array(worst) > np.array(least) + contest, delta)


def test_validation_chooses_the_least_cost_and_restarts():
    model, candidates, costs, _ = validated(5, 400, share=0.25)
    np.testing.assert_array_equal(model.coef_, candidates[int(np.argmin(costs))])
    # Candidates of early cuts are the first hypothesis again only if each block starts anew.
    sizes = np.linalg.norm(candidates, axis=1)
    found = [validated(seed, 60, share=0.5)[1] for seed in range(20)]
    starts = [(np.linalg.norm(c[1:], axis=1) == 0.0).any() for c in found]
    assert (sizes <= RHO * (1 + 1e-12)).all()
    assert sum(starts) >= 10


# I4: Theorem 13 and Jensen --------------------------------------------------------------------


def path_of(seed, n_rounds):
    """Return the hypotheses before each round, and the data."""
    X, y = sample(np.random.default_rng(seed), n_rounds)
    model = regressor(n_rounds)
    path = [FIRST]
    for x, target in zip(X[:-1], y[:-1], strict=True):
        model.step(x, target)
        path.append(model.coef_.copy())
    return np.array(path), X, y


@pytest.mark.parametrize("seed", range(5))
def test_average_has_at_most_the_mean_risk(seed):
    path, X, y = path_of(seed, 60)
    average = regressor(60, "average").partial_fit(X[:7], y[:7]).partial_fit(X[7:], y[7:])
    np.testing.assert_allclose(average.coef_, path.mean(axis=0), rtol=1e-10, atol=1e-12)
    assert risk(average.coef_) <= risk(path).mean() + 1e-12


def test_average_where_c_grows():
    """The hypothesis of round t is made with the c of round t."""
    X, y = sample(np.random.default_rng(0), 60)
    tuning = SqrtTuning(L=L, U=U)
    model = regressor(60, "average", tuning=tuning, record=True)
    trace = model.partial_fit(X[:11], y[:11]).partial_fit(X[11:], y[11:]).trace_
    steps = trace.alpha[:, None] * np.array(trace.directions)[:, :4]
    v = np.vstack([FIRST, np.cumsum(steps, axis=0)[:-1]])
    path = v / np.sqrt(np.arange(1, 61) * L / U)[:, None]
    path /= np.maximum(1.0, np.linalg.norm(path, axis=1, keepdims=True) / RHO)
    np.testing.assert_allclose(model.coef_, path.mean(axis=0), rtol=1e-10)
    assert risk(model.coef_) <= risk(path).mean()


def averaged_too_badly(risks, mean_losses, n_rounds, delta):
    """Theorem 13."""
    log = math.log((n_rounds + 3) / delta) / n_rounds
    return risks > mean_losses + 3.0 * log + 2.0 * np.sqrt(mean_losses * log)


def test_average():
    n_rounds, delta = 2000, 0.1
    risks, mean_losses = plays("average", n_rounds, 150)
    assert seldom(averaged_too_badly(risks, mean_losses, n_rounds, delta), delta)
    assert within_expectation(risks, n_rounds)
    # An average that were stuck, or a sum without the division, would not do.
    for broken in (FIRST, 5.0 * TRUTH):
        stuck = np.full(len(risks), risk(broken))
        assert not seldom(averaged_too_badly(stuck, mean_losses, n_rounds, delta), delta)
        assert not within_expectation(stuck, n_rounds)


def within_expectation(risks, n_rounds):
    """Theorem 10: the mean is at most risk* + B(T) / T."""
    deviation = risks.std(ddof=1) / math.sqrt(len(risks))
    return bool(risks.mean() <= BEST + regret_bound(n_rounds) / n_rounds + 3.0 * deviation)


# I5: voting -----------------------------------------------------------------------------------

FLIPPED = 0.1  # share of labels turned over
SIGNS = np.where(POINTS @ TRUTH >= 0.0, 1, -1)


def error(predicted):
    """Return the probability of error of predictions at each point [shape=(..., 40)]."""
    wrong = predicted != SIGNS
    return np.where(wrong, 1.0 - FLIPPED, FLIPPED).mean(axis=-1)


def labelled(seed, n):
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(POINTS), size=n)
    return POINTS[rows], np.where(rng.random(n) < FLIPPED, -SIGNS[rows], SIGNS[rows])


def voted(seed, n_rounds, conversion="vote"):
    X, y = labelled(seed, n_rounds)
    model = Perceptron(conversion=conversion, random_state=seed)
    cut = n_rounds // 2
    model.partial_fit(X[:cut], y[:cut], classes=[-1, 1]).partial_fit(X[cut:], y[cut:])
    return model


def test_risk_of_a_random_perceptron_is_its_rate_of_mistakes():
    n_rounds = 40
    models = [voted(seed, n_rounds, "random") for seed in range(500)]
    risks = error(np.array([model.predict(POINTS) for model in models]))
    rates = np.array([model.n_mistakes_ / n_rounds for model in models])
    assert within(risks - rates)


def test_vote_errs_at_most_twice_as_often_as_its_voters():
    """A wrong vote has half of its voters wrong, so that this holds for each run, surely."""
    ratios, reversed_ratios = [], []
    for seed in range(15):
        n_rounds = 50
        X, y = labelled(seed, n_rounds)
        model = voted(seed, n_rounds)
        step_by_step = Perceptron()
        step_by_step.partial_fit(X[:1], y[:1], classes=[-1, 1])
        voters = [np.ones(len(POINTS), dtype=int), step_by_step.predict(POINTS)]  # 0 is +1
        for x, label in zip(X[1:-1], y[1:-1], strict=True):
            step_by_step.step(x, label)
            voters.append(step_by_step.predict(POINTS))
        share = np.mean(voters, axis=0)
        np.testing.assert_allclose(model.decision_function(POINTS), share, atol=1e-12)
        np.testing.assert_array_equal(model.predict(POINTS), np.where(share >= 0.0, 1, -1))
        mean_risk = error(np.array(voters)).mean()
        ratios.append(error(model.predict(POINTS)) / mean_risk)
        reversed_ratios.append(error(-model.predict(POINTS)) / mean_risk)
    assert max(ratios) <= 2.0
    assert max(reversed_ratios) > 2.0


def test_vote_bound():
    """P(error) <= 2 E[mistakes on T + 1 examples] / (T + 1), for a mistake-driven learner."""
    n_rounds, n_runs = 30, 400
    left = error(np.array([voted(seed, n_rounds).predict(POINTS) for seed in range(n_runs)]))
    longer = [voted(n_runs + seed, n_rounds + 1).n_mistakes_ for seed in range(n_runs)]
    right = 2.0 * np.array(longer) / (n_rounds + 1)
    deviation = math.sqrt((left.var() + right.var()) / n_runs)
    assert left.mean() <= right.mean() + 3.0 * deviation
    # Voting is worth its while here: better than a hypothesis at random, which has right / 2.
    assert left.mean() < right.mean() / 2.0
