"""Sung melodies of recipes/mismatch, whose scores stand in another key."""

from pathlib import Path

import numpy as np
import pytest

MISMATCH = Path(__file__).parents[2] / "recipes" / "mismatch"


def test_a_far_key_is_found_where_half_of_the_notes_seem_to_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(MISMATCH)
    import melodies

    pitches, onsets, times, samples = melodies.melody(np.random.default_rng(202))
    found = melodies.aligned(samples, pitches - 3, onsets)
    assert found.transposition == 3
    assert np.mean(np.abs(found.onsets - times) <= 0.05) > 0.9
