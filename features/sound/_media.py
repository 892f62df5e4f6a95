"""Sound in what telephones, meetings and cameras write: M4A, MP4, MOV, WebM, WMA, AMR and such.

libsndfile does not know them. FFmpeg does, which the library PyAV brings (the extra ``media``).
The sound keeps the time of the film: where it begins later than the pictures, or packets were
lost, silence fills the gap. What coders put in front of the sound is taken off where the container
says so, as all but bare ``.aac`` do.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal

import numpy as np

from align.types import Float32

_GAP = 0.05  # seconds without sound that are no rounding of time stamps
_OPTIONS = {"format_whitelist": "mov,matroska,asf,aac,amr,avi", "protocol_whitelist": "file"}
"""No playlists, which name other files and addresses, and nothing that libsndfile knows: what it
refuses FFmpeg might mend in silence.
"""

_TIME_STAMPED = ("mp4", "mov", "matroska", "webm", "asf")
_PADDING = 0.1  # seconds by which coders round the length that these containers state


class MediaError(Exception):
    """What FFmpeg says of a file that it cannot read."""


def media_available() -> bool:
    """Whether PyAV is installed."""
    try:
        import av  # noqa: F401
    except ImportError:
        return False
    return True


class MediaFile:
    """The first sound of a media file, read like a `soundfile.SoundFile`, from its beginning on.

    Parameters
    ----------
    path : path
        The file. It is opened here, and raises MediaError where it has no sound.

    Attributes
    ----------
    samplerate, channels, frames : int
        As the container states them; `frames` is 0 where it does not say.
    format, subtype : str
        Container and coding, as FFmpeg calls them.
    slack : float
        Seconds by which the sound may be shorter than `frames` says; infinite where the
        container does not know its length exactly.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import av

        with _told():
            self._container = av.open(os.fspath(path), options=_OPTIONS, **_titles(av))
        try:
            with _told():
                self._open()
        except MediaError:
            self.close()
            raise

    def _open(self) -> None:
        container = self._container
        if not container.streams.audio:
            raise MediaError("it has no sound")
        stream = container.streams.audio[0]
        self._stream = stream
        if stream.codec_context is None:
            raise MediaError("nothing decodes its sound")
        self.samplerate, self.channels = int(stream.rate or 0), int(stream.channels or 0)
        if self.samplerate <= 0 or self.channels <= 0:
            raise MediaError("it does not say how its sound is stored")
        names = container.format.name.split(",")
        self.format, self.subtype = names[0].upper(), stream.codec_context.name.upper()
        exact = any(name in _TIME_STAMPED for name in names)
        self.slack = _PADDING if exact else math.inf
        self._begin = container.start_time / 1e6 if container.start_time else 0.0
        seconds = 0.0
        if container.duration:
            seconds = container.duration / 1e6
        elif stream.duration and stream.time_base:
            seconds = float(stream.duration * stream.time_base)
        self.frames = round(seconds * self.samplerate)
        if exact and stream.duration and stream.time_base:  # pictures may go on without sound
            end = float((stream.duration + (stream.start_time or 0)) * stream.time_base)
            self.frames = min(self.frames, round((end - self._begin) * self.samplerate))
        self._blocks = self._decoded()

    def read(
        self, size: int, dtype: Literal["float32"] = "float32", always_2d: bool = True
    ) -> Float32:
        """Return the next samples [shape=(n, channels)], `size` or a few more; none at the end."""
        blocks, n = [np.empty((0, self.channels), np.float32)], 0
        with _told():
            while n < size and (block := next(self._blocks, None)) is not None:
                blocks.append(block)
                n += len(block)
        return np.concatenate(blocks)

    def _decoded(self) -> Iterator[Float32]:
        import av

        stream, rate = self._stream, self.samplerate
        resampler = av.AudioResampler(format="fltp", layout=stream.layout.name, rate=rate)
        done = 0
        for frame in self._container.decode(stream):
            if frame.time is not None:
                gap = round((frame.time - self._begin) * rate) - done
                # what lies beyond the stated length is no gap but a damaged time stamp
                if gap > _GAP * rate and done + gap <= self.frames:
                    done += gap
                    yield np.zeros((gap, self.channels), np.float32)
            for part in resampler.resample(frame):
                samples = np.ascontiguousarray(part.to_ndarray().T, dtype=np.float32)
                if samples.shape[1] != self.channels:
                    raise MediaError("its number of channels changes")
                done += len(samples)
                yield samples

    def close(self) -> None:
        """Close the file."""
        with suppress(Exception):  # of a damaged one, whatever FFmpeg says
            self._container.close()

    def __enter__(self) -> "MediaFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _titles(av: Any) -> dict[str, Any]:
    """Options of `av.open` by which titles in no known encoding refuse no file."""
    # From version 19 on that needs no option, and there is none.
    return {"metadata_errors": "ignore"} if int(av.__version__.split(".")[0]) < 19 else {}


@contextmanager
def _told() -> Iterator[None]:
    """Turn what FFmpeg raises into MediaError."""
    import av

    try:
        yield
    except (av.FFmpegError, ValueError, OverflowError) as error:
        raise MediaError(str(getattr(error, "strerror", None) or error)) from error
