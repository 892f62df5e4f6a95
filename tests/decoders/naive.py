"""Decoders too simple to be wrong: enumeration, and recursions as printed; and small problems.

The slow twins of all decoders stand here, whichever test needs them.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align.potentials import Potentials

SMALL = st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0])
ROUGH = st.one_of(SMALL, st.just(-np.inf))


def enumerate_all(potentials):
    """List every choice of onsets in order, of finite score, as (onsets, score), the best first.

    Ties: the last onset earliest, then the one before it, and so on.
    """
    p = potentials
    timings, lasts = choices(p.n_events, p.n_frames)
    score = scores_of(p, timings, lasts)
    order = ranked(timings, score)
    found = [*zip(timings[order].tolist(), score[order].tolist(), strict=True)]
    assert all(p.score(y) == s for y, s in found[:3])
    return found


def choices(n, n_frames):
    """List every choice of n frames in order, and how long what begins there lasts."""
    timings = np.array([*itertools.combinations_with_replacement(range(n_frames), n)])
    return timings, np.diff(timings, append=n_frames)


def ranked(timings, score):
    """Order those of finite score, the best first; of equal ones, that with the earliest end."""
    order = np.lexsort((*timings.T, -score))
    return order[score[order] > -np.inf]


def scores_of(p, timings, lasts, events=None, before=None):
    """Score each timing of events; -inf where one breaks a window or a length.

    The events are all in their order, and the length before is that of the event before, where
    nothing else is said.
    """
    k = np.arange(p.n_events) if events is None else np.array(events)
    if before is None:
        before = np.pad(lasts[:, :-1], ((0, 0), (1, 0)))
    inside = (p.start[k] <= timings) & (timings < p.stop[k])
    inside &= (p.min_length[k] <= lasts) & (lasts <= p.max_length[k])
    kept = inside.all(axis=1)
    timings, lasts, before = timings[kept], lasts[kept], before[kept]
    score = p.constant + p.onset[k, timings - p.start[k]].sum(axis=1, dtype=np.float64)
    if p.duration is not None:
        score += p.duration[p.duration_row[k], lasts].sum(axis=1, dtype=np.float64)
    if p.ratio is not None:
        terms = p.ratio[k] * np.stack([lasts * lasts, before * before, before * lasts], axis=2)
        score += terms.reshape(len(timings), 3 * len(k)).sum(axis=1)
    for weight, function in p.general:
        for i, y in enumerate(timings.tolist()):
            ends = [-1, *y, p.n_frames]
            score[i] += sum(weight * function(j, *ends[j : j + 3]) for j in range(len(y)))
    whole = np.full(len(kept), -np.inf)
    whole[kept] = score
    return whole


def enumerate_best(potentials):
    """Return the first of these; the onsets are None where no score is finite."""
    return next(iter(enumerate_all(potentials)), (None, -np.inf))


def max_marginals(potentials):
    """Best score with each onset at each frame, by enumeration."""
    table = np.full(potentials.onset.shape, -np.inf)
    k = np.arange(potentials.n_events)
    for y, score in enumerate_all(potentials):
        at = np.array(y) - potentials.start
        table[k, at] = np.maximum(table[k, at], score)
    return table


def posterior(potentials, temperature):
    """Probability of each onset at each frame, and log Z, by enumeration."""
    table, timings = np.zeros(potentials.onset.shape), enumerate_all(potentials)
    log_z = np.logaddexp.reduce([score / temperature for _, score in timings])
    for y, score in timings:
        at = np.array(y) - potentials.start
        table[np.arange(len(y)), at] += np.exp(score / temperature - log_z)
    return table, log_z


def first_order_score(p):
    """Best first-order score, by one array operation for each event and length."""
    ends = np.full(p.n_frames + 1, -np.inf)
    ends[:-1] = 0.0
    for k in range(p.n_events):
        starts = np.full(p.n_frames + 1, -np.inf)
        starts[:-1] = ends[:-1] + p.onset[k]
        ends = np.full(p.n_frames + 1, -np.inf)
        for d in range(p.min_length[k], p.max_length[k] + 1):
            score = 0.0 if p.duration is None else p.duration[p.duration_row[k], d]
            ends[d:] = np.maximum(ends[d:], starts[: p.n_frames + 1 - d] + score)
    return ends[-1] + p.constant


def first_order_posterior(p, temperature):
    """Forward and backward with one array operation for each event and length."""
    n = p.n_frames
    score = np.zeros((1, n + 1)) if p.duration is None else p.duration
    row = np.zeros(p.n_events, dtype=int) if p.duration is None else p.duration_row

    def lasting(before, k, step):
        out = np.full(n + 1, -np.inf)
        for d in range(p.min_length[k], min(p.max_length[k], n) + 1):
            to, come = (slice(d, None), slice(None, n + 1 - d))[::step]
            out[to] = np.logaddexp(out[to], before[come] + score[row[k], d] / temperature)
        return out

    onset = np.full((p.n_events, n + 1), -np.inf)
    for k in range(p.n_events):
        at = slice(p.start[k], p.stop[k])
        onset[k, at] = p.onset[k, : p.stop[k] - p.start[k]] / temperature
    before, after = [onset[0]], [np.where(np.arange(n + 1) == n, 0.0, -np.inf)]
    for k in range(1, p.n_events):
        before.append(lasting(before[-1], k - 1, 1) + onset[k])
    for k in range(p.n_events - 1, -1, -1):
        after.append(lasting(after[-1] + (onset[k + 1] if k + 1 < p.n_events else 0.0), k, -1))
    both = np.array(before) + np.array(after[:0:-1])
    log_z = np.logaddexp.reduce(both[0])
    table = np.zeros(p.onset.shape)
    for k in range(p.n_events):
        table[k, : p.stop[k] - p.start[k]] = np.exp(both[k, p.start[k] : p.stop[k]] - log_z)
    return table, log_z


def best_of_groups(p, groups):
    """Best onsets and score where the members of a group begin together; or None."""
    timings, lasts = choices(int(groups[-1]) + 1, p.n_frames)
    before = np.pad(lasts[:, :-1], ((0, 0), (1, 0)))[:, groups]
    if p.ratio is not None:  # nothing lies before the first group
        p = replace(p, ratio=p.ratio * (groups > 0)[:, None])
    score = scores_of(p, timings[:, groups], lasts[:, groups], before=before)
    order = ranked(timings, score)
    if not order.size:
        return None, -np.inf
    return timings[order[0]][groups].tolist(), score[order[0]]


def paths_of_lattice(lattice):
    """Every path, as a list of nodes, with the score of its graph."""
    score = {(u, v): s for (u, v), s in zip(lattice.arcs.tolist(), lattice.arc_score, strict=True)}
    end_score = dict(zip(lattice.ends.tolist(), lattice.end_score, strict=True))
    stack = [([u], s) for u, s in zip(lattice.starts.tolist(), lattice.start_score, strict=True)]
    while stack:
        path, total = stack.pop()
        if path[-1] in end_score:
            yield path, total + end_score[path[-1]]
        stack += [([*path, v], total + score[u, v]) for u, v in score if u == path[-1]]


def best_of_lattice(p, lattice, segment=None, transition=None):
    """Best (score, nodes, onsets) by the rule for ties, or None."""
    arcs, best = lattice.arcs.tolist(), None
    for nodes, fixed in paths_of_lattice(lattice):
        timings, lasts = choices(len(nodes), p.n_frames)
        score = fixed + scores_of(p, timings, lasts, lattice.event[nodes])
        for i, (v, t, d) in enumerate(zip(nodes, timings.T, lasts.T, strict=True)):
            k = lattice.event[v]
            if segment is not None and segment.rows[k] >= 0:
                prefix = segment.prefix[segment.rows[k]]
                score += prefix[t + d] - prefix[t]
            if transition is not None and i:
                row = transition.rows[arcs.index([nodes[i - 1], v])]
                score += transition.table[row, t] if row >= 0 else 0.0
        for i in ranked(timings, score)[:1]:
            y = timings[i].tolist()
            key = (-score[i], list(zip(y, nodes, strict=True))[::-1])
            if best is None or key < best[0]:
                best = key, nodes, y
    return best


def coarse_path(cells):
    """Semi-Markov decoding of cells, one number at a time."""
    best = {}
    n_events = cells.first.size
    for k in range(n_events):
        new = {}
        for c in range(cells.first[k], cells.last[k] + 1):
            score = cells.onset[cells.onset_row[k], c - cells.shift[k]]
            score = score - cells.prefix[cells.prefix_row[k], c]
            if k == 0:
                new[c] = (score, [c])
                continue
            score += cells.prefix[cells.prefix_row[k - 1], c]
            if before := _before(cells, best, k - 1, c):
                top, path = max(before, key=lambda item: item[0])
                new[c] = (top + score, [*path, c])
        best = new
    last = _before(cells, best, n_events - 1, cells.n_cells)
    return max(last, key=lambda item: item[0]) if last else None


def _before(cells, best, k, c):
    lengths = range(cells.shortest[k], cells.longest[k] + 1)
    scores = cells.duration[cells.duration_row[k]]
    return [(s + scores[c - b], path) for b, (s, path) in best.items() if c - b in lengths]


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
    for t, t_after in itertools.combinations_with_replacement(range(n_frames + 1), 2):
        best[t, t_after] = psi(potentials, 0, -1, t, t_after)
    for k in range(1, n_events):
        new = {}
        for t, t_after in itertools.combinations_with_replacement(range(n_frames + 1), 2):
            new[t, t_after] = max(
                (
                    best[t_before, t] + psi(potentials, k, t_before, t, t_after)
                    for t_before in range(t + 1)
                    if best[t_before, t] > -math.inf
                ),
                default=-math.inf,
            )
        best = new
    return potentials.constant + max(best[t, n_frames] for t in range(n_frames))


@st.composite
def small_potentials(
    draw,
    n_events=None,
    n_frames=None,
    *,
    most_frames=9,
    scores=None,
    duration=None,
    ratio=None,
    shortest=3,
    latest=1.0,
    dtype=np.float64,
    general=(),
    labels=(),
):
    """Integer-valued potentials, so that sums are exact and ties real; feasible or not.

    `duration` says whether lengths are scored, by default by chance. `ratio` is a table, or a
    strategy of some. `shortest` is the greatest least length (the least is 0), `latest` the part
    of the recording in which windows begin.
    """
    n_events = draw(st.integers(1, 4)) if n_events is None else n_events
    n_frames = draw(st.integers(1, most_frames)) if n_frames is None else n_frames
    if scores is None:
        scores = ROUGH if draw(st.booleans()) else SMALL
    start = stop = table = row = minimum = maximum = None
    width = n_frames
    if draw(st.booleans()):
        begin = st.integers(0, min(n_frames - 1, int(latest * n_frames)))
        start = np.sort(draw(arrays(np.intp, n_events, elements=begin)))
        stop = np.sort(draw(arrays(np.intp, n_events, elements=st.integers(1, n_frames))))
        width = max(1, int((stop - start).max()))
    if draw(st.booleans()) if duration is None else duration:
        longest = draw(st.integers(1, n_frames))
        table = draw(arrays(np.float64, (2, longest + 1), elements=scores))
        row = draw(arrays(np.intp, n_events, elements=st.integers(0, 1)))
    if draw(st.booleans()):
        minimum = draw(arrays(np.intp, n_events, elements=st.integers(0, shortest)))
    if draw(st.booleans()):
        maximum = draw(arrays(np.intp, n_events, elements=st.integers(1, n_frames)))
    return Potentials(
        draw(arrays(dtype, (n_events, width), elements=scores)),
        n_frames,
        start=start,
        stop=stop,
        duration=table,
        duration_row=row,
        min_length=minimum,
        max_length=maximum,
        ratio=draw(ratio) if isinstance(ratio, st.SearchStrategy) else ratio,
        general=general,
        constant=draw(SMALL),
        labels=labels,
    )


@st.composite
def ratios(draw, n_events):
    """Coefficients of either sign; none for the first event."""
    ratio = draw(arrays(np.float64, (n_events, 3), elements=st.sampled_from([-1.0, 0.0, 2.0])))
    ratio[0] = 0.0
    return ratio


def random_potentials(
    rng, n_events, n_frames, *, longest=None, order=2, sign=None, dtype=np.float64, windows=False
):
    """Float potentials that some timing meets; `sign` is that of the ratio weight."""
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
            from_here = []
            for d in range(shortest[k], longest[k] + 1):
                if (t + d, d) in after:
                    score = own + after[t + d, d] + a * d * d
                    if potentials.duration is not None:
                        score += potentials.duration[potentials.duration_row[k], d]
                    from_here.append((d, score))
            for before in range(shortest[k - 1], longest[k - 1] + 1):
                scores = (score + b * before**2 + c * before * d for d, score in from_here)
                here[t, before] = max(scores, default=-np.inf)
        tables[k] = after = here
    return tables


def states(potentials, windows):
    """Length, score, and score of the best path of the states of each event.

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
            arriving = [(x, h + b * x * x) for (end, x), h in before.items() if end == t]
            for d in range(shortest[k], longest[k] + 1):
                after = tables[k + 1].get((t + d, d), -np.inf)
                score = own + a * d * d
                if potentials.duration is not None:
                    score += potentials.duration[potentials.duration_row[k], d]
                if k > 0:
                    score += max((h + c * x * d for x, h in arriving), default=-np.inf)
                if score + after > -np.inf:
                    here[t + d, d] = max(score, here.get((t + d, d), -np.inf))
                    found.append((d, score, score + after))
        yield found
        before = here
