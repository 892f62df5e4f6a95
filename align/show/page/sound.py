"""Recordings as a browser plays them: one channel, compressed, as bytes.

============  ==============================  ===========================================
format        coding                          for
============  ==============================  ===========================================
``ogg``       Ogg Vorbis, about 1/5 of PCM    small pages; every browser of today
``flac``      FLAC, 16 bits, about 1/2        the very samples; every browser
``wav``       PCM, 16 bits                    the very samples, even in old browsers
============  ==============================  ===========================================

Vorbis keeps time to the sample; what it changes cannot be seen at the scale of a phone.
"""

import io
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.files.names import StrPath
from align.types import Float32

SOUND_FORMATS = {"ogg": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav"}
"""Media type of each format."""

_CODINGS = {"ogg": ("OGG", "VORBIS"), "flac": ("FLAC", "PCM_16"), "wav": ("WAV", "PCM_16")}
_RATES = (8000, 48000)  # Hz that every browser decodes
_BLOCK = 1 << 13  # frames; libsndfile's Vorbis coder keeps a long write on the stack


class EncodedSound(NamedTuple):
    """A recording as a page holds it: an audio file, its media type, rate in Hz, and seconds."""

    data: bytes
    media_type: str
    rate: int
    duration: float


def encode_sound(
    audio: StrPath | npt.NDArray[Any], rate: int | None = None, format: str = "ogg"
) -> EncodedSound:
    """Encode a recording, a file or samples, for a page: one channel, at 8 to 48 kHz.

    `audio` may be an array [shape=(n,) or (n, channels)] at `rate` Hz; samples beyond full scale
    are scaled down. `format` is "ogg", "flac" or "wav", else ParameterError; DataError where the
    recording cannot be read.

    Examples
    --------
    >>> sound = encode_sound(np.zeros(8000), 8000, "wav")
    >>> sound.data[:4], sound.duration
    (b'RIFF', 1.0)
    """
    if format not in _CODINGS:
        raise ParameterError(f"sound={format!r}, must be one of {', '.join(_CODINGS)}.")
    from align.features.sound.audio import read_audio

    samples, found = read_audio(audio, None, source_rate=rate, allow_silence=True)
    duration = samples.size / found
    wanted = min(max(found, _RATES[0]), _RATES[1])
    if wanted != found:
        samples, found = read_audio(samples, wanted, source_rate=found, allow_silence=True)
    loudest = float(np.abs(samples).max())
    if loudest > 1.0:
        samples = samples / np.float32(loudest)
    return EncodedSound(encoded(samples, found, format), SOUND_FORMATS[format], found, duration)


def encoded(samples: Float32, rate: int, format: str) -> bytes:
    """Return samples [shape=(n,) or (n, channels)] as an audio file of one of `SOUND_FORMATS`."""
    import soundfile

    out, (container, coding) = io.BytesIO(), _CODINGS[format]
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    with soundfile.SoundFile(
        out, "w", samplerate=rate, channels=channels, format=container, subtype=coding
    ) as file:
        for first in range(0, len(samples), _BLOCK):
            file.write(samples[first : first + _BLOCK])
    return out.getvalue()
