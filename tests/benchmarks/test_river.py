"""Examples a second of `learn_one` and `predict_one` on dicts, beside River's.

pytest tests/benchmarks/test_river.py -s -n 0
"""

import time

import numpy as np
import pytest

from align.learners import DictStream, PassiveAggressiveClassifier
from align.learners.flat._dict_rows import RowBuffer

river = pytest.importorskip("river.linear_model", reason="the comparison needs river")
multiclass = pytest.importorskip("river.multiclass", reason="the comparison needs river")
pytestmark = pytest.mark.benchmark


def stream_of(n_entries, m, n_names=2000):
    rng = np.random.default_rng(0)
    u = rng.normal(size=n_names)
    found = []
    for _ in range(m):
        columns, values = rng.choice(n_names, n_entries, replace=False), rng.normal(size=n_entries)
        x = {f"f{j}": float(v) for j, v in zip(columns, values, strict=True)}
        found.append((x, bool(u[columns] @ values > 0)))
    return found


def rates(makes, stream, rounds=5):
    """Return examples a second of learning and of predicting, of each maker in turn.

    Medians of the processor time of the thread: the machine may be busy with something else.
    """
    taken = {name: [] for name in makes}
    for _ in range(rounds):
        for name, make in makes.items():
            model = make()
            begin = time.thread_time()
            for x, y in stream:
                model.learn_one(x, y)
            middle = time.thread_time()
            for x, _ in stream:
                model.predict_one(x)
            taken[name].append((middle - begin, time.thread_time() - middle))
    return {name: len(stream) / np.median(found, axis=0) for name, found in taken.items()}


def told(what, found):
    """Print a row, and return how many times River's the learning is."""
    ours, theirs = found["ours"], found["River"]
    print(
        f"\n{what}, examples a second: learn_one {ours[0]:,.0f}, River {theirs[0]:,.0f} "
        f"({ours[0] / theirs[0]:.1f} times); predict_one {ours[1]:,.0f}, River {theirs[1]:,.0f} "
        f"({ours[1] / theirs[1]:.1f} times)",
        end="",
    )
    return ours[0] / theirs[0]


def without_learning(stream, rounds=5):
    """Return examples a second of what comes before any learning; the least that a learner takes.

    "names" looks them up and no more; "rows" also checks the values, and writes both to where
    compiled code can read them.
    """
    columns = {name: j for j, name in enumerate(dict.fromkeys(n for x, _ in stream for n in x))}
    row = RowBuffer()
    ways = {
        "names": lambda x: list(map(columns.__getitem__, x)),
        "rows": lambda x: row.fill(x, columns.__getitem__),
    }
    taken = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = time.thread_time()
            for x, _ in stream:
                way(x)
            taken[name].append(time.thread_time() - begin)
    return {name: len(stream) / np.median(found) for name, found in taken.items()}


@pytest.mark.parametrize("n_entries", [10, 20, 50])
def test_learning_of_two_classes_is_quicker_than_with_river(n_entries, tiny):
    makes = {
        "ours": lambda: DictStream(PassiveAggressiveClassifier(C=0.1)),
        "River": lambda: river.PAClassifier(C=0.1),
    }
    # Of few entries the calls themselves cost as much as what they do.
    stream = stream_of(n_entries, 50 if tiny else 4000)
    found = rates(makes, stream)
    times = told(f"{n_entries} entries", found)
    for what, alone in without_learning(stream).items():
        print(f"; {what} alone {alone:,.0f} ({alone / found['River'][0]:.1f} times)", end="")
    assert tiny or times > (1.3 if n_entries >= 20 else 1.0)


@pytest.mark.parametrize(("name", "least"), [("letter", 15.0), ("usps", 12.0), ("shuttle", 3.0)])
def test_learning_of_several_classes_is_quicker_than_with_river(shared_data, name, least, tiny):
    """River has one binary learner for each class, all of which learn from every example."""
    with np.load(shared_data / "learners" / f"{name}.npz") as found:
        X, y = (found["X"], found["y"]) if "X" in found else (found["X_train"], found["y_train"])
    m = 50 if tiny else 1000
    scaled = (X[:m] - X[:m].mean(axis=0)) / (X[:m].std(axis=0) + 1.0)
    stream = [
        ({f"f{j}": value for j, value in enumerate(row)}, int(label))
        for row, label in zip(scaled.tolist(), y[:m], strict=True)
    ]
    makes = {
        "ours": lambda: DictStream(PassiveAggressiveClassifier(C=0.1)),
        "River": lambda: multiclass.OneVsRestClassifier(river.PAClassifier(C=0.1)),
    }
    what = f"{name}, {X.shape[1]} entries, {len(set(y[:1000].tolist()))} classes"
    times = told(what, rates(makes, stream, rounds=3))
    assert tiny or times > least
