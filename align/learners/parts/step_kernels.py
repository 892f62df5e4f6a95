"""Kernels of the exact dual steps on one hinge (E4, E5), which all compiled rounds call.

The passive-aggressive round stands twice: plain in `flat._general`, which is the reference, and
compiled here, as `worst_pair`, `hinge` and `exact_alpha`: what is wrong, by how much, and how far
to go. What calls the three are loops. Each reads scores and moves weights in its own way, for that
is what takes the time:

=============================  ==================================================================
loop                           its reason
=============================  ==================================================================
`flat._linear_pass`            weights are a multiple of the dual sum: a round reads no more than
                               its scores, and moves only where there is loss
`flat._link_pass`              every other link, and earlier rounds anew; as the loop above it
                               takes 8 to 17 times as long (USPS, Letter, Isolet, Shuttle, MNIST)
`flat._uniclass`               one class: the direction is that to a centre
`kernels._rounds`              sums of kernels: scores of a block of examples at once
`kernels._centre`              one class, its centre a sum of kernels
`ranking._label_ranking`       sets of labels: weights by feature, steps on many labels
`compat`                       scikit-learn's: the intercept does not count in the norm
=============================  ==================================================================

A step of length alpha along d changes the dual objective by ``psi(alpha) = margin alpha - c
f*((v + alpha d) / c)``, which is concave; the exact step is its maximiser on [0, upper]. Its slope
is ``margin - <w(alpha), d>``: what the loss is after the step.

The loss and the Euclidean step are the functions of `align.learners.parts.steps`, compiled. The
steps of the entropy and of the q-norm are here: in closed form where d has one size of entry, else
by `line_search`. `align.learners.parts.hinge_steps` has the references and the checked functions.
"""

from typing import Any

import numpy as np

from align._numba import compiled
from align.learners.parts import steps

# References are not counted: these kernels make no array, and their callers hold those they get.
# That halves the time to compile, and in a loop over examples the time to run.
lean = compiled(error_model="numpy", _nrt=False)
inlined = compiled(error_model="numpy", _nrt=False, forceinline=True)

hinge = inlined(steps.hinge)
exact_alpha = inlined(steps.exact_alpha)

ENTROPY, QNORM = 0, 1


@inlined
def worst_pair(scores: Any, k: int, relevant: Any, row: int) -> tuple[int, int, int]:
    """Return the worst relevant label, the best other one, and the best of all; ties: the first.

    The first two, the pair whose margin is least, are -1 where there is none.
    """
    up = down = -1
    best = 0
    for r in range(k):
        if scores[r] > scores[best]:
            best = r
        if relevant[row, r]:
            if up < 0 or scores[r] < scores[up]:
                up = r
        elif down < 0 or scores[r] > scores[down]:
            down = r
    return up, down, best


_MAX_ITER = 200  # of a line search; bisection alone needs about 50


@lean
def _log_mass(v: Any, d: Any, value: float, c: float) -> float:
    """Return the log of ``sum exp(v_j / c)`` over the entries with ``d_j = value``."""
    top = -np.inf
    for j in range(v.size):
        if d[j] == value and v[j] > top:
            top = v[j]
    if top == -np.inf:
        return top
    total = 0.0
    for j in range(v.size):
        if d[j] == value:
            total += np.exp((v[j] - top) / c)
    return float(top / c + np.log(total))


@lean
def log_root(log_p: float, log_q: float, log_z: float, margin: float) -> float:
    """Return the log of the positive root b of ``(1-m) P b^2 - m Z b - (1+m) Q = 0``.

    P, Q and Z are the weights where d is s, -s and 0, ``b = exp(s alpha / c)``, and m is
    `margin`, over s: the slope of psi is 0 where ``m = (P b - Q / b) / (P b + Q / b + Z)``. All in
    logarithms, so that weights that underflow still decide.
    """
    # A mean of -1, 0 and 1 reaches no margin beyond; nor 1 or -1 itself, nor any on the side of an
    # entry without weight.
    if margin <= -1.0:
        return -np.inf
    if margin >= 1.0 or (log_p == -np.inf and (margin >= 0.0 or log_z == -np.inf)):
        return np.inf
    if log_q == -np.inf and (margin <= 0.0 or log_z == -np.inf):
        return -np.inf
    # The larger of both parts of the root goes out first, against overflow; hypot for the rest.
    half = (log_p + log_q) / 2.0
    top = max(half, log_z)
    linear = abs(margin) * np.exp(log_z - top)
    product = 2.0 * np.sqrt(1.0 - margin * margin) * np.exp(half - top)
    root = np.log(linear + np.hypot(linear, product)) + top
    if margin >= 0.0:
        return float(root - np.log(2.0 * (1.0 - margin)) - log_p)
    # The other form of the same root: nothing cancels when the linear term is negative.
    return float(np.log(2.0 * (1.0 + margin)) + log_q - root)


@lean
def entropy_step(v: Any, d: Any, c: float, margin: float, upper: float) -> float:
    """Return alpha where every d_j is -s, 0 or s; -1 where it is not."""
    s = 0.0
    for j in range(d.size):
        s = max(s, abs(d[j]))
    if s == 0.0:
        return 0.0
    for j in range(d.size):
        if d[j] != 0.0 and abs(d[j]) != s:
            return -1.0
    log_p = _log_mass(v, d, s, c)
    log_q = _log_mass(v, d, -s, c)
    log_z = _log_mass(v, d, 0.0, c)
    return min(max(c / s * log_root(log_p, log_q, log_z, margin / s), 0.0), upper)


