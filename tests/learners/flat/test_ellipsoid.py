"""G1 to G4: the ellipsoid facts, CELLIP and IELLIP."""

import numpy as np
import pytest
import scipy.sparse as sp
from learners.naive import iellip
from sklearn.exceptions import ConvergenceWarning

from align.errors import ParameterError
from align.learners import CELLIP, IELLIP, cellip_bound, cut_ellipsoid, iellip_bound


def plain(cls, **params):
    """An estimator that takes instances as they are, for comparison with the formulas."""
    return cls(average=False, normalize=None, fit_intercept=False, shuffle=False, **params)


def separable(rng, gamma, m, n):
    """Stream G4: unit instances that a unit vector u separates with margin gamma."""
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(20 * m, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X @ u) >= gamma][:m]
    return X, np.where(X @ u > 0, 1, -1), u


# G1 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", ["s3", "deep"])
def test_cut_covers_what_it_keeps(cut):
    rng = np.random.default_rng(61)
    for n in (2, 3, 6):
        A = rng.normal(size=(n, n))
        P, w, h = A @ A.T + 0.1 * np.eye(n), rng.normal(size=n), rng.normal(size=n)
        for alpha in (0.0, 0.3, 0.9):
            target = h @ w + alpha * np.sqrt(h @ P @ h)
            centre, shape = cut_ellipsoid(w, P, h, target, cut=cut)
            ball = rng.normal(size=(4000, n))
            ball /= np.linalg.norm(ball, axis=1, keepdims=True)
            ball *= rng.random((4000, 1)) ** (1 / n)
            points = w + ball @ np.linalg.cholesky(P).T
            kept = points[points @ h >= target]
            distance = np.einsum(
                "ij,ij->i", kept - centre, np.linalg.solve(shape, (kept - centre).T).T
            )
            assert (distance <= 1 + 1e-9).all()
            # Volume ratio mu^(n-1) (1 - alpha - tau).
            tau = 0.0 if cut == "s3" else (1 - alpha) / (n + 1)
            mu2 = 1 - alpha**2 if cut == "s3" else n**2 * (1 - alpha**2) / (n**2 - 1)
            ratio = (np.linalg.slogdet(shape)[1] - np.linalg.slogdet(P)[1]) / 2
            expected = (n - 1) / 2 * np.log(mu2) + np.log(1 - alpha - tau)
            np.testing.assert_allclose(ratio, expected, atol=1e-9)


def test_deep_cut_through_the_centre_is_the_classical_step():
    """W24, Eq. 1."""
    rng = np.random.default_rng(62)
    for n in (2, 5):
        A = rng.normal(size=(n, n))
        P, w, h = A @ A.T + np.eye(n), rng.normal(size=n), rng.normal(size=n)
        centre, shape = cut_ellipsoid(w, P, h, h @ w, cut="deep")
        hPh, Ph = h @ P @ h, P @ h
        np.testing.assert_allclose(centre, w + Ph / ((n + 1) * np.sqrt(hPh)), rtol=1e-12)
        classical = n**2 / (n**2 - 1) * (P - 2 * np.outer(Ph, Ph) / ((n + 1) * hPh))
        np.testing.assert_allclose(shape, classical, rtol=1e-12, atol=1e-12)


def test_deep_cut_is_the_smaller():
    shapes = [
        cut_ellipsoid(np.zeros(4), np.eye(4), np.ones(4), 0.3, cut=c)[1] for c in ("s3", "deep")
    ]
    assert np.linalg.det(shapes[1]) < np.linalg.det(shapes[0])


def test_inverse_of_the_cut():
    """P+^-1 = P^-1 / (1 - alpha^2) + 2 alpha / ((1 - alpha^2) (1 - alpha)) g g'."""
    rng = np.random.default_rng(63)
    A, w, h = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    P, alpha = A @ A.T + np.eye(3), 0.4
    g = h / np.sqrt(h @ P @ h)
    _, shape = cut_ellipsoid(w, P, h, h @ w + alpha * np.sqrt(h @ P @ h))
    expected = np.linalg.inv(P) / (1 - alpha**2)
    expected += 2 * alpha / ((1 - alpha**2) * (1 - alpha)) * np.outer(g, g)
    np.testing.assert_allclose(np.linalg.inv(shape), expected, rtol=1e-9)


# G2 -----------------------------------------------------------------------------------------


