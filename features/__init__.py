"""Signals, features and base functions.

The names below are loaded on first use, so that importing this package is immediate.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from align.features.audio import AudioInfo, audio_info, read_audio
    from align.features.base import (
        Feature,
        TimedSignal,
        duration_feature,
        general_feature,
        onset_feature,
        ratio_feature,
        segment_feature,
    )
    from align.features.cepstra import mfcc
    from align.features.confidence import FrameClassifier, PhoneConfidence
    from align.features.context import stack_context
    from align.features.derivatives import polynomial_derivatives
    from align.features.duration import DurationFeature
    from align.features.network_confidence import NetworkConfidence
    from align.features.signal import Signal
    from align.features.speaking_rate import SpeakingRate
    from align.features.spectra import log_mel
    from align.features.spectral_distance import SpectralDistance

__all__ = [
    "AudioInfo",
    "DurationFeature",
    "Feature",
    "FrameClassifier",
    "NetworkConfidence",
    "PhoneConfidence",
    "Signal",
    "SpeakingRate",
    "SpectralDistance",
    "TimedSignal",
    "audio_info",
    "duration_feature",
    "general_feature",
    "log_mel",
    "mfcc",
    "onset_feature",
    "polynomial_derivatives",
    "ratio_feature",
    "read_audio",
    "segment_feature",
    "stack_context",
]

_HOME = {
    "AudioInfo": "audio",
    "DurationFeature": "duration",
    "Feature": "base",
    "FrameClassifier": "confidence",
    "NetworkConfidence": "network_confidence",
    "PhoneConfidence": "confidence",
    "Signal": "signal",
    "SpeakingRate": "speaking_rate",
    "SpectralDistance": "spectral_distance",
    "TimedSignal": "base",
    "audio_info": "audio",
    "duration_feature": "base",
    "general_feature": "base",
    "log_mel": "spectra",
    "mfcc": "cepstra",
    "onset_feature": "base",
    "polynomial_derivatives": "derivatives",
    "ratio_feature": "base",
    "read_audio": "audio",
    "segment_feature": "base",
    "stack_context": "context",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"align.features.{_HOME[name]}"), name)
    raise AttributeError(f"module 'align.features' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
