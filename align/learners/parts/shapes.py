"""Arrays of a loaded learner have the shapes that its kernels trust.

Kernels read and write without looking at bounds. Checksums find a file that was damaged, not one
that was written so: an array that is too short would let a kernel write beyond it. So the classes
whose arrays go to kernels have a method `check_shapes`, which reading a file calls.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ModelError


def check_array(
    name: str, array: Any, shape: tuple[int | None, ...], dtype: npt.DTypeLike = np.float64
) -> None:
    """Raise ModelError unless an array has a dtype and a shape; None stands for any length.

    Examples
    --------
    >>> check_array("weights", np.zeros((2, 3)), (2, None))
    """
    found = getattr(array, "shape", None)
    fits = (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.ndim == len(shape)
        and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    )
    if not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ModelError(
            f"the state of the learner is damaged: {name} has shape {found} and type "
            f"{getattr(array, 'dtype', type(array).__name__)}, must have ({wanted}) and "
            f"{np.dtype(dtype)}; save it again."
        )


def check_stored(holds: bool, what: str) -> None:
    """Raise `ModelError` unless something holds of a loaded learner."""
    if not holds:
        raise ModelError(f"the state of the learner is damaged: {what}; save it again.")
