"""What cannot be decoded: one sentence that names the event and says what to do."""

import re

import numba
import numpy as np
import pytest

from align import decoders
from align.errors import ParameterError
from align.potentials import Potentials
from align.terms import BaseFunctions, DurationTerm, OnsetTerm, RatioTerm, SegmentTerm


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
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_scores_that_are_not_numbers_or_may_add_up_to_none(decode, value):
    potentials = potentials_of(3, 6)
    potentials.onset[2, 4] = value
    wrong = rf"event 3 \('c'\) has score {re.escape(str(value))} at frame 4; .* below 1e\+300"
    with pytest.raises(ParameterError, match=wrong):
        decode(potentials)
    if value < 1e301:
        return
    with pytest.raises(ParameterError, match=f"constant={value}"):
        decode(potentials_of(3, 6, constant=value))


@pytest.mark.parametrize("decode", FOUR[1:])
def test_lengths_that_are_not_numbers(decode):
    duration = np.zeros((2, 5))
    duration[1, 3] = np.nan
    with pytest.raises(ParameterError, match=r"duration\[1, 3\]=nan"):
        decode(potentials_of(2, 4, duration=duration))


@pytest.mark.parametrize("decode", FOUR[2:])
@pytest.mark.parametrize("value", [np.nan, -np.inf, 1e299])
def test_ratios_that_are_not_numbers(decode, value):
    ratio = np.zeros((2, 3))
    ratio[1, 2] = value
    wrong = rf"ratio\[1, 2\]={re.escape(str(value))} of event 2 \('b'\)"
    with pytest.raises(ParameterError, match=wrong):
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


ONSET = np.array([[4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"onset": np.ma.masked_less(ONSET, ONSET.max())}, "onset has masked entries; fill them"),
        ({"onset": ONSET + 1j}, r"onset is an array of complex128, must hold real numbers"),
        ({"onset": ONSET.astype(str)}, r"onset is an array of <U32, must hold real numbers"),
        ({"onset": [[None, "a"]] * 2}, r"onset is an array of object, must hold real numbers"),
        ({"n_frames": 4.0}, r"n_frames=4.0, must be a whole number"),
        ({"n_frames": "4"}, r"n_frames='4', must be a whole number"),
        ({"start": [0.5, 1.0]}, r"start=\[0.5, 1.0\], must hold whole frames"),
        ({"min_length": [1, np.nan]}, r"min_length=\[1.0, nan\], must hold whole frames"),
        ({"min_length": [1, np.inf]}, r"min_length=\[1.0, inf\], must hold whole frames"),
        ({"min_length": [1, 1e300]}, r"min_length=\[1.0, 1e\+300\], must hold whole frames"),
        ({"min_length": np.array([1, None])}, r"min_length=\[1, None\], must hold whole frames"),
        ({"max_length": ["2", "2"]}, r"max_length=\['2', '2'\], must hold whole frames"),
        ({"duration": np.zeros(5)}, r"duration.shape=\(5,\), must be \(R, L \+ 1\)"),
        ({"duration": [["a"]]}, r"duration is an array of <U1, must hold real numbers"),
        ({"labels": ("a",)}, r"labels has 1, must have K=2"),
    ],
)
def test_tables_that_are_none(options, message):
    with pytest.raises(ParameterError, match=message):
        Potentials(**{"onset": ONSET, "n_frames": 4} | options)


def test_lists_and_whole_numbers_are_tables():
    table = Potentials(
        ONSET.astype(int).tolist(), np.int32(4), min_length=[1.0, 1.0], duration=[[0] * 5]
    )
    assert decoders.decode(table).onsets.tolist() == [0, 2]
    assert table.add_onset_cost([[0, 9.5, 0, 0], [0, 0, 0, 0]]).score([1, 2]) == 12.5
    with pytest.raises(ParameterError, match=r"onsets=\[0.5, 2.0\], must hold whole frames"):
        table.score([0.5, 2])


def test_objects_and_truths_are_whole_frames():
    table = Potentials(
        ONSET,
        4,
        start=np.array([0, 1], dtype=object),
        stop=[3, 4],
        min_length=np.array([True, False]),
        labels=np.array(["a", "b"]),
    )
    assert table.start.dtype == table.min_length.dtype == np.intp
    assert decoders.decode(table).onsets.tolist() == [0, 3]  # its scores begin at frame 1


