"""Signals, features and base functions.

The names below are loaded on first use, so that importing this package is immediate.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from align.features.articulatory_duration import ArticulatoryDuration
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
    from align.features.network_articulatory import ArticulatoryConfidence
    from align.features.network_confidence import NetworkConfidence
    from align.features.note_network import NoteNetwork, TimedNotes
    from align.features.pitch import (
        band_energies,
        estimate_tuning,
        log_level,
        pitch_frequency,
        semitone_bands,
    )
    from align.features.score_thesis import PitchEnergy, ScoreTempo
    from align.features.signal import Signal
    from align.features.speaking_rate import SpeakingRate
    from align.features.spectra import log_mel
    from align.features.spectral_distance import SpectralDistance

__all__ = [
    "ArticulatoryConfidence",
    "ArticulatoryDuration",
    "AudioInfo",
    "DurationFeature",
    "Feature",
    "FrameClassifier",
    "NetworkConfidence",
    "NoteNetwork",
    "PhoneConfidence",
    "PitchEnergy",
    "ScoreTempo",
    "Signal",
    "SpeakingRate",
    "SpectralDistance",
    "TimedNotes",
    "TimedSignal",
    "audio_info",
    "band_energies",
    "duration_feature",
    "estimate_tuning",
    "general_feature",
    "log_level",
    "log_mel",
    "mfcc",
    "onset_feature",
    "pitch_frequency",
    "polynomial_derivatives",
    "ratio_feature",
    "read_audio",
    "segment_feature",
    "semitone_bands",
    "stack_context",
]

_HOME = {
    "ArticulatoryConfidence": "network_articulatory",
    "ArticulatoryDuration": "articulatory_duration",
    "AudioInfo": "audio",
    "DurationFeature": "duration",
    "Feature": "base",
    "FrameClassifier": "confidence",
    "NetworkConfidence": "network_confidence",
    "NoteNetwork": "note_network",
    "PhoneConfidence": "confidence",
    "PitchEnergy": "score_thesis",
    "ScoreTempo": "score_thesis",
    "Signal": "signal",
    "SpeakingRate": "speaking_rate",
    "SpectralDistance": "spectral_distance",
    "TimedNotes": "note_network",
    "TimedSignal": "base",
    "audio_info": "audio",
    "band_energies": "pitch",
    "duration_feature": "base",
    "estimate_tuning": "pitch",
    "general_feature": "base",
    "log_level": "pitch",
    "log_mel": "spectra",
    "mfcc": "cepstra",
    "onset_feature": "base",
    "pitch_frequency": "pitch",
    "polynomial_derivatives": "derivatives",
    "ratio_feature": "base",
    "read_audio": "audio",
    "segment_feature": "base",
    "semitone_bands": "pitch",
    "stack_context": "context",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"align.features.{_HOME[name]}"), name)
    raise AttributeError(f"module 'align.features' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
