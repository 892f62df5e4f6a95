"""What was done to a recording, step by step, and what is so undone and done again.

The state of a recording is the fold of its entries in the journal: `after` takes a history and an
entry to the next history, and nothing else changes one. Each entry that changes something holds
what is new in the document; so a journal is read without a model, and says the same for ever.

=============  ================================================================================
``do``         what an entry holds besides ``name`` and ``revision``
=============  ================================================================================
``edit``       ``action``; ``change``, as `Document.changed` takes it, or, of before 2026-11-26,
               ``state``, the whole document; ``base``, the document before the first step
``confirm``    ``change`` to the document that is right; ``base``, as above
``undo``       nothing: the step before counts again
``redo``       nothing: the step that was undone counts again
=============  ================================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from align.errors import DataError
from align.studio.document import Document


class Step(NamedTuple):
    """A document, and whether a person has said that all of it is right."""

    document: Document
    confirmed: bool = False


@dataclass(frozen=True)
class History:
    """The steps of a recording; without any it is as the model finds it.

    Parameters
    ----------
    past : tuple of Step
        Steps before, the newest last.
    now : Step, optional
        The step that counts.
    future : tuple of Step
        Steps that were undone, the newest last.
    entries : int
        How many entries the history is made of.
    revision : int
        What the newest entry says; it grows from entry to entry.
    """

    past: tuple[Step, ...] = ()
    now: Step | None = None
    future: tuple[Step, ...] = ()
    entries: int = 0
    revision: int = 0

    @property
    def confirmed(self) -> bool:
        """Whether the recording is right, and is learned from."""
        return self.now is not None and self.now.confirmed


def after(history: History, entry: Mapping[str, Any]) -> History:
    """Return the history after one more entry; DataError where it cannot follow."""
    do, n = entry["do"], history.entries + 1
    revision = int(entry.get("revision", n))
    if do == "undo":
        if history.now is None or not history.past:
            raise DataError("there is nothing to undo.")
        return History(
            history.past[:-1], history.past[-1], (*history.future, history.now), n, revision
        )
    if do == "redo":
        if history.now is None or not history.future:
            raise DataError("there is nothing to do again.")
        return History(
            (*history.past, history.now), history.future[-1], history.future[:-1], n, revision
        )
    now = history.now or Step(Document.from_json(entry["base"]))
    whole = "state" in entry
    new = Document.from_json(entry["state"]) if whole else now.document.changed(entry["change"])
    step = Step(new, do == "confirm")
    return History((*history.past, now), step, (), n, revision)
