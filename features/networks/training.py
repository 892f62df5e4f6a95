"""How a `FrameNetwork` learns: Adam on the cross-entropy of its heads, over short stretches.

What each frame should be is a `Target` for every head. `train_network` cuts stretches out of whole
sequences; `train_on_batches` takes whatever batches a function makes.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import count, cycle
from typing import Any

import numpy as np

from align._blas import one_thread
from align.errors import ParameterError
from align.features.networks.network import FrameNetwork, log_softmax
from align.features.networks.targets import Lesson, Target
from align.types import Float32, Float64

_EDGE = 8  # frames at a cut that do not count: their surroundings are missing
_AT_HAND = 48  # sequences made anew in training that stretches are cut from
_BESIDES = (0.6, 0.3)  # share of what is seen besides, at first and in the end
_UNTIL = 0.75  # share of the updates that are the first


def train_network(
    network: FrameNetwork,
    sequences: Sequence[Lesson],
    *,
    batch: int = 6,
    length: int = 192,
    noise: float = 0.1,
    restandardise: bool = True,
    fresh: Callable[[np.random.Generator], Lesson] | None = None,
    share: float = 0.5,
    besides: Sequence[Lesson] = (),
    steps: int = 1000,
    **options: Any,
) -> FrameNetwork:
    """Train a network in place by Adam on random stretches of the sequences.

    Parameters
    ----------
    network : FrameNetwork
        Trained from the weights it has.
    sequences : sequence of Lesson
        Inputs, and one target a head.
    batch, length : int
        Stretches in an update, and frames of a stretch.
    noise : float
        Standard deviation of the noise added to standardised inputs; twice as much is added to
        each channel of a stretch as a constant, as another microphone would.
    restandardise : bool
        Whether the network's `mean` and `deviation` are set from `sequences`.
    fresh : callable, optional
        Takes a random generator, returns one more sequence. It is called every other update; the
        last few sequences that it made are at hand.
    share : float
        Share of the stretches that are cut from what `fresh` made, in [0, 1].
    besides : sequence of Lesson, optional
        Sequences that are less like what the network is for. Most stretches are cut from them, but
        few in the last quarter of the updates, which are the smallest.
    steps : int
        Updates.
    **options
        Others of `train_on_batches`.

    Returns
    -------
    FrameNetwork
        `network`.
    """
    if not sequences:
        raise ParameterError("sequences=[], must hold at least one.")
    inputs = [x for x, _ in sequences]
    if restandardise:
        n_frames = sum(len(x) for x in inputs)
        mean = sum(x.sum(axis=0, dtype=np.float64) for x in inputs) / n_frames
        power = sum(np.square(x - mean).sum(axis=0, dtype=np.float64) for x in inputs) / n_frames
        network.mean = np.asarray(mean, dtype=np.float32)
        network.deviation = (np.sqrt(power) + 1e-3).astype(np.float32)
    chance, chance_besides = _by_length(sequences), _by_length(besides)
    updates = count()

    made: deque[Lesson] = deque(maxlen=_AT_HAND)
    due = cycle((True, False))  # making a sequence takes as long as half an update

    def draw(rng: np.random.Generator) -> tuple[Float32, list[list[Target]], Float32]:
        chosen = [sequences[i] for i in rng.choice(len(sequences), batch, p=chance)]
        if besides:
            of_besides = _BESIDES[next(updates) >= _UNTIL * steps]
            for i in np.flatnonzero(rng.random(batch) < of_besides):
                chosen[i] = besides[int(rng.choice(len(besides), p=chance_besides))]
        if fresh is not None:
            if next(due):
                made.append(fresh(rng))
            for i in np.flatnonzero(rng.random(batch) < share):
                chosen[i] = made[int(rng.integers(len(made)))]
        x, wanted, counted = _stretches(network, chosen, length, rng)
        if noise > 0.0:
            x += np.float32(noise) * rng.standard_normal(x.shape, dtype=np.float32)
            level = rng.standard_normal((batch, 1, x.shape[2]), dtype=np.float32)
            x += np.float32(2.0 * noise) * level
        return x, wanted, counted

    return train_on_batches(network, draw, steps=steps, **options)


def _by_length(sequences: Sequence[Lesson]) -> Float64:
    """Return the chance of each sequence where each frame has the same."""
    chance = np.array([len(x) for x, _ in sequences], dtype=np.float64)
    return chance / chance.sum() if len(chance) else chance


@one_thread()
def train_on_batches(
    network: FrameNetwork,
    draw: Callable[[np.random.Generator], tuple[Float32, Sequence[Sequence[Target]], Float32]],
    *,
    head_weights: Sequence[float] | None = None,
    tables: Sequence[Float32 | None] | None = None,
    steps: int = 1000,
    learning_rate: float = 2e-3,
    decay: float = 1e-4,
    dropout: float = 0.15,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> FrameNetwork:
    """Train a network in place by Adam on batches that a function makes, and return it.

    Parameters
    ----------
    network : FrameNetwork
        Trained from the weights it has; its `mean` and `deviation` stay.
    draw : callable
        Takes a random generator, which also serves the dropout; returns standardised inputs
        [shape=(B, L, n_inputs), dtype=float32], for each of the B sequences one target a head, and
        how much each frame counts [shape=(B, L)].
    head_weights : sequence of float, optional
        Weight of the cross-entropy of each head; by default 1.
    tables : sequence of np.ndarray [shape=(S, size)] or None, optional
        For a head whose classes are described by vectors of `size` numbers: the vector of each
        class. The logit of a class is the inner product of its vector with the head's outputs.
    steps : int
        Updates.
    learning_rate : float
        Peak learning rate; it rises over 60 steps and falls as a cosine.
    decay : float
        Weight decay, applied apart from the gradient.
    dropout : float
        Share of hidden numbers silenced, in [0, 1).
    random_state : int
        Of the batches and the dropout.
    progress : callable, optional
        Called with the steps done and their number.
    """
    weights = [1.0] * len(network.heads) if head_weights is None else list(head_weights)
    vectors = [None] * len(network.heads) if tables is None else list(tables)
    for size, table in zip(network.heads, vectors, strict=True):
        if table is not None and (table.ndim != 2 or table.shape[1] != size):
            raise ParameterError(f"table.shape={table.shape}, must be (n_classes, {size}).")
    rng = np.random.default_rng(random_state)
    adam = _Adam(network.weights, learning_rate, decay, steps)
    for step in range(steps):
        x, wanted, counted = draw(rng)
        out, kept = network.forward(x, rng, dropout)
        slope = _cross_entropy_slope(out, wanted, counted, network.heads, weights, vectors)
        adam.update(network.weights, network.backward(slope, kept), step)
        if progress is not None:
            progress(step + 1, steps)
    if not all(np.isfinite(w).all() for w in network.weights):
        raise ParameterError(f"training diverged; lower learning_rate={learning_rate}.")
    return network


def _stretches(
    network: FrameNetwork,
    sequences: Sequence[Lesson],
    length: int,
    rng: np.random.Generator,
) -> tuple[Float32, list[list[Target]], Float32]:
    """Cut one stretch out of each sequence; frames whose context was cut off do not count."""
    x = np.zeros((len(sequences), length, network.n_inputs), dtype=np.float32)
    counted = np.zeros(x.shape[:2], dtype=np.float32)
    wanted: list[list[Target]] = []
    for i, (frames, target) in enumerate(sequences):
        n = len(frames)
        begin = int(rng.integers(-2 * _EDGE, max(1, n - length + 2 * _EDGE)))
        first, last = max(begin, 0), min(begin + length, n)
        place = slice(first - begin, last - begin)
        x[i, place] = network.standardise(frames[first:last])
        counted[i, place] = 1.0
        if begin > 0:
            counted[i, :_EDGE] = 0.0
        if begin + length < n:
            counted[i, length - _EDGE :] = 0.0
        around = place.start, length - place.stop
        wanted.append([head.of(slice(first, last)).padded(*around) for head in target])
    return x, wanted, counted


def _cross_entropy_slope(
    out: Float32,
    wanted: Sequence[Sequence[Target]],
    counted: Float32,
    heads: tuple[int, ...],
    weights: Sequence[float],
    tables: Sequence[Float32 | None],
) -> Float32:
    """Gradient of the mean weighted cross-entropy with respect to the raw outputs."""
    slope = np.empty_like(out)
    share = counted / max(float(counted.sum()), 1.0)
    first = 0
    for h, (size, weight, table) in enumerate(zip(heads, weights, tables, strict=True)):
        part = out[..., first : first + size]
        strength = np.stack([row[h].strength for row in wanted])
        if table is None and size == 1:
            # Clipped: the logistic function is flat there in any case.
            error = 1.0 / (1.0 + np.exp(-np.clip(part, -30.0, 30.0))) - strength[..., None]
        else:
            error = np.exp(log_softmax(part if table is None else part @ table.T))
            labels = np.stack([np.asarray(row[h].label) for row in wanted])[..., None]
            error[..., -1] -= 1.0 - strength
            at = np.take_along_axis(error, labels, axis=-1)
            np.put_along_axis(error, labels, at - strength[..., None], axis=-1)
            if table is not None:
                error = error @ table
        slope[..., first : first + size] = error * (np.float32(weight) * share)[..., None]
        first += size
    return slope


class _Adam:
    """Adam with decoupled weight decay, a warm-up of 60 steps and a cosine fall."""

    def __init__(self, weights: Sequence[Float32], rate: float, decay: float, steps: int) -> None:
        self.first = [np.zeros_like(w) for w in weights]
        self.second = [np.zeros_like(w) for w in weights]
        self.rate, self.decay, self.steps = rate, decay, steps

    def update(self, weights: list[Float32], gradients: list[Float32], step: int) -> None:
        """Move the weights in place."""
        n = step + 1
        rate = self.rate * min(1.0, n / 60.0) * (0.5 + 0.5 * np.cos(np.pi * n / self.steps) + 0.01)
        even1, even2 = 1.0 - 0.9**n, 1.0 - 0.98**n
        for w, g, m, v in zip(weights, gradients, self.first, self.second, strict=True):
            m *= np.float32(0.9)
            m += np.float32(0.1) * g
            v *= np.float32(0.98)
            v += np.float32(0.02) * g * g
            move = m / np.float32(even1) / (np.sqrt(v / np.float32(even2)) + np.float32(1e-8))
            move += np.float32(self.decay) * w
            w -= np.float32(rate) * move
