"""Exact decoding over a lattice: which events occur, and when, in O(N T L + A T).

With ``D_v(t)`` the best score of a path up to the onset of node v at frame t, ``E_v(t)`` of one
in which node v ends at frame t, and ``S`` the running sums of the scores of frames::

    D_v(t) = onset[v, t] - S[v, t] + max( start_v, max { E_u(t) + arc_uv + transition_uv[t] : u } )
    E_u(t) = S[u, t] + max { D_u(t - d) + duration[u, d] : d }

and the best path stops at the end node v where ``E_v(T) + end_v`` is greatest. Lengths are
searched once for each node, arcs are followed once for each frame: an arc is cheap. Nodes are
visited in topological order; no back-pointers are stored, as in `align.decoders.semi_markov`.

Each node has the window of its event, or one of its own, cut to what its neighbours leave it; a
node that cannot be reached in time is passed over.

References
----------
Sarawagi and Cohen, "Semi-Markov conditional random fields", NIPS 2004.
Mohri, Pereira and Riley, "Weighted finite-state transducers in speech recognition", Computer
Speech and Language 16, 2002.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import read_only
from align.decoders._lattice_kernels import (
    Graph,
    Limits,
    Scores,
    backtrack,
    cut_windows,
    forward,
)
from align.decoders._windows import (
    check_values,
    explain_unreachable,
    length_table,
    refuse,
    tighten,
)
from align.decoders.lattice import Lattice
from align.errors import ParameterError, check_shape
from align.potentials import Potentials
from align.terms import BaseFunctions, OnsetTerm, SegmentTerm
from align.types import BoolArray, FloatArray, IntArray


class LatticePath(NamedTuple):
    """What `decode_lattice` returns.

    Attributes
    ----------
    nodes : np.ndarray [shape=(M,), dtype=intp]
        The nodes that occur, in order.
    onsets : np.ndarray [shape=(M,), dtype=intp]
        Frame at which each begins, increasing.
    score : float
        Of the nodes at these onsets.
    """

    nodes: IntArray
    onsets: IntArray
    score: float


def decode_lattice(
    potentials: Potentials,
    lattice: Lattice,
    *,
    segment: SegmentTerm | None = None,
    transition: OnsetTerm | None = None,
    windows: npt.ArrayLike | None = None,
) -> LatticePath:
    """Find the best path of a lattice and its best onsets.

    Parameters
    ----------
    potentials : Potentials
        Onset and duration scores, windows and lengths of the K events; no ratio or general
        scores. The events need not be in any order (apart from the rule that windows never go
        backwards): the lattice says what follows what.
    lattice : Lattice
        N nodes, each an occurrence of one of the events, and A arcs.
    segment : SegmentTerm, optional
        Scores of the frames of each event, with one row for each of the K events. In a chain
        these fold into onset scores; in a lattice they do not, since an event can follow several.
    transition : OnsetTerm, optional
        Score of each frame at which an arc may be followed, such as that of a boundary between
        two given phones, with one row for each of the A arcs.
    windows : array_like [shape=(N, 2)], optional
        First frame at which each node may begin, and the frame after the last; by default those
        of its event, which hold as well. Time and memory are those of the frames in the windows.

    Returns
    -------
    LatticePath
        Nodes and onsets [shape=(M,), dtype=intp], and their score. Of those that share the best
        score it is the one whose last onset is earliest, of these the one whose last node has
        the lowest number, then so for the onset and node before; a path that begins there goes
        before one that goes on.

    Raises
    ------
    ParameterError
        Other scores are present; an event or a table does not fit; a score is NaN or +inf; no
        path meets the windows and the lengths, or none has a finite score.

    Examples
    --------
    The second of three events is left out, since its onset score does not pay for it:

    >>> onset = np.array([[5.0, 0, 0, 0], [-3, -3, -3, -3], [0, 0, 4, 0]])
    >>> potentials = Potentials(onset, n_frames=4)
    >>> decode_lattice(potentials, Lattice.with_optional(3, [1]))
    LatticePath(nodes=array([0, 2]), onsets=array([0, 2]), score=9.0)
    """
    refuse(potentials, "decode_lattice", "ratio", "general")
    if int(lattice.event.max()) >= potentials.n_events:
        raise ParameterError(
            f"a node of the lattice is event {lattice.event.max()}, the potentials have events "
            f"0..{potentials.n_events - 1}."
        )
    onset = check_values(potentials)
    graph = _graph(lattice)
    scores = _tables(potentials, lattice, onset, segment, transition)
    limits = _limits(potentials, lattice, graph, windows)
    offset = np.concatenate(([0], np.cumsum(np.maximum(0, limits.last - limits.first + 1))))
    best = np.full(int(offset[-1]), -np.inf)
    final = np.full(lattice.n_nodes, -np.inf)
    forward(graph, limits, scores, potentials.n_frames, offset, best, final)
    score = float(final.max())
    if score == -np.inf:
        raise _explain(potentials, lattice, limits, segment, transition, windows)
    nodes, onsets = np.empty((2, lattice.n_nodes), dtype=np.intp)
    size = backtrack(
        graph, limits, scores, potentials.n_frames, offset, best, final, nodes, onsets
    )
    path = slice(lattice.n_nodes - size, None)
    return LatticePath(nodes[path].copy(), onsets[path].copy(), score + potentials.constant)


def lattice_potentials(
    base_functions: BaseFunctions, weights: FloatArray
) -> tuple[Potentials, SegmentTerm | None]:
    """Fold base functions for a lattice, keeping the scores of frames apart.

    Parameters
    ----------
    base_functions : BaseFunctions
        Of the K events, as if they were a sequence. They may look at one event at a time: scores
        that depend on the event before must go to `transition` of `decode_lattice`.
    weights : np.ndarray [shape=(J,)]
        Of the base functions.

    Returns
    -------
    potentials : Potentials
        Everything but the segment terms.
    segment : SegmentTerm or None
        The weighted sum of the segment terms.

    Raises
    ------
    ParameterError
        There is not one weight for each base function.

    Examples
    --------
    >>> term = SegmentTerm.from_frames(np.array([[1.0, 0, 0], [0, 2, 2]]), np.array([0, 1]))
    >>> base = BaseFunctions([term], ["confidence"], n_events=2, n_frames=3)
    >>> potentials, segment = lattice_potentials(base, np.array([0.5]))
    >>> decode_lattice(potentials, Lattice.chain(2), segment=segment)
    LatticePath(nodes=array([0, 1]), onsets=array([0, 1]), score=2.5)
    """
    keep = [not isinstance(term, SegmentTerm) for term in base_functions.terms]
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(keep),):
        raise ParameterError(f"{weights.size} weights for {len(keep)} base functions.")
    apart = [
        (term, float(weight))
        for term, weight in zip(base_functions.terms, weights, strict=True)
        if isinstance(term, SegmentTerm)
    ]
    rest = replace(
        base_functions,
        terms=[t for t, k in zip(base_functions.terms, keep, strict=True) if k],
        names=[n for n, k in zip(base_functions.names, keep, strict=True) if k],
    )
    potentials = rest.potentials(weights[keep])
    if not apart:
        return potentials, None
    rows = np.stack([term.rows for term, _ in apart], axis=1)
    distinct, row = np.unique(rows, axis=0, return_inverse=True)
    prefix = np.zeros((len(distinct), base_functions.n_frames + 1))
    for (term, weight), mine in zip(apart, distinct.T, strict=True):
        on = mine >= 0
        prefix[on] += weight * term.prefix[mine[on]]
    return potentials, SegmentTerm(prefix, row.reshape(-1).astype(np.intp))


def path_potentials(
    potentials: Potentials,
    lattice: Lattice,
    nodes: npt.ArrayLike,
    *,
    segment: SegmentTerm | None = None,
    transition: OnsetTerm | None = None,
    windows: npt.ArrayLike | None = None,
) -> Potentials:
    """Return the potentials of the events on one path, in order, as of a sequence.

    With these, what follows decoding (the posterior, max-marginals, refinement) serves the events
    that `decode_lattice` has chosen.

    Parameters
    ----------
    potentials, lattice, segment, transition, windows
        As for `decode_lattice`.
    nodes : array_like [shape=(M,)]
        A path of the lattice.

    Returns
    -------
    Potentials
        Of M events. Scores of frames, arcs, start and end are folded in, so that the score of
        onsets is that of the path at these onsets.

    Raises
    ------
    ParameterError
        `nodes` is no path of the lattice.

    Examples
    --------
    >>> potentials = Potentials(np.array([[5.0, 0, 0], [-3, -3, -3], [0, 0, 4]]), n_frames=3)
    >>> lattice = Lattice.with_optional(3, [1], score=-1.0)
    >>> path_potentials(potentials, lattice, [0, 2]).score([0, 2])
    8.0
    """
    walk = np.asarray(nodes, dtype=np.intp)
    arcs = _arcs_along(lattice, walk)
    event = lattice.event[walk]
    # windows of a path cannot go backwards; those of alternatives may
    start, stop = potentials.start[event], potentials.stop[event]
    if windows is not None:
        given = _checked_windows(windows, lattice.n_nodes)[walk]
        start, stop = np.maximum(start, given[:, 0]), np.minimum(stop, given[:, 1])
    start = np.maximum.accumulate(start)
    stop = np.minimum.accumulate(stop[::-1])[::-1]
    width = max(1, int((stop - start).max()))
    shift = start - potentials.start[event]
    if shift.any():
        column = np.minimum(shift[:, None] + np.arange(width), potentials.onset.shape[1] - 1)
        onset = potentials.onset[event[:, None], column]
    else:
        onset = potentials.onset[event, :width]
    chain = Potentials(
        onset.astype(np.float64, copy=False),
        potentials.n_frames,
        start=start,
        stop=stop,
        duration=potentials.duration,
        duration_row=None if potentials.duration_row is None else potentials.duration_row[event],
        min_length=potentials.min_length[event],
        max_length=potentials.max_length[event],
        constant=potentials.constant
        + float(lattice.start_score[lattice.starts == walk[0]][0])
        + float(lattice.arc_score[arcs].sum())
        + float(lattice.end_score[lattice.ends == walk[-1]][0]),
        labels=tuple(lattice.labels[v] for v in walk)
        if lattice.labels
        else tuple(potentials.labels[k] for k in event if potentials.labels),
    )
    if segment is not None:
        SegmentTerm(segment.prefix, segment.rows[event]).fold(chain, 1.0)
    if transition is not None:
        OnsetTerm(transition.table, np.append(-1, transition.rows[arcs])).fold(chain, 1.0)
    return chain


def _arcs_along(lattice: Lattice, walk: IntArray) -> IntArray:
    """Index of each arc of a path."""
    n = lattice.n_nodes
    if walk.ndim != 1 or not walk.size:
        raise ParameterError(f"nodes.shape={walk.shape}, must be (M,), M > 0.")
    code = lattice.arcs[:, 0] * n + lattice.arcs[:, 1]
    order = np.argsort(code)
    wanted = walk[:-1] * n + walk[1:]
    place = np.searchsorted(code, wanted, sorter=order)
    found = order[np.minimum(place, code.size - 1)] if code.size else np.zeros_like(wanted)
    missing = np.flatnonzero(code[found] != wanted) if code.size else np.arange(wanted.size)
    if missing.size:
        u, v = walk[missing[0]], walk[missing[0] + 1]
        raise ParameterError(f"nodes: there is no arc {u} -> {v} in the lattice.")
    if walk[0] not in lattice.starts or walk[-1] not in lattice.ends:
        raise ParameterError(
            f"nodes go from {walk[0]} to {walk[-1]}, must go from a start to an end node."
        )
    return found


def _graph(lattice: Lattice) -> Graph:
    n = lattice.n_nodes
    source, target = np.ascontiguousarray(lattice.arcs.T)
    start_score, end_score = np.full((2, n), -np.inf)
    start_score[lattice.starts] = lattice.start_score
    end_score[lattice.ends] = lattice.end_score
    out_from, in_from = (
        np.concatenate(([0], np.cumsum(np.bincount(side, minlength=n)))).astype(np.intp)
        for side in (source, target)
    )
    return Graph(
        lattice.order,
        lattice.event,
        out_from,
        np.lexsort((target, source)),
        in_from,
        np.lexsort((source, target)),
        source,
        target,
        lattice.arc_score,
        start_score,
        end_score,
    )


def _tables(
    potentials: Potentials,
    lattice: Lattice,
    onset: FloatArray,
    segment: SegmentTerm | None,
    transition: OnsetTerm | None,
) -> Scores:
    n_frames, event = potentials.n_frames, lattice.event
    duration, duration_row = length_table(potentials, n_frames)
    prefix, prefix_row = np.zeros((1, n_frames + 1)), np.full_like(event, -1)
    if segment is not None:
        prefix = np.ascontiguousarray(segment.prefix, dtype=np.float64)
        _check_rows(prefix, segment.rows, potentials.n_events, n_frames + 1, "segment")
        if not np.isfinite(prefix).all():
            raise ParameterError("segment scores must be finite.")
        prefix_row = segment.rows[event]
    table, table_row = np.zeros((1, n_frames)), np.full(lattice.n_arcs, -1, dtype=np.intp)
    if transition is not None:
        table = np.ascontiguousarray(transition.table, dtype=np.float64)
        table_row = np.asarray(transition.rows, dtype=np.intp)
        _check_rows(table, table_row, lattice.n_arcs, n_frames, "transition")
        if not (table < np.inf).all():
            raise ParameterError("transition scores must be finite, or -inf to forbid a frame.")
    return Scores(
        read_only(onset),
        potentials.start,
        duration,
        duration_row[event],
        prefix,
        prefix_row,
        table,
        table_row,
        potentials.duration is None,
    )


def _check_rows(table: FloatArray, rows: IntArray, size: int, width: int, name: str) -> None:
    if table.ndim != 2 or table.shape[1] != width:
        raise ParameterError(f"{name}: table.shape={table.shape}, must be (S, {width}).")
    if rows.shape != (size,):
        raise ParameterError(f"{name}: rows.shape={rows.shape}, must be ({size},).")
    if rows.size and not -1 <= rows.min() <= rows.max() < len(table):
        raise ParameterError(f"{name}: rows must lie in -1..{len(table) - 1}.")


def _checked_windows(windows: npt.ArrayLike, n_nodes: int) -> IntArray:
    given = np.asarray(windows, dtype=np.intp)
    check_shape("windows", given.shape, "(N, 2)", (n_nodes, 2))
    return given


def _limits(
    potentials: Potentials, lattice: Lattice, graph: Graph, windows: npt.ArrayLike | None
) -> Limits:
    event, n_frames = lattice.event, potentials.n_frames
    first, last = potentials.start[event], potentials.stop[event] - 1
    if windows is not None:
        given = _checked_windows(windows, lattice.n_nodes)
        first, last = np.maximum(first, given[:, 0]), np.minimum(last, given[:, 1] - 1)
    limits = Limits(
        first,
        last,
        np.minimum(potentials.min_length[event], n_frames + 1),
        np.minimum(potentials.max_length[event], n_frames),
    )
    cut_windows(graph, limits, n_frames)
    return limits


def _explain(
    potentials: Potentials,
    lattice: Lattice,
    limits: Limits,
    segment: SegmentTerm | None,
    transition: OnsetTerm | None,
    windows: npt.ArrayLike | None,
) -> ParameterError:
    """Say what is wrong with the one path that has the best chance: the least frames."""
    alive = limits.last >= limits.first
    walk = _shortest_path(lattice, limits, alive)
    if not walk:
        walk = _shortest_path(lattice, limits, np.ones_like(alive))
    try:
        chain = path_potentials(
            potentials, lattice, walk, segment=segment, transition=transition, windows=windows
        )
    except ParameterError as error:  # windows that leave one of them no frame
        return error
    names = " ".join(chain.labels) if chain.labels else f"nodes {walk}"
    if len(names) > 60:
        names = f"{names[:60]} ..."
    try:
        reason = explain_unreachable(chain, tighten(chain))
    except ParameterError as error:
        reason = error
    return ParameterError(
        f"no path of the lattice can be timed. On the shortest ({names}): {reason}"
    )


def _shortest_path(lattice: Lattice, limits: Limits, allowed: BoolArray) -> list[int]:
    """Path over the nodes allowed that has the least sum of shortest lengths; [] if none."""
    least = {int(v): (0, -1) for v in lattice.starts if allowed[v]}  # frames before, node before
    before: list[list[int]] = [[] for _ in range(lattice.n_nodes)]
    for u, v in lattice.arcs.tolist():
        before[v].append(u)
    for v in lattice.order.tolist():
        reach = [(least[u][0] + int(limits.shortest[u]), u) for u in before[v] if u in least]
        if reach and allowed[v]:
            least[v] = min(*reach, least.get(v, reach[0]))
    ends = [v for v in lattice.ends.tolist() if v in least]
    if not ends:
        return []
    walk = [min(ends, key=lambda v: (least[v][0] + int(limits.shortest[v]), v))]
    while least[walk[-1]][1] >= 0:
        walk.append(least[walk[-1]][1])
    return walk[::-1]
