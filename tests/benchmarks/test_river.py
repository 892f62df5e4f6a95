"""Examples a second of `learn_one` and `predict_one` on dicts, beside River's.

pytest tests/benchmarks/test_river.py -s -n 0
"""

import time

import numpy as np
import pytest

from align.learners import DictStream, PassiveAggressiveClassifier

river = pytest.importorskip("river.linear_model", reason="the comparison needs river")
pytestmark = pytest.mark.benchmark


def stream_of(n_entries, m=4000, n_names=2000):
    rng = np.random.default_rng(0)
    u = rng.normal(size=n_names)
    found = []
    for _ in range(m):
        columns, values = rng.choice(n_names, n_entries, replace=False), rng.normal(size=n_entries)
        x = {f"f{j}": float(v) for j, v in zip(columns, values, strict=True)}
        found.append((x, bool(u[columns] @ values > 0)))
    return found


def rates(make, stream):
    best = [0.0, 0.0]
    for _ in range(5):
        model = make()
        begin = time.perf_counter()
        for x, y in stream:
            model.learn_one(x, y)
        middle = time.perf_counter()
        for x, _ in stream:
            model.predict_one(x)
        end = time.perf_counter()
        seconds = middle - begin, end - middle
        best = [max(b, len(stream) / s) for b, s in zip(best, seconds, strict=True)]
    return best


@pytest.mark.parametrize("n_entries", [10, 20, 50])
def test_learning_from_many_entries_is_quicker_than_with_river(n_entries):
    stream = stream_of(n_entries)
    ours = rates(lambda: DictStream(PassiveAggressiveClassifier(C=0.1)), stream)
    theirs = rates(lambda: river.PAClassifier(C=0.1), stream)
    print(
        f"\n{n_entries} entries, examples a second: learn_one {ours[0]:,.0f}, "
        f"River {theirs[0]:,.0f} ({ours[0] / theirs[0]:.1f} times); "
        f"predict_one {ours[1]:,.0f}, River {theirs[1]:,.0f}"
    )
    # Of few entries the calls themselves cost more than what they do.
    assert ours[0] > theirs[0] * (1.0 if n_entries >= 20 else 0.5)
