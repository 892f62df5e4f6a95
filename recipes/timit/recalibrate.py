"""Learn anew how sure a bundled model of speech is, and leave all else in it as it is.

::

    python recipes/timit/recalibrate.py align/data/speech-en.align --corpus CORPUS
    python recipes/timit/recalibrate.py align/data/speech-de.align --trained MODEL
    python recipes/timit/recalibrate.py align/data/speech-any.align --trained MODEL --elsewhere
    python recipes/timit/recalibrate.py align/data/speech-any.align --match

Confidence is learned in training, from networks that did not hear the recording, and these are not
kept. So a model is trained in the same way, by the first command, or was by
`make_bundled_model.py` of its recipe; what it has learned of confidence is taken over, for each
kind of surroundings and for texts. Onsets stay where they are.

With ``--elsewhere`` the aligners for other surroundings are taken over, and nothing else: what is
recorded in quiet is aligned as before. With ``--match`` a model of the IPA that learned no match
of texts is given the default ones of today, of phones and of texts, and nothing is trained.
"""

import argparse
import os
from dataclasses import replace

import align
from align.speech.match import DEFAULTS


def main() -> None:
    """Write the model with its new calibrations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", help="is replaced")
    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--corpus", help="that it was trained on")
    one.add_argument("--trained", help="a model that was trained in the same way")
    one.add_argument("--match", action="store_true", help="take today's default matches")
    parser.add_argument(
        "--elsewhere", action="store_true", help="take aligners for other surroundings alone"
    )
    options = parser.parse_args()
    model = align.load(options.model)
    if options.match:
        model.match_ = DEFAULTS["universal"]
        model.text_match_ = DEFAULTS["universal, text, not in rooms"]
        for other in model.elsewhere_.values():
            other.text_match_ = model.text_match_.in_room()
        model.save(options.model, licence=model.licence_)
        return
    if options.trained:
        trained = align.load(options.trained)
    else:
        trained = align.SpeechAligner(**model.get_params()).set_params(n_jobs=os.cpu_count())
        trained.fit(align.read_corpus(options.corpus, kind="speech"))
    if options.elsewhere:
        model.elsewhere_, model.hearing_ = trained.elsewhere_, trained.hearing_
        model.surroundings = trained.surroundings
        model.training_["surroundings"] = [*trained.elsewhere_]
        for other in model.elsewhere_.values():
            if model.takes_ipa and model.text_match_ is not None:
                other.text_match_ = model.text_match_.in_room()
        model.save(options.model, licence=model.licence_)
        return
    for kind, own in {"": model, **model.elsewhere_}.items():
        other = trained.elsewhere_[kind] if kind else trained
        own.placement_ = replace(own.placement_, sureness=other.placement_.sureness)
        print(kind or "as recorded", own.placement_.sureness)
    model.text_sureness_ = trained.text_sureness_
    print("text", model.text_sureness_)
    model.save(options.model)


if __name__ == "__main__":
    main()
