"""Speech that Festival made: its labels, and who learns from it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
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


@pytest.mark.parametrize(("found", "kept"), [(0.35, [0.0, 0.35, 0.5]), (0.499, None)])
def test_times_beside_pauses_are_those_that_a_model_finds(found: float, kept: Any) -> None:
    import learning

    onsets = np.array([0.0, 0.3, 0.5])
    example = align.Example("made.flac", ("sil", "a", "t"), onsets)
    model: Any = SimpleNamespace(
        align=lambda audio, events: SimpleNamespace(onsets=[0.0, found, 0.6])
    )
    out = learning.beside_pauses([example], model)
    assert [list(one.onsets) for one in out] == ([kept] if kept else [])


def test_networks_and_lengths_alone_learn_from_made_recordings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import learning

    real, made = object(), object()
    seen: list[list[object]] = []
    for own in (learning.ArticulatoryConfidence, learning.ArticulatoryDuration):
        monkeypatch.setattr(own, "fit", lambda self, examples: seen.append(list(examples)))
    for own in (learning._Networks, learning._Lengths):
        feature = own()
        feature.made = [made]
        feature.fit([real])
    assert seen == [[real, made], [real, made]]
