"""The tiers of several speakers as those of one, where they do not speak at once."""

from typing import Any

import numpy as np

from align.errors import DataError
from align.results.alignment import Alignment
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.types import SILENCE

_SAME = 1e-9  # seconds


def as_one_speaker(found: TextAlignment) -> TextAlignment:
    """Return an alignment whose words and phones are those of all speakers, one after the other.

    Raises DataError, naming the place, where two speak at once.
    """
    if len(found.speakers) == 1:
        return found
    tiers = list(found.speakers.values())
    words, places = _merged([own.words for own in tiers])
    phones, origins = _merged([own.phones for own in tiers])
    place_of = {origin: place for place, origin in enumerate(places) if origin is not None}
    belongs = []
    for k, origin in enumerate(origins):
        if origin is None:  # a silence is one of the words, too
            belongs.append(int(np.searchsorted(words.onsets, phones.onsets[k], "right")) - 1)
        else:
            who, row = origin
            belongs.append(place_of[who, int(tiers[who].word_of_phone[row])])
    one = SpeakerTiers(words, phones, np.array(belongs, dtype=np.intp))
    return TextAlignment({"": one}, found.guessed, found.mismatches, (), found.verbalised)


def _merged(tiers: list[Alignment]) -> tuple[Alignment, list[tuple[int, int] | None]]:
    """Return the events of several tiers as one, and tier and row of each; None for silences."""
    rows = sorted(
        (float(start), float(end), who, k)
        for who, tier in enumerate(tiers)
        for k, (start, end) in enumerate(tier.intervals.tolist())
        if tier.labels[k] != SILENCE
    )
    origins: list[tuple[int, int] | None] = []
    onsets: list[float] = []
    told: list[tuple[int, int]] = []  # where confidence and so on of an onset stand
    at, last = 0.0, None
    for start, end, who, k in rows:
        if start < at - _SAME:
            raise DataError(
                f"two speakers speak at once at {start:.3f} s, which one tier cannot show; name "
                "one of them with --tier, or align the recording with `align speech`.",
                path=None if tiers[0].audio is None else str(tiers[0].audio),
            )
        if start > at + _SAME:
            origins.append(None)
            onsets.append(at)
            told.append((who, 0) if last is None else _after(tiers, last))
        origins.append((who, k))
        onsets.append(start)
        told.append((who, k))
        at, last = end, (who, k)
    duration = tiers[0].duration
    if last is not None and at < duration - _SAME:
        origins.append(None)
        onsets.append(at)
        told.append(_after(tiers, last))
    labels = [SILENCE if o is None else tiers[o[0]].labels[o[1]] for o in origins]
    about: dict[str, Any] = {
        name: np.array([getattr(tiers[who], name)[k] for who, k in told])
        for name in ("confidence", "event_match", "onset_intervals")
        if all(getattr(tier, name) is not None for tier in tiers)
    }
    matches = [tier.match for tier in tiers if tier.match is not None]
    warnings = tuple(dict.fromkeys(text for tier in tiers for text in tier.warnings))
    whole = Alignment(
        labels,
        np.array(onsets),
        duration,
        match=min(matches, default=None),
        warnings=warnings,
        audio=tiers[0].audio,
        rate=tiers[0].rate,
        **about,
    )
    return whole, origins


def _after(tiers: list[Alignment], place: tuple[int, int]) -> tuple[int, int]:
    """Return the row behind another one of the same tier, which is a silence there, if any."""
    who, k = place
    return who, min(k + 1, len(tiers[who]) - 1)
