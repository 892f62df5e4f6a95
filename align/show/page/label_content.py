"""What the scripts of a page read of labels: tiers, what is uncertain and the truth."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from align.formats.tiers.textgrid import tile
from align.formats.tiers.tier import Tier
from align.results.timing import Timing
from align.show.page.recordings import Recording
from align.show.page.uncertainty import Uncertain
from align.types import SILENCES, Float64


def label_content(
    recording: Recording, found: Sequence[Uncertain], duration: float
) -> dict[str, Any]:
    """Return the tiers of a recording, and what is uncertain, by the interval they are about."""
    alignment, reference = recording.alignment, recording.reference
    main = tile(alignment.labels, alignment.intervals, duration)
    first = {_key(start): k for k, (start, _, _) in enumerate(main)}
    at = [first[_key(start)] for start in alignment.onsets.tolist()]
    before = [_tier(tier, duration) for tier in recording.others[: recording.place]]
    after = [_tier(tier, duration) for tier in recording.others[recording.place :]]
    content: dict[str, Any] = {
        "doubts": [[at[d.event], d.value, d.reason] for d in found],
        "tiers": [*before, _interval_tier(recording.tier, main), *after],
        "main": len(before),
    }
    if reference is not None:
        spans = np.minimum(reference.intervals, duration)
        spans = spans[np.diff(spans, axis=1)[:, 0] > 0]
        labels = reference.labels[: len(spans)]
        content["reference"] = _interval_tier("reference", tile(labels, spans, duration))
    return content


def true_label_onsets(alignment: Timing, reference: Timing) -> Float64:
    """Onset of each label in the reference, NaN where it has none.

    They correspond one to one where the labels, silences aside, are the same.
    """
    true = np.full(len(alignment), np.nan)
    mine = [k for k, label in enumerate(alignment.labels) if label not in SILENCES]
    theirs = [k for k, label in enumerate(reference.labels) if label not in SILENCES]
    if [alignment.labels[k] for k in mine] == [reference.labels[k] for k in theirs]:
        true[mine] = reference.onsets[theirs]
    return true


def _tier(tier: Tier, duration: float) -> dict[str, Any]:
    if tier.kind == "point":
        times = [time for time, _ in tier.times]
        return {"name": tier.name, "labels": list(tier.labels), "points": times}
    return _interval_tier(tier.name, tile(tier.labels, tier.times, duration))


def _interval_tier(name: str, rows: Sequence[tuple[float, float, str]]) -> dict[str, Any]:
    """Labels without holes from 0 to the end, and the edges between them: K and K + 1 numbers.

    Times are not rounded: what nobody moves is saved as it was.
    """
    return {
        "name": name,
        "labels": [label for _, _, label in rows],
        "edges": [*(start for start, _, _ in rows), rows[-1][1]],
    }


def _key(seconds: float) -> int:
    return round(seconds * 1e9)
