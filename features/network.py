"""A small convolutional network over frames, in numpy: trained in seconds, saved as arrays.

The network reads a sequence of frames and answers, for each, with several *heads*: groups of
numbers that become class probabilities (softmax) or one probability (sigmoid). It is a stack of
one-dimensional convolutions with residual connections and growing dilation, which see far to both
sides at little cost::

    h = relu(conv(x))
    h = h + relu(conv_dilated(dropout(h)))     for each dilation
    o = h W + b

Sequences are arrays [shape=(B, L, C)]: batch, frames, channels. A convolution is one matrix
product over frames laid side by side, so that all the time goes to BLAS. Frames beyond either end
of a sequence are zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import ModelError, ParameterError

__all__ = [
    "FrameNetwork",
    "Target",
    "log_sigmoid",
    "log_softmax",
    "train_network",
    "train_on_batches",
]

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Target:
    """What one head should say of each frame of a sequence.

    For a head of one number, `strength` [shape=(T,), dtype=float32] is the probability, and there
    is no label. For a softmax, it is how much of the probability goes to `label` [shape=(T,)], the
    class of each frame; the rest goes to the head's last class.
    """

    strength: Float32
    label: npt.NDArray[np.intp] | None = None


class FrameNetwork:
    """Convolutional network over frames.

    Parameters
    ----------
    n_inputs : int
        Channels of the input.
    heads : sequence of int
        Size of each group of outputs.
    width : int
        Channels of every hidden layer.
    dilations : sequence of int
        One residual layer for each, with three taps so many frames apart.
    first : int
        Taps of the first layer; odd.
    random_state : int
        Of the initial weights.

    Attributes
    ----------
    weights : list of np.ndarray [dtype=float32]
        Matrix and bias of each layer in turn.
    mean, deviation : np.ndarray [shape=(n_inputs,)]
        Inputs are standardised with these.

    Examples
    --------
    >>> network = FrameNetwork(8, heads=(4, 1), width=16)
    >>> [head.shape for head in network.outputs(np.zeros((50, 8), dtype=np.float32))]
    [(50, 4), (50, 1)]
    """

    def __init__(
        self,
        n_inputs: int,
        heads: Sequence[int],
        *,
        width: int = 64,
        dilations: Sequence[int] = (1, 2, 4, 8, 1, 2, 4),
        first: int = 5,
        random_state: int = 0,
    ) -> None:
        if n_inputs < 1 or width < 1 or not heads or min(heads) < 1:
            raise ParameterError("n_inputs, width and the size of every head must be positive.")
        if first % 2 == 0 or first < 1 or any(d < 1 for d in dilations):
            raise ParameterError(f"first={first} must be odd, and dilations={dilations} positive.")
        self.n_inputs, self.width, self.first = int(n_inputs), int(width), int(first)
        self.heads = tuple(int(size) for size in heads)
        self.dilations = tuple(int(d) for d in dilations)
        rng = np.random.default_rng(random_state)
        self.weights: list[Float32] = []
        for (rows, columns), gain in zip(self._shapes(), self._gains(), strict=True):
            scale = gain * np.sqrt(2.0 / rows)
            self.weights.append((rng.standard_normal((rows, columns)) * scale).astype(np.float32))
            self.weights.append(np.zeros(columns, dtype=np.float32))
        self.mean = np.zeros(self.n_inputs, dtype=np.float32)
        self.deviation = np.ones(self.n_inputs, dtype=np.float32)

    def _shapes(self) -> list[tuple[int, int]]:
        hidden = [(3 * self.width, self.width)] * len(self.dilations)
        return [(self.first * self.n_inputs, self.width), *hidden, (self.width, sum(self.heads))]

    def _gains(self) -> list[float]:
        return [1.0, *[0.5] * len(self.dilations), 0.3]  # residual layers start near identity

    def outputs(self, x: Float32) -> list[Float32]:
        """Return the raw outputs for one sequence [shape=(T, n_inputs), dtype=float32].

        One array [shape=(T, size), dtype=float32] a head: before softmax or logistic function.
        """
        if x.ndim != 2 or x.shape[1] != self.n_inputs:
            raise ParameterError(f"x.shape={x.shape}, must be (T, {self.n_inputs}).")
        return np.split(self.raw_outputs(x[None])[0], np.cumsum(self.heads)[:-1], axis=1)

    @one_thread()
    def raw_outputs(self, x: Float32) -> Float32:
        """Return the raw outputs for several sequences of one length, all heads side by side.

        Of [shape=(B, L, n_inputs), dtype=float32], [shape=(B, L, sum of heads), dtype=float32]:
        before softmax or logistic function.
        """
        if x.ndim != 3 or x.shape[2] != self.n_inputs:
            raise ParameterError(f"x.shape={x.shape}, must be (B, L, {self.n_inputs}).")
        h = self.standardise(x)
        h = np.maximum(self._convolve(h, 0, self.first, 1), 0.0)
        for layer, dilation in enumerate(self.dilations, start=1):
            h = h + np.maximum(self._convolve(h, layer, 3, dilation), 0.0)
        out: Float32 = h @ self.weights[-2] + self.weights[-1]
        return out

    @property
    def reach(self) -> int:
        """Frames to either side of a frame that its outputs depend on."""
        return self.first // 2 + sum(self.dilations)

    def standardise(self, x: Float32) -> Float32:
        """Return inputs with the training set's mean and deviation taken out."""
        standard: Float32 = ((x - self.mean) / self.deviation).astype(np.float32, copy=False)
        return standard

    def _convolve(self, x: Float32, layer: int, taps: int, dilation: int) -> Float32:
        batch, length, _ = x.shape
        z = _side_by_side(x, taps, dilation) @ self.weights[2 * layer]
        z += self.weights[2 * layer + 1]
        out: Float32 = z.reshape(batch, length, -1)
        return out

    # Training --------------------------------------------------------------------------------

    def forward(
        self, x: Float32, rng: np.random.Generator, dropout: float
    ) -> tuple[Float32, list[Any]]:
        """Return raw outputs [shape=(B, L, sum of heads)] and what `backward` needs."""
        batch, length, _ = x.shape
        columns = _side_by_side(x, self.first, 1)
        h = np.maximum(columns @ self.weights[0] + self.weights[1], 0.0)
        kept: list[Any] = [(columns, h > 0.0)]
        for layer, dilation in enumerate(self.dilations, start=1):
            inner, mask = h.reshape(batch, length, -1), None
            if dropout > 0.0:
                mask = (rng.random(inner.shape, dtype=np.float32) >= dropout).astype(np.float32)
                mask /= np.float32(1.0 - dropout)
                inner = inner * mask
            columns = _side_by_side(inner, 3, dilation)
            z = columns @ self.weights[2 * layer]
            z += self.weights[2 * layer + 1]
            on = z > 0.0
            z *= on
            h = h + z
            kept.append((columns, on, mask))
        kept.append(h)
        out = h @ self.weights[-2]
        out += self.weights[-1]
        return out.reshape(batch, length, -1), kept

    def backward(self, slope: Float32, kept: list[Any]) -> list[Float32]:
        """Return the gradient of each weight, given that of the outputs."""
        batch, length, _ = slope.shape
        slope = slope.reshape(batch * length, -1)
        gradients: list[Float32] = [np.empty(0, dtype=np.float32)] * len(self.weights)
        gradients[-2], gradients[-1] = kept[-1].T @ slope, slope.sum(axis=0)
        dh = slope @ self.weights[-2].T
        for layer in range(len(self.dilations), 0, -1):
            columns, on, mask = kept[layer]
            dz = dh * on
            gradients[2 * layer], gradients[2 * layer + 1] = columns.T @ dz, dz.sum(axis=0)
            taps = (dz @ self.weights[2 * layer].T).reshape(batch, length, 3, self.width)
            d = self.dilations[layer - 1]
            inner = taps[:, :, 1].copy()
            if d < length:
                inner[:, : length - d] += taps[:, d:, 0]
                inner[:, d:] += taps[:, : length - d, 2]
            if mask is not None:
                inner *= mask
            dh = dh + inner.reshape(batch * length, -1)
        columns, on = kept[0]
        dz = dh * on
        gradients[0], gradients[1] = columns.T @ dz, dz.sum(axis=0)
        return gradients

    # State -----------------------------------------------------------------------------------

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the shape of the network, for JSON, and its arrays."""
        params = {
            "n_inputs": self.n_inputs,
            "heads": list(self.heads),
            "width": self.width,
            "dilations": list(self.dilations),
            "first": self.first,
        }
        arrays: dict[str, npt.NDArray[Any]] = {"mean": self.mean, "deviation": self.deviation}
        arrays.update({f"weight{i:02d}": w for i, w in enumerate(self.weights)})
        return params, arrays

    @classmethod
    def from_state(
        cls, params: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> "FrameNetwork":
        """Rebuild a network from `get_state`, refusing arrays of another shape."""
        try:  # before anything is made of this size
            n_inputs, width = params["n_inputs"], params["width"]
            own = arrays["weight00"].shape == (params["first"] * n_inputs, width)
            own &= arrays[f"weight{2 * len(params['dilations']) + 3:02d}"].shape == (
                sum(params["heads"]),
            )
        except (KeyError, TypeError) as error:
            raise ModelError(f"the network's description is incomplete: {error!r}.") from error
        if not own:
            raise ModelError("the network's arrays do not have the shapes that it describes.")
        self = cls(
            params["n_inputs"],
            params["heads"],
            width=params["width"],
            dilations=params["dilations"],
            first=params["first"],
        )
        for name, wanted in [("mean", self.mean), ("deviation", self.deviation)] + [
            (f"weight{i:02d}", w) for i, w in enumerate(self.weights)
        ]:
            if name not in arrays or arrays[name].shape != wanted.shape:
                raise ModelError(f"network array {name!r} must have shape {wanted.shape}.")
            if not np.isfinite(arrays[name]).all():
                raise ModelError(f"network array {name!r} is not finite.")
            wanted[...] = arrays[name]
        if not (self.deviation > 0).all():
            raise ModelError("network array 'deviation' must be positive.")
        return self


def _side_by_side(x: Float32, taps: int, dilation: int) -> Float32:
    """Lay `taps` frames, `dilation` apart and centred, side by side [shape=(B * L, taps * C)]."""
    batch, length, channels = x.shape
    reach = (taps // 2) * dilation
    padded = np.zeros((batch, length + 2 * reach, channels), dtype=x.dtype)
    padded[:, reach : reach + length] = x
    out = np.empty((batch, length, taps, channels), dtype=x.dtype)
    for tap in range(taps):
        out[:, :, tap] = padded[:, tap * dilation : tap * dilation + length]
    return out.reshape(batch * length, taps * channels)


def log_softmax(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Log of the softmax over the last axis, without overflow."""
    shifted = x - x.max(axis=-1, keepdims=True)
    result: npt.NDArray[Any] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def log_sigmoid(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Log of the logistic function, without overflow."""
    result: npt.NDArray[Any] = -np.logaddexp(np.zeros((), dtype=x.dtype), -x)
    return result


def train_network(
    network: FrameNetwork,
    sequences: Sequence[Float32],
    targets: Sequence[Sequence[Target]],
    *,
    head_weights: Sequence[float] | None = None,
    tables: Sequence[Float32 | None] | None = None,
    steps: int = 1000,
    batch: int = 6,
    length: int = 192,
    learning_rate: float = 2e-3,
    decay: float = 1e-4,
    dropout: float = 0.15,
    noise: float = 0.1,
    restandardise: bool = True,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> FrameNetwork:
    """Train a network in place by Adam on random stretches of the sequences.

    Parameters
    ----------
    network : FrameNetwork
        Trained from the weights it has.
    sequences : sequence of np.ndarray [shape=(T_i, n_inputs), dtype=float32]
        Inputs.
    targets : sequence of sequence of Target
        For each sequence, one target a head.
    head_weights : sequence of float, optional
        Weight of the cross-entropy of each head; by default 1.
    tables : sequence of np.ndarray [shape=(S, size)] or None, optional
        For a head whose classes are described by vectors of `size` numbers: the vector of each
        class. The logit of a class is the inner product of its vector with the head's outputs.
    steps : int
        Updates.
    batch, length : int
        Stretches in an update, and frames of a stretch.
    learning_rate : float
        Peak learning rate; it rises over 60 steps and falls as a cosine.
    decay : float
        Weight decay, applied apart from the gradient.
    dropout : float
        Share of hidden numbers silenced, in [0, 1).
    noise : float
        Standard deviation of the noise added to standardised inputs; twice as much is added to
        each channel of a stretch as a constant, as another microphone would.
    restandardise : bool
        Whether the network's `mean` and `deviation` are set from `sequences`.
    random_state : int
        Of the stretches, the dropout and the noise.
    progress : callable, optional
        Called with the steps done and their number.

    Returns
    -------
    FrameNetwork
        `network`.
    """
    if not sequences or len(sequences) != len(targets):
        raise ParameterError(f"{len(sequences)} sequences and {len(targets)} targets.")
    if restandardise:
        count = sum(len(x) for x in sequences)
        mean = sum(x.sum(axis=0, dtype=np.float64) for x in sequences) / count
        power = sum(np.square(x - mean).sum(axis=0, dtype=np.float64) for x in sequences) / count
        network.mean = np.asarray(mean, dtype=np.float32)
        network.deviation = (np.sqrt(power) + 1e-3).astype(np.float32)
    chance = np.array([len(x) for x in sequences], dtype=np.float64)
    chance /= chance.sum()

    def draw(rng: np.random.Generator) -> tuple[Float32, list[list[Target]], Float32]:
        chosen = rng.choice(len(sequences), size=batch, p=chance)
        x, wanted, counted = _stretches(
            network, [sequences[i] for i in chosen], [targets[i] for i in chosen], length, rng
        )
        if noise > 0.0:
            x += np.float32(noise) * rng.standard_normal(x.shape, dtype=np.float32)
            level = rng.standard_normal((batch, 1, x.shape[2]), dtype=np.float32)
            x += np.float32(2.0 * noise) * level
        return x, wanted, counted

    return train_on_batches(
        network,
        draw,
        head_weights=head_weights,
        tables=tables,
        steps=steps,
        learning_rate=learning_rate,
        decay=decay,
        dropout=dropout,
        random_state=random_state,
        progress=progress,
    )


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

    Its `mean` and `deviation` stay. `draw` takes a random generator, which also serves the
    dropout; it returns standardised inputs [shape=(B, L, n_inputs), dtype=float32], for each of
    the B sequences one target a head, and how much each frame counts [shape=(B, L)]. The rest is
    as in `train_network`.
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
    sequences: Sequence[Float32],
    targets: Sequence[Sequence[Target]],
    length: int,
    rng: np.random.Generator,
    edge: int = 8,
) -> tuple[Float32, list[list[Target]], Float32]:
    """Cut one stretch out of each sequence; frames whose context was cut off do not count."""
    batch = len(sequences)
    x = np.zeros((batch, length, network.n_inputs), dtype=np.float32)
    counted = np.zeros((batch, length), dtype=np.float32)
    wanted: list[list[Target]] = []
    for i, (frames, target) in enumerate(zip(sequences, targets, strict=True)):
        n = len(frames)
        begin = int(rng.integers(-2 * edge, max(1, n - length + 2 * edge)))
        first, last = max(begin, 0), min(begin + length, n)
        place = slice(first - begin, last - begin)
        x[i, place] = network.standardise(frames[first:last])
        counted[i, place] = 1.0
        if begin > 0:
            counted[i, :edge] = 0.0
        if begin + length < n:
            counted[i, length - edge :] = 0.0
        row = []
        for head in target:
            strength = np.zeros(length, dtype=np.float32)
            strength[place] = head.strength[first:last]
            label = None
            if head.label is not None:
                label = np.zeros(length, dtype=np.intp)
                label[place] = head.label[first:last]
            row.append(Target(strength, label))
        wanted.append(row)
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
