"""``align demo``."""

from pathlib import Path

import click

from align.cli.console import FILE, Console, message_options
from align.errors import plural


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, type=FILE)
@click.option(
    "--corpus",
    type=FILE,
    metavar="DIR",
    help="Write a small corpus of speech and music to practise on into this new folder instead.",
)
@message_options
@click.pass_obj
def demo(console: Console, folder: Path | None, corpus: Path | None) -> None:
    """Align the bundled recordings and show how well it went.

    Every output format is written into DIR (by default ./align-demo); files of an earlier
    demonstration there are replaced. The errors against the known truth are printed.

    With --corpus, recordings with TextGrids and pieces with scores are written, which the
    tutorials train on; nothing is aligned.
    """
    if corpus is not None:
        if folder is not None:
            raise click.UsageError("Give either DIR or --corpus DIR.")
        from align.cli.demo_corpus import write_demo_corpus

        written = write_demo_corpus(corpus)
        console.summary(f"{plural(len(written), 'file')}: {corpus}; see README.txt there.")
        return
    import align.cli.demonstration

    with console.first_run():
        result = align.cli.demonstration.run(folder or "align-demo", progress=console.progress)
    console.summary(result.text)
