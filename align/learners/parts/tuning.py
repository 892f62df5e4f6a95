"""Tuning of c, the weight of complexity against loss, from round to round.

=================  ===============================================  ========================
class              c of round t                                     bound
=================  ===============================================  ========================
`FixedTuning`      c                                                Lemma 1
`MistakeTuning`    ``X sqrt(m / (2 U))``                            Theorem 7
`SelfTuning`       ``X sqrt((m + 1) / U)``                          Theorem 6, Corollary 6
`SqrtTuning`       ``sqrt(t L / U)``                                Corollary 2
`RunningTuning`    ``X sqrt(t share / U)``                          Corollary 3, Eq. 5.16
`LossTuning`       ``b sqrt(beta + sum of the losses before)``      Theorem 2, Corollary 4
=================  ===============================================  ========================

X is the largest dual norm of a direction so far, m the number of mistakes (`MistakeTuning` counts
that of the round, `SelfTuning` those before it). The analysis of variable c asks that it never
decreases. c = 0 stands for rounds before anything was seen; the learner then predicts with the
minimiser of its complexity.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 3.5 and
Fig. 3.2, 5.2, 5.3, 5.4.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from align._params import ParamsMixin
from align.errors import ParameterError
from align.learners.parts.parameters import check_choice, check_number, positive


class Tuning(Protocol):
    """A rule for c: one of this module, or a function of one's own.

    Examples
    --------
    A c that grows with the logarithm of the number of rounds:

    >>> from align.learners import OnlineClassifier
    >>> def slow(radius, n_mistakes, n_rounds=1, loss=0.0):
    ...     return 1.0 + math.log(n_rounds)
    >>> model = OnlineClassifier(tuning=slow, record=True).fit([[1.0], [-1.0]], [1, 0])
    >>> model.trace_.c.round(3)
    array([1.   , 1.693])
    """

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c.

        Parameters
        ----------
        radius : float
            Largest dual norm of a direction so far, that of this round included.
        n_mistakes : int
            Mistakes so far; with that of this round for `MistakeTuning`, without for all others.
        n_rounds : int
            Rounds so far, this one included.
        loss : float
            Sum of the losses of the rounds before.
        """
        ...


class _TuningParams(ParamsMixin):
    """Parameters of a tuning, so that a search can set ``tuning__U`` of the learner around it.

    A tuning is frozen for its equality and hash; only `set_params` changes one, after its checks.
    """

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            positive(value, name)

    def set_params(self, **params: Any) -> Self:
        """Change parameters; a run that has begun keeps those it began with.

        Parameters
        ----------
        **params : float or str
            New values.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            Where there is no parameter of that name, or a value is out of range.
        """
        unknown = sorted(params.keys() - set(self._parameters()))
        if unknown:
            raise ParameterError(
                f"{type(self).__name__} has no parameter {unknown[0]!r}; "
                f"it has {', '.join(self._parameters())}."
            )
        checked = replace(self, **params)  # type: ignore[type-var]  # every subclass is a dataclass
        for name in params:
            object.__setattr__(self, name, getattr(checked, name))
        return self


@dataclass(frozen=True)
class FixedTuning(_TuningParams):
    """The same c on every round.

    Source: Shalev-Shwartz 2007, Figure 3.1 and Theorem 1.

    Parameters
    ----------
    c : float, default 1
        Positive.

    Examples
    --------
    >>> from align.learners import OnlineClassifier
    >>> model = OnlineClassifier(tuning=FixedTuning(10.0), fit_intercept=False, shuffle=False)
    >>> model.fit([[1.0], [-1.0]], [1, 0]).coef_  # steps of at most 1 / c
    array([[0.2]])
    """

    c: float = 1.0

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c."""
        return self.c


@dataclass(frozen=True)
class MistakeTuning(_TuningParams):
    """c = X sqrt(m / (2 U)) with the radius X and m mistakes (Fig. 5.4).

    Source: Shalev-Shwartz 2007, Figure 5.4 and Theorem 7.

    Parameters
    ----------
    U : float, default 1
        Complexity of the competitors hoped for, ``||u||**2 / 2 <= U``; positive.

    Examples
    --------
    >>> round(MistakeTuning(U=1.0)(radius=2.0, n_mistakes=3), 6)
    2.44949
    """

    U: float = 1.0

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c; 0 before the first mistake, or while every direction was zero."""
        return radius * math.sqrt(n_mistakes / (2.0 * self.U))


