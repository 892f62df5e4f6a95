"""Energies at pitches: quarter-tone bands, semitone bands, levels, tuning."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.features.sound.pitch import (
    LONG_WINDOWS,
    LOWEST_BAND,
    N_BANDS,
    SHORT_WINDOWS,
    _fast_length,
    band_energies,
    log_level,
    pitch_frequency,
    semitone_bands,
)
from align.features.sound.spectra import power_spectrum
from align.features.sound.tuning import estimate_drift, estimate_tuning

RATE = 16000


def tone(pitch, seconds=1.0, rate=RATE, amplitude=0.5):
    time_axis = np.arange(round(seconds * rate)) / rate
    frequency = 440 * 2 ** ((pitch - 69) / 12)
    return (amplitude * np.sin(2 * np.pi * frequency * time_axis)).astype(np.float32)


# Frequencies and quarter-tone bands -------------------------------------------------------------


def test_golden_frequency_and_band():
    """Y15 of the specification: A4 is 69, and 60 is middle C."""
    assert pitch_frequency(69) == 440.0
    assert float(pitch_frequency(60)) == pytest.approx(261.62556530, abs=1e-8)
    edges = pitch_frequency(60) * 2.0 ** (np.array([-0.5, 0.5]) / 12)
    np.testing.assert_allclose(edges, [254.17759331, 269.29177953], atol=1e-8)
    assert pitch_frequency(60, tuning=9.0) == pytest.approx(440.0)
    assert pitch_frequency(69, reference=415.0) == 415.0


@pytest.mark.parametrize("pitch", [21, 40, 60, 83, 100])
def test_band_energies_are_sums_of_the_bins_in_the_band(pitch):
    rng = np.random.default_rng(pitch)
    x = rng.normal(size=4000)
    n_fft = 4096
    energy = band_energies(x, RATE, 0.02, pitches=[pitch], window=0.1, n_fft=n_fft)
    spectrum = power_spectrum(x, RATE, 0.02, window=0.1, n_fft=n_fft).astype(np.float64)
    frequencies = np.arange(n_fft // 2 + 1) * RATE / n_fft
    f0 = 440 * 2 ** ((pitch - 69) / 12)
    assert energy.shape == (1, 3, len(spectrum))
    for h in (1, 2, 3):
        inside = np.abs(12 * np.log2(np.maximum(frequencies, 1e-9) / (h * f0))) <= 0.5
        if not inside.any():  # narrower than a bin
            inside[np.argmin(np.abs(frequencies - h * f0))] = True
        expected = spectrum[:, inside].sum(axis=1) * (h * f0 <= RATE / 2)
        np.testing.assert_allclose(energy[0, h - 1], expected, rtol=1e-4)


def test_bands_above_half_the_rate_are_silent():
    energy = band_energies(np.ones(800), 8000, pitches=[100], n_harmonics=3)
    assert (energy[0, 1:] == 0).all()  # 5274 Hz and above, of 4000


def test_a_tone_is_in_the_band_of_its_pitch_and_of_its_octave_below():
    energy = band_energies(tone(72), RATE, pitches=range(55, 80))
    middle = energy[:, :, 25]
    assert middle[:, 0].argmax() == 72 - 55
    assert middle[:, 1].argmax() == 60 - 55  # whose second harmonic it is


def test_wrong_arguments_of_band_energies():
    with pytest.raises(ParameterError, match="n_harmonics=0"):
        band_energies(np.ones(800), RATE, pitches=[60], n_harmonics=0)
    with pytest.raises(ParameterError, match="window=-1"):
        band_energies(np.ones(800), RATE, pitches=[60], window=-1)


# Semitone bands ---------------------------------------------------------------------------------


def naive_bands(x, rate, hop, windows, tuning):
    """One frame and one band at a time, in float64."""
    step = round(hop * rate)
    n_frames = -(-len(x) // step)
    out = np.zeros((n_frames, N_BANDS))
    for band in range(N_BANDS):
        pitch = LOWEST_BAND + band
        length = round(next(w for end, w in windows if pitch < end) * rate)
        hann = np.sin(np.pi * np.arange(1, length + 1) / (length + 1)) ** 2
        size = _fast_length(length)
        f = np.arange(size // 2 + 1) * rate / size
        f0 = 440 * 2 ** ((pitch + tuning - 69) / 12)
        if f0 > 0.995 * rate / 2:
            continue
        width = max(0.7 * (2 ** (1 / 24) - 1) * f0, 0.5 * rate / length)
        weight = np.exp(-0.5 * ((f - f0) / width) ** 2)
        weight = np.where(weight < 1e-3, 0, weight)
        weight /= weight.sum()
        padded = np.concatenate([np.zeros(length), x, np.zeros(2 * length)])
        for t in range(n_frames):
            begin = length + t * step - length // 2
            power = np.abs(np.fft.rfft(padded[begin : begin + length] * hann / hann.sum(), size))
            out[t, band] = power**2 @ weight
    return out


@pytest.mark.parametrize("windows", [LONG_WINDOWS, SHORT_WINDOWS])
@pytest.mark.parametrize("tuning", [0.0, -0.3])
def test_semitone_bands_equal_their_definition(windows, tuning):
    x = np.random.default_rng(0).normal(size=700)
    fast = semitone_bands(x, 4000, 0.02, windows=windows, tuning=tuning)
    slow = naive_bands(x, 4000, 0.02, windows, tuning)
    np.testing.assert_allclose(fast, slow, rtol=2e-4, atol=1e-9)


@pytest.mark.parametrize("pitch", [30, 45, 60, 75, 90, 110])
def test_each_pitch_is_loudest_in_its_own_band(pitch):
    bands = semitone_bands(tone(pitch), RATE)
    assert LOWEST_BAND + bands[50].argmax() == pitch


def test_neighbours_are_told_apart_where_windows_are_long():
    bands = semitone_bands(tone(40), RATE)[50]
    assert bands[40 - LOWEST_BAND] > 3 * bands[42 - LOWEST_BAND]


@pytest.mark.parametrize("vibrato", [0.2, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("tuning", [0.0, 0.3])
def test_vibrato_does_not_hide_the_tuning(vibrato, tuning):
    t = np.arange(8 * RATE) / RATE
    pitch = np.repeat([60, 64, 67, 62], 2 * RATE) + vibrato * np.sin(2 * np.pi * 5.5 * t) + tuning
    phase = np.cumsum(440 * 2 ** ((pitch - 69) / 12)) / RATE
    x = sum(np.sin(2 * np.pi * h * phase) / h for h in range(1, 10))
    assert estimate_tuning(x, RATE) == pytest.approx(tuning, abs=0.05)


def test_rows_are_centred_on_the_time_of_an_onset():
    """A click at the time of row 50 is seen alike by the rows before and after."""
    x = np.zeros(RATE, dtype=np.float32)
    x[8000] = 1.0  # hop 160
    bands = semitone_bands(x, RATE, 0.01)
    assert (bands.argmax(axis=0) == 50).all()
    np.testing.assert_allclose(bands[49, 60:90], bands[51, 60:90], rtol=0.02)
    assert not bands[60:, 60:].any()


def test_tuning_moves_the_bands():
    x = tone(60.4)
    np.testing.assert_allclose(semitone_bands(x, RATE, tuning=0.4)[50].argmax(), 60 - LOWEST_BAND)
    high = semitone_bands(x, RATE, tuning=0.4)[50, 39]
    assert high > 1.2 * semitone_bands(x, RATE)[50, 39]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": np.zeros((2, 3))}, "samples.shape"),
        ({"samples": np.zeros(0)}, "samples.shape"),
        ({"hop": 1e-6}, "hop=1e-06 s"),
        ({"windows": ((60, 0.1),)}, "must rise in pitch and reach 120"),
        ({"windows": ((60, 0.1), (50, 0.1), (120, 0.1))}, "must rise in pitch"),
        ({"windows": ((120, 1e-5),)}, "two samples or more"),
    ],
)
def test_wrong_arguments_of_semitone_bands(change, message):
    arguments = {"samples": np.ones(100), "rate": RATE, **change}
    with pytest.raises(ParameterError, match=message):
        semitone_bands(**arguments)


@given(st.integers(2, 20000))
def test_fast_lengths_have_small_factors(n):
    size = _fast_length(n)
    assert n <= size <= 1.12 * n + 1
    for prime in (2, 3, 5):
        while size % prime == 0:
            size //= prime
    assert size == 1


# Levels -----------------------------------------------------------------------------------------


def test_levels_survive_digital_silence():
    silence = log_level(semitone_bands(np.zeros(8000), RATE))
    assert (silence == 0).all()
    x = np.concatenate([np.zeros(RATE), tone(60), np.zeros(RATE)])
    level = log_level(semitone_bands(x, RATE))
    assert np.isfinite(level).all()
    assert level[:90].max() == 0.0
    assert 13 < level[150, 60 - LOWEST_BAND] < 14.5


def test_levels_do_not_depend_on_gain_and_hide_faint_noise():
    rng = np.random.default_rng(0)
    x = tone(60) + 1e-5 * rng.normal(size=RATE).astype(np.float32)
    level = log_level(semitone_bands(x, RATE))
    np.testing.assert_allclose(log_level(semitone_bands(0.01 * x, RATE)), level, atol=0.02)
    assert np.median(level[:, 90 - LOWEST_BAND]) < 1.0


def test_a_short_sound_in_a_long_silence_is_not_beyond_measure():
    x = np.concatenate([np.zeros(60 * 400), tone(60, 0.1, rate=400 * 10)])
    assert log_level(semitone_bands(x, 4000)).max() < 24


# Tuning -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tuning", [-0.45, -0.2, 0.0, 0.1, 0.4])
def test_tuning_is_found(tuning):
    x = np.concatenate([tone(p + tuning, 0.5) for p in (57, 60, 64, 69, 72)])
    assert estimate_tuning(x, RATE) == pytest.approx(tuning, abs=0.02)


@pytest.mark.parametrize("x", [np.zeros(RATE), np.zeros(10), np.ones(RATE), tone(30, 2.0)[:3000]])
def test_nothing_to_tell_the_tuning_by(x):
    assert estimate_tuning(x, RATE) == 0.0


def test_drift_is_followed_through_silence_and_bands_with_it():
    frequency = 440 * 2 ** (np.linspace(0.1, 0.7, 20 * RATE) / 12)
    x = np.sin(2 * np.pi * np.cumsum(frequency) / RATE)
    x[8 * RATE : 12 * RATE] = 0.0
    times = np.array([2.0, 10.0, 18.0])
    drift = estimate_drift(x, RATE, times)
    np.testing.assert_allclose(drift, [0.16, 0.4, 0.64], atol=0.06)
    every = estimate_drift(x, RATE, np.arange(2000) * 0.01)
    bands = semitone_bands(x, RATE, tuning=every)[[200, 700, 1800]]
    assert set(bands.argmax(axis=1)) == {69 - LOWEST_BAND}
    assert bands.max(axis=1).min() > 0.98 * bands.max()


def test_no_drift_in_steps_of_a_scale():
    x = np.concatenate([tone(p + 0.1, 0.5) for p in range(57, 81)])
    assert estimate_drift(x, RATE, np.zeros(1)) is None
    assert estimate_drift(x[: 8 * RATE], RATE, np.zeros(1)) is None


def test_tuning_of_a_low_rate():
    assert estimate_tuning(np.random.default_rng(0).normal(size=900), 300) == 0.0


def test_bands_are_fast():
    x = np.random.default_rng(0).normal(size=20 * RATE).astype(np.float32)
    semitone_bands(x[:RATE], RATE)
    spent = []
    for _ in range(3):
        before = time.process_time()
        log_level(semitone_bands(x, RATE))
        log_level(semitone_bands(x, RATE, windows=SHORT_WINDOWS))
        spent.append(time.process_time() - before)
    assert min(spent) / 20 < 0.02  # about 0.005 on a free core
