"""Decoders too simple to be wrong: enumeration, and the recursion of the thesis as printed."""

import itertools
import math

import numpy as np


def enumerate_best(potentials):
    """Try every increasing choice of onsets; return (onsets, score).

    The onsets are None where no score is finite. Ties: the last onset earliest, then the one
    before it, and so on.
    """
    best, best_score = None, -np.inf
    for y in itertools.combinations(range(potentials.n_frames), potentials.n_events):
        score = potentials.score(y)
        if score > best_score or (
            score == best_score and best is not None and y[::-1] < best[::-1]
        ):
            best, best_score = y, score
    return best, best_score


def psi(potentials, k, t_before, t, t_after):
    """Terms of event k; -inf where they break a window or a length."""
    p = potentials
    d = t_after - t
    if not (p.start[k] <= t < p.stop[k] and p.min_length[k] <= d <= p.max_length[k]):
        return -math.inf
    total = float(p.onset[k, t - p.start[k]])
    if p.duration is not None:
        total += float(p.duration[p.duration_row[k], d])
    if p.ratio is not None and k > 0:
        d_before = t - t_before
        a, b, c = (float(x) for x in p.ratio[k])
        total += a * d * d + b * d_before * d_before + c * d_before * d
    for weight, function in p.general:
        total += weight * function(k, t_before, t, t_after)
    return total


def recursion(potentials):
    """Best score by the recursion of Fig. 9.1 with its boundaries, without any pruning."""
    n_events, n_frames = potentials.n_events, potentials.n_frames
    best = {}
    for t, t_after in itertools.combinations(range(n_frames + 1), 2):
        best[t, t_after] = psi(potentials, 0, -1, t, t_after)
    for k in range(1, n_events):
        new = {}
        for t, t_after in itertools.combinations(range(n_frames + 1), 2):
            new[t, t_after] = max(
                (
                    best[t_before, t] + psi(potentials, k, t_before, t, t_after)
                    for t_before in range(t)
                    if best[t_before, t] > -math.inf
                ),
                default=-math.inf,
            )
        best = new
    return potentials.constant + max(best[t, n_frames] for t in range(n_frames))


def random_potentials(
    rng, n_events, n_frames, *, longest=None, order=2, sign=None, dtype=np.float64, windows=False
):
    """Float potentials that some timing meets; `sign` is that of the ratio weight."""
    from align.potentials import Potentials

    longest = n_frames if longest is None else longest
    start = stop = duration = row = ratio = None
    width = n_frames
    if windows:
        centre = np.linspace(0, n_frames, n_events, endpoint=False).astype(int)
        start = np.maximum(0, centre - rng.integers(2, 6))
        stop = np.minimum(n_frames, centre + rng.integers(3, 8))
        width = int((stop - start).max())
    if order > 0:
        duration = rng.normal(size=(3, longest + 1))
        row = rng.integers(0, 3, n_events)
    if order > 1:
        scale = rng.uniform(1, 5, n_events)
        kappa = rng.normal() if sign is None else sign * rng.uniform(0.1, 3)
        ratio = np.zeros((n_events, 3))
        ratio[1:, 0] = kappa / scale[1:] ** 2
        ratio[1:, 1] = kappa / scale[:-1] ** 2
        ratio[1:, 2] = -2 * kappa / (scale[1:] * scale[:-1])
        ratio[1:][rng.random(n_events - 1) < 0.2] = 0.0
    return Potentials(
        (3 * rng.normal(size=(n_events, width))).astype(dtype),
        n_frames,
        start=start,
        stop=stop,
        duration=duration,
        duration_row=row,
        max_length=np.full(n_events, longest),
        ratio=ratio,
        constant=float(rng.normal()),
    )


def following(potentials, windows):
    """Best score of all from onset k at each frame on, the change of length included.

    A naive table [k][d_before, t]; the onset's own score is in it.
    """
    first, last, shortest, longest = windows
    n_events = shortest.size
    after = {(last[n_events], d): 0.0 for d in range(longest[-1] + 1)}
    tables = {n_events: after}
    for k in range(n_events - 1, 0, -1):
        a, b, c = potentials.ratio[k]
        here = {}
        for t in range(first[k], last[k] + 1):
            own = float(potentials.onset[k, t - potentials.start[k]])
            for before in range(shortest[k - 1], longest[k - 1] + 1):
                best = -np.inf
                for d in range(shortest[k], longest[k] + 1):
                    if (t + d, d) in after:
                        score = after[t + d, d] + a * d * d + b * before**2 + c * before * d
                        if potentials.duration is not None:
                            score += potentials.duration[potentials.duration_row[k], d]
                        best = max(best, score)
                here[t, before] = own + best
        tables[k] = after = here
    return tables


def states_that_reach(potentials, windows, threshold):
    """Length and score of the states of each event whose best path reaches a threshold.

    A naive pass forwards, and `following` for what comes after.
    """
    first, _, shortest, longest = windows
    tables = following(potentials, windows)
    before = {}
    for k in range(potentials.n_events):
        a, b, c = potentials.ratio[k]
        here, found = {}, []
        for t in range(first[k], windows.last[k] + 1):
            own = float(potentials.onset[k, t - potentials.start[k]])
            arriving = [(x, score) for (end, x), score in before.items() if end == t]
            for d in range(shortest[k], longest[k] + 1):
                after = tables[k + 1].get((t + d, d), -np.inf)
                score = own + a * d * d
                if potentials.duration is not None:
                    score += potentials.duration[potentials.duration_row[k], d]
                if k > 0:
                    score += max((h + b * x * x + c * x * d for x, h in arriving), default=-np.inf)
                if np.isfinite(score + after):
                    here[t + d, d] = max(score, here.get((t + d, d), -np.inf))
                    if score + after >= threshold:
                        found.append((d, score))
        yield found
        before = here
