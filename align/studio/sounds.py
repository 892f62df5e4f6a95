"""Recordings as a browser plays them: FLAC of one channel, kept in a folder while they are used.

They hold the very samples, whatever the format of the recording: a browser neither reads all of
these, nor keeps time to the sample with all it reads.
"""

import os
import tempfile
import threading
from collections import OrderedDict
from pathlib import Path

from align.files.names import StrPath
from align.show.page.sound import encode_sound

_KEPT = 16  # recordings


class Sounds:
    """Encoded recordings, the last few that were asked for.

    Examples
    --------
    >>> from importlib.resources import files
    >>> with Sounds() as sounds:
    ...     path, rate = sounds.of(files("align.data") / "kiwi.flac")
    ...     path.read_bytes()[:4], rate
    (b'fLaC', 16000)
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="align-studio-")
        self._held: OrderedDict[tuple[str, int, int], tuple[Path, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._count = 0

    def __enter__(self) -> "Sounds":
        return self

    def __exit__(self, *exception: object) -> None:
        self._folder.cleanup()

    def of(self, audio: StrPath) -> tuple[Path, int]:
        """Return a recording's FLAC file and its rate in Hz.

        DataError where the recording cannot be read, OSError where it is not there.
        """
        status = os.stat(audio)
        key = (os.fspath(audio), status.st_mtime_ns, status.st_size)
        with self._lock:
            held = self._held.get(key)
            if held is None:
                sound = encode_sound(audio, format="flac")
                self._count += 1
                path = Path(self._folder.name, f"{self._count}.flac")
                path.write_bytes(sound.data)
                self._held[key] = held = (path, sound.rate)
            self._held.move_to_end(key)
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)[1][0].unlink(missing_ok=True)
        return held
