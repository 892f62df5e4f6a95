"""What is clipped, and what only has round tops."""

import numpy as np
import pytest

from align.features import Signal
from align.formats.scores import Score
from align.music.performances.performance import make_performance
from align.types import Note


@pytest.mark.parametrize(("height", "told"), [(1.0, False), (0.9, True)])
def test_a_pure_tone_is_not_called_clipped(height: float, told: bool) -> None:
    time = np.arange(22050) / 22050
    tone = np.clip(np.sin(2 * np.pi * 440 * time), -height, height) * (time % 0.5 < 0.3)
    score = Score.of([Note(69, 0.0), Note(69, 0.5)])
    performance = make_performance(Signal(tone.astype(np.float32), 22050, 0.01), score)
    assert any("is clipped" in text for text in performance.warnings) == told
