"""A learner that keeps its rounds where it is asked to, and has no dual objective to certify."""

import math
from typing import Any

import numpy as np

from align.learners.theory.rounds import Round
from align.learners.theory.trace import Trace
from align.types import Float64

COST, LOSS, TAU, NORM, TARGET = range(5)  # columns of a log, which kernels fill
_WIDTH = 5
_NO_LOG = np.zeros((0, _WIDTH))


class Recorded:
    """Give a learner `trace_`, where `record` was set when learning began.

    The trace is asked for, not `record`: parameters that change in a stream wait for the next
    `fit`, and files from before there was `record` have no trace.
    """

    record: bool
    trace_: Trace

    def _begin_trace(self, rows: int = 1) -> None:
        if self.record:
            self.trace_ = Trace(rows=rows)
        elif hasattr(self, "trace_"):
            del self.trace_

    def _new_log(self, n_rounds: int) -> Float64:
        """Return room for rounds [shape=(n_rounds, 5)]; none where nothing is kept."""
        return np.zeros((n_rounds, _WIDTH)) if hasattr(self, "trace_") else _NO_LOG

    @staticmethod
    def _entry(
        prediction: Any, loss: float, tau: float, cost: float, norm: float, target: float
    ) -> Round:
        """Return a round; c is 1, and alpha the size of the step."""
        moved = tau != 0.0
        return Round(prediction, loss, tau, moved, cost, abs(tau), 1.0, norm, target, math.nan)

    def _keep(self, entry: Round) -> None:
        """Add a round."""
        if hasattr(self, "trace_"):
            self.trace_.append(entry)

    def _remember(self, log: Float64, *, c: float = 1.0, gains: Float64 | None = None) -> None:
        """Add rounds; `gains` are what the dual objective rose by, in each, where there is one."""
        if not len(log):
            return
        dual: Any = np.full(len(log), np.nan)
        if gains is not None:
            dual = self.trace_.last("dual") + np.cumsum(gains)
        columns = {"cost": COST, "loss": LOSS, "tau": TAU, "norm": NORM, "target": TARGET}
        found = {name: log[:, column] for name, column in columns.items()}
        found |= {"alpha": c * log[:, TAU], "c": np.full(len(log), c), "dual": dual}
        self.trace_.extend(found, ())
