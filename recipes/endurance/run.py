"""Disturb Align for hours, and count what goes wrong.

    python recipes/endurance/run.py LOG --part kills --count 1000

Each trial is determined by the seed and its number. The log has a line for each; a run that was
interrupted goes on with those that it does not have, and its log is the evidence.
"""

import argparse
import csv
import io
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded
sys.path.insert(0, str(Path(__file__).resolve().parent))
import faults
import inputs

from align.studio.journal import Journal

PARTS = ("kills", "inputs", "disks", "memory")
GOALS = {"kills": 1000, "inputs": 10**7, "disks": 1000, "memory": 10**4}
COLUMNS = ("part", "kind", "seed", "trials", "done", "wrong", "cpu_s", "worst")


def trial(part, seed, number, bench):
    """Run one trial, and return its line of the log."""
    rng = random.Random(f"{part} {seed} {number}")
    begin = _cpu()
    if part == "inputs":
        found = inputs.feed_batch(number, rng)
    else:
        run = {"kills": faults.kill, "disks": faults.disturb, "memory": faults.remember}[part]
        found = run(bench, number, rng)
    spent = {"cpu_s": round(_cpu() - begin, 3)}
    return {"do": part, "seed": seed, "number": number, **found, **spent}


def _cpu():
    of = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in of)


def go_on(log, part, seed, count, seconds):
    """Run the trials below `count` that the log does not have; return how many went wrong."""
    journal = Journal(log)
    known = {e["number"] for e in journal.entries if (e["do"], e["seed"]) == (part, seed)}
    end, wrong = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        bench = None if part == "inputs" else faults.Bench(Path(folder))
        for number in range(count):
            if number in known:
                continue
            if time.monotonic() > end:
                break
            entry = trial(part, seed, number, bench)
            journal.add(entry)
            if entry["wrong"]:
                wrong += 1
                print(f"{part} {number}:", *entry["wrong"], sep="\n  ", file=sys.stderr)
    return wrong


def done(entry):
    """Return how much a trial adds to what is counted: kills, inputs, faults, runs."""
    counted = {"kills": "killed", "inputs": "inputs", "disks": "met", "memory": "runs"}
    return int(entry[counted[entry["do"]]])


def counts(entries):
    """Return the rows of the summary of a log; see `COLUMNS`."""
    rows = {}
    for entry in entries:
        key = (entry["do"], entry["kind"], entry["seed"])
        row = rows.setdefault(key, dict.fromkeys(COLUMNS[3:], 0))
        row["trials"] += 1
        row["done"] += done(entry)
        row["wrong"] += len(entry["wrong"])
        row["cpu_s"] = round(row["cpu_s"] + entry["cpu_s"], 1)
        row["worst"] = max(row["worst"], entry.get("slowest_s", entry.get("kib_a_run", 0)))
    ordered = sorted(rows, key=lambda key: (PARTS.index(key[0]), key[1:]))
    return [dict(zip(COLUMNS, key, strict=False)) | rows[key] for key in ordered]


def as_csv(rows):
    """Return the rows as the text of a table of commas."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def over_seeds(rows):
    """Return the rows with those of one kind that differ in the seed as one; numbers as text."""
    merged = {}
    for row in rows:
        one = merged.setdefault((row["part"], row["kind"]), dict(row))
        if one != row:
            for name in ("trials", "done", "wrong"):
                one[name] = int(one[name]) + int(row[name])
            one["cpu_s"] = float(one["cpu_s"]) + float(row["cpu_s"])
            one["worst"] = max(float(one["worst"]), float(row["worst"]))
    return [merged[key] for key in sorted(merged, key=lambda key: (PARTS.index(key[0]), key[1]))]


def table(rows):
    """Return the table of the page, in Markdown."""
    rows = over_seeds(rows)
    units = {"inputs": "s an input", "memory": "KiB a run"}
    head = ("part", "of", "done", "goal", "wrong", "seconds of a processor", "at worst")
    lines = [head, ["---"] * len(head)]
    for part in PARTS:
        of = [row for row in rows if row["part"] == part]
        for row in of:
            worst = f"{float(row['worst']):.3g} {units[part]}" if part in units else ""
            counted = f"{int(row['done']):,}", "", row["wrong"], f"{float(row['cpu_s']):,.0f}"
            lines.append((part, row["kind"], *counted, worst))
        total, wrong = (sum(int(row[name]) for row in of) for name in ("done", "wrong"))
        spent = sum(float(row["cpu_s"]) for row in of)
        bold = (f"**{part}**", "all", f"**{total:,}**", f"{GOALS[part]:,}", f"**{wrong}**")
        lines.append((*bold, f"{spent:,.0f}", ""))
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def main():
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path, help="one line of JSON a trial; made where it is not")
    parser.add_argument("--part", choices=PARTS, default="kills")
    parser.add_argument("--count", type=int, default=1000, help="trials in all, earlier ones too")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none after")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="run this trial again alone; log nothing")
    parser.add_argument(
        "--summary", action="store_true", help="print the counts of the log as CSV"
    )
    parser.add_argument("--table", action="store_true", help="print them as the page has them")
    given = parser.parse_args()
    if given.summary or given.table:
        rows = counts(Journal(given.log).entries)
        print(as_csv(rows) if given.summary else table(rows), end="")
    elif given.only is not None:
        with tempfile.TemporaryDirectory() as folder:
            bench = None if given.part == "inputs" else faults.Bench(Path(folder))
            print(trial(given.part, given.seed, given.only, bench))
    else:
        sys.exit(go_on(given.log, given.part, given.seed, given.count, given.seconds) > 0)


if __name__ == "__main__":
    main()
