"""Bad input, of every estimator: one clear error and an unharmed learner, or the documented no-op.

The list is checked against the package, so that a new estimator cannot be left out.
"""

import inspect
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import RegressorMixin, clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import accuracy_score

import align.learners as learners
from align.errors import ParameterError
from align.learners.parts.estimators import Classifying

# What an estimator learns from: two classes, numbers, nothing, or grades of one query.
KINDS = {
    "AdaBoost": "classes",
    "CELLIP": "classes",
    "IELLIP": "classes",
    "InstanceRanker": "grades",
    "KernelPA": "classes",
    "KernelPARegressor": "numbers",
    "KernelPAUniclass": "nothing",
    "LabelRanker": "classes",
    "MultiplicativePA": "classes",
    "MultiplicativePARegressor": "numbers",
    "MultiplicativePAUniclass": "nothing",
    "OnlineClassifier": "classes",
    "OnlineRegressor": "numbers",
    "OnlineToBatch": "classes",
    "MixedClassifier": "classes",
    "PNormPerceptron": "classes",
    "PassiveAggressiveClassifier": "classes",
    "PassiveAggressiveRegressor": "numbers",
    "PassiveAggressiveUniclass": "nothing",
    "Perceptron": "classes",
    "SelfTunedWinnow": "classes",
    "ThresholdWinnow": "classes",
    "Winnow": "classes",
}
NAMES = sorted(KINDS)
STREAMS = [name for name in NAMES if name not in ("AdaBoost", "MixedClassifier")]


def make(name):
    return getattr(learners, name)()


def data(name, m=30, d=4):
    rng = np.random.default_rng(0)
    X = (rng.random((m, d)) < 0.5).astype(float)
    X[0], X[1] = [1, 0, 0, 0], [0, 1, 0, 0]
    y = (X[:, 0] > 0).astype(int)
    if KINDS[name] == "nothing":
        return X, None
    return X, y.astype(float) if KINDS[name] == "numbers" else y


def start(name, model, X, y):
    """Play a first chunk, or fit where there are no streams."""
    return model.partial_fit(X, y) if hasattr(model, "partial_fit") else model.fit(X, y)


def decide(model, X):
    call = getattr(model, "decision_function", model.predict)
    return np.asarray(call(X), dtype=float)


def attempt(call):
    """Return what a call returns and None, or None and the error about its arguments."""
    try:
        return call(), None
    except ParameterError as error:
        return None, error


def test_no_estimator_is_left_out():
    found = {
        name
        for name in learners.__all__
        if inspect.isclass(getattr(learners, name))
        and {"fit", "predict", "get_params"} <= set(dir(getattr(learners, name)))
    }
    assert found - {"StructuredLearner", "ParameterMixing"} == set(KINDS)  # they take no matrices


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_not_finite(name, value):
    X, y = data(name)
    model = start(name, make(name), X, y)
    before = decide(model, X)
    bad = X.copy()
    bad[3, 1] = value
    call = getattr(model, "partial_fit", None) or clone(model).fit
    for form in (np.asarray, sp.csr_array):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            call(form(bad), y)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            model.predict(form(bad))
    np.testing.assert_array_equal(before, decide(model, X))
    if KINDS[name] in ("numbers", "grades"):
        wrong = y.astype(float)
        wrong[2] = value
        with pytest.raises(ValueError, match=r"NaN|infinity|finite"):
            call(X, wrong)
        np.testing.assert_array_equal(before, decide(model, X))


@pytest.mark.parametrize("name", ["CELLIP", "LabelRanker", "Perceptron"])
def test_spare_room_of_a_sparse_matrix_is_not_read(name):
    """Ellipsoids read it as entries, beyond their arrays."""
    X, y = data(name)
    whole, spare = sp.csr_array(X), sp.csr_array(X.shape)
    spare.data, spare.indptr = np.append(whole.data, [7.0, np.nan]), whole.indptr
    spare.indices = np.append(whole.indices, [3, 0]).astype(np.int32)
    model = make(name).fit(spare, y)
    np.testing.assert_array_equal(decide(model, spare), decide(make(name).fit(whole, y), whole))
    assert len(spare.data) == len(whole.data) + 2


@pytest.mark.parametrize("name", NAMES)
def test_another_width_than_before(name):
    X, y = data(name)
    model = start(name, make(name), X, y)
    before = decide(model, X)
    if hasattr(model, "partial_fit"):
        with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4"):
            model.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4"):
        model.predict(X[:, :3])
    np.testing.assert_array_equal(before, decide(model, X))


