"""Speech that is much slower than a model's: its phones are expected to last longer.

The lengths of phones are learned. Of somebody who speaks half as fast each phone is twice as long
as usual, so that the best path leaves out of words what it takes for pauses or for other speech.
How slow a recording is shows in that path all the same, by the median over phones of how many
times as long as usual each is; so what is slow is aligned once more, with lengths of its own.
"""

import copy
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from align.features.duration import DurationFeature
from align.speech.text.model import PhoneAligner
from align.speech.text.rows import Row
from align.types import SPOKEN_NOISE

SLOW = 1.4  # times as long as usual; of TIMIT's sentences none is, of EmoDB's sad ones few
_FEW = 15  # phones, of which a median says little


def times_as_long(model: PhoneAligner, rows: Sequence[Row]) -> float:
    """Return how many times as long as usual the phones of words are: their median.

    1 where they are few, or the model knows no lengths. Phones in front of pauses do not count.
    """
    lengths = [one for one in model.features_ if isinstance(one, DurationFeature)]
    own = [
        (row.label, after.start - row.start)
        for row, after in pairwise(rows)
        if row.word >= 0 <= after.word and row.label != SPOKEN_NOISE and after.start > row.start
    ]
    if not lengths or len(own) < _FEW:
        return 1.0
    labels, seconds = zip(*own, strict=True)
    return float(np.median(np.array(seconds) / lengths[0].usual(labels)))


def slower(model: PhoneAligner, times: float) -> PhoneAligner:
    """Return a model like another, all of whose events last so many times as long."""
    own = copy.copy(model)
    own.features_ = [
        one.slower(times) if isinstance(one, DurationFeature) else one for one in model.features_
    ]
    elsewhere: Mapping[str, PhoneAligner] = model.elsewhere_
    own.elsewhere_ = {kind: slower(other, times) for kind, other in elsewhere.items()}
    return own
