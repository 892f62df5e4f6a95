"""How much the results of a run can be trusted, and which deserve a look first.

Each recording has four measures. What is unusual follows from the run itself, by the median and
the median deviation from it, so that no threshold has to suit every corpus. Where all recordings
are nearly alike, a low confidence must also be lower by what matters:

``odd_lengths``
    how many events are shorter or longer than is plausible;
``score_per_event``
    the score of the alignment over the number of events: low where sound and events disagree;
``confidence``
    the mean over the onsets; low where other times are nearly as probable;
``lowest_confidence``
    that of the least sure onset, with its label and time.

An alignment may know two things besides: its ``match``, from 0 to 1, how well events and recording
fit each other, and ``warnings`` of its own, such as of notes that were not played. Notes outside
of the passages that are played have no part in score and confidence. Where the match of each event
is known, too, ``unlike`` is the share of events below one half, and ``least_like`` the event that
fits least, which is where to look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from align.files.text import table_of_rows
from align.results.music import MusicAlignment
from align.results.timing import Timing
from align.types import Float64, Mismatch

_UNUSUAL = 3.5  # robust standard deviations below the median
_MATTERS = 0.02  # of confidence: two more boundaries of a hundred are expected to be off
_TO_SIGMA = 1.4826
_UNLIKE = 0.5  # match of an event, below which it counts as unlike its sound
_ENOUGH = 8  # recordings, to estimate what is usual


@dataclass(frozen=True)
class Quality:
    """Measures of one alignment, whose recording lasts `seconds`.

    The optional numbers are described at the top of this module. `where` is when the least sure
    event begins, in seconds, and `label` which it is; `match` is the lowest where there are
    several, made of what follows it. Of music, `transposition` is in semitones, `tuning` the A4 in
    Hz, and `passages` what is played where that is not simply the score. `mismatches` lists where
    text or score and recording disagree; `said` is what the alignment itself warns of, and `model`
    the bundled model that was taken for this recording, where none was named; `numbers` are those
    of a text that sound otherwise than is usual, `guessed` its words that no dictionary has.
    """

    name: str
    events: int
    seconds: float
    odd_lengths: int = 0
    score_per_event: float | None = None
    confidence: float | None = None
    lowest_confidence: float | None = None
    where: float | None = None
    label: str = ""
    match: float | None = None
    unlike: float | None = None
    least_like: str = ""
    least_like_at: float | None = None
    transposition: float | None = None
    tuning: float | None = None
    passages: str = ""
    mismatches: str = ""
    said: tuple[str, ...] = ()
    model: str = ""
    numbers: str = ""
    guessed: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Quality | None":
        """Restore them; None where they are not whole."""
        of_text = [field.name for field in fields(cls) if field.type is str]
        numbers: dict[str, Any] = {
            field.name: values.get(field.name)
            for field in fields(cls)
            if field.name not in ("said", *of_text)
        }
        if not all(v is None or isinstance(v, int | float) for v in numbers.values()):
            return None
        if any(numbers[name] is None for name in ("events", "seconds", "odd_lengths")):
            return None
        texts: dict[str, Any] = {name: str(values.get(name, "")) for name in of_text}
        said = values.get("said", ())
        if not isinstance(said, list | tuple):
            return None
        return cls(
            said=tuple(map(str, said)),
            **texts,
            **numbers,
        )


def measure(
    name: str,
    alignments: Sequence[Timing],
    odd_lengths: int = 0,
    mismatches: Sequence[Mismatch] = (),
    verbalised: Sequence[tuple[str, str]] = (),
    guessed: Sequence[str] = (),
) -> Quality:
    """Return how far the alignments of a recording, one of each speaker, can be trusted.

    `odd_lengths` is how many of the events have an implausible length; `mismatches` are where text
    or score and recording disagree, `verbalised` numbers in their usual reading and as they sound,
    `guessed` words that no dictionary has.

    Examples
    --------
    >>> from align.results.alignment import Alignment
    >>> found = Alignment(["k", "iy"], [0.0, 0.1], duration=0.2, confidence=[0.9, 0.5], score=3.0)
    >>> measure("kiwi", [found]).label, measure("kiwi", [found]).score_per_event
    ('iy', 1.5)
    """
    n, held = sum(map(len, alignments)), [alignment.held() for alignment in alignments]
    n_held = sum(map(len, held))
    seconds = round(max(float(alignment.duration) for alignment in alignments), 6)
    scores = [alignment.score for alignment in alignments if alignment.score is not None]
    score = None
    if n_held and len(scores) == len(alignments):
        score = round(sum(map(float, scores)) / n_held, 4)
    matches = [a.match for a in alignments if a.match is not None]
    own: dict[str, Any] = {
        "match": round(float(min(matches)), 4) if matches else None,
        **_unlike(alignments),
        **_played(alignments),
        "mismatches": "; ".join(map(str, mismatches)),
        "numbers": "; ".join(f"{said} (not {usual})" for usual, said in verbalised),
        "guessed": " ".join(guessed),
        "said": tuple(text for a in alignments for text in a.warnings),
    }
    sure = [alignment.confidence for alignment in held if alignment.confidence is not None]
    if n_held and len(sure) == len(alignments):
        confidence = np.concatenate(sure)
        worst = int(np.argmin(confidence))
        onsets = np.concatenate([alignment.onsets for alignment in held])
        own |= {
            "confidence": round(float(confidence.mean()), 4),
            "lowest_confidence": round(float(confidence[worst]), 4),
            "where": round(float(onsets[worst]), 4),
            "label": [label for alignment in held for label in alignment.names][worst],
        }
    return Quality(name, n, seconds, odd_lengths, score, **own)


def _played(alignments: Sequence[Timing]) -> dict[str, Any]:
    """Return key, tuning and passages of music, and the model."""
    music = next((a for a in alignments if isinstance(a, MusicAlignment)), None)
    if music is None:
        return {}
    return {
        "transposition": music.transposition,
        "tuning": None if music.tuning is None else round(music.tuning, 1),
        "passages": "; ".join(map(str, music.passages)),
        "model": music.model,
    }


def _unlike(alignments: Sequence[Timing]) -> dict[str, Any]:
    """Return the measures made of the matches of events; none where they are not known."""
    fits: list[Any] = [getattr(alignment, "event_match", None) for alignment in alignments]
    if not fits or any(fit is None or not len(fit) for fit in fits):
        return {}
    every: Float64 = np.concatenate(fits)
    k = int(np.argmin(every))
    return {
        "unlike": round(float((every < _UNLIKE).mean()), 4),
        "least_like": [label for a in alignments for label in a.labels][k],
        "least_like_at": round(float(np.concatenate([a.onsets for a in alignments])[k]), 4),
    }


def warnings_of(qualities: Sequence[Quality]) -> list[tuple[str, ...]]:
    """Return what is unusual about each recording, compared with the others, in their order.

    That is what each warns of itself, then any of "odd lengths", "low score", "low confidence".
    """
    low_score = _low([q.score_per_event for q in qualities])
    low_confidence = _low([q.confidence for q in qualities], _MATTERS)
    return [
        q.said
        + tuple(
            text
            for text, holds in (
                ("odd lengths", q.odd_lengths > 0),
                ("low score", score),
                ("low confidence", confidence),
            )
            if holds
        )
        for q, score, confidence in zip(qualities, low_score, low_confidence, strict=True)
    ]


def _low(values: Sequence[float | None], least: float = 0.0) -> list[bool]:
    """Whether each value lies far below the others, and by more than `least`."""
    known = np.array([value for value in values if value is not None])
    if known.size < _ENOUGH:
        return [False] * len(values)
    median = float(np.median(known))
    spread = _TO_SIGMA * float(np.median(np.abs(known - median)))
    bound = median - max(_UNUSUAL * spread, least)
    return [value is not None and value < bound for value in values]


def ranked(qualities: Sequence[Quality]) -> list[tuple[Quality, tuple[str, ...]]]:
    """Sort alignments, those that deserve a look first, each with what is unusual about it.

    By the number of warnings, then the number of odd lengths, then the mean confidence, then the
    name.
    """
    every = list(zip(qualities, warnings_of(qualities), strict=True))
    return sorted(
        every,
        key=lambda item: (
            -len(item[1]),
            -item[0].odd_lengths,
            1.0 if item[0].confidence is None else item[0].confidence,
            item[0].name,
        ),
    )


_MEASURES = [field.name for field in fields(Quality) if field.name not in ("name", "said")]
_CALLED = {"where": "lowest_at_s", "label": "lowest_label", "tuning": "tuning_hz"}
_CALLED |= {"least_like": "least_like_label", "least_like_at": "least_like_at_s"}
COLUMNS = ("file", "status", "warnings", *(_CALLED.get(m, m) for m in _MEASURES), "reason")
"""Columns of the table of a run."""


def quality_csv(
    qualities: Sequence[Quality],
    failed: Sequence[tuple[str, str]],
    kept: Sequence[str] = (),
    paths: Mapping[str, str] | None = None,
) -> bytes:
    """Return the table of a run: what failed, then what deserves a look, then the rest.

    `kept` names outputs that were edited by hand, whose measures no longer hold; `paths` has the
    recording of each name, for the first column.
    """
    path_of = paths or {}
    rows: list[Sequence[Any]] = [COLUMNS]
    for name, why in failed:
        rows.append([name, "failed", *[""] * (len(COLUMNS) - 3), why])
    for q, warnings in ranked(qualities):
        values = [getattr(q, measure) for measure in _MEASURES]
        cells = ["" if value is None else value for value in values]
        rows.append([path_of.get(q.name, q.name), "aligned", "; ".join(warnings), *cells, ""])
    for name in kept:
        rows.append([path_of.get(name, name), "edited", *[""] * (len(COLUMNS) - 2)])
    return table_of_rows(rows).encode("utf-8", errors="backslashreplace")  # names of no text
