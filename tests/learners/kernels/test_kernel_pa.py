"""The kernel classifier against a primal twin, a naive twin, and its promises."""

import numpy as np
import pytest
import threadpoolctl
from hypothesis import given
from hypothesis import strategies as st
from learners.naive import kernel_pa, multiclass_pa
from scipy import sparse

from align.errors import ModelError, ParameterError
from align.learners import (
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
    PassiveAggressiveClassifier,
)
from align.learners.kernels._supports import SupportSet
from align.learners.kernels.functions import (
    gaussian_kernel,
    linear_kernel,
    make_kernel,
    polynomial_kernel,
)

UPDATES = ("pa", "pa1", "pa2")
seeds = st.integers(0, 2**32 - 1)


def mixture(n, seed=0, k=4, d=5, spread=0.6):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(2 * k, d))
    which = rng.integers(2 * k, size=n)
    return centres[which] + spread * rng.normal(size=(n, d)), which % k


@given(seeds, st.sampled_from(UPDATES), st.floats(0.01, 5), st.integers(2, 5))
def test_a_linear_kernel_is_the_primal(seed, update, C, k):
    """Rows W22, W23: more rounds than a block, zero vectors, repeated examples."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    X[rng.integers(300, size=3)] = 0.0
    X[100:110] = X[:10]
    y = rng.integers(k, size=300)
    W, mean, mistakes, total = multiclass_pa(X, y, k, update, C / 2 if k == 2 else C)
    for average, expected in ((False, W), (True, mean)):
        model = KernelPA("linear", update=update, C=C, average=average, shuffle=False)
        model.fit(X, y)
        found = model.dual_coef_.T @ model.support_vectors_
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(model.scores(X), X @ expected.T, rtol=1e-9, atol=1e-9)
    assert model.n_mistakes_ == mistakes
    assert model.n_rounds_ == 300
    assert model.cumulative_loss_ == pytest.approx(total)


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("k", [2, 4])
def test_c_is_that_of_the_flat_classifier(update, k):
    """One C: with the linear kernel both are the same learner, also with weights."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    y = np.append(np.arange(k), rng.integers(k, size=120 - k))
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=120)
    for weight in (None, weights):
        kernel = KernelPA("linear", update=update, C=0.07, average=False)
        flat = PassiveAggressiveClassifier(update, C=0.07, fit_intercept=False)
        for model in (kernel, flat):
            model.partial_fit(X[:50], y[:50], classes=np.arange(k), sample_weight=head(weight, 50))
            model.set_params(C=9.0)  # waits for the next fit
            model.partial_fit(
                X[50:], y[50:], sample_weight=None if weight is None else weight[50:]
            )
        np.testing.assert_allclose(
            kernel.decision_function(X), flat.decision_function(X), rtol=1e-9, atol=1e-10
        )
        assert kernel.n_updates_ == flat.n_updates_


def head(weights, n):
    return None if weights is None else weights[:n]


KERNELS = {
    "gaussian": lambda A, B: gaussian_kernel(A, B, 1.7),
    "polynomial": lambda A, B: polynomial_kernel(A, B, 2, 0.5, 1.0),
    "linear": linear_kernel,
}


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("name", KERNELS)
def test_blocks_play_one_round_after_the_other(name, update):
    X, y = mixture(700, seed=2)
    order = np.random.default_rng(0).permutation(700)
    last, mean = kernel_pa(KERNELS[name], X, y, 4, update, 0.6, order)
    for average, expected in ((False, last), (True, mean)):
        model = KernelPA(
            name, sigma=1.7, degree=2, gamma=0.5, update=update, C=0.6, average=average
        )
        scores = model.fit(X, y).scores(X)
        np.testing.assert_allclose(scores, KERNELS[name](X, X) @ expected, rtol=1e-8, atol=1e-8)


def test_a_function_is_a_kernel():
    X, y = mixture(200)
    named = KernelPA("polynomial", degree=2, gamma=1.0).fit(X, y)
    own = KernelPA(lambda A, B: (A @ B.T + 1.0) ** 2).fit(X, y)
    np.testing.assert_allclose(own.scores(X), named.scores(X), rtol=1e-9)
    with pytest.raises(ParameterError, match=r"returned shape \(200,\), must be \(n, m\)"):
        KernelPA(lambda A, B: np.zeros(len(A))).fit(X, y)
    with pytest.raises(ParameterError, match="kernel returned values that are not finite"):
        KernelPA(lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)


