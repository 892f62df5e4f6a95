"""``align train``, ``align evaluate`` and ``align validate``."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

import click

from align.cli.comparing import (
    comparing_options,
    dump,
    evaluate_against,
    evaluate_trees,
    tables,
)
from align.cli.console import FILE, MODEL, Commands, Console, message_options, plural
from align.cli.inputs import read_corpus
from align.cli.options import (
    channel_option,
    jobs_option,
    output_option,
    overwrite_option,
    phone_map_option,
    seed_option,
    stacked,
    tier_option,
)
from align.cli.outputs import check_free, save_model
from align.errors import AlignError, ParameterError

__all__ = [
    "evaluate",
    "finish",
    "found_out",
    "run_training",
    "run_validation",
    "train",
    "training_options",
    "validate",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_POSITIVE = click.FloatRange(0, min_open=True)
_THESIS = "as-in-thesis"


_LEARNER = stacked(
    click.option("--update", type=click.Choice(["perceptron", "pa", "pa1", "pa2", "self-tuned"])),
    click.option("--loss", type=click.Choice(["prediction", "maximal"])),
    click.option("--cost", type=click.Choice(["ramp", "tolerance", "graded", "absolute"])),
    click.option("--tolerance", type=_POSITIVE, metavar="SECONDS"),
    click.option(
        "--conversion", type=click.Choice(["last", "random", "average", "validation", "best"])
    ),
    click.option("-C", "C", type=_POSITIVE, help="Aggressiveness."),
    click.option("--epochs", type=click.IntRange(1), metavar="N", help="Passes over the corpus."),
    seed_option(),
)


def training_options(
    base_functions: str,
    *own: Callable[[Any], Any],
    sets: Sequence[str] = ("default", "thesis", _THESIS),
) -> Callable[[_F], _F]:
    """Add the arguments and options of `run_training`.

    The text says what the sets of base functions are, `own` are the options of this kind.
    """
    return stacked(
        click.argument("corpus", metavar="CORPUS_DIR", type=FILE),
        output_option("MODEL", "The model file."),
        click.option(
            "--features",
            type=click.Choice(sets),
            default="default",
            show_default=True,
            help=f"The base functions: the most accurate ones, {base_functions}; {_THESIS} takes "
            "its learner and its cost, too.",
        ),
        *own,
        click.option(
            "--valid",
            type=FILE,
            metavar="DIR",
            help="A second corpus, to choose among the weights the learner went through.",
        ),
        _LEARNER,
        jobs_option("n_jobs", "The result does"),
        click.option(
            "--licence",
            default="",
            metavar="TEXT",
            help="Licence of the corpus, kept in the model.",
        ),
        channel_option(),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Fit features on a Dask cluster, such as tcp://10.0.0.1:8786.",
        ),
        click.option(
            "--checkpoint",
            type=FILE,
            metavar="DIR",
            help="Where to keep what is done, so that training that was interrupted goes on from "
            "there when started again; by default MODEL.partial. Removed at the end.",
        ),
        overwrite_option("a model that exists"),
        message_options,
    )


@click.group(cls=Commands)
@message_options
def train() -> None:
    """Train a model on a corpus of your own."""


@train.command("speech")
@training_options(
    "those of articulation, for labels in IPA of any language, or the seven of the thesis (models "
    "with these align phones, not texts)",
    phone_map_option(
        "What the classifiers know labels by: two columns from,to, or timit48, timit39 or "
        "timit_ipa or xsampa_ipa. By default timit48; with universal none, as labels are IPA."
    ),
    tier_option(),
    click.option(
        "--language",
        metavar="CODE",
        help="Language of the transcripts, such as de: learn how its words are said, with "
        "espeak-ng. By default English; with universal, nothing is learned of words then.",
    ),
    click.option(
        "--surroundings",
        type=click.IntRange(0),
        metavar="N",
        help="Learn noise, rooms and telephones too, from N copies of each recording (2 is "
        "enough); takes four times as long. With universal rooms alone. By default 0, none.",
    ),
    sets=("default", "universal", "thesis", _THESIS),
)
@click.pass_context
def train_speech(context: click.Context, /, **options: Any) -> None:
    """Learn from the recordings and label files under CORPUS_DIR.

    Each audio file needs labels beside it: the same name with .phn, .TextGrid, .lab, .csv, .eaf,
    .exb or _annot.json.
    Recordings that cannot be used are named at the end, and the exit status is then 1.
    """
    run_training(context, "speech", **options)


_UNITS = {"speech": ("recording", "phone", "events"), "music": ("piece", "note", "notes")}
"""What recordings and events of each kind are called, the last in the model."""


def run_training(
    context: click.Context,
    kind: str,
    *,
    corpus: Path,
    output: Path,
    valid: Path | None,
    licence: str,
    overwrite: bool,
    tier: str | None = None,
    channel: int | None = None,
    **options: Any,
) -> None:
    """Train an aligner of a kind with the options that were given, save it and say so."""
    console: Console = context.obj
    check_free(output, overwrite)

    import align
    from align.batch.pool import connected
    from align.sequence.learning.checkpoint import Checkpoint

    given: dict[str, Any] = {"kind": kind, "tier": tier, "channel": channel}
    examples = read_corpus(console, corpus, **given)
    validation = None if valid is None else read_corpus(console, valid, **given)
    chosen = {name: value for name, value in options.items() if value is not None}
    checkpoint = Checkpoint(chosen.pop("checkpoint", f"{output}.partial"))
    scheduler = chosen.pop("scheduler", None)
    if validation is not None:
        chosen.setdefault("conversion", "validation")
    aligner = align.SpeechAligner if kind == "speech" else align.MusicAligner
    if chosen["features"] == _THESIS:
        model = aligner.as_in_thesis(**{k: v for k, v in chosen.items() if k != "features"})
    else:
        model = aligner(**chosen)
    recording, event, events = _UNITS[kind]
    console.detail(f"{model!r} on {plural(len(examples), recording)}")
    with checkpoint, nullcontext() if scheduler is None else connected(scheduler):
        try:
            model.fit(
                examples, validation=validation, progress=console.progress, checkpoint=checkpoint
            )
        except AlignError:
            raise
        except BaseException:  # Ctrl-C, SIGTERM, a process or memory that is gone
            console.message("The same command goes on from here.")
            raise
        save_model(model, output, licence=licence)  # replaces; whether it may was asked above
        checkpoint.remove()
    failed = console.failures(model.problems_)
    used: dict[str, Any] = model.training_
    console.message(
        f"Trained on {plural(used['recordings'], recording)} "
        f"({plural(used[events], event)}, {used['seconds'] / 60:.1f} minutes) "
        f"in {console.elapsed():.0f} s: {output}"
    )
    finish(context, failed, "could not be used")


@click.command()
@click.argument("model", metavar="MODEL|SYSTEM_DIR", type=MODEL)
@click.argument("corpus", metavar="CORPUS_DIR", type=FILE)
@comparing_options
@channel_option()
@click.option(
    "--json",
    "json_to",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write the numbers as JSON; with - they are all that goes to standard output.",
)
@overwrite_option("a JSON file that exists")
@message_options
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    model: str,
    corpus: Path,
    json_to: Path | None,
    overwrite: bool,
    against: Path | None,
    by: tuple[str, ...],
    channel: int | None,
    **comparing: Any,
) -> None:
    """Score a model on a corpus, or files against true ones.

    \b
    align evaluate speech-en checked       a model, on a corpus
    align evaluate mine.align checked --against speech-en
    align evaluate speech-any timit --phone-map timit_ipa
    align evaluate results references      two folders of labels, without a model
    align evaluate results references --against others --phone-map timit39

    Beats, such as align music --beats writes, are scored by mir_eval (the extra mir). Truths are
    piece/truth.beats.csv or, with a time on each line, piece.beats.txt.

    MODEL is a model file or the name of a bundled model. The first phone of a recording that
    starts at time 0 is not scored; every other start is. Label files of two folders belong
    together where their paths are the same up to the suffix.
    """  # noqa: D301
    console: Console = context.obj
    to_stdout = json_to is not None and str(json_to) == "-"
    if json_to is not None and not to_stdout:
        check_free(json_to, overwrite)
    of_files = _holds_results(Path(model))
    if of_files:
        if channel is not None:
            raise ParameterError(f"--channel is for recordings, and {model} holds results.")
        failed, text, content = evaluate_trees(
            console, Path(model), corpus, against, by=by, **comparing
        )
    else:
        tier, phone_map = comparing.pop("reference_tier"), comparing.pop("phone_map")
        given = [name for name, value in comparing.items() if value]
        if given:
            option = given[0].replace("_", "-")
            raise ParameterError(f"--{option} is for folders of label files, and {model} is none.")

        import align

        aligner = align.load(model)
        if phone_map is not None and aligner.kind != "speech":
            raise ParameterError(f"--phone-map is for labels of phones, and {model} knows none.")
        examples: Any = read_corpus(console, corpus, kind=aligner.kind, tier=tier, channel=channel)
        if phone_map is not None:
            from align.corpus.ipa import to_ipa

            examples = to_ipa(examples, phone_map)
        with console.first_run():
            if against is not None:
                failed, text, content = evaluate_against(
                    console, aligner, model, examples, against, by
                )
            else:
                report = aligner.evaluate(examples, progress=console.progress)
                failed, text, content = report.failed, tables(report, by), report.to_dict()
    console.finish()
    if to_stdout:
        click.echo(dump(content))
    elif json_to is None:  # the table is the result, with --quiet too
        click.echo(text)
    else:
        from align.formats import atomic_write

        console.summary(text)
        atomic_write(json_to, dump(content) + "\n", overwrite=overwrite)
    what = "scored" if of_files else "aligned"
    finish(context, console.failures(failed), f"could not be {what}")


def _holds_results(system: Path) -> bool:
    """Whether a system is a folder or a file of results rather than a model."""
    from align.formats.table import LABEL_FORMATS, MUSIC_FORMATS

    results = LABEL_FORMATS | MUSIC_FORMATS
    return system.is_dir() or (system.is_file() and system.suffix.lower() in results)


@click.group(cls=Commands)
@message_options
def validate() -> None:
    """Check a corpus before hours are spent on it."""


def run_validation(context: click.Context, kind: str, corpus: Path) -> None:
    """Check a corpus of a kind, and print what was found."""
    console: Console = context.obj

    from align.corpus.validation import validate_corpus

    found = validate_corpus(corpus, kind=kind, progress=console.progress)
    found_out(console, str(found), bool(found.problems))
    context.exit(1 if found.problems else 0)


def found_out(console: Console, text: str, problems: bool) -> None:
    """Print what a check found; with ``--quiet`` only where there are problems."""
    console.summary(text)
    if problems and console.verbosity < 0:
        click.echo(text)


def finish(context: click.Context, failed: int, what: str) -> None:
    """End with status 1 where recordings failed."""
    if failed:
        context.obj.message(f"{plural(failed, 'recording')} {what}; they are named above.")
        context.exit(1)
