"""How surely it is known that a word was not said, by what stands beside it.

::

    python recipes/mismatch/words.py TIMIT [--models DIR] [--folds N ...] [--seed N]

Texts are spoiled as in training (`align.speech.text.learning.spoiling`) and aligned by models that
have not heard the speakers. What tells words that were not said is learned from the recordings of
all folds but one, and tried on that one; so nothing is trained anew. See the README beside this
file.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from run import FOLDS, fold_models
from where import recordings

from align.errors import DataError
from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.unspoken import PROBABLE
from align.speech.text.learning.spoiling import spoiled_texts
from align.speech.text.pronouncing.lookup import Entry

ROUNDS = 3
KINDS = ("true", "added", "swapped", "left out")
GAIN, MANY, SIDES = 0, 2, 7  # places of numbers of evidence
BINS = ((0.5, 0.75), (0.75, 0.9), (0.9, 0.99), (0.99, 1.1))


class Text(NamedTuple):
    """A spoiled text: its fold and kind, the evidence of its words, and which were not said."""

    fold: int
    kind: str
    evidence: np.ndarray
    unspoken: np.ndarray


def spoiled(corpus: Path, models: Path, folds: Sequence[int], seed: int) -> list[Text]:
    """Return the evidence of the words of true and spoiled texts."""
    texts = []
    for f in folds:
        entries: dict[str, Entry] = {}
        every = list(recordings(fold_models(corpus, models, [f]), entries))
        rng = np.random.default_rng(seed + f)
        for aligner, words in every:
            some = spoiled_texts(words, sorted(entries), rng, ROUNDS)
            for k, (said, unspoken) in enumerate(some):
                try:
                    found = aligner.evidence(said)
                except DataError:
                    continue
                kind = KINDS[0] if k == 0 else KINDS[1 + (k - 1) % (len(KINDS) - 1)]
                assert found is not None
                texts.append(Text(f, kind, found, unspoken))
    return texts


def crossed(texts: Sequence[Text], folds: Sequence[int], n_numbers: int) -> list[np.ndarray]:
    """Return the probabilities of the words of each text, learned from the other folds."""
    found = {}
    for f in folds:
        others = [t for t in texts if t.fold != f]
        found[f] = EvidenceModel.fit(
            [t.evidence[:, :n_numbers] for t in others], [t.unspoken for t in others]
        )
    return [found[t.fold](t.evidence[:, :n_numbers]) for t in texts]


def table(texts: Sequence[Text], probabilities: Sequence[np.ndarray]) -> str:
    """Return which share of words is listed, and how often that is right."""
    shares = defaultdict(list)
    for t, sure in zip(texts, probabilities, strict=True):
        shares[f"{t.kind}: right"] += (sure[~t.unspoken] >= PROBABLE).tolist()
        shares[f"{t.kind}: unspoken"] += (sure[t.unspoken] >= PROBABLE).tolist()
        long = t.unspoken & (np.exp(t.evidence[:, MANY]) > 2.5)
        shares[f"{t.kind}: unspoken, three phones or more"] += (sure[long] >= PROBABLE).tolist()
    lines = [
        f"{name}: {100 * np.mean(listed):.2f} % of {len(listed)} listed"
        for name, listed in shares.items()
        if listed
    ]
    every = np.concatenate(probabilities)
    unspoken = np.concatenate([t.unspoken for t in texts])
    evidence = np.concatenate([t.evidence for t in texts])
    beside, left_out = evidence[:, SIDES] > 0, evidence[:, GAIN] > 0
    for name, chosen in (
        ("nothing beside", ~beside),
        ("departures beside, the best path leaves the word out", beside & left_out),
        ("departures beside, the best path has the word", beside & ~left_out),
    ):
        bins = []
        for low, high in BINS:
            some = chosen & (every >= low) & (every < high)
            if some.any():
                bins.append(
                    f"{some.sum()} said {100 * every[some].mean():.0f} %, "
                    f"were {100 * unspoken[some].mean():.0f} %"
                )
        lines.append(f"{name}: " + "; ".join(bins))
    return "\n".join(lines)


def main() -> None:
    """Print the tables, with all numbers of evidence and with those of before."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    texts = spoiled(options.corpus, options.models, options.folds, options.seed)
    for n in (9, 11, texts[0].evidence.shape[1]):
        print(f"{n} numbers\n" + table(texts, crossed(texts, options.folds, n)))


if __name__ == "__main__":
    main()
