"""A1, A4 to A6, B8, D1, D2: learners that a user puts together."""

import numpy as np
import pytest
from learner_streams import competitors, gaussian, simplex_competitors, ternary
from scipy.optimize import minimize
from sklearn.model_selection import GridSearchCV

from align.errors import ParameterError
from align.learners import (
    Blocks,
    Entropy,
    Euclidean,
    EuclideanBall,
    FixedTuning,
    LossTuning,
    MistakeTuning,
    OnlineClassifier,
    OnlineRegressor,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    QNorm,
    Revisit,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
)
from align.learners.flat._round import GAIN


def classifier(complexity="euclidean", **params):
    return OnlineClassifier(complexity, fit_intercept=False, record=True, **params)


def regressor(complexity="euclidean", **params):
    return OnlineRegressor(complexity, fit_intercept=False, record=True, **params)


def kept_rounds(run):
    """Direction, target and alpha of the rounds that a run of one score may go back to."""
    first, n = run._state.memory
    kept = run._kept
    return [
        (kept.sign[at] * kept.x[at], kept.target[at], kept.alpha[at])
        for at in (first + np.arange(n)) % max(len(kept.alpha), 1)
    ]


COMPLEXITIES = [Euclidean(), EuclideanBall(0.7), Entropy(), QNorm(3.0)]


# A1, A4, A5 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dual_step", ["exact", "subgradient"])
@pytest.mark.parametrize("f", COMPLEXITIES, ids=str)
@pytest.mark.parametrize("loss", ["hinge", "squared-hinge", "epsilon-insensitive", "squared"])
def test_lemma_1(loss, f, dual_step):
    """Dual and primal recomputed from the trace; the sandwich, and the dual-increase condition."""
    X, y, u = ternary(120, 4, 0.1, seed=40, doubled=True)
    X, y = X[X.any(axis=1)], y[X.any(axis=1)]  # a zero instance takes no step, whatever its loss
    numbers = loss in ("epsilon-insensitive", "squared")
    c, slope = 5.0, {"squared-hinge": 1.0, "squared": 1.0}.get(loss, 0.0)
    if numbers:
        model = regressor(f, loss=loss, dual_step=dual_step, tuning=c)
        model.partial_fit(X, X[:, :4] @ u / 4)
    else:
        # The C of the hinge divides c, that of its square is in the slack.
        tuning = 0.5 * c if loss == "hinge" else c
        model = classifier(f, loss=loss, dual_step=dual_step, tuning=tuning, margin=0.5, C=0.5)
        model.partial_fit(X, y)
    trace = model.trace_
    curvature = slope  # 1 / (2 C) is 1 in both
    v = np.vstack([np.zeros(8), np.cumsum(trace.alpha[:, None] * trace.directions, axis=0)])
    gain = np.cumsum(trace.alpha * trace.target - curvature * trace.alpha**2 / 2)
    dual = np.concatenate([[0.0], gain - c * f.conjugate(v[1:] / c)])
    np.testing.assert_allclose(trace.dual, dual[1:], atol=1e-8)
    lost = np.array(
        [
            max(b - a @ f.link(s / c), 0.0)
            for a, b, s in zip(trace.directions, trace.target, v, strict=False)
        ]
    )
    np.testing.assert_allclose(trace.loss, lost, atol=1e-9)
    g = lost**2 / 2 if curvature else lost
    size = lost if curvature else (lost > 0).astype(float)
    norms = np.array([f.dual_norm(a) for a in trace.directions])
    paid = (size * norms) ** 2 / (2 * c)
    assert (np.diff(dual) >= g - paid - 1e-9).all()  # Eq 3.9, and both sides of Lemma 1:
    assert g.sum() - paid.sum() <= dual[-1] + 1e-8
    if dual_step == "exact":
        assert (np.diff(dual) >= -1e-9).all()
    points = simplex_competitors(8, u) if f == Entropy() else competitors(np.append(u, -u))
    for w in [*points, f.link(v[-1] / c)]:
        other = trace.losses_of(w)
        priced = other**2 / 2 if curvature else other
        assert dual[-1] <= c * f.value(w) + priced.sum() + 1e-8
        certificate = trace.certify("Lemma 2", u=w)
        assert certificate.holds
        assert certificate.left == pytest.approx(g.sum())
        assert trace.certify("weak duality", u=w).holds
        if not curvature:
            assert trace.certify("Cor 1", u=w).holds