def started(model, w, P):
    """Put a learner into a given state."""
    model.start(len(w), [-1, 1])
    model._W[0] = w
    model._shape = np.array(P, dtype=float)
    return model


@pytest.mark.parametrize("sparse", [False, True])
def test_golden_cellip(sparse):
    """Y11."""
    model = started(plain(CELLIP, gamma=0.3, representation="dense"), [0.2, 0], np.diag([1, 4]))
    X = np.array([[-0.6, 0.8]])
    model.partial_fit(sp.csr_matrix(X) if sparse else X, [1])
    np.testing.assert_allclose(model.coef_[0], [0.14452055, 0.29589041], atol=1e-8)
    expected = [[0.94222991, 0.17495644], [0.17495644, 2.96703596]]
    np.testing.assert_allclose(model.shape_matrix_, expected, atol=1e-8)
    model = started(plain(CELLIP, gamma=0.3, representation="dense"), [0.2, 0], np.diag([1, 4]))
    played = model.step(X[0], 1)
    np.testing.assert_allclose(played.alpha, 0.15800555, atol=1e-8)
    assert played.updated
    assert played.prediction == -1


@pytest.mark.parametrize("cut", ["s3", "deep"])
@pytest.mark.parametrize("gamma", [0.05, 0.1, 0.3])
def test_cellip_bound(gamma, cut):
    rng = np.random.default_rng(64)
    for a in (0.1, 0.5, 0.8):
        X, y, u = separable(rng, gamma, 400, 4)
        model = plain(CELLIP, gamma=gamma, a=a, cut=cut, representation="dense")
        r = 1 + (1 - a) * gamma
        model.start(4, [-1, 1])
        product = 1.0
        sphere = rng.normal(size=(200, 4))
        sphere *= (1 - a) * gamma / np.linalg.norm(sphere, axis=1, keepdims=True)
        for x, sign in zip(X, y, strict=True):
            before = np.linalg.slogdet(model.shape_matrix_)[1]
            played = model.step(x, sign)
            if not played.updated:
                continue
            assert 0 < played.alpha <= 1
            # The ball of radius (1-a) gamma around u stays inside.
            away = u + sphere - model.coef_[0]
            inside = np.einsum("ij,ij->i", away, np.linalg.solve(model.shape_matrix_, away.T).T)
            assert (inside <= 1 + 1e-7).all()
            if cut == "s3":
                assert played.alpha >= a * gamma / r * product * (1 - 1e-9)
                product /= np.sqrt(1 - played.alpha**2)
                volume = 3 * np.log(1 - played.alpha**2) + 2 * np.log(1 - played.alpha)
                after = np.linalg.slogdet(model.shape_matrix_)[1]
                np.testing.assert_allclose(after - before, volume, atol=1e-8)
        assert model.n_clipped_ == 0
        assert (
            model.n_mistakes_ <= model.mistake_bound() == cellip_bound(gamma, a, sharp=cut == "s3")
        )
        assert cellip_bound(gamma, a, sharp=True) <= cellip_bound(gamma, a)


@pytest.mark.parametrize("n", [16, 64])
@pytest.mark.parametrize("a", [0.8, 0.95])
def test_the_sharper_cellip_bound_bites(n, a):
    """Unit vectors, one after the other: n mistakes, and depths in closed form.

    Each is at a right angle to what was learned, so that P shrinks by 1 - alpha^2 along all that
    are to come: alpha^2 = beta^2 / (1 - t beta^2), the least that the proof allows.
    """
    gamma = n**-0.5
    model = plain(CELLIP, gamma=gamma, a=a, representation="dense").start(n, [-1, 1])
    beta = a * gamma / (1 + (1 - a) * gamma)
    for t, x in enumerate(np.eye(n)):
        played = model.step(x, 1)
        assert played.alpha == pytest.approx(beta / np.sqrt(1 - t * beta**2))
        assert played.cost == 1
    for x in np.eye(n):
        model.step(x, 1)
    sharp, printed = cellip_bound(gamma, a, sharp=True), cellip_bound(gamma, a)
    print(f"\nmistakes {model.n_mistakes_}, bounds {sharp:.1f} and {printed:.0f} as printed")
    assert n <= model.n_mistakes_ <= sharp <= 1.8 * n
    assert sharp < printed


def test_first_ellipsoid_has_the_square():
    """The print lacks it, and the ball around u would stick out."""
    model = plain(CELLIP, gamma=0.5, a=0.5).start(3, [0, 1])
    np.testing.assert_allclose(model.shape_matrix_, 1.25**2 * np.eye(3))


