"""`update` is the one name of what 0.1.0 called `variant`; the old name works, and warns."""

import inspect
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import align.learners
from align.errors import ParameterError
from align.learners import (
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
)

NAMED = [
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PassiveAggressiveUniclass,
    KernelPA,
    KernelPARegressor,
    KernelPAUniclass,
]
every = pytest.mark.parametrize("kind", NAMED, ids=lambda kind: kind.__name__)


def learned(model):
    """What a learner says of the examples that it has learned."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = (X[:, 0] > 0.0).astype(float)
    model.fit(X, y)
    read = "predict" if "Regressor" in type(model).__name__ else "decision_function"
    return getattr(model, read)(X)


@every
def test_each_update_is_one_of_its_own(kind):
    found = [learned(kind(update=name, C=0.05)) for name in ("pa", "pa1", "pa2")]
    for i in range(3):
        assert not np.array_equal(found[i], found[i - 1])


@every
@pytest.mark.parametrize(("old", "new"), [("PA", "pa"), ("PA-I", "pa1"), ("PA-II", "pa2")])
def test_the_old_name_learns_the_same_and_warns(kind, old, new):
    expected = learned(kind(update=new, C=0.05))
    message = f"variant='{old}' is called update='{new}' now"
    for given in ({"variant": old}, {"update": old}):
        with pytest.warns(FutureWarning, match=message):
            np.testing.assert_array_equal(learned(kind(C=0.05, **given)), expected)


@every
def test_a_name_that_is_none_is_refused(kind):
    for given in ({"variant": "PA-3"}, {"update": "PA-3"}, {"update": None}, {"update": 1}):
        with pytest.raises(ParameterError, match=r"update=.*, must be one of pa, pa1, pa2"):
            learned(kind(**given))


@every
def test_a_pickle_with_the_old_name_is_read(kind):
    model = kind(update="pa2", C=0.05)
    expected = learned(model)
    state = pickle.loads(pickle.dumps(model.__getstate__()))
    for names in (state, vars(state.get("_began", SimpleNamespace()))):
        if names.pop("update", None):
            names["variant"] = "PA-II"
    old = kind.__new__(kind)
    old.__setstate__(state)
    assert (old.update, old.variant) == ("pa2", None)
    np.testing.assert_array_equal(learned(old), expected)


def test_no_other_learner_has_the_old_name():
    found = {
        name
        for name in align.learners.__all__
        if isinstance(kind := getattr(align.learners, name), type)
        and "variant" in inspect.signature(kind).parameters
    }
    # Boosting chooses the weight of a stump, which is no update of a learner.
    assert found == {kind.__name__ for kind in NAMED} | {"AdaBoost"}