def test_what_is_no_potentials():
    with pytest.raises(ParameterError, match="potentials is of type ndarray, must be Potentials"):
        decoders.decode(ONSET)
    with pytest.raises(ParameterError, match=r"k=1.5, must be a whole number"):
        decoders.decode_k_best(Potentials(ONSET, 4), 1.5)


ROWS = np.arange(2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OnsetTerm(ONSET, [0.0, 1.0]), r"'f': rows must hold, for each of the 2 events"),
        (lambda: OnsetTerm(ONSET, [0, -2]), r"'f': rows must hold, for each of the 2 events"),
        (lambda: OnsetTerm(ONSET.astype(str), ROWS), r"'f': table is an array of <U32, must hold"),
        (lambda: OnsetTerm(ONSET + 1j, ROWS), r"'f': table is an array of complex128, must hold"),
        (lambda: ONSET, r"'f' is of type ndarray, must be a term of align.terms"),
        (
            lambda: SegmentTerm.from_frames(np.ma.masked_equal(ONSET, 4.0), ROWS),
            "scores has masked entries; fill them",
        ),
        (lambda: OnsetTerm(np.ma.masked_equal(ONSET, 4.0), ROWS), "table has masked entries"),
        (
            lambda: SegmentTerm.from_frames(ONSET[0], ROWS),
            r"scores.shape=\(4,\), must be \(S, T\)",
        ),
    ],
)
def test_terms_that_are_none(make, message):
    with pytest.raises(ParameterError, match=message):
        BaseFunctions([make()], ["f"], 2, 4)


def test_base_functions_of_lists():
    terms = [
        OnsetTerm(ONSET.tolist(), [0, 1]),
        SegmentTerm.from_frames(ONSET.tolist(), [1, 0]),
        DurationTerm([[0.0, 1.0, 2.0, 1.0, 0.0]], [0, -1]),
        RatioTerm([1.0, 2.0], [False, True]),
    ]
    windows = [(0, 1), (0, 4)]
    functions = BaseFunctions(terms, list("abcd"), 2, 4, windows=windows, max_length=[4, 4])
    found = decoders.decode(functions.potentials([1.0, 0.0, 1.0, -1.0]))
    score = functions.phi(found.onsets.tolist()) @ [1.0, 0.0, 1.0, -1.0]
    assert found.onsets.tolist() == [0, 2]
    assert score == found.score
    nothing = BaseFunctions([OnsetTerm(np.zeros((0, 4)), [])], ["a"], 0, 4)
    assert nothing.potentials([1.0]).n_events == 0


def test_onsets_and_weights_that_do_not_fit():
    functions = BaseFunctions([OnsetTerm(ONSET, ROWS)], ["f"], 2, 4)
    for onsets, message in [
        ([0], r"onsets.shape=\(1,\), must be \(K,\)=\(2,\)"),
        ([-1, 2], r"onsets lie in -1..2, must lie in the recording, 0..3"),
        ([0, 4], r"onsets lie in 0..4, must lie in the recording, 0..3"),
    ]:
        with pytest.raises(ParameterError, match=message):
            functions.phi(onsets)
    with pytest.raises(ParameterError, match=r"weights.shape=\(1, 1\), must be \(J,\)=\(1,\)"):
        functions.potentials([[1.0]])
    with pytest.raises(ParameterError, match=r"windows.shape=\(2,\), must be \(K, 2\)=\(2, 2\)"):
        BaseFunctions([OnsetTerm(ONSET, ROWS)], ["f"], 2, 4, windows=[0, 1])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8])
def test_rows_are_whole_numbers_of_any_size(dtype):
    functions = BaseFunctions([OnsetTerm(ONSET, ROWS.astype(dtype))], ["f"], 2, 4)
    assert functions.phi([0.0, 2.0]).tolist() == [ONSET[0, 0] + ONSET[1, 2]]
    with pytest.raises(ParameterError, match=r"onsets=\[0.5, 2.0\], must hold whole frames"):
        functions.phi([0.5, 2.0])