def test_low_rank_ends_where_a_matrix_is_no_larger():
    """And both agree with what was dense from the start."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 30))
    y = (X @ rng.normal(size=30) > 0).astype(int)
    models = []
    for representation in ("low-rank", "dense"):
        model = CELLIP(0.01, representation=representation, fit_intercept=False)
        models.append(model.partial_fit(X[:60], y[:60]))
        assert model._low_rank == (representation == "low-rank")
        model.partial_fit(X[60:], y[60:])
        assert model.n_updates_ > 30
        assert not model._low_rank
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-7)
    np.testing.assert_allclose(
        models[0].shape_matrix_, models[1].shape_matrix_, atol=1e-7 * models[1].shape_matrix_.max()
    )


def test_memory_is_bounded_with_a_word_of_what_to_do():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 100)), np.arange(300) % 2
    limit = 8 * 101 * 20
    model = CELLIP(0.01, representation="low-rank", max_memory=limit)
    with pytest.raises(ParameterError, match="the vectors of 21 updates of n=101 weights take"):
        model.partial_fit(X, y)
    assert model.n_updates_ == 20
    assert model._shape.nbytes <= limit
    assert np.isfinite(model.coef_).all()
    with pytest.raises(ParameterError, match=r"a dense P of n=101 weights take 8\.16e-05 GB"):
        CELLIP(0.01, representation="dense", max_memory=limit).fit(X, y)
    with pytest.raises(ParameterError, match="max_memory=0, must be a positive number"):
        CELLIP(max_memory=0).fit(X, y)
    IELLIP(0.01, b=0.1, max_memory=limit).fit(X, y)  # its updates fade before that


def test_cellip_on_data_that_breaks_its_promise():
    rng = np.random.default_rng(65)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[::7] *= -1
    with pytest.warns(ConvergenceWarning, match="contradict a margin of gamma=0.3"):
        model = CELLIP(gamma=0.3, epochs=3, random_state=0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.n_clipped_ > 0
    assert (model.predict(X) == y).mean() > 0.6


# G3 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("representation", ["dense", "low-rank"])
def test_golden_iellip(representation):
    """Y12; the low-rank form starts from p I, so its P = diag(1, 4) is 4 (I - q q')."""
    model = plain(IELLIP, gamma=0.3, c=0.1, scale=4.0, representation=representation)
    if representation == "dense":
        started(model, [0.2, 0], np.diag([1, 4]))
    else:
        model.start(2, [-1, 1])
        model._W[0] = [0.2, 0]
        model._shape[0] = [np.sqrt(3), 0]
        model._counts[3] = 1
    played = model.step([-0.6, 0.8], 1)
    np.testing.assert_allclose(played.alpha, 0.24578641, atol=1e-8)
    np.testing.assert_allclose(model.coef_[0], [0.11369863, 0.46027397], atol=1e-8)
    expected = [[1.09741248, 0.07305936], [0.07305936, 4.05479452]]
    np.testing.assert_allclose(model.shape_matrix_, expected, atol=1e-8)


def noisy(rng, m, n):
    X = rng.normal(size=(m, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    y = np.where(X @ u > 0, 1, -1)
    return X, np.where(rng.random(m) < 0.1, -y, y), u


@pytest.mark.parametrize(("b", "c"), [(0.3, 0.1), (0.6, 0.3), (0.9, 0.05), (0.0, 0.5)])
def test_dense_low_rank_and_any_scale_agree(b, c):
    """W25, against the algorithm word for word."""
    rng = np.random.default_rng(66)
    X, y, _ = noisy(rng, 400, 6)
    *_, last = iellip(X, y, 0.2, b, c)
    models = [
        plain(IELLIP, gamma=0.2, b=b, c=c, scale=p, representation=r).partial_fit(data, y)
        for r, p in (("dense", 1.0), ("low-rank", 1.0), ("dense", 0.1), ("low-rank", 37.0))
        for data in (X, sp.csr_matrix(X))
    ]
    for model in models:
        np.testing.assert_allclose(model.coef_[0], last[0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            model.shape_matrix_ / model.scale, last[1], rtol=1e-9, atol=1e-9
        )
        assert model.n_mistakes_ == models[0].n_mistakes_


def test_recursions():
    """The margin asked for, Eq 15, and how far u is after a step (G3)."""
    rng = np.random.default_rng(67)
    X, y, u = noisy(rng, 200, 5)
    gamma, b, c = 0.2, 0.7, 0.2
    model = plain(IELLIP, gamma=gamma, b=b, c=c, representation="dense").start(5, [-1, 1])
    updates = 0
    for x, sign in zip(X, y, strict=True):
        z, w, P = sign * x, model.center_[0].copy(), model.shape_matrix_.copy()
        played = model.step(x, sign)
        if not played.updated:
            continue
        w1, P1, share = model.center_[0], model.shape_matrix_, c * b**updates
        np.testing.assert_allclose(w1 @ z, gamma, atol=1e-12)
        g, inverse = z / np.sqrt(z @ P @ z), np.linalg.inv(P)
        expected = (1 - share) * inverse + share * np.outer(g, g)
        np.testing.assert_allclose(np.linalg.inv(P1), expected, atol=1e-9)
        q, ge = (u - w) @ inverse @ (u - w), g @ (u - w)
        q1 = (u - w1) @ np.linalg.inv(P1) @ (u - w1)
        expected = (1 - share) * q + played.alpha**2 + share * ge**2 - 2 * played.alpha * ge
        np.testing.assert_allclose(q1, expected, atol=1e-9)
        updates += 1
    assert updates > 20


def test_without_c_it_is_passive_aggressive_on_mistakes():
    """W26."""
    rng = np.random.default_rng(68)
    X, y, _ = noisy(rng, 300, 5)
    X *= rng.uniform(0.3, 3, size=(300, 1))
    model = plain(IELLIP, gamma=0.2, c=0.0).partial_fit(X, y)
    w = np.zeros(5)
    for x, sign in zip(X, y, strict=True):
        if sign * (w @ x) <= 0:
            w += (0.2 - sign * (w @ x)) / (x @ x) * sign * x
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.shape_matrix_, np.eye(5))


def mistaken_losses(X, y, gamma, b, c, u):
    states = list(iellip(X, y, gamma, b, c))[:-1]
    return [max(gamma - u @ z, 0) for *_, z in states]


@pytest.mark.parametrize("gamma", [0.1, 0.3])
def test_iellip_bound(gamma):
    rng = np.random.default_rng(69)
    for b, share in ((0.3, 1.0), (0.0, 0.5), (0.6, 0.9)):
        c = min(share * 2 * gamma / (1 + gamma), 0.99 * (1 - b))
        for X, y, u in (noisy(rng, 800, 4), separable(rng, gamma, 400, 4)):
            for v in (u, -u, *rng.normal(size=(3, 4))):
                v = v / np.linalg.norm(v)
                losses = mistaken_losses(X, y, gamma, b, c, v)
                model = plain(IELLIP, gamma=gamma, b=b, c=c).partial_fit(X, y)
                assert model.n_mistakes_ == len(losses)
                assert len(losses) <= model.mistake_bound(losses) * (1 + 1e-9) + 1e-9


def adversary(gamma, c, n, rounds, rng, top=0.9):
    """Greedy adversary: unit x with <u, x> >= gamma and <w, x> = 0 that hurts the most."""
    u = np.eye(n)[0]
    model = plain(IELLIP, gamma=gamma, b=0.0, c=c, representation="dense").start(n, [-1, 1])
    for _ in range(rounds):
        w, P = model.center_[0], model.shape_matrix_
        rest = w.copy()
        rest[0] = 0
        candidates = []
        for lift in np.linspace(gamma, top, 30):
            side = rng.normal(size=(30, n))
            side[:, 0] = 0
            along = np.zeros(n)
            size = np.linalg.norm(rest)
            if size > 1e-12:  # choose what lies along w so that the margin is just not positive
                side -= np.outer(side @ rest, rest) / size**2
                along = -(lift * w[0] + 1e-9) / size**2 * rest
            left = 1 - lift**2 - along @ along
            if left < 0:
                continue
            side /= np.linalg.norm(side, axis=1, keepdims=True)
            candidates.append(lift * u + along + np.sqrt(left) * side)
        if not candidates:
            break
        X = np.concatenate(candidates)
        s = np.sqrt(np.einsum("ij,jk,ik->i", X, P, X))
        alpha, ge = (gamma - X @ w) / s, (X @ (u - w)) / s
        ct = c if model.n_updates_ == 0 else 0.0  # b = 0: only the first update changes P
        q = (u - w) @ np.linalg.solve(P, u - w)
        hurt = (1 - ct) * q + alpha**2 + ct * ge**2 - 2 * alpha * ge
        if not model.step(X[hurt.argmax()], 1).updated:
            break
    return model.n_mistakes_


@pytest.mark.parametrize("model", [CELLIP(gamma=0.01), IELLIP(gamma=0.5)], ids=type)
def test_a_bound_is_about_the_parameters_of_the_run(model):
    X, y = [[1.0, 0.0], [0.0, 1.0]], [0, 1]
    bound = model.mistake_bound()
    assert model.fit(X, y).set_params(gamma=0.9).mistake_bound() == bound
    assert model.fit(X, y).mistake_bound() < bound / 2.0


def test_corrected_condition_on_c():
    """With a large c the printed theorem fails even on separable data, with a small one not."""
    rng = np.random.default_rng(70)
    gamma = 0.2
    assert adversary(gamma, 0.9, 4, 200, rng) > 1 / gamma**2
    assert adversary(gamma, 2 * gamma / (1 + gamma), 4, 200, rng) <= 1 / gamma**2 + 1e-9
    with pytest.raises(ParameterError, match="beyond, no bound holds"):
        iellip_bound(gamma, 0.0, 0.9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cellip_bound(2.0), "gamma=2.0, must lie in"),
        (lambda: cellip_bound(float("nan")), "gamma=nan, must lie in"),
        (lambda: cellip_bound(0.5, 1.0), "a=1.0, must lie in"),
        (lambda: iellip_bound(0.0, 0.3, 0.0), "gamma=0.0, must lie in"),
        (lambda: iellip_bound(0.5, 1.2, -0.3), "b=1.2, c=-0.3, must lie in"),
    ],
)
def test_bounds_of_what_no_learner_can_have(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_decay_by_rounds():
    rng = np.random.default_rng(71)
    X, y, _ = noisy(rng, 50, 4)
    model = plain(IELLIP, gamma=0.2, b=0.9, c=0.05, decay="rounds", representation="dense")
    model.partial_fit(X, y)
    w, P = np.zeros(4), np.eye(4)
    for t, (x, sign) in enumerate(zip(X, y, strict=True)):
        if sign * (w @ x) <= 0:
            c, s = 0.05 * 0.9**t, np.sqrt(x @ P @ x)
            Pg = P @ (sign * x / s)
            w = w + (0.2 - sign * (w @ x)) / s * Pg
            P = (P - c * np.outer(Pg, Pg)) / (1 - c)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-10)
    np.testing.assert_allclose(model.shape_matrix_, P, atol=1e-10)


# G4 -----------------------------------------------------------------------------------------


def two_blocks(cls, **params):
    """The multiclass form with K = 2, which the estimator itself never uses."""
    model = plain(cls, **params)
    model.start(5, [0, 1, 2])
    model.classes_ = np.array([0, 1])
    model._W, model._late = np.zeros((2, 2, 5))
    model._row_relevant = np.zeros((1, 2), dtype=bool)
    if model._low_rank:
        model._shape = np.zeros((16, 10))
    else:
        model._shape = model._first_scale() * np.eye(10)
    return model


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("representation", ["dense", "low-rank"])
@pytest.mark.parametrize("cls", [CELLIP, IELLIP])
def test_two_classes_are_the_binary_form_on_a_scaled_instance(cls, representation):
    """W27."""
    rng = np.random.default_rng(72)
    X, y, _ = separable(rng, 0.1, 300, 5)
    X = X * np.sqrt(0.5)
    params = {"gamma": 0.05, "representation": representation}
    binary = plain(cls, **params).start(5, [0, 1])
    blocks = two_blocks(cls, **params)
    relevant = np.stack([y < 0, y > 0], axis=1)
    for x, sign, on in zip(X, y, relevant, strict=True):
        one, two = binary.step(np.sqrt(2) * x, int(sign > 0)), blocks.step(x, on)
        assert one.updated == two.updated
        np.testing.assert_allclose(one.alpha, two.alpha, atol=1e-9)
    difference = (blocks._W[1] - blocks._W[0]) / np.sqrt(2)
    np.testing.assert_allclose(difference, binary.coef_[0], atol=1e-9)


def test_multiclass_is_the_formula():
    rng = np.random.default_rng(73)
    K, n = 4, 5
    X = rng.normal(size=(200, n))
    y = (X @ rng.normal(size=(n, K))).argmax(1)
    for representation in ("dense", "low-rank"):
        model = plain(IELLIP, gamma=0.2, representation=representation)
        model.partial_fit(X, y, classes=range(K))
        w, P, j = np.zeros((K, n)), np.eye(K * n), 0
        for x, label in zip(X, y, strict=True):
            scores = w @ x
            other = scores.copy()
            other[label] = -np.inf
            if scores[label] - other.max() > 0:
                continue
            z = np.zeros((K, n))
            z[label], z[other.argmax()] = x, -x
            z = z.ravel()
            c, s = 0.1 * 0.3**j, np.sqrt(z @ P @ z)
            Pg = P @ z / s
            w = w + ((0.2 - z @ w.ravel()) / s * Pg).reshape(K, n)
            P = (P - c * np.outer(Pg, Pg)) / (1 - c)
            j += 1
        np.testing.assert_allclose(model.coef_, w, atol=1e-9)
        np.testing.assert_allclose(model.shape_matrix_, P, atol=1e-9)
        assert model.n_updates_ == j


def test_multilabel():
    rng = np.random.default_rng(74)
    X = rng.normal(size=(300, 6))
    scores = X @ rng.normal(size=(6, 4))
    Y = (scores > 0.5).astype(int)
    Y[0], Y[1] = 0, 1  # empty and full: skipped
    for model in (IELLIP(epochs=5, random_state=0), CELLIP(gamma=0.01, epochs=5, random_state=0)):
        with np.errstate(all="raise"):
            try:
                model.fit(X, Y)
            except ConvergenceWarning:
                continue
        ranked = model.decision_function(X)
        assert ranked.shape == (300, 4)
        mixed = Y.any(1) & ~Y.all(1)
        best = ranked.argmax(1)[mixed]
        assert (Y[mixed][np.arange(best.size), best] == 1).mean() > 0.9
    one = IELLIP().start(6, range(4))
    assert not one.step(X[0], Y[0]).updated
    assert not one.step(X[1], Y[1]).updated
    assert one.n_mistakes_ == 0


# Estimator ------------------------------------------------------------------------------------


@pytest.mark.parametrize("normalize", ["unit", "max", None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_chunks_steps_and_sparse_agree(normalize, n_classes):
    rng = np.random.default_rng(75)
    X = rng.normal(size=(120, 6)) * (rng.random((120, 6)) < 0.6)
    X[5] = 0
    y = (X @ rng.normal(size=(6, n_classes))).argmax(1)
    params = {"gamma": 0.2, "normalize": normalize}
    whole = IELLIP(**params).partial_fit(X, y, classes=range(n_classes))
    parts = IELLIP(**params)
    for i in range(0, 120, 17):
        parts.partial_fit(X[i : i + 17], y[i : i + 17], classes=range(n_classes))
    sparse = IELLIP(**params).partial_fit(sp.csr_matrix(X), y, classes=range(n_classes))
    stepped = IELLIP(**params).start(6, range(n_classes))
    rounds = [stepped.step(x, label) for x, label in zip(X, y, strict=True)]
    for other in (parts, sparse, stepped):
        np.testing.assert_allclose(other.coef_, whole.coef_, atol=1e-10)
        np.testing.assert_allclose(other.intercept_, whole.intercept_, atol=1e-10)
        assert other.n_mistakes_ == whole.n_mistakes_
    assert sum(r.updated for r in rounds) == whole.n_updates_
    assert sum(r.cost for r in rounds) == whole.n_mistakes_
    guess = IELLIP(average=False, **params).start(6, range(n_classes))
    for x, label, played in zip(X, y, rounds, strict=True):
        assert played.prediction == guess.predict(x[None])[0]
        guess.step(x, label)
    np.testing.assert_allclose(sum(r.loss for r in rounds), whole.cumulative_loss_)
    assert whole.n_rounds_ == 120


@pytest.mark.parametrize(("n_classes", "length"), [(2, 1.0), (4, 0.5**0.5)])
def test_normalized_rows_are_rows_of_that_length(n_classes, length):
    """The z of several classes has the norm of x in two blocks, so its x is shorter."""
    rng = np.random.default_rng(81)
    X, rows = rng.normal(size=(80, 5)), range(n_classes)
    y = (X @ rng.normal(size=(5, n_classes))).argmax(1)
    X[3] = 0.0
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    options = {"gamma": 0.2, "fit_intercept": False, "average": False}
    whole = IELLIP(normalize="unit", **options).partial_fit(X, y, classes=rows)
    scaled = length * X / np.where(norms > 0, norms, 1.0)
    by_hand = IELLIP(normalize=None, **options).partial_fit(scaled, y, classes=rows)
    np.testing.assert_allclose(whole.coef_, by_hand.coef_, atol=1e-9)
    largest = length * X / np.maximum.accumulate(norms)
    by_hand = IELLIP(normalize=None, **options).partial_fit(largest, y, classes=rows)
    running = IELLIP(normalize="max", **options).partial_fit(X, y, classes=rows)
    np.testing.assert_allclose(running.coef_, by_hand.coef_, atol=1e-9)
    before = whole.coef_.copy()
    assert not whole.step(np.zeros(5), 0).updated
    np.testing.assert_array_equal(whole.coef_, before)


def test_average_is_the_mean_of_the_hypotheses():
    rng = np.random.default_rng(76)
    X = rng.normal(size=(60, 3))
    y = rng.integers(0, 3, 60)
    for cls in (CELLIP, IELLIP):
        model = cls(gamma=0.01).start(3, [0, 1, 2])
        total = np.zeros((3, 4))
        for x, label in zip(X, y, strict=True):
            total += model.center_
            model.step(x, label)
        np.testing.assert_allclose(model.coef_, total[:, :3] / 60, atol=1e-12)
        np.testing.assert_allclose(model.intercept_, total[:, 3] / 60, atol=1e-12)


def test_zero_instance_is_a_mistake_without_a_step():
    for cls in (CELLIP, IELLIP):
        model = plain(cls).partial_fit(np.zeros((3, 2)), [0, 1, 0])
        assert (model.n_mistakes_, model.n_updates_) == (3, 0)
        np.testing.assert_array_equal(model.coef_, 0)


def test_learns_digits_like_a_linear_model():
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    model = IELLIP(epochs=3, random_state=0).fit(X[:1200], y[:1200])
    assert model._low_rank
    assert (model.predict(X[1200:]) == y[1200:]).mean() > 0.88


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CELLIP(gamma=0.0), r"gamma=0.0, must lie in \(0, 1\]"),
        (CELLIP(a=0.0), r"a=0.0, must lie in \(0, 1\)"),
        (CELLIP(cut="deeper"), "cut='deeper'"),
        (CELLIP(cut="deep", fit_intercept=False), "cut='deep' needs at least 2 weights"),
        (IELLIP(b=0.9, c=0.2), "b=0.9, c=0.2, must lie in"),
        (IELLIP(scale=0.0), "scale=0.0, must be positive"),
        (IELLIP(decay="never"), "decay='never'"),
        (IELLIP(normalize="l1"), "normalize='l1'"),
        (IELLIP(representation="thin"), "representation='thin'"),
        (IELLIP(epochs=0), "epochs=0, must be a whole number, at least 1"),
    ],
)
def test_bad_parameters(model, message):
    with pytest.raises(ParameterError, match=message):
        model.fit(np.array([[1.0], [-1.0]]), [0, 1])


