"""Trials of an endurance run that disturb a command, and compare what it leaves byte for byte.

The commands run in processes that are forked from this one, with all modules loaded, so that what
is disturbed is the work and not the start of Python. Each begins in a folder of its own.
"""

import contextlib
import functools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest import mock

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from corpus_tools import start, tiny_model, tree, write_recordings
from synthetic_speech import write_corpus

import align
from align.cli import main
from align.features import NetworkConfidence

__all__ = ["COMMANDS", "FAULTS", "Bench", "disturb", "kill", "remember"]

COMMANDS = ("corpus", "train", "adapt", "studio")
FAULTS = ("full disk", "read-only folder", "worker killed", "no home", "clock set back")
TRIES = 4  # of a moment that came too late
PATIENCE = 120.0  # seconds after which a command counts as hanging
WARM_UP = 100  # corpus runs before memory is measured


class Bench:
    """A model, recordings and what each command writes when nothing disturbs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = tiny_model(folder)
        self.recordings = write_recordings(folder / "in")
        self.corpus = write_corpus(folder / "corpus", {"ann": 2, "bob": 2})
        self._whole: dict[str, tuple[dict[str, str], float]] = {}

    def whole(self, command: str) -> tuple[dict[str, str], float]:
        """Digests of all outputs of an undisturbed run, and how many seconds it took."""
        if command not in self._whole:
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                begin = time.monotonic()
                code, _ = forked(self.work(command, Path(folder)), Path(folder).parent / "said")
                if code != 0:
                    raise RuntimeError((self.folder / "said").read_text(encoding="utf-8"))
                self._whole[command] = tree(Path(folder)), time.monotonic() - begin
        return self._whole[command]

    def work(self, command: str, out: Path) -> Callable[[], None]:
        """Return a function that runs a command, all of whose outputs lie below a folder."""
        if command == "studio":
            return functools.partial(sitting, self.model, self.recordings, out)
        return functools.partial(self._command, command, out)

    def arguments(self, command: str, out: Path, jobs: int = 1) -> list[str]:
        """Return the arguments of ``align``."""
        what = {
            "corpus": ["corpus", "speech", self.recordings, out, "--model", self.model],
            "train": ["train", "speech", self.corpus, "-o", out / "m.align", "--epochs", 4],
            "adapt": ["adapt", self.model, self.corpus, "-o", out / "m.align", "--no-compare"],
        }[command]
        more = ["--format", "TextGrid", "--format", "json"] if command == "corpus" else ["--quiet"]
        more += ["--steps", 20] if command == "adapt" else []
        return [*map(str, what), "--jobs", str(jobs), *map(str, more)]

    def _command(self, command: str, out: Path) -> None:
        small = functools.partial(NetworkConfidence, width=8, dilations=(1,), epochs=20)
        arguments = ["align", *self.arguments(command, out)]
        with (
            mock.patch("align.speech.feature_sets.NetworkConfidence", small),
            mock.patch.object(sys, "argv", arguments),
        ):
            main()


def sitting(model: Path, recordings: Path, out: Path) -> None:
    """Correct every recording in the studio, and note outside of it what was acknowledged."""
    log = out / "studio" / "journal.jsonl"
    done = len(steps(log))
    with (
        align.Session(model, recordings, out, learn=False) as session,
        open(out.with_name(out.name + ".told"), "ab", buffering=0) as told,
    ):
        plan = [(name, do) for name in session.names for do in ("edit", "undo", "redo", "confirm")]
        for name, do in plan[done:]:
            view = session.view(name)
            if do == "edit":
                row = view["tiers"][-1]["intervals"][2]
                to = (row["start"] + row["end"]) / 2
                move = {"tier": "phones", "id": row["id"], "edge": "start", "to": to}
                session.edit(name, {"do": "move", **move}, revision=view["revision"])
            else:
                getattr(session, do)(name, revision=view["revision"])
            told.write(b".")


def steps(journal: Path) -> list[str]:
    """Return the whole lines of a studio's journal that tell of a step."""
    lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
    return [do for do in (json.loads(line)["do"] for line in lines) if do != "begin"]


