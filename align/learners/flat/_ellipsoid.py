"""What the ellipsoid learners share: the passes over examples, and the linear prediction.

See `align.learners.flat.ellipsoid` for the algorithms and their notation, and `_ellipsoid_pass`
for the rounds.
"""

import copy
import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat import _ellipsoid_pass as core
from align.learners.flat._inputs import with_constant
from align.learners.flat._labels import sorted_labels
from align.learners.flat._plan_arrays import overflow_error
from align.learners.flat.certified_pairs import certify_ellipsoid
from align.learners.parts.estimators import (
    CountedRounds,
    LinearWeights,
    ScoredClasses,
    VectorEstimator,
    read_label_sets,
    validated,
)
from align.learners.parts.labels import (
    check_announced,
    check_label_sets,
    distinct_labels,
    one_label,
)
from align.learners.parts.parameters import (
    check_choice,
    check_number,
    check_whole,
    one_row,
    orders,
    read_zero_one,
    shuffler,
    weighed,
)
from align.learners.parts.shapes import check_array, check_stored
from align.learners.theory import Certificate, Round
from align.learners.theory.certified import Certified, RunCertificate
from align.learners.theory.recorded import Recorded
from align.types import BoolArray, Float64, IntArray

_ROOT_TWO = math.sqrt(2.0)
_FIRST = np.zeros(1, dtype=np.intp)
_NO_SIZE = "a cut goes as deep as its example asks for, and has no size that a weight could scale"


def check_gamma(gamma: float) -> None:
    """Raise unless a margin is one that unit vectors can have."""
    if not 0.0 < gamma <= 1.0:
        raise ParameterError(f"gamma={gamma}, must lie in (0, 1].")


