"""The same answers in little memory and in several threads."""

import sys
import tracemalloc
from dataclasses import replace

import numba
import numpy as np
import pytest

from align import decoders
from align.decoders import _rows
from align.decoders._windows import check_values
from align.decoders.second_order import _checkpoints, _pruned
from align.errors import ParameterError
from align.potentials import Potentials


def make(naive, order, sign, seed=0, n_events=23, n_frames=70):
    return naive.random_potentials(
        np.random.default_rng(seed), n_events, n_frames, longest=12, order=order, sign=sign
    )


def least(potentials):
    with pytest.raises(ParameterError, match=r"max_memory=1, must be at least \d+ bytes") as error:
        decoders.decode(potentials, max_memory=1)
    return int(str(error.value).split("at least ")[1].split(" bytes")[0])


@pytest.mark.parametrize(("order", "sign"), [(0, None), (1, None), (2, 1.0), (2, -1.0)])
@pytest.mark.parametrize("n_events", [1, 2, 3, 4, 5, 9, 23])
def test_any_budget_gives_the_same_path(naive, order, sign, n_events):
    n_frames = 70 if n_events > 6 else 12 * n_events - 3
    potentials = make(naive, order, sign, n_events=n_events, n_frames=n_frames)
    expected = decoders.decode(potentials)
    need = least(potentials)
    for factor in (1.0, 1.2, 1.5, 2.0, 4.0, 30.0):
        path = decoders.decode(potentials, max_memory=int(need * factor))
        assert path.score == pytest.approx(expected.score, abs=1e-9)
        assert path.onsets.tolist() == expected.onsets.tolist()
    if sign != -1.0:  # bounds may leave little enough to decode in less
        with pytest.raises(ParameterError, match="must be at least"):
            decoders.decode(potentials, max_memory=need - 1)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_what_is_stored_without_being_asked_is_bounded(naive, order, monkeypatch):
    potentials = make(naive, order, 1.0)
    expected = decoders.decode(potentials)
    monkeypatch.setattr(_checkpoints, "_ENOUGH", 1)
    monkeypatch.setattr(_rows, "_ENOUGH", 1)
    path = decoders.decode(potentials)
    assert path.score == expected.score
    assert path.onsets.tolist() == expected.onsets.tolist()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="large problems are for kernels")
@pytest.mark.parametrize(
    ("order", "sign", "dtype"),
    [
        (0, None, np.float64),
        (1, None, np.float64),
        (2, 1.0, np.float64),
        (2, -1.0, np.float32),  # is copied to float64
    ],
)
def test_the_budget_is_kept(naive, order, sign, dtype):
    potentials = make(naive, order, sign, n_events=400, n_frames=4000)
    potentials = replace(potentials, onset=potentials.onset.astype(dtype))
    expected = decoders.decode(potentials)
    whole = peak(potentials, None)
    need = least(potentials)
    assert need < 0.5 * whole
    for budget in (need, 2 * need):
        assert peak(potentials, budget) <= budget + 200_000  # windows and Python's own
    path = decoders.decode(potentials, max_memory=need)
    assert path.onsets.tolist() == expected.onsets.tolist()


def peak(potentials, max_memory):
    decoders.decode(potentials, max_memory=max_memory)
    tracemalloc.start()
    decoders.decode(potentials, max_memory=max_memory)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_what_bounds_took_is_given_back_before_envelopes(monkeypatch):
    """What the bounds took is not on top of `max_memory`."""
    rng = np.random.default_rng(0)
    ratio = np.zeros((60, 3))
    ratio[1:] = [-1e-3, -1e-3, 2e-3]
    longest = np.full(60, 60)
    potentials = Potentials(rng.normal(size=(60, 900)), 900, ratio=ratio, max_length=longest)
    asked = []

    def no_room(*args):
        asked.append(1)
        return np.nan, -np.inf

    monkeypatch.setattr(_pruned, "search", no_room)
    for max_memory in (5_000_000, 7_000_000):
        assert peak(potentials, max_memory) <= max_memory + 200_000
    assert asked


