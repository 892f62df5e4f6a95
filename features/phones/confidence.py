"""How well the frames of an event suit its label: psi_5 of the thesis.

``psi(y_i, y_{i+1}) = sum_{t = y_i}^{y_{i+1} - 1} g_{e_i}(x_t)``, where ``g_e(x)`` is the score a
frame classifier gives to label e: a margin, or a log posterior. The thesis uses a multiclass
passive-aggressive learner with a Gaussian kernel of sigma 6.24, which is the square root of 39,
the number of its features: it is meant for frames whose every dimension has deviation 1, and so
frames are standardised here by default.

The classifier is any object with the methods of `FrameClassifier`; none is imported here.

References
----------
Shalev-Shwartz, "Online Learning", 2007, section 9.5.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.features.base import Feature, TimedSignal, restoring, rows_of
from align.features.sound.signal import Signal
from align.files.model_file import arrays_of, nested
from align.terms import SegmentTerm, Term
from align.types import Event, Float32, FloatArray, IntArray

_SAVED = ("representation", "options", "context", "stride", "label_map", "standardise")
"""Parameters that a model file holds."""

_CALIBRATION_FRAMES = 5000


class FrameClassifier(Protocol):
    """What `PhoneConfidence` needs of a classifier.

    Attributes
    ----------
    classes_ : sequence of str, length S
        The labels, in the order of the columns of `scores`; set by `fit`.
    """

    classes_: Sequence[str]

    def fit(
        self,
        X: Float32,
        y: npt.NDArray[np.str_],
        groups: npt.NDArray[np.str_] | None = None,
    ) -> Any:
        """Learn from frames [shape=(n, d)], their labels [shape=(n,)] and their speakers."""
        ...

    def scores(self, X: Float32) -> FloatArray:
        """Score every label for frames [shape=(n, d)]; [shape=(n, S)], higher is better."""
        ...

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold: values that JSON can carry, and arrays."""
        ...

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
        """Restore what `get_state` returned."""
        ...


