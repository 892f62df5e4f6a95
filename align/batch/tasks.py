"""What a run is to align: one recording, and what kinds of recordings have in common.

A `Work` finds the `Task` s below a folder and aligns one of them; the runner knows nothing else of
speech or music. Whoever has recordings of another kind writes a class with the same attributes.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from align.corpus.listing import AUDIO_SUFFIXES
from align.corpus.pairs import hidden_by
from align.errors import DataError
from align.features.sound.audio import Channel
from align.files.names import StrPath, suffix_of


@dataclass(frozen=True)
class Task:
    """One recording and the file that says what occurs in it: phones, a transcript, a score.

    `name` is the path below the folder of recordings, without suffix and with ``/`` between its
    parts; the outputs are called so. `group` is who speaks or plays. `channel` is which channel of
    the file is meant, counted from 1; None for all.
    """

    name: str
    audio: str
    source: str
    group: str | None = None
    channel: int | None = None

    @property
    def recording(self) -> StrPath:
        """The file, or the channel of it, to be read as sound."""
        return Channel.of(self.audio, self.channel)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files the result depends on."""
        return (self.audio, self.source)


class Work(Protocol):
    """How recordings of one kind are found, aligned and written.

    It is sent to worker processes, and must do the same in each.

    Attributes
    ----------
    kind : str
        Kind of model it needs, as `align.SpeechAligner.kind`.
    formats : dict of str to str
        Name of each format it can write, and the suffix of its files.
    default_format : str
        The one that is written where none is asked for.
    """

    kind: str
    formats: Mapping[str, str]
    default_format: str

    def find(self, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
        """Return the tasks below a folder, and the recordings that are none with the reason."""
        ...

    def unused(self, root: str) -> list[str]:
        """Return the files below a folder that are of no recording, but for those `find` names."""
        return []

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording."""
        ...

    def write(self, found: Any, path: str) -> None:
        """Write a result in the format that the suffix says."""
        ...

    def odd_lengths(self, found: Any) -> int:
        """Return how many events have an implausible length; 0 where nothing is known of it."""
        return 0

    def guessed(self, found: Any) -> Sequence[str]:
        """Return the words of a result that no dictionary has."""
        return ()

    def options(self) -> Mapping[str, Any]:
        """Return all, besides model and files, that results depend on, for a digest."""
        ...


def by_suffix(names: str) -> dict[str, str]:
    """Return formats that are called what their files end in."""
    return {name: f".{name}" for name in names.split()}


def alignments_of(found: Any) -> list[Any]:
    """Return the alignments in a result: itself, or the phones of each speaker."""
    speakers = getattr(found, "speakers", None)
    return [found] if speakers is None else [tiers.phones for tiers in speakers.values()]


def named_after(found: Any, task: Task) -> Any:
    """Return a result that names the files as the user does, wherever they were read."""
    if hasattr(found, "speakers"):
        from align.speech.text.tiers import each_tier

        return each_tier(found, lambda tier: replace(tier, audio=task.audio))
    names = {"audio": task.audio}
    if getattr(found, "score_file", None) is not None:
        names["score_file"] = task.source
    return replace(found, **names)


def tasks_of(
    root: str,
    found: Sequence[tuple[str, str, str | None, str | None, Sequence[str]]],
    wanted: str,
    *,
    channel: int | None = None,
) -> tuple[list[Task], list[tuple[str, str]]]:
    """Return tasks made of files that belong together, and recordings without one, with reasons.

    `root` is the folder, or the manifest; the recordings of a manifest are named from the folder
    that holds them all, so that no name leads out of the folder of outputs. `found` has the
    path that a task is called after, the recording, what says what occurs in it (`wanted`, in
    messages), its group, and files that are not used. `channel` is that of all recordings.
    """
    top = os.path.abspath(root)
    if not os.path.isdir(root) and found:
        try:
            top = os.path.commonpath([os.path.dirname(os.path.abspath(a)) for _, a, *_ in found])
        except ValueError:
            raise DataError(
                "names recordings on several drives; give each its own manifest.", path=root
            ) from None
    tasks: list[Task] = []
    problems: list[tuple[str, str]] = []
    seen: set[str] = set()
    for called, audio, source, group, others in found:
        name = os.path.relpath(os.path.abspath(called), top)
        name = (os.path.basename(top) if name == "." else name).replace(os.sep, "/")
        problems += [
            (other, hidden_by(audio, other))
            for other in others
            if suffix_of(other) in AUDIO_SUFFIXES
        ]
        if source is None:
            problems.append((audio, f"has no file beside it that {wanted}."))
        elif name in seen:
            problems.append((audio, "has the name of another recording; its output would be one."))
        else:
            seen.add(name)
            tasks.append(Task(name, audio, source, group, channel))
    return tasks, problems
