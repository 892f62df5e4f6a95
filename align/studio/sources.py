"""Whether the files of a recording are still those that it was corrected from.

A person may correct a transcript, or put another recording in its place, between two sittings.
What was corrected stays as it was corrected, since nobody else knows what was meant; but it is
told. Entries of the journal hold a fingerprint of the files where it is new.
"""

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from align.batch.tasks import Task

_READ = 16384  # bytes of the recording, at each of three places


class Sources:
    """The fingerprints of what was corrected, by the name of the recording.

    Parameters
    ----------
    tasks : dict of str to Task
        All recordings that are there.
    """

    def __init__(self, tasks: Mapping[str, Task]) -> None:
        self._tasks = tasks
        self._known: dict[str, str] = {}

    def take(self, entry: Mapping[str, Any]) -> None:
        """Remember what an entry of the journal says."""
        if "files" in entry:
            self._known[entry["name"]] = str(entry["files"])

    def news_of(self, name: str) -> dict[str, str]:
        """Return what the next entry of a recording has to say; nothing where it is known."""
        now = _fingerprint(self._tasks[name])
        return {} if now is None or _same(self._known.get(name), now) else {"files": now}

    def outdated(self) -> list[str]:
        """Return what was corrected from other files than there are now, sorted."""
        return [
            name
            for name, known in sorted(self._known.items())
            if name in self._tasks and not _same(known, _fingerprint(self._tasks[name]))
        ]


def _same(known: str | None, now: str | None) -> bool:
    """Whether two fingerprints may be of the same files; those before 2026-11-27 have no sound."""
    if known is None or now is None:
        return known is not None
    return now.split()[: len(known.split())] == known.split()


def _fingerprint(task: Task) -> str | None:
    """Return the size of the recording and digests of its text and its sound, or None.

    None is where a file cannot be read. Trials of an experiment are often of one length, so the
    size alone does not tell them apart; the sound counts by its ends and its middle, which differ
    between any two recordings and take no time to read.
    """
    try:
        with open(task.source, "rb") as file:
            text = hashlib.file_digest(file, "sha256").hexdigest()
        size, sound = os.path.getsize(task.audio), hashlib.sha256()
        with open(task.audio, "rb") as file:
            for place in (0, max(0, size // 2 - _READ // 2), max(0, size - _READ)):
                file.seek(place)
                sound.update(file.read(_READ))
        return f"{size} {text[:32]} {sound.hexdigest()[:32]}"
    except OSError:
        return None
