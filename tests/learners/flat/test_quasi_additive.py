"""B1 to B7: Perceptron, p-norm, Winnow and their self-tuned kin."""

import numpy as np
import pytest
from learner_streams import competitors, gaussian, simplex_competitors, ternary, unit

from align.errors import ParameterError
from align.learners import (
    Entropy,
    Euclidean,
    OnlineClassifier,
    Perceptron,
    PNormPerceptron,
    QNorm,
    SelfTunedWinnow,
    SelfTuning,
    Winnow,
)
from align.learners.theory.bounds import solve_sqrt_bound


def plain(cls, *args, **params):
    return cls(*args, fit_intercept=False, **params)


def predictions(model, X, y):
    model.partial_fit(np.zeros((1, X.shape[1])), y[:1], classes=[-1, 1], sample_weight=[0.0])
    return [model.step(x, sign).prediction for x, sign in zip(X, y, strict=True)]


def self_tuned(complexity, U, margin=1.0, conservative=False, over="all", **params):
    return plain(
        OnlineClassifier,
        complexity,
        dual_step="subgradient" if conservative else "exact",
        conservative=conservative,
        tuning=SelfTuning(U, over),
        margin=margin,
        record=True,
        **params,
    )


# B2 -------------------------------------------------------------------------------------------


def test_perceptron_of_the_slides():
    """Y17: w=(-1,0), x=(.8,.6), y=+1 gives (-.2,.6)."""
    model = plain(Perceptron).partial_fit([[1.0, 0.0]], [-1], classes=[-1, 1])
    np.testing.assert_array_equal(model.coef_, [[-1.0, 0.0]])  # 0 predicts +1: a mistake
    model.step([0.8, 0.6], 1)
    np.testing.assert_allclose(model.coef_, [[-0.2, 0.6]], atol=1e-15)


@pytest.mark.parametrize("initial", ["zero", "random"])
def test_a_separate_bias_moves_as_the_constant_feature_does(initial):
    """B2 (b): ``w += rate y x, b += rate y`` on mistakes, from 0 or from a start that is drawn."""
    X, y, _ = gaussian(200, 4, 0.0, seed=5)
    X = X + 0.3
    model = Perceptron(0.5, initial=initial, random_state=2)
    model.partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
    w, b = model.coef_[0].copy(), float(model.intercept_[0])
    assert (abs(b) + np.abs(w).max() > 0.0) == (initial == "random")
    mistakes = 0
    for x, label in zip(X, y, strict=True):
        if label != (1 if w @ x + b >= 0 else -1):
            w, b, mistakes = w + 0.5 * label * x, b + 0.5 * label, mistakes + 1
    model.partial_fit(X, y)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), np.append(w, b))
    assert model.n_mistakes_ == mistakes > 0


