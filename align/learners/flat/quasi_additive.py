"""Quasi-additive classifiers: Perceptron, p-norm Perceptron, Winnow, and their self-tuned kin.

All keep ``v = sum of y x`` over the mistaken rounds and predict with the sign of ``<w, x>``,
``w = grad f*(v / c)``. They differ in f, and in c, on which the predictions of the first two do
not depend.

====================  =====================================  ===============================
class                 f                                      c
====================  =====================================  ===============================
`Perceptron`          half the squared l2 norm               ``1 / rate``
`PNormPerceptron`     scaled squared q-norm, 1/p + 1/q = 1   1
`Winnow`              entropy on the simplex                 ``1 / rate``
`SelfTunedWinnow`     entropy on the simplex                 ``X sqrt((m + 1) / ln n)``
====================  =====================================  ===============================

`ThresholdWinnow` is the older form, for features 0 and 1: no normaliser, a fixed threshold.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 5.1 and
Fig. 5.1, 5.2. Littlestone, "Learning quickly when irrelevant attributes abound", 1988.
"""

import math
from dataclasses import KW_ONLY, dataclass

from align.errors import ParameterError
from align.learners.flat._classifier import FlatClassifier
from align.learners.flat._linear import LinearRun
from align.learners.flat._runs import Run
from align.learners.parts import (
    LINEAR,
    Entropy,
    Euclidean,
    FixedTuning,
    Plan,
    QNorm,
    SelfTuning,
    Update,
)
from align.learners.parts.parameters import check_choice, positive


def _on_mistakes(c: float) -> Update:
    """Return the update of a full step on each mistake, at a fixed c."""
    return Update(LINEAR, FixedTuning(c), exact=False, conservative=True)


@dataclass(eq=False, repr=False)
class Perceptron(FlatClassifier):
    """The Perceptron: ``w += rate y x`` on mistakes.

    Source: Shalev-Shwartz 2007, section 5.1.1 and Corollary 5; Behuet 2007 (slides); lecture
    slides "Online Algorithms".

    Parameters
    ----------
    rate : float, default 1
        Learning rate, positive. Predictions do not depend on it where the weights begin at 0.
    initial : {"zero", "random"}
        Where weights begin: at 0, for which the bounds are proved, or drawn from a normal
        distribution.
    ties : {"positive", "mistake"}
        Whether a score of 0 predicts the second class, or is a mistake whatever the truth.
    fit_intercept : bool, default True
        Add a constant feature 1. It counts in the norm of the bounds; a separate bias of the same
        rate would predict the same.
    conversion, epochs, shuffle, validation_fraction, n_candidates, record, random_state
        As in `PassiveAggressiveClassifier`; "average" and "vote" are the averaged and the voted
        Perceptron.

    Attributes
    ----------
    classes_, coef_, intercept_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, \
dual_objective_, trace_, n_features_in_
        As in `PassiveAggressiveClassifier`. The loss is the hinge loss of margin 1.

    Notes
    -----
    Corollary 5: ``M <= L19(X |u|, sum over mistakes of [1 - y <u, x>]_+)`` for every u. With more
    than two classes, x is added to the block of the right class and taken from the one predicted.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> Perceptron().partial_fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    rate: float = 1.0
    _: KW_ONLY
    initial: str = "zero"
    ties: str = "positive"

    def _new_run(self, n_features: int) -> Run:
        check_choice(self.initial, "initial", ("zero", "random"))
        run = super()._new_run(n_features)
        if self.initial == "random":
            if self.record:
                raise ParameterError(
                    "record=True is for bounds, which are proved for initial='zero'."
                )
            assert isinstance(run, LinearRun)
            weights = self._rng.normal(size=(run.rows, n_features + 1))
            weights[:, -1] *= bool(self.fit_intercept)
            run.begin_with(weights)
        return run

    def _plan(self, n_weights: int) -> Plan:
        check_choice(self.ties, "ties", ("positive", "mistake"))
        return Plan(_on_mistakes(1.0 / positive(self.rate, "rate")), Euclidean(), ties=self.ties)


@dataclass(eq=False, repr=False)
class PNormPerceptron(FlatClassifier):
    """The p-norm Perceptron: between Perceptron (p = 2) and Winnow (p about 2 ln n).

    Source: Shalev-Shwartz 2007, section 5.1.4 and Corollary 7.

    Parameters
    ----------
    p : float, optional
        At least 2; by default ``max(2, 2 ln n)``, n weights.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, \
