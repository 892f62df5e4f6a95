"""Write how well `piano` matches recordings, and `ensemble` at the places that `piano` found.

::

    python recipes/music/matches.py CORPUS FILE [--piano NETWORK ...] [--ensemble NETWORK ...]

CORPUS holds pieces, dealt to four folds as by `run.py` and `ensemble.py`; NETWORK are the networks
that these keep in DIR/networks, without fold 0, 1, 2 and 3. Without them the bundled models are
asked, for recordings that they have not learned from. FILE (JSON) is for `chosen.py`.
"""

import argparse
import json
import os
import time
from pathlib import Path

from networks import read_network
from run import dealt

import align
from align.files.atomic import atomic_write
from align.music.functions.default import DefaultFunctions
from align.music.performances.performance import read_signal

N_FOLDS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("file")
    parser.add_argument("--piano", nargs=N_FOLDS, metavar="NETWORK")
    parser.add_argument("--ensemble", nargs=N_FOLDS, metavar="NETWORK")
    arguments = parser.parse_args()
    models = {
        name: [with_network(name, path) for path in paths or [""]]
        for name, paths in (("piano", arguments.piano), ("ensemble", arguments.ensemble))
    }
    found = {}
    spent = [0.0, 0.0]
    for example in dealt(align.read_corpus(arguments.corpus, kind="music"), N_FOLDS):
        fold = int(str(example.group).split()[1])
        piano, ensemble = (models[name][fold % len(models[name])] for name in models)
        signal = read_signal(example.audio, highest_rate=piano.rate)
        begin = time.process_time()
        alignment = piano.align(signal, example.score)
        middle = time.process_time()
        name = Path(example.name).parent.name
        found[name] = {"piano": alignment.match, "ensemble": ensemble.match(signal, alignment)}
        spent = [spent[0] + middle - begin, spent[1] + time.process_time() - middle]
        print(name, found[name], flush=True)
    print(f"processor: aligned in {spent[0]:.1f} s, then asked in {spent[1]:.1f} s")
    atomic_write(arguments.file, json.dumps(found), overwrite=True)


def with_network(name: str, path: str) -> align.MusicAligner:
    """Return a bundled model, with the network of a file where one is given."""
    model: align.MusicAligner = align.load(name)
    if path:
        model.features_ = [DefaultFunctions(read_network(path), model.base_functions_)]
    return model


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
