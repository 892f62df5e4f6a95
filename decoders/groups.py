"""Simultaneous events: the notes of a chord, and all that shares one theoretical time.

Events keep at least one frame to themselves: ``y_k < y_{k+1}``. Events that should begin together
are therefore one event to the decoders, a *group*, and events again in what is returned. All
members of group g begin at frame ``y_g`` and last until the next group, ``d_g = y_{g+1} - y_g``;
the score of a timing is the sum over all members::

    sum_g sum_{k in g}  onset[k, y_g] + duration[row_k, d_g]
                        + ratio[k, 0] d_g**2 + ratio[k, 1] d_{g-1}**2 + ratio[k, 2] d_{g-1} d_g

where the first group, which follows nothing, has no ratio terms. Adding the members' tables gives
the potentials of the groups, so that every decoder, posterior and max-marginal of this package
serves groups as it stands, exactly, at the cost of G <= K events; ``result[groups]`` is the answer
for the members.

Scores of frames (`SegmentTerm`) have been folded into onset scores as if event k ended where
event k + 1 begins; within a group this leaves the frames to the last member.
"""

import numpy as np
import numpy.typing as npt

from align.decoders.dispatch import decode
from align.errors import ParameterError, check_shape
from align.potentials import Path, Potentials
from align.types import FloatArray, IntArray


def decode_groups(potentials: Potentials, groups: npt.ArrayLike) -> Path:
    """Find the best onsets where the events of a group begin together.

    Parameters
    ----------
    potentials : Potentials
        Of the K events, those of a group together with the rest. Any but general scores.
    groups : array_like [shape=(K,)]
        Group of each event; never decreasing. Events of equal number are a group.

    Returns
    -------
    Path
        Onsets [shape=(K,), dtype=intp] in frames, equal within groups and increasing from one to
        the next, and their score. Ties are broken as by `decode`.

    Raises
    ------
    ParameterError
        As `decode` does; or the windows, or the lengths, of a group have nothing in common.
        Messages count groups as events and name them by their members, ``event 2 ('c+e+g')``.

    Examples
    --------
    >>> onset = np.array([[1.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 9]])
    >>> decode_groups(Potentials(onset, n_frames=4), [0, 1, 1, 2])
    Path(onsets=array([0, 2, 2, 3]), score=13.0)
    """
    number = _numbered(groups, potentials.n_events)
    path = decode(group_potentials(potentials, number))
    return Path(path.onsets[number], path.score)


def simultaneous(times: npt.ArrayLike, tolerance: float = 0.0) -> IntArray:
    """Group events that have the same theoretical time.

    Parameters
    ----------
    times : array_like [shape=(K,)]
        Theoretical time of each event, never decreasing.
    tolerance : float
        Greatest distance from the first event of a group, in the unit of `times`.

    Returns
    -------
    np.ndarray [shape=(K,), dtype=intp]
        Group of each event, 0, 1, ...

    Raises
    ------
    ParameterError
        Times go backwards or are not finite, or the tolerance is negative.

    Examples
    --------
    >>> simultaneous([0.0, 0.5, 0.5, 1.0])
    array([0, 1, 1, 2])
    """
    t = np.asarray(times, dtype=np.float64)
    if t.ndim != 1 or not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise ParameterError("times must be a row of finite times that never decrease.")
    if not tolerance >= 0:
        raise ParameterError(f"tolerance={tolerance}, must not be negative.")
    groups = np.empty(t.size, dtype=np.intp)
    first, group = -np.inf, -1
    for k, time in enumerate(t.tolist()):
        if time - first > tolerance:
            first, group = time, group + 1
        groups[k] = group
    return groups


