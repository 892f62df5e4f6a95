"""Learn anew how sure a bundled model of speech is, and leave all else in it as it is.

::

    python recipes/timit/recalibrate.py align/data/speech-en.align --corpus CORPUS
    python recipes/timit/recalibrate.py align/data/speech-de.align --trained MODEL
    python recipes/timit/recalibrate.py align/data/speech-any.align --trained MODEL --elsewhere
    python recipes/timit/recalibrate.py align/data/speech-any.align --match
    python recipes/timit/recalibrate.py align/data/speech-en.align --matches CORPUS
    python recipes/timit/recalibrate.py align/data/speech-de.align --matches CORPUS --only texts
    python recipes/timit/recalibrate.py align/data/speech-en.align --matches CORPUS --only words

Confidence is learned in training, from networks that did not hear the recording, and these are not
kept. So a model is trained in the same way, by the first command, or was by
`make_bundled_model.py` of its recipe; what it has learned of confidence is taken over, for each
kind of surroundings and for texts. Onsets stay where they are.

With ``--elsewhere`` the aligners for other surroundings are taken over, and nothing else: what is
recorded in quiet is aligned as before. With ``--match`` a model of the IPA that learned no match
of texts, such as `speech-any`, is given the default ones of today, of phones and of texts, and
nothing is trained.

With ``--matches`` the matches are learned anew, and, of a model of English labels, how probable it
is that a word was not said; nothing is trained either. CORPUS holds the
recordings that the model was trained on (``--without`` names speakers of it that were left out).
Its networks are those of the folds of training, so each of them has not heard some speakers: it
alone scores these, as it did in training. An aligner for rooms may have kept half of its networks,
and learns from the speakers that these have not heard.
"""

import argparse
import os
from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

import align
from align.features import Feature, TimedSignal
from align.sequence.learning.crossfit import folds_of
from align.speech.match import DEFAULTS, MatchModel, in_room
from align.speech.mismatches import learned_match
from align.speech.surroundings import Surroundings, network_of
from align.speech.text.learning.spoiling import unspoken_from_text
from align.speech.text.learning.wrong_texts import learned_text_match


