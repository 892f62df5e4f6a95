r"""One file with the texts of many recordings, as lists of prompts and corpora have them.

=================  ===========================================================================
a table            with commas, semicolons, tabs or ``|``, whose first line names a column for
                   recordings (``audio``, ``file``, ``path``, ``id`` ...) and one for texts
                   (``text``, ``sentence``, ``transcript``, ``prompt`` ...), as Common Voice's
                   has, or in German, French, Spanish, Italian or Portuguese
a table            whose first line says something else, or nothing: the names are in the column
                   where recordings are named, the texts in the one with most words
``id|text|text``   without such a line, as LJSpeech: the last column counts
``id<TAB>text``    likewise, with tabs: the second column
``id text``        Kaldi
``( id "text" )``  Festival, such as CMU Arctic
``text (id)``      Sphinx, with or without ``<s>`` and ``</s>``
``.xlsx``          the first sheet of a workbook of Excel, a table with names in its first line
=================  ===========================================================================

A recording is named by its file, with or without suffix and with as many of its folders in front
as distinguish it from others.
"""

import csv
import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from align.corpus.listing import AUDIO_SUFFIXES
from align.corpus.pairs import find_pairs
from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath, comparable
from align.files.text import read_text, rows_of_table
from align.formats.documents.office import read_sheet
from align.formats.documents.tables import RECORDING, START, TEXT, columns_named

_Row = tuple[int, list[str]]  # number of its line, cells
_SEPARATORS = ("\t", "|", ";", ",")
_TABLES = (".csv", ".tsv", ".txt", ".data", ".xlsx")
_LEVELS, _MOST_TABLES = 2, 20  # of folders below, and files that are read
_FESTIVAL = re.compile(r'\(\s*(?P<name>\S+)\s+"(?P<text>.*)"\s*\)')
_LJSPEECH = re.compile(
    r"(?P<name>(?=[^\s|]*\d)(?=[^\s|]*[^\W\d_])[^\s|]+|\d+(?:[-_]\d+)+)"
    r"\|(?P<text>[^|]*(?:\|[^|]*){0,2})"
)
_NUMBERED = re.compile(r"[\d_]")
_SPHINX = re.compile(r"(?:<s>\s*)?(?P<text>[^<>]*?)\s*(?:</s>\s*)?\((?P<name>[^()\s]+)\)")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d])\S{5,}")
_KALDI = re.compile(r"(?P<name>\S+)\s+(?P<text>.+)")


class NamedText(NamedTuple):
    """What is said in a recording, and the line that says it."""

    name: str
    text: str
    line: int


@dataclass(frozen=True)
class Texts:
    """What became of a file of texts.

    Attributes
    ----------
    written : tuple of str
        Transcripts that were written.
    same : int
        How many were there before, with the same text.
    problems : tuple of (str, str)
        Lines that could not be used, and why.
    without : tuple of str
        Recordings that the file does not name, and that had no ``.txt`` or ``.lab`` before.
    """

    written: tuple[str, ...]
    same: int
    problems: tuple[tuple[str, str], ...]
    without: tuple[str, ...]


def read_texts(
    path: StrPath,
    encoding: str | None = None,
    is_recording: Callable[[str], bool] = lambda name: False,
) -> list[NamedText]:
    """Return the texts of a file, in its order.

    `is_recording` says of a name whether a recording has it. Raises DataError where the file has
    none of the shapes above, or no text.
    """
    name = os.fspath(path)
    if name.lower().endswith(".xlsx"):
        sheet = [(n, cells) for n, cells in enumerate(read_sheet(path), start=1) if any(cells)]
        if (table := _of_rows(sheet, is_recording)) is None:
            raise DataError(
                "has no column of recordings and one of texts; call them `file` and `text` in the "
                "first row.",
                path=name,
            )
        return _not_empty(table, name)
    content = read_text(path, encoding)
    lines = [(n, line) for n, line in enumerate(content.split("\n"), start=1) if line.strip()]
    if not lines:
        raise DataError("holds no text.", path=name)
    if (table := _with_head(content, lines[0][1], name)) is not None:
        return _not_empty(table, name)
    for separator in _SEPARATORS:
        if table := _of_rows(_parsed(content, separator), is_recording):
            return table
    for pattern in (_FESTIVAL, _SPHINX):
        found = [(n, pattern.fullmatch(line.strip())) for n, line in lines]
        if all(match for _, match in found):
            return [NamedText(m["name"], m["text"].strip(), n) for n, m in found if m]
    for separator, place in (("|", -1), ("\t", 1)):
        rows = [(n, line.split(separator)) for n, line in lines]
        if all(len(cells) > 1 for _, cells in rows):
            _check_column([cells for _, cells in rows], place, name)
            return [NamedText(cells[0].strip(), cells[place].strip(), n) for n, cells in rows]
    found = [(n, _KALDI.fullmatch(line.strip())) for n, line in lines]
    for n, match in found:
        if match is None:
            raise DataError(
                "is no name of a recording and its text; write `name text`, or a table whose "
                "first line is `file,text`.",
                path=name,
                line=n,
            )
    return [NamedText(m["name"], m["text"], n) for n, m in found if m]


