"""Features that remember what they were fitted to; a module, so that worker processes find it."""

from typing import ClassVar

import numpy as np

from align.features.base import Feature
from align.terms import OnsetTerm


class Spy(Feature):
    """Remembers the recordings it was fitted to, and tells in its scores whether it saw one."""

    cross_fit: ClassVar[bool] = True

    def __init__(self, name="spy"):
        self.name = name
        self.fits = 0

    def fit(self, examples):
        self.seen = {example.signal.name for example in examples}
        self.seen_groups = {example.group for example in examples}
        self.fits += 1
        return self

    def terms(self, signal, events):
        table = np.full((1, signal.n_frames), float(signal.name in self.seen))
        self.scored = signal.name
        return {self.name: OnsetTerm(table, np.zeros(len(events), dtype=np.intp))}


class PoolingSpy(Spy):
    pools_folds: ClassVar[bool] = True

    def pool(self, copies):
        self.pooled = [copy.seen for copy in copies]
        self.seen = set().union(*self.pooled)
        return self


class PlainSpy(Spy):
    cross_fit: ClassVar[bool] = False
