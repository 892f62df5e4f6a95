"""What a structured problem is: the three or four functions a user writes.

Nothing here knows of sound, or of any other structure: `align.learners.StructuredLearner`
works on whatever offers these functions.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.parameters import mean_of
from align.types import BoolArray, Float64


class StructuredProblem(Protocol):
    """What to predict, how well a prediction fits, and what a wrong one costs.

    ``decode`` must break ties by a fixed rule that does not know the truth. A problem may have an
    attribute ``non_negative`` [shape=(J,), dtype=bool]: the functions of which more is better by
    construction, such as log probabilities. The learner then keeps their weights from falling
    below 0. `StructuredLearner` has an example.
    """

    def joint_feature(self, x: Any, y: Any) -> Float64:
        """Return phi(x, y) [shape=(J,)]: the same length for every x and y."""
        ...

    def decode(self, w: Float64, x: Any) -> Any:
        """Return the y that maximises <w, phi(x, y)>."""
        ...

    def cost(self, y: Any, y_hat: Any) -> float:
        """Return the cost of predicting `y_hat` where `y` is right: >= 0, and 0 where equal."""
        ...


@runtime_checkable
class LossAugmentedProblem(Protocol):
    """A structured problem that also finds the worst violation, which the maximal loss needs."""

    def loss_augmented_decode(self, w: Float64, x: Any, y: Any) -> Any:
        """Return the y' that maximises ``cost(y, y') + <w, phi(x, y')>``."""
        ...


def mean_cost(
    problem: StructuredProblem,
    w: Float64,
    xs: Sequence[Any],
    ys: Sequence[Any],
    sample_weight: Any = None,
) -> float:
    """Return the mean cost of decoding examples with the weights w, as the examples weigh."""
    costs = [
        check_cost(problem.cost(y, problem.decode(w, x))) for x, y in zip(xs, ys, strict=True)
    ]
    return mean_of(costs, sample_weight)


def check_pairs(xs: Sequence[Any], ys: Sequence[Any], x_name: str, y_name: str) -> int:
    """Return the number of examples; raise ParameterError where two sequences do not match."""
    for given, name in ((xs, x_name), (ys, y_name)):
        if not (hasattr(given, "__len__") and hasattr(given, "__getitem__")):
            raise ParameterError(
                f"{name} is of type {type(given).__name__}, must be a sequence; make it one "
                f"with list({name})."
            )
    if len(xs) != len(ys):
        raise ParameterError(
            f"len({x_name})={len(xs)}, len({y_name})={len(ys)}, must be the same."
        )
    if len(xs) == 0:
        raise ParameterError(f"{x_name} is empty; pass at least one example.")
    return len(xs)


def check_feature(phi: npt.ArrayLike) -> Float64:
    """Return phi(x, y) as a vector; raise ParameterError where it is none, or not finite."""
    try:
        given = np.asarray(phi)
        vector = given.astype(np.float64, copy=False) if given.dtype.kind != "c" else None
    except (TypeError, ValueError):
        vector = None
    if vector is None:
        raise ParameterError(f"joint_feature returned {repr(phi)[:60]}, must be real numbers.")
    if vector.ndim != 1:
        raise ParameterError(f"joint_feature returned shape {vector.shape}, must be (J,).")
    if not np.isfinite(vector).all():
        where = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ParameterError(f"joint_feature[{where}] is {vector[where]}, must be finite.")
    return vector


def check_cost(cost: float) -> float:
    """Return a cost as a float; raise ParameterError where it is negative or not finite."""
    try:
        value = float(cost)
    except (TypeError, ValueError):
        raise ParameterError(f"cost returned {repr(cost)[:60]}, must be a number.") from None
    if not 0.0 <= value < math.inf:
        raise ParameterError(f"cost returned {value}, must be finite and not negative.")
    return value


def check_loss(problem: StructuredProblem, loss: str) -> None:
    """Refuse what is no problem, and the maximal loss where it cannot be had."""
    if isinstance(problem, type):
        raise ParameterError(
            f"problem is the class {problem.__name__} itself, must be an object of it."
        )
    for name, given in (("joint_feature", "x, y"), ("decode", "w, x"), ("cost", "y, y_hat")):
        if not callable(getattr(problem, name, None)):
            raise ParameterError(
                f"problem is of type {type(problem).__name__}, which has no {name}({given})."
            )
    if loss == "maximal" and not callable(getattr(problem, "loss_augmented_decode", None)):
        raise ParameterError(
            "loss='maximal' needs loss_augmented_decode(w, x, y), which "
            f"{type(problem).__name__} does not have; add it, or use loss='prediction'."
        )


def signs_of(problem: StructuredProblem, n_features: int) -> BoolArray | None:
    """Return which weights must not be negative [shape=(J,)]; None where any may be."""
    given = getattr(problem, "non_negative", None)
    if given is None:
        return None
    signs = np.asarray(given)
    if signs.shape != (n_features,) or signs.dtype != np.bool_:
        raise ParameterError(
            f"non_negative has dtype {signs.dtype} and shape {signs.shape}, must be bool and "
            f"(J,)=({n_features},)."
        )
    return signs if signs.any() else None


def difference(problem: StructuredProblem, truth: Float64, x: Any, y: Any) -> Float64:
    """Return ``phi(x, y_true) - phi(x, y)``."""
    phi = check_feature(problem.joint_feature(x, y))
    if phi.shape != truth.shape:
        raise ParameterError(
            f"joint_feature returned shape {phi.shape}, must be (J,)={truth.shape}."
        )
    return truth - phi
