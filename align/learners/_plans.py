"""What the flat learners are made of: a plan, and the state of a run that follows it."""

from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from align.learners.complexity import Complexity, Euclidean
from align.learners.updates import Update

__all__ = ["NO_WEIGHTS", "Chunk", "Floats", "Plan", "Revisit", "Run"]

Floats: TypeAlias = npt.NDArray[np.float64]

NO_WEIGHTS: Floats = np.zeros(0)  # of a chunk in which all weights are 1


@dataclass(frozen=True)
class Revisit:
    """Dual variables of earlier rounds that a round optimises again, after its own.

    Parameters
    ----------
    last : int, optional
        How many of the latest rounds, the present one included; by default all of them.
    steps : int, optional
        Single-variable steps after that of the round itself; by default as many as it takes
        until no alpha moves by more than `tolerance`.
    order : {"cyclic", "random", "worst"}
        Which variable comes next: latest first and around, any, or that of the largest gain in
        slope.
    tolerance : float

    Notes
    -----
    ``Revisit(last=1)`` is the plain step; all rounds without a limit of steps is
    follow-the-regularised-leader.
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


@dataclass
class Chunk:
    """Examples, and the rounds to be played with them.

    Attributes
    ----------
    X : np.ndarray or CSR matrix [shape=(m, d)]
    y : np.ndarray [shape=(m,)]
        Numbers; or -1. and +1.; or codes of classes, -1 where `relevant` has the row.
    relevant : np.ndarray [shape=(m, k), dtype=bool]
        Relevant labels; no rows where there are only classes.
    weights : np.ndarray [shape=(m,)]
        Positive; empty where all are 1.
    order : np.ndarray [shape=(T,), dtype=intp]
        Rows of the rounds.
    """

    X: Any
    y: npt.NDArray[Any]
    relevant: npt.NDArray[np.bool_]
    weights: Floats
    order: npt.NDArray[np.intp]


class Run(Protocol):
    """The state of an online run, whatever its complexity function."""

    rows: int

    @property
    def scale(self) -> float:
        """1 / c of the next hypothesis."""
        ...

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Rounds, mistakes, updates, mistakes without a direction."""
        ...

    @property
    def loss(self) -> float:
        """Sum of ``[b - <w, a>]_+`` over the rounds."""
        ...

    @property
    def dual(self) -> float:
        """Dual objective."""
        ...

    def play(
        self, chunk: Chunk, order: npt.NDArray[np.intp], log: Floats, stop: bool = False
    ) -> int:
        """Play rounds; return how many were played, up to the first update where `stop` is set.

        The log gets a row for each round, as long as it has rows; see `align.learners._rounds`.
        """
        ...

    def play_one(self, chunk: Chunk, order: npt.NDArray[np.intp], log: Floats) -> Floats:
        """Play a single round; return the hypothesis that it predicted with.

        It is that of `hypothesis` before the round where c is fixed. Else c, and with it the
        hypothesis, is only known once the round has begun.
        """
        ...

    def idle(self, n_rounds: int) -> None:
        """Count rounds in which nothing can go wrong."""
        ...

    def hypothesis(self) -> Floats:
        """Return the weights [shape=(rows, d + 1)]; the last column is that of the constant."""
        ...

    def mean(self) -> Floats:
        """Return the mean of the hypotheses before each round, of the same shape."""
        ...

    def grow(self, rows: int, places: npt.NDArray[np.intp]) -> None:
        """Make room for more classes; `places` says where the present ones go."""
        ...
