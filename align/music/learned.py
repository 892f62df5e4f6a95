"""What an aligner of music has learned of its own results: how late, sure and right they are."""

from typing import NamedTuple

from align.sequence.evidence import EvidenceModel


class Learned(NamedTuple):
    """What is fitted after the weights; see the attributes of `align.MusicAligner`.

    Parameters
    ----------
    offset : float
        Seconds by which onsets are found late.
    confidence : EvidenceModel
        From evidence to the probability that a note is within 50 ms of its time.
    match_range : (float, float) or None
        Match that 95 % of wrong scores do not reach, and that 95 % of right ones do.
    unplayed : EvidenceModel or None
        From evidence to the probability that a note was not played.
    ends : EvidenceModel or None
        From evidence to the probability that a note ends at a candidate, where ends are wanted.
    """

    offset: float
    confidence: EvidenceModel
    match_range: tuple[float, float] | None = None
    unplayed: EvidenceModel | None = None
    ends: EvidenceModel | None = None

    @property
    def border(self) -> float | None:
        """The match below which a recording is taken to be of another piece."""
        return None if self.match_range is None else 0.5 * sum(self.match_range)

    def is_poor(self, match: float | None) -> bool:
        """Whether the network finds no more of a score than it would of another piece."""
        return match is not None and self.border is not None and match < self.border
