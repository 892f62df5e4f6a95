"""Labels against labels: how well any aligner's results agree with a reference.

Conventions
-----------
* Files of two trees belong together where their paths are the same from the top, up to the suffix
  and to upper and lower case.
* Labels are compared in order. Where the sequences differ, as many labels are matched as can be
  (a longest common subsequence: the edit distance of insertions and deletions), and among as many
  those that are nearest in time. Only matched labels have a boundary to compare; the others are
  counted.
* All spellings of silence (``sil``, ``sp``, ``pau``, ``h#``, ``""``) are one. Neighbours with one
  label, such as a phone map makes of ``kcl k``, stay apart unless `merge` joins them: the joined
  event begins where the first did.
* Errors are those of `align.evaluation.report`.
"""

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import AlignError, DataError, ParameterError, error_reason
from align.evaluation.report import FileResult, Report, Score
from align.formats.files import read_labels
from align.formats.labels import Labels
from align.formats.table import LABEL_FORMATS
from align.types import SILENCE, SILENCES

__all__ = [
    "TreeEvaluation",
    "evaluate_labels",
    "match_labels",
]

Progress = Callable[[str, int, int], None]

_MOST_CELLS = 5 * 10**7
_ROUNDING = 1e-9
_OTHER, _START = "(other)", "(start)"
_PREFERRED = (".phn", ".textgrid", ".lab", ".csv", ".tsv", ".json", ".ctm", ".wrd", ".txt")


