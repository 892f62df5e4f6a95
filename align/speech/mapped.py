"""Aligning phones that a model knows by other names."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from align.formats.phone_map import read_phone_map
from align.progress import Progress
from align.results.alignment import Alignment
from align.sequence.anchors import Anchors, GivenAnchors


def align_mapped(
    aligner: Any,
    audio: Any,
    phones: Sequence[str],
    phone_map: Mapping[str, str] | str | os.PathLike[str] | None = None,
    *,
    rate: int | None = None,
    anchors: GivenAnchors = None,
    progress: Progress | None = None,
) -> Alignment:
    """Return when each phone begins, of phones that are mapped first; results keep their names.

    `aligner` is a fitted SpeechAligner, `phones` are in order, and `phone_map` says what the model
    calls them, see `align.formats.phone_map`: one that is not in it stands for itself. The rest is
    as in `SpeechAligner.align`, anchors with the phones as they are given. Raises DataError as it
    does, and where the map cannot be read.
    """
    # an aligner of the user's own need not know of anchors, nor of progress
    known: dict[str, Any] = {} if anchors is None else {"anchors": Anchors.of(anchors, phones)}
    if progress is not None:
        known["progress"] = progress
    if phone_map is None:
        as_given: Alignment = aligner.align(audio, phones, rate=rate, **known)
        return as_given
    names = phone_map if isinstance(phone_map, Mapping) else read_phone_map(phone_map)
    mapped = [names.get(phone, phone) for phone in phones]
    found: Alignment = aligner.align(audio, mapped, rate=rate, **known)
    return replace(found, events=tuple(phones))
