"""Long recordings of speech: cut at pauses, and aligned as short ones are."""

import numpy as np
import pytest

import align
from align.features import read_audio
from align.formats import read_labels
from align.sequence import rough, stretches

RATE = 16000


@pytest.fixture(scope="module")
def model():
    return align.load("speech-en")


@pytest.fixture(scope="module")
def several(timit_sample):
    """Eight sentences of as many speakers: samples, phones, when each begins, and the text."""
    sounds, phones, onsets, texts, at = [], [], [], [], 0.0
    for path in sorted(timit_sample.rglob("*.wav"))[::14][:8]:
        labels = read_labels(path.with_suffix(".phn"))
        end = float(labels.intervals[-1][1])
        sounds.append(read_audio(str(path), RATE)[0][: round(end * RATE)])
        shared = bool(phones)  # the silences of two sentences are one
        phones += labels.labels[shared:]
        onsets += [at + float(begin) for begin, _ in labels.intervals[shared:]]
        texts.append(" ".join(path.with_suffix(".txt").read_text().split()[2:]))
        at += end
    return np.concatenate(sounds), phones, np.array(onsets), " ".join(texts)


@pytest.fixture
def cut_early(monkeypatch):
    """Make seven seconds a long recording."""
    monkeypatch.setattr("align.sequence.search.MOST_CELLS", 1000)
    monkeypatch.setattr(rough, "_BLOCK", 5.0)
    monkeypatch.setattr(stretches, "_SHORTEST", 2.0)
    monkeypatch.setattr(stretches, "_LONGEST", 7.0)
    monkeypatch.setattr("align.speech.text.words.LONG", 5.0)
    seen = []
    real = stretches.aligned_stretches

    def counted(*args):
        found = real(*args)
        seen.append(len(found))
        return found

    monkeypatch.setattr("align.sequence.aligner.aligned_stretches", counted)
    monkeypatch.setattr("align.speech.text.words.aligned_stretches", counted)
    return seen


def near(found, truth):
    return float(np.mean(np.abs(found - truth) <= 0.02))


def test_phones_are_found_as_in_one_piece(model, several, cut_early, monkeypatch):
    samples, phones, onsets, _ = several
    found = model.align(samples, phones, rate=RATE)
    assert cut_early[0] >= 4
    monkeypatch.setattr("align.sequence.search.MOST_CELLS", 10**8)
    whole = model.align(samples, phones, rate=RATE)
    assert len(cut_early) == 1  # not cut
    assert near(found.onsets, onsets) >= near(whole.onsets, onsets) - 0.01
    assert near(found.onsets, whole.onsets) > 0.98
    assert found.labels == whole.labels
    assert found.duration == whole.duration
    assert found.match == pytest.approx(whole.match, abs=0.05)
    assert len(found.confidence) == len(found.event_match) == len(phones)


def test_known_times_are_kept(model, several, cut_early):
    samples, phones, onsets, _ = several
    known = {20: float(onsets[20]) + 0.013, 150: float(onsets[150]) - 0.011}
    found = model.align(samples, phones, rate=RATE, anchors=known)
    assert cut_early[0] >= 4
    assert {k: float(found.onsets[k]) for k in known} == known


def test_rough_onsets_are_near(model, several):
    samples, phones, onsets, _ = several
    rough = model.rough_onsets(samples, phones, rate=RATE)
    assert np.abs(rough - onsets).max() < 1.0


def test_words_are_found_as_in_one_piece(model, several, cut_early, monkeypatch):
    samples, _, _, text = several
    found = model.align_text(samples, text, rate=RATE)
    assert cut_early[0] >= 4
    monkeypatch.setattr("align.speech.text.words.LONG", 100.0)
    whole = model.align_text(samples, text, rate=RATE)
    assert cut_early[1] == 1
    said = [[label for label in one.words.labels if label != "sil"] for one in (found, whole)]
    assert said[0] == said[1]
    times = [
        np.array(
            [
                t
                for t, label in zip(one.words.onsets, one.words.labels, strict=True)
                if label != "sil"
            ]
        )
        for one in (found, whole)
    ]
    assert near(*times) > 0.98
