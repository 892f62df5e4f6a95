"""Polynomial-fit derivatives and context stacking, against slow twins and peers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.features import polynomial_derivatives, stack_context
from align.features.phones.confidence import event_of_frame


def parabola_by_formula(x, half):
    """Slope and second derivative as ALGORITHMS writes them, frames clamped."""
    n, k = 2 * half + 1, np.arange(-half, half + 1)
    s2, s4 = (k**2).sum(), (k**4).sum()
    slope, second = np.empty(len(x)), np.empty(len(x))
    for t in range(len(x)):
        e = x[np.clip(t + k, 0, len(x) - 1)]
        slope[t] = (k * e).sum() / s2
        second[t] = 2 * (n * (k**2 * e).sum() - s2 * e.sum()) / (n * s4 - s2**2)
    return slope, second


@given(n=st.integers(1, 30), half=st.integers(1, 6), seed=st.integers(0, 99))
def test_parabola(n, half, seed):
    x = np.random.default_rng(seed).normal(size=n)
    slope, second = polynomial_derivatives(x, 2 * half + 1)
    expected = parabola_by_formula(x, half)
    np.testing.assert_allclose(slope, expected[0], atol=1e-12)
    np.testing.assert_allclose(second, expected[1], atol=1e-12)


@pytest.mark.parametrize(
    ("width", "order", "degree"), [(5, 1, 1), (7, 3, 3), (9, 2, 4), (21, 4, 6)]
)
def test_against_polyfit(width, order, degree):
    x = np.random.default_rng(1).normal(size=40)
    ours = polynomial_derivatives(x, width, order, degree=degree)
    half = width // 2
    for t in range(40):
        around = x[np.clip(np.arange(t - half, t + half + 1), 0, 39)]
        fit = np.polynomial.Polynomial.fit(np.arange(-half, half + 1), around, degree)
        expected = [fit.deriv(n)(0.0) for n in range(1, order + 1)]
        np.testing.assert_allclose(ours[:, t], expected, rtol=1e-8, atol=1e-9)


def test_against_savgol():
    from scipy.signal import savgol_filter

    x = np.random.default_rng(2).normal(size=(50, 3))
    ours = polynomial_derivatives(x, 11, 2, degree=3)
    for n in (1, 2):
        theirs = savgol_filter(x, 11, polyorder=3, deriv=n, axis=0, mode="nearest")
        np.testing.assert_allclose(ours[n - 1], theirs, atol=1e-12)


def test_against_librosa(librosa_feature):
    x = np.random.default_rng(3).normal(size=(13, 40))
    ours = polynomial_derivatives(x, 9, 2, axis=1)
    for n in (1, 2):
        theirs = librosa_feature.delta(x, width=9, order=n, axis=1, mode="nearest")
        np.testing.assert_allclose(ours[n - 1], theirs, atol=1e-12)


def test_polynomials_are_differentiated_exactly():
    t = np.arange(30.0)
    first, second, third = polynomial_derivatives(2 * t**3 - t**2 + 5, 7, 3)
    inside = slice(3, -3)
    np.testing.assert_allclose(first[inside], (6 * t**2 - 2 * t)[inside], rtol=1e-9)
    np.testing.assert_allclose(second[inside], (12 * t - 2)[inside], rtol=1e-9)
    np.testing.assert_allclose(third[inside], 12, rtol=1e-9)


def test_constant_has_no_slope():
    assert not polynomial_derivatives(np.full(9, 1e6, dtype=np.float32), 5, 1).any()


def test_axes_and_types():
    x = np.random.default_rng(4).normal(size=(4, 20, 3)).astype(np.float32)
    ours = polynomial_derivatives(x, 5, axis=-2)
    assert ours.shape == (2, 4, 20, 3)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(
        ours[:, 1, :, 2], polynomial_derivatives(x[1, :, 2].astype(float), 5), atol=1e-6
    )
    assert polynomial_derivatives([1, 2, 4, 7], 3).dtype == np.float64


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.ones(5), {"width": 4}, "width=4, must be odd and greater than degree=2"),
        (np.ones(5), {"width": 1, "order": 1}, "width=1, must be odd and greater"),
        (np.ones(5), {"width": 3, "order": 3}, "width=3, must be odd and greater than degree=3"),
        (np.ones(5), {"width": 5, "order": 0}, "order=0, must be at least 1"),
        (np.ones(5), {"width": 5, "degree": 1}, "degree=1, must be at least order=2"),
        (np.ones(5), {"width": 5, "axis": 1}, "axis=1 is not an axis"),
        (np.ones((0, 3)), {"width": 5}, r"shape=\(0, 3\), must not be empty along axis 0"),
    ],
)
def test_wrong_derivative(x, options, message):
    with pytest.raises(ParameterError, match=message):
        polynomial_derivatives(x, **options)


# Context ----------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 12),
    offsets=st.lists(st.integers(-15, 15), min_size=1, max_size=6),
    seed=st.integers(0, 9),
)
def test_stack_context(n, offsets, seed):
    x = np.random.default_rng(seed).normal(size=(n, 3)).astype(np.float32)
    slow = np.array(
        [np.concatenate([x[min(max(t + o, 0), n - 1)] for o in offsets]) for t in range(n)]
    )
    fast = stack_context(x, offsets)
    assert fast.dtype == np.float32
    assert fast.flags.c_contiguous
    np.testing.assert_array_equal(fast, slow)
    np.testing.assert_array_equal(stack_context(x, offsets, at=[n - 1, 0]), slow[[n - 1, 0]])


def test_wrong_context():
    with pytest.raises(ParameterError, match=r"x\.shape=\(0, 2\), must be \(T, D\), T > 0"):
        stack_context(np.ones((0, 2)), (0,))
    with pytest.raises(ParameterError, match=r"x\.shape=\(4,\), must be"):
        stack_context(np.ones(4), (0,))
    with pytest.raises(ParameterError, match=r"offsets=\(\), must name at least one frame"):
        stack_context(np.ones((4, 2)), ())


def test_event_of_frame():
    np.testing.assert_array_equal(
        event_of_frame([2, 3, 6], end=8, n_frames=10), [-1, -1, 0, 1, 1, 1, 2, 2, -1, -1]
    )
    np.testing.assert_array_equal(event_of_frame([0], end=3, n_frames=3), [0, 0, 0])
