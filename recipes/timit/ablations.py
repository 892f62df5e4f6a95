"""What every ingredient of the speech aligner brings: each is left out or replaced in turn.

::

    python recipes/timit/ablations.py CORPUS [--jobs N] [--networks] [--seed N]

CORPUS is a folder of TIMIT speakers, cross-validated as ``run.py`` does. The classifiers of a fold
are trained once, and the ingredients after them (base functions, weights, cost, placement,
correction) are varied on their scores. ``--networks`` also varies what the networks are made of,
at one training for each variant and fold: about an hour on two cores.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from run import folds

import align
from align.correction import OnsetCorrection
from align.crossfit import cross_fit
from align.decoders import decode
from align.features import Feature, NetworkConfidence, network_confidence
from align.learners.costs import make_cost
from align.learners.structured import StructuredLearner
from align.placement import Placement
from align.problem import AlignmentProblem
from align.scaling import base_function_scales
from align.types import BaseFunctions, IntArray

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
_SOME = 4  # the temperature is fitted on every fourth recording: it takes most of the time

NETWORKS: list[tuple[str, dict[str, Any]]] = [
    ("half the width (32)", {"width": 32}),
    ("96 channels", {"width": 96}),
    ("one window (25 ms)", {"windows": (0.025,)}),
    ("12 epochs", {"epochs": 12.0}),
    ("boundary target of 5 ms", {"boundary_width": 0.005}),
    ("one disguise of the training data, not five", {"_disguises": 1}),
    ("one network fitted to all, not four cross-fitted ones", {"_alone": True}),
]


def scored(
    seen: Sequence[align.Example],
    unseen: Sequence[align.Example],
    options: argparse.Namespace,
    network: dict[str, Any],
) -> tuple[Scored, align.SpeechAligner]:
    """Train the classifiers of a fold, and score its recordings."""
    network = dict(network)
    alone, disguises = network.pop("_alone", False), network.pop("_disguises", None)
    model = align.SpeechAligner(n_jobs=options.jobs, random_state=options.seed)
    features: list[Feature] = model._make_features()
    for feature in features:
        if isinstance(feature, NetworkConfidence):
            feature.__dict__.update(network)
    whole = network_confidence._DISGUISES
    if disguises is not None:
        network_confidence._DISGUISES = whole[:disguises]
    model.problems_, model.hop_ = [], 0.005
    timed = model._read_all(seen, lambda stage, done, total: None)
    jobs = 1 if disguises is not None else options.jobs  # other processes have their own modules
    terms = cross_fit(features, timed, n_folds=4, n_jobs=jobs)
    if alone:
        for feature in features:
            if isinstance(feature, NetworkConfidence):
                feature.fit(timed)
    network_confidence._DISGUISES = whole
    model.features_, model.base_functions_ = features, list(terms[0])
    model.starts_at_zero_ = all(item.onsets[0] == 0 for item in timed)
    model.ends_with_recording_ = all(item.end >= item.signal.n_frames - 1 for item in timed)
    model.longest_ = model._longest(timed)
    model.labels_ = sorted({str(event) for item in timed for event in item.events})
    xs = [
        model._assemble(item.signal, tuple(item.events), own)
        for item, own in zip(timed, terms, strict=True)
    ]
    new = [
        model._base_functions(model._signal(e.audio, e.rate, e.name), tuple(e.events))
        for e in unseen
    ]
    data = Scored(
        xs,
        [item.onsets for item in timed],
        [item.times for item in timed],
        new,
        [np.asarray(e.onsets) for e in unseen],
    )
    return data, model


def errors(data: Scored, variant: Variant, classes: Any, hop: float = 0.005) -> np.ndarray:
    """Errors in seconds of a variant on the fold's new speakers."""
    xs = [_kept(x, variant.keep) for x in data.xs]
    scale = base_function_scales(xs, data.onsets, 0)
    cost = make_cost(variant.cost, tolerance=0.01).bind(hop)
    weights = np.ones(len(scale))
    if variant.learned:
        options = {"update": "pa1", "loss": "maximal", "C": 0.05, "epochs": 4, **variant.learner}
        learner = StructuredLearner(random_state=0, **options)
        weights = learner.fit(AlignmentProblem(cost, scale), xs, data.onsets).coef_
    weights = weights / scale
    potentials = [x.potentials(weights) for x in xs]
    paths = [decode(p) for p in potentials]
    placement = Placement(variant.placement, hop).fitted(
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
        times, _ = placement.times(p, decode(p).onsets)
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


def row(name: str, parts: Errors) -> str:
    """Figures of a variant: within 10, 20, 30, 40 ms, mean and median; deviation over folds."""
    size = [1000 * np.abs(part) for part in parts]
    every = np.concatenate(size)
    within = "  ".join(f"{100 * np.mean(every <= t + 1e-6):5.1f}" for t in (10, 20, 30, 40))
    spread = np.std([100 * np.mean(part <= 20 + 1e-6) for part in size])
    return (
        f"{name:<54} {within}  mean {every.mean():.2f} median {np.median(every):.2f} ms, folds' "
        f"deviation at 20 ms {spread:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    parts: dict[str, Errors] = {}
    for _, seen, unseen in folds(options.corpus):
        data, model = scored(seen, unseen, options, {})
        classes = model._boundary_classes()
        for variant in VARIANTS:
            parts.setdefault(variant.name, []).append(errors(data, variant, classes))
            print(row(variant.name, parts[variant.name]), file=sys.stderr)
        for name, network in NETWORKS if options.networks else []:
            data, model = scored(seen, unseen, options, network)
            parts.setdefault(name, []).append(errors(data, DEFAULT, classes))
            print(row(name, parts[name]), file=sys.stderr)
    for name, found in parts.items():
        print(row(name, found))


if __name__ == "__main__":
    main()