def group_potentials(potentials: Potentials, groups: npt.ArrayLike) -> Potentials:
    """Add up the potentials of the events of each group.

    Parameters
    ----------
    potentials : Potentials
        Of the K events; not changed. Any but general scores.
    groups : array_like [shape=(K,)]
        Group of each event; never decreasing.

    Returns
    -------
    Potentials
        Of the G groups, in order. The window of a group, and the range of its lengths, is what
        its members have in common.

    Raises
    ------
    ParameterError
        `groups` does not fit; general scores are present; the windows of a group have no frame in
        common.

    Examples
    --------
    >>> onset = np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 3]])
    >>> group_potentials(Potentials(onset, n_frames=3), [0, 1, 1]).onset
    array([[1., 0., 0.],
           [0., 2., 3.]])
    """
    if potentials.general:
        raise ParameterError("group_potentials cannot add general functions; fold groups first.")
    number = _numbered(groups, potentials.n_events)
    if number.size == 0 or number[-1] == number.size - 1:
        return potentials  # every event is alone
    p = potentials
    head = np.flatnonzero(np.diff(number, prepend=-1))  # first event of each group
    tail = np.append(head[1:], number.size) - 1
    labels = tuple(
        "+".join(p.labels[i : j + 1]) for i, j in zip(head, tail, strict=True) if p.labels
    )
    start, stop = p.start[tail], p.stop[head]  # neither ever decreases
    apart = np.flatnonzero((start >= stop) & (tail > head))
    if apart.size:
        g = int(apart[0])
        name = f" ({labels[g]!r})" if labels else ""
        raise ParameterError(
            f"events {head[g] + 1} to {tail[g] + 1}{name} cannot begin together: no frame is in "
            "the windows of all; widen them."
        )
    duration, row = p.duration, p.duration_row
    if duration is not None and row is not None:
        duration, row = _add_rows(duration, row, head, tail)
    ratio = None
    if p.ratio is not None:
        ratio = np.add.reduceat(p.ratio, head)
        ratio[0] = 0.0  # nothing is before the first group
    return Potentials(
        _add_onsets(p, number, start, stop),
        p.n_frames,
        start=start,
        stop=stop,
        duration=duration,
        duration_row=row,
        min_length=np.maximum.reduceat(p.min_length, head),
        max_length=np.minimum.reduceat(p.max_length, head),
        ratio=ratio,
        constant=p.constant,
        labels=labels,
    )


def _numbered(groups: npt.ArrayLike, n_events: int) -> IntArray:
    """Check groups; number them 0, 1, ..."""
    number = np.asarray(groups)
    check_shape("groups", number.shape, "(K,)", (n_events,))
    if number.size and not np.issubdtype(number.dtype, np.integer):
        raise ParameterError(f"groups.dtype={number.dtype}, must be integers.")
    step = np.diff(number)
    if (step < 0).any():
        k = int(np.argmax(step < 0))
        raise ParameterError(
            f"groups[{k + 1}]={number[k + 1]} after {number[k]}, must never decrease: the events "
            "of a group stand together."
        )
    return np.concatenate(([0], np.cumsum(step > 0)))[:n_events].astype(np.intp)


def _add_onsets(p: Potentials, number: IntArray, start: IntArray, stop: IntArray) -> FloatArray:
    """Sum of the members' scores over the window of each group."""
    width = max(1, int((stop - start).max()))
    total = np.zeros((start.size, width), dtype=p.onset.dtype)
    for k, g in enumerate(number.tolist()):
        n = max(0, int(stop[g] - start[g]))
        shift = int(start[g] - p.start[k])
        total[g, :n] += p.onset[k, shift : shift + n]
    return total


def _add_rows(
    duration: FloatArray, row: IntArray, head: IntArray, tail: IntArray
) -> tuple[FloatArray, IntArray]:
    """One row for each combination of rows that some group has."""
    rows = row.tolist()
    found: dict[tuple[int, ...], int] = {}
    mine = [
        found.setdefault(tuple(sorted(rows[i : j + 1])), len(found))
        for i, j in zip(head.tolist(), tail.tolist(), strict=True)
    ]
    table = np.stack([duration[list(members)].sum(axis=0) for members in found])
    return table, np.array(mine, dtype=np.intp)
