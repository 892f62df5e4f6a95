"""When matchmaker says that each note is played; `run.py` runs it with another Python."""

import json
import sys

import numpy as np
import partitura
from matchmaker import Matchmaker


def main() -> None:
    sound, score = sys.argv[1:]
    follower = Matchmaker(score_file=score, performance_file=sound, input_type="audio")
    run = follower.run(verbose=False)
    try:
        while True:
            next(run)
    except StopIteration as done:
        beats, seconds = np.asarray(done.value, dtype=float).T
    reached = np.maximum.accumulate(beats)
    notes = partitura.load_score(score).note_array()
    rows = []
    for note in np.sort(notes, order="onset_beat"):
        k = int(np.searchsorted(reached, float(note["onset_beat"])))
        rows.append([int(note["pitch"]), float(seconds[k]) if k < len(seconds) else None])
    print(json.dumps([[pitch, at] for pitch, at in rows if at is not None]))


if __name__ == "__main__":
    main()
