"""Reading recordings: any file libsndfile knows, or an array, as float32 samples at one rate.

Files are opened by content, whatever their extension: RIFF WAV, NIST SPHERE (TIMIT's own
``.wav``), FLAC, AIFF, Ogg, MP3 and the other formats of libsndfile, M4A, MP4 and the others of
FFmpeg where PyAV is installed, at any sampling rate and with any number of channels. Channels are
averaged, or `Channel` names one of them: where the second is a laryngograph or another speaker,
the average is not what should be aligned. Channels of opposite polarity (a wire of a balanced
cable the wrong way round) would leave nothing of each other: there the loudest is taken. An
offset, as some converters add, is taken off where it has more power than the sound. The rate is
changed by soxr's band-limited resampler. Integer samples are scaled so that full scale is 1.

libsndfile reads a file that ends before its header says it should as if it were whole. A label
file then seems to run past the end of the sound, or, worse, the last phones are squeezed into
what is left. So the size that headers declare is compared with the size of the file, and
compressed formats must yield as many samples as they declare. Nothing is
allocated on the word of a header alone.
"""

import math
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.features.sound._audio_header import Extent, declared_extent, ogg_ends, states_mp3_length
from align.features.sound._media import MediaError, MediaFile, media_available
from align.files.regular import why_missing
from align.types import Float32, Float64

if TYPE_CHECKING:
    import soundfile

_PathLike: TypeAlias = str | os.PathLike[str]
_Audio = TypeVar("_Audio")
_File: TypeAlias = "soundfile.SoundFile | MediaFile"

_BLOCK = 1 << 18  # samples of all channels decoded at a time
_RATES = (1_000, 1_000_000)  # Hz of sound; outside, a header is damaged, resampling could explode
_LOUDEST = 1e9  # beyond, powers of float32 samples would overflow
_SLACK = 0.010  # seconds a file may fall short of its header: sloppy writers, no speech lost
_CANCELLED = 0.2  # an average this share of the power of unrelated channels has lost the sound


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """What the header of an audio file says.

    Attributes
    ----------
    duration : float
        Length in seconds.
    rate : int
        Sampling rate in Hz.
    channels : int
        Number of channels.
    format : str
        Container and coding as libsndfile calls them, such as ``"WAV PCM_16"``.
    """

    duration: float
    rate: int
    channels: int
    format: str


@dataclass(frozen=True, slots=True)
class Channel(os.PathLike[str]):
    """One channel of a file, given wherever a path of a recording is taken.

    Parameters
    ----------
    path : path
        The file.
    number : int
        Which of its channels, counted from 1; the left one of a stereo recording is 1.

    Raises
    ------
    ParameterError
        For a number that is not a positive whole one.

    Examples
    --------
    >>> os.fspath(Channel("interview.wav", 2))
    'interview.wav'
    """

    path: _PathLike
    number: int

    def __post_init__(self) -> None:
        if type(self.number) is not int or self.number < 1:
            raise ParameterError(f"number={self.number!r}, must be a channel: 1, 2 ...")

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    @classmethod
    def of(cls, path: _PathLike, number: int | None) -> "_PathLike":
        """Return one channel of a file, or the file where no number is given."""
        return path if number is None else cls(path, number)


def audio_info(path: _PathLike) -> AudioInfo:
    """Read the header of an audio file, and check it against the size of the file.

    Parameters
    ----------
    path : path or Channel
        The file.

    Returns
    -------
    AudioInfo

    Raises
    ------
    DataError
        Where there is no such file, or it is a directory, empty, truncated or not audio, or has
        no such channel.
    """
    with _open(path, allow_truncated=False) as file:
        _columns(path, file.channels)
        return AudioInfo(
            duration=file.frames / file.samplerate,
            rate=file.samplerate,
            channels=file.channels,
            format=f"{file.format} {file.subtype}",
        )


