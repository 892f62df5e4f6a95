r"""Learners of finite classes, with their mistake bounds: CON, HAL and ELIM.

Labels are -1 and +1. A *concept* is a function of an instance with values in {-1, +1}; the
*version space* is what is left of the class once every concept that an example contradicts has
been dropped.

=======================  ===============================================  ======================
class                    predicts                                         mistakes, at most
=======================  ===============================================  ======================
`Consistent` (CON)       as the first concept of the version space        ``card C - 1``
`Halving` (HAL)          as the majority of the version space             ``floor(log2 card C)``
`Elimination` (ELIM)     an OR of the literals no negative satisfied      n + 1
`Conservative`           as a learner that only sees its own mistakes     as that learner
=======================  ===============================================  ======================

Bounds hold where some concept of the class never errs. `align.learners.theory.pac` turns them into
guarantees for examples drawn at random.

References
----------
"Online Algorithms" (lecture slides). Corrected from them: ELIM removes the literals that are
*true* on a negative example, not the positive ones.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from align._params import ParamsMixin
from align.errors import ParameterError
from align.learners.parts.parameters import check_whole
from align.learners.theory.rounds import Round
from align.types import BoolArray, IntArray

Hypothesis: TypeAlias = Callable[[Any], int]


class MistakeLearner(Protocol):
    """What `Conservative` and `align.learners.theory.pac.a_pac` need of a learner."""

    def hypothesis(self) -> Hypothesis:
        """Return the present hypothesis, which later examples do not change."""
        ...

    def feed(self, x: Any, y: int) -> None:
        """Learn from one example."""
        ...


class _Online(ParamsMixin):
    """Counts, and the two faces: `step` for a stream, `fit` and `predict` for arrays."""

    n_rounds_ = 0
    n_mistakes_ = 0
    n_updates_ = 0

    def hypothesis(self) -> Hypothesis:
        raise NotImplementedError

    def feed(self, x: Any, y: int) -> bool:
        raise NotImplementedError

    def step(self, x: Any, y: int) -> Round:
        """Predict the label of x, then learn that it is y.

        Parameters
        ----------
        x : instance
        y : {-1, +1}

        Returns
        -------
        Round
            `loss` and `cost` are 1 on a mistake, else 0.
        """
        predicted = self.hypothesis()(x)
        mistake = float(predicted != y)
        updated = bool(self.feed(x, y))
        self.n_rounds_ += 1
        self.n_mistakes_ += int(mistake)
        self.n_updates_ += updated
        return Round(
            prediction=predicted,
            loss=mistake,
            tau=float(updated),
            updated=updated,
            cost=mistake,
            alpha=float(updated),
            c=1.0,
            norm=1.0,
            target=1.0,
            dual=math.nan,
        )

    def partial_fit(self, X: Iterable[Any], y: Iterable[int]) -> Self:
        """Play one round for each example, in order.

        Parameters
        ----------
        X : iterable of instances
        y : iterable of {-1, +1}

        Returns
        -------
        self
        """
        for x, label in zip(X, y, strict=True):
            self.step(x, label)
        return self

    def predict(self, X: Iterable[Any]) -> IntArray:
        """Return the label of each instance under the present hypothesis.

        Parameters
        ----------
        X : iterable of instances

        Returns
        -------
        np.ndarray [shape=(m,)]
            -1 and +1.
        """
        h = self.hypothesis()
        return np.array([h(x) for x in X], dtype=np.intp)


class _VersionSpace(_Online):
    """A finite class, and which of its concepts are still consistent."""

    def __init__(self, concepts: npt.ArrayLike | Sequence[Hypothesis]) -> None:
        self.concepts = concepts
        self._functions: list[Hypothesis] = []
        self._table: npt.NDArray[np.int8] | None = None  # in place of the functions
        if not isinstance(concepts, np.ndarray) and all(callable(c) for c in concepts):  # type: ignore[union-attr]
            self._functions = list(concepts)  # type: ignore[arg-type]
            size = len(self._functions)
        else:
            table = np.asarray(concepts)
            if table.ndim != 2 or not np.isin(table, (-1, 1)).all():
                raise ParameterError(
                    "concepts must be functions, or a table (card C, points) of -1 and +1."
                )
            self._table = table.astype(np.int8)
            size = len(table)
        if size == 0:
            raise ParameterError("concepts must not be empty.")
        self.alive_ = np.ones(size, dtype=np.bool_)

    @property
    def version_space_(self) -> IntArray:
        """Positions of the concepts that no example has contradicted."""
        return np.flatnonzero(self.alive_)

    def feed(self, x: Any, y: int) -> bool:
        """Drop the concepts that are wrong on an example.

        Parameters
        ----------
        x : instance
            A column of the table where concepts are given as one.
        y : {-1, +1}

        Returns
        -------
        bool
            Whether any was dropped.

        Raises
        ------
        ParameterError
            If y is no label, or none is left: no concept of the class explains the examples.
        """
        _check_label(y)
        left = self.alive_ & (self._answers(x) == y)
        if not left.any():
            raise ParameterError(
                f"no concept is consistent with the examples up to ({x!r}, {y:+d}): the target "
                "is not in the class, or a label is wrong."
            )
        changed = bool((left != self.alive_).any())
        self.alive_ = left
        return changed

    def _answers(self, x: Any) -> npt.NDArray[np.int8]:
        """Return what each concept says of x; of dead ones, anything."""
        if self._table is not None:
            return self._table[:, _column(x, self._table)]
        answers = np.zeros(self.alive_.size, dtype=np.int8)
        for i in self.version_space_:
            answers[i] = _said(self._functions[i], x)
        return answers


class Consistent(_VersionSpace):
    """CON: predict as the first concept that is consistent with the past.

    Source: lecture slides "Online Algorithms".

    Parameters
    ----------
    concepts : sequence of callables, or array_like [shape=(card C, points)]
        The class: functions of an instance with values -1 and +1, or their table on a finite set,
        whose columns are then the instances.

    Attributes
    ----------
    version_space_ : np.ndarray
        Positions of the concepts left.
    n_rounds_, n_mistakes_, n_updates_ : int

    Notes
    -----
    O(card C) for each round.

    Examples
    --------
    >>> thresholds = [lambda x, i=i: 1 if x <= i else -1 for i in range(8)]
    >>> learner = Consistent(thresholds).partial_fit([7, 3, 5], [-1, 1, -1])
    >>> learner.version_space_, learner.n_mistakes_, learner.mistake_bound()
    (array([3, 4]), 1, 7)
    """

    def hypothesis(self) -> Hypothesis:
        """Return the first consistent concept."""
        first = int(self.alive_.argmax())
        if self._table is None:
            concept = self._functions[first]
            return lambda x: _said(concept, x)
        row = self._table[first]
        return lambda x: int(row[_column(x, row)])

    def mistake_bound(self) -> int:
        """Return ``card C - 1``."""
        return int(self.alive_.size) - 1


class Halving(_VersionSpace):
    """HAL: predict as the majority of the concepts that are consistent with the past.

    Source: lecture slides "Online Algorithms".

    Parameters
    ----------
    concepts : sequence of callables, or array_like [shape=(card C, points)]
        As for `Consistent`.

    Attributes
    ----------
    version_space_ : np.ndarray
        Positions of the concepts left.
    n_rounds_, n_mistakes_, n_updates_ : int

    Notes
    -----
    A tie is +1. The majority need not be in the class. Every mistake halves the version space.

    Examples
    --------
    >>> thresholds = [lambda x, i=i: 1 if x <= i else -1 for i in range(8)]
    >>> Halving(thresholds).mistake_bound()
    3
    """

    def hypothesis(self) -> Hypothesis:
        """Return the majority vote, as it stands now."""
        alive = self.alive_.copy()  # later examples must not change the closure
        if self._table is not None:
            votes = self._table[alive].sum(axis=0, dtype=np.int64)
            return lambda x: 1 if votes[_column(x, votes)] >= 0 else -1
        voters = [self._functions[i] for i in np.flatnonzero(alive)]
        return lambda x: 1 if sum(_said(f, x) for f in voters) >= 0 else -1

    def mistake_bound(self) -> int:
        """Return ``floor(log2 card C)``."""
        return int(self.alive_.size).bit_length() - 1


class Elimination(_Online):
    """ELIM: learn an OR of literals, variables or their negations, by elimination.

    Source: lecture slides "Online Algorithms".

    Parameters
    ----------
    n_features : int
        n, the number of variables.

    Attributes
    ----------
    positive_, negative_ : np.ndarray of bool [shape=(n,)]
        Whether the literal ``x_i``, and the literal ``not x_i``, is still in the OR.
    n_rounds_, n_mistakes_, n_updates_ : int

    Notes
    -----
    Instances are vectors of 0 and 1. A negative example removes every literal that is true on it.
    Its first mistake removes exactly n literals, each later one at least one, and no positive
    example is ever mistaken. The empty OR is always negative.

    Examples
    --------
    >>> learner = Elimination(3).partial_fit([[1, 0, 1], [0, 0, 0]], [1, -1])
    >>> learner.positive_, learner.negative_
    (array([ True,  True,  True]), array([False, False, False]))
    """

    def __init__(self, n_features: int) -> None:
        check_whole(n_features, "n_features")
        self.n_features = n_features
        self.positive_ = np.ones(n_features, dtype=np.bool_)
        self.negative_ = np.ones(n_features, dtype=np.bool_)

    def hypothesis(self) -> Hypothesis:
        """Return the OR of the literals left, as it stands now."""
        positive, negative = self.positive_, self.negative_

        def disjunction(x: Any) -> int:
            bits = self._bits(x)
            return 1 if (bits & positive).any() or (~bits & negative).any() else -1

        return disjunction

    def feed(self, x: Any, y: int) -> bool:
        """Remove the literals that are true on a negative example.

        Parameters
        ----------
        x : array_like [shape=(n,)]
            0 and 1.
        y : {-1, +1}

        Returns
        -------
        bool
            Whether any was removed.
        """
        _check_label(y)
        bits = self._bits(x)
        if y > 0:
            return False
        positive, negative = self.positive_ & ~bits, self.negative_ & bits
        changed = bool((positive != self.positive_).any() or (negative != self.negative_).any())
        # New arrays: a hypothesis given out keeps the old ones.
        self.positive_, self.negative_ = positive, negative
        return changed

    def mistake_bound(self) -> int:
        """Return n + 1."""
        return self.n_features + 1

    def _bits(self, x: Any) -> BoolArray:
        array = np.asarray(x)
        if array.shape != (self.n_features,) or not ((array == 0) | (array == 1)).all():
            raise ParameterError(f"x={x!r}, must be {self.n_features} values of 0 and 1.")
        return array.astype(np.bool_)


class Conservative(_Online):
    """A learner that is only shown the examples it errs on.

    Source: lecture slides "Online Algorithms".

    Parameters
    ----------
    learner : MistakeLearner
        Any learner with ``hypothesis()`` and ``feed(x, y)``. It is copied.

    Attributes
    ----------
    learner_ : MistakeLearner
        The copy that learns.
    mistakes_ : list of (x, y)
        The examples it was shown.
    n_rounds_, n_mistakes_, n_updates_ : int

    Notes
    -----
    On its mistakes it behaves as the learner does on that sequence alone, so that any bound on the
    mistakes of the learner is kept. Between mistakes the hypothesis is the very same object.

    Examples
    --------
    >>> thresholds = [lambda x, i=i: 1 if x <= i else -1 for i in range(8)]
    >>> Conservative(Halving(thresholds)).partial_fit([2, 3, 1], [-1, -1, 1]).mistakes_
    [(2, -1)]
    """

    def __init__(self, learner: MistakeLearner) -> None:
        self.learner = learner
        self.learner_ = deepcopy(learner)
        self.mistakes_: list[tuple[Any, int]] = []
        self._hypothesis = self.learner_.hypothesis()

    def hypothesis(self) -> Hypothesis:
        """Return the present hypothesis."""
        return self._hypothesis

    def feed(self, x: Any, y: int) -> bool:
        """Show an example to the learner where the present hypothesis errs on it.

        Parameters
        ----------
        x : instance
        y : {-1, +1}

        Returns
        -------
        bool
            Whether it was shown.
        """
        _check_label(y)
        if self._hypothesis(x) == y:
            return False
        self.learner_.feed(x, y)
        self.mistakes_.append((x, y))
        self._hypothesis = self.learner_.hypothesis()
        return True


def _check_label(y: int) -> None:
    if y not in (-1, 1):
        raise ParameterError(f"y={y!r}, must be -1 or +1.")


def _said(concept: Hypothesis, x: Any) -> int:
    """Return what a concept says of x."""
    answer = concept(x)
    if answer not in (-1, 1):
        raise ParameterError(f"a concept says {answer!r} of {x!r}, must say -1 or +1.")
    return int(answer)


def _column(x: Any, table: npt.NDArray[Any]) -> int:
    """Return the column of an instance; -1 would be the last one to NumPy."""
    points = table.shape[-1]
    if not isinstance(x, int | np.integer) or not 0 <= x < points:
        raise ParameterError(f"x={x!r}, must be a column of the table, 0 to {points - 1}.")
    return int(x)
