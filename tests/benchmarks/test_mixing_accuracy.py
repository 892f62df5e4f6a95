"""Parameter mixing beside serial training on real vectors; see recipes/scaling/mixing.py."""

import pytest
from scripts import RECIPES, script


@pytest.mark.benchmark
def test_mixed_classifiers_are_nearly_as_good_as_serial_ones(shared_data, monkeypatch):
    monkeypatch.setattr("sys.path", __import__("sys").path.copy())
    recipe = script(RECIPES / "scaling" / "mixing.py")
    error = {
        (row["set"], row["how"]): row["error"]
        for row in recipe.flat(shared_data / "learners", jobs=2)
    }
    for name, worse in (("usps", 0.7), ("letter", 3.0)):  # percentage points, of 4 shards
        serial, mixed = (
            error[name, how] for how in ("serial, 5 epochs", "4 shards, uniform, 5 epochs")
        )
        assert mixed <= serial + worse
