"""Labels as a table, ``.csv`` or ``.tsv``, times in seconds.

The first line names the columns, in any order and case; other columns are ignored. Commas,
semicolons or tabs separate them, whichever the first line has. Where semicolons do, numbers may
have a decimal comma, as spreadsheets of many countries write them.

======== =========================================
column   names
======== =========================================
start    ``start``, ``onset``, ``begin``, ``xmin``, ``start_s``, ``onset_s``, ``tmin``
end      ``end``, ``xmax``, ``end_s``, ``stop``, ``tmax`` (optional)
label    ``label``, ``phone``, ``phoneme``, ``text``, ``symbol``, ``utterance``, ``sentence``,
         ``transcript``, ``transcription``
======== =========================================

German, French, Spanish, Italian and Portuguese names are those of
`align.formats.documents.tables`.

Without an ``end`` each label ends where the next starts, and the last with the recording.
A table without names is read as ``start,end,label`` or, with two columns, ``start,label``.

A column ``tier`` says which tier a row belongs to, as in the tables that Praat makes of a
TextGrid, and so does ``type`` where it holds nothing but ``words`` and ``phones``, as in those of
the Montreal Forced Aligner. Labels of such a tier that all have no length are points.

Where words stand beside the phones, the columns written are ``start``, ``end``, ``label``,
``confidence``, ``word``, ``speaker`` and, last, ``word_number``, which counts the words of a
speaker from 0: two that are the same and follow each other are two. Each speaker is read back as a
tier of words, where they are numbered, and one of phones.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import Place, parse_number, read_text, table_of_rows
from align.formats.documents.tables import (
    SPEAKER,
    begins_with_number,
    columns_named,
    label_columns,
    table_rows,
)
from align.formats.documents.writing import writer
from align.formats.tiers.labels import Labels, TimedLabels, ticks
from align.formats.tiers.tier import (
    PHONES,
    WORDS,
    Speaker,
    Tier,
    Tiers,
    checked_tiers,
    labelled_tier,
)
from align.types import SILENCE, FloatArray

_INTERVAL = ("onset_low", "onset_high")
_NUMBER = "word_number"
_PER_SECOND = 1_000_000


def read_csv(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
    tier: str | None = None,
) -> Labels:
    """Read labels from a table; see the module's docstring for the columns.

    Parameters are those of `align.formats.read_labels`; where the table has no ends, `duration`
    is needed, and `tier` counts where it has tiers, words or several speakers. Raises DataError,
    naming the line, where a column is missing, and where there are several speakers.
    """
    tiers, words, named = _tiers(path, duration, encoding)
    if not named:
        tiers = [one for one in (*words, *tiers) if one.name == tier] or tiers
    if len(tiers) > 1 and not named:
        speakers = ", ".join(repr(one.name.removesuffix(f" - {PHONES}")) for one in tiers)
        raise DataError(
            f"holds phones of {len(tiers)} speakers ({speakers}), where "
            "one row of labels is wanted; align convert makes a TextGrid with a tier of each.",
            path=path,
        )
    chosen = labelled_tier(tiers, tier, path) if named else tiers[0]
    return chosen.as_labels(path, duration, silence)


def read_csv_tiers(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Tiers:
    """Read a table: its tiers, or words and phones for each name in the column ``speaker``."""
    tiers, words, _ = _tiers(path, duration, encoding)
    if not any(tier.labels for tier in tiers):
        raise DataError("has no labels; give at least one.", path=path)
    if words:
        tiers = [tier for both in zip(words, tiers, strict=True) for tier in both]
    return checked_tiers(tiers, path, duration=duration, silence=silence)


def _tiers(
    path: StrPath, duration: float | None, encoding: str | None
) -> tuple[list[Tier], list[Tier], bool]:
    """Return the tiers of a table, words that stand beside them, and whether it names tiers."""
    rows = table_rows(read_text(path, encoding), path)
    if not rows:
        raise DataError("is empty; give at least one label.", path=path)
    columns, first = table_columns(rows[0][1], path)
    of_speaker, of_tier = _places(rows, first)
    found: dict[tuple[str, str], tuple[list[str], list[float], list[float], list[int]]] = {}
    for line, cells in rows[first:]:
        if len(cells) <= max(columns.values()):
            raise Place(path, line).wrong(
                f"has {len(cells)} columns here but needs {max(columns.values()) + 1}; fill them "
                "in or quote the separator."
            )
        key = (_cell(cells, of_speaker), PHONES if of_tier is None else _cell(cells, of_tier))
        if not key[1]:
            raise Place(path, line).wrong("names no tier here; fill it in.")
        labels, starts, ends, lines = found.setdefault(key, ([], [], [], []))
        starts.append(parse_number(cells[columns["start"]], "start", path, line))
        if "end" in columns:
            ends.append(parse_number(cells[columns["end"]], "end", path, line))
        labels.append(cells[columns["label"]])
        lines.append(line)
    tiers = []
    for (speaker, kind), (labels, starts, ends, lines) in (
        found or {("", PHONES): ([], [], [], [])}
    ).items():
        if not ends:
            ends = onsets_to_ends(starts, duration, path)
        points = of_tier is not None and starts == ends
        rows_of = zip(labels, starts, ends, strict=True)
        named = f"{speaker} - {kind}" if speaker else kind
        tiers.append(Tier.of_rows(named, rows_of, "point" if points else "interval", lines=lines))
    if of_tier is not None or not first:
        return tiers, [], of_tier is not None
    cells_of = {line: cells for line, cells in rows[first:]}
    numbered = columns_named(rows[0][1], {"word": ("word",), "word_number": (_NUMBER,)})
    words = [_words_of(tier, cells_of, **numbered) for tier in tiers if len(numbered) == 2]
    return tiers, words, False


def _words_of(phones: Tier, cells_of: dict[int, list[str]], word: int, word_number: int) -> Tier:
    """Return the words that are numbered beside phones; phones without a number are pauses."""
    rows, lines = [], []
    spans = zip(phones.times, phones.lines, strict=True)
    for number, run in itertools.groupby(spans, lambda it: _cell(cells_of[it[1]], word_number)):
        ((start, end), line), *more = run
        label = _cell(cells_of[line], word) if number else ""
        rows.append((label, start, more[-1][0][1] if more else end))
        lines.append(line)
    return Tier.of_rows(phones.name.removesuffix(PHONES) + WORDS, rows, lines=lines)


def _places(rows: list[tuple[int, list[str]]], first: int) -> tuple[int | None, int | None]:
    """Return the columns that name the speaker and the tier of each row; None: there is none."""
    if not first:
        return None, None
    names_of = {"speaker": SPEAKER, "tier": ("tier",), "type": ("type",)}
    named = columns_named(rows[0][1], names_of)
    of_tier = named.get("tier", named.get("type"))
    names = {_cell(cells, of_tier) for _, cells in rows[first:]}
    if not any(names) or ("tier" not in named and {n.lower() for n in names} - {WORDS, PHONES}):
        of_tier = None  # an empty column, or a type of something else
    return named.get("speaker"), of_tier


def _cell(cells: list[str], at: int | None) -> str:
    return cells[at].strip() if at is not None and at < len(cells) else ""


def onsets_to_ends(starts: list[float], duration: float | None, path: StrPath) -> list[float]:
    """Let each label end where the next starts, and the last with the recording, in seconds."""
    if not starts:
        return []
    if duration is None:
        raise DataError(
            "gives no ends, so the length of the recording must be known; add the ends or name "
            "the audio.",
            path=path,
        )
    # A label whose successor is out of order or beyond the recording keeps some length here, so
    # that the checks that follow name the successor.
    ends = [min(end, duration) for end in [*starts[1:], duration]]
    return [
        end if end > start else math.nextafter(start, math.inf)
        for start, end in zip(starts, ends, strict=True)
    ]


def table_columns(cells: list[str], path: StrPath) -> tuple[dict[str, int], int]:
    """Return where each column is, and the first row of data."""
    columns = label_columns(cells)
    if "start" in columns and "label" in columns:
        return columns, 1
    if not columns and len(cells) in (2, 3) and begins_with_number(cells):
        order = ("start", "end", "label") if len(cells) == 3 else ("start", "label")
        return {column: i for i, column in enumerate(order)}, 0
    if {"begin", "duration", "mau"} <= {cell.strip().lower() for cell in cells}:
        raise Place(path, 1).wrong(
            "is a table of WebMAUS, whose times are samples of a recording that it does not name; "
            "ask WebMAUS for a TextGrid."
        )
    missing = "start" if "start" not in columns else "label"
    raise Place(path, 1).wrong(
        f"has no column {missing!r} (columns: {', '.join(cells)}); name the columns "
        "start,end,label or onset,label."
    )


def format_csv(alignment: TimedLabels, *, separator: str = ",") -> str:
    """Return an alignment as a table: start, end, label, confidence, and match of each label.

    Columns ``onset_low`` and ``onset_high`` are the 95 % interval of the start. Seconds to the
    microsecond; without the last columns where they are not known.
    """
    rows = ticks(alignment, _PER_SECOND, "a table")
    known = {"confidence": alignment.confidence, "match": alignment.event_match}
    columns = {name: values for name, values in known.items() if values is not None}
    near = alignment.onset_intervals
    out = [["start", "end", "label", *columns, *(_INTERVAL if near is not None else ())]]
    for k, (label, start, end) in enumerate(rows):
        row = [f"{start / _PER_SECOND:.6f}", f"{end / _PER_SECOND:.6f}", label]
        row += [f"{values[k]:.4f}" for values in columns.values()]
        out.append(row if near is None else row + [f"{time:.6f}" for time in near[k]])
    return table_of_rows(out, separator)


write_csv = writer(format_csv)


def format_csv_tiers(tiers: Tiers, *, separator: str = ",") -> str:
    """Return the phones of each speaker as a table, each with the word it belongs to.

    Seconds to the microsecond. Silences belong to no word. Where it is known how well phones and
    words fit their sound, the columns ``match`` and ``word_match`` say so, and ``onset_low`` and
    ``onset_high`` are as in `format_csv`.
    """
    speakers = tiers.speakers()
    numbered = any(speaker.words is not None for speaker in speakers)
    matches = any(speaker.phones.known.event_match is not None for speaker in speakers)
    more = ["match", "word_match"] if matches else []
    intervals = any(speaker.phones.known.onset_intervals is not None for speaker in speakers)
    more += _INTERVAL if intervals else ()
    more += [_NUMBER] if numbered else []
    out = [["start", "end", "label", "confidence", "word", "speaker", *more]]
    for speaker in speakers:
        out += _rows_of(speaker, matches, intervals, numbered)
    return table_of_rows(out, separator)


def _rows_of(
    speaker: Speaker, matches: bool, intervals: bool, numbered: bool
) -> Iterator[list[str]]:
    phones, words = speaker.phones, speaker.words
    known = phones.known
    sure, fit, near = known.confidence, known.event_match, known.onset_intervals
    of_words = None if words is None else words.known.event_match
    starts = np.array([start for start, _ in words.times]) if words else np.empty(0)
    said = [label not in ("", SILENCE) for label in words.labels] if words else []
    numbers = (np.cumsum(said) - 1).tolist()
    for k, (label, (start, end)) in enumerate(zip(phones.labels, phones.times, strict=True)):
        place = None if words is None else _word_at(words, starts, (start + end) / 2)
        word = "" if words is None or place is None else words.labels[place]
        spoken = word not in ("", SILENCE)
        more = [
            "" if fit is None else f"{fit[k]:.4f}",
            "" if of_words is None or place is None or not spoken else f"{of_words[place]:.4f}",
        ]
        yield [
            f"{start:.6f}",
            f"{end:.6f}",
            label,
            "" if sure is None else f"{sure[k]:.4f}",
            word if spoken else "",
            speaker.name,
            *(more if matches else []),
            *([""] * 2 * intervals if near is None else [f"{time:.6f}" for time in near[k]]),
            *([str(numbers[place]) if place is not None and spoken else ""] if numbered else []),
        ]


def _word_at(words: Tier, starts: FloatArray, time: float) -> int | None:
    """Return the place of the word at a time, by the middle of a phone; rounding moves it not."""
    place = int(np.searchsorted(starts, time, "right")) - 1
    return place if place >= 0 and time < words.times[place][1] else None


write_csv_tiers = writer(format_csv_tiers)
