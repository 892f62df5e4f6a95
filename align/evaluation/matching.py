"""Labels against labels: how well any aligner's results agree with a reference.

Conventions
-----------
* Files of two trees belong together where their paths are the same from the top, up to the suffix
  and to upper and lower case.
* Labels are compared in order. Where the sequences differ, as many labels are matched as can be
  (a longest common subsequence: the edit distance of insertions and deletions), and among as many
  those that are nearest in time. Only matched labels have a boundary to compare; the others are
  counted.
* Words (a tier called ``words``) are compared without upper and lower case; TIMIT's ``.wrd`` files
  hold them, and overlap at times: a word then ends where the next begins.
* Where fewer than a quarter of the labels are matched, of the side that has fewer, nothing is
  scored: the sides have other labels.
* All spellings of silence (``sil``, ``sp``, ``pau``, ``h#``, ``""``) are one. Neighbours with one
  label, such as a phone map makes of ``kcl k``, stay apart unless `merge` joins them: the joined
  event begins where the first did.
* Errors are those of `align.evaluation.report`.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from align.errors import AlignError, DataError, ParameterError, error_reason
from align.evaluation.file_result import FileResult
from align.evaluation.label_classes import classes_of
from align.evaluation.label_trees import Found, Wanted, label_files
from align.evaluation.report import Report, by_frequency, class_pair
from align.evaluation.scores import ROUNDING, Score
from align.evaluation.tree_evaluation import TreeEvaluation
from align.progress import Progress, counted
from align.types import SILENCES, Float64, IntArray

_MOST_CELLS = 5 * 10**7
_FEWEST = 0.25  # share of the labels of the side with fewer that must be matched


def match_labels(
    labels: Sequence[str],
    times: npt.ArrayLike,
    reference: Sequence[str],
    reference_times: npt.ArrayLike,
) -> tuple[IntArray, IntArray]:
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


def _gap(s: Float64, t: Float64) -> float:
    return max(float(abs(s[-1] - t[0])), float(abs(t[-1] - s[0]))) if s.size and t.size else 0.0


# A tree of labels against another ---------------------------------------------------------------


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
        Class of each (mapped) label, for the breakdown by class of boundary; by default
        those of TIMIT's phones or of IPA, where nine in ten labels have one.
    tier, reference_tier : str, optional
        Tier to read of the TextGrids of either tree; by default the one that holds the phones.
        With ``words`` of the system, words are read of the reference as well.
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
        If there is no such tree, or the two have no file, or hardly a label, in common.
    """
    names = tier if reference_tier is None and Wanted(tier).words else reference_tier
    options = (phone_map or {}, merge, rate, encoding)
    ours, truly = Wanted(tier, *options), Wanted(names, *options)
    mine, theirs = label_files(system, ours.words), label_files(reference, truly.words)
    if os.path.isfile(system) and os.path.isfile(reference):
        mine, theirs = {"": os.fspath(system)}, {"": os.fspath(reference)}
    common = [key for key in theirs if key in mine]
    if not common:
        raise DataError(
            f"has no label file of the same path and name as one in {os.fspath(system)}.",
            path=os.fspath(reference),
        )
    lacking = f"has no counterpart in {os.fspath(system)}."
    failed = [(theirs[key], lacking) for key in theirs if key not in mine]
    matches: list[_Match] = []
    for key in counted(common, progress, "comparing"):
        try:
            found, truth = ours.read(mine[key]), truly.read(theirs[key])
            i, j = match_labels(found.labels, found.onsets, truth.labels, truth.onsets)
        except AlignError as error:
            failed.append((theirs[key], error_reason(error, theirs[key])))
            continue
        matches.append(_Match(key or os.path.basename(theirs[key]), found, truth, i, j))
        if not len(j):
            failed.append((theirs[key], "none of its labels is among those of the system."))
    _check_shared(matches, os.fspath(system), os.fspath(reference))
    if classes is None and not truly.words:
        classes = classes_of(label for match in matches for label in match.truth.labels)
    results = tuple(match.result() for match in matches if len(match.theirs))
    report = replace(
        Report.from_files(results, failed=failed), per_class=_per_class(matches, classes or {})
    )
    matched = sum(len(match.theirs) for match in matches)
    missing = sum(len(match.truth.labels) for match in matches) - matched
    extra = sum(match.extra(silent=not truly.words) for match in matches)
    what = "words" if truly.words else "labels"
    return TreeEvaluation(report, results, matched, missing, extra, what)


class _Match(NamedTuple):
    """The labels of a file, those of the reference, and which of them belong together."""

    name: str
    found: Found
    truth: Found
    mine: IntArray
    theirs: IntArray

    def result(self) -> FileResult:
        labels = [self.truth.labels[k] for k in self.theirs.tolist()]
        true, predicted = self.truth.onsets[self.theirs], self.found.onsets[self.mine]
        return FileResult(self.name, labels, true, predicted, self.truth.end)

    def extra(self, *, silent: bool) -> int:
        """Return how many labels of the system are unmatched; of words, without silences."""
        left = np.delete(np.array(self.found.labels, dtype=object), self.mine)
        return sum(silent or label not in SILENCES for label in left)


def _check_shared(matches: Sequence[_Match], system: str, reference: str) -> None:
    """Refuse to score labels that are hardly the same: an error of a few says nothing of all."""
    matched = sum(len(match.theirs) for match in matches)
    theirs = Counter(label for match in matches for label in match.truth.labels)
    mine = Counter(label for match in matches for label in match.found.labels)
    fewer = min(theirs.total(), mine.total())
    if not matches or matched >= _FEWEST * fewer:
        return
    raise DataError(
        f"only {matched} of {theirs.total()} labels ({100 * matched / theirs.total():.1f} %) are "
        f"among those of {system}, too few to be scored; the one has {_most(theirs, mine)}, the "
        f"other {_most(mine, theirs)}. Bring them together with a phone map (--phone-map), or "
        "name the tiers (--tier, --reference-tier).",
        path=reference,
    )


def _most(counts: Counter[str], other: Counter[str]) -> str:
    """Name the most frequent labels that the other side lacks."""
    own = [label for label, _ in counts.most_common() if label not in other]
    return ", ".join(map(repr, own[:3])) or "others"


def _per_class(matches: Sequence[_Match], classes: Mapping[str, str]) -> dict[str, Score]:
    """Book errors under the classes on either side of each boundary in the reference."""
    if not classes:
        return {}
    booked: dict[str, list[float]] = {}
    for _, found, truth, mine, theirs in matches:
        for k, time in zip(theirs.tolist(), found.onsets[mine].tolist(), strict=True):
            if k == 0 and abs(truth.onsets[0]) <= ROUNDING:
                continue
            pair = class_pair(truth.labels, k, classes)
            booked.setdefault(pair, []).append(time - float(truth.onsets[k]))
    return by_frequency(booked)
