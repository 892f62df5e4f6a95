"""An hour in one go: 20,000 events, second order, in a process of its own.

``pytest tests/benchmarks/test_decoders_long.py -s``
"""

import json
import resource
import subprocess
import sys
import time

import numba
import numpy as np
import pytest

from align import decoders
from align.terms import BaseFunctions, DurationTerm, OnsetTerm, RatioTerm, SegmentTerm

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),
]

WEIGHTS = np.array([2.0, 1.0, 0.7, -1.0])


def recording(n_events, n_frames, seed=0):
    """Base functions of a synthetic recording: 40 symbols, frames, changes, lengths, rate.

    Frame scores are as vague as those of a phone classifier: the right symbol is the best one in
    about half of the frames. One event in fifty is long: a pause.
    """
    rng = np.random.default_rng(seed)
    symbols = rng.integers(0, 40, n_events)
    mean = rng.uniform(0.5, 1.6, 40) * 0.9 * n_frames / n_events
    lengths = rng.gamma(6, mean[symbols] / 6) * np.where(rng.random(n_events) < 0.02, 4, 1)
    lengths = np.maximum(2.0, lengths * n_frames / lengths.sum())
    onsets = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(int)
    onsets = np.maximum.accumulate(onsets - np.arange(n_events)) + np.arange(n_events)
    of_frame = np.searchsorted(onsets, np.arange(n_frames), side="right") - 1
    frames = rng.standard_normal((40, n_frames), dtype=np.float32)
    frames[symbols[of_frame], np.arange(n_frames)] += 2.0
    frames -= np.float32(2.0)
    change = rng.standard_normal((1, n_frames))
    change[0, onsets] += 2.0
    d = np.arange(int(12 * n_frames / n_events) + 1)
    law = -0.5 * (np.log(np.maximum(d, 0.5) / mean[:, None]) / 0.6) ** 2
    terms = [
        OnsetTerm(change, np.zeros(n_events, dtype=np.intp)),
        SegmentTerm.from_frames(frames, symbols),
        DurationTerm(law, symbols),
        RatioTerm(mean[symbols], np.arange(n_events) > 0),
    ]
    windows = np.tile(np.array([0, n_frames]), (n_events, 1))
    windows[0, 1] = 1
    names = ["change", "phone", "length", "rate"]
    return BaseFunctions(terms, names, n_events, n_frames, windows=windows), onsets


def run(n_events, n_frames, hop):
    """Decode, and return what it took."""
    warm, _ = recording(20, 400)
    decoders.decode_coarse_to_fine(warm, WEIGHTS, reach=100)
    base, truth = recording(n_events, n_frames)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, used = time.perf_counter(), time.process_time()
    found = decoders.decode_coarse_to_fine(base, WEIGHTS, reach=round(2.0 / hop))
    return {
        "wall": time.perf_counter() - wall,
        "used": time.process_time() - used,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "before": before / 1024,
        "rounds": found.rounds,
        "width": found.potentials.onset.shape[1],
        "near": float((np.abs(found.onsets - truth) * hop <= 0.02).mean()),
        "far": int((np.abs(found.onsets - truth) * hop > 1.0).sum()),
    }


def run_alone(*sizes):
    """Return what `run` does, in a process whose peak of memory is its own."""
    done = subprocess.run(
        [sys.executable, __file__, *map(str, sizes)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("hop", [0.010, 0.005])
def test_an_hour(hop, tiny):
    seconds, n_events = (9, 50) if tiny else (3600, 20_000)
    sizes = n_events, round(seconds / hop), hop
    found = run(*sizes) if tiny else run_alone(*sizes)
    print(
        f"\n{seconds / 60:g} minutes, {n_events} events, {1000 * hop:g} ms frames, second order: "
        f"{found['wall']:.1f} s ({found['used']:.1f} s of processor), "
        f"{found['wall'] / seconds:.4f} of real time; peak {found['peak']:.0f} MB, of which "
        f"{found['before']:.0f} MB base functions; windows of {found['width']} frames, decoded "
        f"{found['rounds']} times; {found['near']:.1%} of the onsets within 20 ms, {found['far']} "
        "off by more than a second"
    )
    if not tiny:
        assert found["wall"] < 0.1 * seconds
        assert found["peak"] < 2048
    assert found["near"] > 0.8
    assert found["far"] == 0


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))))
