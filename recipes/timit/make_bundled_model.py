"""Train the bundled model ``speech-en`` on a folder of TIMIT speakers.

::

    python recipes/timit/make_bundled_model.py CORPUS align/data/speech-en.align
"""

import os
import sys

import align

LICENCE = (
    "Trained on the TIMIT sample distributed with NLTK, (c) 1993 Linguistic Data Consortium, "
    "Creative Commons Attribution-NonCommercial-ShareAlike (CC BY-NC-SA): use this model for "
    "non-commercial work, and train your own for anything else."
)


def main(corpus: str, output: str) -> None:
    model = align.SpeechAligner(surroundings=2, n_jobs=os.cpu_count(), random_state=0)
    model.fit(align.read_corpus(corpus, kind="speech"))
    model.save(output, licence=LICENCE)
    print(f"{output}: {model.training_}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
