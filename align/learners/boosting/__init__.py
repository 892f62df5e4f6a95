"""Boosting as a primal-dual game.

==========  ===================
module      what
==========  ===================
`adaboost`  the booster
`stumps`    its weak hypotheses
==========  ===================
"""

from align.learners.boosting.adaboost import AdaBoost
from align.learners.boosting.stumps import Stump, StumpSearch

__all__ = ["AdaBoost", "Stump", "StumpSearch"]
