"""Three sets of base functions for speech that have names, and the phone maps they come with.

``"default"``
    A small convolutional network scores phones, boundaries and transitions between classes of
    phones at a 5 ms hop; log-normal durations; spectral distances.
``"universal"``
    The same for any language: labels are those of the International Phonetic Alphabet, and the
    network scores articulations, so that phones it never met can be aligned.
``"thesis"``
    The seven of the thesis, section 9.5.1, at a 10 ms hop: spectral distance at four scales,
    cumulative phone confidence from a kernel passive-aggressive classifier, normal durations,
    change of speaking rate.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from align.errors import ModelError, ParameterError
from align.features import (
    ArticulatoryConfidence,
    ArticulatoryDuration,
    DurationFeature,
    Feature,
    NetworkConfidence,
    PhoneConfidence,
    SpeakingRate,
    SpectralDistance,
)
from align.formats.phone_map import PHONE_MAPS
from align.sequence.feature_terms import listed
from align.speech.label_classes import broad_classes

_HOPS = {"default": 0.005, "universal": 0.005, "thesis": 0.01}


def named_or_own(features: str | Sequence[str | Feature]) -> list[str | Feature]:
    """Return names of sets and features of one's own, of which one may be given alone."""
    chosen: list[str | Feature] = listed(features)
    for item in chosen:
        if isinstance(item, str) and item not in _HOPS:
            raise ParameterError(
                f"features={item!r} is not a named set; choose from {sorted(_HOPS)}."
            )
    return chosen


def named_features(
    name: str, symbols: Mapping[str, str], classes: Mapping[str, str], random_state: int
) -> list[Feature]:
    """Return a named set, unfitted, for labels that map to symbols and to broad classes."""
    if name == "thesis":
        from align.learners.kernels.kernel_pa import KernelPA  # takes a while to import

        classifier = KernelPA(
            kernel="gaussian", sigma=6.24, C=5.0, budget=2000, random_state=random_state
        )
        return [
            SpectralDistance(scales=(1, 2, 3, 4)),
            PhoneConfidence(classifier, label_map=symbols),
            DurationFeature("normal"),
            SpeakingRate(),
        ]
    if name == "universal":
        return [
            ArticulatoryConfidence(symbols, epochs=10.0, random_state=random_state),
            SpectralDistance(scales=(1, 2, 3, 4)),
            ArticulatoryDuration(symbols),
        ]
    return [
        NetworkConfidence(symbols, broad_classes(), random_state=random_state),
        SpectralDistance(scales=(1, 2, 3, 4)),
        DurationFeature("lognormal", classes=classes, pause="silence"),
    ]


def default_hop(features: str | Sequence[str | Feature]) -> float:
    """Return the length of a frame in seconds: the shortest of the named sets'."""
    named = [features] if isinstance(features, str) else features
    return min((_HOPS[n] for n in named if isinstance(n, str) and n in _HOPS), default=0.005)


def takes_ipa(features: str | Sequence[str | Feature]) -> bool:
    """Whether labels are IPA, and need not have been met in training."""
    if isinstance(features, str):
        return features == "universal"
    return any(
        item == "universal" or isinstance(item, ArticulatoryConfidence) for item in features
    )


def check_saved(params: Mapping[str, Any]) -> None:
    """Raise ModelError unless features and phone map of a model file are those it may name."""
    phones = params.get("phone_map")
    if isinstance(phones, str) and phones not in PHONE_MAPS:  # a model could read any file
        raise ModelError(f"phone_map is {phones!r}, must be one of {', '.join(PHONE_MAPS)}.")
    if isinstance(phones, Mapping) and not all(isinstance(to, str) for to in phones.values()):
        raise ModelError("phone_map must map labels to phones.")
    if not isinstance(params["features"], list):
        raise ModelError("features must be a list of names.")