def test_kernels():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    distance = np.linalg.norm(A[:, None] - B, axis=-1)
    np.testing.assert_allclose(gaussian_kernel(A, B, 0.8), np.exp(-(distance**2) / (2 * 0.8**2)))
    np.testing.assert_allclose(np.diagonal(gaussian_kernel(A, A, 0.8)), 1.0, rtol=1e-14)
    assert (gaussian_kernel(1e3 * A, 1e3 * A, 0.1) <= 1.0).all()
    np.testing.assert_allclose(polynomial_kernel(A, B, 3, 0.5, 2.0), (A @ B.T / 2 + 2) ** 3)
    assert make_kernel("linear", sigma=1, degree=1, gamma=1, coef0=0) is linear_kernel


def test_the_least_parameters_of_kernels():
    A = np.arange(6.0).reshape(3, 2) / 10
    gaussian = make_kernel("gaussian", sigma=0.05, degree=1, gamma=1, coef0=0)
    np.testing.assert_array_equal(gaussian(A, A), gaussian_kernel(A, A, 0.05))
    product = make_kernel("polynomial", sigma=1, degree=1, gamma=0.05, coef0=0)
    np.testing.assert_allclose(product(A, A), 0.05 * A @ A.T)


def test_defaults_of_the_thesis():
    X = np.random.default_rng(0).normal(size=(50, 39))
    model = KernelPA().fit(X, np.arange(50) % 3)
    assert model.sigma_ == pytest.approx(6.24, abs=0.005)
    given = KernelPA(kernel="gaussian", sigma=6.24, C=5.0).fit(X, np.arange(50) % 3)
    assert given.sigma_ == 6.24


def test_it_learns_what_no_line_separates():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1500, 2))
    y = np.where(np.hypot(*X.T) < 0.6, "in", "out")
    assert KernelPA(sigma=0.3).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.95
    assert KernelPA("linear").fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) < 0.8


def test_averaging_helps_on_noisy_data():
    X, y = mixture(2000, spread=1.2)
    last = KernelPA(average=False).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    mean = KernelPA(average=True).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    assert mean > last + 0.05


@pytest.mark.parametrize("removal", ["project", "smallest", "oldest"])
@pytest.mark.parametrize("budget", [2, 37, 300])
def test_the_budget_is_kept(removal, budget):
    X, y = mixture(1200, spread=1.0)
    model = KernelPA(budget=budget, removal=removal)
    for begin in range(0, 1200, 170):
        model.partial_fit(X[begin : begin + 170], y[begin : begin + 170], classes=range(4))
        assert 0 < len(model.support_vectors_) <= budget
    assert model.n_rounds_ == 1200
    assert np.isfinite(model.dual_coef_).all()
    fitted = KernelPA(budget=budget, removal=removal, epochs=2).fit(X, y)
    assert len(fitted.support_vectors_) <= budget
    assert fitted.n_rounds_ == 2400


def test_a_budget_that_suffices_changes_nothing():
    X, y = mixture(300)
    free = KernelPA().fit(X, y)
    for removal in ("project", "smallest", "oldest"):
        kept = KernelPA(budget=len(free.support_vectors_), removal=removal).fit(X, y)
        np.testing.assert_array_equal(kept.dual_coef_, free.dual_coef_)


def test_oldest_supports_go_first():
    X, y = mixture(400, spread=1.0)
    model = KernelPA(budget=64, removal="oldest", shuffle=False).fit(X, y)
    free = KernelPA(shuffle=False).fit(X, y)
    where = [int(np.flatnonzero((X == x).all(axis=1))[0]) for x in model.support_vectors_]
    assert where == sorted(where)
    assert where[0] > 200
    assert len(free.support_vectors_) > 200


