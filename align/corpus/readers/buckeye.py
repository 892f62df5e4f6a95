"""The Buckeye corpus of conversational speech: ``.phones`` and ``.words`` beside ``.wav``.

The label files are those of ESPS xlabel: a header that ends with a line ``#``, then one line for
each label with its *end* in seconds, a colour, and the label; a label begins where the one before
ends, the first at 0::

    signal s0101a
    nfields 1
    #
        0.073000  121 {B_TRANS}
        0.097676  121 SIL
        0.154130  121 k; *

What follows a semicolon is a comment of the transcriber, or in ``.words`` the pronunciations and
the part of speech. ``+1`` after a phone marks a vowel that two words share. Marks of the
transcription and silences become ``sil``; what is neither silence nor a phone (``VOCNOISE``,
``NOISE``, ``LAUGH``, ``IVER`` for the interviewer, ``UNKNOWN``, ``<...>``) becomes ``spn``;
neighbours of these kinds are joined. Marks without length are dropped. Real labels whose times do
not increase, of which the corpus has a few, make their file a problem.

References
----------
Pitt et al., "Buckeye Corpus of Conversational Speech (2nd release)", Ohio State University, 2007.
"""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from align.corpus.pairs import find_pairs
from align.corpus.reading import Corpus, Gathering, header
from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.text import Place, read_text
from align.formats.tiers.labels import Labels, make_labels

_SILENT = re.compile(r"SIL|<SIL>|[{<][BE]_TRANS[}>]|", re.IGNORECASE)
_NOISE = re.compile(r"[<{].*|.*[>}]|IVER.*|VOCNOISE.*|NOISE.*|LAUGH.*|UNKNOWN.*|EXCLUDE.*|ERROR.*")
_SHARED = "+1"


class XLabel(NamedTuple):
    """A label of an xlabel file: seconds, the first field, and the line, counted from 1."""

    start: float
    end: float
    label: str
    line: int


def read_xlabel(path: StrPath) -> list[XLabel]:
    """Read an ESPS xlabel file, such as Buckeye's ``.phones``, ``.words`` and ``.log``.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    list of XLabel
        In the order of the file; times are not checked.

    Raises
    ------
    DataError
        If the header has no end, or a line does not begin with a time in seconds and a colour.
    """
    lines = read_text(path).split("\n")
    first = next((k for k, line in enumerate(lines, start=1) if line.startswith("#")), 0)
    if not first:
        raise DataError("has no line '#', which ends the header of a label file.", path=path)
    found = []
    before = 0.0
    for number, line in enumerate(lines[first:], start=first + 1):
        fields = line.split(maxsplit=2)
        if not fields:
            continue
        at = Place(path, number)
        if len(fields) < 2:
            raise at.wrong(f"{line.strip()!r} is not `end colour label`.")
        end = at.number(fields[0], "end of a label")
        label = fields[2].split(";")[0].strip() if len(fields) == 3 else ""
        found.append(XLabel(before, end, label, number))
        before = end
    return found


def read_buckeye(folder: StrPath, *, tier: str = "phones") -> Corpus:
    """Read the Buckeye corpus.

    Parameters
    ----------
    folder : path
        Where the speakers' archives are unpacked, at any depth: ``s0101a.wav``,
        ``s0101a.phones`` and so on.
    tier : {"phones", "words"}
        What the events are.

    Returns
    -------
    Corpus
        One recording for each track, some ten minutes long; `align.corpus.readers.cut_utterances`
        cuts it at pauses. The group is the speaker, as in ``s01``.

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    if tier not in ("phones", "words"):
        raise ParameterError(f"tier={tier!r}, must be 'phones' or 'words'.")
    root = os.fspath(folder)
    if not os.path.isdir(root):
        raise DataError("is not a folder; give the folder of the corpus.", path=root)
    found = Gathering(root, "speech")
    for pair in find_pairs(root, None, ("." + tier,)):
        if pair.audio is None:
            continue
        if pair.labels is None:
            found.unpaired.append(pair.audio)
            continue
        with found.attempt(pair.audio):
            duration = header(pair.audio).duration
            labels = _labels(read_xlabel(pair.labels), pair.labels, duration)
            found.add_speech(pair.audio, labels, os.path.basename(pair.audio)[:3].lower())
    return found.corpus(f"holds no recordings with .{tier} files of their names beside them.")


def _labels(entries: Sequence[XLabel], path: str, duration: float) -> Labels:
    """Return the labels, with neighbours joined that are no speech."""
    kept: list[XLabel] = []
    for entry in entries:
        label = entry.label.replace(_SHARED, "").strip()
        if _SILENT.fullmatch(label):
            label = "sil"
        elif _NOISE.fullmatch(label):
            label = "spn"
        silent = label in ("sil", "spn")
        if silent and entry.end == entry.start:
            continue
        if kept and silent and kept[-1].label == label:
            kept[-1] = kept[-1]._replace(end=entry.end)
            continue
        kept.append(entry._replace(label=label))
    return make_labels(
        [entry.label for entry in kept],
        [(entry.start, entry.end) for entry in kept],
        path=path,
        lines=[entry.line for entry in kept],
        duration=duration,
    )
