"""Runs that are killed many times take minutes: they are done only when asked for.

``pytest -m faults`` runs them; a few kills are part of the usual suite.
"""


def pytest_collection_modifyitems(config, items):
    if "faults" in (config.option.markexpr or ""):
        return
    slow = [item for item in items if item.get_closest_marker("faults")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
