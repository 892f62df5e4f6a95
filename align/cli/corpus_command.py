"""``align corpus speech`` and ``align corpus music``: every recording of a folder."""

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from align.cli import option
from align.cli.console import FILE, Commands, Console, message_options
from align.cli.inputs import chosen_model
from align.errors import plural

if TYPE_CHECKING:
    from align.batch.summary import CorpusRun

_F = TypeVar("_F", bound=Callable[..., Any])
_SHOWN = 10  # warnings; all are in the table


@click.group(cls=Commands)
@message_options
def corpus() -> None:
    """Align every recording of a folder; a second run resumes."""


_SHARED = option.stacked(
    click.argument("in_dir", metavar="IN_DIR", type=FILE),
    click.argument("out_dir", metavar="OUT_DIR", type=FILE),
    option.jobs("jobs", "The outputs do"),
    option.scheduler("Use the workers of"),
    click.option(
        "--send-files",
        is_flag=True,
        help="Send the recordings to the cluster; else its workers read them by their paths.",
    ),
    click.option(
        "--overwrite",
        is_flag=True,
        help="Do everything again, and replace what is there, edited by hand or not.",
    ),
    option.strict,
    message_options,
)
"""What speech and music have in common."""


def _format_option(names: str, default: str) -> Callable[[_F], _F]:
    return click.option(
        "--format",
        "formats",
        multiple=True,
        metavar="FORMAT",
        help=f"{names}; may be given several times. By default {default}.",
    )


@corpus.command("speech")
@_SHARED
@option.speech_model
@option.channels
@_format_option(
    "TextGrid, csv, tsv, json, ctm, lab, phn, txt (Audacity), eaf (ELAN), exb (EXMARaLDA), emu, "
    "emuDB (OUT_DIR is then a database of EMU with the recordings, and called so: NAME_emuDB), "
    "vtt, srt (subtitles) or rttm",
    "TextGrid",
)
@click.option(
    "--from",
    "suffix",
    metavar="SUFFIX",
    help="Which files say what is spoken, such as .txt; by default the first there is of .phones, "
    ".phn, .TextGrid, .lab, .csv (phones; times are not used), .txt, .vtt, .srt, .cha and .docx "
    "(transcripts).",
)
@click.option("--text", is_flag=True, help="The files hold words, whatever their suffix.")
@click.option(
    "--dictionary",
    multiple=True,
    metavar="FILE",
    help="Pronunciations for transcripts; may be given several times, the first that has a word "
    "counts. By default CMUdict for English.",
)
@option.language("Of transcripts: en, de, fr ...; it also decides the model.")
@option.phone_map()
@option.tiers
@option.encoding("the files that say what is spoken")
@option.token
@option.trust
@option.slack
@click.pass_context
def corpus_speech(context: click.Context, /, **options: Any) -> None:
    """Align the recordings below IN_DIR with the phones or transcripts beside them.

    OUT_DIR mirrors IN_DIR; the folder of a recording is taken for its speaker. What is there
    already and has not changed is left alone, so a run that was interrupted is started again with
    the same command. Recordings that fail are named at the end, and the exit status is then 1;
    OUT_DIR/quality.csv lists what deserves a look first.

    \b
    align corpus speech recordings aligned
    align corpus speech recordings aligned --format TextGrid --format csv --jobs 4
    align corpus speech recordings speech_emuDB --format emuDB
    """  # noqa: D301
    options["model"] = chosen_model(context.obj, options["model"], options["language"])
    _run(context, "speech", **options)


