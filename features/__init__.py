"""Signals, features and base functions.

The names below are loaded on first use, so that importing this package is immediate.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.features.articulatory_duration import ArticulatoryDuration
    from align.features.audio import AudioInfo, Channel, audio_info, read_audio
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
    from align.features.note_network import NoteNetwork
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
    "Channel",
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "align.features.articulatory_duration": "ArticulatoryDuration",
        "align.features.audio": "AudioInfo Channel audio_info read_audio",
        "align.features.base": (
            "Feature TimedSignal duration_feature general_feature onset_feature "
            "ratio_feature segment_feature"
        ),
        "align.features.cepstra": "mfcc",
        "align.features.confidence": "FrameClassifier PhoneConfidence",
        "align.features.context": "stack_context",
        "align.features.derivatives": "polynomial_derivatives",
        "align.features.duration": "DurationFeature",
        "align.features.network_articulatory": "ArticulatoryConfidence",
        "align.features.network_confidence": "NetworkConfidence",
        "align.features.note_network": "NoteNetwork",
        "align.features.pitch": (
            "band_energies estimate_tuning log_level pitch_frequency semitone_bands"
        ),
        "align.features.score_thesis": "PitchEnergy ScoreTempo",
        "align.features.signal": "Signal",
        "align.features.speaking_rate": "SpeakingRate",
        "align.features.spectra": "log_mel",
        "align.features.spectral_distance": "SpectralDistance",
        "align.features.timed_notes": "TimedNotes",
    },
)
