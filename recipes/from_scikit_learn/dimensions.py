"""Time of an example against the number of features, at the same number of entries that are not 0.

python recipes/from_scikit_learn/dimensions.py
"""

import time

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

from align.learners import PassiveAggressiveClassifier, compat

WORDS = 60  # of a document
DOCUMENTS = 20000
SIZES = (10**4, 10**5, 10**6, 10**7)
REPEATS = 5


def documents(rng):
    """Yield bags of words of two topics; the words are numbers of Zipf's law."""
    for topic in rng.integers(2, size=DOCUMENTS):
        words = rng.zipf(1.3, size=WORDS) % 10**6
        own = rng.random(WORDS) < 0.1
        yield (
            topic,
            [f"{topic}-{w % 500}" if mine else f"{w}" for w, mine in zip(words, own, strict=True)],
        )


def seconds(model, X, y):
    """Return the least seconds of the processor that a call of `partial_fit` takes."""
    model.partial_fit(X[:9], y[:9], [0, 1])  # makes the weights
    found = []
    for _ in range(REPEATS):
        begin = time.process_time()
        model.partial_fit(X, y)
        found.append(time.process_time() - begin)
    return min(found)


def main():
    """Print microseconds of an example, and milliseconds of a call of `partial_fit`.

    The former are what twice as many examples take longer.
    """
    topics, bags = zip(*documents(np.random.default_rng(0)), strict=True)
    y = np.array(topics)
    learners = {
        "PA-I": lambda: PassiveAggressiveClassifier(C=0.01),
        "PA-I, averaged": lambda: PassiveAggressiveClassifier(C=0.01, conversion="average"),
        "compat": lambda: compat.PassiveAggressiveClassifier(C=0.01, random_state=0),
        "SGDClassifier": lambda: SGDClassifier(learning_rate="pa1", eta0=0.01, penalty=None),
    }
    for make in learners.values():  # compiles the kernels
        X = FeatureHasher(100, input_type="string").transform(bags[:9])
        make().partial_fit(X, y[:9], [0, 1])
    print("| features | not 0 in a row | " + " | ".join(learners) + " |")
    for size in SIZES:
        X = FeatureHasher(size, input_type="string").transform(bags)
        double, row = sp.vstack([X, X], format="csr"), []
        for make in learners.values():
            once = seconds(make(), X, y)
            example = max(0.0, seconds(make(), double, np.tile(y, 2)) - once) / DOCUMENTS
            row.append(f"{1e6 * example:.2f} + {1e3 * max(0.0, once - DOCUMENTS * example):.0f}")
        print(f"| {size:,} | {X.nnz / len(y):.1f} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
