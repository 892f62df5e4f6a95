"""Whether two installations of Align write the same bytes: before a change and after it.

Each interpreter runs the same commands in a folder of its own, on the same inputs: the recordings
that come with Align and, below the folder of ALIGN_DATA, a sample of TIMIT and pieces of music.
All files that come of it are compared, with what the commands said and their exit status. What
tells the time of the run or the version is masked first.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

INPUTS = "inputs"
LABELS = ("TextGrid", "csv", "tsv", "json", "ctm", "phn", "lab", "txt")
NEWER = ("vtt", "srt", "eaf", "exb", "rttm", "emu_annot.json")  # an Align of before refuses them
NOTES = (
    *("csv", "tsv", "mid", "json", "txt", "svl", "sv.csv", "match", "tempo.csv"),
    *("beats.csv", "beats.txt", "beats.svl", "jams"),
)
NEWER_NOTES = ("note_alignment.tsv", "parangonada.zip")  # unknown to older versions
READ_BACK = ("csv", "tsv", "json")  # notes that need no score
WITH_SCORE = ("mid", "txt", "svl", "sv.csv", "jams")
MASKED = (
    rb'(?<="real_time_factor": )[-0-9.e+]+',
    rb"(?<=real-time factor )[0-9.]+",
    rb"(?m)^(Aligning|Writing) .*\n",  # said where it takes long
    rb"(?m)^[a-z]+: [0-9]+ of [0-9]+\n",
    rb"(?<=of recordings )in [0-9.]+ [a-z]+(, .* as fast as they play)?",
    rb"(?<=version )[0-9.]+",
)
"""What is not compared: speed, and the version."""


class Command(NamedTuple):
    """One call of ``align``: a name for what it says, and its arguments."""

    name: str
    arguments: tuple[str, ...]


def speech_commands(inputs: Path) -> Iterator[Command]:
    """Commands on phones and words; names of inputs are relative to a working folder."""
    kiwi, north = "../inputs/bundled/kiwi", "../inputs/bundled/north-wind"
    for stem in (kiwi, north):
        name = Path(stem).name
        outputs = [f"{name}.{suffix}" for suffix in (*LABELS, "png")]
        yield Command(
            f"phones of {name}",
            ("speech", f"{stem}.flac", "--phones", f"{stem}.TextGrid", *options("-o", outputs)),
        )
        for title, suffixes in (("words", (*LABELS, "wrd", "png")), ("new formats", NEWER)):
            outputs = [f"{name}-words.{suffix}" for suffix in suffixes]
            yield Command(
                f"{title} of {name}",
                ("speech", f"{stem}.flac", "--text", f"{stem}.txt", *options("-o", outputs)),
            )
    for source in LABELS:
        for target in LABELS:
            arguments = (f"kiwi.{source}", f"kiwi-{source}.{target}", "--audio", f"{kiwi}.flac")
            yield Command(f"convert {source} to {target}", ("convert", *arguments))
    for source in ("TextGrid", "json"):
        for target in ("ctm", "phn", "lab", "txt"):
            arguments = (f"kiwi-words.{source}", f"kiwi-words-{source}.{target}")
            yield Command(f"convert words {source} to {target}", ("convert", *arguments))
        drawn = ("plot", f"{kiwi}.flac", f"kiwi-words.{source}", "-o", f"words-{source}.png")
        yield Command(f"plot words of {source}", (*drawn, "--reference", f"{kiwi}.TextGrid"))
        page = ("report", f"kiwi-words.{source}", "--audio", f"{kiwi}.flac", "--sound", "wav")
        yield Command(f"page of {source}", (*page, "-o", f"kiwi-{source}.html"))
    page = ("report", "kiwi.csv", "--audio", f"{kiwi}.flac", "--sound", "wav")
    yield Command("page of csv", (*page, "--reference", f"{kiwi}.TextGrid", "-o", "kiwi-csv.html"))
    sonified = ("sonify", f"{kiwi}.flac", "kiwi.csv", "-o", "kiwi-clicks.wav")
    yield Command("sonify kiwi", sonified)
    if not (inputs / "timit").is_dir():
        return
    timit = "../inputs/timit"
    formats = options("--format", [suffix for suffix in LABELS if suffix != "tsv"])
    yield Command("corpus of phones", ("corpus", "speech", timit, "phones", *formats))
    yield Command("evaluate speech", ("evaluate", "speech-en", timit, "--json", "speech.json"))
    by = options("--by", ["label", "class", "file"])
    yield Command("evaluate speech, by", ("evaluate", "speech-en", timit, *by))
    one = next(path for path in sorted((inputs / "timit").iterdir()) if path.is_dir())
    words = options("--format", ["TextGrid", "csv", "json"])
    yield Command(
        "corpus of words", ("corpus", "speech", f"{timit}/{one.name}", "words", "--text", *words)
    )


def music_commands(inputs: Path) -> Iterator[Command]:
    """Commands on notes."""
    folders = [f"bundled/{path.name}" for path in (inputs / "bundled").iterdir() if path.is_dir()]
    if (inputs / "pieces").is_dir():
        folders += [f"pieces/{path.name}" for path in sorted((inputs / "pieces").iterdir())]
    for folder in folders:
        name, audio = Path(folder).name, f"../inputs/{folder}/audio.flac"
        score, truth = f"../inputs/{folder}/score.mid", f"../inputs/{folder}/truth.csv"
        outputs = [f"{name}.{suffix}" for suffix in (*NOTES, "png")]
        sound = ("--sonify", f"{name}.wav")
        yield Command(f"notes of {name}", ("music", audio, score, *options("-o", outputs), *sound))
        outputs = [f"{name}.{suffix}" for suffix in NEWER_NOTES]
        newer = ("music", audio, score, *options("-o", outputs))
        yield Command(f"new formats of {name}", newer)
        for source in READ_BACK:
            for target in NOTES:
                pair = (f"{name}.{source}", f"{name}-{source}.{target}", "--audio", audio)
                yield Command(f"convert {name} {source} to {target}", ("convert", *pair))
        for source in WITH_SCORE:
            for which, of in (("score", score), ("notes", f"{name}.csv")):
                pair = (f"{name}.{source}", f"{name}-{source}-{which}.json", "--score", of)
                yield Command(f"convert {name} {source}, {which}", ("convert", *pair))
                heard = (*pair[:1], f"{name}-{source}-{which}-audio.json", *pair[2:])
                command = ("convert", *heard, "--audio", audio)
                yield Command(f"convert {name} {source}, {which}, audio", command)
        drawn = ("plot", audio, f"{name}.json", "-o", f"{name}-truth.png", "--reference", truth)
        yield Command(f"plot {name}", drawn)
        page = ("report", f"{name}.csv", "--audio", audio, "--sound", "wav", "--reference", truth)
        yield Command(f"page of {name}", (*page, "-o", f"{name}.html"))
    if (inputs / "pieces").is_dir():
        pieces = "../inputs/pieces"
        yield Command("evaluate music", ("evaluate", "piano", pieces, "--json", "music.json"))
        yield Command("corpus of music", ("corpus", "music", pieces, "music", "--format", "json"))


def options(name: str, values: list[str]) -> list[str]:
    """Repeat an option before each of its values."""
    return [word for value in values for word in (name, value)]


# Inputs and runs -------------------------------------------------------------------------------


def bundled(python: str) -> Path:
    """Return the folder of the recordings that come with the Align of an interpreter."""
    where = "import align.data, os; print(os.path.dirname(align.data.__file__))"
    said = subprocess.run([python, "-I", "-c", where], check=True, capture_output=True, text=True)
    return Path(said.stdout.strip())


def gather(python: str, data: Path | None, folder: Path, quick: bool) -> None:
    """Copy what the commands read."""
    (folder / "bundled").mkdir(parents=True)
    for path in bundled(python).iterdir():
        if path.is_dir() and (path / "score.mid").exists():
            shutil.copytree(path, folder / "bundled" / path.name)
        elif path.stem in ("kiwi", "north-wind"):
            shutil.copy(path, folder / "bundled")
    if data is None:
        return
    speakers = sorted(path for path in (data / "speech/timit_sample").iterdir() if path.is_dir())
    for speaker in speakers[: 2 if quick else None]:
        shutil.copytree(speaker, folder / "timit" / speaker.name)
    pieces = [
        path
        for kind in ("bach10", "performed")
        for path in sorted((data / "music" / kind).iterdir())
    ]
    for piece in pieces[: 1 if quick else 6]:
        shutil.copytree(piece, folder / "pieces" / piece.name)


DRIVER = """
import json, sys
from click.testing import CliRunner
from align.cli import cli

