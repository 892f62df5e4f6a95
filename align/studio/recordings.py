"""The recordings of a session as they are now: as a person edited them, else as found last.

The state of each is the fold of its own entries in the journal (`align.studio.history`), and what
nobody has touched is what a model found (`align.studio.queue.Waiting`). Nothing here is written,
and nothing is locked: the session does both.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from align.batch.tasks import Task
from align.errors import DataError
from align.studio.document import Document
from align.studio.history import History, after
from align.studio.mismatches import is_done
from align.studio.queue import Found, Waiting, expected_errors, in_order
from align.studio.revision import StaleRevision


class Recordings:
    """All recordings of a session.

    Parameters
    ----------
    tasks : sequence of Task
        Those that can be aligned.
    problems : sequence of (str, str)
        Path of each file that cannot be, and why.
    find : callable
        Aligns a task.

    Attributes
    ----------
    tasks : dict of str to Task
        By name, sorted.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        problems: Sequence[tuple[str, str]],
        find: Callable[[Task], Found],
    ) -> None:
        self.tasks = {task.name: task for task in sorted(tasks, key=lambda task: task.name)}
        self._problems = problems
        self._histories: dict[str, History] = {}
        self._waiting = Waiting(self.tasks, find)

    # One recording ---------------------------------------------------------------------------

    def take(self, entry: Mapping[str, Any]) -> History:
        """Bring a recording from one entry of the journal to the next."""
        name = entry["name"]
        self._histories[name] = after(self.history(name), entry)
        return self._histories[name]

    def task(self, name: str) -> Task:
        """Return the task of a name; raises DataError where there is none."""
        if name not in self.tasks:
            raise DataError("is none of the recordings of this session.", path=str(name))
        return self.tasks[name]

    def history(self, name: str) -> History:
        """Return what a person did."""
        return self._histories.get(name, History())

    def checked(self, name: str, revision: int) -> tuple[History, Document]:
        """Return a recording as its caller knows it; raises StaleRevision where it is newer."""
        document = self._document(name)
        if revision != self.revision(name):
            raise StaleRevision("was changed since it was shown; look at it again.", path=name)
        return self.history(name), document

    def known(self, name: str) -> Document | None:
        """Return a recording as it is now; None where it was neither edited nor aligned yet."""
        now = self.history(name).now
        return self._waiting.found(name).document if now is None else now.document

    def _document(self, name: str) -> Document:
        now = self.history(name).now
        return self._waiting.document(name) if now is None else now.document

    def revision(self, name: str) -> int:
        """Return a number that is another one after every change of what `view` shows.

        With every edit it grows by one.
        """
        history = self.history(name)
        return history.revision if history.entries else self._waiting.found(name).revision

    def find(self, name: str) -> None:
        """Align a recording that nobody has edited or aligned; not for those who hold a lock."""
        self.task(name)
        if self.history(name).now is None:
            self._waiting.find(name)

    def show(self, name: str, version: int) -> None:
        """Align a recording that is to be viewed, where no model of this version has."""
        if self.history(name).now is None:
            self._waiting.view(name, version)

    def view(self, name: str) -> dict[str, Any]:
        """Return a recording as an editor draws it; see `Session.view`."""
        history, document = self.history(name), self._document(name)
        return {
            "name": name,
            "kind": document.kind,
            "seconds": document.seconds,
            "revision": self.revision(name),
            "state": "confirmed" if history.confirmed else "waiting",
            "tiers": document.tiers(),
            "text": document.text,
            "can_undo": bool(history.past),
            "can_redo": bool(history.future),
            "match": document.match,
            "mismatches": [
                dict(m)
                for m in document.mismatches
                if not history.confirmed and not is_done(m, document.segments)
            ],
            "warnings": list(document.warnings),
        }

    # All of them -----------------------------------------------------------------------------

    def truths(self, changed: Mapping[str, Document | None] | None = None) -> dict[str, Document]:
        """Return what is confirmed, of the recordings that are still there.

        `changed` has what recordings will be after a step; None for those not confirmed then.
        """
        every: dict[str, Document | None] = {
            name: history.now.document if history.confirmed and history.now is not None else None
            for name, history in self._histories.items()
        }
        every.update(changed or {})
        return {
            name: document
            for name, document in every.items()
            if document is not None and name in self.tasks
        }

    def missing(self) -> list[str]:
        """Return the names of what was corrected and is not there any more, sorted."""
        return sorted(
            name
            for name, history in self._histories.items()
            if history.now is not None and name not in self.tasks
        )

    def ordered(self) -> list[str]:
        """Return the names: those that wait in order of what a look is worth, then the others."""
        waits = [name for name in self.tasks if not self.history(name).confirmed]
        done = [name for name in self.tasks if self.history(name).confirmed]
        good = [name for name in waits if not self._waiting.found(name).why]
        failed = [name for name in waits if self._waiting.found(name).why]
        found = {name: self.known(name) for name in good}
        return [*in_order(self.tasks, found, self.truths()), *failed, *done]

    def rows(self, version: int) -> list[dict[str, Any]]:
        """Return the queue for a model of this version; see `Session.queue`."""
        rows = [self._row(name, version) for name in self.ordered()]
        return rows + [{"name": path, "state": "failed", "why": w} for path, w in self._problems]

    def _row(self, name: str, version: int) -> dict[str, Any]:
        history, document = self.history(name), self.known(name)
        row: dict[str, Any] = {
            "name": name,
            "seconds": None if document is None else document.seconds,
            "events": None if document is None else len(document.segments),
            "expected_errors": None if document is None else expected_errors(document),
            "confidence": None if document is None else _confidence(document),
            "match": None if document is None else document.match,
            "state": "confirmed" if history.confirmed else "waiting",
            "no_text": document is not None and document.words == {},
            "stale": history.now is None
            and document is not None
            and self._waiting.found(name).version != version,
        }
        why = self._waiting.found(name).why
        return {**row, "state": "failed", "why": why} if why and not history.confirmed else row

    def to_align(self, version: int) -> list[str]:
        """Return what a model of this version has not aligned yet, in the order of the queue.

        Without the one that was viewed last: it stays as it is shown.
        """
        return [
            name
            for name in self.ordered()
            if self.history(name).now is None and self._waiting.is_stale(name, version)
        ]

    def align(self, name: str) -> None:
        """Align a recording anew; what went wrong is kept."""
        self._waiting.align(name)

    def counts(self) -> dict[str, int]:
        """Return how many are ``confirmed``, ``waiting`` and ``failed``."""
        waits = [name for name in self.tasks if not self.history(name).confirmed]
        failed = sum(bool(self._waiting.found(name).why) for name in waits)
        done, waiting = len(self.tasks) - len(waits), len(waits) - failed
        return {"confirmed": done, "waiting": waiting, "failed": failed + len(self._problems)}


def _confidence(document: Document) -> float | None:
    """Return the mean confidence of the boundaries; None where it is not known."""
    rows = [s for s in document.segments if s.is_played]
    sure = [s.confidence for s in rows if s.confidence is not None]
    return round(sum(sure) / len(sure), 4) if sure else None