@pytest.mark.parametrize("f", COMPLEXITIES, ids=str)
def test_the_exact_step_gains_more(f):
    """A5: from the same state, the exact step never gains less than the subgradient step."""
    X, y, _ = ternary(60, 4, 0.1, seed=41, doubled=True)
    model = classifier(f, tuning=2.0, margin=0.4)
    model.partial_fit(X, y)
    trace = model.trace_
    v = np.vstack([np.zeros(8), np.cumsum(trace.alpha[:, None] * trace.directions, axis=0)])
    for a, b, alpha, loss, state in zip(
        trace.directions, trace.target, trace.alpha, trace.loss, v, strict=False
    ):

        def gain(step, a=a, b=b, state=state):
            return step * b - 2 * f.conjugate((state + step * a) / 2)

        assert gain(alpha) >= gain(float(loss > 0)) - 1e-9
        assert gain(alpha) >= max(gain(s) for s in np.linspace(0, 1, 21)) - 1e-9


def test_subgradient_steps_are_online_gradient_descent():
    """W11."""
    X, y, _ = gaussian(200, 5, 0.1, seed=42)
    w = np.zeros(5)
    for x, sign in zip(X, y, strict=True):
        w += (sign * (w @ x) < 1) * sign * x / 4
    model = classifier(dual_step="subgradient", tuning=4.0).partial_fit(X, y)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-12)
    target = X[:, 0] + 0.5
    w = np.zeros(5)
    for x, value in zip(X, target, strict=True):
        w += (value - w @ x) * x / 40
    model = regressor(loss="squared", dual_step="subgradient", tuning=40.0).partial_fit(X, target)
    np.testing.assert_allclose(model.coef_, w, atol=1e-12)


def test_regret_recomputed_from_the_log():
    """A1."""
    X, y, u = gaussian(100, 4, 0.1, seed=43)
    rounds = [classifier(tuning=2.0)]
    rounds[0].partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
    lost = sum(rounds[0].step(x, sign).loss for x, sign in zip(X, y, strict=True))
    other = np.maximum(1 - y * (X @ u), 0).sum()
    certificate = rounds[0].trace_.certify("Cor 1", u=u)
    assert certificate.left == pytest.approx(lost - other)
    assert rounds[0].regret_bound(u) + other >= lost


# A6 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_tunings_of_lipschitz_losses(noise):
    X, y, u = gaussian(400, 5, noise, seed=44)
    target = X @ u + noise
    L = (X**2).sum(1).max() / 2
    for U in (0.5, 5.0):
        for tuning, bound in (
            (SqrtTuning(L, U), "Cor 2"),
            (RunningTuning(U, share=0.5), "Cor 3"),
            (RunningTuning(U), "Eq 5.16"),
        ):
            one = classifier(tuning=tuning).partial_fit(X, y)
            two = regressor(tuning=tuning, epsilon=0.3).partial_fit(X, target)
            for model in (one, two):
                trace = model.trace_
                assert (np.diff(trace.c) >= 0).all()
                for w in competitors(u):
                    if bound == "Eq 5.16":
                        w = w * min(1.0, np.sqrt(2 * U) / max(np.linalg.norm(w), 1e-300))
                    certificate = trace.certify(bound, u=w)
                    assert certificate.holds
                    assert trace.certify("Lemma 2", u=w).holds
                    f = w @ w / 2
                    expected = (
                        2 * np.sqrt(2 * L * U * 400)
                        if bound == "Eq 5.16"
                        else (2 * (f / np.sqrt(U) + np.sqrt(U)) * np.sqrt(L * 400))
                    )
                    assert certificate.right == pytest.approx(expected)
    with pytest.raises(ParameterError, match="f\\(u\\) <= U=5, and this one has"):
        trace.certify("Eq 5.16", u=100 * u)
    with pytest.raises(ParameterError, match="L >= X"):
        classifier(tuning=SqrtTuning(L / 2)).partial_fit(X, y).trace_.certify("Cor 2", u=u)


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_tuning_of_self_bounded_losses(noise):
    """Theorem 2 and Corollary 4, on a ball that bounds the losses."""
    rng = np.random.default_rng(45)
    X = rng.normal(size=(500, 4))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1)
    u = rng.normal(size=4)
    u /= np.linalg.norm(u)
    target = X @ u + noise * rng.uniform(-1, 1, size=500)
    L, rho = (X**2).sum(1).max(), 1.0
    beta = (rho * np.sqrt(L) + np.abs(target).max()) ** 2 / 2
    tuning = LossTuning(L, U=rho**2 / 2, beta=beta)
    for f in (Euclidean(), EuclideanBall(rho)):
        model = regressor(f, loss="squared", tuning=tuning).partial_fit(X, target)
        trace = model.trace_
        assert (np.diff(trace.c) >= 0).all()
        for w in (u, 0 * u, 0.5 * u):
            certificate = trace.certify("Thm 2", u=w)
            assert certificate.holds
            if f != Euclidean():
                lost = ((X @ w - target) ** 2).sum() / 2
                reach = L * rho**2 / 2
                corollary = 3.4 * np.sqrt(reach * (lost + beta)) + 11.4 * reach
                assert (trace.loss**2).sum() / 2 - lost <= corollary


