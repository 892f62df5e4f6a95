"""Beats against beats: the metrics of ``mir_eval.beat``, for trees of files.

Conventions
-----------
* Files of beats are those of `align.formats.notes.beat_table`: what ``align music --beats``
  writes, and annotations with a time on each line. ``truth.beats.csv`` is the truth of its folder.
* The result for a piece has its path, up to the suffix and to upper and lower case; or it is the
  only file of beats in the folder of that path.
* mir_eval computes every metric, under its own names. As there, beats in the first five seconds
  are left out, of both sides. A piece counts once, whatever its length.

mir_eval is optional (``pip install "margin-align[mir]"``). `align.evaluation.mir_metrics` does
without it: it measures single onsets, and needs times that are not sorted.

References
----------
mir_eval, ``mir_eval.beat``; Davies, Degara, Plumbley, "Evaluation methods for musical audio beat
tracking algorithms", 2009.
"""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from align.errors import DataError, plural
from align.evaluation.piece_files import PieceFiles
from align.formats.notes.beat_table import BEAT_SUFFIXES, read_beat_times
from align.progress import Progress
from align.types import Float64

_Path = str | os.PathLike[str]

_FIRST = 5.0  # seconds that mir_eval leaves out
_SHORT = {  # heads of columns, as papers abbreviate them
    "Cemgil Best Metric Level": "best level",
    "Correct Metric Level Continuous": "CMLc",
    "Correct Metric Level Total": "CMLt",
    "Any Metric Level Continuous": "AMLc",
    "Any Metric Level Total": "AMLt",
    "Information gain": "inf. gain",
}
_LONGEST = 30000.0  # seconds; mir_eval refuses later beats


@dataclass(frozen=True)
class BeatEvaluation:
    """The metrics of `mir_eval.beat` for each piece.

    Parameters
    ----------
    per_file : dict of str to dict of str to float
        Of each piece, each metric in [0, 1] under mir_eval's name.
    failed : tuple of (str, str)
        Pieces that the system lacks, or that cannot be read, and why.
    """

    per_file: dict[str, dict[str, float]]
    failed: tuple[tuple[str, str], ...] = field(default=())

    @property
    def means(self) -> dict[str, float]:
        """Mean of each metric over the pieces."""
        names = next(iter(self.per_file.values()), {})
        return {
            name: float(np.mean([scores[name] for scores in self.per_file.values()]))
            for name in names
        }

    def to_dict(self) -> dict[str, Any]:
        """Return ``beats``, the means, ``beats_per_file`` and ``beats_failed``, for JSON."""
        return {
            "beats": self.means,
            "beats_per_file": [{"file": name, **own} for name, own in self.per_file.items()],
            "beats_failed": [{"file": name, "reason": reason} for name, reason in self.failed],
        }

    def table(self) -> str:
        """Return a line of text for each piece, with the metrics as columns."""
        width = max(5, *map(len, self.per_file))
        heads = {name: f"{_SHORT.get(name, name):>6s}" for name in self.means}
        lines = ["  ".join([f"{'piece':{width}s}", *heads.values()])]
        for piece, scores in self.per_file.items():
            cells = [f"{scores[name]:{len(head)}.4f}" for name, head in heads.items()]
            lines.append("  ".join([f"{piece:{width}s}", *cells]))
        return "\n".join(lines)

    def __str__(self) -> str:
        n = len(self.per_file)
        if n == 0:
            return "The beats of no piece could be scored."
        head = f"mir_eval.beat of {plural(n, 'piece')}, without the first {_FIRST:g} s of each"
        rows = [f"  {name:31s} {value:.4f}" for name, value in self.means.items()]
        return "\n".join([f"{head}{', means' if n > 1 else ''}:", *rows])


def holds_beats(reference: _Path) -> bool:
    """Whether a file or tree has files of beats."""
    return bool(_PIECES.truths(os.fspath(reference)))


def evaluate_beats(
    system: _Path, reference: _Path, *, progress: Progress | None = None
) -> BeatEvaluation:
    """Score files of beats against those of a reference; no model is needed.

    `system` and `reference` are two trees or two files, see the module's docstring; `progress` is
    called with a stage, how much of it is done, and how much there is. Raises DataError where
    mir_eval is not installed, there is no such tree, or the two have no piece in common.
    """
    mir_eval_beat = _mir_eval_beat()

    def score(name: str, result: str, truth: str) -> tuple[str, dict[str, float]]:
        scores = mir_eval_beat.evaluate(_beats(truth), _beats(result))
        shown = name or os.path.basename(truth)
        return shown, {metric: float(value) for metric, value in scores.items()}

    none = (
        "has no beats whose name is that of a file in {system}: a.beats.csv is the result for "
        "a.beats.txt, and for a/truth.beats.csv."
    )
    scored, failed = _PIECES.compare(system, reference, score, none, progress)
    return BeatEvaluation(dict(scored.values()), tuple(failed))


def _beats(path: str) -> Float64:
    """Read beats that mir_eval can use: two at least, behind the first seconds."""
    times = read_beat_times(path)
    if times.size and times[-1] > _LONGEST:
        raise DataError(f"has beats after {_LONGEST:g} s, which mir_eval refuses.", path=path)
    if (times >= _FIRST).sum() < 2:
        raise DataError(
            f"has fewer than two beats after {_FIRST:g} s, where mir_eval begins.", path=path
        )
    return times


def _mir_eval_beat() -> Any:
    try:
        import mir_eval.beat
    except ImportError:
        raise DataError(
            "the metrics of beats need mir_eval, which is not installed: pip install "
            '"margin-align[mir]".'
        ) from None
    return mir_eval.beat


def _stem(name: str) -> str:
    """Return the name without the suffix of beats."""
    suffix = next(suffix for suffix in BEAT_SUFFIXES if name.lower().endswith(suffix))
    return name[: -len(suffix)]


def _of_beats(folder: str, names: list[str]) -> list[str]:
    """Return the files of beats, tables first."""
    shown = [name for name in names if not name.startswith(".")]
    return [name for end in BEAT_SUFFIXES for name in shown if name.lower().endswith(end)]


_PIECES = PieceFiles(
    _of_beats,
    lambda name: bool(_of_beats("", [name])) and f".{_stem(name).lower()}".endswith(".truth"),
    _stem,
)
