"""A simulated person corrects recordings in a session: how many mistakes they meet in all.

::

    python recipes/studio/run.py MODEL CORPUS [--groups G ...] [--most N] [--tolerance S]

MODEL must not have heard CORPUS, which has the labels of MODEL; ``--ipa`` relabels TIMIT. Of music
CORPUS holds pieces, or the parts of them that `phrases.py` writes. The person goes through the
recordings, moves every boundary, or note, that is off by more than the tolerance, looks again
after each move, and confirms. A mistake is a boundary that is off when the recording is first
shown, by the model as it is then. Four ways:

* ``fixed``: the model stays as it is;
* ``adapt``: after every tenth recording, `align.sequence.adapt` on all that are confirmed;
* ``files``: a session that learns, in the order of the files;
* ``queue``: a session that learns, in the order of its queue.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import align
from align.corpus.ipa import to_ipa
from align.features.sound.audio import audio_info
from align.sequence.adapt import adapt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recipe_outputs import add_output_options, new_figure, save_figure, write_numbers

N_RESAMPLED = 2000
EVERY = 10  # recordings, after which the second way adapts
LOOKED_AT = 3  # recordings that are aligned anew while the person works on one


def chosen(
    corpus: Path, kind: str, groups: Sequence[str], most: int, seed: int, ipa: bool = False
) -> list[align.Example]:
    """Return recordings of some groups, drawn at random, in the order of their files."""
    every = align.read_corpus(corpus, kind=kind)
    every = to_ipa(every) if ipa else every
    examples = [e for e in every if not groups or e.group in groups]
    drawn = np.random.default_rng(seed).permutation(len(examples))[:most]
    return [examples[i] for i in np.sort(drawn)]


def linked(
    examples: Sequence[align.Example], folder: Path, written: bool
) -> dict[str, align.Example]:
    """Make a folder with these recordings and their labels, and return what it has, by name.

    Labels are `written` anew where they are not those of the files.
    """
    if examples[0].score is not None:
        for example in examples:
            piece = Path(str(example.audio)).resolve().parent
            (folder / piece.name).symlink_to(piece)
        pieces = align.read_corpus(folder, kind="music")
        return {Path(str(e.audio)).parent.name: e for e in pieces}
    for example in examples:
        audio = Path(str(example.audio)).resolve()
        place = folder / str(example.group) / audio.name
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(audio)
        labels = place.with_suffix(".TextGrid")
        if written:
            truth_of(example, audio_info(audio).duration).to_textgrid(labels)
        else:
            labels.symlink_to(audio.with_suffix(".TextGrid"))
    found = align.read_corpus(folder, kind="speech")
    return {f"{e.group}/{Path(str(e.audio)).stem}": e for e in found}


def off(found: np.ndarray, example: align.Example, tolerance: float) -> np.ndarray:
    """Return which boundaries are off, of notes those that were played.

    The first boundary of speech begins with the recording.
    """
    wrong = np.abs(found - np.asarray(example.onsets)) > tolerance
    wrong[0] &= example.score is not None
    return np.flatnonzero(wrong)


def fixed(model: Any, examples: Sequence[align.Example], tolerance: float) -> list[int]:
    """Return the mistakes of a model that stays as it is."""
    return [len(off(model.timing(e).onsets, e, tolerance)) for e in examples]


def adapted(model: Any, examples: Sequence[align.Example], tolerance: float) -> dict[str, Any]:
    """Return the mistakes where the model is adapted after every tenth recording."""
    mistakes, confirmed, now, seconds = [], [], model, []
    for n, example in enumerate(examples, start=1):
        onsets = now.timing(example).onsets.copy()
        wrong = off(onsets, example, tolerance)
        mistakes.append(len(wrong))
        right = as_confirmed(example, onsets, wrong)
        confirmed += [] if right is None else [right]
        if n % EVERY == 0 and n < len(examples):
            begin = time.process_time()
            now = adapt(model, confirmed, n_jobs=1)
            seconds.append(time.process_time() - begin)
    return {"mistakes": mistakes, "seconds": seconds}


def as_confirmed(
    example: align.Example, onsets: np.ndarray, wrong: np.ndarray
) -> align.Example | None:
    """Return what a person confirms who has moved what is wrong; None where that has no order."""
    truth = np.asarray(example.onsets)
    onsets[wrong] = truth[wrong]
    if example.score is not None:
        onsets[np.isnan(truth)] = np.nan
        return replace(example, onsets=onsets, truth=None)
    bad = np.flatnonzero(np.diff(onsets) <= 0)  # then the person has moved both
    onsets[bad], onsets[bad + 1] = truth[bad], truth[bad + 1]
    if not (np.diff(onsets) > 0).all():
        return None
    parts = (example.audio, example.events, onsets)
    return align.Example(*parts, group=example.group, name=example.name)


def person(session: align.Session, name: str, example: align.Example, tolerance: float) -> Any:
    """Correct a recording and confirm it; return the mistakes met and the moves made."""
    view, met, moves = session.view(name), None, 0
    tier = view["tiers"][-1]
    for row, heard in zip(tier["intervals"], np.isfinite(example.onsets), strict=True):
        if not heard:
            action = {"do": "unplayed", "id": row["id"]}
            view = session.edit(name, action, revision=view["revision"])
    while True:
        rows = view["tiers"][-1]["intervals"]
        wrong = off(np.array([row["start"] for row in rows]), example, tolerance)
        met = len(wrong) if met is None else met
        free = [k for k in wrong if not rows[k]["fixed"]]
        if not free:
            break
        to = float(np.asarray(example.onsets)[free[0]])
        action = {"do": "move", "tier": tier["name"], "id": rows[free[0]]["id"], "edge": "start"}
        try:
            view = session.edit(name, {**action, "to": to}, revision=view["revision"])
        except align.AlignError:  # the true labels leave less than a frame: give the whole truth
            session.correct(name, truth_of(example, view["seconds"]))
            return met, moves + len(free)
        moves += 1
    session.confirm(name, revision=view["revision"])
    return met, moves


def truth_of(example: align.Example, seconds: float) -> align.Alignment:
    return align.Alignment(example.events, example.onsets, seconds, example.end)


def learned(
    model: Any, named: dict[str, align.Example], folder: Path, tolerance: float, in_queue: bool
) -> dict[str, Any]:
    """Return what a person meets in a session that learns."""
    found: dict[str, Any] = {"names": [], "mistakes": [], "moves": [], "seconds": []}
    with tempfile.TemporaryDirectory() as out, align.Session(model, folder, out) as session:
        for name in session.names:
            if in_queue:
                name = session.next()
                assert name is not None
            met, moves = person(session, name, named[name], tolerance)
            begin = time.process_time()
            session.learn()
            found["seconds"].append(time.process_time() - begin)
            for key, value in (("names", name), ("mistakes", met), ("moves", moves)):
                found[key].append(value)
            for _ in range(LOOKED_AT if in_queue else 0):
                session.prepare()
        found["put_back"] = len(session.progress()["put_back"])
    return found


def interval(mistakes: Sequence[int], base: Sequence[int], seed: int) -> list[float]:
    """Return the ratio of mistakes, and its 95 % interval over recordings drawn again."""
    a, b = np.array(mistakes, float), np.array(base, float)
    draws = np.random.default_rng(seed).integers(len(a), size=(N_RESAMPLED, len(a)))
    ratios = a[draws].sum(axis=1) / np.maximum(b[draws].sum(axis=1), 1.0)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return [round(float(x), 3) for x in (a.sum() / max(b.sum(), 1.0), low, high)]


def line(way: str, one: dict[str, Any]) -> str:
    """Return what is printed of one way."""
    ratio, low, high = one["ratio"]
    later, least, most = one["second_half"]
    text = (
        f"{way:<6} {sum(one['mistakes']):4d} mistakes, {ratio:.2f} of the fixed model's "
        f"[{low:.2f}, {high:.2f}], second half {later:.2f} [{least:.2f}, {most:.2f}]"
    )
    if "moves" in one:
        text += f", {sum(one['moves'])} moves, put back {one['put_back']}"
    seconds = one["seconds"] or [0.0]
    return text + f"; learning {np.mean(seconds):.1f} CPU s, at most {max(seconds):.1f} s"


def compared(
    model: Any, named: dict[str, align.Example], folder: Path, options: argparse.Namespace
) -> dict[str, Any]:
    """Return what a person meets in each way, and print it."""
    examples = list(named.values())
    base = fixed(model, examples, options.tolerance)
    by_name = dict(zip(named, base, strict=True))
    n = sum(int(np.isfinite(e.onsets).sum()) - (e.score is None) for e in examples)
    print(f"{len(examples)} recordings, {n} boundaries; the fixed model: {sum(base)} mistakes")
    found: dict[str, Any] = {"boundaries": n, "fixed": {"mistakes": base}}
    for way in options.ways:
        if way == "adapt":
            one, of_same = adapted(model, examples, options.tolerance), base
        else:
            one = learned(model, named, folder, options.tolerance, way == "queue")
            of_same = [by_name[name] for name in one["names"]]
        one["ratio"] = interval(one["mistakes"], of_same, options.seed)
        half = len(of_same) // 2
        later = interval(one["mistakes"][half:], of_same[half:], options.seed)
        one["fixed"], one["second_half"] = of_same, later
        found[way] = one
        print(line(way, one), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--groups", nargs="*", default=[], help="languages or speakers")
    parser.add_argument("--ipa", action="store_true", help="CORPUS has the labels of TIMIT")
    parser.add_argument("--most", type=int, default=60, help="recordings, at most")
    parser.add_argument("--tolerance", type=float, default=0.02, help="in seconds")
    parser.add_argument("--ways", nargs="*", default=["adapt", "files", "queue"])
    parser.add_argument("--seed", type=int, default=0)
    add_output_options(parser)
    options = parser.parse_args()

    model = align.load(options.model)
    drawn = options.groups, options.most, options.seed, options.ipa
    examples = chosen(options.corpus, model.kind, *drawn)
    with tempfile.TemporaryDirectory() as folder:
        named = linked(examples, Path(folder), options.ipa)
        found = compared(model, named, Path(folder), options)
    write_numbers(found, options.json)
    if options.plot:
        figure, axes = new_figure(figsize=(6, 4))
        for way in ("fixed", *options.ways):
            axes.plot(np.cumsum(found[way]["mistakes"]), label=way)
        axes.set(xlabel="recordings confirmed", ylabel="mistakes met")
        axes.legend()
        save_figure(figure, options.plot)


if __name__ == "__main__":
    main()
