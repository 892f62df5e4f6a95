"""A bundled model takes over how sure it is, and nothing else."""

import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np

import align
from align.models.file import read_model
from align.sequence.sureness import Sureness

SCRIPT = Path(__file__).resolve().parents[2] / "recipes" / "timit" / "recalibrate.py"


def test_confidence_is_taken_over_and_onsets_stay(tmp_path: Path) -> None:
    own, other = tmp_path / "own.align", tmp_path / "other.align"
    shutil.copy(str(files("align.data") / "speech-en.align"), own)
    trained = align.load(own)
    assert isinstance(trained, align.SpeechAligner)
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