def test_a_random_start_follows_its_seed_and_has_no_bounds():
    X, y, _ = gaussian(50, 4, 0.0, seed=5)
    first, again, other = (
        Perceptron(initial="random", random_state=seed).fit(X, y).coef_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    for params, message in (
        ({"initial": "one"}, "initial='one', must be one of zero, random"),
        ({"initial": "random", "record": True}, "proved for initial='zero'"),
    ):
        with pytest.raises(ParameterError, match=message):
            Perceptron(**params).fit(X, y)


def test_predictions_do_not_depend_on_c():
    """W6, and the rate."""
    X, y, _ = gaussian(300, 5, 0.1, seed=20)
    expected = predictions(plain(Perceptron), X, y)
    for rate in (0.125, 1.0, 8.0):
        assert predictions(plain(Perceptron, rate), X, y) == expected
    model = plain(Perceptron, 8.0).partial_fit(X, y)
    np.testing.assert_allclose(model.coef_, 8 * plain(Perceptron).partial_fit(X, y).coef_)
    expected = predictions(plain(PNormPerceptron, 3.0), X, y)
    for c in (0.1, 1.0, 10.0):
        other = plain(
            OnlineClassifier, QNorm(3.0), dual_step="subgradient", conservative=True, tuning=c
        )
        assert predictions(other, X, y) == expected


@pytest.mark.parametrize("ties", ["positive", "mistake"])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_corollary_5(noise, ties):
    X, y, u = gaussian(400, 6, noise, seed=21)
    model = plain(Perceptron, ties=ties, record=True).partial_fit(X, y)
    trace = model.trace_
    for w in competitors(u):
        assert trace.certify("Cor 5", u=w).holds
        assert trace.certify("Eq 5.2", u=w).holds
        assert trace.certify("Lemma 2", u=w).holds
        mistaken = trace.cost > 0
        lost = np.maximum(1 - y * (X @ w), 0)[mistaken].sum()
        size = np.linalg.norm(X[mistaken], axis=1).max() * np.linalg.norm(w)
        bound = solve_sqrt_bound(size, lost)
        assert model.mistake_bound(w) == pytest.approx(bound)
    assert model.n_mistakes_ == mistaken.sum() == model.n_updates_


def test_ties_are_counted_as_asked():
    X = np.zeros((3, 2))
    y = [1, 1, -1]
    assert plain(Perceptron).partial_fit(X, y, classes=[-1, 1]).n_mistakes_ == 1
    assert plain(Perceptron, ties="mistake").partial_fit(X, y, classes=[-1, 1]).n_mistakes_ == 3


def test_perceptron_on_unit_instances():
    """S4: 1 / gamma^2 where separable, + 2 TD / gamma where not."""
    X, y, u = unit(500, 4, 0.15, seed=22)
    gamma = (y * (X @ u)).min()
    assert plain(Perceptron).partial_fit(X, y).n_mistakes_ <= 1 / gamma**2
    flipped = y * np.where(np.arange(len(y)) % 9 == 0, -1, 1)
    deviation = np.maximum(gamma - flipped * (X @ u), 0).sum()
    mistakes = plain(Perceptron).partial_fit(X, flipped).n_mistakes_
    assert 0 < mistakes <= 1 / gamma**2 + 2 * deviation / gamma


def test_perceptron_of_several_classes():
    """Max-violation update: x to the right class, from the one predicted."""
    rng = np.random.default_rng(23)
    X, y = rng.normal(size=(200, 4)), rng.integers(3, size=200)
    W = np.zeros((3, 4))
    for x, r in zip(X, y, strict=True):
        s = (W @ x).argmax()
        if s != r:
            W[r] += x
            W[s] -= x
    np.testing.assert_allclose(plain(Perceptron).partial_fit(X, y).coef_, W, atol=1e-12)


# B5 -------------------------------------------------------------------------------------------


def test_p_norm_of_2_is_the_perceptron():
    """W5."""
    X, y, _ = gaussian(300, 5, 0.1, seed=24)
    left = plain(PNormPerceptron, 2.0).partial_fit(X, y).coef_
    np.testing.assert_allclose(left, plain(Perceptron).partial_fit(X, y).coef_, rtol=1e-12)


@pytest.mark.parametrize("p", [2.0, 3.0, 6.0, None])
def test_corollary_7(p):
    X, y, u = gaussian(300, 8, 0.1, seed=25)
    model = plain(PNormPerceptron, p, record=True).partial_fit(X, y)
    exponent = 2 * np.log(8) if p is None else p
    q = exponent / (exponent - 1)
    mistaken = model.trace_.cost > 0
    for w in competitors(u):
        certificate = model.trace_.certify("Cor 7", u=w)
        assert certificate.holds
        lost = np.maximum(1 - y * (X @ w), 0)[mistaken].sum()
        radius = (np.abs(X[mistaken]) ** exponent).sum(1).max() ** (1 / exponent)
        size = (np.abs(w) ** q).sum() ** (1 / q)
        expected = solve_sqrt_bound(radius * size * np.sqrt(exponent - 1), lost)
        assert certificate.right == pytest.approx(expected)


def test_p_norm_of_large_p_is_bounded_like_winnow():
    X, *_ = ternary(2000, 64, 0.0, seed=26)
    sparse = np.zeros(64)
    sparse[:3] = [1.0, 1.0, 1.0]
    y = np.where(X @ sparse >= 0.5, 1, -1)
    X = np.hstack([X, -np.ones((2000, 1))])
    w = np.append(2.0 * sparse, 1.0)  # margin 1 everywhere
    assert (y * (X @ w)).min() == 1.0
    mistakes = plain(PNormPerceptron).partial_fit(X, y).n_mistakes_
    assert mistakes <= np.e * (2 * np.log(65) - 1) * 49.0


def test_huge_scales_change_no_prediction():
    X, y, _ = gaussian(100, 5, 0.1, seed=27)
    expected = predictions(plain(PNormPerceptron, 5.0), X, y)
    assert predictions(plain(PNormPerceptron, 5.0), X * 2.0**300, y) == expected


# B3 -------------------------------------------------------------------------------------------


def test_doubled_winnow_is_signed_exponentiated_gradient():
    """W7, and the multiplicative form of the update."""
    X, y, _ = gaussian(300, 8, 0.1, seed=28)
    X[0] = 1.0  # the only tie; 1/16 is exact, and so is it
    model = plain(Winnow, 0.3).partial_fit(X, y)
    by_hand = plain(Winnow, 0.3, signed=False).partial_fit(np.hstack([X, -X]), y)
    halves = by_hand.coef_[0, :8] - by_hand.coef_[0, 8:]
    np.testing.assert_allclose(model.coef_[0], halves, atol=1e-12)
    up, down = np.ones(8), np.ones(8)
    for x, sign in zip(X, y, strict=True):
        if (1 if (up - down) @ x >= 0 else -1) != sign:
            up *= np.exp(0.3 * sign * x)
            down *= np.exp(-0.3 * sign * x)
    expected = (up - down) / (up.sum() + down.sum())
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-12)


