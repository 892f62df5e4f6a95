"""Make the golden model files of a release: ``python tests/golden_models/make.py``.

Tiny models of each kind are trained on artificial sounds and written to the folder of the
version, with the onsets they find in the two recordings here. A model file of a release must load,
and find the same onsets, in every later version; so the files of a released version are never
made again. Where notes lie in their chords is found in another way since: the onsets of ``music``
were written anew then (they moved by up to 3.5 ms), its model was not.
"""

import functools
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

SPEECH = HERE / "speech.flac"
PHONES = ("sil", "m", "aa", "s", "iy", "sil")
MUSIC = HERE / "music.flac"
SCORE = HERE / "score.csv"


def sequence_features() -> list[Any]:
    """Return the features of the general aligner's model, which must be given at loading."""
    from align.features import DurationFeature, SpectralDistance

    return [SpectralDistance(), DurationFeature()]


def _speech_corpus(folder: Path) -> Any:
    from synthetic_speech import write_corpus

    from align import read_corpus

    return read_corpus(write_corpus(folder / "speech", {"ann": 3, "bob": 3}))


def _sequence(folder: Path) -> Any:
    from align import SequenceAligner
    from align.learners import StructuredLearner

    learner = StructuredLearner(epochs=3)
    return SequenceAligner(sequence_features(), learner=learner).fit(_speech_corpus(folder))


def _speech_default(folder: Path) -> Any:
    import align.speech.feature_sets
    from align import SpeechAligner
    from align.features import NetworkConfidence

    whole = align.speech.feature_sets.NetworkConfidence
    align.speech.feature_sets.NetworkConfidence = functools.partial(  # type: ignore[misc,assignment]
        NetworkConfidence, width=8, dilations=(1, 2), epochs=4
    )
    try:
        aligner = SpeechAligner(epochs=1, n_folds=2, random_state=1)
        return aligner.fit(_speech_corpus(folder))
    finally:
        align.speech.feature_sets.NetworkConfidence = whole  # type: ignore[misc]


def _speech_thesis(folder: Path) -> Any:
    from align import SpeechAligner

    return SpeechAligner("thesis", epochs=1, n_folds=2).fit(_speech_corpus(folder))


def _music(folder: Path) -> Any:
    from music_examples import write_piece

    from align import read_corpus
    from align.features import NoteNetwork
    from align.music.aligner import MusicAligner

    for seed in range(2):
        write_piece(folder / "music" / f"piece{seed}", seed)
    network = NoteNetwork(width=8, dilations=(1, 2), steps=80, batch=8)
    corpus = read_corpus(folder / "music", kind="music")
    return MusicAligner(network=network, n_folds=2, epochs=2).fit(corpus)


KINDS: dict[str, Callable[[Path], Any]] = {
    "sequence": _sequence,
    "speech-default": _speech_default,
    "speech-thesis": _speech_thesis,
    "music": _music,
}


def align_with(name: str, model: Any) -> list[float]:
    """Onsets in seconds that a model of one of `KINDS` finds in its recording."""
    if name == "music":
        return [float(t) for t in model.align(MUSIC, SCORE).onsets]
    return [float(t) for t in model.align(SPEECH, PHONES).onsets]


def load_one(path: Path) -> Any:
    """Load a golden model file."""
    import align

    own = sequence_features() if path.stem == "sequence" else ()
    return align.load(path, features=own)


def make_recordings() -> None:
    """Write the two recordings and the score; once and for all."""
    import soundfile
    from music_examples import RATE, sound
    from synthetic_speech import recording

    samples, _ = recording(PHONES, np.random.default_rng(7))
    soundfile.write(SPEECH, samples, 16000)
    notes = [(0.25 * k, 60 + (5 * k) % 13) for k in range(8)]
    played = [(0.4 + 1.3 * time, pitch) for time, pitch in notes]
    soundfile.write(MUSIC, sound(played, 4.0), RATE)
    rows = [f"{time:g},{pitch},0.25" for time, pitch in notes]
    SCORE.write_text("\n".join(["onset_s,pitch,duration_s", *rows]) + "\n")


def main() -> None:
    """Write the files of this version."""
    import align

    folder = HERE / align.__version__
    if (folder / "onsets.json").exists():
        raise SystemExit(f"{folder} exists; files of a released version are never made again.")
    folder.mkdir(exist_ok=True)
    if not SPEECH.exists():
        make_recordings()
    onsets = {}
    for name, train in KINDS.items():
        path = folder / f"{name}.align"
        with tempfile.TemporaryDirectory() as scratch:
            train(Path(scratch)).save(path, licence="CC0 1.0 (artificial sounds)")
        onsets[name] = align_with(name, load_one(path))
        print(name, path.stat().st_size, "bytes", np.round(onsets[name], 3))
    (folder / "onsets.json").write_text(json.dumps(onsets, indent=1) + "\n")


if __name__ == "__main__":
    main()
