"""Compare `align.learners.compat` with scikit-learn's own: accuracy, seconds, coefficients.

python recipes/from_scikit_learn/run.py /data/learners
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from documents import read_documents, read_labelled_text
from vector_sets import read_set

from align.learners import PassiveAggressiveClassifier, compat

SETS = ("usps", "letter", "isolet", "shuttle", "mnist", "docstrings", "enron", "medical")
TEXTS = SETS[5:]
PASSES = 5
C = 0.01


def timed(model, X, y):
    """Fit and return the seconds."""
    begin = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - begin


def models(C=C):
    """Return what is compared, by name; `PASSES` passes each, in the orders of seed 0."""
    from sklearn import linear_model

    same = {"C": C, "max_iter": PASSES, "tol": None, "random_state": 0}
    sgd = {"loss": "hinge", "penalty": None, "learning_rate": "pa1", "eta0": C}
    steps = {"max_iter": PASSES, "tol": None, "random_state": 0}
    found = {
        "compat": compat.PassiveAggressiveClassifier(**same),
        "SGDClassifier": linear_model.SGDClassifier(**sgd, **steps),
        "PA-I, averaged": PassiveAggressiveClassifier(
            C=C, epochs=PASSES, conversion="average", random_state=0
        ),
        "compat Perceptron": compat.Perceptron(**steps),
        "scikit-learn's Perceptron": linear_model.Perceptron(**steps),
    }
    if hasattr(linear_model, "PassiveAggressiveClassifier"):
        found["scikit-learn's"] = linear_model.PassiveAggressiveClassifier(**same)
    return found


def compare(folder, name):
    """Print a row of the table for each model and form of one set."""
    text = name in TEXTS
    if name == "docstrings":
        data = read_documents()
    else:
        data = (read_labelled_text if text else read_set)(folder, name)
    forms = {"CSR": sp.csr_matrix} if text else {"dense": np.asarray, "CSR": sp.csr_matrix}
    for form, kind in forms.items():
        X, X_test = kind(data.X), kind(data.X_test)
        found = models(1.0 if text else C)  # of documents, scikit-learn's default
        seconds = {key: timed(model, X, data.y) for key, model in found.items()}
        other = found.get("scikit-learn's", found["SGDClassifier"])
        apart = np.abs(found["compat"].coef_ - other.coef_).max()
        for key, model in found.items():
            right = 100.0 * model.score(X_test, data.y_test)
            print(f"| {name} | {form} | {key} | {right:.2f} | {seconds[key]:.2f} |")
        print(f"| {name} | {form} | largest difference of a coefficient | {apart:.1e} | |")


def main():
    """Compare on the sets that are named, or on all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="the sets of recipes/vector_sets.py")
    parser.add_argument(
        "sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; default: all"
    )
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).normal(size=(50, 4))  # compiles the kernels
    for model in models().values():
        for kind in (np.asarray, sp.csr_matrix):
            model.fit(kind(X), np.arange(50) % 3)
    print("| set | form | learner | right, % | seconds |\n|---|---|---|---|---|")
    for name in given.sets or SETS:
        compare(given.folder, name)


if __name__ == "__main__":
    main()
