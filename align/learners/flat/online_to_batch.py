"""One hypothesis of the many that any learner goes through: drawn, by vote, or by a contest.

A run of T rounds predicts with ``h_1, ..., h_T``, h_t learned from the rounds before t. Most
learners of vectors have the conversions of the table as a parameter; `OnlineToBatch` gives them to
every learner with `partial_fit`: rankers, kernels, ellipsoids, a user's own.

=============  ===================================================================================
conversion     which hypothesis predicts
=============  ===================================================================================
"random"       one of ``h_1 .. h_T``, drawn uniformly (Corollary 8)
"vote"         all of them, each with as many votes as there were rounds that it predicted in
"validation"   the best on held-out examples of some that were learned on parts, each afresh, and
               drawn there (Theorem 12, with the blocks it means)
"best"         the best on the training set of some of each epoch; no guarantee
=============  ===================================================================================

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, appendix B.
"""

import copy
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from align.errors import ParameterError
from align.learners.flat._any_learner import (
    Examples,
    feed,
    finds_outliers,
    fresh_copy,
    mean_error,
    rounds_of,
    snapshot,
    state_of,
    takes,
)
from align.learners.flat.passive_aggressive import PassiveAggressiveClassifier
from align.learners.parts import block_ends
from align.learners.parts.conversion import contest_parts, last_drawn
from align.learners.parts.estimators import CountedRounds, VectorEstimator, validated
from align.learners.parts.labels import distinct_labels, read_labels
from align.learners.parts.parameters import (
    check_choice,
    check_share,
    check_whole,
    generator,
    orders,
    read_weights,
    refuse_masks,
    weighed,
)
from align.types import Float64, IntArray

_Method = TypeVar("_Method", bound=Callable[..., Any])

_CONVERSIONS = ("random", "vote", "validation", "best")
_COUNTS = ("n_rounds_", "n_mistakes_", "n_updates_", "cumulative_loss_")


def _if_learner_has(name: str) -> Callable[[_Method], _Method]:
    """Return a decorator of a method that is there only where the learner has it."""
    found: Callable[[_Method], _Method] = available_if(lambda self: hasattr(self._given(), name))
    return found


