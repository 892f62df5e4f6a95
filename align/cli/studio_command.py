"""``align studio``."""

from pathlib import Path
from typing import Any

import click

from align.cli.console import FILE, Console, message_options, terminated
from align.cli.options import (
    dictionary_option,
    language_option,
    model_option,
    phone_map_option,
    seed_option,
)
from align.errors import ParameterError

__all__ = ["studio"]


@click.command()
@click.argument("recordings", metavar="RECORDINGS", type=FILE)
@click.argument("out", metavar="OUT", type=FILE)
@model_option("speech-en")
@click.option("--text", is_flag=True, help="The files beside speech hold words; show these too.")
@dictionary_option(
    "dictionary",
    "FILE",
    "Pronunciations for transcripts; of several files the first that has a word counts.",
)
@language_option("Of transcripts: en, de, fr ...")
@phone_map_option()
@click.option("--no-learn", is_flag=True, help="Correct only; the model stays as it is.")
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="N",
    help="Port of this machine, for an SSH tunnel; by default a free one.",
)
@seed_option()
@message_options
@click.pass_obj
def studio(
    console: Console,
    recordings: Path,
    out: Path,
    model: str,
    text: bool,
    dictionary: tuple[Path, ...],
    language: str,
    phone_map: str | None,
    no_learn: bool,
    no_browser: bool,
    port: int | None,
    random_state: int | None,
) -> None:
    """Correct alignments on a page, and the model learns.

    RECORDINGS is a folder of recordings with transcripts (.txt), phones (.phn, .lab, .TextGrid) or
    scores beside them. OUT takes all that is corrected and learnt; the same command goes on where
    the last one ended. Only this user of this machine can reach the page. Ctrl-C ends it.

    \b
    align studio recordings corrected --model speech-any
    align studio pieces corrected --model piano
    """  # noqa: D301
    try:
        from align.studio.serving import serve
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise ParameterError(
            "align studio needs starlette and uvicorn, which are not installed: "
            "pip install 'margin-align[studio]'."
        ) from None
    from align.studio.session import Session

    options: dict[str, Any] = {"text": text, "phone_map": phone_map}
    options["dictionary"] = tuple(map(str, dictionary))
    options["language"] = "" if language == "en" else language  # music has none

    def ready(address: str) -> None:
        console.finish()
        click.echo(address)
        console.message("This address lets only you in; keep it to yourself. Ctrl-C ends it.")

    with console.first_run(f"Opening {recordings} ..."):
        session = Session(
            model,
            recordings,
            out,
            learn=not no_learn,
            random_state=random_state or 0,
            **{name: value for name, value in options.items() if value},
        )
    with session, terminated():
        serve(
            session,
            recordings,
            out,
            port=port or 0,
            learn=not no_learn,
            open_browser=not no_browser,
            ready=ready,
        )
    console.message(f"All corrections are in {out}; the same command goes on from here.")
