"""Long recordings cut into utterances at their pauses.

A conversation of ten minutes can be aligned as it is, but networks and weights are better
trained on utterances: the stretches between the pauses, each with a little silence around it.
"""

import itertools
import os
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from align.errors import ParameterError
from align.types import Event, Example, Float64

_ROUNDING = 1e-9  # seconds


class Utterance(NamedTuple):
    """A stretch of a recording.

    Attributes
    ----------
    start, stop : float
        Where it lies in the recording, in seconds.
    events : tuple of Event, length K
        What occurs in it.
    onsets : np.ndarray [shape=(K,)]
        Start of each event in seconds from `start`; the last ends with the stretch.
    """

    start: float
    stop: float
    events: tuple[Event, ...]
    onsets: Float64


def cut_utterances(
    example: Example,
    *,
    pause: float = 0.5,
    margin: float = 0.1,
    pauses: Collection[str] = ("sil", "spn"),
) -> list[Utterance]:
    """Return the utterances of a labelled recording, cut at its pauses.

    Parameters
    ----------
    example : Example
        With onsets.
    pause : float
        Cut where events that are no speech last at least so many seconds together.
    margin : float
        Seconds of a silence that stay with the utterance beside it, at most half of the pause.
        Of pauses that are not called ``sil`` nothing stays: they may be noise.
    pauses : collection of str
        Labels of events that are no speech.

    Returns
    -------
    list of Utterance
        In order. Stretches without speech are dropped.

    Raises
    ------
    ParameterError
        If the example has no onsets, or a number is not positive.

    Examples
    --------
    >>> events, onsets = ["sil", "a", "sil", "b"], [0.0, 1.0, 1.5, 3.0]
    >>> found = cut_utterances(Example("a.wav", events, onsets, end=3.5))
    >>> [(round(u.start, 3), round(u.stop, 3), u.events) for u in found]
    [(0.9, 1.6, ('sil', 'a', 'sil')), (2.9, 3.5, ('sil', 'b'))]
    """
    if example.onsets is None or not np.isfinite(example.onsets).all():
        raise ParameterError(f"{example.name}: must have an onset for each event.")
    if not pause > 0 or not margin >= 0:
        raise ParameterError(f"pause={pause}, margin={margin}: must be positive seconds.")
    bounds = np.append(example.onsets, _end(example))
    quiet = [str(event) in pauses for event in example.events]
    found: list[Utterance] = []
    first = 0  # of the utterance
    at = 0
    for silent, run in itertools.groupby(quiet):
        begin, at = at, at + len(list(run))
        if silent and bounds[at] - bounds[begin] >= pause - _ROUNDING:
            if not all(quiet[first:begin]):
                found.append(_utterance(example, bounds, first, begin - 1, margin))
            first = at
    if not all(quiet[first:]):
        found.append(_utterance(example, bounds, first, len(quiet) - 1, margin))
    return found


def _utterance(
    example: Example, bounds: Float64, first: int, last: int, margin: float
) -> Utterance:
    """Return events `first` to `last`, with some of the silence around them."""
    names = list(example.events[first : last + 1])
    onsets = list(bounds[first : last + 1])
    start, stop = float(bounds[first]), float(bounds[last + 1])
    if margin and first and example.events[first - 1] == "sil":
        start -= min(margin, 0.5 * float(bounds[first] - bounds[first - 1]))
        names.insert(0, "sil")
        onsets.insert(0, start)
    if margin and last + 1 < len(example.events) and example.events[last + 1] == "sil":
        names.append("sil")
        onsets.append(stop)
        stop += min(margin, 0.5 * float(bounds[last + 2] - bounds[last + 1]))
    return Utterance(start, stop, tuple(names), np.array(onsets) - start)


def _end(example: Example) -> float:
    """Return where the last event ends, in seconds."""
    if example.end is not None:
        return example.end
    if isinstance(example.audio, str | os.PathLike):
        from align.features.sound.audio import audio_info  # opens soundfile

        return float(audio_info(example.audio).duration)
    if example.rate is None:
        raise ParameterError(f"{example.name}: an array needs its rate.")
    return float(example.audio.shape[0] / example.rate)
