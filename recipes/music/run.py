"""Align every piece with an aligner that never saw it, and print the tables of the README.

::

    python recipes/music/run.py CORPUS [--work DIR] [--folds 7|loo] [--only NAME ...] [--jobs N]
    python recipes/music/run.py CORPUS --made FOLDER ...

CORPUS is a folder of sets, each a folder of pieces (see `align.corpus.pieces`). The pieces of each
set are dealt to the folds in turn. An outer fold i is scored by an aligner that was trained on all
others; within them, the pieces of fold j are scored by a network that was trained on neither i nor
j, and the weights are learned on these scores. A network that leaves out {i, j} serves both i and
j, so that 7 folds need 7 + 21 networks of about a minute each. Networks and the errors of each
fold are kept in DIR, and a run that was stopped goes on.

``--folds loo`` leaves out one piece: the network that scores it was trained on all 27 others,
which are 28 more networks. What is learned on top (five weights, offset, confidence) is that of
the fold the piece is in, and has seen neither it nor its three companions. ``loo`` changes
``default`` alone: the other variants have no network, and stay as they are with 7 folds.

``--weights piano`` trains the outer networks only, and takes the five weights and the range of
matches from a model, which were learned on all pieces; offset and confidence are fitted to the
pieces of the other folds. It shows in minutes what a change of the networks or of the placing of
notes brings, and flatters a little. With 7 folds its networks are those of
`make_bundled_model.py`, if DIR is its WORK. ``--seed`` is that of the networks.

``--made`` lets networks learn from recordings that `made.py` made of the training pieces as well.

Variants: ``default``; ``uniform``, the same with all base functions weighing the same; ``thesis``
and ``thesis-uniform``, the ten of the thesis; ``ghmm-1`` .. ``ghmm-7``, see `ghmm.py`.
"""

import argparse
import copy
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ghmm import GaussianAligner
from networks import KeptNetwork, Made

import align
from align.errors import AlignError
from align.evaluation.file_result import FileResult
from align.features import TimedNotes
from align.formats import atomic_write
from align.music.calibration import confidence_model, offset_of, placed_pieces
from align.music.functions.default import DefaultFunctions
from align.music.performances.performance import read_performance
from align.music.performances.pieces import read_piece
from align.music.placing.placement import PlacedNotes

RARE = {"bach10": 3.0}
"""How much the pieces of a set count when a network is trained; the others count 1."""

DEAL = {"performed": (5, 1), "bach10": (0, 2)}
"""Fold of the first piece of a set, and the step to the next; elsewhere (0, 1)."""

TARGETS = {
    "disklavier": (18, 9, 80, 95, 99),
    "performed": (35, 12, 75, 90, 96),
    "bach10": (45, 20, 60, 82, 94),
}
"""Mean of means and median of medians in ms, percent within 25, 50 and 100 ms."""

TABLE_9_2 = {
    "GHMM-1": (1000.1, 15.8),
    "GHMM-3": (998.1, 54.2),
    "GHMM-5": (30.3, 28.5),
    "GHMM-7": (1106.4, 25.8),
    "discriminative": (14.4, 10.7),
}
"""Mean and median over the twelve pieces of the thesis, ms; its recordings are not these."""

