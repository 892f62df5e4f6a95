"""Named dual updates: a slack, a step and a tuning of c, put together.

============  ===========  ===========  =====================  =================================
name          slack        step         c                      takes a step
============  ===========  ===========  =====================  =================================
perceptron    linear       alpha = 1    1                      where the prediction costs
pa            hard         exact        1                      where there is loss
pa1           linear       exact        1 / C                  where there is loss
pa2           squared, C   exact        1                      where there is loss
self-tuned    linear       exact        X sqrt(m / (2 U))      where the prediction costs
============  ===========  ===========  =====================  =================================

The papers write the middle three as PA, PA-I and PA-II.

An update that steps only where the prediction costs is *conservative*, else it is *aggressive*. A
combination without a name is an `Update` like any other.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapters 3 and 5.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from align.learners.parts.parameters import check_choice, positive
from align.learners.parts.steps import HARD, LINEAR, Slack, squared
from align.learners.parts.tuning import FixedTuning, MistakeTuning, Tuning


@dataclass(frozen=True)
class Update:
    """What a round does to the dual.

    Parameters
    ----------
    slack : Slack
        What violating a constraint costs.
    tuning : Tuning
        The rule for c.
    exact : bool, default True
        Take the step that maximises the dual; else alpha = 1, the subgradient step.
    conservative : bool, default False
        Step only where the prediction costs; else wherever there is loss.

    Examples
    --------
    A Perceptron whose steps are a half, ``w = v / c``:

    >>> import numpy as np
    >>> from align.learners import DualAscent
    >>> run = DualAscent(Update(LINEAR, FixedTuning(2.0), exact=False, conservative=True), 2)
    >>> _ = run.end_round("wrong", np.array([1.0, -1.0]), target=1.0, cost=1.0)
    >>> run.weights()
    array([ 0.5, -0.5])
    """

    slack: Slack
    tuning: Tuning
    exact: bool = True
    conservative: bool = False


_NAMED: dict[str, Callable[[float, float], Update]] = {
    "perceptron": lambda C, U: Update(LINEAR, FixedTuning(1.0), exact=False, conservative=True),
    "pa": lambda C, U: Update(HARD, FixedTuning(1.0)),
    "pa1": lambda C, U: Update(LINEAR, FixedTuning(1.0 / C)),
    "pa2": lambda C, U: Update(squared(C), FixedTuning(1.0)),
    "self-tuned": lambda C, U: Update(LINEAR, MistakeTuning(U), conservative=True),
}

UPDATES = tuple(_NAMED)


def make_update(update: str | Update, *, C: float = 1.0, U: float = 1.0) -> Update:
    """Return an update by its name; an `Update` is returned as it is.

    Parameters
    ----------
    update : {"perceptron", "pa", "pa1", "pa2", "self-tuned"} or Update
        See the table above.
    C : float
        Aggressiveness of "pa1" and "pa2"; positive.
    U : float
        Complexity ``||u||**2 / 2`` of the competitors of "self-tuned"; positive.

    Returns
    -------
    Update

    Raises
    ------
    ParameterError
        Where the name is unknown, or C or U is not positive.

    Examples
    --------
    >>> make_update("pa1", C=4.0).tuning
    FixedTuning(c=0.25)
    """
    positive(C, "C")
    positive(U, "U")
    if isinstance(update, Update):
        return update
    check_choice(update, "update", UPDATES)
    return _NAMED[update](C, U)


PA_UPDATES = UPDATES[1:4]


def step_limits(update: str, C: float) -> tuple[float, float]:
    """Return the largest tau and the curvature of "pa", "pa1" or "pa2", for steps in w: c is 1.

    Examples
    --------
    >>> step_limits("pa1", 4.0), step_limits("pa2", 4.0)
    ((4.0, 0.0), (inf, 0.125))
    """
    check_choice(update, "update", PA_UPDATES)
    C = positive(C, "C")
    return (C if update == "pa1" else math.inf), (0.5 / C if update == "pa2" else 0.0)
