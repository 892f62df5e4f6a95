"""What a feature is: a signal and its events in, base functions out.

A `Feature` may need fitting (duration statistics, a frame classifier); its `terms` are the base
functions of one recording, each of one of the kinds of `align.terms`. The decorators turn a plain
function into a feature without any fitting.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.features.sound.signal import Signal
from align.potentials import GeneralPotential
from align.terms import DurationTerm, GeneralTerm, OnsetTerm, RatioTerm, SegmentTerm, Term
from align.types import Event, Float64, FloatArray, IntArray


@dataclass(frozen=True)
class TimedSignal:
    """A recording with its events and their true onsets: what features are fitted to.

    Parameters
    ----------
    signal : Signal
        The recording.
    events : sequence of Event, length K
        What occurs.
    onsets : np.ndarray [shape=(K,), dtype=intp]
        True onsets in frames, strictly increasing.
    times : np.ndarray [shape=(K,)]
        True onsets in seconds, as the labels give them.
    end : int
        End of the last event in frames, exclusive; T where it ends with the recording.
    group : str, optional
        Who speaks or plays.
    text : str, optional
        Of speech: the words.
    part : int
        Which part of a long recording it is, counted from 0.
    """

    signal: Signal
    events: Sequence[Event]
    onsets: IntArray
    times: Float64
    end: int
    group: str | None = None
    text: str | None = None
    part: int = 0

    @property
    def lengths(self) -> IntArray:
        """Length of each event in frames [shape=(K,)]."""
        return np.diff(self.onsets, append=self.end)


class AnyFeature:
    """What any feature is asked for but its base functions; by default it learns nothing.

    A `Feature` has those of a signal and events; features of music, whose base functions are of
    performances and chords, are of this class, too.
    """

    name: str = ""

    def __repr__(self) -> str:
        """Return its class and name."""
        return f"<{type(self).__name__} {self.name!r}>"

    def fit(self, examples: Sequence[Any]) -> Self:
        """Estimate what the base functions need from timed recordings."""
        return self

    def adapt(self, examples: Sequence[Any], *, steps: int, learning_rate: float) -> Self:
        """Move towards a few recordings of a new kind, where the feature knows how; or stay.

        Parameters
        ----------
        examples : sequence of TimedSignal, or of timed pieces
            The recordings.
        steps : int
            Updates of each network.
        learning_rate : float
            Peak learning rate of networks.
        """
        return self

    def halfway(self, first: Self) -> Self:
        """Return a copy halfway back to the feature that this one was adapted from.

        Networks are averaged, weight by weight; what has none stays as it is.
        """
        return self

    def go_on_from(self, first: Self) -> Self:
        """Let `fit` begin where a feature is that was fitted to the same recordings, or anew.

        Parameters
        ----------
        first : Feature
            It may have seen them as they are, where this one is to see them in noise or in rooms.
        """
        return self

    def for_a_fold(self) -> Self:
        """Return an unfitted feature to score a fold with, which may learn faster, or itself."""
        return self

    def pool(self, copies: Sequence[Self]) -> Self:
        """Become the sum of copies fitted to different parts of the training set."""
        raise NotImplementedError

    def non_negative(self) -> tuple[str, ...]:
        """Return the names of base functions of which more is better by construction.

        Such as log probabilities. The structured learner keeps their weights from falling below 0,
        which few recordings could make them do.
        """
        return ()

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold: values that JSON can carry, and arrays."""
        return {}, {}

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned; checks it, and never executes anything."""
        return self


class Feature(AnyFeature):
    """One or several base functions of a signal and its events; the base class of your own.

    Attributes
    ----------
    name : str
        Prefix of the names of its base functions; unique within an aligner.
    cross_fit : bool
        True where scores of the recordings it was fitted to would flatter it. The aligner then
        trains the structured learner on the scores of copies fitted to other groups.
    pools_folds : bool
        True where those copies, put together by `pool`, serve better than one more fitted to all.
    scores_noise : bool
        True where an event called `align.types.SPOKEN_NOISE` scores as any stretch of sound.

    Examples
    --------
    >>> class Level(Feature):
    ...     name = "level"
    ...
    ...     def fit(self, examples):
    ...         self.mean_ = np.mean([one.signal.log_energy.mean() for one in examples])
    ...         return self
    ...
    ...     def terms(self, signal, events):
    ...         table = signal.log_energy[None] - self.mean_
    ...         return {"level": OnsetTerm(table, np.zeros(len(events), dtype=np.intp))}
    >>> signal = Signal(np.ones(1600, np.float32), 16000, hop=0.01)
    >>> one = TimedSignal(signal, ["aa"], np.array([0]), np.array([0.0]), end=10)
    >>> term = Level().fit([one]).terms(signal, ["m", "aa"])["level"]
    >>> term.table.shape
    (1, 10)
    """

    cross_fit: ClassVar[bool] = False
    pools_folds: ClassVar[bool] = False
    scores_noise: ClassVar[bool] = False

    def at_ends(self, signal: Signal, event: Event, n: int) -> tuple[float, float]:
        """Return what an event scores in the first n frames and in the last, in ``<name>.phone``.

        Only of features that score noise.
        """
        term = self.terms(signal, (event,))[f"{self.name}.phone"]
        assert isinstance(term, SegmentTerm)
        sums = term.prefix[term.rows[0]]
        return float(sums[n]), float(sums[-1] - sums[-1 - n])

    def rough(self) -> "Feature":
        """Return a fitted feature that gives nearly the same base functions, for less.

        A first pass over a long recording uses it; by default it is the feature itself.
        """
        return self

    def with_spoken_noise(self, less: float) -> "Feature":
        """Return a fitted feature by which spoken noise scores so much less than the best sounds.

        In each frame; by default it is the feature itself, which knows no noise.
        """
        return self

    def weighing_pauses(self, times: float) -> "Feature":
        """Return a fitted feature by which a pause must be so many times surer.

        What a pause scores less than other events counts so many times; by default it is the
        feature itself, which knows no pauses.
        """
        return self

    def draws_out(self, event: Event) -> bool:
        """Whether an event scores otherwise in front of this one, as of a pause, than elsewhere.

        An onset term may depend on the event before; anything else on what follows in this way
        only, and on which events are the first and the last.
        """
        return False

    def is_drawn_out(self, event: Event) -> bool:
        """Whether an event may score otherwise in front of those that `draws_out` names."""
        return type(self).draws_out is not Feature.draws_out

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return the base functions of a recording: the same names, in the same order, always."""
        raise NotImplementedError(
            f"{type(self).__name__} has no terms(signal, events), which returns base functions."
        )

    @property
    def has_state(self) -> bool:
        """Whether `get_state` keeps what was fitted; of a feature without one nothing is kept."""
        return type(self).get_state is not Feature.get_state

    @property
    def loses_state(self) -> bool:
        """Whether it has a `fit`, and no `get_state` that keeps what that learned."""
        return type(self).fit is not Feature.fit and not self.has_state


