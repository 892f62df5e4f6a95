"""Model files of every version load, and find what they found when they were made."""

import json
from pathlib import Path

import make
import numpy as np
import pytest

import align
from align.files.model_file import read_model

HERE = Path(__file__).resolve().parent
FILES = sorted(HERE.glob("*/*.align"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_model_file_finds_what_it_found(path: Path) -> None:
    expected = json.loads((path.parent / "onsets.json").read_text())[path.stem]
    found = make.align_with(path.stem, make.load_one(path))
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-4)  # a tenth of a frame of speech


def test_there_are_files_of_this_version_of_every_kind() -> None:
    own = {path.stem for path in FILES if path.parent.name == align.__version__}
    assert own == set(make.KINDS)
    assert all(path.stat().st_size < 100_000 for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_loaded_model_is_saved_as_it_was(path: Path, tmp_path: Path) -> None:
    """All that a file of an older version says must survive being loaded and saved."""
    make.load_one(path).save(tmp_path / "again.align")
    _, header, arrays = read_model(tmp_path / "again.align")
    _, old_header, old_arrays = read_model(path)
    assert set(old_arrays) <= set(arrays)
    for name, array in old_arrays.items():
        np.testing.assert_array_equal(arrays[name], array)
    assert set(old_header) <= set(header)
    for name in ("base_functions", "training", "licence"):
        assert header[name] == old_header[name]
