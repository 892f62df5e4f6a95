"""Time per cell of every decoder, against one another, in one run.

A cell is a state (k, t, d) that the windows and lengths admit.
Times are processor time of the thread, the least of several calls, compilation excluded.
"""

from dataclasses import replace

import numba
import numpy as np
import pytest
from processor_time import least

from align import decoders
from align.decoders._windows import tighten
from align.potentials import Potentials

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),
]

MEAN_LENGTH = 16.0  # frames of 5 ms: 80 ms, a phone


@numba.njit
def change_of_rate(k, t_before, t_onset, t_after):
    """The ratio term as a user would write it."""
    if k == 0:
        return 0.0
    change = (t_after - t_onset) / MEAN_LENGTH - (t_onset - t_before) / MEAN_LENGTH
    return change * change


def make(n_events, n_frames, longest, kappa=-1.0):
    """Noisy onset scores and smooth duration scores, like those of speech."""
    rng = np.random.default_rng(0)
    peak = np.linspace(5, longest / 2.5, 5)[:, None]
    ratio = np.zeros((n_events, 3))
    ratio[1:] = np.array([1.0, 1.0, -2.0]) * kappa / MEAN_LENGTH**2
    return Potentials(
        2 * rng.normal(size=(n_events, n_frames)),
        n_frames,
        duration=-((np.arange(longest + 1) - peak) ** 2) / (2 * (longest / 6) ** 2),
        duration_row=np.arange(n_events) % 5,
        ratio=ratio,
    )


def n_cells(potentials):
    """Number of states (k, t, d)."""
    w = tighten(potentials)
    total = 0
    for k in range(potentials.n_events):
        t = np.arange(w.first[k], w.last[k] + 1)
        low = np.maximum(w.shortest[k], w.first[k + 1] - t)
        high = np.minimum(w.longest[k], w.last[k + 1] - t)
        total += int((high - low + 1).sum())
    return total


def as_function(potentials, kappa):
    """The same potentials, the ratio as a function of the user."""
    return replace(potentials, ratio=None, general=((kappa, change_of_rate),))


@pytest.mark.parametrize(("longest", "factor"), [(80, 5.0), (300, 15.0)])
def test_second_order_against_general(longest, factor, tiny):
    if tiny:
        pytest.skip("the general decoder compiles for some seconds; test_decoders_exact.py has it")
    n_events, n_frames = (40, 1000) if longest == 80 else (20, 1500)
    print(f"\nK={n_events} T={n_frames} L={longest}, ns per (k, t, d)")
    second, general = {}, {}
    for kappa in (-10.0, -1.0, -0.1, 1.0):
        potentials = make(n_events, n_frames, longest, kappa)
        cells = n_cells(potentials)
        asked = as_function(potentials, kappa)
        second[kappa], general[kappa], folded = least(
            lambda p=potentials: decoders.decode_second_order(p),
            lambda p=asked: decoders.decode_general(p),
            lambda p=potentials: decoders.decode_general(p),
            repeats=6,
        )
        path, reference = decoders.decode(potentials), decoders.decode_general(asked)
        assert path.score == pytest.approx(reference.score)
        print(
            f"  ratio weight {kappa:6}: second order {second[kappa] / cells * 1e9:6.2f}, general "
            f"{general[kappa] / cells * 1e9:7.2f} ({general[kappa] / second[kappa]:.1f} times), "
            f"general with folded ratio {folded / cells * 1e9:7.2f} "
            f"({folded / second[kappa]:.1f} times)"
        )
    for kappa in (-1.0, -0.1, 1.0):
        assert general[kappa] >= factor * second[kappa]


def test_first_order_decoders(tiny):
    print("\nns per cell")
    sizes = ((3, 50, 20),) if tiny else ((40, 1000, 80), (20, 1500, 300), (60, 12000, 300))
    for n_events, n_frames, longest in sizes:
        potentials = replace(make(n_events, n_frames, longest), ratio=None)
        cells = n_cells(potentials)
        path = decoders.decode_semi_markov(potentials)
        assert potentials.score(path.onsets) == pytest.approx(path.score)
        (semi,) = least(lambda p=potentials: decoders.decode_semi_markov(p))
        semi *= 1e9 / cells
        print(f"  semi-Markov K={n_events} T={n_frames} L={longest}: {semi:.3f}")
        assert tiny or semi < 0.7
