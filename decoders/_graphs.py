"""Directed graphs: an order of the nodes, and which of them are on a path."""

from collections.abc import Callable

import numpy as np

from align.errors import ParameterError
from align.types import IntArray


def topological_order(n: int, arcs: IntArray) -> IntArray:
    """Return the nodes 0..n-1 in an order in which arcs [shape=(A, 2)] run forwards.

    That is ``0, 1, ...`` where all arcs lead to higher nodes. Raises ParameterError where they
    form a cycle, and names one.
    """
    if (arcs[:, 0] < arcs[:, 1]).all():
        return np.arange(n)
    after: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs.tolist():
        after[u].append(v)
    waiting = np.bincount(arcs[:, 1], minlength=n).tolist()
    order = [v for v in range(n) if waiting[v] == 0]
    for u in order:  # grows while it is read
        for v in after[u]:
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    if len(order) == n:
        return np.array(order, dtype=np.intp)
    before = {v: u for u, v in arcs.tolist() if waiting[u] and waiting[v]}
    walk = [next(v for v in range(n) if waiting[v])]
    while before[walk[-1]] not in walk:
        walk.append(before[walk[-1]])
    cycle = [*walk[walk.index(before[walk[-1]]) :], before[walk[-1]]][::-1]
    raise ParameterError(
        f"the arcs form a cycle: {' -> '.join(map(str, cycle))}; give the second pass of a "
        "repeat nodes of its own (Lattice.with_repeats)."
    )


def check_on_paths(
    n: int, arcs: IntArray, starts: IntArray, ends: IntArray, label: Callable[[int], str]
) -> None:
    """Raise ParameterError unless every node is on a path from a start to an end; name one.

    There are no cycles, so whoever goes back from a node comes to one that no arc leads to. If all
    of these are starts, every node can be reached; with ends it is the same. `arcs` [shape=(A, 2)]
    join the n nodes, and `label` returns what messages call a node.
    """
    for open_ends, side, problem in (
        (starts, 1, "cannot be reached from any start node"),
        (ends, 0, "does not lead to an end node"),
    ):
        joined = np.bincount(arcs[:, side], minlength=n) > 0
        joined[open_ends] = True
        if not joined.all():
            lost = int(np.argmin(joined))
            raise ParameterError(f"{label(lost)} {problem}; remove it or add an arc.")
