r"""Passive-aggressive learners: classification and regression; for one class see `uniclass`.

Every round has a constraint, ``<w, a> >= b``, and the loss ``l = [b - <w, a>]_+``. Where there is
loss, the weights move by ``tau a``, as little as is needed:

=========  ===================================  ========================================
update     tau                                  minimises, with ``l(w) <= xi``
=========  ===================================  ========================================
"pa"       ``l / |a|^2``                        ``|w - w_t|^2 / 2``, xi = 0
"pa1"      ``min(C, l / |a|^2)``                ``|w - w_t|^2 / 2 + C xi``
"pa2"      ``l / (|a|^2 + 1 / (2 C))``          ``|w - w_t|^2 / 2 + C xi^2``
=========  ===================================  ========================================

==============  ==============================  ============================================
problem         a                               b
==============  ==============================  ============================================
two classes     ``y x``, y = +-1                margin
more classes    x in block y, -x in block s     margin; s is the best wrong class
label sets      x in block r, -x in block s     margin; r is the worst relevant label
regression      ``sign(y - <w, x>) x``          ``|y| - epsilon``, the sign kept
one class       ``(x - w) / |x - w|``           the loss is ``[|x - w| - epsilon]_+``
==============  ==============================  ============================================

The intercept is the weight of a constant feature 1 that counts in the norm, so a step of "pa"
leaves the loss 0: of two classes, a margin of exactly 1.

References
----------
Crammer, Dekel, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2003. Its equation
2 prints the loss of classification with +epsilon and then flips the sign; here it is `margin`.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol

from align.learners.flat._classifier import FlatClassifier
from align.learners.flat._regressor import FlatRegressor
from align.learners.parts import Plan, make_update
from align.learners.parts.named_update import NamedUpdate
from align.learners.parts.parameters import not_negative, positive


@dataclass(eq=False, repr=False)
class PassiveAggressiveClassifier(NamedUpdate, FlatClassifier):
    """Passive-aggressive classifier for two classes, more classes, or sets of labels.

    Source: Crammer et al. 2003, Figure 1; PA-I, PA-II and more classes: Behuet 2007 (slides).

    Parameters
    ----------
    update : {"pa1", "pa", "pa2"}
        How far a round moves: PA-I, PA or PA-II. "pa" satisfies every example at once, whatever
        its noise.
    C : float, default 1
        Aggressiveness of "pa1" and "pa2", positive. Noisy data ask for a small one.
    margin : float, default 1
        Of the hinge loss, positive.
    fit_intercept : bool, default True
        Add a constant feature 1, which counts in the norm.
    conversion : {"last", "average", "random", "vote", "best", "validation"}
        Which hypothesis predicts: the last one; the mean of those before each round; one of them
        drawn at random; a vote of them all, which keeps each; the best of some of each epoch on
        the training set; the best on held-out examples of some that were learned on parts, each
        afresh. The last two need all examples at once, in `fit`.
    epochs : int, default 1
        Passes of `fit`.
    shuffle : bool, default True
        Whether `fit` draws a new order for each pass.
    validation_fraction : float, default 0.1
        Share of the examples that "validation" holds out.
    n_candidates : int, default 10
        Hypotheses that "best" compares in an epoch; restarts of "validation", each on as many of
        the examples, fewer where there are fewer examples.
    record : bool, default False
        Keep each round in `trace_`, with its direction: d + 1 numbers a round, times the number
        of classes where there are more than two.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders and draws.
    variant : str, optional
        What 0.1.0 called `update`; it still works, with a warning.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(K,)]
        The labels, sorted.
    coef_, intercept_ : np.ndarray [shape=(1 or K, d)], [shape=(1 or K,)]
        What predicts (with "vote", the last hypothesis).
    n_rounds_, n_mistakes_, n_updates_ : int
        Rounds; those with a wrong prediction, made before the label was seen; those that moved.
    cumulative_loss_, dual_objective_ : float
        Sum of the losses; dual objective (of PA without a slack: of the hard constraints).
    trace_ : Trace
        The rounds, where `record` is set.
    n_features_in_ : int
        d.

    Notes
    -----
    Parameters are read when learning begins: change them between calls of `partial_fit` and they
    take effect in the next `fit`. A third class that turns up in a stream of two splits their
    common weights in halves, which leaves every prediction as it was.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> model = PassiveAggressiveClassifier("pa", random_state=0).fit(X, ["a", "a", "b", "b"])
    >>> model.predict(X).tolist()
    ['a', 'a', 'b', 'b']
    >>> stream = PassiveAggressiveClassifier("pa").partial_fit(X[:1], [1], classes=[0, 1])
    >>> round(float(stream.decision_function(X[:1])[0]), 12)
    1.0
    """

    update: str = "pa1"
    C: float = 1.0
    _: KW_ONLY
    margin: float = 1.0

    def _plan(self, n_weights: int) -> Plan:
        return Plan(
            make_update(self._update_name(), C=self.C), margin=positive(self.margin, "margin")
        )


@dataclass(eq=False, repr=False)
class PassiveAggressiveRegressor(NamedUpdate, FlatRegressor):
    """Passive-aggressive regressor: the loss is ``[|y - <w, x>| - epsilon]_+``.

    Source: Crammer et al. 2003, Figure 1; PA-I and PA-II: Behuet 2007 (slides).

    Parameters
    ----------
    update : {"pa1", "pa", "pa2"}
    C : float, default 1
        Aggressiveness of "pa1" and "pa2", positive.
    epsilon : float, default 0.1
        Half the width of the tube without loss, not negative; in units of y.
    fit_intercept, conversion, epochs, shuffle, validation_fraction, n_candidates, record, \
