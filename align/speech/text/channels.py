"""Speakers who each have a channel of their own, as on the telephone or with two microphones."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from align.errors import ParameterError
from align.features.sound.audio import Channel
from align.speech.text.reading.transcript import Utterance
from align.speech.text.tiers import TextAlignment

__all__ = ["on_own_channels"]


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
    found = [align(Channel(audio, channels[name]), theirs) for name, theirs in own.items()]
    return TextAlignment(
        {name: tiers for one in found for name, tiers in one.speakers.items()},
        tuple(dict.fromkeys(word for one in found for word in one.guessed)),
        tuple(sorted((m for one in found for m in one.mismatches), key=lambda m: m.start)),
        tuple(utterance for one in found for utterance in one.utterances),
    )
