"""Adapting: what moves and what stays, new phones, habits of labelling, comparing, errors."""

import copy

import numpy as np
import pytest
from click.testing import CliRunner
from synthetic_speech import RATE, random_phones, recording

import align
from align import Example, ParameterError, SpeechAligner
from align.cli import cli
from align.errors import DataError
from align.features import ArticulatoryConfidence, ArticulatoryDuration
from align.features.duration import LengthStatistics
from align.sequence.adapt import adapt, compare

IPA = {"sil": "sil", "s": "s", "aa": "ɑ", "iy": "i", "m": "m", "b": "b"}


def example(seed, phones=None, late=0.0):
    rng = np.random.default_rng(seed)
    phones = phones or random_phones(rng, 7)
    samples, edges = recording(phones, rng)
    times = edges / RATE
    onsets = times[:-1] + late * (np.arange(len(phones)) > 0)
    return Example(
        samples.astype(np.float32),
        tuple(IPA[phone] for phone in phones),
        onsets,
        end=times[-1],
        group=f"speaker {seed % 2}",
        name=f"word {seed}",
        rate=RATE,
    )


@pytest.fixture(scope="module")
def model():
    network = ArticulatoryConfidence(width=8, dilations=(1, 2), epochs=3, random_state=1)
    aligner = SpeechAligner([network, ArticulatoryDuration()], epochs=2, n_folds=2, n_jobs=1)
    return aligner.fit([example(i) for i in range(4)])


@pytest.fixture(scope="module")
def late():
    """Words of a labeller who places every boundary 12 ms late, with a phone that is new."""
    phones = ["sil", "b", "aa", "s", "b", "iy", "m", "sil"]
    return [example(100 + i, phones, late=0.012) for i in range(8)]


@pytest.fixture(scope="module")
def adapted(model, late):
    return adapt(model, late[:6], n_folds=2, n_jobs=1)


def test_it_takes_over_the_habit_of_the_labeller(model, adapted, late):
    before, after = model.evaluate(late[6:]), adapted.evaluate(late[6:])
    assert before.bias_ms < -8
    assert abs(after.bias_ms) < abs(before.bias_ms) - 3
    assert after.mean_abs_ms < before.mean_abs_ms
    assert adapted.placement_.offset < model.placement_.offset - 0.001
    assert adapted.habits_ is not None


def test_the_old_aligner_stays_what_it_was(model, adapted):
    assert "b" not in model.labels_
    assert "b" in adapted.labels_
    assert "b" in adapted.features_[0].symbols_
    assert adapted is not model
    assert (adapted.scale_ == model.scale_).all()
    old, new = (m.features_[0].networks_[0].weights[0] for m in (model, adapted))
    assert not (old == new).all()
    assert np.abs(old - new).max() < 0.1  # it moved a little
    assert model.training_["recordings"] == 4
    assert adapted.training_["adapted"]["recordings"] == 6


def test_an_adapted_aligner_can_be_saved(model, adapted, late, tmp_path):
    adapted.save(tmp_path / "new.align", licence="none")
    own = [ArticulatoryConfidence(), ArticulatoryDuration()]
    again = align.load(tmp_path / "new.align", features=own)
    one = late[0]
    found = [m.align(one.audio, one.events, rate=RATE).onsets for m in (adapted, again)]
    np.testing.assert_allclose(*found, atol=1e-9)


def test_the_way_a_model_came_is_kept(model, late, tmp_path):
    model = copy.copy(model)
    model.licence_ = "CC BY-NC"
    options = {"steps": 1, "n_folds": 2, "n_jobs": 1}
    once = adapt(model, late[:2], source="base", licence="CC0", **options)
    twice = adapt(once, late[:3], source="once", **options)
    assert once.licence_ == twice.licence_ == "CC BY-NC; adapted to recordings: CC0"
    about = twice.training_["adapted"]
    assert (about["recordings"], about["from"]["model"]) == (3, "once")
    assert about["from"]["adapted"]["from"] == {"model": "base", "licence": "CC BY-NC"}
    assert twice.training_["recordings"] == model.training_["recordings"]
    twice.save(tmp_path / "twice.align")
    shown = CliRunner().invoke(cli, ["info", str(tmp_path / "twice.align")]).stdout
    assert "adapted to:     3 recordings, 0.0 minutes, from once\n" in shown
    assert "adapted to:     2 recordings, 0.0 minutes, from base\n" in shown
    assert "data licence:   CC BY-NC; adapted to recordings: CC0\n" in shown


def test_comparing_scores_what_was_left_out(model, late):
    seen = []
    found = compare(
        model,
        late[:4],
        n_folds=2,
        steps=5,
        n_jobs=1,
        progress=lambda stage, done, total: seen.append((stage, done, total)),
    )
    assert found.before.boundaries == found.after.boundaries == 4 * 7
    assert found.before.within_ms == model.evaluate(late[:4]).within_ms
    assert set(found.after.per_file) == {one.name for one in late[:4]}
    assert seen == [("comparing", 1, 2), ("comparing", 2, 2)]
    assert [line.split()[0] for line in str(found).splitlines()[1:]] == ["before", "after"]


def test_what_cannot_be_learned_from_is_named(model, late):
    wrong = Example(late[0].audio, ("Ж", "a"), np.array([0.0, 0.1]), name="w.wav", rate=RATE)
    new = adapt(model, [wrong, *late[:2]], steps=1, n_folds=2, n_jobs=1)
    assert [name for name, _ in new.problems_] == ["w.wav"]
    assert "no letter of the IPA" in new.problems_[0][1]
    with pytest.raises(DataError, match=r"only 1 of the recordings can be learned from.*w\.wav"):
        adapt(model, [wrong, late[0]], n_jobs=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps=0"),
        ({"learning_rate": -1.0}, "learning_rate=-1"),
        ({"n_folds": 1}, "n_folds=1"),
    ],
)
def test_wrong_parameters_are_refused(model, late, options, message):
    with pytest.raises(ParameterError, match=message):
        adapt(model, late, **options)


def test_what_is_not_fitted_cannot_be_adapted(late):
    with pytest.raises(ParameterError, match="fit"):
        adapt(SpeechAligner(), late)


def test_too_few_to_compare_on(model, late):
    with pytest.raises(DataError, match="2 recordings are too few"):
        compare(model, late[:2])


def test_old_lengths_weigh_no_more_than_a_few_events():
    old = LengthStatistics(("a", "b"), np.array([500.0, 5.0]), np.zeros(2), np.ones(2))
    new = LengthStatistics(("a", "c"), np.array([10.0, 3.0]), np.ones(2), np.ones(2))
    both = old.mixed(new)
    assert both.labels == ("a", "b", "c")
    np.testing.assert_allclose(both.count, [20, 5, 3])
    np.testing.assert_allclose(both.mean, [0.5, 0, 1])
    np.testing.assert_allclose(both.variance, [1.25, 1, 1])