def _with_head(content: str, first: str, path: str) -> list[NamedText] | None:
    """Return the texts of a table whose first line names its columns; None for any other."""
    for separator in _SEPARATORS:
        head = [cell.strip().strip('"') for cell in first.split(separator)]
        if (columns := _columns(head)) is not None:
            return _of_table(content, separator, columns, path)
    return None


def _check_column(rows: Sequence[Sequence[str]], place: int, path: str) -> None:
    """Raise DataError where another column than that of a `place` may be the one of texts.

    That is one with half as many words; but of tabs, whose second column counts, one with twice as
    many or with more different texts, and no other spelling of the same, as LJSpeech has it.
    """
    if len(widths := {len(row) for row in rows}) != 1 or (width := widths.pop()) < 3:
        return
    words = [sum(len(row[column].split()) for row in rows) for column in range(width)]
    kinds = [len({row[column].strip().casefold() for row in rows}) for column in range(width)]
    text = place % width
    for other in sorted(set(range(1, width)) - {text}):
        near = 2 * words[other] > words[text] if place < 0 else words[other] >= 2 * words[text]
        more = place > 0 and kinds[other] > kinds[text]
        if (near or more) and not all(_same_text(row[other], row[text]) for row in rows):
            raise DataError(
                f"has the texts in column {text + 1} or in column {other + 1}, which its lines do "
                "not say; name the columns in a first line, such as "
                f"file{'|' if place < 0 else '<tab>'}text.",
                path=path,
            )


def _same_text(one: str, other: str) -> bool:
    """Whether two texts share a word, or one writes numbers in figures that the other spells out.

    Examples
    --------
    >>> _same_text("in 1455", "in fourteen fifty-five"), _same_text("5", "five")
    (True, True)
    >>> _same_text("yes", "Ann")
    False
    """
    if set(one.casefold().split()) & set(other.casefold().split()):
        return True
    return any(map(str.isdigit, one)) != any(map(str.isdigit, other))


def prompts_of(content: str, path: str = "table") -> list[NamedText] | None:
    r"""Return the texts of a table that names its columns, or of lines that all name a recording.

    Such lines are those of Festival, LJSpeech and Sphinx. None where the content is neither.
    `path` is what messages call it.

    Examples
    --------
    >>> prompts_of("file,text\nkiwi.wav,Not at all.")
    [NamedText(name='kiwi.wav', text='Not at all.', line=2)]
    >>> prompts_of('( arctic_a0001 "Author of the danger trail." )')
    [NamedText(name='arctic_a0001', text='Author of the danger trail.', line=1)]
    >>> prompts_of("LJ001-0001|in 1455|in fourteen fifty-five")[0].text
    'in fourteen fifty-five'
    >>> prompts_of("yes | no | maybe")
    >>> [prompt.text for prompt in prompts_of("not at all (kiwi_001)\nnever (kiwi_002)")]
    ['not at all', 'never']
    """
    lines = [(n, line.strip()) for n, line in enumerate(content.split("\n"), 1) if line.strip()]
    first = lines[0][1] if lines else ""
    head = [cell.strip(' "').casefold() for cell in re.split(r"[,;|\t]", first)]
    if lines[1:] and not set(START).intersection(head):  # a table with times is of one recording
        if (table := _with_head(content, first, path)) is not None:
            return table
    for pattern in (_FESTIVAL, _LJSPEECH):
        found = [(n, pattern.fullmatch(line)) for n, line in lines]
        # a name has a number: `( laughing "no" )` is said
        if lines and all(match and _NUMBERED.search(match["name"]) for _, match in found):
            return [NamedText(m["name"], _wordiest(m["text"]), n) for n, m in found if m]
    found = [(n, _SPHINX.fullmatch(line)) for n, line in lines]
    names = [match["name"] for _, match in found if match and _CODE.fullmatch(match["name"])]
    if 1 < len(lines) == len(set(names)):
        return [NamedText(m["name"], m["text"], n) for n, m in found if m]
    return None


