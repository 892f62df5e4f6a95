"""Streams of examples that several tests of the flat learners use."""

import numpy as np


def gaussian(m, n, noise, seed):
    """G1: Gaussian instances of three scales, labels of a random u, some flipped."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    X = rng.normal(size=(m, n)) * rng.choice([0.3, 1.0, 3.0], size=(m, 1))
    y = np.where(X @ u >= 0, 1, -1) * np.where(rng.random(m) < noise, -1, 1)
    return X, y, u


def ternary(m, n, noise, seed, doubled=False):
    """G2 and, doubled, G3: instances of -1, 0 and 1."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    X = rng.integers(-1, 2, size=(m, n)).astype(float)
    y = np.where(X @ u >= 0, 1, -1) * np.where(rng.random(m) < noise, -1, 1)
    return (np.hstack([X, -X]) if doubled else X), y, u


def unit(m, n, gamma, seed):
    """G4: unit instances that the unit vector u separates with a margin of gamma."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(40 * m, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X @ u) >= gamma][:m]
    return X, np.where(X @ u > 0, 1, -1), u


def competitors(u, seed=0):
    """Weights to compare with."""
    rng = np.random.default_rng(seed)
    return [np.zeros_like(u), u, 0.1 * u, 5.0 * u, rng.normal(size=u.shape)]


def simplex_competitors(n, u=None, seed=0):
    """Points of the simplex to compare with."""
    rng = np.random.default_rng(seed)
    found = [np.full(n, 1.0 / n), *rng.dirichlet(np.full(n, 0.3), size=4), *np.eye(n)]
    if u is not None:
        both = np.concatenate([np.maximum(u, 0.0), np.maximum(-u, 0.0)])
        found.append(both / both.sum())
    return found
