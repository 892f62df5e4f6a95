"""Every decoder against enumeration, the printed recursion, and the other decoders."""

import warnings
from dataclasses import replace
from importlib import import_module

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align import decoders
from align.errors import ParameterError
from align.potentials import Potentials


@numba.njit
def scrambled(k, t_before, t_onset, t_after):
    return float((7 * k + 3 * t_before + 5 * t_onset + 11 * t_after) % 13 - 6)


@numba.njit
def forbids_equal(k, t_before, t_onset, t_after):
    return -np.inf if t_after - t_onset == t_onset - t_before else 1.0


DECODERS = {
    0: [
        decoders.decode,
        decoders.decode_monotone,
        decoders.decode_semi_markov,
        decoders.decode_second_order,
        decoders.decode_general,
    ],
    1: [
        decoders.decode,
        decoders.decode_semi_markov,
        decoders.decode_second_order,
        decoders.decode_general,
    ],
    2: [decoders.decode, decoders.decode_second_order, decoders.decode_general],
    3: [decoders.decode, decoders.decode_general],
}


@st.composite
def small_potentials(draw, naive, order):
    """Integer-valued potentials of an order, so that sums are exact and ties real."""
    n_events = draw(st.integers(1, 4))
    functions = ()
    if order == 3:
        functions = draw(st.sampled_from([(scrambled,), (scrambled, forbids_equal)]))
    with_ratio = order == 2 or (order == 3 and draw(st.booleans()))
    return draw(
        naive.small_potentials(
            n_events,
            most_frames=10,
            duration={0: False, 3: None}.get(order, True),
            ratio=naive.ratios(n_events) if with_ratio else None,
            general=tuple(
                (draw(st.sampled_from([2.0, -1.0] if f is scrambled else [1.0, 2.0])), f)
                for f in functions
            ),
            labels=tuple("abcd"[:n_events]),
        )
    )


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@settings(max_examples=300)
@given(data=st.data())
def test_equals_enumeration_ties_included(naive, order, data):
    potentials = data.draw(small_potentials(naive, order))
    onsets, score = naive.enumerate_best(potentials)
    for decode in DECODERS[order]:
        if onsets is None:
            with pytest.raises(ParameterError, match=r"event \d|no timing|frames"):
                decode(potentials)
        else:
            path = decode(potentials)
            assert path.score == score
            assert path.onsets.tolist() == list(onsets)
            assert path.onsets.dtype == np.intp


