"""Databases of the EMU Speech Database Management System: folders whose name ends in ``_emuDB``.

::

    fruit_emuDB/
      fruit_DBconfig.json            levels and links of all annotations, and how they are shown
      ann_ses/                       a session
        kiwi_bndl/                   a bundle
          kiwi.wav
          kiwi_annot.json            see `align.formats.tiers.emu`

References
----------
Winkelmann, "The EMU-SDMS Manual", chapter "The emuDB format".
"""

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.formats.documents.parsing import parsed_json
from align.formats.documents.writing import json_text
from align.formats.tiers.emu import ANNOTATION, annotation_of
from align.formats.tiers.tier import Tiers

__all__ = ["DATABASE", "bundle_path", "check_database_name", "configure", "write_emu_database"]

DATABASE = "_emuDB"
"""What the name of a database ends in."""

_SESSION = "0000"  # of recordings that lie in no folder, as emuR calls it


def check_database_name(folder: StrPath) -> str:
    """Return the name of the database in a folder; ParameterError if the folder has another."""
    name = os.path.basename(os.path.abspath(folder))
    if not name.endswith(DATABASE) or name == DATABASE:
        raise ParameterError(
            f"{os.fspath(folder)}: a database of EMU must have a name that ends in {DATABASE}, "
            f"such as {name.removesuffix(DATABASE) or 'speech'}{DATABASE}."
        )
    return name.removesuffix(DATABASE)


def bundle_path(name: str) -> str:
    """Return where the files of a recording lie, without suffix, with ``/`` between the parts.

    The folders of the recording are its session.

    Examples
    --------
    >>> bundle_path("ann/monday/kiwi"), bundle_path("kiwi")
    ('ann_monday_ses/kiwi_bndl/kiwi', '0000_ses/kiwi_bndl/kiwi')
    """
    *folders, own = name.split("/")
    return f"{'_'.join(folders) or _SESSION}_ses/{own}_bndl/{own}"


def write_emu_database(
    folder: StrPath, recordings: Mapping[str, Tiers], *, session: str = _SESSION
) -> Path:
    """Write a database for emuR's ``load_emuDB``: configuration, annotations, recordings.

    Parameters
    ----------
    folder : path
        A new folder; EMU wants its name to end in ``_emuDB``.
    recordings : mapping of str to Tiers
        Of each bundle, by its name. `Tiers.audio` is the recording, a WAV file, which is copied;
        where it is None, put ``<bundle>.wav`` beside the annotation.
    session : str
        What the session is called that the bundles are in.

    Returns
    -------
    pathlib.Path
        The configuration.

    Raises
    ------
    DataError
        If the folder exists, or a recording is no WAV file.
    ParameterError
        If there are no recordings, or the folder has another name.
    """
    top = Path(folder)
    check_database_name(top)
    if not recordings:
        raise ParameterError(f"{top}: give at least one recording.")
    if top.exists():
        raise DataError("exists; choose another name.", path=top)
    for tiers in recordings.values():
        if tiers.audio is not None and not tiers.audio.lower().endswith(".wav"):
            raise DataError("EMU takes WAV files only; convert it first.", path=tiers.audio)
    contents = {bundle: annotation_of(bundle, tiers) for bundle, tiers in recordings.items()}
    written = []
    for bundle, tiers in recordings.items():
        place = top / bundle_path(f"{session}/{bundle}")
        place.parent.mkdir(parents=True)
        written.append(f"{place}{ANNOTATION}")
        atomic_write(written[-1], json_text(contents[bundle]))
        if tiers.audio is not None:
            shutil.copyfile(tiers.audio, f"{place}.wav")
    return configure(top, written)


def configure(folder: StrPath, annotations: Iterable[StrPath]) -> Path:
    """Write the configuration of a database, or add to it what annotations have and it lacks.

    What the EMU web app or a person has set in it stays. The `annotations` are as
    `align.formats.tiers.emu` writes them. Returns the path of the configuration. Raises DataError
    where that or an annotation is damaged or cannot be written, ParameterError where the folder
    has another name than a database.
    """
    name = check_database_name(folder)
    path = Path(folder) / f"{name}_DBconfig.json"
    levels: dict[str, str] = {}
    links: dict[tuple[str, str], None] = {}
    for annotation in annotations:
        _add_structure(os.fspath(annotation), levels, links)
    content = parsed_json(os.fspath(path), None) if path.exists() else _new(name)
    before = json.dumps(content)
    try:
        _add(content, levels, links)
    except (AttributeError, KeyError, TypeError):
        raise DataError(
            "is no configuration of an EMU database; move it elsewhere.", path=path
        ) from None
    if not path.exists() or json.dumps(content) != before:
        text = json.dumps(content, ensure_ascii=False, indent=1)
        atomic_write(path, text + "\n", overwrite=True)
    return path


def _add_structure(path: str, levels: dict[str, str], links: dict[tuple[str, str], None]) -> None:
    """Add the type of each level of an annotation, and which levels its links lead between."""
    content = parsed_json(path, None)
    try:
        level_of: dict[int, str] = {}
        for level in content["levels"]:
            levels.setdefault(level["name"], level["type"])
            level_of.update((item["id"], level["name"]) for item in level["items"])
        for link in content["links"]:
            links.setdefault((level_of[link["fromID"]], level_of[link["toID"]]))
    except (KeyError, TypeError):
        raise DataError("is no annotation of EMU.", path=path) from None


def _new(name: str) -> dict[str, Any]:
    """Return a configuration without levels."""
    perspective = {
        "name": "default",
        "signalCanvases": {"order": ["OSCI", "SPEC"], "assign": [], "contourLims": []},
        "levelCanvases": {"order": []},
        "twoDimCanvases": {"order": []},
    }
    return {
        "name": name,
        "UUID": str(uuid.uuid5(uuid.NAMESPACE_OID, name)),  # the same bytes for the same input
        "mediafileExtension": "wav",
        "ssffTrackDefinitions": [],
        "levelDefinitions": [],
        "linkDefinitions": [],
        "EMUwebAppConfig": {
            "perspectives": [perspective],
            "restrictions": {"showPerspectivesSidebar": True},
            "activeButtons": {"saveBundle": True, "showHierarchy": True},
        },
    }


def _add(
    content: dict[str, Any], levels: dict[str, str], links: dict[tuple[str, str], None]
) -> None:
    """Add levels and links that a configuration does not define; the first view shows them."""
    known = {level["name"] for level in content["levelDefinitions"]}
    views = content["EMUwebAppConfig"]["perspectives"]
    for level, kind in levels.items():
        if level in known:
            continue
        attributes = [{"name": level, "type": "STRING"}]
        content["levelDefinitions"].append(
            {"name": level, "type": kind, "attributeDefinitions": attributes}
        )
        if views and kind != "ITEM":
            views[0]["levelCanvases"]["order"].append(level)
    defined = {
        (link["superlevelName"], link["sublevelName"]) for link in content["linkDefinitions"]
    }
    content["linkDefinitions"] += [
        {"type": "ONE_TO_MANY", "superlevelName": above, "sublevelName": below}
        for above, below in links
        if (above, below) not in defined
    ]
