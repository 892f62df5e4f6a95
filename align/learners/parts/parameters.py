"""Checks of constructor parameters that several learners share, and their random numbers."""

import math
from collections.abc import Iterable, Iterator
from numbers import Real
from typing import Any

import numpy as np

from align._numba import compiled
from align.errors import ParameterError, check_shape
from align.types import Float64, IntArray

NO_WEIGHTS: Float64 = np.zeros(0)  # of examples whose weights are all 1


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator for a seed, a Generator, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise _no_seed(random_state, error) from error


def shuffler(random_state: Any) -> np.random.RandomState | np.random.Generator:
    """Return what can shuffle, for a seed, a Generator, a RandomState or None.

    A seed means a RandomState, whose orders the published tables of rankers and ellipsoids have.
    """
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return random_state
    try:
        return np.random.RandomState(random_state)
    except (TypeError, ValueError) as error:
        raise _no_seed(random_state, error) from error


def _no_seed(random_state: Any, error: Exception) -> ParameterError:
    return ParameterError(
        f"random_state={random_state!r}, must be a whole number that is not negative, a "
        f"Generator, a RandomState or None ({error})."
    )


def orders(rng: Any, n: int, epochs: Any, shuffle: bool) -> Iterator[IntArray]:
    """Yield the order of the examples in each pass, drawn when the pass begins."""
    for _ in range(int(epochs)):
        order = np.arange(n)
        if shuffle:
            rng.shuffle(order)
        yield order


def positive(value: float, name: str) -> float:
    """Return a value that must be positive and finite."""
    check_number(value, name)
    if not 0.0 < value < math.inf:
        raise ParameterError(f"{name}={value}, must be positive and finite.")
    return float(value)


def not_negative(value: float, name: str) -> float:
    """Return a value that must be finite and not negative."""
    check_number(value, name)
    if not 0.0 <= value < math.inf:
        raise ParameterError(f"{name}={value}, must be finite and not negative.")
    return float(value)


def check_whole(value: Any, name: str, *, least: int = 1) -> None:
    """Raise unless a value is a whole number, at least `least`, and no bool."""
    check_number(value, name)
    if isinstance(value, bool) or not least <= value < math.inf or value != int(value):
        raise ParameterError(f"{name}={value}, must be a whole number, at least {least}.")


def check_number(value: Any, name: str) -> None:
    """Raise unless a value is one number."""
    if not isinstance(value, Real) and np.shape(value):
        raise ParameterError(f"{name} has the shape {np.shape(value)}, must be one number.")
    if not isinstance(value, Real | np.ndarray):
        raise ParameterError(f"{name}={value!r}, must be a number.")


def check_share(value: Any, name: str) -> None:
    """Raise unless a value is a number above 0 and below 1."""
    check_number(value, name)
    if not 0.0 < value < 1.0:
        raise ParameterError(f"{name}={value}, must lie in (0, 1).")


def check_choice(value: Any, name: str, choices: Iterable[str]) -> None:
    """Raise unless a value is one of some names."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name}={value!r}, must be one of {', '.join(choices)}.")


def check_given(y: Any, owner: str) -> None:
    """Raise where there is nothing to learn; the words are scikit-learn's."""
    if y is None:
        raise ParameterError(f"{owner} requires y to be passed, but the target y is None.")


def refuse_masks(**given: Any) -> None:
    """Raise where an array is masked: numpy and scikit-learn read on as if there were no mask."""
    for name, values in given.items():
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            raise ParameterError(f"{name} has masked entries; fill them, or leave their rows out.")


def one_row(x: Any, owner: Any) -> Float64:
    """Return the one example of a `step` [shape=(d,)]; an error where the owner cannot take it.

    A number alone would be written to every feature, and what is not finite stay in the weights.
    """
    if type(x) is not np.ndarray:
        refuse_masks(x=x)
    try:
        row: Float64 = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"x must hold the numbers of one example: {error}.") from error
    if row.ndim != 1:
        row = row[0] if row.ndim == 2 and len(row) == 1 else row
        check_shape("x", row.shape, "(d,)", (getattr(owner, "n_features_in_", row.size),))
    elif len(row) != getattr(owner, "n_features_in_", len(row)):
        check_shape("x", row.shape, "(d,)", (owner.n_features_in_,))
    check_finite(row, "x")
    return row


def check_finite(values: Float64, name: str) -> None:
    """Raise unless each number of a vector is finite."""
    plain = values.flags.carray  # what the sum is compiled for
    if not (plain and sum_is_finite(values)) and not np.isfinite(values).all():
        raise ParameterError(f"{name} contains NaN or infinity; remove it.")


@compiled(fastmath={"reassoc", "nsz"})
def sum_is_finite(values: Any) -> bool:
    """Whether the sum is finite, as it is only where every entry is; quicker than to ask each."""
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return math.isfinite(total)


def one_number(y: Any) -> float:
    """Return the number that a round is to predict."""
    try:
        number = float(y)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"y={y!r}, must be a finite number.")
    return number


def read_weights(sample_weight: Any, X: Any) -> tuple[Float64, IntArray]:
    """Return the weights, none where all are 1, and the rows that have one."""
    m = X.shape[0]
    if sample_weight is None or sample_weight is NO_WEIGHTS:
        return NO_WEIGHTS, np.arange(m)
    weights = np.asarray(sample_weight)
    if weights.dtype.kind == "c":
        raise ParameterError("sample_weight must be real.")
    weights = weights.astype(np.float64, copy=False)
    if weights.ndim == 0:
        weights = np.full(m, float(weights))
    check_shape("sample_weight", weights.shape, "(m,)", (m,))
    if not (np.isfinite(weights).all() and (weights >= 0.0).all()):
        raise ParameterError("sample_weight must be finite and not negative.")
    return np.ascontiguousarray(weights), np.flatnonzero(weights > 0.0)


def weighed(sample_weight: Any, X: Any, *more: Any, reason: str = "") -> tuple[Any, ...]:
    """Return the weights for a `fit`, none where all are 1; and of X and more the rows with one.

    Rows of weight 0 are gone, as if they had not been given. None among `more` stays None. With a
    reason weights must be 0 or 1.
    """
    if sample_weight is None:
        return NO_WEIGHTS, X, *more
    if reason:
        kept = read_zero_one(sample_weight, X, reason)
        weights = NO_WEIGHTS
    else:
        weights, kept = read_weights(sample_weight, X)
        weights = weights[kept]
    if not len(kept):
        raise ParameterError("every sample_weight is zero, must be positive for one example.")
    if len(kept) < X.shape[0]:
        X, *more = [part if part is None else part[kept] for part in (X, *more)]  # type: ignore[assignment]
    return weights, X, *more


def mean_of(values: Any, sample_weight: Any) -> float:
    """Return the mean of what each example is worth, as the examples weigh."""
    values = np.asarray(values)
    if sample_weight is None:
        return float(np.average(values))
    weights, kept = read_weights(sample_weight, values)
    if not len(kept):
        raise ParameterError("every sample_weight is zero, must be positive for one example.")
    return float(np.average(values, weights=weights if len(weights) else None))


def read_zero_one(sample_weight: Any, X: Any, reason: str) -> IntArray:
    """Return the rows whose weight is 1, where it must be 0 or 1 for a reason."""
    weights, kept = read_weights(sample_weight, X)
    if not np.isin(weights, (0.0, 1.0)).all():
        raise ParameterError(
            f"sample_weight must be 0 or 1 here: {reason}; repeat an example to have it count "
            "twice."
        )
    return kept