def prompt_named(line: str, stem: str) -> str | None:
    """Return what is said in one line ``name text`` or ``text (name)`` of a recording, or None.

    Examples
    --------
    >>> prompt_named("kiwi_001 Not at all.", "kiwi_001"), prompt_named("Not at all.", "kiwi_001")
    ('Not at all.', None)
    >>> prompt_named("<s> not at all </s> (kiwi)", "kiwi")
    'not at all'
    """
    if (last := _SPHINX.fullmatch(line)) is not None and is_named(last["name"], stem):
        return last["text"]
    first = _KALDI.fullmatch(line)
    own = first is not None and _NUMBERED.search(first["name"]) and is_named(first["name"], stem)
    return first["text"] if first is not None and own else None


def _wordiest(cells: str) -> str:
    """Return which of some cells is the text: beside it may be the same in figures, or a speaker.

    Examples
    --------
    >>> _wordiest("in 1455|in fourteen fifty-five"), _wordiest("it is hot|61"), _wordiest("No|")
    ('in fourteen fifty-five', 'it is hot', 'No')
    """
    last_first = [cell.strip() for cell in reversed(cells.split("|"))]
    return max(last_first, key=lambda cell: sum(map(str.isalpha, cell)))


def is_named(name: str, stem: str) -> bool:
    """Whether a recording, of which the name without folder and suffix is given, has this name.

    Examples
    --------
    >>> is_named("wavs/LJ001-0001.wav", "lj001-0001")
    True
    """
    return _plain(name).rpartition("/")[2] == comparable(stem)


def find_table(recordings: StrPath) -> str | None:
    """Return the file of a folder that has the texts of most of its recordings; None for none.

    It is looked for in the folder, in those in it and in theirs, among files that are called as
    lists of texts are.
    """
    root = os.fspath(recordings)
    audio = [p.audio for p in find_pairs(root, None, ()) if p.audio is not None]
    ends = _ends({_plain(os.path.relpath(path, root)): path for path in audio})
    stems = {os.path.splitext(path)[0] for path in audio}
    best, most = None, 0.5 * len(audio)
    for path in _maybe_tables(root):
        if os.path.splitext(path)[0] in stems:
            continue
        try:
            rows = read_texts(path, None, lambda name: _plain(name) in ends)
        except DataError:
            continue
        known = {own[0] for row in rows if len(own := ends.get(_plain(row.name), [])) == 1}
        if len(known) > most or (best is None and len(known) == most > 0):
            best, most = path, len(known)
    return best


def _maybe_tables(root: str) -> list[str]:
    """Return the files of a folder, to two levels below it, that may be a list of texts."""
    found = []
    for folder, folders, files in os.walk(root):
        folders.sort()
        below = os.path.relpath(folder, root)
        if below != "." and below.count(os.sep) >= _LEVELS - 1:
            folders.clear()
        found += [
            os.path.join(folder, file)
            for file in sorted(files)
            if file.lower().endswith(_TABLES) and not file.startswith(".")
        ]
    return found[:_MOST_TABLES]


def write_texts(
    table: StrPath, recordings: StrPath, *, encoding: str | None = None, overwrite: bool = False
) -> Texts:
    """Write the texts of a file beside their recordings, each as ``.txt``.

    `recordings` is searched through all levels. The `encoding` of the file is by default UTF-8 or
    UTF-16, whichever it is; `overwrite` replaces transcripts that are there with another text.
    Raises DataError where the file cannot be read, or names none of the recordings; then nothing
    is written.
    """
    source, root = os.fspath(table), os.fspath(recordings)
    pairs = find_pairs(root, None, (".txt", ".lab"))
    audio = {_plain(os.path.relpath(p.audio, root)): p.audio for p in pairs if p.audio is not None}
    if not audio:
        raise DataError("holds no recording.", path=root)
    ends = _ends(audio)
    rows = read_texts(table, encoding, lambda name: _plain(name) in ends)
    written: list[str] = []
    problems: list[tuple[str, str]] = []
    line_of: dict[str, int] = {}
    same = known = 0
    texts: list[tuple[NamedText, str]] = []
    for row in rows:
        found = ends.get(_plain(row.name), [])
        known += bool(found)
        if (why := _unusable(row, found, root, line_of)) is not None:
            problems.append((f"{source}, line {row.line}", why))
            continue
        line_of[found[0]] = row.line
        texts.append((row, os.path.splitext(found[0])[0] + ".txt"))
    if not known:
        raise DataError(
            f"names none of the {len(audio)} recordings in {root}; its first name is "
            f"{rows[0].name!r}.",
            path=source,
            line=rows[0].line,
        )
    for row, target in texts:
        try:
            if os.path.exists(target):
                if read_text(target).strip() == row.text:
                    same += 1
                    continue
                if not overwrite:
                    raise DataError("holds another text; correct that, or allow overwriting.")
            atomic_write(target, row.text + "\n", overwrite=overwrite)
            written.append(target)
        except DataError as error:
            problems.append((target, error.message))
    textless = {p.audio for p in pairs if p.audio is not None and p.labels is None}
    without = sorted(textless - set(line_of))
    return Texts(tuple(written), same, tuple(problems), tuple(without))


