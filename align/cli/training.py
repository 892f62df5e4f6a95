"""``align train``."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from align.cli import option
from align.cli.console import FILE, Commands, Console, finish, message_options
from align.cli.inputs import read_corpus
from align.cli.outputs import check_free, save_model
from align.errors import AlignError, plural

if TYPE_CHECKING:
    from align.types import Example

_F = TypeVar("_F", bound=Callable[..., Any])
_POSITIVE = click.FloatRange(0, min_open=True)
_THESIS = "as-in-thesis"


_LEARNER = option.stacked(
    click.option("--update", type=click.Choice(["perceptron", "pa", "pa1", "pa2", "self-tuned"])),
    click.option("--loss", type=click.Choice(["prediction", "maximal"])),
    click.option("--cost", type=click.Choice(["ramp", "tolerance", "graded", "absolute"])),
    click.option("--tolerance", type=_POSITIVE, metavar="SECONDS"),
    click.option(
        "--conversion", type=click.Choice(["last", "random", "average", "validation", "best"])
    ),
    click.option("-C", "C", type=_POSITIVE, help="Aggressiveness."),
    click.option("--epochs", type=click.IntRange(1), metavar="N", help="Passes over the corpus."),
    option.random_state,
)


def _options(
    base_functions: str,
    *own: Callable[[Any], Any],
    sets: Sequence[str] = ("default", "thesis", _THESIS),
) -> Callable[[_F], _F]:
    """Add the arguments and options of `_run`.

    The text says what the sets of base functions are, `own` are the options of this kind.
    """
    return option.stacked(
        click.argument("corpus", metavar="CORPUS_DIR", type=FILE),
        option.output("MODEL", "The model file."),
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
        option.jobs("n_jobs", "The result does"),
        option.licence("Licence of the corpus, kept in the model."),
        option.channel,
        option.scheduler("Fit features on"),
        click.option(
            "--checkpoint",
            type=FILE,
            metavar="DIR",
            help="Where to keep what is done, so that training that was interrupted goes on from "
            "there when started again; by default MODEL.partial. Removed at the end.",
        ),
        option.overwrite("a model that exists"),
        message_options,
    )


@click.group(cls=Commands)
@message_options
def train() -> None:
    """Train a model on a corpus of your own."""


@train.command("speech")
@_options(
    "those of articulation, for labels in IPA of any language, or the seven of the thesis (models "
    "with these align phones, not texts)",
    option.phone_map(
        "What the classifiers know labels by: two columns from,to, or timit48, timit39 or "
        "timit_ipa or xsampa_ipa. By default timit48; with universal none, as labels are IPA."
    ),
    option.tier,
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
    _run(context, "speech", **options)


@train.command("music")
@_options("or the ten of the thesis")
@click.pass_context
def train_music(context: click.Context, /, **options: Any) -> None:
    """Learn from the pieces under CORPUS_DIR.

    Each piece is a folder with audio.wav (or .flac, .mp3), score.mid (or .musicxml, .csv) and
    truth.csv, or three files of one name, x.flac, x.mid and x.truth.csv. The truth is a table
    with the columns score_onset_s, pitch and performed_onset_s; such as `align music` writes,
    once it has been corrected. CORPUS_DIR may also be a manifest: a table with the columns
    audio, score and truth. Pieces that cannot be used are named at the end, and the exit status
    is then 1.
    """
    _run(context, "music", **options)


_UNITS = {"speech": ("recording", "phone", "events"), "music": ("piece", "note", "notes")}
"""What recordings and events of each kind are called, the last in the model."""


def _run(
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
    if kind == "speech" and chosen["features"] != "universal":
        _tell_of_ipa(console, examples)
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


def _tell_of_ipa(console: Console, examples: "Iterable[Example]") -> None:
    """Say what else can be learned of labels in the IPA: by default a model knows those it met."""
    from align.speech.labels import only_ipa

    if only_ipa(str(event) for example in examples for event in example.events):
        console.message(
            "The labels are IPA: a model of --features universal also aligns phones that are not "
            "among them, and align adapt speech-any begins with those of many languages."
        )