@pytest.mark.parametrize("name", NAMES)
def test_shapes_that_do_not_fit(name):
    X, y = data(name)
    with pytest.raises(ValueError, match=r"2D array|Reshape"):
        make(name).fit(X[0], y)
    with pytest.raises(ValueError, match=r"0 sample|minimum of 1|at least one"):
        make(name).fit(np.zeros((0, 4)), None if y is None else y[:0])
    if y is not None:
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples|shape|length"):
            make(name).fit(X, y[:-1])
        with pytest.raises(ValueError, match="y"):
            make(name).fit(X, None)
    with pytest.raises(NotFittedError):
        make(name).predict(X)


@pytest.mark.parametrize("name", NAMES)
def test_zero_vectors_never_make_a_weight_nan(name):
    X, y = data(name)
    zeros = np.zeros((6, 4))
    model = make(name)
    if "fit_intercept" in model.get_params():
        model.set_params(fit_intercept=False)
    model = start(name, model, zeros, None if y is None else y[:6])
    assert np.isfinite(decide(model, zeros)).all()
    model = start(name, model, X, y)
    model = start(name, model, zeros[:2], None if y is None else y[:2])
    assert np.isfinite(decide(model, X)).all()


@pytest.mark.parametrize("name", [n for n in NAMES if KINDS[n] == "classes"])
def test_one_class(name):
    """Either nothing is learned yet, or one sentence says what is missing."""
    X, y = data(name)
    one = np.zeros(len(y), dtype=int)
    model, error = attempt(lambda: make(name).fit(X, one))
    assert "class" in str(error) if error else (model.predict(X) == 0).all()


@pytest.mark.parametrize("name", [n for n in STREAMS if KINDS[n] == "classes"])
def test_labels_never_announced(name):
    """A new class in a stream is admitted, or refused by its name; never taken for another."""
    X, y = data(name)
    model = make(name).partial_fit(X, y, classes=[0, 1])
    _, error = attempt(lambda: model.partial_fit(X, np.full(len(y), 7)))
    assert not error or "7" in str(error)
    assert set(model.classes_) == ({0, 1} if error else {0, 1, 7})
    assert set(model.predict(X)) <= {0, 1, 7}


@pytest.mark.parametrize("name", [n for n in NAMES if KINDS[n] == "classes"])
def test_numbers_are_no_classes(name):
    X, y = data(name)
    with pytest.raises(ValueError, match=r"Unknown label type|continuous|labels"):
        make(name).fit(X, y + 0.25 * np.arange(len(y)))


@pytest.mark.parametrize("name", [name for name in NAMES if KINDS[name] == "classes"])
def test_labels_of_several_types_in_one_array(name):
    X, y = data(name)
    labels = ["a" if label == y[0] else 1 for label in y]
    for given in (labels, np.array(labels, dtype=object)):
        with pytest.raises(ParameterError, match="several types, such as 'a', 1;"):
            make(name).fit(X, given)
    if hasattr(make(name), "partial_fit"):
        with pytest.raises(ParameterError, match=r"several types, such as ('a', 1|1, 'a')"):
            make(name).partial_fit(X, y, classes=["a", 1])


@pytest.mark.parametrize("name", ["KernelPA", "LabelRanker", "Perceptron"])
def test_two_labels_do_not_become_one(name):
    """With and without a sign they are floats to NumPy, which do not tell 2**60 from the next."""
    X, y = data(name)
    model = make(name).partial_fit(X, y.astype(np.uint64) + np.uint64(2**60))
    with pytest.raises(ParameterError, match=rf"several types, such as {2**60}, -1; give all"):
        model.partial_fit(X, np.full(len(y), -1))
    assert model.classes_.tolist() == [2**60, 2**60 + 1]
    make(name).partial_fit(X, y.astype(np.uint64)).partial_fit(X, y - 1)


@pytest.mark.parametrize("name", [n for n in NAMES if KINDS[n] == "classes"])
def test_numbers_in_arrays_of_objects_are_numbers(name):
    X, y = data(name)
    for labels in (y.astype(object), np.array(y > 0, dtype=object)):
        model = make(name).fit(X, labels)
        assert model.classes_.dtype == np.array(labels.tolist()).dtype
        assert model.score(X, labels) == np.mean(model.predict(X) == labels)


