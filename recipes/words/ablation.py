"""What parts of learning how words are said bring, with the models of ``run.py``.

::

    python recipes/words/ablation.py CORPUS --models DIR [--rows passes lengths]

What follows the networks is learned again for each fold from its training speakers, as
`SpeechAligner.fit` does: the networks that a model pools are those of its folds, each of which did
not hear some of the speakers. ``passes`` learns the costs of realisations with 0 and with 4 passes
of passive-aggressive steps; ``lengths`` lets a phone in front of a pause
last as long as elsewhere.
"""

import argparse
import copy
from pathlib import Path
from typing import Any

import numpy as np
from run import FOLDS, errors_of, models, shown, true_words

import align
from align.features import DurationFeature, Feature
from align.sequence.learning.problem import base_function_scales
from align.speech.text import align_text, read_transcript
from align.speech.text.learning.training import costs_from_text

ROWS = {"passes": ("0 passes", "4 passes"), "lengths": ("one length before pauses and elsewhere",)}


def quiet(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def training_items(
    model: Any, corpus: Path, held_out: set[str]
) -> tuple[list[Any], list[list[Feature]]]:
    """Return the recordings a model was trained on, and features that did not see each."""
    examples = align.read_corpus(corpus, kind="speech")
    seen = examples.subset([group for group in examples.groups if group not in held_out])
    items = model._read_all(seen, quiet)
    network, *rest = model.features_
    copies: list[list[Feature]] = []
    for one in network.networks_:
        own = copy.copy(network)
        own.networks_ = [one]
        copies.append([own, *rest])
    order = sorted({item.group for item in items})
    return items, [copies[order.index(item.group) % len(copies)] for item in items]


def learn_lengths(model: Any, items: list[Any], own: list[list[Feature]]) -> None:
    """Learn what follows the networks again, with one law of length for each label."""
    known = next(f for f in model.features_ if isinstance(f, DurationFeature))
    lengths = DurationFeature("lognormal", classes=known.classes).fit(items)
    model.features_ = [lengths if f is known else f for f in model.features_]
    own = [[lengths if f is known else f for f in features] for features in own]
    model.base_functions_ = []
    cases = model._cases(items, own, quiet)
    xs, ys = [case.x for case in cases], [case.y for case in cases]
    model.base_functions_ = list(xs[0].names)
    model.scale_ = base_function_scales(xs, [y.frames for y in ys], model.random_state)
    learner = model._make_learner()
    learner.fit(model._structured(model._make_cost()), xs, ys)
    model.coef_ = np.asarray(learner.coef_, dtype=np.float64)
    model._calibrate(cases)


def main() -> None:
    """Print each row."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("words-models"))
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    options = parser.parse_args()
    speakers = sorted(path.name for path in options.corpus.iterdir() if path.is_dir())
    for row in (row for kind in options.rows for row in ROWS[kind]):
        begins, ends = [], []
        for f, (model, recordings) in enumerate(models(options.corpus, options.models, None)):
            items, own = training_items(model, options.corpus, set(speakers[f::FOLDS]))
            if row.endswith("passes"):
                learned = costs_from_text(model, items, own, epochs=int(row[0]))
                model.realisations_ = None if learned is None else learned.costs
            else:
                learn_lengths(model, items, own)
            for recording in recordings:
                found = align_text(
                    model, recording, read_transcript(recording.with_suffix(".txt"))
                )
                starts, stops = errors_of(found, true_words(recording))
                begins += starts
                ends += stops
        print(f"{row}\n{shown('word starts', begins)}", flush=True)
        print(shown("word starts and ends", [*begins, *ends]), flush=True)


if __name__ == "__main__":
    main()
