from .base import (
    Feature,
    TimedSignal,
    duration_feature,
    general_feature,
    onset_feature,
    ratio_feature,
    segment_feature,
)
from .duration import DurationFeature
from .notes.note_network import NoteNetwork
from .notes.score_thesis import PitchEnergy, ScoreTempo
from .notes.timed_notes import TimedNotes
from .phones.articulatory_duration import ArticulatoryDuration
from .phones.confidence import FrameClassifier, PhoneConfidence, stack_context
from .phones.network_articulatory import ArticulatoryConfidence
from .phones.network_confidence import NetworkConfidence
from .sound.audio import AudioInfo, Channel, audio_info, read_audio
from .sound.cepstra import mfcc
from .sound.derivatives import polynomial_derivatives
from .sound.pitch import band_energies, log_level, pitch_frequency, semitone_bands
from .sound.signal import Signal
from .sound.spectra import log_mel
from .sound.tuning import estimate_tuning
from .speaking_rate import SpeakingRate
from .spectral_distance import SpectralDistance

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