@corpus.command("music")
@_SHARED
@option.music_model()
@option.channel
@_format_option(
    "csv, tsv, mid, json, txt (Audacity), svl, sv.csv, tempo.csv, beats.csv, beats.txt, "
    "beats.svl, match or jams",
    "csv",
)
@click.option(
    "--repeats",
    type=click.Choice(["as-written", "all", "none", "auto"]),
    default="auto",
    show_default=True,
    help="Which repeats of scores in notation were played: those written, which is all; none; or "
    "each as the recording shows.",
)
@click.pass_context
def corpus_music(context: click.Context, /, repeats: str, **options: Any) -> None:
    """Align the pieces below IN_DIR: recordings with their scores.

    A piece is a recording and a score of the same name, minuet.flac and minuet.mid or
    minuet.musicxml, or a folder with an audio file and a file score.mid, score.musicxml or
    score.csv; it becomes a file of its name in OUT_DIR, which mirrors IN_DIR. Without --model
    each piece takes the bundled model that fits it; quality.csv says which. The rest is as for
    `align corpus speech`.

    \b
    align corpus music pieces aligned --format csv --format mid
    """  # noqa: D301
    _run(context, "music", repeats="all" if repeats == "as-written" else repeats, **options)


def _run(
    context: click.Context,
    kind: str,
    *,
    in_dir: Path,
    out_dir: Path,
    strict: bool,
    **options: Any,
) -> None:
    console: Console = context.obj

    from align.batch.run import align_corpus
    from align.progress import ProgressLine

    line = ProgressLine(sys.stderr) if sys.stderr.isatty() and console.verbosity >= 0 else None
    done = 0

    def progress(stage: str, n: int, total: int) -> None:
        nonlocal done
        done = n
        (line or console.progress)(stage, n, total)

    try:
        with console.first_run():
            run = align_corpus(in_dir, out_dir, kind, progress=progress, **options)
    except (KeyboardInterrupt, SystemExit):
        if line is not None:
            line.finish()
        console.message(
            f"{plural(done, 'recording')} done in this run; the same command goes on from here."
        )
        raise
    finally:
        if line is not None:
            line.finish()
    console.finish()
    if console.verbosity >= 0:
        click.echo(run.summary(reasons=False))
        if all(name != run.table for name, _ in run.failed):
            console.message(f"What deserves a look first: {run.table}")
        if kind == "speech":
            _say_late(console, in_dir, run, options["formats"] or ("TextGrid",))
    elif run.shifted:
        console.warn(run.shifted)
    failed = console.failures(run.failed, run.table)
    _warn(console, run)
    if failed:
        console.message(f"{plural(failed, 'recording')} could not be aligned; see above.")
        if kind == "speech" and all("has no file beside it" in why for _, why in run.failed):
            from align.corpus.text_tables import find_table

            table = find_table(in_dir)
            console.message(
                f"Where one file has the texts of them, `align texts FILE {in_dir}` puts them "
                "there."
                if table is None
                else f"{table} has the texts; `align texts {shlex.quote(table)} "
                f"{shlex.quote(str(in_dir))}` puts them beside the recordings."
            )
    if failed or (strict and run.warned):
        context.exit(1)


def _say_late(console: Console, in_dir: Path, run: "CorpusRun", formats: Sequence[str]) -> None:
    """Say where Praat plays recordings later than the TextGrids that were written."""
    from align.cli.found import late_in_praat

    every = (f"{name}{suffix}" for name in run.aligned for suffix in (".mp3", ".MP3"))
    there = [name for name in every if (in_dir / name).is_file()]
    if said := late_in_praat(there, formats):
        console.message(said)


def _warn(console: Console, run: "CorpusRun") -> None:
    """Print what was found to be wrong, a line each; of many only the first of each recording."""
    lines = [f"{quality.name}: {text}" for quality in run.warned for text in quality.said]
    if len(lines) > _SHOWN:
        lines = [f"{q.name}: {q.said[0]}{_more(len(q.said) - 1)}" for q in run.warned[:_SHOWN]]
    for line in lines:
        console.warn(line)
    if len(run.warned) > len(lines):
        console.warn(f"and {len(run.warned) - _SHOWN} more recordings; see {run.table}.")


def _more(count: int) -> str:
    return f" (and {count} more)" if count else ""
