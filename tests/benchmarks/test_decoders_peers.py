"""Decoders beside a roofline, their peers, and the growth of their time.

``pytest tests/benchmarks/test_decoders_peers.py -s``. Times are processor time of the thread, the
least of several calls taken in turns, compilation excluded. ``ALIGN_PLOTS=folder`` writes the
growth of time as a picture there.
"""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

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


def problem(n_events, n_frames, longest, kappa=0.0):
    """Noise, smooth lengths and, where `kappa` is not 0, a ratio term; all windows are whole."""
    rng = np.random.default_rng(0)
    ratio = None
    if kappa:
        ratio = np.zeros((n_events, 3))
        ratio[1:] = np.array([1.0, 1.0, -2.0]) * kappa / 16.0**2
    peak = np.linspace(5, longest / 2.5, 5)[:, None]
    return Potentials(
        2 * rng.normal(size=(n_events, n_frames)),
        n_frames,
        duration=-((np.arange(longest + 1) - peak) ** 2) / (2 * (longest / 6) ** 2),
        duration_row=np.arange(n_events) % 5,
        ratio=ratio,
    )


@numba.njit(nogil=True)
def max_plus(onset, duration, row, rows, sweep):
    """The recursion alone: no windows, no bounds, no back-pointers, no path.

    `sweep` is the function below. As fast as it can be written here: frames in blocks that stay
    in the first-level cache, eight lengths in one sweep that keeps its partial maxima in
    registers, the inner loop over frames. Lengths before the first frame read -inf, so that no
    sweep has an edge.
    """
    n_events, n_frames = onset.shape
    n_lengths = duration.shape[1] - 1
    pad = n_lengths + 8
    before = np.full(pad + n_frames, -np.inf)
    for t in range(n_frames):
        rows[0, t] = onset[0, t]
    for k in range(1, n_events):
        before[pad:] = rows[k - 1]
        here, scores = rows[k], duration[row[k - 1]]
        here[:] = -np.inf
        for block in range(0, n_frames, 1024):
            stop = min(n_frames, block + 1024)
            for d in range(1, n_lengths - 6, 8):
                sweep(
                    before[pad + block - d - 7 : pad + stop - d],
                    scores[d : d + 8],
                    here[block:stop],
                )
            for d in range(n_lengths - n_lengths % 8 + 1, n_lengths + 1):
                score, reach = scores[d], before[pad + block - d : pad + stop - d]
                part = here[block:stop]
                for i in range(part.size):
                    value = reach[i] + score
                    part[i] = value if value > part[i] else part[i]
        for t in range(n_frames):
            here[t] += onset[k, t]


@numba.njit(nogil=True)
def sweep(before, lengths, here):
    b0, b1, b2, b3 = lengths[0], lengths[1], lengths[2], lengths[3]
    b4, b5, b6, b7 = lengths[4], lengths[5], lengths[6], lengths[7]
    for i in range(here.size):
        v0 = max(before[i + 7] + b0, before[i + 6] + b1)
        v1 = max(before[i + 5] + b2, before[i + 4] + b3)
        v2 = max(before[i + 3] + b4, before[i + 2] + b5)
        v3 = max(before[i + 1] + b6, before[i] + b7)
        v0 = v0 if v0 > v1 else v1
        v2 = v2 if v2 > v3 else v3
        v0 = v0 if v0 > v2 else v2
        here[i] = v0 if v0 > here[i] else here[i]


@pytest.mark.parametrize(
    ("n_events", "n_frames", "longest"),
    [(40, 1000, 80), (60, 6000, 300), (20, 20000, 400)],
)
def test_semi_markov_beside_a_bare_loop(n_events, n_frames, longest, tiny):
    recursion, inner = max_plus, sweep
    if tiny:  # in plain Python: to compile both takes seconds
        n_events, n_frames, longest = 3, 40, 20
        recursion, inner = max_plus.py_func, sweep.py_func
    p = problem(n_events, n_frames, longest)
    rows = np.empty(p.onset.shape)
    recursion(p.onset, p.duration, p.duration_row, rows, inner)
    last = n_frames - np.arange(1, longest + 1)
    ends = rows[-1, last] + p.duration[p.duration_row[-1], n_frames - last]
    assert ends.max() == pytest.approx(decoders.decode_semi_markov(p).score)
    mine, bare = least(
        lambda: decoders.decode_semi_markov(p),
        lambda: recursion(p.onset, p.duration, p.duration_row, rows, inner),
        repeats=1 if tiny else 9,
    )
    # each is given the cells it searches: windows leave some of them out
    windows = tighten(p)
    lengths = np.arange(1, longest + 1)
    searched = 0
    for k in range(n_events - 1):
        low = np.maximum(windows.first[k], windows.first[k + 1] - lengths)
        high = np.minimum(windows.last[k], windows.last[k + 1] - lengths)
        searched += int(np.maximum(high - low + 1, 0).sum())
    cells = (n_events - 1) * int((n_frames - lengths).sum())
    mine, bare = mine / searched * 1e9, bare / cells * 1e9
    print(
        f"\nK={n_events} T={n_frames} L={longest}: decode_semi_markov {mine:.3f} ns per (k, t, d) "
        f"that windows leave ({searched / cells:.0%} of all), bare max-plus loop {bare:.3f}; "
        f"{bare / mine:.2f} of its speed"
    )
    assert tiny or bare >= 2 / 3 * mine


