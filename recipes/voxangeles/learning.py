"""How models of any language are learned from recordings, and from made ones beside them.

There are few recorded sentences with labels. Made ones (`made_speech.py`) are cheap, but nobody
spoke them. So only networks and lengths of phones are learned from both; weights, offsets,
confidence and matches are learned from what people said.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

import align
from align.features import ArticulatoryDuration, TimedSignal
from align.features.phones.network_articulatory import ArticulatoryConfidence

SHORTEST = 0.002  # seconds, of a phone beside a pause


class _Networks(ArticulatoryConfidence):
    """Networks that are fitted to made recordings, too."""

    made: Sequence[TimedSignal] = ()

    def fit(self, examples: Sequence[TimedSignal]) -> Self:
        return super().fit([*examples, *self.made])


class _Lengths(ArticulatoryDuration):
    """Lengths of phones of made recordings, too."""

    made: Sequence[TimedSignal] = ()

    def fit(self, examples: Sequence[TimedSignal]) -> Self:
        return super().fit([*examples, *self.made])


def learned(
    examples: Sequence[align.Example], made: Sequence[align.Example], **params: Any
) -> align.SpeechAligner:
    """Return a model of phones in the IPA, learned from recordings and from made ones."""
    plain = align.SpeechAligner("universal", **params)
    if not made:
        return plain.fit(examples)
    signals = [plain._read_example(example, str(example.audio)) for example in made]
    network, distance, lengths = plain._make_features()
    for feature, own in ((network, _Networks), (lengths, _Lengths)):
        feature.__class__, feature.made = own, signals
    model = align.SpeechAligner([network, distance, lengths], **params).fit(examples)
    for one in (model, *model.elsewhere_.values()):
        one.features = "universal"  # what it is, now that all is learned
        for k, own in ((0, ArticulatoryConfidence), (2, ArticulatoryDuration)):
            one.features_[k].__class__ = own
            del one.features_[k].made
    return model


def beside_pauses(
    made: Sequence[align.Example], model: align.SpeechAligner
) -> list[align.Example]:
    """Return made recordings whose onsets beside pauses, in seconds, are those that a model finds.

    A voice is cut in the middle of phones, so the boundary between two of them is a recorded one.
    At pauses Festival has a rule of its own, and people who label have another, which the model
    has learned. A recording is left out where a phone would be shorter than `SHORTEST`.
    """
    out = []
    for example in made:
        found, onsets = model.align(example.audio, example.events), np.array(example.onsets)
        silent = np.array([event == "sil" for event in example.events])
        beside = 1 + np.flatnonzero(silent[1:] | silent[:-1])
        onsets[beside] = np.asarray(found.onsets)[beside]
        if (np.diff(onsets) > SHORTEST).all():
            out.append(replace(example, onsets=onsets))
    return out
