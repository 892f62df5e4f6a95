"""Numbers that break arithmetic: refused in a clear sentence or handled; no NaN in a model."""

import functools
import warnings
from pathlib import Path

import make
import numpy as np
import pytest
import soundfile
from music_examples import RATE as MUSIC_RATE
from music_examples import sound, write_score
from synthetic_speech import RATE, recording

import align
from align import Example, SequenceAligner, SpeechAligner
from align.errors import AlignError, DataError, ParameterError
from align.features import SpectralDistance, onset_feature
from align.features.notes.note_network import NoteNetwork
from align.files.model_file import read_model
from align.learners.structured.learner import StructuredLearner
from align.music.aligner import MusicAligner

PHONES = ("sil", "m", "aa", "s", "sil")


def example(seed: int = 0, phones: tuple[str, ...] = PHONES, **options) -> Example:
    samples, edges = recording(phones, np.random.default_rng(seed))
    times = edges / RATE
    options = {"end": times[-1], "rate": RATE, "name": f"r{seed}", **options}
    return Example(samples.astype(np.float32), phones, times[:-1], **options)


@functools.cache
def examples() -> tuple[Example, ...]:
    return example(0), example(1), example(2)


def feature(value: float, spread: float = 0.0):
    """An onset feature of numbers about `value`."""

    @onset_feature
    def odd(signal, event):
        rng = np.random.default_rng(signal.n_frames)
        return value + spread * rng.standard_normal(signal.n_frames)

    return odd


def assert_whole(aligner, path: Path) -> None:
    """The saved model holds finite numbers only, and aligns as the fitted one does."""
    aligner.save(path)
    for array in read_model(path)[2].values():
        assert np.isfinite(array).all()


@pytest.mark.parametrize("update", ["pa1", "self-tuned"])
@pytest.mark.parametrize(
    ("value", "spread"),
    [
        (0.0, 0.0),
        (5.0, 0.0),
        (1e-310, 0.0),
        (0.0, 1e-310),
        (0.0, 1e-160),
        (1e12, 1.0),
        (0.0, 1e30),
    ],
    ids=["zero", "constant", "denormal", "denormal noise", "tiny", "far off", "huge"],
)
def test_features_without_variance_or_of_any_size(
    value: float, spread: float, update: str, tmp_path: Path
) -> None:
    features = [SpectralDistance((1, 2)), feature(value, spread)]
    learner = StructuredLearner(epochs=2, update=update)
    aligner = SequenceAligner(features, learner=learner).fit(examples())
    assert np.isfinite(aligner.coef_).all()
    assert (aligner.scale_ > 0).all()
    assert_whole(aligner, tmp_path / "m.align")
    assert np.isfinite(aligner.align(examples()[0].audio, PHONES, rate=RATE).onsets).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308])
def test_features_that_are_not_finite_or_overflow_are_named(value: float) -> None:
    odd = feature(value, 1e307 if value == 1e308 else 0.0)
    with pytest.raises(AlignError, match=r"odd|finite|overflow"):
        SequenceAligner([SpectralDistance((1,)), odd]).fit(examples())


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["coef_", "scale_"])
def test_a_model_with_such_numbers_is_not_saved(name: str, value: float, tmp_path: Path) -> None:
    aligner = SequenceAligner([SpectralDistance((1, 2))]).fit(examples())
    getattr(aligner, name)[0] = value
    with pytest.raises(
        ParameterError, match=r"not finite or are beyond 1e\+100, so this is no mo"
    ):
        aligner.save(tmp_path / "m.align")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", sorted(make.KINDS))
def test_no_model_of_any_kind_is_saved_with_them(kind: str, tmp_path: Path) -> None:
    model = make.load_one(make.HERE / align.__version__ / f"{kind}.align")
    model.coef_ = np.full_like(model.coef_, np.nan)
    with pytest.raises(ParameterError, match="array 'coef' has numbers that are not finite"):
        model.save(tmp_path / "m.align")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("phones", [("aa",), ("sil",), ("aa", "aa"), ("sil", "aa", "sil")])
