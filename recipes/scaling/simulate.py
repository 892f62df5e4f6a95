"""Send 1,000 hours' worth of decoding tasks through a Dask scheduler: what does a task cost?

::

    python recipes/scaling/simulate.py [--hours 1000] [--scheduler ADDRESS] [--batch 1 10 100]

A recording of 10 s is a table of synthetic scores, 100 phones by 2000 frames, made by the worker
and decoded there. Only a share of the recordings is really decoded, the others return at once, so
that all 360,000 go through the scheduler within minutes. Tasks are sent as `align corpus` sends
them, a bounded number under way at once. Without an address, a scheduler and workers are started
here, in processes of their own.
"""

import argparse
import json
import time
from pathlib import Path

SECONDS = 10.0
FRAMES, PHONES, LONGEST = 2000, 100, 200


def decode_some(first: int, last: int, every: int) -> tuple[int, float]:
    """Decode every so-manieth recording of a batch; return how many, and the seconds it took."""
    import numpy as np

    from align.decoders import decode
    from align.potentials import Potentials

    begin = time.perf_counter()
    decoded = 0
    for recording in range(first, last):
        if recording % every:
            continue
        rng = np.random.default_rng(recording)
        scores = rng.normal(size=(PHONES, FRAMES)).astype(np.float32)
        duration = np.zeros((1, LONGEST + 1))
        found = decode(Potentials(scores, FRAMES, duration=duration))
        assert len(found.onsets) == PHONES
        decoded += 1
    return decoded, time.perf_counter() - begin


def run(client: object, recordings: int, batch: int, every: int, ahead: int) -> dict[str, float]:
    """Send recordings in batches; return what happened."""
    from distributed import as_completed

    starts = iter(range(0, recordings, batch))
    workers = sum(client.nthreads().values())

    def send(first: int) -> object:
        last = min(first + batch, recordings)
        return client.submit(decode_some, first, last, every, pure=False)

    begin, own = time.perf_counter(), time.process_time()
    pending = as_completed(
        [send(first) for _, first in zip(range(ahead * workers), starts, strict=False)],
        with_results=True,
    )
    tasks, decoded, busy = 0, 0, 0.0
    for _, (count, seconds) in pending:
        tasks, decoded, busy = tasks + 1, decoded + count, busy + seconds
        following = next(starts, None)
        if following is not None:
            pending.add(send(following))
    clock, own = time.perf_counter() - begin, time.process_time() - own
    assert tasks == -(-recordings // batch)
    assert decoded == -(-recordings // every)
    return {
        "recordings": recordings,
        "batch": batch,
        "tasks": tasks,
        "decoded": decoded,
        "workers": workers,
        "clock_s": clock,
        "busy_s": busy,
        "tasks_per_s": tasks / clock,
        # What the clock shows beyond the work, as if the workers shared it evenly.
        "overhead_ms_per_task": 1000 * (clock - busy / workers) / tasks,
        # Of the processor, in this process: the client, a scheduler started here, and, inside,
        # the workers.
        "own_cpu_ms_per_task": 1000 * own / tasks,
        "decode_ms_per_recording": 1000 * busy / max(decoded, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hours", type=float, default=1000.0)
    parser.add_argument("--scheduler", help="address of a scheduler that runs")
    parser.add_argument("--workers", type=int, default=2, help="of a cluster started here")
    parser.add_argument(
        "--inside",
        action="store_true",
        help="workers are threads of this process, whose processor time is then all there is",
    )
    parser.add_argument("--batch", type=int, nargs="+", default=[100, 10])
    parser.add_argument("--every", type=int, default=1000, help="decode one recording of so many")
    parser.add_argument("--ahead", type=int, default=4, help="tasks under way for each worker")
    parser.add_argument(
        "--most", type=int, default=0, help="most tasks of a batch size; the rest is left out"
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    from distributed import Client, LocalCluster

    cluster = None
    if given.scheduler is None:
        cluster = LocalCluster(
            n_workers=given.workers,
            threads_per_worker=1,
            processes=not given.inside,
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        )
    rows = []
    with Client(given.scheduler or cluster) as client:
        client.run(decode_some, 0, 1, 1)  # import and compile, before the clock runs
        recordings = round(given.hours * 3600 / SECONDS)
        for batch in given.batch:
            n = min(recordings, given.most * batch) if given.most else recordings
            rows.append(run(client, n, batch, given.every, given.ahead))
            print(json.dumps(rows[-1]), flush=True)
    if cluster is not None:
        cluster.close()
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
