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

__all__ = ["Sources"]


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
        return {} if now is None or self._known.get(name) == now else {"files": now}

    def outdated(self) -> list[str]:
        """Return what was corrected from other files than there are now, sorted."""
        return [
            name
            for name, known in sorted(self._known.items())
            if name in self._tasks and _fingerprint(self._tasks[name]) not in (known, None)
        ]


def _fingerprint(task: Task) -> str | None:
    """Return the size of the recording and a digest of its text; None where there is neither."""
    try:
        with open(task.source, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{os.path.getsize(task.audio)} {digest[:32]}"
    except OSError:
        return None
