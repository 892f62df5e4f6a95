"""Other surroundings: rooms, noise, microphones and lines leave times where they are."""

import numpy as np
import pytest
from scipy.signal import correlate

from align.errors import ParameterError
from align.features.sound import surroundings
from align.features.sound.surroundings import KINDS, elsewhere

RATE = 16000


def clicks(n: int = RATE) -> np.ndarray:
    """A recording of four short sounds."""
    samples = np.zeros(n, dtype=np.float32)
    rng = np.random.default_rng(1)
    for k in range(1, 5):
        samples[k * n // 5 :][:400] = 0.3 * rng.standard_normal(400)
    return samples


@pytest.mark.parametrize("seed", range(40))
def test_any_length_comes_back_finite_and_as_long(seed):
    rng = np.random.default_rng(seed)
    samples = (0.1 * rng.standard_normal(int(rng.integers(1, 9000)))).astype(np.float32)
    heard = elsewhere(samples, RATE, rng, [samples[::-1]], KINDS[seed % 2])
    assert heard.shape == samples.shape
    assert heard.dtype == np.float32
    assert np.isfinite(heard).all()


@pytest.mark.parametrize("rate", [8000, 16000, 22050])
def test_other_rates(rate):
    rng = np.random.default_rng(0)
    for _ in range(30):
        heard = elsewhere(clicks(rate), rate, rng, kind="room")
        assert heard.shape == (rate,)
        assert np.isfinite(heard).all()


def test_silence_stays_finite():
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert np.isfinite(elsewhere(np.zeros(4000, dtype=np.float32), RATE, rng)).all()


def test_the_same_seed_draws_the_same():
    one, other = (elsewhere(clicks(), RATE, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_what_is_drawn_differs():
    rng = np.random.default_rng(0)
    heard = [elsewhere(clicks(), RATE, rng).tobytes() for _ in range(20)]
    assert len(set(heard)) == 20


def test_sound_comes_straight_first_in_a_room():
    rng = np.random.default_rng(0)
    for _ in range(30):
        response = surroundings._room(RATE, rng)
        assert response[0] == 1.0
        nothing = int(0.0005 * RATE)  # the first reflection comes later than half a millisecond
        assert np.abs(response[1:nothing]).max() < 0.05


def test_a_tail_is_there_at_once():
    """One that grew would make all that is heard late."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        power = np.square(surroundings._room(RATE, rng)[1:].astype(float))
        smooth = np.convolve(power, np.ones(RATE // 100), mode="valid")
        assert smooth.argmax() < 0.025 * RATE


def test_a_room_decays():
    rng = np.random.default_rng(0)
    for _ in range(30):
        response = surroundings._room(RATE, rng)[1:].astype(float)
        third = len(response) // 3
        assert np.sum(response[-third:] ** 2) < 0.1 * np.sum(response[:third] ** 2)


def test_times_stay_in_every_link():
    """Sounds begin where they began: the correlation with the plain ones is greatest at 0."""
    rng = np.random.default_rng(3)
    plain = clicks().astype(float)
    links = [
        lambda x: surroundings._in_room(x, surroundings._room(RATE, rng)),
        lambda x: surroundings._filtered(x, RATE, surroundings._microphone(RATE, rng)),
        lambda x: surroundings._over_line(x, RATE, rng),
        lambda x: surroundings._coded(x, RATE, rng),
    ]
    for link in links:
        for _ in range(8):
            heard = link(plain)
            lags = correlate(heard, plain[2800:-3000], mode="valid", method="fft")
            assert abs(int(np.argmax(np.abs(lags))) - 2800) <= 2


def test_the_level_of_the_background():
    """A background is no louder than 2 dB above, and no softer than 25 dB below, the speech."""
    rng = np.random.default_rng(0)
    speech = 0.1 * rng.standard_normal(RATE)
    levels = []
    for _ in range(60):
        sound = surroundings._background(speech, RATE, rng, [speech.astype(np.float32)])
        levels.append(20 * np.log10(np.sqrt(np.mean(speech**2) / np.mean(sound**2))))
    assert min(levels) > -2.5
    assert max(levels) < 25.5
    assert np.ptp(levels) > 15


def test_a_filter_that_does_nothing():
    heard = surroundings._filtered(clicks(), RATE, np.zeros(129))
    np.testing.assert_allclose(heard, clicks(), atol=1e-6)


def test_a_telephone_has_no_bass():
    samples = np.sin(2 * np.pi * 60 * np.arange(RATE) / RATE)
    frequency = np.linspace(0, RATE / 2, 1025)
    cut = -np.clip(24 * np.log2(np.maximum(300.0, 1.0) / np.maximum(frequency, 1.0)), 0, 80)
    heard = surroundings._filtered(samples, RATE, cut)
    assert np.std(heard[2000:-2000]) < 0.01


def test_unknown_kinds():
    with pytest.raises(ParameterError, match="kind='sea', must be one of noise, room"):
        elsewhere(clicks(), RATE, np.random.default_rng(0), kind="sea")
