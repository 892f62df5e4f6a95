"""``align studio``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli import option
from align.cli.console import FILE, MODEL, Console, message_options
from align.cli.inputs import chosen_model
from align.errors import ParameterError, plural

if TYPE_CHECKING:
    from align.studio.session import Session

_TOLD = 10  # recordings whose text has changed, which are named one by one


@click.command()
@click.argument("recordings", metavar="RECORDINGS", type=FILE)
@click.argument("out", metavar="OUT", type=FILE)
@click.option(
    "--model",
    type=MODEL,
    metavar="M",
    help="A model file, or the name of a bundled model. By default that of the language; of "
    "pieces of music ensemble, where most scores name an instrument that is bowed, blown or sung, "
    "else piano.",
)
@click.option("--text", is_flag=True, help="The files beside speech hold words; show these too.")
@option.dictionary(
    "dictionary",
    "FILE",
    "Pronunciations for transcripts; of several files the first that has a word counts.",
)
@option.language("Of transcripts: en, de, fr ...")
@option.phone_map()
@option.tiers
@option.channel
@click.option("--no-learn", is_flag=True, help="Correct only; the model stays as it is.")
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="N",
    help="Port of this machine, for an SSH tunnel; by default a free one.",
)
@option.random_state
@message_options
@click.pass_obj
def studio(
    console: Console,
    recordings: Path,
    out: Path,
    model: str | None,
    text: bool,
    dictionary: tuple[Path, ...],
    language: str,
    phone_map: str | None,
    tiers: tuple[str, ...],
    channel: int | None,
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
    align studio pieces corrected
    """  # noqa: D301
    try:
        from align.studio.serving import serve
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise ParameterError(
            "align studio needs starlette and uvicorn, which are not installed: "
            'pip install "margin-align[studio]".'
        ) from None
    from align.studio.session import Session

    options: dict[str, Any] = {"text": text, "phone_map": phone_map, "channel": channel}
    options["tiers"] = tiers
    options["dictionary"] = tuple(map(str, dictionary))
    options["language"] = "" if language == "en" else language  # music has none

    def ready(address: str) -> None:
        console.finish()
        click.echo(address)
        console.message("This address lets only you in; keep it to yourself. Ctrl-C ends it.")

    def ending(doing: str) -> None:
        console.message(
            f"It ends after what it is doing now ({doing}); Ctrl-C again ends it at once, and "
            "leaves that for the next time."
        )

    if model is None:
        model = _usual_model(console, recordings, language)
    with console.first_run(f"Opening {recordings} ..."):
        session = Session(
            model,
            recordings,
            out,
            learn=not no_learn,
            random_state=random_state or 0,
            **{name: value for name, value in options.items() if value},
        )
    _tell_of(console, session, recordings, out)
    with session:
        serve(
            session,
            recordings,
            out,
            port=port or 0,
            learn=not no_learn,
            open_browser=not no_browser,
            ready=ready,
            ending=ending,
        )
    console.message(f"All corrections are in {out}; the same command goes on from here.")


def _tell_of(console: Console, session: "Session", recordings: Path, out: Path) -> None:
    """Say what has changed since the last session, and what has no text."""
    for name in session.outdated[:_TOLD]:
        console.warn(
            f"{name}: its text or recording was changed since you corrected it; it is shown as "
            "you corrected it. Give it the new text there (T), or confirm it again as it is."
        )
    if len(session.outdated) > _TOLD:
        console.warn(f"and {len(session.outdated) - _TOLD} more recordings like these.")
    if n := len(session.without_text):
        console.message(
            f"{plural(n, 'recording')} of {len(session.names)} without text: last in the list, "
            "where you can type what is said (T)."
        )
    if session.foreign:
        console.warn(
            f"{plural(len(session.foreign), 'recording')} whose labels in {out} this session has "
            f"not written, or somebody has changed since: {_first(session.foreign)}. They are "
            "left alone; move them away to confirm these recordings here."
        )
    if session.missing:
        console.warn(
            f"{plural(len(session.missing), 'recording')} that you corrected cannot be found "
            f"below {recordings}: {_first(session.missing)}. The corrections are kept, and count "
            "again once files have these names; was a file or a folder renamed?"
        )


def _first(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
    return ", ".join(names[:_TOLD]) + more


def _usual_model(console: Console, recordings: Path, language: str) -> str:
    """Return the bundled model for recordings, one for all, as it is to learn from all."""
    from align.batch.works import work_for
    from align.models.bundled import USUAL_MUSIC, music_model

    if not recordings.is_dir() or work_for("speech").find(str(recordings))[0]:
        return chosen_model(console, None, language)
    pieces, _ = work_for("music").find(str(recordings))
    if not pieces:
        return chosen_model(console, None, language)  # whoever opens them says what is wrong
    named = [music_model(piece.source)[0] for piece in pieces]
    other = [name for name in named if name != USUAL_MUSIC]
    chosen = other[0] if 2 * len(other) > len(named) else USUAL_MUSIC
    n = plural(len(named), "score")
    console.message(
        f"Model {chosen}: {len(other)} of {n} name an instrument that is bowed, blown or sung."
    )
    return chosen
