"""The music aligner, learned from rendered tones: fit, align, save, load, and wrong input."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from music_examples import RATE, sound, write_piece

import align
import align.music.performances.performance
from align.corpus.reading import Corpus
from align.errors import DataError, ModelError, ParameterError
from align.features import NoteNetwork
from align.files.model_file import read_model, write_model
from align.formats.scores import read_score
from align.learners.structured.costs import FunctionCost
from align.music import finding, result
from align.music.aligner import MusicAligner
from align.music.checking import parts
from align.music.checking.parts import PlayedPart
from align.music.checking.passages import Passage, Passages
from align.music.functions.own import OwnFeature
from align.music.learned import Learned
from align.music.performances.performance import Performance, read_performance
from align.music.performances.pieces import read_piece
from align.music.placing.decoding import find_chords
from align.music.placing.placement import PlacedNotes, match_of, place_notes
from align.sequence.adapt import adapt
from align.sequence.evidence import EvidenceModel
from align.types import Example, Note


def tiny() -> NoteNetwork:
    return NoteNetwork(width=12, dilations=(1, 2), steps=150, batch=8)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("pieces")
    for seed in range(3):
        write_piece(folder / f"piece{seed}", seed, left_out=(4, 9, 18))
    return align.read_corpus(folder, kind="music")


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> MusicAligner:
    return MusicAligner(network=tiny(), n_folds=2, epochs=4).fit(corpus)


@pytest.fixture(scope="module")
def thesis(corpus: Corpus) -> MusicAligner:
    return MusicAligner("thesis", cost="absolute", C=1.0, epochs=4).fit(corpus)


@pytest.fixture(scope="module")
def unseen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, np.ndarray]:
    """A piece no model was trained on, with its notes' true times; NaN for one left out."""
    folder = write_piece(tmp_path_factory.mktemp("unseen") / "piece", 7, left_out=(14,))
    [example] = align.read_corpus(folder.parent, kind="music")
    return folder / "audio.wav", folder / "score.mid", example.onsets


def errors(found: align.MusicAlignment, true: np.ndarray) -> np.ndarray:
    played = np.isfinite(true)
    return np.abs(found.onsets - true)[played]


# Learning and aligning -----------------------------------------------------------------------


def test_notes_of_an_unseen_piece_are_found(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    audio, score, true = unseen
    found = model.align(audio, score)
    assert np.median(errors(found, true)) < 0.010
    assert errors(found, true).max() < 0.050
    assert found.confidence is not None
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    assert found.match is not None
    assert found.match > 0.4
    assert found.warnings == ()
    assert (np.diff(found.chord_onsets) > 0).all()
    assert found.note_ids == read_score(score).ids


def test_what_was_learned_is_described(model: MusicAligner, corpus: Corpus) -> None:
    assert model.base_functions_ == ["notes", "rise", "level", "coarse", "duration"]
    weights = dict(zip(model.base_functions_, model.coef_, strict=True))
    assert weights["notes"] > 0
    assert model.coef_.min() >= 0  # more is better, of each of them
    assert model.learner_.conversion == "best"
    assert model.learner_ is not None
    assert model.learner_.n_rounds_ == 3 * 4
    played = sum(int(np.isfinite(example.onsets).sum()) for example in corpus)
    assert model.training_["notes"] == played
    assert model.problems_ == []
    assert abs(model.offset_) < 0.02


def test_training_repeats_itself(corpus: Corpus) -> None:
    settings = {"network": NoteNetwork(width=4, dilations=(1,), steps=5, batch=4), "epochs": 2}
    last = {}
    one = MusicAligner(n_folds=2, **settings).fit(
        corpus, progress=lambda stage, done, total: last.update({stage: (done, total)})
    )
    n = len(corpus)
    for stage in ("calibrating", "spoiling scores", "trying other scores"):
        assert last[stage] == (n, n)  # minutes of real pieces
    other = MusicAligner(n_folds=2, n_jobs=2, **settings).fit(corpus)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.confidence_.weights, other.confidence_.weights)
    assert one.unplayed_ is not None
    assert other.unplayed_ is not None
    np.testing.assert_array_equal(one.unplayed_.weights, other.unplayed_.weights)
    assert one.match_range_ == other.match_range_