def read_audio(
    audio: _PathLike | npt.NDArray[Any],
    rate: int | None = 16000,
    *,
    source_rate: int | None = None,
    mono: bool = True,
    allow_silence: bool = False,
    allow_truncated: bool = False,
    name: str = "",
) -> tuple[Float32, int]:
    """Read a recording as float32 samples at one rate.

    Parameters
    ----------
    audio : path, Channel or np.ndarray [shape=(n,) or (n, channels)]
        A file of any format libsndfile reads, one channel of it, or samples: floating point as
        they are, or integers of 8, 16 or 32 bits, which are scaled to [-1, 1]. An array that is
        read-only, of one channel, and already what is asked for is not copied.
    rate : int, optional
        Sampling rate wanted, in Hz; None keeps that of the recording.
    source_rate : int, optional
        Sampling rate of an array, in Hz. Files know their own; it is not looked at there. Of
        signals other than sound it may be below 1000, down to a tenth of `rate`.
    mono : bool
        Average the channels, or take the loudest where they cancel each other. Otherwise the
        result has shape (n, channels).
    allow_silence : bool
        Accept a recording that is constant throughout. By default it is refused: there is
        nothing in it to align, and mostly it is a failed recording or export.
    allow_truncated : bool
        Accept a file that ends before its header says, as WAV written to a pipe does, and read
        what is there, as far as its format allows.
    name : str, optional
        How messages call an array.

    Returns
    -------
    samples : np.ndarray [shape=(n,) or (n, channels), dtype=float32]
        The recording, n > 0; every sample is finite.
    rate : int
        Its sampling rate in Hz.

    Raises
    ------
    DataError
        Where there is no such file, or it is a directory, empty, truncated, not audio, or
        SPHERE compressed with shorten; where it has no such channel, holds no samples, silence
        only, or samples that are not finite. One sentence that names the file.
    ParameterError
        For an array without `source_rate`, or of a type or shape that is not sound.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(np.arange(44100) / 10)
    >>> samples, rate = read_audio(np.stack([tone, tone], axis=1), source_rate=44100)
    >>> samples.shape, samples.dtype, rate
    ((16000,), dtype('float32'), 16000)
    """
    if rate is not None:
        _check_rate("rate", rate, 1)
    where: _PathLike | None
    if isinstance(audio, np.ndarray):
        where = name or None
        lowest = 1 if rate is None else min(_RATES[0], max(1, int(rate) // 10))
        samples, source = _from_array(audio, source_rate, where, lowest)
    elif isinstance(audio, str | os.PathLike):
        where = audio
        samples, source = _from_file(audio, allow_truncated)
    else:
        raise ParameterError(f"audio is a {type(audio).__name__}, must be a path or an array.")
    if samples.shape[0] == 0:
        raise DataError("it holds no samples.", path=where)
    if mono:
        samples = _mixed(samples)
    constant = float(np.ptp(samples)) == 0.0
    if constant and not allow_silence:
        raise DataError(
            f"it is digital silence (every sample is {float(samples.flat[0]):g}); "
            "there is nothing in it to align.",
            path=where,
        )
    if mono and not constant:
        samples = _without_offset(samples)
    if rate is not None and rate != source:
        samples = _resample(samples, source, rate, where)
        source = rate
    return np.ascontiguousarray(samples, dtype=np.float32), source


def lent(audio: _Audio) -> _Audio:
    """Return an array so that `read_audio` need not copy it; whatever else it is stays as it is.

    For who is done with the samples before the owner of the array can change them: those of an
    hour take 230 MB.

    Examples
    --------
    >>> import numpy as np
    >>> samples = np.sin(np.arange(800, dtype=np.float32))
    >>> np.shares_memory(read_audio(lent(samples), source_rate=16000)[0], samples)
    True
    """
    if not isinstance(audio, np.ndarray):
        return audio
    view = audio.view()
    view.setflags(write=False)
    return view


def _mixed(samples: Float32) -> Float32:
    """Return the average of the channels, or the loudest where they cancel each other."""
    if samples.shape[1] == 1:
        return samples[:, 0]
    mixed: Float32 = samples.mean(axis=1)
    powers = _power(samples)
    # channels that have nothing to do with each other leave the sum of their powers over C^2
    unrelated = powers.sum() / samples.shape[1] ** 2
    if _power(mixed[:, None])[0] < _CANCELLED * unrelated:
        return samples[:, int(np.argmax(powers))]
    return mixed


def _without_offset(samples: Float32) -> Float32:
    """Return samples [shape=(n,)] without an offset that has more power than their sound.

    It makes no sound, but levels and low bands would be those of it.

    Examples
    --------
    >>> _without_offset(np.float32([0.5, 0.25, 0.5, 0.25])).tolist()
    [0.125, -0.125, 0.125, -0.125]
    >>> _without_offset(np.float32([0.5, 0.0, 0.0])).tolist()
    [0.5, 0.0, 0.0]
    """
    offset = samples.mean(dtype=np.float64)
    if 2 * samples.size * offset**2 <= _power(samples[:, None])[0]:
        return samples
    return samples - np.float32(offset)


def _power(samples: Float32) -> Float64:
    """Return the sum of squares of each channel; of hours, in blocks that float32 can sum."""
    powers = np.zeros(samples.shape[1])
    for first in range(0, len(samples), _BLOCK):
        powers += [np.einsum("n,n->", one, one) for one in samples[first : first + _BLOCK].T]
    return powers


def _check_rate(name: str, rate: float, lowest: int) -> None:
    if not isinstance(rate, Real):
        raise ParameterError(f"{name}={rate!r}, must be a number of Hz.")
    if not lowest <= rate <= _RATES[1]:
        hint = "; of what is no sound lower that of the aligner, too" * (1 <= rate < lowest)
        raise ParameterError(f"{name}={rate} Hz, must be in {lowest}..{_RATES[1]}{hint}.")
    if rate != int(rate):
        raise ParameterError(f"{name}={rate} Hz, must be a whole number.")


def _from_array(
    array: npt.NDArray[Any], rate: int | None, where: _PathLike | None, lowest: int
) -> tuple[Float32, int]:
    if rate is None:
        raise ParameterError(
            "source_rate=None, must be the sampling rate of the array in Hz (aligners: rate)."
        )
    _check_rate("source_rate", rate, lowest)
    if np.ma.is_masked(array):
        raise ParameterError(
            f"audio has {int(np.ma.getmaskarray(array).sum())} masked samples; say what they are, "
            "such as audio.filled(0)."
        )
    if array.ndim not in (1, 2):
        raise ParameterError(f"audio.shape={array.shape}, must be (n,) or (n, channels).")
    if array.ndim == 2 and array.shape[1] > array.shape[0] > 0:
        raise ParameterError(
            f"audio.shape={array.shape}, must be (n, channels); pass the transpose of "
            "(channels, n)."
        )
    if array.ndim == 2 and array.shape[1] == 0:
        raise ParameterError(f"audio.shape={array.shape}, must have at least one channel.")
    kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
    if kind == "f":
        with np.errstate(over="ignore"):  # reported below, with its place
            samples = array.astype(np.float32, copy=array.flags.writeable)
    elif kind in "iu" and bits <= 32:
        middle = 2.0 ** (bits - 1)
        samples = ((array - (middle if kind == "u" else 0.0)) / middle).astype(np.float32)
    else:
        raise ParameterError(
            f"audio.dtype={array.dtype}, must be floating point or integers of 8, 16 or 32 bits, "
            "whose full scale is known."
        )
    if samples.ndim == 1:
        samples = samples[:, None]
    for first in range(0, len(samples), _BLOCK):
        _check_finite(samples[first : first + _BLOCK], first, int(rate), where)
    return samples, int(rate)


def _from_file(path: _PathLike, allow_truncated: bool) -> tuple[Float32, int]:
    import soundfile

    blocks: list[Float32] = []
    done = 0
    with _open(path, allow_truncated) as file:
        wanted = _columns(path, file.channels)
        rate, declared, size = file.samplerate, file.frames, max(1, _BLOCK // file.channels)
        while True:
            try:
                block = file.read(size, dtype="float32", always_2d=True)
            except (soundfile.LibsndfileError, MediaError) as error:
                if allow_truncated and blocks:
                    break
                raise DataError(
                    f"it is damaged or truncated ({_reason(error)}); copy or convert it again.",
                    path=path,
                ) from error
            if len(block) == 0:
                break
            block = block[:, wanted]
            _check_finite(block, done, rate, path)
            blocks.append(block)
            done += len(block)
        slack = getattr(file, "slack", _SLACK)
        exact = file.format != "MP3" or _asked(states_mp3_length, path)
        empty = np.empty((0, file.channels), dtype=np.float32)[:, wanted]
    if done < declared - slack * rate and exact and not allow_truncated:
        raise _truncated(path, declared / rate, done / rate)
    return np.concatenate(blocks) if blocks else empty, rate


def _columns(path: _PathLike, channels: int) -> slice:
    """Return which of the channels of a file are read."""
    if not isinstance(path, Channel):
        return slice(None)
    if path.number > channels:
        has = "one channel" if channels == 1 else f"{channels} channels"
        raise DataError(f"has {has}, so there is no channel {path.number}.", path=path)
    return slice(path.number - 1, path.number)


def _open(path: _PathLike, allow_truncated: bool) -> _File:
    """Open a file whose header and size agree."""
    import soundfile

    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise DataError("it is a directory, not an audio file.", path=path)
        if not stat.S_ISREG(status.st_mode):
            raise DataError("it is not a regular file; audio is read from files only.", path=path)
        if status.st_size == 0:
            raise DataError("the file is empty (0 bytes).", path=path)
        with open(path, "rb") as stream:
            extent = declared_extent(stream, path)
    except FileNotFoundError as error:
        raise DataError(why_missing(path, "there is no such file."), path=path) from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"it cannot be opened ({reason}).", path=path) from error
    file: _File
    try:
        file = soundfile.SoundFile(os.fspath(path))
    except UnicodeEncodeError as error:
        raise DataError(
            "its name, or that of its folder, is not UTF-8; set LC_ALL=C.UTF-8 or, where that "
            "does not help, rename it (`convmv -r -f latin1 -t utf8 --notest FOLDER`).",
            path=path,
        ) from error
    except (soundfile.SoundFileError, TypeError, UnicodeError) as error:
        # TypeError: soundfile takes a name in .raw for headerless samples, of no known rate
        file = _media(path, error)
    try:
        _check_header(file, path, None if allow_truncated else extent, status.st_size)
        if file.format == "OGG" and not allow_truncated and not _asked(ogg_ends, path):
            raise DataError(
                "it is truncated: its last page is missing; copy or convert it again.", path=path
            )
    except DataError:
        file.close()
        raise
    return file


def _media(path: _PathLike, error: Exception) -> MediaFile:
    """Open what libsndfile refused with an error by FFmpeg, if it is installed."""
    first = f"it is not audio that libsndfile can read ({_reason(error)})"
    if not media_available():
        raise DataError(
            f"{first}; convert it to WAV or FLAC, or install what reads M4A, MP4 and others (pip "
            'install "margin-align[media]").',
            path=path,
        ) from error
    try:
        return MediaFile(path)
    except MediaError as other:
        raise DataError(
            f"{first}, nor FFmpeg ({str(other).rstrip('.')}); convert it to WAV or FLAC.",
            path=path,
        ) from other


def _check_header(file: _File, path: _PathLike, extent: Extent | None, size: int) -> None:
    if not _RATES[0] <= file.samplerate <= _RATES[1]:
        raise DataError(
            f"its header gives a sampling rate of {file.samplerate} Hz, outside "
            f"{_RATES[0]}..{_RATES[1]} Hz; the header is damaged, or this is no sound (give it as "
            "an array).",
            path=path,
        )
    if extent is None:
        return
    if extent.beyond:
        seconds = file.frames / file.samplerate
        lost = seconds * extent.beyond / extent.size if extent.size else math.inf
        if lost > _SLACK:
            raise DataError(
                f"its header declares {seconds:.2f} s of sound, but {extent.beyond} bytes more "
                "follow, as where a recorder lost power; repair it with `sox --ignore-length "
                "IN.wav OUT.wav`.",
                path=path,
            )
    if size >= extent.start + extent.size:
        return
    # in seconds by proportion, so that it holds for every coding
    present, seconds = size - extent.start, file.frames / file.samplerate
    declared = min(extent.size, 1 << 62)  # a header may declare more than a float can hold
    whole = seconds * declared / present if present > 0 else math.inf
    if whole - seconds > _SLACK:
        raise _truncated(path, whole, seconds)


def _asked(question: Callable[[BinaryIO], bool], path: _PathLike) -> bool:
    with open(path, "rb") as stream:
        return question(stream)


def _truncated(path: _PathLike, declared: float, present: float) -> DataError:
    says = "more sound" if math.isinf(declared) else f"{declared:.2f} s of sound"
    return DataError(
        f"it is truncated: its header declares {says}, the file holds {present:.2f} s; "
        "copy or convert it again.",
        path=path,
    )


def _check_finite(block: Float32, before: int, rate: int, where: _PathLike | None) -> None:
    usable = np.abs(block) <= _LOUDEST  # false for NaN
    if not usable.all():
        at = int(np.argmin(usable.all(axis=1)))
        value = block[at][~usable[at]][0]
        rule = f"at most {_LOUDEST:g}; full scale is 1" if np.isfinite(value) else "finite numbers"
        raise DataError(
            f"sample {before + at} (at {(before + at) / rate:.3f} s) is {value}; samples must be "
            f"{rule}.",
            path=where,
        )


def _resample(samples: Float32, source: int, rate: int, where: _PathLike | None) -> Float32:
    import soxr

    resampled: Float32 = soxr.resample(samples, source, rate, quality="HQ")
    if len(resampled) == 0:
        raise DataError(
            f"it is too short ({len(samples)} samples at {source} Hz) to have a sample at "
            f"{rate} Hz.",
            path=where,
        )
    return resampled


def _reason(error: Exception) -> str:
    text = str(getattr(error, "error_string", error))
    if text.startswith("File does not exist"):  # libsndfile on the wreck of an MP3
        return "the file is damaged"
    return text.removeprefix("Error : ").strip().rstrip(".")