def test_theorem_1_with_its_c():
    """Self-bounded losses and a fixed c."""
    X, _, u = gaussian(400, 4, 0.0, seed=46)
    target = X @ u + np.random.default_rng(1).normal(size=400)
    L, U1 = (X**2).sum(1).max(), u @ u / 2
    U2 = ((X @ u - target) ** 2).sum() / 2
    c = L + np.sqrt(L**2 + L * U2 / U1)
    trace = (
        regressor(loss="squared", dual_step="subgradient", tuning=c).partial_fit(X, target).trace_
    )
    regret = (trace.loss**2).sum() / 2 - U2
    assert regret <= 2 * L * U1 + 2 * np.sqrt(L**2 * U1**2 + L * U1 * U2)


@pytest.mark.parametrize("U", [0.5, 4.0])
def test_mistake_tuning_is_conservative_pa_1(U):
    """W21: D4 on binary data, a = y x, with cost 1."""
    X, y, u = gaussian(300, 4, 0.2, seed=47)
    model = classifier(conservative=True, tuning=MistakeTuning(U)).partial_fit(X, y)
    v, largest, m = np.zeros(4), 0.0, 0
    for x, sign in zip(X, y, strict=True):
        if (1 if v @ x >= 0 else -1) != sign:
            m += 1
            largest = max(largest, np.linalg.norm(x))
            c = largest * np.sqrt(m / (2 * U))
            v += min(1.0, max(c - sign * (v @ x), 0.0) / (x @ x)) * sign * x
    np.testing.assert_allclose(model._run.V[0, :4], v, atol=1e-12)
    assert model.n_mistakes_ == m
    for w in competitors(u):
        w = w * min(1.0, np.sqrt(2 * U) / max(np.linalg.norm(w), 1e-300))
        assert model.trace_.certify("Thm 7", u=w).holds
    with pytest.raises(ParameterError, match="sets c after the prediction"):
        classifier("entropy", tuning=MistakeTuning(U)).partial_fit(X, y)


# B8 -------------------------------------------------------------------------------------------


def duals(f, X, y, revisit, U=2.0):
    model = classifier(f, tuning=SelfTuning(U), margin=0.4, revisit=revisit, random_state=0)
    return model.partial_fit(X, y)


@pytest.mark.parametrize("f", [Euclidean(), Entropy(), QNorm(3.0)], ids=str)
@pytest.mark.parametrize(
    "revisit",
    [
        Revisit(last=2, steps=None),
        Revisit(last=4, steps=3),
        Revisit(steps=3),
        Revisit(steps=3, order="random"),
        Revisit(steps=3, order="worst"),
    ],
    ids=str,
)
def test_revisiting_gains_and_keeps_the_bound(f, revisit):
    X, y, u = ternary(40, 4, 0.2, seed=48, doubled=True)
    U = np.log(8) if f == Entropy() else 2.0
    model = duals(f, X, y, revisit, U)
    trace = model.trace_
    run = model._run
    assert model.n_updates_ > 0
    for w in simplex_competitors(8, u):
        if f.value(w) <= U:
            assert trace.certify("Thm 6", u=w).holds
            assert trace.certify("weak duality", u=w).holds
    alphas = np.array([alpha for *_, alpha in kept_rounds(run)])
    assert ((alphas >= 0) & (alphas <= 1)).all()
    if revisit.last is None:  # everything is kept: v and the dual are what the alphas say
        v = sum(alpha * direction for direction, _, alpha in kept_rounds(run))
        np.testing.assert_allclose(run.v, v, atol=1e-10)
        expected = 0.4 * alphas.sum() - run.c * f.conjugate(v / run.c)
        assert model.dual_objective_ == pytest.approx(expected)