@dataclass(eq=False, repr=False, kw_only=True)
class EllipsoidLearner(
    Certified, Recorded, CountedRounds, LinearWeights, ScoredClasses, VectorEstimator
):
    """What both learners share: the passes over examples, and the linear prediction."""

    average: bool = True
    normalize: str | None = "unit"
    fit_intercept: bool = True
    representation: str = "auto"
    max_memory: float = 2e9
    epochs: int = 1
    shuffle: bool = True
    record: bool = False
    random_state: Any = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scratch, in `epochs` passes.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
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
            For parameters out of range, a single class, or where P outgrows `max_memory`.
        """
        X, y = read_label_sets(self, X, y, reset=True)
        _, X, y = weighed(sample_weight, X, y, reason=_NO_SIZE)
        self.start(X.shape[1], sorted_labels(y))
        relevant = self._relevant(y)
        rows = self._rows(X)
        for order in orders(shuffler(self.random_state), X.shape[0], self.epochs, self.shuffle):
            self._learn(rows, relevant, order)
        self._warn()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go through examples once, in their order, going on from what was learned before.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]
        y : array_like [shape=(m,)], or [shape=(m, K)] of 0 and 1
        classes : array_like, optional
            All labels that will ever come; needed in the first call unless `y` has them all, or
            only one: nothing is learned until a call brings another.
        sample_weight : array_like [shape=(m,)], optional
            0 leaves an example out, 1 does not. No other weight has a meaning: a cut goes as deep
            as its example asks for, and has no size that a weight could scale.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For a label that was not announced, or where P outgrows `max_memory`.
        """
        first = not hasattr(self, "classes_")
        X, y = read_label_sets(self, X, y, reset=first)
        kept = read_zero_one(sample_weight, X, _NO_SIZE)
        found = sorted_labels(y)
        if first:
            self._open(X.shape[1], found if classes is None else distinct_labels(classes))
        elif self.classes_.size == 1:
            self._admit(found if classes is None else distinct_labels(found, classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ParameterError(f"classes={classes}, must stay {self.classes_}.")
        relevant = self._relevant(y)
        if len(kept) < len(y):
            X, relevant = X[kept], relevant[kept]
        if self.classes_.size == 1:
            self._counts[core.ROUNDS] += len(kept)
        elif len(kept):
            self._learn(self._rows(X), relevant, np.arange(len(kept)))
        self._warn()
        return self

    def start(self, n_features: int, classes: npt.ArrayLike) -> Self:
        """Forget everything and make ready for `step`.

        Parameters
        ----------
        n_features : int
            d.
        classes : array_like [shape=(K,)]
            Labels, at least two.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For a single class, or parameters out of range.
        """
        check_whole(n_features, "n_features")
        found = distinct_labels(classes)
        if found.size < 2:
            raise ParameterError(f"y has 1 class, {found}, must have 2 classes or more.")
        self._open(n_features, found)
        return self

    def _open(self, n_features: int, classes: npt.NDArray[Any]) -> None:
        """Begin with these classes; there may be only one, of which nothing can be learned."""
        self._check_parameters()
        self._began = SimpleNamespace(**self.get_params(deep=False))
        self.n_features_in_ = n_features
        self._place(classes)
        self._begin_trace(len(self._W))

    def _size(self) -> tuple[int, int]:
        """Return the number of vectors, one of two classes, and their length."""
        blocks = 1 if self.classes_.size <= 2 else self.classes_.size
        return blocks, self.n_features_in_ + bool(self._began.fit_intercept)

    def _place(self, classes: npt.NDArray[Any]) -> None:
        """Make room for these classes, of which nothing is known yet."""
        self.classes_ = classes
        blocks, width = self._size()
        n = blocks * width
        self._W = np.zeros((blocks, width))
        self._late = np.zeros((blocks, width))  # sum of round number times step, for the mean
        representation = self._began.representation
        self._low_rank = representation == "low-rank" or (
            representation == "auto" and self._is_low_rank_smaller(n)
        )
        self._check_memory(16 if self._low_rank else n, n)
        if self._low_rank:
            self._shape = np.zeros((16, n))  # rows q_j; grows as needed
        else:
            self._shape = self._first_scale() * np.eye(n)
        self._floats = np.zeros(4)
        self._counts = np.zeros(6, dtype=np.int64)
        self._largest = 0.0  # norm so far, for normalize="max"
        # z has the norm of x for two classes and sqrt(2) times it for more.
        self._block_scale = 1.0 if blocks == 1 else 1.0 / _ROOT_TWO
        # Work space of `step`, which must not allocate.
        self._labels = list(self.classes_)
        self._codes = {label: code for code, label in enumerate(self._labels)}
        self._columns = np.arange(width)
        self._row, self._row_ends = np.zeros(width), np.array([0, width])
        self._row_relevant = np.zeros((1, blocks), dtype=np.bool_)

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        if not hasattr(self, "_W"):
            return
        blocks, width = self._size()
        n = blocks * width
        check_array("counts", self._counts, (6,), np.int64)
        check_array("floats", self._floats, (4,))
        check_array("W", self._W, (blocks, width))
        check_array("late", self._late, (blocks, width))
        check_array("shape", self._shape, (None if self._low_rank else n, n))
        rank = self._counts[core.RANK] if self._low_rank else 0
        check_stored(0 <= rank <= len(self._shape), f"{rank} vectors of {len(self._shape)}")
        check_array("row", self._row, (width,))
        check_array("relevant", self._row_relevant, (1, blocks), np.bool_)
        check_stored(
            self._columns.tolist() == list(range(width)) and self._row_ends.tolist() == [0, width],
            "its work space has other columns",
        )

    def _admit(self, classes: npt.NDArray[Any]) -> None:
        """Make room where only one class was known; rounds without a second one stay counted."""
        known = distinct_labels(self.classes_, classes)
        if known.size > 1:
            rounds = self._counts[core.ROUNDS]
            self._place(known)
            self._counts[core.ROUNDS] = rounds

    def step(self, x: npt.ArrayLike, y: Any) -> Round:
        """Play one round of a stream.

        Parameters
        ----------
        x : array_like [shape=(d,)]
        y : label, or array_like of bool [shape=(K,)]
            One of the classes given to `start`, or the relevant labels. Without a start the first
            example begins, as in `partial_fit`.

        Returns
        -------
        Round
            `tau` and `alpha` are the depth of the cut.

        Raises
        ------
        ParameterError
            For another number of features, numbers that are not finite, a label that was not
            announced, or an overflow.
        """
        several = isinstance(y, np.ndarray | list | tuple)
        x = one_row(x, self)
        if not hasattr(self, "classes_"):
            self._open(len(x), np.arange(np.size(y)) if several else one_label(y))
        if self.classes_.size == 1:
            self._admit(one_label(y))
            if self.classes_.size == 1:
                self._counts[core.ROUNDS] += 1
                return self._entry(y, 0.0, 0.0, 0.0, 0.0, self._target())
        row, relevant = self._row, self._row_relevant
        row[: self.n_features_in_] = x
        if self._began.fit_intercept:
            row[-1] = 1.0
        norm = math.sqrt(row @ row)
        if not math.isfinite(norm):
            raise overflow_error()
        if self._began.normalize == "max":
            self._largest = max(self._largest, norm)
        if self._began.normalize is not None and norm > 0.0:
            factor = self._block_scale / (
                self._largest if self._began.normalize == "max" else norm
            )
            row *= factor
            norm *= factor
        if several:
            found = np.reshape(y, (1, -1))
            check_label_sets(found)
            relevant[:] = self._relevant(found)
        else:
            code = self._codes.get(y)
            if code is None:
                raise ParameterError(f"label {y!r} was never announced to start().")
            relevant[:] = False
            if len(self._W) > 1:
                relevant[0, code] = True
            elif code:
                relevant[0, 0] = True
        counts, floats = self._counts, self._floats
        mistakes, updates = counts[core.MISTAKES], counts[core.UPDATES]
        self._learn((row, self._columns, self._row_ends, True), relevant, _FIRST)
        return self._entry(
            self._labels[counts[core.BEST]],
            float(floats[core.LOSS]),
            float(floats[core.DEPTH]) if counts[core.UPDATES] > updates else 0.0,
            float(counts[core.MISTAKES] > mistakes),
            norm if len(self._W) == 1 else norm * _ROOT_TWO,
            self._target(),
        )

    def snapshot(self) -> Self:
        """Return a copy that predicts with the weights of now, without the ellipsoid's shape."""
        found: Self = copy.copy(self)
        found._W, found._late = self._W.copy(), self._late.copy()
        found._counts = self._counts.copy()
        return found

    def _certified(self, X: Any, y: Any, delta: float) -> RunCertificate:
        return certify_ellipsoid(self, X, y, delta)

    def _certificate(self, losses: list[Float64], norms2: Float64) -> Certificate | None:
        """Return the bound on the mistakes, of the losses of unit vectors in each round."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Float64:
        """Return the score of each class.

        Parameters
        ----------
        X : array_like or CSR matrix [shape=(m, d)]

        Returns
        -------
        np.ndarray [shape=(m,)] for two classes, else [shape=(m, K)]
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        scores = self._linear_scores(X, self._hypothesis())
        return scores.ravel() if len(self._W) == 1 else scores

    @property
    def center_(self) -> Float64:
        """Centre of the ellipsoid, the intercepts last [shape=(1 or K, d or d + 1)]."""
        check_is_fitted(self)
        return self._W

    @property
    def shape_matrix_(self) -> Float64:
        """P [shape=(n, n)], n the number of all weights; its scale may underflow."""
        check_is_fitted(self)
        shape: Float64 = self._shape
        if self._low_rank:
            Q = shape[: self._counts[core.RANK]]
            shape = self._first_scale() * np.eye(self._W.size) - Q.T @ Q
        return shape * float(np.exp(self._floats[core.LOG_KAPPA]))

    def _played(self) -> npt.NDArray[np.int64]:
        return self._counts

    @property
    def cumulative_loss_(self) -> float:
        """Sum over the rounds of ``[target - margin]_+``."""
        return float(self._floats[core.TOTAL])

    def _relevant(self, y: npt.NDArray[Any]) -> BoolArray:
        """Return the relevant labels of each example; one column, y = +1, for two classes."""
        if y.ndim == 2:
            if y.shape[1] != self.classes_.size or len(self._W) == 1:
                raise ParameterError(
                    f"y.shape={y.shape}, must be (m, K)=(m, {self.classes_.size}) with K > 2."
                )
            return np.ascontiguousarray(y != 0)
        if y.dtype.kind != self.classes_.dtype.kind:
            distinct_labels(self.classes_, y)  # or an error, where these cannot be compared
        check_announced(y, self.classes_)
        codes = np.searchsorted(self.classes_, y)
        if len(self._W) == 1:
            positive: BoolArray = np.equal(codes, 1)[:, None]
            return positive
        relevant = np.zeros((len(y), self.classes_.size), dtype=np.bool_)
        relevant[np.arange(len(y)), codes] = True
        return relevant

    def _rows(self, X: Any) -> tuple[Float64, Any, Any, bool]:
        """Add the bias and normalise; return values, columns, row ends, and whether dense."""
        m = X.shape[0]
        dense = isinstance(X, np.ndarray)
        if self._began.fit_intercept:
            X = np.hstack([X, np.ones((m, 1))]) if dense else with_constant(X)
        if dense:
            squares = np.einsum("ij,ij->i", X, X)
        else:
            squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        norms = np.sqrt(squares)
        if not np.isfinite(norms).all():
            raise overflow_error()
        if self._began.normalize == "max":
            # Row by row, so that a stream in chunks is scaled as one in a single piece.
            norms = np.maximum(np.maximum.accumulate(norms), self._largest)
            self._largest = float(norms[-1])
        if self._began.normalize is not None:
            scale = np.divide(self._block_scale, norms, out=np.ones(m), where=norms > 0.0)
            X = X * scale[:, None] if dense else sp.diags_array(scale) @ X
        if dense:
            width = X.shape[1]
            X = np.ascontiguousarray(X)
            return X.ravel(), np.arange(width), np.arange(m + 1) * width, True
        X = sp.csr_array(X)
        return X.data, X.indices.astype(np.intp), X.indptr.astype(np.intp), False

    def _learn(
        self,
        rows: tuple[Float64, Any, Any, bool],
        relevant: BoolArray,
        order: IntArray,
    ) -> None:
        kind, c, b, by_rounds = self._kernel_parameters()
        log, begin = self._new_log(len(order)), 0
        while True:
            begin = core.run(
                *rows, relevant, order, begin, self._W, self._late, self._shape,
                self._low_rank, self._first_scale(), kind, self._target(), c, b, by_rounds,
                self._floats, self._counts, log,
            )  # fmt: skip
            if begin == order.size:
                break
            self._enlarge()
        self._remember(log)

    def _enlarge(self) -> None:
        """Make room for further updates: more vectors, or a matrix where that is no larger."""
        rank, n = self._shape.shape
        if rank >= n:
            self._shape = self._first_scale() * np.eye(n) - self._shape.T @ self._shape
            self._low_rank = False
            return
        self._check_memory(rank + 1, n)
        wanted = min(2 * rank, n, max(int(self._began.max_memory // (8 * n)), rank + 1))
        self._shape = np.concatenate([self._shape, np.zeros((wanted - rank, n))])

    def _check_memory(self, rows: int, n: int) -> None:
        if 8.0 * rows * n > self._began.max_memory:
            kept = f"the vectors of {rows} updates" if self._low_rank else "a dense P"
            raise ParameterError(
                f"{kept} of n={n} weights take {8e-9 * rows * n:.3g} GB, more than max_memory="
                f"{self._began.max_memory:g} bytes; use IELLIP, whose updates fade, "
                "representation='low-rank', fewer features, or raise max_memory."
            )

    def _hypothesis(self) -> Float64:
        """Return the centre or the mean of the centres w_1 .. w_T, one for each round."""
        check_is_fitted(self)
        if not (self._began.average and self._counts[core.ROUNDS]):
            return self._W
        mean: Float64 = self._W - self._late / self._counts[core.ROUNDS]
        return mean

    def _warn(self) -> None:
        """Warn where the data cannot be separated as promised; only CELLIP does."""

    def _check_parameters(self) -> None:
        given = self.get_params(deep=False)
        for name in [name for name in ("gamma", "a", "b", "c", "scale") if name in given]:
            check_number(given[name], name)
        check_gamma(self.gamma)
        if self.normalize is not None:
            check_choice(self.normalize, "normalize", ("unit", "max"))
        check_choice(self.representation, "representation", ("auto", "dense", "low-rank"))
        check_number(self.max_memory, "max_memory")
        if not self.max_memory > 0.0:
            raise ParameterError(f"max_memory={self.max_memory}, must be a positive number.")
        check_whole(self.epochs, "epochs")

    def _is_low_rank_smaller(self, n: int) -> bool:
        """Whether P of n weights is kept as vectors by default."""
        raise NotImplementedError

    def _first_scale(self) -> float:
        raise NotImplementedError

    def _target(self) -> float:
        raise NotImplementedError

    def _kernel_parameters(self) -> tuple[int, float, float, bool]:
        raise NotImplementedError