random_state, variant
        As in `PassiveAggressiveClassifier`; there is no "vote".

    Attributes
    ----------
    coef_ : np.ndarray [shape=(d,)]
    intercept_ : float
    n_rounds_, n_mistakes_, n_updates_ : int
        A mistake is a round with a loss.
    cumulative_loss_, dual_objective_, trace_, n_features_in_
        As in `PassiveAggressiveClassifier`.

    Examples
    --------
    >>> model = PassiveAggressiveRegressor("pa", epsilon=0.0, fit_intercept=False)
    >>> model.partial_fit([[1.0, 0.0], [0.0, 2.0]], [3.0, 4.0]).coef_
    array([3., 2.])
    """

    update: str = "pa1"
    C: float = 1.0
    _: KW_ONLY
    epsilon: float = 0.1

    def _plan(self, n_weights: int) -> Plan:
        tube = -not_negative(self.epsilon, "epsilon")
        update = make_update(self._update_name(), C=self.C)
        return Plan(update, margin=tube, regression=True)


class _Cyclable(Protocol):
    def _cycle(self, X: Any, y: Any, threshold: float, max_updates: int) -> bool: ...


def cycle_until(
    learner: _Cyclable,
    X: Any,
    y: Any = None,
    *,
    beta: float = 1e-6,
    max_updates: int = 100_000,
) -> bool:
    """Go round the examples until every squared loss is at most `beta`.

    Source: Crammer et al. 2003, section 4.

    Parameters
    ----------
    learner : PassiveAggressiveClassifier, PassiveAggressiveRegressor or PassiveAggressiveUniclass
        Learns on; a fresh one begins.
    X : array_like or CSR matrix [shape=(m, d)]
    y : array_like [shape=(m,)], optional
        Nothing for one class.
    beta : float
        Positive.
    max_updates : int
        Where to give up; looked at after each pass.

    Returns
    -------
    bool
        Whether it is so; False says that `max_updates` were not enough, as when nothing fits all
        examples. Where w* has no loss, PA takes fewer than ``max |a|^2 |w* - w_1|^2 / beta``
        updates.

    Raises
    ------
    ParameterError
        Where `beta` is not positive; or as `partial_fit` does.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.8, 0.6], [-1.0, 0.5]], [1, 1, 0]
    >>> cycle_until(PassiveAggressiveClassifier("pa"), X, y, beta=1e-4)
    True
    """
    positive(beta, "beta")
    return learner._cycle(X, y, math.sqrt(beta), int(max_updates))
