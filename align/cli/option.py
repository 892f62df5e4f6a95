"""Options that several commands have, and how options are put together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from align.cli.console import FILE, MODEL

_F = TypeVar("_F", bound=Callable[..., Any])


class _Option(Protocol):
    """A decorator that leaves the type of a command as it is."""

    def __call__(self, command: _F, /) -> _F: ...


def stacked(*options: Callable[[Any], Any]) -> _Option:
    """Return a decorator that adds options in this order, as where decorators are stacked."""

    def add(command: _F) -> _F:
        for option in reversed(options):  # the first is outermost
            command = option(command)
        return command

    return add


speech_model: _Option = click.option(
    "--model",
    type=MODEL,
    metavar="M",
    help="A model file, or the name of a bundled model. By default that of --language, "
    "such as speech-en, and speech-any where there is none.",
)
"""``--model`` of commands that know the language: None where none is named."""


def music_model(*, of_recording: bool = True) -> _Option:
    """Return ``--model`` of commands that read a score: None where none is named.

    `of_recording` is whether the recording is asked, too.
    """
    more = ", or names none and ensemble finds more of the notes" if of_recording else ""
    return click.option(
        "--model",
        type=MODEL,
        metavar="M",
        help="A model file, or the name of a bundled model. By default ensemble where the score "
        f"names an instrument that is bowed, blown or sung{more}; else piano.",
    )


channel: _Option = click.option(
    "--channel",
    type=click.IntRange(1),
    metavar="N",
    help="Which channel of the recording to take, 1 for the left one; by default their mean.",
)
"""``--channel``, counted from 1; None where none is named."""


def _channels(
    _context: click.Context, _option: click.Parameter, given: tuple[str, ...]
) -> int | dict[str, int] | None:
    found: dict[str, int] = {}
    for value in given:
        name, _, number = value.rpartition("=")
        if not number.strip().isdecimal() or int(number) < 1:
            raise click.BadParameter(f"{value!r} is no channel, such as 1, or Ann=1.")
        found[name.strip()] = int(number)
    if len(found) < len(given) or ("" in found and len(found) > 1):
        raise click.BadParameter("give one channel, or one for each speaker, such as Ann=1.")
    return found.get("", found) if found else None


channels: _Option = click.option(
    "--channel",
    multiple=True,
    callback=_channels,
    metavar="N|NAME=N",
    help="Which channel of the recording to take, 1 for the left one; by default their mean. "
    "Where each speaker of a transcript has a channel, once for each: `--channel Ann=1 "
    "--channel Bob=2`.",
)
"""``--channel`` of texts: a number, or a dict of one for each speaker; or None."""


def output(metavar: str, text: str) -> _Option:
    """Return ``--output`` of a command that needs one file to write."""
    return click.option("-o", "--output", required=True, type=FILE, metavar=metavar, help=text)


def outputs(text: str) -> _Option:
    """Return ``--output`` as the parameter `outputs`; it may be given several times."""
    help = f"Where to write; may be given several times. The suffix decides the format: {text}"
    return click.option(
        "-o", "--output", "outputs", multiple=True, type=FILE, metavar="OUT", help=help
    )


def json(text: str) -> _Option:
    """Return ``--json`` as the parameter `json_to`, a file, or ``-`` for standard output."""
    to = click.Path(path_type=Path, allow_dash=True)
    return click.option("--json", "json_to", type=to, metavar="FILE|-", help=text)


def licence(text: str) -> _Option:
    """Return ``--licence``."""
    return click.option("--licence", default="", metavar="TEXT", help=text)


def scheduler(what: str) -> _Option:
    """Return ``--scheduler``; the text says what for."""
    text = f"{what} a Dask cluster, such as tcp://10.0.0.1:8786."
    return click.option("--scheduler", metavar="ADDRESS", help=text)


def overwrite(what: str) -> _Option:
    """Return ``--overwrite``; the text says what is replaced."""
    return click.option("--overwrite", is_flag=True, help=f"Replace {what}.")


def phone_map(
    text: str = "How phones are called that the model knows by another name: two columns from,to, "
    "or timit48, timit39, timit_ipa, xsampa_ipa. Results keep the names that were given.",
) -> _Option:
    """Return ``--phone-map``."""
    return click.option(
        "--phone-map", metavar="FILE|NAME", type=click.Path(readable=False), help=text
    )


tier: _Option = click.option(
    "--tier",
    metavar="NAME",
    help="The tier of TextGrids that holds the phones; by default phones, or MAU and others.",
)
"""``--tier``, of the labels of a corpus."""


tiers: _Option = click.option(
    "--tier",
    "tiers",
    multiple=True,
    metavar="NAME",
    help="Tier of utterances to read from a TextGrid or a file of ELAN or EXMARaLDA; may be "
    "given several times. By default all interval tiers, each a speaker.",
)
"""``--tier`` as the parameter `tiers`, of transcripts."""


token: _Option = click.option(
    "--token",
    "tokens",
    multiple=True,
    metavar="WORD",
    help="A word of the text that stands for any sound, as [laughter], (inaudible) and xxx "
    "do; may be given several times.",
)
"""``--token`` as the parameter `tokens`."""


trust: _Option = stacked(
    click.option(
        "--trust",
        is_flag=True,
        help="Take it that all of the text was said, and nothing else. By default words that "
        "were not said, and speech that is not in the text, are listed.",
    ),
    click.option(
        "--repair",
        is_flag=True,
        help="Leave words that were not said out of the results, and mark speech that is not "
        "in the text as spn.",
    ),
)
"""``--trust`` and ``--repair`` as the parameters `trust` and `repair`."""


anchors: _Option = click.option(
    "--anchors",
    type=FILE,
    metavar="FILE",
    help="Words or phones whose beginning is known, and is kept: a .csv with the columns "
    "time,label or time,label,index, or the tier of words or phones of a .TextGrid.",
)


slack: _Option = click.option(
    "--slack",
    type=click.FloatRange(0, 60),
    default=0.0,
    metavar="SECONDS",
    help="Speech may begin so long before the interval of its utterance, and end so long "
    "behind it.",
)


strict: _Option = click.option(
    "--strict",
    is_flag=True,
    help="End with status 1 where there is a warning, such as of a low match. What was found "
    "is written all the same.",
)


def score(what: str = "what labels are of that know no score") -> _Option:
    """Return ``--score``, for labels of notes; the text says what it is."""
    formats = ".txt, .svl, .sv.csv, .mid, .jams, note_alignment.tsv, .parangonada.zip"
    text = f"Of music: {what} ({formats})."
    return click.option("--score", type=FILE, metavar="SCORE", help=text)


def encoding(what: str) -> _Option:
    """Return ``--encoding``; the text says of what."""
    return click.option(
        "--encoding",
        metavar="NAME",
        help=f"Encoding of {what}, such as cp1252, if it is neither UTF-8 nor UTF-16.",
    )


def jobs(name: str, what: str) -> _Option:
    """Return ``--jobs`` as the parameter `name`; the text says what does not depend on it."""
    text = f"Processes; by default one for each core. {what} not depend on it."
    return click.option("--jobs", name, type=int, default=-1, metavar="N", help=text)


random_state: _Option = click.option(
    "--seed", "random_state", type=click.IntRange(0), metavar="N", help="By default 0."
)


def dictionary(name: str, metavar: str, text: str) -> _Option:
    """Return ``--dictionary`` as the parameter `name`; it may be given several times."""
    return click.option("--dictionary", name, multiple=True, type=FILE, metavar=metavar, help=text)


def language(text: str) -> _Option:
    """Return ``--language``."""
    return click.option("--language", default="en", show_default=True, metavar="CODE", help=text)
