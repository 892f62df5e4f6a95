from .batch import decode_batch
from .coarse import CoarseToFine, decode_coarse_to_fine
from .dispatch import decode
from .general import decode_general
from .groups import decode_groups, group_potentials, simultaneous
from .k_best import decode_k_best, margin_to_second
from .lattice import Lattice
from .lattice_decoder import LatticePath, decode_lattice, lattice_potentials, path_potentials
from .max_marginals import MaxMarginals, onset_max_marginals
from .monotone import decode_monotone
from .online import OnlineDecoder, OnlineOnset
from .posterior import Posterior, narrowed, onset_posterior
from .second_order import decode_second_order
from .semi_markov import decode_semi_markov

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
