"""Train, adapt and align everything once, and print a digest of each result; for `test_blas`.

Everything is small, but its products of matrices are large enough for BLAS to split them.
"""

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from kiwi_text import KIWI, TEXT, WORDS
from music_examples import write_piece
from synthetic_speech import write_corpus

import align
from align.features import DurationFeature, NetworkConfidence, NoteNetwork, onset_feature
from align.features.sound.spectra import log_mel
from align.sequence.adapt import adapt


@onset_feature
def product(signal, event):
    """A feature of a user's, each of its numbers a sum of many products."""
    frames = np.resize(signal.samples, (signal.n_frames, 400))
    mixing = np.random.default_rng(len(str(event))).normal(size=(400, 300))
    return (frames @ mixing)[:, :30].sum(axis=1)


def digest(model: Any, found: Any, folder: Path) -> str:
    """Digest of a model file and of an alignment."""
    path = folder / "model.align"
    model.save(path)
    content = path.read_bytes() + found.onsets.tobytes() + found.confidence.tobytes()
    return hashlib.sha256(content).hexdigest()


def digests(folder: Path) -> dict[str, str]:
    corpus = align.read_corpus(write_corpus(folder / "speech"))
    one = corpus[0]
    network = NetworkConfidence(width=8, dilations=(1,), epochs=1)
    options = {"n_folds": 2, "n_jobs": 1}
    speech = align.SpeechAligner([network, DurationFeature()], epochs=1, **options).fit(corpus)
    adapted = adapt(speech, corpus[:4], steps=3, **options)
    of_user = align.SequenceAligner([network, product], **options).fit(corpus)
    for name in ("a", "b"):
        write_piece(folder / "music" / name, n_notes=12)
    pieces = align.read_corpus(folder / "music", kind="music")
    notes = NoteNetwork(width=12, dilations=(1, 2), steps=10, batch=8)
    music = align.MusicAligner(network=notes, epochs=1, **options).fit(pieces)
    text = align.align_text("speech-en", KIWI, TEXT, dictionary=WORDS)
    of_text = text.phones.onsets.tobytes() + text.phones.confidence.tobytes()
    noise = np.random.default_rng(0).normal(size=80_000).astype(np.float32)
    return {
        "text": hashlib.sha256(of_text + np.float64(text.match).tobytes()).hexdigest(),
        "spectrum": hashlib.sha256(log_mel(noise, 16000, 0.005).tobytes()).hexdigest(),
        "speech": digest(speech, speech.align(one.audio, one.events), folder),
        "adapted": digest(adapted, adapted.align(one.audio, one.events), folder),
        "of a user": digest(of_user, of_user.align(one.audio, one.events), folder),
        "music": digest(music, music.align(pieces[0].audio, pieces[0].score), folder),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(digests(Path(name))))
