r"""The interior point method E7 for one round of label ranking, compiled.

There are d = k + 1 variables: the alpha of each of k labels and, last, the slack of the loss, with
f = 0. All bounds are ``a >= 0`` (p = -1, q = 0 in the notation of `interior_point`), so that
a variable is itself its distance from its bound. There are two equalities A a = b:

* row 0 of A is `sign`, +1 on Y, -1 off it and 0 for the slack, with b = 0: the sums are equal;
* row 1 is `on`, 1 on Y and for the slack and 0 elsewhere, with b = 1: what Y leaves is slack.

Multipliers are lam for the bounds, nu0 and nu1 for the equalities. See `pdip` for the reference.
"""

from typing import Any

import numpy as np

from align._numba import compiled

MAX_ITER = 100

TOLERANCE = 1e-10  # of the duality gap
DUAL_TOLERANCE = 1e-8  # of the dual residual


@compiled()
def _derivatives(
    entropy: bool, values: Any, masses: Any, sign: Any, c: float, margin: float, a: Any,
    first: Any, second: Any,
) -> None:  # fmt: skip
    """Fill first and second derivative of each f_r; the last variable is the slack, f = 0.

    With the entropy, row r of `masses` holds the log of the weight on each of `values`; else its
    one column is the score and the one value is ``|x|^2``.
    """
    k = masses.shape[0]
    for r in range(k):
        if entropy:
            # w_r(a) is the softmax of masses + sign a x / c: f' is the mean of x under it, f''
            # the variance over c. The largest exponent goes out first, against overflow.
            shift = -np.inf
            for j in range(values.size):
                shift = max(shift, masses[r, j] + sign[r] * a[r] * values[j] / c)
            total = 0.0
            mean = 0.0
            square = 0.0
            for j in range(values.size):
                weight = np.exp(masses[r, j] + sign[r] * a[r] * values[j] / c - shift)
                total += weight
                mean += weight * values[j]
            mean /= total
            # Around the mean, in a second loop: the difference of two sums might be negative.
            for j in range(values.size):
                weight = np.exp(masses[r, j] + sign[r] * a[r] * values[j] / c - shift)
                square += weight * (values[j] - mean) ** 2
            second[r] = square / total / c
        else:
            # The score moves along a straight line.
            mean = masses[r, 0] + sign[r] * a[r] * values[0] / c
            second[r] = values[0] / c
        first[r] = sign[r] * mean
        if sign[r] > 0.0:
            first[r] -= margin
    first[k] = 0.0
    second[k] = 0.0


@compiled()
def _residual(
    first: Any, sign: Any, on: Any, a: Any, lam: Any, nu0: float, nu1: float, barrier: float
) -> tuple[float, float]:
    """Return the squared norms of the dual and of the whole residual of the conditions.

    The dual part says that the gradient vanishes, the centre that every ``lam a`` equals the
    barrier, and the last two that the equalities hold.
    """
    dual = 0.0
    centre = 0.0
    balance = 0.0
    budget = -1.0
    for r in range(a.size):
        dual += (first[r] - lam[r] + sign[r] * nu0 + on[r] * nu1) ** 2
        centre += (lam[r] * a[r] - barrier) ** 2
        balance += sign[r] * a[r]
        budget += on[r] * a[r]
    return dual, dual + centre + balance * balance + budget * budget


@compiled()
def _start(relevant: Any, sign: Any, on: Any, a: Any) -> None:
    """Fill the rows of A and a strictly feasible start: half for each side, half slack."""
    k = relevant.size
    n_on = relevant.sum()
    for r in range(k):
        sign[r] = 1.0 if relevant[r] else -1.0
        on[r] = 1.0 if relevant[r] else 0.0
        a[r] = 0.5 / n_on if relevant[r] else 0.5 / (k - n_on)
    sign[k] = 0.0
    on[k] = 1.0
    a[k] = 0.5


