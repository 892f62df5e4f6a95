"""A learner as data: what it is made of, and what its rounds do."""

from dataclasses import dataclass, field

from align.learners.parts.complexity import Complexity
from align.learners.parts.norms import Euclidean
from align.learners.parts.updates import Update


@dataclass(frozen=True)
class Revisit:
    """Dual variables of earlier rounds that a round optimises again, after its own.

    Source: Shalev-Shwartz 2007, section 5.2.2.

    Parameters
    ----------
    last : int, optional
        How many of the latest rounds, the present one included; by default all of them.
    steps : int or None, default 5
        Single-variable steps after that of the round itself; with None as many as it takes until
        no alpha moves by more than `tolerance`.
    order : {"cyclic", "random", "worst"}
        Which variable comes next: the latest first and so on round, any, or that in which the
        dual is steepest.
    tolerance : float, default 1e-10
        Largest move of an alpha at which steps without a limit end.

    Notes
    -----
    ``Revisit(last=1)`` is the plain step; all rounds without a limit of steps is
    follow-the-regularised-leader.

    Examples
    --------
    >>> from align.learners import OnlineClassifier
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [0.0, -1.0]], [1, 0, 1]
    >>> once = OnlineClassifier(record=True, shuffle=False).fit(X, y)
    >>> twice = OnlineClassifier(record=True, shuffle=False, revisit=Revisit(2)).fit(X, y)
    >>> bool(twice.trace_.dual[-1] > once.trace_.dual[-1])
    True
    """

    last: int | None = None
    steps: int | None = 5
    order: str = "cyclic"
    tolerance: float = 1e-10


@dataclass(frozen=True)
class Plan:
    """Complexity, loss, dual step and tuning of a learner.

    Parameters
    ----------
    update : Update
        Slack, step and tuning.
    complexity : Complexity
        f of the weights, or of those of one class.
    margin : float
        Target of a hinge; for regression minus the width of the tube, since
        ``loss = [|y - <w, x>| + margin]_+``.
    regression : bool
        Whether targets are numbers.
    ties : {"positive", "mistake"}
        Whether a score of 0 predicts the second class, or is a mistake whatever the truth.
    doubled : bool
        Give the learner ``[x, -x]``, for complexities without negative weights.
    revisit : Revisit, optional
        Dual variables of earlier rounds.
    multiplicative : {"range", "printed"}, optional
        Step of the multiplicative passive-aggressive learner, instead of that of the dual.
    single : bool
        Whether a round moves one dual variable only.
    ranking : bool
        Whether losses are those of rankings of instances, of no fixed margin.
    """

    update: Update
    complexity: Complexity = field(default_factory=Euclidean)
    margin: float = 1.0
    regression: bool = False
    ties: str = "positive"
    doubled: bool = False
    revisit: Revisit | None = None
    multiplicative: str | None = None
    single: bool = True
    ranking: bool = False
