"""Checks of examples, labels and numbers, with scikit-learn's rules and without importing it."""

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts.labels import check_label_sets, read_labels
from align.learners.parts.parameters import check_given, refuse_masks
from align.types import BoolArray, Float64


def check_examples(X: Any, owner: str, n_features: int | None = None) -> Float64:
    """Return examples, of `n_features` if given, as a dense, C-contiguous float64 matrix."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    refuse_masks(X=X)
    if hasattr(X, "isna"):  # a frame of pandas, whose NA is no number
        X = X.to_numpy(na_value=np.nan)
    array = np.asarray(X)
    if np.iscomplexobj(array):
        raise ParameterError(f"Complex data not supported by {owner}; pass real numbers.")
    try:
        matrix: Float64 = np.ascontiguousarray(array, dtype=np.float64)
    except ValueError as error:
        raise ParameterError(f"X must hold numbers: {error}.") from error
    if array.ndim != 2:
        raise ParameterError(
            f"Expected 2D array, got X.shape={array.shape}. Reshape your data to (n, d): one row "
            "for each example, even if there is only one."
        )
    for size, what in zip(matrix.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ParameterError(
                f"Found array with 0 {what}(s) (shape={matrix.shape}) while a minimum of 1 is "
                f"required by {owner}."
            )
    if n_features is not None and matrix.shape[1] != n_features:
        raise ParameterError(
            f"X has {matrix.shape[1]} features, but {owner} is expecting {n_features} features "
            "as input."
        )
    # A sum is finite only where every entry is, and is much faster than asking each.
    with np.errstate(over="ignore", invalid="ignore"):
        total = matrix.sum()
    if not np.isfinite(total) and not np.isfinite(matrix).all():
        row = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        raise ParameterError(f"Input X contains NaN or infinity (row {row}); remove it.")
    return matrix


def check_labels(y: Any, n: int, owner: str) -> npt.NDArray[Any]:
    """Return labels of `n` examples [shape=(n,)], or which of k are relevant [shape=(n, k)].

    A column is accepted as a vector, with a warning.
    """
    check_given(y, owner)
    refuse_masks(y=y)
    try:
        y = read_labels(y)
        labels = _vector(y.toarray() if hasattr(y, "toarray") else np.asarray(y), n)
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"y must be labels, or a matrix of 0 and 1: {error}.") from error
    if labels.dtype.kind == "c":
        raise ParameterError(f"Complex data not supported by {owner}; y must hold labels.")
    if labels.ndim == 2:
        check_label_sets(labels)
        relevant: BoolArray = labels != 0
        return relevant
    if labels.dtype.kind == "O":
        for label in labels:
            if isinstance(label, Collection) and not isinstance(label, str):
                raise ParameterError(
                    f"y holds {label!r}, must hold one label for each example; of several, give "
                    "a matrix of 0 and 1 with a column for each label."
                )
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise ParameterError(
                "Input y contains NaN, infinity or a value too large for float64."
            )
        if (labels != np.rint(labels)).any():
            raise ParameterError(
                "Unknown label type: continuous. y must hold the labels of classes."
            )
    return labels


def check_numbers(y: Any, n: int, owner: str) -> Float64:
    """Return the numbers to predict of `n` examples; a column is accepted, with a warning."""
    check_given(y, owner)
    refuse_masks(y=y)
    if np.iscomplexobj(np.asarray(y)):
        raise ParameterError(f"Complex data not supported by {owner}; y must hold real numbers.")
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"y must hold numbers: {error}.") from error
    numbers = _vector(numbers, n)
    if numbers.ndim != 1:
        raise ParameterError(f"y.shape={numbers.shape}, must be (n,): one number per example.")
    if not np.isfinite(numbers).all():
        raise ParameterError("Input y contains NaN or infinity; remove it.")
    return np.ascontiguousarray(numbers)


def _vector(y: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """Return y of `n` examples, of one or two dimensions, a column as a vector."""
    if y.ndim == 2 and y.shape[1] == 1:
        _warn_column()
        y = y[:, 0]
    if y.ndim not in (1, 2):
        raise ParameterError(f"y.shape={y.shape}, must be (n,), or (n, k) for k labels.")
    if len(y) != n:
        raise ParameterError(
            f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}."
        )
    return y


def _warn_column() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected; use y.ravel().",
        DataConversionWarning,
        stacklevel=5,
    )


def feature_names(X: Any) -> npt.NDArray[np.object_] | None:
    """Return the names of the columns of a data frame, where all are strings; else None."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(list(columns), dtype=object)
