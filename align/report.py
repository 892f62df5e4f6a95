"""How well predicted onsets agree with true ones.

Conventions
-----------
* The error of a boundary is ``predicted - true``, in milliseconds in every result: positive where
  the prediction is late.
* A boundary is *within* a tolerance where ``|error| <= tolerance`` (plus 1e-9 s, so that rounding
  does not decide). Percentages are of all boundaries together, not means over files.
* Every event's start is scored, with one exception: in speech, the first event of a file whose
  true start is 0, which no one has to find.
* Errors are booked under the label that starts at the boundary, and, where labels have classes,
  under ``class before -> class``.
* The real-time factor is the time spent divided by the length of the audio.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, tables 9.1 and 9.2.
"""

import html
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.formats._atomic import atomic_write

__all__ = ["TOLERANCES_MS", "FileResult", "Report", "Score"]

TOLERANCES_MS = (10, 20, 25, 30, 40, 50, 100)
"""The tolerances of every report, in milliseconds."""

_ROUNDING = 1e-9
_START = "(start)"
_OTHER = "(other)"
_WORST = 10


@dataclass(frozen=True, eq=False)
class FileResult:
    """True and predicted onsets of one recording.

    Parameters
    ----------
    name : str
        What the report calls the recording.
    labels : sequence of str, length K
        Name of each event.
    true : array_like [shape=(K,)]
        True onsets in seconds.
    predicted : array_like [shape=(K,)]
        Predicted onsets in seconds.
    seconds : float
        Length of the audio in seconds; NaN where unknown.
    elapsed : float
        Time spent on it in seconds; NaN where unknown.
    """

    name: str
    labels: Sequence[str]
    true: npt.NDArray[np.float64]
    predicted: npt.NDArray[np.float64]
    seconds: float = math.nan
    elapsed: float = math.nan

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        for which in ("true", "predicted"):
            times = np.asarray(getattr(self, which), dtype=np.float64)
            object.__setattr__(self, which, times)
            if times.shape != (len(self.labels),):
                raise ParameterError(
                    f"{self.name}: {which}.shape={times.shape}, must be "
                    f"(K,)=({len(self.labels)},)."
                )
            if not np.isfinite(times).all():
                raise ParameterError(f"{self.name}: {which} onsets must be finite.")


