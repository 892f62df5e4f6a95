"""Pruning on real speech, memory against length, and threads.

``pytest tests/benchmarks/test_decoders_scale.py -s``
"""

import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest
from processor_time import least

import align
from align import decoders
from align.decoders._first_order import without_ratio
from align.decoders._windows import check_values, tighten
from align.decoders.second_order._pruned import search_by_bounds
from align.features import SpeakingRate
from align.potentials import Potentials

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),
]


def envelope_of_all(potentials):
    """Second order without bounds, by letting them decode no states."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("align.decoders.second_order._decode.search_by_bounds", lambda *_: None)
        return decoders.decode_second_order(potentials)


@pytest.fixture(scope="module", params=["thesis", "default"])
def speech(request, timit_sample: Path, tiny):
    """Potentials of speakers that training has not heard, with the learned ratio weight."""
    corpus = list(align.read_corpus(timit_sample, kind="speech"))
    if tiny:
        corpus = corpus[::8]
    groups = sorted({one.group for one in corpus})
    features = "thesis" if request.param == "thesis" else ["default", SpeakingRate()]
    model = align.SpeechAligner(features=features, n_folds=2, epochs=2, calibrate=False)
    model.fit([one for one in corpus if one.group in groups[:5]])
    found = []
    for one in corpus:
        if one.group in groups[5:8]:
            signal = model._signal(one.audio, one.rate, one.name)
            events, _ = model._expand(one.events)
            terms = {}
            for feature in model.features_:
                terms.update(feature.terms(signal, events))
            x = model._assemble(signal, events, terms)
            found.append(x.potentials(model._weights(x)))
    return request.param, found


def test_second_order_on_speech(speech, tiny):
    name, utterances = speech
    print(f"\n{name}: {len(utterances)} utterances; times relative to semi-Markov decoding")
    for strength in (1,) if tiny else (1, 3, 10):
        rows = []
        for potentials in utterances:
            potentials = replace(potentials, ratio=potentials.ratio * strength)
            first = replace(potentials, ratio=None)
            semi, pruned, full = least(
                lambda p=first: decoders.decode_semi_markov(p),
                lambda p=potentials: decoders.decode_second_order(p),
                lambda p=potentials: envelope_of_all(p),
                repeats=1 if tiny else 3 if strength > 1 else 7,
            )
            windows = tighten(potentials)
            n_frames = windows.last[:-1] - windows.first[:-1] + 1
            n_cells = (n_frames * (windows.longest - windows.shortest + 1)).sum()
            tables = without_ratio(potentials, check_values(potentials), windows)
            found = search_by_bounds(tables, potentials.ratio, None)
            path, reference = decoders.decode(potentials), envelope_of_all(potentials)
            assert path.score == pytest.approx(reference.score, abs=1e-9)
            assert path.onsets.tolist() == reference.onsets.tolist()
            fraction = np.nan if found is None else found.n_states / n_cells
            rows.append((semi, pruned, full, fraction, found is not None))
        semi, pruned, full, fraction, exact = np.array(rows).T
        ratio = pruned.sum() / semi.sum()
        print(
            f"  learned ratio weight times {strength:2}: bounds {ratio:.1f} (median "
            f"{np.median(pruned / semi):.1f}, worst {np.max(pruned / semi):.1f}), envelope of all "
            f"{full.sum() / semi.sum():.1f}; states that survive {np.nanmean(fraction):.2%} "
            f"(worst {np.nanmax(fraction):.2%}); without falling back {exact.mean():.0%}"
        )
        if strength == 1 and not tiny:
            assert ratio <= 6.0  # what is asked


def windowed(n_events, width=400, longest=150, sign=1.0, dtype=np.float32):
    """Events 50 frames apart in windows of the given width, like a score after a coarse pass."""
    rng = np.random.default_rng(0)
    n_frames = 50 * n_events
    start = np.clip(50 * np.arange(n_events) - width // 2, 0, n_frames - width)
    ratio = np.zeros((n_events, 3))
    ratio[1:] = np.array([1.0, 1.0, -2.0]) * sign / 50**2
    return Potentials(
        rng.standard_normal((n_events, width), dtype=np.float32).astype(dtype),
        n_frames,
        start=start,
        duration=-((np.arange(longest + 1) - 50.0) ** 2)[None] / 800,
        ratio=ratio,
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_memory_against_length(sign, tiny):
    sizes = np.array([10, 20] if tiny else [100, 400, 1600, 6400])
    print(f"\nsecond order, ratio weight {sign:+}: peak MB beside the potentials, and seconds")
    tight = []
    for n_events in sizes:
        potentials = windowed(int(n_events), sign=sign)
        onsets = None
        line = f"  K={n_events:5} T={potentials.n_frames:6}:"
        bound = int(8 * (4 + 2 * np.sqrt(n_events)) * 400 * 150)  # sqrt(K) W L
        for max_memory in (None, bound):
            tracemalloc.start()
            begin = time.thread_time()
            path = decoders.decode_second_order(potentials, max_memory=max_memory)
            took, peak = time.thread_time() - begin, tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert onsets is None or np.array_equal(onsets, path.onsets)
            onsets = path.onsets
            line += f"  max_memory={max_memory}: {peak / 1e6:7.1f} MB, {took:.2f} s"
            if max_memory is not None:
                assert peak <= max_memory + 1_000_000
        tight.append(peak)
        print(line)
    power = np.polyfit(np.log(sizes), np.log(tight), 1)[0]
    print(f"  bounded memory grows with the power {power:.2f} of K")
    if sign > 0 and not tiny:
        assert power < 0.6


@numba.njit(nogil=True)
def spin(n):
    x = 1
    for _ in range(n):
        x = x * 1664525 + 1013904223 & 0xFFFFFFFF
    return x


def test_threads(tiny):
    """Beside a loop that touches neither memory nor Python: what two threads gain here at best."""
    n_problems, n_frames, n_spins = (2, 300, 10) if tiny else (24, 3000, 10_000_000)
    rng = np.random.default_rng(0)
    first = [
        Potentials(
            rng.standard_normal((n_frames // 50, n_frames), dtype=np.float32),
            n_frames,
            duration=-((np.arange(301) - 50.0) ** 2)[None] / 800,
        )
        for _ in range(n_problems)
    ]
    signs = (1.0, -1.0) * (n_problems // 2)
    second = [windowed(10 if tiny else 60, sign=sign) for sign in signs]
    loop = spin.py_func if tiny else spin  # which takes a second to compile
    loop(1)

    def bare(n_threads):
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(loop, [n_spins] * n_problems))

    print("\ntwo threads against one, wall clock, least times in turns")
    for name, potentials in (("semi-Markov", first), ("second order", second)):
        expected = decoders.decode_batch(potentials, n_threads=1)
        times = {}
        for _ in range(1 if tiny else 9):
            for n_threads in (1, 2):
                begin = time.perf_counter()
                found = decoders.decode_batch(potentials, n_threads=n_threads)
                middle = time.perf_counter()
                bare(n_threads)
                end = time.perf_counter()
                times.setdefault(("decode", n_threads), []).append(middle - begin)
                times.setdefault(("bare", n_threads), []).append(end - middle)
                assert all(
                    a.score == b.score and np.array_equal(a.onsets, b.onsets)
                    for a, b in zip(found, expected, strict=True)
                )
        gain, best = (min(times[what, 1]) / min(times[what, 2]) for what in ("decode", "bare"))
        print(f"  {name}: {gain:.2f} times; bare loop {best:.2f} times")
        assert tiny or gain > (1.7 if best > 1.9 else 0.85 * best)
