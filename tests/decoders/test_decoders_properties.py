"""What every decoder must get right, one table of cases for all of them.

Each decoder is asked for the best timing of the same small potentials, whose answer enumeration
gives; and once more without numba's compiler, in a process of its own.
"""

import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numba
import numpy as np
import pytest

from align import decoders
from align.decoders import Lattice
from align.decoders.second_order import _decode
from align.decoders.second_order._pruned import search_by_bounds
from align.errors import ParameterError
from align.potentials import Path as Timing
from align.potentials import Potentials

INF = np.inf


def by_groups(p):
    return decoders.decode_groups(p, np.arange(p.n_events))


def by_lattice(p):
    found = decoders.decode_lattice(p, Lattice.chain(p.n_events))
    return Timing(found.onsets, found.score)


def by_k_best(p):
    paths = decoders.decode_k_best(p, 3)
    assert all(a.score >= b.score for a, b in pairwise(paths))
    return paths[0]


def by_batch(p):
    return decoders.decode_batch([p, p], n_threads=2)[1]


def in_windows(p):
    return decoders.decode_coarse_to_fine(p, factor=2, reach=50).path


def in_little_memory(p):
    """In as many pieces as there can be, each decoded again on the way back."""
    with pytest.raises(ParameterError, match="max_memory=1, must be") as refused:
        decoders.decode(p, max_memory=1)
    needed = re.findall(r"at least (\d+) bytes", str(refused.value))
    return decoders.decode(p, max_memory=int(needed[0]))


def by_max_marginals(p):
    """Best score with each onset at each frame: the decoder's onsets have the greatest."""
    marginals = decoders.onset_max_marginals(p)
    path = decoders.decode(p)
    top = marginals.score.max(axis=1)
    at = marginals.score[np.arange(p.n_events), path.onsets - p.start]
    np.testing.assert_allclose(at, top, rtol=1e-12)
    return Timing(path.onsets, float(top[0]))


