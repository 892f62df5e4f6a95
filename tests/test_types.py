"""Events, terms and potentials: the value of base functions, and what folding makes of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.potentials import Potentials
from align.terms import BaseFunctions, DurationTerm, GeneralTerm, OnsetTerm, RatioTerm, SegmentTerm
from align.types import Example, Note


def general(k: int, before: int, onset: int, after: int) -> float:
    return 0.1 * k + (after - onset) * (onset - before) ** 2 % 7


def slow_value(term, onsets, n_frames):
    """The sum of psi over the events, one event at a time, straight from the definitions."""
    y = [*onsets, n_frames]
    total = 0.0
    for k in range(len(onsets)):
        length = y[k + 1] - y[k]
        if isinstance(term, RatioTerm):
            if k > 0 and term.gate[k]:
                before = (y[k] - y[k - 1]) / term.scale[k - 1]
                total += (length / term.scale[k] - before) ** 2
        elif isinstance(term, GeneralTerm):
            total += term.function(k, y[k - 1] if k else -1, y[k], y[k + 1])
        elif term.rows[k] >= 0:
            row = term.rows[k]
            if isinstance(term, OnsetTerm):
                total += term.table[row, y[k]]
            elif isinstance(term, DurationTerm):
                total += term.table[row, min(length, term.table.shape[1] - 1)]
            else:
                frames = np.diff(term.prefix[row])
                total += frames[y[k] : y[k + 1]].sum()
    return total


@st.composite
def cases(draw):
    """Random base functions, weights, windows and lengths, and onsets that may break them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_frames = draw(st.integers(1, 14))
    k = draw(st.integers(1, min(5, n_frames)))

    def rows(s):
        return rng.integers(-1, s, k)

    terms = []
    for kind in draw(st.lists(st.sampled_from("osdrg"), min_size=1, max_size=6)):
        s = int(rng.integers(1, 4))
        if kind == "o":
            table = rng.normal(size=(s, n_frames)).astype(rng.choice([np.float32, np.float64]))
            terms.append(OnsetTerm(table, rows(s)))
        elif kind == "s":
            terms.append(SegmentTerm.from_frames(rng.normal(size=(s, n_frames)), rows(s)))
        elif kind == "d":
            width = int(rng.integers(2, n_frames + 3))
            terms.append(DurationTerm(rng.normal(size=(s, width)), rows(s)))
        elif kind == "r":
            scale = rng.uniform(0.5, 5.0, k)
            terms.append(RatioTerm(scale, rng.random(k) < 0.6))
        else:
            terms.append(GeneralTerm(general))
    windows = None
    if draw(st.booleans()):
        start = np.sort(rng.integers(0, n_frames, k))
        stop = np.maximum(np.sort(rng.integers(1, n_frames + 1, k)), start)
        windows = np.stack([start, stop], axis=1)
    limits = rng.integers(1, n_frames + 1, k) if draw(st.booleans()) else None
    shortest = rng.integers(1, 3, k) if draw(st.booleans()) else None
    x = BaseFunctions(
        terms,
        [f"f{j}" for j in range(len(terms))],
        k,
        n_frames,
        max_length=limits,
        min_length=shortest,
        windows=windows,
    )
    weights = rng.normal(size=len(terms)) * (rng.random(len(terms)) < 0.8)
    onsets = np.sort(rng.choice(n_frames, k, replace=False))
    return SimpleNamespace(x=x, weights=weights, onsets=onsets, windows=windows)


@given(cases())
def test_folding_keeps_the_score(case):
    x, y, w = case.x, case.onsets, case.weights
    phi = x.phi(y)
    slow = [slow_value(term, y, x.n_frames) for term in x.terms]
    np.testing.assert_allclose(phi, slow, rtol=1e-6, atol=1e-9)
    potentials = x.potentials(w)
    lengths = np.diff(y, append=x.n_frames)
    widths = [t.table.shape[1] - 1 for t in x.terms if isinstance(t, DurationTerm)]
    legal = (lengths <= min(widths, default=x.n_frames)).all()
    if x.max_length is not None:
        legal &= (lengths <= x.max_length).all()
    if x.min_length is not None:
        legal &= (lengths >= x.min_length).all()
    if case.windows is not None:
        legal &= ((y >= case.windows[:, 0]) & (y < case.windows[:, 1])).all()
    if legal:
        assert potentials.score(y) == pytest.approx(w @ phi, rel=1e-5, abs=1e-5)
    else:
        assert potentials.score(y) == -np.inf


