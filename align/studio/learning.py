"""When a session learns, what it says of it, and when it takes a new model back.

The protocol is that of online learning: each recording is first aligned by the model that has not
seen it, and judged; then it is learned from. Beside it, the model of the beginning is judged on
the same recordings, which says what learning has gained. Two guards watch over it:

* a new model that makes more errors than the old one on recordings confirmed before is given up;
* where the last ten recordings were aligned worse than the model of the beginning aligns them, by
  more than chance explains, that model is put back, and learning begins anew.
"""

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from align.errors import AlignError, DataError
from align.files.atomic import captured_writes
from align.models.file import load
from align.sequence.base import Aligner
from align.sequence.online import OnlineLearner
from align.studio.history import History
from align.types import Example

__all__ = ["Learning", "Made"]

_TOLERANCE = {"speech": 0.02, "music": 0.05}  # seconds, beyond which a boundary is off
_WINDOW = 10  # recordings, of which progress and the second guard speak
_WATCHED = {"speech": 4, "music": 0}  # recordings that a new model is tried on
_DEEP = 20  # recordings, after which all are learned from again


@dataclass(frozen=True)
class Made:
    """A model that was just made, and the entry that says so."""

    model: Aligner
    entry: dict[str, Any]


class Learning:
    """The model of a session, and how it came about.

    Parameters
    ----------
    given : Aligner
        The model of the beginning.
    folder : Path
        Where models are kept.
    learn : bool
        Whether anything is learned.
    random_state : int
        Seed of what is random.
    """

    def __init__(self, given: Aligner, folder: Path, *, learn: bool, random_state: int) -> None:
        self.model: Aligner = given
        self.version = 0
        self.digest = _digest(given)
        self._given, self._folder, self._learns = given, folder, learn
        self._learner = OnlineLearner(given, random_state=random_state)
        self._confirmed: dict[str, int] = {}  # entries of each recording when it was confirmed
        self._learned: dict[str, int] = {}
        self._entries: list[Mapping[str, Any]] = []

    # What the journal says -------------------------------------------------------------------

    def take(self, entry: Mapping[str, Any]) -> None:
        """Bring the state from one entry to the next: of the beginning, or of a new model."""
        if entry["do"] == "begin":
            if entry["model"] != self.digest:
                raise DataError(
                    "was begun with another model; give that one, or choose another folder.",
                    path=str(self._folder.parent),
                )
            return
        self._entries.append(entry)
        self.version = int(entry["version"])
        if entry.get("name") is not None:
            self._learned.pop(entry["name"], None)
            self._learned[entry["name"]] = int(entry["entries"])

    def note(self, name: str, history: History) -> None:
        """Remember whether a recording is confirmed."""
        self._confirmed.pop(name, None)
        if history.confirmed:
            self._confirmed[name] = history.entries

    def restore(self) -> None:
        """Load the model that the last entry speaks of, and remove others."""
        if self.version:
            self.model = load(self._file(self.version), self._own_features())
        for path in self._folder.glob("model-*.align"):
            if path != self._file(self.version):
                with suppress(OSError):
                    path.unlink()

    def _file(self, version: int) -> Path:
        return self._folder / f"model-{version}.align"

    def _own_features(self) -> Sequence[Any]:
        chosen = getattr(self._given, "features", "")
        return [] if isinstance(chosen, str) else [f for f in chosen if not isinstance(f, str)]

    # Updates ---------------------------------------------------------------------------------

    def update(self, examples: Mapping[str, Example], *, deep: bool) -> Made | None:
        """Learn from the oldest recording that was not learned from; None where there is none.

        `examples` has all confirmed recordings. The state stays until the result is published.
        """
        if not self._learns:
            return None
        todo = [
            name
            for name, entries in list(self._confirmed.items())  # other threads confirm meanwhile
            if name in examples and self._learned.get(name) != entries
        ]
        if not todo and not (deep and self._learned):
            return None
        begin = time.perf_counter()
        learner = self._learner
        learner.go_on(self.model, [(n, examples[n]) for n in self._learned if n in examples])
        name = todo[0] if todo else None
        entry: dict[str, Any] = {"do": "model", "version": self.version, "name": name}
        if name is not None:
            entry.update(entries=self._confirmed[name], judged=self._judged(name, examples[name]))
        new: Aligner | None = None
        try:
            if name is not None:
                new = learner.update(examples[name], name)
            if deep or (name is not None and (len(self._learned) + 1) % _DEEP == 0):
                new, entry["deep"] = learner.deepen(), True
        except AlignError as error:  # it cannot be learned from; the next one may
            entry["failed"] = str(error)
        if new is not None:
            why, kept = self._guarded(new, entry, examples)
            if why:
                entry["put_back"] = why
            if kept is not self.model:
                entry["version"] = self.version + 1
            new = kept
        entry["seconds"] = round(time.perf_counter() - begin, 3)
        return Made(new or self.model, entry)

    def save(self, made: Made) -> None:
        """Write the model of an update; it counts when its entry is in the journal."""
        if made.entry["version"] != self.version:
            made.model.save(self._file(made.entry["version"]))

    def publish(self, made: Made) -> None:
        """Let the model of an update be the model."""
        self.model = made.model
        for path in self._folder.glob("model-*.align"):
            if path != self._file(self.version):
                with suppress(OSError):
                    path.unlink()

    def _judged(self, name: str, example: Example) -> dict[str, Any] | None:
        """Return the errors of both models on a recording that neither has seen."""
        if any(entry.get("name") == name and entry.get("judged") for entry in self._entries):
            return None  # it was learned from before
        try:
            now = _off(self.model, example)
            first = now if self.version == 0 else _off(self._given, example)
        except AlignError:
            return None
        return {"now": now[0], "fixed_model": first[0], "of": now[1]}

    def _guarded(
        self, new: Aligner, entry: Mapping[str, Any], examples: Mapping[str, Example]
    ) -> tuple[str, Aligner]:
        """Return why a new model is not taken, if it is not, and the model that counts."""
        judged = [e["judged"] for e in (*self._entries, entry) if e.get("judged")][-_WINDOW:]
        now, first = (sum(one[key] for one in judged) for key in ("now", "fixed_model"))
        since = [e for e in self._entries[1 - _WINDOW :] if e.get("put_back")]
        chance = 2.0 * math.sqrt(now + first)  # two standard deviations of a difference of counts
        if len(judged) == _WINDOW and not since and now - first > chance:
            return f"{now} errors on the last {_WINDOW}, {first} by the first model", self._given
        names = [n for n in self._learned if n in examples and n != entry["name"]]
        every = max(1, len(names) // max(1, _WATCHED[self._given.kind]))
        watched = names[::-1][::every][: _WATCHED[self._given.kind]]
        before = after = 0
        for name in watched:
            before += _off(self.model, examples[name])[0]
            after += _off(new, examples[name])[0]
        if after > 1.1 * before + 2:
            return f"{after} errors on recordings of before, {before} by the old model", self.model
        return "", new

    # Progress --------------------------------------------------------------------------------

    def progress(self) -> dict[str, Any]:
        """Return errors per hundred, time spent, updates and what was put back."""
        judged = [entry["judged"] for entry in self._entries if entry.get("judged")]

        def per_100(key: str, rows: Sequence[Mapping[str, int]]) -> float | None:
            total = sum(row["of"] for row in rows)
            return round(100.0 * sum(row[key] for row in rows) / total, 2) if total else None

        updates = [
            {k: v for k, v in entry.items() if k not in ("do", "entries")}
            for entry in self._entries
        ]
        return {
            "errors_per_100": {
                "now": per_100("now", judged),
                "fixed_model": per_100("fixed_model", judged),
                "window": per_100("now", judged[-_WINDOW:]),
            },
            "seconds_spent": round(sum(entry["seconds"] for entry in self._entries), 3),
            "updates": updates,
            "put_back": [row for row in updates if row.get("put_back")],
        }


def _off(model: Aligner, example: Example) -> tuple[int, int]:
    """Return how many events a model has off by more than the tolerance, and of how many."""
    found = model.timing(example)
    error = np.abs(found.onsets - np.asarray(example.onsets))
    known = np.isfinite(error)
    if model.kind == "speech":
        known[0] = False  # it begins with the recording
    return int((error[known] > _TOLERANCE[model.kind]).sum()), int(known.sum())


def _digest(model: Aligner) -> str:
    """Return what tells a model from others: a digest of its file."""
    with captured_writes() as files:
        model.save("model.align")
    return sha256(files["model.align"]).hexdigest()