def test_one_recording_with_little_in_it(phones: tuple[str, ...], tmp_path: Path) -> None:
    aligner = SequenceAligner([SpectralDistance((1, 2))]).fit([example(3, phones)])
    assert_whole(aligner, tmp_path / "m.align")
    found = aligner.align(example(4, phones).audio, phones, rate=RATE)
    assert found.labels == phones


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    from align.features import NetworkConfidence

    tiny = functools.partial(NetworkConfidence, width=8, dilations=(1, 2), epochs=3)
    monkeypatch.setattr("align.speech.feature_sets.NetworkConfidence", tiny)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("features", ["default", "thesis"])
@pytest.mark.parametrize("phones", [("aa",), ("sil", "aa", "sil"), ("sil",)])
def test_speech_of_one_recording_or_one_phone(
    features: str, phones: tuple[str, ...], tmp_path: Path
) -> None:
    aligner = SpeechAligner(features, epochs=1, n_folds=2)
    try:
        with pytest.warns(UserWarning, match=r"with a single recording"):
            aligner.fit([example(3, phones)])
    except AlignError:  # too little to learn from
        return
    assert_whole(aligner, tmp_path / "m.align")


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, 1e-40])
def test_speech_whose_samples_are_no_sound(value: float) -> None:
    samples = np.full(8000, value, dtype=np.float32)
    model = make.load_one(make.HERE / align.__version__ / "speech-default.align")
    with pytest.raises(DataError, match=r"finite numbers|digital silence"):
        model.align(samples, ("sil", "aa", "sil"), rate=RATE)


@pytest.mark.parametrize("scale", [1e-38, 1e-30, 1e30])
@pytest.mark.parametrize("kind", ["sequence", "speech-default", "speech-thesis"])
def test_sound_of_any_level_is_aligned_or_refused(kind: str, scale: float) -> None:
    model = make.load_one(make.HERE / align.__version__ / f"{kind}.align")
    samples = (example(5).audio * np.float32(scale)).astype(np.float32)
    try:
        found = model.align(samples, PHONES, rate=RATE)
    except AlignError:
        return
    assert np.isfinite(found.onsets).all()


@pytest.mark.parametrize("kind", ["speech-default", "sequence"])
def test_huge_scores_are_decoded_or_refused(kind: str) -> None:
    model = make.load_one(make.HERE / align.__version__ / f"{kind}.align")
    model.coef_ = np.full_like(model.coef_, 1e99)
    try:
        found = model.align(make.SPEECH, make.PHONES)
    except AlignError:
        return
    assert np.isfinite(found.onsets).all()


def piece(folder: Path, notes: list[tuple[float, int]]) -> Path:
    folder.mkdir()
    write_score(folder / "score.mid", notes)
    played = [(0.4 + time, pitch) for time, pitch in notes]
    soundfile.write(folder / "audio.wav", sound(played, 2.0), MUSIC_RATE)
    rows = [f"{t:.6f},{p},{0.4 + t:.6f}" for t, p in notes]
    (folder / "truth.csv").write_text(
        "\n".join(["score_onset_s,pitch,performed_onset_s", *rows]) + "\n"
    )
    return folder


@pytest.mark.parametrize("notes", [[(0.0, 60)], [(0.0, 60), (0.0, 64)], [(0.0, 60), (0.5, 60)]])
@pytest.mark.parametrize("features", ["default", "thesis"])
def test_music_of_one_piece_with_few_notes(
    features: str, notes: list[tuple[float, int]], tmp_path: Path
) -> None:
    piece(tmp_path / "one", notes)
    corpus = align.read_corpus(tmp_path, kind="music")
    network = NoteNetwork(width=8, dilations=(1, 2), steps=3, batch=2)
    aligner = MusicAligner(features, network=network, n_folds=2, epochs=1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "with a single recording", UserWarning)
            aligner.fit(corpus)
    except AlignError:  # too little to learn from
        return
    assert_whole(aligner, tmp_path / "m.align")
    found = aligner.align(tmp_path / "one" / "audio.wav", tmp_path / "one" / "score.mid")
    assert np.isfinite(found.onsets).all()
