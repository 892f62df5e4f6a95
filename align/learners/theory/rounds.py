"""What happened in an online run, round by round.

`Round` is what a learner's ``step`` returns; `Rounds` are many of them as compact arrays, from
which regret, certificates and plots are computed. Learners keep a `align.learners.Trace`.
"""

import math
from array import array
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts import Plan
from align.types import Float64, IntArray


class Round(NamedTuple):
    """One round of an online run.

    Attributes
    ----------
    prediction : object
        What the learner predicted before it saw the truth.
    loss : float
        ``[b - <w, a>]_+`` on the constraint of the round, before the step.
    tau : float
        Step in w: the round added ``tau a`` to the hypothesis (``tau = alpha / c``).
    updated : bool
        Whether a step was taken.
    cost : float
        Cost of the prediction; of classes 1 for a mistake, else 0.
    alpha : float
        Dual variable of the round.
    c : float
        Weight of complexity in this round.
    norm : float
        Dual norm of the direction a.
    target : float
        b, of classes the margin; of a structured learner the cost of what the truth was compared
        with: the prediction or, with the maximal loss, the worst violation.
    dual : float
        Dual objective after the round, at the c of the round: at most
        ``c f(u) + sum of the losses of u``, for every u.
    """

    prediction: Any
    loss: float
    tau: float
    updated: bool
    cost: float
    alpha: float
    c: float
    norm: float
    target: float
    dual: float


class Rounds:
    """The rounds of a run as arrays, one value for each round [shape=(T,), dtype=float64].

    Parameters
    ----------
    plan : Plan, optional
        What the learner is made of; its certificates ask for it.
    kept : object, optional
        Has ``losses_of(u)``, for learners whose rounds have more than one direction.
    rows : int, default 1
        Number of scores.

    Attributes
    ----------
    cost, loss, tau, alpha, c, norm, target, dual : np.ndarray [shape=(T,)]
        As in `Round`.
    directions : np.ndarray [shape=(T, J)]
        The direction a of each round, where the learner was asked to keep them.

    Examples
    --------
    >>> rounds = Rounds()
    >>> rounds.append(Round("b", 2.0, 0.5, True, 1.0, 0.5, 1.0, 2.0, 1.0, 0.5))
    >>> len(rounds), rounds.loss
    (1, array([2.]))
    """

    _columns: ClassVar[tuple[str, ...]] = (
        "cost",
        "loss",
        "tau",
        "alpha",
        "c",
        "norm",
        "target",
        "dual",
    )

    def __init__(self, plan: Plan | None = None, kept: Any = None, *, rows: int = 1) -> None:
        self.plan = plan
        self.kept = kept
        self.radius = 0.0  # largest dual norm that c was tuned to, where norms are smaller
        self.split = 0  # rounds before one score of two classes became two
        self._values = {name: array("d") for name in self._columns}
        self._directions: list[Float64] = []
        self._blocks = rows > 1  # whether a direction has a block for each class

    def append(self, entry: Round, direction: Float64 | None = None) -> None:
        """Add a round, and its direction where directions are kept."""
        for name in self._columns:
            self._values[name].append(getattr(entry, name))
        if direction is not None:
            self._directions.append(direction)

    def extend(self, columns: dict[str, Float64], directions: Any) -> None:
        """Add rounds: an array for each column, and an iterable of directions."""
        for name in self._columns:
            self._values[name].extend(np.asarray(columns[name], dtype=np.float64).tolist())
        self._directions.extend(directions)

    def losses_of(self, u: npt.ArrayLike) -> Float64:
        """Return the loss ``[b_t - <u, a_t>]_+`` of a fixed u in every round [shape=(T,)].

        Parameters
        ----------
        u : array_like [shape=(J,)]
            Weights, one for each entry of a direction: the constant feature comes last.

        Returns
        -------
        np.ndarray [shape=(T,)]
            On the constraint that the round was about. Where a loss is the worst of several
            (classes, the two sides of a tube), that of u is never less.

        Raises
        ------
        ParameterError
            Where directions were not kept, or u has another length.
        """
        if self.kept is not None:
            kept: Float64 = self.kept.losses_of(u)
            return kept
        directions = self.directions
        if len(directions) != len(self):
            raise ParameterError("the directions were not kept; record the run with them.")
        weights = np.asarray(u, dtype=np.float64).ravel()
        if len(self) and weights.shape != directions.shape[1:]:
            raise ParameterError(
                f"u has {weights.size} entries, must have {directions.shape[1]}: one for each "
                "entry of a direction."
            )
        if not len(self):
            return np.zeros(0)
        losses: Float64 = np.maximum(self.target - directions @ weights, 0.0)
        return losses

    def regrow(self, rows: int, places: IntArray) -> None:
        """Make room in the directions for classes that came later, whose part in them is 0.

        Where one score of two classes becomes two, a direction a is ``(a, -a)`` of now, alpha and
        the dual objective are halved, and the norm is larger by a factor of ``sqrt(2)``.
        """
        if rows == 1:
            return
        split = len(places) == 2 and not self._blocks
        for t, old in enumerate(self._directions):
            blocks = old.reshape(1 if split else len(places), -1)
            new = np.zeros((rows, blocks.shape[1]))
            if split:
                new[places[1]], new[places[0]] = blocks[0], -blocks[0]
            else:
                new[places] = blocks
            self._directions[t] = new.ravel()
        if split:
            self.split = len(self)
            factors = {"alpha": 0.5, "tau": 0.5, "dual": 0.5, "norm": math.sqrt(2.0)}
            for name, factor in factors.items():
                self._values[name] = array("d", (factor * v for v in self._values[name]))
        self._blocks = rows > 1

    def __len__(self) -> int:
        return len(self._values["cost"])

    def __getattr__(self, name: str) -> Float64:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(f"a trace has no {name!r}; it has {', '.join(self._columns)}")
        return np.array(self._values[name])

    @property
    def directions(self) -> Float64:
        """The direction of each round [shape=(T, J)]; no rows where they were not kept."""
        return np.array(self._directions) if self._directions else np.empty((0, 0))

    def last(self, name: str) -> float:
        """Return what a column has of the latest round; 0 before the first."""
        return self._values[name][-1] if len(self) else 0.0

    def as_dict(self) -> dict[str, Float64]:
        """Return all columns by name."""
        return {name: getattr(self, name) for name in self._columns}
