"""`decode_second_order`: bounds where they help, envelopes elsewhere."""

import numpy as np

from align.decoders._first_order import without_ratio
from align.decoders._windows import check_memory, check_values, explain_unreachable, tighten
from align.decoders.second_order._checkpoints import best_by_envelopes
from align.decoders.second_order._pruned import is_concave, search_by_bounds
from align.decoders.second_order._states import laid_out
from align.errors import ParameterError
from align.potentials import Path, Potentials


def decode_second_order(potentials: Potentials, *, max_memory: int | None = None) -> Path:
    """Find the best onsets where changes of length are scored as well, in O(K T L) time.

    Parameters
    ----------
    potentials : Potentials
        Onset, duration and ratio scores, windows and lengths; no general scores.
    max_memory : int, optional
        Most bytes of arrays to allocate beside the potentials. By default as much as is fastest,
        within the bounds below.

    Returns
    -------
    Path
        Onsets [shape=(K,), dtype=intp] in frames and their score. Of the onsets that share the
        best score it is those whose last onset is earliest, then the one before it, and so on.

    Raises
    ------
    ParameterError
        Other scores are present; a score is NaN or +inf; no timing meets the windows and the
        lengths, or none has a finite score; `max_memory` is not positive, or not enough (says how
        much is).

    Notes
    -----
    Let W be the frames each onset can take and L the lengths each event can have. Where
    ``a <= 0``, ``b <= 0`` and ``4 a b >= c**2`` in every row of `Potentials.ratio`, bounds leave
    few states of most potentials: time is mostly three to five times that of `decode_semi_markov`
    on speech and on music. Memory is some 250 K W bytes, of which most is seldom touched, at most
    `max_memory` or 1.5 GiB.

    Otherwise, or where too many states are left, time is some twenty to forty times that of
    `decode_semi_markov`. Back-pointers of one byte (two where an onset can follow more than 256
    others), at most K W L of them, are stored up to 256 MiB or `max_memory`. Beyond, checkpoints
    bound memory by the order of ``sqrt(K) W L`` at twice the time, and below that by
    ``log2(K) W L`` at up to log2(K) times.

    Examples
    --------
    Equal lengths are best where the square of their difference is subtracted:

    >>> ratio = np.array([[0.0, 0.0, 0.0], [-1.0, -1.0, 2.0], [-1.0, -1.0, 2.0]])
    >>> onset = np.zeros((3, 9))
    >>> onset[0, 0] = 10.0
    >>> decode_second_order(Potentials(onset, n_frames=9, ratio=ratio))
    Path(onsets=array([0, 3, 6]), score=10.0)
    """
    if potentials.general:
        raise ParameterError("decode_second_order cannot score general functions; use decode.")
    check_memory(max_memory)
    if potentials.n_events == 0:
        return Path(np.empty(0, dtype=np.intp), potentials.constant)
    onset = check_values(potentials)
    copied = 0 if np.may_share_memory(onset, potentials.onset) else onset.nbytes
    windows = tighten(potentials)
    if potentials.ratio is not None and is_concave(potentials.ratio):
        tables = without_ratio(potentials, onset, windows)
        left = None if max_memory is None else max_memory - copied
        found = search_by_bounds(tables, potentials.ratio, left)
        if found is not None:
            return Path(found.onsets, found.score + potentials.constant)
    score, onsets = best_by_envelopes(laid_out(potentials, onset, windows), max_memory, copied)
    if score == -np.inf:
        raise explain_unreachable(potentials, windows)
    return Path(onsets, score + potentials.constant)
