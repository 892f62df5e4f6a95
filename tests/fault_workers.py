"""An aligner and works that fail on purpose; a module, so that worker processes find it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

import align
from align._blas import one_thread
from align.batch.speech_work import SpeechWork
from align.errors import DataError
from align.files.atomic import atomic_write
from align.results.alignment import Alignment


@one_thread()
def slow_result(seconds, places):
    """Return a result that fills a pipe; the process leaves its number in the folder `places`."""
    Path(places, str(os.getpid())).touch()
    time.sleep(seconds)
    return bytes(1_000_000)


class EvenAligner:
    """Gives every event the same length; quick, and the same everywhere."""

    kind = "speech"

    def __init__(self, name="even", confidence=0.9):
        self.name = name
        self.confidence = confidence

    def save(self, path):
        atomic_write(path, f"{self.name} {self.confidence}", overwrite=True)

    def align(self, audio, events, *, rate=None):
        try:
            duration = soundfile.info(os.fspath(audio)).duration
        except (OSError, soundfile.LibsndfileError):
            raise DataError("cannot be read as audio.", path=audio) from None
        n = len(events)
        return Alignment(
            tuple(events),
            np.arange(n) * (duration / n),
            duration=duration,
            confidence=np.full(n, self.confidence),
            score=float(n),
            audio=os.fspath(audio),
        )


class DeadlyWork(SpeechWork):
    """Kills the worker where the name of a recording says so.

    ``always...`` every time, ``once...`` unless the file `marks`/name is there, which it makes.
    """

    def __init__(self, marks, slow=0.0):
        super().__init__()
        self.marks = os.fspath(marks)
        self.slow = slow

    def align(self, aligner, task):
        name = os.path.basename(task.name)
        time.sleep(self.slow)
        if name.startswith("always"):
            self._mark(task)
            os.kill(os.getpid(), signal.SIGKILL)
        if name.startswith("once") and not self._mark(task):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().align(aligner, task)

    def _mark(self, task):
        """Note a try; whether it was not the first."""
        path = Path(self.marks, os.path.basename(task.name))
        before = path.stat().st_size if path.exists() else 0
        with path.open("a") as stream:
            stream.write("x")
        return before > 0


class FaultyWork(SpeechWork):
    """Goes wrong inside of one process, as the name of a recording says."""

    def align(self, aligner, task):
        name = os.path.basename(task.name)
        if name.startswith("bug"):
            raise ZeroDivisionError("oops")
        if name.startswith("memory"):
            raise MemoryError
        if name.startswith("vanish"):
            os.unlink(task.audio)
        found = super().align(aligner, task)
        if name.startswith("change"):
            with open(task.source, "a") as stream:
                stream.write("sil\n")
        return found


class SlowWork(SpeechWork):
    """Takes its time, and tells where it was done."""

    def __init__(self, seconds, places=None):
        super().__init__()
        self.seconds = seconds
        self.places = places

    def align(self, aligner, task):
        time.sleep(self.seconds)
        if self.places is not None:
            Path(self.places, str(os.getpid())).touch()
        return super().align(aligner, task)


def run(recordings, out, **options):
    """Align a corpus, by the quick aligner where no other one is named."""
    options.setdefault("model", EvenAligner())
    return align.align_corpus(recordings, out, **options)


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system in memory in a folder; the test is skipped where none can be mounted."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        pytest.skip("only root can mount a small file system")
    folder.mkdir(exist_ok=True, parents=True)
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", folder]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
