"""``align follow``: where in a score a performance is, while it is played."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli import option
from align.cli.console import FILE, Console, message_options
from align.cli.inputs import check_order
from align.cli.pipes import bytes_of
from align.errors import DataError, ModelError, ParameterError, plural

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Samples = npt.NDArray[np.float32]

_BLOCK = 0.01  # seconds that are read at once
_FILES = (b"RIFF", b"fLaC", b"OggS", b"ID3", b"FORM")  # how files of sound begin, no microphone's


@click.command()
@click.argument("audio", type=click.Path(allow_dash=True, path_type=Path))
@click.argument("score", type=FILE)
@option.music_model(of_recording=False)
@click.option(
    "--lag",
    type=float,
    default=0.3,
    show_default=True,
    metavar="SECONDS",
    help="Seconds of sound after which a note is reported at the latest; at least 0.21.",
)
@click.option(
    "--rate",
    type=int,
    metavar="HZ",
    help="Sampling rate of what comes from standard input.",
)
@click.option(
    "--transpose",
    type=int,
    metavar="N",
    help="Semitones by which the sound is higher than the score, such as -2.",
)
@click.option("--tuning", type=float, metavar="HZ", help="A4 of the sound, such as 415.")
@click.option(
    "--repeats",
    default="all",
    show_default=True,
    metavar="all|none|yn...",
    help="Which repeats of a score in notation will be played: all, none, or a letter y or n for "
    "each in the order of playing.",
)
@option.channel
@click.option("--realtime", is_flag=True, help="Read a file no faster than it sounds.")
@message_options
@click.pass_obj
def follow(
    console: Console,
    audio: Path,
    score: Path,
    model: str | None,
    lag: float,
    rate: int | None,
    transpose: int | None,
    tuning: float | None,
    repeats: str,
    channel: int | None,
    realtime: bool,
) -> None:
    """Report the notes of SCORE as they are played in AUDIO.

    Each chord gets a line of JSON. AUDIO is a file, read as if it were played now, or - for
    standard input: raw samples of 16 bits, little-endian, one channel, at --rate.

    \b
    align follow minuet.flac minuet.mid
    arecord -t raw -f S16_LE -r 44100 | align follow - minuet.mid --rate 44100

    A line has `time`, when the chord began in the sound; `reported`, how much sound had come when
    the line was written; `written`, when the chord begins in the score; all in seconds; `bar` and
    `beat` where the score has them; `tempo`, performed seconds per second of the score; and its
    `notes`.
    """  # noqa: D301
    from align.formats.scores import chords
    from align.models.bundled import USUAL_MUSIC, music_model
    from align.models.loading import load
    from align.music.choosing import named

    live = str(audio) == "-"
    check_order(audio, score)
    if live and rate is None:
        raise ParameterError("standard input needs --rate: raw samples do not say theirs.")
    if not live and rate is not None:
        raise ParameterError("--rate is for standard input; a file says its own.")
    if live and channel is not None:
        raise ParameterError("--channel is for files; standard input has one channel.")
    if model is None:
        model, instruments = music_model(score)
        if model != USUAL_MUSIC:
            console.message(f"Model {model}: {named(instruments)}.")
    aligner = load(model)
    if aligner.kind != "music":
        raise ModelError(f"{model}: is a model of {aligner.kind}, not of music.")
    aligner.set_params(transpose=transpose, tuning=tuning, repeats=repeats)
    if live:
        assert rate is not None
        blocks = _from_input(rate)
    else:
        from align.features.sound.audio import Channel, read_audio

        samples, rate = read_audio(Channel.of(audio, channel), None)
        blocks = _of_file(samples, rate, realtime)
    follower = aligner.follow(score, rate, lag=lag)
    for text in follower.score.warnings:
        console.message(f"Warning: {text}")
    found: set[float] = set()
    for block in blocks:
        found |= _print(follower, follower.feed(block))
    found |= _print(follower, follower.finish())
    if not found:
        raise DataError(
            f"none of its notes was heard; is it {'played' if live else f'in {audio}'}?",
            path=score,
        )
    console.message(f"{len(found)} of {plural(len(chords(follower.score)), 'chord')} were heard.")


def _print(follower: Any, chords: Any) -> set[float]:
    """Print a line for each chord; return when they begin in the score."""
    score = follower.score
    for chord in chords:
        line: dict[str, Any] = {
            "time": round(min(chord.times), 3),
            "reported": round(chord.reported, 3),
            "written": round(chord.written, 3),
        }
        if score.beats is not None:
            bars, beats = score.beats.at([chord.written])
            line |= {"bar": int(bars[0]), "beat": round(float(beats[0]), 3)}
        line["tempo"] = round(chord.tempo, 3)
        line["notes"] = [
            {"note": n, "pitch": int(score.pitches[n]), "time": round(t, 3)}
            for n, t in zip(chord.notes, chord.times, strict=True)
        ]
        click.echo(json.dumps(line))
    if chords:
        sys.stdout.flush()
    return {chord.written for chord in chords}


def _of_file(samples: "Samples", rate: int, realtime: bool) -> Iterator["Samples"]:
    """Yield blocks of a recording, at the speed of the clock where that is asked for."""
    size, begun = max(1, round(_BLOCK * rate)), time.monotonic()
    for at in range(0, len(samples), size):
        if realtime:
            time.sleep(max(0.0, begun + (at + size) / rate - time.monotonic()))
        yield samples[at : at + size]


def _from_input(rate: int) -> Iterator["Samples"]:
    """Yield blocks of standard input as they come."""
    import numpy as np

    size = 2 * max(1, round(_BLOCK * rate))
    stream = bytes_of(sys.stdin, "standard input")
    begun = False
    while data := stream.read(size):
        if not begun and data.startswith(_FILES):
            raise DataError(
                "is a file of sound, not raw samples; name it instead of -, or decode it first.",
                path="standard input",
            )
        begun = True
        whole = data[: len(data) - len(data) % 2]
        yield np.frombuffer(whole, dtype="<i2").astype(np.float32) / np.float32(32768)