def main() -> None:
    """Write the model with its new calibrations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", help="is replaced")
    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--corpus", help="that it was trained on")
    one.add_argument("--trained", help="a model that was trained in the same way")
    one.add_argument("--match", action="store_true", help="take today's default matches")
    one.add_argument(
        "--matches", metavar="CORPUS", help="that it was trained on; learn its matches"
    )
    parser.add_argument("--without", nargs="+", default=[], help="speakers it was not trained on")
    parser.add_argument("--only", choices=["phones", "texts", "words"], help="by default all")
    parser.add_argument("-o", "--output", help="another file, and the model stays as it is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--elsewhere", action="store_true", help="take aligners for other surroundings alone"
    )
    options = parser.parse_args()
    model = align.load(options.model)
    output = options.output or options.model
    if options.matches:
        examples = align.read_corpus(options.matches, kind="speech")
        heard = [e for e in examples if e.group not in options.without]
        relearn_matches(model, heard, options.jobs, options.only)
        model.save(output, licence=model.licence_)
        return
    if options.match:
        model.match_ = DEFAULTS["universal"]
        model.text_match_ = DEFAULTS["universal, text, not in rooms"]
        for other in model.elsewhere_.values():
            other.text_match_ = in_room(model.text_match_)
        model.save(output, licence=model.licence_)
        return
    if options.trained:
        trained = align.load(options.trained)
    else:
        trained = align.SpeechAligner(**model.get_params()).set_params(n_jobs=os.cpu_count())
        trained.fit(align.read_corpus(options.corpus, kind="speech"))
    if options.elsewhere:
        model.elsewhere_, model.sound_classifier_ = trained.elsewhere_, trained.sound_classifier_
        model.surroundings = trained.surroundings
        model.training_["surroundings"] = [*trained.elsewhere_]
        for other in model.elsewhere_.values():
            if model.takes_ipa and model.text_match_ is not None:
                other.text_match_ = in_room(model.text_match_)
        model.save(output, licence=model.licence_)
        return
    for kind, own in {"": model, **model.elsewhere_}.items():
        other = trained.elsewhere_[kind] if kind else trained
        own.placement_ = replace(own.placement_, sureness=other.placement_.sureness)
        print(kind or "as recorded", own.placement_.sureness)
    model.text_sureness_ = trained.text_sureness_
    print("text", model.text_sureness_)
    model.save(output)


def relearn_matches(
    model: align.SpeechAligner,
    examples: Sequence[align.Example],
    jobs: int | None = 1,
    only: str | None = None,
) -> None:
    """Give a model what it learns of matches today from the recordings it was trained on.

    Only those of `phones`, of `texts`, or how probable it is that `words` were not said.
    """
    if model.takes_ipa and model.language is None:
        raise SystemExit(
            "a model of many languages has matches of a language that it has not heard: see "
            "recipes/mismatch/default.py, and --match."
        )
    model.problems_ = []
    items = model._read_all(examples, silent)
    now = {"recordings": len(examples), "groups": len({item.group for item in items})}
    if any(model.training_[name] != n for name, n in now.items()):
        raise SystemExit(f"the model was trained on {model.training_}, and these are {now}.")
    for kind, own in {"": model, **model.elsewhere_}.items():
        features = unheard(own, items, model.n_folds)
        known = [i for i, one in enumerate(features) if one is not None]
        heard, usable = [items[i] for i in known], [features[i] for i in known]
        if kind:
            alone = len(model.elsewhere_) == 1
            way = Surroundings(kind, model.surroundings, model.random_state, alone=alone)
            heard, usable = way.copies_of(heard, usable)
            own._trained_for = way
        own.problems_, own.n_jobs = [], jobs
        cases = own._cases(heard, usable, silent)
        heard, usable = [case.item for case in cases], [case.features for case in cases]
        if only in (None, "phones"):
            own.match_ = learned_match(own, cases)
            show(f"{kind or 'as recorded'}, {len(heard)} recordings, phones", own.match_)
        if only in (None, "words") and own is model and model.unspoken_ is not None:
            model.unspoken_ = unspoken_from_text(own, heard, usable) or model.unspoken_
            print("words", model.unspoken_.weights.round(3).tolist(), flush=True)
        if only in ("phones", "words"):
            pass
        elif own is model and model.takes_ipa:
            own.text_match_ = learned_text_match(own, heard, usable)
            show("texts", own.text_match_)
        elif model.text_match_ is not None:
            own.text_match_ = in_room(model.text_match_)
        own.n_jobs, own._trained_for = None, None


def unheard(
    aligner: align.SpeechAligner, items: Sequence[TimedSignal], n_folds: int
) -> list[list[Feature] | None]:
    """Return features for each recording, with the networks that have not heard its speaker.

    None where the aligner kept none of these.
    """
    network = network_of(aligner.features_)
    found: list[list[Feature] | None] = [None] * len(items)
    for f, fold in enumerate(folds_of([item.group for item in items], n_folds)):
        of_fold = copy(network)
        of_fold.networks_ = network.networks_[f * network.n_networks :][: network.n_networks]
        for i in fold if of_fold.networks_ else ():
            found[i] = [of_fold if x is network else x for x in aligner.features_]
    return found


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing of the progress."""


def show(name: str, match: MatchModel | None) -> None:
    """Print a match, and where its border lies in nine of ten draws of recordings."""
    if match is None:
        print(name, "none")
        return
    print(f"{name}: border {match.border:.2f}", end="")
    if match.spread is not None:
        odds = np.log(match.border / (1 - match.border)) + np.array([-1.64, 1.64]) * match.spread
        print(" ({:.2f} to {:.2f})".format(*(1 / (1 + np.exp(-odds)))), end="")
    print(f", falls by {match.for_few}", flush=True)


if __name__ == "__main__":
    main()