@pytest.mark.parametrize("f", [Euclidean(), Entropy()], ids=str)
def test_more_steps_from_the_same_state_gain_more(f):
    """After each round the dual is at least what the single step from that state would reach."""
    from align.learners.flat._link_run import LinkRun

    X, y, _ = ternary(40, 4, 0.2, seed=49, doubled=True)
    model = classifier(f, tuning=SelfTuning(2.0), margin=0.4, revisit=Revisit(steps=4))
    model.partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
    for x, sign in zip(X, y, strict=True):
        run = model._run
        assert isinstance(run, LinkRun)
        v, gain = run.v.copy(), run._state.sums[GAIN]
        after = model.step(x, sign)
        c, a = after.c, sign * x
        best = max(
            gain + s * 0.4 - c * f.conjugate((v + s * a) / c) for s in np.linspace(0, 1, 51)
        )
        assert after.dual >= best - 1e-9


def test_one_variable_is_the_plain_step():
    """W9, and bit for bit in the general run."""
    X, y, _ = ternary(60, 4, 0.2, seed=50, doubled=True)
    for f in (Entropy(), QNorm(3.0)):
        plain = classifier(f, tuning=SelfTuning(2.0), margin=0.4).partial_fit(X, y)
        one = duals(f, X, y, Revisit(last=1))
        np.testing.assert_array_equal(plain.coef_, one.coef_)
    plain = classifier(tuning=SelfTuning(2.0), margin=0.4).partial_fit(X, y)
    one = duals(Euclidean(), X, y, Revisit(last=1))
    np.testing.assert_allclose(plain.coef_, one.coef_, atol=1e-12)


def test_two_variables_reach_the_closed_form():
    """k = 2, Euclidean: the box QP of two variables, by its vertices, edges and interior."""
    rng = np.random.default_rng(51)
    X, y = rng.normal(size=(50, 3)), rng.choice([-1, 1], size=50)
    model = classifier(tuning=1.5, revisit=Revisit(last=2, steps=None, tolerance=1e-14))
    model.partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
    for t, (x, sign) in enumerate(zip(X, y, strict=True)):
        model.step(x, sign)
        if t == 0:
            continue
        run = model._run
        a, _, alpha = (np.array(part) for part in zip(*kept_rounds(run), strict=True))
        rest = run.v - alpha @ a
        G, h = a @ a.T / 1.5, 1.0 - a @ rest / 1.5
        inside = np.linalg.solve(G, h)
        candidates = [inside] if ((inside >= 0) & (inside <= 1)).all() else []
        for i in (0, 1):
            for fixed in (0.0, 1.0):
                point = np.full(2, fixed)
                point[1 - i] = np.clip((h[1 - i] - G[0, 1] * fixed) / G[1 - i, 1 - i], 0, 1)
                candidates.append(point)
        best = max(h @ p - p @ G @ p / 2 for p in candidates)
        assert h @ alpha - alpha @ G @ alpha / 2 == pytest.approx(best, abs=1e-9)