@contextmanager
def restoring(what: str) -> Iterator[None]:
    """Make what a damaged state leads to a `ModelError`; `what` is a feature, for the message."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the state of {what} is wrong: {error!r}.") from error


@contextmanager
def noted(where: str) -> Iterator[None]:
    """Let an error that is raised inside say where: a user's own code does not know."""
    try:
        yield
    except Exception as error:
        error.add_note(where)
        raise


def checked_terms(feature: Feature, signal: Signal, events: Sequence[Event]) -> Mapping[str, Term]:
    """Return the base functions of one feature; what goes wrong says of which, and where.

    Raises `ParameterError` where they are no mapping of names to terms.
    """
    with noted(f"This was feature {feature.name!r}, of the recording {signal.name!r}."):
        found = feature.terms(signal, events)
        if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
            raise ParameterError(
                f"the terms of feature {feature.name!r} are {repr(found)[:60]}, must be a dict of "
                "names and terms of align.terms."
            )
        return found


def rows_of(events: Sequence[Event]) -> tuple[list[Event], IntArray]:
    """Return the distinct events in order of first appearance, and the row of each event.

    Examples
    --------
    >>> rows_of(["sil", "k", "iy", "k"])
    (['sil', 'k', 'iy'], array([0, 1, 2, 1]))
    """
    row = {event: i for i, event in enumerate(dict.fromkeys(events))}
    return list(row), np.array([row[event] for event in events], dtype=np.intp)