@given(cases(), st.integers(0, 2**32 - 1))
def test_onset_costs_add_up(case, seed):
    x, y = case.x, case.onsets
    cost = np.random.default_rng(seed).random((x.n_events, x.n_frames))
    potentials = x.potentials(case.weights)
    before = potentials.onset.copy()
    raised = potentials.add_onset_cost(cost)
    np.testing.assert_array_equal(potentials.onset, before)  # a copy was raised
    if potentials.score(y) > -np.inf:
        expected = potentials.score(y) + cost[np.arange(x.n_events), y].sum()
        assert raised.score(y) == pytest.approx(expected)
    else:
        assert raised.score(y) == -np.inf


def test_a_weight_of_zero_leaves_the_potentials_first_order():
    x = BaseFunctions(
        [RatioTerm(np.ones(2), np.array([False, True])), GeneralTerm(general)], ["r", "g"], 2, 5
    )
    potentials = x.potentials(np.zeros(2))
    assert potentials.ratio is None
    assert potentials.general == ()


def test_rows_of_duration_terms_combine():
    first = DurationTerm(np.arange(10.0).reshape(2, 5), np.array([0, 1, 0, 0]))
    second = DurationTerm(100 * np.arange(12.0).reshape(2, 6), np.array([1, 1, 1, -1]))
    x = BaseFunctions([first, second], ["a", "b"], 4, 4)
    potentials = x.potentials(np.array([1.0, 1.0]))
    assert potentials.duration.shape == (3, 5)  # of (0, 1), (1, 1) and (0, -1), the shorter table
    y = np.arange(4)
    assert potentials.score(y) == first.value(y, 4) + second.value(y, 4) == 1 + 6 + 1 + 1 + 3 * 700


def test_no_events():
    potentials = Potentials(np.zeros((0, 4)), n_frames=4, constant=2.5)
    assert potentials.n_events == 0
    assert potentials.score([]) == 2.5
    x = BaseFunctions([], [], 0, 4, windows=np.zeros((0, 2), dtype=np.intp))
    assert x.potentials(np.zeros(0)).onset.shape == (0, 0)


def test_scores_outside_windows_and_lengths():
    potentials = Potentials(
        np.zeros((2, 3)), n_frames=6, start=[0, 2], min_length=[1, 2], max_length=[4, 6]
    )
    assert potentials.score([0, 2]) == 0.0
    for broken in ([0, 1], [3, 4], [0, 5], [2, 2]):
        assert potentials.score(broken) == -np.inf
    assert potentials.label(1) == "event 2"
    assert Potentials(np.zeros((1, 3)), n_frames=3, labels=("ae",)).label(0) == "event 1 ('ae')"


ZEROS = np.zeros((2, 4))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"onset": np.zeros(3)}, r"onset.shape=\(3,\), must be \(K, W\)"),
        ({"n_frames": -1}, "n_frames=-1, must not be negative"),
        ({"start": [0, 0, 0]}, r"start.shape=\(3,\), must be \(K,\)=\(2,\)"),
        ({"start": [-1, 0]}, "must lie within the recording"),
        ({"stop": [4, 5]}, "must lie within the recording and the onset table"),
        ({"start": [1, 0]}, "windows must not go backwards"),
        ({"stop": [4, 3]}, "windows must not go backwards"),
        ({"duration": np.zeros((1, 5)), "duration_row": [0, 1]}, r"must lie in 0\.\.0"),
        ({"min_length": [-1, 1]}, "min_length must not be negative"),
        ({"ratio": np.zeros((2, 2))}, r"ratio.shape=\(2, 2\), must be \(K, 3\)=\(2, 3\)"),
        ({"ratio": np.ones((2, 3))}, r"ratio\[0\] must be zero"),
    ],
)
def test_wrong_potentials(options, message):
    with pytest.raises(ParameterError, match=message):
        Potentials(**{"onset": ZEROS, "n_frames": 4, **options})


