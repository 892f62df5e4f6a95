"""Learning what realisations cost, from recordings whose phones and words are known.

The transcribers' phones have times but no words, the lattice of the text has words but no times,
and neither says which choice was made where. The choices are *latent*: the best path of the
lattice that agrees with the transcribers is taken for the truth. Frames on which a path agrees
with them get a bonus while it is searched for.

1. *Start.* Log-probabilities: a log-linear model of the choices on the paths taken for true, by
   maximum likelihood with a Gaussian prior.
2. *Passive-aggressive steps* (PA-I, maximal loss). The truth must score more than any path, by a
   margin that grows with the frames on which the other agrees less. Where it does not, the weights
   of the names on the truth and on the path that violates this most move by the exact step. The
   average over all rounds is kept.

Acoustic scores are those of features that did not see the recording, as everywhere in training.

References
----------
Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", JMLR 7,
2006. Yu and Joachims, "Learning structural SVMs with latent variables", ICML 2009.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from align.decoders import LatticePath
from align.learners.parts import step_limits
from align.learners.parts.steps import exact_alpha, hinge
from align.progress import Progress, counted
from align.sequence.lattice.on_lattice import LatticeScores
from align.speech.text.lattice import WordLattice
from align.terms import SegmentTerm
from align.types import BoolArray, Float64, IntArray

_Floats = Float64

BONUS = 2.0  # a frame of agreement, while the truth is searched for
COST = 0.1  # of a frame on which a path does not agree with the transcribers
PRIOR = 2.0  # of the log-linear start: half of a squared weight times this
EPOCHS = 4
C = 0.05
LEAST = 0.5  # share of frames that the truth must agree on, else text and phones do not belong
SMALL = 5e-3  # weights below are left out


class Spoken(NamedTuple):
    """The lattice of one recording's text, with scores, beside the transcribers' phones.

    Attributes
    ----------
    scores : LatticeScores
        With what the choices cost left out.
    agrees : np.ndarray [shape=(N, T), dtype=bool]
        Whether each node is what the transcribers have in each frame.
    taken : tuple of np.ndarray [shape=(M,)]
        Pairs of an arc and a choice that it stands for; choices are numbered through.
    names : sequence of tuple of str
        Names of each choice.
    first : np.ndarray [shape=(D + 1,)]
        First choice of each decision, and their number.
    """

    scores: LatticeScores
    agrees: BoolArray
    taken: tuple[IntArray, IntArray]
    names: Sequence[tuple[str, ...]]
    first: IntArray


def spoken(
    scores: LatticeScores, built: WordLattice, origin: IntArray, agrees: BoolArray
) -> Spoken:
    """Return a recording to learn from.

    `origin` [shape=(N,)] is the node of `built` that each node of the scored lattice is.
    """
    first = np.cumsum([0, *(len(choices) for choices in built.decisions)])
    arcs, choices = [], []
    for a, (u, v) in enumerate(scores.lattice.arcs.tolist()):
        for one in built.taken.get((int(origin[u]), int(origin[v])), ()):
            arcs.append(a)
            choices.append(int(first[one.decision]) + one.choice)
    return Spoken(
        scores,
        agrees,
        (np.array(arcs, dtype=np.intp), np.array(choices, dtype=np.intp)),
        [names for decision in built.decisions for names in decision],
        first.astype(np.intp),
    )


def agreement(
    symbols: Sequence[str], labels: Sequence[str], onsets: IntArray, n_frames: int
) -> BoolArray:
    """Return whether each node is what the transcribers have in each frame [shape=(N, T)].

    `symbols` of the nodes; the transcribers' `labels`, and their `onsets` in frames [shape=(K,)].

    Examples
    --------
    >>> agreement(["a", "b"], ["b", "a"], np.array([0, 2]), 3).astype(int).tolist()
    [[0, 0, 1], [1, 1, 0]]
    """
    number = {symbol: i for i, symbol in enumerate(dict.fromkeys([*symbols, *labels]))}
    at = np.clip(np.searchsorted(onsets, np.arange(n_frames), side="right") - 1, 0, None)
    frames = np.array([number[symbol] for symbol in labels])[at]
    nodes = np.array([number[symbol] for symbol in symbols])
    return np.asarray(nodes[:, None] == frames)


def learn_costs(
    recordings: Sequence[Spoken],
    *,
    temperature: float = 1.0,
    C: float = C,
    epochs: int = EPOCHS,
    random_state: int = 0,
    progress: Progress | None = None,
) -> dict[str, float]:
    """Return the weight of each name, from recordings with text and phones.

    Recordings on which the truth agrees with the transcribers in too few frames are left out.
    `temperature` is that of the model's posterior, which makes log-probabilities scores; `C` is
    the aggressiveness of the passive-aggressive steps, `epochs` are passes over the recordings, of
    which 0 leave the log-probabilities, and `random_state` is the seed of their order. Weights are
    sorted by name, and small ones left out; there are none where there is nothing to learn from.
    """
    names = sorted({name for r in recordings for choice in r.names for name in choice})
    number = {name: i for i, name in enumerate(names)}
    learners = [_Learner.of(recording, number) for recording in recordings]
    free = np.zeros(len(names))
    true = [learner.truth(free) for learner in learners]
    usable = [i for i, path in enumerate(true) if learners[i].share(path) >= LEAST]
    if not (usable and names):
        return {}
    rows = [row for i in usable for row in learners[i].decided(true[i])]
    w = temperature * _log_probabilities(rows, len(names))
    total, rng, n = np.zeros(len(names)), np.random.default_rng(random_state), 0
    limits = step_limits("pa1", C)
    for _ in counted(range(epochs), progress, "learning how words are said"):
        for i in rng.permutation(usable):
            w = learners[i].stepped(w, limits)
            total += w
            n += 1
    kept = total / n if n else w
    return {
        name: round(float(x), 4) for name, x in zip(names, kept, strict=True) if abs(x) > SMALL
    }


def found_and_true(
    recording: Spoken, costs: Mapping[str, float]
) -> tuple[LatticePath, LatticePath] | None:
    """Return the best path with what choices cost, and the one that is taken for the truth.

    None where that agrees with the transcribers in too few frames.
    """
    names = sorted({name for choice in recording.names for name in choice})
    w = np.array([costs.get(name, 0.0) for name in names])
    learner = _Learner.of(recording, {name: i for i, name in enumerate(names)})
    true = learner.truth(w)
    return None if learner.share(true) < LEAST else (learner.decode(w, 0.0), true)


@dataclass(frozen=True, eq=False)
class _Learner:
    """A recording, with its names by their numbers."""

    recording: Spoken
    name: IntArray  # pairs of a name ...
    choice: IntArray  # ... and the choice that has it

    @classmethod
    def of(cls, recording: Spoken, number: Mapping[str, int]) -> "_Learner":
        pairs = [(number[name], c) for c, own in enumerate(recording.names) for name in own]
        name, choice = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return cls(recording, name, choice)

    def decode(self, w: _Floats, bonus: float) -> LatticePath:
        """Return the best path where each frame of agreement gets a bonus."""
        scores, (arcs, taken) = self.recording.scores, self.recording.taken
        cost = np.bincount(self.choice, w[self.name], len(self.recording.names))
        lattice = scores.lattice
        added = np.bincount(arcs, cost[taken], lattice.n_arcs)
        lattice = replace(lattice, arc_score=lattice.arc_score + added)
        return replace(scores, lattice=lattice, segment=self._segment(bonus)).decode()

    def _segment(self, bonus: float) -> SegmentTerm:
        segment, kinds = self.recording.scores.segment, self.recording.scores.lattice.event
        assert segment is not None  # else it would not be here
        prefix = segment.prefix[segment.rows].astype(np.float64)
        # Nodes of one kind have one label, so they agree on the same frames.
        kind, node = np.unique(kinds, return_index=True)
        prefix[kind, 1:] += bonus * np.cumsum(self.recording.agrees[node], axis=1)
        return SegmentTerm(prefix, np.arange(len(prefix), dtype=np.intp))

    def truth(self, w: _Floats) -> LatticePath:
        """Return the path that is taken for the truth."""
        return self.decode(w, BONUS)

    def frames(self, path: LatticePath) -> IntArray:
        """Return the node of each frame [shape=(T,)]."""
        lengths = np.diff(path.onsets, append=self.recording.agrees.shape[1])
        return np.repeat(path.nodes, lengths)

    def share(self, path: LatticePath) -> float:
        """Return on how many of the frames a path agrees with the transcribers."""
        n = self.recording.agrees.shape[1] - int(path.onsets[0])
        return float(self.agreed(path) / max(1, n))

    def agreed(self, path: LatticePath) -> int:
        """Return on how many frames a path agrees with the transcribers."""
        nodes = self.frames(path)
        at = np.arange(self.recording.agrees.shape[1] - len(nodes), self.recording.agrees.shape[1])
        return int(self.recording.agrees[nodes, at].sum())

    def plain(self, path: LatticePath, bonus: float) -> float:
        """Return the score of a path without the bonus it was found with."""
        return path.score - bonus * self.agreed(path)

    def _choices(self, path: LatticePath) -> IntArray:
        """Return the choices on a path, by their numbers."""
        lattice, (arcs, taken) = self.recording.scores.lattice, self.recording.taken
        on = np.zeros(lattice.n_nodes, dtype=np.intp) - 1
        on[path.nodes] = np.arange(len(path.nodes))
        before, after = on[lattice.arcs[:, 0]], on[lattice.arcs[:, 1]]
        followed = (before >= 0) & (after == before + 1)
        chosen: IntArray = taken[followed[arcs]]
        return chosen

    def counts(self, path: LatticePath, n_names: int) -> _Floats:
        """Return how often each name is on a path."""
        on = np.bincount(self._choices(path), minlength=len(self.recording.names))
        weights = on[self.choice].astype(np.float64)
        return np.bincount(self.name, weights, n_names).astype(np.float64)

    def decided(self, path: LatticePath) -> list[tuple[list[IntArray], int]]:
        """Return each decision on a path: the names of all its choices, and which was taken."""
        rows = []
        first = self.recording.first
        for choice in self._choices(path).tolist():
            d = int(np.searchsorted(first, choice, side="right")) - 1
            options = [self.name[self.choice == c] for c in range(first[d], first[d + 1])]
            rows.append((options, choice - int(first[d])))
        return rows

    def stepped(self, w: _Floats, limits: tuple[float, float]) -> _Floats:
        """Return the weights after a passive-aggressive step on this recording."""
        true, other = self.truth(w), self.decode(w, -COST)
        a = self.counts(true, len(w)) - self.counts(other, len(w))
        squared = float(a @ a)
        if squared == 0.0:
            return w
        cost = COST * (self.agreed(true) - self.agreed(other))
        loss = hinge(cost, self.plain(true, BONUS) - self.plain(other, -COST))
        if loss == 0.0:
            return w
        largest, curvature = limits
        return w + exact_alpha(loss, squared, curvature, largest) * a


def _log_probabilities(rows: Sequence[tuple[Sequence[IntArray], int]], n_names: int) -> _Floats:
    """Return the weights of the log-linear model under which the choices are most probable."""
    from scipy.optimize import minimize  # slow to import, and only training asks

    sizes = np.array([len(options) for options, _ in rows])
    first = np.cumsum(sizes) - sizes
    chosen = first + np.array([taken for _, taken in rows])
    flat = [names for options, _ in rows for names in options]
    name = np.concatenate(flat)
    option = np.repeat(np.arange(len(flat)), [len(names) for names in flat])
    row = np.repeat(np.arange(len(rows)), sizes)

    def objective(w: _Floats) -> tuple[float, _Floats]:
        score = np.bincount(option, w[name], len(flat))
        top = np.maximum.reduceat(score, first)
        odds = np.exp(score - top[row])
        norm = np.add.reduceat(odds, first)
        likelihood = float((score[chosen] - top - np.log(norm)).sum())
        residual = -odds / norm[row]
        residual[chosen] += 1.0
        gradient = np.bincount(name, residual[option], n_names)
        return 0.5 * PRIOR * float(w @ w) - likelihood, PRIOR * w - gradient

    found = minimize(objective, np.zeros(n_names), jac=True, method="L-BFGS-B")
    return np.asarray(found.x, dtype=np.float64)
