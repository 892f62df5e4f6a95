"""Read words of digits as chains: the structured learner, a CRF, and digits one by one.

python recipes/chains/run.py
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import write_numbers

from align.learners import PassiveAggressiveClassifier, StructuredLearner

K, PIXELS = 10, 65  # digits; pixels and a constant
FOLDS = 5
C = np.logspace(-4, 1, 6)  # of the learners of margins; chosen on a fifth of the training words
C2 = np.logspace(-4, 1, 6)  # l2 of the CRF


class Chain:
    """A word: which digit each image is, and which digit follows which."""

    def joint_feature(self, x, y):
        """Return the sum of the images of each digit, and the counts of pairs."""
        pixels, pairs = np.zeros((K, PIXELS)), np.zeros((K, K))
        np.add.at(pixels, y, x)
        np.add.at(pairs, (y[:-1], y[1:]), 1.0)
        return np.concatenate([pixels.ravel(), pairs.ravel()])

    def best(self, w, x, extra):
        """Return the word of the highest score, after `extra` per image and digit (Viterbi)."""
        scores = x @ w[: K * PIXELS].reshape(K, PIXELS).T + extra
        pairs = w[K * PIXELS :].reshape(K, K)
        total, back = scores[0], []
        for row in scores[1:]:
            ways = total[:, None] + pairs
            back.append(ways.argmax(axis=0))
            total = ways.max(axis=0) + row
        y = [int(total.argmax())]
        for step in reversed(back):
            y.append(int(step[y[-1]]))
        return np.array(y[::-1])

    def decode(self, w, x):
        """Return the word of the highest score."""
        return self.best(w, x, 0.0)

    def loss_augmented_decode(self, w, x, y):
        """Return the word that violates the margin most: each wrong digit has a cost of 1."""
        return self.best(w, x, 1.0 - np.eye(K)[y])

    def cost(self, y, y_hat):
        """Return the number of wrong digits."""
        return float((y != y_hat).sum())


def make_words(images, labels, n, rng):
    """Glue images to words of 3 to 8 digits; after each digit mostly one of three follow."""
    follows = np.random.default_rng(7).permuted(np.tile(np.arange(K), (K, 1)), axis=1)[:, :3]
    places = [np.flatnonzero(labels == digit) for digit in range(K)]
    xs, ys = [], []
    for _ in range(n):
        y = [int(rng.integers(K))]
        for _ in range(int(rng.integers(2, 8))):
            y.append(int(rng.choice(follows[y[-1]]) if rng.random() < 0.9 else rng.integers(K)))
        chosen = np.array([rng.choice(places[digit]) for digit in y])
        x = images[chosen] + 0.35 * rng.normal(size=(len(y), images.shape[1]))
        xs.append(np.hstack([x, np.ones((len(y), 1))]))
        ys.append(np.array(y))
    return xs, ys


def structured(C, xs, ys):
    """Return what reads words after ten passes of PA-I with the maximal loss, averaged."""
    learner = StructuredLearner("pa1", loss="maximal", C=C, epochs=10).fit(Chain(), xs, ys)
    return lambda words: learner.predict(Chain(), words)


def one_by_one(make):
    """Return what trains a classifier of single digits."""

    def train(C, xs, ys):
        model = make(C).fit(np.vstack(xs)[:, :-1], np.concatenate(ys))
        return lambda words: [model.predict(x[:, :-1]) for x in words]

    return train


def crf(c2, xs, ys):
    """Return what reads words after CRFsuite's L-BFGS on the same features."""
    import pycrfsuite

    def items(x):
        rows = [{str(j): float(v) for j, v in enumerate(row)} for row in x]
        return pycrfsuite.ItemSequence(rows)

    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    for x, y in zip(xs, ys, strict=True):
        trainer.append(items(x), [str(digit) for digit in y])
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": c2,
            "max_iterations": 200,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
        }
    )
    path = "chains.crfsuite"
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    Path(path).unlink()
    return lambda words: [np.array([int(d) for d in tagger.tag(items(x))]) for x in words]


METHODS = {
    "linear SVM, digit by digit": (one_by_one(lambda C: LinearSVC(C=C)), C),
    "PA-I averaged, digit by digit": (
        one_by_one(lambda C: PassiveAggressiveClassifier(C=C, epochs=10, conversion="average")),
        C,
    ),
    "CRFsuite, chain": (crf, C2),
    "structured PA-I, chain": (structured, C),
}


def wrong(read, xs, ys):
    """Return the share of wrong digits and of words with one."""
    found = read(xs)
    digits = np.mean(np.concatenate(found) != np.concatenate(ys))
    words = np.mean([(a != b).any() for a, b in zip(found, ys, strict=True)])
    return float(digits), float(words)


def main():
    """Compare on folds that share no image."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    given = parser.parse_args()
    images, labels = load_digits(return_X_y=True)
    images = images / 16.0
    order = np.random.default_rng(0).permutation(len(images))
    found = {name: [] for name in METHODS}
    for fold in range(FOLDS):
        test = order[fold::FOLDS]
        train = np.setdiff1d(order, test)
        inner = np.random.default_rng(fold).permutation(train)
        held, rest = inner[: len(inner) // 5], inner[len(inner) // 5 :]
        rng = np.random.default_rng([1, fold])
        words, choice, final = (
            make_words(images[some], labels[some], n, rng)
            for some, n in ((rest, 400), (held, 200), (test, 500))
        )
        for name, (learn, grid) in METHODS.items():
            best = min(grid, key=lambda c, learn=learn: wrong(learn(c, *words), *choice))
            begin = time.perf_counter()
            read = learn(best, *words)
            seconds = time.perf_counter() - begin
            found[name].append((*wrong(read, *final), seconds))
            print(fold, name, best, found[name][-1], flush=True)
    print("| method | wrong digits | words with a wrong digit | seconds of training |")
    for name, rows in found.items():
        (digits, whole, seconds), apart = np.mean(rows, axis=0), np.std(rows, axis=0)
        print(
            f"| {name} | {100 * digits:.2f} ± {100 * apart[0]:.2f} % "
            f"| {100 * whole:.2f} ± {100 * apart[1]:.2f} % | {seconds:.2f} |"
        )
    write_numbers(found, given.json)


if __name__ == "__main__":
    main()
