"""Tutorials take a minute: ``pytest -m tutorials`` runs them, and so does ``.ci/run``."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "tutorials" in (config.option.markexpr or ""):
        return
    slow = [item for item in items if item.get_closest_marker("tutorials")]
    items[:] = [item for item in items if item not in slow]
    config.hook.pytest_deselected(items=slow)
