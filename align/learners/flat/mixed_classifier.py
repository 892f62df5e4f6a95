"""Iterative parameter mixing of a flat classifier; see `align.learners.structured.mixing`.

A shard is a set of rows. Kernels give up Python's lock, so that threads are enough on one machine:
``joblib.parallel_config(backend="threading", n_jobs=4)`` around `fit`, and nothing is copied but
the shards themselves, once.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from align._blas import one_thread
from align.errors import ParameterError
from align.learners.flat._classifier import FlatClassifier
from align.learners.flat._inputs import read_classes, read_examples
from align.learners.flat._labels import several_labels
from align.learners.flat._linear import LinearRun
from align.learners.flat.passive_aggressive import PassiveAggressiveClassifier
from align.learners.parts import Euclidean, FixedTuning, MixedEpoch, check_mixing
from align.learners.parts.estimators import ScoredClasses, VectorEstimator
from align.learners.parts.parameters import check_whole, generator, weighed
from align.learners.parts.shards import deal, mix_shards, shard_orders
from align.types import Float64, IntArray


@dataclass(eq=False, repr=False)
class MixedClassifier(ScoredClasses, VectorEstimator):
    """Learn a flat classifier on several shards at once.

    Parameters
    ----------
    estimator : flat classifier, optional
        What is learned, with its own parameters and epochs but another seed. Its conversion must
        be "average" or "last", its complexity Euclidean and its c fixed, as in
        `PassiveAggressiveClassifier` (the default) and `Perceptron`.
    n_shards : int, default 4
        Number of shards. It decides on the result; how many run at once does not.
    mix : {"uniform", "updates"}
        How the weights of the shards are mixed.
    n_jobs : int, optional
        How many shards run at once, as joblib has it.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the shards and their orders, where the estimator shuffles.

    Attributes
    ----------
    estimator_ : flat classifier
        The fitted one, with the mixed weights.
    classes_ : np.ndarray [shape=(K,)]
    coef_, intercept_ : np.ndarray [shape=(1 or K, d)], [shape=(1 or K,)]
        What predicts.
    n_rounds_, n_mistakes_, n_updates_ : int
        Sums over shards and epochs.
    mixed_updates_ : float
        Sum over epochs and shards of mixing weight times updates: for the perceptron at most
        ``(R / margin)**2`` where the data are separable.
    epochs_ : list of MixedEpoch
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from align.learners import Perceptron
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> model = MixedClassifier(Perceptron(epochs=3), n_shards=2, random_state=0)
    >>> model.fit(X, ["a", "a", "b", "b"]).predict(X).tolist()
    ['a', 'a', 'b', 'b']
    """

    estimator: FlatClassifier | None = None
    n_shards: int = 4
    _: KW_ONLY
    mix: str = "uniform"
    n_jobs: int | None = None
    random_state: Any = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch, in as many epochs as the estimator has.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples. Fewer than shards make fewer shards.
        y : array_like [shape=(m,)], or [shape=(m, K)] of 0 and 1
            Classes, or the relevant labels of each example.
        sample_weight : array_like [shape=(m,)], optional
            As in `PassiveAggressiveClassifier`; an example of weight 0 is as if it had not been
            given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, an estimator that cannot be mixed, or a single class.
        """
        from joblib import Parallel, delayed

        check_mixing(self.n_shards, self.mix)
        X, y = read_classes(self, X, y, reset=True)
        weights, X, y = weighed(sample_weight, X, y)
        classes = several_labels(y)
        given = PassiveAggressiveClassifier() if self.estimator is None else self.estimator
        final = _opened(given, X.shape[1], classes, labels=y.ndim == 2)
        check_whole(given.epochs, "epochs")
        rng = generator(self.random_state)
        parts = deal(X.shape[0], int(self.n_shards), rng, given.shuffle)
        shards = [(X[part], y[part], weights[part] if len(weights) else None) for part in parts]
        mixed = np.zeros_like(final._run.hypothesis())
        total = np.zeros_like(mixed)
        counts = np.zeros(4, dtype=np.int64)
        self.mixed_updates_ = 0.0
        self.epochs_: list[MixedEpoch] = []
        for _ in range(int(given.epochs)):
            orders = shard_orders(parts, rng, given.shuffle)
            done = Parallel(n_jobs=self.n_jobs)(
                delayed(_epoch)(given, classes, shard, order, mixed)
                for shard, order in zip(shards, orders, strict=True)
            )
            mixed, hypotheses, epoch = mix_shards(done, self.mix)
            total += hypotheses
            counts += sum(shard.counts for shard in done)
            self.mixed_updates_ += float(epoch.weights @ epoch.updates)
            self.epochs_.append(epoch)
        assert isinstance(final._run, LinearRun)
        final._run.begin_with(mixed)
        final._run.counts[:] = counts
        final._chosen = total / counts[0] if given.conversion == "average" else mixed
        final.n_features_in_ = X.shape[1]
        self.n_rounds_, self.n_mistakes_, self.n_updates_ = (int(n) for n in counts[:3])
        self.estimator_, self.classes_ = final, classes
        return self

    def decision_function(self, X: Any) -> Float64:
        """Return the score of each class; of two classes, how much the second is ahead."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(read_examples(self, X))

    @property
    def coef_(self) -> Float64:
        """Weights that predict [shape=(rows, d)]."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.coef_

    @property
    def intercept_(self) -> Float64:
        """Intercepts that predict [shape=(rows,)]."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.intercept_


class _Done(NamedTuple):
    """What an epoch of a shard gives."""

    weights: Float64
    mean: Float64
    counts: npt.NDArray[np.int64]


def _opened(
    estimator: Any, n_features: int, classes: npt.NDArray[Any], *, labels: bool
) -> FlatClassifier:
    """Return a copy of an estimator, ready for rounds that can be mixed."""
    if not isinstance(estimator, FlatClassifier):
        raise ParameterError(
            f"estimator={type(estimator).__name__} is no flat classifier of align.learners."
        )
    if estimator.conversion not in ("average", "last"):
        raise ParameterError(
            f"conversion={estimator.conversion!r} cannot be mixed; use average or last."
        )
    model: FlatClassifier = clone(estimator)
    if model.record:
        raise ParameterError("record=True follows single rounds, which happen elsewhere.")
    model._open(n_features, classes, labels=labels)
    plan = model._current
    fixed = type(plan.update.tuning) is FixedTuning and type(plan.complexity) is Euclidean
    if not fixed or not isinstance(model._run, LinearRun):
        raise ParameterError(
            f"estimator={type(estimator).__name__} cannot be mixed: its complexity must be "
            "Euclidean, and its c must not depend on the run."
        )
    return model


@one_thread()
def _epoch(
    estimator: FlatClassifier,
    classes: npt.NDArray[Any],
    shard: tuple[Any, npt.NDArray[Any], Any],
    order: IntArray,
    weights: Float64,
) -> _Done:
    """Go through a shard once, from given weights."""
    X, y, sample_weight = shard
    model = _opened(estimator, X.shape[1], classes, labels=y.ndim == 2)
    model._began.conversion = "average"
    model._run = run = model._new_run(X.shape[1])  # one that knows the mean
    assert isinstance(run, LinearRun)
    run.begin_with(weights)
    chunk = model._to_chunk(X, y, sample_weight)
    chunk.order = order
    model._play(chunk)
    return _Done(run.hypothesis(), run.mean(), run.counts.copy())
