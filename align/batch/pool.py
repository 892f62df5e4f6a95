"""The processes that align: this one, others of this machine (loky), or a Dask cluster's.

Worker processes die: they are killed, run out of memory, crash in a library. `results` then goes
on with the others. The recordings that were with workers at that moment are tried once more,
each alone, so that the one at fault is found and the others are not suspected with it. It alone
is reported. Where several were with workers, the first death is no one's: each may still die
once by itself before it is reported. A Dask cluster tries on several workers by itself, and then
blames whatever was handed to the last of them, begun or not: there, too, what it blames is tried
once more, alone.

Recordings are handed out a few at a time, not all at once: a queue in the workers would make
suspects of recordings that no one has begun.
"""

import os
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    InvalidStateError,
    wait,
)
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from align._workers import end_with
from align.batch.tasks import Work
from align.batch.worker import Job, Model, Outcome, failure, run_job, with_files
from align.errors import AlignError, DataError, ParameterError

_IDLE = 60.0  # seconds without a job after which workers end by themselves
_LOOK = 5.0  # seconds between looks whether the pool is still there
_CHECK = 1.0  # seconds between checks that the run still goes on
_REACH = 5.0  # seconds to reach a scheduler
_START = 30.0  # seconds for the first worker of a cluster to come


class Pool(ABC):
    """Where jobs are run; in this process where a subclass does not say otherwise."""

    def width(self) -> int:
        """How many jobs may be under way at once."""
        return 1

    @abstractmethod
    def submit(self, job: Job) -> "Future[Outcome]":
        """Begin a job."""

    def died(self, error: BaseException) -> str | None:
        """Why a worker died, if that is what an error means."""
        return None

    def lost(self) -> bool:
        """Whether nothing that was begun will ever end."""
        return False

    def renew(self) -> None:
        """Replace workers that died."""
        return

    def close(self) -> None:
        """End the workers, whatever they are doing."""
        self.renew()

    def tries(self, suspects: int) -> int:
        """How often a job is tried alone, where so many were with workers when one died."""
        return 0


class SerialPool(Pool):
    """Run jobs in this process."""

    def __init__(self, work: Work, model: Model) -> None:
        self._work, self._model = work, model

    def submit(self, job: Job) -> "Future[Outcome]":
        """Run a job."""
        future: Future[Outcome] = Future()
        future.set_result(run_job(job, self._work, self._model))
        return future


class LocalPool(Pool):
    """Run jobs in `n_jobs` processes of this machine, with the work and model of `run_job`."""

    def __init__(self, n_jobs: int, work: Work, model: Model) -> None:
        self._n_jobs = n_jobs
        self._work, self._model = work, model
        self._executor: Any = None

    def width(self) -> int:
        """One for each process."""
        return self._n_jobs

    def submit(self, job: Job) -> "Future[Outcome]":
        """Hand a job to a process."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._n_jobs, timeout=_IDLE, initializer=_begin_worker, initargs=(os.getpid(),)
            )
        future: Future[Outcome] = self._executor.submit(run_job, job, self._work, self._model)
        return future

    def died(self, error: BaseException) -> str | None:
        """Return the reason to report where a process died; None for any other error."""
        if isinstance(error, BrokenExecutor):
            return "the process that aligned it died twice (killed, or out of memory)."
        return None

    def tries(self, suspects: int) -> int:
        """Once, or twice where the first death may have been another's."""
        return 1 + (suspects > 1)

    def renew(self) -> None:
        """End the processes that still run; new ones start with the next job."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        hook = threading.excepthook
        threading.excepthook = _silent  # its threads complain of pipes that end under them
        try:
            executor.shutdown(wait=True, kill_workers=True)
        finally:
            threading.excepthook = hook


class DaskPool(Pool):
    """Run jobs on a Dask cluster.

    joblib's Dask back end, which training uses, gets no message of a task whose workers died, and
    waits for it for ever (joblib 1.6). This pool asks the cluster itself. `address`, of the
    scheduler, is for messages; with `send_files` recordings are sent with the jobs, else the
    workers read them by their paths.
    """

    def __init__(
        self, client: Any, address: str, work: Work, model: Model, *, send_files: bool = False
    ) -> None:
        from distributed import KilledWorker

        self._client, self._address, self._send = client, address, send_files
        self._executor = client.get_executor(pure=False)
        self._work = work
        # A result, not scattered data: made anew where the worker that had it dies.
        self._given = model
        self._model = client.submit(_itself, model, pure=False)
        self._failed: type[BaseException] = KilledWorker
        self._width = 2
        self._asked = -_CHECK
        self._lost = False

    def width(self) -> int:
        """Two for each thread of the cluster, which may grow and shrink."""
        now = time.monotonic()
        if now - self._asked > _CHECK and not self.lost():
            self._asked = now
            with suppress(Exception):  # a lost connection shows in the jobs as well
                self._width = max(2, 2 * sum(self._client.nthreads().values()))
        return self._width

    def submit(self, job: Job) -> "Future[Outcome]":
        """Hand a job to the cluster."""
        future: Future[Outcome] = Future()
        try:
            if self.lost():
                raise OSError("the scheduler was lost")
            job = with_files(job) if self._send else job
            future = self._executor.submit(run_job, job, self._work, self._model)
        except AlignError as error:
            future.set_result(failure(job, error))
        except Exception as error:  # a lost connection has many names
            future.set_exception(OSError(str(error)))
        return future

    def died(self, error: BaseException) -> str | None:
        """Return the reason to report where workers died or the cluster was lost; else None."""
        if isinstance(error, self._failed):
            return "the workers that aligned it died, one after the other (killed, or no memory)."
        if isinstance(error, CancelledError | TimeoutError | OSError):
            self._lost = True
            return f"the Dask scheduler {self._address} was lost before it was done."
        return None

    def lost(self) -> bool:
        """Whether the connection has ended; what was begun before is forgotten then."""
        return self._lost or self._client.status != "running"

    def tries(self, suspects: int) -> int:
        """Once: the cluster itself tries each time on several workers."""
        return 1

    def renew(self) -> None:
        """Send the model again, if it was blamed; the cluster looks after its workers."""
        if not self.lost() and self._model.status == "error":
            self._model = self._client.submit(_itself, self._given, pure=False)

    def close(self) -> None:
        """Leave the cluster, and what it still does undone."""
        self._executor.shutdown(wait=False)


def _itself(model: Model) -> Model:
    return model


def _silent(_: threading.ExceptHookArgs) -> None:
    """Say nothing of an error in a thread."""


def _begin_worker(parent: int) -> None:
    """Make a process a worker: it leaves Ctrl-C to the run, and ends when the run does."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a Dask scheduler, for joblib as well, yield the client, and leave it again.

    The address is such as ``tcp://10.0.0.1:8786``. Raises ParameterError if Dask is not installed,
    or no scheduler or no worker answers in time.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ParameterError(
            f'scheduler={address!r} needs Dask; install it with: pip install "margin-align[dask]"'
        ) from None
    from joblib import parallel_config

    try:
        client = distributed.Client(address, timeout=_REACH, set_as_default=False)
    except (OSError, ValueError, TypeError, AssertionError) as error:
        # distributed asserts that its own thread began, which a stalled machine may be late with
        why = str(error).split("\n")[0] or type(error).__name__
        raise ParameterError(
            f"scheduler={address!r} cannot be reached within {_REACH:.0f} s ({why}); check the "
            "address, and that the scheduler runs."
        ) from None
    try:
        try:
            client.wait_for_workers(1, timeout=_START)
        except (OSError, TimeoutError):
            raise ParameterError(
                f"scheduler={address!r} has no workers, and none came within {_START:.0f} s; "
                "start some."
            ) from None
        with parallel_config(backend="dask", client=client):
            yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_REACH)


