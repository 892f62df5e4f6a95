"""How one recording of music is found, aligned with its score, and written."""

import copy
import os
from collections.abc import Mapping
from typing import Any

from align.batch.tasks import Task, Work, by_suffix, tasks_of
from align.errors import ParameterError
from align.files.regular import why_missing


class MusicWork(Work):
    """Piece folders: a recording and a score, see `align.corpus.pieces`; no truth is needed.

    Parameters
    ----------
    repeats : {"all", "none", "auto"}, optional
        Which repeats of scores in notation were played, see `align.MusicAligner`; by default what
        the model says.
    channel : int, optional
        Which channel of each recording to take, counted from 1; by default their average.
    """

    kind = "music"
    formats: Mapping[str, str] = {
        **by_suffix("csv tsv mid json txt svl sv.csv tempo.csv"),
        **by_suffix("beats.csv beats.txt beats.svl match jams"),
        "note_alignment": "_note_alignment.tsv",
        "parangonada": ".parangonada.zip",
    }
    default_format = "csv"

    def __init__(self, repeats: str | None = None, channel: int | None = None) -> None:
        if repeats not in (None, "all", "none", "auto"):
            raise ParameterError(f"repeats={repeats!r}, must be 'all', 'none' or 'auto'.")
        self.repeats, self.channel = repeats, channel

    def find(self, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
        """Return the pieces that have a recording and a score, and those that lack one."""
        from align.corpus.pieces import find_pieces

        pieces = find_pieces(root)
        stated = [path for p in pieces for path in (p.audio, p.score) if path]
        gone = {path for path in stated if not os.path.exists(path)}  # a manifest may name it
        whole = [
            (p.stem, p.audio, p.score, p.group, p.others)
            for p in pieces
            if p.audio and not {p.audio, p.score} & gone
        ]
        tasks, problems = tasks_of(
            root, whole, "is its score, of its name or called score", channel=self.channel
        )
        problems += [(path, why_missing(path, "there is no such file.")) for path in sorted(gone)]
        problems += [(p.path, "has no recording in its folder.") for p in pieces if not p.audio]
        return tasks, problems

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording with its score."""
        if self.repeats is not None:
            aligner = copy.copy(aligner).set_params(repeats=self.repeats)
        return aligner.align(task.recording, task.source)

    def write(self, found: Any, path: str) -> None:
        """Write a result in the format that the suffix says."""
        from align.formats.music_files import write_music

        write_music(path, found, overwrite=True)

    def options(self) -> Mapping[str, Any]:
        """Return which repeats are played; what is read is in the digests of the files."""
        options = {"repeats": self.repeats, "channel": self.channel}
        return {name: value for name, value in options.items() if value is not None}
