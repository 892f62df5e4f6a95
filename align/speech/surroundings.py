"""Learning speech in other surroundings: rooms, noise, music, other people, telephones.

Beside the first aligner others are learned, one for each kind of surroundings, from the same
recordings as they would sound there (`align.features.sound.surroundings`): their networks go on
from those of the first and learn from each recording in surroundings drawn anew, and their
weights, the placement and the correction of onsets are learned from copies of the recordings. So
what the first one does in a quiet room stays as it is.

For labels in the IPA, of any language, one for rooms alone is learned: one for noise would hardly
be better than the first.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from align.errors import AlignError, ParameterError
from align.features import Feature, NetworkConfidence, Signal, TimedSignal
from align.features.sound.surroundings import KINDS, elsewhere
from align.speech.sound_classifier import sound_of
from align.types import Example, Float32

# Times the epochs of the first aligner's networks, since there is more to be learned.
_ANEW, _LATER = 1.7, 1.4
_DILATIONS = {
    "noise": (1, 2, 4, 8, 16, 1, 2),
    "room": (1, 2, 4, 8, 16, 32, 2),  # the echo of a room lasts for a third of a second
}


def network_of(features: Sequence[Any]) -> NetworkConfidence:
    """Return the network among features."""
    return _networks(features)[0]


def _networks(features: Sequence[Any]) -> list[NetworkConfidence]:
    return [f for f in features if isinstance(f, NetworkConfidence)]


def remove_echo_of(kind: str, features: Sequence[Any]) -> None:
    """Let networks for rooms, and no others, take the echo off what they score."""
    for network in _networks(features):
        network.without_echo = kind == "room"


def signal_elsewhere(
    signal: Signal, rng: np.random.Generator, others: Sequence[Float32], kind: str
) -> Signal:
    """Return a recording as it would sound in other surroundings."""
    samples = elsewhere(signal.samples, signal.rate, rng, others, kind)
    return Signal(samples, signal.rate, signal.hop, signal.name)


def moved_elsewhere(
    examples: Sequence[Example],
    kind: str,
    random_state: int,
    read: Callable[[Example], Signal],
    sounds_so: Callable[[Signal], bool],
) -> list[Example]:
    """Return recordings as they would sound in surroundings of a kind.

    Those that `sounds_so` already, and those that cannot be read, stay as they are.
    """
    signals: list[Signal | None] = []
    for example in examples:
        try:
            signals.append(read(example))
        except AlignError:  # a problem where it is learned from
            signals.append(None)
    others = [signal.samples for signal in signals if signal is not None]
    rng = np.random.default_rng([random_state, 1 + KINDS.index(kind)])
    moved: list[Example] = []
    for example, signal in zip(examples, signals, strict=True):
        if signal is not None and not sounds_so(signal):
            samples = elsewhere(signal.samples, signal.rate, rng, others, kind)
            name = example.name or signal.name
            moved.append(replace(example, audio=samples, rate=signal.rate, name=name))
        else:
            moved.append(example)
    return moved


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
    alone : bool
        Whether there is no aligner for the other kind, whose sounds are left to the first one.
    """

    def __init__(
        self,
        kind: str,
        copies: int,
        random_state: int,
        first: Sequence[Sequence[Feature]] | None = None,
        alone: bool = False,
    ) -> None:
        self.kind, self.copies, self.random_state = kind, copies, random_state
        layers = len(_DILATIONS[kind])
        goes_on = first and all(len(n.dilations) == layers for n in _networks(first[0]))
        self.first = first if goes_on else None
        self.alone = alone
        self.sounds: dict[str, list[Any]] = {}

    def prepare(self, features: Sequence[Feature]) -> None:
        """Let the networks among unfitted features be trained in other surroundings."""
        networks = _networks(features)
        if not networks:
            raise ParameterError(
                "surroundings are learned by networks; use the default or the universal features."
            )
        for network in networks:
            network.surroundings = self.kind
            network.epochs *= _ANEW if self.first is None else _LATER
            network.dilations = _DILATIONS[self.kind]

    def copies_of(
        self, items: Sequence[TimedSignal], features: list[list[Feature]]
    ) -> tuple[list[TimedSignal], list[list[Feature]]]:
        """Return copies of recordings, each in surroundings of its own, and their features."""
        copies = self._elsewhere(items, self.kind, self.copies)
        plain = items
        if self.alone:
            plain = [*items, *self._elsewhere(items, next(k for k in KINDS if k != self.kind), 1)]
        network = network_of(features[0])
        for kind, part in (("", plain), (self.kind, copies)):
            signals = [item.signal for item in part]
            if self.alone:
                signals += [_spoken(item) for item in part]
            self.sounds[kind] = [
                sound_of(signal.of_sound(network.energies(signal))) for signal in signals
            ]
        return copies, features * self.copies

    def _elsewhere(
        self, items: Sequence[TimedSignal], kind: str, number: int
    ) -> list[TimedSignal]:
        """Return a number of copies of recordings, each in surroundings of its own."""
        rng = np.random.default_rng([self.random_state, 1 + KINDS.index(kind)])
        others = [item.signal.samples for item in items]
        return [
            replace(item, signal=signal_elsewhere(item.signal, rng, others, kind))
            for _ in range(number)
            for item in items
        ]


def _spoken(item: TimedSignal) -> Signal:
    """Return a recording without its first and its last event, which may be silence."""
    signal = item.signal
    first, last = (item.onsets[1], item.onsets[-1]) if len(item.events) > 3 else (0, item.end)
    return signal.part(first * signal.hop, last * signal.hop)
