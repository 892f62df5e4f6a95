"""``align evaluate``: a model on a corpus, or files against true ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from align.cli import option
from align.cli.console import FILE, MODEL, Console, finish, message_options
from align.cli.inputs import read_corpus
from align.cli.outputs import check_free, write_json
from align.errors import ParameterError

if TYPE_CHECKING:
    from align.evaluation.comparison import Comparison
    from align.evaluation.file_result import FileResult
    from align.evaluation.report import Report

Outcome: TypeAlias = tuple[Sequence[tuple[str, str]], str, dict[str, Any]]
"""What failed and why, what to print, and what JSON holds."""


@click.command()
@click.argument("model", metavar="MODEL|SYSTEM_DIR", type=MODEL)
@click.argument("corpus", metavar="CORPUS_DIR", type=FILE)
@click.option(
    "--against",
    type=FILE,
    metavar="OTHER",
    help="A second system, a model or a folder like the first: print how much the two differ, "
    "with 95 % intervals from a paired bootstrap over files.",
)
@option.phone_map(
    "Map the labels of both folders before they are compared, or those of a corpus to what "
    "a model knows; two columns from,to, or timit48, timit39, timit_ipa or xsampa_ipa."
)
@option.encoding("label files, of folders")
@click.option(
    "--tier",
    metavar="NAME",
    help="Of a model: the tier of the corpus to read. Of folders: of the system's TextGrids; "
    "words means those of .wrd files and of the reference, too.",
)
@click.option("--reference-tier", metavar="NAME", help="The tier to read of the true labels.")
@click.option(
    "--merge",
    is_flag=True,
    help="Of folders: join neighbours that have the same label after the map.",
)
@click.option(
    "--by",
    type=click.Choice(["class", "label", "file"]),
    multiple=True,
    help="Print a line for each label, class of boundary or file instead; may be given "
    "several times.",
)
@option.channel
@option.json("Also write the numbers as JSON; with - they are all that goes to standard output.")
@option.overwrite("a JSON file that exists")
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
        failed, text, content = _trees(console, Path(model), corpus, against, by=by, **comparing)
    else:
        tier, phone_map = comparing.pop("reference_tier"), comparing.pop("phone_map")
        if tier is None:  # a corpus has one kind of labels; elsewhere their tier is --tier
            tier = comparing.pop("tier")
        given = [name for name, value in comparing.items() if value]
        if given:
            name = given[0].replace("_", "-")
            raise ParameterError(f"--{name} is for folders of label files, and {model} is none.")

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
                failed, text, content = _against(console, aligner, model, examples, against, by)
            else:
                report = aligner.evaluate(examples, progress=console.progress)
                failed, text, content = report.failed, _tables(report, by), report.to_dict()
    console.finish()
    if json_to is None:  # the table is the result, with --quiet too
        click.echo(text)
    else:
        if not to_stdout:
            console.summary(text)
        write_json(content, json_to, overwrite)
    what = "scored" if of_files else "aligned"
    finish(context, console.failures(failed), f"could not be {what}")


def _holds_results(system: Path) -> bool:
    """Whether a system is a folder or a file of results rather than a model."""
    from align.formats.table import LABEL_FORMATS, MUSIC_FORMATS

    results = LABEL_FORMATS | MUSIC_FORMATS
    return system.is_dir() or (system.is_file() and system.suffix.lower() in results)


def _trees(
    console: Console,
    system: Path,
    reference: Path,
    against: Path | None,
    *,
    phone_map: str | None,
    encoding: str | None,
    tier: str | None,
    reference_tier: str | None,
    merge: bool,
    by: tuple[str, ...],
) -> Outcome:
    """Score a folder of files of labels, notes or beats."""
    from align.evaluation.matching import evaluate_labels
    from align.evaluation.matching_beats import evaluate_beats, holds_beats
    from align.evaluation.matching_notes import evaluate_notes, holds_notes

    if against is not None and not against.exists():
        raise ParameterError(f"{against}: does not exist; --against names a folder of labels.")
    notes = reference.exists() and holds_notes(reference)
    beats = reference.exists() and holds_beats(reference)
    if notes or beats:
        if phone_map or tier or reference_tier or merge or encoding:
            raise ParameterError(
                f"the options of labels are not for notes and beats, as {reference} holds."
            )
        beats = beats and (not notes or holds_beats(system))
        notes = notes and (not beats or holds_notes(system))
        outcomes = []
        if notes:
            matched = partial(evaluate_notes, reference=reference, progress=console.progress)
            found = matched(system)
            other = None if against is None else matched(against)
            outcomes.append(_outcome(found, other, by, system, against))
        if beats:
            if not notes and against is not None:
                raise ParameterError("--against compares labels or notes, not beats.")
            timed = evaluate_beats(system, reference, progress=console.progress)
            text = f"{timed}\n\n{timed.table()}" if "file" in by else str(timed)
            outcomes.append((timed.failed, text, timed.to_dict()))
        return _joined(outcomes)
    options: dict[str, Any] = {
        "phone_map": _read_map(phone_map),
        "encoding": encoding,
        "reference_tier": reference_tier,
        "merge": merge,
        "progress": console.progress,
    }
    labels = evaluate_labels(system, reference, tier=tier, **options)
    # The second system may be another program, whose tiers have other names.
    other = None if against is None else evaluate_labels(against, reference, **options)
    return _outcome(labels, other, by, system, against)


def _outcome(
    found: Any, other: Any, by: tuple[str, ...], system: Path, against: Path | None
) -> Outcome:
    """Return what files have that were matched with true ones, and how those of another differ."""
    text, content = _tables(found.report, by) + found.counts(), found.to_dict()
    if other is not None:
        text += "\n\n" + _compared(found.results, other.results, content, system, against)
    return found.report.failed, text, content


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Return several outcomes as one."""
    failed = [pair for outcome in outcomes for pair in outcome[0]]
    content = {name: value for outcome in outcomes for name, value in outcome[2].items()}
    return failed, "\n\n".join(outcome[1] for outcome in outcomes), content


