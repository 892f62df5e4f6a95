"""Transcripts: what was said in a recording, by whom, and, where it is known, when.

=================== ==========================================================================
``.txt``, ``.cha``  the text; TIMIT's two sample numbers in front are left out. Names of speakers
                    and times in front of lines are distinguished from words
                    (`align.speech.text.reading.turns`). Of a list of prompts, as Festival and
                    LJSpeech have them, the text of the recording that is named is read.
                    An Audacity label track (start, end and text, with tabs) gives utterances
                    with times
``.lab``            the text, on one line or several
``.docx``           the same in a document of Word (`align.formats.documents.office`)
``.vtt``, ``.srt``, subtitles, each an utterance with its times, and its speaker where named
``.sbv``
``.json``           segments of a recogniser with their times, such as Whisper's
``.csv``, ``.tsv``  a table with columns ``start``, ``end``, ``text`` and maybe ``speaker``; also
                    that of Whisper, in milliseconds
``.wrd``            TIMIT's words, whose times are not used
``.TextGrid``       each interval tier is a speaker, each interval with text an utterance; tiers
                    called words, word, phones, phone, check, ``<speaker> - words``, MAU and so
                    on, which earlier alignments have left, are not read. Where there are no
                    others, the words of tiers of words are; their times are not used where one
                    person speaks, and else where somebody pauses
``.eaf``, ``.exb``, the same for ELAN, EXMARaLDA and EMU; tiers that depend on others, such as
``_annot.json``     translations, and tiers of numbers are only read where they are named
=================== ==========================================================================
"""

import os
import re
import unicodedata
from collections.abc import Collection
from dataclasses import replace

from align.corpus.text_tables import is_named, prompt_named, prompts_of
from align.corpus.texts import SAMPLE_NUMBERS
from align.errors import DataError, NoTextError
from align.files.text import decoded, read_bytes, read_lines, read_text
from align.formats.documents.office import read_document
from align.formats.documents.parsing import parsed_json
from align.formats.files import read_labels, read_tiers
from align.formats.tiers.emu import ANNOTATION
from align.formats.tiers.entries_json import has_entries
from align.formats.tiers.recognised import read_segments
from align.formats.tiers.subtitles import read_cues
from align.formats.tiers.textgrid import read_grid
from align.formats.tiers.tier import PHONES
from align.speech.text.reading.jefferson import is_notation, said_in_notation
from align.speech.text.reading.plain import are_times, check_no_transcriber, check_plain
from align.speech.text.reading.turns import read_turns
from align.speech.text.reading.typography import garbled_word
from align.speech.text.reading.utterances import (
    Utterance,
    by_speaker,
    checked,
    of_cues,
    of_table,
    of_tiers,
)
from align.types import SILENCES

_SHOWN = 40  # characters of a text in messages
TRANSCRIPT_SUFFIXES = (
    *(".txt", ".lab", ".textgrid", ".vtt", ".srt", ".json", ".cha", ".docx", ".eaf", ".exb"),
    *(ANNOTATION, ".sbv", ".wrd", ".csv", ".tsv"),
)
"""Suffixes of transcripts, in lower case, in order of preference."""

DOCUMENT_SUFFIXES = (".doc", ".odt", ".rtf", ".pdf", ".pages", ".html", ".xlsx")
"""Of files with text that is more than text, and that nothing here reads."""

_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_CUES = re.compile(r"WEBVTT\b|(?:[0-9]+\n)?[0-9:]*[0-9]{2}:[0-9]{2}[.,][0-9]{3}(?: +--> +|,)[0-9]")
"""What subtitles begin with, also those that somebody saved as text."""

_GRID = re.compile(r"File type = \"ooTextFile\"")
"""What a TextGrid begins with, also one that somebody saved as text."""

_LISTED = re.compile(r"\d{3}|_|\.[^\W\d]\w{1,4}$")
"""What names in lists of prompts have, and names of diseases and bombers have not."""
_MANY_SPACES = re.compile(r"[^\S\n]{200,}")
_OF_TABLE = re.compile(rf"(?:.* - )?{PHONES}", re.DOTALL)
"""Names of the tiers of a table that names none."""


