"""Learners of vectors, as scikit-learn has them: classes, label sets, numbers, one class.

====================  ========================================================
module                what
====================  ========================================================
`passive_aggressive`  PA, PA-I, PA-II
`uniclass`            the same for one class
`multiplicative`      the same with weights on the simplex
`quasi_additive`      Perceptron, p-norm Perceptron, Winnow, self-tuned Winnow
`winnow`              Winnow with a threshold
`online`              any combination: complexity, loss, step, tuning
`ellipsoid`           CELLIP and IELLIP
`mixed_classifier`    a classifier on shards, in parallel
`online_to_batch`     random, vote, validation, best for learners that lack them
`dict_stream`         any of them on streams of dicts, one example at a time
`progress_reports`    predict, count, learn; with bounds and the regret of windows
`run_certificate`     what the theory promises of a learner on given data
`certified_pairs`     the same of ellipsoids and rankers of labels
====================  ========================================================
"""

from align.learners.flat.dict_stream import DictStream
from align.learners.flat.ellipsoid import CELLIP, IELLIP, cellip_bound, cut_ellipsoid, iellip_bound
from align.learners.flat.mixed_classifier import MixedClassifier
from align.learners.flat.multiplicative import (
    MultiplicativePA,
    MultiplicativePARegressor,
    MultiplicativePAUniclass,
)
from align.learners.flat.online import OnlineClassifier, OnlineRegressor
from align.learners.flat.online_to_batch import OnlineToBatch
from align.learners.flat.passive_aggressive import (
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    cycle_until,
)
from align.learners.flat.progress_reports import Progress, progressive
from align.learners.flat.quasi_additive import Perceptron, PNormPerceptron, SelfTunedWinnow, Winnow
from align.learners.flat.run_certificate import certify_run
from align.learners.flat.uniclass import PassiveAggressiveUniclass
from align.learners.flat.winnow import ThresholdWinnow, WinnowBound, threshold_winnow_bound
from align.learners.theory.certified import RunCertificate

__all__ = [
    "CELLIP",
    "IELLIP",
    "DictStream",
    "MixedClassifier",
    "MultiplicativePA",
    "MultiplicativePARegressor",
    "MultiplicativePAUniclass",
    "OnlineClassifier",
    "OnlineRegressor",
    "OnlineToBatch",
    "PNormPerceptron",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PassiveAggressiveUniclass",
    "Perceptron",
    "Progress",
    "RunCertificate",
    "SelfTunedWinnow",
    "ThresholdWinnow",
    "Winnow",
    "WinnowBound",
    "cellip_bound",
    "certify_run",
    "cut_ellipsoid",
    "cycle_until",
    "iellip_bound",
    "progressive",
    "threshold_winnow_bound",
]
