"""The tables of a report, as text and as HTML, and its words for each kind of recording."""

import html
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from align.errors import plural
from align.evaluation.scores import TOLERANCES_MS, Score, SetScore


class Wording(NamedTuple):
    """What a report says of one kind of recording, and what it counts.

    Attributes
    ----------
    one, many : str
        What is scored.
    label : str
        What a line is about where there are few labels.
    costly : str
        The same where there are many.
    recording : str
        Head of a table of all recordings; empty for none.
    skips_start : bool
        Whether a first event that truly starts at 0 is not scored: no one has to find it.
    metrics : bool
        Whether sets of recordings and the metrics of ``mir_eval`` are shown.
    """

    one: str = "boundary"
    many: str = "boundaries"
    label: str = "label"
    costly: str = "labels that cost most"
    recording: str = ""
    skips_start: bool = False
    metrics: bool = False


_WORDING = {
    "speech": Wording(skips_start=True),
    "music": Wording("note", "notes", "pitch", "pitches that cost most", "piece", metrics=True),
}


def wording_of(kind: str) -> Wording:
    """Return the words for a kind of aligner."""
    return _WORDING.get(kind, Wording())


_COLUMNS = (
    *(f"<={ms} ms" for ms in TOLERANCES_MS),
    "mean ms",
    "median ms",
    "bias ms",
)


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


def short_names(scores: Mapping[str, Score]) -> dict[str, Score]:
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


def set_table(sets: Mapping[str, SetScore]) -> str:
    """Return a line for each set of recordings."""
    heads = ("set", "pieces", "mean of means ms", "median of medians ms", "worst mean ms")
    tolerances = ("25", "50", "100")
    table = [(*heads, *(f"<={ms} ms" for ms in tolerances))]
    for name, score in sets.items():
        times = (score.mean_of_means_ms, score.median_of_medians_ms, score.worst_mean_ms)
        shares = [score.all_events.within_ms[ms] for ms in tolerances]
        cells = ["-" if math.isnan(value) else f"{value:.1f}" for value in (*times, *shares)]
        table.append((name, str(score.files), *cells))
    return _table(table)


def text_table(head: str, rows: Iterable[tuple[str, Score]], what: str = "boundaries") -> str:
    """Return a line for each score; `what` is the head of the first column of numbers."""
    lines = ((name, *_cells(score)) for name, score in rows)
    return _table([(head, what, *_COLUMNS), *lines])


FEWEST = 10
"""Boundaries of a class or label, below which its figures say little."""

_NAMED = 3


def costliest(head: str, scores: Mapping[str, Score]) -> str:
    """Name those that hold most of the error, with their share of it; empty where none is known.

    Examples
    --------
    >>> costliest("label", {"k": Score.from_errors([0.03] * 10), "s": Score.from_errors([0.01])})
    '  label: k (10 boundaries, 97 % of the error)'
    """
    cost = {name: score.boundaries * score.mean_abs_ms for name, score in scores.items()}
    total = sum(value for value in cost.values() if not math.isnan(value))
    told = sorted(cost, key=lambda name: -cost[name])
    shown = [
        f"{name} ({plural(scores[name].boundaries, 'boundary')}, "
        f"{100 * cost[name] / total:.0f} % of the error)"
        for name in told
        if scores[name].boundaries >= FEWEST and total > 0
    ]
    return f"  {head}: {', '.join(shown[:_NAMED])}" if shown else ""


def in_columns(table: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as text: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:]))) for row in table
    ]


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as text, with a line below the first."""
    head, *lines = in_columns(rows)
    return "\n".join([head, "-" * len(head), *lines])


def html_table(head: str, scores: Mapping[str, Score]) -> str:
    """Return a row of HTML for each score."""
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in (head, "boundaries", *_COLUMNS))
    rows = (
        "<tr>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in (name, *_cells(score)))
        + "</tr>"
        for name, score in scores.items()
    )
    return f"<table><tr>{heads}</tr>{''.join(rows)}</table>"