@dataclass(frozen=True)
class Score:
    """Errors of some boundaries, in milliseconds; NaN where there are none.

    Parameters
    ----------
    boundaries : int
        How many.
    within_ms : dict of str to float
        Percentage of errors within each tolerance; keys ``"10"``, ``"20"`` ... as in JSON.
    mean_abs_ms, median_abs_ms : float
        Mean and median of the size of the error.
    bias_ms : float
        Mean error; positive where predictions are late.
    """

    boundaries: int
    within_ms: dict[str, float]
    mean_abs_ms: float
    median_abs_ms: float
    bias_ms: float

    @classmethod
    def from_errors(cls, errors: npt.ArrayLike) -> Self:
        """Summarise errors [shape=(n,)] in seconds.

        Examples
        --------
        >>> score = Score.from_errors([0.010, -0.030])
        >>> score.within_ms["10"], round(score.mean_abs_ms, 6), round(score.bias_ms, 6)
        (50.0, 20.0, -10.0)
        """
        error = np.asarray(errors, dtype=np.float64)
        if error.size == 0:
            nothing = {str(ms): math.nan for ms in TOLERANCES_MS}
            return cls(0, nothing, math.nan, math.nan, math.nan)
        size = np.abs(error)
        within = {
            str(ms): 100.0 * float((size <= ms / 1000 + _ROUNDING).mean()) for ms in TOLERANCES_MS
        }
        return cls(
            error.size,
            within,
            1000.0 * float(size.mean()),
            1000.0 * float(np.median(size)),
            1000.0 * float(error.mean()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold: NaN is None."""
        return {
            "boundaries": self.boundaries,
            "within_ms": {ms: _or_none(share) for ms, share in self.within_ms.items()},
            "mean_abs_ms": _or_none(self.mean_abs_ms),
            "median_abs_ms": _or_none(self.median_abs_ms),
            "bias_ms": _or_none(self.bias_ms),
        }


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
        all_errors: list[npt.NDArray[np.float64]] = []
        per_file: dict[str, Score] = {}
        labels: dict[str, list[float]] = {}
        pairs: dict[str, list[float]] = {}
        seconds = elapsed = 0.0
        for result in files:
            error = result.predicted - result.true
            first = int(kind == "speech" and error.size > 0 and abs(result.true[0]) <= _ROUNDING)
            all_errors.append(error[first:])
            per_file[_new_key(result.name, per_file)] = Score.from_errors(error[first:])
            for k in range(first, error.size):
                label = result.labels[k]
                labels.setdefault(label, []).append(float(error[k]))
                if classes is not None:
                    before = classes.get(result.labels[k - 1], _OTHER) if k else _START
                    pair = f"{before} -> {classes.get(label, _OTHER)}"
                    pairs.setdefault(pair, []).append(float(error[k]))
            seconds += result.seconds
            elapsed += result.elapsed
        return cls(
            kind,
            Score.from_errors(np.concatenate(all_errors) if all_errors else []),
            per_file,
            _by_frequency(labels),
            _by_frequency(pairs),
            tuple((str(name), str(reason)) for name, reason in failed),
            elapsed / seconds if seconds > 0 else math.nan,
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
            ``file``), ``per_label``, ``per_class`` and ``failed`` (list of ``file``, ``reason``).
        """
        return {
            "kind": self.kind,
            "files": self.files,
            **self.overall.to_dict(),
            "real_time_factor": _or_none(self.real_time_factor),
            "per_file": [{"file": n, **score.to_dict()} for n, score in self.per_file.items()],
            "per_label": {label: score.to_dict() for label, score in self.per_label.items()},
            "per_class": {pair: score.to_dict() for pair, score in self.per_class.items()},
            "failed": [{"file": name, "reason": reason} for name, reason in self.failed],
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
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
        atomic_write(path, text + "\n", overwrite=overwrite)

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
        return _text(_HEADS[by], [*scores.items()])

    def _scores(self, by: str) -> dict[str, Score]:
        if by not in _HEADS:
            raise ParameterError(f"by={by!r}, must be 'label', 'class' or 'file'.")
        return {"label": self.per_label, "class": self.per_class, "file": self.per_file}[by]

    def _summary(self) -> str:
        speed = self.real_time_factor
        return (
            f"{_count(self.boundaries, 'boundary', 'boundaries')} in {_count(self.files, 'file')}"
            + (f", real-time factor {speed:.4f}" if math.isfinite(speed) else "")
            + (f", {_count(len(self.failed), 'file')} failed" if self.failed else "")
        )

    def __str__(self) -> str:
        parts = [self._summary(), _text("", [("all boundaries", self.overall)])]
        if self.per_class:
            parts.append(_text("class of boundary", [*self.per_class.items()]))
        if self.per_label:
            worst = sorted(self.per_label.items(), key=lambda item: -_cost(item[1]))[:_WORST]
            head = "label" if len(self.per_label) <= _WORST else "labels that cost most"
            parts.append(_text(head, worst))
        if self.failed:
            parts.append("\n".join(["failed:", *(f"  {n}: {why}" for n, why in self.failed)]))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the tables for notebooks."""
        out = [f"<p>{html.escape(self._summary())}</p>", _html("", {"all": self.overall})]
        for by in ("class", "label", "file"):
            scores = self._scores(by)
            if scores:
                inner = _html(_HEADS[by], scores)
                out.append(f"<details><summary>by {_HEADS[by]}</summary>{inner}</details>")
        if self.failed:
            rows = "".join(f"<li>{html.escape(f'{n}: {why}')}</li>" for n, why in self.failed)
            out.append(f"<p>failed:</p><ul>{rows}</ul>")
        return "".join(out)


_HEADS = {"label": "label", "class": "class of boundary", "file": "file"}
_COLUMNS = (
    "boundaries",
    *(f"<={ms} ms" for ms in TOLERANCES_MS),
    "mean ms",
    "median ms",
    "bias ms",
)


def _cost(score: Score) -> float:
    """Sum of the sizes of the errors: what a label costs the whole."""
    return score.boundaries * score.mean_abs_ms


def _cells(score: Score) -> list[str]:
    shares = ["-" if math.isnan(share) else f"{share:.1f}" for share in score.within_ms.values()]
    times = (score.mean_abs_ms, score.median_abs_ms, score.bias_ms)
    signs = ("", "", "+")
    return [
        str(score.boundaries),
        *shares,
        *(
            "-" if math.isnan(t) else f"{t:{sign}.1f}"
            for t, sign in zip(times, signs, strict=True)
        ),
    ]


def _text(head: str, rows: Sequence[tuple[str, Score]]) -> str:
    table = [(head, *_COLUMNS), *((name, *_cells(score)) for name, score in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(_COLUMNS) + 1)]
    lines = []
    for row in table:
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join((first, *rest)))
    lines.insert(1, "-" * len(lines[0]))
    return "\n".join(lines)


def _html(head: str, scores: Mapping[str, Score]) -> str:
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in (head, *_COLUMNS))
    rows = (
        "<tr>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in (name, *_cells(score)))
        + "</tr>"
        for name, score in scores.items()
    )
    return f"<table><tr>{heads}</tr>{''.join(rows)}</table>"


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _by_frequency(errors: Mapping[str, Sequence[float]]) -> dict[str, Score]:
    order = sorted(errors, key=lambda name: (-len(errors[name]), name))
    return {name: Score.from_errors(errors[name]) for name in order}


def _new_key(name: str, taken: Mapping[str, Score]) -> str:
    """Return `name`, numbered where another recording already bears it."""
    key, n = name, 1
    while key in taken:
        n += 1
        key = f"{name} ({n})"
    return key


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
