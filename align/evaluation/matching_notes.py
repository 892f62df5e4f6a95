"""Notes against notes: how well results for music agree with the truth of their pieces.

Conventions
-----------
* A piece of the reference is a folder with ``truth.csv``, a file such as ``minuet.truth.csv``, or
  else a table or JSON file of aligned notes. Its name is the path of the folder, or of the file
  without its suffix.
* The result for a piece has that path, up to the suffix and to upper and lower case; or it is the
  only file of aligned notes in the folder of that path.
* A row of the truth is of the note of its pitch that is nearest in score time, within 20 ms. Rows
  of equal pitch and onset go to such notes in turn. Rows without a note are counted.
* Errors are those of `align.evaluation.report`, for music.
"""

import os
from collections import defaultdict

import numpy as np

from align.errors import DataError
from align.evaluation.file_result import FileResult
from align.evaluation.piece_files import PieceFiles
from align.evaluation.report import Report
from align.evaluation.tree_evaluation import TreeEvaluation
from align.formats.music_files import read_music
from align.formats.scores.score_table import read_truth_rows
from align.formats.table import is_music
from align.progress import Progress
from align.types import pitch_name

_Path = str | os.PathLike[str]

TRUTH = "truth.csv"
_NEAR = 0.02  # seconds of the score
_SUFFIXES = (".csv", ".tsv", ".json")  # of results that know their score


def holds_notes(reference: _Path) -> bool:
    """Whether a file or tree is of pieces of music rather than of labels."""
    return bool(_PIECES.truths(os.fspath(reference)))


def evaluate_notes(
    system: _Path, reference: _Path, *, progress: Progress | None = None
) -> TreeEvaluation:
    """Score files of aligned notes against the true times of their pieces; no model is needed.

    `system` and `reference` are two trees or two files, see the module's docstring; `progress` is
    called with a stage, how much of it is done, and how much there is. Pieces that the system
    lacks, or that cannot be read, are among the `failed` of the report. Raises DataError where
    there is no such tree, or the two have no piece in common.
    """
    none = (
        "has no piece whose name is that of a result in {system}: a.csv or a/....csv is the "
        "result for the piece a/truth.csv."
    )
    scored, failed = _PIECES.compare(system, reference, _scored, none, progress)
    results = [result for result, _ in scored.values()]
    counts = np.array([own for _, own in scored.values()], dtype=int).reshape(-1, 3)
    report = Report.from_files(results, kind="music", failed=failed)
    matched, missing, extra = counts.sum(axis=0).tolist()
    return TreeEvaluation(report, tuple(results), matched, missing, extra, "notes")


def _scored(name: str, path: str, truth: str) -> tuple[FileResult, list[int]]:
    """Return the errors of a piece, and how many notes were matched, are missing and left over."""
    notes, places = read_music(path), defaultdict(list)
    for k, note in enumerate(notes.notes):
        places[note.pitch].append(k)
    used = np.zeros(len(notes.notes), dtype=np.intp)
    rows = _true_rows(truth)
    index, true = [], []
    for pitch, onset, time in rows:
        near = [k for k in places[pitch] if abs(notes.notes[k].onset - onset) <= _NEAR]
        if near:
            place = min(near, key=lambda k: (used[k], abs(notes.notes[k].onset - onset)))
            used[place] += 1
            index.append(place)
            true.append(time)
    if not index:
        raise DataError("none of its notes is among those of the system.", path=truth)
    shown = name or os.path.basename(os.path.dirname(os.path.abspath(truth)))
    result = FileResult(
        shown,
        [pitch_name(notes.notes[k].pitch) for k in index],
        np.array(true),
        np.asarray(notes.onsets)[index],
        chord=notes.chord_of[index],
        collection=shown.rpartition("/")[0],
    )
    return result, [len(index), len(rows) - len(index), int((used == 0).sum())]


def _true_rows(path: str) -> list[tuple[int, float, float]]:
    """Return of each note that was played its pitch, and when it is written and was played."""
    if path.lower().endswith(".json"):
        found = read_music(path)
        pairs = zip(found.events, found.onsets.tolist(), strict=True)
        return [(note.pitch, note.onset, time) for note, time in pairs]
    return [(row.pitch, row.onset, time) for row, time, _ in read_truth_rows(path)]


def _of_notes(folder: str, names: list[str]) -> list[str]:
    """Return the files that hold notes with their times, the preferred format first."""
    found = [
        name
        for suffix in _SUFFIXES
        for name in names
        if name.lower().endswith(suffix)
        and not name.startswith(".")
        and not name.lower().endswith((".tempo.csv", ".sv.csv"))
    ]
    return [name for name in found if is_music(os.path.join(folder, name))]


_PIECES = PieceFiles(
    _of_notes,
    lambda name: f".{name.lower()}".endswith(f".{TRUTH}"),
    lambda name: os.path.splitext(name)[0],
)
