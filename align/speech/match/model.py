"""From evidence to matches, and to what is to be said of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from align.errors import ModelError
from align.sequence.evidence import logistic
from align.speech.match.evidence import LEAST, Evidence
from align.types import Float64

OF_EVENTS = [0, 2, 3]
"""The parts that events are judged by: that the network is unsure says nothing of a single one."""

TYPICAL = 3.0
"""Log odds of a right transcript: a match of 0.95."""

SOUNDS, STEEPEST_FALL = 14, 40.0
"""For fewer sounds the border's log odds fall, by no more than the second over their number."""

_FOR_FEW_ORDERS = 5.0  # by how much they fall where the order counts, and nothing was learned
_LOWEST_BORDER = -4.6  # log odds: a match of 0.01
_SHAPES = ((7,), (11,), (2, 13), (2, 15))  # of weights; the last is learned now
_GAPS = slice(6, 8)  # which of the numbers are order gaps
_SECOND = slice(12, 14)  # which are those of second scores


@dataclass(frozen=True, eq=False)
class MatchModel:
    """From evidence to matches.

    Parameters
    ----------
    weights : np.ndarray [shape=(7,), (11,), (2, 13) or (2, 15)]
        The constant, and the weights of the six numbers of a recording, of what the order of its
        events says, of how sure the network is, of what is not in the transcript, and of
        second scores; once for transcripts that are wrong, and once for those of which a part
        is. The lower one counts. Models of before have the first 13, or one row of 7 or 11.
    event_weights : np.ndarray [shape=(4,)]
        The same for an event: log ratio, transition, length.
    least_sure : float
        Log probability per frame of the best phones, below which the match is low.
    border : float
        A match below it deserves a warning: there, in evidence of speakers that the functions
        were not fitted to, least is lost of right transcripts below it (three times), and of wrong
        and half wrong ones above. It is at least where 1 in 1,000 right ones is expected below,
        which is 0.3 at most, and has an upper limit, since recordings may be unlike those of the
        training corpus. That is for recordings of 14 sounds or more; see `border_of`.
    usual_gap : float
        Order gap of a sound of right texts, where that of a text is not known.
    usual_second : np.ndarray [shape=(2,)]
        The same of second scores.
    orders_by_both_scorers : bool
        Whether orders of the sounds have second scores, too; not in models of before.
    for_few : float, optional
        By how much the border's log odds fall for one over the number of sounds.
    spread : float, optional
        Standard deviation of the border's log odds over draws of the recordings that it was
        learned from; None in models of before.
    """

    weights: Float64
    event_weights: Float64
    least_sure: float
    border: float
    usual_gap: float = 0.0
    for_few: float | None = None
    spread: float | None = None
    usual_second: Float64 = field(default_factory=lambda: np.zeros(2))
    orders_by_both_scorers: bool = False

    @property
    def asks_orders(self) -> bool:
        """Whether evidence must hold the order gap."""
        return bool(self.weights[..., 1:][..., _GAPS].any())

    @property
    def uses_second_scorer(self) -> bool:
        """Whether evidence must hold second scores."""
        return bool(self.weights[..., 1:][..., _SECOND].any())

    def border_of(self, n_sounds: int) -> float:
        """Return the border for a recording of so many sounds, silences not counted.

        What few sounds say varies more: of right words of seven, one in a hundred is below the
        border of sentences.
        """
        more = max(0.0, 1.0 / max(n_sounds, 1) - 1.0 / SOUNDS)
        by = self.for_few
        if by is None:
            by = _FOR_FEW_ORDERS if self.asks_orders else STEEPEST_FALL
        odds = np.log(self.border / (1.0 - self.border)) - by * more
        return min(self.border, float(logistic(np.maximum(odds, _LOWEST_BORDER))))

    def warning(self, match: float, n_sounds: int) -> tuple[str, ...]:
        """Return what is to be said of a match: a sentence below the border, else nothing."""
        border = self.border_of(n_sounds)
        if match >= border:
            return ()
        return (
            f"the transcript may not be of this recording: match {match:.2f}, border "
            f"{border:.2f}; check that they belong together, and that nothing is missing.",
        )

    def of_recording(self, evidence: Evidence) -> float:
        """Return the match of a recording."""
        if not evidence.sounds.any():
            return 1.0 if evidence.whole()[1] > LEAST / 2 else 0.0
        numbers = numbers_of(evidence, self.usual_gap, self.usual_second)
        fit = float(log_odds_of(self.weights, numbers))
        sure = TYPICAL * (evidence.sureness() - self.least_sure) / 0.5
        return float(logistic(np.array([min(fit, sure)]))[0])

    def of_events(self, evidence: Evidence) -> Float64:
        """Return the match of each event [shape=(K,)]; that of silences by their log ratio."""
        odds = self.event_weights[0] + evidence.parts[:, OF_EVENTS] @ self.event_weights[1:]
        silence = TYPICAL + evidence.parts[:, 0]
        return logistic(np.where(evidence.sounds, odds, silence))

    def get_state(self) -> dict[str, Any]:
        """Return what the header of a model file must hold."""
        state: dict[str, Any] = {
            "weights": self.weights.tolist(),
            "event_weights": self.event_weights.tolist(),
            "least_sure": self.least_sure,
            "border": self.border,
        }
        if self.asks_orders:
            state["usual_gap"] = self.usual_gap
        if self.orders_by_both_scorers:
            state["orders_by_both_ears"] = True
        if self.uses_second_scorer:
            state["usual_second"] = self.usual_second.tolist()
        if self.for_few is not None:
            state["for_few"] = self.for_few
        if self.spread is not None:
            state["spread"] = self.spread
        return state

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Restore what `get_state` returned; ModelError where it is none."""
        try:
            weights, events = (
                np.asarray(state[name], dtype=np.float64) for name in ("weights", "event_weights")
            )
            least_sure, border = float(state["least_sure"]), float(state["border"])
            usual = float(state.get("usual_gap", 0.0))
            second = np.asarray(state.get("usual_second", (0.0, 0.0)), dtype=np.float64)
            for_few, spread = (
                None if (value := state.get(name)) is None else float(value)
                for name in ("for_few", "spread")
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"its match is incomplete: {error!r}.") from error
        numbers = np.hstack(
            [
                *(weights.ravel(), events.ravel(), second.ravel()),
                *(least_sure, border, usual, for_few or 0, spread or 0),
            ]
        )
        known = weights.shape in _SHAPES and events.shape == (4,) and second.shape == (2,)
        if not known or not np.isfinite(numbers).all():
            raise ModelError(
                "its match must have 7, 11, or twice 13 or 15 weights, 4 of events, all finite."
            )
        if not 0 < border < 1:
            raise ModelError(f"the border of its match is {border}, must lie between 0 and 1.")
        both = state.get("orders_by_both_ears", False)
        if not isinstance(both, bool):
            raise ModelError(
                f"orders_by_both_ears of its match is {both!r}, must be true or false."
            )
        return cls(weights, events, least_sure, border, usual, for_few, spread, second, both)


def numbers_of(evidence: Evidence, usual: float, second: Float64) -> Float64:
    """Return what a match is made of [shape=(14,)]."""
    orders, sure = evidence.against_orders(usual), [evidence.sureness()]
    others = evidence.not_in_text(), evidence.by_second_scorer(second)
    return np.concatenate([evidence.whole(), orders, sure, *others])


def log_odds_of(weights: Float64, numbers: Float64) -> Float64:
    """Return the log odds of numbers [shape=(..., 14)] by one function, or the lower of two.

    One of models of before is of the first of them.
    """
    slopes = weights[..., 1:]
    odds = numbers[..., : slopes.shape[-1]] @ slopes.T + weights[..., 0]
    return odds if weights.ndim == 1 else np.asarray(odds.min(axis=-1))