@lean
def pair_step(v: Any, x: Any, c: float, margin: float, upper: float) -> float:
    """Return alpha of a pair of rows where every x_j is 0 or s; -1 where it is not."""
    s = 0.0
    for j in range(x.size):
        if x[j] != 0.0:
            if s != 0.0 and x[j] != s:
                return -1.0
            s = x[j]
    if s == 0.0:
        return 0.0
    if s < 0.0:
        return -1.0
    # d is (x, -x), over two rows that are normalised each for itself. The product of both is a
    # distribution over pairs of entries, in which d is s (on up, off down), -s, or 0.
    on_up = _log_mass(v[0], x, s, c)
    off_up = _log_mass(v[0], x, 0.0, c)
    on_down = _log_mass(v[1], x, s, c)
    off_down = _log_mass(v[1], x, 0.0, c)
    same = np.logaddexp(on_up + on_down, off_up + off_down)
    root = log_root(on_up + off_down, off_up + on_down, same, margin / s)
    return min(max(c / s * root, 0.0), upper)


@lean
def _entropy_slope(v: Any, d: Any, c: float, alpha: float) -> tuple[float, float]:
    """Return ``<w, d>`` and ``Var_w(d) / c`` at alpha, summed over the rows; w is a softmax."""
    mean = 0.0
    variance = 0.0
    for r in range(v.shape[0]):
        top = -np.inf
        for j in range(v.shape[1]):
            top = max(top, v[r, j] + alpha * d[r, j])
        total = 0.0
        first = 0.0
        for j in range(v.shape[1]):
            weight = np.exp((v[r, j] + alpha * d[r, j] - top) / c)
            total += weight
            first += weight * d[r, j]
        first /= total
        second = 0.0
        for j in range(v.shape[1]):
            weight = np.exp((v[r, j] + alpha * d[r, j] - top) / c)
            second += weight * (d[r, j] - first) ** 2
        mean += first
        variance += second / total
    return mean, variance / c


@lean
def _qnorm_slope(v: Any, d: Any, c: float, alpha: float, p: float) -> tuple[float, float]:
    """Return the sum over rows of ``<link((v + alpha d) / c), d>``, and its derivative.

    The link is ``sign(theta) |theta|^(p-1) / ((p-1) |theta|_p^(p-2))``. Powers are taken of the
    ratios to the largest entry, which neither overflow nor vanish.
    """
    mean = 0.0
    curve = 0.0
    for r in range(v.shape[0]):
        top = 0.0
        for j in range(v.shape[1]):
            top = max(top, abs(v[r, j] + alpha * d[r, j]))
        if top == 0.0:
            continue
        power = 0.0
        first = 0.0
        second = 0.0
        for j in range(v.shape[1]):
            theta = v[r, j] + alpha * d[r, j]
            ratio = abs(theta) / top
            inner = ratio ** (p - 2.0)  # 0 ** 0 is 1, which p = 2 wants
            power += inner * ratio * ratio
            first += inner * ratio * d[r, j] * np.sign(theta)
            second += inner * d[r, j] * d[r, j]
        norm = power ** (1.0 / p)
        mean += first * norm ** (2.0 - p) * top / (c * (p - 1.0))
        bend = (p - 1.0) * second * norm ** (2.0 - p)
        bend += (2.0 - p) * norm ** (2.0 - 2.0 * p) * first * first
        curve += bend / (c * (p - 1.0))
    return mean, curve


@lean
def line_search(
    kind: int, v: Any, d: Any, c: float, margin: float, upper: float, p: float, curvature: float
) -> float:
    """Return the maximiser on [0, upper] of psi, minus ``curvature alpha^2 / 2``.

    Newton's method, kept within a bracket: the slope is positive at `low` and negative at `high`.

    Parameters
    ----------
    kind : int
        ENTROPY or QNORM; `p` is read for the second only.
    v, d : array [shape=(rows, n)]
        One row for each block of weights.
    curvature : float
        Of the slack; 0 for a loss that is a plain hinge.
    """
    largest = 0.0
    reach = 0.0  # of <w, d> over the simplexes
    for r in range(d.shape[0]):
        top = d[r, 0]
        for j in range(d.shape[1]):
            largest = max(largest, abs(d[r, j]))
            top = max(top, d[r, j])
        reach += top
    if largest == 0.0:
        return 0.0
    if kind == ENTROPY and margin >= reach and curvature == 0.0:
        return upper
    low = 0.0
    high = -1.0  # no upper end of the bracket known yet
    alpha = 0.0
    for _ in range(_MAX_ITER):
        if kind == ENTROPY:
            mean, curve = _entropy_slope(v, d, c, alpha)
        else:
            mean, curve = _qnorm_slope(v, d, c, alpha, p)
        # Concave: where the slope is positive the maximiser lies further on, else before.
        slope = margin - curvature * alpha - mean
        curve += curvature
        if slope == 0.0:
            return alpha
        if slope > 0.0:
            if alpha >= upper or alpha > 1e300:
                return upper
            low = alpha
        else:
            if alpha == 0.0:
                return 0.0
            high = alpha
        after = alpha + slope / curve if curve > 0.0 else np.inf
        if high < 0.0:
            # Still climbing: never more than a few doublings at once, never beyond the end.
            after = min(after, max(4.0 * alpha, c / largest), upper)
        elif not low < after < high:
            after = (low + high) / 2.0
        if abs(after - alpha) <= 1e-15 * alpha:
            return after
        alpha = after
    return alpha
