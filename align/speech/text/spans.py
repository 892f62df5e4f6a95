"""The stretch of a recording in which an utterance is looked for."""

from align.errors import DataError
from align.formats.labels import OVERRUN
from align.speech.text.transcript import Utterance

__all__ = ["place_of", "span_of"]


def place_of(utterance: Utterance, duration: float) -> str:
    """Return what messages call an utterance that has times; else nothing."""
    if utterance.start is None and utterance.end is None:
        return ""
    end = duration if utterance.end is None else utterance.end
    return f"the utterance from {utterance.start or 0.0:.3f} to {end:.3f} s"


def span_of(
    utterance: Utterance,
    duration: float,
    name: str,
    *,
    slack: float = 0.0,
    after: float = 0.0,
    following: Utterance | None = None,
) -> tuple[float, float]:
    """Return start and end in seconds of where an utterance is looked for.

    That is its interval and `slack` seconds either side of it, but not before `after`, where the
    same speaker's utterance in front of it ended, and not beyond the middle of the one that
    follows. Raises DataError where the interval is not in the recording.
    """
    start = utterance.start or 0.0
    end = duration if utterance.end is None else utterance.end
    if end > duration + OVERRUN or start >= duration:
        raise DataError(
            f"{place_of(utterance, duration) or 'the utterance'} lies beyond the end of the "
            f"recording ({duration:.3f} s); check that text and audio belong together.",
            path=name,
        )
    last = duration
    if following is not None and following.start is not None and following.end is not None:
        last = max(end, (following.start + following.end) / 2)
    return max(start - slack, after, 0.0), min(end + slack, last, duration)