@pytest.mark.parametrize("margin", [0.05, 0.2, 1.0])
def test_bound_of_winnow(margin):
    X, y, u = ternary(300, 5, 0.1, seed=29, doubled=True)
    for rate in (0.05, 0.5):
        model = plain(Winnow, rate, margin=margin, signed=False, record=True).partial_fit(X, y)
        mistaken = model.trace_.cost > 0
        for w in simplex_competitors(10, u):
            assert model.trace_.certify("Eq 5.2", u=w).holds
            lost = np.maximum(margin - y * (X @ w), 0)[mistaken].sum()
            paid = np.abs(X[mistaken]).max() ** 2 * mistaken.sum() * rate / 2
            assert margin * mistaken.sum() <= np.log(10) / rate + paid + lost + 1e-9
            assert model.mistake_bound(w) >= model.n_mistakes_ - 1e-9


def test_r_of_k():
    """5.1.2: M <= 8 (r + k - 1/2)^2 ln n, with the c of the separable case."""
    n, r, k = 64, 2, 4
    rng = np.random.default_rng(30)
    X = np.hstack([rng.integers(2, size=(1500, n - 1)), -np.ones((1500, 1))]).astype(float)
    y = np.where(X[:, :k].sum(1) >= r, 1, -1)
    total = r + k - 0.5
    u = np.zeros(n)
    u[:k], u[-1] = 1 / total, (r - 0.5) / total
    gamma = 0.5 / total
    assert (y * (X @ u)).min() == pytest.approx(gamma)
    model = plain(Winnow, rate=gamma, margin=gamma, signed=False).partial_fit(X, y)
    assert 0 < model.n_mistakes_ <= 2 * np.log(n) / gamma**2
    assert 2 * np.log(n) / gamma**2 == pytest.approx(8 * total**2 * np.log(n))


def test_winnow_of_one_weight_and_of_large_values():
    one = plain(Winnow, signed=False).partial_fit([[1.0], [-2.0]], [-1, -1], classes=[-1, 1])
    np.testing.assert_array_equal(one.coef_, [[1.0]])
    self_tuning = plain(SelfTunedWinnow, signed=False)
    self_tuning.partial_fit([[1.0], [-2.0]], [-1, -1], classes=[-1, 1])
    np.testing.assert_array_equal(self_tuning.coef_, [[1.0]])
    X, y, _ = gaussian(100, 4, 0.2, seed=31)
    large = plain(Winnow, 1e4).partial_fit(X, y)
    assert np.isfinite(large.coef_).all()
    assert np.abs(large.coef_).sum() <= 1 + 1e-12


