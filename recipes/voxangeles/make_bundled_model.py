"""Train the bundled model ``speech-any`` on VoxAngeles and a folder of TIMIT speakers.

::

    python recipes/voxangeles/make_bundled_model.py VOXANGELES TIMIT OUTPUT [MADE]

MADE is what `made_speech.py` has made, which networks learn from, most of it at first.

The last training only gives how sure starts of words are in a language that was not learned from.
It takes English texts, and networks that were trained on all but English: those of folds where
English is one group. Matches are the defaults, which `recipes/mismatch/default.py` fits: by
what is learned from single words 4 of 147 right German sentences were warned of, by these none.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from learning import learned
from made_speech import VOICES

import align
from align.corpus.ipa import to_ipa
from align.sequence.times.sureness import Sureness
from align.speech.match import DEFAULTS

LICENCE = (
    "Trained on VoxAngeles (Creative Commons Attribution-NonCommercial 4.0, CC BY-NC 4.0) and on "
    "the TIMIT sample distributed with NLTK, (c) 1993 Linguistic Data Consortium, Creative "
    "Commons Attribution-NonCommercial-ShareAlike (CC BY-NC-SA): use this model for "
    "non-commercial work, and train your own for anything else."
)


def sure_of_words(
    others: Sequence[align.Example],
    english: Sequence[align.Example],
    made: Sequence[align.Example],
) -> Sureness | None:
    """Return how sure starts of words are, by English that the networks were not trained on."""
    without_text = [replace(example, text=None) for example in others]
    one_group = [replace(example, group="English") for example in english]
    foreign = [example for example in made if VOICES[str(example.group)].language != "en"]
    params = {"language": "en", "n_jobs": os.cpu_count(), "random_state": 0}
    return learned([*without_text, *one_group], foreign, **params).text_sureness_


def main(voxangeles: str, timit: str, output: str, folder: str | None = None) -> None:
    others, english = [*align.read_corpus(voxangeles)], to_ipa(align.read_corpus(timit))
    params = {"n_jobs": os.cpu_count(), "random_state": 0}
    made = () if folder is None else align.read_corpus(folder, kind="speech")
    model = learned([*others, *english], made, surroundings=2, **params)
    model.match_ = DEFAULTS["universal"]
    model.text_sureness_ = sure_of_words(others, english, made)
    model.save(output, licence=LICENCE)
    print(f"{output}: {os.path.getsize(output) / 1e6:.2f} MB, {model.training_}")


if __name__ == "__main__":
    main(*sys.argv[1:5])
