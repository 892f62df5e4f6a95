"""What ``--text`` and ``--phones`` give: themselves, a file, or standard input; corpora; models.

Without a value the options mean the file of the recording's name that lies beside it.
"""

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli.console import Console
from align.cli.pipes import bytes_of
from align.errors import DataError, ParameterError, plural
from align.files.regular import why_missing

if TYPE_CHECKING:
    from align.corpus.reading import Corpus
    from align.speech.text.reading.utterances import Utterance

BESIDE = "\0"
"""What the option is without a value; no argument can hold it."""

_NAMED = 3  # of the recordings that are left out


class _TextOrFile(click.Path):
    """A text, or the name of a file of it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value as it is where none was given."""
        return value if value == BESIDE else super().convert(value, param, ctx)


TEXT_OR_FILE = _TextOrFile(readable=False)
"""A text, the name of a file of it, or `BESIDE`."""


def read_corpus(console: Console, path: Path, **options: Any) -> "Corpus":
    """Read a corpus, and warn of recordings that lack what must lie beside them."""
    import align

    corpus = align.read_corpus(path, **options)
    if corpus.unpaired:
        lacks = "labels" if corpus.kind == "speech" else "score or truth.csv"
        left = plural(len(corpus.unpaired), "recording")
        names = ", ".join(corpus.unpaired[:_NAMED])
        rest = " and others" if len(corpus.unpaired) > _NAMED else ""
        console.warn(f"left out, with no {lacks} of that name: {left}, {names}{rest}.")
    return corpus


def chosen_model(console: Console, model: str | None, language: str) -> str:
    """Return the model that was named, or that of the language; say so where it is not English."""
    if model is not None:
        return model
    from align.models.bundled import speech_model

    chosen = speech_model(language)
    if chosen != speech_model("en"):
        console.message(
            f"The model is {chosen}, since the language is {language!r}; --model names another."
        )
    return chosen


def file_beside(audio: Path, option: str, suffixes: Sequence[str]) -> str:
    """Return the file beside a recording that has its name and the first of the suffixes.

    Raises ParameterError if the recording is standard input, DataError if there is no such file.
    """
    if str(audio) == "-":
        raise ParameterError(f"no file lies beside standard input; {option} must name one.")
    from align.corpus.pairs import find_beside

    path = find_beside(str(audio), suffixes)
    if path is None:
        check_there(audio)
        raise DataError(
            f"has no file beside it for {option} without a value ({', '.join(suffixes)}).",
            path=audio,
        )
    return path


def read_said(
    source: str,
    tiers: Sequence[str] = (),
    encoding: str | None = None,
    recording: str | None = None,
) -> "list[Utterance]":
    """Read what ``--text`` gives: the text itself, or the name of a transcript.

    Of a list of prompts, or a line of one, the text of the `recording` is read, without its name.
    """
    from align.speech.text.reading.transcript import (
        DOCUMENT_SUFFIXES,
        TRANSCRIPT_SUFFIXES,
        prompt_for,
        read_transcript,
        spoken_text,
    )

    path = Path(source)
    suffixes = (*TRANSCRIPT_SUFFIXES, *DOCUMENT_SUFFIXES)
    named = len(source.split()) == 1 and path.suffix.lower() in suffixes
    if source != "-" and (named or is_file(path)):
        return read_transcript(path, tiers=tiers, encoding=encoding, recording=recording)
    if tiers:
        raise ParameterError("--tier is for a file with tiers; --text names none.")
    where = "standard input" if source == "-" else None
    text = _standard_input(encoding) if source == "-" else source
    if not text.strip():
        raise DataError("there is no text; give at least one word.", path=where)
    name = where or "--text"
    prompt = prompt_for(text, recording, name)
    return spoken_text(text if prompt is None else prompt, name)


def read_phones(source: str, encoding: str | None = None) -> list[str]:
    """Read the phones that ``--phones`` gives: themselves, or the name of a file of them."""
    from align.formats.events import read_events

    path = Path(source)
    if source != "-" and (is_file(path) or _names_file(source)):
        if not _exists(path):
            raise DataError("there is no such file; check the name after --phones.", path=path)
        return read_events(path, encoding)
    phones = (_standard_input(encoding) if source == "-" else source).split()
    if not phones:
        where = "standard input" if source == "-" else None
        raise DataError("there are no phones; give at least one.", path=where)
    return phones


def _standard_input(encoding: str | None) -> str:
    """Return the text on standard input, in the encodings of files, whatever the locale's is."""
    from align.files.text import decoded

    return decoded(bytes_of(sys.stdin, "standard input").read(), "standard input", encoding)


def _names_file(phones: str) -> bool:
    """Whether phones look like the name of a file: by a suffix of labels, or any of one word."""
    from align.formats import LABEL_FORMATS

    suffix = Path(phones).suffix.lower()
    if suffix in (*LABEL_FORMATS, ".phones"):
        return "\n" not in phones
    return len(phones.split()) == 1 and (
        bool({"/", os.sep}.intersection(phones)) or re.fullmatch(r"\.[a-z]\w+", suffix) is not None
    )


def _exists(path: Path) -> bool:
    with suppress(OSError, ValueError):
        return path.exists()
    return False


def is_file(path: Path) -> bool:
    """Whether there is such a file."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a long list of phones is no name of a file
        return False


def check_there(path: Path) -> None:
    """Refuse a file that does not exist."""
    if not path.exists():
        raise DataError(why_missing(path, "there is no such file."), path=path)


def check_order(audio: Path, score: Path) -> None:
    """Refuse a score where the recording is to be, and the recording for the score."""
    from align.corpus.listing import AUDIO_SUFFIXES
    from align.formats.scores import SCORE_SUFFIXES

    if audio.suffix.lower() in SCORE_SUFFIXES and score.suffix.lower() in AUDIO_SUFFIXES:
        raise ParameterError(f"{audio} is a score; name the recording first: {score} {audio}.")
