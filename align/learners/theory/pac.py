r"""From mistakes to probability: A_PAC.

A learner that makes at most M mistakes whatever the order of the examples is run on independent
draws, until a hypothesis has been right so often in a row that, with high confidence, it is good.

References
----------
"Online Algorithms" (lecture slides). The slides sum M stages; there are M + 1.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from align.errors import ParameterError
from align.learners.theory.finite import Conservative, Hypothesis, MistakeLearner


class Learned(NamedTuple):
    """What `a_pac` returns.

    Attributes
    ----------
    hypothesis : callable
    n_samples : int
        Examples drawn.
    n_stages : int
        Hypotheses tried.
    """

    hypothesis: Hypothesis
    n_samples: int
    n_stages: int


def pac_stage_size(
    stage: int, epsilon: float, delta: float, *, mistake_bound: int | None = None
) -> int:
    """Return how many examples in a row a hypothesis must get right to be believed.

    Parameters
    ----------
    stage : int
        i, from 1.
    epsilon, delta : float
        Error and failure probability wished for, in (0, 1).
    mistake_bound : int, optional
        M, which gives every stage the same ``delta_i = delta / (M + 1)``; by default
        ``delta_i = delta / 2^i``, which needs no M.

    Returns
    -------
    int
        ``ceil(ln(1 / delta_i) / epsilon)``.

    Examples
    --------
    >>> [pac_stage_size(i, 0.1, 0.05) for i in (1, 2, 3)]
    [37, 44, 51]
    """
    _check_pac(epsilon, delta)
    if mistake_bound is None:
        log = math.log(1.0 / delta) + stage * math.log(2.0)
    else:
        log = math.log((mistake_bound + 1) / delta)
    return math.ceil(log / epsilon)


def pac_sample_bound(
    mistake_bound: int, epsilon: float, delta: float, *, uniform: bool = False
) -> float:
    """Bound the examples that `a_pac` draws.

    Source: lecture slides "Online Algorithms", with one stage more.

    Parameters
    ----------
    mistake_bound : int
        M.
    epsilon, delta : float
        As in `a_pac`.
    uniform : bool, default False
        Whether ``delta_i = delta / (M + 1)``, smaller for large M.

    Returns
    -------
    float
        ``((M+1) / epsilon) (ln(1/delta) + (M+2) ln 2 / 2) + (M+1)``, or
        ``(M+1) (1 + ln((M+1) / delta) / epsilon)``.

    Examples
    --------
    >>> round(pac_sample_bound(1, 0.1, 0.05), 2)
    82.71
    """
    _check_pac(epsilon, delta)
    stages = mistake_bound + 1
    if uniform:
        return stages * (1.0 + math.log(stages / delta) / epsilon)
    return (
        stages / epsilon * (math.log(1.0 / delta) + (mistake_bound + 2) * math.log(2.0) / 2.0)
        + stages
    )


def a_pac(
    learner: MistakeLearner,
    examples: Iterable[tuple[Any, int]],
    epsilon: float,
    delta: float,
    *,
    mistake_bound: int | None = None,
    uniform: bool = False,
) -> Learned:
    """Learn until a hypothesis has been right so often in a row that it is probably good.

    Source: lecture slides "Online Algorithms".

    Parameters
    ----------
    learner : MistakeLearner
        With a mistake bound M on the target; wrapped by `Conservative`, so it is not changed.
    examples : iterable of (x, y)
        Drawn independently, labelled by the target; as long as it takes.
    epsilon, delta : float
        With probability at least ``1 - delta`` the result errs at most epsilon.
    mistake_bound : int, optional
        M. Where it is given, more than M + 1 stages raise.
    uniform : bool, default False
        Share delta equally among M + 1 stages, rather than as ``delta / 2^i``.

    Returns
    -------
    Learned

    Raises
    ------
    ParameterError
        If the examples end too soon, or more than M mistakes show that the target is not in the
        class.

    Examples
    --------
    >>> import numpy as np
    >>> from align.learners.theory.finite import Halving
    >>> rng = np.random.default_rng(0)
    >>> thresholds = [lambda x, i=i: 1 if x <= i else -1 for i in range(16)]
    >>> stream = ((x, 1 if x <= 9 else -1) for x in iter(lambda: rng.integers(16), None))
    >>> found = a_pac(Halving(thresholds), stream, epsilon=0.1, delta=0.05)
    >>> float(np.mean([found.hypothesis(x) != (1 if x <= 9 else -1) for x in range(16)])) <= 0.1
    True
    """
    _check_pac(epsilon, delta)
    if uniform and mistake_bound is None:
        raise ParameterError("uniform=True needs mistake_bound.")
    online = Conservative(learner)
    stage, right, drawn = 1, 0, 0
    shared = mistake_bound if uniform else None
    needed = pac_stage_size(stage, epsilon, delta, mistake_bound=shared)
    for x, y in examples:
        drawn += 1
        if not online.feed(x, y):
            right += 1
            if right == needed:
                return Learned(online.hypothesis(), drawn, stage)
            continue
        stage, right = stage + 1, 0
        if mistake_bound is not None and stage > mistake_bound + 1:
            raise ParameterError(
                f"{stage - 1} mistakes, must be at most mistake_bound={mistake_bound}: the target "
                "is not in the class, or a label is wrong."
            )
        needed = pac_stage_size(stage, epsilon, delta, mistake_bound=shared)
    raise ParameterError(
        f"examples ended after {drawn} with {right} of {needed} right in a row; give more."
    )


def _check_pac(epsilon: float, delta: float) -> None:
    if not (0.0 < epsilon < 1.0 and 0.0 < delta < 1.0):
        raise ParameterError(f"epsilon={epsilon}, delta={delta}, must lie in (0, 1).")
