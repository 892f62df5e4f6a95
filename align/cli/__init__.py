"""The command line, ``align``.

Results go to files or to stdout; progress and messages to stderr. Exit status: 0 done; 1 some data
could not be aligned (each named, the rest done); 2 the command was used wrongly; 130 interrupted.

The modules of commands import nothing heavy: what a command needs is imported when it runs, so
that ``align --help`` is immediate. They call the public Python functions and hold no logic of
their own beyond arguments and messages.
"""

import sys
from contextlib import suppress

import click

import align
from align.cli.adapting import adapt
from align.cli.checking import validate
from align.cli.comparing import evaluate
from align.cli.console import Commands, Console, message_options
from align.cli.corpus_command import corpus
from align.cli.demo_command import demo
from align.cli.files import convert, info, plot
from align.cli.following import follow
from align.cli.models_command import models
from align.cli.music import music
from align.cli.reporting import report, sonify
from align.cli.speech_command import speech
from align.cli.studio_command import studio
from align.cli.texts_command import texts
from align.cli.training import train

__all__ = ["cli", "main"]


@click.group(
    cls=Commands,
    commands=[
        *(demo, speech, music, follow, texts, corpus, train, adapt, evaluate),
        *(validate, info, models, plot, report, studio, sonify, convert),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try `align demo` first: it aligns bundled recordings and shows what comes out.",
)
@click.version_option(align.__version__, package_name="margin-align", prog_name="align")
@message_options
def cli() -> None:
    """Align a recording with the events in it: phones of an utterance, notes of a score.

    Exit status: 0 done; 1 some data could not be aligned (each named, the rest done); 2 wrong
    usage.
    """


def main() -> None:
    """Run the command line; this is the ``align`` script."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a terminal that cannot show IPA gets escapes
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    cli(prog_name="align", obj=Console(own_process=True))
