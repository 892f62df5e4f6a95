"""``align music``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli import option
from align.cli.console import FILE, Console, message_options
from align.cli.found import say_warnings, show_details, shown_match
from align.cli.inputs import check_order
from align.cli.outputs import SHOWN, check_free, keep_inputs, write_output
from align.cli.pipes import named, recording, standard_output, without_name
from align.errors import DataError, ModelError, ParameterError, plural
from align.files.names import StrPath

if TYPE_CHECKING:
    from align.results.music import MusicAlignment


@click.command()
@click.argument("audio", type=FILE)
@click.argument("score", type=FILE)
@option.music_model()
@option.outputs(
    ".csv or .tsv (notes), .mid (the score re-timed), .json, .txt (Audacity labels), .svl or "
    ".sv.csv (Sonic Visualiser), .jams, .match, _note_alignment.tsv (nASAP), .parangonada.zip, "
    ".tempo.csv (tempo curve), .beats.csv (bars and beats), .png, .html (the page of align "
    "report). By default the name of the recording with .csv, in the current folder.",
)
@click.option(
    "--beats",
    is_flag=True,
    help="Also write when each bar and beat of the score is played, with tempo and confidence: "
    "the name of the first output with .beats.csv. An -o that ends in .beats.csv, .beats.txt "
    "(Audacity) or .beats.svl (Sonic Visualiser) does so, too.",
)
@click.option(
    "--repeats",
    default="auto",
    show_default=True,
    metavar="auto|all|none|yn...",
    help="Which repeats of a score in notation were played: all, none, a letter y or n for each "
    "in the order of playing, or, each for itself, as the recording shows. A MIDI file has no "
    "repeat signs.",
)
@click.option(
    "--transpose",
    type=int,
    metavar="N",
    help="Semitones by which the recording sounds higher than the score, such as -2; by default "
    "found, up to a fifth or an octave.",
)
@click.option(
    "--tuning",
    type=float,
    metavar="HZ",
    help="A4 of the recording, such as 415; by default found, from 400 to 466.",
)
@option.channel
@click.option(
    "--offsets",
    is_flag=True,
    help="Also find where each note ends, as far as that can be heard, with a confidence: columns "
    "of tables, in JSON, and the lengths of notes in other formats. For models that learned it.",
)
@click.option(
    "--sonify",
    "audible",
    type=FILE,
    metavar="OUT.wav",
    help="Also write what can be heard: the recording left, the aligned score right.",
)
@option.strict
@option.overwrite("files that exist")
@message_options
@click.pass_obj
def music(
    console: Console,
    audio: Path,
    score: Path,
    model: str | None,
    outputs: tuple[Path, ...],
    beats: bool,
    repeats: str,
    transpose: int | None,
    tuning: float | None,
    channel: int | None,
    offsets: bool,
    audible: Path | None,
    strict: bool,
    overwrite: bool,
) -> None:
    """Find when each note of SCORE is played in AUDIO.

    SCORE is a MIDI file, a table (.csv) with the columns onset and pitch, MEI, Kern, or, with
    partitura installed, MusicXML or a match file.

    \b
    align music minuet.flac minuet.mid
    align music minuet.flac minuet.musicxml -o minuet.csv -o minuet.png

    AUDIO may be - for standard input, and OUT - or -.json for standard output.
    """  # noqa: D301
    piped = str(audio) == "-"
    check_order(audio, score)
    if audio.is_dir():
        raise DataError("is a directory; align corpus music aligns all of one.", path=audio)
    targets = outputs or (Path("-" if piped else f"{audio.stem}.csv"),)
    if beats:
        first = Path(audio.name if str(targets[0]).startswith("-") else targets[0])
        targets = (*targets, Path("beats.csv") if piped else first.with_suffix(".beats.csv"))
    targets = standard_output(targets, ".csv")
    keep_inputs(targets, (audio, score))
    for target in targets:
        check_music_output(target, overwrite)
    if audible is not None:
        from align.show.sonify import check_sonification

        check_sonification(audible)
        check_free(audible, overwrite)
    audio = recording(audio)
    for path in (audio, score):
        if not path.exists():
            raise DataError("there is no such file.", path=path)

    _check_beats(score, targets)

    from align.features.sound.audio import Channel

    params = {"repeats": repeats, "transpose": transpose, "tuning": tuning, "offsets": offsets}
    sound = Channel.of(audio, channel)
    found, model = _aligned(console, sound, score, model, params)
    show_details(console, model, found)
    found = without_name(found, audio)
    for target in targets:
        write_music_output(found, target, sound, overwrite=overwrite, progress=console.progress)
    if audible is not None:
        from align.show.sonify import save_sonification

        save_sonification(found, audible, audio=sound, overwrite=overwrite)
    match = shown_match(found.match)
    if found.repeats:
        n, taken = len(found.repeats), found.repeats.count("y")
        unheard = found.repeats.count("?")
        rest = f"; {unheard} not in the recording" if unheard else ""
        match += f", {taken} of {plural(n, 'repeat')} taken ({found.repeats}{rest})"
    console.message(
        f"{plural(len(found), 'note')} in {found.duration:.2f} s{match}: "
        f"{named([*targets, audible] if audible else targets)}"
    )
    if found.mismatches:
        console.message(_disagreement(found))
    say_warnings(console, found.warnings, strict)


def _check_beats(score: Path, targets: Sequence[Path]) -> None:
    """Refuse beats of a score without bars before it is aligned; notation always has bars."""
    from align.formats.notes.beat_table import NO_BARS
    from align.formats.scores import read_score
    from align.music.performances.repeats import is_notation

    if not any(".beats." in target.name.lower() for target in targets) or is_notation(score):
        return
    if read_score(score).beats is None:
        raise DataError(NO_BARS, path=score)


def _aligned(
    console: Console, audio: StrPath, score: Path, model: str | None, params: dict[str, Any]
) -> tuple["MusicAlignment", str]:
    """Return the alignment and its model; where none is named, say which was taken and why."""
    from align.models.bundled import USUAL_MUSIC
    from align.models.loading import load
    from align.music.choosing import align_music

    if model is None:
        with console.first_run(otherwise=f"Aligning {os.fspath(audio)} ..."):
            chosen = align_music(audio, score, progress=console.progress_of_long(), **params)
        say = console.detail if chosen.model == USUAL_MUSIC else console.message
        say(f"Model {chosen.model}: {chosen.reason}.")
        return chosen.alignment, chosen.model
    aligner = load(model)
    if aligner.kind != "music":
        raise ModelError(f"{model}: is a model of {aligner.kind}, not of music.")
    with console.first_run(otherwise=f"Aligning {os.fspath(audio)} ..."):
        aligner = aligner.set_params(**params)
        return aligner.align(audio, score, progress=console.progress_of_long()), model


def _disagreement(found: "MusicAlignment") -> str:
    """Return how much of score and recording disagrees, and where first."""
    unplayed = sum(len(m.notes) for m in found.mismatches)
    extra = sum(m.end - m.start for m in found.mismatches if not m.notes)
    parts = [f"{plural(unplayed, 'note')} of {len(found)} probably not played"] * bool(unplayed)
    parts += [f"{extra:.1f} s probably not in the score"] * bool(extra)
    return f"{', '.join(parts)}; the first: {found.mismatches[0]}"


def check_music_output(path: Path, overwrite: bool) -> None:
    """Refuse, before any work is done, an output that could not be written after it."""
    from align.formats import MUSIC_FORMATS

    if not path.name.lower().endswith((*MUSIC_FORMATS, *SHOWN)):
        known = ", ".join([*MUSIC_FORMATS, *SHOWN])
        raise ParameterError(
            f"{path}: the suffix {path.suffix!r} is no format of results; use {known}."
        )
    check_free(path, overwrite)
    if path.name.lower().endswith((".match", ".parangonada.zip")):
        from align.formats.scores.score_partitura import import_partitura

        import_partitura(path, "such files are written", "write .mid, .csv or .json")


def write_music_output(
    alignment: "MusicAlignment",
    path: Path,
    audio: StrPath | None = None,
    *,
    overwrite: bool = False,
    **plot_options: Any,
) -> None:
    """Write aligned notes in the format of the suffix, or as a picture or page of `audio`."""
    if path.suffix.lower() in SHOWN:
        write_output(alignment, path, audio, overwrite=overwrite, **plot_options)
        return
    from align.formats.music_files import write_music

    write_music(path, alignment, overwrite=overwrite)