class FunctionFeature(Feature):
    """A feature made of a plain function; see the decorators of this module.

    Parameters
    ----------
    function : callable
        What the decorators describe.
    make : callable
        Turns this feature, a signal and the events into a term.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        make: Callable[["FunctionFeature", Signal, Sequence[Event]], Term],
    ) -> None:
        self.function, self.name, self._make = function, function.__name__, make
        self.__doc__ = function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle what a module holds under its name, as functions are; its function is hidden."""
        module = sys.modules.get(self.__module__)
        if self.__module__ != "__main__" and getattr(module, self.__qualname__, None) is self:
            return self.__qualname__
        return super().__reduce_ex__(protocol)  # cloudpickle takes the function along

    def __repr__(self) -> str:
        """Return its kind and name."""
        return f"<feature {self.name!r}>"

    def __call__(self, *args: Any) -> Any:
        """Call the function itself."""
        return self.function(*args)

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return the one base function, under the feature's name."""
        return {self.name: self._make(self, signal, events)}

    def checked(self, event: Event, shape: tuple[int, ...], *given: Any) -> Float64:
        """Return what the function gives for an event, after checks of it."""
        name, label = repr(self.name), repr(str(event))
        with noted(f"This was for the event {label}."):
            values = self.function(*given)
        if values is None:
            raise ParameterError(
                f"feature {name} returned nothing for event {label}, must return an array of "
                f"shape {shape}; does it end with `return`?"
            )
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise ParameterError(
                f"feature {name} returned {array.dtype} for event {label}, must be numbers."
            )
        array = array.astype(np.float64, copy=False)
        if array.shape != shape:
            raise ParameterError(
                f"feature {name} returned shape {array.shape} for event {label}, must be {shape}."
            )
        if np.ma.is_masked(values) or not np.isfinite(array).all():
            raise ParameterError(f"feature {name} is not finite for event {label}.")
        return array


# An event is Any to type checkers, so that a function of phones may say that it takes a str.


def onset_feature(function: Callable[[Signal, Any], npt.ArrayLike]) -> FunctionFeature:
    """Make a base function of ``function(signal, event) -> (T,)``, a score for each onset frame.

    Parameters
    ----------
    function : callable
        Takes the `Signal` and an event; returns the score of the event beginning at each of the
        signal's T frames. It is called once for each distinct event.

    Returns
    -------
    FunctionFeature

    Examples
    --------
    >>> import numpy as np
    >>> @onset_feature
    ... def loudness_rise(signal, event):
    ...     level = signal.log_energy
    ...     return np.diff(level, prepend=level[:1])
    >>> loudness_rise.name
    'loudness_rise'
    """
    return FunctionFeature(function, _onset_term)


def segment_feature(function: Callable[[Signal, Any], npt.ArrayLike]) -> FunctionFeature:
    """Make a base function of ``function(signal, event) -> (T,)``, summed over the event's frames.

    Parameters
    ----------
    function : callable
        Takes the `Signal` and an event; returns how well each of the T frames suits the event.

    Returns
    -------
    FunctionFeature

    Examples
    --------
    >>> @segment_feature
    ... def loud(signal, event):
    ...     return signal.log_energy if event == "aa" else -signal.log_energy
    >>> signal = Signal(np.ones(1600, np.float32), 16000, hop=0.01)
    >>> term = loud.terms(signal, ["sil", "aa"])["loud"]
    >>> term.prefix.shape, term.rows.tolist()  # sums over the 10 frames, for each of two events
    ((2, 11), [0, 1])
    """
    return FunctionFeature(function, _segment_term)