@pytest.mark.parametrize("far", [[2**63, -1], [2**53, 0.5]], ids=str)
def test_numbers_in_arrays_of_objects_do_not_become_one(far):
    """As an array they are floats, which do not tell the first from the next."""
    labels = np.array([far[0] + 1, *far] * 10, dtype=object)
    with pytest.raises(ValueError, match="unknown"):
        make("Perceptron").fit(data("Perceptron")[0], labels)


@pytest.mark.parametrize("name", [n for n in NAMES if KINDS[n] == "classes"])
def test_types_of_pandas_and_text_of_numpy(name):
    """As floats, which scikit-learn makes of whole numbers that may be missing, two are one."""
    X, y = data(name)
    model = make(name).fit(X, np.array(["a", "b"])[y].astype(np.dtypes.StringDType()))
    assert model.classes_.tolist() == ["a", "b"]
    pandas = pytest.importorskip("pandas", reason="its whole numbers may be missing")
    labels = pandas.Series(y + 2**53, dtype="Int64")
    model = make(name).fit(X, labels)
    assert model.classes_.tolist() == [2**53, 2**53 + 1]
    assert model.score(X, labels) == np.mean(model.predict(X) == y + 2**53)
    assert make(name).fit(X, pandas.Series(y > 0, dtype="boolean")).classes_.dtype == bool


@pytest.mark.parametrize("name", [n for n in NAMES if KINDS[n] == "classes"])
def test_bytes_are_no_labels(name):
    X, y = data(name)
    labels = np.array([b"a", b"b"])[y]
    for given in (labels, labels.astype(object), labels.tolist()):
        with pytest.raises(ParameterError, match=r"the labels contain bytes, b'[ab]'; decode"):
            make(name).fit(X, given)
    if hasattr(make(name), "partial_fit"):
        with pytest.raises(ParameterError, match="bytes, b'a'"):
            make(name).partial_fit(X, np.array(["a", "b"])[y], classes=[b"a", b"b"])
    if hasattr(make(name), "step"):
        with pytest.raises(ParameterError, match="bytes, b'a'"):
            make(name).step(X[0], b"a")


@pytest.mark.parametrize("name", [name for name in NAMES if KINDS[name] == "classes"])
def test_labels_that_are_missing(name):
    X, y = data(name)
    for missing, what in ((None, "None"), (float("nan"), "NaN")):
        labels = [missing if label == y[0] else "a" for label in y]
        for given in (labels, np.array(labels, dtype=object)):
            with pytest.raises(ParameterError, match=f"the labels contain {what}, which is no"):
                make(name).fit(X, given)
    gap = np.array(labels, dtype=np.dtypes.StringDType(na_object=missing))
    with pytest.raises(ParameterError, match="the labels contain NaN, which is no class"):
        make(name).fit(X, gap)
    pandas = pytest.importorskip("pandas", reason="its NA is no label")
    labels = pandas.Series(np.array(["a", "b"])[y]).astype("string")
    labels[2] = pandas.NA
    for given in (labels, pandas.Series([pandas.NA] * len(y))):
        with pytest.raises(ParameterError, match="the labels contain <NA>, which is no class"):
            make(name).fit(X, given)


@pytest.mark.parametrize("name", NAMES)
def test_na_in_a_frame(name):
    pandas = pytest.importorskip("pandas", reason="its NA is no number")
    X, y = data(name)
    frame = pandas.DataFrame(X).astype("Float64")
    assert len(make(name).fit(frame, y).predict(frame)) == len(X)
    frame.iloc[2, 1] = pandas.NA
    with pytest.raises(ValueError, match="X contains NaN"):
        make(name).fit(frame, y)


def scores_anything():
    """Whether scikit-learn scores text against numbers."""
    try:
        return accuracy_score(np.array(["a"]), np.array([1])) == 0.0
    except (TypeError, ValueError):
        return False


@pytest.mark.parametrize("name", [n for n in NAMES if KINDS[n] != "nothing"])
def test_what_cannot_be_scored(name):
    X, y = data(name)
    model = make(name).fit(X, y)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples|shape"):
        model.score(X, y[:-1])
    if type(model).score in (Classifying.score, RegressorMixin.score) and scores_anything():
        pytest.skip("their score is scikit-learn's, which took all this in 1.6")
    wrong = np.where(y > 0, "a", "b") if KINDS[name] == "classes" else y * np.nan
    with pytest.raises((TypeError, ValueError), match=r"type|NaN"):
        model.score(X, wrong)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        assert model.score(X, y[:, None]) == model.score(X, y)
    if "sample_weight" in inspect.signature(model.score).parameters:
        for weights in (np.full(len(y), np.nan), np.zeros(len(y)), y[:-1], 1j * np.ones(len(y))):
            with pytest.raises(
                ValueError, match=r"NaN|finite|zero|inconsistent|shape|real|Complex"
            ):
                model.score(X, y, sample_weight=weights)


