"""The links of compiled runs: w, scores, norms and the dual objective for every complexity.

With `s` the state of a run, v the dual sum of a row and ``theta = scale v``, ``scale = 1 / c``:

=========  ==================================================  ================================
kind       w = grad f*(theta)                                  f*(theta)
=========  ==================================================  ================================
ENTROPY    softmax of theta                                    log of the mean of ``exp(theta)``
QNORM      ``sign(theta) |theta|^(p-1)``, over ``(p - 1)``      ``|theta|_p^2 / (2 (p - 1))``
           ``|theta|_p^(p-2)``
BALL       theta, shrunk to the ball where it lies outside     of all rows together
EUCLIDEAN  theta                                               ``|theta|^2 / 2``
=========  ==================================================  ================================

`align.learners.parts.complexity` has the same for arrays, with the references.
"""

import math
from typing import Any

import numpy as np

from align.learners.flat import _round as core
from align.learners.flat._link_state import BALL, DOUBLED, KIND, SCALE, P
from align.learners.parts.step_kernels import ENTROPY, QNORM, lean


@lean
def row_link(s: Any, v: Any, w: Any, scale: float) -> None:
    """Write the link of a row of v, but for `BALL`, where it is only scaled."""
    n = v.shape[0]
    kind = s.flags[KIND]
    if kind == ENTROPY:
        # The softmax, relative to the largest exponent.
        top = -np.inf
        for j in range(n):
            top = max(top, scale * v[j])
        total = 0.0
        for j in range(n):
            w[j] = math.exp(scale * v[j] - top)
            total += w[j]
        for j in range(n):
            w[j] /= total
    elif kind == QNORM:
        p = s.rule[P]
        top = 0.0
        for j in range(n):
            top = max(top, abs(scale * v[j]))
        if top == 0.0:
            w[:] = 0.0
            return
        power = 0.0
        for j in range(n):
            ratio = (abs(scale * v[j]) / top) ** (p - 1.0)
            power += ratio * abs(scale * v[j]) / top
            w[j] = math.copysign(ratio, v[j])
        # sign(theta) |theta|^(p-1) / ((p-1) |theta|_p^(p-2)), in powers of ratios to the largest.
        factor = top * max(power ** (1.0 / p), 1.0) ** (2.0 - p) / (p - 1.0)
        for j in range(n):
            w[j] *= factor
    else:
        for j in range(n):
            w[j] = scale * v[j]


@lean
def square(s: Any) -> float:
    """Return ``|v|^2`` over all rows."""
    total = 0.0
    for r in range(s.v.shape[0]):
        for j in range(s.v.shape[1]):
            total += s.v[r, j] * s.v[r, j]
    return total


@lean
def shrink(s: Any, scale: float) -> float:
    """Return the factor that takes ``scale v`` into the ball."""
    size = scale * math.sqrt(square(s))
    return s.rule[core.BOUND] / size if size > s.rule[core.BOUND] else 1.0


@lean
def refresh(s: Any, scale: float) -> None:
    """Bring w up to date, and put what is left behind on the sum of the hypotheses.

    A row of w holds for the `pending` rounds since it was made: they are added to the sum at once,
    just before the row changes.
    """
    anew = scale != s.sums[SCALE]
    s.sums[SCALE] = scale
    if s.flags[KIND] == BALL:
        for r in range(s.stale.shape[0]):
            anew = anew or s.stale[r]
        if anew:
            scale *= shrink(s, scale)
    for r in range(s.v.shape[0]):
        if anew or s.stale[r]:
            if s.pending[r] > 0:
                for j in range(s.v.shape[1]):
                    s.total[r, j] += s.pending[r] * s.w[r, j]
                s.pending[r] = 0
            row_link(s, s.v[r], s.w[r], scale)
            s.stale[r] = False


@lean
def score(s: Any, w: Any, x: Any) -> float:
    """Return ``<w, x>``."""
    total = 0.0
    if s.flags[DOUBLED]:  # equal weights must give a score of exactly 0
        half = x.shape[0] // 2
        for j in range(half):
            total += (w[j] - w[half + j]) * x[j]
    else:
        for j in range(x.shape[0]):
            total += w[j] * x[j]
    return total


@lean
def dual_norm(s: Any, x: Any) -> float:
    """Return N* of the direction: of x in one row, or of x in one and -x in another."""
    kind = s.flags[KIND]
    top = 0.0
    for j in range(x.shape[0]):
        top = max(top, abs(x[j]))
    if kind == ENTROPY or top == 0.0:
        norm = top
    else:
        p = s.rule[P] if kind == QNORM else 2.0
        power = 0.0
        for j in range(x.shape[0]):
            power += (abs(x[j]) / top) ** p
        norm = top * power ** (1.0 / p)
    return norm if s.v.shape[0] == 1 else norm * math.sqrt(2.0)


@lean
def dual(s: Any) -> float:
    """Return the dual objective, the gain less ``c f*(v / c)`` (A4)."""
    c = s.sums[core.C]
    kind = s.flags[KIND]
    total = 0.0
    if kind == ENTROPY:
        for r in range(s.v.shape[0]):
            top = -np.inf
            for j in range(s.v.shape[1]):
                top = max(top, s.v[r, j] / c)
            mass = 0.0
            for j in range(s.v.shape[1]):
                mass += math.exp(s.v[r, j] / c - top)
            total += top + math.log(mass / s.v.shape[1])
    elif kind == QNORM:
        p = s.rule[P]
        for r in range(s.v.shape[0]):
            top = 0.0
            for j in range(s.v.shape[1]):
                top = max(top, abs(s.v[r, j]) / c)
            if top > 0.0:
                power = 0.0
                for j in range(s.v.shape[1]):
                    power += (abs(s.v[r, j]) / c / top) ** p
                total += (top * power ** (1.0 / p)) ** 2 / (2.0 * (p - 1.0))
    else:
        size = math.sqrt(square(s)) / c
        inner = min(size, s.rule[core.BOUND])
        total = inner * (size - inner / 2.0)
    return float(s.sums[core.GAIN] - c * total)
