"""The files of a session: what is confirmed, the list of it, and exports.

The journal says what is confirmed, and the files follow: a step is in the journal before its file
is written, and its entry holds a digest of the file. So after a kill between the two, the next
start finds an older file of the session's own, and writes it anew; and a file that no entry speaks
of is somebody else's, which is never replaced.
"""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from align.batch.tasks import Task, Work
from align.errors import DataError, data_errors
from align.files.atomic import atomic_write, captured_writes, remove_stale
from align.files.kept import CONFIRMED_TABLE
from align.files.names import StrPath
from align.files.text import table_of_rows
from align.sequence.base import Aligner
from align.studio.document import Document


class Output:
    """The folder of what is confirmed.

    Parameters
    ----------
    out : Path
        The folder.
    work : align.batch.tasks.Work
        How alignments are written.
    tasks : mapping of str to Task
        The recordings.
    """

    def __init__(self, out: Path, work: Any, tasks: Mapping[str, Task]) -> None:
        self._out, self._work, self._tasks = out, work, tasks
        self._own: dict[str, list[str]] = {}  # digests of what was written, the newest last
        self._listed = ""  # what the list of them says, as far as is known

    def _path(self, name: str) -> Path:
        return self._out / self._file(name)

    def _file(self, name: str) -> str:
        return f"{name}{self._work.formats[self._work.default_format]}"

    def take(self, entry: Mapping[str, Any]) -> None:
        """Remember the file that an entry of the journal speaks of."""
        if "file" in entry:
            self._own.setdefault(entry["name"], []).append(entry["file"])
        elif entry["do"] == "confirm":  # journals of before 2026-11-29: whatever is there
            self._own.setdefault(entry["name"], []).append("")

    def take_over(self, name: str, path: StrPath) -> None:
        """Remember that what a file of a person says has been taken over."""
        with data_errors("cannot be read", path):
            self._own.setdefault(name, []).insert(0, sha256(Path(path).read_bytes()).hexdigest())

    def content(self, name: str, document: Document) -> bytes:
        """Return the file of a recording."""
        with captured_writes() as files:
            self._work.write(document.alignment(self._tasks[name].audio), self._file(name))
        return files[self._file(name)]

    def news_of(self, name: str, content: bytes) -> dict[str, str]:
        """Return what the entry says that comes before `write`.

        Raises DataError where there is a file that this session has not written.
        """
        if not self._is_own(name):
            raise DataError(
                "was written or changed by another program; move it away, and do this again.",
                path=os.fspath(self._path(name)),
            )
        return {"file": sha256(content).hexdigest()}

    def _is_own(self, name: str) -> bool:
        """Whether the file of a recording is one that this session has written, or not there."""
        known = self._own.get(name, ())
        if "" in known:
            return True
        try:
            return sha256(self._path(name).read_bytes()).hexdigest() in known
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def write(self, name: str, content: bytes, folder: Path | None = None) -> None:
        """Write the file of a recording, whole or not at all."""
        path = (folder or self._out) / self._file(name)
        _make(path.parent)
        atomic_write(path, content, overwrite=True)

    def foreign(self) -> list[str]:
        """Return the recordings whose file this session has not written, or not as it is."""
        return [name for name in self._tasks if not self._is_own(name)]

    def remove_stale(self) -> None:
        """Remove what a process that was killed had begun to write."""
        remove_stale({self._out, *(self._path(name).parent for name in self._tasks)})

    def restore(self, truths: Mapping[str, Document]) -> None:
        """Write the files of confirmed recordings that are not there, or of an older state."""
        for name, document in truths.items():
            path, known = self._path(name), self._own.get(name, [""])
            if path.exists() and (not known[-1] or not self._is_own(name)):
                continue
            if not path.exists() or sha256(path.read_bytes()).hexdigest() != known[-1]:
                self.write(name, self.content(name, document))
        self.write_manifest(truths)

    def write_manifest(self, truths: Mapping[str, Document]) -> None:
        """Write which recordings are confirmed, as `align.read_corpus` takes it."""
        is_music = self._work.kind == "music"
        rows = [["audio", *(["score", "truth"] if is_music else ["labels"]), "group"]]
        for name in truths:
            task = self._tasks[name]
            files = [task.audio, *([task.source] if is_music else [])]
            paths = [os.path.relpath(path, self._out) for path in files]
            labels = os.path.normpath(self._file(name))
            rows.append([*paths, labels, task.group or ""])
        table = table_of_rows(rows)
        if table != self._listed:
            self._listed = ""
            atomic_write(self._out / CONFIRMED_TABLE, table, overwrite=True)
            self._listed = table

    def export(
        self,
        folder: Path,
        model: Aligner,
        truths: Mapping[str, Document],
        progress: Mapping[str, Any],
        *,
        report: bool,
    ) -> None:
        """Write model, files, progress and, where asked for, a page; see `Session.export`."""
        _make(folder)
        model.save(folder / "model.align")
        for name, document in truths.items():
            self.write(name, self.content(name, document), folder / "confirmed")
        atomic_write(folder / "progress.json", json.dumps(progress, indent=2), overwrite=True)
        if report and truths:
            from align.show.page import Recording, write_page

            shown = []
            for name, document in truths.items():
                found = document.alignment(self._tasks[name].audio)
                above, _, stem = name.rpartition("/")
                phones = getattr(found, "phones", found)
                shown.append(Recording(phones, name, stem=stem, folder=above))
            write_page(shown, folder / "report.html", overwrite=True)


def writable(work: Work, tasks: Sequence[Task]) -> tuple[list[Task], list[tuple[str, str]]]:
    """Return the recordings whose files can be written, and those that cannot, with the reason."""
    suffix = work.formats[work.default_format]
    taken = [task for task in tasks if f"{task.name}{suffix}" == CONFIRMED_TABLE]
    why = f"would be written over {CONFIRMED_TABLE}, the list of what is confirmed; rename it."
    return [task for task in tasks if task not in taken], [(task.audio, why) for task in taken]


def _make(folder: Path) -> None:
    with data_errors("cannot be made", folder):
        folder.mkdir(parents=True, exist_ok=True)
