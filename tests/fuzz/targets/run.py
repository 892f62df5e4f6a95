"""Fuzz one parser for a while, guided by coverage: ``python run.py TARGET --seconds 600``.

Needs atheris (https://github.com/google/atheris), which is no dependency of the tests. Each new
kind of finding (type of the exception and where it came from) is kept in the folder of findings
with the input that caused it, and the run goes on. Hangs (more than `--patience` seconds of
processor time for one input) and memory beyond a gibibyte are findings too. The figures so far
are in ``TARGET.PID.json`` in that folder, written anew every few seconds.

With ``--blind`` inputs are random bytes, and atheris is not needed. So must ``signed_model`` be
run, whose models are aligned with: numba cannot compile instrumented kernels.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2]), str(HERE)]

# Not the decoders and features, whose kernels numba cannot compile once they are instrumented.
INSTRUMENTED = [
    *(f"align.{name}" for name in ("formats", "text", "scores", "model_file", "corpus", "pairs")),
    *(f"align.{name}" for name in ("pieces", "persistence", "music_state", "aligner", "speech")),
    *("align.features.sound.audio", "align.features.sound._audio_header", "align.results.music"),
    *("mido", "partitura", "num2words", "csv", "json", "zipfile"),
]


class Hang(BaseException):
    """An input took too long; no parser may swallow this."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--patience", type=float, default=5.0)
    parser.add_argument("--findings", default="findings")
    parser.add_argument("--corpus", default="corpus", help="folder that inputs are collected in")
    parser.add_argument("--max-len", type=int, default=4096)
    parser.add_argument("--blind", action="store_true", help="random bytes, without atheris")
    return parser.parse_args()


def main() -> None:
    """Run."""
    options = _arguments()
    if options.blind:
        instrumented = contextlib.nullcontext
    else:
        import atheris

        def instrumented():
            return atheris.instrument_imports(include=INSTRUMENTED)

    with instrumented():
        import parsers
        import seeds
    name = options.target
    findings = Path(options.findings) / name
    findings.mkdir(parents=True, exist_ok=True)
    corpus = Path(options.corpus) / name
    corpus.mkdir(parents=True, exist_ok=True)
    with instrumented():
        for data in seeds.seeds(name):  # also imports what is imported late
            (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
            try:
                parsers.feed(name, data)
            except Warning as error:
                print("warning at a seed:", repr(error), file=sys.stderr)
    begin, spent = time.time(), time.process_time()
    done, kinds, told = 0, set(), begin

    def tell() -> None:
        row = {
            "target": name,
            "executions": done,
            "wall_s": round(time.time() - begin, 1),
            "cpu_s": round(time.process_time() - spent, 1),
            "findings": len(kinds),
            "max_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        (Path(options.findings) / f"{name}.{os.getpid()}.json").write_text(json.dumps(row) + "\n")

    def alarm(*_: object) -> None:
        raise Hang

    signal.signal(signal.SIGVTALRM, alarm)
    with open("/proc/self/statm") as stream:
        size = int(stream.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 30),) * 2)

    def one(data: bytes) -> None:
        nonlocal done, told
        done += 1
        if time.time() - told > 5:
            told = time.time()
            tell()
        signal.setitimer(signal.ITIMER_VIRTUAL, options.patience)
        try:
            parsers.feed(name, bytes(data))
        except (Exception, Hang) as error:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            frames = traceback.extract_tb(error.__traceback__)
            own = [f for f in frames if "/align/" in f.filename or "features" in f.filename]
            last = (own or frames)[-1]
            kind = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
            if kind not in kinds:
                kinds.add(kind)
                stem = kind.replace(" at ", "_").replace(":", "_")
                (findings / f"{stem}.bin").write_bytes(bytes(data))
                (findings / f"{stem}.txt").write_text("".join(traceback.format_exception(error)))
                tell()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    if options.blind:
        rng = random.Random(os.getpid())
        while time.time() - begin < options.seconds:
            one(rng.randbytes(rng.randrange(64)))
        tell()
        return
    atheris.Setup(
        [
            sys.argv[0],
            str(corpus),
            f"-max_total_time={options.seconds}",
            f"-max_len={options.max_len}",
            "-rss_limit_mb=3000",
            "-timeout=60",
            "-print_final_stats=1",
            f"-artifact_prefix={findings}/",
        ],
        one,
        enable_python_coverage=True,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
