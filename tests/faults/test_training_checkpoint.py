"""Training that is interrupted ends in the same model as training that is not, byte for byte."""

import copy
import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from crossfit_spies import Spy
from music_examples import write_piece
from synthetic_speech import write_corpus

from align import SequenceAligner, SpeechAligner, read_corpus
from align.errors import DataError
from align.features import NetworkConfidence, SpectralDistance
from align.learners.structured.learner import StructuredLearner
from align.sequence.learning.checkpoint import (
    Checkpoint,
    describe_timed,
    digest_of_training,
)

posix = pytest.mark.skipif(os.name == "nt", reason="kills groups, removes files that are open")


class Interrupted(Exception):
    """Stands for a process that ends here."""


class StopsAfter(Checkpoint):
    """A checkpoint whose process ends once so many parts are kept."""

    def __init__(self, folder, parts):
        super().__init__(folder)
        self.left = parts

    def save(self, name, header, arrays):
        super().save(name, header, arrays)
        self.left -= 1
        if self.left == 0:
            raise Interrupted


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return read_corpus(write_corpus(tmp_path_factory.mktemp("corpus"), {"ann": 2, "bob": 2}))


@pytest.fixture(autouse=True)
def small_networks(monkeypatch):
    """Train tiny networks: what is tested here is that training goes on."""
    small = functools.partial(NetworkConfidence, width=8, dilations=(1,), epochs=1)
    monkeypatch.setattr("align.speech.feature_sets.NetworkConfidence", small)


def aligner(**options) -> SpeechAligner:
    options = {"epochs": 3, "n_folds": 2, "random_state": 5, **options}
    return SpeechAligner(**options)


