"""Learning speech in other surroundings: rooms, noise, music, other people, telephones.

Beside the first aligner others are learned, one for each kind of surroundings, from the same
recordings as they would sound there (`align.features.surroundings`): their networks go on from
those of the first and hear each recording in surroundings that are drawn anew, and their
weights, the placement and the correction of onsets are learned from copies of the recordings. So
what the first one does in a quiet room stays as it is.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from align.errors import ParameterError
from align.features import ArticulatoryConfidence, Feature, NetworkConfidence, Signal, TimedSignal
from align.features.surroundings import KINDS, elsewhere
from align.speech.hearing import sound_of

__all__ = ["Surroundings", "network_of"]


class _How(NamedTuple):
    """How networks are trained, beside those of the first aligner.

    Times the epochs, since there is more to be learned, and times the peak learning rate; and
    whether a network for rooms sees further.
    """

    epochs: float
    rate: float
    wide: bool


_ANEW, _LATER, _LATER_IPA = _How(1.7, 1.0, True), _How(1.4, 1.0, True), _How(0.6, 0.5, False)
_DILATIONS = {
    "noise": (1, 2, 4, 8, 16, 1, 2),
    "room": (1, 2, 4, 8, 16, 32, 2),  # a room is heard for a third of a second
}


def network_of(features: Sequence[Any]) -> NetworkConfidence:
    """Return the network among features."""
    return _networks(features)[0]


def _networks(features: Sequence[Any]) -> list[NetworkConfidence]:
    return [f for f in features if isinstance(f, NetworkConfidence)]


class Surroundings:
    """How an aligner is trained for surroundings of one kind.

    Parameters
    ----------
    kind : {"noise", "room"}
        Which.
    copies : int
        Copies of each recording that weights are learned from.
    random_state : int
        Of the surroundings that are drawn for them.
    first : sequence of sequence of Feature, optional
        The features of the first aligner that did not see each recording. Networks go on from
        theirs, if they have as many layers; then fewer epochs are enough.
    """

    def __init__(
        self,
        kind: str,
        copies: int,
        random_state: int,
        first: Sequence[Sequence[Feature]] | None = None,
    ) -> None:
        self.kind, self.copies, self.random_state = kind, copies, random_state
        layers = len(_DILATIONS[kind])
        goes_on = first and all(len(n.dilations) == layers for n in _networks(first[0]))
        self.first = first if goes_on else None
        self.sounds: dict[str, list[Any]] = {}

    def prepare(self, features: Sequence[Feature]) -> None:
        """Let the networks among unfitted features hear other surroundings in training."""
        networks = _networks(features)
        if not networks:
            raise ParameterError(
                "surroundings are learned by networks; use the default or the universal features."
            )
        for network in networks:
            network.surroundings = self.kind
            of_any_language = isinstance(network, ArticulatoryConfidence)
            how = _ANEW if self.first is None else _LATER_IPA if of_any_language else _LATER
            network.epochs *= how.epochs
            network.learning_rate *= how.rate
            if how.wide or self.kind != "room":
                network.dilations = _DILATIONS[self.kind]

    def copies_of(
        self, items: Sequence[TimedSignal], features: list[list[Feature]]
    ) -> tuple[list[TimedSignal], list[list[Feature]]]:
        """Return copies of recordings, each in surroundings of its own, and their features."""
        rng = np.random.default_rng([self.random_state, 1 + KINDS.index(self.kind)])
        others = [item.signal.samples for item in items]
        copies: list[TimedSignal] = []
        for _ in range(self.copies):
            for item in items:
                signal = item.signal
                samples = elsewhere(signal.samples, signal.rate, rng, others, self.kind)
                copied = Signal(samples, signal.rate, signal.hop, signal.name)
                copies.append(replace(item, signal=copied))
        network = network_of(features[0])
        for kind, part in (("", items), (self.kind, copies)):
            self.sounds[kind] = [sound_of(network.energies(item.signal)) for item in part]
        return copies, features * self.copies