def forked(
    work: Callable[[], object], said: Path, *, after: float | None = None
) -> tuple[int | None, bool]:
    """Run in a process of its own, and return its status and whether it was killed half-way.

    Parameters
    ----------
    work : function
    said : path
        Where its messages go.
    after : float, optional
        Seconds after which it is killed, if it still runs then.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside other threads
        process = os.fork()
    if process == 0:
        _be_child(work, said)
    end = time.monotonic() + (PATIENCE if after is None else after)
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), False
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            return (None if after is None else status), status == -signal.SIGKILL
        time.sleep(0.0005)


def _be_child(work: Callable[[], object], said: Path) -> None:
    code = 70
    try:
        sys.stdout = sys.stderr = open(said, "w", encoding="utf-8")
        try:
            work()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
    finally:
        os._exit(code)


def difference(found: dict[str, str], whole: dict[str, str]) -> list[str]:
    """Return the names whose bytes differ, or that only one of two folders has."""
    return sorted(dict(found.items() ^ whole.items()))


def finished(bench: Bench, command: str, out: Path) -> list[str]:
    """Run the same command again, undisturbed; return what is wrong with its outputs."""
    said = bench.folder / "said"
    code, _ = forked(bench.work(command, out), said)
    if command in ("train", "adapt") and code not in (0, None) and (out / "m.align").exists():
        code = (
            0 if "exists" in said.read_text(encoding="utf-8") else code
        )  # it was done; nothing is overwritten
    if code != 0:
        return [f"status {code}: {said.read_text(encoding='utf-8')[-500:]}"]
    return [f"differs: {name}" for name in difference(tree(out), bench.whole(command)[0])]


def kill(bench: Bench, number: int, rng: random.Random) -> dict[str, object]:
    """Kill a command at a random moment, run it again and compare.

    The moment is drawn from the time that an undisturbed run took. Where this one is faster and
    has ended before, it is tried again with half of it.
    """
    command = COMMANDS[number % len(COMMANDS)]
    moment = rng.uniform(0.0, bench.whole(command)[1])
    for _ in range(TRIES):
        found = _killed(bench, command, moment)
        if found["killed"] or found["wrong"]:
            break
        moment /= 2
    return found


def _killed(bench: Bench, command: str, moment: float) -> dict[str, object]:
    """Kill a command after so many seconds, run it again and compare."""
    whole = bench.whole(command)[0]
    out = Path(tempfile.mkdtemp(dir=bench.folder))
    told = out.with_name(out.name + ".told")
    try:
        _, killed = forked(bench.work(command, out), bench.folder / "said", after=moment)
        wrong = []
        if command in ("corpus", "train", "adapt"):
            left = {n: d for n, d in tree(out, table=False).items() if not n.endswith(".tmp")}
            parts = {n: d for n, d in left.items() if ".partial/" not in n}
            wrong += [f"half: {n}" for n, d in parts.items() if whole.get(n) != d]
        else:
            done = len(steps(out / "studio" / "journal.jsonl"))
            acknowledged = told.stat().st_size if told.exists() else 0
            if not acknowledged <= done <= acknowledged + 1:
                wrong.append(f"{acknowledged} steps were acknowledged, {done} are kept")
        wrong += finished(bench, command, out)
        return {"kind": command, "killed": killed, "after_s": round(moment, 4), "wrong": wrong}
    finally:
        shutil.rmtree(out)
        told.unlink(missing_ok=True)


def disturb(bench: Bench, number: int, rng: random.Random) -> dict[str, object]:
    """Run a corpus in a bad environment, then in a good one, and compare.

    Where the fault came too late, because the run had ended, the status is None.
    """
    kind = FAULTS[number % len(FAULTS)]
    whole, seconds = bench.whole("corpus")
    out = Path(tempfile.mkdtemp(dir=bench.folder))
    try:
        code = _DISTURB[kind](bench, out, rng, seconds)
        wrong = [] if code in (0, 1, None) else [f"status {code} under the fault"]
        left = tree(out, table=False)
        if kind == "clock set back":  # what was killed may leave a temporary file to the next run
            left = {name: digest for name, digest in left.items() if not name.endswith(".tmp")}
        wrong += [f"half: {name}" for name, digest in left.items() if whole.get(name) != digest]
        wrong += finished(bench, "corpus", out)
        return {"kind": kind, "met": code is not None, "status": code, "wrong": wrong}
    finally:
        shutil.rmtree(out)


def _full(bench: Bench, out: Path, rng: random.Random, seconds: float) -> int | None:
    size = rng.randrange(6000)

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")
        bench.work("corpus", out)()

    return forked(work, bench.folder / "said")[0]


def _read_only(bench: Bench, out: Path, rng: random.Random, seconds: float) -> int | None:
    folder = out / rng.choice(["ann", "bob", "."])
    folder.mkdir(exist_ok=True)
    root = os.geteuid() == 0  # whom permissions do not bind
    folder.chmod(0o500)
    if root and subprocess.run(["chattr", "+i", folder], capture_output=True).returncode:
        raise RuntimeError("root may write anywhere, and folders cannot be made immutable here.")
    try:
        return forked(bench.work("corpus", out), bench.folder / "said")[0]
    finally:
        if root:
            subprocess.run(["chattr", "-i", folder], check=True)
        folder.chmod(0o700)


def _worker(bench: Bench, out: Path, rng: random.Random, seconds: float) -> int | None:
    process = start(*bench.arguments("corpus", out, jobs=2))
    while process.poll() is None and len(_workers(process.pid)) < 2:
        time.sleep(0.005)
    time.sleep(rng.uniform(0.0, 2.0))
    if workers := _workers(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(rng.choice(workers), signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    return process.returncode if workers else None


def _workers(process: int) -> list[int]:
    """Return the worker processes of a run, without those that only keep accounts."""
    found = []
    with contextlib.suppress(OSError):  # it has ended
        children = (
            Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
        )
        for child in children:
            if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    return found


def _home(bench: Bench, out: Path, rng: random.Random, seconds: float) -> int | None:
    nowhere = {k: "/proc/nowhere" for k in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    process = start(*bench.arguments("corpus", out), env=os.environ | nowhere)
    process.communicate(timeout=PATIENCE)
    return process.returncode


def _clock(bench: Bench, out: Path, rng: random.Random, seconds: float) -> int | None:
    """Jump back at a random call; then date all that was written before it into the future."""
    jump, calls, at = rng.uniform(60.0, 3e8), iter(range(1 << 62)), rng.randrange(40)
    now = time.time

    def late() -> float:
        return now() - jump * (next(calls) >= at)

    def late_ns() -> int:
        return int(late() * 1e9)

    def work() -> None:
        with (
            mock.patch.object(time, "time", late),
            mock.patch.object(time, "time_ns", late_ns),
        ):
            bench.work("corpus", out)()

    code, killed = forked(work, bench.folder / "said", after=rng.uniform(0.0, 2 * seconds))
    for path in out.rglob("*"):
        os.utime(path, (now() + jump,) * 2)
    return 0 if killed else code


_DISTURB = dict(zip(FAULTS, (_full, _read_only, _worker, _home, _clock), strict=True))


def remember(bench: Bench, number: int, rng: random.Random, runs: int = 600) -> dict[str, object]:
    """Run a corpus many times in one process; how fast its memory grows, in KiB a run."""
    out = Path(tempfile.mkdtemp(dir=bench.folder))

    def work() -> None:
        page, sizes = resource.getpagesize() // 1024, []
        for _ in range(runs):
            align.align_corpus(bench.recordings, out, model=bench.model, overwrite=True, jobs=1)
            sizes.append(
                int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * page
            )
        (out / "sizes.json").write_text(json.dumps(sizes), encoding="utf-8")

    try:
        with mock.patch(f"{__name__}.PATIENCE", 20.0 * runs):
            code, _ = forked(work, bench.folder / "said")
        if code != 0:
            said = (bench.folder / "said").read_text(encoding="utf-8")[-500:]
            return {"kind": "corpus", "runs": 0, "wrong": [f"status {code}: {said}"]}
        sizes = json.loads((out / "sizes.json").read_text(encoding="utf-8"))[WARM_UP:]
        slope = slope_of(sizes)
        wrong = [f"grows by {slope:.1f} KiB a run"] if slope > 16 else []
        about = {"runs": runs, "kib_a_run": round(slope, 3), "kib": [sizes[0], sizes[-1]]}
        return {"kind": "corpus", **about, "wrong": wrong}
    finally:
        shutil.rmtree(out)


def slope_of(sizes: list[int]) -> float:
    """Return the least-squares slope of values at 0, 1, 2, ..."""
    middle, mean = (len(sizes) - 1) / 2, sum(sizes) / len(sizes)
    above = sum((k - middle) * (size - mean) for k, size in enumerate(sizes))
    return above / sum((k - middle) ** 2 for k in range(len(sizes)))
