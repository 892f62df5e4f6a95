"""The work of each kind of recordings, by name."""

from inspect import signature
from typing import Any

from align.batch.music_work import MusicWork
from align.batch.speech_work import SequenceWork, SpeechWork
from align.batch.tasks import Work
from align.errors import ParameterError


def work_for(kind: "str | Work", /, **options: Any) -> Work:
    """Return the work of a kind of recordings, with those of its options that are not empty.

    A `Work` is returned as it is.
    """
    if not isinstance(kind, str):
        return kind
    if kind not in ("speech", "music", "sequence"):
        raise ParameterError(f"kind={kind!r}, must be 'speech', 'music' or 'sequence'.")
    known = {*signature(SpeechWork).parameters, "repeats"}
    if unknown := sorted(options.keys() - known):
        raise ParameterError(
            f"{', '.join(unknown)}: no such option, must be of {', '.join(sorted(known))}."
        )
    given = {name: value for name, value in options.items() if value}
    both = {"repeats": given.pop("repeats", None), "channel": given.get("channel")}
    if kind == "speech":
        if both["repeats"] is not None:
            raise ParameterError("repeats: for music only.")
        return SpeechWork(**given)
    if kind == "sequence":
        if other := sorted(given.keys() - {"suffix", "phone_map", "encoding", "channel"}):
            raise ParameterError(f"{', '.join(other)}: not for sequences.")
        return SequenceWork(**given)
    if other := sorted(given.keys() - both):
        raise ParameterError(f"{', '.join(other)}: for speech only.")
    return MusicWork(**both)
