"""How well predicted onsets agree with true ones.

Conventions
-----------
* The error of a boundary is ``predicted - true``, in milliseconds in every result: positive where
  the prediction is late.
* A boundary is *within* a tolerance where ``|error| <= tolerance`` (plus 1e-9 s, so that rounding
  does not decide). Percentages are of all boundaries together, not means over files.
* Every event's start is scored, with one exception: in speech, the first event of a file whose
  true start is 0, which no one has to find. In music every note that was played is scored, with
  each of its true times where it has several.
* Where the files of a corpus of music lie in several folders, each such *set* has its own figures:
  among them the mean over pieces of their mean error and the median of their median error, so that
  long pieces do not count for more.
* Errors are booked under the label that starts at the boundary, and, where labels have classes,
  under ``class before -> class``.
* The real-time factor is the time spent divided by the length of the audio.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, tables 9.1 and 9.2.
"""

import html
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from align.errors import ParameterError, plural
from align.evaluation.file_result import FileResult
from align.evaluation.mir_metrics import METRICS, alignment_metrics
from align.evaluation.report_text import (
    costliest,
    html_table,
    set_table,
    short_names,
    text_table,
    wording_of,
)
from align.evaluation.scores import ROUNDING, Score, SetScore, or_none
from align.files.atomic import atomic_write
from align.formats.documents.writing import json_text
from align.types import Float64

START = "(start)"
OTHER = "(other)"
_WORST = 10
_HEADS = {"label": "label", "class": "class of boundary", "file": "file"}


