"""x"""

from align.decoders.second_order._decode import decode_second_order
from align.decoders.second_order._k_best import SecondOrder, fits
from align.decoders.second_order._max_marginals import second_order_max_marginals
from align.decoders.second_order._states import length_scores, problem_of
from align.decoders.second_order._sums import second_order_sums

__all__ = [
    "SecondOrder",
    "decode_second_order",
    "fits",
    "length_scores",
    "problem_of",
    "second_order_max_marginals",
    "second_order_sums",
]
