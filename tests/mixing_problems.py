"""A structured problem that worker processes can import."""

import os
from pathlib import Path

import numpy as np


class Classes:
    """Multiclass classification, as the simplest of structures."""

    def __init__(self, k=3):
        self.k = k

    def joint_feature(self, x, y):
        return np.kron(np.eye(self.k)[y], x)

    def decode(self, w, x):
        return int(np.argmax(w.reshape(self.k, -1) @ x))

    def loss_augmented_decode(self, w, x, y):
        return int(np.argmax(w.reshape(self.k, -1) @ x + (np.arange(self.k) != y)))

    def cost(self, y, y_hat):
        return float(y != y_hat)


class Placed(Classes):
    """The same, which notes the processes that work at it in a folder."""

    def __init__(self, places):
        super().__init__()
        self.places = os.fspath(places)

    def decode(self, w, x):
        Path(self.places, str(os.getpid())).touch()
        return super().decode(w, x)


def separable(seed, m=60, d=4, k=3, margin=0.2):
    """Examples, their classes, and a u of norm 1 that separates them by a margin."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(k, d))
    U /= np.linalg.norm(U)
    xs, ys = [], []
    while len(xs) < m:
        x = rng.normal(size=d)
        scores = U @ x
        best = np.sort(scores)
        if best[-1] - best[-2] >= margin:
            xs.append(x)
            ys.append(int(scores.argmax()))
    return xs, ys, U.ravel()
