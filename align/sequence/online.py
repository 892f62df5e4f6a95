"""Learning from one corrected recording at a time: predict, see the truth, update.

`adapt` learns from a folder of corrected recordings at once. Here they come one by one, and each
changes the model within a second or two:

* the weights w take one passive-aggressive step, the least move that lowers the hinge loss, of at
  most C::

      w <- w + min(C, loss / ||d||^2) d,
      d = phi(x, y) - phi(x, y'),  loss = cost(y, y') - <w, d>

  with base functions of features that have not seen the recording;
* onsets lean to where they are between sounds of the same two classes
  (`align.sequence.times.leaning`), and move by the last errors that are left there
  (`align.sequence.times.habits`), of music by a median error of all; each error is of the model
  that had not seen the recording;
* networks then continue their training for a few steps, on this recording and some of those
  before, so that they do not forget; durations become a mixture of those of the beginning and of
  all recordings so far.

How much of this helps differs: a labeller who draws lines elsewhere is learned by moving onsets
alone, a new kind of speech by networks. So there are three aligners (`EXPERTS`), each with habits
of its own, and who sees what each finds in recordings to come may choose. An average of the
weights of networks before and after training often does better than either.

An aligner may have others beside it for other surroundings, such as rooms. Then a recording is
learned from by the one that aligns what sounds like it.

References
----------
Crammer et al., "Online passive-aggressive algorithms", JMLR 7, 2006. Shalev-Shwartz, "Online
Learning: Theory, Algorithms, and Applications", 2007, chapter 9. Wortsman et al., "Robust
fine-tuning of zero-shot models", CVPR 2022, on averages of weights.
"""

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from align._blas import one_thread
from align.errors import AlignError, ParameterError
from align.sequence.adapt import passive_aggressive
from align.sequence.base import Aligner
from align.sequence.learning.problem import Case
from align.types import Example

EXPERTS = ("half", "habits", "networks")
"""Aligners that learn side by side: all of `networks`, nothing but `habits`, and in between."""

_REPLAYED = 11  # recordings of before that networks see again beside the new one
_DEEPER = 3  # times as many steps, where all is learned from again
_KEPT = 200  # recordings that are kept in memory to be seen again


