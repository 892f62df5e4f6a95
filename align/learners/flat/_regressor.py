"""Flat regressors: numbers in, numbers out."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._inputs import read_examples, read_numbers
from align.learners.flat._learner import FlatLearner, linear_scores
from align.learners.flat._runs import Chunk, no_relevant
from align.learners.parts import MistakeTuning, SelfTuning
from align.learners.parts.parameters import one_number, one_row, read_weights
from align.learners.theory import Round
from align.types import Float64, IntArray


class FlatRegressor(RegressorMixin, FlatLearner):  # type: ignore[misc]  # sklearn is untyped
    """An online regressor; the base class of all flat ones."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes; as classifiers do, of numbers y [shape=(m,)]."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples.
        y : array_like [shape=(m,)]
            Numbers.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies the loss of an example; see the classifiers.

        Returns
        -------
        self
        """
        self._play(self._stream_chunk(X, y, sample_weight=sample_weight))
        return self

    def _fit_begin(self, n_features: int, y: Float64) -> None:
        self._begin(n_features)

    def _meet(self, n_features: int, y: Float64, classes: Any, *, first: bool) -> None:
        if first:
            self._begin(n_features)

    def step(self, x: npt.ArrayLike, y: float) -> Round:
        """Play one round of a stream.

        Parameters
        ----------
        x : array_like [shape=(d,)]
            Finite numbers.
        y : float
            The number to predict.

        Returns
        -------
        Round
            Its prediction was made before y was seen.

        Raises
        ------
        ParameterError
            For another number of features, what is not finite, or an overflow.
        """
        x, y = one_row(x, self), one_number(y)
        if not hasattr(self, "n_features_in_"):
            self._begin(len(x))
            self.n_features_in_ = len(x)
        row = self._step(self._step_chunk(x, y))
        return self._round(row[core.LOG_CODE], row)

    def predict(self, X: Any) -> Float64:
        """Return the prediction of each example.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)]
        """
        check_is_fitted(self, "n_features_in_")
        X = read_examples(self, X)
        return linear_scores(X, self._hypothesis())[:, 0]

    @property
    def coef_(self) -> Float64:
        """Weights that predict [shape=(d,)]."""
        check_is_fitted(self, "n_features_in_")
        return self._hypothesis()[0, :-1]

    @property
    def intercept_(self) -> float:  # type: ignore[override]
        """Intercept that predicts."""
        check_is_fitted(self, "n_features_in_")
        return float(self._hypothesis()[0, -1])

    def _begin(self, n_features: int) -> None:
        if self.conversion == "vote":
            raise ParameterError("conversion='vote' is for classifiers; numbers are averaged.")
        super()._begin(n_features)
        if isinstance(self._current.update.tuning, MistakeTuning | SelfTuning):
            raise ParameterError(
                f"tuning={self._current.update.tuning} counts mistakes, which a regressor does "
                "not make; use RunningTuning or LossTuning."
            )

    def _errors(self, chunk: Chunk, which: IntArray, weights: Float64) -> Float64:
        errors: Float64 = np.abs(linear_scores(chunk.X[which], weights)[:, 0] - chunk.y[which])
        return errors

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Float64]:
        return read_numbers(self, X, y, reset=reset)

    def _to_chunk(self, X: Any, y: Float64, sample_weight: Any) -> Chunk:
        weights, order = read_weights(sample_weight, X)
        return Chunk(X, y, no_relevant(1), weights, order)
