"""Which bundled model a recording of music is aligned with, where none is named.

A score that names instruments decides (`align.models.bundled.music_model`). For one that names
none ``piano`` is tried first. Where the network of ``ensemble`` finds more of the notes at the
very places, the recording is aligned by ``ensemble`` as well, which is taken where its match is
better by a margin, so that pianos stay with ``piano``.
"""

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from align.formats.scores import Score
from align.models.bundled import USUAL_MUSIC, music_model
from align.models.loading import bundled_models, load
from align.music.performances.performance import read_signal
from align.progress import Progress
from align.results.music import MusicAlignment
from align.types import Note

AnyScore: TypeAlias = str | os.PathLike[str] | Score | Sequence[Note]

_ENSEMBLE = "ensemble"
_NAMED = 3  # instruments, at most

MARGIN = 0.01
"""By which the match of ``ensemble`` must be better; `recipes/music/chosen.py` measures it."""

USUAL_MODELS = (USUAL_MUSIC, _ENSEMBLE)
"""The bundled models that are chosen among."""


class Chosen(NamedTuple):
    """What a recording was aligned with.

    Parameters
    ----------
    alignment : MusicAlignment
        When each note is played; its `model` is the same as here.
    model : str
        Name of the bundled model.
    reason : str
        Why it was taken, to stand after its name.
    """

    alignment: MusicAlignment
    model: str
    reason: str


class UsualModels:
    """The bundled models of music, of which each recording is aligned with the one that fits.

    It aligns as a `align.MusicAligner` does.

    Parameters
    ----------
    loaders : mapping of str to callable, optional
        What loads each model, by its name; by default all of `USUAL_MODELS` that are there.

    Examples
    --------
    >>> UsualModels().set_params(repeats="all").kind
    'music'
    """

    kind: ClassVar[str] = "music"

    def __init__(self, loaders: Mapping[str, Callable[[], Any]] | None = None) -> None:
        self.loaders = loaders
        self.params: dict[str, Any] = {}
        self._loaded: dict[str, Any] = {}  # copies share it

    def set_params(self, **params: Any) -> Self:
        """Set parameters of `align.MusicAligner` for aligning, and return this."""
        self.params = {**self.params, **params}
        return self

    def align(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        score: AnyScore,
        *,
        rate: int | None = None,
        progress: Progress | None = None,
    ) -> MusicAlignment:
        """Return when each note of a score is played, by the model that fits."""
        return self.choose(audio, score, rate=rate, progress=progress).alignment

    def choose(
        self,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        score: AnyScore,
        *,
        rate: int | None = None,
        progress: Progress | None = None,
    ) -> Chosen:
        """Align a recording; return the alignment, the model and the reason."""
        told: dict[str, Any] = {} if progress is None else {"progress": progress}
        file = score.path if isinstance(score, Score) else score
        name, instruments = USUAL_MUSIC, list[str]()
        if isinstance(file, str | os.PathLike):
            name, instruments = music_model(file)
        if instruments:
            found = self._model(name).align(audio, score, rate=rate, **told)
            return _chosen(found, name, named(instruments))
        usual = self._model(USUAL_MUSIC)
        signal = read_signal(audio, rate=rate, highest_rate=usual.rate)  # both models share it
        found = usual.align(signal, score, **told)
        if not isinstance(audio, np.ndarray):
            found = replace(found, audio=os.fspath(audio))
        match = found.match
        if match is None or not self._has(_ENSEMBLE):
            return _chosen(found, USUAL_MUSIC, _NONE)
        other = self._model(_ENSEMBLE)
        at_the_places = other.match(signal, found, **told) or 0.0
        if at_the_places <= match:  # aligning by both would take twice as long
            return _chosen(found, USUAL_MUSIC, _NONE)
        again = replace(other.align(signal, score, **told), audio=found.audio)
        if (again.match or 0.0) <= match + MARGIN:
            return _chosen(found, USUAL_MUSIC, _NONE)
        why = (
            f"{_NONE}, and {USUAL_MUSIC} finds fewer of its notes "
            f"(match {match:.2f} instead of {again.match:.2f})"
        )
        return _chosen(again, _ENSEMBLE, why)

    def _has(self, name: str) -> bool:
        return name in (bundled_models() if self.loaders is None else self.loaders)

    def _model(self, name: str) -> Any:
        """Return a model, read once."""
        if name not in self._loaded:
            self._loaded[name] = load(name) if self.loaders is None else self.loaders[name]()
        return copy.copy(self._loaded[name]).set_params(**self.params)


_NONE = "the score names no instrument"


def align_music(
    audio: str | os.PathLike[str] | npt.NDArray[Any],
    score: AnyScore,
    *,
    rate: int | None = None,
    progress: Progress | None = None,
    **params: Any,
) -> Chosen:
    """Align a recording with its score by the bundled model that fits its instruments.

    Parameters
    ----------
    audio : path or np.ndarray [shape=(n,)]
        The recording: a file, or samples at `rate`.
    score : path, Score or sequence of Note
        As `align.MusicAligner.align` takes it. A sequence names no instrument.
    rate : int, optional
        Sampling rate of `audio` in Hz, needed where `audio` is an array.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.
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
    return UsualModels().set_params(**params).choose(audio, score, rate=rate, progress=progress)


def named(instruments: Sequence[str]) -> str:
    """Say that a score names some instruments, to stand after the name of a model.

    Examples
    --------
    >>> named(["Violin", "Viola", "Cello", "Bassoon"])
    'the score names Violin, Viola, Cello and others'
    """
    more = " and others" if len(instruments) > _NAMED else ""
    return f"the score names {', '.join(instruments[:_NAMED])}{more}"


def _chosen(found: MusicAlignment, model: str, reason: str) -> Chosen:
    return Chosen(replace(found, model=model), model, reason)
