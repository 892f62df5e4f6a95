"""What every ingredient of the speech aligner brings: each is left out or replaced in turn.

::

    python recipes/timit/ablations.py CORPUS [--folds 0 1 2 3] [--jobs N] [--seed N]
    python recipes/timit/ablations.py CORPUS --networks [--kept FILE.json] [--folds 0 1 2 3]
    python recipes/timit/ablations.py CORPUS --thesis [--folds 0 1 2 3]

CORPUS is a folder of TIMIT speakers, cross-validated as ``run.py`` does. The classifiers of a fold
are trained once, and the ingredients after them (base functions, weights, cost, placement,
correction) are varied on their scores. ``--networks`` varies what the networks are made of,
instead, at one training for each variant and fold: about an hour of one core. Errors are kept in
the file of ``--kept``, and taken from it where they are in it: an interrupted run goes on.
``--thesis`` takes the features of the thesis, and goes from our learner to that of the thesis
(`SpeechAligner.as_in_thesis`) in steps, each of which keeps those before it. The last of them, no
offset, is in ``run.py``.

Each row ends with what the variant changes within 10 and 20 ms, against the row that it is a
variant of, on the same folds, with the standard deviation of that change over the folds.
"""

import argparse
import copy
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from run import folds

import align
from align.decoders import decode
from align.features import Feature, NetworkConfidence
from align.features.phones import network_confidence
from align.learners.structured.costs import make_cost
from align.learners.structured.learner import StructuredLearner
from align.sequence.learning.crossfit import cross_fit
from align.sequence.learning.problem import AlignmentProblem, Truth, base_function_scales
from align.sequence.times.correction import OnsetCorrection
from align.sequence.times.placement import Placement
from align.terms import BaseFunctions
from align.types import IntArray

Errors = list[np.ndarray]


@dataclass(frozen=True)
class Scored:
    """Base functions of a fold: cross-fitted ones to learn from, and those of new speakers."""

    xs: list[BaseFunctions]
    onsets: list[IntArray]
    times: list[np.ndarray]
    unseen: list[BaseFunctions]
    truth: list[np.ndarray]


@dataclass(frozen=True)
class Variant:
    """What follows the classifiers."""

    name: str
    keep: Callable[[str], bool] = lambda name: True
    learned: bool = True
    learner: dict[str, Any] = field(default_factory=dict)
    cost: str = "ramp"
    placement: str = "posterior"
    correct: bool = True


DEFAULT = Variant("default")
PLAIN = replace(DEFAULT, name="without the last correction; so are all below", correct=False)
VARIANTS = [
    DEFAULT,
    PLAIN,
    replace(PLAIN, name="best path and parabola, no posterior", placement="parabola"),
    replace(PLAIN, name="best path on whole frames", placement="none"),
    replace(PLAIN, name="without boundary scores", keep=lambda n: n != "network.boundary"),
    replace(PLAIN, name="without transition scores", keep=lambda n: n != "network.transition"),
    replace(PLAIN, name="without phone scores", keep=lambda n: n != "network.phone"),
    replace(PLAIN, name="without durations", keep=lambda n: n != "duration"),
    replace(PLAIN, name="without spectral distances", keep=lambda n: "spectral" not in n),
    replace(PLAIN, name="weights by hand: all 1", learned=False),
    replace(
        PLAIN,
        name="prediction loss, tolerance cost",
        cost="tolerance",
        learner={"loss": "prediction"},
    ),
    replace(PLAIN, name="maximal loss, tolerance cost", cost="tolerance"),
    replace(PLAIN, name="maximal loss, absolute cost", cost="absolute"),
    replace(PLAIN, name="last weights, not the average", learner={"conversion": "last"}),
    replace(PLAIN, name="perceptron", learner={"update": "perceptron"}),
]
OURS = Variant("thesis's features, our learner", correct=False)
STEPS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("then the prediction-based loss", {"loss": "prediction"}, {}),
    ("then the self-tuned update", {"update": "self-tuned"}, {}),
    ("then the graded cost (b)", {}, {"cost": "graded"}),
    ("then one pass", {"epochs": 1}, {}),
    ("then the last hypothesis", {"conversion": "last"}, {}),
    ("then the best path on whole frames", {}, {"placement": "none"}),
    ("the mean absolute error (c) instead", {}, {"cost": "absolute"}),
    ("and the best of 20 passes", {"epochs": 20, "conversion": "best"}, {}),
]
_SOME = 4  # the temperature is fitted on every fourth recording: it takes most of the time