def test_a_match_needs_no_notes_placed(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    performance = read_performance(unseen[0], read_score(unseen[1]))
    found = find_chords(performance, model.functions_, model._weights)
    placed = place_notes(performance, model.functions_, found)
    assert match_of(performance, model.functions_, found) == placed.match


def test_scores_of_all_kinds_give_the_same(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    audio, score, _ = unseen
    whole = read_score(score)
    samples, rate = soundfile.read(audio, dtype="float32")
    expected = model.align(audio, score)
    np.testing.assert_array_equal(model.align(audio, whole).onsets, expected.onsets)
    shuffled = [whole.notes[k] for k in np.random.default_rng(0).permutation(len(whole))]
    found = model.align(samples, shuffled, rate=rate)
    assert found.events == expected.events
    assert np.abs(found.onsets - expected.onsets).max() < 0.03  # durations are guessed


def test_silence_and_noise_around_the_music_do_not_matter(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    audio, score, true = unseen
    samples, rate = soundfile.read(audio, dtype="float32")
    rng = np.random.default_rng(0)
    applause = 0.01 * rng.normal(size=3 * rate) * np.hanning(3 * rate)
    longer = np.concatenate([np.zeros(2 * rate), samples, applause]).astype(np.float32)
    found = model.align(longer, score, rate=rate)
    assert errors(found, true + 2.0).max() < 0.060


def test_extra_and_wrong_notes_do_not_drag_their_neighbours() -> None:
    model = align.load("piano")
    rng = np.random.default_rng(3)
    pitches = rng.integers(55, 75, 20)
    notes = [Note(int(p), 0.4 * k) for k, p in enumerate(pitches)]
    played = [(0.5 + 0.48 * k, int(p)) for k, p in enumerate(pitches)]
    times = np.array([t for t, _ in played])
    played[8] = (times[8], int(pitches[8]) + 1)  # a wrong note
    played.append((times[12] + 0.2, 80))  # one too many
    found = model.align(sound(played, 11.5), notes, rate=RATE)
    others = np.arange(20) != 8
    assert np.abs(found.onsets - times)[others].max() < 0.040


def test_the_score_of_another_piece_is_told(model: MusicAligner, corpus: Corpus) -> None:
    right = [model.align(e.audio, e.score) for e in corpus]
    wrong = [model.align(e.audio, o.score) for e, o in zip(corpus, [*corpus][1:], strict=False)]
    assert model.match_range_ is not None
    low, high = model.match_range_
    assert min(a.match for a in right) > 0.5 * (low + high) > max(a.match for a in wrong)
    assert "does not seem to be of this score" in wrong[0].warnings[0]
    assert wrong[0].confidence.mean() < 0.5 < right[0].confidence.mean()
    noise = np.random.default_rng(0).normal(0.0, 1e-4, 4 * RATE)
    nothing = model.align(noise, corpus[0].score, rate=RATE)
    assert nothing.warnings[0].startswith("nothing but steady noise is heard in this recording")


def test_one_bad_piece_stops_neither_training_nor_evaluation(
    model: MusicAligner, corpus: Corpus, tmp_path: Path
) -> None:
    missing = Example(tmp_path / "none.wav", corpus[0].events, corpus[0].onsets, name="none")
    unplayed = Example(corpus[0].audio, corpus[0].events, None, name="unplayed")
    report = model.evaluate([corpus[1], missing, unplayed])
    assert report.kind == "music"
    assert report.files == 1
    assert [name for name, _ in report.failed] == ["none", "unplayed"]
    assert report.overall.median_abs_ms < 10
    network = NoteNetwork(width=4, dilations=(1,), steps=3, batch=4)
    trained = MusicAligner(network=network, n_folds=2, epochs=1).fit([*corpus, missing, unplayed])
    assert [name for name, _ in trained.problems_] == ["none", "unplayed"]
    assert trained.training_["recordings"] == 3


# The thesis's set ----------------------------------------------------------------------------


def test_the_ten_functions_of_the_thesis(
    thesis: MusicAligner, unseen: tuple[Path, Path, np.ndarray], tmp_path: Path
) -> None:
    audio, score, true = unseen
    assert len(thesis.base_functions_) == 10
    assert thesis.functions_.hop == 0.020
    found = thesis.align(audio, score)
    assert np.median(errors(found, true)) < 0.060
    assert found.match is None
    thesis.save(tmp_path / "thesis.align")
    again = align.load(tmp_path / "thesis.align").align(audio, score)
    np.testing.assert_array_equal(again.onsets, found.onsets)
    np.testing.assert_array_equal(again.confidence, found.confidence)


def test_psi_10_may_join_the_default_set(corpus: Corpus) -> None:
    names = ("tempo", "duration", "notes")
    network = NoteNetwork(width=4, dilations=(1,), steps=5, batch=4)
    model = MusicAligner(names, network=network, n_folds=2, epochs=1).fit(corpus)
    assert model.base_functions_ == ["notes", "duration", "tempo"]
    assert model.evaluate(corpus[:1]).files == 1


# Features of a user's own --------------------------------------------------------------------


@align.features.onset_feature
def louder(signal, event):  # type: ignore[no-untyped-def]
    level = signal.log_energy
    return np.diff(level, prepend=level[:1])


@align.features.segment_feature
def low_and_loud(signal, event):  # type: ignore[no-untyped-def]
    return signal.log_energy * (event.pitch < 55)


@align.features.duration_feature
def not_short(event, seconds):  # type: ignore[no-untyped-def]
    return -np.exp(-5 * seconds)


@align.features.ratio_feature
def steady(event, following):  # type: ignore[no-untyped-def]
    return 0.0 if following is None else following.onset - event.onset


OWN = [louder, low_and_loud, not_short, steady]
LEARNED = Learned(0.0, EvidenceModel(np.zeros(3)), match_range=(0.2, 0.5))


def test_features_of_ones_own_join_the_default_set(
    corpus: Corpus, unseen: tuple[Path, Path, np.ndarray], tmp_path: Path
) -> None:
    network = NoteNetwork(width=8, dilations=(1, 2), steps=60, batch=8)
    model = MusicAligner(["default", *OWN], network=network, n_folds=2, epochs=2).fit(corpus)
    own = ["louder", "low_and_loud", "not_short", "steady"]
    assert set(model.base_functions_) == {"notes", "rise", "level", "coarse", "duration", *own}
    weights = dict(zip(model.base_functions_, model.coef_, strict=True))
    assert weights["louder"] > 0
    audio, score, true = unseen
    found = model.align(audio, score)
    assert np.median(errors(found, true)) < 0.015
    model.save(tmp_path / "own.align")
    assert align.load(tmp_path / "own.align", features=OWN).align(audio, score) == found
    with pytest.raises(ModelError, match=r"feature objects called \['louder', .*'steady'\]"):
        align.load(tmp_path / "own.align")


@pytest.mark.parametrize("features", [[louder, steady], ["thesis", louder]])
def test_features_of_ones_own_alone_or_beside_the_thesis(
    corpus: Corpus, unseen: tuple[Path, Path, np.ndarray], features: list[object]
) -> None:
    model = MusicAligner(features, epochs=3, C=1.0).fit(corpus)
    assert model.functions_.hop == (0.010 if features[0] is louder else 0.020)
    audio, score, true = unseen
    assert np.median(errors(model.align(audio, score), true)) < 0.080


def test_notes_are_asked_for_in_stretches_where_there_are_many(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    whole = OwnFeature(louder, 0.010)
    piece = read_piece(corpus[0], "piece", 1.0, 22050)
    n, signal = len(piece.performance.chords), piece.signal
    windows = np.stack([np.arange(n), np.full(n, signal.n_frames)], axis=1)
    real = louder.terms

    def terms(signal, events):  # type: ignore[no-untyped-def]
        asked.append(len(events))
        return real(signal, events)

    monkeypatch.setattr(louder, "terms", terms)
    once, _ = whole.onset_terms(piece.performance, signal, windows)
    monkeypatch.setattr("align.music.functions.own._CELLS", 5 * signal.n_frames)
    often, _ = whole.onset_terms(piece.performance, signal, windows)
    assert asked[0] == sum(asked[1:]) == len(piece.performance.notes)
    assert max(asked[1:]) <= 5
    np.testing.assert_array_equal(once["louder"].table, often["louder"].table)


@pytest.mark.parametrize("kind", ["onset", "segment", "duration"])
def test_chords_score_what_their_notes_do(corpus: Corpus, kind: str) -> None:
    """Whatever the timing, up to what all timings have in common."""
    feature = {"onset": louder, "segment": low_and_loud, "duration": not_short}[kind]
    performance = read_piece(corpus[0], "piece", 1.0, 22050).performance
    signal, group = performance.signal, performance.chords.group
    n, n_frames = len(performance.chords), performance.signal.n_frames
    windows = np.stack([np.arange(n), n_frames - np.arange(n)[::-1]], axis=1)
    terms, _ = OwnFeature(feature, 0.010).onset_terms(performance, signal, windows)
    [term] = terms.values()
    rng = np.random.default_rng(0)
    values = []
    for _ in range(5):
        onsets = np.sort(rng.choice(n_frames - 1, n, replace=False))
        onsets = np.clip(onsets, windows[:, 0], windows[:, 1] - 1)
        ends = np.append(onsets[1:], n_frames)
        expected = 0.0
        for note, g in zip(performance.notes.notes, group, strict=True):
            share = 1 / np.sqrt((group == g).sum())
            if kind == "onset":
                expected += share * louder(signal, note)[onsets[g]]
            elif kind == "segment":
                expected += share * low_and_loud(signal, note)[onsets[g] : ends[g]].sum()
            elif g < n - 1:
                expected += share * not_short(note, signal.hop * (ends[g] - onsets[g]))
        values.append(term.value(onsets, n_frames) - expected)
    np.testing.assert_allclose(values, values[0], atol=1e-3)


def test_what_is_no_feature_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ParameterError, match="must hold names and Feature objects"):
        MusicAligner(["default", 3]).fit(corpus)
    with pytest.raises(ParameterError, match="must have different names"):
        MusicAligner([louder, louder]).fit(corpus)
    with pytest.raises(ParameterError, match="must be a list of features"):
        MusicAligner(louder).fit(corpus)


def test_a_feature_that_is_wrong_for_one_piece_leaves_none_out(corpus: Corpus) -> None:
    first = corpus[0].name

    @align.features.onset_feature
    def sometimes(signal, note):  # type: ignore[no-untyped-def]
        return np.full(signal.n_frames, np.nan if signal.name == first else 0.0)

    with pytest.raises(ParameterError, match="feature 'sometimes' is not finite"):
        MusicAligner(["thesis", sometimes], calibrate=False).fit(corpus)


# Adapting ------------------------------------------------------------------------------------


def test_a_model_is_adapted_to_pieces(
    model: MusicAligner, corpus: Corpus, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    late = [replace(e, onsets=e.onsets + 0.012, truth=None, score=None) for e in corpus]
    adapted = adapt(model, late, steps=20, n_folds=3)
    assert adapted.training_["adapted"]["recordings"] == 3
    assert model.offset_ - 0.012 < adapted.offset_ < model.offset_
    audio, score, true = unseen
    assert np.median(errors(adapted.align(audio, score), true + 0.012)) < 0.012
    before, after = (m.features_[0].network.network_.weights[0] for m in (model, adapted))
    assert np.abs(before - after).max() < 0.1


def test_networks_of_music_adapt_for_long_and_at_the_rate_of_training(
    model: MusicAligner, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def note(self: NoteNetwork, examples: object, *, steps: int, learning_rate: float) -> object:
        asked.append((steps, learning_rate))
        return self

    monkeypatch.setattr(NoteNetwork, "adapt", note)
    adapt(model, corpus, n_folds=3)
    assert asked == [(300, 3e-3)] * 4  # of all pieces but one, and of all


# Model files ---------------------------------------------------------------------------------


def test_a_model_survives_its_file(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], tmp_path: Path
) -> None:
    audio, score, _ = unseen
    model.save(tmp_path / "m.align", licence="test tones, public domain")
    again = align.load(tmp_path / "m.align")
    assert isinstance(again, MusicAligner)
    assert again.licence_ == "test tones, public domain"
    assert again.training_ == model.training_
    assert again.match_range_ == model.match_range_
    expected, found = model.align(audio, score), again.align(audio, score)
    assert expected == found
    again.save(tmp_path / "n.align")
    assert (tmp_path / "n.align").read_bytes() == (tmp_path / "m.align").read_bytes()


def test_a_model_of_an_earlier_version_knows_no_mismatches(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], tmp_path: Path
) -> None:
    assert model.unplayed_ is not None
    audio, score, _ = unseen
    expected = model.align(audio, score)
    assert expected.unplayed is not None
    model.save(tmp_path / "m.align")
    kind, header, arrays = read_model(tmp_path / "m.align")
    del arrays["unplayed"]
    write_model(tmp_path / "old.align", kind, header, arrays)
    found = align.load(tmp_path / "old.align").align(audio, score)
    assert (found.unplayed, found.mismatches) == (None, ())
    np.testing.assert_array_equal(found.onsets, expected.onsets)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: a.pop("network.weight00"), "damaged"),
        (lambda h, a: h.pop("offset"), "incomplete or damaged"),
        (lambda h, a: h.update(network=None), "damaged"),
        (lambda h, a: h["params"].update(colour="red"), "incomplete or damaged"),
        (lambda h, a: h["params"].update(features="loud"), "incomplete or damaged"),
        (lambda h, a: h["base_functions"].reverse(), "not those of its parameters"),
        (lambda h, a: a.update(coef=np.zeros(3)), r"array 'coef' .* must be \(5,\)"),
        (lambda h, a: a.update(confidence=np.zeros(5)), "array 'confidence'"),
        (lambda h, a: a.update(unplayed=np.zeros(5)), "array 'unplayed' is of shape"),
        (lambda h, a: h.update(match_range=[0.5, 0.4]), "range of matches"),
        (lambda h, a: a.update(scale=np.zeros(5)), "a scale is not above 0"),
    ],
)
def test_damaged_models_are_refused(
    model: MusicAligner, tmp_path: Path, change: object, message: str
) -> None:
    path = tmp_path / "m.align"
    model.save(path)
    kind, header, arrays = read_model(path)
    change(header, arrays)  # type: ignore[operator]
    write_model(path, kind, header, arrays)
    with pytest.raises(ModelError, match=message):
        align.load(path)


