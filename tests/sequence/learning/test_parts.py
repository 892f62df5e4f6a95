"""Long recordings are learned from in parts, cut in their pauses."""

from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_speech import RATE, random_phones, recording

from align import DataError, Example, SpeechAligner
from align.features import ArticulatoryConfidence, ArticulatoryDuration, Feature, Signal
from align.features.base import TimedSignal
from align.sequence.adapt import adapt
from align.sequence.learning.crossfit import folds_of
from align.sequence.learning.parts import n_recordings, parts_of, recordings_of
from align.sequence.online import OnlineLearner

HOP = 0.01
IPA = {"sil": "sil", "s": "s", "aa": "ɑ", "iy": "i", "m": "m"}


def a_pause(event):
    return event == "sil"


@given(st.data())
def test_parts_follow_each_other_and_hold_all_that_there_is(data):
    lengths = data.draw(st.lists(st.integers(1, 900), min_size=1, max_size=40))
    events = ["sil" if data.draw(st.booleans()) else f"a{k}" for k in range(len(lengths))]
    onsets = np.cumsum([0, *lengths[:-1]])
    n = int(sum(lengths))
    signal = Signal(np.arange(n, dtype=np.float32), rate=100, hop=HOP, name="long")
    times = HOP * (onsets + 0.3)
    item = TimedSignal(signal, events, onsets, times, n, text="said")
    parts = parts_of(item, a_pause)
    if n * HOP <= 60:
        assert parts == [item]
        return
    np.testing.assert_array_equal(
        np.concatenate([part.signal.samples for part in parts]), signal.samples
    )
    begin, spoken = 0, []
    for number, part in enumerate(parts):
        assert len(parts) == 1 or (part.part, part.group, part.text) == (number, "long", None)
        assert part.end == part.signal.n_frames
        assert part.onsets[0] == 0
        assert (part.lengths > 0).all()
        for k, event in enumerate(part.events):
            if event != "sil":
                spoken.append((event, begin + part.onsets[k], part.lengths[k]))
                assert part.times[k] + begin * HOP == pytest.approx(times[events.index(event)])
        begin += part.signal.n_frames
    rows = zip(events, onsets, lengths, strict=True)
    assert spoken == [row for row in rows if row[0] != "sil"]
    assert n_recordings(parts) == 1
    assert all(part.signal.duration >= 10 for part in parts)


class Asked(Feature):
    """Says nothing, and remembers the lengths of the recordings that it is asked of."""

    seconds: list[float] = []  # noqa: RUF012

    name = "asked"

    def terms(self, signal, events):
        """Return a table of zeros."""
        from align.terms import OnsetTerm

        self.seconds.append(signal.duration)
        return {"asked": OnsetTerm(np.zeros((1, signal.n_frames)), np.zeros(len(events), int))}


def a_recording(seed: int, words: int) -> Example:
    rng = np.random.default_rng(seed)
    phones = [phone for _ in range(words) for phone in random_phones(rng, 9)]
    samples, edges = recording(phones, rng)
    return Example(
        samples.astype(np.float32),
        [IPA[phone] for phone in phones],
        edges[:-1] / RATE,
        end=edges[-1] / RATE,
        rate=RATE,
        name=f"r{seed}",
    )


def test_a_model_learns_from_parts_of_a_long_recording():
    long, short = a_recording(0, 75), a_recording(1, 3)
    assert len(long.audio) / RATE > 60
    network = ArticulatoryConfidence(width=8, dilations=(1,), epochs=1)
    aligner = SpeechAligner(
        [network, ArticulatoryDuration(), Asked()], epochs=1, n_folds=2, n_jobs=1
    )
    Asked.seconds.clear()
    aligner.fit([long, short])
    assert aligner.training_["recordings"] == 2
    assert aligner.training_["seconds"] == pytest.approx(
        (len(long.audio) + len(short.audio)) / RATE, abs=0.01
    )
    assert max(Asked.seconds) < 45
    learner = OnlineLearner(aligner, steps=1)
    Asked.seconds.clear()
    learner.update(long, "long")
    assert 10 <= max(Asked.seconds) < 45
    # what networks answered holds the networks, and there are new ones with each update
    kept = [item.signal for parts in learner._items.values() for item in parts]
    assert len(kept) > 1
    assert not any(signal._cache for signal in kept)
    Asked.seconds.clear()
    adapted = adapt(aligner, [long], steps=1, n_folds=2, n_jobs=1)
    assert adapted.training_["adapted"]["recordings"] == 1
    assert max(Asked.seconds) < 45


@given(st.lists(st.integers(1, 4), min_size=2, max_size=12), st.integers(2, 5))
def test_parts_of_one_recording_are_in_one_fold(counts, n_folds):
    items = [SimpleNamespace(part=part) for count in counts for part in range(count)]
    whose = [k for k, count in enumerate(counts) for _ in range(count)]
    folds = folds_of(recordings_of(items), n_folds)
    for fold in folds:
        others = {whose[i] for other in folds if other is not fold for i in other}
        assert not others & {whose[i] for i in fold}
    # recordings of one part are in the folds that they were always in
    whole = [SimpleNamespace(part=0) for _ in counts]
    assert folds_of(recordings_of(whole), n_folds) == folds_of([None] * len(whole), n_folds)


def test_a_stop_without_room_for_its_closure_is_learned_from_all_the_same():
    import align

    model = align.load("speech-en")
    audio = files("align.data") / "kiwi.flac"
    events, onsets = ("sil", "k", "iy", "w", "iy", "sil"), [0.0, 0.5, 0.504, 0.9, 1.2, 4.0]
    learner = OnlineLearner(model, steps=1)
    learner.update(Example(audio, events, onsets, name="short"), "short")
    completed = model._completed(Example(audio, events, onsets, name="short"))
    assert len(completed.events) > len(events)
    assert (np.diff(completed.onsets) > 0).all()
    moved = completed.onsets[np.isin(completed.events, events)][: len(events)]
    assert np.abs(moved - onsets).max() < 0.011


def test_what_cannot_be_learned_from_does_not_stop_what_follows(monkeypatch):
    short = a_recording(1, 3)
    network = ArticulatoryConfidence(width=8, dilations=(1,), epochs=1)
    aligner = SpeechAligner([network, ArticulatoryDuration()], epochs=1, n_folds=2, n_jobs=1)
    aligner.fit([short, a_recording(2, 3)])
    wrong = Example(short.audio, short.events, 100.0 + short.onsets, rate=RATE, name="wrong")
    learner = OnlineLearner(aligner, steps=1)
    with pytest.raises(DataError):
        learner.update(wrong, "wrong")
    learner.go_on(learner.experts, [("wrong", wrong)])
    learner.update(a_recording(3, 3), "good")
    # the oldest do not stay in memory
    monkeypatch.setattr("align.sequence.online._KEPT", 1)
    learner.update(a_recording(3, 3), "last")
    assert list(learner._items) == ["last"]
