"""A last, small move of each onset, learned from how the truth differs from the placement.

Placement looks for the most probable time under the model; where a labeller draws the line within
those few milliseconds is a matter of habit, and depends on the sounds. The correction is a linear
regression: onset k moves by

::

    m_k  =  b_(l,r) + <v + v_l + v'_r, z_k>

where l and r are the classes of the events before and after it, and z_k the standardised values of
the onset base functions (boundary and transition scores, spectral distances) within `_REACH` of
the onset, less those at the onset. The weights minimise the sum of absolute errors, the measure of
a median, with a ridge penalty, by iteratively reweighted least squares on scores that come from
cross-fitted features. Moves are small: `_LIMIT` at most, so nothing gross is mended or broken.

References
----------
Stolcke et al., "Highly accurate phonetic segmentation using boundary correction models and system
fusion", ICASSP 2014, correct boundaries after the fact in the same spirit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.terms import BaseFunctions, OnsetTerm, Term
from align.types import Float64, IntArray

_REACH = 0.025  # seconds either side of an onset that are looked at
_NEAR = 0.030  # seconds; larger errors are mistakes, and teach nothing
_CLIP = 0.015  # seconds; no example counts for more
_LIMIT = 0.005  # seconds; the largest move
_SMALL = 0.001  # seconds; below this, absolute errors are taken as squares
_RIDGE = 300.0
_ROUNDS = 6
_FEWEST = 300  # onsets; from fewer nothing is learned
_OTHER = "(other)"


class OnsetCorrection:
    """Moves of onsets, by the classes of their events and the scores around them.

    Attributes
    ----------
    names : list of str
        The onset base functions that are looked at.
    hop : float
        Length of a frame in seconds.
    classes : list of str
        Classes of events.
    mean, deviation : np.ndarray [shape=(D,)]
        Of the values around an onset, in training.
    weights : np.ndarray [shape=(1 + 2 C, D)]
        v, then v_l of each class, then v'_r of each class; moves in seconds.
    pairs : np.ndarray [shape=(C, C)]
        b_(l,r), in seconds.
    """

    def __init__(
        self,
        names: Sequence[str],
        hop: float,
        classes: Sequence[str],
        mean: Float64,
        deviation: Float64,
        weights: Float64,
        pairs: Float64,
    ) -> None:
        self.names, self.hop, self.classes = list(names), float(hop), list(classes)
        self.mean, self.deviation, self.weights, self.pairs = mean, deviation, weights, pairs

    @classmethod
    def fitted(
        cls,
        xs: Sequence[BaseFunctions],
        found: Sequence[Float64],
        truth: Sequence[Float64],
        classes: Mapping[str, str],
        hop: float,
    ) -> Self | None:
        """Return what recordings with known onsets teach, or None where that is too little.

        `xs` are from parts that did not see the recordings; `found` and `truth` have the placed
        and the true onsets of each [shape=(K,)], in seconds as `hop`; `classes` the class of each
        label. None, too, without a base function of the onset kind.
        """
        if not xs:
            return None
        names = [
            name
            for name, term in zip(xs[0].names, xs[0].terms, strict=True)
            if isinstance(term, OnsetTerm)
        ]
        error = np.concatenate([(t - f)[1:] for f, t in zip(found, truth, strict=True)])
        near = np.abs(error) <= _NEAR
        if not names or near.sum() < _FEWEST:
            return None
        z = np.concatenate(
            [
                _around(dict(zip(x.names, x.terms, strict=True)), names, f, hop)[1:]
                for x, f in zip(xs, found, strict=True)
            ]
        )[near]
        labels = [[classes.get(label, _OTHER) for label in x.labels] for x in xs]
        known = sorted({kind for one in labels for kind in one})
        row = {kind: i for i, kind in enumerate(known)}
        kinds = [np.array([row[kind] for kind in one], dtype=np.intp) for one in labels]
        before = np.concatenate([one[:-1] for one in kinds])[near]
        after = np.concatenate([one[1:] for one in kinds])[near]
        mean, deviation = z.mean(axis=0), z.std(axis=0) + 1e-6
        solution = _least_absolute(
            _design((z - mean) / deviation, before, after, len(known)),
            np.clip(error[near], -_CLIP, _CLIP) / hop,
            _SMALL / hop,
        )
        n, size = len(known), z.shape[1]
        pairs = hop * solution[: n * n].reshape(n, n)
        # As a model file holds them, so that a model that is loaded finds the same onsets.
        weights = (hop * solution[n * n :].reshape(1 + 2 * n, size)).astype(np.float32)
        return cls(names, hop, known, mean, deviation, weights.astype(np.float64), pairs)

    def moved(
        self, times: Float64, terms: Mapping[str, Term], kinds: Sequence[str | None]
    ) -> Float64:
        """Return corrected onsets in seconds [shape=(K,)], each at most 5 ms away.

        `times` [shape=(K,)] are placed onsets in seconds, `terms` the base functions of the
        recording, `kinds` the class of each event. The first onset stays; the result is not
        sorted.
        """
        if len(times) < 2:
            return times
        z = (_around(terms, self.names, times, self.hop)[1:] - self.mean) / self.deviation
        n = len(self.classes)
        place = {kind: i for i, kind in enumerate(self.classes)}
        rows = np.array([place.get(kind or _OTHER, -1) for kind in kinds], dtype=np.intp)
        left, right = rows[:-1], rows[1:]
        move = z @ self.weights[0]
        for side, first in ((left, 1), (right, 1 + n)):
            known = side >= 0
            move[known] += (z[known] * self.weights[first + side[known]]).sum(axis=1)
        known = (left >= 0) & (right >= 0)
        move[known] += self.pairs[left[known], right[known]]
        return np.concatenate((times[:1], times[1:] + np.clip(move, -_LIMIT, _LIMIT)))

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "mean": self.mean,
            "deviation": self.deviation,
            "weights": self.weights.astype(np.float32),
            "pairs": self.pairs,
        }
        return {"names": self.names, "classes": self.classes}, arrays

    @classmethod
    def from_state(
        cls, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], hop: float
    ) -> Self:
        """Rebuild a correction from `get_state`; ModelError where something is wrong."""
        names = [str(name) for name in params["names"]]
        classes = [str(name) for name in params["classes"]]
        n, size = len(classes), len(names) * (2 * round(_REACH / hop) + 1)
        shapes = {
            "mean": (size,),
            "deviation": (size,),
            "weights": (1 + 2 * n, size),
            "pairs": (n, n),
        }
        own = []
        for name, shape in shapes.items():
            array = np.asarray(arrays[name], dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise ModelError(f"array {name!r} of the correction must be finite, {shape}.")
            own.append(array)
        if not (own[1] > 0).all():
            raise ModelError("array 'deviation' of the correction must be positive.")
        return cls(names, hop, classes, *own)


def _around(
    terms: Mapping[str, Term], names: Sequence[str], times: Float64, hop: float
) -> Float64:
    """Values of onset base functions around each onset, less those at it [shape=(K, D)]."""
    reach = round(_REACH / hop)
    at = times[:, None] / hop + np.arange(-reach, reach + 1)
    columns = []
    for name in names:
        term = terms[name]
        if not isinstance(term, OnsetTerm):
            raise ModelError(f"base function {name!r} is no longer one of the onset alone.")
        if term.table.size == 0:
            columns.append(np.zeros_like(at))
            continue
        inside = np.clip(at, 0, term.table.shape[1] - 1)
        low = np.minimum(inside.astype(np.intp), max(term.table.shape[1] - 2, 0))
        share = inside - low
        row = np.maximum(term.rows, 0)[:, None]
        high = np.minimum(low + 1, term.table.shape[1] - 1)
        value = (1 - share) * term.table[row, low] + share * term.table[row, high]
        value = np.clip(value - value[:, reach : reach + 1], -50.0, 50.0)
        columns.append(np.where(term.rows[:, None] >= 0, value, 0.0))
    return np.concatenate(columns, axis=1)


def _design(z: Float64, before: IntArray, after: IntArray, n: int) -> Float64:
    """Pairs of classes, z, and z by class on either side [shape=(N, n*n + (1 + 2 n) D)]."""
    rows, size = z.shape
    design = np.zeros((rows, n * n + (1 + 2 * n) * size))
    design[np.arange(rows), before * n + after] = 1.0
    blocks = design[:, n * n :].reshape(rows, 1 + 2 * n, size)
    blocks[:, 0] = z
    blocks[np.arange(rows), 1 + before] = z
    blocks[np.arange(rows), 1 + n + after] = z
    return design


def _least_absolute(design: Float64, wanted: Float64, small: float) -> Float64:
    """Ridge regression of least absolute error, by reweighting."""
    weight = np.ones(len(wanted))
    solution: Float64 = np.zeros(design.shape[1])
    for _ in range(_ROUNDS):
        root = np.sqrt(weight)
        scaled = design * root[:, None]
        normal = scaled.T @ scaled  # of one array, so that BLAS computes half of it
        normal.flat[:: len(normal) + 1] += _RIDGE
        wished = scaled.T @ (root * wanted)
        solution = np.asarray(np.linalg.solve(normal, wished), dtype=np.float64)
        weight = 1.0 / np.maximum(np.abs(wanted - design @ solution), small)
    return solution
