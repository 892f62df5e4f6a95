"""The match of texts that `speech-any` comes with, fitted to German that it has not heard.

::

    python recipes/mismatch/default.py EMODB --speakers 03 08 [--rounds N] [--seed N]

Prints the match of texts that `align.speech.match.DEFAULTS` has for models of the IPA that learned
none. In each round every recording is heard once, as it is or elsewhere.
"""

import argparse
from pathlib import Path

import numpy as np

import align
from align.speech.text.checking.wrong_texts import TextMatches
from align.speech.text.pronouncing.lookup import make_dictionary
from align.speech.text.reading.normalise import split_words

OTHERS = 20  # recordings whose people speak in the background


def main() -> None:
    """Print the match."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", default="speech-any")
    parser.add_argument("--language", default="de")
    parser.add_argument("--speakers", nargs="+", default=["03", "08"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    model = align.load(options.model)
    assert isinstance(model, align.SpeechAligner)
    dictionary = make_dictionary(None, options.language)
    examples = align.read_corpus(options.corpus, kind="speech")
    items = [model._read_example(e, str(e.audio)) for e in examples if e.group in options.speakers]
    texts = [
        split_words(str(item.text), language=options.language, known=dictionary.__contains__)
        for item in items
    ]
    rng = np.random.default_rng(options.seed)
    learner = TextMatches(model, dictionary, options.language)
    people = [item.signal.samples for item in items[:OTHERS]]
    for r in range(options.rounds):
        for n, i in enumerate(rng.permutation(len(items)).tolist()):
            learner.add(texts, i, n + r, items[i].signal, model.features_, people, rng)
    found = learner.fitted()
    assert found is not None
    for name, value in found.get_state().items():
        print(name, np.round(value, 3).tolist())


if __name__ == "__main__":
    main()
