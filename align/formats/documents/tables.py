"""Tables of any kind: their rows, and what their columns are called.

Names are known in English, German, French, Spanish, Italian and Portuguese. Of several columns
that a table has, the one counts whose name comes first here.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from align.files.names import StrPath
from align.files.text import rows_of_table

RECORDING = (
    *("audio", "file", "filename", "file_name", "path", "wav", "recording", "audio_file"),
    *("datei", "dateiname", "aufnahme", "fichier", "nom du fichier", "enregistrement", "archivo"),
    *("fichero", "grabación", "nome file", "registrazione", "arquivo", "ficheiro", "gravação"),
    *("name", "id", "utterance_id", "utt_id", "fileid", "clip", "item"),
)
_TEXT_ELSEWHERE = (
    *("transkript", "transkription", "äußerung", "wortlaut", "texte", "énoncé", "texto", "testo"),
    *("transcripción", "enunciado", "trascrizione", "enunciato", "transcrição"),
)
TEXT = (
    *("text", "sentence", "transcript", "transcription", "words", "prompt", "orthography"),
    *("utterance", "normalized_text", "content"),
    *_TEXT_ELSEWHERE,
)
_START_IN_ENGLISH = ("start", "onset", "begin", "xmin", "start_s", "onset_s", "tmin")
START = (
    *_START_IN_ENGLISH,
    *("beginn", "anfang", "début", "debut", "inicio", "comienzo", "inizio", "início", "começo"),
)
_END = (
    *("end", "xmax", "end_s", "stop", "tmax"),
    *("ende", "fin", "final", "fine", "fim"),
)
_LABEL_IN_ENGLISH = (
    *("label", "phone", "phoneme", "text", "symbol"),
    *("utterance", "sentence", "transcript", "transcription"),
)
LABEL = (
    *_LABEL_IN_ENGLISH,
    *("beschriftung", "etikett", "phon", "phonem", "laut", "étiquette", "phonème", "etiqueta"),
    *("fonema", "etichetta", "rótulo"),
    *_TEXT_ELSEWHERE,
)
_ENGLISH = {*_START_IN_ENGLISH, *_LABEL_IN_ENGLISH}
_ENGLISH_TOO = {"final", "fine"}
"""Names of ends elsewhere that mean something else in an English table."""

SPEAKER = (
    *("speaker", "sprecher", "sprecherin", "locuteur", "locutrice", "hablante", "locutor"),
    *("parlante", "falante"),
)

_DECIMAL = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


def heading(cell: str) -> str:
    """Return a cell of the first line as it is compared with these names.

    Examples
    --------
    >>> heading(" Ende "), heading("De\u0301but") in START
    ('ende', True)
    """
    return unicodedata.normalize("NFC", cell.strip().lower())


def columns_named(cells: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return where each column is that a first line has, under any of its `names`.

    Examples
    --------
    >>> columns_named(["Phon", "Début", "word"], {"start": START, "label": LABEL})
    {'start': 1, 'label': 0}
    """
    given = [heading(cell) for cell in cells]
    found = {column: [n for n in own if n in given] for column, own in names.items()}
    return {column: given.index(own[0]) for column, own in found.items() if own}


def label_columns(cells: Sequence[str]) -> dict[str, int]:
    """Return where a first line has the columns of a table of labels: start, end and label.

    Examples
    --------
    >>> label_columns(["Inizio", "Fine", "Etichetta"]), label_columns(["start", "fine", "label"])
    ({'start': 0, 'end': 1, 'label': 2}, {'start': 0, 'label': 2})
    """
    columns = columns_named(cells, {"start": START, "end": _END, "label": LABEL})
    names = {column: heading(cells[place]) for column, place in columns.items()}
    if names.get("end") in _ENGLISH_TOO and {names.get("start"), names.get("label")} <= _ENGLISH:
        del columns["end"]
    return columns


def table_rows(text: str, path: StrPath) -> list[tuple[int, list[str]]]:
    """Split into rows that are not empty, each with the line it ends on."""
    head = next((line for line in text.split("\n") if line.strip()), "")
    separator = max("\t;,", key=head.count)
    every = rows_of_table(text, path, separator, strict=True)
    rows = [(number, row) for number, row in every if any(cell.strip() for cell in row)]
    return _with_points(rows) if separator == ";" else rows


def _with_points(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Write ``0.5`` for ``0,5`` in columns of numbers, as spreadsheets of many countries do."""
    below = [row for _, row in rows[1:]] or [row for _, row in rows]
    width = max((len(row) for row in below), default=0)
    cells = [[row[i].strip() for row in below if i < len(row)] for i in range(width)]
    numbers = {i for i in range(width) if all(not c or _DECIMAL.fullmatch(c) for c in cells[i])}
    return [
        (
            number,
            [
                c.replace(",", ".") if _DECIMAL.fullmatch(c.strip()) and i in numbers else c
                for i, c in enumerate(row)
            ],
        )
        for number, row in rows
    ]


def begins_with_number(cells: list[str]) -> bool:
    """Whether the first cell of a line is a number, and so the line none of names."""
    return cells[0].strip()[:1] in set("0123456789.-+")
