"""The network of note onsets: what it reads, what it learns, windows, states."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ModelError, ParameterError
from align.features.networks.network import FrameNetwork
from align.features.networks.targets import Target
from align.features.networks.training import train_on_batches
from align.features.notes.fine_onsets import FineOnsets
from align.features.notes.note_context import N_CONTEXT, note_context
from align.features.notes.note_levels import (
    N_INPUTS,
    N_LEVELS,
    note_levels,
    signal_tuning,
    write_inputs,
)
from align.features.notes.note_network import NoteNetwork, updates_for
from align.features.notes.timed_notes import TimedNotes
from align.features.sound.pitch import SHORT_WINDOWS, log_level, semitone_bands
from align.features.sound.signal import Signal

RATE = 8000


def piece(seed, n=60, spread=0.0):
    """A random melody with some chords as (signal, pitches, onsets in seconds)."""
    rng = np.random.default_rng(seed)
    onsets = np.sort(0.3 + np.cumsum(rng.uniform(0.12, 0.35, n)))
    onsets[1::5] = onsets[0::5]  # some begin together
    onsets = np.sort(onsets)
    pitches = rng.integers(45, 80, n)
    x = 1e-4 * rng.normal(size=round((onsets[-1] + 1.0) * RATE))
    for pitch, onset in zip(pitches, onsets, strict=True):
        first = round(onset * RATE)
        t = np.arange(min(round(0.4 * RATE), x.size - first)) / RATE
        f = 440 * 2 ** ((pitch - 69) / 12)
        tone = sum(0.6**h * np.sin(2 * np.pi * (h + 1) * f * t) for h in range(5))
        x[first : first + t.size] += rng.uniform(0.03, 0.2) * tone * np.exp(-6 * t)
    return Signal(x.astype(np.float32), RATE, 0.01), pitches.astype(np.intp), onsets


def timed(seed, **options):
    signal, pitches, onsets = piece(seed)
    context = note_context(pitches, onsets, onsets + 0.4)
    return TimedNotes(signal, pitches, onsets, context, **options)


SMALL = {"width": 12, "dilations": (1, 2, 4), "steps": 150, "batch": 12}


@pytest.fixture(scope="module")
def trained():
    return NoteNetwork(**SMALL).fit([timed(seed) for seed in (1, 2, 3)])


# What it reads ----------------------------------------------------------------------------------


def test_inputs_are_bands_about_the_pitch():
    signal, _, _ = piece(0, 8)
    tuning = signal_tuning(signal)
    long = log_level(semitone_bands(signal.samples, RATE, tuning=tuning))
    short = log_level(semitone_bands(signal.samples, RATE, tuning=tuning, windows=SHORT_WINDOWS))
    x = np.zeros((20, N_INPUTS), dtype=np.float32)
    write_inputs(x, note_levels(signal), 60, 30)
    frames = slice(30, 50)
    at = {offset: 60 - 21 + offset for offset in (-12, 0, 1, 36)}
    np.testing.assert_array_equal(x[:, 0], long[frames, at[-12]])
    np.testing.assert_array_equal(x[:, 3], long[frames, at[0]])
    np.testing.assert_array_equal(x[:, 14], long[frames, at[36]])
    np.testing.assert_array_equal(x[:, 15], short[frames, at[0]])
    np.testing.assert_array_equal(x[:, 21], short[frames, at[36]])
    np.testing.assert_allclose(x[:, 22], short[frames, :30].mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(x[:, 25], short[frames, 70:].mean(axis=1), rtol=1e-5)
    assert (x[:, 26] == 0).all()  # pitch 60


@pytest.mark.parametrize("pitch", [21, 108])
def test_extreme_pitches_have_all_their_bands(pitch):
    signal, _, _ = piece(0, 4)
    x = np.zeros((5, N_INPUTS), dtype=np.float32)
    write_inputs(x, note_levels(signal), pitch, 0)
    assert np.isfinite(x).all()
    if pitch == 21:
        assert (x[:, 0] == 0).all()  # an octave below the lowest band
    else:
        assert (x[:, 14] == 0).all()


def test_frames_beyond_the_recording_are_silent():
    signal, _, _ = piece(0, 4)
    levels = note_levels(signal)
    x = np.zeros((signal.n_frames + 20, N_INPUTS + 1), dtype=np.float32)
    write_inputs(x, levels, 72, -10, context=np.array([7.0], np.float32))
    assert not x[:10, :N_LEVELS].any()
    assert not x[-10:, :N_LEVELS].any()
    assert x[10:-10, :N_LEVELS].any()
    np.testing.assert_array_equal(x[:, -2], np.full(len(x), 0.6, np.float32))
    assert (x[:, -1] == 7.0).all()
    beyond = np.zeros((5, N_INPUTS), dtype=np.float32)
    write_inputs(beyond, levels, 60, signal.n_frames + 100)
    assert not beyond.any()


def test_frames_must_last_ten_milliseconds():
    with pytest.raises(ParameterError, match=r"signal\.hop=0\.02 s, must be 0\.01 s"):
        note_levels(Signal(np.ones(800, np.float32), RATE, 0.02))
    note_levels(Signal(np.ones(2205, np.float32), 22050, 0.01))  # 220 samples, 9.98 ms


# Context ----------------------------------------------------------------------------------------


def test_collisions_by_hand():
    # 48 is held while the octave 60 and the twelfth 67 begin together
    context = note_context([48, 60, 67], [0.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    assert not context[0].any()
    together, held = context[1, :8], context[1, 8:16]
    # partials of 67: 67 79 86 91 95; of 60: 60 72 79 84 88 91 94 96
    assert together.tolist() == [0, 0, 1, 0, 0, 1, 0, 0]
    # partials of 48: 48 60 67 72 76
    assert held.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert context[1, -2:].tolist() == [0.0, 0.25]
    assert context[2, 8] == 1  # 67 is the third partial of 48


def test_a_key_struck_again():
    context = note_context([60, 60, 60], [0.0, 1.0, 3.0], [0.97, 1.5, 3.5])
    assert context[:, -2].tolist() == [0.0, 1.0, 0.0]


def test_notes_of_long_ago_have_faded():
    context = note_context([48, 48 + 12], [0.0, 5.0], [9.0, 9.0])
    assert not context[1].any()


def naive_context(pitches, onsets, ends):
    harmonics = [0, 12, 19, 24, 28, 31, 34, 36]
    out = np.zeros((len(pitches), N_CONTEXT))
    for i in range(len(pitches)):
        for k in range(len(pitches)):
            if i == k or not onsets[i] - 4 <= onsets[k] < onsets[i] + 0.03:
                continue
            same = abs(onsets[k] - onsets[i]) < 0.03
            out[i, -1] += same / 4
            if same or ends[k] > onsets[i] - 0.02:
                for h, above in enumerate(harmonics):
                    hit = any(pitches[k] + b == pitches[i] + above for b in harmonics[:5])
                    out[i, h + 8 * (not same)] += hit
        before = [k for k in range(i) if pitches[k] == pitches[i] and onsets[k] < onsets[i] - 0.01]
        if before:
            out[i, -2] = ends[before[-1]] > onsets[i] - 0.05
    return np.minimum(out, 1.5)


note_lists = st.lists(
    st.tuples(st.integers(0, 120), st.integers(40, 76), st.integers(1, 100)), max_size=25
)


@given(note_lists)
def test_collisions_equal_their_definition(notes):
    notes = sorted(notes)
    onsets = np.array([t for t, _, _ in notes]) * 0.0617
    pitches = np.array([p for _, p, _ in notes], dtype=int)
    ends = onsets + np.array([d for _, _, d in notes]) * 0.0531
    found = note_context(pitches, onsets, ends)
    assert found.shape == (len(notes), N_CONTEXT)
    np.testing.assert_allclose(found, naive_context(pitches, onsets, ends), atol=1e-6)


def test_wrong_scores():
    with pytest.raises(ParameterError, match=r"have shapes \(1,\), \(2,\) and \(1,\)"):
        note_context([60], [0.0, 1.0], [1.0])
    with pytest.raises(ParameterError, match="onsets must not decrease"):
        note_context([60, 60], [1.0, 0.0], [2.0, 2.0])


# What it learns ---------------------------------------------------------------------------------


def test_it_finds_notes_of_a_piece_it_has_not_heard(trained):
    item = timed(9)
    scores = trained.scores(item.signal, item.pitches, item.context)
    assert scores.shape == (60, item.signal.n_frames)
    assert scores.dtype == np.float32
    assert 0 <= scores.min() <= scores.max() <= 1
    frames = np.round(item.onsets / item.signal.hop).astype(int)
    near = np.stack([row[max(f - 30, 0) : f + 31] for row, f in zip(scores, frames, strict=True)])
    found = near.argmax(axis=1) - 30
    assert np.median(np.abs(found)) <= 1
    assert (np.abs(found) <= 2).mean() > 0.8


@pytest.mark.parametrize(("interval", "factor"), [(1, 1.2), (2, 3), (6, 6), (-6, 6)])
def test_it_tells_pitches_apart(trained, interval, factor):
    item = timed(9)
    frames = np.round(item.onsets / item.signal.hop).astype(int)
    there = trained.scores(item.signal, item.pitches)[np.arange(60), frames]
    wrong = trained.scores(item.signal, item.pitches + interval)[np.arange(60), frames]
    assert there.mean() > factor * wrong.mean()


def test_training_is_determined_by_its_seed(trained):
    items = [timed(seed) for seed in (1, 2)]
    settings = {**SMALL, "steps": 8}
    first, second, other = (
        NoteNetwork(**settings, random_state=seed).fit(items).network_.weights
        for seed in (4, 4, 5)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_notes_that_were_left_out_do_not_count():
    item = timed(1)
    missing = item.onsets.copy()
    missing[::3] = np.nan
    calls = []
    partly = TimedNotes(item.signal, item.pitches, missing, item.context)
    settings = {**SMALL, "steps": 3}
    fitted = NoteNetwork(**settings).fit([partly], progress=lambda *a: calls.append(a))
    assert calls == [(1, 3), (2, 3), (3, 3)]
    kept = np.isfinite(missing)
    only = TimedNotes(item.signal, item.pitches[kept], missing[kept], item.context[kept])
    same = NoteNetwork(**settings).fit([only])
    for a, b in zip(fitted.network_.weights, same.network_.weights, strict=True):
        np.testing.assert_array_equal(a, b)


def test_weights_of_pieces_matter():
    items = [timed(1), timed(2)]
    heavy = [items[0], copy.copy(items[1])]
    object.__setattr__(heavy[1], "weight", 1e9)
    settings = {**SMALL, "steps": 3}
    alone = NoteNetwork(**settings).fit([items[1]])
    weighted = NoteNetwork(**settings).fit(heavy)
    np.testing.assert_allclose(alone.network_.mean, weighted.network_.mean, atol=1e-5)
    even = NoteNetwork(**settings).fit(items)
    assert not np.allclose(alone.network_.mean, even.network_.mean, atol=1e-3)


def notes_of(n, unplayed=0):
    """So many notes that were played, and some that were not."""
    onsets = np.concatenate([np.zeros(n), np.full(unplayed, np.nan)])
    signal = Signal(np.zeros(RATE, dtype=np.float32), RATE, 0.01)
    return TimedNotes(signal, np.full(onsets.size, 60), onsets)


@pytest.mark.parametrize(
    ("n", "steps"), [(2, 1500), (1687, 1500), (3000, 2000), (12_000, 4000), (90_000, 4000)]
)
def test_more_notes_call_for_more_updates(n, steps):
    halves = [notes_of(n // 2, unplayed=500), notes_of(n - n // 2)]
    assert updates_for(halves) == updates_for([notes_of(n)]) == steps


def test_updates_are_those_the_notes_call_for_unless_told(monkeypatch):
    item, done = timed(1), []
    monkeypatch.setattr("align.features.notes.note_network._STEPS", (4, 9))
    monkeypatch.setattr("align.features.notes.note_network._ENOUGH", 135)  # of which it has 60
    for steps, wanted in ((None, 6), (3, 3)):
        network = NoteNetwork(**{**SMALL, "steps": steps})
        assert network.fit([item], progress=lambda k, n: done.append(n)).steps == steps
        assert set(done) == {wanted}
        done.clear()


def test_a_brief_network_makes_half_of_the_updates(monkeypatch):
    module, done = "align.features.notes.note_network", []

    class Fine(FineOnsets):
        def fit(self, examples):
            done.append(self.steps)

    def train(network, draw, *, steps, **how):
        x, _, _ = draw(np.random.default_rng(0))
        done.append((len(x), steps))

    monkeypatch.setattr(f"{module}.FineOnsets", Fine)
    monkeypatch.setattr(f"{module}.train_on_batches", train)
    network = NoteNetwork()
    network.brief().fit([timed(1)])
    assert done == [(16, 750), 375]
    done.clear()
    network.fit([timed(1)])
    assert done == [(16, 1500), 750]
    done.clear()
    network.network_ = FrameNetwork(network._n_inputs, (1,), width=4, dilations=(1,))
    network.adapt([timed(1)], steps=3)
    network.adapt([timed(1)], steps=3, batch=5)
    assert done == [(32, 3), (5, 3)]
    own = NoteNetwork(**SMALL)
    assert own.brief() is own  # whoever says how many updates means it


# Windows ----------------------------------------------------------------------------------------


def test_windows_say_what_the_whole_says(trained):
    item = timed(5)
    whole = trained.scores(item.signal, item.pitches[:8], item.context[:8])
    first = np.array([-4, 0, 3, 50, 100, 333, item.signal.n_frames - 10, 20])
    logit = trained.logits(item.signal, item.pitches[:8], first, 25, item.context[:8])
    probability = 1 / (1 + np.exp(-logit))
    for row, part, begin in zip(whole, probability, first, strict=True):
        inside = np.flatnonzero((begin + np.arange(25) >= 0) & (begin + np.arange(25) < row.size))
        np.testing.assert_allclose(part[inside], row[begin + inside], atol=1e-5)


def test_many_windows_are_cut_into_parts(trained, monkeypatch):
    item = timed(5)
    first = np.arange(60) * 3
    whole = trained.logits(item.signal, item.pitches, first, 20, item.context)
    monkeypatch.setattr("align.features.notes.note_network._AT_ONCE", 100)
    parts = trained.logits(item.signal, item.pitches, first, 20, item.context)
    np.testing.assert_allclose(whole, parts, atol=1e-4)


def test_no_pitches(trained):
    signal, _, _ = piece(0, 4)
    assert trained.scores(signal, []).shape == (0, signal.n_frames)


def test_digital_silence_has_no_notes(trained):
    silence = Signal(np.zeros(RATE, np.float32), RATE, 0.01)
    assert trained.scores(silence, [40, 60, 80]).max() < 0.5


# States and errors ------------------------------------------------------------------------------


@pytest.mark.parametrize("use_context", [True, False])
def test_states(use_context):
    item = timed(1)
    fitted = NoteNetwork(**{**SMALL, "steps": 3}, use_context=use_context).fit([item])
    params, arrays = fitted.get_state()
    restored = NoteNetwork().set_state(json.loads(json.dumps(params)), arrays)
    assert restored.use_context == use_context
    np.testing.assert_array_equal(
        fitted.scores(item.signal, item.pitches, item.context),
        restored.scores(item.signal, item.pitches, item.context),
    )


def test_the_state_of_a_network_that_is_not_fitted(trained):
    params, arrays = NoteNetwork(use_context=False).get_state()
    restored = copy.copy(trained).set_state(params, arrays)
    assert not hasattr(restored, "network_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"use_context": False}, "reads 45 numbers a frame .* must read 27"),
        ({"network": {"n_inputs": 3}}, "description is incomplete"),
        ({"onset_width": "wide"}, "state of the note network is wrong"),
    ],
)
def test_wrong_states(trained, change, message):
    params, arrays = trained.get_state()
    with pytest.raises(ModelError, match=message):
        NoteNetwork().set_state({**params, **change}, arrays)
    with pytest.raises(ModelError, match="state of the note network is wrong"):
        NoteNetwork().set_state({}, arrays)


def test_a_network_must_be_fitted():
    signal, _, _ = piece(0, 4)
    with pytest.raises(ModelError, match="not fitted; call fit first"):
        NoteNetwork().scores(signal, [60])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps=0, must be at least 1"),
        ({"batch": 0}, "batch=0"),
        ({"width": 0}, "width=0"),
        ({"length": 12}, "length=12 frames, must be more than 12"),
        ({"onset_width": 0.0}, "onset_width=0.0 s"),
        ({"elsewhere": 1.0}, "elsewhere=1.0"),
    ],
)
def test_wrong_settings(options, message):
    with pytest.raises(ParameterError, match=message):
        NoteNetwork(**options)


def test_nothing_to_learn_from():
    with pytest.raises(ParameterError, match="examples=\\[\\]"):
        NoteNetwork().fit([])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"onsets": np.zeros(3)}, r"onsets.shape=\(3,\), must be \(N,\)=\(60,\)"),
        ({"onsets": np.full(60, np.nan)}, "at least one note"),
        ({"pitches": np.full(60, 12)}, r"must be \(N,\) and lie in 21\.\.108"),
        ({"context": np.zeros((60, 3), np.float32)}, r"context.shape=\(60, 3\)"),
        ({"weight": 0.0}, "weight=0.0"),
    ],
)
def test_wrong_pieces(change, message):
    signal, pitches, onsets = piece(1)
    with pytest.raises(ParameterError, match=message):
        TimedNotes(**{"signal": signal, "pitches": pitches, "onsets": onsets, **change})


def test_wrong_windows(trained):
    signal, _, _ = piece(0, 4)
    with pytest.raises(ParameterError, match=r"first.shape=\(2,\), must be \(N,\)=\(1,\)"):
        trained.logits(signal, [60], np.array([0, 1]), 10)
    with pytest.raises(ParameterError, match="length=0"):
        trained.logits(signal, [60], np.array([0]), 0)
    with pytest.raises(ParameterError, match=r"lie in 21\.\.108"):
        trained.scores(signal, [109])


# The parts of the network it is built on --------------------------------------------------------


def test_raw_outputs_are_those_of_each_sequence():
    network = FrameNetwork(3, (2, 1), width=6, dilations=(1, 4))
    x = np.random.default_rng(0).normal(size=(4, 30, 3)).astype(np.float32)
    together = network.raw_outputs(x)
    for row, sequence in zip(together, x, strict=True):
        np.testing.assert_allclose(row, np.concatenate(network.outputs(sequence), 1), atol=1e-5)
    with pytest.raises(ParameterError, match=r"must be \(B, L, 3\)"):
        network.raw_outputs(x[0])


def test_reach_is_how_far_an_output_sees():
    network = FrameNetwork(1, (1,), width=8, dilations=(1, 2, 4), first=5, random_state=1)
    assert network.reach == 9
    x = np.zeros((1, 41, 1), dtype=np.float32)
    changed = x.copy()
    changed[0, 20] = 5.0
    moved = np.flatnonzero((network.raw_outputs(x) != network.raw_outputs(changed))[0, :, 0])
    assert 20 - 9 <= moved.min() < 20 < moved.max() <= 20 + 9


def test_training_on_batches_learns_what_they_say():
    network = FrameNetwork(1, (1,), width=4, dilations=(1,), random_state=0)

    def draw(rng):
        x = rng.standard_normal((4, 20, 1), dtype=np.float32)
        rows = [[Target((row[:, 0] > 0).astype(np.float32))] for row in x]
        return x, rows, np.ones((4, 20), dtype=np.float32)

    train_on_batches(network, draw, steps=300, learning_rate=1e-2, dropout=0.0)
    x = np.array([-2.0, -1.0, 1.0, 2.0], dtype=np.float32)[:, None]
    assert (network.outputs(x)[0][:, 0] > 0).tolist() == [False, False, True, True]
