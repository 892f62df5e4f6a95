"""How long the studio takes for what a person waits for.

::

    python recipes/studio/latency.py CORPUS [--model M ...] [--recordings 1000] [--edits 200]

CORPUS holds recordings with their transcripts (`.txt`) or phones, as of `align studio`. They are
copied, under numbers, until there are so many. Printed are seconds of the clock of one process,
for each model: until the folder is open and the queue is known; until the recording that is worth
most is found and can be drawn; of one edit, a boundary that is moved by 15 ms; of one
confirmation; of learning from it, which a person does not wait for; and the memory of the process
before, and after all edits.
"""

import argparse
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import align

SOUNDS = (".wav", ".flac")
MOVED = 0.015  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--model", nargs="+", default=["speech-en"])
    parser.add_argument("--recordings", type=int, default=1000)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--suffix", default=".txt", help="which files say what is spoken")
    parser.add_argument("--language", default="en")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recordings = Path(folder, "recordings")
        copied(Path(arguments.corpus), arguments.suffix, arguments.recordings, recordings)
        for model in arguments.model:
            options = {"suffix": arguments.suffix, "language": arguments.language}
            sitting(model, recordings, Path(folder, model), arguments.edits, options)


def copied(corpus: Path, suffix: str, n: int, to: Path) -> None:
    """Copy recordings and what is beside them, again and again, until there are `n`."""
    found = sorted(
        path
        for path in corpus.rglob("*")
        if path.suffix.lower() in SOUNDS and path.with_suffix(suffix).exists()
    )
    for k in range(n):
        path = found[k % len(found)]
        speaker = to / path.parent.name
        speaker.mkdir(parents=True, exist_ok=True)
        for one in (path, path.with_suffix(suffix)):
            shutil.copy(one, speaker / f"{k:04d}{one.suffix}")


def sitting(model: str, recordings: Path, out: Path, edits: int, options: dict) -> None:
    """Work through the queue until so many edits are made, and print how long each thing took."""
    rng = np.random.default_rng(0)
    took: dict[str, list[float]] = {}

    def timed(what: str, do):
        begin = time.perf_counter()
        found = do()
        took.setdefault(what, []).append(time.perf_counter() - begin)
        return found

    given = align.load(model)
    session = timed("open, queue", lambda: opened(given, recordings, out, options))
    before = memory()
    with session:
        done = 0
        while done < edits:
            name = timed("first" if done == 0 else "next", session.next)
            view = timed("draw", lambda name=name: session.view(name))
            rows = view["tiers"][-1]["intervals"]
            for k in sorted(rng.permutation(np.arange(1, len(rows) - 1))[:4]):
                row = view["tiers"][-1]["intervals"][k]
                to = min(row["start"] + MOVED, 0.5 * (row["start"] + row["end"]))
                move = {"do": "move", "tier": "phones", "id": row["id"], "edge": "start"}
                view = timed(
                    "edit",
                    lambda name=name, move=move, to=to, view=view: session.edit(
                        name, {**move, "to": to}, revision=view["revision"]
                    ),
                )
                done += 1
            timed(
                "confirm",
                lambda name=name, view=view: session.confirm(name, revision=view["revision"]),
            )
            timed("learn", session.learn)
    print(f"{model}: {len(took['edit'])} edits, memory {before:.2f}, then {memory():.2f} GB")
    for what, seconds in took.items():
        middle, most = np.median(seconds), np.quantile(seconds, 0.95)
        print(f"  {what:<12} {middle:7.3f} s, 95 % within {most:7.3f} s", flush=True)


def opened(given, recordings: Path, out: Path, options: dict) -> align.Session:
    session = align.Session(given, recordings, out, **options)
    session.queue()
    return session


def memory() -> float:
    """Return the most memory that the process had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
