"""The public names of Align: those a module offers, with parameters and attributes."""

import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from source_trees import own_names

import align

__all__ = ["public_names", "words_of"]


@cache
def public_names() -> dict[str, set[str]]:
    """Return each public name, with the places where it stands."""
    found: dict[str, set[str]] = defaultdict(set)
    for info in pkgutil.walk_packages(align.__path__, "align."):
        if info.name == "align.data" or "._" in info.name:
            continue
        module = importlib.import_module(info.name)
        found[info.name.rpartition(".")[2]].add(info.name)
        for public in getattr(module, "__all__", own_names(info.name)):
            for name, place in _names(public, getattr(module, public), info.name):
                if not name.startswith("_"):
                    found[name].add(place)
    return found


def words_of(name: str) -> list[str]:
    """Return the words of a name, in small letters."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().split("_")
    return [part for part in parts if part]


def _names(public: str, value: Any, module: str) -> Iterator[tuple[str, str]]:
    """Yield a public name, and those of its parameters and attributes."""
    place = f"{module}.{public}"
    yield public, place
    if not getattr(value, "__module__", "").startswith("align"):
        return
    if inspect.isclass(value):
        for owner in value.__mro__:
            if owner.__module__.startswith("align"):
                for name, member in [*vars(owner).items(), *_annotations(owner)]:
                    yield name, f"{place}.{name}"
                    if not name.startswith("_") or name == "__init__":
                        yield from _parameters(member, f"{place}.{name}")
    else:
        yield from _parameters(value, place)


def _annotations(owner: type) -> list[tuple[str, None]]:
    return [(name, None) for name in vars(owner).get("__annotations__", {})]


def _parameters(value: Any, place: str) -> Iterator[tuple[str, str]]:
    value = getattr(value, "__func__", value)
    if not inspect.isfunction(value):
        value = getattr(value, "callback", None) or getattr(value, "py_func", None)
    if inspect.isfunction(value):
        for name in inspect.signature(value).parameters:
            yield name, f"{place}({name})"
