"""Examples, labels and weights as the flat estimators take them.

scikit-learn's `validate_data` has the last word. What plainly needs none of it (float arrays in C
order, canonical CSR, whole-number labels, all finite) is let in without: for narrow examples its
checks would take longer than learning.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import column_or_1d

from align.learners.parts.estimators import summed, validated
from align.learners.parts.labels import check_label_sets, check_labels
from align.learners.parts.parameters import check_given, sum_is_finite
from align.types import Float64

_FLOATS, _INT = (np.dtype(np.float64), np.dtype(np.float32)), np.dtype(np.int32)
_CSR = (sp.csr_array, sp.csr_matrix)


def read_examples(owner: Any, X: Any) -> Any:
    """Return examples to predict, of the width that `owner` knows."""
    if _is_clean(owner, X, reset=False):
        return X
    return validated(owner, X, dtype=list(_FLOATS), order="C", reset=False)


def read_classes(owner: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
    """Return examples and their classes [shape=(m,)] or relevant labels [shape=(m, K)]."""
    check_given(y, type(owner).__name__)
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iu"
    if plain and _is_clean(owner, X, reset=reset) and len(y) == X.shape[0]:
        _admit(owner, X, reset=reset)
        return narrow(X), y
    if hasattr(y, "toarray"):
        y = y.toarray()
    X, y = validated(owner, X, y, dtype=list(_FLOATS), order="C", multi_output=True, reset=reset)
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if y.dtype.kind not in "biuUS":
        check_labels(y)
    check_label_sets(y)
    return narrow(summed(X)), y


def read_numbers(owner: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Float64]:
    """Return examples and a copy (never read-only) of the numbers to predict [shape=(m,)]."""
    check_given(y, type(owner).__name__)
    X, y = validated(owner, X, y, dtype=list(_FLOATS), order="C", y_numeric=True, reset=reset)
    return narrow(summed(X)), np.array(y, dtype=np.float64)


def is_plain_row(owner: Any, X: Any) -> bool:
    """Whether X is one row of the width that `owner` knows, clean and without names.

    And of what kernels are compiled for: nobody needs to look again.
    """
    if type(X) is np.ndarray:
        values = X
    elif type(X) in _CSR and X.has_canonical_format:
        values, columns, ends = X.data, X.indices, X.indptr
        if not (columns.dtype == ends.dtype == _INT):
            return False
        if not (columns.flags.writeable and ends.flags.writeable):
            return False
    else:
        return False
    return bool(
        X.shape == (1, owner.n_features_in_)
        and values.dtype == _FLOATS[0]
        and values.flags.writeable
        and not hasattr(owner, "feature_names_in_")
        and sum_is_finite(values.ravel())
    )


def _is_clean(owner: Any, X: Any, *, reset: bool) -> bool:
    """Whether scikit-learn's checks would let X pass as it is."""
    if type(X) is np.ndarray:
        if X.ndim != 2 or not X.flags.c_contiguous:
            return False
        values = X
    elif type(X) in _CSR:
        if X.indices.dtype != _INT or not X.has_canonical_format:
            return False
        values = X.data
    else:
        return False
    if values.dtype not in _FLOATS or 0 in X.shape:
        return False
    if not reset and (
        getattr(owner, "n_features_in_", None) != X.shape[1] or hasattr(owner, "feature_names_in_")
    ):
        return False
    if not values.flags.writeable:  # another type to the compiler
        with np.errstate(over="ignore", invalid="ignore"):
            return math.isfinite(values.sum())
    return sum_is_finite(values.reshape(-1))


def _admit(owner: Any, X: Any, *, reset: bool) -> None:
    """Remember the width of the first examples, as `validate_data` does."""
    if reset:
        owner.n_features_in_ = X.shape[1]
        if hasattr(owner, "feature_names_in_"):
            del owner.feature_names_in_


def with_constant(X: Any) -> Any:
    """Return a sparse matrix as CSR with a last column of ones."""
    return sp.csr_array(sp.hstack([X, sp.csr_array(np.ones((X.shape[0], 1)))]))


def narrow(X: Any) -> Any:
    """Return CSR with 32-bit indices where they fit.

    A matrix without a zero is returned as the dense one that its data are.
    """
    if isinstance(X, np.ndarray):
        return X
    m, d = X.shape  # asked once: of sparse matrices it takes a tenth of a microsecond
    size = m * d
    if X.data.size >= size and X.indptr[-1] == size:
        return np.asarray(X.data[:size]).reshape(m, d)
    if X.indices.dtype != _INT and X.nnz < 2**31 and d < 2**31:
        X = sp.csr_array(
            (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
        )
    return X
