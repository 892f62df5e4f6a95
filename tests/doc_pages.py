"""What the pages tell people to type, and the folders they speak of.

A page is a list of blocks, run in the order in which they stand: Python in one namespace, commands
in one folder. Commands of Align run in this process, everything else in a shell. A block after the
comment ``<!-- not run: REASON -->`` is left out.
"""

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import soundfile
from click.testing import CliRunner
from music_examples import write_piece
from synthetic_speech import write_corpus, write_recording

import align
from align.cli import cli
from align.formats.tiers.textgrid import format_textgrid
from align.terms import BaseFunctions, OnsetTerm

ROOT = Path(__file__).resolve().parents[1]
KIWI = ["sil", "k", "iy", "w", "iy", "sil"]
DATA = Path(str(files("align.data")))
TEXT = (DATA / "kiwi.txt").read_text(encoding="utf-8").strip()

_BLOCK = re.compile(
    r"(?:<!-- (?P<comment>[^>]*?) -->\n+)?^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$",
    re.S | re.M,
)
_SHOWN = re.compile(r"\n+((?: {4}.*\n)+)")
_BY_CI = ("demo command", "test command")  # `.ci/run` takes these two from the README
_TYPED = re.compile(r"(\$ |align |import align|from align|python3? |pip |pytest|mkdocs )")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its line in the page, and why it is not run.

    Indented lines that follow are what it prints, among others.
    """

    language: str
    text: str
    line: int
    reason: str | None
    shown: str


def blocks(path: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    page = path.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(page):
        comment = match["comment"] or ""
        reason = (
            comment.removeprefix("not run:").strip() if comment.startswith("not run") else None
        )
        if comment in _BY_CI:
            reason = "run by .ci/run"
        line = page.count("\n", 0, match.start("language")) + 1
        shown = _SHOWN.match(page, match.end())
        found.append(
            Block(match["language"], match["text"], line, reason, shown[1] if shown else "")
        )
    return found


def unfenced(path: Path) -> list[str]:
    """Return the lines that look typed and stand in no block that says its language."""
    page = path.read_text(encoding="utf-8")
    bare = [one.text for one in blocks(path) if not one.language and one.reason is None]
    rest = _BLOCK.sub("", page)
    indented = [line for line in rest.splitlines() if line.startswith("    ")]
    lines = [*indented, *(line for text in bare for line in text.splitlines())]
    return [line for line in lines if _TYPED.match(line.strip())]


def run_python(block: Block, path: Path, names: dict[str, object]) -> None:
    """Execute a block, with lines counted as in the page."""
    code = "\n" * block.line + block.text
    exec(compile(code, str(path), "exec"), names)


def run_shell(block: Block, seen: set[str]) -> None:
    """Run a block of commands: those of Align here, others in a shell.

    What the page shows below it must be printed.
    """
    printed = ""
    text = block.text.replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if any(line.startswith((" ", "for ", "done", "eval ")) for line in lines):
        shell(text)
        return
    for line in lines:
        if not line.startswith("align "):
            shell(line)
            continue
        arguments = shlex.split(line, comments=True)[1:]
        if arguments == ["demo"]:
            if "demo" in seen:  # of all pages, it runs for the first
                continue
            seen.add("demo")
        for option, value in pairwise(arguments):
            path = str(Path(value).absolute())
            if option in ("-o", "--json") and path not in seen:  # lay there before the page began
                Path(value).unlink(missing_ok=True)
                seen.add(path)
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
        printed += result.output
    wanted = " ".join(block.shown.split())
    assert wanted in " ".join(printed.split()), f"the page shows {wanted!r}, but not\n{printed}"


def shell(text: str) -> None:
    """Run text in bash, with the `align` of this interpreter."""
    here = Path(sys.executable).parent
    program = f'set -eu; PATH="{here}:$PATH"\n{text}'
    done = subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"


# The folders ------------------------------------------------------------------------------------


def synthetic(folder: Path) -> None:
    """Recordings of toy phones, a toy `speech-en` of them, and `my.align`."""
    for name, seed in (("recordings", 1), ("checked", 2)):
        write_corpus(folder / name, {"anna": 2, "bert": 2}, seed=seed)
        for speaker in ("anna", "bert"):
            write_recording(folder / name / speaker / "kiwi", KIWI, seed)
    for name in ("kiwi", "new"):
        write_recording(folder / name, KIWI, seed=3)
        (folder / f"{name}.phn").unlink()
    (folder / "new").mkdir()
    shutil.copy(folder / "kiwi.wav", folder / "new" / "kiwi.wav")
    (folder / "new" / "kiwi.phones").write_text(" ".join(KIWI))
    model = align.SpeechAligner(epochs=1).fit(align.read_corpus(folder / "recordings"))
    model.save(folder / "speech-en")  # a file of this name goes before the bundled model
    shutil.copy(folder / "speech-en", folder / "my.align")


def readme(folder: Path) -> None:
    """What the README speaks of: an interview, prompts, toy speech, and the piece."""
    (folder / "talks").mkdir()
    for path in (folder / "interview.flac", folder / "talks" / "one.flac"):
        shutil.copy(DATA / "kiwi.flac", path)
    first, second = TEXT.split(", ")
    (folder / "interview.txt").write_text(f"Ann: {first},\nBob: {second}\n")
    (folder / "prompts.csv").write_text(f'file,text\none,"{TEXT}"\n')
    synthetic(folder)
    (folder / "speech-en").unlink()  # words are those of the bundled model
    minuet(folder)


def english(folder: Path) -> None:
    """Two spoken sentences, in every part they play on the page about text."""
    for name in ("kiwi", "talk"):
        shutil.copy(DATA / "kiwi.flac", folder / f"{name}.flac")
    end = soundfile.info(DATA / "kiwi.flac").duration
    first, second = TEXT.split(",")
    grid = {"Ann": ([first], [(0.0, 3.4)]), "Bob": ([second], [(3.3, end)])}
    (folder / "talk.TextGrid").write_text(format_textgrid(grid, end))
    (folder / "kiwi.txt").write_text(TEXT)
    (folder / "names.dict").write_text("kiwi\tK IY1 W IY0\nZyzzyva Z IH0 Z IH1 V AH0\n")
    for name, suffix in (("corpus", ".txt"), ("corrected", ".TextGrid")):
        (folder / name).mkdir()
        for i in range(3):
            shutil.copy(DATA / "kiwi.flac", folder / name / f"u{i}.flac")
            shutil.copy(DATA / f"kiwi{suffix}", folder / name / f"u{i}{suffix}")
    truth = align.Alignment.from_labels(DATA / "kiwi.TextGrid")
    rng = np.random.default_rng(0)
    for name, spread in (("references", 0.0), ("results", 0.001), ("others", 0.004)):
        (folder / name).mkdir()
        for i in range(3):
            onsets = np.sort(truth.onsets + spread * rng.uniform(size=len(truth)))
            moved = align.Alignment(truth.events, onsets, truth.duration)
            moved.to_textgrid(folder / name / f"u{i}.TextGrid")


def many(folder: Path) -> None:
    """Recordings of two speakers with transcripts and phones, pieces, and a toy corpus."""
    for speaker, name in (("ann", "kiwi"), ("bob", "north-wind")):
        (folder / "recordings" / speaker).mkdir(parents=True)
        shutil.copy(DATA / f"{name}.flac", folder / "recordings" / speaker / "001.flac")
        shutil.copy(DATA / f"{name}.txt", folder / "recordings" / speaker / "001.txt")
    minuet(folder)
    (folder / "pieces" / "op10").mkdir(parents=True)
    shutil.copytree(DATA / "minuet", folder / "pieces" / "op10" / "etude3")
    write_corpus(folder / "corpus", {"anna": 2, "bert": 2}, seed=1)


def minuet(folder: Path) -> None:
    """The bundled piece as a recording and its score, as what the demonstration copies."""
    for name in ("recording", "another"):
        shutil.copy(DATA / "minuet" / "audio.flac", folder / f"{name}.flac")
    shutil.copy(DATA / "minuet" / "score.mid", folder / "score.mid")
    (folder / "align-demo").mkdir()
    shutil.copy(folder / "recording.flac", folder / "align-demo" / "minuet.flac")
    shutil.copy(folder / "score.mid", folder / "align-demo" / "minuet-score.mid")


def pieces(folder: Path) -> None:
    """The bundled piece with its beats, and folders of tiny ones to train on and to score."""
    minuet(folder)
    played = align.MusicAlignment.from_labels(DATA / "minuet" / "truth.csv")
    beats = played.to_performed(np.arange(0.0, played.score_onsets[-1], 0.5))
    (folder / "truths").mkdir()
    np.savetxt(folder / "truths" / "minuet.beats.txt", beats, fmt="%.6f")
    write_piece(folder / "pieces" / "studio" / "one", 1, left_out=(5,))
    write_piece(folder / "pieces" / "studio" / "two", 2)
    write_piece(folder / "others" / "three", 3)


def checked(folder: Path) -> None:
    """Labels to look at and to hear, beside their recordings and in folders of their own."""
    for name in ("kiwi", "north-wind"):
        for suffix in (".flac", ".TextGrid"):
            shutil.copy(DATA / f"{name}{suffix}", folder)
        audio = folder / f"{name}.flac"
        labels = align.Alignment.from_labels(folder / f"{name}.TextGrid", audio=audio)
        labels.to_json(folder / f"{name}.json")
    shutil.copytree(DATA / "minuet", folder / "minuet")
    for name, suffix in (("aligned", ".TextGrid"), ("recordings", ".flac")):
        (folder / name).mkdir()
        shutil.copy(DATA / f"kiwi{suffix}", folder / name)
    (folder / "corrected").mkdir()
    for name in ("kiwi", "again"):
        for suffix in (".TextGrid", ".flac"):
            shutil.copy(DATA / f"kiwi{suffix}", folder / "corrected" / f"{name}{suffix}")


def cat(folder: Path) -> None:
    """A recording that the page about decoders calls `cat.wav`."""
    shutil.copy(DATA / "kiwi.flac", folder / "cat.wav")


def both(folder: Path) -> None:
    """The bundled sentence and the bundled piece."""
    english(folder)
    minuet(folder)
    for name in ("kiwi.flac", "kiwi.txt"):
        shutil.copy(DATA / name, folder / "align-demo" / name)


def gallery(folder: Path) -> None:
    """The bundled sentence and the bundled piece, with what is true of them."""
    for suffix in (".flac", ".txt", ".TextGrid"):
        shutil.copy(DATA / f"kiwi{suffix}", folder)
    minuet(folder)
    shutil.copy(DATA / "minuet" / "truth.csv", folder)


def nothing(folder: Path) -> None:
    """An empty folder."""


FOLDERS = {
    "README.md": readme,
    "docs/index.md": both,
    "docs/music.md": pieces,
    "docs/text.md": english,
    "docs/mismatch.md": english,
    "docs/mismatch-inside.md": english,
    "docs/coming-from.md": english,
    "docs/gallery.md": gallery,
    "docs/report.md": checked,
    "docs/decoders.md": cat,
    "docs/batch.md": many,
}
"""What lies in the folder in which a page is run; nothing for pages that are not named."""


def names_of(page: str) -> dict[str, object]:
    """Return what the Python of a page takes as given, such as base functions of one's own."""
    names: dict[str, object] = {"__name__": "page"}
    if page == "docs/decoders.md":
        rng = np.random.default_rng(0)
        term = OnsetTerm(rng.normal(size=(6, 400)), np.arange(6))
        names["base_functions"] = BaseFunctions([term], ["onset"], 6, 400)
        names["weights"] = np.ones(1)
        names["aligner"] = align.load("speech-en")
    return names
