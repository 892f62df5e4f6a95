"""The files of a session: what is confirmed, the list of it, and exports."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from align.batch.tasks import Task
from align.errors import data_errors
from align.files.atomic import atomic_write, remove_stale
from align.files.kept import CONFIRMED_TABLE
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

    def _path(self, name: str, folder: Path) -> Path:
        return folder / f"{name}{self._work.formats[self._work.default_format]}"

    def write(self, name: str, document: Document, folder: Path | None = None) -> None:
        """Write the file of a recording, whole or not at all."""
        path = self._path(name, folder or self._out)
        _make(path.parent)
        self._work.write(document.alignment(self._tasks[name].audio), str(path))

    def remove_stale(self) -> None:
        """Remove what a process that was killed had begun to write."""
        remove_stale({self._out, *(self._path(name, self._out).parent for name in self._tasks)})

    def write_missing(self, truths: Mapping[str, Document]) -> None:
        """Write the files of confirmed recordings that are not there; others may be a person's."""
        for name, document in truths.items():
            if not self._path(name, self._out).exists():
                self.write(name, document)
        self.write_manifest(truths)

    def write_manifest(self, truths: Mapping[str, Document]) -> None:
        """Write which recordings are confirmed, as `align.read_corpus` takes it."""
        is_music = self._work.kind == "music"
        rows = [["audio", *(["score", "truth"] if is_music else ["labels"]), "group"]]
        for name in truths:
            task = self._tasks[name]
            files = [task.audio, *([task.source] if is_music else [])]
            paths = [os.path.relpath(path, self._out) for path in files]
            labels = os.path.relpath(self._path(name, self._out), self._out)
            rows.append([*paths, labels, task.group or ""])
        atomic_write(self._out / CONFIRMED_TABLE, table_of_rows(rows), overwrite=True)

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
            self.write(name, document, folder / "confirmed")
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


def _make(folder: Path) -> None:
    with data_errors("cannot be made", folder):
        folder.mkdir(parents=True, exist_ok=True)
