r"""Praat TextGrids, in every form Praat writes: long, short and binary.

A TextGrid file is read as Praat itself reads it: of all its words only free-standing numbers,
quoted strings (a quote within is doubled) and flags in angle brackets count, and ``!`` begins a
comment. Letters that are written as a backslash and two signs (``\sw``) are those of Unicode.
Long and short files are the same sequence of these tokens, so one reader takes both, in
UTF-8 or UTF-16 with or without a mark::

    "ooTextFile" "TextGrid" xmin xmax <exists> n_tiers
        {"IntervalTier" name xmin xmax n {xmin xmax label} | "TextTier" name xmin xmax n {x label}}

Why not a library: praatio 6.2 reads all the usual files (it is the oracle of the tests), but
measured on crafted ones it silently drops the last interval of a truncated short file, returns
nothing where a label of a short file is ``"IntervalTier"``, fails on times such as ``5e-1`` and on
labels such as ``item [1]``, and names no line; textgrid 1.6 dies of AttributeError on truncated
files; tgt 1.5 reads no UTF-16 (927 of the 1324 files of VoxAngeles) unless given the encoding.

References
----------
https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.files.text import decoded, parse_number, read_bytes
from align.formats.tiers.labels import Labels, TimedLabels
from align.formats.tiers.praat_letters import from_praat, to_praat
from align.formats.tiers.textgrid_binary import BINARY_MARK, parse_binary_textgrid
from align.formats.tiers.tier import (
    PHONES,
    Tier,
    Tiers,
    checked_tiers,
    labelled_tier,
    with_confidence,
)

_TOKEN = re.compile(r'"[^"]*+(?:""[^"]*+)*+"|"|<[^>\s]*>|![^\n]*|[^\s"!]\S*')
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class _Tokens:
    """The tokens that count, taken one by one."""

    def __init__(self, text: str, path: StrPath | None) -> None:
        self.text = text
        self.path = path
        self.line = 1
        self._counted = 0
        self._tokens = self._scan()

    def _scan(self) -> Iterator[str]:
        for match in _TOKEN.finditer(self.text):
            token = match.group()
            first = token[0]
            if first not in '"<' and not _NUMBER.fullmatch(token):
                continue
            self.line += self.text.count("\n", self._counted, match.start())
            self._counted = match.start()
            if token == '"':
                raise self.error("a quoted text is not closed; the file is damaged or truncated.")
            yield token

    def error(self, message: str) -> DataError:
        return DataError(message, path=self.path, line=self.line)

    def next(self, what: str) -> str:
        token = next(self._tokens, None)
        if token is None:
            self.line = self.text.rstrip("\n").count("\n") + 1
            raise self.error(f"ends where {what} should follow; the file is truncated.")
        return token

    def string(self, what: str) -> str:
        token = self.next(what)
        if token[0] != '"':
            raise self.error(f"{token!r} stands where {what} (a quoted text) should.")
        return from_praat(token[1:-1].replace('""', '"'))

    def number(self, what: str) -> float:
        token = self.next(what)
        if token[0] in '"<':
            raise self.error(f"{token} stands where {what} (a number) should.")
        bare = what.removeprefix("the ").removeprefix("a ")
        return parse_number(token, bare, self.path, self.line)

    def count(self, what: str) -> int:
        value = self.number(what)
        if value < 0 or value != int(value):
            raise self.error(f"{what} is {value:g}, must be a whole number.")
        return int(value)


def parse_textgrid(text: str, path: StrPath | None = None) -> list[Tier]:
    """Return the tiers of the text of a TextGrid, long or short; DataError names the line.

    Examples
    --------
    >>> short = '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "phones" 0 1 1 0 1 "a"'
    >>> parse_textgrid(short)[0].labels
    ('a',)
    """
    tokens = _Tokens(text, path)
    if not re.match(r'\s*(File type\s*=\s*)?"ooTextFile', text):
        raise tokens.error('is not a TextGrid: it does not begin with File type = "ooTextFile".')
    tokens.string("the file type")
    kind = tokens.string("the object class")
    if kind.split()[:1] != ["TextGrid"]:
        raise tokens.error(f"holds a {kind!r}, not a TextGrid; select and save the TextGrid.")
    tokens.number("the start")
    tokens.number("the end")
    if tokens.next("<exists>") != "<exists>":
        raise tokens.error("has no tiers.")
    n_tiers = tokens.count("the number of tiers")
    # Nothing is allocated from a count: one that lies runs into the end of the file.
    return [_parse_tier(tokens) for _ in range(n_tiers)]


def _parse_tier(tokens: _Tokens) -> Tier:
    kind = tokens.string("the class of a tier")
    if kind not in ("IntervalTier", "TextTier"):
        raise tokens.error(f"a tier is of class {kind!r}, must be IntervalTier or TextTier.")
    name = tokens.string("the name of a tier")
    tokens.number("the start of a tier")
    end = tokens.number("the end of a tier")
    interval = kind == "IntervalTier"
    rows: list[tuple[str, float, float]] = []
    lines: list[int] = []
    for _ in range(tokens.count(f"the size of tier {name!r}")):
        first = tokens.number("a time")
        last = tokens.number("a time") if interval else first
        rows.append((tokens.string("a label"), first, last))
        lines.append(tokens.line)
    return Tier.of_rows(name, rows, "interval" if interval else "point", lines=lines, end=end)


def read_grid(path: StrPath, encoding: str | None = None) -> list[Tier]:
    """Return the tiers of a TextGrid as the file has them; DataError if it cannot be used."""
    data = read_bytes(path)
    if data.startswith(BINARY_MARK):
        return parse_binary_textgrid(data, path)
    return parse_textgrid(decoded(data, path, encoding), path)


def read_textgrid(
    path: StrPath,
    *,
    tier: str | None = None,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Labels:
    """Read the labels of one interval tier.

    Parameters
    ----------
    path, silence, encoding
        As for `align.formats.read_labels`.
    tier : str, optional
        Name of the tier. By default ``phones``, else ``phone``, else the only one called
        ``<speaker> - phones``, else the only interval tier (upper and lower case alike).
    duration : float, optional
        Length of the recording in seconds; by default where the tier ends.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If the file cannot be used, or no tier or several could be meant.
    """
    chosen = labelled_tier(read_grid(path, encoding), tier, path)
    labels = chosen.as_labels(path, duration, silence)
    if duration is not None:
        return labels
    return replace(labels, duration=max(chosen.end, labels.end))


def read_textgrid_tiers(
    path: StrPath,
    *,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Tiers:
    """Read all tiers, of intervals and of points, in the order of the file; see `checked_tiers`.

    Raises DataError if the file cannot be used.
    """
    tiers = read_grid(path, encoding)
    return checked_tiers(tiers, path, duration=duration, silence=silence)


def tile(
    labels: Sequence[str], intervals: npt.ArrayLike, duration: float
) -> list[tuple[float, float, str]]:
    """Return start, end and label of intervals that fill ``[0, duration]``, as Praat wants them.

    `intervals` [shape=(K, 2)] are in seconds, in order. Time without a label has the label ``""``.

    Examples
    --------
    >>> tile(["a"], [[0.1, 0.3]], 0.5)
    [(0.0, 0.1, ''), (0.1, 0.3, 'a'), (0.3, 0.5, '')]
    """
    rows: list[tuple[float, float, str]] = []
    at = 0.0
    times = np.asarray(intervals, dtype=np.float64).reshape(-1, 2).tolist()
    for label, (start, end) in zip(labels, times, strict=True):
        if not at <= start < end <= duration:
            raise ParameterError(
                f"{label!r} ({start:g} to {end:g} s) does not follow what ends at {at:g} s within "
                f"the recording ({duration:g} s)."
            )
        if start > at:
            rows.append((at, start, ""))
        rows.append((start, end, label))
        at = end
    if at < duration:
        rows.append((at, duration, ""))
    return rows


def format_textgrid(
    tiers: Mapping[str, tuple[Sequence[str], npt.ArrayLike]] | Iterable[Tier], duration: float
) -> str:
    """Return the text of a long TextGrid whose tiers fill ``[0, duration]``, in seconds.

    A mapping gives each tier's K labels and [shape=(K, 2)] their starts and ends in seconds.

    Examples
    --------
    >>> text = format_textgrid({"phones": (["a"], [[0.0, 0.5]])}, 0.5)
    >>> text.splitlines()[-3:]
    ['            xmin = 0', '            xmax = 0.5', '            text = "a"']
    """
    if not (np.isfinite(duration) and duration > 0):
        raise ParameterError(f"duration={duration}, must be positive and finite.")
    if isinstance(tiers, Mapping):
        tiers = [_tier(name, labels, times, duration) for name, (labels, times) in tiers.items()]
    blocks = [
        f"    item [{i}]:\n{_WRITTEN[tier.kind](tier, duration)}"
        for i, tier in enumerate(tiers, start=1)
    ]
    head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
    span = f"xmin = 0\nxmax = {_digits(duration)}\n"
    return f"{head}{span}tiers? <exists>\nsize = {len(blocks)}\nitem []:\n" + "".join(blocks)


def _tier(name: str, labels: Sequence[str], intervals: npt.ArrayLike, duration: float) -> Tier:
    times = np.asarray(intervals, dtype=np.float64).reshape(-1, 2).tolist()
    rows = ((label, start, end) for label, (start, end) in zip(labels, times, strict=True))
    return Tier.of_rows(name, rows, end=duration)


def _head(kind: str, name: str, duration: float) -> str:
    return (
        f'        class = "{kind}"\n        name = {_quoted(name)}\n'
        f"        xmin = 0\n        xmax = {_digits(duration)}\n"
    )


def _intervals(tier: Tier, duration: float) -> str:
    rows = tile(tier.labels, tier.times, duration)
    return (
        _head("IntervalTier", tier.name, duration)
        + f"        intervals: size = {len(rows)}\n"
        + "".join(
            f"        intervals [{j}]:\n            xmin = {_digits(start)}\n"
            f"            xmax = {_digits(stop)}\n            text = {_quoted(label)}\n"
            for j, (start, stop, label) in enumerate(rows, start=1)
        )
    )


def _points(tier: Tier, duration: float) -> str:
    return (
        _head("TextTier", tier.name, duration)
        + f"        points: size = {len(tier.labels)}\n"
        + "".join(
            f"        points [{j}]:\n            number = {_digits(time)}\n"
            f"            mark = {_quoted(label)}\n"
            for j, (label, (time, _)) in enumerate(zip(tier.labels, tier.times, strict=True), 1)
        )
    )


def _digits(seconds: float) -> str:
    return np.format_float_positional(seconds, trim="-")


def _quoted(text: str) -> str:
    return '"' + to_praat(text).replace('"', '""') + '"'


_WRITTEN = {"interval": _intervals, "point": _points}


def write_textgrid(
    path: StrPath,
    alignment: TimedLabels,
    *,
    tier: str = PHONES,
    confidence: bool = False,
    overwrite: bool = False,
) -> None:
    """Write labels as a long TextGrid in UTF-8, with one tier of this name.

    Time before the first and after the last label gets the label ``""``, and the last interval
    ends exactly with the recording. With `confidence`, tiers of points say how sure each onset
    is; see `align.formats.tiers.tier.with_confidence`.
    """
    tiers = Tiers.of_labels(alignment, tier)
    if confidence:
        named = Tiers.of_labels(alignment, PHONES)
        tiers = replace(tiers, tiers=(*tiers, *with_confidence(named).tiers[1:]))
    atomic_write(path, format_textgrid(tiers, tiers.duration), overwrite=overwrite)


def write_textgrid_tiers(path: StrPath, tiers: Tiers, *, overwrite: bool = False) -> None:
    """Write all tiers as a long TextGrid in UTF-8; see `format_textgrid`."""
    if not tiers.duration:
        raise DataError(
            "has no labels and does not say how long its recording is, as a TextGrid must; name "
            "the recording, too (--audio).",
            path=tiers.path,
        )
    atomic_write(path, format_textgrid(tiers, tiers.duration), overwrite=overwrite)
