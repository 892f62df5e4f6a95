"""Exact decoders: dynamic programmes over the potentials of an alignment.

`decode` picks the cheapest exact one of `decode_monotone`, `decode_semi_markov`,
`decode_second_order` and `decode_general`. All share one rule for ties, one search of the frames
each onset can take, and one set of errors.

`decode_coarse_to_fine` decodes hours, `decode_batch` many recordings. `decode_lattice` chooses
which events occur, `decode_groups` lets events begin together, and `decode_k_best` lists the best
timings. `onset_posterior` and `onset_max_marginals` say how sure an onset is. `OnlineDecoder`
decodes a stream, and commits onsets while it goes on.

The names that ``__init__.pyi`` lists are loaded on first use: most programs need one decoder.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