def test_weights_of_examples_that_are_extreme():
    X, y = data("AdaBoost")
    expected = decide(make("AdaBoost").fit(X, y), X)
    for weight in (1e-320, 1e308):
        np.testing.assert_array_equal(
            decide(make("AdaBoost").fit(X, y, np.full(len(y), weight)), X), expected
        )
    with pytest.raises(
        ParameterError, match=r"an example of weight 1e\+308 would multiply by exp"
    ):
        make("ThresholdWinnow").fit(X, y, np.full(len(y), 1e308))
    with pytest.raises(ParameterError, match="sample_weight must be real"):
        make("AdaBoost").fit(X, y, 1j * np.ones(len(y)))


SETS_OF_LABELS = ["CELLIP", "KernelPA", "LabelRanker", "OnlineToBatch", "Winnow"]


@pytest.mark.parametrize("name", SETS_OF_LABELS)
def test_sets_of_labels_are_0_and_1(name):
    X, _ = data(name)
    sets = (X[:, :3] > 0).astype(int)
    expected = make(name).fit(X, sets)
    np.testing.assert_array_equal(
        decide(make(name).fit(X, sp.csr_array(sets)), X), decide(expected, X)
    )
    for wrong in (2 * sets, 2 * sets - 1, np.where(sets, "a", "b")):
        with pytest.raises(ParameterError, match="must hold 0 and 1 where it has a column"):
            make(name).fit(X, wrong)


@pytest.mark.parametrize("name", ["CELLIP", "IELLIP", "Perceptron", "Winnow"])
def test_a_step_knows_how_many_labels_there_are(name):
    """A set of fewer labels was read beyond its end."""
    X, _ = data(name)
    sets = make(name).fit(X, (X[:, :3] > 0).astype(int))
    classes = make(name).fit(X, np.arange(len(X)) % 2)
    before = decide(sets, X), decide(classes, X)
    of_three = r"must (have 3|be \(m, K\)=\(m, 3\)|hold 0 and 1)"
    for wrong in ([1, 0], np.array([True]), [1, 0, 0, 1], [], [2, 0, 1], np.array(1)):
        with pytest.raises(ParameterError, match=of_three):
            sets.step(X[0], wrong)
    for wrong in ([True, False], np.array([1])):
        with pytest.raises(ParameterError, match=r"keep to one of them|with K > 2"):
            classes.step(X[0], wrong)
    np.testing.assert_array_equal(before[0], decide(sets, X))
    np.testing.assert_array_equal(before[1], decide(classes, X))
    sets.step(X[0], (1, 0, 1))


def test_features_whose_squares_have_no_digits():
    X, y = data("IELLIP")
    model = make("IELLIP").set_params(normalize=None, fit_intercept=False)
    assert not decide(model.fit(1e-160 * X, y), X).any()  # as of zeros, and no NaN
    assert model.fit(1e-150 * X, y).n_updates_ > 0


STEPS = [name for name in STREAMS if hasattr(getattr(learners, name), "step")]
VECTORS = [name for name in STEPS if name != "InstanceRanker"]


@pytest.mark.parametrize("name", VECTORS)
def test_a_step_takes_one_row_of_finite_numbers(name):
    """A number alone went to all features; infinity made centres and means NaN, for good."""
    X, y = data(name)
    model, labels = make(name), [()] * len(X) if y is None else y[:, None]
    model.step(X[0], *labels[0])
    model.step(X[1], *labels[1])
    before = decide(model, X)
    for x, message in [
        (1.0, r"x.shape=\(\), must be \(d,\)=\(4,\)"),
        ([1.0], r"x.shape=\(1,\)"),
        (X[:2], r"x.shape=\(2, 4\)"),
        ([1.0, 0.0, np.nan, 0.0], "x contains NaN or infinity"),
        ([1.0, 0.0, np.inf, 0.0], "x contains NaN or infinity"),
        (["a"] * 4, "x must hold the numbers of one example: could not convert"),
        (np.ma.array(X[0], mask=[1, 0, 0, 0]), "x has masked entries"),
    ]:
        with pytest.raises(ParameterError, match=message):
            model.step(x, *labels[0])
    np.testing.assert_array_equal(decide(model, X), before)
    model.step(X[:1], *labels[0])


