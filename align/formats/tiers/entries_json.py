"""Tiers as JSON, as praatio and the Montreal Forced Aligner (``--output_format json``) write them.

::

    {"start": 0, "end": 0.93, "tiers": {
        "words": {"type": "interval", "entries": [[0.14, 0.93, "kiwi"]]},
        "tones": {"type": "point", "entries": [[0.3, "H*"]]}}}
    {"xmin": 0, "xmax": 0.93, "tiers": [
        {"class": "IntervalTier", "name": "words", "xmin": 0, "xmax": 0.93,
         "entries": [[0.14, 0.93, "kiwi"]]}]}

Times are seconds.
"""

from typing import Any

from align.errors import DataError
from align.files.names import StrPath
from align.formats.documents.parsing import is_number
from align.formats.tiers.tier import Tier


def has_entries(content: Any) -> bool:
    """Whether what a JSON file holds is of this kind.

    Examples
    --------
    >>> has_entries({"end": 1, "tiers": {"words": {"type": "interval", "entries": []}}})
    True
    >>> has_entries({"duration": 1, "events": []})
    False
    """
    tiers = _listed(content)
    return bool(tiers) and all(isinstance(tier.get("entries"), list) for _, tier in tiers)


def tiers_of_entries(content: Any, path: StrPath) -> tuple[list[Tier], float | None]:
    """Return the tiers in their order, and where the recording ends in seconds, if it is said.

    Raises DataError where an entry is not ``[start, end, label]``, or of points ``[time, label]``.
    """
    end = next((content[key] for key in ("end", "xmax") if key in content), None)
    known = float(end) if is_number(end) and end > 0 else None
    return [
        _tier(name, tier["entries"], known or 0.0, path) for name, tier in _listed(content)
    ], known


def _listed(content: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the tiers with their names, whichever of the two shapes the file has."""
    tiers = content.get("tiers") if isinstance(content, dict) else None
    if isinstance(tiers, dict):
        rows = list(tiers.items())
    elif isinstance(tiers, list):
        rows = [(tier.get("name") if isinstance(tier, dict) else None, tier) for tier in tiers]
    else:
        return []
    named = all(isinstance(name, str) and isinstance(tier, dict) for name, tier in rows)
    return rows if named else []


def _tier(name: str, entries: list[Any], end: float, path: StrPath) -> Tier:
    points = bool(entries) and all(isinstance(e, list) and len(e) == 2 for e in entries)
    rows = []
    for k, entry in enumerate(entries, start=1):
        *at, label = entry if isinstance(entry, list) and entry else [None]
        numbers = [float(time) for time in at if is_number(time)]
        if not isinstance(label, str) or not len(at) == len(numbers) == (1 if points else 2):
            shape = "[time, label]" if points else "[start, end, label]"
            raise DataError(f"entry {k} of tier {name!r} is not {shape}.", path=path)
        rows.append((label, numbers[0], numbers[-1]))
    return Tier.of_rows(name, rows, "point" if points else "interval", end=end)
