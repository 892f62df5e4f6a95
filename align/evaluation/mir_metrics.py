"""The metrics of ``mir_eval.alignment``, for times that need not be sorted.

mir_eval compares two lists of times and refuses unsorted ones. Performed notes are not sorted: the
notes of a chord come in any order, and chords overlap. Sorting the two lists on their own would
compare each note with another. Here

* ``pc``, ``mae``, ``aae`` and ``perceptual``, which are means and medians over single times, are
  taken over the notes as they are: where times are sorted they equal mir_eval's exactly;
* ``pcs``, which needs segments between successive times, is taken over chords: the mean time of
  the notes of each, with those that still run backwards put at the time of the one before.

======================  ==========================================================================
``pc``                  share of times off by at most 0.3 s
``mae``, ``aae``        median and mean absolute error, in seconds
``pcs``                 share of the time between first and last that lies in the right segment
``perceptual``          how synchronous it would seem to a listener; 1 at best, not 0 at worst
======================  ==========================================================================

References
----------
mir_eval 0.8, ``mir_eval.alignment``; Fujihara et al., "LyricSynchronizer", 2011; Lizé Masclef,
Vaglio, Moussallam, "User-centered evaluation of lyrics-to-audio alignment", ISMIR 2021.
"""

import math

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.types import Float64

METRICS = ("pc", "mae", "aae", "pcs", "perceptual")
"""Names of the metrics, as mir_eval has them."""

_WINDOW = 0.3
_SKEW, _PLACE, _SCALE, _NORM = 1.12244251, -0.22270315, 0.29779424, 1.6857


def alignment_metrics(
    true: npt.ArrayLike, predicted: npt.ArrayLike, chord: npt.ArrayLike | None = None
) -> dict[str, float]:
    """Compare predicted with true times in seconds [shape=(N,)]: a value for each of `METRICS`.

    `chord` [shape=(N,)] numbers the chord of each time, by default each its own. A value is NaN
    where there are too few times. Raises ParameterError if the shapes differ.

    Examples
    --------
    >>> found = alignment_metrics([0.0, 1.0, 2.0], [0.1, 1.0, 2.5])
    >>> [round(found[name], 3) for name in ("pc", "mae", "aae", "pcs")]
    [0.667, 0.1, 0.2, 0.95]
    """
    a = np.asarray(true, dtype=np.float64)
    b = np.asarray(predicted, dtype=np.float64)
    group = np.arange(a.size) if chord is None else np.asarray(chord)
    if a.ndim != 1 or a.shape != b.shape or group.shape != a.shape:
        raise ParameterError(
            f"true.shape={a.shape}, predicted.shape={b.shape}, chord.shape={group.shape}, must "
            "be one and the same (N,)."
        )
    if a.size == 0:
        return dict.fromkeys(METRICS, math.nan)
    error = np.abs(b - a)
    return {
        "pc": float((error <= _WINDOW).mean()),
        "mae": float(np.median(error)),
        "aae": float(error.mean()),
        "pcs": _correct_segments(_by_chord(a, group), _by_chord(b, group)),
        "perceptual": float(_perceived(b - a).mean()),
    }


def _by_chord(times: Float64, group: npt.NDArray[np.int64]) -> Float64:
    """Mean time of each chord, in the order of their numbers, never decreasing."""
    _, place = np.unique(group, return_inverse=True)
    means = np.bincount(place, times) / np.bincount(place)
    return np.maximum.accumulate(means)


def _correct_segments(true: Float64, predicted: Float64) -> float:
    whole = float(true[-1] - true[0])
    if whole <= 0:
        return math.nan
    overlap = np.minimum(true[1:], predicted[1:]) - np.maximum(true[:-1], predicted[:-1])
    return float(np.maximum(overlap, 0.0).sum()) / whole


def _perceived(error: Float64) -> Float64:
    """Density of a skewed normal distribution, fitted to what listeners said."""
    z = (error - _PLACE) / _SCALE
    above = np.array([1.0 + math.erf(_SKEW * value / math.sqrt(2.0)) for value in z.tolist()])
    density: Float64 = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi) * above / (_SCALE * _NORM)
    return density
