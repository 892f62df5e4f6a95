"""Train the bundled model ``speech-any`` on VoxAngeles and a folder of TIMIT speakers.

::

    python recipes/voxangeles/make_bundled_model.py VOXANGELES TIMIT OUTPUT [MADE]

MADE is what `made_speech.py` has made; it is learned from as well.

How sure the starts of words are in a language that it has not heard is learned from English texts,
by networks that have heard all but English: those of folds where English is one group. This second
training gives nothing else.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from made_speech import VOICES

import align
from align.corpus.ipa import to_ipa
from align.sequence.times.sureness import Sureness

LICENCE = (
    "Trained on VoxAngeles (Creative Commons Attribution-NonCommercial 4.0, CC BY-NC 4.0) and on "
    "the TIMIT sample distributed with NLTK, (c) 1993 Linguistic Data Consortium, Creative "
    "Commons Attribution-NonCommercial-ShareAlike (CC BY-NC-SA): use this model for "
    "non-commercial work, and train your own for anything else."
)


def sure_of_words(
    others: Sequence[align.Example], english: Sequence[align.Example]
) -> Sureness | None:
    """Return how sure starts of words are, by English that the networks have not heard."""
    without_text = [replace(example, text=None) for example in others]
    one_group = [replace(example, group="English") for example in english]
    model = align.SpeechAligner(
        "universal", language="en", n_jobs=os.cpu_count(), random_state=0
    ).fit([*without_text, *one_group])
    return model.text_sureness_


def main(voxangeles: str, timit: str, output: str, made: str | None = None) -> None:
    others, english = [*align.read_corpus(voxangeles)], to_ipa(align.read_corpus(timit))
    said = [] if made is None else [*align.read_corpus(made, kind="speech")]
    model = align.SpeechAligner("universal", surroundings=2, n_jobs=os.cpu_count(), random_state=0)
    model.fit([*others, *english, *said])
    foreign = [example for example in said if VOICES[str(example.group)].language != "en"]
    model.text_sureness_ = sure_of_words([*others, *foreign], english)
    model.save(output, licence=LICENCE)
    print(f"{output}: {os.path.getsize(output) / 1e6:.2f} MB, {model.training_}")


if __name__ == "__main__":
    main(*sys.argv[1:5])
