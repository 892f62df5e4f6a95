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

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from align._numba import compiled
from align.errors import ParameterError
from align.types import SILENCES, SPOKEN_NOISE, Event, Float64, IntArray

CHANGE = 3.0
"""Cost of a change of phone, in units of log probability: noise of single frames is no phone."""


NOISE = 2.5
"""What a frame of spoken noise scores less than the best sequence of phones does.

Phones that were said score about 1 less on average, those that were not 3 or more.
"""

ROUGH_NOISE = 1.7
"""The same in a rough pass, where words that were not said choose among minutes of sound."""


def with_noise(
    scores: npt.NDArray[Any],
    rows: IntArray,
    events: Sequence[Event],
    best: Float64,
    noise: float = NOISE,
) -> tuple[npt.NDArray[Any], IntArray]:
    """Return frame scores and rows in which spoken noise scores as any sound does.

    `scores` [shape=(S, T)] are those of each symbol at each frame, `rows` [shape=(K,)] the row of
    each event, `best` [shape=(T,)] what `loop_scores` returned; a frame of spoken noise scores so
    much less as `noise` says. Events called `align.types.SPOKEN_NOISE` get a row of their own,
    behind the others; all is the same where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> table, rows = with_noise(np.zeros((1, 2)), np.array([0, 0]), ["k", "spn"], np.zeros(2))
    >>> table.tolist(), rows.tolist()
    ([[0.0, 0.0], [-2.5, -2.5]], [0, 1])
    """
    is_noise = np.array([str(event) == SPOKEN_NOISE for event in events], dtype=bool)
    if not is_noise.any():
        return scores, rows
    own = (best - noise).astype(scores.dtype)[None]
    return np.concatenate([scores, own]), np.where(is_noise, len(scores), rows)


def with_pauses(
    scores: npt.NDArray[Any],
    rows: IntArray,
    events: Sequence[Event],
    best: Float64,
    times: float,
) -> tuple[npt.NDArray[Any], IntArray]:
    """Return frame scores and rows in which what a pause scores less than any phones counts more.

    A network that knows a language little finds a pause nearly as probable as phones it doubts.
    The difference between a pause and the best sequence of phones counts so many `times`; other
    parameters are those of `with_noise`. There is a row more for each that pauses have.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[-1.0, -4.0], [-3.0, -0.5]])
    >>> best = np.array([-1.0, -0.5])
    >>> table, rows = with_pauses(scores, np.array([0, 1]), ["k", "sil"], best, 2.0)
    >>> table.tolist(), rows.tolist()
    ([[-1.0, -4.0], [-3.0, -0.5], [-5.0, -0.5]], [0, 2])
    """
    pauses = np.array(
        [str(event) in SILENCES and str(event) != SPOKEN_NOISE for event in events], dtype=bool
    )
    theirs, place = np.unique(rows[pauses], return_inverse=True)
    own = (best + times * (scores[theirs] - best)).astype(scores.dtype)
    moved = rows.copy()
    moved[pauses] = len(scores) + place
    return np.concatenate([scores, own]), moved


def loop_scores(scores: npt.NDArray[Any], change: float = CHANGE) -> Float64:
    """Return the score of each frame along the best sequence of phones [shape=(T,)], as float64.

    `scores` [shape=(T, S)] are those of S > 0 phones at each frame. Each change of phone costs
    `change`, at least 0, which is not in the scores that come back. Raises ParameterError where
    the shape is another, or the cost is negative.

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
def _loop(scores: npt.NDArray[Any], change: float) -> Float64:
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
