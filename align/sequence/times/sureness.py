"""How often onsets are right that the posterior is so sure of: a logistic regression.

The posterior's one temperature cannot make it right for what is nearly certain and for what is
not. So on recordings that the scores come from parts that did not see, the share of the posterior
within 20 ms is compared with how often the onset is, by a logistic regression on its log odds
(Platt, "Probabilistic outputs for support vector machines", 1999), and corrected by it. Where an
aligner has others beside it for other surroundings, each learns its own.

The same confidence is worth less where another sound resembles events: in loud noise a network
gives low probabilities, but where other people speak it is as sure as ever, of their phones.
There the events score far below the best that any would (`align.sequence.fit`), so how far they
do, in the mean over a recording, is evidence as well.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from align.sequence.evidence import EvidenceModel, log_odds
from align.types import Float64

# As if so many more onsets had been seen, on which the posterior was right: few prove little.
_BEFORE = np.linspace(0.025, 0.975, 20)
_SUREST = 1e-6  # what is this near to certain, or to impossible, counts as so near
_FEW = 3.0  # events that fit as usual, beside those there are


class Sureness(NamedTuple):
    """How often onsets are within 20 ms: log odds, from those that the posterior says.

    They are taken times `slope`, plus `constant`; and plus `of_fit` times by how much the events
    of the recording fit it better than the `usual_fit`, where that is known.
    """

    slope: float
    constant: float
    of_fit: float = 0.0
    usual_fit: float = 0.0

    @classmethod
    def fitted(
        cls,
        confidence: Sequence[Float64],
        right: Sequence[Float64],
        fits: Sequence[Float64 | None] | None = None,
    ) -> Self | None:
        """Return how sure onsets of some recordings are; None where their posterior says nothing.

        For each recording: how sure the posterior is of some onsets, and which of them are right,
        1 or 0 [both of shape=(K,)]; and how well each of its events fits, if that is known.
        """
        known = [fit for fit in fits or () if fit is not None]
        usual = float(np.mean([fit.mean() for fit in known])) if known else 0.0
        plain = cls(1.0, 0.0, 0.0, usual)
        evidence = [_evidence(_BEFORE, 0.0)]
        for own, fit in zip(confidence, fits or [None] * len(confidence), strict=True):
            evidence.append(_evidence(own, plain.better(fit)))
        hits = [_BEFORE, *right]
        slope, of_fit, constant = EvidenceModel.fit(evidence, hits).weights.tolist()
        if of_fit < 0.0:  # by chance
            evidence = [row * [1.0, 0.0] for row in evidence]
            slope, of_fit, constant = EvidenceModel.fit(evidence, hits).weights.tolist()
        return cls(slope, constant, of_fit, usual) if slope > 0 else None

    def better(self, fits: Float64 | None) -> float:
        """Return by how much events that fit so well [shape=(K,)] fit better than usual.

        Few events prove little.
        """
        if fits is None:
            return 0.0
        return float((fits - self.usual_fit).sum() / (len(fits) + _FEW))

    def of(self, confidence: Float64, fits: Float64 | None = None) -> Float64:
        """Return how often onsets are right that the posterior is so sure of [shape=(K,)]."""
        known = EvidenceModel(np.array([self.slope, self.of_fit, self.constant]))
        return known(_evidence(confidence, self.better(fits)))


def _evidence(confidence: Float64, better: float) -> Float64:
    """Return log odds, and by how much events fit better than usual [shape=(K, 2)]."""
    odds = log_odds(confidence, _SUREST)
    return np.stack((odds, np.full_like(odds, better)), axis=1)
