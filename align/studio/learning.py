"""When a session learns, what it says of it, and when it takes a new model back.

The protocol is that of online learning: each recording is first aligned by models that have not
seen it, and judged; then they learn from it. There are several (`align.sequence.online.EXPERTS`),
and the model of the beginning, which says what learning has gained. Two guards watch over them:

* networks that make more errors than before on recordings confirmed earlier are given up;
* of all models, the one that is shown is never far behind the best (`align.studio.leader`): one
  that turns out worse than another is put back.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from align.errors import AlignError, DataError
from align.models.loading import digest_of, load
from align.sequence.base import Aligner
from align.sequence.online import EXPERTS, OnlineLearner
from align.studio.history import History
from align.studio.leader import leader
from align.types import BoolArray, Event, Example

_TOLERANCE = {"speech": 0.02, "music": 0.05}  # seconds, beyond which a boundary is off
_WINDOW = 10  # recordings, of which progress speaks
_WATCHED = {"speech": 2, "music": 0}  # recordings that new networks are tried on
_GIVEN = "given"  # the model of the beginning, among the experts
_LEARNED = ("networks", "half", "habits", _GIVEN)  # from what has moved furthest
_CALLED = {
    "networks": "all that was learnt",
    "half": "half of what was learnt",
    "habits": "your habits alone",
    _GIVEN: "the model that you began with",
}
_FIRST = {"speech": "half", "music": "networks"}  # which is shown until another one leads it
_DEEP = 20  # recordings, after which all are learned from again


@dataclass(frozen=True)
class Made:
    """Models that were just made, and the entry that says so."""

    experts: dict[str, Aligner]
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
    of_text : callable
        Takes a model and the name of a recording, and returns what the model finds there from its
        text.
    """

    def __init__(
        self,
        given: Aligner,
        folder: Path,
        *,
        learn: bool,
        random_state: int,
        of_text: Callable[[Aligner, str], Example],
    ) -> None:
        self.version = 0
        self.digest = digest_of(given)
        self._given, self._folder, self._learns = given, folder, learn
        self._of_text = of_text
        self._learner = OnlineLearner(given, random_state=random_state)
        self._experts = {**self._learner.experts, _GIVEN: given}
        self._shown = _FIRST[given.kind]
        self._confirmed: dict[str, int] = {}  # entries of each recording when it was confirmed
        self._learned: dict[str, int] = {}
        self._entries: list[Mapping[str, Any]] = []

    @property
    def model(self) -> Aligner:
        """The model that is shown."""
        return self._experts[self._shown]

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
        self._shown = entry.get("shown", EXPERTS[-1])  # journals of before had but one
        if entry.get("name") is not None:
            self._learned.pop(entry["name"], None)
            self._learned[entry["name"]] = int(entry["entries"])

    def note(self, name: str, history: History) -> None:
        """Remember whether a recording is confirmed."""
        self._confirmed.pop(name, None)
        if history.confirmed:
            self._confirmed[name] = history.entries

    def restore(self) -> None:
        """Load the models that the last entry speaks of, and remove others."""
        if self.version:
            before = self._folder / f"model-{self.version}.align"  # of a journal of before
            for kind in EXPERTS:
                path = self._file(self.version, kind)
                path = path if path.exists() else before
                self._experts[kind] = load(path, self._own_features())
        self._remove_others()

    def _file(self, version: int, kind: str) -> Path:
        return self._folder / f"model-{version}-{kind}.align"

    def _remove_others(self) -> None:
        """Remove models of other versions."""
        for path in self._folder.glob("model-*.align"):
            if path.stem.split("-")[1] != str(self.version):
                with suppress(OSError):
                    path.unlink()

    def _own_features(self) -> Sequence[Any]:
        chosen = getattr(self._given, "features", "")
        return [] if isinstance(chosen, str) else [f for f in chosen if not isinstance(f, str)]

    # Updates ---------------------------------------------------------------------------------

    def todo(self) -> list[tuple[str, int]]:
        """Return what was confirmed and is not learned from yet, the oldest first.

        With how many entries each has: those that are made meanwhile are learned from later.
        """
        every = self._confirmed.items()
        return [(name, entries) for name, entries in every if self._learned.get(name) != entries]

    def update(
        self, examples: Mapping[str, Example], todo: Sequence[tuple[str, int]], *, deep: bool
    ) -> Made | None:
        """Learn from the first recording of `todo` that is in `examples`; None for none.

        `examples` has all confirmed recordings that can be learned from. The state stays until the
        result is published.
        """
        if not self._learns:
            return None
        todo = [item for item in todo if item[0] in examples]
        if not todo and not (deep and self._learned):
            return None
        begin = time.perf_counter()
        learner = self._learner
        before = {kind: self._experts[kind] for kind in EXPERTS}
        learner.go_on(before, [(n, examples[n]) for n in self._learned if n in examples])
        name, entries = todo[0] if todo else (None, 0)
        entry: dict[str, Any] = {"do": "model", "version": self.version, "name": name}
        entry["shown"] = self._shown
        if name is not None:
            entry.update(entries=entries, judged=self._judged(name, examples[name]))
        new: dict[str, Aligner] | None = None
        try:
            if name is not None:
                new = learner.update(examples[name], name)
            if deep or (name is not None and (len(self._learned) + 1) % _DEEP == 0):
                new, entry["deep"] = learner.deepen(), True
        except AlignError as error:  # it cannot be learned from; the next one may
            entry["failed"] = str(error)
        if new is not None:
            new = self._guarded(new, entry, examples)
        self._follow(entry)
        if new is not None or entry["shown"] != self._shown:
            entry["version"] = self.version + 1
        entry["seconds"] = round(time.perf_counter() - begin, 3)
        return Made({**self._experts, **(new or {})}, entry)

    def save(self, made: Made) -> None:
        """Write the models of an update; they count when its entry is in the journal."""
        if made.entry["version"] != self.version:
            try:
                for kind in EXPERTS:
                    made.experts[kind].save(self._file(made.entry["version"], kind))
            except AlignError:
                self._remove_others()  # a full disk has no room for some of them, but for edits
                raise

    def publish(self, made: Made) -> None:
        """Let the models of an update be the models."""
        self._experts = made.experts
        self._remove_others()

    def _judged(self, name: str, example: Example) -> dict[str, Any] | None:
        """Return the errors of all models on a recording that none has seen."""
        if any(entry.get("name") == name and entry.get("judged") for entry in self._entries):
            return None  # it was learned from before
        try:
            first = self._paid(self._given, name, example)
            off = {
                kind: first if self.version == 0 else self._paid(model, name, example)
                for kind, model in self._experts.items()
                if kind in EXPERTS
            }
        except AlignError:
            return None
        off[_GIVEN] = first
        of = int(_known(example, self._given).sum())
        return {"now": off[self._shown], "fixed_model": first, "of": of, "experts": off}

    def _paid(self, model: Aligner, name: str, example: Example) -> int:
        """Return how many events of a recording a person would have had to move.

        Where there is a text, the model finds the phones as well, and one that it does not find
        is off, too.
        """
        if example.text is None:
            return _off(model, example)
        found = self._of_text(model, name)
        starts: dict[Event, list[float]] = {}
        for event, start in zip(found.events, np.asarray(found.onsets), strict=True):
            starts.setdefault(event, []).append(float(start))
        rows = zip(example.events, np.asarray(example.onsets), strict=True)
        error = np.array(
            [np.abs(np.array(starts.get(event, [np.inf])) - at).min() for event, at in rows]
        )
        return int((error[_known(example, model)] > _TOLERANCE[model.kind]).sum())

    def _guarded(
        self,
        new: dict[str, Aligner],
        entry: dict[str, Any],
        examples: Mapping[str, Example],
    ) -> dict[str, Aligner]:
        """Return the new models, but old networks where the new ones have forgotten too much."""
        names = [n for n in self._learned if n in examples and n != entry["name"]]
        every = max(1, len(names) // max(1, _WATCHED[self._given.kind]))
        watched = names[::-1][::every][: _WATCHED[self._given.kind]]
        before, after = (
            sum(_off(one["networks"], examples[name]) for name in watched)
            for one in (self._experts, new)
        )
        if after <= 1.1 * before + 2:
            return new
        entry["put_back"] = f"{after} errors on recordings of before, {before} by the old model"
        return {**self._experts, "habits": new["habits"]}

    def _follow(self, entry: dict[str, Any]) -> None:
        """Write into an entry which model is shown from now on."""
        judged = [e["judged"] for e in (*self._entries, entry) if e.get("judged")]
        rows = [one["experts"] for one in judged if "experts" in one]
        if rows:
            mistakes = {kind: sum(row[kind] for row in rows) for kind in rows[0]}
            entry["shown"] = best = leader(self._shown, mistakes)
            if _LEARNED.index(best) > _LEARNED.index(self._shown):
                entry["put_back"] = (
                    f"{mistakes[self._shown]} errors by {_CALLED[self._shown]}, {mistakes[best]} "
                    f"by {_CALLED[best]}"
                )

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


def _known(example: Example, model: Aligner) -> BoolArray:
    """Return which events have a time that can be off; speech begins with the recording."""
    known: BoolArray = np.isfinite(np.asarray(example.onsets))
    if model.kind == "speech":
        known[0] = False
    return known


def _off(model: Aligner, example: Example) -> int:
    """Return how many of the events given a model has off by more than the tolerance."""
    error = np.abs(model.timing(example).onsets - np.asarray(example.onsets))
    return int((error[_known(example, model)] > _TOLERANCE[model.kind]).sum())
