"""Exact decoding of onset and duration scores, in O(K T L).

With ``D_k(t)`` the best score of events ``0 .. k-1`` and of the onset of event k at frame t::

    D_0(t) = onset[0, t]
    D_k(t) = onset[k, t] + max { D_{k-1}(t - d) + duration[row_{k-1}, d] : d }

and the best path is where ``D_{K-1}(t) + duration[row_{K-1}, T - t]`` is greatest. The recursion
is that of `align.decoders._first_order`, its inner loop that of `align.decoders._max_plus`. Where
all rows D_k are too much, `align.decoders._rows` keeps some and finds the others again.

Conventions of time are those of `align.types`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.4.
Sarawagi and Cohen, "Semi-Markov conditional random fields", NIPS 2004.
"""

from align.decoders._first_order import backtrack, best_path, forward
from align.decoders._windows import refuse
from align.potentials import Path, Potentials


def decode_semi_markov(potentials: Potentials, *, max_memory: int | None = None) -> Path:
    """Find the best onsets where onsets and lengths are scored, in O(K T L) time.

    Parameters
    ----------
    potentials : Potentials
        Onset and duration scores, windows and lengths; no ratio or general scores.
    max_memory : int, optional
        Most bytes of scores to keep beside the potentials, by default 1 GiB or, if it is more,
        the least that is needed. Where all K W scores do not fit, of the order of ``sqrt(K) W``
        are kept, at twice the time.

    Returns
    -------
    Path
        As `decode` returns it, with its rule for ties.

    Raises
    ------
    ParameterError
        Other scores are present; or as `decode` does. Where `max_memory` is not enough, the
        message says how much is.

    Examples
    --------
    >>> import numpy as np
    >>> duration = np.array([[-np.inf, 0.0, 4.0, 0.0, 0.0]])  # two frames are best
    >>> decode_semi_markov(Potentials(np.zeros((2, 4)), n_frames=4, duration=duration))
    Path(onsets=array([0, 2]), score=8.0)
    """
    refuse(potentials, "decode_semi_markov", "ratio", "general", instead="; use decode")
    return best_path(potentials, forward, backtrack, max_memory)