def by_bins(potentials):
    """Second order by bounds over bins of lengths, if at all, however few states there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_decode, "search_by_bounds", partial(search_by_bounds, few=0))
        return decoders.decode_second_order(potentials)


ANY = [decoders.decode, decoders.decode_second_order, decoders.decode_general]
ANY += [by_groups, by_batch, in_windows, in_little_memory, by_k_best, by_bins]
FIRST = [decoders.decode_semi_markov, by_lattice, by_max_marginals]
SERVE = {0: [*ANY, *FIRST, decoders.decode_monotone], 1: [*ANY, *FIRST], 2: ANY}


def ratio(n_events, kappa, scale=2.0):
    """Coefficients of ``kappa (d_k / scale - d_{k-1} / scale)**2``."""
    out = np.zeros((n_events, 3))
    out[1:] = np.array([1.0, 1.0, -2.0]) * kappa / scale**2
    return out


def cases():
    """Name, order and potentials."""
    rng = np.random.default_rng(0)
    small = rng.integers(-3, 4, (3, 9)).astype(float)
    lengths = rng.integers(-3, 4, (2, 7)).astype(float)
    row = np.array([0, 1, 0, 0, 1, 1])
    many = rng.integers(-3, 4, (6, 9)).astype(float)
    forbidden = small.copy()
    forbidden[rng.random(small.shape) < 0.4] = -INF
    no_such_length = lengths.copy()
    no_such_length[:, [1, 3]] = -INF
    touching = {"start": np.array([0, 3, 6]), "stop": np.array([3, 6, 9])}
    fixed = {"start": np.array([1, 4, 5]), "stop": np.array([2, 5, 6])}
    for order in (0, 1, 2):
        extra = {"duration": lengths, "duration_row": row} if order else {}
        signs = {"": None}
        if order == 2:
            signs = {", negative": -1.0, ", zero": 0.0, ", positive": 1.0}
        for sign, kappa in signs.items():

            def make(onset, n_frames=None, extra=extra, kappa=kappa, **options):
                k, frames = len(onset), n_frames or onset.shape[1]
                given = {**extra, **options}
                if "duration_row" in given:
                    given["duration_row"] = given["duration_row"][:k]
                terms = None if kappa is None else ratio(k, kappa)
                return Potentials(onset, frames, ratio=terms, **given)

            def named(name, order=order, sign=sign):
                return f"{name}, order {order}{sign}"

            yield named("ties"), order, make(small)
            yield named("minus infinity"), order, make(forbidden)
            yield named("a constant"), order, make(small, constant=2.5)
            yield named("one event"), order, make(small[:1, :6])
            yield named("one frame"), order, make(small[:1, :1])
            yield named("as many frames as events"), order, make(small[:, :3])
            yield named("all equal"), order, make(np.zeros((3, 9)))
            yield named("windows that touch"), order, make(small[:, :3], n_frames=9, **touching)
            yield named("windows of one frame"), order, make(small[:, :1], n_frames=9, **fixed)
            yield named("large"), order, make(small * 2.0**300)
            yield named("large and small"), order, make(small + 2.0**40)
            yield named("shortest lengths"), order, make(small, min_length=np.array([2, 3, 1]))
            together = make(small, min_length=np.zeros(3, dtype=int))
            yield named("lengths of 0"), order, together
            yield (
                named("more events than frames"),
                order,
                make(many[:, :4], min_length=np.zeros(6, dtype=int)),
            )
            longest = np.array([2, 4, 3])
            yield named("longest lengths"), order, make(small, n_frames=9, max_length=longest)
            apart = make(small[:, :3], n_frames=9, **touching, max_length=np.full(3, 4))
            yield named("windows that touch, few lengths"), order, apart
            yield named("many events"), order, make(many)
            bounds = {"min_length": np.array([1, 1, 2, 1, 1, 1]), "max_length": np.full(6, 3)}
            yield named("many events, few lengths"), order, make(many, **bounds)
            if order:
                yield (
                    named("lengths of minus infinity"),
                    order,
                    make(small, duration=no_such_length),
                )
                yield named("equal lengths"), order, make(small, duration=np.zeros((2, 7)))


CASES = list(cases())


@pytest.mark.parametrize(("name", "order", "potentials"), CASES, ids=[name for name, *_ in CASES])
def test_every_decoder_equals_enumeration(naive, name, order, potentials):
    onsets, score = naive.enumerate_best(potentials)
    assert onsets is not None, name  # each case has a timing
    effective = order
    if order == 2 and not potentials.ratio.any():
        effective = 1  # a ratio of zero is none, to every decoder
    for decode in SERVE[effective]:
        found = decode(potentials)
        assert found.score == score, decode
        # All scores are whole numbers or halves: sums are exact, ties are real.
        if effective < 2 or not name.startswith("large"):
            assert found.onsets.tolist() == list(onsets), decode
        assert potentials.score(found.onsets) == score, decode


@pytest.mark.parametrize(("name", "order", "potentials"), CASES, ids=[name for name, *_ in CASES])
def test_posteriors_are_probabilities(naive, name, order, potentials):
    first = replace(potentials, ratio=None)
    for temperature in (1e-2, 1.0, 1e3):
        found = decoders.onset_posterior(first, temperature=temperature)
        assert (found.probability >= 0).all()
        np.testing.assert_allclose(found.probability.sum(axis=1), 1.0, rtol=1e-9)
    # by a temperature so low that only the best timings are left
    best = naive.enumerate_best(first)[1]
    cold = decoders.onset_posterior(first, temperature=1e-2).probability
    marginals = decoders.onset_max_marginals(first).score
    assert (cold[marginals < best] < 1e-12).all()
    assert (cold[marginals == best] > 1e-6).all()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this is that process")
def test_all_of_it_without_the_compiler():
    """Kernels are plain Python as well, which is how coverage and debuggers see them."""
    here = Path(__file__)
    root = here.parents[2]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            "every_decoder or posteriors",
            str(here.relative_to(root)),
        ],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"{2 * len(CASES)} passed" in done.stdout
