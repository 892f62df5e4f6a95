"""What a flat learner knows of its own run: counts, losses, dual objective, bounds."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from align.errors import ParameterError
from align.learners.flat._competitors import MISTAKE_BOUNDS, SQUARED_BOUNDS
from align.learners.flat._runs import Run
from align.learners.flat.run_certificate import as_mistakes, certify_plan, competitor_loss
from align.learners.parts import Plan
from align.learners.parts.estimators import CountedRounds
from align.learners.theory import Trace, certify
from align.learners.theory.certified import Certified, RunCertificate


class Facts(Certified, CountedRounds):
    """Read-only facts of a run, for learners that keep a ``_run``."""

    _run: Run
    _current: Plan
    trace_: Trace

    def _played(self) -> npt.NDArray[np.int64]:
        check_is_fitted(self, "n_features_in_")
        return self._run.counts

    @property
    def cumulative_loss_(self) -> float:
        """Sum over the rounds of ``[target - <w, a>]_+``."""
        check_is_fitted(self, "n_features_in_")
        return self._run.loss

    @property
    def dual_objective_(self) -> float:
        """Dual objective after the last round.

        Never more than ``c f(u) + sum of the losses of u``, for any u: how well anything could
        do on these examples. Lost in ``conversion="validation"``, which restarts.
        """
        check_is_fitted(self, "n_features_in_")
        return self._run.dual

    def _certified(self, X: Any, y: Any, delta: float) -> RunCertificate:
        return certify_plan(self, X, y, delta=delta)

    def mistake_bound(self, u: npt.ArrayLike) -> float:
        """Bound the mistakes made so far by the losses of a fixed u.

        Parameters
        ----------
        u : array_like [shape=(rows * (d + 1),)]
            Weights of each class, or of the only score, the intercept last; without the
            intercepts where `fit_intercept` is False.

        Returns
        -------
        float

        Raises
        ------
        ParameterError
            Where the run was not recorded, or no theorem bounds mistakes of this learner.
        """
        if self._current.regression:
            raise ParameterError("a regressor makes no mistakes; use regret_bound.")
        trace = self._trace()
        for bound in MISTAKE_BOUNDS + SQUARED_BOUNDS:
            try:
                return as_mistakes(certify(trace, bound, u), self._current.margin)
            except ParameterError as error:
                if "the bound is about" not in str(error) or "f(u)" in str(error):
                    raise
        raise ParameterError(f"no theorem bounds the mistakes of {self}.")

    def regret_bound(self, u: npt.ArrayLike) -> float:
        """Bound the regret against a fixed u: Lemma 2, or Lemma 1 with a fixed c.

        Parameters
        ----------
        u : array_like
            As in `mistake_bound`.

        Returns
        -------
        float
            At least the sum of the losses so far minus that of u; for a conservative learner,
            of those in mistaken rounds.
        """
        trace = self._trace()
        most = certify(trace, "Lemma 2", u).right
        return most - competitor_loss(trace, self._current, u)

    def _trace(self) -> Trace:
        check_is_fitted(self, "n_features_in_")
        if not hasattr(self, "trace_"):
            raise ParameterError("bounds need the rounds: construct the learner with record=True.")
        return self.trace_
