"""Units of base functions: what does not change with the unit it is given in."""

import numpy as np
import pytest

from align.errors import ParameterError
from align.sequence.learning.problem import base_function_scales
from align.terms import BaseFunctions, GeneralTerm, OnsetTerm

N = 200


def nan(k, before, onset, after):
    return np.nan


def base_functions(rng, factors, windows=None):
    rows = np.zeros(5, dtype=np.intp)
    shape = rng.normal(size=(1, N))
    terms = [OnsetTerm(factor * shape, rows) for factor in factors]
    return BaseFunctions(terms, [f"f{j}" for j in range(len(terms))], 5, N, windows=windows)


def corpus(factors, windows=None):
    rng = np.random.default_rng(0)
    xs = [base_functions(rng, factors, windows) for _ in range(10)]
    ys = [np.array([0, 30, 70, 110, 160]) for _ in xs]
    return xs, ys


def test_scales_are_proportional_to_units():
    scales = base_function_scales(*corpus([1.0, 1000.0, -0.001]), random_state=0)
    np.testing.assert_allclose(scales / scales[0], [1.0, 1000.0, 0.001])
    # Of noise of deviation 1 at two places, of which most differ.
    assert 0.8 < scales[0] < 1.5


def test_the_seed_decides():
    first, again, other = (base_function_scales(*corpus([1.0]), random_state=s) for s in (0, 0, 1))
    assert first == again != other


def test_what_never_varies_has_a_harmless_scale():
    np.testing.assert_array_equal(
        base_function_scales(*corpus([0.0, 1.0]), random_state=0)[:1], [1.0]
    )
    np.testing.assert_array_equal(base_function_scales(*corpus([0.0]), random_state=0), [1.0])


def test_onsets_stay_in_their_windows():
    pinned = np.array([[y, y + 1] for y in (0, 30, 70, 110, 160)])
    np.testing.assert_array_equal(
        base_function_scales(*corpus([5.0], pinned), random_state=0), [1.0]
    )


def test_what_is_not_finite_is_named():
    x = BaseFunctions([GeneralTerm(nan)], ["odd"], 2, 10)
    with pytest.raises(ParameterError, match="base function 'odd' is not finite on the training"):
        base_function_scales([x], [np.array([0, 5])], random_state=0)