@pytest.mark.parametrize("removal", ["smallest", "oldest"])
def test_where_supports_are_removed_there_is_no_mean(removal):
    """The last hypothesis predicts by default; a mean without what is gone errs far more."""
    X, y = mixture(1500, spread=0.8)
    train, test = slice(0, 1000), slice(1000, 1500)
    budget = {"budget": 150, "removal": removal}
    auto = KernelPA(**budget).fit(X[train], y[train])
    last = KernelPA(**budget, average=False).fit(X[train], y[train])
    np.testing.assert_array_equal(auto.dual_coef_, last.dual_coef_)
    labels = last.classes_
    lame = labels[
        (last._kernel(X[test], auto.support_vectors_) @ auto._supports.average()).argmax(1)
    ]
    assert auto.score(X[test], y[test]) > np.mean(lame == y[test]) + 0.05
    with pytest.raises(
        ParameterError, match=f"average=True cannot be kept with removal='{removal}'"
    ):
        KernelPA(**budget, average=True).fit(X[train], y[train])
    # Without a budget nothing is removed.
    free = KernelPA(removal=removal, average=True).fit(X[train], y[train])
    np.testing.assert_array_equal(free.dual_coef_, KernelPA().fit(X[train], y[train]).dual_coef_)


def test_projection_is_the_orthogonal_one():
    """Once the budget is used up, a step moves w to the nearest point of the span."""
    X, y = mixture(120, spread=1.0)
    model = KernelPA(update="pa", budget=20, shuffle=False, average=False, sigma=2.0)
    at = 0
    while at == 0 or len(model.support_vectors_) < 20:
        model.partial_fit(X[at : at + 1], y[at : at + 1], classes=range(4))
        at += 1
    while True:
        before, x = model.dual_coef_.copy(), X[at : at + 1]
        scores, updates = model.scores(x)[0], model.n_updates_
        model.partial_fit(x, y[at : at + 1])
        at += 1
        if model.n_updates_ > updates:
            break
    V = model.support_vectors_
    K, k = gaussian_kernel(V, V, 2.0), gaussian_kernel(V, x, 2.0)[:, 0]
    rivals = np.where(np.arange(4) == y[at - 1], -np.inf, scores)
    loss = 1.0 - scores[y[at - 1]] + rivals.max()
    step = np.zeros(4)
    step[y[at - 1]], step[int(np.argmax(rivals))] = loss / 2, -loss / 2
    moved = before + np.linalg.solve(K, k)[:, None] * step
    np.testing.assert_allclose(K @ model.dual_coef_, K @ moved, atol=1e-4)  # but for the jitter


def test_projection_on_a_budget_is_nearly_as_good_as_no_budget():
    X, y = mixture(3000, spread=1.0)
    train, test = slice(0, 2000), slice(2000, 3000)
    free = KernelPA().fit(X[train], y[train]).score(X[test], y[test])
    project = KernelPA(budget=200).fit(X[train], y[train]).score(X[test], y[test])
    assert project > free - 0.03


@pytest.mark.parametrize("removal", ["project", "smallest"])
@pytest.mark.parametrize("budget", [None, 100])
def test_chunks_change_nothing(budget, removal):
    X, y = mixture(900, spread=1.0)
    whole = KernelPA(budget=budget, removal=removal).partial_fit(X, y)
    cut = KernelPA(budget=budget, removal=removal)
    for begin, end in ((0, 1), (1, 300), (300, 301), (301, 900)):
        cut.partial_fit(X[begin:end], y[begin:end], classes=range(4))
    unshuffled = KernelPA(budget=budget, removal=removal, shuffle=False).fit(X, y)
    for other in (cut, unshuffled):
        np.testing.assert_allclose(other.scores(X), whole.scores(X), rtol=1e-6, atol=1e-7)
        assert other.n_updates_ == whole.n_updates_


def test_partial_fit_continues_a_fit():
    X, y = mixture(800, spread=1.0)
    for budget in (None, 100):
        model = KernelPA(budget=budget, shuffle=False).fit(X[:500], y[:500])
        whole = KernelPA(budget=budget, shuffle=False).fit(X, y)
        model.partial_fit(X[500:], y[500:])
        np.testing.assert_allclose(model.scores(X), whole.scores(X), rtol=1e-6, atol=1e-7)


def test_later_epochs_reuse_supports():
    X, y = mixture(400, spread=1.0)
    model = KernelPA(epochs=5).fit(X, y)
    assert model.n_rounds_ == 2000
    assert len(np.unique(model.support_vectors_, axis=0)) == len(model.support_vectors_) <= 400
    assert model.score(X, y) > KernelPA(epochs=1).fit(X, y).score(X, y)