def _unusable(
    row: NamedText, found: Sequence[str], root: str, line_of: Mapping[str, int]
) -> str | None:
    """Return why a row is of no use, or None."""
    if not found:
        return f"there is no recording {row.name!r} in {root}."
    if len(found) > 1:
        return f"{row.name!r} is the name of {len(found)} recordings; write its folder, too."
    if found[0] in line_of:
        return f"is the second text of {found[0]}, after line {line_of[found[0]]}; leave one out."
    return None if row.text else f"{row.name!r} has no text."


def _columns(head: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns of names and of texts, where a first line names both."""
    found = columns_named(head, {"names": RECORDING, "texts": TEXT})
    return (found["names"], found["texts"]) if len(found) == 2 else None


def _columns_by_content(
    rows: Sequence[_Row], is_recording: Callable[[str], bool]
) -> tuple[int, int] | None:
    """Return the columns of names and of texts of a table whose first line does not say them.

    Half of the rows at least must name recordings, and no third column may have half as many
    words as that of the texts, or nobody knows which is meant.
    """
    widths = {len(cells) for _, cells in rows}
    if len(widths) != 1 or (width := widths.pop()) < 2:
        return None
    named = [sum(is_recording(cells[column]) for _, cells in rows) for column in range(width)]
    audio = named.index(max(named))
    if 2 * named[audio] < len(rows):
        return None
    words = [sum(len(cells[column].split()) for _, cells in rows) for column in range(width)]
    text, *others = sorted(set(range(width)) - {audio}, key=lambda column: -words[column])
    return None if others and words[text] < 2 * words[others[0]] else (audio, text)


def _of_rows(rows: Sequence[_Row], is_recording: Callable[[str], bool]) -> list[NamedText] | None:
    """Return the texts of a table by the names of its columns or by what they hold, or None."""
    if not rows:
        return None
    columns = _columns(rows[0][1])
    if columns is None and (columns := _columns_by_content(rows, is_recording)) is None:
        return None
    audio, text = columns
    first = 0 if is_recording(rows[0][1][audio]) else 1
    return [NamedText(cells[audio], " ".join(cells[text].split()), n) for n, cells in rows[first:]]


def _of_table(
    content: str, separator: str, columns: tuple[int, int], path: str
) -> list[NamedText]:
    """Return the texts of a table whose first line names its columns."""
    audio, text = columns
    found = []
    rows = _parsed(content, separator, path)
    for n, cells in rows[1:]:
        if len(cells) <= max(columns) or any(cells[len(rows[0][1]) :]):
            raise DataError(
                f"has {len(cells)} columns, the first line {len(rows[0][1])}; quote texts that "
                f"hold a {separator!r}.",
                path=path,
                line=n,
            )
        found.append(NamedText(cells[audio], " ".join(cells[text].split()), n))
    return found


def _parsed(content: str, separator: str, path: str | None = None) -> list[_Row]:
    """Return the rows of a table that are not empty; none where it is none and has no `path`."""
    quote = None if separator == "|" else '"'  # LJSpeech has quotes that are of the text
    quoting = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    rows = rows_of_table(content, path, separator, quotechar=quote, quoting=quoting)
    try:
        return [
            (number, [cell.strip() for cell in cells])
            for number, cells in rows
            if any(cell.strip() for cell in cells)
        ]
    except DataError:
        if path is None:
            return []
        raise


def _not_empty(found: list[NamedText], path: str) -> list[NamedText]:
    if not found:
        raise DataError("holds no text.", path=path)
    return found


def _plain(name: str) -> str:
    """Return a name of a recording without suffix, in small letters and with ``/`` only."""
    name = name.replace(os.sep, "/").replace("\\", "/").strip("/").removeprefix("./")
    stem, suffix = os.path.splitext(name)
    return comparable(stem if suffix.lower() in AUDIO_SUFFIXES else name)


def _ends(audio: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the recordings by their names, with none to all of their folders in front."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in audio.items():
        parts = name.split("/")
        for first in range(len(parts)):
            found["/".join(parts[first:])].append(path)
    for name, path in audio.items():
        found[name] = [path]  # the whole name goes before the end of another's
    return found
