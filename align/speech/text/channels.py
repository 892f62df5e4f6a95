"""Speakers who each have a channel of their own, as on the telephone or with two microphones."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from align.errors import DataError, ParameterError
from align.features.sound.audio import Channel
from align.speech.text.reading.utterances import Utterance
from align.speech.text.tiers import TextAlignment

_FITS = 0.5  # match of all turns in the mean of the channels


def on_own_channels(
    align: Callable[[Any, Sequence[Utterance]], TextAlignment],
    audio: Any,
    said: str | Sequence[Utterance],
    channels: Mapping[str, int],
) -> TextAlignment:
    """Return what each speaker said, found on their channel, by `align` of channel and words.

    Raises ParameterError where a speaker has no channel, or the recording is no file.
    """
    if isinstance(audio, np.ndarray | Channel) or isinstance(said, str):
        raise ParameterError(
            "channels of speakers are for a file with several of them, and a transcript that says "
            "who speaks."
        )
    own: dict[str, list[Utterance]] = {}
    for utterance in said:
        own.setdefault(utterance.speaker, []).append(utterance)
    missing = [name for name in own if name not in channels]
    if missing:
        raise ParameterError(
            f"no channel is named for {', '.join(map(repr, missing))} of {os.fspath(audio)}; name "
            "one for each speaker, or leave speakers out with --tier."
        )
    if len(own) > 1 and all(utterance.start is None for utterance in said):
        own = _near(align, audio, said) or own
    found = [align(Channel(audio, channels[name]), theirs) for name, theirs in own.items()]
    return TextAlignment(
        {name: tiers for one in found for name, tiers in one.speakers.items()},
        tuple(dict.fromkeys(word for one in found for word in one.guessed)),
        tuple(sorted((m for one in found for m in one.mismatches), key=lambda m: m.start)),
        tuple(utterance for one in found for utterance in one.utterances),
        tuple(both for one in found for both in one.verbalised),
    )


def _near(
    align: Callable[[Any, Sequence[Utterance]], TextAlignment],
    audio: Any,
    said: Sequence[Utterance],
) -> dict[str, list[Utterance]] | None:
    """Return what each speaker said about when it was said in the mean of all channels.

    A channel alone does not know who spoke before whom, and has the others faintly where its own
    speaker is silent. None where the mean does not say when each turn was.
    """
    try:
        found = align(audio, said)
    except DataError:  # they speak at once for long
        return None
    if len(found.utterances) < len(said) or (found.match or 0.0) < _FITS:
        return None
    own: dict[str, list[Utterance]] = {}
    for utterance in found.utterances:
        own.setdefault(utterance.speaker, []).append(replace(utterance, loose=True))
    return own
