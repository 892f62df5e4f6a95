"""Checks of constructor parameters that several learners share, and their random numbers."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from align.errors import ParameterError

__all__ = ["check_choice", "check_epochs", "generator", "not_negative", "positive"]


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator for a seed, a Generator, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def positive(value: float, name: str) -> float:
    """Return a value that must be positive and finite."""
    if not 0.0 < value < math.inf:
        raise ParameterError(f"{name}={value}, must be positive and finite.")
    return float(value)


def not_negative(value: float, name: str) -> float:
    """Return a value that must be finite and not negative."""
    if not 0.0 <= value < math.inf:
        raise ParameterError(f"{name}={value}, must be finite and not negative.")
    return float(value)


def check_epochs(epochs: Any) -> None:
    """Raise unless `epochs` is a whole number, at least 1."""
    if isinstance(epochs, bool) or epochs < 1 or epochs != int(epochs):
        raise ParameterError(f"epochs={epochs}, must be a whole number, at least 1.")


def check_choice(value: Any, name: str, choices: Iterable[str]) -> None:
    """Raise unless a value is one of some names."""
    if value not in choices:
        raise ParameterError(f"{name}={value!r}, must be one of {', '.join(choices)}.")
