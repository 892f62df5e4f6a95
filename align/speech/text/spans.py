"""The stretch of a recording in which an utterance is looked for."""

from collections.abc import Sequence

from align.errors import DataError, ParameterError
from align.formats.tiers.labels import OVERRUN
from align.speech.text.reading.transcript import Utterance

__all__ = ["check_slack", "followed", "place_of", "span_of"]


def check_slack(slack: float, silence: str | None) -> None:
    """Raise ParameterError for seconds that are negative, or a model that knows no `silence`."""
    if not 0 <= slack < float("inf"):
        raise ParameterError(f"slack={slack}, must be at least 0 seconds.")
    if slack and silence is None:
        raise ParameterError(f"slack={slack} needs a model that knows silence; leave it out.")


def followed(said: Sequence[Utterance]) -> list[Utterance | None]:
    """Return the next utterance of the same speaker, of each."""
    following: dict[str, Utterance] = {}
    found: list[Utterance | None] = []
    for utterance in reversed(said):
        found.append(following.get(utterance.speaker))
        following[utterance.speaker] = utterance
    return found[::-1]


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
    follows. Raises DataError where the interval is not in the recording; with slack it may end so
    much beyond it, and one whose times are loose need only begin in it.
    """
    start = utterance.start or 0.0
    end = duration if utterance.end is None else utterance.end
    beyond = not utterance.loose and end > duration + max(OVERRUN, slack)
    if beyond or start >= duration:
        raise DataError(
            f"{place_of(utterance, duration) or 'the utterance'} lies beyond the end of the "
            f"recording ({duration:.3f} s); check that text and audio belong together.",
            path=name,
        )
    last = duration
    if following is not None and following.start is not None and following.end is not None:
        last = max(end, (following.start + following.end) / 2)
    return max(start - slack, after, 0.0), min(end + slack, last, duration)
