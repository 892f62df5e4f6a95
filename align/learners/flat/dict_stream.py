"""Flat learners on streams of dicts, one example at a time, as users of River know them.

An example is a dict: names of features, and their numbers. What is not named is 0. The names are
a state of their own beside that of the learner, so they are kept by a wrapper: any flat learner
can be inside it, and none has to know.

=============  ==================================================================================
vocabulary     columns of the names
=============  ==================================================================================
"growing"      one for each name, as names turn up; memory follows the number of names
"hashed"       `n_features` of them, by the hash and sign of scikit-learn's `FeatureHasher`
=============  ==================================================================================
"""

import copy
from collections.abc import Hashable, Iterable, Mapping, Sized
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._classifier import FlatClassifier
from align.learners.flat._dict_rows import (
    WORK,
    GrowingNames,
    HashedNames,
    RowBuffer,
    play_row,
    score_row,
)
from align.learners.flat._learner import FlatLearner
from align.learners.flat._linear import LinearRun
from align.learners.flat._linear_scores import BLOCK, TILE
from align.learners.flat._plan_arrays import overflow_error
from align.learners.flat._regressor import FlatRegressor
from align.learners.flat._runs import Chunk, no_relevant
from align.learners.parts.labels import one_label
from align.learners.parts.parameters import NO_WEIGHTS, check_choice, check_whole, one_number
from align.learners.parts.saved import Saved
from align.learners.parts.shapes import check_stored
from align.learners.theory import Round
from align.types import Float64

Example = Mapping[Any, Any]  # keys of a Mapping are invariant: of Hashable, no dict[str, float]

_NO_LOG = np.zeros((0, core.LOG_WIDTH))