def read_transcript(
    path: str | os.PathLike[str],
    *,
    tiers: Collection[str] = (),
    encoding: str | None = None,
    recording: str | None = None,
) -> list[Utterance]:
    """Read what was said in a recording.

    Parameters
    ----------
    path : path
        A file of one of the kinds above; anything else is read as text.
    tiers : collection of str
        Tiers to read of a file that has some; by default all interval tiers that are no results.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.
    recording : str, optional
        The recording, by its file. A list of prompts (``( name "text" )``, ``name|text``) is
        read for it; it need not be known where there is only one prompt.

    Returns
    -------
    list of Utterance
        At least one; those of a speaker in order of time, and not overlapping unless they are
        loose. The speaker is named where a TextGrid has several tiers to read, a recogniser told
        several apart, or names stand before what is said.

    Raises
    ------
    DataError
        If there is no text, a tier is missing, utterances of a speaker overlap, or the file is of
        a kind whose text would be mixed with what nobody says, such as XML.
    """
    name = os.fspath(path)
    found = _as_said(_utterances_of(path, tiers, encoding, recording))
    if not any(_says_something(utterance.text) for utterance in found):
        signs = " ".join(utterance.text.strip() for utterance in found)[:_SHOWN]
        what = f"holds no word, only {signs!r}" if signs else "holds no text"
        raise NoTextError(f"{what}; write what is said in the recording.", path=name)
    for utterance in found:
        if (garbled := garbled_word(utterance.text)) is not None:
            raise DataError(
                f"has {garbled[0]!r} where {garbled[1]!r} was meant: UTF-8 was read as "
                "Windows-1252; save the original as UTF-8, and name no other encoding.",
                path=name,
                line=utterance.line,
            )
    return found


def _utterances_of(
    path: str | os.PathLike[str],
    tiers: Collection[str],
    encoding: str | None,
    recording: str | None,
) -> list[Utterance]:
    """Read a file as what its suffix says; the parameters are those of `read_transcript`."""
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix in DOCUMENT_SUFFIXES and os.path.exists(name):
        raise DataError("is no plain text; save what is said in it as .txt.", path=name)
    if suffix == ".textgrid":
        return of_tiers(read_grid(path, encoding), tiers, name)
    if suffix in (".eaf", ".exb") or name.lower().endswith(ANNOTATION):
        return of_tiers(read_tiers(path, silence="", encoding=encoding).tiers, tiers, name)
    if suffix in (".csv", ".tsv"):
        if (prompt := prompt_for(read_text(path, encoding), recording, name)) is not None:
            return spoken_text(prompt, name)
        table = read_tiers(path, silence="", encoding=encoding).tiers
        whole = all(t.kind != "point" and _OF_TABLE.fullmatch(t.name) for t in table)
        return of_table(table, name) if whole else of_tiers(table, tiers, name)
    if suffix == ".json" and has_entries(parsed_json(path, encoding)):
        return of_tiers(read_tiers(path, silence="", encoding=encoding).tiers, tiers, name)
    if suffix == ".json":
        segments = [
            Utterance(one.text, one.start, one.end, one.speaker, loose=one.start is not None)
            for one in read_segments(path, encoding)
        ]
        return by_speaker(segments, name)
    if suffix in (".vtt", ".srt", ".sbv"):
        return by_speaker(of_cues(read_cues(path, encoding, web=suffix == ".vtt")), name)
    if suffix == ".wrd":
        rows = [(n, row.split(maxsplit=2)) for n, row in read_lines(path, encoding)]
        for number, cells in rows:
            if len(cells) < 3:
                raise DataError("is not `start end word` here.", path=name, line=number)
        said = [cells[2] for _, cells in rows if cells[2].strip() not in SILENCES]
        return [Utterance(" ".join(said))]
    if suffix == ".docx":
        text = _of_plain_spaces(read_document(path)).strip()
        return _of_text(text, path, encoding, recording)
    text = _text_of(path, encoding).strip()
    if _CUES.match(text):
        return by_speaker(of_cues(read_cues(path, encoding, web=text[:6] == "WEBVTT")), name)
    if _GRID.match(text):
        return of_tiers(read_grid(path, encoding), tiers, name)
    return _of_text(text, path, encoding, recording)


def _of_text(
    text: str, path: str | os.PathLike[str], encoding: str | None, recording: str | None
) -> list[Utterance]:
    """Return what is said in plain text: labels of Audacity, a prompt of a list, or all of it."""
    name = os.fspath(path)
    # frequencies, where Audacity selected a part of the spectrum
    lines = [s for s in text.split("\n") if s.strip() and not s.startswith("\\\t")]
    if lines and all(map(_is_label, lines)):
        labels = read_labels(path, silence="", encoding=encoding, format="audacity")
        rows = zip(labels.labels, labels.intervals, labels.lines, strict=True)
        timed = [
            Utterance(label, float(start), float(end), line=line)
            for label, (start, end), line in rows
            if label
        ]
        return checked(timed, name)
    if lines and _are_timed(lines):
        raise DataError(
            "holds labels with times, not text; if they are phones, give the file as phones.",
            path=name,
        )
    if (prompt := prompt_for(text, recording, name)) is not None:
        return spoken_text(prompt, name)
    check_plain(text, name)
    return spoken_text(SAMPLE_NUMBERS.sub("", text, count=1), name)


