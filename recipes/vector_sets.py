"""Sets of labelled vectors, as the recipes of the flat learners read them.

A set is a file ``NAME.npz`` in a folder, with ``X_train, y_train, X_test, y_test``, or with ``X``
and ``y`` alone: of Letter the first 16,000 examples are then for training, of any other set a
share of 80 % of each class, drawn with seed 0.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

STANDARDISED = ("letter", "shuttle")  # their features are on scales of their own


@dataclass(frozen=True)
class Set:
    """Examples for training and for testing.

    Attributes
    ----------
    name : str
    X, X_test : np.ndarray [shape=(m, d)], [shape=(n, d)]
        Letter and Shuttle: mean 0 and deviation 1 on the training set. Others: divided by the
        largest absolute value.
    y, y_test : np.ndarray of int [shape=(m,)], [shape=(n,)]
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def read_arrays(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Read the arrays of a file."""
    path = folder / f"{name}.npz"
    if not path.is_file():
        raise SystemExit(f"{path}: no such file; the first argument is the folder of the sets.")
    with np.load(path) as found:
        return {key: found[key] for key in found}


def read_examples(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read a set that has no part for testing, in its order and unscaled."""
    found = read_arrays(folder, name)
    return found["X"].astype(np.float64), found["y"].astype(int)


def read_set(folder: Path, name: str) -> Set:
    """Read, split and scale a set."""
    found = read_arrays(folder, name)
    if "X" in found:
        train, test = split(name, found["y"])
        X, y, X_test, y_test = (found[k][rows] for rows in (train, test) for k in "Xy")
    else:
        X, y, X_test, y_test = (found[k] for k in ("X_train", "y_train", "X_test", "y_test"))
    X, X_test = X.astype(np.float64), X_test.astype(np.float64)
    if name in STANDARDISED:
        mean, deviation = X.mean(axis=0), X.std(axis=0)
        X, X_test = (X - mean) / deviation, (X_test - mean) / deviation
    else:
        largest = np.abs(X).max()
        X, X_test = X / largest, X_test / largest
    return Set(name, np.ascontiguousarray(X), y.astype(int), X_test, y_test.astype(int))


def split(name: str, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows for training and those for testing."""
    if name == "letter":
        return np.arange(len(y) * 4 // 5), np.arange(len(y) * 4 // 5, len(y))
    rng = np.random.default_rng(0)
    train = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        train[rows[: round(0.8 * len(rows))]] = True
    return np.flatnonzero(train), np.flatnonzero(~train)