def test_all_variables_are_follow_the_regularised_leader():
    """W10: the primal minimiser, and the KKT conditions."""
    X, y, _ = gaussian(25, 3, 0.2, seed=52)
    c = 4.0
    model = classifier(tuning=c, revisit=Revisit(steps=None, tolerance=1e-13)).partial_fit(X, y)
    w = model.coef_[0]

    def primal(z):  # (w, slacks)
        return c * z[:3] @ z[:3] / 2 + z[3:].sum()

    start = np.concatenate([w, np.maximum(1 - y * (X @ w), 0)])
    found = minimize(
        primal,
        start + 0.1,
        jac=lambda z: np.concatenate([c * z[:3], np.ones(25)]),
        constraints={
            "type": "ineq",
            "fun": lambda z: y * (X @ z[:3]) - 1 + z[3:],
            "jac": lambda z: np.hstack([y[:, None] * X, np.eye(25)]),
        },
        bounds=[(None, None)] * 3 + [(0, None)] * 25,
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    np.testing.assert_allclose(found.x[:3], w, atol=1e-5)
    assert primal(start) <= found.fun + 1e-6
    assert model.dual_objective_ == pytest.approx(primal(start), abs=1e-6)
    for direction, target, alpha in kept_rounds(model._run):
        margin = direction @ w - target
        assert alpha <= 1e-6 or margin <= 1e-6
        assert alpha >= 1 - 1e-6 or margin >= -1e-6


@pytest.mark.parametrize(
    ("revisit", "message"),
    [
        (Revisit(last=0), "Revisit.last=0"),
        (Revisit(steps=-1), "Revisit.steps=-1"),
        (Revisit(order="best"), "Revisit.order='best'"),
        ("all", "revisit='all', must be a Revisit"),
    ],
)
def test_bad_revisits(revisit, message):
    with pytest.raises(ParameterError, match=message):
        classifier(revisit=revisit).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="revisit needs dual_step='exact'"):
        classifier(dual_step="subgradient", revisit=Revisit()).fit([[0.0], [1.0]], [0, 1])


# D1, D2 ---------------------------------------------------------------------------------------


def test_exact_steps_of_regression():
    """D1: the closed forms."""
    X, _, u = gaussian(200, 4, 0.0, seed=53)
    target = X @ u + np.random.default_rng(2).normal(size=200)
    half, tube = np.zeros(4), np.zeros(4)
    for x, value in zip(X, target, strict=True):
        half += (value - half @ x) * x / (3.0 + x @ x)
        error = value - tube @ x
        tube += np.sign(error) * x * min(1 / 3, max(abs(error) - 0.2, 0) / (x @ x))
    model = regressor(loss="squared", tuning=3.0).partial_fit(X, target)
    np.testing.assert_allclose(model.coef_, half, atol=1e-12)
    model = regressor(tuning=3.0, epsilon=0.2).partial_fit(X, target)
    np.testing.assert_allclose(model.coef_, tube, atol=1e-12)


@pytest.mark.parametrize("f", [Euclidean(), Entropy(), QNorm(3.0)], ids=str)
def test_multiclass_bounds(f):
    """D2: gamma mistakes are at most the loss, and Cor 3."""
    rng = np.random.default_rng(54)
    X = np.abs(rng.normal(size=(120, 4)))
    W = rng.dirichlet(np.ones(4), size=3)
    y = (X @ W.T).argmax(1)
    trace = (
        classifier(f, tuning=RunningTuning(1.0, share=0.5), margin=0.2).partial_fit(X, y).trace_
    )
    assert (trace.loss >= 0.2 * trace.cost - 1e-12).all()
    radius = np.sqrt(2) * max(f.dual_norm(x) for x in X)
    assert trace.norm.max() == pytest.approx(radius)
    other = trace.losses_of(W)
    assert (other <= np.maximum(0.2 - _gaps(X, y, W), 0) + 1e-12).all()
    value = Blocks(f).value(W)
    assert trace.certify("Lemma 2", u=W).holds
    bound = 2 * (value + 1.0) * np.sqrt(radius**2 / 2 * 120)
    assert trace.certify("Cor 3", u=W).right == pytest.approx(bound)
    assert trace.certify("Cor 3", u=W).holds


def _gaps(X, y, W):
    scores = X @ W.T
    own = scores[np.arange(len(y)), y].copy()
    scores[np.arange(len(y)), y] = -np.inf
    return own - scores.max(1)


def test_unreachable_targets_of_a_hard_loss():
    model = OnlineClassifier("entropy", loss="hard", fit_intercept=False)
    with pytest.raises(ParameterError, match=r"no weights of Entropy.* reach the target 1"):
        model.partial_fit([[0.5, 0.2]], [1], classes=[0, 1])


