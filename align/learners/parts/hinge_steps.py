r"""Exact dual steps on one hinge, for every complexity function.

A round reveals a direction d (``y x`` in classification) and the loss ``[margin - <w, d>]_+``. Its
dual variable alpha lies in ``[0, upper]``; the step takes the alpha that maximises the dual

    psi(alpha) = margin alpha - c f*((v + alpha d) / c),

whose slope is ``margin - <w(alpha), d>`` with ``w(alpha) = grad f*((v + alpha d) / c)``. Unless
alpha stops at an end of its interval, the step leaves a margin of exactly `margin`. Then
``v += alpha d``.

* Euclidean: ``clip(c (margin - <w, d>) / |d|^2, 0, upper)`` (Eq. 7.11).
* Entropy: a closed form where d takes the values -s, 0, s only (Eq. 7.16), else a line search.
* q-norm, or any other f: a line search; psi is concave.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 7.2. The
print swaps the roles of positive and negative entries in Eq. 7.12 to 7.16 (its 7.12 has
``exp(-alpha x / c)`` where ``exp(+alpha x / c)`` belongs), and Eq. 7.16 lacks the clip at 0 and
the case ``margin >= 1``; what stands here is the corrected form.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts import step_kernels as kernels
from align.learners.parts.blocks import Blocks, as_complexity
from align.learners.parts.complexity import Complexity
from align.learners.parts.entropies import Entropy
from align.learners.parts.norms import Euclidean, QNorm
from align.learners.parts.parameters import positive
from align.types import Float64

_MAX_ITER = 200  # of bisection, which needs about 50


def hinge_step(
    v: npt.ArrayLike,
    d: npt.ArrayLike,
    c: float,
    margin: float = 1.0,
    *,
    complexity: str | Complexity = "euclidean",
    upper: float = 1.0,
) -> float:
    r"""Return the alpha in [0, upper] that maximises the dual of one hinge.

    Parameters
    ----------
    v : array_like [shape=(n,)], or [shape=(k, n)] for `Blocks`
        Minus the sum of the other dual variables. A variable that is revisited must be taken out
        of v first.
    d : array_like [shape of v]
        Direction; ``y x`` in classification.
    c : float
        Weight of complexity against loss, positive.
    margin : float, default 1
        The loss is ``[margin - <w, d>]_+``.
    complexity : str or Complexity, default "euclidean"
        f, see `align.learners.parts.complexity`.
    upper : float, default 1
        Largest alpha; may be infinite.

    Returns
    -------
    float
        0 where d is 0: the loss does not depend on w then.

    Raises
    ------
    ParameterError
        For shapes that differ, values that are not finite, c or upper out of range.

    Examples
    --------
    >>> hinge_step([1.0, 0.0], [1.0, 1.0], c=1.5)
    0.25
    >>> v = 0.5 * np.log([0.5, 0.2, 0.3])
    >>> round(hinge_step(v, [-1, 1, 0], c=0.5, margin=0.3, complexity="entropy"), 8)
    0.45814537
    """
    f = as_complexity(complexity)
    if type(f) is Euclidean or f == Blocks(Euclidean()):
        return hinge_step_euclidean(v, d, c, margin, upper=upper)
    if type(f) is Entropy or f == Blocks(Entropy()):
        return hinge_step_entropy(v, d, c, margin, upper=upper)
    if type(f) is QNorm:
        return hinge_step_qnorm(v, d, c, margin, p=f.p, upper=upper)
    v, d = _checked(v, d, c, margin, upper)
    if not d.any():
        return 0.0
    return bisect(lambda a: margin - float((f.link((v + a * d) / c) * d).sum()), upper)


def hinge_step_euclidean(
    v: npt.ArrayLike, d: npt.ArrayLike, c: float, margin: float = 1.0, *, upper: float = 1.0
) -> float:
    """Return the exact step for half the squared l2 norm; see `hinge_step`.

    Source: Shalev-Shwartz 2007, Eq. 7.10 and 7.11.

    Parameters
    ----------
    v, d, c, margin, upper
        As in `hinge_step`.

    Returns
    -------
    float

    Examples
    --------
    >>> hinge_step_euclidean([1.0, 0.0], [1.0, 1.0], c=4.0)
    1.0
    """
    v, d = _checked(v, d, c, margin, upper)
    square = float((d * d).sum())
    if square == 0.0:
        return 0.0
    return float(min(max((c * margin - float((v * d).sum())) / square, 0.0), upper))


def hinge_step_entropy(
    v: npt.ArrayLike,
    d: npt.ArrayLike,
    c: float,
    margin: float = 1.0,
    *,
    upper: float = 1.0,
    line_search: bool = False,
) -> float:
    """Return the exact step for the entropy on the simplex; see `hinge_step`.

    Source: Shalev-Shwartz 2007, Eq. 7.12 to 7.16.

    Parameters
    ----------
    v, d, c, margin, upper
        As in `hinge_step`; matrices stand for one simplex in each row.
    line_search : bool, default False
        Search even where the closed form applies.

    Returns
    -------
    float

    Examples
    --------
    >>> round(hinge_step_entropy(np.log([0.5, 0.2, 0.3]), [-1.0, 1.5, 0.0], c=1.0, margin=0.1), 6)
    0.298426
    """
    v, d = _checked(v, d, c, margin, upper)
    alpha = -1.0
    if v.ndim == 1 and not line_search:
        alpha = kernels.entropy_step(v, d, float(c), float(margin), float(upper))
    if alpha < 0.0:
        v, d = np.atleast_2d(v, d)
        alpha = kernels.line_search(
            kernels.ENTROPY, v, d, float(c), float(margin), float(upper), 2.0, 0.0
        )
    return float(alpha)


def hinge_step_qnorm(
    v: npt.ArrayLike,
    d: npt.ArrayLike,
    c: float,
    margin: float = 1.0,
    *,
    p: float = 2.0,
    upper: float = 1.0,
) -> float:
    """Return the exact step for the scaled squared q-norm, q = p / (p - 1); see `hinge_step`.

    Source: Shalev-Shwartz 2007, section 7.2 and Eq. 7.12.

    Parameters
    ----------
    v, d, c, margin, upper
        As in `hinge_step`.
    p : float, default 2
        At least 2; the exponent of `QNorm`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(hinge_step_qnorm([1.0, 0.0], [1.0, 1.0], c=1.5, p=2.0), 12)
    0.25
    """
    v, d = _checked(v, d, c, margin, upper)
    QNorm(p)  # checks p
    v, d = v.reshape(1, -1), d.reshape(1, -1)
    return float(
        kernels.line_search(
            kernels.QNORM, v, d, float(c), float(margin), float(upper), float(p), 0.0
        )
    )


def pair_step(
    v_up: npt.ArrayLike,
    v_down: npt.ArrayLike,
    x: npt.ArrayLike,
    c: float,
    margin: float = 1.0,
    *,
    complexity: str | Complexity = "euclidean",
    upper: float = 1.0,
) -> float:
    """Return the exact step for the loss of two labels, ``[margin - <w_up - w_down, x>]_+``.

    Parameters
    ----------
    v_up, v_down : array_like [shape=(n,)]
        Rows of v of the label that should score higher and of the one that should score lower.
    x : array_like [shape=(n,)]
        Instance. The step is ``v_up += alpha x``, ``v_down -= alpha x``.
    c, margin, upper
        As in `hinge_step`.
    complexity : str or Complexity, default "euclidean"
        f of one row.

    Returns
    -------
    float

    Examples
    --------
    >>> pair_step([0.0, 0.0], [0.5, 0.0], [1.0, 1.0], c=2.0)
    0.625
    """
    f = as_complexity(complexity)
    v = np.stack(np.broadcast_arrays(_array(v_up), _array(v_down)))
    x = _array(x)
    if type(f) is Entropy and v.shape[1:] == x.shape:
        _checked(v, np.stack([x, -x]), c, margin, upper)
        alpha = kernels.pair_step(v, x, float(c), float(margin), float(upper))
        if alpha >= 0.0:
            return float(alpha)
    return hinge_step(v, np.stack([x, -x]), c, margin, complexity=Blocks(f), upper=upper)


def _array(values: npt.ArrayLike) -> Float64:
    return np.ascontiguousarray(values, dtype=np.float64)


def _checked(
    v: npt.ArrayLike, d: npt.ArrayLike, c: float, margin: float, upper: float
) -> tuple[Float64, Float64]:
    v, d = _array(v), _array(d)
    if v.shape != d.shape or v.size == 0:
        raise ParameterError(f"d.shape={d.shape}, must be that of v, {v.shape}, and not empty.")
    if not (np.isfinite(v).all() and np.isfinite(d).all() and np.isfinite(margin)):
        raise ParameterError("v, d and margin must be finite.")
    positive(c, "c")
    if not upper >= 0.0:
        raise ParameterError(f"upper={upper}, must not be negative.")
    return v, d


def bisect(slope: Callable[[float], float], upper: float) -> float:
    """Return the maximiser on [0, upper] of a concave function of a given slope."""
    if slope(0.0) <= 0.0:
        return 0.0
    low, high = 0.0, min(1.0, upper)
    while slope(high) > 0.0:
        if high >= upper or high > 1e300:
            return upper
        low, high = high, min(2.0 * high, upper)
    for _ in range(_MAX_ITER):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if slope(middle) > 0.0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
