"""Average online mistakes of six label-ranking algorithms on mail: the protocol of Table 8.1.

::

    python recipes/label_ranking/run.py USER_FOLDER USER_FOLDER ...
    python recipes/label_ranking/run.py --generated 5
    python recipes/label_ranking/run.py --indicators ml_enron.npz

Each user's messages stream by once, in order; what is printed is ``100 M / m``, M mistakes in m
messages. c, and gamma of the entropy, are those with the fewest mistakes on the first user, who is
not reported; of a single stream, on its first third, and the rest is reported. See the README
beside this file.
"""

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mail
import numpy as np
import scipy.sparse as sp

from align.learners import LabelRanker

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers

UPDATES = ("conservative", "aggressive", "optimal")
ALGORITHMS = tuple(itertools.product(("euclidean", "entropy"), UPDATES))
NUMERALS = dict(zip(UPDATES, ("I", "II", "III"), strict=True))

# With the Euclidean complexity only gamma * c matters, and to update I nothing.
SCALES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
MARGINS = (0.003, 0.01, 0.03, 0.1, 0.3)

PUBLISHED = {
    "beck-s": (58.5, 55.2, 51.9, 54.0, 50.2, 47.1),
    "farmer-d": (29.5, 23.3, 22.7, 27.6, 22.6, 22.0),
    "kaminski-v": (50.2, 44.5, 41.9, 46.7, 42.9, 40.0),
    "kitchen-l": (48.2, 41.9, 40.4, 41.9, 38.3, 36.0),
    "lokay-m": (24.9, 19.1, 18.4, 24.0, 18.7, 18.2),
    "sanders-r": (31.7, 28.3, 27.2, 28.3, 24.2, 23.4),
    "williams-w3": (5.0, 4.5, 4.4, 4.2, 3.4, 3.1),
}


def grid(complexity: str, update: str) -> list[dict[str, float]]:
    """Return the parameters to choose from."""
    if complexity == "entropy":
        margins = MARGINS[:1] if update == "conservative" else MARGINS
        return [{"gamma": g, "c": c} for g in margins for c in RATES]
    return [{"c": c} for c in (SCALES[:1] if update == "conservative" else SCALES)]


def mistakes(stream: mail.Stream, complexity: str, update: str, **params: float) -> np.ndarray:
    """Return whether each message was a mistake [shape=(m,)]."""
    ranker = LabelRanker(complexity, update, fit_intercept=False, record=True, **params)
    ranker.partial_fit(stream.X, stream.Y)
    return ranker.trace_.cost


def tuned(stream: mail.Stream, complexity: str, update: str) -> dict[str, float]:
    """Return the parameters with the fewest mistakes on a stream."""
    choices = grid(complexity, update)
    counts = [mistakes(stream, complexity, update, **params).sum() for params in choices]
    return choices[int(np.argmin(counts))]


def indicators(path: Path) -> mail.Stream:
    """Read a multi-label set, training part first."""
    with np.load(path) as data:
        X = np.vstack([data["X_train"], data["X_test"]]).astype(float)
        Y = np.vstack([data["Y_train"], data["Y_test"]]) > 0
    return mail.Stream(path.stem, sp.csr_array(X), Y, [str(r) for r in range(Y.shape[1])])


def compare(streams: Sequence[mail.Stream]) -> dict[str, Any]:
    """Tune on the first stream, or the first third of the only one, and play the others."""
    first, rest = streams[0], list(streams[1:])
    if not rest:
        cut = len(first.Y) // 3
        first, rest = streams[0].part(0, cut), [streams[0].part(cut, len(streams[0].Y))]
    begin = time.perf_counter()
    chosen = {a: tuned(first, *a) for a in ALGORITHMS}
    costs = {s.name: {a: mistakes(s, *a, **chosen[a]) for a in ALGORITHMS} for s in rest}
    return {
        "parameters": chosen,
        "streams": rest,
        "costs": costs,
        "seconds": time.perf_counter() - begin,
    }


def report(found: dict[str, Any]) -> str:
    """Return the table as text, in the columns of the published one."""
    heads = [f"{'entr.' if f == 'entropy' else 'eucl.'} {NUMERALS[u]}" for f, u in ALGORITHMS]
    lines = ["", f"{'user':<16}{'labels':>7}{'m':>6}" + "".join(f"{h:>10}" for h in heads)]
    for stream in found["streams"]:
        values = [100.0 * found["costs"][stream.name][a].mean() for a in ALGORITHMS]
        lines.append(f"{stream.name:<16}{len(stream.labels):>7}{len(stream.Y):>6}" + row(values))
        if stream.name in PUBLISHED:
            lines.append(f"{'  published':<29}" + row(PUBLISHED[stream.name]))
    lines.append(
        f"{'parameters':<29}" + "".join(f"{brief(p):>10}" for p in found["parameters"].values())
    )
    return "\n".join(lines)


def row(values: Sequence[float]) -> str:
    return "".join(f"{value:>10.1f}" for value in values)


def brief(params: dict[str, float]) -> str:
    return "/".join(f"{value:g}" for value in params.values())


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw the share of mistakes so far against the messages so far, one panel for each user."""
    streams = found["streams"]
    figure, axes = new_figure(1, len(streams), figsize=(4.5 * len(streams), 3.6), squeeze=False)
    for axis, stream in zip(axes[0], streams, strict=True):
        for complexity, update in ALGORITHMS:
            costs = found["costs"][stream.name][complexity, update]
            axis.plot(
                100.0 * np.cumsum(costs) / np.arange(1, costs.size + 1),
                label=f"{complexity} {NUMERALS[update]}",
                linestyle="-" if complexity == "entropy" else "--",
                color=f"C{UPDATES.index(update)}",
            )
        axis.set(title=stream.name, xlabel="messages", ylabel="mistakes so far (%)", ylim=(0, 100))
    axes[0, 0].legend(fontsize="small")
    save_figure(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("users", nargs="*", type=Path, help="folder tree of one user's mail")
    parser.add_argument("--generated", type=int, default=0, help="number of made-up users")
    parser.add_argument("--messages", type=int, default=1500, help="of each made-up user")
    parser.add_argument("--seed", type=int, default=0, help="of the made-up users")
    parser.add_argument("--indicators", type=Path, help="multi-label set, .npz")
    add_output_options(parser)
    options = parser.parse_args(arguments)
    streams = [mail.read_user(folder) for folder in options.users]
    with tempfile.TemporaryDirectory() as scratch:
        for user in range(options.generated):
            root = Path(scratch, f"user-{user}")
            mail.generate_user(root, options.seed + user, options.messages)
            streams.append(mail.read_user(root))
    if options.indicators is not None:
        streams.append(indicators(options.indicators))
    if not streams:
        parser.error("name folders of users, or --generated N, or --indicators FILE")
    found = compare(streams)
    print(report(found))
    print(f"\n{found['seconds']:.1f} s")
    if options.json is not None:
        numbers = {
            "parameters": {" ".join(a): p for a, p in found["parameters"].items()},
            "mistakes_percent": {
                name: {" ".join(a): 100.0 * float(c.mean()) for a, c in costs.items()}
                for name, costs in found["costs"].items()
            },
        }
        write_numbers(numbers, options.json)
    if options.plot is not None:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
