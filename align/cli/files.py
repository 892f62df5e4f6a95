"""``align info``, ``align plot`` and ``align convert``."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from align.cli import option
from align.cli.console import FILE, MODEL, Console, message_options
from align.cli.outputs import SHOWN, check_free, check_output
from align.cli.pipes import named, standard_output
from align.errors import ParameterError, plural

if TYPE_CHECKING:
    from align.formats import Tiers
    from align.results.timing import Timing


@click.command()
@click.argument("model", type=MODEL)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@message_options
def info(model: str, as_json: bool) -> None:
    """Show what MODEL is: its kind, labels, training data and licence.

    MODEL is a model file or the name of a bundled model; of the latter, also the card: intended
    use, training data, and accuracy on recordings that were held out.
    """
    from align.files.model_file import read_model
    from align.models.loading import model_path

    path = model_path(model)
    kind, header, arrays = read_model(path)
    if as_json:
        shapes = {name: list(array.shape) for name, array in arrays.items()}
        click.echo(json.dumps({"path": path, "kind": kind, **header, "arrays": shapes}, indent=1))
        return
    for name, value in _summary(path, kind, header, arrays):
        click.echo(f"{name + ':' if name else '':<16}{value}")
    if path != model:
        from align.models.bundled import model_card

        click.echo(f"\n{model_card(model).text()}")


def _adaptations(training: dict[str, Any], recordings: str) -> list[tuple[str, str]]:
    """Lines that say what a model was adapted to, and which model that was before; last first."""
    rows = []
    adapted = training.get("adapted")
    while isinstance(adapted, dict):
        minutes = adapted.get("seconds", 0.0) / 60
        origin = adapted.get("from", {})
        of = f", from {origin['model']}" if origin.get("model") else ""
        count = adapted.get("recordings", 0)
        rows.append(("adapted to", f"{count} {recordings}, {minutes:.1f} minutes{of}"))
        adapted = origin.get("adapted")
    return rows


def _not_learned(kind: str, header: dict[str, Any], arrays: dict[str, Any]) -> list[str]:
    """Return what a model might have learned and did not; general numbers stand in for it."""
    if kind != "speech":
        return []
    params = header.get("params", {})
    in_ipa, language = "universal" in (params.get("features") or ()), params.get("language")
    lacks = []
    if header.get("match", True) is None:  # models of before have none, and are given one
        lacks.append("whether a recording and its transcript belong together")
    if not header.get("realisations") and (language or not in_ipa):
        lacks.append("how words are said")
    if "unspoken" not in arrays and not in_ipa and (language or "en").startswith("en"):
        lacks.append("what tells words that were not said")
    return lacks


def _summary(
    path: str, kind: str, header: dict[str, Any], arrays: dict[str, Any]
) -> list[tuple[str, str]]:
    """Lines of a summary: what, and its value."""
    from align.models.bundled import trained_on

    rows = [("model", path), ("kind", kind)]
    params = header.get("params", {})
    named = params.get("features") or []
    named = [named] if isinstance(named, str) else named
    names = [str(state.get("name", "?")) for state in header.get("features", [])]
    inner = f" ({', '.join(names)})" if names else ""
    rows.append(("features", (", ".join(map(str, named)) + inner).strip()))
    if "hop" in header:
        rows.append(("frames", f"{1000 * header['hop']:g} ms"))
    training = header.get("training", {})
    if amount := trained_on(kind, training, events="labels"):
        rows.append(("trained on", amount))
    if training.get("surroundings"):
        rows.append(("surroundings", ", ".join(["as recorded", *training["surroundings"]])))
    if "texts" in training:
        left_out, n = training.get("texts_left_out", 0), len(header.get("realisations") or {})
        used = f"of {training['texts']} recordings, {left_out} left out; {n} costs of realisations"
        rows.append(("texts", used))
    rows += [("not learned", what) for what in _not_learned(kind, header, arrays)]
    rows += _adaptations(training, "pieces" if kind == "music" else "recordings")
    settings = ("update", "loss", "C", "epochs", "conversion", "cost", "tolerance", "random_state")
    learned = ", ".join(f"{name}={params[name]}" for name in settings if name in params)
    if learned:
        rows.append(("learner", learned))
    weights = arrays.get("coef")
    if weights is not None:
        for i, (name, weight) in enumerate(
            zip(header.get("base_functions", []), weights.ravel().tolist(), strict=False)
        ):
            rows.append(("weights" if i == 0 else "", f"{weight:+.4f}  {name}"))
    labels = [str(label) for label in header.get("labels", [])]
    if labels:
        rows.append(("labels", f"{len(labels)}: {' '.join(labels)}"))
    rows.append(("data licence", header.get("licence") or "not stated"))
    return rows


@click.command()
@click.argument("audio", type=FILE)
@click.argument("labels", type=FILE)
@click.option("--reference", type=FILE, metavar="LABELS", help="True labels to draw beside them.")
@click.option(
    "--tier",
    metavar="NAME",
    help="The tier that is drawn as boundaries; by default the phones, of several speakers those "
    "of who says most.",
)
@option.score()
@click.option(
    "--span",
    type=click.FloatRange(0),
    nargs=2,
    metavar="FROM TO",
    help="Draw from so many seconds to so many.",
)
@option.output("OUT.png", "The picture; .png, .pdf or .svg.")
@option.channel
@click.option("--dpi", type=click.IntRange(20, 1200), default=100, show_default=True)
@option.overwrite("a file that exists")
@message_options
@click.pass_obj
def plot(
    console: Console,
    audio: Path,
    labels: Path,
    reference: Path | None,
    tier: str | None,
    score: Path | None,
    span: tuple[float, float] | None,
    output: Path,
    channel: int | None,
    dpi: int,
    overwrite: bool,
) -> None:
    """Draw AUDIO with its LABELS.

    Phones, with the words of a TextGrid or JSON file above them, stand under the waveform and the
    spectrogram; notes, which `align music` or a truth.csv
    gives, are a piano roll over the energies of the pitches, with the tempo curve below.

    A long recording is drawn in rows: all of them in a .pdf of many pages, and in a .png an
    overview with those where the alignment is least sure.
    """
    from align.features.sound.audio import Channel
    from align.show.page.confidence import with_confidence
    from align.show.plot import save_plot
    from align.show.reading import reader_of

    check_free(output, overwrite)
    tier, others = _tiers_beside(labels, audio, score, tier)
    read = reader_of(labels, audio, score=score, tier=tier)
    drawn = with_confidence(str(labels), read(labels))
    truth = None if reference is None else reader_of(labels, audio, score=score)(reference)
    save_plot(
        drawn, output, truth,
        audio=Channel.of(audio, channel), dpi=dpi, span=span, others=others,
        progress=console.progress, overwrite=overwrite,
    )  # fmt: skip
    console.message(f"{plural(len(drawn), drawn.unit)}: {output}")


def _tiers_beside(
    labels: Path, audio: Path, score: Path | None, wanted: str | None
) -> "tuple[str | None, dict[str, Timing]]":
    """Return the tier that is drawn, and those of intervals that stand beside it."""
    import numpy as np

    from align.formats.table import is_music, label_format
    from align.results.alignment import Alignment
    from align.show.page import read_recordings

    if score is not None or is_music(labels) or label_format(labels).read_tiers is None:
        return wanted, {}
    (recording,) = read_recordings([str(labels)], audio=[str(audio)], tier=wanted)
    return recording.tier, {
        tier.name: Alignment(tier.labels, np.array(tier.times)[:, 0], recording.alignment.duration)
        for tier in recording.others
        if tier.kind == "interval" and tier.labels
    }


@click.command()
@click.argument("source", metavar="IN", type=FILE)
@click.argument("target", metavar="[OUT]", type=FILE, required=False)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=FILE,
    metavar="OUT",
    help="In place of OUT, or beside it; may be given several times.",
)
@click.option(
    "--audio",
    type=FILE,
    metavar="AUDIO",
    help="The recording: gives TIMIT files their sampling rate (by default that beside IN), "
    "TextGrids their end, and lets the labels be checked against it.",
)
@click.option("--tier", metavar="NAME", help="Write this tier only.")
@option.encoding("IN")
@option.score("the score, or the .csv written with the labels, for labels that know no score")
@option.overwrite("a file that exists")
@message_options
@click.pass_obj
def convert(
    console: Console,
    source: Path,
    target: Path | None,
    outputs: tuple[Path, ...],
    audio: Path | None,
    tier: str | None,
    encoding: str | None,
    score: Path | None,
    overwrite: bool,
) -> None:
    """Convert a label file to another format.

    The suffixes decide the formats. Phones: .TextGrid, .eaf (ELAN), .exb, .csv, .tsv, .json, .ctm,
    .phn, .lab, and .txt for Audacity labels; .wrd, .vtt and .srt hold words, .rttm when
    each speaker speaks. Notes: .csv, .tsv, .json,
    .mid, .jams, .txt, .svl, .sv.csv, note_alignment.tsv (nASAP), .parangonada.zip, and only to
    write .match and .tempo.csv. -o - writes a TextGrid or .csv of notes to standard output, and
    -o -.vtt another format.

    A TextGrid, ELAN or JSON file keeps all tiers it is given, a table the phones with their
    words; the other formats hold one tier, the phones or what --tier names, and what is left out
    is said.
    """
    from align.formats.table import is_music

    if target is not None:
        outputs = (target, *outputs)
    if not outputs:
        raise click.UsageError("say what to write: align convert IN OUT, or IN -o OUT.")
    music = score is not None or is_music(source)
    outputs = standard_output(outputs, ".csv" if music else ".TextGrid")
    if shown := [output for output in outputs if output.suffix.lower() in SHOWN]:
        raise ParameterError(
            f"{named(shown)}: pictures are made by align plot, and pages by align report."
        )
    if not music:
        for output in outputs:
            check_output(output, overwrite)
        for output in outputs:
            tiers = _tiers_of(console, source, output, audio, encoding)
            _write_tiers(console, output, tiers, tier, overwrite)
        return
    from align.cli.music import check_music_output, write_music_output
    from align.show.reading import reader_of

    if encoding is not None:
        raise ParameterError(f"--encoding is for labels of phones, and {source} holds notes.")
    for output in outputs:
        check_music_output(output, overwrite)
    alignment: Any = reader_of(source, audio, score=score)(source)
    for output in outputs:
        write_music_output(alignment, output, overwrite=overwrite)
    console.message(f"{plural(len(alignment), 'note')}: {named(outputs)}")


def _write_tiers(
    console: Console, target: Path, tiers: "Tiers", tier: str | None, overwrite: bool
) -> None:
    """Write what the target can hold, and say what it is and what is left out."""
    from align.formats.files import left_out, write_tiers
    from align.formats.table import label_format

    written = write_tiers(target, tiers, tier=tier, overwrite=overwrite)
    if label_format(target).holds == "turns":  # each is a line, and of several labels
        made = plural(len(target.read_text(encoding="utf-8").splitlines()), "turn")
    else:
        made = plural(sum(len(one.labels) for one in written), "label")
        made += f" in {plural(len(written), 'tier')}" if len(written) > 1 else ""
    console.message(f"{made}: {named([target])}")
    if left := left_out(target, tiers, written):
        console.message(f"Left out: {', '.join(left)}.")


def _tiers_of(
    console: Console, source: Path, target: Path, audio: Path | None, encoding: str | None
) -> "Tiers":
    """Read the tiers of a file, with what is known of the recording."""
    from align.corpus.listing import AUDIO_SUFFIXES
    from align.corpus.pairs import find_beside
    from align.formats.files import read_tiers
    from align.formats.table import label_format

    counted = [path for path in (source, target) if "rate" in label_format(path).options]
    if audio is None and counted:
        beside = find_beside(str(source), AUDIO_SUFFIXES)
        audio = None if beside is None else Path(beside)
    if audio is None:
        tiers = read_tiers(source, encoding=encoding)
        if counted and tiers.rate is None:
            console.message(
                f"{named(counted[:1])}: samples are counted at 16000 Hz; if the recording has "
                "another rate, name it with --audio."
            )
        return tiers
    from align.features.sound.audio import audio_info

    about = audio_info(audio)
    tiers = read_tiers(source, duration=about.duration, rate=about.rate, encoding=encoding)
    return replace(tiers, audio=str(audio), rate=about.rate)