def test_new_classes_may_appear_in_a_stream():
    X, y = mixture(400)
    names = np.array(["b", "d", "a", "c"])[y]
    model = KernelPA()
    early = names != "a"
    model.partial_fit(X[early], names[early])
    np.testing.assert_array_equal(model.classes_, ["b", "c", "d"])
    before = model.scores(X)
    model.partial_fit(X[~early], names[~early])
    np.testing.assert_array_equal(model.classes_, ["a", "b", "c", "d"])
    assert before.shape == (400, 3)
    assert model.score(X[~early], names[~early]) > 0.5
    announced = KernelPA().partial_fit(X[early], names[early], classes=["a", "b", "c", "d"])
    assert announced.scores(X).shape == (400, 4)


def test_a_seed_decides_everything():
    X, y = mixture(300, spread=1.0)
    one = KernelPA(random_state=3).fit(X, y).scores(X)
    np.testing.assert_array_equal(KernelPA(random_state=3).fit(X, y).scores(X), one)
    assert (KernelPA(random_state=4).fit(X, y).scores(X) != one).any()


def test_sparse_and_groups_and_float32():
    X, y = mixture(300)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    dense = KernelPA().fit(X, y)
    for make in (sparse.csr_matrix, sparse.csr_array, sparse.coo_matrix):
        other = KernelPA().fit(make(X), y, groups=np.zeros(300))
        np.testing.assert_array_equal(other.scores(make(X)), dense.scores(X))


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial", "linear"])
def test_the_state_restores_predictions(kernel):
    X, y = mixture(300)
    X = X.astype(np.float32)
    names = np.array(["sil", "iy", "ʃ", "k"])[y]
    model = KernelPA(kernel, degree=2, budget=50).fit(X, names)
    params, arrays = model.get_state()
    import json

    restored = KernelPA().set_state(json.loads(json.dumps(params)), arrays)
    np.testing.assert_array_equal(restored.scores(X), model.scores(X))
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    assert arrays["vectors"].dtype == np.float32  # as they came
    assert all(array.dtype.kind == "f" for array in arrays.values())
    restored.partial_fit(X[:5], names[:5])
    objects = KernelPA().fit(X, names.astype(object))
    assert objects.get_state()[0]["classes"] == sorted(set(names.tolist()))


def test_a_damaged_state_is_refused():
    X, y = mixture(60)
    params, arrays = KernelPA().fit(X, y).get_state()
    for key in arrays:
        with pytest.raises(ModelError, match=f"incomplete or damaged: '{key}'"):
            KernelPA().set_state(params, {k: v for k, v in arrays.items() if k != key})
    with pytest.raises(ModelError, match="does not fit together"):
        KernelPA().set_state(params, {**arrays, "coef": arrays["coef"][:, :2]})
    with pytest.raises(ModelError, match="all to be finite"):
        KernelPA().set_state(params, {**arrays, "coef": arrays["coef"] * np.nan})
    with pytest.raises(ModelError, match=r"sigma=-1\.0, must be positive"):
        KernelPA().set_state({**params, "sigma": -1.0}, arrays)
    with pytest.raises(ModelError, match=r"kernel='os\.system'"):
        KernelPA().set_state({**params, "kernel": "os.system"}, arrays)
    with pytest.raises(ParameterError, match="cannot hold a kernel that is a function"):
        KernelPA(linear_kernel).fit(X, y).get_state()


