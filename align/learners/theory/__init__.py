"""What is proved of online learners, and runs on which it can be seen.

==============  ==========================================================
module          what
==============  ==========================================================
`rounds`        one round, and the rounds of a run as arrays
`bounds`        pieces of the bounds
`certificates`  both sides of a named bound on a recorded run
`trace`         the rounds of a run that can certify its bounds
`certified`     the certificate of a run, and the learners that have one
`recorded`      learners that keep rounds which no dual objective certifies
`log_regret`    learners for strongly convex losses, of logarithmic regret
`finite`        finite classes: consistent, halving, elimination
`experts`       the best expert
`pac`           from mistakes to PAC
`streams`       streams on which every learner errs
==============  ==========================================================
"""

from align.learners.theory.bounds import regret_bound, solve_sqrt_bound, squared_loss_bound
from align.learners.theory.certificates import BOUNDS, Certificate, certify
from align.learners.theory.experts import BestExpert
from align.learners.theory.finite import (
    Conservative,
    Consistent,
    Elimination,
    Halving,
    MistakeLearner,
)
from align.learners.theory.log_regret import EntropicDescent, EuclideanDescent
from align.learners.theory.pac import Learned, a_pac, pac_sample_bound, pac_stage_size
from align.learners.theory.rounds import Round, Rounds
from align.learners.theory.streams import coin_slopes, one_hot_stream, threshold_stream
from align.learners.theory.trace import Trace

__all__ = [
    "BOUNDS",
    "BestExpert",
    "Certificate",
    "Conservative",
    "Consistent",
    "Elimination",
    "EntropicDescent",
    "EuclideanDescent",
    "Halving",
    "Learned",
    "MistakeLearner",
    "Round",
    "Rounds",
    "Trace",
    "a_pac",
    "certify",
    "coin_slopes",
    "one_hot_stream",
    "pac_sample_bound",
    "pac_stage_size",
    "regret_bound",
    "solve_sqrt_bound",
    "squared_loss_bound",
    "threshold_stream",
]
