"""What the start and the steps of learning realisations bring, with the models of ``run.py``.

::

    python recipes/words/ablation.py CORPUS --models DIR

The costs of each fold are learned again from its training speakers, as `SpeechAligner.fit` does,
with 0 and with 4 passes of passive-aggressive steps: the networks that a model pools are those of
its folds, each of which did not hear some of the speakers.
"""

import argparse
import copy
from pathlib import Path
from typing import Any

from run import FOLDS, errors_of, models, shown, true_words

import align
from align.features import Feature
from align.speech.text import align_text, read_transcript
from align.speech.text.training import costs_from_text


def training_items(
    model: Any, corpus: Path, held_out: set[str]
) -> tuple[list[Any], list[list[Feature]]]:
    """Return the recordings a model was trained on, and features that did not see each."""
    examples = align.read_corpus(corpus, kind="speech")
    seen = examples.subset([group for group in examples.groups if group not in held_out])
    items = model._read_all(seen, lambda stage, done, total: None)
    network, *rest = model.features_
    copies: list[list[Feature]] = []
    for one in network.networks_:
        own = copy.copy(network)
        own.networks_ = [one]
        copies.append([own, *rest])
    order = sorted({item.group for item in items})
    return items, [copies[order.index(item.group) % len(copies)] for item in items]


def main() -> None:
    """Print a row for each number of passes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("words-models"))
    options = parser.parse_args()
    speakers = sorted(path.name for path in options.corpus.iterdir() if path.is_dir())
    for epochs in (0, 4):
        begins, ends = [], []
        for f, (model, recordings) in enumerate(models(options.corpus, options.models, None)):
            items, own = training_items(model, options.corpus, set(speakers[f::FOLDS]))
            learned = costs_from_text(model, items, own, epochs=epochs)
            model.realisations_ = None if learned is None else learned.costs
            for recording in recordings:
                found = align_text(
                    model, recording, read_transcript(recording.with_suffix(".txt"))
                )
                starts, stops = errors_of(found, true_words(recording))
                begins += starts
                ends += stops
        print(f"{epochs} passes\n{shown('word starts', begins)}")
        print(shown("word starts and ends", [*begins, *ends]))


if __name__ == "__main__":
    main()