def test_one_class_and_zero_vectors():
    one = KernelPA().fit(np.ones((5, 2)), ["a"] * 5)
    assert one.predict(np.zeros((2, 2))).tolist() == ["a", "a"]
    assert (one.n_mistakes_, one.n_updates_, len(one.support_vectors_)) == (0, 0, 0)
    zero = KernelPA("linear").fit(np.zeros((6, 2)), [0, 1, 2] * 2)
    assert zero.n_updates_ == 0
    assert zero.n_mistakes_ == 4  # ties go to the first class
    assert zero.cumulative_loss_ == 6.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbf"}, "kernel='rbf', must be one of gaussian, polynomial, linear"),
        ({"sigma": 0.0}, "sigma=0.0, must be positive and finite"),
        ({"kernel": "polynomial", "degree": 1.5}, "degree=1.5, must be a whole number"),
        (
            {"kernel": "polynomial", "coef0": -1.0},
            "coef0=-1.0, must be positive, and not negative",
        ),
        ({"update": "PA-III"}, "update='PA-III', must be one of pa, pa1, pa2"),
        ({"C": 0.0}, "C=0.0, must be positive and finite"),
        ({"budget": 1}, "budget=1, must be a whole number, at least 2"),
        ({"average": "mean"}, "average='mean', must be 'auto', True or False"),
        ({"removal": "random"}, "removal='random', must be one of project, smallest, oldest"),
        ({"epochs": 0}, "epochs=0, must be a whole number"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, y = mixture(20)
    with pytest.raises(ParameterError, match=message):
        KernelPA(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones(3), [0, 1, 2], r"Expected 2D array, got X.shape=\(3,\)"),
        (np.array([[1.0], [np.nan]]), [0, 1], r"contains NaN or infinity \(row 1\)"),
        (np.array([[1.0], [np.inf]]), [0, 1], r"contains NaN or infinity \(row 1\)"),
        (np.ones((2, 0)), [0, 1], r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (np.ones((0, 2)), [], r"0 sample\(s\)"),
        (np.ones((2, 2)), [0], r"inconsistent numbers of samples: \[2, 1\]"),
        (np.ones((2, 2)), [0.5, 1.0], "Unknown label type: continuous"),
        (np.ones((2, 2)), [np.nan, 1.0], "Input y contains NaN"),
        (np.ones((2, 2)), None, "requires y to be passed"),
        (np.ones((2, 2)) * 1j, [0, 1], "Complex data not supported"),
        ([["a"], ["b"]], [0, 1], "X must hold numbers"),
    ],
)
def test_wrong_data(X, y, message):
    with pytest.raises(ParameterError, match=message):
        KernelPA().fit(X, y)


class Frame:
    """As much of a data frame as matters here."""

    def __init__(self, values, columns):
        self.values, self.columns = values, columns

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


def test_names_of_features_must_match():
    X, y = mixture(20)
    names = ["a", "b", "c", "d", "e"]
    model = KernelPA().fit(Frame(X, names), y)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.predict(Frame(X, names)), model.predict(X))
    with pytest.raises(ParameterError, match=r"feature names should match.*this has"):
        model.predict(Frame(X, names[::-1]))
    assert not hasattr(KernelPA().fit(Frame(X, range(5)), y), "feature_names_in_")
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_a_kernel_that_is_none_is_named():
    X, y = mixture(200, spread=1.0)
    with pytest.raises(ParameterError, match="not positive definite on the supports"):
        KernelPA(lambda A, B: 1.0 + np.linalg.norm(A[:, None] - B, axis=-1), budget=50).fit(X, y)


def test_of_label_sets_only_a_tie_is_a_mistake():
    """The first round is a tie; after a small step the pair is .05 apart, in the right order."""
    model = KernelPA("linear", C=0.025).partial_fit([[1.0], [1.0]], [[1, 0], [1, 0]])
    assert model.n_mistakes_ == 1
    assert model.n_updates_ == 2


def test_a_room_of_supports_may_be_full():
    supports = SupportSet(np.eye(3), np.ones((3, 1)))
    supports.check_shapes()
    supports._n = 4
    with pytest.raises(ModelError, match="4 supports of 3"):
        supports.check_shapes()


@pytest.mark.parametrize("kind", [KernelPA, KernelPARegressor, KernelPAUniclass])
def test_learning_multiplies_matrices_with_one_thread(kind):
    """Sums that several threads share are rounded in another order."""
    seen = set()

    def threads():
        found = threadpoolctl.threadpool_info()
        return {library["num_threads"] for library in found if library["user_api"] == "blas"}

    def kernel(x, z):
        seen.update(threads())
        return x @ z.T

    X = np.random.default_rng(0).normal(size=(40, 3))
    with threadpoolctl.threadpool_limits(2):
        kind(kernel, shuffle=False).fit(X, (X[:, 0] > 0.0).astype(float))
        assert threads() == {2}
    assert seen == {1}
