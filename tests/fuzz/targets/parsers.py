"""What is fuzzed: for each parser a function that feeds it bytes as a stranger's file would.

A target returns where the parser accepts its input or refuses it with an `AlignError`. Whatever
else it lets out is a finding. The tests of the suite and the long runs (``run.py``) share these
functions, so that what one finds the other can keep as a regression.
"""

import importlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from align.errors import AlignError

__all__ = ["SUFFIXES", "TARGETS", "Target", "feed"]

Target = Callable[[str], object]

_FOLDER = tempfile.TemporaryDirectory(
    prefix="align-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None
)


def feed(name: str, data: bytes) -> None:
    """Give a parser a file that holds `data`; an `AlignError` is what it may answer."""
    if name == "signed_model":
        sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "golden_models")]
        try:
            signed = importlib.import_module("signed")
            signed.feed_signed(os.path.join(_FOLDER.name, "in.align"), data)
        finally:
            del sys.path[0]
        return
    function, suffix = TARGETS[name]
    path = os.path.join(_FOLDER.name, f"in{suffix}")
    if suffix == ".any":  # the first byte chooses among several suffixes
        own = SUFFIXES[name]
        path = os.path.join(_FOLDER.name, f"in{own[data[0] % len(own)] if data else own[0]}")
        data = data[1:]
    with open(path, "wb") as stream:
        stream.write(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            function(path)
        except AlignError as error:
            str(error)  # must be sayable too


def _labels(path: str) -> None:
    from align.formats import read_labels

    _tiers(path)
    read_labels(path)
    read_labels(path, duration=2.0, rate=8000) if path.endswith(".phn") else None


def _tiers(path: str) -> None:
    """Read all tiers, and write them as every format that may hold them."""
    from align.formats import read_tiers
    from align.formats.tiers.json_file import format_json_tiers
    from align.formats.tiers.label_table import format_csv_tiers
    from align.formats.tiers.textgrid import format_textgrid

    try:
        tiers = read_tiers(path)
        format_textgrid(tiers, tiers.duration)
        format_json_tiers(tiers)
        format_csv_tiers(tiers)
    except AlignError as error:
        str(error)


def _tiers_and_text(path: str) -> None:
    from align.formats import read_labels
    from align.speech.text import read_transcript
    from align.speech.text.conversation import conversations_of

    _tiers(path)
    try:
        read_labels(path)
    except AlignError as error:
        str(error)
    conversations_of([(one, one.text.split()) for one in read_transcript(path)])


def _score(path: str) -> None:
    from align.formats.scores import chords, distinct, read_score

    score = read_score(path)
    chords(score)
    distinct(score)
    if path.endswith((".csv", ".tsv")):
        from align.formats.scores import read_note_truth

        read_note_truth(path, score)


def _notes(path: str) -> None:
    from align.results.music import MusicAlignment

    score = None
    own = path.endswith((".json", "notes.csv", ".tsv"))  # of the score
    if not own or path.endswith((".sv.csv", "note_alignment.tsv")):
        score = _aligned()
    MusicAlignment.from_labels(path, score=score)


def _aligned():  # type: ignore[no-untyped-def]
    """Four notes, for the formats that know no score."""
    from align.formats.scores import Score
    from align.results.music import MusicAlignment
    from align.types import Note

    score = Score.of([Note(60, 0.0), Note(64, 0.0), Note(67, 0.5), Note(72, 1.0)])
    return MusicAlignment.from_score(score, score.onsets, duration=3.0)


def _audio(path: str) -> None:
    from align.features.sound.audio import audio_info, read_audio

    try:
        audio_info(path)
    except AlignError as error:
        str(error)
    try:
        read_audio(path, allow_truncated=True)
    except AlignError as error:
        str(error)
    read_audio(path)


def _model(path: str) -> None:
    from align.models.loading import load

    load(path)


def _dictionary(path: str) -> None:
    from align.speech.text.pronouncing.dictionary import read_dictionary
    from align.speech.text.pronouncing.lookup import look_up

    dictionary = read_dictionary(path)
    for word in list(dictionary)[:3]:
        look_up(word, dictionary, guess=False)
    dictionary.nearest("hello")


def _transcript(path: str) -> None:
    from align.speech.text import read_transcript
    from align.speech.text.conversation import conversations_of
    from align.speech.text.reading.normalise import split_words
    from align.speech.text.reading.transcript import language_of

    language_of(path)
    said = read_transcript(path)
    conversations_of([(one, one.text.split()) for one in said])
    for utterance in said:
        split_words(utterance.text)
        split_words(utterance.text, language="de")


def _texts(path: str) -> None:
    from align.corpus.text_tables import read_texts

    read_texts(path)


def _anchors(path: str) -> None:
    from align.formats.anchors import read_anchors

    try:
        read_anchors(path, words=True)
    except AlignError as error:
        str(error)
    read_anchors(path)


def _beats(path: str) -> None:
    from align.formats.notes.beat_table import read_beat_times

    read_beat_times(path)


def _manifest(path: str) -> None:
    from align.corpus.reading import read_corpus

    try:
        read_corpus(path)
    except AlignError as error:
        str(error)
    read_corpus(path, "music")


def _phone_map(path: str) -> None:
    from align.formats import map_labels, read_phone_map

    mapping = read_phone_map(path)
    map_labels(["a", *list(mapping)[:3]], mapping)


def _ipa(path: str) -> None:
    from align.speech.text.pronouncing.arpabet import ipa_to_arpabet, spell

    text = Path(path).read_bytes().decode("utf-8", "replace")
    ipa_to_arpabet(text)
    spell(text.split()[:20], {"a", "b", "aa", "sil"})


SUFFIXES = {
    "notation": (".musicxml", ".mxl", ".mei", ".krn", ".match", ".xml"),
    "notes": (
        *("notes.csv", ".json", ".txt", ".sv.csv", ".svl", ".mid", ".tsv", ".jams"),
        *("note_alignment.tsv", ".parangonada.zip"),
    ),
    "audio": (".wav", ".flac", ".sph", ".ogg", ".mp3", ".aiff", ".w64", ".caf", ".au"),
    "media": (".m4a", ".mka", ".mov"),
    "transcript": (".txt", ".lab", ".wrd", ".json", ".cha", ".sbv"),
    "texts": (".csv", ".txt"),
    "score_table": (".csv", ".tsv"),
    "labels_table": (".csv", ".tsv"),
    "subtitles": (".srt", ".vtt"),
    "anchors": (".csv", ".tsv", ".TextGrid"),
    "beats": (".beats.csv", ".beats.txt"),
}
"""Suffixes of the targets that have several; the first byte of the input chooses one."""

TARGETS: dict[str, tuple[Target, str]] = {
    "textgrid": (_tiers_and_text, ".TextGrid"),
    "phn": (_labels, ".phn"),
    "lab": (_labels, ".lab"),
    "labels_table": (_tiers_and_text, ".any"),
    "ctm": (_labels, ".ctm"),
    "rttm": (_labels, ".rttm"),
    "emu": (_tiers_and_text, "_annot.json"),
    "eaf": (_tiers_and_text, ".eaf"),
    "exb": (_tiers_and_text, ".exb"),
    "subtitles": (_tiers_and_text, ".any"),
    "anchors": (_anchors, ".any"),
    "beats": (_beats, ".any"),
    "audacity": (_labels, ".txt"),
    "json": (_labels, ".json"),
    "midi": (_score, ".mid"),
    "notation": (_score, ".any"),
    "score_table": (_score, ".any"),
    "notes": (_notes, ".any"),
    "sphere": (_audio, ".sph"),
    "wav": (_audio, ".wav"),
    "flac": (_audio, ".flac"),
    "audio": (_audio, ".any"),
    "media": (_audio, ".any"),
    "model": (_model, ".align"),
    "dictionary": (_dictionary, ".dict"),
    "transcript": (_transcript, ".any"),
    "document": (_transcript, ".docx"),
    "sheet": (_texts, ".xlsx"),
    "texts": (_texts, ".any"),
    "manifest": (_manifest, ".csv"),
    "phone_map": (_phone_map, ".map"),
    "ipa": (_ipa, ".ipa"),
}
"""Parser and suffix of each target; ``.any`` stands for those of `SUFFIXES`."""