class DictStream(Saved):
    """A flat classifier or regressor that learns from dicts.

    Parameters
    ----------
    learner : classifier or regressor of `align.learners.flat`
        Any but the ellipsoids and `ThresholdWinnow`. If it has learned already, its columns are
        those of `names`. The learner itself goes on learning, not a copy.
    vocabulary : {"growing", "hashed"}
        How names become columns. "growing" needs weights that begin at 0 (`Euclidean` and its
        ball), ``conversion="last"`` or "average", and ``record=False``.
    n_features : int, default 2**18
        Columns of "hashed".
    names : iterable of hashable, optional
        Names of "growing" that are known from the start, in the order of their columns.

    Attributes
    ----------
    learner : FlatLearner
        With the weights in ``learner.coef_``.
    names_ : list
        The names of the columns of a growing vocabulary.

    Notes
    -----
    With ``conversion="last"`` or "average" and a Euclidean learner a round costs what the entries
    of its dict cost. Other learners touch every weight, and are best used with few columns.

    A growing vocabulary gives the same bits as ``partial_fit`` of one row after the other of the
    CSR matrix of the same columns, zeros left out, as long as a row is less than half full (of
    more than two classes: an eighth), or all names are known from the start. Dense rows are added
    up in another order, which changes the last bits.

    Turning a dict into a row takes most of a round, since it is done in Python. With two classes
    and 10 to 50 entries `learn_one` takes 1.6 to 2.4 times as many examples a second as River's,
    and `predict_one` .7 to .8 times. Nothing in Python could take 20 times as many: looking the
    names up in a dict takes 6 to 11 times as many by itself, and with its values written to where
    compiled code can read them, before anything is learned, 3.2 to 4.3 times. River has one
    learner for each of several classes, here one step moves all: 12 times as many with 5 classes,
    37 with 26, and 28 with 10 classes and 256 entries
    (`tests/benchmarks/test_river.py`).

    A string is a category, as in `FeatureHasher`: ``{"colour": "red"}`` stands for
    ``{"colour=red": 1}``.

    A stream can be the last step of a pipeline of River. Its metrics and `evaluate` ask for a
    class of River's own, which ``river.base.Classifier.register(DictStream)`` makes of this one
    (or ``river.base.Regressor``).

    Examples
    --------
    >>> from align.learners import PassiveAggressiveClassifier
    >>> model = DictStream(PassiveAggressiveClassifier("pa"))
    >>> model.learn_one({"free": 1.0, "offer": 2.0}, "spam")
    >>> model.learn_one({"meeting": 1.0}, "mail")
    >>> model.learn_one({"free": 1.0, "now": 1.0}, "spam")
    >>> model.predict_one({"free": 1.0}), model.predict_one({"meeting": 1.0, "unknown": 3.0})
    ('spam', 'mail')
    >>> model.names_
    ['free', 'offer', 'meeting', 'now']
    """

    def __init__(
        self,
        learner: FlatLearner,
        vocabulary: str = "growing",
        n_features: int = 2**18,
        *,
        names: Iterable[Hashable] = (),
    ) -> None:
        if not isinstance(learner, FlatClassifier | FlatRegressor):
            raise ParameterError(
                f"learner is of type {type(learner).__name__}, must be a flat classifier or "
                "regressor."
            )
        check_choice(vocabulary, "vocabulary", ("growing", "hashed"))
        check_whole(n_features, "n_features")
        if n_features >= 2**31:
            raise ParameterError(f"n_features={n_features}, must be below 2**31.")
        self.learner, self.vocabulary, self.n_features = learner, vocabulary, int(n_features)
        self._classifies = isinstance(learner, FlatClassifier)
        self._fill_names(names)
        width = getattr(learner, "n_features_in_", None)
        if width is not None and width != self._width():
            raise ParameterError(
                f"the learner knows {width} features, must be {self._width()} as in the "
                "vocabulary; give a growing one their names."
            )
        self._row = RowBuffer()
        self._scores = np.zeros(1)
        self._log = np.zeros((1, core.LOG_WIDTH))
        self._seen: Any = None  # weights of which `_state` holds views
        if width is not None:
            self._check_run()

    # The interface of River -------------------------------------------------------------------

    def learn_one(self, x: Example, y: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x : dict of str to float
            The features that are not 0; strings are categories.
        y : hashable or float
            Its class, also a new one; or the number to predict.

        Raises
        ------
        ParameterError
            For values that are not finite numbers; nothing is learned then.
        """
        self._learn(x, y, _NO_LOG)

    def predict_one(self, x: Example) -> Any:
        """Return the class or number of one example; names that are not known count nothing.

        Parameters
        ----------
        x : dict of str to float

        Returns
        -------
        class or float
            None of a classifier, and 0 of a regressor, that has learned nothing.
        """
        if not hasattr(self.learner, "n_features_in_"):
            return None if self._classifies else 0.0
        scores = self._score(x)
        if not self._classifies:
            return float(scores[0])
        classes = self.learner._names
        if len(classes) == 1:
            return classes[0]
        if len(scores) == 1:
            return classes[int(scores[0] >= 0.0)]
        return classes[int(scores.argmax())]

    def learn_many(self, X: Any, y: Iterable[Any]) -> None:
        """Learn from examples in their order, as from one after the other.

        Parameters
        ----------
        X : iterable of dict, or DataFrame
        y : iterable
            As many.

        Raises
        ------
        ParameterError
            As `learn_one`, whose rounds before the example in question stay learned; or where
            there are not as many.
        """
        if isinstance(X, Sized) and isinstance(y, Sized) and len(X) != len(y):
            raise ParameterError(f"X has {len(X)} examples and y {len(y)}, must be as many.")
        for x, label in zip(_dicts(X), y, strict=True):
            self._learn(x, label, _NO_LOG)

    def predict_many(self, X: Any) -> npt.NDArray[Any]:
        """Return the classes or numbers of examples [shape=(m,)].

        Parameters
        ----------
        X : iterable of dict, or DataFrame
        """
        return np.array([self.predict_one(x) for x in _dicts(X)])

    def step(self, x: Example, y: Any) -> Round:
        """Play one round: predict, then learn.

        Parameters
        ----------
        x : dict of str to float
        y : hashable or float

        Returns
        -------
        Round
            Its prediction was made before y was seen.
        """
        self._learn(x, y, self._log)
        row = self._log[0].tolist()
        prediction: Any = row[core.LOG_CODE]
        if self._classifies:
            classes = self.learner._names
            if len(classes) == 1:
                return self.learner._round(classes[0], [0.0] * core.LOG_WIDTH)
            best = int(prediction)
            prediction = classes[(best > 0) if self.learner._run.rows == 1 else best]
        return self.learner._round(prediction, row)

    def entries(self, x: Example) -> tuple[npt.NDArray[np.int64], Float64]:
        """Return the columns and values of an example.

        Parameters
        ----------
        x : dict of str to float
            A name that is new gets a column, as in learning.

        Returns
        -------
        columns : np.ndarray [shape=(n,), dtype=int64]
            In the order of the dict; of a hashed vocabulary, some may be there twice.
        values : np.ndarray [shape=(n,)]
        """
        n = self._row.fill(x, self._names.__getitem__)
        values, places = self._row.entries(n)
        return places.astype(np.int64), values

    @property
    def names_(self) -> list[Hashable]:
        """The names of the columns of a growing vocabulary; those of a hashed one are lost."""
        return list(self._names) if self.vocabulary == "growing" else []

    # A round ----------------------------------------------------------------------------------

    def _learn(self, x: Example, y: Any, log: Float64) -> None:
        learner = self.learner
        n = self._row.fill(x, self._names.__getitem__)
        if self._seen is None:
            self._open(y)
        code = learner._code_of(y) if self._classifies else one_number(y)
        if len(self._names) > learner.n_features_in_:
            self._widen()
        if self._classifies and len(learner._names) == 1:
            learner._idle(1)
            return
        if not self._quick:
            self._learn_slowly(n, code, log)
            return
        if learner._run._W is not self._seen:  # type: ignore[attr-defined]
            self._look()
        learner._cached = learner._chosen = None
        if not play_row(self._row.memory, n, code, *self._state, self._space, log):
            raise overflow_error()

    def _learn_slowly(self, n: int, code: float, log: Float64) -> None:
        """Play a round the way of chunks, which all learners and conversions know."""
        learner = self.learner
        relevant = no_relevant(learner._run.rows)
        chunk = Chunk(self._matrix(n), np.array([code]), relevant, NO_WEIGHTS, np.arange(1))
        learner._play(chunk, log if len(log) else None)

    def _matrix(self, n: int) -> Any:
        signed, places = self._row.entries(n)
        width = self.learner.n_features_in_
        X = sp.csr_array((signed, places, np.array([0, n], dtype=np.int32)), shape=(1, width))
        X.sum_duplicates()
        X.eliminate_zeros()
        return X

    def _score(self, x: Example) -> Float64:
        learner, row = self.learner, self._row
        growing = self.vocabulary == "growing"
        n = row.fill(x, self._names.get if growing else self._names.__getitem__, not growing)
        if len(self._names) > learner.n_features_in_:
            self._widen()
        if self._classifies and len(learner._names) == 1:
            return self._scores[:1]
        if not self._quick:
            score = learner.decision_function if self._classifies else learner.predict
            return np.asarray(score(self._matrix(n)), dtype=np.float64).ravel()
        run: Any = learner._run
        if run._W is not self._seen:
            self._look()
        score_row(row.memory, n, *self._state, self._scores)
        return self._scores

    # Width and views --------------------------------------------------------------------------

    def _fill_names(self, names: Iterable[Hashable]) -> None:
        self._names: GrowingNames | HashedNames
        if self.vocabulary == "hashed":
            self._names = HashedNames(self.n_features)
        else:
            self._names = GrowingNames((name, i) for i, name in enumerate(dict.fromkeys(names)))

    def _width(self) -> int:
        return self.n_features if self.vocabulary == "hashed" else len(self._names)

    def _open(self, y: Any) -> None:
        """Begin a run, of a learner that has none."""
        learner = self.learner
        learner._stream_only()
        width = self._width()
        if self._classifies:
            learner._open(width, one_label(y), labels=False)
        else:
            learner._begin(width)
        learner.n_features_in_ = width
        self._check_run()

    def _check_run(self) -> None:
        """Look at what the learner is made of."""
        learner = self.learner
        began = learner._began
        linear = isinstance(learner._run, LinearRun) and not began.record
        self._quick = linear and began.conversion in ("last", "average")
        if self.vocabulary == "growing" and not self._quick:
            self._seen = None
            del learner.n_features_in_
            raise ParameterError(
                "a growing vocabulary needs weights that begin at 0 (a Euclidean complexity), "
                "conversion='last' or 'average', and record=False; use vocabulary='hashed'."
            )
        if self._quick:
            self._look()
        else:
            self._seen = False

    def _widen(self) -> None:
        """Give each name a weight: there may be new ones, also of an example that was refused."""
        if self.vocabulary == "hashed":
            return
        learner: Any = self.learner
        n_features = len(self._names)
        learner._run.widen(n_features)
        learner.n_features_in_ = n_features
        learner._chunk = learner._cached = None

    def _look(self) -> None:
        """Keep views of the state, which are made anew where the weights have moved."""
        run: Any = self.learner._run
        rows, width = run._W.shape
        self._seen = run._W
        run.flags[core.SCORES], run.flags[core.FEATURES] = rows, run.n_features
        self._state = run._W, run._late, run.rule, run.flags, run.counts, run.sums
        self._space = np.zeros(WORK + width + BLOCK * rows + TILE)
        self._scores = np.zeros(rows)

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_state", "_space", "_row")  # views, which copies would tear apart; work space
        state = {name: value for name, value in vars(self).items() if name not in left_out}
        return state | {"_names": self.names_}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._fill_names(state["_names"])
        self._row = RowBuffer()
        known = getattr(self.learner, "n_features_in_", 0)
        fits = known == self.n_features if self.vocabulary == "hashed" else True
        check_stored(fits or not known, f"{known} features, and columns of others")
        if self._seen is not None and self._quick:
            self._look()

    def __repr__(self) -> str:
        columns = f", n_features={self.n_features}" if self.vocabulary == "hashed" else ""
        return f"DictStream({self.learner!r}, {self.vocabulary!r}{columns})"

    # What pipelines of River ask of a step -----------------------------------------------------

    _supervised = True  # `learn_one` is given y

    @property
    def _multiclass(self) -> bool:
        return self._classifies

    def _get_params(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("learner", "vocabulary", "n_features")}

    def clone(
        self, new_params: Mapping[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """Return a stream with the same parameters that has learned nothing.

        Parameters
        ----------
        new_params : mapping, optional
            Parameters that are to be others.
        include_attributes : bool, default False
            Copy what was learned, too.

        Returns
        -------
        DictStream
        """
        from sklearn.base import clone

        if include_attributes and not new_params:
            return copy.deepcopy(self)
        given = self._get_params() | dict(new_params or {})
        return type(self)(**given | {"learner": clone(given["learner"])})

    def __sklearn_clone__(self) -> Self:
        return self.clone()


def _dicts(X: Any) -> Iterable[Example]:
    """Return the rows of a DataFrame as dicts; anything else is dicts already."""
    if hasattr(X, "iter_rows"):  # of polars
        named: Iterable[Example] = X.iter_rows(named=True)
        return named
    if hasattr(X, "to_dict") and hasattr(X, "columns"):
        rows: Iterable[Example] = X.to_dict("records")
        return rows
    return X  # type: ignore[no-any-return]
