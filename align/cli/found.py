"""What commands say of an alignment that they found: its match, what to look at, warnings."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from align.cli.console import Console
from align.files.names import StrPath

if TYPE_CHECKING:
    from align.results.timing import Timing

_UNSURE = 5  # onsets named with --verbose
_CLEAN = 0.8  # match that clean speech has


def shown_match(match: float | None) -> str:
    """Return what a message says of a match."""
    return "" if match is None else f", match {match:.2f}"


def say_warnings(console: Console, warnings: Sequence[str], strict: bool) -> None:
    """Say what the user should know; with ``--strict`` that ends with status 1."""
    for text in warnings:
        console.warn(text)
    if strict and warnings:
        raise click.exceptions.Exit(1)


def show_details(console: Console, model: str, alignment: "Timing") -> None:
    """Say with ``--verbose`` how long it took, and which onsets deserve a look first."""
    seconds = console.elapsed()
    share = seconds / max(alignment.duration, 1e-9)
    console.detail(f"Model {model}: {seconds:.2f} s, {share:.2f} of the length of the recording.")
    sure = alignment.confidence
    if sure is not None and len(sure):
        unsure = sorted(range(len(sure)), key=lambda k: sure[k])[:_UNSURE]
        names = alignment.names
        shown = ", ".join(
            f"{names[k] or 'silence'} at {alignment.onsets[k]:.3f} s ({sure[k]:.2f})"
            for k in unsure
        )
        console.detail(f"Mean confidence {sure.mean():.2f}; least sure: {shown}.")


def late_in_praat(audio: Iterable[str], targets: Iterable[str]) -> str:
    """Return what is to be said of TextGrids of MP3 files; nothing where there are none.

    Encoders put silence in front of the sound. Others leave it out, Praat plays it.

    Examples
    --------
    >>> late_in_praat(["a.wav", "b.MP3"], ["TextGrid"])[:49]
    'Praat plays MP3 files some 30 to 70 ms later than'
    >>> late_in_praat(["a.wav"], ["TextGrid"]) + late_in_praat(["b.mp3"], ["b.csv"])
    ''
    """
    compressed = any(name.lower().endswith(".mp3") for name in audio)
    if not (compressed and any(name.lower().endswith("textgrid") for name in targets)):
        return ""
    return (
        "Praat plays MP3 files some 30 to 70 ms later than other programs, and so than these "
        "TextGrids; open them there with a WAV or FLAC file made of the recording."
    )


def say_late(console: Console, audio: Path, targets: Sequence[Path]) -> None:
    """Say where Praat plays the recording later than the TextGrids that were written."""
    if said := late_in_praat([str(audio)], map(str, targets)):
        console.message(said)


def is_poor(match: float | None) -> bool:
    """Whether a match is lower than clean speech has, as where a channel holds noise."""
    return match is not None and match < _CLEAN


def say_averaged(console: Console, sound: StrPath, *, several: bool = False) -> None:
    """Say, where something does not fit, that another channel than the speech may be why."""
    from align.features.sound.audio import Channel, audio_info

    channels = audio_info(sound).channels
    if channels > 1 and not isinstance(sound, Channel):
        each = " Name one for each speaker where they have their own." if several else ""
        console.message(
            f"The {channels} channels were averaged; --channel takes one of them.{each}"
        )
