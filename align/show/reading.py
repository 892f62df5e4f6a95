"""Reading a label file as a result, of phones or of notes, whichever it holds."""

from collections.abc import Callable
from functools import partial
from typing import Any

from align.files.names import StrPath
from align.formats.table import is_music
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.results.timing import Timing


def reader_of(
    path: StrPath,
    audio: StrPath | None = None,
    *,
    score: StrPath | None = None,
    **label_options: Any,
) -> Callable[[StrPath], Timing]:
    """Return what reads files of the kind that a file is, of labels or of notes, as a result.

    Of an `audio` file, length and rate are then known to what is read; DataError if it cannot be.
    A file is of notes where a `score` is given, which says what they are of. `label_options` are
    those of `align.formats.read_labels`.
    """
    known: dict[str, Any] = {}
    if audio is not None:
        from align.features.sound.audio import audio_info

        about = audio_info(audio)
        known = {"duration": about.duration, "audio": audio, "rate": about.rate}
    if score is not None or is_music(path):
        return partial(MusicAlignment.from_labels, score=score, **known)
    return partial(Alignment.from_labels, **known, **label_options)
