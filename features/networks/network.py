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

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import ModelError, ParameterError
from align.types import BoolArray, Float32

_BLOCK = 2048  # frames
_LARGEST_POWER = 24  # of 2, that weights in eight bits are multiplied by


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
    weights : sequence of np.ndarray, optional
        Those to begin with, instead of random ones.

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
        weights: Sequence[Float32] | None = None,
    ) -> None:
        if n_inputs < 1 or width < 1 or not heads or min(heads) < 1:
            raise ParameterError("n_inputs, width and the size of every head must be positive.")
        if first % 2 == 0 or first < 1 or any(d < 1 for d in dilations):
            raise ParameterError(f"first={first} must be odd, and dilations={dilations} positive.")
        self.n_inputs, self.width, self.first = int(n_inputs), int(width), int(first)
        self.heads = tuple(int(size) for size in heads)
        self.dilations = tuple(int(d) for d in dilations)
        self.weights = self._random(random_state) if weights is None else list(weights)
        self.mean = np.zeros(self.n_inputs, dtype=np.float32)
        self.deviation = np.ones(self.n_inputs, dtype=np.float32)

    @classmethod
    def of_rare_events(cls, seen: Float32, log_odds: float, **shape: Any) -> Self:
        """Return an unfitted network that says whether an event is at a frame.

        `seen` [shape=(N, L, n_inputs)] are some of its inputs, and `log_odds` what it says of all
        at first; `shape` is as in the constructor.
        """
        network = cls(seen.shape[2], (1,), **shape)
        network.weights[-1][:] = log_odds
        network.mean = seen.mean(axis=(0, 1))
        network.deviation = seen.std(axis=(0, 1)) + np.float32(1e-2)
        return network

    def halfway(self, other: Self) -> Self:
        """Return a network with the means of the weights; itself, where it has other outputs."""
        if self.heads != other.heads:
            return self
        new = copy.copy(self)
        pairs = zip(self.weights, other.weights, strict=True)
        new.weights = [np.float32(0.5) * (own + others) for own, others in pairs]
        return new

    def with_outputs(self, heads: Sequence[int], columns: Sequence[int]) -> "FrameNetwork":
        """Return a copy whose outputs are laid out anew, as other heads.

        Each is the output of this network with that number in `columns`; -1 is one it never has.
        """
        new = copy.copy(self)
        new.heads = tuple(int(size) for size in heads)
        matrix, bias = self.weights[-2], self.weights[-1]
        take = np.array(columns)
        new.weights = [
            *self.weights[:-2],
            np.where(take >= 0, matrix[:, take], 0).astype(np.float32),
            np.where(take >= 0, bias[take], np.float32(-10.0)).astype(np.float32),
        ]
        return new

    def _random(self, random_state: int) -> list[Float32]:
        rng = np.random.default_rng(random_state)
        weights: list[Float32] = []
        for (rows, columns), gain in zip(self._shapes(), self._gains(), strict=True):
            scale = gain * np.sqrt(2.0 / rows)
            weights.append((rng.standard_normal((rows, columns)) * scale).astype(np.float32))
            weights.append(np.zeros(columns, dtype=np.float32))
        return weights

    def _shapes(self) -> list[tuple[int, int]]:
        hidden = [(3 * self.width, self.width)] * len(self.dilations)
        return [(self.first * self.n_inputs, self.width), *hidden, (self.width, sum(self.heads))]

    def _gains(self) -> list[float]:
        return [1.0, *[0.5] * len(self.dilations), 0.3]  # residual layers start near identity

    def outputs(self, x: Float32) -> list[Float32]:
        """Return the raw outputs for one sequence [shape=(T, n_inputs), dtype=float32].

        One array [shape=(T, size), dtype=float32] a head: before softmax or logistic function.
        Of a long sequence they are computed block by block, which caches hold.
        """
        if x.ndim != 2 or x.shape[1] != self.n_inputs:
            raise ParameterError(f"x.shape={x.shape}, must be (T, {self.n_inputs}).")
        raw = np.empty((len(x), sum(self.heads)), dtype=np.float32)
        for begin in range(0, len(x), _BLOCK):
            first = max(0, begin - self.reach)  # all that the block's outputs depend on
            around = x[None, first : begin + _BLOCK + self.reach]
            raw[begin : begin + _BLOCK] = self.raw_outputs(around)[0, begin - first :][:_BLOCK]
        return np.split(raw, np.cumsum(self.heads)[:-1], axis=1)

    @one_thread()
    def raw_outputs(self, x: Float32) -> Float32:
        """Return the raw outputs for several sequences of one length, all heads side by side.

        Of [shape=(B, L, n_inputs), dtype=float32], [shape=(B, L, sum of heads), dtype=float32]:
        before softmax or logistic function. A sequence has the same bytes whatever is beside it.
        """
        if x.ndim != 3 or x.shape[2] != self.n_inputs:
            raise ParameterError(f"x.shape={x.shape}, must be (B, L, {self.n_inputs}).")
        h = self._hidden(np.ascontiguousarray(self.standardise(x)), apart=True)
        return h.reshape(*x.shape[:2], -1) @ self.weights[-2] + self.weights[-1]

    @property
    def reach(self) -> int:
        """Frames to either side of a frame that its outputs depend on."""
        return self.first // 2 + sum(self.dilations)

    def standardise(self, x: Float32) -> Float32:
        """Return inputs with the training set's mean and deviation taken out."""
        return ((x - self.mean) / self.deviation).astype(np.float32, copy=False)

    def _hidden(
        self,
        x: Float32,
        rng: np.random.Generator | None = None,
        dropout: float = 0.0,
        kept: list[Any] | None = None,
        apart: bool = False,
    ) -> Float32:
        """Return the last hidden layer [shape=(B * L, width)] for standardised inputs.

        What `backward` needs of each layer is added to `kept`, where that is given. Products of
        all sequences at once are a little faster, but the last rows of a matrix may be summed in
        another order than the rest; with `apart` each sequence has its own.
        """
        from align.features.networks._network_passes import add_rectified

        batch, length, _ = x.shape
        nothing = np.empty((0, 0, 0), dtype=np.float32)
        columns = _laid(x, nothing, self.first, 1)
        h = _product(columns, self.weights[0], batch if apart else 1)
        h += self.weights[1]
        np.maximum(h, 0.0, out=h)
        if kept is not None:
            kept.append((columns, h > 0.0))
        for layer, dilation in enumerate(self.dilations, start=1):
            inner, mask = h.reshape(batch, length, -1), nothing
            if rng is not None and dropout > 0.0:
                mask = (rng.random(inner.shape, dtype=np.float32) >= dropout).astype(np.float32)
                mask /= np.float32(1.0 - dropout)
            columns = _laid(inner, mask, 3, dilation)
            z = _product(columns, self.weights[2 * layer], batch if apart else 1)
            on = np.empty(z.shape, dtype=np.bool_)
            add_rectified(h, z, self.weights[2 * layer + 1], on)
            if kept is not None:
                kept.append((columns, on, mask))
        return h

    # Training --------------------------------------------------------------------------------

    def forward(
        self, x: Float32, rng: np.random.Generator, dropout: float
    ) -> tuple[Float32, list[Any]]:
        """Return raw outputs [shape=(B, L, sum of heads)] and what `backward` needs."""
        kept: list[Any] = []
        h = self._hidden(x, rng, dropout, kept)
        kept.append(h)
        out = h @ self.weights[-2]
        out += self.weights[-1]
        return out.reshape(*x.shape[:2], -1), kept

    def backward(self, slope: Float32, kept: list[Any]) -> list[Float32]:
        """Return the gradient of each weight, given that of the outputs."""
        from align.features.networks._network_passes import add_back

        batch, length, _ = slope.shape
        slope = slope.reshape(batch * length, -1)
        gradients: list[Float32] = [np.empty(0, dtype=np.float32)] * len(self.weights)
        gradients[-2], gradients[-1] = kept[-1].T @ slope, slope.sum(axis=0)
        dh = slope @ self.weights[-2].T
        dz = np.empty_like(dh)
        for layer in range(len(self.dilations), 0, -1):
            columns, on, mask = kept[layer]
            gradients[2 * layer], gradients[2 * layer + 1] = _gradient(dh, on, columns, dz)
            taps = (dz @ self.weights[2 * layer].T).reshape(batch, length, -1)
            add_back(taps, mask, self.dilations[layer - 1], dh.reshape(batch, length, -1))
        columns, on = kept[0]
        gradients[0], gradients[1] = _gradient(dh, on, columns, dz)
        return gradients

    # State -----------------------------------------------------------------------------------

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the shape of the network, for JSON, and its arrays.

        Matrices that `in_eight_bits` has rounded are bytes, to be multiplied by powers of 2.
        """
        params = {
            "n_inputs": self.n_inputs,
            "heads": list(self.heads),
            "width": self.width,
            "dilations": list(self.dilations),
            "first": self.first,
        }
        arrays: dict[str, npt.NDArray[Any]] = {"mean": self.mean, "deviation": self.deviation}
        arrays.update({f"weight{i:02d}": w for i, w in enumerate(self.weights)})
        powers = [_power(matrix) for matrix in self.weights[::2]]
        rounded = [in_eight_bits(matrix) for matrix in self.weights[::2]]
        if all(map(np.array_equal, self.weights[::2], rounded)):
            arrays["powers"] = np.array(powers, dtype=np.int8)
            for i, (matrix, power) in enumerate(zip(rounded, powers, strict=True)):
                arrays[f"weight{2 * i:02d}"] = np.ldexp(matrix, -power).astype(np.int8)
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
            weights=(),
        )
        shapes = [shape for matrix in self._shapes() for shape in (matrix, matrix[1:])]
        self.weights = [_kept(arrays, f"weight{i:02d}", shape) for i, shape in enumerate(shapes)]
        if "powers" in arrays:
            powers = _kept(arrays, "powers", (len(self._shapes()),))
            if (np.abs(powers) > _LARGEST_POWER).any():
                raise ModelError("the network's array 'powers' has impossible values.")
            for i, power in enumerate(powers):
                self.weights[2 * i] *= np.exp2(power)
        self.mean, self.deviation = (
            _kept(arrays, name, (self.n_inputs,)) for name in ("mean", "deviation")
        )
        if not (self.deviation > 0).all():
            raise ModelError("network array 'deviation' must be positive.")
        return self


def _kept(arrays: dict[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...]) -> Float32:
    """Return an array of a model file as the network keeps it, or raise ModelError."""
    if name not in arrays or arrays[name].shape != shape:
        raise ModelError(f"network array {name!r} must have shape {shape}.")
    if not np.isfinite(arrays[name]).all():
        raise ModelError(f"network array {name!r} is not finite.")
    return np.array(arrays[name], dtype=np.float32)


def in_half_precision(weights: Sequence[Float32]) -> list[Float32]:
    """Return weights of half precision: enough, and it halves the model file.

    It is done where networks are made, so that a model gives the same answers before and after it
    is saved.
    """
    return [w.astype(np.float16).astype(np.float32) for w in weights]


def in_eight_bits(matrix: Float32) -> Float32:
    """Return a matrix in steps of a power of 2, of which none is more than 127 from 0.

    Examples
    --------
    >>> in_eight_bits(np.array([[1.0, 0.3, 0.001]], dtype=np.float32))
    array([[1.      , 0.296875, 0.      ]], dtype=float32)
    """
    power = _power(matrix)
    steps = np.clip(np.rint(np.ldexp(matrix, -power)), -127, 127)
    rounded: Float32 = np.ldexp(steps, power)
    return rounded


def _power(matrix: Float32) -> int:
    """Return the power of 2 that is the step of `in_eight_bits`."""
    largest = float(np.abs(matrix).max(initial=0.0))
    power = int(np.ceil(np.log2(largest / 127))) if 0 < largest < np.inf else 0
    return int(np.clip(power, -_LARGEST_POWER, _LARGEST_POWER))


def _laid(x: Float32, mask: Float32, taps: int, dilation: int) -> Float32:
    """Lay frames times their mask side by side, `dilation` apart [shape=(B * L, taps * C)]."""
    from align.features.networks._network_passes import beside

    out = np.empty((*x.shape[:2], taps * x.shape[2]), dtype=x.dtype)
    beside(x, mask, dilation, out)
    return out.reshape(-1, out.shape[2])


def _product(columns: Float32, matrix: Float32, parts: int) -> Float32:
    """Return the product of columns, of which equal parts are multiplied one by one."""
    product: Float32 = columns.reshape(parts, -1, columns.shape[1]) @ matrix
    return product.reshape(len(columns), -1)


def _gradient(
    slope: Float32, on: BoolArray, columns: Float32, dz: Float32
) -> tuple[Float32, Float32]:
    """Return the gradients of a layer's matrix and bias; `dz` becomes the slope of its product."""
    from align.features.networks._network_passes import slopes_where

    bias = np.empty(slope.shape[1], dtype=slope.dtype)
    slopes_where(slope, on, dz, bias)
    return columns.T @ dz, bias


def log_softmax(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Log of the softmax over the last axis, without overflow."""
    shifted = x - x.max(axis=-1, keepdims=True)
    result: npt.NDArray[Any] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def log_sigmoid(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Log of the logistic function, without overflow."""
    result: npt.NDArray[Any] = -np.logaddexp(np.zeros((), dtype=x.dtype), -x)
    return result
