"""Learners that rank: the labels of an instance, or the instances of a query.

==================  ============================================
module              what
==================  ============================================
`label_ranking`     label ranking, six algorithms
`instance_ranking`  instance ranking, average and maximum
`ranking_losses`    losses and mistakes of rankings
`soft_projections`  the exact step on a ranking, Euclidean
`pdip`              the same for the entropy, by interior points
`max_hinge`         the step on the worst of many hinges
==================  ============================================
"""

from align.learners.ranking.instance_ranking import InstanceRanker
from align.learners.ranking.label_ranking import LabelRanker
from align.learners.ranking.max_hinge import MaxHingeStep, max_hinge_bound, max_hinge_step
from align.learners.ranking.pdip import InteriorPoint, interior_point, ranking_step, ranking_steps
from align.learners.ranking.ranking_losses import (
    instance_ranking_errors,
    instance_ranking_loss,
    label_ranking_loss,
    label_ranking_mistakes,
)
from align.learners.ranking.soft_projections import sopopo

__all__ = [
    "InstanceRanker",
    "InteriorPoint",
    "LabelRanker",
    "MaxHingeStep",
    "instance_ranking_errors",
    "instance_ranking_loss",
    "interior_point",
    "label_ranking_loss",
    "label_ranking_mistakes",
    "max_hinge_bound",
    "max_hinge_step",
    "ranking_step",
    "ranking_steps",
    "sopopo",
]
