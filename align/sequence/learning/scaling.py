"""Units of base functions: how much each varies around the truth."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.terms import BaseFunctions
from align.types import IntArray

__all__ = ["base_function_scales"]


def base_function_scales(
    xs: Sequence[BaseFunctions], ys: Sequence[IntArray], random_state: int
) -> npt.NDArray[np.float64]:
    """Return how much base functions vary where true onsets move by 4 frames [shape=(J,)].

    Base functions come in units from probabilities to squared seconds; without this the largest
    would drown the rest.
    """
    rng = np.random.default_rng(random_state)
    differences = []
    for x, y in zip(xs, ys, strict=True):
        room = np.minimum(np.diff(y, append=x.n_frames), np.diff(y, prepend=-1)) - 1
        moved = y + np.rint(rng.uniform(-0.5, 0.5, y.size) * np.minimum(room, 8)).astype(np.intp)
        if x.windows is not None:
            moved = np.clip(moved, x.windows[:, 0], x.windows[:, 1] - 1)
        with np.errstate(over="ignore", invalid="ignore"):  # named below
            differences.append((x.phi(y) - x.phi(moved)) / np.sqrt(y.size))
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.sqrt(np.mean(np.square(differences), axis=0))
    if not np.isfinite(spread).all():
        name = xs[0].names[int(np.flatnonzero(~np.isfinite(spread))[0])]
        raise ParameterError(f"base function {name!r} is not finite on the training set.")
    largest = spread.max(initial=0.0)
    # A base function that never varies says nothing: its scale must only be harmless.
    return np.where(spread > 1e-9 * largest, spread, 1.0)
