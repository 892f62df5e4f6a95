"""How a recording plays a score: which passages of it, in which key, at which pitch.

In JSON::

    {"semitones": -1, "a4": 439.7,
     "passages": [{"start": 0.4, "end": 21.9, "score_start": 12.0, "score_end": 33.5,
                   "first_bar": 5, "last_bar": 12}, ...]}

Bars are there where the score says them, and are not read.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from align.errors import DataError
from align.formats.beats import Beats

__all__ = ["PlayedPassage", "Playing", "bar_span", "playing_entry", "read_playing"]


class PlayedPassage(NamedTuple):
    """A passage of a score, about when it is played, and where it stands; all in seconds."""

    start: float
    end: float
    score_start: float
    score_end: float


class Playing(NamedTuple):
    """How a recording plays a score.

    Parameters
    ----------
    semitones : int
        By how many it sounds higher than the score is written.
    a4 : float
        Pitch of A4 in Hz, from half a semitone below 440 to half a semitone above it: what is more
        counts as semitones.
    passages : tuple of PlayedPassage
        In the order of playing; empty where simply all of the score is played.
    """

    semitones: int = 0
    a4: float = 440.0
    passages: tuple[PlayedPassage, ...] = ()


def bar_span(beats: Beats | None, start: float, end: float) -> tuple[int, int] | None:
    """Return the bars of two times of a score in seconds; None where the score has no bars.

    Examples
    --------
    >>> from align.formats.beats import beats_of_bars
    >>> bar_span(beats_of_bars([(0.0, 1.5, 3, 1), (1.5, 3.0, 3, 2)]), 0.5, 1.5)
    (1, 2)
    """
    if beats is None:
        return None
    first, last = beats.at([start, end])[0].tolist()
    return first, last


def playing_entry(playing: Playing, beats: Beats | None) -> dict[str, Any]:
    """Return what JSON holds of it."""
    passages = []
    for passage in playing.passages:
        entry: dict[str, Any] = {key: round(x, 3) for key, x in passage._asdict().items()}
        bars = bar_span(beats, passage.score_start, passage.score_end)
        if bars is not None:
            entry["first_bar"], entry["last_bar"] = bars
        passages.append(entry)
    return {"semitones": playing.semitones, "a4": round(playing.a4, 2), "passages": passages}


def read_playing(entry: Any, path: str) -> Playing | None:
    """Return what JSON says of it; DataError where it says it in another way."""
    if entry is None:
        return None
    try:
        passages = tuple(
            PlayedPassage(*(_seconds(one, key) for key in PlayedPassage._fields))
            for one in entry["passages"]
        )
        return Playing(int(_seconds(entry, "semitones")), _seconds(entry, "a4"), passages)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            '"playing" must hold numbers "semitones" and "a4", and "passages" with '
            + ", ".join(f'"{key}"' for key in PlayedPassage._fields)
            + ".",
            path=path,
        ) from error


def _seconds(entry: Mapping[str, Any], key: str) -> float:
    value = entry[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise ValueError(key)
    return float(value)
