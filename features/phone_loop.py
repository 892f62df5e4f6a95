"""The best sequence of phones of a recording, whatever was said: what an alignment compares with.

Any phone may follow any other, at a cost for each change: a *phone loop*. With the scores
``s[t, p]`` of phone p at frame t and a cost c of each change, the best sequence maximises

    sum_t s[t, p_t]  -  c * (number of changes)

which the Viterbi algorithm finds in O(T S): the best predecessor is the phone itself, or, at the
cost c, the best phone of the frame before. Phones that were said score nearly as the best sequence
does; those that were not, far below it.

References
----------
Rose and Paul, "A hidden Markov model based keyword recognition system", ICASSP 1990.
Witt and Young, "Phone-level pronunciation scoring and assessment for interactive language
learning", Speech Communication 30, 2000.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError

__all__ = ["CHANGE", "loop_scores"]

CHANGE = 3.0
"""Cost of a change of phone, in units of log probability: noise of single frames is no phone."""


def loop_scores(
    scores: npt.NDArray[Any], change: float = CHANGE
) -> npt.NDArray[np.float64]:
    """Return the score of each frame along the best sequence of phones.

    Parameters
    ----------
    scores : np.ndarray [shape=(T, S)]
        Score of each phone at each frame, S > 0.
    change : float
        Cost of each change, at least 0; it is not in the scores that come back.

    Returns
    -------
    np.ndarray [shape=(T,), dtype=float64]

    Raises
    ------
    ParameterError
        If the shape is another, or the cost is negative.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.log([[0.9, 0.1], [0.4, 0.6], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    >>> np.exp(loop_scores(scores, change=1.0)).round(1).tolist()
    [0.9, 0.4, 0.9, 0.9, 0.9]
    """
    table = np.ascontiguousarray(scores, dtype=np.float32)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ParameterError(f"scores.shape={table.shape}, must be (T, S), S > 0.")
    if not change >= 0:
        raise ParameterError(f"change={change}, must be at least 0.")
    return _loop(table, change)


@compiled(error_model="numpy")
def _loop(scores: npt.NDArray[Any], change: float) -> npt.NDArray[np.float64]:
    n_frames, n_phones = scores.shape
    best = np.zeros(n_phones)  # of a sequence that ends with each phone
    before = np.zeros((n_frames, n_phones), dtype=np.int32)
    top, top_value = 0, 0.0  # of the frame before
    for t in range(n_frames):
        jump = top_value - change
        here, here_value = 0, -np.inf
        for p in range(n_phones):
            # A tie stays: no change without a reason.
            if best[p] >= jump:
                before[t, p] = p
            else:
                best[p] = jump
                before[t, p] = top
            best[p] += scores[t, p]
            if best[p] > here_value:
                here, here_value = p, best[p]
        top, top_value = here, here_value
    along = np.zeros(n_frames)
    for t in range(n_frames - 1, -1, -1):
        along[t] = scores[t, top]
        top = before[t, top]
    return along
