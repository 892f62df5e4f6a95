"""Python files outside of the package, such as those of the recipes, as modules."""

import importlib.util
from pathlib import Path
from types import ModuleType

__all__ = ["RECIPES", "script"]

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


def script(path: Path, name: str | None = None) -> ModuleType:
    """Run a file and return it as a module; by default its name has the folder's in front.

    The module is not registered: processes get its functions by value.
    """
    spec = importlib.util.spec_from_file_location(name or f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
