"""What is predicted from before is taken away, and nothing else."""

import numpy as np
import pytest

from align.features.sound import dereverberation
from align.features.sound.dereverberation import dereverberated

RATE = 16000


def speech_like(seconds: float = 3.0, seed: int = 0) -> np.ndarray:
    """Return bursts of noise, with pauses between them."""
    rng = np.random.default_rng(seed)
    n = round(seconds * RATE)
    burst = (np.arange(n) % 5600 < 2400) * (0.2 + rng.random(1 + n // 5600))[np.arange(n) // 5600]
    return (burst * rng.standard_normal(n) + 1e-3 * rng.standard_normal(n)).astype(np.float32)


def in_room(samples: np.ndarray, seconds: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(1)
    time = np.arange(round(seconds * RATE)) / RATE
    response = 0.05 * rng.standard_normal(len(time)) * 10.0 ** (-3.0 * time / seconds)
    response[0] = 1.0
    return np.convolve(samples, response)[: len(samples)].astype(np.float32)


def test_a_room_is_taken_from_the_pauses_and_not_from_the_sound() -> None:
    dry = speech_like()
    wet = in_room(dry)
    found = dereverberated(wet, RATE)
    pause = np.arange(len(dry)) % 5600 > 3600  # .075 s and more behind a burst
    before, after = (float(np.square(x[pause]).mean()) for x in (wet, found))
    assert after < 0.65 * before  # taps of .1 s, and a room of .5
    loud = np.arange(len(dry)) % 5600 < 400
    assert np.square(found - wet)[loud].mean() < 0.2 * np.square(wet[loud]).mean()


def test_sound_without_a_room_stays() -> None:
    noise = np.random.default_rng(0).standard_normal(3 * RATE).astype(np.float32)
    assert np.square(dereverberated(noise, RATE) - noise).mean() < 0.1


def test_predictors_are_those_of_weighted_least_squares() -> None:
    rng = np.random.default_rng(2)
    bands = rng.standard_normal((3, 60)) + 1j * rng.standard_normal((3, 60))
    bands = (bands * rng.random((3, 60)) ** 2).astype(np.complex64)
    found = dereverberation._unpredicted(bands, 5)
    for band, own in zip(bands.astype(np.complex128), found, strict=True):
        rows = np.zeros((60, dereverberation._TAPS), dtype=complex)
        for k in range(dereverberation._TAPS):
            by = dereverberation._DELAY + k
            rows[by:, k] = band[:-by]
        power = np.abs(band[5:]) ** 2
        weight = 1.0 / np.sqrt(np.maximum(power, dereverberation._SOFTEST * power.max()))
        best, *_ = np.linalg.lstsq(rows[5:] * weight[:, None], band[5:] * weight, rcond=None)
        np.testing.assert_allclose(own, band[5:] - rows[5:] @ best, atol=1e-4)


@pytest.mark.parametrize("n", [1, 100, 1023, 16000])
@pytest.mark.parametrize("rate", [8000, 16000, 44100])
def test_recordings_of_any_length_keep_it(n: int, rate: int) -> None:
    for samples in (speech_like(1.0)[:n], np.zeros(n, dtype=np.float32)):
        found = dereverberated(samples, rate)
        assert found.shape == samples.shape
        assert found.dtype == np.float32
        assert np.isfinite(found).all()


def test_loudness_does_not_matter() -> None:
    wet = in_room(speech_like())
    np.testing.assert_allclose(
        dereverberated(1e-3 * wet, RATE), 1e-3 * dereverberated(wet, RATE), atol=1e-6
    )


def test_a_long_recording_is_heard_in_blocks_without_seams(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the room stays, blocks find about what the whole does, at their edges, too."""
    wet = in_room(speech_like(8.0))
    whole = dereverberated(wet, RATE)
    monkeypatch.setattr(dereverberation, "_BLOCK", 4.0)
    blocks = dereverberated(wet, RATE)
    power = np.square(whole).mean()
    assert np.square(blocks - whole).mean() < 0.05 * power
    seam = slice(4 * RATE - 1600, 4 * RATE + 1600)
    assert np.square(blocks - whole)[seam].mean() < 0.05 * power
