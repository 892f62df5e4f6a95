"""Names of a package that are loaded on first use, so that importing it is immediate."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    package: str, home: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its name.
    home : mapping of str to str
        Module to its public names, separated by spaces; a module may be a name itself.

    Returns
    -------
    callable, callable

    Examples
    --------
    >>> get, names = lazy_names("align", {"align.errors": "DataError ModelError"})
    >>> names(), get("ModelError").__module__
    (['DataError', 'ModelError'], 'align.errors')
    """
    module_of = {name: module for module, names in home.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(module_of[name])
        return module if module_of[name] == f"{package}.{name}" else getattr(module, name)

    return get, lambda: sorted(module_of)
