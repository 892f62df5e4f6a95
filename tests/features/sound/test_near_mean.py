"""The mean of the sound nearest to each frame."""

import numpy as np

from align.features.sound.near_mean import without_near_mean

HOP = 0.01


def test_short_recordings_stay_as_they_are():
    x = np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32)
    assert without_near_mean(x, HOP) is x


def test_of_sound_alone_it_is_a_running_mean():
    x = np.random.default_rng(1).normal(size=(1500, 2)).astype(np.float32)
    found = without_near_mean(x, HOP)
    for t in (0, 149, 150, 700, 1499):
        first = min(max(t - 150, 0), len(x) - 300)
        np.testing.assert_allclose(found[t], x[t] - x[first : first + 300].mean(axis=0), atol=1e-5)


def test_long_pauses_do_not_count():
    """The voice, and how far below it the pause is, are the same however long the pause is."""
    rng = np.random.default_rng(2)
    voice = rng.normal(1.0, 0.1, size=(600, 2))
    short, long = (
        without_near_mean(
            np.concatenate((voice, np.full((n, 2), -4.0), voice)).astype(np.float32), HOP
        )
        for n in (300, 3000)
    )
    np.testing.assert_allclose(long[:600], short[:600], atol=1e-5)
    np.testing.assert_allclose(long[-600:], short[-600:], atol=1e-5)
    assert abs(float(long[:400].mean())) < 0.05
    assert long[700:-700].max() < -3.5
