"""The ten base functions of the thesis for music, against values worked out by hand."""

import numpy as np
import pytest

from align.errors import ModelError, ParameterError
from align.features.notes.score_thesis import PitchEnergy, ScoreTempo
from align.features.sound.pitch import band_energies
from align.features.sound.signal import Signal
from align.terms import BaseFunctions
from align.types import Note

RATE = 16000


def signal_of(x, hop=0.02):
    return Signal(np.asarray(x, dtype=np.float32), RATE, hop)


def tone(pitch, seconds):
    f = 440 * 2 ** ((pitch - 69) / 12)
    return 0.5 * np.sin(2 * np.pi * f * np.arange(round(seconds * RATE)) / RATE)


# psi_1 .. psi_9 ---------------------------------------------------------------------------------


def with_energy(monkeypatch, curves):
    """Let the band energies be given curves [shape=(P, 3, T)]."""
    monkeypatch.setattr(
        "align.features.notes.score_thesis.band_energies",
        lambda *_, pitches, **__: np.array([curves[p] for p in pitches], dtype=np.float32),
    )


def test_energy_slope_and_curvature_by_hand(monkeypatch):
    t = np.arange(7.0)
    # E_1 = t**2, E_2 = 3 t, E_3 is a step at frame 3
    with_energy(monkeypatch, {60: [t**2, 3 * t, (t >= 3) * 10.0]})
    terms = PitchEnergy(window=0.02).terms(signal_of(np.ones(7 * 320)), [Note(60, 0.0)])
    psi = {name: float(term.table[0, 3]) for name, term in terms.items()}
    # with W = 2: S2 = 10, S4 = 34, N = 5, N S4 - S2**2 = 70
    assert psi["pitch_energy_1"] == 9
    assert psi["pitch_slope_1"] == pytest.approx(6)
    assert psi["pitch_curvature_1"] == pytest.approx(2)
    assert psi["pitch_energy_2"] == 9
    assert psi["pitch_slope_2"] == pytest.approx(3)
    assert psi["pitch_curvature_2"] == pytest.approx(0, abs=1e-6)
    assert psi["pitch_energy_3"] == 10
    # k E over frames 1..5 = 0, 0, 10, 10, 10: sum k E = 30, sum k**2 E = 50, sum E = 30
    assert psi["pitch_slope_3"] == pytest.approx(30 / 10)
    assert psi["pitch_curvature_3"] == pytest.approx(2 * (5 * 50 - 10 * 30) / 70)


def test_frames_beyond_the_end_repeat_the_last(monkeypatch):
    t = np.arange(4.0)
    with_energy(monkeypatch, {60: [t, t, t]})
    terms = PitchEnergy().terms(signal_of(np.ones(4 * 320)), [Note(60, 0.0)])
    # at frame 3: 1, 2, 3, 3, 3 at k = -2..2, so (-2 - 2 + 3 + 6) / 10
    assert terms["pitch_slope_1"].table[0, 3] == pytest.approx(0.5)


def test_names_and_order():
    terms = PitchEnergy().terms(signal_of(np.ones(3200)), [Note(60, 0.0)])
    kinds = ("energy", "slope", "curvature")
    assert list(terms) == [f"pitch_{kind}_{h}" for kind in kinds for h in (1, 2, 3)]


def test_energies_are_those_of_the_pitch():
    x = np.concatenate([tone(60, 0.5), tone(67, 0.5)])
    signal = signal_of(x)
    terms = PitchEnergy().terms(signal, [Note(60, 0.0), Note(67, 1.0), Note(60, 2.0)])
    table, rows = terms["pitch_energy_1"].table, terms["pitch_energy_1"].rows
    assert rows.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(
        table, band_energies(x, RATE, signal.hop, pitches=[60, 67])[:, 0]
    )
    assert terms["pitch_slope_1"].table[1].argmax() in (24, 25)  # where 67 begins


def test_a_chord_is_the_sum_of_its_notes():
    x = np.random.default_rng(0).normal(size=RATE)
    chord = (Note(64, 0.001), Note(60, 0.0))
    alone = PitchEnergy().terms(signal_of(x), [Note(60, 0.0), Note(64, 1.0), chord[::-1]][:2])
    together = PitchEnergy().terms(signal_of(x), [chord])
    for name, term in together.items():
        expected = alone[name].table.sum(axis=0, dtype=np.float64)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(term.table[0], expected, atol=1e-6 * scale)


def test_logarithm():
    x = tone(60, 0.5)
    plain = PitchEnergy().terms(signal_of(x), [Note(60, 0.0)])
    log = PitchEnergy(log=True).terms(signal_of(x), [Note(60, 0.0)])
    np.testing.assert_allclose(
        log["pitch_energy_1"].table, np.log(1e-10 + plain["pitch_energy_1"].table), rtol=1e-5
    )
    silent = PitchEnergy(log=True).terms(signal_of(np.zeros(3200)), [Note(60, 0.0)])
    assert all(np.isfinite(term.table).all() for term in silent.values())


