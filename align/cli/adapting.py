"""``align adapt``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli import option
from align.cli.console import FILE, MODEL, Console, finish, message_options
from align.cli.inputs import read_corpus
from align.cli.outputs import check_free, save_model, write_json
from align.errors import plural

if TYPE_CHECKING:
    from align.sequence.adapt import Comparison
    from align.types import Example

_FEWEST = 3  # recordings that can be compared on


@click.command()
@click.argument("model", type=MODEL)
@click.argument("corpus", metavar="CORPUS_DIR", type=FILE)
@option.output("NEW", "The new model.")
@click.option(
    "--compare/--no-compare",
    default=True,
    help="Whether to print first, from folds of the corpus that are held out in turn, how well "
    "the model does before and after; by default it is done.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    metavar="N",
    help="How many folds to compare on.",
)
@option.json(
    "Also write what the comparison found as JSON; with - to standard output, instead of the "
    "table."
)
@click.option(
    "--from-text",
    is_flag=True,
    help="Learn from transcripts (.txt) alone, in which nothing has a time. MODEL must be one of "
    "phones in the IPA, such as speech-any; nothing is compared.",
)
@option.tier
@option.channel
@option.language("Of the transcripts: de, fr ...")
@option.dictionary("dictionaries", "FILE", "Of the transcripts: pronunciations; can be repeated.")
@click.option(
    "--steps",
    type=click.IntRange(1),
    metavar="N",
    help="Updates of each network; by default 40 or half the seconds of sound, if that is more, "
    "and 400 at most; of music 300 at least.",
)
@option.random_state
@option.jobs("n_jobs", "The result does")
@option.licence("Licence of your recordings, kept in the new model beside that of MODEL.")
@option.overwrite("files that exist")
@message_options
@click.pass_context
def adapt(
    context: click.Context,
    /,
    model: str,
    corpus: Path,
    output: Path,
    compare: bool,
    folds: int,
    json_to: Path | None,
    from_text: bool,
    language: str,
    dictionaries: tuple[str, ...],
    licence: str,
    overwrite: bool,
    tier: str | None,
    channel: int | None,
    **options: Any,
) -> None:
    """Adapt MODEL to a few recordings that you have corrected.

    \b
    align adapt speech-en corrected -o mine.align
    align adapt speech-any recordings --from-text --language fr -o fr.align

    Five to fifty recordings with their labels beside them, as for align train, are enough: of a
    voice, a dialect, or a way of labelling of your own. With --from-text a transcript beside each
    recording is enough, of some minutes in all. The model itself is not changed.
    """  # noqa: D301
    console: Console = context.obj
    to_stdout = json_to is not None and str(json_to) == "-"
    for path in (output, None if to_stdout else json_to):
        if path is not None:
            check_free(path, overwrite)

    import align
    from align.sequence import adapt as adapting

    aligner = align.load(model)
    chosen = {name: value for name, value in options.items() if value is not None}
    about: dict[str, Any] = {"source": Path(model).name.removesuffix(".align"), "licence": licence}
    about["progress"] = console.progress
    if from_text:
        from align.speech.text import adapt_to_texts

        read, unread = _with_text(corpus, channel)
        own: dict[str, Any] = {"language": language, "dictionary": dictionaries or None}
        adapted = adapt_to_texts(aligner, read, steps=options["steps"], **own, **about)
        adapted.problems_ = [*unread, *adapted.problems_]
        _finish(context, adapted, output)
        return
    examples = read_corpus(console, corpus, kind=aligner.kind, tier=tier, channel=channel)
    if compare and len(examples) < _FEWEST:
        console.message(f"Fewer than {_FEWEST} recordings: what it brings cannot be measured.")
    elif compare:
        with console.first_run():
            found = adapting.compare(
                aligner, list(examples), n_folds=folds, progress=console.progress, **chosen
            )
        console.finish()
        if not to_stdout:
            _show(console, found)
        if json_to is not None:
            both = {"before": found.before.to_dict(), "after": found.after.to_dict()}
            write_json(both, json_to, overwrite)
    _finish(context, adapting.adapt(aligner, examples, **about, **chosen), output)


def _show(console: Console, found: "Comparison") -> None:
    """Print what adapting brings on recordings that are held out."""
    console.summary(f"{found.before.boundaries} boundaries of held-out recordings\n{found}")
    if found.after.mean_abs_ms >= found.before.mean_abs_ms:
        console.message(
            "The new model is no better than the one it came from: correct more "
            "recordings, or go on with that one."
        )


def _with_text(folder: Path, channel: int | None) -> "tuple[list[Example], list[tuple[str, str]]]":
    """Return the recordings of a folder that have a transcript, and those that have none."""
    from align.batch.speech_work import SpeechWork
    from align.speech.text import read_transcript
    from align.types import Example

    tasks, problems = SpeechWork(".txt", channel=channel).find(str(folder))
    examples = []
    for task in tasks:
        said = read_transcript(task.source, recording=task.audio)
        examples.append(Example(task.recording, (), text=" ".join(u.text for u in said)))
    return examples, problems


def _finish(context: click.Context, adapted: Any, output: Path) -> None:
    """Save a new model, and say what it was adapted to."""
    console: Console = context.obj
    save_model(adapted, output)
    failed = console.failures(adapted.problems_)
    used = adapted.training_["adapted"]["recordings"]
    console.message(
        f"Adapted to {plural(used, 'recording')} in {console.elapsed():.0f} s: {output}"
    )
    finish(context, failed, "could not be used")
