"""A session of the bundled recording that learns nothing: what the server's tests need of one."""

from importlib.resources import files
from pathlib import Path
from typing import Any

from align.errors import DataError, ParameterError
from align.results.alignment import Alignment
from align.studio.revision import StaleRevision

DATA = Path(str(files("align.data")))


class FakeSession:
    """The interface of `align.studio.Session`, in memory, with a few of the actions.

    The recording `piece` is of music.
    """

    def __init__(self, names: tuple[str, ...] = ("kiwi",)) -> None:
        self.names = list(names)
        self.learnt: list[str] = []
        self.pending: list[str] = []
        self.exported: list[tuple[Path, bool]] = []
        truth = Alignment.from_labels(DATA / "kiwi.TextGrid")
        spans = zip(truth.intervals.tolist(), truth.labels, strict=True)
        first = [
            {"id": k, "start": a, "end": b, "label": label, "confidence": 0.5, "fixed": False}
            for k, ((a, b), label) in enumerate(spans)
        ]
        self.seconds = truth.duration
        notes = [{**row, "pitch": 60 + 2 * k, "played": k != 2} for k, row in enumerate(first[:8])]
        # Every state, the newest last.
        self.states = {name: [notes if name == "piece" else first] for name in names}
        self.confirmed: set[str] = set()

    def queue(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "seconds": self.seconds, "events": 20, "expected_errors": 2.5,
             "confidence": 0.5, "match": 0.9,
             "state": "confirmed" if name in self.confirmed else "waiting"}
            for name in self.names
        ]  # fmt: skip

    def next(self) -> str | None:
        return next((name for name in self.names if name not in self.confirmed), None)

    def view(self, name: str) -> dict[str, Any]:
        states = self.states[name]
        music = name == "piece"
        tier = {"name": "notes" if music else "phones", "intervals": states[-1]}
        return {
            "name": name, "kind": "music" if music else "speech", "seconds": self.seconds,
            "revision": len(states),
            "state": "confirmed" if name in self.confirmed else "waiting", "tiers": [tier],
            "text": None, "can_undo": len(states) > 1, "can_redo": False, "match": 0.9,
            "mismatches": [], "warnings": ["3 semitones higher."] if music else [],
        }  # fmt: skip

    def _check(self, name: str, revision: int) -> None:
        if revision != len(self.states[name]):
            raise StaleRevision(f"{name} was changed in another window.")

    def edit(self, name: str, action: dict[str, Any], *, revision: int) -> dict[str, Any]:
        self._check(name, revision)
        rows = [dict(row) for row in self.states[name][-1]]
        k = action.get("id", -1)
        if action.get("do") == "relabel":
            rows[k]["label"] = action["label"]
        elif action.get("do") == "move" and rows[k - 1]["start"] < action["to"] < rows[k]["end"]:
            rows[k].update(start=action["to"], fixed=True)
            rows[k - 1]["end"] = action["to"]
        elif action.get("do") == "unplayed":
            rows[k]["played"] = not rows[k]["played"]
        elif action.get("do") == "disk full":
            raise OSError(28, "No space left on device")
        else:
            raise ParameterError("the boundary would pass its neighbour; move that one first.")
        self.states[name].append(rows)
        return self.view(name)

    def undo(self, name: str, *, revision: int) -> dict[str, Any]:
        self._check(name, revision)
        if len(self.states[name]) < 2:
            raise DataError("there is nothing to undo.")
        self.states[name].append(self.states[name][-2])
        return self.view(name)

    redo = undo

    def confirm(self, name: str, *, revision: int) -> dict[str, Any]:
        self._check(name, revision)
        self.confirmed.add(name)
        self.pending.append(name)
        return self.view(name)

    def audio(self, name: str) -> Path:
        return DATA / "kiwi.flac"

    def sound(self, name: str) -> Path:
        return self.audio(name)

    def learn(self) -> dict[str, Any]:
        if not self.pending:
            return {}
        self.learnt.append(self.pending.pop())
        return {"recordings": 1}

    def prepare(self) -> None:
        return None

    def progress(self) -> dict[str, Any]:
        return {
            "confirmed": len(self.confirmed), "waiting": len(self.names) - len(self.confirmed),
            "failed": 0, "errors_per_100": {"now": 7.1, "fixed_model": 12.3, "window": 5.0},
            "seconds_spent": 0.5, "put_back": [],
            "updates": [{"name": name} for name in self.learnt],
        }  # fmt: skip

    def export(self, path: Path, *, report: bool = False) -> None:
        (path / "model.align").write_bytes(b"model")
        self.exported.append((path, report))