def _says_something(text: str) -> bool:
    """Whether a text has more than punctuation; brackets and asterisks stand for noise."""
    return any(c in "[<{(*%&@" or unicodedata.category(c)[0] not in "PZC" for c in text)


def language_of(path: str | os.PathLike[str], encoding: str | None = None) -> str | None:
    """Return the code of the language that a transcript names; None where it names none.

    Recognisers do in their JSON, and YouTube in the head of its WebVTT. Raises DataError where the
    file cannot be read.
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    named: object = None
    if suffix == ".vtt":
        head = read_text(path, encoding).split("\n\n", 1)[0]
        named = next(
            (line[9:].strip() for line in head.split("\n") if line[:9] == "Language:"), ""
        )
    elif suffix == ".json":
        content = parsed_json(path, encoding)
        about = content if isinstance(content, dict) else {}
        within = about.get("result")  # of whisper.cpp
        named = about.get("language", within.get("language") if isinstance(within, dict) else None)
    return named if isinstance(named, str) and _CODE.fullmatch(named) else None


def prompt_for(text: str, recording: str | None, name: str) -> str | None:
    """Return what a list of prompts, or one line of it, says of a recording.

    None where the text is no such list. One line ``name text`` or ``text (name)`` is one where
    the name is that of the recording, and one line ``name|text`` also where the name has three
    digits in a row, ``_`` or a suffix: `COVID-19|is bad` is said. Raises DataError where a list
    has no text of the recording, and where one line ``name|text`` names another; `name` is what
    messages call it.

    Examples
    --------
    >>> prompt_for('( arctic_a0001 "Not at all." )', "kiwi.wav", "kiwi.txt")
    'Not at all.'
    >>> prompt_for("LJ001-0001|Not at all.", "LJ001-0001.wav", "LJ001-0001.txt")
    'Not at all.'
    >>> prompt_for("COVID-19|is bad", "kiwi.wav", "kiwi.txt")
    """
    stem = None if recording is None else os.path.splitext(os.path.basename(recording))[0]
    if (prompts := prompts_of(text, name)) is None:
        return None if stem is None else prompt_named(text.strip(), stem)
    listed = [p.text for p in prompts if stem is not None and is_named(p.name, stem)]
    if len(listed) == 1:
        return listed[0]
    if len(prompts) == 1:
        (only,) = prompts
        if text.lstrip().startswith("("):  # brackets and quotes are those of Festival
            return only.text
        if _LISTED.search(only.name) is None:
            return None
        if stem is None:
            return only.text
        raise DataError(
            f"begins with the name of another recording, {only.name}|, not of {stem}; leave the "
            "name out, or write a blank for | if it is said.",
            path=name,
        )
    how_many = "none" if not listed else f"{len(listed)} of them"
    raise DataError(
        f"holds the texts of {len(prompts)} recordings ({prompts[0].name}, {prompts[1].name} ...)"
        f", {how_many} that of {'this one' if stem is None else stem}; align texts writes each "
        "beside the recording of its name.",
        path=name,
    )


def spoken_text(text: str, name: str) -> list[Utterance]:
    """Return what a text without labels says, turn by turn where it is a conversation.

    `name` is what messages call it.
    """
    turns = read_turns(text)
    found = [Utterance(t.text, t.start, t.end, t.speaker, t.line) for t in turns]
    return _as_said(found if found[0].start is None else by_speaker(found, name))


def _as_said(utterances: list[Utterance]) -> list[Utterance]:
    """Return utterances without the marks of conversation analysis, where they have them."""
    if not is_notation("\n".join(utterance.text for utterance in utterances)):
        return utterances
    return [replace(one, text=said_in_notation(one.text)) for one in utterances]


def _text_of(path: str | os.PathLike[str], encoding: str | None) -> str:
    data = read_bytes(path)
    check_no_transcriber(data, os.fspath(path))  # often in Latin-1, which needs no advice here
    return _of_plain_spaces(decoded(data, path, encoding))


def _of_plain_spaces(text: str) -> str:
    """Return a text without spaces by the hundred: most patterns look at each from each."""
    return _MANY_SPACES.sub(" ", text)


def _is_label(row: str) -> bool:
    """Whether a line is ``start<TAB>end<TAB>text`` in seconds."""
    return _times(row.split("\t"), 3)


def _are_timed(rows: list[str]) -> bool:
    """Whether lines are ``start end label``, and not three numbers that somebody says."""
    cells = [row.split() for row in rows]
    shaped = all(len(row) == 3 and _times(row, 3) for row in cells)
    return shaped and (
        not all(row[2].isdigit() for row in cells)
        or are_times([{"start": row[0], "end": row[1]} for row in cells])
    )


def _times(cells: list[str], least: int) -> bool:
    try:
        return len(cells) >= least and 0 <= float(cells[0]) <= float(cells[1])
    except ValueError:
        return False