class PhoneConfidence(Feature):
    """Score of a frame classifier for the event's label, summed over the frames of the event.

    Parameters
    ----------
    classifier : FrameClassifier
        Fitted to the frames of the training recordings.
    representation : str
        Which frames, as in `Signal.representation`.
    options : mapping, optional
        Options of the representation.
    context : sequence of int
        Offsets of the frames shown to the classifier together, as in `stack_context`.
    stride : int
        Every how many frames one is used in training; all are scored.
    label_map : mapping of str to str, optional
        From labels of events to classes of the classifier; labels it lacks are their own class.
    standardise : bool
        Shift and scale each dimension to mean 0 and deviation 1 over the training frames.
    name : str
        Name of the base function.

    Notes
    -----
    Frames before the first event or after the end of the last are not used in training.

    A label whose class the classifier never saw is scored by the mean over all classes, shifted
    by a constant such that over the training frames it averages what the right class does. So it
    neither swallows the frames of its neighbours nor gives its own away, and prefers frames on
    which the classifier is undecided.
    """

    cross_fit: ClassVar[bool] = True

    def __init__(
        self,
        classifier: FrameClassifier,
        representation: str = "mfcc",
        options: Mapping[str, Any] | None = None,
        context: Sequence[int] = (0,),
        stride: int = 1,
        label_map: Mapping[str, str] | None = None,
        standardise: bool = True,
        name: str = "phone_confidence",
    ) -> None:
        self.classifier = classifier
        self.representation = representation
        self.options = dict(options or {})
        self.context = tuple(int(offset) for offset in context)
        self.stride = int(stride)
        self.label_map = dict(label_map or {})
        self.standardise = standardise
        self.name = name
        self.mean_: Float32 | None = None
        self.scale_: Float32 | None = None
        self.unseen_offset_ = 0.0
        if not self.context:
            raise ParameterError("context=(), must name at least one frame; (0,) for no context.")
        if self.stride < 1:
            raise ParameterError(f"stride={stride}, must be at least 1.")

    def fit(self, examples: Sequence[TimedSignal]) -> Self:
        """Fit the classifier to the frames of timed recordings."""
        chosen, labels, groups = [], [], []
        for example in examples:
            event = event_of_frame(example.onsets, example.end, example.signal.n_frames)
            at = np.flatnonzero(event >= 0)[:: self.stride]
            names = np.array([self._class_of(e) for e in example.events], dtype=np.str_)
            chosen.append(at)
            labels.append(names[event[at]])
            groups.append(np.full(at.size, example.group or "", dtype=np.str_))
        if not sum(at.size for at in chosen):
            raise ParameterError("there are no frames to fit the classifier to.")
        self._fit_scale(examples, chosen)
        frames = np.concatenate(
            [self._frames(ex.signal, at) for ex, at in zip(examples, chosen, strict=True)]
        )
        y = np.concatenate(labels)
        grouped = any(example.group is not None for example in examples)
        self.classifier.fit(frames, y, groups=np.concatenate(groups) if grouped else None)
        self._calibrate_unseen(frames, y)
        return self

    def frame_scores(self, signal: Signal) -> FloatArray:
        """Return a score of every class of the classifier at every frame [shape=(T, S)]."""
        if self.mean_ is None:
            raise ModelError(f"feature {self.name!r} is not fitted; call fit first.")
        return np.asarray(self.classifier.scores(self._frames(signal, None)))

    def non_negative(self) -> tuple[str, ...]:
        """Return its name: it is how well the frames suit the phone."""
        return (self.name,)

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return the segment term."""
        scores = self.frame_scores(signal)
        symbols, rows = rows_of(events)
        column = {str(label): i for i, label in enumerate(self.classifier.classes_)}
        columns = [column.get(self._class_of(event), -1) for event in symbols]
        table = scores.T[columns].astype(np.float64)
        unseen = np.array(columns, dtype=np.intp) < 0
        if unseen.any():
            table[unseen] = scores.mean(axis=1, dtype=np.float64) + self.unseen_offset_
        return {self.name: SegmentTerm.from_frames(table, rows)}

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold; arrays of the classifier are ``classifier.*``."""
        params: dict[str, Any] = {name: getattr(self, name) for name in _SAVED}
        params |= {"unseen_offset": self.unseen_offset_, "fitted": self.mean_ is not None}
        if self.mean_ is None or self.scale_ is None:
            return params, {}
        inner, inner_arrays = self.classifier.get_state()
        params["classifier"] = inner
        arrays = {"mean": self.mean_, "scale": self.scale_}
        return params, arrays | nested("classifier.", inner_arrays)

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned, the classifier included."""
        with restoring(f"feature {self.name!r}"):
            checked = PhoneConfidence(self.classifier, **{name: params[name] for name in _SAVED})
            offset, fitted = float(params["unseen_offset"]), bool(params["fitted"])
            inner = params["classifier"] if fitted else {}
        mean = scale = None
        if fitted:
            mean, scale = (_vector(arrays, key, self.name) for key in ("mean", "scale"))
            if mean.shape != scale.shape or (scale <= 0).any() or not np.isfinite(offset):
                raise ModelError(f"the scaling of feature {self.name!r} has impossible values.")
            self.classifier.set_state(inner, arrays_of("classifier.", arrays))
        for name in _SAVED:
            setattr(self, name, getattr(checked, name))
        self.mean_, self.scale_, self.unseen_offset_ = mean, scale, offset
        return self

    def _class_of(self, event: Event) -> str:
        label = str(event)
        return self.label_map.get(label, label)

    def _frames(self, signal: Signal, at: npt.ArrayLike | None) -> Float32:
        x = signal.representation(self.representation, **self.options)
        assert self.mean_ is not None
        assert self.scale_ is not None
        if x.shape[1] != self.mean_.size:
            raise ModelError(
                f"feature {self.name!r} was fitted to {self.mean_.size} dimensions, "
                f"its representation has {x.shape[1]}."
            )
        return stack_context((x - self.mean_) / self.scale_, self.context, at)

    def _fit_scale(self, examples: Sequence[TimedSignal], chosen: Sequence[IntArray]) -> None:
        """Mean and deviation of each dimension, in two passes so as not to hold all frames."""
        x = [ex.signal.representation(self.representation, **self.options) for ex in examples]
        size = x[0].shape[1]
        if not self.standardise:
            self.mean_, self.scale_ = np.zeros(size, np.float32), np.ones(size, np.float32)
            return
        n = sum(at.size for at in chosen)
        pairs = list(zip(x, chosen, strict=True))
        mean = sum(frames[at].sum(axis=0, dtype=np.float64) for frames, at in pairs) / n
        squares = sum(np.square(frames[at] - mean).sum(axis=0) for frames, at in pairs) / n
        self.mean_ = np.asarray(mean, dtype=np.float32)
        self.scale_ = np.maximum(np.sqrt(squares), 1e-6).astype(np.float32)

    def _calibrate_unseen(self, frames: Float32, y: npt.NDArray[np.str_]) -> None:
        step = max(1, len(y) // _CALIBRATION_FRAMES)
        scores = np.asarray(self.classifier.scores(frames[::step]), dtype=np.float64)
        column = {str(label): i for i, label in enumerate(self.classifier.classes_)}
        right = scores[np.arange(len(scores)), [column[str(label)] for label in y[::step]]]
        self.unseen_offset_ = float(right.mean() - scores.mean())


def _vector(arrays: Mapping[str, npt.NDArray[Any]], key: str, feature: str) -> Float32:
    array = arrays.get(key)
    if array is None:
        raise ModelError(f"feature {feature!r} lacks its array {key!r}.")
    if array.ndim != 1 or array.dtype.kind != "f" or not np.isfinite(array).all():
        raise ModelError(
            f"array {key!r} of feature {feature!r} is {array.dtype} of shape {array.shape}, must "
            "be a vector of finite floats."
        )
    return array.astype(np.float32)


def stack_context(
    x: npt.NDArray[Any], offsets: Sequence[int], at: npt.ArrayLike | None = None
) -> npt.NDArray[Any]:
    """Return frames side by side: row t holds frames ``t + o`` for every offset ``o``.

    Frames beyond either end repeat the first or the last one.

    Parameters
    ----------
    x : np.ndarray [shape=(T, D)]
        Frames.
    offsets : sequence of int, length C
        Which neighbours, in frames; 0 is the frame itself, negative ones come before it.
    at : array_like of int [shape=(n,)], optional
        The frames to do this for, in any order; by default all T.

    Returns
    -------
    np.ndarray [shape=(n, C * D)]
        In the order of `offsets`; the dtype of `x`.

    Raises
    ------
    ParameterError
        Where `x` has no frames or not two axes, or there are no offsets.

    Examples
    --------
    >>> import numpy as np
    >>> stack_context(np.array([[1, 10], [2, 20], [3, 30]]), offsets=(-1, 0))
    array([[ 1, 10,  1, 10],
           [ 1, 10,  2, 20],
           [ 2, 20,  3, 30]])
    """
    if x.ndim != 2 or x.shape[0] == 0:
        raise ParameterError(f"x.shape={x.shape}, must be (T, D), T > 0.")
    steps = np.asarray(offsets, dtype=np.intp)
    if steps.ndim != 1 or steps.size == 0:
        raise ParameterError(f"offsets={offsets!r}, must name at least one frame.")
    frames = np.arange(len(x)) if at is None else np.asarray(at, dtype=np.intp)
    index = np.clip(frames[:, None] + steps, 0, len(x) - 1)
    stacked: npt.NDArray[Any] = x[index]
    return stacked.reshape(len(frames), steps.size * x.shape[1])


def event_of_frame(onsets: npt.ArrayLike, end: int, n_frames: int) -> IntArray:
    """Return which event each of T frames belongs to, from 0; -1 where there is none.

    `onsets` [shape=(K,)] are increasing frames, `end` the end of the last event, exclusive.

    Examples
    --------
    >>> event_of_frame([1, 3], end=4, n_frames=6)
    array([-1,  0,  0,  1, -1, -1])
    """
    frames = np.arange(n_frames)
    event = np.searchsorted(np.asarray(onsets), frames, side="right") - 1
    event[frames >= end] = -1
    return event.astype(np.intp)
