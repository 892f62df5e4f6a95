"""Trials of an endurance run that feed damaged files to a parser."""

import contextlib
import gc
import os
import random
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "fuzz" / "targets"))
import damage
import parsers
import seeds

__all__ = ["BATCH", "TARGETS", "feed_batch"]

BATCH = 1000  # inputs of a trial
LIMIT = 5.0  # seconds of a processor for one input
TARGETS = sorted(parsers.TARGETS)


class TooLong(BaseException):
    """An input took too long; no parser may swallow this."""


def _alarm(*_: object) -> None:
    raise TooLong


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Drop what decoders of audio say, past Python, of every damaged file."""
    kept = os.dup(2)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@cache
def _whole(target: str) -> list[bytes]:
    """Return the whole files of a format, after everything that reads it is loaded."""
    whole = seeds.seeds(target)
    for data in whole:
        parsers.feed(target, data)
    gc.collect()
    gc.freeze()  # what is loaded stays; looking through it takes a tenth of the time
    return whole


def damaged_input(target: str, rng: random.Random) -> bytes:
    """Return a whole file of a format with one to four edits, or one time in twenty any bytes."""
    if rng.random() < 0.05:
        return rng.randbytes(rng.randrange(200))
    edits = []
    for _ in range(rng.randint(1, 4)):
        what = rng.choice(damage.KINDS)
        new = (
            rng.choice(damage.SPECIAL) if rng.random() < 0.5 else rng.randbytes(rng.randint(1, 4))
        )
        edits.append((what, rng.randrange(1 << 16), rng.randint(0, 12), new))
    return damage.damaged(rng.choice(_whole(target)), edits)


@_silent()
def feed_batch(number: int, rng: random.Random, size: int = BATCH) -> dict[str, object]:
    """Feed so many damaged files to one parser; what it let out that is no `AlignError`."""
    target = TARGETS[number % len(TARGETS)]
    before = signal.signal(signal.SIGVTALRM, _alarm)
    wrong, slowest = [], 0.0
    try:
        for k in range(size):
            data = damaged_input(target, rng)
            signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
            begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
            try:
                parsers.feed(target, data)
            except (Exception, TooLong) as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(last.filename).name}:{last.lineno}"
                wrong.append(f"input {k}: {type(error).__name__} at {where}: {data.hex()}")
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            slowest = max(slowest, resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return {"kind": target, "inputs": size, "slowest_s": round(slowest, 3), "wrong": wrong}
