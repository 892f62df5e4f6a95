"""``align train``, ``align evaluate`` and ``align validate``."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from align.cli.aligning import check_free
from align.cli.console import Commands, Console, message_options, plural

__all__ = ["evaluate", "train", "validate"]


@click.group(cls=Commands)
@message_options
def train() -> None:
    """Train a model on a corpus of your own."""


@train.command("speech")
@click.argument("corpus", metavar="CORPUS_DIR", type=Path)
@click.option("-o", "--output", required=True, type=Path, metavar="MODEL", help="The model file.")
@click.option(
    "--features",
    type=click.Choice(["default", "thesis"]),
    default="default",
    show_default=True,
    help="The base functions: the most accurate ones, or the seven of the thesis.",
)
@click.option(
    "--valid",
    type=Path,
    metavar="DIR",
    help="A second corpus, to choose among the weights the learner went through.",
)
@click.option("--update", type=click.Choice(["perceptron", "pa", "pa1", "pa2", "self-tuned"]))
@click.option("--loss", type=click.Choice(["prediction", "maximal"]))
@click.option("--cost", type=click.Choice(["ramp", "tolerance", "graded", "absolute"]))
@click.option("--tolerance", type=click.FloatRange(0, min_open=True), metavar="SECONDS")
@click.option(
    "--conversion", type=click.Choice(["last", "random", "average", "validation", "best"])
)
@click.option("-C", "C", type=click.FloatRange(0, min_open=True), help="Aggressiveness.")
@click.option("--epochs", type=click.IntRange(1), metavar="N", help="Passes over the corpus.")
@click.option("--seed", "random_state", type=click.IntRange(0), metavar="N", help="By default 0.")
@click.option(
    "--jobs",
    "n_jobs",
    type=int,
    default=-1,
    metavar="N",
    help="Processes; by default one for each core. The result does not depend on it.",
)
@click.option(
    "--licence", default="", metavar="TEXT", help="Licence of the corpus, kept in the model."
)
@click.option("--overwrite", is_flag=True, help="Replace a model that exists.")
@message_options
@click.pass_context
def train_speech(
    context: click.Context,
    /,
    corpus: Path,
    output: Path,
    valid: Path | None,
    licence: str,
    overwrite: bool,
    **options: Any,
) -> None:
    """Learn from the recordings and label files under CORPUS_DIR.

    Each audio file needs labels beside it: the same name with .phn, .TextGrid, .lab or .csv.
    Recordings that cannot be used are named at the end, and the exit status is then 1.
    """
    console: Console = context.obj
    check_free(output, overwrite)

    import align

    examples = align.read_corpus(corpus, kind="speech")
    validation = None if valid is None else align.read_corpus(valid, kind="speech")
    chosen = {name: value for name, value in options.items() if value is not None}
    if validation is not None:
        chosen.setdefault("conversion", "validation")
    model = align.SpeechAligner(**chosen)
    console.detail(f"{model!r} on {plural(len(examples), 'recording')}")
    begin = time.perf_counter()
    model.fit(examples, validation=validation, progress=console.progress)
    model.save(output, licence=licence)  # replaces; whether it may was asked above
    failed = console.failures(model.problems_)
    used: dict[str, Any] = model.training_
    console.message(
        f"Trained on {plural(used['recordings'], 'recording')} "
        f"({plural(used['events'], 'phone')}, {used['seconds'] / 60:.1f} minutes) "
        f"in {time.perf_counter() - begin:.0f} s: {output}"
    )
    _finish(context, failed, "could not be used")


@click.command()
@click.argument("model")
@click.argument("corpus", metavar="CORPUS_DIR", type=Path)
@click.option(
    "--json",
    "json_to",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write the numbers as JSON; with - they are all that goes to standard output.",
)
@click.option("--overwrite", is_flag=True, help="Replace a JSON file that exists.")
@message_options
@click.pass_context
def evaluate(
    context: click.Context, model: str, corpus: Path, json_to: Path | None, overwrite: bool
) -> None:
    """Align a corpus whose labels are known, and print the errors.

    MODEL is a model file or the name of a bundled model. The first phone of a recording that
    starts at time 0 is not scored; every other start is.
    """
    console: Console = context.obj
    to_stdout = json_to is not None and str(json_to) == "-"
    if json_to is not None and not to_stdout:
        check_free(json_to, overwrite)

    import align

    aligner = align.load(model)
    examples = align.read_corpus(corpus, kind=aligner.kind)
    with console.first_run():
        report = aligner.evaluate(examples, progress=console.progress)
    console.finish()
    if to_stdout:
        click.echo(json.dumps(report.to_dict(), indent=1, allow_nan=False))
    else:
        click.echo(str(replace(report, failed=())))  # which are named on stderr
        if json_to is not None:
            report.to_json(json_to, overwrite=overwrite)
    _finish(context, console.failures(report.failed), "could not be aligned")


@click.group(cls=Commands)
@message_options
def validate() -> None:
    """Check a corpus before hours are spent on it."""


@validate.command("speech")
@click.argument("corpus", metavar="CORPUS_DIR", type=Path)
@message_options
@click.pass_context
def validate_speech(context: click.Context, corpus: Path) -> None:
    """List what is wrong with the recordings and label files under CORPUS_DIR.

    Errors make a recording useless and the exit status 1; warnings only deserve a look.
    """
    console: Console = context.obj

    from align.corpus import validate_corpus

    found = validate_corpus(corpus, kind="speech", progress=console.progress)
    console.finish()
    click.echo(str(found))
    context.exit(1 if found.problems else 0)


def _finish(context: click.Context, failed: int, what: str) -> None:
    if failed:
        context.obj.message(f"{plural(failed, 'recording')} {what}; they are named above.")
        context.exit(1)
