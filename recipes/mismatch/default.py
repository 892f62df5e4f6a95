"""The matches that `speech-any` comes with, fitted to German that it has not heard.

::

    python recipes/mismatch/default.py EMODB --speakers 03 08 [--rounds N] [--seed N] [--only NAME]

Prints the three that `align.speech.match.DEFAULTS` has for models of the IPA that learned none:
that of phones, by the labels of the corpus, and two of texts, that of the first aligner, which
learns from half of the recordings in noise, and that of the one for rooms, which learns from all
of them in rooms. In each round every recording is taken once; for phones as often as there are
ways to spoil half of a transcript. Other orders of a text are scored by both; the two second
scores of single sounds are left out, since they bring nothing here, and harm where words of many
languages are given as phones.
"""

import argparse
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np

import align
from align.features import TimedSignal
from align.speech.match import MatchModel
from align.speech.mismatches import NOISE, SPOILED, Kinds, piece, spoiled
from align.speech.text.learning.wrong_texts import TextMatches
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
    parser.add_argument("--only", choices=["phones", "first", "room"], help="by default all")
    options = parser.parse_args()
    model = align.load(options.model)
    assert isinstance(model, align.SpeechAligner)
    first = copy(model)
    first.elsewhere_, first.sound_classifier_ = {}, None  # rooms are asked of the other
    room = model.elsewhere_["room"]
    dictionary = make_dictionary(None, options.language)
    examples = align.read_corpus(options.corpus, kind="speech")
    items = [model._read_example(e, str(e.audio)) for e in examples if e.group in options.speakers]
    texts = [
        split_words(str(item.text), language=options.language, known=dictionary.__contains__)
        for item in items
    ]
    if options.only in (None, "phones"):
        show("phones", of_phones(first, items, np.random.default_rng(options.seed)))
    people = [item.signal.samples for item in items[:OTHERS]]
    for name, own, surroundings, fit in (
        ("first", first, (None, "noise"), {}),
        ("room", room, ("room",), {"share": IN_ROOMS}),
    ):
        if options.only not in (None, name):
            continue
        rng = np.random.default_rng(options.seed)
        learner = TextMatches(own, dictionary, options.language, surroundings, both_scorers=True)
        for r in range(options.rounds):
            for n, i in enumerate(rng.permutation(len(items)).tolist()):
                learner.add(
                    texts, i, n + r, items[i].signal, own.features_, people, rng, items[i].group
                )
        show(name, fitted(learner.kinds, **fit))


def of_phones(
    aligner: align.SpeechAligner, items: Sequence[TimedSignal], rng: np.random.Generator
) -> MatchModel | None:
    """Return the match of the phones of recordings; wrong ones are of other texts."""
    kinds = Kinds(aligner)
    for r in range(SPOILED):
        for n, i in enumerate(rng.permutation(len(items)).tolist()):
            signal, events, source = items[i].signal, tuple(items[i].events), (items[i].group, i)
            others = [tuple(item.events) for item in items if item.text != items[i].text]
            asked = [("right", signal, events)] if r == 0 else []
            asked += [(k, signal, other) for k, other in spoiled([events, *others], 0, n + r, rng)]
            for kind, heard, said in asked:
                kinds.add(kind, heard, said, aligner.features_, source)
            if n % NOISE == 0:
                kinds.add_noise(signal, events, aligner.features_, rng)
            for kind, heard, said in piece(aligner, items[i], rng):
                kinds.add(kind, heard, said, aligner.features_, source)
    return fitted(kinds)


def fitted(kinds: Kinds, **options: float) -> MatchModel | None:
    """Return the match of some evidence, without second scores of single sounds."""
    for found in kinds.found.values():
        found[:] = [replace(one, second=None) for one in found]
    return kinds.fitted(**options)


def show(name: str, found: MatchModel | None) -> None:
    """Print a match."""
    assert found is not None
    print(name)
    for key, value in found.get_state().items():
        shown = value if isinstance(value, bool) else np.round(value, 3).tolist()
        print("  ", key, shown, flush=True)


if __name__ == "__main__":
    main()
