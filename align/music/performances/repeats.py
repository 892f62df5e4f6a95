"""Which repeats of a score in notation were played.

A player may take each repeat or leave it, and often leaves those that a *da capo* leads to again.
The ways through a score are two to the power of its repeats. The recording is aligned coarsely
with all taken and with none; from the better of the two, each repeat in turn is changed and kept
changed where that fits better, until no change does, and none of two at once. Each look is a
coarse alignment, a hundredth of the length of the recording or less.
"""

import os
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import PurePath
from typing import TypeVar

from align.errors import DataError, ParameterError
from align.formats.scores.score import Score, score_of_rows
from align.formats.scores.score_partitura import NOTATION_SUFFIXES, Notation
from align.progress import Progress, of_stage

_ASKED = re.compile(r"auto|all|none|[yn]+")
_SWEEPS = 3  # over all repeats; the second finds nothing where repeats do not hang together

_T = TypeVar("_T")


def check_repeats(repeats: str) -> None:
    """Raise ParameterError where `repeats` is not "auto", "all", "none" or letters y and n."""
    if not isinstance(repeats, str) or not _ASKED.fullmatch(repeats):
        raise ParameterError(
            f"repeats={repeats!r}, must be 'auto', 'all', 'none', or a letter y or n for each "
            "repeat, such as 'yn'."
        )


def is_notation(score: object) -> bool:
    """Whether this is the path of a score that may have repeat signs."""
    return (
        isinstance(score, str | os.PathLike)
        and PurePath(score).suffix.lower() in NOTATION_SUFFIXES
    )


class FoldedScore:
    """A score in notation with its repeats still to be decided; DataError where it cannot be read.

    `n_repeats` is how many times the player may go back or go on; see
    `align.formats.scores.score_partitura`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._notation = Notation(path)
        self._path = os.fspath(path)
        self.n_repeats = self._notation.n_repeats

    def unfolded(self, repeats: str) -> Score:
        """Return the score as it is played, with the letters of its repeats.

        `repeats` is "all", "none", or a letter for each repeat in the order of playing, y where it
        is taken and n where it is not. Raises DataError where the letters are more or fewer than
        the repeats, or there is no note.
        """
        if repeats in ("all", "none"):
            repeats = self.n_repeats * ("y" if repeats == "all" else "n")
        if len(repeats) != self.n_repeats:
            raise DataError(
                f"has {self.n_repeats or 'no'} repeats to take or to leave, and {repeats!r} says "
                f"it of {len(repeats)}; give a letter for each.",
                path=self._path,
            )
        taken = [letter == "y" for letter in repeats]
        rows, beats = self._notation.rows(taken)
        times = self._notation.repeat_times(taken).tolist()
        return score_of_rows(
            rows,
            self._path,
            repeats=repeats,
            repeat_times=times,
            beats=beats,
            notices=self._notation.notices,
        )


def best_way(
    score: FoldedScore,
    fit: Callable[[Score], _T],
    cost: Callable[[_T], float],
    progress: Progress | None = None,
) -> _T:
    """Return what `fit` returned for the way through a score of least `cost`.

    `fit` raises DataError for a way that cannot be right (too long, say), and so does this where
    none can be. `progress` is called with the ways tried, and how many they may become.
    """
    seen: dict[str, _T | None] = {}
    reasons: list[DataError] = []

    def at(way: str) -> float:
        if way not in seen:
            try:
                seen[way] = fit(score.unfolded(way))
            except DataError as error:
                seen[way] = None
                reasons.append(error)
            report(min(len(seen), most), most)
        found = seen[way]
        return float("inf") if found is None else cost(found)

    n = score.n_repeats
    report = of_stage(progress, "trying repeats") or (lambda done, total: None)
    most = 2 + n * _SWEEPS
    best = min(("y" * n, "n" * n), key=at)
    for _ in range(_SWEEPS if n > 1 else 0):
        before = best
        for k in range(n):
            best = min((best, _changed(best, k)), key=at)
        if best == before:  # the wrong one may have been changed, where two are as long
            for pair in combinations(range(n), 2):
                if best[pair[0]] != best[pair[1]]:
                    best = min((best, _changed(best, *pair)), key=at)
        if best == before:
            break
    report(most, most)
    found = seen[best]
    if found is None:
        raise reasons[0]
    return found


def _changed(way: str, *places: int) -> str:
    """Return the letters of a way, with the other one at some places."""
    return "".join("yn"[(c == "y") ^ (k not in places)] for k, c in enumerate(way))