def test_a_step_takes_one_query_of_finite_numbers():
    model, (X, _) = make("InstanceRanker"), data("InstanceRanker")
    X, y = X[:3], [1.0, 2.0, 3.0]
    model.step(X, y)
    before = decide(model, X)
    for x, grades, message in [
        (1.0, [1.0], r"x.shape=\(1,\), must be \(k, d\)=\(1, 4\)"),
        (X[:, :1], y, r"x.shape=\(3, 1\), must be \(k, d\)=\(3, 4\)"),
        (X, y[:2], r"x.shape=\(3, 4\), must be \(k, d\)=\(2, 4\)"),
        (X, 1.0, r"x.shape=\(3, 4\), must be \(k, d\)=\(1, 4\)"),
        (np.where(X > 0.0, np.inf, X), y, "x contains NaN or infinity"),
        (X, [1.0, 2.0, np.nan], "y contains NaN or infinity"),
        (np.ma.array(X, mask=X > 0.0), y, "x has masked entries"),
    ]:
        with pytest.raises(ParameterError, match=message):
            model.step(x, grades)
    np.testing.assert_array_equal(decide(model, X), before)


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", ["CELLIP", "IELLIP"])
def test_a_step_without_numbers_changes_nothing(name):
    X, y = data(name)
    model = make(name).fit(X, y)
    before = decide(model, X)
    with pytest.raises(ParameterError, match="overflowed"):
        model.step(np.full(4, 1e200), y[0])
    np.testing.assert_array_equal(before, decide(model, X))


@pytest.mark.parametrize("name", [n for n in STREAMS if KINDS[n] == "classes"])
def test_text_and_numbers_do_not_mix(name):
    """Numpy makes text of both, and a learner of 0 and 1 would predict "0"."""
    X, y = data(name)
    model = make(name).partial_fit(X, y, classes=[0, 1])
    before = decide(model, X)
    for words in (np.where(y, "a", "b"), np.where(y, "a", "b").astype(object)):
        with pytest.raises(ParameterError, match=r"of several types, such as 0|never announced"):
            model.partial_fit(X, words)
    np.testing.assert_array_equal(before, decide(model, X))
    assert model.classes_.tolist() == [0, 1]
    if name in ("CELLIP", "IELLIP", "ThresholdWinnow"):
        return  # all classes are announced
    with pytest.raises(ParameterError, match=r"of several types, such as 'a', [01];"):
        make(name).partial_fit(X, y, classes=["a", "b"])
    if hasattr(model, "step"):
        with pytest.raises(ParameterError, match="of several types"):
            model.step(X[0], "a")