def test_wrong_onsets_and_costs():
    potentials = Potentials(ZEROS, n_frames=4)
    with pytest.raises(ParameterError, match=r"onsets.shape=\(1,\), must be \(K,\)=\(2,\)"):
        potentials.score([0])
    with pytest.raises(ParameterError, match=r"cost.shape=\(2, 3\), must be \(K, T\)=\(2, 4\)"):
        potentials.add_onset_cost(np.zeros((2, 3)))


ROWS = np.array([0, -1])


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (OnsetTerm(np.zeros((1, 5)), ROWS), r"'f': table.shape=\(1, 5\), must be \(S, T\)=\(S, 4"),
        (SegmentTerm(np.zeros((1, 4)), ROWS), r"prefix.shape=\(1, 4\), .* \(S, T \+ 1\)=\(S, 5"),
        (DurationTerm(np.zeros((1, 1)), ROWS), r"must be \(S, L \+ 1\), L > 0"),
        (OnsetTerm(np.zeros((1, 4)), np.array([0])), "rows must hold, for each of the 2 events"),
        (OnsetTerm(np.zeros((1, 4)), np.array([0, 1])), "row of table, which has 1"),
        (OnsetTerm(np.full((1, 4), np.nan), ROWS), "base function 'f' is not finite"),
        (DurationTerm(np.full((1, 4), -np.inf), ROWS), "base function 'f' is not finite"),
        (RatioTerm(np.ones(3), np.zeros(2, bool)), r"scale.shape=\(3,\), must be \(K,\)=\(2,\)"),
        (RatioTerm(np.array([0.0, 1.0]), np.array([False, True])), "scale must be positive"),
        (RatioTerm(np.array([1.0, np.nan]), np.array([False, True])), "scale must be positive"),
    ],
)
def test_terms_that_do_not_suit_the_recording_are_named(term, message):
    with pytest.raises(ParameterError, match=message):
        BaseFunctions([term], ["f"], 2, 4)


def test_onsets_do_not_go_backwards():
    functions = BaseFunctions([], [], 3, 4)
    assert functions.phi([1, 2, 2]).size == 0
    with pytest.raises(ParameterError, match=r"onsets\[1\]=3 and onsets\[2\]=2 go backwards"):
        functions.phi([1, 3, 2])


def test_names_and_weights_must_match():
    with pytest.raises(ParameterError, match="0 terms but 1 names"):
        BaseFunctions([], ["f"], 2, 4)
    with pytest.raises(ParameterError, match=r"weights.shape=\(2,\), must be \(J,\)=\(0,\)"):
        BaseFunctions([], [], 2, 4).potentials(np.ones(2))


def test_examples():
    example = Example("a/b.wav", ["x", Note(69, 0.5)], [0, 1])
    assert example.name == "a/b.wav"
    assert example.events == ("x", Note(69, 0.5))
    assert str(example.events[1]) == "69"
    assert example.onsets.dtype == np.float64
    samples = np.zeros(3)
    assert Example(samples, ["x"]).name == ""
    with pytest.raises(ParameterError, match=r"onsets.shape=\(1,\), must be \(K,\)=\(2,\)"):
        Example("b.wav", ["x", "y"], [0.0])
    with pytest.raises(ParameterError, match="events='sil k', must be a sequence; split"):
        Example("b.wav", "sil k")


def test_examples_are_compared_by_identity():
    first, second = (Example(np.zeros(3), ["x"], [0.0]) for _ in range(2))
    assert first == first
    assert first != second
    assert len({first, second}) == 2