ALL = "all"
ALONE = "one network fitted to all, not four averaged"
NETWORKS: dict[str, dict[str, Any]] = {
    ALL: {},
    "one look at each recording, not five disguises": {"disguises": 1},
    "one window (25 ms), not two": {"windows": (0.025,)},
    "32 channels, not 64": {"width": 32},
    "two networks for each of the four": {"n_networks": 2},
    "boundary target of 5 ms, not 7.5": {"boundary_width": 0.005},
    "12 epochs, not 25": {"epochs": 12.0},
    "96 channels, not 64": {"width": 96},
}


def thesis_variants() -> list[Variant]:
    """Return the way from our learner to that of the thesis."""
    found = [OURS]
    for name, learner, rest in STEPS:
        before = found[-1]
        found.append(replace(before, name=name, learner={**before.learner, **learner}, **rest))
    return found


class Varied(align.SpeechAligner):
    """The aligner with some parameters of its network changed."""

    network: ClassVar[dict[str, Any]] = {}

    def _make_features(self) -> list[Feature]:
        features = super()._make_features()
        for feature in features:
            if isinstance(feature, NetworkConfidence):
                feature.__dict__.update(self.network)
        return features


def trained(
    seen: Sequence[align.Example], network: dict[str, Any], options: argparse.Namespace
) -> align.SpeechAligner:
    """Train an aligner whose network differs in what `network` says."""
    Varied.network = dict(network)
    whole = network_confidence.DISGUISES
    network_confidence.DISGUISES = whole[: Varied.network.pop("disguises", None)]
    try:  # in this process: others would have their own modules
        return Varied(n_jobs=1, random_state=options.seed).fit(seen)
    finally:
        network_confidence.DISGUISES = whole


def alone(model: align.SpeechAligner, seen: Sequence[align.Example]) -> align.SpeechAligner:
    """Return the aligner with one network fitted to all recordings in place of the average."""
    model = copy.deepcopy(model)
    timed = model._read_all(seen, lambda stage, done, total: None)
    for feature in model.features_:
        if isinstance(feature, NetworkConfidence):
            feature.fit(timed)
    return model


def found_errors(model: align.SpeechAligner, unseen: Sequence[align.Example]) -> np.ndarray:
    """Errors in seconds of a trained aligner."""
    return np.concatenate(
        [(model.align(e.audio, e.events).onsets - np.asarray(e.onsets))[1:] for e in unseen]
    )


def vary_networks(options: argparse.Namespace) -> None:
    """Train each variant of the network on each fold, and print what it finds."""
    kept: dict[str, dict[str, list[float]]] = {}
    if options.kept is not None and options.kept.exists():
        kept = json.loads(options.kept.read_text(encoding="utf-8"))

    def keep(name: str, fold: str, found: np.ndarray) -> None:
        kept.setdefault(name, {})[fold] = [round(float(e), 6) for e in found]
        if options.kept is not None:
            options.kept.write_text(json.dumps(kept), encoding="utf-8")
        print(described(name, kept), file=sys.stderr, flush=True)

    split = list(folds(options.corpus))
    for name, network in NETWORKS.items():
        for fold in options.folds:
            _, seen, unseen = split[fold]
            done = [str(fold) in kept.get(one, {}) for one in (name, ALONE)]
            if done[0] and (name != ALL or done[1]):
                continue
            model = trained(seen, network, options)
            keep(name, str(fold), found_errors(model, unseen))
            if name == ALL:
                keep(ALONE, str(fold), found_errors(alone(model, seen), unseen))
    for name in kept:
        print(described(name, kept))


def described(name: str, kept: dict[str, dict[str, list[float]]]) -> str:
    """Row of a variant of the network, against all on the same folds."""
    found = [np.array(errors) for errors in kept[name].values()]
    return row(name, found, [np.array(kept[ALL][fold]) for fold in kept[name]])


def scored(
    seen: Sequence[align.Example], unseen: Sequence[align.Example], options: argparse.Namespace
) -> tuple[Scored, align.SpeechAligner]:
    """Train the classifiers of a fold, and score its recordings."""
    model = align.SpeechAligner(
        "thesis" if options.thesis else "default", n_jobs=options.jobs, random_state=options.seed
    )
    features = model._make_features()
    model.problems_, model.base_functions_ = [], []
    silent = lambda stage, done, total: None  # noqa: E731
    timed = model._read_all(seen, silent)
    model._prepare(timed, anew=True)
    own = cross_fit(features, timed, n_folds=4, n_jobs=options.jobs)
    model.features_ = features
    xs = [case.x for case in model._cases(timed, own, silent)]
    model.base_functions_ = list(xs[0].names)
    new = [model._problem(model._read_example(e, e.name), features)[0] for e in unseen]
    data = Scored(
        xs,
        [item.onsets for item in timed],
        [item.times for item in timed],
        new,
        [np.asarray(e.onsets) for e in unseen],
    )
    return data, model