@dataclass(frozen=True)
class Report:
    """Errors over a corpus: overall, per file, per label and per class of boundary.

    Parameters
    ----------
    kind : str
        ``speech`` or another kind of aligner.
    overall : Score
        All boundaries together.
    per_file : dict of str to Score
        In the order they were given.
    per_label : dict of str to Score
        By the label that starts at the boundary, the most frequent first.
    per_class : dict of str to Score
        By ``class before -> class``, the most frequent first; empty without classes.
    failed : sequence of (str, str)
        Files that could not be used, and why.
    real_time_factor : float
        Time spent divided by length of audio; NaN where unknown.
    per_set : dict of str to SetScore
        Of music: by the folder the pieces lie in; ``(all)`` where there is but one.
    mir_eval : dict of str to float
        The metrics of ``mir_eval.alignment``, means over recordings; see
        `align.evaluation.mir_metrics`.
    results : sequence of FileResult
        What it was made of, for `align.evaluation.comparison.compare`; not in JSON.

    Examples
    --------
    >>> result = FileResult("a.wav", ["sil", "k", "iy"], [0.0, 0.10, 0.16], [0.0, 0.105, 0.19])
    >>> report = Report.from_files([result])
    >>> report.boundaries, report.within_ms["10"]
    (2, 50.0)
    """

    kind: str
    overall: Score
    per_file: dict[str, Score] = field(repr=False)
    per_label: dict[str, Score] = field(repr=False)
    per_class: dict[str, Score] = field(repr=False)
    failed: tuple[tuple[str, str], ...] = ()
    real_time_factor: float = math.nan
    per_set: dict[str, SetScore] = field(default_factory=dict, repr=False)
    mir_eval: dict[str, float] = field(default_factory=dict, repr=False)
    results: tuple[FileResult, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def from_files(
        cls,
        files: Iterable[FileResult],
        kind: str = "speech",
        *,
        failed: Iterable[tuple[str, str]] = (),
        classes: Mapping[str, str] | None = None,
    ) -> Self:
        """Compare predicted with true onsets.

        Parameters
        ----------
        files : iterable of FileResult
            The recordings.
        kind : str
            ``speech`` leaves out a first event that truly starts at 0.
        failed : iterable of (str, str)
            Files that could not be used, and why.
        classes : mapping of str to str, optional
            Class of each label; a label without one counts as ``(other)``.

        Returns
        -------
        Report
        """
        files = tuple(files)
        wording = wording_of(kind)
        all_errors: list[Float64] = []
        per_file: dict[str, Score] = {}
        labels: dict[str, list[float]] = {}
        pairs: dict[str, list[float]] = {}
        sets: dict[str, list[Float64]] = {}
        metrics: list[list[float]] = []
        seconds = elapsed = 0.0
        for result in files:
            error = result.predicted - result.true
            begins = error.size > 0 and abs(result.true[0]) <= ROUNDING
            first = int(wording.skips_start and begins)
            all_errors.append(error[first:])
            per_file[_new_key(result.name, per_file)] = Score.from_errors(error[first:])
            sets.setdefault(result.collection, []).append(error[first:])
            found = alignment_metrics(
                result.true[first:],
                result.predicted[first:],
                None if result.chord is None else result.chord[first:],
            )
            metrics.append([found[name] for name in METRICS])
            for k in range(first, error.size):
                label = result.labels[k]
                labels.setdefault(label, []).append(float(error[k]))
                if classes is not None:
                    pair = class_pair(result.labels, k, classes)
                    pairs.setdefault(pair, []).append(float(error[k]))
            seconds += result.seconds
            elapsed += result.elapsed
        return cls(
            kind,
            Score.from_errors(np.concatenate(all_errors) if all_errors else []),
            per_file,
            by_frequency(labels),
            by_frequency(pairs),
            tuple((str(name), str(reason)) for name, reason in failed),
            elapsed / seconds if seconds > 0 else math.nan,
            _per_set(sets) if wording.metrics else {},
            {name: _mean([row[i] for row in metrics]) for i, name in enumerate(METRICS)},
            files,
        )

    @property
    def files(self) -> int:
        """How many recordings were scored."""
        return len(self.per_file)

    @property
    def boundaries(self) -> int:
        """How many boundaries were scored."""
        return self.overall.boundaries

    @property
    def within_ms(self) -> dict[str, float]:
        """Percentage of all boundaries within each tolerance, ``"10"`` to ``"100"`` ms."""
        return self.overall.within_ms

    @property
    def mean_abs_ms(self) -> float:
        """Mean size of the error in milliseconds."""
        return self.overall.mean_abs_ms

    @property
    def median_abs_ms(self) -> float:
        """Median size of the error in milliseconds."""
        return self.overall.median_abs_ms

    @property
    def bias_ms(self) -> float:
        """Mean error in milliseconds; positive where predictions are late."""
        return self.overall.bias_ms

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON can hold it; NaN is None.

        Returns
        -------
        dict
            ``kind``, ``files``, ``boundaries``, ``within_ms``, ``mean_abs_ms``,
            ``median_abs_ms``, ``bias_ms``, ``real_time_factor``, ``per_file`` (list, each with
            ``file``), ``per_label``, ``per_class``, ``failed`` (list of ``file``, ``reason``),
            ``mir_eval`` and, of music, ``per_set``.
        """
        return {
            "kind": self.kind,
            "files": self.files,
            **self.overall.to_dict(),
            "real_time_factor": or_none(self.real_time_factor),
            "per_file": [{"file": n, **score.to_dict()} for n, score in self.per_file.items()],
            "per_label": {label: score.to_dict() for label, score in self.per_label.items()},
            "per_class": {pair: score.to_dict() for pair, score in self.per_class.items()},
            "failed": [{"file": name, "reason": reason} for name, reason in self.failed],
            "mir_eval": {name: or_none(value) for name, value in self.mir_eval.items()},
            **(
                {"per_set": {n: s.to_dict() for n, s in self.per_set.items()}}
                if self.per_set
                else {}
            ),
        }

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write `to_dict` as a JSON file, whole or not at all.

        Parameters
        ----------
        path : path
            The output.
        overwrite : bool
            Replace a file that exists.

        Raises
        ------
        DataError
            If the file exists or cannot be written.
        """
        atomic_write(path, json_text(self.to_dict()), overwrite=overwrite)

    def table(self, by: str) -> str:
        """Return one line of text for each label, class of boundary or file.

        Parameters
        ----------
        by : {"label", "class", "file"}
            What the lines are.

        Returns
        -------
        str

        Raises
        ------
        ParameterError
            If `by` is none of these.
        """
        scores = self._scores(by)
        return text_table(_HEADS[by], scores.items(), wording_of(self.kind).many)

    def brief(self) -> str:
        """Return the figures of all events, and where most of the error lies.

        Returns
        -------
        str
            Classes and labels of fewer than `FEWEST` boundaries, and classes that are not known,
            are not named.
        """
        words = wording_of(self.kind)
        classes = {
            pair: score
            for pair, score in self.per_class.items()
            if OTHER not in pair and START not in pair
        }
        heads = (("class of boundary", classes), (words.label, self.per_label))
        lines = [line for line in (costliest(head, scores) for head, scores in heads) if line]
        if lines:
            lines.insert(0, "Most of the error lies at:")
        whole = replace(self, per_class={}, per_label={})
        return "\n\n".join([str(whole), *(["\n".join(lines)] if lines else [])])

    def _scores(self, by: str) -> dict[str, Score]:
        if by not in _HEADS:
            raise ParameterError(f"by={by!r}, must be 'label', 'class' or 'file'.")
        return {"label": self.per_label, "class": self.per_class, "file": self.per_file}[by]

    def _summary(self) -> str:
        speed = self.real_time_factor
        words = wording_of(self.kind)
        return (
            f"{plural(self.boundaries, words.one)} in {plural(self.files, 'file')}"
            + (f", real-time factor {speed:.4f}" if math.isfinite(speed) else "")
            + (f", {plural(len(self.failed), 'file')} failed" if self.failed else "")
        )

    def __str__(self) -> str:
        words = wording_of(self.kind)
        whole = [(f"all {words.many}", self.overall)]
        parts = [self._summary(), text_table("", whole, words.many)]
        if self.per_set:
            parts.append(set_table(self.per_set))
        if words.recording and self.files > 1:
            rows = short_names(self.per_file).items()
            parts.append(text_table(words.recording, rows, words.many))
        if self.mir_eval and words.metrics:
            values = ", ".join(f"{name} {value:.4f}" for name, value in self.mir_eval.items())
            parts.append(f"mir_eval.alignment (seconds and shares, means over pieces): {values}")
        if self.per_class:
            parts.append(text_table("class of boundary", self.per_class.items()))
        if self.per_label:
            worst = sorted(self.per_label.items(), key=lambda item: -_cost(item[1]))[:_WORST]
            head = words.label if len(self.per_label) <= _WORST else words.costly
            parts.append(text_table(head, worst, words.many))
        if self.failed:
            parts.append("\n".join(["failed:", *(f"  {n}: {why}" for n, why in self.failed)]))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the tables for notebooks."""
        out = [f"<p>{html.escape(self._summary())}</p>", html_table("", {"all": self.overall})]
        if len(self.per_set) > 1:
            out.append(html_table("set", {name: s.all_events for name, s in self.per_set.items()}))
        for by in ("class", "label", "file"):
            scores = self._scores(by)
            if scores:
                inner = html_table(_HEADS[by], scores)
                out.append(f"<details><summary>by {_HEADS[by]}</summary>{inner}</details>")
        if self.failed:
            rows = "".join(f"<li>{html.escape(f'{n}: {why}')}</li>" for n, why in self.failed)
            out.append(f"<p>failed:</p><ul>{rows}</ul>")
        return "".join(out)


def _cost(score: Score) -> float:
    """Sum of the sizes of the errors: what a label costs the whole."""
    return score.boundaries * score.mean_abs_ms


def _per_set(sets: Mapping[str, Sequence[Float64]]) -> dict[str, SetScore]:
    return {name or "(all)": SetScore.from_errors(errors) for name, errors in sorted(sets.items())}


def _mean(values: Sequence[float]) -> float:
    """Mean of the values that are numbers; NaN where none is."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def class_pair(labels: Sequence[str], k: int, classes: Mapping[str, str]) -> str:
    """Return the classes on either side of the boundary in front of label k."""
    before = classes.get(labels[k - 1], OTHER) if k else START
    return f"{before} -> {classes.get(labels[k], OTHER)}"


def by_frequency(errors: Mapping[str, Sequence[float]]) -> dict[str, Score]:
    """Return the score of each name's errors, the most frequent name first."""
    order = sorted(errors, key=lambda name: (-len(errors[name]), name))
    return {name: Score.from_errors(errors[name]) for name in order}


def _new_key(name: str, taken: Mapping[str, Score]) -> str:
    """Return `name`, numbered where another recording already bears it."""
    key, n = name, 1
    while key in taken:
        n += 1
        key = f"{name} ({n})"
    return key
