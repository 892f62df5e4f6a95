"""Labels as arrays of one type, and the distinct ones of a learner that takes up new ones."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError


def check_labels(y: npt.NDArray[Any]) -> None:
    """Raise an error where labels are no classes.

    Examples
    --------
    >>> check_labels(np.array(["a", "b"]))
    """
    from sklearn.utils.multiclass import check_classification_targets

    check_classification_targets(y)


def check_label_sets(y: npt.NDArray[Any]) -> None:
    """Raise `ParameterError` where a matrix says neither 0 nor 1 of a label.

    Examples
    --------
    >>> check_label_sets(np.array([[1, 0, 1], [0, 0, 1]]))
    """
    if y.ndim == 2 and not np.isin(y, (0, 1)).all():
        raise ParameterError("y must hold 0 and 1 where it has a column for each label.")


def read_labels(y: Any) -> Any:
    """Return a vector of labels as an array of NumPy, of the type that they have.

    Whole numbers of pandas that may be missing (``Int64``) would become floats to scikit-learn,
    which do not tell 2**53 from the next; and it refuses numbers in arrays of objects, and NumPy's
    own text. What is no vector is returned as it is.

    Raises `ParameterError` where labels are of several types, missing, or bytes. To be called with
    what a user gave: NumPy makes text of ``["a", 1]``, and scikit-learn cannot compare NA of
    pandas.

    Examples
    --------
    >>> read_labels(np.array([True, False], dtype=object))
    array([ True, False])
    """
    if not isinstance(y, list | tuple) and len(getattr(y, "shape", ())) != 1:
        return y
    labels = _as_array(y)
    if labels.ndim != 1:
        return y
    if labels.dtype.kind in "OS":
        distinct_labels(labels)  # or an error
        plain = np.array(labels.tolist())
        # of whole numbers beyond 64 bits, or beside a fraction, floats: two may become one
        if plain.dtype.kind in "biuf" and plain.tolist() == labels.tolist():
            return plain
    return labels


def _as_array(y: Any) -> npt.NDArray[Any]:
    """Return an array, of a list of text and others one of objects, of text one of `np.str_`."""
    if isinstance(y, list | tuple):
        kinds = set(map(type, y))
        if len(kinds) > 1 and any(issubclass(kind, str) for kind in kinds):
            return np.fromiter(y, dtype=object, count=len(y))
    array = np.asarray(y)
    return _as_array(array.tolist()) if array.dtype.kind == "T" else array


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
    and a learner that was given 1 would predict ``"1"``; and where numpy makes one label of two:
    of large whole numbers with and without a sign it makes floats. Nor is NaN a label: it is
    unequal to itself. None and NA of pandas stand for labels that are missing. Bytes are refused
    as by scikit-learn: NumPy makes the same of them as of text.

    Examples
    --------
    >>> distinct_labels([2, 0], [1, 2]).tolist()
    [0, 1, 2]
    """
    arrays = [array.ravel() for array in map(_as_array, parts) if array.size]
    if not arrays:
        return np.asarray(parts[0])
    for array in arrays:
        _refuse_no_labels(array)
    if len({array.dtype.kind in "US" for array in arrays if array.dtype.kind != "O"}) < 2:
        try:
            found = np.unique(np.concatenate(arrays))
        except TypeError:  # values of which none is less than the other
            pass
        else:  # large whole numbers become one where they become floats
            one_type = len({array.dtype for array in arrays}) == 1
            if one_type or found.size == len({one for array in arrays for one in array.tolist()}):
                return found
    of_types: dict[Any, Any] = {}
    for kind, label in ((array.dtype.kind, one) for array in arrays for one in array.tolist()):
        of_types.setdefault((kind, type(label)), label)
    raise ParameterError(
        f"the labels are of several types, such as {', '.join(map(repr, of_types.values()))}; "
        "give all as text, or all as numbers of one type."
    )


def _refuse_no_labels(labels: npt.NDArray[Any]) -> None:
    """Raise `ParameterError` where a label is None, NaN, NA or bytes."""
    if labels.dtype == object or labels.dtype.kind == "S":
        wrong = filter(_is_no_label, labels.tolist())
    else:
        wrong = iter(labels[labels != labels].tolist())
    for label in wrong:
        if isinstance(label, bytes):
            raise ParameterError(f"the labels contain bytes, {label!r}; decode them to text.")
        what = "NaN" if isinstance(label, float) else repr(label)
        raise ParameterError(f"the labels contain {what}, which is no class; remove it.")


def _is_no_label(label: Any) -> bool:
    """Whether a label is None, bytes, unequal to itself (NaN), or neither that nor equal (NA)."""
    try:
        return label is None or isinstance(label, bytes) or bool(label != label)
    except TypeError:
        return True


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