@dataclass(frozen=True)
class SelfTuning(_TuningParams):
    """c = X sqrt((m + 1) / U) with m mistakes before the round (Fig. 5.2 and 5.3).

    Source: Shalev-Shwartz 2007, Figures 5.2 and 5.3, and Corollary 6.

    Parameters
    ----------
    U : float, default 1
        Complexity f(u) of the competitors hoped for; positive. ln n for the entropy.
    over : {"all", "mistakes"}
        Which earlier rounds X is taken over; that of the round always counts. Corollary 6 holds
        in its corrected form with "all", where X in the bound is over all rounds, too, and as
        printed with "mistakes".

    Examples
    --------
    >>> round(SelfTuning(U=math.log(8))(radius=2.0, n_mistakes=3), 4)
    2.7739
    """

    U: float = 1.0
    over: str = "all"

    def __post_init__(self) -> None:
        positive(self.U, "U")
        check_choice(self.over, "over", ("all", "mistakes"))

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c; 0 while every direction was zero."""
        return radius * math.sqrt((n_mistakes + 1.0) / self.U)


@dataclass(frozen=True)
class SqrtTuning(_TuningParams):
    """c = sqrt(t L / U), for losses whose constant is known (Corollary 2).

    Source: Shalev-Shwartz 2007, section 3.5 and Corollary 2.

    Parameters
    ----------
    L : float
        ``N*(lambda)**2 / 2 <= L`` for every subgradient; positive. For the hinge loss half the
        largest squared dual norm of an instance.
    U : float, default 1
        Complexity f(u) of the competitors hoped for; positive.

    Examples
    --------
    >>> SqrtTuning(L=0.5, U=2.0)(radius=1.0, n_mistakes=0, n_rounds=16)
    2.0
    """

    L: float
    U: float = 1.0

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c."""
        return math.sqrt(n_rounds * self.L / self.U)


@dataclass(frozen=True)
class RunningTuning(_TuningParams):
    """c = X sqrt(t share / U), for Lipschitz losses of unknown constant.

    Source: Shalev-Shwartz 2007, section 3.5, Corollary 3 and Eq. 5.16.

    Parameters
    ----------
    U : float, default 1
        Complexity f(u) of the competitors hoped for; positive.
    share : float, default 1
        1 for Eq. 5.16, whose exact steps are then bounded by ``2 X sqrt(U T)``; 1/2 for
        Corollary 3, since the L of a round is half its squared norm.

    Examples
    --------
    >>> RunningTuning(U=1.0)(radius=2.0, n_mistakes=0, n_rounds=9)
    6.0
    """

    U: float = 1.0
    share: float = 1.0

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c; 0 while every direction was zero."""
        return radius * math.sqrt(n_rounds * self.share / self.U)


@dataclass(frozen=True)
class LossTuning(_TuningParams):
    """c = b sqrt(beta + sum of the losses before), for self-bounded losses (Theorem 2).

    Source: Shalev-Shwartz 2007, section 3.5 and Theorem 2.

    Parameters
    ----------
    L : float
        ``N*(lambda)**2 / 2 <= L g(w)`` for some subgradient; positive. For half the squared error
        the largest squared dual norm of an instance.
    U : float, default 1
        Complexity f(u) of the competitors hoped for; positive.
    beta : float, default 1
        Positive; the largest loss of a round, for Corollary 4.

    Notes
    -----
    ``b = 8**(1/4) sqrt(L / U)``, the choice of Corollary 4.

    Examples
    --------
    >>> round(LossTuning(L=1.0)(radius=1.0, n_mistakes=0, loss=3.0), 6)
    3.363586
    """

    L: float
    U: float = 1.0
    beta: float = 1.0

    @property
    def factor(self) -> float:
        """b, called beta2 in the theorem."""
        return float(8.0**0.25 * math.sqrt(self.L / self.U))

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        """Return c."""
        return self.factor * math.sqrt(self.beta + loss)


def own_tuning(tuning: Tuning) -> Tuning:
    """Return a copy of a tuning of this package; `set_params` then leaves a run alone."""
    return replace(tuning) if isinstance(tuning, _TuningParams) else tuning  # type: ignore[type-var]


def as_tuning(c: float | Tuning) -> Tuning:
    """Return the tuning that a parameter c, a number or a tuning, asks for."""
    if callable(c):
        return own_tuning(c)
    check_number(c, "c")
    if not 0.0 < c < math.inf:
        raise ParameterError(f"c={c}, must be a Tuning, or positive and finite.")
    return FixedTuning(float(c))


def weighted_tuning(tuning: Tuning, C: float) -> Tuning:
    """Return the tuning whose c is that of `tuning` over C.

    ``c f(w) + C loss`` and ``(c / C) f(w) + loss`` have the same minimum: this is how a weight of
    the loss enters a learner whose dual variables lie in [0, 1]. In the tunings with a U, c is
    in proportion to ``1 / sqrt(U)``.

    Examples
    --------
    >>> weighted_tuning(FixedTuning(2.0), 4.0)
    FixedTuning(c=0.5)
    """
    if C == 1.0:
        return own_tuning(tuning)
    if isinstance(tuning, FixedTuning):
        return FixedTuning(tuning.c / C)
    if isinstance(tuning, _TuningParams):
        return replace(tuning, U=tuning.U * C * C)  # type: ignore[type-var,attr-defined]
    return _Weighted(tuning, C)


@dataclass(frozen=True)
class _Weighted:
    """A user's tuning over C."""

    tuning: Tuning
    C: float

    def __call__(
        self, radius: float, n_mistakes: int, n_rounds: int = 1, loss: float = 0.0
    ) -> float:
        return self.tuning(radius, n_mistakes, n_rounds, loss) / self.C