# B6 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["all", "mistakes"])
@pytest.mark.parametrize("margin", [0.05, 0.2, 1.0])
def test_corollary_6(margin, scale):
    X, y, u = ternary(300, 5, 0.1, seed=32, doubled=True)
    X *= np.random.default_rng(0).choice([0.5, 1.0, 2.0], size=(300, 1))
    model = plain(SelfTunedWinnow, scale=scale, margin=margin, signed=False, record=True)
    trace = model.partial_fit(X, y).trace_
    assert (np.diff(trace.c) >= 0).all() or scale == "mistakes"
    for w in simplex_competitors(10, u):
        certificate = trace.certify("Cor 6", u=w)
        assert certificate.holds
        over = trace.cost > 0 if scale == "mistakes" else slice(None)
        lost = np.maximum(margin - y * (X @ w), 0)[trace.cost > 0].sum() / margin
        reach = 2 * np.abs(X[over]).max() * np.sqrt(np.log(10)) / margin
        assert certificate.right == pytest.approx(solve_sqrt_bound(reach, lost))


def test_the_counterexample_to_corollary_6_as_printed():
    X = np.tile([1.0, -0.5, -0.5, -0.5], (3001, 1))
    X[0] = [1e4, 0.0, 0.0, 0.0]
    y = np.ones(3001, dtype=int)
    printed = 4 * np.log(4)  # X = 1 over the mistakes; u = e_1, gamma = 1, no loss
    for scale in ("all", "mistakes"):
        model = plain(SelfTunedWinnow, scale=scale, signed=False, record=True)
        model.partial_fit(X, y, classes=[-1, 1])
        certificate = model.trace_.certify("Cor 6", u=[1.0, 0.0, 0.0, 0.0])
        assert certificate.holds
        if scale == "all":
            assert model.n_mistakes_ == 3000 > printed
            assert certificate.right == pytest.approx(1e8 * printed)
        else:
            assert model.n_mistakes_ <= printed
            assert certificate.right == pytest.approx(printed)


def test_self_tuned_winnow_is_the_figure():
    """Fig. 5.2, word for word; and Y13, its c."""
    X, y, _ = ternary(200, 8, 0.2, seed=33)
    model = plain(SelfTunedWinnow, signed=False, record=True).partial_fit(X, y)
    v, largest, m = np.zeros(8), 0.0, 0
    for t, (x, sign) in enumerate(zip(X, y, strict=True)):
        largest = max(largest, np.abs(x).max())
        c = largest * np.sqrt((m + 1) / np.log(8))
        assert model.trace_.c[t] == pytest.approx(c)
        w = np.exp(v / c)
        if (1 if w @ x / w.sum() >= 0 else -1) != sign:
            v += sign * x
            m += 1
    assert model.n_mistakes_ == m
    assert SelfTuning(U=np.log(8))(2.0, 3) == pytest.approx(2.77386, abs=2e-5)


@pytest.mark.parametrize(("signed", "weights"), [(True, 16), (False, 8)])
def test_self_tuned_winnow_knows_how_many_weights_there_are(signed, weights):
    X, y, _ = ternary(20, 8, 0.2, seed=33)
    model = plain(SelfTunedWinnow, signed=signed, record=True).partial_fit(X, y)
    assert model.trace_.c[0] == pytest.approx(np.abs(X[0]).max() / np.sqrt(np.log(weights)))


def test_forced_steps_of_the_aggressive_learner_are_self_tuned_winnow():
    """W8."""
    X, y, _ = ternary(200, 8, 0.2, seed=34)
    left = self_tuned(Entropy(), np.log(8), conservative=True).partial_fit(X, y)
    right = plain(SelfTunedWinnow, signed=False).partial_fit(X, y)
    np.testing.assert_array_equal(left.coef_, right.coef_)


# B7 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_theorem_6_euclidean(noise):
    X, y, u = gaussian(400, 5, noise, seed=35)
    for U in (0.5, 2.0):
        trace = self_tuned(Euclidean(), U).partial_fit(X, y).trace_
        assert (np.diff(trace.c) >= 0).all()
        assert ((trace.alpha >= 0) & (trace.alpha <= 1)).all()
        for w in competitors(u):
            w = w * min(1.0, np.sqrt(2 * U) / max(np.linalg.norm(w), 1e-300))
            certificate = trace.certify("Thm 6", u=w)
            assert certificate.holds
            lost = np.maximum(1 - y * (X @ w), 0).sum()
            reach = 2 * np.linalg.norm(X, axis=1).max() * np.sqrt(U)
            assert certificate.right == pytest.approx(solve_sqrt_bound(reach, lost))
            assert trace.certify("Lemma 2", u=w).holds
            assert trace.certify("weak duality", u=w).holds