def errors(data: Scored, variant: Variant, model: align.SpeechAligner) -> np.ndarray:
    """Errors in seconds of a variant on the fold's new speakers."""
    hop, classes = model._frame_length(), model._boundary_classes()
    xs = [_kept(x, variant.keep) for x in data.xs]
    scale = base_function_scales(xs, data.onsets, 0)
    cost = make_cost(variant.cost, tolerance=0.01).bind(hop)
    weights = np.ones(len(scale))
    if variant.learned:
        options = {"update": "pa1", "loss": "maximal", "C": 0.05, "epochs": 4, **variant.learner}
        learner = StructuredLearner(random_state=0, **options)
        truth = [Truth.whole(onsets) for onsets in data.onsets]
        weights = learner.fit(AlignmentProblem(cost, scale), xs, truth).coef_
    weights = weights / scale
    potentials = [x.potentials(weights) for x in xs]
    paths = [decode(p) for p in potentials]
    placement = Placement(variant.placement, hop, window=model._window()).fitted(
        potentials[::_SOME], paths[::_SOME], data.times[::_SOME]
    )
    correction = None
    if variant.correct:
        found = [
            placement.times(p, path.onsets)[0] for p, path in zip(potentials, paths, strict=True)
        ]
        correction = OnsetCorrection.fitted(xs, found, data.times, classes, hop)
    result = []
    for whole, true in zip(data.unseen, data.truth, strict=True):
        x = _kept(whole, variant.keep)
        p = x.potentials(weights)
        times = placement.times(p, decode(p).onsets).times
        if correction is not None:
            terms = dict(zip(x.names, x.terms, strict=True))
            times = correction.moved(times, terms, [classes.get(label) for label in x.labels])
        result.append((times - true)[1:])
    return np.concatenate(result)


def _kept(x: BaseFunctions, keep: Callable[[str], bool]) -> BaseFunctions:
    """Leave base functions out."""
    rows = [i for i, name in enumerate(x.names) if keep(name)]
    return BaseFunctions(
        [x.terms[i] for i in rows],
        [x.names[i] for i in rows],
        x.n_events,
        x.n_frames,
        max_length=x.max_length,
        min_length=x.min_length,
        windows=x.windows,
        labels=x.labels,
    )


def within(parts: Errors, tolerance: float) -> np.ndarray:
    """Percentage of each fold's boundaries that are within a tolerance in ms."""
    return np.array([100 * np.mean(1000 * np.abs(e) <= tolerance + 1e-6) for e in parts])


def row(name: str, parts: Errors, against: Errors) -> str:
    """Figures of a variant: within 10, 20, 30, 40 ms, mean and median; and what it changes."""
    every = 1000 * np.abs(np.concatenate(parts))
    shares = "  ".join(f"{100 * np.mean(every <= t + 1e-6):5.1f}" for t in (10, 20, 30, 40))
    changes = [within(parts, t) - within(against, t) for t in (10, 20)]
    change = "  ".join(f"{c.mean():+.1f} ({c.std():.1f})" for c in changes)
    return (
        f"{name:<50} {shares}  mean {every.mean():.2f} median {np.median(every):.2f} ms, folds' "
        f"deviation at 20 ms {within(parts, 20).std():.1f}; change {change}, {len(parts)} folds"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--thesis", action="store_true")
    parser.add_argument("--kept", type=Path, help="keep the errors of --networks here")
    parser.add_argument("--folds", type=int, nargs="+", default=range(4))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.networks:
        vary_networks(options)
        return

    parts: dict[str, Errors] = {}
    rows: dict[str, str] = {}
    split = list(folds(options.corpus))
    for fold in options.folds:
        _, seen, unseen = split[fold]
        data, model = scored(seen, unseen, options)
        for variant in thesis_variants() if options.thesis else VARIANTS:
            name = variant.name
            parts.setdefault(name, []).append(errors(data, variant, model))
            against = DEFAULT if variant in (DEFAULT, PLAIN) else PLAIN
            against = OURS if options.thesis else against
            rows[name] = row(name, parts[name], parts[against.name])
            print(rows[name], file=sys.stderr)
    print("\n".join(rows.values()))


if __name__ == "__main__":
    main()
