"""What the scripts of a page read of notes: times, what is uncertain, and the truth."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from align.results.music import MusicAlignment
from align.show.page.recordings import Recording
from align.show.page.uncertainty import Uncertain
from align.types import Float64

_DIGITS = 9  # of seconds


def note_content(
    recording: Recording, found: Sequence[Uncertain], duration: float
) -> dict[str, Any]:
    """Return the notes of a recording, and what is uncertain, by the note they are about."""
    alignment: Any = recording.alignment
    content: dict[str, Any] = {
        "notes": {
            "pitches": alignment.pitches.tolist(),
            "names": list(alignment.names),
            "onsets": _rounded(alignment.onsets),
            "ends": _rounded(alignment.offsets),
            "score": _rounded(alignment.score_onsets),
            "lengths": _rounded(alignment.durations),
            "ids": list(alignment.note_ids),
        },
        "doubts": [[d.event, d.value, d.reason] for d in found],
    }
    reference: Any = recording.reference
    if reference is not None:
        content["reference"] = {
            "onsets": _rounded(reference.onsets),
            "pitches": reference.pitches.tolist(),
        }
    return content


def true_note_onsets(alignment: MusicAlignment, reference: MusicAlignment) -> Float64:
    """Onset of each note in the reference, NaN where it has none.

    Notes correspond by their pitch and time in the score.
    """
    true = np.full(len(alignment), np.nan)
    places: dict[tuple[int, int], list[float]] = {}
    for pitch, score, onset in zip(
        reference.pitches.tolist(), reference.score_onsets, reference.onsets, strict=True
    ):
        places.setdefault((pitch, round(1000 * score)), []).append(float(onset))
    for k, (pitch, score) in enumerate(
        zip(alignment.pitches.tolist(), alignment.score_onsets, strict=True)
    ):
        if held := places.get((pitch, round(1000 * score))):
            true[k] = held.pop(0)
    return true


def _rounded(times: Float64) -> list[float]:
    rounded: list[float] = np.round(times, _DIGITS).tolist()
    return rounded