# psi_10 -----------------------------------------------------------------------------------------


def test_tempo_by_hand():
    # score 0, .2, .6, .65, 1.65 s; the recording: frames of 20 ms
    notes = [Note(60 + i, s) for i, s in enumerate((0.0, 0.2, 0.6, 0.65, 1.65))]
    term = ScoreTempo().terms(signal_of(np.zeros(RATE * 4)), notes)["tempo"]
    # gaps .2 .4 .05 1.0: only event 1 has two of more than 60 ms
    assert term.gate.tolist() == [False, True, False, False, False]
    onsets = np.array([0, 20, 50, 60, 100])
    # r_1 = 30 frames of .02 s over .4 s = 1.5, r_0 = 20 * .02 / .2 = 2
    assert term.value(onsets, 200) == pytest.approx((1.5 - 2.0) ** 2)


def test_tempo_sums_over_the_inner_events():
    notes = [Note(60, s) for s in (0.0, 0.5, 1.0, 2.0)]
    term = ScoreTempo().terms(signal_of(np.zeros(RATE * 4)), notes)["tempo"]
    onsets = np.array([0, 25, 75, 100])  # r = 1, 2, 0.5
    assert term.value(onsets, 200) == pytest.approx((2 - 1) ** 2 + (0.5 - 2) ** 2)


def test_the_gate_is_strict():
    notes = [Note(60, s) for s in (0.0, 0.0625, 0.125, 0.25)]
    signal = signal_of(np.zeros(RATE))
    closed = ScoreTempo(shortest=0.0625).terms(signal, notes)["tempo"]
    assert not closed.gate.any()
    opened = ScoreTempo(shortest=0.0624).terms(signal, notes)["tempo"]
    assert opened.gate.tolist() == [False, True, True, False]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_notes_have_no_tempo(n):
    notes = [Note(60, float(i)) for i in range(n)]
    signal = signal_of(np.zeros(RATE))
    terms = {**PitchEnergy().terms(signal, notes), **ScoreTempo().terms(signal, notes)}
    phi = BaseFunctions(list(terms.values()), list(terms), n, signal.n_frames).phi(
        np.arange(n, dtype=np.intp)
    )
    assert phi.shape == (10,)
    assert not phi.any()


def test_the_ten_are_base_functions():
    x = np.concatenate([np.zeros(3200), tone(60, 0.4), tone(64, 0.4) + tone(48, 0.4), tone(65, 1)])
    signal = signal_of(x)
    events = [Note(60, 0.0), (Note(48, 0.5), Note(64, 0.5)), Note(65, 1.0)]
    terms = {**PitchEnergy().terms(signal, events), **ScoreTempo().terms(signal, events)}
    functions = BaseFunctions(list(terms.values()), list(terms), 3, signal.n_frames)
    true = np.array([10, 30, 50])
    weights = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0, -1.0])
    score = functions.potentials(weights).score
    assert score(true) == pytest.approx(float(weights @ functions.phi(true)), rel=1e-5)
    assert score(true) > score(true + 5) > score(true + 15)


# Errors and states ------------------------------------------------------------------------------


@pytest.mark.parametrize("feature", [PitchEnergy(), ScoreTempo()])
@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([Note(60, 0.0), Note(64, 0.0)], "event 2 begins at 0 s .* group simultaneous"),
        ([Note(60, 1.0), Note(64, 0.5)], "event 2 begins at 0.5 s"),
        ([Note(60, 0.0), (Note(64, 1.0), Note(65, 2.0)), Note(60, 1.5)], "event 3 begins"),
        (["sil"], "event 1 is 'sil', must be a Note"),
        ([()], r"event 1 is \(\), must be"),
        ([(Note(60, 0.0), "x")], "must be a Note or a tuple"),
    ],
)
def test_wrong_events(feature, events, message):
    with pytest.raises(ParameterError, match=message):
        feature.terms(signal_of(np.zeros(3200)), events)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PitchEnergy(n_harmonics=0), "n_harmonics=0"),
        (lambda: PitchEnergy(reach=0), "reach=0"),
        (lambda: PitchEnergy(window=0), "window=0 s"),
        (lambda: ScoreTempo(shortest=-1), "shortest=-1"),
    ],
)
def test_wrong_parameters(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_states():
    energy = PitchEnergy(2, 3, 0.05, True)
    params, arrays = energy.get_state()
    assert PitchEnergy().set_state(params, arrays).__dict__ == energy.__dict__
    with pytest.raises(ModelError, match="state of feature 'pitch' is wrong"):
        PitchEnergy().set_state({**params, "reach": 0}, {})
    with pytest.raises(ModelError, match="state of feature 'pitch' is wrong"):
        PitchEnergy().set_state({}, {})
    tempo = ScoreTempo(shortest=0.1)
    assert ScoreTempo().set_state(*tempo.get_state()).shortest == 0.1
    with pytest.raises(ModelError, match="state of feature 'tempo' is wrong"):
        ScoreTempo().set_state({"shortest": "long"}, {})
