"""The state of a run with a link, as its kernels see it; see `_link_pass`."""

from typing import Any, NamedTuple

from align.learners.flat import _round as core

# complexities, steps of the multiplicative learner, orders of revisiting
EUCLIDEAN, BALL = 2, 3  # after ENTROPY and QNORM of `_step_kernels`
RANGE, PRINTED = 1, 2
CYCLIC, RANDOM, WORST = range(3)
# What `rule`, `flags` and `sums` have beyond those of `_round`.
P, TOLERANCE = range(core.N_RULES, core.N_RULES + 2)
N_RULES = core.N_RULES + 2
KIND, DOUBLED, MULTIPLICATIVE, OVER_MISTAKES, REVISIT, STEPS, ORDER = range(
    core.N_FLAGS, core.N_FLAGS + 7
)
N_FLAGS = core.N_FLAGS + 7
SCALE, TARGET = range(core.N_SUMS, core.N_SUMS + 2)
N_SUMS = core.N_SUMS + 2


class State(NamedTuple):
    """A run, as the kernels see it; k rows of n weights."""

    v: Any  # (k, n) dual sum
    w: Any  # (k, n) hypothesis, where not stale
    stale: Any  # (k,)
    total: Any  # (k, n) sum of the hypotheses of past rounds, but for those pending
    pending: Any  # (k,) rounds in which the present row of w was the hypothesis
    rule: Any
    flags: Any
    counts: Any
    sums: Any
    memory: Any  # (2,) place of the oldest round that is kept, and their number
    # Work space.
    x: Any  # (n,)
    scores: Any  # (k,)
    spare: Any  # (n,)
    saved: Any  # (2, n)
    some_v: Any  # (2, n)
    some_d: Any  # (2, n)


class Kept(NamedTuple):
    """Rounds that may be revisited, in a ring."""

    x: Any  # (capacity, n)
    up: Any
    down: Any
    sign: Any
    target: Any
    weight: Any
    alpha: Any
