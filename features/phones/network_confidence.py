"""Confidence in phones, boundaries and transitions, from a convolutional network over frames.

One `FrameNetwork` reads log mel energies with a long and a short window and estimates three
things about each frame: which symbol it belongs to; whether an event begins where the frame
begins; and if so, between which two broad classes. They become three base functions:

``phone``
    a sum over the frames of each event, of the log probability of its symbol;
``boundary``
    at each onset, the log probability that anything begins there;
``transition``
    at each onset, the log probability of a boundary between the classes of the two events.

The boundary target is a bump a few milliseconds wide around the true time, so frames that are off
by a little are only a little wrong. Training sees each recording in several disguises
(`align.features.sound.disguises`).
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.features.base import Feature, TimedSignal, rows_of
from align.features.networks.network import (
    FrameNetwork,
    in_half_precision,
    log_sigmoid,
    log_softmax,
)
from align.features.networks.targets import Lesson, Target, frame_targets, labelled_frames
from align.features.networks.training import train_network
from align.features.phones.phone_loop import (
    NOISE,
    ROUGH_NOISE,
    loop_scores,
    with_noise,
    with_pauses,
)
from align.features.sound.disguises import (
    DISGUISES,
    PLAIN,
    Disguise,
    disguised_energies,
    drawn,
    frame_times,
)
from align.features.sound.signal import LongerSignal, Signal
from align.features.sound.spectra import normalised
from align.features.sound.surroundings import KINDS
from align.files.model_file import arrays_of, nested
from align.terms import OnsetTerm, SegmentTerm, Term
from align.types import Event, Float32, Float64, IntArray

_OTHER = "other"

_FEWEST_FRAMES = 17_000  # that training counts, so that 25 epochs are 400 updates at the least
_MOST_FRAMES = 1_500_000  # in training, about 0.5 GB; of a large corpus each is seen in fewer ways
_ELSEWHERE = 0.7  # of what training sees, where there are other surroundings
_SOFTEST = 0.05  # share of the frames that a pause sounds like
_MOST_KEPT = 60_000  # frames whose outputs are kept, about 30 MB
_LONG = 2000  # frames, of which those at the ends are a small part of the work
_BATCH, _LENGTH, _EDGE = 6, 192, 8  # stretches, their frames, and those without full context


class _Heard(NamedTuple):
    """What networks say of T frames, which `_phone_scores` reads, and log probabilities.

    Of the best sequence of any phones [shape=(T,)], of a boundary [shape=(T, 1)], and of each
    transition [shape=(T, n)].
    """

    phone: npt.NDArray[Any]
    best: Float64
    boundary: npt.NDArray[Any]
    transition: npt.NDArray[Any]


@dataclass(eq=False, repr=False)
class NetworkConfidence(Feature):
    """Base functions ``phone``, ``boundary`` and ``transition`` from a convolutional network.

    Parameters
    ----------
    symbols : mapping of str to str, optional
        Label to the symbol the network knows it by; a label that is not in it is its own symbol.
    classes : mapping of str to str, optional
        Symbol to its broad class; one that is not in it is of the class "other".
    windows : sequence of float
        Lengths of the analysis windows in seconds.
    n_mels : int
        Mel bands of each window.
    width : int
        Channels of the network's hidden layers.
    dilations : sequence of int
        See `FrameNetwork`.
    boundary_width : float
        Standard deviation of the boundary target in seconds.
    epochs : float
        How often training sees as many frames as there are. A corpus of less than 85 s counts as
        one of 85 s: a network that has hardly begun to learn is of no use.
    learning_rate : float
        Peak learning rate.
    most_steps : int
        Training stops after so many updates, however large the corpus.
    surroundings : {"noise", "room"}, optional
        What most of what training sees sounds like, see `align.features.sound.surroundings`; by
        default it is seen as it was recorded, but for the share `in_noise`.
    n_networks : int
        Networks that are trained from different seeds, and averaged.
    random_state : int
        Of weights and training.

    Attributes
    ----------
    symbols_ : list of str
        The classes of the ``phone`` head.
    classes_ : list of str
        The classes of the ``transition`` head, on either side.
    networks_ : list of FrameNetwork
        Their outputs are averaged before softmax and logistic function.
    without_echo : bool
        Whether the echo of a room is taken from recordings before they are scored, see
        `align.features.sound.dereverberation`. Aligners for rooms ask for it.
    """

    name = "network"
    symbols_: list[str] = field(init=False)
    classes_: list[str] = field(init=False)
    networks_: list[FrameNetwork] = field(init=False)
    cross_fit: ClassVar[bool] = True
    pools_folds: ClassVar[bool] = True
    scores_noise: ClassVar[bool] = True
    disguises: ClassVar[Sequence[Disguise]] = DISGUISES
    in_noise: ClassVar[float] = 0.0  # share of what training sees, without other surroundings
    without_echo: bool = field(default=False, init=False)
    _noise: float = field(default=NOISE, init=False)
    _pauses: float = field(default=1.0, init=False)
    _first: Self | None = field(default=None, init=False)  # whose networks training begins with
    _besides: Sequence[TimedSignal] = field(default=(), init=False)

    symbols: Mapping[str, str] | None = None
    classes: Mapping[str, str] | None = None
    _: KW_ONLY
    windows: Sequence[float] = (0.025, 0.010)
    n_mels: int = 40
    width: int = 64
    dilations: Sequence[int] = (1, 2, 4, 8, 1, 2, 4)
    boundary_width: float = 0.0075
    epochs: float = 25.0
    learning_rate: float = 2e-3
    most_steps: int = 8000
    surroundings: str | None = None
    n_networks: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        if not self.windows or min(self.windows) <= 0:
            raise ParameterError(f"windows={self.windows}, must be one or more positive lengths.")
        for what in ("boundary_width", "epochs", "learning_rate"):
            if not 0 < getattr(self, what) < np.inf:
                raise ParameterError(f"{what}={getattr(self, what)}, must be positive and finite.")
        if self.surroundings is not None and self.surroundings not in KINDS:
            raise ParameterError(
                f"surroundings={self.surroundings!r}, must be one of {', '.join(KINDS)}, or None."
            )
        for what in ("most_steps", "n_networks"):
            if getattr(self, what) < 1:
                raise ParameterError(f"{what}={getattr(self, what)}, must be at least 1.")

    # Fitting ---------------------------------------------------------------------------------

    def fit(self, examples: Sequence[TimedSignal]) -> Self:
        """Train the networks on timed recordings."""
        if not examples:
            raise ParameterError("examples=[], must hold at least one recording.")
        seen = [*examples, *self._besides]
        self._learn_symbols(seen)
        lessons = self._training_set(examples)
        apart = self._besides if self.surroundings is None else ()
        besides = self._training_set(apart) if apart else []
        n_frames = max(sum(item.signal.n_frames for item in examples), _FEWEST_FRAMES)
        steps = round(self.epochs * n_frames / (_BATCH * (_LENGTH - 2 * _EDGE)))
        steps = min(max(steps, 1), self.most_steps)
        elsewhere = self.surroundings or ("noise" if self.in_noise else None)
        self.networks_ = []
        for n in range(self.n_networks):
            random_state = self.random_state + 1000 * n
            network = FrameNetwork(
                lessons[0].x.shape[1],
                self._heads(),
                width=self.width,
                dilations=self.dilations,
                random_state=random_state,
            )
            if self._first is not None:
                network.weights = [w.copy() for w in self._first.networks_[n].weights]
            self._train(
                network,
                lessons,
                steps=steps,
                fresh=self._elsewhere(seen, elsewhere) if elsewhere else None,
                share=_ELSEWHERE if self.surroundings else self.in_noise,
                besides=besides,
                learning_rate=self.learning_rate,
                random_state=random_state + 100,
            )
            if self.surroundings:
                network.weights = self._of_several(network.weights)
            self.networks_.append(network)
        self._first, self._besides = None, ()
        return self

    def _of_several(self, weights: Sequence[Float32]) -> list[Float32]:
        """Return weights of less precision, for a model that has several of such networks."""
        return in_half_precision(weights)

    def go_on_from(self, first: Self) -> Self:
        """Let `fit` begin with the weights of networks that were trained on the same recordings.

        All but their dilations and their surroundings must be the same.
        """
        self._first = first
        return self

    def begin_with(self, besides: Sequence[TimedSignal]) -> Self:
        """Let `fit` see recordings that are less like those the networks are for, as well.

        Made speech, for example: training sees more of them than of the others, but none in the
        end. In other surroundings it sees all alike.
        """
        self._besides = besides
        return self

    def adapt(
        self, examples: Sequence[TimedSignal], *, steps: int = 60, learning_rate: float = 3e-4
    ) -> Self:
        """Continue training on a few recordings; symbols that are new get outputs.

        Parameters
        ----------
        examples : sequence of TimedSignal
            Timed recordings of the new kind.
        steps : int
            Updates of each network.
        learning_rate : float
            Peak learning rate, far below that of `fit`: little is to be forgotten.
        """
        if not hasattr(self, "networks_"):
            raise ModelError(f"feature {self.name!r} is not fitted; call fit first.")
        if not examples:
            raise ParameterError("examples=[], must hold at least one recording.")
        known, new = copy.copy(self), copy.copy(self)
        new.networks_ = []
        new._learn_symbols(examples)
        self.pool([known, new])
        lessons = self._training_set(examples)
        for n, network in enumerate(self.networks_):
            network.weights = [w.copy() for w in network.weights]
            self._found_outputs(network, known)
            self._train(
                network,
                lessons,
                steps=steps,
                learning_rate=learning_rate,
                restandardise=False,
                random_state=self.random_state + 1000 * n + 200,
            )
        return self

    def halfway(self, first: Self) -> Self:
        """Return a copy halfway back to the one before `adapt`."""
        new = copy.copy(self)
        pairs = zip(self.networks_, first.networks_, strict=True)
        new.networks_ = [network.halfway(before) for network, before in pairs]
        return new

    def _found_outputs(self, network: FrameNetwork, known: "NetworkConfidence") -> None:
        """Give symbols that are new the mean output of those of their class, or of all."""
        old = set(known.symbols_)
        row = {symbol: i for i, symbol in enumerate(self.symbols_)}
        for symbol in self.symbols_:
            if symbol not in old:
                alike = [s for s in known.symbols_ if self._class(s) == self._class(symbol)]
                rows = [row[s] for s in alike or known.symbols_]
                for array in network.weights[-2:]:
                    array[..., row[symbol]] = array[..., rows].mean(axis=-1)

    def _training_set(self, examples: Sequence[TimedSignal]) -> list[Lesson]:
        """Return the sequences to cut stretches from, in several disguises."""
        n_frames = sum(item.signal.n_frames for item in examples)
        n_disguises = min(max(_MOST_FRAMES // n_frames, 1), len(self.disguises))
        return [
            self._labelled(item, self.disguises[(i + j) % len(self.disguises)])
            for i, item in enumerate(examples)
            for j in range(n_disguises)
        ]

    def _elsewhere(
        self, examples: Sequence[TimedSignal], kind: str
    ) -> Callable[[np.random.Generator], Lesson]:
        """Return a function that makes a training sequence in surroundings drawn anew."""
        groups = self._groups(examples)
        chance = np.array([sum(item.signal.n_frames for item in group) for group in groups], float)
        chance /= chance.sum()
        others = [item.signal.samples for item in examples]
        most = max(disguise.silenced for disguise in self.disguises)

        def make(rng: np.random.Generator) -> Lesson:
            group = groups[int(rng.choice(len(groups), p=chance))]
            disguises = [drawn(item.signal, rng, others, kind, most) for item in group]
            made = [self._labelled(*one) for one in zip(group, disguises, strict=True)]
            return Lesson.end_to_end(made)

        return make

    def _groups(self, examples: Sequence[TimedSignal]) -> list[list[TimedSignal]]:
        """Return the recordings that are laid end to end for training."""
        return [[item] for item in examples]

    def _train(self, network: FrameNetwork, lessons: Sequence[Lesson], **options: Any) -> None:
        # Boundaries are rare: their heads weigh more. The transition head is hard to learn
        # from little data, and must not drown the others.
        train_network(
            network,
            lessons,
            head_weights=(1.0, 4.0, 1.2),
            tables=self._tables(),
            batch=_BATCH,
            length=_LENGTH,
            **options,
        )

    def pool(self, copies: Sequence["NetworkConfidence"]) -> Self:
        """Take the networks of copies fitted to parts of the training set, to be averaged.

        Together they have seen all of it, and an average of several is better than one network.
        The copies may know different symbols: heads are laid out anew for all of them.
        """
        self.symbols_ = sorted({s for part in copies for s in part.symbols_})
        self.classes_ = sorted({c for part in copies for c in part.classes_})
        self.networks_, self._besides = [], ()
        for part in copies:
            columns = self._columns_of(part)
            for network in part.networks_:
                self.networks_.append(network.with_outputs(self._heads(), columns))
        return self

    def _learn_symbols(self, examples: Sequence[TimedSignal]) -> None:
        """Set `symbols_` and `classes_`."""
        symbols = {self._symbol(event) for item in examples for event in item.events}
        self.symbols_ = sorted(symbols)
        self.classes_ = sorted({self._class(symbol) for symbol in symbols})

    def _heads(self) -> tuple[int, int, int]:
        return len(self.symbols_), 1, len(self.classes_) ** 2 + 1

    def _tables(self) -> tuple[Float32 | None, ...]:
        """Return vectors of the classes of each head, where they are described by such."""
        return None, None, None

    def _sides(self, events: Sequence[Event]) -> tuple[IntArray, IntArray]:
        """Class that each event begins with, and class that it ends with; -1 if unknown."""
        kinds = self._rows(events, self.classes_, self._event_class)
        return kinds, kinds

    def _columns_of(self, copy: "NetworkConfidence") -> list[int]:
        """Return the output of `copy` that stands for each output of this one, or -1."""
        n_symbols, n_classes = len(copy.symbols_), len(copy.classes_)
        row = {symbol: i for i, symbol in enumerate(copy.symbols_)}
        kind = {name: i for i, name in enumerate(copy.classes_)}
        columns = [row.get(symbol, -1) for symbol in self.symbols_]
        columns.append(n_symbols)
        for before in self.classes_:
            for after in self.classes_:
                if before in kind and after in kind:
                    columns.append(n_symbols + 1 + kind[before] * n_classes + kind[after])
                else:
                    columns.append(-1)
        columns.append(n_symbols + 1 + n_classes**2)
        return columns

    def _inputs(self, signal: Signal, disguise: Disguise = PLAIN) -> Float32:
        """Log mel energies for every window [shape=(T, n)], in a disguise."""

        def compute() -> Float32:
            return disguised_energies(
                signal, disguise, self.windows, self.n_mels, without_echo=self.without_echo
            )

        if disguise is not PLAIN:
            return compute()  # used once: not worth the memory
        key = ("network inputs", tuple(self.windows), self.n_mels, self.without_echo)
        return signal.cached(key, compute)

    def _labelled(self, item: TimedSignal, disguise: Disguise) -> Lesson:
        """Return inputs and targets of the frames that have labels."""
        x = self._inputs(item.signal, disguise)
        begin, hop = frame_times(item.signal, len(x), disguise)
        targets = self._targets(item, len(x), disguise)
        return Lesson(x, targets).of(labelled_frames(item, begin, hop))

    def _targets(self, item: TimedSignal, n_frames: int, disguise: Disguise) -> list[Target]:
        begin, hop = frame_times(item.signal, n_frames, disguise)
        opening, closing = self._sides(item.events)
        pairs = closing[:-1] * len(self.classes_) + opening[1:]
        rows = self._symbol_rows(item.events)
        return frame_targets(item, begin, hop, rows, pairs, self.boundary_width)

    # Scoring ---------------------------------------------------------------------------------

    def energies(self, signal: Signal) -> Float32:
        """Return what the networks read of a recording [shape=(T, n)].

        Log mel energies of its windows side by side, each without its mean over time. What was put
        in front or behind sounds like the softest frames.
        """
        if not isinstance(signal, LongerSignal):
            return self._inputs(signal)
        own = self._inputs(signal.own)
        some = max(3, round(_SOFTEST * len(own)))
        softest = own[np.argsort(own.mean(axis=1), kind="stable")[:some]].mean(axis=0)
        longer = signal.around(own, softest)
        return normalised(longer) if signal.own.sounding is None else longer

    def _outputs(self, x: Float32) -> list[Float32]:
        """Return the mean outputs of the networks for their inputs, one array a head."""
        outputs = [network.outputs(x) for network in self.networks_]
        return [np.mean([out[head] for out in outputs], axis=0) for head in range(3)]

    def _heard(self, signal: Signal) -> "_Heard":
        """Return what the networks say of each frame of a recording.

        A text asks for it several times: for its lattice, and for the path that was found. That
        of a recording of a few minutes is kept, with the weights that it is of.
        """

        def compute() -> tuple[_Heard, list[Float32]]:
            phone, boundary, transition = self._outputs(self.energies(signal))
            known, every = self._of_phones(phone)
            best = loop_scores(every)
            return _Heard(known, best, log_sigmoid(boundary), log_softmax(transition)), weights

        weights = [w for network in self.networks_ for w in network.weights]
        if signal.n_frames > _MOST_KEPT:
            return compute()[0]
        key = ("network outputs", self.without_echo, *self.symbols_, *map(id, weights))
        return signal.cached(key, compute)[0]

    def at_ends(self, signal: Signal, event: Event, n: int) -> tuple[float, float]:
        """Return the log probability of an event in the first n frames, and in the last n.

        Each is a sum over its frames. Of a long recording no others are computed.
        """
        if signal.n_frames <= _LONG:  # all will be asked for, and are few
            phone = self._heard(signal).phone
        else:
            x, m = self.energies(signal), n + max(network.reach for network in self.networks_)
            ends = [self._outputs(part)[0] for part in (x[:m], x[-m:])]
            phone, _ = self._of_phones(np.concatenate(ends))
        scores, rows = self._phone_scores(np.concatenate((phone[:n], phone[-n:])), (event,))
        first, last = scores[rows[0]].reshape(2, n).sum(axis=1, dtype=np.float64).tolist()
        return first, last

    def rough(self) -> Self:
        """Return the same with one of the networks."""
        one = copy.copy(self)
        one.networks_ = self.networks_[:1]
        one._noise = ROUGH_NOISE
        return one

    def with_spoken_noise(self, less: float) -> Self:
        """Return the same by which a frame of spoken noise scores so much less."""
        one = copy.copy(self)
        one._noise = less
        return one

    def weighing_pauses(self, times: float) -> Self:
        """Return the same by which pauses must be surer."""
        one = copy.copy(self)
        one._pauses = times
        return one

    def non_negative(self) -> tuple[str, ...]:
        """Return all: they are log probabilities."""
        return ("network.phone", "network.boundary", "network.transition")

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return ``network.phone``, ``network.boundary`` and ``network.transition``."""
        if not hasattr(self, "networks_"):
            raise ModelError(f"feature {self.name!r} is not fitted; call fit first.")
        phone, best, boundary, transition = self._heard(signal)
        distinct, row_of = rows_of(events)
        opening, closing = (side[row_of] for side in self._sides(distinct))
        n_events, n_classes = len(events), len(self.classes_)
        scores, rows = self._phone_scores(phone, distinct)
        scores, rows = with_noise(scores, rows, distinct, best, self._noise)
        if self._pauses != 1.0:
            scores, rows = with_pauses(scores, rows, distinct, best, self._pauses)
        pair = np.full(n_events, -1, dtype=np.intp)
        known = (closing[:-1] >= 0) & (opening[1:] >= 0)
        pair[1:][known] = closing[:-1][known] * n_classes + opening[1:][known]
        pairs, row = np.unique(pair[pair >= 0], return_inverse=True)
        pair[pair >= 0] = row
        began = np.zeros(n_events, dtype=np.intp)
        began[:1] = -1  # the recording's own beginning is no boundary to be found
        return {
            "network.phone": SegmentTerm.from_frames(scores, rows[row_of], best),
            "network.boundary": OnsetTerm(boundary.T, began),
            "network.transition": OnsetTerm(transition[:, pairs].T, pair),
        }

    def _of_phones(self, phone: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return what `_phone_scores` reads, from outputs of the head [shape=(T, n)].

        And the scores of all symbols there are [shape=(T, number of symbols)].
        """
        log_phone = log_softmax(phone)
        return log_phone, log_phone

    def _phone_scores(
        self, log_phone: npt.NDArray[Any], events: Sequence[Event]
    ) -> tuple[npt.NDArray[Any], IntArray]:
        """Frame scores [shape=(S, T)] and the row of each event, from what `_of_phones` gave.

        A symbol the network never met scores as the mean probability of its class, and where no
        symbol of its class was met either, as a symbol about which nothing is known.
        """
        rows = self._symbol_rows(events)
        met, row = np.unique(rows[rows >= 0], return_inverse=True)
        scores = [log_phone[:, met].T]
        rows[rows >= 0] = row
        extra: dict[str, int] = {}
        for k in np.flatnonzero(rows < 0):
            kind = self._event_class(events[int(k)])
            if kind not in extra:
                extra[kind] = len(met) + len(extra)
                alike = np.flatnonzero([self._class(symbol) == kind for symbol in self.symbols_])
                if alike.size == 0:
                    alike = np.arange(len(self.symbols_))
                mean = np.exp(log_phone[:, alike]).mean(axis=1)
                scores.append(np.log(np.maximum(mean, 1e-8))[None])
            rows[k] = extra[kind]
        return np.concatenate(scores), rows

    def _symbol(self, event: Event) -> str:
        label = str(event)
        return label if self.symbols is None else self.symbols.get(label, label)

    def _class(self, symbol: str) -> str:
        return _OTHER if self.classes is None else self.classes.get(symbol, _OTHER)

    def _event_class(self, event: Event) -> str:
        return self._class(self._symbol(event))

    def _symbol_rows(self, events: Sequence[Event]) -> IntArray:
        """Return the place of each event's symbol in `symbols_`, -1 for an unknown one."""
        return self._rows(events, self.symbols_, self._symbol)

    def _rows(self, events: Sequence[Event], known: Sequence[str], name_of: Any) -> IntArray:
        """Place of each event's symbol or class among the known ones, -1 for an unknown one."""
        place = {name: i for i, name in enumerate(known)}
        distinct, rows = rows_of(events)
        places = np.array([place.get(name_of(event), -1) for event in distinct], dtype=np.intp)
        return places[rows]

    # State -----------------------------------------------------------------------------------

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        params: dict[str, Any] = {
            "symbols": dict(self.symbols or {}),
            "classes": dict(self.classes or {}),
            "known_symbols": self.symbols_,
            "known_classes": self.classes_,
            "windows": list(self.windows),
            "n_mels": self.n_mels,
            "networks": [],
        }
        if self.without_echo:
            params["without_echo"] = True
        arrays: dict[str, npt.NDArray[Any]] = {}
        for n, network in enumerate(self.networks_):
            shape, own = network.get_state()
            params["networks"].append(shape)
            arrays |= nested(f"network{n}.", {key: _short(value) for key, value in own.items()})
        return params, arrays

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        self.symbols = {str(k): str(v) for k, v in params["symbols"].items()}
        self.classes = {str(k): str(v) for k, v in params["classes"].items()}
        self.symbols_ = [str(symbol) for symbol in params["known_symbols"]]
        self.classes_ = [str(name) for name in params["known_classes"]]
        self.windows = [float(window) for window in params["windows"]]
        self.n_mels = int(params["n_mels"])
        self.without_echo = params.get("without_echo") is True
        self.networks_ = []
        for n, shape in enumerate(params["networks"]):
            network = FrameNetwork.from_state(shape, arrays_of(f"network{n}.", arrays))
            if network.heads != self._heads():
                raise ModelError(f"the network's heads are {network.heads}, not {self._heads()}.")
            if network.n_inputs != self.n_mels * len(self.windows):
                raise ModelError(f"the network reads {network.n_inputs} numbers a frame.")
            self.networks_.append(network)
        if not self.networks_:
            raise ModelError("the model holds no network.")
        return self


def _short(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array in half precision where nothing is lost; whole numbers as they are."""
    if array.dtype.kind != "f":
        return array
    short = np.clip(array, -6e4, 6e4).astype(np.float16)
    return short if np.array_equal(short, array) else array