@contextmanager
def pool_of(
    work: Work,
    model: Model,
    n_recordings: int,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    send_files: bool = False,
) -> Iterator[Pool]:
    """Open the pool that the parameters of `align.batch.run.align_corpus` ask for.

    There are no more processes than recordings: each takes seconds to start. A single recording
    has one of its own, too, so that the run outlives it.
    """
    if scheduler is not None:
        with connected(scheduler) as client:
            yield DaskPool(client, scheduler, work, model, send_files=send_files)
        return
    pool: Pool = SerialPool(work, model)
    if jobs > 1:
        pool = LocalPool(min(jobs, n_recordings), work, model)
    try:
        yield pool
    finally:
        pool.close()


def results(pool: Pool, jobs: Sequence[Job]) -> Iterator[tuple[Job, Outcome]]:
    """Run jobs, and yield each with its outcome, in the order they end.

    Every job is yielded once, whatever becomes of the workers.
    """
    waiting = deque(jobs)
    under_way: dict[Future[Outcome], Job] = {}
    while waiting or under_way:
        suspects: list[tuple[Job, str]] = []
        width = pool.width()
        while waiting and len(under_way) < width and not suspects:
            job = waiting.popleft()
            try:
                under_way[pool.submit(job)] = job
            except BrokenExecutor:  # a worker died since; this job was not begun
                waiting.appendleft(job)
                if not under_way:
                    pool.renew()
                break
            if width == 1:
                break
        yield from _ended(pool, under_way, suspects)
        if not suspects:
            continue
        while under_way:  # all workers of this machine end with one of them
            yield from _ended(pool, under_way, suspects)
        pool.renew()
        tries = pool.tries(len(suspects))
        for job, why in suspects:
            yield job, _alone(pool, job, tries, why)


def _ended(
    pool: Pool, under_way: dict["Future[Outcome]", Job], suspects: list[tuple[Job, str]]
) -> Iterator[tuple[Job, Outcome]]:
    """Wait for jobs to end; yield them, but add those whose workers died to `suspects`."""
    for future in _some(pool, under_way):
        job = under_way.pop(future)
        outcome, why = _outcome(pool, job, future)
        if why is None:
            yield job, outcome
        else:
            suspects.append((job, why))


def _some(pool: Pool, under_way: dict["Future[Outcome]", Job]) -> set["Future[Outcome]"]:
    """Wait for jobs to end; where the pool is lost, those that never will count too."""
    while under_way:
        done = wait(under_way, timeout=_LOOK, return_when=FIRST_COMPLETED).done
        if done:
            return done
        if pool.lost():
            for future in under_way:
                if not future.cancel() and not future.done():
                    with suppress(InvalidStateError):  # it has ended just now
                        future.set_exception(OSError("the pool was lost"))
    return set()


def _outcome(pool: Pool, job: Job, future: "Future[Outcome]") -> tuple[Outcome, str | None]:
    """Outcome of a job that ended, and why its worker died if it did."""
    try:
        return future.result(), None
    except (Exception, CancelledError) as error:
        return failure(job, error), pool.died(error)


def _alone(pool: Pool, job: Job, tries: int, why: str) -> Outcome:
    """Try a job again with nothing beside it; `why` is the reason of its first failure."""
    for _ in range(tries):
        if pool.lost():
            break
        try:
            future = pool.submit(job)
        except BrokenExecutor as error:  # a new worker died before it could begin
            why = pool.died(error) or why
        else:
            _some(pool, {future: job})
            outcome, again = _outcome(pool, job, future)
            if again is None:
                return outcome
            why = again
        pool.renew()
    return failure(job, DataError(why))