@pytest.mark.parametrize(("n_events", "n_frames"), [(300, 3000), (60, 1000)])
def test_monotone_beside_its_peers(n_events, n_frames, tiny):
    librosa_sequence = pytest.importorskip("librosa.sequence")
    if tiny:
        n_events, n_frames = 3, 30
    rng = np.random.default_rng(0)
    table = rng.random((n_events, n_frames)) + 0.01
    p = Potentials(np.log(table), n_frames)
    stay = np.eye(n_events) * 0.5 + np.eye(n_events, k=1) * 0.5
    stay[-1, -1] = 1.0
    first = np.eye(n_events)[0]
    likelihood = table / table.sum(axis=0)
    path = decoders.decode_monotone(p)
    assert p.score(path.onsets) == pytest.approx(path.score)
    if tiny:
        pytest.skip("librosa compiles its dtw and its viterbi for some seconds")
    mine, dtw, viterbi = least(
        lambda: decoders.decode_monotone(p),
        lambda: librosa_sequence.dtw(C=-np.log(table) + 5),
        lambda: librosa_sequence.viterbi(likelihood, stay, p_init=first),
        repeats=3,
    )
    cells = table.size
    print(
        f"\nK={n_events} T={n_frames}, ns per (k, t): decode_monotone {mine / cells * 1e9:.2f}, "
        f"librosa.sequence.dtw {dtw / cells * 1e9:.2f} ({dtw / mine:.1f} times), "
        f"librosa.sequence.viterbi {viterbi / cells * 1e9:.1f} ({viterbi / mine:.0f} times)"
    )
    assert mine < dtw
    assert mine < viterbi


def test_monotone_beside_torchaudio(tiny):
    torch = pytest.importorskip("torch", reason="torch and torchaudio are not installed")
    functional = pytest.importorskip(
        "torchaudio.functional", reason="torch and torchaudio are not installed"
    )
    torch.set_num_threads(1)
    n_events, n_frames, n_symbols = (3, 30, 5) if tiny else (300, 3000, 40)
    rng = np.random.default_rng(0)
    targets = 1 + np.arange(n_events) % (n_symbols - 1)
    log_probs = np.log(rng.dirichlet(np.ones(n_symbols), n_frames)).astype(np.float32)
    p = Potentials(np.ascontiguousarray(log_probs[:, targets].T), n_frames)
    emission = torch.from_numpy(log_probs)[None]
    labels = torch.from_numpy(targets.astype(np.int32))[None]
    mine, peer = least(
        lambda: decoders.decode_monotone(p),
        lambda: functional.forced_align(emission, labels, blank=0),
    )
    cells = n_events * n_frames
    print(
        f"\nns per (k, t): decode_monotone {mine / cells * 1e9:.2f}, "
        f"torchaudio.functional.forced_align {peer / cells * 1e9:.2f} ({peer / mine:.1f} times)"
    )
    assert tiny or mine < peer


def test_monotone_beside_ctc_segmentation(tiny):
    peer = pytest.importorskip("ctc_segmentation", reason="ctc-segmentation is not installed")
    n_events, n_frames, n_symbols = (3, 30, 5) if tiny else (300, 3000, 40)
    rng = np.random.default_rng(0)
    symbols = [chr(ord("a") + i) for i in range(n_symbols - 1)]
    log_probs = np.log(rng.dirichlet(np.ones(n_symbols), n_frames)).astype(np.float32)
    targets = 1 + np.arange(n_events) % (n_symbols - 1)
    p = Potentials(np.ascontiguousarray(log_probs[:, targets].T), n_frames)
    config = peer.CtcSegmentationParameters(char_list=["_", *symbols])
    config.index_duration = 0.01
    text = ["".join(symbols[i - 1] for i in targets)]
    truth, begins = peer.prepare_text(config, text)
    mine, other = least(
        lambda: decoders.decode_monotone(p),
        lambda: peer.ctc_segmentation(config, log_probs, truth),
        repeats=3,
    )
    cells = n_events * n_frames
    print(
        f"\nns per (k, t): decode_monotone {mine / cells * 1e9:.2f}, ctc_segmentation "
        f"{other / cells * 1e9:.2f} ({other / mine:.1f} times)"
    )
    assert len(begins) == 2
    assert tiny or mine < other