@dataclass(eq=False, repr=False)
class OnlineToBatch(CountedRounds, VectorEstimator):
    """Predict with one hypothesis, or with all, of those that a learner goes through.

    Source: Shalev-Shwartz 2007, appendix B: Lemma 23, Theorems 12 and 13, and voting.

    Parameters
    ----------
    learner : learner with `partial_fit`, optional
        Whose rounds they are. Its own `average` or `conversion` is not used, nor are its epochs,
        order and seed; its `record` keeps rounds in ``learner_.trace_``. By
        default a `PassiveAggressiveClassifier`.
    conversion : {"random", "vote", "validation", "best"}
        See the table above. "vote" keeps a copy of each hypothesis and is for what predicts
        classes or outliers; a prediction costs what theirs do together. "validation" and "best"
        need all examples at once, in `fit`.
    epochs : int, default 1
        Passes of `fit`; "validation" makes one.
    shuffle : bool, default True
        Whether `fit` draws a new order for each pass.
    validation_fraction : float, default 0.1
        Share of the rounds that "validation" holds out.
    n_candidates : int, default 10
        Hypotheses that "best" compares in an epoch; restarts of "validation", each on as many of
        the rounds.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders and draws.

    Attributes
    ----------
    learner_ : learner
        The one that goes on learning; of "validation" that of the last part.
    chosen_ : learner or None
        What predicts, a copy from the middle of the run; None with "vote".
    votes_ : list of (learner, int)
        With "vote", each hypothesis and how many rounds it predicted in.
    classes_ : np.ndarray [shape=(K,)]
        Where the learner has them.
    n_rounds_, n_mistakes_, n_updates_, cumulative_loss_
        Those of the learner; with "validation" sums over the parts.
    n_features_in_ : int

    Examples
    --------
    >>> from align.learners import KernelPA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1.0, 1.0, size=(400, 2))
    >>> y = np.where(np.hypot(*X.T) < 0.6, "in", "out")
    >>> model = OnlineToBatch(KernelPA(sigma=0.3), "vote")
    >>> bool(model.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.85)
    True
    """

    learner: Any = None
    conversion: str = "random"
    _: KW_ONLY
    epochs: int = 1
    shuffle: bool = True
    validation_fraction: float = 0.1
    n_candidates: int = 10
    random_state: Any = 0

    # A run ------------------------------------------------------------------------------------

    def _given(self) -> Any:
        return PassiveAggressiveClassifier() if self.learner is None else self.learner

    def _open(self, classes: Any) -> None:
        """Begin with the parameters as they are now; later changes wait for the next `fit`."""
        check_choice(self.conversion, "conversion", _CONVERSIONS)
        check_share(self.validation_fraction, "validation_fraction")
        check_whole(self.n_candidates, "n_candidates")
        if not takes(self._given(), "sample_weight"):
            raise ParameterError(f"learner={self.learner!r}, must have partial_fit with weights.")
        votes = takes(self._given(), "classes") or finds_outliers(self._given())
        if self.conversion == "vote" and not votes:
            raise ParameterError("conversion='vote' is for classes and outliers, not for numbers.")
        self._began = SimpleNamespace(
            conversion=self.conversion,
            queries=takes(self._given(), "groups"),
            classes=takes(self._given(), "classes"),
        )
        self._rng = generator(self.random_state)
        self._classes: Any = classes
        self.learner_: Any = fresh_copy(self._given())
        self.chosen_: Any = None
        self.votes_: list[tuple[Any, int]] = []
        self._n_played = 0
        self._voted: Any = None  # the state of the learner when a hypothesis was last kept
        self._totals = dict.fromkeys(_COUNTS, 0)  # of parts that are over

    # Learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, d)]
            Examples.
        y : array_like, optional
            What the learner learns from.
        groups : array_like [shape=(m,)], optional
            The query of each row, where a round of the learner is a query (`InstanceRanker`).
        sample_weight : array_like [shape=(m,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, or too few examples.
        """
        X, y = self._validate(X, y, reset=True)
        check_whole(self.epochs, "epochs")
        groups = None if groups is None else np.asarray(groups)
        weights, X, y, groups = weighed(sample_weight, X, y, groups)
        known = y is not None and y.ndim == 1 and takes(self._given(), "classes")
        self._open(distinct_labels(y) if known else None)
        examples = self._examples_of(X, y, groups, weights)
        rounds = rounds_of(examples.groups, np.arange(X.shape[0]), self._began.queries)
        if self.conversion == "validation":
            self._restart(examples, rounds)
            return self
        self._announce(examples, rounds[0])
        least = np.inf
        for order in orders(self._rng, len(rounds), self.epochs, self.shuffle):
            ordered = [rounds[i] for i in order]
            if self.conversion != "best":
                self._play(examples, ordered)
                continue
            begin = 0
            for end in block_ends(len(rounds), int(self.n_candidates)):
                self._feed(examples, ordered[begin:end])
                cost = mean_error(self.learner_, examples, self._began.queries)
                if cost < least:
                    least, self.chosen_ = cost, snapshot(self.learner_)
                begin = end
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X, y, groups
            As in `fit`. A query must not be cut by the end of a call.
        classes : array_like, optional
            Labels that are to come, where the learner takes them.
        sample_weight : array_like [shape=(m,)], optional
            As the learner takes it; an example of weight 0 is left out.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For "validation" and "best", and for parameters out of range.
        """
        first = not hasattr(self, "learner_")
        conversion = self.conversion if first else self._began.conversion
        if conversion in ("validation", "best"):
            raise ParameterError(
                f"conversion={conversion!r} needs all examples at once: call fit, or use random "
                "or vote."
            )
        X, y = self._validate(X, y, reset=first)
        weights, kept = read_weights(sample_weight, X)
        if first:
            self._open(None)
        if classes is not None:
            known = [] if self._classes is None else [self._classes]
            self._classes = distinct_labels(*known, classes)
        examples = self._examples_of(X, y, groups, weights)
        if first or classes is not None:
            self._announce(examples, np.arange(1))
        self._play(examples, rounds_of(examples.groups, kept, self._began.queries))
        return self

    def _examples_of(self, X: Any, y: Any, groups: Any, weights: Float64) -> Examples:
        """Return examples with what counts of them: weights that are not all 1, and queries."""
        queries = None if groups is None or not self._began.queries else np.asarray(groups)
        return Examples(X, y, queries, weights if len(weights) else None)

    def _feed(self, examples: Examples, rounds: list[IntArray]) -> None:
        """Let the learner play some rounds."""
        feed(self.learner_, examples, rounds, self._classes if self._began.classes else None)

    def _announce(self, examples: Examples, rows: IntArray) -> None:
        """Make the learner ready to predict, with an example that it does not learn from."""
        self._feed(examples._replace(weights=np.zeros(examples.X.shape[0])), [rows])

    def _play(self, examples: Examples, rounds: list[IntArray]) -> None:
        """Let the learner play rounds, and keep what predicts."""
        if self._began.conversion == "vote":
            for one in rounds:
                self._count_vote()
                self._feed(examples, [one])
            return
        place = last_drawn(self._rng, self._n_played, len(rounds))
        self._n_played += len(rounds)
        if place is not None:
            self._feed(examples, rounds[:place])
            self.chosen_ = snapshot(self.learner_)
            rounds = rounds[place:]
        self._feed(examples, rounds)

    def _count_vote(self) -> None:
        """Count a round of the present hypothesis, and keep it where it is new."""
        now, state = self.learner_, state_of(self.learner_)
        if state is None or state != self._voted:
            self.votes_.append((snapshot(now), 0))
            self._voted = state
        learner, count = self.votes_[-1]
        self.votes_[-1] = (learner, count + 1)

    def _restart(self, examples: Examples, rounds: list[IntArray]) -> None:
        """Learn afresh on each of some parts, draw a hypothesis of each, and hold a contest."""
        n = len(rounds)
        order = self._rng.permutation(n) if self.shuffle else np.arange(n)
        held_out, parts = contest_parts(
            order, self.validation_fraction, int(self.n_candidates), "rounds"
        )
        contest = examples.of(np.concatenate([rounds[i] for i in held_out]))
        least = np.inf
        for places in parts:
            part = [rounds[i] for i in places]
            self._totals = self._counted()
            self.learner_ = fresh_copy(self._given())
            self._announce(examples, part[0])
            cut = int(self._rng.integers(len(part)))
            self._feed(examples, part[:cut])
            candidate = snapshot(self.learner_)
            self._feed(examples, part[cut:])
            cost = mean_error(candidate, contest, self._began.queries)
            if cost < least:
                least, self.chosen_ = cost, candidate

    def _examples(self, X: Any, *, reset: bool = False) -> Any:
        return validated(self, X, dtype="numeric", reset=reset)

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X = self._examples(X, reset=reset)
        if y is None:
            return X, None
        refuse_masks(y=y)
        y = read_labels(y)
        y = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        check_consistent_length(X, y)
        return X, column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y

    # Predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return what the hypothesis predicts, or most of them [shape=(m,)]; ties go up.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)], or [shape=(m, K)] of 0 and 1 from rankers of label sets
        """
        check_is_fitted(self, "learner_")
        X = self._examples(X)
        if self._began.conversion != "vote":
            return np.asarray(self._hypothesis().predict(X))
        shares, sets = self._ballot(X)
        if sets:
            return (shares >= 0.5).astype(np.int64)
        if not self._began.classes:
            return np.where(shares[:, 1] >= 0.5, 1, -1)
        # Of two classes a tie goes to the second, of more to the first.
        best = shares[:, 1] >= 0.5 if shares.shape[1] == 2 else np.argmax(shares, axis=1)
        return self.classes_[best.astype(np.intp)]

    @_if_learner_has("decision_function")
    def decision_function(self, X: Any) -> Float64:
        """Return the scores of the hypothesis; with "vote" the share of the votes.

        Parameters
        ----------
        X : array_like or sparse matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m, K)], or [shape=(m,)] of two classes and of outliers
            Of these two the difference of the shares; of label sets the shares less one half.
        """
        check_is_fitted(self, "learner_")
        X = self._examples(X)
        if self._began.conversion != "vote":
            return self._scores(X)
        shares, sets = self._ballot(X)
        if sets:
            return shares - 0.5
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def score(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> float:
        """Return 1 less the mean error: of classes, of pairs in queries, or of numbers.

        Parameters
        ----------
        X, y, groups
            As in `fit`.
        sample_weight : array_like [shape=(m,)], optional
            How much each example counts; queries all count alike.

        Returns
        -------
        float
        """
        check_is_fitted(self, "learner_")
        read, y = self._validate(X, y, reset=False)
        if self._began.classes and y.ndim == 1:
            distinct_labels(self.classes_, y)  # or an error, where these cannot be compared
        weights, _ = read_weights(sample_weight, read)
        examples, learner = self._examples_of(read, y, groups, weights), self._hypothesis()
        if self._began.conversion == "vote":  # who is asked for names of features gets them
            examples, learner = examples._replace(X=X), self
        return 1.0 - mean_error(learner, examples, self._began.queries)

    def _hypothesis(self) -> Any:
        """Return what predicts; before the first round that is the learner itself."""
        return self.learner_ if self.chosen_ is None else self.chosen_

    def _scores(self, X: Any) -> Float64:
        """Return the scores of the hypothesis; a class that came after it is behind the others."""
        hypothesis = self._hypothesis()
        found = np.asarray(hypothesis.decision_function(X))
        own = getattr(hypothesis, "classes_", None)
        if own is None or len(own) == len(self.classes_):
            return found
        if len(own) == 1:
            found = found.reshape(-1, 1)
        elif found.ndim == 1:
            found = np.stack([-found, found], axis=1) / 2.0
        grown = np.repeat(found.min(axis=1, keepdims=True) - 1.0, len(self.classes_), axis=1)
        grown[:, np.searchsorted(self.classes_, own)] = found
        return grown[:, 1] - grown[:, 0] if grown.shape[1] == 2 else grown

    def _ballot(self, X: Any) -> tuple[Float64, bool]:
        """Return the share of the votes of each class, and whether votes are sets of labels."""
        classes = self.classes_ if self._began.classes else np.array([-1, 1])
        kept = self.votes_ or [(self.learner_, 1)]
        votes = [(np.asarray(learner.predict(X)), learner, n) for learner, n in kept]
        total = np.zeros((len(votes[0][0]), len(classes)))
        sets = False
        for found, learner, count in votes:
            if found.ndim == 2:
                sets = True
                total[:, np.searchsorted(classes, learner.classes_)] += count * found
            else:
                total[np.arange(len(found)), np.searchsorted(classes, found)] += count
        return total / sum(count for *_, count in votes), sets

    # What is known ----------------------------------------------------------------------------

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels known so far, sorted."""
        check_is_fitted(self, "learner_")
        known: npt.NDArray[Any] = self.learner_.classes_
        return known

    def _counted(self) -> dict[str, Any]:
        check_is_fitted(self, "learner_")
        return {k: v + getattr(self.learner_, k, 0) for k, v in self._totals.items()}

    def _played(self) -> npt.NDArray[np.int64]:
        counted = self._counted()
        return np.array([counted[f"n_{what}_"] for what in ("rounds", "mistakes", "updates")])

    @property
    def cumulative_loss_(self) -> float:
        """Sum of the losses."""
        return float(self._counted()["cumulative_loss_"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if takes(self._given(), "sample_weight"):
            tags = copy.deepcopy(get_tags(self._given()))
        tags.input_tags.sparse = True
        return tags