@pytest.mark.parametrize("sign", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("longest", [1, 2, 3, 5, 9])
def test_second_order_equals_recursion_for_real_scores(naive, sign, longest):
    rng = np.random.default_rng(longest)
    for n_events in (1, 2, 3, 4):
        potentials = naive.random_potentials(rng, n_events, 9, longest=longest, sign=sign)
        expected = naive.recursion(potentials)
        if expected == -np.inf:
            with pytest.raises(ParameterError, match="max_length"):
                decoders.decode(potentials)
            continue
        for decode in (decoders.decode_second_order, decoders.decode_general):
            path = decode(potentials)
            assert path.score == pytest.approx(expected, abs=1e-10)
            assert potentials.score(path.onsets) == pytest.approx(path.score, abs=1e-10)


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("longest", [11, 40])
def test_second_order_equals_general_and_recursion_on_longer_problems(
    naive, sign, longest, windows
):
    rng = np.random.default_rng(5)
    for n_events in (4, 6):
        potentials = naive.random_potentials(
            rng, n_events, 40, longest=longest, sign=sign, windows=windows
        )
        path = decoders.decode_second_order(potentials)
        assert path.score == pytest.approx(decoders.decode_general(potentials).score, abs=1e-9)
        assert path.score == pytest.approx(potentials.score(path.onsets), abs=1e-9)
        assert path.score == pytest.approx(naive.recursion(potentials), abs=1e-9)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("strength", [1e-9, 1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_envelopes_of_every_density(naive, sign, strength, smooth):
    """Smooth concave scores put every line on the envelope, weak weights hardly any."""
    rng = np.random.default_rng(3)
    n_events, n_frames, longest = 5, 60, 25
    potentials = naive.random_potentials(rng, n_events, n_frames, longest=longest, sign=sign)
    ratio = potentials.ratio * strength
    duration = -((np.arange(longest + 1) - 9.3) ** 2) / 20 + np.zeros((3, 1))
    if not smooth:
        duration += rng.normal(size=duration.shape)
    onset = potentials.onset * (0.01 if smooth else 1.0)
    potentials = replace(potentials, ratio=ratio, duration=duration, onset=onset)
    path = decoders.decode_second_order(potentials)
    reference = decoders.decode_general(potentials)
    assert path.score == pytest.approx(reference.score, rel=1e-12, abs=1e-9)
    assert potentials.score(path.onsets) == pytest.approx(path.score, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("kappa", "score", "onsets"),
    [(-1.0, 1.21, [1, 3, 6]), (0.0, 1.5, [2, 3, 6]), (0.5, 2.00277778, [2, 3, 4])],
)
def test_golden_value_y16(kappa, score, onsets):
    i, t, d = np.arange(1, 4)[:, None], np.arange(1, 9)[None, :], np.arange(6)[None, :]
    scale = np.array([2.0, 3.0, 2.5])
    ratio = np.zeros((3, 3))
    ratio[1:, 0] = kappa / scale[1:] ** 2
    ratio[1:, 1] = kappa / scale[:-1] ** 2
    ratio[1:, 2] = -2 * kappa / (scale[1:] * scale[:-1])
    onset = ((7 * i + 5 * t) % 11) / 10.0
    onset[0, 5:] = -np.inf  # L0 = 5
    potentials = Potentials(
        onset,
        n_frames=8,
        duration=-((d - 1 - i) ** 2) / 4.0,
        duration_row=np.arange(3),
        ratio=ratio,
    )
    for decode in DECODERS[2]:
        path = decode(potentials)
        assert path.score == pytest.approx(score, abs=1e-8)
        assert (path.onsets + 1).tolist() == onsets


@pytest.mark.parametrize("order", [0, 1, 2])
def test_first_order_decoders_on_longer_problems(naive, order):
    """Blocks, sweeps of eight lengths, sliding windows: sizes that small problems never reach."""
    rng = np.random.default_rng(order)
    n_events, n_frames = (7, 60) if numba.config.DISABLE_JIT else (9, 1500)
    for longest in (n_frames // 7 + 2, n_frames // 4, n_frames):
        potentials = naive.random_potentials(
            rng, n_events, n_frames, longest=longest, order=min(order, 1)
        )
        if order == 2:
            potentials.min_length[:] = 4
        path = decoders.decode(potentials)
        assert path.score == pytest.approx(potentials.score(path.onsets), abs=1e-9)
        assert path.score == pytest.approx(naive.first_order_score(potentials), abs=1e-9)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_no_events(order):
    potentials = Potentials(np.zeros((0, 5)), n_frames=5, constant=1.5)
    for decode in DECODERS[order]:
        path = decode(potentials)
        assert path.onsets.shape == (0,)
        assert path.score == 1.5


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_one_frame(order):
    potentials = Potentials(
        np.array([[2.0]]), n_frames=1, general=((1.0, scrambled),) if order == 3 else ()
    )
    for decode in DECODERS[order]:
        path = decode(potentials)
        assert path.onsets.tolist() == [0]
        assert path.score == potentials.score([0])


@pytest.mark.parametrize("order", [0, 1, 2])
def test_equal_scores_begin_as_early_as_possible(order):
    duration = np.zeros((1, 8)) if order else None
    ratio = np.zeros((4, 3)) if order == 2 else None
    potentials = Potentials(np.zeros((4, 20)), n_frames=20, duration=duration, ratio=ratio)
    for decode in DECODERS[order]:  # the last length is at most 7 where there is a table
        assert decode(potentials).onsets.tolist() == ([0, 1, 6, 13] if order else [0, 1, 2, 3])


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("scale", [1e-12, 1e12, 1e100])
def test_scores_of_any_size(naive, order, scale):
    potentials = naive.random_potentials(np.random.default_rng(2), 4, 12, order=order)
    expected = decoders.decode(potentials)
    scaled = replace(
        potentials,
        onset=potentials.onset * scale,
        duration=None if order == 0 else potentials.duration * scale,
        ratio=None if order < 2 else potentials.ratio * scale,
        constant=potentials.constant * scale,
    )
    path = decoders.decode(scaled)
    assert path.onsets.tolist() == expected.onsets.tolist()
    assert path.score == pytest.approx(expected.score * scale, rel=1e-10)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_float32_and_awkward_tables(naive, order):
    potentials = naive.random_potentials(np.random.default_rng(4), 5, 30, order=order)
    single = potentials.onset.astype(np.float32)
    expected = decoders.decode(replace(potentials, onset=single.astype(np.float64)))
    frozen = single.copy()
    frozen.flags.writeable = False
    for onset in (single, np.asfortranarray(single), np.repeat(single, 2, 1)[:, ::2], frozen):
        path = decoders.decode(replace(potentials, onset=onset))
        assert path.onsets.tolist() == expected.onsets.tolist()
        assert path.score == pytest.approx(expected.score, rel=1e-14)


def test_inputs_are_not_changed(naive):
    potentials = naive.random_potentials(np.random.default_rng(6), 4, 20)
    kept = [potentials.onset.copy(), potentials.duration.copy(), potentials.ratio.copy()]
    decoders.decode(potentials)
    now = [potentials.onset, potentials.duration, potentials.ratio]
    assert all(np.array_equal(a, b) for a, b in zip(kept, now, strict=True))


def test_windows_that_touch_leave_one_choice():
    potentials = Potentials(
        np.zeros((3, 1)), n_frames=9, start=np.array([2, 4, 5]), ratio=np.zeros((3, 3))
    )
    for decode in DECODERS[2]:
        assert decode(potentials).onsets.tolist() == [2, 4, 5]


def test_padding_of_the_onset_table_is_not_read():
    onset = np.array([[0.0, np.nan], [1.0, 2.0]])
    potentials = Potentials(onset, 4, start=np.array([0, 1]), stop=np.array([1, 3]))
    assert decoders.decode(potentials).onsets.tolist() == [0, 2]


def test_decode_picks_the_cheapest_exact_decoder(monkeypatch):
    # the module, not the function of the same package
    dispatch = __import__("align.decoders.dispatch", fromlist=["decode"])
    late = [import_module(f"align.decoders.{name}") for name in ("second_order", "general")]
    called = []
    for module, name in zip(
        [dispatch, dispatch, *late],
        ("monotone", "semi_markov", "second_order", "general"),
        strict=True,
    ):
        monkeypatch.setattr(
            module, f"decode_{name}", lambda p, name=name, **options: called.append(name)
        )
    onset, ratio = np.zeros((2, 4)), np.array([[0.0, 0, 0], [-1.0, -1, 2]])
    for options in (
        {},
        {"ratio": np.zeros((2, 3))},
        {"duration": np.zeros((1, 4))},
        {"duration": np.zeros((1, 4)), "ratio": ratio},
        {"ratio": ratio, "general": ((1.0, scrambled),)},
    ):
        decoders.decode(Potentials(onset, n_frames=4, **options))
    assert called == ["monotone", "monotone", "semi_markov", "second_order", "general"]


def test_long_lengths_need_wide_back_pointers():
    if numba.config.DISABLE_JIT:
        pytest.skip("140,000 frames are for compiled kernels")
    n_frames = 140_000
    ratio = np.array([[0.0, 0.0, 0.0], [-1e-6, -1e-6, 2e-6], [-1e-6, -1e-6, 2e-6]])
    start = np.array([0, 70_000, 139_990])
    potentials = Potentials(np.zeros((3, 5)), n_frames, start=start, ratio=ratio)
    onset = potentials.onset
    onset[0, 2] = onset[1, 3] = onset[2, 4] = 1e6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = decoders.decode_second_order(potentials)
    assert path.onsets.tolist() == [2, 70_003, 139_994]
    assert path.score == pytest.approx(potentials.score(path.onsets))


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_an_event_of_length_0_begins_with_the_next(order):
    onset = np.array([[0.0, 0, 0, 0], [0, 0, 9, 0], [0, 0, 9, 0], [0, 9, 0, 0]])
    potentials = Potentials(
        onset,
        n_frames=4,
        min_length=np.array([1, 0, 1, 1]),
        duration=np.zeros((1, 5)) if order else None,
        ratio=np.zeros((4, 3)) if order == 2 else None,
        general=((1.0, scrambled),) if order == 3 else (),
    )
    for decode in DECODERS[order]:
        path = decode(potentials)
        assert path.score == potentials.score(path.onsets)
        assert path.onsets[1] == path.onsets[2]
    last = replace(potentials, min_length=np.zeros(4, dtype=int), start=np.full(4, 3), onset=onset)
    for decode in DECODERS[order]:  # an onset is a frame, so the last event has one
        assert decode(last).onsets.tolist() == [3, 3, 3, 3]
