"""scikit-learn's own checks of every estimator; what fails, fails for the reason written here.

`ThresholdWinnow`, which takes features of 0 and 1 only, has its checks in `flat/test_winnow`.
"""

import itertools
import warnings

import pytest
import sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks

import align.learners
from align.errors import ParameterError
from align.learners import (
    CELLIP,
    IELLIP,
    AdaBoost,
    InstanceRanker,
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
    LabelRanker,
    MixedClassifier,
    MultiplicativePA,
    MultiplicativePARegressor,
    MultiplicativePAUniclass,
    OnlineClassifier,
    OnlineRegressor,
    OnlineToBatch,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    Perceptron,
    PNormPerceptron,
    QNorm,
    SelfTunedWinnow,
    SelfTuning,
    Winnow,
    compat,
)

RANKERS = [
    *itertools.starmap(
        LabelRanker,
        itertools.product(("euclidean", "entropy"), ("conservative", "aggressive", "optimal")),
    ),
    LabelRanker(average=True),
    InstanceRanker("average", "subgradient"),
    InstanceRanker("average", "exact"),
    InstanceRanker("maximum", "subgradient"),
    InstanceRanker("maximum", "worst"),
    InstanceRanker("maximum", "exact"),
    InstanceRanker(average=True),
]
ESTIMATORS = [
    *RANKERS,
    AdaBoost(),
    AdaBoost(variant="gentle", n_estimators=20),
    CELLIP(),
    IELLIP(),
    IELLIP(representation="dense"),
    KernelPA(),
    KernelPARegressor(),
    KernelPAUniclass(),
    MixedClassifier(),
    MixedClassifier(Perceptron(conversion="average", epochs=2), 3, mix="updates"),
    MultiplicativePA(),
    MultiplicativePARegressor(),
    MultiplicativePAUniclass(),
    OnlineClassifier(),
    OnlineClassifier(QNorm(3.0), tuning=SelfTuning(2.0)),
    OnlineRegressor(),
    OnlineToBatch(),
    PassiveAggressiveClassifier(),
    PassiveAggressiveClassifier("pa", conversion="average"),
    PassiveAggressiveClassifier("pa2", conversion="vote"),
    PassiveAggressiveRegressor(),
    PassiveAggressiveUniclass(),
    PNormPerceptron(),
    Perceptron(),
    SelfTunedWinnow(),
    Winnow(),
    compat.PassiveAggressiveClassifier(),
    compat.PassiveAggressiveRegressor(),
    compat.Perceptron(),
]

OLD = sklearn.__version__.startswith("1.6.")

# An example of weight 2 is one larger step; the same example twice are two steps, and the check
# shuffles one of the two sets besides. scikit-learn's SGDClassifier fails it for that reason, too.
ORDER = "is not equivalent to fitting with removed or repeated data points"
REPEATS = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}
# Cuts have no size, and the bounds of rankers count rounds: a weight leaves out, or it does not.
ZERO_ONE = "sample_weight must be 0 or 1 here"
NO_SIZE = dict.fromkeys(
    [*REPEATS, "check_sample_weights_list", "check_sample_weights_not_overwritten"], ZERO_ONE
)


def reason_to_fail(estimator, check):
    """Return what a check says that an estimator must fail; None for all others."""
    if isinstance(estimator, CELLIP | IELLIP | LabelRanker | InstanceRanker):
        return NO_SIZE.get(check)
    if isinstance(estimator, AdaBoost) and OLD:
        # 1.6 shuffles one of the two sets, and then makes two classes of each in another way
        return REPEATS.get(check)
    if isinstance(estimator, AdaBoost | compat.PassiveAggressiveRegressor):
        return None  # the one sees all examples at once, the other has no weights
    return REPEATS.get(check)


with warnings.catch_warnings():
    # The kernel learners do without BaseEstimator, which is only imported with scikit-learn.
    warnings.filterwarnings("ignore", ".*inherit from `sklearn.base.BaseEstimator`")
    asked = parametrize_with_checks(ESTIMATORS).mark  # scikit-learn 1.6 makes the checks later
    names, checks = asked.args
    every_check = pytest.mark.parametrize(names, list(checks), **asked.kwargs)


# CELLIP says that the data has no such margin.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*inherit from `sklearn.base.BaseEstimator`")
@every_check
def test_checks(estimator, check):
    reason = reason_to_fail(estimator, check.func.__name__)
    if reason is None:
        check(estimator)
        return
    with pytest.raises((AssertionError, ParameterError), match=reason):
        check(estimator)


def test_every_estimator_is_checked():
    here = {type(e).__name__ for e in ESTIMATORS} | {"ThresholdWinnow"}
    # These learn from problems and hypotheses of their own, not from a matrix.
    here |= {"StructuredLearner", "ParameterMixing"}
    here |= {"Conservative", "Consistent", "Elimination", "Halving"}
    learners = (n for n in align.learners.__all__ if hasattr(getattr(align.learners, n), "fit"))
    assert set(learners) <= here