def match_labels(
    labels: Sequence[str],
    times: npt.ArrayLike,
    reference: Sequence[str],
    reference_times: npt.ArrayLike,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Match the labels of two sequences, in order: as many as can be, the nearest in time.

    Parameters
    ----------
    labels, reference : sequence of str, length N and M
        What occurs.
    times, reference_times : array_like [shape=(N,)], [shape=(M,)]
        When each begins, in seconds.

    Returns
    -------
    mine, theirs : np.ndarray [shape=(L,), dtype=intp]
        Places of the matched labels in `labels` and in `reference`, increasing.

    Raises
    ------
    ParameterError
        If the sequences differ and are too long to be matched.

    Examples
    --------
    >>> mine, theirs = match_labels(["a", "b", "b"], [0.0, 1.0, 2.0], ["a", "b"], [0.0, 1.9])
    >>> mine.tolist(), theirs.tolist()
    ([0, 2], [0, 1])
    """
    n, m = len(labels), len(reference)
    if list(labels) == list(reference):
        everyone = np.arange(n, dtype=np.intp)
        return everyone, everyone
    if n * m > _MOST_CELLS:
        raise ParameterError(
            f"sequences of {n} and {m} labels differ and are too long to be matched; cut the "
            "recording into parts."
        )
    codes = {label: code for code, label in enumerate({*labels, *reference})}
    a = np.array([codes[label] for label in labels], dtype=np.intp)
    b = np.array([codes[label] for label in reference], dtype=np.intp)
    s = np.asarray(times, dtype=np.float64)
    t = np.asarray(reference_times, dtype=np.float64)
    # A match counts 1 less its distance in time, which over all matches stays below 1/2.
    reach = max(1e-9, *(float(np.ptp(x)) for x in (s, t) if x.size), float(_gap(s, t)))
    price = 0.5 / (max(1, min(n, m)) * reach * 2.0)
    best = np.zeros((n + 1, m + 1))
    for i in range(n):
        gain = np.where(b == a[i], 1.0 - price * np.abs(t - s[i]), -np.inf)
        row = np.maximum(best[i, 1:], best[i, :-1] + gain)
        np.maximum.accumulate(row, out=best[i + 1, 1:])
    pairs = []
    i, j = n, m
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    found = np.array(pairs[::-1], dtype=np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _gap(s: npt.NDArray[np.float64], t: npt.NDArray[np.float64]) -> float:
    return max(float(abs(s[-1] - t[0])), float(abs(t[-1] - s[0]))) if s.size and t.size else 0.0


# A tree of labels against another ---------------------------------------------------------------


@dataclass(frozen=True)
class TreeEvaluation:
    """How well the labels of one tree of files agree with those of another.

    Parameters
    ----------
    report : Report
        Errors at the matched boundaries.
    results : tuple of FileResult
        The matched boundaries of each file.
    matched : int
        Labels of the reference that were matched.
    missing, extra : int
        Labels of the reference that were not, and labels of the system that were not.
    """

    report: Report
    results: tuple[FileResult, ...] = field(repr=False)
    matched: int
    missing: int
    extra: int

    def counts(self) -> str:
        """Say what could not be matched, if anything; begins with an empty line."""
        if not (self.missing or self.extra):
            return ""
        total = self.matched + self.missing
        share = 100.0 * self.matched / total if total else 0.0
        return (
            f"\n\n{self.matched} of {total} labels of the reference are matched ({share:.1f} %); "
            f"{self.extra} of the system have no counterpart. Only boundaries of matched labels "
            "are scored."
        )

    def __str__(self) -> str:
        return f"{self.report}{self.counts()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON can hold it, with ``matched``, ``missing``, ``extra``."""
        return {
            **self.report.to_dict(),
            "matched": self.matched,
            "missing": self.missing,
            "extra": self.extra,
        }


def evaluate_labels(
    system: str | os.PathLike[str],
    reference: str | os.PathLike[str],
    *,
    phone_map: Mapping[str, str] | None = None,
    classes: Mapping[str, str] | None = None,
    tier: str | None = None,
    reference_tier: str | None = None,
    merge: bool = False,
    rate: float | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> TreeEvaluation:
    """Score label files against reference label files; no model is needed.

    Parameters
    ----------
    system, reference : path
        Two trees of label files, or two label files.
    phone_map : mapping of str to str, optional
        Applied to the labels of both; a label that is not in it stands for itself.
    classes : mapping of str to str, optional
        Class of each (mapped) label, for the breakdown by class of boundary; by default the
        classes of TIMIT's phones.
    tier, reference_tier : str, optional
        Tier to read of the TextGrids of either tree; by default the one that holds the phones.
    merge : bool
        Join neighbours with the same (mapped) label into one event.
    rate : float, optional
        Sampling rate of TIMIT files in Hz; by default 16000.
    encoding : str, optional
        Of the files; by default UTF-8 or UTF-16, whichever each is.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    TreeEvaluation
        Files of the reference that the system lacks, or that cannot be read, are among the
        `failed` of its report.

    Raises
    ------
    DataError
        If there is no such tree, or the two have no file in common.
    """
    mine, theirs = _files(system), _files(reference)
    if os.path.isfile(system) and os.path.isfile(reference):
        mine, theirs = {"": os.fspath(system)}, {"": os.fspath(reference)}
    common = [key for key in theirs if key in mine]
    if not common:
        raise DataError(
            f"has no label file of the same path and name as one in {os.fspath(system)}.",
            path=os.fspath(reference),
        )
    if classes is None:
        from align.formats.phone_map import read_phone_map

        classes = read_phone_map("timit_classes")
    results: list[FileResult] = []
    failed = [
        (theirs[key], f"has no counterpart in {os.fspath(system)}.")
        for key in theirs
        if key not in mine
    ]
    booked: dict[str, list[float]] = {}
    counts = np.zeros(3, dtype=int)
    for done, key in enumerate(common, start=1):
        try:
            found = _read(mine[key], tier, rate, phone_map, merge, encoding)
            truth = _read(theirs[key], reference_tier, rate, phone_map, merge, encoding)
            i, j = match_labels(found[0], found[1], truth[0], truth[1])
        except AlignError as error:
            failed.append((theirs[key], error_reason(error, theirs[key])))
            continue
        counts += [len(j), len(truth[0]) - len(j), len(found[0]) - len(i)]
        name = key or os.path.basename(theirs[key])
        labels = [truth[0][k] for k in j]
        if len(j):
            results.append(FileResult(name, labels, truth[1][j], found[1][i], truth[2]))
        else:
            failed.append((theirs[key], "none of its labels is among those of the system."))
        _book(booked, truth[0], truth[1], j, found[1][i], classes)
        if progress is not None:
            progress("comparing", done, len(common))
    report = Report.from_files(results, failed=failed)
    order = sorted(booked, key=lambda pair: (-len(booked[pair]), pair))
    report = replace(report, per_class={pair: Score.from_errors(booked[pair]) for pair in order})
    return TreeEvaluation(report, tuple(results), *map(int, counts))


def _book(
    booked: dict[str, list[float]],
    labels: Sequence[str],
    times: npt.NDArray[np.float64],
    places: npt.NDArray[np.intp],
    found: npt.NDArray[np.float64],
    classes: Mapping[str, str],
) -> None:
    """Book each error under the classes on either side of the boundary in the reference."""
    for k, time in zip(places.tolist(), found.tolist(), strict=True):
        if k == 0 and abs(times[0]) <= _ROUNDING:
            continue
        before = classes.get(labels[k - 1], _OTHER) if k else _START
        pair = f"{before} -> {classes.get(labels[k], _OTHER)}"
        booked.setdefault(pair, []).append(time - float(times[k]))


def _files(root: str | os.PathLike[str]) -> dict[str, str]:
    """Label files of a tree by their path from the top, without the suffix."""
    top = os.fspath(root)
    if not os.path.exists(top):
        raise DataError("does not exist; check the name.", path=top)
    found: dict[str, str] = {}
    for folder, inner, names in os.walk(top):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            stem, suffix = os.path.splitext(name)
            if name.startswith(".") or suffix.lower() not in LABEL_FORMATS:
                continue
            key = os.path.relpath(os.path.join(folder, stem), top).replace(os.sep, "/").casefold()
            other = found.get(key)
            if other is None or _rank(suffix) < _rank(os.path.splitext(other)[1]):
                found[key] = os.path.join(folder, name)
    return found


def _rank(suffix: str) -> int:
    return _PREFERRED.index(suffix.lower())


def _read(
    path: str,
    tier: str | None,
    rate: float | None,
    phone_map: Mapping[str, str] | None,
    merge: bool,
    encoding: str | None,
) -> tuple[list[str], npt.NDArray[np.float64], float]:
    """Return the mapped labels of a file, when they begin, and where the last one ends."""
    read: Labels = read_labels(path, tier=tier, rate=rate, encoding=encoding)
    mapping = phone_map or {}
    labels = []
    for label in read.labels:
        label = mapping.get(label, label)
        labels.append(SILENCE if label in SILENCES else label)
    keep = np.ones(len(labels), dtype=bool)
    if merge:
        keep[1:] = [a != b for a, b in itertools.pairwise(labels)]
    kept = [label for label, k in zip(labels, keep.tolist(), strict=True) if k]
    return kept, read.onsets[keep], read.end
