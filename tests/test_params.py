"""ParamsMixin: scikit-learn's parameter protocol, without scikit-learn."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from align._params import ParamsMixin, not_fitted_error
from align.errors import AlignError, ParameterError


class Inner(ParamsMixin):
    def __init__(self, depth=2, *, rate=0.5):
        self.depth = depth
        self.rate = rate


class Outer(ParamsMixin):
    def __init__(self, inner=None, *, name="x", values=(1, 2)):
        self.inner = inner
        self.name = name
        self.values = values


class NoParameters(ParamsMixin):
    pass


def test_get_params_returns_what_the_constructor_was_given():
    values = [3, 4]
    outer = Outer(name="y", values=values)
    assert outer.get_params() == {"inner": None, "name": "y", "values": [3, 4]}
    assert outer.get_params()["values"] is values
    assert NoParameters().get_params() == {}


def test_deep_params_reach_inner_estimators():
    outer = Outer(Inner(depth=7))
    assert outer.get_params()["inner__depth"] == 7
    assert "inner__depth" not in outer.get_params(deep=False)
    assert outer.set_params(inner__depth=9, name="z") is outer
    assert (outer.inner.depth, outer.name) == (9, "z")


def test_an_inner_estimator_and_its_parameter_can_be_set_together():
    outer = Outer(Inner()).set_params(inner=Inner(rate=0.1), inner__depth=3)
    assert (outer.inner.rate, outer.inner.depth) == (0.1, 3)


def test_set_params_names_an_unknown_parameter_and_changes_nothing():
    outer = Outer(name="y")
    with pytest.raises(ParameterError, match=r"Outer has no parameter 'nam'; it has inner, name"):
        outer.set_params(name="z", nam="z")
    assert outer.name == "y"


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(Outer()) == "Outer()"
    assert repr(Outer(Inner(3), name="y")) == "Outer(inner=Inner(depth=3), name='y')"
    assert repr(Outer(values=np.arange(2))) == "Outer(values=array([0, 1]))"
    assert repr(Inner(depth=2.0)) == "Inner(depth=2.0)"  # 2.0 == 2, but is not the default


def test_a_constructor_must_name_its_parameters():
    class Loose(ParamsMixin):
        def __init__(self, **options):
            self.options = options

    with pytest.raises(TypeError, match=r"must name its parameters, not \*options"):
        Loose().get_params()


def test_sklearn_clones_it():
    from sklearn.base import clone

    outer = Outer(Inner(depth=5), name="y")
    copy = clone(outer)
    assert copy is not outer
    assert copy.inner is not outer.inner
    assert repr(copy) == repr(outer)


def test_sklearn_takes_it_in_a_pipeline_and_a_search():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from align.learners import KernelPA

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) * 100.0
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KernelPA(epochs=3)),
        {"kernelpa__sigma": [0.5, 500.0]},
        cv=3,
    )
    assert search.fit(X, y).best_params_ == {"kernelpa__sigma": 0.5}


def test_not_fitted_error_is_ours_and_sklearns():
    from sklearn.exceptions import NotFittedError

    error = not_fitted_error(Inner())
    assert isinstance(error, AlignError)
    assert isinstance(error, NotFittedError)
    assert str(error) == "this Inner is not fitted yet; call fit first."


def test_estimators_survive_pickling():
    assert repr(pickle.loads(pickle.dumps(Inner(depth=4)))) == "Inner(depth=4)"


def test_nothing_here_imports_sklearn():
    code = (
        "import sys, align._params, align.learners.structured, align.learners.kernels; "
        "assert not {'sklearn', 'scipy.linalg', 'librosa'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