@compiled()
def _newton(
    first: Any, second: Any, sign: Any, on: Any, a: Any, lam: Any, nu0: float, nu1: float,
    barrier: float, z: Any, u: Any, da: Any, dlam: Any,
) -> tuple[float, float]:  # fmt: skip
    """Fill the Newton step da, dlam; return that of nu. `z` and `u` are work space.

    f is separable, so that the Hessian is the diagonal z, and what is left to solve is ``(A z^-1
    A') dnu = A (u / z) - (b - A a)``: a symmetric system of two, m dnu = g, by Cramer's rule.
    """
    m00 = 0.0
    m01 = 0.0
    m11 = 0.0
    g0 = 0.0
    g1 = -1.0
    for r in range(a.size):
        z[r] = second[r] + lam[r] / a[r]
        u[r] = -first[r] + barrier / a[r] - sign[r] * nu0 - on[r] * nu1
        m00 += sign[r] * sign[r] / z[r]
        m01 += sign[r] * on[r] / z[r]
        m11 += on[r] / z[r]
        g0 += sign[r] * (u[r] / z[r] + a[r])
        g1 += on[r] * (u[r] / z[r] + a[r])
    det = m00 * m11 - m01 * m01
    dnu0 = (m11 * g0 - m01 * g1) / det
    dnu1 = (m00 * g1 - m01 * g0) / det
    for r in range(a.size):
        da[r] = (u[r] - sign[r] * dnu0 - on[r] * dnu1) / z[r]
        dlam[r] = (barrier - lam[r] * da[r]) / a[r] - lam[r]
    return dnu0, dnu1


@compiled()
def _inside(a: Any, da: Any, lam: Any, dlam: Any) -> float:
    """Return a share of the step, at most 1, that leaves lam and a positive."""
    s = 1.0
    for r in range(a.size):
        if dlam[r] < 0.0:
            s = min(s, -0.99 * lam[r] / dlam[r])
    while (a + s * da).min() <= 0.0:
        s *= 0.5
    return s


@compiled()
def _fill_alpha(relevant: Any, a: Any, alpha: Any) -> None:
    """Fill alpha with a; its sums on Y and off it, equal but for rounding, become the smaller."""
    up = 0.0
    down = 0.0
    for r in range(relevant.size):
        if relevant[r]:
            up += a[r]
        else:
            down += a[r]
    common = min(up, down)
    for r in range(relevant.size):
        alpha[r] = max(a[r], 0.0) * common / (up if relevant[r] else down)


@compiled()
def solve_round(
    entropy: bool, values: Any, masses: Any, relevant: Any, c: float, margin: float, alpha: Any
) -> int:
    """Run the method of `interior_point` for one round of labels; return the number of steps."""
    d = masses.shape[0] + 1
    sign, on, a, trial = np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    first, second, z, u = np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    da, dlam = np.empty(d), np.empty(d)
    _start(relevant, sign, on, a)
    lam = 1.0 / a
    nu0 = 0.0
    nu1 = 0.0
    n_iter = 0
    _derivatives(entropy, values, masses, sign, c, margin, a, first, second)
    while n_iter < MAX_ITER:
        # Where the conditions stand: the gap, and a barrier that asks for a tenth of it.
        gap = 0.0
        for r in range(d):
            gap += lam[r] * a[r]
        barrier = 0.1 * gap / d
        dual, before = _residual(first, sign, on, a, lam, nu0, nu1, barrier)
        if gap < TOLERANCE and dual < DUAL_TOLERANCE * DUAL_TOLERANCE:
            break
        dnu0, dnu1 = _newton(first, second, sign, on, a, lam, nu0, nu1, barrier, z, u, da, dlam)
        # Halve the step until the residual falls enough. The derivatives of the last trial are
        # those of the next round.
        s = _inside(a, da, lam, dlam)
        while s > 1e-16:
            for r in range(d):
                trial[r] = a[r] + s * da[r]
            _derivatives(entropy, values, masses, sign, c, margin, trial, first, second)
            _, after = _residual(
                first, sign, on, trial, lam + s * dlam, nu0 + s * dnu0, nu1 + s * dnu1, barrier
            )
            if after <= (1.0 - 0.01 * s) ** 2 * before:
                break
            s *= 0.5
        if s <= 1e-16:
            break  # rounding leaves nothing to gain
        for r in range(d):
            a[r] = trial[r]
            lam[r] += s * dlam[r]
        nu0 += s * dnu0
        nu1 += s * dnu1
        n_iter += 1
    _fill_alpha(relevant, a, alpha)
    return n_iter
