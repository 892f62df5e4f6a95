"""What the columns of tables are called: in English, German, French, Spanish, Italian, Portuguese.

Of several columns that a table has, the one counts whose name comes first here.
"""

import unicodedata
from collections.abc import Mapping, Sequence

__all__ = ["END", "LABEL", "RECORDING", "SPEAKER", "START", "TEXT", "columns_named", "heading"]

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
START = (
    *("start", "onset", "begin", "xmin", "start_s", "onset_s", "tmin"),
    *("beginn", "anfang", "début", "debut", "inicio", "comienzo", "inizio", "início", "começo"),
)
END = (
    *("end", "xmax", "end_s", "stop", "tmax"),
    *("ende", "fin", "final", "fine", "fim"),
)
LABEL = (
    *("label", "phone", "phoneme", "text", "symbol"),
    *("utterance", "sentence", "transcript", "transcription"),
    *("beschriftung", "etikett", "phon", "phonem", "laut", "étiquette", "phonème", "etiqueta"),
    *("fonema", "etichetta", "rótulo"),
    *_TEXT_ELSEWHERE,
)
SPEAKER = (
    *("speaker", "sprecher", "sprecherin", "locuteur", "locutrice", "hablante", "locutor"),
    *("parlante", "falante"),
)


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
    >>> columns_named(["Fin", "Début", "word"], {"start": START, "end": END, "label": LABEL})
    {'start': 1, 'end': 0}
    """
    given = [heading(cell) for cell in cells]
    found = {column: [n for n in own if n in given] for column, own in names.items()}
    return {column: given.index(own[0]) for column, own in found.items() if own}