@pytest.mark.parametrize("complexity", [Entropy(), QNorm(4.0)], ids=str)
def test_theorem_6_beyond_euclid(complexity):
    X, y, u = ternary(150, 5, 0.1, seed=36, doubled=True)
    U = np.log(10) if complexity == Entropy() else 3.0
    trace = self_tuned(complexity, U, margin=0.3).partial_fit(X, y).trace_
    for w in simplex_competitors(10, u):
        if complexity.value(w) <= U:
            for bound in ("Thm 6", "Lemma 2", "weak duality"):
                assert trace.certify(bound, u=w).holds, bound


@pytest.mark.parametrize("n", [4, 16, 64])
def test_theorem_6_bites_where_every_feature_is_a_surprise(n):
    """Each example has a feature of its own: n mistakes of at most 2 n, and closed-form steps."""
    X, y = np.vstack([np.eye(n)] * 5), -np.ones(5 * n, dtype=int)
    trace = self_tuned(Euclidean(), n / 2).partial_fit(X, y, classes=[-1, 1]).trace_
    mistakes = np.minimum(np.arange(5 * n), n)
    np.testing.assert_allclose(trace.c, np.sqrt((mistakes + 1) / (n / 2)))
    np.testing.assert_allclose(trace.alpha[:n], np.minimum(1.0, trace.c[:n]))
    certificate = trace.certify("Thm 6", u=-np.ones(n))
    print(f"\nmistakes {certificate.left:.0f}, bound {certificate.right:.2f}, rounds {5 * n}")
    assert certificate.left == n
    assert certificate.right == pytest.approx(2 * n)


@pytest.mark.parametrize("complexity", [Euclidean(), QNorm(4.0), Entropy()], ids=str)
def test_theorem_6_bites_on_the_labels_of_an_adversary(complexity):
    """Whatever is predicted is wrong: all rounds are mistakes, and the bound is not far above."""
    n, T, margin = 8, 300, 0.3
    rng = np.random.default_rng(38)
    entropic = complexity == Entropy()
    U = np.log(2 * n) if entropic else 0.5
    model = self_tuned(complexity, U, margin=margin)
    X = rng.choice([-0.1, 0.0, 0.1], size=(T, n))
    X[np.arange(T), rng.integers(n, size=T)] = 0.2
    X = np.hstack([X, -X]) if entropic else X
    model.partial_fit(np.zeros((1, X.shape[1])), [1], classes=[-1, 1], sample_weight=[0.0])
    y = [-1 if model.decision_function(x[None])[0] >= 0 else 1 for x in X[:1]]
    model.step(X[0], y[0])
    for x in X[1:]:
        y.append(-1 if model.decision_function(x[None])[0] >= 0 else 1)
        model.step(x, y[-1])
    u = np.full(X.shape[1], 1 / X.shape[1]) if entropic else np.zeros(n)
    certificate = model.trace_.certify("Thm 6", u=u)
    lost = np.maximum(margin - np.array(y) * (X @ u), 0).sum() / margin
    reach = 2 * complexity.dual_norm(X).max() * np.sqrt(U) / margin
    print(f"\nmistakes {certificate.left:.0f}, bound {certificate.right:.1f}")
    assert certificate.right == pytest.approx(solve_sqrt_bound(reach, lost))
    assert 0.5 * certificate.right <= certificate.left <= certificate.right


def test_the_step_gives_the_margin_or_stops_at_1():
    X, y, _ = ternary(150, 5, 0.1, seed=37, doubled=True)
    model = self_tuned(Entropy(), np.log(10), margin=0.3)
    model.partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
    full = part = 0
    for x, sign in zip(X, y, strict=True):
        played = model.step(x, sign)
        if 0 < played.alpha < 1:
            v, c = model._run.v, model._run.c
            assert sign * Entropy().link(v / c) @ x == pytest.approx(0.3, abs=1e-9)
            part += 1
        full += played.alpha == 1.0
    assert full > 0
    assert part > 0
