"""What cannot be decoded: one sentence that names the event and says what to do."""

import numba
import numpy as np
import pytest

from align import decoders
from align.errors import ParameterError
from align.potentials import Potentials


@numba.njit
def constant_one(k, t_before, t_onset, t_after):
    return 1.0


@numba.njit
def not_a_number(k, t_before, t_onset, t_after):
    return np.nan if k == 1 and t_after == 5 else 0.0


def potentials_of(n_events, n_frames, **options):
    options.setdefault("labels", tuple("abcdefghijklmnop"[:n_events]))
    width = options.pop("width", n_frames)
    return Potentials(np.zeros((n_events, width)), n_frames, **options)


FOUR = [
    decoders.decode_monotone,
    decoders.decode_semi_markov,
    decoders.decode_second_order,
    decoders.decode_general,
]


@pytest.mark.parametrize("decode", FOUR)
@pytest.mark.parametrize(
    ("potentials", "message"),
    [
        (
            potentials_of(12, 10),
            r"event 11 \('k'\) cannot begin: more events than frames \(K=12, T=10\)",
        ),
        (potentials_of(2, 0), r"event 1 \('a'\) cannot begin: more events than frames"),
        (
            potentials_of(4, 10, min_length=np.full(4, 3)),
            r"event 4 \('d'\) does not fit: .*4 events add up to 12 frames, the recording has 10",
        ),
        (
            potentials_of(3, 10, max_length=np.array([2, 3, 2]), stop=np.array([2, 10, 10])),
            r"event 3 \('c'\) cannot last to the end .* frame 10: .*frame 8 at most; raise max_l",
        ),
        (
            potentials_of(3, 20, start=np.array([5, 6, 8]), stop=np.array([7, 8, 9]),
                          min_length=np.array([1, 4, 1]), width=5),
            r"event 3 \('c'\) cannot begin between frames 8 and 8: the events before it end at "
            r"frame 10 at the earliest; widen its window or lower min_length",
        ),
        (
            potentials_of(3, 20, start=np.array([0, 2, 12]), stop=np.array([2, 5, 14]),
                          max_length=np.array([3, 4, 9]), width=5),
            r"event 3 \('c'\) cannot begin between frames 12 and 13: the events before it end at "
            r"frame 8 at the latest; widen its window or raise max_length",
        ),
        (
            potentials_of(2, 9, start=np.array([2, 5]), stop=np.array([4, 5]), width=4),
            r"event 2 \('b'\) cannot begin: its window is empty \(start=5, stop=5\)",
        ),
        (
            potentials_of(2, 9, start=np.array([0, 8]), min_length=np.array([1, 3]), width=1),
            r"event 2 \('b'\) cannot end with the recording, at frame 9: it begins at frame 8 at "
            r"the earliest and lasts at least 3",
        ),
        (
            potentials_of(2, 9, min_length=np.array([1, 5]), max_length=np.array([9, 4])),
            r"event 2 \('b'\) has min_length=5 above max_length=4",
        ),
        (potentials_of(3, 2, labels=()), r"^event 3 cannot begin: more events than frames"),
    ],
)  # fmt: skip
def test_timings_that_cannot_be_met(decode, potentials, message):
    with pytest.raises(ParameterError, match=message):
        decode(potentials)


@pytest.mark.parametrize("decode", FOUR)
def test_no_finite_score(decode):
    forbidden = potentials_of(3, 6)
    forbidden.onset[1] = -np.inf
    with pytest.raises(ParameterError, match=r"event 2 \('b'\) .* begin at, 1 to 4: no timing"):
        decode(forbidden)
    crossed = potentials_of(2, 6)
    crossed.onset[0, :4] = -np.inf
    crossed.onset[1, 4:] = -np.inf
    with pytest.raises(ParameterError, match=r"event 2 \('b'\) has score -inf wherever"):
        decode(crossed)