for name, arguments in json.load(sys.stdin):
    done = CliRunner().invoke(cli, arguments)
    said = f"status {done.exit_code}\\n{done.stdout}--\\n{done.stderr}"
    open(f"said/{name}.txt", "w", encoding="utf-8").write(said)
    print(name, flush=True)
"""
"""What each interpreter runs: one process for all commands, since starting takes longer."""


def run(python: str, commands: list[Command], folder: Path) -> None:
    """Run the commands in a folder, and write what each says into it."""
    (folder / "said").mkdir(parents=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    named = [
        (f"{number:03d}-{re.sub('[^a-zA-Z0-9.]+', '-', command.name)}", command.arguments)
        for number, command in enumerate([Command("demo", ("demo", "demo")), *commands])
    ]
    print(f"{folder.name}: {len(named)} commands", flush=True)
    subprocess.run(
        [python, "-I", "-c", DRIVER],
        cwd=folder,
        env=environment,
        input=json.dumps(named),
        text=True,
        stdout=subprocess.DEVNULL,
        check=True,
    )


# Comparison ------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, Path]:
    """Files below a folder by their relative names; a run's own journal is left out."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.parts)
    }


def content(path: Path, folder: Path, package: Path) -> bytes:
    """Return the bytes of a file; of text, without what is masked and where Align lies."""
    data = path.read_bytes()
    if path.suffix in (".json", ".html") or path.parent.name == "said":
        for pattern in MASKED:
            data = re.sub(pattern, b"", data)
        data = data.replace(os.fsencode(folder), b"*").replace(os.fsencode(package), b"*")
    return data


