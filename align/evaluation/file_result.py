"""True and predicted onsets of one recording: a row of every report."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from align.errors import ParameterError, check_shape
from align.results.timing import Timing
from align.types import Example, Float64, IntArray


@dataclass(frozen=True, eq=False)
class FileResult:
    """True and predicted onsets of one recording.

    Parameters
    ----------
    name : str
        What the report calls the recording.
    labels : sequence of str, length K
        Name of each event.
    true : array_like [shape=(K,)]
        True onsets in seconds.
    predicted : array_like [shape=(K,)]
        Predicted onsets in seconds.
    seconds : float
        Length of the audio in seconds; NaN where unknown.
    elapsed : float
        Time spent on it in seconds; NaN where unknown.
    chord : array_like [shape=(K,)], optional
        Of music: chord of each event, a whole number.
    collection : str
        Set the recording belongs to, for figures of its own.
    """

    name: str
    labels: Sequence[str]
    true: Float64
    predicted: Float64
    seconds: float = math.nan
    elapsed: float = math.nan
    chord: IntArray | None = None
    collection: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        for which in ("true", "predicted"):
            times = np.asarray(getattr(self, which), dtype=np.float64)
            object.__setattr__(self, which, times)
            check_shape(f"{self.name}: {which}", times.shape, "(K,)", (len(self.labels),))
            if not np.isfinite(times).all():
                raise ParameterError(f"{self.name}: {which} onsets must be finite.")
        if self.chord is not None:
            chord = np.asarray(self.chord, dtype=np.intp)
            object.__setattr__(self, "chord", chord)
            check_shape(f"{self.name}: chord", chord.shape, "(K,)", (len(self.labels),))

    @classmethod
    def of(cls, example: Example, found: Timing, elapsed: float = math.nan) -> Self:
        """Compare what was found with the true times of an example.

        Parameters
        ----------
        example : Example
            With `onsets`. Every row of its `truth` counts where it has one, else every onset: of
            notes, those that were played.
        found : Timing
            Of the events of the example, in the same order.
        elapsed : float
            Time spent on it in seconds.

        Returns
        -------
        FileResult
            Labels are the names of the events; the set is the folder that the group of the
            example lies in.

        Raises
        ------
        ParameterError
            If the example has no onsets, or other events than the alignment.
        """
        if example.onsets is None:
            raise ParameterError(f"{example.name}: has no true onsets to compare with.")
        if example.events != tuple(found.events):
            raise ParameterError(f"{example.name}: the alignment is of other {found.holds}.")
        if example.truth is not None:
            index, true = example.truth.index, example.truth.performed
        else:
            played = np.isfinite(example.onsets) | (found.pitches is None)
            index, true = np.flatnonzero(played), example.onsets[played]
        names, chord = found.names, found.chord_of
        return cls(
            name=example.name,
            labels=[names[k] for k in index.tolist()],
            true=true,
            predicted=found.onsets[index],
            seconds=found.duration,
            elapsed=elapsed,
            chord=None if chord is None else chord[index],
            collection=(example.group or "").rpartition("/")[0],
        )
