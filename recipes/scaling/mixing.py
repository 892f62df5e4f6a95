"""Compare iterative parameter mixing with serial training: accuracy, and time on this machine.

::

    python recipes/scaling/mixing.py --speech CORPUS --sets FOLDER [--jobs N] [--json FILE]

CORPUS is a folder of speakers of TIMIT, FOLDER holds usps.npz and letter.npz. See the README.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np

import align
from align.learners import (
    MixedClassifier,
    ParameterMixing,
    PassiveAggressiveClassifier,
    StructuredLearner,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from vector_sets import read_set

SHARDS = (2, 4, 8)
MIXES = ("uniform", "updates")
FLAT_C = {"usps": 0.01, "letter": 0.01}


def timed(work: Callable[[], object]) -> tuple[object, float, float]:
    """Return a result, seconds on the clock, and seconds of this process's processors."""
    clock, own = time.perf_counter(), time.process_time()
    done = work()
    return done, time.perf_counter() - clock, time.process_time() - own


class Kept(align.SpeechAligner):
    """An aligner that keeps what its weights are learned from."""

    def _make_learner(self) -> StructuredLearner:
        outer = self

        class Learner(StructuredLearner):
            def fit(self, problem, xs, ys, **options):
                outer.kept = problem, xs, ys
                return super().fit(problem, xs, ys, **options)

        return Learner(self.update, loss=self.loss, C=self.C, epochs=self.epochs, random_state=0)


def speech(
    corpus: Path, epochs: list[int], jobs: int, speakers: int | None, features: str
) -> list[dict[str, object]]:
    """Learn the weights of an English aligner in several ways, and decode other speakers."""
    examples = align.read_corpus(corpus)
    names = examples.groups[:speakers]
    train, test = [name for k, name in enumerate(names) if k % 4], names[::4]
    model = Kept(features, random_state=0, calibrate=False, correct=False, n_jobs=1).fit(
        examples.subset(train)
    )
    problem, xs, ys = model.kept
    tests = []
    for example in examples.subset(test):
        item = model._read_example(example, example.name)
        x, y = model._problem(item, model.features_)
        tests.append((x, y.frames))
    hop = model.hop_
    rows = []

    def row(name: str, n_epochs: int, learner: object) -> None:
        fitted, clock, own = timed(lambda: learner.fit(problem, xs, ys))
        errors = [(problem.decode(fitted.coef_, x) - y)[1:] * hop for x, y in tests]
        within = np.abs(np.concatenate(errors)) <= 0.02 + 1e-9
        result = {"set": "timit", "how": name, "epochs": n_epochs, "clock_s": clock, "cpu_s": own}
        result |= {
            "features": features,
            "within_20_ms": 100 * float(within.mean()),
            "updates": fitted.n_updates_,
        }
        rows.append(result)
        print(result, flush=True)

    for n in epochs:
        base = StructuredLearner("pa1", loss="maximal", C=model.C, epochs=n, random_state=0)
        row("serial", n, base)
        for mix in MIXES:
            for shards in SHARDS:
                row(f"{shards} shards, {mix}", n, ParameterMixing(base, shards, mix=mix))
        for backend in ("threading", "loky"):
            with joblib.parallel_config(backend, n_jobs=jobs):
                row(f"4 shards, uniform, {backend} x {jobs}", n, ParameterMixing(base, 4))
    return rows


def flat(folder: Path, jobs: int) -> list[dict[str, object]]:
    """Learn classifiers of vectors, and test them."""
    rows = []
    for name, C in FLAT_C.items():
        data = read_set(folder, name)

        def row(how: str, model: object, name=name, data=data) -> None:
            model.fit(data.X[:200], data.y[:200])  # compile before the clock runs
            _, clock, own = timed(lambda: model.fit(data.X, data.y))
            error = 100 * float(np.mean(model.predict(data.X_test) != data.y_test))
            result = {"set": name, "how": how, "clock_s": clock, "cpu_s": own, "error": error}
            rows.append(result)
            print(result, flush=True)

        for epochs in (1, 5):
            base = PassiveAggressiveClassifier(
                C=C, epochs=epochs, conversion="average", random_state=0
            )
            row(f"serial, {epochs} epochs", base)
            for mix in MIXES:
                for shards in SHARDS:
                    mixed = MixedClassifier(base, shards, mix=mix, random_state=0)
                    row(f"{shards} shards, {mix}, {epochs} epochs", mixed)
            with joblib.parallel_config("threading", n_jobs=jobs):
                mixed = MixedClassifier(base, 4, random_state=0)
                row(f"4 shards, uniform, {epochs} epochs, threading x {jobs}", mixed)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--speech", type=Path, metavar="CORPUS")
    parser.add_argument("--sets", type=Path, metavar="FOLDER")
    parser.add_argument("--epochs", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--features", default="default", choices=("default", "thesis"))
    parser.add_argument("--speakers", type=int, help="of speech: use the first so many")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    if given.sets:
        rows += flat(given.sets, given.jobs)
    if given.speech:
        rows += speech(given.speech, given.epochs, given.jobs, given.speakers, given.features)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
