"""Write free scores as MIDI files, to be played by `made.py`.

::

    python recipes/music/scores.py FOLDER

They come with music21 (``pip install music21``): chorales, madrigals, masses, quartets, piano
music, songs and a concertino. FOLDER gets two folders, ``training`` and ``test``, which share no
work, not even other movements of one.
"""

import sys
from pathlib import Path

TRAINING = (
    *(f"bach/bwv{number}" for number in ("1.6", "101.7", "104.6", "110.7", "125.6", "14.5")),
    *(f"bach/bwv{number}" for number in ("149.7", "168.6", "227.1", "248.9-1", "266", "280")),
    *(f"bach/bwv{number}" for number in ("301", "326", "347", "371", "392", "416")),
    "beach/prayer_of_a_tired_child",
    "beethoven/opus18no1/movement1",
    "beethoven/opus59no1/movement3",
    "beethoven/opus59no2/movement2",
    "haydn/opus1no1/movement1",
    "haydn/opus1no1/movement3",
    "joplin/maple_leaf_rag",
    "monteverdi/madrigal.3.1",
    "monteverdi/madrigal.3.12",
    "monteverdi/madrigal.4.3",
    "monteverdi/madrigal.4.17",
    "mozart/k155/movement1",
    "mozart/k155/movement2",
    "mozart/k156/movement1",
    "mozart/k458/movement3",
    "palestrina/Agnus_00",
    "palestrina/Kyrie_10",
    "schumann_clara/polonaise_op1n1",
    "schumann_robert/opus41no1/movement3",
)
TEST = (
    *(f"bach/bwv{number}" for number in ("66.6", "7.7", "269", "310", "384", "40.8", "438")),
    "beethoven/opus59no3/movement2",
    "corelli/opus3no1/1grave",
    "handel/rinaldo/Lascia_chio_pianga",
    "haydn/opus74no1/movement2",
    "johnson_j_r/lift_every_voice",
    "monteverdi/madrigal.5.2",
    "mozart/k80/movement1",
    "mozart/k80/movement3",
    "palestrina/Sanctus_05_a",
    "schumann_clara/opus17/movement3",
)


def main(folder: str) -> None:
    from music21 import corpus

    for part, names in (("training", TRAINING), ("test", TEST)):
        Path(folder, part).mkdir(parents=True, exist_ok=True)
        for name in names:
            path = Path(folder, part, name.replace("/", "_").replace("-", "_") + ".mid")
            if not path.exists():
                corpus.parse(name).write("midi", str(path))
                print(path, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
