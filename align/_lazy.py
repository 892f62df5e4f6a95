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
        Module of each public name; of a module that is itself the name, that module.

    Returns
    -------
    callable, callable

    Examples
    --------
    >>> get, names = lazy_names("align", {"ModelError": "align.errors"})
    >>> names(), get("ModelError").__module__
    (['ModelError'], 'align.errors')
    """

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home[name])
        return module if home[name] == f"{package}.{name}" else getattr(module, name)

    return get, lambda: sorted(home)
