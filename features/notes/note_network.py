"""Where notes begin, from one convolutional network that all pitches share.

For a pitch p the network reads, at each frame, the levels of the semitone bands at the harmonics
of p and around them, seen through a long and a short window, the level of four broad regions, p
itself, and collisions in the score (`align.features.notes.note_context`). Its output is one
probability: that a note of pitch p begins there. Since bands are taken relative to the pitch,
every note of every piece teaches the same weights, and a dozen pieces suffice.

The target is a bump of 10 ms about the true time. Training draws stretches about true notes, each
piece with a weight of the root of its number of notes; some stretches are scored at a pitch at
which nothing may begin. Loudness is not normalised: on a piano, loud notes sound sooner.

Frames are centred on the time of an onset in them; see `align.features.sound.pitch`. Between
frames a second, small network looks closer, in steps of 2 ms (`align.features.notes.fine_onsets`).
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError, check_shape
from align.features.base import restoring
from align.features.networks.network import FrameNetwork
from align.features.networks.targets import Target
from align.features.networks.training import train_on_batches
from align.features.notes.fine_onsets import FineOnsets
from align.features.notes.note_context import N_CONTEXT
from align.features.notes.note_levels import (
    N_INPUTS,
    N_LEVELS,
    PITCHES,
    note_levels,
    write_inputs,
)
from align.features.notes.timed_notes import TimedNotes, checked_context, checked_pitches
from align.features.sound.signal import Signal
from align.files.model_file import arrays_of, nested
from align.types import Float32, Float64, IntArray

_ELSEWHERE = np.array([-24, -19, -12, -7, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 7, 12, 19, 24])
_EDGE = 6  # frames at either end of a stretch that do not count: their surroundings are cut off
_FINE = "fine_"  # before the names of arrays of the network of finer steps
_AT_ONCE = 4_000  # frames run through the network together, which caches hold
_STEPS = 1500, 4000  # updates of the weights, at the least and at the most
_ENOUGH = 12_000  # notes that call for the most


@dataclass(eq=False, repr=False, kw_only=True)
class NoteNetwork:
    """Probability that a note begins, for any pitch at any frame.

    Parameters
    ----------
    width : int
        Channels of the network's hidden layers.
    dilations : sequence of int
        See `FrameNetwork`.
    steps : int, optional
        Updates of the weights; 4000 take a minute. By default as many as the notes to learn
        from call for, see `updates_for`.
    batch, length : int
        Stretches in an update, and frames of a stretch.
    onset_width : float
        Standard deviation of the target in seconds.
    elsewhere : float
        Share of stretches that are scored at another pitch, in [0, 1).
    use_context : bool
        Whether the network reads `note_context`.
    use_fine : bool
        Whether a network of finer steps is trained as well, by half as many updates.
    random_state : int
        Of weights and training.

    Attributes
    ----------
    network_ : FrameNetwork
        The fitted network.
    fine_ : FineOnsets or None
        That of finer steps; None in models of a version that had none.

    Examples
    --------
    >>> from align.features.sound.pitch import pitch_frequency
    >>> rate, onset = 8000, 0.5
    >>> tone = np.sin(2 * np.pi * pitch_frequency(60) * np.arange(rate // 2) / rate)
    >>> samples = np.concatenate([np.zeros(rate // 2), tone]).astype(np.float32)
    >>> notes = TimedNotes(Signal(samples, rate, 0.01), np.array([60]), np.array([onset]))
    >>> network = NoteNetwork(width=8, steps=60, batch=8).fit([notes])
    >>> network.scores(notes.signal, [60, 67]).shape
    (2, 100)
    """

    _share = 1.0  # of the updates of the weights, see `brief`

    width: int = 40
    dilations: Sequence[int] = (1, 2, 4, 8, 16)
    steps: int | None = None
    batch: int = 16
    length: int = 128
    onset_width: float = 0.010
    elsewhere: float = 0.15
    use_context: bool = True
    use_fine: bool = True
    random_state: int = 0

    def __post_init__(self) -> None:
        for what in ("steps", "batch", "width"):
            value = getattr(self, what)
            if value is not None and value < 1:
                raise ParameterError(f"{what}={value}, must be at least 1.")
        if self.length <= 2 * _EDGE:
            raise ParameterError(f"length={self.length} frames, must be more than {2 * _EDGE}.")
        if not 0 < self.onset_width < np.inf:
            raise ParameterError(f"onset_width={self.onset_width} s, must be positive and finite.")
        if not 0 <= self.elsewhere < 1:
            raise ParameterError(f"elsewhere={self.elsewhere}, must be in [0, 1).")

    # Fitting ---------------------------------------------------------------------------------

    def fit(
        self,
        examples: Sequence[TimedNotes],
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Train the network on timed notes.

        Parameters
        ----------
        examples : sequence of TimedNotes
            Pieces, at least one.
        progress : callable, optional
            Called with the steps done and their number.
        """
        if not examples:
            raise ParameterError("examples=[], must hold at least one piece.")
        drawn = _Stretches(self, examples)
        seen, _ = drawn.batch(400, np.random.default_rng(self.random_state))
        network = FrameNetwork.of_rare_events(
            seen, -3.0, width=self.width, dilations=self.dilations, random_state=self.random_state
        )
        steps = updates_for(examples) if self.steps is None else self.steps
        steps = max(round(self._share * steps), 1)
        options = {"learning_rate": 3e-3, "random_state": self.random_state + 1}
        self._train(network, drawn, self.batch, steps=steps, progress=progress, **options)
        self.network_ = network
        self.fine_: FineOnsets | None = None
        if self.use_fine:
            own = FineOnsets(steps=max(steps // 2, 1), random_state=self.random_state)
            self.fine_ = own.fit(examples)
        return self

    def brief(self) -> Self:
        """Return an unfitted copy that learns in half of the time; itself, given `steps`.

        It makes half as many updates. To pieces that it was not trained on it gives no less
        probable answers, but notes are placed less exactly by it, by half a millisecond.
        """
        if self.steps is not None:
            return self
        new = copy.copy(self)
        new._share = 0.5 * self._share
        return new

    def halfway(self, first: Self) -> Self:
        """Return a copy halfway back to the one before `adapt`."""
        new = copy.copy(self)
        new.network_ = self.network_.halfway(first.network_)
        return new

    def adapt(
        self,
        examples: Sequence[TimedNotes],
        *,
        steps: int = 60,
        batch: int = 32,
        learning_rate: float = 3e-4,
    ) -> Self:
        """Continue training on a few pieces; the network of finer steps stays as it is.

        Parameters
        ----------
        examples : sequence of TimedNotes
            Pieces of the new kind, at least one.
        steps, batch : int
            Updates of the weights, and stretches in each.
        learning_rate : float
            Peak learning rate, far below that of `fit`: little is to be forgotten.
        """
        if not hasattr(self, "network_"):
            raise ModelError("the note network is not fitted; call fit first.")
        if not examples:
            raise ParameterError("examples=[], must hold at least one piece.")
        network = copy.copy(self.network_)
        network.weights = [w.copy() for w in network.weights]
        options = {"learning_rate": learning_rate, "random_state": self.random_state + 200}
        self._train(network, _Stretches(self, examples), batch, steps=steps, **options)
        self.network_ = network
        return self

    def _train(
        self, network: FrameNetwork, drawn: "_Stretches", batch: int, **options: Any
    ) -> None:
        """Train a network; `options` are those of `train_on_batches`."""
        counted = np.ones((batch, self.length), dtype=np.float32)
        counted[:, :_EDGE] = counted[:, -_EDGE:] = 0.0

        def draw(rng: np.random.Generator) -> tuple[Float32, list[list[Target]], Float32]:
            x, targets = drawn.batch(batch, rng)
            x = network.standardise(x)
            levels = x[:, :, :N_LEVELS]
            # noise; another microphone; another loudness
            levels += np.float32(0.1) * rng.standard_normal(levels.shape, dtype=np.float32)
            shape = (batch, 1, N_LEVELS)
            levels += np.float32(0.2) * rng.standard_normal(shape, dtype=np.float32)
            shape = (batch, 1, 1)
            levels += np.float32(0.2) * rng.standard_normal(shape, dtype=np.float32)
            return x, [[Target(target)] for target in targets], counted

        train_on_batches(network, draw, dropout=0.1, **options)

    @property
    def _n_inputs(self) -> int:
        return N_INPUTS + N_CONTEXT * self.use_context

    # Scoring ---------------------------------------------------------------------------------

    def scores(
        self, signal: Signal, pitches: npt.ArrayLike, context: Float32 | None = None
    ) -> Float32:
        """Return the probability that a note of each pitch begins at each frame.

        Parameters
        ----------
        signal : Signal
            The recording, in frames of 10 ms.
        pitches : array_like [shape=(N,)]
            MIDI numbers, 21..108.
        context : np.ndarray [shape=(N, N_CONTEXT)], optional
            `note_context` of the notes; by default nothing collides.

        Returns
        -------
        np.ndarray [shape=(N, T), dtype=float32]
            In [0, 1].
        """
        pitch = checked_pitches(pitches)
        first = np.zeros(pitch.size, dtype=np.intp)
        logit = self.logits(signal, pitch, first, signal.n_frames, context)
        return np.asarray(1.0 / (1.0 + np.exp(-logit)), dtype=np.float32)

    def logits(
        self,
        signal: Signal,
        pitches: npt.ArrayLike,
        first: IntArray,
        length: int,
        context: Float32 | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Float32:
        """Return log odds that a note begins, in a window of frames for each note.

        Parameters
        ----------
        signal : Signal
            The recording, in frames of 10 ms.
        pitches : array_like [shape=(N,)]
            MIDI numbers, 21..108.
        first : np.ndarray [shape=(N,), dtype=intp]
            First frame of each window; windows may go beyond the recording, which is then silent.
        length : int
            Frames of every window.
        context : np.ndarray [shape=(N, N_CONTEXT)], optional
            `note_context` of the notes; by default nothing collides.
        progress : callable, optional
            Called with the notes done and their number.

        Returns
        -------
        np.ndarray [shape=(N, length), dtype=float32]
            In [-30, 30]; the same at a frame whatever the window it is in.
        """
        if not hasattr(self, "network_"):
            raise ModelError("the note network is not fitted; call fit first.")
        pitch = checked_pitches(pitches)
        begin = np.asarray(first, dtype=np.intp)
        check_shape("first", begin.shape, "(N,)", pitch.shape)
        if length < 1:
            raise ParameterError(f"length={length}, must be at least 1 frame.")
        context = checked_context(context, pitch.size)
        levels = note_levels(signal)
        reach = self.network_.reach
        whole = length + 2 * reach
        out = np.empty((pitch.size, length), dtype=np.float32)
        some = max(1, _AT_ONCE // whole)
        for at in range(0, pitch.size, some):
            part = slice(at, min(at + some, pitch.size))
            x = np.zeros((part.stop - at, whole, self._n_inputs), dtype=np.float32)
            for row, k in zip(x, range(at, part.stop), strict=True):
                own = context[k] if self.use_context and context is not None else None
                write_inputs(row, levels, int(pitch[k]), int(begin[k]) - reach, own)
            out[part] = self.network_.raw_outputs(x)[:, reach : reach + length, 0]
            if progress is not None:
                progress(part.stop, pitch.size)
        return np.clip(out, -30.0, 30.0, out=out)

    # State -----------------------------------------------------------------------------------

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold: values that JSON can carry, and arrays."""
        params: dict[str, Any] = {
            "use_context": self.use_context,
            "onset_width": self.onset_width,
            "network": None,
        }
        if not hasattr(self, "network_"):
            return params, {}
        params["network"], arrays = self.network_.get_state()
        if self.fine_ is not None:
            params["fine"], own = self.fine_.get_state()
            arrays |= nested(_FINE, own)
        return params, arrays

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned; refuses a network of another shape."""
        with restoring("the note network"):
            use_context = bool(params["use_context"])
            onset_width = float(params["onset_width"])
            shape = params["network"]
        network = None if shape is None else FrameNetwork.from_state(shape, dict(arrays))
        if network is not None:
            wanted = N_INPUTS + N_CONTEXT * use_context
            if network.n_inputs != wanted or network.heads != (1,):
                raise ModelError(
                    f"the note network reads {network.n_inputs} numbers a frame and answers "
                    f"{network.heads}, must read {wanted} and answer (1,)."
                )
            self.network_ = network
            self.use_fine = params.get("fine") is not None
            self.fine_ = None
            if self.use_fine:
                self.fine_ = FineOnsets().set_state(params["fine"], arrays_of(_FINE, arrays))
            self.width, self.dilations = network.width, network.dilations
        elif hasattr(self, "network_"):
            del self.network_, self.fine_
        self.use_context, self.onset_width = use_context, onset_width
        return self


def updates_for(examples: Sequence[TimedNotes]) -> int:
    """Return how many updates of the weights some pieces call for.

    With the root of the number of notes that were played: 4000 from 12,000 notes on, some 2000 for
    six pieces, 1500 at the least. More learn few pieces by heart, at no gain on others.

    Examples
    --------
    >>> from align.features.sound.signal import Signal
    >>> signal = Signal(np.zeros(8000, dtype=np.float32), 8000, 0.01)
    >>> updates_for([TimedNotes(signal, np.full(n, 60), np.zeros(n)) for n in (1000, 2000)])
    2000
    """
    n_notes = sum(int(np.isfinite(item.onsets).sum()) for item in examples)
    return int(np.clip(round(_STEPS[1] * np.sqrt(n_notes / _ENOUGH)), *_STEPS))


class _Stretches:
    """Draws inputs and targets about notes of the training set."""

    def __init__(self, settings: NoteNetwork, examples: Sequence[TimedNotes]) -> None:
        self._settings, self._examples = settings, examples
        self._levels = [note_levels(item.signal) for item in examples]
        self._times: list[dict[int, Float64]] = []
        pool, chance = [], []
        for i, item in enumerate(examples):
            played = np.flatnonzero(np.isfinite(item.onsets))
            pool += [(i, int(k)) for k in played]
            chance += [item.weight / np.sqrt(played.size)] * played.size
            frames = item.onsets[played] / item.signal.hop
            pitch = item.pitches[played]
            self._times.append({int(p): np.sort(frames[pitch == p]) for p in np.unique(pitch)})
        self._pool = pool
        self._chance = np.array(chance) / np.sum(chance)

    def batch(self, size: int, rng: np.random.Generator) -> tuple[Float32, Float32]:
        """Return raw inputs [shape=(size, L, n_inputs)] and targets [shape=(size, L)]."""
        n = self._settings.length
        x = np.zeros((size, n, self._settings._n_inputs), dtype=np.float32)
        y = np.zeros((size, n), dtype=np.float32)
        for b, chosen in enumerate(rng.choice(len(self._pool), size=size, p=self._chance)):
            i, k = self._pool[chosen]
            item = self._examples[i]
            pitch = int(item.pitches[k])
            if rng.random() < self._settings.elsewhere:
                pitch = int(np.clip(pitch + rng.choice(_ELSEWHERE), *PITCHES))
            middle = item.onsets[k] / item.signal.hop
            first = round(float(middle - n / 2 + rng.uniform(-0.4, 0.4) * n))
            context = None
            if self._settings.use_context and item.context is not None:
                context = item.context[k]
            write_inputs(x[b], self._levels[i], pitch, first, context)
            times = self._times[i].get(pitch)
            if times is not None:
                width = self._settings.onset_width / item.signal.hop
                near = times[
                    np.searchsorted(times, first - 5) : np.searchsorted(times, first + n + 5)
                ]
                distance = np.arange(n)[:, None] - (near - first)
                bumps = np.exp(-0.5 * (distance / width) ** 2)
                y[b] = bumps.max(axis=1, initial=0.0)
        return x, y
