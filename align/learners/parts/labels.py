"""Labels of one type, and the distinct ones of a learner that takes up new ones."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError

__all__ = ["check_announced", "check_labels", "distinct_labels", "one_label"]


def check_labels(y: npt.NDArray[Any]) -> None:
    """Raise an error where labels are no classes; ParameterError where they are of several types.

    Examples
    --------
    >>> check_labels(np.array(["a", "b"]))
    """
    from sklearn.utils.multiclass import check_classification_targets

    if np.asarray(y).dtype == object:
        distinct_labels(y)
    check_classification_targets(y)


def check_announced(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> None:
    """Raise unless each label is one of the classes, of a learner that takes up no new ones.

    Examples
    --------
    >>> check_announced(np.array([2, 1]), np.array([1, 2]))
    """
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ParameterError(
            f"label {y[unknown].tolist()[0]!r} was never announced; the classes are "
            f"{classes.tolist()}. Give all of them in the first call."
        )


def distinct_labels(*parts: Any) -> npt.NDArray[Any]:
    """Return the distinct labels of one array or several, sorted.

    Raises `ParameterError` where some are text and others are not: numpy would make text of all,
    and a learner that was given 1 would predict ``"1"``. Nor is NaN a label: it is unequal to
    itself.

    Examples
    --------
    >>> distinct_labels([2, 0], [1, 2]).tolist()
    [0, 1, 2]
    """
    arrays = [array for array in map(np.asarray, parts) if array.size]
    if not arrays:
        return np.asarray(parts[0])
    if len({array.dtype.kind in "US" for array in arrays if array.dtype.kind != "O"}) < 2:
        try:
            found = np.unique(np.concatenate([array.ravel() for array in arrays]))
        except TypeError:  # values of which none is less than the other
            found = None
        if found is not None:
            if (found != found).any():
                raise ParameterError("the labels contain NaN, which is no class; remove it.")
            return found
    of_types: dict[type, Any] = {}
    for label in (label for array in arrays for label in array.ravel().tolist()):
        of_types.setdefault(type(label), label)
    raise ParameterError(
        f"the labels are of several types, such as {', '.join(map(repr, of_types.values()))}; "
        "give all as text, or all as numbers."
    )


def one_label(y: Any) -> npt.NDArray[Any]:
    """Return the label of one example [shape=(1,)]; an error where it cannot be one.

    Examples
    --------
    >>> one_label("a").tolist()
    ['a']
    """
    found = np.array([y])
    if found.ndim != 1 or not isinstance(y, Hashable):
        raise ParameterError(f"the label is {y!r}, must be one number or one text.")
    return distinct_labels(found)
