"""Confidence in phones of any language: a network whose outputs are articulations.

As `NetworkConfidence`, but for the head of the phones. There, a phone is a column of weights, and
one never met in training has none. Here the network's output is a vector u(t) over the
articulatory features of `align.features.phones.articulatory`, and the logit of a phone is its
inner product with the phone's own vector a, so that a phone never met has a score as well::

    P(phone | frame t)  =  exp(a . u(t)) / sum over phones b met in training of exp(b . u(t))

Transitions are classified by the broad class that the phone before ends with and that the one
after begins with, which follow from the articulation.

Single words, the usual recordings of field work, are laid end to end for training, so that few
stretches are empty.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.features.base import TimedSignal
from align.features.networks.network import FrameNetwork, in_eight_bits, in_half_precision
from align.features.networks.targets import Lesson
from align.features.phones.articulatory import BROAD_CLASSES, FEATURES, articulation
from align.features.phones.network_confidence import NetworkConfidence
from align.features.sound.disguises import SILENCED, Disguise
from align.types import Event, Float32, IntArray

_MARGIN = 0.2  # seconds of silence kept at either end of a training recording
_LONG = 600  # frames; shorter training recordings are laid end to end
_KEPT = 2  # networks of other surroundings: together they were trained on all recordings


class ArticulatoryConfidence(NetworkConfidence):
    """Base functions ``phone``, ``boundary`` and ``transition`` for IPA labels of any language.

    Parameters
    ----------
    symbols : mapping of str to str, optional
        Label to the IPA label it stands for; a label that is not in it is IPA itself.
    **network
        As in `NetworkConfidence`, `classes` excepted.

    Attributes
    ----------
    symbols_ : list of str
        The IPA labels met in training, one of each articulation.
    networks_ : list of FrameNetwork
        Their outputs are averaged.
    """

    # Half of a word that was recorded alone is silence, of a sentence hardly a tenth.
    disguises: ClassVar[Sequence[Disguise]] = SILENCED
    # The same networks are asked in noise, and what they learn there costs nothing in quiet.
    in_noise: ClassVar[float] = 0.3

    def __init__(self, symbols: Mapping[str, str] | None = None, **network: Any) -> None:
        super().__init__(symbols, None, **network)

    def _learn_symbols(self, examples: Sequence[TimedSignal]) -> None:
        self._set_symbols({self._symbol(event) for item in examples for event in item.events})

    def _set_symbols(self, symbols: set[str]) -> None:
        one_of_each: dict[bytes, str] = {}
        for symbol in sorted(symbols):
            one_of_each.setdefault(_key(symbol), symbol)
        self.symbols_ = list(one_of_each.values())
        self.classes_ = list(BROAD_CLASSES)

    def pool(self, copies: Sequence[NetworkConfidence]) -> Self:
        """Take the networks of copies fitted to parts of the training set, to be averaged."""
        self._set_symbols({s for copy in copies for s in copy.symbols_})
        self.networks_, self._besides = [n for copy in copies for n in copy.networks_], ()
        if self.surroundings:
            self.networks_ = self.networks_[:_KEPT]
        return self

    def _train(self, network: FrameNetwork, lessons: Sequence[Lesson], **options: Any) -> None:
        super()._train(network, lessons, **options)
        network.weights = in_half_precision(network.weights)

    def _of_several(self, weights: Sequence[Float32]) -> list[Float32]:
        short = in_half_precision(weights)
        short[::2] = map(in_eight_bits, short[::2])
        return short

    def halfway(self, first: Self) -> Self:
        """Return a copy halfway back to the one before `adapt`."""
        new = super().halfway(first)
        for network in new.networks_:
            network.weights = in_half_precision(network.weights)
        return new

    def _found_outputs(self, network: FrameNetwork, known: NetworkConfidence) -> None:
        """Do nothing: a symbol that is new has outputs, those of its articulation."""

    def _heads(self) -> tuple[int, int, int]:
        return len(FEATURES), 1, len(BROAD_CLASSES) ** 2 + 1

    def _tables(self) -> tuple[Float32 | None, ...]:
        return _vectors(self.symbols_), None, None

    def _training_set(self, examples: Sequence[TimedSignal]) -> list[Lesson]:
        lessons = super()._training_set(examples)
        runs = _runs([len(x) for x, _ in lessons])
        return [Lesson.end_to_end([lessons[i] for i in run]) for run in runs]

    def _groups(self, examples: Sequence[TimedSignal]) -> list[list[TimedSignal]]:
        lengths = [int(item.end - item.onsets[0]) for item in examples]
        return [[examples[i] for i in run] for run in _runs(lengths)]

    def _labelled(self, item: TimedSignal, disguise: Disguise) -> Lesson:
        lesson = super()._labelled(item, disguise)
        tempo = disguise.tempo
        kept = round(_MARGIN / item.signal.hop)
        first, last = 0, len(lesson.x)
        spoken = np.flatnonzero(
            [articulation(self._symbol(e)).opening != "silence" for e in item.events]
        )
        if spoken.size:
            first = max(0, int(item.onsets[spoken[0]] / tempo) - kept)
            after = int(spoken[-1]) + 1
            end = item.onsets[after] if after < len(item.events) else item.end
            last = min(last, int(end / tempo) + kept)
        return lesson.of(slice(first, last))

    def _sides(self, events: Sequence[Event]) -> tuple[IntArray, IntArray]:
        place = {name: i for i, name in enumerate(BROAD_CLASSES)}
        both = [articulation(self._symbol(event)) for event in events]
        return (
            np.array([place[a.opening] for a in both], dtype=np.intp),
            np.array([place[a.closing] for a in both], dtype=np.intp),
        )

    def _symbol_rows(self, events: Sequence[Event]) -> IntArray:
        place = {_key(symbol): i for i, symbol in enumerate(self.symbols_)}
        rows = [place.get(_key(self._symbol(event)), -1) for event in events]
        return np.array(rows, dtype=np.intp)

    def _of_phones(self, phone: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        met = phone @ _vectors(self.symbols_).T
        top = met.max(axis=1, keepdims=True)
        total = top + np.log(np.exp(met - top).sum(axis=1, keepdims=True))
        return np.concatenate((phone, total), axis=1), met - total

    def _phone_scores(
        self, known: npt.NDArray[Any], events: Sequence[Event]
    ) -> tuple[npt.NDArray[Any], IntArray]:
        labels = [self._symbol(event) for event in events]
        different = sorted(set(labels))
        row = {label: i for i, label in enumerate(different)}
        scores = known[:, :-1] @ _vectors(different).T - known[:, -1:]
        rows = np.array([row[label] for label in labels], dtype=np.intp)
        return scores.T, rows

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        if list(params.get("features", [])) != list(FEATURES):
            raise ModelError("the network was trained with other articulatory features.")
        return super().set_state(params, arrays)

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        params, arrays = super().get_state()
        for name, array in arrays.items():
            if ".weight" in name and array.dtype.kind == "f":
                arrays[name] = array.astype(np.float16)
        return {**params, "features": list(FEATURES)}, arrays


@lru_cache(maxsize=4096)
def _key(symbol: str) -> bytes:
    return articulation(symbol).vector.tobytes()


def _vectors(symbols: Sequence[str]) -> Float32:
    """Vector of each symbol [shape=(S, len(FEATURES))]."""
    return np.stack([articulation(symbol).vector for symbol in symbols])


def _runs(lengths: Sequence[int]) -> list[list[int]]:
    """Return the places of sequences of these lengths, in runs of `_LONG` frames or more."""
    runs: list[list[int]] = [[]]
    together = 0
    for i, length in enumerate(lengths):
        runs[-1].append(i)
        together += length
        if together >= _LONG and i + 1 < len(lengths):
            runs.append([])
            together = 0
    return runs
