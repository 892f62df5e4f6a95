"""Benchmarks take minutes and a quiet machine: they run in full only when asked for.

``pytest tests/benchmarks -s`` or ``pytest -m benchmark -s`` runs them and prints their tables. In
the default suite the first case of each runs in a tiny form: sizes are the smallest, results are
checked, times are not. So a benchmark whose code no longer runs is seen at once.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def asked_for(config):
    """Whether benchmarks are asked for by their mark or by their path."""
    if "benchmark" in (config.option.markexpr or ""):
        return True
    named = [Path(str(a).split("::")[0]).resolve() for a in config.invocation_params.args]
    return any(HERE in (path, *path.parents) for path in named)


@pytest.fixture(scope="session")
def tiny(request):
    """Whether sizes are to be the smallest, and times say nothing."""
    return not asked_for(request.config)


def pytest_collection_modifyitems(config, items):
    """Keep only the first case of each benchmark where none was asked for."""
    if asked_for(config):
        return
    first = {}
    for item in items:
        if HERE in item.path.parents:
            first.setdefault((item.path, item.originalname), item)
    kept = [i for i in items if HERE not in i.path.parents or i in first.values()]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
