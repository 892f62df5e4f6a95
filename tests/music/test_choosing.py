"""Which bundled model music is aligned with: by the score, then by how well it matches."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import align
from align.errors import ParameterError
from align.formats.scores import read_note_truth, read_score
from align.models.bundled import music_model
from align.models.loading import bundled_models
from align.music import choosing
from align.music.choosing import UsualModels, align_music
from align.music.performances.performance import read_signal
from align.types import Note


@dataclass(frozen=True)
class FakeAlignment:
    """Where it came from."""

    match: float | None
    of: str
    params: dict[str, Any]
    rate: int | None
    audio: str | None = None
    model: str = ""


class FakeAligner:
    """Matches every recording alike, and keeps what it was told."""

    rate = 22050

    def __init__(self, name: str, match: float | None, there: float | None) -> None:
        self.name, self.matches, self.there = name, match, there
        self.params: dict[str, Any] = {}

    def set_params(self, **params: Any) -> "FakeAligner":
        self.params = params
        return self

    def align(self, audio: Any, score: Any, *, rate: int | None = None) -> FakeAlignment:
        return FakeAlignment(self.matches, self.name, self.params, rate)

    def match(self, audio: Any, alignment: FakeAlignment) -> float | None:
        return self.there


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the score name instruments, and the two models match as told."""

    def set_up(
        named: tuple[str, list[str]], there: float | None = 1.0, **match: float | None
    ) -> None:
        monkeypatch.setattr(choosing, "music_model", lambda score: named)
        monkeypatch.setattr(choosing, "load", lambda name: FakeAligner(name, match[name], there))
        monkeypatch.setattr(choosing, "bundled_models", lambda: sorted(match))
        monkeypatch.setattr(choosing, "read_signal", lambda audio, **options: audio)

    return set_up


def test_a_score_that_names_instruments_decides(models: Callable[..., None]) -> None:
    models(("ensemble", ["violin", "viola", "cello", "bass"]), piano=0.9, ensemble=0.1)
    chosen = align_music("a.wav", "a.mid", rate=8000, transpose=2)
    assert (chosen.model, chosen.alignment.of) == ("ensemble", "ensemble")
    assert chosen.reason == "the score names violin, viola, cello and others"
    assert chosen.alignment.params == {"transpose": 2}
    assert chosen.alignment.rate == 8000
    models(("piano", ["harp"]), piano=0.1, ensemble=0.9)
    assert align_music("a.wav", "a.mid").model == "piano"
    models(("ensemble", ["violin"]), piano=0.9, ensemble=0.1)
    assert align_music("a.wav", [Note(69, 0.0)]).reason == "the score names no instrument"


@pytest.mark.parametrize(
    ("piano", "there", "ensemble", "taken"),
    [
        (0.36, 0.36, 0.9, "piano"),  # it finds no more where piano has put the notes
        (0.36, 0.37, 0.9, "ensemble"),
        (0.80, 0.81, 0.9, "ensemble"),
        (0.50, 0.51, 0.505, "piano"),  # hardly better
        (0.50, 0.51, 0.52, "ensemble"),
        (0.34, 0.37, 0.4, "ensemble"),
        (0.34, 0.37, 0.3, "piano"),
        (0.34, 0.37, None, "piano"),
        (0.34, None, 0.4, "piano"),
        (None, 0.9, 0.9, "piano"),
    ],
)
def test_else_the_recording_does_where_piano_is_in_doubt(
    models: Callable[..., None],
    piano: float | None,
    there: float | None,
    ensemble: float | None,
    taken: str,
) -> None:
    models(("piano", []), there, piano=piano, ensemble=ensemble)
    chosen = align_music("a.wav", "a.mid", rate=8000, transpose=1)
    assert chosen.model == chosen.alignment.of == chosen.alignment.model == taken
    assert (f"match {piano}" in f"{chosen.reason}0") == (taken == "ensemble")
    assert chosen.alignment.params == {"transpose": 1}
    assert chosen.alignment.audio == "a.wav"


