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
        self._seen: dict[str, str | None] = {}

    def take(self, entry: Mapping[str, Any]) -> None:
        """Remember what an entry of the journal says."""
        if "files" in entry:
            self._known[entry["name"]] = str(entry["files"])

    def look(self, name: str) -> None:
        """Remember the files as they are now, when they are about to be read."""
        self._seen[name] = _fingerprint(self._tasks[name])

    def news_of(self, name: str) -> dict[str, str]:
        """Return what the next entry of a recording has to say; nothing where it is known."""
        if name not in self._seen:
            self.look(name)
        seen = self._seen[name]
        return {} if seen is None or _same(self._known.get(name), seen) else {"files": seen}

    def outdated(self) -> list[str]:
        """Return what was corrected from other files than there are now, sorted."""
        there = sorted(name for name in self._known if name in self._tasks)
        for name in there:
            self.look(name)
        return [name for name in there if not _same(self._known[name], self._seen[name])]

    def is_changed(self, name: str) -> bool:
        """Whether the files are others now than those that were read or corrected from."""
        now = _fingerprint(self._tasks[name])
        was = [self._known.get(name), self._seen.get(name)]
        return not all(one is None or _same(one, now) for one in was)

    def sounds_other(self, name: str) -> bool:
        """Whether a recording that was corrected has another sound now."""
        known, now = self._known.get(name), _fingerprint(self._tasks[name])
        if known is None or now is None:
            return False
        (size, _, *sound), (its_size, _, *its_sound) = known.split(), now.split()
        return size != its_size or (bool(sound) and sound != its_sound)


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
