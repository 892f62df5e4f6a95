"""Onsets from steps of 2 ms: attacks are found, what has none stays, states."""

import json

import numpy as np
import pytest

from align.errors import ModelError
from align.features.networks.network import FrameNetwork
from align.features.notes.fine_onsets import FineOnsets
from align.features.notes.timed_notes import TimedNotes
from align.features.sound.pitch import pitch_frequency
from align.features.sound.signal import Signal

RATE = 8000


def struck(seed: int, n: int = 40) -> TimedNotes:
    """Decaying tones, each of which begins sharply at a random time."""
    rng = np.random.default_rng(seed)
    onsets = 0.2 + np.cumsum(rng.uniform(0.12, 0.2, n))
    pitches = rng.integers(55, 80, n)
    t = np.arange(int((onsets[-1] + 0.5) * RATE)) / RATE
    sound = 1e-4 * rng.standard_normal(t.size)
    for onset, pitch in zip(onsets, pitches, strict=True):
        since = np.maximum(t - onset, 0.0)
        for h in (1, 2, 3):
            phase = 2 * np.pi * h * pitch_frequency(int(pitch)) * since
            sound += (t > onset) * np.exp(-12 * since) * np.cos(phase) / h
    return TimedNotes(Signal((0.1 * sound).astype(np.float32), RATE, 0.01), pitches, onsets)


@pytest.fixture(scope="module")
def trained() -> FineOnsets:
    return FineOnsets(width=8, steps=120).fit([struck(0), struck(1)])


def test_notes_move_to_their_attack(trained: FineOnsets) -> None:
    item = struck(7)
    off = np.random.default_rng(0).uniform(-0.008, 0.008, item.onsets.size)
    moved = trained.moved(item.signal, item.pitches, item.onsets + off)
    assert np.median(np.abs(moved - item.onsets)) < 0.25 * np.median(np.abs(off))


def test_a_note_without_an_attack_stays(trained: FineOnsets) -> None:
    # in silence, and beyond either end of the recording
    signal = Signal(np.zeros(RATE, np.float32), RATE, 0.01)
    times = np.array([0.0, 0.5, 0.999])
    moved = trained.moved(signal, np.array([21, 60, 108]), times)
    np.testing.assert_allclose(moved, times, atol=0.003)


def test_no_note_moves_far(trained: FineOnsets) -> None:
    item = struck(3)
    moved = trained.moved(item.signal, item.pitches, item.onsets + 0.04)
    assert np.abs(moved - item.onsets - 0.04).max() < 0.02


def test_each_note_is_moved_by_itself(trained: FineOnsets) -> None:
    item = struck(2)
    whole = trained.moved(item.signal, item.pitches, item.onsets)
    some = trained.moved(item.signal, item.pitches[5:9], item.onsets[5:9])
    np.testing.assert_allclose(some, whole[5:9], atol=1e-6)
    none = np.empty(0)
    assert trained.moved(item.signal, none.astype(np.intp), none).size == 0


def test_training_is_determined_and_leaves_out_what_is_not_known(trained: FineOnsets) -> None:
    item = struck(4)
    missing = np.where(np.arange(item.onsets.size) % 2, np.nan, item.onsets)
    partly = TimedNotes(item.signal, item.pitches, missing)
    only = TimedNotes(item.signal, item.pitches[::2], item.onsets[::2])
    a, b = (FineOnsets(width=4, steps=3).fit([one]).network_.weights for one in (partly, only))
    for left, right in zip(a, b, strict=True):
        np.testing.assert_array_equal(left, right)


def test_states(trained: FineOnsets) -> None:
    params, arrays = trained.get_state()
    restored = FineOnsets().set_state(json.loads(json.dumps(params)), arrays)
    item = struck(5, 6)
    np.testing.assert_array_equal(
        restored.moved(item.signal, item.pitches, item.onsets),
        trained.moved(item.signal, item.pitches, item.onsets),
    )
    params, arrays = FrameNetwork(3, (1,), width=4).get_state()
    with pytest.raises(ModelError, match=r"reads 3 numbers a step .* must read 7"):
        FineOnsets().set_state(params, arrays)