def test_without_the_other_model_it_is_piano(models: Callable[..., None]) -> None:
    models(("piano", []), piano=0.1)
    assert align_music("a.wav", "a.mid").model == "piano"


def test_what_one_copy_is_told_the_others_are_not(models: Callable[..., None]) -> None:
    models(("piano", []), piano=0.9, ensemble=0.6)
    usual = UsualModels()
    told = copy.copy(usual).set_params(repeats="none")
    assert told.choose("a.wav", "a.mid").alignment.params == {"repeats": "none"}
    assert usual.choose("a.wav", "a.mid").alignment.params == {}


@pytest.mark.parametrize(
    ("name", "model"),
    [("Violin", "ensemble"), ("Guitar", "piano"), ("Piano", "piano"), ("Soprano", "piano")],
)
def test_bundled_models_by_instruments(tmp_path: Path, name: str, model: str) -> None:
    path = tmp_path / "a.musicxml"
    path.write_text(
        f"<part-list><score-part><part-name>{name}</part-name></score-part></part-list>",
        encoding="utf-8",
    )
    assert model in bundled_models()
    assert music_model(path) == (model, [] if name == "Soprano" else [name])


def test_one_sustained_instrument_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "a.musicxml"
    parts = "".join(
        f"<score-part><part-name>{name}</part-name></score-part>" for name in ("Piano", "Flute")
    )
    path.write_text(f"<part-list>{parts}</part-list>", encoding="utf-8")
    assert music_model(path) == ("ensemble", ["Flute"])


def test_a_piano_is_aligned_as_by_the_model_of_pianos() -> None:
    piece = files("align.data") / "minuet"
    audio, score = str(piece / "audio.flac"), str(piece / "score.mid")
    chosen = align_music(audio, score)
    assert chosen.model == "piano"
    np.testing.assert_array_equal(
        chosen.alignment.onsets, align.load("piano").align(audio, score).onsets
    )


def test_a_model_finds_its_own_notes_where_it_has_put_them() -> None:
    piece = files("align.data") / "minuet"
    audio, score = str(piece / "audio.flac"), str(piece / "score.mid")
    signal = read_signal(audio, highest_rate=22050)
    piano, ensemble = align.load("piano"), align.load("ensemble")
    found = piano.align(audio, score)
    assert piano.match(signal, found) == pytest.approx(found.match, abs=0.01)
    assert piano.match(audio, found) == piano.match(signal, found)
    of_other = ensemble.align(audio, score).match
    assert ensemble.match(signal, found) == pytest.approx(of_other, abs=0.01)
    late = replace(found, onsets=np.minimum(found.onsets + 0.2, found.duration), chord_onsets=None)
    assert piano.match(signal, late) < 0.5 * found.match
    # what the recording does not hold does not count
    half = np.arange(len(found)) < 50
    absent = replace(late, confidence=np.zeros(len(found)))
    assert piano.match(signal, absent) is None
    mixed = replace(
        found,
        onsets=np.where(half, found.onsets, late.onsets),
        chord_onsets=None,
        confidence=half.astype(float),
    )
    assert piano.match(signal, mixed) > 0.9 * found.match
    with pytest.raises(ParameterError, match="not fitted"):
        align.MusicAligner().match(audio, found)


def test_both_bundled_models_know_wrong_scores_and_find_the_minuet() -> None:
    piece = files("align.data") / "minuet"
    score = read_score(str(piece / "score.mid"))
    true = read_note_truth(str(piece / "truth.csv"), score).onsets(len(score))
    for name in ("piano", "ensemble"):
        model = align.load(name)
        assert model.match_range_ is not None
        found = model.align(str(piece / "audio.flac"), score)
        late = np.abs(found.onsets - true)[np.isfinite(true)]
        assert np.median(late) < 0.01, name
        assert found.match is not None
        assert found.match > model.match_range_[1]
