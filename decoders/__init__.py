"""Exact decoders: dynamic programmes over the potentials of an alignment.

`decode` picks the cheapest exact one of `decode_monotone`, `decode_semi_markov`,
`decode_second_order` and `decode_general`. All share one rule for ties, one search of the frames
each onset can take, and one set of errors.

`decode_coarse_to_fine` decodes hours, `decode_batch` many recordings. `decode_lattice` chooses
which events occur, `decode_groups` lets events begin together, and `decode_k_best` lists the best
timings. `onset_posterior` and `onset_max_marginals` say how sure an onset is. `OnlineDecoder`
decodes a stream, and commits onsets while it goes on.

The names below are loaded on first use: most programs need one decoder.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.decoders.batch import decode_batch
    from align.decoders.coarse import CoarseToFine, decode_coarse_to_fine
    from align.decoders.dispatch import decode
    from align.decoders.general import decode_general
    from align.decoders.groups import decode_groups, group_potentials, simultaneous
    from align.decoders.k_best import decode_k_best, margin_to_second
    from align.decoders.lattice import Lattice
    from align.decoders.lattice_decoder import (
        LatticePath,
        decode_lattice,
        lattice_potentials,
        path_potentials,
    )
    from align.decoders.max_marginals import MaxMarginals, onset_max_marginals
    from align.decoders.monotone import decode_monotone
    from align.decoders.online import OnlineDecoder, OnlineOnset
    from align.decoders.posterior import Posterior, narrowed, onset_posterior
    from align.decoders.second_order import decode_second_order
    from align.decoders.semi_markov import decode_semi_markov

__all__ = [
    "CoarseToFine",
    "Lattice",
    "LatticePath",
    "MaxMarginals",
    "OnlineDecoder",
    "OnlineOnset",
    "Posterior",
    "decode",
    "decode_batch",
    "decode_coarse_to_fine",
    "decode_general",
    "decode_groups",
    "decode_k_best",
    "decode_lattice",
    "decode_monotone",
    "decode_second_order",
    "decode_semi_markov",
    "group_potentials",
    "lattice_potentials",
    "margin_to_second",
    "narrowed",
    "onset_max_marginals",
    "onset_posterior",
    "path_potentials",
    "simultaneous",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "align.decoders.batch": "decode_batch",
        "align.decoders.coarse": "CoarseToFine decode_coarse_to_fine",
        "align.decoders.dispatch": "decode",
        "align.decoders.general": "decode_general",
        "align.decoders.groups": "decode_groups group_potentials simultaneous",
        "align.decoders.k_best": "decode_k_best margin_to_second",
        "align.decoders.lattice": "Lattice",
        "align.decoders.lattice_decoder": (
            "LatticePath decode_lattice lattice_potentials path_potentials"
        ),
        "align.decoders.max_marginals": "MaxMarginals onset_max_marginals",
        "align.decoders.monotone": "decode_monotone",
        "align.decoders.online": "OnlineDecoder OnlineOnset",
        "align.decoders.posterior": "Posterior narrowed onset_posterior",
        "align.decoders.second_order": "decode_second_order",
        "align.decoders.semi_markov": "decode_semi_markov",
    },
)
