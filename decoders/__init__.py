"""Exact decoders: dynamic programmes over the potentials of an alignment.

`decode` picks the cheapest exact one of `decode_monotone`, `decode_semi_markov`,
`decode_second_order` and `decode_general`. All share one rule for ties, one search of the frames
each onset can take, and one set of errors.
"""

from align.decoders.dispatch import decode
from align.decoders.general import decode_general
from align.decoders.monotone import decode_monotone
from align.decoders.posterior import Posterior, narrowed, onset_posterior
from align.decoders.second_order import decode_second_order
from align.decoders.semi_markov import decode_semi_markov

__all__ = [
    "Posterior",
    "decode",
    "decode_general",
    "decode_monotone",
    "decode_second_order",
    "decode_semi_markov",
    "narrowed",
    "onset_posterior",
]
