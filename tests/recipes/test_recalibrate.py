"""A bundled model takes over how sure it is, or learns its matches anew, and nothing else."""

import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from synthetic_speech import RATE, random_phones, recording

import align
from align.features import DurationFeature, NetworkConfidence
from align.files.model_file import read_model
from align.sequence.times.sureness import Sureness

SCRIPT = Path(__file__).resolve().parents[2] / "recipes" / "timit" / "recalibrate.py"


@pytest.fixture(scope="module")
def recalibrate() -> ModuleType:
    spec = spec_from_file_location("recalibrate", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_confidence_is_taken_over_and_onsets_stay(tmp_path: Path) -> None:
    own, other = tmp_path / "own.align", tmp_path / "other.align"
    shutil.copy(str(files("align.data") / "speech-en.align"), own)
    trained = align.load(own)
    assert isinstance(trained, align.SpeechAligner)
    trained.save(own)  # with all that files hold today
    for n, one in enumerate((trained, *trained.elsewhere_.values())):
        one.placement_ = replace(one.placement_, sureness=Sureness(1.0 + n, 0.5, 0.25, -1.0))
        one.coef_ = 2.0 * one.coef_
    trained.text_sureness_ = Sureness(0.5, 0.0)
    trained.save(other)
    _, before, arrays = read_model(own)
    subprocess.run([sys.executable, SCRIPT, own, "--trained", other], check=True)
    _, after, same = read_model(own)
    assert after.pop("sureness") == [1.0, 0.5, 0.25, -1.0]
    assert after.pop("text_sureness") == [0.5, 0.0, 0.0, 0.0]
    for n, kind in enumerate(("noise", "room")):
        assert after["elsewhere"][kind].pop("sureness") == [2.0 + n, 0.5, 0.25, -1.0]
        del before["elsewhere"][kind]["sureness"]
    del before["sureness"]
    before.pop("text_sureness", None)
    assert after == before
    for name, array in arrays.items():
        np.testing.assert_array_equal(same[name], array)


def spoken(seed: int) -> align.Example:
    rng = np.random.default_rng(seed)
    phones = random_phones(rng, 12)
    samples, edges = recording(phones, rng)
    times, own = edges / RATE, samples.astype(np.float32)
    return align.Example(own, phones, times[:-1], end=times[-1], group="abcd"[seed % 4], rate=RATE)


def test_matches_are_learned_anew_as_in_training_and_nothing_is_trained(
    recalibrate: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = [spoken(i) for i in range(8)]
    features = [NetworkConfidence(width=4, dilations=(1,), epochs=0.5), DurationFeature()]
    model = align.SpeechAligner(features, epochs=1, calibrate=True).fit(corpus)
    assert model.match_ is not None
    learned, model.match_ = model.match_.get_state(), None
    weights = [w.copy() for network in model.features_[0].networks_ for w in network.weights]
    recalibrate.relearn_matches(model, corpus)
    again = model.match_.get_state()
    assert again.keys() == learned.keys()
    for name, value in learned.items():
        np.testing.assert_allclose(again[name], value, rtol=1e-3, atol=1e-3)
    same = [w for network in model.features_[0].networks_ for w in network.weights]
    for w, before in zip(same, weights, strict=True):
        np.testing.assert_array_equal(w, before)
    assert "as recorded, 8 recordings, phones: border" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="was trained on"):
        recalibrate.relearn_matches(model, corpus[:-1])


def test_recordings_are_scored_by_networks_that_have_not_heard_their_speaker(
    recalibrate: ModuleType,
) -> None:
    model = align.load("speech-de")
    items = [SimpleNamespace(group=g) for g in ("03", "08", "10", "13", "15", "03")]
    for own, n_kept in ((model, 4), (model.elsewhere_["room"], 2)):
        networks = own.features_[0].networks_
        assert len(networks) == n_kept
        found = recalibrate.unheard(own, items, model.n_folds)
        folds = [0, 1, 2, 3, 0, 0]  # the fifth speaker is in the first fold again
        for features, fold in zip(found, folds, strict=True):
            if fold >= n_kept:
                assert features is None
            else:
                assert features[0].networks_ == [networks[fold]]
                assert features[1:] == own.features_[1:]
        assert own.features_[0].networks_ is networks


def test_a_model_of_many_languages_is_sent_elsewhere(recalibrate: ModuleType) -> None:
    with pytest.raises(SystemExit, match="that it has not heard"):
        recalibrate.relearn_matches(align.load("speech-any"), [])
