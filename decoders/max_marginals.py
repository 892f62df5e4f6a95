"""How much each onset matters: the best score with onset k at frame t, in O(K W L).

With ``F_k(t)`` the best score of all that lies before onset k at frame t, its own score included,
and ``B_k(t)`` of all that follows (`align.decoders._first_order` has the recursions), the
max-marginal ``M_k(t) = F_k(t) + B_k(t)`` is the score of the best timing that has onset k at frame
t. For each k its greatest value is the score of the best timing; what is left of it away from the
decoded onset says how sure that onset is, in the units of the score. Where changes of length are
scored, the states are pairs of onsets (`align.decoders.second_order`).

References
----------
Wainwright and Jordan, "Graphical models, exponential families, and variational inference",
Foundations and Trends in Machine Learning 1, 2008, section 8.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.decoders._first_order import Tables, backward, first_order_tables, forward
from align.decoders._rows import Row
from align.decoders._windows import explain_unreachable, has_ratio, refuse
from align.decoders.second_order import problem_of, second_order_max_marginals
from align.errors import ParameterError, check_shape
from align.potentials import Potentials
from align.types import Float64, IntArray


class MaxMarginals(NamedTuple):
    """The best score with each onset at each frame.

    Attributes
    ----------
    score : np.ndarray [shape=(K, W), dtype=float64]
        Of the best timing in which event k begins at frame ``start[k] + i``; -inf where there is
        none.
    start : np.ndarray [shape=(K,), dtype=intp]
        First frame of each row.
    """

    score: Float64
    start: IntArray

    def margin(self, onsets: npt.ArrayLike, tolerance: float) -> Float64:
        """Return by how much the best score beats the best with the onset somewhere else.

        Parameters
        ----------
        onsets : array_like [shape=(K,)]
            Frames; fractions are allowed. The decoder's answer, or a refined one.
        tolerance : float
            Frames either side, both ends included, that count as the same place; at least 0.

        Returns
        -------
        np.ndarray [shape=(K,), dtype=float64]
            Best score with onset k within the tolerance, minus the best with it elsewhere. Not
            negative where `onsets` are the decoder's; +inf where onset k has nowhere else to be,
            -inf where it cannot be within the tolerance.

        Raises
        ------
        ParameterError
            There is not one onset for each event, or the tolerance is negative.

        Examples
        --------
        >>> table = np.array([[0.0, 5.0, 4.0, 1.0]])
        >>> found = onset_max_marginals(Potentials(table, n_frames=4))
        >>> found.margin([1], tolerance=0), found.margin([1], tolerance=1)
        (array([1.]), array([4.]))
        """
        y = np.asarray(onsets, dtype=np.float64)
        check_shape("onsets", y.shape, "(K,)", self.start.shape)
        if not tolerance >= 0:
            raise ParameterError(f"tolerance={tolerance}, must not be negative.")
        frame = self.start[:, None] + np.arange(self.score.shape[1])
        near = np.abs(frame - y[:, None]) <= tolerance
        inside = np.where(near, self.score, -np.inf).max(axis=1, initial=-np.inf)
        outside = np.where(near, -np.inf, self.score).max(axis=1, initial=-np.inf)
        margin = np.full(y.shape, np.inf)
        elsewhere = outside > -np.inf
        margin[elsewhere] = inside[elsewhere] - outside[elsewhere]
        return margin


def onset_max_marginals(potentials: Potentials) -> MaxMarginals:
    """Compute the best score with each onset at each frame of its window.

    Parameters
    ----------
    potentials : Potentials
        Onset, duration and ratio scores, windows and lengths; no general scores.

    Returns
    -------
    MaxMarginals
        Up to rounding, the greatest value of each row is the score that `decode` finds.

    Raises
    ------
    ParameterError
        General scores are present; or as `decode` does.

    Notes
    -----
    Time is twice that of `decode_semi_markov`; where lengths score nothing and the longest does
    not bind it is O(K W). Memory is two tables of the size of the onset table. With ratio scores
    time is three times that of the envelopes of `decode_second_order`, still O(K W L), and memory
    of the order of ``sqrt(K) W L``; windows may be narrowed first (`narrowed`).

    Examples
    --------
    >>> onset = np.array([[2.0, 0.0, 1.0, 0.0], [0.0, 0.0, 3.0, 1.0]])
    >>> onset_max_marginals(Potentials(onset, n_frames=4)).score
    array([[  5.,   3.,   2., -inf],
           [-inf,   2.,   5.,   3.]])
    """
    score = np.full(potentials.onset.shape, -np.inf)
    if potentials.n_events == 0:
        return MaxMarginals(score, potentials.start)
    refuse(potentials, "onset_max_marginals", "general")
    if has_ratio(potentials):
        problem = problem_of(potentials)
        windows = problem.windows
        second_order_max_marginals(problem, potentials.n_frames, score)
    else:
        tables = first_order_tables(potentials)
        windows = tables.windows
        before, after = np.empty((2, int(tables.offset[-1])))
        forward(tables, 0, potentials.n_events, before)
        backward(tables, after)
        _add(tables, before, after, score)
    if score[-1].max() == -np.inf:
        raise explain_unreachable(potentials, windows)
    score += potentials.constant
    return MaxMarginals(score, potentials.start)


@compiled()
def _add(tables: Tables, before: Row, after: Row, score: Float64) -> None:
    """Add both flat tables up in the layout of the onset scores, whose rows begin at `start`."""
    for k in range(tables.row.size):
        low, high = tables.offset[k], tables.offset[k + 1]
        shift = tables.windows.first[k] - tables.start[k]
        for i in range(high - low):
            score[k, shift + i] = before[low + i] + after[low + i]