class OnlineLearner:
    """Aligners that learn from one recording after another.

    Parameters
    ----------
    aligner : Aligner
        Fitted or loaded; it is not changed.
    steps : int
        Updates of each network for each recording.
    learning_rate : float
        Peak learning rate of the networks.
    C : float
        Longest step of the structured weights.
    random_state : int
        Seed of what is random; with the same recordings in the same order, the result is the same.

    Attributes
    ----------
    experts : dict of str to Aligner
        The aligners as they are now, by the names in `EXPERTS`; each update makes new ones.
    """

    def __init__(
        self,
        aligner: Aligner,
        *,
        steps: int = 20,
        learning_rate: float = 3e-3,
        C: float = 5e-4,
        random_state: int = 0,
    ) -> None:
        if steps < 1 or not (learning_rate > 0 and C >= 0):
            raise ParameterError(
                f"steps={steps}, learning_rate={learning_rate}, C={C}, must be positive."
            )
        aligner.check_fitted()
        self.steps, self.learning_rate, self.C = steps, learning_rate, C
        self.random_state = random_state
        self.experts: dict[str, Aligner] = dict.fromkeys(EXPERTS, aligner)
        self._first = aligner
        self._items: dict[str, list[Any]] = {}
        self._done = 0
        self._elsewhere = {
            kind: OnlineLearner(
                other, steps=steps, learning_rate=learning_rate, C=C, random_state=random_state
            )
            for kind, other in aligner.elsewhere_.items()
        }

    def go_on(
        self, experts: Mapping[str, Aligner], learned: Sequence[tuple[str, Example]]
    ) -> None:
        """Go on from aligners that have learned from recordings, in their order.

        Those that are not known here yet are read again, as after an interruption.
        """
        self.experts, self._done = dict(experts), len(learned)
        learners = self._by_kind()
        before = {name: parts for one in learners.values() for name, parts in one._items.items()}
        for kind, one in learners.items():
            one._items = {}
            if kind:
                one.experts = {name: own.elsewhere_[kind] for name, own in experts.items()}
        for name, example in learned[-_KEPT:]:
            with suppress(AlignError):  # one that could not be learned from before
                parts = before[name] if name in before else self._read(example, name)
                learners[self._kind_of(parts)]._items[name] = parts

    def _by_kind(self) -> dict[str, "OnlineLearner"]:
        """Return this one and those for other surroundings, by the names of these."""
        return {"": self, **self._elsewhere}

    def _kind_of(self, items: Sequence[Any]) -> str:
        """Return whose part the parts of a recording are, by what it sounds like."""
        first: Any = self._first
        suited = first._suited(items[0].signal) if self._elsewhere else first
        kinds = first.elsewhere_.items()
        return next((str(kind) for kind, other in kinds if other is suited), "")

    def _beside(self, kind: str, learned: Mapping[str, Aligner]) -> dict[str, Aligner]:
        """Take what was learned elsewhere, and return the aligners with it."""
        new = {name: copy.copy(one) for name, one in self.experts.items()}
        for name, one in new.items():
            one.elsewhere_ = {**one.elsewhere_, kind: learned[name]}
        self.experts = new
        return new

    def _read(self, example: Example, name: str) -> list[Any]:
        """Return the parts of a recording that are learned from."""
        first = self._first
        return first._parts(first._read_example(first._completed(example), name))

    @one_thread()
    def update(self, example: Example, name: str) -> dict[str, Aligner]:
        """Learn from a recording whose onsets are known, and return the new aligners.

        Parameters
        ----------
        example : Example
            With `onsets`.
        name : str
            What the recording is called; it replaces another of the same name.

        Returns
        -------
        dict of str to Aligner
            Also in `experts`.

        Raises
        ------
        DataError
            Where the recording cannot be learned from; nothing is changed.
        """
        items = self._read(example, name)
        kind = self._kind_of(items)
        if kind:
            other = self._elsewhere[kind]
            other._done = self._done
            learned = other.update(example, name)
            self._done += 1
            return self._beside(kind, learned)
        copies = self._copies(items)
        new = copies["networks"]
        for expert, one in copies.items():
            features = self.experts[expert].features_  # that have not seen it
            for item in items:
                case = Case(item, features, *one._problem(item, features))
                if one is new:
                    problem = new._structured(new._make_cost())
                    new.coef_ = passive_aggressive(problem, new.coef_, case.x, case.y, self.C)
                one._learn_placement(case)
        self._items.pop(name, None)
        others = self._kept_items()
        some = np.sort(self._random().permutation(len(others))[:_REPLAYED])
        self._items[name] = items
        for old in list(self._items)[:-_KEPT]:
            del self._items[old]
        seen = [*items, *(others[i] for i in some)]
        new.features_ = self._moved(seen, self.steps)
        for item in seen:  # or every version of the networks would stay in memory
            item.signal.forget()
        self._done += 1
        return self._taken(copies)

    @one_thread()
    def deepen(self) -> dict[str, Aligner]:
        """Learn once more from all recordings so far, with more steps; return the new aligners."""
        for kind, other in self._elsewhere.items():
            if other._items:
                other._done = self._done
                self._beside(kind, other.deepen())
        items = self._kept_items()
        if not items:
            return self.experts
        copies = self._copies(items)
        copies["networks"].features_ = self._moved(items, _DEEPER * self.steps)
        return self._taken(copies)

    def _kept_items(self) -> list[Any]:
        """Return the parts of all recordings that are kept."""
        return [item for parts in self._items.values() for item in parts]

    def _copies(self, items: Sequence[Any]) -> dict[str, Aligner]:
        copies = {kind: copy.deepcopy(self.experts[kind]) for kind in EXPERTS}
        for new in copies.values():
            new.learner_ = None
            new._prepare(items, anew=False)
        return copies

    def _taken(self, copies: dict[str, Aligner]) -> dict[str, Aligner]:
        """Bring one expert halfway from the beginning to another, and take all of them."""
        half, far, first = copies["half"], copies["networks"], self._first
        pairs = zip(far.features_, first.features_, strict=True)
        half.features_ = [f.halfway(before) if f.cross_fit else f for f, before in pairs]
        half.coef_ = 0.5 * (far.coef_ + first.coef_)
        self.experts = copies
        return copies

    def _random(self) -> np.random.Generator:
        return np.random.default_rng([self.random_state, self._done])

    def _moved(self, items: Sequence[Any], steps: int) -> list[Any]:
        """Return features that have learned more; those without networks from the beginning."""
        moved = []
        features = self.experts["networks"].features_
        for first, feature in zip(self._first.features_, features, strict=True):
            on = feature.cross_fit  # a network goes on; statistics would count twice what they saw
            new = copy.deepcopy(feature if on else first)
            seen = items if on else self._kept_items()
            moved.append(new.adapt(seen, steps=steps, learning_rate=self.learning_rate))
        return moved
