"""Speech that Festival made: its labels, and who learns from it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import align
from align.features.phones.articulatory import articulation

FOLDER = str(Path(__file__).parents[2] / "recipes" / "voxangeles")


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[None]:
    sys.path.insert(0, FOLDER)
    yield
    sys.path.remove(FOLDER)


def test_labels_are_in_the_ipa_and_as_late_as_they_sound() -> None:
    import made_speech

    segments = "#\n0.1 100 pau\n0.2 100 #\n0.3 100 t\n0.4 100 t\n0.5 100 a1\n0.6 100 pau\n"
    labels, onsets = made_speech.labelled(segments, made_speech.PHONES["it"], 0.01)
    assert labels == ["", "tː", "a", ""]
    assert onsets == [0.0, 0.21, 0.41, 0.51]


def test_every_phone_of_a_voice_is_known_to_a_model_of_any_language() -> None:
    """`articulation` raises where it is not."""
    import made_speech

    for phones in made_speech.PHONES.values():
        for label in phones.values():
            articulation(label)


def test_networks_alone_begin_with_made_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    import learning

    def fit(self: Any, examples: Any) -> Any:
        seen.extend((examples, [getattr(f, "_besides", None) for f in self.features]))
        self.elsewhere_ = {}
        return self

    seen: list[Any] = []
    monkeypatch.setattr(align.SpeechAligner, "fit", fit)
    monkeypatch.setattr(align.SpeechAligner, "_read_example", lambda self, example, name: example)
    made = align.Example("made.flac", ("sil", "a"), np.array([0.0, 0.1]))
    assert learning.learned(["real"], [made]).features == "universal"
    assert seen == [["real"], [[made], None, None]]