# Wrong input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": "loud"}, "features='loud', must be one of"),
        ({"features": ("duration",)}, "with 'notes' in it"),
        ({"features": ("notes", "notes")}, "different names"),
        ({"n_folds": 0}, "n_folds=0, must be at least 1"),
        ({"rate": 4000}, "rate=4000 Hz, must be at least 8000"),
        ({"repeats": "some"}, "repeats='some', must be"),
        ({"tolerance": 0.001}, "tolerance=0.001 s, must be more than"),
        ({"cost": "free"}, "cost='free'"),
        ({"C": -1.0}, "C=-1.0"),
        ({"conversion": "validation"}, "needs recordings to choose with"),
        ({"cost": FunctionCost(lambda y, z: 0.0)}, "loss='maximal' needs a cost that is a sum"),
    ],
)
def test_wrong_parameters_are_named_before_anything_is_read(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        MusicAligner(**options).fit([Example("no file", (Note(60, 0.0),), np.zeros(1))])


def test_an_aligner_must_be_fitted_first() -> None:
    with pytest.raises(ParameterError, match="not fitted"):
        MusicAligner().align("a.wav", [Note(60, 0.0)])


def test_nothing_to_learn_from_is_an_error(tmp_path: Path) -> None:
    example = Example(tmp_path / "none.wav", (Note(60, 0.0),), np.zeros(1), name="none")
    with pytest.raises(DataError, match=r"no recording can be learned from .*none"):
        MusicAligner().fit([example])
    with pytest.raises(ParameterError, match="sample_weight has 2 numbers for 1 examples"):
        MusicAligner().fit([example], sample_weight=[1.0, 2.0])


def test_recordings_that_cannot_be_aligned(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    audio, score, _ = unseen
    with pytest.raises(DataError, match=r"chords of the score cannot be played in 0.5 s"):
        model.align(sound([(0.1, 60)], 0.5), score, rate=RATE)
    with pytest.raises(DataError, match="silen"):
        model.align(np.zeros(5 * RATE), score, rate=RATE)
    with pytest.raises(DataError, match="the score has no notes"):
        model.align(audio, [])
    with pytest.raises(DataError, match="pitch 15, which no piano has"):
        model.align(audio, [Note(15, 0.0)])
    for wrong in (["c4"], None):
        with pytest.raises(ParameterError, match="must be a file, a Score or Notes"):
            model.align(audio, wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'a', which is no Example; align"):
        model.evaluate("a folder")  # type: ignore[arg-type]


def test_what_is_doubtful_is_told(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray]
) -> None:
    audio, score, true = unseen
    samples, rate = soundfile.read(audio, dtype="float32")
    loud = np.clip(samples / np.abs(samples).max() * 4, -1, 1)
    clipped = model.align(loud, score, rate=rate)
    assert any("clipped" in text for text in clipped.warnings)
    assert np.median(errors(clipped, true)) < 0.02
    slow = [Note(n.pitch, 10 * n.onset) for n in read_score(score).notes]
    fragment = model.align(samples, slow, rate=rate)
    assert any("is the recording whole?" in text for text in fragment.warnings)


@pytest.mark.parametrize(("first", "last"), [(8, 40), (0, 26)])
def test_a_recording_of_a_part_of_the_score(first: int, last: int) -> None:
    model = align.load("piano")
    pitches = np.random.default_rng(2).integers(50, 75, 40)
    notes = [Note(int(p), 0.4 * k) for k, p in enumerate(pitches)]
    played = [(0.5 + 0.44 * k, int(p)) for k, p in enumerate(pitches[first:last])]
    found = model.align(sound(played, played[-1][0] + 1.5), notes, rate=RATE)
    inside = slice(first + 3, last - 3)  # where the part ends is told within a few notes
    times = np.array([t for t, _ in played])
    assert np.abs(found.onsets[inside] - times[3:-3]).max() < 0.05
    assert found.confidence is not None
    outside = np.r_[0:first, last:40]
    assert found.confidence[outside].mean() < 0.4
    assert found.confidence[inside].mean() > 0.6
    assert any("holds a part of the score" in text for text in found.warnings)
    [passage] = found.passages
    assert abs(passage.score_start - 0.4 * first) < 1.0
    assert abs(passage.score_end - 0.4 * (last - 1)) < 1.0
    assert abs(passage.start - times[0]) < 1.0
    assert passage.bars is None  # notes alone have none
    assert (np.diff(found.chord_onsets) > 0).all()


@pytest.mark.parametrize(("first", "stop"), [(0, 5), (18, 23), (36, 40)])
def test_two_bars_that_are_not_played_are_left_out(first: int, stop: int) -> None:
    model = align.load("piano")
    pitches = np.random.default_rng(2).integers(50, 75, 40)
    notes = [Note(int(p), 0.4 * k) for k, p in enumerate(pitches)]
    kept = [*range(first), *range(stop, 40)]
    played = [(0.1 + 0.44 * k, int(pitches[note])) for k, note in enumerate(kept)]
    found = model.align(sound(played, played[-1][0] + 0.5), notes, rate=RATE)
    assert found.confidence is not None
    left_out = set(np.flatnonzero(found.confidence == 0.0).tolist())
    assert left_out <= set(range(first, stop))
    assert len(left_out) >= stop - first - 1  # the next one may begin as the recording ends
    assert np.abs(found.onsets[kept] - [t for t, _ in played]).max() < 0.05


def test_a_pause_between_movements_is_no_sign_of_missing_music() -> None:
    model = align.load("piano")
    theme = [60, 64, 67, 72, 71, 67, 65, 62, 64, 60]
    pitches = [*theme, 55, 57, 59, 62, 60, 57, 53, 55, 52, 48, *theme]
    notes = [Note(p, 0.5 * k + 2.0 * (k >= 20)) for k, p in enumerate(pitches)]
    played = [(0.5 + 0.5 * k + 14.0 * (k >= 20), p) for k, p in enumerate(pitches)]
    found = model.align(sound(played, played[-1][0] + 1.5), notes, rate=RATE)
    assert found.passages == ()
    assert not [m for m in found.mismatches if m.kind == "unwritten"]
    assert np.abs(found.onsets - [t for t, _ in played]).max() < 0.05


def test_a_score_is_found_within_a_concert() -> None:
    model = align.load("piano")
    rng = np.random.default_rng(4)
    before, own, after = (rng.integers(50, 75, n).tolist() for n in (70, 40, 50))
    notes = [Note(pitch, 0.4 * k) for k, pitch in enumerate(own)]
    played: list[tuple[float, int]] = []
    for tune, step in ((before, 0.35), (own, 0.5), (after, 0.4)):
        begin = played[-1][0] + 3.0 if played else 0.5
        played += [(begin + step * k, pitch) for k, pitch in enumerate(tune)]
    times = np.array([t for t, _ in played[70:110]])
    found = model.align(sound(played, played[-1][0] + 1.5), notes, rate=RATE)
    assert np.abs(found.onsets - times).max() < 0.05
    assert found.passages == ()
    first, last = (m for m in found.mismatches if m.kind == "unwritten")
    assert first.start < 1.0
    assert abs(first.end - times[0]) < 0.1
    assert abs(last.end - played[-1][0]) < 2.0


def test_a_score_that_is_not_in_a_concert_is_not_found_in_it() -> None:
    model = align.load("piano")
    rng = np.random.default_rng(5)
    other, own = rng.integers(50, 75, 160).tolist(), rng.integers(50, 75, 40).tolist()
    played = [(0.5 + 0.4 * k, pitch) for k, pitch in enumerate(other)]
    notes = [Note(pitch, 0.4 * k) for k, pitch in enumerate(own)]
    found = model.align(sound(played, played[-1][0] + 1.5), notes, rate=RATE)
    assert found.warnings[0].startswith("the recording does not seem to be of this score")
    assert found.transposition == 0


def test_the_best_of_all_places_must_match_or_fit_far_better_than_backwards(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    audio, score, _ = unseen
    whole = finding.read_music(audio, score, None, highest_rate=model.rate, repeats="all")
    part = PlayedPart(replace(whole), np.arange(len(whole.score)), (), searched=True)
    monkeypatch.setattr(finding, "played_parts", lambda *_: [part])
    monkeypatch.setattr(finding, "_doubtful", lambda *_: True)
    monkeypatch.setattr(finding, "follows_score", lambda _: True)
    placed, value = model._place(whole)

    def place(asked: Performance) -> tuple[PlacedNotes, float]:
        sure = match if asked is part.part else 0.1
        return replace(placed, probability=np.full(len(whole.notes), sure)), value

    for within in (False, True):
        monkeypatch.setattr(finding, "is_within", lambda _, known=within: known)
        for match in (0.05, 0.3, 0.4):
            taken = finding.best_part(whole, place, LEARNED).part is part.part
            assert taken == (match > 0.35 or (within and match == 0.3))


@pytest.mark.parametrize(
    ("written", "octave", "taken"),
    [
        pytest.param(0.372, 0.522, False, id="an organ, in which an octave sounds, too"),
        pytest.param(0.379, 0.591, True, id="brass, written an octave too high"),
        pytest.param(0.0, 0.4, True, id="written an octave too low"),
    ],
)
def test_an_octave_must_match_by_half_as_much_again(
    model: MusicAligner,
    unseen: tuple[Path, Path, np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
    written: float,
    octave: float,
    taken: bool,
) -> None:
    audio, score, _ = unseen
    whole = finding.read_music(audio, score, None, highest_rate=model.rate, repeats="all")
    part = PlayedPart(replace(whole, shift=-12), np.arange(len(whole.score)), ())
    monkeypatch.setattr(finding, "played_parts", lambda *_: [part])
    monkeypatch.setattr(finding, "_doubtful", lambda *_: True)
    monkeypatch.setattr(finding, "follows_score", lambda _: True)
    placed, value = model._place(whole)

    def place(asked: Performance) -> tuple[PlacedNotes, float]:
        sure = octave if asked is part.part else written
        return replace(placed, probability=np.full(len(whole.notes), sure)), value

    assert (finding.best_part(whole, place, LEARNED).part is part.part) == taken


def test_the_longest_passage_is_tried_alone(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    audio, score, _ = unseen
    whole = finding.read_music(audio, score, None, highest_rate=model.rate, repeats="all")
    last = len(whole.chords) - 3
    times = whole.coarse[: last + 1]
    alike = Passage(3, 5, times[-1] + np.arange(3.0)), Passage(2, 4, np.arange(3.0))
    found = Passages((alike[1], Passage(1, last, times[1:]), alike[0]), 0, 1.0)
    monkeypatch.setattr(parts, "find_passages", lambda *_: found)
    ways = list(parts.played_parts(whole, range(1)))
    # what is brief, and holds nothing that counts, may be chance
    assert [way.passages for way in ways] == [found.passages[1:], found.passages[1:2]]
    np.testing.assert_array_equal(ways[1].part.coarse, times[1:])
    # where the others fit as well, all are played
    with monkeypatch.context() as patched:
        patched.setattr(parts, "_all_fit", lambda *_: True)
        assert len(list(parts.played_parts(whole, range(1)))) == 1
    # what fills the recording is not among other music: what it leaves out may be soft
    fills = np.linspace(0.05, 0.95, last) * whole.signal.duration
    found = Passages((alike[1], Passage(1, last, fills)), 0, 1.0)
    assert len(list(parts.played_parts(whole, range(1)))) == 1
    # in another key all of the score comes first
    found = Passages((Passage(1, last, fills),), 2, 1.0)
    first, *_ = parts.played_parts(whole, range(3))
    assert (first.part.shift, first.index.size, first.passages) == (2, len(whole.score), ())


@pytest.mark.parametrize(
    ("less", "sure", "taken"),
    [(0.47, True, False), (0.49, True, True), (0.49, False, False), (0.51, False, True)],
)
def test_what_nobody_could_play_was_not_played_though_it_is_found(
    model: MusicAligner,
    unseen: tuple[Path, Path, np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
    less: float,
    sure: bool,
    taken: bool,
) -> None:
    audio, score, _ = unseen
    whole = finding.read_music(audio, score, None, highest_rate=model.rate, repeats="all")
    part = PlayedPart(replace(whole), np.arange(len(whole.score)), (), sure=sure)
    monkeypatch.setattr(finding, "without_rushed", lambda *_: [part])
    monkeypatch.setattr(finding, "_doubtful", lambda *_: False)
    placed, value = model._place(whole)

    def place(asked: Performance) -> tuple[PlacedNotes, float]:
        match = less if asked is part.part else 0.5
        return replace(placed, probability=np.full(len(whole.notes), match)), value

    assert (finding.best_part(whole, place, LEARNED).part is part.part) == taken


def test_a_part_is_not_taken_where_the_whole_score_was_found(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    audio, score, _ = unseen
    whole = finding.read_music(audio, score, None, highest_rate=model.rate, repeats="all")
    some = np.arange(len(whole.score) // 2)
    part = PlayedPart(replace(whole), some, ())
    monkeypatch.setattr(finding, "played_parts", lambda *_: [part])
    monkeypatch.setattr(finding, "_doubtful", lambda *_: True)
    sure = np.full(len(whole.notes), 0.6)

    def place(asked: Performance) -> tuple[PlacedNotes, float]:
        found, value = model._place(asked)
        kept = np.full(some.size, 0.7) if asked is part.part else sure
        return replace(found, probability=kept), value

    assert finding.best_part(whole, place, LEARNED).part is whole
    sure[some.size :] = 0.3
    assert finding.best_part(whole, place, LEARNED).part is part.part


def test_chords_in_silence_are_left_out(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    audio, score, onsets = unseen
    samples, rate = soundfile.read(audio)
    gone = np.sort(onsets[np.isfinite(onsets)])[[len(onsets) // 3, 2 * len(onsets) // 3]]
    samples[slice(*(gone * rate).astype(int))] = 0.0
    whole = finding.read_music(samples, score, rate, highest_rate=model.rate, repeats="all")
    monkeypatch.setattr(finding, "_doubtful", lambda *_: False)

    def place(asked: Performance) -> tuple[PlacedNotes, float]:
        placed, value = model._place(asked)
        lost = (placed.chords > gone[0] - 0.05) & (placed.chords < gone[1])
        return replace(placed, probability=np.where(lost, 0.0, 0.8)[asked.chords.group]), value

    found = finding.best_part(whole, place, LEARNED)
    assert len(found.passages) == 2
    left_out = np.setdiff1d(np.arange(len(whole.score)), found.index)
    times = onsets[left_out][np.isfinite(onsets[left_out])]
    assert times.size > 5
    assert np.abs(times - gone.mean()).max() < 0.5 * (gone[1] - gone[0]) + 0.3


def test_a_line_that_may_lie_elsewhere_is_told(
    model: MusicAligner, unseen: tuple[Path, Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    audio, score, _ = unseen
    monkeypatch.setattr(result, "unwritten_share", lambda *_: 0.6)
    sure = []
    for follows in (True, False):
        monkeypatch.setattr(result, "follows_score", lambda *_, known=follows: known)
        found = model.align(audio, score)
        assert sum("60 % of what begins in it" in text for text in found.warnings) == 1
        assert any("may lie elsewhere" in text for text in found.warnings) is not follows
        assert found.confidence is not None
        sure.append(found.confidence.mean())
    assert sure[1] == pytest.approx(0.4 * sure[0], rel=0.1)


# Progress ------------------------------------------------------------------------------------


@pytest.mark.parametrize("doubtful", [False, True])
def test_aligning_says_how_far_it_is(
    model: MusicAligner,
    unseen: tuple[Path, Path, np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
    doubtful: bool,
) -> None:
    audio, score, _ = unseen
    if doubtful:
        monkeypatch.setattr(model, "transpose", 0)
        monkeypatch.setattr(finding, "_doubtful", lambda *_: True)
    told: list[tuple[str, int, int]] = []
    found = model.align(audio, score, progress=lambda *args: told.append(args))
    silent = model.align(audio, score)
    np.testing.assert_array_equal(found.onsets, silent.onsets)
    np.testing.assert_array_equal(found.confidence, silent.confidence)
    stages = list(dict.fromkeys(stage for stage, *_ in told))
    always = ["listening", "aligning roughly", "finding notes", "aligning", "placing notes"]
    assert [stage for stage in stages if stage != "checking notes"][:5] == always
    searches = {"looking for the score", "looking for passages"}
    assert searches & set(stages) == (searches if doubtful else set())
    for k, (stage, done, total) in enumerate(told):
        assert 0 <= done <= total
        last = k + 1 == len(told) or told[k + 1][0] != stage
        assert done == total if last else True  # no stage is left before it is done
        begins = k == 0 or told[k - 1][0] != stage
        assert begins or done >= told[k - 1][1] or told[k - 1][1] == total


# Repeats -------------------------------------------------------------------------------------


def write_musicxml(path: Path, bars: list[str], repeated: int) -> Path:
    """Write bars of four quarters, the first `repeated` of them between repeat signs."""
    out = []
    for number, bar in enumerate(bars, 1):
        notes = "".join(
            f"<note><pitch><step>{step}</step><octave>4</octave></pitch>"
            "<duration>1</duration><type>quarter</type></note>"
            for step in bar
        )
        first = "<attributes><divisions>1</divisions></attributes>" if number == 1 else ""
        sign = '<barline location="right"><repeat direction="backward"/></barline>'
        out.append(f'<measure number="{number}">{first}{notes}{sign * (number == repeated)}')
    path.write_text(
        '<?xml version="1.0"?><score-partwise version="3.1"><part-list><score-part id="P1">'
        '<part-name>x</part-name></score-part></part-list><part id="P1">'
        + "".join(f"{bar}</measure>" for bar in out)
        + "</part></score-partwise>",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("repeated", [True, False])
def test_repeats_of_a_score_in_notation(
    model: MusicAligner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repeated: bool
) -> None:
    pytest.importorskip("partitura")
    bars = ["CEGF", "DBCA", "GEDF", "BGAC", "EDCB"]
    score = write_musicxml(tmp_path / "a.musicxml", bars, repeated=3)
    order = [*bars[:3], *bars] if repeated else bars
    pitch = dict(zip("CDEFGAB", (60, 62, 64, 65, 67, 69, 71), strict=True))
    played = [(0.5 + 0.41 * k, pitch[step]) for k, step in enumerate("".join(order))]
    recording = sound(played, played[-1][0] + 2.0)
    found = model.align(recording, score, rate=RATE)
    assert found.pitches.tolist() == [p for _, p in played]
    assert np.abs(found.onsets - [t for t, _ in played]).max() < 0.05
    for asked, n_bars in (("all", 8), ("none", 5)):
        monkeypatch.setattr(model, "repeats", asked)
        assert len(model.align(recording, score, rate=RATE)) == 4 * n_bars


def test_repeats_must_be_words_or_letters(
    model: MusicAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "repeats", "written")
    with pytest.raises(ParameterError, match="'written', must be 'auto', 'all', 'none', or"):
        model.align(np.zeros(RATE), "a.musicxml", rate=RATE)
    for known in ("auto", "all", "none", "yyn"):
        MusicAligner(repeats=known)._check_own()


# Real recordings -----------------------------------------------------------------------------


def test_the_bundled_model_aligns_a_real_piano(shared_data: Path) -> None:
    folder = shared_data / "music" / "disklavier" / "scn15_11_ENSTDkCl"
    if not folder.is_dir():
        pytest.skip("the Disklavier recordings are not here")
    piano = align.load("piano")
    assert "non-commercial" in piano.licence_
    [example] = align.read_corpus(folder.parent, kind="music").subset(
        [g for g in align.read_corpus(folder.parent, kind="music").groups if "scn15_11" in g]
    )
    report = piano.evaluate([example])  # it was trained on this piece: no more than a bound
    assert report.overall.median_abs_ms < 12
    assert report.overall.within_ms["50"] > 95


def test_the_bundled_ensemble_aligns_a_real_quartet(shared_data: Path) -> None:
    folder = shared_data / "music" / "bach10"
    if not folder.is_dir():
        pytest.skip("the quartets are not here")
    ensemble = align.load("ensemble")
    assert "non-commercial" in ensemble.licence_
    example = align.read_corpus(folder, kind="music")[0]
    report = ensemble.evaluate([example])  # it was trained on this piece: no more than a bound
    assert report.overall.median_abs_ms < 15
    assert report.overall.within_ms["50"] > 90
