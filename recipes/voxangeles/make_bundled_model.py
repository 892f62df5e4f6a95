"""Train the bundled model ``speech-any`` on VoxAngeles and a folder of TIMIT speakers.

::

    python recipes/voxangeles/make_bundled_model.py VOXANGELES TIMIT align/data/speech-any.align
"""

import os
import sys

import align
from align.corpus.ipa import to_ipa

LICENCE = (
    "Trained on VoxAngeles (Creative Commons Attribution-NonCommercial 4.0, CC BY-NC 4.0) and on "
    "the TIMIT sample distributed with NLTK, (c) 1993 Linguistic Data Consortium, Creative "
    "Commons Attribution-NonCommercial-ShareAlike (CC BY-NC-SA): use this model for "
    "non-commercial work, and train your own for anything else."
)


def main(voxangeles: str, timit: str, output: str) -> None:
    model = align.SpeechAligner("universal", n_jobs=os.cpu_count(), random_state=0)
    model.fit([*align.read_corpus(voxangeles), *to_ipa(align.read_corpus(timit))])
    model.save(output, licence=LICENCE)
    print(f"{output}: {os.path.getsize(output) / 1e6:.2f} MB, {model.training_}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
