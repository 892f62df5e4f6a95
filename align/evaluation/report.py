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
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.evaluation.mir_metrics import METRICS, alignment_metrics
from align.files.atomic import atomic_write

if TYPE_CHECKING:
    from align.results.music import MusicAlignment
    from align.types import Example

__all__ = ["TOLERANCES_MS", "FileResult", "Report", "Score", "SetScore"]

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
    chord : array_like [shape=(K,)], optional
        Of music: chord of each event, a whole number.
    collection : str
        Set the recording belongs to, for figures of its own.
    """

    name: str
    labels: Sequence[str]
    true: npt.NDArray[np.float64]
    predicted: npt.NDArray[np.float64]
    seconds: float = math.nan
    elapsed: float = math.nan
    chord: npt.NDArray[np.intp] | None = None
    collection: str = ""

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
        if self.chord is not None:
            chord = np.asarray(self.chord, dtype=np.intp)
            object.__setattr__(self, "chord", chord)
            if chord.shape != (len(self.labels),):
                raise ParameterError(
                    f"{self.name}: chord.shape={chord.shape}, must be (K,)=({len(self.labels)},)."
                )

    @classmethod
    def of_notes(
        cls, example: "Example", alignment: "MusicAlignment", elapsed: float = math.nan
    ) -> Self:
        """Compare the notes of an alignment with the true times of its example.

        Parameters
        ----------
        example : Example
            Music, with `onsets`; every row of its `truth` counts, else every finite onset.
        alignment : MusicAlignment
            Of the notes of the example, in the same order.
        elapsed : float
            Time spent on it in seconds.

        Returns
        -------
        FileResult
            Labels are the names of the pitches; the set is the folder that the group of the
            example lies in.

        Raises
        ------
        ParameterError
            If the example has no onsets, or other notes than the alignment.
        """
        from align.results.music import pitch_name

        if example.onsets is None:
            raise ParameterError(f"{example.name}: has no true onsets to compare with.")
        if example.events != tuple(alignment.events):
            raise ParameterError(f"{example.name}: the alignment is of other notes.")
        if example.truth is not None:
            index, true = example.truth.index, example.truth.performed
        else:
            index = np.flatnonzero(np.isfinite(example.onsets))
            true = example.onsets[index]
        return cls(
            name=example.name,
            labels=[pitch_name(int(pitch)) for pitch in alignment.pitches[index]],
            true=true,
            predicted=alignment.onsets[index],
            seconds=alignment.duration,
            elapsed=elapsed,
            chord=alignment.chord_of[index],
            collection=(example.group or "").rpartition("/")[0],
        )


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
class SetScore:
    """Errors of the recordings of one set, each recording counting the same.

    Parameters
    ----------
    files : int
        How many recordings.
    mean_of_means_ms, median_of_medians_ms : float
        Of the mean and median errors of the recordings; NaN where there are none.
    worst_mean_ms : float
        The largest mean error.
    all_events : Score
        All events together.
    """

    files: int
    mean_of_means_ms: float
    median_of_medians_ms: float
    worst_mean_ms: float
    all_events: Score

    @classmethod
    def from_errors(cls, errors: Sequence[npt.NDArray[np.float64]]) -> Self:
        """Summarise errors in seconds, an array for each recording.

        Examples
        --------
        >>> found = SetScore.from_errors([np.array([0.01]), np.array([0.02, 0.06])])
        >>> round(found.mean_of_means_ms, 6), round(found.median_of_medians_ms, 6)
        (25.0, 25.0)
        """
        sizes = [1000.0 * np.abs(error) for error in errors if error.size]
        means = [float(size.mean()) for size in sizes] or [math.nan]
        medians = [float(np.median(size)) for size in sizes] or [math.nan]
        together = np.concatenate(errors) if errors else np.empty(0)
        return cls(
            len(sizes),
            float(np.mean(means)),
            float(np.median(medians)),
            max(means),
            Score.from_errors(together),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold: NaN is None."""
        return {
            "files": self.files,
            "mean_of_means_ms": _or_none(self.mean_of_means_ms),
            "median_of_medians_ms": _or_none(self.median_of_medians_ms),
            "worst_mean_ms": _or_none(self.worst_mean_ms),
            **self.all_events.to_dict(),
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
    per_set : dict of str to SetScore
        Of music: by the folder the pieces lie in; ``(all)`` where there is but one.
    mir_eval : dict of str to float
        The metrics of ``mir_eval.alignment``, means over recordings; see
        `align.evaluation.mir_metrics`.

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
        sets: dict[str, list[npt.NDArray[np.float64]]] = {}
        metrics: list[list[float]] = []
        seconds = elapsed = 0.0
        for result in files:
            error = result.predicted - result.true
            first = int(kind == "speech" and error.size > 0 and abs(result.true[0]) <= _ROUNDING)
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
            _per_set(sets) if kind == "music" else {},
            {name: _mean([row[i] for row in metrics]) for i, name in enumerate(METRICS)},
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
            "real_time_factor": _or_none(self.real_time_factor),
            "per_file": [{"file": n, **score.to_dict()} for n, score in self.per_file.items()],
            "per_label": {label: score.to_dict() for label, score in self.per_label.items()},
            "per_class": {pair: score.to_dict() for pair, score in self.per_class.items()},
            "failed": [{"file": name, "reason": reason} for name, reason in self.failed],
            "mir_eval": {name: _or_none(value) for name, value in self.mir_eval.items()},
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
        return _text(_HEADS[by], [*scores.items()], _columns(self.kind))

    def _scores(self, by: str) -> dict[str, Score]:
        if by not in _HEADS:
            raise ParameterError(f"by={by!r}, must be 'label', 'class' or 'file'.")
        return {"label": self.per_label, "class": self.per_class, "file": self.per_file}[by]

    def _summary(self) -> str:
        speed = self.real_time_factor
        what = ("note", "notes") if self.kind == "music" else ("boundary", "boundaries")
        return (
            f"{_count(self.boundaries, *what)} in {_count(self.files, 'file')}"
            + (f", real-time factor {speed:.4f}" if math.isfinite(speed) else "")
            + (f", {_count(len(self.failed), 'file')} failed" if self.failed else "")
        )

    def __str__(self) -> str:
        music = self.kind == "music"
        whole = "all notes" if music else "all boundaries"
        parts = [self._summary(), _text("", [(whole, self.overall)], _columns(self.kind))]
        if self.per_set:
            parts.append(_set_table(self.per_set))
        if music and self.files > 1:
            parts.append(_text("piece", [*_short_names(self.per_file).items()], _columns("music")))
        if self.mir_eval and music:
            values = ", ".join(f"{name} {value:.4f}" for name, value in self.mir_eval.items())
            parts.append(f"mir_eval.alignment (seconds and shares, means over pieces): {values}")
        if self.per_class:
            parts.append(_text("class of boundary", [*self.per_class.items()]))
        if self.per_label:
            worst = sorted(self.per_label.items(), key=lambda item: -_cost(item[1]))[:_WORST]
            one = "pitch" if music else "label"
            many = "pitches that cost most" if music else "labels that cost most"
            head = one if len(self.per_label) <= _WORST else many
            parts.append(_text(head, worst, _columns(self.kind)))
        if self.failed:
            parts.append("\n".join(["failed:", *(f"  {n}: {why}" for n, why in self.failed)]))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the tables for notebooks."""
        out = [f"<p>{html.escape(self._summary())}</p>", _html("", {"all": self.overall})]
        if len(self.per_set) > 1:
            out.append(_html("set", {name: s.all_events for name, s in self.per_set.items()}))
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


def _columns(kind: str) -> tuple[str, ...]:
    return ("notes", *_COLUMNS[1:]) if kind == "music" else _COLUMNS


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


def _per_set(sets: Mapping[str, Sequence[npt.NDArray[np.float64]]]) -> dict[str, SetScore]:
    return {name or "(all)": SetScore.from_errors(errors) for name, errors in sorted(sets.items())}


def _mean(values: Sequence[float]) -> float:
    """Mean of the values that are numbers; NaN where none is."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _short_names(scores: Mapping[str, Score]) -> dict[str, Score]:
    """Take off what all names begin and end with: folders, and ``/audio.flac``."""
    paths = [name.replace(os.sep, "/").split("/") for name in scores]
    shared = 0
    while all(len(path) > shared + 1 and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    same_file = len({path[-1] for path in paths}) == 1 and all(len(p) > shared + 1 for p in paths)
    short = ["/".join(path[shared : len(path) - same_file]) for path in paths]
    if len(set(short)) < len(short) or not all(short):
        return dict(scores)
    return dict(zip(short, scores.values(), strict=True))


def _set_table(sets: Mapping[str, SetScore]) -> str:
    heads = ("set", "pieces", "mean of means ms", "median of medians ms", "worst mean ms")
    tolerances = ("25", "50", "100")
    table = [(*heads, *(f"<={ms} ms" for ms in tolerances))]
    for name, score in sets.items():
        times = (score.mean_of_means_ms, score.median_of_medians_ms, score.worst_mean_ms)
        shares = [score.all_events.within_ms[ms] for ms in tolerances]
        cells = ["-" if math.isnan(value) else f"{value:.1f}" for value in (*times, *shares)]
        table.append((name, str(score.files), *cells))
    return _aligned(table)


def _text(
    head: str, rows: Sequence[tuple[str, Score]], columns: Sequence[str] | None = None
) -> str:
    columns = _COLUMNS if columns is None else columns
    return _aligned([(head, *columns), *((name, *_cells(score)) for name, score in rows)])


def _aligned(table: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as text: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
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
