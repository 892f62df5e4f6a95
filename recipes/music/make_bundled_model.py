"""Train the bundled model ``piano`` on a folder of sets of pieces.

::

    python recipes/music/make_bundled_model.py CORPUS align/data/piano.align [WORK [MADE]]

WORK is the folder in which `run.py` keeps its networks, by default ``music-work``, and MADE what
`made.py` wrote.
"""

import sys
from pathlib import Path

from networks import KeptNetwork
from run import dealt, made_of, rarity

import align

LICENCE = (
    "Trained on recordings of MAPS (CC BY-NC-SA) with scores of A-MAPS through ACPAS (CC BY-NC-SA "
    "4.0), performances of nASAP (CC BY-NC-SA 4.0), Batik plays Mozart and Vienna 4x22, and "
    "Bach10 (free for research): use this model for non-commercial work, and train your own for "
    "anything else."
)
N_FOLDS = 7


def main(corpus: str, output: str, work: str = "music-work", folder: str | None = None) -> None:
    examples = dealt(align.read_corpus(corpus, kind="music"), N_FOLDS)
    made = made_of(folder, examples) if folder else None
    model = align.MusicAligner(
        network=KeptNetwork(Path(work) / "networks", made, random_state=0), n_folds=N_FOLDS
    )
    model.fit(examples, sample_weight=[rarity(example) for example in examples])
    model.save(output, licence=LICENCE)
    weights = (model.coef_ / model.scale_).round(4).tolist()
    print(f"{output}: {model.training_}, {model.problems_}")
    print(dict(zip(model.base_functions_, weights, strict=True)))
    print(f"offset {1000 * model.offset_:.1f} ms, range of matches {model.match_range_}")


if __name__ == "__main__":
    main(*sys.argv[1:5])
