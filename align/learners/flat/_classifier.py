"""Flat classifiers: classes and label sets as codes, growing classes, votes, predictions."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._inputs import is_plain_row, narrow, read_classes, read_examples
from align.learners.flat._labels import label_codes, several_labels, sorted_labels
from align.learners.flat._learner import NEED_ALL, FlatLearner, linear_scores
from align.learners.flat._runs import Chunk, no_relevant, spread
from align.learners.parts.estimators import ScoredClasses
from align.learners.parts.labels import check_label_sets, distinct_labels, one_label
from align.learners.parts.parameters import NO_WEIGHTS, one_row, read_weights
from align.learners.theory import Round
from align.types import Float64, IntArray


class FlatClassifier(ScoredClasses, FlatLearner):
    """An online classifier; the base class of all flat ones."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples; float32 is not converted.
        y : array_like [shape=(m,)], or [shape=(m, K)] of 0 and 1
            Classes, or the relevant labels of each example.
        sample_weight : array_like [shape=(m,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range or a single class.
        """
        return self._fit(X, y, sample_weight)

    def _fit_begin(self, n_features: int, y: npt.NDArray[Any]) -> None:
        self._open(n_features, several_labels(y), labels=y.ndim == 2)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Cutting a stream into calls changes nothing, where the classes are known from the start.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
            Examples.
        y : array_like [shape=(m,)], or [shape=(m, K)] of 0 and 1
            Classes, or the relevant labels of each example. New classes may come at any time;
            nothing is learned while there is only one.
        classes : array_like, optional
            Labels that are to come. A class that is known takes part as a wrong one from then on.
        sample_weight : array_like [shape=(m,)], optional
            Multiplies the loss of an example, and with it the largest step. It has no effect on
            hard constraints (PA), except that an example of weight 0 is left out. For two classes
            with PA-I an example of weight 2 moves the learner as far as one that comes twice in a
            row; for other learners, or with examples between, it need not.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For parameters out of range, or another width than before.
        """
        self._play_or_idle(self._stream_chunk(X, y, classes, sample_weight))
        return self

    def _meet(self, n_features: int, y: npt.NDArray[Any], classes: Any, *, first: bool) -> None:
        if not first and classes is None and self._is_known(y):
            return
        found = sorted_labels(y)
        if classes is not None:
            found = distinct_labels(classes, found)
        if first:
            self._open(n_features, found, labels=y.ndim == 2)
        else:
            self._admit(found, labels=y.ndim == 2)

    def step(self, x: npt.ArrayLike, y: Any) -> Round:
        """Play one round of a stream.

        Parameters
        ----------
        x : array_like [shape=(d,)]
            Finite numbers.
        y : label, or array_like of bool [shape=(K,)]
            The class; a new one is admitted. Or the relevant labels.

        Returns
        -------
        Round
            Its prediction was made before the label was seen.

        Raises
        ------
        ParameterError
            For another number of features, numbers that are not finite, what is no label, another
            number of labels, or an overflow.
        """
        several = isinstance(y, np.ndarray | list | tuple)
        x = one_row(x, self)
        if not hasattr(self, "n_features_in_"):
            names = np.arange(np.size(y)) if several else one_label(y)
            self._open(len(x), names, labels=several)
            self.n_features_in_ = len(x)
        if several:
            relevant = np.reshape(y, (1, -1))
            check_label_sets(relevant)
            self._admit(np.arange(relevant.size), labels=True)
        chunk = self._step_chunk(x, -1.0 if several else self._code_of(y))
        if several:
            chunk.relevant = relevant != 0
        if len(self._names) == 1:
            self._idle(1)
            row = [0.0] * core.LOG_WIDTH
            return self._round(self._names[0], row)
        row = self._step(chunk)
        best = int(row[core.LOG_CODE])
        return self._round(self._names[(best > 0) if self._run.rows == 1 else best], row)

    def decision_function(self, X: Any) -> Float64:
        """Return the score of each class; of two classes, how much the second is ahead.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)] for two classes, else [shape=(m, K)]
            With ``conversion="vote"`` the share of the votes, of two classes their difference.
        """
        check_is_fitted(self, "n_features_in_")
        X = read_examples(self, X)
        if self._began.conversion == "vote" and self._votes:
            return self._ballot(X)
        scores = linear_scores(X, self._hypothesis())
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _ballot(self, X: Any) -> Float64:
        total = np.zeros((X.shape[0], self._run.rows))
        rows = np.arange(X.shape[0])
        for weights, count in self._votes:
            scores = linear_scores(X, weights)
            if scores.shape[1] == 1:
                total[:, 0] += count * np.where(scores[:, 0] >= 0.0, 1.0, -1.0)
            else:
                total[rows, np.argmax(scores, axis=1)] += count
        total /= sum(count for _, count in self._votes)
        return total[:, 0] if total.shape[1] == 1 else total

    def _errors(self, chunk: Chunk, which: IntArray, weights: Float64) -> npt.NDArray[Any]:
        scores = linear_scores(chunk.X[which], weights)
        y = chunk.y[which]
        wrong: npt.NDArray[Any]
        if scores.shape[1] == 1:
            wrong = np.where(scores[:, 0] >= 0.0, 1.0, -1.0) != y
            return wrong
        best = np.argmax(scores, axis=1)
        wrong = ~chunk.relevant[which, best] if len(chunk.relevant) else best != y
        return wrong

    # Classes ----------------------------------------------------------------------------------

    def _n_rows(self) -> int:
        return 1 if len(self.classes_) <= 2 and not self._multilabel else len(self.classes_)

    def _open(self, n_features: int, classes: npt.NDArray[Any], *, labels: bool) -> None:
        """Begin a run with these classes."""
        self.classes_ = classes
        self._multilabel = labels
        self._name_classes()
        self._begin(n_features)

    def check_shapes(self) -> None:
        """Raise `ModelError` unless run and classes of a loaded learner belong together."""
        super().check_shapes()
        if hasattr(self, "_codes"):
            self._name_classes()  # not as the file has them: codes are places in memory

    def _name_classes(self) -> None:
        self._names = self.classes_.tolist()
        two = len(self._names) == 2 and not self._multilabel
        numbers = (-1.0, 1.0) if two else range(len(self._names))
        self._codes = dict(zip(self._names, numbers, strict=True))

    def _admit(self, found: npt.NDArray[Any], *, labels: bool) -> None:
        """Make room for new classes; nothing is known of them."""
        if labels != self._multilabel:
            raise ParameterError(
                "y has classes in one call and sets of labels in another; keep to one of them."
            )
        if labels and len(found) != len(self.classes_):
            raise ParameterError(
                f"y has {len(found)} labels, must have {len(self.classes_)} as before."
            )
        if self._codes.keys() >= set(found.tolist()):
            return
        merged = distinct_labels(self.classes_, found)
        places = np.searchsorted(merged, self.classes_)
        self.classes_ = merged
        self._name_classes()
        rows = self._n_rows()
        self._run.grow(rows, places)
        if self._began.record:
            self.trace_.regrow(rows, places)
        grown = self._run.hypothesis()
        for i, (weights, count) in enumerate(self._votes):
            self._votes[i] = grown.copy(), count  # new classes begin as they do now
            spread(weights, self._votes[i][0], places)
        if self._drawn is not None:
            drawn, self._drawn = self._drawn, grown.copy()
            spread(drawn, self._drawn, places)
        self._cached = self._chunk = None

    def _code_of(self, y: Any) -> float:
        """Return the code of a class, which is admitted where it is new."""
        try:
            code = self._codes.get(y)
        except TypeError:  # cannot be a label, as will be said
            code = None
        if code is None:
            self._admit(one_label(y), labels=False)
            code = self._codes[y]
        return float(code)

    def _plain_chunk(self, X: Any, y: Any) -> Chunk | None:
        if type(y) is not np.ndarray or y.shape != (1,) or y.dtype.kind not in "iu":
            return None
        code = self._codes.get(y.item()) if hasattr(self, "_codes") else None
        if code is None or self._multilabel or self._began.conversion in NEED_ALL:
            return None
        if not is_plain_row(self, X):
            return None
        if isinstance(X, np.ndarray):
            return self._step_chunk(X[0], code)
        work = self._work_chunk()
        work.y[0] = code
        return Chunk(narrow(X), work.y, work.relevant, NO_WEIGHTS, work.order, plain=True)

    def _is_known(self, y: npt.NDArray[Any]) -> bool:
        """Whether y is one known class, as in streams, whose calls take some microseconds."""
        return y.shape == (1,) and not self._multilabel and y.item() in self._codes

    def _play_or_idle(self, chunk: Chunk) -> None:
        if len(self.classes_) == 1:
            self._idle(len(chunk.order))
        else:
            self._play(chunk)

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        return read_classes(self, X, y, reset=reset)

    def _to_chunk(self, X: Any, y: npt.NDArray[Any], sample_weight: Any) -> Chunk:
        rows = self._n_rows()
        relevant = no_relevant(self._run.rows)
        targets: npt.NDArray[Any]
        if y.ndim == 2:
            relevant, targets = np.ascontiguousarray(y != 0), np.full(len(y), -1.0)
        else:
            codes = label_codes(y, self.classes_)
            targets = 2.0 * codes - 1.0 if rows == 1 else codes.astype(np.float64)
        weights, order = read_weights(sample_weight, X)
        return Chunk(X, targets, relevant, weights, order)