def test_growth(tiny):
    """Fitted powers of time against each size, all else equal; on a log plot if one is asked for.

    The ratio weight is positive, so that every state is searched. Sizes are such that the scores
    of one event are at most a megabyte, and then such that they leave the second-level cache on
    the way.
    """
    decode = {
        "semi-Markov": (0.0, decoders.decode_semi_markov),
        # Without checkpoints, which from 256 MiB on have all decoded twice: a step, not a growth.
        "second order": (1.0, partial(decoders.decode_second_order, max_memory=1 << 32)),
    }
    steps = (1, 2) if tiny else (1, 2, 4, 8)
    # K L is far above T: otherwise lengths bound where onsets can be, and sizes hang together
    sizes = {  # events, frames, lengths; the power that is allowed, where quadratic would be 2
        "in the cache": (
            {
                "K": [(60 * s, 60 * s + 400, 80) for s in steps],
                "T": [(120, 120 + 400 * s, 40) for s in steps],
                "L": [(60, 460, 40 * s) for s in steps],
            },
            1.2,
        ),
        "beyond": (
            {
                "K": [(60 * s, 1500, 80) for s in steps],
                "T": [(150, 1000 * s, 80) for s in steps],
                "L": [(150, 2000, 60 * s) for s in steps],
            },
            1.35,
        ),
    }
    if tiny:
        del sizes["beyond"]
    curves = {}
    print("\ntime grows with the power")
    for where, (of_sizes, allowed) in sizes.items():
        for name, (kappa, function) in decode.items():
            for along, shapes in of_sizes.items():
                problems = [problem(*shape, kappa) for shape in shapes]
                paths = [function(p) for p in problems]
                for p, path in zip(problems, paths, strict=True):
                    assert p.score(path.onsets) == pytest.approx(path.score)
                calls = [partial(function, p) for p in problems]
                times = least(*calls, repeats=1 if tiny else 3)
                x = [n["KTL".index(along)] - (n[0] if along == "T" else 0) for n in shapes]
                power = np.polyfit(np.log(x), np.log(times), 1)[0]
                curves[f"{name}, {where}", along] = x, times, power
                print(
                    f"  {name}, {where}: {power:.2f} of {along}; "
                    f"{np.round(np.array(times) * 1e3, 2)} ms"
                )
                assert tiny or power < allowed
    folder = os.environ.get("ALIGN_PLOTS")
    if folder:
        draw(curves, Path(folder) / "decoder_growth.png")


def draw(curves, path):
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(10, 3.5))
    axes = figure.subplots(1, 3, sharey=True)
    for axis, along in zip(axes, "KTL", strict=True):
        for (name, of), (x, times, power) in curves.items():
            if of == along:
                axis.loglog(x, times, "o-", label=f"{name}, power {power:.2f}")
        axis.set_xlabel({"T": "frames an onset can take"}.get(along, along))
        axis.legend()
    axes[0].set_ylabel("seconds")
    figure.tight_layout()
    figure.savefig(path)


def test_the_posterior_beside_semi_markov(tiny):
    """Full windows: sums of exponentials, twice, of which blocks that do not matter are left."""
    rng = np.random.default_rng(0)
    n_events, n_frames = (5, 50) if tiny else (300, 3000)
    onset = 2 * rng.normal(size=(n_events, n_frames))
    at = np.linspace(0, 0.95 * n_frames, n_events).astype(int)
    onset[np.arange(n_events), at] += 8
    law = -((np.arange(151) - 10.0) ** 2)[None] / 50
    for name, p in {
        "no lengths": Potentials(onset, n_frames),
        "L=150": Potentials(onset, n_frames, duration=law),
    }.items():
        mine, best = least(
            lambda p=p: decoders.onset_posterior(p),
            lambda p=p: decoders.decode(p),
            repeats=2,
        )
        print(
            f"\nK={n_events} T={n_frames}, {name}: onset_posterior {mine:.3f} s, "
            f"decode {best:.3f} s"
        )
        assert tiny or mine < 2.0


def test_identical_answers_from_float32(tiny):
    p = problem(3, 50, 20) if tiny else problem(60, 2000, 100)
    single = replace(p, onset=p.onset.astype(np.float32))
    double = replace(p, onset=single.onset.astype(np.float64))
    one, two = least(
        lambda: decoders.decode_semi_markov(single), lambda: decoders.decode_semi_markov(double)
    )
    print(f"\nfloat32 tables take {one / two:.2f} of the time of float64")
    assert decoders.decode(single).onsets.tolist() == decoders.decode(double).onsets.tolist()