def duration_feature(function: Callable[[Any, FloatArray], npt.ArrayLike]) -> FunctionFeature:
    """Make a base function of ``function(event, seconds) -> scores``, of the event's length.

    Parameters
    ----------
    function : callable
        Takes an event and lengths in seconds [shape=(T,)], from one frame up; returns their
        scores.

    Returns
    -------
    FunctionFeature

    Examples
    --------
    >>> @duration_feature
    ... def not_too_short(event, seconds):
    ...     return np.minimum(seconds / 0.02 - 1.0, 0.0)
    >>> signal = Signal(np.ones(1600, np.float32), 16000, hop=0.01)
    >>> not_too_short.terms(signal, ["aa"])["not_too_short"].table[0, 1:4].tolist()
    [-0.5, 0.0, 0.0]
    """
    return FunctionFeature(function, _duration_term)


def ratio_feature(function: Callable[[Any, Any], float]) -> FunctionFeature:
    """Make a base function of the squared change of relative length between neighbours.

    Parameters
    ----------
    function : callable
        Takes an event and the one after it (None at the end); returns the length in seconds to
        which the event's own is compared. 0 or less switches the term off there.

    Returns
    -------
    FunctionFeature

    Examples
    --------
    >>> @ratio_feature
    ... def steady(event, following):
    ...     return 0.2 if event == "aa" else 0.1
    >>> signal = Signal(np.ones(1600, np.float32), 16000, hop=0.01)
    >>> term = steady.terms(signal, ["m", "aa"])["steady"]
    >>> round(term.value(np.array([0, 3]), 10), 6)  # (7 / 20 - 3 / 10) ** 2, of 3 and 7 frames
    0.0025
    """
    return FunctionFeature(function, _ratio_term)


def general_feature(function: GeneralPotential) -> FunctionFeature:
    """Make a base function of a numba-compiled ``psi(k, t_before, t_onset, t_after)``, in frames.

    Parameters
    ----------
    function : callable
        Compiled by ``numba.njit``; decoded at a price cubic in the longest length.

    Returns
    -------
    FunctionFeature

    Examples
    --------
    >>> import numba
    >>> @general_feature
    ... @numba.njit
    ... def even(k, t_before, t_onset, t_after):
    ...     return -abs((t_after - t_onset) - (t_onset - t_before)) if k > 0 else 0.0
    >>> signal = Signal(np.ones(1600, np.float32), 16000, hop=0.01)
    >>> even.terms(signal, ["m", "aa"])["even"].value(np.array([0, 3]), 10)
    -4.0
    """
    return FunctionFeature(function, lambda own, *_: GeneralTerm(own.function))


def _table(
    own: FunctionFeature, signal: Signal, events: Sequence[Event]
) -> tuple[Float64, IntArray]:
    symbols, rows = rows_of(events)
    table = np.empty((len(symbols), signal.n_frames))
    for row, event in zip(table, symbols, strict=True):
        row[:] = own.checked(event, (signal.n_frames,), signal, event)
    return table, rows


def _onset_term(own: FunctionFeature, signal: Signal, events: Sequence[Event]) -> Term:
    return OnsetTerm(*_table(own, signal, events))


def _segment_term(own: FunctionFeature, signal: Signal, events: Sequence[Event]) -> Term:
    return SegmentTerm.from_frames(*_table(own, signal, events))


def _duration_term(own: FunctionFeature, signal: Signal, events: Sequence[Event]) -> Term:
    symbols, rows = rows_of(events)
    seconds = np.arange(1, signal.n_frames + 1) * signal.hop  # no event lasts 0 frames
    table = np.zeros((len(symbols), signal.n_frames + 1))
    for row, event in zip(table, symbols, strict=True):
        row[1:] = own.checked(event, seconds.shape, event, seconds)
    return DurationTerm(table, rows)


def _ratio_term(own: FunctionFeature, signal: Signal, events: Sequence[Event]) -> Term:
    after = [*events[1:], None]
    pairs = zip(events, after, strict=True)
    seconds = np.array([own.checked(event, (), event, behind) for event, behind in pairs])
    scale = seconds / signal.hop
    gate = scale > 0
    gate[1:] &= gate[:-1]
    gate[:1] = False
    return RatioTerm(np.where(scale > 0, scale, 1.0), gate)