def saved(model, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("features", ["default", "thesis"])
def test_whatever_was_done_when_it_stopped_the_model_is_the_same(features, corpus, tmp_path):
    options = {"features": features, "conversion": "average"}
    stages = []
    expected = saved(aligner(**options).fit(corpus), tmp_path / "whole.align")
    folder = tmp_path / "partial"
    for parts in (1, 1, 1, 2):  # each goes on from the one before, and keeps so many more
        with StopsAfter(folder, parts) as kept, pytest.raises(Interrupted):
            aligner(**options).fit(corpus, checkpoint=kept)
        stages.append(sorted(p.name for p in folder.glob("*.part")))
    assert len(stages[0]) == 1
    assert "learner.part" in stages[-1]
    model = aligner(**options).fit(corpus, checkpoint=folder)
    assert saved(model, tmp_path / "resumed.align") == expected
    assert not folder.exists()
    assert model.learner_.n_rounds_ == 12


@pytest.mark.parametrize("conversion", ["last", "random", "average", "validation", "best"])
@pytest.mark.parametrize("update", ["pa1", "self-tuned"])
def test_the_learner_goes_on_after_any_epoch(conversion, update, tmp_path):
    class Classes:
        def joint_feature(self, x, y):
            return np.kron(np.eye(3)[y], x)

        def decode(self, w, x):
            return int(np.argmax(w.reshape(3, -1) @ x))

        def cost(self, y, y_hat):
            return float(y != y_hat)

    rng = np.random.default_rng(0)
    xs, ys = list(rng.normal(size=(20, 4))), list(rng.integers(3, size=20))
    held_out = (xs[:5], ys[:5])

    def learner():
        options = {"conversion": conversion, "epochs": 4, "random_state": 7}
        return StructuredLearner(update, record_directions=True, **options)

    whole = learner().fit(Classes(), xs, ys, validation=held_out)
    for epochs in (1, 3):
        folder = tmp_path / f"{epochs}"
        with StopsAfter(folder, epochs) as kept, pytest.raises(Interrupted):
            learner().fit(Classes(), xs, ys, validation=held_out, checkpoint=kept)
        with Checkpoint(folder) as kept:
            resumed = learner().fit(Classes(), xs, ys, validation=held_out, checkpoint=kept)
        np.testing.assert_array_equal(resumed.coef_, whole.coef_)
        np.testing.assert_array_equal(resumed.hypothesis_, whole.hypothesis_)
        for name, column in whole.trace_.as_dict().items():
            np.testing.assert_array_equal(resumed.trace_.as_dict()[name], column)
        np.testing.assert_array_equal(resumed.trace_.directions, whole.trace_.directions)
        assert resumed.cumulative_cost_ == whole.cumulative_cost_
        u = np.ones(12)
        assert resumed.cost_bound(u) == whole.cost_bound(u)


def test_a_generator_given_as_seed_goes_on_too(tmp_path):
    class Signs:
        def joint_feature(self, x, y):
            return x * y

        def decode(self, w, x):
            return 1 if w @ x > 0 else -1

        def cost(self, y, y_hat):
            return float(y != y_hat)

    xs = list(np.random.default_rng(1).normal(size=(30, 3)))
    ys = [1 if x[0] > 0 else -1 for x in xs]

    def fit(checkpoint=None):
        rng = np.random.Generator(np.random.MT19937(3))
        learner = StructuredLearner(epochs=3, random_state=rng)
        learner.fit(Signs(), xs, ys, checkpoint=checkpoint)
        return learner.coef_, rng.random()

    whole = fit()
    with StopsAfter(tmp_path / "c", 2) as kept, pytest.raises(Interrupted):
        fit(kept)
    with Checkpoint(tmp_path / "c") as kept:
        resumed = fit(kept)
    np.testing.assert_array_equal(resumed[0], whole[0])
    assert resumed[1] == whole[1]


def test_music_goes_on_as_well(tmp_path):
    from align import MusicAligner
    from align.features.notes.note_network import NoteNetwork

    for seed in range(2):
        write_piece(tmp_path / f"pieces/p{seed}", seed, n_notes=8)
    pieces = read_corpus(tmp_path / "pieces", kind="music")
    network = NoteNetwork(width=8, dilations=(1,), steps=4, batch=4)

    def aligner():
        return MusicAligner(network=network, n_folds=2, epochs=2)

    expected = saved(aligner().fit(pieces), tmp_path / "whole.align")
    folder = tmp_path / "partial"
    for parts in (1, 3):  # after the first network, and after the learner's first epoch
        with StopsAfter(folder, parts) as kept, pytest.raises(Interrupted):
            aligner().fit(pieces, checkpoint=kept)
    assert {p.name for p in folder.glob("*.part")} == {
        *(f"feature0-{i}.part" for i in (0, 1, "all")),
        "learner.part",
    }
    assert saved(aligner().fit(pieces, checkpoint=folder), tmp_path / "r.align") == expected
    assert not folder.exists()


def test_parts_of_another_training_do_not_count(corpus, tmp_path):
    folder = tmp_path / "partial"
    with StopsAfter(folder, 3) as kept, pytest.raises(Interrupted):
        aligner(C=0.3).fit(corpus, checkpoint=kept)
    expected = saved(aligner().fit(corpus), tmp_path / "whole.align")
    found = saved(aligner().fit(corpus, checkpoint=folder), tmp_path / "other.align")
    assert found == expected


def test_a_damaged_part_is_trained_again(corpus, tmp_path):
    folder = tmp_path / "partial"
    with StopsAfter(folder, 2) as kept, pytest.raises(Interrupted):
        aligner().fit(corpus, checkpoint=kept)
    part = folder / "feature0-0.part"
    part.write_bytes(part.read_bytes()[:-100])
    expected = saved(aligner().fit(corpus), tmp_path / "whole.align")
    with pytest.warns(UserWarning, match="That part is trained again"):
        model = aligner().fit(corpus, checkpoint=folder)
    assert saved(model, tmp_path / "again.align") == expected


def test_features_whose_state_cannot_be_kept_are_fitted_again(corpus, tmp_path):
    def fit(checkpoint):
        features = [Spy(), SpectralDistance()]
        learner = StructuredLearner(epochs=2)
        return SequenceAligner(features, learner=learner).fit(corpus, checkpoint=checkpoint)

    with StopsAfter(tmp_path / "partial", 1) as kept, pytest.raises(Interrupted):
        fit(kept)
    assert [p.name for p in (tmp_path / "partial").glob("*.part")] == ["learner.part"]
    np.testing.assert_array_equal(fit(tmp_path / "partial").coef_, fit(None).coef_)


def test_what_the_digest_depends_on(corpus):
    timed = [aligner()._read_example(example, example.name) for example in corpus]
    features = aligner()._make_features()

    def digest(model=None, parts=features, recordings=timed, held_out=()):
        described = [*map(describe_timed, recordings), *map(describe_timed, held_out)]
        return digest_of_training(model or aligner(), parts, [len(recordings), *described])

    same = digest()
    assert digest(copy.deepcopy(aligner()), copy.deepcopy(features)) == same
    assert digest(aligner(n_jobs=2)) == same  # the result does not depend on it
    others = [
        digest(aligner(C=0.06)),
        digest(aligner(phone_map=None)),
        digest(aligner(cost=lambda y, z: 1.0)),
        digest(aligner(cost=lambda y, z: 2.0)),
        digest(parts=features[:-1]),
        digest(parts=[NetworkConfidence(random_state=1), *features[1:]]),
        digest(recordings=timed[:-1]),
        digest(recordings=timed[::-1]),
        digest(held_out=[timed[0]]),
        digest(held_out=[timed[1]]),
    ]
    assert len({same, *others}) == len(others) + 1


def test_the_digest_of_a_function_depends_on_what_it_was_given(corpus):
    def closed(k):
        import math  # a module is what its name says

        return lambda y, z: k * math.pi

    def usual(k):
        return lambda y, z, k=k: k

    class Given:
        def __init__(self, k):
            self.k = k

        def cost(self, y, z):
            return self.k

    costs = [
        make(k)
        for make in (closed, usual, lambda k: functools.partial(max, k), lambda k: Given(k).cost)
        for k in (1, 2)
    ]
    assert len({digest_of_training(aligner(cost=cost), [], []) for cost in costs}) == len(costs)
    assert digest_of_training(aligner(cost=closed(1)), [], []) in {
        digest_of_training(aligner(cost=cost), [], []) for cost in costs
    }


def test_a_function_may_name_what_is_not_set_yet():
    def cost(y, z):
        return later

    before = digest_of_training(aligner(cost=cost), [], [])
    later = 1.0
    assert digest_of_training(aligner(cost=cost), [], []) != before


def test_two_trainings_cannot_share_a_checkpoint(corpus, tmp_path):
    with (
        Checkpoint(tmp_path / "partial"),
        pytest.raises(DataError, match="is in use by another run"),
    ):
        aligner().fit(corpus, checkpoint=tmp_path / "partial")


@posix
def test_a_disk_that_keeps_nothing_does_not_end_training(tmp_path):
    with Checkpoint(tmp_path / "partial") as kept:
        shutil.rmtree(tmp_path / "partial")
        with pytest.warns(UserWarning, match="no checkpoint can be kept, an interrupted training"):
            kept.save("part", {}, {})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kept.save("part", {}, {})  # once is enough


# The command, killed ----------------------------------------------------------------------------

_TRAIN = """
import functools, sys
import align.speech.feature_sets
from align.features import NetworkConfidence
align.speech.feature_sets.NetworkConfidence = functools.partial(
    NetworkConfidence, width=8, dilations=(1, 2), epochs=6
)
from align.cli import main
main()
"""


def training(corpus: Path, output: Path) -> "subprocess.Popen[bytes]":
    arguments = ["train", "speech", corpus, "-o", output, "--epochs", 20, "--jobs", 1, "--quiet"]
    return subprocess.Popen(
        [sys.executable, "-c", _TRAIN, *map(str, arguments)],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def killed_and_resumed(folder: Path, kills: int, seed: int) -> None:
    corpus = write_corpus(folder / "corpus", {"ann": 3, "bob": 3})
    whole, output = folder / "whole.align", folder / "model.align"
    partial = folder / "model.align.partial"
    small = functools.partial(NetworkConfidence, width=8, dilations=(1, 2), epochs=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("align.speech.feature_sets.NetworkConfidence", small)
        SpeechAligner(epochs=20, n_jobs=1).fit(read_corpus(corpus)).save(whole)
    rng = random.Random(seed)
    interrupted = 0
    while interrupted < kills:
        process = training(corpus, output)
        deadline = time.monotonic() + 60
        while process.poll() is None and not partial.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        try:
            process.wait(rng.uniform(0.0, 1.2))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            interrupted += 1
        process.communicate()
        if output.exists():  # it was quicker
            assert output.read_bytes() == whole.read_bytes()
            output.unlink()
    process = training(corpus, output)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output.read_bytes() == whole.read_bytes()
    assert not partial.exists()
    assert sorted(p.name for p in folder.iterdir()) == ["corpus", "model.align", "whole.align"]


@posix
def test_training_killed_at_a_random_moment_ends_in_the_same_file(tmp_path):
    killed_and_resumed(tmp_path, kills=1, seed=11)


@posix
@pytest.mark.faults
def test_training_killed_at_twenty_random_moments_ends_in_the_same_file(tmp_path):
    killed_and_resumed(tmp_path, kills=20, seed=12)
