"""Signals, features and base functions.

The names below are loaded on first use, so that importing this package is immediate.

===================  ==========================================================================
place                what lies there
===================  ==========================================================================
`sound`              recordings, frames, spectra; recordings changed on purpose
`base`               what a feature is: a signal and its events in, base functions out
`networks`           a small network over frames
`phones`             how well frames suit phones
`notes`              how well frames suit notes and chords
`duration`           how long events last; `speaking_rate`: how that changes
`spectral_distance`  how much the spectrum changes at an onset
===================  ==========================================================================

`sound` imports none of the others, `base` imports `sound`, and `phones` and `notes` import all but
each other.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.features.base import (
        Feature,
        TimedSignal,
        duration_feature,
        general_feature,
        onset_feature,
        ratio_feature,
        segment_feature,
    )
    from align.features.duration import DurationFeature
    from align.features.notes.note_network import NoteNetwork
    from align.features.notes.score_thesis import PitchEnergy, ScoreTempo
    from align.features.phones.articulatory_duration import ArticulatoryDuration
    from align.features.phones.confidence import FrameClassifier, PhoneConfidence, stack_context
    from align.features.phones.network_articulatory import ArticulatoryConfidence
    from align.features.phones.network_confidence import NetworkConfidence
    from align.features.sound.audio import AudioInfo, Channel, audio_info, read_audio
    from align.features.sound.cepstra import mfcc
    from align.features.sound.derivatives import polynomial_derivatives
    from align.features.sound.pitch import (
        band_energies,
        log_level,
        pitch_frequency,
        semitone_bands,
    )
    from align.features.sound.signal import Signal
    from align.features.sound.spectra import log_mel
    from align.features.sound.tuning import estimate_tuning
    from align.features.speaking_rate import SpeakingRate
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
        "align.features.phones.articulatory_duration": "ArticulatoryDuration",
        "align.features.sound.audio": "AudioInfo Channel audio_info read_audio",
        "align.features.base": (
            "Feature TimedSignal duration_feature general_feature onset_feature "
            "ratio_feature segment_feature"
        ),
        "align.features.sound.cepstra": "mfcc",
        "align.features.phones.confidence": "FrameClassifier PhoneConfidence stack_context",
        "align.features.sound.derivatives": "polynomial_derivatives",
        "align.features.duration": "DurationFeature",
        "align.features.phones.network_articulatory": "ArticulatoryConfidence",
        "align.features.phones.network_confidence": "NetworkConfidence",
        "align.features.notes.note_network": "NoteNetwork",
        "align.features.sound.pitch": "band_energies log_level pitch_frequency semitone_bands",
        "align.features.notes.score_thesis": "PitchEnergy ScoreTempo",
        "align.features.sound.signal": "Signal",
        "align.features.speaking_rate": "SpeakingRate",
        "align.features.sound.spectra": "log_mel",
        "align.features.sound.tuning": "estimate_tuning",
        "align.features.spectral_distance": "SpectralDistance",
        "align.features.notes.timed_notes": "TimedNotes",
    },
)