def _against(
    console: Console, model: Any, name: str, examples: Any, against: Path, by: tuple[str, ...]
) -> Outcome:
    """Score two models on a corpus; what failed is of the first."""
    import align

    other = align.load(str(against))
    if other.kind != model.kind:
        raise ParameterError(
            f"--against compares two models of one kind, not of {model.kind} and {other.kind}."
        )
    results, failed = model.results(examples, console.progress)
    console.finish()
    report = model.report_of(results, failed)
    others, _ = other.results(examples, console.progress)
    content = report.to_dict()
    text = _tables(report, by) + "\n\n" + _compared(results, others, content, name, against)
    return report.failed, text, content


def _compared(
    first: "list[FileResult] | tuple[FileResult, ...]",
    second: "list[FileResult] | tuple[FileResult, ...]",
    content: dict[str, Any],
    one: Any,
    two: Any,
) -> str:
    from align.evaluation.comparison import compare

    comparison: Comparison = compare(first, second)
    content["comparison"] = comparison.to_dict()
    return f"{one} (first) against {two} (second):\n{comparison}"


def _read_map(given: str | None) -> Mapping[str, str] | None:
    if given is None:
        return None
    from align.formats.phone_map import read_phone_map

    return read_phone_map(given)


def _tables(report: "Report", by: tuple[str, ...]) -> str:
    """Return what a report says in short, or the tables that are asked for."""
    quiet = replace(report, failed=())  # which are named on stderr
    if not by:
        return f"{quiet.brief()}\n\n--by class, --by label and --by file give a line for each."
    whole = str(replace(quiet, per_class={}, per_label={}))
    return "\n\n".join([whole, *(_table(report, one) for one in by)])


def _table(report: "Report", by: str) -> str:
    """Return a line for each; of classes, for those that are known and frequent enough."""
    if by != "class":
        return report.table(by)
    from align.evaluation.report_text import FEWEST

    pairs = report.per_class
    kept = {pair: score for pair, score in pairs.items() if score.boundaries >= FEWEST}
    if not kept:
        why = f"no pair has {FEWEST} boundaries" if pairs else "those of these labels are unknown"
        return f"There is no table of classes: {why}."
    text = replace(report, per_class=kept).table(by)
    left = len(pairs) - len(kept)
    return text + (f"\n{left} more with fewer than {FEWEST} boundaries each." if left else "")
