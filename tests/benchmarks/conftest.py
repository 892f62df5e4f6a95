"""Benchmarks take minutes and a quiet machine: they run only when asked for.

``pytest tests/benchmarks -s`` or ``pytest -m benchmark -s`` runs them and prints their tables.
"""

from pathlib import Path

HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(collection_path, config):
    if "benchmark" in (config.option.markexpr or ""):
        return None
    named = [Path(str(a).split("::")[0]).resolve() for a in config.invocation_params.args]
    return None if any(HERE in (path, *path.parents) for path in named) else True
