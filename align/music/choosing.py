"""Which bundled model a recording of music is aligned with, where none is named.

A score that names instruments decides (`align.models.bundled.music_model`). For one that names
none it is ``piano``; where that finds so few notes that the recording might be of another piece,
``ensemble`` is tried, too, and what matches better is kept.
"""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align.models.bundled import USUAL_MUSIC, music_model
from align.models.file import bundled_models, load
from align.results.music import MusicAlignment

__all__ = ["Chosen", "align_music", "named"]

_ENSEMBLE = "ensemble"
_NAMED = 3  # instruments, at most


class Chosen(NamedTuple):
    """What a recording was aligned with.

    Parameters
    ----------
    alignment : MusicAlignment
        When each note is played.
    model : str
        Name of the bundled model.
    reason : str
        Why it was taken, to stand after its name.
    """

    alignment: MusicAlignment
    model: str
    reason: str


def align_music(
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    score: str | os.PathLike[str],
    *,
    rate: int | None = None,
    **params: Any,
) -> Chosen:
    """Align a recording with its score by the bundled model that fits its instruments.

    Parameters
    ----------
    audio : path or np.ndarray [shape=(n,)]
        The recording: a file, or samples at `rate`.
    score : path
        A file with its notes.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where `audio` is an array.
    **params
        Parameters of `align.MusicAligner` for aligning: `repeats`, `transpose`, `tuning`,
        `offsets`.

    Returns
    -------
    Chosen
        The alignment, the model and the reason.

    Raises
    ------
    DataError
        Where the audio or the score cannot be read, or the score cannot fit the recording.

    Examples
    --------
    >>> from importlib.resources import files
    >>> piece = files("align.data") / "minuet"
    >>> chosen = align_music(str(piece / "audio.flac"), str(piece / "score.mid"))
    >>> chosen.model, chosen.reason
    ('piano', 'the score names no instrument')
    """
    name, instruments = music_model(score)
    found, border = _aligned(name, audio, score, rate, params)
    if instruments:
        return Chosen(found, name, named(instruments))
    if found.match is not None and found.match < border and _ENSEMBLE in bundled_models():
        other, _ = _aligned(_ENSEMBLE, audio, score, rate, params)
        if (other.match or 0.0) > found.match:
            return Chosen(
                other,
                _ENSEMBLE,
                f"the score names no instrument, and {USUAL_MUSIC} finds fewer of its notes "
                f"(match {found.match:.2f} instead of {other.match:.2f})",
            )
    return Chosen(found, name, "the score names no instrument")


def named(instruments: Sequence[str]) -> str:
    """Say that a score names some instruments, to stand after the name of a model.

    Examples
    --------
    >>> named(["Violin", "Viola", "Cello", "Bassoon"])
    'the score names Violin, Viola, Cello and others'
    """
    more = " and others" if len(instruments) > _NAMED else ""
    return f"the score names {', '.join(instruments[:_NAMED])}{more}"


def _aligned(
    name: str, audio: Any, score: Any, rate: int | None, params: dict[str, Any]
) -> tuple[MusicAlignment, float]:
    """Return the alignment by a model, and the match below which its recordings are unlike."""
    aligner = load(name).set_params(**params)
    border = -np.inf if aligner.match_range_ is None else 0.5 * sum(aligner.match_range_)
    return aligner.align(audio, score, rate=rate), float(border)
