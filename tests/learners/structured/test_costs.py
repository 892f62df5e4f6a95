"""Costs of alignments: worked values, tables, units."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.learners import (
    AbsoluteCost,
    FunctionCost,
    GradedCost,
    OnsetCost,
    RampCost,
    ToleranceCost,
    make_cost,
)

Y, Y_HAT = np.array([1, 5, 9]), np.array([1, 6, 12])  # the worked values of section J1

ALL = [
    ToleranceCost(0.01),
    ToleranceCost(2, "frames"),
    GradedCost(0.01),
    GradedCost(0, "frames", rounding="floor"),
    GradedCost(1, "frames", levels=4),
    AbsoluteCost(),
    AbsoluteCost("milliseconds"),
    AbsoluteCost("seconds"),
    AbsoluteCost(round_up=True),
    RampCost(),
    RampCost(4, 1, unit="frames"),
    FunctionCost(lambda y, z: float(np.square(y - z).sum())),
]


def test_worked_values():
    assert ToleranceCost(1, "frames")(Y, Y_HAT) == pytest.approx(1 / 3)
    assert GradedCost(1, "frames")(Y, Y_HAT) == 4.0
    assert GradedCost(1, "frames", rounding="floor")(Y, Y_HAT) == 3.0
    assert AbsoluteCost()(Y, Y_HAT) == pytest.approx(4 / 3)
    assert AbsoluteCost("milliseconds").bind(0.02)(Y, Y_HAT) == pytest.approx(80 / 3)
    assert AbsoluteCost("seconds").bind(0.02)(Y, Y_HAT) == pytest.approx(0.08 / 3)


@pytest.mark.parametrize(
    ("tolerance", "hop", "free"),
    [(0.01, 0.01, 1), (0.01, 0.005, 2), (0.03, 0.01, 3), (0.01, 0.02, 0)],
)
def test_an_error_of_exactly_the_tolerance_is_free(tolerance, hop, free):
    cost = ToleranceCost(tolerance).bind(hop)
    y = np.array([10])
    assert cost(y, y + free) == 0.0
    assert cost(y, y - free) == 0.0
    assert cost(y, y + free + 1) == 1.0
    table = cost.onset_cost(y, 30)
    assert table[0, 10 + free] == 0.0
    assert table[0, 11 + free] == 1.0


def test_a_ramp_grows_between_its_ends():
    y, off = np.zeros(6, dtype=np.intp), np.array([0, 2, 3, 5, 6, 9])
    for cost in (RampCost(6, 2, unit="frames"), RampCost(0.06, 0.02).bind(0.01)):
        one = [cost(y[:1], off[i : i + 1]) for i in range(6)]
        np.testing.assert_allclose(one, [0.0, 0.0, 0.25, 0.75, 1.0, 1.0], atol=1e-12)
        assert cost(y, off) == pytest.approx(3.0)


def test_grades_are_exact_where_floats_are_not():
    y = np.zeros(10, dtype=np.intp)
    for wrong in range(11):
        z = y + 5 * (np.arange(10) < wrong)
        assert GradedCost(1, "frames")(y, z) == wrong  # 10 * (3 / 10) must not round up to 4


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_costs_are_costs_and_tables_add_up(n_events, seed):
    rng = np.random.default_rng(seed)
    y, z = (np.sort(rng.choice(80, n_events, replace=False)) for _ in range(2))
    for unbound in ALL:
        cost = unbound.bind(0.005)
        assert cost(y, y) == 0.0
        value = cost(y, z)
        assert value >= 0.0
        if cost.unit_gap:
            assert value == 0.0 or value >= 1.0
        if cost.decomposes:
            table = cost.onset_cost(y, 80)
            assert table.shape == (n_events, 80)
            assert not table[np.arange(n_events), y].any()
            total = table[np.arange(n_events), z].sum()
            step = 1.0 if isinstance(cost, GradedCost) or cost.unit_gap else 1e-9
            assert abs(total - value) < step + 1e-9


def test_no_events_cost_nothing():
    none = np.empty(0, dtype=np.intp)
    for cost in ALL:
        bound = cost.bind(0.01)
        assert bound(none, none) == 0.0
        if bound.decomposes:
            assert bound.onset_cost(none, 5).shape == (0, 5)


def test_binding_leaves_the_original_alone():
    cost = ToleranceCost(0.02)
    assert cost.bind(0.01).hop == 0.01
    assert cost.hop is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        cost.hop = 0.01


@pytest.mark.parametrize("cost", [ToleranceCost(0.01), AbsoluteCost("milliseconds")])
def test_seconds_need_a_hop(cost):
    with pytest.raises(ParameterError, match=r"call bind\(hop\) first"):
        cost(Y, Y_HAT)


def test_a_function_may_be_given_seconds():
    cost = FunctionCost(lambda y, z: float(np.abs(y - z).max()), unit="seconds").bind(0.01)
    assert cost(Y, Y_HAT) == pytest.approx(0.03)
    with pytest.raises(ParameterError, match=r"call bind\(hop\) first"):
        FunctionCost(max, unit="seconds")(Y, Y_HAT)


def test_a_function_may_have_a_table():
    def table(y, n_frames):
        return (np.arange(n_frames) != y[:, None]).astype(float)

    cost = FunctionCost(lambda y, z: float((y != z).sum()), table)
    assert cost.decomposes
    assert cost.onset_cost(Y, 20)[np.arange(3), Y_HAT].sum() == cost(Y, Y_HAT) == 2.0
    with pytest.raises(ParameterError, match=r"shape \(3,\), must be \(K, T\)=\(3, 20\)"):
        FunctionCost(max, lambda y, n: np.zeros(3)).onset_cost(Y, 20)


def test_without_a_table_the_maximal_loss_is_refused():
    with pytest.raises(ParameterError, match="use loss='prediction'"):
        FunctionCost(max).onset_cost(Y, 20)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_a_function_must_return_a_cost(value):
    with pytest.raises(ParameterError, match=r"cost returned .*, must be finite and not negative"):
        FunctionCost(lambda y, z: value)(Y, Y_HAT)


def test_make_cost():
    assert make_cost("tolerance", tolerance=0.03) == ToleranceCost(0.03)
    assert make_cost("graded", tolerance=0.03) == GradedCost(0.03)
    assert make_cost("absolute") == AbsoluteCost()
    assert make_cost("ramp") == RampCost()
    graded = GradedCost(1, "frames")
    assert make_cost(graded) is graded
    assert isinstance(make_cost(lambda y, z: 0.0), FunctionCost)
    assert issubclass(GradedCost, OnsetCost)
    with pytest.raises(ParameterError, match="cost='hamming', must be 'tolerance'"):
        make_cost("hamming")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ToleranceCost(-0.01), "tolerance=-0.01, must be finite and not negative"),
        (lambda: ToleranceCost(np.nan), "tolerance=nan"),
        (lambda: ToleranceCost(1, "minutes"), "unit='minutes'"),
        (lambda: GradedCost(levels=0), "levels=0, must be a whole number"),
        (lambda: GradedCost(rounding="up"), "rounding='up'"),
        (lambda: AbsoluteCost("minutes"), "unit='minutes'"),
        (
            lambda: RampCost(full=0.01, free=0.01),
            r"free=0\.01, full=0\.01, must be 0 <= free < full",
        ),
        (lambda: RampCost(unit="minutes"), "unit='minutes'"),
        (lambda: FunctionCost(3), "function=3, must be callable"),
        (lambda: FunctionCost(max, unit="minutes"), "unit='minutes'"),
        (lambda: ToleranceCost(0.01).bind(0.0), "hop=0.0, must be a positive number of seconds"),
        (lambda: ToleranceCost(1, "frames")(Y, Y[:2]), r"y_pred.shape=\(2,\), must be the same"),
        (lambda: AbsoluteCost()(Y[None], Y[None]), r"y_true.shape=\(1, 3\)"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