@pytest.mark.parametrize("decode", FOUR[1:])
def test_no_finite_length(decode):
    duration = np.array([[0.0, 0.0, 0.0, 0.0], [-np.inf] * 4])
    with pytest.raises(ParameterError, match=r"event 2 \('b'\) .* it can have, 1 to 3 frames: no"):
        decode(potentials_of(2, 4, duration=duration, duration_row=np.array([0, 1])))
    odd = potentials_of(2, 5, duration=np.array([[0.0, -np.inf, 0.0, -np.inf, 0.0, -np.inf]]))
    odd.onset[0, 1:] = -np.inf
    with pytest.raises(ParameterError, match=r"event 2 \('b'\) cannot last to the end"):
        decode(odd)


@pytest.mark.parametrize("decode", FOUR)
def test_what_lies_outside_a_window_is_not_read(decode):
    onset = np.array([[0.0, 1.0, np.nan, np.inf], [4.0, 5.0, np.nan, np.nan]])
    windows = {"start": np.array([0, 2]), "stop": np.array([2, 4])}
    found = decode(Potentials(onset, 4, **windows))
    assert (found.onsets.tolist(), found.score) == ([1, 3], 1.0 + 5.0)


@pytest.mark.parametrize("decode", FOUR)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_scores_that_are_not_numbers(decode, value):
    potentials = potentials_of(3, 6)
    potentials.onset[2, 4] = value
    with pytest.raises(ParameterError, match=rf"event 3 \('c'\) has score {value} at frame 4"):
        decode(potentials)
    with pytest.raises(ParameterError, match=f"constant={value}"):
        decode(potentials_of(3, 6, constant=value))


@pytest.mark.parametrize("decode", FOUR[1:])
def test_lengths_that_are_not_numbers(decode):
    duration = np.zeros((2, 5))
    duration[1, 3] = np.nan
    with pytest.raises(ParameterError, match=r"duration\[1, 3\]=nan"):
        decode(potentials_of(2, 4, duration=duration))


@pytest.mark.parametrize("decode", FOUR[2:])
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_ratios_that_are_not_numbers(decode, value):
    ratio = np.zeros((2, 3))
    ratio[1, 2] = value
    with pytest.raises(ParameterError, match=rf"ratio\[1, 2\]={value} of event 2 \('b'\)"):
        decode(potentials_of(2, 4, ratio=ratio))


@pytest.mark.parametrize(
    ("decode", "options", "message"),
    [
        (decoders.decode_monotone, {"duration": np.ones((1, 5))}, "cannot score duration"),
        (decoders.decode_monotone, {"ratio": np.diag([0, 1.0, 1])}, "cannot score ratio"),
        (decoders.decode_semi_markov, {"ratio": np.diag([0, 1.0, 1])}, "cannot score ratio"),
        *((d, {"general": ((1.0, constant_one),)}, "cannot score general") for d in FOUR[:3]),
    ],
)
def test_scores_a_decoder_does_not_know(decode, options, message):
    with pytest.raises(ParameterError, match=message):
        decode(potentials_of(3, 6, **options))


def test_general_function_that_returns_nan():
    where = r"NaN or \+inf for event 2 \('b'\).*t_before=0, t_onset=1, t_after=5\)"
    with pytest.raises(ParameterError, match=where):
        decoders.decode(potentials_of(3, 8, general=((1.0, not_a_number),)))


def test_general_weight_that_is_not_a_number():
    with pytest.raises(ParameterError, match=r"weights of general functions .* must be finite"):
        decoders.decode(potentials_of(3, 8, general=((np.inf, constant_one),)))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_general_function_that_is_not_compiled():
    def plain(k, t_before, t_onset, t_after):
        return 0.0

    with pytest.raises(ParameterError, match=r"plain is not compiled; .* with numba\.njit"):
        decoders.decode(potentials_of(3, 8, general=((1.0, plain),)))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_general_function_that_cannot_be_compiled():
    @numba.njit
    def wrong(k, t_before, t_onset, t_after):
        return k.nothing_of_the_kind

    with pytest.raises(ParameterError, match=r"numba cannot compile the general functions \(wro"):
        decoders.decode(potentials_of(3, 8, general=((1.0, wrong),)))