def differing(before: Path, after: Path, packages: tuple[Path, Path]) -> list[str]:
    """Return a line for each file that is not the same in both folders."""
    old, new = files(before), files(after)
    lines = [f"only before: {name}" for name in sorted(old.keys() - new.keys())]
    lines += [f"only after: {name}" for name in sorted(new.keys() - old.keys())]
    for name in sorted(old.keys() & new.keys()):
        one = content(old[name], before, packages[0])
        if one != content(new[name], after, packages[1]):
            lines.append(f"differs: {name}")
    return lines


def main() -> int:
    """Compare, say what differs, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", metavar="PYTHON", help="interpreter with Align before")
    parser.add_argument("after", metavar="PYTHON", help="interpreter with Align after")
    parser.add_argument("--work", type=Path, default=Path("same-output"), help="folder to work in")
    parser.add_argument("--quick", action="store_true", help="two speakers and one piece")
    parser.add_argument(
        "--keep", action="store_true", help="take what is there of before, from an earlier run"
    )
    options = parser.parse_args()
    data = os.environ.get("ALIGN_DATA")
    work = options.work.resolve()
    if not (options.keep and (work / "before").is_dir()):
        shutil.rmtree(work, ignore_errors=True)
        gather(options.before, Path(data) if data else None, work / INPUTS, options.quick)
    inputs = work / INPUTS
    commands = [*speech_commands(inputs), *music_commands(inputs)]
    if not (work / "before").is_dir():
        run(os.path.abspath(options.before), commands, work / "before")
    shutil.rmtree(work / "after", ignore_errors=True)
    run(os.path.abspath(options.after), commands, work / "after")
    packages = bundled(options.before), bundled(options.after)
    lines = differing(work / "before", work / "after", packages)
    print("\n".join(lines))
    print(f"{len(files(work / 'after'))} files, {len(lines)} differ")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
