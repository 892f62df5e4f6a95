"""``align texts``."""

from pathlib import Path

import click

from align.cli import option
from align.cli.console import FILE, Console, message_options
from align.errors import plural

_SHOWN = 5


@click.command()
@click.argument("table", metavar="TABLE", type=FILE)
@click.argument("recordings", metavar="RECORDINGS", type=FILE)
@option.encoding("TABLE")
@option.overwrite("transcripts that hold another text")
@message_options
@click.pass_obj
def texts(
    console: Console, table: Path, recordings: Path, encoding: str | None, overwrite: bool
) -> None:
    """Write the texts of one file beside their recordings.

    TABLE says what is said in every recording of the folder RECORDINGS: a
    table with commas, semicolons, tabs or |, or of Excel, whose columns are
    known by names such as `file` and `text`, or by what they hold; or lines
    of `name text`, `name|text` (LJSpeech), `( name "text" )` (CMU Arctic) or
    `text (name)`. A recording is named by its file, with folders in front
    where they are needed; the text of NAME.wav is written as NAME.txt.

    \b
    align texts prompts.csv recordings
    align corpus speech recordings aligned --text

    Texts that are there are kept. Lines that name no recording are listed,
    and the exit status is then 1.
    """  # noqa: D301
    from align.corpus.text_tables import write_texts

    found = write_texts(table, recordings, encoding=encoding, overwrite=overwrite)
    there = f", {found.same} there before" if found.same else ""
    console.message(f"{plural(len(found.written), 'transcript')} written{there}.")
    if found.without:
        shown = ", ".join(found.without[:_SHOWN]) + (" ..." if len(found.without) > _SHOWN else "")
        console.message(f"{plural(len(found.without), 'recording')} without a text: {shown}")
    if console.failures(found.problems):
        raise click.exceptions.Exit(1)