@pytest.mark.parametrize("max_memory", [0, -5])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_budgets_that_are_not_positive(naive, order, max_memory):
    with pytest.raises(ParameterError, match=f"max_memory={max_memory}, must be positive"):
        decoders.decode(make(naive, order, 1.0), max_memory=max_memory)


def test_general_functions_have_no_budget():
    potentials = Potentials(np.zeros((2, 5)), 5, general=((1.0, max),))
    with pytest.raises(ParameterError, match="max_memory=100, must be None for general"):
        decoders.decode(potentials, max_memory=100)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_read_the_table_that_was_given(dtype):
    potentials = Potentials(np.zeros((3, 9), dtype=dtype), 9)
    assert check_values(potentials, single=True) is potentials.onset
    assert (check_values(potentials) is potentials.onset) == (dtype == np.float64)


def test_a_large_table_of_float32_is_read_without_a_copy():
    table = np.zeros((200, 2000), dtype=np.float32)
    potentials = Potentials(table, 2000, max_length=np.full(200, 30))
    assert peak(potentials, least(potentials)) < 0.5 * table.nbytes


@pytest.mark.parametrize("order", [0, 1, 2])
def test_no_decoder_but_those_of_little_memory_is_compiled_for_float32(naive, order):
    """The others copy the table: what they keep is larger than it."""
    potentials = make(naive, order, 1.0)
    single = replace(potentials, onset=potentials.onset.astype(np.float32))
    double = replace(single, onset=single.onset.astype(np.float64))
    lattice = decoders.Lattice.chain(potentials.n_events)
    calls = [decoders.decode_general, decoders.onset_max_marginals, decoders.onset_posterior]
    calls += [lambda p: decoders.decode_k_best(p, 3)]
    calls += [decoders.decode] if order == 2 else [lambda p: decoders.decode_lattice(p, lattice)]
    for call in calls:
        expected, kernels = call(double), compiled_signatures()
        assert str(call(single)) == str(expected)
        assert compiled_signatures() == kernels


def compiled_signatures():
    """Return how many signatures each kernel of the decoders is compiled for."""
    modules = {n: m for n, m in sys.modules.items() if n.startswith("align.decoders")}
    return {
        (name, kernel): len(getattr(function, "signatures", ()))
        for name, module in modules.items()
        for kernel, function in vars(module).items()
    }


@pytest.mark.parametrize("n_threads", [None, 1, 2, 5])
def test_batch_equals_one_by_one(naive, n_threads):
    batch = [make(naive, i % 3, 1.0 - 2.0 * (i % 2), seed=i, n_events=9) for i in range(13)]
    expected = [decoders.decode(one) for one in batch]
    found = decoders.decode_batch(batch, n_threads=n_threads)
    assert [path.score for path in found] == [path.score for path in expected]
    assert all(np.array_equal(a.onsets, b.onsets) for a, b in zip(found, expected, strict=True))


def test_batch_of_nothing():
    assert decoders.decode_batch([]) == []


@pytest.mark.parametrize("n_threads", [1, 3])
def test_batch_names_the_one_at_fault(n_threads):
    good, bad = Potentials(np.zeros((2, 4)), 4), Potentials(np.zeros((5, 4)), 4)
    with pytest.raises(ParameterError, match="more events than frames") as error:
        decoders.decode_batch([good, good, bad, good], n_threads=n_threads)
    assert error.value.__notes__ == ["This is item 2 of the batch, counted from 0."]


def test_batch_refuses():
    with pytest.raises(ParameterError, match="n_threads=0, must be at least 1"):
        decoders.decode_batch([], n_threads=0)
    one = Potentials(np.zeros((40, 400)), 400)
    with pytest.raises(ParameterError, match="max_memory=50, must be at least"):
        decoders.decode_batch([one, one], n_threads=2, max_memory=100)
