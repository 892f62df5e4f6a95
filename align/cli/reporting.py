"""``align report`` and ``align sonify``."""

from dataclasses import replace
from pathlib import Path

import click

from align.cli import option
from align.cli.console import FILE, Console, message_options
from align.cli.outputs import check_free
from align.errors import ParameterError, plural

_LARGE = 150_000_000  # bytes; browsers take long over larger pages


@click.command()
@click.argument("alignments", metavar="ALIGNMENT...", nargs=-1, required=True, type=FILE)
@option.output("PAGE.html", "The page: one file, which needs no network.")
@click.option(
    "--audio",
    multiple=True,
    type=FILE,
    metavar="AUDIO|DIR",
    help="The recording, given once for each ALIGNMENT, or a folder to find them in. By default "
    "recordings lie beside the labels.",
)
@click.option(
    "--reference",
    multiple=True,
    type=FILE,
    metavar="LABELS|DIR",
    help="True labels to show beside the others, given likewise.",
)
@click.option("--tier", metavar="NAME", help="Tier of TextGrids to check; by default the phones.")
@option.score()
@option.channel
@click.option("--title", metavar="TEXT", help="Of the page.")
@click.option(
    "--sound",
    type=click.Choice(["ogg", "flac", "wav"]),
    default="ogg",
    show_default=True,
    help="How sound is kept: Ogg Vorbis is smallest; FLAC and WAV are the very samples.",
)
@option.overwrite("a page that exists")
@message_options
@click.pass_obj
def report(
    console: Console,
    alignments: tuple[Path, ...],
    output: Path,
    audio: tuple[Path, ...],
    reference: tuple[Path, ...],
    tier: str | None,
    score: Path | None,
    channel: int | None,
    title: str | None,
    sound: str,
    overwrite: bool,
) -> None:
    """Make a page on which alignments are heard, seen and corrected.

    ALIGNMENT is a label file of phones or notes, or a folder of them. Boundaries that deserve a
    look are listed first: by their confidence, where a JSON file, a table or the run of
    `align corpus` that wrote them knows it, else by implausible lengths. Boundaries that are
    dragged are saved from the page as TextGrid or CSV, from which `align train` and `align adapt`
    learn.

    \b
    align report kiwi.json -o kiwi.html
    align report aligned/ --audio recordings/ -o check.html
    align report kiwi.TextGrid --reference corrected/kiwi.TextGrid -o compare.html
    """  # noqa: D301
    if output.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"{output}: a page is written as .html, not as {output.suffix!r}.")
    check_free(output, overwrite)
    from align.features.sound.audio import Channel
    from align.show.page import read_recordings, write_page

    found = read_recordings(alignments, audio=audio, reference=reference, score=score, tier=tier)
    if channel is not None:
        found = [replace(one, audio=Channel(str(one.audio), channel)) for one in found]
    with console.patience(f"Writing {output} ...", after=3.0):
        page = write_page(found, output, title=title, sound=sound, overwrite=overwrite)
    console.message(
        f"{plural(page.recordings, 'recording')}, {plural(page.events, 'label')}, "
        f"{page.seconds:.1f} s: {output} ({_bytes(page.size)}, sound "
        f"{_bytes(page.sound)} as {sound})"
    )
    if page.size > _LARGE:
        console.warn("browsers open so large a page slowly; make several of fewer recordings.")


def _bytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"


@click.command()
@click.argument("audio", type=FILE)
@click.argument("alignment", type=FILE)
@option.output(
    "OUT.wav",
    "What to write: .wav, .flac or .ogg; the recording left, what was aligned right.",
)
@click.option(
    "--with",
    "sound",
    type=click.Choice(["clicks", "notes"]),
    help="What is heard at each onset: a click, or of music the note; by default notes for music.",
)
@option.score()
@click.option("--tier", metavar="NAME", help="The tier of a TextGrid.")
@option.channel
@option.overwrite("a file that exists")
@message_options
@click.pass_obj
def sonify(
    console: Console,
    audio: Path,
    alignment: Path,
    output: Path,
    sound: str | None,
    score: Path | None,
    tier: str | None,
    channel: int | None,
    overwrite: bool,
) -> None:
    """Make an alignment audible: AUDIO left, clicks or notes right.

    \b
    align sonify kiwi.wav kiwi.TextGrid -o kiwi-clicks.wav
    align sonify minuet.flac minuet.csv -o minuet-notes.wav
    """  # noqa: D301
    from align.show.sonify import check_sonification, save_sonification

    check_sonification(output)
    check_free(output, overwrite)
    from align.features.sound.audio import Channel
    from align.show.reading import reader_of

    heard = Channel.of(audio, channel)
    found = reader_of(alignment, audio, score=score, tier=tier)(alignment)
    save_sonification(found, output, sound=sound, audio=heard, overwrite=overwrite)
    console.message(f"{plural(len(found), 'onset')} in {found.duration:.2f} s: {output}")