def test_collections_are_no_labels_of_kernels():
    X, y = data("KernelPA")
    with pytest.raises(ParameterError, match=r"y holds \{[01]\}, must hold one label"):
        make("KernelPA").fit(X, [{int(one)} for one in y])
    with pytest.raises(ParameterError, match=r"the label is \{1\}, must be one number"):
        make("Perceptron").fit(X, y).step(X[0], {1})
    with pytest.raises(ParameterError, match=r"y must be labels, or a matrix"):
        make("KernelPA").fit(X, [[0], [0, 1]] * (len(y) // 2))
    with pytest.raises(ParameterError, match="Complex data not supported by KernelPARegressor"):
        make("KernelPARegressor").fit(X, y + 1j)
    with pytest.raises(ParameterError, match="Complex data not supported by KernelPA;"):
        make("KernelPA").fit(X, y + 1j)
    with pytest.raises(ParameterError, match=r"^Found input variables with inconsistent numbers"):
        make("KernelPARegressor").fit(X, y[:-1])


@pytest.mark.parametrize("how", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", NAMES)
def test_names_of_features_in_another_order(name, how):
    pandas = pytest.importorskip("pandas", reason="names of features need a frame")
    X, y = data(name)
    frame, model = pandas.DataFrame(X, columns=list("abcd")), make(name)
    if not hasattr(model, how):
        pytest.skip("learns from everything at once")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # also where a learner is inside another
        model = getattr(model, how)(frame, y)
        assert model.feature_names_in_.tolist() == list("abcd")
        assert len(model.predict(frame)) == len(X)
    turned = frame[list("dcba")]
    with pytest.raises(ValueError, match="feature names should match those that were passed"):
        model.predict(turned)
    if how == "partial_fit":
        with pytest.raises(ValueError, match="feature names should match"):
            model.partial_fit(turned, y)


@pytest.mark.parametrize("name", ["MultiplicativePA", "MultiplicativePARegressor"])
def test_negative_features_of_the_printed_step(name):
    X, y = data(name)
    model = make(name).set_params(step_size="printed", signed=False)
    model.fit(X, y)
    with pytest.raises(ParameterError, match=r"X has the value -1.0, must not be negative"):
        model.fit(-X, y)


@pytest.mark.parametrize("name", NAMES)
def test_huge_values_overflow_into_an_error_or_not_at_all(name):
    if name == "ThresholdWinnow":
        pytest.skip("takes 0 and 1 only")
    X, y = data(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make(name)
        _, error = attempt(lambda: start(name, model, 1e200 * X, y))
        assert "scale the features" in str(error) if error else np.isfinite(decide(model, X)).all()
        assert error or getattr(model, "n_updates_", 1) > 0  # a step of 0 says nothing


@pytest.mark.parametrize("name", NAMES)
def test_masked_entries_are_refused(name):
    X, y = data(name)
    model, hidden = make(name), np.arange(len(X)) == 3
    model.fit(np.ma.masked_array(X), y)
    with pytest.raises(ParameterError, match="X has masked entries"):
        model.fit(np.ma.masked_array(X, np.repeat(hidden[:, None], X.shape[1], axis=1)), y)
    if y is not None:
        with pytest.raises(ParameterError, match="y has masked entries"):
            model.fit(X, np.ma.masked_array(y, hidden))


@pytest.mark.parametrize("name", [n for n in STREAMS if KINDS[n] == "classes"])
def test_nan_is_no_class(name):
    X, y = data(name)
    with pytest.raises(ParameterError, match="the labels contain NaN"):
        make(name).partial_fit(X, y, classes=[0, 1, np.nan])


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("PassiveAggressiveClassifier", "margin"),
        ("Winnow", "margin"),
        ("SelfTunedWinnow", "margin"),
        ("MultiplicativePA", "margin"),
        ("OnlineClassifier", "margin"),
        ("LabelRanker", "gamma"),
        ("CELLIP", "gamma"),
        ("IELLIP", "gamma"),
    ],
)
def test_margins_must_be_positive(name, parameter):
    X, y = data(name)
    for value in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ParameterError, match=f"{parameter}={value}"):
            make(name).set_params(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("value", ["a", -1, 1.5])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_seed(name, value):
    X, y = data(name)
    with pytest.raises(ParameterError, match=f"random_state={value!r}, must be a whole number"):
        make(name).set_params(random_state=value).fit(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_that_are_none(name):
    X, y = data(name)
    wanted = ["C", "margin", "epsilon", "epochs", "c", "rate", "max_step", "n_candidates"]
    wanted += ["gamma", "sigma", "coef0", "theta", "beta", "p", "n_estimators", "edge", "tol"]
    for parameter in [p for p in wanted if p in make(name).get_params()]:
        for value, message in [("1", "='1', must be a"), ([1, 2], " has the shape .2,., must be")]:
            with pytest.raises(ParameterError, match=f"{parameter}{message}"):
                make(name).set_params(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_that_no_number_is_large_enough_for(name):
    X, y = data(name)
    for parameter in {"epochs", "n_candidates", "n_estimators"} & set(make(name).get_params()):
        for value in (np.inf, np.nan, 0, 1.5):
            with pytest.raises(ParameterError, match=f"{parameter}={value}, must be a whole"):
                make(name).set_params(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_what_stands_for_yes_or_no_counts_nothing(name):
    """Kernels were made room by ``1 + signed``, and with -1 wrote where there was none."""
    X, y = data(name)
    for parameter in {"signed", "conservative", "fit_intercept"} & set(make(name).get_params()):
        found = [
            decide(make(name).set_params(**{parameter: value}).fit(X, y), X)
            for value in (True, -1)
        ]
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", STREAMS)
def test_what_joblib_maps_for_reading_goes_on_learning(name, tmp_path):
    X, y = data(name)
    given = (X,) if y is None else (X, y)
    model = make(name).fit(*given)
    joblib.dump(model, tmp_path / "a.joblib")
    written = (tmp_path / "a.joblib").read_bytes()
    mapped = joblib.load(tmp_path / "a.joblib", mmap_mode="r")
    for one in (model, mapped):
        one.partial_fit(*given)
    np.testing.assert_array_equal(decide(mapped, X), decide(model, X))
    assert (tmp_path / "a.joblib").read_bytes() == written