def test_a_tuning_of_ones_own():
    """Anything callable; the general run takes it."""

    def doubling(radius, n_mistakes, n_rounds, loss):
        return float(2**n_rounds)

    X, y, u = gaussian(10, 3, 0.0, seed=55)
    trace = classifier(tuning=doubling).partial_fit(X, y).trace_
    np.testing.assert_array_equal(trace.c, 2.0 ** np.arange(1, 11))
    assert trace.certify("Lemma 2", u=u).holds


def played(model, X, y):
    return model.partial_fit(X, y).coef_


def noisy(seed=0, m=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 4))
    return X, (X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=m) > 0).astype(int)


def test_c_weighs_the_hinge():
    """``c f + C l`` is PA-I with C over c."""
    X, y = noisy()
    expected = played(PassiveAggressiveClassifier("pa1", C=0.05), X, y)
    for params in ({"C": 0.05}, {"C": 0.1, "tuning": 2.0}, {"tuning": 20.0}):
        np.testing.assert_allclose(played(OnlineClassifier(**params), X, y), expected, rtol=1e-12)
    default = played(OnlineClassifier(), X, y)
    assert not np.allclose(default, expected)
    np.testing.assert_array_equal(default, played(OnlineClassifier(C=1.0), X, y))
    with pytest.raises(ParameterError, match=r"C=2.0, must be 1 with loss='hard'"):
        OnlineClassifier(loss="hard", C=2.0).partial_fit(X, y)
    with pytest.raises(ParameterError, match=r"C=-1.0, must be positive"):
        OnlineClassifier(C=-1.0).partial_fit(X, y)


def test_c_weighs_the_losses_of_numbers():
    X, _ = noisy()
    y = X[:, 0] * 3.0
    expected = PassiveAggressiveRegressor("pa1", C=0.05).partial_fit(X, y).coef_
    found = OnlineRegressor(C=0.05, tuning=1.0).partial_fit(X, y).coef_
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    squared = PassiveAggressiveRegressor("pa2", C=0.2, epsilon=0.0).partial_fit(X, y).coef_
    found = OnlineRegressor(loss="squared", C=0.4, tuning=1.0).partial_fit(X, y).coef_
    np.testing.assert_allclose(found, squared, rtol=1e-12)


@pytest.mark.parametrize(
    "tuning",
    [
        FixedTuning(0.7),
        SelfTuning(2.0),
        SqrtTuning(3.0, 2.0),
        RunningTuning(2.0),
        LossTuning(3.0, 2.0),
        lambda radius, n_mistakes, n_rounds=1, loss=0.0: 0.5 + n_rounds**0.5,
    ],
)
def test_c_divides_every_tuning(tuning):
    X, y = noisy()
    plain = OnlineClassifier(tuning=tuning, C=1.0, record=True).partial_fit(X[:5], y[:5])
    weighed = OnlineClassifier(tuning=tuning, C=4.0, record=True).partial_fit(X[:5], y[:5])
    assert plain.trace_.c[0] == pytest.approx(4.0 * weighed.trace_.c[0])


def test_parameters_of_a_tuning_can_be_searched():
    X, y = noisy()
    tuning = SelfTuning(2.0)
    model = OnlineClassifier(tuning=tuning).partial_fit(X[:40], y[:40])
    assert model.get_params()["tuning__U"] == 2.0
    model.set_params(tuning__U=5.0)
    assert tuning == SelfTuning(5.0)
    model.partial_fit(X[40:], y[40:])  # the run that has begun keeps its U
    whole = played(OnlineClassifier(tuning=SelfTuning(2.0)), X, y)
    np.testing.assert_array_equal(model.coef_, whole)
    with pytest.raises(ParameterError, match=r"U=-1.0, must be positive"):
        model.set_params(tuning__U=-1.0)
    with pytest.raises(ParameterError, match="SelfTuning has no parameter 'V'"):
        model.set_params(tuning__V=1.0)
    found = GridSearchCV(OnlineClassifier(tuning=SelfTuning()), {"tuning__U": [0.01, 10.0]}, cv=3)
    scores = found.fit(X, y).cv_results_["mean_test_score"]
    assert found.best_estimator_.tuning.U == found.best_params_["tuning__U"]
    assert len(scores) == 2