def test_bad_data():
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ParameterError, match="must have 2 classes"):
        IELLIP().fit(X, [1, 1])
    model = IELLIP().partial_fit(X, ["a", "b"])
    with pytest.raises(ParameterError, match="label 'c' was never announced"):
        model.partial_fit(X, ["a", "c"])
    with pytest.raises(ParameterError, match="label 'c' was never announced"):
        model.step(X[0], "c")
    with pytest.raises(ParameterError, match="must stay"):
        model.partial_fit(X, ["a", "b"], classes=["a", "b", "c"])
    with pytest.raises(ParameterError, match=r"y.shape=\(2, 3\)"):
        model.partial_fit(X, [[0, 1, 1], [1, 0, 0]])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[np.nan, 1.0], [0.0, 1.0]], ["a", "b"])
    with pytest.raises(ParameterError, match="depth"):
        cut_ellipsoid([0.0, 0.0], np.eye(2), [1.0, 0.0], 2.0)
    with pytest.raises(ParameterError, match="cut='deep' in 1 dimensions"):
        cut_ellipsoid([0.0], np.eye(1), [1.0], 0.5, cut="deep")
    with pytest.raises(ParameterError, match="shapes"):
        cut_ellipsoid([0.0], np.eye(2), [1.0], 0.5)