dual_objective_, trace_, n_features_in_
        As in `Perceptron`.

    Notes
    -----
    Corollary 7: ``M <= L19(X |u|_q sqrt(p - 1), sum over mistakes of [1 - y <u, x>]_+)``, X the
    largest ``|x|_p``. It suits few relevant features among many.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> PNormPerceptron(p=4.0).partial_fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    p: float | None = None

    def _plan(self, n_weights: int) -> Plan:
        p = max(2.0, 2.0 * math.log(n_weights)) if self.p is None else positive(self.p, "p")
        return Plan(_on_mistakes(1.0), QNorm(p))


@dataclass(eq=False, repr=False)
class Winnow(FlatClassifier):
    """Balanced Winnow, or exponentiated gradient: weights on the simplex, multiplied on mistakes.

    Source: Shalev-Shwartz 2007, section 5.1.2 and Eq. 5.8.

    Parameters
    ----------
    rate : float, default 1
        Learning rate, positive: on a mistake ``w_j *= exp(rate y x_j)``, then normalise.
    margin : float, default 1
        Of the hinge loss that `cumulative_loss_` and the bounds speak of.
    signed : bool, default True
        Give the learner ``[x, -x]``, and so weights of either sign.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state
        As in `Perceptron`. The constant is a feature 1 like any other.

    Attributes
    ----------
    classes_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, dual_objective_, trace_, \
n_features_in_
        As in `Perceptron`.
    coef_, intercept_ : np.ndarray [shape=(1 or K, d)], [shape=(1 or K,)]
        On the simplex; where `signed`, the difference of the weights of x and -x.

    Notes
    -----
    For u on the simplex, ``gamma M <= c ln n + X^2 M / (2 c) + sum over mistakes of
    [gamma - y <u, x>]_+`` with ``c = 1 / rate`` and X the largest ``|x_j|``. Scale the features
    to similar ranges.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> Winnow().partial_fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    rate: float = 1.0
    _: KW_ONLY
    margin: float = 1.0
    signed: bool = True

    def _plan(self, n_weights: int) -> Plan:
        update = _on_mistakes(1.0 / positive(self.rate, "rate"))
        margin = positive(self.margin, "margin")
        return Plan(update, Entropy(), margin=margin, doubled=bool(self.signed))


@dataclass(eq=False, repr=False)
class SelfTunedWinnow(FlatClassifier):
    """Winnow that finds its own rate, ``c = X sqrt((m + 1) / ln n)`` after m mistakes.

    Source: Shalev-Shwartz 2007, Figures 5.2 and 5.3, Corollary 6 and Theorem 6.

    Parameters
    ----------
    scale : {"all", "mistakes"}
        Whether X, the largest ``|x_j|``, is over all rounds so far, or over mistaken ones and the
        present. One large instance that is no mistake slows the former for long.
    aggressive : bool, default False
        Step on every loss, as far as maximises the dual, rather than fully on mistakes only.
    margin, signed, fit_intercept, conversion, epochs, shuffle, validation_fraction, \
n_candidates, record, random_state
        As in `Winnow`. An aggressive learner needs a margin that weights on the simplex can
        reach.

    Attributes
    ----------
    classes_, coef_, intercept_, n_rounds_, n_mistakes_, n_updates_, cumulative_loss_, \
dual_objective_, trace_, n_features_in_
        As in `Winnow`.

    Notes
    -----
    For u on the simplex, ``M <= L19(2 X sqrt(ln n) / gamma, sum [gamma - y <u, x>]_+ / gamma)``:
    the sum over mistakes and X over all rounds (Corollary 6, corrected: it prints X over mistakes,
    which is true of ``scale="mistakes"``); if aggressive, both over all rounds (Theorem 6).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> SelfTunedWinnow().partial_fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    _: KW_ONLY
    scale: str = "all"
    aggressive: bool = False
    margin: float = 1.0
    signed: bool = True

    def _plan(self, n_weights: int) -> Plan:
        check_choice(self.scale, "scale", ("all", "mistakes"))
        n = n_weights * (2 if self.signed else 1)
        # A single weight is 1 whatever c is.
        tuning = SelfTuning(U=math.log(n) if n > 1 else 1.0, over=self.scale)
        update = Update(
            LINEAR, tuning, exact=bool(self.aggressive), conservative=not self.aggressive
        )
        margin = positive(self.margin, "margin")
        return Plan(update, Entropy(), margin=margin, doubled=bool(self.signed))
