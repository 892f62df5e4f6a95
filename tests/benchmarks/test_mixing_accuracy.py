"""Parameter mixing beside serial training on real vectors; see recipes/scaling/mixing.py."""

import importlib.util
from pathlib import Path

import pytest

RECIPE = Path(__file__).resolve().parents[2] / "recipes" / "scaling" / "mixing.py"


@pytest.mark.benchmark
def test_mixed_classifiers_are_nearly_as_good_as_serial_ones(shared_data, monkeypatch):
    monkeypatch.setattr("sys.path", __import__("sys").path.copy())
    spec = importlib.util.spec_from_file_location("mixing_recipe", RECIPE)
    recipe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    error = {
        (row["set"], row["how"]): row["error"]
        for row in recipe.flat(shared_data / "learners", jobs=2)
    }
    for name, worse in (("usps", 0.7), ("letter", 3.0)):  # percentage points, of 4 shards
        serial, mixed = (
            error[name, how] for how in ("serial, 5 epochs", "4 shards, uniform, 5 epochs")
        )
        assert mixed <= serial + worse
