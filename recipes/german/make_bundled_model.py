"""Train the bundled model ``speech-de`` on a folder of EmoDB, and on nothing else.

::

    python recipes/german/make_bundled_model.py EMODB align/data/speech-de.align
"""

import os
import sys

import align

LICENCE = (
    "Trained on EmoDB, the Berlin Database of Emotional Speech, which its makers gave to the "
    "public domain (CC0 1.0): use this model for anything."
)


def main(emodb: str, output: str) -> None:
    model = align.SpeechAligner(
        "universal", language="de", surroundings=2, n_jobs=os.cpu_count(), random_state=0
    ).fit(align.read_corpus(emodb))
    model.save(output, licence=LICENCE)
    print(f"{output}: {os.path.getsize(output) / 1e6:.2f} MB, {model.training_}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
