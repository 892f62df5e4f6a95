"""A tiny model, corpora for it and ways to run the command line, for tests of corpus runs."""

import functools
import hashlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from synthetic_speech import write_corpus

SPEAKERS = {"ann": 4, "bob": 4}


def tiny_model(folder: Path) -> Path:
    """Train the smallest of networks on artificial speech; some two seconds."""
    from align import SpeechAligner, read_corpus
    from align.features import NetworkConfidence

    small = functools.partial(NetworkConfidence, width=8, dilations=(1, 2), epochs=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("align.speech.feature_sets.NetworkConfidence", small)
        corpus = read_corpus(write_corpus(folder / "training", {"ann": 3, "bob": 3}))
        model = SpeechAligner(epochs=1, n_folds=2, random_state=1).fit(corpus)
    path = folder / "tiny.align"
    model.save(path)
    return path


def write_recordings(folder: Path, speakers: dict[str, int] | None = None, seed: int = 3) -> Path:
    """Write a corpus whose phones are in ``.phones`` files, without times."""
    write_corpus(folder, speakers or SPEAKERS, seed=seed)
    for path in folder.rglob("*.phn"):
        phones = [line.split()[2] for line in path.read_text().splitlines()]
        path.with_suffix(".phones").write_text(" ".join(phones) + "\n")
        path.unlink()
    return folder


def tree(folder: Path, *, table: bool = True) -> dict[str, str]:
    """Digest of every output below a folder; temporary files count as outputs."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and ".align" not in path.relative_to(folder).parts
        and (table or path.name != "quality.csv")
    }


_HELD = """
import time
from align.batch.run import _Run
write, written = _Run._write, []
def held(self, task, outcome):
    write(self, task, outcome)
    written.append(task.name)
    if len(written) == 10:
        time.sleep(600)
_Run._write = held
from align.cli import main
main()
"""


def command(*args: object, held: bool = False) -> list[str]:
    """Return the command line; one that is held stops before it has written all, and waits."""
    program = ["-c", _HELD] if held else ["-m", "align"]
    return [sys.executable, *program, *(str(arg) for arg in args)]


def _hear_interrupts() -> None:
    """Undo what a shell does to commands in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*args: object, held: bool = False, **options: object) -> "subprocess.Popen[str]":
    """Start the command line in a process group of its own; see `command`."""
    return subprocess.Popen(
        command(*args, held=held),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts,
        **options,
    )
