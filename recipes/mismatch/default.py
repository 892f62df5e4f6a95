"""The matches of texts that `speech-any` comes with, fitted to German that it has not heard.

::

    python recipes/mismatch/default.py EMODB --speakers 03 08 [--rounds N] [--seed N] [--only NAME]

Prints the two that `align.speech.match.DEFAULTS` has for models of the IPA that learned none: that
of the first aligner, which hears half of the recordings in noise, and that of the one for rooms,
which hears all of them in rooms. In each round every recording is heard once.
"""

import argparse
from copy import copy
from pathlib import Path

import numpy as np

import align
from align.speech.text.checking.wrong_texts import TextMatches
from align.speech.text.pronouncing.lookup import make_dictionary
from align.speech.text.reading.normalise import split_words

OTHERS = 20  # recordings whose people speak in the background
IN_ROOMS = 0.2  # share of half wrong texts: right ones of one kind of surroundings differ less


def main() -> None:
    """Print the matches."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", default="speech-any")
    parser.add_argument("--language", default="de")
    parser.add_argument("--speakers", nargs="+", default=["03", "08"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["first", "room"], help="by default both")
    options = parser.parse_args()
    model = align.load(options.model)
    assert isinstance(model, align.SpeechAligner)
    first = copy(model)
    first.elsewhere_, first.hearing_ = {}, None  # rooms are asked of the other
    room = model.elsewhere_["room"]
    dictionary = make_dictionary(None, options.language)
    examples = align.read_corpus(options.corpus, kind="speech")
    items = [model._read_example(e, str(e.audio)) for e in examples if e.group in options.speakers]
    texts = [
        split_words(str(item.text), language=options.language, known=dictionary.__contains__)
        for item in items
    ]
    people = [item.signal.samples for item in items[:OTHERS]]
    for name, own, surroundings, fit in (
        ("first", first, (None, "noise"), {}),
        ("room", room, ("room",), {"share": IN_ROOMS}),
    ):
        if options.only not in (None, name):
            continue
        rng = np.random.default_rng(options.seed)
        learner = TextMatches(own, dictionary, options.language, surroundings)
        for r in range(options.rounds):
            for n, i in enumerate(rng.permutation(len(items)).tolist()):
                learner.add(texts, i, n + r, items[i].signal, own.features_, people, rng)
        found = learner.fitted(**fit)
        assert found is not None
        print(name)
        for key, value in found.get_state().items():
            print("  ", key, np.round(value, 3).tolist(), flush=True)


if __name__ == "__main__":
    main()
