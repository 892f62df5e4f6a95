"""Windows are one idea: decode in them, look where the answer touches an edge, widen there.

A window holds the frames in which an onset is looked for: the first, and one past the last. The
best timing within windows is the best of all if it stays away from every edge that is a window's
own and not a limit of the problem; an answer near an edge says that a better one may lie beyond.
Long recordings (`decode_coarse_to_fine`), long lattices and the chords of a score are all searched
so. They differ in where the windows begin and in how they grow.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from align.errors import ParameterError
from align.types import BoolArray, IntArray

Found = TypeVar("Found")
Widen: TypeAlias = Callable[[IntArray, Found | None, BoolArray | None], IntArray | None]


class Searched(NamedTuple, Generic[Found]):
    """What `search_in_windows` returns.

    Attributes
    ----------
    found : object
        The last answer of the decoder.
    windows : np.ndarray [shape=(K, 2), dtype=intp]
        Those it was found in.
    near : np.ndarray [dtype=bool]
        Onsets of the answer that are still near an edge; none, but where rounds ran out.
    rounds : int
        How often there was an answer.
    """

    found: Found
    windows: IntArray
    near: BoolArray
    rounds: int


def search_in_windows(
    windows: IntArray,
    decode: Callable[[IntArray], Found],
    near: Callable[[Found, IntArray], BoolArray],
    widen: Widen[Found],
    *,
    most_rounds: int,
) -> Searched[Found]:
    """Decode in windows, wider ones where the answer comes near an edge, until none does.

    Parameters
    ----------
    windows : np.ndarray [shape=(K, 2), dtype=intp]
        Where to begin.
    decode : callable
        Returns the best answer within windows; raises ParameterError where there is none.
    near : callable
        Given an answer and its windows, which of its onsets are near an edge; see `near_edges`.
    widen : callable
        Given windows, the answer and what is near, wider windows. Where nothing fits into the
        windows it is given None for the latter two, and returns None where they are as wide as
        can be.
    most_rounds : int
        Answers after which the search ends.

    Returns
    -------
    Searched

    Raises
    ------
    ParameterError
        Where nothing fits into the widest windows.

    Examples
    --------
    An onset that is looked for in 3 frames, and then in 3 more on either side:

    >>> scores = np.array([0, 1, 0, 0, 2, 9, 2, 0])
    >>> def decode(windows):
    ...     first, stop = windows[0]
    ...     return np.array([first + scores[first:stop].argmax()])
    >>> found = search_in_windows(
    ...     np.array([[2, 5]]),
    ...     decode,
    ...     lambda onsets, windows: near_edges(onsets, windows, np.array([[0, 8]]), 1),
    ...     lambda windows, onsets, near: np.clip(windows + [[-3, 3]], 0, 8),
    ...     most_rounds=5,
    ... )
    >>> found.found, found.windows.tolist(), found.rounds
    (array([5]), [[0, 8]], 2)
    """
    rounds = 0
    while True:
        try:
            found = decode(windows)
        except ParameterError:
            wider = widen(windows, None, None)
            if wider is None:
                raise
            windows = wider
            continue
        rounds += 1
        touched = near(found, windows)
        wider = None
        if touched.any() and rounds < most_rounds:
            wider = widen(windows, found, touched)
        if wider is None:
            return Searched(found, windows, touched, rounds)
        windows = wider
        del found  # its tables are as large as those that come


def near_edges(
    onsets: IntArray, windows: IntArray, limits: IntArray, margin: int | IntArray
) -> BoolArray:
    """Return which onsets come within `margin` frames of an edge that is not a limit [shape=(K,)].

    `windows` and `limits` [shape=(K, 2)] are first frame and one past the last, of the windows and
    of what the problem allows. The margin may differ from onset to onset; at 1, only one at the
    edge itself is near it.
    """
    low = (onsets - windows[:, 0] < margin) & (windows[:, 0] > limits[:, 0])
    high = (windows[:, 1] - 1 - onsets < margin) & (windows[:, 1] < limits[:, 1])
    return np.asarray(low | high)
