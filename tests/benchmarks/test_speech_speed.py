"""How long training and aligning speech take: ``pytest tests/benchmarks -s -k speech``."""

import os
import time
from pathlib import Path

import pytest

import align

pytestmark = pytest.mark.benchmark


@pytest.fixture(scope="module")
def corpus(timit_sample: Path) -> "align.corpus.reading.Corpus":
    return align.read_corpus(timit_sample, kind="speech")


def test_training_takes_about_two_minutes_and_aligning_little(
    corpus: "align.corpus.reading.Corpus", tmp_path: Path, tiny: bool
) -> None:
    begin = time.perf_counter()
    if tiny:  # other features: networks take seconds to learn
        corpus = corpus.subset(corpus.groups[:2])[::4]
        model = align.SpeechAligner("thesis", n_folds=2, epochs=1).fit(corpus)
    else:
        model = align.SpeechAligner(n_jobs=os.cpu_count()).fit(corpus)
    training = time.perf_counter() - begin
    model.save(tmp_path / "speech.align")
    model = align.load(tmp_path / "speech.align")
    model.align(corpus[0].audio, corpus[0].events)  # compiles, and warms the caches
    begin, cpu = time.perf_counter(), time.process_time()
    seconds = sum(model.align(one.audio, one.events).duration for one in corpus)
    factor = (time.perf_counter() - begin) / seconds
    cpu_factor = (time.process_time() - cpu) / seconds
    print(f"\ntraining on {len(corpus)} recordings, {seconds:.0f} s of speech: {training:.0f} s")
    print(f"real-time factor of aligning: {factor:.4f}, processor time {cpu_factor:.4f}")
    assert tiny or training < 180.0
    assert tiny or factor < 0.03
