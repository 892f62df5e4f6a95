"""What a run keeps of each result beside its outputs: how sure it is, which few formats can say.

``OUT/.align/found/NAME.json`` is the result of ``OUT/NAME.TextGrid``, as ``.json`` files hold it.
"""

import os

from align.files.names import StrPath

OWN_FOLDER = ".align"
"""Where in its folder a run keeps what is its own."""

KEPT = ".json"
"""Format of what is kept."""

QUALITY_TABLE, CONFIRMED_TABLE = "quality.csv", "confirmed.csv"
"""Tables beside results, of a run and of a session: measures, and what was confirmed."""

_FOUND = "found"


def kept_file(out: StrPath, name: str) -> str:
    """Return where a run with the folder `out` keeps the result `name`.

    Examples
    --------
    >>> kept_file("out", "anna/one").replace(os.sep, "/")
    'out/.align/found/anna/one.json'
    """
    return os.path.join(out, OWN_FOLDER, _FOUND, *f"{name}{KEPT}".split("/"))


def kept_of(path: StrPath) -> str | None:
    """Return what a run has kept of an output; None where none has written it."""
    folder, stem = os.path.split(os.path.splitext(os.path.abspath(path))[0])
    while not os.path.isdir(os.path.join(folder, OWN_FOLDER)):
        above, last = os.path.split(folder)
        if not last:
            return None
        folder, stem = above, f"{last}/{stem}"
    kept = kept_file(folder, stem)
    return kept if os.path.isfile(kept) else None
