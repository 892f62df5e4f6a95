"""What every picture needs: matplotlib, and the sound it is drawn over."""

import os
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError

if TYPE_CHECKING:
    from align.results.alignment import Alignment

__all__ = ["Sound", "require_matplotlib", "sound_of"]

Sound: TypeAlias = tuple[npt.NDArray[np.float32], int]
"""Samples [shape=(n,)] and their rate in Hz."""


def require_matplotlib() -> None:
    """Raise a ParameterError that says how to get matplotlib, where it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ParameterError(
            "pictures need matplotlib; install it with: pip install 'margin-align[plot]'."
        ) from error


def sound_of(
    alignment: "Alignment",
    audio: str | os.PathLike[str] | npt.NDArray[Any] | None,
    rate: int | None,
) -> Sound | None:
    """Read the recording of an alignment, or the one given; None where there is none."""
    audio = alignment.audio if audio is None else audio
    if audio is None:
        return None
    from align.features.audio import read_audio

    return read_audio(audio, None, source_rate=rate, allow_silence=True)
