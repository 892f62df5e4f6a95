"""From the best path to the best time of each onset, between frames, and how sure it is.

A decoder returns the timing that is most probable as a whole, on whole frames. Two refinements
look closer at each onset:

* `posterior_onsets` asks which time has the most probability within a tolerance around it, all
  timings of the other onsets considered: the probability of each frame, smoothed by a Gaussian
  window, is greatest there. This is what a count of boundaries within a tolerance rewards.
* `refine_onsets` moves each onset to the vertex of a parabola through its score at the frames
  around it, the other onsets staying. It serves where the posterior is out of reach.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from align.decoders.posterior import Posterior, narrowed, onset_posterior
from align.potentials import Potentials
from align.types import Float64, IntArray


class PosteriorOnsets(NamedTuple):
    """Onsets where the probability is greatest [shape=(K,)], how sure each is, and why."""

    frames: Float64
    confidence: Float64
    posterior: Posterior


def posterior_onsets(
    potentials: Potentials,
    onsets: IntArray,
    *,
    temperature: float,
    window: float,
    tolerance: float,
    reach: int,
    slopes: Float64 | None = None,
) -> PosteriorOnsets:
    """Return each onset where the probability around it is greatest, and how sure that is.

    `onsets` [shape=(K,)] are the decoder's answer, `window` the standard deviation of the
    smoothing window, both in frames; potentials without general functions. Only timings whose
    every onset is within `reach` frames of `onsets` are considered. The onsets, in fractions of a
    frame, do not decrease; the confidence is the probability that each is within `tolerance`
    frames of its time, and the posterior is that of the timings considered. By `slopes`
    [shape=(K,)] each frame later is as much more probable, in log odds.

    Examples
    --------
    >>> table = np.log(np.array([[0.1, 0.6, 0.2, 0.1]]))
    >>> frames, sure, _ = posterior_onsets(
    ...     Potentials(table, n_frames=4), np.array([1]),
    ...     temperature=1.0, window=1.0, tolerance=1.0, reach=3)
    >>> frames.round(2), sure.round(2)
    (array([1.19]), array([0.9]))
    """
    small = narrowed(potentials, onsets, reach)
    if slopes is not None and slopes.any():
        later = small.start[:, None] - onsets[:, None] + np.arange(small.onset.shape[1])
        raised = temperature * slopes[:, None] * later
        small = replace(small, onset=small.onset + raised.astype(small.onset.dtype))
    posterior = onset_posterior(small, temperature=temperature)
    probability = posterior.probability
    half = math.ceil(4.0 * window)
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / window) ** 2)
    padded = np.pad(probability, ((0, 0), (half, half)))
    smooth = np.lib.stride_tricks.sliding_window_view(padded, kernel.size, axis=1) @ kernel
    k = np.arange(len(onsets))
    last = np.maximum(small.stop - small.start - 1, 0)
    best = np.where(np.arange(smooth.shape[1]) <= last[:, None], smooth, -1.0).argmax(axis=1)
    middle = np.clip(best, 1, smooth.shape[1] - 2) if smooth.shape[1] > 2 else best
    inner = (best == middle) & (best > 0) & (best < last)
    shift = np.zeros(len(onsets))
    if inner.any():
        at, i = middle[inner], k[inner]
        left, here, right = (np.log(smooth[i, at + step] + 1e-300) for step in (-1, 0, 1))
        bend = np.minimum(left - 2.0 * here + right, -1e-9)
        shift[inner] = np.clip(0.5 * (left - right) / bend, -0.5, 0.5)
    frames = small.start + best + shift
    distance = np.abs(small.start[:, None] + np.arange(smooth.shape[1]) - frames[:, None])
    confidence = (probability * (distance <= tolerance + 0.5)).sum(axis=1)
    return PosteriorOnsets(np.maximum.accumulate(frames), np.clip(confidence, 0.0, 1.0), posterior)


def refine_onsets(potentials: Potentials, onsets: IntArray) -> Float64:
    """Return decoded onsets, interpolated within half a frame [shape=(K,), dtype=float64].

    `onsets` [shape=(K,)] and the result are in frames. An onset stays where its window, the
    recording or a length limit ends, and where the score is not peaked. General functions are
    taken as constant within a frame.

    Examples
    --------
    >>> table = np.array([[0.0, 3.0, 2.0, 0.0]])
    >>> refine_onsets(Potentials(table, n_frames=4), np.array([1]))
    array([1.25])
    """
    y = np.asarray(onsets, dtype=np.intp)
    if y.size == 0:
        return y.astype(np.float64)
    left, here, right = (_moved(potentials, y, step) for step in (-1, 0, 1))
    with np.errstate(invalid="ignore"):
        bend = left - 2.0 * here + right
        shift = 0.5 * (left - right) / np.where(bend < 0, bend, -1.0)
    peaked = np.isfinite(bend) & (bend < -1e-9)
    shift = np.where(peaked, np.clip(np.where(peaked, shift, 0.0), -0.5, 0.5), 0.0)
    return y + shift


def _moved(potentials: Potentials, y: IntArray, step: int) -> Float64:
    """Part of the score that changes when onset k alone moves by `step` frames [shape=(K,)]."""
    p, n_events = potentials, y.size
    k = np.arange(n_events)
    moved = y + step
    after = np.append(y[1:], p.n_frames) - moved
    before = moved - np.concatenate(([0], y[:-1]))
    allowed = (moved >= p.start) & (moved < p.stop)
    allowed &= (after >= p.min_length) & (after <= p.max_length)
    allowed[1:] &= (before[1:] >= p.min_length[:-1]) & (before[1:] <= p.max_length[:-1])
    column = np.clip(moved - p.start, 0, p.onset.shape[1] - 1)
    score = p.onset[k, column].astype(np.float64)
    if p.duration is not None:
        top = p.duration.shape[1] - 1
        score += p.duration[p.duration_row, np.clip(after, 0, top)]
        assert p.duration_row is not None
        score[1:] += p.duration[p.duration_row[:-1], np.clip(before[1:], 0, top)]
    if p.ratio is not None:
        # Lengths around each onset: of the event two before, before, from it, and after it.
        d = np.concatenate(([0, 0], np.diff(y, append=p.n_frames), [0])).astype(np.float64)
        first, second = d[k], before.astype(np.float64)
        third, fourth = after.astype(np.float64), d[k + 3]
        rows = np.concatenate((np.zeros((1, 3)), p.ratio, np.zeros((1, 3))))
        for row, early, late in (
            (rows[k], first, second),
            (rows[k + 1], second, third),
            (rows[k + 2], third, fourth),
        ):
            score += row[:, 0] * late**2 + row[:, 1] * early**2 + row[:, 2] * early * late
    return np.where(allowed, score, -np.inf)