VARIANTS = ("default", "uniform", "thesis", "thesis-uniform", *(f"ghmm-{n}" for n in (1, 3, 5, 7)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--work", default="music-work", help="where networks and errors are kept")
    parser.add_argument("--folds", default="7", help="a number, or loo")
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--fold", nargs="+", type=int, help="only these outer folds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--weights", help="a model that has all weights but those of the networks")
    parser.add_argument("--made", help="a folder that made.py wrote")
    parser.add_argument("--seed", type=int, default=0, help="of the networks")
    arguments = parser.parse_args()
    corpus = align.read_corpus(arguments.corpus, kind="music")
    loo = arguments.folds == "loo"
    n = 7 if loo else int(arguments.folds)
    examples = dealt(corpus, n)
    timed = timed_notes(examples) if loo else []
    made = made_of(arguments.made, examples) if arguments.made else None
    kind = "loo" if loo else str(n)
    work = Path(arguments.work)
    work.mkdir(parents=True, exist_ok=True)
    families: dict[str, list[str]] = {}
    kept = KeptNetwork(work / "networks", made, random_state=arguments.seed)
    if arguments.weights:
        arguments.only = ("default",)
    for variant in ("default",) if loo else arguments.only:
        families.setdefault(variant.split("-")[0].replace("uniform", "default"), []).append(
            variant
        )
    known: list[HeldOut] = []
    for fold in arguments.fold or range(n):
        for family, variants in families.items():
            paths = {v: work / f"errors-{v}-{fold}-of-{kind}.json" for v in variants}
            todo = [v for v in variants if not paths[v].exists()]
            if not todo:
                continue
            begin = time.perf_counter()
            if arguments.weights:
                known = known or held_out(examples, arguments.weights, kept)
                rows = placed(examples, fold, known)
            else:
                network = copy.deepcopy(kept)
                rows = scored(examples, fold, family, todo, network, arguments.jobs, timed)
            for variant, found in rows:
                atomic_write(paths[variant], json.dumps(found), overwrite=True)
            print(f"fold {fold}, {family}: {time.perf_counter() - begin:.0f} s", flush=True)
    for variant in ("default",) if loo else arguments.only:
        found = {}
        for fold in range(n):
            path = work / f"errors-{variant}-{fold}-of-{kind}.json"
            if path.exists():
                found.update(json.loads(path.read_text(encoding="utf-8")))
        if found:
            print_tables(variant, found, whole=len(found) == len(examples))


def dealt(corpus: Sequence[align.Example], n: int) -> list[align.Example]:
    """Return the examples, their group being their fold."""
    seen: dict[str, int] = {}
    out = []
    for example in corpus:
        name = (example.group or "").rpartition("/")[0]
        first, step = DEAL.get(name, (0, 1)) if n == 7 else (0, 1)
        place = seen.setdefault(name, 0)
        seen[name] += 1
        out.append(replace(example, group=f"fold {(first + step * place) % n}"))
    return out


def set_of(example: align.Example) -> str:
    """Return the folder that the folder of a piece lies in."""
    return Path(example.name).parent.parent.name


def rarity(example: align.Example) -> float:
    """Return how much a piece counts when a network is trained."""
    return RARE.get(set_of(example), 1.0)


def timed_notes(examples: Sequence[align.Example]) -> list[TimedNotes]:
    """Return what a network is trained on, for each example."""
    out = []
    for example in examples:
        played = read_performance(example.audio, example.score)
        onsets = played.merged(example.onsets)
        notes = played.notes.pitches, onsets, played.context
        out.append(TimedNotes(played.signal, *notes, rarity(example)))
    return out


def made_of(folder: str, examples: Sequence[align.Example]) -> Made:
    """Return what was made of the pieces, for networks."""
    names = [Path(example.name).parent.name for example in examples]
    return Made(folder, dict(zip(names, timed_notes(examples), strict=True)))


def scored(
    examples: Sequence[align.Example],
    fold: int,
    family: str,
    variants: Sequence[str],
    unfitted: KeptNetwork,
    jobs: int,
    timed: Sequence[TimedNotes] = (),
) -> Iterator[tuple[str, dict[str, dict[str, object]]]]:
    """Train without a fold, and yield the signed errors of its pieces for each variant.

    Where `timed` is given, one for each example, each piece is scored by a network of its own.
    """
    name = f"fold {fold}"
    train = [example for example in examples if example.group != name]
    test = [example for example in examples if example.group == name]
    weight = [rarity(example) for example in train]
    folds = len({example.group for example in train})
    if family == "ghmm":
        for variant in variants:
            model = GaussianAligner(int(variant.split("-")[1])).fit(train)
            yield variant, errors(model, test)
        return
    network = unfitted if family == "default" else None
    model = align.MusicAligner(family, network=network, n_folds=folds, n_jobs=jobs)
    model.fit(train, sample_weight=weight)
    weights = model.coef_ / model.scale_
    print("   ", dict(zip(model.base_functions_, weights.round(4).tolist(), strict=True)))
    if timed and network is not None:
        found: dict[str, dict[str, object]] = {}
        for i, example in enumerate(examples):
            if example.group != name:
                continue
            others = [other for j, other in enumerate(timed) if j != i]
            alone = copy.copy(model)
            fitted = copy.deepcopy(network).fit(others)
            alone.features_ = [DefaultFunctions(fitted, model.base_functions_)]
            found.update(errors(alone, [example]))
            print(f"    {example.name}: scored by the network of its own", flush=True)
        yield "default", found
        return
    for variant in variants:
        if not variant.endswith("uniform"):
            yield variant, errors(model, test)
            continue
        even = copy.copy(model)
        even.coef_ = np.where(np.array(model.base_functions_) == "tempo", -1.0, 1.0)
        yield variant, errors(even, test)


class HeldOut(NamedTuple):
    """A piece as placed by a network that did not see its fold, and the aligner of that fold."""

    example: align.Example
    model: align.MusicAligner
    placed: PlacedNotes
    errors: np.ndarray


def held_out(examples: Sequence[align.Example], weights: str, kept: KeptNetwork) -> list[HeldOut]:
    """Place all pieces, each by the weights of a model and a network without its fold."""
    out = []
    for fold in sorted({str(example.group) for example in examples}):
        network = copy.deepcopy(kept)
        network.fit(timed_notes([example for example in examples if example.group != fold]))
        model = align.load(weights)
        model.features_ = [DefaultFunctions(network, model.base_functions_)]
        for example in examples:
            if example.group == fold:
                piece = read_piece(example, example.name, 1.0, model.rate)
                (found,), (late,) = placed_pieces([piece], [model.functions_], model._weights)
                out.append(HeldOut(example, model, found, late))
    return out


def placed(
    examples: Sequence[align.Example], fold: int, known: Sequence[HeldOut]
) -> Iterator[tuple[str, dict[str, dict[str, object]]]]:
    """As `scored`, with the aligner of a fold, its offset and confidence of the other folds."""
    name = f"fold {fold}"
    others = [one for one in known if one.example.group != name]
    model = next(one.model for one in known if one.example.group == name)
    late = [one.errors for one in others]
    model.offset_ = offset_of(late)
    model.confidence_ = confidence_model([one.placed for one in others], late, model.offset_)
    yield "default", errors(model, [example for example in examples if example.group == name])


def errors(model: object, test: Sequence[align.Example]) -> dict[str, dict[str, object]]:
    """Align pieces; return set, signed errors in ms, confidence, match and real-time factor."""
    found: dict[str, dict[str, object]] = {}
    for example in test:
        begin = time.perf_counter(), time.process_time()
        try:
            alignment = model.align(example.audio, example.score)  # type: ignore[attr-defined]
        except AlignError as error:
            print(f"    {example.name}: {error}")
            continue
        spent = time.perf_counter() - begin[0], time.process_time() - begin[1]
        result = FileResult.of(example, alignment)
        confidence = alignment.confidence
        found[Path(example.name).parent.name] = {
            "set": set_of(example),
            "errors": np.round(1000 * (result.predicted - result.true), 2).tolist(),
            "confidence": []
            if confidence is None
            else np.round(confidence[example.truth.index], 3).tolist(),
            "match": alignment.match,
            "speed": [value / alignment.duration for value in spent],
        }
    return found


def figures(error: np.ndarray) -> list[float]:
    """Mean and median size in ms, percent within 25, 50 and 100 ms."""
    size = np.abs(error)
    return [size.mean(), np.median(size), *(100 * np.mean(size <= ms) for ms in (25, 50, 100))]


def print_tables(variant: str, found: Mapping[str, Mapping[str, object]], whole: bool) -> None:
    """Print the table of each set, and the pieces of the default set."""
    print(f"\n## {variant}" + ("" if whole else f" (only {len(found)} pieces so far)"))
    print(f"{'':30}{'mean':>8}{'median':>8}{'25 ms':>8}{'50 ms':>8}{'100 ms':>8}{'worst':>8}")
    every = []
    for name in sorted({str(piece["set"]) for piece in found.values()}):
        pieces = {k: v for k, v in found.items() if v["set"] == name}
        rows = {k: figures(np.array(v["errors"])) for k, v in pieces.items()}
        every += list(rows.values())
        table = np.array(list(rows.values()))
        whole_set = [table[:, 0].mean(), np.median(table[:, 1]), *table[:, 2:].mean(axis=0)]
        if variant == "default":
            for piece, row in rows.items():
                print(f"  {piece:28}" + "".join(f"{value:8.1f}" for value in row))
        line = "".join(f"{value:8.1f}" for value in [*whole_set, table[:, 0].max()])
        print(f"{name:30}{line}")
        if name in TARGETS:
            print(f"{'  to reach':30}" + "".join(f"{value:8.1f}" for value in TARGETS[name]))
    means = np.array([row[0] for row in every])
    print(f"all pieces: mean {means.mean():.1f}, median {np.median(means):.1f} ms")
    speed = np.array([piece["speed"] for piece in found.values()])
    print(
        f"real-time factor: mean {speed[:, 1].mean():.4f}, largest {speed[:, 1].max():.4f} (CPU)"
    )
    if variant == "default":
        sure = np.concatenate([np.array(piece["confidence"]) for piece in found.values()])
        hit = np.concatenate([np.abs(np.array(p["errors"])) <= 50 for p in found.values()])
        for low, high in ((0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01)):
            part = (sure >= low) & (sure < high)
            if part.any():
                print(
                    f"  confidence {low:.2f}..{min(high, 1):.2f}: {part.sum()} notes, mean "
                    f"{sure[part].mean():.3f}, within 50 ms {hit[part].mean():.3f}"
                )
        print("Table 9.2 of the thesis, on its own recordings (mean, median over pieces, ms):")
        for name, (mean, median) in TABLE_9_2.items():
            print(f"  {name:16}{mean:9.1f}{median:9.1f}")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
